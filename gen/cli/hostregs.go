// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hwgen/gen/diag"
	"hwgen/gen/link"
	"hwgen/gen/regmap"
)

// regAccess is a read or a write of a register.
type regAccess struct {
	Name    string `json:"name,omitempty"`
	Address uint32 `json:"address"`
	Value   uint32 `json:"value"`
	write   bool
}

func newHostRegistersCmd(app *App, f *hostFlags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "registers [REGISTER|REGISTER=VALUE]... [-json]",
		Short: "Read and write a board's registers",
		Long: `Reads and writes the registers of a design with axil = true, one after the other in the order given. REGISTER is an
address, or, with -config, a name as the design's register page has it. Without any it reads all of them, the counters
from a snapshot that it takes. Nothing is accessed if an argument is wrong; if the board refuses an access, those before
it are done and what they read is printed.`,
		Example: `  hwgen host -port board.tty -config board.toml registers
  hwgen host -port board.tty -config board.toml registers GLOBAL_CTRL=2 AES_RETURNED_LO
  hwgen host -port board.tty registers 0x0 0x48=0x3f`,
		RunE: func(c *cobra.Command, args []string) error {
			var m *regmap.Map
			if f.config != "" {
				l, err := app.Load(f.config)
				if err != nil {
					return err
				}
				if m = l.Map; m == nil {
					return diag.Usage("%s has no registers: add axil = true to [control]", f.config)
				}
			}
			accesses, err := regAccesses(m, args)
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			d, err := f.dial(ctx, c, app)
			if err != nil {
				return err
			}
			defer d.Close()
			if len(args) == 0 && m.Counters {
				if err := snapshot(ctx, d, m); err != nil {
					return f.explainRegister(err)
				}
			}
			read := []regAccess{} // in JSON no null
			for _, a := range accesses {
				if a.write {
					err = d.WriteRegister(ctx, a.Address, a.Value)
				} else if a.Value, err = d.ReadRegister(ctx, a.Address); err == nil {
					read = append(read, a)
				}
				if err != nil {
					if err = f.explainRegister(err); a.Name != "" {
						err = fmt.Errorf("%s: %w", a.Name, err)
					}
					break
				}
			}
			if asJSON {
				return errors.Join(app.PrintJSON(read), err)
			}
			var rows [][]string
			for _, a := range read {
				row := []string{fmt.Sprintf("0x%05x", a.Address), fmt.Sprintf("0x%08x", a.Value)}
				if a.Name != "" {
					row = append(row, a.Name)
				}
				rows = append(rows, row)
			}
			app.table(rows)
			return err
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

// explainRegister is explain with what goes wrong with registers alone.
func (f *hostFlags) explainRegister(err error) error {
	var refused *link.RegisterError
	if errors.As(err, &refused) || errors.Is(err, link.ErrNoRegisters) {
		return diag.Failed("%w", err)
	}
	return f.explain(err)
}

// regAccesses reads the arguments; none are all registers of the map.
func regAccesses(m *regmap.Map, args []string) ([]regAccess, error) {
	var words []regmap.Word
	var names []string
	if m != nil {
		words = m.Words()
		for _, w := range words {
			names = append(names, w.Name)
		}
	}
	var l []regAccess
	if len(args) == 0 {
		if m == nil {
			return nil, diag.Usage("which registers? give addresses, or -config FILE, which knows them all")
		}
		for _, w := range words {
			l = append(l, regAccess{Name: w.Name, Address: w.Addr})
		}
		return l, nil
	}
	for _, s := range args {
		name, value, write := strings.Cut(s, "=")
		a := regAccess{write: write}
		if write {
			v, err := number(value)
			if err != nil {
				return nil, diag.Usage("%s: the value is a number of 32 bits, as 10, 0x1f or 0b101", s)
			}
			a.Value = uint32(v)
		}
		n, err := number(name)
		i := slices.IndexFunc(words, func(w regmap.Word) bool {
			return err == nil && uint64(w.Addr) == n || err != nil && strings.EqualFold(w.Name, name)
		})
		switch {
		case name == "":
			return nil, diag.Usage("%q has no register; write REGISTER or REGISTER=VALUE", s)
		case i >= 0:
			a.Name, n = words[i].Name, uint64(words[i].Addr)
		case err == nil && n%4 == 0: // the device knows whether there is one
		case err == nil:
			return nil, diag.Usage("%s: addresses are multiples of 4", s)
		case m == nil:
			return nil, diag.Usage("%s is no address; names of registers need -config FILE", name)
		default:
			near := diag.DidYouMean(strings.ToUpper(name), names)
			if near == "" {
				near = "the design's register page lists them"
			}
			return nil, diag.Usage("there is no register %s; %s", name, near)
		}
		a.Address = uint32(n)
		l = append(l, a)
	}
	return l, nil
}

// number reads 32 bits, of base 10, 16 or 2; a leading 0 makes none octal.
func number(s string) (uint64, error) {
	if s = strings.ToLower(s); !strings.HasPrefix(s, "0x") && !strings.HasPrefix(s, "0b") {
		return strconv.ParseUint(s, 10, 32)
	}
	return strconv.ParseUint(s, 0, 32)
}

// snapshot freezes the counters; a read of one waits for the end of it.
func snapshot(ctx context.Context, d *link.Conn, m *regmap.Map) error {
	at, err := m.Addr(regmap.Global, -1, 0, "CTRL")
	if err != nil {
		return err
	}
	for _, f := range m.Find(regmap.Global, -1).Reg("CTRL").Fields {
		if f.Name == "snapshot" {
			return d.WriteRegister(ctx, at, f.Mask())
		}
	}
	return nil
}
