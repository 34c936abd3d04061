// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"hwgen/gen/diag"
	"hwgen/gen/sim"
)

// workDir is the folder of a request, named by all that its result depends on.
func workDir(r *Request, fam *family, versions []string) (string, error) {
	root, err := sim.CacheDir()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, cacheVersion, r.Top, r.Target, r.ClockMHz, r.Seeds, versions)
	fmt.Fprintln(h, script(r, r.Top), fam.pnrArgs(r.Target, fam.pinFile))
	if b := r.Block; b != nil {
		fmt.Fprintf(h, "{%s %s} ports as in the parent\n", b.Parent, b.Module)
		if b.Others {
			fmt.Fprintln(h, b.Instance)
		}
	}
	pins := withoutBanner(r.Constraints)
	fmt.Fprintf(h, "%d %s\n", len(pins), pins)
	for _, n := range slices.Sorted(maps.Keys(r.Files)) {
		fmt.Fprintln(h, n, len(r.Files[n]))
		_, _ = h.Write(r.Files[n])
	}
	dir := filepath.Join(root, "synth", hex.EncodeToString(h.Sum(nil)[:16]))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", diag.Usage("the cache of synthesised designs: %w; set %s to another folder", err, sim.CacheEnv)
	}
	return dir, nil
}

// lock keeps others out of a folder while one works in it. If somebody does, that is noted, and a context that ends ends
// the wait.
func lock(ctx context.Context, dir string, note func(string, ...any)) (func(), error) {
	type held struct {
		unlock func()
		err    error
	}
	got := make(chan held, 1)
	go func() {
		u, err := lockedfile.MutexAt(filepath.Join(dir, "lock")).Lock() // cannot be interrupted
		got <- held{u, err}
	}()
	long := time.After(500 * time.Millisecond)
	for {
		select {
		case h := <-got:
			return h.unlock, h.err
		case <-long:
			if note != nil {
				note("waiting for another synthesis of the same design")
			}
		case <-ctx.Done():
			go func() { // what comes late goes back
				if h := <-got; h.err == nil {
					h.unlock()
				}
			}()
			return nil, ctx.Err()
		}
	}
}

// writeWhole writes a file whole or not at all.
func writeWhole(name string, b []byte) error {
	t := name + ".tmp"
	if err := os.WriteFile(t, b, 0o644); err != nil {
		return err
	}
	return os.Rename(t, name)
}

// CopyBitstream copies a bitstream out of the cache.
func CopyBitstream(from string, to io.Writer) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(to, in)
	return err
}
