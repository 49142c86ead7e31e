// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package composition

import (
	"fmt"
	"strings"

	"dpverify/mechanism"
)

// flattenMaximum: each event is the composition of its own factors, and one alone is itself.
func (f *flattener) flattenMaximum(m *multiset, e mechanism.Maximum, count int64, path string) error {
	if len(e.Events) == 1 {
		return f.flatten(m, e.Events[0], count, path+".events[0]")
	}
	around := f.group
	f.group = 1
	defer func() { f.group = around }()
	key := new(strings.Builder)
	key.WriteString("Maximum")
	events := make([]mechanism.Event, len(e.Events))
	total := int64(1)
	for i, x := range e.Events {
		fs, err := f.factors(x, fmt.Sprintf("%s.events[%d]", path, i))
		if err != nil {
			return err
		}
		total = max(total, fs.total)
		if events[i] = mechanism.Event(mechanism.NoOp{}); len(fs.list) > 0 {
			events[i] = fs.event()
		}
		fmt.Fprintf(key, " [%s ]", fs.key())
	}
	if total > mechanism.MaxCount/count {
		return wrong(path, e, "number of factors up to here", fmt.Sprintf("more than %d", mechanism.MaxCount), fmt.Sprintf("at most %d", mechanism.MaxCount))
	}
	x := numbered{Factor{mechanism.Maximum{Events: events}, count, path}, f.id(key.String()), nil}
	f.group = around
	return f.add(m, x)
}
