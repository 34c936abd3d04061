// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/emit"
)

// soakDesign is a design of the soak test.
type soakDesign struct {
	name string
	load func() (*design.Design, emit.Output, error)
}

// delaySoak is a soak design of cores that keep the scheduler busy rather than the simulator.
func delaySoak(name, shape, scheduler string, clusters ...DelayCluster) soakDesign {
	x := &DelayDesign{
		Head:     fmt.Sprintf("[design]\nname = %q\n%s\n[scheduler]\n%s", name, shape, scheduler),
		Clusters: clusters,
	}
	return soakDesign{name, x.Load}
}

func textSoak(name, text string) soakDesign {
	return soakDesign{name, func() (*design.Design, emit.Output, error) {
		c, err := config.Parse(name+".toml", ".", []byte(text))
		if err != nil {
			return nil, nil, err
		}
		d, err := design.Elaborate(c)
		if err != nil {
			return nil, nil, err
		}
		out, err := emit.Emit(d, emit.Options{Version: "soak", ConfigHash: c.Hash, SourcePath: c.SourcePath})
		return d, out, err
	}}
}

// soakDesigns are one design a policy and one of serial lanes: fast, slow and jittering cores side by side, every stream width, both balancers,
// both ways to bind, quotas, lists that are soon full. Most cores are toys, so that most cycles go into the scheduler.
func soakDesigns() []soakDesign {
	all := func(n int) [design.NumOps]int { return [design.NumOps]int{n, n, n, n} }
	return []soakDesign{
		// cores that stall and jitter beside one that does neither
		delaySoak("s_affinity", "data_width = 128\npacket_bytes = 48\nslots = 24\nrequesters = 4\n",
			"policy = \"affinity\"\n",
			DelayCluster{"a", "queue = 4\nchoose_list = 8\nkey_slots = 4\n", []DelayCore{
				{Cycles: all(1)}, {Cycles: all(1), Jitter: 3}, {Cycles: [4]int{4, 9, 2, 2}, Jitter: 5, Queue: 3},
			}},
			DelayCluster{"b", "queue = 2\nchoose_list = 3\nkey_slots = 2\n", []DelayCore{
				{Cycles: all(2), Jitter: 2, Queue: 1}, {Cycles: all(3), Jitter: 4, Queue: 2},
			}}),
		// a slow core among fast ones; a short wait queue, so that a full cluster stops the stream
		delaySoak("s_weighted", "data_width = 64\npacket_bytes = 32\nslots = 13\nrequesters = 3\n",
			"policy = \"weighted\"\nbind = \"job\"\nbalancer = \"scan\"\nwait_queue = 3\nreport_core = false\n",
			DelayCluster{"a", "queue = 3\nchoose_list = 5\nkey_slots = 3\n", []DelayCore{
				{Cycles: all(2)}, {Cycles: all(150), Queue: 1}, {Cycles: all(1), Jitter: 4},
			}}),
		// quotas
		delaySoak("s_ect", "data_width = 32\npacket_bytes = 16\nslots = 20\nrequesters = 2\n",
			"policy = \"ect\"\nprogrammable = false\n",
			DelayCluster{"a", "queue = 5\nchoose_list = 6\nkey_slots = 3\nslot_quota = 9\n", []DelayCore{
				{Cycles: [4]int{1, 0, 1, 1}}, {Cycles: [4]int{3, 3, 0, 0}, Jitter: 3},
			}},
			DelayCluster{"b", "queue = 1\nchoose_list = 2\nkey_slots = 2\nslot_quota = 4\n", []DelayCore{
				{Cycles: all(5), Jitter: 6, Queue: 2}, {Cycles: all(1), Queue: 1},
			}}),
		delaySoak("s_jsq", "data_width = 128\npacket_bytes = 32\nslots = 7\nrequesters = 1\n",
			"policy = \"jsq\"\nbalancer = \"scan\"\nbind = \"job\"\n",
			DelayCluster{"a", "queue = 7\nchoose_list = 16\nkey_slots = 8\n", []DelayCore{
				{Cycles: all(1), Jitter: 1, Queue: 1}, {Cycles: all(1), Jitter: 7, Queue: 2}, {Cycles: all(6), Queue: 1},
				{Cycles: all(9), Queue: 1}, {Cycles: all(2), Jitter: 3, Queue: 1},
			}}),
		// the library's cores, all three algorithms
		textSoak("s_wrr", "[design]\nname = \"s_wrr\"\ndata_width = 128\npacket_bytes = 32\nslots = 32\nrequesters = 3\n"+
			"\n[scheduler]\npolicy = \"wrr\"\n"+
			"\n[[cluster]]\nalgorithm = \"aes128\"\nqueue = 4\nkey_slots = 3\nchoose_list = 4\n"+
			"[[cluster.core]]\nkind = \"aes128_16sbox\"\n[[cluster.core]]\nkind = \"aes128_8sbox\"\ndecrypt = false\n"+
			"\n[[cluster]]\nalgorithm = \"aes256\"\nqueue = 2\nkey_slots = 2\nchoose_list = 2\n"+
			"[[cluster.core]]\nkind = \"aes256_16sbox\"\n"+
			"\n[[cluster]]\nalgorithm = \"sm4\"\nqueue = 3\nkey_slots = 4\nchoose_list = 6\n"+
			"[[cluster.core]]\nkind = \"sm4_4round\"\n[[cluster.core]]\nkind = \"sm4_2round\"\nqueue = 2\n"),
		delaySoak("s_rr", "data_width = 64\npacket_bytes = 64\nslots = 33\nrequesters = 5\n", "policy = \"round_robin\"\n",
			DelayCluster{"a", "queue = 6\nchoose_list = 7\nkey_slots = 5\n", []DelayCore{
				{Cycles: all(1)}, {Cycles: all(1), Jitter: 2}, {Cycles: all(1), Jitter: 3}, {Cycles: all(2), Jitter: 3},
				{Cycles: all(2)}, {Cycles: all(4), Queue: 1},
			}}),
		delaySoak("s_skip", "data_width = 32\npacket_bytes = 32\nslots = 16\nrequesters = 4\n",
			"policy = \"round_robin_skip\"\nbind = \"job\"\nwait_queue = 1\n",
			DelayCluster{"a", "queue = 2\nchoose_list = 4\nkey_slots = 3\n", []DelayCore{
				{Cycles: all(40), Jitter: 4, Queue: 1}, {Cycles: all(1)}, {Cycles: all(1), Jitter: 2},
			}},
			DelayCluster{"b", "queue = 1\nchoose_list = 1\nkey_slots = 1\n", []DelayCore{{Cycles: all(1), Jitter: 3, Queue: 1}}}),
		delaySoak("s_static", "data_width = 128\npacket_bytes = 16\nslots = 5\nrequesters = 2\n", "policy = \"static\"\n",
			DelayCluster{"a", "queue = 1\nchoose_list = 2\nkey_slots = 2\n", []DelayCore{
				{Cycles: all(1), Jitter: 2, Queue: 1}, {Cycles: all(1), Queue: 2},
			}},
			DelayCluster{"b", "queue = 5\nchoose_list = 5\nkey_slots = 3\n", []DelayCore{
				{Cycles: all(3), Jitter: 3, Queue: 1}, {Cycles: all(1), Jitter: 1, Queue: 1}, {Cycles: all(7), Queue: 1},
			}}),
		// lanes that move a word at a time, and registers
		delaySoak("s_serial", "data_width = 32\npacket_bytes = 32\nslots = 9\nrequesters = 3\n",
			"policy = \"affinity\"\nlane = \"serial\"\n\n[control]\naxil = true\n",
			DelayCluster{"a", "queue = 3\nchoose_list = 4\nkey_slots = 3\n", []DelayCore{
				{Cycles: all(1), Jitter: 3, Queue: 2}, {Cycles: all(2)}, {Cycles: all(12), Jitter: 1, Queue: 1},
			}}),
	}
}

// SoakDesigns are the names of the soak test's designs.
func SoakDesigns() []string {
	var s []string
	for _, d := range soakDesigns() {
		s = append(s, d.name)
	}
	return s
}
