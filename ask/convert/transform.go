// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/exact/transform"
	"dpverify/internal/efforts"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// The targets that are transforms of one pair only.
const (
	targetPhi  = "phi"
	targetLoss = "loss"
)

var errRealLoss = errors.New("a loss is a real number")

// A Transform asks for φ, for Rényi divergences of complex orders, or for tails of the loss, of the pair that an
// event stands for in a direction: (P, Q) with the record removed, and for both of it too.
type Transform struct {
	exact.Question
	ask.Goal
	Of       string   // phi, renyi or loss
	At       []string // where, as it was written
	Binary64 bool     // each number of it is the float64 next to that
}

// A Transformed value is complex, and real if it is of a tail.
type Transformed struct {
	Of, At  string
	Value   interval.Complex
	Reverse *interval.Complex // of (Q, P), of φ alone, if it is known
	Note    string            // what the value is of, if that is not one pair
}

// ParseComplex reads a number as 1.5, 2i, −1+0.5i or 3-i; with binary64 its parts are the float64s next to those.
func ParseComplex(s string, binary64 bool) (transform.Number, error) {
	z := transform.Number{Re: new(big.Rat), Im: new(big.Rat)}
	text := strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), "−", "-")
	re, im := text, ""
	if body, ok := strings.CutSuffix(text, "i"); ok {
		// The imaginary part begins at the last sign that is not of an exponent.
		cut := 0
		for i := len(body) - 1; i > 0; i-- {
			if (body[i] == '+' || body[i] == '-') && body[i-1] != 'e' && body[i-1] != 'E' {
				cut = i
				break
			}
		}
		re, im = body[:cut], strings.TrimPrefix(body[cut:], "+")
		if im == "" || im == "-" {
			im += "1"
		}
	}
	var err error
	for _, part := range []struct {
		text string
		into **big.Rat
	}{{re, &z.Re}, {im, &z.Im}} {
		if part.text == "" && text != "" {
			continue
		}
		if *part.into, err = parsed(part.text, binary64); err != nil {
			return z, fmt.Errorf("at = %s, want a number such as 2, 0.5i or 1-2i", show.Value(s))
		}
	}
	return z, nil
}

// products returns the pair that is asked about, which has to be one.
func (t Transform) products() (pair.Product, error) {
	prob, err := meaning.Resolve(t.Event, t.Relation)
	if err != nil {
		return nil, err
	}
	d := t.Direction
	if d == mechanism.Both {
		d = mechanism.Remove
	}
	b, err := prob.Profile(d)
	if err != nil {
		return nil, err
	}
	if len(b.Upper) != 1 {
		return nil, fmt.Errorf("no single pair dominates the event")
	}
	if t.Of == targetLoss && !b.Attained && !b.Upper[0].IsGuarantee() {
		return nil, fmt.Errorf("the loss of one pair is asked for: want an event whose profile one pair attains")
	}
	return b.Upper[0], nil
}

// Compute answers. The precision is raised until the digits of the goal are known.
func (t Transform) Compute(ctx context.Context) ([]Transformed, error) {
	prod, err := t.products()
	if err != nil {
		return nil, err
	}
	return t.each(ctx, func(ctx context.Context, z transform.Number) (r Transformed, err error) {
		if r.Value, err = t.enclose(ctx, prod, z); err != nil || t.Of != targetPhi {
			return r, err
		}
		reverse, err := t.enclose(ctx, prod.Reverse(), z)
		if err != nil {
			return r, fmt.Errorf("of (Q, P): %w", err)
		}
		r.Reverse = &reverse
		return r, nil
	})
}

// each answers at all numbers.
func (t Transform) each(ctx context.Context, answer func(context.Context, transform.Number) (Transformed, error)) (
	out []Transformed, err error) {
	limited, cancel := t.Limit(ctx)
	defer cancel()
	for _, s := range t.At {
		z, err := ParseComplex(s, t.Binary64)
		if err != nil {
			return nil, err
		}
		r, err := answer(limited, z)
		if err != nil {
			return nil, fmt.Errorf("%s at %s: %w", t.Of, s, err)
		}
		r.Of, r.At = t.Of, s
		out = append(out, r)
	}
	return out, nil
}

func (t Transform) enclose(ctx context.Context, prod pair.Product, z transform.Number) (interval.Complex, error) {
	if t.Of == targetLoss {
		y, err := t.tail(ctx, prod, z)
		return interval.Complex{Re: y}, err
	}
	digits := t.Digits
	if digits == 0 {
		digits = ask.DefaultDigits
	}
	want := digits*33220/10000 + 4
	var y interval.Complex
	err := efforts.UpTo(exact.MaxEffort).Climb(ctx, func(e exact.Effort) (done bool, err error) {
		bits := interval.Prec(want+32) << e
		y, err = guard.Within(ctx, func(ctx context.Context) (interval.Complex, error) {
			if t.Of == "renyi" {
				return transform.Renyi(ctx, bits, prod, z)
			}
			return transform.Phi(ctx, bits, prod, z)
		})
		if err != nil {
			return false, err
		}
		size := bits.AbsC(y)
		wide := bits.Add(width(bits, y.Re), width(bits, y.Im))
		return bits > 1<<14 || wide.LessEq(bits.Scale(size, -want)) == interval.True, nil
	})
	return y, err
}

