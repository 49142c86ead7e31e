(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Exp of rational numbers in fixed point, on integers. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Series.
Local Open Scope R_scope.

(** * Taylor polynomials of exp *)

Fixpoint mono (n : nat) (x : R) : R := match n with O => 1 | S n' => mono n' x * x / INR n end.
Fixpoint taylor (n : nat) (x : R) : R := match n with O => 0 | S n' => taylor n' x + mono n' x end.

Lemma mono_1 t : t = mono 1 t. Proof. simpl. field. Qed.
Lemma mono_S n t : / INR (S n) * (mono n t * t) = mono (S n) t. Proof. change (mono (S n) t) with (mono n t * t / INR (S n)). unfold Rdiv. ring. Qed.
Lemma mono_eq n x : / INR (S (S n)) * (mono n x * x + mono (S n) x * 1) = mono (S n) x.
Proof.
change (mono (S n) x) with (mono n x * x / INR (S n)). rewrite (S_INR (S n)), (S_INR n). pose proof (pos_INR n). field. lra.
Qed.
Lemma mono_derive n x : is_derive (mono (S n)) x (mono n x).
Proof.
induction n as [|n ih].
- apply (is_derive_ext (fun x => x) (mono 1) x 1 mono_1). apply (is_derive_id (K := R_AbsRing)).
- apply (is_derive_ext _ _ x _ (mono_S (S n))). rewrite <- mono_eq.
  apply (is_derive_scal (fun y => mono (S n) y * y)). apply (is_derive_mult (mono (S n)) (fun y => y)); [exact ih|apply (is_derive_id (K := R_AbsRing))|intros; apply Rmult_comm].
Qed.
Lemma taylor_derive n x : is_derive (taylor (S n)) x (taylor n x).
Proof.
induction n as [|n ih].
- assert (e : forall t, 1 = taylor 1 t) by (intros; simpl; ring). apply (is_derive_ext _ _ x _ e). apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule)).
- apply (is_derive_ext (fun y => taylor (S n) y + mono (S n) y)); [reflexivity|].
  apply (is_derive_plus (V := R_NormedModule)); [exact ih|apply mono_derive].
Qed.
Lemma at_0 n y : taylor (S n) 0 + y * mono (S n) 0 = 1.
Proof.
assert (m0 : forall k, mono (S k) 0 = 0) by (intros k; cbn [mono]; unfold Rdiv; ring).
rewrite m0, Rmult_0_r, Rplus_0_r. induction n as [|n ih]; [simpl; ring|].
change (taylor (S (S n)) 0) with (taylor (S n) 0 + mono (S n) 0). rewrite ih, m0. ring.
Qed.
Lemma grows (f df : R -> R) x : 0 <= x -> (forall t, is_derive f t (df t)) -> (forall t, 0 <= t <= x -> 0 <= df t) -> f 0 <= f x.
Proof.
intros x0 d pos. destruct (MVT_gen f 0 x df) as (c & hc & e).
- intros t _. apply d.
- intros t _. apply derivable_continuous_pt. exists (df t). apply is_derive_Reals, d.
- rewrite Rmin_left, Rmax_right in hc by lra. pose proof (pos c hc). assert (0 <= df c * (x - 0)) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma der (n : nat) y x : is_derive (fun t => taylor (S n) t + y * mono (S n) t) x (taylor n x + y * mono n x).
Proof. apply (is_derive_plus (V := R_NormedModule)); [apply taylor_derive|]. apply (is_derive_scal (mono (S n))), mono_derive. Qed.
Lemma der_exp x : is_derive exp x (exp x).
Proof. apply is_derive_Reals, derivable_pt_lim_exp. Qed.
Theorem exp_between n : forall x, 0 <= x <= 1 -> taylor n x + 1 * mono n x <= exp x <= taylor n x + 3 * mono n x.
Proof.
induction n as [|n ih]; intros x hx.
- simpl. pose proof (exp_ineq1_le x). assert (exp x <= exp 1) by (destruct (proj2 hx); [left; now apply exp_increasing|subst; lra]).
  pose proof exp_le_3. lra.
