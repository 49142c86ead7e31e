// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crossing

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// begin looks for lo and hi next to a guess: on either side of it, at distances that grow, the first of which lead
// nearly as far as numbers are alike. If they have to grow far, it was no good, and is forgotten. Where the answer is
// open it goes on: more bits cost more than another point.
func (s *search) begin(ctx context.Context) error {
	if s.Near == nil || s.Level.Sign() <= 0 {
		return nil
	}
	x, ok := s.Near(ctx)
	if !ok {
		return nil
	}
	const dear = 128 // bits
	if s.Coarse() > dear {
		var err error
		if x, err = s.nearer(ctx, x); err != nil {
			return err
		}
	}
	step := new(big.Rat).Abs(x)
	if floor := interval.Pow2(-10); step.Cmp(floor) < 0 {
		step = floor
	}
	step.Mul(step, interval.Pow2(-18))
	bits := s.Coarse()
	if new(big.Rat).Abs(x).Cmp(interval.Pow2(-s.Bits)) < 0 {
		bits = s.Full // of a number so small no leading bits are wanted
	}
	const most, grow = 8, 4
	guess, below, above := x, new(big.Rat).Set(step), step
	if s.alike(x); s.from != nil {
		bits = s.few()
		below, above = s.inside(below, x, s.from), s.inside(above, x, s.to)
		x = new(big.Rat).Sub(guess, below)
		below = new(big.Rat).Mul(below, big.NewRat(grow, 1))
	}
	for i := range most {
		look := s.look
		if i > 1 {
			look = s.far
		}
		_, _, err := look(ctx, s.Coarse(), bits, x)
		if err != nil || s.bracketed() {
			return err
		}
		// At an open point, what is next to it is decided.
		if s.lo == nil {
			x = new(big.Rat).Sub(guess, s.beyond(guess, below, -1))
			below = new(big.Rat).Mul(below, big.NewRat(grow, 1))
		} else {
			x = new(big.Rat).Add(guess, s.beyond(guess, above, 1))
			above = new(big.Rat).Mul(above, big.NewRat(grow, 1))
		}
	}
	return nil
}

// nearer returns a number nearer to the crossing than the guess x, by a search for some leading bits: it costs little
// beside a point far off that is asked for many.
func (s *search) nearer(ctx context.Context, x *big.Rat) (*big.Rat, error) {
	const bits = 20
	t := &search{Problem: s.Problem}
	t.Bits, t.Full, t.Alike = bits, 64, nil
	t.Near = func(context.Context) (*big.Rat, bool) { return x, true }
	for _, step := range []func(context.Context) error{t.begin, t.bracket, t.narrow} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if !t.bracketed() {
		return x, nil
	}
	return t.middle(), nil
}

// beyond is how far from the guess a point on the side of the sign is tried next: a little beyond the crossing that
// decided points lead to, but at least least, and not very much more.
func (s *search) beyond(guess, least *big.Rat, sign int64) *big.Rat {
	if s.lo == nil && s.hi == nil {
		return least
	}
	z, ok := s.interpolate()
	if !ok {
		return least
	}
	const little, much = 8, 1 << 12
	d := new(big.Rat).Sub(z, guess)
	d.Mul(d, big.NewRat(sign*(little+1), little))
	switch most := new(big.Rat).Mul(least, big.NewRat(much, 1)); {
	case d.Cmp(least) < 0:
		return least
	case d.Cmp(most) > 0:
		return most
	}
	return d
}

const (
	// maxDoublings bounds the |x| = 2^k for which every k is tried in the search for a bracket.
	maxDoublings = 40
	// maxExponent bounds |x| by 2^maxExponent.
	maxExponent = maxDoublings << 6
)

// bracket looks for points on either side, from 0 outwards in powers of two, whose exponents
// double beyond 2^maxDoublings and are then bisected.
func (s *search) bracket(ctx context.Context) error {
	if s.bracketed() {
		return nil
	}
	first, _, err := s.at(ctx, s.Coarse(), new(big.Rat))
	if err != nil {
		return err
	}
	if first != right {
		if err := outwards(func(k int) (bool, error) {
			at, _, err := s.at(ctx, s.Coarse(), interval.Pow2(k))
			return at == right, err
		}); err != nil {
			return err
		}
	}
	if s.lo != nil {
		return nil
	}
	return outwards(func(k int) (bool, error) {
		x := interval.Pow2(k)
		at, _, err := s.at(ctx, s.Coarse(), x.Neg(x))
		return at == left, err
	})
}

// outwards asks for exponents k until one is found, as told by found, and the one below it is not.
func outwards(found func(k int) (bool, error)) error {
	below, k := -7, -6
	for {
		ok, err := found(k)
		if err != nil || !ok && k >= maxExponent {
			return err
		}
		if ok {
			break
		}
		below = k
		if k < maxDoublings {
			k++
		} else {
			k *= 2
		}
	}
	for k-below > 1 {
		middle := (below + k) / 2
		ok, err := found(middle)
		if err != nil {
			return err
		}
		if ok {
			k = middle
		} else {
			below = middle
		}
	}
	return nil
}
