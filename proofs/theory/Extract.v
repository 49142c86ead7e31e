(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** The checker as a program of OCaml, with the integers of Zarith. *)
From Coq Require Import List ZArith QArith Lia.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZBigInt.
From Dpverify Require Import Vector Product Part Claim Refuted.
Local Open Scope Z_scope.

(** Products of lists as products of two integers. *)
Definition integers : numbers.
Proof.
refine {| number := Z; to_Z := fun x => x; zero := 0; of_N := Z.of_N; addn := Z.add; subn := fun x y => Z.max 0 (x - y); muln := Z.mul; shln := Z.shiftl; shrn := Z.shiftr |}; reflexivity.
Defined.
Definition shown (c : claim) (hs : list chain) : bool := accepts (product integers) c hs.
Definition refuted (c : claim) (r : refutation) : bool := refutes (product integers) c r.

(** What the program says of a claim is so. *)
Theorem shown_holds c hs : shown c hs = true -> holds c.
Proof. apply accepts_is_right, product_is. Qed.
Theorem refuted_fails c r : refuted c r = true -> fails c.
Proof. apply refutes_is_right, product_is. Qed.
Print Assumptions shown_holds.
Print Assumptions refuted_fails.

Extraction Blacklist List Nat.
Extraction "kernel.ml" shown refuted guarantee discrete_laplace.
