// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"math"
	"math/big"
	"math/bits"
)

// A run is the nodes from, …, to.
type run struct{ from, to int64 }

const (
	// maxNodes bounds the nodes that a sieve leaves, times the releases, and maxKept those of them that are kept.
	// maxSlow is for sums with numbers that words do not hold, maxPartial for those that stop at some U: eight bits more
	// take 16 times as many nodes there.
	maxNodes   = 1 << 24
	maxKept    = 1 << 19
	maxSlow    = 1 << 17
	maxPartial = 1 << 16
	minNodes   = 1 << 10
	// maxDoubles is the precision up to which binary64 holds the least Φ; it holds squares of 1/N up to a third of it.
	maxDoubles = 900
	// maxWork bounds the runs that a sieve looks at, maxWorkPartial where it stops at some U.
	maxWork        = 1 << 23
	maxWorkPartial = 1 << 22
	// circleBits says that a full turn is circle units of the sieve.
	circleBits = 61
	circle     = 1 << circleBits
)

// A band says for one release which nodes are near a multiple: those whose j·step is less than reach from one of
// circle.
type band struct{ step, reach int64 }

// A siever collects the nodes that are in all bands.
type siever struct {
	bands []band
	runs  []run
	nodes int64
	work  int64 // that is left
}

// sieve returns runs of 0, …, last that contain every node with Φ(u_j) > e^(−T), and reports false where there are too
// many.
//
// Lemma. |φ_i| falls on [0, π], and has the period 2π. Proof: by the triple product, φ_i(θ) is a constant times Π |1 +
// q^(2n−1)·e^(iθ)|², 0 < q < 1, and |1 + re^(iθ)|² = 1 + 2r·cos θ + r² falls. ∎
//
// So with φ_i(w_i)^(m_i) ≤ e^(−T), such a node has n_i·j within N·w_i/2π of a multiple of N, for every i. Releases are
// taken in the order of n_i: the first ones leave few runs.
func (x *law) sieve(c choice) ([]run, bool) {
	s := siever{work: maxWork}
	if c.partial() {
		s.work = maxWorkPartial
	}
	for i := range x.releases {
		r := &x.releases[i]
		step, exact := r.turn(c.nodes)
		reach := r.window(c.sieve) << (circleBits - windowBits)
		if !exact {
			reach += c.last // a turn that is off by a part of a unit is off by less than j after j steps
		}
		if step > 0 && reach < circle/2 { // otherwise every node is near a multiple
			s.bands = append(s.bands, band{step, reach})
		}
	}
	most := int64(maxNodes)
	if c.prec > maxWords {
		most = maxSlow
	}
	if len(s.bands) > 0 && floorOf(s.bands[0].step, c.last, 0, circle) > s.work {
		return nil, false
	}
	ok := s.descend(0, run{0, c.last}, most/int64(len(x.releases))+minNodes)
	return s.runs, ok
}

// kept are the nodes that are added up: those whose Φ may be large, and those for which few bits are enough.
type kept struct{ main, faint []int64 }

// keep returns the nodes of a sieve, without some that have Φ(u_j) ≤ e^(−T)·max(1, |u_j|), and reports false where
// there are too many.
func (x *law) keep(c choice) (out kept, ok bool) {
	runs, ok := x.sieve(c)
	if !ok {
		return kept{}, false
	}
	most := maxKept
	if c.partial() {
		most = maxPartial
	}
	few := math.Inf(-1)
	if c.prec < maxDoubles && c.nodes.BitLen() < maxDoubles/3 {
		few = -math.Ln2 * float64(c.prec-guardBits-doubleBits)
	}
	height := 2 * math.Pi / near(c.period)
	turns, slack := make([]turn, len(x.releases)), 1.0
	for i, r := range x.releases {
		turns[i] = newTurn(r.step, c.nodes)
		slack += float64(r.count) * (2*math.Pi*math.Pi/r.rough + 4) * 0x1p-38
	}
	for _, v := range runs {
		for j := v.from; j <= v.to; j++ {
			least := math.Log(max(1, height*float64(j))) - float64(c.sieve) - slack
			faint := 0.0
			for i := range x.releases {
				if faint += x.releases[i].faint(turns[i].rough(j)); faint < least {
					break
				}
			}
			// In float64 each summand is off by less than 2^−40 of fall + 4 and of itself, which the slack covers.
			switch {
			case faint < least:
				continue
			case faint < few+2*math.Log(max(1, height*float64(j)/(2*float64(c.tilt)))): // the bracket falls with 1/u²
				out.faint = append(out.faint, j)
			default:
				out.main = append(out.main, j)
			}
			if len(out.main)+len(out.faint) > most {
				return kept{}, false
			}
		}
	}
	return out, true
}

// faint returns about a bound of log φ_i(2πτ)^(m_i) from above, −mθ²/2ρ + m·log η(θ).
func (r *release) faint(rough float64) float64 {
	if r.rough > direct {
		return 0
	}
	fall := 2 * math.Pi * math.Pi / r.rough
	// e^(−c_k(k ± 2τ)), k ≥ 1, come to less than 4 times the greatest of them.
	return float64(r.count) * (-fall*rough*rough + 4*math.Exp(-fall*(1-2*rough)))
}

// turn returns n_i/N of a turn in units, rounded down, or of its reverse; and whether that is exact.
func (r *release) turn(nodes *big.Int) (units int64, exact bool) {
	n := new(big.Int).Lsh(new(big.Int).Mod(r.step, nodes), circleBits)
	rest := new(big.Int)
	n.QuoRem(n, nodes, rest)
	units = n.Int64()
	return min(units, circle-units), rest.Sign() == 0
}

// descend takes up what of a run is in all bands from the i-th on, and reports false if that is too much.
func (s *siever) descend(i int, v run, most int64) bool {
	if i == len(s.bands) {
		s.runs, s.nodes = append(s.runs, v), s.nodes+v.to-v.from+1
		return s.nodes <= most
	}
	b := s.bands[i]
	// k·circle − reach ≤ step·j ≤ k·circle + reach
	last := floorOf(b.step, v.to, b.reach, circle)
	for k := ceilOf(b.step, v.from, -b.reach, circle); k <= last; k++ {
		if s.work--; s.work < 0 {
			return false
		}
		from, to := max(v.from, ceilOf(k, circle, -b.reach, b.step)), min(v.to, floorOf(k, circle, b.reach, b.step))
		if from <= to && !s.descend(i+1, run{from, to}, most) {
			return false
		}
	}
	return true
}

// floorOf returns ⌊(ab + c)/n⌋ for a, b ≥ 0 and n > 0 below 2^62, |c| < 2^62, where it is below 2^62.
func floorOf(a, b, c, n int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	var carry uint64
	if c >= 0 {
		lo, carry = bits.Add64(lo, uint64(c), 0)
		hi += carry
	} else {
		lo, carry = bits.Sub64(lo, uint64(-c), 0)
		if carry > hi { // negative, and at least c
			return -(int64(-lo) + n - 1) / n
		}
		hi -= carry
	}
	q, _ := bits.Div64(hi, lo, uint64(n))
	return int64(q)
}

// ceilOf returns ⌈(ab + c)/n⌉, for the same.
func ceilOf(a, b, c, n int64) int64 { return floorOf(a, b, c+n-1, n) }
