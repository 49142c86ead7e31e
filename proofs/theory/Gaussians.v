(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Two Gaussians are one: the sum of the squares of their shifts is the square of one shift. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Composition Leaf Series Fixed Normal Shift.
Local Open Scope R_scope.

Definition sf (t : R) : R := 1 / 2 - half t.
Lemma half_derive t : is_derive half t (phi t).
Proof.
unfold half. apply (is_derive_RInt (V := R_NormedModule) phi (fun b => RInt phi 0 b) 0 t).
- exists (mkposreal 1 Rlt_0_1). intros y _. apply (RInt_correct (V := R_CompleteNormedModule)), ex_phi.
- pose proof (continuous_phi 0 t) as c. apply (continuous_ext (fun x => phi (x - 0))); [intros; f_equal; ring|exact c].
Qed.
Lemma sf_derive t : is_derive sf t (- phi t).
Proof.
unfold sf. replace (- phi t) with (0 - phi t) by ring. apply (is_derive_minus (V := R_NormedModule));
  [apply (is_derive_const (V := R_NormedModule))|apply half_derive].
Qed.
Lemma sf_falls u v : u <= v -> sf v <= sf u.
Proof. intros h. pose proof (half_mono u v h). unfold sf. lra. Qed.
Lemma sf_pos t : 0 <= sf t.
Proof. pose proof (half_le t). unfold sf. lra. Qed.
Lemma sf_neg t : sf (- t) = 1 - sf t.
Proof. unfold sf. rewrite half_neg. lra. Qed.
Lemma continuous_sf t : continuous sf t.
Proof. apply (ex_derive_continuous (V := R_NormedModule)). eexists. apply sf_derive. Qed.
Lemma continuity_phi_2d (f : R -> R -> R) x y : continuity_2d_pt f x y -> continuity_2d_pt (fun u v => phi (f u v)) x y.
Proof.
intros h. apply (continuity_1d_2d_pt_comp phi f); [|exact h].
apply continuity_pt_filterlim. pose proof (continuous_phi 0 (f x y)) as c.
apply (continuous_ext (fun z => phi (z - 0))); [intros; f_equal; ring|exact c].
Qed.

Section Line.
Variables (B u v : R).
Hypothesis uv : u <= v.
Definition c0 : R := sqrt (1 + B ^ 2).
Lemma c0_pos : 0 < c0. Proof. apply sqrt_lt_R0. nra. Qed.
Lemma c0_sq : c0 * c0 = 1 + B ^ 2. Proof. apply sqrt_sqrt. nra. Qed.
Definition inner (A x : R) : R := phi x * sf (A - B * x).
Definition part_of (A : R) : R := RInt (inner A) u v.
Lemma inner_derive A x : is_derive (fun A => inner A x) A (- (phi x * phi (A - B * x))).
Proof.
unfold inner. replace (- (phi x * phi (A - B * x))) with (phi x * (- phi (A - B * x))) by ring.
apply (is_derive_scal (fun A => sf (A - B * x))).
replace (- phi (A - B * x)) with (scal 1 (- phi (A - B * x))) by (unfold scal; simpl; unfold mult; simpl; ring).
apply (is_derive_comp (K := R_AbsRing) (V := R_NormedModule) sf (fun A => A - B * x)); [apply sf_derive|].
replace 1 with (1 - 0) by ring. apply (is_derive_minus (V := R_NormedModule));
  [apply (is_derive_id (K := R_AbsRing))|apply (is_derive_const (V := R_NormedModule))].
Qed.
Lemma continuous_inner A x : continuous (inner A) x.
Proof.
unfold inner. apply (continuous_mult (K := R_AbsRing)).
- pose proof (continuous_phi 0 x) as c. apply (continuous_ext (fun z => phi (z - 0))); [intros; f_equal; ring|exact c].
- apply (continuous_comp (fun x => A - B * x) sf); [|apply continuous_sf].
  apply (continuous_minus (V := R_NormedModule)); [apply continuous_const|].
  apply (continuous_scal_r (K := R_AbsRing) (V := R_NormedModule) B (fun x => x)). apply continuous_id.
Qed.
Lemma ex_inner A a b : ex_RInt (inner A) a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply continuous_inner. Qed.
Lemma phi_times a b : phi a * phi b = exp (- (a ^ 2 + b ^ 2) / 2) / (sqrt (2 * PI) * sqrt (2 * PI)).
Proof.
unfold phi. replace (- (a ^ 2 + b ^ 2) / 2) with (- a ^ 2 / 2 + - b ^ 2 / 2) by field. rewrite exp_plus. field.
apply root.
Qed.
Lemma square_completed A x : phi x * phi (A - B * x) = phi (A / c0) * phi (c0 * x + - (A * B / c0)).
Proof.
pose proof c0_pos as c. pose proof c0_sq as cc. rewrite !phi_times. do 4 f_equal.
assert (k : (A / c0) ^ 2 + (c0 * x + - (A * B / c0)) ^ 2 = c0 * c0 * x ^ 2 - 2 * A * B * x + A ^ 2 * (1 + B ^ 2)
  / (c0 * c0)) by (field; lra).
rewrite k, cc. field. nra.
Qed.
Lemma part_derive A : is_derive part_of A
  (- (phi (A / c0) / c0 * RInt phi (c0 * u + - (A * B / c0)) (c0 * v + - (A * B / c0)))).
Proof.
assert (d : is_derive part_of A (RInt (fun x => Derive (fun A => inner A x) A) u v)).
{ apply is_derive_RInt_param.
  - exists (mkposreal 1 Rlt_0_1). intros y _ t _. eexists. apply inner_derive.
  - intros t _. apply (continuity_2d_pt_ext (fun A t => - (phi t * phi (A - B * t)))).
    + intros a x. symmetry. apply is_derive_unique, inner_derive.
    + apply continuity_2d_pt_opp, continuity_2d_pt_mult; apply continuity_phi_2d.
      * apply continuity_2d_pt_id2.
      * apply continuity_2d_pt_minus; [apply continuity_2d_pt_id1|].
        apply continuity_2d_pt_mult; [apply continuity_2d_pt_const|apply continuity_2d_pt_id2].
  - exists (mkposreal 1 Rlt_0_1). intros y _. apply ex_inner. }
match goal with |- is_derive _ _ ?y => replace y with (RInt (fun x => Derive (fun A => inner A x) A) u v);
  [exact d|] end.
pose proof c0_pos as c.
assert (i : is_RInt phi (c0 * u + - (A * B / c0)) (c0 * v + - (A * B / c0))
  (RInt phi (c0 * u + - (A * B / c0)) (c0 * v + - (A * B / c0))))
  by (apply (RInt_correct (V := R_CompleteNormedModule)), ex_phi).
apply (is_RInt_comp_lin (V := R_NormedModule) phi c0 (- (A * B / c0)) u v) in i.
apply (is_RInt_scal (V := R_NormedModule) _ u v (- (phi (A / c0) / c0))) in i.
apply is_RInt_unique. replace (- (phi (A / c0) / c0 * RInt phi (c0 * u + - (A * B / c0)) (c0 * v + - (A * B / c0))))
  with (scal (- (phi (A / c0) / c0)) (RInt phi (c0 * u + - (A * B / c0)) (c0 * v + - (A * B / c0)))) by (unfold scal;
  simpl; unfold mult; simpl; ring).
apply is_RInt_ext with (2 := i). intros x _. symmetry. transitivity (- (phi x * phi (A - B * x)));
  [apply is_derive_unique, inner_derive|].
rewrite square_completed. unfold scal; simpl; unfold mult; simpl.
match goal with |- @eq _ ?y ?z => change (@eq R y z) end. field. lra.
Qed.
Definition missing (A : R) : R := sf (A / c0) - part_of A.
Lemma missing_derive A : is_derive missing A
  (- (phi (A / c0) / c0) - - (phi (A / c0) / c0 * RInt phi (c0 * u + - (A * B / c0)) (c0 * v + - (A * B / c0)))).
Proof.
pose proof c0_pos as c. unfold missing. apply (is_derive_minus (V := R_NormedModule)); [|apply part_derive].
replace (- (phi (A / c0) / c0)) with (scal (/ c0) (- phi (A / c0))) by (unfold scal; simpl; unfold mult; simpl; field;
  lra).
apply (is_derive_comp (K := R_AbsRing) (V := R_NormedModule) sf (fun A => A / c0)); [apply sf_derive|].
replace (/ c0) with (scal (/ c0) 1) at 1 by (unfold scal; simpl; unfold mult; simpl; ring).
apply (is_derive_ext (fun A => scal (/ c0) A)); [intros; unfold scal; simpl; unfold mult, Rdiv; simpl; ring|].
apply (is_derive_scal (fun x => x)), (is_derive_id (K := R_AbsRing)).
Qed.
Lemma missing_falls A A' : A <= A' -> missing A' <= missing A.
Proof.
intros h. destruct (MVT_gen missing A A' (fun A =>
  - (phi (A / c0) / c0) - - (phi (A / c0) / c0 * RInt phi (c0 * u + - (A * B / c0)) (c0 * v + - (A * B / c0)))))
  as (z & _ & e).
