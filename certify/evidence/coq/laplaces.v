(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Compositions of copies of Laplace noise, in closed form. *)

From Coq Require Import Reals List ZArith Lra Lia Bool.
From Coquelicot Require Import Coquelicot.
From Bignums Require Import BigZ.
From Interval Require Import Tactic.
Import ListNotations.
Local Close Scope bigN_scope.
Local Close Scope bigZ_scope.
Local Open Scope R_scope.

(** * What is stated *)

(** The integral of max(0, a·p(x_1)⋯p(x_k) − b·q(x_1)⋯q(x_k)) over all x_1, …, x_k. With a = 1 and b = e^ε it is δ(ε) of k
    copies: the greatest P(S) − e^ε·Q(S) over all sets S. RInt_gen is an improper integral if there is one, which
    [integrals] says for the densities below. *)
Fixpoint delta (p q : R -> R) (k : nat) (a b : R) : R :=
  match k with
  | O => Rmax 0 (a - b)
  | S k => RInt_gen (fun x => delta p q k (a * p x) (b * q x)) (Rbar_locally m_infty) (Rbar_locally p_infty)
  end.

(** The density of Laplace noise of scale 1. *)
Definition lap (x : R) : R := exp (- Rabs x) / 2.

(** * Sums of e^u, e^−u and u^n/n! *)

(** (c, d, [f_0; f_1; …]) is c·e^u + d·e^−u + Σ f_n·u^n/n!. *)
Definition series : Type := Z * Z * list Z.

Fixpoint tail (n : nat) (f : list Z) (u : R) : R :=
  match f with
  | [] => 0
  | x :: f => IZR x * (u ^ n / INR (fact n)) + tail (S n) f u
  end.

Definition val (x : series) (u : R) : R :=
  let '(c, d, f) := x in IZR c * exp u + IZR d * exp (- u) + tail 0 f u.

Fixpoint plus (f g : list Z) : list Z :=
  match f, g with
  | [], _ => g
  | _, [] => f
  | x :: f, y :: g => (x + y)%Z :: plus f g
  end.

Definition joined (x y : series) : series :=
  let '(c, d, f) := x in let '(c', d', f') := y in ((c + c')%Z, (d + d')%Z, plus f f').
Definition opp (x : series) : series := let '(c, d, f) := x in ((- c)%Z, (- d)%Z, map Z.opp f).

(** The integral from 0. *)
Definition prim (x : series) : series := let '(c, d, f) := x in (c, (- d)%Z, (d - c)%Z :: f).

Definition up (x : series) : series := joined x (prim x).
Definition down (x : series) : series := joined x (opp (prim x)).

Lemma tail_plus f g n u : tail n (plus f g) u = tail n f u + tail n g u.
Proof.
revert g n; induction f as [|x f IH]; intros [|y g] n; simpl; try ring.
rewrite IH, plus_IZR; ring.
Qed.

Lemma tail_opp f n u : tail n (map Z.opp f) u = - tail n f u.
Proof. revert n; induction f as [|x f IH]; intros n; simpl; [ring|rewrite IH, opp_IZR; ring]. Qed.

