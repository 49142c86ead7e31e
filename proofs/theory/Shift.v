(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** What holds of the largest shift of Gaussian noise holds of all. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Series Fixed Normal.
Local Open Scope R_scope.

Lemma near_half c : c < 1 / 2 -> exists T, forall v, T <= v -> c < half v.
Proof.
intros h. destruct (mass_near_1 (2 * c) ltac:(lra)) as (T & _ & hT). rewrite mass_half in hT. exists T. intros v tv.
pose proof (half_mono T v tv). lra.
Qed.
Lemma shifted m t v : is_RInt (fun x => phi (x - m)) t v (half (v - m) - half (t - m)).
Proof.
rewrite <- half_is. replace (t - m) with (1 * t + - m) by ring. replace (v - m) with (1 * v + - m) by ring.
pose proof (is_RInt_comp_lin (V := R_NormedModule) phi 1 (- m) t v (RInt phi (1 * t + - m) (1 * v + - m))) as c.
eapply is_RInt_ext; [|apply c, (RInt_correct (V := R_CompleteNormedModule)), ex_phi].
intros x _. unfold scal; simpl; unfold mult; simpl. rewrite Rmult_1_l. f_equal. ring.
Qed.
Lemma difference_is m a b t v : is_RInt (difference m a b)
  t v (a * (half (v - m) - half (t - m)) - b * (half v - half t)).
Proof.
unfold difference. apply (is_RInt_minus (V := R_NormedModule)); apply (is_RInt_scal (V := R_NormedModule));
  [apply shifted|].
rewrite <- half_is. apply (RInt_correct (V := R_CompleteNormedModule)), ex_phi.
Qed.

Lemma any_threshold m a b d t : 0 < a -> 0 < b -> at_most (difference m a b) d ->
  a * (1 / 2 - half (t - m)) - b * (1 / 2 - half t) <= d.
Proof.
intros a0 b0 h. apply Rnot_lt_le. intros lt. set (e := a * (1 / 2 - half (t - m)) - b * (1 / 2 - half t) - d).
assert (e0 : 0 < e) by (unfold e; lra). destruct (near_half (1 / 2 - e / (2 * a))) as (T & hT).
{ assert (0 < e / (2 * a)) by (apply Rdiv_lt_0_compat; lra). lra. }
set (v := Rmax t (T + m)). assert (v1 : t <= v) by apply Rmax_l. assert (v2 : T + m <= v) by apply Rmax_r.
destruct (h t v v1) as (I & i & le). pose proof (difference_is m a b t v) as j.
assert (c : a * (half (v - m) - half (t - m)) - b * (half v - half t) <= I).
{ apply (is_RInt_le (difference m a b) (fun x => Rmax 0 (difference m a b x)) t v); auto. intros x _. apply Rmax_r. }
pose proof (hT (v - m) ltac:(lra)) as h1. pose proof (half_le v) as h2.
assert (a * (1 / 2 - e / (2 * a)) <= a * half (v - m)) by (apply Rmult_le_compat_l; lra).
replace (a * (1 / 2 - e / (2 * a))) with (a / 2 - e / 2) in H by (field; lra).
assert (b * half v <= b * (1 / 2)) by (apply Rmult_le_compat_l; lra). unfold e in *. lra.
Qed.

Lemma at_most_le f d d' : d <= d' -> at_most f d -> at_most f d'.
Proof. intros l h u v uv. destruct (h u v uv) as (I & i & le). exists I. split; [easy|lra]. Qed.
Lemma at_most_ge0 f d : at_most f d -> 0 <= d.
Proof.
intros h. destruct (h 0 0 ltac:(lra)) as (I & i & le). pose proof (is_RInt_unique _ _ _ _ i) as u.
rewrite RInt_point in u. change (zero : R) with 0 in u. lra.
Qed.

Theorem smaller m a b d s : 0 < m -> 0 < a -> 0 < b -> - m <= s <= m -> at_most (difference m a b) d ->
  at_most (difference s a b) d.
Proof.
intros m0 a0 b0 hs h.
assert (pos : forall s, 0 <= s <= m -> at_most (difference s a b) d).
{ clear s hs. intros s [[s0|<-] sm].
  - set (t := threshold s a b). assert (e : a * exp (s * t - s ^ 2 / 2) = b).
    { unfold t, threshold. replace (s * ((ln (b / a) + s ^ 2 / 2) / s) - s ^ 2 / 2) with (ln (b / a)) by (field; lra).
      rewrite exp_ln by now apply Rdiv_lt_0_compat. field. lra. }
    pose proof (kink s a t s0 a0) as k. rewrite e in k. revert k. apply at_most_le.
    apply Rle_trans with (2 := any_threshold m a b d t a0 b0 h). pose proof (half_mono (t - m) (t - s) ltac:(lra)).
    assert (a * half (t - m) <= a * half (t - s)) by (apply Rmult_le_compat_l; lra). lra.
  - pose proof (at_most_ge0 _ _ h) as d0. destruct (Rle_dec a b) as [ab|ab].
    + apply nothing; [|easy]. intros x. unfold difference. rewrite Rminus_0_r. pose proof (phi_pos x). nra.
    + assert (abd : a - b <= d).
      { apply Rnot_lt_le. intros lt. destruct (near_half (1 / 2 - (a - b - d) / (2 * a))) as (T & hT).
        { assert (0 < (a - b - d) / (2 * a)) by (apply Rdiv_lt_0_compat; lra). lra. }
        pose proof (any_threshold m a b d (- T) a0 b0 h) as l. rewrite half_neg in l.
        pose proof (hT T ltac:(lra)) as h1. pose proof (hT (T + m) ltac:(lra)) as h2.
        replace (- T - m) with (- (T + m)) in l by ring. rewrite half_neg in l. pose proof (half_le T).
        assert (a * (1 / 2 - (a - b - d) / (2 * a)) < a * half (T + m)) by (apply Rmult_lt_compat_l; lra).
        replace (a * (1 / 2 - (a - b - d) / (2 * a))) with (a / 2 - (a - b - d) / 2) in H0 by (field; lra).
        assert (b * half T <= b * (1 / 2)) by (apply Rmult_le_compat_l; lra). lra. }
      intros u v uv. exists ((a - b) * RInt phi u v). split.
      * apply (is_RInt_ext (fun x => (a - b) * phi x)).
        { intros x _. unfold difference. rewrite Rminus_0_r. pose proof (phi_pos x).
          rewrite Rmax_right; [match goal with |- @eq _ ?y ?z => change (@eq R y z) end; ring|].
          assert (0 <= (a - b) * phi x) by (apply Rmult_le_pos; lra). lra. }
        apply (is_RInt_scal (V := R_NormedModule)), (RInt_correct (V := R_CompleteNormedModule)), ex_phi.
      * pose proof (phi_integral u v uv). apply Rle_trans with (a - b); [|easy]. rewrite <- (Rmult_1_r (a - b)) at 2.
        apply Rmult_le_compat_l; lra. }
destruct (Rle_dec 0 s) as [s0|s0]; [apply pos; lra|].
apply (at_most_reflected 0 (difference (- s) a b)); [|apply pos; lra].
intros x. unfold difference. rewrite <- (phi_even (x - s)), <- (phi_even x). f_equal; f_equal; f_equal; ring.
Qed.
