// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/response"
	"dpverify/internal/number"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// A kovPoint is what k mechanisms of (ε₀, δ₀)-DP satisfy together by the optimal composition
// theorem [Kairouz, Oh & Viswanath 2015, Theorem 3.3; Meiser & Mohammadi 2018, Theorem 3]: for i
// = 0 … ⌊k/2⌋ they are ((k − 2i)ε₀, m + (1 − m)·δ_i)-DP, m = 1 − (1 − δ₀)^k, and for no other ε
// the theorem says anything. There it is attained: k randomized responses have δ_i.
type kovPoint struct {
	eps    *big.Rat // ε₀
	k      int64
	m      interval.Interval
	exact  *big.Rat        // m, where it is known exactly
	copies *response.Equal // of (ε₀, 0)
}

// newKOV prepares the theorem; delta encloses δ₀.
func newKOV(ctx context.Context, eps *big.Rat, delta interval.Interval, k int64) (kovPoint, error) {
	copies, err := response.NewEqual(ctx, Bits, response.Guarantee{Eps: eps, Delta: new(big.Rat), Count: k})
	m := interval.Int(1)
	if delta.LessRat(one) == interval.True {
		m = infiniteMass(delta, k)
	}
	return kovPoint{eps: eps, k: k, m: m, copies: copies}, err
}

// infiniteMass encloses 1 − (1 − δ)^k for δ < 1.
func infiniteMass(delta interval.Interval, k int64) interval.Interval {
	const w = 4 * Bits
	return w.Expm1(w.Mul(interval.Int(k), w.Log1p(delta.Neg()))).Neg()
}

// at returns (k − 2i)ε₀ and encloses the δ that belongs to it.
func (x kovPoint) at(ctx context.Context, i int64) (*big.Rat, interval.Interval, error) {
	const w = 2 * Bits
	eps := new(big.Rat).Mul(x.eps, new(big.Rat).SetInt64(x.k-2*i))
	if i == 0 {
		return eps, x.m, nil // δ_0 = 0
	}
	d, err := x.copies.Delta(ctx, w, interval.RealRat(eps))
	return eps, interval.Min(w.Add(x.m, w.Mul(w.Sub(interval.Int(1), x.m), d)), interval.Int(1)), err
}

// beyond returns a number below the least ε of the theorem at δ, for this ε₀ and for all greater
// ones, whatever δ₀ is: k randomized responses need more than (k − 2i − 2)ε₀ at δ if i is the last one
// with δ_i ≤ δ, and they need the more the greater ε₀ is, as the lesser is a post-processing of it.
func (x kovPoint) beyond(ctx context.Context, delta *big.Rat) (*big.Rat, error) {
	free := x
	free.m, free.exact = interval.Int(0), new(big.Rat)
	y, err := free.epsilon(ctx, delta)
	lo, _, ok := y.Rationals()
	if !ok || err != nil {
		return new(big.Rat), err
	}
	return lo.Sub(lo, new(big.Rat).Mul(x.eps, big.NewRat(2, 1))), nil
}

// epsilon encloses the least ε of the theorem at δ; it is ∞ where the theorem has none.
func (x kovPoint) epsilon(ctx context.Context, delta *big.Rat) (exact.Enclosure, error) {
	// last returns the greatest i of which ok is true; −1 if there is none. δ rises with i.
	last := func(ok func(interval.Truth) bool) (*big.Rat, error) {
		var best *big.Rat
		lo, hi := int64(-1), x.k/2+1
		for hi-lo > 1 {
			i := lo + (hi-lo)/2
			eps, d, err := x.at(ctx, i)
			if err != nil {
				return nil, err
			}
			within := d.LessEqRat(delta)
			if i == 0 && x.exact != nil {
				if within = interval.False; x.exact.Cmp(delta) <= 0 {
					within = interval.True
				}
			}
			if ok(within) {
				lo, best = i, eps
			} else {
				hi = i
			}
		}
		return best, nil
	}
	hi, err := last(func(t interval.Truth) bool { return t == interval.True })
	if err != nil {
		return exact.Enclosure{}, err
	}
	lo, err := last(func(t interval.Truth) bool { return t != interval.False })
	switch {
	case err != nil:
		return exact.Enclosure{}, err
	case lo == nil:
		return infinite(), nil
	case hi == nil:
		return enclosed(interval.Bounds(spare(lo).Lo(), interval.Entire().Hi())), nil
	case lo.Cmp(hi) == 0:
		return rational(hi), nil
	}
	return enclosed(interval.Union(spare(lo), spare(hi))), nil
}