Lemma val_add x y u : val (joined x y) u = val x u + val y u.
Proof. destruct x as [[c d] f], y as [[c' d'] f']. simpl. rewrite tail_plus, !plus_IZR. ring. Qed.

Lemma val_opp x u : val (opp x) u = - val x u.
Proof. destruct x as [[c d] f]. simpl. rewrite tail_opp, !opp_IZR. ring. Qed.

Lemma tail_0 n f : tail (S n) f 0 = 0.
Proof.
revert n; induction f as [|x f IH]; intros n; simpl; [reflexivity|]. rewrite IH. unfold Rdiv. ring.
Qed.

Lemma prim_0 x : val (prim x) 0 = 0.
Proof.
destruct x as [[c d] f]. simpl. rewrite tail_0, opp_IZR, minus_IZR, Ropp_0, exp_0. field.
Qed.

Lemma tail_derive n f u : is_derive (tail (S n) f) u (tail n f u).
Proof.
revert n; induction f as [|x f IH]; intros n.
- apply (is_derive_const (V := R_NormedModule)).
- apply (is_derive_plus (V := R_NormedModule) (fun u => IZR x * (u ^ S n / INR (fact (S n)))) (tail (S (S n)) f)); [|apply IH].
  assert (h : INR (fact n) <> 0) by apply INR_fact_neq_0.
  assert (h' : INR (fact (S n)) = INR (S n) * INR (fact n)) by (rewrite fact_simpl, mult_INR; reflexivity).
  assert (h'' : INR (S n) <> 0) by (apply not_0_INR; lia).
  rewrite h'. auto_derive; [trivial|]. simpl pred. change (match n with O => 1 | S _ => INR n + 1 end) with (INR (S n)).
  field. split; assumption.
Qed.

Lemma prim_derive x u : is_derive (val (prim x)) u (val x u).
Proof.
destruct x as [[c d] f]. unfold val, prim.
apply (is_derive_plus (V := R_NormedModule) (fun u => IZR c * exp u + IZR (- d) * exp (- u)) (tail 0 ((d - c)%Z :: f))).
- rewrite opp_IZR. auto_derive; [trivial|ring].
- apply (is_derive_ext (fun u => IZR (d - c) + tail 1 f u)); [intros; simpl; field|].
  replace (tail 0 f u) with (0 + tail 0 f u) by ring.
  apply (is_derive_plus (V := R_NormedModule) (fun _ => IZR (d - c)) (tail 1 f)); [apply (is_derive_const (V := R_NormedModule))|apply tail_derive].
Qed.

Lemma tail_ex_derive n f u : ex_derive (tail n f) u.
Proof.
revert n; induction f as [|x f IH]; intros n; [apply ex_derive_const|].
apply (ex_derive_plus (V := R_NormedModule) (fun u => IZR x * (u ^ n / INR (fact n))) (tail (S n) f)); [|apply IH].
auto_derive. trivial.
Qed.

Lemma val_continuous x u : continuous (val x) u.
Proof.
apply (ex_derive_continuous (V := R_NormedModule)). destruct x as [[c d] f]. unfold val.
apply (ex_derive_plus (V := R_NormedModule) (fun u => IZR c * exp u + IZR d * exp (- u)) (tail 0 f)); [|apply tail_ex_derive].
auto_derive. trivial.
Qed.

(** These operations are linear and commute. *)
Lemma plus_nil f : plus f [] = f.
Proof. now destruct f. Qed.

Lemma plus_comm f g : plus f g = plus g f.
Proof. revert g; induction f as [|x f IH]; intros [|y g]; simpl; try reflexivity. rewrite IH. f_equal. ring. Qed.

Lemma plus_assoc f g h : plus f (plus g h) = plus (plus f g) h.
Proof.
revert g h; induction f as [|x f IH]; intros [|y g] [|z h]; simpl; try reflexivity. rewrite IH. f_equal. ring.
Qed.

Lemma opp_plus f g : map Z.opp (plus f g) = plus (map Z.opp f) (map Z.opp g).
Proof. revert g; induction f as [|x f IH]; intros [|y g]; simpl; try reflexivity. rewrite IH. f_equal. ring. Qed.

Lemma sum_eq (c c' d d' : Z) (f f' : list Z) : c = c' -> d = d' -> f = f' -> (c, d, f) = (c', d', f').
Proof. now intros -> -> ->. Qed.

Lemma add_comm x y : joined x y = joined y x.
Proof. destruct x as [[c d] f], y as [[c' d'] f']. apply sum_eq; try ring. apply plus_comm. Qed.

Lemma add_assoc x y z : joined x (joined y z) = joined (joined x y) z.
Proof. destruct x as [[c d] f], y as [[c' d'] f'], z as [[c'' d''] f'']. apply sum_eq; try ring. apply plus_assoc. Qed.

Lemma add_swap x y z w : joined (joined x y) (joined z w) = joined (joined x z) (joined y w).
Proof. rewrite <- !add_assoc. f_equal. rewrite !add_assoc. f_equal. apply add_comm. Qed.

Lemma opp_add x y : opp (joined x y) = joined (opp x) (opp y).
Proof. destruct x as [[c d] f], y as [[c' d'] f']. apply sum_eq; try ring. apply opp_plus. Qed.

Lemma prim_add x y : prim (joined x y) = joined (prim x) (prim y).
Proof. destruct x as [[c d] f], y as [[c' d'] f']. apply sum_eq; try ring. simpl. f_equal. ring. Qed.

Lemma prim_opp x : prim (opp x) = opp (prim x).
Proof. destruct x as [[c d] f]. apply sum_eq; try ring. simpl. f_equal. ring. Qed.

Lemma up_add x y : up (joined x y) = joined (up x) (up y).
Proof. unfold up. rewrite prim_add. apply add_swap. Qed.

Lemma down_add x y : down (joined x y) = joined (down x) (down y).
Proof. unfold down. rewrite prim_add, opp_add. apply add_swap. Qed.

Lemma up_opp x : up (opp x) = opp (up x).
Proof. unfold up. now rewrite prim_opp, opp_add. Qed.

Lemma down_opp x : down (opp x) = opp (down x).
Proof. unfold down. now rewrite prim_opp, opp_add. Qed.

Lemma up_prim x : up (prim x) = prim (up x).
Proof. unfold up. now rewrite prim_add. Qed.

Lemma down_prim x : down (prim x) = prim (down x).
Proof. unfold down. now rewrite prim_add, prim_opp. Qed.

Lemma up_down x : up (down x) = down (up x).
Proof. unfold down. rewrite up_add, up_opp, up_prim. reflexivity. Qed.

Lemma up_0 x : val x 0 = 0 -> val (up x) 0 = 0.
Proof. intros h. unfold up. rewrite val_add, h, prim_0. ring. Qed.

Lemma down_0 x : val x 0 = 0 -> val (down x) 0 = 0.
Proof. intros h. unfold down. rewrite val_add, h, val_opp, prim_0. ring. Qed.

(** * Copies *)

(** A sum where w = 2u is positive, and 0 elsewhere. *)
Definition right (x : series) (w : R) : R := if Rle_dec w 0 then 0 else val x (w / 2).

Lemma right_add x y w : right (joined x y) w = right x w + right y w.
Proof. unfold right. destruct Rle_dec; [ring|apply val_add]. Qed.

Lemma right_opp x w : right (opp x) w = - right x w.
Proof. unfold right. destruct Rle_dec; [ring|apply val_opp]. Qed.

Lemma right_at x w : val x 0 = 0 -> 0 <= w -> right x w = val x (w / 2).
Proof.
intros h w0. unfold right. destruct Rle_dec as [l|l]; [|reflexivity].
assert (w = 0) as -> by lra. now replace (0 / 2) with 0 by field.
Qed.

Lemma right_left x w : w <= 0 -> right x w = 0.
Proof. intros h. unfold right. destruct Rle_dec; [reflexivity|lra]. Qed.

Lemma zero_integral a b : is_RInt (fun _ : R => 0) a b 0.
Proof.
assert (j : is_RInt (fun _ => 0) a b (scal (b - a) 0)) by apply (is_RInt_const (V := R_NormedModule)).
replace (scal (b - a) 0) with 0 in j; [exact j|]. unfold scal; simpl; unfold mult; simpl; ring.
Qed.

Lemma right_positive x a b : val x 0 = 0 -> 0 <= a -> a <= b ->
  is_RInt (right x) a b (2 * (right (prim x) b - right (prim x) a)).
Proof.
intros h a0 ab. apply (is_RInt_ext (fun w => val x (w / 2))).
{ intros w. rewrite Rmin_left by lra. intros hw. symmetry. apply right_at; [exact h|lra]. }
rewrite !(right_at (prim x)) by (try apply prim_0; lra).
replace (2 * (val (prim x) (b / 2) - val (prim x) (a / 2)))
  with (minus (2 * val (prim x) (b / 2)) (2 * val (prim x) (a / 2))) by (unfold minus; simpl; unfold Hierarchy.plus, Hierarchy.opp; simpl; ring).
apply (is_RInt_derive (V := R_CompleteNormedModule) (fun w => 2 * val (prim x) (w / 2))).
- intros w _. evar_last.
  + apply (is_derive_scal (fun w => val (prim x) (w / 2)) w 2).
    apply (is_derive_comp (V := R_NormedModule) (val (prim x)) (fun w => w / 2)); [apply prim_derive|].
    auto_derive; [trivial|reflexivity].
  + unfold scal; simpl; unfold mult; simpl. field.
- intros w _. apply (continuous_comp (fun w => w / 2) (val x)); [|apply val_continuous].
  apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. trivial.
Qed.

Lemma right_integral x a b : val x 0 = 0 -> a <= b -> is_RInt (right x) a b (2 * (right (prim x) b - right (prim x) a)).
Proof.
intros h ab. destruct (Rle_dec 0 a) as [a0|a0]; [now apply right_positive|].
destruct (Rle_dec b 0) as [b0|b0].
- rewrite !right_left by lra. replace (2 * (0 - 0)) with 0 by ring.
  apply is_RInt_ext with (2 := zero_integral a b). intros w.
  rewrite Rmax_right by lra. intros hw. symmetry. apply right_left. lra.
- rewrite (right_left (prim x) a) by lra.
  replace (2 * (right (prim x) b - 0)) with (Hierarchy.plus 0 (2 * (right (prim x) b - right (prim x) 0)))
    by (rewrite (right_left (prim x) 0) by lra; unfold Hierarchy.plus; simpl; ring).
  apply (is_RInt_Chasles (V := R_NormedModule)) with 0.
  + apply is_RInt_ext with (2 := zero_integral a 0). intros w.
    rewrite Rmax_right by lra. intros hw. symmetry. apply right_left. lra.
  + apply right_positive; [exact h|lra|lra].
Qed.

Section Copies.
Variable s : R.
Hypothesis s0 : 0 < s.

(** What k copies make of [right x]. *)
Fixpoint copies (k : nat) (x : series) (v : R) : R :=
  match k with
  | O => right x v
  | S k => copies k (up x) (v + s) + copies k (down x) (v - s)
  end.

Lemma copies_add k x y v : copies k (joined x y) v = copies k x v + copies k y v.
Proof.
revert x y v; induction k as [|k IH]; intros x y v; simpl; [apply right_add|]. rewrite up_add, down_add, !IH. ring.
Qed.

Lemma copies_opp k x v : copies k (opp x) v = - copies k x v.
Proof.
revert x v; induction k as [|k IH]; intros x v; simpl; [apply right_opp|]. rewrite up_opp, down_opp, !IH. ring.
Qed.

Lemma shifted_integral f c a b I : is_RInt f (a + c) (b + c) I -> is_RInt (fun x : R => f (x + c)) a b (I : R).
Proof.
intros i. replace (a + c) with (1 * a + c) in i by ring. replace (b + c) with (1 * b + c) in i by ring.
apply is_RInt_ext with (2 := is_RInt_comp_lin (V := R_NormedModule) f 1 c a b I i).
intros x _. unfold scal; simpl; unfold mult; simpl. now rewrite !Rmult_1_l.
Qed.

Lemma copies_integral k x a b : val x 0 = 0 -> a <= b ->
  is_RInt (copies k x) a b (2 * (copies k (prim x) b - copies k (prim x) a)).
Proof.
revert x a b; induction k as [|k IH]; intros x a b h ab; simpl; [now apply right_integral|].
rewrite up_prim, down_prim.
replace (2 * _) with (Hierarchy.plus (2 * (copies k (prim (up x)) (b + s) - copies k (prim (up x)) (a + s)))
  (2 * (copies k (prim (down x)) (b + - s) - copies k (prim (down x)) (a + - s))))
  by (unfold Hierarchy.plus; simpl; unfold Rminus; ring).
apply (is_RInt_plus (V := R_NormedModule)).
- apply shifted_integral, IH; [now apply up_0|lra].
- apply (shifted_integral (copies k (down x)) (- s)), IH; [now apply down_0|lra].
Qed.

(** One copy more: ends at ±s, and between them half of what there is. *)
Lemma one_more k x v : val x 0 = 0 ->
  exists I, is_RInt (copies k x) (v - s) (v + s) I /\ copies k x (v + s) + copies k x (v - s) + I / 2 = copies (S k) x v.
Proof.
intros h. eexists. split; [apply copies_integral; [exact h|lra]|].
simpl. unfold up, down. rewrite !copies_add, copies_opp. field.
Qed.

(** The beginning: 2·sinh(u). *)
Definition start : series := (1%Z, (-1)%Z, []).

Lemma start_0 : val start 0 = 0.
Proof. simpl. rewrite Ropp_0, exp_0. ring. Qed.

Definition value (k : nat) (al be : R) : R := (exp (- s / 2) / 2) ^ k * exp ((al + be) / 2) * copies k start (al - be).

Lemma value_start al be : Rmax 0 (exp al - exp be) = value 0 al be.
Proof.
unfold value, copies, right. simpl pow. rewrite Rmult_1_l. destruct Rle_dec as [l|l].
- rewrite Rmult_0_r. apply Rmax_left. assert (exp al <= exp be); [|lra].
  destruct (Rle_lt_or_eq_dec al be) as [h|h]; [lra| |]; [left; now apply exp_increasing|right; now rewrite h].
- unfold val, start. simpl tail. rewrite Rplus_0_r.
  replace (exp ((al + be) / 2) * (1 * exp ((al - be) / 2) + -1 * exp (- ((al - be) / 2)))) with (exp al - exp be).
  + apply Rmax_right. assert (exp be < exp al) by (apply exp_increasing; lra). lra.
  + rewrite Rmult_plus_distr_l, Rmult_1_l, <- Rmult_assoc, (Rmult_comm _ (-1)), Rmult_assoc, <- !exp_plus.
    replace ((al + be) / 2 + (al - be) / 2) with al by field. replace ((al + be) / 2 + - ((al - be) / 2)) with be by field. ring.
Qed.

(** A function on the line that falls like Laplace noise on both sides. *)
Lemma whole_line f c I d : (forall x, x <= 0 -> f x = c * exp x) -> is_RInt f 0 s I -> (forall x, s <= x -> f x = d * exp (- x)) ->
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) (c + I + d * exp (- s)).
Proof.
intros hl hm hr P [e he].
assert (half : 0 < e / 2 / (1 + Rabs c)) by (apply Rdiv_lt_0_compat; [pose proof (cond_pos e); lra|pose proof (Rabs_pos c); lra]).
assert (half' : 0 < e / 2 / (1 + Rabs d)) by (apply Rdiv_lt_0_compat; [pose proof (cond_pos e); lra|pose proof (Rabs_pos d); lra]).
exists (fun a => a < Rmin 0 (ln (e / 2 / (1 + Rabs c)))) (fun b => Rmax s (- ln (e / 2 / (1 + Rabs d))) < b).
{ now exists (Rmin 0 (ln (e / 2 / (1 + Rabs c)))). }
{ now exists (Rmax s (- ln (e / 2 / (1 + Rabs d)))). }
intros a b ha hb.
assert (a0 : a < 0) by (apply Rlt_le_trans with (1 := ha), Rmin_l).
assert (al : a < ln (e / 2 / (1 + Rabs c))) by (apply Rlt_le_trans with (1 := ha), Rmin_r).
assert (bs : s < b) by (apply Rle_lt_trans with (2 := hb), Rmax_l).
assert (bl : - b < ln (e / 2 / (1 + Rabs d))).
{ assert (- ln (e / 2 / (1 + Rabs d)) < b) by (apply Rle_lt_trans with (2 := hb), Rmax_r). lra. }
exists (c * (1 - exp a) + I + d * (exp (- s) - exp (- b))). simpl. split.
- replace (c * (1 - exp a) + I + d * (exp (- s) - exp (- b)))
    with (Hierarchy.plus (Hierarchy.plus (c * exp 0 - c * exp a) I) (- d * exp (- b) - - d * exp (- s)))
    by (rewrite exp_0; unfold Hierarchy.plus; simpl; ring).
  apply (is_RInt_Chasles (V := R_NormedModule)) with s; [apply (is_RInt_Chasles (V := R_NormedModule)) with 0|].
  + apply (is_RInt_ext (fun x => c * exp x)).
    { intros x. rewrite Rmax_right by lra. intros hx. symmetry. apply hl. lra. }
    apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => c * exp x)).
    * intros x _. auto_derive; [trivial|ring].
    * intros x _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. trivial.
  + exact hm.
  + apply (is_RInt_ext (fun x => d * exp (- x))).
    { intros x. rewrite Rmin_left by lra. intros hx. symmetry. apply hr. lra. }
    apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => - d * exp (- x))).
    * intros x _. auto_derive; [trivial|ring].
    * intros x _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. trivial.
- apply he. unfold ball; simpl. unfold AbsRing_ball, abs, minus; simpl. unfold Hierarchy.plus, Hierarchy.opp; simpl.
  replace (c * (1 - exp a) + I + d * (exp (- s) - exp (- b)) + - (c + I + d * exp (- s))) with (- (c * exp a) + - (d * exp (- b))) by ring.
  apply Rle_lt_trans with (1 := Rabs_triang _ _). rewrite !Rabs_Ropp, !Rabs_mult, (Rabs_right (exp a)), (Rabs_right (exp (- b))) by (left; apply exp_pos).
  assert (small : forall c z, 0 < e / 2 / (1 + Rabs c) -> z < ln (e / 2 / (1 + Rabs c)) -> Rabs c * exp z < e / 2).
  { intros c' z h1 h2. apply exp_increasing in h2. rewrite exp_ln in h2 by exact h1.
    pose proof (Rabs_pos c'). apply Rle_lt_trans with ((1 + Rabs c') * exp z).
    - pose proof (exp_pos z). nra.
    - apply (Rmult_lt_compat_l (1 + Rabs c')) in h2; [|lra].
      replace ((1 + Rabs c') * (e / 2 / (1 + Rabs c'))) with (e / 2) in h2 by (field; lra). exact h2. }
  pose proof (small c a half al). pose proof (small d (- b) half' bl). lra.
Qed.

(** The outcome x of one copy, from the point of view of the others. *)
Lemma outcome al y : exp al * (exp y / 2) = exp (al + y - ln 2).
Proof. unfold Rminus. rewrite 2!exp_plus, exp_Ropp, exp_ln by lra. field. Qed.

Lemma exp_half y : exp (y - ln 2) = exp y / 2.
Proof. unfold Rminus. rewrite exp_plus, exp_Ropp, exp_ln by lra. reflexivity. Qed.

Lemma value_split k al be y z : value k (al + y - ln 2) (be + z - ln 2)
  = (exp (- s / 2) / 2) ^ k * exp ((al + be) / 2) * (exp ((y + z) / 2) / 2) * copies k start (al - be + (y - z)).
Proof.
unfold value. replace ((al + y - ln 2 + (be + z - ln 2)) / 2) with ((al + be) / 2 + ((y + z) / 2 - ln 2)) by field.
rewrite exp_plus, exp_half. replace (al + y - ln 2 - (be + z - ln 2)) with (al - be + (y - z)) by ring. ring.
Qed.

(** P is moved to the right, or Q is. *)
Definition forth : (R -> R) * (R -> R) := (fun x => lap (x - s), lap).
Definition back : (R -> R) * (R -> R) := (lap, fun x => lap (x - s)).

Lemma middle k v (c : R) (g : R -> R) : (g = (fun x => v + (2 * x - s)) \/ g = (fun x => v + (s - 2 * x))) ->
  forall I, is_RInt (copies k start) (v - s) (v + s) I -> is_RInt (fun x => c * copies k start (g x)) 0 s (c * (I / 2)).
Proof.
intros hg I i. apply (is_RInt_scal (V := R_NormedModule) (fun x => copies k start (g x))).
destruct hg as [-> | ->].
- replace (v - s) with (2 * 0 + (v - s)) in i by ring. replace (v + s) with (2 * s + (v - s)) in i by ring.
  generalize (is_RInt_scal (V := R_NormedModule) _ _ _ (/ 2) _ (is_RInt_comp_lin (V := R_NormedModule) _ _ _ _ _ _ i)).
  unfold scal; simpl; unfold mult; simpl. intros j. replace (I / 2) with (/ 2 * I) by field.
  apply is_RInt_ext with (2 := j). intros x _. replace (2 * x + (v - s)) with (v + (2 * x - s)) by ring. simpl; field.
- apply is_RInt_swap in i. replace (v - s) with (-2 * s + (v + s)) in i by ring. replace (v + s) with (-2 * 0 + (v + s)) in i at 1 by ring.
  generalize (is_RInt_scal (V := R_NormedModule) _ _ _ (- / 2) _ (is_RInt_comp_lin (V := R_NormedModule) _ _ _ _ _ _ i)).
  unfold scal, Hierarchy.opp; simpl; unfold mult; simpl. intros j. replace (I / 2) with (- / 2 * - I) by field.
  apply is_RInt_ext with (2 := j). intros x _. replace (-2 * x + (v + s)) with (v + (s - 2 * x)) by ring. simpl; field.
Qed.

Lemma outcomes k al be (d : (R -> R) * (R -> R)) (f : R -> R -> R) : d = forth \/ d = back ->
  (forall al be, f (exp al) (exp be) = value k al be) ->
  is_RInt_gen (fun x => f (exp al * fst d x) (exp be * snd d x)) (Rbar_locally m_infty) (Rbar_locally p_infty) (value (S k) al be).
Proof.
intros hd hf. set (v := al - be). set (K := (exp (- s / 2) / 2) ^ k * exp ((al + be) / 2)).
destruct (one_more k start v start_0) as [I [i e]].
assert (ee : value (S k) al be = K * (exp (- s / 2) / 2) * (copies k start (v + s) + copies k start (v - s) + I / 2)).
{ unfold value. fold v. rewrite <- e. unfold K. simpl pow. ring. }
assert (h2 : exp (- s / 2) = exp (s / 2) * exp (- s)) by (rewrite <- exp_plus; f_equal; field).
destruct hd as [-> | ->]; unfold forth, back, fst, snd.
- replace (value (S k) al be) with (K * (exp (- s / 2) / 2) * copies k start (v - s)
    + K * (exp (- s / 2) / 2) * (I / 2) + K * (exp (s / 2) / 2) * copies k start (v + s) * exp (- s))
    by (rewrite ee, h2; field).
  assert (at_ : forall x, f (exp al * lap (x - s)) (exp be * lap x)
      = K * (exp ((- Rabs (x - s) + - Rabs x) / 2) / 2) * copies k start (v + (- Rabs (x - s) - - Rabs x))).
  { intros x. unfold lap. rewrite 2!outcome, hf, value_split. reflexivity. }
  apply whole_line.
  + intros x hx. rewrite at_, !Rabs_left1 by lra. replace (v + (- - (x - s) - - - x)) with (v - s) by ring.
    replace ((- - (x - s) + - - x) / 2) with (- s / 2 + x) by field. rewrite exp_plus. field.
  + apply (is_RInt_ext (fun x => K * (exp (- s / 2) / 2) * copies k start (v + (2 * x - s)))).
    { intros x. rewrite Rmin_left, Rmax_right by lra. intros hx. rewrite at_, (Rabs_left1 (x - s)), (Rabs_right x) by lra.
      replace (- - (x - s) - - x) with (2 * x - s) by ring. replace (- - (x - s) + - x) with (- s) by ring. reflexivity. }
    apply (middle k v _ (fun x => v + (2 * x - s))); [now left|exact i].
  + intros x hx. rewrite at_, !Rabs_right by lra. replace (v + (- (x - s) - - x)) with (v + s) by ring.
    replace ((- (x - s) + - x) / 2) with (s / 2 + - x) by field. rewrite exp_plus. field.
- replace (value (S k) al be) with (K * (exp (- s / 2) / 2) * copies k start (v + s)
    + K * (exp (- s / 2) / 2) * (I / 2) + K * (exp (s / 2) / 2) * copies k start (v - s) * exp (- s))
    by (rewrite ee, h2; field).
  assert (at_ : forall x, f (exp al * lap x) (exp be * lap (x - s))
      = K * (exp ((- Rabs x + - Rabs (x - s)) / 2) / 2) * copies k start (v + (- Rabs x - - Rabs (x - s)))).
  { intros x. unfold lap. rewrite 2!outcome, hf, value_split. reflexivity. }
  apply whole_line.
  + intros x hx. rewrite at_, !Rabs_left1 by lra. replace (v + (- - x - - - (x - s))) with (v + s) by ring.
    replace ((- - x + - - (x - s)) / 2) with (- s / 2 + x) by field. rewrite exp_plus. field.
  + apply (is_RInt_ext (fun x => K * (exp (- s / 2) / 2) * copies k start (v + (s - 2 * x)))).
    { intros x. rewrite Rmin_left, Rmax_right by lra. intros hx. rewrite at_, (Rabs_left1 (x - s)), (Rabs_right x) by lra.
      replace (- x - - - (x - s)) with (s - 2 * x) by ring. replace (- x + - - (x - s)) with (- s) by ring. reflexivity. }
    apply (middle k v _ (fun x => v + (s - 2 * x))); [now right|exact i].
  + intros x hx. rewrite at_, !Rabs_right by lra. replace (v + (- x - - (x - s))) with (v - s) by ring.
    replace ((- x + - (x - s)) / 2) with (s / 2 + - x) by field. rewrite exp_plus. field.
Qed.

Theorem delta_value d k al be : d = forth \/ d = back -> delta (fst d) (snd d) k (exp al) (exp be) = value k al be.
Proof.
intros hd. revert al be. induction k as [|k IH]; intros al be; simpl delta; [apply value_start|].
apply (is_RInt_gen_unique (V := R_CompleteNormedModule)). now apply outcomes.
Qed.

(** The improper integrals in [delta] are integrals. *)
Theorem integrals d k a b : d = forth \/ d = back -> 0 < a -> 0 < b ->
  ex_RInt_gen (fun x => delta (fst d) (snd d) k (a * fst d x) (b * snd d x)) (Rbar_locally m_infty) (Rbar_locally p_infty).
Proof.
intros hd a0 b0. rewrite <- (exp_ln a), <- (exp_ln b) by assumption. generalize (ln a) (ln b). intros al be.
exists (value (S k) al be). apply (outcomes k al be d (delta (fst d) (snd d) k)); [exact hd|]. intros. now apply delta_value.
Qed.

(** * As one sum *)

(** Σ w_i·g(j + i). *)
Fixpoint along (w : list Z) (g : nat -> R) (j : nat) : R :=
  match w with
  | [] => 0
  | c :: w => IZR c * g j + along w g (S j)
  end.

(** Binomial coefficients. *)
Fixpoint row (k : nat) : list Z :=
  match k with
  | O => [1%Z]
  | S k => plus (row k) (0%Z :: row k)
  end.

Lemma along_plus w w' g j : along (plus w w') g j = along w g j + along w' g j.
Proof.
revert w' j; induction w as [|c w IH]; intros [|c' w'] j; simpl; try ring. rewrite IH, plus_IZR. ring.
Qed.

Lemma along_ext w g h j : (forall i, g i = h i) -> along w g j = along w h j.
Proof. intros e. revert j; induction w as [|c w IH]; intros j; simpl; [reflexivity|]. now rewrite e, IH. Qed.

Lemma down_iter i x : down (Nat.iter i up x) = Nat.iter i up (down x).
Proof. induction i as [|i IH]; simpl; [reflexivity|]. now rewrite <- up_down, IH. Qed.

(** i copies at s and j at −s, of n in all. *)
Definition ends (n : nat) (v : R) (j : nat) : R :=
  right (Nat.iter (n - j) up (Nat.iter j down start)) (v + (INR (n - j) - INR j) * s).

Lemma copies_ends k i j v :
  copies k (Nat.iter i up (Nat.iter j down start)) (v + (INR i - INR j) * s) = along (row k) (ends (i + j + k) v) j.
Proof.
revert i j; induction k as [|k IH]; intros i j.
- simpl. unfold ends. replace (i + j + 0 - j)%nat with i by lia. ring.
- change (row (S k)) with (plus (row k) (0%Z :: row k)). rewrite along_plus.
  change (along (0%Z :: row k) (ends (i + j + S k) v) j) with (0 * ends (i + j + S k) v j + along (row k) (ends (i + j + S k) v) (S j)).
  change (copies (S k) (Nat.iter i up (Nat.iter j down start)) (v + (INR i - INR j) * s))
    with (copies k (Nat.iter (S i) up (Nat.iter j down start)) (v + (INR i - INR j) * s + s)
        + copies k (down (Nat.iter i up (Nat.iter j down start))) (v + (INR i - INR j) * s - s)).
  rewrite down_iter. change (down (Nat.iter j down start)) with (Nat.iter (S j) down start).
  replace (v + (INR i - INR j) * s + s) with (v + (INR (S i) - INR j) * s) by (rewrite S_INR; ring).
  replace (v + (INR i - INR j) * s - s) with (v + (INR i - INR (S j)) * s) by (rewrite S_INR; ring).
  rewrite !IH. replace (S i + j + k)%nat with (i + j + S k)%nat by lia. replace (i + S j + k)%nat with (i + j + S k)%nat by lia. ring.
Qed.

Lemma ends_0 k v i : v + (INR (k - i) - INR i) * s <= 0 -> forall w j, (i <= j)%nat -> along w (ends k v) j = 0.
Proof.
intros h w. induction w as [|c w IH]; intros j ij; [reflexivity|].
simpl. rewrite IH by lia. unfold ends. rewrite right_left; [ring|].
assert (INR (k - j) <= INR (k - i)) by (apply le_INR; lia). assert (INR i <= INR j) by (apply le_INR; lia). nra.
Qed.

(** * Computed *)

Section Computed.
Variables D st T : BigZ.t. (* u = N/D, s = st/D; integers are over T *)
Variable low : bool.       (* whether to round down *)

Definition zs (x : list BigZ.t) : list Z := map BigZ.to_Z x.

Fixpoint bplus (f g : list BigZ.t) : list BigZ.t :=
  match f, g with
  | [], _ => g
  | _, [] => f
  | x :: f, y :: g => BigZ.add x y :: bplus f g
  end.

Fixpoint brow (k : nat) : list BigZ.t :=
  match k with
  | O => [1%bigZ]
  | S k => let r := brow k in bplus r (0%bigZ :: r)
  end.

(** [up] where d = 0, and where c = 0, too. *)
Definition bup (x : BigZ.t * list BigZ.t) : BigZ.t * list BigZ.t :=
  (BigZ.add (fst x) (fst x), bplus (snd x) (BigZ.opp (fst x) :: snd x)).
Definition pup (x : list BigZ.t) : list BigZ.t := bplus x (0%bigZ :: x).

(** [down] instead of [up]. *)
Fixpoint turn (w : BigZ.t) (x : list BigZ.t) : list BigZ.t :=
  match x with
  | [] => []
  | a :: x => let v := BigZ.sub a w in BigZ.sub v w :: turn v x
  end.

Definition quotient (a b : BigZ.t) : BigZ.t := if low then BigZ.div a b else BigZ.opp (BigZ.div (BigZ.opp a) b).

(** Σ x_i·(N/D)^i·n!/(n + i)!, by Horner's rule; m is n + 1. *)
Fixpoint horner (N m : BigZ.t) (x : list BigZ.t) : BigZ.t :=
  match x with
  | [] => 0%bigZ
  | a :: x => BigZ.add (BigZ.mul a T) (quotient (BigZ.mul (horner N (BigZ.succ m) x) N) (BigZ.mul D m))
  end.

Fixpoint terms (w x : list BigZ.t) (N : BigZ.t) : BigZ.t :=
  match w with
  | [] => 0%bigZ
  | c :: w => if BigZ.leb N 0%bigZ then 0%bigZ else BigZ.add (BigZ.mul c (horner N 1%bigZ x)) (terms w (turn 0%bigZ x) (BigZ.sub N st))
  end.

(** All but 2^k·e^u_0. *)
Definition rest (k : nat) (N : BigZ.t) : Z :=
  BigZ.to_Z (BigZ.add (horner N 1%bigZ (snd (Nat.iter (k - 1) bup (2%bigZ, [(-2)%bigZ]))))
    (terms (tl (brow k)) (Nat.iter (k - 2) pup [0%bigZ; 2%bigZ]) (BigZ.sub N st))).

Lemma zs_plus f g : zs (bplus f g) = plus (zs f) (zs g).
Proof.
revert g; induction f as [|x f IH]; intros [|y g]; simpl; try reflexivity. now rewrite BigZ.spec_add, IH.
Qed.

Lemma zs_row k : zs (brow k) = row k.
Proof. induction k as [|k IH]; [reflexivity|]. simpl. now rewrite zs_plus, <- IH. Qed.

Lemma row_pos k : List.Forall (fun c => 0 <= c)%Z (row k).
Proof.
assert (h : forall f g, List.Forall (fun c => 0 <= c)%Z f -> List.Forall (fun c => 0 <= c)%Z g -> List.Forall (fun c => 0 <= c)%Z (plus f g)).
{ intros f g hf; revert g; induction hf as [|x f hx hf IH]; intros g hg; [exact hg|].
  destruct hg as [|y g hy hg]; simpl; constructor; auto. lia. }
induction k as [|k IH]; simpl; [repeat constructor; lia|]. apply h; [exact IH|constructor; [lia|exact IH]].
Qed.

Lemma row_head k : exists w, row k = 1%Z :: w.
Proof. induction k as [|k [w IH]]; simpl; [now eexists|]. rewrite IH. simpl. now eexists. Qed.

Definition wide (x : BigZ.t * list BigZ.t) : series := (BigZ.to_Z (fst x), 0%Z, zs (snd x)).
Definition narrow (x : list BigZ.t) : series := (0%Z, 0%Z, zs x).

Lemma up_wide x : wide (bup x) = up (wide x).
Proof.
destruct x as [c f]. unfold wide, bup, up, joined, prim, fst, snd. apply sum_eq; [apply BigZ.spec_add|reflexivity|].
rewrite zs_plus. simpl zs. now rewrite BigZ.spec_opp.
Qed.

Lemma up_narrow x : narrow (pup x) = up (narrow x).
Proof. unfold narrow, pup, up, joined, prim. apply sum_eq; [reflexivity|reflexivity|]. now rewrite zs_plus. Qed.

Lemma wide_start i : wide (Nat.iter i bup (2%bigZ, [(-2)%bigZ])) = Nat.iter (S i) up start.
Proof. induction i as [|i IH]; [reflexivity|]. change (wide (bup (Nat.iter i bup (2%bigZ, [(-2)%bigZ]))) = up (Nat.iter (S i) up start)). now rewrite up_wide, IH. Qed.

Lemma narrow_start i : narrow (Nat.iter i pup [0%bigZ; 2%bigZ]) = Nat.iter (S i) up (down start).
Proof. induction i as [|i IH]; [reflexivity|]. change (narrow (pup (Nat.iter i pup [0%bigZ; 2%bigZ])) = up (Nat.iter (S i) up (down start))). now rewrite up_narrow, IH. Qed.

Lemma narrow_iter i x : Nat.iter i up (narrow x) = narrow (Nat.iter i pup x).
Proof. induction i as [|i IH]; [reflexivity|]. simpl Nat.iter. now rewrite IH, <- up_narrow. Qed.

Fixpoint zturn (w : Z) (x : list Z) : list Z :=
  match x with
  | [] => []
  | a :: x => let v := (a - w)%Z in (v - w)%Z :: zturn v x
  end.

Lemma zs_turn w x : zs (turn w x) = zturn (BigZ.to_Z w) (zs x).
Proof. revert w; induction x as [|a x IH]; intros w; simpl; [reflexivity|]. now rewrite IH, !BigZ.spec_sub. Qed.

Lemma zturn_up p w : zturn p (plus w (p :: w)) = plus w ((- p)%Z :: map Z.opp w).
Proof.
revert p; induction w as [|a w IH]; intros p.
- simpl. f_equal. ring.
- simpl. f_equal; [ring|]. replace (a + p - p)%Z with a by ring. apply IH.
Qed.

(** One copy less at s and one more at −s. *)
Lemma turned x y : narrow x = up (0%Z, 0%Z, y) -> narrow (turn 0%bigZ x) = down (0%Z, 0%Z, y).
Proof.
intros h. unfold narrow in *. injection h as h. rewrite zs_turn, h. apply sum_eq; [reflexivity|reflexivity|].
change (BigZ.to_Z 0%bigZ) with 0%Z. rewrite (zturn_up 0). reflexivity.
Qed.

Fixpoint sum_of (n : nat) (x : list Z) (u : R) : R :=
  match x with
  | [] => 0
  | a :: x => IZR a + u / INR (S n) * sum_of (S n) x u
  end.

Lemma tail_sum n x u : tail n x u = u ^ n / INR (fact n) * sum_of n x u.
Proof.
revert n; induction x as [|a x IH]; intros n; cbn [tail sum_of]; [ring|]. rewrite IH.
rewrite fact_simpl, mult_INR. simpl pow. field. split; (apply not_0_INR; lia) || apply INR_fact_neq_0.
Qed.

Hypothesis D0 : (0 < BigZ.to_Z D)%Z.
Hypothesis T0 : (0 < BigZ.to_Z T)%Z.

(** x is on the side of y that is asked for. *)
Definition beyond (x y : R) : Prop := if low then x <= y else y <= x.

Lemma beyond_plus x y x' y' : beyond x y -> beyond x' y' -> beyond (x + x') (y + y').
Proof. unfold beyond; destruct low; lra. Qed.

Lemma beyond_mult c x y : 0 <= c -> beyond x y -> beyond (c * x) (c * y).
Proof. unfold beyond; destruct low; intros; now apply Rmult_le_compat_l. Qed.

Lemma beyond_trans x y z : beyond x y -> beyond y z -> beyond x z.
Proof. unfold beyond; destruct low; lra. Qed.

Lemma beyond_refl x : beyond x x.
Proof. unfold beyond; destruct low; lra. Qed.

Lemma floor_le a b : (0 < b)%Z -> IZR (a / b) <= IZR a / IZR b.
Proof.
intros hb. apply IZR_lt in hb as hr. pose proof (Z.mul_div_le a b hb) as h. apply IZR_le in h. rewrite mult_IZR in h.
apply (Rmult_le_reg_l (IZR b)); [exact hr|]. replace (IZR b * (IZR a / IZR b)) with (IZR a) by (field; lra). exact h.
Qed.

Lemma quotient_beyond a b : (0 < BigZ.to_Z b)%Z -> beyond (IZR (BigZ.to_Z (quotient a b))) (IZR (BigZ.to_Z a) / IZR (BigZ.to_Z b)).
Proof.
intros hb. unfold beyond, quotient. destruct low.
- rewrite BigZ.spec_div. now apply floor_le.
- rewrite BigZ.spec_opp, BigZ.spec_div, BigZ.spec_opp, opp_IZR.
  pose proof (floor_le (- BigZ.to_Z a) _ hb) as h. rewrite opp_IZR in h. unfold Rdiv in *. lra.
Qed.

Lemma horner_beyond N n m x : (0 <= BigZ.to_Z N)%Z -> BigZ.to_Z m = Z.of_nat (S n) ->
  beyond (IZR (BigZ.to_Z (horner N m x))) (IZR (BigZ.to_Z T) * sum_of n (zs x) (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D))).
Proof.
intros hN. apply IZR_le in hN. revert n m; induction x as [|a x IH]; intros n m hm.
- simpl. rewrite Rmult_0_r. apply beyond_refl.
- cbn [horner zs map sum_of]. rewrite BigZ.spec_add, plus_IZR, BigZ.spec_mul, mult_IZR, Rmult_plus_distr_l.
  apply beyond_plus; [rewrite Rmult_comm; apply beyond_refl|].
  assert (hm' : (0 < BigZ.to_Z (BigZ.mul D m))%Z) by (rewrite BigZ.spec_mul; nia).
  apply beyond_trans with (1 := quotient_beyond _ _ hm'). rewrite !BigZ.spec_mul, !mult_IZR, hm, <- INR_IZR_INZ.
  assert (d0 : 0 < IZR (BigZ.to_Z D)) by now apply IZR_lt.
  assert (n0 : 0 < INR (S n)) by (apply lt_0_INR; lia).
  replace (IZR (BigZ.to_Z (horner N (BigZ.succ m) x)) * IZR (BigZ.to_Z N) / (IZR (BigZ.to_Z D) * INR (S n)))
    with (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D) / INR (S n) * IZR (BigZ.to_Z (horner N (BigZ.succ m) x))) by (field; lra).
  replace (IZR (BigZ.to_Z T) * (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D) / INR (S n) * sum_of (S n) (map BigZ.to_Z x) (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D))))
    with (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D) / INR (S n) * (IZR (BigZ.to_Z T) * sum_of (S n) (zs x) (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D)))) by (unfold zs; ring).
  apply beyond_mult.
  + apply Rdiv_le_0_compat; [|exact n0]. apply Rdiv_le_0_compat; [exact hN|exact d0].
  + apply IH. rewrite BigZ.spec_succ, hm. lia.
Qed.

Lemma no_exponentials i j : (1 <= i)%nat -> (1 <= j)%nat -> exists y, Nat.iter i up (Nat.iter j down start) = (0%Z, 0%Z, y).
Proof.
intros hi hj.
assert (h : exists d f, Nat.iter j down start = (0%Z, d, f)).
{ destruct j as [|j]; [lia|]. clear hj. induction j as [|j [d [f IH]]]; [now exists (-2)%Z, [2%Z]|].
  simpl in IH |- *. rewrite IH. unfold down, joined, prim, opp. eexists. eexists. reflexivity. }
destruct h as [d [f ->]]. destruct i as [|i]; [lia|]. clear hi. induction i as [|i [y IH]].
- simpl. unfold up, joined, prim. rewrite Z.add_opp_diag_r. eexists. reflexivity.
- simpl in IH |- *. rewrite IH. unfold up, joined, prim. eexists. reflexivity.
Qed.

Lemma terms_beyond k v w x N j :
  v <= 0 -> s = IZR (BigZ.to_Z st) / IZR (BigZ.to_Z D) ->
  List.Forall (fun c => 0 <= c)%Z (zs w) -> (1 <= j)%nat ->
  ((j < k)%nat -> narrow x = Nat.iter (k - j) up (Nat.iter j down start)) ->
  IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D) = (v + (INR (k - j) - INR j) * s) / 2 ->
  beyond (IZR (BigZ.to_Z (terms w x N))) (IZR (BigZ.to_Z T) * along (zs w) (ends k v) j).
