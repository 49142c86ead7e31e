// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"fmt"
	"math"
	"math/big"

	"dpverify/certify/evidence/coq"
	"dpverify/certify/evidence/statement"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A noise is what coq/density.v calls the things of a kind of noise.
type noise struct{ density, even, positive, difference, unfold string }

// A sampledNoise is a pair of noise, or a sample of one.
type sampledNoise struct {
	noise
	base    statement.Pair
	shift   *big.Rat // s, or μ² of a Gaussian
	rate    *big.Rat
	written string // the distance for Coq
}

// sampled reports that the pair is a proper sample.
func (n sampledNoise) sampled() bool { return n.rate.Cmp(statement.RatOne) != 0 }

var (
	gaussianCoq = noise{"phi", "phi_even", "phi_pos", "difference", "difference, threshold, phi"}
	laplaceCoq  = noise{"lap", "lap_even", "lap_pos", "difference_lap", "between, threshold_lap"}
)

// density writes the file of one pair with a density. The function to integrate is
// a·k(x − shift) − b·k(x), from either side.
func (f *coqFile) density(ds []mechanism.Direction) error {
	if f.parts[0].Count != 1 || !f.exact && !f.separated {
		return ErrNone
	}
	base, rate := sampledAt(f.parts[0].Pair)
	n := sampledNoise{base: base, rate: rate}
	switch p := base.(type) {
	case statement.Gaussian:
		n.noise, n.shift, n.written = gaussianCoq, p.Square, "sqrt "+coq.Rational(p.Square)
	case statement.Laplace:
		n.noise, n.shift, n.written = laplaceCoq, p.Shift, coq.Rational(p.Shift)
	default:
		return ErrNone
	}
	f.WriteString(coq.Density)
	f.linef("\n(** * The claim *)\n")
	f.linef("Definition shift : R := %s.\nDefinition eps : R := %s.", n.written, coq.Rational(f.eps))
	if n.sampled() {
		f.linef("Definition rate : R := %s.", coq.Rational(rate))
		f.linef("Definition p (x : R) : R := rate * %s (x - shift) + (1 - rate) * %s x.", n.density, n.density)
	} else {
		f.linef("Definition p (x : R) : R := %s (x - shift).", n.density)
	}
	f.linef("Definition q (x : R) : R := %s x.\n", n.density)
	shown := false
	for _, d := range ds {
		c := coefficients{a: "1", b: "(exp eps)", numberA: 1, numberB: math.Exp(number.Float64(f.eps))}
		if n.sampled() {
			rate, alpha := number.Float64(rate), c.numberB
			c = coefficients{"rate", "(exp eps - (1 - rate))", rate, alpha - (1 - rate)}
			if d == mechanism.Add {
				c = coefficients{"(1 - exp eps * (1 - rate))", "(exp eps * rate)", 1 - alpha*(1-rate), alpha * rate}
			}
		}
		core := "core"
		if n.sampled() {
			core += "_" + d.String()
		}
		if n.sampled() || !shown {
			if !f.core(core, n, c) {
				return ErrNone
			}
			shown = true
		}
		f.theorem(d, core, n.noise)
	}
	return nil
}

// coefficients are a and b, as Coq reads them and about.
type coefficients struct {
	a, b             string
	numberA, numberB float64
}

