// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// beyond are refused for what no schema of one document says: files beside it, two tables, names that depend on others.
var beyond = map[string]bool{
	// files beside the config, and what is in them
	"folder.toml": true, "near_module.toml": true, "no_module.toml": true, "no_ports.toml": true, "other_sources.toml": true,
	"two_in_one.toml": true, "two_sources.toml": true, "follow_module.toml": true,
	"escaped.toml": true, "folder_names.toml": true, "says.toml": true,
	// two tables, or two of a list
	"dup.toml": true, "dup_case.toml": true, "many_cores.toml": true, "no_encrypt.toml": true, "other_kind.toml": true,
	"packet_key.toml": true, "queues.toml": true, "module_name.toml": true, "weights.toml": true,
	// a baud that goes with no clock, or not with this one
	"library_module.toml": true, "host_clock.toml": true, "host_slow.toml": true,
	// reserved words in any case; scores that come out too wide; a float that is whole is an integer to JSON, one that
	// is too small 0
	"reserved.toml": true, "underflow.toml": true, "too_wide_cycles.toml": true, "type_float.toml": true,
}

func compiled(t *testing.T) *jsonschema.Schema {
	b, err := Schema()
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("hwgen.json", doc))
	s, err := c.Compile("hwgen.json")
	require.NoError(t, err)
	return s
}

// asJSON is a config as an editor's validator sees it; an error is one of TOML itself.
func asJSON(data []byte) (any, error) {
	var v map[string]any
	if err := toml.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(b))
}

// The schema takes every example, and refuses every config of the error cases but those it cannot see through.
func TestSchema(t *testing.T) {
	s := compiled(t)
	good, err := filepath.Glob("../../examples/*/*.toml")
	require.NoError(t, err)
	require.NotEmpty(t, good)
	good = append(good, "../../templates/config/default.toml", "../../templates/config/init.toml")
	for _, f := range good {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		v, err := asJSON(b)
		require.NoError(t, err)
		require.NoError(t, s.Validate(v), f)
	}
	a, err := txtar.ParseFile("../../cmd/hwgen/testdata/script/config_errors.txtar")
	require.NoError(t, err)
	bad, passed := 0, map[string]bool{}
	for _, f := range a.Files {
		if !strings.HasSuffix(f.Name, ".toml") {
			continue
		}
		if _, err := Parse(f.Name, t.TempDir(), f.Data); err == nil {
			continue
		}
		bad++
		v, err := asJSON(f.Data)
		if err == nil && s.Validate(v) == nil {
			passed[f.Name] = true
		}
	}
	require.Greater(t, bad, 60)
	require.Equal(t, beyond, passed)
}
