package sched

import "fmt"

// Probe notes when packets are sent and their results leave, by the sender's node.
func Probe(cfg *Config) (*map[int][2]int64, *map[int]int64) {
	s, x := map[int][2]int64{}, map[int]int64{}
	cfg.probe = func(i int32, first, last, exit int64) {
		if exit > 0 {
			x[int(i)] = exit
		} else {
			s[int(i)] = [2]int64{first, last}
		}
	}
	return &s, &x
}

func ProbeScores(cfg *Config) {
	cfg.probeDecision = func(i int32, b *Balancer, op, core int, at int64) {
		s := make([]uint64, b.Cores())
		f := make([]bool, b.Cores())
		b.Scores(op, s)
		b.Skips(op, false, f)
		if i < 40 {
			fmt.Println("mod", i, at, op, s, f, core)
		}
	}
}

func ProbeCredits(cfg *Config) *map[int]int64 {
	x := map[int]int64{}
	cfg.probeCredit = func(i int32, at int64) { x[int(i)] = at }
	return &x
}
