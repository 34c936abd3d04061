// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"hwgen/gen/diag"
	"hwgen/gen/part"
	"hwgen/gen/verilog"
)

// validate checks what needs more than one value, and fills in the defaults that depend on others.
func (d *decoder) validate(c *Config) {
	d.design(c)
	d.scheduler(c)
	if t := c.Synth.Target; t.Set && !t.Bad {
		if _, err := part.Find(t.V); err != nil {
			d.errs.Add(t.Pos, "", "%s", err)
		}
	}
	switch n := len(c.Clusters); {
	case n == 0:
		if len(d.errs) == 0 || !d.has("cluster") {
			d.errs.Add(diag.Pos{File: c.File, Line: 1, Col: 1}, `add [[cluster]] with algorithm = "aes128", "aes256" or "sm4"`,
				"the design has no cluster")
		}
	case n > MaxClusters:
		d.errs.Add(c.Clusters[MaxClusters].Pos, fmt.Sprintf("at most %d", MaxClusters), "%d clusters", n)
	}
	names := map[string]*Cluster{}
	mods := map[string]*Core{}
	for i := range c.Clusters {
		cl := &c.Clusters[i]
		badAlgorithm := cl.Algorithm.Bad
		d.algorithm(cl)
		d.queues(c, cl)
		for j := range cl.Cores {
			co := &cl.Cores[j]
			if co.External() {
				d.external(c, co, mods)
			} else {
				d.builtin(cl, co, badAlgorithm)
			}
		}
		d.coreCount(cl)
		// a core whose cycles are missing or wrong has its own message
		if !slices.ContainsFunc(cl.Cores, func(co Core) bool {
			return !co.External() || co.Cycles[0].Set || co.badCycles || !co.hasCycles()
		}) {
			d.errs.Add(cl.Cores[0].Module.Pos, "add encrypt to its cycles, or another core", "no core of the cluster encrypts, which prepares the keys")
		}
		if cl.Name.Set && !cl.Name.Bad {
			d.clusterName(c, cl, names)
		}
	}
	for i := range c.Clusters { // defaults last, so that they give way to names chosen
		if cl := &c.Clusters[i]; !cl.Name.Set {
			base := cl.Algorithm.V
			name := base
			for n := i; names[strings.ToLower(name)] != nil; n++ {
				name = fmt.Sprintf("%s_%d", base, n)
			}
			cl.Name.V = name
			names[name] = cl
		}
	}
	d.packetHoldsKey(c)
	d.checkBoard(c)
	d.checkHost(c)
	d.checkLinkName(c)
	d.checkClocks(c)
}

// has says whether some message so far is about a word, or about one that it was taken for.
func (d *decoder) has(word string) bool {
	return slices.ContainsFunc(d.errs, func(e *diag.Error) bool {
		return strings.Contains(e.Msg, word) || strings.Contains(e.Hint, fmt.Sprintf("did you mean %q?", word))
	})
}

func (d *decoder) design(c *Config) {
	n := c.Design.Name
	if msg, hint := checkName(n.V); n.Set && msg != "" {
		d.errs.Add(n.Pos, hint, "design name: %s", msg)
	}
	if l := &c.Design.Library; !l.Set {
		l.V = n.V
	} else if msg, hint := checkName(l.V); msg != "" {
		d.errs.Add(l.Pos, hint, "library: %s", msg)
	}
	if w := c.Design.DataWidth; !slices.Contains([]int{32, 64, 128}, w.V) {
		d.errs.Add(w.Pos, widthHint, "data_width is %d", w.V)
	}
	switch p := c.Design.PacketBytes; {
	case p.V < 16 || p.V > MaxPacketBytes:
		d.errs.Add(p.Pos, packetHint, "packet_bytes is %d", p.V)
	case p.V%16 != 0:
		d.errs.Add(p.Pos, fmt.Sprintf("the nearest are %d and %d", p.V/16*16, min(p.V/16*16+16, MaxPacketBytes)),
			"packet_bytes is %d, no multiple of 16", p.V)
	}
}

// checkLinkName sees that the design's registers are not named like the library's module linkModule, which a host link
// with registers has. No other module that is written for a design ends like one of the library.
func (d *decoder) checkLinkName(c *Config) {
	n, l := c.Design.Name, c.Design.Library
	if c.Host.Given && c.Control.Axil.V && strings.EqualFold(n.V+"_regs", l.V+"_"+linkModule) {
		d.errs.Add(n.Pos, "give the design or its library another name", "design name %q with library %q: both have a module %s_regs",
			n.V, l.V, n.V)
	}
}

