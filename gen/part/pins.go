// SPDX-License-Identifier: Apache-2.0

package part

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Pins of a package: numbered around its edge, or a grid of balls in rows of letters and columns of numbers.
type Pins struct {
	Name  string // of the package, as it is printed on the part
	Leads int    // 1 to Leads; 0: a grid
	Grid  int    // rows and columns of the grid
}

// packages by nextpnr's names. Those of Gowin are in the device's name: all here are QN88.
var packages = map[string]Pins{
	"ct256":     {Name: "CT256", Grid: 16},
	"sg48":      {Name: "SG48", Leads: 48},
	"CABGA381":  {Name: "CABGA381", Grid: 20},
	"CSFBGA285": {Name: "CSFBGA285", Grid: 18},
	"CABGA554":  {Name: "CABGA554", Grid: 26},
	"GW1N-9C":   {Name: "QN88", Leads: 88},
	"GW2A-18C":  {Name: "QN88", Leads: 88},
	"csg324":    {Name: "CSG324", Grid: 18},
}

// rowLetters are those that packages take for rows: none that looks like a digit or another one. After Y comes AA.
const rowLetters = "ABCDEFGHJKLMNPRTUVWY"

// row is the name of a row of balls, from 0 on.
func row(i int) string {
	if n := len(rowLetters); i >= n {
		return row(i/n-1) + row(i%n)
	}
	return rowLetters[i : i+1]
}

var pinForm = regexp.MustCompile(`^([A-Z]*)([1-9][0-9]*)$`)

// Pin is a pin's name in upper case, or an error that says how the package's pins are called. That it can carry a signal
// is left to the tool that places it: some are ground, supply or configuration.
func (p *Part) Pin(name string) (string, error) {
	pins, ok := packages[p.Package]
	if !ok {
		return "", fmt.Errorf("the pins of package %q are not known", p.Package)
	}
	up := strings.ToUpper(name)
	m := pinForm.FindStringSubmatch(up)
	n := 0
	if m != nil {
		n, _ = strconv.Atoi(m[2])
	}
	if pins.Leads > 0 {
		if m == nil || m[1] != "" || n < 1 || n > pins.Leads {
			return "", fmt.Errorf("%q is no pin of %s, whose pins are 1 to %d", name, pins.Name, pins.Leads)
		}
		return up, nil
	}
	rows := make([]string, pins.Grid)
	for i := range rows {
		rows[i] = row(i)
	}
	if m == nil || !slices.Contains(rows, m[1]) || n < 1 || n > pins.Grid {
		return "", fmt.Errorf("%q is no pin of %s, whose pins are A1 to %s%d, without I, O, Q, S, X and Z", name, pins.Name,
			rows[len(rows)-1], pins.Grid)
	}
	return up, nil
}
