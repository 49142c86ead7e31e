// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocated

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

var (
	zero   = interval.Int(0)
	one    = interval.Int(1)
	ratOne = big.NewRat(1, 1)
)

func minusOne(r *big.Rat) *big.Rat { return new(big.Rat).Sub(r, ratOne) }

// maxPower bounds the integer orders whose moments of an allocation are expanded.
const maxPower = 1 << 8

// A Moment is the moment of a random allocation X to k = X.Selected of t = X.Steps steps. Under Q^t the ratio is
//
//	S = Σ_A Π_{i∈A} Y_i / C(t, k), over the sets A of k steps, with independent Y = dP/dQ,
//
// and M(α) = E S^r, where r = α, or 1 − α reversed. log E S^r is convex in r, 0 at r = 0 and log E S = k·log E Y at 1.
//
// For one step and a whole number r ≥ 0 it is the multinomial sum of E (ΣY_i)^r. Other orders of Gaussian noise and
// of a finite base are an integral (see Moment.integral). All else lies between bounds:
//
//   - x^r is convex for r ≥ 1 and r ≤ 0, concave between: E S^r ≤ (E Y^r)^k for r outside of (0, 1), and ≥ inside.
//   - (Σx)^r ≥ Σx^r for r ≥ 1 and x ≥ 0: E S^r ≥ C(t, k)^(1−r)·(E Y^r)^k.
//   - By Jensen's inequality E S^r ≥ (E S)^r for r ≤ 0, and ≤ inside of (0, 1).
//   - A mean is at least the geometric one: E S^r ≤ (E Y^(rk/t))^t for r ≤ 0.
//   - By convexity in r, log E S^r lies below the chords of known orders and above their extensions.
//   - For Gaussian noise the sum of all outputs is N(kμ, t) against N(0, t): E S^r ≥ e^(r(r−1)k²μ²/2t) for r outside of
//     (0, 1), and ≤ inside.
//
// One step has the moments Base, and Back reversed, which is nil where they may be infinite.
type Moment struct {
	X          pair.Allocation
	Base, Back func(p interval.Prec, alpha *big.Rat) interval.Interval
	Finite     *big.Rat // E Y
	// log E S^r from above for r outside of [0, 1]; [−∞, ∞] for none
	Above func(p interval.Prec, r *big.Rat) interval.Interval
}

// gaussian is the noise of one step, if that is Gaussian.
func (a *Moment) gaussian() (pair.Gaussian, bool) {
	g, ok := a.X.Base.(pair.Gaussian)
	return g, ok
}

// one encloses log E Y^r, or [−∞, ∞].
func (a *Moment) one(p interval.Prec, r *big.Rat) interval.Interval {
	switch {
	case r.Sign() > 0 && r.Cmp(ratOne) != 0:
		return a.Base(p, r)
	case r.Sign() > 0:
		return p.Log(p.Rat(a.Finite))
	case r.Sign() == 0:
		return zero
	}
	if a.Back == nil {
		return interval.Entire()
	}
	return a.Back(p, new(big.Rat).Sub(ratOne, r)) // E_Q[Y^r] is the moment of order 1 − r of the base reversed
}

// roughly bounds log E S^r in closed form.
func (a *Moment) roughly(p interval.Prec, r *big.Rat) interval.Interval {
	k := interval.Int(a.X.Selected)
	each := p.Mul(k, a.one(p, r))
	mean := p.Mul(p.Rat(r), p.Mul(k, p.Log(p.Rat(a.Finite))))
	sums := zero // of N(kμ, t) against N(0, t)
	g, gaussian := a.gaussian()
	if gaussian {
		e := new(big.Rat).Mul(r, minusOne(r))
		e.Mul(e, g.Mu2).Mul(e, big.NewRat(a.X.Selected, 2)).Mul(e, big.NewRat(a.X.Selected, a.X.Steps))
		sums = p.Rat(e)
	}
	if r.Sign() > 0 && r.Cmp(ratOne) < 0 {
		return interval.Bounds(each.Lo(), interval.Max(interval.Min(mean, sums), each).Hi())
	}
	low := mean
	if gaussian {
		low = interval.Max(low, sums)
	}
	if r.Sign() > 0 {
		low = interval.Max(low, p.Sub(each, p.Mul(p.Rat(minusOne(r)), a.sets(p))))
	}
	if r.Sign() < 0 {
		each = interval.Min(each, a.inverse(p, new(big.Rat).Neg(r)))
	}
	return interval.Bounds(low.Lo(), interval.Max(low.Lower(), each).Hi())
}

// inverse encloses log (E Y^(−ck/t))^t, at least log E S^(−c) for c ≥ 0.
func (a *Moment) inverse(p interval.Prec, c *big.Rat) interval.Interval {
	r := new(big.Rat).Mul(c, big.NewRat(a.X.Selected, a.X.Steps))
	return p.Mul(interval.Int(a.X.Steps), a.one(p, r.Neg(r)))
}

// sets encloses from above log C(t, k).
func (a *Moment) sets(p interval.Prec) interval.Interval {
	k := min(a.X.Selected, a.X.Steps-a.X.Selected)
	if k <= 1<<10 {
		c := new(big.Int).Binomial(a.X.Steps, k)
		return p.Log(p.BigInt(c))
	}
	return p.Mul(interval.Int(a.X.Steps), p.Ln2()).Upper() // C(t, k) ≤ 2^t
}

