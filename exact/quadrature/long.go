// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"context"
	"math/big"
	"math/bits"
	"slices"

	"dpverify/exact/interval"
)

// Integers are in two's complement, in limbs of 52 bits, those of several waves side by side: limb i of lane l is at
// i·lanes + l, the least significant first.
const (
	limbBits = 52
	limbMask = 1<<limbBits - 1
	lanes    = 8
	pad      = 3 // limbs of zeros above the others, which vectors read
)

// A wave is one part of a·e^{−ijθ} at two steps that follow each other, of each lane.
type wave struct{ now, next []uint64 }

// A group has waves that are carried on together.
type group struct {
	re, im wave
	c      []uint64      // fractions |cf|
	flip   [lanes]uint64 // all ones where cf < 0
	used   int           // lanes
}

// longSums are sums of waves at j = 0 … n, in units of 2^(E−w), where 2^E bounds the sum of all |a|.
type longSums struct {
	size   int   // limbs of an integer: w + 4 bits at least
	lacks  []int // limbs that sums at j have fewer, which do not become less with j
	groups []group
	acc    []uint64 // scratch
	v, row []uint64 // scratch
}

// leastScale is the scale of waves next to nothing, in bits.
const leastScale = 16

// fixedSum is fallingSum in scale w ≥ 2.
//
// Both parts of a wave are carried on by x_{j+1} = 2cos θ·x_j − x_{j−1}. Let X_j be the exact values in units, Y = |a|
// in units, and c = 2cf with an integer cf·2^w, |cf − cos θ| ≤ ρ·2^−w. A step errs by less than s = 2·size + 2 units,
// see words. With e_j = x_j − X_j,
//
//	e_{j+1} = c·e_j − e_{j−1} + r_j,  |r_j| ≤ |c − 2cos θ|·|X_j| + s ≤ 2ρ·2^−w·Y + s.
//
// Let U_m be the Chebyshev polynomials of the second kind at c/2, U_{−1} = 0: |U_m| ≤ m + 1, as |c/2| ≤ 1. By induction
//
//	e_j = U_{j−1}·e_1 − U_{j−2}·e_0 + Σ_{0<i<j} U_{j−1−i}·r_i,
//
// so |e_j| ≤ (2j + 1)·e + (2ρ·2^−w·Y + s)·j²/2 if |e_0|, |e_1| ≤ e. As the Y add up to at most 2^w, the error of a
// sum of N waves is, for the largest ρ, at most
//
//	(2j + 1)·Σ e + (2ρ + N·s)·j²/2.
//
// Where that is below 2^w, nothing overflows: 52·size ≥ w + 5. However many waves were added, |S_j| of those is at most
// their Σ Y and their errors, parts of what all have, and so below 2^(w+1), as |x_j| is. |c·x_j| is below 2^(w+2), and
// x_{j+1} with its s ≤ 2^(w+1) below 2^(w+3) ≤ 2^(52·size − 2). Where it is not, the trivial |S_j| ≤ Σ |a_k| is the
// bound; it is so for all larger j, so that nothing is taken from what has overflowed.
//
// Where sums lack m limbs more from j on, so do x_j, x_{j+1} and cf, which are rounded down: that is the start of a sum
// in scale w − 52m with the bounds ⌈E·2^−52m⌉ + N of Σ e, where E bounds the errors at j + 1, which are no less than
// those at j, and ⌈ρ·2^−52m⌉ + 1 of ρ. What was not below 2^w is not below 2^(w−52m) then.
func fixedSum(
	ctx context.Context, p interval.Prec, a, theta []interval.Interval, lacks Lacks, w int,
) ([]interval.Complex, error) {
	const sums = interval.Prec(32)
	total := interval.Int(0)
	for _, x := range a {
		total = sums.Add(total, x.Abs())
	}
	out := make([]interval.Complex, len(lacks))
	hi := total.Hi()
	if hi.Sign() == 0 {
		return out, nil
	}
	all := interval.Bounds(new(big.Float).Neg(hi), hi)
	if hi.IsInf() {
		all = interval.Entire()
		for j := range out {
			out[j] = interval.Complex{Re: all, Im: all}
		}
		return out, nil
	}
	E := hi.MantExp(nil) // Σ |a_k| < 2^E
	s := newLongSums(len(lacks)-1, w)
	for j, most := range lacks {
		s.lacks[j] = min(most, max(w-leastScale, 0)) / limbBits
	}
	start, worst, err := s.addWaves(ctx, a, theta, w, E)
	if err != nil {
		return nil, err
	}
	re, im, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	from, lack := 0, 0
	for j := range out {
		if m := s.lacks[j] - lack; m > 0 {
			start = shortened(s.errorAt(j+1-from, len(a), start, worst), m, len(a))
			worst = shortened(worst, m, 1)
			from, lack, w = j, lack+m, w-limbBits*m
		}
		e := s.errorAt(j-from, len(a), start, worst)
		if e.BitLen() > w {
			out[j] = interval.Complex{Re: all, Im: all}
			continue
		}
		out[j] = interval.Complex{Re: p.FromFixed(re[j], e, w-E), Im: p.FromFixed(im[j], e, w-E)}
	}
	return out, nil
}

