(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** The profile of Laplace noise, for every shift up to the largest. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Composition Vector Leaf.
Local Open Scope R_scope.

Lemma lap_right v : 0 <= v -> is_RInt lap 0 v ((1 - exp (- v)) / 2).
Proof.
intros v0. replace ((1 - exp (- v)) / 2) with (minus (- exp (- v) / 2) (- exp (- 0) / 2)).
2: { unfold minus, plus, opp; simpl. rewrite Ropp_0, exp_0. field. }
apply (is_RInt_ext (fun x => exp (- x) / 2)).
{ intros x. rewrite Rmin_left, Rmax_right by easy. intros [h _]. unfold lap. rewrite Rabs_right by lra. reflexivity. }
apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => - exp (- x) / 2)).
- intros x _. auto_derive; [easy|]. field.
- intros x _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. easy.
Qed.
Lemma ex_lap u v : ex_RInt lap u v.
Proof.
apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros x _. apply (continuous_ext (fun x => lap (x - 0)));
  [intros; f_equal; ring|apply continuous_lap].
Qed.
Lemma lap_half v : 0 <= v -> RInt lap 0 v <= 1 / 2.
Proof. intros h. rewrite (is_RInt_unique _ _ _ _ (lap_right v h)). pose proof (exp_pos (- v)). lra. Qed.
Lemma lap_le_1 u v : u <= v -> RInt lap u v <= 1.
Proof.
intros uv. set (T := Rmax (Rabs u) (Rabs v)).
assert (T0 : 0 <= T) by (apply Rle_trans with (2 := Rmax_l _ _), Rabs_pos).
assert (hu : - T <= u) by (pose proof (Rmax_l (Rabs u) (Rabs v)); fold T in H; pose proof (Rabs_maj2 u); lra).
assert (hv : v <= T) by (pose proof (Rmax_r (Rabs u) (Rabs v)); fold T in H; pose proof (Rle_abs v); lra).
assert (pos : forall a b, a <= b -> 0 <= RInt lap a b) by (intros; apply RInt_ge_0;
  [easy|apply ex_lap|intros; left; apply lap_pos]).
assert (c1 : RInt lap (- T) u + RInt lap u v = RInt lap (- T) v)
  by (apply (RInt_Chasles (V := R_CompleteNormedModule)); apply ex_lap).
assert (c2 : RInt lap (- T) v + RInt lap v T = RInt lap (- T) T)
  by (apply (RInt_Chasles (V := R_CompleteNormedModule)); apply ex_lap).
assert (c3 : RInt lap (- T) 0 + RInt lap 0 T = RInt lap (- T) T)
  by (apply (RInt_Chasles (V := R_CompleteNormedModule)); apply ex_lap).
pose proof (pos _ _ hu). pose proof (pos _ _ hv). pose proof (lap_half T T0).
assert (l : RInt lap (- T) 0 = RInt lap 0 T).
{ apply is_RInt_unique.
  assert (i : is_RInt lap 0 T (RInt lap 0 T)) by (apply (RInt_correct (V := R_CompleteNormedModule)), ex_lap).
  replace 0 with (0 - 0) in i at 1 by ring. replace T with (0 - - T) in i at 1 by ring.
  apply (reflected_integral lap 0 (- T) 0) in i.
  apply is_RInt_ext with (2 := i). intros x _. rewrite <- (lap_even x). f_equal. ring. }
lra.
Qed.
Lemma lap_total s : Ub (s := line) (fun x => lap (x - s)) 1.
Proof.
exists (fun x => lap (x - s)). split; [intros x; pose proof (lap_pos (x - s)); lra|]. intros v w vw.
exists (RInt lap (v - s) (w - s)). split; [|apply lap_le_1; lra].
replace (v - s) with (1 * v + - s) by ring. replace (w - s) with (1 * w + - s) by ring.
pose proof (is_RInt_comp_lin (V := R_NormedModule) lap 1 (- s) v w (RInt lap (1 * v + - s) (1 * w + - s))) as c.
eapply is_RInt_ext; [|apply c, (RInt_correct (V := R_CompleteNormedModule)), ex_lap].
intros x _. unfold scal; simpl; unfold mult; simpl. rewrite Rmult_1_l. f_equal. ring.
Qed.

(** ** Tails *)

Ltac as_reals := unfold minus, Hierarchy.plus, opp, scal; simpl; unfold mult; simpl; match goal with |- @eq _ ?y ?z =>
  change (@eq R y z) end.
