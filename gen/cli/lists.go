// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hwgen/gen/config"
)

// PrintJSON prints a value as indented JSON.
func (a *App) PrintJSON(v any) error {
	e := json.NewEncoder(a.Out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("JSON: %w", err)
	}
	return nil
}

// table prints rows with aligned columns.
func (a *App) table(rows [][]string) {
	w := tabwriter.NewWriter(trimWriter{a.Out}, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		for i, c := range r {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, c)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
}

type coreInfo struct {
	Kind      string  `json:"kind"`
	Algorithm string  `json:"algorithm"`
	KeyBits   int     `json:"key_bits"`
	Cycles    int     `json:"cycles_per_block"`
	Rate      float64 `json:"blocks_per_cycle"`
	Doc       string  `json:"doc"`
}

func newCoresCmd(app *App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "cores [-json]",
		Short: "List the kinds of cipher cores",
		Example: `  hwgen cores
  hwgen cores -json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			var info []coreInfo
			rows := [][]string{{"kind", "algorithm", "key bits", "cycles a block", "blocks a cycle", ""}}
			for _, k := range config.Kinds {
				alg, _ := config.AlgorithmByName(k.Algorithm)
				info = append(info, coreInfo{k.Name, k.Algorithm, alg.KeyBits, k.Cycles, 1 / float64(k.Cycles), k.Doc})
				rows = append(rows, []string{k.Name, k.Algorithm, fmt.Sprint(alg.KeyBits), fmt.Sprint(k.Cycles),
					fmt.Sprintf("%.4f", 1/float64(k.Cycles)), k.Doc})
			}
			if asJSON {
				return app.PrintJSON(info)
			}
			app.table(rows)
			return nil
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

func newPoliciesCmd(app *App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "policies [-json]",
		Short: "List the scheduling policies",
		Long: `Lists the values of policy in [scheduler], the default first: the keys that a policy alone uses, what has to be known
for it, what it does, and what it compares.`,
		Example: `  hwgen policies
  hwgen policies -json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return app.PrintJSON(config.Policies)
			}
			rows := [][]string{{"policy", "keys", "needs", ""}}
			formulas := [][]string{{"policy", "goes to the core with", "where"}}
			for _, p := range config.Policies {
				keys := strings.Join(p.Keys, ", ")
				if keys == "" {
					keys = "-"
				}
				rows = append(rows, []string{p.Name, keys, p.Needs, p.Doc})
				formulas = append(formulas, []string{p.Name, p.Formula, p.Where})
			}
			app.table(rows)
			app.Printf("\nof those that can do the command; in scores ties go to the lowest index\n\n")
			app.table(formulas)
			return nil
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

func newVersionCmd(app *App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version [-json]",
		Short:   "Print the version",
		Example: "  hwgen version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return app.PrintJSON(struct {
					Version string `json:"version"`
					build
				}{app.Version, buildInfo()})
			}
			app.Printf("hwgen %s (%s)\n", app.Version, buildInfo())
			return nil
		},
	}
	jsonFlag(c, &asJSON)
	return c
}
