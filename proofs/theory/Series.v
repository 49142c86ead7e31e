(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Integrals of the normal density by a series, φ·s with s = z + z³/3 + z⁵/15 + …, as in the checker's `above`. *)
From Coq Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density.
Local Open Scope R_scope.

Fixpoint hs (k : nat) (d : Z) (x : R) : R := match k with O => 1 | S k' => 1 + x / IZR d * hs k' (d + 2) x end.
Fixpoint rem (k : nat) (d : Z) (m : nat) (z : R) : R := match k with O => z ^ (m + 1) | S k' =>
  rem k' (d + 2) (m + 2) z / IZR d end.

Lemma hs_derive k : forall d m z, (0 < d)%Z -> IZR d = INR m + 2 ->
  is_derive (fun z => z ^ m * hs k d (z * z)) z (INR m * z ^ (pred m) + z * (z ^ m * hs k d (z * z)) - rem k d m z).
Proof.
induction k as [|k ih]; intros d m z d0 dm; cbn [hs rem].
- apply (is_derive_ext (fun z => z ^ m)); [intros; symmetry; apply Rmult_1_r|]. auto_derive; [trivial|].
  rewrite pow_add. simpl. match goal with |- @eq _ ?a ?b => change (@eq R a b) end. ring.
- assert (dp : 0 < IZR d) by now apply IZR_lt.
  apply (is_derive_ext (fun z => z ^ m + / IZR d * (z ^ (m + 2) * hs k (d + 2) (z * z)))).
  { intros w. rewrite pow_add. simpl. match goal with |- @eq _ ?a ?b => change (@eq R a b) end. field. lra. }
  specialize (ih (d + 2)%Z (m + 2)%nat z ltac:(lia)).
  assert (e : IZR (d + 2) = INR (m + 2) + 2) by (rewrite plus_IZR, plus_INR, dm; simpl; ring). specialize (ih e).
  evar_last.
  + apply (is_derive_plus (V := R_NormedModule));
      [|apply (is_derive_scal (fun z => z ^ (m + 2) * hs k (d + 2) (z * z))), ih].
    apply (is_derive_ext (fun z => z ^ m)); [reflexivity|]. auto_derive; [trivial|reflexivity].
  + unfold plus; simpl. replace (pred (m + 2)) with (m + 1)%nat by lia. rewrite plus_INR, <- dm || rewrite plus_INR.
    replace (INR m + INR 2) with (IZR d) by (rewrite dm; simpl; ring). rewrite !pow_add. simpl.
    match goal with |- @eq _ ?a ?b => change (@eq R a b) end. field. lra.
Qed.

Definition F (k : nat) (z : R) : R := phi z * (z ^ 1 * hs k 3 (z * z)).

Lemma phi_derive z : is_derive phi z (- z * phi z).
Proof.
unfold phi. auto_derive; [try exact root; repeat split; exact root || trivial|].
replace (- (z * (z * 1)) * / 2) with (- z ^ 2 / 2) by (simpl; field). field. exact root.
Qed.
Lemma F_derive k z : is_derive (F k) z (phi z * (1 - rem k 3 1 z)).
Proof.
unfold F. evar_last.
- apply (is_derive_mult phi (fun z => z ^ 1 * hs k 3 (z * z)));
    [apply phi_derive|apply hs_derive; [lia|simpl; ring]|intros; apply Rmult_comm].
- unfold plus, mult; simpl. unfold mult; simpl. match goal with |- @eq _ ?a ?b => change (@eq R a b) end. ring.
Qed.

Lemma rem_even k : forall d m z, (0 < d)%Z -> 0 <= z -> rem k d m z = rem k d m z /\ 0 <= rem k d m z.
Proof.
induction k as [|k ih]; intros d m z d0 z0; cbn [rem]; (split; [easy|]); [now apply pow_le|].
destruct (ih (d + 2)%Z (m + 2)%nat z ltac:(lia) z0). apply Rmult_le_pos; [easy|]. left. apply Rinv_0_lt_compat.
now apply IZR_lt.
Qed.
Lemma rem_abs k : forall d m z, (0 < d)%Z -> Nat.Odd m -> rem k d m z = rem k d m (Rabs z).
Proof.
induction k as [|k ih]; intros d m z d0 [j ->]; cbn [rem].
- replace (2 * j + 1 + 1)%nat with (2 * (j + 1))%nat by lia. rewrite !pow_mult. f_equal. simpl. rewrite !Rmult_1_r.
  rewrite <- Rabs_mult, Rabs_right; [easy|]. apply Rle_ge, Rle_0_sqr.
- f_equal. apply ih; [lia|]. exists (j + 1)%nat. lia.
Qed.
Lemma rem_mono k : forall d m z w, (0 < d)%Z -> 0 <= z <= w -> rem k d m z <= rem k d m w.
Proof.
induction k as [|k ih]; intros d m z w d0 zw; cbn [rem]; [now apply pow_incr|].
apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; now apply IZR_lt|]. apply ih; [lia|easy].
Qed.

