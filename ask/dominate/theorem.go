// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package dominate

import (
	"slices"

	"dpverify/exact/pair"
	"dpverify/internal/document"
	"dpverify/mechanism"
)

// theorem returns the theorem by which a dominates b; empty if none of those known here does.
func theorem(a, b side) string {
	if mechanism.Equal(a.event, b.event) {
		return "the two events are the same"
	}
	if monotone(a.event, b.event) {
		return "the events differ in parameters in which privacy is monotone"
	}
	attained := a.attained()
	for _, q := range b.bounds.Upper {
		if !slices.ContainsFunc(attained, func(p pair.Product) bool { return p.Covers(q) }) {
			return ""
		}
	}
	return "each factor is dominated by factors of its own"
}

// monotone reports whether two events are the two ends of one whose parameters are intervals: those
// are admitted only where privacy is proved to be monotone in them, whatever the event is part of.
func monotone(a, b mechanism.Event) bool {
	x, err := document.ParseJSON(mechanism.EncodeContents(a))
	if err != nil {
		return false
	}
	y, err := document.ParseJSON(mechanism.EncodeContents(b))
	if err != nil {
		return false
	}
	n, ok := document.Between(x, y)
	if !ok {
		return false
	}
	r, err := mechanism.Decoder{}.EventRange(n, "event")
	return err == nil && mechanism.Equal(r.LessPrivate, a) && mechanism.Equal(r.MorePrivate, b)
}
