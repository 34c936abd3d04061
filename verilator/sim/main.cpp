// SPDX-License-Identifier: Apache-2.0
// Drives a generated scheduler with a stimulus file, watches both streams, and writes every result to a result file.
//
//   sim STIMULUS RESULT [TRACE [WAVES]]
//
// Exit code 0: the run ended (the result file lists what the monitors found wrong); 1: it could not be done; 3: no
// progress (what is in flight goes to standard error).
#include <ctime>
#include <deque>
#include <memory>
#include <queue>
#include <unordered_map>
#include <utility>

#include "Vdut.h"
#include "port.h"
#include "stimulus.h"
#include "verilated.h"
#ifdef SIM_WAVES
#include "verilated_fst_c.h"
#endif
#ifdef SIM_TRACE
#include "trace.h"
#endif
#ifdef SIM_COVERAGE
#include "verilated_cov.h"
#endif
#ifdef SIM_SNAPSHOT
#include "verilated_vcd_c.h"
#endif

double sc_time_stamp() { return 0; }

namespace {

// xorshift*: the same stalls on every machine
class Random {
 public:
  explicit Random(uint64_t seed) : s_(seed * 0x9E3779B97F4A7C15ull + 0x1234567887654321ull) {
    if (!s_) s_ = 1;
    for (int i = 0; i < 8; i++) next();
  }
  uint32_t next() {
    s_ ^= s_ >> 12;
    s_ ^= s_ << 25;
    s_ ^= s_ >> 27;
    return static_cast<uint32_t>((s_ * 0x2545F4914F6CDD1Dull) >> 32);
  }
  bool chance(uint32_t p) { return p && next() < p; }

 private:
  uint64_t s_;
};

// what tells the result of a frame: bytes of its header that come back, and the requester
struct Key {
  uint64_t low, high;
  Key(const uint8_t* echo, uint32_t tid) {
    uint32_t last;
    std::memcpy(&low, echo, 8);
    std::memcpy(&last, echo + 8, 4);
    high = last | static_cast<uint64_t>(tid) << 32;
  }
  bool operator==(const Key& o) const { return low == o.low && high == o.high; }
};

struct KeyHash {
  size_t operator()(const Key& k) const {
    const uint64_t h = (k.low ^ k.high * 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull;
    return h ^ h >> 32;
  }
};

class Bench {
 public:
  Bench(Stimulus s, int argc, char** argv, const char* trace, const char* waves)
      : st_(std::move(s)), rng_in_(st_.seed), rng_out_(st_.seed ^ 0x5555), rng_ev_(st_.seed ^ 0x7777) {
    ctx_ = std::make_unique<VerilatedContext>();
    ctx_->commandArgs(argc, argv);
    ctx_->randReset(2);
    ctx_->randSeed(static_cast<int>(st_.seed % 0x7ffffffe) + 1);
#if defined(SIM_WAVES) || defined(SIM_SNAPSHOT)
    ctx_->traceEverOn(true);
#endif
    dut_ = std::make_unique<Vdut>(ctx_.get());
#ifdef SIM_WAVES
    if (waves) {
      fst_ = std::make_unique<VerilatedFstC>();
      dut_->trace(fst_.get(), 99);
      fst_->open(waves);
    }
#else
    (void)waves;
#endif
#ifdef SIM_TRACE
    if (trace) trace_ = std::make_unique<Writer>(trace);
#else
    (void)trace;
#endif
    size_t n = st_.frames.size();
    sent_.resize(n);
    behind_.resize(n);
    waiting_.assign(n, 0);
    users_sent_.resize(n);
    users_result_.resize(n);
    for (size_t i = 0; i < n; i++) {
      const Frame& f = st_.frames[i];
      waiting_[i] = f.after_sent.size() + f.after_result.size();
      for (uint32_t j : f.after_sent) users_sent_.at(j).push_back(i);
      for (uint32_t j : f.after_result) users_result_.at(j).push_back(i);
    }
    if (!st_.strict)
      for (size_t i = 0; i < n; i++)
        if (!waiting_[i]) enable(i);
    event_cycle_.assign(st_.events.size(), 0);
    fired_.assign(st_.events.size(), false);
    armed_.assign(st_.events.size(), 0);
    in_group_.assign(st_.group_limit.size(), 0);
  }

