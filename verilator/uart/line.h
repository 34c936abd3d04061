// SPDX-License-Identifier: Apache-2.0
// A serial line to and from a design, bit by bit, a clock of the design at a time: 8 data bits, no parity, 1 stop bit.
#ifndef SIM_LINE_H
#define SIM_LINE_H
#include <cstdint>
#include <deque>

// xorshift*: the same noise on every machine
class Random {
 public:
  explicit Random(uint64_t seed) : s_(seed * 0x9E3779B97F4A7C15ull + 0x1234567887654321ull) {
    if (!s_) s_ = 1;
  }
  uint32_t next() {
    s_ ^= s_ >> 12;
    s_ ^= s_ << 25;
    s_ ^= s_ >> 27;
    return static_cast<uint32_t>((s_ * 0x2545F4914F6CDD1Dull) >> 32);
  }

 private:
  uint64_t s_;
};

// Inverts a line from time to time, for a few bits.
class Noise {
 public:
  // chance: that it begins in a clock, in 2^-32
  Noise(uint64_t seed, uint32_t chance, uint32_t longest) : rng_(seed), chance_(chance), longest_(longest) {}
  bool flips() {
    if (!chance_) return false;
    if (left_) {
      left_--;
      return true;
    }
    if (rng_.next() < chance_) left_ = 1 + rng_.next() % longest_;
    return false;
  }

 private:
  Random rng_;
  uint32_t chance_, longest_, left_ = 0;
};

// Bytes onto a line.
class Sender {
 public:
  bool idle() const { return bit_ < 0 && queue_.empty(); }
  size_t waiting() const { return queue_.size(); }
  void put(uint8_t b) { queue_.push_back(b); }
  // the line's level in a clock; a bit takes clocks of them
  bool level(double clocks) {
    if (bit_ < 0) {
      if (queue_.empty()) return true;
      shift_ = 0x200u | queue_.front() << 1;
      queue_.pop_front();
      bit_ = 0;
      left_ += clocks;  // what the byte before left over belongs to this one
    }
    const bool v = shift_ >> bit_ & 1;
    left_ -= 1;
    if (left_ <= 0) {
      if (++bit_ == 10) {
        bit_ = -1;
        if (queue_.empty()) left_ = 0;
      } else {
        left_ += clocks;
      }
    }
    return v;
  }

 private:
  std::deque<uint8_t> queue_;
  uint32_t shift_ = 0;
  int bit_ = -1;
  double left_ = 0;
};

// Bytes off a line. Without a stop bit it gives what a serial port gives of a break: the byte all the same.
class Receiver {
 public:
  bool idle() const { return bit_ < 0; }
  // takes the level of a clock; true if a byte is there
  bool sample(bool level, double clocks, uint8_t* byte) {
    bool got = false;
    if (bit_ < 0) {
      if (before_ && !level) {
        bit_ = 0;
        left_ = clocks / 2;
        shift_ = 0;
      }
    } else if ((left_ -= 1) <= 0) {
      left_ += clocks;
      if (bit_ == 0 && level) {
        bit_ = -1;  // no start bit
      } else if (bit_ == 9) {
        *byte = static_cast<uint8_t>(shift_);
        got = true;
        bit_ = -1;
      } else {
        if (bit_ > 0) shift_ |= static_cast<uint32_t>(level) << (bit_ - 1);
        bit_++;
      }
    }
    before_ = level;
    return got;
  }

 private:
  bool before_ = true;
  int bit_ = -1;
  double left_ = 0;
  uint32_t shift_ = 0;
};
#endif
