// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"hwgen/gen/tool"
)

// BoardOptions of a run with the UART on a pseudo-terminal.
type BoardOptions struct {
	Seed   int64
	Noise  float64 // chance that a bit time on either line begins a disturbance
	Waves  string  // file, for a simulator built with Waves
	Counts string  // file that takes what the run went through when it is stopped, for a simulator built with Coverage
}

// Board is a design that runs, its serial line on a pseudo-terminal.
type Board struct {
	Port string // the terminal
	cmd  *exec.Cmd
	done chan struct{}
	said bytes.Buffer
}

// StartBoard runs a simulator that was built with Options.UART.
func (s *Simulator) StartBoard(o BoardOptions) (*Board, error) {
	args := []string{strconv.FormatUint(uint64(o.Seed), 10), strconv.FormatFloat(o.Noise, 'g', -1, 64)}
	if o.Waves != "" {
		args = append(args, o.Waves)
	}
	if o.Counts != "" {
		args = append(args, "+coverage="+o.Counts)
	}
	b := &Board{cmd: exec.Command(s.Binary, args...), done: make(chan struct{})}
	b.cmd.Stderr = &b.said
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b.cmd.Stdout = w
	err = b.cmd.Start()
	w.Close()
	if err != nil {
		return nil, fmt.Errorf("the simulation of %s: %w", s.D.Name, err)
	}
	line, err := bufio.NewReader(r).ReadString('\n')
	go func() {
		_ = b.cmd.Wait() // how it ended is in what it said
		close(b.done)
	}()
	if err != nil {
		<-b.done
		return nil, fmt.Errorf("the simulation of %s did not start: %s", s.D.Name, tool.Tail(b.said.String(), 10))
	}
	b.Port = strings.TrimSpace(line)
	return b, nil
}

// Done is closed when the board has ended.
func (b *Board) Done() <-chan struct{} { return b.done }

// Stop ends the board and gives what it said.
func (b *Board) Stop() string {
	if b.cmd.Process.Signal(syscall.SIGTERM) != nil {
		_ = b.cmd.Process.Kill() // no such signal here, or it has ended
	}
	<-b.done
	return strings.TrimSpace(b.said.String())
}

// Kill ends the board as pulling its cable would.
func (b *Board) Kill() {
	_ = b.cmd.Process.Kill()
	<-b.done
}