- split.
  + pose proof (grows (fun t => exp t - (taylor (S n) t + 1 * mono (S n) t)) (fun t => exp t - (taylor n t + 1 * mono n t)) x (proj1 hx)) as g.
    cbv beta in g. rewrite at_0, exp_0 in g. enough (1 - 1 <= exp x - (taylor (S n) x + 1 * mono (S n) x)) by lra. apply g.
    * intros t. apply (is_derive_minus (V := R_NormedModule)); [apply der_exp|apply der].
    * intros t ht. pose proof (ih t). lra.
  + pose proof (grows (fun t => (taylor (S n) t + 3 * mono (S n) t) - exp t) (fun t => (taylor n t + 3 * mono n t) - exp t) x (proj1 hx)) as g.
    cbv beta in g. rewrite at_0, exp_0 in g. enough (1 - 1 <= taylor (S n) x + 3 * mono (S n) x - exp x) by lra. apply g.
    * intros t. apply (is_derive_minus (V := R_NormedModule)); [apply der|apply der_exp].
    * intros t ht. pose proof (ih t). lra.
Qed.

Fixpoint ehR (k : nat) (d : Z) (x e : R) : R := match k with O => e | S k' => 1 + x * ehR k' (d + 1) x e / IZR d end.
Lemma ehR_last k : forall d x e, ehR (S k) d x e = ehR k d x (1 + x * e / IZR (d + Z.of_nat k)).
Proof.
induction k as [|k ih]; intros d x e.
- cbn [ehR]. now replace (d + Z.of_nat 0)%Z with d by lia.
- change (ehR (S (S k)) d x e) with (1 + x * ehR (S k) (d + 1) x e / IZR d). rewrite ih. cbn [ehR]. now replace (d + 1 + Z.of_nat k)%Z with (d + Z.of_nat (S k))%Z by lia.
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
  { clear -x0. induction n as [|n ih]; cbn [mono]; [lra|]. apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat|]. apply Rinv_0_lt_compat, lt_0_INR. lia. }
  exists ((exp x - taylor n x) / mono n x). split; [|rewrite ehR_is; field; lra].
  split; apply Rmult_le_reg_r with (mono n x); try easy; field_simplify; lra.
- exists 1. split; [lra|]. rewrite exp_0, ehR_is. destruct n; [simpl; ring|]. now rewrite at_0.
Qed.

(** * Enclosures of positive numbers, in units of 2^−p *)

Section FixedPoint.
Variable p : Z.
Hypothesis p0 : (0 <= p)%Z.
Definition unit := (2 ^ p)%Z.
Definition U : R := IZR unit.
Lemma U_pos : 0 < U. Proof. apply IZR_lt. unfold unit. apply Z.pow_pos_nonneg; lia. Qed.
Definition enc (e : Z * Z) (x : R) : Prop := (0 <= fst e)%Z /\ IZR (fst e) <= x * U /\ x * U <= IZR (snd e).

Definition up (x : Z) : Z := (- Z.shiftr (- x) p)%Z.
Definition whole (n : Z) : Z * Z := (Z.shiftl n p, Z.shiftl n p).
Definition plus (a b : Z * Z) : Z * Z := (fst a + fst b, snd a + snd b)%Z.
Definition times (a b : Z * Z) : Z * Z :=
  let '(la, ha) := a in let '(lb, hb) := b in
  let l := (la * lb)%Z in (Z.shiftr l p, up (l + (hb - lb) * la + (ha - la) * hb))%Z.
Definition over (a : Z * Z) (d : Z) : Z * Z := let q := (fst a / d)%Z in (q, q - (q * d - snd a) / d)%Z.
Definition quotient (a b : Z * Z) : Z * Z := (Z.shiftl (fst a) p / snd b, - (Z.shiftl (- snd a) p / fst b))%Z.

