// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/ask"
	"dpverify/certify"
	"dpverify/exact"
	"dpverify/exact/conversion"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestBoundIsGreatest: what gives (ε, δ) at an order by the conversion is at least the bound, and a bit more than
// the bound does not.
func TestBoundIsGreatest(t *testing.T) {
	for _, eps := range []string{"0.01", "1", "1/3", "20", "0"} {
		for _, delta := range []string{"1e-300", "1e-6", "0.3"} {
			for _, alpha := range []string{"1.01", "1.5", "2", "17", "1e4", "1e9"} {
				e, d, order := testkit.Rat(eps), testkit.Rat(delta), renyi.At(testkit.Rat(alpha))
				b, most, ok := bound(e, d, order)
				given := func(r *big.Rat) interval.Interval {
					f := func(p interval.Prec, _ renyi.Order) interval.Interval { return p.Rat(r) }
					return conversion.CKS.Epsilon(400, f, interval.Prec(400).Rat(d), []*big.Rat{testkit.Rat(alpha)}).Interval
				}
				if !ok {
					if given(new(big.Rat)).LessEqRat(e) == interval.True {
						t.Errorf("no bound for (%s, %s) at order %s", eps, delta, alpha)
					}
					continue
				}
				if given(b).LessEqRat(e) != interval.True {
					t.Errorf("(%s, %s) at order %s: %v is too much", eps, delta, alpha, b)
				}
				if given(most).LessEqRat(e) != interval.False {
					t.Errorf("(%s, %s) at order %s: %v is no upper bound", eps, delta, alpha, most)
				}
				more := new(big.Rat).Add(b, testkit.Rat("1e-25"))
				if given(more).LessEqRat(e) != interval.False {
					t.Errorf("(%s, %s) at order %s: %v is not the greatest", eps, delta, alpha, b)
				}
			}
		}
	}
}

// TestBoundByHand: by arithmetic elsewhere. At α = 2, c(1) = −2·log 2, so that B = ε + 2·log 2 + log δ.
func TestBoundByHand(t *testing.T) {
	b, _, ok := bound(testkit.Rat("12"), testkit.Rat("1e-5"), renyi.At(testkit.Rat("2")))
	if got, _ := b.Float64(); !ok || got < 1.873368896 || got > 1.873368897 { // 12 + 1.386294361 − 11.512925465
		t.Errorf("B(2) = %v", got)
	}
	if b, _, ok := bound(testkit.Rat("3"), new(big.Rat), renyi.Infinity); !ok || b.Cmp(testkit.Rat("3")) != 0 {
		t.Errorf("B(∞) = %v", b)
	}
	for _, alpha := range []string{"1", "0.5", "2"} {
		if _, _, ok := bound(testkit.Rat("3"), new(big.Rat), renyi.At(testkit.Rat(alpha))); ok {
			t.Errorf("order %s gives (3, 0)", alpha)
		}
	}
}

// TestDefaultOrder: no order of another list lets Gaussian noise run more than a little more often, and there is one
// for every budget.
func TestDefaultOrder(t *testing.T) {
	for _, eps := range []string{"0", "1e-9", "0.01", "1", "30", "1000"} {
		for _, delta := range []string{"0", "1e-300", "1e-6", "0.9"} {
			e, d := testkit.Rat(eps), testkit.Rat(delta)
			f, err := NewFilter(e, d, DefaultOrder(e, d))
			if err != nil {
				t.Errorf("(%s, %s): %v", eps, delta, err)
				continue
			}
			alpha, ok := f.Order.Rat()
			if !ok {
				if delta != "0" && eps != "0" && eps != "1e-9" {
					t.Errorf("(%s, %s): no finite order", eps, delta)
				}
				continue
			}
			best := new(big.Rat).Quo(f.Bound, alpha)
			for _, other := range conversion.DefaultOrders() {
				if b, _, ok := bound(e, d, renyi.At(other)); ok && b.Quo(b, other).Cmp(new(big.Rat).Mul(best, testkit.Rat("1.02"))) > 0 {
					t.Errorf("(%s, %s): order %s is better than %s", eps, delta, other.FloatString(3), f.Order)
				}
			}
		}
	}
}

// filterOf is a filter whose bound is known to lie between two numbers.
func filterOf(least, most string) *Filter {
	return &Filter{Order: renyi.Infinity, Bound: testkit.Rat(least), Spent: new(big.Rat), most: testkit.Rat(most), sure: new(big.Rat)}
}

