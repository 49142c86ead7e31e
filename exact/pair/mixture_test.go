// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"strings"
	"testing"

	"dpverify/exact/pair/normals"
)

// TestMixturesThatAreOthers: pairs of one or two means are the pairs of Gaussian noise that they are, wherever they lie
// on the line; means that are equal are one, and those without weight are none.
func TestMixturesThatAreOthers(t *testing.T) {
	m := func(means, probs string) normals.Mixture {
		return normals.New(rats(strings.Fields(means)...), rats(strings.Fields(probs)...))
	}
	for _, c := range []struct{ p, q, want string }{
		{"7|1", "5|1", "Gaussian(μ²=4)"},
		{"5 5|1/3 2/3", "7 9|1 0", "Gaussian(μ²=4)"},
		{"3 4|1/4 3/4", "3|1", "Sampled(3/4, (Gaussian(μ²=1)))"},
		{"3 2|1/4 3/4", "3|1", "Sampled(3/4, (Gaussian(μ²=1)))"},
		{"3|1", "3 2|1/4 3/4", "Sampled(3/4, (Gaussian(μ²=1)))ᵀ"},
		{"3 5|1/4 3/4", "3 1|1/4 3/4", "SampledReplaceGaussian(3/4, μ²=4)"},
		{"3 1|1/4 3/4", "3 5|1/4 3/4", "SampledReplaceGaussian(3/4, μ²=4)"},
		{"3 6|1/4 3/4", "3 1|1/4 3/4", "GaussianMixture(1/4·N(0) + 3/4·N(3), 3/4·N(-2) + 1/4·N(0))"},
		{"0 2|1/2 1/2", "1 5|1/2 1/2", "GaussianMixture(1/2·N(-5/2) + 1/2·N(-1/2), 1/2·N(-3/2) + 1/2·N(5/2))"},
		{"1 2|1/2 1/2", "2 1|1/2 1/2", "<nil>"},
	} {
		split := func(s string) normals.Mixture {
			for i := range s {
				if s[i] == '|' {
					return m(s[:i], s[i+1:])
				}
			}
			return normals.Mixture{}
		}
		got := "<nil>"
		if x := NewGaussianMixture(split(c.p), split(c.q)); x != nil {
			got = x.String()
		}
		if got != c.want {
			t.Errorf("%s against %s: %s, want %s", c.p, c.q, got, c.want)
		}
	}
	for _, c := range []struct {
		p, q normals.Mixture
		dual bool
	}{
		{m("1 3", "1/4 3/4"), m("-1 -3", "1/4 3/4"), true},
		{m("1 3", "1/4 3/4"), m("-1 -3", "3/4 1/4"), false},
		{m("11 13", "1/4 3/4"), m("7 9", "3/4 1/4"), true},
		{m("0 1", "1/2 1/2"), m("0 2", "1/2 1/2"), false},
		{m("0 3", "1/4 3/4"), m("1 2", "1/4 3/4"), false},
		{m("0 2 3", "1/4 1/4 1/2"), m("0 1 3", "1/2 1/4 1/4"), true},
	} {
		if x := NewGaussianMixture(c.p, c.q); x.SelfDual() != c.dual {
			t.Errorf("%s: self-dual %v, want %v", x, x.SelfDual(), c.dual)
		}
	}
}
