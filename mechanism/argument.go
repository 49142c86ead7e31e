// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

// CheckQuestion returns an error for an event, a relation or a direction that a Go program
// made up: all that decoders return passes. The engines ask before they look any further.
func CheckQuestion(e Event, r Relation, d Direction) error {
	if err := Validate(e); err != nil {
		return err
	}
	if _, err := ParseRelation(r.String()); err != nil {
		return err
	}
	_, err := ParseDirection(d.String())
	return err
}
