// SPDX-License-Identifier: Apache-2.0

package board

import (
	"fmt"
	"math"

	"hwgen/gen/part"
)

// PLL is the setting of a family's PLL, in the names of its dividers: reference, feedback, output.
type PLL struct {
	Hz          int // what comes out
	Ref, FB, Op int
	Out         int // ECP5: of the output that is the clock; Op is that of the one that is fed back
	Range       int // iCE40's filter range
}

// pllLimits of a family, in Hz: the phase detector's input, the oscillator, what comes out; and the dividers to choose
// from. From the data sheets.
type pllLimits struct {
	pfdLo, pfdHi, vcoLo, vcoHi, outLo, outHi float64
	refMax, fbMax                            int
	ops                                      []int
	feedbackVCO                              bool // the feedback divides the oscillator, not the output
	second                                   bool // the clock has an output of its own, not the one that is fed back
}

func limitsOf(f part.Family) pllLimits {
	switch f {
	case part.ICE40:
		return pllLimits{10e6, 133e6, 533e6, 1066e6, 16e6, 275e6, 16, 128, []int{2, 4, 8, 16, 32, 64}, true, false}
	case part.ECP5:
		return pllLimits{10e6, 400e6, 400e6, 800e6, 3.125e6, 400e6, 128, 80, upTo(128), false, true}
	case part.Gowin:
		return pllLimits{3e6, 400e6, 500e6, 1200e6, 4e6, 600e6, 64, 64, []int{2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128}, false, false}
	default:
		return pllLimits{19e6, 450e6, 800e6, 1600e6, 6.25e6, 800e6, 56, 64, upTo(128), true, false}
	}
}

func upTo(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i + 1
	}
	return s
}

// pllFor finds the setting that comes nearest to a frequency without going above it by more than a hertz.
func pllFor(f part.Family, in, want int) (*PLL, error) {
	l := limitsOf(f)
	var best *PLL
	bestOut, above := 0.0, math.Inf(1)
	for ref := 1; ref <= l.refMax; ref++ {
		pfd := float64(in) / float64(ref)
		if pfd < l.pfdLo || pfd > l.pfdHi {
			continue
		}
		for fb := 1; fb <= l.fbMax; fb++ {
			for _, op := range l.ops {
				vco := pfd * float64(fb)
				if !l.feedbackVCO {
					vco *= float64(op)
				}
				if vco < l.vcoLo || vco > l.vcoHi {
					continue
				}
				outs := []int{op}
				if l.second {
					if fed := vco / float64(op); fed < l.outLo || fed > l.outHi {
						continue
					}
					o := int(math.Ceil(vco / (float64(want) + 1)))
					outs = []int{min(max(o-1, 1), 128), min(max(o, 1), 128)}
				}
				for _, o := range outs {
					out := vco / float64(o)
					switch {
					case out < l.outLo || out > l.outHi:
					case out > float64(want)+1:
						above = min(above, out)
					case out > bestOut:
						bestOut = out
						best = &PLL{Hz: int(out + 0.5), Ref: ref, FB: fb, Op: op, Out: o}
					}
				}
			}
		}
	}
	// a clock far below the one asked for is no answer
	if best == nil || bestOut < 0.9*float64(want) {
		low, high := math.Inf(1), bestOut
		if above < math.Inf(1) {
			low = above
		}
		hint := ""
		switch {
		case high > 0 && !math.IsInf(low, 1):
			hint = fmt.Sprintf("; the nearest are %s and %s", mhz(int(high)), mhz(int(low)))
		case high > 0:
			hint = fmt.Sprintf("; the highest is %s", mhz(int(high)))
		case !math.IsInf(low, 1):
			hint = fmt.Sprintf("; the lowest is %s", mhz(int(low)))
		}
		return nil, fmt.Errorf("the board's PLL cannot make %s MHz from %s MHz%s", mhz(want), mhz(in), hint)
	}
	if f == part.ICE40 {
		best.Range = filterRange(float64(in) / float64(best.Ref))
	}
	return best, nil
}

// filterRange of an iCE40 PLL follows from its phase detector's input.
func filterRange(pfd float64) int {
	for i, top := range []float64{17e6, 26e6, 44e6, 66e6, 101e6} {
		if pfd < top {
			return i + 1
		}
	}
	return 6
}

// What the templates print.

// DivR, DivF, DivQ of an iCE40.
func (p *PLL) DivR() string { return fmt.Sprintf("4'd%d", p.Ref-1) }

// DivF is the feedback divider.
func (p *PLL) DivF() string { return fmt.Sprintf("7'd%d", p.FB-1) }

// DivQ is the exponent of the output divider.
func (p *PLL) DivQ() string { return fmt.Sprintf("3'd%d", int(math.Log2(float64(p.Op))+0.5)) }

// Phase is an ECP5's coarse phase of the output that is fed back.
func (p *PLL) Phase() int { return p.Op / 2 }

// OutPhase is that of the output that is the clock.
func (p *PLL) OutPhase() int { return p.Out / 2 }

// RefSel and FBSel are a Gowin's dividers, less one.
func (p *PLL) RefSel() int { return p.Ref - 1 }

// FBSel is the feedback divider, less one.
func (p *PLL) FBSel() int { return p.FB - 1 }
