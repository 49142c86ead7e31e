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
	id             string
	problem        error // why it is not understood
	epsilon, delta *big.Rat
	rho            *big.Rat
	points         []point
	direction      string
	statement      string // all that was read, in one form: docs/certificate.md
	factors        []*factor
}

// readClaims reads a claims file, all or nothing.
func readClaims(data []byte, isJSON bool) (claims []*claim, err error) {
	defer recovered(&err)
	root := parse(data, isJSON)
	allowed(root, "version claims")
	list := root.get("claims")
	if v := root.get("version"); v == nil || v.kind != 's' || v.text != "1" || list == nil || list.kind != 'l' || len(list.items) == 0 {
		reject("want version: 1 and a list of claims")
	}
	ids := make(map[string]bool)
	for i, n := range list.items {
		id := n.get("id")
		named := id != nil && id.kind == 's' && id.text != "" && (id.quoted || !slices.Contains([]string{"null", "~", "true", "false"}, strings.ToLower(id.text)))
		rejectIf(!named || ids[id.text], "claims[%d]: want an id of its own", i)
		ids[id.text] = true
		c := &claim{id: id.text}
		func() {
			defer recovered(&c.problem)
			c.read(n)
		}()
		claims = append(claims, c)
	}
	return claims, nil
}

// allowed rejects keys that are not in a list of words.
func allowed(n *node, words string) {
	rejectIf(n == nil || n.kind != 'm', "want a mapping")
	for _, k := range n.keys {
		rejectIf(!slices.Contains(strings.Fields(words), k), "%q is not understood", k)
	}
}

// word is a field with one of some values, the first if it is not there.
func word(n *node, key, words string) string {
	all := strings.Fields(words)
	v := n.get(key)
	if v == nil {
		return all[0]
	}
	rejectIf(v.kind != 's' || !slices.Contains(all, v.text), "%s is not understood", key)
	return v.text
}

func (c *claim) read(n *node) {
	allowed(n, "id source note event claim relation direction number_format derivation orders expect")
	r := reader{
		relation: word(n, "relation", "ADD_OR_REMOVE_ONE REPLACE_SPECIAL REPLACE_ONE"),
		binary64: word(n, "number_format", "decimal binary64") == "binary64",
	}
	c.direction = word(n, "direction", "both remove add")
	text := c.stated(r, n.get("claim"))
	event := r.event(n.get("event"), 1)
	c.factors = r.factors
	rejectIf(r.relation == "REPLACE_ONE" && c.lopsided(), "under REPLACE_ONE, only pairs that are their own reverse are understood")
	rejectIf(c.epsilon == nil && slices.ContainsFunc(c.factors, func(f *factor) bool { return f.kind != "finite" }), "Rényi divergences are understood of finite pairs only")
	c.statement = fmt.Sprintf("relation %s\ndirection %s\n%sevent %s\n", r.relation, c.direction, text, event)
}

// stated reads what a claim says, and returns its text.
func (c *claim) stated(r reader, said *node) (text string) {
	rejectIf(said == nil, "nothing is claimed")
	switch strings.Join(said.keys, " ") {
	case "rho":
		c.rho = r.number(said, "rho")
		rejectIf(c.rho.Sign() < 0, "claim.rho is negative")
		return "rho " + c.rho.RatString() + "\n"
	case "renyi":
		list := said.get("renyi")
		rejectIf(list.kind != 'l' || len(list.items) == 0 || len(list.items) > maxOutcomes, "claim.renyi is no list, or too long")
		for _, v := range list.items {
			rejectIf(v.kind != 'l' || len(v.items) != 2, "want [order, value]")
			order, value := r.value(v.items[0], "an order"), r.value(v.items[1], "a divergence")
			rejectIf(order.Cmp(big.NewRat(1, 1)) <= 0 || value.Sign() < 0, "want an order above 1 and a value of at least 0")
			c.points = append(c.points, point{order, value, value})
			text += "renyi " + order.RatString() + " " + value.RatString() + "\n"
		}
		return text
	case "epsilon delta", "delta epsilon":
		c.epsilon, c.delta = r.number(said, "epsilon"), r.number(said, "delta")
		rejectIf(!within(c.delta, 0, 1), "claim.delta is no probability")
		rejectIf(!within(c.epsilon, -100_000, 100_000), "claim.epsilon is beyond 100000")
		return "epsilon " + c.epsilon.RatString() + "\ndelta " + c.delta.RatString() + "\n"
	}
	reject("a claim of %v is not understood", said.keys)
	return ""
}

// directions are those that have to be bounded, remove for both where they are the same.
func (c *claim) directions() []string {
	switch {
	case c.direction != "both":
		return []string{c.direction}
	case c.lopsided():
		return []string{"remove", "add"}
	}
	return []string{"remove"}
}

// lopsided reports that some pair is not its own reverse.
func (c *claim) lopsided() bool {
	return slices.ContainsFunc(c.factors, func(f *factor) bool { return !f.symmetric })
}

var decimal = regexp.MustCompile(`^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?$`)

// number reads a field as the rational that is written, and value does so with a scalar: a decimal number, or two with a slash between.
func (r *reader) number(n *node, key string) *big.Rat { return r.value(n.get(key), key) }
func (r *reader) value(v *node, what string) *big.Rat {
	rejectIf(v == nil || v.kind != 's' || len(v.text) > 1000, "%s is missing, or no number", what)
	unsigned := strings.TrimLeft(v.text, "+-")
	above, below, quotient := strings.Cut(unsigned, "/")
	if !quotient {
		below = "1"
	}
	rejectIf(len(v.text) > len(unsigned)+1 || !decimal.MatchString(above) || !decimal.MatchString(below), "%s = %s is not understood as a number", what, v.text)
	x, _ := new(big.Rat).SetString(above)
	y, _ := new(big.Rat).SetString(below)
	rejectIf(y.Sign() == 0, "%s has the denominator 0", what)
	if x.Quo(x, y); v.text[0] == '-' {
		x.Neg(x)
	}
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
