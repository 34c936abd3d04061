// SPDX-License-Identifier: Apache-2.0
// The stimulus file and the result file: little-endian binary, written and read by hwgen (gen/sim/wire.go).
#ifndef SIM_STIMULUS_H
#define SIM_STIMULUS_H
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "config.h"

constexpr int kBytes = SIM_DATA_W / 8;
constexpr uint32_t kStimulusMagic = 0x53475748;  // "HWGS"
constexpr uint32_t kResultMagic = 0x52475748;    // "HWGR"
constexpr uint32_t kVersion = 4;

struct Beat {
  uint16_t keep;
  bool last;
  uint8_t data[kBytes];
};

struct Frame {
  uint64_t arrival;
  uint32_t tid;
  int32_t group;
  uint8_t echo[12];  // what its result carries of the header
  std::vector<uint32_t> after_sent, after_result;
  std::vector<Beat> beats;
};

enum EventKind : uint32_t { kClear = 0, kReset = 1, kStall = 2 };

struct Event {
  uint32_t kind, frame, beat, delay, length, skip_to;
};

struct CfgWrite {
  uint64_t at;  // cycle before which it is not done; 0: before the first frame
  uint32_t cluster, addr, data;
};

// a read or write of a register, not before a cycle and a number of results
struct BusAccess {
  uint64_t at;
  uint32_t results, write, addr, data, strobes;
};

struct BusAnswer {
  uint64_t begin = 0, end = 0;
  uint32_t data = 0, resp = 0;
  bool done = false;
};

struct Stimulus {
  uint32_t slots;  // packet slots of the design
  uint64_t seed, watchdog;
  bool strict;
  uint32_t gap, stall, long_stall, long_length, max_in_flight;  // probabilities as parts of 2^32
  std::vector<uint32_t> group_limit;
  std::vector<CfgWrite> cfg;
  std::vector<BusAccess> bus;
  std::vector<Event> events;
  std::vector<Frame> frames;
};

struct Result {
  int32_t frame;
  uint64_t first, last;
  uint32_t tdest;
  std::vector<uint8_t> bytes;
};

struct Sent {
  bool begun = false, done = false;
  uint64_t first = 0, last = 0;
};

class Reader {
 public:
  explicit Reader(const std::string& name) {
    FILE* f = std::fopen(name.c_str(), "rb");
    if (!f) throw std::runtime_error("cannot open " + name);
    std::fseek(f, 0, SEEK_END);
    buf_.resize(std::ftell(f));
    std::fseek(f, 0, SEEK_SET);
    if (std::fread(buf_.data(), 1, buf_.size(), f) != buf_.size()) throw std::runtime_error("cannot read " + name);
    std::fclose(f);
  }
  void raw(void* p, size_t n) {
    if (at_ + n > buf_.size()) throw std::runtime_error("the stimulus file ends too early");
    std::memcpy(p, buf_.data() + at_, n);
    at_ += n;
  }
  uint32_t u32() {
    uint32_t v;
    raw(&v, 4);
    return v;
  }
  uint64_t u64() {
    uint64_t v;
    raw(&v, 8);
    return v;
  }

 private:
  std::vector<uint8_t> buf_;
  size_t at_ = 0;
};

inline Stimulus read_stimulus(const std::string& name) {
  Reader r(name);
  Stimulus s;
  if (r.u32() != kStimulusMagic || r.u32() != kVersion) throw std::runtime_error(name + " is no stimulus file");
  if (r.u32() != SIM_DATA_W) throw std::runtime_error(name + " is for another stream width");
  s.slots = r.u32();
  s.seed = r.u64();
  s.watchdog = r.u64();
  s.strict = r.u32() != 0;
  s.gap = r.u32();
  s.stall = r.u32();
  s.long_stall = r.u32();
  s.long_length = r.u32();
  s.max_in_flight = r.u32();
  s.group_limit.resize(r.u32());
  for (auto& g : s.group_limit) g = r.u32();
  s.cfg.resize(r.u32());
  for (auto& c : s.cfg) c = {r.u64(), r.u32(), r.u32(), r.u32()};
  s.bus.resize(r.u32());
  for (auto& a : s.bus) a = {r.u64(), r.u32(), r.u32(), r.u32(), r.u32(), r.u32()};
  s.events.resize(r.u32());
  for (auto& e : s.events) e = {r.u32(), r.u32(), r.u32(), r.u32(), r.u32(), r.u32()};
  s.frames.resize(r.u32());
  for (auto& f : s.frames) {
    f.arrival = r.u64();
    f.tid = r.u32();
    f.group = static_cast<int32_t>(r.u32());
    r.raw(f.echo, sizeof f.echo);
    f.after_sent.resize(r.u32());
    for (auto& i : f.after_sent) i = r.u32();
    f.after_result.resize(r.u32());
    for (auto& i : f.after_result) i = r.u32();
    f.beats.resize(r.u32());
    for (auto& b : f.beats) {
      uint32_t w = r.u32();
      b.keep = static_cast<uint16_t>(w);
      b.last = (w >> 16) & 1;
      r.raw(b.data, kBytes);
    }
  }
  return s;
}

class Writer {
 public:
  explicit Writer(const std::string& name) : f_(std::fopen(name.c_str(), "wb")) {
    if (!f_) throw std::runtime_error("cannot write " + name);
  }
  ~Writer() {
    if (f_) std::fclose(f_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  void raw(const void* p, size_t n) {
    if (n && std::fwrite(p, 1, n, f_) != n) throw std::runtime_error("cannot write the result file");
  }
  void u32(uint32_t v) { raw(&v, 4); }
  void u64(uint64_t v) { raw(&v, 8); }

 private:
  FILE* f_;
};
#endif
