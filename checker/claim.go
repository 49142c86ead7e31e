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
	problem        string // why it is not understood
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
		rejectIf(id == nil || id.kind != 's' || id.text == "" || !id.quoted && strings.Contains(" null ~ true false ", " "+strings.ToLower(id.text)+" "), "claims[%d]: want an id", i)
		c := &claim{id: id.text}
		rejectIf(ids[c.id], "claims[%d]: the id %q was used before", i, c.id)
		ids[c.id] = true
		var why error
		func() {
			defer recovered(&why)
			c.read(n)
		}()
		if why != nil {
			c.problem = why.Error()
		}
		claims = append(claims, c)
	}
	return claims, nil
}

// allowed rejects keys that are not in a list of words.
func allowed(n *node, words string) {
	rejectIf(n == nil || n.kind != 'm', "want a mapping")
	for _, k := range n.keys {
		rejectIf(strings.Contains(k, " ") || !strings.Contains(" "+words+" ", " "+k+" "), "%q is not understood", k)
	}
}

// word is a field with one of some values, the first if it is not there.
func word(n *node, key, words string) string {
	all := strings.Fields(words)
	v := n.get(key)
	if v == nil {
		return all[0]
	}
	for _, w := range all {
		if v.kind == 's' && v.text == w {
			return w
		}
	}
	reject("%s is not understood", key)
	return ""
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
	allowed(said, "epsilon delta renyi rho")
	switch list := said.get("renyi"); {
	case said.get("rho") != nil:
		allowed(said, "rho")
		c.rho = r.number(said, "rho")
		rejectIf(c.rho.Sign() < 0, "claim.rho is negative")
		return "rho " + c.rho.RatString() + "\n"
	case list != nil:
		allowed(said, "renyi")
		rejectIf(list.kind != 'l' || len(list.items) == 0 || len(list.items) > maxOutcomes, "claim.renyi is no list, or too long")
		for _, v := range list.items {
			rejectIf(v.kind != 'l' || len(v.items) != 2, "want [order, value]")
			pair := &node{kind: 'm', keys: []string{"order", "value"}, items: v.items}
			order, value := r.number(pair, "order"), r.number(pair, "value")
			rejectIf(order.Cmp(big.NewRat(1, 1)) <= 0 || value.Sign() < 0, "want an order above 1 and a value of at least 0")
			c.points = append(c.points, point{order, value, value})
			text += "renyi " + order.RatString() + " " + value.RatString() + "\n"
		}
		return text
	}
	c.epsilon, c.delta = r.number(said, "epsilon"), r.number(said, "delta")
	rejectIf(!within(c.delta, 0, 1), "claim.delta is no probability")
	rejectIf(!within(c.epsilon, -100_000, 100_000), "claim.epsilon is beyond 100000")
	return "epsilon " + c.epsilon.RatString() + "\ndelta " + c.delta.RatString() + "\n"
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
	return slices.ContainsFunc(c.factors, func(f *factor) bool { return !f.selfDual() })
}

var decimal = regexp.MustCompile(`^([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?(/([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?)?$`)

// number reads a field as the rational that is written.
func (r *reader) number(n *node, key string) *big.Rat {
	v := n.get(key)
	rejectIf(v == nil || v.kind != 's' || len(v.text) > 1000, "%s is missing, or no number", key)
	m := decimal.FindStringSubmatch(v.text)
	rejectIf(m == nil, "%s = %s is not understood as a number", key, v.text)
	part := func(digits, exponent string) *big.Rat {
		x, ok := new(big.Rat).SetString(strings.TrimSuffix(digits, ".") + exponent)
		rejectIf(!ok, "%s is no number", key)
		return x
	}
	x := part(m[1]+m[2], m[3])
	if m[4] != "" {
		y := part(m[5], m[6])
		rejectIf(y.Sign() == 0, "%s has the denominator 0", key)
		x.Quo(x, y)
	}
	if r.binary64 {
		f, _ := x.Float64()
		rejectIf(math.IsInf(f, 0), "%s is no finite number of binary64", key)
		x.SetFloat64(f)
	}
	return x
}

// within reports lo ≤ x ≤ hi.
func within(x *big.Rat, lo, hi int64) bool {
	return x.Cmp(big.NewRat(lo, 1)) >= 0 && x.Cmp(big.NewRat(hi, 1)) <= 0
}