// shortened is ⌈e·2^−52m⌉ + more.
func shortened(e *big.Int, m, more int) *big.Int {
	up := new(big.Int).Neg(e)
	return up.Add(up.Neg(up.Rsh(up, uint(limbBits*m))), big.NewInt(int64(more)))
}

// errorAt bounds the error of S_j of so many waves, from Σ e and the largest ρ of fixedSum.
func (s *longSums) errorAt(j, waves int, start, worst *big.Int) *big.Int {
	bend := new(big.Int).Lsh(worst, 1)
	bend.Add(bend, big.NewInt(int64(waves)*int64(2*s.size+2)))
	bend.Mul(bend, new(big.Int).Mul(big.NewInt(int64(j)), big.NewInt(int64(j))))
	bend.Rsh(bend.Add(bend, big.NewInt(1)), 1)
	return bend.Add(bend, new(big.Int).Mul(start, big.NewInt(2*int64(j)+1)))
}

// newLongSums returns sums of no waves, in scale w.
func newLongSums(n, w int) *longSums {
	size := (w+4)/limbBits + 1
	words := func(n int) []uint64 { return make([]uint64, n) }
	return &longSums{size, make([]int, n+1), nil, words((size + 4) * lanes), words(size), words(size)}
}

// addWaves adds the waves a_k·e^{−ijθ_k}. It returns Σ e and the largest ρ of fixedSum.
func (s *longSums) addWaves(
	ctx context.Context, a, theta []interval.Interval, w, exponent int,
) (start, worst *big.Int, err error) {
	q := interval.Prec(max(w, interval.MinPrec)) + 4
	start, worst = new(big.Int), new(big.Int)
	one := new(big.Int).Lsh(big.NewInt(1), uint(w))
	limit := new(big.Int).Sub(one, big.NewInt(1)) // of |cf·2^w|
	for k := range a {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		turn := q.ExpI(theta[k].Neg())
		cos, rho := Integer(turn.Re, w)
		flip := uint64(0)
		if cos.Sign() < 0 {
			flip = ^flip
			cos.Neg(cos)
		}
		if cos.Cmp(limit) > 0 {
			rho.Add(rho, new(big.Int).Sub(cos, limit))
			cos.Set(limit)
		}
		if rho.Cmp(worst) > 0 {
			worst = rho
		}
		x0, e := Integer(a[k], w-exponent)
		x1, e1 := Integer(q.Mul(a[k], turn.Re), w-exponent)
		y1, e2 := Integer(q.Mul(a[k], turn.Im), w-exponent)
		for _, other := range []*big.Int{e1, e2} {
			if other.Cmp(e) > 0 {
				e = other
			}
		}
		start.Add(start, e)
		s.add(cos.Lsh(cos, uint(limbBits*s.size-w)), flip, [2]*big.Int{x0, x1}, [2]*big.Int{new(big.Int), y1})
	}
	return start, worst, nil
}

