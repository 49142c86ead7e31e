(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Exp of rational numbers in fixed point, on integers. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals.
From Dpverify Require Import Numbers.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Series.
Local Open Scope R_scope.

(** * Taylor polynomials of exp *)

Fixpoint mono (n : nat) (x : R) : R := match n with O => 1 | S n' => mono n' x * x / INR n end.
Fixpoint taylor (n : nat) (x : R) : R := match n with O => 0 | S n' => taylor n' x + mono n' x end.

Lemma mono_1 t : t = mono 1 t. Proof. simpl. field. Qed.
Lemma mono_S n t : / INR (S n) * (mono n t * t) = mono (S n) t. Proof.
change (mono (S n) t) with (mono n t * t / INR (S n)). unfold Rdiv. ring. Qed.
Lemma mono_eq n x : / INR (S (S n)) * (mono n x * x + mono (S n) x * 1) = mono (S n) x.
Proof.
change (mono (S n) x) with (mono n x * x / INR (S n)). rewrite (S_INR (S n)), (S_INR n). pose proof (pos_INR n).
field. lra.
Qed.
Lemma mono_derive n x : is_derive (mono (S n)) x (mono n x).
Proof.
induction n as [|n ih].
- apply (is_derive_ext (fun x => x) (mono 1) x 1 mono_1). apply (is_derive_id (K := R_AbsRing)).
- apply (is_derive_ext _ _ x _ (mono_S (S n))). rewrite <- mono_eq.
  apply (is_derive_scal (fun y => mono (S n) y * y)). apply (is_derive_mult (mono (S n)) (fun y => y));
    [exact ih|apply (is_derive_id (K := R_AbsRing))|intros; apply Rmult_comm].
Qed.
Lemma taylor_derive n x : is_derive (taylor (S n)) x (taylor n x).
Proof.
induction n as [|n ih].
- assert (e : forall t, 1 = taylor 1 t) by (intros; simpl; ring). apply (is_derive_ext _ _ x _ e).
  apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule)).
- apply (is_derive_ext (fun y => taylor (S n) y + mono (S n) y)); [reflexivity|].
  apply (is_derive_plus (V := R_NormedModule)); [exact ih|apply mono_derive].
Qed.
Lemma at_0 n y : taylor (S n) 0 + y * mono (S n) 0 = 1.
Proof.
assert (m0 : forall k, mono (S k) 0 = 0) by (intros k; cbn [mono]; unfold Rdiv; ring).
rewrite m0, Rmult_0_r, Rplus_0_r. induction n as [|n ih]; [simpl; ring|].
change (taylor (S (S n)) 0) with (taylor (S n) 0 + mono (S n) 0). rewrite ih, m0. ring.
Qed.
Lemma grows (f df : R -> R) x : 0 <= x -> (forall t, is_derive f t (df t)) -> (forall t, 0 <= t <= x -> 0 <= df t) ->
  f 0 <= f x.
Proof.
intros x0 d pos. destruct (MVT_gen f 0 x df) as (c & hc & e).
- intros t _. apply d.
- intros t _. apply derivable_continuous_pt. exists (df t). apply is_derive_Reals, d.
- rewrite Rmin_left, Rmax_right in hc by lra. pose proof (pos c hc).
  assert (0 <= df c * (x - 0)) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma der (n : nat) y x : is_derive (fun t => taylor (S n) t + y * mono (S n) t) x (taylor n x + y * mono n x).
Proof. apply (is_derive_plus (V := R_NormedModule)); [apply taylor_derive|].
apply (is_derive_scal (mono (S n))), mono_derive. Qed.
Lemma der_exp x : is_derive exp x (exp x).
Proof. apply is_derive_Reals, derivable_pt_lim_exp. Qed.
Theorem exp_between n : forall x, 0 <= x <= 1 -> taylor n x + 1 * mono n x <= exp x <= taylor n x + 3 * mono n x.
Proof.
induction n as [|n ih]; intros x hx.
- simpl. pose proof (exp_ineq1_le x).
  assert (exp x <= exp 1) by (destruct (proj2 hx); [left; now apply exp_increasing|subst; lra]).
  pose proof exp_le_3. lra.
