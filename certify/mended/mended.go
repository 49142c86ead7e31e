// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package mended says which number in the place of a refuted one would be true, in as many digits as the claim has.
package mended

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"time"

	"dpverify/certify/decimal"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/internal/prose"
)

// A Number is what a refuted claim has to say in the place of a number. Every number written in so many digits that is
// below Least is refuted too, and Holds is true; the two are mostly equal.
type Number struct {
	Report
	At string // what else the claim says; may be empty
	In number.In
}

// A Report is a Number in JSON.
type Report struct {
	Of    string `json:"of"` // ε, δ, ρ, μ, …
	Least string `json:"least"`
	Holds string `json:"holds"`
}

// rho is what Rho looks for.
const rho = "ρ"

// Reports are numbers in JSON, which holds nothing that depends on the clock: a ρ is left out.
func Reports(numbers []Number) []Report {
	var out []Report
	for _, n := range numbers {
		if n.Of != rho {
			out = append(out, n.Report)
		}
	}
	return out
}

// inOf is how a number is written, and as a number that is quoted if that is a fraction or 0.
func inOf(written string) number.In {
	if in, ok := number.WrittenIn(written); ok && strings.Trim(written, "+-0.") != "" {
		return in
	}
	return number.In{Digits: number.QuotedDigits}
}

// A Format is how the numbers of a claim are read: as they are written, or as the float64 next to it.
type Format struct{ Binary64 bool }

// read is what a written number is to the claim.
func (f Format) read(x *big.Rat) *big.Rat {
	if y, err := number.Binary64(x); f.Binary64 && err == nil {
		return y
	}
	return x
}

// Upper is what a claim that the truth is at most so much has to say; nothing if no number below most, which may be
// nil, is enough. There is nothing either where numbers are read so differently from what is written that another one
// would do, or the one that is written would not.
func (f Format) Upper(of, at, written string, truth *exact.Enclosure, most *big.Rat) []Number {
	if truth == nil {
		return nil
	}
	lo, hi, ok := truth.Rationals()
	if !ok || most != nil && hi.Cmp(most) >= 0 {
		return nil
	}
	in := inOf(written)
	if in.Digits > 0 && lo.Sign() <= 0 {
		return nil // there is no least number of so many digits
	}
	if claimed, err := number.Parse(written); err == nil && lo.Cmp(claimed) <= 0 { // the claim is refuted
		lo = new(big.Rat).Add(claimed, new(big.Rat).Quo(in.Unit(claimed), big.NewRat(2, 1)))
	}
	n := Number{Report{of, in.RoundUp(lo), in.RoundUp(hi)}, at, in}
	least, err1 := number.Parse(n.Least)
	holds, err2 := number.Parse(n.Holds)
	if err1 != nil || err2 != nil || f.read(holds).Cmp(hi) < 0 || f.read(least.Sub(least, in.Unit(lo))).Cmp(lo) >= 0 {
		return nil
	}
	return []Number{n}
}

// maxTries bounds how many numbers are tried in one direction.
const maxTries = 10

// Search is Upper for a truth of which it is only known what is below it, and whether a number is at least the truth,
// which may be open. It goes up from the first number, each step twice the one before, and then back by bisection. It
// is false if no number that was tried holds, or the one before the first would, as it is read.
func (f Format) Search(of, written string, below *big.Rat,
	holds func(*big.Rat) (interval.Truth, error)) (Number, bool, error) {
	in := inOf(written)
	first, err := number.Parse(in.RoundUp(below))
	if err != nil {
		return Number{}, false, err
	}
	unit := in.Unit(first)
	if f.read(new(big.Rat).Sub(first, unit)).Cmp(below) >= 0 {
		return Number{}, false, nil
	}
	at := func(k int64) *big.Rat {
		x := new(big.Rat).SetInt64(k)
		return x.Add(first, x.Mul(x, unit))
	}
	least, failed, enough := int64(0), int64(-1), int64(-1)
	for tries, k := 0, int64(0); tries < 2*maxTries; tries++ {
		t, err := holds(f.read(at(k)))
		switch {
		case err != nil:
			return Number{}, false, err
		case t == interval.True:
			enough = k
		default:
			failed = k
			if t == interval.False {
				least = k + 1
			}
		}
		if enough < 0 && tries+1 >= maxTries || enough == failed+1 {
			break
		}
		if k = 2*k + 1; enough >= 0 {
			k = (failed + enough) / 2
		}
	}
	return Number{Report: Report{of, in.RoundUp(at(least)), in.RoundUp(at(max(enough, 0)))}, In: in}, enough >= 0, nil
}

// searchTime is the time that the search for a ρ may take: it is a remark on a claim that is decided.
const searchTime = time.Second

// Rho is Search for the ρ of zCDP, from the divergence of one order on; nothing if the time ends before it is found.
func (f Format) Rho(ctx context.Context, c *renyi.Curve, p interval.Prec, at renyi.Order, steps int,
	written string) []Number {
	alpha, ok := at.Rat()
	if !ok || ctx.Err() != nil {
		return nil
	}
	below, _, ok := exact.Enclosure{Interval: p.Div(c.At(p, at), p.Rat(alpha))}.Rationals()
	if !ok {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	n, ok, err := f.Search(rho, written, below, func(rho *big.Rat) (interval.Truth, error) {
		return guard.Within(limited, func(ctx context.Context) (interval.Truth, error) {
			t, _, err := c.Concentrated(ctx, p, rho, steps)
			return t, err
		})
	})
	if err != nil || !ok {
		return nil
	}
	return []Number{n}
}

// Exceeds says that a divergence is above a ρ; empty for the order ∞.
func Exceeds(c *renyi.Curve, p interval.Prec, rho *big.Rat, at renyi.Order) string {
	alpha, ok := at.Rat()
	if !ok {
		return ""
	}
	bound := new(big.Rat).Mul(alpha, rho)
	lo, _ := decimal.Separating(exact.Enclosure{Interval: c.At(p, at)}, bound, 8)
	if alpha.Cmp(big.NewRat(1, 1)) == 0 { // which is no order of a claim, but the limit of those that are
		return fmt.Sprintf("the divergence tends to at least %s where the order tends to 1, more than ρ = %s", lo,
			prose.Short(rho))
	}
	return fmt.Sprintf("the divergence of order %s is at least %s, more than ρα = %s", at, lo, prose.Short(bound))
}

// most is how many numbers a sentence has.
const most = 3

// Sentence says what a claim has to say; empty if there is nothing to say.
func Sentence(numbers []Number) string {
	var parts []string
	for i, n := range numbers[:min(len(numbers), most)] {
		text := n.Of + " = " + n.Least + n.At
		if n.Least != n.Holds {
			text = n.Of + " = " + n.Least + " or more (" + n.Holds + " is enough)" + n.At
		}
		if i == 0 {
			text = "it has to say " + text
		}
		parts = append(parts, "with "+n.In.String()+" "+text)
	}
	if len(parts) == 0 {
		return ""
	}
	return "W" + strings.Join(parts, ", or ")[1:] + "."
}