Lemma enc_pos e x : enc e x -> 0 <= x.
Proof. intros (h & l & _). apply IZR_le in h. pose proof U_pos. apply Rmult_le_reg_r with U; lra. Qed.
Lemma shiftr_le x : IZR (Z.shiftr x p) * U <= IZR x.
Proof.
unfold U, unit. rewrite <- mult_IZR, Z.shiftr_div_pow2 by easy. apply IZR_le. rewrite Z.mul_comm. apply Z.mul_div_le. apply Z.pow_pos_nonneg; lia.
Qed.
Lemma up_ge x : IZR x <= IZR (up x) * U.
Proof. unfold up. rewrite opp_IZR. pose proof (shiftr_le (- x)) as h. rewrite opp_IZR in h. lra. Qed.
Lemma shiftr_pos x : (0 <= x)%Z -> (0 <= Z.shiftr x p)%Z.
Proof. intros. now apply Z.shiftr_nonneg. Qed.
Lemma whole_ok n : (0 <= n)%Z -> enc (whole n) (IZR n).
Proof. intros h. unfold enc, whole, U, unit; cbn [fst snd]. rewrite Z.shiftl_mul_pow2 by easy. rewrite mult_IZR. split; [|lra]. apply Z.mul_nonneg_nonneg; [easy|]. apply Z.pow_nonneg. lia. Qed.
Lemma plus_ok a b x y : enc a x -> enc b y -> enc (plus a b) (x + y).
Proof. intros (h & l & u) (h' & l' & u'). unfold enc, plus; cbn [fst snd]. rewrite !plus_IZR. repeat split; [lia|lra|lra]. Qed.
Lemma times_ok a b x y : enc a x -> enc b y -> enc (times a b) (x * y).
Proof.
intros ha hb. pose proof (enc_pos _ _ ha) as x0. pose proof (enc_pos _ _ hb) as y0. pose proof U_pos as u0.
destruct a as [la ua], b as [lb ub], ha as (h & l & u), hb as (h' & l' & u'). unfold enc, times; cbn [fst snd] in *.
replace (la * lb + (ub - lb) * la + (ua - la) * ub)%Z with (ua * ub)%Z by ring. apply IZR_le in h as hr, h' as hr'.
split; [now apply shiftr_pos, Z.mul_nonneg_nonneg|]. split; apply Rmult_le_reg_r with U; try easy.
- eapply Rle_trans; [apply shiftr_le|]. rewrite mult_IZR. replace (x * y * U * U) with ((x * U) * (y * U)) by ring. now apply Rmult_le_compat.
- apply Rle_trans with (2 := up_ge _). rewrite mult_IZR. replace (x * y * U * U) with ((x * U) * (y * U)) by ring. apply Rmult_le_compat; try easy; apply Rmult_le_pos; lra.
Qed.
Lemma over_ok a d x : (0 < d)%Z -> enc a x -> enc (over a d) (x / IZR d).
Proof.
intros d0 (h & l & u). unfold enc, over; cbn [fst snd]. apply IZR_lt in d0 as dr. set (q := (fst a / d)%Z).
assert (q0 : (0 <= q)%Z) by (apply Z.div_pos; lia). split; [easy|].
assert (k : x / IZR d * U * IZR d = x * U) by (field; lra).
split; apply Rmult_le_reg_r with (IZR d); try easy; rewrite k; rewrite <- mult_IZR.
- apply Rle_trans with (2 := l). apply IZR_le. rewrite Z.mul_comm. now apply Z.mul_div_le.
- apply Rle_trans with (1 := u). apply IZR_le. pose proof (Z.mul_div_le (q * d - snd a) d d0). lia.
Qed.
Lemma quotient_ok a b x y : (0 < fst b)%Z -> enc a x -> enc b y -> enc (quotient a b) (x / y).
Proof.
intros f0 ha (h & l & u). pose proof (enc_pos _ _ ha) as x0. destruct ha as (ha & la & ua). pose proof U_pos as u0. apply IZR_lt in f0 as fr.
assert (y0 : 0 < y) by (apply Rmult_lt_reg_r with U; lra). assert (s0 : 0 < IZR (snd b)) by lra. apply lt_IZR in s0 as s1.
unfold enc, quotient; cbn [fst snd]. rewrite !Z.shiftl_mul_pow2 by lia. fold unit.
assert (un : (0 < unit)%Z) by (apply Z.pow_pos_nonneg; lia).
assert (k : x / y * U * (y * U) = x * U * U) by (field; lra). assert (yU : 0 < y * U) by now apply Rmult_lt_0_compat.
assert (q0 : (0 <= fst a * unit / snd b)%Z) by (apply Z.div_pos; [apply Z.mul_nonneg_nonneg|]; lia). split; [easy|]. split.
- pose proof (Z.mul_div_le (fst a * unit) (snd b) s1) as d. apply IZR_le in d. rewrite !mult_IZR in d. fold U in d.
  apply Rmult_le_reg_r with (y * U); [easy|]. rewrite k.
  apply Rle_trans with (IZR (snd b) * IZR (fst a * unit / snd b)).
  + rewrite Rmult_comm. apply Rmult_le_compat_r; [now apply IZR_le|easy].
  + apply Rle_trans with (1 := d). apply Rmult_le_compat_r; lra.
- pose proof (Z.mul_div_le (- snd a * unit) (fst b) f0) as d. apply IZR_le in d. rewrite !mult_IZR, opp_IZR in d. fold U in d. rewrite opp_IZR.
  assert (a0 : 0 <= IZR (snd a)) by (apply Rle_trans with (2 := ua); apply Rmult_le_pos; lra). apply le_IZR in a0.
  assert (q1 : 0 <= - IZR (- snd a * unit / fst b)).
  { rewrite <- opp_IZR. apply IZR_le. enough (- snd a * unit / fst b <= 0)%Z by lia. apply Z.div_le_upper_bound; nia. }
  apply Rmult_le_reg_r with (y * U); [easy|]. rewrite k.
  apply Rle_trans with (- IZR (- snd a * unit / fst b) * IZR (fst b)); [|now apply Rmult_le_compat_l].
  apply Rle_trans with (IZR (snd a) * U); [apply Rmult_le_compat_r; lra|]. lra.
Qed.
Lemma inverse_ok a x : (0 < fst a)%Z -> enc a x -> enc (quotient (whole 1) a) (/ x).
Proof. intros h e. replace (/ x) with (1 / x) by (unfold Rdiv; ring). apply quotient_ok; auto. now apply (whole_ok 1). Qed.
Lemma enc_1_3 e : 1 <= e <= 3 -> enc (unit, 3 * unit)%Z e.
Proof. intros h. pose proof U_pos. unfold enc; cbn [fst snd]. rewrite mult_IZR. fold U. split; [apply Z.pow_nonneg; lia|]. split; nra. Qed.

(** * exp *)

Fixpoint eh (k : nat) (d : Z) (x : Z * Z) : Z * Z := match k with O => (unit, 3 * unit)%Z | S k' => plus (whole 1) (over (times x (eh k' (d + 1) x)) d) end.
Lemma eh_ok k : forall d xi x e, (0 < d)%Z -> enc xi x -> 1 <= e <= 3 -> enc (eh k d xi) (ehR k d x e).
Proof.
induction k as [|k ih]; intros d xi x e d0 hx he; cbn [eh ehR]; [now apply enc_1_3|].
apply plus_ok; [now apply (whole_ok 1)|]. apply over_ok; [easy|]. apply times_ok; [easy|]. apply ih; [lia|easy|easy].
Qed.
Fixpoint square (j : nat) (e : Z * Z) : Z * Z := match j with O => e | S j' => square j' (times e e) end.
Lemma square_ok j : forall e x, enc e (exp x) -> enc (square j e) (exp (x * 2 ^ j)).
Proof.
induction j as [|j ih]; intros e x h; cbn [square pow]; [now rewrite Rmult_1_r|].
replace (x * (2 * 2 ^ j)) with ((x + x) * 2 ^ j) by ring. apply ih. rewrite exp_plus. now apply times_ok.
Qed.
Definition expI (k : nat) (x : Z * Z) : Z * Z :=
  let j := (Z.log2_up (snd x) - p + 6)%Z in square (Z.to_nat j) (eh k 1 (over x (Z.shiftl 1 (Z.max 0 j)))).
