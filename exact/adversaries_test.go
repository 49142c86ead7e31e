// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// chosen is the greatest δ of steps, each one of some pairs in view of the outputs before, in rationals.
func chosen(family []pair.Finite, steps int, alpha *big.Rat) *big.Rat {
	most := new(big.Rat)
	if steps == 0 {
		if most.Sub(big.NewRat(1, 1), alpha); most.Sign() < 0 {
			most.SetInt64(0)
		}
		return most
	}
	for _, f := range family {
		sum := new(big.Rat)
		for _, m := range f.Masses {
			if m.P.Sign() > 0 {
				x := new(big.Rat).Mul(alpha, m.Q)
				sum.Add(sum, x.Mul(m.P, chosen(family, steps-1, x.Quo(x, m.P))))
			}
		}
		if sum.Cmp(most) > 0 {
			most = sum
		}
	}
	return most
}

// TestChosenSteps: an answer about chosen steps has what the best policy attains, under each relation and in each
// direction: an orientation that is chosen in each step, or one of two mechanisms whose records stand on the same
// sides throughout. It is a point where pairs are finite and alone, by enumeration, and may be wide next to another
// factor.
func TestChosenSteps(t *testing.T) {
	ctx := context.Background()
	a := mechanism.FinitePair{P: rats("1/10", "9/10"), Q: rats("1/2", "1/2")}
	b := mechanism.FinitePair{P: rats("3/10", "7/10"), Q: rats("3/5", "2/5")}
	finite := func(e mechanism.FinitePair) pair.Finite { return pair.NewFinite(e.P, e.Q) }
	reverse := func(f pair.Finite) pair.Finite { return f.Reverse().(pair.Finite) }
	bit := mechanism.FinitePair{P: rats("3/5", "2/5"), Q: rats("2/5", "3/5")}
	maximum := mechanism.Maximum{Events: []mechanism.Event{a, b}}
	for i, c := range []struct {
		event     mechanism.Event
		relation  mechanism.Relation
		direction mechanism.Direction
		families  [][]pair.Finite // whose greatest value it is
		beside    bool
	}{
		{a, mechanism.ReplaceOne, mechanism.Both, [][]pair.Finite{{finite(a), reverse(finite(a))}}, false},
		{maximum, mechanism.AddOrRemoveOne, mechanism.Remove, [][]pair.Finite{{finite(a), finite(b)}}, false},
		{maximum, mechanism.AddOrRemoveOne, mechanism.Add, [][]pair.Finite{{reverse(finite(a)), reverse(finite(b))}}, false},
		{maximum, mechanism.AddOrRemoveOne, mechanism.Both, [][]pair.Finite{
			{finite(a), finite(b)}, {reverse(finite(a)), reverse(finite(b))}}, false},
		{maximum, mechanism.ReplaceOne, mechanism.Both, [][]pair.Finite{
			{finite(a), finite(b), reverse(finite(a)), reverse(finite(b))}}, false},
		{a, mechanism.ReplaceOne, mechanism.Both, [][]pair.Finite{{finite(a), reverse(finite(a))}}, true},
	} {
		event := mechanism.Event(mechanism.SelfComposed{Event: c.event, Count: 3})
		if c.beside {
			event = mechanism.Composed{Events: []mechanism.Event{bit, event}}
		}
		for _, eps := range testkit.QuickTurn(i, []string{"0", "1", "4"}[:map[bool]int{false: 3, true: 2}[c.beside]]) {
			r, err := Delta(ctx, Question{Event: event, Relation: c.relation, Direction: c.direction}, rat(eps), 0)
			if err != nil {
				t.Fatal(err)
			}
			// A rational α on either side of e^ε.
			lo, hi, _ := interval.Prec(200).Exp(interval.Prec(200).Rat(rat(eps))).Rationals()
			least, most := new(big.Rat), new(big.Rat)
			for _, family := range c.families {
				value := func(alpha *big.Rat) *big.Rat {
					if !c.beside {
						return chosen(family, 3, alpha)
					}
					sum := new(big.Rat) // the bit first: policies see it
					for _, m := range finite(bit).Masses {
						x := new(big.Rat).Mul(alpha, m.Q)
						sum.Add(sum, x.Mul(m.P, chosen(family, 3, x.Quo(x, m.P))))
					}
					return sum
				}
				if x := value(lo); x.Cmp(most) > 0 {
					most = x
				}
				if x := value(hi); x.Cmp(least) > 0 {
					least = x
				}
			}
			name := fmt.Sprintf("δ(%s) of %s, %s %s: %s", eps, mechanism.EncodeEvent(event), c.relation, c.direction, r.Interval)
			if interval.Prec(200).Rat(least).LessEq(interval.Point(r.Hi())) == interval.False {
				t.Errorf("%s, a policy has %s", name, least.FloatString(20))
			}
			if interval.Point(r.Lo()).LessEq(interval.Prec(200).Rat(most)) == interval.False {
				t.Errorf("%s, no policy has more than %s", name, most.FloatString(20))
			}
			if !c.beside && r.RelativeBits(40) < 40 && r.Lo().Sign() > 0 {
				t.Errorf("%s is wide", name)
			}
			if c.beside {
				continue
			}
			e, err := Epsilon(ctx, Question{Event: event, Relation: c.relation, Direction: c.direction}, least, 30, 0)
			near := new(big.Rat).Sub(rat(eps), interval.Pow2(-50))
			if err != nil || least.Sign() > 0 && interval.Point(e.Hi()).LessRat(near) == interval.True {
				t.Errorf("%s, but ε(%s) in %s, %v", name, least.FloatString(20), e.Interval, err)
			}
		}
	}
}

