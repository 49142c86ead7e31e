package mechanism

import (
	"fmt"
	"math/big"

	"dpverify/document"
	"dpverify/internal/show"
	"dpverify/number"
)

// A reader reads the fields of one event. Its first error stays: after it every
// method returns a zero value, and decoding.event reports it. A class's decode
// function can so name its fields without handling errors between them.
type reader struct {
	s        *decoding
	node     *document.Node
	path     string // for errors: empty at the root
	fullPath string
	class    string
	depth    int
	err      error
}

// invalid returns the error that field has the value n where want was wanted.
func (r *reader) invalid(field string, n *document.Node, want string) error {
	return r.invalidText(field, n, document.Shown(n), want)
}

// invalidText is invalid for a value that is described in other words.
func (r *reader) invalidText(field string, n *document.Node, value, want string) error {
	e := &ParamError{Path: r.path, Class: r.class, Field: field, Value: value, Want: want}
	if r.node != nil {
		e.Line = r.node.Line
	}
	if n != nil && n.Line > 0 {
		e.Line = n.Line
	}
	return e
}

// required returns the value of a field, nil if an error has occurred.
func (r *reader) required(field, want string) *document.Node {
	if r.err != nil {
		return nil
	}
	n := r.node.Get(field)
	if n == nil {
		r.err = &ParamError{Problem: Missing, Path: r.path, Class: r.class, Field: field, Want: want, Line: r.node.Line}
	}
	return n
}

// number reads a real parameter.
func (r *reader) number(field string, d number.Domain, t trend) *big.Rat {
	n := r.required(field, d.String())
	return r.scalar(field, n, d, t)
}

// numberOr reads a real parameter that has a default.
func (r *reader) numberOr(field string, d number.Domain, t trend, otherwise *big.Rat) *big.Rat {
	if r.node.Get(field) == nil {
		return otherwise
	}
	return r.number(field, d, t)
}

// scalar reads a number, or the end of an interval that the corner asks for.
func (r *reader) scalar(field string, n *document.Node, d number.Domain, t trend) *big.Rat {
	if r.err != nil {
		return nil
	}
	if n == nil || n.Kind != document.Mapping {
		return r.exact(field, n, d)
	}
	if t == unproved || !r.s.admitsIntervals {
		r.err = r.invalid(field, n, "a single number"+after(" ", d.Want))
		return nil
	}
	lo, hi := r.interval(field, n, d)
	r.s.intervals = true
	if (t == morePrivate) == (r.s.corner == private) {
		return hi
	}
	return lo
}

// interval reads a number or an interval, and checks both of its ends.
func (r *reader) interval(field string, n *document.Node, d number.Domain) (lo, hi *big.Rat) {
	if n == nil || n.Kind != document.Mapping {
		lo = r.exact(field, n, d)
		return lo, lo
	}
	if len(n.Entries) != 2 || n.Get("lo") == nil || n.Get("hi") == nil {
		r.err = r.invalid(field, n, d.String()+" or {lo, hi}")
		return nil, nil
	}
	lo = r.exact(field+".lo", n.Get("lo"), d)
	hi = r.exact(field+".hi", n.Get("hi"), d)
	if r.err == nil && lo.Cmp(hi) > 0 {
		r.err = r.invalid(field, n, "lo <= hi")
	}
	return lo, hi
}

// exact reads one number of the domain d.
func (r *reader) exact(field string, n *document.Node, d number.Domain) *big.Rat {
	x := r.literal(field, n, d.String())
	if r.err != nil {
		return nil
	}
	want := d.Want
	if r.s.Binary64 {
		rounded, err := number.Binary64(x)
		if err != nil {
			r.err = r.invalid(field, n, number.Wanted(err, ""))
			return nil
		}
		if d.Contains(x) {
			want += " after rounding to binary64"
		}
		x = rounded
	}
	if !d.Contains(x) {
		r.err = r.invalid(field, n, want)
		return nil
	}
	return x
}

// literal reads a number exactly as it is written.
func (r *reader) literal(field string, n *document.Node, want string) *big.Rat {
	if r.err != nil {
		return nil
	}
	if n == nil || n.Kind != document.Number && n.Kind != document.String {
		r.err = r.invalid(field, n, want)
		return nil
	}
	x, err := r.s.parse(n.Text)
	if err != nil {
		r.err = r.invalid(field, n, number.Wanted(err, want))
		return nil
	}
	return x
}

// parse reads a number and pays for its size.
func (s *decoding) parse(text string) (*big.Rat, error) {
	if s.digits -= number.Size(text); s.digits < 0 {
		want := fmt.Sprintf("at most %d digits in all numbers together", maxDigits)
		return nil, &number.Error{Value: show.Value(text), Want: want}
	}
	return number.Parse(text)
}

