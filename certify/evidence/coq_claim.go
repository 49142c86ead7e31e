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
	"dpverify/certify/evidence/coq"
	"dpverify/certify/evidence/statement"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// theory writes the file of a claim about parts that the theory knows, from the evidence on grids, in the first of the
// directions if the claim is false, and reports whether it could. The error is ctx's.
func (f *coqFile) theory(
	ctx context.Context, o *certify.Outcome, r *statement.Reading, ds []mechanism.Direction,
) (bool, error) {
	if len(f.parts) == 0 {
		return false, nil
	}
	var parts []string
	for _, p := range f.parts {
		text := coqPart(p)
		if text == "" {
			return false, nil
		}
		parts = append(parts, fmt.Sprintf("(%s, %d%%N)", text, p.Count))
	}
	chains, names := make(map[mechanism.Direction]string), []string(nil)
	if !f.lower {
		ds = r.Directions(o.Claim.Direction)
	}
	for _, d := range ds {
		t := f.task
		t.direction = d
		if o.Delta != nil {
			t.truth, _ = o.Delta.Hi().Float64()
		}
		evidence := t.coqChain
		if f.lower {
			evidence = t.coqRefutation
		}
		text, err := evidence(ctx)
		if err != nil {
			return false, err
		} else if text == "" {
			return false, nil
		}
		chains[d] = text
	}
	f.header(o, r.Statement(o.Claim.Direction, statement.PointText(f.eps, f.delta)),
		"the theory of proofs/theory accepts this file: proofs/check CLAIMS DIR")
	f.linef("From Coq Require Import List ZArith QArith.\n" +
		"From Dpverify Require Import Vector Part Claim Refuted Kronecker.\n" +
		"Import ListNotations.\nLocal Open Scope Z_scope.\n")
	var said []string
	for _, d := range coqDirections(o.Claim.Direction) {
		said = append(said, coqDirection[d])
		if chains[d] == "" { // it is its own reverse
			d = mechanism.Remove
		}
		names = append(names, d.String()+"_chain")
	}
	f.linef("Definition statement : claim := {|\n  parts := [%s];\n  directions := [%s];\n  eps := %s; delta := %s |}.\n",
		strings.Join(parts, "; "), strings.Join(said, "; "), coq.Quotient(f.eps), coq.Quotient(f.delta))
	if f.lower {
		f.linef("Definition evidence : refutation := %s.\n", chains[ds[0]])
		f.linef("Theorem verdict : fails statement.\nProof. apply (refutes_is_right machine statement evidence). " +
			"vm_cast_no_check (eq_refl true). Qed.")
		return true, nil
	}
	for _, d := range ds {
		name := d.String() + "_chain"
		f.linef("Definition %s : chain :=\n%s.\n", name, chains[d])
		if !slices.Contains(names, name) {
			return false, errors.New("evidence: internal error: a chain for no direction")
		}
	}
	f.linef("Theorem verdict : holds statement.\nProof. apply (accepts_is_right machine statement [%s]). "+
		"vm_cast_no_check (eq_refl true). Qed.", strings.Join(names, "; "))
	return true, nil
}

// coqChain is the evidence for one direction; empty if there is none.
func (t task) coqChain(ctx context.Context) (string, error) {
	if t.basic() {
		if text := coqLosses(t.parts); text != "" {
			return text, nil
		}
	}
	size := new(big.Float).SetRat(t.delta).MantExp(nil) // of what the claim is about
	if t.single() && t.delta.Sign() > 0 || t.oneFinite() {
		prec := 100 - size + int(math.Max(0, 2*number.Float64(t.eps)))
		if prec > 130-size+1000 {
			return "", nil
		}
		base, rate := sampledAt(t.parts[0].Pair)
		largest, at, k, ok := coqLargest(base, prec), new(big.Rat), 0, true
		if isNormal(base) {
			at, k, ok = coq.Threshold(t.direction, rate, t.eps, largest, prec, 100-size)
		}
		if !ok {
			return "", nil
		}
		return fmt.Sprintf("  Profile %d %s (%s, %d%%nat)", prec, coq.Quotient(largest), coq.Quotient(at), k), nil
	}
	if t.delta.Sign() == 0 {
		return "", nil
	}
	g, err := t.solve(ctx)
	if err != nil {
		return "", ctx.Err()
	}
	most := 0.
	finest, levels := g.finest()
	for _, l := range g.Leaves {
		at := number.Float64(g.last) / math.Exp2(float64(l.Levels))
		most = max(most, at*float64(max(l.Index[len(l.Index)-1], -l.Index[0])))
	}
	prec := 80 + int(most/math.Ln2) + 1
	for _, p := range t.parts {
		if !isNormal(p.Pair) { // which costs little
			prec = max(prec, 2*int(g.Bits)+32+int(3*most))
		}
	}
	bits := 64 + int(most/math.Ln2) // of tails, which likelihood ratios multiply
	var leaves []string
	for i, l := range g.Leaves {
		p, at := t.parts[i], levels-l.Levels
		unit := new(big.Rat).Quo(g.last, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(l.Levels))))
		base, rate := sampledAt(p.Pair)
		largest := coqLargest(base, prec)
		var values, hints []string
		for k, index := range l.Index {
			for n := l.Index[max(k, 1)-1] + 1; n < index; n++ {
				values = append(values, "0")
			}
			values = append(values, l.Mass[k].String())
			if isNormal(base) {
				loss := new(big.Rat).Mul(unit, big.NewRat(index, 1))
				t, terms, ok := coq.Threshold(t.direction, rate, loss, largest, prec, bits)
				if !ok {
					return "", nil
				}
				hints = append(hints, fmt.Sprintf("(%s, %d%%nat)", coq.Quotient(t), terms))
			}
		}
		leaves = append(leaves, fmt.Sprintf("    {| at_level := %d%%nat; start := %d;\n       values := [%s];\n"+
			"       largest := %s; hints := [%s] |}", at, l.Index[0], strings.Join(values, "; "), coq.Quotient(largest),
			strings.Join(hints, "; ")))
	}
	plan, ok := coqPlan(g.Plan)
	if !ok {
		return "", nil
	}
	return fmt.Sprintf("  Grid %d %d %s [\n%s\n  ] [%s]", prec, g.Bits, coq.Quotient(finest), strings.Join(leaves, ";\n"),
		plan), nil
}
