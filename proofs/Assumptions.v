(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** What the theorems rest on, which `make proofs` prints: none may rest on an axiom. *)

From Proofs Require Import Profile Bounds Residues.

Print Assumptions H_bounds_sets.
Print Assumptions H_is_attained.
Print Assumptions H_falls.
Print Assumptions H_convex.
Print Assumptions joint_convexity.
Print Assumptions sampling_remove.
Print Assumptions sampling_add.
Print Assumptions exchange.
Print Assumptions post_processing.
Print Assumptions regrouping.
Print Assumptions splitting.
Print Assumptions product_formula.
Print Assumptions adaptive_composition.
Print Assumptions products_dominate.
Print Assumptions moving_up.
Print Assumptions rounding_down.
Print Assumptions below_the_chord.
Print Assumptions hull_of_points.
Print Assumptions guarantee_is_dominated.
Print Assumptions kov_recursion.
Print Assumptions spreading.
Print Assumptions spreading_sums.
Print Assumptions cell_ends.
Print Assumptions leaves.
Print Assumptions sums_of_indices.
Print Assumptions residues_of_values.
Print Assumptions points_of_wrong_products.
Print Assumptions points_tried.
Print Assumptions few_primes.
Print Assumptions remainders_round_down.