// delta encloses the δ of the theorem at ε: the δ of the greatest (k − 2i)ε₀ up to ε; 1 where
// there is none.
func (x kovPoint) delta(ctx context.Context, eps *big.Rat) (exact.Enclosure, error) {
	i := int64(0)
	if full := new(big.Rat).Mul(x.eps, new(big.Rat).SetInt64(x.k)); full.Cmp(eps) > 0 {
		// (k − 2i)ε₀ ≤ ε ⟺ i ≥ (kε₀ − ε)/2ε₀
		y := full.Sub(full, eps)
		y.Quo(y, new(big.Rat).Mul(x.eps, big.NewRat(2, 1)))
		n := new(big.Int).Div(new(big.Int).Neg(y.Num()), y.Denom())
		i = n.Neg(n).Int64()
	}
	if i > x.k/2 {
		return nothing(), nil
	}
	_, d, err := x.at(ctx, i)
	return probability(d), err
}

// kov is the theorem for equal guarantees, with its own grid of ε.
func (d *deriver) kov(x kovPoint, delta *big.Rat) (exact.Enclosure, error) {
	y, err := x.epsilon(d.ctx, delta)
	if y.Value != nil && x.eps.Sign() > 0 {
		d.note = fmt.Sprintf("the theorem has ε = (%d − 2i)·%s only", x.k, number.Format(x.eps))
	}
	return y, err
}

func (d *deriver) kovDelta(x kovPoint, eps *big.Rat) (exact.Enclosure, error) {
	return x.delta(d.ctx, eps)
}

// equalPoints returns the theorem for the point guarantees of all factors, which are equal.
func (d *deriver) equalPoints() (kovPoint, error) {
	ps, err := d.points()
	if err != nil {
		return kovPoint{}, notModelled("%v; kov-profile goes by points of the mechanism's own profile", err)
	}
	if len(ps) == 0 {
		return newKOV(d.ctx, new(big.Rat), interval.Int(0), 1)
	}
	k := int64(0)
	for _, x := range ps {
		if x.eps.Cmp(ps[0].eps) != 0 || x.delta.Cmp(ps[0].delta) != 0 {
			return kovPoint{},
				notModelled("the theorem composes equal guarantees, (%s, %s) and (%s, %s) differ; kov-optimal composes them",
					number.Format(ps[0].eps), number.Format(ps[0].delta), number.Format(x.eps), number.Format(x.delta))
		}
		k += x.count
	}
	if k > response.MaxCount {
		return kovPoint{}, notModelled("%d mechanisms are too many for the sums of the theorem, which has at most %d",
			k, response.MaxCount)
	}
	x, err := newKOV(d.ctx, ps[0].eps, spare(ps[0].delta), k)
	x.exact, _ = missingExactly(ps)
	return x, err
}

const (
	// kovSingleEffort is the rung for the profile of one copy.
	kovSingleEffort exact.Effort = 1
	// kovGridBits are the bits of an ε₀ of the grid.
	kovGridBits = 64
)

// greatestKOV is where the grid of ε₀ ends: nobody states more.
var greatestKOV = big.NewRat(1000, 1)