// TestTake: the bound itself may be spent, what is refused does not count, and smaller events may follow it. What is
// undecided counts, all there is where nothing else is known of it.
func TestTake(t *testing.T) {
	for _, steps := range [][]struct {
		lo, hi, spent string
		want          Decision
	}{
		{{"0.6", "0.6", "0.6", Accepted}, {"0.5", "0.5", "0.6", Refused}, {"", "", "0.6", Refused}, {"0", "0", "0.6", Accepted}, {"0.4", "0.4", "1", Accepted}, {"1e-99", "1e-99", "1", Refused}},
		{{"0.1", "0.2", "0.2", Accepted}, {"0.8", "0.9", "1", Undecided}, {"0.1", "0.1", "1", Undecided}, {"0.91", "0.95", "1", Refused}, {"0", "0", "1", Accepted}},
		{{"0.1", "", "1", Undecided}, {"0", "0", "1", Accepted}, {"0", "0.1", "1", Undecided}},
	} {
		f := filterOf("1", "1")
		for i, s := range steps {
			rat := func(s string) *big.Rat {
				if s == "" {
					return nil
				}
				return testkit.Rat(s)
			}
			if got := f.Take(rat(s.lo), rat(s.hi)); got != s.want || f.Spent.Cmp(testkit.Rat(s.spent)) != 0 {
				t.Errorf("step %d: %v, %v spent", i, got, f.Spent)
			}
		}
		if f.Left().Sign() != 0 {
			t.Errorf("%v left", f.Left())
		}
	}
}

// TestRunsAcceptOneList: however well each of several runs knows divergences and the bound, what any of them has
// accepted is accepted by the filter that knows all, and adds up to at most the bound; and what it refuses is not
// accepted there.
func TestRunsAcceptOneList(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	undecided := 0
	for range 2000 {
		n, b := 1+rng.IntN(8), big.NewRat(10, 1)
		var losses []*big.Rat
		in := make([]bool, n) // of the filter that knows all
		sum := new(big.Rat)
		for i := range n {
			losses = append(losses, big.NewRat(rng.Int64N(7), 1))
			if x := new(big.Rat).Add(sum, losses[i]); x.Cmp(b) <= 0 {
				in[i], sum = true, x
			}
		}
		for range 3 {
			off := func() *big.Rat { return big.NewRat(rng.Int64N(3), 1+rng.Int64N(4)) }
			f := filterOf("10", "10")
			f.Bound.Sub(b, off())
			f.most.Add(b, off())
			for i, r := range losses {
				lo, hi := new(big.Rat).Sub(r, off()), new(big.Rat).Add(r, off())
				if lo.Sign() < 0 {
					lo.SetInt64(0)
				}
				if rng.IntN(9) == 0 {
					hi = nil
				}
				switch d := f.Take(lo, hi); {
				case d == Accepted && !in[i], d == Refused && in[i]:
					t.Fatalf("losses %v: event %d: %v", losses, i, d)
				case d == Undecided:
					undecided++
				}
			}
		}
	}
	if undecided == 0 {
		t.Error("nothing was undecided")
	}
}

// TestEndsOfADivergence: of what is known of a divergence, the least and the most.
func TestEndsOfADivergence(t *testing.T) {
	wide := ask.Answer{Result: exact.Result{Enclosure: exact.Enclosure{Interval: interval.Union(interval.Int(1), interval.Int(2))}}}
	if lo, hi := ends(wide); lo == nil || hi == nil || lo.Cmp(testkit.Rat("1")) != 0 || hi.Cmp(testkit.Rat("2")) != 0 {
		t.Errorf("[1, 2] is [%v, %v]", lo, hi)
	}
	wide.Interval = interval.Union(interval.Int(-1), interval.PosInf())
	if lo, hi := ends(wide); lo == nil || lo.Sign() != 0 || hi != nil {
		t.Errorf("[−1, ∞] is [%v, %v]", lo, hi)
	}
	wide.Interval = interval.PosInf()
	if lo, hi := ends(wide); lo != nil || hi != nil {
		t.Errorf("∞ is [%v, %v]", lo, hi)
	}
	wide.Value = testkit.Rat("1/3")
	if lo, hi := ends(wide); lo.Cmp(wide.Value) != 0 || hi.Cmp(wide.Value) != 0 {
		t.Errorf("1/3 is [%v, %v]", lo, hi)
	}
}

