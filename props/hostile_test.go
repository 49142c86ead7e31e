// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"testing"
	"time"

	"dpverify/ask/audit"
	"dpverify/certify"
	"dpverify/certify/derive"
	"dpverify/crosscheck"
	"dpverify/exact"
	"dpverify/exact/meaning"
	"dpverify/exact/renyi"
	"dpverify/float"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/pldfile"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// hostileEvents are events that no decoder returns: nothing, values without their
// parameters, and those outside of their domains, alone and nested.
func hostileEvents() []mechanism.Event {
	one, none := big.NewRat(1, 1), (*big.Rat)(nil)
	leaves := []mechanism.Event{
		nil, (*mechanism.Gaussian)(nil), &mechanism.Gaussian{},
		mechanism.HistogramPair{},
		mechanism.Gaussian{NoiseMultiplier: big.NewRat(-1, 1)},
		mechanism.Gaussian{NoiseMultiplier: new(big.Rat)},
		mechanism.EpsilonDelta{Epsilon: one, Delta: big.NewRat(3, 2)},
		mechanism.EpsilonDelta{Epsilon: one},
		mechanism.FinitePair{P: []*big.Rat{one}, Q: nil},
		mechanism.FinitePair{P: []*big.Rat{one}, Q: []*big.Rat{none}},
		mechanism.FinitePair{P: []*big.Rat{one, one}, Q: []*big.Rat{one, one}},
		mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{{}}},
		mechanism.RenyiCurve{Orders: []*big.Rat{one}, Values: []*big.Rat{none}},
		mechanism.SelfComposed{Event: mechanism.Gaussian{NoiseMultiplier: one}, Count: -3},
	}
	for _, c := range mechanism.Descriptions() { // one of each class without its fields, unless it may have none
		if e, err := mechanism.DecodeEvent([]byte(c.Example)); err == nil {
			if e = reflect.Zero(reflect.TypeOf(e)).Interface().(mechanism.Event); mechanism.Validate(e) != nil {
				leaves = append(leaves, e)
			}
		}
	}
	events := leaves
	for _, e := range leaves {
		events = append(events,
			mechanism.SelfComposed{Event: e, Count: 3},
			mechanism.Composed{Events: []mechanism.Event{mechanism.NoOp{}, e}},
			mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 2), Event: e},
			mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 3, Event: e},
			mechanism.RandomAllocation{Event: e, NumSelected: 1, NumSteps: 3})
	}
	return events
}

// isTyped reports whether an error has one of the types that callers can branch on.
func isTyped(err error) bool {
	return errors.As(err, new(*mechanism.ParamError)) || errors.As(err, new(*mechanism.UnsupportedError)) ||
		errors.As(err, new(*mechanism.FileError)) || errors.As(err, new(*number.Error)) ||
		errors.As(err, new(*document.SyntaxError)) || errors.As(err, new(*document.FieldError)) || errors.As(err, new(*meaning.RelationError)) ||
		errors.As(err, new(*meaning.DirectionError)) || errors.As(err, new(*float.UnsupportedError)) ||
		errors.As(err, new(*certify.ClaimError))
}

// TestHostileEventsAreErrors: whatever event is passed to a function that takes one, it
// answers with a typed error, and never panics.
func TestHostileEventsAreErrors(t *testing.T) {
	one := big.NewRat(1, 1)
	for i, e := range hostileEvents() {
		q := exact.Question{Event: e, Relation: mechanism.Relation(i % 3)}
		for name, f := range map[string]func() error{
			"mechanism.Validate": func() error { return mechanism.Validate(e) },
			"pair.Resolve":       func() error { _, err := meaning.Resolve(e, q.Relation); return err },
			"exact.Delta":        func() error { _, err := exact.Delta(background, q, one, 0); return err },
			"exact.Epsilon":      func() error { _, err := exact.Epsilon(background, q, big.NewRat(1, 9), 10, 0); return err },
			"exact.PrepareDraft": func() error { _, err := exact.PrepareDraft(background, q, exact.Coarse); return err },
			"exact.Orientations": func() error { _, _, err := exact.Orientations(q); return err },
			"exact.Each":         func() error { _, err := exact.Each(background, q, 0, 1); return err },
			"float.Prepare": func() error {
				_, err := float.Prepare(background, float.Question{Event: e, Relation: q.Relation})
				return err
			},
			"float.Divergence": func() error {
				_, err := float.Divergence(float.Question{Event: e, Relation: q.Relation}, big.NewRat(2, 1))
				return err
			},
			"crosscheck.Methods": func() error { _, err := crosscheck.Methods(background, q, []*big.Rat{one}, 0, 1); return err },
			"crosscheck.Compare": func() error { _, err := crosscheck.Compare(background, q, []*big.Rat{one}, 0); return err },
			"derive.Method.Epsilon": func() error {
				_, err := derive.Methods[0].Epsilon(background, derive.Question{Question: q}, big.NewRat(1, 9))
				return err
			},
			"derive.Method.Delta": func() error {
				_, err := derive.Methods[0].Delta(background, derive.Question{Question: q}, big.NewRat(1, 9))
				return err
			},
			"certify.Decide": func() error {
				c := &certify.Claim{MorePrivate: e, LessPrivate: e, Relation: q.Relation, Statement: certify.Point{Epsilon: one, Delta: one}}
				o, err := certify.Decide(background, c, certify.Options{Budget: time.Minute})
				if err == nil {
					err = o.Err
				}
				return err
			},
		} {
			if err := panics(f); err == nil || !isTyped(err) {
				t.Errorf("%s of %T %s: %v, want a typed error", name, e, encoded(e), err)
			}
		}
		if err := panics(func() error { encoded(e); mechanism.Equal(e, e); _, _ = composition.Factors(e); return nil }); err != nil {
			t.Errorf("%T: %v", e, err)
		}
	}
}