Proof.
intros v0 hs. assert (d0 : 0 < IZR (BigZ.to_Z D)) by now apply IZR_lt.
revert x N j; induction w as [|c w IH]; intros x N j hw j1 hx hN.
- simpl. rewrite Rmult_0_r. apply beyond_refl.
- cbn [terms zs map]. destruct (BigZ.leb N 0%bigZ) eqn:hl.
  + rewrite BigZ.spec_leb in hl. apply Z.leb_le, IZR_le in hl. change (IZR (BigZ.to_Z 0%bigZ)) with 0 in hl |- *.
    rewrite (ends_0 k v j); [rewrite Rmult_0_r; apply beyond_refl| |apply le_n].
    apply (Rmult_le_compat_r (/ IZR (BigZ.to_Z D))) in hl; [|left; now apply Rinv_0_lt_compat].
    rewrite Rmult_0_l in hl. unfold Rdiv in hN at 1. lra.
  + rewrite BigZ.spec_leb in hl. apply Z.leb_gt in hl. change (BigZ.to_Z 0%bigZ) with 0%Z in hl.
    assert (N0 : 0 < IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D)) by (apply Rdiv_lt_0_compat; [now apply IZR_lt|exact d0]).
    assert (jk : (j < k)%nat).
    { destruct (Nat.lt_ge_cases j k) as [h|h]; [exact h|]. replace (k - j)%nat with O in hN by lia.
      pose proof (pos_INR j). simpl INR in hN. assert (0 <= INR j * s) by (apply Rmult_le_pos; lra). lra. }
    cbn [along]. rewrite BigZ.spec_add, plus_IZR, BigZ.spec_mul, mult_IZR, Rmult_plus_distr_l.
    inversion hw as [|c' w' hc hw']; subst c' w'. apply beyond_plus.
    * replace (IZR (BigZ.to_Z T) * (IZR (BigZ.to_Z c) * ends k v j)) with (IZR (BigZ.to_Z c) * (IZR (BigZ.to_Z T) * ends k v j)) by ring.
      apply beyond_mult; [now apply IZR_le|].
      assert (ends k v j = sum_of 0 (zs x) (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D))) as ->.
      { unfold ends. rewrite <- hx by exact jk. unfold right. destruct Rle_dec as [l|l]; [lra|].
        rewrite <- hN. unfold narrow, val. rewrite tail_sum. simpl. field. }
      apply horner_beyond; [lia|reflexivity].
    * apply IH; [exact hw'|lia| |].
      -- intros sj. specialize (hx jk). 
         assert (hy : exists y, Nat.iter (k - S j) up (Nat.iter j down start) = (0%Z, 0%Z, y)).
         { apply no_exponentials; lia. }
         destruct hy as [y hy].
         replace (k - j)%nat with (S (k - S j)) in hx by lia. simpl Nat.iter in hx. rewrite hy in hx.
         change (Nat.iter (S j) down start) with (down (Nat.iter j down start)). rewrite <- down_iter, hy. now apply turned.
      -- rewrite BigZ.spec_sub, minus_IZR. replace (k - j)%nat with (S (k - S j)) in hN by lia. rewrite S_INR in hN |- *.
         replace ((IZR (BigZ.to_Z N) - IZR (BigZ.to_Z st)) / IZR (BigZ.to_Z D)) with (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D) - s) by (rewrite hs; field; lra).
         rewrite hN. field.
