// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/float/value"
)

// A floatFunction is one whose error package float/value bounds, on the strength of an
// assumption about package math.
type floatFunction struct {
	name   string
	lo, hi float64 // domain to draw from
	fast   func(value.Value) value.Value
	exact  func(interval.Prec, interval.Interval) interval.Interval
}

// An absolute function is sine or cosine, which are used by the Fourier accountant with an absolute error of 4u.
func absolute(f func(float64) float64) func(value.Value) value.Value {
	return func(x value.Value) value.Value { return value.Within(f(x.V), 4*value.U) }
}

var floatFunctions = []floatFunction{
	{"exp", -740, 700, value.Value.Exp, interval.Prec.Exp},
	{"expm1", -50, 700, value.Value.Expm1, interval.Prec.Expm1},
	{"log", 1e-300, 1e300, value.Value.Log, interval.Prec.Log},
	{"log1p", -0.999999, 1e6, value.Value.Log1p, interval.Prec.Log1p},
	{"normal upper tail", -40, 38, value.NormalSF, interval.Prec.NormalSF},
	{"erfcx", 0, 1000, value.Erfcx, func(p interval.Prec, x interval.Interval) interval.Interval {
		return p.Scale(p.Mul(p.Exp(p.Sqr(x)), p.NormalSF(p.Mul(x, p.Sqrt(interval.Int(2))))), 1)
	}},
	{"sin", -1e6, 1e6, absolute(math.Sin), interval.Prec.Sin},
	{"cos", -1e6, 1e6, absolute(math.Cos), interval.Prec.Cos},
}

// argument draws a number: a hard one of package crosscheck's list, or uniform, or
// log-uniform towards the end of the domain that is nearest to 0.
func (f floatFunction) argument(r *rand.Rand) float64 {
	for {
		x := 0.0
		switch r.Intn(3) {
		case 0:
			x = hard[r.Intn(len(hard))] * (1 + float64(r.Intn(3)-1)*0x1p-52)
		case 1:
			x = f.lo + r.Float64()*(f.hi-f.lo)
		default:
			x = math.Exp(-40+r.Float64()*(math.Log(f.hi)+40)) * float64(1-2*r.Intn(2))
		}
		if x >= f.lo && x <= f.hi {
			return x
		}
	}
}

// Functions checks the error bounds of float/value's functions against the exact
// engine, at n arguments each. The error is a *FunctionViolation or ctx's.
func Functions(ctx context.Context, seed int64, n int) (map[string]int, error) {
	checked := make(map[string]int)
	r := rand.New(rand.NewSource(seed))
	for range n {
		for _, f := range floatFunctions {
			if err := ctx.Err(); err != nil {
				return checked, err
			}
			if v := f.check(f.argument(r)); v != nil {
				return checked, v
			}
			checked[f.name]++
		}
	}
	return checked, nil
}

// check compares both sides at x.
func (f floatFunction) check(x float64) *FunctionViolation {
	const p = interval.Prec(160)
	y := f.fast(value.Exact(x))
	z := f.exact(p, interval.Point(new(big.Float).SetFloat64(x)))
	if judge(z.Lo(), z.Hi(), y) == Proved || math.IsInf(y.Err, 1) {
		return nil
	}
	return &FunctionViolation{f.name, x, y, z}
}

// A FunctionViolation is a function of package math that is less accurate than package
// float/value assumes, here and on this machine.
type FunctionViolation struct {
	Function string
	Argument float64
	Value    value.Value
	Exact    interval.Interval
}

// Error says what disagrees, and how to see it again.
func (v *FunctionViolation) Error() string {
	lo, hi := v.Exact.Decimal(25)
	return fmt.Sprintf("crosscheck: %s(%x): the fast path says %.17g ± %.3g, the exact engine [%s, %s]; reproduce with: "+
		"go test dpverify/crosscheck -run '^TestReproduceFunction$' -v -args -function '%s' -arguments %x",
		v.Function, v.Argument, v.Value.V, v.Value.Err, lo, hi, v.Function, v.Argument)
}

// Methods compares all methods of the exact engine with each other: every enclosure of
// δ(ε) of one product meets every other, that is, no lower bound of one method exceeds
// an upper bound of another. It returns the number of pairs that were compared. Methods
// that expect to take more than cost seconds are left out. The error is a
// *MethodViolation, one about the question, or ctx's.
func Methods(ctx context.Context, q exact.Question, epsilons []*big.Rat, e exact.Effort,
	cost float64) (map[string]int, error) {
	pairs := make(map[string]int)
	all, err := exact.Each(ctx, q, e, cost)
	if err != nil {
		return pairs, err
	}
	for _, eps := range epsilons {
		ys := make([]interval.Interval, len(all))
		for i, m := range all {
			if ys[i], err = m.Delta(ctx, eps); err != nil {
				return pairs, err
			}
			for j := range i {
				if all[j].Product != m.Product {
					continue
				}
				if _, ok := interval.Intersect(ys[i], ys[j]); !ok {
					return pairs, &MethodViolation{q, eps, e, all[j].Method, m.Method, ys[j], ys[i]}
				}
				pairs[all[j].Method+" / "+m.Method]++
			}
		}
	}
	return pairs, nil
}

// A MethodViolation is a pair of methods of the exact engine whose enclosures are
// disjoint.
type MethodViolation struct {
	Question                exact.Question
	Eps                     *big.Rat
	Effort                  exact.Effort
	First, Second           string
	FirstDelta, SecondDelta interval.Interval
}

// Error says what disagrees, and how to see it again.
func (v *MethodViolation) Error() string {
	a, b := v.FirstDelta.Decimal(25)
	c, d := v.SecondDelta.Decimal(25)
	return fmt.Sprintf("crosscheck: δ(%s) at effort %d: method %s says [%s, %s], method %s says [%s, %s]; reproduce "+
		"with: %s", v.Eps.RatString(), v.Effort, v.First, a, b, v.Second, c, d, Command(v.Question, v.Eps))
}
