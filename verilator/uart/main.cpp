// SPDX-License-Identifier: Apache-2.0
// A board in simulation: the design's top with a UART, whose line ends, bit by bit, in a pseudo-terminal.
//
//   sim SEED NOISE [WAVES]
//
// The first line on standard output is the pseudo-terminal's name. NOISE is the chance that a bit time on either line
// is the beginning of a disturbance. The line has the speed that the terminal is set to, the design its own: a host that
// sets the wrong one sees what it would see on a board. Runs until SIGINT, SIGTERM or SIGHUP.
#include <asm/termbits.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

#include "Vdut.h"
#include "board.h"
#include "line.h"
#include "verilated.h"
#ifdef SIM_COVERAGE
#include "verilated_cov.h"
#endif
#ifdef SIM_WAVES
#include "verilated_fst_c.h"
#endif

double sc_time_stamp() { return 0; }

namespace {

volatile std::sig_atomic_t stopped = 0;
void stop(int) { stopped = 1; }

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

// A pseudo-terminal. The other end is kept open here too, so that hosts can come and go.
class Terminal {
 public:
  Terminal() {
    fd_ = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (fd_ < 0 || grantpt(fd_) || unlockpt(fd_)) die("pseudo-terminal");
    const char* name = ptsname(fd_);
    if (!name) die("pseudo-terminal");
    name_ = name;
    keep_ = open(name, O_RDWR | O_NOCTTY);
    if (keep_ < 0) die(name);
    struct termios2 t;
    if (ioctl(keep_, TCGETS2, &t)) die(name);
    // raw, or what the design sends would come back
    t.c_iflag = 0;
    t.c_oflag = 0;
    t.c_lflag = 0;
    t.c_cflag = BOTHER | CS8 | CREAD | CLOCAL;
    t.c_ispeed = t.c_ospeed = SIM_BAUD;
    t.c_cc[VMIN] = 1;
    t.c_cc[VTIME] = 0;
    if (ioctl(keep_, TCSETS2, &t)) die(name);
    closed_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (closed_ >= 0) inotify_add_watch(closed_, name, IN_CLOSE);
  }
  const std::string& name() const { return name_; }
  // bits a second that it is set to
  uint32_t speed() const {
    struct termios2 t;
    return ioctl(fd_, TCGETS2, &t) || !t.c_ospeed ? SIM_BAUD : t.c_ospeed;
  }
  // waits for bytes, or for a host that goes, at most ms
  void wait(int ms) const {
    struct pollfd p[] = {{fd_, POLLIN, 0}, {closed_, POLLIN, 0}};
    poll(p, 2, ms);
  }
  size_t read(uint8_t* p, size_t n) const {
    const ssize_t got = ::read(fd_, p, n);
    return got < 0 ? 0 : got;
  }
  // A host has the terminal for itself. Of one that was killed that stays, as the terminal is open here: once nobody
  // has it any more it is for all again.
  void release() const {
    char events[1024];
    if (closed_ < 0 || ::read(closed_, events, sizeof events) <= 0) return;
    while (::read(closed_, events, sizeof events) > 0) {}
    if (!in_use()) ioctl(keep_, TIOCNXCL);
  }
  // as much as the terminal takes; what nobody fetches is lost in the end, as on a serial line
  void write(std::vector<uint8_t>* out) const {
    if (out->empty()) return;
    const ssize_t n = ::write(fd_, out->data(), out->size());
    if (n > 0) out->erase(out->begin(), out->begin() + n);
    if (out->size() > 65536) out->clear();
  }

 private:
  // whether another process has it, of those whose files can be seen: those of this user
  bool in_use() const {
    DIR* processes = opendir("/proc");
    if (!processes) return true;
    bool found = false;
    while (const dirent* p = readdir(processes)) {
      const long pid = std::strtol(p->d_name, nullptr, 10);
      if (pid <= 0 || pid == getpid()) continue;
      const std::string folder = std::string("/proc/") + p->d_name + "/fd/";
      DIR* files = opendir(folder.c_str());
      if (!files) continue;
      while (const dirent* f = readdir(files)) {
        char to[256];
        const ssize_t n = readlink((folder + f->d_name).c_str(), to, sizeof to);
        if (n > 0 && name_.compare(0, std::string::npos, to, n) == 0) found = true;
      }
      closedir(files);
      if (found) break;
    }
    closedir(processes);
    return found;
  }

