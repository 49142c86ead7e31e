// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

// NoOp has no effect on privacy: its output does not depend on the data, P = Q.
type NoOp struct{}

func (NoOp) ClassName() string              { return "NoOpDpEvent" }
func (e NoOp) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e NoOp) describe() description {
	return description{
		value:    &e,
		about:    "No effect on privacy.",
		bound:    "nothing is released",
		sentence: say("a step that reads no data"),
	}
}

// NonPrivate gives the data away: P and Q have disjoint supports, δ(ε) = 1 for
// every ε.
type NonPrivate struct{}

func (NonPrivate) ClassName() string              { return "NonPrivateDpEvent" }
func (e NonPrivate) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e NonPrivate) describe() description {
	return description{
		value:    &e,
		about:    "The data are given away.",
		bound:    "everything is released: δ(ε) = 1",
		sentence: say("a release of the data as they are"),
	}
}
