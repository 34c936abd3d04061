// SPDX-License-Identifier: Apache-2.0

// Package emit turns a design into files: it renders templates, copies the part of the RTL library that the design
// uses, and writes, compares and lists the result.
//
// # Templates
//
// A template of templates/ sees
//
//	.D       the design (*design.Design)
//	.C       the cluster (*design.Cluster), in cluster.v.tmpl only
//	.Banner  the lines of the "Code generated" banner, without comment marks: {{range .Banner}}// {{.}}
//	.Tool    the tool's version
//
// and the functions
//
//	hex W V      4'hf: a sized hexadecimal literal; W and V are any integers
//	dec W V      4'd15
//	bits W B...  concatenation of booleans or 0/1, last argument first: 3'b101
//	range_ W     "[W-1:0]"
//	sub A B, add A B, mul A B
//	join SEP LIST
//	last I LIST  true for the last index of a list: {{if not (last $i .C.Cores)}},{{end}}
//	rev LIST     the list in reverse order (for Verilog concatenations)
//	opbase C OP J, opinc C OP J: an entry of a cluster's tables
//	flatbase C, flatinc C: the whole table as one literal; entry (core*4+op)*W +: W
//	flatcap C    caps, core j at j*CapW
//	flatsupport C  core j's support byte at j*8
//	flatcanop C    bit j*4+op: core j can do command op
//	flatcaninv C   bit j: core j has the inverse cipher
//	inunits C V    a value of the cluster's tables in the unit of scores (C.Tables.Unit)
//	pad S          S and blanks up to 8 characters, to align ports
//
// Library modules are written hwgen_<module> in templates as in rtl/; the prefix is replaced after rendering, in
// what the template says, not in what the config does.
//
// Output files: rtl/<design>_top.v from templates/rtl/top.v.tmpl, rtl/<design>_<name>_cluster.v (C.Module) from
// templates/rtl/cluster.v.tmpl (once a cluster).
package emit
