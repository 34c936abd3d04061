// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package sched

import (
	"testing"
	"time"
)

// cpuTime is the time of the benchmark: Windows counts a process's own in another way.
func cpuTime(b *testing.B) time.Duration { return b.Elapsed() }