Lemma expI_ok k xi x : enc xi x -> enc (expI k xi) (exp x).
Proof.
intros h. unfold expI. set (j := (Z.log2_up (snd xi) - p + 6)%Z). pose proof U_pos as u0. pose proof (enc_pos _ _ h) as x0.
rewrite Z.shiftl_mul_pow2, Z.mul_1_l by lia.
assert (e : IZR (2 ^ Z.max 0 j) = 2 ^ Z.to_nat j).
{ destruct (Z.le_gt_cases 0 j) as [c|c].
  - rewrite Z.max_r by easy. rewrite <- (Z2Nat.id j) at 1 by easy. rewrite <- pow_IZR. easy.
  - rewrite Z.max_l by lia. replace (Z.to_nat j) with O by lia. easy. }
assert (t0 : (0 < 2 ^ Z.max 0 j)%Z) by (apply Z.pow_pos_nonneg; lia). apply IZR_lt in t0 as tr.
replace x with (x / IZR (2 ^ Z.max 0 j) * 2 ^ Z.to_nat j) at 1 by (rewrite <- e; field; lra).
apply square_ok. set (y := x / IZR (2 ^ Z.max 0 j)).
assert (y01 : 0 <= y <= 1).
{ split; [apply Rmult_le_pos; [easy|left; now apply Rinv_0_lt_compat]|]. unfold y. apply Rmult_le_reg_r with (IZR (2 ^ Z.max 0 j) * U); [now apply Rmult_lt_0_compat|].
  replace (x / IZR (2 ^ Z.max 0 j) * (IZR (2 ^ Z.max 0 j) * U)) with (x * U) by (field; lra). destruct h as (_ & _ & hu). apply Rle_trans with (1 := hu).
  rewrite Rmult_1_l. unfold U, unit. rewrite <- mult_IZR. apply IZR_le. rewrite <- Z.pow_add_r by lia.
  destruct (Z.le_gt_cases (snd xi) 1) as [c|c].
  - apply Z.le_trans with (1 := c). assert (0 < 2 ^ (Z.max 0 j + p))%Z by (apply Z.pow_pos_nonneg; lia). lia.
  - destruct (Z.log2_up_spec _ c) as [_ l]. apply Z.le_trans with (1 := l). apply Z.pow_le_mono_r; lia. }
