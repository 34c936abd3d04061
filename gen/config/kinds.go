// SPDX-License-Identifier: Apache-2.0

package config

import "fmt"

// Algorithm is a block cipher.
type Algorithm struct {
	Name    string
	KeyBits int
}

// Algorithms are the ciphers of the library, in the order in which they are listed.
var Algorithms = []Algorithm{{"aes128", 128}, {"aes256", 256}, {"sm4", 128}}

// Kind is a cipher core of the library.
type Kind struct {
	Name      string
	Algorithm string
	Cycles    int // a block, from handshake to handshake of back-to-back blocks; the same for every command
	Doc       string
}

// Kinds are the cores of the library, the fastest of each algorithm first. A core's cycle number is a promise that the
// RTL's benches hold it to.
var Kinds = []Kind{
	aes("aes128", 16, 11), aes("aes128", 8, 21), aes("aes128", 4, 51),
	aes("aes256", 16, 15), aes("aes256", 8, 29), aes("aes256", 4, 71),
	sm4(4, 9), sm4(2, 17), sm4(1, 33),
}

func aes(alg string, sboxes, cycles int) Kind {
	return Kind{fmt.Sprintf("%s_%dsbox", alg, sboxes), alg, cycles,
		fmt.Sprintf("AES-%s, %d S-boxes", alg[3:], sboxes)}
}

func sm4(rounds, cycles int) Kind {
	s := "s"
	if rounds == 1 {
		s = ""
	}
	return Kind{fmt.Sprintf("sm4_%dround", rounds), "sm4", cycles,
		fmt.Sprintf("SM4, %d round%s a cycle", rounds, s)}
}

// KindByName finds a kind.
func KindByName(name string) (Kind, bool) {
	for _, k := range Kinds {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// KindNames are the names of an algorithm's kinds; all kinds for "".
func KindNames(algorithm string) []string {
	var s []string
	for _, k := range Kinds {
		if algorithm == "" || k.Algorithm == algorithm {
			s = append(s, k.Name)
		}
	}
	return s
}

// AlgorithmByName finds an algorithm.
func AlgorithmByName(name string) (Algorithm, bool) {
	for _, a := range Algorithms {
		if a.Name == name {
			return a, true
		}
	}
	return Algorithm{}, false
}

// AlgorithmNames are the names of all algorithms.
func AlgorithmNames() []string {
	var s []string
	for _, a := range Algorithms {
		s = append(s, a.Name)
	}
	return s
}

// Policy is a scheduling policy's entry in the list of names.
type Policy struct {
	Name      string `json:"name"`
	Available bool   `json:"available"`
	Doc       string `json:"doc"`
}

// Policies are the policies known by name. Those that are not available are refused with that reason.
var Policies = []Policy{
	{"weighted", true, "largest alpha*speed + beta*remaining capacity (the paper's)"},
	{"jsq", false, "join the shortest queue"},
	{"ect", false, "earliest completion time"},
	{"wrr", false, "weighted round robin (stride)"},
	{"affinity", false, "completion time, with a surcharge on cores that suit the command badly"},
	{"late", false, "late binding: cores choose among the first packets of the cluster queue"},
	{"least_load", false, "monitored load"},
	{"round_robin", false, "round robin, blocking"},
	{"round_robin_skip", false, "round robin that passes over full cores"},
	{"static", false, "packet i to core i mod N, blocking"},
}

// PolicyNames are the names of the policies, of the available ones only if so asked.
func PolicyNames(availableOnly bool) []string {
	var s []string
	for _, p := range Policies {
		if p.Available || !availableOnly {
			s = append(s, p.Name)
		}
	}
	return s
}
