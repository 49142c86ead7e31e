// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package census judges the privacy curves that were published of the 2020 Census of the United States.
//
// Su, Su & Wang, arXiv:2606.29835, publish with their programs, commit 9b8ff71 of
// github.com/BuxinSu/Exact-Privacy-Accounting-for-2020-U.S.-Census, the budgets of 43 paths through the Demographic and
// Housing Characteristics file: up to 80 releases of counts with discrete Gaussian noise of variance 1/ρ_i each, where
// Σρ_i = 24811/5000 on every path. A record that moves from one path to another one changes the answers of both by 1
// each. So a pair of paths is the composition of the releases of both, and of a path with itself of each release twice.
// They print δ(ε) of the 946 pairs at 42 values of ε, and 946 trade-off curves.
//
// paths.txt has how often each ρ occurs on a path. published.gz has what is printed: δ with the digits beyond the 35th
// cut off; of the last ε the second of the two terms whose difference δ is, e^ε times a probability; of each trade-off
// curve how many type II errors are below 0, and the least one; and of the curve of each path with itself the middle
// point, where both kinds of errors are printed as the same number.
package census

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/ordered"
	"dpverify/mechanism"
)

// paths is how many paths there are.
const paths = 43

// A Pair is two paths, From ≤ To.
type Pair struct{ From, To int }

func (p Pair) String() string { return fmt.Sprintf("%d → %d", p.From, p.To) }

// pairs are all pairs, in the order of published.gz.
func pairs() []Pair {
	var out []Pair
	for from := range paths {
		for to := from; to < paths; to++ {
			out = append(out, Pair{from + 1, to + 1})
		}
	}
	return out
}

//go:embed paths.txt
var pathsText string

// releases are how often each ρ occurs on each path, by its number.
var releases = sync.OnceValue(func() map[int]map[string]int64 {
	out := make(map[int]map[string]int64)
	for line := range strings.Lines(pathsText) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		path := make(map[string]int64)
		for _, term := range strings.Split(list, ", ") {
			count, rho, _ := strings.Cut(term, " × ")
			path[rho] = integer(count)
		}
		out[int(integer(name))] = path
	}
	return out
})

// Event is the composition of the releases of both paths.
func (p Pair) Event() mechanism.Event {
	counts := make(map[string]int64)
	var order []string
	for _, path := range []int{p.From, p.To} {
		for rho, n := range releases()[path] {
			if counts[rho] == 0 {
				order = append(order, rho)
			}
			counts[rho] += n
		}
	}
	slices.Sort(order)
	one := big.NewRat(1, 1)
	var out mechanism.Composed
	for _, rho := range order {
		out.Events = append(out.Events, mechanism.SelfComposed{
			Event: mechanism.DiscreteGaussian{Variance: new(big.Rat).Inv(decimal(rho)), Sensitivity: one, Dimension: 1},
			Count: counts[rho],
		})
	}
	return out
}

// A Row is one of the ε at which δ is printed.
type Row struct {
	Name    string // the δ that ρ-zCDP gives at this ε, by which the row is called
	Epsilon *big.Rat
	Delta   map[Pair]string
}

// A Beta is what a trade-off curve has below 0.
type Beta struct {
	Negative int64    // how many type II errors
	Alpha    *big.Rat // the type I error of the least one
	Least    *big.Rat
}

// A Publication is what is printed.
type Publication struct {
	Pairs  []Pair
	Rows   []*Row
	Second map[Pair]*big.Rat // the second term of the last row
	Betas  map[Pair]Beta
	Middle []*big.Rat // both errors of the middle of the trade-off curve of each path with itself
}

//go:embed published.gz
var published []byte

// Published reads what is printed.
var Published = sync.OnceValue(func() Publication {
	out := Publication{Pairs: pairs(), Second: make(map[Pair]*big.Rat), Betas: make(map[Pair]Beta)}
	r, err := gzip.NewReader(bytes.NewReader(published))
	if err != nil {
		panic("census: internal error: " + err.Error())
	}
	next, take := 0, func(Pair, []string) {}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		switch f[0] {
		case "delta":
			row := &Row{Name: f[1], Epsilon: decimal(f[2]), Delta: make(map[Pair]string)}
			out.Rows = append(out.Rows, row)
			next, take = 0, func(p Pair, f []string) { row.Delta[p] = f[0] }
		case "second":
			next, take = 0, func(p Pair, f []string) { out.Second[p] = decimal(f[0]) }
		case "beta":
			next, take = 0, func(p Pair, f []string) {
				out.Betas[p] = Beta{integer(f[0]), decimal(f[1]), decimal(f[2])}
			}
		case "middle":
			next, take = 0, func(_ Pair, f []string) { out.Middle = append(out.Middle, decimal(f[0])) }
		default:
			take(out.Pairs[next], f)
			next++
		}
	}
	if err := lines.Err(); err != nil {
		panic("census: internal error: " + err.Error())
	}
	return out
})

