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

(** * The integral of the density is 1 *)

(** With A = ∫_0^T e^(−x²/2) and G = ∫_0^1 e^(−T²(1+t²)/2)/(1+t²), A² + 2G has the derivative 0 in T, and is π/2 at 0. *)
Definition bell (x : R) : R := exp (- x ^ 2 / 2).
Definition area (T : R) : R := RInt bell 0 T.
Definition other (T t : R) : R := exp (- T ^ 2 * (1 + t ^ 2) / 2) / (1 + t ^ 2).
Definition rest (T : R) : R := RInt (other T) 0 1.

Lemma one_square t : 0 < 1 + t ^ 2.
Proof. pose proof (pow2_ge_0 t). lra. Qed.

Lemma continuous_bell x : continuous bell x.
Proof. apply (ex_derive_continuous (V := R_NormedModule)). unfold bell. auto_derive. trivial. Qed.

Lemma ex_bell a b : ex_RInt bell a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply continuous_bell. Qed.

Lemma area_derive T : is_derive area T (bell T).
Proof.
apply (is_derive_RInt bell area 0).
- exists (mkposreal 1 Rlt_0_1). intros y _. apply (RInt_correct (V := R_CompleteNormedModule)), ex_bell.
- apply continuous_bell.
Qed.

Lemma other_derive T t : is_derive (fun u => other u t) T (- T * exp (- T ^ 2 * (1 + t ^ 2) / 2)).
Proof.
pose proof (one_square t). unfold other. auto_derive; [simpl in *; lra|].
replace (- (T * (T * 1)) * (1 + t * (t * 1)) * / 2) with (- T ^ 2 * (1 + t ^ 2) / 2) by field.
field. simpl in *; lra.
Qed.

Lemma continuous_other T t : continuous (other T) t.
Proof.
apply (ex_derive_continuous (V := R_NormedModule)). pose proof (one_square t). unfold other. auto_derive. simpl in *; lra.
Qed.

Lemma ex_other T a b : ex_RInt (other T) a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply continuous_other. Qed.

Lemma continuity_slope T t : continuity_2d_pt (fun u v => - u * exp (- u ^ 2 * (1 + v ^ 2) / 2)) T t.
Proof.
apply continuity_2d_pt_mult.
- apply continuity_2d_pt_opp, continuity_2d_pt_id1.
- apply (continuity_1d_2d_pt_comp exp (fun u v => - u ^ 2 * (1 + v ^ 2) / 2)).
  + apply derivable_continuous_pt, derivable_pt_exp.
  + apply (continuity_2d_pt_ext (fun u v => (- (u * u) * (1 + v * v)) * / 2)).
    { intros u v. simpl. unfold Rdiv. ring. }
    repeat first [apply continuity_2d_pt_mult | apply continuity_2d_pt_plus | apply continuity_2d_pt_opp | apply continuity_2d_pt_id1 | apply continuity_2d_pt_id2 | apply continuity_2d_pt_const].
Qed.

Lemma rest_derive T : is_derive rest T (- bell T * area T).
Proof.
assert (d : is_derive rest T (RInt (fun t => Derive (fun u => other u t) T) 0 1)).
{ apply is_derive_RInt_param.
  - exists (mkposreal 1 Rlt_0_1). intros y _ t _. eexists. apply other_derive.
  - intros t _. apply (continuity_2d_pt_ext (fun u v => - u * exp (- u ^ 2 * (1 + v ^ 2) / 2))).
    + intros u v. symmetry. apply is_derive_unique, other_derive.
    + apply continuity_slope.
  - exists (mkposreal 1 Rlt_0_1). intros y _. apply ex_other. }