// A kovProfile is a mechanism of which k copies are composed, for the theorem with a pair (ε₀,
// δ₀) of its own profile [Meiser & Mohammadi 2018, §5.6]. The pairs have ε₀ on the paper's grid
// log(1 + 10^−14)·1.1^j, taken as 10^−14·1.1^j and rounded to 64 bits, or the greatest loss; δ₀ is
// the greatest of both directions, which the theorem wants. Whatever ε₀ is, what the theorem
// says holds.
type kovProfile struct {
	k      int64
	single *exact.Profile
	top    *big.Rat // the greatest loss; nil if it is not a rational number
}

func (d *deriver) kovOfProfile() (kovProfile, error) {
	fs, err := composition.Factors(d.Event)
	if err != nil {
		return kovProfile{}, err
	}
	switch {
	case len(fs) == 0:
		return kovProfile{}, notModelled("nothing is composed")
	case len(fs) > 1:
		return kovProfile{}, notModelled("the theorem composes copies of one mechanism, not %d different ones", len(fs))
	case fs[0].Count > response.MaxCount:
		return kovProfile{}, notModelled("%d mechanisms are too many for the sums of the theorem, which has at most %d",
			fs[0].Count, response.MaxCount)
	}
	q := exact.Question{Event: fs[0].Event, Relation: d.Relation, Direction: mechanism.Both, MaxMemory: d.MaxMemory}
	p, err := exact.Prepare(d.ctx, q, kovSingleEffort)
	if err != nil {
		return kovProfile{}, err
	}
	return kovProfile{k: fs[0].Count, single: p, top: greatestLoss(d.prob.Dominating())}, nil
}

// greatestLoss returns the greatest loss of one copy in both directions, or a little more; nil if
// there is none, or it is not known. Nothing rests on it.
func greatestLoss(prod pair.Product) *big.Rat {
	if len(prod) != 1 {
		return nil
	}
	var top *big.Rat
	for _, x := range []pair.Pair{prod[0].Pair, prod[0].Pair.Reverse()} {
		l, ok := pair.MaxLoss(pair.Product{{Pair: x, Count: 1}})
		if !ok {
			return nil
		}
		y, ok := l.Rat()
		if !ok {
			if _, y, ok = l.Enclose(Bits).Rationals(); !ok {
				return nil
			}
		}
		if top == nil || y.Cmp(top) > 0 {
			top = y
		}
	}
	return top
}

// grid returns the ε₀ from one at or below lo, or the least, to one at or above hi.
func (x kovProfile) grid(lo, hi *big.Rat) []*big.Rat {
	var out []*big.Rat
	add := func(eps *big.Rat) { out = append(out, eps) }
	least := number.PowerOfTen(-14)
	for eps := least; ; {
		next := rounded(new(big.Rat).Mul(eps, big.NewRat(11, 10)))
		if next.Cmp(lo) > 0 {
			add(eps)
		}
		if eps.Cmp(hi) >= 0 {
			break
		}
		eps = next
	}
	if x.top != nil && x.top.Cmp(hi) <= 0 && x.top.Sign() > 0 {
		add(x.top)
	}
	slices.SortFunc(out, (*big.Rat).Cmp)
	return out
}

// rounded rounds a number down to kovGridBits bits.
func rounded(x *big.Rat) *big.Rat {
	y, _ := new(big.Float).SetPrec(kovGridBits).SetMode(big.ToZero).SetRat(x).Rat(nil)
	return y
}

// pair returns the theorem with (ε₀, δ(ε₀)).
func (x kovProfile) pair(ctx context.Context, eps *big.Rat) (kovPoint, interval.Interval, error) {
	r, err := x.single.Delta(ctx, eps)
	if err != nil {
		return kovPoint{}, interval.Interval{}, err
	}
	p, err := newKOV(ctx, eps, r.Interval, x.k)
	if r.Value != nil {
		p.exact, _ = missingExactly([]point{{eps, r.Value, x.k}})
	}
	return p, r.Interval, err
}

// best keeps the least of the values that pairs give, and the pair that gives it.
type best struct {
	value exact.Enclosure
	eps   *big.Rat // nil: no pair has given anything
	delta interval.Interval
}