func width(p interval.Prec, x interval.Interval) interval.Interval {
	return p.Sub(interval.Point(x.Hi()), interval.Point(x.Lo()))
}

// maxListed bounds the outcomes that a tail sums.
const maxListed = 1 << 14

// tail encloses P(L > x).
func (t Transform) tail(ctx context.Context, prod pair.Product, z transform.Number) (interval.Interval, error) {
	if z.Im.Sign() != 0 {
		return interval.Interval{}, errRealLoss
	}
	if prod.IsGuarantee() {
		return interval.Interval{}, fmt.Errorf("a guarantee in Rényi divergences has no loss of its own")
	}
	if y, ok := transform.Listed(512, prod, z.Re, maxListed); ok {
		return y, nil
	}
	q := t.Question
	if q.Direction == mechanism.Both {
		q.Direction = mechanism.Remove
	}
	// The error of a chord is about its length; rounding of δ counts over the length.
	digits := max(t.Digits, 1)
	step := number.PowerOfTen(-digits - 2)
	g := t.Goal
	g.Digits = 2*digits + 6
	if end, ok := ctx.Deadline(); ok {
		g.Started, g.Budget = time.Now(), max(time.Until(end), time.Millisecond)
	}
	as, err := ask.For(ctx, q, g, ask.Delta(new(big.Rat).Sub(z.Re, step)), ask.Delta(z.Re),
		ask.Delta(new(big.Rat).Add(z.Re, step)))
	if err != nil {
		return interval.Interval{}, err
	}
	return transform.Tail(z.Re, step, as[0].Interval, as[1].Interval, as[2].Interval), nil
}

const fromPhi = "φ at finitely many points bounds nothing from above: a loss that is larger by 2πk/h, of which every " +
	"t of the table is a multiple, has the same φ there"

// errPhi says what is missing where a table of φ says nothing.
var errPhi = errors.New(fromPhi + "; and from below it says that a loss is infinite with probability 1 − φ(0): want " +
	"a point at t = 0 with re < 1")

// infinite returns pairs on both sides of every pair (P, Q) whose φ has the values of a table, which say that a
// loss is infinite with probability 1 − φ(0).
//
// From above they say nothing. Let every t be a multiple of h > 0, as rational numbers are, and c = 2πk/h. Leave Q e^−c
// times what it has of each outcome, and give the rest to an outcome that P does not have. Then each loss ℓ is now ℓ +
// c, and e^(it(ℓ+c)) = e^(itℓ) at all t of the table, while δ(ε) = E_P[(1 − e^(ε−ℓ−c))₊] tends to 1 as k grows, at
// every ε.
//
// From below: a pair whose finite losses have the probability m = φ(0) has at least the profile (m − α)₊ + 1 − m, by
// the convexity of x ↦ (1 − αx)₊; it is that of a pair with a constant finite loss.
func (t Table) infinite() (mechanism.Range, error) {
	for _, p := range t.Points {
		if p.X.Sign() == 0 && p.Y.Cmp(ratOne) < 0 {
			return mechanism.Range{
				MorePrivate: mechanism.FinitePair{P: []*big.Rat{p.Y, new(big.Rat).Sub(ratOne, p.Y)},
					Q: []*big.Rat{ratOne, new(big.Rat)}},
				LessPrivate: mechanism.FinitePair{P: []*big.Rat{ratOne, new(big.Rat)}, Q: []*big.Rat{new(big.Rat), ratOne}},
				Reason:      fromPhi,
			}, nil
		}
	}
	return mechanism.Range{}, errPhi
}

// phi encloses φ at a real number that is a point of a table of it, or the negative of one: φ(−t) is the conjugate of
// φ(t).
func (t Table) phi(w interval.Prec, at transform.Number) (interval.Complex, error) {
	for _, p := range t.Points {
		if at.Im.Sign() != 0 {
			break
		}
		z := interval.Complex{Re: w.Rat(p.Y), Im: w.Rat(p.Z)}
		switch {
		case at.Re.Cmp(p.X) == 0:
			return z, nil
		case at.Re.Cmp(new(big.Rat).Neg(p.X)) == 0:
			return z.Conj(), nil
		}
	}
	return interval.Complex{}, errors.New("φ is known at the points of the table, and what it is elsewhere does not " +
		"follow: want one of them")
}
