(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Leaves of vectors for Poisson samples of Gaussian noise, with integrals over the line. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Composition Vector.
Import ListNotations.
Local Open Scope R_scope.

(** * The line *)

(** f has a majorant g ≥ 0 all integrals of which over intervals are at most c. *)
Definition line_Ub (f : R -> R) (c : R) : Prop :=
  exists g, (forall x, f x <= g x /\ 0 <= g x) /\ forall u v, u <= v -> exists I, is_RInt g u v I /\ I <= c.

(** f ≥ 0 has minorants with integrals over intervals that are as near to c as one likes, or above it. *)
Definition line_Lb (f : R -> R) (c : R) : Prop :=
  (forall x, 0 <= f x) /\ forall e, 0 < e -> exists g u v I, u <= v /\ (forall x, u < x < v -> g x <= f x) /\
    is_RInt g u v I /\ c - e <= I.

Definition line : space.
Proof.
refine {| car := R; Ub := line_Ub; Lb := line_Lb |}.
- intros f g c d fg cd (h & h1 & h2). exists h. split; [intros x; destruct (h1 x); specialize (fg x); lra|].
  intros u v uv. destruct (h2 u v uv) as (I & i & le). exists I. split; [easy|lra].
- intros f g c d (h & h1 & h2) (k & k1 & k2). exists (fun x => h x + k x).
  split; [intros x; destruct (h1 x), (k1 x); lra|].
  intros u v uv. destruct (h2 u v uv) as (I & i & le), (k2 u v uv) as (J & j & le'). exists (I + J). split; [|lra].
  apply (is_RInt_plus (V := R_NormedModule)); assumption.
- intros f c k k0 (h & h1 & h2). exists (fun x => k * h x). split.
  + intros x. destruct (h1 x). split; [now apply Rmult_le_compat_l|now apply Rmult_le_pos].
  + intros u v uv. destruct (h2 u v uv) as (I & i & le). exists (k * I). split; [|now apply Rmult_le_compat_l].
    apply (is_RInt_scal (V := R_NormedModule)); assumption.
- exists (fun _ => 0). split; [intros; lra|]. intros u v uv. exists 0. split; [|lra].
  assert (j : is_RInt (fun _ => 0) u v (scal (v - u) 0)) by apply (is_RInt_const (V := R_NormedModule)).
  replace (scal (v - u) 0) with 0 in j; [exact j|]. unfold scal; simpl; unfold mult; simpl; ring.
- intros f g c d gf dc [g0 h]. split; [intros x; specialize (g0 x); specialize (gf x); lra|]. intros e e0.
  destruct (h e e0) as (k & u & v & I & uv & le & i & ci). exists k, u, v, I. repeat split; auto; [|lra].
  intros x hx. specialize (le x hx). specialize (gf x). lra.
- intros f c d [_ h] (G & hG & j). apply Rnot_lt_le. intros lt.
  destruct (h ((c - d) / 2) ltac:(lra)) as (k & u & v & I & uv & le & i & ci).
  destruct (j u v uv) as (J & ij & jd). assert (I <= J); [|lra]. apply (is_RInt_le k G u v); auto.
  intros x hx. specialize (le x hx). destruct (hG x). lra.
Defined.

Lemma of_at_most f d : at_most f d -> Ub (s := line) (fun x => Rmax 0 (f x)) d.
Proof. intros h. exists (fun x => Rmax 0 (f x)). split; [intros; split; [lra|apply Rmax_l]|exact h]. Qed.

(** * Kinks of a leaf *)

Fixpoint sparse (i : Z) (l : list Z) : list (Z * Z) :=
  match l with nil => nil | a :: l' => if (a =? 0)%Z then sparse (i + 1) l' else (i, a) :: sparse (i + 1) l' end.
Fixpoint rising (l : list (Z * Z)) : bool :=
  match l with x :: (y :: _) as l' => (fst x <? fst y)%Z && rising l' | _ => true end.

Section Kinks.
Variables (M : Z) (D0 : R) (lv : nat).
Let d := D D0 lv.
Hypothesis Mp : (0 < M)%Z.
Hypothesis D0p : 0 < D0.
Definition ms (sp : list (Z * Z)) : meas := map (fun x => (IZR (snd x) / IZR M, exp (- IZR (fst x) * d))) sp.
Fixpoint below (i : Z) (sp : list (Z * Z)) : R :=
  match sp with
  | nil => 0
  | (j, m) :: sp' => IZR m / IZR M * (if (j <=? i)%Z then 1 else exp (IZR (i - j) * d)) + below i sp'
  end.

Lemma dp : 0 < d.
Proof. apply Rmult_lt_0_compat; [exact D0p|]. apply pow_lt. lra. Qed.
Lemma E_sparse f l : forall i, E (mu M D0 lv i l) f = E (ms (sparse i l)) f.
Proof.
induction l as [|a l ih]; intros i; simpl; [easy|]. rewrite ih. destruct (Z.eqb_spec a 0) as [->|]; simpl.
- unfold Rdiv. ring.
- easy.
Qed.

Lemma below_is i sp : E (ms sp) (fun r => Rmin 1 (exp (IZR i * d) * r)) = below i sp.
Proof.
pose proof dp as dpos. induction sp as [|[j m] sp ih]; simpl; [easy|]. rewrite ih. f_equal. f_equal.
rewrite <- exp_plus.
replace (IZR i * d + - IZR j * d) with (IZR (i - j) * d) by (rewrite minus_IZR; ring).
destruct (Z.leb_spec j i) as [h|h].
- apply Rmin_left. rewrite <- exp_0. assert (0 <= IZR (i - j) * d) by (apply Rmult_le_pos; [apply IZR_le; lia|lra]).
  destruct H as [H|H]; [left; now apply exp_increasing|rewrite H; lra].
- apply Rmin_right. rewrite <- exp_0. left. apply exp_increasing.
  apply Rmult_lt_reg_r with (/ d); [now apply Rinv_0_lt_compat|].
  rewrite Rmult_assoc, Rinv_r, Rmult_1_r, Rmult_0_l by lra. apply IZR_lt. lia.
Qed.

Lemma rising_tail l1 : forall l2 x, rising (l1 ++ x :: l2) = true -> forall y, In y l2 -> (fst x < fst y)%Z.
Proof.
induction l1 as [|z l1 ih]; intros l2 x h y i.
- cbn [app] in h. revert x h. induction l2 as [|w l2 ih]; [easy|]. intros x h. cbn [rising] in h.
  apply andb_true_iff in h as [h1 h2].
  apply Z.ltb_lt in h1. destruct i as [<-|i]; [easy|]. specialize (ih i w h2). lia.
- apply (ih l2 x); [|easy]. cbn [app rising] in h. destruct (l1 ++ x :: l2); [easy|].
  now apply andb_true_iff in h as [_ h].
Qed.

Theorem leaf_dominated (X : space) p q i0 leaf sp :
  (forall x, 0 <= p x) -> (forall x, 0 <= q x) -> sparse i0 leaf = sp -> rising sp = true ->
  Ub (fun x : X => Rmax 0 (p x - 0 * q x)) 1 ->
  List.Forall (fun k => Ub (fun x : X => Rmax 0 (p x - exp (IZR (fst k) * d) * q x)) (1 - below (fst k) sp)) sp ->
  dominated (mu M D0 lv i0 leaf) X p q.
Proof.
intros p0 q0 es rs h0 hk. pose proof dp as dpos.
assert (dm : dominated (ms sp) X p q).
{ apply leaves; auto.
  - intros w r i. apply in_map_iff in i as [x [e _]]. inversion e. apply exp_pos.
  - apply (ub_le X _ (fun x => Rmax 0 (p x - 0 * q x)) 1 _); [intros; lra| |exact h0]. right. unfold u.
    rewrite (E_ext _ _ (fun _ => 0 * 1)), (E_scale _ (fun _ => 1)); [ring|]. intros. rewrite Rmin_right; lra.
  - intros w r i. apply in_map_iff in i as [x [e i]]. inversion e; subst w r. rewrite List.Forall_forall in hk.
    specialize (hk x i).
    replace (/ exp (- IZR (fst x) * d)) with (exp (IZR (fst x) * d)) by (rewrite <- exp_Ropp; f_equal; ring).
    unfold u. now rewrite below_is.
  - intros l1 l2 w r e w' r' i. unfold ms in e. apply map_eq_app in e as (a & b & -> & <- & e).
    destruct b as [|x b]; [easy|]. inversion e; subst. apply in_map_iff in i as [y [ey i]]. inversion ey; subst.
    apply exp_increasing. pose proof (rising_tail a b x rs y i) as lt. apply IZR_lt in lt.
    apply Rmult_lt_compat_r; lra. }
destruct dm as (d1 & d2 & d3). split; [easy|split; [easy|]]. intros a b a0 b0. unfold U. rewrite E_sparse, es.
now apply d3.
Qed.
End Kinks.

(** * Poisson samples of Gaussian noise *)

Section Sampled.
Variables gamma m : R.
Hypothesis g0 : 0 < gamma <= 1.
Hypothesis m0 : 0 < m.
Definition P x := gamma * phi (x - m) + (1 - gamma) * phi x.
Definition Q x := phi x.
Lemma P_pos x : 0 <= P x.
Proof. unfold P. pose proof (phi_pos (x - m)). pose proof (phi_pos x). nra. Qed.
Lemma Q_pos x : 0 <= Q x. Proof. left. apply phi_pos. Qed.

Lemma phi_total s : Ub (s := line) (fun x => phi (x - s)) 1.
Proof.
exists (fun x => phi (x - s)). split; [intros x; pose proof (phi_pos (x - s)); lra|]. intros v w vw.
exists (RInt phi (v - s) (w - s)). split; [|apply phi_integral; lra].
replace (v - s) with (1 * v + - s) by ring. replace (w - s) with (1 * w + - s) by ring.
pose proof (is_RInt_comp_lin (V := R_NormedModule) phi 1 (- s) v w (RInt phi (1 * v + - s) (1 * w + - s))) as c.
eapply is_RInt_ext; [|apply c, (RInt_correct (V := R_CompleteNormedModule)), ex_phi].
intros x _. unfold scal; simpl; unfold mult; simpl. rewrite Rmult_1_l. f_equal. ring.
Qed.

(** Below 1 − γ, P is above α·Q everywhere. *)
Lemma low_kink al d : al <= 1 - gamma -> 1 - al <= d -> Ub (s := line) (fun x => Rmax 0 (P x - al * Q x)) d.
Proof.
intros h hd. apply (ub_le line _ (fun x => gamma * phi (x - m) + (1 - gamma - al) * phi (x - 0))
  (gamma * 1 + (1 - gamma - al) * 1)); [|lra|].
- intros x. rewrite Rminus_0_r. unfold P, Q. pose proof (phi_pos (x - m)). pose proof (phi_pos x).
  assert (0 <= (1 - gamma - al) * phi x) by (apply Rmult_le_pos; lra). apply Rmax_lub; [|lra].
  assert (0 <= gamma * phi (x - m)) by (apply Rmult_le_pos; lra). lra.
- apply ub_add; apply ub_scale; try lra; apply phi_total.
Qed.

(** Roles exchanged. *)
Lemma back_low d : 1 <= d -> Ub (s := line) (fun x => Rmax 0 (Q x - 0 * P x)) d.
Proof.
intros h. apply (ub_le line _ (fun x => phi (x - 0)) 1 d); [|easy|apply phi_total].
intros x. rewrite Rminus_0_r. unfold Q. apply Rmax_lub; [left; apply phi_pos|lra].
Qed.
Lemma back_high al d : 1 <= al * (1 - gamma) -> 0 < al -> 0 <= d -> Ub (s := line) (fun x => Rmax 0 (Q x - al * P x)) d.
Proof.
intros h a0 d0. apply (ub_le line _ (fun _ => 0) 0 d); [|easy|apply ub_zero].
intros x. apply Rmax_lub; [lra|]. unfold P, Q. pose proof (phi_pos (x - m)). pose proof (phi_pos x).
assert (0 <= al * gamma * phi (x - m)) by (apply Rmult_le_pos; [|lra]; apply Rmult_le_pos; lra).
assert (0 <= (al * (1 - gamma) - 1) * phi x) by (apply Rmult_le_pos; lra). lra.
Qed.
End Sampled.