Lemma nothing_is u v : is_RInt (fun _ : R => 0) u v 0.
Proof.
assert (i : is_RInt (fun _ : R => 0) u v (scal (v - u) 0)) by apply (is_RInt_const (V := R_NormedModule)).
replace (scal (v - u) 0) with 0 in i; [exact i|]. unfold scal; simpl; unfold mult; simpl. ring.
Qed.
Definition lap_tail (t : R) : R := if Rle_dec 0 t then exp (- t) / 2 else 1 - exp t / 2.
Lemma lap_tail_0 v : is_RInt lap 0 v (1 / 2 - lap_tail v).
Proof.
unfold lap_tail. destruct (Rle_dec 0 v) as [h|h].
- replace (1 / 2 - exp (- v) / 2) with ((1 - exp (- v)) / 2) by field. now apply lap_right.
- assert (i : is_RInt lap (- 0) (- v) ((1 - exp v) / 2)) by (rewrite Ropp_0;
    pose proof (lap_right (- v) ltac:(lra)) as i; now rewrite Ropp_involutive in i).
  apply is_RInt_comp_opp in i. apply (is_RInt_opp (V := R_NormedModule)) in i.
  replace (1 / 2 - (1 - exp v / 2)) with (opp ((1 - exp v) / 2)) by (as_reals; field). eapply is_RInt_ext; [|exact i].
  intros x _. unfold opp; simpl. rewrite lap_even. lra.
Qed.
Lemma lap_tail_is u v : is_RInt lap u v (lap_tail u - lap_tail v).
Proof.
pose proof (lap_tail_0 u) as a. pose proof (lap_tail_0 v) as b. apply (is_RInt_swap (V := R_NormedModule)) in a.
replace (lap_tail u - lap_tail v) with (Hierarchy.plus (opp (1 / 2 - lap_tail u)) (1 / 2 - lap_tail v)) by (as_reals;
  ring). now apply (is_RInt_Chasles (V := R_NormedModule)) with 0.
Qed.
Lemma lap_tail_pos t : 0 <= lap_tail t.
Proof.
unfold lap_tail. destruct (Rle_dec 0 t) as [h|h]; [pose proof (exp_pos (- t)); lra|].
assert (exp t < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in H. lra.
Qed.
Lemma lap_tail_small e : 0 < e -> exists T, forall v, T <= v -> 0 <= lap_tail v <= e.
Proof.
intros e0. exists (Rmax 0 (- ln e)). intros v hv. split; [apply lap_tail_pos|]. pose proof (Rmax_l 0 (- ln e)).
pose proof (Rmax_r 0 (- ln e)).
unfold lap_tail. destruct (Rle_dec 0 v) as [h|h]; [|lra]. assert (exp (- v) <= e).
{ rewrite <- (exp_ln e) by easy. destruct (Rle_lt_or_eq_dec (- v) (ln e) ltac:(lra)) as [k|k];
    [left; now apply exp_increasing|rewrite k; lra]. }
pose proof (exp_pos (- v)). lra.
Qed.

(** * The profile *)

Section Profile.
Variables s a b : R.
Hypothesis s0 : 0 < s.
Hypothesis a0 : 0 < a.
Hypothesis b0 : 0 < b.
Lemma between_is t : is_RInt (Density.between s a b) t s ((a + b * exp (- s)) / 2 - (a * exp (t - s) + b * exp (- t))
  / 2).
Proof.
replace ((a + b * exp (- s)) / 2 - (a * exp (t - s) + b * exp (- t)) / 2)
  with (minus ((a * exp (s - s) + b * exp (- s)) / 2) ((a * exp (t - s) + b * exp (- t)) / 2)).
2: { unfold minus, plus, opp; simpl. replace (s - s) with 0 by ring. rewrite exp_0. field. }
apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => (a * exp (x - s) + b * exp (- x)) / 2)).
- intros x _. evar_last; [auto_derive; [easy|reflexivity]|]. unfold Density.between, Rminus. simpl. field.
- intros x _. apply continuous_between.
Qed.
Lemma middle : - s <= ln (b / a) <= s -> at_most (difference_lap s a b) (a - sqrt (a * b * exp (- s))).
Proof.
intros [lo hi]. apply laplace_at_most; auto. rewrite (is_RInt_unique _ _ _ _ (between_is (threshold_lap s a b))).
right. set (t := threshold_lap s a b).
assert (e2 : exp (ln (b / a)) = b / a) by (apply exp_ln; now apply Rdiv_lt_0_compat).
assert (e : a * exp (t - s) = b * exp (- t)).
{ replace (t - s) with (ln (b / a) + - t) by (unfold t, threshold_lap; field). rewrite exp_plus, e2. field. lra. }
assert (r : sqrt (a * b * exp (- s)) = b * exp (- t)).
{ replace (a * b * exp (- s)) with ((b * exp (- t)) * (b * exp (- t))).
  - apply sqrt_square. apply Rmult_le_pos; [lra|left; apply exp_pos].
  - rewrite <- e at 1. replace (a * exp (t - s) * (b * exp (- t))) with (a * b * (exp (t - s) * exp (- t))) by ring.
    rewrite <- exp_plus. do 2 f_equal. ring. }
rewrite r, e. field.
Qed.
End Profile.

(** The greatest of three. *)
Definition lap_high s a b := Rmax (Rmax 0 (a - b)) (a - sqrt (a * b * exp (- s))).
Lemma lap_profile s S a b : - S <= s <= S -> 0 < a -> 0 < b ->
  Ub (s := line) (fun x => Rmax 0 (difference_lap s a b x)) (lap_high S a b).
