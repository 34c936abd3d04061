// SPDX-License-Identifier: Apache-2.0

package design

import "slices"

// watchdogBase is the least that Watchdog gives.
const watchdogBase = 50000

// Watchdog is how many cycles without progress at its ports mean that a design hangs, in simulation. After a reset its
// memories are overwritten, a packet on the slowest core is no progress that one sees, and cores with jitter take longer
// than they say.
func (d *Design) Watchdog() int {
	slowest := 0
	for _, c := range d.Clusters {
		for _, co := range c.Cores {
			slowest = max(slowest, slices.Max(co.Cycles[:]))
		}
	}
	return watchdogBase + 4*d.Slots*d.PktBytes + 4*slowest*d.PktBytes/16
}
