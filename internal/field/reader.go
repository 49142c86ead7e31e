// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package field

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
	// MaxCount bounds every count and size of an event.
	MaxCount int64 = 1_000_000_000_000
	// MaxListLen is how many elements a list may have.
	MaxListLen = table.MaxRows
	// MaxDigits bounds the decimal digits of all numbers of one event together,
	// because 1e-100000 is short in the source but not in memory.
	MaxDigits = 1 << 27
)

// A Pass is the state of reading one document.
type Pass struct {
	// Binary64 rounds every real parameter to the nearest float64.
	Binary64 bool
	// Open opens a file that an event names; if it is nil, such events are an error.
	Open func(path string) (io.ReadCloser, error)
	// Nested reads an event, which stands at path and is nested depth deep.
	Nested func(n *document.Node, path string, depth int) (any, error)

	Corner          rounded.Corner
	AdmitsIntervals bool
	Intervals       bool     // an interval was seen
	Rounded         []string // the paths of lists whose sum is 1 only up to their rounding

	digits int         // left of MaxDigits
	files  map[any]any // what was read of them, see Once
}

// NewPass begins a document.
func NewPass(c rounded.Corner) *Pass {
	return &Pass{Corner: c, digits: MaxDigits, files: make(map[any]any)}
}

// Again begins the same document for another corner: what was read from files cannot change in between.
func (p *Pass) Again(c rounded.Corner) {
	p.Corner, p.digits, p.Intervals, p.Rounded = c, MaxDigits, false, nil
}

// A Reader reads the fields of one event. Its first error stays: fields can be read one after the other without
// handling errors between them.
type Reader struct {
	document.Reader
	Pass  *Pass
	Path  string // where the event stands
	Depth int
	// InFile is an error about a line of the file that a field names, 0 if it is not on one line.
	InFile func(name, file string, line int, err error) error
}

// Real reads a real parameter.
func (r *Reader) Real(field string, d number.Domain, t Trend) *big.Rat {
	n := r.Required(field, d.String())
	return r.scalar(field, n, d, t)
}

// scalar reads a number, or the end of an interval that the corner asks for.
func (r *Reader) scalar(field string, n *document.Node, d number.Domain, t Trend) *big.Rat {
	if r.Err != nil {
		return nil
	}
	if n == nil || n.Kind != document.Mapping {
		return r.Number(field, n, d)
	}
	if t == Unproved || !r.Pass.AdmitsIntervals {
		r.Err = r.Invalid(field, n, "a single number"+after(" ", d.Want))
		return nil
	}
	lo, hi := r.interval(field, n, d)
	r.Pass.Intervals = true
	if (t == MorePrivate) == (r.Pass.Corner == rounded.Private) {
		return hi
	}
	return lo
}

