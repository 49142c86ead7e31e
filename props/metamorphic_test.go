// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"os"
	"slices"
	"testing"
	"time"

	"dpverify/exact"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
)

// A treeCase is a tree of events of any class, and where it is asked about.
type treeCase struct {
	Event     mechanism.Event
	Relation  mechanism.Relation
	Direction mechanism.Direction
	Eps       *big.Rat
	Delta     *big.Rat // in (0, 1)
	Order     renyi.Order
	Alpha     *big.Rat // a type I error in (0, 1)
	Rate      *big.Rat // of a sample
	Pick      int64    // seeds what a law draws for itself
}

func (c treeCase) String() string {
	q := asked{Question: exact.Question{Event: c.Event, Relation: c.Relation, Direction: c.Direction}}
	return fmt.Sprintf("%s; δ %s, order %s, α %s, rate %s", q.command(deltaAt(c.Eps)), c.Delta.RatString(), c.Order, c.Alpha.RatString(), c.Rate.RatString())
}

var treeCases = generator[treeCase]{
	draw: func(r *rand.Rand) treeCase {
		rel := relations[r.Intn(len(relations))]
		orders := []renyi.Order{renyi.At(half), renyi.At(one), renyi.At(rat("3/2")), renyi.At(two), renyi.At(rat("10")), renyi.Infinity}
		return treeCase{
			treeGenerator{r}.tree(rel), rel, mechanism.Direction(r.Intn(3)),
			drawReal(r), minRat(drawRate(r), rat("9/10")), orders[r.Intn(len(orders))],
			[]*big.Rat{rat("1/100"), rat("1/20"), rat("1/3"), rat("9/10")}[r.Intn(4)], drawRate(r), r.Int63(),
		}
	},
	shrink: func(c treeCase) []treeCase {
		var out []treeCase
		for _, e := range smallerTrees(c.Event) {
			d := c
			d.Event = e
			out = append(out, d)
		}
		return out
	},
}

// An inquiry asks about a case and about events made from it, each profile being
// prepared once.
type inquiry struct {
	treeCase
	*rand.Rand
	ctx  context.Context
	seen map[string]*asked
}

func (c treeCase) inquire(ctx context.Context) *inquiry {
	return &inquiry{c, rand.New(rand.NewSource(c.Pick)), ctx, map[string]*asked{}}
}

// question is about an event in a direction, under the case's relation.
func (i *inquiry) question(e mechanism.Event, d mechanism.Direction) exact.Question {
	return exact.Question{Event: e, Relation: i.Relation, Direction: d}
}

func (i *inquiry) ask(q exact.Question, effort exact.Effort, what quantity) (answer, error) {
	a := &asked{Question: q, effort: effort}
	key := fmt.Sprintf("%d %s", effort, a.command(quantity{}))
	if known, ok := i.seen[key]; ok {
		a = known
	}
	i.seen[key] = a
	return a.answer(i.ctx, what)
}

// quantities are δ and another quantity of the case. A value of the trade-off function takes
// seconds for some classes: there, nothing but TestEveryClass asks for it, at one point.
func (i *inquiry) quantities() []quantity {
	others := []quantity{variation(), epsilonAt(i.Delta), renyiAt(i.Order)}
	if !slow(i.Event) {
		others = append(others, tradeOffAt(i.Alpha))
	}
	return []quantity{deltaAt(i.Eps), others[uint64(i.Pick)%uint64(len(others))]}
}

// slow reports a guarantee in Rényi divergences, or noise whose composition takes a grid.
func slow(e mechanism.Event) bool {
	switch e := e.(type) {
	case mechanism.ZCDP, mechanism.RenyiCurve, mechanism.DiscreteGaussian, mechanism.ExponentialMechanism, mechanism.RandomAllocation, mechanism.SampledWithReplacement, mechanism.RepeatAndSelect, mechanism.Shuffled, mechanism.TruncatedSubsampledGaussian:
		return true
	default:
		return slices.ContainsFunc(children(e), slow)
	}
}

// compare asks two questions for every quantity, and hands the answers on.
func (i *inquiry) compare(p, q exact.Question, f func(what quantity, a, b answer) error) error {
	for _, what := range i.quantities() {
		a, err := i.ask(p, 0, what)
		if err != nil {
			return err
		}
		b, err := i.ask(q, 0, what)
		if err != nil {
			return err
		}
		if err := f(what, a, b); err != nil {
			return err
		}
	}
	return nil
}

// same refutes that an event is another one, as far as privacy goes.
func (i *inquiry) same(e mechanism.Event, why string) error {
	return i.compare(i.question(i.Event, i.Direction), i.question(e, i.Direction), func(_ quantity, a, b answer) error {
		return meet(a, b, why)
	})
}

// A law relates answers to each other.
type law struct {
	name  string
	check func(*inquiry) error
}

// errSkipped is the end of a tree whose time is up.
var errSkipped = errors.New("the time is up")

// check checks the law that a case picks.
func (c treeCase) check(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(background, limit)
	defer cancel()
	i := c.inquire(ctx)
	l := metamorphicLaws[i.Intn(len(metamorphicLaws))]
	switch err := l.check(i); {
	case errors.Is(err, context.DeadlineExceeded):
		return errSkipped
	case err != nil:
		return fmt.Errorf("%s: %w", l.name, err)
	}
	return nil
}

// Answers about a tree and about trees made from it agree, as one of metamorphicLaws says,
// without any tolerance: 60 trees, 800 under DPVERIFY_LONG. At most half are skipped, because
// their time is up, under DPVERIFY_LONG a quarter: where more would be, trees have twice the time from then on, as
// the machine is slow or busy.
func TestMetamorphic(t *testing.T) {
	trees, limit, share := 60, 60*time.Millisecond, 2
	if os.Getenv("DPVERIFY_LONG") != "" {
		trees, limit, share = 800, 400*time.Millisecond, 4
	}
	asked, skipped, patience := 0, 0, 32*limit
	forAll(t, int(math.Ceil(float64(trees)*(*multFlag)/multiple())), treeCases, func(c treeCase) error {
		asked++
		err := c.check(limit)
		for errors.Is(err, errSkipped) && (skipped+1)*share > max(asked, 20) && limit < patience {
			limit *= 2
			err = c.check(limit)
		}
		if errors.Is(err, errSkipped) {
			skipped++
			return nil
		}
		return err
	})
	t.Logf("%d trees, %d skipped", asked, skipped)
	if skipped*share > asked {
		t.Errorf("the time of %d of %d trees was up, want at most one in %d", skipped, asked, share)
	}
}