Qed.

Lemma powers i : BigZ.to_Z (fst (Nat.iter i bup (2%bigZ, [(-2)%bigZ]))) = (2 ^ Z.of_nat (S i))%Z.
Proof.
induction i as [|i IH]; [reflexivity|]. simpl Nat.iter. unfold bup at 1. cbn [fst]. rewrite BigZ.spec_add, IH, (Nat2Z.inj_succ (S i)), Z.pow_succ_r by lia. ring.
Qed.

Lemma rest_beyond k v N :
  (2 <= k)%nat -> v <= 0 -> s = IZR (BigZ.to_Z st) / IZR (BigZ.to_Z D) ->
  IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D) = (v + INR k * s) / 2 -> (0 < BigZ.to_Z N)%Z ->
  beyond (IZR (rest k N)) (IZR (BigZ.to_Z T) * (copies k start v - IZR (2 ^ Z.of_nat k) * exp (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D)))).
Proof.
intros k2 v0 hs hN N0. assert (d0 : 0 < IZR (BigZ.to_Z D)) by now apply IZR_lt.
assert (u0 : 0 < IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D)) by (apply Rdiv_lt_0_compat; [now apply IZR_lt|exact d0]).
pose proof (copies_ends k 0 0 v) as h. simpl Nat.iter in h. replace (v + (INR 0 - INR 0) * s) with v in h by (simpl; ring).
rewrite h. clear h. simpl Nat.add. pose proof (row_pos k) as rp. pose proof (zs_row k) as rw. destruct (row_head k) as [w hw].
rewrite hw in rp, rw |- *. cbn [along]. inversion rp as [|c' w' _ rp']; subst c' w'.
assert (ends k v 0 = IZR (2 ^ Z.of_nat k) * exp (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D))
  + sum_of 0 (zs (snd (Nat.iter (k - 1) bup (2%bigZ, [(-2)%bigZ])))) (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D))) as ->.
{ unfold ends. simpl (Nat.iter 0 down start). replace (k - 0)%nat with (S (k - 1)) by lia. rewrite <- wide_start.
  replace (S (k - 1)) with k by lia. simpl INR. rewrite Rminus_0_r.
  unfold right. destruct Rle_dec as [l|l]; [lra|]. rewrite <- hN. unfold wide, val. rewrite powers, tail_sum.
  replace (S (k - 1)) with k by lia. simpl (fact 0). simpl pow. simpl (INR 1). field. }
