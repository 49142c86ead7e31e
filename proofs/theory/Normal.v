(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** π, the normal density's integrals and kinks of Gaussian noise in fixed point, on integers. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals Ratan.
From Dpverify Require Import Numbers.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Series Fixed.
Local Open Scope R_scope.

(** * π *)

Definition piece (i : nat) : Z := let o := (2 * Z.of_nat i + 1)%Z in (2 ^ 140 * (2 * 7 ^ o + 3 ^ o) / (21 ^ o * o))%Z.
Fixpoint low_sum (n : nat) : Z := match n with O => piece 0 | S n' => low_sum n' + if Nat.even n then
  piece n else - piece n - 1 end.
Fixpoint high_sum (n : nat) : Z := match n with O => piece 0 + 1 | S n' => high_sum n' + if Nat.even n then
  piece n + 1 else - piece n end.
Lemma piece_is i : IZR (piece i) <= 2 ^ 140 * PI_2_3_7_tg i <= IZR (piece i) + 1.
Proof.
unfold piece, PI_2_3_7_tg, Ratan_seq. set (o := (2 * Z.of_nat i + 1)%Z). assert (o0 : (0 < o)%Z) by lia.
assert (eo : IZR o = INR (2 * i + 1)) by (rewrite INR_IZR_INZ; f_equal; lia).
assert (pw : forall k, IZR (k ^ o) = IZR k ^ (2 * i + 1)).
{ intros k. rewrite pow_IZR. f_equal. f_equal. lia. }
set (n := (2 ^ 140 * (2 * 7 ^ o + 3 ^ o))%Z). set (d := (21 ^ o * o)%Z).
assert (d0 : (0 < d)%Z) by (apply Z.mul_pos_pos; [apply Z.pow_pos_nonneg|]; lia). apply IZR_lt in d0 as dr.
assert (e : 2 ^ 140 * (2 * ((/ 3) ^ (2 * i + 1) / INR (2 * i + 1)) + (/ 7) ^ (2 * i + 1) / INR (2 * i + 1)) = IZR n /
  IZR d).
{ unfold n, d. rewrite !mult_IZR, plus_IZR, mult_IZR, !pw, <- eo.
  change (IZR (2 ^ 140)) with (IZR (Z.pow 2 (Z.of_nat 140))). rewrite <- pow_IZR.
  replace (IZR 21) with (3 * 7) by lra. rewrite Rpow_mult_distr, !pow_inv. apply IZR_lt in o0.
  assert (3 ^ (2 * i + 1) <> 0) by (apply pow_nonzero; lra).
  assert (7 ^ (2 * i + 1) <> 0) by (apply pow_nonzero; lra). field. repeat split; lra || easy. }
rewrite e. pose proof (Z.div_mod n d ltac:(lia)) as dm. pose proof (Z.mod_pos_bound n d d0) as [b1 b2].
apply (f_equal IZR) in dm. rewrite plus_IZR, mult_IZR in dm. apply IZR_le in b1. apply IZR_lt in b2.
split; apply Rmult_le_reg_r with (IZR d); try easy; field_simplify; lra.
Qed.
Lemma sign i : (-1) ^ i = if Nat.even i then 1 else -1.
Proof. induction i as [|i ih]; [easy|]. rewrite Nat.even_succ, <- Nat.negb_even. cbn [pow]. rewrite ih.
destruct (Nat.even i); simpl; lra. Qed.
Lemma sums n : IZR (low_sum n) <= 2 ^ 140 * sum_f_R0 (tg_alt PI_2_3_7_tg) n <= IZR (high_sum n).
Proof.
induction n as [|n ih].
- cbn [low_sum high_sum sum_f_R0]. unfold tg_alt. pose proof (piece_is 0). rewrite plus_IZR. cbn [pow]. lra.
- pose proof (piece_is (S n)) as h. cbn [low_sum high_sum sum_f_R0]. unfold tg_alt at 2 4. rewrite sign, !plus_IZR.
  destruct (Nat.even (S n)); rewrite ?minus_IZR, ?opp_IZR, ?plus_IZR; lra.
Qed.
Definition pi_low : Z := Eval vm_compute in low_sum (S (2 * 24)).
Definition pi_high : Z := Eval vm_compute in high_sum (2 * 24).
Lemma twice_twice x : 2 * (2 * x) = 4 * x. Proof. ring. Qed.
Lemma pi_is : IZR pi_low <= PI * 2 ^ 138 <= IZR pi_high.
Proof.
pose proof (PI_2_3_7_ineq 24) as [l h]. destruct (sums (S (2 * 24))) as [l' _], (sums (2 * 24)) as [_ h'].
assert (el : pi_low = low_sum (S (2 * 24))) by (vm_cast_no_check (eq_refl pi_low)).
assert (eh : pi_high = high_sum (2 * 24)) by (vm_cast_no_check (eq_refl pi_high)).
rewrite el, eh. assert (c : 2 ^ 140 = 4 * 2 ^ 138) by exact (twice_twice (2 ^ 138)).
assert (0 < 2 ^ 138) by (apply pow_lt; lra). set (sl := sum_f_R0 _ (S _)) in *. set (sh := sum_f_R0 _ (2 * 24)) in
  *. split; nra.
Qed.

(** * The integral of the density from 0 *)

Definition half (z : R) : R := RInt phi 0 z.
Lemma half_is u v : RInt phi u v = half v - half u.
Proof.
unfold half. assert (c : RInt phi 0 u + RInt phi u v = RInt phi 0 v)
  by (apply (RInt_Chasles (V := R_CompleteNormedModule)); apply ex_phi). lra.
Qed.
Lemma half_neg z : half (- z) = - half z.
Proof.
unfold half. assert (i : is_RInt phi 0 z (RInt phi 0 z)) by (apply (RInt_correct (V := R_CompleteNormedModule)),
  ex_phi).
assert (j : is_RInt phi 0 (- z) (- RInt phi 0 z)); [|now rewrite (is_RInt_unique _ _ _ _ j)].
assert (i' : is_RInt phi (- 0) (- - z) (RInt phi 0 z)) by (now rewrite Ropp_0, Ropp_involutive).
pose proof (is_RInt_comp_opp phi 0 (- z) _ i') as o. apply (is_RInt_opp (V := R_NormedModule)) in o.
apply is_RInt_ext with (2 := o). intros x _. unfold opp; simpl. rewrite phi_even. lra.
Qed.
Lemma half_mono u v : u <= v -> half u <= half v.
Proof.
intros uv. pose proof (half_is u v). assert (0 <= RInt phi u v); [|lra].
apply RInt_ge_0; [easy|apply ex_phi|]. intros; left; apply phi_pos.
Qed.
Lemma mass_half T : mass T = 2 * half T.
Proof. unfold mass. rewrite half_is, half_neg. ring. Qed.
Lemma half_le z : half z <= 1 / 2.
Proof.
destruct (Rle_dec 0 z) as [h|h].
- pose proof (mass_le_1 z h). rewrite mass_half in H. lra.
- pose proof (half_mono z 0 ltac:(lra)). unfold half in H at 2. rewrite RInt_point in H.
  change (zero : R) with 0 in H. lra.
Qed.
Lemma phi_small x : 0 < x -> phi x <= / x.
Proof.
intros x0. unfold phi. assert (1 <= sqrt (2 * PI)) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; pose proof PI2_1; lra).
assert (exp (- x ^ 2 / 2) <= / x).
{ replace (- x ^ 2 / 2) with (- (x ^ 2 / 2)) by field. rewrite exp_Ropp. apply Rinv_le_contravar; [easy|].
  pose proof (exp_ineq1_le (x ^ 2 / 2)).
  pose proof (Rle_0_sqr (x - 1)). unfold Rsqr in *. nra. }
apply Rmult_le_reg_r with (sqrt (2 * PI)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
assert (0 < / x) by now apply Rinv_0_lt_compat. nra.
Qed.

(** * A kink of Gaussian noise, at any threshold *)

Lemma at_most_limit f d : (forall e, 0 < e -> at_most f (d + e)) -> at_most f d.
Proof.
intros h u v uv. destruct (h 1 Rlt_0_1 u v uv) as (I & i & _). exists I. split; [easy|].
apply Rnot_lt_le. intros lt. destruct (h ((I - d) / 2) ltac:(lra) u v uv) as (J & j & le).
pose proof (is_RInt_unique _ _ _ _ i). pose proof (is_RInt_unique _ _ _ _ j). lra.
Qed.

Theorem kink m a t : 0 < m -> 0 < a ->
  at_most (difference m a (a * exp (m * t - m ^ 2 / 2))) (a * (1 / 2 - half (t - m)) - a * exp (m * t - m ^ 2 / 2)
    * (1 / 2 - half t)).
Proof.
intros m0 a0. set (b := a * exp (m * t - m ^ 2 / 2)).
assert (b0 : 0 < b) by (apply Rmult_lt_0_compat; [easy|apply exp_pos]).
assert (th : threshold m a b = t).
{ unfold threshold, b. replace (a * exp (m * t - m ^ 2 / 2) / a) with (exp (m * t - m ^ 2 / 2)) by (field; lra).
  rewrite ln_exp. field. lra. }
apply at_most_limit. intros e e0.
destruct (mass_near_1 (1 - e / b)) as (T & T0 & hT). { assert (0 < e / b) by (apply Rdiv_lt_0_compat; lra). lra. }
rewrite mass_half in hT. set (B := Rmax T (Rmax t (m + 1 + 2 * a / e))).
assert (B1 : T <= B) by apply Rmax_l. assert (B2 : t <= B) by (eapply Rle_trans; [apply Rmax_l|apply Rmax_r]).
assert (B3 : m + 1 + 2 * a / e <= B) by (eapply Rle_trans; [apply Rmax_r|apply Rmax_r]).
assert (ae : 0 < 2 * a / e) by (apply Rdiv_lt_0_compat; lra).
apply (gaussian_at_most m a b m0 a0 b0 B); [lra|lra|]. rewrite th.
assert (i1 : is_RInt (fun x => phi (x - m)) t B (RInt phi (t - m) (B - m))).
{ replace (t - m) with (1 * t + - m) by ring. replace (B - m) with (1 * B + - m) by ring.
  pose proof (is_RInt_comp_lin (V := R_NormedModule) phi 1 (- m) t B (RInt phi (1 * t + - m) (1 * B + - m))) as c.
  eapply is_RInt_ext; [|apply c, (RInt_correct (V := R_CompleteNormedModule)), ex_phi].
  intros x _. unfold scal; simpl; unfold mult; simpl. rewrite Rmult_1_l. f_equal. ring. }
assert (i2 : is_RInt phi t B (RInt phi t B)) by (apply (RInt_correct (V := R_CompleteNormedModule)), ex_phi).
assert (i : is_RInt (difference m a b) t B (a * RInt phi (t - m) (B - m) - b * RInt phi t B)).
{ unfold difference. apply (is_RInt_minus (V := R_NormedModule)); apply (is_RInt_scal (V := R_NormedModule));
    assumption. }
rewrite (is_RInt_unique _ _ _ _ i), !half_is.
pose proof (half_le (B - m)) as h1. pose proof (half_mono T B B1) as h2.
assert (h3 : a * phi (B - m) <= e / 2).
{ pose proof (phi_small (B - m) ltac:(lra)) as s. apply Rle_trans with (a * / (B - m)); [apply Rmult_le_compat_l; lra|].
  assert (/ (B - m) <= / (2 * a / e)) by (apply Rinv_le_contravar; lra). apply Rle_trans with (a * / (2 * a / e));
    [apply Rmult_le_compat_l; lra|]. right. field. lra. }
assert (h4 : b * (1 / 2 - half B) <= e / 2).
{ apply Rle_trans with (b * (e / b / 2)); [apply Rmult_le_compat_l; lra|]. right. field. lra. }
assert (a * half (B - m) <= a * (1 / 2)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** * The integral in fixed point *)

Section FixedPoint.
Variable p : precision.
Hypothesis p0 : (0 <= p)%Z.
Local Notation enc := (enc p).
Local Notation holds := (Fixed.holds p).
Notation T := (arith p).

(** 1/√(2π) *)
Definition root_low : Z := Z.sqrt (2 ^ (2 * p) * 2 ^ 138 / (2 * pi_high)).
Definition root_high : Z := (Z.sqrt (2 ^ (2 * p) * 2 ^ 138 / (2 * pi_low)) + 1)%Z.
Lemma root_ok : enc (root_low, root_high) (/ sqrt (2 * PI)).
Proof.
assert (h0 : (0 < pi_high)%Z) by reflexivity. assert (l0 : (0 < pi_low)%Z) by reflexivity.
destruct pi_is as [pl ph]. apply IZR_lt in h0 as hr, l0 as lr. pose proof (U_pos p p0) as u0.
pose proof PI_RGT_0 as pi0.
assert (c0 : 0 < / sqrt (2 * PI)) by (apply Rinv_0_lt_compat, sqrt_lt_R0; lra).
assert (c2 : / sqrt (2 * PI) * / sqrt (2 * PI) = / (2 * PI)). { rewrite <- Rinv_mult, sqrt_sqrt by lra. easy. }
set (c := / sqrt (2 * PI)) in *. assert (P0 : 0 < 2 ^ 138) by (apply pow_lt; lra).
assert (nU : IZR (2 ^ (2 * p) * 2 ^ 138) = U p * U p * 2 ^ 138).
{ rewrite mult_IZR. f_equal; [|now rewrite pow_IZR]. unfold U, unit. rewrite <- mult_IZR. f_equal.
  rewrite <- Z.pow_add_r by easy. f_equal. ring. }
assert (n0 : (0 <= 2 ^ (2 * p) * 2 ^ 138)%Z) by (apply Z.mul_nonneg_nonneg; apply Z.pow_nonneg; lia).
unfold Fixed.enc; cbn [fst snd]. split; [apply Z.sqrt_nonneg|]. split.
- unfold root_low. set (n := (2 ^ (2 * p) * 2 ^ 138)%Z) in *. set (q := (n / (2 * pi_high))%Z).
  assert (q0 : (0 <= q)%Z) by (apply Z.div_pos; lia). destruct (Z.sqrt_spec q q0) as [s _]. apply IZR_le in s.
  rewrite mult_IZR in s.
  pose proof (Z.mul_div_le n (2 * pi_high) ltac:(lia)) as d. apply IZR_le in d. rewrite !mult_IZR, nU in d. fold q in d.
  apply Rsqr_incr_0_var; [|apply Rmult_le_pos; lra]. unfold Rsqr.
  replace (c * U p * (c * U p)) with (/ (2 * PI) * (U p * U p)) by (rewrite <- c2; ring).
  apply Rle_trans with (1 := s). apply Rmult_le_reg_r with (2 * PI * 2 ^ 138); [apply Rmult_lt_0_compat; lra|].
  replace (/ (2 * PI) * (U p * U p) * (2 * PI * 2 ^ 138)) with (U p * U p * 2 ^ 138) by (field; lra).
  apply Rle_trans with (2 := d). apply IZR_le in q0. nra.
- unfold root_high. set (n := (2 ^ (2 * p) * 2 ^ 138)%Z) in *. set (q := (n / (2 * pi_low))%Z).
  assert (q0 : (0 <= q)%Z) by (apply Z.div_pos; lia). destruct (Z.sqrt_spec q q0) as [_ s].
  pose proof (Z.sqrt_nonneg q) as sq0.
  set (r := (Z.sqrt q)) in *. assert (s' : (q + 1 <= (r + 1) * (r + 1))%Z) by lia.
  apply IZR_le in s'. rewrite mult_IZR in s'.
  pose proof (Z.div_mod n (2 * pi_low) ltac:(lia)) as d.
  pose proof (Z.mod_pos_bound n (2 * pi_low) ltac:(lia)) as [_ md].
  assert (d' : (n <= 2 * pi_low * (q + 1))%Z) by (unfold q; lia).
  apply IZR_le in d'. rewrite mult_IZR, nU, mult_IZR in d'.
  assert (r0 : 0 <= IZR (r + 1)) by (apply IZR_le; lia).
  apply Rsqr_incr_0_var; [|easy]. unfold Rsqr.
  replace (c * U p * (c * U p)) with (/ (2 * PI) * (U p * U p)) by (rewrite <- c2; ring).
  apply Rle_trans with (2 := s'). apply Rmult_le_reg_r with (2 * PI * 2 ^ 138); [apply Rmult_lt_0_compat; lra|].
  replace (/ (2 * PI) * (U p * U p) * (2 * PI * 2 ^ 138)) with (U p * U p * 2 ^ 138) by (field; lra).
  apply Rle_trans with (1 := d'). assert (0 <= IZR (q + 1)) by (apply IZR_le; lia). nra.
Qed.

Fixpoint hsT (k : nat) (d : Z) (x : T * T) : T * T :=
  match k with O => (full p, full p) | S k' =>
    plusT p (full p, full p) (overT p (timesT p x (hsT k' (d + 2) x)) (of_Z d)) end.
Lemma hsT_ok k : forall d xi x, (0 < d)%Z -> 0 <= x -> holds xi x -> holds (hsT k d xi) (hs k d x) /\ 0 <= hs k d x.
Proof.
induction k as [|k ih]; intros d xi x d0 x0 h; cbn [hsT hs]; [split; [now apply one_ok|lra]|].
destruct (ih (d + 2)%Z xi x ltac:(lia) x0 h) as [k1 k2]. assert (ed : to_Z (of_Z d : T) = d) by (apply of_Z_is; lia).
apply IZR_lt in d0 as dr.
replace (x / IZR d * hs k (d + 2) x) with (x * hs k (d + 2) x / IZR d) by (unfold Rdiv; ring). split.
- apply plusT_ok; [now apply one_ok|].
  pose proof (overT_ok p (timesT p xi (hsT k (d + 2) xi)) (of_Z d) (x * hs k (d + 2) x)) as o. rewrite ed in o.
  apply o; [easy|]. now apply timesT_ok.
- assert (0 <= x * hs k (d + 2) x / IZR d); [|lra]. apply Rmult_le_pos; [now apply Rmult_le_pos|]. left.
  now apply Rinv_0_lt_compat.
Qed.
(** The remainder's bound: x in units of 2^−8 is enough. *)
Fixpoint remU (k : nat) (d X acc : Z) : Z := match k with O => acc | S k' =>
  remU k' (d + 2) X (Z.shiftr (X * acc) 8 / d + 1) end.
Lemma remU_ok k : forall d m z c X acc, (0 < d)%Z -> (0 <= X)%Z -> (0 <= acc)%Z -> 256 * (z * z) <= IZR X ->
  c * z ^ (m + 1) * U p <= IZR acc -> c * rem k d m z * U p <= IZR (remU k d X acc).
Proof.
induction k as [|k ih]; intros d m z c X acc d0 X0 a0 hx ha; cbn [remU rem]; [easy|].
replace (c * (rem k (d + 2) (m + 2) z / IZR d)) with (c / IZR d * rem k (d + 2) (m + 2) z) by (unfold Rdiv; ring).
set (n := Z.shiftr (X * acc) 8). assert (n0 : (0 <= n)%Z) by (now apply Z.shiftr_nonneg, Z.mul_nonneg_nonneg).
assert (hn : (X * acc < 256 * (n + 1))%Z).
{ unfold n. rewrite Z.shiftr_div_pow2 by easy. change (2 ^ 8)%Z with 256%Z. pose proof (Z.div_mod (X * acc) 256).
  pose proof (Z.mod_pos_bound (X * acc) 256). lia. }
assert (hd : (n + 1 <= d * (n / d + 1))%Z) by (pose proof (Z.div_mod n d); pose proof (Z.mod_pos_bound n d); lia).
assert (q0 : (0 <= n / d)%Z) by (apply Z.div_pos; lia).
apply ih; try lia; [easy|].
replace (m + 2 + 1)%nat with (m + 1 + 2)%nat by lia. rewrite (pow_add z (m + 1) 2). simpl (z ^ 2). rewrite Rmult_1_r.
apply IZR_le in hd. rewrite mult_IZR in hd. apply IZR_lt in hn. rewrite !mult_IZR in hn. apply IZR_lt in d0.
apply IZR_le in a0 as ar, X0 as Xr.
apply Rmult_le_reg_l with (256 * IZR d); [lra|].
replace (256 * IZR d * (c / IZR d * (z ^ (m + 1) * (z * z)) * U p)) with (256 * (z * z) * (c * z ^ (m + 1) * U p))
  by (field; lra).
apply Rle_trans with (IZR X * IZR acc); [|lra].
apply Rle_trans with (256 * (z * z) * IZR acc);
  [apply Rmult_le_compat_l; [pose proof (Rle_0_sqr z); unfold Rsqr in *; lra|easy]|]. now apply Rmult_le_compat_r.
Qed.
Fixpoint remT (k : nat) (d : Z) (eight X acc : T) : T :=
  match k with O => acc | S k' => remT k' (d + 2) eight X (addn (divn (shrn (muln X acc) eight) (of_Z d)) (single p))
    end.
Lemma remT_is k : forall d X acc, (0 < d)%Z -> to_Z (remT k d (of_Z 8) X acc) = remU k d (to_Z X) (to_Z acc).
Proof.
induction k as [|k ih]; intros d X acc d0; cbn [remT remU]; [easy|]. rewrite ih by lia.
rewrite addn_is, divn_is, shrn_is, muln_is, single_is, !of_Z_is by lia. easy.
Qed.
Lemma shiftr_up x : IZR x <= IZR (Z.shiftr x p + 1) * U p.
Proof.
unfold U, unit. rewrite <- mult_IZR, Z.shiftr_div_pow2 by easy. apply IZR_le.
assert (0 < 2 ^ p)%Z by (apply Z.pow_pos_nonneg; lia).
pose proof (Z.div_mod x (2 ^ p)). pose proof (Z.mod_pos_bound x (2 ^ p)). lia.
Qed.

(** rt: 1/√(2π); ke, k: numbers of terms; z ≥ 0 *)
Definition halfT (rt : T * T) (ke k : nat) (z : T * T) : Z * Z :=
  let x := timesT p z z in let e := expT p ke (overT p x (of_Z 2)) in
  if (0 <? to_Z (fst e))%Z then
    let f := quotientT p (timesT p rt (timesT p z (hsT k 3 x))) e in let eight := of_Z 8 in
    (to_Z (fst f), to_Z (addn (snd f) (remT k 3 eight (addn (shrn (shln (snd x) eight) (width p)) (single p))
      (snd (timesT p z x)))))
  else (0, unit p)%Z.
Lemma halfT_ok rt ke k zi z : holds rt (/ sqrt (2 * PI)) -> 0 <= z -> holds zi z -> enc (halfT rt ke k zi) (half z).
Proof.
intros hr z0 hz. pose proof (U_pos p p0) as u0. unfold halfT. cbv zeta.
assert (c0 : 0 < / sqrt (2 * PI)) by (apply Rinv_0_lt_compat, sqrt_lt_R0; pose proof PI_RGT_0; lra).
assert (zz : 0 <= z * z) by now apply Rmult_le_pos.
set (x := timesT p zi zi). assert (hx : holds x (z * z)) by now apply timesT_ok.
set (e := expT p ke (overT p x (of_Z 2))). assert (he : holds e (exp (z * z / 2))).
{ apply expT_ok; [easy|lra|]. assert (e2 : to_Z (of_Z 2 : T) = 2%Z) by (apply of_Z_is; lia).
  pose proof (overT_ok p x (of_Z 2) (z * z)) as o. rewrite e2 in o. now apply o. }
assert (hz0 : half 0 = 0) by (unfold half; apply (RInt_point (V := R_CompleteNormedModule))).
destruct (Z.ltb_spec 0 (to_Z (fst e))) as [h|h].
- assert (fe : F k z = / sqrt (2 * PI) * (z * hs k 3 (z * z)) / exp (z * z / 2)).
  { unfold F, phi. replace (- z ^ 2 / 2) with (- (z * z / 2)) by (simpl; field). rewrite exp_Ropp. simpl. unfold Rdiv.
    ring. }
  destruct (series k 0 z z z0 ltac:(lra) ltac:(lra)) as [sl su].
  assert (f0 : F k 0 = 0) by (unfold F; simpl; ring). rewrite f0, Rminus_0_r in sl, su. rewrite Rminus_0_r in su.
  fold (half z) in sl, su.
  destruct (hsT_ok k 3 x (z * z) ltac:(lia) zz hx) as [hh hh0].
  assert (hf : holds (quotientT p (timesT p rt (timesT p zi (hsT k 3 x))) e) (F k z)).
  { rewrite fe. apply quotientT_ok; auto; [apply Rmult_le_pos; [lra|now apply Rmult_le_pos]|].
    apply timesT_ok; auto; [lra|now apply Rmult_le_pos|]. now apply timesT_ok. }
  set (X := addn (shrn (shln (snd x) (of_Z 8)) (width p)) (single p)). pose proof hx as (_ & xu).
  assert (hX : 256 * (z * z) <= IZR (to_Z X)).
  { unfold X. rewrite addn_is, shrn_is, shln_is, single_is, width_is, of_Z_is, Z.shiftl_mul_pow2 by lia || easy.
    apply Rmult_le_reg_r with (U p); [easy|]. apply Rle_trans with (2 := shiftr_up _). rewrite mult_IZR.
    change (IZR (2 ^ 8)) with 256. lra. }
  pose proof (timesT_ok p p0 _ _ _ _ z0 zz hz hx) as (_ & zu). set (zx := snd (timesT p zi x)) in *.
  assert (hm : z * rem k 3 1 z * U p <= IZR (remU k 3 (to_Z X) (to_Z zx))).
  { apply remU_ok; try apply to_Z_pos; try lia; [easy|].
    replace (z * z ^ (1 + 1)) with (z * (z * z)) by (simpl; ring). easy. }
  destruct hf as (fl & hu). unfold Fixed.enc; cbn [fst snd].
  split; [apply to_Z_pos|]. split.
  + apply Rle_trans with (1 := fl). apply Rmult_le_compat_r; lra.
  + apply Rle_trans with ((F k z + z * rem k 3 1 z) * U p); [apply Rmult_le_compat_r; lra|].
    rewrite addn_is, remT_is, plus_IZR by lia. fold X. lra.
- pose proof (half_le z). pose proof (half_mono 0 z z0). unfold Fixed.enc; cbn [fst snd]. fold (U p). split; [lia|].
  split; [apply Rmult_le_pos; lra|]. change (IZR (unit p)) with (U p). nra.
Qed.
Definition halfQ (rt : Z * Z) (ke k : nat) (q : Q) : Z * Z := halfT (inside p rt) ke k (ratT p q).
Lemma halfQ_ok rt ke k q : enc rt (/ sqrt (2 * PI)) -> (0 <= Qnum q)%Z -> enc (halfQ rt ke k q) (half (Q2R q)).
Proof. intros hr h. destruct (ratT_ok p p0 q h). apply halfT_ok; auto. now apply inside_ok. Qed.

(** Bounds of 1 − Φ(z), for any sign. *)
Definition above_high (rt : Z * Z) (ke k : nat) (q : Q) : Z :=
  let u := unit p in
  if (0 <=? Qnum q)%Z then (u - 2 * fst (halfQ rt ke k q))%Z else (u + 2 * snd (halfQ rt ke k (- q)))%Z.
Definition above_low (rt : Z * Z) (ke k : nat) (q : Q) : Z :=
  let u := unit p in
  if (0 <=? Qnum q)%Z then (u - 2 * snd (halfQ rt ke k q))%Z else (u + 2 * fst (halfQ rt ke k (- q)))%Z.
(** In units of 2^−(p + 1). *)
Lemma above_high_ok rt ke k q : enc rt (/ sqrt (2 * PI)) ->
  2 * U p * (1 / 2 - half (Q2R q)) <= IZR (above_high rt ke k q).
Proof.
intros hr. unfold above_high. destruct (Z.leb_spec 0 (Qnum q)) as [h|h].
- pose proof (halfQ_ok rt ke k q hr h) as (_ & l & _). rewrite minus_IZR, mult_IZR. change (IZR (unit p)) with (U p).
  lra.
- pose proof (halfQ_ok rt ke k (- q) hr ltac:(simpl; lia)) as (_ & _ & l). rewrite Q2R_opp, half_neg in l.
  rewrite plus_IZR, mult_IZR. change (IZR (unit p)) with (U p). lra.
Qed.
Lemma above_low_ok rt ke k q : enc rt (/ sqrt (2 * PI)) ->
  IZR (above_low rt ke k q) <= 2 * U p * (1 / 2 - half (Q2R q)).
Proof.
intros hr. unfold above_low. destruct (Z.leb_spec 0 (Qnum q)) as [h|h].
- pose proof (halfQ_ok rt ke k q hr h) as (_ & _ & l). rewrite minus_IZR, mult_IZR. change (IZR (unit p)) with (U p).
  lra.
- pose proof (halfQ_ok rt ke k (- q) hr ltac:(simpl; lia)) as (_ & l & _). rewrite Q2R_opp, half_neg in l.
  rewrite plus_IZR, mult_IZR. change (IZR (unit p)) with (U p). lra.
Qed.
End FixedPoint.
