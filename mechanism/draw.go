// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import "dpverify/internal/field"

// A Drawing draws events at random. It is for tests and audits.
type Drawing = field.Drawing

// drawEvent draws an event of the class of another one. It returns nil where none fits: one that knows its number of
// records does not in a sample of no fixed size, one that is read from files never does.
func drawEvent(d *Drawing, class Event) Event {
	const most = 10000
	length, failed := d.Length, d.Failed
	defer func() { d.Length, d.Failed = length, failed }()
	for range most {
		d.Length, d.Failed = 3, false
		if d.Any != nil {
			d.Length = 1 + d.Rand.IntN(4)
		}
		c := class.describe()
		field.Draw(d, c.fields)
		v := field.Validation{Digits: field.MaxDigits}
		switch {
		case d.Failed:
			return nil
		case isValid(&v, c.event()):
			return c.event()
		}
	}
	panic("mechanism: internal error: no event of " + class.ClassName() + " is drawn")
}

// drawInside draws an event that is run on so many records.
func drawInside(d *Drawing, records int64) Event {
	around := d.Records
	d.Records = records
	e, ok := d.Inside(d).(Event)
	d.Records, d.Failed = around, d.Failed || !ok
	return e
}
