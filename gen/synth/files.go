// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"hwgen/gen/emit"
)

// FilesOf are the Verilog files of an output's rtl folder, and others named, by their names alone.
func FilesOf(out emit.Output, others ...string) map[string][]byte {
	fs := map[string][]byte{}
	for p, b := range out {
		if strings.HasPrefix(p, "rtl/") || slices.Contains(others, p) {
			fs[path.Base(p)] = withoutBanner(b)
		}
	}
	return fs
}

// withoutBanner drops the banner, which names the config's hash: a comment in the config is no reason to synthesise again.
func withoutBanner(b []byte) []byte {
	s := string(b)
	for {
		line, rest, ok := strings.Cut(s, "\n")
		if !ok || !banner.MatchString(line) {
			return []byte(s)
		}
		s = rest
	}
}

// banner is a line of it, in Verilog or in constraints.
var banner = regexp.MustCompile(`^(//|#) (Code generated|Config: |SHA-256: |Command: )`)

// Instance is an instance in a module of the output.
type Instance struct {
	Name   string
	Module string
	Short  string // the module's name, without prefix
}

// InstancesOf are the instances in a module of the output, in the order of its text: cores from 0 on. Names of modules lose
// any of the prefixes.
func InstancesOf(out emit.Output, module string, prefixes ...string) []Instance {
	var ps []Instance
	of := ""
	for _, m := range instances.FindAllStringSubmatch(string(out["rtl/"+module+".v"]), -1) {
		if of = cmp.Or(m[1], m[3], of); m[1] != "" { // the name of the instance comes behind its parameters
			continue
		}
		p := Instance{Name: cmp.Or(m[2], m[4]), Module: of, Short: of}
		for _, prefix := range prefixes {
			if rest, ok := strings.CutPrefix(of, prefix+"_"); ok {
				p.Short = rest
				break
			}
		}
		ps = append(ps, p)
	}
	return ps
}

// instances are the beginnings of instances in the generated modules: a module with parameters, the name of an instance
// behind them, or both in one line.
var instances = regexp.MustCompile(`(?m)^  (?:(\w+) #\(|\) (u_\w+) \(|(\w+) (u_\w+) \()$`)