// A Point is a printed δ, and the truth.
type Point struct {
	Pair
	*Row
	Printed   string
	Published *big.Rat
	Truth     interval.Interval
	Second    *big.Rat // e^ε times the second probability, of the last row; 0 otherwise
}

// bits are the leading bits of δ that are asked for: 31 digits, and the few by which an answer may be short.
const bits = 110

// All judges every printed δ, pair by pair, on as many processors as there are.
func All(ctx context.Context) iter.Seq2[Point, error] {
	type judged struct {
		points []Point
		err    error
	}
	all := Published()
	return func(yield func(Point, error) bool) {
		for j := range ordered.Map(slices.Values(all.Pairs), func(p Pair) judged {
			points, err := p.curve(ctx)
			return judged{points, err}
		}) {
			if j.err != nil {
				yield(Point{}, j.err)
				return
			}
			for _, p := range j.points {
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

// curve judges the δ of a pair.
func (p Pair) curve(ctx context.Context) ([]Point, error) {
	f, err := p.prepare(ctx)
	if err != nil {
		return nil, err
	}
	all := Published()
	var out []Point
	for i, row := range all.Rows {
		r, err := f.DeltaTo(ctx, row.Epsilon, bits)
		if err != nil {
			return nil, err
		}
		point := Point{Pair: p, Row: row, Printed: row.Delta[p], Truth: r.Interval, Second: new(big.Rat)}
		point.Published = decimal(point.Printed)
		if i == len(all.Rows)-1 {
			point.Second = all.Second[p]
		}
		out = append(out, point)
	}
	return out, nil
}

// A Middle is the middle point of a printed trade-off curve, where both errors are the same number, and the truth.
type Middle struct {
	Pair
	Printed *big.Rat
	Truth   interval.Interval // the least type II error at that type I error
}

// Excess encloses how far the printed error is above the truth, as a share of it.
func (m Middle) Excess() interval.Interval {
	const w = interval.Prec(160)
	return w.Div(w.Sub(w.Rat(m.Printed), m.Truth), m.Truth)
}

// Middles judges the middle points, on as many processors as there are.
func Middles(ctx context.Context) ([]Middle, error) {
	type judged struct {
		Middle
		err error
	}
	var points, out []Middle
	for i, printed := range Published().Middle {
		points = append(points, Middle{Pair: Pair{i + 1, i + 1}, Printed: printed})
	}
	for j := range ordered.Map(slices.Values(points), func(m Middle) judged {
		y, err := m.TypeII(ctx, m.Printed)
		m.Truth = y
		return judged{m, err}
	}) {
		if j.err != nil {
			return nil, j.err
		}
		out = append(out, j.Middle)
	}
	return out, nil
}

// Least returns the pair of whose trade-off curve a type II error is printed that is less than all others.
func (p Publication) Least() Pair {
	return slices.MinFunc(p.Pairs, func(a, b Pair) int { return p.Betas[a].Least.Cmp(p.Betas[b].Least) })
}

// TypeII encloses the least type II error at a type I error.
func (p Pair) TypeII(ctx context.Context, alpha *big.Rat) (interval.Interval, error) {
	f, err := p.prepare(ctx)
	if err != nil {
		return interval.Entire(), err
	}
	r, err := f.TradeOff(ctx, alpha, 40)
	return r.Interval, err
}

func (p Pair) prepare(ctx context.Context) (*exact.Profile, error) {
	return exact.Prepare(ctx, exact.Question{Event: p.Event(), Scale: big.NewRat(1, 1_000_000)}, 1)
}

// Ratio encloses the printed δ over the truth.
func (p Point) Ratio() interval.Interval {
	const w = interval.Prec(160)
	return w.Div(w.Rat(p.Published), p.Truth)
}

// Excess encloses how far the printed δ is above the truth, as a share of it: Ratio − 1.
func (p Point) Excess() interval.Interval {
	const w = interval.Prec(160)
	return w.Div(w.Sub(w.Rat(p.Published), p.Truth), p.Truth)
}

// Agrees reports whether the printed δ differs from the truth by at most 10^−digits of it.
func (p Point) Agrees(digits int) interval.Truth {
	return p.Excess().Abs().LessEqRat(number.PowerOfTen(-digits))
}

// decimal and integer read numbers of the embedded files.
func decimal(s string) *big.Rat {
	x, err := number.Parse(s)
	if err != nil {
		panic("census: internal error: " + err.Error())
	}
	return x
}

func integer(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("census: internal error: " + err.Error())
	}
	return n
}
