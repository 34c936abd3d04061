// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxName is the longest name accepted for a design or a cluster.
const MaxName = 40

// checkName says what is wrong with a name that becomes part of identifiers in Verilog, SystemVerilog and VHDL; "" if
// nothing is.
func checkName(s string) (msg, hint string) {
	const rule = "a name is a letter, then letters, digits and single underscores, not ending in one"
	switch {
	case s == "":
		return "the name is empty", rule
	case utf8.RuneCountInString(s) > MaxName:
		return fmt.Sprintf("the name is %d characters long", utf8.RuneCountInString(s)), fmt.Sprintf("at most %d", MaxName)
	}
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '_' && (r < '0' || r > '9')) {
			return fmt.Sprintf("%q is no identifier", s), rule
		}
	}
	if strings.Contains(s, "__") || strings.HasSuffix(s, "_") {
		return fmt.Sprintf("%q is no identifier in VHDL", s), rule
	}
	if lang := ReservedIn(s); lang != "" {
		return fmt.Sprintf("%q is a reserved word of %s", s, lang), "choose another name"
	}
	return "", ""
}

// checkModule is checkName for the name of a user's own Verilog module, which need not be legal in VHDL.
func checkModule(s string) (msg, hint string) {
	const rule = "a letter or underscore, then letters, digits, underscores and $"
	switch {
	case s == "":
		return "the module's name is empty", rule
	case s[0] == '\\':
		return fmt.Sprintf("%q is an escaped identifier", s), "they are not taken here: rename the module, " + rule
	}
	for i, r := range s {
		first := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !first && (i == 0 || r != '$' && (r < '0' || r > '9')) {
			return fmt.Sprintf("%q is no Verilog identifier", s), rule
		}
	}
	if lang := ReservedIn(s); lang != "" && lang != "VHDL" {
		return fmt.Sprintf("%q is a reserved word of %s", s, lang), "rename the module"
	}
	return "", ""
}

// ReservedIn is the language in which a word is reserved: "Verilog", "SystemVerilog" or "VHDL" (in any case); "" if none.
func ReservedIn(s string) string {
	switch {
	case verilogWords[s]:
		return "Verilog"
	case systemVerilogWords[s]:
		return "SystemVerilog"
	case vhdlWords[strings.ToLower(s)]:
		return "VHDL"
	}
	return ""
}

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// IEEE 1364-2005, annex B.
var verilogWords = words(`
always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign default defparam design
disable edge else end endcase endconfig endfunction endgenerate endmodule endprimitive endspecify endtable endtask event
for force forever fork function generate genvar highz0 highz1 if ifnone incdir include initial inout input instance
integer join large liblist library localparam macromodule medium module nand negedge nmos nor noshowcancelled not notif0
notif1 or output parameter pmos posedge primitive pull0 pull1 pulldown pullup pulsestyle_onevent pulsestyle_ondetect
rcmos real realtime reg release repeat rnmos rpmos rtran rtranif0 rtranif1 scalared showcancelled signed small specify
specparam strong0 strong1 supply0 supply1 table task time tran tranif0 tranif1 tri tri0 tri1 triand trior trireg
unsigned use uwire vectored wait wand weak0 weak1 while wire wor xnor xor`)

// IEEE 1800-2017, annex B, beyond those of Verilog.
var systemVerilogWords = words(`
accept_on alias always_comb always_ff always_latch assert assume before bind bins binsof bit break byte chandle checker
class clocking const constraint context continue cover covergroup coverpoint cross dist do endchecker endclass
endclocking endgroup endinterface endpackage endprogram endproperty endsequence enum eventually expect export extends
extern final first_match foreach forkjoin global iff ignore_bins illegal_bins implements implies import inside int
interconnect interface intersect join_any join_none let local logic longint matches modport nettype new nexttime null
package packed priority program property protected pure rand randc randcase randsequence ref reject_on restrict return
s_always s_eventually s_nexttime s_until s_until_with sequence shortint shortreal soft solve static string strong struct
super sync_accept_on sync_reject_on tagged this throughout timeprecision timeunit type typedef union unique unique0
until until_with untyped var virtual void wait_order weak wildcard with within`)

// IEEE 1076-2008, 15.10 (in lower case), and the additions of 2019.
var vhdlWords = words(`
abs access after alias all and architecture array assert assume assume_guarantee attribute begin block body buffer bus
case component configuration constant context cover default disconnect downto else elsif end entity exit fairness file
for force function generate generic group guarded if impure in inertial inout is label library linkage literal loop map
mod nand new next nor not null of on open or others out package parameter port postponed private procedure process
property protected pure range record register reject release rem report restrict restrict_guarantee return rol ror
select sequence severity shared signal sla sll sra srl strong subtype then to transport type unaffected units until use
variable view vmode vprop vunit wait when while with xnor xor`)
