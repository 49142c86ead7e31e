(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Coq's machine integers as numbers to compute with. *)
From Coq Require Import List ZArith Lia Uint63.
From Bignums Require Import BigN.
From Dpverify Require Import Numbers.
Local Open Scope Z_scope.

(** A word of 63 bits after the bits of an integer. *)
Fixpoint onto (n : nat) (w : int) (z : Z) : Z := match n with O => z | S n' =>
  (if is_even w then Z.double else Z.succ_double) (onto n' (w >> 1)%uint63 z) end.
Lemma onto_is n : forall w z, onto n w z = z * 2 ^ Z.of_nat n + to_Z_rec n w.
Proof.
induction n as [|n ih]; intros w z; [cbn [onto to_Z_rec]; lia|]. cbn [onto to_Z_rec].
rewrite ih, Nat2Z.inj_succ, Z.pow_succ_r by lia.
destruct (is_even w); rewrite ?Z.double_spec, ?Z.succ_double_spec; unfold Zdouble_plus_one;
  rewrite ?Z.double_spec, ?Z.succ_double_spec; lia.
Qed.
Definition words (w : DoubleType.zn2z int) (z : Z) : Z := match w with DoubleType.W0 =>
  onto 63 0 (onto 63 0 z) | DoubleType.WW h l => onto 63 l (onto 63 h z) end.
(** What BigN.to_Z says, in less time. *)
Definition of_words (x : BigN.t) : Z :=
  match x with
  | BigN.N0 w => onto 63 w 0
  | BigN.N1 w => words w 0
  | BigN.N2 (DoubleType.WW h l) => words l (words h 0)
  | _ => BigN.to_Z x
  end.
Lemma of_words_is x : of_words x = BigN.to_Z x.
Proof.
assert (w1 : forall w z, words w z = z * (2 ^ 63 * 2 ^ 63) + DoubleType.zn2z_to_Z (2 ^ 63) Uint63.to_Z w).
{ intros [|h l] z; unfold words; rewrite !onto_is; [vm_compute (to_Z_rec _ _)|]; cbn [DoubleType.zn2z_to_Z];
    change (2 ^ Z.of_nat 63) with (2 ^ 63); [lia|]. unfold Uint63.to_Z, size. ring. }
destruct x as [w|w|[|h l]|w|w|w|w|n w]; try reflexivity.
- unfold of_words. now rewrite w1.
- unfold of_words. rewrite !w1.
  change (BigN.to_Z (BigN.N2 (DoubleType.WW h l)))
    with (DoubleType.zn2z_to_Z (2 ^ 63) Uint63.to_Z h * (2 ^ 63 * 2 ^ 63) + DoubleType.zn2z_to_Z (2 ^ 63) Uint63.to_Z
    l). ring.
Qed.

(** Where both factors are the same, their square, which costs less. *)
Definition mulw (x y : BigN.t) : BigN.t := if BigN.eqb x y then BigN.square x else BigN.mul x y.
Lemma mulw_is x y : BigN.to_Z (mulw x y) = BigN.to_Z x * BigN.to_Z y.
Proof.
unfold mulw. destruct (BigN.eqb x y) eqn:e; [|apply BigN.spec_mul]. rewrite BigN.spec_square.
rewrite BigN.spec_eqb in e. apply Z.eqb_eq in e. now rewrite e.
Qed.

Definition machine : numbers.
Proof.
refine {| number := BigN.t; to_Z := of_words; zero := BigN.zero; of_N := BigN.of_N; addn := BigN.add;
  subn := BigN.sub; muln := mulw; divn := BigN.div; shln := BigN.shiftl; shrn := BigN.shiftr |};
  intros; rewrite ?of_words_is;
  [apply BigN.spec_pos|reflexivity|apply BigN.spec_of_N|apply BigN.spec_add|apply BigN.spec_sub|apply mulw_is|apply
    BigN.spec_div|apply BigN.spec_shiftl|apply BigN.spec_shiftr].
Defined.
