// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"cmp"
	"iter"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"dpverify/exact/double"
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
	// maxWork bounds the runs that a sieve looks at.
	maxWork = 1 << 23
	// maxBands bounds the releases that a sieve goes by.
	maxBands = 64
	// ulps times the size of a form is more than its rounding errors: see form.
	ulps = 0x1p-42
)

// A band is a release in a sieve: −log φ_i^(m_i) ≥ weight·τ² at a distance of τ turns from a multiple of a turn.
type band struct {
	phase
	weight float64
	apart  float64 // nodes from multiple to multiple, 1/slope
}

// A phase is j·n_i/N, modulo 1, from n_i/N in units of 2^−128, rounded down.
type phase struct {
	high, low uint64
	slope     float64 // n_i/N less the nearest integer, to a relative 2^−52
}

func newPhase(step, nodes *big.Int) phase {
	n := new(big.Int).Mod(step, nodes)
	share := new(big.Rat).SetFrac(n, nodes)
	n128 := new(big.Int).Lsh(n, 128)
	n128.Quo(n128, nodes)
	out := phase{low: new(big.Int).And(n128, new(big.Int).SetUint64(math.MaxUint64)).Uint64()}
	out.high = n128.Rsh(n128, 64).Uint64()
	if share.Cmp(big.NewRat(1, 2)) > 0 {
		share.Sub(share, big.NewRat(1, 1))
	}
	out.slope = double.Near(share)
	return out
}

// at returns j·n_i/N less the nearest integer, 0 ≤ j < 2^62, off by less than 2^−62 and 2^−53 of itself.
func (p *phase) at(j int64) float64 {
	carry, _ := bits.Mul64(uint64(j), p.low)
	return float64(int64(uint64(j)*p.high+carry)) * 0x1p-64
}

// A siever collects the nodes that are near multiples of a turn for all bands.
type siever struct {
	bands []band
	runs  []run
	nodes int64
	work  int64   // that is left
	below float64 // T
}

// sieve returns disjoint runs of 0, …, last that contain every node with Φ(u_j) > e^(−T)·max(1, u_j), in their order,
// and reports false where there are too many.
//
// Lemma. |φ_i| falls on [0, π], and has the period 2π. Proof: by the triple product, φ_i(θ) is a constant times Π |1 +
// q^(2n−1)·e^(iθ)|², 0 < q < 1, and |1 + re^(iθ)|² = 1 + 2r·cos θ + r² falls. ∎
//
// Lemma. −log φ_i(2πτ) ≥ −4τ²·log φ_i(π) for |τ| ≤ 1/2. Proof. Let f = log φ_i. Theta functions are quasi-periodic: f″
// has two periods, 2π and another one that is imaginary, and f‴ has, in a cell of them, one pole, which is triple, at
// the zero of φ_i. So f‴ has three zeros there. It is odd about each of the four points that are halves of periods, of
// which the zero of φ_i is one: the other three are its zeros, and none is in (0, π). So f″ is monotone on [0, π], and
// f(θ)/θ² = ∫_0^1 (1 − s)·f″(sθ) ds is, too. It rises, for f″(0) < 0 ≤ f″(π), where φ_i is greatest and least. ∎
//
// So with c_i = −4m_i·log φ_i(π) the energy Σ c_i·τ_i² of such a node, of its distances τ_i from multiples of a turn,
// is below T − log max(1, u_j). For given multiples it is a quadratic form in j: it is below T on a run. Releases are
// taken one after the other, those of few multiples first, and a run is given up when its form is above T everywhere.
// The nodes are taken in pieces in which u_j at most doubles, so that T falls.
func (x *law) sieve(c choice) ([]run, bool) {
	s := siever{work: maxWork}
	for _, r := range x.releases {
		b := band{phase: newPhase(r.step, c.nodes), weight: r.weight}
		b.apart = 1 / b.slope
		if a := b.weight * b.slope * b.slope; a > 0x1p-900 && b.weight < 0x1p900 { // its energy is more than nothing
			s.bands = append(s.bands, b)
		}
	}
	most := int64(maxNodes)
	switch {
	case c.partial():
		most = 2 * maxPartial * int64(len(x.releases))
	case c.prec > maxWords:
		most = maxSlow
	}
	most = most/int64(len(x.releases)) + minNodes
	if len(s.bands) == 0 {
		return []run{{0, c.last}}, c.last < most
	}
	s.order()
	if float64(c.last)*math.Abs(s.bands[0].slope) > float64(s.work) || c.partial() && s.expected(c) > 4*float64(most) {
		return nil, false
	}
	for v := range c.pieces() {
		s.below = c.below(v.from)
		if !s.multiples(v, most) {
			return nil, false
		}
	}
	return s.merged(), true
}