- intros x _. apply missing_derive.
- intros x _. apply derivable_continuous_pt. eexists. apply is_derive_Reals, missing_derive.
- pose proof c0_pos as c. assert (uv' : c0 * u <= c0 * v) by (apply Rmult_le_compat_l; lra).
  assert (le : RInt phi (c0 * u + - (z * B / c0)) (c0 * v + - (z * B / c0)) <= 1) by (apply phi_integral; lra).
  assert (k : 0 <= phi (z / c0) / c0) by (apply Rmult_le_pos; [left; apply phi_pos|left; now apply Rinv_0_lt_compat]).
  set (I := RInt phi (c0 * u + - (z * B / c0)) (c0 * v + - (z * B / c0))) in *. set (k0 := phi (z / c0) / c0) in
    *. assert (0 <= k0 * (1 - I)) by (apply Rmult_le_pos; lra).
  assert (0 <= k0 * (1 - I) * (A' - A)) by (apply Rmult_le_pos; lra). lra.
Qed.
(** Its integral over an interval is at most that of one Gaussian. *)
Theorem inner_at_most A : part_of A <= sf (A / c0).
Proof.
apply Rnot_lt_le. intros lt. set (e := part_of A - sf (A / c0)). assert (e0 : 0 < e) by (unfold e; lra).
destruct (near_half (1 / 2 - e / 2) ltac:(lra)) as (T & hT).
set (w := Rabs B * (Rabs u + Rabs v)). set (A' := Rmax A (T + w)).
assert (k : part_of A' <= e / 2).
{ apply Rle_trans with (RInt (fun x => scal (e / 2) (phi x)) u v).
  - apply RInt_le; [exact uv|apply ex_inner|apply (ex_RInt_scal (V := R_NormedModule)), ex_phi|]. intros x hx.
    unfold inner, scal; simpl; unfold mult; simpl. rewrite Rmult_comm. apply Rmult_le_compat_r; [left; apply phi_pos|].
    assert (bx : B * x <= w).
    { apply Rle_trans with (Rabs (B * x)); [apply Rle_abs|]. rewrite Rabs_mult. unfold w.
      apply Rmult_le_compat_l; [apply Rabs_pos|].
      pose proof (Rabs_pos u). pose proof (Rabs_pos v). pose proof (Rle_abs v). pose proof (Rle_abs (- u)) as a.
      rewrite Rabs_Ropp in a. apply Rabs_le. lra. }
    pose proof (Rmax_r A (T + w)). fold A' in H. pose proof (hT (A' - B * x) ltac:(lra)). unfold sf. lra.
  - assert (i : is_RInt (fun x => scal (e / 2) (phi x)) u v (scal (e / 2) (RInt phi u v)))
      by (apply (is_RInt_scal (V := R_NormedModule)), (RInt_correct (V := R_CompleteNormedModule)), ex_phi).
    rewrite (is_RInt_unique _ _ _ _ i). change (scal (e / 2) (RInt phi u v)) with (e / 2 * RInt phi u v).
    pose proof (phi_integral u v uv).
    rewrite <- (Rmult_1_r (e / 2)) at 2. apply Rmult_le_compat_l; lra. }
pose proof (missing_falls A A' (Rmax_l _ _)) as f. unfold missing in f. pose proof (sf_pos (A' / c0)).
unfold e in *. lra.
Qed.
End Line.

(** From below, but for what is outside of the interval. *)
Theorem inner_at_least B A u v : u <= v -> sf (A / c0 B) - (1 - RInt phi u v) <= RInt (inner B A) u v.
Proof.
intros uv. pose proof (inner_at_most (- B) u v uv (- A)) as h. unfold part_of in h.
assert (c : c0 (- B) = c0 B) by (unfold c0; f_equal; ring). rewrite c in h.
replace (- A / c0 B) with (- (A / c0 B)) in h by (unfold Rdiv; ring). rewrite sf_neg in h.
assert (i : RInt (inner (- B) (- A)) u v = RInt phi u v - RInt (inner B A) u v).
{ apply is_RInt_unique. apply (is_RInt_ext (fun x => minus (phi x) (inner B A x))).
  - intros x _. unfold inner, minus, Hierarchy.plus, opp; simpl. replace (- A - - B * x) with (- (A - B * x)) by ring.
    rewrite sf_neg. match goal with |- @eq _ ?y ?z => change (@eq R y z) end. ring.
  - apply (is_RInt_minus (V := R_NormedModule)); apply (RInt_correct (V := R_CompleteNormedModule));
      [apply ex_phi|apply ex_inner]. }
lra.
Qed.

(** A Gaussian before another one, at the threshold of the one that both are together. *)
Section Two.
Variables m m' s a t : R.
Hypothesis m0 : 0 < m.
Hypothesis m0' : 0 < m'.
Hypothesis sums : s * s + m' * m' = m * m.
Hypothesis a0 : 0 < a.
Let b := a * exp (m * t - m ^ 2 / 2).
Let B := s / m'.
Definition later (x : R) : R := m * t / m' - B * x.
Definition both (x : R) : R := a * phi (x - s) * sf (later x - m') - b * phi x * sf (later x).
Lemma both_ratio x : a * phi (x - s) * exp (m' * later x - m' ^ 2 / 2) = b * phi x.
Proof.
rewrite phi_shift. unfold b. rewrite !Rmult_assoc, <- exp_plus. rewrite (Rmult_comm (exp _) (phi x)). do 3 f_equal.
unfold later, B. replace (m' * (m * t / m' - s / m' * x) - m' ^ 2 / 2) with (m * t - s * x - (m' * m') / 2) by (field;
  lra).
replace (m * t - m ^ 2 / 2) with (m * t - (m * m) / 2) by field. rewrite <- sums. field.
Qed.
Lemma both_pos x : 0 <= both x.
Proof.
assert (p : 0 < a * phi (x - s)) by (apply Rmult_lt_0_compat; [easy|apply phi_pos]).
pose proof (kink m' (a * phi (x - s)) (later x) m0' p) as k. apply at_most_ge0 in k. rewrite both_ratio in k. exact k.
Qed.
Lemma c0_is : c0 B = m / m'.
Proof.
unfold c0, B. replace (1 + (s / m') ^ 2) with ((m / m') * (m / m')); [apply sqrt_square; left; apply Rdiv_lt_0_compat;
  lra|].
replace (m / m' * (m / m')) with (m * m / (m' * m')) by (field; lra). rewrite <- sums. field. lra.
Qed.
Lemma both_is u v : is_RInt both u v (a * RInt (inner B (m * (t - m) / m')) (u - s) (v - s) - b * RInt
  (inner B (m * t / m')) u v).
Proof.
set (A1 := m * (t - m) / m'). set (A2 := m * t / m').
assert (i : is_RInt (inner B A1) (1 * u + - s) (1 * v + - s) (RInt (inner B A1) (1 * u + - s) (1 * v + - s)))
  by (apply (RInt_correct (V := R_CompleteNormedModule)), ex_inner).
apply (is_RInt_comp_lin (V := R_NormedModule) (inner B A1) 1 (- s) u v) in i.
apply (is_RInt_scal (V := R_NormedModule) _ u v a) in i.
assert (j : is_RInt (inner B A2) u v (RInt (inner B A2) u v)) by (apply (RInt_correct (V := R_CompleteNormedModule)),
  ex_inner).
apply (is_RInt_scal (V := R_NormedModule) _ u v b) in j.
replace (u - s) with (1 * u + - s) by ring. replace (v - s) with (1 * v + - s) by ring.
pose proof (is_RInt_minus (V := R_NormedModule) _ _ u v _ _ i j) as k. eapply is_RInt_ext; [|exact k].
intros x _. unfold minus, Hierarchy.plus, opp, scal; simpl; unfold mult; simpl. unfold both, inner. rewrite Rmult_1_l.
replace (1 * x + - s) with (x - s) by ring.
replace (A1 - B * (x - s)) with (later x - m').
2: { unfold later, A1, B. replace (m * (t - m) / m') with (m * t / m' - (m * m) / m') by (field; lra).
rewrite <- sums. field. lra. }
unfold later. fold A2. match goal with |- @eq _ ?y ?z => change (@eq R y z) end. ring.
Qed.
Theorem both_at_most : line_Ub both (a * sf (t - m) - b * sf t).
Proof.
exists both. split; [intros x; split; [lra|apply both_pos]|]. intros u v uv. eexists. split; [apply both_is|].
assert (b0 : 0 < b) by (apply Rmult_lt_0_compat; [easy|apply exp_pos]).
apply Rnot_lt_le. intros lt.
set (I := a * RInt (inner B (m * (t - m) / m')) (u - s) (v - s) - b * RInt (inner B (m * t / m')) u v) in *.
set (e := I - (a * sf (t - m) - b * sf t)). assert (e0 : 0 < e) by (unfold e; lra).
destruct (mass_near_1 (1 - e / (2 * b))) as (T & T0 & hT).
{ assert (0 < e / (2 * b)) by (apply Rdiv_lt_0_compat; lra). lra. }
set (w := Rmax T (Rmax (- u) v)). assert (w1 : T <= w) by apply Rmax_l.
assert (w2 : - u <= w) by (eapply Rle_trans; [apply Rmax_l|apply Rmax_r]).
assert (w3 : v <= w) by (eapply Rle_trans; [apply Rmax_r|apply Rmax_r]).
assert (wide : I <= a * RInt (inner B (m * (t - m) / m')) (- w - s) (w - s) - b * RInt (inner B (m * t / m')) (- w) w).
{ pose proof (both_is u v) as i1. fold I in i1. pose proof (both_is (- w) w) as i2.
  pose proof (both_is (- w) u) as j1. pose proof (both_is v w) as j2.
  assert (p1 : 0 <= a * RInt (inner B (m * (t - m) / m')) (- w - s) (u - s) - b * RInt (inner B (m * t / m')) (- w) u).
  { rewrite <- (is_RInt_unique _ _ _ _ j1). apply RInt_ge_0; [lra|eexists; exact j1|]. intros; apply both_pos. }
  assert (p2 : 0 <= a * RInt (inner B (m * (t - m) / m')) (v - s) (w - s) - b * RInt (inner B (m * t / m')) v w).
  { rewrite <- (is_RInt_unique _ _ _ _ j2). apply RInt_ge_0; [lra|eexists; exact j2|]. intros; apply both_pos. }
  pose proof (is_RInt_Chasles (V := R_NormedModule) both (- w) u v _ _ j1 i1) as c1.
  pose proof (is_RInt_Chasles (V := R_NormedModule) both (- w) v w _ _ c1 j2) as c2.
  pose proof (is_RInt_unique _ _ _ _ c2) as q1. pose proof (is_RInt_unique _ _ _ _ i2) as q2. rewrite q2 in q1.
  rewrite q1. unfold Hierarchy.plus; simpl. lra. }
assert (ww : - w <= w) by lra.
pose proof (inner_at_most B (- w - s) (w - s) ltac:(lra) (m * (t - m) / m')) as h1. unfold part_of in h1.
rewrite c0_is in h1. replace (m * (t - m) / m' / (m / m')) with (t - m) in h1 by (field; lra).
pose proof (inner_at_least B (m * t / m') (- w) w ww) as h2. rewrite c0_is in h2.
replace (m * t / m' / (m / m')) with t in h2 by (field; lra).
assert (mw : mass T <= RInt phi (- w) w). { fold (mass w). rewrite !mass_half. pose proof (half_mono T w w1). lra. }
pose proof (Rmult_le_compat_l _ _ _ (Rlt_le _ _ a0) h1) as k1.
pose proof (Rmult_le_compat_l _ _ _ (Rlt_le _ _ b0) h2) as k2.
assert (k3 : b * (1 - RInt phi (- w) w) <= e / 2).
{ apply Rle_trans with (b * (e / (2 * b))); [apply Rmult_le_compat_l; lra|right; field; lra]. }
unfold e in *. lra.
Qed.
End Two.