// TestChoicesAreBetweenFixedOnesAndTheirMaximum: of four releases that are not self-dual the answer is at least that
// of either orientation throughout, at most that of the pair of the greatest profile, and nearer to both than they are
// to each other.
func TestChoicesAreBetweenFixedOnesAndTheirMaximum(t *testing.T) {
	testkit.SkipUsual(t, "TestChosenSteps is exact")
	ctx := context.Background()
	one := mechanism.GaussianPair{SigmaP: rat("2"), SigmaQ: rat("3"), Shift: rat("1")}
	const count = 4
	ask := func(e mechanism.Event, rel mechanism.Relation, d mechanism.Direction) Result {
		r, err := Delta(ctx, Question{Event: e, Relation: rel, Direction: d, Scale: rat("1/1000")}, rat("2"), 0)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	free := ask(mechanism.SelfComposed{Event: one, Count: count}, mechanism.ReplaceOne, mechanism.Both)
	fixed := ask(mechanism.SelfComposed{Event: one, Count: count}, mechanism.AddOrRemoveOne, mechanism.Both)
	if free.Hi().Cmp(fixed.Lo()) < 0 {
		t.Errorf("free orientation has %s, a fixed one %s", free.Interval, fixed.Interval)
	}
	w := interval.Prec(64)
	width := w.Div(w.Sub(interval.Point(free.Hi()), interval.Point(free.Lo())), interval.Point(free.Lo()))
	if width.LessRat(rat("1/50")) != interval.True {
		t.Errorf("%s is %s wide", free.Interval, width)
	}
	if free.Lo().Cmp(fixed.Hi()) <= 0 {
		t.Errorf("free orientation %s is not above %s", free.Interval, fixed.Interval)
	}
}

// TestSamplesBoundNoSteps: of samples without replacement the two orientations bound a step at each ratio only, so that
// no induction may take the greater one of them; a maximum is one of its events.
func TestSamplesBoundNoSteps(t *testing.T) {
	noise := mechanism.Gaussian{NoiseMultiplier: rat("1")}
	for _, c := range []struct {
		e       mechanism.Event
		bounded bool
	}{
		{mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 1, Event: noise}, false},
		{mechanism.Maximum{Events: []mechanism.Event{noise, mechanism.Laplace{NoiseMultiplier: rat("2")}}}, true},
	} {
		p, err := meaning.Resolve(mechanism.SelfComposed{Event: c.e, Count: 2}, mechanism.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		steps := p.Steps(mechanism.Both)
		if len(steps) == 0 || steps[0].Bounded != c.bounded {
			t.Errorf("%s: %d choices, bounded by their alternatives %v", mechanism.EncodeEvent(c.e), len(steps), !c.bounded)
		}
	}
}

// TestSamplesAreNotTheirOrientations: of samples without replacement, drawn twice, more is possible than choosing one
// of the two orientations of a sample: one of 10 records, noise N(0, I), the records x = −y of norm 1 and all others
// at a right angle to them have δ(0) = 0.12185, by quadrature, which is more than what orientations have.
func TestSamplesAreNotTheirOrientations(t *testing.T) {
	testkit.SkipUsual(t, "exact/adversary's TestNoRecordsAreAbove has the tables of such samples")
	noise := mechanism.Gaussian{NoiseMultiplier: rat("1")}
	sample := mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 1, Event: noise}
	event := mechanism.SelfComposed{Count: 2, Event: sample}
	r, err := Delta(context.Background(), Question{Event: event, Relation: mechanism.ReplaceOne}, new(big.Rat), 0)
	if err != nil || interval.Point(r.Hi()).LessRat(rat("0.1218")) == interval.True {
		t.Errorf("δ(0) in %s, %v", r.Interval, err)
	}
}

