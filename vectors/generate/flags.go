// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"context"
	_ "embed"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"

	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
	"dpverify/vectors"
)

//go:embed notes.json
var explained []byte

// notes say what each flag means: a way in which accountants have failed.
var notes = sync.OnceValue(func() map[string]vectors.Note { return read[map[string]vectors.Note](explained) })

// flagsOf returns the flags of a test, sorted: the flags of its family, and the flags that follow from
// what it asks and what the answer is.
func flagsOf(ctx context.Context, q question, t vectors.Test, e mechanism.Event) ([]string, error) {
	at, _ := new(big.Rat).SetString(t.At) // nil for inf
	lo, hi := ordinary(t.Lo), ordinary(t.Hi)
	has := func(class string) bool { return strings.Contains(q.event, `"`+class+`DpEvent"`) }
	factors, err := composition.Factors(e)
	if err != nil {
		return nil, err
	}
	composed := len(factors) > 1 || len(factors) == 1 && factors[0].Count > 1
	small := func(x *big.Rat, most string) bool {
		bound, _ := new(big.Rat).SetString(most)
		return x != nil && x.Sign() > 0 && x.Cmp(bound) <= 0
	}
	smallDelta := func(most string) bool {
		return t.Quantity == "epsilon" && small(at, most) || t.Quantity == "delta" && small(hi, most)
	}
	large := func(x *big.Rat) bool { return x != nil && x.Cmp(big.NewRat(20, 1)) >= 0 }
	negative := func(x *big.Rat) bool { return x != nil && x.Sign() < 0 }
	sampled := has("PoissonSampled") || has("MixtureOfGaussians")
	clt, err := belowByCLT(ctx, q, e, at, lo)
	if err != nil {
		return nil, err
	}
	flags := map[string]bool{
		"COUNT_IGNORED":   composed && !onlyGaussians(factors),
		"REPLACE_ONE_2C":  t.Relation == "REPLACE_ONE" && (has("Gaussian") || has("Laplace") || has("DiscreteLaplace")),
		"FFT_NOISE":       composed && smallDelta("1e-10"),
		"TINY_DELTA":      smallDelta("1e-12"),
		"HUGE_EPSILON":    t.Quantity == "epsilon" && large(lo) || t.Quantity == "delta" && large(at),
		"CLT_IS_NO_BOUND": clt,
		"NEGATIVE_EPSILON": t.Quantity == "epsilon" && (negative(hi) || t.Hi == "-inf") ||
			t.Quantity == "delta" && negative(at),
		"FRACTIONAL_ORDER":  t.Quantity == "renyi" && at != nil && !at.IsInt(),
		"UNKNOWN_DIMENSION": strings.Contains(q.event, `"dimension":null`),
		"BOUNDED_RANGE":     has("ExponentialMechanism") || has("PermuteAndFlip"),
		"ONE_DIRECTION":     sampled && t.Relation == "ADD_OR_REMOVE_ONE" && t.Direction == "both",
		"INFINITE_MASS":     t.Quantity == "epsilon" && t.Lo == "inf",
	}
	for _, f := range q.Flags {
		flags[f] = true
	}
	maps.DeleteFunc(flags, func(_ string, set bool) bool { return !set })
	return append([]string{}, slices.Sorted(maps.Keys(flags))...), nil
}

// ordinary reads an end of an enclosure; nil if it is infinite.
func ordinary(s string) *big.Rat {
	if x, ok := new(big.Rat).SetString(s); ok {
		return x
	}
	return nil
}

// onlyGaussians reports whether all factors are Gaussians, whose composition is a Gaussian.
func onlyGaussians(factors []composition.Factor) bool {
	return !slices.ContainsFunc(factors, func(f composition.Factor) bool {
		_, ok := f.Event.(mechanism.Gaussian)
		return !ok
	})
}

// belowByCLT reports whether the central limit theorem gives less than the truth: its value is
// proved to be below lo.
func belowByCLT(ctx context.Context, q question, e mechanism.Event, at, lo *big.Rat) (bool, error) {
	if q.Quantity != "epsilon" || !strings.Contains(q.event, "PoissonSampled") || at == nil || lo == nil {
		return false, nil
	}
	relation, err := mechanism.ParseRelation(q.test().Relation)
	if err != nil {
		return false, err
	}
	m, ok := derive.Named("gdp-clt")
	if !ok {
		return false, nil
	}
	r, err := m.Epsilon(ctx, derive.Question{Question: exact.Question{Event: e, Relation: relation}}, at)
	if err != nil {
		// A derivation that does not apply gives no number to be wrong.
		return false, ctx.Err()
	}
	_, hi := r.Decimal(digits)
	clt := ordinary(hi)
	return clt != nil && clt.Cmp(lo) < 0, nil
}

// Notes says in which known ways accountants fail at a question like that of t: flags in alphabetical order, and what
// each means. Of t it reads the question and the answer. The error says that the event of t cannot be read.
func Notes(ctx context.Context, t vectors.Test) (flags []string, meanings map[string]vectors.Note, err error) {
	e, err := mechanism.DecodeEvent(t.Event)
	if err != nil {
		return nil, nil, err
	}
	a := asked{Quantity: t.Quantity, Relation: t.Relation, Direction: t.Direction}
	q := question{family{Format: t.NumberFormat}, a, string(t.Event), t.At}
	if flags, err = flagsOf(ctx, q, t, e); err != nil {
		return nil, nil, err
	}
	meanings = make(map[string]vectors.Note, len(flags))
	for _, f := range flags {
		meanings[f] = notes()[f]
	}
	return flags, meanings, nil
}
