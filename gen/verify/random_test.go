// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
	"hwgen/gen/design"
)

// Whatever is drawn is a config that the generator takes, and all that a config can say is drawn.
func TestRandomConfigs(t *testing.T) {
	seen := map[string]bool{}
	cores, clusters := 0, 0
	for seed := int64(1); seed <= 2000; seed++ { // those of `make fuzz`
		d, err := loadRandom(seed, "", false)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, d.Text)
		}
		for _, l := range strings.Split(d.Text, "\n") {
			k, v, _ := strings.Cut(l, " = ")
			seen[k] = true
			if k == "policy" || k == "kind" || k == "bind" || k == "balancer" || k == "decrypt" || k == "data_width" || k == "lane" {
				seen[k+" "+strings.Trim(v, `"`)] = true
			}
		}
		clusters = max(clusters, len(d.Design.Clusters))
		for _, c := range d.Design.Clusters {
			cores = max(cores, c.NumCores)
		}
	}
	want := []string{
		"name", "packet_bytes", "slots", "requesters", "lambda", "alpha", "beta", "score_bits", "programmable", "wait_queue",
		"report_core", "algorithm", "queue", "choose_list", "key_slots", "slot_quota", "count", "module", "sources", "cycles",
		"axil", "counters", "clock_hz", "baud", "window", "lane wide", "lane serial", "bind in_flight", "bind job", "balancer tree", "balancer scan", "decrypt false", "data_width 32", "data_width 64",
		"data_width 128",
	}
	for _, p := range config.PolicyNames() {
		want = append(want, "policy "+p)
	}
	for _, k := range config.Kinds {
		want = append(want, "kind "+k.Name)
	}
	for _, w := range want {
		require.True(t, seen[w], "%q is never drawn", w)
	}
	require.Equal(t, config.MaxClusters, clusters)
	require.Greater(t, cores, config.MaxCores/2)
}

// A seed names one design; another name changes nothing else.
func TestRandomSeedNamesADesign(t *testing.T) {
	for seed := range int64(20) {
		a, err := NewRandomDesign(seed)
		require.NoError(t, err)
		b, err := NewRandomDesign(seed)
		require.NoError(t, err)
		require.Equal(t, a.Text, b.Text)
		require.Equal(t, a.Files, b.Files)
		c, err := loadRandom(seed, "other", false)
		require.NoError(t, err)
		require.Len(t, c.Design.Clusters, len(a.Design.Clusters))
		shape := func(d *design.Design) (s []any) {
			for _, c := range d.Clusters {
				s = append(s, c.Queue, c.Choose, c.KeySlots, c.SlotQuota, c.Tables)
				for _, co := range c.Cores {
					s = append(s, co.Kind, co.Cap, co.Cycles, co.Support)
				}
			}
			return append(s, d.DataW, d.PktBytes, d.Slots, d.Requesters, d.Policy, d.Scan, d.BindJob, d.WaitQueue)
		}
		require.Equal(t, shape(a.Design), shape(c.Design))
	}
}

// What -out writes is a config that the other commands take, and the same design.
func TestWriteRandomDesign(t *testing.T) {
	dir := t.TempDir()
	for _, seed := range []int64{1, 2, 3, 4, 5, 6, 7, 8} {
		require.NoError(t, WriteRandomDesign(seed, dir))
		c, err := config.Load(filepath.Join(dir, RandomConfigName))
		require.NoError(t, err)
		d, err := design.Elaborate(c)
		require.NoError(t, err)
		want, err := loadRandom(seed, "", false)
		require.NoError(t, err)
		require.Equal(t, want.Design.Name, d.Name)
		require.Len(t, d.Clusters, len(want.Design.Clusters))
	}
}

// 24 small random designs through all, 200 more through lint. `make fuzz` does 2000, large ones too.
func TestRandomDesigns(t *testing.T) {
	needTools(t)
	for _, o := range []RandomOptions{
		{Seed: 1, Count: 24, Small: true},
		{Seed: 1001, Count: 200, Small: true, Lint: true},
	} {
		rep, err := RandomDesigns(context.Background(), o)
		require.NoError(t, err)
		require.True(t, rep.OK, "\n%s", rep.Table())
		require.Equal(t, o.Count, rep.Done)
		t.Log(rep.Table())
	}
}

// Faults put into random designs are found, and named with their seed: by lint in the one design that has it, by jobs.
func TestRandomDesignsFindFaults(t *testing.T) {
	needTools(t)
	put := func(file, old, neu string) func(int64, map[string][]byte) {
		return func(seed int64, files map[string][]byte) {
			for p, b := range files {
				if seed == 3 && strings.HasSuffix(p, file) {
					require.Contains(t, string(b), old)
					files[p] = []byte(replaceLast(string(b), old, neu))
				}
			}
		}
	}
	lint := RandomOptions{Seed: 2, Count: 2, Lint: true, change: put("_top.v", "endmodule", "wire nothing_reads_this;\nendmodule")}
	latch := RandomOptions{Seed: 2, Count: 2, Lint: true, change: put("_top.v", "endmodule", `reg held;
  always @* if (rst) held = clear;
  wire _unused_held = &{1'b0, held};  // a latch alone, nothing else to complain of
endmodule`)}
	jobs := RandomOptions{Seed: 3, Count: 1, change: put("_lane.v", "assign fl_iv     = ask_tag | ~ask_blk;", "assign fl_iv     = ask_tag;")}
	// no loop of logic, but Verilator's order of a whole vector has one: what lint alone does not look for
	loop := RandomOptions{Seed: 3, Count: 1, change: put("_top.v", "endmodule", `wire [1:0] ring = {ring[0], clear};
  always @(posedge clk) if (ring[1]) $display("ring");
endmodule`)}
	for _, o := range []RandomOptions{lint, latch, jobs, loop} {
		o.State = filepath.Join(t.TempDir(), "state")
		rep, err := RandomDesigns(context.Background(), o)
		require.NoError(t, err)
		require.False(t, rep.OK)
		require.Len(t, rep.Failed, 1)
		require.Equal(t, int64(3), rep.Failed[0].Seed)
		d, err := NewRandomDesign(3)
		require.NoError(t, err)
		for _, s := range []string{"seed 3:", strings.ReplaceAll(strings.TrimSpace(d.Text), "\n", "\n    "), "hwgen fuzz-designs -seed 3 -count 1"} {
			require.Contains(t, rep.Table(), s)
		}
		// taken up again without the fault, the one that failed is done again
		o.change = nil
		rep, err = RandomDesigns(context.Background(), o)
		require.NoError(t, err)
		require.True(t, rep.OK, "\n%s", rep.Table())
		require.Equal(t, o.Count, rep.Done)
	}
}
