(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** What is accepted holds, with products as lists, and what that rests on. *)
From Dpverify Require Import Vector Claim.
Print Assumptions accepts_is_right.
