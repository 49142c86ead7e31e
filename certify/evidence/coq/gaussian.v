(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Rényi divergences of Gaussian noise, exactly. *)

(** * What is stated *)

(** With densities p and q > 0, D_α is the logarithm of the integral of p^α·q^(1−α) over α − 1. As the integrand is not
    negative, the integral over the line is the least upper bound of those over intervals. *)
Definition power_term (alpha : R) (p q : R -> R) (x : R) : R := Rpower (p x) alpha * Rpower (q x) (1 - alpha).
Definition divergence_at_most (alpha : R) (p q : R -> R) (v : R) : Prop :=
  forall u w, u <= w -> exists I, is_RInt (power_term alpha p q) u w I /\ I <= exp ((alpha - 1) * v).
Definition divergence_above (alpha : R) (p q : R -> R) (v : R) : Prop :=
  exists u w I, u <= w /\ is_RInt (power_term alpha p q) u w I /\ exp ((alpha - 1) * v) < I.

(** ρ-zCDP: D_α ≤ ρ·α for all α > 1. *)
Definition concentrated (rho : R) (p q : R -> R) : Prop := forall alpha, 1 < alpha -> divergence_at_most alpha p q (rho * alpha).

(** * Gaussian noise *)

Section Divergence.
Variables (p q : R -> R) (a b : R).
Hypothesis is_p : forall x, p x = phi (x - a).
Hypothesis is_q : forall x, q x = phi (x - b).

Lemma log_phi y : ln (phi y) = - y ^ 2 / 2 - ln (sqrt (2 * PI)).
Proof.
assert (0 < sqrt (2 * PI)) by (apply sqrt_lt_R0; pose proof PI_RGT_0; lra).
unfold phi, Rdiv at 1. rewrite ln_mult, ln_exp, ln_Rinv; [reflexivity|assumption|apply exp_pos|now apply Rinv_0_lt_compat].
Qed.

(** The product of powers is the density of the same noise elsewhere, times the exponential of what D_α claims. *)
Lemma power_term_is alpha x : power_term alpha p q x
  = exp ((alpha - 1) * (alpha * (a - b) ^ 2 / 2)) * phi (x - (alpha * a + (1 - alpha) * b)).
Proof.
unfold power_term, Rpower. rewrite is_p, is_q, <- exp_plus, !log_phi.
rewrite <- (exp_ln (phi (x - (alpha * a + (1 - alpha) * b)))), log_phi, <- exp_plus by apply phi_pos. f_equal. field.
Qed.

Lemma power_integral alpha u w : is_RInt (power_term alpha p q) u w
  (exp ((alpha - 1) * (alpha * (a - b) ^ 2 / 2)) * RInt phi (u - (alpha * a + (1 - alpha) * b)) (w - (alpha * a + (1 - alpha) * b))).
Proof.
set (c := alpha * a + (1 - alpha) * b).
assert (i : is_RInt phi (u - c) (w - c) (RInt phi (u - c) (w - c))) by apply (RInt_correct (V := R_CompleteNormedModule)), ex_phi.
replace (u - c) with (1 * u + - c) in i at 1 by ring. replace (w - c) with (1 * w + - c) in i at 1 by ring.
apply (is_RInt_comp_lin (V := R_NormedModule) phi 1 (- c)) in i.
apply (is_RInt_scal (V := R_NormedModule) _ _ _ (exp ((alpha - 1) * (alpha * (a - b) ^ 2 / 2)))) in i.
apply is_RInt_ext with (2 := i). intros x _. rewrite power_term_is. fold c. unfold scal; simpl; unfold mult; simpl.
rewrite Rmult_1_l. replace (1 * x + - c) with (x - c) by ring. reflexivity.
Qed.

Theorem gaussian_divergence_at_most alpha v : 1 < alpha -> alpha * (a - b) ^ 2 / 2 <= v -> divergence_at_most alpha p q v.
Proof.
intros h le u w uw. eexists. split; [apply power_integral|].
apply Rle_trans with (exp ((alpha - 1) * (alpha * (a - b) ^ 2 / 2)) * 1).
- apply Rmult_le_compat_l; [left; apply exp_pos|]. apply phi_integral. lra.
- rewrite Rmult_1_r. apply (Rmult_le_compat_l (alpha - 1)) in le; [|lra].
  destruct le as [le | ->]; [left; now apply exp_increasing|right; reflexivity].
Qed.

Theorem gaussian_divergence_above alpha v : 1 < alpha -> v < alpha * (a - b) ^ 2 / 2 -> divergence_above alpha p q v.
Proof.
intros h lt. set (c := alpha * a + (1 - alpha) * b). set (s := alpha * (a - b) ^ 2 / 2) in *.
assert (less : exp ((alpha - 1) * v - (alpha - 1) * s) < 1).
{ apply Rlt_le_trans with (exp 0); [apply exp_increasing, Rlt_minus, Rmult_lt_compat_l; [lra|exact lt]|right; apply exp_0]. }
destruct (mass_near_1 _ less) as [T [T0 hT]]. exists (c - T), (c + T). eexists. split; [lra|]. split; [apply power_integral|].
fold c s. replace (c - T - c) with (- T) by ring. replace (c + T - c) with T by ring. fold (mass T).
replace ((alpha - 1) * v) with ((alpha - 1) * s + ((alpha - 1) * v - (alpha - 1) * s)) by ring. rewrite exp_plus.
apply Rmult_lt_compat_l; [apply exp_pos|exact hT].
Qed.

Theorem gaussian_zcdp rho : (a - b) ^ 2 / 2 <= rho -> concentrated rho p q.
Proof.
intros h alpha ha. apply gaussian_divergence_at_most; [exact ha|].
apply (Rmult_le_compat_r alpha) in h; [|lra]. replace (alpha * (a - b) ^ 2 / 2) with ((a - b) ^ 2 / 2 * alpha) by field. exact h.
Qed.

Theorem gaussian_not_zcdp rho : rho < (a - b) ^ 2 / 2 -> ~ concentrated rho p q.
Proof.
intros h c. destruct (gaussian_divergence_above 2 (rho * 2)) as (u & w & I & uw & i & l); [lra|lra|].
destruct (c 2 ltac:(lra) u w uw) as [J [j m]].
rewrite <- (is_RInt_unique _ _ _ _ i), (is_RInt_unique _ _ _ _ j) in l. lra.
Qed.
End Divergence.
