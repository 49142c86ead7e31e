// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"errors"
	"math/big"
	"math/rand"
	"os"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/mechanism"
)

// TestAFirstAnswerForEverything: the drafts that take little time bound ε from above wherever a composition has an ε at
// all: ten copies of an event of every class, and one next to noise. Where they do not, infinite loss has more mass
// than δ: the bound from below says that there is none, or nothing else bounds it either. By default of classes that
// take long otherwise; of all, and of random trees, under DPVERIFY_LONG.
func TestAFirstAnswerForEverything(t *testing.T) {
	t.Parallel()
	all := os.Getenv("DPVERIFY_LONG") != ""
	var es []mechanism.Event
	for _, e := range representatives(t) {
		if all || slow(e) {
			es = append(es, mechanism.SelfComposed{Event: e, Count: 10})
		}
		if all {
			es = append(es, e, mechanism.Composed{Events: []mechanism.Event{e, mechanism.Gaussian{NoiseMultiplier: two}, mechanism.Laplace{NoiseMultiplier: two}}})
		}
	}
	if all {
		g := treeGenerator{rand.New(rand.NewSource(7))}
		for i := range 300 {
			es = append(es, g.tree(relations[i%len(relations)]))
		}
	}
	delta := rat("1/1000000")
	for _, e := range es {
		for _, rel := range relations {
			y, err := firstAnswer(exact.Question{Event: e, Relation: rel, Scale: delta}, delta)
			if undefined := new(meaning.RelationError); errors.As(err, &undefined) || errors.As(err, new(*mechanism.ParamError)) { // no meaning under this relation, or at all
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if y.Hi().IsInf() && interval.Point(y.Lo()).LessRat(ratInt(1000000)) == interval.True {
				if z, err := exact.Epsilon(background, exact.Question{Event: e, Relation: rel}, delta, 10, 0); err == nil && z.Hi().IsInf() {
					continue // nor does anything else: infinite loss may have more mass
				}
				t.Errorf("ε(1e-6) of %s under %s in %s by %v", mechanism.EncodeEvent(e), rel, y.Interval, y.Methods)
			}
			if !all {
				break
			}
		}
	}
}

// firstAnswer is ε(delta) by the first draft that bounds it from above, or the second one: what is stated in Rényi
// divergences has no other bound.
func firstAnswer(q exact.Question, delta *big.Rat) (r exact.Result, err error) {
	for _, d := range []exact.Draft{exact.Instant, exact.ByMoments} {
		var p *exact.Profile
		if p, err = exact.PrepareDraft(background, q, d); err != nil {
			return r, err
		}
		if r, err = p.Epsilon(background, delta, 10); err != nil || !r.Hi().IsInf() {
			return r, err
		}
	}
	return r, nil
}
