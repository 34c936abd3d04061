// SPDX-License-Identifier: Apache-2.0

package sched

import "fmt"

// watch finds out when a run goes round without end. Whoever waits in a run with a design's timing waits for something that
// moves: a block in a core, a word, a key. If for longer than a block can take nothing has moved, or if steps that take no
// time have no end, the model is at fault, and says so.
type watch struct {
	moved int64 // when something moved last
	limit int64 // cycles
	at    int64 // the last step's time
	steps int   // since it is that
	fault error
}

const (
	// cycles that anything but a block in a core may take: the sweep of a key, the turns of all lanes at a port
	patience = 1 << 16
	// far more than the lanes of a design can do in a cycle
	stepsAtOnce = 1 << 20
)

func newWatch(cfg *Config) watch {
	w := watch{moved: past, at: past, limit: patience}
	for i := range cfg.Clusters {
		for _, t := range cfg.Clusters[i].Time {
			for _, n := range t {
				w.limit = max(w.limit, 2*n+patience)
			}
		}
	}
	return w
}

// moves notes that something has moved.
func (w *watch) moves(at int64) { w.moved = max(w.moved, at) }

// step notes a step; false: there have been too many.
func (w *watch) step(at int64) bool {
	if at != w.at {
		w.at, w.steps = at, 0
		return w.fault == nil
	}
	if w.steps++; w.steps > stepsAtOnce && w.fault == nil {
		w.fault = fmt.Errorf("the model stands still in cycle %d; this is a fault of the model", at)
	}
	return w.fault == nil
}

// waits notes that somebody still waits.
func (w *watch) waits(at int64) error {
	if at-w.moved > w.limit && w.fault == nil {
		w.fault = fmt.Errorf("nothing moves from cycle %d to %d; this is a fault of the model", w.moved, at)
	}
	return w.fault
}
