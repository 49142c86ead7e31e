// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package coq has what files for Coq are made of: theories, which are the same for all claims of a kind, masses as
// Coq reads them, and the orders by which a claim about all of them is proved.
//
// Nothing here has to be right for what Coq accepts to be true.
package coq

import (
	_ "embed"
	"fmt"
	"math/big"
	"strings"

	"dpverify/exact/interval"
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
