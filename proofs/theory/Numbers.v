(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Numbers that programs of the theory compute with: Coq's own integers, its machine integers, or those of another
  language. *)
From Coq Require Import ZArith Lia.
Local Open Scope Z_scope.

(** Numbers that are not negative, and what is computed with them. *)
Record numbers := {
  number :> Type; to_Z : number -> Z; zero : number; of_N : N -> number;
  addn : number -> number -> number; subn : number -> number -> number; muln : number -> number -> number;
    divn : number -> number -> number;
  shln : number -> number -> number; shrn : number -> number -> number;
  to_Z_pos : forall x, 0 <= to_Z x; zero_is : to_Z zero = 0; of_N_is : forall n, to_Z (of_N n) = Z.of_N n;
  addn_is : forall x y, to_Z (addn x y) = to_Z x + to_Z y;
    subn_is : forall x y, to_Z (subn x y) = Z.max 0 (to_Z x - to_Z y);
  muln_is : forall x y, to_Z (muln x y) = to_Z x * to_Z y; divn_is : forall x y, to_Z (divn x y) = to_Z x / to_Z y;
  shln_is : forall x y, to_Z (shln x y) = Z.shiftl (to_Z x) (to_Z y);
    shrn_is : forall x y, to_Z (shrn x y) = Z.shiftr (to_Z x) (to_Z y) }.
Arguments to_Z {_}. Arguments to_Z_pos {_}. Arguments zero {_}. Arguments of_N {_}. Arguments addn {_}. Arguments subn
  {_}. Arguments muln {_}. Arguments divn {_}. Arguments shln {_}. Arguments shrn {_}.

Definition of_Z {T : numbers} (x : Z) : T := of_N (Z.to_N x).
Lemma of_Z_is (T : numbers) x : 0 <= x -> to_Z (of_Z x : T) = x.
Proof. intros h. unfold of_Z. now rewrite of_N_is, Z2N.id. Qed.

(** So many bits after the point, and numbers to compute with. *)
Record precision := {
  digits :> Z; arith : numbers; width : arith; full : arith; below_full : arith; single : arith;
  width_is : 0 <= digits -> to_Z width = digits; full_is : 0 <= digits -> to_Z full = 2 ^ digits;
  below_full_is : 0 <= digits -> to_Z below_full = 2 ^ digits - 1; single_is : to_Z single = 1 }.
Definition at_precision (T : numbers) (p : Z) : precision.
Proof.
refine {| digits := p; arith := T; width := of_Z p; full := shln (of_Z 1) (of_Z p); below_full :=
  subn (shln (of_Z 1) (of_Z p)) (of_Z 1); single := of_Z 1 |}.
- apply of_Z_is.
- intros h. rewrite shln_is, !of_Z_is, Z.shiftl_mul_pow2; lia.
- intros h. rewrite subn_is, shln_is, !of_Z_is, Z.shiftl_mul_pow2 by lia.
  assert (0 < 2 ^ p) by (apply Z.pow_pos_nonneg; lia). lia.
- now apply of_Z_is.
Defined.
