// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/tool"
	"hwgen/gen/workload"
)

// tiny is a stand-in for a generated top: it answers every header-only frame with itself, after a while. What it does
// wrong is chosen by a define, so that each monitor can be seen to find its fault.
const tiny = `// tiny
module tiny_top (
  input wire clk, input wire rst, input wire clear,
  input wire [127:0] s_axis_job_tdata, input wire [15:0] s_axis_job_tkeep, input wire s_axis_job_tvalid,
  output wire s_axis_job_tready, input wire s_axis_job_tlast, input wire s_axis_job_tid,
  output reg [127:0] m_axis_result_tdata, output reg [15:0] m_axis_result_tkeep, output reg m_axis_result_tvalid,
  input wire m_axis_result_tready, output reg m_axis_result_tlast, output reg m_axis_result_tdest,
  output reg [31:0] stat_accepted, output reg [31:0] stat_returned, output wire [2:0] stat_in_flight);
  reg full; reg [127:0] held; reg id; reg [2:0] wait_q;
  assign s_axis_job_tready = !full;
  wire [31:0] fly = stat_accepted - stat_returned;
  assign stat_in_flight = fly[2:0] FAULT_COUNT;
  always @(posedge clk) begin
    if (s_axis_job_tvalid && s_axis_job_tready) begin
      held <= s_axis_job_tdata; id <= s_axis_job_tid; full <= 1; wait_q <= 0; stat_accepted <= stat_accepted + 1;
    end
    if (full && !m_axis_result_tvalid) begin
      wait_q <= wait_q + 1;
      if (wait_q == 5 FAULT_LOSE) begin
        m_axis_result_tvalid <= 1; m_axis_result_tdata <= held FAULT_DATA; m_axis_result_tkeep <= 16'hffff FAULT_KEEP;
        m_axis_result_tlast <= 1; m_axis_result_tdest <= id FAULT_DEST;
      end
    end
    if (m_axis_result_tvalid) begin
      FAULT_CHANGE
      if (m_axis_result_tready) begin
        m_axis_result_tvalid <= 0; full <= 0; stat_returned <= stat_returned + 1;
      end
    end
    if (rst || clear) begin
      full <= 0; m_axis_result_tvalid <= 0; stat_accepted <= 0; stat_returned <= 0; wait_q <= 0;
      m_axis_result_tdata <= 0; m_axis_result_tkeep <= 0; m_axis_result_tlast <= 0; m_axis_result_tdest <= 0;
    end
  end
endmodule
`

const tinyConfig = `
[design]
name = "tiny"
slots = 4
requesters = 2
packet_bytes = 16
[scheduler]
programmable = false
[[cluster]]
name = "a"
algorithm = "aes128"
queue = 2
[[cluster.core]]
kind = "aes128_4sbox"
queue = 2
`

func tinyDesign(t testing.TB) *design.Design {
	t.Helper()
	c, err := config.Parse("tiny.toml", ".", []byte(tinyConfig))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	return d
}

func tinyFiles(t testing.TB, fault, text string) map[string][]byte {
	t.Helper()
	v := []byte(tiny)
	for _, f := range []string{"COUNT", "LOSE", "DATA", "KEEP", "DEST", "CHANGE"} {
		s := ""
		if f == fault {
			s = text
		}
		v = bytes.ReplaceAll(v, []byte("FAULT_"+f), []byte(s))
	}
	files := map[string][]byte{"rtl/tiny_top.v": v}
	for _, n := range []string{"main.cpp", "port.h", "stimulus.h", "trace.h"} {
		b, err := os.ReadFile(filepath.Join("..", "..", "verilator", "sim", n))
		require.NoError(t, err)
		files["verilator/sim/"+n] = b
	}
	files["verilator/sim/config.h"] = []byte("#define SIM_DATA_W 128\n#define SIM_TABLES 0\n#define SIM_AXIL 0\n")
	return files
}

// needTools fails, with how to install it, if a tool is missing: no test is skipped.
func needTools(t *testing.T) {
	t.Helper()
	require.NoError(t, tool.Need(tool.Verilator, tool.Compiler, tool.Make))
}

func stimulus(n int) *workload.Stimulus {
	st := &workload.Stimulus{Seed: 3, Stall: 0.5, Gap: 0.2, Watchdog: 2000}
	for i := range n {
		f := workload.Frame{TID: i % 2, Group: 0, Bytes: workload.Header{Version: 1, Cookie: uint32(i)}.Bytes()}
		if i > 0 && i%3 == 0 {
			f.AfterResult = []int{i - 1}
		}
		if i > 1 {
			f.AfterSent = []int{i - 2}
		}
		st.Frames = append(st.Frames, f)
	}
	return st
}

