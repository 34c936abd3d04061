// SPDX-License-Identifier: Apache-2.0

// Package policy turns scheduling policies into what the one balancer needs: tables of scores in fixed point, or a
// pointer. Of the cores that compete (able, not barred, not full) the one with the least
//
//	score_j = acc_j + base[j][op]
//
// wins, ties to the lowest index. A dispatch of b blocks adds inc[j][op]*b to acc_j (inc[j][op] once, if PerPacket), a
// credit takes the same back (if GiveBack). With a policy's times t_j[op] in cycles a block and P blocks in a full packet:
//
//	policy    base                                        inc            unit
//	weighted  -(alpha/beta)*v_j[op]                       1/(P*cap_j)    a queue
//	ect       P*t_j[op]                                   t_j[op]        a cycle
//	affinity  P*(t_j[op] + lambda*(t_j[op] - y[op]*m_j))  t_j[op]        a cycle
//	jsq       0                                           1 a packet     a packet
//	wrr       P*t_j[op]                                   t_j[op]        a cycle; never given back, compared modulo 2^AccW
//
// v_j the speed (see Speeds), m_j the mean of t_j over the commands that core j does, y[op] = min_j t_j[op]/m_j.
//
// # Exactly
//
// All inc of a cluster are multiples of one number, their greatest common divisor; with that as the unit every acc is an
// integer, and only base is not. Of two scores with different integer parts the integer parts decide; with equal ones the
// fractions of base do. So nothing but the order of the fractions matters: base is stored as its integer part and the
// rank of its fraction among the cores of the cluster and command, in just as many bits as there are ranks. Every
// comparison, ties included, then comes out as in exact arithmetic. A constant taken from all bases of a command changes
// no decision, nor does it to shorten a gap between neighbouring bases to just above any difference of accs; that bounds
// the width whatever alpha/beta and lambda are. With beta = 0 (no inc) base is the rank of -v_j. A core that shares no
// command with another has no inc: nothing depends on its acc.
//
// wrr needs no fractions, but its accs grow without end. See Tables.AccW.
//
// # Rounded
//
// Scores have at most MaxWidth bits. If exact tables take more, Build refuses; if Input.Bits says fewer than they take,
// tables are rounded to that, and a state is searched in which that shows (Counterexample).
package policy

import (
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
)

// NumOps is the number of commands.
const NumOps = 4

// OpNames are the commands' names.
var OpNames = [NumOps]string{"encrypt", "decrypt", "sign", "verify"}

// MaxWidth is the widest score, in bits: a table entry fits a register of the control port.
const MaxWidth = 32

// Names are the policies, the default of configs first.
var Names = []string{"affinity", "weighted", "ect", "jsq", "wrr", "round_robin", "round_robin_skip", "static"}

// Pointer is how a policy without scores chooses: the first core at or after the pointer that may be taken.
type Pointer int

// Pointer policies; the values are those of the RTL's parameter POINTER. PointerNone is a score policy. PointerBlock and
// PointerStatic wait for the core that they point at, PointerSkip passes over full ones. Unbound dispatches put the
// pointer behind the core that they chose; with PointerStatic every dispatch moves it by one core.
const (
	PointerNone Pointer = iota
	PointerBlock
	PointerSkip
	PointerStatic
)

// Input is a cluster as a policy sees it.
type Input struct {
	Cycles       [][NumOps]int // a block, [core][op]; 0: the core does not do the command
	Caps         []int         // packets
	PktBlocks    int           // blocks of a full packet
	Alpha, Beta  float64       // weighted
	Lambda       float64       // affinity
	Programmable bool          // leave room for tables that are written later
	Bits         int           // score width that is asked for; 0: as it comes
	Slots        int           // packets that can be in the scheduler at a time; 0: no matter
}

