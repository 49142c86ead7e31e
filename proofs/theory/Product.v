(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Products of lists of digits as products of two numbers (Kronecker), with any program for numbers. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Dpverify Require Import Numbers Composition Vector.
Import ListNotations.
Local Open Scope Z_scope.

Section Numbers.
Variable T : numbers.

(** * The program *)

Section Program.
Variable b : N.   (* bits of a digit *)

Definition wide (n : nat) : T := of_N (b * 2 ^ N.of_nat n).
Fixpoint pack (n : nat) (l : list Z) : T * list Z :=
  match n with
  | O => match l with nil => (zero, nil) | a :: l' => (of_N (Z.to_N a), l') end
  | S n' =>
      let '(x, l1) := pack n' l in
      match l1 with nil => (x, nil) | _ => let '(y, l2) := pack n' l1 in (addn x (shln y (wide n')), l2) end
  end.
Fixpoint unpack (n : nat) (x : T) (acc : list Z) : list Z :=
  match n with
  | O => to_Z x :: acc
  | S n' => let w := wide n' in let hi := shrn x w in unpack n' (subn x (shln hi w)) (unpack n' hi acc)
  end.
End Program.

Definition product (l m : list Z) : list Z :=
  match l, m with
  | nil, _ | _, nil => conv l m
  | _, _ =>
      let s := sum l * sum m in
      let b := Z.to_N (Z.log2 s + 1) in
      let n := Z.to_nat (Z.log2_up (Z.of_nat (Nat.max (length l) (length m)))) in
      match pack b n l, pack b n m with
      | (x, nil), (y, nil) => if nonneg l && nonneg m then firstn (length l + length m - 1) (unpack b (S n) (muln x y) nil) else conv l m
      | _, _ => conv l m
      end
  end.

(** * That it is the convolution *)

Section Digits.
Variable B : Z.
Hypothesis B0 : 0 < B.
Fixpoint val (l : list Z) : Z := match l with nil => 0 | a :: l' => a + B * val l' end.
Lemma val_add l : forall m, val (add l m) = val l + val m.
Proof. induction l as [|a l ih]; intros [|c m]; simpl; try ring. rewrite ih. ring. Qed.
Lemma val_map a l : val (map (Z.mul a) l) = a * val l.
Proof. induction l as [|c l ih]; simpl; [ring|]. rewrite ih. ring. Qed.
Lemma val_conv l m : val (conv l m) = val l * val m.
Proof. induction l as [|a l ih]; [easy|]. cbn [conv val]. rewrite val_add, val_map. cbn [val]. rewrite ih. ring. Qed.
Lemma val_app l m : val (l ++ m) = val l + B ^ Z.of_nat (length l) * val m.
Proof.
induction l as [|a l ih]; [change (Z.of_nat (length (@nil Z))) with 0; cbn [app val]; rewrite Z.pow_0_r; ring|].
cbn [app val length]. rewrite ih, Nat2Z.inj_succ, Z.pow_succ_r by lia. ring.
Qed.
Definition digits (l : list Z) := Forall (fun a => 0 <= a < B) l.
Lemma val_bound l : digits l -> 0 <= val l < B ^ Z.of_nat (length l).
Proof.
induction 1 as [|a l ha hl ih]; [simpl; lia|]. cbn [val length]. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. nia.
Qed.
Lemma unique l : forall l', digits l -> digits l' -> (length l <= length l')%nat -> val l = val l' -> firstn (length l) l' = l.
Proof.
induction l as [|a l ih]; intros [|a' l'] h h' len e; simpl in len; try easy; try lia.
inversion h; inversion h'; subst. cbn [val] in e. rename H1 into ha, H5 into ha'. assert (v : val l = val l') by (destruct (Z.lt_trichotomy (val l) (val l')) as [c|[c|c]]; [nia|easy|nia]). assert (a = a') by (rewrite v in e; lia). subst a'. cbn [length firstn]. f_equal. apply ih; auto; lia.
Qed.
End Digits.

Lemma sum_add l : forall m, sum (add l m) = sum l + sum m.
Proof. induction l as [|a l ih]; intros [|c m]; cbn [add]; unfold sum in *; cbn [fold_right]; try lia. rewrite ih. lia. Qed.
Lemma sum_map a l : sum (map (Z.mul a) l) = a * sum l.
Proof. unfold sum. induction l as [|c l ih]; simpl; [ring|]. rewrite ih. ring. Qed.
Lemma sum_conv l m : sum (conv l m) = sum l * sum m.
Proof. induction l as [|a l ih]; [easy|]. cbn [conv]. rewrite sum_add, sum_map. unfold sum in *. cbn [fold_right]. rewrite ih. ring. Qed.
Lemma nonneg_add l : forall m, nonneg l = true -> nonneg m = true -> nonneg (add l m) = true.
Proof.
induction l as [|x l ih]; intros [|y m] h1 h2; auto. apply nonneg_cons in h1 as [? h1], h2 as [? h2].
unfold nonneg. simpl. apply andb_true_iff. split; [apply Z.leb_le; lia|now apply ih].
Qed.
Lemma nonneg_conv l m : nonneg l = true -> nonneg m = true -> nonneg (conv l m) = true.
Proof.
intros h nm. induction l as [|x l ih]; [easy|]. apply nonneg_cons in h as [x0 h]. cbn [conv]. apply nonneg_add.
- clear - nm x0. induction m as [|y m ih]; [easy|]. apply nonneg_cons in nm as [? nm]. unfold nonneg. simpl.
  apply andb_true_iff. split; [apply Z.leb_le; now apply Z.mul_nonneg_nonneg|now apply ih].
- unfold nonneg. simpl. now apply ih.
Qed.
Lemma nonneg_digits l c : nonneg l = true -> sum l < c -> digits c l /\ 0 <= sum l.
Proof.
revert c. induction l as [|a l ih]; intros c h s; [split; [constructor|unfold sum; simpl; lia]|]. apply nonneg_cons in h as [a0 h].
unfold sum in *. cbn [fold_right] in *. destruct (ih (fold_right Z.add 0 l + 1) h ltac:(lia)) as [_ s0]. destruct (ih c h ltac:(lia)) as [d _].
split; [|lia]. constructor; [lia|exact d].
Qed.
Lemma length_add l : forall m, length (add l m) = Nat.max (length l) (length m).
Proof. induction l as [|a l ih]; intros [|c m]; simpl; auto. Qed.
Lemma length_conv l m : l <> nil -> m <> nil -> length (conv l m) = (length l + length m - 1)%nat.
Proof.
intros hl hm. destruct m as [|c m]; [easy|]. clear hm. induction l as [|a l ih]; [easy|]. cbn [conv]. rewrite length_add. cbn [length]. rewrite map_length. cbn [length].
destruct l as [|a' l]; [cbn [conv length]; lia|]. rewrite ih by easy. cbn [length]. lia.
Qed.

Section Right.
Variable b : N.
Let B := 2 ^ Z.of_N b.
Lemma B_pos : 0 < B. Proof. apply Z.pow_pos_nonneg; lia. Qed.
Lemma wide_is n : 2 ^ to_Z (wide b n) = B ^ (2 ^ Z.of_nat n).
Proof.
unfold wide. rewrite of_N_is. unfold B. rewrite <- Z.pow_mul_r by lia. f_equal. rewrite N2Z.inj_mul, N2Z.inj_pow. f_equal. f_equal. now rewrite nat_N_Z.
Qed.
Lemma wide_pos n : 0 <= to_Z (wide b n).
Proof. unfold wide. rewrite of_N_is. lia. Qed.
Lemma twice n : B ^ (2 ^ Z.of_nat (S n)) = B ^ (2 ^ Z.of_nat n) * B ^ (2 ^ Z.of_nat n).
Proof. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. rewrite <- Z.pow_add_r by lia. f_equal. lia. Qed.
Lemma pack_is n : forall l, nonneg l = true -> val B l = to_Z (fst (pack b n l)) + B ^ (2 ^ Z.of_nat n) * val B (snd (pack b n l)) /\ nonneg (snd (pack b n l)) = true.
Proof.
induction n as [|n ih]; intros l nn.
- destruct l as [|a l]; cbn [pack fst snd val].
  + rewrite zero_is. split; [ring|easy].
  + apply nonneg_cons in nn as [a0 nn]. rewrite of_N_is, Z2N.id by easy. change (2 ^ Z.of_nat 0) with 1. rewrite Z.pow_1_r. split; [ring|easy].
- cbn [pack]. destruct (ih l nn) as [e1 nn1]. destruct (pack b n l) as [x l1]. cbn [fst snd] in *.
  destruct l1 as [|a l1]; cbn [fst snd]; [cbn [val] in *; split; [lia|easy]|]. destruct (ih (a :: l1) nn1) as [e2 nn2].
  destruct (pack b n (a :: l1)) as [y l2]. cbn [fst snd] in *. split; [|easy]. rewrite addn_is, shln_is, Z.shiftl_mul_pow2 by apply wide_pos.
  rewrite wide_is, twice, e1, e2. ring.
Qed.
Lemma unpack_is n : forall x acc, 0 <= to_Z x < B ^ (2 ^ Z.of_nat n) -> exists l, unpack b n x acc = l ++ acc /\ val B l = to_Z x /\ digits B l /\ length l = (2 ^ n)%nat.
Proof.
induction n as [|n ih]; intros x acc hx.
- exists [to_Z x]. change (2 ^ Z.of_nat 0) with 1 in hx. rewrite Z.pow_1_r in hx. cbn [unpack val app]. repeat split; [ring|]. constructor; [easy|constructor].
- cbn [unpack]. set (w := wide b n). set (c := B ^ (2 ^ Z.of_nat n)). rewrite twice in hx. fold c in hx.
  assert (c0 : 0 < c) by (apply Z.pow_pos_nonneg; [apply B_pos|apply Z.pow_nonneg; lia]).
  assert (wi : 2 ^ to_Z w = c) by apply wide_is.
  assert (eh : to_Z (shrn x w) = to_Z x / c) by (rewrite shrn_is, Z.shiftr_div_pow2 by apply wide_pos; now rewrite wi).
  pose proof (Z.div_mod (to_Z x) c ltac:(lia)) as dm. pose proof (Z.mod_pos_bound (to_Z x) c c0) as mb.
  assert (el : to_Z (subn x (shln (shrn x w) w)) = to_Z x mod c).
  { rewrite subn_is, shln_is, Z.shiftl_mul_pow2 by apply wide_pos. rewrite wi, eh. rewrite dm at 1. rewrite (Z.mul_comm c). rewrite Z.max_r; lia. }
  destruct (ih (shrn x w) acc) as (lh & e1 & v1 & d1 & n1).
  { fold c. rewrite eh. split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; lia. }
  destruct (ih (subn x (shln (shrn x w) w)) (lh ++ acc)) as (ll & e2 & v2 & d2 & n2).
  { fold c. rewrite el. lia. }
  exists (ll ++ lh). rewrite e1, e2. split; [apply app_assoc|]. split; [|split; [now apply Forall_app|]].
  + rewrite (val_app B B_pos), v1, v2, n2, eh, el. replace (B ^ Z.of_nat (2 ^ n)) with c; [lia|]. unfold c. f_equal. rewrite Nat2Z.inj_pow. easy.
  + rewrite app_length, n1, n2. simpl. lia.
Qed.
End Right.

Theorem product_is l m : product l m = conv l m.
Proof.
unfold product. destruct l as [|a0 l0], m as [|c0 m0]; try reflexivity. set (l := a0 :: l0). set (m := c0 :: m0).
set (b := Z.to_N (Z.log2 (sum l * sum m) + 1)). set (n := Z.to_nat _).
destruct (nonneg l) eqn:nl, (nonneg m) eqn:nm;
  try (cbn [andb]; destruct (pack b n l) as [x [|]], (pack b n m) as [y [|]]; reflexivity).
destruct (pack_is b n l nl) as [el _], (pack_is b n m nm) as [em _].
destruct (pack b n l) as [x [|]], (pack b n m) as [y [|]]; try reflexivity. cbn [fst snd val andb] in *. rewrite Z.mul_0_r, Z.add_0_r in el, em.
set (B := 2 ^ Z.of_N b) in *. assert (Bp : 0 < B) by apply B_pos.
pose proof (nonneg_conv l m nl nm) as nc.
assert (sb : sum (conv l m) < B).
{ rewrite sum_conv. unfold B, b. destruct (Z.le_gt_cases (sum l * sum m) 0) as [h|h]; [apply Z.le_lt_trans with (1 := h), Z.pow_pos_nonneg; lia|].
  pose proof (Z.log2_nonneg (sum l * sum m)). rewrite Z2N.id by lia. now apply Z.log2_spec. }
destruct (nonneg_digits _ _ nc sb) as [dc _].
assert (len : length (conv l m) = (length l + length m - 1)%nat) by (apply length_conv; easy).
assert (big : (length l + length m - 1 <= 2 ^ S n)%nat).
{ set (k := Nat.max (length l) (length m)). assert (k1 : (1 <= k)%nat) by (unfold k, l; simpl; lia).
  enough (k <= 2 ^ n)%nat by (cbn [Nat.pow]; unfold k in *; lia). apply Nat2Z.inj_le. rewrite Nat2Z.inj_pow. unfold n. rewrite Z2Nat.id by apply Z.log2_up_nonneg.
  fold k. destruct (Z.le_gt_cases (Z.of_nat k) 1) as [h|h]; [pose proof (Z.log2_up_nonneg (Z.of_nat k)); assert (0 < 2 ^ Z.log2_up (Z.of_nat k)) by (apply Z.pow_pos_nonneg; lia); change (Z.of_nat 2) with 2; lia|].
  apply Z.log2_up_spec in h. change (Z.of_nat 2) with 2. lia. }
assert (vb : 0 <= to_Z (muln x y) < B ^ (2 ^ Z.of_nat (S n))).
{ rewrite muln_is, <- el, <- em, <- val_conv. pose proof (val_bound B Bp _ dc) as [v0 v1]. split; [easy|]. apply Z.lt_le_trans with (1 := v1).
  apply Z.pow_le_mono_r; [easy|]. rewrite len. apply Nat2Z.inj_le in big. rewrite Nat2Z.inj_pow in big. exact big. }
destruct (unpack_is b (S n) (muln x y) nil vb) as (u & eu & vu & du & lu). rewrite eu, app_nil_r, <- len.
apply (unique B Bp); auto; [lia|]. fold B in vu. rewrite vu, val_conv, muln_is, el, em. reflexivity.
Qed.
End Numbers.