destruct (exp_is k y y01) as (e1 & he & ->). apply eh_ok; [lia| |easy]. now apply over_ok.
Qed.

(** Of rational numbers. *)
Definition ratI (q : Q) : Z * Z := over (whole (Qnum q)) (Zpos (Qden q)).
Lemma ratI_ok q : (0 <= Qnum q)%Z -> enc (ratI q) (Q2R q).
Proof. intros h. unfold ratI, Q2R. apply (over_ok _ _ (IZR (Qnum q))); [lia|]. now apply whole_ok. Qed.
Definition expQ (k : nat) (q : Q) : Z * Z :=
  if (0 <=? Qnum q)%Z then expI k (ratI q) else let e := expI k (ratI (- q)) in if (0 <? fst e)%Z then quotient (whole 1) e else (0, unit)%Z.
Lemma expQ_ok k q : enc (expQ k q) (exp (Q2R q)).
Proof.
unfold expQ. destruct (Z.leb_spec 0 (Qnum q)) as [h|h]; [now apply expI_ok, ratI_ok|].
assert (e : enc (expI k (ratI (- q))) (exp (- Q2R q))). { rewrite <- Q2R_opp. apply expI_ok, ratI_ok. simpl. lia. }
cbv zeta. destruct (Z.ltb_spec 0 (fst (expI k (ratI (- q))))) as [f|f].
- replace (exp (Q2R q)) with (/ exp (- Q2R q)) by (rewrite exp_Ropp, Rinv_inv; easy). now apply inverse_ok.
- pose proof U_pos. pose proof (exp_pos (Q2R q)). unfold enc; cbn [fst snd]. fold U. split; [lia|].
  assert (Q2R q <= 0). { unfold Q2R. assert (IZR (Qnum q) <= 0) by (apply IZR_le; lia). assert (0 < / IZR (Zpos (Qden q))) by (apply Rinv_0_lt_compat, IZR_lt; lia). nra. }
  assert (exp (Q2R q) <= 1). { rewrite <- exp_0. destruct H1 as [H1|H1]; [left; now apply exp_increasing|rewrite H1; lra]. }
  split; [nra|]. unfold U in *. nra.
Qed.
End FixedPoint.