func (b *best) take(y exact.Enclosure, eps *big.Rat, delta interval.Interval) {
	switch {
	case b.value.Interval.LessEq(y.Interval) == interval.True:
		return
	case y.Less(b.value.Interval) == interval.True:
		b.value = y
	default:
		b.value = enclosed(interval.Min(b.value.Interval, y.Interval))
	}
	b.eps, b.delta = eps, delta
}

// noted returns the best value, and notes which pair gives it.
func (d *deriver) noted(b best) exact.Enclosure {
	if b.eps != nil {
		_, hi := b.delta.Decimal(3)
		d.note = fmt.Sprintf("best from (%s, %s)", shortNumber(b.eps), hi)
	}
	return b.value
}

// kovProfileEpsilon is the least ε at δ over the pairs of the grid.
//
// δ₀ falls in ε₀. Pairs with 1 − (1 − δ₀)^k > δ give nothing, and the first one with less has the
// least ε₀ of the others. The search ends where all pairs to come give more than the best so far.
func (d *deriver) kovProfileEpsilon(x kovProfile, delta *big.Rat) (exact.Enclosure, error) {
	if delta.Cmp(one) >= 0 {
		return rational(new(big.Rat)), nil
	}
	grid := x.grid(new(big.Rat), greatestKOV)
	hopeless := func(eps *big.Rat) (bool, error) {
		r, err := x.single.Delta(d.ctx, eps)
		if err != nil {
			return false, err
		}
		if r.Interval.LessRat(one) != interval.True {
			return true, nil
		}
		return spare(delta).Less(infiniteMass(r.Interval, x.k)) == interval.True, nil
	}
	failed := error(nil)
	first, _ := slices.BinarySearchFunc(grid, 0, func(eps *big.Rat, _ int) int {
		no, err := hopeless(eps)
		failed = cmp.Or(failed, err)
		if no {
			return -1
		}
		return 1
	})
	if failed != nil {
		return exact.Enclosure{}, failed
	}
	b := best{value: infinite()}
	for _, eps := range grid[first:] {
		p, d0, err := x.pair(d.ctx, eps)
		if err != nil {
			return exact.Enclosure{}, err
		}
		y, err := p.epsilon(d.ctx, delta)
		if err != nil {
			return exact.Enclosure{}, err
		}
		b.take(y, eps, d0)
		if d0.IsZero() {
			break // larger ε₀ say less
		}
		if more, err := p.beyond(d.ctx, delta); err != nil || spare(more).Lo().Cmp(b.value.Hi()) > 0 {
			return d.noted(b), err
		}
	}
	return d.noted(b), nil
}

// kovProfileDelta is the least δ at ε over the pairs of the grid: of those with kε₀ ≤ ε the one
// with the greatest ε₀, and all others; with ε₀ > ε they speak of ε = 0 only, and not if k is odd.
func (d *deriver) kovProfileDelta(x kovProfile, eps *big.Rat) (exact.Enclosure, error) {
	hi := eps
	if x.k%2 == 0 {
		hi = greatestKOV
	}
	low := new(big.Rat).Quo(eps, new(big.Rat).SetInt64(x.k))
	b := best{value: nothing()}
	for _, e := range x.grid(low, hi) {
		p, d0, err := x.pair(d.ctx, e)
		if err != nil {
			return exact.Enclosure{}, err
		}
		y, err := p.delta(d.ctx, eps)
		if err != nil {
			return exact.Enclosure{}, err
		}
		b.take(y, e, d0)
		if d0.IsZero() {
			break
		}
		// The same for δ: with δ₀ = 0 it is at least the δ of k randomized responses.
		if more, err := p.copies.Delta(d.ctx, 2*Bits, interval.RealRat(eps)); err != nil || more.Lo().Cmp(b.value.Hi()) > 0 {
			return d.noted(b), err
		}
	}
	return d.noted(b), nil
}