  int fd_, keep_, closed_;
  std::string name_;
};

class Board {
 public:
  Board(uint64_t seed, double noise, const char* waves, int argc, char** argv)
      : to_(seed, chance(noise), longest()), from_(seed + 1, chance(noise), longest()) {
    ctx_ = std::make_unique<VerilatedContext>();
    ctx_->commandArgs(argc, argv);
    ctx_->randReset(2);
    ctx_->randSeed(static_cast<int>(seed % 0x7ffffffe) + 1);
#ifdef SIM_WAVES
    ctx_->traceEverOn(true);
#endif
    dut_ = std::make_unique<Vdut>(ctx_.get());
#ifdef SIM_WAVES
    fst_ = std::make_unique<VerilatedFstC>();
    dut_->trace(fst_.get(), 99);
    fst_->open(waves);
#else
    (void)waves;
#endif
    dut_->uart_rx = 1;
    dut_->rst = 1;
    dut_->clk = 0;
    for (int i = 0; i < 8; i++) tick();
    dut_->rst = 0;
  }

  void run() {
    std::printf("%s\n", tty_.name().c_str());
    std::fflush(stdout);
    const pid_t parent = getppid();
    unsigned turn = 0;
    double clocks = SIM_CLOCK_HZ / static_cast<double>(tty_.speed());
    uint64_t quiet = 0, bytes_in = 0, bytes_out = 0;
    std::vector<uint8_t> out;
    uint8_t buf[256];
    while (!stopped) {
      // whoever started the board is gone: so is the board
      if (++turn % 64 == 0 && getppid() != parent) break;
      if (turn % 64 == 0 || quiet > kQuiet) tty_.release();
      // a few bytes at a time: what is on the line is not in the terminal's buffer any more
      if (send_.waiting() < 16) {
        const size_t n = tty_.read(buf, 16);
        // asked behind the read: a host sets its speed before it writes
        if (send_.idle()) clocks = SIM_CLOCK_HZ / static_cast<double>(tty_.speed());
        for (size_t i = 0; i < n; i++) send_.put(buf[i]);
        bytes_in += n;
        if (n) quiet = 0;
      }
      for (int i = 0; i < kChunk; i++) {
        dut_->uart_rx = send_.level(clocks) ^ to_.flips();
        tick();
        uint8_t b;
        if (receive_.sample(dut_->uart_tx ^ from_.flips(), clocks, &b)) {
          out.push_back(b);
          bytes_out++;
        }
      }
      quiet = send_.idle() && receive_.idle() && out.empty() ? quiet + kChunk : 0;
      tty_.write(&out);
      // nobody says anything: the processor is left to others, and the design goes on slowly
      if (quiet > kQuiet) tty_.wait(20);
    }
#ifdef SIM_WAVES
    fst_->close();
#endif
    dut_->final();
#ifdef SIM_COVERAGE
    // +coverage=FILE
    const std::string file = ctx_->commandArgsPlusMatch("coverage=");
    if (!file.empty()) ctx_->coveragep()->write(file.c_str() + sizeof "+coverage=" - 1);
#endif
    std::fprintf(stderr, "%llu cycles, %llu bytes to the board, %llu from it\n", static_cast<unsigned long long>(cycles_),
                 static_cast<unsigned long long>(bytes_in), static_cast<unsigned long long>(bytes_out));
  }

 private:
  static constexpr int kChunk = 256;
  static constexpr uint64_t kQuiet = 200000;

  static constexpr uint32_t longest() { return 20ull * SIM_CLOCK_HZ / SIM_BAUD; }
  static uint32_t chance(double noise) {
    return static_cast<uint32_t>(noise * SIM_BAUD / SIM_CLOCK_HZ * 4294967295.0);
  }

  void tick() {
    dut_->clk = 1;
    dut_->eval();
#ifdef SIM_WAVES
    fst_->dump(2 * cycles_);
#endif
    dut_->clk = 0;
    dut_->eval();
#ifdef SIM_WAVES
    fst_->dump(2 * cycles_ + 1);
#endif
    cycles_++;
  }

  Terminal tty_;
  Noise to_, from_;
  Sender send_;
  Receiver receive_;
  std::unique_ptr<VerilatedContext> ctx_;
  std::unique_ptr<Vdut> dut_;
#ifdef SIM_WAVES
  std::unique_ptr<VerilatedFstC> fst_;
#endif
  uint64_t cycles_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s SEED NOISE [WAVES]\n", argv[0]);
    return 1;
  }
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
  if (std::signal(SIGHUP, stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
  Board b(std::strtoull(argv[1], nullptr, 10), std::strtod(argv[2], nullptr), argc > 3 ? argv[3] : nullptr, argc, argv);
  b.run();
  return 0;
}
