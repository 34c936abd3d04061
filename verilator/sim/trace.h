// SPDX-License-Identifier: Apache-2.0
// The raw trace: a record for each cycle with an event, {cycle, the words of ev}.
#ifndef SIM_TRACE_H
#define SIM_TRACE_H
#include "Vdut.h"
#include "stimulus.h"

template <std::size_t W>
inline void write_words(const VlWide<W>& v, Writer& w) {
  for (std::size_t i = 0; i < W; i++) w.u32(v[i]);
}

inline void trace_cycle(const Vdut& d, uint64_t now, Writer& w) {
  if (!d.ev_any) return;
  w.u64(now);
  write_words(d.ev, w);
}
#endif
