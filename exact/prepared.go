// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"dpverify/exact/divisor"
	"dpverify/exact/meaning"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/mechanism"
)

// prepared is what is known of an event before an ε is: products that bound its profile, and their methods.
type prepared struct {
	event     mechanism.Event
	direction mechanism.Direction
	problem   meaning.Problem
	solver    *method.Solver
	bounds    []method.Bound
	ceilings  [][]method.Bound // further sets of bounds from above
	methods   []string
	induction []induction     // by backward induction,
	induced   bool            // if it was tried
	chosen    *divisor.Chosen // the vectors of which it is one, if any
}

// An induction is what backward induction says of one orientation of a composition. What it does not bound is nil.
type induction struct {
	prod         pair.Product // which dominates the orientation
	above, below profile.Func
}
