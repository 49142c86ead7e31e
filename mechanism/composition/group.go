// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package composition

import (
	"fmt"

	"dpverify/mechanism"
)

// flattenGroup: a group sees each factor of a composition, a group of groups is one of as many records as both
// sizes multiplied, and a group of one is none.
func (f *flattener) flattenGroup(m *multiset, e mechanism.Group, count int64, path string) error {
	around := f.group
	f.group = times(max(around, 1), e.Size)
	defer func() { f.group = around }()
	if f.group > mechanism.MaxCount {
		return wrong(path, e, "size, with the groups around it", fmt.Sprintf("more than %d", mechanism.MaxCount), fmt.Sprintf("at most %d", mechanism.MaxCount))
	}
	return f.flatten(m, e.Event, count, path+".event")
}

// add adds the copies of one factor, as the group around it sees it.
func (f *flattener) add(m *multiset, x numbered) error {
	if f.group > 1 {
		key := fmt.Sprintf("Group %d %d", f.group, x.id)
		x.Event, x.id, x.sample = mechanism.Group{Event: x.Event, Size: f.group}, f.id(key), nil
	}
	return m.add(x)
}
