// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package census

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// TestEveryPathSpendsTheSame: the budgets of each path sum to 24811/5000, as the publication says.
func TestEveryPathSpendsTheSame(t *testing.T) {
	if len(releases()) != paths {
		t.Fatalf("%d paths, want %d", len(releases()), paths)
	}
	for path, rhos := range releases() {
		sum := new(big.Rat)
		for rho, n := range rhos {
			sum.Add(sum, new(big.Rat).Mul(decimal(rho), big.NewRat(n, 1)))
		}
		if sum.Cmp(big.NewRat(24811, 5000)) != 0 {
			t.Errorf("path %d spends %s", path, sum.RatString())
		}
	}
}

// TestEverythingPrintedIsHere: 946 curves of 42 points, 946 second terms and 946 trade-off curves.
func TestEverythingPrintedIsHere(t *testing.T) {
	all := Published()
	if len(all.Middle) != 43 || len(all.Pairs) != 946 || len(all.Rows) != 42 || len(all.Second) != 946 || len(all.Betas) != 946 {
		t.Fatalf("%d pairs, %d rows, %d, %d", len(all.Pairs), len(all.Rows), len(all.Second), len(all.Betas))
	}
	for i, row := range all.Rows {
		if len(row.Delta) != 946 || i > 0 && row.Epsilon.Cmp(all.Rows[i-1].Epsilon) <= 0 {
			t.Errorf("row %s: %d pairs, ε = %s", row.Name, len(row.Delta), row.Epsilon.FloatString(10))
		}
	}
}

// TestPrintedCurves: δ at the last ε of two pairs, enclosed to 30 digits about what another program found, is far from
// what is printed, and the first one is not.
func TestPrintedCurves(t *testing.T) {
	for _, c := range []struct {
		Pair
		from, to string // at the last ε
		ratio    string // of what is printed to it, less than it is
	}{
		{Pair{1, 1}, "9.61458475917831687100208162975639937e-24", "9.61458475917831687100208162975639938e-24", "7.02"},
		{Pair{1, 43}, "9.61458476182581379202232174958149124e-24", "9.61458476182581379202232174958149125e-24", "16.5"},
	} {
		points, err := c.curve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		last := points[len(points)-1]
		y := last.Truth
		found := interval.Union(interval.Prec(200).Rat(decimal(c.from)), interval.Prec(200).Rat(decimal(c.to)))
		if _, meet := interval.Intersect(y, found); !meet || y.RelativeBits(102) < 102 {
			lo, hi := y.Decimal(40)
			t.Errorf("%s: [%s, %s], want between %s and %s", c.Pair, lo, hi, c.from, c.to)
		}
		far := last.Ratio().LessRat(decimal(c.ratio)) == interval.False && last.Agrees(0) == interval.False
		if !far || last.Second.Sign() >= 0 {
			second := last.Second.FloatString(30)
			t.Errorf("%s: printed %s, %v of the truth, second term %s", c.Pair, last.Printed, last.Ratio(), second)
		}
		if first := points[0]; first.Agrees(30) != interval.True || first.Agrees(40) == interval.True {
			t.Errorf("%s: printed %s, the truth is %v", c.Pair, first.Printed, first.Truth)
		}
	}
}

// TestTypeIIErrorsAreNotNegative: where a type II error below 0 is printed, the least one is above.
func TestTypeIIErrorsAreNotNegative(t *testing.T) {
	p := Pair{1, 1}
	b := Published().Betas[p]
	y, err := p.TypeII(t.Context(), b.Alpha)
	if err != nil || b.Least.Sign() >= 0 || b.Negative != 4 ||
		y.LessRat(testkit.Rat("1.4307e-28")) != interval.False || y.LessRat(testkit.Rat("1.4308e-28")) != interval.True {
		t.Errorf("%s: printed %s, %d below 0; %v, %v", p, b.Least.FloatString(32), b.Negative, y, err)
	}
}

// TestMiddlesOfTradeOffCurves: of the middle of the first path's curve the type II error that is printed is below what
// any test has, and of the second's above what the best one has.
func TestMiddlesOfTradeOffCurves(t *testing.T) {
	for i, excess := range [][2]string{{"-1.58938e-5", "-1.58937e-5"}, {"6.35775e-5", "6.35776e-5"}} {
		m := Middle{Pair: Pair{i + 1, i + 1}, Printed: Published().Middle[i]}
		y, err := m.TypeII(t.Context(), m.Printed)
		m.Truth = y
		if e := m.Excess(); err != nil || e.LessRat(testkit.Rat(excess[0])) != interval.False ||
			e.LessRat(testkit.Rat(excess[1])) != interval.True {
			t.Errorf("%s: printed %s, %v, %v", m.Pair, m.Printed.FloatString(30), y, err)
		}
	}
}