Proof.
intros hs a0 b0.
assert (mono : forall s, 0 <= s <= S -> lap_high s a b <= lap_high S a b).
{ intros z hz. unfold lap_high. apply Rle_max_compat_l.
  enough (sqrt (a * b * exp (- S)) <= sqrt (a * b * exp (- z))) by lra.
  apply sqrt_le_1_alt. apply Rmult_le_compat_l; [left; now apply Rmult_lt_0_compat|].
  destruct (Rle_lt_or_eq_dec z S ltac:(lra)) as [h|h]; [left; apply exp_increasing; lra|rewrite h; lra]. }
assert (pos : forall s, 0 <= s <= S -> Ub (s := line) (fun x => Rmax 0 (difference_lap s a b x)) (lap_high S a b)).
{ clear s hs. intros s hs. apply (ub_le line _ (fun x => Rmax 0 (difference_lap s a b x)) (lap_high s a b));
    [intros; lra|now apply mono|].
  destruct hs as [[s0|<-] _].
  - destruct (Rle_dec s (ln (b / a))) as [h|h].
    + apply (ub_le line _ (fun _ => 0) 0);
        [|unfold lap_high; eapply Rle_trans; [apply Rmax_l|apply Rmax_l]|apply ub_zero].
      intros x. apply Rmax_lub; [lra|]. now apply lap_nothing.
    + destruct (Rle_dec (- s) (ln (b / a))) as [k|k].
      * pose proof (middle s a b s0 a0 b0 ltac:(lra)) as m. apply of_at_most in m. revert m.
        apply (ub_le line); [intros; lra|]. apply Rmax_r.
      * set (c := b * exp s). assert (e0 : 0 < exp s) by apply exp_pos.
        assert (c0 : 0 < c) by now apply Rmult_lt_0_compat.
        assert (lc : ln (b / c) = - s). { unfold c. replace (b / (b * exp s)) with (/ exp s) by (field; lra).
        rewrite <- exp_Ropp. apply ln_exp. }
        assert (ca : c <= a).
        { assert (hh : b / a <= exp (- s)). { rewrite <- (exp_ln (b / a)) by now apply Rdiv_lt_0_compat. left.
          apply exp_increasing. lra. }
          rewrite exp_Ropp in hh. apply (Rmult_le_compat_r (a * exp s)) in hh; [|left; now apply Rmult_lt_0_compat].
          unfold c. field_simplify in hh; lra. }
        pose proof (middle s c b s0 c0 b0 ltac:(lra)) as m. apply of_at_most in m.
        assert (sq : sqrt (c * b * exp (- s)) = b).
        { replace (c * b * exp (- s)) with (b * b). apply sqrt_square; lra. unfold c. rewrite exp_Ropp. field. lra. }
        rewrite sq in m. apply (ub_le line _ (fun x => (a - c) * lap (x - s) + Rmax 0 (difference_lap s c b x))
          ((a - c) * 1 + (c - b))).
        -- intros x. unfold difference_lap. pose proof (lap_pos (x - s)).
        assert (0 <= (a - c) * lap (x - s)) by (apply Rmult_le_pos; lra).
           pose proof (Rmax_l 0 (c * lap (x - s) - b * lap x)). pose proof (Rmax_r 0 (c * lap (x - s) - b * lap x)).
           apply Rmax_lub; lra.
        -- unfold lap_high. eapply Rle_trans; [|apply Rmax_l]. eapply Rle_trans; [|apply Rmax_r]. lra.
        -- apply ub_add; [|exact m]. apply ub_scale; [lra|apply lap_total].
  - apply (ub_le line _ (fun x => Rmax 0 (a - b) * lap (x - 0)) (Rmax 0 (a - b) * 1)).
    + intros x. unfold difference_lap. rewrite !Rminus_0_r. pose proof (lap_pos x). pose proof (Rmax_l 0 (a - b)).
      pose proof (Rmax_r 0 (a - b)). apply Rmax_lub; [apply Rmult_le_pos; lra|].
      rewrite <- Rmult_minus_distr_r. apply Rmult_le_compat_r; lra.
    + rewrite Rmult_1_r. apply Rmax_l.
    + apply ub_scale; [apply Rmax_l|apply lap_total]. }
destruct (Rle_dec 0 s) as [s0|s0]; [apply pos; lra|].
destruct (pos (- s) ltac:(lra)) as (g & g1 & g2). exists (fun x => g (- x)). split.
- intros x. specialize (g1 (- x)). unfold difference_lap in *. replace (- x - - s) with (- (x - s)) in g1 by ring.
  now rewrite !lap_even in g1.
- intros u v uv. destruct (g2 (- v) (- u) ltac:(lra)) as (I & i & le). exists I. split; [|easy].
  replace (- v) with (0 - v) in i by ring. replace (- u) with (0 - u) in i by ring.
  apply (reflected_integral g 0 u v) in i. apply is_RInt_ext with (2 := i). intros x _. f_equal. ring.
Qed.
