// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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

// tempPrefix begins the names of what a run keeps in the output folder while it writes: its lock, its temporary folder.
// They belong to no output.
const (
	tempPrefix  = ".hwgen-"
	stagePrefix = tempPrefix + "run-"
)

// Result says what Write did.
type Result struct {
	Written, Unchanged, Removed []string
	Kept                        []string // of an earlier run, no part of the output any more, but changed since
}

// written is what earlier runs wrote into a folder: by path, the SHA-256 that a file of theirs may have. A run that was
// cut off leaves two.
type written map[string][]string

// add adds a manifest's files.
func (w written) add(file string) {
	b, err := os.ReadFile(file)
	if err != nil {
		return
	}
	var m Manifest
	if json.Unmarshal(b, &m) != nil || m.Tool != "hwgen" {
		return
	}
	w[ManifestName] = append(w[ManifestName], hash(b))
	for _, f := range m.Files {
		if filepath.IsLocal(filepath.FromSlash(f.Path)) {
			w[path.Clean(f.Path)] = append(w[path.Clean(f.Path)], f.SHA256)
		}
	}
}

// paths are the paths, sorted.
func (w written) paths() []string { return slices.Sorted(maps.Keys(w)) }

// earlier is what earlier runs wrote into dir, and the temporary folders of those that were cut off.
func earlier(dir string) (w written, left []string) {
	w = written{}
	w.add(filepath.Join(dir, ManifestName))
	des, err := os.ReadDir(dir)
	if err != nil {
		return w, nil
	}
	for _, de := range des {
		if de.IsDir() && strings.HasPrefix(de.Name(), stagePrefix) {
			stage := filepath.Join(dir, de.Name())
			w.add(filepath.Join(stage, ManifestName))
			left = append(left, stage)
		}
	}
	return w, left
}

// intent is a manifest of what is in the folder and of what comes into it: what a run that is cut off leaves.
func (w written) intent(out Output) ([]byte, error) {
	m := Manifest{Tool: "hwgen", Files: []ManifestFile{}}
	for _, p := range w.paths() {
		for _, sum := range w[p] {
			m.Files = append(m.Files, ManifestFile{p, sum})
		}
	}
	for _, p := range out.Paths() {
		m.Files = append(m.Files, ManifestFile{p, hash(out[p])})
	}
	b, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return b, nil
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Write is WriteContext that nothing interrupts.
func Write(dir string, out Output) (*Result, error) {
	return WriteContext(context.Background(), dir, out)
}

// WriteContext makes dir hold the output. Everything is written into a hidden folder in dir first and then renamed into
// place, the manifest last; on an error, and when ctx ends, what was there is put back. Files of an earlier run that are
// no part of the output any more are removed if they are as they were written; files of others are left alone and never
// overwritten. Files that do not change keep their times. One run at a time writes to a folder.
func WriteContext(ctx context.Context, dir string, out Output) (res *Result, err error) {
	dir = filepath.Clean(dir)
	if err := isFolder(dir); err != nil {
		return nil, err
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
	if err := mkdirs(dir, &undo); errors.Is(err, errDangling) {
		return nil, err
	} else if err != nil {
		return nil, outError(dir, err)
	}
	held, unlock, err := lock(dir)
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("another run is writing to %s", dir)
	}
	if err != nil {
		return nil, outError(dir, err)
	}
	undone := len(undo)
	defer func() { // what was moved goes back before others may write
		if err != nil {
			for _, f := range slices.Backward(undo[undone:]) {
				f()
			}
			undo = undo[:undone]
		}
		unlock()
	}()
	old, left := earlier(dir)
	if err := conflicts(dir, out, old); err != nil {
		return nil, err
	}
	stage, err := os.MkdirTemp(dir, stagePrefix+"*")
	if err != nil {
		return nil, outError(dir, err)
	}
	undo = append(undo, func() { _ = os.RemoveAll(stage) })
	if res, err = replace(ctx, dir, stage, out, old, &undo); err != nil {
		return nil, err
	}
	_ = os.RemoveAll(stage)
	if held { // else one of them may be that of a run that goes on
		for _, l := range left {
			_ = os.RemoveAll(l)
		}
	}
	return res, nil
}

// replace is Write between lock and unlock. What it moves can be undone until it returns.
func replace(ctx context.Context, dir, stage string, out Output, old written, undo *[]func()) (*Result, error) {
	fresh, saved := filepath.Join(stage, "new"), filepath.Join(stage, "old")
	res := &Result{}
	for _, p := range out.Paths() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
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
	for _, p := range old.paths() {
		if _, ok := out[p]; ok {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(p))
		st, err := os.Lstat(file)
		if err != nil {
			continue
		}
		b, err := os.ReadFile(file)
		if err == nil && st.Mode().IsRegular() && slices.Contains(old[p], hash(b)) {
			res.Removed = append(res.Removed, p)
		} else {
			res.Kept = append(res.Kept, p)
		}
	}
	if !slices.Contains(res.Unchanged, ManifestName) {
		res.Written = append(res.Written, ManifestName)
	}
	intent, err := old.intent(out)
	if err != nil {
		return nil, err
	}
	if err := writeFile(filepath.Join(stage, ManifestName), intent); err != nil {
		return nil, outError(dir, err)
	}

	move := func(from, to string) error {
		if err := mkdirs(filepath.Dir(to), undo); err != nil {
			return err
		}
		if err := os.Rename(from, to); err != nil {
			return err
		}
		*undo = append(*undo, func() { _ = os.Rename(to, from) })
		return nil
	}
	for _, p := range slices.Concat(res.Removed, res.Written) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
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

// isFolder refuses an output folder that is something else.
func isFolder(dir string) error {
	st, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return danglingLink(dir)
	}
	if err != nil {
		return outError(dir, err)
	}
	if !st.IsDir() {
		return fmt.Errorf("output folder %s is a file; name a folder with -out", dir)
	}
	return nil
}

// danglingLink says of a name without a file behind it that it is a link, if it is.
func danglingLink(p string) error {
	if to, err := os.Readlink(p); err == nil {
		return fmt.Errorf("%s is a symbolic link to %s%w; make that folder, or choose another with -out", p, to, errDangling)
	}
	return nil
}

var errDangling = errors.New(", which is not there")

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
		if st, serr := os.Stat(dir); serr == nil && st.IsDir() { // another run has just made it
			return nil
		}
		return cmp.Or(danglingLink(dir), err) // a file in the way, too
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
func conflicts(dir string, out Output, old written) error {
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
		if _, ok := old[p]; !ok {
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
	old, _ := earlier(dir)
	for p := range old {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(p))); err == nil {
			extra[p] = true
		}
	}
	top, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("output folder %s: %w", dir, diag.Cause(err))
	}
	for _, de := range top {
		if !de.IsDir() && !strings.HasPrefix(de.Name(), tempPrefix) {
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
