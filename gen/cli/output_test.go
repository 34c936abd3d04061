// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"io"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cli"
)

// refusing is a standard output that takes nothing.
type refusing struct{ err error }

func (r refusing) Write([]byte) (int, error) { return 0, r.err }

// What can't be written to standard output is an error, but not that nobody reads on.
func TestStandardOutputFails(t *testing.T) {
	for _, c := range []struct {
		out  io.Writer
		code int
		msg  string
	}{
		{refusing{syscall.ENOSPC}, 1, "hwgen: standard output: no space left on device\n"},
		{refusing{syscall.EPIPE}, 0, ""},
		{io.Discard, 0, ""},
	} {
		for _, args := range [][]string{{"cores"}, {"version"}, {"policies", "-json"}} {
			var msg bytes.Buffer
			code := cli.Run(args, c.out, &msg)
			require.Equal(t, c.code, code, "%v: %s", args, msg.String())
			require.Equal(t, c.msg, msg.String(), "%v", args)
		}
	}
}

func hwgen(args ...string) (code int, stdout, stderr string) {
	var o, e bytes.Buffer
	code = cli.Run(args, &o, &e)
	return code, o.String(), e.String()
}
