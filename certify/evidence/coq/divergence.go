// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package coq

import (
	"fmt"
	"math/big"
	"strings"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// guard is how many bits Coq has more than the curve that finds that a proof will do.
const guard = 16

// A Goal is a claim of Rényi divergences of a composition in one direction.
type Goal struct {
	Direction   mechanism.Direction
	Refute      bool
	Composition string   // the composed pair
	Masses      []string // the parts, as expressions with their counts
	Unfold      string   // the tactic that unfolds them
}

// all are the expressions of all parts.
func (g Goal) all() string { return "[" + strings.Join(g.Masses, "; ") + "]" }

const computed = "ltac:(vm_cast_no_check (eq_refl true))"

// Orders returns the theorem for divergences of some orders, with its proof; false where it finds none.
func (c *Curve) Orders(g Goal, points []mechanism.RenyiPoint) (text string, ok bool) {
	if !c.known || len(points)*c.outcomes > maxExps {
		return "", false
	}
	relation, want := "at_most", interval.True
	if g.Refute {
		relation, want = "above", interval.False
	}
	var statements, proofs []string
	for _, p := range points {
		if c.atMost(p.Order, p.Value) != want {
			continue
		}
		order, value := Fraction(p.Order), Fraction(p.Value)
		proof := fmt.Sprintf("renyi_%s %d %s %s %s", relation, c.bits+guard, order.Expression(), g.all(), value.Expression())
		if c.infinite {
			proof = fmt.Sprintf("renyi_infinite %d %s %s %s", c.bits+guard, order.Real(), g.all(), value.Real())
		}
		statements = append(statements, fmt.Sprintf("divergence_%s %s %s %s", relation, order.Real(), g.Composition,
			value.Real()))
		proofs = append(proofs, fmt.Sprintf("exact (%s %s)", proof, computed))
		if g.Refute {
			break
		}
	}
	if len(statements) == 0 || !g.Refute && len(statements) < len(points) {
		return "", false
	}
	return fmt.Sprintf("Theorem %s :\n  %s.\nProof.\nrepeat match goal with |- _ /\\ _ => split end.\n- %s.\nQed.\n\n",
		g.Direction, strings.Join(statements, " /\\\n  "), strings.Join(proofs, ".\n- ")), true
}

// Concentrated returns the theorem for ρ-zCDP, or its negation.
func (c *Curve) Concentrated(g Goal, rho *big.Rat) (text string, ok bool) {
	if !c.known {
		return "", false
	}
	claim := fmt.Sprintf("concentrated %s %s", Rational(rho), g.Composition)
	if g.Refute {
		proof := fmt.Sprintf("zcdp_infinite %d %s %s", c.bits+guard, Rational(rho), g.all())
		if !c.infinite {
			alpha, ok := c.exceeds(rho)
			if !ok {
				return "", false
			}
			proof = fmt.Sprintf("not_zcdp %d %s %s %s", c.bits+guard, Fraction(rho).Expression(),
				Fraction(alpha).Expression(), g.all())
		}
		return fmt.Sprintf("Theorem %s : ~ %s.\nProof. exact (%s %s). Qed.\n\n", g.Direction, claim, proof, computed), true
	}
	w, ok := c.walk(rho)
	if !ok {
		return "", false
	}
	var parts, steps []string
	for i, m := range g.Masses {
		parts = append(parts, fmt.Sprintf("(%s, %s)", m, Fraction(w.bounds[i]).Expression()))
	}
	for _, s := range w.steps {
		steps = append(steps, fmt.Sprintf("(%s, %s)", Fraction(s.tangent).Expression(), Fraction(s.order).Expression()))
	}
	return fmt.Sprintf("Theorem %s : %s.\nProof.\nrefine (zcdp %d %s [%s]\n  [%s] _ %s).\n%s.\nunit_masses.\nQed.\n\n",
		g.Direction, claim,
		c.bits+guard, Fraction(rho).Expression(), strings.Join(parts, "; "), strings.Join(steps, ";\n   "), computed,
		g.Unfold), true
}

// GaussianDivergences returns what follows Gaussian for claims of Gaussian noise, of which D_α = αμ²/2: of the orders
// of points or, if there are none, of all orders, D_α ≤ ρα. False where the claim is true and is to be refuted, or the
// other way round.
func GaussianDivergences(mu2 *big.Rat, points []mechanism.RenyiPoint, rho *big.Rat, refute bool,
	ds []mechanism.Direction) (text string, ok bool) {
	half := new(big.Rat).Mul(mu2, big.NewRat(1, 2))
	lemma, theorems := "divergence_at_most", []string(nil) // with p and q to come
	if refute {
		lemma = "divergence_above"
	}
	for _, p := range points {
		if above := new(big.Rat).Mul(half, p.Order).Cmp(p.Value) > 0; above == refute {
			theorems = append(theorems, fmt.Sprintf("%s %s %%s %s", lemma, Rational(p.Order), Rational(p.Value)))
		}
	}
	switch {
	case len(points) == 0 && half.Cmp(rho) > 0 != refute, len(points) > 0 && len(theorems) == 0,
		!refute && len(theorems) < len(points):
		return "", false
	case len(points) == 0 && refute:
		lemma, theorems = "not_zcdp", []string{"~ concentrated " + Rational(rho) + " %s"}
	case len(points) == 0:
		lemma, theorems = "zcdp", []string{"concentrated " + Rational(rho) + " %s"}
	}
	if refute {
		ds, theorems = ds[:1], theorems[:1]
	}
	square := Rational(mu2)
	text = fmt.Sprintf("Definition shift : R := sqrt %s.\n", square) +
		"Definition p (x : R) : R := phi (x - shift).\nDefinition q (x : R) : R := phi x.\n\n" +
		fmt.Sprintf("Lemma square : (shift - 0) ^ 2 = %s /\\ (0 - shift) ^ 2 = %s.\n", square, square) +
		fmt.Sprintf("Proof.\nassert (e : shift ^ 2 = %s) by (unfold shift; apply pow2_sqrt; lra).\nrewrite <- e. split; "+
			"ring.\nQed.\n\n", square)
	for _, d := range ds {
		sides, means := "p q", "shift 0"
		if d == mechanism.Add {
			sides, means = "q p", "0 shift"
		}
		var all []string
		for _, x := range theorems {
			all = append(all, fmt.Sprintf(x, sides))
		}
		text += fmt.Sprintf("Theorem %s :\n  %s.\nProof.\n", d, strings.Join(all, " /\\\n  ")) +
			"assert (is_q : forall x, q x = phi (x - 0)) by (intros; unfold q; f_equal; ring).\n" +
			"destruct square as [remove add].\nrepeat match goal with |- _ /\\ _ => split end;\n" +
			fmt.Sprintf("  (apply (gaussian_%s %s %s); [now intros|now intros|..]; first [lra | rewrite %s; lra]).\nQed.\n\n",
				lemma, sides, means, d)
	}
	return text, true
}
