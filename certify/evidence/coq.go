// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"dpverify/certify"
	"dpverify/certify/evidence/statement"
	"dpverify/mechanism"
)

// Coq returns a file that Coq 8.16 accepts if and only if its proof of the verdict holds. Of a true claim about parts
// that the theory of proofs/theory knows, it has a statement in its words, and evidence as data; of other events whose
// δ has a closed form, definitions, the statement and the proof, which needs CoqInterval. Nothing in this program has
// to be believed for it but that the pairs are the pairs of the event. The error is ctx's, or wraps ErrNone.
func Coq(ctx context.Context, o *certify.Outcome) ([]byte, error) {
	data, err := coqText(ctx, o)
	if err == nil && hasLongNumber(data) {
		return nil, ErrNone
	}
	return data, err
}

// hasLongNumber finds numbers of 3000 digits and more, which coqc reads by recursion and may have no stack for.
func hasLongNumber(data []byte) bool {
	digits := 0
	for _, c := range data {
		if c < '0' || c > '9' {
			digits = 0
		} else if digits++; digits == 3000 {
			return true
		}
	}
	return false
}

func coqText(ctx context.Context, o *certify.Outcome) ([]byte, error) {
	c := o.Claim
	if text, ok := divergenceText(c.Statement); ok {
		return coqDivergences(ctx, o, text)
	}
	p, r, err := decided(o)
	if err != nil {
		return nil, err
	}
	t := task{parts: r.Parts, lower: o.Verdict == certify.Refuted, eps: p.Epsilon, delta: p.Delta, gap: gap(o, p),
		distinct: separated(o, p)}
	ds := coqDirections(c.Direction)
	if t.lower && c.Direction == mechanism.Both {
		if ds, err = refutes(ctx, o, p, r.Directions(c.Direction)); err != nil {
			return nil, err
		}
	}
	if t.lower && t.bounded() || t.attained() { // the theory is about all that an event may be
		return nil, ErrNone
	}
	f := coqFile{task: t, exact: !t.lower && t.basic(), separated: separated(o, p), size: size(o, p)}
	if ok, err := f.theory(ctx, o, r, ds); err != nil || ok {
		return []byte(f.String()), err
	}
	f.header(o, r.Statement(c.Direction, statement.PointText(p.Epsilon, p.Delta)), withInterval)
	if noise, ok := only[statement.Laplace](t.parts); ok && t.parts[0].Count > 1 {
		err = f.laplaces(noise, ds)
	} else if _, ok := only[statement.Finite](t.parts); ok || len(t.parts) != 1 {
		err = f.finite(ds)
	} else {
		err = f.density(ds)
	}
	return []byte(f.String()), err
}

// CoqName is the name of the file of a claim: claim_, its letters and digits, and _ for - and _; of
// other ids, and long ones, also the beginning of their SHA-256.
func CoqName(id string) string {
	var b strings.Builder
	plain := len(id) <= 100
	for i := range min(len(id), 100) {
		switch c := id[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9':
			b.WriteByte(c)
		default:
			plain = plain && c == '-'
			b.WriteByte('_')
		}
	}
	if !plain {
		sum := sha256.Sum256([]byte(id))
		b.WriteString("_" + hex.EncodeToString(sum[:4]))
	}
	return "claim_" + b.String() + ".v"
}