  // 0 done, 3 no progress
  int run() {
    // of the processor, so that others on the machine do not count
    const std::clock_t begin = std::clock();
    reset(4);
    // tables can be written once tready is up: a scan balancer loads its own after reset
    for (int i = 0; !st_.cfg.empty() && i < 100000 && !dut_->s_axis_job_tready; i++) tick();
#if !SIM_TABLES
    if (!st_.cfg.empty()) fail("cfg writes: the design has no table port");
    st_.cfg.clear();
#endif
#if !SIM_AXIL
    if (!st_.bus.empty()) fail("register accesses: the design has no registers");
    st_.bus.clear();
#endif
    answers_.resize(st_.bus.size());
    for (int i = 0; next_bus_ < st_.bus.size() && st_.bus[next_bus_].at == 0 && st_.bus[next_bus_].results == 0; i++) {
      if (i > 100000) break;
      bus_drive();
      open_cycle();
      trace();
      bus_sample();
      close_cycle();
    }
    while (next_cfg_ < st_.cfg.size() && st_.cfg[next_cfg_].at == 0) {
      table();
      open_cycle();
      trace();
      close_cycle();
    }
    int code = 0;
    size_t drain = 0;
    while (true) {
      cycle();
      skip_idle();
      if (violations_.size() >= kMostViolations || endless_) break;
      if (finished()) {
        if (++drain > 64) break;
      } else {
        drain = 0;
      }
      if (now_ - progress_ > st_.watchdog) {
        stuck();
        code = 3;
        break;
      }
    }
    if (!code) {
      if (!rx_.empty() || offered_) fail("m_axis_result: a result without its end");
      if (dut_->stat_in_flight != 0) fail("frames in flight at the end: " + std::to_string(dut_->stat_in_flight));
    }
#ifdef SIM_WAVES
    if (fst_) fst_->close();
#endif
#ifdef SIM_SNAPSHOT
    snapshot();
#endif
    dut_->final();
#ifdef SIM_COVERAGE
    // +coverage=FILE
    const std::string file = option("coverage=");
    if (!file.empty()) ctx_->coveragep()->write(file.c_str());
#endif
    cpu_us_ = static_cast<int64_t>(1e6 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    return code;
  }

  void write(const std::string& name) const {
    Writer w(name);
    w.u32(kResultMagic);
    w.u32(kVersion);
    const uint64_t c[] = {now_, in_beats_, out_beats_, stalled_free_, idle_in_result_, max_in_flight_, given_up_,
                          first_in_, last_in_, first_out_, last_out_, static_cast<uint64_t>(cpu_us_)};
    w.u32(sizeof c / sizeof c[0]);
    for (uint64_t v : c) w.u64(v);
    w.u32(sent_.size());
    for (const Sent& s : sent_) {
      w.u32(s.begun | s.done << 1);
      w.u64(s.first);
      w.u64(s.last);
    }
    w.u32(event_cycle_.size());
    for (uint64_t v : event_cycle_) w.u64(v);
    w.u32(results_.size());
    for (const Result& r : results_) {
      w.u32(r.frame);
      w.u64(r.first);
      w.u64(r.last);
      w.u32(r.tdest);
      w.u32(r.bytes.size());
      w.raw(r.bytes.data(), r.bytes.size());
    }
    w.u32(violations_.size());
    for (const std::string& v : violations_) {
      w.u32(v.size());
      w.raw(v.data(), v.size());
    }
    w.u32(answers_.size());
    for (const BusAnswer& a : answers_) {
      w.u64(a.begin);
      w.u64(a.end);
      w.u32(a.data);
      w.u32(a.resp | (a.done ? 4 : 0));
    }
  }

 private:
  struct Out {
    bool valid = false, last = false;
    uint16_t keep = 0;
    uint32_t dest = 0;
    uint8_t data[kBytes] = {};
    bool same(const Out& o) const {
      return valid == o.valid && last == o.last && keep == o.keep && dest == o.dest && !std::memcmp(data, o.data, kBytes);
    }
  };

#if defined(SIM_COVERAGE) || defined(SIM_SNAPSHOT)
  // what follows +name= on the command line
  std::string option(const std::string& name) const {
    const std::string s = ctx_->commandArgsPlusMatch(name.c_str());
    return s.empty() ? s : s.substr(1 + name.size());
  }
#endif

#ifdef SIM_SNAPSHOT
  // +snapshot=FILE: every register and memory once the design is empty and its memories are swept, as VCD
  void snapshot() {
    const std::string file = option("snapshot=");
    if (file.empty()) return;
    dut_->s_axis_job_tvalid = 0;
    const uint8_t none[kBytes] = {};
    put_bytes(dut_->s_axis_job_tdata, none, kBytes);
    for (int i = 0; i < 100000 && !dut_->s_axis_job_tready; i++) tick();
    for (int i = 0; i < 64; i++) tick();
    VerilatedVcdC vcd;
    dut_->trace(&vcd, 99);
    vcd.open(file.c_str());
    vcd.dump(0);
    vcd.close();
  }
#endif

  // as many say enough, and a design that is broken may never end
  static constexpr size_t kMostViolations = 40;
  // header and the largest payload
  static constexpr size_t kLongestResult = 16 + 65535;

  void fail(const std::string& what) {
    if (violations_.size() < kMostViolations) violations_.push_back("cycle " + std::to_string(now_) + ": " + what);
  }

  // A clock cycle: inputs are set, open, outputs are read, close. With SIM_REGISTERED the model's inputs are registers
  // of its top, which take them as the cycle begins: what hangs on them is settled once a cycle, not three times.
  void open_cycle() {
#ifdef SIM_REGISTERED
    dut_->clk = 1;
    dut_->eval();
#endif
    dut_->clk = 0;
    dut_->eval();
    dump();
  }
  void close_cycle() {
#ifndef SIM_REGISTERED
    dut_->clk = 1;
    dut_->eval();
    dump();
#endif
    now_++;
  }
  void dump() {
#ifdef SIM_WAVES
    if (fst_) fst_->dump(time_++);
#endif
  }
  void tick() {
    open_cycle();
    close_cycle();
  }

  void reset(int n) {
    dut_->rst = 1;
    dut_->clear = 0;
    dut_->s_axis_job_tvalid = 0;
    dut_->m_axis_result_tready = 0;
#if SIM_TABLES
    dut_->cfg_we = 0;
#endif
    bus_idle();
    for (int i = 0; i < n; i++) tick();
    dut_->rst = 0;
    accepted_ = returned_ = 0;
    for (Counts& c : counts_) c = Counts();
    prev_ = Out();
    stalled_ = offered_ = false;
    rx_.clear();
    progress_ = now_;
  }

#if SIM_AXIL
  void bus_idle() {
    dut_->s_axil_awvalid = dut_->s_axil_wvalid = dut_->s_axil_arvalid = 0;
    dut_->s_axil_bready = dut_->s_axil_rready = 1;
    bus_open_ = bus_took_aw_ = bus_took_w_ = bus_took_ar_ = false;
  }
  // the access under way, or the next one if it is due
  void bus_drive() {
    if (next_bus_ >= st_.bus.size()) {
      bus_idle();
      return;
    }
    const BusAccess& a = st_.bus[next_bus_];
    if (!bus_open_) {
      dut_->s_axil_bready = dut_->s_axil_rready = 1;
      if (a.at > now_ && cur_ < 0 && flying_ == 0) progress_ = now_;
      if (a.at > now_ || results_.size() < a.results) return;
      bus_open_ = true;
      answers_[next_bus_].begin = now_;
      dut_->s_axil_awvalid = dut_->s_axil_wvalid = a.write;
      dut_->s_axil_arvalid = !a.write;
      dut_->s_axil_awaddr = dut_->s_axil_araddr = a.addr;
      dut_->s_axil_wdata = a.data;
      dut_->s_axil_wstrb = a.strobes;
    }
    if (bus_took_aw_) dut_->s_axil_awvalid = 0;
    if (bus_took_w_) dut_->s_axil_wvalid = 0;
    if (bus_took_ar_) dut_->s_axil_arvalid = 0;
  }
  void bus_sample() {
    if (!bus_open_) {
      if (dut_->s_axil_bvalid || dut_->s_axil_rvalid) fail("s_axil: an answer to nothing");
      return;
    }
    if (dut_->s_axil_awvalid && dut_->s_axil_awready) bus_took_aw_ = true;
    if (dut_->s_axil_wvalid && dut_->s_axil_wready) bus_took_w_ = true;
    if (dut_->s_axil_arvalid && dut_->s_axil_arready) bus_took_ar_ = true;
    const bool b = dut_->s_axil_bvalid, r = dut_->s_axil_rvalid;
    if (!b && !r) return;
    if (b && !(bus_took_aw_ && bus_took_w_)) fail("s_axil: bvalid before the write was taken");
    if (r && !bus_took_ar_) fail("s_axil: rvalid before the read was taken");
    BusAnswer& x = answers_[next_bus_];
    x.end = now_;
    x.data = r ? dut_->s_axil_rdata : 0;
    x.resp = r ? dut_->s_axil_rresp : dut_->s_axil_bresp;
    x.done = true;
    if (b != (st_.bus[next_bus_].write != 0)) fail("s_axil: the answer of the other channel");
    bus_open_ = bus_took_aw_ = bus_took_w_ = bus_took_ar_ = false;
    progress_ = now_;
    next_bus_++;
  }
#else
  void bus_idle() {}
  void bus_drive() {}
  void bus_sample() {}
#endif

  // the design's counts against what went by: a frame counts some cycles after its last beat
  void count(uint32_t accepted, uint32_t returned) {
#if SIM_COUNTS
    const Counts then = counts_[now_ % kCountLag];
    const auto check = [this](const char* name, uint32_t says, uint64_t is, uint64_t was) {
      if (static_cast<uint32_t>(says - was) > static_cast<uint32_t>(is - was))
        fail(std::string(name) + " " + std::to_string(says) + " after " + std::to_string(is) + " frames, " +
             std::to_string(was) + " of them " + std::to_string(kCountLag) + " cycles ago");
    };
    check("stat_accepted", accepted, accepted_, then.accepted);
    check("stat_returned", returned, returned_, then.returned);
    counts_[now_ % kCountLag] = {accepted_, returned_};
#endif
  }

  // the next write of a table, if it is due
  void table() {
#if SIM_TABLES
    const bool due = next_cfg_ < st_.cfg.size() && st_.cfg[next_cfg_].at <= now_;
    dut_->cfg_we = due;
    if (!due) return;
    const CfgWrite& c = st_.cfg[next_cfg_++];
    dut_->cfg_cluster = c.cluster;
    dut_->cfg_addr = c.addr;
    dut_->cfg_data = c.data;
#endif
  }

  void trace() {
#ifdef SIM_TRACE
    if (trace_) trace_cycle(*dut_, now_, *trace_);
#endif
  }

  void enable(uint32_t i) {
    if (st_.frames[i].arrival <= now_)
      ready_.push_back(i);
    else
      later_.push({st_.frames[i].arrival, i});
  }

  void release(std::vector<uint32_t>& users) {
    for (uint32_t i : users)
      if (!--waiting_[i] && !st_.strict) enable(i);
    users.clear();
  }

  // counts the frames under way of a frame's group; null: it has none
  uint32_t* group(uint32_t i) {
    const int g = st_.frames[i].group;
    return g >= 0 && g < static_cast<int>(in_group_.size()) ? &in_group_[g] : nullptr;
  }

  bool group_full(uint32_t i) {
    const uint32_t* n = group(i);
    if (!n) return false;
    const uint32_t limit = st_.group_limit[st_.frames[i].group];
    return limit && *n >= limit;
  }

  bool may_send(uint32_t i) {
    return !group_full(i) && !(st_.max_in_flight && flying_ >= st_.max_in_flight);
  }

  // the next frame to send, or -1
  int64_t pick() {
    if (now_ < hold_until_) return -1;
    while (!later_.empty() && later_.top().first <= now_) {
      ready_.push_back(later_.top().second);
      later_.pop();
    }
    if (st_.strict) {
      if (next_ >= st_.frames.size()) return -1;
      // what comes behind a clear or a reset waits for it
      while (barrier_ < st_.events.size() && (fired_[barrier_] || st_.events[barrier_].kind > kReset)) barrier_++;
      if (barrier_ < st_.events.size() && next_ >= st_.events[barrier_].skip_to) return -1;
      const Frame& f = st_.frames[next_];
      if (waiting_[next_] || f.arrival > now_ || !may_send(next_)) return -1;
      return next_++;
    }
    std::vector<uint32_t> held;
    int64_t got = -1;
    while (!ready_.empty() && got < 0) {
      uint32_t i = ready_.front();
      ready_.pop_front();
      if (may_send(i))
        got = i;
      else
        held.push_back(i);
      if (held.size() > 64) break;
    }
    ready_.insert(ready_.begin(), held.begin(), held.end());
    return got;
  }

  bool finished() const {
    return left_to_send() == 0 && cur_ < 0 && flying_ == 0 && next_bus_ >= st_.bus.size();
  }
  size_t left_to_send() const { return st_.frames.size() - taken_; }

  void skip_to(uint32_t to) {
    if (!st_.strict) return;
    for (; next_ < to && next_ < st_.frames.size(); next_++) {
      taken_++;
      release(users_sent_[next_]);
      release(users_result_[next_]);
    }
  }

  void give_up() {  // reset: what is in flight will have no result
    for (const auto& [k, q] : open_)
      for (uint32_t i = q.first;; i = behind_[i]) {
        given_up_++;
        release(users_result_[i]);
        if (i == q.second) break;
      }
    open_.clear();
    if (cur_ >= 0) {
      release(users_sent_[cur_]);
      cur_ = -1;
    }
    flying_ = 0;
    cooling_.clear();
    in_group_.assign(in_group_.size(), 0);
    valid_ = false;
  }

  // events that are due
  void events() {
    for (size_t i = 0; i < st_.events.size(); i++) {
      const Event& e = st_.events[i];
      if (fired_[i] || !armed_[i] || now_ < armed_[i]) continue;
      fired_[i] = true;
      event_cycle_[i] = now_;
      progress_ = now_;
      switch (e.kind) {
        case kClear:
          clear_left_ = e.length;
          hold_until_ = now_ + e.length + 8;
          if (cur_ >= 0 && beat_ == 0 && (!valid_ || rng_ev_.next() & 1)) drop();  // offered, not begun
          skip_to(e.skip_to);
          drop_pending_ = cur_ >= 0 && beat_ == 0;
          break;
        case kReset:
          if (cur_ >= 0 && beat_ == 0) drop();
          give_up();
          skip_to(e.skip_to);
          reset(e.length);
          break;
        case kStall:
          stall_left_ = told_stall_ = e.length;
          break;
      }
    }
  }

  // Nothing has been in flight or to be sent for a while: the clock stands until the next arrival, cycle numbers go on.
  // Waves keep their time base, two steps a cycle.
  void skip_idle() {
    const bool idle = !valid_ && cur_ < 0 && flying_ == 0 && cooling_.empty() && ready_.empty() && rx_.empty() &&
                      !st_.strict && st_.events.empty() && stall_left_ == 0 && clear_left_ == 0 && told_stall_ == 0 &&
                      hold_until_ <= now_ && !later_.empty() && dut_->stat_in_flight == 0 &&
                      next_bus_ >= st_.bus.size();
    idle_ = idle ? idle_ + 1 : 0;
    if (idle_ < kIdleCycles || later_.top().first <= now_) return;
#ifdef SIM_WAVES
    time_ += 2 * (later_.top().first - now_);
#endif
    now_ = later_.top().first;
    progress_ = now_;
    idle_ = 0;
  }

  // takes back a frame of which no beat was accepted
  void drop() {
    release(users_sent_[cur_]);
    release(users_result_[cur_]);
    if (uint32_t* n = group(cur_)) --*n;
    cur_ = -1;
    valid_ = false;
  }

  void cycle() {
    events();
    // cooling: a slot is free some cycles after its result has left
    while (!cooling_.empty() && cooling_.front().first <= now_) {
      in_group_[cooling_.front().second]--;
      cooling_.pop_front();
    }
    // drive
    if (!valid_) {
      if (cur_ < 0) {
        cur_ = pick();
        beat_ = 0;
        if (cur_ >= 0) {
          taken_++;
          if (uint32_t* n = group(cur_)) ++*n;
        }
      }
      if (cur_ >= 0 && !rng_in_.chance(st_.gap)) valid_ = true;
    }
    dut_->s_axis_job_tvalid = valid_;
    if (valid_) {
      const Beat& b = st_.frames[cur_].beats[beat_];
      put_bytes(dut_->s_axis_job_tdata, b.data, kBytes);
      dut_->s_axis_job_tkeep = b.keep;
      dut_->s_axis_job_tlast = b.last;
      dut_->s_axis_job_tid = st_.frames[cur_].tid;
    } else {
      dut_->s_axis_job_tlast = 1;  // what else was there stays: none of it means anything
    }
    dut_->clear = clear_left_ > 0;
    if (clear_left_ > 0) clear_left_--;
    if (stall_left_ == 0 && rng_out_.chance(st_.long_stall)) stall_left_ = st_.long_length;
    const bool stall = stall_left_ > 0 || rng_out_.chance(st_.stall);
    if (stall_left_ > 0) stall_left_--;
    dut_->m_axis_result_tready = !stall;
    table();
    bus_drive();
    open_cycle();
    // sample
    bus_sample();
    const bool in_ready = dut_->s_axis_job_tready;
    Out o;
    o.valid = dut_->m_axis_result_tvalid;
    if (o.valid) {
      o.last = dut_->m_axis_result_tlast;
      o.keep = dut_->m_axis_result_tkeep;
      o.dest = dut_->m_axis_result_tdest;
      get_bytes(dut_->m_axis_result_tdata, o.data, kBytes);
    }
    if (static_cast<uint32_t>(dut_->stat_returned + dut_->stat_in_flight) != dut_->stat_accepted)
      fail("accepted " + std::to_string(dut_->stat_accepted) + " != returned " + std::to_string(dut_->stat_returned) +
           " + in flight " + std::to_string(dut_->stat_in_flight));
    count(dut_->stat_accepted, dut_->stat_returned);
    if (stalled_ && !prev_.same(o)) fail("m_axis_result changed while it was stalled");
    stalled_ = o.valid && stall;
    if (stalled_) prev_ = o;
    trace();
    const bool in_fire = valid_ && in_ready;
    const uint64_t t = now_;
    close_cycle();
    if (in_fire) sent_beat(t);
    else if (valid_ && flying_ + (beat_ > 0 ? 1 : 0) < st_.slots && !(beat_ == 0 && clear_left_)) stalled_free_++;
    if (drop_pending_) {
      drop_pending_ = false;
      if (cur_ >= 0 && beat_ == 0 && !in_fire) drop();
    }
    if (o.valid) result_beat(o, !stall, t);
    else if (!rx_.empty()) idle_in_result_++;
    // nothing to do but wait for an arrival is no standstill
    if (cur_ < 0 && flying_ == 0 && (!later_.empty() || (st_.strict && next_ < st_.frames.size() &&
        !waiting_[next_] && st_.frames[next_].arrival > now_))) progress_ = now_;
    if (told_stall_ > 0) {
      told_stall_--;
      progress_ = now_;
    }
  }

  void arm(uint32_t frame, uint32_t beat, uint64_t t) {
    for (size_t i = 0; i < st_.events.size(); i++) {
      const Event& e = st_.events[i];
      if (e.frame == frame && e.beat == beat && !armed_[i]) armed_[i] = t + 1 + e.delay;
    }
  }

  void sent_beat(uint64_t t) {
    const uint32_t i = cur_;
    const Frame& f = st_.frames[i];
    in_beats_++;
    progress_ = now_;
    if (!first_in_) first_in_ = t;
    last_in_ = t;
    Sent& s = sent_[i];
    if (beat_ == 0) {
      s.begun = true;
      s.first = t;
      auto [it, fresh] = open_.try_emplace(Key(f.echo, f.tid), i, i);
      if (!fresh) it->second.second = behind_[it->second.second] = i;
      flying_++;
      if (flying_ > max_in_flight_) max_in_flight_ = flying_;
    }
    if (!st_.events.empty()) arm(i, beat_, t);
    beat_++;
    valid_ = false;
    if (beat_ == f.beats.size()) {
      s.done = true;
      s.last = t;
      accepted_++;
      cur_ = -1;
      release(users_sent_[i]);
    }
  }

  // bytes up to the first that is not kept
  static int kept(const Out& o) { return __builtin_ctz(~static_cast<uint32_t>(o.keep)); }

  void result_beat(const Out& o, bool fire, uint64_t t) {
    if (!offered_) {
      offered_ = true;
      rx_first_ = rx_.empty() ? t : rx_first_;
      const int n = kBytes;
      const int k = kept(o);
      if (o.keep >> k) fail("m_axis_result tkeep has a hole");
      if (!o.last && k != n) fail("m_axis_result tkeep is not full before tlast");
      if (o.last && k == 0) fail("m_axis_result tlast without a byte");
      for (int i = k; i < n; i++)
        if (o.data[i]) fail("m_axis_result byte with tkeep 0 is not 0");
      if (!rx_.empty() && o.dest != rx_dest_) fail("m_axis_result tdest changed inside a frame");
      rx_dest_ = o.dest;
    }
    if (!fire) return;
    offered_ = false;
    out_beats_++;
    progress_ = now_;
    if (!first_out_) first_out_ = t;
    last_out_ = t;
    rx_.insert(rx_.end(), o.data, o.data + kept(o));
    if (rx_.size() > kLongestResult) {  // no length says so: without an end there is no standstill either
      fail("a result frame of more than " + std::to_string(kLongestResult) + " bytes");
      endless_ = true;
    }
    if (!o.last) return;
    returned_++;
    Result r;
    r.frame = -1;
    r.first = rx_first_;
    r.last = t;
    r.tdest = o.dest;
    r.bytes = rx_;
    rx_.clear();  // keeps its room
    if (r.bytes.size() < 16) {
      fail("result frame of " + std::to_string(r.bytes.size()) + " bytes");
    } else {
      uint8_t h[12];
      std::memcpy(h, r.bytes.data(), 8);
      std::memcpy(h + 8, r.bytes.data() + 12, 4);
      auto it = open_.find(Key(h, o.dest));
      if (it == open_.end()) {
        fail("a result that belongs to no frame in flight");
      } else {
        const uint32_t i = it->second.first;
        if (i == it->second.second)
          open_.erase(it);
        else
          it->second.first = behind_[i];
        r.frame = i;
        if (!sent_[i].done) fail("the result of frame " + std::to_string(i) + " comes before its tlast");
        flying_--;
        if (group(i)) cooling_.push_back({now_ + 16, st_.frames[i].group});
        release(users_result_[i]);
      }
    }
    results_.push_back(std::move(r));
  }

  void stuck() {
    std::string s = "no progress for " + std::to_string(now_ - progress_) + " cycles at cycle " + std::to_string(now_) +
                    ": " + std::to_string(left_to_send()) + " frames not begun, " + std::to_string(flying_) +
                    " in flight (the design counts " + std::to_string(dut_->stat_in_flight) + "), s_axis_job tvalid " +
                    std::to_string(valid_) + " tready " + std::to_string(dut_->s_axis_job_tready) +
                    ", m_axis_result tvalid " + std::to_string(dut_->m_axis_result_tvalid);
    if (cur_ >= 0) s += "; sending beat " + std::to_string(beat_) + " of frame " + std::to_string(cur_);
    if (flying_ == 0 && cur_ < 0) s += "; what is left waits for what can't come";
    int n = 0;
    for (const auto& [k, q] : open_)
      for (uint32_t i = q.first;; i = behind_[i]) {
        if (n++ < 16) {
          const uint8_t* e = st_.frames[i].echo;
          s += "; in flight: frame " + std::to_string(i) + " requester " + std::to_string(st_.frames[i].tid) + " cluster " +
               std::to_string(e[1]) + " cmd " + std::to_string(e[2] & 15) + " mode " + std::to_string(e[2] >> 4) + " task " +
               std::to_string(e[4] | e[5] << 8) + " no " + std::to_string(e[6] | e[7] << 8);
        }
        if (i == q.second) break;
      }
    violations_.insert(violations_.begin(), s);
    std::fprintf(stderr, "%s\n", s.c_str());
  }

  using Later = std::pair<uint64_t, uint32_t>;

  Stimulus st_;
  Random rng_in_, rng_out_, rng_ev_;
  std::unique_ptr<VerilatedContext> ctx_;
  std::unique_ptr<Vdut> dut_;
#ifdef SIM_WAVES
  std::unique_ptr<VerilatedFstC> fst_;
  uint64_t time_ = 0;
#endif
#ifdef SIM_TRACE
  std::unique_ptr<Writer> trace_;
#endif
  uint64_t now_ = 0, progress_ = 0;

  std::vector<Sent> sent_;
  std::vector<uint32_t> waiting_;
  std::vector<std::vector<uint32_t>> users_sent_, users_result_;
  // first come, first served: a job's next packet goes behind the other jobs', which is round robin
  std::deque<uint32_t> ready_;
  std::priority_queue<Later, std::vector<Later>, std::greater<Later>> later_;
  size_t next_ = 0, taken_ = 0, next_cfg_ = 0, next_bus_ = 0;
  std::vector<BusAnswer> answers_;
  // an access is under way; its address, data, read address have been taken
  bool bus_open_ = false, bus_took_aw_ = false, bus_took_w_ = false, bus_took_ar_ = false;
  int64_t cur_ = -1;
  size_t beat_ = 0;
  bool valid_ = false;
  // frames in flight, the first and the last of each key; behind_: the next of the same key
  std::unordered_map<Key, std::pair<uint32_t, uint32_t>, KeyHash> open_;
  std::vector<uint32_t> behind_;
  uint64_t flying_ = 0;
  // whole frames taken and results given since reset, and what they were in each of the last cycles
  uint64_t accepted_ = 0, returned_ = 0;
  static constexpr size_t kCountLag = 8;
  struct Counts {
    uint64_t accepted = 0, returned = 0;
  };
  Counts counts_[kCountLag];
  std::vector<uint32_t> in_group_;
  std::deque<std::pair<uint64_t, int>> cooling_;

  std::vector<uint64_t> event_cycle_, armed_;
  std::vector<bool> fired_;
  uint32_t clear_left_ = 0, stall_left_ = 0, told_stall_ = 0;
  uint64_t hold_until_ = 0;
  size_t barrier_ = 0;
  // longer than any core takes, so that the design has come to rest
  static constexpr uint64_t kIdleCycles = 1024;
  uint64_t idle_ = 0;
  bool drop_pending_ = false;

  Out prev_;
  bool stalled_ = false, offered_ = false, endless_ = false;
  std::vector<uint8_t> rx_;
  uint64_t rx_first_ = 0;
  uint32_t rx_dest_ = 0;

  std::vector<Result> results_;
  std::vector<std::string> violations_;
  uint64_t in_beats_ = 0, out_beats_ = 0, stalled_free_ = 0, idle_in_result_ = 0, max_in_flight_ = 0, given_up_ = 0;
  uint64_t first_in_ = 0, last_in_ = 0, first_out_ = 0, last_out_ = 0;
  int64_t cpu_us_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s STIMULUS RESULT [TRACE [WAVES]]\n", argv[0]);
    return 1;
  }
  try {
    const auto file = [&](int i) { return argc > i && argv[i][0] ? argv[i] : nullptr; };
    Bench b(read_stimulus(argv[1]), argc, argv, file(3), file(4));
    const int code = b.run();
    b.write(argv[2]);
    return code;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
