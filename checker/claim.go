// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// A claim says that δ(epsilon) ≤ delta for an event under a relation, in some directions, or that Rényi
// divergences are at most the points, or ρα for all α > 1; then epsilon is nil.
type claim struct {
	id        string
	problem   error // why it is not understood
	points    []point
	direction direction
	statement string // all that was read, in one form: docs/certificate.md
	factors   []*factor

	epsilon, delta, rho *big.Rat

	lopsided bool // some are not their own reverse
	stated   bool // the event says it itself
}

// readClaims reads a claims file, all or nothing.
func readClaims(data []byte, unread error) (claims []*claim, err error) {
	defer recovered(&err)
	rejectIf(unread != nil, "%w", unread)
	work = 0
	root := parse(data)
	allowed(root, "version claims")
	list := root.get("claims")
	rejectIf(root.get("version").text != "1" || list.kind != 'l' || len(list.items) == 0, "want version: 1 and claims")
	ids := make(map[string]bool)
	for i, n := range list.items {
		c := &claim{id: n.get("id").text}
		rejectIf(n.get("id").kind != 's' || strings.TrimSpace(c.id) == "" || ids[c.id], "claims[%d]: want its own id", i)
		ids[c.id] = true
		c.problem = c.read(n)
		rejectIf(work > maxWork, "it would take too long")
		claims = append(claims, c)
	}
	return claims, nil
}

// allowed rejects keys that are not in a list of words.
func allowed(n *node, words string) {
	rejectIf(n.kind != 'm', "want a mapping")
	for _, k := range n.keys {
		rejectIf(!slices.Contains(strings.Fields(words), k), "%q is not understood", k)
	}
}

// word is a field with one of some values, the first if it is not there.
func word(n *node, key, words string) string {
	all, v := strings.Fields(words), n.get(key)
	if v.kind == 0 {
		return all[0]
	}
	rejectIf(v.kind != 's' || !slices.Contains(all, v.text), "%s is not understood", key)
	return v.text
}

func (c *claim) read(n *node) (err error) {
	defer recovered(&err)
	allowed(n, "id source note event claim relation direction number_format derivation orders expect")
	for _, key := range strings.Fields("source note derivation") {
		rejectIf(!strings.ContainsRune("\x00st", rune(n.get(key).kind)), "%s is no text", key)
	}
	word(n, "expect", "none verified refuted undecided malformed stated")
	r := reader{relation: word(n, "relation", "ADD_OR_REMOVE_ONE REPLACE_SPECIAL REPLACE_ONE")}
	r.binary64 = word(n, "number_format", "decimal binary64") == "binary64"
	c.direction = direction(word(n, "direction", "both remove add"))
	if o := n.get("orders"); o.kind != 0 && o.text != "real" {
		low := func(x *big.Rat) bool { return x.Cmp(big.NewRat(1, 1)) <= 0 }
		rejectIf(len(o.items) == 0 || slices.ContainsFunc(r.list(o), low), "orders are not above 1")
	}
	text := c.says(r, n.get("claim"))
	event := r.event(n.get("event"), 1)
	c.factors = r.factors
	c.lopsided = slices.ContainsFunc(c.factors, func(f *factor) bool { return !f.symmetric })
	// Under REPLACE_ONE, pairs have to be their own reverse.
	rejectIf(r.relation == "REPLACE_ONE" && (c.lopsided || r.oneWay && c.direction != "both"), "not for REPLACE_ONE")
	promised := slices.ContainsFunc(c.factors, func(f *factor) bool { return f.promise != nil })
	rejectIf(c.epsilon == nil && promised, "Rényi divergences of a promise are not understood")
	c.stated = c.epsilon != nil && c.repeated()
	c.statement = fmt.Sprintf("relation %s\ndirection %s\n%sevent %s\n", r.relation, c.direction, text, event)
	return nil
}

// repeated reports that the event is one guarantee that says as much as the claim, perhaps with others that say that
// nothing is lost.
func (c *claim) repeated() bool {
	copies, eps, delta := int64(0), new(big.Rat), new(big.Rat)
	for _, f := range c.factors {
		if !f.guarantee {
			return false
		} else if f.eps.Sign() > 0 || f.inf.Sign() > 0 {
			copies, eps, delta = copies+f.count, f.eps, f.inf
		}
	}
	return len(c.factors) > 0 && copies <= 1 && eps.Cmp(c.epsilon) <= 0 && delta.Cmp(c.delta) <= 0
}

// says reads what a claim says, and returns its text.
func (c *claim) says(r reader, said *node) (text string) {
	number := func(key string) *big.Rat {
		x := r.number(said.get(key), key)
		text += key + " " + x.RatString() + "\n"
		return x
	}
	switch strings.Join(said.keys, " ") {
	case "epsilon delta", "delta epsilon":
		c.epsilon, c.delta = number("epsilon"), number("delta")
		rejectIf(!within(c.epsilon, -100_000, 100_000) || !within(c.delta, 0, 1), "epsilon or delta is out of range")
	case "rho":
		c.rho = number("rho")
		rejectIf(c.rho.Sign() < 0, "rho is negative")
	case "renyi":
		list := said.get("renyi")
		rejectIf(list.kind != 'l' || len(list.items) == 0 || len(list.items) > maxOutcomes, "renyi is no list, or too long")
		for _, v := range list.items {
			p := r.list(v)
			rejectIf(len(p) != 2 || !(p[0].Cmp(big.NewRat(1, 1)) > 0), "want pairs of an order above 1 and a value")
			c.points = append(c.points, point{p[0], p[1], p[1]})
			text += "renyi " + p[0].RatString() + " " + p[1].RatString() + "\n"
		}
	default:
		rejectIf(true, "a claim of %v is not understood", said.keys)
	}
	return text
}

// directions are those that have to be bounded, remove for both where they are the same.
func (c *claim) directions() []direction {
	if c.direction != "both" {
		return []direction{c.direction}
	}
	return []direction{remove, add}[:map[bool]int{false: 1, true: 2}[c.lopsided]]
}

const decimal = `(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?`

var quotient = regexp.MustCompile(`^([+-]?` + decimal + `)(?:/(` + decimal + `))?$`)

// number reads a scalar as the rational that is written: a decimal number, or two with a slash between.
func (r *reader) number(v *node, what string) *big.Rat {
	spend(4000)
	m := quotient.FindStringSubmatch(v.text)
	rejectIf(v.kind != 's' || m == nil || len(v.text) > 1000, "%s = %.40q is not understood as a number", what, v.text)
	x, _ := new(big.Rat).SetString(m[1])
	if m[2] != "" {
		y, _ := new(big.Rat).SetString(m[2])
		rejectIf(y.Sign() == 0, "%s has the denominator 0", what)
		x.Quo(x, y)
	}
	spendProduct(x.Num().BitLen(), x.Denom().BitLen())
	if r.binary64 {
		f, _ := x.Float64()
		rejectIf(math.IsInf(f, 0), "%s is no finite number of binary64", what)
		x.SetFloat64(f)
	}
	return x
}

// within reports lo ≤ x ≤ hi.
func within(x *big.Rat, lo, hi int64) bool {
	return x.Cmp(big.NewRat(lo, 1)) >= 0 && x.Cmp(big.NewRat(hi, 1)) <= 0
}
