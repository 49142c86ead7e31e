(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** The checker's upper side as a function of Coq, and that it is right. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Dpverify Require Import Composition.
Import ListNotations.
Local Open Scope Z_scope.

(** * The program: all that vm_compute runs *)

Fixpoint add (l m : list Z) : list Z :=
  match l, m with nil, _ => m | _, nil => l | x :: l', y :: m' => (x + y) :: add l' m' end.
Fixpoint conv (l m : list Z) : list Z := match l with nil => nil | a :: l' =>
  add (map (Z.mul a) m) (0 :: conv l' m) end.
Fixpoint rounded (u c : Z) (l : list Z) : list Z :=
  match l with nil => nil | x :: l' => let s := x + c in (s / u) :: rounded u (s mod u) l' end.
Fixpoint coarse (s acc : Z) (l : list Z) (odd : bool) : list Z :=
  match l with
  | nil => [acc]
  | x :: l' => if odd then let low := x * s / 2 ^ 128 in (acc + low) :: coarse s (x - low) l' false
    else coarse s (acc + x) l' true
  end.
Fixpoint cut (lo hi : nat) (c : Z) (l : list Z) : list Z :=
  match l, lo with
  | nil, _ => [c]
  | x :: l', S lo' => cut lo' (pred hi) (c + x) l'
  | x :: l', O => (c + x) :: firstn (pred hi) l'
  end.
Fixpoint tail (rho w : Z) (l : list Z) : Z :=
  match l with nil => 0 | c :: l' => c * Z.min (2 ^ 128) w + tail rho (w * rho / 2 ^ 128) l' end.

(** A program for a stack of vectors: a leaf, which is pushed; what is on top, once more; the product of the upper
  two; twice the step; the entries from lo to hi − 1. *)
Inductive op := Leaf (j : nat) | Dup | Times | Coarsen | Cut (lo hi : nat).
Record vec := V { level : nat; copies : list N; first : Z; masses : list Z }.

Definition nonneg (l : list Z) := forallb (Z.leb 0) l.
Definition sum (l : list Z) := fold_right Z.add 0 l.

Section Program.
Variables (M : Z) (share : nat -> Z) (leaves : list vec).

Definition step (o : op) (st : list vec) : option (list vec) :=
  match o, st with
  | Leaf j, _ => match nth_error leaves j with Some v => Some (V (level v) (only j) (first v) (masses v) :: st)
    | None => None end
  | Dup, v :: _ => Some (v :: st)
  | Times, w :: v :: st' =>
      if Nat.eqb (level v) (level w) && nonneg (masses w)
      then Some (V (level v) (sums (copies v) (copies w)) (first v + first w)
        (rounded M 0 (conv (masses v) (masses w))) :: st')
      else None
  | Coarsen, v :: st' =>
      if nonneg (masses v)
      then Some (V (S (level v)) (copies v) (first v / 2) (coarse (share (level v)) 0 (masses v) (Z.odd (first v)))
        :: st') else None
  | Cut lo hi, v :: st' =>
      if nonneg (masses v) && Nat.ltb lo (length (masses v))
      then Some (V (level v) (copies v) (first v + Z.of_nat lo) (cut lo hi 0 (masses v)) :: st') else None
  | _, _ => None
  end.

Fixpoint run (plan : list op) (st : list vec) : option (list vec) :=
  match plan with nil => Some st | o :: plan' => match step o st with Some st' => run plan' st' | None => None end end.

Fixpoint equal (ns ns' : list N) : bool :=
  match ns, ns' with nil, nil => true | n :: l, n' :: l' => N.eqb n n' && equal l l' | _, _ => false end.

(** rho of a level is at most 2^128·e^(−Δ), w0 of a level and an index at most 2^128·e^(ε − index·Δ); least is at most
  2^128·(1 − δ)·M². *)
Definition check (plan : list op) (ns : list N) (rho : nat -> Z) (w0 : nat -> Z -> Z) (least : Z) : bool :=
  match run plan nil with
  | Some [w; v] => Nat.eqb (level v) (level w) && equal (sums (copies v) (copies w)) ns && nonneg (masses w) && nonneg
    (masses v)
      && (least <=? tail (rho (level v)) (w0 (level v) (first v + first w)) (conv (masses v) (masses w)))
  | _ => false
  end.
End Program.

(** * Why it is right *)
Local Open Scope R_scope.
Definition W : R := IZR (2 ^ 128).
Lemma W_pos : 0 < W. Proof. apply IZR_lt. lia. Qed.

Fixpoint EZ (l : list Z) (i : Z) (g : Z -> R) : R := match l with nil => 0 | a :: l' =>
  IZR a * g i + EZ l' (i + 1) g end.

Lemma EZ_ext l : forall i g h, (forall k, g k = h k) -> EZ l i g = EZ l i h.
Proof. induction l as [|a l ih]; simpl; intros; [easy|]. rewrite H, (ih _ g h); easy. Qed.
Lemma EZ_add l : forall m i g, EZ (add l m) i g = EZ l i g + EZ m i g.
Proof. induction l as [|a l ih]; intros [|b m] i g; simpl; try ring. rewrite ih, plus_IZR. ring. Qed.
Lemma EZ_map a l : forall i g, EZ (map (Z.mul a) l) i g = IZR a * EZ l i g.
Proof. induction l as [|b l ih]; simpl; intros; [ring|]. rewrite ih, mult_IZR. ring. Qed.
Lemma EZ_shift l : forall i j g, EZ l (i + j) g = EZ l j (fun k => g (i + k)%Z).
Proof. induction l as [|b l ih]; simpl; intros; [easy|]. rewrite <- Z.add_assoc, ih. easy. Qed.
Lemma EZ_conv l m : forall i j g, EZ (conv l m) (i + j) g = EZ l i (fun x => EZ m j (fun y => g (x + y)%Z)).
Proof.
induction l as [|a l ih]; intros i j g; [easy|]. cbn [conv EZ]. rewrite EZ_add, EZ_map, EZ_shift. f_equal.
cbn [EZ]. rewrite Rmult_0_l, Rplus_0_l. replace (i + j + 1)%Z with (i + 1 + j)%Z by ring. apply ih.
Qed.

Lemma nonneg_cons a l : nonneg (a :: l) = true -> (0 <= a)%Z /\ nonneg l = true.
Proof. unfold nonneg; simpl. rewrite andb_true_iff, Z.leb_le. easy. Qed.
Lemma EZ_le l : forall i g h, nonneg l = true -> (forall k, g k <= h k) -> EZ l i g <= EZ l i h.
Proof.
induction l as [|a l ih]; simpl; intros i g h nn gh; [lra|]. apply nonneg_cons in nn as [a0 nn]. apply IZR_le in a0.
pose proof (Rmult_le_compat_l _ _ _ a0 (gh i)). pose proof (ih (i + 1)%Z g h nn gh). lra.
Qed.
Lemma EZ_0 l i : EZ l i (fun _ => 0) = 0.
Proof. revert i; induction l as [|a l ih]; intros; simpl; [easy|]. rewrite ih; ring. Qed.
Lemma EZ_sum l : forall i, EZ l i (fun _ => 1) = IZR (sum l).
Proof. induction l as [|a l ih]; intros; simpl; [easy|]. rewrite ih, plus_IZR. ring. Qed.

Section Falling.
Variable g : Z -> R.
Hypothesis g0 : forall k, 0 <= g k.
Hypothesis falls : forall k, g (k + 1)%Z <= g k.

Lemma EZ_rounded u l : (0 < u)%Z -> forall c i, (0 <= c)%Z -> IZR u * EZ (rounded u c l) i g <= EZ l i g + IZR c * g i.
Proof.
intros u0. induction l as [|x l ih]; simpl; intros c i c0.
- rewrite Rmult_0_r. apply IZR_le in c0. pose proof (Rmult_le_pos _ _ c0 (g0 i)). lra.
- pose proof (Z.div_mod (x + c) u ltac:(lia)) as e. pose proof (Z.mod_pos_bound (x + c) u u0).
  specialize (ih ((x + c) mod u)%Z (i + 1)%Z ltac:(lia)). apply (f_equal IZR) in e. rewrite !plus_IZR, mult_IZR in e.
  assert (r0 : 0 <= IZR ((x + c) mod u)) by (apply IZR_le; lia).
  pose proof (Rmult_le_compat_l _ _ _ r0 (falls i)).
  assert (IZR u * (IZR ((x + c) / u) * g i) = (IZR x + IZR c - IZR ((x + c) mod u)) * g i) by (rewrite e; ring). lra.
Qed.

Lemma falls_far n k : g (k + Z.of_nat n)%Z <= g k.
Proof.
induction n as [|n ih]; [replace (k + Z.of_nat 0)%Z with k by lia; lra|].
replace (k + Z.of_nat (S n))%Z with (k + Z.of_nat n + 1)%Z by lia. eapply Rle_trans; [apply falls|exact ih].
Qed.
Lemma EZ_firstn n : forall l i, nonneg l = true -> EZ (firstn n l) i g <= EZ l i g.
Proof.
induction n as [|n ih]; intros [|a l] i nn; simpl; try lra.
- rewrite <- (EZ_0 (a :: l) i) at 1. apply (EZ_le (a :: l)); auto.
- apply nonneg_cons in nn as [_ nn]. specialize (ih l (i + 1)%Z nn). lra.
Qed.
Lemma EZ_cut lo : forall hi c l i, nonneg l = true -> (lo < length l)%nat -> (0 <= c)%Z ->
  EZ (cut lo hi c l) (i + Z.of_nat lo) g <= IZR c * g i + EZ l i g.
Proof.
induction lo as [|lo ih]; intros hi c [|x l] i nn len c0; simpl length in len; try lia; apply nonneg_cons in
  nn as [x0 nn].
- cbn [cut EZ]. replace (i + Z.of_nat 0)%Z with i by lia. rewrite plus_IZR.
  pose proof (EZ_firstn (pred hi) l (i + 1)%Z nn). lra.
- cbn [cut EZ]. replace (i + Z.of_nat (S lo))%Z with (i + 1 + Z.of_nat lo)%Z by lia.
  eapply Rle_trans; [apply ih; auto; lia|]. rewrite plus_IZR.
  assert (k : 0 <= IZR c) by now apply IZR_le. assert (k' : 0 <= IZR x) by now apply IZR_le.
  pose proof (Rmult_le_compat_l _ _ _ k (falls i)). pose proof (Rmult_le_compat_l _ _ _ k' (falls i)). lra.
Qed.
End Falling.

Lemma EZ_coarse s g l : (s <= 2 ^ 128)%Z -> (forall k, 0 <= g k) -> (forall k, g (k + 1)%Z <= g k) -> (0 <= s)%Z ->
  (forall k, IZR s / W * g k + (1 - IZR s / W) * g (k + 2)%Z <= g (k + 1)%Z) ->
  nonneg l = true -> forall odd acc k, (0 <= acc)%Z ->
  EZ (coarse s acc l odd) k (fun j => g (2 * j)%Z) <= IZR acc * g (2 * k)%Z + EZ l (if odd then 2 * k + 1
    else 2 * k)%Z g.
Proof.
intros s1 g0 falls s0 split nn. induction l as [|x l ih]; intros odd acc k acc0; [destruct odd; simpl; lra|].
apply nonneg_cons in nn as [x0 nn]. specialize (ih nn). cbn [coarse]. destruct odd.
- cbv zeta. cbn [EZ]. set (low := (x * s / 2 ^ 128)%Z).
  assert (l0 : (0 <= low)%Z) by (apply Z.div_pos; lia).
  assert (lx : IZR low <= IZR x * (IZR s / W)).
  { pose proof (Z.mul_div_le (x * s) (2 ^ 128) ltac:(lia)) as k1. apply IZR_le in k1. rewrite !mult_IZR in k1.
    fold low in k1.
    fold W in k1. pose proof W_pos. replace (IZR low) with (W * IZR low / W) by (field; lra).
    unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra]. }
  assert (lx' : (low <= x)%Z).
  { unfold low. apply Z.le_trans with (x * 2 ^ 128 / 2 ^ 128)%Z; [|rewrite Z.div_mul; lia].
    apply Z.div_le_mono; [lia|]. apply Z.mul_le_mono_nonneg_l; lia. }
  specialize (ih false (x - low)%Z (k + 1)%Z ltac:(lia)). cbn iota in ih. rewrite minus_IZR in ih. rewrite plus_IZR.
    replace (2 * (k + 1))%Z with (2 * k + 2)%Z in ih by ring. replace (2 * k + 1 + 1)%Z with (2 * k + 2)%Z by ring.
    pose proof (split (2 * k)%Z) as sp. apply IZR_le in x0. pose proof (Rmult_le_compat_l _ _ _ x0 sp).
    pose proof (falls (2 * k)%Z). pose proof (falls (2 * k + 1)%Z). replace (2 * k + 1 + 1)%Z with (2 * k + 2)%Z in
      H1 by ring.
    assert ((IZR x * (IZR s / W) - IZR low) * (g (2 * k)%Z - g (2 * k + 2)%Z) >= 0).
    { apply Rle_ge, Rmult_le_pos; lra. }
    lra.
- eapply Rle_trans; [apply ih; lia|]. rewrite plus_IZR. cbn [EZ]. lra.
Qed.

Lemma EZ_tail rho l (g : Z -> R) : (0 <= rho)%Z -> (forall k, IZR rho / W * g k <= g (k + 1)%Z) -> nonneg l = true ->
  forall w i, (0 <= w)%Z -> IZR w / W <= g i ->
  IZR (tail rho w l) / W <= EZ l i (fun k => Rmin 1 (g k)).
Proof.
intros rho0 falls nn. pose proof W_pos as wp. induction l as [|c l ih]; intros w i w0 le; cbn [tail EZ];
  [unfold Rdiv; lra|].
apply nonneg_cons in nn as [c0 nn]. specialize (ih nn (w * rho / 2 ^ 128)%Z (i + 1)%Z).
rewrite plus_IZR, mult_IZR. apply IZR_le in c0.
assert (a : IZR (Z.min (2 ^ 128) w) / W <= Rmin 1 (g i)).
{ apply Rmin_glb.
  - apply Rmult_le_reg_r with W; [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra.
    apply IZR_le. lia.
  - apply Rle_trans with (2 := le). apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply IZR_le. lia. }
assert (b : IZR (w * rho / 2 ^ 128) / W <= g (i + 1)%Z).
{ apply Rle_trans with (2 := falls i). apply Rle_trans with (IZR rho / W * (IZR w / W)).
  - pose proof (Z.mul_div_le (w * rho) (2 ^ 128) ltac:(lia)) as k1. apply IZR_le in k1. rewrite !mult_IZR in k1.
    fold W in k1.
    apply Rmult_le_reg_r with (W * W); [now apply Rmult_lt_0_compat|]. field_simplify; lra.
  - apply Rmult_le_compat_l; [|easy]. apply Rmult_le_pos; [now apply IZR_le|left; now apply Rinv_0_lt_compat]. }
specialize (ih ltac:(apply Z.div_pos; lia) b). pose proof (Rmult_le_compat_l _ _ _ c0 a).
unfold Rdiv in *. lra.
Qed.

(** * Vectors as masses at ratios *)

Section Sound.
Variables (M : Z) (share : nat -> Z) (D0 : R) (leaves : list vec) (ms : list meas).
Hypothesis Mp : (0 < M)%Z.
Hypothesis D0p : 0 <= D0.
Definition D lv := D0 * 2 ^ lv.
Hypothesis share_ok : forall lv, (0 <= share lv <= 2 ^ 128)%Z /\ IZR (share lv) * (1 + exp (D lv)) <= W.

Fixpoint mu (lv : nat) (i : Z) (l : list Z) : meas :=
  match l with nil => nil | a :: l' => (IZR a / IZR M, exp (- IZR i * D lv)) :: mu lv (i + 1) l' end.

Lemma Mr : 0 < IZR M. Proof. now apply IZR_lt. Qed.
Lemma E_mu lv l f : forall i, E (mu lv i l) f = EZ l i (fun k => f (exp (- IZR k * D lv))) / IZR M.
Proof. pose proof Mr. induction l as [|a l ih]; intros i; simpl; [|rewrite ih]; field; lra. Qed.
Lemma D_pos lv : 0 <= D lv. Proof. apply Rmult_le_pos; [easy|]. apply pow_le. lra. Qed.

Lemma pos_mu lv i l : nonneg l = true -> pos (mu lv i l).
Proof.
intros nn w r h. revert i h. induction l as [|a l ih]; simpl; [easy|]. apply nonneg_cons in nn as [a0 nn].
intros i [e|h].
- inversion e; subst. split; [|left; apply exp_pos].
  apply Rmult_le_pos; [now apply IZR_le|left; apply Rinv_0_lt_compat, Mr].
- exact (ih nn _ h).
Qed.
Lemma ok_mu lv i l : nonneg l = true -> (sum l <= M)%Z -> ok (mu lv i l).
Proof.
intros nn s. split; [now apply pos_mu|].
rewrite E_mu, EZ_sum. apply IZR_le in s. apply Rmult_le_reg_r with (IZR M); [apply Mr|]. pose proof Mr.
field_simplify; lra.
Qed.

(** The functions that matter. *)
Definition G lv a b (k : Z) := Rmin a (b * exp (- IZR k * D lv)).
Lemma G_pos lv a b k : 0 <= a -> 0 <= b -> 0 <= G lv a b k.
Proof. intros. apply Rmin_glb; [easy|]. apply Rmult_le_pos; [easy|left; apply exp_pos]. Qed.
Lemma G_falls lv a b k : 0 <= a -> 0 <= b -> G lv a b (k + 1)%Z <= G lv a b k.
Proof.
intros. unfold G. apply Rle_min_compat_l. apply Rmult_le_compat_l; [easy|].
pose proof (D_pos lv). rewrite plus_IZR. destruct (Rle_lt_or_eq_dec 0 (D lv) H1) as [h|h].
- left. apply exp_increasing. lra.
- rewrite <- h, !Rmult_0_r. lra.
Qed.
Lemma G_split lv a b k s : 0 <= a -> 0 <= b -> (0 <= s <= 2 ^ 128)%Z -> IZR s * (1 + exp (D lv)) <= W ->
  IZR s / W * G lv a b k + (1 - IZR s / W) * G lv a b (k + 2)%Z <= G lv a b (k + 1)%Z.
Proof.
intros a0 b0 hs h. pose proof W_pos. set (t := IZR s / W).
assert (t0 : 0 <= t) by (apply Rmult_le_pos; [apply IZR_le; lia|left; now apply Rinv_0_lt_compat]).
assert (t1 : t * (1 + exp (D lv)) <= 1). { unfold t. apply Rmult_le_reg_r with W; [easy|]. field_simplify; lra. }
pose proof (D_pos lv) as dp. assert (e1 : 1 <= exp (D lv)). { pose proof (exp_ineq1_le (D lv)). lra. }
assert (t2 : 0 <= 1 - t) by nra. set (x := exp (- IZR (k + 1) * D lv)).
assert (x0 : 0 < x) by apply exp_pos.
assert (xk : exp (- IZR k * D lv) = exp (D lv) * x). { unfold x. rewrite <- exp_plus, plus_IZR. f_equal. ring. }
assert (xk' : exp (- IZR (k + 2) * D lv) = x / exp (D lv)).
{ unfold x, Rdiv. rewrite <- exp_Ropp, <- exp_plus, !plus_IZR. f_equal. ring. }
unfold G. rewrite xk, xk'. fold x. apply Rmin_glb.
- pose proof (Rmin_l a (b * (exp (D lv) * x))). pose proof (Rmin_l a (b * (x / exp (D lv)))). nra.
- pose proof (Rmin_r a (b * (exp (D lv) * x))) as r1. pose proof (Rmin_r a (b * (x / exp (D lv)))) as r2.
  apply Rle_trans with (t * (b * (exp (D lv) * x)) + (1 - t) * (b * (x / exp (D lv)))).
  { apply Rplus_le_compat; now apply Rmult_le_compat_l. }
  set (y := exp (D lv)) in *. assert (bx : 0 <= b * x) by (apply Rmult_le_pos; lra).
  replace (t * (b * (y * x)) + (1 - t) * (b * (x / y))) with (b * x * (t * y + (1 - t) / y)) by (field; lra).
  rewrite <- (Rmult_1_r (b * x)) at 2. apply Rmult_le_compat_l; [easy|].
  apply Rmult_le_reg_r with y; [lra|]. replace ((t * y + (1 - t) / y) * y) with (t * y * y + 1 - t) by (field; lra).
  nra.
Qed.

(** What a leaf is: masses that are not below those of a pair. *)
Definition leaf_of (v : vec) (m : meas) := ok m /\ le m (mu (level v) (first v) (masses v)).
Hypothesis leaf_ok : Forall2 leaf_of leaves ms.

Lemma all_ok : Forall ok ms.
Proof. clear - leaf_ok. revert leaf_ok. generalize leaves ms. intros vs ns h. induction h as [|v m vs ns [h _] _ ih];
  constructor; auto. Qed.
Lemma leaf_at j v : nth_error leaves j = Some v -> exists m, nth_error ms j = Some m /\ leaf_of v m.
Proof.
clear - leaf_ok. revert leaf_ok j. generalize leaves ms. intros vs ns h. induction h as [|v0 m vs ns h _ ih];
  intros [|j] e; try discriminate; [inversion e; subst; now exists m|]. now apply ih.
Qed.

Definition good (v : vec) := le (prod ms (copies v)) (mu (level v) (first v) (masses v)).

Lemma less lv lv' i i' l l' n : (forall a b, 0 <= a -> 0 <= b -> EZ l' i' (G lv' a b) <= EZ l i (G lv a b)) ->
  le n (mu lv i l) -> le n (mu lv' i' l').
Proof.
intros h k. apply le_trans with (1 := k). intros a b a0 b0. rewrite !E_mu.
apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Mr|]. now apply h.
Qed.
Lemma product v w : nonneg (masses w) = true -> good v -> good w ->
  le (prod ms (sums (copies v) (copies w)))
    (times (mu (level v) (first v) (masses v)) (mu (level w) (first w) (masses w))).
Proof.
intros nn gv gw. apply le_trans with (times (prod ms (copies v)) (prod ms (copies w))); [apply le_same, prod_sums|].
apply le_times; auto; [|now apply pos_mu]. apply ok_prod, all_ok.
Qed.

Theorem step_good o st st' : Forall good st -> step M share leaves o st = Some st' -> Forall good st'.
Proof.
intros f e. destruct o as [j| | | |lo hi]; cbn [step] in e.
- destruct (nth_error leaves j) as [v|] eqn:ev; [|discriminate]. inversion e; subst. constructor; [|exact f].
  destruct (leaf_at j v ev) as (m & em & _ & lm).
  unfold good. cbn [level copies first masses]. apply le_trans with m; [apply le_same, (prod_only ms j m em)|exact lm].
- destruct st as [|v st]; inversion e; subst. inversion f; subst. now constructor.
- destruct st as [|w [|v st]]; try discriminate.
  destruct (Nat.eqb (level v) (level w)) eqn:el, (nonneg (masses w)) eqn:nn; try discriminate.
  cbn [andb] in e. inversion e; subst. inversion f as [|? ? gw f']; subst. inversion f' as [|? ? gv f'']; subst.
  constructor; [|exact f'']. apply Nat.eqb_eq in el. pose proof (product v w nn gv gw) as c.
  unfold good in *. cbn [level copies first masses].
  rewrite <- el in c. apply le_trans with (1 := c). intros a b a0 b0. rewrite E_times, !E_mu. pose proof Mr as mr.
  pose proof (EZ_rounded (G (level v) a b) (fun k => G_pos _ _ _ k a0 b0) (fun k => G_falls _ _ _ k a0 b0) M
    (conv (masses v) (masses w)) Mp 0 (first v + first w)%Z ltac:(lia)) as r.
  rewrite Rmult_0_l, Rplus_0_r, EZ_conv in r. unfold G in r.
  apply Rmult_le_reg_r with (IZR M * IZR M); [now apply Rmult_lt_0_compat|].
  match goal with |- ?x / _ * _ <= ?y / _ * _ => replace (x / IZR M * (IZR M * IZR M)) with (IZR M * x) by (field;
    lra) end.
  eapply Rle_trans; [exact r|]. right. 
  assert (key : forall k, E (mu (level v) (first w) (masses w)) (fun s =>
    Rmin a (b * (exp (- IZR k * D (level v)) * s)))
    = / IZR M * EZ (masses w) (first w) (fun k0 => Rmin a (b * exp (- IZR (k + k0) * D (level v))))).
  { intros k. rewrite E_mu. unfold Rdiv. rewrite Rmult_comm. f_equal. apply EZ_ext. intros k'. do 2 f_equal.
    rewrite <- exp_plus, plus_IZR. f_equal. ring. }
  rewrite (EZ_ext _ _ _ _ key).
  assert (sc : forall l i c h, EZ l i (fun k => c * h k) = c * EZ l i h).
  { clear. induction l as [|x l ih]; simpl; intros; [ring|]. rewrite ih. ring. }
  rewrite sc. field. lra.
- destruct st as [|v st]; try discriminate. destruct (nonneg (masses v)) eqn:nn; try discriminate.
  inversion e; subst. inversion f as [|? ? gv f']; subst. constructor; [|exact f'].
  unfold good in *. cbn [level copies first masses].
  revert gv. apply less. intros a b a0 b0. destruct (share_ok (level v)) as [hs hs'].
  rewrite (EZ_ext _ _ (G (S (level v)) a b) (fun j => G (level v) a b (2 * j)%Z)).
  2: { intros k. unfold G. do 2 f_equal. rewrite mult_IZR. unfold D. simpl. f_equal. ring. }
  eapply Rle_trans; [apply (EZ_coarse (share (level v)) (G (level v) a b)); try lia; auto|].
  + intros; now apply G_pos.
  + intros; now apply G_falls.
  + intros; now apply G_split.
  + rewrite Rmult_0_l, Rplus_0_l. right. f_equal. rewrite Zodd_mod. pose proof (Z.div_mod (first v) 2 ltac:(lia)).
    pose proof (Z.mod_pos_bound (first v) 2 ltac:(lia)). destruct (Zeq_bool (first v mod 2) 1) eqn:q.
    * apply Zeq_bool_eq in q. lia.
    * apply Zeq_bool_neq in q. lia.
- destruct st as [|v st]; try discriminate.
  destruct (nonneg (masses v)) eqn:nn, (Nat.ltb lo (length (masses v))) eqn:len; try discriminate.
  cbn [andb] in e. inversion e; subst. inversion f as [|? ? gv f']; subst. constructor; [|exact f'].
  unfold good in *. cbn [level copies first masses].
  revert gv. apply less. intros a b a0 b0. apply Nat.ltb_lt in len.
  eapply Rle_trans; [apply EZ_cut; auto; try lia; intros; [now apply G_pos|now apply G_falls]|]. lra.
Qed.

Theorem run_good plan : forall st st', Forall good st -> run M share leaves plan st = Some st' -> Forall good st'.
Proof.
induction plan as [|o plan ih]; simpl; intros st st' f e; [now inversion e; subst|].
destruct (step M share leaves o st) as [st1|] eqn:s; [|discriminate]. apply (ih st1); [|exact e].
now apply (step_good o st).
Qed.

Lemma equal_is ns : forall ns', equal ns ns' = true -> ns = ns'.
Proof. induction ns as [|n ns ih]; intros [|n' ns'] e; try easy. cbn [equal] in e.
apply andb_true_iff in e as [e1 e2]. apply N.eqb_eq in e1. subst. f_equal. auto. Qed.

(** What is accepted is true. *)
Theorem check_is_right plan rho w0 least eps delta (l : list (class * N)) :
  check M share leaves plan (map snd l) rho w0 least = true -> Forall2 bounds ms (map fst l) ->
  (forall lv, (0 <= rho lv)%Z /\ IZR (rho lv) <= W * exp (- D lv)) ->
    (forall lv i, (0 <= w0 lv i)%Z /\ IZR (w0 lv i) <= W * exp (eps - IZR i * D lv)) ->
  W * IZR M * IZR M * (1 - delta) <= IZR least ->
  forall t, runs l t -> delta_le t 1 (exp eps) delta.
Proof.
intros e bs hrho hw0 hl t r. unfold check in e.
destruct (run M share leaves plan nil) as [[|w [|v [|]]]|] eqn:ran; try discriminate.
apply run_good in ran; [|constructor]. inversion ran as [|? ? gw f]; subst. inversion f as [|? ? gv _]; subst.
rewrite !andb_true_iff in e. destruct e as [[[[lv1 ce] nw] nv] le].
apply Nat.eqb_eq in lv1. apply equal_is in ce. apply Z.leb_le in le.
pose proof (product v w nw gv gw) as c. rewrite ce, <- lv1 in c.
set (i := (first v + first w)%Z) in *. destruct (hrho (level v)) as [rho0 hr], (hw0 (level v) i) as [w00 hw].
apply delta_le_mono with (U (times (mu (level v) (first v) (masses v)) (mu (level v) (first w) (masses w)))
  1 (exp eps)).
2: { apply (total l t ms _ _ r all_ok bs c). left. apply exp_pos. }
unfold U. rewrite E_times, E_mu. pose proof Mr as mr. pose proof W_pos as wp.
assert (key : forall k, E (mu (level v) (first w) (masses w)) (fun s =>
  Rmin 1 (exp eps * (exp (- IZR k * D (level v)) * s)))
    = EZ (masses w) (first w) (fun k0 => Rmin 1 (exp (eps - IZR (k + k0) * D (level v)))) / IZR M).
{ intros k. rewrite E_mu. f_equal. apply EZ_ext. intros k'. f_equal. rewrite <- !exp_plus, plus_IZR. f_equal. ring. }
rewrite (EZ_ext _ _ _ _ key).
assert (sc : forall l i h, EZ l i (fun k => h k / IZR M) = EZ l i h / IZR M).
{ clear - mr. induction l as [|x l ih]; simpl; intros; [field; lra|]. rewrite ih. field. lra. }
rewrite sc, <- (EZ_conv _ _ (first v) (first w) (fun k => Rmin 1 (exp (eps - IZR k * D (level v))))).
assert (cn : nonneg (conv (masses v) (masses w)) = true).
{ assert (ad : forall l m, nonneg l = true -> nonneg m = true -> nonneg (add l m) = true).
  { clear. induction l as [|x l ih]; intros [|y m] h1 h2; auto. apply nonneg_cons in h1 as [? h1], h2 as [? h2].
    unfold nonneg. simpl. apply andb_true_iff. split; [apply Z.leb_le; lia|now apply ih]. }
  revert nv. generalize (masses v). intros vs. induction vs as [|x vs ih]; intros h; [easy|].
  apply nonneg_cons in h as [x0 h]. cbn [conv]. apply ad.
  - clear - nw x0. induction (masses w) as [|y m ih]; [easy|]. apply nonneg_cons in nw as [? nw]. unfold nonneg. simpl.
    apply andb_true_iff. split; [apply Z.leb_le; now apply Z.mul_nonneg_nonneg|now apply ih].
  - unfold nonneg. simpl. now apply ih. }
pose proof (EZ_tail (rho (level v)) (conv (masses v) (masses w)) (fun k => exp (eps - IZR k * D (level v))) rho0) as tl.
specialize (tl ltac:(intros k; apply Rmult_le_reg_r with W; [easy|];
  replace (eps - IZR (k + 1) * D (level v)) with (- D (level v) + (eps - IZR k * D (level v))) by (rewrite plus_IZR;
  ring);
  rewrite exp_plus; pose proof (exp_pos (eps - IZR k * D (level v)));
    apply (Rmult_le_compat_r (exp (eps - IZR k * D (level v)))) in hr; [field_simplify; lra|lra]) cn).
specialize (tl (w0 (level v) i) i w00 ltac:(apply Rmult_le_reg_r with W; [easy|]; field_simplify; lra)).
apply IZR_le in le. set (S := EZ _ _ _) in *.
assert (IZR least / W <= S).
{ apply Rle_trans with (2 := tl). apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra]. }
assert (IZR M * IZR M * (1 - delta) <= S).
{ apply Rle_trans with (2 := H). apply Rmult_le_reg_r with W; [easy|]. field_simplify; lra. }
apply Rmult_le_reg_r with (IZR M * IZR M); [now apply Rmult_lt_0_compat|]. field_simplify; lra.
Qed.
End Sound.
