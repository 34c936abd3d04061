// SPDX-License-Identifier: Apache-2.0

// Package regmap is the register map of a design: one description, of which the RTL's decoder, the Markdown table, the
// C header, the SystemRDL file and the Python and Go access layers are made.
//
// A map is a list of blocks, each aligned to its size, which is a power of two: a block's number is a plain part of the
// address. The counters, tables and cores of every design lie at the same offsets of their blocks.
package regmap

import (
	"fmt"
	"math/bits"
	"strings"
)

// Access is what a host may do with a field.
type Access int

// Accesses.
const (
	ReadOnly  Access = iota
	ReadWrite        // reads what was written
	OneClears        // reads an event that came; a one clears it
	Pulse            // a one does something; reads 0
)

// String is the access in a table.
func (a Access) String() string { return [...]string{"RO", "RW", "W1C", "WO"}[a] }

// Field is a run of bits of a register.
type Field struct {
	Name       string
	LSB, Width int
	Access     Access
	Reset      uint64
	Volatile   bool   // what is read is not what reset or a write left
	Doc        string // a phrase
	RTL        string // the expression that is read; "": 0
}

// Mask is the field's bits in the register.
func (f *Field) Mask() uint32 { return uint32((uint64(1)<<f.Width - 1) << f.LSB) }

// Reg is a register of 32 bits, or several alike.
type Reg struct {
	Name   string // capitals
	Offset uint32 // bytes, in its block
	Count  int    // 0: one, no array; registers of an array follow each other
	Doc    string // a sentence
	Fields []Field
	// RTLs are the expressions of an array's elements, in place of that of its field.
	RTLs []string
	// Counter: 64 bits in two registers, low and high; Offset is that of the low one.
	Counter bool
}

// Words is how many registers it takes.
func (r *Reg) Words() int {
	n := max(1, r.Count)
	if r.Counter {
		n *= 2
	}
	return n
}

// Writable says whether a write does anything.
func (r *Reg) Writable() bool {
	for i := range r.Fields {
		if r.Fields[i].Access != ReadOnly {
			return true
		}
	}
	return false
}

// Reset is the register's value after reset.
func (r *Reg) Reset() uint32 {
	var v uint32
	for i := range r.Fields {
		v |= uint32(r.Fields[i].Reset << r.Fields[i].LSB)
	}
	return v
}

// Kind of a block.
type Kind string

// Kinds of blocks.
const (
	Global       Kind = "global"        // of the whole design
	Cluster      Kind = "cluster"       // of one cluster
	Weights      Kind = "weights"       // a core's score tables
	Core         Kind = "core"          // a core's state
	CoreCounters Kind = "core_counters" // a core's counters
)

// Block is registers side by side; with Count it stands so many times, Stride apart.
type Block struct {
	Name    string
	Kind    Kind
	Cluster int // -1: none
	Base    uint32
	Size    uint32 // of all of them: a power of two
	Stride  uint32 // a power of two; Size without Count
	Count   int    // 0: it stands once
	Doc     string
	Regs    []Reg
}

// Map is a design's registers.
type Map struct {
	Design   string
	Version  string // of the tool
	Hash     string // of the config, in hex
	AddrW    int    // bits of a byte address
	Counters bool   // there are event counters
	Tables   bool   // score tables can be written
	Clusters []ClusterInfo
	Blocks   []Block
}

// ClusterInfo is what the access layers know of a cluster.
type ClusterInfo struct {
	Name, Module          string
	Cores                 int
	Tables                bool // has score tables that can be written
	SoftCap               bool // capacities can be lowered
	BaseMax               uint64
	IncMax                []uint64 // by core
	CounterCount          int      // counters of its bank: those of the cluster, then those of each core
	Index, AccW, IncW     int
	ClusterCtrs, CoreCtrs int
}

// BaseName is the block's name in lower case with what it belongs to, for identifiers: cluster_aes_core.
func (b *Block) BaseName() string { return strings.ToLower(b.Name) }

// WordW is the bits of a word's number inside one of the block, IdxW those of its number among its likes, as parts of a
// byte address.
func (b *Block) WordW() int { return bits.Len32(b.Stride) - 3 }

// IdxW is the bits of an element's number.
func (b *Block) IdxW() int { return bits.Len32(b.Size) - bits.Len32(b.Stride) }

// Word is one register of a map at its address.
type Word struct {
	Addr  uint32
	Name  string // GLOBAL_ID, AES_CORE0_STATUS
	Block *Block
	Elem  int // of the block
	Reg   *Reg
	Index int  // of an array, -1: none
	High  bool // the high word of a counter
}

// wordNames are the names of a register's words in an element of its block.
func (b *Block) wordNames(elem int, r *Reg) []string {
	n := b.Name
	if b.Count > 0 {
		n += fmt.Sprint(elem)
	}
	n += "_" + r.Name
	switch {
	case r.Counter:
		return []string{n + "_LO", n + "_HI"}
	case r.Count == 0:
		return []string{n}
	}
	l := make([]string, r.Words())
	for w := range l {
		l[w] = n + fmt.Sprint(w)
	}
	return l
}