// integer reads an integer of [lo, hi]. 100, "100", 1e2 and 100.0 are the same
// integer; binary64 does not round it.
func (r *reader) integer(field string, lo, hi int64) int64 {
	want := fmt.Sprintf("an integer in [%d, %d]", lo, hi)
	n := r.required(field, want)
	x := r.literal(field, n, want)
	if r.err != nil {
		return 0
	}
	i, ok := integer(x, lo, hi)
	if !ok {
		r.err = r.invalid(field, n, want)
	}
	return i
}

// integer returns x if it is an integer of [lo, hi].
func integer(x *big.Rat, lo, hi int64) (int64, bool) {
	if !x.IsInt() || !x.Num().IsInt64() {
		return 0, false
	}
	i := x.Num().Int64()
	return i, lo <= i && i <= hi
}

// list reads a list of at least one element.
func (r *reader) list(field, of string) []*document.Node {
	want := "a list of " + of
	n := r.required(field, want)
	if r.err != nil {
		return nil
	}
	switch {
	case n.Kind != document.Sequence || len(n.Items) == 0:
		r.err = r.invalid(field, n, want)
		return nil
	case len(n.Items) > MaxListLen:
		r.err = r.invalid(field, n, fmt.Sprintf("at most %d elements", MaxListLen))
		return nil
	}
	return n.Items
}

// numbers reads a list of at least one real parameter.
func (r *reader) numbers(field string, d number.Domain, t trend) []*big.Rat {
	items := r.list(field, "numbers"+after(" ", d.Want))
	xs := make([]*big.Rat, 0, len(items))
	for i, n := range items {
		if xs = append(xs, r.scalar(index(field, i), n, d, t)); r.err != nil {
			return nil
		}
	}
	return xs
}

// sameLength demands that field b has as many elements as field a.
func (r *reader) sameLength(a, b string) {
	if r.err != nil {
		return
	}
	n, m := len(r.node.Get(a).Items), len(r.node.Get(b).Items)
	if n != m {
		r.err = r.invalidText(b, r.node.Get(b), fmt.Sprintf("a list of %d", m), fmt.Sprintf("a list of %d, as many as %s", n, a))
	}
}

// distribution reads a list of probabilities that sum to exactly 1. In binary64, where a corner
// is asked for, rounding may account for the rest.
func (r *reader) distribution(field string) probabilities {
	ps := r.numbers(field, number.NonNegative, unproved)
	if r.err != nil {
		return probabilities{}
	}
	n := r.node.Get(field)
	total, err := number.Sum(ps)
	if err != nil {
		r.err = r.invalid(field, n, number.Wanted(err, ""))
		return probabilities{}
	}
	if total.IsOne() {
		return probabilities{ps, ps, true}
	}
	want := "exactly 1"
	switch {
	case r.s.Binary64 && r.s.corner != noCorner:
		p, ok, err := roundedProbabilities(ps)
		if err != nil {
			r.err = r.invalid(field, n, number.Wanted(err, ""))
			return probabilities{}
		}
		if ok {
			r.s.rounded = append(r.s.rounded, join(r.fullPath, field))
			return p
		}
		want = "1 up to half a unit in the last place of each number in binary64"
	case r.s.Binary64:
		want += " (each number was rounded to binary64 first)"
	}
	r.err = r.invalidText("sum("+field+")", n, total.String(), want)
	return probabilities{}
}

// event reads the nested event of a field.
func (r *reader) event(field string) Event {
	n := r.required(field, "an event")
	if r.err != nil {
		return nil
	}
	return r.child(field, n)
}

// events reads a list of events; it may be empty.
func (r *reader) events(field string) []Event {
	n := r.required(field, "a list of events")
	if r.err != nil {
		return nil
	}
	if n.Kind != document.Sequence {
		r.err = r.invalid(field, n, "a list of events")
		return nil
	}
	es := make([]Event, 0, len(n.Items))
	for i, item := range n.Items {
		if es = append(es, r.child(index(field, i), item)); r.err != nil {
			return nil
		}
	}
	return es
}

func (r *reader) child(element string, n *document.Node) Event {
	e, err := r.s.event(n, join(r.fullPath, element), r.depth+1)
	r.err = err
	return e
}

// word reads a string.
func (r *reader) word(field, want string) string {
	n := r.required(field, want)
	if r.err != nil {
		return ""
	}
	if n.Kind != document.String || n.Text == "" {
		r.err = r.invalid(field, n, want)
		return ""
	}
	return n.Text
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
