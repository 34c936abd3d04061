// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"strings"
)

// Cluster is a cluster of a test design.
type Cluster struct {
	Algorithm string
	Kinds     []string // kind or kind*count
	Choose    int
}

// ConfigText writes a config: one cluster, or more.
func ConfigText(name string, width, packet, slots int, clusters ...Cluster) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[design]\nname = %q\ndata_width = %d\npacket_bytes = %d\nslots = %d\nrequesters = 2\n", name, width,
		packet, slots)
	for i, c := range clusters {
		fmt.Fprintf(&b, "\n[[cluster]]\nname = \"c%d\"\nalgorithm = %q\nqueue = %d\nkey_slots = 2\nchoose_list = %d\n", i,
			c.Algorithm, min(slots, 16), max(1, c.Choose))
		for _, k := range c.Kinds {
			kind, count, ok := strings.Cut(k, "*")
			fmt.Fprintf(&b, "\n[[cluster.core]]\nkind = %q\n", kind)
			if ok {
				fmt.Fprintf(&b, "count = %s\n", count)
			}
		}
	}
	return b.String()
}

// TestDesign is a design that the tests and the long random runs go through.
type TestDesign struct {
	Name, Text string
}

// Designs are 1x1, 2x3, 3x5 with all three algorithms, and 1x16, at every stream width; 2x3 at 32 bits
// has serial lanes.
func Designs() []TestDesign {
	aes := func(k ...string) Cluster { return Cluster{Algorithm: "aes128", Kinds: k, Choose: 8} }
	aes256 := func(k ...string) Cluster { return Cluster{Algorithm: "aes256", Kinds: k, Choose: 8} }
	sm4 := func(k ...string) Cluster { return Cluster{Algorithm: "sm4", Kinds: k, Choose: 8} }
	shapes := []struct {
		name     string
		clusters []Cluster
	}{
		{"1x1", []Cluster{aes("aes128_8sbox")}},
		{"2x3", []Cluster{aes("aes128_16sbox", "aes128_8sbox", "aes128_4sbox"), sm4("sm4_1round", "sm4_2round", "sm4_4round")}},
		{"3x5", []Cluster{
			aes("aes128_16sbox*2", "aes128_8sbox", "aes128_4sbox*2"), aes256("aes256_16sbox", "aes256_8sbox*2", "aes256_4sbox*2"),
			sm4("sm4_4round", "sm4_2round*2", "sm4_1round*2"),
		}},
		{"1x16", []Cluster{aes("aes128_4sbox*16")}},
	}
	var out []TestDesign
	for _, s := range shapes {
		for _, w := range []int{32, 64, 128} {
			name := fmt.Sprintf("d%s_%d", s.name, w)
			text := ConfigText(name, w, 64, 32, s.clusters...)
			if s.name == "2x3" && w == 32 {
				text += "\n[scheduler]\nlane = \"serial\"\n"
			}
			out = append(out, TestDesign{name, text})
		}
	}
	return append(out, TestDesign{"odd", odd}, TestDesign{"least", least})
}

// odd has nothing that is a power of two, quotas, the scanning balancer, jobs bound to their end, cores that lack what
// others can, lists that are soon full, and a host link.
const odd = `[design]
name = "odd"
data_width = 64
packet_bytes = 48
slots = 13
requesters = 3

[scheduler]
bind = "job"
balancer = "scan"
programmable = false
report_core = false
wait_queue = 5

[host]
baud = 115_200
clock_hz = 25_000_000
window = 2

[[cluster]]
name = "seven"
algorithm = "aes128"
queue = 3
choose_list = 5
key_slots = 3
slot_quota = 9

[[cluster.core]]
kind = "aes128_4sbox"
count = 3
queue = 1
decrypt = false

[[cluster.core]]
kind = "aes128_16sbox"
count = 3
queue = 3

[[cluster.core]]
kind = "aes128_8sbox"
queue = 2

[[cluster]]
name = "forward"
algorithm = "sm4"
queue = 1
choose_list = 1
key_slots = 1
slot_quota = 6

[[cluster.core]]
kind = "sm4_4round"
decrypt = false
`

// least is the smallest of everything.
const least = `[design]
name = "least"
data_width = 32
packet_bytes = 32
slots = 1
requesters = 1

[scheduler]
balancer = "scan"
wait_queue = 1

[host]
clock_hz = 100_000_000

[[cluster]]
name = "a"
algorithm = "aes256"
queue = 1
choose_list = 1
key_slots = 1

[[cluster.core]]
kind = "aes256_4sbox"
queue = 1
`
