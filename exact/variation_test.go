// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"testing"

	"dpverify/exact/method"
	"dpverify/exact/pair"
)

// TestTotalVariation: δ(0) of finite pairs by hand. Of a sample or a mixture it is the rate times δ(0) of the base,
// which for a pair with outcomes that one side lacks counts them, and of a mean the mean.
func TestTotalVariation(t *testing.T) {
	one := func(x pair.Pair) pair.Product { return pair.Copies(x, 1) }
	f := pair.NewFinite(rats("1/2", "1/2", "0"), rats("0", "3/4", "1/4"))
	g := pair.NewFinite(rats("1/2", "3/8", "1/8"), rats("1/8", "3/8", "1/2"))
	for _, c := range []struct {
		of   pair.Pair
		want string
	}{
		{g, "3/8"}, {f, "1/2"}, {pair.Response{Eps: rat("0"), Delta: rat("1/5")}, "1/5"},
		{pair.Sampled{Rate: rat("1/4"), Base: one(g)}, "3/32"}, {pair.Sampled{Rate: rat("1/3"), Base: one(f)}, "1/6"},
		{pair.Mixed(rat("1/3"), one(f)), "1/6"},
		{pair.Mean{Shares: rats("1/3", "2/3"), Of: []pair.Product{one(f), one(g)}}, "5/12"},
		{pair.Sampled{Rate: rat("1/3"), Base: one(pair.Gaussian{Mu2: rat("1")})}, ""},
		{pair.Mean{Shares: rats("1/3", "2/3"), Of: []pair.Product{one(f), one(pair.Gaussian{Mu2: rat("1")})}}, ""},
	} {
		got, ok := method.ExactDelta(64, one(c.of), rat("0"))
		if ok != (c.want != "") || ok && got.Cmp(rat(c.want)) != 0 {
			t.Errorf("%s: δ(0) = %v, %t, want %q", c.of, got, ok, c.want)
		}
	}
}
