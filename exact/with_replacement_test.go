// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// TestWithReplacementWrittenOut: the theorem in rationals, for two draws from two records and random mechanisms on
// the multisets of x, y and c: of (x, c) against (y, c), with the greatest profile of those that are k exchanges apart.
func TestWithReplacementWrittenOut(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const outcomes = 3
	draw := func() []*big.Rat {
		ws, sum := make([]int64, outcomes), int64(0)
		for i := range ws {
			ws[i] = r.Int63n(5)
			sum += ws[i]
		}
		if sum == 0 {
			ws[0], sum = 1, 1
		}
		out := make([]*big.Rat, outcomes)
		for i, w := range ws {
			out[i] = big.NewRat(w, sum)
		}
		return out
	}
	half, quarter := rat("1/2"), rat("1/4")
	for range 300 {
		xx, xc, cc, yy, yc := draw(), draw(), draw(), draw(), draw()
		sample := func(twice, once []*big.Rat) []*big.Rat {
			out := make([]*big.Rat, outcomes)
			for i := range out {
				s := new(big.Rat).Add(twice[i], cc[i])
				s.Mul(s, quarter)
				out[i] = s.Add(s, new(big.Rat).Mul(half, once[i]))
			}
			return out
		}
		p, q := sample(xx, xc), sample(yy, yc)
		for _, alpha := range rats("1", "3/2", "3", "8") {
			worst := func(pairs ...[]*big.Rat) *big.Rat {
				most := new(big.Rat)
				for i := 0; i < len(pairs); i += 2 {
					if d := pair.NewFinite(pairs[i], pairs[i+1]).Delta(alpha); d.Cmp(most) > 0 {
						most = d
					}
				}
				return most
			}
			bound := new(big.Rat).Mul(half, worst(xc, yc, xc, cc))
			bound.Add(bound, new(big.Rat).Mul(quarter, worst(xx, yy, xx, cc)))
			at := new(big.Rat).Sub(alpha, rat("1")) // α′ = 1 + 3/4·(α − 1)
			at.Add(at.Mul(at, rat("3/4")), rat("1"))
			if d := pair.NewFinite(p, q).Delta(at); d.Cmp(bound) > 0 {
				t.Fatalf("H at %s is %s, above %s: %v %v %v %v %v", at.RatString(), d.RatString(), bound.RatString(), xx, xc, cc, yy, yc)
			}
		}
	}
}

// TestWithReplacementByHand: one draw is a sample without replacement, all draws from one record are a group, and
// both bounds of several draws are in order.
func TestWithReplacementByHand(t *testing.T) {
	ctx := context.Background()
	noise := mechanism.Gaussian{NoiseMultiplier: rat("2")}
	ask := func(e mechanism.Event, rel mechanism.Relation, eps string) Result {
		p, err := Prepare(ctx, Question{Event: e, Relation: rel}, 0)
		if err != nil {
			t.Fatal(err)
		}
		y, err := p.Delta(ctx, rat(eps))
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	with := func(n, m int64) mechanism.Event {
		return mechanism.SampledWithReplacement{SourceDatasetSize: n, SampleSize: m, Event: noise}
	}
	for _, eps := range []string{"0", "1/4", "2"} {
		once := ask(with(5, 1), mechanism.ReplaceOne, eps)
		same := ask(mechanism.SampledWithoutReplacement{SourceDatasetSize: 5, SampleSize: 1, Event: noise}, mechanism.ReplaceOne, eps)
		const p = 64
		if d := new(big.Float).Quo(once.Hi(), same.Hi()); d.Cmp(big.NewFloat(0.999999)) < 0 || d.Cmp(big.NewFloat(1.000001)) > 0 {
			t.Errorf("one draw: δ(%s) ≤ %s, want about %s", eps, once.Interval, same.Interval)
		}
		all := ask(with(1, 3), mechanism.ReplaceOne, eps)
		group := ask(mechanism.Gaussian{NoiseMultiplier: rat("2/3")}, mechanism.ReplaceOne, eps)
		if all.Lo().Cmp(group.Hi()) > 0 || group.Lo().Cmp(all.Hi()) > 0 || all.RelativeBits(p) < 40 {
			t.Errorf("all draws: δ(%s) in %s, want %s", eps, all.Interval, group.Interval)
		}
		for _, rel := range []mechanism.Relation{mechanism.ReplaceOne, mechanism.ReplaceSpecial} {
			if several := ask(with(20, 5), rel, eps); several.Lo().Sign() <= 0 || several.Lo().Cmp(several.Hi()) >= 0 {
				t.Errorf("five draws of 20 under %s: δ(%s) in %s", rel, eps, several.Interval)
			}
		}
	}
}
