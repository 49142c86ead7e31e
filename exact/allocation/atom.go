// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import "math/big"

// An atom is a value of a variable with its probability.
type atom struct{ at, mass *big.Rat }
