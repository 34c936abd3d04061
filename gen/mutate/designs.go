// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/verify"
)

// Default is the design that is mutated if no other one is given: two clusters of unlike cores, small, and with every
// list so short that it is full at times; but more slots than a cluster and its cores hold, and cores slower than the job
// stream, or nothing would ever wait.
func Default() (*design.Design, emit.Output, error) {
	x := &verify.DelayDesign{Head: `[design]
name = "mut"
data_width = 32
packet_bytes = 48
slots = 19
requesters = 2

[scheduler]
policy = "affinity"
wait_queue = 4
`, Clusters: []verify.DelayCluster{
		{Name: "a", Keys: "queue = 2\nchoose_list = 3\nkey_slots = 2\n", Cores: []verify.DelayCore{
			{Cycles: [4]int{30, 31, 32, 33}, Queue: 2}, {Cycles: [4]int{50, 51, 52, 53}, Queue: 1},
		}},
		{Name: "b", Keys: "queue = 1\nchoose_list = 3\nkey_slots = 2\n", Cores: []verify.DelayCore{
			{Cycles: [4]int{16, 17, 18, 19}, Queue: 2}, {Cycles: [4]int{40, 41, 42, 43}, Queue: 3},
			{Cycles: [4]int{24, 0, 25, 26}, Queue: 1},
		}},
	}}
	return x.Load()
}

// small is what the tests mutate: a cluster of two cores.
func small() (*design.Design, emit.Output, error) {
	x := &verify.DelayDesign{Head: `[design]
name = "mutsmall"
data_width = 128
packet_bytes = 32
slots = 14
requesters = 2

[scheduler]
policy = "affinity"
wait_queue = 2
`, Clusters: []verify.DelayCluster{
		{Name: "a", Keys: "queue = 1\nchoose_list = 2\nkey_slots = 2\n", Cores: []verify.DelayCore{
			{Cycles: [4]int{8, 9, 10, 11}, Queue: 2}, {Cycles: [4]int{14, 15, 16, 17}, Queue: 1},
		}},
	}}
	return x.Load()
}