// add adds a wave with the fraction c, whose parts begin with x and y.
func (s *longSums) add(c *big.Int, flip uint64, x, y [2]*big.Int) {
	if n := len(s.groups); n == 0 || s.groups[n-1].used == lanes {
		limbs := make([]uint64, 5*(s.size+pad)*lanes)
		next := func() (x []uint64) {
			x, limbs = limbs[:s.size*lanes], limbs[(s.size+pad)*lanes:]
			return x
		}
		s.groups = append(s.groups, group{re: wave{next(), next()}, im: wave{next(), next()}, c: next()})
	}
	g := &s.groups[len(s.groups)-1]
	put(g.c, g.used, c)
	put(g.re.now, g.used, x[0])
	put(g.re.next, g.used, x[1])
	put(g.im.now, g.used, y[0])
	put(g.im.next, g.used, y[1])
	g.flip[g.used] = flip
	g.used++
}

// put sets a lane of x to n, modulo what it holds.
func put(x []uint64, lane int, n *big.Int) {
	words := make([]uint64, len(x)/lanes*limbBits/64+2)
	for i, d := range n.Bits() {
		if at := i * bits.UintSize; at/64 < len(words) {
			words[at/64] |= uint64(d) << (at % 64)
		}
	}
	minus := uint64(0)
	if n.Sign() < 0 {
		minus = 1
	}
	carry := minus
	for i := range words {
		words[i], carry = bits.Add64(words[i]^-minus, 0, carry)
	}
	for i := range len(x) / lanes {
		at, by := i*limbBits/64, i*limbBits%64
		x[i*lanes+lane] = (words[at]>>by | words[at+1]<<1<<(63-by)) & limbMask
	}
}

// across is the sum of all lanes of x, each of whose limbs is a sum of some.
func across(x []uint64) *big.Int {
	size := len(x) / lanes
	words := make([]uint64, size*limbBits/64+2)
	var low, high uint64
	for i := range size {
		for _, d := range x[i*lanes:][:lanes] {
			var carry uint64
			low, carry = bits.Add64(low, d, 0)
			high += carry
		}
		at, by := i*limbBits/64, i*limbBits%64
		words[at] |= low & limbMask << by
		words[at+1] |= low & limbMask >> 1 >> (63 - by)
		low, high = high<<(64-limbBits)|low>>limbBits, high>>limbBits
	}
	const each = 64 / bits.UintSize
	digits := make([]big.Word, each*len(words))
	for i := range digits {
		digits[i] = big.Word(words[i/each] >> (i % each * bits.UintSize))
	}
	n := new(big.Int).SetBits(digits)
	if most := uint(size * limbBits); n.Bit(int(most)-1) != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), most))
	}
	return n
}

// mostTogether is how many groups are added up without carries: limbs are below 2^52.
const mostTogether = 1 << 11

// run carries all waves on, and returns the sums of their parts. The first wave is carried on in words, too, where
// others are in vectors.
func (s *longSums) run(ctx context.Context) (re, im []*big.Int, err error) {
	const block = 64 // steps
	for range s.lacks {
		re, im = append(re, new(big.Int)), append(im, new(big.Int))
	}
	first := s.groups[0].copied(1)
	sums, scratch := make([]uint64, 2*block*s.size*lanes), make([]uint64, s.size*lanes)
	at := func(j int) (re, im []uint64) {
		n := (s.size - s.lacks[j]) * lanes
		x := sums[2*(j%block)*s.size*lanes:]
		return x[:n], x[s.size*lanes:][:n]
	}
	for from := 0; from < len(s.lacks); from += block {
		end := min(from+block, len(s.lacks))
		for groups := range slices.Chunk(s.groups, mostTogether) {
			clear(sums)
			for i := range groups {
				if err := ctx.Err(); err != nil {
					return nil, nil, err
				}
				for j := from; j < end; j++ {
					x, y := at(j)
					s.step(&groups[i], x, y, vectors)
				}
			}
			for j := from; j < end; j++ {
				x, y := at(j)
				re[j].Add(re[j], across(x))
				im[j].Add(im[j], across(y))
			}
		}
		if vectors {
			for j := from; j < end; j++ {
				n := (s.size - s.lacks[j]) * lanes
				s.step(&first, scratch[:n], scratch[:n], false)
			}
			if !first.starts(&s.groups[0]) {
				panic("quadrature: internal error: vectors and words differ")
			}
		}
	}
	return re, im, nil
}

