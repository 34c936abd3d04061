// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"strings"

	"hwgen/gen/design"
)

// Hex lays out the frames of a plan and the results that the reference ciphers give, a beat a line: {tid, last, keep,
// data} as hex digits: 2, 1, and what the widths take. The core's index in a result is 0. Frame i is to be sent when
// result i-1 has come.
func (p *Plan) Hex(d *design.Design) (in, want string, n int, err error) {
	o, err := Fake{D: d}.Run(p.Stimulus(d))
	if err != nil {
		return "", "", 0, err
	}
	var a, b strings.Builder
	beat := func(w *strings.Builder, tid int, bt Beat) {
		last := 0
		if bt.Last {
			last = 1
		}
		fmt.Fprintf(w, "%02x%x%0*x", tid, last, (d.KeepW+3)/4, bt.Keep)
		for i := len(bt.Data) - 1; i >= 0; i-- {
			fmt.Fprintf(w, "%02x", bt.Data[i])
		}
		w.WriteByte('\n')
	}
	for i := range o.Results {
		res := &o.Results[i]
		f := &p.Frames[res.Frame]
		for _, bt := range Beatify(f.Bytes, d.KeepW) {
			beat(&a, f.TID, bt)
		}
		bytes := append([]byte(nil), res.Bytes...)
		bytes[10] = 0
		for _, bt := range Beatify(bytes, d.KeepW) {
			beat(&b, f.TID, bt)
		}
	}
	return a.String(), b.String(), len(o.Results), nil
}
