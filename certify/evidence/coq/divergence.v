(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Rényi divergences of compositions of pairs on finitely many outcomes, at some orders or at all. *)

(** * What is stated *)

(** P has no mass where Q has none. *)
Definition absolutely_continuous (a : pair) : Prop := Forall (fun x => fst x = 0 \/ 0 < snd x) a.

(** Σ p^α·q^(1−α) over the outcomes that P has; D_α is its logarithm over α − 1. *)
Definition power_term (alpha p q : R) : R := if Req_EM_T p 0 then 0 else Rpower p alpha * Rpower q (1 - alpha).
Definition power_sum (alpha : R) (a : pair) : R := total (power_term alpha) a.
Definition divergence (alpha : R) (a : pair) : R := ln (power_sum alpha a) / (alpha - 1).

(** D_α is ∞ where P has a mass that Q does not have. *)
Definition divergence_at_most (alpha : R) (a : pair) (v : R) : Prop := absolutely_continuous a /\ divergence alpha a <= v.
Definition divergence_above (alpha : R) (a : pair) (v : R) : Prop := absolutely_continuous a -> v < divergence alpha a.

(** ρ-zCDP: D_α ≤ ρ·α for all α > 1. *)
Definition concentrated (rho : R) (a : pair) : Prop := forall alpha, 1 < alpha -> divergence_at_most alpha a (rho * alpha).

(** * Sums of powers over compositions *)

Definition good_atom (x : R * R) := fst x = 0 \/ 0 < fst x /\ 0 < snd x.
Definition good (a : pair) := Forall good_atom a.

Lemma good_continuous a : good a -> absolutely_continuous a.
Proof. intros h. eapply Forall_impl; [|exact h]. intros x [e|[_ e]]; [now left|now right]. Qed.

Lemma power_term_exp alpha p q : 0 < p -> power_term alpha p q = exp (alpha * ln p + (1 - alpha) * ln q).
Proof. intros h. unfold power_term. destruct Req_EM_T; [lra|]. unfold Rpower. symmetry. apply exp_plus. Qed.

Lemma power_term_0 alpha q : power_term alpha 0 q = 0.
Proof. unfold power_term. destruct Req_EM_T; [reflexivity|lra]. Qed.

Lemma power_term_ge0 alpha p q : 0 <= power_term alpha p q.
Proof. unfold power_term. destruct Req_EM_T; [lra|]. unfold Rpower. apply Rmult_le_pos; left; apply exp_pos. Qed.

Lemma power_term_times alpha x y : good_atom x -> good_atom y ->
  power_term alpha (fst x * fst y) (snd x * snd y) = power_term alpha (fst x) (snd x) * power_term alpha (fst y) (snd y).
Proof.
intros [-> |[p1 q1]]; [intros _; rewrite Rmult_0_l, !power_term_0; ring|].
intros [-> |[p2 q2]]; [rewrite Rmult_0_r, !power_term_0; ring|].
rewrite !power_term_exp by (try apply Rmult_lt_0_compat; assumption).
rewrite <- exp_plus, !ln_mult by assumption. f_equal; ring.
Qed.

Lemma good_times a b : good a -> good b -> good (times a b).
Proof.
unfold good. rewrite !Forall_forall. intros ha hb z hz.
apply in_flat_map in hz. destruct hz as [x [hx hz]]. apply in_map_iff in hz. destruct hz as [y [<- hy]].
destruct (ha x hx) as [h1|[h1 h2]]; [left; simpl; rewrite h1; ring|].
destruct (hb y hy) as [h3|[h3 h4]]; [left; simpl; rewrite h3; ring|].
right; split; now apply Rmult_lt_0_compat.
Qed.

Lemma good_unit : good [(1, 1)].
Proof. constructor; [right; simpl; lra|constructor]. Qed.

Lemma good_power a n : good a -> good (power a n).
Proof. intros h; induction n as [|n IH]; [exact good_unit|now apply good_times]. Qed.

Lemma good_compose xs : Forall (fun x => good (fst x)) xs -> good (compose xs).
Proof.
intros h; induction h as [|x xs hx h IH]; [exact good_unit|].
apply good_times; [now apply good_power|exact IH].
Qed.

Lemma total_on (P : R * R -> Prop) f g a : Forall P a -> (forall x, P x -> f (fst x) (snd x) = g (fst x) (snd x)) -> total f a = total g a.
Proof. intros h e; induction h as [|x a hx h IH]; [reflexivity|]. simpl. now rewrite IH, (e x hx). Qed.

Lemma total_monotone (P : R * R -> Prop) f g a : Forall P a -> (forall x, P x -> f (fst x) (snd x) <= g (fst x) (snd x)) -> total f a <= total g a.
Proof. intros h e; induction h as [|x a hx h IH]; [simpl; lra|]. simpl. specialize (e x hx). lra. Qed.

