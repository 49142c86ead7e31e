package exact

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/exact/renyi"
	"dpverify/exact/response"
)

// renyiMethod: an upper bound by Rényi divergences, for guarantees that are
// stated in them and for products whose moments are known.
type renyiMethod struct{}

func (renyiMethod) Name() string { return "renyi" }

func (renyiMethod) Plan(_ *Solver, prod pair.Product, _ Effort) *Plan {
	f, ok := renyi.Bound(prod)
	if !ok {
		return nil
	}
	return &Plan{Cost: 0.5, Prepare: ready(f)}
}

// pointMethod: an upper bound for any product from point guarantees: a factor
// that is (ε_i, δ_i)-DP in both orientations may be replaced by approximate
// randomized response. It is loose, and serves where nothing else applies.
type pointMethod struct{}

func (pointMethod) Name() string { return "point-guarantees" }

func (pointMethod) Plan(s *Solver, prod pair.Product, e Effort) *Plan {
	if _, ok := guarantees(prod); ok || len(prod) == 1 && prod[0].Count == 1 {
		return nil
	}
	return &Plan{Cost: 1, Prepare: func(ctx context.Context) (profile.Func, error) {
		return s.pointGuarantees(ctx, prod)
	}}
}

// pointGuarantees bounds the profile of prod, however its factors are oriented.
//
// The number of copies of all factors is n. Of each factor, two guarantees are
// tried: its least ε_i for δ_i = δ/(2n), δ from a few powers of two; each family of
// guarantees yields a valid bound, so the least one counts.
func (s *Solver) pointGuarantees(ctx context.Context, prod pair.Product) (profile.Func, error) {
	type factor struct {
		f     []profile.Func // both orientations
		count int64
	}
	var fs []factor
	n := int64(0)
	for _, t := range prod {
		n += t.Count
		fac := factor{count: t.Count}
		one := pair.Product{{Pair: t.Pair, Count: 1}}
		for _, o := range []pair.Product{one, one.Reverse()} {
			f, _, err := s.profileOf(ctx, o)
			if err != nil {
				return nil, err
			}
			fac.f = append(fac.f, f)
			if t.Pair.SelfDual() {
				break
			}
		}
		fs = append(fs, fac)
	}
	const p = interval.Prec(64)
	// upper returns an upper bound of a factor's δ at ε, as a rational.
	upper := func(fac factor, eps *big.Rat) (*big.Rat, error) {
		worst := new(big.Rat)
		for _, f := range fac.f {
			y, err := f(ctx, p, interval.RealRat(eps))
			if err != nil {
				return nil, err
			}
			if hi, ok := y.UpperRat(); ok && hi.Cmp(worst) > 0 {
				worst = hi // a δ is at most 1, so there is one
			}
		}
		return worst, nil
	}
	var families [][]response.Guarantee
	for _, bits := range []uint{10, 20, 40, 80} {
		target := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(n), bits))
		var gs []response.Guarantee
		for _, fac := range fs {
			eps := big.NewRat(1, 1024)
			delta, err := upper(fac, eps)
			for err == nil && delta.Cmp(target) > 0 && eps.Cmp(big.NewRat(1<<20, 1)) < 0 {
				eps = new(big.Rat).Mul(eps, big.NewRat(9, 8))
				eps = roundUp(eps)
				delta, err = upper(fac, eps)
			}
			if err != nil {
				return nil, err
			}
			gs = append(gs, response.Guarantee{Eps: eps, Delta: roundUp(delta), Count: fac.count})
		}
		families = append(families, gs)
	}
	return func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		y := profile.Unit()
		for _, gs := range families {
			for _, b := range []response.Bound{response.Adaptive, response.Advanced} {
				x := b(p, gs, eps)
				y = interval.Bounds(y.Lo(), interval.Min(x, y).Hi())
			}
		}
		return y, nil
	}, nil
}

// roundUp rounds up to 64 significant bits.
func roundUp(r *big.Rat) *big.Rat {
	if r.Sign() == 0 {
		return r
	}
	hi, ok := interval.Prec(64).Rat(r).UpperRat()
	if !ok {
		return r
	}
	if one := big.NewRat(1, 1); hi.Cmp(one) > 0 && r.Cmp(one) <= 0 {
		return one
	}
	return hi
}

// partMethod: a lower bound by parts of the product. Dropping a factor is a
// post-processing, so the profile of a part never exceeds that of the whole.
type partMethod struct{}

func (partMethod) Name() string { return "part" }

func (partMethod) Plan(s *Solver, prod pair.Product, _ Effort) *Plan {
	if len(prod) == 1 && prod[0].Count == 1 {
		return nil
	}
	return &Plan{Cost: 1, Prepare: func(ctx context.Context) (profile.Func, error) {
		var fs []profile.Func
		for _, part := range parts(prod) {
			f, _, err := s.profileOf(ctx, part)
			if err != nil {
				return nil, err
			}
			fs = append(fs, f)
		}
		return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			y := profile.Unit()
			for _, f := range fs {
				x, err := f(ctx, p, eps)
				if err != nil {
					return profile.Unit(), err
				}
				y = interval.Bounds(interval.Max(x, y).Lo(), y.Hi())
			}
			return y, nil
		}, nil
	}}
}

// parts returns sub-products that have a chance of being solved: the Gaussians,
// with and without the discrete factors; the discrete factors; and every other
// factor alone, with as many copies as closed forms take.
func parts(prod pair.Product) []pair.Product {
	continuous, discrete := splitDiscrete(prod)
	_, others := splitGaussians(continuous)
	var gaussians pair.Product
	for _, t := range continuous {
		if _, ok := t.Pair.(pair.Gaussian); ok {
			gaussians = append(gaussians, t)
		}
	}
	var out []pair.Product
	add := func(p pair.Product) {
		if len(p) > 0 && p.String() != prod.String() {
			out = append(out, p)
		}
	}
	add(gaussians)
	add(discrete)
	if len(gaussians) > 0 && len(discrete) > 0 {
		add(append(append(pair.Product{}, gaussians...), discrete...))
	}
	for _, t := range others {
		if _, ok := t.Pair.(pair.Laplace); ok {
			add(pair.Product{{Pair: t.Pair, Count: min(t.Count, 24)}})
		} else {
			add(pair.Product{{Pair: t.Pair, Count: 1}})
		}
	}
	if len(prod) == 1 && isDiscrete(prod) {
		add(pair.Product{{Pair: prod[0].Pair, Count: 1}})
	}
	return out
}