// TestFilterKeepsBudget: what a filter accepts of a fixed list is (ε, δ)-DP by the exact engine, and something is
// refused.
func TestFilterKeepsBudget(t *testing.T) {
	testkit.SkipShort(t)
	lines := mustParse(t, `{"class_name": "GaussianDpEvent", "noise_multiplier": 8}
{"class_name": "LaplaceDpEvent", "noise_multiplier": 10}
{"class_name": "EpsilonDeltaDpEvent", "epsilon": 0.01, "delta": 1e-9}
{"class_name": "FinitePairEvent", "p": [0.5, 0.5], "q": [0.45, 0.55]}
{"class_name": "GaussianDpEvent", "noise_multiplier": 2}
{"class_name": "GaussianDpEvent", "noise_multiplier": 20}
{"class_name": "LaplaceDpEvent", "noise_multiplier": 4}
`)
	eps, delta := testkit.Rat("1"), testkit.Rat("1e-5")
	for _, order := range []renyi.Order{DefaultOrder(eps, delta), renyi.At(testkit.Rat("13")), renyi.At(testkit.Rat("64.5")), renyi.Infinity}[:testkit.Draws(1, 2, 4)] {
		f, err := NewFilter(eps, delta, order)
		if err != nil {
			t.Fatal(err)
		}
		q := Question{Lines: lines, Digits: 6}
		steps, err := Run(t.Context(), q, f)
		if err != nil || len(steps) != len(lines) {
			t.Fatal(len(steps), err)
		}
		var accepted []Line
		for i, s := range steps {
			if s.Decision == Accepted {
				accepted = append(accepted, lines[i])
			}
		}
		found, err := q.keeps(t.Context(), composed(accepted), eps, delta, nil)
		if err != nil || len(accepted) == 0 || len(accepted) == len(lines) || found.Verdict != certify.Verified {
			t.Errorf("order %s: %d of %d accepted, %v", order, len(accepted), len(lines), err)
		}
		if steps[2].Decision == Accepted {
			t.Errorf("order %s: a guarantee with a probability of failure has a finite divergence", order)
		}
	}
}

// TestFilterAgainstAdversary: the adversary who chooses each of a few events, or ends, in view of the outputs, as is
// best for him at ε, does not get above δ, in rationals. Without the filter he does.
func TestFilterAgainstAdversary(t *testing.T) {
	events := []string{"3/5", "3/4"}
	eps, delta := testkit.Rat("1"), testkit.Rat("0.1")
	f, err := NewFilter(eps, delta, DefaultOrder(eps, delta))
	if err != nil {
		t.Fatal(err)
	}
	var losses, heads []*big.Rat
	for _, s := range events {
		a := testkit.Rat(s)
		b := new(big.Rat).Sub(big.NewRat(1, 1), a)
		e := mechanism.FinitePair{P: []*big.Rat{a, b}, Q: []*big.Rat{b, a}}
		answers, err := ask.For(t.Context(), exact.Question{Event: e}, ask.Goal{Digits: 6}, ask.Renyi(f.Order))
		if err != nil {
			t.Fatal(err)
		}
		_, most := ends(answers[0])
		losses, heads = append(losses, most), append(heads, a)
	}
	least, _ := interval.Prec(64).Exp(interval.Prec(64).Rat(eps)).Lo().Rat(nil) // ≤ e^ε, so δ is not below the true one
	filtered := true
	var worst func(p, q *big.Rat, f Filter, steps int) *big.Rat
	worst = func(p, q *big.Rat, f Filter, steps int) *big.Rat {
		best := new(big.Rat).Sub(p, new(big.Rat).Mul(least, q))
		if best.Sign() < 0 {
			best.SetInt64(0)
		}
		if steps == 0 {
			return best
		}
		for i, a := range heads {
			g := f
			if filtered && g.Take(losses[i], losses[i]) != Accepted {
				continue
			}
			b := new(big.Rat).Sub(big.NewRat(1, 1), a)
			sum := new(big.Rat)
			for _, x := range [][2]*big.Rat{{a, b}, {b, a}} {
				sum.Add(sum, worst(new(big.Rat).Mul(p, x[0]), new(big.Rat).Mul(q, x[1]), g, steps-1))
			}
			if sum.Cmp(best) > 0 {
				best = sum
			}
		}
		return best
	}
	one := big.NewRat(1, 1)
	if got := worst(one, one, *f, 6); got.Cmp(delta) > 0 || got.Sign() == 0 {
		t.Errorf("with a filter: %s", got.FloatString(6))
	}
	filtered = false
	if got := worst(one, one, *f, 6); got.Cmp(delta) <= 0 {
		t.Errorf("without a filter: %s", got.FloatString(6))
	}
}
