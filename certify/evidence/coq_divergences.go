// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"context"
	"fmt"

	"dpverify/certify"
	"dpverify/certify/evidence/coq"
	"dpverify/certify/evidence/statement"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// maxCoqBits is the precision up to which a proof is looked for.
const maxCoqBits = 1024

// coqDivergences returns the file for a claim of Rényi divergences or of ρ-zCDP.
func coqDivergences(ctx context.Context, o *certify.Outcome, text string) ([]byte, error) {
	if !decidedOne(o) {
		return nil, ErrNone
	}
	r, err := statement.Read(o.Claim.LessPrivate, o.Claim.Relation)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	ds := []mechanism.Direction{mechanism.Remove, mechanism.Add}
	if o.Claim.Direction != mechanism.Both {
		ds = []mechanism.Direction{o.Claim.Direction}
	}
	f := &coqFile{task: task{parts: r.Parts, lower: o.Verdict == certify.Refuted}}
	if f.attained() {
		return nil, ErrNone
	}
	f.header(o, r.Statement(o.Claim.Direction, text), withInterval)
	if noise, ok := only[statement.Gaussian](f.parts); ok {
		f.WriteString(coq.Density)
		f.WriteString("\n" + coq.Normal + "\n" + coq.Gaussian)
		f.linef("\n(** * The claim *)\n")
		renyi, _ := o.Claim.Statement.(certify.Renyi)
		rho, _ := o.Claim.Statement.(certify.Concentrated)
		text, ok := coq.GaussianDivergences(noise.Square, renyi.Points, rho.Rho, f.lower, ds)
		if !ok {
			return nil, ErrNone
		}
		f.WriteString(text)
		return []byte(f.String()), nil
	}
	for _, p := range f.parts {
		if _, ok := p.Pair.(statement.Finite); !ok || p.Count > maxCoqCount {
			return nil, ErrNone
		}
	}
	f.WriteString(coq.Finite)
	f.WriteString(coq.Divergence)
	f.linef("\n(** * The claim *)\n")
	f.definitions()
	proved := 0
	for _, d := range ds {
		shown, err := f.divergences(ctx, o.Claim.Statement, d)
		if err != nil {
			return nil, err
		}
		if shown {
			proved++
		}
		if shown == f.lower {
			break // refuted in one direction, or not shown in one
		}
	}
	if proved == 0 || !f.lower && proved < len(ds) {
		return nil, ErrNone
	}
	return []byte(f.String()), nil
}

// divergences writes the theorem of a direction; false where it finds no proof.
func (f *coqFile) divergences(ctx context.Context, s certify.Statement, d mechanism.Direction) (bool, error) {
	var parts []coq.Part
	for _, p := range f.parts {
		x := coq.Part{Count: p.Count}
		for _, a := range p.Pair.(statement.Finite).List() {
			p, q := atomTerms(a)
			if d == mechanism.Add {
				p, q = q, p
			}
			x.Outcomes = append(x.Outcomes, [2]coq.Term{p, q})
		}
		parts = append(parts, x)
	}
	goal := coq.Goal{Direction: d, Refute: f.lower, Composition: f.composition(d), Masses: f.masses(d),
		Unfold: f.unfolded()}
	for bits := interval.Prec(64); bits <= maxCoqBits; bits *= 2 {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		var text string
		shown := false
		switch s := s.(type) {
		case certify.Renyi:
			text, shown = coq.NewCurve(parts, bits).Orders(goal, s.Points)
		case certify.Concentrated:
			text, shown = coq.NewCurve(parts, bits).Concentrated(goal, s.Rho)
		}
		if shown {
			f.WriteString(text)
			return true, nil
		}
	}
	return false, nil
}
