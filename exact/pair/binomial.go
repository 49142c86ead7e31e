package pair

import (
	"fmt"
	"math/big"

	"dpverify/mechanism"
)

// maxBinomialTrials bounds the binomials that are kept as finite pairs with
// exact rational masses, whose length grows with the number of trials.
const maxBinomialTrials = 1000

// Binomial is (Bin(Trials, Prob), Sensitivity + Bin(Trials, Prob)) with more
// trials than a finite pair holds.
type Binomial struct {
	Trials      int64
	Prob        *big.Rat
	Sensitivity int64
	Reversed    bool
}

func (Binomial) isPair()        {}
func (Binomial) SelfDual() bool { return false }
func (b Binomial) String() string {
	return fmt.Sprintf("Binomial(%d, %s, %d)%s", b.Trials, b.Prob.RatString(), b.Sensitivity, reversedMark(b.Reversed))
}

// Reverse returns (Q, P).
func (b Binomial) Reverse() Pair {
	b.Reversed = !b.Reversed
	return b
}

// newBinomial returns the pair of a binomial event.
func newBinomial(e mechanism.Binomial) Pair {
	one := big.NewRat(1, 1)
	n, s := e.Trials, e.Sensitivity
	if s > n || e.Probability.Sign() == 0 || e.Probability.Cmp(one) == 0 {
		return newFinite([]Mass{{one, new(big.Rat)}, {new(big.Rat), one}}) // disjoint supports
	}
	if n > maxBinomialTrials {
		return Binomial{Trials: n, Prob: e.Probability, Sensitivity: s}
	}
	masses := binomialMasses(n, e.Probability)
	ms := make([]Mass, n+s+1)
	for x := range ms {
		ms[x] = Mass{new(big.Rat), new(big.Rat)}
		if int64(x) <= n {
			ms[x].P = masses[x]
		}
		if y := int64(x) - s; y >= 0 {
			ms[x].Q = masses[y]
		}
	}
	return newFinite(ms)
}

// binomialMasses returns C(n, x)·p^x·(1−p)^(n−x) for x = 0 … n.
func binomialMasses(n int64, p *big.Rat) []*big.Rat {
	q := new(big.Rat).Sub(big.NewRat(1, 1), p)
	ratio := new(big.Rat).Quo(p, q)
	out := make([]*big.Rat, n+1)
	out[0] = big.NewRat(1, 1)
	for range n {
		out[0].Mul(out[0], q)
	}
	for x := int64(1); x <= n; x++ {
		r := new(big.Rat).Mul(ratio, big.NewRat(n-x+1, x))
		out[x] = r.Mul(r, out[x-1])
	}
	return out
}