replace (IZR (BigZ.to_Z T) * _) with
  (IZR (BigZ.to_Z T) * sum_of 0 (zs (snd (Nat.iter (k - 1) bup (2%bigZ, [(-2)%bigZ])))) (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D))
   + IZR (BigZ.to_Z T) * along w (ends k v) 1) by ring.
unfold rest. rewrite BigZ.spec_add, plus_IZR. apply beyond_plus; [apply horner_beyond; [lia|reflexivity]|].
assert (w = zs (tl (brow k))) as ->. { destruct (brow k) as [|c r]; [discriminate|]. simpl in rw. now injection rw. }
apply terms_beyond; try assumption; [lia| |].
- intros _. rewrite narrow_start. f_equal. lia.
- rewrite BigZ.spec_sub, minus_IZR, minus_INR by lia.
  replace ((IZR (BigZ.to_Z N) - IZR (BigZ.to_Z st)) / IZR (BigZ.to_Z D)) with (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D) - s) by (rewrite hs; field; lra).
  rewrite hN. simpl. field.
Qed.

Lemma delta_beyond d k N e W eps :
  d = forth \/ d = back -> (2 <= k)%nat -> s = IZR (BigZ.to_Z st) / IZR (BigZ.to_Z D) -> eps = IZR e / IZR (BigZ.to_Z D) -> (0 <= e)%Z ->
  (2 * BigZ.to_Z N = Z.of_nat k * BigZ.to_Z st - e)%Z -> (0 < BigZ.to_Z N)%Z -> W = (BigZ.to_Z T * 2 ^ Z.of_nat k)%Z ->
  beyond (1 + exp (- (IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D))) * (IZR (rest k N) / IZR W)) (delta (fst d) (snd d) k 1 (exp eps)).
