// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package replicas

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pattern"
)

// A Mechanism is a walk along the columns of a strategy.
type Mechanism struct {
	*Walk
	pattern.Law
}

// New returns the mechanism of a law; false if its walk has too many places.
func New(x pattern.Law) (Mechanism, bool) {
	width := 1
	for _, r := range x.Rows {
		width = max(width, len(r.Products))
	}
	m, size := Mechanism{Law: x}, int(x.Size)
	switch {
	case size > 1<<10 || x.Draw == pattern.Chosen && width > 6:
		return m, false
	case x.Draw == pattern.Apart:
		m.Walk = MinSeparated(size, x.Rate)
	case x.Draw == pattern.Shifted:
		m.Walk = Shifted(size, width, x.Rate)
	default:
		m.Walk = Chosen(int(x.Steps()), size, width)
	}
	return m, true
}

// logLargest is the logarithm of what a product of exponentials of replicas may be at most; what is left out has
// chances below 2^−900 for a toss, or is rounded below 2^−1022, so that all of it, of fewer than 2^50 numbers, has less
// than faint.
const (
	logLargest = 208 // 2^300
	least      = 0x1p-900
	faint      = 0x1p-500
)

// replicas is how many there may be, at most.
func (m Mechanism) replicas() int {
	g := double.Of(interval.Prec(64).Rat(m.Most)).Hi
	j := 1
	for j < most && float64(j*(j+1)/2)*g <= logLargest {
		j++
	}
	return j
}

// A coin is about a number, and a bound of the relative error.
type coin struct{ x, err float64 }

func coinOf(x double.Interval) coin {
	if !(x.Lo > 0) || x.Hi < least {
		return coin{}
	}
	return coin{x.Mid(), (x.Hi - x.Lo) / x.Lo}
}

// A pace is the weights of the moves of a crowd in a step.
type pace struct {
	weights []float64
	err     float64 // relative
}

// A stepper makes the weights of steps.
type stepper struct {
	Mechanism
	*crowd
	last    *pace
	lastRow int
}

// pace returns the weights of step t.
func (s *stepper) pace(t, row int, products []interval.Interval) *pace {
	if s.last != nil && s.steady && s.lastRow == row {
		return s.last
	}
	coins := make([]coin, len(s.causes))
	for i, x := range s.causes {
		coins[i] = s.coin(t, products, x)
	}
	p := &pace{weights: make([]float64, len(s.moves))}
	for i, v := range s.moves {
		w, err := 1.0, 0.0
		for _, k := range s.by[v.first : v.first+int32(v.count)] {
			c := coins[k]
			w, err = float64(w*c.x), err+c.err+ulp
		}
		if w < least {
			w = 0
		}
		p.weights[i], p.err = w, max(p.err, err)
	}
	s.last, s.lastRow = p, row
	return p
}

// coin is about the number of a cause in step t.
func (s *stepper) coin(t int, products []interval.Interval, x cause) coin {
	const w = interval.Prec(64)
	switch {
	case !x.met:
		q := s.chance(t, x.place)
		return coinOf(double.Int(binomial(x.all, x.joined)).Mul(power(q, x.joined)).Mul(
			power(new(big.Rat).Sub(big.NewRat(1, 1), q), x.all-x.joined)))
	case x.distance < len(products):
		return coinOf(double.Of(w.Exp(w.Mul(products[x.distance], interval.Int(int64(x.often))))))
	}
	return coin{x: 1}
}

// counted encloses E[S^j; the replicas took part n times in all], by n, with their chances alone for j = 0 and 1; nil
// if that takes more than work products. The error is ctx's, or a *convolve.MemoryError.
func (m Mechanism) counted(ctx context.Context, j int, work float64) ([]double.Interval, error) {
	if j == 0 {
		return []double.Interval{double.Point(1)}, nil
	}
	n := j*int(m.Limit) + 1
	const listing = 128 // products take as long as to list a move
	perMove := float64(n*int(m.Steps()) + listing)
	ways := 1 << 24 / n
	c := newCrowd(ctx, m.Walk, j, limit{ways: ways, moves: min(int(work/perMove), 8*ways)})
	if c == nil {
		return nil, ctx.Err()
	}
	const bytes = 64 // of a move
	if err := convolve.CheckMemory(ctx, 16*int64(len(c.at))*int64(n)+bytes*int64(len(c.moves))); err != nil {
		return nil, err
	}
	s := &stepper{Mechanism: m, crowd: c}
	now, next := make([]float64, len(c.at)*n), make([]float64, len(c.at)*n)
	slack := 0.0
	for i, x := range c.start {
		v := coinOf(x)
		now[i*n], slack = v.x, max(slack, v.err)
	}
	widest := 0
	for i := range c.at {
		widest = max(widest, c.of[i+1]-c.of[i])
	}
	const chunk = 256
	t := 0
	for row, r := range m.Rows {
		products := make([]interval.Interval, len(r.Products))
		for d, x := range r.Products {
			products[d] = interval.Prec(64).Rat(x)
		}
		for range r.Count {
			p := s.pace(t, row, products)
			top := min(n, j*(t+1)+1)
			err := convolve.Parallel(ctx, (len(c.at)+chunk-1)/chunk, func(k int) {
				for i := k * chunk; i < min((k+1)*chunk, len(c.at)); i++ {
					to := next[i*n : i*n+n]
					clear(to)
					for e := c.of[i]; e < c.of[i+1]; e++ {
						w, v := p.weights[e], c.moves[e]
						if w == 0 {
							continue
						}
						joined := int(v.joined)
						from := now[int(v.from)*n : int(v.from)*n+n]
						for q := joined; q < top; q++ {
							to[q] += float64(w * from[q-joined])
						}
					}
				}
			})
			if err != nil {
				return nil, err
			}
			slack += p.err + float64(float64(widest+2)*ulp)
			now, next = next, now
			t++
		}
	}
	out := make([]double.Interval, n)
	slack = (slack + float64(float64(len(c.at)+8)*ulp)) * generous
	if !(slack < 0x1p-20) {
		return nil, nil
	}
	wide := double.Interval{Lo: -slack, Hi: slack}.Exp()
	for q := range out {
		sum := 0.0
		for i := range c.at {
			sum += now[i*n+q]
		}
		out[q] = double.Point(sum).Mul(wide).Add(double.Interval{Lo: -faint, Hi: faint}).AtLeastZero()
	}
	if sum := double.Sum(out); !sum.IsFinite() || math.IsNaN(sum.Hi) {
		return nil, nil
	}
	return out, nil
}
