// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"math/big"
	"strings"

	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// A Statement says that a quantity, or the ratio of two, lies in a range.
type Statement struct {
	Text string // what is stated
	Of   Quantity
	Over *Quantity // if set, Of is divided by it
	Claim
	// Printed is what the paper prints, word for word but for how formulas are set.
	Printed string
	// Least and Most bound the range; nil: unbounded. A range of one end is one that the paper claims: see Claim.
	Least, Most *big.Rat
	// Ours marks what the paper does not say and is shown beside it. It must hold, and
	// the verdict on the paper does not count it.
	Ours bool
	// Of several readings of one sentence, which have the same Sentence, one that holds is enough.
	Sentence string
}

// A Claim is the kind of a statement, and so how it can fail.
type Claim int

const (
	// Number: the paper prints a number, which is met if the quantity is within one unit of its last digit, or
	// within what the paper itself says.
	Number Claim = iota
	// AtMost and AtLeast: the paper claims this side of a limit and nothing of the other one.
	AtMost
	AtLeast
	// Near: the paper says that two are equal, or close; how close is ours to say, at most 5 %.
	Near
	// Orders: the paper says how many orders of magnitude lie between two.
	Orders
	// Pinned: a range of ours about the quantity, where the paper says something without a number.
	Pinned
	// Timed: how long something takes, which is shown beside what the paper prints, and not judged: it is about machines.
	Timed
)

// A Verdict says whether a statement holds or an entry is reproduced.
type Verdict string

const (
	Holds         Verdict = "holds"
	Fails         Verdict = "does not hold"
	Undecided     Verdict = "undecided"
	Measured      Verdict = "measured" // a time, which is not judged
	Reproduced    Verdict = "reproduced"
	NotReproduced Verdict = "not reproduced"
	// Drawn is an entry of which the paper states nothing that could be compared.
	Drawn Verdict = "drawn"
)

// judge compares an enclosure with the range of a statement.
func (s Statement) judge(y interval.Interval) Verdict {
	if s.Claim == Timed {
		return Measured
	}
	inside := interval.True
	if s.Most != nil {
		inside = y.LessEqRat(s.Most)
	}
	if s.Least != nil {
		inside = min(inside, y.LessRat(s.Least).Not())
	}
	return map[interval.Truth]Verdict{interval.True: Holds, interval.False: Fails, interval.Unknown: Undecided}[inside]
}

// Limits is the range of a statement, as words after its enclosure.
func (s Statement) Limits() string {
	text := ""
	if s.Least != nil {
		text += ", want ≥ " + number.Format(s.Least)
	}
	if s.Most != nil {
		text += ", want ≤ " + number.Format(s.Most)
	}
	return text
}

// Wanted is the range of a statement.
func (s Statement) Wanted() string {
	return strings.TrimPrefix(strings.ReplaceAll(s.Limits(), "want ", ""), ", ")
}

// in is a range, where "" is no bound.
func (s Statement) in(least, most string) Statement {
	if least != "" {
		s.Least = rat(least)
	}
	if most != "" {
		s.Most = rat(most)
	}
	return s
}

// over divides by another quantity.
func (s Statement) over(q Quantity) Statement {
	s.Over = &q
	return s
}

// reading marks a statement as one reading of a sentence.
func (s Statement) reading(sentence string) Statement {
	s.Sentence = sentence
	return s
}

// prints is a statement of a paper that prints a number: of is within one unit of its last digit, rounded or cut.
func prints(text string, of Quantity, digits string) Statement {
	s := Statement{Text: text, Of: of, Claim: Number, Printed: digits}
	place, _ := number.LastPlace(digits)
	unit, v := number.PowerOfTen(place), rat(digits)
	s.Least, s.Most = new(big.Rat).Sub(v, unit), new(big.Rat).Add(v, unit)
	return s
}

// atMost and atLeast are statements of a paper, in its words, about one side of a limit.
func atMost(text, printed string, of Quantity, limit string) Statement {
	return Statement{Text: text, Of: of, Claim: AtMost, Printed: printed}.in("", limit)
}

func atLeast(text, printed string, of Quantity, limit string) Statement {
	return Statement{Text: text, Of: of, Claim: AtLeast, Printed: printed}.in(limit, "")
}

// below and above are statements of a paper that one quantity is less, or more, than another.
func below(text, printed string, of, over Quantity) Statement {
	return Statement{Text: text, Of: of, Claim: AtMost, Printed: printed}.over(over).in("", "1")
}

func above(text, printed string, of, over Quantity) Statement {
	return Statement{Text: text, Of: of, Claim: AtLeast, Printed: printed}.over(over).in("1", "")
}

// near is a statement of a paper, in its words, that two quantities are equal or close. They are if their ratio differs
// from 1 by at most tolerance.
func near(text, printed string, of, over Quantity, tolerance string) Statement {
	one, t := rat("1"), rat(tolerance)
	s := Statement{Text: text, Of: of, Claim: Near, Printed: printed}.over(over)
	s.Least, s.Most = new(big.Rat).Sub(one, t), new(big.Rat).Add(one, t)
	return s
}

// orders is a statement of a paper that over is so many orders of magnitude above of: the ratio over/of is 10^least to
// 10^most. "n orders" are from n − ½ to n + 1, "almost n" from n − ½ to n + ½, and "more than n" from n to n + 1, since
// a paper that sees more says so.
func orders(text, printed string, most Quantity, n int64, of Quantity) Statement {
	s := Statement{Text: text, Of: most, Claim: Orders, Printed: printed}.over(of)
	least, end := 2*n-1, 2*n+2 // halves
	switch {
	case strings.HasPrefix(printed, "almost"):
		end = 2*n + 1
	case strings.HasPrefix(printed, "more than"):
		least = 2 * n
	}
	s.Least, s.Most = halfOrders(least), halfOrders(end)
	return s
}

// halfOrders is √10^n, by 3.16227766 where n is odd.
func halfOrders(n int64) *big.Rat {
	x := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(n/2), nil))
	if n%2 != 0 {
		x.Mul(x, rat("3.16227766"))
	}
	return x
}

// pinned is a statement of a paper without a number, which has a range of ours.
func pinned(text, printed string, of Quantity, least, most string) Statement {
	return Statement{Text: text, Of: of, Claim: Pinned, Printed: printed}.in(least, most)
}

// ours is a statement that the paper does not make.
func ours(s Statement) Statement {
	s.Ours = true
	return s
}

// aside is one about what the paper has no words for.
func aside(s Statement) Statement {
	s.Ours, s.Printed = true, ""
	return s
}

// shown is a quantity that the paper does not speak of, with the range where it is.
func shown(text string, of Quantity, least, most string) Statement {
	return ours(Statement{Text: text, Of: of, Claim: Pinned}.in(least, most))
}

// timed is a time that the paper prints, beside ours.
func timed(text, printed string, of Quantity) Statement {
	return ours(Statement{Text: text, Of: of, Claim: Timed, Printed: printed})
}
