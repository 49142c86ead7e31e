// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package testkit

import "context"

// A Countdown is a context that is cancelled once it was asked for its error Left times.
type Countdown struct {
	context.Context
	Left int
}

// Err counts down.
func (c *Countdown) Err() error {
	if c.Left--; c.Left < 0 {
		return context.Canceled
	}
	return nil
}
