// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"dpverify/internal/show"
)

// A Relation says which datasets are neighbours.
type Relation int

const (
	// AddOrRemoveOne: one has a record more than the other.
	AddOrRemoveOne Relation = iota
	// ReplaceOne: one record is replaced by any other.
	ReplaceOne
	// ReplaceSpecial: one record is replaced by a special null record.
	ReplaceSpecial
)

// Relations returns all relations.
func Relations() []Relation { return []Relation{AddOrRemoveOne, ReplaceOne, ReplaceSpecial} }

// Some of them, under which some classes have no meaning.
var (
	replacing  = []Relation{ReplaceOne, ReplaceSpecial}
	counted    = []Relation{AddOrRemoveOne, ReplaceOne}
	replaceOne = []Relation{ReplaceOne}
	oneSided   = []Relation{AddOrRemoveOne, ReplaceSpecial}
)

// String returns the relation as it is written in queries and claims.
func (r Relation) String() string {
	return show.Word(r, "Relation", "ADD_OR_REMOVE_ONE", "REPLACE_ONE", "REPLACE_SPECIAL")
}

// UnknownRelation is the error about a relation that is none of these.
func UnknownRelation(r Relation) error { return unknownRelation(r.String()) }

func unknownRelation(value string) error {
	return &ParamError{Field: "relation", Value: value, Want: "ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL"}
}

// ParseRelation reads what String writes. The error is a *ParamError.
func ParseRelation(s string) (Relation, error) {
	for _, r := range Relations() {
		if s == r.String() {
			return r, nil
		}
	}
	return 0, unknownRelation(show.Value(s))
}

// A Direction says which orientation of the pair (P, Q) is meant.
type Direction int

const (
	Both   Direction = iota // the maximum of the two, taken after composition
	Remove                  // δ(P‖Q)
	Add                     // δ(Q‖P)
)

// String returns the direction as it is written in queries and claims.
func (d Direction) String() string {
	return show.Word(d, "Direction", "both", "remove", "add")
}

// ParseDirection reads what String writes. The error is a *ParamError.
func ParseDirection(s string) (Direction, error) {
	for _, d := range []Direction{Both, Remove, Add} {
		if s == d.String() {
			return d, nil
		}
	}
	return 0, &ParamError{Field: "direction", Value: show.Value(s), Want: "remove, add or both"}
}
