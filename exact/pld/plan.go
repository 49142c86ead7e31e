package pld

import (
	"errors"
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// errCrossed reports that a lower bound exceeds an upper one: a bug.
var errCrossed = errors.New("pld: internal error: the lower bound of a grid exceeds its upper bound")

// A plan chooses the grids of a product. Nothing in it affects soundness.
type plan struct {
	delta   *big.Rat // final spacing
	factors []*factor
}

// A factor is a source with the grid that it starts on.
type factor struct {
	*source
	delta  *big.Rat // spacing of the leaf: final spacing · 2^−levels
	levels int
	lo, hi int64
}

// newPlan chooses the final spacing such that about n points cover the losses that
// are representable with prec bits, by the variance of the sum. Where a factor has
// atoms at ±r for a rational r, the spacing divides r, or a power of two times it.
func newPlan(prod pair.Product, n int, prec uint, limit int) (*plan, bool) {
	const p = interval.Prec(64)
	pl := &plan{}
	variance := interval.Int(0)
	widest := new(big.Rat)
	var atom *big.Rat
	var extents []extent
	for _, t := range collapse(prod) {
		s, ok := newSource(t)
		if !ok {
			return nil, false
		}
		e := s.extent(int(prec) + bitLen(int(t.Count)))
		extents = append(extents, e)
		variance = p.Add(variance, p.Mul(interval.Int(t.Count), e.variance))
		if d := new(big.Rat).Sub(e.hi, e.lo); d.Cmp(widest) > 0 {
			widest = d
		}
		if r, ok := s.top.Rat(); s.hasTop && ok && r.Sign() > 0 && atom == nil {
			atom = r
		}
		pl.factors = append(pl.factors, &factor{source: s})
	}
	// Masses reach down to 2^−prec: at √(2·log 2·prec) standard deviations, about.
	reach := p.Sqrt(p.Mul(p.Scale(variance, 3), interval.Int(int64(prec)))) // 2·√(1.39…·prec·V) < √(8·prec·V)
	width := ceilRat(p.Mid(reach))
	if len(pl.factors) == 1 && pl.factors[0].count == 1 && widest.Cmp(width) < 0 || width.Sign() == 0 {
		width = widest
	}
	if width.Sign() == 0 {
		width = big.NewRat(1, 1)
	}
	pl.delta = spacing(new(big.Rat).Mul(width, big.NewRat(1, int64(n))), atom)
	for i, f := range pl.factors {
		f.levels = levelsFor(f.count, 1)
		f.delta = new(big.Rat).Mul(pl.delta, pow2(-f.levels))
		span := new(big.Rat).Sub(extents[i].hi, extents[i].lo)
		for f.levels > 0 && new(big.Rat).Quo(span, f.delta).Cmp(new(big.Rat).SetInt64(int64(limit)/4)) > 0 {
			f.levels--
			f.delta = new(big.Rat).Add(f.delta, f.delta)
		}
		f.lo = floorQuo(extents[i].lo, f.delta) - 1
		f.hi = -floorQuo(new(big.Rat).Neg(extents[i].hi), f.delta)
		if f.hi <= f.lo {
			f.hi = f.lo + 1
		}
		if f.hi-f.lo > int64(limit) {
			return nil, false
		}
	}
	return pl, true
}

// spacing returns a short rational near target: a power of two, times the atom if
// there is one.
func spacing(target, atom *big.Rat) *big.Rat {
	unit := big.NewRat(1, 1)
	if atom != nil {
		unit = atom
	}
	q := new(big.Rat).Quo(target, unit)
	k := q.Num().BitLen() - q.Denom().BitLen() // 2^(k−1) < q < 2^(k+1)
	x := new(big.Rat).Mul(unit, pow2(k))
	// For a dyadic unit, three quarters of the way would do as well; keep it simple.
	if x.Cmp(target) > 0 {
		x = new(big.Rat).Mul(unit, pow2(k-1))
	}
	return x
}

// levelsFor returns ⌈log2(k/c)/2⌉: c of k copies are composed, and the spacing shall
// be about the final one over √(k/c).
func levelsFor(k, c int64) int {
	ratio := (k + c - 1) / c
	return (bits.Len64(uint64(ratio-1)) + 1) / 2
}

// level returns the level wanted once c copies are composed.
func (f *factor) level(c int64) int { return min(f.levels, levelsFor(f.count, c)) }

// workingPrec is enough for masses of prec bits: splitting a cell cancels like 1/Δ.
func (f *factor) workingPrec(prec uint) interval.Prec {
	gap := max(0, f.delta.Denom().BitLen()-f.delta.Num().BitLen()+1)
	return interval.Prec(prec) + interval.Prec(gap) + 24
}

// floorQuo returns ⌊x/y⌋ for y > 0.
func floorQuo(x, y *big.Rat) int64 {
	q := new(big.Rat).Quo(x, y)
	return new(big.Int).Div(q.Num(), q.Denom()).Int64() // Euclidean: floor for a positive denominator
}

// steps counts the ticks of a run.
func (p *plan) steps() int {
	n := 2 * (len(p.factors) - 1)
	for _, f := range p.factors {
		n += 1 + 2*(bitLen(int(f.count))-1)
	}
	return n
}
