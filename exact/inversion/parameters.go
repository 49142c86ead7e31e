package inversion

import (
	"math/big"

	"dpverify/exact/interval"
)

// parameters of a line. Whatever they are, if valid, the bounds hold; they decide how
// narrow.
type parameters struct {
	lambda, farther *big.Rat            // λ and λ′ > λ, where M(−λ′) bounds the terms m > 0
	period          *big.Rat            // T
	n               int                 // the last index kept
	prec            interval.Prec       // working precision
	segments        []interval.Interval // ends of segments of t on which |M| is bounded,
	decays          []decay             // by these
}

// valid reports whether the lemmas are about c: (1) is for Re s < 0 only.
func (c parameters) valid() bool {
	return c.lambda.Sign() > 0 && c.farther.Cmp(c.lambda) > 0 && c.period.Sign() > 0 && c.n > 0
}

// step encloses h = 2π/T.
func (c parameters) step(p interval.Prec) interval.Interval {
	return p.Div(p.Scale(p.Pi(), 1), p.Rat(c.period))
}

// Limits on what a line may cost.
const (
	maxTerms   = 1 << 16 // values of M
	maxWorking = 1 << 15 // bits
)

// guard is how many bits below the asked width each error is put.
const guard = 8

// number returns the middle of x as a point: parameters are computed with points.
func number(x interval.Interval) interval.Interval { return coarse.Mid(x) }

// less compares two points.
func less(x, y interval.Interval) bool { return x.Less(y) == interval.True }

// logMoment returns a number near log M(−λ).
func (x *Transform) logMoment(lambda interval.Interval) (interval.Interval, bool) {
	sum := interval.Int(0)
	for _, t := range x.terms {
		y, ok := t.f.estimate(lambda)
		if !ok || !y.IsFinite() {
			return sum, false
		}
		sum = coarse.Add(sum, coarse.Mul(interval.Int(t.count), y))
	}
	return number(sum), true
}

// chooseQuantum returns k with 2^k about the scale of the losses: log M(−1) is the
// variance of a normal loss.
func (x *Transform) chooseQuantum() int {
	v, ok := x.logMoment(one)
	if !ok || v.Positive() != interval.True {
		return -2
	}
	return min(max(v.Lo().MantExp(nil)/2, -24), 8)
}

// choose returns parameters for a neighbourhood, with δ near e^logDelta at its end.
//
// With B bits to spare, the left aliases want λT ≥ A = B·log 2 − log δ, and the right ones (λ′ − λ)T ≥ A′ = A + log M(−λ′) −
// λ′ε. So T = (A + A′)/λ′ and λ = A/T for the best λ′: the number of terms grows with T, and
// with the root of the bits that M must fall by, B and those that the sum cancels by,
// log M(−λ) − λε − log δ. Where losses are bounded, λ′ may be so large that there is room to
// choose λ at the saddle point, where nothing cancels.
func (x *Transform) choose(p interval.Prec, at neighbourhood) (parameters, bool) {
	logDelta, saddle := at.logDelta, at.saddle
	e := coarse.Rat(at.first()) // where e^{−λε} is largest
	bits := coarse.Mul(interval.Int(int64(p)+guard), coarse.Ln2())
	need := number(coarse.Sub(bits, logDelta)) // A
	var c parameters
	var best interval.Interval
	var cancel interval.Interval
	consider := func(farther, period, lambda interval.Interval) bool {
		k, ok := x.logMoment(lambda)
		if !ok {
			return false
		}
		lost := number(coarse.Sub(coarse.Sub(k, coarse.Mul(lambda, e)), logDelta))
		cost := coarse.Mul(coarse.Sqr(period), coarse.Add(bits, interval.Max(lost, interval.Int(0))))
		if c.period == nil || less(cost, best) {
			best, cancel = number(cost), lost
			c.lambda, c.farther, c.period = short(lambda, false), short(farther, true), short(period, true)
			return true
		}
		return false
	}
	try := func(farther interval.Interval) bool {
		k, ok := x.logMoment(farther)
		if !ok {
			return false
		}
		other := number(coarse.Add(need, coarse.Sub(k, coarse.Mul(farther, e)))) // A′
		if other.Positive() != interval.True {
			other = one
		}
		period := number(coarse.Div(coarse.Add(need, other), farther))
		better := consider(farther, period, number(coarse.Div(need, period)))
		if less(coarse.Scale(saddle, 1), farther) {
			period = number(coarse.Div(other, coarse.Sub(farther, saddle)))
			period = interval.Max(period, number(coarse.Div(need, saddle)))
			better = consider(farther, period, saddle) || better
		}
		return better
	}
	// A geometric grid of λ′, and a finer one about the best of it.
	worse := 0
	for i := -6; i <= 14 && worse < 3; i++ {
		if try(coarse.Scale(one, i)) {
			worse = 0
		} else if c.period != nil {
			worse++
		}
	}
	if c.period == nil {
		return c, false
	}
	mid := coarse.Rat(c.farther)
	for _, num := range []int64{10, 12, 14, 20, 24, 28} {
		try(coarse.Mul(mid, coarse.Rat(big.NewRat(num, 16))))
	}
	// (1) is for Re s < 0 only.
	if c.lambda.Sign() <= 0 || c.farther.Cmp(c.lambda) <= 0 {
		return c, false
	}
	// |M| is to fall by the bits asked for and those cancelled.
	tail := number(coarse.Add(bits, interval.Max(cancel, interval.Int(0))))
	c.decays = x.decaysAt(c.lambda)
	var ok bool
	if c.n, c.segments, ok = x.chooseLength(c, tail); !ok {
		return c, false
	}
	working := coarse.Div(tail, coarse.Ln2())
	extra, _ := working.Hi().Int64()
	if extra > maxWorking {
		return c, false
	}
	c.prec = interval.Prec(extra) + 24
	for _, t := range x.terms {
		c.prec = max(c.prec, interval.Prec(extra)+24+interval.Prec(2*bitLen(t.count)))
	}
	return c, true
}

