// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"context"
	"math/big"
	"math/bits"
	"sync"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// A line is the nodes of a sum (1), which serves all ε and tilts for which its errors are small enough. They are in
// several parts, as those where Φ is small need few bits.
type line struct {
	choice
	parts []sums
	all   interval.Interval // bounds Σ_j Φ(u_j) over the nodes with |u_j| ≤ U, and twice what is computed of it
	cone  interval.Interval // bounds Σ_j (1 − |u_j|/U)·Φ(u_j)
}

// sums adds up nodes in some arithmetic.
type sums interface {
	// sum encloses Σ_j Φ(u_j)·e^(−2πi·j·turn/N)·[1/(1 − x_j) − g/(1 − y_j)] over the nodes.
	sum(ctx context.Context, x *law, a int64, turn *big.Int, g interval.Interval) (interval.Interval, error)
	// totals enclose Σ_j Φ(u_j) and Σ_j (last − j)·Φ(u_j) over the nodes, but for what rounded says.
	totals() (all, cone interval.Interval)
}

// newLine computes the nodes that are kept.
func newLine(ctx context.Context, x *law, want choice, kept kept) (*line, error) {
	const w = interval.Prec(64)
	main, err := newPart(ctx, x, want, kept.main)
	if err != nil {
		return nil, err
	}
	l := &line{choice: want, parts: []sums{main}}
	if len(kept.faint) > 0 {
		faint, err := newNodes(ctx, inDoubles{}, x, want, kept.faint)
		if err != nil {
			return nil, err
		}
		l.parts = append(l.parts, faint)
	}
	sum, cone := interval.Int(0), interval.Int(0)
	for _, s := range l.parts {
		x, y := s.totals()
		sum, cone = w.Add(sum, x), w.Add(cone, y)
	}
	dropped := droppedSum(w, want)
	l.all = w.Add(w.Scale(sum, 1), dropped).Upper()
	cone = w.Div(cone, interval.Int(max(want.last, 1)))
	l.cone = w.Add(w.Add(cone, w.Scale(cone, -4)), dropped).Upper() // computed to a relative 2^(−4−prec)
	return l, nil
}

// newPart computes nodes with all bits that are wanted.
func newPart(ctx context.Context, x *law, want choice, j []int64) (sums, error) {
	if want.prec <= maxWords {
		return newNodes(ctx, fixed.InWords{}, x, want, j)
	}
	return newNodes(ctx, fixed.InBits{Prec: want.prec}, x, want, j)
}

// delta encloses δ(ε) from the sum, its aliases and the nodes that are left out. e encloses ε with any precision.
func (l *line) delta(ctx context.Context, x *law, want choice, k *big.Int, level *big.Rat,
	e interval.Real) (interval.Interval, error) {
	w := max(l.prec+16, constantBits)
	a := want.tilt
	turn := new(big.Int).Mul(x.turns, big.NewInt(a))
	turn.Sub(k, turn).Mod(turn, l.nodes)
	g := w.Exp(w.Sub(e(w), w.Rat(level)))
	sum := interval.Int(0)
	for _, s := range l.parts {
		y, err := s.sum(ctx, x, a, turn, g)
		if err != nil {
			return interval.Entire(), err
		}
		sum = w.Add(sum, y)
	}
	c := l.choice
	c.tilt = a
	left := interval.Prec(64).Add(x.rounded(64, c, l.all), interval.Prec(64).Add(x.dropped(64, c),
		x.beyond(64, c, l.cone))).Upper()
	scale := x.scale(w, a, level)
	sum = w.Mul(scale, w.Add(w.Div(sum, w.BigInt(l.nodes)), interval.Union(left.Neg(), left)))
	alias := x.aliases(64, a, l.period, e(64)).Upper()
	return interval.Clamp(w.Sub(sum, interval.Union(interval.Int(0), alias)), 0, 1), nil
}

// nodes are 0 ≤ j ≤ N/2 with what belongs to them; what belongs to N − j is conjugate.
type nodes[R any, A fixed.Arithmetic[R]] struct {
	w     A
	prec  interval.Prec // of constants
	n     *big.Int      // N
	pi2   R             // 2π
	j     []int64
	phi   []R // Φ(u_j), twice where N − j is another node
	sin   []R // sin(2πj/N)
	chord []R // 1 − cos(2πj/N)
	all   R   // Σ Φ(u_j)
	cone  R   // Σ (last − j)·Φ(u_j)

	mu     sync.Mutex
	tilted map[int64]tilted[R]
}

