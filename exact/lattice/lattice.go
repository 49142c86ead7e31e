// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package lattice computes privacy profiles of compositions of discrete Gaussian noise, also beside pairs with few
// losses, by Laplace inversion over one period of the transform, to any number of digits.
//
// # Losses
//
// Release i is X_i against X_i + s_i, where X_i has masses ∝ e^(−ρ_i·x²/2) on the integers, ρ_i = 1/σ_i² > 0 is
// rational and s_i > 0 an integer; it occurs m_i times. Its loss at x, read from the other end, is ρ_i·s_i·x +
// ρ_i·s_i²/2. The sum of all losses lies on the lattice (ℤ + c)/M: M is the greatest rational for which all n_i =
// ρ_i·s_i·M are integers without a common divisor, ρ = ½Σ m_i·ρ_i·s_i², and c = ρM.
//
// # Inversion
//
// For an integer a the law of X_i with masses ∝ e^(−ρ_i·x²/2 + a·ρ_i·s_i·x) is the law of X_i + a·s_i, so that for real
// u
//
//	E_P[e^((a + iu)L)] = e^(a(a+1)ρ)·e^(iu(2a+1)ρ)·Φ(u),   Φ(u) = Π φ_i(ρ_i·s_i·u)^(m_i),   φ_i(θ) = E cos θX_i > 0.
//
// One set of real values Φ serves all ε and all integers a. Let A > 0 with N = AM an integer, u_j = 2πj/A, l₁ the least
// point of the lattice that is at least ε ≥ 0, g = e^(ε−l₁), x_j = e^(−(a + iu_j)/M) and y_j = x_j·e^(−1/M). Then
//
//	S = e^(a(a+1)ρ − a·l₁)·(1/N)·Σ_{−N/2 < j ≤ N/2} Φ(u_j)·e^(−iu_j(l₁ − (2a+1)ρ))·[1/(1 − x_j) − g/(1 − y_j)]    (1)
//
// is δ(ε) but for what bounds.go says. The bracket is Σ_{l ≥ l₁} w(l)·e^(−(a + iu)(l − l₁)), w(l) = 1 − e^(ε−l), over
// the lattice. u_j·(l₁ − (2a+1)ρ) is 2π/N times j·(k₁ − 2aρM), where l₁ = (k₁ + c)/M; 2ρM = Σ m_i·s_i·n_i is an
// integer.
//
// A pair with finitely many losses, all rational, may stand beside: as discrete Laplace noise. Let l₀ be its least
// loss, W = Σ p_l·e^(a(l − l₀)) and ψ(u) = Σ p_l·e^((a + iu)(l − l₀))/W, |ψ| ≤ 1. Of k such pairs, m_k copies each,
// and Λ = Σ m_k·l₀, M is such that all losses are on the lattice, c = (ρ + Λ)M; Φ(u) in (1) becomes
// Φ(u)·Πψ_k(u)^(m_k), and the factor e^(aΛ)·ΠW_k^(m_k) is before the sum. u_j·(l₁ − (2a+1)ρ − Λ) is what it was, 2π/N
// times j·(k₁ − 2aρM).
//
// For ε < 0, δ(ε) = 1 − e^ε + e^ε·δ(−ε), as the pair is its own reverse.
package lattice

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// An Inversion is what profiles of one product are computed from. It may be used by several goroutines.
type Inversion struct {
	*law
	shared bool // answers are not to depend on what was asked before

	mu      sync.Mutex    // of what follows
	lines   []*line       // the last one was made last
	few     []madeLine    // in the place of lines, where it is shared
	tooMany interval.Prec // at which there were too many nodes
	sieved  struct {      // last
		choice
		kept
		ok bool
	}
}

// New returns the inversion of a product that newLaw takes. It reports false for other products, and for a product that
// would lose too much precision by tilts that are integers.
func New(prod pair.Product) (*Inversion, bool) {
	of, ok := newLaw(prod)
	if !ok {
		return nil, false
	}
	for i := range of.releases {
		of.releases[i].weight = newWeight(of.releases[i])
	}
	return &Inversion{law: of}, true
}

