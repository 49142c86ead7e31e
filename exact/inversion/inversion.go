// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/aliases"
	"dpverify/exact/inversion/continuation"
	"dpverify/exact/inversion/likely"
	"dpverify/exact/pair"
)

// A Transform is the moment transform of a product of pairs. It may be used by several goroutines.
type Transform struct {
	memo        *Memo
	name        string // under which the memo keeps its lines
	terms       []term
	limited     bool                  // see Limited
	FallsLittle bool                  // and the bits of Limited are few
	falls       bool                  // |M| is known to fall fast
	truncates   bool                  // there are truncated Gaussians
	continued   *continuation.Profile // nil if it is not known
	quantum     int                   // lines are for ranges of ε of length 2^quantum, or shorter ones
	inWords     bool                  // λ is chosen so that three words suffice
	mirror      *Transform            // of the reverse, or nil

	mu             sync.Mutex
	neighbourhoods map[neighbourhoodKey]neighbourhood
	lines          map[lineKey]*line
	mirrored       map[lineKey]interval.Prec // the additional bits that the mirror takes, 0 where it is not used
	chosen         map[lineKey]tried[parameters]
	thin           map[int]*Transform // without rare outcomes, by the bits of their mass
	thinning       map[lineKey]int    // the bits, 0 where nothing is left out
}

// A term is a factor with the number of its copies.
type term struct {
	f     factor
	count int64
}

// New returns the transform of a product.
// It reports false if the transform of a factor is not known, or if |M| of the product is not known to fall fast along
// vertical lines and d is not known to be analytic.
// A nil Memo is for one product, any other Memo for several products that share factors, and for questions about one
// product, which share its transform.
func (m *Memo) New(prod pair.Product) (*Transform, bool) {
	if m == nil {
		return m.newWhole(prod)
	}
	key := memoKey{method: "transform", pair: prod.String()}
	x, _ := recall(m, key, transformSize, func() (x tried[*Transform], err error) {
		x.value, x.ok = m.newWhole(prod)
		return x, nil
	})
	return x.value, x.ok
}

// transformSize is about how many numbers a transform holds, without its lines.
const transformSize = 1 << 12

// newWhole is New without a memory.
func (m *Memo) newWhole(prod pair.Product) (*Transform, bool) {
	x, ok := m.newTransform(prod)
	if !ok {
		return nil, false
	}
	x.name, x.quantum = prod.String(), x.chooseQuantum()
	x.mirror = x.newMirror(prod)
	return x, true
}

// Applies reports whether New will return a transform, at little cost.
func (m *Memo) Applies(prod pair.Product) bool {
	if m != nil {
		_, ok := m.New(prod)
		return ok
	}
	_, ok := m.newTransform(prod)
	return ok
}

// Integrals counts the factors whose transform is an integral, which makes a line costly.
func Integrals(prod pair.Product) int {
	n := 0
	for _, t := range prod {
		if _, _, ok := components(t.Pair); ok {
			n++
		}
	}
	return n
}

func (m *Memo) newTransform(prod pair.Product) (*Transform, bool) {
	x := &Transform{memo: m}
	for _, t := range prod {
		f, ok := m.factor(t.Pair)
		if !ok {
			return nil, false
		}
		x.terms = append(x.terms, term{f, t.Count})
	}
	x.falls, x.limited, x.FallsLittle = x.decays()
	x.continued = x.newContinuation()
	x.inWords = x.continued != nil && x.continued.Reversed
	return x, x.falls || x.tapers()
}

// minSmoothCopies is the number of copies of a pair without atoms from which on |M| of them falls fast.
// |M| of one copy of a mixture of Gaussians falls faster than any power of t, but late, and like 1/√t where the loss
// has a stationary point. |M| of a logistic pair falls like 1/t.
const minSmoothCopies = 16

// minShiftedCopies is this number for mixtures of which |M| is bounded by a shifted line.
const minShiftedCopies = 2

// minTruncatedCopies is this number for truncated Gaussians.
// |M| falls like the |M| of a Gaussian until only the contribution of the ends is left, and then like 1/t.
const minTruncatedCopies = 2

// minFallBits is the number of bits from which on a fall of |M| that atoms limit is worth a line to whoever wants more
// than a grid has, enoughFallBits the one to anybody.
const minFallBits, enoughFallBits = 24, 48

// decays reports whether |M| is known to fall fast, whether atoms limit that, and whether to little.
// It does with a Gaussian factor, or with enough copies of mixtures of Gaussians or of logistic pairs.
// It also does with enough Laplace pairs and samples of them.
// Their atoms then hold little of the mass, but limit the fall.
func (x *Transform) decays() (ok, limited, little bool) {
	var smooth, shifted, cut int64 // copies of pairs without atoms, of mixtures apart, of truncated Gaussians
	fall := interval.Int(0)
	atoms := func(s *sampledLaplace, count int64) {
		plateau := s.AtomsMoment(s.Tilt(coarse, interval.Int(0))) // below it they keep |M| from falling
		fall = coarse.Sub(fall, coarse.Mul(interval.Int(count), coarse.Log(plateau)))
	}
	for _, t := range x.terms {
		switch f := plain(t.f).(type) {
		case closedForm:
			switch f := f.law.(type) {
			case gaussian:
				return true, false, false
			case logistic:
				smooth += t.count
			case laplace:
				atoms(f.sampled(), t.count)
			}
		case *mixture:
			if _, ok := f.apart(); ok {
				shifted += t.count
			}
			smooth += t.count
		case truncated:
			x.truncates = true
			cut += t.count
		case *sampledLaplace:
			atoms(f, t.count)
		}
	}
	if cut >= minTruncatedCopies || shifted >= minShiftedCopies || smooth >= minSmoothCopies {
		return true, false, false
	}
	by := func(bits int64) bool { return coarse.Mul(interval.Int(bits), coarse.Ln2()).Less(fall) == interval.True }
	return by(minFallBits), true, !by(enoughFallBits)
}

