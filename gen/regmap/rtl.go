// SPDX-License-Identifier: Apache-2.0

package regmap

import (
	"fmt"
	"math/bits"
	"strings"
)

// Decode is how a block is found in an address, as parts of the address of a word.
type Decode struct {
	Block  *Block
	Hi, Lo int // bits that say which block
	Value  string
	// IdxHi, IdxLo: bits of the element's number; WordHi: the highest of the word's. Without elements IdxHi is -1.
	IdxHi, IdxLo, WordHi int
	Count                string // number of elements, as wide as the index
	Cases                []Case
}

// Case is a word of a block and what is read there.
type Case struct {
	Word, Expr, Name string
}

// Decodes are the blocks of a cluster, or -1 for that of the whole design.
func (m *Map) Decodes(cluster int) []Decode {
	var l []Decode
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Cluster != cluster {
			continue
		}
		d := Decode{Block: b, Hi: m.AddrW - 3, Lo: bits.Len32(b.Size) - 3, IdxHi: -1, WordHi: bits.Len32(b.Stride) - 4}
		d.Value = fmt.Sprintf("%d'h%x", d.Hi-d.Lo+1, b.Base/b.Size)
		if b.Count > 0 {
			d.IdxHi, d.IdxLo = d.Lo-1, d.WordHi+1
			if w := d.IdxHi - d.IdxLo + 1; b.Count < 1<<w { // else each number is one of an element
				d.Count = fmt.Sprintf("%d'd%d", w, b.Count)
			}
		}
		for k := range b.Regs {
			r := &b.Regs[k]
			for w := range r.Words() {
				d.Cases = append(d.Cases, Case{
					Word: fmt.Sprintf("%d'h%x", d.WordHi+1, int(r.Offset)/4+w), Expr: r.expr(w), Name: r.Name,
				})
			}
		}
		l = append(l, d)
	}
	return l
}

// Select is the condition under which an address is in the block, of the named vector.
func (d Decode) Select(addr string) string {
	s := fmt.Sprintf("(%s[%d:%d] == %s)", addr, d.Hi, d.Lo, d.Value)
	if d.Count != "" {
		s += fmt.Sprintf("\n      & (%s[%d:%d] < %s)", addr, d.IdxHi, d.IdxLo, d.Count)
	}
	return s
}

// Word is the word's number in the block, of the named vector.
func (d Decode) Word(addr string) string { return fmt.Sprintf("%s[%d:0]", addr, d.WordHi) }

// expr is what is read in word w of a register.
func (r *Reg) expr(w int) string {
	if r.Counter {
		if w == 1 {
			return "{16'd0, " + r.Fields[0].RTL + "[47:32]}"
		}
		return r.Fields[0].RTL + "[31:0]"
	}
	if r.RTLs != nil {
		return r.RTLs[w]
	}
	var parts []string
	at := 32
	for i := len(r.Fields) - 1; i >= 0; i-- {
		f := &r.Fields[i]
		if gap := at - f.LSB - f.Width; gap > 0 {
			parts = append(parts, fmt.Sprintf("%d'd0", gap))
		}
		e := f.RTL
		if e == "" {
			e = fmt.Sprintf("%d'd0", f.Width)
		}
		parts = append(parts, e)
		at = f.LSB
	}
	if at > 0 {
		parts = append(parts, fmt.Sprintf("%d'd0", at))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// WordOf is the number of a register's first word in its block, for comparisons.
func (d Decode) WordOf(name string) (string, error) {
	r := d.Block.Reg(name)
	if r == nil {
		return "", fmt.Errorf("no register %s in block %s", name, d.Block.Name)
	}
	return fmt.Sprintf("%d'h%x", d.WordHi+1, r.Offset/4), nil
}

// DecodeOf is the decoder of a block of a cluster.
func (m *Map) DecodeOf(k Kind, cluster int) (Decode, error) {
	for _, d := range m.Decodes(cluster) {
		if d.Block.Kind == k {
			return d, nil
		}
	}
	return Decode{}, fmt.Errorf("no block %s of cluster %d", k, cluster)
}

// AllDecodes are the decoders of all blocks, by address.
func (m *Map) AllDecodes() []Decode {
	l := m.Decodes(-1)
	for i := range m.Clusters {
		l = append(l, m.Decodes(i)...)
	}
	return l
}
