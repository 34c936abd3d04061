// SPDX-License-Identifier: Apache-2.0

// Package formal proves properties of the RTL library with Yosys and ABC. A proof is a wrapper in tb/formal that holds a
// module, assumptions on its neighbours, and what is claimed; tb/formal/proofs.toml lists the proofs with their
// parameters and the faults that have to break them.
package formal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"hwgen/gen/tool"
	"hwgen/rtl"
	"hwgen/tb/formal"
)

// ABC is the model checker, as Yosys packages it.
var ABC = tool.Tool{Name: "yosys-abc", Package: "yosys", Version: []string{"-c", "version"}}

// Methods of a proof, all without a bound on the number of cycles.
const (
	// Induction is k-induction, k up to the proof's K: bounded model checking from reset, then the inductive step.
	Induction = "induction"
	// PDR is property-directed reachability: ABC finds the invariant.
	PDR = "pdr"
)

// Claim begins the names of the properties that a proof is for. Those of others (i_: invariants that make an induction go
// through) are proved as well, but do not count where a fault has to be seen.
const Claim = "a_"

// DefaultK is the longest induction that is tried where a proof does not say.
const DefaultK = 8

// Proof is a wrapper with what it is proved for.
type Proof struct {
	Name    string   `toml:"name"`
	Top     string   `toml:"top"`     // the wrapper, tb/formal/<top>.v
	Method  string   `toml:"method"`  // Induction or PDR
	Claims  []string `toml:"claims"`  // what is proved, a sentence each
	Assumes []string `toml:"assumes"` // of the neighbours, and who keeps it
	Quick   []string `toml:"quick"`   // sets of parameters, A=1 B=2, proved by `make test` ...
	Deep    []string `toml:"deep"`    // ... and those proved by `make formal-deep` only
	Cover   string   `toml:"cover"`   // the set with which every cover is reached; default: the first one
	Frames  int      `toml:"frames"`  // cycles within which a cover is reached and a fault found; default 24
	K       int      `toml:"k"`       // longest induction that is tried; default DefaultK
	RAM     bool     `toml:"ram"`     // true: hwgen_ram itself; else its contract, fv_ram
	FIFO    bool     `toml:"fifo"`    // true: a FIFO's contract, fv_fifo or fv_async_fifo; else the FIFO itself
	Clocks  bool     `toml:"clocks"`  // true: several clocks, which the wrapper makes of steps (gclk); else one, clk
	Faults  []Fault  `toml:"fault"`
}

// Fault is a mistake put into the RTL: the first text is replaced by the second. It must break a claim.
type Fault struct {
	Name   string `toml:"name"`
	File   string `toml:"file"` // <file>.v of the library
	Old    string `toml:"old"`  // occurs exactly once
	New    string `toml:"new"`
	Params string `toml:"params"` // default: as for the covers
	Breaks string `toml:"breaks"` // the claim that has to fail, alone; default: any
}

// CoverParams is the set of parameters for the covers.
func (p *Proof) CoverParams() string {
	if p.Cover != "" {
		return p.Cover
	}
	return p.Quick[0]
}

// FaultParams is the set of parameters for a fault.
func (p *Proof) FaultParams(f *Fault) string {
	if f.Params != "" {
		return f.Params
	}
	return p.CoverParams()
}

// Depth is the number of cycles within which covers are reached and faults found.
func (p *Proof) Depth() int {
	if p.Frames > 0 {
		return p.Frames
	}
	return 24
}

// MaxK is the longest induction that is tried.
func (p *Proof) MaxK() int {
	if p.K > 0 {
		return p.K
	}
	return DefaultK
}

var paramSet = regexp.MustCompile(`^[A-Z][A-Z0-9_]*=[0-9]+( [A-Z][A-Z0-9_]*=[0-9]+)*$`)

// Library is the Verilog that proofs are made of: the library's modules, and wrappers and property modules.
type Library struct {
	RTL    map[string]string // module name -> text
	Formal map[string]string // likewise
}

func readModules(fsys fs.FS) (map[string]string, error) {
	out := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".v" {
			return err
		}
		b, err := fs.ReadFile(fsys, p)
		out[strings.TrimSuffix(path.Base(p), ".v")] = string(b)
		return err
	})
	return out, err
}