replace (- bell T * area T) with (RInt (fun t => Derive (fun u => other u t) T) 0 1); [exact d|].
assert (i : is_RInt bell (T * 0 + 0) (T * 1 + 0) (area T)).
{ rewrite Rmult_0_r, Rmult_1_r, !Rplus_0_r. apply (RInt_correct (V := R_CompleteNormedModule)), ex_bell. }
apply (is_RInt_comp_lin (V := R_NormedModule) bell T 0 0 1) in i. apply (is_RInt_scal (V := R_NormedModule) _ 0 1 (- bell T)) in i.
apply is_RInt_unique. apply is_RInt_ext with (2 := i).
intros t _. symmetry. transitivity (- T * exp (- T ^ 2 * (1 + t ^ 2) / 2)); [apply is_derive_unique, other_derive|].
unfold bell, scal; simpl; unfold mult; simpl.
replace (- (T * (T * 1)) * (1 + t * (t * 1)) / 2) with (- (T * (T * 1)) / 2 + - ((T * t + 0) * ((T * t + 0) * 1)) / 2) by field.
rewrite exp_plus. ring.
Qed.

Theorem area_square T : 0 <= T -> area T ^ 2 + 2 * rest T = PI / 2.
Proof.
intros hT.
assert (d : forall t, is_derive (fun t => area t ^ 2 + 2 * rest t) t zero).
{ intros t. assert (h : is_derive (fun t => area t ^ 2 + 2 * rest t) t (2 * area t * bell t + 2 * (- bell t * area t))).
  { apply (is_derive_plus (V := R_NormedModule)).
    - replace (2 * area t * bell t) with (INR 2 * bell t * area t ^ 1) by (simpl; ring). apply (is_derive_pow area 2 t), area_derive.
    - apply (is_derive_scal rest t 2), rest_derive. }
  replace (2 * area t * bell t + 2 * (- bell t * area t)) with (@zero R_NormedModule) in h; [exact h|].
  change (0 = 2 * area t * bell t + 2 * (- bell t * area t)). ring. }
assert (z : area 0 ^ 2 + 2 * rest 0 = PI / 2).
{ unfold area, rest. rewrite RInt_point. rewrite (RInt_ext _ (fun t => / (1 + t ^ 2))).
  2: { intros t _. unfold other. replace (- 0 ^ 2 * (1 + t ^ 2) / 2) with 0 by field. rewrite exp_0. unfold Rdiv. apply Rmult_1_l. }
  assert (i : is_RInt (fun t => / (1 + t ^ 2)) 0 1 (atan 1 - atan 0)).
  { apply (is_RInt_derive atan).
    - intros x _. replace (x ^ 2) with (Rsqr x) by (unfold Rsqr; ring). apply is_derive_atan.
    - intros x _. apply (ex_derive_continuous (V := R_NormedModule)). pose proof (one_square x). auto_derive. simpl in *; lra. }
  rewrite (is_RInt_unique _ _ _ _ i), atan_1, atan_0. unfold zero; simpl. field. }
destruct hT as [hT| <-]; [|exact z].
rewrite <- z. symmetry. apply (eq_is_derive (fun t => area t ^ 2 + 2 * rest t) 0 T); [intros t _; apply d|exact hT].
Qed.

Lemma rest_ge0 T : 0 <= rest T.
Proof.
apply RInt_ge_0; [lra|apply ex_other|]. intros t _. unfold other. apply Rlt_le, Rdiv_lt_0_compat; [apply exp_pos|apply one_square].
Qed.

Lemma rest_le T : 2 * rest T <= PI / 2 * exp (- T ^ 2 / 2).
Proof.
assert (i : is_RInt (fun t => exp (- T ^ 2 / 2) * / (1 + t ^ 2)) 0 1 (exp (- T ^ 2 / 2) * (atan 1 - atan 0))).
{ apply (is_RInt_scal (V := R_NormedModule) (fun t => / (1 + t ^ 2))). apply (is_RInt_derive atan).
  - intros x _. replace (x ^ 2) with (Rsqr x) by (unfold Rsqr; ring). apply is_derive_atan.
  - intros x _. apply (ex_derive_continuous (V := R_NormedModule)). pose proof (one_square x). auto_derive. simpl in *; lra. }
