// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"hwgen/gen/regmap"
	"hwgen/gen/sim"
	"hwgen/gen/workload"
)

// registerCuts are the clears or resets of a register run.
const registerCuts = 4

// RegisterRun sends random frames into a design with registers, cut off again and again by an event, while a host drains cores,
// gives them other capacities and weights, takes snapshots, reads every register and asks for some
// that do not exist. It says what is wrong with the results and which accesses had no answer.
func RegisterRun(ctx context.Context, s *sim.Simulator, frames int, seed int64, kind workload.EventKind) ([]string, error) {
	g := workload.NewFrameGen(s.D, seed)
	part := max(frames/(registerCuts+1), 4)
	for range registerCuts {
		g.Restart()
		first := len(g.Frames)
		g.LoadAll()
		g.RandomFrames(part)
		g.Events = append(g.Events, randomCut(g, kind, first+g.Rng.Intn(len(g.Frames)-first)))
	}
	g.Restart()
	g.LoadAll()
	g.RandomFrames(part)
	st := g.Stimulus(seed)
	Stalls(st)
	cycles := 10 * len(st.Frames)
	var err error
	if st.Bus, err = registerWrites(s.D, g.Rng, cycles); err != nil {
		return nil, err
	}
	m, err := regmap.Build(s.D, "registers", "")
	if err != nil {
		return nil, err
	}
	add := func(write bool, addr, data uint32, strobes uint8) {
		st.Bus = append(st.Bus, workload.BusAccess{At: uint64(1 + g.Rng.Intn(cycles)), Write: write, Addr: addr, Data: data, Strobes: strobes})
	}
	words := m.Words()
	for _, w := range words {
		add(false, w.Addr, 0, 0)
		if w.Name == "GLOBAL_CTRL" {
			for range 16 {
				add(true, w.Addr, 1<<g.Rng.Intn(2), 15) // commit, snapshot
			}
		}
		if w.Name == "GLOBAL_IRQ_MASK" || w.Name == "GLOBAL_IRQ_STATUS" {
			for range 8 {
				add(true, w.Addr, g.Rng.Uint32(), uint8(g.Rng.Intn(16)))
			}
		}
	}
	last := words[len(words)-1].Addr
	for range 4 {
		add(true, words[0].Addr, g.Rng.Uint32(), 15)
		add(false, last+4, 0, 0)
		add(true, last+4, 0, 15)
	}
	slices.SortStableFunc(st.Bus, func(a, b workload.BusAccess) int { return cmp.Compare(a.At, b.At) })
	o, err := s.RunFiles(ctx, st, "", "")
	if err != nil {
		return nil, err
	}
	errs := workload.CheckRun(s.D, st, o)
	for i, a := range o.Bus {
		if !a.Done {
			errs = append(errs, fmt.Sprintf("access %d of address %#x has no answer", i, st.Bus[i].Addr))
		}
	}
	return clip(errs), nil
}
