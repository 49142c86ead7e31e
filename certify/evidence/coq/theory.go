// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package coq has what files for Coq are made of: theories, which are the same for all claims of a kind, masses as
// Coq reads them, and the orders by which a claim about all of them is proved.
//
// Nothing here has to be right for what Coq accepts to be true.
package coq

import (
	_ "embed"
	"fmt"
	"math"
	"math/big"
	"strings"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
	"dpverify/proofs/theory"
)

// The theories. Divergence follows Finite, and Gaussian Density and Normal; the others stand alone.
var (
	//go:embed finite.v
	Finite string
	//go:embed divergence.v
	Divergence string
	//go:embed gaussian.v
	Gaussian string
	//go:embed laplaces.v
	Laplaces string
)

// Density are pairs of Gaussian or Laplace noise, whose integrals are enclosed by CoqInterval, and Normal that the
// integral of the normal density is 1.
var Density, Normal = func() (string, string) {
	pairs, normal := theory.Density()
	return strings.Replace(pairs, "\nLocal Open", "\nFrom Interval Require Import Tactic.\nLocal Open", 1), normal
}()

// A Term is a mass in closed form. It has two texts: as a real number, and as an expression of
// finite.v, whose value is that number. Enclose encloses it as Coq does.
type Term interface {
	Real() string
	Expression() string
	Enclose(p interval.Prec) interval.Interval
}

type (
	fraction struct{ r *big.Rat }
	exp      struct{ r *big.Rat }
	power    struct {
		x Term
		n int64
	}
	operation struct {
		op   byte
		x, y Term
	}
)

// Fraction is r.
func Fraction(r *big.Rat) Term { return fraction{r} }

// Exp is e^r.
func Exp(r *big.Rat) Term { return exp{r} }

// Power is x^n.
func Power(x Term, n int64) Term { return power{x, n} }

// Operation is x op y, with one of +-*/.
func Operation(op byte, x, y Term) Term { return operation{op, x, y} }

func (t fraction) Real() string { return Rational(t.r) }
func (t fraction) Expression() string {
	return fmt.Sprintf("(Frac (%s) %s)", t.r.Num(), t.r.Denom())
}
func (t exp) Real() string         { return "exp " + Rational(t.r) }
func (t exp) Expression() string   { return fmt.Sprintf("(Exp (%s) %s)", t.r.Num(), t.r.Denom()) }
func (t power) Real() string       { return fmt.Sprintf("(%s) ^ %d", t.x.Real(), t.n) }
func (t power) Expression() string { return fmt.Sprintf("(Pow %s %d)", t.x.Expression(), t.n) }
func (t operation) Real() string   { return fmt.Sprintf("(%s %c %s)", t.x.Real(), t.op, t.y.Real()) }

func (t operation) Expression() string {
	name := map[byte]string{'+': "Plus", '-': "Minus", '*': "Times", '/': "Over"}[t.op]
	return fmt.Sprintf("(%s %s %s)", name, t.x.Expression(), t.y.Expression())
}

func (t fraction) Enclose(p interval.Prec) interval.Interval { return p.Rat(t.r) }
func (t exp) Enclose(p interval.Prec) interval.Interval      { return p.Exp(p.Rat(t.r)) }
func (t power) Enclose(p interval.Prec) interval.Interval    { return p.PowInt(t.x.Enclose(p), t.n) }

func (t operation) Enclose(p interval.Prec) interval.Interval {
	x, y := t.x.Enclose(p), t.y.Enclose(p)
	switch t.op {
	case '+':
		return p.Add(x, y)
	case '-':
		return p.Sub(x, y)
	case '*':
		return p.Mul(x, y)
	default:
		return p.Div(x, y)
	}
}

// IsZero reports a mass that Coq sees to be 0.
func IsZero(t Term) bool {
	f, ok := t.(fraction)
	return ok && f.r.Sign() == 0
}

// Rational is a number as Coq reads it in the reals.
func Rational(r *big.Rat) string { return fmt.Sprintf("(%s / %s)", r.Num(), r.Denom()) }

var three fixed.Three

// maxTail is in standard deviations: the series of the normal distribution has some z² terms.
const maxTail = 20

// Quotient is a number as Coq reads it in Q.
func Quotient(r *big.Rat) string { return fmt.Sprintf("(%d # %d)", r.Num(), r.Denom()) }

// Largest is a number whose square is not below a square, and very near.
func Largest(square *big.Rat, bits int) *big.Rat {
	n, d := new(big.Int).Sqrt(square.Num()), new(big.Int).Sqrt(square.Denom())
	if r := new(big.Rat).SetFrac(n, d); new(big.Rat).Mul(r, r).Cmp(square) == 0 {
		return r
	}
	scale := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	x := new(big.Int).Mul(square.Num(), new(big.Int).Mul(scale, scale))
	x.Sqrt(x.Quo(x, square.Denom()))
	return new(big.Rat).SetFrac(x.Add(x, big.NewInt(1)), scale)
}

// Inside is a number whose square is not above a square, and very near.
func Inside(square *big.Rat, bits int) *big.Rat {
	x := Largest(square, bits)
	if new(big.Rat).Mul(x, x).Cmp(square) > 0 {
		x.Sub(x, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(bits))))
	}
	return x
}

// Terms is how many terms of the series of the normal distribution leave out less than 2^−bits at z; false if these
// are too many.
func Terms(z float64, bits int) (n int, ok bool) {
	for r := 3 * math.Log2(z); r > -float64(bits) && z <= maxTail; n++ {
		r += math.Log2(z * z / float64(2*n+3))
	}
	return n, z <= maxTail
}

// Threshold is a point a little below the one where the likelihood ratio of a Gaussian, or its sample with the rate of
// (nil for none), is e^x, and how many terms of the series of the normal distribution leave out less than 2^−bits;
// false if these are too many.
func Threshold(d mechanism.Direction, of, x, largest *big.Rat, prec, bits int) (at *big.Rat, terms int, ok bool) {
	zero := new(big.Rat)
	alpha, rate, one := three.Exp(three.Rat(x)), fixed.Int(1), fixed.Int(1)
	if of != nil {
		rate = three.Rat(of)
	}
	rest := three.Sub(one, rate)
	a, b := rate, three.Sub(alpha, rest)
	if d == mechanism.Add {
		a, b = three.Sub(one, three.Mul(alpha, rest)), three.Mul(alpha, rate)
	}
	m := three.Rat(largest)
	exact := three.Add(three.Div(three.Sub(three.Log(b), three.Log(a)), m), three.Scale(m, -1))
	if !exact.Known() {
		return zero, 0, true
	}
	// A point above the exact one is not accepted; what one below it costs is of the first order. The theory knows
	// exponentials to some 90 bits.
	at, _ = exact.Interval().Lo().Rat(nil)
	scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(min(prec-22, 78))))
	at.Mul(at, scale)
	n := new(big.Int).Div(at.Num(), at.Denom())
	at.Quo(at.SetInt(n.Sub(n, big.NewInt(1))), scale)
	t := number.Float64(at)
	terms, ok = Terms(math.Max(math.Abs(t), math.Abs(t-number.Float64(largest))), bits)
	return at, terms, ok
}
