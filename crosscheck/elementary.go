// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"context"
	"math"
	"math/big"
	"math/rand"

	"github.com/ALTree/bigfloat"

	"dpverify/exact/interval"
)

// guard is how many bits more bigfloat gets, and spare how many of them it may have
// wrong. Outside its windows it is right to the last bit or two.
const (
	guard = 64
	spare = 16
)

// A function is one that both sides implement.
type function struct {
	name string
	draw func(*rand.Rand, interval.Prec) []*big.Float
	ours func(interval.Prec, []interval.Interval) interval.Interval
	// theirs returns bigfloat's value for arguments of high precision.
	theirs func([]*big.Float) *big.Float
	// skip reports arguments in a window in which theirs is wrong.
	skip func([]*big.Float) bool
}

// functions lists them, in the order of a report.
var functions = []function{
	unary("exp", drawReal, interval.Prec.Exp, bigfloat.Exp, expWindow),
	unary("expm1", drawReal, interval.Prec.Expm1, func(x *big.Float) *big.Float {
		y := bigfloat.Exp(extended(x)) // e^x − 1 loses as many bits as x is small
		return y.Sub(y, big.NewFloat(1))
	}, expWindow),
	unary("log", drawPositive, interval.Prec.Log, bigfloat.Log, logWindow),
	unary("log1p", drawAboveMinusOne, interval.Prec.Log1p, func(x *big.Float) *big.Float {
		return bigfloat.Log(onePlus(x))
	},
		func(x *big.Float) bool { return x.Sign() == 0 || logWindow(onePlus(x)) }),
	unary("sqrt", drawPositive, interval.Prec.Sqrt, func(x *big.Float) *big.Float {
		return bigfloat.Pow(x, big.NewFloat(0.5))
	},
		func(x *big.Float) bool { return powWindow(x, big.NewFloat(0.5)) }),
	{
		name: "pow",
		draw: func(r *rand.Rand, p interval.Prec) []*big.Float {
			return []*big.Float{drawPositive(r, p), big.NewFloat(float64(r.Intn(200) - 100))}
		},
		ours: func(p interval.Prec, x []interval.Interval) interval.Interval {
			n, _ := x[1].Lo().Int64()
			return p.PowInt(x[0], n)
		},
		theirs: func(x []*big.Float) *big.Float { return bigfloat.Pow(x[0], x[1]) },
		skip:   func(x []*big.Float) bool { return powWindow(x[0], x[1]) },
	},
}

// unary is a function of one argument.
func unary(name string, draw func(*rand.Rand, interval.Prec) *big.Float,
	ours func(interval.Prec, interval.Interval) interval.Interval,
	theirs func(*big.Float) *big.Float, skip func(*big.Float) bool) function {
	return function{
		name:   name,
		draw:   func(r *rand.Rand, p interval.Prec) []*big.Float { return []*big.Float{draw(r, p)} },
		ours:   func(p interval.Prec, x []interval.Interval) interval.Interval { return ours(p, x[0]) },
		theirs: func(x []*big.Float) *big.Float { return theirs(x[0]) },
		skip:   func(x []*big.Float) bool { return skip(x[0]) },
	}
}

// onePlus is 1 + x, exactly.
func onePlus(x *big.Float) *big.Float {
	y := extended(x)
	return y.Add(y, big.NewFloat(1))
}

// extended returns x with as many more bits as x is smaller than 1.
func extended(x *big.Float) *big.Float {
	return new(big.Float).SetPrec(x.Prec() + guard + uint(max(0, -x.MantExp(nil)))).Set(x)
}

// powWindow: bigfloat.Pow is exp(w·log z) with 64 bits more than asked, for −w if w is
// negative.
func powWindow(z, w *big.Float) bool {
	if z.Cmp(big.NewFloat(1)) == 0 || w.Sign() == 0 {
		return false
	}
	if logWindow(z) {
		return true
	}
	l := interval.Prec(64).Log(interval.Point(z)).Lo()
	return expWindow(l.Mul(l, new(big.Float).Abs(w)))
}

// precisions at which functions are compared.
var precisions = []interval.Prec{2, 8, 24, 53, 64, 65, 113, 128, 256}

// Elementary compares every elementary function at n arguments, half of them hard,
// at several precisions. The error is a *Violation or ctx's; the report then counts
// what was compared before. Equal seeds make equal comparisons.
func Elementary(ctx context.Context, seed int64, n int) (Report, error) {
	rep := Report{Checked: make(map[string]int), Skipped: make(map[string]int)}
	for i := range n {
		for k, f := range functions {
			if err := ctx.Err(); err != nil {
				return rep, err
			}
			r := rand.New(rand.NewSource(seed ^ int64(uint64(i)*0x9e3779b97f4a7c15) ^ int64(k)<<56))
			p := precisions[r.Intn(len(precisions))]
			v, skipped := f.compare(p, f.draw(r, p))
			switch {
			case v != nil:
				return rep, v
			case skipped:
				rep.Skipped[f.name]++
			default:
				rep.Checked[f.name]++
			}
		}
	}
	return rep, nil
}

