// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
)

func TestEdit(t *testing.T) {
	all := Changes{
		Scheduler: []Setting{{"policy", "weighted"}, {"alpha", 0.25}, {"beta", 0.75}},
		Queues:    []Queue{{0, 0, 3}},
	}
	for name, c := range map[string]struct {
		ch        Changes
		was, want string
	}{
		"in place, comments behind values": {all, `# top
[scheduler] # s
policy = "affinity" # why
alpha  = 0.1   # a
beta   = 0.9	# b
[[cluster]]
name = "aes" # c
[[cluster.core]]
queue=8 # q
kind = "aes128_8sbox"
`, `# top
[scheduler] # s
policy = "weighted" # why
alpha  = 0.25   # a
beta   = 0.75	# b
[[cluster]]
name = "aes" # c
[[cluster.core]]
queue=3 # q
kind = "aes128_8sbox"
`},
		"keys added, aligned": {all, `[scheduler]
  programmable = true   # keep
  bind         = "job"

# a comment of the cluster

# another
[[cluster]]
algorithm = "sm4"
[[cluster.core]]
kind = "sm4_1round"
`, `[scheduler]
  programmable = true   # keep
  bind         = "job"
  policy       = "weighted"
  alpha        = 0.25
  beta         = 0.75

# a comment of the cluster

# another
[[cluster]]
algorithm = "sm4"
[[cluster.core]]
kind = "sm4_1round"
queue = 3
`},
		"no scheduler: before the cluster and its comment": {all, `[design]
name = "x"

# the cluster
# in two lines
[[cluster]] # [[not this]]
[[cluster.core]]
`, `[design]
name = "x"

[scheduler]
policy = "weighted"
alpha = 0.25
beta = 0.75

# the cluster
# in two lines
[[cluster]] # [[not this]]
[[cluster.core]]
queue = 3
`},
		"no core": {all, "[[cluster]]\nname = \"a\"\nqueue = 4 # c\n\n[scheduler]\n[[cluster]]\nname = \"b\"", `[[cluster]]
name = "a"
queue = 4 # c

[[cluster.core]]
queue = 3

[scheduler]
policy = "weighted"
alpha = 0.25
beta = 0.75
[[cluster]]
name = "b"`},
		"no newline at the end":                    {Changes{Queues: []Queue{{0, 0, 3}}}, "[[cluster]]\n[[cluster.core]]\ncount = 2", "[[cluster]]\n[[cluster.core]]\ncount = 2\nqueue = 3"},
		"no newline, new table and key at the end": {all, "cluster = [ {} ]", "cluster = [ { core = [{ queue = 3 }] } ]\n\n[scheduler]\npolicy = \"weighted\"\nalpha = 0.25\nbeta = 0.75\n"},
		"crlf":               {all, "[scheduler]\r\npolicy = \"ect\" # p\r\n\r\n[[cluster]]\r\n[[cluster.core]]\r\ncount = 2\r\n", "[scheduler]\r\npolicy = \"weighted\" # p\r\nalpha = 0.25\r\nbeta = 0.75\r\n\r\n[[cluster]]\r\n[[cluster.core]]\r\ncount = 2\r\nqueue = 3\r\n"},
		"crlf, no scheduler": {all, "[[cluster]]\r\n[[cluster.core]]", "[scheduler]\r\npolicy = \"weighted\"\r\nalpha = 0.25\r\nbeta = 0.75\r\n\r\n[[cluster]]\r\n[[cluster.core]]\r\nqueue = 3"},
		"inline tables": {all, `scheduler = { bind = "job", alpha = 1e-1 } # s
cluster = [ # list
  { name = "a", core = [ { kind = "aes128_16sbox" }, { count = 2, queue = 5 } ] }, # a
]
`, `scheduler = { bind = "job", alpha = 0.25, policy = "weighted", beta = 0.75 } # s
cluster = [ # list
  { name = "a", core = [ { kind = "aes128_16sbox", queue = 3 }, { count = 2, queue = 5 } ] }, # a
]
`},
		"empty inline tables": {all, "scheduler = {}\ndesign = { }\n[[cluster]]\ncore = [{ }]\n", "scheduler = { policy = \"weighted\", alpha = 0.25, beta = 0.75 }\ndesign = { }\n[[cluster]]\ncore = [{ queue = 3 }]\n"},
		"empty list of cores": {all, "scheduler.policy = 'ect'\n[[cluster]]\ncore = []\n", "scheduler.policy = 'weighted'\nscheduler.alpha = 0.25\nscheduler.beta = 0.75\n[[cluster]]\ncore = [{ queue = 3 }]\n"},
		"dotted keys": {Changes{Scheduler: []Setting{{"lambda", 8.0}}, Design: []Setting{{"slots", 16}}}, `design.name = "x" # n
scheduler . bind = "job" # b
"design".slots = 0x20 # s

[[cluster]]
`, `design.name = "x" # n
scheduler . bind = "job" # b
scheduler . lambda = 8
"design".slots = 16 # s

[[cluster]]
`},
		"a table new behind a dotted one": {Changes{Scheduler: []Setting{{"lambda", 8.0}}, Design: []Setting{{"slots", 16}}}, `scheduler.bind = "job"
[[cluster]]
`, `scheduler.bind = "job"
scheduler.lambda = 8
[design]
slots = 16

[[cluster]]
`},
		"quoted keys, odd strings": {all, `["scheduler"]
"policy" = """jsq"""
'alpha' = 1
[["cluster"]]
[[cluster . "core"]]
`, `["scheduler"]
"policy" = "weighted"
'alpha' = 0.25
beta = 0.75
[["cluster"]]
[[cluster . "core"]]
queue = 3
`},
		"byte order mark": {all, "\xef\xbb\xbf[scheduler]\npolicy = \"jsq\"\n[[cluster]]\n[[cluster.core]]\n", "\xef\xbb\xbf[scheduler]\npolicy = \"weighted\"\nalpha = 0.25\nbeta = 0.75\n[[cluster]]\n[[cluster.core]]\nqueue = 3\n"},
		"byte order mark before the cluster": {all, "\xef\xbb\xbf[[cluster]]\n[[cluster.core]]\n",
			"\xef\xbb\xbf[scheduler]\npolicy = \"weighted\"\nalpha = 0.25\nbeta = 0.75\n\n[[cluster]]\n[[cluster.core]]\nqueue = 3\n"},
		"byte order mark before its comment": {all, "\xef\xbb\xbf# one\n  [[cluster]]\n  [[cluster.core]]\n  count = 2",
			"\xef\xbb\xbf[scheduler]\npolicy = \"weighted\"\nalpha = 0.25\nbeta = 0.75\n\n# one\n  [[cluster]]\n  [[cluster.core]]\n  count = 2\n  queue = 3"},
		"empty tables at the end": {all, "[[cluster]]\n[[cluster.core]]\n[scheduler]", "[[cluster]]\n[[cluster.core]]\nqueue = 3\n[scheduler]\npolicy = \"weighted\"\nalpha = 0.25\nbeta = 0.75"},
		"second core of the second cluster": {Changes{Queues: []Queue{{1, 1, 7}, {0, 0, 2}}}, `[[cluster]]
[[cluster.core]] # 0.0
[[cluster]]
name = "two"
[[cluster.core]] # 1.0
[[cluster.core]] # 1.1

# end
`, `[[cluster]]
[[cluster.core]] # 0.0
queue = 2
[[cluster]]
name = "two"
[[cluster.core]] # 1.0
[[cluster.core]] # 1.1
queue = 7

# end
`},
		"slots and what follows from them": {Changes{Design: []Setting{{"slots", 6}}}, "[design]\nname = \"x\"\ndata_width = 64\n[[cluster]]\nslot_quota = 5\n", "[design]\nname = \"x\"\ndata_width = 64\nslots = 6\n[[cluster]]\nslot_quota = 5\n"},
		"a list over lines": {all, `[[cluster]]
core = [
  { count = 2 }, # first
  { # no key yet
  },
]
`, `[scheduler]
policy = "weighted"
alpha = 0.25
beta = 0.75

[[cluster]]
core = [
  { count = 2, queue = 3 }, # first
  { # no key yet
  },
]
`},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := config.Parse("t.toml", t.TempDir(), []byte(c.was))
			require.NoError(t, err)
			got, err := Edit(cfg, []byte(c.was), &c.ch)
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
			if c.was[len(c.was)-1] == '\n' && strings.Contains(c.was, "\r") {
				require.Equal(t, strings.Count(string(got), "\n"), strings.Count(string(got), "\r\n"))
			}
			cfg, err = config.Parse("t.toml", t.TempDir(), got)
			require.NoError(t, err)
			again, err := Edit(cfg, got, &c.ch)
			require.NoError(t, err)
			require.Equal(t, string(got), string(again), "what is there already changes nothing")
		})
	}
}

