// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"dpverify/certify"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// coqPart is a part in the vocabulary of proofs/theory/Part.v; empty if that has no word for it.
func (p *part) coqPart() string {
	rate := ratOne
	if p.rate != nil {
		rate = p.rate
	}
	switch {
	case p.bumps != nil || p.clamp != nil || p.bounded || p.sampled || rate.Sign() <= 0:
		return ""
	case p.kind == gaussian:
		return fmt.Sprintf("Gaussian %s %s", coqRat(p.shift), coqRat(rate))
	case p.kind == laplace:
		return fmt.Sprintf("LaplaceNoise %s %s", coqRat(p.shift), coqRat(rate))
	case p.kind != finite:
		return ""
	case p.lambda != nil:
		return fmt.Sprintf("discrete_laplace %s %d", coqRat(p.lambda), len(p.atoms)-1)
	case p.eps != nil:
		return fmt.Sprintf("guarantee %s %s", coqRat(p.eps), coqRat(p.inf))
	}
	weight := func(r *big.Rat) string {
		if r.Sign() == 0 {
			return "nil"
		}
		return fmt.Sprintf("[(%s, 0%%Q)]", coqRat(r))
	}
	var atoms []string
	for _, a := range p.atoms {
		atoms = append(atoms, fmt.Sprintf("(%s, %s)", weight(a.p), weight(a.q)))
	}
	return "Finite [" + strings.Join(atoms, "; ") + "]"
}

func coqRat(r *big.Rat) string { return fmt.Sprintf("(%d # %d)", r.Num(), r.Denom()) }

const (
	maxCoqEntries = 20_000 // vectors are cut there, which coqc multiplies in seconds
	maxCoqTail    = 20     // standard deviations: the series of the normal distribution has some z² terms
)

// coqDirections are those of a claim.
func coqDirections(d mechanism.Direction) []mechanism.Direction {
	if d == mechanism.Both {
		return []mechanism.Direction{mechanism.Remove, mechanism.Add}
	}
	return []mechanism.Direction{d}
}

// theory writes the file of a claim that is true of parts that the theory knows, from the evidence on grids, and reports
// whether it could. The error is ctx's.
func (f *coqFile) theory(ctx context.Context, o *certify.Outcome, r *reading) (bool, error) {
	if f.lower || len(f.parts) == 0 {
		return false, nil
	}
	var parts, ds []string
	for _, p := range f.parts {
		text := p.coqPart()
		if text == "" {
			return false, nil
		}
		parts = append(parts, fmt.Sprintf("(%s, %d%%N)", text, p.count))
	}
	chains, names := make(map[mechanism.Direction]string), []string(nil)
	for _, d := range r.directions(o.Claim.Direction) {
		t := f.task
		t.direction = d
		if o.Delta != nil {
			t.truth, _ = o.Delta.Hi().Float64()
		}
		text, err := t.coqChain(ctx)
		if err != nil {
			return false, err
		} else if text == "" {
			return false, nil
		}
		chains[d] = text
	}
	f.header(o, r.statement(o.Claim.Direction, pointText(f.eps, f.delta)), "the theory of proofs/theory accepts this file: proofs/check CLAIMS DIR")
	f.linef("From Coq Require Import List ZArith QArith.\nFrom Dpverify Require Import Vector Part Claim Kronecker.\nImport ListNotations.\nLocal Open Scope Z_scope.\n")
	words := map[mechanism.Direction]string{mechanism.Remove: "Remove", mechanism.Add: "Add"}
	for _, d := range coqDirections(o.Claim.Direction) {
		ds = append(ds, words[d])
		if chains[d] == "" { // it is its own reverse
			d = mechanism.Remove
		}
		names = append(names, d.String()+"_chain")
	}
	f.linef("Definition statement : claim := {|\n  parts := [%s];\n  directions := [%s];\n  eps := %s; delta := %s |}.\n", strings.Join(parts, "; "), strings.Join(ds, "; "), coqRat(f.eps), coqRat(f.delta))
	for _, d := range r.directions(o.Claim.Direction) {
		name := d.String() + "_chain"
		f.linef("Definition %s : chain :=\n%s.\n", name, chains[d])
		if !slices.Contains(names, name) {
			return false, errors.New("evidence: internal error: a chain for no direction")
		}
	}
	f.linef("Theorem verdict : holds statement.\nProof. apply (accepts_is_right kmul kmul_is statement [%s]). vm_cast_no_check (eq_refl true). Qed.", strings.Join(names, "; "))
	return true, nil
}

