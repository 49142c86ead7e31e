(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** The checker as a program of OCaml, with the integers of Zarith. *)
From Coq Require Import List ZArith QArith Lia.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZBigInt.
From Dpverify Require Import Numbers Vector Part Claim Refuted.
Local Open Scope Z_scope.

(** Coq's own integers, which are to be Zarith's. *)
Definition integers : numbers.
Proof.
refine {| number := N; to_Z := Z.of_N; zero := 0%N; of_N := fun x => x; addn := N.add; subn := N.sub; muln := N.mul;
  divn := N.div;
  shln := fun x y => Z.to_N (Z.shiftl (Z.of_N x) (Z.of_N y)); shrn := fun x y =>
    Z.to_N (Z.shiftr (Z.of_N x) (Z.of_N y)) |};
  [apply N2Z.is_nonneg|reflexivity|reflexivity|apply N2Z.inj_add|apply N2Z.inj_sub_max|apply N2Z.inj_mul|apply
    N2Z.inj_div|..];
  intros x y; apply Z2N.id; [apply Z.shiftl_nonneg|apply Z.shiftr_nonneg]; apply N2Z.is_nonneg.
Defined.
Definition shown (c : claim) (hs : list chain) : bool := accepts integers c hs.
Definition refuted (c : claim) (r : refutation) : bool := refutes integers c r.

(** What the program says of a claim is so. *)
Theorem shown_holds c hs : shown c hs = true -> holds c.
Proof. apply accepts_is_right. Qed.
Theorem refuted_fails c r : refuted c r = true -> fails c.
Proof. apply refutes_is_right. Qed.
Print Assumptions shown_holds.
Print Assumptions refuted_fails.

Extraction Blacklist List Nat.
Extraction "kernel.ml" shown refuted guarantee discrete_laplace sample.