const linkModule = "link_regs"

func (d *decoder) scheduler(c *Config) {
	s := &c.Scheduler
	p, ok := PolicyByName(s.Policy.V)
	switch {
	case s.Policy.Bad || ok:
	case slices.Contains(reservedPolicies, s.Policy.V):
		d.errs.Add(s.Policy.Pos, "allowed: "+strings.Join(PolicyNames(), ", "), "policy %q is not available in this release", s.Policy.V)
	default:
		d.errs.Add(s.Policy.Pos, diag.Allowed(s.Policy.V, PolicyNames()), "unknown policy %q", s.Policy.V)
	}
	if slices.Contains(p.Keys, "beta") && s.Alpha.V == 0 && s.Beta.V == 0 {
		d.errs.Add(s.Beta.Pos, "one of them must be above 0", "alpha and beta are both 0")
	}
	d.within(s.WaitQueue, "wait_queue", c)
}

// within checks that a queue given in the file is no larger than the packet buffer.
func (d *decoder) within(q Value[int], what string, c *Config) {
	if slots := c.Design.Slots.V; !c.Design.Slots.Bad && q.Set && q.V > slots {
		d.errs.Add(q.Pos, fmt.Sprintf("at most slots = %d", slots), "%s is %d, larger than the packet buffer", what, q.V)
	}
}

// algorithm finds a cluster's algorithm if only its cores tell it, and gives an empty cluster a core.
func (d *decoder) algorithm(cl *Cluster) {
	if !cl.Algorithm.Set || cl.Algorithm.Bad {
		cl.Algorithm.V = Algorithms[0].Name
		for _, co := range cl.Cores {
			if k, ok := KindByName(co.Kind.V); ok {
				cl.Algorithm.V = k.Algorithm
				break
			}
		}
	}
	if len(cl.Cores) == 0 {
		cl.Cores = []Core{{Pos: cl.Pos, Kind: Value[string]{Pos: cl.Pos}, Count: Value[int]{V: 1, Pos: cl.Pos},
			Queue: Value[int]{Pos: cl.Pos}, Decrypt: Value[bool]{V: true, Pos: cl.Pos},
			DecryptKey: Value[string]{V: "original", Pos: cl.Pos}}}
	}
}

func (d *decoder) queues(c *Config, cl *Cluster) {
	d.within(cl.Queue, "the cluster queue", c)
	d.within(cl.SlotQuota, "slot_quota", c)
	for i := range cl.Cores {
		d.within(cl.Cores[i].Queue, "the core queue", c)
	}
}

func (d *decoder) coreCount(cl *Cluster) {
	n := 0
	for i := range cl.Cores {
		was := n
		n += cl.Cores[i].Count.V
		if was <= MaxCores && n > MaxCores {
			pos := cl.Cores[i].Count.Pos
			d.errs.Add(pos, fmt.Sprintf("at most %d", MaxCores), "the cluster has more than %s", plural(MaxCores, "core"))
		}
	}
}

func (d *decoder) builtin(cl *Cluster, co *Core, badAlgorithm bool) {
	if !co.Kind.Set {
		co.Kind.V = KindNames(cl.Algorithm.V)[0]
	}
	k, ok := KindByName(co.Kind.V)
	names := KindNames(cl.Algorithm.V)
	if badAlgorithm { // guessed
		names = KindNames("")
	}
	switch {
	case co.Kind.Bad:
	case !ok:
		d.errs.Add(co.Kind.Pos, diag.Allowed(co.Kind.V, names)+`; a core of your own is named by "module"`, "unknown kind %q", co.Kind.V)
	case k.Algorithm != cl.Algorithm.V && !badAlgorithm:
		d.errs.Add(co.Kind.Pos, "allowed: "+strings.Join(names, ", "),
			"kind %q does %s, but the cluster's algorithm is %s", co.Kind.V, k.Algorithm, cl.Algorithm.V)
	}
	only := func(pos diag.Pos, key string) {
		d.errs.Add(pos, `a core of your own is named by "module"`, "%s is for external cores only", key)
	}
	if len(co.Sources) > 0 {
		only(co.Sources[0].Pos, "sources")
	}
	if co.DecryptKey.Set {
		only(co.DecryptKey.Pos, "decrypt_key")
	}
	for _, cy := range co.Cycles {
		if cy.Set {
			only(cy.Pos, "cycles")
			break
		}
	}
}

