// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/certify/derive"
	"dpverify/exact/interval"
	"dpverify/internal/prose"
)

// Unasked says which derivations give the number of a decided claim that states none, prove it, or nearly do; "" if
// there is nothing to say. All are tried but searches, which take more time than the claim, in at most a quarter of the
// budget, as a stated one is. Of a verified claim that is one of many, only formulas are tried: many are verified, and
// few are refuted.
func Unasked(ctx context.Context, c *certify.Claim, v certify.Verdict, budget time.Duration, many bool) string {
	s, ok := c.Statement.(certify.Point)
	if !ok || c.Derivation != "" || s.Epsilon.Sign() == 0 || v != certify.Verified && v != certify.Refuted {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, budget/4)
	defer cancel()
	tried := func(m derive.Method) bool { return m.Formula || !m.Search && (!many || v == certify.Refuted) }
	return inOneLine(derivations(ctx, c, s, tried), s)
}

// someDigits is how many digits the ε of a derivation has in a remark, and mostNamed how many derivations are named.
const (
	someDigits = 6
	mostNamed  = 3
)

// inOneLine says which derivations give the claimed number, to three digits at least; which others prove the claim, the
// least ε first; and if none does, what the nearest one proves. An approximation is named only if it gives the number.
func inOneLine(ds []Derived, s certify.Point) string {
	slices.SortStableFunc(ds, func(a, b Derived) int { return a.Value.Hi().Cmp(b.Value.Hi()) })
	var gives, proves []string
	nearest, proved := "", false
	for _, d := range ds {
		_, hi := decimal.Separating(d.Value, s.Epsilon, someDigits)
		number := d.Name + " (" + prose.Readable(hi)
		agree, _ := derive.AgreeingDigits(d.Value.Interval, s.Epsilon, s.Written[0])
		same := d.Reproduces == interval.True && (agree > 2 || d.Rounding == derive.NotRounded)
		if d.Bound && nearest == "" && d.Value.IsFinite() {
			nearest = d.Name + ", proves ε = " + prose.Readable(hi)
		}
		proved = proved || d.Bound && d.Holds == interval.True
		switch {
		case same:
			if d.Rounding != derive.NotRounded {
				number += ", rounded"
			}
			if !d.Bound {
				number += ", no bound"
			}
			gives = append(gives, number+")")
		case d.Bound && d.Holds == interval.True:
			proves = append(proves, number+")")
		}
	}
	var parts []string
	if len(gives) > 0 {
		parts = append(parts, "the claimed number comes from "+some(gives))
	}
	if len(proves) > 0 {
		parts = append(parts, "the claim is proved by "+some(proves))
	}
	if !proved && nearest != "" {
		parts = append(parts, "none proves the claim; the nearest, "+nearest)
	}
	if len(parts) == 0 {
		return ""
	}
	return "derivations for comparison: " + strings.Join(parts, "; ")
}

// some joins names, and counts those beyond the first few.
func some(names []string) string {
	if n := len(names) - mostNamed; n > 0 {
		names = append(names[:mostNamed:mostNamed], fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}