// Words lists every register, by address.
func (m *Map) Words() []Word {
	var l []Word
	for i := range m.Blocks {
		b := &m.Blocks[i]
		for e := range max(1, b.Count) {
			for k := range b.Regs {
				r := &b.Regs[k]
				for w, name := range b.wordNames(e, r) {
					x := Word{
						Addr: b.Base + uint32(e)*b.Stride + r.Offset + uint32(4*w), Name: name, Block: b, Elem: e, Reg: r, Index: -1,
						High: r.Counter && w == 1,
					}
					if !r.Counter && r.Count > 0 {
						x.Index = w
					}
					l = append(l, x)
				}
			}
		}
	}
	return l
}

// Find is the block of a kind and cluster; nil if there is none.
func (m *Map) Find(k Kind, cluster int) *Block {
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == k && (b.Cluster == cluster || k == Global) {
			return b
		}
	}
	return nil
}

// Reg is a register of a block by its name; nil if there is none.
func (b *Block) Reg(name string) *Reg {
	for i := range b.Regs {
		if b.Regs[i].Name == name {
			return &b.Regs[i]
		}
	}
	return nil
}

// Addr is the address of a register of element e; an error if the map has none.
func (m *Map) Addr(k Kind, cluster, e int, name string) (uint32, error) {
	b := m.Find(k, cluster)
	if b == nil || e < 0 || e >= max(1, b.Count) {
		return 0, fmt.Errorf("register %s: no %s %d of cluster %d", name, k, e, cluster)
	}
	r := b.Reg(name)
	if r == nil {
		return 0, fmt.Errorf("no register %s in block %s", name, b.Name)
	}
	return b.Base + uint32(e)*b.Stride + r.Offset, nil
}

// check says what is wrong with a map: overlaps, misalignment, fields outside of their register. It is the generator's
// own mistake.
func (m *Map) check() error {
	end := uint32(0)
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch {
		case bits.OnesCount32(b.Size) != 1 || bits.OnesCount32(b.Stride) != 1 || b.Base%b.Size != 0:
			return fmt.Errorf("register block %s is not aligned: %#x, %#x, %#x", b.Name, b.Base, b.Size, b.Stride)
		case b.Base < end || uint32(max(1, b.Count))*b.Stride > b.Size:
			return fmt.Errorf("register block %s overlaps the one before, or its own size", b.Name)
		case b.Base+b.Size > 1<<m.AddrW:
			return fmt.Errorf("register block %s is outside of %d bits", b.Name, m.AddrW)
		}
		end = b.Base + b.Size
		next := uint32(0)
		for k := range b.Regs {
			r := &b.Regs[k]
			if r.Offset < next || r.Offset%4 != 0 || r.Offset+uint32(4*r.Words()) > b.Stride {
				return fmt.Errorf("register %s.%s overlaps or is outside of its block", b.Name, r.Name)
			}
			next = r.Offset + uint32(4*r.Words())
			bit := 0
			for j := range r.Fields {
				f := &r.Fields[j]
				if f.LSB < bit || f.Width < 1 || f.LSB+f.Width > 32 || f.Width < 64 && f.Reset >= 1<<f.Width {
					return fmt.Errorf("field %s.%s.%s overlaps, or does not fit", b.Name, r.Name, f.Name)
				}
				bit = f.LSB + f.Width
			}
		}
	}
	return m.clash()
}

// ClashError is a name that registers of two clusters have, -1 for those of the whole design.
type ClashError struct {
	Name           string
	Cluster, Other int
}

func (e *ClashError) Error() string {
	return fmt.Sprintf("registers of two clusters are both named %s", e.Name)
}

// clash finds names that the layers in C, Go, Python and SystemRDL have twice: with and without underscores, in any case.
func (m *Map) clash() error {
	type place struct{ block, reg, field int }
	type owner struct {
		place
		cluster int
	}
	seen := map[string]owner{}
	var err error
	add := func(name string, cluster int, p place) {
		key := strings.ToUpper(strings.ReplaceAll(name, "_", ""))
		o, ok := seen[key]
		if ok && o.place != p && err == nil {
			err = &ClashError{strings.ToUpper(name), cluster, o.cluster}
		}
		seen[key] = owner{p, cluster}
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		add(b.Name, b.Cluster, place{i, -1, -1})
		for k := range b.Regs {
			r := &b.Regs[k]
			add(b.Name+"_"+r.Name, b.Cluster, place{i, k, -1})
			for f := range r.Fields {
				if !r.Counter {
					add(b.Name+"_"+r.Name+"_"+r.Fields[f].Name+"_MASK", b.Cluster, place{i, k, f})
				}
			}
		}
		for e := range max(1, b.Count) {
			for k := range b.Regs {
				r := &b.Regs[k]
				for _, w := range b.wordNames(e, r) {
					add(w, b.Cluster, place{i, k, -1})
				}
			}
		}
	}
	return err
}
