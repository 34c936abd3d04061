// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"hwgen/gen/diag"
)

// folders are those that belong to hwgen in an output: a file there, or in the output's top folder, that is not of the
// output is an extra one.
var folders = []string{"rtl", "tb", "verilator", "constraints", "docs"}

// Result says what Write did.
type Result struct {
	Written, Unchanged, Removed []string
}

// oldManifest is the list of files that an earlier run wrote into dir; nil if there was none.
func oldManifest(dir string) []string {
	b, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if err != nil {
		return nil
	}
	var m Manifest
	if json.Unmarshal(b, &m) != nil || m.Tool != "hwgen" {
		return nil
	}
	s := []string{ManifestName}
	for _, f := range m.Files {
		if filepath.IsLocal(filepath.FromSlash(f.Path)) {
			s = append(s, path.Clean(f.Path))
		}
	}
	return s
}

// Write makes dir hold the output. Everything is written into a folder beside dir first and then renamed into place,
// the manifest last; on an error what was there is put back. Files of an earlier run that are no part of the output any
// more are removed, files of others are left alone and never overwritten. Files that do not change keep their times.
func Write(dir string, out Output) (res *Result, err error) {
	dir = filepath.Clean(dir)
	old := oldManifest(dir)
	if err := conflicts(dir, out, old); err != nil {
		return nil, err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, outError(dir, err)
	}
	stage, err := os.MkdirTemp(parent, ".hwgen-*")
	if err != nil {
		return nil, outError(dir, err)
	}
	defer os.RemoveAll(stage)
	fresh, saved := filepath.Join(stage, "new"), filepath.Join(stage, "old")
	res = &Result{}
	for _, p := range out.Paths() {
		if was, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p))); err == nil && bytes.Equal(was, out[p]) {
			res.Unchanged = append(res.Unchanged, p)
			continue
		}
		if err := writeFile(filepath.Join(fresh, filepath.FromSlash(p)), out[p]); err != nil {
			return nil, outError(filepath.Join(dir, filepath.FromSlash(p)), err)
		}
		if p != ManifestName {
			res.Written = append(res.Written, p)
		}
	}
	for _, p := range old {
		if _, ok := out[p]; !ok {
			if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(p))); err == nil {
				res.Removed = append(res.Removed, p)
			}
		}
	}
	if !slices.Contains(res.Unchanged, ManifestName) {
		res.Written = append(res.Written, ManifestName)
	}

	var undo []func()
	defer func() {
		if err != nil {
			for _, f := range slices.Backward(undo) {
				f()
			}
			res = nil
		}
	}()
	move := func(from, to string) error {
		if err := mkdirs(filepath.Dir(to), &undo); err != nil {
			return err
		}
		if err := os.Rename(from, to); err != nil {
			return err
		}
		undo = append(undo, func() { _ = os.Rename(to, from) })
		return nil
	}
	for _, p := range slices.Concat(res.Removed, res.Written) {
		p := filepath.FromSlash(p)
		if _, err := os.Lstat(filepath.Join(dir, p)); err == nil {
			if err := move(filepath.Join(dir, p), filepath.Join(saved, p)); err != nil {
				return nil, outError(filepath.Join(dir, p), err)
			}
		}
		if _, err := os.Lstat(filepath.Join(fresh, p)); err == nil {
			if err := move(filepath.Join(fresh, p), filepath.Join(dir, p)); err != nil {
				return nil, outError(filepath.Join(dir, p), err)
			}
		}
	}
	for _, p := range res.Removed { // folders that are empty now
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			if os.Remove(filepath.Join(dir, filepath.FromSlash(d))) != nil {
				break
			}
		}
	}
	return res, nil
}

// outError names what was to be written, not the temporary file on its way there.
func outError(p string, err error) error {
	return fmt.Errorf("output %s: cannot be written: %w; choose another folder with -out", p, diag.Cause(err))
}

// mkdirs is MkdirAll that can be undone.
func mkdirs(dir string, undo *[]func()) error {
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		return nil
	}
	if err := mkdirs(filepath.Dir(dir), undo); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err // a file in the way, too
	}
	*undo = append(*undo, func() { _ = os.Remove(dir) })
	return nil
}

func writeFile(name string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, b, 0o666)
}

// conflicts finds what stands in the way before anything is touched.
func conflicts(dir string, out Output, old []string) error {
	st, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return outError(dir, err)
	}
	if !st.IsDir() {
		return fmt.Errorf("output folder %s is a file; name a folder with -out", dir)
	}
	for _, p := range out.Paths() {
		file := filepath.Join(dir, filepath.FromSlash(p))
		st, err := os.Lstat(file)
		if err != nil {
			continue
		}
		if st.IsDir() {
			return fmt.Errorf("%s is a folder, a file of the output is named so", file)
		}
		if was, err := os.ReadFile(file); err == nil && bytes.Equal(was, out[p]) {
			continue
		}
		if !slices.Contains(old, p) {
			return fmt.Errorf("%s was not generated by hwgen and would be overwritten; choose another folder with -out, or move it away", file)
		}
	}
	return nil
}

// Drift is how an output folder differs from what would be generated.
type Drift struct {
	Missing, Extra, Changed []string
	Diff                    string // unified, of the changed files
}

// Clean says that there is no drift.
func (d *Drift) Clean() bool { return len(d.Missing)+len(d.Extra)+len(d.Changed) == 0 }

// Compare compares dir with the output. The a side of the diff is the folder, the b side what would be generated.
func Compare(dir string, out Output) (*Drift, error) {
	d := &Drift{}
	var diff strings.Builder
	for _, p := range out.Paths() {
		was, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			d.Missing = append(d.Missing, p)
			continue
		case err != nil:
			return nil, fmt.Errorf("output folder: %w", err)
		case bytes.Equal(was, out[p]):
			continue
		}
		d.Changed = append(d.Changed, p)
		u := difflib.UnifiedDiff{A: lines(was), B: lines(out[p]), FromFile: "a/" + p, ToFile: "b/" + p, Context: 3}
		if err := difflib.WriteUnifiedDiff(&diff, u); err != nil {
			return nil, fmt.Errorf("diff of %s: %w", p, err)
		}
	}
	d.Diff = diff.String()
	extra := map[string]bool{}
	for _, p := range oldManifest(dir) {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(p))); err == nil {
			extra[p] = true
		}
	}
	top, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("output folder %s: %w", dir, diag.Cause(err))
	}
	for _, de := range top {
		if !de.IsDir() {
			extra[de.Name()] = true
		}
	}
	for _, f := range folders {
		err := filepath.WalkDir(filepath.Join(dir, f), func(p string, de fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(dir, p)
			if err == nil && !de.IsDir() {
				extra[filepath.ToSlash(rel)] = true
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("output folder: %w", err)
		}
	}
	for p := range extra {
		if _, ok := out[p]; !ok {
			d.Extra = append(d.Extra, p)
		}
	}
	slices.Sort(d.Extra)
	return d, nil
}

// lines splits into lines with their ends, a missing last one marked.
func lines(b []byte) []string {
	s := strings.SplitAfter(string(b), "\n")
	if n := len(s) - 1; s[n] == "" {
		return s[:n]
	}
	s[len(s)-1] += "\n\\ No newline at end of file\n"
	return s
}
