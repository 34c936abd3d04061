// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hwgen/gen/diag"
	"hwgen/gen/verilog"
)

// Files are the Verilog files of several outputs for one tool, one copy of each module, in the order of the outputs; before
// them +incdir+ and a folder for each that has headers to include. It is an error if two files of unlike contents have a
// module of one name, if two headers of one name differ, or if an output is not as it was written.
func Files(dirs []string) ([]string, error) {
	type source struct {
		file string
		out  *Manifest
		body []byte
	}
	var include, list []string
	have, headers := map[string]source{}, map[string]source{} // by module, by file name
	for _, dir := range dirs {
		b, err := os.ReadFile(filepath.Join(dir, ManifestName))
		if err != nil {
			return nil, diag.Usage("%s is no output of hwgen: %w", filepath.ToSlash(dir), err)
		}
		m := &Manifest{}
		if err := json.Unmarshal(b, m); err != nil {
			return nil, diag.Usage("%s: %w", filepath.ToSlash(filepath.Join(dir, ManifestName)), err)
		}
		for _, f := range m.Files {
			header := strings.HasPrefix(f.Path, externalDir) && path.Ext(f.Path) != ".v"
			if !header && (!strings.HasPrefix(f.Path, "rtl/") || path.Ext(f.Path) != ".v") {
				continue
			}
			s := source{file: filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(f.Path))), out: m}
			if s.body, err = os.ReadFile(filepath.FromSlash(s.file)); err != nil {
				return nil, diag.Usage("%w; generate %s again", err, m.Design)
			}
			if header {
				name := path.Base(f.Path)
				if was, ok := headers[name]; !ok {
					headers[name] = s
				} else if !bytes.Equal(code(was.body), code(s.body)) {
					return nil, diag.Drift("two headers are named %s: %s and %s differ\ngive one of them another name", name, was.file, s.file)
				}
				if dir := "+incdir+" + path.Dir(s.file); !slices.Contains(include, dir) {
					include = append(include, dir)
				}
				continue
			}
			again := false
			for _, x := range verilog.Modules(s.body) {
				name := x.Name
				was, ok := have[name]
				switch {
				case !ok:
					have[name] = s
				case was.file == s.file: // one of them under `ifdef
				case !bytes.Equal(code(was.body), code(s.body)):
					return nil, clash(name, was.file, s.file, was.out, m)
				default:
					again = true
				}
			}
			if !again {
				list = append(list, s.file)
			}
		}
	}
	return append(include, list...), nil
}

// code is a source without its comments and the blanks between words.
func code(b []byte) []byte { return bytes.Join(bytes.Fields(verilog.WithoutComments(b)), []byte(" ")) }

func clash(name, a, b string, of, and *Manifest) error {
	why := "rename one of the designs, or a cluster of it"
	switch {
	case strings.Contains(a, "/"+externalDir) || strings.Contains(b, "/"+externalDir):
		why = "give the module another name in one of the sources"
	case of.Version != and.Version:
		why = fmt.Sprintf("%s is of version %s, %s of %s: generate both with the same one, or give them libraries of different names",
			of.Design, of.Version, and.Design, and.Version)
	}
	return diag.Drift("two modules are named %s: %s and %s differ\n%s", name, a, b, why)
}
