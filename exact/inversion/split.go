package inversion

import (
	"context"
	"math/big"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A split is k copies of the Laplace pair without those outcomes at which fewer than few
// losses come from the density.
//
// With A(s) the transform of a copy's two atoms and D(s) that of its density, the
// transform of the k copies is (A + D)^k = Σ_c C(k,c)·A^{k−c}·D^c. |A| does not fall along vertical
// lines, and D only like 1/|t|, so that the first terms would need lines of any length.
// They are measures in closed form, closed.LaplaceSumFew. The rest
//
//	R(s) = (A + D)^k − Σ_{c<few} C(k,c)·A^{k−c}·D^c
//
// is the transform of a measure, too, so that all lemmas about the inversion hold for it
// with R(−λ) ≤ M(−λ)^k; and it falls like |t|^−few.
type split struct {
	laplace
	copies, few int64
}

// densities is the number of terms that are split off: each costs k steps of a sum, and
// makes lines shorter.
const densities = 64

// newSplit returns a split, and reports false if prod is not of its kind.
func newSplit(prod pair.Product) (*split, bool) {
	if len(prod) != 1 || prod[0].Count <= densities || prod[0].Count > maxCopies {
		return nil, false
	}
	x, ok := prod[0].Pair.(pair.Laplace)
	return &split{laplace{x.Shift}, prod[0].Count, densities}, ok
}

// maxCopies bounds the copies of a split.
const maxCopies = 1 << 14

// line encloses R(−λ + ijh), j = 0 … n.
func (s *split) line(ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int) ([]interval.Complex, error) {
	w := p + interval.Prec(4*bitLen(s.copies)) + 32
	atoms, density, err := s.lines(ctx, w, lambda, h, n)
	if err != nil {
		return nil, err
	}
	out := make([]interval.Complex, n+1)
	for j := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// A^{k−c} = A^{k−few+1}·A^{few−1−c}: Horner's rule in D, from c = few − 1 down, with rising
		// powers of A.
		a, d := atoms[j], density[j]
		choose := new(big.Int).Binomial(s.copies, s.few-1)
		sum := interval.Complex{Re: w.BigInt(choose)}
		power := interval.Complex{Re: one}
		for c := s.few - 2; c >= 0; c-- {
			power = w.MulC(power, a)
			choose.Mul(choose, big.NewInt(c+1)) // C(k, c) = C(k, c+1)·(c+1)/(k−c)
			choose.Quo(choose, big.NewInt(s.copies-c))
			sum = w.AddC(w.MulC(sum, d), w.ScaleC(w.BigInt(choose), power))
		}
		sum = w.MulC(sum, w.PowIntC(a, s.copies-s.few+1))
		out[j] = p.SubC(w.PowIntC(w.AddC(a, d), s.copies), sum)
	}
	return out, nil
}

// decay bounds |R(−λ + it)|/M(−λ)^k.
//
// Lemma. |A(−λ + it)| ≤ A₀ = A(−λ), and with u = 1/2 − s, |u| ≥ |t|,
//
//	|D| = e^{−x/2}·|e^{ux} − e^{−ux}|/(4|u|) ≤ B/|t|, B = e^{−x/2}·(e^{(1/2+λ)x} + e^{−(1/2+λ)x})/4 = A₀/2.
//
// Because C(k,c) ≤ C(k,f)·C(k−f,c−f), for f = few and b = B/|t|
//
//	|R| ≤ Σ_{c≥f} C(k,c)·A₀^{k−c}·b^c ≤ C(k,f)·b^f·(A₀ + b)^{k−f}.
//
// As M(−λ) ≥ A₀, dividing by M(−λ)^k leaves C(k,f)·(b/M)^f·((A₀ + b)/M)^{k−f}, which falls in |t|.
func (s *split) decay(lambda *big.Rat) decay {
	atoms, density := s.parts(coarse, interval.Complex{Re: coarse.Rat(lambda).Neg()})
	m := coarse.Add(atoms.Re, density.Re)
	choose := coarse.BigInt(new(big.Int).Binomial(s.copies, s.few))
	return func(a, _ interval.Interval) interval.Interval {
		b := coarse.Div(coarse.Scale(atoms.Re, -1), a)
		y := coarse.PowInt(coarse.Div(b, m), s.few)
		y = coarse.Mul(y, coarse.PowInt(coarse.Div(coarse.Add(atoms.Re, b), m), s.copies-s.few))
		return interval.Min(one, upper(coarse.Mul(choose, y)))
	}
}

// moment bounds R(−λ) from above by M(−λ)^k.
func (s *split) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	w := p + interval.Prec(2*bitLen(s.copies))
	return p.PowInt(s.laplace.moment(w, lambda), s.copies)
}

func (s *split) estimate(lambda interval.Interval) (interval.Interval, bool) {
	y, ok := s.laplace.estimate(lambda)
	return coarse.Mul(interval.Int(s.copies), y), ok
}

func (s *split) at(interval.Prec) factor { return s }

// rest encloses what was split off.
func (s *split) rest(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	return closed.LaplaceSumFew(ctx, p, s.x, s.copies, s.few, eps)
}
