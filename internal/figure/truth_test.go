// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"bytes"
	"fmt"
	"maps"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/drawn"
	"dpverify/internal/testkit"
)

// A model is a function of a known shape that is easily enclosed anywhere.
type model struct {
	shape    Shape
	from, to *big.Rat
	value    func(x interval.Interval) interval.Interval
}

// wide is a precision far above the drawing's.
const wide = interval.Prec(300)

// models draws functions of all shapes.
func models(r *rand.Rand) map[string]model {
	// A finite pair: δ = Σ max(0, p − e^ε·q). Few masses make corners, equal ones jumps of
	// the slope, q = 0 a level at the end.
	n := 1 + r.Intn(5)
	p, q := make([]*big.Rat, n), make([]*big.Rat, n)
	sum := func(xs []*big.Rat) {
		total := new(big.Rat)
		for i := range xs {
			xs[i] = big.NewRat(int64(r.Intn(4)*r.Intn(1000)), 1)
			total.Add(total, xs[i])
		}
		if total.Sign() == 0 {
			xs[0], total = big.NewRat(1, 1), big.NewRat(1, 1)
		}
		for i := range xs {
			xs[i] = new(big.Rat).Quo(xs[i], total)
		}
	}
	sum(p)
	sum(q)
	pair := func(x interval.Interval) interval.Interval {
		y := interval.Int(0)
		for i := range p {
			y = wide.Add(y, interval.Max(interval.Int(0), wide.Sub(wide.Rat(p[i]), wide.Mul(wide.Exp(x), wide.Rat(q[i])))))
		}
		return y
	}
	// e^{−a·u} is a profile too: convex in u = e^ε, 1 at 0, of slope −a there.
	a := big.NewRat(int64(1+r.Intn(100)), 100)
	decay := func(x interval.Interval) interval.Interval {
		return wide.Exp(wide.Mul(wide.Rat(a), wide.Exp(x)).Neg())
	}
	from := big.NewRat(int64(r.Intn(300)-200), 100)
	to := new(big.Rat).Add(from, big.NewRat(int64(1+r.Intn(600)), 100))
	m := big.NewRat(int64(1+r.Intn(300)), 100)
	last := int64(2 + r.Intn(2000))
	return map[string]model{
		"pair":  {Profile, from, to, pair},
		"decay": {Profile, from, to, decay},
		"trade-off": {TradeOff, big.NewRat(int64(r.Intn(30)), 100), big.NewRat(int64(40+r.Intn(61)), 100), func(x interval.Interval) interval.Interval {
			return wide.Sqr(wide.Sub(interval.Int(1), wide.Sqrt(x))) // (1 − √x)²
		}},
		"least": {leastOfTwo{}, big.NewRat(int64(r.Intn(30)), 100), big.NewRat(int64(40+r.Intn(61)), 100), func(x interval.Interval) interval.Interval {
			return interval.Min(leastOfTwo{}.first(x), leastOfTwo{}.second(x))
		}},
		"log-concave": {LogConcave, from, to, func(x interval.Interval) interval.Interval { // the least of two lines, and 1
			y := wide.Exp(wide.Mul(wide.Rat(a), wide.Sub(wide.Rat(from), x)))
			return interval.Min(interval.Int(1), interval.Min(wide.Mul(y, interval.Int(3)), wide.Mul(wide.Sqr(y), interval.Int(9))))
		}},
		"falling": {Falling, from, to, func(x interval.Interval) interval.Interval { // neither convex nor concave
			return wide.Add(wide.Exp(x.Neg()), wide.Div(interval.Int(1), wide.Add(interval.Int(1), wide.Exp(wide.Mul(x, interval.Int(9))))))
		}},
		"ROC": {Complement(TradeOff), big.NewRat(int64(r.Intn(30)), 100), big.NewRat(int64(40+r.Intn(61)), 100), func(x interval.Interval) interval.Interval {
			return wide.Sub(interval.Int(1), wide.Sqr(wide.Sub(interval.Int(1), wide.Sqrt(x))))
		}},
		// (α − 1)·R = m·α·(α − 1) is convex.
		"divergence": {Divergence, big.NewRat(int64(1+r.Intn(200)), 100), big.NewRat(int64(201+r.Intn(1000)), 100), func(x interval.Interval) interval.Interval {
			return wide.Mul(wide.Rat(m), x)
		}},
		"rising": {Rising, big.NewRat(1, 1), big.NewRat(last, 1), func(x interval.Interval) interval.Interval {
			k := new(big.Rat).SetInt(integer(x))
			return wide.Mul(wide.Sqrt(wide.Rat(k)), wide.Rat(m)) // it jumps at whole numbers
		}},
	}
}

// leastOfTwo is Least of two trade-off functions that cross near 1/2, each enclosed at the points that are asked.
type leastOfTwo struct{ dense }

