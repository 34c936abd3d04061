// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"math/big"
	"sort"
	"strings"
)

// Counterexample is a state in which rounded tables choose another core than exact arithmetic.
//
// It can be reached: while a chained job has packets in flight, its next packets go to the same core, so that any core
// that is once chosen (at the latest when the others are full) can be given any number of packets of any length.
type Counterexample struct {
	Op      int           // command of the packet to place
	Packets []int         // on the cores; a full one does not compete
	Blocks  [][NumOps]int // of these, by command
	// Turns are the commands of the packets since reset, each of TurnBlocks blocks and done before the next came (wrr).
	Turns      []int
	TurnBlocks int
	Exact      Choice // what exact arithmetic chooses
	Rounded    Choice // what the tables choose
	Unit       string // of Choice.Score; "" if scores are an order
}

// Choice is a core with its score: in steps of the rounded tables, and exactly in the policy's unit. Exact scores are up
// to a constant of the command.
type Choice struct {
	Core  int
	Steps uint64
	Score *big.Rat
}

// String is one sentence.
func (c *Counterexample) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s goes to core %d, in exact arithmetic to core %d, ", OpNames[c.Op], c.Rounded.Core, c.Exact.Core)
	switch {
	case len(c.Turns) > 0:
		fmt.Fprintf(&b, "as packet %d after reset, after %s, each done before the next", len(c.Turns)+1, c.turns())
	case c.TurnBlocks > 0:
		b.WriteString("as the first packet after reset")
	default:
		b.WriteString(c.load())
	}
	x, y := decimals(c.Exact.Score, c.Rounded.Score)
	unit := ""
	if c.Unit != "" {
		unit = " " + c.Unit + "s"
	}
	fmt.Fprintf(&b, ": exact scores of cores %d and %d are %s and %s%s, rounded %d and %d",
		c.Exact.Core, c.Rounded.Core, x, y, unit, c.Exact.Steps, c.Rounded.Steps)
	return b.String()
}

func (c *Counterexample) turns() string {
	blocks := plural(c.TurnBlocks, "block")
	first := c.Turns[0]
	for _, op := range c.Turns {
		if op != first {
			return fmt.Sprintf("%d of %s and %s in turn, %s each", len(c.Turns), OpNames[first], OpNames[c.Turns[1]], blocks)
		}
	}
	return fmt.Sprintf("%d of %s, %s each", len(c.Turns), OpNames[first], blocks)
}

