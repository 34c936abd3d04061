// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// A wheel gives what a heap gives, whatever lies between the times.
func TestWheel(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, far := range []int64{3, 100, 3 * wheelSpan} {
		w, h := newWheel(), heap{}
		now := int64(0)
		for i := range 100000 {
			if h.len() == 0 || r.Intn(20) < 11 && h.len() < 200 {
				at := now + r.Int63n(far)
				if r.Intn(1000) == 0 {
					at += 100 * wheelSpan
				}
				w.push(at, int32(i))
				h.push(at, int32(i))
				continue
			}
			require.Equal(t, h.len(), w.len())
			require.Equal(t, h.least(), w.least())
			now = h.pop().at
			require.Equal(t, now, w.pop().at)
		}
	}
}

// A calendar grants no cycle twice, none before it is asked for, and as many as are asked for.
func TestCalendar(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var c calendar
	taken := map[int64]bool{}
	now := int64(0)
	for range 20000 {
		now += r.Int63n(12)
		c.move(now)
		at, n := now+r.Int63n(300), 1+r.Int63n(8)
		first, end := never, at
		for left := n; left > 0; end++ {
			if !taken[end] {
				taken[end] = true
				first = min(first, end)
				left--
			}
		}
		if r.Intn(2) == 0 {
			require.Equal(t, end, c.reserve(at, n), "%d cycles from %d on", n, at)
		} else {
			require.Equal(t, first+n, c.hold(at, n), "%d cycles in a row from %d on", n, at)
		}
	}
	require.Equal(t, now+10*calendarSpan+3, c.reserve(now+10*calendarSpan, 3), "too late to be kept")
}