Proof.
intros hd k2 hs he e0 hN N0 ->. assert (d0 : 0 < IZR (BigZ.to_Z D)) by now apply IZR_lt.
assert (t0 : 0 < IZR (BigZ.to_Z T)) by now apply IZR_lt.
assert (w0 : 0 < IZR (2 ^ Z.of_nat k)) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
assert (v0 : - eps <= 0).
{ rewrite he. assert (0 <= IZR e / IZR (BigZ.to_Z D)); [|lra]. apply Rdiv_le_0_compat; [now apply IZR_le|exact d0]. }
assert (hu : IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D) = (- eps + INR k * s) / 2).
{ rewrite he, hs. apply (f_equal IZR) in hN. rewrite mult_IZR, minus_IZR, mult_IZR, <- INR_IZR_INZ in hN.
  replace (IZR (BigZ.to_Z N)) with ((INR k * IZR (BigZ.to_Z st) - IZR e) / 2) by lra. field. lra. }
pose proof (rest_beyond k (- eps) N k2 v0 hs hu N0) as h.
rewrite <- exp_0 at 2. rewrite delta_value by exact hd. unfold value. replace (0 - eps) with (- eps) by ring.
set (c := copies k start (- eps)) in *. set (u := IZR (BigZ.to_Z N) / IZR (BigZ.to_Z D)) in *.
assert (hk : (exp (- s / 2) / 2) ^ k * exp ((0 + eps) / 2) = exp (- u) / IZR (2 ^ Z.of_nat k)).
{ unfold Rdiv at 1. rewrite Rpow_mult_distr, pow_inv, <- pow_IZR.
  replace (exp (- s / 2) ^ k) with (exp (- (INR k * s) / 2)).
  - rewrite Rmult_assoc, (Rmult_comm (/ 2 ^ k)), <- Rmult_assoc, <- exp_plus. unfold Rdiv at 3. f_equal. f_equal. rewrite hu. field.
  - clear. induction k as [|k IH]; [simpl; replace (- (0 * s) / 2) with 0 by field; apply exp_0|].
    simpl pow. rewrite <- IH, <- exp_plus. f_equal. rewrite S_INR. field. }