assert (le : rest T <= exp (- T ^ 2 / 2) * (atan 1 - atan 0)).
{ rewrite <- (is_RInt_unique _ _ _ _ i). apply RInt_le; [lra|apply ex_other|eexists; exact i|].
  intros t _. unfold other, Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, one_square|].
  pose proof (pow2_ge_0 T). pose proof (pow2_ge_0 t). assert (0 <= T ^ 2 * t ^ 2) by now apply Rmult_le_pos.
  assert (m : - T ^ 2 * (1 + t ^ 2) * / 2 <= - T ^ 2 * / 2) by lra.
  destruct m as [m | ->]; [left; now apply exp_increasing|right; reflexivity]. }
rewrite atan_1, atan_0 in le. lra.
Qed.

Lemma bell_even T : RInt bell (- T) 0 = area T.
Proof.
unfold area. assert (i : is_RInt bell 0 T (RInt bell 0 T)) by apply (RInt_correct (V := R_CompleteNormedModule)), ex_bell.
apply is_RInt_unique. replace 0 with (0 - 0) in i at 1 by ring. replace T with (0 - - T) in i at 1 by ring.
apply (reflected_integral bell 0 (- T) 0) in i. apply is_RInt_ext with (2 := i). intros x _. unfold bell. f_equal. simpl. field.
Qed.

Definition mass (T : R) : R := RInt phi (- T) T.

Lemma ex_phi u w : ex_RInt phi u w.
Proof.
apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros x _.
apply (continuous_ext (fun x => phi (x - 0))); [intros; f_equal; ring|apply continuous_phi].
Qed.

Lemma mass_is T : mass T = 2 * area T / sqrt (2 * PI).
Proof.
assert (i : is_RInt bell (- T) T (area T + area T)).
{ apply (is_RInt_Chasles (V := R_NormedModule)) with 0.
  - rewrite <- bell_even. apply (RInt_correct (V := R_CompleteNormedModule)), ex_bell.
  - apply (RInt_correct (V := R_CompleteNormedModule)), ex_bell. }
apply (is_RInt_scal (V := R_NormedModule) _ _ _ (/ sqrt (2 * PI))) in i.
unfold mass. replace (2 * area T / sqrt (2 * PI)) with (scal (/ sqrt (2 * PI)) (area T + area T)).
2: { unfold scal; simpl; unfold mult; simpl. field. exact root. }
apply is_RInt_unique. apply is_RInt_ext with (2 := i). intros x _. unfold phi, bell, scal; simpl; unfold mult; simpl. unfold Rdiv. ring.
Qed.

Lemma area_ge0 T : 0 <= T -> 0 <= area T.
Proof. intros h. apply RInt_ge_0; [exact h|apply ex_bell|]. intros x _. left. apply exp_pos. Qed.

Lemma mass_ge0 T : 0 <= T -> 0 <= mass T.
Proof.
intros h. rewrite mass_is. apply Rmult_le_pos; [pose proof (area_ge0 T h); lra|].
left. apply Rinv_0_lt_compat, sqrt_lt_R0. pose proof PI_RGT_0. lra.
Qed.

Lemma mass_square T : mass T ^ 2 = area T ^ 2 * (2 / PI).
Proof.
rewrite mass_is. unfold Rdiv. rewrite Rpow_mult_distr, pow_inv, pow2_sqrt.
- field. apply PI_neq0.
- pose proof PI_RGT_0. lra.
Qed.

Lemma mass_le_1 T : 0 <= T -> mass T <= 1.
Proof.
intros h. pose proof (mass_ge0 T h). pose proof (area_square T h). pose proof (rest_ge0 T). pose proof PI_RGT_0 as pi0.
assert (s : mass T ^ 2 <= 1).
{ rewrite mass_square. replace 1 with (PI / 2 * (2 / PI)) by (field; apply PI_neq0).
  apply Rmult_le_compat_r; [apply Rlt_le, Rdiv_lt_0_compat; lra|lra]. }
