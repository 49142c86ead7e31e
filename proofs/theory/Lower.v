(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** The checker's lower side as a function of Coq, and that it is right: indices of outputs, and the sets of all
  outputs whose indices add up
    to more than a limit. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Dpverify Require Import Composition Vector Program.
Import ListNotations.
Local Open Scope Z_scope.

(** * The program *)

(** Of indices of at least k, the P-mass is at least that of [low] from there on, and the Q-mass at most that of
  [high], in units of 2^−bits. *)
Record lvec := LV { llevel : nat; lcopies : list N; lfirst : Z; low : list Z; high : list Z }.

(** Bits off all entries: what is cut off goes to the entry before, at last nowhere. *)
Fixpoint drop (b : Z) (l : list Z) : Z * list Z :=
  match l with nil => (0, nil) | x :: l' => let '(c, m) := drop b l' in let s := x + c in let q := Z.shiftr s b in
    (s - Z.shiftl q b, q :: m) end.
(** What is cut off goes to the next entry, and the last one has one unit more. *)
Fixpoint lift (b c : Z) (l : list Z) : list Z :=
  match l with
  | nil => nil
  | x :: l' => let s := x + c in let q := Z.shiftr s b in match l' with nil => [q + 1] | _ =>
    q :: lift b (s - Z.shiftl q b) l' end
  end.
(** Odd indices go to a neighbour, by a coin that says the lower one with the probability s·2^−128: more of them than
  that. *)
Fixpoint coarse_down (s acc : Z) (l : list Z) (odd : bool) : list Z :=
  match l with
  | nil => [acc]
  | x :: l' => if odd then let lo := - Z.shiftr (- (x * s)) 128 in (acc + lo) :: coarse_down s (x - lo) l' false
    else coarse_down s (acc + x) l' true
  end.
(** The first n entries, the last of which has all that follow. *)
Fixpoint keep (n : nat) (l : list Z) : list Z :=
  match n, l with O, _ => nil | _, nil => nil | S O, _ => [sum l] | S n', x :: l' => x :: keep n' l' end.
(** The sum of the entries with an index above the limit. *)
Fixpoint beyond (limit i : Z) (l : list Z) : Z :=
  match l with nil => 0 | x :: l' => if limit <? i then sum l else beyond limit (i + 1) l' end.

Section Program.
Variable mul : list Z -> list Z -> list Z.
Variables (bits : Z) (share : nat -> Z) (leaves : list lvec).
Definition lstep (o : op) (st : list lvec) : option (list lvec) :=
  match o, st with
  | Leaf j, _ => match nth_error leaves j with Some v =>
    Some (LV (llevel v) (only j) (lfirst v) (low v) (high v) :: st) | None => None end
  | Dup, v :: _ => Some (v :: st)
  | Times, w :: v :: st' =>
      if Nat.eqb (llevel v) (llevel w) && nonneg (low w) && nonneg (high w)
      then Some (LV (llevel v) (sums (lcopies v) (lcopies w)) (lfirst v + lfirst w)
        (snd (drop bits (mul (low v) (low w)))) (lift bits 0 (mul (high v) (high w))) :: st')
      else None
  | Coarsen, v :: st' => let s := share (llevel v) in
      if nonneg (low v) && nonneg (high v) && (0 <=? s) && (s <=? top)
      then Some (LV (S (llevel v)) (lcopies v) (lfirst v / 2) (coarse_down s 0 (low v) (Z.odd (lfirst v)))
        (coarse_s s 0 (high v) (Z.odd (lfirst v))) :: st') else None
  | Cut lo hi, v :: st' =>
      if Nat.ltb lo hi
      then Some (LV (llevel v) (lcopies v) (lfirst v + Z.of_nat lo) (keep (hi - lo) (skipn lo (low v)))
        (keep (hi - lo) (skipn lo (high v))) :: st') else None
  | _, _ => None
  end.
Fixpoint lrun (plan : list op) (st : list lvec) : option (list lvec) :=
  match plan with nil => Some st | o :: plan' => match lstep o st with Some st' => lrun plan' st' | None =>
    None end end.
(** Bounds of the P- and Q-mass of the outputs with indices above the limit: of two vectors in units of 2^−2bits,
  or of one. *)
Definition found (plan : list op) (ns : list N) (limit : Z) : option (Z * Z * Z) :=
  match lrun plan nil with
  | Some [w; v] =>
      if Nat.eqb (llevel v) (llevel w) && equal (sums (lcopies v) (lcopies w)) ns && nonneg (low w) && nonneg (high w)
      then let i := lfirst v + lfirst w in
        Some (2 ^ bits * 2 ^ bits, beyond limit i (mul (low v) (low w)), beyond limit i (mul (high v) (high w)))
        else None
  | Some [v] => if equal (lcopies v) ns then
    Some (2 ^ bits, beyond limit (lfirst v) (low v), beyond limit (lfirst v) (high v)) else None
  | _ => None
  end.
End Program.

(** * Tests of indices *)
Local Open Scope R_scope.

(** Whatever the weights of the two sides are, δ is at least the difference. *)
Definition ok t x y := forall a b, 0 <= a -> 0 <= b -> delta_ge t a b (a * x - b * y).
Definition mix (th : R) (f : Z -> R) (i : Z) : R := (1 - th) * f i + th * f (i + 1)%Z.

(** Outputs that have an index, or the next one by a coin, with their masses. *)
Record cell := { index : Z; coin : R; massP : R; massQ : R }.
Fixpoint on_P (l : list cell) (f : Z -> R) : R := match l with nil => 0 | c :: l' =>
  massP c * mix (coin c) f (index c) + on_P l' f end.
Fixpoint on_Q (l : list cell) (f : Z -> R) : R := match l with nil => 0 | c :: l' =>
  massQ c * mix (coin c) f (index c) + on_Q l' f end.
Definition finds (X : space) (p q : X -> R) (l : list cell) : Prop :=
  (forall x, 0 <= p x) /\ (forall x, 0 <= q x) /\ List.Forall (fun c => 0 <= coin c <= 1 /\ 0 <= massP c /\
    0 <= massQ c) l /\
  exists place : X -> option (Z * R), (forall x i th, place x = Some (i, th) -> 0 <= th <= 1) /\
    forall F f g, (forall x, 0 <= F x) -> (forall x, match place x with None => True | Some (i, th) =>
      p x * mix th f i - q x * mix th g i <= F x end) ->
      Lb F (on_P l f - on_Q l g).

Lemma ok_mix t x y x' y' th : 0 <= th <= 1 -> ok t x y -> ok t x' y' ->
  ok t ((1 - th) * x + th * x') ((1 - th) * y + th * y').
Proof.
intros h o o' a b a0 b0. specialize (o a b a0 b0). specialize (o' a b a0 b0).
set (d := a * x - b * y) in *. set (d' := a * x' - b * y') in *.
assert (e : a * ((1 - th) * x + th * x') - b * ((1 - th) * y + th * y') = (1 - th) * d + th * d') by (unfold d, d';
  ring). rewrite e.
destruct (Rle_dec d d') as [k|k].
- revert o'. apply delta_ge_mono. assert ((1 - th) * d <= (1 - th) * d') by (apply Rmult_le_compat_l; lra). lra.
- revert o. apply delta_ge_mono. assert (th * d' <= th * d) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma mix_scale c th f i : mix th (fun k => c * f k) i = c * mix th f i.
Proof. unfold mix. ring. Qed.
Lemma on_P_scale c l f : on_P l (fun k => c * f k) = c * on_P l f.
Proof. induction l as [|x l ih]; cbn [on_P]; [ring|]. rewrite ih, mix_scale. ring. Qed.
Lemma on_Q_scale c l f : on_Q l (fun k => c * f k) = c * on_Q l f.
Proof. induction l as [|x l ih]; cbn [on_Q]; [ring|]. rewrite ih, mix_scale. ring. Qed.
Lemma mix_le th f g i : 0 <= th <= 1 -> (forall k, f k <= g k) -> mix th f i <= mix th g i.
Proof. intros h fg. unfold mix. apply Rplus_le_compat; apply Rmult_le_compat_l; auto; lra. Qed.
Definition sound_cells := List.Forall (fun c => 0 <= coin c <= 1 /\ 0 <= massP c /\ 0 <= massQ c).
Lemma on_P_le l f g : sound_cells l -> (forall k, f k <= g k) -> on_P l f <= on_P l g.
Proof. intros h fg. induction h as [|c l (h1 & h2 & h3) _ ih]; cbn [on_P]; [lra|]. apply Rplus_le_compat; [|easy].
apply Rmult_le_compat_l; [easy|now apply mix_le]. Qed.
Lemma on_Q_le l f g : sound_cells l -> (forall k, f k <= g k) -> on_Q l f <= on_Q l g.
Proof. intros h fg. induction h as [|c l (h1 & h2 & h3) _ ih]; cbn [on_Q]; [lra|]. apply Rplus_le_compat; [|easy].
apply Rmult_le_compat_l; [easy|now apply mix_le]. Qed.
Lemma on_P_0 l : on_P l (fun _ => 0) = 0.
Proof. induction l as [|x l ih]; cbn [on_P]; [easy|]. rewrite ih. unfold mix. ring. Qed.
Lemma on_Q_0 l : on_Q l (fun _ => 0) = 0.
Proof. induction l as [|x l ih]; cbn [on_Q]; [easy|]. rewrite ih. unfold mix. ring. Qed.

(** One mechanism before others: its indices are added. *)
Lemma node_ok (X : space) (p q : X -> R) l t dP dQ : finds X p q l -> ok t 0 0 -> (forall i, ok t (dP i) (dQ i)) ->
  ok (Node X p q (fun _ => t)) (on_P l dP) (on_Q l dQ).
Proof.
intros (p0 & q0 & _ & place & hth & h) t0 ht a b a0 b0.
set (v x := match place x with None => 0 | Some (i, th) => p x * mix th (fun k => a * dP k) i - q x * mix th (fun k =>
  b * dQ k) i end).
apply dg_node with (fun x => Rmax 0 (v x)).
- intros x. assert (ax : 0 <= a * p x) by (apply Rmult_le_pos; auto).
  assert (bx : 0 <= b * q x) by (apply Rmult_le_pos; auto).
  assert (z : delta_ge t (a * p x) (b * q x) 0) by (pose proof (t0 _ _ ax bx) as z;
    now rewrite !Rmult_0_r, Rminus_0_r in z).
  unfold Rmax. destruct (Rle_dec 0 (v x)) as [_|_]; [|exact z]. unfold v. destruct (place x) as [[i th]|] eqn:e;
    [|exact z].
  pose proof (ok_mix t _ _ _ _ th (hth x i th e) (ht i) (ht (i + 1)%Z) _ _ ax bx) as m. rewrite !mix_scale. unfold mix.
  revert m. apply delta_ge_mono. right. ring.
- rewrite <- on_P_scale, <- on_Q_scale. apply h; [intros x; apply Rmax_l|]. intros x.
  pose proof (Rmax_r 0 (v x)) as k. revert k. unfold v. destruct (place x) as [[i th]|]; [|easy]. lra.
Qed.
Lemma node_ok_0 (X : space) (p q : X -> R) l t : finds X p q l -> ok t 0 0 -> ok (Node X p q (fun _ => t)) 0 0.
Proof. intros h t0. pose proof (node_ok X p q l t (fun _ => 0) (fun _ => 0) h t0 (fun _ => t0)) as k.
now rewrite on_P_0, on_Q_0 in k. Qed.

(** * Counts of classes *)

Fixpoint counted (Cs : list class) (ns : list N) : list (class * N) := match Cs with nil => nil | C :: Cs' =>
  (C, hd 0%N ns) :: counted Cs' (tl ns) end.
Lemma sums_nil ns : sums ns nil = ns. Proof. destruct ns; easy. Qed.
Lemma sums_assoc a : forall b c, sums (sums a b) c = sums a (sums b c).
Proof. induction a as [|x a ih]; intros [|y b] [|z c]; try easy. cbn [sums]. rewrite ih. f_equal. lia. Qed.
Lemma counted_only Cs : forall j C ns, nth_error Cs j = Some C ->
  exists l n l', counted Cs ns = l ++ (C, n) :: l' /\ counted Cs (sums (only j) ns) = l ++ (C, N.succ n) :: l'.
Proof.
induction Cs as [|C0 Cs ih]; intros [|j] C ns e; try discriminate; cbn [nth_error] in e.
- inversion e; subst. exists nil, (hd 0%N ns), (counted Cs (tl ns)). split; [easy|].
  destruct ns as [|n ns]; cbn [only sums counted hd tl app]; [easy|]. now rewrite N.add_1_l.
- destruct (ih j C (tl ns) e) as (l & n & l' & e1 & e2). exists ((C0, hd 0%N ns) :: l), n, l'. cbn [counted app].
  rewrite e1. split; [easy|].
  destruct ns as [|n0 ns]; cbn [only sums counted hd tl] in *; [rewrite sums_nil in e2; now rewrite e2|].
  now rewrite e2.
Qed.
Lemma counted_all l : counted (map fst l) (map snd l) = l.
Proof. induction l as [|[C n] l ih]; [easy|]. cbn [map counted hd tl fst snd]. now rewrite ih. Qed.
Lemma counted_none Cs : runs (counted Cs nil) Ret.
Proof. apply r_end. induction Cs as [|C Cs ih]; intros C' n h; [easy|]. cbn [counted hd tl] in h.
destruct h as [e|h]; [now inversion e|now apply (ih C')]. Qed.

(** * Vectors *)

Definition rising (f : Z -> R) := (forall k, 0 <= f k) /\ forall k, f k <= f (k + 1)%Z.
Definition mono (L : (Z -> R) -> R) := forall f g, (forall k, f k <= g k) -> L f <= L g.
Definition halved (th : R) (f : Z -> R) (k : Z) : R := if Z.odd k then th * f (k / 2)%Z + (1 - th) * f (k / 2 + 1)%Z
  else f (k / 2)%Z.
Definition within (A B : Z) (f : Z -> R) (k : Z) : R := if (k <? A)%Z then 0 else f (Z.min k B).

Lemma rises_far f n : rising f -> forall k, f k <= f (k + Z.of_nat n)%Z.
Proof.
intros [_ h]. induction n as [|n ih]; intros k; [replace (k + Z.of_nat 0)%Z with k by lia; lra|].
eapply Rle_trans; [apply ih|]. eapply Rle_trans; [apply h|].
replace (k + Z.of_nat n + 1)%Z with (k + Z.of_nat (S n))%Z by lia. lra.
Qed.
Lemma rises f k k' : rising f -> (k <= k')%Z -> f k <= f k'.
Proof. intros h le. replace k' with (k + Z.of_nat (Z.to_nat (k' - k)))%Z by lia. now apply rises_far. Qed.
Lemma rising_shift f i : rising f -> rising (fun j => f (i + j)%Z).
Proof. intros h. split; [intros; apply h|]. intros k. apply rises; [easy|lia]. Qed.
Lemma rising_halved th f : 0 <= th <= 1 -> rising f -> rising (halved th f).
Proof.
intros ht h. split; intros k; unfold halved.
- destruct (Z.odd k); [|apply h]. apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra; apply h.
- replace (k + 1)%Z with (Z.succ k) by lia. rewrite Z.odd_succ, <- Z.negb_odd. rewrite Zodd_mod.
  pose proof (Z.div_mod k 2 ltac:(lia)). pose proof (Z.mod_pos_bound k 2 ltac:(lia)).
  destruct (Zeq_bool (k mod 2) 1) eqn:q; [apply Zeq_bool_eq in q|apply Zeq_bool_neq in q]; cbn [negb].
  + replace (Z.succ k / 2)%Z with (k / 2 + 1)%Z by (apply Z.div_unique with 0%Z; lia). pose proof (proj2 h (k / 2)%Z).
    nra.
  + replace (Z.succ k / 2)%Z with (k / 2)%Z by (apply Z.div_unique with 1%Z; lia). pose proof (proj2 h (k / 2)%Z). nra.
Qed.
Lemma rising_within A B f : rising f -> rising (within A B f).
Proof.
intros h. split; intros k; unfold within; destruct (Z.ltb_spec k A); try lra; try apply h.
- destruct (Z.ltb_spec (k + 1) A); [lra|apply h].
- destruct (Z.ltb_spec (k + 1) A); [lia|]. apply rises; [easy|lia].
Qed.

Lemma EZ_nonneg l : forall i f, nonneg l = true -> (forall k, 0 <= f k) -> 0 <= EZ l i f.
Proof. intros i f nn h. rewrite <- (EZ_0 l i). now apply EZ_le. Qed.
Lemma EZ_rising l i f : nonneg l = true -> rising f -> rising (fun k => EZ l i (fun j => f (k + j)%Z)).
Proof.
intros nn h. split; intros k; [apply EZ_nonneg; auto; intros; apply h|]. apply EZ_le; [easy|]. intros j.
apply rises; [easy|lia].
Qed.

Section Bits.
Variable b : Z.
Hypothesis b0 : (0 <= b)%Z.
Notation u := (2 ^ b)%Z.
Lemma u0 : (0 < u)%Z. Proof. apply Z.pow_pos_nonneg; lia. Qed.
Lemma shift_is s : (Z.shiftl (Z.shiftr s b) b = u * (s / u))%Z /\ (0 <= s - u * (s / u))%Z /\ (s - u * (s / u) < u)%Z.
Proof. pose proof u0. rewrite Z.shiftr_div_pow2, Z.shiftl_mul_pow2 by easy. pose proof (Z.div_mod s u ltac:(lia)).
pose proof (Z.mod_pos_bound s u u0). lia. Qed.
Lemma drop_right f l : rising f -> forall i, (0 <= fst (drop b l))%Z /\
  IZR u * EZ (snd (drop b l)) i f + IZR (fst (drop b l)) * f i <= EZ l i f.
Proof.
intros h. induction l as [|x l ih]; intros i; cbn [drop EZ]; [cbn [fst snd EZ]; split; [lia|lra]|].
destruct (ih (i + 1)%Z) as [c0 k]. destruct (drop b l) as [c m].
cbn [fst snd EZ] in *. destruct (shift_is (x + c)) as (e & r0 & _).
rewrite e. split; [easy|]. rewrite Z.shiftr_div_pow2 by easy. rewrite minus_IZR, mult_IZR, plus_IZR.
apply IZR_le in c0. pose proof (Rmult_le_compat_l _ _ _ c0 (proj2 h i)). lra.
Qed.
Lemma lift_right f l : rising f -> forall c i, l <> nil -> (0 <= c)%Z ->
  EZ l i f + IZR c * f i <= IZR u * EZ (lift b c l) i f.
Proof.
intros h. induction l as [|x l ih]; intros c i ne c0; [easy|]. clear ne. destruct (shift_is (x + c)) as (e & r0 & r1).
destruct l as [|y l].
- cbn [lift EZ]. rewrite Z.shiftr_div_pow2 by easy. assert (k : (x + c <= u * ((x + c) / u + 1))%Z) by lia.
  apply IZR_le in k. rewrite mult_IZR, !plus_IZR in k. rewrite plus_IZR.
  pose proof (Rmult_le_compat_r _ _ _ (proj1 h i) k). lra.
- change (lift b c (x :: y :: l)) with (Z.shiftr (x + c) b :: lift b (x + c - Z.shiftl (Z.shiftr (x + c) b) b)
    (y :: l)). rewrite e. cbn [EZ].
  specialize (ih (x + c - u * ((x + c) / u))%Z (i + 1)%Z ltac:(discriminate) r0). cbn [EZ] in ih.
  rewrite Z.shiftr_div_pow2 by easy. rewrite minus_IZR, mult_IZR, plus_IZR in ih.
  apply IZR_le in r0. rewrite minus_IZR, mult_IZR, plus_IZR in r0.
  pose proof (Rmult_le_compat_l _ _ _ r0 (proj2 h i)). lra.
Qed.
End Bits.

Lemma coarse_sides s f l : (0 <= s <= 2 ^ 128)%Z -> rising f -> nonneg l = true -> forall (odd : bool) acc k,
  let g := halved (IZR s / W) f in let i := if odd then (2 * k + 1)%Z else (2 * k)%Z in
  EZ (coarse_down s acc l odd) k f <= IZR acc * f k + EZ l i g /\
    IZR acc * f k + EZ l i g <= EZ (coarse_s s acc l odd) k f.
Proof.
intros hs h nn. pose proof W_pos as wp. cbv zeta. set (th := IZR s / W).
assert (tw : th * W = IZR s) by (unfold th; field; lra).
assert (even : forall k, halved th f (2 * k) = f k).
{ intros k. unfold halved. rewrite Z.odd_mul. cbn [Z.odd andb]. f_equal. rewrite Z.mul_comm, Z.div_mul; lia. }
assert (odd : forall k, halved th f (2 * k + 1) = th * f k + (1 - th) * f (k + 1)%Z).
{ intros k. unfold halved. rewrite Z.odd_add, Z.odd_mul. cbn [Z.odd andb xorb].
  replace ((2 * k + 1) / 2)%Z with k by (apply Z.div_unique with 1%Z; lia). easy. }
induction l as [|x l ih]; intros o acc k; [destruct o; cbn [coarse_down coarse_s EZ]; lra|].
apply nonneg_cons in nn as [x0 nn]. specialize (ih nn). cbn [coarse_down coarse_s EZ]. destruct o.
- cbn [EZ]. set (lo := (- Z.shiftr (- (x * s)) 128)%Z). set (lo' := Z.shiftr (x * s) 128). rewrite odd.
  replace (2 * k + 1 + 1)%Z with (2 * (k + 1))%Z by ring.
  destruct (ih false (x - lo)%Z (k + 1)%Z) as [i1 _], (ih false (x - lo')%Z (k + 1)%Z) as [_ i2]. cbn iota in i1, i2.
  rewrite minus_IZR in i1, i2. rewrite !plus_IZR.
  assert (l1 : IZR x * th <= IZR lo).
  { unfold lo. rewrite Z.shiftr_div_pow2 by lia. pose proof (Z.mul_div_le (- (x * s)) (2 ^ 128) ltac:(lia)) as d.
    apply IZR_le in d. rewrite mult_IZR, opp_IZR, mult_IZR in d. fold W in d. rewrite opp_IZR.
    apply Rmult_le_reg_r with W; [easy|]. rewrite Rmult_assoc, tw. lra. }
  assert (l2 : IZR lo' <= IZR x * th).
  { unfold lo'. rewrite Z.shiftr_div_pow2 by lia. pose proof (Z.mul_div_le (x * s) (2 ^ 128) ltac:(lia)) as d.
    apply IZR_le in d. rewrite !mult_IZR in d. fold W in d.
    apply Rmult_le_reg_r with W; [easy|]. rewrite Rmult_assoc, tw. lra. }
  pose proof (proj2 h k) as r. split; nra.
- rewrite even. destruct (ih true (acc + x)%Z k) as [i1 i2]. cbn iota in i1, i2. rewrite plus_IZR in i1, i2. split; lra.
Qed.

Lemma EZ_ext_from l : forall i f g, (forall k, (i <= k < i + Z.of_nat (length l))%Z -> f k = g k) ->
  EZ l i f = EZ l i g.
Proof. induction l as [|x l ih]; intros i f g h; [easy|]. cbn [EZ]. rewrite h by (cbn [length]; lia). f_equal.
apply ih. intros k hk. apply h. cbn [length]. lia. Qed.
Lemma EZ_sum_scale l c : forall i, EZ l i (fun _ => c) = IZR (sum l) * c.
Proof. induction l as [|x l ih]; intros i; cbn [EZ]; [unfold sum; simpl; ring|]. rewrite ih.
change (sum (x :: l)) with (x + sum l)%Z. rewrite plus_IZR. ring. Qed.
Lemma keep_is n : forall l i f, (0 < n)%nat -> EZ (keep n l) i f = EZ l i (fun k => f (Z.min k (i + Z.of_nat n - 1))).
Proof.
induction n as [|n ih]; intros l i f n0; [lia|]. destruct l as [|x l]; [destruct n; easy|]. destruct n as [|n].
- cbn [keep]. rewrite (EZ_ext_from (x :: l) i _ (fun _ => f i)) by (intros k hk; f_equal; lia). rewrite EZ_sum_scale.
  cbn [EZ]. ring.
- change (keep (S (S n)) (x :: l)) with (x :: keep (S n) l). cbn [EZ]. rewrite ih by lia.
  f_equal; [do 2 f_equal; lia|]. apply EZ_ext. intros k. f_equal. lia.
Qed.
Lemma skipn_is n : forall l i f, EZ (skipn n l) (i + Z.of_nat n) f = EZ l i (fun k => if (k <? i + Z.of_nat n)%Z then
  0 else f k).
Proof.
induction n as [|n ih]; intros l i f.
- cbn [skipn]. replace (i + Z.of_nat 0)%Z with i by lia. apply EZ_ext_from. intros k hk.
  destruct (Z.ltb_spec k i); [lia|easy].
- destruct l as [|x l]; [easy|]. cbn [skipn EZ]. destruct (Z.ltb_spec i (i + Z.of_nat (S n))); [|lia].
  rewrite Rmult_0_r, Rplus_0_l.
  replace (i + Z.of_nat (S n))%Z with (i + 1 + Z.of_nat n)%Z by lia. apply ih.
Qed.
Lemma cut_is lo hi l i f : (lo < hi)%nat -> EZ (keep (hi - lo) (skipn lo l)) (i + Z.of_nat lo) f = EZ l i
  (within (i + Z.of_nat lo) (i + Z.of_nat hi - 1) f).
Proof.
intros lt. rewrite keep_is by lia. rewrite skipn_is. apply EZ_ext. intros k. unfold within.
destruct (k <? i + Z.of_nat lo)%Z; [easy|]. f_equal. lia.
Qed.
Definition above_limit (limit k : Z) : R := if (limit <? k)%Z then 1 else 0.
Lemma rising_limit limit : rising (above_limit limit).
Proof. split; intros k; unfold above_limit; [destruct (limit <? k)%Z; lra|].
destruct (Z.ltb_spec limit k), (Z.ltb_spec limit (k + 1)); try lra; lia. Qed.
Lemma beyond_is limit l : forall i, IZR (beyond limit i l) = EZ l i (above_limit limit).
Proof.
induction l as [|x l ih]; intros i; [easy|]. cbn [beyond]. destruct (Z.ltb_spec limit i).
- rewrite <- (EZ_sum (x :: l) i). apply EZ_ext_from. intros k hk. unfold above_limit.
  destruct (Z.ltb_spec limit k); [easy|lia].
- rewrite ih. cbn [EZ]. unfold above_limit at 2. destruct (Z.ltb_spec limit i); [lia|]. ring.
Qed.

(** * Why it is right *)
Section Sound.
Variables (mul : list Z -> list Z -> list Z) (bits : Z) (share : nat -> Z) (leaves : list lvec) (Cs : list class).
Hypothesis mul_is : forall l m, mul l m = conv l m.
Hypothesis b0 : (0 <= bits)%Z.
Notation M := (2 ^ bits)%Z.
Lemma lM : 0 < IZR M. Proof. apply IZR_lt, u0, b0. Qed.

(** A way to run so many of each class before whatever comes, and laws of the index of that. *)
Definition leads (ns : list N) (K : tree -> tree) (P Q : (Z -> R) -> R) : Prop :=
  mono P /\ mono Q /\
  (forall t dP dQ, ok t 0 0 -> (forall i, ok t (dP i) (dQ i)) -> ok (K t) 0 0 /\ ok (K t) (P dP) (Q dQ)) /\
  forall t ns', runs (counted Cs ns') t -> runs (counted Cs (sums ns ns')) (K t).
(** Of indices of at least each, the vectors bound the masses. *)
Definition good (v : lvec) : Prop := exists K P Q, leads (lcopies v) K P Q /\
  forall f, rising f -> EZ (low v) (lfirst v) f <= IZR M * P f /\ IZR M * Q f <= EZ (high v) (lfirst v) f.
Definition lleaf (v : lvec) (C : class) : Prop := exists X p q l, C X p q /\ finds X p q l /\
  forall f, rising f -> EZ (low v) (lfirst v) f <= IZR M * on_P l f /\ IZR M * on_Q l f <= EZ (high v) (lfirst v) f.
Hypothesis leaf_ok : Forall2 lleaf leaves Cs.

Lemma leaf_leads j v : nth_error leaves j = Some v -> good (LV (llevel v) (only j) (lfirst v) (low v) (high v)).
Proof.
intros e. assert (h : exists C, nth_error Cs j = Some C /\ lleaf v C).
{ clear - leaf_ok e. revert leaf_ok j e. generalize leaves Cs. intros vs cs h. induction h as [|v0 C vs cs h _ ih];
    intros [|j] e; try discriminate; [inversion e; subst; now exists C|]. now apply ih. }
destruct h as (C & ec & X & p & q & l & cl & fd & le). exists (fun t => Node X p q (fun _ => t)), (on_P l), (on_Q l).
split; [|exact le].
assert (sc : sound_cells l) by (destruct fd as (_ & _ & sc & _); exact sc). repeat split.
- intros f g fg. now apply on_P_le.
- intros f g fg. now apply on_Q_le.
- now apply node_ok_0 with l.
- now apply node_ok.
- intros t ns' r. cbn [lcopies]. destruct (counted_only Cs j C ns' ec) as (l1 & n & l2 & e1 & e2). rewrite e2.
  apply r_step; [exact cl|]. intros _. now rewrite <- e1.
Qed.

Lemma leads_times ns ns' K K' P P' Q Q' : leads ns K P Q -> leads ns' K' P' Q' ->
  leads (sums ns ns') (fun t => K (K' t)) (fun f => P (fun i => P' (fun j => f (i + j)%Z))) (fun f =>
    Q (fun i => Q' (fun j => f (i + j)%Z))).
Proof.
intros (m1 & m2 & k & r) (m1' & m2' & k' & r'). split; [|split; [|split]].
- intros f g fg. apply m1. intros i. apply m1'. intros j. apply fg.
- intros f g fg. apply m2. intros i. apply m2'. intros j. apply fg.
- intros t dP dQ t0 h. destruct (k' t (fun _ => 0) (fun _ => 0) t0 (fun _ => t0)) as [z _]. apply k; [exact z|].
  intros i. apply (k' t (fun j => dP (i + j)%Z) (fun j => dQ (i + j)%Z)); [easy|]. intros j. apply h.
- intros t ns0 h. rewrite sums_assoc. apply r, r', h.
Qed.
Lemma leads_halved ns K P Q th : 0 <= th <= 1 -> leads ns K P Q ->
  leads ns K (fun f => P (halved th f)) (fun f => Q (halved th f)).
Proof.
intros ht (m1 & m2 & k & r).
assert (m : forall f g, (forall i, f i <= g i) -> forall i, halved th f i <= halved th g i).
{ intros f g fg i. unfold halved. destruct (Z.odd i); [|apply fg]. apply Rplus_le_compat; apply Rmult_le_compat_l;
    auto; lra. }
split; [|split; [|split]]; auto.
- intros f g fg. now apply m1, m.
- intros f g fg. now apply m2, m.
- intros t dP dQ t0 h. apply k; [easy|]. intros i. unfold halved. destruct (Z.odd i); [|apply h].
  pose proof (ok_mix t _ _ _ _ (1 - th) ltac:(lra) (h (i / 2)%Z) (h (i / 2 + 1)%Z)) as x.
  replace (1 - (1 - th)) with th in x by ring. exact x.
Qed.
Lemma leads_within ns K P Q A B : leads ns K P Q -> leads ns K (fun f => P (within A B f)) (fun f => Q (within A B f)).
Proof.
intros (m1 & m2 & k & r).
assert (m : forall f g, (forall i, f i <= g i) -> forall i, within A B f i <= within A B g i) by (intros f g fg i;
  unfold within; destruct (i <? A)%Z; [lra|apply fg]).
split; [|split; [|split]]; auto.
- intros f g fg. now apply m1, m.
- intros f g fg. now apply m2, m.
- intros t dP dQ t0 h. apply k; [easy|]. intros i. unfold within. destruct (i <? A)%Z; [easy|apply h].
Qed.

(** Theorem 4. *)
Lemma product_right v w : good v -> good w -> nonneg (low w) = true -> nonneg (high w) = true ->
  exists K P Q, leads (sums (lcopies v) (lcopies w)) K P Q /\ forall f, rising f ->
    EZ (conv (low v) (low w)) (lfirst v + lfirst w) f <= IZR M * IZR M * P f /\
      IZR M * IZR M * Q f <= EZ (conv (high v) (high w)) (lfirst v + lfirst w) f.
Proof.
intros (K & P & Q & L & h) (K' & P' & Q' & L' & h') n1 n2. pose proof lM as mp.
exists (fun t => K (K' t)), (fun f => P (fun i => P' (fun j => f (i + j)%Z))),
  (fun f => Q (fun i => Q' (fun j => f (i + j)%Z))).
split; [now apply leads_times|]. intros f rf. rewrite !EZ_conv. destruct L as (m1 & m2 & _), L' as (m1' & m2' & _).
set (g := fun i => EZ (low w) (lfirst w) (fun j => f (i + j)%Z)).
set (g' := fun i => EZ (high w) (lfirst w) (fun j => f (i + j)%Z)).
assert (sc : forall l i h c, EZ l i (fun k => c * h k) = c * EZ l i h).
{ clear. induction l as [|x l ih]; simpl; intros; [ring|]. rewrite ih. ring. }
assert (rs : forall h c, 0 <= c -> rising h -> rising (fun k => c * h k)).
{ clear. intros h c c0 [a b]. split; intros k; [now apply Rmult_le_pos|now apply Rmult_le_compat_l]. }
assert (i0 : 0 < / IZR M) by now apply Rinv_0_lt_compat.
split.
- destruct (h (fun k => / IZR M * g k)) as [k _]; [apply rs; [lra|now apply EZ_rising]|]. rewrite sc in k.
  assert (k2 : P (fun i => / IZR M * g i) <= P (fun i => P' (fun j => f (i + j)%Z))).
  { apply m1. intros i. destruct (h' (fun j => f (i + j)%Z)) as [k' _]; [now apply rising_shift|].
    apply Rmult_le_reg_l with (IZR M); [easy|]. unfold g. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. exact k'. }
  apply Rmult_le_reg_l with (/ IZR M); [easy|].
  replace (/ IZR M * (IZR M * IZR M * P (fun i => P' (fun j => f (i + j)%Z))))
    with (IZR M * P (fun i => P' (fun j => f (i + j)%Z))) by (field; lra).
  apply Rle_trans with (1 := k). now apply Rmult_le_compat_l; [lra|].
- destruct (h (fun k => / IZR M * g' k)) as [_ k]; [apply rs; [lra|now apply EZ_rising]|]. rewrite sc in k.
  assert (k2 : Q (fun i => Q' (fun j => f (i + j)%Z)) <= Q (fun i => / IZR M * g' i)).
  { apply m2. intros i. destruct (h' (fun j => f (i + j)%Z)) as [_ k']; [now apply rising_shift|].
    apply Rmult_le_reg_l with (IZR M); [easy|]. unfold g'. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. exact k'. }
  apply Rmult_le_reg_l with (/ IZR M); [easy|].
  replace (/ IZR M * (IZR M * IZR M * Q (fun i => Q' (fun j => f (i + j)%Z))))
    with (IZR M * Q (fun i => Q' (fun j => f (i + j)%Z))) by (field; lra).
  apply Rle_trans with (2 := k). now apply Rmult_le_compat_l; [lra|].
Qed.

Lemma conv_nil l m : l <> nil -> m <> nil -> conv l m <> nil.
Proof. destruct l as [|x l], m as [|y m]; easy. Qed.
Lemma EZ_all_nil v f : good v -> rising f -> high v = nil -> EZ (high v) (lfirst v) f = 0.
Proof. intros _ _ ->. easy. Qed.

Theorem lstep_good o st st' : List.Forall good st -> lstep mul bits share leaves o st = Some st' ->
  List.Forall good st'.
Proof.
intros f e. pose proof lM as mp. destruct o as [j| | | |lo hi]; cbn [lstep] in e.
- destruct (nth_error leaves j) as [v|] eqn:ev; [|discriminate]. inversion e; subst.
  constructor; [now apply leaf_leads|exact f].
- destruct st as [|v st]; inversion e; subst. inversion f; subst. now constructor.
- destruct st as [|w [|v st]]; try discriminate.
  destruct (Nat.eqb (llevel v) (llevel w) && nonneg (low w) && nonneg (high w)) eqn:c; [|discriminate].
  rewrite !andb_true_iff in c. destruct c as [[_ n1] n2]. inversion e; subst. inversion f as [|? ? gw f']; subst.
  inversion f' as [|? ? gv f'']; subst. constructor; [|exact f''].
  destruct (product_right v w gv gw n1 n2) as (K & P & Q & L & h). exists K, P, Q. split; [exact L|].
  cbn [low high lfirst]. intros g rg. rewrite !mul_is. destruct (h g rg) as [h1 h2]. split.
  + destruct (drop_right bits b0 g (conv (low v) (low w)) rg (lfirst v + lfirst w)%Z) as [c0 k]. apply IZR_le in c0.
    pose proof (Rmult_le_pos _ _ c0 (proj1 rg (lfirst v + lfirst w)%Z)).
    apply Rmult_le_reg_l with (IZR M); [easy|]. lra.
  + apply Rmult_le_reg_l with (IZR M); [easy|]. destruct (conv (high v) (high w)) as [|x l] eqn:ec.
    * cbn [lift EZ] in *. lra.
    * pose proof (lift_right bits b0 g (x :: l) rg 0 (lfirst v + lfirst w)%Z ltac:(easy) ltac:(lia)) as k. lra.
- destruct st as [|v st]; [discriminate|]. cbv zeta in e.
  set (s := share (llevel v)) in *. destruct (nonneg (low v) && nonneg (high v) && (0 <=? s)%Z && (s <=? top)%Z)
    eqn:c; [|discriminate].
  rewrite !andb_true_iff, !Z.leb_le in c. destruct c as [[[n1 n2] s0] s1]. inversion e; subst.
  inversion f as [|? ? gv f']; subst. constructor; [|exact f'].
  destruct gv as (K & P & Q & L & h). change top with (2 ^ 128)%Z in s1. assert (th : 0 <= IZR s / W <= 1).
  { pose proof W_pos. apply IZR_le in s0, s1. fold W in s1.
    split; [apply Rmult_le_pos; [easy|left; now apply Rinv_0_lt_compat]|]. apply Rmult_le_reg_r with W; [easy|].
    field_simplify; lra. }
  exists K, (fun f => P (halved (IZR s / W) f)), (fun f => Q (halved (IZR s / W) f)).
  split; [now apply leads_halved|]. cbn [low high lfirst]. intros g rg.
  destruct (h _ (rising_halved _ g th rg)) as [h1 h2].
  assert (i : (if Z.odd (lfirst v) then 2 * (lfirst v / 2) + 1 else 2 * (lfirst v / 2))%Z = lfirst v).
  { rewrite Zodd_mod. pose proof (Z.div_mod (lfirst v) 2 ltac:(lia)).
    pose proof (Z.mod_pos_bound (lfirst v) 2 ltac:(lia)). destruct (Zeq_bool (lfirst v mod 2) 1) eqn:q;
      [apply Zeq_bool_eq in q|apply Zeq_bool_neq in q]; lia. }
  destruct (coarse_sides s g (low v) ltac:(lia) rg n1 (Z.odd (lfirst v)) 0 (lfirst v / 2)) as [k1 _],
    (coarse_sides s g (high v) ltac:(lia) rg n2 (Z.odd (lfirst v)) 0 (lfirst v / 2)) as [_ k2].
  rewrite i in k1, k2. lra.
- destruct st as [|v st]; [discriminate|]. destruct (Nat.ltb lo hi) eqn:lt; [|discriminate]. apply Nat.ltb_lt in lt.
  inversion e; subst. inversion f as [|? ? gv f']; subst. constructor; [|exact f'].
  destruct gv as (K & P & Q & L & h). set (A := (lfirst v + Z.of_nat lo)%Z). set (B := (lfirst v + Z.of_nat hi - 1)%Z).
  exists K, (fun f => P (within A B f)), (fun f => Q (within A B f)). split; [now apply leads_within|].
  cbn [low high lfirst]. intros g rg. unfold A. rewrite !cut_is by easy. now apply h, rising_within.
Qed.
Theorem lrun_good plan : forall st st', List.Forall good st -> lrun mul bits share leaves plan st = Some st' ->
  List.Forall good st'.
Proof.
induction plan as [|o plan ih]; cbn [lrun]; intros st st' f e; [now inversion e; subst|].
destruct (lstep mul bits share leaves o st) as [st1|] eqn:s; [|discriminate]. apply (ih st1); [|exact e].
now apply (lstep_good o st).
Qed.

(** The test at the end: both sides are what was found. *)
Lemma end_right ns K P Q limit : leads ns K P Q -> runs (counted Cs ns) (K Ret) /\
  ok (K Ret) (P (above_limit limit)) (Q (above_limit limit)).
Proof.
intros (_ & _ & k & r). split.
- specialize (r Ret nil (counted_none Cs)). now rewrite sums_nil in r.
- apply k.
  + intros a b a0 b0'. constructor. rewrite !Rmult_0_r, Rminus_0_r. apply Rmax_l.
  + intros i a b a0 b0'. constructor. unfold above_limit.
    destruct (limit <? i)%Z; [rewrite !Rmult_1_r; apply Rmax_r|rewrite !Rmult_0_r, Rminus_0_r; apply Rmax_l].
Qed.
Theorem found_is_right plan ns limit m x y : found mul bits share leaves plan ns limit = Some (m, x, y) ->
  exists t, runs (counted Cs ns) t /\ 0 < IZR m /\ forall b, 0 <= b ->
    delta_ge t 1 b (IZR x / IZR m - b * (IZR y / IZR m)).
Proof.
unfold found. intros e. pose proof lM as mp. destruct (lrun mul bits share leaves plan nil) as [st|] eqn:ran;
  [|discriminate]. apply lrun_good in ran; [|constructor].
destruct st as [|w [|v [|]]]; try discriminate.
- destruct (equal (lcopies w) ns) eqn:eq; [|discriminate]. apply equal_is in eq. inversion e; subst.
  inversion ran as [|? ? (K & P & Q & L & h) _]; subst.
  destruct (end_right _ K P Q limit L) as [r o]. destruct (h _ (rising_limit limit)) as [h1 h2]. rewrite !beyond_is.
  exists (K Ret). split; [easy|]. split; [easy|]. intros b b1.
  pose proof (o 1 b ltac:(lra) b1) as g. revert g. apply delta_ge_mono.
  set (z := EZ (low w) _ _) in *. set (z' := EZ (high w) _ _) in *.
  assert (z / IZR M <= P (above_limit limit)) by (apply Rmult_le_reg_l with (IZR M); [easy|]; field_simplify; lra).
  assert (Q (above_limit limit) <= z' / IZR M) by (apply Rmult_le_reg_l with (IZR M); [easy|]; field_simplify; lra).
  pose proof (Rmult_le_compat_l b _ _ b1 H0). lra.
- destruct (Nat.eqb (llevel v) (llevel w) && equal (sums (lcopies v) (lcopies w)) ns && nonneg (low w) && nonneg
    (high w)) eqn:c; [|discriminate].
  rewrite !andb_true_iff in c. destruct c as [[[_ eq] n1] n2]. apply equal_is in eq. inversion e; subst.
  rewrite !mul_is. inversion ran as [|? ? gw f]; subst. inversion f as [|? ? gv _]; subst.
  destruct (product_right v w gv gw n1 n2) as (K & P & Q & L & h). destruct (end_right _ K P Q limit L) as [r o].
  destruct (h _ (rising_limit limit)) as [h1 h2]. rewrite !beyond_is. rewrite mult_IZR.
  exists (K Ret). split; [easy|]. assert (mm : 0 < IZR M * IZR M) by now apply Rmult_lt_0_compat. split; [easy|].
  intros b b1.
  pose proof (o 1 b ltac:(lra) b1) as g. revert g. apply delta_ge_mono.
  set (z := EZ (conv (low v) (low w)) _ _) in *. set (z' := EZ (conv (high v) (high w)) _ _) in *.
  assert (z / (IZR M * IZR M) <= P (above_limit limit)) by (apply Rmult_le_reg_l with (IZR M * IZR M); [easy|];
    field_simplify; lra).
  assert (Q (above_limit limit) <= z' / (IZR M * IZR M)) by (apply Rmult_le_reg_l with (IZR M * IZR M); [easy|];
    field_simplify; lra).
  pose proof (Rmult_le_compat_l b _ _ b1 H0). lra.
Qed.
End Sound.
