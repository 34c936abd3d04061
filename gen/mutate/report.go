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

// Table is the report as text.
func (r *Report) Table() string {
	var b strings.Builder
	for i := range r.Results {
		x := &r.Results[i]
		if x.Verdict != Killed {
			fmt.Fprintf(&b, "%-10s %s\n    %s %s\n", x.Verdict, x.Mutant.String(), x.Trial, x.Detail)
		}
	}
	fmt.Fprintf(&b, "%d mutants of %s, seed %d: %d killed, %d differ in cycles, %d equivalent, %d survived\n", len(r.Results),
		r.Design, r.Seed, r.Count(Killed), r.Count(Slower), r.Count(Equivalent), r.Count(Survived))
	return b.String()
}
