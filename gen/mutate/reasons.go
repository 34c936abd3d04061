// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

//go:embed reasons.toml
var reasonsFile []byte

// reason says why a sort of mutants changes nothing that can be seen, where no proof on the netlist tells. Or it names what
// finds them: a proof of the library, which has the same change among its faults, or a test.
type reason struct {
	Module string `toml:"module"`
	Match  string `toml:"match"`  // regular expression on what describe gives
	Cell   string `toml:"cell"`   // likewise on the cell's name, which has its instance; empty: any
	Design string `toml:"design"` // holds in this design alone; empty: in any
	Proof  string `toml:"proof"`  // of tb/formal/proofs.toml ...
	Fault  string `toml:"fault"`  // ... and the name of its fault
	Test   string `toml:"test"`
	Reason string `toml:"reason"`

	re, cell *regexp.Regexp
}

// by is what finds the mutants; empty: nothing can.
func (r *reason) by() string {
	if r.Proof != "" {
		return "proof " + r.Proof
	}
	return r.Test
}

func reasons() ([]reason, error) {
	var f struct {
		Reason []reason `toml:"reason"`
	}
	if err := toml.Unmarshal(reasonsFile, &f); err != nil {
		return nil, fmt.Errorf("reasons.toml: %w", err)
	}
	for i := range f.Reason {
		r := &f.Reason[i]
		if r.Module == "" || r.Match == "" || strings.TrimSpace(r.Reason) == "" || (r.Proof == "") != (r.Fault == "") {
			return nil, fmt.Errorf("reasons.toml: reason %d needs a module, a match, a reason; a proof needs a fault", i+1)
		}
		var err error
		if r.re, err = regexp.Compile(r.Match); err != nil {
			return nil, fmt.Errorf("reasons.toml: reason %d: %w", i+1, err)
		}
		if r.cell, err = regexp.Compile(r.Cell); err != nil {
			return nil, fmt.Errorf("reasons.toml: reason %d: %w", i+1, err)
		}
	}
	return f.Reason, nil
}

// describe is what reasons match: mode, port and bit, the wire's name without its instances, the cell's line.
func (m *Mutant) describe(line string) string {
	s := fmt.Sprintf("%s %s[%d]", m.Mode, m.Port, m.Bit)
	if m.Wire != "" {
		s += " " + path.Base(strings.ReplaceAll(m.Wire, ".", "/"))
	}
	return s + " | " + strings.TrimSpace(line)
}

// reasonFor is the reason for a mutant of a netlist, nil if there is none.
func (x *netlist) reasonFor(m *Mutant, l []reason) *reason {
	var line string
	if _, n, ok := strings.Cut(m.Source, ".v:"); ok {
		lines := strings.Split(string(x.sources["rtl/"+x.d.Name+"_"+m.Module+".v"]), "\n")
		var at int
		if _, err := fmt.Sscan(n, &at); err == nil && at >= 1 && at <= len(lines) {
			line = lines[at-1]
		}
	}
	for i := range l {
		r := &l[i]
		if r.Module == m.Module && (r.Design == "" || r.Design == x.d.Name) && r.cell.MatchString(m.Cell) &&
			r.re.MatchString(m.describe(line)) {
			return r
		}
	}
	return nil
}
