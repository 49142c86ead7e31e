// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"strings"

	"slices"

	"dpverify/internal/document"
	"dpverify/internal/field"
)

// inner is the event that another one is about.
func inner(e *Event) field.Field {
	return field.Field{
		Name: "event", Schema: func() string { return field.Ref("event") },
		Read: func(r *field.Reader) {
			if n := r.Required("event", "an event"); r.Err == nil {
				*e = readEvent(r, "event", n)
			}
		},
		Write: func(w *field.Writer) {
			w.Field("event")
			writeEvent(w, *e)
		},
		Valid: func(v *field.Validation) bool { return isValid(v, *e) },
		Draw:  func(d *field.Drawing) { *e = drawInside(d, d.Records) },
	}
}

// on is an inner event that is run on a sample of so many records.
func on(e *Event, size func(around int64) int64) field.Field {
	f := inner(e)
	f.Draw = func(d *field.Drawing) { *e = drawInside(d, size(d.Records)) }
	return f
}

// innerOf is an inner event of one of some classes, without intervals.
func innerOf(e *Event, classes ...Event) field.Field {
	f := inner(e)
	read := f.Read
	f.Read = func(r *field.Reader) {
		admits := r.Pass.AdmitsIntervals
		r.Pass.AdmitsIntervals = false
		read(r)
		r.Pass.AdmitsIntervals = admits
	}
	f.Draw = func(d *field.Drawing) { *e = drawEvent(d, classes[d.Rand.IntN(len(classes))]) }
	f.Schema = func() string {
		var refs []string
		for _, c := range classes {
			refs = append(refs, "{"+field.Ref(c.ClassName())+"}")
		}
		return `"anyOf": [` + strings.Join(refs, ", ") + "]"
	}
	return f
}

// events is a list of at least so many events. Where one is wanted, a rule of the class says so.
func events(es *[]Event, least int) field.Field {
	return field.Field{
		Name: "events", Schema: func() string { return field.ListOf(field.Ref("event"), least, 0) },
		Read: func(r *field.Reader) { *es = readEvents(r, "events") },
		Write: func(w *field.Writer) {
			w.List("events", len(*es), func(i int) { writeEvent(w, (*es)[i]) })
		},
		Valid: func(v *field.Validation) bool {
			return !slices.ContainsFunc(*es, func(e Event) bool { return !isValid(v, e) })
		},
		Draw: func(d *field.Drawing) {
			*es = make([]Event, least+d.Rand.IntN(3))
			for i := range *es {
				(*es)[i] = drawInside(d, d.Records)
			}
		},
	}
}

// readEvents reads a list of events; it may be empty.
func readEvents(r *field.Reader, name string) []Event {
	n := r.Required(name, "a list of events")
	if r.Err != nil {
		return nil
	}
	if n.Kind != document.Sequence {
		r.Err = r.Invalid(name, n, "a list of events")
		return nil
	}
	es := make([]Event, 0, len(n.Items))
	for i, item := range n.Items {
		if es = append(es, readEvent(r, field.Index(name, i), item)); r.Err != nil {
			return nil
		}
	}
	return es
}

// readEvent reads a nested event.
func readEvent(r *field.Reader, element string, n *document.Node) Event {
	e, err := r.Pass.Nested(n, field.Join(r.Path, element), r.Depth+1)
	if r.Err = err; err != nil {
		return nil
	}
	return e.(Event)
}
