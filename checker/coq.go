// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"io"
	"math/big"
	"strings"
)

// statement is a file for Coq: parts, directions, ε and δ are to be filled in.
const statement = `From Coq Require Import List ZArith QArith.
From Dpverify Require Import Part Claim.
Import ListNotations.
Local Open Scope Z_scope.

Definition statement : claim := {|
  parts := [%s];
  directions := [%s];
  eps := %s; delta := %s |}.
`

// state prints what a claim says for Coq.
func state(id, file string, stdout, stderr io.Writer) (status int) {
	claims, err := readClaims(contents(file))
	for _, c := range claims {
		if c.id != id {
			continue
		}
		text, err := c.coq()
		if err == nil {
			_, err = io.WriteString(stdout, text)
		}
		if err != nil {
			fmt.Fprintf(stderr, "checker: %s: %v\n", file, err)
			return 1
		}
		return 0
	}
	if err == nil {
		err = fmt.Errorf("no claim %q", id)
	}
	fmt.Fprintf(stderr, "checker: %s: %v\n", file, err)
	return 2
}

// coq is what a claim says in the words of proofs/theory/Claim.v.
func (c *claim) coq() (text string, err error) {
	defer recovered(&err)
	rejectIf(c.problem != nil, "the claim is not understood: %v", c.problem)
	rejectIf(c.epsilon == nil, "the theory has no word for Rényi divergences")
	var parts []string
	for _, f := range c.factors {
		parts = append(parts, fmt.Sprintf("(%s, %d%%N)", f.coq(), f.count))
	}
	ds := map[direction]string{"both": "Remove; Add", remove: "Remove", add: "Add"}[c.direction]
	return fmt.Sprintf(statement, strings.Join(parts, "; "), ds, coqNumber(c.epsilon), coqNumber(c.delta)), nil
}

func coqNumber(x *big.Rat) string { return fmt.Sprintf("(%d # %d)", x.Num(), x.Denom()) }

// coq is a factor in the words of proofs/theory/Part.v.
func (f *factor) coq() (text string) {
	if f.words != "" {
		return f.words
	}
	switch p := f.pair.(type) {
	case gaussian:
		text = p.coq()
	case laplace:
		text = fmt.Sprintf("LaplaceNoise %s %s", coqNumber(p.shift), coqNumber(p.rate))
	case *finite:
		text = p.words
	}
	rejectIf(f.only != "" || text == "", "the theory has no word for %s", f.name)
	return text
}

func (g gaussian) coq() string {
	if len(g.weights) > 1 {
		return ""
	}
	return fmt.Sprintf("Gaussian %s %s", coqNumber(g.squares[0]), coqNumber(g.weights[0]))
}

// coqFinite is a pair of masses.
func coqFinite(p, q []*big.Rat) string {
	weight := func(x *big.Rat) string {
		if x.Sign() == 0 {
			return "nil"
		}
		return fmt.Sprintf("[(%s, 0%%Q)]", coqNumber(x))
	}
	var atoms []string
	for i := range p {
		atoms = append(atoms, "("+weight(p[i])+", "+weight(q[i])+")")
	}
	return "Finite [" + strings.Join(atoms, "; ") + "]"
}

// coqPart is a part that a word and two numbers make.
func coqPart(word string, x *big.Rat, y any) string {
	return fmt.Sprintf("%s %s %v", word, coqNumber(x), y)
}
