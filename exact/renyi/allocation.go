// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// maxPower bounds the integer orders whose moments of an allocation are expanded.
const maxPower = 1 << 8

// allocation is the moment of a random allocation to k = x.Selected of t = x.Steps steps. Under Q^t the ratio is
//
//	S = Σ_A Π_{i∈A} Y_i / C(t, k), over the sets A of k steps, with independent Y = dP/dQ,
//
// and M(α) = E S^r, where r = α, or 1 − α reversed. log E S^r is convex in r, 0 at r = 0 and log E S = k·log E Y at 1.
//
// For one step and a whole number r ≥ 0 it is the multinomial sum of E (ΣY_i)^r. Other orders of Gaussian noise and
// of a finite base are an integral (see allocated.integral). All else lies between bounds:
//
//   - x^r is convex for r ≥ 1 and r ≤ 0, concave between: E S^r ≤ (E Y^r)^k for r outside of (0, 1), and ≥ inside.
//   - (Σx)^r ≥ Σx^r for r ≥ 1 and x ≥ 0: E S^r ≥ C(t, k)^(1−r)·(E Y^r)^k.
//   - By Jensen's inequality E S^r ≥ (E S)^r for r ≤ 0, and ≤ inside of (0, 1).
//   - A mean is at least the geometric one: E S^r ≤ (E Y^(rk/t))^t for r ≤ 0.
//   - By convexity in r, log E S^r lies below the chords of known orders and above their extensions.
//   - For Gaussian noise the sum of all outputs is N(kμ, t) against N(0, t): E S^r ≥ e^(r(r−1)k²μ²/2t) for r outside of (0, 1), and ≤ inside.
func allocation(x pair.Allocation) (LogMoment, bool) {
	single := pair.Product{{Pair: x.Base, Count: 1}}
	base, ok := Moments(single)
	inf, known := pair.InfMass(single)
	if !ok || !known || single.IsGuarantee() {
		return nil, false
	}
	a := &allocated{x: x, base: base, finite: new(big.Rat).Sub(ratOne, inf)}
	a.g, a.gaussian = x.Base.(pair.Gaussian)
	back, known := pair.InfMass(pair.Product{{Pair: x.Base.Reverse(), Count: 1}})
	zeros := !known || back.Sign() > 0 // Y may be 0, and S^r infinite
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		r := alpha
		if x.Reversed {
			r = new(big.Rat).Sub(ratOne, alpha)
		}
		if zeros && r.Sign() <= 0 {
			return interval.Entire() // the moment is of finite losses
		}
		return p.Round(a.log(p+8, r))
	}, true
}

// An allocated is what the moments of an allocation are computed from.
type allocated struct {
	x        pair.Allocation
	base     LogMoment // log E Y^r for r > 0
	finite   *big.Rat  // E Y
	g        pair.Gaussian
	gaussian bool
}

// log encloses log E S^r.
func (a *allocated) log(p interval.Prec, r *big.Rat) interval.Interval {
	switch {
	case r.Sign() == 0:
		return zero
	case a.x.Selected == 1 && r.IsInt() && r.Sign() > 0 && r.Cmp(big.NewRat(maxPower, 1)) <= 0:
		return a.power(p, r.Num().Int64())
	case a.x.Selected == 1:
		if y, ok := a.integral(p, r); ok {
			return y
		}
	case r.Cmp(big.NewRat(2, 1)) == 0:
		return a.second(p)
	}
	y := a.roughly(p, r)
	if blocks, ok := pair.Blocks(pair.Product{{Pair: a.x, Count: 1}}); ok && (r.Cmp(ratOne) > 0 || r.Sign() < 0) {
		order := map[bool]*big.Rat{false: r, true: new(big.Rat).Sub(ratOne, r)}[a.x.Reversed]
		if m, ok := Moments(blocks); ok && order.Cmp(ratOne) > 0 { // which dominate
			y = interval.Bounds(y.Lo(), interval.Min(y, interval.Max(y.Lower(), m(p, order))).Hi())
		}
	}
	if a.x.Selected == 1 && r.Cmp(ratOne) > 0 {
		return a.between(p, r, y)
	}
	if two := big.NewRat(2, 1); a.x.Selected > 1 && r.Cmp(two) > 0 && a.finite.Cmp(ratOne) == 0 {
		// the extension of the chord from 1, where the logarithm is 0
		low := p.Mul(p.Rat(minusOne(r)), a.second(p))
		y = interval.Bounds(interval.Max(low, y).Lo(), y.Hi())
	}
	return y
}

