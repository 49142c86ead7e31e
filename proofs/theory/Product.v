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
(** The same, each width computed once. *)
Fixpoint widths (n : nat) : list T := match n with O => nil | S n' => wide n' :: widths n' end.
Fixpoint packed (ws : list T) (l : list Z) : T * list Z :=
  match ws with
  | nil => match l with nil => (zero, nil) | a :: l' => (of_N (Z.to_N a), l') end
  | w :: ws' => let '(x, l1) := packed ws' l in match l1 with nil => (x, nil) | _ => let '(y, l2) := packed ws' l1 in
    (addn x (shln y w), l2) end
  end.
Fixpoint unpacked (ws : list T) (x : T) (acc : list Z) : list Z :=
  match ws with nil => to_Z x :: acc | w :: ws' => let hi := shrn x w in
    unpacked ws' (subn x (shln hi w)) (unpacked ws' hi acc) end.
End Program.

(** Every other entry, and the two halves together. *)
Fixpoint evens (l : list Z) : list Z := match l with a :: _ :: l' => a :: evens l' | _ => l end.
Definition odds (l : list Z) : list Z := evens (tl l).
Fixpoint merge (l m : list Z) : list Z := match l, m with a :: l', c :: m' => a :: c :: merge l' m' | _, _ => l end.
Fixpoint same (l m : list Z) : bool := match l, m with nil, nil => true | a :: l', c :: m' =>
  (a =? c) && same l' m' | _, _ => false end.

(** With l(x) = a(x²) + x·a'(x²), m alike, and w² the unit of digits: the products at w and at −w are e(w²) ± w·o(w²),
  where e and o have every other entry of the
    convolution (Harvey). They have half as many digits. *)
