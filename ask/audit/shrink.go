// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"context"
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"
	"time"

	"dpverify/exact/interval"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A shrinker looks for the smallest question that an accountant answers unsoundly.
//
// It is greedy: of the questions that are one step simpler it takes the first whose
// answer is unsound too, until there is none or a limit ends it. Every step lowers
// the cost of a case, a natural number, so it ends.
type shrinker struct {
	judge
	child *child
	seen  map[string]*Result // by question
	asked int
	end   time.Time
	least interval.Interval // understatement that a smaller case must have
}

// shrink returns the smallest unsound case found, r itself if there is none. The
// error is a bug of the engine or ctx's.
func (s *shrinker) shrink(ctx context.Context, r Result) (Result, error) {
	s.end = time.Now().Add(s.o.ShrinkTime)
	s.o.Budget = min(s.o.Budget, max(s.o.ShrinkTime/8, time.Second)) // what is slow to judge is no simpler
	s.least = least(r.Judged.Understatement)
	for {
		smaller, err := s.step(ctx, r)
		if err != nil || smaller == nil {
			return r, err
		}
		r = *smaller
	}
}

// least is the understatement that a smaller case must have, so that an error of the
// method does not shrink to one of rounding: a tenth of the original, at most 10^−6.
func least(u *interval.Interval) interval.Interval {
	const p = interval.Prec(64)
	if u == nil {
		return interval.Int(0)
	}
	return interval.Min(p.Div(interval.Point(u.Lo()), interval.Int(10)), p.Rat(big.NewRat(1, 1e6)))
}

// step returns the first simpler case that is unsound, nil if there is none.
func (s *shrinker) step(ctx context.Context, r Result) (*Result, error) {
	limit := cost(r.Case)
	for c := range simpler(r.Case) {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case s.asked >= s.o.ShrinkQuestions || time.Now().After(s.end):
			return nil, nil
		case cost(c) >= limit:
			continue
		}
		if _, done := s.seen[c.key()]; done {
			continue // it was not unsound, or it would have been taken
		}
		s.asked++
		if i := strings.LastIndex(c.ID, "-shrink-"); i >= 0 {
			c.ID = c.ID[:i]
		}
		c.ID = fmt.Sprintf("%s-shrink-%d", c.ID, s.asked)
		next := Result{Case: c, Reply: s.child.ask(ctx, c)}
		var err error
		if next.Verdict, next.Judged, err = s.judge.judge(ctx, c, next.Reply); err != nil {
			return nil, err
		}
		s.seen[c.key()] = &next
		if next.Verdict == Unsound && s.enough(next) {
			return &next, nil
		}
	}
	return nil, nil
}

// enough reports that the understatement is at least the one required.
func (s *shrinker) enough(r Result) bool {
	if u := r.Judged.Understatement; u != nil {
		return s.least.Lo().Cmp(u.Lo()) <= 0
	}
	return s.least.Lo().Sign() == 0
}

// simpler iterates over cases that are a step simpler, those with less structure
// first.
func simpler(c Case) iter.Seq[Case] {
	return func(yield func(Case) bool) {
		c.About = ""
		try := func(root *document.Node) bool {
			next := c
			var err error
			next.Event, err = mechanism.DecodeEvent(root.JSON())
			return err != nil || yield(next)
		}
		if c.Relation != mechanism.AddOrRemoveOne {
			next := c
			next.Relation = mechanism.AddOrRemoveOne
			if !yield(next) {
				return
			}
		}
		root, err := document.ParseJSON(mechanism.EncodeEvent(c.Event))
		if err != nil {
			panic("audit: internal error: an event does not encode: " + err.Error())
		}
		for n := range structures(root) {
			if !try(n) {
				return
			}
		}
		// Counts come before other numbers: a shorter composition is judged faster.
		for n := range numbers(root, isCount) {
			if !try(n) {
				return
			}
		}
		at := simplerNumbers(c.At)
		if c.Quantity == Epsilon {
			at = append([]*big.Rat{big.NewRat(1, 100), big.NewRat(1, 100_000)}, at...)
		}
		for _, x := range at {
			if c.Quantity.check(x) != nil || c.Quantity == Epsilon && x.Sign() == 0 {
				continue // many accountants have no answer at δ = 0
			}
			next := c
			if next.At = x; !yield(next) {
				return
			}
		}
		for n := range numbers(root, func(key string) bool { return !isCount(key) }) {
			if !try(n) {
				return
			}
		}
	}
}

// structures iterates over trees in which an event is replaced by one inside of it,
// or a list is shorter.
func structures(n *document.Node) iter.Seq[*document.Node] {
	return func(yield func(*document.Node) bool) {
		if inner := n.Get("event"); inner != nil && !yield(inner) {
			return
		}
		if list := n.Get("events"); list != nil {
			for _, item := range list.Items {
				if !yield(item) {
					return
				}
			}
		}
		parts(n, func(_ string, part *document.Node, put func(*document.Node) *document.Node) bool {
			if part.Kind == document.Sequence && len(part.Items) > 1 {
				for i := range part.Items {
					shorter := *part
					shorter.Items = slices.Delete(slices.Clone(part.Items), i, i+1)
					if !yield(put(&shorter)) {
						return false
					}
				}
			}
			for m := range structures(part) {
				if !yield(put(m)) {
					return false
				}
			}
			return true
		})
	}
}

