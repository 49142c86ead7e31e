(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** One pair of Gaussian or Laplace noise, or a Poisson sample of it, in closed form. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Local Open Scope R_scope.

(** * What is stated *)

(** With densities p and q, δ(ε) is the integral of max(0, p − e^ε·q): the greatest P(S) − e^ε·Q(S) over all
    sets S. As the integrand is not negative, that is the least upper bound of its integrals over intervals. *)
Definition at_most (f : R -> R) (d : R) : Prop :=
  forall u v, u <= v -> exists I, is_RInt (fun x => Rmax 0 (f x)) u v I /\ I <= d.
Definition above (f : R -> R) (d : R) : Prop :=
  exists u v I, u <= v /\ is_RInt (fun x => Rmax 0 (f x)) u v I /\ d < I.

(** The density of standard normal noise. *)
Definition phi (x : R) : R := exp (- x ^ 2 / 2) / sqrt (2 * PI).

(** The density of Laplace noise of scale 1. *)
Definition lap (x : R) : R := exp (- Rabs x) / 2.

(** The same with a mass w of outcomes under P that Q does not have, beside those above c. *)
Definition at_most_above (c w : R) (f : R -> R) (d : R) : Prop :=
  forall v, c <= v -> exists I, is_RInt (fun x => Rmax 0 (f x)) c v I /\ w + I <= d.
Definition above_above (c w : R) (f : R -> R) (d : R) : Prop :=
  exists v I, c <= v /\ is_RInt (fun x => Rmax 0 (f x)) c v I /\ d < w + I.

(** * Other forms of a function *)

Lemma at_most_ext f g d : (forall x, f x = g x) -> at_most f d -> at_most g d.
Proof.
intros e h u v uv. destruct (h u v uv) as [I [i l]]. exists I. split; [|exact l].
apply is_RInt_ext with (2 := i). intros; now rewrite e.
Qed.

Lemma above_ext f g d : (forall x, f x = g x) -> above f d -> above g d.
Proof.
intros e (u & v & I & uv & i & l). exists u, v, I. split; [exact uv|split; [|exact l]].
apply is_RInt_ext with (2 := i). intros; now rewrite e.
Qed.

Lemma reflected_integral (f : R -> R) c u v I : is_RInt f (c - v) (c - u) I -> is_RInt (fun x => f (c - x)) u v I.
Proof.
intros i. apply is_RInt_swap in i.
replace (c - u) with (-1 * u + c) in i by ring. replace (c - v) with (-1 * v + c) in i by ring.
generalize (is_RInt_opp _ _ _ _ (is_RInt_comp_lin f (-1) c u v _ i)). intros j.
replace I with (opp (opp I)) by apply opp_opp.
apply is_RInt_ext with (2 := j). intros x _. unfold opp, scal; simpl. unfold mult; simpl.
replace (-1 * x + c) with (c - x) by ring. ring.
Qed.

(** The outcomes may be counted from the other side. *)
Lemma at_most_reflected c f g d : (forall x, f (c - x) = g x) -> at_most f d -> at_most g d.
Proof.
intros e h u v uv. destruct (h (c - v) (c - u)) as [I [i l]]; [lra|]. exists I. split; [|exact l].
apply reflected_integral in i. apply is_RInt_ext with (2 := i). intros; simpl; now rewrite e.
Qed.

Lemma above_reflected c f g d : (forall x, f (c - x) = g x) -> above f d -> above g d.
Proof.
intros e (u & v & I & uv & i & l). exists (c - v), (c - u), I. split; [lra|split; [|exact l]].
replace u with (c - (c - u)) in i by ring. replace v with (c - (c - v)) in i by ring.
apply reflected_integral in i. apply is_RInt_ext with (2 := i). intros; simpl; now rewrite e.
Qed.

(** Where no outcome is more likely under P than e^ε times under Q, δ is 0. *)
Lemma nothing f d : (forall x, f x <= 0) -> 0 <= d -> at_most f d.
Proof.
intros h d0 u v uv. exists 0. split; [|exact d0].
apply is_RInt_ext with (fun _ => 0).
- intros x _. symmetry. apply Rmax_left, h.
- assert (j : is_RInt (fun _ => 0) u v (scal (v - u) 0)) by apply (is_RInt_const (V := R_NormedModule)).
  replace (scal (v - u) 0) with 0 in j; [exact j|]. unfold scal; simpl; unfold mult; simpl; ring.
Qed.

(** So it is where e^ε times the density that they share is already above it. *)
Lemma negative (k : R -> R) s a b x : (forall y, 0 < k y) -> a <= 0 -> 0 <= b -> a * k (x - s) - b * k x <= 0.
Proof. intros h ha hb. pose proof (h x). pose proof (h (x - s)). nra. Qed.

Lemma at_most_beyond c w f d : at_most f (d - w) -> at_most_above c w f d.
Proof. intros h v cv. destruct (h c v cv) as [I [i l]]. exists I. split; [exact i|lra]. Qed.

Lemma above_beyond c w f d : d < w -> above_above c w f d.
Proof.
intros h. exists c, 0. split; [lra|]. split; [|lra]. apply (is_RInt_point (V := R_NormedModule)).
Qed.

(** * One sign from a point on *)

Section Positive.
Variables (f g : R -> R) (t B e : R).
Hypothesis cf : forall x, continuous f x.
Hypothesis cg : forall x, continuous g x.
Hypothesis below : forall x, x <= t -> f x <= 0.
Hypothesis same : forall x, t <= x <= B -> f x = g x.

Lemma pos_abs x : Rmax 0 (f x) = / 2 * (f x + Rabs (f x)).
Proof. unfold Rmax, Rabs; destruct (Rle_dec 0 (f x)), (Rcase_abs (f x)); lra. Qed.

Lemma continuous_pos x : continuous (fun x => Rmax 0 (f x)) x.
Proof.
apply (continuous_ext (fun x => mult (/ 2) (plus (f x) (Rabs (f x))))).
- intros y; symmetry; apply pos_abs.
- apply (continuous_mult (K := R_AbsRing)); [apply continuous_const|].
  apply (continuous_plus (V := R_NormedModule)); [apply cf|].
  apply (continuous_comp f Rabs); [apply cf|apply continuous_Rabs].
Qed.

Lemma ex_pos u v : ex_RInt (fun x => Rmax 0 (f x)) u v.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply continuous_pos. Qed.

Theorem lower d : t <= B -> d < RInt g t B -> above f d.
Proof.
intros tB h. exists t, B, (RInt (fun x => Rmax 0 (f x)) t B). split; [exact tB|]. split.
- apply (RInt_correct (V := R_CompleteNormedModule)), ex_pos.
- apply Rlt_le_trans with (1 := h).
  apply RInt_le; [exact tB| |apply ex_pos|].
  + apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply cg.
  + intros x hx. rewrite <- same by lra. apply Rmax_r.
Qed.

Theorem upper d : t <= B ->
  (forall x, t <= x <= B -> 0 <= g x) ->
  (forall v, B <= v -> RInt (fun x => Rmax 0 (f x)) B v <= e) ->
  RInt g t B + e <= d -> at_most f d.
Proof.
intros tB g0 tail h u v uv. exists (RInt (fun x => Rmax 0 (f x)) u v). split.
{ apply (RInt_correct (V := R_CompleteNormedModule)), ex_pos. }
set (u' := Rmin u t). set (v' := Rmax v B).
assert (u' <= u) by apply Rmin_l. assert (u' <= t) by apply Rmin_r.
assert (v <= v') by apply Rmax_l. assert (B <= v') by apply Rmax_r.
assert (p0 : forall x, 0 <= Rmax 0 (f x)) by (intros; apply Rmax_l).
assert (nn : forall a b, a <= b -> 0 <= RInt (fun x => Rmax 0 (f x)) a b).
{ intros a b ab. apply RInt_ge_0; [exact ab|apply ex_pos|intros; apply p0]. }
assert (ch : forall a b c, RInt (fun x => Rmax 0 (f x)) a c = RInt (fun x => Rmax 0 (f x)) a b + RInt (fun x => Rmax 0 (f x)) b c).
{ intros a b c. symmetry. apply (RInt_Chasles (V := R_CompleteNormedModule)); apply ex_pos. }
assert (wide : RInt (fun x => Rmax 0 (f x)) u v <= RInt (fun x => Rmax 0 (f x)) u' v').
{ rewrite (ch u' u v'), (ch u v v'). pose proof (nn u' u). pose proof (nn v v'). lra. }
apply Rle_trans with (1 := wide). rewrite (ch u' t v'), (ch t B v').
assert (RInt (fun x => Rmax 0 (f x)) u' t = 0) as ->.
{ rewrite (RInt_ext _ (fun _ => 0)).
  - rewrite RInt_const. unfold scal; simpl; unfold mult; simpl; ring.
  - intros x. rewrite Rmin_left, Rmax_right by lra. intros hx. apply Rmax_left, below. lra. }
assert (RInt (fun x => Rmax 0 (f x)) t B = RInt g t B) as ->.
{ apply RInt_ext. intros x. rewrite Rmin_left, Rmax_right by lra. intros hx.
  rewrite same by lra. apply Rmax_right, g0. lra. }
pose proof (tail v'). lra.
Qed.
End Positive.

(** * Gaussian noise *)

Section Gaussian.
Variables m a b : R.
Hypothesis m0 : 0 < m.
Hypothesis a0 : 0 < a.
Hypothesis b0 : 0 < b.

Definition difference (x : R) : R := a * phi (x - m) - b * phi x.
Definition threshold : R := (ln (b / a) + m ^ 2 / 2) / m.

Lemma phi_pos x : 0 < phi x.
Proof.
unfold phi. apply Rdiv_lt_0_compat; [apply exp_pos|]. apply sqrt_lt_R0. pose proof PI_RGT_0. lra.
Qed.

Lemma phi_shift x : phi (x - m) = phi x * exp (m * x - m ^ 2 / 2).
Proof.
unfold phi. unfold Rdiv at 1 3. rewrite Rmult_assoc, (Rmult_comm (/ sqrt (2 * PI))), <- Rmult_assoc, <- exp_plus.
f_equal. f_equal. field.
Qed.

Lemma difference_sign x : difference x = phi x * b * (exp (m * (x - threshold)) - 1).
Proof.
unfold difference. rewrite phi_shift.
assert (m * x - m ^ 2 / 2 = m * (x - threshold) + ln (b / a)) as -> by (unfold threshold; field; lra).
rewrite exp_plus, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.

Lemma difference_below x : x <= threshold -> difference x <= 0.
Proof.
intros h. rewrite difference_sign.
assert (exp (m * (x - threshold)) <= 1).
{ rewrite <- exp_0. assert (l : m * (x - threshold) <= 0) by (assert (0 <= m * (threshold - x)) by (apply Rmult_le_pos; lra); lra).
  destruct l as [l | ->]; [left; now apply exp_increasing|right; reflexivity]. }
pose proof (phi_pos x). assert (0 < phi x * b) by (apply Rmult_lt_0_compat; lra). nra.
Qed.

Lemma difference_from x : threshold <= x -> 0 <= difference x.
Proof.
intros h. rewrite difference_sign.
assert (1 <= exp (m * (x - threshold))).
{ rewrite <- exp_0. assert (l : 0 <= m * (x - threshold)) by (apply Rmult_le_pos; lra).
  destruct l as [l | <-]; [left; now apply exp_increasing|right; reflexivity]. }
pose proof (phi_pos x). apply Rmult_le_pos; [apply Rlt_le, Rmult_lt_0_compat; lra|lra].
Qed.

Lemma root : sqrt (2 * PI) <> 0.
Proof. apply Rgt_not_eq, sqrt_lt_R0. pose proof PI_RGT_0. lra. Qed.

Lemma continuous_phi s x : continuous (fun x => phi (x - s)) x.
Proof.
apply (ex_derive_continuous (V := R_NormedModule)). unfold phi. auto_derive.
(try exact root); repeat split; exact root || trivial.
Qed.

Lemma continuous_difference x : continuous difference x.
Proof.
unfold difference. apply (continuous_minus (V := R_NormedModule)).
- apply (continuous_mult (K := R_AbsRing)); [apply continuous_const|apply continuous_phi].
- apply (continuous_mult (K := R_AbsRing)); [apply continuous_const|].
  apply (continuous_ext (fun x => phi (x - 0))); [intros; f_equal; ring|apply continuous_phi].
Qed.

(** P(N > s) ≤ φ(s) for s ≥ 1, as x·φ(x) is minus the derivative of φ. *)
Lemma difference_tail B v : m + 1 <= B -> B <= v ->
  RInt (fun x => Rmax 0 (difference x)) B v <= a * phi (B - m).
Proof.
intros hB hv.
assert (i : is_RInt (fun x => a * ((x - m) * phi (x - m))) B v (- a * phi (v - m) - - a * phi (B - m))).
{ apply (is_RInt_derive (fun x => - a * phi (x - m))).
  - intros x _. unfold phi. auto_derive.
    + (try exact root); repeat split; exact root || trivial.
    + replace (- ((x + - m) * ((x + - m) * 1)) * / 2) with (- (x - m) ^ 2 / 2) by field.
      field. exact root.
  - intros x _. apply (continuous_mult (K := R_AbsRing)); [apply continuous_const|].
    apply (continuous_mult (K := R_AbsRing)); [|apply continuous_phi].
    apply (continuous_minus (V := R_NormedModule)); [apply continuous_id|apply continuous_const]. }
apply Rle_trans with (RInt (fun x => a * ((x - m) * phi (x - m))) B v).
- apply RInt_le; [exact hv| |eexists; exact i|].
  + apply ex_pos. exact continuous_difference.
  + intros x hx. unfold difference.
    assert (0 < b * phi x) by (apply Rmult_lt_0_compat; [lra|apply phi_pos]).
    assert (p : 0 < a * phi (x - m)) by (apply Rmult_lt_0_compat; [lra|apply phi_pos]).
    assert (a * phi (x - m) <= (x - m) * (a * phi (x - m))).
    { rewrite <- (Rmult_1_l (a * phi (x - m))) at 1. apply Rmult_le_compat_r; lra. }
    apply Rmax_lub; lra.
- rewrite (is_RInt_unique _ _ _ _ i).
  assert (0 < a * phi (v - m)) by (apply Rmult_lt_0_compat; [lra|apply phi_pos]). lra.
Qed.

Theorem gaussian_at_most B d : threshold <= B -> m + 1 <= B ->
  RInt difference threshold B + a * phi (B - m) <= d -> at_most difference d.
Proof.
intros h1 h2 h3. apply (upper difference difference threshold B (a * phi (B - m))); try assumption; try reflexivity.
- exact continuous_difference.
- exact difference_below.
- intros x hx. apply difference_from. lra.
- intros v hv. now apply difference_tail.
Qed.

Theorem gaussian_above B d : threshold <= B -> d < RInt difference threshold B -> above difference d.
Proof.
intros h1 h2. apply (lower difference difference threshold B); try assumption; try reflexivity; exact continuous_difference.
Qed.
End Gaussian.

Lemma phi_even x : phi (- x) = phi x.
Proof. unfold phi. f_equal. f_equal. field. Qed.

(** * Laplace noise *)

Section Laplace.
Variables s a b : R.
Hypothesis s0 : 0 < s.
Hypothesis a0 : 0 < a.
Hypothesis b0 : 0 < b.

Definition difference_lap (x : R) : R := a * lap (x - s) - b * lap x.
Definition threshold_lap : R := (ln (b / a) + s) / 2.
Definition between (x : R) : R := (a * exp (x - s) - b * exp (- x)) / 2.

Lemma lap_pos x : 0 < lap x.
Proof. unfold lap. pose proof (exp_pos (- Rabs x)). lra. Qed.

Lemma continuous_lap c x : continuous (fun x => lap (x - c)) x.
Proof.
unfold lap. apply (continuous_mult (K := R_AbsRing)); [|apply continuous_const].
apply (continuous_comp (fun x => - Rabs (x - c)) exp).
- apply (continuous_opp (V := R_NormedModule)).
  apply (continuous_comp (fun x => x - c) Rabs); [|apply continuous_Rabs].
  apply (continuous_minus (V := R_NormedModule)); [apply continuous_id|apply continuous_const].
- apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. trivial.
Qed.

Lemma continuous_difference_lap x : continuous difference_lap x.
Proof.
unfold difference_lap. apply (continuous_minus (V := R_NormedModule)).
- apply (continuous_mult (K := R_AbsRing)); [apply continuous_const|apply continuous_lap].
- apply (continuous_mult (K := R_AbsRing)); [apply continuous_const|].
  apply (continuous_ext (fun x => lap (x - 0))); [intros; f_equal; ring|apply continuous_lap].
Qed.

Lemma continuous_between x : continuous between x.
Proof. apply (ex_derive_continuous (V := R_NormedModule)). unfold between. auto_derive. trivial. Qed.

(** a·e^y against b·e^z, by their logarithms. *)
Lemma compare y z : y - z <= ln (b / a) -> a * exp y <= b * exp z.
Proof.
intros h. assert (exp (y - z) <= b / a).
{ rewrite <- (exp_ln (b / a)) by (apply Rdiv_lt_0_compat; lra).
  destruct h as [h | ->]; [left; now apply exp_increasing|right; reflexivity]. }
replace (exp y) with (exp (y - z) * exp z) by (rewrite <- exp_plus; f_equal; ring).
pose proof (exp_pos z). rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|].
apply (Rmult_le_compat_l a) in H; [|lra]. replace (a * (b / a)) with b in H by (field; lra). exact H.
Qed.

Lemma compare_from y z : ln (b / a) <= y - z -> b * exp z <= a * exp y.
Proof.
intros h. assert (b / a <= exp (y - z)).
{ rewrite <- (exp_ln (b / a)) by (apply Rdiv_lt_0_compat; lra).
  destruct h as [h | ->]; [left; now apply exp_increasing|right; reflexivity]. }
replace (exp y) with (exp (y - z) * exp z) by (rewrite <- exp_plus; f_equal; ring).
pose proof (exp_pos z). rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|].
apply (Rmult_le_compat_l a) in H; [|lra]. replace (a * (b / a)) with b in H by (field; lra). exact H.
Qed.

Lemma lap_nothing x : s <= ln (b / a) -> difference_lap x <= 0.
Proof.
intros h. unfold difference_lap, lap.
assert (a * exp (- Rabs (x - s)) <= b * exp (- Rabs x)); [|lra].
apply compare. unfold Rabs; destruct (Rcase_abs x), (Rcase_abs (x - s)); lra.
Qed.

Hypothesis low : - s <= ln (b / a).
Hypothesis high : ln (b / a) <= s.

Lemma lap_below x : x <= threshold_lap -> difference_lap x <= 0.
Proof.
unfold threshold_lap. intros h. unfold difference_lap, lap.
assert (a * exp (- Rabs (x - s)) <= b * exp (- Rabs x)); [|lra].
apply compare. unfold Rabs; destruct (Rcase_abs x), (Rcase_abs (x - s)); lra.
Qed.

Lemma lap_between x : threshold_lap <= x <= s -> difference_lap x = between x.
Proof.
unfold threshold_lap. intros h. unfold difference_lap, lap, between.
rewrite (Rabs_right x), (Rabs_left1 (x - s)) by lra. rewrite Ropp_involutive. field.
Qed.

Lemma lap_from x : threshold_lap <= x <= s -> 0 <= between x.
Proof.
unfold threshold_lap. intros h. unfold between.
assert (b * exp (- x) <= a * exp (x - s)); [|lra]. apply compare_from. lra.
Qed.

Lemma lap_tail v : s <= v -> RInt (fun x => Rmax 0 (difference_lap x)) s v <= (a - b * exp (- s)) / 2.
Proof.
intros hv. set (c := a * exp s - b).
assert (c0 : 0 <= c).
{ unfold c. pose proof (compare_from s 0). rewrite exp_0 in H. lra. }
assert (i : is_RInt (fun x => c * exp (- x) / 2) s v (- c * exp (- v) / 2 - - c * exp (- s) / 2)).
{ apply (is_RInt_derive (fun x => - c * exp (- x) / 2)).
  - intros x _. auto_derive; [trivial|field].
  - intros x _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. trivial. }
rewrite (RInt_ext _ (fun x => c * exp (- x) / 2)).
- rewrite (is_RInt_unique _ _ _ _ i). pose proof (exp_pos (- v)).
  assert (0 <= c * exp (- v)) by (apply Rmult_le_pos; lra).
  assert (c * exp (- s) = a - b * exp (- s)); [|lra].
  unfold c. rewrite Rmult_minus_distr_r, Rmult_assoc, <- exp_plus. replace (s + - s) with 0 by ring. rewrite exp_0. ring.
- intros x. rewrite Rmin_left, Rmax_right by lra. intros hx. unfold difference_lap, lap.
  rewrite (Rabs_right x), (Rabs_right (x - s)) by lra.
  replace (a * (exp (- (x - s)) / 2) - b * (exp (- x) / 2)) with (c * exp (- x) / 2).
  + apply Rmax_right. pose proof (exp_pos (- x)). assert (0 <= c * exp (- x)) by (apply Rmult_le_pos; lra). lra.
  + unfold c. replace (- (x - s)) with (s + - x) by ring. rewrite exp_plus. field.
Qed.

Theorem laplace_at_most d : RInt between threshold_lap s + (a - b * exp (- s)) / 2 <= d -> at_most difference_lap d.
Proof.
intros h. apply (upper difference_lap between threshold_lap s ((a - b * exp (- s)) / 2)); try assumption.
- exact continuous_difference_lap.
- exact lap_below.
- exact lap_between.
- unfold threshold_lap; lra.
- exact lap_from.
- intros v hv. now apply lap_tail.
Qed.

Theorem laplace_above B d : s <= B ->
  d < RInt between threshold_lap s + (a * exp s - b) * (exp (- s) - exp (- B)) / 2 -> above difference_lap d.
Proof.
intros hB h. exists threshold_lap, B, (RInt (fun x => Rmax 0 (difference_lap x)) threshold_lap B).
split; [unfold threshold_lap; lra|]. split.
{ apply (RInt_correct (V := R_CompleteNormedModule)), ex_pos, continuous_difference_lap. }
apply Rlt_le_trans with (1 := h).
rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) (fun x => Rmax 0 (difference_lap x)) threshold_lap s B) by (apply ex_pos, continuous_difference_lap).
apply Rplus_le_compat.
- apply RInt_le; [unfold threshold_lap; lra| |apply ex_pos, continuous_difference_lap|].
  + apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply continuous_between.
  + intros x hx. rewrite <- lap_between by lra. apply Rmax_r.
- set (c := a * exp s - b).
  assert (i : is_RInt (fun x => c * exp (- x) / 2) s B (- c * exp (- B) / 2 - - c * exp (- s) / 2)).
  { apply (is_RInt_derive (fun x => - c * exp (- x) / 2)).
    - intros x _. auto_derive; [trivial|field].
    - intros x _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. trivial. }
  replace (c * (exp (- s) - exp (- B)) / 2) with (- c * exp (- B) / 2 - - c * exp (- s) / 2) by field.
  rewrite <- (is_RInt_unique _ _ _ _ i). apply RInt_le; [exact hB|eexists; exact i|apply ex_pos, continuous_difference_lap|].
  intros x hx. unfold difference_lap, lap.
  rewrite (Rabs_right x), (Rabs_right (x - s)) by lra.
  replace (a * (exp (- (x - s)) / 2) - b * (exp (- x) / 2)) with (c * exp (- x) / 2); [apply Rmax_r|].
  unfold c. replace (- (x - s)) with (s + - x) by ring. rewrite exp_plus. field.
Qed.
End Laplace.

Lemma lap_even x : lap (- x) = lap x.
Proof. unfold lap. now rewrite Rabs_Ropp. Qed.
