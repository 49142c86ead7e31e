(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Compositions of pairs on finitely many outcomes, in closed form. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Interval Require Import Tactic.
From Interval Require Import Float.Specific_ops Float.Specific_stdz Interval.Float_full Real.Xreal Float.Basic Interval.Interval.
Import ListNotations.
Local Close Scope Q_scope.
Local Open Scope R_scope.

(** * What is stated *)

(** A pair of distributions on finitely many outcomes: the masses of each under P and Q. *)
Definition pair := list (R * R).

(** Both mechanisms are run: an outcome is one of each. *)
Definition times (a b : pair) : pair :=
  flat_map (fun x => map (fun y => (fst x * fst y, snd x * snd y)) b) a.

Fixpoint power (a : pair) (n : nat) : pair :=
  match n with
  | O => [(1, 1)]
  | S n => times a (power a n)
  end.

Definition compose (parts : list (pair * nat)) : pair :=
  fold_right (fun p b => times (power (fst p) (snd p)) b) [(1, 1)] parts.

(** The roles of P and Q are exchanged. *)
Definition exchange (a : pair) : pair := map (fun x => (snd x, fst x)) a.

(** The sum of a function of the masses over all outcomes. *)
Definition total (f : R -> R -> R) (a : pair) : R :=
  fold_right (fun x s => f (fst x) (snd x) + s) 0 a.

(** The greatest P(S) − e^ε·Q(S) over all sets S of outcomes: those with p > e^ε·q are the best. *)
Definition delta (eps : R) (a : pair) : R := total (fun p q => Rmax 0 (p - exp eps * q)) a.

(** * Sums over compositions *)

Lemma total_ext f g a : (forall p q, f p q = g p q) -> total f a = total g a.
Proof. intros h; induction a as [|x a IH]; simpl; [reflexivity|rewrite h, IH; reflexivity]. Qed.

Lemma total_app f a b : total f (a ++ b) = total f a + total f b.
Proof. induction a as [|x a IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma total_map f x y b :
  total f (map (fun z => (x * fst z, y * snd z)) b) = total (fun p q => f (x * p) (y * q)) b.
Proof. induction b as [|z b IH]; simpl; [reflexivity|rewrite IH; reflexivity]. Qed.

Lemma total_times f a b :
  total f (times a b) = total (fun p q => total (fun p' q' => f (p * p') (q * q')) b) a.
Proof.
induction a as [|x a IH]; [reflexivity|].
unfold times in *; simpl. rewrite total_app, IH, total_map; reflexivity.
Qed.

Lemma total_plus f g a : total (fun p q => f p q + g p q) a = total f a + total g a.
Proof. induction a as [|x a IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma total_scale c f a : total (fun p q => c * f p q) a = c * total f a.
Proof. induction a as [|x a IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma total_zero a : total (fun _ _ => 0) a = 0.
Proof. induction a as [|x a IH]; simpl; [reflexivity|rewrite IH; ring]. Qed.

Lemma total_swap (f : R -> R -> R -> R -> R) a b :
  total (fun p q => total (f p q) b) a = total (fun p' q' => total (fun p q => f p q p' q') a) b.
Proof.
induction a as [|x a IH]; simpl.
- symmetry; apply total_zero.
- rewrite IH, <- total_plus. reflexivity.
Qed.

(** One more copy, outcome by outcome. *)
Lemma power_S f a n :
  total f (power a (S n)) = total (fun p q => total (fun p' q' => f (p * p') (q * q')) (power a n)) a.
Proof. simpl power; apply total_times. Qed.

(** Outcomes without which the sum is the same may be left out: f vanishes where either mass does. *)
Definition vanishing (f : R -> R -> R) := forall p q, p = 0 \/ q = 0 -> f p q = 0.

Lemma vanishing_scaled f p q : vanishing f -> vanishing (fun p' q' => f (p * p') (q * q')).
Proof. intros v p' q' [-> | ->]; apply v; [left|right]; ring. Qed.

Lemma total_vanish (f : R -> R -> R) a : (forall p q, f p q = 0) -> total f a = 0.
Proof. intros h; rewrite <- (total_zero a); apply total_ext; exact h. Qed.

Definition kept (keep : list bool) (a : pair) : pair :=
  map snd (filter fst (combine keep a)).

Lemma total_kept f : forall keep a, length keep = length a -> vanishing f ->
  (forall i, nth i keep true = false -> fst (nth i a (0, 0)) = 0 \/ snd (nth i a (0, 0)) = 0) ->
  total f (kept keep a) = total f a.
Proof.
induction keep as [|k keep IH]; intros [|x a] hl v h; try discriminate; [reflexivity|].
unfold kept in *; simpl.
assert (t : total f (map snd (filter fst (combine keep a))) = total f a).
{ apply IH; [now injection hl | exact v | intros i; exact (h (S i))]. }
destruct k; simpl; rewrite t; [reflexivity|].
rewrite (v (fst x) (snd x)); [ring | exact (h O eq_refl)].
Qed.

Lemma power_kept keep a n : forall f, length keep = length a -> vanishing f ->
  (forall i, nth i keep true = false -> fst (nth i a (0, 0)) = 0 \/ snd (nth i a (0, 0)) = 0) ->
  total f (power (kept keep a) n) = total f (power a n).
Proof.
induction n as [|n IH]; intros f hl v h; [reflexivity|].
rewrite 2!power_S.
rewrite <- (total_kept _ keep a hl); [|intros p q e|exact h].
- apply total_ext; intros p q. apply IH; [exact hl|apply vanishing_scaled; exact v|exact h].
- apply total_vanish; intros p' q'; apply v; destruct e as [-> | ->]; [left|right]; ring.
Qed.

(** The binomial theorem: by how often the first outcome occurs among n. *)
Lemma choose_0 n : C n 0 = 1.
Proof. unfold C; rewrite Nat.sub_0_r; simpl; field; apply INR_fact_neq_0. Qed.
Lemma choose_n n : C n n = 1.
Proof. unfold C; rewrite Nat.sub_diag; simpl; field; apply INR_fact_neq_0. Qed.

Definition scaled (f : R -> R -> R) (x : R * R) (i : nat) : R -> R -> R :=
  fun p q => f (fst x ^ i * p) (snd x ^ i * q).

Lemma sum_shift (g : nat -> R) n : sum_f_R0 g (S n) = g O + sum_f_R0 (fun i => g (S i)) n.
Proof. induction n as [|n IH]; [simpl; ring|]. rewrite tech5, IH. simpl; ring. Qed.

Lemma binomial x a n : forall f,
  total f (power (x :: a) n)
  = sum_f_R0 (fun i => C n i * total (scaled f x i) (power a (n - i))) n.
Proof.
induction n as [|n IH]; intros f.
{ simpl sum_f_R0. rewrite choose_0. unfold scaled; simpl. rewrite !Rmult_1_l. ring. }
rewrite power_S. simpl total.
rewrite (IH (fun p' q' => f (fst x * p') (snd x * q'))).
rewrite (total_ext _ (fun p q => sum_f_R0 (fun i => C n i * total (fun p' q' => f (p * (fst x ^ i * p')) (q * (snd x ^ i * q'))) (power a (n - i))) n) a).
2: { intros p q. rewrite IH. apply sum_eq; intros i _. f_equal. }
assert (sw : forall m, (m <= n)%nat ->
  total (fun p q => sum_f_R0 (fun i => C n i * total (fun p' q' => f (p * (fst x ^ i * p')) (q * (snd x ^ i * q'))) (power a (n - i))) m) a
  = sum_f_R0 (fun i => C n i * total (scaled f x i) (power a (S n - i))) m).
{ assert (one : forall i, (i <= n)%nat ->
    total (fun p q => C n i * total (fun p' q' => f (p * (fst x ^ i * p')) (q * (snd x ^ i * q'))) (power a (n - i))) a
    = C n i * total (scaled f x i) (power a (S n - i))).
  { intros i hi. rewrite total_scale. f_equal. rewrite Nat.sub_succ_l by exact hi. rewrite power_S.
    apply total_ext; intros p q. apply total_ext; intros p' q'. unfold scaled. f_equal; ring. }
  induction m as [|m IHm]; intros hm.
  - simpl sum_f_R0. apply (one O). lia.
  - simpl sum_f_R0. rewrite total_plus, IHm by lia. f_equal. apply one. exact hm. }
rewrite sw by lia. clear sw IH.
set (A := fun i => total (scaled f x i) (power a (S n - i))).
assert (e1 : sum_f_R0 (fun i => C n i * total (scaled (fun p' q' => f (fst x * p') (snd x * q')) x i) (power a (n - i))) n
  = sum_f_R0 (fun i => C n i * A (S i)) n).
{ apply sum_eq; intros i _. f_equal. unfold A. rewrite Nat.sub_succ. apply total_ext; intros p q.
  unfold scaled; simpl pow. f_equal; ring. }
rewrite e1; clear e1. fold A.
change (sum_f_R0 (fun i => C n i * A (S i)) n + sum_f_R0 (fun i => C n i * A i) n
  = sum_f_R0 (fun i => C (S n) i * A i) (S n)).
destruct n as [|n].
{ simpl sum_f_R0. rewrite !choose_0, !choose_n. ring. }
rewrite (sum_shift (fun i => C (S (S n)) i * A i)), (sum_shift (fun i => C (S n) i * A i)).
rewrite !choose_0.
rewrite (tech5 (fun i => C (S n) i * A (S i)) n), (tech5 (fun i => C (S (S n)) (S i) * A (S i)) n).
rewrite !choose_n.
rewrite (sum_eq (fun i => C (S (S n)) (S i) * A (S i)) (fun i => C (S n) i * A (S i) + C (S n) (S i) * A (S i))).
2: { intros i hi. rewrite <- pascal by lia. ring. }
rewrite sum_plus. ring.
Qed.

(** * Masses, as expressions, with enclosures *)

Inductive mass : Set :=
| Frac (n d : Z)
| Exp (n d : Z)
| Plus (x y : mass) | Minus (x y : mass) | Times (x y : mass) | Over (x y : mass)
| Pow (x : mass) (n : nat).

Fixpoint val (m : mass) : R :=
  match m with
  | Frac n d => IZR n / IZR d
  | Exp n d => exp (IZR n / IZR d)
  | Plus x y => val x + val y
  | Minus x y => val x - val y
  | Times x y => val x * val y
  | Over x y => val x / val y
  | Pow x n => val x ^ n
  end.

Module F := SpecificFloat StdZRadix2.
Module I := FloatIntervalFull F.

Definition has (i : I.type) (x : R) : Prop := contains (I.convert i) (Xreal x).

Section Precision.
Variable digits : positive.
Definition prec := F.PtoP digits.

Lemma has_Z n : has (I.fromZ prec n) (IZR n).
Proof. apply I.fromZ_correct. Qed.
Lemma has_add i j x y : has i x -> has j y -> has (I.add prec i j) (x + y).
Proof. exact (I.add_correct prec i j (Xreal x) (Xreal y)). Qed.
Lemma has_sub i j x y : has i x -> has j y -> has (I.sub prec i j) (x - y).
Proof. exact (I.sub_correct prec i j (Xreal x) (Xreal y)). Qed.
Lemma has_mul i j x y : has i x -> has j y -> has (I.mul prec i j) (x * y).
Proof. exact (I.mul_correct prec i j (Xreal x) (Xreal y)). Qed.
Lemma has_exp i x : has i x -> has (I.exp prec i) (exp x).
Proof. exact (I.exp_correct prec i (Xreal x)). Qed.
Lemma has_div i j x y : has i x -> has j y -> has (I.div prec i j) (x / y).
Proof.
intros hx hy. generalize (I.div_correct prec i j (Xreal x) (Xreal y) hx hy). unfold has.
simpl; unfold Xdiv'; case is_zero; [|trivial].
case (I.convert (I.div prec i j)); simpl; tauto.
Qed.

Lemma has_pow i x n : has i x -> has (I.power_int prec i (Z.of_nat n)) (x ^ n).
Proof.
intros hx. generalize (I.power_int_correct prec (Z.of_nat n) i (Xreal x) hx). unfold has.
destruct n as [|n]; simpl; [trivial|]. now rewrite SuccNat2Pos.id_succ.
Qed.

Definition frac n d := I.div prec (I.fromZ prec n) (I.fromZ prec d).
Lemma has_frac n d : has (frac n d) (IZR n / IZR d).
Proof. apply has_div; apply has_Z. Qed.

Fixpoint enclosure (m : mass) : I.type :=
  match m with
  | Frac n d => frac n d
  | Exp n d => I.exp prec (frac n d)
  | Plus x y => I.add prec (enclosure x) (enclosure y)
  | Minus x y => I.sub prec (enclosure x) (enclosure y)
  | Times x y => I.mul prec (enclosure x) (enclosure y)
  | Over x y => I.div prec (enclosure x) (enclosure y)
  | Pow x n => I.power_int prec (enclosure x) (Z.of_nat n)
  end.

Lemma has_mass m : has (enclosure m) (val m).
Proof.
induction m; simpl.
- apply has_frac.
- apply has_exp, has_frac.
- now apply has_add.
- now apply has_sub.
- now apply has_mul.
- now apply has_div.
- now apply has_pow.
Qed.

(** A positive part that is 0 is enclosed by 0 alone. *)
Definition zero := I.fromZ prec 0.
Definition one := I.fromZ prec 1.
Definition positive (i : I.type) : I.type :=
  match I.sign_large i with
  | Xlt | Xeq => zero
  | Xgt => i
  | Xund => I.join zero i
  end.
Lemma has_positive i x : has i x -> has (positive i) (Rmax 0 x).
Proof.
intros h. unfold positive. generalize (I.sign_large_correct i). case (I.sign_large i); intros s.
- generalize (s _ h); intros e; injection e; intros ->. rewrite Rmax_left by lra. apply has_Z.
- destruct (s _ h) as [_ s']; simpl in s'. rewrite Rmax_left by lra. apply has_Z.
- destruct (s _ h) as [_ s']; simpl in s'. rewrite Rmax_right by lra. exact h.
- unfold has. apply I.join_correct. destruct (Rle_dec 0 x).
  + right. rewrite Rmax_right by lra. exact h.
  + left. rewrite Rmax_left by lra. apply has_Z.
Qed.

(** * Sums over compositions of enclosures *)

Definition homogeneous (f : R -> R -> R) := forall c p q, 0 <= c -> c * f p q = f (c * p) (c * q).
Definition encloses (k : I.type -> I.type -> I.type) (f : R -> R -> R) :=
  forall i j p q, has i p -> has j q -> has (k i j) (f p q).
Definition has2 (ij : I.type * I.type) (x : R * R) := has (fst ij) (fst x) /\ has (snd ij) (snd x).

(** The sum over n copies, by how often the first outcome occurs, from i times on: m = n − i. *)
Section Copies.
Variable terms : nat -> I.type -> I.type -> I.type.
Variable x : I.type * I.type.
Fixpoint loop (m : nat) (i : Z) (P Q : I.type) : I.type :=
  match m with
  | O => terms 0 P Q
  | S m' =>
      let up v y := I.div prec (I.mul prec (I.mul prec v y) (I.fromZ prec (Z.of_nat m))) (I.fromZ prec (i + 1)) in
      I.add prec (terms m P Q) (loop m' (i + 1) (up P (fst x)) (up Q (snd x)))
  end.
End Copies.

Definition many (n : nat) (y P : I.type) : I.type := I.mul prec P (I.power_int prec y (Z.of_nat n)).

Lemma has_many n i j x y : has i x -> has j y -> has (many n j i) (x * y ^ n).
Proof. intros hx hy. apply has_mul; [exact hx|now apply has_pow]. Qed.

Fixpoint terms (l : list (I.type * I.type)) (k : I.type -> I.type -> I.type) (n : nat) (P Q : I.type) : I.type :=
  match l with
  | [] => match n with O => k P Q | S _ => zero end
  | x :: l' =>
      match l' with
      | [] => k (many n (fst x) P) (many n (snd x) Q)
      | _ => loop (terms l' k) x n 0 P Q
      end
  end.

Lemma power_nil n f : total f (power [] (S n)) = 0.
Proof. reflexivity. Qed.

Lemma power_one x n : forall f, total f (power [x] n) = f (fst x ^ n) (snd x ^ n).
Proof.
induction n as [|n IH]; intros f; [simpl; ring|].
rewrite power_S; simpl total at 1; rewrite IH; simpl; ring.
Qed.

Lemma choose_S n i : (i < n)%nat -> C n (S i) = C n i * INR (n - i) / INR (S i).
Proof.
intros h. unfold C.
replace (n - i)%nat with (S (n - S i)) by lia.
rewrite 2!fact_simpl, 2!mult_INR. field.
repeat split; try apply INR_fact_neq_0; apply not_0_INR; lia.
Qed.

Lemma choose_ge0 n i : 0 <= C n i.
Proof.
unfold C. apply Rmult_le_pos; [apply pos_INR|]. apply Rlt_le, Rinv_0_lt_compat.
apply Rmult_lt_0_compat; apply INR_fact_lt_0.
Qed.

Lemma terms_correct k f : homogeneous f -> encloses k f -> forall l a, Forall2 has2 l a ->
  forall n, encloses (terms l k n) (fun p q => total (fun p' q' => f (p * p') (q * q')) (power a n)).
Proof.
intros hom hk. induction l as [|x l IH]; intros a h n i j p q hi hj.
{ inversion h; subst. destruct n as [|n].
  - simpl. rewrite !Rmult_1_r, Rplus_0_r. now apply hk.
  - rewrite power_nil. apply has_Z. }
inversion h as [|x' y l' b hx hl]; subst. destruct hx as [hx1 hx2].
destruct l as [|x2 l].
{ inversion hl; subst. simpl terms. rewrite power_one. apply hk; now apply has_many. }
set (l2 := x2 :: l) in *.
change (terms (x :: l2) k n i j) with (loop (terms l2 k) x n 0 i j).
clearbody l2.
assert (gen : forall m i0 I J, (i0 + m = n)%nat ->
  has I (C n i0 * (p * fst y ^ i0)) -> has J (C n i0 * (q * snd y ^ i0)) ->
  has (loop (terms l2 k) x m (Z.of_nat i0) I J)
   (sum_f_R0 (fun t => C n (i0 + t) * total (scaled (fun p' q' => f (p * p') (q * q')) y (i0 + t)) (power b (n - (i0 + t)))) m)).
{ assert (step : forall i0 m I J, (i0 + m = n)%nat ->
    has I (C n i0 * (p * fst y ^ i0)) -> has J (C n i0 * (q * snd y ^ i0)) ->
    has (terms l2 k m I J) (C n i0 * total (scaled (fun p' q' => f (p * p') (q * q')) y i0) (power b (n - i0)))).
  { intros i0 m I J e HI HJ. replace (n - i0)%nat with m by lia. rewrite <- total_scale.
    rewrite (total_ext _ (fun p' q' => f (C n i0 * (p * fst y ^ i0) * p') (C n i0 * (q * snd y ^ i0) * q'))).
    - apply (IH b hl m _ _ _ _ HI HJ).
    - intros p' q'. unfold scaled. rewrite hom by apply choose_ge0. f_equal; ring. }
  induction m as [|m IHm]; intros i0 I J e HI HJ; simpl loop.
  - simpl sum_f_R0. rewrite Nat.add_0_r. apply step; [lia|exact HI|exact HJ].
  - rewrite sum_shift. rewrite Nat.add_0_r. apply has_add; [apply step; [lia|exact HI|exact HJ]|].
    assert (up : forall V v yy w, has V (C n i0 * (v * w ^ i0)) -> has yy w ->
      has (I.div prec (I.mul prec (I.mul prec V yy) (I.fromZ prec (Z.pos (Pos.of_succ_nat m)))) (I.fromZ prec (Z.of_nat i0 + 1)))
        (C n (S i0) * (v * w ^ S i0))).
    { intros V v yy w hV hw. rewrite choose_S by lia. replace (n - i0)%nat with (S m) by lia.
      replace (C n i0 * INR (S m) / INR (S i0) * (v * w ^ S i0)) with (C n i0 * (v * w ^ i0) * w * INR (S m) / INR (S i0)) by (simpl pow; field; apply not_0_INR; lia).
      apply has_div; [|rewrite INR_IZR_INZ, Nat2Z.inj_succ; apply has_Z].
      apply has_mul; [now apply has_mul|]. rewrite INR_IZR_INZ. apply has_Z. }
    rewrite (sum_eq _ (fun t => C n (S i0 + t) * total (scaled (fun p' q' => f (p * p') (q * q')) y (S i0 + t)) (power b (n - (S i0 + t))))).
    2: { intros t _. replace (i0 + S t)%nat with (S i0 + t)%nat by lia. reflexivity. }
    replace (Z.of_nat i0 + 1)%Z with (Z.of_nat (S i0)) by lia.
    apply IHm; [lia| |]; replace (Z.of_nat (S i0)) with (Z.of_nat i0 + 1)%Z by lia; apply up; assumption. }
rewrite binomial. apply (gen n O i j); [reflexivity| |]; rewrite choose_0; simpl pow; rewrite Rmult_1_r, Rmult_1_l; assumption.
Qed.

Fixpoint evaluate (parts : list (list (I.type * I.type) * nat)) (k : I.type -> I.type -> I.type) (P Q : I.type) : I.type :=
  match parts with
  | [] => k P Q
  | part :: rest => terms (fst part) (evaluate rest k) (snd part) P Q
  end.

Definition has_part (i : list (I.type * I.type) * nat) (x : pair * nat) :=
  Forall2 has2 (fst i) (fst x) /\ snd i = snd x.

Lemma total_compose f part rest :
  total f (compose (part :: rest))
  = total (fun p q => total (fun p' q' => f (p * p') (q * q')) (compose rest)) (power (fst part) (snd part)).
Proof. unfold compose; simpl. apply total_times. Qed.

Lemma evaluate_correct k f : homogeneous f -> encloses k f -> forall parts xs, Forall2 has_part parts xs ->
  encloses (evaluate parts k) (fun p q => total (fun p' q' => f (p * p') (q * q')) (compose xs)).
Proof.
intros hom hk parts xs h. induction h as [|part x parts xs [h1 h2] h IH]; intros i j p q hi hj.
- simpl. rewrite !Rmult_1_r, Rplus_0_r. now apply hk.
- rewrite total_compose. simpl evaluate. rewrite h2.
  rewrite (total_ext _ (fun p' q' => (fun a b => total (fun c d => f (a * c) (b * d)) (compose xs)) (p * p') (q * q'))).
  2: { intros p' q'. apply total_ext; intros a b. f_equal; ring. }
  refine (terms_correct (evaluate parts k) (fun a b => total (fun c d => f (a * c) (b * d)) (compose xs)) _ IH _ _ h1 (snd x) i j p q hi hj).
  intros c a b hc. rewrite <- total_scale. apply total_ext; intros a' b'. rewrite hom by exact hc. f_equal; ring.
Qed.

(** * Outcomes of which one mass is 0 *)

Definition part := (list (mass * mass) * nat)%type.
Definition pair_of (l : list (mass * mass)) : pair := map (fun x => (val (fst x), val (snd x))) l.
Definition real (x : part) : pair * nat := (pair_of (fst x), snd x).
Definition reals (parts : list part) := map real parts.

Definition is_zero_mass (m : mass) := match m with Frac 0 _ => true | _ => false end.
Definition keeps (l : list (mass * mass)) : list bool :=
  map (fun x => negb (is_zero_mass (fst x) || is_zero_mass (snd x))) l.
Definition reduced (l : list (mass * mass)) : list (mass * mass) :=
  filter (fun x => negb (is_zero_mass (fst x) || is_zero_mass (snd x))) l.

Lemma zero_mass m : is_zero_mass m = true -> val m = 0.
Proof. destruct m as [[]| | | | | |]; simpl; try discriminate. intros _. unfold Rdiv; ring. Qed.

Lemma kept_reduced l : kept (keeps l) (pair_of l) = pair_of (reduced l).
Proof.
induction l as [|x l IH]; [reflexivity|]. unfold kept in *. simpl.
destruct (negb _); simpl; rewrite IH; reflexivity.
Qed.

Lemma keeps_zero l i : nth i (keeps l) true = false ->
  fst (nth i (pair_of l) (0, 0)) = 0 \/ snd (nth i (pair_of l) (0, 0)) = 0.
Proof.
revert i; induction l as [|x l IH]; intros [|i]; simpl; try discriminate.
- intros h. apply negb_false_iff, orb_true_iff in h. destruct h as [h|h]; [left|right]; now apply zero_mass.
- apply IH.
Qed.

Lemma power_reduced l n f : vanishing f -> total f (power (pair_of (reduced l)) n) = total f (power (pair_of l) n).
Proof.
intros v. rewrite <- kept_reduced. apply power_kept; [|exact v|apply keeps_zero].
unfold keeps, pair_of. now rewrite 2!map_length.
Qed.

Definition shorter (x : part) : part := (reduced (fst x), snd x).

Lemma compose_reduced parts : forall f, vanishing f ->
  total f (compose (reals (map shorter parts))) = total f (compose (reals parts)).
Proof.
induction parts as [|x parts IH]; intros f v; [reflexivity|].
simpl map. unfold reals. simpl map. rewrite 2!total_compose. simpl fst; simpl snd.
rewrite <- (power_reduced (fst x) (snd x)).
2: { intros p q e. apply total_vanish. intros p' q'. apply v. destruct e as [-> | ->]; [left|right]; ring. }
apply total_ext; intros p q. apply (IH (fun p' q' => f (p * p') (q * q'))).
apply vanishing_scaled; exact v.
Qed.

(** * The greatest difference *)

Definition proper (a : pair) := Forall (fun x => 0 <= fst x /\ 0 <= snd x) a.

Lemma proper_times a b : proper a -> proper b -> proper (times a b).
Proof.
intros ha hb. unfold proper in *. rewrite Forall_forall in *. intros z hz.
unfold times in hz. apply in_flat_map in hz. destruct hz as [x [hx hz]].
apply in_map_iff in hz. destruct hz as [y [<- hy]]. simpl.
destruct (ha x hx), (hb y hy). split; now apply Rmult_le_pos.
Qed.

Lemma proper_unit : proper [(1, 1)].
Proof. constructor; [simpl; lra|constructor]. Qed.

Lemma proper_power a n : proper a -> proper (power a n).
Proof. intros h; induction n as [|n IH]; [exact proper_unit|now apply proper_times]. Qed.

Lemma proper_compose xs : Forall (fun x => proper (fst x)) xs -> proper (compose xs).
Proof.
intros h; induction h as [|x xs hx h IH]; [exact proper_unit|].
apply proper_times; [now apply proper_power|exact IH].
Qed.

Lemma total_proper f g a : proper a -> (forall p q, 0 <= p -> 0 <= q -> f p q = g p q) -> total f a = total g a.
Proof. intros h e; induction h as [|x a [h1 h2] h IH]; [reflexivity|]. simpl. rewrite IH, (e _ _ h1 h2); reflexivity. Qed.

Definition excess eps p q := Rmax 0 (p - exp eps * q).
Definition first_mass (p q : R) := p.

(** δ is Σ (p − e^ε·q)₊ over the outcomes with both masses, and the P-mass of the others. *)
Lemma delta_reduced eps parts : Forall (fun x => proper (pair_of (fst x))) parts ->
  delta eps (compose (reals parts))
  = total first_mass (compose (reals parts)) - total first_mass (compose (reals (map shorter parts)))
    + total (excess eps) (compose (reals (map shorter parts))).
Proof.
intros h.
set (g := fun p q => - Rmin (Rmax 0 p) (exp eps * Rmax 0 q)).
assert (v : vanishing g).
{ assert (0 < exp eps) by apply exp_pos.
  intros p q e. unfold g.
  assert (m : forall r, 0 <= Rmax 0 r) by (intros; apply Rmax_l).
  destruct e as [-> | ->]; rewrite (Rmax_left 0 0) by lra.
  - rewrite Rmin_left; [ring|]. apply Rmult_le_pos; [lra|apply m].
  - rewrite Rmult_0_r, Rmin_right; [ring|apply m]. }
assert (e : forall ps, Forall (fun x => proper (pair_of (fst x))) ps ->
  total (excess eps) (compose (reals ps)) = total first_mass (compose (reals ps)) + total g (compose (reals ps))).
{ intros ps hp. rewrite <- total_plus. apply total_proper.
  - apply proper_compose. unfold reals. rewrite Forall_map. exact hp.
  - intros p q hp' hq. unfold excess, first_mass, g. rewrite (Rmax_right 0 p), (Rmax_right 0 q) by assumption.
    unfold Rmax, Rmin; destruct (Rle_dec 0 _), (Rle_dec p _); lra. }
unfold delta. fold (excess eps). change (fun p q => Rmax 0 (p - exp eps * q)) with (excess eps).
rewrite (e parts h), (e (map shorter parts)).
- rewrite (compose_reduced parts g v). ring.
- rewrite Forall_map. eapply Forall_impl; [|exact h]. intros x hx. unfold shorter; simpl.
  rewrite <- kept_reduced. unfold proper, kept in *. rewrite Forall_forall in *. intros y hy.
  apply in_map_iff in hy. destruct hy as [z [<- hz]]. apply filter_In in hz. destruct hz as [hz _].
  destruct z as [b y]. apply in_combine_r in hz. now apply hx.
Qed.

Lemma mass_compose part rest : total first_mass (compose (part :: rest))
  = total first_mass (fst part) ^ snd part * total first_mass (compose rest).
Proof.
rewrite total_compose. unfold first_mass.
assert (pw : forall a n c, total (fun p q => p * c) (power a n) = total (fun p _ => p) a ^ n * c).
{ intros a n. induction n as [|n IH]; intros c; [simpl; ring|]. rewrite power_S.
  rewrite (total_ext _ (fun p q => (total (fun p _ => p) a ^ n * c) * p)).
  2: { intros p q. rewrite Rmult_comm, <- IH, <- total_scale. apply total_ext; intros; ring. }
  rewrite total_scale. simpl pow. ring. }
rewrite (total_ext _ (fun p q => p * total (fun p _ => p) (compose rest))).
- apply pw.
- intros p q. rewrite <- total_scale. reflexivity.
Qed.

(** * What is computed *)

Definition atoms (l : list (mass * mass)) := map (fun x => (enclosure (fst x), enclosure (snd x))) l.
Definition encl (x : part) := (atoms (fst x), snd x).

Lemma has_atoms l : Forall2 has2 (atoms l) (pair_of l).
Proof. induction l as [|x l IH]; constructor; [split; apply has_mass|exact IH]. Qed.

Lemma has_parts parts : Forall2 has_part (map encl parts) (reals parts).
Proof. induction parts as [|x l IH]; constructor; [split; [apply has_atoms|reflexivity]|exact IH]. Qed.

Definition masses (l : list (mass * mass)) := fold_right (fun x s => I.add prec (enclosure (fst x)) s) zero l.
Lemma has_masses l : has (masses l) (total first_mass (pair_of l)).
Proof. induction l as [|x l IH]; simpl; [apply has_Z|]. apply has_add; [apply has_mass|exact IH]. Qed.

Definition mass_of (parts : list part) := fold_right (fun x s => many (snd x) (masses (fst x)) s) one parts.
Lemma has_mass_of parts : has (mass_of parts) (total first_mass (compose (reals parts))).
Proof.
induction parts as [|x l IH].
- simpl. unfold first_mass. rewrite Rplus_0_r. apply has_Z.
- unfold reals. simpl map. rewrite mass_compose. rewrite Rmult_comm. simpl. apply has_many; [exact IH|apply has_masses].
Qed.

Definition nonnegative (m : mass) := match I.sign_large (enclosure m) with Xeq | Xgt => true | _ => false end.
Lemma nonnegative_correct m : nonnegative m = true -> 0 <= val m.
Proof.
unfold nonnegative. generalize (I.sign_large_correct (enclosure m)).
case (I.sign_large (enclosure m)); intros s e; try discriminate.
- generalize (s _ (has_mass m)); intros e'; injection e'; intros ->; lra.
- exact (proj2 (s _ (has_mass m))).
Qed.

Definition all_proper (parts : list part) :=
  forallb (fun x => forallb (fun y => nonnegative (fst y) && nonnegative (snd y)) (fst x)) parts.
Lemma all_proper_correct parts : all_proper parts = true -> Forall (fun x => proper (pair_of (fst x))) parts.
Proof.
unfold all_proper. rewrite forallb_forall, Forall_forall. intros h x hx.
unfold proper, pair_of. rewrite Forall_map, Forall_forall. intros y hy.
specialize (h x hx). rewrite forallb_forall in h. specialize (h y hy).
apply andb_true_iff in h. split; simpl; apply nonnegative_correct; apply h.
Qed.

Definition lost (parts : list part) : I.type :=
  if forallb (fun x => Nat.eqb (length (reduced (fst x))) (length (fst x))) parts then zero
  else I.sub prec (mass_of parts) (mass_of (map shorter parts)).

Lemma reduced_all (l : list (mass * mass)) : length (reduced l) = length l -> reduced l = l.
Proof.
unfold reduced. intros h.
assert (le : forall f (m : list (mass * mass)), (length (filter f m) <= length m)%nat).
{ intros f m; induction m as [|y m IHm]; simpl; [lia|]; destruct (f y); simpl; lia. }
induction l as [|x l IH]; [reflexivity|]. simpl in *. destruct (negb _).
- f_equal. apply IH. now injection h.
- exfalso. pose proof (le (fun x : mass * mass => negb (is_zero_mass (fst x) || is_zero_mass (snd x))) l). lia.
Qed.

Lemma has_lost parts : has (lost parts)
  (total first_mass (compose (reals parts)) - total first_mass (compose (reals (map shorter parts)))).
Proof.
unfold lost.
case_eq (forallb (fun x => Nat.eqb (length (reduced (fst x))) (length (fst x))) parts); intros e.
{ assert (same : map shorter parts = parts); [|rewrite same, Rminus_diag_eq by reflexivity; apply has_Z].
  rewrite forallb_forall in e. rewrite <- (map_id parts) at 2. apply map_ext_in. intros [l n] hx.
  unfold shorter; simpl. f_equal. apply reduced_all. apply Nat.eqb_eq. exact (e _ hx). }
apply has_sub; apply has_mass_of.
Qed.

Definition total_delta (eps : mass) (parts : list part) : I.type :=
  let alpha := I.exp prec (enclosure eps) in
  I.add prec (lost parts)
    (evaluate (map encl (map shorter parts)) (fun P Q => positive (I.sub prec P (I.mul prec alpha Q))) one one).

Lemma has_delta eps parts : all_proper parts = true ->
  has (total_delta eps parts) (delta (val eps) (compose (reals parts))).
Proof.
intros h. rewrite delta_reduced by now apply all_proper_correct.
apply has_add; [apply has_lost|].
rewrite (total_ext _ (fun p q => excess (val eps) (1 * p) (1 * q))).
2: { intros; now rewrite !Rmult_1_l. }
apply (evaluate_correct _ (excess (val eps))).
- intros c p q hc. unfold excess. rewrite <- RmaxRmult by exact hc. f_equal; ring.
- intros i j p q hi hj. apply has_positive, has_sub; [exact hi|]. apply has_mul; [|exact hj].
  apply has_exp, has_mass.
- apply has_parts.
- apply has_Z.
- apply has_Z.
Qed.

Definition is_at_most eps parts d :=
  all_proper parts && match I.sign_large (I.sub prec (total_delta eps parts) (enclosure d)) with Xlt | Xeq => true | _ => false end.
Definition is_above eps parts d :=
  all_proper parts && match I.sign_strict (I.sub prec (total_delta eps parts) (enclosure d)) with Xgt => true | _ => false end.

Theorem at_most eps parts d : is_at_most eps parts d = true -> delta (val eps) (compose (reals parts)) <= val d.
Proof.
unfold is_at_most. rewrite andb_true_iff. intros [h s].
generalize (has_sub _ _ _ _ (has_delta eps parts h) (has_mass d)); intros c.
generalize (I.sign_large_correct (I.sub prec (total_delta eps parts) (enclosure d))).
revert s; case (I.sign_large _); intros s; try discriminate; intros e.
- generalize (e _ c); intros e'; injection e'; lra.
- generalize (proj2 (e _ c)); simpl; lra.
Qed.

Theorem above eps parts d : is_above eps parts d = true -> val d < delta (val eps) (compose (reals parts)).
Proof.
unfold is_above. rewrite andb_true_iff. intros [h s].
generalize (has_sub _ _ _ _ (has_delta eps parts h) (has_mass d)); intros c.
generalize (I.sign_strict_correct (I.sub prec (total_delta eps parts) (enclosure d))).
revert s; case (I.sign_strict _); intros s; try discriminate; intros e.
generalize (proj2 (e _ c)); simpl; lra.
Qed.

(** * Basic composition *)

(** A part whose losses are at most e, but on a set of P-mass m, where the loss is infinite. *)
Definition bounded (l : list (mass * mass)) (e m : Q) :=
  total first_mass (pair_of l) = 1 /\ total first_mass (pair_of (reduced l)) = 1 - Q2R m /\
  Forall (fun x => fst x <= exp (Q2R e) * snd x) (pair_of (reduced l)).

Lemma bounded_times a b x y : proper a -> proper b ->
  Forall (fun z => fst z <= exp x * snd z) a -> Forall (fun z => fst z <= exp y * snd z) b ->
  Forall (fun z => fst z <= exp (x + y) * snd z) (times a b).
Proof.
unfold proper; rewrite !Forall_forall. intros pa pb ha hb z hz.
apply in_flat_map in hz. destruct hz as [v [hv hz]]. apply in_map_iff in hz. destruct hz as [w [<- hw]].
simpl. rewrite exp_plus.
replace (exp x * exp y * (snd v * snd w)) with ((exp x * snd v) * (exp y * snd w)) by ring.
apply Rmult_le_compat; [apply pa | apply pb | apply ha | apply hb]; assumption.
Qed.

Lemma proper_reduced l : proper (pair_of l) -> proper (pair_of (reduced l)).
Proof.
unfold proper, pair_of, reduced. rewrite !Forall_map, !Forall_forall. intros h x hx.
apply h. now apply filter_In in hx.
Qed.

Definition loss_of (parts : list part) (bounds : list (Q * Q)) : Q :=
  fold_right (fun xb s => (inject_Z (Z.of_nat (snd (fst xb))) * fst (snd xb) + s)%Q) 0%Q (combine parts bounds).

Fixpoint Qpow (x : Q) (n : nat) : Q := match n with O => 1%Q | S n => (x * Qpow x n)%Q end.
Definition finite_mass (parts : list part) (bounds : list (Q * Q)) : Q :=
  fold_right (fun xb s => (Qpow (1 - snd (snd xb)) (snd (fst xb)) * s)%Q) 1%Q (combine parts bounds).

Lemma Q2R_pow x n : Q2R (Qpow x n) = Q2R x ^ n.
Proof. induction n as [|n IH]; simpl; [unfold Q2R; simpl; field|rewrite Q2R_mult, IH; reflexivity]. Qed.

Lemma Q2R_Z z : Q2R (inject_Z z) = IZR z.
Proof. unfold Q2R; simpl; field. Qed.

Lemma bounded_power a n x : proper a -> Forall (fun z => fst z <= exp x * snd z) a ->
  Forall (fun z => fst z <= exp (IZR (Z.of_nat n) * x) * snd z) (power a n).
Proof.
intros pa h; induction n as [|n IH].
- constructor; [simpl; rewrite Rmult_0_l, exp_0; lra|constructor].
- replace (IZR (Z.of_nat (S n)) * x) with (x + IZR (Z.of_nat n) * x) by (rewrite Nat2Z.inj_succ, succ_IZR; ring).
  apply bounded_times; [exact pa|now apply proper_power|exact h|exact IH].
Qed.

Theorem basic_composition eps parts bounds d : all_proper parts = true ->
  Forall2 (fun x b => bounded (fst x) (fst b) (snd b)) parts bounds ->
  Qle_bool (loss_of parts bounds) eps && Qle_bool (1 - finite_mass parts bounds) d = true ->
  delta (Q2R eps) (compose (reals parts)) <= Q2R d.
Proof.
intros hp hb hq. apply all_proper_correct in hp. apply andb_true_iff in hq. destruct hq as [he hd].
apply Qle_bool_iff, Qle_Rle in he. apply Qle_bool_iff, Qle_Rle in hd.
rewrite delta_reduced by exact hp.
assert (m : total first_mass (compose (reals parts)) = 1 /\
  total first_mass (compose (reals (map shorter parts))) = Q2R (finite_mass parts bounds)).
{ clear he hd hp. induction hb as [|x b parts bounds [h1 [h2 _]] hb IH].
  - simpl; unfold first_mass, Q2R; simpl; split; field.
  - destruct IH as [IH1 IH2]. split.
    + change (reals (x :: parts)) with (real x :: reals parts). rewrite mass_compose, IH1. simpl. rewrite h1, pow1. ring.
    + change (reals (map shorter (x :: parts))) with (real (shorter x) :: reals (map shorter parts)).
      rewrite mass_compose, IH2. unfold finite_mass. simpl. rewrite h2, Q2R_mult, Q2R_pow, Q2R_minus.
      replace (Q2R 1) with 1 by (unfold Q2R; simpl; field). reflexivity. }
assert (b : Forall (fun z => fst z <= exp (Q2R (loss_of parts bounds)) * snd z) (compose (reals (map shorter parts)))).
{ clear he hd m. induction hb as [|x b parts bounds [_ [_ h]] hb IH].
  - constructor; [|constructor]. simpl. unfold Q2R; simpl. rewrite Rmult_0_l, exp_0; lra.
  - inversion hp; subst. unfold loss_of. simpl. rewrite Q2R_plus, Q2R_mult, Q2R_Z.
    apply bounded_times.
    + apply proper_power. simpl. now apply proper_reduced.
    + apply proper_compose. unfold reals. rewrite 2!Forall_map. eapply Forall_impl; [|eassumption].
      intros y. apply proper_reduced.
    + simpl. apply bounded_power; [now apply proper_reduced|exact h].
    + now apply IH. }
assert (pr : proper (compose (reals (map shorter parts)))).
{ apply proper_compose. unfold reals. rewrite 2!Forall_map. eapply Forall_impl; [|exact hp].
  intros y. apply proper_reduced. }
assert (z : total (excess (Q2R eps)) (compose (reals (map shorter parts))) = 0).
{ unfold proper in pr. revert b pr. generalize (compose (reals (map shorter parts))). clear - he.
  intros a b pr. induction b as [|x a h b IH]; [reflexivity|]. inversion pr as [|x' a' hx ha]; subst. simpl.
  rewrite IH by exact ha. unfold excess. rewrite Rmax_left; [ring|].
  assert (exp (Q2R (loss_of parts bounds)) * snd x <= exp (Q2R eps) * snd x); [|lra].
  apply Rmult_le_compat_r; [apply hx|]. destruct he as [he| ->]; [left; now apply exp_increasing|right; reflexivity]. }
rewrite z. destruct m as [-> ->]. rewrite Q2R_minus in hd. replace (Q2R 1) with 1 in hd by (unfold Q2R; simpl; field). lra.
Qed.
End Precision.

(** The roles of P and Q exchanged, in expressions. *)
Definition turned (l : list (mass * mass)) : list (mass * mass) := map (fun x => (snd x, fst x)) l.

Lemma exp_opposite n x y : y = - (IZR (Z.of_nat n) * x) -> exp y = / exp x ^ n.
Proof.
intros ->. rewrite exp_Ropp, <- INR_IZR_INZ. f_equal.
induction n as [|n IH]; [simpl; rewrite Rmult_0_l; apply exp_0|].
rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, IH. simpl. ring.
Qed.

(** Equations and inequalities between masses, which have exp (x) > 0 in their denominators. *)
Ltac reals_of := cbv [turned pair_of reduced filter map is_zero_mass negb orb total fold_right first_mass val fst snd Q2R Qnum Qden Rdiv].
Ltac masses :=
  repeat match goal with |- context [exp ?x] =>
    let e := fresh "e" in let h := fresh "h" in
    assert (h : 0 < exp x) by apply exp_pos; revert h; generalize (exp x); intros e h end;
  field; repeat split; lra.
Ltac bounded_part losses :=
  cbv [fst snd]; split; [|split]; reals_of;
  [ masses | masses | repeat apply Forall_cons; try apply Forall_nil; cbv [fst snd]; losses; first [ interval | right; masses ] ].
Ltac bounded_parts losses := repeat apply Forall2_cons; try apply Forall2_nil; bounded_part losses.
