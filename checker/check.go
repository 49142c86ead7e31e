// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// A rejection is why something is not accepted. Whatever goes wrong ends in one.
type rejection string

func reject(format string, args ...any) { panic(rejection(fmt.Sprintf(format, args...))) }

func rejectIf(wrong bool, format string, args ...any) {
	if wrong {
		reject(format, args...)
	}
}

// recovered turns a panic into an error.
func recovered(err *error) {
	switch r := recover().(type) {
	case nil:
	case rejection:
		*err = fmt.Errorf("%s", string(r))
	default:
		*err = fmt.Errorf("internal error: %v", r)
	}
}

// work is what has been spent on a certificate, in about nanoseconds, and entries is how many
// entries its vectors have had.
var (
	work    float64
	entries int64
)

const maxWork = 6e10

func spend(x float64) {
	if work += x; work > maxWork {
		reject("it would take too long")
	}
}

// power158 is n^1.58, what Karatsuba's multiplication costs.
func power158(n float64) float64 { return math.Pow(n, 1.585) }

// check accepts the verdict of a certificate on a claim, or says why not. That is where it is
// decided what has to be shown; the certificate says nothing of it but the verdict.
func check(c *claim, data []byte) (verdict string, err error) {
	defer recovered(&err)
	work, entries = 0, 0
	rejectIf(c.problem != "", "the claim is not understood: %s", c.problem)
	cert := readCertificate(data)
	sum := sha256.Sum256([]byte(c.statement))
	rejectIf(cert.Claim != hex.EncodeToString(sum[:]), "it is for another claim")
	var shown []string
	for _, ch := range cert.Chains {
		shown = append(shown, ch.Direction)
		if c.epsilon == nil {
			rejectIf(ch.Grid != nil || c.divergences(ch.Direction == "add") != cert.Verdict, "divergences that do not decide the claim")
			continue
		}
		least, most := c.bounds(ch, cert.Verdict == "REFUTED")
		decided := cert.Verdict == "VERIFIED" && most.Cmp(c.delta) <= 0 || cert.Verdict == "REFUTED" && least.Cmp(c.delta) > 0
		rejectIf(!decided, "δ(ε) is from %s to %s, which does not decide the claim", least.FloatString(24), most.FloatString(24))
	}
	need := c.directions()
	enough := cert.Verdict == "VERIFIED" && slices.Equal(shown, need) || cert.Verdict == "REFUTED" && len(shown) == 1 && slices.Contains(need, shown[0])
	rejectIf(!enough, "%s for the directions %v, want %v", cert.Verdict, shown, need)
	return cert.Verdict, nil
}

// bounds bounds δ(ε) in the direction of a chain.
func (c *claim) bounds(ch chain, lower bool) (least, most *big.Rat) {
	add := ch.Direction == "add"
	g := ch.Grid
	if g == nil {
		return c.closed(add)
	}
	rejectIf(len(g.Leaves) != len(c.factors), "%d leaves for %d parts", len(g.Leaves), len(c.factors))
	// Tails of P-mass 2^−P are computed by terms of up to 2^P, and multiplied with e^far.
	far := 0.0
	for i := range g.Leaves {
		far = max(far, g.far(i))
	}
	setPrecision(2*g.Bits + 32 + uint(min(3*far, 600)))
	copies := make([][]*vector, len(c.factors)) // by level: the step is g.step·2^−level
	leafOf := c.dominating
	if lower {
		leafOf = c.groups
	}
	for i, l := range g.Leaves {
		v := leafOf(g, i, add)
		copies[i] = make([]*vector, l.Levels+1)
		for level := l.Levels; level >= 0; level-- {
			copies[i][level] = v
			if level > 0 {
				v = v.coarsen()
			}
		}
	}
	v, w := run(g.Plan, copies)
	for i, f := range c.factors {
		n := v.count[i] + w.count[i]
		rejectIf(n != f.count, "part %d is composed %d times, want %d", i, n, f.count)
	}
	rejectIf(v.step.Cmp(g.step) != 0, "the last step is not the chain's")
	if lower {
		return atLeast(v, w, c.epsilon).low(), big.NewRat(1, 1)
	}
	return new(big.Rat), atMost(v, w, c.epsilon).high()
}

// run runs the plan, a program for a stack, which leaves two vectors, or one.
func run(plan []operation, copies [][]*vector) (v, w *vector) {
	var stack []*vector
	for _, o := range plan {
		n := len(stack)
		needs, ok := map[string]int{"leaf": 0, "dup": 1, "coarsen": 1, "cut": 1, "times": 2}[o.Op]
		rejectIf(!ok || n < needs || n > 100, "a plan that cannot be followed")
		rejectIf(o.Op != "leaf" && o.Op != "cut" && (o.X != 0 || o.Y != 0), "a step of the plan with numbers that it does not need")
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
			stack[n-2] = stack[n-2].times(stack[n-1])
			stack = stack[:n-1]
		}
	}
	rejectIf(len(stack) != 1 && len(stack) != 2, "a plan that leaves %d vectors", len(stack))
	if v = stack[0]; len(stack) == 2 {
		return v, stack[1]
	}
	w = v.like(v.step, 0, 0) // nothing, with mass 1 at the loss 0
	clear(w.count)
	w.a[0].Lsh(big.NewInt(1), v.prec)
	if w.b != nil {
		w.b[0].Set(w.a[0])
	}
	return v, w
}

