// SPDX-License-Identifier: Apache-2.0

// Package coverage says which lines of the RTL library the runs of hwgen verify go through and which bits they toggle,
// counted by Verilator over several designs. A line that no run reaches needs a reason, or it is an error.
package coverage

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// place is a line of a library module, named without the design's prefix.
type place struct {
	module string
	line   int
}

// Counts are the sums of many runs, over all designs and instances.
type Counts struct {
	lines   map[place]uint64
	toggles map[toggle]uint64
	tree    *tree // of all designs
}

// leastChanges of a bit in a run: what is compared with at first, and what is there before reset, are drawn at random, so that
// a bit that is always the same may seem to change twice.
const leastChanges = 3

// toggle is a bit of a signal.
type toggle struct {
	module, bit string // data_q[3], and mem[5][3] in a memory
}

// NewCounts has seen nothing.
func NewCounts() *Counts {
	return &Counts{lines: map[place]uint64{}, toggles: map[toggle]uint64{}, tree: newTree()}
}

// Add adds the counts of a run of a design: a file of Verilator.
func (c *Counts) Add(file, design string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(make([]byte, 1<<16), 1<<20)
	for n := 1; in.Scan(); n++ {
		if err := c.add(in.Text(), design); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return in.Err()
}

// add takes a line: C '\x01key\x02value...' count.
func (c *Counts) add(s, design string) error {
	if !strings.HasPrefix(s, "C '") {
		return nil
	}
	end := strings.LastIndex(s, "' ")
	if end < 3 {
		return fmt.Errorf("no count: %.80q", s)
	}
	count, err := strconv.ParseUint(s[end+2:], 10, 64)
	if err != nil {
		return fmt.Errorf("no count: %w", err)
	}
	var file, comment, kind, lines, at string
	for field := range strings.SplitSeq(s[3:end], "\x01") {
		key, value, _ := strings.Cut(field, "\x02")
		switch key {
		case "f":
			file = value
		case "l":
			at = value
		case "o":
			comment = value
		case "page":
			kind, _, _ = strings.Cut(value, "/")
		case "S":
			lines = value
		}
	}
	name, ok := strings.CutPrefix(path.Base(file), design+"_")
	if path.Dir(file) != "rtl" || !ok {
		return nil // a bench, or a core of the user's own
	}
	module := "hwgen_" + strings.TrimSuffix(name, ".v")
	if strings.HasPrefix(kind, "v_toggle") {
		if count < leastChanges {
			count = 0
		}
		c.toggles[toggle{module, comment}] += count
		return nil
	}
	if lines == "" {
		lines = at
	}
	// the lines of a block: 3,5-7
	for r := range strings.SplitSeq(lines, ",") {
		a, b, ok := strings.Cut(r, "-")
		if !ok {
			b = a
		}
		from, err := strconv.Atoi(a)
		if err != nil {
			return fmt.Errorf("lines %q: %w", lines, err)
		}
		to, err := strconv.Atoi(b)
		if err != nil {
			return fmt.Errorf("lines %q: %w", lines, err)
		}
		for l := from; l <= to; l++ {
			c.lines[place{module, l}] += count
		}
	}
	return nil
}

// modules that were seen, sorted.
func (c *Counts) modules() []string {
	set := map[string]bool{}
	for p := range c.lines {
		set[p.module] = true
	}
	for t := range c.toggles {
		set[t.module] = true
	}
	return slices.Sorted(maps.Keys(set))
}
