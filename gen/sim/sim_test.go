// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"encoding/binary"
	"fmt"
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

// tiny is a stand-in for a generated top: it answers every frame with the frame's header, after a while, and each register
// access with nothing. What it does wrong is chosen by +fault=N, so that each monitor can be seen to find its fault.
const tiny = `// tiny
module tiny_top (
  input wire clk, input wire rst, input wire clear,
  input wire [127:0] s_axis_job_tdata, input wire [15:0] s_axis_job_tkeep, input wire s_axis_job_tvalid,
  output wire s_axis_job_tready, input wire s_axis_job_tlast, input wire s_axis_job_tid,
  output wire [127:0] m_axis_result_tdata, output wire [15:0] m_axis_result_tkeep, output wire m_axis_result_tvalid,
  input wire m_axis_result_tready, output wire m_axis_result_tlast, output wire m_axis_result_tdest,
  input wire [11:0] s_axil_awaddr, input wire s_axil_awvalid, output wire s_axil_awready,
  input wire [31:0] s_axil_wdata, input wire [3:0] s_axil_wstrb, input wire s_axil_wvalid, output wire s_axil_wready,
  output wire [1:0] s_axil_bresp, output wire s_axil_bvalid, input wire s_axil_bready,
  input wire [11:0] s_axil_araddr, input wire s_axil_arvalid, output wire s_axil_arready,
  output wire [31:0] s_axil_rdata, output wire [1:0] s_axil_rresp, output wire s_axil_rvalid, input wire s_axil_rready,
  output wire irq,
  output wire [31:0] stat_accepted, output wire [31:0] stat_returned, output wire [2:0] stat_in_flight);
  integer fault;
  initial if (!$value$plusargs("fault=%d", fault)) fault = 0;

  reg taking, full, valid, second, spare, flip;
  reg [127:0] held;
  reg id;
  reg [2:0] wait_q;
  reg [31:0] in_q, out_q;
  assign s_axis_job_tready = !full;
  wire in_beat = s_axis_job_tvalid && s_axis_job_tready;
  wire in_all = in_beat && (s_axis_job_tlast || fault == 1);
  wire lost = (fault == 2 || fault == 16) && held[96 +: 4] == 9;
  wire out_beat = valid && m_axis_result_tready;
  wire two = fault >= 10 && fault < 20 && fault != 16 && fault != 17;  // results of two beats
  wire more = two && full && (!second || fault == 11);
  wire out_all = out_beat && (second || !two) && full && fault != 11;
  always @(posedge clk) begin
    if (in_beat) begin
      taking <= !s_axis_job_tlast;
      if (!taking) begin held <= s_axis_job_tdata; id <= s_axis_job_tid; end
    end
    if (in_all) begin full <= 1; wait_q <= 0; in_q <= in_q + 1; end
    if (full && !valid) begin
      wait_q <= wait_q + 1;
      valid <= wait_q == 5 && !lost;
      if (wait_q == 5 && lost && fault == 16) begin full <= 0; out_q <= out_q + 1; valid <= 0; end
    end
    flip <= valid && !out_beat && !flip;
    if (out_beat) begin second <= more; valid <= more; end
    if (out_all) begin
      spare <= held[96 +: 4] == 7 && !spare;
      if (!(fault == 3 && held[96 +: 4] == 7 && !spare)) begin full <= 0; out_q <= out_q + 1; end
      if (fault == 19 && full && held[96 +: 8] == 39) begin valid <= 1; second <= 0; end
    end
    if (rst || clear) begin
      taking <= 0; full <= 0; valid <= 0; second <= 0; spare <= 0; flip <= 0; in_q <= 0; out_q <= 0; wait_q <= 0;
      held <= 0; id <= 0;
    end
  end
  assign stat_accepted = in_q + {31'd0, fault == 4};
  assign stat_returned = out_q + {31'd0, fault == 4};
  wire [31:0] fly = in_q - out_q;
  assign stat_in_flight = fly[2:0] + {2'd0, fault == 5 && wait_q == 3};
  assign m_axis_result_tvalid = valid;
  assign m_axis_result_tlast = two ? second && fault != 11 : 1'b1;
  assign m_axis_result_tdest = id ^ (fault == 6) ^ (fault == 12 && second);
  assign m_axis_result_tdata = second ? {120'd0, fault == 13 ? 8'h55 : 8'h00} :
    fault == 14 || fault == 17 ? {64'd0, held[63:0]} : held ^ {119'd0, fault == 7, 8'd0} ^ {87'd0, fault == 8 && flip, 40'd0};
  assign m_axis_result_tkeep = fault == 9 ? 16'hfffb : fault == 14 && !second || fault == 17 ? 16'h00ff :
    fault == 13 && second || fault == 15 && second ? 16'h0000 : 16'hffff;

  // registers: an answer a cycle after the request has been taken
  reg aw, w, b, r;
  assign s_axil_awready = !aw && fault != 20;
  assign s_axil_wready = !w && fault != 20;
  assign s_axil_arready = !r && fault != 21;
  wire write = aw && w;
  always @(posedge clk) begin
    aw <= (aw || s_axil_awvalid && s_axil_awready) && !s_axil_bvalid;
    w <= (w || s_axil_wvalid && s_axil_wready) && !s_axil_bvalid;
    r <= s_axil_arvalid && s_axil_arready;
    b <= s_axil_bvalid;
    if (rst) begin aw <= 0; w <= 0; b <= 0; r <= 0; end
  end
  assign s_axil_bvalid = fault == 20 ? s_axil_awvalid : fault == 22 ? r : write || fault == 23 && b;
  assign s_axil_rvalid = fault == 21 ? s_axil_arvalid : fault == 22 ? write : r;
  assign s_axil_bresp = 0;
  assign s_axil_rresp = 0;
  assign s_axil_rdata = 0;
  assign irq = 0;
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
[control]
axil = true
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

func tinyFiles(t testing.TB, text string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{"rtl/tiny_top.v": []byte(text)}
	for _, n := range []string{"main.cpp", "port.h", "stimulus.h", "trace.h"} {
		b, err := os.ReadFile(filepath.Join("..", "..", "verilator", "sim", n))
		require.NoError(t, err)
		files["verilator/sim/"+n] = b
	}
	files["verilator/sim/config.h"] = []byte("#define SIM_DATA_W 128\n#define SIM_TABLES 0\n#define SIM_AXIL 1\n#define SIM_COUNTS 1\n")
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
	s, err := Build(context.Background(), tinyDesign(t), tinyFiles(t, tiny), Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		fault int
		want  string
	}{
		{0, ""},
		{1, "before its tlast"},
		{2, "no progress"},
		{3, "belongs to no frame in flight"}, // a result twice
		{4, "stat_accepted 1 after 0 frames"},
		{5, "accepted"},
		{6, "belongs to no frame in flight"}, // another requester's
		{7, "belongs to no frame in flight"}, // another header
		{8, "changed while it was stalled"},
		{9, "has a hole"},
		{11, "a result frame of more than"},
		{12, "tdest changed inside a frame"},
		{13, "byte with tkeep 0 is not 0"},
		{14, "tkeep is not full before tlast"},
		{15, "tlast without a byte"},
		{16, "stat_returned 11 after 10 frames"}, // swallowed
		{17, "result frame of 8 bytes"},
		{19, "a result without its end"},
		{20, "bvalid before the write was taken"},
		{21, "rvalid before the read was taken"},
		{22, "the answer of the other channel"},
		{23, "an answer to nothing"},
	} {
		st := stimulus(40)
		st.Bus = []workload.BusAccess{{At: 100, Write: true, Strobes: 15}, {At: 200}, {At: 300, Write: true, Strobes: 15}}
		st.Frames[5].Bytes = append(st.Frames[5].Bytes, make([]byte, 16)...)
		s.Args = []string{fmt.Sprintf("+fault=%d", c.fault)}
		o, err := s.Run(st)
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
	s, err := Build(context.Background(), tinyDesign(t), tinyFiles(t, tiny), Options{})
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
			s, err := Build(context.Background(), d, tinyFiles(t, tiny), Options{})
			if err == nil {
				_, err = s.Run(stimulus(4))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	again, err := Build(context.Background(), d, tinyFiles(t, tiny), Options{Note: func(string, ...any) { t.Error("compiled twice") }})
	require.NoError(t, err)
	require.True(t, again.Cached)
	other, err := Build(context.Background(), d, tinyFiles(t, strings.Replace(tiny, "held ^", "~held ^", 1)), Options{})
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
	files := tinyFiles(t, tiny)
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
