package bucket

import (
	"context"
	"fmt"
	"math/big"
	"syscall"
	"testing"
	"time"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("bad rational " + s)
	}
	return r
}

func TestHeadlineScratch(t *testing.T) {
	ctx := context.Background()
	n := 50000
	sigma := "282.842712474619009760337744841939615713934"
	for _, c := range []struct {
		x   pair.Pair
		eta *big.Rat
	}{
		{pair.TruncatedLaplace{Scale: rat("200"), Sensitivity: rat("1"), Radius: rat("2500")}, big.NewRat(1, 200*int64(n))},
		{pair.TruncatedGaussian{Sigma: rat(sigma), Sensitivity: rat("1"), Radius: rat("2500")}, big.NewRat(1, 1600000)},
	} {
		c0, t0 := cpu(), time.Now()
		leaf, ok, err := PairLeaf(ctx, c.x, Shape{n, c.eta, 125})
		fmt.Println(leaf, ok, err, "leaf", cpu()-c0, time.Since(t0))
		c1 := cpu()
		var last *Tree
		last = leaf
		pol := Policy{FreeInfinity: 40, Progress: func(d, k int) {}}
		acc := leaf
		for i := 0; i < 18; i++ {
			acc, err = pol.times(ctx, acc, acc)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(i, acc, acc.Infinite(53), cpu()-c1)
			g := func(x *big.Int) string { f := new(big.Float).SetInt(x); f.SetMantExp(f, -125); return f.Text('g', 5) }
			fmt.Println("  inf", g(acc.far.a), g(acc.far.b), g(acc.over.a), g(acc.over.b), "-n:", g(acc.b.at(-n)), g(acc.v.at(-n)), g(acc.r.at(-n)), "sums", g(acc.r.v.Sum()), g(acc.v.v.Sum()))
		}
		_ = last
		c2 := cpu()
		for _, e := range []string{"1", "2", "4", "8"} {
			eps := interval.RealRat(rat(e))
			lo, up, ty := acc.Lower(64, eps), acc.Upper(64, eps), acc.Typical(64, eps)
			fmt.Println(e, lo.Text('g', 12), up.Text('g', 12), ty.Text('g', 12))
		}
		fmt.Println("eval", cpu()-c2, "total", cpu()-c0, time.Since(t0))
	}
}

func BenchmarkGaussLeaf(b *testing.B) {
	for b.Loop() {
		PairLeaf(context.Background(), pair.TruncatedGaussian{Sigma: rat("282.842712474619009760337744841939615713934"), Sensitivity: rat("1"), Radius: rat("2500")}, Shape{50000, big.NewRat(1, 1600000), 125})
	}
}
