// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"slices"
)

// A rejection is why something is not accepted. Whatever goes wrong ends in one.
type rejection struct{ error }

func rejectIf(wrong bool, format string, args ...any) {
	if wrong {
		panic(rejection{fmt.Errorf(format, args...)})
	}
}

// recovered turns a panic into an error.
func recovered(err *error) {
	r := recover()
	if known, ok := r.(rejection); ok {
		*err = known.error
	} else if r != nil {
		*err = fmt.Errorf("internal error: %v", r)
	}
}

// work is what has been spent on a claims file, or on a certificate, in about nanoseconds. What takes memory is counted
// as some, too.
var work float64

func spend(x float64) {
	work += x
	rejectIf(work > maxWork, "it would take too long")
}

// spendProduct is for a product of numbers of so many bits, twice.
func spendProduct(x, y int) { spend(200 + float64(x)*float64(y)/1000) }

// check accepts the verdict of a certificate on a claim, or says why not. That is where it is
// decided what has to be shown; the certificate says nothing of it but the verdict.
func (c *claim) check(data []byte, unread error) (verdict string, err error) {
	defer recovered(&err)
	work = 0
	rejectIf(unread != nil, "%w", unread)
	rejectIf(c.problem != nil, "the claim is not understood: %v", c.problem)
	rejectIf(c.stated, "the event states the claim: nothing is verified")
	cert := readCertificate(data)
	rejectIf(cert.Claim != fmt.Sprintf("%x", sha256.Sum256([]byte(c.statement))), "it is for another claim")
	other := func(f *factor) bool { return f.only != "" && f.only != cert.Verdict }
	rejectIf(slices.ContainsFunc(c.factors, other), "%s of what is bounded from the other side only", cert.Verdict)
	var shown []direction
	for _, ch := range cert.Chains {
		shown = append(shown, ch.Direction)
		c.choose(ch.Pair)
		if c.epsilon == nil {
			rejectIf(ch.Grid != nil || c.divergences(ch.Direction) != cert.Verdict, "divergences that do not decide the claim")
			continue
		}
		least, most := c.bounds(ch, cert.Verdict)
		decided := map[string]bool{"VERIFIED": most.Cmp(c.delta) <= 0, "REFUTED": least.Cmp(c.delta) > 0}[cert.Verdict]
		rejectIf(!decided, "bounds %s and %s do not decide the claim", least.FloatString(24), most.FloatString(24))
	}
	need := c.directions()
	refutes := len(shown) == 1 && slices.Contains(need, shown[0])
	enough := map[string]bool{"VERIFIED": slices.Equal(shown, need), "REFUTED": refutes}[cert.Verdict]
	rejectIf(!enough, "%s for the directions %v, want %v", cert.Verdict, shown, need)
	return cert.Verdict, nil
}

// choose gives each promise a pair of two outcomes, by the first masses of P and Q, which has to keep it both ways. It
// is one of all that do.
func (c *claim) choose(masses []string) {
	for _, f := range c.factors {
		if f.promise != nil {
			rejectIf(len(masses) < 2, "no pair for %s", f.name)
			p, q := reduced(masses[0]), reduced(masses[1])
			kept := finitePair([]*big.Rat{p, oneLess(p)}, []*big.Rat{q, oneLess(q)})
			kept.count, f.pair, masses = 1, kept.pair, masses[2:]
			promise := &claim{rho: f.promise, factors: []*factor{kept}}
			known := within(p, 0, 1) && within(q, 0, 1) && promise.divergences(remove) == "VERIFIED"
			rejectIf(!known || promise.divergences(add) != "VERIFIED", "a pair that is not known to keep %s", f.name)
		}
	}
	rejectIf(len(masses) > 0, "pairs for nothing")
}

// bounds bounds δ(ε) in the direction of a chain.
func (c *claim) bounds(ch chain, verdict string) (below, above *big.Rat) {
	g := ch.Grid
	if g == nil {
		return c.closed(ch.Direction)
	}
	g.read(verdict)
	rejectIf(len(g.Leaves) != len(c.factors), "%d leaves for %d parts", len(g.Leaves), len(c.factors))
	// Tails of P-mass 2^−P are computed by terms of up to 2^P, and multiplied with e^far.
	most := 0.0
	for _, l := range g.Leaves {
		step, _ := l.step.Float64()
		most = max(most, step*float64(max(slices.Max(l.Index), -slices.Min(l.Index))))
	}
	setPrecision(2*g.Bits + 32 + uint(min(3*most, 600)))
	copies := make([][]*vector, len(c.factors)) // each twice as coarse as the one before
	for i, f := range c.factors {
		leaves := map[string]func(*grid, leaf, direction) *vector{"VERIFIED": f.dominating, "REFUTED": f.groups}
		v := leaves[verdict](g, g.Leaves[i], ch.Direction)
		v.count = make([]int64, len(c.factors))
		v.count[i] = 1
		copies[i] = []*vector{v}
		for range g.Leaves[i].Levels {
			v = v.coarsen()
			copies[i] = append(copies[i], v)
		}
	}
	v, w := run(g.Plan, copies)
	for i, f := range c.factors {
		rejectIf(v.count[i]+w.count[i] != f.count, "%s is not composed %d times", f.name, f.count)
	}
	rejectIf(v.step.Cmp(g.step) != 0, "the last step is not the chain's")
	d := delta(v, w, c.epsilon)
	least := map[string]*big.Rat{"VERIFIED": new(big.Rat), "REFUTED": d.low()}[verdict]
	return least, map[string]*big.Rat{"VERIFIED": d.high(), "REFUTED": big.NewRat(1, 1)}[verdict]
}