func bitLen(n int64) int {
	k := 0
	for ; n > 0; n >>= 1 {
		k++
	}
	return k
}

// short returns a number near x of few bits, not above it or not below it.
func short(x interval.Interval, up bool) *big.Rat {
	y := interval.Prec(10).Round(x)
	f := y.Lo()
	if up {
		f = y.Hi()
	}
	r, _ := f.Rat(nil)
	return r
}

// roughDelta returns a number below log d(ε), but not by much: by the saddle point method, d is
// about the least e^{log M(−λ) − λε} over a polynomial in λ. It is at most 0, as log d is, which
// the least over some λ > 0 need not be.
//
// The λ of the least value is the saddle point, about.
func (x *Transform) roughDelta(eps interval.Interval) (logDelta, saddle interval.Interval, ok bool) {
	var best, at interval.Interval
	found := false
	try := func(lambda interval.Interval) bool {
		k, ok := x.logMoment(lambda)
		if !ok {
			return false
		}
		y := number(coarse.Sub(k, coarse.Mul(lambda, eps)))
		if found && !less(y, best) {
			return false
		}
		best, at, found = y, lambda, true
		return true
	}
	for i, worse := -10, 0; i <= 24 && worse < 2; i++ {
		if !try(coarse.Scale(one, i)) && found {
			worse++
		}
	}
	if !found {
		return best, at, false
	}
	mid := at
	for _, num := range []int64{11, 13, 19, 23, 27} {
		try(coarse.Mul(mid, coarse.Rat(big.NewRat(num, 16))))
	}
	margin := coarse.Add(coarse.Log(coarse.Add(at, interval.Int(2))), interval.Int(2))
	return number(interval.Min(coarse.Sub(best, coarse.Scale(margin, 1)), interval.Int(0))), number(at), true
}

// chooseLength returns n such that |M(−λ + it)| is below e^{−tail}·M(−λ) for |t| ≥ nh, and segments on
// which that is shown.
func (x *Transform) chooseLength(c parameters, tail interval.Interval) (n int, segments []interval.Interval, ok bool) {
	h := c.step(coarse)
	goal := coarse.Exp(tail.Neg())
	last := coarse.Mul(h, interval.Int(maxTerms))
	enough := func(a, b interval.Interval) bool { return less(x.ratio(c.decays, a, b), goal) }
	// t rises by factors 17/16. W is the end of the last segment on which |M| is not yet
	// small.
	grow := coarse.Rat(big.NewRat(17, 16))
	t := number(coarse.Scale(h, -1))
	w := t
	for !enough(t, infinity()) {
		next := number(coarse.Mul(t, grow))
		if !enough(t, next) {
			w, segments = next, nil
		} else {
			segments = append(segments, next)
		}
		t = next
		if less(last, w) || t.Lo().MantExp(nil) > 200 {
			return 0, nil, false
		}
	}
	q := coarse.Div(w, h)
	k, _ := q.Hi().Int64()
	n = int(k) + 1
	return n, segments, n <= maxTerms
}