// pieces are runs of 0, …, last in which u_j at most doubles, but for the first one, where it is at most about 1.
func (c choice) pieces() iter.Seq[run] {
	return func(yield func(run) bool) {
		for from, to := int64(0), int64(math.Min(double.Near(c.period)/(2*math.Pi), maxLast)); ; from, to = to+1, 2*to+1 {
			if !yield(run{from, min(to, c.last)}) || to >= c.last {
				return
			}
		}
	}
}

// below is T − log max(1, u_j), rounded up.
func (c choice) below(j int64) float64 {
	u := 2 * math.Pi * float64(j) / double.Near(c.period) * (1 - ulps)
	return float64(c.sieve)*(1+ulps) - math.Log(max(1, u))*(1-ulps) + ulps
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
	height := 2 * math.Pi / double.Near(c.period)
	phases, slack := make([]phase, len(x.releases)), 1.0
	for i, r := range x.releases {
		phases[i] = newPhase(r.step, c.nodes)
		slack += float64(r.count) * (2*math.Pi*math.Pi/r.rough + 4) * 0x1p-38 // more than e^(−40) besides
	}
	for _, v := range runs {
		for j := v.from; j <= v.to; j++ {
			least := math.Log(max(1, height*float64(j))) - float64(c.sieve) - slack
			faint := 0.0
			for i := range x.releases {
				if faint += x.releases[i].faint(math.Abs(phases[i].at(j))); faint < least {
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

// faint returns about a bound of log φ_i(2πτ)^(m_i) from above, −mθ²/2ρ + m·log η(θ), or what weight says.
func (r *release) faint(tau float64) float64 {
	if r.rough > direct {
		return -r.weight * tau * tau
	}
	fall := 2 * math.Pi * math.Pi / r.rough
	more := 0.0
	if beyond := fall * (1 - 2*tau); beyond < 40 {
		// e^(−c_k(k ± 2τ)), k ≥ 1, come to less than 4 times the greatest of them.
		more = 4 * math.Exp(-beyond)
	}
	return float64(r.count) * (more - fall*tau*tau)
}

// expected is about how many nodes a sieve leaves if distances from multiples are independent: the volume of the
// ellipsoids Σ weight·τ² ≤ T − log max(1, u).
func (s *siever) expected(c choice) float64 {
	nodes := 0.0
	for v := range c.pieces() {
		below := c.below(v.from)
		if below <= 0 {
			break
		}
		log, dimension := math.Log(float64(v.to-v.from+1)), 0.0
		for _, b := range s.bands {
			if b.weight > 4*below {
				log += math.Log(math.Pi*below/b.weight) / 2
				dimension++
			}
		}
		ball, _ := math.Lgamma(dimension/2 + 1)
		nodes += math.Exp(log - ball)
	}
	return nodes
}

// order puts the release with the fewest multiples first, and then those that leave the fewest nodes.
func (s *siever) order() {
	slices.SortStableFunc(s.bands, func(a, b band) int { return cmp.Compare(b.weight, a.weight) })
	first := 0
	for i, b := range s.bands {
		if math.Abs(b.slope) < math.Abs(s.bands[first].slope) {
			first = i
		}
	}
	b := s.bands[first]
	s.bands = slices.Insert(slices.Delete(s.bands, first, first+1), 0, b)
	s.bands = s.bands[:min(len(s.bands), maxBands)]
}

// merged are the runs in their order, those that meet as one.
func (s *siever) merged() (out []run) {
	slices.SortFunc(s.runs, func(a, b run) int { return cmp.Compare(a.from, b.from) })
	for _, v := range s.runs {
		if n := len(out); n > 0 && v.from <= out[n-1].to+1 {
			out[n-1].to = max(out[n-1].to, v.to)
		} else {
			out = append(out, v)
		}
	}
	return out
}

// A form is the energy a·x² + 2b·x + c at the node at + x: what some bands have there, relative to some multiples each.
// Exact coefficients are off by at most ulps·(a, √a·size, size²), where size ≥ √c is at least the Σ √weight·|τ| that
// went into it, and what it was moved by, in units of 1/√a.
//
// So a·x² + 2b·x + c ≤ T demands the same of the form with (1 − 2·ulps)·a and T + 2·ulps·size² in their places, as
// 2·√a·size·|x| ≤ a·x² + size².
type form struct {
	at            int64
	a, b, c, size float64
}

// with adds the energy of a band that is at a distance of τ from a multiple at f.at.
//
// Rounded products and sums are off by at most twelve units of 2^−53 of a, of √a·size and of size² for each band, as
// are slope and τ, which has an error of 2^−62 beside; so is what a move adds. There are at most maxBands = 2^6 of
// them.
func (f form) with(b *band, tau float64) form {
	w := b.weight
	f.a += w * b.slope * b.slope
	f.b += w * b.slope * tau
	f.c += w * tau * tau
	f.size += math.Sqrt(w) * (math.Abs(tau) + 0x1p-16)
	return f
}

// moved is f about another node.
func (f form) moved(to int64) form {
	d := float64(to - f.at)
	f.at = to
	f.c += d * (2*f.b + f.a*d)
	f.b += f.a * d
	f.size += math.Sqrt(f.a) * math.Abs(d)
	return f
}

// least returns where f is least, relative to f.at.
func (f form) least() float64 { return -f.b / (f.a * (1 - 2*ulps)) }

// within returns the part of a run where f may be at most below, and where a multiple of b that is at a distance of τ
// at f.at may be the nearest one.
func (f form) within(v run, below float64, b *band, tau float64) (run, bool) {
	x := f.least()
	rest := below - (f.c + f.b*x) + 4*ulps*f.size*f.size
	if !(rest >= 0) {
		return run{}, false
	}
	reach := math.Sqrt(rest/f.a)*(1+4*ulps) + math.Abs(x)*4*ulps
	middle, half := -tau*b.apart, math.Abs(0.5*b.apart)+1 // off by less than half a node, for up to maxLast
	v.from = max(v.from, f.at+clipped(math.Floor(max(x-reach, middle-half))))
	v.to = min(v.to, f.at+clipped(math.Ceil(min(x+reach, middle+half))))
	return v, v.from <= v.to
}

// clipped is x as an integer, for |x| < 2^60.
func clipped(x float64) int64 {
	switch {
	case x > 0x1p60:
		return 1 << 60
	case x < -0x1p60:
		return -1 << 60
	}
	return int64(x)
}

// multiples takes up what of a run is near multiples of the first band.
func (s *siever) multiples(v run, most int64) bool {
	b := &s.bands[0]
	slope := math.Abs(b.slope)
	if slope > 0.25 {
		return s.add(v, most) // every fourth node or so is near one
	}
	last := clipped(math.Ceil(slope*float64(v.to))) + 1
	for k := max(clipped(slope*float64(v.from))-1, 0); k <= last; k++ {
		if s.work--; s.work < 0 {
			return false
		}
		// k/slope is off by less than half a node, so that the k-th multiple is the one that is nearest at j.
		j := int64(float64(k)*math.Abs(b.apart) + 0.5)
		tau := b.at(j)
		f := form{at: j}.with(b, tau)
		near, ok := f.within(v, s.below, b, tau)
		if ok && !s.descend(1, near, f, most) {
			return false
		}
	}
	return true
}

// descend takes up what of a run is near multiples of all bands from the i-th on. It reports false if that is too much.
func (s *siever) descend(i int, v run, f form, most int64) bool {
	if i == len(s.bands) {
		return s.add(v, most)
	}
	b := &s.bands[i]
	f = f.moved(min(max(f.at+clipped(math.Floor(f.least()+0.5)), v.from), v.to))
	tau := b.at(f.at)
	// Only multiples that are the nearest one at some node of the run matter.
	far := 0.5 + ulps + math.Abs(b.slope)*(1+ulps)*float64(max(v.to-f.at, f.at-v.from))
	for k := math.Ceil(tau - far); k <= tau+far; k++ {
		if s.work--; s.work < 0 {
			return false
		}
		g := f.with(b, tau-k)
		near, ok := g.within(v, s.below, b, tau-k)
		if ok && !s.descend(i+1, near, g, most) {
			return false
		}
	}
	return true
}

// add adds a run, and reports false if there are too many nodes.
func (s *siever) add(v run, most int64) bool {
	s.runs, s.nodes = append(s.runs, v), s.nodes+v.to-v.from+1
	return s.nodes <= most
}
