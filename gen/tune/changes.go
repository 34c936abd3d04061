// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"fmt"
	"slices"
	"strings"

	"hwgen/gen/config"
)

// Changes are keys of a config with new values.
type Changes struct {
	Design    []Setting // of [design]
	Scheduler []Setting // of [scheduler]
	Queues    []Queue
}

// Queue is the core queue of a group of like cores.
type Queue struct {
	Cluster int `json:"cluster"` // from 0, as in the file
	Group   int `json:"group"`   // [[cluster.core]] of the cluster, from 0
	Queue   int `json:"queue"`
}

// defaultQueue is the cluster queue of a config that does not name it; Edit finds out if it is not.
const defaultQueue = 8

// Empty says that nothing changes.
func (ch *Changes) Empty() bool { return len(ch.Design)+len(ch.Scheduler)+len(ch.Queues) == 0 }

func given[T any](v *config.Value[T], x T) { v.V, v.Set, v.Bad = x, true, false }

// Apply is the config with the changes; c stays as it is. Defaults that depend on a value follow it.
func (ch *Changes) Apply(c *config.Config) *config.Config {
	n := *c
	n.Clusters = slices.Clone(c.Clusters)
	for i := range n.Clusters {
		n.Clusters[i].Cores = slices.Clone(n.Clusters[i].Cores)
	}
	for _, s := range ch.Design {
		if s.Key == "slots" {
			slots := s.Value.(int)
			given(&n.Design.Slots, slots)
			follow := func(v *config.Value[int], to int) {
				if !v.Set {
					v.V = to
				}
			}
			follow(&n.Scheduler.WaitQueue, slots)
			for i := range n.Clusters {
				follow(&n.Clusters[i].Queue, min(defaultQueue, slots))
				follow(&n.Clusters[i].SlotQuota, slots)
			}
		}
	}
	for _, s := range ch.Scheduler {
		switch s.Key {
		case "policy":
			given(&n.Scheduler.Policy, s.Value.(string))
		case "alpha":
			given(&n.Scheduler.Alpha, s.Value.(float64))
		case "beta":
			given(&n.Scheduler.Beta, s.Value.(float64))
		case "lambda":
			given(&n.Scheduler.Lambda, s.Value.(float64))
		}
	}
	for _, q := range ch.Queues {
		given(&n.Clusters[q.Cluster].Cores[q.Group].Queue, q.Queue)
	}
	return &n
}

// Fragment is the changes as TOML to merge into the config by hand: whole tables with the keys that tell them apart.
func (ch *Changes) Fragment(c *config.Config) string {
	var b strings.Builder
	section := func(header string, ss []Setting) {
		if len(ss) == 0 {
			return
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintln(&b, header)
		w := 0
		for _, s := range ss {
			w = max(w, len(s.Key))
		}
		for _, s := range ss {
			fmt.Fprintf(&b, "%-*s = %s\n", w, s.Key, s.text(nil))
		}
	}
	section("[design]", ch.Design)
	section("[scheduler]", ch.Scheduler)
	for i := range c.Clusters {
		cl := &c.Clusters[i]
		if !slices.ContainsFunc(ch.Queues, func(q Queue) bool { return q.Cluster == i }) {
			continue
		}
		section("[[cluster]]", []Setting{{"name", cl.Name.V}})
		for g := range cl.Cores {
			co := &cl.Cores[g]
			ss := []Setting{{"kind", co.Kind.V}}
			if co.External() {
				ss[0] = Setting{"module", co.Module.V}
			}
			queue := co.Queue.V
			for _, q := range ch.Queues {
				if q.Cluster == i && q.Group == g {
					queue = q.Queue
				}
			}
			if queue > 0 {
				ss = append(ss, Setting{"queue", queue})
			}
			section("[[cluster.core]]", ss)
		}
	}
	return b.String()
}
