// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"errors"
	"math/big"
	"testing"

	"dpverify/internal/number"
)

// A kind is asked for at the numbers of its domain, and nowhere else.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		at   string
		want string // of the error; empty for none
	}{
		{KindDelta, "-3", ""}, {KindDelta, "inf", "a decimal number or a fraction"}, {KindEpsilon, "0", ""}, {KindEpsilon, "-1e-9", "a number >= 0"},
		{KindGaussianDP, "1/2", ""}, {KindGaussianDP, "0", "a number in (0, 1/2]"}, {KindGaussianDP, "0.51", "a number in (0, 1/2]"},
		{KindRenyi, "inf", ""}, {KindRenyi, "1", ""}, {KindRenyi, "0", "a number > 0 or inf"}, {KindRenyi, "x", "a number > 0 or inf"},
		{KindTradeOff, "1", ""}, {KindTradeOff, "1.1", "a number in [0, 1]"},
	} {
		q, err := c.kind.Parse(c.at, false)
		var n *number.Error
		switch {
		case c.want == "" && (err != nil || q.Empty()):
			t.Errorf("%s at %s: %v", c.kind.Name, c.at, err)
		case c.want != "" && (!errors.As(err, &n) || n.Want != c.want && c.kind.Name != "delta"):
			t.Errorf("%s at %s: %v, want %s", c.kind.Name, c.at, err, c.want)
		}
	}
	if q, err := KindDelta.Parse("0.1", true); err != nil || q.x.Cmp(big.NewRat(1, 10)) == 0 {
		t.Errorf("0.1 in binary64 is %v, %v", q.x, err)
	}
}