Lemma power_sum_times alpha a b : good a -> good b -> power_sum alpha (times a b) = power_sum alpha a * power_sum alpha b.
Proof.
intros ha hb. unfold power_sum. rewrite total_times, Rmult_comm, <- total_scale.
apply (total_on _ _ _ _ ha). intros x hx. rewrite Rmult_comm, <- total_scale.
apply (total_on _ _ _ _ hb). intros y hy. now apply power_term_times.
Qed.

Lemma power_sum_unit alpha : power_sum alpha [(1, 1)] = 1.
Proof. unfold power_sum; simpl. rewrite power_term_exp by lra. rewrite ln_1. replace (alpha * 0 + (1 - alpha) * 0) with 0 by ring. rewrite exp_0. ring. Qed.

Lemma power_sum_power alpha a n : good a -> power_sum alpha (power a n) = power_sum alpha a ^ n.
Proof.
intros h; induction n as [|n IH]; [apply power_sum_unit|].
simpl power. rewrite power_sum_times, IH by (try apply good_power; assumption). reflexivity.
Qed.

Definition alive (a : pair) := Exists (fun x => 0 < fst x) a.

Lemma power_sum_pos alpha a : alive a -> 0 < power_sum alpha a.
Proof.
intros h. unfold power_sum. induction h as [x a h|x a h IH]; simpl.
- assert (0 < power_term alpha (fst x) (snd x)) by (rewrite power_term_exp by exact h; apply exp_pos).
  assert (0 <= total (power_term alpha) a); [|lra]. clear.
  induction a as [|x a IH]; simpl; [lra|]. pose proof (power_term_ge0 alpha (fst x) (snd x)). lra.
- pose proof (power_term_ge0 alpha (fst x) (snd x)). lra.
Qed.

Lemma log_power x n : 0 < x -> ln (x ^ n) = INR n * ln x.
Proof.
intros h. induction n as [|n IH]; [simpl; rewrite ln_1; ring|].
simpl pow. rewrite ln_mult, IH, S_INR by (try apply pow_lt; exact h). ring.
Qed.

(** The logarithm of the sum adds up. *)
Definition log_sum (alpha : R) (xs : list (pair * nat)) : R :=
  fold_right (fun x s => INR (snd x) * ln (power_sum alpha (fst x)) + s) 0 xs.

Definition fine (x : pair * nat) := good (fst x) /\ alive (fst x).

Lemma fine_good xs : Forall fine xs -> good (compose xs).
Proof. intros h. apply good_compose. eapply Forall_impl; [|exact h]. now intros x []. Qed.

Lemma log_sum_is alpha xs : Forall fine xs -> 0 < power_sum alpha (compose xs) /\ ln (power_sum alpha (compose xs)) = log_sum alpha xs.
Proof.
intros h; induction h as [|x xs [hg ha] h [IH1 IH2]].
- change (compose []) with [(1, 1)]. rewrite power_sum_unit, ln_1. simpl. lra.
- change (compose (x :: xs)) with (times (power (fst x) (snd x)) (compose xs)).
  assert (0 < power_sum alpha (fst x) ^ snd x) by now apply pow_lt, power_sum_pos.
  rewrite power_sum_times, power_sum_power by (try apply good_power; try apply fine_good; assumption).
  split; [now apply Rmult_lt_0_compat|].
  rewrite ln_mult, log_power, IH2 by (try assumption; now apply power_sum_pos). reflexivity.
Qed.

Lemma divergence_is alpha xs v : 1 < alpha -> Forall fine xs ->
  divergence alpha (compose xs) = log_sum alpha xs / (alpha - 1) /\
  (divergence alpha (compose xs) <= v <-> log_sum alpha xs <= (alpha - 1) * v).
Proof.
intros h hf. unfold divergence. rewrite (proj2 (log_sum_is alpha xs hf)). split; [reflexivity|].
set (s := log_sum alpha xs). split; intros le.
- replace s with ((alpha - 1) * (s / (alpha - 1))) by (field; lra). apply Rmult_le_compat_l; lra.
- apply (Rmult_le_reg_l (alpha - 1)); [lra|]. replace ((alpha - 1) * (s / (alpha - 1))) with s by (field; lra). exact le.
Qed.

(** * All orders *)

(** A mean of exponentials is at least the exponential of the mean: each is above its tangent. *)
Lemma exp_convex t x y : 0 <= t <= 1 -> exp (t * x + (1 - t) * y) <= t * exp x + (1 - t) * exp y.
Proof.
intros ht. set (z := t * x + (1 - t) * y).
assert (tangent : forall w, exp z * (1 + (w - z)) <= exp w).
{ intros w. replace (exp w) with (exp z * exp (w - z)) by (rewrite <- exp_plus; f_equal; ring).
  apply Rmult_le_compat_l; [left; apply exp_pos|]. apply exp_ineq1_le. }
pose proof (tangent x) as h1. pose proof (tangent y) as h2.
apply (Rmult_le_compat_l t) in h1; [|lra]. apply (Rmult_le_compat_l (1 - t)) in h2; [|lra].
replace (exp z) with (t * (exp z * (1 + (x - z))) + (1 - t) * (exp z * (1 + (y - z)))) by (unfold z; ring). lra.
Qed.

