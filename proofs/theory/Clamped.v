(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Laplace noise that is clamped, before the shift that it hides or after it. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Composition Vector Leaf Laplace.
Import ListNotations.
Local Open Scope R_scope.

(** * Outputs: the line, and two values more, which may have a mass *)

Definition struck_Ub (f : bool + R -> R) (c : R) : Prop := exists d, line_Ub (fun x => f (inr x)) d /\
  f (inl true) + f (inl false) + d <= c.
Definition struck_Lb (f : bool + R -> R) (c : R) : Prop := exists d, line_Lb (fun x => f (inr x)) d /\
  c <= f (inl true) + f (inl false) + d.
Definition struck : space.
Proof.
refine {| car := (bool + R)%type; Ub := struck_Ub; Lb := struck_Lb |}.
- intros f g c d fg cd (x & u & le). exists x. split; [revert u; apply (ub_le line); [intros; apply fg|lra]|].
  pose proof (fg (inl true)). pose proof (fg (inl false)). lra.
- intros f g c d (x & u & le) (y & v & le'). exists (x + y). split; [now apply (ub_add line)|lra].
- intros f c k k0 (x & u & le). exists (k * x). split; [now apply (ub_scale line)|].
  apply (Rmult_le_compat_l k) in le; [lra|easy].
- exists 0. split; [apply (ub_zero line)|lra].
- intros f g c d gf dc (x & u & le). exists x. split; [revert u; apply (lb_le line); [intros; apply gf|lra]|].
  pose proof (gf (inl true)). pose proof (gf (inl false)). lra.
- intros f c d (x & u & le) (y & v & le'). pose proof (lb_ub line _ _ _ u v). lra.
Defined.

Lemma struck_le (f : bool + R -> R) g d c : line_Ub g d -> (forall x, f (inr x) <= g x) ->
  f (inl true) + f (inl false) + d <= c -> Ub (s := struck) f c.
Proof. intros u h le. exists d. split; [|easy]. revert u. apply (ub_le line); [exact h|apply Rle_refl]. Qed.

(** * What is claimed of it *)

(** The probability that noise is at most u. *)
Definition lap_under (u : R) : R := 1 - lap_tail u.
(** Noise around m: values up to t become t, which is one of the two. *)
Definition clamp (m t : R) (value : bool) (o : bool + R) : R :=
  match o with inl v => if Bool.eqb value v then lap_under (t - m) else 0 | inr x => if Rlt_dec t x then lap (x - m)
    else 0 end.
(** Where the noise is clamped without the record. *)
Definition without_at (s c : R) (before : bool) : R := if before then - s - c else - c.
(** Noise around c that is clamped at 0, in units of its scale: max(0, X) with the record, and without it max(0,
  s + X) if the shift comes before the clamp, else
    s + max(0, X). Here outputs are written as so much above s + c, the median without the record. *)
Inductive clamped_laplace (s c : R) (before : bool) : class :=
  a_clamped_laplace : clamped_laplace s c before struck (clamp (- s) (- s - c) true)
    (clamp 0 (without_at s c before) before).

(** * Integrals from a point on *)

Definition from (t : R) (g : R -> R) (x : R) : R := if Rlt_dec t x then g x else 0.
Lemma from_is g t u v I : u <= v -> is_RInt g (Rmax u t) (Rmax v t) I -> is_RInt (from t g) u v I.
Proof.
intros uv i. destruct (Rle_dec v t) as [h|h].
- rewrite !Rmax_right in i by lra. pose proof (is_RInt_point (V := R_NormedModule) g t) as z.
  pose proof (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ i) as i'. pose proof
    (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ z) as z'. assert (e : I = 0) by (rewrite <- i', z';
    reflexivity). rewrite e.
  apply is_RInt_ext with (2 := nothing_is u v). intros x. rewrite Rmin_left, Rmax_right by easy. intros hx.
  unfold from. destruct (Rlt_dec t x); [lra|easy].
- rewrite (Rmax_left v t) in i by lra.
  assert (on : forall w, t <= w -> w <= v -> forall J, is_RInt g w v J -> is_RInt (from t g) w v J).
  { intros w tw wv J j. apply is_RInt_ext with (2 := j). intros x. rewrite Rmin_left, Rmax_right by easy. intros hx.
    unfold from. destruct (Rlt_dec t x); [easy|lra]. }
  destruct (Rle_dec t u) as [k|k]; [rewrite Rmax_left in i by lra; now apply on|]. rewrite Rmax_right in i by lra.
  replace I with (Hierarchy.plus 0 I) by (as_reals; ring). apply (is_RInt_Chasles (V := R_NormedModule)) with t;
    [|apply on; auto; lra].
  apply is_RInt_ext with (2 := nothing_is u t). intros x. rewrite Rmin_left, Rmax_right by lra. intros hx.
  unfold from. destruct (Rlt_dec t x); [lra|easy].
Qed.

(** What a bound of an integral leaves for what is above t: D has the integral r − G t below it. *)
Lemma from_Ub D G t L r : (forall u v, is_RInt D u v (G u - G v)) -> (forall e, 0 < e -> exists T, forall v, v <= T ->
  r - e <= G v) ->
  line_Ub (fun x => Rmax 0 (D x)) L -> line_Ub (from t (fun x => Rmax 0 (D x))) (Rmin L (L - (r - G t))).
Proof.
intros iD lim (g & hg & h). exists (from t g). split.
{ intros x. unfold from. destruct (hg x). destruct (Rlt_dec t x); split; lra. }
intros u v uv. set (u' := Rmax u t). set (v' := Rmax v t). assert (uv' : u' <= v') by (apply Rle_max_compat_r; lra).
assert (tu : t <= u') by apply Rmax_r.
destruct (h u' v' uv') as (I & i & le). exists I. split; [now apply from_is|]. apply Rmin_glb; [easy|].
apply Rnot_lt_le. intros lt.
set (e := I - (L - (r - G t))). destruct (lim (e / 2) ltac:(unfold e; lra)) as (T & hT). set (w := Rmin T t).
pose proof (hT w (Rmin_l _ _)) as gw. assert (wt : w <= t) by apply Rmin_r.
destruct (h w t wt) as (J1 & j1 & _), (h t u' tu) as (J2 & j2 & _), (h w v' ltac:(lra)) as (J & j & jl).
assert (c : is_RInt g w v' (J1 + (J2 + I))).
{ apply (is_RInt_Chasles (V := R_NormedModule)) with t; [easy|].
  now apply (is_RInt_Chasles (V := R_NormedModule)) with u'. }
assert (ej : J = J1 + (J2 + I)) by (rewrite <- (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ j);
  exact (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ c)).
assert (k1 : G w - G t <= J1) by (apply (is_RInt_le D g w t); auto; intros x _; destruct (hg x);
  pose proof (Rmax_r 0 (D x)); lra).
assert (k2 : 0 <= J2) by (apply (is_RInt_le (fun _ => 0) g t u'); auto using nothing_is; intros x _; apply hg).
unfold e in gw. lra.
Qed.

(** * Noise *)

Lemma lap_tail_falls u v : u <= v -> lap_tail v <= lap_tail u.
Proof. intros uv. enough (0 <= lap_tail u - lap_tail v) by lra. apply (is_RInt_le (fun _ => 0) lap u v);
  auto using nothing_is, lap_tail_is. intros; left; apply lap_pos. Qed.
Lemma lap_tail_opp u : lap_under u = lap_tail (- u).
Proof. unfold lap_under, lap_tail. destruct (Rle_dec 0 u), (Rle_dec 0 (- u)); rewrite ?Ropp_involutive; try lra.
assert (u = 0) by lra. subst. rewrite Ropp_0, exp_0. lra. Qed.
Lemma lap_under_pos u : 0 <= lap_under u.
Proof. rewrite lap_tail_opp. apply lap_tail_pos. Qed.
Lemma lap_under_rises u v : u <= v -> lap_under u <= lap_under v.
Proof. intros h. pose proof (lap_tail_falls u v h). unfold lap_under. lra. Qed.
Lemma moved_is m u v : is_RInt (fun x => lap (x - m)) u v (lap_tail (u - m) - lap_tail (v - m)).
Proof.
pose proof (lap_tail_is (1 * u + - m) (1 * v + - m)) as c.
apply (is_RInt_comp_lin (V := R_NormedModule) lap 1 (- m) u v) in c.
replace (lap_tail (u - m) - lap_tail (v - m)) with (lap_tail (1 * u + - m) - lap_tail (1 * v + - m)) by (f_equal;
  f_equal; ring).
eapply is_RInt_ext; [|exact c]. intros x _. unfold scal; simpl; unfold mult; simpl. rewrite Rmult_1_l. f_equal. ring.
Qed.

Section Two.
Variables m n a b : R.
Hypothesis a0 : 0 <= a.
Hypothesis b0 : 0 <= b.
Let D x := a * lap (x - m) - b * lap (x - n).
Let G x := a * lap_tail (x - m) - b * lap_tail (x - n).
Lemma two_is u v : is_RInt D u v (G u - G v).
Proof.
apply (is_RInt_ext (fun x => Hierarchy.minus (scal a (lap (x - m))) (scal b (lap (x - n))))); [intros; easy|].
replace (G u - G v) with (Hierarchy.minus (scal a (lap_tail (u - m) - lap_tail (v - m)))
  (scal b (lap_tail (u - n) - lap_tail (v - n)))) by (unfold G; as_reals; ring).
apply (is_RInt_minus (V := R_NormedModule)); apply (is_RInt_scal (V := R_NormedModule)), moved_is.
Qed.
Lemma two_limit e : 0 < e -> exists T, forall v, v <= T -> a - b - e <= G v.
Proof.
intros e0. destruct (lap_tail_small (e / (a + 1)) ltac:(apply Rdiv_lt_0_compat; lra)) as (T & h). exists (m - T).
intros v hv.
destruct (h (- (v - m)) ltac:(lra)) as [_ k]. rewrite <- lap_tail_opp in k. unfold lap_under in k. unfold G.
assert (a * (1 - lap_tail (v - m)) <= e). { apply Rle_trans with (a * (e / (a + 1))); [now apply Rmult_le_compat_l|].
apply Rmult_le_reg_r with (a + 1); [lra|]. replace (a * (e / (a + 1)) * (a + 1)) with (a * e) by (field; lra). nra. }
pose proof (lap_under_pos (v - n)).
unfold lap_under in *. assert (0 <= b * (1 - lap_tail (v - n))) by now apply Rmult_le_pos. lra.
Qed.
(** Above t, a bound of the whole has left what the noise has below it. *)
Lemma two_from t L : line_Ub (fun x => Rmax 0 (D x)) L ->
  line_Ub (from t (fun x => Rmax 0 (D x))) (Rmin L (L - (a * lap_under (t - m) - b * lap_under (t - n)))).
Proof.
intros h. pose proof (from_Ub D G t L (a - b) two_is two_limit h) as k.
replace (a * lap_under (t - m) - b * lap_under (t - n)) with (a - b - G t) by (unfold G, lap_under; ring). exact k.
Qed.
End Two.

(** Between two points. *)
Lemma band_Ub m t t' : t <= t' ->
  line_Ub (fun x => from t (fun x => lap (x - m)) x - from t' (fun x => lap (x - m)) x)
  (lap_under (t' - m) - lap_under (t - m)).
Proof.
intros tt. set (g := fun x => lap (x - m)). set (A := fun u => lap_tail (Rmax u t - m) - lap_tail (Rmax u t' - m)).
exists (fun x => from t g x - from t' g x). split.
{ intros x. split; [lra|]. unfold from, g. pose proof (lap_pos (x - m)). destruct (Rlt_dec t x), (Rlt_dec t' x); lra. }
intros u v uv. exists (A u - A v). split.
- replace (A u - A v) with (Hierarchy.minus (lap_tail (Rmax u t - m) - lap_tail (Rmax v t - m))
    (lap_tail (Rmax u t' - m) - lap_tail (Rmax v t' - m))) by (unfold A; as_reals; ring).
  apply (is_RInt_minus (V := R_NormedModule)); (apply from_is; [easy|exact (moved_is m _ _)]).
- assert (av : 0 <= A v). { unfold A. pose proof (Rle_max_compat_l t t' v tt).
  pose proof (lap_tail_falls (Rmax v t - m) (Rmax v t' - m) ltac:(lra)). lra. }
  replace (lap_under (t' - m) - lap_under (t - m)) with (lap_tail (t - m) - lap_tail (t' - m)) by (unfold lap_under;
    ring). apply Rle_trans with (A u); [clearbody A; lra|].
  pose proof (lap_tail_falls (t - m) (t' - m) ltac:(lra)) as f. unfold A. destruct (Rle_dec u t) as [k|k].
  + rewrite !Rmax_right by lra. lra.
  + rewrite (Rmax_left u t) by lra. pose proof (lap_tail_falls (t - m) (u - m) ltac:(lra)).
    destruct (Rle_dec u t'); [rewrite Rmax_right by lra; lra|rewrite Rmax_left by lra; lra].
Qed.

(** * Bounds *)

Section Bounds.
Variables s c a b L : R.
Hypothesis s0 : 0 <= s.
Hypothesis a0 : 0 <= a.
Hypothesis b0 : 0 <= b.
(** Clamping is post-processing: what bounds the noise bounds it clamped. Clamped before the shift, one more term
  comes to it. *)
Theorem clamped_remove before : line_Ub (fun x => Rmax 0 (a * lap (x - - s) - b * lap (x - 0))) L ->
  Ub (s := struck) (fun o : bool + R =>
    Rmax 0 (a * clamp (- s) (- s - c) true o - b * clamp 0 (without_at s c before) before o))
    (L + if before then 0 else Rmin (a * lap_under (s - c)) (b * lap_under (- c))).
Proof.
intros h. pose proof (lap_under_pos (- c)) as p1. assert (ap : 0 <= a * lap_under (- c)) by now apply Rmult_le_pos.
assert (bp : 0 <= b * lap_under (- c)) by now apply Rmult_le_pos. unfold without_at. destruct before.
- pose proof (two_from (- s) 0 a b a0 b0 (- s - c) L h) as k. apply struck_le with (1 := k).
  + intros x. cbn [clamp]. unfold from. cbv beta. destruct (Rlt_dec (- s - c) x); [lra|]. rewrite Rmax_left; lra.
  + cbn [clamp Bool.eqb]. rewrite !Rmult_0_r, (Rminus_0_r 0), (Rmax_left 0 0) by lra. unfold Rmax, Rmin.
    destruct (Rle_dec 0 _); destruct (Rle_dec L _); lra.
- pose proof (two_from (- s) 0 a b a0 b0 (- c) L h) as k.
  pose proof (band_Ub (- s) (- s - c) (- c) ltac:(lra)) as k'. apply (ub_scale line _ _ a a0) in
    k'. pose proof (ub_add line _ _ _ _ k' k) as kk. apply struck_le with (1 := kk).
  + intros x. cbn [clamp]. unfold from. cbv beta. destruct (Rlt_dec (- s - c) x), (Rlt_dec (- c) x); try lra;
      rewrite ?Rmult_0_r, ?Rminus_0_r.
    * pose proof (lap_pos (x - - s)). assert (0 <= a * lap (x - - s)) by (apply Rmult_le_pos; lra).
      rewrite Rmax_right; lra.
    * rewrite Rmax_left; lra.
  + cbn [clamp Bool.eqb]. replace (- s - c - - s) with (- c) by ring. replace (- c - - s) with (s - c) by ring.
    rewrite !Rmult_0_r, !Rminus_0_r.
    rewrite (Rmax_right 0 (a * _)), (Rmax_left 0 (0 - _)) by lra. unfold Rmin.
    destruct (Rle_dec L _), (Rle_dec (a * lap_under (s - c)) _); lra.
Qed.
Theorem clamped_add before : line_Ub (fun x => Rmax 0 (a * lap (x - 0) - b * lap (x - - s))) L ->
  Ub (s := struck) (fun o : bool + R =>
    Rmax 0 (a * clamp 0 (without_at s c before) before o - b * clamp (- s) (- s - c) true o))
    (L + if before then 0 else Rmin (a * lap_under (- c)) (b * lap_under (s - c))).
Proof.
intros h. pose proof (lap_under_pos (- c)) as p1. assert (ap : 0 <= a * lap_under (- c)) by now apply Rmult_le_pos.
assert (bp : 0 <= b * lap_under (- c)) by now apply Rmult_le_pos. unfold without_at. destruct before.
- pose proof (two_from 0 (- s) a b a0 b0 (- s - c) L h) as k. apply struck_le with (1 := k).
  + intros x. cbn [clamp]. unfold from. cbv beta. destruct (Rlt_dec (- s - c) x); [lra|]. rewrite Rmax_left; lra.
  + cbn [clamp Bool.eqb]. rewrite !Rmult_0_r, (Rminus_0_r 0), (Rmax_left 0 0) by lra. unfold Rmax, Rmin.
    destruct (Rle_dec 0 _); destruct (Rle_dec L _); lra.
- pose proof (two_from 0 (- s) a b a0 b0 (- c) L h) as k. apply struck_le with (1 := k).
  + intros x. cbn [clamp]. unfold from. cbv beta. destruct (Rlt_dec (- s - c) x), (Rlt_dec (- c) x); try lra;
      rewrite ?Rmult_0_r, ?Rminus_0_r.
    * pose proof (lap_pos (x - - s)). assert (0 <= b * lap (x - - s)) by (apply Rmult_le_pos; lra).
      rewrite Rmax_left; lra.
    * rewrite Rmax_left; lra.
  + cbn [clamp Bool.eqb]. replace (- s - c - - s) with (- c) by ring. replace (- c - - s) with (s - c) by ring.
    rewrite !Rmult_0_r, !Rminus_0_r.
    rewrite (Rmax_right 0 (a * _)), (Rmax_left 0 (0 - _)) by lra. unfold Rmin.
    destruct (Rle_dec L _), (Rle_dec (a * lap_under (- c)) _); lra.
Qed.
End Bounds.
Lemma clamp_ge0 m t v o : 0 <= clamp m t v o.
Proof. destruct o as [w|x]; cbn [clamp]; [destruct (Bool.eqb v w); [apply lap_under_pos|lra]|].
destruct (Rlt_dec t x); [left; apply lap_pos|lra]. Qed.