func (leastOfTwo) first(x interval.Interval) interval.Interval {
	return wide.Sqr(wide.Sub(interval.Int(1), wide.Sqrt(x))) // (1 − √x)²
}

func (leastOfTwo) second(x interval.Interval) interval.Interval { // two lines, from 2/5 over (2/5, 1/10) to (1, 0)
	a := wide.Sub(wide.Rat(big.NewRat(2, 5)), wide.Mul(wide.Rat(big.NewRat(3, 4)), x))
	return interval.Max(a, wide.Div(wide.Sub(interval.Int(1), x), interval.Int(6)))
}

func (l leastOfTwo) between(ps []Point) bounds {
	each := make(map[string][]interval.Interval)
	for i, p := range ps {
		x := wide.Rat(p.X)
		each[p.X.RatString()] = []interval.Interval{interval.Prec(3 + 20*(i%2)).Round(l.first(x)), l.second(x)}
	}
	return Least(TradeOff, each).between(ps)
}

// TestLeastOfUnknownParts: where a part is not known at a point, what is drawn falls, and no more is said.
func TestLeastOfUnknownParts(t *testing.T) {
	ps := []Point{{big.NewRat(0, 1), interval.Int(1)}, {big.NewRat(1, 1), interval.Int(0)}}
	each := map[string][]interval.Interval{"0": {interval.Int(1), interval.Int(1)}, "1": {interval.Int(0)}}
	for range 2 {
		if y := Least(TradeOff, each).between(ps)(0, wide.Rat(big.NewRat(3, 4))); !y.ContainsRat(big.NewRat(1, 1)) || !y.ContainsRat(new(big.Rat)) {
			t.Errorf("%v", y)
		}
		delete(each, "1")
	}
}

// integer is ⌊x⌋ of a point.
func integer(x interval.Interval) *big.Int {
	lo, _, _ := x.Rationals()
	return new(big.Int).Quo(lo.Num(), lo.Denom())
}

// points encloses a model at its ends and n places between, not always sharply.
func (m model) points(r *rand.Rand, n int) []Point {
	var ps []Point
	for i := range n + 2 {
		t := big.NewRat(int64(i), int64(n+1))
		if i > 0 && i <= n && r.Intn(2) == 0 {
			t = big.NewRat(int64(1+r.Intn(998)), 1000)
		}
		x := new(big.Rat).Sub(m.to, m.from)
		x.Add(x.Mul(x, t), m.from)
		if m.shape == Rising {
			x.SetInt(integer(wide.Rat(x)))
		}
		y := m.value(wide.Rat(x))
		if r.Intn(3) == 0 {
			y = interval.Bounds(y.Lo(), interval.Prec(2+r.Intn(12)).Round(y).Hi())
		}
		if r.Intn(3) == 0 && y.Lo().Sign() > 0 {
			y = interval.Bounds(interval.Prec(2+r.Intn(12)).Round(y).Lo(), y.Hi())
		}
		if r.Intn(20) == 0 {
			y = interval.Bounds(new(big.Float), y.Hi())
		}
		ps = append(ps, Point{x, y})
	}
	return ps
}

// TestTheTruthIsInsideOfWhatIsDrawn: wherever one looks at a file, the curve is between the
// lines that are drawn there, for every shape and every scale, with few points and after
// refinement.
func TestTheTruthIsInsideOfWhatIsDrawn(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewSource(3))
	for range testkit.Draws(2, 8, 100) {
		ms := models(r)
		for _, name := range slices.Sorted(maps.Keys(ms)) {
			m := ms[name]
			g := Graph{Size: Size{60 + r.Float64()*400, 90 + r.Float64()*300}, Curves: []Curve{{Name: name, Shape: m.shape, Points: m.points(r, r.Intn(8))}}}
			g.X.Exact, g.Y.Exact = r.Intn(2) == 0, r.Intn(2) == 0
			if r.Intn(2) == 0 {
				g.Y.Scale = Log
			} else if m.to.Cmp(big.NewRat(20, 1)) < 0 && r.Intn(3) == 0 {
				g.Y.Scale = Growth
			}
			switch {
			case m.from.Sign() > 0 && r.Intn(2) == 0:
				g.X.Scale = Log
			case m.shape == Profile && r.Intn(2) == 0:
				g.X.Scale = Growth
			}
			if slices.Contains([]Scale{Log, nil}, g.Y.Scale) && r.Intn(4) == 0 {
				g.Y.From, g.Y.To = -3, 3 // some of the curve is below, or has no place
			}
			for range r.Intn(3) {
				xs, err := g.Open(0, 8)
				if err != nil {
					break
				}
				for _, x := range xs {
					g.Curves[0].Points = append(g.Curves[0].Points, Point{x, m.value(wide.Rat(x))})
				}
			}
			look(t, r, fmt.Sprint(name, g.X.Scale, g.Y.Scale), g, m)
		}
	}
}

