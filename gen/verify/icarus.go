// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hwgen/gen/tool"
	"hwgen/gen/workload"
)

// icarus runs vectors through the whole design in a second simulator, one frame after the other.
func (r *run) icarus(st *Step) error {
	d := r.Design
	bench := d.Name + "_smoke_tb"
	if _, ok := r.Files["tb/"+bench+".v"]; !ok {
		st.Skipped = "no bench"
		return nil
	}
	vs, err := r.vectors(st)
	if err != nil || len(vs) == 0 {
		return err
	}
	// a few of each cluster
	var some []Vector
	of := map[int]int{}
	for i := range vs {
		v := vs[(i*7)%len(vs)]
		if len(vs)%7 == 0 {
			v = vs[i]
		}
		if of[v.Cluster] < 6 {
			of[v.Cluster]++
			some = append(some, v)
		}
	}
	jobs := make([]workload.Job, len(some))
	for i := range some {
		jobs[i] = some[i].Job
		jobs[i].ID = uint32(i)
		jobs[i].PacketBytes = 32
	}
	if d.PktBytes < 32 {
		for i := range jobs {
			jobs[i].PacketBytes = 16
		}
	}
	p, err := workload.NewPlan(d, jobs)
	if err != nil {
		return err
	}
	in, want, n, err := p.Hex(d)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.dir, "smoke_in.hex"), []byte(in), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.dir, "smoke_out.hex"), []byte(want), 0o644); err != nil {
		return err
	}
	out := filepath.Join(r.dir, "smoke.vvp")
	args := []string{
		"-g2005", "-Wall", "-DHWGEN_SIM_TABLES", "-I", "rtl/external", "-s", bench, "-o", out, "tb/" + bench + ".v",
	}
	res, err := tool.Icarus.Run(r.ctx, r.dir, append(args, r.verilog()...)...)
	if err != nil {
		return err
	}
	if res.Code != 0 || strings.TrimSpace(res.Out) != "" {
		st.Errors = append(st.Errors, "iverilog -Wall:\n"+tool.Tail(res.Out, 8))
		return nil
	}
	msg, err := r.vvp(out, "+in=smoke_in.hex", "+out=smoke_out.hex", fmt.Sprintf("+frames=%d", n))
	if err != nil {
		return err
	}
	if msg != "" {
		st.Errors = append(st.Errors, msg)
	}
	st.Count = len(jobs)
	return nil
}
