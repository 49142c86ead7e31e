(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Sums over the integers, and discrete Gaussian noise. *)
From Coq Require Import Reals Lra Lia List ZArith.
From Dpverify Require Import Composition.
Import ListNotations.
Local Open Scope R_scope.

(** * Outputs that are integers *)

(** f a + f (a + 1) + …, n terms. *)
Fixpoint span (n : nat) (a : Z) (f : Z -> R) : R := match n with O => 0 | S n' => f a + span n' (a + 1) f end.
(** All sums of max(0, f) over intervals are at most c. *)
Definition integers_Ub (f : Z -> R) (c : R) : Prop := forall n a, span n a (fun x => Rmax 0 (f x)) <= c.
(** f ≥ 0 has sums over intervals that are as near to c as one likes, or above it. *)
Definition integers_Lb (f : Z -> R) (c : R) : Prop := (forall x, 0 <= f x) /\ forall e, 0 < e ->
  exists n a, c - e <= span n a f.

Lemma span_le n : forall a f g, (forall x, f x <= g x) -> span n a f <= span n a g.
Proof. induction n as [|n ih]; intros a f g h; cbn [span]; [lra|]. apply Rplus_le_compat; auto. Qed.
Lemma span_add n : forall a f g, span n a (fun x => f x + g x) = span n a f + span n a g.
Proof. induction n as [|n ih]; intros a f g; cbn [span]; [ring|]. rewrite ih. ring. Qed.
Lemma span_scale n c : forall a f, span n a (fun x => c * f x) = c * span n a f.
Proof. induction n as [|n ih]; intros a f; cbn [span]; [ring|]. rewrite ih. ring. Qed.
Lemma span_0 n : forall a, span n a (fun _ => 0) = 0.
Proof. induction n as [|n ih]; intros a; cbn [span]; [easy|]. rewrite ih. ring. Qed.
Lemma span_ext n : forall a f g, (forall x, f x = g x) -> span n a f = span n a g.
Proof. intros a f g h. apply Rle_antisym; apply span_le; intros x; rewrite h; lra. Qed.
Lemma span_ge0 n a f : (forall x, 0 <= f x) -> 0 <= span n a f.
Proof. intros h. rewrite <- (span_0 n a). now apply span_le. Qed.
Lemma span_app n m : forall a f, span (n + m) a f = span n a f + span m (a + Z.of_nat n) f.
Proof.
induction n as [|n ih]; intros a f; [cbn [Nat.add span Z.of_nat]; rewrite Z.add_0_r; ring|].
cbn [Nat.add span]. rewrite ih. replace (a + 1 + Z.of_nat n)%Z with (a + Z.of_nat (S n))%Z by lia. ring.
Qed.
Lemma span_move n k : forall a f, span n a (fun x => f (x - k)%Z) = span n (a - k) f.
Proof. induction n as [|n ih]; intros a f; cbn [span]; [easy|]. rewrite ih. do 2 f_equal. ring. Qed.
Lemma span_mirror n : forall a f, span n a (fun x => f (- x)%Z) = span n (1 - a - Z.of_nat n) f.
Proof.
induction n as [|n ih]; intros a f; [easy|].
assert (e : span (S n) (1 - a - Z.of_nat (S n)) f = span n (1 - a - Z.of_nat (S n)) f + f (- a)%Z).
{ replace (span (S n)) with (span (n + 1)) by (f_equal; lia). rewrite span_app. cbn [span].
  replace (1 - a - Z.of_nat (S n) + Z.of_nat n)%Z with (- a)%Z by lia. ring. }
