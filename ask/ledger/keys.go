// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"dpverify/internal/document"
	"dpverify/internal/show"
)

// A Key is what the lines of a ledger can be accounted for by: each value of it has an account of its own.
type Key string

// The keys, by their fields.
const (
	NoKey Key = ""
	Data  Key = "data" // the data set that an event is about
	Team  Key = "team" // who sees its output
)

// An Owner is whose account it is; the zero value is everybody's.
type Owner struct {
	By   Key
	Name string
}

// owner is whose a line is.
func (l Line) owner(by Key) Owner {
	return Owner{by, map[Key]string{Data: l.Data, Team: l.Team}[by]}
}

// holds says what a separate account means.
//
// A record of one data set, whose neighbours differ in this set alone, changes the outputs of events on it, and nothing
// of others once earlier outputs are given: their losses are 0, also where each event was chosen in view of all outputs.
// What one team sees is the composition of its events only if the choice of these does not depend on outputs of others.
func (o Owner) holds() string {
	switch o.By {
	case Data:
		return " Each account is about the records of one data set: what is in several of them loses the sum."
	case Team:
		return " Each account is about what one team sees: teams that tell each other of outputs, or choose events in view of " +
			"those of others, lose the sum."
	}
	return ""
}

// Split makes an account of each value of a key, in the order in which the lines have them; of everybody if there is no
// key. name is what errors call the file.
func (a Account) Split(by Key, name string) ([]Account, error) {
	if by == NoKey || len(a.Lines) == 0 {
		return []Account{a}, nil
	}
	var out []Account
	index := make(map[Owner]int)
	for _, l := range a.Lines {
		o := l.owner(by)
		if o.Name == "" {
			return nil, document.Locate(name, &document.FieldError{Problem: document.Missing, Field: string(by),
				Want: "a string, as every line has to say whose it is", Line: l.Number})
		}
		i, ok := index[o]
		if !ok {
			i = len(out)
			index[o] = i
			one := a
			one.Of, one.Lines = o, nil
			if a.Filter != nil {
				f := *a.Filter // which has spent nothing; its numbers are replaced and never changed
				one.Filter = &f
			}
			out = append(out, one)
		}
		out[i].Lines = append(out[i].Lines, l)
	}
	return out, nil
}

// String names an owner.
func (o Owner) String() string { return string(o.By) + " " + show.Name(show.Cut(o.Name)) }

// OfLast keeps the account that has the last line of the file.
func OfLast(accounts []Account) []Account {
	last := 0
	for i, a := range accounts {
		if a.Lines[len(a.Lines)-1].Number > accounts[last].Lines[len(accounts[last].Lines)-1].Number {
			last = i
		}
	}
	return accounts[last : last+1]
}