// Serves guesses whether p bits of a δ of about 2^(−scale), of any δ if scale < 0, take few enough nodes.
func (x *Inversion) Serves(p interval.Prec, scale int) bool {
	scales := []int{scale}
	if scale < 0 {
		scales = []int{0, 20, 60}
	}
	var most choice
	for _, scale := range scales {
		eps := x.levelOf(-math.Ln2 * float64(scale))
		c, ok := x.choose(p, eps, x.logProfile(eps))
		if !ok {
			return false
		}
		if c.last > most.last || c.last == most.last && c.sieve > most.sieve {
			most = c
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	_, ok := x.kept(most)
	return ok
}

// Delta encloses δ(ε) with about p leading bits. With a probability of 1 − m that the data are named, it is 1 − m +
// m·δ′(ε), where δ′ is of the discrete Gaussians alone.
func (x *Inversion) Delta(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	d, err := x.quiet(ctx, p, eps)
	if m := x.finite; m.IsInt() && m.Sign() > 0 {
		return d, err
	}
	w := p + 32
	named := new(big.Rat).Sub(big.NewRat(1, 1), x.finite)
	return p.Round(interval.Clamp(w.Add(w.Rat(named), w.Mul(w.Rat(x.finite), d)), 0, 1)), err
}

// quiet is Delta where nothing names the data.
func (x *Inversion) quiet(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	w := max(p+32, constantBits)
	e := eps(w)
	if !e.IsFinite() {
		return profile.Unit(), nil
	}
	if e.Negative() == interval.True {
		d, err := x.quiet(ctx, p, eps.Neg())
		if err != nil {
			return profile.Unit(), err
		}
		grow := w.Exp(e)
		return p.Round(interval.Clamp(w.Add(w.Expm1(e).Neg(), w.Mul(grow, d)), 0, 1)), nil
	}
	if e.Negative() == interval.Unknown { // δ falls, and is between its values at both ends
		high, err := x.quiet(ctx, p, end(e.Lo()))
		if err != nil {
			return profile.Unit(), err
		}
		low, err := x.quiet(ctx, p, end(e.Hi()))
		return p.Round(interval.Union(low, high)), err
	}
	lo, hi, ok := e.Rationals()
	if !ok {
		return profile.Unit(), nil
	}
	if first := x.first(lo); first.Cmp(x.first(hi)) != 0 {
		// A point of the lattice may be on either side: δ falls, and is between its values at both ends.
		high, err := x.at(ctx, p, lo, interval.RealRat(lo))
		if err != nil {
			return profile.Unit(), err
		}
		low, err := x.at(ctx, p, hi, interval.RealRat(hi))
		if err != nil {
			return profile.Unit(), err
		}
		return p.Round(interval.Union(low, high)), nil
	}
	y, err := x.at(ctx, p, lo, func(w interval.Prec) interval.Interval {
		if finer, meet := interval.Intersect(eps(w), e); meet {
			return finer
		}
		return e
	})
	return p.Round(y), err
}

// end is an end of an enclosure.
func end(x *big.Float) interval.Real {
	return func(interval.Prec) interval.Interval { return interval.Point(x) }
}

// at encloses δ(ε), ε ≥ 0 in e(w) for every w, where no point of the lattice is between two members of e(w) and eps.
// An estimate of δ chooses the parameters; where it is too large, the enclosure is wide, and says how much less δ is.
func (x *Inversion) at(ctx context.Context, p interval.Prec, eps *big.Rat,
	e interval.Real) (interval.Interval, error) {
	k := x.first(eps)
	level := x.level(k)
	rough := double.Near(eps)
	estimate := x.logProfile(rough)
	best := interval.Union((p+32).Sub(interval.Int(1), x.lack(e(64))).AtLeastZero(), x.tail(e(64)))
	if best.RelativeBits(int(p)) >= int(p)-spareBits {
		return best, nil // next to 1, far below the mean of the losses, where a sum takes many bits
	}
	for range maxRounds {
		if err := ctx.Err(); err != nil {
			return best, err
		}
		c, ok := x.choose(p, rough, estimate)
		if !ok {
			return best, nil
		}
		l, err := x.line(ctx, c)
		if err != nil {
			return best, err
		}
		if l == nil { // so many bits take too many nodes
			if p > 128 {
				p -= p / 4
			} else {
				p -= 8
			}
			if p < minBits {
				return best, nil
			}
			continue
		}
		y, err := l.delta(ctx, x.law, c, k, level, e)
		if err != nil {
			return best, err
		}
		if both, meet := interval.Intersect(best, y); meet {
			best = both
		}
		above := math.Ln2 * float64(best.Hi().MantExp(nil)) // about the logarithm
		if best.RelativeBits(int(p)) >= int(p)-spareBits || above > estimate-1 {
			break // narrow enough, or wide for another reason
		}
		estimate = above - 16*math.Ln2
	}
	return best, nil
}

// line returns a line that serves a choice, nil if there are too many nodes.
func (x *Inversion) line(ctx context.Context, want choice) (*line, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.shared {
		if l, err := x.made(ctx, x.widened(want)); l != nil || err != nil {
			return l, err
		}
		return x.made(ctx, want)
	}
	for i := len(x.lines) - 1; i >= 0; i-- {
		if l := x.lines[i]; l.serves(want) {
			return l, nil
		}
	}
	if x.tooMany > 0 && want.prec >= x.tooMany {
		return nil, nil
	}
	j, ok := x.kept(want)
	if !ok {
		x.tooMany = want.prec
		return nil, nil
	}
	l, err := newLine(ctx, x.law, want, j)
	if err != nil {
		return nil, err
	}
	if x.lines = append(x.lines, l); len(x.lines) > keptLines {
		x.lines = x.lines[1:]
	}
	return l, nil
}

// size is how many nodes are kept.
func (x *Inversion) size() (n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, l := range x.few {
		n += l.nodes
	}
	return n
}

// A madeLine is a line by the key of its choice, nil where there are too many nodes.
type madeLine struct {
	key   string
	line  *line
	nodes int
}

// made returns the line of a choice, nil if there are too many nodes.
func (x *Inversion) made(ctx context.Context, c choice) (*line, error) {
	key := fmt.Sprint(c.tilt, c.nodes, c.sieve, c.last, c.prec)
	for _, l := range x.few {
		if l.key == key {
			return l.line, nil
		}
	}
	out := madeLine{key: key}
	if j, ok := x.kept(c); ok {
		l, err := newLine(ctx, x.law, c, j)
		if err != nil {
			return nil, err
		}
		out.line, out.nodes = l, len(j.main)+len(j.faint)
	}
	if x.few = append(x.few, out); len(x.few) > keptLines {
		x.few = x.few[1:]
	}
	return out.line, nil
}

// kept is keep, which remembers what it was asked last.
func (x *Inversion) kept(c choice) (kept, bool) {
	if y := &x.sieved; y.nodes == nil || y.nodes.Cmp(c.nodes) != 0 || y.sieve != c.sieve || y.last != c.last ||
		y.prec != c.prec || y.tilt != c.tilt {
		x.sieved.choice = c
		y.kept, y.ok = x.keep(c)
	}
	return x.sieved.kept, x.sieved.ok
}

const (
	// keptLines bounds the lines that are kept.
	keptLines = 8
	// maxRounds bounds the estimates of δ and the precisions that are tried.
	maxRounds = 24
	// minBits is the precision from which on fewer bits are not worth a sum.
	minBits = 8
	// spareBits are bits that an enclosure may be short of.
	spareBits = 4
)
