// SPDX-License-Identifier: Apache-2.0

package board

import "fmt"

// StarterConfig is a config that fits the board.
func (b *Board) StarterConfig() string {
	return fmt.Sprintf(`# %s. Every key has a default; `+"`hwgen init`"+` without -board shows them all.
#
#   hwgen check -config FILE   checks this file and estimates whether it fits
#   hwgen synth -config FILE   places and routes it
#   hwgen -config FILE         generates it; make in that folder gives a bitstream

[board]
name      = %q
clock_mhz = %g

%s`, b.Doc, b.Name, b.MHz, b.Starter)
}

// LeastConfig is a config of the smallest scheduler on the board: one core, one slot of each kind.
func (b *Board) LeastConfig() string {
	return fmt.Sprintf(`[design]
name         = "least"
data_width   = 32
packet_bytes = 16
slots        = 2
requesters   = 1

[scheduler]
policy = "round_robin"
lane   = "serial"

[[cluster]]
algorithm   = "sm4"
queue       = 1
choose_list = 1
key_slots   = 1

[[cluster.core]]
kind    = "sm4_1round"
queue   = 1
decrypt = false

[board]
name = %q
`, b.Name)
}

// smallest is for an iCE40UP5K.
const smallest = `[design]
name         = "my_design"
data_width   = 32
packet_bytes = 64
slots        = 4
requesters   = 1

[scheduler]
programmable = false
lane         = "serial"
balancer     = "scan"

[[cluster]]
name        = "aes"
algorithm   = "aes128"
queue       = 2
choose_list = 2
key_slots   = 2

[[cluster.core]]
kind    = "aes128_4sbox"
queue   = 2
decrypt = false
`

// small is for parts of about 8000 LUTs.
const small = `[design]
name         = "my_design"
data_width   = 32
packet_bytes = 64
slots        = 8
requesters   = 1

[scheduler]
programmable = false
lane         = "serial"

[[cluster]]
name        = "aes"
algorithm   = "aes128"
queue       = 4
choose_list = 4
key_slots   = 2

[[cluster.core]]
kind    = "aes128_4sbox"
queue   = 2
decrypt = false
`

// middle is for parts of 12000 LUTs and more.
const middle = `[design]
name         = "my_design"
data_width   = 32
packet_bytes = 64
slots        = 8
requesters   = 1

[scheduler]
programmable = false

[[cluster]]
name        = "aes"
algorithm   = "aes128"
queue       = 4
choose_list = 4
key_slots   = 2

[[cluster.core]]
kind  = "aes128_4sbox"
queue = 2

[[cluster]]
name        = "sm4"
algorithm   = "sm4"
queue       = 4
choose_list = 4
key_slots   = 2

[[cluster.core]]
kind  = "sm4_1round"
queue = 2
`
