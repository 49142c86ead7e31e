// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exponential

// signs are those of a sum between gaps, see Signs. A single gap has one zero, and in it
// F·e^{−µx} is strictly monotone.
type signs[N any] struct {
	gaps   []N
	single []bool
	of     []Sign
	inGap  bool // the last that was added is a gap
}

// signs returns the signs of F. It reports false where the arithmetic does not tell them even far out.
//
// Theorem [Laguerre 1883]. F has at most as many zeros as its coefficients have changes of sign.
//
// The proof is the algorithm. Without a change there is no zero. Otherwise let G = derivative, of one change less. Away
// from the zeros of G, F·e^{−µx} is strictly monotone, so that F
//
//   - has one sign on an interval without a zero of G if it has that sign at both ends;
//   - has one zero in it if the signs at the ends differ, and then one sign on either side of it up to the ends;
//   - on an end of the line has at that end the sign of the outermost term.
//
// Where G is not known, in its gaps, the sign of F is read off an enclosure, or not known.
func (s sum[N]) signs() (out signs[N], ok bool) {
	k, ok := s.change()
	if !ok {
		return signs[N]{of: []Sign{s.first()}}, true
	}
	g, ok := s.derivative(k).signs()
	if !ok {
		return out, false
	}
	var from *N // nil is −∞
	at := s.first()
	for _, gap := range g.gaps {
		lo, hi := gap.Lower(), gap.Upper()
		inside := s.at(gap)
		next := inside
		if next == 0 {
			next = s.at(lo)
		}
		if !s.piece(&out, from, &lo, at, next) {
			return out, false
		}
		if at = inside; at == 0 {
			s.addGap(&out, lo, hi, false)
			at = s.at(hi)
		}
		from = &hi
	}
	return out, s.piece(&out, from, nil, at, s.last())
}

// addSign adds a sign on the right: after another one, it is the same, as they have a point in common.
func (out *signs[N]) addSign(sign Sign) {
	if len(out.of) == 0 || out.inGap {
		out.of, out.inGap = append(out.of, sign), false
	}
}

// addGap adds a gap on the right, and joins it with one that it touches.
func (s sum[N]) addGap(out *signs[N], lo, hi N, single bool) {
	n := len(out.gaps)
	if out.inGap {
		out.gaps[n-1], out.single[n-1] = s.union(out.gaps[n-1], s.union(lo, hi)), false
		return
	}
	out.gaps, out.single, out.inGap = append(out.gaps, s.union(lo, hi)), append(out.single, single), true
}

// piece adds the signs of F between two points, where F·e^{−µx} is strictly monotone, from those at the ends. An end
// that is nil is that of the line.
func (s sum[N]) piece(out *signs[N], from, to *N, at, next Sign) bool {
	if at == next && at != 0 {
		out.addSign(at)
		return true
	}
	a, b, ok := s.ends(from, to, at, next)
	if !ok {
		return false
	}
	lo, hi := a, b
	switch {
	case at != 0 && next != 0:
		lo, hi = s.root(a, b, at)
	case at != 0:
		lo = s.farthest(a, b, at)
	case next != 0:
		hi = s.farthest(b, a, next)
	}
	if at != 0 {
		out.addSign(at)
	}
	s.addGap(out, lo, hi, at != 0 && next != 0)
	if next != 0 {
		out.addSign(next)
	}
	return true
}

// ends replaces the ends of the line by points with the signs there.
func (s sum[N]) ends(from, to *N, at, next Sign) (a, b N, ok bool) {
	if from != nil {
		a = *from
	} else if a, ok = s.beyond(to, -1, at); !ok {
		return a, b, false
	}
	if to != nil {
		b = *to
	} else if b, ok = s.beyond(from, 1, next); !ok {
		return a, b, false
	}
	return a, b, true
}

// beyond returns a point on one side of another one, or of 0, where F has a given sign.
func (s sum[N]) beyond(x *N, side int64, want Sign) (N, bool) {
	start := s.int(0)
	if x != nil {
		start = *x
	}
	for k := 1; k < 64+4*s.bits(); k += 1 + k/4 {
		y := s.Mid(s.Add(start, s.Scale(s.int(side), k)))
		if y.IsFinite() && s.at(y) == want {
			return y, true
		}
	}
	return start, false
}

// farthest returns a point up to which F has the sign that it has at a, on the way to b, where it is not known: by
// halving, until few bits are left. As F·e^{−µx} is monotone, it is enough that the ends have that sign.
func (s sum[N]) farthest(a, b N, sign Sign) N {
	near, far := a, b
	for range 2*s.bits() + 64 {
		mid := s.middle(near, far)
		if s.settled(near, far) || s.compare(mid, near) == 0 || s.compare(mid, far) == 0 {
			break
		}
		if s.at(mid) == sign {
			near = mid
		} else {
			far = mid
		}
	}
	return near
}

func (s sum[N]) middle(a, b N) N { return s.Mid(s.Scale(s.Add(a, b), -1)) }

// root returns points on both sides of the one zero between a and b, where F has opposite signs: near a guess, in
// rising distance.
func (s sum[N]) root(a, b N, sign Sign) (lo, hi N) {
	x, lo, hi := s.guess(a, b, sign)
	y, slope := s.balance(x)
	r := s.Scale(s.max(x.Abs(), s.Scale(s.int(1), -8)), 8-s.bits())
	if open := s.Scale(s.Div(y, slope).Abs(), 2); open.IsFinite() {
		r = s.max(r, open.Upper())
	}
	left, right := false, false
	for range 40 {
		if p := s.Sub(x, r).Lower(); !left && s.compare(p, lo) <= 0 {
			left = true
		} else if !left && s.at(p) == sign {
			lo, left = p, true
		}
		if p := s.Add(x, r).Upper(); !right && s.compare(p, hi) >= 0 {
			right = true
		} else if !right && s.at(p) == -sign {
			hi, right = p, true
		}
		if left && right {
			break
		}
		r = s.Scale(r, 2)
	}
	return lo, hi
}

// guess approximates the zero between a and b by Newton's iteration for the balance, which far out is nearly linear.
// Where that leaves them, it halves. It returns points between which the zero is, as signs are found.
func (s sum[N]) guess(a, b N, sign Sign) (x, lo, hi N) {
	lo, hi = a, b
	x = s.middle(lo, hi)
	for range 4*s.bits() + 64 {
		if s.compare(x, lo) <= 0 || s.compare(x, hi) >= 0 {
			return x, lo, hi
		}
		y, slope := s.balance(x)
		switch s.sign(y) {
		case sign:
			lo = x
		case -sign:
			hi = x
		default:
			return x, lo, hi // no more is known
		}
		next := s.Mid(s.Sub(x, s.Div(y, slope)))
		if !next.IsFinite() || s.compare(next, lo) <= 0 || s.compare(next, hi) >= 0 {
			next = s.middle(lo, hi)
		}
		if s.settled(next, x) {
			return next, lo, hi
		}
		x = next
	}
	return x, lo, hi
}

// settled reports that two points differ by far less than the arithmetic knows.
func (s sum[N]) settled(a, b N) bool {
	d := s.Sub(a, b).Abs()
	least := s.Scale(s.max(a.Abs(), s.Scale(s.int(1), -8)), 4-s.bits())
	return s.sign(s.Sub(d, least)) <= 0
}