// compare evaluates both sides at points and reports whether the arguments were
// skipped.
func (f function) compare(p interval.Prec, args []*big.Float) (v *Violation, skipped bool) {
	high := uint(p) + guard
	xs := make([]interval.Interval, len(args))
	precise := make([]*big.Float, len(args))
	for i, x := range args {
		xs[i] = interval.Point(x)
		precise[i] = new(big.Float).SetPrec(max(high, x.Prec())).Set(x)
		if precise[i].Prec() > maxLogPrec {
			return nil, true
		}
	}
	if f.skip(precise) {
		return nil, true
	}
	y := f.ours(p, xs)
	z := f.theirs(precise)
	// The truth is within |z|·2^(spare−high) of z; in directed rounding, with room.
	const w = interval.Prec(1024)
	zi := interval.Point(z)
	slack := w.Scale(zi.Abs(), spare-int(high))
	other := interval.Union(w.Sub(zi, slack), w.Add(zi, slack))
	if _, ok := interval.Intersect(y, other); !ok {
		return &Violation{f.name, args, p, y, z, high}, false
	}
	return nil, false
}

// hard are arguments at which rounding, reduction or a table is at its worst.
var hard = []float64{
	0, 1, -1, 2, 0.5, 0.1, 1.0 / 3, 1 + 0x1p-52, 1 - 0x1p-53, 1e-21, 709, 709.78, 710, 745, -708, -709, 744, 1e5, -1e5,
	math.Ln2, -math.Ln2, 10 * math.Ln2, 3.5 * math.Ln2, math.Sqrt2, 2.0 / 3, 4.0 / 3, 0x1p-10, 0x1p-64, 0x1p300,
	0x1p-300, 255.0 / 256, 257.0 / 256,
	3, 9, 16, 1 << 52, 123456789, -0.75, -20, 20,
}

// drawReal draws a number of at most p bits: half of them hard or next to a hard one,
// half log-uniform, of either sign.
func drawReal(r *rand.Rand, p interval.Prec) *big.Float {
	if r.Intn(2) == 0 {
		x := new(big.Float).SetPrec(max(53, uint(p))).SetFloat64(hard[r.Intn(len(hard))])
		switch r.Intn(3) {
		case 0:
			return x
		case 1: // the neighbours of p bits
			d := new(big.Float).SetMantExp(big.NewFloat(float64(2*r.Intn(2)-1)), x.MantExp(nil)-int(x.Prec()))
			x.Add(x, d)
		default:
			x.Mul(x, randomFloat(r, uint(p), 0))
		}
		return x
	}
	x := randomFloat(r, uint(p), int(r.Int63n(44))-32)
	if r.Intn(2) == 0 {
		x.Neg(x)
	}
	return x
}

// drawAboveMinusOne draws a number that log1p has.
func drawAboveMinusOne(r *rand.Rand, p interval.Prec) *big.Float {
	x := drawReal(r, p)
	if x.Cmp(big.NewFloat(-1)) <= 0 {
		x.Neg(x)
	}
	return x
}

// drawPositive draws a positive number, of a wider range of exponents.
func drawPositive(r *rand.Rand, p interval.Prec) *big.Float {
	if r.Intn(2) == 0 {
		x := drawReal(r, p)
		if x.Abs(x); x.Sign() > 0 {
			return x
		}
	}
	return randomFloat(r, uint(p), int(r.Int63n(2000))-1000)
}

// randomFloat returns a number of p bits in [2^e, 2^(e+1)).
func randomFloat(r *rand.Rand, p uint, e int) *big.Float {
	m := new(big.Int).Rand(r, new(big.Int).Lsh(big.NewInt(1), p-1))
	m.SetBit(m, int(p-1), 1)
	f := new(big.Float).SetPrec(p).SetInt(m)
	return f.SetMantExp(f, e-int(p)+1)
}

// Where bigfloat v0.2.0 is wrong, or takes for ever. windows_test.go pins every one
// of these.

// expWindow reports whether bigfloat.Exp cannot be trusted at x.
//
// Exp starts Newton's iteration from a float64. Below −708 that start is subnormal
// and has fewer bits the smaller it is: down to about −728 the iteration still
// converges at all precisions, below −734 at none, and between it depends on how
// near the precision is to a power of two times the start's bits. From −745.13
// downwards the argument is halved until float64 can represent the exponential, so
// that multiples of the window by powers of two are hit as well. Large arguments
// take a time in proportion to their logarithm at growing precision: from 2^20 on
// they are left out.
func expWindow(x *big.Float) bool {
	if x.Sign() == 0 {
		return x.Prec() == 0 // e^0 is said to be 0
	}
	if x.MantExp(nil) > 20 {
		return true
	}
	if x.Sign() > 0 {
		return false
	}
	y := new(big.Float).SetPrec(64).Set(x)
	low, high := big.NewFloat(-745.14), big.NewFloat(-727)
	for y.Cmp(low) <= 0 {
		y.SetMantExp(y, -1)
	}
	return y.Cmp(high) < 0
}

// logWindow reports whether bigfloat.Log cannot be trusted at x > 0: next to 1, where
// at 1 ± 2^−k it loses up to k − 64 bits, and at exponents beyond ±2^20, where it loses
// as many as they have, and all at the very end of the range.
func logWindow(x *big.Float) bool {
	if e := x.MantExp(nil); e > 1<<20 || e < -1<<20 {
		return true
	}
	d := new(big.Float).SetPrec(x.Prec()+64).Sub(x, big.NewFloat(1))
	return d.Sign() != 0 && d.MantExp(nil) < -60
}

// maxLogPrec is the precision above which bigfloat.Log has a data race on a cache of
// its package.
const maxLogPrec = 900