func isCount(key string) bool { return key == "count" }

// numbers iterates over trees in which one number is simpler, of those under keys
// that are wanted.
func numbers(n *document.Node, wanted func(key string) bool) iter.Seq[*document.Node] {
	return func(yield func(*document.Node) bool) {
		var walk func(n *document.Node, key string, put func(*document.Node) bool) bool
		walk = func(n *document.Node, key string, put func(*document.Node) bool) bool {
			if n.Kind == document.Number || n.Kind == document.String {
				x, err := number.Parse(n.Text)
				if err != nil || !wanted(key) {
					return true
				}
				for _, y := range simplerNumbers(x) {
					m := *n
					m.Text = number.Format(y)
					if !put(&m) {
						return false
					}
				}
				return true
			}
			return parts(n, func(key string, part *document.Node, whole func(*document.Node) *document.Node) bool {
				return walk(part, key, func(m *document.Node) bool { return put(whole(m)) })
			})
		}
		walk(n, "", yield)
	}
}

// parts calls f for every part of a tree, with its key (empty in a list) and a
// function that returns the tree with another one in its place, until f returns false: then it does, too.
func parts(n *document.Node,
	f func(key string, part *document.Node, put func(*document.Node) *document.Node) bool) bool {
	for i, item := range n.Items {
		if !f("", item, func(m *document.Node) *document.Node {
			whole := *n
			whole.Items = slices.Clone(n.Items)
			whole.Items[i] = m
			return &whole
		}) {
			return false
		}
	}
	for i, e := range n.Entries {
		if e.Key == "class_name" || e.Key == "module_name" {
			continue
		}
		if !f(e.Key, e.Value, func(m *document.Node) *document.Node {
			whole := *n
			whole.Entries = slices.Clone(n.Entries)
			whole.Entries[i].Value = m
			return &whole
		}) {
			return false
		}
	}
	return true
}

// simplerNumbers returns numbers that are simpler than x: round ones, and x with
// fewer digits.
func simplerNumbers(x *big.Rat) []*big.Rat {
	var out []*big.Rat
	add := func(y *big.Rat) {
		if numberCost(y) < numberCost(x) {
			out = append(out, y)
		}
	}
	for _, s := range []string{"1", "2", "3", "10", "0.5", "0.1", "0"} {
		y, _ := new(big.Rat).SetString(s)
		add(y)
	}
	for digits := 1; digits <= 2; digits++ {
		add(roundTo(x, digits))
	}
	if x.IsInt() {
		for _, d := range []int64{10, 2} {
			add(new(big.Rat).SetInt(new(big.Int).Quo(x.Num(), big.NewInt(d))))
		}
	}
	return out
}

// roundTo rounds x to n significant decimal digits, towards 0.
func roundTo(x *big.Rat, n int) *big.Rat {
	if x.Sign() == 0 {
		return x
	}
	unit := number.PowerOfTen(number.Magnitude(new(big.Rat).Abs(x)) + 1 - n)
	y := new(big.Rat).Quo(x, unit)
	return y.Mul(y.SetInt(new(big.Int).Quo(y.Num(), y.Denom())), unit)
}

// numberCost orders numbers by how simple they are: few digits first, then near 1.
func numberCost(x *big.Rat) int {
	mantissa, exp, _ := strings.Cut(number.Format(x), "e")
	digits := strings.Trim(strings.ReplaceAll(strings.TrimPrefix(mantissa, "-"), ".", ""), "0")
	if digits == "" {
		return 10
	}
	far := len(strings.TrimPrefix(mantissa, "-")) - len(digits)
	if n, err := number.Parse(exp); err == nil {
		f := new(big.Int).Abs(n.Num())
		far += int(min(f.Int64(), 1000))
	}
	return 10*len(digits) + 2*far + int(digits[0]-'0')
}

// cost is what shrinking lowers.
func cost(c Case) int {
	total := numberCost(c.At)
	if c.Relation != mechanism.AddOrRemoveOne {
		total += 500
	}
	root, err := document.ParseJSON(mechanism.EncodeEvent(c.Event))
	if err != nil {
		panic("audit: internal error: an event does not encode: " + err.Error())
	}
	var walk func(n *document.Node)
	walk = func(n *document.Node) {
		if n.Kind == document.Mapping || n.Kind == document.Sequence {
			total += 1000
		} else if x, err := number.Parse(n.Text); err == nil && n.Kind != document.Bool {
			total += numberCost(x)
		}
		for _, i := range n.Items {
			walk(i)
		}
		for _, e := range n.Entries {
			walk(e.Value)
		}
	}
	walk(root)
	return total
}