// coqChain is the evidence for one direction; empty if there is none.
func (t task) coqChain(ctx context.Context) (string, error) {
	size := new(big.Float).SetRat(t.delta).MantExp(nil) // of what the claim is about
	if one := t.parts[0]; len(t.parts) == 1 && one.count == 1 && one.kind != finite && t.delta.Sign() > 0 {
		prec := 100 - size + int(math.Max(0, 2*number.Float64(t.eps)))
		if prec > 130-size+1000 {
			return "", nil
		}
		largest := one.coqShift(prec)
		t, k, ok := one.coqHint(t.direction, t.eps, largest, prec, 100-size)
		if !ok {
			return "", nil
		}
		return fmt.Sprintf("  Profile %d %s (%s, %d%%nat)", prec, coqRat(largest), coqRat(t), k), nil
	}
	if t.delta.Sign() == 0 {
		return "", nil
	}
	g, err := t.solve(ctx)
	if err != nil {
		return "", ctx.Err()
	}
	levels, most := 0, 0.
	step, ok := new(big.Rat).SetString(g.Step)
	if !ok {
		return "", errors.New("evidence: internal error: a step that is no number")
	}
	for _, l := range g.Leaves {
		levels = max(levels, l.Levels)
		at := number.Float64(step) / math.Exp2(float64(l.Levels))
		most = max(most, at*float64(max(l.Index[len(l.Index)-1], -l.Index[0])))
	}
	finest := new(big.Rat).Quo(step, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(levels))))
	prec := 80 + int(most/math.Ln2) + 1
	for _, p := range t.parts {
		if p.kind != gaussian { // which costs little
			prec = max(prec, 2*int(g.Bits)+32+int(3*most))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  Grid %d %d %s [\n", prec, g.Bits, coqRat(finest))
	for i, l := range g.Leaves {
		p, at := t.parts[i], levels-l.Levels
		unit := new(big.Rat).Quo(step, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(l.Levels))))
		largest := p.coqShift(prec)
		var values, hints []string
		for k, index := range l.Index {
			for n := l.Index[max(k, 1)-1] + 1; n < index; n++ {
				values = append(values, "0")
			}
			values = append(values, l.Mass[k].String())
			if p.kind == gaussian {
				t, terms, ok := p.coqHint(t.direction, new(big.Rat).Mul(unit, big.NewRat(index, 1)), largest, prec, 64)
				if !ok {
					return "", nil
				}
				hints = append(hints, fmt.Sprintf("(%s, %d%%nat)", coqRat(t), terms))
			}
		}
		fmt.Fprintf(&b, "    {| at_level := %d%%nat; start := %d;\n       values := [%s];\n       largest := %s; hints := [%s] |}", at, l.Index[0], strings.Join(values, "; "), coqRat(largest), strings.Join(hints, "; "))
		if i < len(g.Leaves)-1 {
			b.WriteString(";")
		}
		b.WriteString("\n")
	}
	var plan []string
	for _, o := range g.Plan {
		switch o.Op {
		case "leaf":
			plan = append(plan, fmt.Sprintf("Leaf %d", o.X))
			plan = append(plan, slices.Repeat([]string{"Coarsen"}, o.Y)...)
		case "cut":
			if o.Y > maxCoqEntries {
				return "", nil
			}
			plan = append(plan, fmt.Sprintf("Cut %d %d", o.X, o.Y))
		default:
			plan = append(plan, map[string]string{"dup": "Dup", "times": "Times", "coarsen": "Coarsen"}[o.Op])
		}
	}
	fmt.Fprintf(&b, "  ] [%s]", strings.Join(plan, "; "))
	return b.String(), nil
}

// coqShift is a number that is not below the largest shift of a Gaussian, and very near.
func (p *part) coqShift(bits int) *big.Rat {
	if p.kind != gaussian {
		return ratOne
	}
	n, d := new(big.Int).Sqrt(p.shift.Num()), new(big.Int).Sqrt(p.shift.Denom())
	if r := new(big.Rat).SetFrac(n, d); new(big.Rat).Mul(r, r).Cmp(p.shift) == 0 {
		return r
	}
	scale := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	x := new(big.Int).Mul(p.shift.Num(), new(big.Int).Mul(scale, scale))
	x.Sqrt(x.Quo(x, p.shift.Denom()))
	return new(big.Rat).SetFrac(x.Add(x, big.NewInt(1)), scale)
}

// coqHint is a point a little below the one where the likelihood ratio of a Gaussian is e^x, and how many terms of the series of the
// normal distribution leave out less than 2^−bits; false if these are too many.
func (p *part) coqHint(d mechanism.Direction, x, largest *big.Rat, prec, bits int) (at *big.Rat, terms int, ok bool) {
	zero := new(big.Rat)
	if p.kind != gaussian {
		return zero, 0, true
	}
	alpha, rate, one := three.Exp(three.Rat(x)), three.Rat(ratOne), three.Rat(ratOne)
	if p.rate != nil {
		rate = three.Rat(p.rate)
	}
	rest := three.Sub(one, rate)
	a, b := rate, three.Sub(alpha, rest)
	if d == mechanism.Add {
		a, b = three.Sub(one, three.Mul(alpha, rest)), three.Mul(alpha, rate)
	}
	m := three.Rat(largest)
	exact := three.Add(three.Div(three.Sub(three.Log(b), three.Log(a)), m), three.Scale(m, -1))
	if a.Positive() != interval.True || b.Positive() != interval.True || !exact.Known() {
		return zero, 0, true
	}
	// A point above the exact one is not accepted; what one below it costs is of the first order. The theory knows exponentials to some 90 bits.
	at, _ = exact.Interval().Lo().Rat(nil)
	scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(min(prec-22, 78))))
	at.Mul(at, scale)
	n := new(big.Int).Div(at.Num(), at.Denom())
	at.Quo(at.SetInt(n.Sub(n, big.NewInt(1))), scale)
	t := number.Float64(at)
	z := math.Max(math.Abs(t), math.Abs(t-number.Float64(largest)))
	for r := 3 * math.Log2(z); r > -float64(bits) && z <= maxCoqTail; terms++ {
		r += math.Log2(z * z / float64(2*terms+3))
	}
	return at, terms, z <= maxCoqTail
}
