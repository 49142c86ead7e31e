// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import "fmt"

// An UnsupportedError says that the fast path does not cover an event.
type UnsupportedError struct{ Class, Reason string }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("float: %s: %s", e.Class, e.Reason)
}