// Tables are a policy's tables in fixed point.
type Tables struct {
	Base [][NumOps]uint64 // 0 where the core does not do the command
	Inc  [][NumOps]uint64 // a block, or a packet if PerPacket; likewise
	// Frac is the number of bits below one unit, the greatest common divisor of the increments.
	Frac int
	// AccW holds every acc + base that can occur, and all ones besides, which is free to mean "does not compete".
	//
	// Of wrr it holds the modular range: with ref, the winning score of the last unbound decision, never below its own
	// maximum so far by base or more, accs lie between that maximum less the largest base and it plus 2^(AccW-2) (beyond
	// which a dispatch adds nothing) plus one dispatch. Two scores are then less than 2^(AccW-1) apart, so that the top
	// bit of their difference tells the less, if 2*base + P*inc < 2^(AccW-2) for the largest base and inc.
	AccW  int
	IncW  int
	Exact bool // no comparison differs from exact arithmetic
	// BaseMax is the largest base that a host may write, given these increments, without an overflow of AccW bits (wrr:
	// of the modular range). With other increments: base[j][op] + cap_j*P*inc[j][op'] <= 2^AccW - 2 for all j, op, op'.
	BaseMax                      uint64
	PerPacket, GiveBack, Modular bool
	Pointer                      Pointer
	// Unit is what scores count, and PerUnit how many steps of the tables make one; "" for pointer policies.
	Unit    string
	PerUnit float64
	// Need is how many bits exact tables take without room for others; AccW is less if they are rounded.
	Need int
	// Counter is a state in which rounded tables choose another core than exact arithmetic. It is nil if Exact, and if
	// none was found in the time given.
	Counter *Counterexample
}

// WidthError says that a cluster's scores do not fit.
type WidthError struct {
	Need  int // bits of exact tables
	Least int // bits that hold a step of each core
	Bits  int // as asked for; 0: not
}

func (e *WidthError) Error() string {
	if e.Bits == 0 {
		return fmt.Sprintf("exact scores take %d bits", e.Need)
	}
	return fmt.Sprintf("%d bits hold no score: the least is %d, exact scores take %d", e.Bits, e.Least, e.Need)
}

// Build computes the tables of a policy. The error is a *WidthError if scores do not fit.
func Build(name string, in Input) (*Tables, error) {
	if len(in.Cycles) == 0 || len(in.Cycles) != len(in.Caps) || in.PktBlocks < 1 || in.Bits < 0 || in.Bits > MaxWidth {
		return nil, fmt.Errorf("policy %s: %d cores, %d caps, %d blocks a packet, %d bits", name, len(in.Cycles), len(in.Caps),
			in.PktBlocks, in.Bits)
	}
	for j, c := range in.Caps {
		if c < 1 {
			return nil, fmt.Errorf("policy %s: cap of core %d is %d", name, j, c)
		}
		for op, t := range in.Cycles[j] {
			if t < 0 {
				return nil, fmt.Errorf("policy %s: core %d takes %d cycles to %s a block", name, j, t, OpNames[op])
			}
		}
	}
	var s *scores
	switch name {
	case "weighted":
		alpha, beta := rat(in.Alpha), rat(in.Beta)
		if alpha == nil || beta == nil || alpha.Sign() < 0 || beta.Sign() < 0 || alpha.Sign()+beta.Sign() == 0 {
			return nil, fmt.Errorf("weighted: alpha %v, beta %v", in.Alpha, in.Beta)
		}
		s = weighted(in, alpha, beta)
	case "jsq":
		s = shortestQueue(in)
	case "ect":
		s = completionTime(in)
	case "affinity":
		lambda := rat(in.Lambda)
		if lambda == nil || lambda.Sign() < 0 {
			return nil, fmt.Errorf("affinity: lambda %v", in.Lambda)
		}
		s = affinity(in, lambda)
	case "wrr":
		return stride(in)
	case "round_robin":
		return pointer(in, PointerBlock), nil
	case "round_robin_skip":
		return pointer(in, PointerSkip), nil
	case "static":
		return pointer(in, PointerStatic), nil
	default:
		return nil, fmt.Errorf("unknown policy %q", name)
	}
	return s.tables()
}

func pointer(in Input, p Pointer) *Tables {
	n := len(in.Cycles)
	return &Tables{Base: make([][NumOps]uint64, n), Inc: make([][NumOps]uint64, n), AccW: 1, IncW: 1, Need: 1, Exact: true,
		Pointer: p}
}

// rat is the decimal that a float was written as: 0.05 is 1/20; nil if it is not finite.
func rat(f float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok {
		return nil
	}
	return r
}

// incWidth is the bits of the widest increment, at least 1.
func incWidth(inc [][NumOps]uint64) int {
	w := 1
	for _, row := range inc {
		for _, i := range row {
			w = max(w, bits.Len64(i))
		}
	}
	return w
}
