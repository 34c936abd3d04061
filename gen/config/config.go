// SPDX-License-Identifier: Apache-2.0

// Package config reads a hardware description: TOML, strictly, with the place of every value, a default for every key,
// and every mistake reported, not just the first.
package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hwgen/gen/board"
	"hwgen/gen/diag"
)

// Limits of a design.
const (
	MaxSlots       = 256
	MaxPacketBytes = 65520
	MaxRequesters  = 256
	MaxKeySlots    = 256
	MaxChooseList  = 256
	MaxClusters    = 16
	MaxCores       = 64 // of a cluster
	MaxCycles      = 65535
	MaxFile        = 1 << 18 // bytes
	MaxWeight      = 1e6
	MinWeight      = 1e-6 // smallest that is not 0
	MaxLambda      = 1000
	MaxScoreBits   = 32
	MaxClockMHz    = 1000
)

// Value is a value with its place: of the value if the file gives it, else of the table that it is missing from.
type Value[T any] struct {
	V   T
	Pos diag.Pos
	Set bool // given in the file, not a default
	Bad bool // given and refused: V is a default, and what follows from it is no mistake of its own
}

// Config is a whole description, defaults filled in.
type Config struct {
	File      string // as named on the command line
	Dir       string // external sources are relative to it
	Hash      string // SHA-256 of the file's bytes, in hex
	Design    Design
	Scheduler Scheduler
	Control   Control
	Synth     Synth
	Board     Board
	Clusters  []Cluster
	Host      Host
	Clocks    Clocks
}

// Design is [design].
type Design struct {
	Name        Value[string]
	Library     Value[string] // prefix of the library's modules; the name if not given
	DataWidth   Value[int]
	PacketBytes Value[int]
	Slots       Value[int]
	Requesters  Value[int]
	SBox        Value[string] // form of the S-boxes in synthesis: field, table; "": what suits the part
}

// Scheduler is [scheduler].
type Scheduler struct {
	Policy       Value[string]
	Bind         Value[string] // in_flight, job
	Programmable Value[bool]
	Alpha, Beta  Value[float64] // weighted
	Lambda       Value[float64] // affinity
	ScoreBits    Value[int]     // 0: as many as exact scores take
	WaitQueue    Value[int]
	Balancer     Value[string] // tree, scan
	Lane         Value[string] // wide, serial
	ReportCore   Value[bool]
}

// Synth is [synth]: what `hwgen synth` aims at.
type Synth struct {
	Target   Value[string] // see package part
	ClockMHz Value[float64]
}

// Board is [board]: the board that the design gets a top, constraints and a bitstream for.
type Board struct {
	Given    bool
	refused  bool // given, but no table
	Pos      diag.Pos
	Name     Value[string] // see package board
	ClockMHz Value[float64]
	RX, TX   Value[string] // pins in place of the board's own
	Use      *board.Use    // settled by validation
}

// Control is [control]: what a host sees and does beside the streams.
type Control struct {
	Axil     Value[bool] // registers on AXI4-Lite
	Counters Value[bool] // event counters among them
}

// Cluster is [[cluster]].
type Cluster struct {
	Pos        diag.Pos
	Name       Value[string]
	Algorithm  Value[string]
	Queue      Value[int]
	ChooseList Value[int] // 0: the default, what the queues can hold
	KeySlots   Value[int]
	SlotQuota  Value[int]
	Cores      []Core
}

// Core is [[cluster.core]]: Count cores alike.
type Core struct {
	Pos     diag.Pos
	Kind    Value[string] // built-in kind; "" for an external core
	Count   Value[int]
	Queue   Value[int] // 0: the default in proportion to speed
	Decrypt Value[bool]

	Module     Value[string] // external core: its module
	Sources    []Value[string]
	Cycles     [4]Value[int] // external core: cycles a block of encrypt, decrypt, sign, verify; 0: not supported
	DecryptKey Value[string]

	badSources, badCycles bool // given and refused
}

// External says that the core is the user's own.
func (c *Core) External() bool { return c.Module.Set }

// Load reads and checks a file.
func Load(file string) (*Config, error) {
	data, err := readConfig(file)
	if err != nil {
		hint := ""
		if errors.Is(err, fs.ErrNotExist) {
			hint = "; `hwgen init` writes a starter config"
		}
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, diag.Usage("%s: cannot read the config: %w%s", file, err, hint)
	}
	return Parse(file, filepath.Dir(file), data)
}

// readConfig reads a file, but no more of it than shows that it is too long.
func readConfig(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxFile+1))
}

// Parse reads and checks the text of a config. Errors name file; external sources are looked for in dir. The error is a
// diag.List.
func Parse(file, dir string, data []byte) (*Config, error) {
	if len(data) > MaxFile {
		return nil, diag.List{{Pos: diag.Pos{File: file, Line: 1, Col: 1}, Msg: fmt.Sprintf("the config has more than %d bytes", MaxFile),
			Hint: "is it the right file?"}}
	}
	sum := sha256.Sum256(data)
	root, perr := parse(file, bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) // without a byte order mark
	if root == nil {
		return nil, diag.List{perr}
	}
	d := &decoder{}
	c := d.config(root)
	c.File, c.Dir, c.Hash = file, dir, hex.EncodeToString(sum[:])
	d.validate(c)
	if perr != nil && len(d.errs) == 0 {
		return nil, diag.List{perr}
	}
	if err := d.errs.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

// SourcePath is where an external source lies.
func (c *Config) SourcePath(source string) string {
	if filepath.IsAbs(source) {
		return source
	}
	return filepath.Join(c.Dir, filepath.FromSlash(source))
}

func plural(n int, what string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
