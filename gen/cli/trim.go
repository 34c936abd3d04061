// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"io"
)

// trimWriter drops blanks at line ends; it is given whole lines.
type trimWriter struct{ w io.Writer }

func (t trimWriter) Write(b []byte) (int, error) {
	for line := range bytes.SplitAfterSeq(b, []byte("\n")) {
		out := line
		if n := len(line); n > 0 && line[n-1] == '\n' {
			out = append(bytes.TrimRight(line[:n-1], " "), '\n')
		}
		if _, err := t.w.Write(out); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}
