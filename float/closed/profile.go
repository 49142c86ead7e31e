// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"dpverify/float/value"
)

// A Profile is δ(ε) of a pair, for any real ε.
type Profile func(eps value.Value) value.Value
