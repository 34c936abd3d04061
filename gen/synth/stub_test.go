// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hwgen/gen/diag"
	"hwgen/gen/part"
	"hwgen/gen/sim"
)

// stubTools puts a Yosys, a nextpnr that places the seeds that it is given, and a packer on PATH. Calls are in the file that
// is returned.
func stubTools(t *testing.T, seeds, failure string) (calls string) {
	t.Helper()
	dir := t.TempDir()
	calls = filepath.Join(dir, "calls")
	for name, text := range map[string]string{
		"yosys": `[ "$1" = -V ] && { echo Yosys 1; exit; }
echo '{"modules": {"top": {"cells": {"a": {"type": "SB_LUT4"}}}}}' >netlist.json`,
		"nextpnr-ice40": `[ "$1" = --version ] && { echo nextpnr 1; exit; }
while [ $# -gt 1 ]; do [ "$1" = --seed ] && seed=$2; shift; done
case "` + seeds + `" in *$seed*) ;; *) echo "` + failure + `"; exit 1;; esac
echo '{"fmax": {"clk": {"achieved": 4'$seed'}}}' >report.json
echo $seed >out.asc`,
		"icepack": `cp out.asc out.bin`,
	} {
		script := "#!/bin/sh\necho " + name + " \"$@\" >>" + calls + "\n" + text + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(sim.CacheEnv, t.TempDir())
	return calls
}

func onHX8K(t *testing.T) *Request {
	t.Helper()
	hx, err := part.Find("hx8k")
	require.NoError(t, err)
	return &Request{Top: "top", Target: hx, ClockMHz: 42, Seeds: 3, Native: true, Constraints: []byte("\n"), Files: map[string][]byte{"top.v": nil}}
}

// count is how often a program ran, but for its version.
func count(t *testing.T, calls, program string) int {
	t.Helper()
	b, err := os.ReadFile(calls)
	require.NoError(t, err)
	return strings.Count(string(b), program+" -") - strings.Count(string(b), program+" --version") - strings.Count(string(b), program+" -V")
}

const noPlace = "ERROR: Unable to find legal placement for all cells, design is probably at utilisation limit."

// A seed that finds no place leaves the others' results.
func TestSeedsNotPlaced(t *testing.T) {
	calls := stubTools(t, "1 3", noPlace)
	for range 2 {
		res, err := Run(context.Background(), onHX8K(t))
		require.NoError(t, err)
		require.Equal(t, 1, res.Unplaced)
		require.Equal(t, []Clock{{Name: "clk", Fmax: []float64{41, 43}, Median: 42, Min: 41, Max: 43}}, res.Clocks)
		require.True(t, res.Met)
		b, err := os.ReadFile(res.Bitstream)
		require.NoError(t, err)
		require.Equal(t, "3\n", string(b))
	}
	require.Equal(t, 3, count(t, calls, "nextpnr-ice40"))
}

// A design that no seed can place is told once, and is not tried again; nor are more seeds if cells are too many.
func TestTooLargeIsKept(t *testing.T) {
	for failure, seeds := range map[string]int{noPlace: 3, "Info: ICESTORM_LC: 7709/ 7680 100%\n" + noPlace: 1} {
		calls := stubTools(t, "none", failure)
		var texts []string
		for range 2 {
			_, err := Run(context.Background(), onHX8K(t))
			var large *TooLarge
			require.ErrorAs(t, err, &large)
			require.Equal(t, diag.ExitFailed, diag.ExitCode(err))
			require.Equal(t, err.Error(), large.Result.TooLarge)
			require.Equal(t, 1, large.Result.Area.LUTs)
			b, err := json.Marshal(large.Result)
			require.NoError(t, err)
			require.NotContains(t, string(b), "null")
			texts = append(texts, large.Error())
		}
		require.Equal(t, texts[0], texts[1])
		require.Equal(t, seeds, count(t, calls, "nextpnr-ice40"), failure)
		require.Equal(t, 1, count(t, calls, "yosys"))
	}
}

// A bitstream of another packer is made anew.
func TestPackerIsInTheKey(t *testing.T) {
	calls := stubTools(t, "1 2 3", "")
	_, err := Run(context.Background(), onHX8K(t))
	require.NoError(t, err)
	packer := filepath.Join(filepath.Dir(calls), "icepack")
	require.NoError(t, os.WriteFile(packer, []byte("#!/bin/sh\necho new >out.bin\n"), 0o755))
	res, err := Run(context.Background(), onHX8K(t))
	require.NoError(t, err)
	b, err := os.ReadFile(res.Bitstream)
	require.NoError(t, err)
	require.Equal(t, "new\n", string(b))
}

// Who waits for another synthesis says so, and can be interrupted.
func TestWaitingEnds(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lock(context.Background(), dir, nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	_, err = lock(ctx, dir, func(f string, v ...any) {
		require.Contains(t, fmt.Sprintf(f, v...), "waiting for another")
		cancel()
	})
	require.ErrorIs(t, err, context.Canceled)
	unlock()
	ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	unlock, err = lock(ctx, dir, nil) // the one that gave up does not keep it
	require.NoError(t, err)
	unlock()
}

// Headers are not read on their own: they may be pieces.
func TestHeadersAreIncluded(t *testing.T) {
	f := &flow{r: &Request{Top: "top", Constraints: []byte{}, Files: map[string][]byte{"a.v": nil, "a.vh": nil, "b.v": nil}}}
	read, err := f.prepare(context.Background())
	require.NoError(t, err)
	require.Equal(t, "read_verilog a.v b.v\n", read)
}

// Of several instances with parameters of their own it is the one asked for.
func TestInstanceOfABlock(t *testing.T) {
	cells, parents := []string{}, []string{}
	for i := range 9 {
		cells = append(cells, fmt.Sprintf(`"u_lane_%d": {"type": "$paramod\\x_lane\\LANE=%d"}`, i, i))
		parents = append(parents, fmt.Sprintf(`"u_lane_%d": {"type": "y", "port_directions": {"a": "input"}, "connections": {"a": ["%d"]}}`, i, i%2))
	}
	f := &flow{dir: t.TempDir()}
	for name, l := range map[string][]string{"hierarchy": cells, "parent": parents} {
		text := `{"modules": {"x_aes_cluster": {"cells": {` + strings.Join(l, ", ") + `}}}}`
		require.NoError(t, os.WriteFile(filepath.Join(f.dir, name+".json"), []byte(text), 0o644))
	}
	for i := range 9 {
		b := &Block{Parent: "x_aes_cluster", Module: "x_lane", Instance: fmt.Sprintf("u_lane_%d", i), Others: true}
		module, parent, err := f.derived(b)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf(`$paramod\x_lane\LANE=%d`, i), module)
		open, err := f.connections(parent, b.Instance)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"a": fmt.Sprintf("1'b%d", i%2)}, open)
	}
	_, _, err := f.derived(&Block{Parent: "x_aes_cluster", Module: "x_lane", Instance: "u_lane_9"})
	require.Error(t, err)

	t.Setenv(sim.CacheEnv, t.TempDir())
	key := func(b Block) string {
		r := onHX8K(t)
		r.Block = &b
		dir, err := workDir(r, &ice40, nil)
		require.NoError(t, err)
		return dir
	}
	require.NotEqual(t, key(Block{"p", "m", "u_0", true}), key(Block{"p", "m", "u_1", true}))
}

// All clocks of a top are the fold's one.
func TestFoldOfSeveralClocks(t *testing.T) {
	text, area := wrapper("m", []port{{"clk", 1, false}, {"job_clk", 1, false}, {"irq_clk", 1, true}}, nil)
	require.Contains(t, text, ".clk(clk)")
	require.Contains(t, text, ".job_clk(clk)")
	require.Contains(t, text, ".irq_clk(out[0:0])")
	require.Equal(t, Area{LUTs: 1, FFs: 2}, area)
}