// one encloses log E Y^r, or [−∞, ∞].
func (a *allocated) one(p interval.Prec, r *big.Rat) interval.Interval {
	switch {
	case r.Sign() > 0 && r.Cmp(ratOne) != 0:
		return a.base(p, r)
	case r.Sign() > 0:
		return p.Log(p.Rat(a.finite))
	case r.Sign() == 0:
		return zero
	}
	// E_Q[Y^r] is the moment of order 1 − r of the base reversed.
	back := pair.Product{{Pair: a.x.Base.Reverse(), Count: 1}}
	inf, known := pair.InfMass(back)
	f, ok := Moments(back)
	if !ok || !known || inf.Sign() > 0 {
		return interval.Entire()
	}
	return f(p, new(big.Rat).Sub(ratOne, r))
}

// roughly bounds log E S^r in closed form.
func (a *allocated) roughly(p interval.Prec, r *big.Rat) interval.Interval {
	k := interval.Int(a.x.Selected)
	each := p.Mul(k, a.one(p, r))
	mean := p.Mul(p.Rat(r), p.Mul(k, p.Log(p.Rat(a.finite))))
	sums := zero // of N(kμ, t) against N(0, t)
	if a.gaussian {
		e := new(big.Rat).Mul(r, minusOne(r))
		e.Mul(e, a.g.Mu2).Mul(e, big.NewRat(a.x.Selected, 2)).Mul(e, big.NewRat(a.x.Selected, a.x.Steps))
		sums = p.Rat(e)
	}
	if r.Sign() > 0 && r.Cmp(ratOne) < 0 {
		return interval.Bounds(each.Lo(), interval.Max(interval.Min(mean, sums), each).Hi())
	}
	low := mean
	if a.gaussian {
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
func (a *allocated) inverse(p interval.Prec, c *big.Rat) interval.Interval {
	r := new(big.Rat).Mul(c, big.NewRat(a.x.Selected, a.x.Steps))
	return p.Mul(interval.Int(a.x.Steps), a.one(p, r.Neg(r)))
}

// sets encloses from above log C(t, k).
func (a *allocated) sets(p interval.Prec) interval.Interval {
	k := min(a.x.Selected, a.x.Steps-a.x.Selected)
	if k <= 1<<10 {
		c := new(big.Int).Binomial(a.x.Steps, k)
		return p.Log(p.BigInt(c))
	}
	return p.Mul(interval.Int(a.x.Steps), p.Ln2()).Upper() // C(t, k) ≤ 2^t
}

// between narrows a bound of log E S^r, r > 1, by the integer orders next to it.
func (a *allocated) between(p interval.Prec, r *big.Rat, y interval.Interval) interval.Interval {
	n := floor(r)
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
func (a *allocated) power(p interval.Prec, n int64) interval.Interval {
	w := p + 64
	g := make([]interval.Interval, n+1)
	g[0] = one
	fact := one
	for j := int64(1); j <= n; j++ {
		fact = w.Mul(fact, interval.Int(j))
		m := w.Rat(a.finite)
		if j > 1 {
			m = w.Exp(a.base(w, new(big.Rat).SetInt64(j)))
		}
		g[j] = w.Div(m, fact)
	}
	y := seriesPower(w, g, a.x.Steps)
	return p.Log(w.Div(w.Mul(fact, y), w.PowInt(interval.Int(a.x.Steps), n)))
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
func (a *allocated) second(p interval.Prec) interval.Interval {
	k, t := a.x.Selected, a.x.Steps
	const most = 1 << 14
	if k > most {
		return a.roughly(p, big.NewRat(2, 1))
	}
	w := p + 64
	low := max(0, 2*k-t)
	// P(J = low), and the quotient of the next by it
	first := new(big.Rat).SetFrac(new(big.Int).Mul(new(big.Int).Binomial(k, low), new(big.Int).Binomial(t-k, k-low)), new(big.Int).Binomial(t, k))
	mass := w.Rat(first)
	square := w.Exp(a.base(w, big.NewRat(2, 1)))
	mean2 := w.Sqr(w.Rat(a.finite))
	value := w.Mul(w.PowInt(square, low), w.PowInt(mean2, k-low))
	step := w.Div(square, mean2)
	sum := zero
	for j := low; ; j++ {
		sum = w.Add(sum, w.Mul(mass, value))
		if j == k {
			return p.Log(sum)
		}
		q := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(k-j), big.NewInt(k-j)), new(big.Int).Mul(big.NewInt(j+1), big.NewInt(t-2*k+j+1)))
		mass, value = w.Mul(mass, w.Rat(q)), w.Mul(value, step)
	}
}