rewrite e. cbn [span]. rewrite ih. replace (1 - (a + 1) - Z.of_nat n)%Z with (1 - a - Z.of_nat (S n))%Z by lia. ring.
Qed.
Lemma span_within n a n' a' f : (forall x, 0 <= f x) -> (a' <= a)%Z -> (a + Z.of_nat n <= a' + Z.of_nat n')%Z ->
  span n a f <= span n' a' f.
Proof.
intros h h1 h2. set (l := Z.to_nat (a - a')). set (r := Z.to_nat (a' + Z.of_nat n' - a - Z.of_nat n)).
replace n' with (l + (n + r))%nat by lia.
rewrite !span_app. replace (a' + Z.of_nat l)%Z with a by lia. pose proof (span_ge0 l a' f h).
pose proof (span_ge0 r (a + Z.of_nat n) f h). lra.
Qed.
(** The terms of such a sum. *)
Fixpoint row (n : nat) (a : Z) (f : Z -> R) : list R := match n with O => nil | S n' => f a :: row n' (a + 1) f end.
Lemma row_length n : forall a f, length (row n a f) = n.
Proof. induction n as [|n ih]; intros a f; cbn [row length]; auto. Qed.
Lemma row_sum n : forall a f, List.fold_right Rplus 0 (row n a f) = span n a f.
Proof. induction n as [|n ih]; intros a f; [easy|]. cbn [row List.fold_right span]. now rewrite ih. Qed.
Lemma row_skip k : forall n a f, skipn k (row n a f) = row (n - k) (a + Z.of_nat k) f.
Proof.
induction k as [|k ih]; intros n a f; [cbn [skipn]; rewrite Nat.sub_0_r, Z.add_0_r; easy|].
destruct n as [|n]; [easy|]. cbn [skipn row Nat.sub]. rewrite ih. f_equal. lia.
Qed.
Lemma row_first k : forall n a f, (k <= n)%nat -> firstn k (row n a f) = row k a f.
Proof. induction k as [|k ih]; intros n a f h; [easy|]. destruct n as [|n]; [lia|]. cbn [firstn row].
now rewrite ih by lia. Qed.
Lemma row_move k n : forall a f, row n a (fun x => f (x - k)%Z) = row n (a - k) f.
Proof. induction n as [|n ih]; intros a f; [easy|]. cbn [row]. rewrite ih. do 2 f_equal. ring. Qed.
Lemma row_map (h : R -> R) n : forall a f, map h (row n a f) = row n a (fun x => h (f x)).
Proof. induction n as [|n ih]; intros a f; [easy|]. cbn [row map]. now rewrite ih. Qed.
Lemma row_app n m : forall a f, row (n + m) a f = row n a f ++ row m (a + Z.of_nat n) f.
Proof.
induction n as [|n ih]; intros a f; [cbn [Nat.add row Z.of_nat app]; now rewrite Z.add_0_r|].
cbn [Nat.add row app]. rewrite ih. do 2 f_equal. f_equal. lia.
Qed.
Lemma row_mirror n f : (forall x, f (- x)%Z = f x) -> forall a, rev (row n a f) = row n (1 - a - Z.of_nat n) f.
Proof.
intros h. induction n as [|n ih]; intros a; [easy|].
assert (e : row (S n) (1 - a - Z.of_nat (S n)) f = row n (1 - a - Z.of_nat (S n)) f ++ [f a]).
{ replace (row (S n)) with (row (n + 1)) by (f_equal; lia). rewrite row_app. cbn [row]. do 2 f_equal.
  rewrite <- (h a). f_equal. lia. }
rewrite e. cbn [row rev]. rewrite ih. do 2 f_equal. lia.
Qed.
(** Σ max(0, p − α·q) of terms. *)
Fixpoint excess (al : R) (ps qs : list R) : R := match ps, qs with a :: ps', b :: qs' =>
  Rmax 0 (a - al * b) + excess al ps' qs' | _, _ => 0 end.
Lemma excess_row al f g m : forall n a b, (m <= n)%nat -> excess al (row n a f) (row m b g) = span m b (fun x =>
  Rmax 0 (f (x - b + a)%Z - al * g x)).
Proof.
induction m as [|m ih]; intros n a b h; [destruct n; easy|]. destruct n as [|n]; [lia|]. cbn [row excess span].
rewrite ih by lia. f_equal; [do 3 f_equal; lia|].
apply span_ext. intros x. do 3 f_equal. lia.
Qed.

Definition integers : space.
Proof.
refine {| car := Z; Ub := integers_Ub; Lb := integers_Lb |}.
- intros f g c d fg cd h n a. apply Rle_trans with (span n a (fun x => Rmax 0 (g x))); [|specialize (h n a); lra].
  apply span_le. intros x. now apply Rle_max_compat_l.
- intros f g c d h k n a. apply Rle_trans with (span n a (fun x => Rmax 0 (f x) + Rmax 0 (g x))).
  + apply span_le. intros x. pose proof (Rmax_l 0 (f x)). pose proof (Rmax_r 0 (f x)). pose proof (Rmax_l 0 (g x)).
    pose proof (Rmax_r 0 (g x)). apply Rmax_lub; lra.
  + rewrite (span_add n a (fun x => Rmax 0 (f x)) (fun x => Rmax 0 (g x))). specialize (h n a). specialize (k n a). lra.
- intros f c k k0 h n a. apply Rle_trans with (span n a (fun x => k * Rmax 0 (f x))).
  + apply span_le. intros x. rewrite <- RmaxRmult, Rmult_0_r by easy. lra.
  + rewrite (span_scale n k a (fun x => Rmax 0 (f x))). now apply Rmult_le_compat_l.
- intros n a. rewrite (span_ext n a _ (fun _ => 0)), span_0; [lra|]. intros x. apply Rmax_left. lra.
- intros f g c d gf dc (h & k). split; [intros x; specialize (h x); specialize (gf x); lra|].
  intros e e0. destruct (k e e0) as (n & a & le). exists n, a. pose proof (span_le n a g f gf). lra.
- intros f c d (h & k) u. apply Rnot_lt_le. intros lt. destruct (k ((c - d) / 2) ltac:(lra)) as (n & a & le).
  specialize (u n a).
  pose proof (span_le n a f (fun x => Rmax 0 (f x)) (fun x => Rmax_r 0 (f x))). lra.
Defined.

Lemma integers_moved f c k : integers_Ub f c -> integers_Ub (fun x => f (x - k)%Z) c.
Proof. intros h n a. rewrite (span_move n k a (fun x => Rmax 0 (f x))). apply h. Qed.
Lemma integers_mirrored f c : integers_Ub f c -> integers_Ub (fun x => f (- x)%Z) c.
Proof. intros h n a. rewrite (span_mirror n a (fun x => Rmax 0 (f x))). apply h. Qed.

(** * Discrete Gaussian noise *)

(** A mass at x is this, over the sum of all. *)
Definition bell (v : R) (x : Z) : R := exp (- (IZR x * IZR x) / (2 * v)).
(** The sum of f ≥ 0 over all integers is z. *)
Definition sums_to (f : Z -> R) (z : R) : Prop := is_lub (fun s => exists n a, s = span n a f) z.

(** Noise of a variance parameter v on a whole number that the record changes by k. *)
Inductive discrete_gaussian (v : R) (most : Z) : class :=
  a_discrete_gaussian k z : (- most <= k <= most)%Z -> sums_to (bell v) z ->
    discrete_gaussian v most integers (fun x => bell v (x - k) / z) (fun x => bell v x / z).

Section Bell.
Variable v : R.
Hypothesis v0 : 0 < v.
Notation bell := (bell v).
Lemma bell_pos x : 0 < bell x. Proof. apply exp_pos. Qed.
Lemma bell_0 : bell 0 = 1.
Proof. unfold Discrete.bell. replace (- (IZR 0 * IZR 0) / (2 * v)) with 0 by (field; lra). apply exp_0. Qed.
Lemma bell_even x : bell (- x) = bell x.
Proof. unfold Discrete.bell. rewrite opp_IZR. do 2 f_equal. ring. Qed.
Lemma bell_next x : bell (x + 1) = bell x * exp (- (2 * IZR x + 1) / (2 * v)).
Proof. unfold Discrete.bell. rewrite <- exp_plus, plus_IZR. f_equal. field. lra. Qed.

(** Beyond m, a geometric series. *)
Definition rate (m : Z) : R := 2 * v / (2 * IZR m + 1).
Lemma falls m a : (0 <= m <= a)%Z -> bell (a + 1) <= rate m * (bell a - bell (a + 1)).
Proof.
intros [h1 h2]. apply IZR_le in h1, h2. pose proof (bell_pos (a + 1)) as b0. set (y := (2 * IZR m + 1) / (2 * v)).
assert (y0 : 0 < y) by (apply Rdiv_lt_0_compat; lra). assert (ry : rate m * y = 1) by (unfold rate, y; field; lra).
assert (e : bell a = bell (a + 1) * exp ((2 * IZR a + 1) / (2 * v))).
{ rewrite bell_next, Rmult_assoc, <- exp_plus.
  replace (- (2 * IZR a + 1) / (2 * v) + (2 * IZR a + 1) / (2 * v)) with 0 by (field; lra). rewrite exp_0. ring. }
pose proof (exp_ineq1_le ((2 * IZR a + 1) / (2 * v))) as k.
assert (ya : y <= (2 * IZR a + 1) / (2 * v)) by (apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra]).
assert (r0 : 0 < rate m) by (apply Rdiv_lt_0_compat; lra).
apply Rle_trans with (rate m * (bell (a + 1) * y)); [right; rewrite <- (Rmult_1_r (bell (a + 1))) at 1; rewrite <- ry;
  ring|].
apply Rmult_le_compat_l; [lra|]. rewrite e. set (E := exp ((2 * IZR a + 1) / (2 * v))) in *.
replace (bell (a + 1) * E - bell (a + 1)) with (bell (a + 1) * (E - 1)) by ring. apply Rmult_le_compat_l; lra.
Qed.
Lemma beyond_all m n : (0 <= m)%Z -> forall a, (m <= a)%Z ->
  span n (a + 1) bell <= rate m * (bell a - bell (a + Z.of_nat n)).
Proof.
intros m0. induction n as [|n ih]; intros a ma; cbn [span]; [rewrite Z.add_0_r; lra|].
pose proof (falls m a ltac:(lia)) as f. specialize (ih (a + 1)%Z ltac:(lia)).
replace (a + 1 + Z.of_nat n)%Z with (a + Z.of_nat (S n))%Z in ih by lia. lra.
Qed.
Lemma beyond m m' n : (0 <= m <= m')%Z -> span n (m' + 1) bell <= rate m * bell m.
Proof.
intros h. apply Rle_trans with (span (n + Z.to_nat (m' - m)) (m + 1) bell);
  [apply span_within; [intros; left; apply bell_pos|lia..]|].
eapply Rle_trans; [apply (beyond_all m); lia|]. apply Rmult_le_compat_l.
- destruct h as [h _]. apply IZR_le in h. left. apply Rdiv_lt_0_compat; lra.
- pose proof (bell_pos (m + Z.of_nat (n + Z.to_nat (m' - m)))). lra.
Qed.

(** What is at most the shifted noise has almost all of its sum near 0: from k − N to N. *)
Lemma near (f : Z -> R) k N m n a : (forall x, 0 <= f x) -> (forall x, f x <= bell (x - k)) -> (0 <= k)%Z ->
  (0 <= m <= Z.of_nat N - k)%Z ->
  span n a f <= span (Z.to_nat (2 * Z.of_nat N + 1 - k)) (k - Z.of_nat N) f + 2 * (rate m * bell m).
Proof.
intros f0 fb k0 mN. set (l := Z.to_nat (Z.abs a)). set (r := Z.to_nat (Z.abs (a + Z.of_nat n))).
set (c := Z.to_nat (2 * Z.of_nat N + 1 - k)).
apply Rle_trans with (span (l + (c + r)) (k - Z.of_nat N - Z.of_nat l) f); [apply span_within; [easy|lia..]|].
rewrite !span_app.
replace (k - Z.of_nat N - Z.of_nat l + Z.of_nat l)%Z with (k - Z.of_nat N)%Z by ring.
replace (k - Z.of_nat N + Z.of_nat c)%Z with (Z.of_nat N + 1)%Z by lia.
assert (high : span r (Z.of_nat N + 1) f <= rate m * bell m).
{ eapply Rle_trans; [apply span_le, fb|]. rewrite span_move.
  replace (Z.of_nat N + 1 - k)%Z with (Z.of_nat N - k + 1)%Z by ring. now apply beyond. }
assert (low : span l (k - Z.of_nat N - Z.of_nat l) f <= rate m * bell m).
{ eapply Rle_trans; [apply span_le, fb|]. rewrite span_move.
  rewrite (span_ext _ _ bell (fun x => bell (- x))) by (intros; now rewrite bell_even). rewrite span_mirror.
  replace (1 - (k - Z.of_nat N - Z.of_nat l - k) - Z.of_nat l)%Z with (Z.of_nat N + 1)%Z by ring. apply beyond. lia. }
lra.
Qed.

(** The noise exists, and is one. *)
Lemma total_near N m n a : (0 <= m <= Z.of_nat N)%Z -> span n a bell <= span (Z.to_nat (2 * Z.of_nat N + 1))
  (- Z.of_nat N) bell + 2 * (rate m * bell m).
Proof.
intros h. pose proof (near bell 0 N m n a ltac:(intros; left; apply bell_pos) ltac:(intros; rewrite Z.sub_0_r;
  lra) ltac:(lia) ltac:(lia)) as k.
now rewrite Z.sub_0_r in k.
Qed.
Theorem bell_has_sum : exists z, sums_to bell z.
Proof.
destruct (completeness (fun s => exists n a, s = span n a bell)) as [z h].
- exists (span 1 0 bell + 2 * (rate 0 * bell 0)). intros s (n & a & ->). exact (total_near 0 0 n a ltac:(lia)).
- exists 0. now exists O, 0%Z.
- now exists z.
Qed.
Section Sum.
Variable z : R.
Hypothesis hz : sums_to bell z.
Lemma all_below n a : span n a bell <= z. Proof. apply (proj1 hz). now exists n, a. Qed.
Lemma z_pos : 0 < z.
Proof. pose proof (all_below 1 0) as h. cbn [span] in h. rewrite bell_0 in h. lra. Qed.
Lemma z_below N m : (0 <= m <= Z.of_nat N)%Z -> z <= span (Z.to_nat (2 * Z.of_nat N + 1)) (- Z.of_nat N) bell + 2 *
  (rate m * bell m).
Proof. intros h. apply (proj2 hz). intros s (n & a & ->). now apply total_near. Qed.
Lemma noise_ge0 x : 0 <= bell x / z. Proof. pose proof z_pos.
apply Rmult_le_pos; [left; apply bell_pos|left; now apply Rinv_0_lt_compat]. Qed.
Lemma noise_total : integers_Ub (fun x => bell x / z) 1.
Proof.
intros n a. pose proof z_pos as zp. rewrite (span_ext n a _ (fun x => / z * bell x)), span_scale.
- apply Rmult_le_reg_l with z; [easy|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r by lra. apply all_below.
- intros x. rewrite Rmax_right by apply noise_ge0. unfold Rdiv. ring.
Qed.
End Sum.
End Bell.

(** A profile at every shift k from 0 on is one for all: the noise is its own mirror image. *)
Lemma either_shift v z al c most (k : Z) : (forall k, (0 <= k <= most)%Z ->
  integers_Ub (fun x => Rmax 0 (bell v (x - k) / z - al * (bell v x / z))) c) -> (- most <= k <= most)%Z ->
  integers_Ub (fun x => Rmax 0 (bell v (x - k) / z - al * (bell v x / z))) c /\
    integers_Ub (fun x => Rmax 0 (bell v x / z - al * (bell v (x - k) / z))) c.
Proof.
intros h hk. assert (one : forall k, (- most <= k <= most)%Z ->
  integers_Ub (fun x => Rmax 0 (bell v (x - k) / z - al * (bell v x / z))) c).
{ clear k hk. intros k hk. destruct (Z.le_gt_cases 0 k) as [k0|k0]; [apply h; lia|].
  pose proof (integers_mirrored _ _ (h (- k)%Z ltac:(lia))) as m. intros n a. eapply Rle_trans; [right|exact (m n a)].
  apply span_ext.
  intros x. do 2 f_equal. replace (- x - - k)%Z with (- (x - k))%Z by ring. now rewrite !bell_even. }
split; [now apply one|]. pose proof (integers_moved _ _ k (one (- k)%Z ltac:(lia))) as m. intros n a.
eapply Rle_trans; [right|exact (m n a)]. apply span_ext.
intros x. do 2 f_equal. now replace (x - k - - k)%Z with x by ring.
Qed.