// core states and proves the bound for a·k(x − shift) − b·k(x); false if it does not know how.
func (f *coqFile) core(name string, n sampledNoise, c coefficients) bool {
	_, isGaussian := n.base.(statement.Gaussian)
	s, x := number.Float64(n.shift), math.Log(c.numberB/c.numberA) // x is the base pair's loss
	if isGaussian {
		s = math.Sqrt(s)
	}
	if c.numberA < -1e-12 && c.numberB > 1e-12 && !f.lower { // no outcome is more likely
		unfold := "unfold shift, eps" + n.unfoldRate()
		f.linef("Lemma %s : at_most (%s shift %s %s) %s.\nProof.", name, n.difference, c.a, c.b, coq.Rational(f.delta))
		f.linef("apply nothing; [|lra]. intros x. apply (negative %s); [exact %s | %s; interval | %s; interval].\nQed.\n",
			n.density, n.positive, unfold, unfold)
		return true
	}
	// interval has the exponents of binary64
	if !(c.numberA > 1e-12 && c.numberB > 1e-12) || s < 1e-100 || s > 1e6 || math.IsNaN(x) {
		return false
	}
	f.linef("Lemma %s_signs : 0 < shift /\\ 0 < %s /\\ 0 < %s.", name, c.a, c.b)
	f.linef("Proof. unfold shift, eps%s; repeat split; first [lra | interval]. Qed.\n", n.unfoldRate())
	difference := fmt.Sprintf("%s shift %s %s", n.difference, c.a, c.b)
	unfold := fmt.Sprintf("%s, shift, eps%s", n.unfold, n.unfoldRate())
	integral := fmt.Sprintf("integral with (i_prec %d, i_degree 20, i_fuel 200)", f.digits()-10)
	f.linef("Lemma %s : %s (%s) %s.\nProof.\ndestruct %s_signs as [s0 [a0 b0]].", name, f.says(), difference,
		coq.Rational(f.delta), name)
	switch {
	case isGaussian:
		tail := math.Max(number.Float64(f.delta)*math.Max(f.gap, 0x1p-60)/8, 1e-300)
		end := math.Ceil(math.Max(s+math.Max(1, math.Sqrt(-2*math.Log(tail))), x/s+s/2) + 1)
		if f.lower {
			f.linef("apply (gaussian_above shift %s %s %.0f).", c.a, c.b, end)
			f.linef("- unfold %s; interval.", unfold)
		} else {
			f.linef("apply (gaussian_at_most shift %s %s s0 a0 b0 %.0f).", c.a, c.b, end)
			f.linef("- unfold %s; interval.\n- unfold shift; interval.", unfold)
		}
		f.linef("- unfold %s; %s.\nQed.\n", unfold, integral)
	case !f.lower && x >= s*(1-1e-12) && (x > s*(1+1e-12) || f.eps.Cmp(n.shift) >= 0 && c.a == "1"):
		f.linef("apply nothing; [intros x; apply (lap_nothing shift %s %s s0 a0 b0) | lra].", c.a, c.b)
		if c.a == "1" {
			f.linef("replace (exp eps / 1) with (exp eps) by field. rewrite ln_exp. unfold shift, eps; lra.\nQed.\n")
		} else {
			f.linef("unfold shift, eps%s; interval.\nQed.\n", n.unfoldRate())
		}
	case math.Abs(x) < s*(1-1e-12):
		within := fmt.Sprintf("unfold %s; interval", unfold)
		if f.lower {
			f.linef("apply (laplace_above shift %s %s s0 ltac:(%s) ltac:(%s) (shift + 100)).", c.a, c.b, within, within)
			f.linef("- lra.")
		} else {
			f.linef("apply (laplace_at_most shift %s %s s0 a0 b0 ltac:(%s) ltac:(%s)).", c.a, c.b, within, within)
		}
		f.linef("- unfold %s; %s.\nQed.\n", unfold, integral)
	default:
		return false
	}
	return true
}

func (n sampledNoise) unfoldRate() string {
	if n.sampled() {
		return ", rate"
	}
	return ""
}

// says is the predicate of the claim: that a δ is at most a number, or above it.
func (f *coqFile) says() string { return map[bool]string{false: "at_most", true: "above"}[f.lower] }

// theorem states the claim in a direction; the direction add is counted from the other side.
func (f *coqFile) theorem(d mechanism.Direction, core string, n noise) {
	kind := f.says()
	if d == mechanism.Remove {
		f.linef("Theorem %s : %s (fun x => p x - exp eps * q x) %s.", d, kind, coq.Rational(f.delta))
		f.linef("Proof. apply %s_ext with (2 := %s). intros x; unfold %s, p, q; ring. Qed.\n", kind, core, n.difference)
		return
	}
	f.linef("Theorem %s : %s (fun x => q x - exp eps * p x) %s.", d, kind, coq.Rational(f.delta))
	f.linef("Proof.\napply (%s_reflected shift) with (2 := %s).", kind, core)
	f.linef("intros x; unfold %s, p, q. replace (shift - x - shift) with (- x) by ring. rewrite %s.", n.difference, n.even)
	f.linef("rewrite <- (%s (x - shift)). replace (- (x - shift)) with (shift - x) by ring. ring.\nQed.\n", n.even)
}
