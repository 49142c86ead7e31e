package crosscheck

import (
	"math/big"
	"testing"

	"github.com/ALTree/bigfloat"

	"dpverify/exact/interval"
)

// Both implementations in one run, at one argument of 128 bits.
func BenchmarkElementary(b *testing.B) {
	const p = interval.Prec(128)
	x := p.Rat(big.NewRat(14, 3)).Lo()
	xi := interval.Point(x)
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"exp/interval", func() { p.Exp(xi) }},
		{"exp/bigfloat", func() { bigfloat.Exp(x) }},
		{"log/interval", func() { p.Log(xi) }},
		{"log/bigfloat", func() { bigfloat.Log(x) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.f() // constants are computed once
			b.ReportAllocs()
			for b.Loop() {
				c.f()
			}
		})
	}
}