rewrite hk. replace (exp (- u) / IZR (2 ^ Z.of_nat k) * c) with
  (1 + exp (- u) / IZR (2 ^ Z.of_nat k) / IZR (BigZ.to_Z T) * (IZR (BigZ.to_Z T) * (c - IZR (2 ^ Z.of_nat k) * exp u))).
2: { replace 1 with (exp (- u) * exp u) at 1 by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0). field. lra. }
apply beyond_plus; [apply beyond_refl|]. rewrite mult_IZR.
replace (exp (- u) * (IZR (rest k N) / (IZR (BigZ.to_Z T) * IZR (2 ^ Z.of_nat k))))
  with (exp (- u) / IZR (2 ^ Z.of_nat k) / IZR (BigZ.to_Z T) * IZR (rest k N)) by (field; lra).
apply beyond_mult; [|exact h]. pose proof (exp_pos (- u)). repeat apply Rdiv_le_0_compat; lra.
Qed.
End Computed.
End Copies.

(** What a file has to show: D, st, e, N, T and W are integers with shift = st/D, ε = e/D, (k·shift − ε)/2 = N/D > 0. *)
Definition integers (k : nat) (D st e N T W : Z) : bool :=
  (Nat.leb 2 k && (0 <? D) && (0 <? st) && (0 <=? e) && (0 <? N) && (0 <? T) && (2 * N =? Z.of_nat k * st - e) && (W =? T * 2 ^ Z.of_nat k))%Z%bool.

