// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package field

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Integer is an integer of [least, most], and usually of [lo, hi].
func Integer(name string, i *int64, least, most, lo, hi int64) Field {
	schema := func() string {
		switch {
		case most == MaxCount && least == 1:
			return Ref("count")
		case most == MaxCount:
			return Ref("size")
		}
		return fmt.Sprintf(`"anyOf": [{"type": "integer", "minimum": %d, "maximum": %d}, {%s}]`,
			least, most, Ref("numberText"))
	}
	return Field{
		Name: name, Schema: schema,
		Read:  func(r *Reader) { *i = r.Integer(name, least, most) },
		Write: func(w *Writer) { w.Integer(name, *i) },
		Valid: func(*Validation) bool { return least <= *i && *i <= most },
		Draw:  func(d *Drawing) { *i = d.Integer(least, most, lo, hi) },
	}
}

// Part is a count of [0, whole], where whole is another field.
func Part(name string, i, whole *int64) Field {
	f := Integer(name, i, 0, MaxCount, 0, 0)
	f.Read = func(r *Reader) { *i = r.Integer(name, 0, *whole) }
	f.Valid = func(*Validation) bool { return 0 <= *i && *i <= *whole }
	f.Draw = func(d *Drawing) { *i = d.Integer(0, *whole, 1, 1+*whole/5) }
	return f
}

// Records is the number of records that an event knows, in [least, MaxCount]: inside of a sample it is the size of it.
func Records(name string, i *int64, least int64) Field {
	f := Integer(name, i, least, MaxCount, 10, 1000)
	draw := f.Draw
	f.Draw = func(d *Drawing) {
		if draw(d); d.Records != 0 {
			*i, d.Failed = d.Records, d.Records == Unfixed
		}
	}
	return f
}

// Copies is how often, or for how many, an event stands. Few are drawn, as counts multiply.
func Copies(name string, i *int64) Field {
	f := Integer(name, i, 1, MaxCount, 0, 0)
	f.Draw = func(d *Drawing) { *i = 1 + d.Rand.Int64N(4) }
	return f
}

// Word is one of some words.
func Word[T interface {
	fmt.Stringer
	comparable
}](name string, x *T, words ...T) Field {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.String()
	}
	return Field{
		Name: name, Schema: func() string { return `"enum": ["` + strings.Join(texts, `", "`) + `"]` },
		Read: func(r *Reader) {
			want := strings.Join(texts, " or ")
			i := slices.Index(texts, r.Text(name, want))
			if r.Err == nil && i < 0 {
				r.Err = r.Invalid(name, r.Node.Get(name), want)
			}
			*x = words[max(i, 0)]
		},
		Write: func(w *Writer) { w.Text(name, (*x).String()) },
		Valid: func(*Validation) bool { return slices.Contains(words, *x) },
		Draw:  func(d *Drawing) { *x = words[d.Rand.IntN(len(words))] },
	}
}

// Counts is one integer or a list of at least one, each in [0, MaxCount].
func Counts(name string, list *[]int64) Field {
	return Field{
		Name: name,
		Schema: func() string {
			return `"anyOf": [{` + Ref("size") + `}, {` + ListOf(Ref("size"), 1, MaxListLen) + `}]`
		},
		Read: func(r *Reader) { *list = r.counts(name) },
		Write: func(w *Writer) {
			w.List(name, len(*list), func(i int) { w.Raw(strconv.FormatInt((*list)[i], 10)) })
		},
		Valid: func(*Validation) bool {
			return IsListLength(len(*list)) && !slices.ContainsFunc(*list, func(n int64) bool {
				return n < 0 || n > MaxCount
			})
		},
		Draw: func(d *Drawing) {
			for range 1 + d.Rand.IntN(2) {
				*list = append(*list, d.Integer(0, MaxCount, 1, 10000))
			}
		},
	}
}
