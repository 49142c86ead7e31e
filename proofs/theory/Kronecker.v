(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Products of lists on Coq's machine integers. *)
From Coq Require Import List ZArith.
From Bignums Require Import BigN.
From Dpverify Require Import Vector Product.

Definition machine : numbers.
Proof.
refine {| number := BigN.t; to_Z := BigN.to_Z; zero := BigN.zero; of_N := BigN.of_N; addn := BigN.add; subn := BigN.sub; muln := BigN.mul; shln := BigN.shiftl; shrn := BigN.shiftr |};
  [reflexivity|apply BigN.spec_of_N|apply BigN.spec_add|apply BigN.spec_sub|apply BigN.spec_mul|apply BigN.spec_shiftl|apply BigN.spec_shiftr].
Defined.
Definition kmul : list Z -> list Z -> list Z := product machine.
Theorem kmul_is l m : kmul l m = conv l m.
Proof. apply product_is. Qed.
