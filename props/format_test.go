package props

import (
	"math/big"
	"testing"
	"time"

	"dpverify/exact/interval"
)

// Numbers at both ends of the range of exponents are printed, outward, in little
// time: an upper end rounded up from below the range is one of them.
func TestDecimalAtTheEndsOfTheRange(t *testing.T) {
	const p = interval.Prec(64)
	tiny := p.Exp(p.Rat(rat("-1e12"))) // [0, smallest]
	huge := p.Exp(p.Rat(rat("1e12")))  // [largest, ∞]
	for _, x := range []interval.Interval{tiny, tiny.Neg(), huge, huge.Neg(), p.Exp(p.Rat(rat("-372130559"))), p.Exp(p.Rat(rat("3e8"))), p.Exp(p.Rat(rat("-3e8")))} {
		for _, n := range []int{1, 2, 20} {
			done := make(chan any, 1)
			go func() {
				defer func() { done <- recover() }()
				lo, hi := x.Decimal(n)
				for _, s := range []string{lo, hi} {
					if s == "" || len(s) > n+20 {
						panic("printed as " + s)
					}
				}
			}()
			select {
			case r := <-done:
				if r != nil {
					t.Errorf("Decimal(%d) of [2^%d …, 2^%d …]: %v", n, exponent(x.Lo()), exponent(x.Hi()), r)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("Decimal(%d) of [2^%d …, 2^%d …] does not end", n, exponent(x.Lo()), exponent(x.Hi()))
			}
		}
	}
}

func exponent(f *big.Float) int { return f.MantExp(nil) }