// TestHostileNumbersAreErrors: a number that is not there, or out of its domain, is a typed
// error.
func TestHostileNumbersAreErrors(t *testing.T) {
	q := exact.Question{Event: mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}}
	p, err := exact.Prepare(background, q, 0)
	if err != nil {
		t.Fatal(err)
	}
	with := func(r mechanism.Relation, d mechanism.Direction) exact.Question {
		q := q
		q.Relation, q.Direction = r, d
		return q
	}
	delta := big.NewRat(1, 9)
	for name, f := range map[string]func() error{
		"δ at nothing":       func() error { _, err := p.Delta(background, nil); return err },
		"ε at nothing":       func() error { _, err := p.Epsilon(background, nil, 10); return err },
		"ε at δ < 0":         func() error { _, err := p.Epsilon(background, big.NewRat(-1, 2), 10); return err },
		"ε with bits < 0":    func() error { _, err := p.Epsilon(background, delta, -1); return err },
		"f at nothing":       func() error { _, err := p.TradeOff(background, nil, 1<<20); return err },
		"f at x < 0":         func() error { _, err := p.TradeOff(background, big.NewRat(-1, 2), 1<<20); return err },
		"f at x > 1":         func() error { _, err := p.TradeOff(background, big.NewRat(3, 2), 1<<20); return err },
		"an effort < 0":      func() error { _, err := exact.Prepare(background, q, -1); return err },
		"an effort > 8":      func() error { _, err := exact.Prepare(background, q, 99); return err },
		"each of effort 99":  func() error { _, err := exact.Each(background, q, 99, 1); return err },
		"an order -1":        func() error { _, err := exact.Renyi(q, renyi.At(big.NewRat(-1, 1)), 0); return err },
		"an order 0":         func() error { _, err := exact.Renyi(q, renyi.At(new(big.Rat)), 0); return err },
		"a draft 17":         func() error { _, err := exact.PrepareDraft(background, q, 17); return err },
		"a relation 7":       func() error { _, err := exact.Prepare(background, with(7, 0), 0); return err },
		"a direction 7":      func() error { _, err := exact.Prepare(background, with(0, 7), 0); return err },
		"exact.Epsilon":      func() error { _, err := exact.Epsilon(background, q, nil, 10, 0); return err },
		"exact.Delta":        func() error { _, err := exact.Delta(background, q, nil, 0); return err },
		"number.Binary64":    func() error { _, err := number.Binary64(nil); return err },
		"mechanism.Decoder":  func() error { _, err := mechanism.Decoder{}.Event(nil, ""); return err },
		"document's numbers": func() error { r := document.Reader{}; r.Number("x", nil, number.Any); return r.Err },
		"no claim":           func() error { _, err := certify.Decide(background, nil, certify.Options{}); return err },
		"float.Divergence": func() error {
			_, err := float.Divergence(float.Question{Event: q.Event}, nil)
			return err
		},
	} {
		if err := panics(f); err == nil || !isTyped(err) {
			t.Errorf("%s: %v, want a typed error", name, err)
		}
	}
	// What has no error to return does not panic.
	for name, f := range map[string]func() error{
		"number.Format": func() error { number.Format(nil); return nil },
		"pldfile":       func() error { _, _ = pldfile.Parse(nil); return nil },
		"claims":        func() error { _, _ = certify.Parse("", nil, nil); return nil },
		"cases":         func() error { _, _ = audit.ReadCases("", nil); return nil },
		"an order":      func() error { renyi.At(nil); return nil },
		"a zero claim":  func() error { _, err := certify.Decide(background, &certify.Claim{}, certify.Options{}); return err },
		"a zero report": func() error {
			certify.NewReport([]*certify.Outcome{})
			audit.Summarize(nil)
			return nil
		},
	} {
		if err := panics(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A panicked error is a panic.
type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprintf("panic: %.200v", p.value) }

// panics returns what f does, or that it panics.
func panics(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked{v}
		}
	}()
	return f()
}

func encoded(e mechanism.Event) []byte { return mechanism.EncodeEvent(e) }
