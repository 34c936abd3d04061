// SPDX-License-Identifier: Apache-2.0
// Ports of a Verilated model as bytes, whatever their width. Byte 0 is bits 7:0.
#ifndef SIM_PORT_H
#define SIM_PORT_H
#include <cstdint>
#include <cstring>

#include "verilated.h"

template <typename T>
inline void put_bytes(T& port, const uint8_t* p, int n) {
  T v = 0;
  std::memcpy(&v, p, n);
  port = v;
}

template <std::size_t W>
inline void put_bytes(VlWide<W>& port, const uint8_t* p, int) {
  for (std::size_t i = 0; i < W; i++) {
    uint32_t v;
    std::memcpy(&v, p + 4 * i, 4);
    port[i] = v;
  }
}

template <typename T>
inline void get_bytes(const T& port, uint8_t* p, int n) {
  std::memcpy(p, &port, n);
}

template <std::size_t W>
inline void get_bytes(const VlWide<W>& port, uint8_t* p, int) {
  for (std::size_t i = 0; i < W; i++) {
    uint32_t v = port[i];
    std::memcpy(p + 4 * i, &v, 4);
  }
}
#endif