// What comes out is compared with what was wanted: a fault in the editor is seen.
func TestEditFindsItsFaults(t *testing.T) {
	const text = "[[cluster]]\nqueue = 8\n[[cluster.core]]\n"
	cfg, err := config.Parse("t.toml", t.TempDir(), []byte(text))
	require.NoError(t, err)
	for _, c := range []struct{ text, want string }{
		{"[[cluster]]\nqueue = 7\n[[cluster.core]]\n", "not what was wanted: config.Clusters[0].Queue.V is 7, not 8"},
		{"[[cluster]]\nqueue = 8\n[[cluster.core]]\n[[cluster.core]]\n", "config.Clusters[0].Cores has 2 elements, not 1"},
		{"[[cluster]]\nqueue = 8\n", ""},
		{"[[cluster]]\nque = 8\n", "can't be read"},
	} {
		_, err := Edit(cfg, []byte(c.text), &Changes{Queues: []Queue{{0, 0, 2}}})
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
}

func TestApplyLeavesTheConfigAlone(t *testing.T) {
	cfg, err := config.Parse("t.toml", t.TempDir(), []byte("[[cluster]]\n[[cluster.core]]\n"))
	require.NoError(t, err)
	ch := Changes{Design: []Setting{{"slots", 4}}, Scheduler: []Setting{{"policy", "jsq"}}, Queues: []Queue{{0, 0, 2}}}
	n := ch.Apply(cfg)
	require.Equal(t, 32, cfg.Design.Slots.V)
	require.Equal(t, 0, cfg.Clusters[0].Cores[0].Queue.V)
	require.Equal(t, []int{4, 4, 4, 4}, []int{n.Design.Slots.V, n.Scheduler.WaitQueue.V, n.Clusters[0].Queue.V, n.Clusters[0].SlotQuota.V})
	require.Equal(t, "[design]\nslots = 4\n\n[scheduler]\npolicy = \"jsq\"\n\n[[cluster]]\nname = \"aes128\"\n\n[[cluster.core]]\nkind  = \"aes128_16sbox\"\nqueue = 2\n", ch.Fragment(cfg))
}

func FuzzEdit(f *testing.F) {
	f.Add("[scheduler]\npolicy = \"ect\"\n[[cluster]]\n[[cluster.core]]\n", 3, 0.5)
	f.Add("scheduler = { alpha = 1 }\r\ncluster = [{core = [{}]}]", 1, 1e-3)
	f.Add("design.slots = 9\n# c\n[[cluster]] # x\n", 9, 2.0)
	f.Fuzz(func(t *testing.T, text string, queue int, alpha float64) {
		cfg, err := config.Parse("t.toml", ".", []byte(text))
		if err != nil || queue < 1 || queue > cfg.Design.Slots.V || !(alpha >= config.MinWeight && alpha <= config.MaxWeight) {
			return
		}
		ch := Changes{Scheduler: []Setting{{"policy", "weighted"}, {"alpha", alpha}}, Queues: []Queue{{0, 0, queue}}}
		_, err = Edit(cfg, []byte(text), &ch)
		require.NoError(t, err)
	})
}
