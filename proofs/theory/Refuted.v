(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** That a claim is false, and a checker of certificates for that, which is right. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Dpverify Require Import Numbers.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Composition Vector Leaf Series Fixed Normal Shift Program Product Lower Part Cell
  Claim.
From Coq Require Import QArith Qreals.
Import ListNotations.
Local Open Scope R_scope.

(** * What is claimed *)

(** One way to run the parts of a claim has a δ(eps) above delta, in one of its directions. *)
Definition fails (c : claim) : Prop :=
  exists d, In d (directions c) /\ exists t, runs (map (fun x => (directed d (fst x), snd x)) (parts c)) t /\
    exists x, Q2R (delta c) < x /\ delta_ge t 1 (exp (Q2R (eps c))) x.

(** A claim that fails does not hold. *)
Theorem fails_not_holds c : fails c -> ~ holds c.
Proof. intros (d & i & t & r & x & lt & ge) h. pose proof (ge_le _ _ _ _ ge _ (h d i t r)). lra. Qed.

(** * The checker *)

(** Cells, each with an index, and the odds, of 2^16, that it is the next one; and a threshold with a number of terms.
Indices are from the start on, so many. Of
    Gaussians, a shift that is at most the largest one; of discrete ones, up to where they are summed. *)
Record split := { split_level : nat; split_start : Z; split_size : nat; split_shift : Q;
  split_cells : list ((Z * Z) * (Q * nat)) }.
Record refutation := { against : direction; in_prec : Z; in_bits : Z; in_grid : Q; in_leaves : list split;
  in_plan : list op; in_limit : Z }.

Fixpoint add_at (k : nat) (x : Z) (l : list Z) : list Z :=
  match l, k with nil, _ => nil | y :: l', O => (y + x)%Z :: l' | y :: l', S k' => y :: add_at k' x l' end.
Definition odds : Z := 65536.
(** The masses of cells at their indices: with the share of the lower one rounded up, and rounded down. *)
Fixpoint spread_down (start : Z) (cs : list (Z * Z)) (ms : list Z) (l : list Z) : list Z :=
  match cs, ms with
  | (i, s) :: cs', m :: ms' => let k := Z.to_nat (i - start) in let lo := (- ((- (m * (odds - s))) / odds))%Z in
    spread_down start cs' ms' (add_at (S k) (m - lo)%Z (add_at k lo l))
  | _, _ => l
  end.
Fixpoint spread_up (start : Z) (cs : list (Z * Z)) (ms : list Z) (l : list Z) : list Z :=
  match cs, ms with
  | (i, s) :: cs', m :: ms' => let k := Z.to_nat (i - start) in let lo := (m * (odds - s) / odds)%Z in
    spread_up start cs' ms' (add_at (S k) (m - lo)%Z (add_at k lo l))
  | _, _ => l
  end.

Section Program.
Variable T : numbers.
Variables (c : claim) (r : refutation).
Let d := against r.
Let p := at_precision T (in_prec r).
Let b := in_bits r.

Definition split_vec (a : part) (s : split) : option lvec :=
  let cs := map fst (split_cells s) in
  match cell_masses p d a (split_shift s) (map snd (split_cells s)) with
  | Some ms =>
      if forallb (fun x => (split_start s <=? fst x)%Z && (fst x - split_start s + 1 <? Z.of_nat (split_size s))%Z &&
        (0 <=? snd x)%Z && (snd x <=? odds)%Z) cs
        && (1 <? split_size s)%nat
      then let none := repeat 0%Z (split_size s) in
        Some (LV (split_level s) nil (split_start s)
          (snd (drop (p - b) (spread_down (split_start s) cs (map fst ms) none)))
          (lift (p - b) 0 (spread_up (split_start s) cs (map snd ms) none)))
      else None
  | None => None
  end.
Fixpoint split_vecs (ps : list (part * N)) (ss : list split) : option (list lvec) :=
  match ps, ss with
  | nil, nil => Some nil
  | (a, _) :: ps', s :: ss' => match split_vec a s, split_vecs ps' ss' with Some v, Some vs =>
    Some (v :: vs) | _, _ => None end
  | _, _ => None
  end.
Definition same_direction (x y : direction) : bool := match x, y with Remove, Remove | Add, Add => true | _, _ =>
  false end.
Definition refutes : bool :=
  (0 <=? b)%Z && (b <=? p)%Z && existsb (same_direction d) (directions c) &&
  match split_vecs (parts c) (in_leaves r) with
  | Some vs =>
      match found (product T) b (lower_share p (in_grid r)) vs (in_plan r) (map snd (parts c)) (in_limit r) with
      | Some (m, x, y) => let e := expo p (eps c) in let n := Zpos (Qden (delta c)) in
        (Qnum (delta c) * m * unit p <? n * (x * unit p - snd e * y))%Z && (0 <=? y)%Z
      | None => false
      end
  | None => false
  end.
End Program.

(** * Why it is right *)

Lemma add_at_is l : forall k x i f, (k < length l)%nat ->
  EZ (add_at k x l) i f = EZ l i f + IZR x * f (i + Z.of_nat k)%Z.
Proof.
induction l as [|y l ih]; intros [|k] x i f lt; cbn [length] in lt; try lia; cbn [add_at EZ].
- rewrite plus_IZR. replace (i + Z.of_nat 0)%Z with i by lia. ring.
- rewrite ih by lia. replace (i + 1 + Z.of_nat k)%Z with (i + Z.of_nat (S k))%Z by lia. ring.
Qed.
Lemma add_at_length l : forall k x, length (add_at k x l) = length l.
Proof. induction l as [|y l ih]; intros [|k] x; cbn [add_at length]; auto. Qed.

Section Spread.
Variables (f : Z -> R) (start : Z).
Hypothesis rf : rising f.
Definition coin_of (s : Z) : R := IZR s / IZR odds.
Definition fits (n : nat) (c : Z * Z) : Prop := (start <= fst c)%Z /\ (fst c - start + 1 < Z.of_nat n)%Z /\
  (0 <= snd c <= odds)%Z.
Fixpoint spread_sum (cs : list (Z * Z)) (ms : list Z) : R := match cs, ms with (i, s) :: cs', m :: ms' =>
  IZR m * mix (coin_of s) f i + spread_sum cs' ms' | _, _ => 0 end.
Lemma odds_pos : 0 < IZR odds. Proof. unfold odds. apply IZR_lt. lia. Qed.
Lemma both_at l i m lo n : fits n (i, 0%Z) -> length l = n ->
  let k := Z.to_nat (i - start) in EZ (add_at (S k) (m - lo)%Z (add_at k lo l)) start f = EZ l start f + IZR lo * f i
    + IZR (m - lo) * f (i + 1)%Z.
Proof.
intros (h1 & h2 & _) len. cbn [fst] in *. cbv zeta. rewrite add_at_is by (rewrite add_at_length; lia).
rewrite add_at_is by lia.
replace (start + Z.of_nat (Z.to_nat (i - start)))%Z with i by lia.
replace (start + Z.of_nat (S (Z.to_nat (i - start))))%Z with (i + 1)%Z by lia. ring.
Qed.
Lemma spread_down_right n cs : List.Forall (fits n) cs -> forall ms l, length l = n ->
  EZ (spread_down start cs ms l) start f <= EZ l start f + spread_sum cs ms.
Proof.
induction 1 as [|[i s] cs h _ ih]; intros [|m ms] l len; cbn [spread_down spread_sum]; try lra.
set (lo := (- (- (m * (odds - s)) / odds))%Z). eapply Rle_trans; [apply ih; now rewrite !add_at_length|].
destruct h as (h1 & h2 & h3). cbn [fst snd] in *.
rewrite (both_at l i m lo n); [|repeat split; cbn [fst snd]; auto; lia|easy].
enough (IZR lo * f i + IZR (m - lo) * f (i + 1)%Z <= IZR m * mix (coin_of s) f i) by lra.
pose proof odds_pos as o. pose proof (Z.mul_div_le (- (m * (odds - s))) odds ltac:(easy)) as k.
assert (k' : (m * (odds - s) <= odds * lo)%Z) by (unfold lo; lia). apply IZR_le in k'. rewrite !mult_IZR, minus_IZR in
  k'.
unfold mix, coin_of. rewrite minus_IZR. assert (e : IZR m * (1 - IZR s / IZR odds) <= IZR lo).
{ apply Rmult_le_reg_r with (IZR odds); [easy|].
  replace (IZR m * (1 - IZR s / IZR odds) * IZR odds) with (IZR m * (IZR odds - IZR s)) by (field; lra). lra. }
pose proof (proj2 rf i). set (z := IZR s / IZR odds) in *. nra.
Qed.
Lemma spread_up_right n cs : List.Forall (fits n) cs -> forall ms l, length l = n ->
  EZ l start f + spread_sum cs ms <= EZ (spread_up start cs ms l) start f.
Proof.
induction 1 as [|[i s] cs h _ ih]; intros [|m ms] l len; cbn [spread_up spread_sum]; try lra.
set (lo := (m * (odds - s) / odds)%Z). eapply Rle_trans; [|apply ih; now rewrite !add_at_length].
destruct h as (h1 & h2 & h3). cbn [fst snd] in *.
rewrite (both_at l i m lo n); [|repeat split; cbn [fst snd]; auto; lia|easy].
enough (IZR m * mix (coin_of s) f i <= IZR lo * f i + IZR (m - lo) * f (i + 1)%Z) by lra.
pose proof odds_pos as o. pose proof (Z.mul_div_le (m * (odds - s)) odds ltac:(easy)) as k. fold lo in k.
apply IZR_le in k. rewrite !mult_IZR, minus_IZR in k.
unfold mix, coin_of. rewrite minus_IZR. assert (e : IZR lo <= IZR m * (1 - IZR s / IZR odds)).
{ apply Rmult_le_reg_r with (IZR odds); [easy|].
  replace (IZR m * (1 - IZR s / IZR odds) * IZR odds) with (IZR m * (IZR odds - IZR s)) by (field; lra). lra. }
pose proof (proj2 rf i). set (z := IZR s / IZR odds) in *. nra.
Qed.
Lemma spread_length_up cs : forall ms l, length (spread_up start cs ms l) = length l.
Proof. induction cs as [|[i s] cs ih]; intros [|m ms] l; cbn [spread_up]; auto. now rewrite ih, !add_at_length. Qed.
Lemma repeat_is n : forall i, EZ (repeat 0%Z n) i f = 0.
Proof. induction n as [|n ih]; intros i; cbn [repeat EZ]; [easy|]. rewrite ih. ring. Qed.
End Spread.

Section Right.
Variables (T : numbers) (c : claim) (r : refutation).
Notation p := (at_precision T (in_prec r)).
Notation b := (in_bits r).
Notation d := (against r).
Hypothesis b0 : (0 <= b)%Z.
Hypothesis bp : (b <= p)%Z.
Lemma pp : (0 <= p)%Z. Proof. lia. Qed.
Lemma units : Fixed.U p = IZR (2 ^ (p - b)) * IZR (2 ^ b).
Proof. unfold Fixed.U, Fixed.unit. rewrite <- mult_IZR, <- Z.pow_add_r by lia. do 2 f_equal. lia. Qed.

Lemma spread_known f : rising f -> forall l cs ms, sound_cells l ->
  Forall2 indexed l (map (fun x => (fst x, coin_of (snd x))) cs) -> Forall2 (known p) ms l ->
  spread_sum f cs (map fst ms) <= Fixed.U p * on_P l f /\ Fixed.U p * on_Q l f <= spread_sum f cs (map snd ms).
Proof.
intros rf. pose proof (U_pos p pp) as u0. induction l as [|x l ih]; intros cs ms sc hi hk.
- inversion hk; subst. destruct cs as [|[i s] cs]; cbn [map spread_sum on_P on_Q]; lra.
- inversion sc as [|? ? (c0 & p1 & q1) sc']; subst. inversion hk as [|[y z] ? ms' ? (y0 & z0 & k1 & k2) hk']; subst.
  destruct cs as [|[i s] cs]; [inversion hi|]. cbn [map] in hi. inversion hi as [|? ? ? ? [e1 e2] hi']; subst.
  cbn [fst snd] in *.
  destruct (ih cs ms' sc' hi' hk') as [i1 i2]. cbn [map spread_sum on_P on_Q fst snd]. rewrite <- e1, <- e2.
  assert (m0 : 0 <= mix (coin x) f (index x)) by (unfold mix; apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra;
    apply rf).
  pose proof (Rmult_le_compat_r _ _ _ m0 k1). pose proof (Rmult_le_compat_r _ _ _ m0 k2). split; lra.
Qed.

Lemma split_right a s v : split_vec T r a s = Some v -> lleaf b v (directed d a).
Proof.
unfold split_vec. set (cs := map fst (split_cells s)).
destruct (cell_masses p d a (split_shift s) (map snd (split_cells s))) as [ms|] eqn:e; [|discriminate].
destruct (forallb _ cs && (1 <? split_size s)%nat) eqn:h; [|discriminate]. apply andb_true_iff in h as [h n].
apply Nat.ltb_lt in n. intros ev. inversion ev; subst; clear ev.
assert (fc : List.Forall (fits (split_start s) (split_size s)) cs).
{ rewrite forallb_forall in h. rewrite List.Forall_forall. intros x i. specialize (h x i).
  rewrite !andb_true_iff, !Z.leb_le, Z.ltb_lt in h. repeat split; lia. }
set (rs := map (fun x => (fst x, coin_of (snd x))) cs).
destruct (cell_masses_right p pp d a _ _ _ rs e) as (X & P & Q' & l & cl & fd & hi & hk).
- unfold rs, cs. now rewrite !map_length.
- rewrite List.Forall_forall in *. intros x i. apply in_map_iff in i as (y & <- & i).
  destruct (fc y i) as (_ & _ & h3). cbn [snd]. unfold coin_of. pose proof odds_pos as o. destruct h3 as [h3 h4].
  apply IZR_le in h3, h4.
  split; [apply Rmult_le_pos; [easy|left; now apply Rinv_0_lt_compat]|]. apply Rmult_le_reg_r with (IZR odds);
    [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
- exists X, P, Q', l. split; [exact cl|]. split; [exact fd|]. cbn [low high lfirst]. intros f rf.
  change (in_prec r - b)%Z with (p - b)%Z. assert (sc : sound_cells l) by (destruct fd as (_ & _ & sc & _); exact sc).
  destruct (spread_known f rf l cs ms sc hi hk) as [k1 k2]. assert (q0 : (0 <= p - b)%Z) by lia.
  assert (w0 : 0 < IZR (2 ^ (p - b))) by (apply IZR_lt, Z.pow_pos_nonneg; lia). rewrite units in k1, k2.
  set (none := repeat 0%Z (split_size s)).
  assert (ln : length none = split_size s) by apply repeat_length.
  pose proof (spread_down_right f _ rf _ cs fc (map fst ms) none ln) as d1.
  pose proof (spread_up_right f _ rf _ cs fc (map snd ms) none ln) as d2. unfold none in d1, d2.
  rewrite repeat_is in d1, d2. fold none in d1, d2. split.
  + destruct (drop_right (p - b) q0 f (spread_down (split_start s) cs (map fst ms) none) rf (split_start s))
      as [z0 k]. apply IZR_le in z0. pose proof (Rmult_le_pos _ _ z0 (proj1 rf (split_start s))).
    apply Rmult_le_reg_l with (IZR (2 ^ (p - b))); [easy|]. lra.
  + pose proof (spread_length_up (split_start s) cs (map snd ms) none) as len.
    destruct (spread_up (split_start s) cs (map snd ms) none) as [|x l'] eqn:eu; [simpl in len; lia|].
    rewrite <- eu in *.
    assert (ne : spread_up (split_start s) cs (map snd ms) none <> nil) by (rewrite eu; discriminate).
    pose proof (lift_right (p - b) q0 f _ rf 0 (split_start s) ne ltac:(lia)) as k.
    apply Rmult_le_reg_l with (IZR (2 ^ (p - b))); [easy|]. lra.
Qed.
Lemma splits_right ps : forall ss vs, split_vecs T r ps ss = Some vs ->
  Forall2 (lleaf b) vs (map fst (map (fun x => (directed d (fst x), snd x)) ps)).
Proof.
induction ps as [|[a n] ps ih]; intros [|s ss] vs e; try discriminate; cbn [split_vecs] in e;
  [inversion e; constructor|].
destruct (split_vec T r a s) as [v|] eqn:ev; [|discriminate]. destruct (split_vecs T r ps ss) as [vs'|] eqn:es;
  [|discriminate]. inversion e; subst. cbn [map fst]. constructor; [now apply split_right with s|now apply ih with ss].
Qed.
End Right.

(** What is refuted fails. *)
Theorem refutes_is_right (T : numbers) c r : refutes T c r = true -> fails c.
Proof.
unfold refutes. rewrite !andb_true_iff, !Z.leb_le. intros [[[b0 bp] hd] e].
destruct (split_vecs T r (parts c) (in_leaves r)) as [vs|] eqn:es; [|discriminate].
set (l := map (fun x => (directed (against r) (fst x), snd x)) (parts c)).
destruct (found _ _ _ _ _ _ _) as [[[m x] y]|] eqn:ef; [|discriminate].
rewrite andb_true_iff, Z.ltb_lt, Z.leb_le in e. destruct e as [e y0].
set (p := at_precision T (in_prec r)) in *. assert (pp : (0 <= p)%Z) by lia. pose proof (U_pos _ pp) as u0.
destruct (found_is_right (product T) (in_bits r) (lower_share p (in_grid r)) vs (map fst l) (product_is T)
  b0 (splits_right T r b0 bp _ _ _ es) _ _ _ _ _ _ ef) as (t & rt & m0 & ge).
exists (against r). split.
{ apply existsb_exists in hd as (d' & i & sd). destruct (against r), d'; easy. }
exists t. split.
{ replace (map snd (parts c)) with (map snd l) in rt by (unfold l; rewrite map_map; reflexivity).
  now rewrite counted_all in rt. }
eexists. split; [|apply ge; left; apply exp_pos]. destruct (expo_ok _ pp (eps c)) as (_ & _ & eu).
set (a := exp (Q2R (eps c))) in *.
apply IZR_lt in e. rewrite !mult_IZR, minus_IZR, !mult_IZR in e. change (IZR (unit p)) with (Fixed.U p) in e.
assert (n0 : 0 < IZR (Zpos (Qden (delta c)))) by (apply IZR_lt; lia). apply IZR_le in y0. unfold Q2R.
pose proof (Rmult_le_compat_r _ _ _ y0 eu) as ay.
set (n := IZR (Zpos (Qden (delta c)))) in *. set (u := Fixed.U p) in *. set (z := IZR (Qnum (delta c))) in *.
assert (k : n * (IZR x * u - IZR (snd (expo p (eps c))) * IZR y) <= n * (IZR x * u - a * u * IZR y))
  by (apply Rmult_le_compat_l; lra).
apply Rmult_lt_reg_r with (n * IZR m * u); [repeat apply Rmult_lt_0_compat; lra|].
replace (z * / n * (n * IZR m * u)) with (z * IZR m * u) by (field; lra).
replace ((IZR x / IZR m - a * (IZR y / IZR m)) * (n * IZR m * u)) with (n * (IZR x * u - a * u * IZR y)) by (field;
  lra). lra.
Qed.