func (d *decoder) external(c *Config, co *Core, mods map[string]*Core) {
	m := co.Module
	if co.Kind.Set {
		d.errs.Add(co.Kind.Pos, "leave one of them out", "a core has a kind (of the library) or a module (your own), not both")
	}
	if co.Decrypt.Set {
		d.errs.Add(co.Decrypt.Pos, "leave decrypt out of cycles instead", "decrypt is for built-in kinds only")
	}
	named := false // the module's name is one to look for
	if m.Bad {
	} else if msg, hint := checkModule(m.V); msg != "" {
		d.errs.Add(m.Pos, hint, "module: %s", msg)
	} else if p := c.Design.taken(m.V); p != "" {
		d.errs.Add(m.Pos, "rename the module or the design", "module %q would clash with generated modules, which begin with %q", m.V, p)
	} else {
		named = true
	}
	if !co.hasCycles() && !co.badCycles {
		d.errs.Add(m.Pos, "cycles = { encrypt = 20, decrypt = 20, sign = 20, verify = 20 }; a command left out is not supported",
			"external core %q has no cycles", m.V)
	}
	if len(co.Sources) == 0 && !co.badSources {
		d.errs.Add(m.Pos, sourcesHint, "external core %q has no sources", m.V)
	}
	d.sources(c, co, named)
	if o := mods[m.V]; o == nil {
		mods[m.V] = co
	} else if !slices.EqualFunc(o.Sources, co.Sources, func(a, b Value[string]) bool { return a.V == b.V }) {
		d.errs.Add(m.Pos, "give it the same sources everywhere", "module %q has other sources at line %d", m.V, o.Module.Pos.Line)
	}
}

// hasCycles says whether some command's cycles are given.
func (c *Core) hasCycles() bool {
	return slices.ContainsFunc(c.Cycles[:], func(v Value[int]) bool { return v.Set })
}

// sources checks that the files of an external core are there, and that one of them has its module with the core port.
func (d *decoder) sources(c *Config, co *Core, named bool) {
	if d.bases == nil {
		d.bases, d.holds = map[string]string{}, map[string]string{}
	}
	all := !co.badSources
	var found []string // modules
	var header string
	count := 0
	for _, s := range co.Sources {
		if s.V == "" || path.Ext(s.V) != ".v" && path.Ext(s.V) != ".vh" {
			d.errs.Add(s.Pos, "allowed: Verilog files, .v or .vh", "source %q", s.V)
			all = false
			continue
		}
		base := path.Base(strings.ReplaceAll(s.V, `\`, "/"))
		if !sourceName.MatchString(base) {
			d.errs.Add(s.Pos, "letters, digits and _ . + - alone, as a Makefile takes them; rename the file", "source %q: the file's name is %q", s.V, base)
			all = false
			continue
		}
		b := strings.ToLower(base)
		clash := false
		if o, ok := d.bases[b]; ok && o != s.V {
			d.errs.Add(s.Pos, "rename one: they are copied into one folder", "sources %q and %q have the same file name", o, s.V)
			clash = true
		}
		d.bases[b] = s.V
		data, err := readSource(c.SourcePath(s.V))
		if err != nil {
			d.errs.Add(s.Pos, "paths are relative to the config file", "source %q: %v", s.V, err)
			all = false
			continue
		}
		variants := conditional.Match(verilog.Code(data))
		here := map[string]bool{}
		for _, m := range verilog.Modules(data) {
			name := m.Name
			if name == co.Module.V {
				header = portList(string(m.Rest))
				if !here[name] || !variants { // variants of one module are for the preprocessor to choose from
					count++
				}
			} else if p := c.Design.taken(name); p != "" {
				d.errs.Add(s.Pos, "rename the module or the design", "its module %q would clash with generated modules, which begin with %q", name, p)
			}
			if here[name] {
				continue
			}
			here[name] = true
			if found = append(found, name); m.Escaped {
				found[len(found)-1] += " (an escaped identifier, which is not taken)"
			}
			if o, ok := d.holds[name]; ok && o != s.V && !clash {
				d.errs.Add(s.Pos, "leave one of them out, or rename the module", "sources %q and %q both have a module %q", o, s.V, name)
				count = min(count, 1)
			}
			d.holds[name] = s.V
		}
	}
	if !named || len(co.Sources) == 0 || !all {
		return
	}
	switch {
	case count == 0 && len(found) == 0:
		d.errs.Add(co.Module.Pos, "there is no module in them", "no source of the core has a module %q", co.Module.V)
	case count == 0:
		hint := "modules in them: " + strings.Join(found, ", ")
		if n := diag.DidYouMean(co.Module.V, slices.DeleteFunc(slices.Clone(found), func(s string) bool { return s[0] == '\\' })); n != "" {
			hint = n + " (" + hint + ")"
		}
		d.errs.Add(co.Module.Pos, hint, "no source of the core has a module %q", co.Module.V)
	case count > 1:
		d.errs.Add(co.Module.Pos, "leave one of them out", "the source of the core has the module %q twice", co.Module.V)
	default:
		d.ports(co, header)
	}
}

// corePorts are the names of the core port, by which the generated cluster connects the core.
var corePorts = []string{
	"clk", "rst", "in_valid", "in_ready", "in_op", "in_decrypt", "in_key", "in_block", "out_valid", "out_ready", "out_block",
}

// ports checks that the module has the ports of the core port.
func (d *decoder) ports(co *Core, list string) {
	if strings.Contains(list, "`") { // a macro: for the compiler to find out
		return
	}
	has := word.FindAllString(list, -1)
	var missing []string
	for _, p := range corePorts {
		if !slices.Contains(has, p) {
			missing = append(missing, p)
		}
	}
	if len(missing) > 0 {
		d.errs.Add(co.Module.Pos, "the core port is "+strings.Join(corePorts, ", "), "module %q has no %s %s", co.Module.V,
			map[bool]string{true: "port", false: "ports"}[len(missing) == 1], strings.Join(missing, ", "))
	}
}

// portList is the text between the parentheses of a module's ports; s begins after the module's name.
func portList(s string) string {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "#"); ok {
		rest = strings.TrimSpace(rest)
		s = strings.TrimSpace(rest[len(parens(rest)):])
	}
	return parens(s)
}

// parens is the text from the parenthesis that s begins with to the one that closes it.
func parens(s string) string {
	depth := 0
	for i, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth <= 0 {
			if r == ')' {
				i++
			}
			return s[:i]
		}
	}
	return s
}