// run runs the plan, a program for a stack, which leaves two vectors.
func run(plan []operation, copies [][]*vector) (v, w *vector) {
	var stack []*vector
	for _, o := range plan {
		n := len(stack)
		needs, ok := map[string]int{"leaf": 0, "dup": 1, "coarsen": 1, "cut": 1, "times": 2}[o.Op]
		rejectIf(!ok || n < needs || n > 100 || len(plan) > 10_000, "a plan that cannot be followed")
		rejectIf(o.Op != "leaf" && o.Op != "cut" && (o.X != 0 || o.Y != 0), "a step of the plan with numbers for nothing")
		switch o.Op {
		case "leaf":
			rejectIf(o.X < 0 || o.X >= len(copies) || o.Y < 0 || o.Y >= len(copies[o.X]), "a plan with a leaf that is not there")
			stack = append(stack, copies[o.X][o.Y])
		case "dup":
			stack = append(stack, stack[n-1])
		case "coarsen":
			stack[n-1] = stack[n-1].coarsen()
		case "cut":
			stack[n-1] = stack[n-1].cut(o.X, o.Y)
		case "times":
			stack = append(stack[:n-2], stack[n-2].times(stack[n-1]))
		}
	}
	rejectIf(len(stack) != 2, "a plan that leaves %d vectors", len(stack))
	return stack[0], stack[1]
}

// dominating is the leaf of the upper side, if its profile u is at least the factor's: u is
// linear between 0, the kinks e^(x_k), and infinity, and the factor's is convex and falls, so
// that it is enough to compare them at the kinks (docs/checker.md, theorem 2). At 0, u is 1.
func (f *factor) dominating(g *grid, l leaf, d direction) *vector {
	last := l.Index[len(l.Index)-1]
	v := newVector(l.step, l.Index[0], last, g.Bits, nil)
	v.a = zeros(int(last-v.first)+1, v.prec)
	total, lost := new(big.Int), integer(0)
	for k, index := range l.Index {
		rejectIf(k > 0 && index <= l.Index[k-1], "kinks that do not rise")
		v.a[index-v.first].Set(l.Mass[k])
		total.Add(total, l.Mass[k])
	}
	// lost is the Q-mass of the kinks above: u(e^x) = 1 − Σ_{x_i ≤ x} a_i − e^x·Σ_{x_i > x} a_i·e^(−x_i)
	for k, index := range slices.Backward(l.Index) {
		alpha := rational(new(big.Rat).Mul(l.step, new(big.Rat).SetInt64(index))).exp()
		u := integer(1).sub(fraction(total, v.prec)).sub(alpha.mul(lost))
		rejectIf(u.lo.Cmp(f.profile(d, alpha).hi) < 0, "a leaf is below %s at the kink %d", f.name, index)
		total.Sub(total, l.Mass[k])
		lost = lost.add(fraction(l.Mass[k], v.prec).div(alpha))
	}
	return v
}

// groups is the leaf of the lower side. Its cells are disjoint sets of outcomes: intervals
// between thresholds that rise, or the atoms of a finite pair. Their masses are computed here,
// rounded outward, and split between two groups by a coin.
func (f *factor) groups(g *grid, l leaf, d direction) *vector {
	last := slices.Max(l.Index) + 1
	v := newVector(l.step, slices.Min(l.Index), last, g.Bits, nil)
	v.a, v.b = zeros(int(last-v.first)+1, v.prec), zeros(int(last-v.first)+1, v.prec)
	cells := f.cells(l.Threshold, d)
	rejectIf(len(cells) != len(l.Index), "%d cells for %d", len(l.Index), len(cells))
	for k, index := range l.Index {
		share := big.NewInt(1<<partBits - l.Part[k])
		split(v.a[index-v.first:], positive(cells[k].p.lo), share, partBits, down)
		split(v.b[index-v.first:], positive(cells[k].q.hi), share, partBits, up)
	}
	v.shorten(W - v.prec)
	return v
}

// cells are the masses of the atoms, or of what is from each threshold to the next.
func (f *factor) cells(thresholds []int64, d direction) (cells []mass) {
	p, isDensity := f.pair.(divisible)
	atoms, isFinite := f.pair.(*finite)
	rejectIf(isFinite != (thresholds == nil) || isFinite == isDensity, "a leaf does not fit %s", f.name)
	if isFinite {
		return atoms.outcomes(d)
	}
	cells = make([]mass, len(thresholds))
	above := mass{integer(0), integer(0)}
	for k, t := range slices.Backward(thresholds) {
		far := t < -1<<48 || t > 1<<48
		rejectIf(far || k > 0 && t <= thresholds[k-1], "thresholds that do not rise, or are far out")
		m := p.tails(fraction(big.NewInt(t), thresholdBits))
		cells[k] = mass{m.p.sub(above.p), m.q.sub(above.q)}.in(d)
		above = m
	}
	return cells
}
