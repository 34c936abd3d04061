// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"slices"

	"hwgen/gen/design"
	"hwgen/gen/workload"
)

// quotaTest holds results back until a cluster is over its quota.
type quotaTest struct {
	c    *design.Cluster
	st   *workload.Stimulus
	from int // first packet of the burst
	over int // packets above the quota
}

// newQuotaTest is the test of a cluster; nil if it has no quota, or nothing that fills it.
func newQuotaTest(d *design.Design, cluster int, seed int64) *quotaTest {
	c := d.Clusters[cluster]
	singles := workload.Pairs(c, false)
	if !c.HasQuota || c.SlotQuota >= d.Slots || len(singles) == 0 {
		return nil
	}
	g := workload.NewFrameGen(d, seed)
	x := workload.NewScript(g, cluster)
	g.Wait()
	// a long refused frame lets the load's slot come free
	bad := workload.Frame{Bytes: append(workload.Header{Version: 9}.Bytes(), g.Random(1024)...)}
	x.Do(workload.BadHeader, bad)
	g.Wait()
	q := &quotaTest{c: c, from: len(g.Frames), over: min(3, d.Slots-c.SlotQuota)}
	for range c.SlotQuota + q.over {
		g.Add(g.SinglePacket(cluster, 0, 0, singles[0]))
	}
	g.Wait()
	g.Add(g.SinglePacket(cluster, 0, 0, singles[0]))
	q.st = g.Stimulus(seed + 1)
	q.st.GroupLimit = nil
	q.st.Events = []workload.Event{{Kind: workload.EventStall, Frame: q.from, Length: 4000 + 100*d.Slots*d.PktBlocks}}
	return q
}

// check says what is wrong with a run.
func (q *quotaTest) check(o *workload.Outcome) []string {
	errs := slices.Clone(o.Violations)
	got := map[int]workload.Status{}
	for i := range o.Results {
		got[o.Results[i].Frame] = workload.Status(o.Results[i].Header().Status)
	}
	for i := q.from; i < len(q.st.Frames); i++ {
		want := workload.OK
		if n := i - q.from - q.c.SlotQuota; n >= 0 && n < q.over {
			want = workload.OverQuota
		}
		if s, ok := got[i]; !ok || s != want {
			errs = append(errs, fmt.Sprintf("cluster %s, quota %d: packet %d gets %s (result: %v), not %s", q.c.Name,
				q.c.SlotQuota, i-q.from, s, ok, want))
		}
	}
	return errs
}

func (r *run) quota(st *Step) error {
	st.Unit = "frames"
	for ci := range r.Design.Clusters {
		q := newQuotaTest(r.Design, ci, r.Seed)
		if q == nil {
			continue
		}
		o, err := r.simu.RunFiles(r.ctx, q.st, "", "")
		if err != nil {
			return err
		}
		st.Count += len(q.st.Frames)
		st.Errors = append(st.Errors, clip(q.check(o))...)
	}
	if st.Count == 0 {
		st.Skipped = "no cluster has a quota"
	}
	return nil
}