Definition product (l m : list Z) : list Z :=
  match l, m with
  | nil, _ | _, nil => conv l m
  | _, _ =>
      let h := Z.to_N (Z.log2 (sum l * sum m) / 2 + 1) in
      let b := (2 * h)%N in
      let n := Z.to_nat (Z.log2_up (Z.of_nat (Nat.div2 (Nat.max (length l) (length m) + 1)))) in
      let ws := widths b (S n) in
      let halves l := (packed (tl ws) (evens l), packed (tl ws) (odds l)) in
      let of_l := halves l in let of_m := if same l m then of_l else halves m in
      match of_l, of_m with
      | ((a, nil), (a1, nil)), ((c, nil), (c1, nil)) =>
          if nonneg l && nonneg m then
            let a' := shln a1 (of_N h) in let c' := shln c1 (of_N h) in
            let p := muln (addn a a') (addn c c') in
            let x := subn a a' in let x' := subn a' a in let y := subn c c' in let y' := subn c' c in
            let q := addn (muln x y) (muln x' y') in let q' := addn (muln x y') (muln x' y) in
            let e := shrn (subn (addn p q) q') (of_N 1) in let o := shrn (subn (addn p q') q) (of_N (h + 1)) in
            let k := (length l + length m - 1)%nat in
            merge (firstn (Nat.div2 (k + 1)) (unpacked ws e nil)) (firstn (Nat.div2 k) (unpacked ws o nil))
          else conv l m
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
Lemma unique l : forall l', digits l -> digits l' -> (length l <= length l')%nat -> val l = val l' ->
  firstn (length l) l' = l.
Proof.
induction l as [|a l ih]; intros [|a' l'] h h' len e; simpl in len; try easy; try lia.
inversion h; inversion h'; subst. cbn [val] in e.
rename H1 into ha, H5 into ha'. assert (v : val l = val l')
  by (destruct (Z.lt_trichotomy (val l) (val l')) as [c|[c|c]]; [nia|easy|nia]).
assert (a = a') by (rewrite v in e; lia). subst a'. cbn [length firstn]. f_equal. apply ih; auto; lia.
Qed.
End Digits.

Lemma sum_add l : forall m, sum (add l m) = sum l + sum m.
Proof. induction l as [|a l ih]; intros [|c m]; cbn [add]; unfold sum in *; cbn [fold_right]; try lia. rewrite ih.
lia. Qed.
Lemma sum_map a l : sum (map (Z.mul a) l) = a * sum l.
Proof. unfold sum. induction l as [|c l ih]; simpl; [ring|]. rewrite ih. ring. Qed.
Lemma sum_conv l m : sum (conv l m) = sum l * sum m.
Proof. induction l as [|a l ih]; [easy|]. cbn [conv]. rewrite sum_add, sum_map. unfold sum in *. cbn [fold_right].
rewrite ih. ring. Qed.
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
revert c. induction l as [|a l ih]; intros c h s; [split; [constructor|unfold sum; simpl; lia]|].
apply nonneg_cons in h as [a0 h].
unfold sum in *. cbn [fold_right] in *. destruct (ih (fold_right Z.add 0 l + 1) h ltac:(lia)) as [_ s0].
destruct (ih c h ltac:(lia)) as [d _].
split; [|lia]. constructor; [lia|exact d].
Qed.
Lemma length_add l : forall m, length (add l m) = Nat.max (length l) (length m).
Proof. induction l as [|a l ih]; intros [|c m]; simpl; auto. Qed.
Lemma length_conv l m : l <> nil -> m <> nil -> length (conv l m) = (length l + length m - 1)%nat.
Proof.
intros hl hm. destruct m as [|c m]; [easy|]. clear hm. induction l as [|a l ih]; [easy|]. cbn [conv].
rewrite length_add. cbn [length]. rewrite map_length. cbn [length].
destruct l as [|a' l]; [cbn [conv length]; lia|]. rewrite ih by easy. cbn [length]. lia.
Qed.

Section Right.
Variable b : N.
Lemma packed_is n : forall l, packed (widths b n) l = pack b n l.
Proof. induction n as [|n ih]; intros l; [easy|]. cbn [widths packed pack]. rewrite ih.
destruct (pack b n l) as [x [|a l1]]; [easy|]. now rewrite ih. Qed.
Lemma unpacked_is n : forall x acc, unpacked (widths b n) x acc = unpack b n x acc.
Proof. induction n as [|n ih]; intros x acc; [easy|]. cbn [widths unpacked unpack]. now rewrite !ih. Qed.
Let B := 2 ^ Z.of_N b.
Lemma B_pos : 0 < B. Proof. apply Z.pow_pos_nonneg; lia. Qed.
Lemma wide_is n : 2 ^ to_Z (wide b n) = B ^ (2 ^ Z.of_nat n).
Proof.
unfold wide. rewrite of_N_is. unfold B. rewrite <- Z.pow_mul_r by lia. f_equal. rewrite N2Z.inj_mul, N2Z.inj_pow.
f_equal. f_equal. now rewrite nat_N_Z.
Qed.
Lemma wide_pos n : 0 <= to_Z (wide b n).
Proof. unfold wide. rewrite of_N_is. lia. Qed.
Lemma twice n : B ^ (2 ^ Z.of_nat (S n)) = B ^ (2 ^ Z.of_nat n) * B ^ (2 ^ Z.of_nat n).
Proof. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. rewrite <- Z.pow_add_r by lia. f_equal. lia. Qed.
Lemma pack_is n : forall l, nonneg l = true -> val B l = to_Z (fst (pack b n l)) + B ^ (2 ^ Z.of_nat n)
  * val B (snd (pack b n l)) /\ nonneg (snd (pack b n l)) = true.
Proof.
induction n as [|n ih]; intros l nn.
- destruct l as [|a l]; cbn [pack fst snd val].
  + rewrite zero_is. split; [ring|easy].
  + apply nonneg_cons in nn as [a0 nn]. rewrite of_N_is, Z2N.id by easy. change (2 ^ Z.of_nat 0) with 1.
    rewrite Z.pow_1_r. split; [ring|easy].
- cbn [pack]. destruct (ih l nn) as [e1 nn1]. destruct (pack b n l) as [x l1]. cbn [fst snd] in *.
  destruct l1 as [|a l1]; cbn [fst snd]; [cbn [val] in *; split; [lia|easy]|]. destruct (ih (a :: l1) nn1) as [e2 nn2].
  destruct (pack b n (a :: l1)) as [y l2]. cbn [fst snd] in *. split; [|easy].
  rewrite addn_is, shln_is, Z.shiftl_mul_pow2 by apply wide_pos.
  rewrite wide_is, twice, e1, e2. ring.
Qed.
Lemma unpack_is n : forall x acc, 0 <= to_Z x < B ^ (2 ^ Z.of_nat n) -> exists l, unpack b n x acc = l ++ acc /\
  val B l = to_Z x /\ digits B l /\ length l = (2 ^ n)%nat.
Proof.
induction n as [|n ih]; intros x acc hx.
- exists [to_Z x]. change (2 ^ Z.of_nat 0) with 1 in hx. rewrite Z.pow_1_r in hx. cbn [unpack val app].
  repeat split; [ring|]. constructor; [easy|constructor].
- cbn [unpack]. set (w := wide b n). set (c := B ^ (2 ^ Z.of_nat n)). rewrite twice in hx. fold c in hx.
  assert (c0 : 0 < c) by (apply Z.pow_pos_nonneg; [apply B_pos|apply Z.pow_nonneg; lia]).
  assert (wi : 2 ^ to_Z w = c) by apply wide_is.
  assert (eh : to_Z (shrn x w) = to_Z x / c) by (rewrite shrn_is, Z.shiftr_div_pow2 by apply wide_pos; now rewrite wi).
  pose proof (Z.div_mod (to_Z x) c ltac:(lia)) as dm. pose proof (Z.mod_pos_bound (to_Z x) c c0) as mb.
  assert (el : to_Z (subn x (shln (shrn x w) w)) = to_Z x mod c).
  { rewrite subn_is, shln_is, Z.shiftl_mul_pow2 by apply wide_pos. rewrite wi, eh. rewrite dm at 1.
    rewrite (Z.mul_comm c). rewrite Z.max_r; lia. }
  destruct (ih (shrn x w) acc) as (lh & e1 & v1 & d1 & n1).
  { fold c. rewrite eh. split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; lia. }
  destruct (ih (subn x (shln (shrn x w) w)) (lh ++ acc)) as (ll & e2 & v2 & d2 & n2).
  { fold c. rewrite el. lia. }
  exists (ll ++ lh). rewrite e1, e2. split; [apply app_assoc|]. split; [|split; [now apply Forall_app|]].
  + rewrite (val_app B B_pos), v1, v2, n2, eh, el. replace (B ^ Z.of_nat (2 ^ n)) with c; [lia|]. unfold c. f_equal.
    rewrite Nat2Z.inj_pow. easy.
  + rewrite app_length, n1, n2. simpl. lia.
Qed.
End Right.

(** ** Every other entry *)

Lemma pairs_ind (P : list Z -> Prop) : P nil -> (forall a, P [a]) -> (forall a c l, P l -> P (a :: c :: l)) ->
  forall l, P l.
Proof. intros p0 p1 p2. enough (k : forall l, P l /\ forall a, P (a :: l)) by apply k.
induction l as [|c l [ih ih']]; split; auto. Qed.
Lemma odds_cons a c l : odds (a :: c :: l) = c :: odds l.
Proof. now destruct l. Qed.
Lemma merge_is l : merge (evens l) (odds l) = l.
Proof. induction l as [|a|a c l ih] using pairs_ind; [easy|easy|]. rewrite odds_cons. cbn [evens merge].
now rewrite ih. Qed.
Lemma val_halves w l : val w l = val (w * w) (evens l) + w * val (w * w) (odds l).
Proof. induction l as [|a|a c l ih] using pairs_ind; [cbn; ring|cbn; ring|]. rewrite odds_cons. cbn [evens val].
rewrite ih. ring. Qed.
Lemma length_evens l : length (evens l) = Nat.div2 (length l + 1).
Proof. induction l as [|a|a c l ih] using pairs_ind; [easy|easy|]. cbn [evens length]. rewrite ih. reflexivity. Qed.
Lemma length_odds l : length (odds l) = Nat.div2 (length l).
Proof. unfold odds. rewrite length_evens. destruct l as [|a l]; [easy|]. cbn [tl length]. now rewrite Nat.add_1_r. Qed.
Lemma Forall_evens (P : Z -> Prop) l : Forall P l -> Forall P (evens l) /\ Forall P (odds l).
Proof.
induction l as [|a|a c l ih] using pairs_ind; intros f; [now split|split; [easy|constructor]|].
inversion f as [|? ? pa f']; subst. inversion f' as [|? ? pc f'']; subst.
rewrite odds_cons. destruct (ih f''). split; now constructor.
Qed.
Lemma nonneg_Forall l : nonneg l = true <-> Forall (fun a => 0 <= a) l.
Proof. unfold nonneg. rewrite forallb_forall, Forall_forall. split; intros h x hx; specialize (h x hx);
  now apply Z.leb_le. Qed.
Lemma nonneg_halves l : nonneg l = true -> nonneg (evens l) = true /\ nonneg (odds l) = true.
Proof. rewrite !nonneg_Forall. apply Forall_evens. Qed.
Lemma half k : (2 * Nat.div2 k <= k <= 2 * Nat.div2 k + 1)%nat.
Proof. pose proof (Nat.div2_odd k) as e. destruct (Nat.odd k); simpl Nat.b2n in e; lia. Qed.
Lemma same_is l : forall m, same l m = true -> l = m.
Proof. induction l as [|a l ih]; intros [|c m] e; try easy. cbn [same] in e. apply andb_true_iff in e as [e1 e2].
apply Z.eqb_eq in e1. subst. f_equal. auto. Qed.
Lemma difference (x y : T) : to_Z (subn x y) - to_Z (subn y x) = to_Z x - to_Z y.
Proof. rewrite !subn_is. lia. Qed.

Theorem product_is l m : product l m = conv l m.
Proof.
unfold product. destruct l as [|a0 l0], m as [|c0 m0]; try reflexivity. set (l := a0 :: l0). set (m := c0 :: m0).
set (h := Z.to_N (Z.log2 (sum l * sum m) / 2 + 1)). set (b := (2 * h)%N). set (n := Z.to_nat _). cbv zeta.
change (tl (widths b (S n))) with (widths b n). rewrite !packed_is.
replace (if same l m then (pack b n (evens l), pack b n (odds l)) else (pack b n (evens m), pack b n (odds m)))
  with (pack b n (evens m), pack b n (odds m)) by (destruct (same l m) eqn:e; [apply same_is in e; now rewrite e|easy]).
destruct (nonneg l) eqn:nl, (nonneg m) eqn:nm;
  try (cbn [andb]; destruct (pack b n (evens l)) as [a [|]], (pack b n (odds l)) as [a1 [|]],
    (pack b n (evens m)) as [c [|]], (pack b n (odds m)) as [c1 [|]]; reflexivity).
destruct (nonneg_halves l nl) as [nle nlo], (nonneg_halves m nm) as [nme nmo].
destruct (pack_is b n _ nle) as [el _], (pack_is b n _ nlo) as [el1 _], (pack_is b n _ nme) as [em _],
  (pack_is b n _ nmo) as [em1 _].
destruct (pack b n (evens l)) as [a [|]], (pack b n (odds l)) as [a1 [|]], (pack b n (evens m)) as [c [|]],
  (pack b n (odds m)) as [c1 [|]]; try reflexivity.
cbn [fst snd val andb] in *. rewrite Z.mul_0_r, Z.add_0_r in el, el1, em, em1.
set (B := 2 ^ Z.of_N b) in *. assert (Bp : 0 < B) by apply B_pos. set (w := 2 ^ Z.of_N h).
assert (wp : 0 < w) by (apply Z.pow_pos_nonneg; lia).
assert (ww : w * w = B) by (unfold w, B, b; rewrite N2Z.inj_mul, <- Z.pow_add_r by lia; f_equal; lia).
pose proof (nonneg_conv l m nl nm) as nc.
assert (sb : sum (conv l m) < B).
{ rewrite sum_conv. unfold B, b, h. destruct (Z.le_gt_cases (sum l * sum m) 0) as [k|k];
    [apply Z.le_lt_trans with (1 := k), Z.pow_pos_nonneg; lia|].
  pose proof (Z.log2_nonneg (sum l * sum m)) as l0'. pose proof (Z.div_pos _ 2 l0' ltac:(lia)).
  rewrite N2Z.inj_mul, Z2N.id by lia.
  apply Z.lt_le_trans with (1 := proj2 (Z.log2_spec _ k)), Z.pow_le_mono_r; [easy|].
  pose proof (Z.div_mod (Z.log2 (sum l * sum m)) 2 ltac:(lia)).
  pose proof (Z.mod_pos_bound (Z.log2 (sum l * sum m)) 2 ltac:(lia)). lia. }
destruct (nonneg_digits _ _ nc sb) as [dc _]. destruct (Forall_evens _ _ dc) as [de do].
assert (len : length (conv l m) = (length l + length m - 1)%nat) by (apply length_conv; easy). rewrite <- len.
assert (big : (Nat.div2 (length (conv l m) + 1) <= 2 ^ S n)%nat).
{ rewrite len. set (k := Nat.max (length l) (length m)) in *. assert (k1 : (1 <= k)%nat) by (unfold k, l; simpl; lia).
  pose proof (half (k + 1)) as o1. pose proof (half (length l + length m - 1 + 1)) as o2.
  set (d := Nat.div2 (k + 1)) in *.
  enough (d <= 2 ^ n)%nat by (rewrite Nat.pow_succ_r'; unfold k in *; lia).
  apply Nat2Z.inj_le. rewrite Nat2Z.inj_pow. unfold n. rewrite Z2Nat.id by apply Z.log2_up_nonneg.
  change (Z.of_nat 2) with 2.
  destruct (Z.le_gt_cases (Z.of_nat d) 1) as [q|q];
    [pose proof (Z.log2_up_nonneg (Z.of_nat d)); assert (0 < 2 ^ Z.log2_up (Z.of_nat d)) by (apply Z.pow_pos_nonneg;
    lia); lia|].
  apply Z.log2_up_spec in q. lia. }
assert (big' : (Nat.div2 (length (conv l m)) <= 2 ^ S n)%nat).
{ apply Nat.le_trans with (2 := big). pose proof (half (length (conv l m))).
  pose proof (half (length (conv l m) + 1)). lia. }
pose proof (val_halves w l) as vl. pose proof (val_halves (- w) l) as vl'. pose proof (val_halves w m) as vm.
pose proof (val_halves (- w) m) as vm'. pose proof (val_halves w (conv l m)) as vc.
pose proof (val_halves (- w) (conv l m)) as vc'.
rewrite Z.mul_opp_opp, ?ww in *. rewrite val_conv in vc, vc'. rewrite vl, vm in vc.
rewrite vl', vm' in vc'. rewrite el, el1, em, em1 in *.
set (E := val B (evens (conv l m))) in *. set (O := val B (odds (conv l m))) in *.
pose proof (val_bound B Bp _ de) as [E0 E1]. pose proof (val_bound B Bp _ do) as [O0 O1]. fold E in E0, E1.
fold O in O0, O1. rewrite length_evens in E1. rewrite length_odds in O1.
set (a' := shln a1 (of_N h)). set (c' := shln c1 (of_N h)).
assert (ea : to_Z a' = w * to_Z a1) by (unfold a'; rewrite shln_is, of_N_is, Z.shiftl_mul_pow2 by lia; fold w; ring).
assert (ec : to_Z c' = w * to_Z c1) by (unfold c'; rewrite shln_is, of_N_is, Z.shiftl_mul_pow2 by lia; fold w; ring).
pose proof (difference a a') as dx. pose proof (difference c c') as dy.
set (x := subn a a') in *. set (x' := subn a' a) in *. set (y := subn c c') in *. set (y' := subn c' c) in *.
set (p := muln (addn a a') (addn c c')). set (q := addn (muln x y) (muln x' y')).
set (q' := addn (muln x y') (muln x' y)).
assert (ep : to_Z p = E + w * O) by (unfold p; rewrite muln_is, !addn_is, ea, ec; lia).
assert (eq : to_Z q - to_Z q' = E - w * O).
{ unfold q, q'. rewrite !addn_is, !muln_is.
  replace (E - w * O) with ((to_Z a - w * to_Z a1) * (to_Z c - w * to_Z c1)) by lia.
  rewrite <- ea, <- ec, <- dx, <- dy. ring. }
assert (wO : 0 <= w * O) by (apply Z.mul_nonneg_nonneg; lia).
assert (ee : to_Z (shrn (subn (addn p q) q') (of_N 1)) = E).
{ rewrite shrn_is, subn_is, addn_is, of_N_is, Z.shiftr_div_pow2 by lia.
  replace (Z.max 0 (to_Z p + to_Z q - to_Z q')) with (E * 2 ^ Z.of_N 1) by (change (2 ^ Z.of_N 1) with 2; lia).
  now apply Z.div_mul. }
assert (eo : to_Z (shrn (subn (addn p q') q) (of_N (h + 1))) = O).
{ rewrite shrn_is, subn_is, addn_is, of_N_is, Z.shiftr_div_pow2 by lia.
  assert (e2 : 2 ^ Z.of_N (h + 1) = 2 * w) by (rewrite N2Z.inj_add, Z.pow_add_r by lia; unfold w;
    change (2 ^ Z.of_N 1) with 2; ring).
  rewrite e2. replace (Z.max 0 (to_Z p + to_Z q' - to_Z q)) with (O * (2 * w)) by lia. apply Z.div_mul. lia. }
rewrite !unpacked_is.
assert (up : forall z r, to_Z z = val B r -> digits B r -> (length r <= 2 ^ S n)%nat ->
  firstn (length r) (unpack b (S n) z nil) = r).
{ intros z r ez dr lr. pose proof (val_bound B Bp _ dr) as [r0 r1].
  destruct (unpack_is b (S n) z nil) as (u & eu & vu & du & lu).
  - fold B. rewrite ez. split; [easy|]. apply Z.lt_le_trans with (1 := r1). apply Z.pow_le_mono_r; [easy|].
    apply Nat2Z.inj_le in lr. rewrite Nat2Z.inj_pow in lr. exact lr.
  - rewrite eu, app_nil_r. apply (unique B Bp); auto; [now rewrite lu|]. fold B in vu. now rewrite vu, ez. }
rewrite <- length_evens, <- length_odds in *. rewrite (up _ _ ee de big), (up _ _ eo do big'). apply merge_is.
Qed.
End Numbers.
