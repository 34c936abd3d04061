// SPDX-License-Identifier: Apache-2.0

package emit

import "errors"

// lockName is the lock's file in an output folder: there while a run writes. One that a killed run has left locks
// nothing.
const lockName = tempPrefix + "lock"

// errLocked says that another run has the lock.
var errLocked = errors.New("locked")