nra.
Qed.

Lemma mass_near_1 c : c < 1 -> exists T, 0 <= T /\ c < mass T.
Proof.
intros hc. destruct (Rlt_dec c 0) as [neg|pos].
{ exists 0. split; [lra|]. unfold mass. rewrite Ropp_0, RInt_point. exact neg. }
assert (d0 : 0 < 1 - c ^ 2) by nra. assert (d1 : 1 - c ^ 2 <= 1) by (pose proof (pow2_ge_0 c); lra).
set (T := 2 / (1 - c ^ 2)). assert (T0 : 0 < T) by (apply Rdiv_lt_0_compat; lra).
exists T. split; [lra|]. pose proof (mass_ge0 T ltac:(lra)) as m0. pose proof (area_square T ltac:(lra)) as e. pose proof (rest_le T) as r.
pose proof PI_RGT_0 as pi0.
assert (small : exp (- T ^ 2 / 2) < 1 - c ^ 2).
{ replace (- T ^ 2 / 2) with (- (T ^ 2 / 2)) by field. rewrite exp_Ropp.
  assert (big : 1 / (1 - c ^ 2) < exp (T ^ 2 / 2)).
  { apply Rlt_le_trans with (1 + T ^ 2 / 2); [|apply exp_ineq1_le].
    assert (1 / (1 - c ^ 2) = T / 2) as -> by (unfold T; field; lra).
    assert (2 <= T). { unfold T. apply (Rmult_le_reg_r (1 - c ^ 2)); [exact d0|]. replace (2 / (1 - c ^ 2) * (1 - c ^ 2)) with 2 by (field; lra). lra. }
    nra. }
  rewrite <- (Rinv_involutive (1 - c ^ 2)) by lra. apply Rinv_lt_contravar.
  - apply Rmult_lt_0_compat; [now apply Rinv_0_lt_compat|apply exp_pos].
  - unfold Rdiv in big. rewrite Rmult_1_l in big. exact big. }
assert (s : c ^ 2 < mass T ^ 2).
{ rewrite mass_square. apply Rlt_le_trans with ((PI / 2 * (1 - exp (- T ^ 2 / 2))) * (2 / PI)).
  - replace (PI / 2 * (1 - exp (- T ^ 2 / 2)) * (2 / PI)) with (1 - exp (- T ^ 2 / 2)) by (field; apply PI_neq0). lra.
  - apply Rmult_le_compat_r; [apply Rlt_le, Rdiv_lt_0_compat; lra|lra]. }
nra.
Qed.

Lemma phi_integral u w : u <= w -> RInt phi u w <= 1.
Proof.
intros uw. set (T := Rmax (Rabs u) (Rabs w)).
assert (T0 : 0 <= T) by (apply Rle_trans with (2 := Rmax_l _ _); apply Rabs_pos).
assert (- T <= u /\ w <= T).
{ pose proof (Rmax_l (Rabs u) (Rabs w) : Rabs u <= T). pose proof (Rmax_r (Rabs u) (Rabs w) : Rabs w <= T).
  pose proof (Rle_abs w). pose proof (Rle_abs (- u)) as n. rewrite Rabs_Ropp in n. lra. }
assert (ch : forall a b c, RInt phi a c = RInt phi a b + RInt phi b c).
{ intros a b c. symmetry. apply (RInt_Chasles (V := R_CompleteNormedModule)); apply ex_phi. }
assert (nn : forall a b, a <= b -> 0 <= RInt phi a b).
{ intros a b ab. apply RInt_ge_0; [exact ab|apply ex_phi|]. intros x _. left. apply phi_pos. }
apply Rle_trans with (2 := mass_le_1 T T0). unfold mass. rewrite (ch (- T) u T), (ch u w T).
pose proof (nn (- T) u ltac:(lra)). pose proof (nn w T ltac:(lra)). lra.
Qed.

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
