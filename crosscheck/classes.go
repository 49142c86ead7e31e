// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"dpverify/exact"
	"dpverify/float"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A classCase asks the exact engine about an event of a class, and the float64 engine about the same event, or about
// another one of which the answer is known to be the same, or at most as large.
type classCase struct {
	Class    string
	Relation string // ADD_OR_REMOVE_ONE if empty
	Eps      string
	Event    json.RawMessage
	Other    json.RawMessage // the event itself if empty
	AtMost   bool            // other is one of the mechanisms that the event stands for
}

//go:embed classes.json
var written []byte

// classCases has the classes of which the float64 engine knows another event than the exact one, and those of which the
// example in the help says little. Why two events are the same:
//
//   - A Poisson sample of Gaussian noise is a mixture with the sensitivities 0 and 1, and a pair of one moved by any
//     number.
//   - Noise that is clamped at 0 after the shift, and with a threshold that no test of that ε looks at, is the noise;
//     so is a released count whose key nobody is likely to see.
//   - One draw with replacement is one without, which the bounds for more have between them; a batch of all records is
//     not cut.
//   - A finite pair is written out: the masses of a binomial law; for one of two steps (p⊗q + q⊗p)/2 against q⊗q; for
//     the best of a geometric number of runs, of mean 2, with x ↦ x/(2−x) for the distribution function.
//   - Permute-and-flip with parameter 1 is as Laplace noise of scale 1, in one round. (0, 0.3)-DP is a point of a
//     profile, and two of a trade-off function.
//   - Gaussian noise of μ = 1/2 has ρ = 1/8 and the Rényi divergence 1/4 of order 2; with two candidates the
//     exponential mechanism of ε = 1 is randomized response of ε = 1/2.
var classCases = sync.OnceValue(func() (out []classCase) {
	if err := json.Unmarshal(written, &out); err != nil {
		panic("crosscheck: internal error: " + err.Error())
	}
	return out
})

// A ClassViolation says that an event and another one that is known to be the same, or one of its mechanisms, have
// answers that exclude each other.
type ClassViolation struct {
	Class, Event, Other, Eps string
	Relation                 mechanism.Relation
	Exact                    exact.Result
	Float                    float.Answer
}

func (v *ClassViolation) Error() string {
	lo, hi := v.Exact.Decimal(17)
	return fmt.Sprintf("%s: δ(%s) of %s under %s is in [%s, %s] by the exact engine, and of %s it is %.17g ± %.3g in "+
		"float64", v.Class, v.Eps, v.Event, v.Relation, lo, hi, v.Other, v.Float.V, v.Float.Err)
}

// Classes compares an answer of the exact engine about each class of events with one of the float64 engine, where need
// be about another event of which it is known to be the same. The error is a *ClassViolation, about the engine, or
// ctx's; what was compared is returned with it.
func Classes(ctx context.Context) (map[string]Verdict, error) {
	out := make(map[string]Verdict)
	for _, c := range allCases() {
		v, err := c.compare(ctx)
		if err != nil {
			return out, err
		}
		out[c.Class] = v
	}
	return out, nil
}

// inFiles are the classes of which the example is in files.
var inFiles = []string{"HistogramPairEvent"}

// allCases returns a case for each class whose events need no file: the one of classCases, or the example of the help.
func allCases() []classCase {
	var out []classCase
	for _, d := range mechanism.Descriptions() {
		i := slices.IndexFunc(classCases(), func(c classCase) bool { return c.Class == d.Class })
		if i >= 0 {
			out = append(out, classCases()[i])
		} else if !slices.Contains(inFiles, d.Class) {
			out = append(out, classCase{Class: d.Class, Relation: d.Relations[0].String(), Eps: "0.1",
				Event: json.RawMessage(d.Example)})
		}
	}
	return out
}

func (c classCase) compare(ctx context.Context) (Verdict, error) {
	eps, err := number.Parse(c.Eps)
	if err != nil {
		return Inconclusive, err
	}
	relation, err := mechanism.ParseRelation(cmp.Or(c.Relation, mechanism.AddOrRemoveOne.String()))
	if err != nil {
		return Inconclusive, err
	}
	if c.Other == nil {
		c.Other = c.Event
	}
	event, err := mechanism.DecodeEvent(c.Event)
	if err != nil {
		return Inconclusive, err
	}
	other, err := mechanism.DecodeEvent(c.Other)
	if err != nil {
		return Inconclusive, err
	}
	fast, err := prepare(ctx, exact.Question{Event: other, Relation: relation})
	if err != nil {
		return Inconclusive, err
	}
	v := &ClassViolation{Class: c.Class, Event: string(c.Event), Other: string(c.Other), Eps: c.Eps, Relation: relation}
	if v.Float, err = fast.Delta(ctx, eps); err != nil {
		return Inconclusive, err
	}
	if v.Exact, err = exact.Delta(ctx, exact.Question{Event: event, Relation: relation}, eps, 0); err != nil {
		return Inconclusive, err
	}
	verdict := judge(v.Exact.Lo(), v.Exact.Hi(), v.Float.Value)
	if c.AtMost {
		verdict = judge(v.Exact.Hi(), v.Exact.Hi(), v.Float.Value)
		if verdict == Refuted && v.Exact.Hi().Cmp(big.NewFloat(v.Float.V)) >= 0 {
			verdict = Proved // above, as it has to be
		}
	}
	if verdict == Refuted {
		return verdict, v
	}
	return verdict, nil
}
