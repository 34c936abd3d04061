// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hwgen/gen/diag"
)

// Options of Run.
type Options struct {
	Packets int // of each sort of random run
	Seed    int64
	Toggles bool     // count toggles too: takes four times as long
	Quick   bool     // compile without optimisation
	Designs []string // of the runs; nil: all
	Note    func(format string, args ...any)
	// change, by tests alone, changes what is generated.
	change func(files map[string][]byte)
}

// Run counts what the runs of all subjects go through.
func Run(ctx context.Context, o Options) (*Report, error) {
	gaps, err := Gaps()
	if err != nil {
		return nil, err
	}
	list := subjects()
	for _, n := range o.Designs {
		if !slices.ContainsFunc(list, func(x subject) bool { return x.name == n }) {
			return nil, diag.Usage("-design %s: there is no such design", n)
		}
	}
	if o.Designs != nil {
		list = slices.DeleteFunc(list, func(x subject) bool { return !slices.Contains(o.Designs, x.name) })
	}
	return run(ctx, o, list, gaps)
}

func run(ctx context.Context, o Options, subjects []subject, gaps *Known) (*Report, error) {
	lib, err := library()
	if err != nil {
		return nil, err
	}
	c := NewCounts()
	heads := map[string]int{}
	var names []string
	for _, x := range subjects {
		d, out, err := x.load()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.name, err)
		}
		for m, text := range lib {
			if b, ok := out["rtl/"+d.Name+strings.TrimPrefix(m, "hwgen")+".v"]; ok {
				heads[m] = strings.Count(string(b), "\n") + 1 - len(text)
			}
		}
		if o.change != nil {
			o.change(out)
		}
		if o.Note != nil {
			o.Note("coverage: %s", x.name)
		}
		top, files := x.built(d, out)
		t, err := elaborated(ctx, &x, top, files)
		if err != nil {
			return nil, err
		}
		c.tree.add(t)
		if err := x.run(ctx, o, top, files, func(f string) error { return c.Add(f, d.Name) }); err != nil {
			return nil, err
		}
		names = append(names, x.name)
	}
	r, err := c.Report(gaps, func(m string) int { return heads[m] })
	if err != nil {
		return nil, err
	}
	r.Designs = names
	return r, nil
}