// interval reads a number or an interval, and checks both of its ends.
func (r *Reader) interval(field string, n *document.Node, d number.Domain) (lo, hi *big.Rat) {
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

// Number reads a number and pays for its size.
func (p *Pass) Number(text string) (*big.Rat, error) {
	if p.digits -= number.Size(text); p.digits < 0 {
		want := fmt.Sprintf("at most %d digits in all numbers together", MaxDigits)
		return nil, &number.Error{Value: show.Value(text), Want: want}
	}
	return number.Parse(text)
}

// Reals reads a list of at least one real parameter.
func (r *Reader) Reals(field string, d number.Domain, t Trend) []*big.Rat {
	return r.scalars(field, r.List(field, "numbers"+after(" ", d.Want), MaxListLen), d, t)
}

// scalars reads the elements of a list.
func (r *Reader) scalars(list string, items []*document.Node, d number.Domain, t Trend) []*big.Rat {
	xs := make([]*big.Rat, 0, len(items))
	for i, n := range items {
		if xs = append(xs, r.scalar(Index(list, i), n, d, t)); r.Err != nil {
			return nil
		}
	}
	return xs
}

// pairs reads a list of at least one pair of numbers, the first of them strictly increasing and without intervals. A
// pair is handed to add, which returns what is wanted of a pair that cannot be.
func (r *Reader) pairs(field, want string, first, second number.Domain, t Trend, add func(x, y *big.Rat) string) {
	var last *big.Rat
	for i, n := range r.List(field, want, MaxListLen) {
		element := Index(field, i)
		x, y := r.pair(element, n, want, first, second, t)
		if r.Err != nil {
			return
		}
		if last != nil && x.Cmp(last) <= 0 {
			r.Err = r.Invalid(Index(element, 0), n.Items[0], "more than "+Index(Index(field, i-1), 0))
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

// pair reads two numbers, the first of them without an interval. After an error it reads nothing.
func (r *Reader) pair(element string, n *document.Node, want string, first, second number.Domain, t Trend) (x,
	y *big.Rat) {
	switch {
	case r.Err != nil:
		return nil, nil
	case n == nil || n.Kind != document.Sequence || len(n.Items) != 2:
		r.Err = r.Invalid(element, n, want)
		return nil, nil
	}
	return r.scalar(Index(element, 0), n.Items[0], first, Unproved), r.scalar(Index(element, 1), n.Items[1], second, t)
}

// distribution reads a list of probabilities that sum to exactly 1. In binary64, where a corner
// is asked for, rounding may account for the rest.
func (r *Reader) distribution(field string) rounded.Probabilities {
	ps := r.Reals(field, number.NonNegative, Unproved)
	if r.Err != nil {
		return rounded.Probabilities{}
	}
	if r.Pass.Binary64 && r.Pass.Corner != rounded.None {
		return r.around(field, ps)
	}
	r.SumsToOne(field, ps)
	return rounded.Exactly(ps)
}

// row reads a list of probabilities, an element of a field, that sum to exactly 1.
func (r *Reader) row(element string, n *document.Node) []*big.Rat {
	if n == nil || n.Kind != document.Sequence || len(n.Items) == 0 || len(n.Items) > MaxListLen {
		r.Err = r.Invalid(element, n, fmt.Sprintf("a list of 1 to %d probabilities", MaxListLen))
		return nil
	}
	ps := r.scalars(element, n.Items, number.NonNegative, Unproved)
	r.sumsToOne(element, n, ps)
	return ps
}

// around returns all probabilities that round to ps in binary64.
func (r *Reader) around(field string, ps []*big.Rat) rounded.Probabilities {
	total, err := number.Sum(ps)
	if err == nil && total.IsOne() {
		return rounded.Exactly(ps)
	}
	if err == nil {
		p, ok, e := rounded.Around(ps)
		if ok && e == nil {
			r.Pass.Rounded = append(r.Pass.Rounded, Join(r.Path, field))
			return p
		}
		err = e
	}
	r.wrongSum(field, r.Node.Get(field), total, err, "1 up to half a unit in the last place of each number in binary64")
	return rounded.Probabilities{}
}

// SumsToOne demands probabilities with sum exactly 1.
func (r *Reader) SumsToOne(field string, ps []*big.Rat) { r.sumsToOne(field, r.Node.Get(field), ps) }

func (r *Reader) sumsToOne(field string, n *document.Node, ps []*big.Rat) {
	if r.Err != nil {
		return
	}
	want := "exactly 1"
	if r.Pass.Binary64 {
		want += " (each number was rounded to binary64 first)"
	}
	if total, err := number.Sum(ps); err != nil || !total.IsOne() {
		r.wrongSum(field, n, total, err, want)
	}
}

// wrongSum says that a list has another sum than is wanted, or none.
func (r *Reader) wrongSum(field string, n *document.Node, total number.Fraction, err error, want string) {
	if err != nil {
		r.Err = r.Invalid(field, n, number.Wanted(err, ""))
		return
	}
	r.Err = r.InvalidText("sum("+field+")", n, total.String(), want)
}

// IntegerIn reads an integer of a list.
func (r *Reader) IntegerIn(field string, n *document.Node, most int64, want string) int64 {
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

// counts reads one integer or a list.
func (r *Reader) counts(field string) []int64 {
	n := r.Required(field, fmt.Sprintf("an integer in [0, %d] or a list of them", MaxCount))
	if r.Err != nil {
		return nil
	}
	if n.Kind != document.Sequence {
		return []int64{r.Integer(field, 0, MaxCount)}
	}
	var out []int64
	for i, item := range r.List(field, "integers", MaxListLen) {
		if out = append(out, r.IntegerOf(Index(field, i), item, 0, MaxCount)); r.Err != nil {
			return nil
		}
	}
	return out
}

// Join extends a path by a field.
func Join(path, element string) string {
	if path == "" {
		return element
	}
	return path + "." + element
}

// Index is an element of a list.
func Index(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }

// after returns s behind sep, or nothing if s is empty.
func after(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}

// A Trend is how privacy moves with a parameter while all others stay, for
// every event that contains it: composition and sampling preserve that one pair
// dominates another. Only where a Trend is proved may an interval stand for the
// parameter, because only then do its two ends bound everything between them.
type Trend int

const (
	Unproved Trend = iota
	// MorePrivate: as the parameter grows the privacy profile does not grow.
	MorePrivate
	// LessPrivate: as the parameter grows the privacy profile does not shrink.
	LessPrivate
)