- split.
  + pose proof (grows (fun t => exp t - (taylor (S n) t + 1 * mono (S n) t)) (fun t =>
      exp t - (taylor n t + 1 * mono n t)) x (proj1 hx)) as g.
    cbv beta in g. rewrite at_0, exp_0 in g. enough (1 - 1 <= exp x - (taylor (S n) x + 1 * mono (S n) x)) by lra.
    apply g.
    * intros t. apply (is_derive_minus (V := R_NormedModule)); [apply der_exp|apply der].
    * intros t ht. pose proof (ih t). lra.
  + pose proof (grows (fun t => (taylor (S n) t + 3 * mono (S n) t) - exp t) (fun t =>
      (taylor n t + 3 * mono n t) - exp t) x (proj1 hx)) as g.
    cbv beta in g. rewrite at_0, exp_0 in g. enough (1 - 1 <= taylor (S n) x + 3 * mono (S n) x - exp x) by lra.
    apply g.
    * intros t. apply (is_derive_minus (V := R_NormedModule)); [apply der|apply der_exp].
    * intros t ht. pose proof (ih t). lra.
Qed.

Fixpoint ehR (k : nat) (d : Z) (x e : R) : R := match k with O => e | S k' => 1 + x * ehR k' (d + 1) x e / IZR d end.
Lemma ehR_last k : forall d x e, ehR (S k) d x e = ehR k d x (1 + x * e / IZR (d + Z.of_nat k)).
Proof.
induction k as [|k ih]; intros d x e.
- cbn [ehR]. now replace (d + Z.of_nat 0)%Z with d by lia.
- change (ehR (S (S k)) d x e) with (1 + x * ehR (S k) (d + 1) x e / IZR d). rewrite ih. cbn [ehR].
  now replace (d + 1 + Z.of_nat k)%Z with (d + Z.of_nat (S k))%Z by lia.
Qed.
Lemma ehR_is n : forall x e, ehR n 1 x e = taylor n x + e * mono n x.
Proof.
induction n as [|n ih]; intros x e; [simpl; ring|]. rewrite ehR_last, ih. cbn [taylor mono].
replace (IZR (1 + Z.of_nat n)) with (INR (S n)) by (rewrite INR_IZR_INZ; f_equal; lia). field. apply not_0_INR. lia.
Qed.
Lemma exp_is n x : 0 <= x <= 1 -> exists e, 1 <= e <= 3 /\ exp x = ehR n 1 x e.
Proof.
intros hx. pose proof (exp_between n x hx) as [lo hi].
destruct (Rle_lt_or_eq_dec 0 x (proj1 hx)) as [x0|<-].
- assert (m0 : 0 < mono n x).
  { clear -x0. induction n as [|n ih]; cbn [mono]; [lra|]. apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat|].
    apply Rinv_0_lt_compat, lt_0_INR. lia. }
  exists ((exp x - taylor n x) / mono n x). split; [|rewrite ehR_is; field; lra].
  split; apply Rmult_le_reg_r with (mono n x); try easy; field_simplify; lra.
- exists 1. split; [lra|]. rewrite exp_0, ehR_is. destruct n; [simpl; ring|]. now rewrite at_0.
Qed.

(** * Enclosures of positive numbers, in units of 2^−p *)

Section FixedPoint.
Variable p : precision.
Hypothesis p0 : (0 <= p)%Z.
Definition unit := (2 ^ p)%Z.
Definition U : R := IZR unit.
Lemma unit_pos : (0 < unit)%Z. Proof. unfold unit. apply Z.pow_pos_nonneg; lia. Qed.
Lemma U_pos : 0 < U. Proof. apply IZR_lt, unit_pos. Qed.
Definition enc (e : Z * Z) (x : R) : Prop := (0 <= fst e)%Z /\ IZR (fst e) <= x * U /\ x * U <= IZR (snd e).