func TestMonitorsSeeFaults(t *testing.T) {
	needTools(t)
	t.Setenv(CacheEnv, t.TempDir())
	d := tinyDesign(t)
	for _, c := range []struct{ fault, text, want string }{
		{"", "", ""},
		{"COUNT", "+ (wait_q == 3)", "accepted"},
		{"LOSE", "&& held[96 +: 4] != 9", "no progress"},
		{"DATA", "^ 128'h100", "belongs to no frame in flight"},
		{"KEEP", "& ~16'h4", "has a hole"},
		{"DEST", "^ 1'b1", "belongs to no frame in flight"},
		{"CHANGE", "m_axis_result_tdata[40] <= ~m_axis_result_tdata[40];", "changed while it was stalled"},
	} {
		s, err := Build(context.Background(), d, tinyFiles(t, c.fault, c.text), Options{})
		require.NoError(t, err, c.fault)
		o, err := s.Run(stimulus(40))
		require.NoError(t, err, c.fault)
		if c.want == "" {
			require.Empty(t, o.Violations, c.fault)
			require.Len(t, o.Results, 40)
			for i := range o.Results {
				r := &o.Results[i]
				require.Equal(t, uint32(r.Frame), r.Header().Cookie)
				require.Greater(t, r.First, o.Sent[r.Frame].Last)
				for _, j := range stimulus(40).Frames[r.Frame].AfterResult {
					require.Greater(t, o.Sent[r.Frame].First, o.Results[j].Last)
				}
			}
			continue
		}
		require.NotEmpty(t, o.Violations, c.fault)
		require.Contains(t, strings.Join(o.Violations, "\n"), c.want, c.fault)
	}
}

// The time to an arrival far away is skipped, and cycle numbers say so.
func TestLateArrival(t *testing.T) {
	needTools(t)
	t.Setenv(CacheEnv, t.TempDir())
	s, err := Build(context.Background(), tinyDesign(t), tinyFiles(t, "", ""), Options{})
	require.NoError(t, err)
	st := stimulus(4)
	const late = 1 << 40
	st.Frames[2].Arrival, st.Frames[3].Arrival = late, late+5000
	st.Frames[3].AfterResult = nil
	o, err := s.Run(st)
	require.NoError(t, err)
	require.Empty(t, o.Violations)
	require.Len(t, o.Results, 4)
	require.Less(t, o.Sent[1].First, uint64(1000))
	for i, at := range map[int]uint64{2: late, 3: late + 5000} {
		require.GreaterOrEqual(t, o.Sent[i].First, at)
		require.Less(t, o.Sent[i].First, at+100)
	}
	require.Less(t, o.Counters.Cycles, uint64(late+10000))
}

func TestCacheByContent(t *testing.T) {
	needTools(t)
	dir := t.TempDir()
	t.Setenv(CacheEnv, dir)
	d := tinyDesign(t)
	// two at a time: both have to get a program that works
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			s, err := Build(context.Background(), d, tinyFiles(t, "", ""), Options{})
			if err == nil {
				_, err = s.Run(stimulus(4))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	again, err := Build(context.Background(), d, tinyFiles(t, "", ""), Options{Note: func(string, ...any) { t.Error("compiled twice") }})
	require.NoError(t, err)
	require.True(t, again.Cached)
	other, err := Build(context.Background(), d, tinyFiles(t, "DATA", "^ 128'h1"), Options{})
	require.NoError(t, err)
	require.NotEqual(t, again.Binary, other.Binary)
	l, err := os.ReadDir(filepath.Join(dir, "sim"))
	require.NoError(t, err)
	require.Len(t, l, 2) // nothing else is left
}

func TestBuildErrors(t *testing.T) {
	needTools(t)
	t.Setenv(CacheEnv, t.TempDir())
	d := tinyDesign(t)
	files := tinyFiles(t, "", "")
	files["rtl/tiny_top.v"] = []byte("module tiny_top (\n")
	_, err := Build(context.Background(), d, files, Options{})
	require.ErrorContains(t, err, "tiny_top.v")
	require.Equal(t, diag.ExitTool, diag.ExitCode(err))
	t.Setenv("PATH", t.TempDir())
	_, err = Build(context.Background(), d, files, Options{})
	require.ErrorContains(t, err, "install")
	require.Equal(t, diag.ExitTool, diag.ExitCode(err))
}

func TestResultFileCutShort(t *testing.T) {
	for _, b := range [][]byte{nil, {1, 2, 3}, binary.LittleEndian.AppendUint32(nil, resultMagic)} {
		_, err := readOutcome(b)
		require.Error(t, err)
	}
}