// Load reads the library and the list of proofs that are part of hwgen.
func Load() (*Library, []*Proof, error) {
	var l Library
	var err error
	if l.RTL, err = readModules(rtl.FS); err != nil {
		return nil, nil, err
	}
	if l.Formal, err = readModules(formal.FS); err != nil {
		return nil, nil, err
	}
	b, err := formal.FS.ReadFile("proofs.toml")
	if err != nil {
		return nil, nil, err
	}
	ps, err := l.Parse(b)
	return &l, ps, err
}

// Parse reads a list of proofs and checks it against the library.
func (l *Library) Parse(b []byte) ([]*Proof, error) {
	var list struct {
		Proofs []*Proof `toml:"proof"`
	}
	if err := toml.NewDecoder(bytes.NewReader(b)).DisallowUnknownFields().Decode(&list); err != nil {
		var strict *toml.StrictMissingError
		if errors.As(err, &strict) {
			return nil, fmt.Errorf("proofs.toml:\n%s", strict.String())
		}
		return nil, fmt.Errorf("proofs.toml: %w", err)
	}
	seen := map[string]bool{}
	for _, p := range list.Proofs {
		bad := func(format string, args ...any) error {
			return fmt.Errorf("proofs.toml: proof %q: %s", p.Name, fmt.Sprintf(format, args...))
		}
		sets := slices.Concat(p.Quick, p.Deep)
		if p.Cover != "" {
			sets = append(sets, p.Cover)
		}
		switch {
		case p.Name == "" || seen[p.Name]:
			return nil, bad("a name of its own is needed")
		case l.Formal[p.Top] == "":
			return nil, bad("there is no tb/formal/%s.v", p.Top)
		case p.Method != Induction && p.Method != PDR:
			return nil, bad("method %q: must be %s or %s", p.Method, Induction, PDR)
		case len(p.Claims) == 0 || len(p.Quick) == 0 || len(p.Faults) == 0:
			return nil, bad("claims, quick and a fault are needed")
		}
		seen[p.Name] = true
		for i := range p.Faults {
			f := &p.Faults[i]
			if n := strings.Count(l.RTL[f.File], f.Old); n != 1 || f.Old == f.New {
				return nil, bad("fault %q: its text occurs %d times in %s.v, must be once", f.Name, n, f.File)
			}
			if f.Params != "" {
				sets = append(sets, f.Params)
			}
		}
		for _, s := range sets {
			if !paramSet.MatchString(s) {
				return nil, bad("parameters %q: must be like A=1 B=2", s)
			}
		}
	}
	return list.Proofs, nil
}

var (
	identifier = regexp.MustCompile(`\b(?:hwgen|fv)_\w+`)
	comment    = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)
	ramName    = regexp.MustCompile(`\bhwgen_ram\b`)
	fifoName   = regexp.MustCompile(`\bhwgen_((?:async_)?fifo)\b`)
)

// closure are the texts of a module and of what it instantiates, by module name; rtl may change a text of the library.
func (l *Library) closure(top string, rtl func(name, text string) string) map[string]string {
	out := map[string]string{}
	open := []string{top}
	for len(open) > 0 {
		name := open[0]
		open = open[1:]
		if out[name] != "" {
			continue
		}
		text := l.Formal[name]
		if text == "" {
			if text = l.RTL[name]; text == "" {
				continue // no module of that name: a label, a function, the error of a bad parameter
			}
			text = rtl(name, text)
		}
		out[name] = text
		open = append(open, identifier.FindAllString(comment.ReplaceAllString(text, ""), -1)...)
	}
	return out
}

// Sources are the texts that a proof needs by module name, with a fault put in if there is one.
func (l *Library) Sources(p *Proof, f *Fault) map[string]string {
	return l.closure(p.Top, func(name, text string) string {
		if f != nil && f.File == name {
			text = strings.Replace(text, f.Old, f.New, 1)
		}
		if !p.RAM {
			text = ramName.ReplaceAllString(text, "fv_ram")
		}
		if p.FIFO {
			text = fifoName.ReplaceAllString(text, "fv_$1")
		}
		return text
	})
}

// Modules are the library's modules that a proof contains, sorted.
func (l *Library) Modules(p *Proof) []string {
	var out []string
	for name := range l.Sources(p, nil) {
		if l.RTL[name] != "" {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}