// tilted are the values of ΦΨ/(1 − x_j) and ΦΨ/(1 − y_j) for one tilt: in words, if they hold them.
type tilted[R any] struct {
	words *fixed.Pencil
	x, y  []part[R]
}

// A part is a complex number.
type part[R any] struct{ re, im R }

// newNodes computes Φ at the nodes that are kept.
func newNodes[R any, A fixed.Arithmetic[R]](ctx context.Context, w A, x *law, c choice, kept []int64) (sums, error) {
	p := max(c.prec+32, constantBits)
	s := &nodes[R, A]{w: w, prec: p, n: c.nodes, j: kept, pi2: w.Of(p.Scale(p.Pi(), 1)), tilted: make(map[int64]tilted[R])}
	one := w.Of(interval.Int(1))
	cut := x.cut(c)
	turns := make([]turner[R], len(x.releases))
	factors := make([]characteristic[R], len(x.releases))
	peak, zero := one, w.Of(interval.Int(0))
	for i, r := range x.releases {
		turns[i] = newTurner[R](w, p, r.step, c.nodes)
		factors[i] = newCharacteristic[R](w, p, r, cut)
		if _, f, plain := factors[i].at(w, one, s.pi2, zero, 0); !plain {
			peak = w.Mul(peak, power[R](w, f, r.count))
		}
	}
	constant := w.Div(one, peak)
	own, small := newTurner[R](w, p, big.NewInt(1), c.nodes), newSmallSine[R](w, p)
	sum, cone := zero, zero
	for n, j := range kept {
		if n&255 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		product, exponent := constant, zero
		for i := range factors {
			e, f, plain := factors[i].at(w, one, s.pi2, turns[i].at(w, j), turns[i].rough(j))
			exponent = w.Add(exponent, e)
			if !plain {
				product = w.Mul(product, power[R](w, f, factors[i].count))
			}
		}
		product = w.Mul(product, w.Exp(w.Neg(exponent)))
		if j != 0 && (c.partial() || c.nodes.Cmp(big.NewInt(2*j)) != 0) {
			product = w.Scale(product, 1)
		}
		sin, cos := small.sinCos(w, w.Scale(w.Mul(s.pi2, own.at(w, j)), -1), own.rough(j))
		s.phi = append(s.phi, product)
		s.sin = append(s.sin, w.Scale(w.Mul(sin, cos), 1))
		s.chord = append(s.chord, w.Scale(w.Sqr(sin), 1))
		sum, cone = w.Add(sum, product), w.Add(cone, w.Times(product, c.last-j))
	}
	s.all, s.cone = sum, cone
	return s, nil
}

// constantBits is the precision of constants: words need arguments that are known much better than results.
const constantBits = 256

func (s *nodes[R, A]) totals() (all, cone interval.Interval) {
	return s.w.Interval(s.all), s.w.Interval(s.cone)
}

// power returns x^n, n ≥ 1.
func power[R any](w fixed.Arithmetic[R], x R, n int64) R {
	y := x
	for i := bits.Len64(uint64(n)) - 2; i >= 0; i-- {
		if y = w.Sqr(y); n>>i&1 == 1 {
			y = w.Mul(y, x)
		}
	}
	return y
}

// tilt returns the values of a tilt, computed once. 1 − re^(−iθ) is (1 − r) + r(1 − cos θ) + i·r·sin θ, in which
// nothing cancels.
func (s *nodes[R, A]) tilt(x *law, a int64) tilted[R] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tilted[a]; ok {
		return t
	}
	w := s.w
	var out tilted[R]
	for i, list := range []*[]part[R]{&out.x, &out.y} {
		less := s.prec.Rat(new(big.Rat).Quo(big.NewRat(-a-int64(i), 1), x.fine))
		r, gap := w.Of(s.prec.Exp(less)), w.Of(s.prec.Expm1(less).Neg())
		*list = make([]part[R], len(s.j))
		for k := range s.j {
			re, im := w.Add(gap, w.Mul(r, s.chord[k])), w.Mul(r, s.sin[k])
			f := w.Div(s.phi[k], w.Add(w.Sqr(re), w.Sqr(im)))
			(*list)[k] = part[R]{w.Mul(f, re), w.Neg(w.Mul(f, im))}
		}
	}
	for _, f := range x.steps {
		at := stepsAt[R](w, s.prec, f, a, s.n)
		for k, j := range s.j {
			psi := at(j)
			out.x[k], out.y[k] = times[R](w, out.x[k], psi), times[R](w, out.y[k], psi)
		}
	}
	if words, ok := fixed.NewPencil(s.j, func(k int) (x, y fixed.Complex) {
		return inWordsOf(w, out.x[k]), inWordsOf(w, out.y[k])
	}); ok {
		out = tilted[R]{words: words}
	}
	s.tilted[a] = out
	return out
}

