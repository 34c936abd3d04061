// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"go.bug.st/serial"
)

// PortError is a port that can't be opened.
type PortError struct {
	Port string
	Msg  string
	Hint string
}

func (e *PortError) Error() string {
	s := fmt.Sprintf("port %s: %s", e.Port, e.Msg)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// OpenPort opens a serial port: 8 data bits, no parity, 1 stop bit, no flow control, for this process alone.
func OpenPort(name string, baud int) (io.ReadWriteCloser, error) {
	p, err := serial.Open(name, &serial.Mode{BaudRate: baud})
	if err == nil {
		return p, nil
	}
	e := &PortError{Port: name, Msg: err.Error()}
	var se *serial.PortError
	code := serial.PortErrorCode(-1)
	if errors.As(err, &se) {
		code = se.Code()
	}
	switch {
	case code == serial.PermissionDenied || errors.Is(err, fs.ErrPermission):
		e.Msg, e.Hint = "permission denied", "your user must be in the group that owns it (often dialout): ls -l "+name
	case code == serial.PortNotFound || errors.Is(err, fs.ErrNotExist):
		e.Msg, e.Hint = "there is no such port", havePorts()
	case code == serial.PortBusy:
		e.Msg, e.Hint = "another program has it", "end that one first"
	case code == serial.InvalidSpeed:
		e.Msg, e.Hint = fmt.Sprintf("it can't do %d baud", baud), "build the design with a slower [host] baud"
	case code == serial.InvalidSerialPort:
		e.Msg = "it is no serial port"
	case isFolder(name):
		e.Msg = "it is a folder"
	}
	return nil, e
}

func isFolder(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

func havePorts() string {
	ports, err := serial.GetPortsList()
	if err != nil || len(ports) == 0 {
		return "no serial port is there; is the board plugged in?"
	}
	return fmt.Sprintf("there are %v", ports)
}
