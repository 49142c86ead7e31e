// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import "dpverify/internal/document"

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