// TestSamplesOfReplacedRecords: 50 samples without replacement, 1 of 20 records, have less than the pair of the
// greatest profile, 0.37, and more than a choice of orientations, 0.29.
func TestSamplesOfReplacedRecords(t *testing.T) {
	testkit.SkipUsual(t, "exact/adversary's TestNoRecordsAreAbove has the tables of such samples")
	noise := mechanism.Gaussian{NoiseMultiplier: rat("1")}
	sample := mechanism.SampledWithoutReplacement{SourceDatasetSize: 20, SampleSize: 1, Event: noise}
	q := Question{Event: mechanism.SelfComposed{Count: 50, Event: sample}, Relation: mechanism.ReplaceOne, Scale: rat("1/1000")}
	r, err := Delta(context.Background(), q, rat("1"), 0)
	if err != nil || interval.Point(r.Hi()).LessRat(rat("0.29")) == interval.True {
		t.Errorf("δ(1) in %s, %v", r.Interval, err)
	}
	if interval.Point(r.Hi()).LessRat(rat("0.32")) != interval.True {
		t.Errorf("δ(1) in %s is wide", r.Interval)
	}
}

// TestPoliciesSayNothingOfTests: the greatest δ of all policies at each ε is nobody's profile. A test of the outputs
// is about one policy, and the trade-off function of the event is nowhere above the least of those of all policies,
// which are listed here.
func TestPoliciesSayNothingOfTests(t *testing.T) {
	for _, e := range []mechanism.FinitePair{asymmetric, {P: rats("9/10", "1/10"), Q: rats("1", "0")}} {
		event := mechanism.SelfComposed{Event: e, Count: 2}
		f := pair.NewFinite(e.P, e.Q)
		both := []pair.Finite{f, f.Reverse().(pair.Finite)}
		n := len(f.Masses)
		var policies []pair.Finite
		for code := range 1 << (1 + n) {
			var out []pair.Mass
			for i, m := range both[code&1].Masses {
				for _, k := range both[code>>(1+i)&1].Masses {
					out = append(out, pair.Mass{P: new(big.Rat).Mul(m.P, k.P), Q: new(big.Rat).Mul(m.Q, k.Q)})
				}
			}
			policies = append(policies, pair.FiniteOf(out))
		}
		p, err := Prepare(t.Context(), Question{Event: event, Relation: mechanism.ReplaceOne}, 0)
		if err != nil {
			t.Fatal(err)
		}
		least := func(x *big.Rat) *big.Rat {
			least := big.NewRat(1, 1)
			for _, p := range policies {
				if y := leastError(p, x); y.Cmp(least) < 0 {
					least = y
				}
			}
			return least
		}
		for i := range 41 {
			x := big.NewRat(int64(i), 40)
			r, err := p.TradeOff(t.Context(), x, 30)
			if err != nil || interval.Point(r.Hi()).LessRat(new(big.Rat).Sub(least(x), interval.Pow2(-40))) == interval.True {
				t.Errorf("f(%s) in %s, but no policy has less than %s, %v", x.RatString(), r.Interval, least(x).FloatString(12), err)
			}
		}
		half := big.NewRat(1, 2) // f(1/2) = Φ(−μ)
		r, err := p.GaussianDP(t.Context(), half, 30)
		if err != nil || interval.Prec(99).NormalSF(interval.Point(r.Lo())).LessRat(least(half)) == interval.True {
			t.Errorf("μ(1/2) in %s, but no policy has f(1/2) below %s, %v", r.Interval, least(half).FloatString(12), err)
		}
	}
}

