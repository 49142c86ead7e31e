// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package field

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"dpverify/internal/number"
	"dpverify/internal/rounded"
)

// A Domain is one of parameters, with its definition in the schema, and an interval of usual values, from which they
// are drawn.
type Domain struct {
	number.Domain
	Definition string
	Lo, Hi     float64
	zero       bool // 0 is usual, too
}

// Positive are numbers above 0.
func Positive(lo, hi float64) Domain { return Domain{number.Positive, "positive", lo, hi, false} }

// NonNegative are numbers from 0 on.
func NonNegative(lo, hi float64) Domain {
	return Domain{number.NonNegative, "nonNegative", lo, hi, false}
}

// Probability are the numbers of [0, 1].
func Probability(lo, hi float64) Domain {
	return Domain{number.Probability, "probability", lo, hi, false}
}

// Real are all numbers.
func Real(lo, hi float64) Domain { return Domain{number.Any, "real", lo, hi, false} }

// OrZero is the domain with 0 among its usual values.
func (d Domain) OrZero() Domain { d.zero = true; return d }

// Between is the domain [lo, hi].
func Between(lo, hi int64) number.Domain {
	return number.Domain{Want: fmt.Sprintf("in [%d, %d]", lo, hi), Contains: func(r *big.Rat) bool {
		return r.Cmp(big.NewRat(lo, 1)) >= 0 && r.Cmp(big.NewRat(hi, 1)) <= 0
	}}
}

// draw draws a number of the domain.
func (d Domain) draw(g *Drawing) *big.Rat {
	for g.Any != nil {
		if x := g.Any(); d.Contains(x) {
			return x
		}
	}
	if d.zero && g.Rand.IntN(2) == 0 {
		return new(big.Rat)
	}
	return g.Usual(d.Lo, d.Hi)
}

// drawList draws a list of them.
func (d Domain) drawList(g *Drawing) []*big.Rat {
	xs := make([]*big.Rat, g.Length)
	for i := range xs {
		xs[i] = d.draw(g)
	}
	return xs
}

// schema is a number of the domain, or an interval where a trend is proved.
func (d Domain) schema(t Trend) string {
	if t == Unproved {
		return Ref(d.Definition)
	}
	return Ref(d.Definition + "OrInterval")
}

// Ref refers to a definition of the schema.
func Ref(definition string) string { return `"$ref": "#/$defs/` + definition + `"` }

// ListOf is a list in the schema; most is 0 if it may have any length.
func ListOf(element string, least, most int) string {
	s := `"type": "array", "items": {` + element + `}`
	if least > 0 {
		s += `, "minItems": ` + strconv.Itoa(least)
	}
	if most > 0 {
		s += `, "maxItems": ` + strconv.Itoa(most)
	}
	return s
}

// Number is a real parameter.
func (d Domain) Number(name string, x **big.Rat, t Trend) Field {
	return Field{
		Name: name, Schema: func() string { return d.schema(t) },
		Read:  func(r *Reader) { *x = r.Real(name, d.Domain, t) },
		Write: func(w *Writer) { w.Number(name, *x) },
		Valid: func(v *Validation) bool { return v.Number(*x, d.Domain) },
		Draw:  func(g *Drawing) { *x = d.draw(g) },
	}
}

// Optional is a real parameter that is nil where it is missing.
func (d Domain) Optional(name string, x **big.Rat, t Trend) Field {
	f := d.Number(name, x, t)
	write, valid, draw := f.Write, f.Valid, f.Draw
	f.Write = func(w *Writer) {
		if *x != nil {
			write(w)
		}
	}
	f.Valid = func(v *Validation) bool { return *x == nil || valid(v) }
	f.Draw = func(g *Drawing) {
		if g.Rand.IntN(2) == 0 {
			draw(g)
		}
	}
	return f.Or(func() { *x = nil })
}

// Numbers is a list of at least one real parameter.
func (d Domain) Numbers(name string, xs *[]*big.Rat, t Trend) Field {
	return Field{
		Name: name, Schema: func() string { return ListOf(d.schema(t), 1, MaxListLen) },
		Read:  func(r *Reader) { *xs = r.Reals(name, d.Domain, t) },
		Write: func(w *Writer) { w.Numbers(name, *xs) },
		Valid: func(v *Validation) bool { return v.Numbers(*xs, d.Domain) },
		Draw:  func(g *Drawing) { *xs = d.drawList(g) },
	}
}

// Pairs is a list of at least one pair of numbers, of which the first are strictly increasing. Pairs are made and taken
// apart, and rule returns what is wanted of one that cannot be.
func Pairs[T any](name, want string, list *[]T, first, second Domain, t Trend, pair func(x, y *big.Rat) T,
	parts func(T) (x, y *big.Rat), rule func(x, y *big.Rat) string) Field {
	return Field{
		Name: name,
		Schema: func() string {
			return fmt.Sprintf(`"type": "array", "minItems": 1, "maxItems": %d, "items": `+
				`{"type": "array", "prefixItems": [{%s}, {%s}], "items": false, "minItems": 2}`,
				MaxListLen, first.schema(Unproved), second.schema(t))
		},
		Read: func(r *Reader) {
			r.pairs(name, want, first.Domain, second.Domain, t, func(x, y *big.Rat) string {
				*list = append(*list, pair(x, y))
				return rule(x, y)
			})
		},
		Write: func(w *Writer) {
			w.Pairs(name, len(*list), func(i int) (x, y *big.Rat) { return parts((*list)[i]) })
		},
		Valid: func(v *Validation) bool {
			var last *big.Rat
			for _, p := range *list {
				x, y := parts(p)
				if !v.Number(x, first.Domain) || !v.Number(y, second.Domain) || last != nil && x.Cmp(last) <= 0 ||
					rule(x, y) != "" {
					return false
				}
				last = x
			}
			return IsListLength(len(*list))
		},
		Draw: func(d *Drawing) {
			xs := first.drawList(d)
			slices.SortFunc(xs, (*big.Rat).Cmp)
			for _, x := range xs {
				*list = append(*list, pair(x, second.draw(d)))
			}
		},
	}
}