var (
	conditional = regexp.MustCompile("`(ifdef|ifndef)\\b")
	sourceName  = regexp.MustCompile(`^[A-Za-z0-9_.+-]+$`)
	word        = regexp.MustCompile(`[A-Za-z_][\w$]*`)
)

// taken is the prefix of generated modules that a module's name begins with, "" if none.
func (d *Design) taken(module string) string {
	for _, p := range []string{d.Name.V + "_", d.Library.V + "_"} {
		if hasPrefixFold(module, p) {
			return p
		}
	}
	return ""
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func readSource(file string) ([]byte, error) {
	st, err := os.Stat(file)
	switch {
	case os.IsNotExist(err):
		return nil, fmt.Errorf("there is no such file")
	case err != nil:
		return nil, fmt.Errorf("cannot be read")
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("is no regular file")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot be read")
	}
	return data, nil
}

func (d *decoder) clusterName(c *Config, cl *Cluster, names map[string]*Cluster) {
	n := cl.Name
	if msg, hint := checkName(n.V); msg != "" {
		d.errs.Add(n.Pos, hint, "cluster name: %s", msg)
		return
	}
	key := strings.ToLower(n.V)
	if o := names[key]; o != nil {
		hint := "names must differ"
		if o.Name.V != n.V {
			hint = "names must differ in more than case"
		}
		d.errs.Add(n.Pos, hint, "cluster %q is already there at line %d", o.Name.V, o.Name.Pos.Line)
		return
	}
	names[key] = cl
}

// packetHoldsKey checks that a key fits into a packet, which is how keys are loaded.
func (d *decoder) packetHoldsKey(c *Config) {
	p := c.Design.PacketBytes
	for _, cl := range c.Clusters {
		a, ok := AlgorithmByName(cl.Algorithm.V)
		if ok && p.V >= 16 && p.V%16 == 0 && p.V < a.KeyBits/8 {
			d.errs.Add(p.Pos, fmt.Sprintf("at least %d", a.KeyBits/8), "packet_bytes is %d, but a key of cluster %q is %d bytes", p.V,
				cl.Name.V, a.KeyBits/8)
			return
		}
	}
}
