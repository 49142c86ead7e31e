(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** From data sets to pairs: sums of values of records, each of which is in a sample by a coin of its own,
  with Gaussian noise in each of some
    dimensions, of data sets that differ by one record; and functions of any two data sets, with Gaussian,
      Laplace or discrete Gaussian noise. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Composition Vector Leaf Discrete Series Fixed Normal Shift Part Claim Gaussians.
From Coq Require Import QArith Qreals.
Import ListNotations.
Local Open Scope R_scope.

(** * More dimensions *)

(** Outputs that are pairs: integrals one after the other. *)
Definition product_Ub (X Y : space) (f : X * Y -> R) (c : R) : Prop := exists F : X ->
  R, (forall x, Ub (fun y => f (x, y)) (F x)) /\ Ub F c.
Definition product_Lb (X Y : space) (f : X * Y -> R) (c : R) : Prop := exists F : X ->
  R, (forall x, Lb (fun y => f (x, y)) (F x)) /\ Lb F c.
Definition both_of (X Y : space) : space.
Proof.
refine {| car := (X * Y)%type; Ub := product_Ub X Y; Lb := product_Lb X Y |}.
- intros f g c d fg cd (F & h & k). exists F. split.
  + intros x. apply (ub_le Y _ (fun y => g (x, y)) (F x) (F x)); [intros; apply fg|lra|apply h].
  + apply (ub_le X F F c d); [intros; lra|exact cd|exact k].
- intros f g c d (F & h & k) (G & h' & k'). exists (fun x => F x + G x).
  split; [intros x; now apply (ub_add Y (fun y => f (x, y)))|now apply ub_add].
- intros f c k k0 (F & h & h'). exists (fun x => k * F x).
  split; [intros x; now apply (ub_scale Y (fun y => f (x, y)))|now apply ub_scale].
- exists (fun _ => 0). split; [intros; apply ub_zero|apply ub_zero].
- intros f g c d gf dc (F & h & k). exists F. split.
  + intros x. apply (lb_le Y _ (fun y => g (x, y)) (F x) (F x)); [intros; apply gf|lra|apply h].
  + apply (lb_le X F F c d); [intros; lra|exact dc|exact k].
- intros f c d (F & h & k) (G & h' & k'). apply (lb_ub X F c d k). apply (ub_le X F G d d); [|lra|exact k'].
  intros x. exact (lb_ub Y _ _ _ (h x) (h' x)).
Defined.
Definition point : space.
Proof.
refine {| car := Datatypes.unit; Ub f c := f tt <= c; Lb f c := c <= f tt |}; intros.
- specialize (H tt). lra. - lra. - now apply Rmult_le_compat_l. - lra. - specialize (H tt). lra. - lra.
Defined.
Fixpoint vectors (n : nat) : space := match n with O => point | S n' => both_of line (vectors n') end.
Fixpoint minus_of (n : nat) : vectors n -> vectors n -> vectors n :=
  match n with O => fun x _ => x | S n' => fun x v => (fst x - fst v, minus_of n' (snd x) (snd v)) end.
Fixpoint gauss (n : nat) : vectors n -> R := match n with O => fun _ => 1 | S n' => fun x =>
  phi (fst x) * gauss n' (snd x) end.
(** The square of the Euclidean norm. *)
Fixpoint norm2 (n : nat) : vectors n -> R := match n with O => fun _ => 0 | S n' => fun v =>
  fst v * fst v + norm2 n' (snd v) end.

(** * Data sets *)

Section Group.
Variables (X : space) (move : X -> X -> X).
(** The density of noise k plus those of the values whose coins say so, each with the probability g. *)
Fixpoint noisy (k : X -> R) (g : R) (vs : list X) (x : X) : R := match vs with nil => k x | v :: vs' =>
  g * noisy k g vs' (move x v) + (1 - g) * noisy k g vs' x end.
End Group.

(** Steps of a training on records of any type: each has a dimension, and a value of every record whose norm is
  bounded, the gradient at what was published so far, say. All of
    that may depend on the outputs before. Values and outputs are in units of the noise's standard deviation. *)
Inductive trained (U : Type) (square g : R) (with_it without : list U) : N -> tree -> Prop :=
| no_step : trained U square g with_it without 0%N Ret
| one_step_of m n (v : U -> vectors n) next : (forall u, norm2 n (v u) <= square) ->
  (forall x, trained U square g with_it without m (next x)) ->
    trained U square g with_it without (N.succ m)
      (Node (vectors n) (noisy (vectors n) (minus_of n) (gauss n) g (map v with_it))
      (noisy (vectors n) (minus_of n) (gauss n) g (map v without)) next).

(** Of all data sets that differ by one record. *)
Definition private (square g : R) (steps : N) (d : direction) (eps delta : R) : Prop :=
  forall (U : Type) (before : list U) (r : U) (after : list U) t,
    (match d with Remove => trained U square g (before ++ r :: after) (before ++ after) steps t | Add =>
      trained U square g (before ++ after) (before ++ r :: after) steps t end) ->
    delta_le t 1 (exp eps) delta.

(** * Why it follows *)

(** ** Covered pairs *)
Section Covered.
Variables (C : class) (X : space).
Lemma covered_ext p q p' q' : (forall x : X, p x = p' x) -> (forall x, q x = q' x) -> covered C X p q ->
  covered C X p' q'.
Proof.
intros ep eq [nn cv]. split.
- intros h. destruct (nn h) as [a b]. split; intros x; [rewrite <- ep; apply a|rewrite <- eq; apply b].
- intros a b d a0 b0 h. specialize (cv a b d a0 b0 h). revert cv. apply ub_le; [|lra]. intros x. rewrite ep, eq. lra.
Qed.
Lemma covered_mix g p q p' q' : 0 <= g <= 1 -> covered C X p q -> covered C X p' q' ->
  covered C X (fun x => g * p x + (1 - g) * p' x) (fun x => g * q x + (1 - g) * q' x).
Proof.
intros hg [nn cv] [nn' cv']. split.
- intros h. destruct (nn h) as [a b], (nn' h) as [a' b']. split; intros x; apply Rplus_le_le_0_compat;
    apply Rmult_le_pos; auto; lra.
- intros a b d a0 b0 h. specialize (cv a b d a0 b0 h). specialize (cv' a b d a0 b0 h).
  apply (ub_le X _ (fun x => g * Rmax 0 (a * p x - b * q x) + (1 - g) * Rmax 0 (a * p' x - b * q' x))
    (g * d + (1 - g) * d)).
  + intros x. pose proof (Rmax_l 0 (a * p x - b * q x)). pose proof (Rmax_r 0 (a * p x - b * q x)).
    pose proof (Rmax_l 0 (a * p' x - b * q' x)). pose proof (Rmax_r 0 (a * p' x - b * q' x)).
    apply Rmax_lub; [apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra|].
    replace (a * (g * p x + (1 - g) * p' x) - b * (g * q x + (1 - g) * q' x))
      with (g * (a * p x - b * q x) + (1 - g) * (a * p' x - b * q' x)) by ring.
    apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
  + right. ring.
  + apply ub_add; apply ub_scale; auto; lra.
Qed.
Variable move : X -> X -> X.
Hypothesis moved : forall f c w, Ub f c -> Ub (fun x => f (move x w)) c.
Hypothesis commutes : forall x v w, move (move x v) w = move (move x w) v.
Lemma covered_move p q w : covered C X p q -> covered C X (fun x => p (move x w)) (fun x => q (move x w)).
Proof.
intros [nn cv]. split.
- intros h. destruct (nn h) as [a b]. split; intros; auto.
- intros a b d a0 b0 h. specialize (cv a b d a0 b0 h). exact (moved _ _ w cv).
Qed.

(** One more record moves the output in its place among the others, if its coin says so. *)
Variables (k : X -> R) (g : R).
Hypothesis hg : 0 <= g <= 1.
Notation noisy := (noisy X move k g).
Lemma noisy_more v vs x : noisy (v :: vs) x = g * noisy vs (move x v) + (1 - g) * noisy vs x.
Proof. easy. Qed.
Lemma noisy_swap v w vs x : noisy (v :: w :: vs) x = noisy (w :: v :: vs) x.
Proof. cbn [Data.noisy]. rewrite (commutes x v w). ring. Qed.
Lemma noisy_ext vs vs' : (forall x, noisy vs x = noisy vs' x) -> forall v x, noisy (v :: vs) x = noisy (v :: vs') x.
Proof. intros h v x. cbn [Data.noisy]. now rewrite !h. Qed.
Lemma noisy_middle before v after : forall x, noisy (before ++ v :: after) x = noisy (v :: before ++ after) x.
Proof.
induction before as [|w before ih]; intros x; [easy|]. cbn [app]. rewrite (noisy_ext _ _ ih w x). apply noisy_swap.
Qed.
Theorem neighbours_remove v before after : covered C X (fun x => g * k (move x v) + (1 - g) * k x) k ->
  covered C X (noisy (before ++ v :: after)) (noisy (before ++ after)).
Proof.
intros cl. apply (covered_ext (noisy (v :: before ++ after)) (noisy (before ++ after)));
  [intros x; symmetry; apply noisy_middle|easy|].
induction (before ++ after) as [|w vs ih]; [exact cl|].
apply (covered_ext (fun x => g * noisy (v :: vs) (move x w) + (1 - g) * noisy (v :: vs) x) (fun x =>
  g * noisy vs (move x w) + (1 - g) * noisy vs x)).
- intros x. symmetry. rewrite noisy_swap. easy.
- easy.
- apply covered_mix; auto. now apply (covered_move (noisy (v :: vs)) (noisy vs)).
Qed.
Theorem neighbours_add v before after : covered C X k (fun x => g * k (move x v) + (1 - g) * k x) ->
  covered C X (noisy (before ++ after)) (noisy (before ++ v :: after)).
Proof.
intros cl. apply (covered_ext (noisy (before ++ after)) (noisy (v :: before ++ after)));
  [easy|intros x; symmetry; apply noisy_middle|].
induction (before ++ after) as [|w vs ih]; [exact cl|].
apply (covered_ext (fun x => g * noisy vs (move x w) + (1 - g) * noisy vs x) (fun x =>
  g * noisy (v :: vs) (move x w) + (1 - g) * noisy (v :: vs) x)).
- easy.
- intros x. symmetry. rewrite noisy_swap. easy.
- apply covered_mix; auto. now apply (covered_move (noisy vs) (noisy (v :: vs))).
Qed.
End Covered.

(** ** Moving in several dimensions *)
Lemma line_moved f c w : line_Ub f c -> line_Ub (fun x => f (x - w)) c.
Proof.
intros (g & h & k). exists (fun x => g (x - w)). split; [intros x; apply h|]. intros u v uv.
destruct (k (1 * u + - w) (1 * v + - w) ltac:(lra)) as (I & i & le). exists I. split; [|easy].
pose proof (is_RInt_comp_lin (V := R_NormedModule) g 1 (- w) u v I i) as cc. eapply is_RInt_ext; [|exact cc].
intros z _. unfold scal; simpl; unfold mult; simpl. rewrite Rmult_1_l. f_equal. ring.
Qed.
Lemma vectors_moved n : forall f c w, Ub (s := vectors n) f c -> Ub (s := vectors n) (fun x => f (minus_of n x w)) c.
Proof.
induction n as [|n ih]; [easy|]. intros f c w (F & h & k). exists (fun x => F (x - fst w)).
split; [|now apply (line_moved F)].
intros x. exact (ih (fun y => f (x - fst w, y)) (F (x - fst w)) (snd w) (h (x - fst w))).
Qed.
Lemma vectors_commute n : forall x v w, minus_of n (minus_of n x v) w = minus_of n (minus_of n x w) v.
Proof. induction n as [|n ih]; [easy|]. intros x v w. cbn [minus_of fst snd]. rewrite ih. f_equal. ring. Qed.
Lemma gauss_pos n : forall x, 0 <= gauss n x.
Proof. induction n as [|n ih]; intros x; cbn [gauss]; [lra|]. apply Rmult_le_pos; [left; apply phi_pos|apply ih]. Qed.
Lemma norm2_pos n : forall v, 0 <= norm2 n v.
Proof. induction n as [|n ih]; intros v; cbn [norm2]; [lra|]. pose proof (ih (snd v)). pose proof (Rle_0_sqr (fst v)).
unfold Rsqr in *. lra. Qed.
Lemma gauss_total n : Ub (s := vectors n) (gauss n) 1.
Proof.
induction n as [|n ih]; [cbn; lra|]. exists (fun x => phi x * 1). split.
- intros x. apply (ub_scale (vectors n) (gauss n) 1 (phi x)); [left; apply phi_pos|exact ih].
- apply (ub_le line _ (fun x => phi (x - 0)) 1 1); [intros x; rewrite Rminus_0_r; lra|lra|apply phi_total].
Qed.
Lemma gauss_still n : forall v, norm2 n v = 0 -> forall x, gauss n (minus_of n x v) = gauss n x.
Proof.
induction n as [|n ih]; [easy|]. intros v h x. cbn [norm2] in h. pose proof (norm2_pos n (snd v)) as p.
pose proof (Rle_0_sqr (fst v)) as q. unfold Rsqr in q.
cbn [gauss minus_of fst snd]. rewrite ih by lra. assert (e : fst v = 0) by nra. now rewrite e, Rminus_0_r.
Qed.

(** ** One step of Gaussian noise in several dimensions *)
(** The whole difference is a lower bound. *)
Lemma whole_difference m a b d : 0 <= a -> line_Ub (fun x => Rmax 0 (a * phi (x - m) - b * phi x)) d -> a - b <= d.
Proof.
intros a0 (g & h & k). apply Rnot_lt_le. intros lt. set (e := (a - b - d) / 2).
assert (e0 : 0 < e) by (unfold e; lra). set (c := e / (2 * (a + Rabs b + 1))).
pose proof (Rabs_pos b). assert (c0 : 0 < c) by (unfold c; apply Rdiv_lt_0_compat; lra).
destruct (near_half (1 / 2 - c) ltac:(lra)) as (T & hT). set (w := Rmax 0 T + Rabs m).
assert (w1 : T <= w - Rabs m) by (unfold w; pose proof (Rmax_r 0 T); lra).
assert (w2 : 0 <= w) by (unfold w; pose proof (Rmax_l 0 T); pose proof (Rabs_pos m); lra).
destruct (k (- w) w ltac:(lra)) as (I & i & le). pose proof (difference_is m a b (- w) w) as j.
assert (ge : a * (half (w - m) - half (- w - m)) - b * (half w - half (- w)) <= I).
{ apply (is_RInt_le (difference m a b) g (- w) w); auto; [lra|]. intros x _. destruct (h x) as [hx _].
  apply Rle_trans with (2 := hx). apply Rmax_r. }
replace (- w - m) with (- (w + m)) in ge by ring. rewrite !half_neg in ge.
assert (near : forall z, w - Rabs m <= z -> 1 / 2 - c < half z <= 1 / 2) by (intros z hz; split;
  [apply hT; lra|apply half_le]).
destruct (near (w - m)) as [n1 n2]; [pose proof (Rle_abs m); lra|]. destruct (near (w + m)) as [n3 n4];
  [pose proof (Rle_abs (- m)) as q; rewrite Rabs_Ropp in q; lra|].
destruct (near w) as [n5 n6]; [pose proof (Rabs_pos m); lra|].
assert (k1 : a * (1 - 2 * c) <= a * (half (w - m) + half (w + m))) by (apply Rmult_le_compat_l; lra).
assert (k2 : b * (half w - - half w) <= b + Rabs b * (2 * c)).
{ replace (b * (half w - - half w)) with (b + (- b) * (1 - 2 * half w)) by ring. apply Rplus_le_compat_l.
  apply Rle_trans with (Rabs b * (1 - 2 * half w)); [|apply Rmult_le_compat_l; lra].
  apply Rmult_le_compat_r; [lra|]. pose proof (Rle_abs (- b)) as q. now rewrite Rabs_Ropp in q. }
assert (k3 : 2 * c * (a + Rabs b) <= e).
{ unfold c. replace (2 * (e / (2 * (a + Rabs b + 1))) * (a + Rabs b)) with (e * ((a + Rabs b) / (a + Rabs b + 1)))
    by (field; lra).
  rewrite <- (Rmult_1_r e) at 2. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_reg_r with (a + Rabs b + 1); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
unfold e in *. lra.
Qed.
Lemma as_at_most m a b d : line_Ub (fun x => Rmax 0 (a * phi (x - m) - b * phi x)) d -> at_most (difference m a b) d.
Proof.
intros (g & h & k) u v uv. destruct (k u v uv) as (J & j & le).
assert (ex : ex_RInt (fun x => Rmax 0 (difference m a b x)) u v).
{ apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros x _. apply continuous_pos. intros y.
  apply continuous_difference. }
destruct ex as [I i]. exists I. split; [exact i|]. apply Rle_trans with J; [|easy].
apply (is_RInt_le (fun x => Rmax 0 (difference m a b x)) g u v); auto. intros x _. exact (proj1 (h x)).
Qed.
Lemma many n : forall (v : vectors n) m a t, 0 < m -> norm2 n v <= m * m -> 0 < a -> let b :=
  a * exp (m * t - m ^ 2 / 2) in
  Ub (s := vectors n) (fun x => Rmax 0 (a * gauss n (minus_of n x v) - b * gauss n x)) (a * sf (t - m) - b * sf t).
Proof.
induction n as [|n ih]; intros v m a t m0 hv a0; cbv zeta; set (b := a * exp (m * t - m ^ 2 / 2)).
- pose proof (kink m a t m0 a0) as k. fold b in k. cbn. rewrite !Rmult_1_r.
  apply Rmax_lub; [exact (at_most_ge0 _ _ k)|]. apply (whole_difference m); [lra|]. exact (of_at_most _ _ k).
- destruct v as [s v]. cbn [norm2 fst snd] in hv. pose proof (norm2_pos n v) as vp.
  destruct (Rle_lt_or_eq_dec 0 (m * m - s * s) ltac:(lra)) as [r|r].
  + set (m' := sqrt (m * m - s * s)). assert (m0' : 0 < m') by now apply sqrt_lt_R0.
    assert (e : m' * m' = m * m - s * s) by (apply sqrt_sqrt; lra).
    assert (sums : s * s + m' * m' = m * m) by lra. exists (both m m' s a t). split; [|now apply both_at_most].
    intros x. pose proof (ih v m' (a * phi (x - s)) (later m m' s t x) m0' ltac:(lra) ltac:(apply Rmult_lt_0_compat;
      [easy|apply phi_pos])) as h. cbv zeta in h.
    rewrite (both_ratio m m' s a t m0' sums x) in h. fold b in h. revert h. apply ub_le; [|unfold both; fold b; lra].
    intros y. right. cbn [gauss minus_of fst snd]. f_equal. ring.
  + assert (z : norm2 n v = 0) by lra. exists (fun x => Rmax 0 (difference s a b x) * 1). split.
    * intros x. apply (ub_le (vectors n) _ (fun y => Rmax 0 (difference s a b x) * gauss n y)
        (Rmax 0 (difference s a b x) * 1)); [|lra|apply ub_scale; [apply Rmax_l|apply gauss_total]].
      intros y. cbn [gauss minus_of fst snd]. rewrite gauss_still by easy. pose proof (gauss_pos n y).
      unfold difference.
      replace (a * (phi (x - s) * gauss n y) - b * (phi x * gauss n y))
        with ((a * phi (x - s) - b * phi x) * gauss n y) by ring.
      apply Rmax_lub; [apply Rmult_le_pos; [apply Rmax_l|easy]|]. apply Rmult_le_compat_r; [easy|apply Rmax_r].
    * assert (sm : - m <= s <= m) by (split; nra).
      assert (b0 : 0 < b) by (apply Rmult_lt_0_compat; [easy|apply exp_pos]).
      pose proof (smaller m a b _ s m0 a0 b0 sm (kink m a t m0 a0)) as k. apply of_at_most in k. revert k.
      apply (ub_le line); [intros x; lra|unfold sf, b; lra].
Qed.
Lemma one_direction n (v : vectors n) m a b d : 0 <= m -> norm2 n v <= m * m -> 0 <= a ->
  line_Ub (fun x => Rmax 0 (a * phi (x - m) - b * phi x)) d ->
  Ub (s := vectors n) (fun x => Rmax 0 (a * gauss n (minus_of n x v) - b * gauss n x)) d.
Proof.
intros mp hv ag l. pose proof (norm2_pos n v) as vp. assert (wd : a - b <= d) by (now apply (whole_difference m)).
assert (d0 : 0 <= d). { apply (at_most_ge0 (difference m a b)), (as_at_most m a b d l). }
destruct (Rle_dec b 0) as [bn|bp].
- apply (ub_le (vectors n) _ (fun x => a * gauss n (minus_of n x v) + (- b) * gauss n x) (a * 1 + (- b) * 1)); [|lra|].
  + intros x. pose proof (gauss_pos n (minus_of n x v)). pose proof (gauss_pos n x).
    assert (0 <= a * gauss n (minus_of n x v)) by now apply Rmult_le_pos.
    assert (0 <= - b * gauss n x) by (apply Rmult_le_pos; lra). apply Rmax_lub; lra.
  + apply ub_add; apply ub_scale; try lra; [apply (vectors_moved n (gauss n) 1 v)|]; apply gauss_total.
- apply Rnot_le_lt in bp. destruct (Rle_lt_or_eq_dec 0 a ag) as [ap|az].
  + destruct (Rle_lt_or_eq_dec 0 m mp) as [m0|mz].
    * set (t := threshold m a b). assert (e : a * exp (m * t - m ^ 2 / 2) = b).
      { unfold t, threshold. replace (m * ((ln (b / a) + m ^ 2 / 2) / m) - m ^ 2 / 2) with (ln (b / a)) by (field;
          lra). rewrite exp_ln by now apply Rdiv_lt_0_compat. field. lra. }
      pose proof (many n v m a t m0 hv ap) as k. cbv zeta in k. rewrite e in k. revert k. apply ub_le; [intros; lra|].
      exact (any_threshold m a b d t ap bp (as_at_most m a b d l)).
    * assert (z : norm2 n v = 0) by (rewrite <- mz in hv; lra).
      apply (ub_le (vectors n) _ (fun x => Rmax 0 (a - b) * gauss n x) (Rmax 0 (a - b) * 1)).
      -- intros x. rewrite gauss_still by easy. pose proof (gauss_pos n x).
      replace (a * gauss n x - b * gauss n x) with ((a - b) * gauss n x) by ring.
         apply Rmax_lub; [apply Rmult_le_pos; [apply Rmax_l|easy]|]. apply Rmult_le_compat_r; [easy|apply Rmax_r].
      -- rewrite Rmult_1_r. apply Rmax_lub; lra.
      -- apply ub_scale; [apply Rmax_l|apply gauss_total].
  + apply (ub_le (vectors n) _ (fun _ => 0) 0); [|lra|apply ub_zero]. intros x. rewrite <- az.
    pose proof (gauss_pos n x). assert (0 <= b * gauss n x) by (apply Rmult_le_pos; lra). apply Rmax_lub; lra.
Qed.
Fixpoint opposite (n : nat) : vectors n -> vectors n := match n with O => fun v => v | S n' => fun v =>
  (- fst v, opposite n' (snd v)) end.
Lemma opposite_norm n : forall v, norm2 n (opposite n v) = norm2 n v.
Proof. induction n as [|n ih]; intros v; [easy|]. cbn [norm2 opposite fst snd]. rewrite ih. ring. Qed.
Lemma opposite_back n : forall x v, gauss n (minus_of n (minus_of n x v) (opposite n v)) = gauss n x.
Proof. induction n as [|n ih]; intros x v; [easy|]. cbn [gauss minus_of opposite fst snd]. rewrite ih. do 2 f_equal.
ring. Qed.

Lemma mixed_pos n g v : 0 <= g <= 1 -> forall x, 0 <= g * gauss n (minus_of n x v) + (1 - g) * gauss n x.
Proof. intros hg x. apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra; apply gauss_pos. Qed.
Theorem step_covered n square g v : 0 <= g <= 1 -> norm2 n v <= square ->
  covered (gaussian square g) (vectors n) (fun x => g * gauss n (minus_of n x v) + (1 - g) * gauss n x) (gauss n).
Proof.
intros hg hv. split; [intros _; split; intros x; [now apply mixed_pos|apply gauss_pos]|].
intros a b d a0 b0 h. set (m := sqrt square). pose proof (norm2_pos n v) as vp.
assert (mm : m * m = square) by (apply sqrt_sqrt; lra).
apply (ub_le (vectors n) _ (fun x => Rmax 0 (a * g * gauss n (minus_of n x v) - (b - a * (1 - g)) * gauss n x)) d);
  [intros x; right; f_equal; ring|lra|].
apply (one_direction n v m); [apply sqrt_pos|lra|apply Rmult_le_pos; lra|].
pose proof (h line (fun x => g * phi (x - m) + (1 - g) * phi x) phi ltac:(constructor; lra)) as k. revert k.
apply (ub_le line); [|lra]. intros x. right. f_equal. ring.
Qed.
Theorem step_covered_back n square g v : 0 <= g <= 1 -> norm2 n v <= square ->
  covered (flipped (gaussian square g)) (vectors n) (gauss n) (fun x =>
    g * gauss n (minus_of n x v) + (1 - g) * gauss n x).
Proof.
intros hg hv. split; [intros _; split; intros x; [apply gauss_pos|now apply mixed_pos]|].
intros a b d a0 b0 h. set (m := sqrt square). pose proof (norm2_pos n v) as vp.
assert (mm : m * m = square) by (apply sqrt_sqrt; lra).
destruct (Rle_dec 0 (a - b * (1 - g))) as [p|p].
- assert (l : line_Ub (fun x => Rmax 0 ((a - b * (1 - g)) * phi (x - m) - b * g * phi x)) d).
  { assert (cl : flipped (gaussian square g) line phi (fun x => g * phi (x - - m) + (1 - g) * phi x)) by (constructor;
      constructor; lra).
    pose proof (line_moved _ _ m (h line _ _ cl)) as k. revert k. apply (ub_le line); [|lra]. intros x. right.
    f_equal. assert (e : forall y : R, y - m - - m = y) by (intros; ring). rewrite e. ring. }
  pose proof (one_direction n (opposite n v) m _ _ d (sqrt_pos _) ltac:(rewrite opposite_norm; lra) p l) as k.
  apply (vectors_moved n _ d v) in k. revert k.
  apply ub_le; [|lra]. intros x. right. rewrite opposite_back. f_equal. ring.
- assert (cl : flipped (gaussian square g) line phi (fun x => g * phi (x - m) + (1 - g) * phi x)) by (constructor;
    constructor; lra).
  assert (d0 : 0 <= d). { destruct (h line _ _ cl) as (G & _ & kk). destruct (kk 0 0 (Rle_refl 0)) as (I & i & le).
  pose proof (is_RInt_unique _ _ _ _ i) as u. rewrite RInt_point in u. change (zero : R) with 0 in u. lra. }
  apply (ub_le (vectors n) _ (fun _ => 0) 0); [|lra|apply ub_zero]. intros x. pose proof (gauss_pos n x).
  pose proof (gauss_pos n (minus_of n x v)).
  assert (0 <= b * (g * gauss n (minus_of n x v))) by (apply Rmult_le_pos; [easy|apply Rmult_le_pos; lra]).
  assert (0 <= (b * (1 - g) - a) * gauss n x) by (apply Rmult_le_pos; lra). apply Rmax_lub; lra.
Qed.

(** * What holds of claims holds of data sets *)

Theorem covers_is_private c square rate steps d : covers c -> parts c = [(Gaussian square rate, steps)] ->
  In d (directions c) -> 0 <= Q2R rate <= 1 ->
  private (Q2R square) (Q2R rate) steps d (Q2R (eps c)) (Q2R (delta c)).
Proof.
intros h ep i hg U before r after t tr. apply (h d i). rewrite ep. cbn [map fst snd]. clear h ep i.
assert (all : forall D D', (forall n (v : U -> vectors n), (forall u, norm2 n (v u) <= Q2R square) ->
    covered (directed d (Gaussian square rate)) (vectors n) (noisy (vectors n) (minus_of n) (gauss n) (Q2R rate)
      (map v D)) (noisy (vectors n) (minus_of n) (gauss n) (Q2R rate) (map v D'))) ->
  forall m t, trained U (Q2R square) (Q2R rate) D D' m t -> runs [(covered (directed d (Gaussian square rate)), m)] t).
{ intros D D' hc m t'. induction 1 as [|m n v next hv _ ih].
  - apply r_end. intros C k [e|[]]. now inversion e.
  - apply (r_step nil); [now apply hc|]. exact ih. }
destruct d.
- apply (all _ _) with (2 := tr). intros n v hv. rewrite !map_app. cbn [map].
  apply neighbours_remove; auto using vectors_moved, vectors_commute. now apply step_covered.
- apply (all _ _) with (2 := tr). intros n v hv. rewrite !map_app. cbn [map].
  apply neighbours_add; auto using vectors_moved, vectors_commute. now apply step_covered_back.
Qed.

(** From evidence to all data sets that differ by one record, all functions of them with bounded norms,
  and all adaptive trainings. *)
Theorem accepts_is_private (T : Numbers.numbers) c hs square rate steps d : accepts T c hs = true ->
  parts c = [(Gaussian square rate, steps)] -> In d (directions c) -> 0 <= Q2R rate <= 1 ->
    private (Q2R square) (Q2R rate) steps d (Q2R (eps c)) (Q2R (delta c)).
Proof. intros e. apply covers_is_private. exact (accepts_covers T c hs e). Qed.

(** * Functions of data sets *)

(** A function of data sets with whole numbers for values, which differ by at most so much at two of them,
  with discrete Gaussian noise. *)
Inductive counted (U : Type) (v : R) (most : Z) (D D' : list U) : class :=
  a_count (f : list U -> Z) z : (- most <= f D - f D' <= most)%Z -> sums_to (bell v) z ->
    counted U v most D D' integers (fun x => bell v (x - f D) / z) (fun x => bell v (x - f D') / z).

(** The same with numbers, and Laplace noise; and with vectors, Gaussian noise, and the Euclidean norm. Values are in
  units of the noise. *)
Inductive with_laplace (U : Type) (most : R) (D D' : list U) : class :=
  a_number (f : list U -> R) : - most <= f D - f D' <= most -> with_laplace U most D D' line (fun x => lap (x - f D))
    (fun x => lap (x - f D')).
Inductive with_gauss (U : Type) (square : R) (D D' : list U) : class :=
  a_vector n (f : list U -> vectors n) : norm2 n (minus_of n (f D) (f D')) <= square ->
    with_gauss U square D D' (vectors n) (fun x => gauss n (minus_of n x (f D))) (fun x =>
    gauss n (minus_of n x (f D'))).

(** Noise that is added to a function of data sets. *)
Inductive noise := Gauss (square : Q) | Lap (most : Q) | Counts (v : Q) (most : nat).
Definition added (U : Type) (D D' : list U) (a : noise) : class :=
  match a with Gauss square => with_gauss U (Q2R square) D D' | Lap most =>
    with_laplace U (Q2R most) D D' | Counts v most => counted U (Q2R v) (Z.of_nat most) D D' end.
Definition part_of (a : noise) : part := match a with Gauss square => Gaussian square 1 | Lap most =>
  LaplaceNoise most 1 | Counts v most => DiscreteGaussian v most end.
(** Of any two data sets, and so many functions with each noise, in any order, each of them chosen with all outputs
  before in view. *)
Definition private_values (noises : list (noise * N)) (eps delta : R) : Prop :=
  forall (U : Type) (D D' : list U) t, runs (map (fun x => (added U D D' (fst x), snd x)) noises) t ->
    delta_le t 1 (exp eps) delta.

(** Such a function: the sum of values of records, none of which is beyond most, where the data sets differ by one
  record. *)
Definition sum_of {U : Type} (value : U -> Z) (l : list U) : Z := List.fold_right (fun u s => value u + s)%Z 0%Z l.
Lemma one_more U (value : U -> Z) most before r after : (forall u, - most <= value u <= most)%Z ->
  (- most <= sum_of value (before ++ r :: after) - sum_of value (before ++ after) <= most)%Z.
Proof.
intros h. replace (sum_of value (before ++ r :: after)) with (sum_of value (before ++ after) + value r)%Z;
  [specialize (h r); lia|].
unfold sum_of. induction before as [|u before ih]; cbn [app List.fold_right]; [ring|]. rewrite <- ih. ring.
Qed.

Lemma moved_covered (C : class) (p q p' q' : Z -> R) k : C integers p q -> (forall x, p (x - k)%Z = p' x) ->
  (forall x, q (x - k)%Z = q' x) -> covered C integers p' q'.
Proof.
intros h hp hq. apply (covered_ext C integers (fun x => p (x - k)%Z) (fun x => q (x - k)%Z)); [exact hp|exact hq|].
split.
- intros nn. destruct (nn integers p q h) as [a b]. split; intros x; auto.
- intros a b d a0 b0 u. exact (integers_moved _ _ k (u integers p q h)).
Qed.

Lemma minus_twice n : forall x v w, minus_of n (minus_of n x w) (minus_of n v w) = minus_of n x v.
Proof. induction n as [|n ih]; intros x v w; [easy|]. cbn [minus_of fst snd]. rewrite ih. f_equal. ring. Qed.
Lemma norm2_swap n : forall v w, norm2 n (minus_of n v w) = norm2 n (minus_of n w v).
Proof. induction n as [|n ih]; intros v w; [easy|]. cbn [minus_of norm2 fst snd]. rewrite ih. ring. Qed.

Lemma added_covered (U : Type) (D D' : list U) a d X p q : added U D D' a X p q ->
  covered (directed d (part_of a)) X p q.
Proof.
destruct a as [square|most|v most]; intros [].
- pose proof (vectors_moved n) as mv. destruct d; cbn [part_of directed pairs]; rewrite RMicromega.Q2R_1.
  + apply (covered_ext _ (vectors n) (fun x =>
      1 * gauss n (minus_of n (minus_of n x (f D')) (minus_of n (f D) (f D'))) + (1 - 1) * gauss n
      (minus_of n x (f D'))) (fun x => gauss n (minus_of n x (f D'))));
      [intros x; rewrite minus_twice; ring|easy|].
    apply (covered_move _ (vectors n) (minus_of n) mv (fun x => 1 * gauss n (minus_of n x (minus_of n (f D) (f D')))
      + (1 - 1) * gauss n x) (gauss n) (f D')). apply step_covered; [lra|easy].
  + apply (covered_ext _ (vectors n) (fun x => gauss n (minus_of n x (f D))) (fun x =>
      1 * gauss n (minus_of n (minus_of n x (f D)) (minus_of n (f D') (f D))) + (1 - 1) * gauss n
      (minus_of n x (f D))));
      [easy|intros x; rewrite minus_twice; ring|].
    apply (covered_move _ (vectors n) (minus_of n) mv (gauss n) (fun x =>
      1 * gauss n (minus_of n x (minus_of n (f D') (f D))) + (1 - 1) * gauss n x) (f D)).
    apply step_covered_back; [lra|now rewrite norm2_swap].
- destruct d; cbn [part_of directed pairs]; rewrite RMicromega.Q2R_1.
  + apply (covered_ext _ line (fun x => 1 * lap (x - f D' - (f D - f D')) + (1 - 1) * lap (x - f D')) (fun x =>
      lap (x - f D'))); [intros x; replace (x - f D' - (f D - f D')) with (x - f D) by ring; ring|easy|].
    apply (covered_move _ line Rminus line_moved (fun x => 1 * lap (x - (f D - f D')) + (1 - 1) * lap x) lap (f D')).
    apply covered_in. now constructor.
  + apply (covered_ext _ line (fun x => lap (x - f D)) (fun x =>
      1 * lap (x - f D - (f D' - f D)) + (1 - 1) * lap (x - f D)));
      [easy|intros x; replace (x - f D - (f D' - f D)) with (x - f D') by ring; ring|].
    apply (covered_move _ line Rminus line_moved lap (fun x => 1 * lap (x - (f D' - f D)) + (1 - 1) * lap x) (f D)).
    apply covered_in. constructor. constructor. lra.
- destruct d.
  + apply (moved_covered _ (fun x => bell (Q2R v) (x - (f D - f D')) / z) (fun x => bell (Q2R v) x / z) _ _ (f D'));
      [now constructor| |]; intros x; do 2 f_equal; ring.
  + apply (moved_covered _ (fun x => bell (Q2R v) x / z) (fun x => bell (Q2R v) (x - (f D' - f D)) / z) _ _ (f D));
      [|intros x; do 2 f_equal; ring..].
    apply a_flip. constructor; [lia|easy].
Qed.
Theorem covers_is_private_values c noises d : covers c -> parts c = map (fun x => (part_of (fst x), snd x)) noises ->
  In d (directions c) -> private_values noises (Q2R (eps c)) (Q2R (delta c)).
Proof.
intros h ep i U D D' t tr. apply (h d i). rewrite ep. apply (runs_sub _ _ tr). clear.
induction noises as [|[a n] noises ih]; cbn [map]; constructor; [|exact ih]. split; [|easy]. intros X p q.
apply added_covered.
Qed.
(** From evidence to all pairs of data sets, whatever relation they have: all that counts is how far apart the values
  of each function may be. *)
Theorem accepts_is_private_values (T : Numbers.numbers) c hs noises d : accepts T c hs = true ->
  parts c = map (fun x => (part_of (fst x), snd x)) noises -> In d (directions c) ->
  private_values noises (Q2R (eps c)) (Q2R (delta c)).
Proof. intros e. apply covers_is_private_values. exact (accepts_covers T c hs e). Qed.