(** So log Σ p^α·q^(1−α) is convex in α: Hölder's inequality. *)
Lemma power_sum_convex a alpha beta t : good a -> alive a -> 0 <= t <= 1 ->
  ln (power_sum (t * alpha + (1 - t) * beta) a) <= t * ln (power_sum alpha a) + (1 - t) * ln (power_sum beta a).
Proof.
intros hg ha ht. set (gamma := t * alpha + (1 - t) * beta).
pose proof (power_sum_pos alpha a ha) as h1. pose proof (power_sum_pos beta a ha) as h2. pose proof (power_sum_pos gamma a ha) as h3.
set (E := t * ln (power_sum alpha a) + (1 - t) * ln (power_sum beta a)).
assert (le : power_sum gamma a <= exp E).
{ apply Rle_trans with (total (fun p q => exp E * (t / power_sum alpha a * power_term alpha p q + (1 - t) / power_sum beta a * power_term beta p q)) a).
  - apply (total_monotone _ _ _ _ hg). intros x [h0|[hp hq]].
    { rewrite h0, !power_term_0, !Rmult_0_r, Rplus_0_r. lra. }
    rewrite !power_term_exp by exact hp. set (u := ln (fst x)). set (v := ln (snd x)).
    pose proof (exp_convex t (alpha * u + (1 - alpha) * v - ln (power_sum alpha a)) (beta * u + (1 - beta) * v - ln (power_sum beta a)) ht) as c.
    assert (quotient : forall w m, 0 < m -> exp (w - ln m) = exp w / m).
    { intros w m hm. unfold Rminus. rewrite exp_plus, exp_Ropp, exp_ln by exact hm. reflexivity. }
    rewrite !quotient in c by assumption.
    replace (exp (gamma * u + (1 - gamma) * v)) with
      (exp E * exp (t * (alpha * u + (1 - alpha) * v - ln (power_sum alpha a)) + (1 - t) * (beta * u + (1 - beta) * v - ln (power_sum beta a)))).
    2: { rewrite <- exp_plus. f_equal. unfold E, gamma. ring. }
    apply Rmult_le_compat_l; [left; apply exp_pos|]. unfold Rdiv in *. lra.
  - rewrite total_scale, total_plus, !total_scale. fold (power_sum alpha a) (power_sum beta a). right. field. lra. }
rewrite <- (ln_exp E). destruct le as [le | ->]; [left; now apply ln_increasing|right; reflexivity].
Qed.

Lemma log_sum_convex xs alpha beta t : Forall fine xs -> 0 <= t <= 1 ->
  log_sum (t * alpha + (1 - t) * beta) xs <= t * log_sum alpha xs + (1 - t) * log_sum beta xs.
Proof.
intros h ht; induction h as [|x xs [hg ha] h IH]; simpl; [lra|].
pose proof (power_sum_convex _ alpha beta t hg ha ht) as c.
apply (Rmult_le_compat_l (INR (snd x))) in c; [|apply pos_INR]. lra.
Qed.

(** Where it is below the tangent of ρ·α·(α − 1) at m for two orders, so it is in between, and the tangent is below the parabola. *)
Lemma between_orders xs rho m alpha beta gamma : Forall fine xs -> 0 <= rho -> alpha < beta -> alpha <= gamma <= beta ->
  log_sum alpha xs <= rho * ((2 * m - 1) * alpha - m * m) -> log_sum beta xs <= rho * ((2 * m - 1) * beta - m * m) ->
  log_sum gamma xs <= (gamma - 1) * (rho * gamma).
Proof.
intros hf r0 ab [ag gb] h1 h2. set (t := (beta - gamma) / (beta - alpha)).
assert (t0 : 0 <= t) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
assert (t1 : t <= 1) by (apply (Rmult_le_reg_r (beta - alpha)); [lra|]; unfold t; replace ((beta - gamma) / (beta - alpha) * (beta - alpha)) with (beta - gamma) by (field; lra); lra).
assert (g : gamma = t * alpha + (1 - t) * beta) by (unfold t; field; lra).
pose proof (log_sum_convex xs alpha beta t hf (conj t0 t1)) as c. rewrite <- g in c.
apply (Rmult_le_compat_l t) in h1; [|lra]. apply (Rmult_le_compat_l (1 - t)) in h2; [|lra].
apply Rle_trans with (1 := c). apply Rle_trans with (rho * ((2 * m - 1) * gamma - m * m)).
- rewrite g at 1. lra.
- assert (0 <= rho * ((gamma - m) * (gamma - m))); [|lra]. apply Rmult_le_pos; [exact r0|apply Rle_0_sqr].
Qed.

(** Masses of P that are 1 together. *)
Definition unit_mass (a : pair) := total (fun p _ => p) a = 1.

Lemma power_sum_1 a : good a -> unit_mass a -> power_sum 1 a = 1.
Proof.
intros hg h. transitivity (total (fun p _ => p) a); [|exact h]. apply (total_on _ _ _ _ hg). intros x [h0|[hp _]]; [now rewrite h0, power_term_0|].
rewrite power_term_exp, Rminus_diag_eq, Rmult_0_l, Rplus_0_r, Rmult_1_l by (reflexivity || exact hp). now apply exp_ln.
Qed.

Lemma log_sum_1 xs : Forall fine xs -> Forall (fun x => unit_mass (fst x)) xs -> log_sum 1 xs = 0.
Proof.
intros h; induction h as [|x xs [hg _] h IH]; intros hu; [reflexivity|].
inversion hu; subst. simpl. rewrite power_sum_1, ln_1, IH by assumption. ring.
Qed.

(** Losses of at most l bound it by (α − 1)·l. *)
Lemma power_sum_bounded a l alpha : good a -> alive a -> unit_mass a -> 1 <= alpha ->
  Forall (fun x => fst x = 0 \/ ln (fst x) - ln (snd x) <= l) a -> ln (power_sum alpha a) <= (alpha - 1) * l.
Proof.
intros hg ha hu h hl. pose proof (power_sum_pos alpha a ha) as h0.
assert (le : power_sum alpha a <= exp ((alpha - 1) * l)).
{ apply Rle_trans with (total (fun p q => exp ((alpha - 1) * l) * p) a).
  - assert (both : Forall (fun x => good_atom x /\ (fst x = 0 \/ ln (fst x) - ln (snd x) <= l)) a).
    { unfold good in hg. rewrite Forall_forall in *. intros x hx. split; [now apply hg|now apply hl]. }
    apply (total_monotone _ _ _ _ both). intros x [[e|[hp hq]] b]; [rewrite e, power_term_0; lra|].
    destruct b as [e|b]; [lra|].
    rewrite power_term_exp by exact hp.
    replace (alpha * ln (fst x) + (1 - alpha) * ln (snd x)) with ((alpha - 1) * (ln (fst x) - ln (snd x)) + ln (fst x)) by ring.
    rewrite exp_plus, exp_ln by exact hp. apply Rmult_le_compat_r; [lra|].
    assert (m : (alpha - 1) * (ln (fst x) - ln (snd x)) <= (alpha - 1) * l) by (apply Rmult_le_compat_l; lra).
    destruct m as [m | ->]; [left; now apply exp_increasing|right; reflexivity].
  - rewrite total_scale, hu. lra. }
rewrite <- (ln_exp ((alpha - 1) * l)). destruct le as [le | ->]; [left; now apply ln_increasing|right; reflexivity].
Qed.

(** * What is computed *)

Section Orders.
Variable digits : BinNums.positive.
Let prec := prec digits.

Arguments I.add : simpl never.
Arguments I.sub : simpl never.
Arguments I.mul : simpl never.
Arguments I.fromZ : simpl never.

Lemma has_ln i x : has i x -> has (I.ln prec i) (ln x).
Proof.
intros hx. generalize (I.ln_correct prec i (Xreal x) hx). unfold has.
simpl; unfold Xln'; case is_positive; [trivial|].
case (I.convert (I.ln prec i)); simpl; tauto.
Qed.

Definition le (i j : I.type) : bool := match I.sign_large (I.sub prec i j) with Xlt | Xeq => true | _ => false end.
Definition lt (i j : I.type) : bool := match I.sign_strict (I.sub prec i j) with Xlt => true | _ => false end.

Lemma le_correct i j x y : le i j = true -> has i x -> has j y -> x <= y.
Proof.
unfold le. intros s hi hj. generalize (I.sign_large_correct (I.sub prec i j)). pose proof (has_sub digits _ _ _ _ hi hj) as h.
revert s. case (I.sign_large _); intros s; try discriminate; intros e.
- generalize (e _ h). intros e'. injection e'. lra.
- generalize (proj2 (e _ h)); simpl; lra.
Qed.

Lemma lt_correct i j x y : lt i j = true -> has i x -> has j y -> x < y.
Proof.
unfold lt. intros s hi hj. generalize (I.sign_strict_correct (I.sub prec i j)). pose proof (has_sub digits _ _ _ _ hi hj) as h.
revert s. case (I.sign_strict _); intros s; try discriminate; intros e.
generalize (proj2 (e _ h)); simpl; lra.
Qed.

Definition positive_mass (m : mass) := lt (zero digits) (enclosure digits m).
Lemma positive_mass_correct m : positive_mass m = true -> 0 < val m.
Proof. intros h. apply (lt_correct _ _ _ _ h); [apply has_Z|apply has_mass]. Qed.

(** The outcomes that P has. *)
Definition living (l : list (mass * mass)) := filter (fun x => negb (is_zero_mass (fst x))) l.

Definition is_fine (x : part) :=
  forallb (fun y => positive_mass (fst y) && positive_mass (snd y)) (living (fst x)) && negb (Nat.eqb (length (living (fst x))) 0).

Lemma is_fine_correct x : is_fine x = true -> fine (real x).
Proof.
unfold is_fine, fine. rewrite andb_true_iff, forallb_forall, negb_true_iff. intros [h n]. split.
- unfold good. simpl. unfold pair_of. rewrite Forall_map, Forall_forall. intros y hy. unfold good_atom. simpl.
  destruct (is_zero_mass (fst y)) eqn:z; [left; now apply zero_mass|right].
  specialize (h y). rewrite andb_true_iff in h. destruct h as [h1 h2].
  { apply filter_In. split; [exact hy|now rewrite z]. }
  split; now apply positive_mass_correct.
- unfold alive. simpl. destruct (living (fst x)) as [|y l] eqn:e; [discriminate|].
  assert (hy : In y (living (fst x))) by (rewrite e; now left).
  apply Exists_exists. exists (val (fst y), val (snd y)). split.
  + unfold pair_of. apply in_map_iff. exists y. split; [reflexivity|]. now apply filter_In in hy.
  + simpl. apply positive_mass_correct. specialize (h y (or_introl eq_refl)). rewrite andb_true_iff in h. apply h.
Qed.

Lemma all_fine_correct parts : forallb is_fine parts = true -> Forall fine (reals parts).
Proof.
rewrite forallb_forall. intros h. unfold reals. rewrite Forall_map, Forall_forall. intros x hx. now apply is_fine_correct, h.
Qed.

(** Masses and losses of the outcomes that P has. *)
Definition losses (l : list (mass * mass)) : list (I.type * I.type) :=
  map (fun x => (enclosure digits (fst x), I.sub prec (I.ln prec (enclosure digits (fst x))) (I.ln prec (enclosure digits (snd x))))) (living l).

(** Σ p·e^((α−1)·loss). *)
Definition sum_at (s : I.type) (l : list (I.type * I.type)) : I.type :=
  fold_right (fun x t => I.add prec (I.mul prec (fst x) (I.exp prec (I.mul prec s (snd x)))) t) (zero digits) l.

Lemma has_loss x : has (I.sub prec (I.ln prec (enclosure digits (fst x))) (I.ln prec (enclosure digits (snd x)))) (ln (val (fst x)) - ln (val (snd x))).
Proof. apply has_sub; apply has_ln, has_mass. Qed.

Lemma has_sum_at alpha s l : good (pair_of l) -> has s (alpha - 1) -> has (sum_at s (losses l)) (power_sum alpha (pair_of l)).
Proof.
intros hg hs. unfold losses, power_sum. induction l as [|x l IH]; [apply has_Z|].
inversion hg as [|y b hy hb]; subst. specialize (IH hb). simpl living. simpl total.
destruct (is_zero_mass (fst x)) eqn:z; simpl.
{ rewrite (zero_mass _ z), power_term_0, Rplus_0_l. exact IH. }
apply has_add; [|exact IH]. destruct hy as [h0|[hp hq]]; simpl in *.
- rewrite h0, power_term_0. replace 0 with (val (fst x) * exp ((alpha - 1) * (ln (val (fst x)) - ln (val (snd x))))) by (rewrite h0; ring).
  apply has_mul; [apply has_mass|]. apply has_exp, has_mul; [exact hs|apply has_loss].
- rewrite power_term_exp by exact hp.
  replace (alpha * ln (val (fst x)) + (1 - alpha) * ln (val (snd x))) with (ln (val (fst x)) + (alpha - 1) * (ln (val (fst x)) - ln (val (snd x)))) by ring.
  rewrite exp_plus, exp_ln by exact hp.
  apply has_mul; [apply has_mass|]. apply has_exp, has_mul; [exact hs|apply has_loss].
Qed.

Definition log_at (s : I.type) (ls : list (list (I.type * I.type) * nat)) : I.type :=
  fold_right (fun x t => I.add prec (I.mul prec (I.fromZ prec (Z.of_nat (snd x))) (I.ln prec (sum_at s (fst x)))) t) (zero digits) ls.
Definition all_losses (parts : list part) := map (fun x : part => (losses (fst x), snd x)) parts.

Lemma has_log_at alpha s parts : Forall fine (reals parts) -> has s (alpha - 1) -> has (log_at s (all_losses parts)) (log_sum alpha (reals parts)).
Proof.
intros hf hs. induction parts as [|x parts IH]; [apply has_Z|]. simpl in hf |- *.
inversion hf as [|y b [hg _] hb]; subst. apply has_add; [|now apply IH].
apply has_mul; [rewrite INR_IZR_INZ; apply has_Z|]. now apply has_ln, has_sum_at.
Qed.

(** One order. *)
Definition order_at (alpha : mass) : I.type := I.sub prec (enclosure digits alpha) (one digits).
Lemma has_order alpha : has (order_at alpha) (val alpha - 1).
Proof. apply has_sub; [apply has_mass|apply has_Z]. Qed.

Definition claimed_at (alpha v : mass) := I.mul prec (order_at alpha) (enclosure digits v).

Definition is_divergence_at_most alpha parts v :=
  lt (one digits) (enclosure digits alpha) && forallb is_fine parts && le (log_at (order_at alpha) (all_losses parts)) (claimed_at alpha v).
Definition is_divergence_above alpha parts v :=
  lt (one digits) (enclosure digits alpha) && forallb is_fine parts && lt (claimed_at alpha v) (log_at (order_at alpha) (all_losses parts)).

Theorem renyi_at_most alpha parts v : is_divergence_at_most alpha parts v = true -> divergence_at_most (val alpha) (compose (reals parts)) (val v).
Proof.
unfold is_divergence_at_most. rewrite !andb_true_iff. intros [[h1 h2] h3]. apply all_fine_correct in h2.
assert (1 < val alpha) by (apply (lt_correct _ _ _ _ h1); [apply has_Z|apply has_mass]).
split; [now apply good_continuous, fine_good|]. apply (divergence_is (val alpha) (reals parts) (val v)); try assumption.
apply (le_correct _ _ _ _ h3); [apply has_log_at; [exact h2|apply has_order]|]. apply has_mul; [apply has_order|apply has_mass].
Qed.

Theorem renyi_above alpha parts v : is_divergence_above alpha parts v = true -> divergence_above (val alpha) (compose (reals parts)) (val v).
Proof.
unfold is_divergence_above. rewrite !andb_true_iff. intros [[h1 h2] h3] _. apply all_fine_correct in h2.
assert (1 < val alpha) by (apply (lt_correct _ _ _ _ h1); [apply has_Z|apply has_mass]).
apply Rnot_le_lt. intros h. apply (divergence_is (val alpha) (reals parts) (val v)) in h; try assumption. revert h.
apply Rlt_not_le. apply (lt_correct _ _ _ _ h3); [|apply has_log_at; [exact h2|apply has_order]]. apply has_mul; [apply has_order|apply has_mass].
Qed.

(** Every order: tangents at m, up to orders β, and from the last on the greatest losses. *)
Definition tangent_at (rho m b : I.type) : I.type :=
  I.mul prec rho (I.sub prec (I.mul prec (I.sub prec (I.add prec m m) (one digits)) b) (I.mul prec m m)).

Lemma has_tangent rho m b r x y : has rho r -> has m x -> has b y -> has (tangent_at rho m b) (r * ((2 * x - 1) * y - x * x)).
Proof.
intros hr hm hb. replace (2 * x - 1) with (x + x - 1) by ring.
apply has_mul; [exact hr|]. apply has_sub; [|now apply has_mul]. apply has_mul; [|exact hb].
apply has_sub; [now apply has_add|apply has_Z].
Qed.

Fixpoint walk (rho : I.type) (ls : list (list (I.type * I.type) * nat)) (most a k : I.type) (steps : list (mass * mass)) : bool :=
  match steps with
  | [] => le most (I.mul prec rho a)
  | (m, b) :: steps =>
      let m := enclosure digits m in let y := enclosure digits b in let k' := log_at (order_at b) ls in
      lt a y && le k (tangent_at rho m a) && le k' (tangent_at rho m y) && walk rho ls most y k' steps
  end.

Definition loss_bound (x : part) (l : mass) := forallb (fun y => le (snd y) (enclosure digits l)) (losses (fst x)).

Lemma loss_bound_correct x l : loss_bound x l = true ->
  Forall (fun x => fst x = 0 \/ ln (fst x) - ln (snd x) <= val l) (fst (real x)).
Proof.
unfold loss_bound, losses. rewrite forallb_forall. intros h. simpl. unfold pair_of. rewrite Forall_map, Forall_forall.
intros y hy. simpl. destruct (is_zero_mass (fst y)) eqn:z; [left; now apply zero_mass|right].
specialize (h (enclosure digits (fst y), I.sub prec (I.ln prec (enclosure digits (fst y))) (I.ln prec (enclosure digits (snd y))))).
apply (le_correct _ _ _ _) with (2 := has_loss y) (3 := has_mass digits l). apply h.
apply in_map_iff. exists y. split; [reflexivity|]. apply filter_In. split; [exact hy|now rewrite z].
Qed.

Definition bound_of (xls : list (part * mass)) : I.type :=
  fold_right (fun x t => I.add prec (I.mul prec (I.fromZ prec (Z.of_nat (snd (fst x)))) (enclosure digits (snd x))) t) (zero digits) xls.
Definition bound_sum (xls : list (part * mass)) : R :=
  fold_right (fun x t => INR (snd (fst x)) * val (snd x) + t) 0 xls.
Lemma has_bound xls : has (bound_of xls) (bound_sum xls).
Proof.
induction xls as [|x xls IH]; [apply has_Z|]. simpl. apply has_add; [|exact IH].
apply has_mul; [rewrite INR_IZR_INZ; apply has_Z|apply has_mass].
Qed.

Lemma log_sum_bounded (xls : list (part * mass)) alpha : 1 <= alpha -> Forall fine (reals (map fst xls)) -> Forall (fun x : part => unit_mass (pair_of (fst x))) (map fst xls) ->
  forallb (fun x => loss_bound (fst x) (snd x)) xls = true -> log_sum alpha (reals (map fst xls)) <= (alpha - 1) * bound_sum xls.
Proof.
intros h; induction xls as [|x xls IH]; intros hf hu hb; [simpl; lra|].
simpl in *. inversion hf as [|y b [hg ha] hf']; subst. inversion hu as [|y b hu1 hu']; subst.
apply andb_true_iff in hb. destruct hb as [hb1 hb']. specialize (IH hf' hu' hb').
pose proof (power_sum_bounded _ (val (snd x)) alpha hg ha hu1 h (loss_bound_correct _ _ hb1)) as p. simpl in p.
apply (Rmult_le_compat_l (INR (snd (fst x)))) in p; [|apply pos_INR].
rewrite Rmult_plus_distr_l. apply Rplus_le_compat; [|exact IH]. rewrite <- Rmult_assoc, (Rmult_comm (alpha - 1)), Rmult_assoc. exact p.
Qed.

Lemma walk_correct rho r (xls : list (part * mass)) : Forall fine (reals (map fst xls)) -> has rho r -> 0 <= r ->
  (forall alpha, 1 <= alpha -> log_sum alpha (reals (map fst xls)) <= (alpha - 1) * bound_sum xls) ->
  forall steps a k x, 1 <= x -> has a x -> has k (log_sum x (reals (map fst xls))) ->
  walk rho (all_losses (map fst xls)) (bound_of xls) a k steps = true ->
  forall gamma, x <= gamma -> log_sum gamma (reals (map fst xls)) <= (gamma - 1) * (r * gamma).
Proof.
intros hf hr r0 hb. induction steps as [|[m b] steps IH]; intros a k x x1 ha hk hw gamma hg; simpl in hw.
- apply Rle_trans with (1 := hb gamma ltac:(lra)). apply Rmult_le_compat_l; [lra|].
  apply Rle_trans with (r * x); [|now apply Rmult_le_compat_l].
  apply (le_correct _ _ _ _ hw); [apply has_bound|now apply has_mul].
- rewrite !andb_true_iff in hw. destruct hw as [[[h1 h2] h3] h4].
  pose proof (has_mass digits m) as hm. pose proof (has_mass digits b) as hy.
  assert (hk' : has (log_at (order_at b) (all_losses (map fst xls))) (log_sum (val b) (reals (map fst xls)))) by (apply has_log_at; [exact hf|apply has_order]).
  apply (lt_correct _ _ _ _ h1 ha) in hy as xb.
  destruct (Rle_dec gamma (val b)) as [gb|gb].
  + apply (between_orders _ r (val m) x (val b) gamma hf r0 xb (conj hg gb)).
    * apply (le_correct _ _ _ _ h2 hk). now apply has_tangent.
    * apply (le_correct _ _ _ _ h3 hk'). now apply has_tangent.
  + apply (IH _ _ (val b)) with (4 := h4); [lra|exact hy|exact hk'|lra].
Qed.

Definition is_concentrated (rho : mass) (xls : list (part * mass)) (steps : list (mass * mass)) : bool :=
  forallb is_fine (map fst xls) && le (zero digits) (enclosure digits rho) && forallb (fun x => loss_bound (fst x) (snd x)) xls &&
  walk (enclosure digits rho) (all_losses (map fst xls)) (bound_of xls) (one digits) (zero digits) steps.

Theorem zcdp rho (xls : list (part * mass)) steps : Forall (fun x : part => unit_mass (pair_of (fst x))) (map fst xls) -> is_concentrated rho xls steps = true ->
  concentrated (val rho) (compose (reals (map fst xls))).
Proof.
intros hu. unfold is_concentrated. rewrite !andb_true_iff. intros [[[h1 h2] h3] h4] alpha ha. apply all_fine_correct in h1.
split; [now apply good_continuous, fine_good|]. apply (divergence_is alpha (reals (map fst xls)) (val rho * alpha) ha h1).
assert (h0 : log_sum 1 (reals (map fst xls)) = 0).
{ apply log_sum_1; [exact h1|]. unfold reals. rewrite Forall_map. exact hu. }
refine (walk_correct (enclosure digits rho) (val rho) xls h1 (has_mass digits rho) _ _ steps _ _ 1 _ (has_Z digits 1) _ h4 alpha _); try lra.
- apply (le_correct _ _ _ _ h2); [apply has_Z|apply has_mass].
- intros gamma hg. now apply log_sum_bounded.
- rewrite h0. apply has_Z.
Qed.

Theorem not_zcdp rho alpha parts :
  lt (one digits) (enclosure digits alpha) && is_divergence_above alpha parts (Times rho alpha) = true ->
  ~ concentrated (val rho) (compose (reals parts)).
Proof.
rewrite andb_true_iff. intros [h1 h2] h. apply (lt_correct _ _ 1 (val alpha)) in h1; [|apply has_Z|apply has_mass].
destruct (h (val alpha) h1) as [c le']. apply (renyi_above _ _ _ h2) in c. simpl in c. lra.
Qed.

(** Infinite divergences: an outcome that P has and Q has not. *)
Definition is_mass_of_P (y : mass * mass) : bool := positive_mass (fst y).
Definition is_lacking (y : mass * mass) : bool := positive_mass (fst y) && is_zero_mass (snd y).
Definition is_infinite (parts : list part) : bool :=
  forallb (fun x => existsb is_mass_of_P (fst x)) parts && existsb (fun x => existsb is_lacking (fst x) && negb (Nat.eqb (snd x) 0)) parts.

Definition some_mass (a : pair) := exists x, In x a /\ fst x <> 0.
Definition lacking (a : pair) := exists x, In x a /\ fst x <> 0 /\ snd x = 0.

Lemma in_times a b x y : In x a -> In y b -> In (fst x * fst y, snd x * snd y) (times a b).
Proof. intros hx hy. apply in_flat_map. exists x. split; [exact hx|]. apply in_map_iff. now exists y. Qed.

Lemma some_mass_times a b : some_mass a -> some_mass b -> some_mass (times a b).
Proof.
intros (x & hx & px) (y & hy & py). exists (fst x * fst y, snd x * snd y). split; [now apply in_times|].
simpl. now apply Rmult_integral_contrapositive_currified.
Qed.

Lemma lacking_times a b : lacking a /\ some_mass b \/ some_mass a /\ lacking b -> lacking (times a b).
Proof.
intros [[(x & hx & px & qx) (y & hy & py)]|[(x & hx & px) (y & hy & py & qy)]];
  exists (fst x * fst y, snd x * snd y); (split; [now apply in_times|]); simpl;
  (split; [now apply Rmult_integral_contrapositive_currified|]); rewrite ?qx, ?qy; ring.
Qed.

Lemma some_mass_unit : some_mass [(1, 1)].
Proof. exists (1, 1). split; [now left|simpl; lra]. Qed.

Lemma some_mass_power a n : some_mass a -> some_mass (power a n).
Proof. intros h; induction n as [|n IH]; [exact some_mass_unit|now apply some_mass_times]. Qed.

Lemma some_mass_compose xs : Forall (fun x => some_mass (fst x)) xs -> some_mass (compose xs).
Proof. intros h; induction h as [|x xs hx h IH]; [exact some_mass_unit|apply some_mass_times; [now apply some_mass_power|exact IH]]. Qed.

Lemma infinite_lacks parts : is_infinite parts = true -> lacking (compose (reals parts)).
Proof.
unfold is_infinite. rewrite andb_true_iff. intros [h1 h2].
assert (hs : Forall (fun x => some_mass (fst x)) (reals parts)).
{ rewrite forallb_forall in h1. unfold reals. rewrite Forall_map, Forall_forall. intros x hx. specialize (h1 x hx).
  apply existsb_exists in h1. destruct h1 as [y [hy h]]. exists (val (fst y), val (snd y)). split.
  - simpl. unfold pair_of. apply in_map_iff. now exists y.
  - simpl. apply positive_mass_correct in h. lra. }
clear h1. induction parts as [|x parts IH]; [discriminate|]. simpl in h2, hs. inversion hs as [|z b hz hb]; subst.
apply orb_true_iff in h2. apply lacking_times. destruct h2 as [h2|h2].
- left. split; [|now apply some_mass_compose]. apply andb_true_iff in h2. destruct h2 as [h2 h3].
  apply existsb_exists in h2. destruct h2 as [y [hy h]]. apply andb_true_iff in h. destruct h as [hp hq].
  simpl. destruct (snd x) as [|n]; [discriminate|]. simpl power. apply lacking_times. left. split; [|now apply some_mass_power].
  exists (val (fst y), val (snd y)). split; [unfold pair_of; apply in_map_iff; now exists y|]. simpl.
  apply positive_mass_correct in hp. apply zero_mass in hq. split; [lra|exact hq].
- right. split; [now apply some_mass_power|now apply IH].
Qed.

Lemma lacking_above alpha a v : lacking a -> divergence_above alpha a v.
Proof.
intros (x & hx & px & qx) h. exfalso. unfold absolutely_continuous in h. rewrite Forall_forall in h.
destruct (h x hx) as [e|e]; [now apply px|lra].
Qed.

Theorem renyi_infinite alpha parts v : is_infinite parts = true -> divergence_above alpha (compose (reals parts)) v.
Proof. intros h. now apply lacking_above, infinite_lacks. Qed.

Theorem zcdp_infinite rho parts : is_infinite parts = true -> ~ concentrated rho (compose (reals parts)).
Proof.
intros h c. destruct (c 2 ltac:(lra)) as [ac le']. apply infinite_lacks in h.
apply (lacking_above 2 _ (rho * 2) h) in ac. lra.
Qed.
End Orders.


(** Masses of P that are 1 together, as equations between real numbers. *)
Ltac unit_masses :=
  cbv [map fst]; repeat apply Forall_cons; try apply Forall_nil; unfold unit_mass; reals_of; masses.
