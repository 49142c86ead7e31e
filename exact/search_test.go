package exact

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// TestEpsilonOfGreatLosses: ε far beyond 2^40, where e^ε overflows. The values are roots of Balle & Wang 2018,
// Theorem 8, by mpmath with 250 digits: µ²/2 + µ·4.75342…
func TestEpsilonOfGreatLosses(t *testing.T) {
	for _, c := range []struct{ noise, want string }{
		{"1e-7", "50000047534242.088229227153083339562149501390216685175433"},
		{"1e-90", "5.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000475342430882289894819e+179"},
	} {
		noise, want := rat(c.noise), rat(c.want)
		q := Question{Event: mechanism.Gaussian{NoiseMultiplier: noise}}
		r, err := Epsilon(context.Background(), q, rat("1e-6"), 60, 1)
		if err != nil {
			t.Fatal(err)
		}
		unit := new(big.Rat).Mul(want, pow2(-160))
		w := interval.Prec(500)
		truth := interval.Union(w.Rat(new(big.Rat).Sub(want, unit)), w.Rat(new(big.Rat).Add(want, unit)))
		if _, ok := interval.Intersect(r.Interval, truth); !ok || r.RelativeBits(200) < 55 {
			t.Errorf("noise %s: %s, want %s", c.noise, r.Interval, c.want)
		}
	}
}

// TestOutwards: the exponent found is the least that does, and nothing is asked twice.
func TestOutwards(t *testing.T) {
	for _, least := range []int{-20, -6, 0, 39, 40, 41, 79, 80, 81, 1000, maxExponent, maxExponent + 1} {
		asked := map[int]bool{}
		hit := 1 << 30
		err := outwards(func(k int) (bool, error) {
			if asked[k] {
				t.Errorf("%d is asked twice", k)
			}
			asked[k] = true
			if k >= least {
				hit = min(hit, k)
			}
			return k >= least, nil
		})
		want := max(least, -6)
		if least > maxExponent {
			want = 1 << 30
		}
		if hit != want || err != nil {
			t.Errorf("least %d: found %d, %v", least, hit, err)
		}
	}
	if err := outwards(func(int) (bool, error) { return false, fmt.Errorf("stop") }); err == nil {
		t.Error("no error")
	}
}
