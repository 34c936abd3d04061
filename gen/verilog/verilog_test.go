// SPDX-License-Identifier: Apache-2.0

package verilog

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestModules(t *testing.T) {
	for text, want := range map[string][]string{
		"module a (x); endmodule": {"a"},
		"module a; initial $display(\"%m: module a starts\"); endmodule":     {"a"},
		"module a; initial $display(\"\\\"module b\"); endmodule\nmodule c;": {"a", "c"},
		"// module a\n/* module b\n module c */module/**/d;":                 {"d"},
		"initial $display(\"http://x\"); module a;":                          {"a"},
		"initial $display(\"/*\"); module a; initial $display(\"*/\");":      {"a"},
		"macromodule a; endmodule macromodule\nb;":                           {"a", "b"},
		"module \\a ; endmodule module \\b+// ; endmodule module c;":         {"a", `\b+//`, "c"},
		"module a; wire \\\"x ; endmodule module b;":                         {"a", "b"},
		"endmodule a; mymodule b; `define m module_x":                        nil,
		"/* module a":                                       nil,
		"initial $display(\"open\nmodule a;":                {"a"},
		"module a; // \"\nmodule b;":                        {"a", "b"},
		"initial $display(\"two \\\nlines\"); module a; \"": {"a"},
		"\"":   nil,
		"\"\\": nil,
		"\\":   nil,
	} {
		var got []string
		for _, m := range Modules([]byte(text)) {
			got = append(got, m.Name)
			assert.Equal(t, m.Name[0] == '\\', m.Escaped, text)
		}
		assert.Equal(t, want, got, text)
	}
	assert.Equal(t, " (x);", string(Modules([]byte("module a (x);"))[0].Rest))
	assert.Equal(t, `a   "//"`, string(WithoutComments([]byte(`a /*"*/ "//"`))))
}