Definition rest_of (low : bool) (k : nat) (D st N T : Z) : Z := rest (BigZ.of_Z D) (BigZ.of_Z st) (BigZ.of_Z T) low k (BigZ.of_Z N).

Lemma laplaces (low : bool) s d k D st e N T W r eps :
  d = forth s \/ d = back s -> integers k D st e N T W = true -> s = IZR st / IZR D -> eps = IZR e / IZR D ->
  rest_of low k D st N T = r ->
  beyond low (1 + exp (- (IZR N / IZR D)) * (IZR r / IZR W)) (delta (fst d) (snd d) k 1 (exp eps)).
Proof.
intros hd hi hs he <-. unfold integers in hi. rewrite !andb_true_iff in hi.
destruct hi as [[[[[[[h1 h2] h3] h4] h5] h6] h7] h8].
apply Nat.leb_le in h1. apply Z.ltb_lt in h2, h3, h5, h6. apply Z.leb_le in h4. apply Z.eqb_eq in h7, h8.
assert (s0 : 0 < s) by (rewrite hs; apply Rdiv_lt_0_compat; now apply IZR_lt).
pose proof (delta_beyond s s0 (BigZ.of_Z D) (BigZ.of_Z st) (BigZ.of_Z T) low) as h.
rewrite !BigZ.spec_of_Z in h. specialize (h h2 h6 d k (BigZ.of_Z N) e W eps). rewrite !BigZ.spec_of_Z in h. now apply h.
Qed.

Theorem laplaces_at_most s d k D st e N T W r eps dl :
  d = forth s \/ d = back s -> integers k D st e N T W = true -> s = IZR st / IZR D -> eps = IZR e / IZR D ->
  rest_of false k D st N T = r -> 1 + exp (- (IZR N / IZR D)) * (IZR r / IZR W) <= dl ->
  delta (fst d) (snd d) k 1 (exp eps) <= dl.
Proof.
intros hd hi hs he hr h. pose proof (laplaces false s d k D st e N T W r eps hd hi hs he hr) as b. unfold beyond in b. lra.
Qed.

Theorem laplaces_above s d k D st e N T W r eps dl :
  d = forth s \/ d = back s -> integers k D st e N T W = true -> s = IZR st / IZR D -> eps = IZR e / IZR D ->
  rest_of true k D st N T = r -> dl < 1 + exp (- (IZR N / IZR D)) * (IZR r / IZR W) ->
  dl < delta (fst d) (snd d) k 1 (exp eps).
Proof.
intros hd hi hs he hr h. pose proof (laplaces true s d k D st e N T W r eps hd hi hs he hr) as b. unfold beyond in b. lra.
Qed.
