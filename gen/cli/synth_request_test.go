// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/board"
	"hwgen/gen/diag"
	"hwgen/gen/sim"
	"hwgen/gen/synth"
	"hwgen/gen/tool"
)

// The oscillator is a clock of its own where a PLL makes the design's; without one it is the design's, of which -clock says
// what is asked for.
func TestSynthClocks(t *testing.T) {
	for name, want := range map[string]map[string]float64{"tang-nano-9k": nil, "ulx3s-25f": {"clk_in": 25}} {
		a, l := loaded(t, least(t, name))
		req, err := a.synthRequest(l, "", "")
		require.NoError(t, err)
		require.Equal(t, want, req.Clocks, name)
	}
}

func least(t *testing.T, name string) string {
	t.Helper()
	b, err := board.Find(name)
	require.NoError(t, err)
	return b.LeastConfig()
}

func loaded(t *testing.T, config string) (*App, *Loaded) {
	t.Helper()
	a := &App{Out: io.Discard, Err: io.Discard}
	file := filepath.Join(t.TempDir(), "c.toml")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	l, err := a.Load(file)
	require.NoError(t, err)
	return a, l
}

// A block of a board's design goes into the board's part, with its speed grade, device and package.
func TestSynthBlockOnBoard(t *testing.T) {
	for _, name := range []string{"orangecrab-25f", "ecpix-5-85f", "tang-nano-20k"} {
		a, l := loaded(t, least(t, name))
		req, err := a.synthRequest(l, "", "sm4.lane_serial")
		require.NoError(t, err)
		require.Equal(t, l.Design.Board.Target, req.Target, name)
		require.Nil(t, req.Constraints)
		require.Equal(t, l.Design.Top, req.Top)
	}
	a, l := loaded(t, least(t, "arty-a7-35"))
	_, err := a.synthRequest(l, "", "sm4.lane_serial")
	require.ErrorContains(t, err, "board arty-a7-35: there is no open flow")
	_, err = a.synthRequest(l, "hx8k", "sm4.lane_serial")
	require.NoError(t, err)
}

// Without a board the bridge or the crossings are synthesised with the scheduler.
func TestSynthOutermost(t *testing.T) {
	for more, top := range map[string]string{
		"": "one_top", "[host]\nclock_hz = 12_000_000\n": "one_uart_top", "[clocks]\njobs = true\n": "one_clocks_top",
	} {
		a, l := loaded(t, oneCluster+more)
		req, err := a.synthRequest(l, "hx8k", "")
		require.NoError(t, err)
		require.Equal(t, top, req.Top)
		require.Contains(t, req.Files, top+".v")
	}
}

const oneCluster = `[design]
name = "one"
[[cluster]]
name = "aes"
algorithm = "aes128"
[[cluster.core]]
kind = "aes128_16sbox"
count = 2
[[cluster.core]]
kind = "aes128_4sbox"
`

// A block is named by its module or its instance; of several it is the first. What is refused is told with names that are not.
func TestSynthBlockNames(t *testing.T) {
	a, l := loaded(t, oneCluster)
	out, err := a.Emit(l)
	require.NoError(t, err)
	for name, want := range map[string]synth.Block{
		"splitter":          {Parent: "one_top", Module: "one_splitter", Instance: "u_splitter"},
		"aes.lane":          {Parent: "one_aes_cluster", Module: "one_lane", Instance: "u_lane_0", Others: true},
		"aes.lane_2":        {Parent: "one_aes_cluster", Module: "one_lane", Instance: "u_lane_2", Others: true},
		"aes.u_lane_1":      {Parent: "one_aes_cluster", Module: "one_lane", Instance: "u_lane_1", Others: true},
		"aes.aes128_16sbox": {Parent: "one_aes_cluster", Module: "one_aes128_16sbox", Instance: "u_core_0", Others: true},
		"aes.core_2":        {Parent: "one_aes_cluster", Module: "one_aes128_4sbox", Instance: "u_core_2"},
		"aes_cluster":       {Parent: "one_top", Module: "one_aes_cluster", Instance: "u_cluster_aes"},
	} {
		b, err := blockOf(l.Design, out, name)
		require.NoError(t, err, name)
		require.Equal(t, &want, b, name)
	}
	for name, want := range map[string]string{
		"spliter": `did you mean "splitter"?`, "aes.balancr": `did you mean "aes.balancer"?`, "eas.lane": `did you mean "aes"?`,
		"aes.lane_3": `did you mean "aes.lane_`,
	} {
		_, err := blockOf(l.Design, out, name)
		require.Equal(t, diag.ExitUsage, diag.ExitCode(err), name)
		require.ErrorContains(t, err, want)
	}
	for _, c := range append([]string{l.Design.Top}, l.Design.Clusters[0].Module) { // every instance is found
		text := string(out["rtl/"+c+".v"])
		require.Len(t, synth.InstancesOf(out, c), strings.Count(text, " u_"), c)
	}
}

// The clock of a bitstream is the board's: -clock cannot make it another.
func TestSynthBitstreamClock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.toml")
	require.NoError(t, os.WriteFile(file, []byte(least(t, "ulx3s-25f")), 0o600))
	t.Setenv(tool.FPGAEnv, t.TempDir()) // nothing is synthesised
	for flags, want := range map[string]string{
		"-clock 20 -bitstream x.bit": "-clock 20 beside -bitstream: the bitstream's clock is 60 MHz",
		"-clock 60 -bitstream -":     "not installed",
		"-clock 20":                  "not installed",
		"-bitstream - -json":         "-bitstream and -json cannot both go to standard output",
	} {
		var out, e strings.Builder
		code := Run(append([]string{"synth", "-config", file}, strings.Fields(flags)...), &out, &e)
		require.NotZero(t, code)
		require.Contains(t, e.String(), want, flags)
	}
}

// Standard output has one thing: the bitstream, or the JSON, which a design that does not fit has too.
func TestSynthStandardOutput(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "c.toml")
	require.NoError(t, os.WriteFile(file, []byte(least(t, "hx8k-breakout")), 0o600))
	a, l := loaded(t, least(t, "hx8k-breakout"))
	req, err := a.synthRequest(l, "", "")
	require.NoError(t, err)
	for name, text := range map[string]string{
		"yosys": `[ "$1" = -V ] || echo '{"modules": {"` + req.Top + `": {"cells": {"a": {"type": "SB_LUT4"}}}}}' >netlist.json`,
		"nextpnr-ice40": `[ -e ` + dir + `/full ] && { echo 'ERROR: Unable to find legal placement for all cells'; exit 1; }
echo '{"fmax": {"clk": {"achieved": 400}}}' >report.json; echo >out.asc`,
		"icepack": `printf bits >out.bin`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	run := func(flags ...string) (code int, out, report string) {
		t.Setenv(sim.CacheEnv, t.TempDir())
		var o, e strings.Builder
		code = Run(append([]string{"synth", "-config", file, "-native"}, flags...), &o, &e)
		return code, o.String(), e.String()
	}
	code, out, report := run("-bitstream", "-")
	require.Zero(t, code, report)
	require.Equal(t, "bits", out)
	require.Contains(t, report, "MHz asked for: met")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "full"), nil, 0o600))
	code, out, report = run("-json")
	require.Equal(t, diag.ExitFailed, code)
	require.Contains(t, report, req.Top+" does not fit hx8k")
	var res synth.Result
	require.NoError(t, json.Unmarshal([]byte(out), &res))
	require.Equal(t, 1, res.Area.LUTs)
	require.Contains(t, res.TooLarge, "does not fit hx8k")
}
