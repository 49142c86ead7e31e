// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"testing"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

func profilePoints(numbers ...string) []mechanism.ProfilePoint {
	var out []mechanism.ProfilePoint
	for i := 0; i < len(numbers); i += 2 {
		out = append(out, mechanism.ProfilePoint{Epsilon: rat(numbers[i]), Delta: rat(numbers[i+1])})
	}
	return out
}

// TestProductKeepsInfiniteMass: of a hull with a point that is no vertex, alone,
// composed and inside other pairs, the mass of infinite loss is the mass of the last
// point. (An outcome without any mass has Q = 0 too, and must not be taken for it.)
func TestProductKeepsInfiniteMass(t *testing.T) {
	const p = interval.Prec(64)
	hull := NewHull(profilePoints("0", "3/10", "1", "29/100", "2", "1/100"))
	base := Product{{hull, 1}}
	for _, c := range []struct {
		prod Product
		want string
	}{
		{base, "1/100"},
		{Product{{hull, 2}}, "199/10000"},
		{Product{{hull, 1}, {Response{rat("1"), rat("1/2")}, 1}}, "505/1000"},
		{Product{{Sampled{Rate: rat("1/10"), Base: base}, 1}}, "1/1000"},
		{Product{{Sampled{Rate: rat("1/10"), Base: base}, 2}}, "1999/1000000"},
		{Product{{Mixed(rat("1/10"), base), 3}}, "2997001/1000000000"},
	} {
		os, rest, ok := ProductOutcomes(c.prod, p, 1000)
		if !ok {
			t.Fatalf("%s: not enumerated", c.prod)
		}
		inf := rest
		sumP, sumQ := interval.Int(0), interval.Int(0)
		for _, o := range os {
			if o.Q.IsZero() {
				inf = p.Add(inf, o.P)
			}
			sumP, sumQ = p.Add(sumP, o.P), p.Add(sumQ, o.Q)
		}
		if !inf.ContainsRat(rat(c.want)) {
			t.Errorf("%s: infinite loss has mass %s, want %s", c.prod, inf, c.want)
		}
		if !sumP.ContainsRat(ratOne) || !sumQ.ContainsRat(ratOne) {
			t.Errorf("%s: masses sum to %s and %s", c.prod, sumP, sumQ)
		}
		if m, ok := InfMass(c.prod); !ok || m.Cmp(rat(c.want)) != 0 {
			t.Errorf("%s: InfMass = %v, want %s", c.prod, m, c.want)
		}
	}
}
