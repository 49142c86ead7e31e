// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"io"
	"math/big"

	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/rounded"
	"dpverify/internal/show"
	"dpverify/internal/table"
)

const (
	// MaxCount bounds every count and size of an event, and the number of factors
	// of a composition with their multiplicities.
	MaxCount int64 = 1_000_000_000_000
	// MaxNesting is how deep events may nest, the outermost being 1 deep.
	MaxNesting = 64
	// MaxListLen is how many elements a list may have.
	MaxListLen = table.MaxRows
	// maxDigits bounds the decimal digits of all numbers of one event together,
	// because 1e-100000 is short in the source but not in memory.
	maxDigits = 1 << 27
)

// A Decoder turns documents into events. The zero value reads every number as
// exactly what is written and opens no files.
type Decoder struct {
	// Binary64 rounds every real parameter to the nearest float64 first, as the
	// library under audit did. Integers such as counts are not rounded.
	Binary64 bool
	// Open opens the CSV file that an event names; the caller resolves
	// relative paths. If it is nil, such events are an error.
	Open func(path string) (io.ReadCloser, error)
}

// decoding is the state of one pass over a document.
type decoding struct {
	Decoder
	root            string
	corner          rounded.Corner
	admitsIntervals bool
	intervals       bool        // an interval was seen
	rounded         []string    // see Range
	digits          int         // left of maxDigits
	files           map[any]any // what was read of them, see once
	// nested reads an event, which stands at path and is nested depth deep.
	nested func(n *document.Node, path string, depth int) (Event, error)
}

// A reader reads the fields of one event. Its first error stays, and decoding.event reports
// it. A class's decode function can so name its fields without handling errors between them.
type reader struct {
	document.Reader
	s        *decoding
	path     string // for errors: empty at the root
	fullPath string
	class    string
	depth    int
}

func (s *decoding) newReader(n *document.Node) *reader {
	r := &reader{s: s}
	r.Reader = document.Reader{Node: n, About: r.about, Parse: s.parse, Binary64: s.Binary64}
	return r
}

// about says which event an error is about.
func (r *reader) about(e *document.FieldError) error {
	return &ParamError{Problem: e.Problem, Path: r.path, Class: r.class, Field: e.Field, Value: e.Value, Want: e.Want, Line: e.Line}
}

// number reads a real parameter.
func (r *reader) number(field string, d number.Domain, t trend) *big.Rat {
	n := r.Required(field, d.String())
	return r.scalar(field, n, d, t)
}

// numberOr reads a real parameter that has a default.
func (r *reader) numberOr(field string, d number.Domain, t trend, otherwise *big.Rat) *big.Rat {
	if r.Node.Get(field) == nil {
		return otherwise
	}
	return r.number(field, d, t)
}

// scalar reads a number, or the end of an interval that the corner asks for.
func (r *reader) scalar(field string, n *document.Node, d number.Domain, t trend) *big.Rat {
	if r.Err != nil {
		return nil
	}
	if n == nil || n.Kind != document.Mapping {
		return r.Number(field, n, d)
	}
	if t == unproved || !r.s.admitsIntervals {
		r.Err = r.Invalid(field, n, "a single number"+after(" ", d.Want))
		return nil
	}
	lo, hi := r.interval(field, n, d)
	r.s.intervals = true
	if (t == morePrivate) == (r.s.corner == rounded.Private) {
		return hi
	}
	return lo
}

// interval reads a number or an interval, and checks both of its ends.
func (r *reader) interval(field string, n *document.Node, d number.Domain) (lo, hi *big.Rat) {
	if n == nil || n.Kind != document.Mapping {
		lo = r.Number(field, n, d)
		return lo, lo
	}
	if len(n.Entries) != 2 || n.Get("lo") == nil || n.Get("hi") == nil {
		r.Err = r.Invalid(field, n, d.String()+" or {lo, hi}")
		return nil, nil
	}
	lo = r.Number(field+".lo", n.Get("lo"), d)
	hi = r.Number(field+".hi", n.Get("hi"), d)
	if r.Err == nil && lo.Cmp(hi) > 0 {
		r.Err = r.Invalid(field, n, "lo <= hi")
	}
	return lo, hi
}

// parse reads a number and pays for its size.
func (s *decoding) parse(text string) (*big.Rat, error) {
	if s.digits -= number.Size(text); s.digits < 0 {
		want := fmt.Sprintf("at most %d digits in all numbers together", maxDigits)
		return nil, &number.Error{Value: show.Value(text), Want: want}
	}
	return number.Parse(text)
}

// list reads a list of at least one element.
func (r *reader) list(field, of string) []*document.Node { return r.List(field, of, MaxListLen) }

// numbers reads a list of at least one real parameter.
func (r *reader) numbers(field string, d number.Domain, t trend) []*big.Rat {
	items := r.list(field, "numbers"+after(" ", d.Want))
	xs := make([]*big.Rat, 0, len(items))
	for i, n := range items {
		if xs = append(xs, r.scalar(index(field, i), n, d, t)); r.Err != nil {
			return nil
		}
	}
	return xs
}

