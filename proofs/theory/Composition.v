(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Adaptive composition, vectors of the upper side, and a checker that Coq runs. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
Import ListNotations.
Local Open Scope R_scope.

(** * Outputs, composition and δ *)

(** Outputs with what it means that the integral of a function is at most c. Only this is asked of integrals, so
    that upper integrals will do, and nothing has to be said of measurability. *)
Record space := {
  car :> Type;
  Ub : (car -> R) -> R -> Prop;
  ub_le : forall f g c d, (forall x, f x <= g x) -> c <= d -> Ub g c -> Ub f d;
  ub_add : forall f g c d, Ub f c -> Ub g d -> Ub (fun x => f x + g x) (c + d);
  ub_scale : forall f c k, 0 <= k -> Ub f c -> Ub (fun x => k * f x) (k * c);
  ub_zero : Ub (fun _ => 0) 0 }.
Arguments Ub {_}.

(** Mechanisms one after the other, each a pair of densities; which one comes next may depend on the output. *)
Inductive tree := Ret | Node (X : space) (p q : X -> R) (next : X -> tree).

(** δ: the iterated (upper) integral of max(0, a·Πp − b·Πq) is at most d. *)
Inductive delta_le : tree -> R -> R -> R -> Prop :=
| dl_ret a b d : Rmax 0 (a - b) <= d -> delta_le Ret a b d
| dl_node (X : space) p q next a b F d :
    (forall x : X, delta_le (next x) (a * p x) (b * q x) (F x)) -> Ub F d -> delta_le (Node X p q next) a b d.

Definition class := forall X : space, (X -> R) -> (X -> R) -> Prop.

(** n mechanisms of a class, and then one of T. *)
Inductive runs (C : class) (T : tree -> Prop) : nat -> tree -> Prop :=
| r0 t : T t -> runs C T 0 t
| rS n X p q next : C X p q -> (forall x, runs C T n (next x)) -> runs C T (S n) (Node X p q next).

Lemma runs_app C T n m t : runs C T (n + m) t -> runs C (runs C T m) n t.
Proof.
revert t; induction n as [|n ih]; simpl; intros t h; [now constructor|].
inversion h; subst. constructor; auto.
Qed.

Lemma delta_le_mono t a b d d' : d <= d' -> delta_le t a b d -> delta_le t a b d'.
Proof.
intros h e. destruct e as [a b d e|X p q next a b F d e u].
- constructor; lra.
- apply dl_node with F; [exact e|]. apply (ub_le X F F d d'); auto; intros; lra.
Qed.

(** * Masses at likelihood ratios *)

Definition meas := list (R * R).   (* mass, q/p *)
Fixpoint E (m : meas) (f : R -> R) : R := match m with nil => 0 | (w, r) :: m' => w * f r + E m' f end.
Definition pos (m : meas) := forall w r, In (w, r) m -> 0 <= w /\ 0 <= r.
Definition ok m := pos m /\ E m (fun _ => 1) <= 1.
Definition U m a b := a - E m (fun r => Rmin a (b * r)).
Definition times (m n : meas) : meas := flat_map (fun x => map (fun y => (fst x * fst y, snd x * snd y)) n) m.

Lemma E_ext m f g : (forall r, f r = g r) -> E m f = E m g.
Proof. intros h; induction m as [|[w r] m ih]; simpl; [easy|]. now rewrite h, ih. Qed.
Lemma E_ext_in m f g : (forall w r, In (w, r) m -> f r = g r) -> E m f = E m g.
Proof.
intros h; induction m as [|[w r] m ih]; simpl; [easy|]. rewrite (h w r) by now left. rewrite ih; [easy|].
intros w' r' i. apply (h w'). now right.
Qed.
Lemma pos_cons w r m : pos ((w, r) :: m) -> 0 <= w /\ 0 <= r /\ pos m.
Proof. intros h. destruct (h w r (or_introl eq_refl)). split; [easy|split; [easy|]]. intros w' r' i. apply h. now right. Qed.
Lemma E_le m f g : pos m -> (forall r, 0 <= r -> f r <= g r) -> E m f <= E m g.
Proof.
intros h fg; induction m as [|[w r] m ih]; simpl; [lra|]. apply pos_cons in h as (hw & hr & hm).
specialize (ih hm). pose proof (Rmult_le_compat_l w _ _ hw (fg r hr)). lra.
Qed.
Lemma E_app m n f : E (m ++ n) f = E m f + E n f.
Proof. induction m as [|[w r] m ih]; simpl; [lra|]. rewrite ih; lra. Qed.
Lemma E_scale m f c : E m (fun r => c * f r) = c * E m f.
Proof. induction m as [|[w r] m ih]; simpl; [lra|]. rewrite ih; ring. Qed.
Lemma E_plus m f g : E m (fun r => f r + g r) = E m f + E m g.
Proof. induction m as [|[w r] m ih]; simpl; [lra|]. rewrite ih; ring. Qed.
Lemma E_times m n f : E (times m n) f = E m (fun r => E n (fun s => f (r * s))).
Proof.
induction m as [|[w r] m ih]; [easy|]. unfold times in *. simpl. rewrite E_app, ih. f_equal.
clear ih. induction n as [|[v s] n ih]; simpl; [ring|]. rewrite ih. ring.
Qed.
Lemma E_swap m n (f : R -> R -> R) : E m (fun r => E n (fun s => f r s)) = E n (fun s => E m (fun r => f r s)).
Proof.
induction m as [|[w r] m ih]; simpl.
- induction n as [|[v s] n ih]; simpl; [easy|]. rewrite <- ih. ring.
- rewrite ih, (E_plus n (fun s => w * f r s) (fun s => E m (fun r => f r s))), (E_scale n (fun s => f r s)). ring.
Qed.
Lemma pos_times m n : pos m -> pos n -> pos (times m n).
Proof.
intros hm hn w r h. unfold times in h. apply in_flat_map in h as [[x y] [h1 h2]].
apply in_map_iff in h2 as [[x' y'] [e h2]]. simpl in e. inversion e; subst.
destruct (hm _ _ h1), (hn _ _ h2). split; now apply Rmult_le_pos.
Qed.
Lemma ok_times m n : ok m -> ok n -> ok (times m n).
Proof.
intros [pm sm] [pn sn]. split; [now apply pos_times|]. rewrite E_times.
apply Rle_trans with (E m (fun _ => 1)); [|easy]. apply E_le; auto.
Qed.

Lemma min_max a b : Rmin a b = a - Rmax 0 (a - b).
Proof. unfold Rmin, Rmax; destruct (Rle_dec a b), (Rle_dec 0 (a - b)); lra. Qed.

Lemma U_is m a b : U m a b = a * (1 - E m (fun _ => 1)) + E m (fun r => Rmax 0 (a - b * r)).
Proof.
unfold U. induction m as [|[w r] m ih]; simpl; [ring|]. rewrite min_max.
replace (E m (fun r0 => Rmin a (b * r0))) with (a - (a - E m (fun r0 => Rmin a (b * r0)))) by ring. rewrite ih. ring.
Qed.

(** * Composition *)

Definition Dom m t := forall a b, 0 <= a -> 0 <= b -> delta_le t a b (U m a b).
Definition DomN (C : class) n m := forall (T : tree -> Prop) nu, ok nu -> (forall t, T t -> Dom nu t) ->
  forall t, runs C T n t -> Dom (times m nu) t.
Definition dominated m (X : space) (p q : X -> R) := (forall x, 0 <= p x) /\ (forall x, 0 <= q x) /\
  forall a b, 0 <= a -> 0 <= b -> Ub (fun x => Rmax 0 (a * p x - b * q x)) (U m a b).

Theorem one_step (C : class) m : (forall X p q, C X p q -> dominated m X p q) -> DomN C 1 m.
Proof.
intros dom T nu [pn sn] dn t r a b a0 b0. inversion r as [|n X p q next c rest]; subst.
destruct (dom X p q c) as (p0 & q0 & hb).
apply dl_node with (fun x => U nu (a * p x) (b * q x)).
{ intros x. specialize (rest x). inversion rest; subst. apply dn; [easy| |]; now apply Rmult_le_pos. }
assert (sums : Ub (fun x => E nu (fun s => Rmax 0 (a * p x - b * s * q x))) (E nu (fun s => U m a (b * s)))).
{ clear sn dn. induction nu as [|[w s] nu ih]; simpl; [apply ub_zero|]. apply pos_cons in pn as (hw & hs & pn).
  apply ub_add; [|now apply ih]. apply ub_scale; [easy|]. apply hb; [easy|now apply Rmult_le_pos]. }
assert (all : Ub (fun x => a * p x) a).
{ apply (ub_le X _ (fun x => Rmax 0 (a * p x - 0 * q x)) (U m a 0)); [intros; eapply Rle_trans; [|apply Rmax_r]; lra| |apply hb; lra].
  unfold U. rewrite (E_ext _ _ (fun _ => 0 * 1)), E_scale; [lra|]. intros. rewrite Rmin_right; lra. }
apply (ub_le X _ (fun x => (1 - E nu (fun _ => 1)) * (a * p x) + E nu (fun s => Rmax 0 (a * p x - b * s * q x)))
  ((1 - E nu (fun _ => 1)) * a + E nu (fun s => U m a (b * s)))).
- intros x. rewrite U_is. right. f_equal; [ring|]. apply E_ext. intros. f_equal. ring.
- right. assert (e : E nu (fun s => U m a (b * s)) = a * E nu (fun _ => 1) - E (times m nu) (fun r => Rmin a (b * r))).
  { rewrite E_times, E_swap. unfold U.
    rewrite (E_ext nu _ (fun s => a * 1 + (-1) * E m (fun r => Rmin a (b * (r * s))))).
    - rewrite (E_plus nu (fun _ => a * 1) (fun s => (-1) * E m (fun r => Rmin a (b * (r * s))))).
      rewrite (E_scale nu (fun _ => 1) a), (E_scale nu (fun s => E m (fun r => Rmin a (b * (r * s)))) (-1)). ring.
    - intros s. rewrite (E_ext m (fun r => Rmin a (b * s * r)) (fun r => Rmin a (b * (r * s)))) by (intros; f_equal; ring). ring. }
  rewrite e. unfold U. ring.
- apply ub_add; [apply ub_scale; [lra|exact all]|exact sums].
Qed.

(** Composition of what may be adaptive: bounds multiply. *)
Theorem composition C n n' m m' : DomN C n m -> DomN C n' m' -> ok m' -> DomN C (n + n') (times m m').
Proof.
intros h h' o T nu on dn t r a b a0 b0. apply runs_app in r.
apply delta_le_mono with (U (times m (times m' nu)) a b).
- right. unfold U. f_equal. rewrite !E_times. apply E_ext. intros. rewrite E_times. apply E_ext. intros. apply E_ext. intros. f_equal. ring.
- apply (h (runs C T n')) with (nu := times m' nu); auto using ok_times. intros. now apply (h' T).
Qed.

Theorem weaker C n m m' : (forall a b, 0 <= a -> 0 <= b -> E m' (fun r => Rmin a (b * r)) <= E m (fun r => Rmin a (b * r))) ->
  DomN C n m -> DomN C n m'.
Proof.
intros le h T nu on dn t r a b a0 b0. apply delta_le_mono with (U (times m nu) a b); [|now apply (h T)].
unfold U. rewrite !E_times, !(E_swap _ nu).
assert (E nu (fun s => E m' (fun r => Rmin a (b * (r * s)))) <= E nu (fun s => E m (fun r => Rmin a (b * (r * s))))); [|lra].
apply E_le; [apply on|]. intros s s0.
rewrite (E_ext m' _ (fun r => Rmin a (b * s * r))), (E_ext m _ (fun r => Rmin a (b * s * r))) by (intros; f_equal; ring).
apply le; [easy|now apply Rmult_le_pos].
Qed.

Theorem total C n m b : DomN C n m -> 0 <= b -> forall t, runs C (eq Ret) n t -> delta_le t 1 b (U m 1 b).
Proof.
intros h b0 t r. apply delta_le_mono with (U (times m [(1, 1)]) 1 b).
{ right. unfold U. f_equal. rewrite E_times. apply E_ext. intros. simpl. rewrite !Rmult_1_r. ring. }
apply (h (eq Ret)) with (nu := [(1, 1)]); try lra; auto.
- split; [intros w s [e|[]]; inversion e; lra|simpl; lra].
- intros t' <- a c a0 c0. constructor. unfold U. simpl. rewrite !Rmult_1_r, Rmult_1_l, min_max. lra.
Qed.

(** * A leaf is compared at its kinks *)

Definition u (ks : meas) al := 1 - E ks (fun r => Rmin 1 (al * r)).

Section Leaf.
Variables (X : space) (p q : X -> R) (ks : meas).
Hypothesis q0 : forall x, 0 <= q x.
Hypothesis p0 : forall x, 0 <= p x.
Hypothesis rs : forall w r, In (w, r) ks -> 0 < r.
Let h al := Ub (fun x => Rmax 0 (p x - al * q x)) (u ks al).

Lemma between x y al : x < y -> x <= al <= y -> (forall w r, In (w, r) ks -> r * x >= 1 \/ r * y <= 1) -> h x -> h y -> h al.
Proof.
intros xy hal apart hx hy. set (t := (y - al) / (y - x)).
assert (t0 : 0 <= t) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
assert (t1 : 0 <= 1 - t). { unfold t. replace (1 - (y - al) / (y - x)) with ((al - x) / (y - x)) by (field; lra).
  apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]. }
assert (e : al = t * x + (1 - t) * y) by (unfold t; field; lra).
unfold h. apply (ub_le X _ (fun z => t * Rmax 0 (p z - x * q z) + (1 - t) * Rmax 0 (p z - y * q z)) (t * u ks x + (1 - t) * u ks y)).
- intros z. pose proof (Rmax_l 0 (p z - x * q z)). pose proof (Rmax_r 0 (p z - x * q z)).
  pose proof (Rmax_l 0 (p z - y * q z)). pose proof (Rmax_r 0 (p z - y * q z)).
  apply Rmax_lub; [apply Rplus_le_le_0_compat; now apply Rmult_le_pos|].
  replace (p z - al * q z) with (t * (p z - x * q z) + (1 - t) * (p z - y * q z)) by (rewrite e; ring).
  apply Rplus_le_compat; now apply Rmult_le_compat_l.
- right. unfold u. rewrite (E_ext_in ks (fun r => Rmin 1 (al * r)) (fun r => t * Rmin 1 (x * r) + (1 - t) * Rmin 1 (y * r))).
  { rewrite (E_plus ks (fun r => t * Rmin 1 (x * r)) (fun r => (1 - t) * Rmin 1 (y * r))).
    rewrite (E_scale ks (fun r => Rmin 1 (x * r)) t), (E_scale ks (fun r => Rmin 1 (y * r)) (1 - t)). ring. }
  intros w r i. assert (r0 : 0 < r) by (eapply rs; eassumption).
  assert (x * r <= al * r) by (apply Rmult_le_compat_r; lra). assert (al * r <= y * r) by (apply Rmult_le_compat_r; lra).
  destruct (apart w r i) as [k|k].
  + rewrite !Rmin_left by lra. ring.
  + rewrite !Rmin_right by lra. rewrite e. ring.
- apply ub_add; apply ub_scale; auto.
Qed.

(** The kinks that are still to come, in their order. *)
Lemma from rest : forall x, 0 <= x -> h x -> (forall w r, In (w, r) ks -> r * x >= 1 \/ In (w, r) rest) ->
  (forall w r, In (w, r) rest -> 0 < r /\ r * x < 1 /\ h (/ r)) ->
  (forall l1 l2 w r, rest = l1 ++ (w, r) :: l2 -> forall w' r', In (w', r') l2 -> r' < r) ->
  forall al, x <= al -> h al.
Proof.
induction rest as [|[w r] rest ih]; intros x x0 hx done todo sorted al xal.
- unfold h. apply (ub_le X _ (fun z => Rmax 0 (p z - x * q z)) (u ks x)); [| |exact hx].
  + intros z. apply Rmax_lub; [apply Rmax_l|]. apply Rle_trans with (2 := Rmax_r _ _).
    assert (x * q z <= al * q z) by (apply Rmult_le_compat_r; auto). lra.
  + right. unfold u. f_equal. apply E_ext_in. intros w r i. destruct (done w r i) as [k|[]].
    assert (0 < r) by (eapply rs; eassumption).
    assert (x * r <= al * r) by (apply Rmult_le_compat_r; lra). rewrite !Rmin_left by lra. ring.
- destruct (todo w r (or_introl eq_refl)) as (r0 & rx & hr).
  assert (i : 0 < / r) by now apply Rinv_0_lt_compat. assert (ri : r * / r = 1) by (field; lra).
  assert (xr : x < / r). { apply Rmult_lt_reg_l with r; [easy|]. lra. }
  assert (later : forall w' r', In (w', r') rest -> r' < r) by (intros; eapply (sorted nil); [reflexivity|eassumption]).
  destruct (Rle_dec al (/ r)) as [k|k].
  + apply (between x (/ r)); auto. intros w' r' n. destruct (done w' r' n) as [d|[d|d]]; [now left|inversion d; subst; right; lra|].
    right. pose proof (later _ _ d). rewrite <- ri. apply Rmult_le_compat_r; lra.
  + apply (ih (/ r)); try lra; auto.
    * intros w' r' n. destruct (done w' r' n) as [d|[d|d]]; [|inversion d; subst; left; lra|now right].
      left. assert (r' * x <= r' * / r); [|lra]. apply Rmult_le_compat_l; [left; exact (rs w' r' n)|lra].
    * intros w' r' n. destruct (todo w' r' (or_intror n)) as (k1 & k2 & k3). repeat split; auto.
      pose proof (later w' r' n). rewrite <- ri. apply Rmult_lt_compat_r; lra.
    * intros l1 l2 w' r' e. apply (sorted ((w, r) :: l1) l2 w' r'). now rewrite e.
Qed.

Theorem leaves : h 0 -> (forall w r, In (w, r) ks -> h (/ r)) ->
  (forall l1 l2 w r, ks = l1 ++ (w, r) :: l2 -> forall w' r', In (w', r') l2 -> r' < r) -> dominated ks X p q.
Proof.
intros h0 hk sorted. split; [easy|split; [easy|]]. intros a b a0 b0.
assert (all : forall al, 0 <= al -> h al).
{ intros al hal. apply (from ks 0); auto; try lra. intros w r i. repeat split; eauto. lra. }
destruct a0 as [a0|<-].
- apply (ub_le X _ (fun x => a * Rmax 0 (p x - b / a * q x)) (a * u ks (b / a))).
  + intros x. right. rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. f_equal. field. lra.
  + right. unfold u, U. rewrite Rmult_minus_distr_l, <- E_scale, Rmult_1_r. f_equal. apply E_ext. intros r.
    unfold Rmin. assert (a * (b / a * r) = b * r) by (field; lra).
    destruct (Rle_dec 1 (b / a * r)) as [k|k], (Rle_dec a (b * r)) as [k'|k']; try lra; exfalso.
    * apply (Rmult_le_compat_l a) in k; lra.
    * apply Rnot_le_lt in k. apply (Rmult_lt_compat_l a) in k; lra.
  + apply ub_scale; [lra|]. apply all. apply Rmult_le_pos; [easy|left; now apply Rinv_0_lt_compat].
- apply (ub_le X _ (fun _ => 0) 0); [| |apply ub_zero].
  + intros x. apply Rmax_lub; [lra|]. assert (0 <= b * q x) by (apply Rmult_le_pos; auto). lra.
  + right. unfold U. rewrite (E_ext_in ks _ (fun r => 0 * 1)), (E_scale ks (fun _ => 1)); [ring|].
    intros w r i. rewrite Rmin_left; [ring|]. apply Rmult_le_pos; [easy|]. left. eapply rs; eassumption.
Qed.
End Leaf.
