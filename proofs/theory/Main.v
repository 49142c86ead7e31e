(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** What is accepted holds and what is refuted fails, whatever numbers they compute with, and what that rests on. *)
From Dpverify Require Import Vector Claim Data Refuted.
Print Assumptions accepts_is_right.
Print Assumptions accepts_runs.
Print Assumptions accepts_is_private.
Print Assumptions accepts_is_private_values.
Print Assumptions refutes_is_right.