Definition up (x : Z) : Z := (- Z.shiftr (- x) p)%Z.
Definition whole (n : Z) : Z * Z := (Z.shiftl n p, Z.shiftl n p).
Definition plus (a b : Z * Z) : Z * Z := (fst a + fst b, snd a + snd b)%Z.

Lemma enc_pos e x : enc e x -> 0 <= x.
Proof. intros (h & l & _). apply IZR_le in h. pose proof U_pos. apply Rmult_le_reg_r with U; lra. Qed.
Lemma enc_high e x : enc e x -> (0 <= snd e)%Z.
Proof. intros h. pose proof (enc_pos _ _ h). destruct h as (_ & _ & u). apply le_IZR. apply Rle_trans with (2 := u).
apply Rmult_le_pos; [easy|]. left. apply U_pos. Qed.
Lemma shiftr_le x : IZR (Z.shiftr x p) * U <= IZR x.
Proof.
unfold U, unit. rewrite <- mult_IZR, Z.shiftr_div_pow2 by easy. apply IZR_le. rewrite Z.mul_comm. apply Z.mul_div_le.
apply Z.pow_pos_nonneg; lia.
Qed.
Lemma up_ge x : IZR x <= IZR (up x) * U.
Proof. unfold up. rewrite opp_IZR. pose proof (shiftr_le (- x)) as h. rewrite opp_IZR in h. lra. Qed.
Lemma shiftr_pos x : (0 <= x)%Z -> (0 <= Z.shiftr x p)%Z.
Proof. intros. now apply Z.shiftr_nonneg. Qed.
Lemma whole_ok n : (0 <= n)%Z -> enc (whole n) (IZR n).
Proof. intros h. unfold enc, whole, U, unit; cbn [fst snd]. rewrite Z.shiftl_mul_pow2 by easy. rewrite mult_IZR.
split; [|lra]. apply Z.mul_nonneg_nonneg; [easy|]. apply Z.pow_nonneg. lia. Qed.
Lemma plus_ok a b x y : enc a x -> enc b y -> enc (plus a b) (x + y).
Proof. intros (h & l & u) (h' & l' & u'). unfold enc, plus; cbn [fst snd]. rewrite !plus_IZR.
repeat split; [lia|lra|lra]. Qed.

(** ** On the numbers that programs compute with *)

Notation T := (arith p).
Definition inside (e : Z * Z) : T * T := (of_Z (fst e), of_Z (snd e)).
Definition outside (e : T * T) : Z * Z := (to_Z (fst e), to_Z (snd e)).
Definition holds (e : T * T) (x : R) : Prop := IZR (to_Z (fst e)) <= x * U /\ x * U <= IZR (to_Z (snd e)).
Lemma outside_ok e x : holds e x -> enc (outside e) x.
Proof. intros [l u]. split; [apply to_Z_pos|now split]. Qed.
Lemma inside_ok e x : enc e x -> holds (inside e) x.
Proof. intros h. pose proof (enc_high _ _ h). destruct h as (h & l & u). unfold holds, inside; cbn [fst snd].
rewrite !of_Z_is by easy. now split. Qed.

(** Quotients, rounded up. *)
Definition ceiling (x d : T) : T := divn (addn x (subn d (single p))) d.
Lemma ceiling_ge x d : (0 < to_Z d)%Z -> IZR (to_Z x) <= IZR (to_Z (ceiling x d)) * IZR (to_Z d).
Proof.
intros h. unfold ceiling. rewrite divn_is, addn_is, subn_is, single_is, <- mult_IZR. apply IZR_le.
rewrite Z.max_r by lia.
pose proof (Z.div_mod (to_Z x + (to_Z d - 1)) (to_Z d) ltac:(lia)).
pose proof (Z.mod_pos_bound (to_Z x + (to_Z d - 1)) (to_Z d) h). lia.
Qed.
Lemma floor_le x d : (0 < d)%Z -> IZR (x / d) * IZR d <= IZR x.
Proof. intros h. rewrite <- mult_IZR. apply IZR_le. rewrite Z.mul_comm. now apply Z.mul_div_le. Qed.

Definition plusT (a b : T * T) : T * T := (addn (fst a) (fst b), addn (snd a) (snd b)).
Definition timesT (a b : T * T) : T * T :=
  (shrn (muln (fst a) (fst b)) (width p), shrn (addn (muln (snd a) (snd b)) (below_full p)) (width p)).
Definition overT (a : T * T) (d : T) : T * T := (divn (fst a) d, ceiling (snd a) d).
Definition wholeT (x : T) : T * T := let y := shln x (width p) in (y, y).
Definition quotientT (a b : T * T) : T * T :=
  (divn (shln (fst a) (width p)) (snd b), ceiling (shln (snd a) (width p)) (fst b)).

Lemma plusT_ok a b x y : holds a x -> holds b y -> holds (plusT a b) (x + y).
Proof. intros [l u] [l' u']. unfold holds, plusT; cbn [fst snd]. rewrite !addn_is, !plus_IZR. lra. Qed.
Lemma to_Z_0 (x : T) : 0 <= IZR (to_Z x). Proof. apply IZR_le, to_Z_pos. Qed.
Lemma timesT_ok a b x y : 0 <= x -> 0 <= y -> holds a x -> holds b y -> holds (timesT a b) (x * y).
Proof.
intros x0 y0 [l u] [l' u']. pose proof U_pos as u0. pose proof (to_Z_0 (fst a)). pose proof (to_Z_0 (fst b)).
unfold holds, timesT; cbn [fst snd]. rewrite !shrn_is, addn_is, !muln_is, below_full_is, width_is by easy. fold unit.
split; apply Rmult_le_reg_r with U; try easy; replace (x * y * U * U) with ((x * U) * (y * U)) by ring.
- eapply Rle_trans; [apply shiftr_le|]. rewrite mult_IZR. now apply Rmult_le_compat.
- apply Rle_trans with (IZR (to_Z (snd a) * to_Z (snd b))).
  + rewrite mult_IZR. apply Rmult_le_compat; try easy; apply Rmult_le_pos; lra.
  + unfold U. rewrite <- mult_IZR. apply IZR_le. rewrite Z.shiftr_div_pow2 by easy. fold unit. pose proof unit_pos.
    set (z := (to_Z (snd a) * to_Z (snd b))%Z).
    pose proof (Z.div_mod (z + (unit - 1)) unit ltac:(lia)).
    pose proof (Z.mod_pos_bound (z + (unit - 1)) unit ltac:(lia)). lia.
Qed.
Lemma overT_ok a d x : (0 < to_Z d)%Z -> holds a x -> holds (overT a d) (x / IZR (to_Z d)).
Proof.
intros d0 [l u]. unfold holds, overT; cbn [fst snd]. apply IZR_lt in d0 as dr. rewrite divn_is.
assert (k : x / IZR (to_Z d) * U * IZR (to_Z d) = x * U) by (field; lra).
split; apply Rmult_le_reg_r with (IZR (to_Z d)); try easy; rewrite k.
- apply Rle_trans with (2 := l). now apply floor_le.
- apply Rle_trans with (1 := u). now apply ceiling_ge.
Qed.
Lemma wholeT_ok n : holds (wholeT n) (IZR (to_Z n)).
Proof. unfold holds, wholeT; cbn [fst snd]. rewrite shln_is, width_is, Z.shiftl_mul_pow2, mult_IZR by easy.
fold unit U. lra. Qed.
Lemma quotientT_ok a b x y : (0 < to_Z (fst b))%Z -> 0 <= x -> holds a x -> holds b y -> holds (quotientT a b) (x / y).
Proof.
intros f0 x0 [la ua] [l u]. pose proof U_pos as u0. apply IZR_lt in f0 as fr.
assert (y0 : 0 < y) by (apply Rmult_lt_reg_r with U; lra). assert (s0 : 0 < IZR (to_Z (snd b))) by lra.
apply lt_IZR in s0 as s1.
unfold holds, quotientT; cbn [fst snd]. rewrite divn_is.
assert (sh : forall c : T, IZR (to_Z (shln c (width p))) = IZR (to_Z c) * U) by (intros;
  rewrite shln_is, width_is, Z.shiftl_mul_pow2, mult_IZR by easy; easy).
assert (k : x / y * U * (y * U) = x * U * U) by (field; lra). assert (yU : 0 < y * U) by now apply Rmult_lt_0_compat.
split; apply Rmult_le_reg_r with (y * U); try easy; rewrite k.
- set (q := (to_Z (shln (fst a) (width p)) / to_Z (snd b))%Z).
  pose proof (floor_le (to_Z (shln (fst a) (width p))) _ s1) as d. fold q in d. rewrite sh in d.
  assert (q0 : 0 <= IZR q) by (apply IZR_le, Z.div_pos; [apply to_Z_pos|easy]).
  apply Rle_trans with (IZR q * IZR (to_Z (snd b))); [now apply Rmult_le_compat_l|]. apply Rle_trans with (1 := d).
  apply Rmult_le_compat_r; lra.
- pose proof (ceiling_ge (shln (snd a) (width p)) (fst b) f0) as d. rewrite sh in d.
  pose proof (to_Z_0 (ceiling (shln (snd a) (width p)) (fst b))).
  apply Rle_trans with (IZR (to_Z (snd a)) * U); [apply Rmult_le_compat_r; lra|]. apply Rle_trans with (1 := d).
  now apply Rmult_le_compat_l.
Qed.
Lemma fullT : IZR (to_Z (full p)) = U.
Proof. now rewrite full_is. Qed.
Lemma one_ok : holds (full p, full p) 1.
Proof. unfold holds; cbn [fst snd]. rewrite fullT. lra. Qed.

(** ** The same on integers *)

Definition times (a b : Z * Z) : Z * Z := outside (timesT (inside a) (inside b)).
Definition over (a : Z * Z) (d : Z) : Z * Z := outside (overT (inside a) (of_Z d)).
Definition quotient (a b : Z * Z) : Z * Z := outside (quotientT (inside a) (inside b)).
Lemma times_ok a b x y : enc a x -> enc b y -> enc (times a b) (x * y).
Proof. intros ha hb. apply outside_ok, timesT_ok; eauto using inside_ok, enc_pos. Qed.
Lemma over_ok a d x : (0 < d)%Z -> enc a x -> enc (over a d) (x / IZR d).
Proof.
intros d0 h. apply outside_ok. assert (e : to_Z (of_Z d : T) = d) by (apply of_Z_is; lia).
pose proof (overT_ok (inside a) (of_Z d) x) as k. rewrite e in k. apply k; [easy|now apply inside_ok].
Qed.
Lemma quotient_ok a b x y : (0 < fst b)%Z -> enc a x -> enc b y -> enc (quotient a b) (x / y).
Proof. intros f0 ha hb. apply outside_ok, quotientT_ok; eauto using inside_ok, enc_pos. cbn [inside fst].
rewrite of_Z_is; lia. Qed.

(** ** exp *)

Fixpoint ehT (k : nat) (d : Z) (x : T * T) : T * T :=
  match k with O => (full p, addn (full p) (addn (full p) (full p))) | S k' =>
    plusT (full p, full p) (overT (timesT x (ehT k' (d + 1) x)) (of_Z d)) end.
Lemma ehT_ok k : forall d xi x e, (0 < d)%Z -> 0 <= x -> holds xi x -> 1 <= e <= 3 ->
  holds (ehT k d xi) (ehR k d x e) /\ 0 <= ehR k d x e.
Proof.
induction k as [|k ih]; intros d xi x e d0 x0 hx he; cbn [ehT ehR].
- split; [|lra]. unfold holds; cbn [fst snd]. rewrite !addn_is, !plus_IZR, fullT. pose proof U_pos. split; nra.
- destruct (ih (d + 1)%Z xi x e ltac:(lia) x0 hx he) as [h h0]. pose proof (Rmult_le_pos _ _ x0 h0) as xh.
  apply IZR_lt in d0 as dr.
  assert (ed : to_Z (of_Z d : T) = d) by (apply of_Z_is; lia). split.
  + apply plusT_ok; [apply one_ok|].
    pose proof (overT_ok (timesT xi (ehT k (d + 1) xi)) (of_Z d) (x * ehR k (d + 1) x e)) as o. rewrite ed in o.
    apply o; [easy|]. now apply timesT_ok.
  + assert (0 <= x * ehR k (d + 1) x e / IZR d); [|lra]. apply Rmult_le_pos; [easy|]. left. now apply Rinv_0_lt_compat.
Qed.
Fixpoint square (j : nat) (e : T * T) : T * T := match j with O => e | S j' => square j' (timesT e e) end.
Lemma square_ok j : forall e x, holds e (exp x) -> holds (square j e) (exp (x * 2 ^ j)).
Proof.
induction j as [|j ih]; intros e x h; cbn [square pow]; [now rewrite Rmult_1_r|].
replace (x * (2 * 2 ^ j)) with ((x + x) * 2 ^ j) by ring. apply ih. rewrite exp_plus. pose proof (exp_pos x).
apply timesT_ok; lra || easy.
Qed.
Definition expT (k : nat) (x : T * T) : T * T :=
  let j := (Z.log2_up (to_Z (snd x)) - p + 6)%Z in
    square (Z.to_nat j) (ehT k 1 (overT x (shln (single p) (of_Z (Z.max 0 j))))).
Lemma expT_ok k xi x : 0 <= x -> holds xi x -> holds (expT k xi) (exp x).
Proof.
intros x0 h. unfold expT. set (j := (Z.log2_up (to_Z (snd xi)) - p + 6)%Z). pose proof U_pos as u0.
set (d := shln (single p) (of_Z (Z.max 0 j))).
assert (ed : to_Z d = (2 ^ Z.max 0 j)%Z) by (unfold d; rewrite shln_is, single_is, of_Z_is, Z.shiftl_mul_pow2 by lia;
  lia).
assert (e : IZR (2 ^ Z.max 0 j) = 2 ^ Z.to_nat j).
{ destruct (Z.le_gt_cases 0 j) as [c|c].
  - rewrite Z.max_r by easy. rewrite <- (Z2Nat.id j) at 1 by easy. rewrite <- pow_IZR. easy.
  - rewrite Z.max_l by lia. replace (Z.to_nat j) with O by lia. easy. }
assert (t0 : (0 < 2 ^ Z.max 0 j)%Z) by (apply Z.pow_pos_nonneg; lia). apply IZR_lt in t0 as tr.
replace x with (x / IZR (2 ^ Z.max 0 j) * 2 ^ Z.to_nat j) at 1 by (rewrite <- e; field; lra).
apply square_ok. set (y := x / IZR (2 ^ Z.max 0 j)).
assert (y01 : 0 <= y <= 1).
{ split; [apply Rmult_le_pos; [easy|left; now apply Rinv_0_lt_compat]|]. unfold y.
  apply Rmult_le_reg_r with (IZR (2 ^ Z.max 0 j) * U); [now apply Rmult_lt_0_compat|].
  replace (x / IZR (2 ^ Z.max 0 j) * (IZR (2 ^ Z.max 0 j) * U)) with (x * U) by (field; lra). destruct h as [_ hu].
  apply Rle_trans with (1 := hu).
  rewrite Rmult_1_l. unfold U, unit. rewrite <- mult_IZR. apply IZR_le. rewrite <- Z.pow_add_r by lia.
  destruct (Z.le_gt_cases (to_Z (snd xi)) 1) as [c|c].
  - apply Z.le_trans with (1 := c). assert (0 < 2 ^ (Z.max 0 j + p))%Z by (apply Z.pow_pos_nonneg; lia). lia.
  - destruct (Z.log2_up_spec _ c) as [_ l]. apply Z.le_trans with (1 := l). apply Z.pow_le_mono_r; lia. }
destruct (exp_is k y y01) as (e1 & he & ->). apply ehT_ok; [lia|easy| |easy]. unfold y. rewrite <- ed.
apply overT_ok; [rewrite ed; now apply lt_IZR|easy].
Qed.

(** Of rational numbers. *)
Definition ratT (q : Q) : T * T := overT (wholeT (of_Z (Qnum q))) (of_Z (Zpos (Qden q))).
Lemma ratT_ok q : (0 <= Qnum q)%Z -> holds (ratT q) (Q2R q) /\ 0 <= Q2R q.
Proof.
intros h. unfold ratT, Q2R. assert (ed : to_Z (of_Z (Zpos (Qden q)) : T) = Zpos (Qden q)) by now apply of_Z_is. split.
- pose proof (overT_ok (wholeT (of_Z (Qnum q))) (of_Z (Zpos (Qden q))) (IZR (Qnum q))) as o. rewrite ed in o.
  apply o; [easy|]. pose proof (wholeT_ok (of_Z (Qnum q))) as w. now rewrite of_Z_is in w.
- apply Rmult_le_pos; [now apply IZR_le|]. left. apply Rinv_0_lt_compat, IZR_lt. lia.
Qed.
Definition ratI (q : Q) : Z * Z := outside (ratT q).
Lemma ratI_ok q : (0 <= Qnum q)%Z -> enc (ratI q) (Q2R q).
Proof. intros h. apply outside_ok. now apply ratT_ok. Qed.
Definition expQ (k : nat) (q : Q) : Z * Z :=
  if (0 <=? Qnum q)%Z then outside (expT k (ratT q)) else let e := expT k (ratT (- q)) in if (0 <? to_Z (fst e))%Z
    then outside (quotientT (full p, full p) e) else (0, unit)%Z.
Lemma expQ_ok k q : enc (expQ k q) (exp (Q2R q)).
Proof.
unfold expQ. destruct (Z.leb_spec 0 (Qnum q)) as [h|h]; [destruct (ratT_ok q h); now apply outside_ok, expT_ok|].
assert (e : holds (expT k (ratT (- q))) (exp (- Q2R q))).
{ rewrite <- Q2R_opp. destruct (ratT_ok (- q) ltac:(simpl; lia)). now apply expT_ok. }
cbv zeta. destruct (Z.ltb_spec 0 (to_Z (fst (expT k (ratT (- q)))))) as [f|f].
- replace (exp (Q2R q)) with (1 / exp (- Q2R q)) by (unfold Rdiv; rewrite exp_Ropp, Rinv_inv; ring).
  apply outside_ok, quotientT_ok; auto using one_ok. lra.
- pose proof U_pos. pose proof (exp_pos (Q2R q)). unfold enc; cbn [fst snd]. fold U. split; [lia|].
  assert (Q2R q <= 0). { unfold Q2R. assert (IZR (Qnum q) <= 0) by (apply IZR_le; lia).
  assert (0 < / IZR (Zpos (Qden q))) by (apply Rinv_0_lt_compat, IZR_lt; lia). nra. }
  assert (exp (Q2R q) <= 1).
  { rewrite <- exp_0. destruct H1 as [H1|H1]; [left; now apply exp_increasing|rewrite H1; lra]. }
  split; [nra|]. unfold U in *. nra.
Qed.
End FixedPoint.
