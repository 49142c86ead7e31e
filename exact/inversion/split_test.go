package inversion

import (
	"math/big"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestSplitDecay: |R| against its bound.
func TestSplitDecay(t *testing.T) {
	for _, x := range []string{"1/10", "1", "4"} {
		for _, s := range []*split{{laplace{rat(x)}, 5, 1}, {laplace{rat(x)}, 5, 3}, {laplace{rat(x)}, 5, 5}, {laplace{rat(x)}, 100, 10}} {
			for _, lambda := range []*big.Rat{rat("1/4"), rat("2"), rat("9")} {
				m := s.moment(100, lambda)
				d := s.decay(lambda)
				line, err := s.line(t.Context(), 100, lambda, coarse.Rat(rat("5/7")), 60)
				if err != nil {
					t.Fatal(err)
				}
				for j := 1; j < len(line); j++ {
					at := coarse.Mul(coarse.Rat(rat("5/7")), interval.Int(int64(j)))
					got := fine.Div(fine.AbsC(line[j]), m)
					if bound := d(at, infinity()); got.Lo().Cmp(bound.Hi()) > 0 {
						t.Fatalf("x = %s, %d copies, few = %d, λ = %s: |R(%v)| = %v > %v", x, s.copies, s.few, lambda.RatString(), at, got, bound)
					}
				}
			}
		}
	}
}

// TestSplitLaplace: with a few terms split off and with all but one, against the closed
// sum.
func TestSplitLaplace(t *testing.T) {
	for _, x := range []string{"1/10", "1", "4"} {
		for _, eps := range []string{"-2", "1/5", "1"} {
			want, err := closed.LaplaceSum(t.Context(), 200, rat(x), 12, interval.RealRat(rat(eps)))
			if err != nil {
				t.Fatal(err)
			}
			for _, few := range []int64{10} {
				s := &split{laplace{rat(x)}, 12, few}
				tr := &Transform{terms: []term{{s, 1}}, split: s, lines: make(map[lineKey]*line)}
				tr.quantum = tr.chooseQuantum()
				for _, p := range []interval.Prec{3, 12} {
					got, err := tr.Delta(t.Context(), p, interval.RealRat(rat(eps)))
					if err != nil {
						t.Fatal(err)
					}
					if _, ok := interval.Intersect(got, want); !ok {
						t.Errorf("x = %s, few = %d: δ(%s) in %v at %d bits, want %v", x, few, eps, got, p, want)
					}
				}
			}
		}
	}
}

// TestLaplaceManyTimes: more copies than the closed sum is for.
func TestLaplaceManyTimes(t *testing.T) {
	prod := product(pair.Laplace{Shift: rat("1/10")}, 100)
	for _, eps := range []string{"1", "5"} {
		want, err := closed.LaplaceSum(t.Context(), 140, rat("1/10"), 100, interval.RealRat(rat(eps)))
		if err != nil {
			t.Fatal(err)
		}
		got := delta(t, prod, 110, eps)
		if _, ok := interval.Intersect(got, want); !ok || got.RelativeBits(200) < 106 {
			t.Errorf("δ(%s) in %v, want %v", eps, got, want)
		}
	}
}
