// SPDX-License-Identifier: Apache-2.0

package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hwgen/gen/board"
	"hwgen/gen/part"
)

// Property is what a key takes, as JSON Schema (draft 7) has it.
type Property struct {
	Schema       string               `json:"$schema,omitempty"`
	Title        string               `json:"title,omitempty"`
	Type         string               `json:"type,omitempty"`
	Enum         []any                `json:"enum,omitempty"`
	Pattern      string               `json:"pattern,omitempty"`
	MaxLength    int                  `json:"maxLength,omitempty"`
	Minimum      *float64             `json:"minimum,omitempty"`
	Maximum      *float64             `json:"maximum,omitempty"`
	MultipleOf   int                  `json:"multipleOf,omitempty"`
	MinItems     int                  `json:"minItems,omitempty"`
	MaxItems     int                  `json:"maxItems,omitempty"`
	MinKeys      int                  `json:"minProperties,omitempty"`
	Default      any                  `json:"default,omitempty"`
	Items        *Property            `json:"items,omitempty"`
	Properties   map[string]*Property `json:"properties,omitempty"`
	Required     []string             `json:"required,omitempty"`
	Additional   *bool                `json:"additionalProperties,omitempty"`
	AnyOf        []Property           `json:"anyOf,omitempty"`
	Not          *Property            `json:"not,omitempty"`
	Dependencies map[string][]string  `json:"dependencies,omitempty"`
}

func ptr[T any](v T) *T { return &v }

func float(i int) *float64 { return ptr(float64(i)) }

func anys[T any](l []T) []any {
	var out []any
	for _, v := range l {
		out = append(out, v)
	}
	return out
}

// orNil is a default, unless it only says that there is none.
func orNil[T comparable](v, none T) any {
	if v == none {
		return nil
	}
	return v
}

// every table once, so that every key is read
const everyTable = "[design]\n[scheduler]\n[control]\n[synth]\n[host]\n[clocks]\n[board]\n[[cluster]]\n[[cluster.core]]\ncycles = {}\n"

// Schema is the JSON Schema of a config, of the same calls that read one. What one value or table can show is in it;
// what takes two tables, a file, reserved words or how values go together is not.
func Schema() ([]byte, error) {
	root, perr := parse("schema", []byte(everyTable))
	if perr != nil {
		return nil, fmt.Errorf("schema: %w", perr)
	}
	tables := map[string]*Property{}
	table := func(where string) *Property {
		p := tables[where]
		if p == nil {
			p = &Property{Type: "object", Properties: map[string]*Property{}, Additional: ptr(false)}
			tables[where] = p
		}
		return p
	}
	d := &decoder{seen: func(where, key string, takes Property) { table(where).Properties[key] = &takes }}
	d.config(root)
	for where, keys := range keysOf { // a key that the decoder does not know is an error; one that it does not read, a mistake here
		for _, k := range keys {
			if where == "" || where == "[[cluster]]" && k == "core" || where == coreTable && (k == "sources" || k == "cycles") {
				continue
			}
			if tables[where] == nil || tables[where].Properties[k] == nil {
				return nil, fmt.Errorf("schema: key %s of %s is not read", k, where)
			}
		}
	}
	at := func(where, key string) *Property { return tables[where].Properties[key] }
	at("[design]", "data_width").Enum = []any{32, 64, 128}
	size := at("[design]", "packet_bytes")
	size.Minimum, size.Maximum, size.MultipleOf = ptr(16.0), ptr(float64(MaxPacketBytes)), 16
	at("[scheduler]", "policy").Enum = anys(PolicyNames())
	at("[scheduler]", "score_bits").Default = nil
	for _, p := range []*Property{at("[design]", "name"), at("[design]", "library"), at("[[cluster]]", "name")} {
		p.Pattern, p.MaxLength = `^[A-Za-z](_?[A-Za-z0-9])*$`, 40
	}
	// what follows from other keys is no default of its own
	for _, k := range []string{"queue", "slot_quota"} {
		at("[[cluster]]", k).Default = nil
	}
	at("[scheduler]", "wait_queue").Default = nil
	at(clocksTable, "registers").Default = nil
	at(hostTable, "window").Enum = powers(2, MaxWindow)
	at(clocksTable, "depth").Enum = powers(MinCrossing, MaxCrossing)
	at(boardTable, "name").Enum = anys(board.Names())
	tables[boardTable].Required = []string{"name"}
	for _, p := range part.Parts {
		at("[synth]", "target").Enum = append(at("[synth]", "target").Enum, p.Name)
		for _, g := range p.Grades {
			at("[synth]", "target").Enum = append(at("[synth]", "target").Enum, p.Name+"-"+g)
		}
	}

	core := tables[coreTable]
	core.Properties["kind"].Enum = anys(KindNames(""))
	core.Properties["sources"] = &Property{Type: "array", MinItems: 1, Items: &Property{Type: "string", Pattern: `(^|[/\\])[A-Za-z0-9_.+-]*\.vh?$`}}
	cycles := table("cycles of a core")
	cycles.MinKeys = 1
	core.Properties["cycles"] = cycles
	core.Not = &Property{Required: []string{"kind", "module"}}
	core.Dependencies = map[string][]string{"module": {"sources", "cycles"}, "sources": {"module"}, "cycles": {"module"}, "decrypt_key": {"module"}}
	cluster := tables["[[cluster]]"]
	cluster.Properties["core"] = &Property{Type: "array", MaxItems: MaxCores, Items: core}
	top := &Property{Schema: "http://json-schema.org/draft-07/schema#", Title: "hwgen config", Type: "object",
		Properties: map[string]*Property{}, Required: []string{"cluster"}, Additional: ptr(false)}
	for _, k := range keysOf[""] {
		i := slices.IndexFunc(sortedTables(tables), func(w string) bool { return w == "["+k+"]" })
		if k == "cluster" {
			top.Properties[k] = &Property{Type: "array", MinItems: 1, MaxItems: MaxClusters, Items: cluster}
		} else if i >= 0 {
			top.Properties[k] = tables["["+k+"]"]
		} else {
			return nil, fmt.Errorf("schema: no table %s", k)
		}
	}
	top.Not = &Property{AnyOf: []Property{{Required: []string{"clocks", "host"}}, {Required: []string{"clocks", "board"}}}}
	b, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return append(b, '\n'), nil
}

// powers are the powers of two from one to another.
func powers(from, to int) []any {
	var l []any
	for ; from <= to; from *= 2 {
		l = append(l, from)
	}
	return l
}

func sortedTables(m map[string]*Property) []string {
	var l []string
	for k := range m {
		l = append(l, k)
	}
	slices.SortFunc(l, strings.Compare)
	return l
}
