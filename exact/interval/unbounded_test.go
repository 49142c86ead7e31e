package interval

import (
	"math"
	"math/big"
	"testing"
)

// TestQuotientsOfUnboundedSets: the quotient of two sets, either of them unbounded,
// contains those of their points.
func TestQuotientsOfUnboundedSets(t *testing.T) {
	inf := Entire().Hi()
	one, two := big.NewFloat(1), big.NewFloat(2)
	neg := func(f *big.Float) *big.Float { return new(big.Float).Neg(f) }
	sets := []Interval{
		Bounds(one, inf), Bounds(neg(inf), neg(one)), Bounds(two, inf), Entire(), Bounds(new(big.Float), inf),
		Bounds(one, two), Bounds(neg(two), neg(one)), Bounds(neg(one), two), Bounds(neg(inf), one),
	}
	points := []*big.Rat{big.NewRat(1, 1), big.NewRat(2, 1), big.NewRat(1<<60, 1), big.NewRat(3, 2), big.NewRat(0, 1), big.NewRat(1, 1<<40)}
	for _, p := range points[:len(points):len(points)] {
		points = append(points, new(big.Rat).Neg(p))
	}
	for _, prec := range []Prec{2, 8, 64} {
		for _, x := range sets {
			for _, y := range sets {
				q := prec.Div(x, y)
				for _, a := range points {
					for _, b := range points {
						if b.Sign() == 0 || !x.ContainsRat(a) || !y.ContainsRat(b) {
							continue
						}
						if z := new(big.Rat).Quo(a, b); !q.ContainsRat(z) {
							t.Errorf("%d bits: [%v, %v]/[%v, %v] = [%v, %v] lacks %s/%s", prec, x.Lo(), x.Hi(), y.Lo(), y.Hi(), q.Lo(), q.Hi(), a.RatString(), b.RatString())
						}
					}
				}
			}
		}
		if r := prec.Sqrt(Bounds(big.NewFloat(4), inf)); !r.ContainsRat(big.NewRat(2, 1)) || !r.ContainsRat(big.NewRat(1<<62, 1)) || r.LessRat(big.NewRat(1, 1)) != False {
			t.Errorf("%d bits: √[4, ∞) = [%v, %v]", prec, r.Lo(), r.Hi())
		}
		if r := prec.Sqrt(Bounds(inf, inf)); !r.Hi().IsInf() {
			t.Errorf("%d bits: √[∞, ∞] = [%v, %v]", prec, r.Lo(), r.Hi())
		}
	}
}

// TestBinary64Refuses: what is no number has no enclosure.
func TestBinary64Refuses(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if x, err := Binary64(f); err == nil {
			t.Errorf("%v becomes [%v, %v]", f, x.Lo(), x.Hi())
		}
	}
}

// TestRationalsOfHugeNumbers: an end whose rational has millions of digits is not written
// out.
func TestRationalsOfHugeNumbers(t *testing.T) {
	for _, e := range []int{1 << 21, -1 << 21} {
		f := new(big.Float).SetMantExp(big.NewFloat(1), e)
		if _, _, ok := Bounds(f, f).Rationals(); ok {
			t.Errorf("2^%d was written out", e)
		}
	}
}