// between narrows a bound of log E S^r, r > 1, by the integer orders next to it.
func (a *Moment) between(p interval.Prec, r *big.Rat, y interval.Interval) interval.Interval {
	n := new(big.Int).Div(r.Num(), r.Denom())
	if n.Cmp(big.NewInt(maxPower-1)) > 0 {
		// the extension of the last chord
		u, v := a.power(p, maxPower-1), a.power(p, maxPower)
		over := new(big.Rat).Sub(r, big.NewRat(maxPower, 1))
		return atLeast(y, p.Add(v, p.Mul(p.Rat(over), p.Sub(v, u))))
	}
	m := n.Int64()
	t := p.Rat(new(big.Rat).Sub(r, new(big.Rat).SetInt(n)))
	u, v := a.power(p, m), a.power(p, m+1)
	y = interval.Bounds(y.Lo(), interval.Min(y, p.Add(u, p.Mul(t, p.Sub(v, u)))).Hi())
	if m > 1 {
		y = atLeast(y, p.Add(u, p.Mul(t, p.Sub(u, a.power(p, m-1)))))
	}
	if m+2 <= maxPower {
		y = atLeast(y, p.Sub(v, p.Mul(p.Sub(one, t), p.Sub(a.power(p, m+2), v))))
	}
	return y
}

// atLeast raises the lower end of y, where that leaves anything.
func atLeast(y, low interval.Interval) interval.Interval {
	if lo := interval.Max(y, low).Lo(); lo.Cmp(y.Hi()) <= 0 {
		return interval.Bounds(lo, y.Hi())
	}
	return y
}

// power encloses log E S^n for one of t steps: with m_j = E Y^j,
//
//	E (Y₁ + … + Y_t)^n = n!·[z^n] (Σ_j m_j z^j/j!)^t.
func (a *Moment) power(p interval.Prec, n int64) interval.Interval {
	w := p + 64
	g := make([]interval.Interval, n+1)
	g[0] = one
	fact := one
	for j := int64(1); j <= n; j++ {
		fact = w.Mul(fact, interval.Int(j))
		m := w.Rat(a.Finite)
		if j > 1 {
			m = w.Exp(a.Base(w, new(big.Rat).SetInt64(j)))
		}
		g[j] = w.Div(m, fact)
	}
	y := seriesPower(w, g, a.X.Steps)
	return p.Log(w.Div(w.Mul(fact, y), w.PowInt(interval.Int(a.X.Steps), n)))
}

// seriesPower encloses the last coefficient of g^t, t ≥ 1, up to the order of g. All coefficients are positive.
//
// With f = g^t, f′g = t·g′f gives n·g₀·f_n = Σ_{j=1}^{n} ((t+1)·j − n)·g_j·f_{n−j}, a sum of positive terms for t ≥ n −
// 1. Otherwise f is multiplied out.
func seriesPower(w interval.Prec, g []interval.Interval, t int64) interval.Interval {
	n := len(g) - 1
	if t >= int64(n)-1 {
		f := make([]interval.Interval, n+1)
		f[0] = w.PowInt(g[0], t)
		for i := 1; i <= n; i++ {
			sum := zero
			for j := 1; j <= i; j++ {
				c := new(big.Int).Mul(big.NewInt(t+1), big.NewInt(int64(j)))
				c.Sub(c, big.NewInt(int64(i)))
				sum = w.Add(sum, w.Mul(w.BigInt(c), w.Mul(g[j], f[i-j])))
			}
			f[i] = w.Div(sum, w.Mul(interval.Int(int64(i)), g[0]))
		}
		return f[n]
	}
	var f []interval.Interval
	for square, left := g, t; ; {
		if left&1 == 1 {
			f = seriesProduct(w, f, square)
		}
		if left >>= 1; left == 0 {
			return f[n]
		}
		square = seriesProduct(w, square, square)
	}
}

// seriesProduct multiplies series up to the order of g; no f is 1.
func seriesProduct(w interval.Prec, f, g []interval.Interval) []interval.Interval {
	if f == nil {
		return g
	}
	out := make([]interval.Interval, len(g))
	for i := range out {
		for j := 0; j <= i; j++ {
			out[i] = w.Add(out[i], w.Mul(f[j], g[i-j]))
		}
	}
	return out
}

// second encloses log E S² for k of t steps: S² is the mean over two sets, and the number J of steps that both have is
// hypergeometric, E S² = Σ_j P(J = j)·(E Y²)^j·(E Y)^(2(k−j)).
func (a *Moment) second(p interval.Prec) interval.Interval {
	k, t := a.X.Selected, a.X.Steps
	const most = 1 << 14
	if k > most {
		return a.roughly(p, big.NewRat(2, 1))
	}
	w := p + 64
	low := max(0, 2*k-t)
	// P(J = low), and the quotient of the next by it
	first := new(big.Rat).SetFrac(new(big.Int).Mul(new(big.Int).Binomial(k, low), new(big.Int).Binomial(t-k, k-low)),
		new(big.Int).Binomial(t, k))
	mass := w.Rat(first)
	square := w.Exp(a.Base(w, big.NewRat(2, 1)))
	mean2 := w.Sqr(w.Rat(a.Finite))
	value := w.Mul(w.PowInt(square, low), w.PowInt(mean2, k-low))
	step := w.Div(square, mean2)
	sum := zero
	for j := low; ; j++ {
		sum = w.Add(sum, w.Mul(mass, value))
		if j == k {
			return p.Log(sum)
		}
		q := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(k-j), big.NewInt(k-j)),
			new(big.Int).Mul(big.NewInt(j+1), big.NewInt(t-2*k+j+1)))
		mass, value = w.Mul(mass, w.Rat(q)), w.Mul(value, step)
	}
}
