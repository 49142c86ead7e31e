// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import (
	"errors"
	"math/big"
	"testing"
)

// TestEnoughIsEnough: of δ(ε) = 1/(1 + ε)^2 an ε is found that is enough and near the least one, with its own value;
// none where no ε is enough, and no answer where the profile fails.
func TestEnoughIsEnough(t *testing.T) {
	one := big.NewRat(1, 1)
	at := func(eps *big.Rat) (*big.Rat, error) {
		x := new(big.Rat).Add(eps, one)
		x.Mul(x, x)
		return x.Inv(x), nil
	}
	for _, c := range []struct {
		delta *big.Rat
		least *big.Rat // √(1/δ) − 1
	}{
		{big.NewRat(1, 4), one},
		{big.NewRat(1, 100), big.NewRat(9, 1)},
		{big.NewRat(1, 1_000_000_000_000), big.NewRat(999_999, 1)},
		{big.NewRat(10000, 10201), big.NewRat(1, 100)},
	} {
		eps, most, ok, err := Enough(at, c.delta)
		if !ok || err != nil {
			t.Fatalf("%s: %t, %v", c.delta, ok, err)
		}
		if y, _ := at(eps); y.Cmp(most) != 0 || most.Cmp(c.delta) > 0 {
			t.Errorf("δ(%s) is %s, stated %s, for %s", eps, y, most, c.delta)
		}
		if eps.Cmp(new(big.Rat).Mul(c.least, big.NewRat(9, 8))) > 0 {
			t.Errorf("%s is enough for %s, far above %s", eps, c.delta, c.least)
		}
	}
	if _, _, ok, err := Enough(at, new(big.Rat)); ok || err != nil {
		t.Errorf("δ = 0: %t, %v", ok, err)
	}
	failure := errors.New("no value")
	if _, _, ok, err := Enough(func(*big.Rat) (*big.Rat, error) { return nil, failure }, one); ok || err != failure {
		t.Errorf("a profile that fails: %t, %v", ok, err)
	}
}