// TestPoliciesHaveLossesOfTheirOwn: where a step is a guarantee of small losses or a bit, ε of two steps is finite: all
// losses of the bit are at most log(19/2), and the mass of infinite loss of the guarantee, which is irrational, is far
// less than δ. It is as great as that of two bits: (19/21)² − e⁴·(2/21)² > 0.3.
func TestPoliciesHaveLossesOfTheirOwn(t *testing.T) {
	const bits = 20
	guarantee := mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{
		{Epsilon: big.NewRat(-1, 2), Delta: big.NewRat(246, 625)},
	}}
	bit := mechanism.FinitePair{P: rats("19/21", "2/21"), Q: rats("2/21", "19/21")}
	e := mechanism.SelfComposed{Event: mechanism.Maximum{Events: []mechanism.Event{guarantee, bit}}, Count: 2}
	most := interval.Prec(64).Log(interval.Int(91)) // above 2·log(19/2)
	for _, delta := range rats("1/10", "3/10") {
		r, err := Epsilon(t.Context(), Question{Event: e}, delta, bits, 0)
		if err != nil || r.Lo().Cmp(interval.Int(4).Lo()) < 0 || r.Hi().Cmp(most.Hi()) > 0 {
			t.Errorf("ε(%s) in %s, want it between 4 and 2·log(19/2), %v", delta.RatString(), r.Interval, err)
		}
	}
}

// leastError is the trade-off function of a finite pair: the outcomes of the greatest Q/P first.
func leastError(p pair.Finite, x *big.Rat) *big.Rat {
	left, power := new(big.Rat).Set(x), new(big.Rat)
	for k := len(p.Masses) - 1; k >= 0; k-- {
		m := p.Masses[k]
		if m.P.Cmp(left) <= 0 {
			left.Sub(left, m.P)
			power.Add(power, m.Q)
			continue
		}
		part := new(big.Rat).Quo(left, m.P)
		power.Add(power, part.Mul(part, m.Q))
		break
	}
	return power.Sub(big.NewRat(1, 1), power)
}

// TestExponentialMechanismsAreChosen: 20 exponential mechanisms, and 20 times permute-and-flip, are between what the
// same two candidates throughout and the noise that dominates a single one have, and known to half a percent of ε.
func TestExponentialMechanismsAreChosen(t *testing.T) {
	testkit.SkipUsual(t, "a script of cmd/verify and exact/adversary have fewer steps")
	for _, c := range []struct {
		event, above mechanism.Event
	}{
		{mechanism.ExponentialMechanism{Epsilon: rat("1/2")}, mechanism.EpsilonDelta{Epsilon: rat("1/2"), Delta: new(big.Rat)}},
		{mechanism.PermuteAndFlip{Epsilon: rat("1/2")}, mechanism.Laplace{NoiseMultiplier: rat("2")}},
	} {
		of := func(e mechanism.Event) Result {
			r, err := Epsilon(context.Background(), Question{Event: mechanism.SelfComposed{Count: 20, Event: e}}, rat("1e-6"), 12, 0)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		r, above := of(c.event), of(c.above)
		// 1/2 and e^(−1/2)/2 are what permute-and-flip has of a candidate that is as good as the best, or worse by 2.
		same := of(mechanism.FinitePair{P: rats("1/2", "1/2"), Q: rats("0.3033", "0.6967")})
		w := interval.Prec(64)
		if width := w.Sub(interval.Point(r.Hi()), interval.Point(r.Lo())); width.LessRat(rat("1/20")) != interval.True {
			t.Errorf("%s: ε in %s", c.event.ClassName(), r.Interval)
		}
		if above.Hi().Cmp(r.Lo()) < 0 || c.event.ClassName() == "PermuteAndFlipDpEvent" && same.Lo().Cmp(r.Hi()) > 0 {
			t.Errorf("%s: ε in %s, not from %s to %s", c.event.ClassName(), r.Interval, same.Interval, above.Interval)
		}
	}
}