Lemma phi_le_1 x : phi x <= 1.
Proof.
unfold phi. assert (1 <= sqrt (2 * PI)).
{ rewrite <- sqrt_1. apply sqrt_le_1_alt. pose proof PI2_1. lra. }
apply Rmult_le_reg_r with (sqrt (2 * PI)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
assert (exp (- x ^ 2 / 2) <= 1); [|lra]. rewrite <- exp_0. assert (0 <= x ^ 2) by (simpl; nra).
destruct H0; [left; apply exp_increasing; lra|]. right. f_equal. lra.
Qed.

Theorem series k a b T : a <= b -> - T <= a -> b <= T ->
  F k b - F k a <= RInt phi a b <= F k b - F k a + (b - a) * rem k 3 1 T.
Proof.
intros ab aT bT.
assert (odd : Nat.Odd 1) by now exists 0%nat.
assert (ip : is_RInt phi a b (RInt phi a b)) by (apply (RInt_correct (V := R_CompleteNormedModule)), ex_phi).
assert (cr : forall j d m x, (0 < d)%Z -> continuous (rem j d m) x).
{ induction j as [|j ih]; intros d m x d0; cbn [rem].
  - apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. trivial.
  - unfold Rdiv. apply (continuous_mult (K := R_AbsRing)); [apply ih; lia|apply continuous_const]. }
assert (cp : forall x, continuous phi x).
{ intros x. apply (continuous_ext (fun x => phi (x - 0))); [intros; f_equal; ring|apply continuous_phi]. }
assert (i : is_RInt (fun x => phi x * (1 - rem k 3 1 x)) a b (F k b - F k a)).
{ apply (is_RInt_derive (F k)).
  - intros; apply F_derive.
  - intros x _. apply (continuous_mult (K := R_AbsRing)); [apply cp|].
    apply (continuous_minus (V := R_NormedModule)); [apply continuous_const|apply cr; lia]. }
assert (r0 : forall x, 0 <= rem k 3 1 x) by (intros; rewrite rem_abs by (lia || easy); apply rem_even;
  [lia|apply Rabs_pos]).
assert (rT : forall x, a <= x <= b -> rem k 3 1 x <= rem k 3 1 T).
{ intros x hx. rewrite rem_abs by (lia || easy). apply rem_mono; [lia|]. split; [apply Rabs_pos|]. apply Rabs_le; lra. }
split.
- apply (is_RInt_le (fun x => phi x * (1 - rem k 3 1 x)) phi a b); auto.
  intros x _. pose proof (phi_pos x). specialize (r0 x). nra.
- assert (i2 : is_RInt (fun x => phi x * (1 - rem k 3 1 x) + rem k 3 1 T) a b (F k b - F k a + (b - a) * rem k 3 1 T)).
  { apply (is_RInt_plus (V := R_NormedModule)); [exact i|]. apply (is_RInt_const (V := R_NormedModule)). }
  apply (is_RInt_le phi (fun x => phi x * (1 - rem k 3 1 x) + rem k 3 1 T) a b); auto.
  intros x hx. pose proof (phi_pos x). pose proof (phi_le_1 x). specialize (r0 x). specialize (rT x ltac:(lra)). nra.
Qed.

(** Of the difference of a kink. *)
Theorem difference_series m a b k t B T : 0 <= a -> 0 <= b -> t <= B -> - T <= t - m -> - T <= t -> B <= T ->
  B - m <= T ->
  RInt (difference m a b) t B <= a * (F k (B - m) - F k (t - m) + (B - t) * rem k 3 1 T) - b * (F k B - F k t).
Proof.
intros a0 b0 tB h1 h2 h3 h4.
destruct (series k (t - m) (B - m) T ltac:(lra) h1 h4) as [_ u1]. destruct (series k t B T tB h2 h3) as [u2 _].
assert (i1 : is_RInt (fun x => phi (x - m)) t B (RInt phi (t - m) (B - m))).
{ replace (t - m) with (1 * t + - m) by ring. replace (B - m) with (1 * B + - m) by ring.
  pose proof (is_RInt_comp_lin (V := R_NormedModule) phi 1 (- m) t B (RInt phi (1 * t + - m) (1 * B + - m))) as c.
  eapply is_RInt_ext; [|apply c, (RInt_correct (V := R_CompleteNormedModule)), ex_phi].
  intros x _. unfold scal; simpl; unfold mult; simpl. rewrite Rmult_1_l. f_equal. ring. }
assert (i2 : is_RInt phi t B (RInt phi t B)) by (apply (RInt_correct (V := R_CompleteNormedModule)), ex_phi).
assert (i : is_RInt (difference m a b) t B (a * RInt phi (t - m) (B - m) - b * RInt phi t B)).
{ unfold difference. apply (is_RInt_minus (V := R_NormedModule)); apply (is_RInt_scal (V := R_NormedModule));
    assumption. }
rewrite (is_RInt_unique _ _ _ _ i). replace (B - m - (t - m)) with (B - t) in u1 by ring.
pose proof (Rmult_le_compat_l _ _ _ a0 u1). pose proof (Rmult_le_compat_l _ _ _ b0 u2). lra.
Qed.

Corollary difference_series_e m a b k t B T e : 0 <= a -> 0 <= b -> t <= B -> - T <= t - m -> - T <= t -> B <= T ->
  B - m <= T -> rem k 3 1 T <= e ->
  RInt (difference m a b) t B <= a * (F k (B - m) - F k (t - m) + (B - t) * e) - b * (F k B - F k t).
Proof.
intros a0 b0 tB h1 h2 h3 h4 he. eapply Rle_trans; [apply (difference_series m a b k t B T); easy|].
assert ((B - t) * rem k 3 1 T <= (B - t) * e) by (apply Rmult_le_compat_l; lra).
assert (a * ((B - t) * rem k 3 1 T) <= a * ((B - t) * e)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
