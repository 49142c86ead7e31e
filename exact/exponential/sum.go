// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exponential

import "math/big"

// A term is c·e^{λx}.
type term[N any] struct {
	log      N // encloses log|c|
	negative bool
	rate     *big.Rat // λ
	slope    N        // encloses λ
}

// A sum is F in an arithmetic.
type sum[N number[N]] struct {
	arithmetic[N]
	terms []term[N]
}

func signOf(negative bool) Sign {
	if negative {
		return -1
	}
	return 1
}

// first and last are the signs of F far on the left and far on the right, where one term outweighs all others.
func (s sum[N]) first() Sign { return signOf(s.terms[0].negative) }
func (s sum[N]) last() Sign  { return signOf(s.terms[len(s.terms)-1].negative) }

// change returns the first k for which c_k and c_{k+1} have different signs.
func (s sum[N]) change() (k int, ok bool) {
	for k := range len(s.terms) - 1 {
		if s.terms[k].negative != s.terms[k+1].negative {
			return k, true
		}
	}
	return 0, false
}

// derivative returns (F·e^{−µx})′·e^{µx} = Σ c_k(λ_k − µ)e^{λ_k·x} for µ = (λ_k + λ_{k+1})/2 at a change of sign: terms
// up to k turn their signs, the others keep theirs, and so there is one change less.
func (s sum[N]) derivative(k int) sum[N] {
	mu := new(big.Rat).Add(s.terms[k].rate, s.terms[k+1].rate)
	mu.Mul(mu, big.NewRat(1, 2))
	out := sum[N]{arithmetic: s.arithmetic}
	for i, t := range s.terms {
		d := new(big.Rat).Sub(t.rate, mu)
		t.log = s.Add(t.log, s.Log(s.Rat(d.Abs(d))))
		t.negative = t.negative != (i <= k)
		out.terms = append(out.terms, t)
	}
	return out
}

// balance encloses log(Σ_{c_k>0} c_k·e^{λ_k·x}) − log(Σ_{c_k<0} |c_k|·e^{λ_k·x}), which has the sign of F, and is near
// its slope. All is relative to the greatest term of a kind, so that nothing overflows. Both kinds are there.
//
// Each logarithm rises in each of its exponents: it is enclosed by its values at their ends, as narrowly as they are.
func (s sum[N]) balance(x N) (y, slope N) {
	var kinds [2]logSum[N]
	for _, t := range s.terms {
		e := s.Add(t.log, s.Mul(t.slope, x))
		k := &kinds[0]
		if t.negative {
			k = &kinds[1]
		}
		k.exponents, k.slopes = append(k.exponents, e), append(k.slopes, t.slope)
	}
	log, mean := kinds[0].of(s.arithmetic)
	other, otherMean := kinds[1].of(s.arithmetic)
	return s.Sub(log, other), s.Sub(mean, otherMean)
}

// A logSum is log Σ e^{x_i}, and about the mean of the λ_i with weights e^{x_i}.
type logSum[N number[N]] struct{ exponents, slopes []N }

func (l logSum[N]) of(a arithmetic[N]) (log, mean N) {
	if len(l.exponents) == 1 {
		return l.exponents[0], l.slopes[0]
	}
	top := l.exponents[0].Upper()
	for _, e := range l.exponents {
		top = a.max(top, e.Upper())
	}
	sum, weighted := a.int(0), a.int(0)
	for i, e := range l.exponents { // e^x rises: the ends of x are those of e^x
		t := a.Exp(a.Sub(e, top))
		sum, weighted = a.Add(sum, t), a.Add(weighted, a.Mul(l.slopes[i], t))
	}
	return a.Add(a.Log(sum), top), a.Div(weighted, sum)
}

// at is the sign of F on all of x, if it is known.
func (s sum[N]) at(x N) Sign {
	y, _ := s.balance(x)
	return s.sign(y)
}
