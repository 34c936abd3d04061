// SPDX-License-Identifier: Apache-2.0

// Package formal is the formal proofs of the library: property modules fv_<name>.v, a wrapper hwgen_<module>_proof.v for
// each proof, and the list of proofs with their parameters, covers and faults, proofs.toml. gen/formal runs them.
package formal

import "embed"

// FS holds the wrappers, the property modules and the list.
//
//go:embed *.v proofs.toml
var FS embed.FS
