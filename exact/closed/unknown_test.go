package closed

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestTailsOfWideEpsilon: for an ε that is only known to lie in an interval with a jump of
// the tails in it, the enclosures contain the tails on both sides of the jump.
func TestTailsOfWideEpsilon(t *testing.T) {
	const p = interval.Prec(64)
	laplace := pair.Product{{Pair: pair.Laplace{Shift: big.NewRat(1, 1)}, Count: 1}}
	for _, x := range []pair.Pair{
		pair.Laplace{Shift: big.NewRat(1, 1)},
		pair.Mixed{Rate: big.NewRat(1, 3), Base: laplace},
		pair.Sampled{Rate: big.NewRat(1, 3), Base: laplace},
		pair.Sampled{Rate: big.NewRat(1, 3), Base: laplace, Reversed: true},
		pair.ClampedLaplace{Location: big.NewRat(1, 1), Scale: big.NewRat(1, 1), Shift: big.NewRat(1, 2), ShiftFirst: true},
		pair.ClampedLaplace{Location: big.NewRat(1, 1), Scale: big.NewRat(1, 1), Shift: big.NewRat(1, 2), ShiftFirst: true, Reversed: true},
		pair.ClampedLaplace{Location: big.NewRat(-1, 1), Scale: big.NewRat(1, 1), Shift: big.NewRat(1, 2), ShiftFirst: true},
		pair.ClampedLaplace{Location: big.NewRat(1, 1), Scale: big.NewRat(1, 1), Shift: big.NewRat(1, 2)},
		pair.ClampedLaplace{Location: big.NewRat(1, 1), Scale: big.NewRat(1, 1), Shift: big.NewRat(1, 2), Reversed: true},
		pair.TruncatedLaplace{Scale: big.NewRat(1, 1), Sensitivity: big.NewRat(1, 2), Radius: big.NewRat(2, 1)},
	} {
		tails, ok := PairTails(x)
		if !ok {
			t.Fatalf("%s has no tails", x)
		}
		for n := int64(-30); n <= 30; n++ {
			for _, radius := range []int64{1, 4, 16} {
				lo, mid, hi := big.NewRat(n-radius, 20), big.NewRat(n, 20), big.NewRat(n+radius, 20)
				y := Arg{Interval: interval.Union(p.Rat(lo), p.Rat(hi))}
				wideP, wideQ := tails(p, y)
				for _, e := range []*big.Rat{lo, mid, hi} {
					a, b := tails(p, Arg{Interval: p.Rat(e), Rat: e})
					if _, ok := interval.Intersect(a, wideP); !ok || interval.Point(wideP.Hi()).Less(a) == interval.True || a.Less(interval.Point(wideP.Lo())) == interval.True {
						t.Errorf("%s: P(L > %s) = %s, over [%s, %s] in %s", x, e.RatString(), a, lo.RatString(), hi.RatString(), wideP)
					}
					if _, ok := interval.Intersect(b, wideQ); !ok {
						t.Errorf("%s: Q(L > %s) = %s, over [%s, %s] in %s", x, e.RatString(), b, lo.RatString(), hi.RatString(), wideQ)
					}
				}
			}
		}
	}
}