// copied returns a copy of so many waves of g, for words.
func (g *group) copied(used int) group {
	copied := func(x wave) wave { return wave{slices.Clone(x.now), slices.Clone(x.next)} }
	return group{copied(g.re), copied(g.im), g.c, g.flip, used}
}

// starts reports whether other is at the same step as g, as far as the first wave shows.
func (g *group) starts(other *group) bool {
	for i := 0; i < len(g.c); i += lanes {
		if g.re.now[i] != other.re.now[i] || g.re.next[i] != other.re.next[i] ||
			g.im.now[i] != other.im.now[i] || g.im.next[i] != other.im.next[i] {
			return false
		}
	}
	return len(g.c) == len(other.c)
}

// step adds the waves of a group to sums of as many limbs or fewer, and carries them on.
func (s *longSums) step(g *group, re, im []uint64, inVectors bool) {
	if lack := len(g.c) - len(re); lack > 0 {
		g.c = g.c[lack:]
		g.re, g.im = wave{g.re.now[lack:], g.re.next[lack:]}, wave{g.im.now[lack:], g.im.next[lack:]}
	}
	s.carry(re, g.re, g, inVectors)
	s.carry(im, g.im, g, inVectors)
	g.re, g.im = wave{g.re.next, g.re.now}, wave{g.im.next, g.im.now}
}

// carry is words, or the same in vectors.
func (s *longSums) carry(sum []uint64, x wave, g *group, inVectors bool) {
	if size := len(g.c) / lanes; inVectors && size <= mostInVectors {
		stepVectors(&s.acc[0], &sum[0], &x.now[0], &x.next[0], &g.c[0], &g.flip[0], size)
		return
	}
	s.words(sum, x, g)
}

// mostInVectors is the most limbs of stepVectors.
const mostInVectors = 256

// words adds the numbers of x now to a sum, and sets them to those after the next ones: x_{j+1} = ±2·x_j·c − x_{j−1},
// where the sign is − if flip is all ones.
//
// Rounding: of the products of limbs of x_j and c, those below the limb before the last of the result are left out.
// There are size − 1 of the weight 2^−52 next below it, less than a unit each, and less than a unit of all others
// together; the limb before the last is cut off, less than a unit again. So x_j·c is low by less than size + 1 units,
// and twice that by less than 2·size + 2. As limbs without a sign a negative x_j exceeds what it stands for by
// 2^(52·size), so that the product exceeds by c, exactly.
func (s *longSums) words(sum []uint64, x wave, g *group) {
	size := len(g.c) / lanes
	acc, v, rows := s.acc[:size+1], s.v[:size], s.row[:size]
	for l := range g.used {
		for i := range size {
			v[i], rows[size-1-i] = x.next[i*lanes+l], g.c[i*lanes+l]
		}
		var low, high uint64 // of a column: the products of limbs of one weight
		for t := range size {
			row := rows[:size-t]
			for i, d := range v[t:][:len(row)] {
				hi, lo := bits.Mul64(d, row[i])
				var carry uint64
				low, carry = bits.Add64(low, lo, 0)
				high, _ = bits.Add64(high, hi, carry)
			}
			acc[t] = low & limbMask
			low, high = high<<(64-limbBits)|low>>limbBits, high>>limbBits
		}
		acc[size] = low
		minus, flip := -(v[size-1] >> (limbBits - 1)), g.flip[l]
		var carry uint64 // with a sign
		for i := range size {
			at := i*lanes + l
			u := x.now[at]
			sum[at] += u
			d := 2 * (acc[i+1] - g.c[at]&minus)
			d = (d ^ flip) - flip - u + carry
			x.now[at] = d & limbMask
			carry = uint64(int64(d) >> limbBits)
		}
	}
}