func inWordsOf[R any](w fixed.Arithmetic[R], z part[R]) fixed.Complex {
	return fixed.Complex{Re: w.Words(z.re), Im: w.Words(z.im)}
}

// turning returns e^(−2πi·j·turn/N) for any j.
func turning[R any](w fixed.Arithmetic[R], p interval.Prec, turn, n *big.Int) func(j int64) part[R] {
	pi2, turns := w.Of(p.Scale(p.Pi(), 1)), newTurner[R](w, p, turn, n)
	return func(j int64) part[R] {
		sin, cos := w.SinCos(w.Mul(pi2, turns.signed(w, j)))
		return part[R]{cos, w.Neg(sin)}
	}
}

// manyBits is how many nodes Horner's rule adds up where words do not hold them: the error of a product with e^(iθ)
// grows by |cos θ| + |sin θ| ≤ √2.
const manyBits = 32

// sum: as in sums. Neighbouring nodes are added up by Horner's rule.
func (s *nodes[R, A]) sum(ctx context.Context, x *law, a int64, turn *big.Int,
	g interval.Interval) (interval.Interval, error) {
	w, t := s.w, s.tilt(x, a)
	if t.words != nil {
		at := turning(fixed.InWords{}, s.prec, turn, s.n)
		y, err := t.words.Sum(ctx, func(j int64) fixed.Complex { return inWordsOf(fixed.InWords{}, at(j)) }, g)
		return y.Interval(), err
	}
	at, share := turning[R](w, s.prec, turn, s.n), w.Of(g)
	z, total := at(1), w.Of(interval.Int(0))
	for to := len(s.j); to > 0; {
		if err := ctx.Err(); err != nil {
			return interval.Entire(), err
		}
		var sum part[R]
		from := to - 1
		for ; ; from-- {
			re, im := w.Sub(t.x[from].re, w.Mul(share, t.y[from].re)), w.Sub(t.x[from].im, w.Mul(share, t.y[from].im))
			if from < to-1 {
				re, im = w.Add(re, w.Sub(w.Mul(sum.re, z.re), w.Mul(sum.im, z.im))),
					w.Add(im, w.Add(w.Mul(sum.re, z.im), w.Mul(sum.im, z.re)))
			}
			sum = part[R]{re, im}
			if from == 0 || s.j[from-1]+1 != s.j[from] || to-from == manyBits {
				break
			}
		}
		start := at(s.j[from])
		total = w.Add(total, w.Sub(w.Mul(sum.re, start.re), w.Mul(sum.im, start.im)))
		to = from
	}
	return w.Interval(total), nil
}

// stepsAt returns ψ_k(u_j)^(m_k) for any j.
func stepsAt[R any](w fixed.Arithmetic[R], p interval.Prec, f steps, a int64, n *big.Int) func(j int64) part[R] {
	weights, _ := f.weights(p, a)
	turns := make([]func(j int64) part[R], len(weights))
	in := make([]R, len(weights))
	for k := range weights {
		in[k], turns[k] = w.Of(weights[k]), turning(w, p, new(big.Int).Neg(f.to[k]), n)
	}
	return func(j int64) part[R] {
		var sum part[R]
		for k, turn := range turns {
			z := turn(j)
			z = part[R]{w.Mul(in[k], z.re), w.Mul(in[k], z.im)}
			if k == 0 {
				sum = z
				continue
			}
			sum = part[R]{w.Add(sum.re, z.re), w.Add(sum.im, z.im)}
		}
		y := sum
		for i := bits.Len64(uint64(f.count)) - 2; i >= 0; i-- {
			if y = times(w, y, y); f.count>>i&1 == 1 {
				y = times(w, y, sum)
			}
		}
		return y
	}
}

// times returns x·y.
func times[R any](w fixed.Arithmetic[R], x, y part[R]) part[R] {
	return part[R]{w.Sub(w.Mul(x.re, y.re), w.Mul(x.im, y.im)), w.Add(w.Mul(x.re, y.im), w.Mul(x.im, y.re))}
}