// leafStep is the step of a leaf.
func (g *grid) leafStep(i int) *big.Rat {
	half := new(big.Int).Lsh(big.NewInt(1), uint(g.Leaves[i].Levels))
	return new(big.Rat).Quo(g.step, new(big.Rat).SetInt(half))
}

// far is about the greatest |loss| of a leaf.
func (g *grid) far(i int) float64 {
	step, _ := g.leafStep(i).Float64()
	return step * greatest(g.Leaves[i].Index)
}

// greatest is the greatest |n| of a list.
func greatest(ns []int64) float64 {
	return max(math.Abs(float64(slices.Max(ns))), math.Abs(float64(slices.Min(ns))))
}

// dominating is the leaf of the upper side, if its profile u is at least the factor's: u is
// linear between 0, the kinks e^(x_k), and infinity, and the factor's is convex and falls, so
// that it is enough to compare them at the kinks (docs/checker.md, theorem 2). At 0, u is 1.
func (c *claim) dominating(g *grid, i int, add bool) *vector {
	f, l := c.factors[i], g.Leaves[i]
	n := len(l.Index)
	v := newVector(g.leafStep(i), l.Index[0], l.Index[n-1], g.Bits, false, len(c.factors))
	v.count[i] = 1
	total, rest := new(big.Int), integer(0)
	for k, index := range l.Index {
		rejectIf(k > 0 && index <= l.Index[k-1], "kinks that do not rise")
		v.a[index-v.first].Set(l.Mass[k])
		total.Add(total, l.Mass[k])
	}
	// u(e^x) = 1 − Σ_{x_i ≤ x} a_i − e^x·Σ_{x_i > x} a_i·e^(−x_i)
	// e^x and e^−x, from one kink to the one before, by powers of two of e^step.
	x := rational(new(big.Rat).Mul(v.step, new(big.Rat).SetInt64(l.Index[n-1]))).exp()
	alpha, inverse := x, x.inv()
	spend(float64(n) * power158(float64(W)/64+g.far(i)/40) * float64(5000+500*len(f.atoms)))
	down, up := rational(v.step).exp().inv(), rational(v.step).exp()
	for k := n - 1; k >= 0; k-- {
		if k+1 < n {
			gap := l.Index[k+1] - l.Index[k]
			alpha, inverse = alpha.mul(down.pow(gap)), inverse.mul(up.pow(gap))
		}
		u := integer(1).sub(fraction(total, v.prec)).sub(alpha.mul(rest))
		rejectIf(u.lo.Cmp(f.profile(add, alpha).hi) < 0, "leaf %d is below its pair at the kink %d", i, l.Index[k])
		total.Sub(total, l.Mass[k])
		rest = rest.add(fraction(l.Mass[k], v.prec).mul(inverse))
	}
	return v
}

// groups is the leaf of the lower side. Its cells are disjoint sets of outcomes: intervals
// between thresholds that rise, or the atoms of a finite pair. Their masses are computed here,
// rounded outward, and split between two groups by a coin.
func (c *claim) groups(g *grid, i int, add bool) *vector {
	f, l := c.factors[i], g.Leaves[i]
	rejectIf(f.bounded || f.clamp != nil || (f.kind == "finite") != (l.Threshold == nil), "leaf %d does not fit its pair", i)
	v := newVector(g.leafStep(i), slices.Min(l.Index), slices.Max(l.Index)+1, g.Bits, true, len(c.factors))
	v.count[i] = 1
	far := 0.0 // at least |log r| of a Gaussian
	if f.kind == "gaussian" {
		square, _ := f.shift.Float64()
		far = greatest(l.Threshold)*math.Sqrt(square)/(1<<thresholdBits) + square
	}
	spend(float64(len(l.Index)) * power158(float64(W)/64+far/40) * 5000)
	cells := f.outcomes(add)
	if f.kind != "finite" {
		tails := []mass{}
		for k, t := range l.Threshold {
			rejectIf(k > 0 && t <= l.Threshold[k-1] || t < -1<<48 || t > 1<<48, "thresholds that do not rise, or are far out")
			tails = append(tails, f.tails(fraction(big.NewInt(t), thresholdBits)))
		}
		tails = append(tails, mass{integer(0), integer(0)})
		for k := range l.Threshold {
			m := mass{tails[k].p.sub(tails[k+1].p), tails[k].q.sub(tails[k+1].q)}
			cells = append(cells, m.in(add))
		}
	}
	rejectIf(len(cells) != len(l.Index), "%d cells for %d", len(l.Index), len(cells))
	for k, index := range l.Index {
		a := new(big.Int).Rsh(positive(cells[k].p.lo), W-v.prec)
		b := rshUp(positive(cells[k].q.hi), W-v.prec)
		for side, part := range []int64{1<<partBits - l.Part[k], l.Part[k]} {
			share, at := big.NewInt(part), index+int64(side)-v.first
			v.a[at].Add(v.a[at], new(big.Int).Rsh(new(big.Int).Mul(a, share), partBits))
			v.b[at].Add(v.b[at], rshUp(new(big.Int).Mul(b, share), partBits))
		}
	}
	return v
}