// WeightedMeans are means, in any order, with their weights, which are ≥ 0 and have the sum 1.
type WeightedMeans struct{ Weights, Means []*big.Rat }

// Mixture is a list of at least one and at most so many [weight, mean], with means of the domain.
func (d Domain) Mixture(name string, m *WeightedMeans, most int) Field {
	const want = "[weight, mean]"
	return Field{
		Name: name,
		Schema: func() string {
			return fmt.Sprintf(`"type": "array", "minItems": 1, "maxItems": %d, "items": {"type": "array", `+
				`"prefixItems": [{%s}, {%s}], "items": false, "minItems": 2}, "description": %q`, most,
				Ref("nonNegative"), d.schema(Unproved), want+", with weights of sum 1.")
		},
		Read: func(r *Reader) {
			*m = WeightedMeans{}
			for i, n := range r.List(name, want, most) {
				x, y := r.pair(Index(name, i), n, want, number.NonNegative, d.Domain, Unproved)
				m.Weights, m.Means = append(m.Weights, x), append(m.Means, y)
			}
			r.SumsToOne(name, m.Weights)
		},
		Write: func(w *Writer) {
			w.Pairs(name, len(m.Means), func(i int) (x, y *big.Rat) { return m.Weights[i], m.Means[i] })
		},
		Valid: func(v *Validation) bool {
			return len(m.Means) <= most && len(m.Weights) == len(m.Means) && v.Distribution(m.Weights) &&
				v.Numbers(m.Means, d.Domain)
		},
		Draw: func(g *Drawing) { *m = WeightedMeans{g.Distribution(), d.drawList(g)} },
	}
}

// Distribution is a list of probabilities with sum exactly 1. In binary64 it may stand for all that are rounded to what
// is read, which all has: a settled field has to choose.
func Distribution(name string, ps *[]*big.Rat, all *rounded.Probabilities) Field {
	return Field{
		Name: name, Schema: func() string { return Ref("distribution") },
		Read: func(r *Reader) {
			*all = r.distribution(name)
			*ps = all.Least()
		},
		Write: func(w *Writer) { w.Numbers(name, *ps) },
		Valid: func(v *Validation) bool { return v.Distribution(*ps) },
		Draw:  func(d *Drawing) { *ps = d.Distribution() },
	}
}

// Weights is a list of probabilities with sum exactly 1, in binary64 as well: no rounding explains another sum.
func Weights(name string, ps *[]*big.Rat) Field {
	f := Distribution(name, ps, new(rounded.Probabilities))
	f.Read = func(r *Reader) {
		*ps = r.Reals(name, number.NonNegative, Unproved)
		r.SumsToOne(name, *ps)
	}
	return f
}

// Rows is a list of at least one and at most so many distributions of equal lengths, of at most so many numbers.
func Rows(name string, rows *[][]*big.Rat, most, all int) Field {
	return Field{
		Name: name, Schema: func() string { return ListOf(Ref("distribution"), 1, most) },
		Read: func(r *Reader) {
			*rows = nil
			for i, n := range r.List(name, "lists of probabilities", most) {
				if *rows = append(*rows, r.row(Index(name, i), n)); r.Err != nil {
					return
				}
				if m := len((*rows)[0]); len((*rows)[i]) != m {
					r.Err = r.InvalidText(Index(name, i), n, fmt.Sprintf("a list of %d", len((*rows)[i])),
						fmt.Sprintf("a list of %d, as many as %s", m, Index(name, 0)))
					return
				}
			}
			if r.Err == nil && len(*rows)*len((*rows)[0]) > all {
				found := fmt.Sprintf("%d probabilities", len(*rows)*len((*rows)[0]))
				r.Err = r.InvalidText(name, r.Node.Get(name), found, fmt.Sprintf("at most %d", all))
			}
		},
		Write: func(w *Writer) { w.Rows(name, *rows) },
		Valid: func(v *Validation) bool {
			return 1 <= len(*rows) && len(*rows) <= most && len(*rows)*len((*rows)[0]) <= all &&
				!slices.ContainsFunc(*rows, func(row []*big.Rat) bool {
					return len(row) != len((*rows)[0]) || !v.Distribution(row)
				})
		},
		Draw: func(d *Drawing) {
			*rows = make([][]*big.Rat, 1+d.Rand.IntN(3))
			for i := range *rows {
				(*rows)[i] = d.Distribution()
			}
		},
	}
}

// Settled chooses among distributions once all fields before it are read.
func Settled(choose func(rounded.Corner)) Field {
	return Field{Read: func(r *Reader) { choose(r.Pass.Corner) }}
}