// Limited reports whether δ is settled to so many bits only, whatever the precision.
// These are the bits by which atoms let |M| fall.
func (x *Transform) Limited() bool { return x.limited }

// heldByAtoms reports whether |M| falls, but no further than atoms let it.
func (x *Transform) heldByAtoms() bool { return x.falls && x.limited }

// Delta returns an enclosure of δ(ε) for any real ε. It is [0, 1] where no parameters of moderate cost are found.
//
// Width: about 2^−p relative to δ(ε), if δ(ε) exceeds 2^−maxScale and ε is given to more bits than that.
// This is tested, not proved.
func (x *Transform) Delta(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	return x.delta(ctx, p, false, eps)
}

// Whole is Delta by no line of less precision than p, and [0, 1] where there is none.
func (x *Transform) Whole(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	return x.delta(ctx, p, true, eps)
}

func (x *Transform) delta(
	ctx context.Context, p interval.Prec, whole bool, eps interval.Real,
) (interval.Interval, error) {
	unit := interval.Union(interval.Int(0), one)
	if y, ok := x.beyondEdge(p, eps); ok {
		return y, nil
	}
	if y, ok, err := x.inDouble(ctx, p, eps); ok || err != nil {
		return y, err
	}
	if extra, ok := x.mirrors(p, eps(coarse)); ok {
		return x.throughMirror(ctx, p, extra, whole, eps)
	}
	if bits := x.thinnedBits(ctx, p, eps(coarse)); bits > 0 {
		return x.throughThinned(ctx, p, bits, whole, eps)
	}
	l, err := x.lineAt(ctx, p, whole, eps(coarse))
	if l == nil || err != nil {
		return unit, err
	}
	return x.by(ctx, l, p, eps)
}

// Short returns Delta by a line of this product of at most so many terms, or in double precision. It is [0, 1] where
// there is none.
func (x *Transform) Short(terms int) func(context.Context, interval.Prec, interval.Real) (interval.Interval, error) {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (y interval.Interval, err error) {
		if y, ok, err := x.inDouble(ctx, p, eps); ok || err != nil {
			return y, err
		}
		var l *line
		if x.isShort(p, eps(coarse), terms) {
			l, err = x.lineAt(ctx, p, false, eps(coarse))
		}
		if l == nil || err != nil {
			return interval.Union(interval.Int(0), one), err
		}
		return x.by(ctx, l, p, eps)
	}
}

// by encloses δ(ε) by a line for it.
func (x *Transform) by(
	ctx context.Context, l *line, p interval.Prec, eps interval.Real,
) (interval.Interval, error) {
	w := l.prec
	d, err := l.invert(ctx, eps(max(w, l.epsPrec())))
	if err != nil {
		return interval.Union(interval.Int(0), one), err
	}
	d = interval.Clamp(w.Add(d, l.infinite), 0, 1)
	if d.Positive() != interval.True {
		d = interval.Min(d, x.Above(eps)) // both are upper bounds
	}
	return (p + guard).Round(d), nil
}

// infinite returns the P-mass m∞ of infinite loss of a product, and Σ count·lost, the mass that is left out.
func (x *Transform) infinite(p interval.Prec) (inf, lost interval.Interval) {
	for _, t := range x.terms {
		m, out := t.f.at(p).infinite()
		inf = pair.Union(p, inf, pair.UnionPower(p, m, t.count))
		lost = p.Add(lost, p.Mul(interval.Int(t.count), out))
	}
	return inf, interval.Min(one, upper(lost))
}

// Above returns an upper bound of δ(ε), at little cost.
//
// It is Markov's inequality, see markov, for a λ at which the bound is nearly least,
// and the mass of infinite loss and of the outcomes left out.
func (x *Transform) Above(eps interval.Real) interval.Interval {
	if y, ok := x.beyondEdge(coarse, eps); ok {
		return upper(y)
	}
	e := eps(coarse)
	_, saddle, ok := x.guessDelta(double.Of(e).Mid())
	if !ok || !e.IsFinite() {
		return one
	}
	lambda := likely.Below(saddle)
	moment := one
	for _, t := range x.terms {
		moment = coarse.Mul(moment, coarse.PowInt(t.f.at(coarse).moment(doublePrec, lambda), t.count))
	}
	inf, lost := x.infinite(coarse)
	return interval.Min(one, upper(coarse.Add(aliases.Markov(coarse, upper(moment), lambda, e), coarse.Add(inf, lost))))
}
