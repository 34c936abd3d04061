// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hwgen/gen/design"
	"hwgen/gen/tool"
)

// A generate block that no design has leaves its lines out of Verilator's count altogether: they would be no gap. So the
// blocks themselves are counted.

var generateBlock = regexp.MustCompile(`begin\s*:\s*(g_\w+)`)

// branches are the named generate blocks of the library, by their places; those that refuse a bad parameter are none.
func branches(lib map[string][]string) map[place]string {
	l := map[place]string{}
	for m, text := range lib {
		for i, s := range text {
			s, _, _ = strings.Cut(s, "//")
			if b := generateBlock.FindStringSubmatch(s); b != nil && b[1] != "g_bad" && !strings.HasPrefix(b[1], "g_bad_") {
				l[place{m, i + 1}] = b[1]
			}
		}
	}
	return l
}

// tree is what a design consists of.
type tree struct {
	modules map[string]bool
	blocks  map[place]bool // generate blocks, by their places in the output's files
}

func newTree() *tree { return &tree{map[string]bool{}, map[place]bool{}} }

func (t *tree) add(o *tree) {
	maps.Copy(t.modules, o.modules)
	maps.Copy(t.blocks, o.blocks)
}

// elaborated is what the top of a subject consists of.
func elaborated(ctx context.Context, x *subject, d *design.Design, files map[string][]byte) (*tree, error) {
	if err := tool.Need(tool.Verilator); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "hwgen-coverage-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var sources []string
	for _, p := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasPrefix(p, "rtl/") {
			continue
		}
		f := filepath.Join(dir, filepath.FromSlash(p))
		if err := errors.Join(os.MkdirAll(filepath.Dir(f), 0o755), os.WriteFile(f, files[p], 0o644)); err != nil {
			return nil, err
		}
		if path.Ext(p) == ".v" {
			sources = append(sources, p)
		}
	}
	const out = "tree.xml"
	// the library's lint is a step of verify; here the tree alone is wanted
	args := []string{"--xml-only", "--xml-output", out, "--Mdir", "obj", "--default-language", "1364-2005", "-Wno-fatal", "-Wno-lint", "-Wno-style",
		"-Irtl/external", "--top-module", d.Top}
	if !x.logic {
		args = append(args, "-DHWGEN_SIM_TABLES")
	}
	r, err := tool.Verilator.Run(ctx, dir, append(args, sources...)...)
	if err != nil {
		return nil, err
	}
	if r.Code != 0 {
		return nil, tool.Verilator.Failed("elaborating "+x.name, r)
	}
	f, err := os.Open(filepath.Join(dir, out))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readTree(f, d.Name)
}

// readTree reads Verilator's tree: <file id="c" filename="rtl/quad_fifo.v"/>, <module origName="quad_fifo">,
// <begin loc="c,38,29,38,33" name="g_ff">.
func readTree(in io.Reader, design string) (*tree, error) {
	t := newTree()
	module := map[string]string{}
	library := func(name string) (string, bool) {
		name, ok := strings.CutPrefix(name, design+"_")
		return "hwgen_" + name, ok
	}
	d := xml.NewDecoder(in)
	for {
		x, err := d.Token()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("tree of %s: %w", design, err)
		}
		e, ok := x.(xml.StartElement)
		if !ok {
			continue
		}
		at := map[string]string{}
		for _, a := range e.Attr {
			at[a.Name.Local] = a.Value
		}
		switch e.Name.Local {
		case "file":
			if m, ok := library(strings.TrimSuffix(path.Base(at["filename"]), ".v")); ok {
				module[at["id"]] = m
			}
		case "module":
			if m, ok := library(at["origName"]); ok {
				t.modules[m] = true
			}
		case "begin":
			if !strings.HasPrefix(at["name"], "g_") {
				continue
			}
			id, rest, _ := strings.Cut(at["loc"], ",")
			line, _, _ := strings.Cut(rest, ",")
			n, err := strconv.Atoi(line)
			if err != nil {
				return nil, fmt.Errorf("tree of %s: place %q", design, at["loc"])
			}
			if m, ok := module[id]; ok {
				t.blocks[place{m, n}] = true
			}
		}
	}
}