// look compares a file with a model at some places.
func look(t *testing.T, r *rand.Rand, name string, g Graph, m model) {
	t.Helper()
	var b bytes.Buffer
	if err := g.Write(&b, "svg"); err != nil {
		if !bytes.Contains([]byte(err.Error()), []byte("too small")) && err != ErrNothing {
			t.Fatalf("%s: %v", name, err)
		}
		return
	}
	cs, err := drawn.Read(b.Bytes())
	if err != nil || len(cs) > 1 || len(cs) == 0 && g.Y.From == g.Y.To {
		t.Fatalf("%s: %d curves, %v", name, len(cs), err)
	}
	if len(cs) == 0 {
		return // all of it is beyond the frame
	}
	c := cs[0]
	first, last := c.X.At, c.X.End
	for range 30 {
		at := new(big.Rat).Sub(last, first)
		at.Add(at.Mul(at, big.NewRat(int64(r.Intn(10001)), 10000)), first)
		x := number(g.X.scale(), wide.Rat(c.X.Height(at)))
		if x.LessEqRat(m.from) != interval.False || x.LessRat(m.to) != interval.True {
			continue // beside the ends, by less than a hundredth of a point
		}
		lower, upper, ok := c.At(at)
		y := m.value(x)
		height := heightOf(g.Y.scale(), y)
		if !ok { // it is beyond the frame
			if outside := height.LessRat(c.Y.From) == interval.True || height.LessEqRat(c.Y.To) == interval.False; g.Y.From == g.Y.To || !outside {
				t.Fatalf("%s: nothing is drawn at %s", name, at.FloatString(3))
			}
			continue
		}
		if below(c.Y, upper, height.Lo()) {
			t.Errorf("%s: at %v the upper line is at height %v, the truth at %v", name, x, upper, height)
		}
		if above(c.Y, lower, height.Hi()) {
			t.Errorf("%s: at %v the lower line is at height %v, the truth at %v", name, x, lower, height)
		}
	}
}

// number and heightOf are Scale's functions with more bits.
func number(s Scale, t interval.Interval) interval.Interval {
	switch s {
	case Log:
		return wide.Exp(wide.Mul(t, wide.Log(interval.Int(10))))
	case Growth:
		return wide.Log(t)
	}
	return t
}

func heightOf(s Scale, x interval.Interval) interval.Interval {
	switch s {
	case Log:
		if x.IsZero() {
			return interval.Point(interval.Entire().Lo())
		}
		return wide.Div(wide.Log(x), wide.Log(interval.Int(10)))
	case Growth:
		return wide.Exp(x)
	}
	return x
}

// below reports that a drawn height is below a number.
func below(a drawn.Axis, b drawn.Bound, x *big.Float) bool {
	if b.Sign > 0 {
		return false
	}
	if b.Sign < 0 {
		return interval.Point(x).LessRat(a.From) == interval.False
	}
	return interval.Point(x).LessEqRat(b.Height) == interval.False
}

func above(a drawn.Axis, b drawn.Bound, x *big.Float) bool {
	if b.Sign < 0 {
		return false
	}
	if b.Sign > 0 {
		return interval.Point(x).LessEqRat(a.To) == interval.True
	}
	return interval.Point(x).LessRat(b.Height) == interval.True
}

// TestTheLastNumberIsInsideOfWhatIsDrawn: at the last number of compositions, too, where the curve rises by a step, the
// upper line is above it and the lower line below.
func TestTheLastNumberIsInsideOfWhatIsDrawn(t *testing.T) {
	for last := int64(2); last < 6; last++ {
		c := Curve{Shape: Rising}
		for k := int64(1); k <= last; k++ {
			c.Points = append(c.Points, Point{big.NewRat(k, 1), interval.Int(k * k)})
		}
		g := Graph{Size: Size{200, 200}, Curves: []Curve{c}, X: Axis{To: float64(last), Exact: true}}
		var b bytes.Buffer
		if err := g.Write(&b, "svg"); err != nil {
			t.Fatal(err)
		}
		cs, err := drawn.Read(b.Bytes())
		if err != nil || len(cs) != 1 {
			t.Fatalf("%d curves, %v", len(cs), err)
		}
		lower, upper, ok := cs[0].At(cs[0].X.Coordinate(big.NewRat(last, 1)))
		truth := interval.Int(last * last).Lo()
		if !ok || below(cs[0].Y, upper, truth) || above(cs[0].Y, lower, truth) {
			t.Errorf("at %d the lines are at %v and %v, the truth at %v", last, lower, upper, truth)
		}
	}
}
