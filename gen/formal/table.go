// SPDX-License-Identifier: Apache-2.0

package formal

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Table is the results for people, a line each.
func Table(rs []Result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\tproof\tkind\tparameters\tmethod\tseconds\t")
	for i := range rs {
		r := &rs[i]
		mark, detail := "ok", r.Detail
		if !r.OK {
			mark = "FAIL"
		}
		if r.Fault != "" {
			detail = r.Fault + ": " + detail
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.1f\t%s\n", mark, r.Proof, r.Kind, r.Params, r.Method, r.Seconds, detail)
	}
	_ = w.Flush() // a strings.Builder takes everything
	return b.String()
}

// Failed counts the results that are not as they should be.
func Failed(rs []Result) int {
	n := 0
	for i := range rs {
		if !rs[i].OK {
			n++
		}
	}
	return n
}

// Markdown is the list of proofs for the documentation.
func Markdown(l *Library, ps []*Proof) string {
	var b strings.Builder
	list := func(title string, items []string) {
		if len(items) > 0 {
			fmt.Fprintf(&b, "- %s:\n", title)
			for _, s := range items {
				fmt.Fprintf(&b, "  - %s\n", s)
			}
		}
	}
	for _, p := range ps {
		fmt.Fprintf(&b, "### %s\n\n", p.Name)
		fmt.Fprintf(&b, "`tb/formal/%s.v`, on `%s`, by %s.\n\n", p.Top, strings.Join(l.Modules(p), "`, `"), methodName[p.Method])
		list("Proved", p.Claims)
		list("Assumed", p.Assumes)
		fmt.Fprintf(&b, "- For: %s", strings.Join(p.Quick, "; "))
		if len(p.Deep) > 0 {
			fmt.Fprintf(&b, "; deep: %s", strings.Join(p.Deep, "; "))
		}
		b.WriteByte('\n')
		var faults []string
		for i := range p.Faults {
			faults = append(faults, p.Faults[i].Name)
		}
		list("Broken by", faults)
		b.WriteByte('\n')
	}
	return b.String()
}

var methodName = map[string]string{Induction: "k-induction", PDR: "pdr"}
