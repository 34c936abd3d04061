// SPDX-License-Identifier: Apache-2.0

// Package paper repeats the experiments of the two papers that the scheduler comes from, and the comparison of policies
// over 36 regimes, on random draws through the model of package sched.
//
// Paper 1: Li Li et al., a load-balancing scheduling algorithm for random cross job-stream cipher services, Journal on
// Communications 39(6), 2018; its figures 6 to 12. Paper 2: Zhou Yuan et al., a middleware-based load-balancing
// mechanism for cloud computing; its figures 5 and 6. Times are in the papers' units.
//
// Each draw has a random generator of its own, seeded by the experiment, the seed and the draw's number: results depend
// on these alone, not on the order or the parallelism of the runs.
package paper

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/stat"
)

// Options of a run.
type Options struct {
	Seed     uint64
	Draws    int                   // of each setting; 0: 60 of regimes and 30 of figures
	Workers  int                   // runs at a time; 0: as many as there are CPUs
	Progress func(done, total int) // optional; called by one goroutine at a time
	Note     func(format string, args ...any)
}

// runner runs draws in parallel.
type runner struct {
	ctx         context.Context
	opt         Options
	mu          sync.Mutex
	done, total int
}

func newRunner(ctx context.Context, opt Options, total int) *runner {
	if opt.Workers < 1 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	return &runner{ctx: ctx, opt: opt, total: total}
}

// each calls f for 0 to n-1, several at a time, and stops at the first that fails.
func (r *runner) each(n int, f func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var failed atomic.Bool
	var wg sync.WaitGroup
	for range min(r.opt.Workers, n) {
		wg.Go(func() {
			for i := range next {
				if errs[i] = f(i); errs[i] != nil {
					failed.Store(true)
				}
				r.step()
			}
		})
	}
	for i := range n {
		if r.ctx.Err() != nil || failed.Load() {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if err := r.ctx.Err(); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) step() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.opt.Progress != nil {
		r.opt.Progress(r.done, r.total)
	}
}

// Sample is what one quantity was over the draws.
type Sample struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"` // between draws
	Max  float64 `json:"max"`
	N    int     `json:"draws"`
}

func sample(x []float64) Sample {
	s := Sample{N: len(x)}
	if len(x) == 0 {
		return s
	}
	s.Mean = stat.Mean(x, nil)
	if len(x) > 1 {
		s.SD = stat.StdDev(x, nil)
	}
	s.Max = slices.Max(x)
	return s
}
