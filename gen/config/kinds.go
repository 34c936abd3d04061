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

// Policy is a scheduling policy.
type Policy struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Formula string   `json:"formula"` // what is compared, or where the search begins
	Where   string   `json:"where"`   // what the formula's letters mean
	Needs   string   `json:"needs"`   // what has to be known of the cores and the load
	Keys    []string `json:"keys"`    // of [scheduler], that it alone uses
	Scores  bool     `json:"scores"`  // a table of scores; false: a pointer
}

const whereTimes = "t: the core's cycles a block for the command, P: blocks of a full packet"

// Policies are the scheduling policies, the default first. Package policy has the formulas exactly.
var Policies = []Policy{
	{
		Name: "affinity", Doc: "earliest completion, with a surcharge on cores that other commands suit better",
		Formula: "least acc + P*(t + lambda*(t - y*m)); acc: t a block in flight",
		Where:   whereTimes + ", m: the mean of t over the core's commands, y: the least t/m among the cores",
		Needs:   "cycles a block", Keys: []string{"lambda"}, Scores: true,
	}, {
		Name: "weighted", Doc: "the paper's: largest weight of speed and remaining capacity",
		Formula: "most alpha*v + beta*(cap - n)/cap",
		Where: "v: the core's speed for the command, (tmax - t)/(tmax - tmin) of the cores' cycles a block, cap: its queue, " +
			"n: packets on it, counted in blocks",
		Needs: "cycles a block; alpha/beta to suit load and queues", Keys: []string{"alpha", "beta"}, Scores: true,
	}, {
		Name: "ect", Doc: "earliest completion time", Formula: "least acc + P*t; acc: t a block in flight", Where: whereTimes,
		Needs: "cycles a block", Scores: true,
	}, {
		Name: "jsq", Doc: "join the shortest queue", Formula: "least n", Where: "n: packets on the core", Needs: "nothing", Scores: true,
	}, {
		Name: "wrr", Doc: "weighted round robin (stride): shares in proportion to speed",
		Formula: "least acc + P*t; acc: t a block ever given", Where: whereTimes +
			"; a core that does not compete is brought up to the winner's score", Needs: "cycles a block", Scores: true,
	}, {
		Name: "round_robin", Doc: "round robin, waits for a core that is full", Formula: "first able core after the last one chosen",
		Where: "Packets of a chained job that go to its core do not count as chosen", Needs: "nothing",
	}, {
		Name: "round_robin_skip", Doc: "round robin, passes over cores that are full",
		Formula: "first able core with room after the last one chosen",
		Where:   "Packets of a chained job that go to its core do not count as chosen", Needs: "nothing",
	}, {
		Name: "static", Doc: "a core for each packet in turn, waits for it; jobs keep their first core (HHS-ACDID)",
		Formula: "first able core from i mod N on", Where: "i: packets given before, bound ones too, N: cores", Needs: "nothing",
	},
}

// reservedPolicies are known by name and refused with that reason.
var reservedPolicies = []string{"late", "least_load"}

// PolicyNames are the names of the policies, the default first.
func PolicyNames() []string {
	s := make([]string, len(Policies))
	for i, p := range Policies {
		s[i] = p.Name
	}
	return s
}

// PolicyByName finds a policy.
func PolicyByName(name string) (Policy, bool) {
	for _, p := range Policies {
		if p.Name == name {
			return p, true
		}
	}
	return Policy{}, false
}