// pairs reads a list of at least one pair of numbers, the first of them strictly increasing and without intervals. A pair is
// handed to add, which returns what is wanted of a pair that cannot be.
func (r *reader) pairs(field, want string, first, second number.Domain, t trend, add func(x, y *big.Rat) string) {
	var last *big.Rat
	for i, n := range r.list(field, want) {
		element := index(field, i)
		if n == nil || n.Kind != document.Sequence || len(n.Items) != 2 {
			r.Err = r.Invalid(element, n, want)
			return
		}
		x := r.scalar(index(element, 0), n.Items[0], first, unproved)
		y := r.scalar(index(element, 1), n.Items[1], second, t)
		if r.Err != nil {
			return
		}
		if last != nil && x.Cmp(last) <= 0 {
			r.Err = r.Invalid(index(element, 0), n.Items[0], "more than "+index(index(field, i-1), 0))
			return
		}
		if wanted := add(x, y); wanted != "" {
			at := fmt.Sprintf("[%s, %s]", show.Cut(number.Format(x)), show.Cut(number.Format(y)))
			r.Err = r.InvalidText(element, n, at, wanted)
			return
		}
		last = x
	}
}

// sameLength demands that field b has as many elements as field a.
func (r *reader) sameLength(a, b string) {
	if r.Err != nil {
		return
	}
	n, m := len(r.Node.Get(a).Items), len(r.Node.Get(b).Items)
	if n != m {
		r.Err = r.InvalidText(b, r.Node.Get(b), fmt.Sprintf("a list of %d", m), fmt.Sprintf("a list of %d, as many as %s", n, a))
	}
}

// distribution reads a list of probabilities that sum to exactly 1. In binary64, where a corner
// is asked for, rounding may account for the rest.
func (r *reader) distribution(field string) rounded.Probabilities {
	ps := r.numbers(field, number.NonNegative, unproved)
	if r.Err != nil {
		return rounded.Probabilities{}
	}
	total, err := number.Sum(ps)
	want := "exactly 1"
	switch {
	case err == nil && total.IsOne():
		return rounded.Exactly(ps)
	case err == nil && r.s.Binary64 && r.s.corner != rounded.None:
		p, ok, e := rounded.Around(ps)
		if ok && e == nil {
			r.s.rounded = append(r.s.rounded, join(r.fullPath, field))
			return p
		}
		err, want = e, "1 up to half a unit in the last place of each number in binary64"
	case r.s.Binary64:
		want += " (each number was rounded to binary64 first)"
	}
	r.wrongSum(field, total, err, want)
	return rounded.Probabilities{}
}

// sumsToOne demands probabilities with sum exactly 1.
func (r *reader) sumsToOne(field string, ps []*big.Rat) {
	if r.Err != nil {
		return
	}
	total, err := number.Sum(ps)
	switch {
	case err == nil && total.IsOne():
	case r.s.Binary64:
		r.wrongSum(field, total, err, "exactly 1 (each number was rounded to binary64 first)")
	default:
		r.wrongSum(field, total, err, "exactly 1")
	}
}

// wrongSum says that a list has another sum than is wanted, or none.
func (r *reader) wrongSum(field string, total number.Fraction, err error, want string) {
	n := r.Node.Get(field)
	if err != nil {
		r.Err = r.Invalid(field, n, number.Wanted(err, ""))
		return
	}
	r.Err = r.InvalidText("sum("+field+")", n, total.String(), want)
}

// word reads one of several words; the first of them if there is an error.
func word[T fmt.Stringer](r *reader, field, want string, words ...T) T {
	text := r.Text(field, want)
	for _, w := range words {
		if text == w.String() {
			return w
		}
	}
	if r.Err == nil {
		r.Err = r.Invalid(field, r.Node.Get(field), want)
	}
	return words[0]
}

// integerIn reads an integer of a list.
func (r *reader) integerIn(field string, n *document.Node, most int64, want string) int64 {
	x := r.Literal(field, n, want)
	if r.Err != nil {
		return 0
	}
	k, ok := number.Integer(x, 0, most)
	if !ok {
		r.Err = r.Invalid(field, n, want)
	}
	return k
}

// event reads the nested event of a field.
func (r *reader) event(field string) Event {
	n := r.Required(field, "an event")
	if r.Err != nil {
		return nil
	}
	return r.child(field, n)
}

// events reads a list of events; it may be empty.
func (r *reader) events(field string) []Event {
	n := r.Required(field, "a list of events")
	if r.Err != nil {
		return nil
	}
	if n.Kind != document.Sequence {
		r.Err = r.Invalid(field, n, "a list of events")
		return nil
	}
	es := make([]Event, 0, len(n.Items))
	for i, item := range n.Items {
		if es = append(es, r.child(index(field, i), item)); r.Err != nil {
			return nil
		}
	}
	return es
}

func (r *reader) child(element string, n *document.Node) Event {
	e, err := r.s.nested(n, join(r.fullPath, element), r.depth+1)
	r.Err = err
	return e
}

// join extends a path by a field.
func join(path, element string) string {
	if path == "" {
		return element
	}
	return path + "." + element
}

func index(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }

// after returns s behind sep, or nothing if s is empty.
func after(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}

var one = big.NewRat(1, 1)
