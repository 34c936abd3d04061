// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"fmt"
	"strings"
)

// Count of mutants with a verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Verdict == v {
			n++
		}
	}
	return n
}

// CountBy is how many of a verdict a check has found.
func (r *Report) CountBy(v Verdict, by string) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Verdict == v && r.Results[i].By == by {
			n++
		}
	}
	return n
}

// Table is the report as text.
func (r *Report) Table() string {
	var b strings.Builder
	for i := range r.Results {
		x := &r.Results[i]
		if x.Verdict != Killed {
			fmt.Fprintf(&b, "%-10s %s\n    %s %s\n", x.Verdict, x.Mutant.String(), x.Trial, x.Detail)
		}
	}
	fmt.Fprintf(&b, "%d mutants of %s, seed %d: %d killed (results %d, monitors %d, model %d, replay %d), %d found by proofs and other tests, "+
		"%d differ in cycles, %d equivalent (netlist %d, proof %d, in the states that are reached %d, reason %d), %d survived\n", len(r.Results), r.Design, r.Seed,
		r.Count(Killed), r.CountBy(Killed, "results"), r.CountBy(Killed, "monitors"), r.CountBy(Killed, "model"),
		r.CountBy(Killed, "replay")+r.CountBy(Killed, "trace"), r.Count(Elsewhere), r.Count(Slower), r.Count(Equivalent),
		r.CountBy(Equivalent, "netlist"), r.CountBy(Equivalent, "proof"), r.CountBy(Equivalent, "reached"),
		r.CountBy(Equivalent, "reason"), r.Count(Survived))
	if all := len(r.Results) - r.Count(Equivalent); all > 0 {
		fmt.Fprintf(&b, "of the %d not equivalent these runs kill %.1f %%, all tests %.1f %%\n", all,
			100*float64(r.Count(Killed))/float64(all), 100*float64(r.Count(Killed)+r.Count(Elsewhere))/float64(all))
	}
	return b.String()
}