func (c *Counterexample) load() string {
	var s []string
	for j, n := range c.Packets {
		if n == 0 {
			continue
		}
		var parts []string
		for op, m := range c.Blocks[j] {
			if m > 0 {
				parts = append(parts, fmt.Sprintf("%s of %s", plural(m, "block"), OpNames[op]))
			}
		}
		s = append(s, fmt.Sprintf("%s (%s) on core %d", plural(n, "packet"), strings.Join(parts, ", "), j))
	}
	if len(s) == 0 {
		return "with all cores idle"
	}
	return "with " + strings.Join(s, ", ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// decimals writes two numbers with as many digits as tell them apart.
func decimals(a, b *big.Rat) (string, string) {
	for digits := 0; digits <= 30; digits++ {
		x, y := a.FloatString(digits), b.FloatString(digits)
		whole := a.IsInt() && b.IsInt()
		if whole || digits >= 3 && (x != y || a.Cmp(b) == 0) {
			return x, y
		}
	}
	return a.RatString(), b.RatString()
}

// load is what is in flight on one core: blocks (packets, if those are counted) by command, in as few packets as can be.
type load [NumOps]int

// Bounds of the search: comparisons, and different loads of a core.
const (
	maxStates = 1 << 19
	maxBetter = 1 << 12 // after a state was found
	maxLoads  = 1 << 13
)

// search is the search for a state in which rounded scores choose another core than exact ones.
//
// It compares the cores in pairs: in a state in which a pair comes out the wrong way round, and the others are full or
// lose, the decision is wrong; where no pair ever comes out wrong, no decision does.
type search struct {
	s              *scores
	exact, rounded *fixed
	list           []pair
	left           int             // comparisons
	all            bool            // nothing was left out
	best           *Counterexample // of those found, with the fewest packets
}

// counter runs the search. all says that there is none if none was found.
func (s *scores) counter(exact, rounded *fixed) (c *Counterexample, all bool) {
	x := &search{s: s, exact: exact, rounded: rounded, left: maxStates, all: true}
	x.listPairs()
	most, mixed := 0, false
	for j := range exact.base {
		most, mixed = max(most, s.in.Caps[j]-1), mixed || len(x.kinds(j)) > 1
	}
	try := x.single
	if mixed {
		try = x.mixed
	}
	for lo, hi := 0, 1; ; lo, hi = hi+1, hi*4 { // few packets first
		x.all = true
		try(lo, hi)
		switch {
		case x.best != nil:
			return x.best, false
		case x.left < 0 || hi >= most:
			return nil, x.all && x.left >= 0
		}
	}
}

// limit is the largest load in so many packets, at most that of a core that is not full.
func (x *search) limit(j, packets int) int {
	n := min(packets, x.s.in.Caps[j]-1)
	if !x.s.perPacket {
		n *= x.s.in.PktBlocks
	}
	return n
}

// kinds are the commands of a core with different increments.
func (x *search) kinds(j int) []int {
	var ops []int
next:
	for op, inc := range x.exact.inc[j] {
		if inc == nil {
			continue
		}
		for _, o := range ops {
			if x.exact.inc[j][o].Cmp(inc) == 0 {
				continue next
			}
		}
		ops = append(ops, op)
	}
	return ops
}

// pair is two cores, j < k, that both do a command.
type pair struct{ op, j, k, rank int }

// listPairs lists the pairs, those first that have the least bases of a command: they meet without others to be filled.
func (x *search) listPairs() {
	for op := range NumOps {
		var cores []int
		for j := range x.exact.base {
			if x.exact.base[j][op] != nil {
				cores = append(cores, j)
			}
		}
		sort.SliceStable(cores, func(a, b int) bool { return x.exact.base[cores[a]][op].Cmp(x.exact.base[cores[b]][op]) < 0 })
		for b := range cores {
			for a := range b {
				x.list = append(x.list, pair{op, min(cores[a], cores[b]), max(cores[a], cores[b]), a + b})
			}
		}
	}
	sort.SliceStable(x.list, func(a, b int) bool { return x.list[a].rank < x.list[b].rank })
}

// pairs calls f for the pairs, as long as there is time.
func (x *search) pairs(f func(op, j, k int)) {
	for _, p := range x.list {
		if x.left < 0 {
			return
		}
		f(p.op, p.j, p.k)
	}
}

// single goes through all loads where every core has one increment: those of the first core in lo to hi packets. For
// each, only that load of the other matters at which the preference changes.
func (x *search) single(lo, hi int) {
	x.pairs(func(op, j, k int) {
		a, b := x.kinds(j)[0], x.kinds(k)[0]
		limit := x.limit(k, x.s.in.Caps[k]-1) + 1
		from := 0
		if lo > 0 {
			from = x.limit(j, lo-1) + 1
		}
		for m := from; m <= x.limit(j, hi); m++ {
			if x.left--; x.left < 0 {
				return
			}
			var l, other load
			l[a] = m
			want := threshold(x.exact, op, j, l, k, b, limit)
			got := threshold(x.rounded, op, j, l, k, b, limit)
			if want != got {
				other[b] = min(want, got)
				x.wrong(op, map[int]load{j: l, k: other})
			}
		}
	})
}

// threshold is the least load of core k, of command b, with which core j < k with load l wins against it, at most limit.
func threshold(f *fixed, op, j int, l load, k, b, limit int) int {
	d := new(big.Int).Sub(f.score(j, op, l), f.base[k][op])
	switch inc := f.inc[k][b]; {
	case d.Sign() <= 0:
		return 0
	case inc.Sign() == 0:
		return limit
	default:
		d.Add(d, inc).Sub(d, big.NewInt(1)).Div(d, inc) // the ceiling
		if d.Cmp(big.NewInt(int64(limit))) > 0 {
			return limit
		}
		return int(d.Int64())
	}
}

// acc is a load's acc, exact and rounded.
type acc struct {
	exact, rounded int64
	load           load
	packets        int
}

// accs are those of all loads of a core, by exact acc; of those up to an index the one that is largest when rounded, and
// of those from it on the one that is least.
type accs struct {
	list        []acc
	most, least []int
}

// mixed goes through all loads of all commands in up to hi packets. Their accs fit 64 bits: cycles, caps and packets do.
func (x *search) mixed(_, hi int) {
	sets := make([]*accs, len(x.exact.base))
	set := func(j int) *accs {
		if sets[j] == nil {
			var whole bool
			sets[j], whole = x.accs(j, min(hi, x.s.in.Caps[j]-1))
			x.all = x.all && whole
		}
		return sets[j]
	}
	x.pairs(func(op, j, k int) {
		if d := x.apart(x.exact, op, j, k); d != 0 && d == x.apart(x.rounded, op, j, k) {
			return
		}
		a, b := set(j), set(k)
		exact := x.exact.base[j][op].Int64() - x.exact.base[k][op].Int64()
		rounded := x.rounded.base[j][op].Int64() - x.rounded.base[k][op].Int64()
		for _, l := range a.list {
			if x.left--; x.left < 0 {
				return
			}
			// core j wins against the loads of k from here on, in exact arithmetic
			at := sort.Search(len(b.list), func(i int) bool { return b.list[i].exact >= exact+l.exact })
			other := -1
			if at < len(b.list) && b.list[b.least[at]].rounded < rounded+l.rounded {
				other = b.least[at]
			} else if at > 0 && b.list[b.most[at-1]].rounded >= rounded+l.rounded {
				other = b.most[at-1]
			}
			if other >= 0 {
				x.wrong(op, map[int]load{j: l.load, k: b.list[other].load})
			}
		}
	})
}

// apart is below 0 if core j wins against core k whatever their loads, above 0 if k does, 0 if it depends.
func (x *search) apart(f *fixed, op, j, k int) int {
	d := new(big.Int).Sub(f.base[j][op], f.base[k][op])
	most := func(j int) *big.Int {
		inc := new(big.Int)
		for _, i := range f.inc[j] {
			if i != nil && i.Cmp(inc) > 0 {
				inc = i
			}
		}
		return new(big.Int).Mul(inc, big.NewInt(int64(x.limit(j, x.s.in.Caps[j]-1))))
	}
	switch {
	case new(big.Int).Add(d, most(j)).Sign() <= 0: // ties go to j
		return -1
	case d.Cmp(most(k)) > 0:
		return 1
	}
	return 0
}

// accs are those of a core's loads in so many packets; whole says that none is missing.
func (x *search) accs(j, packets int) (s *accs, whole bool) {
	type key struct{ exact, rounded int64 }
	seen := map[key]int{{}: 0}
	s, whole = &accs{list: []acc{{}}}, true
fill:
	for _, op := range x.kinds(j) {
		n := len(s.list) // loads without this command
		for at := range n {
			a := s.list[at]
			for m := 1; m <= x.limit(j, packets-a.packets); m++ {
				b := a
				b.load[op] = m
				b.packets = x.packets(b.load)
				b.exact += int64(m) * x.exact.inc[j][op].Int64()
				b.rounded += int64(m) * x.rounded.inc[j][op].Int64()
				k := key{b.exact, b.rounded}
				if i, ok := seen[k]; !ok {
					if len(s.list) == maxLoads {
						whole = false
						break fill
					}
					seen[k] = len(s.list)
					s.list = append(s.list, b)
				} else if s.list[i].packets > b.packets {
					s.list[i] = b
					whole = whole && i > at // the shorter one goes on where the other could not
				}
			}
		}
	}
	sort.Slice(s.list, func(a, b int) bool {
		if s.list[a].exact != s.list[b].exact {
			return s.list[a].exact < s.list[b].exact
		}
		return s.list[a].rounded < s.list[b].rounded
	})
	n := len(s.list)
	s.most, s.least = make([]int, n), make([]int, n)
	for i := range n {
		s.most[i] = i
		if i > 0 && s.list[s.most[i-1]].rounded > s.list[i].rounded {
			s.most[i] = s.most[i-1]
		}
	}
	for i := n - 1; i >= 0; i-- {
		s.least[i] = i
		if i < n-1 && s.list[s.least[i+1]].rounded <= s.list[i].rounded {
			s.least[i] = s.least[i+1]
		}
	}
	return s, whole
}

func (f *fixed) score(j, op int, l load) *big.Int {
	s := new(big.Int).Set(f.base[j][op])
	for o, m := range l {
		if m > 0 {
			s.Add(s, new(big.Int).Mul(f.inc[j][o], big.NewInt(int64(m))))
		}
	}
	return s
}

// packets is how many packets a load is.
func (x *search) packets(l load) int {
	n := 0
	for _, m := range l {
		if x.s.perPacket {
			n += m
		} else {
			n += (m + x.s.in.PktBlocks - 1) / x.s.in.PktBlocks
		}
	}
	return n
}

// wrong keeps the state in which two cores come out the wrong way round, completed by state, if it has the fewest packets.
func (x *search) wrong(op int, loads map[int]load) {
	if c := x.state(op, loads); c == nil {
		x.all = false
	} else if x.best == nil || c.held() < x.best.held() {
		x.best = c
		x.left = min(x.left, maxBetter) // that may still go into a simpler one
	}
}

// held is how many packets are in flight.
func (c *Counterexample) held() int {
	n := 0
	for _, p := range c.Packets {
		n += p
	}
	return n
}

// state completes the loads of two cores to a state in which the decision is wrong: whichever other core wins is given
// another packet, until it loses or is full. nil if that takes more packets than there are slots, one of which the packet
// to place has.
func (x *search) state(op int, loads map[int]load) *Counterexample {
	n := len(x.exact.base)
	var two []int
	for j := range loads {
		two = append(two, j)
	}
	for {
		x.left -= n
		used := 1
		for _, l := range loads {
			used += x.packets(l)
		}
		if x.s.in.Slots > 0 && used > x.s.in.Slots || x.left < 0 {
			return nil
		}
		want, got := x.least(x.exact, op, loads), x.least(x.rounded, op, loads)
		if want != got {
			c := &Counterexample{Op: op, Packets: make([]int, n), Blocks: make([][NumOps]int, n), Unit: x.s.unit}
			for j, l := range loads {
				c.Packets[j], c.Blocks[j] = x.packets(l), l
			}
			c.Exact, c.Rounded = x.choice(want, op, loads[want]), x.choice(got, op, loads[got])
			return c
		}
		if want == two[0] || want == two[1] {
			return nil
		}
		l := loads[want]
		l[x.slowest(want)] += x.s.full()
		loads[want] = l
	}
}

// full is the load of one full packet.
func (s *scores) full() int {
	if s.perPacket {
		return 1
	}
	return s.in.PktBlocks
}

// slowest is the command of a core that takes it longest.
func (x *search) slowest(j int) int {
	at := -1
	for op, inc := range x.exact.inc[j] {
		if inc != nil && (at < 0 || inc.Cmp(x.exact.inc[j][at]) > 0) {
			at = op
		}
	}
	return at
}

// least is the core that a decision takes; there is one that is not full.
func (x *search) least(f *fixed, op int, loads map[int]load) int {
	best, at := (*big.Int)(nil), -1
	for j := range f.base {
		l := loads[j]
		if f.base[j][op] == nil || x.packets(l) >= x.s.in.Caps[j] {
			continue
		}
		if s := f.score(j, op, l); best == nil || s.Cmp(best) < 0 {
			best, at = s, j
		}
	}
	return at
}

// choice is a core's score, the exact one in the policy's unit, less the least base of the command if that is negative.
func (x *search) choice(j, op int, l load) Choice {
	score := new(big.Rat).Set(x.s.base[j][op])
	low := new(big.Rat)
	for _, row := range x.s.base {
		if b := row[op]; b != nil && b.Cmp(low) < 0 {
			low = b
		}
	}
	score.Sub(score, low)
	for o, m := range l {
		if m > 0 {
			acc := new(big.Rat).SetInt(x.s.inc[j][o])
			score.Add(score, acc.Mul(acc, big.NewRat(int64(m), 1)))
		}
	}
	if x.s.perUnit != nil {
		score.Quo(score, x.s.perUnit)
	}
	return Choice{Core: j, Steps: x.rounded.score(j, op, l).Uint64(), Score: score}
}
