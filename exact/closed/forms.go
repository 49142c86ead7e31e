// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

// A forms is the tails of a pair at any precision, and in words or nil.
type forms struct {
	tails Tails
	words WordTails
}
