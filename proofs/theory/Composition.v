(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Adaptive composition, vectors of the upper side, and a checker that Coq runs. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
Import ListNotations.
Local Open Scope R_scope.

(** * Outputs, composition and δ *)

(** Outputs with what it means that the integral of a function is at most c, and that the integral of one that is not
  negative is at least c. Only
    this is asked of integrals, so that upper and lower integrals will do,
      and nothing has to be said of measurability. *)
Record space := {
  car :> Type;
  Ub : (car -> R) -> R -> Prop;
  Lb : (car -> R) -> R -> Prop;
  ub_le : forall f g c d, (forall x, f x <= g x) -> c <= d -> Ub g c -> Ub f d;
  ub_add : forall f g c d, Ub f c -> Ub g d -> Ub (fun x => f x + g x) (c + d);
  ub_scale : forall f c k, 0 <= k -> Ub f c -> Ub (fun x => k * f x) (k * c);
  ub_zero : Ub (fun _ => 0) 0;
  lb_le : forall f g c d, (forall x, g x <= f x) -> d <= c -> Lb g c -> Lb f d;
  lb_ub : forall f c d, Lb f c -> Ub f d -> c <= d }.
Arguments Ub {_}.
Arguments Lb {_}.

(** Mechanisms one after the other, each a pair of densities; which one comes next may depend on the output. *)
Inductive tree := Ret | Node (X : space) (p q : X -> R) (next : X -> tree).

(** δ: the iterated (upper) integral of max(0, a·Πp − b·Πq) is at most d. *)
Inductive delta_le : tree -> R -> R -> R -> Prop :=
| dl_ret a b d : Rmax 0 (a - b) <= d -> delta_le Ret a b d
| dl_node (X : space) p q next a b F d :
    (forall x : X, delta_le (next x) (a * p x) (b * q x) (F x)) -> Ub F d -> delta_le (Node X p q next) a b d.

(** It is at least d. *)
Inductive delta_ge : tree -> R -> R -> R -> Prop :=
| dg_ret a b d : d <= Rmax 0 (a - b) -> delta_ge Ret a b d
| dg_node (X : space) p q next a b F d :
    (forall x : X, delta_ge (next x) (a * p x) (b * q x) (F x)) -> Lb F d -> delta_ge (Node X p q next) a b d.

Definition class := forall X : space, (X -> R) -> (X -> R) -> Prop.

(** So many mechanisms of each class, in any order: which class comes next, and which of its pairs, may depend on all
  outputs before. *)
Inductive runs : list (class * N) -> tree -> Prop :=
| r_end l : (forall C n, In (C, n) l -> n = 0%N) -> runs l Ret
| r_step l (C : class) n l' X p q next : C X p q -> (forall x, runs (l ++ (C, n) :: l') (next x)) ->
  runs (l ++ (C, N.succ n) :: l') (Node X p q next).

Lemma delta_le_mono t a b d d' : d <= d' -> delta_le t a b d -> delta_le t a b d'.
Proof.
intros h e. destruct e as [a b d e|X p q next a b F d e u].
- constructor; lra.
- apply dl_node with F; [exact e|]. apply (ub_le X F F d d'); auto; intros; lra.
Qed.

Lemma delta_ge_mono t a b d d' : d' <= d -> delta_ge t a b d -> delta_ge t a b d'.
Proof.
intros h e. destruct e as [a b d e|X p q next a b F d e u].
- constructor; lra.
- apply dg_node with F; [exact e|]. apply (lb_le X F F d d'); auto; intros; lra.
Qed.
Lemma delta_le_of t a b d : delta_le t a b d ->
  match t with Ret => Rmax 0 (a - b) <= d | Node X p q next =>
    exists f, (forall x, delta_le (next x) (a * p x) (b * q x) (f x)) /\ Ub f d end.
Proof. intros []; [easy|]. eexists. split; eassumption. Qed.

(** What is at least c is not less than c. *)
Theorem ge_le t a b c : delta_ge t a b c -> forall d, delta_le t a b d -> c <= d.
Proof.
induction 1 as [a b c h|X p q next a b F c _ ih u]; intros d k; apply delta_le_of in k.
{ lra. }
destruct k as (f & hf & v).
apply (lb_ub X F c d u). apply (ub_le X F f d d); [intros x; apply (ih x), hf|lra|exact v].
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
Proof. intros h. destruct (h w r (or_introl eq_refl)). split; [easy|split; [easy|]]. intros w' r' i. apply h.
now right. Qed.
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
Definition dominated m (X : space) (p q : X -> R) := (forall x, 0 <= p x) /\ (forall x, 0 <= q x) /\
  forall a b, 0 <= a -> 0 <= b -> Ub (fun x => Rmax 0 (a * p x - b * q x)) (U m a b).

(** One mechanism before all others. *)
Theorem one_step m (X : space) (p q : X -> R) nu next : dominated m X p q -> ok nu -> (forall x, Dom nu (next x)) ->
  Dom (times m nu) (Node X p q next).
Proof.
intros (p0 & q0 & hb) [pn sn] dn a b a0 b0.
apply dl_node with (fun x => U nu (a * p x) (b * q x)).
{ intros x. apply dn; now apply Rmult_le_pos. }
assert (sums : Ub (fun x => E nu (fun s => Rmax 0 (a * p x - b * s * q x))) (E nu (fun s => U m a (b * s)))).
{ clear sn dn. induction nu as [|[w s] nu ih]; simpl; [apply ub_zero|]. apply pos_cons in pn as (hw & hs & pn).
  apply ub_add; [|now apply ih]. apply ub_scale; [easy|]. apply hb; [easy|now apply Rmult_le_pos]. }
assert (all : Ub (fun x => a * p x) a).
{ apply (ub_le X _ (fun x => Rmax 0 (a * p x - 0 * q x)) (U m a 0));
    [intros; eapply Rle_trans; [|apply Rmax_r]; lra| |apply hb; lra].
  unfold U. rewrite (E_ext _ _ (fun _ => 0 * 1)), E_scale; [lra|]. intros. rewrite Rmin_right; lra. }
apply (ub_le X _ (fun x => (1 - E nu (fun _ => 1)) * (a * p x) + E nu (fun s => Rmax 0 (a * p x - b * s * q x)))
  ((1 - E nu (fun _ => 1)) * a + E nu (fun s => U m a (b * s)))).
- intros x. rewrite U_is. right. f_equal; [ring|]. apply E_ext. intros. f_equal. ring.
- right. assert (e : E nu (fun s => U m a (b * s)) = a * E nu (fun _ => 1) - E (times m nu) (fun r => Rmin a (b * r))).
  { rewrite E_times, E_swap. unfold U.
    rewrite (E_ext nu _ (fun s => a * 1 + (-1) * E m (fun r => Rmin a (b * (r * s))))).
    - rewrite (E_plus nu (fun _ => a * 1) (fun s => (-1) * E m (fun r => Rmin a (b * (r * s))))).
      rewrite (E_scale nu (fun _ => 1) a), (E_scale nu (fun s => E m (fun r => Rmin a (b * (r * s)))) (-1)). ring.
    - intros s. rewrite (E_ext m (fun r => Rmin a (b * s * r)) (fun r => Rmin a (b * (r * s)))) by (intros; f_equal;
        ring). ring. }
  rewrite e. unfold U. ring.
- apply ub_add; [apply ub_scale; [lra|exact all]|exact sums].
Qed.

(** Masses of all copies together. *)
Definition one : meas := [(1, 1)].
Definition same (m m' : meas) := forall f, E m f = E m' f.
Definition power (m : meas) (n : N) : meas := N.iter n (times m) one.
Fixpoint prod (ms : list meas) (ns : list N) : meas :=
  match ms with nil => one | m :: ms' => times (power m (hd 0%N ns)) (prod ms' (tl ns)) end.
Fixpoint sums (ns ns' : list N) : list N :=
  match ns, ns' with nil, _ => ns' | _, nil => ns | n :: l, n' :: l' => (n + n')%N :: sums l l' end.

Lemma E_one f : E one f = f 1.
Proof. simpl. ring. Qed.
Lemma ok_one : ok one.
Proof. split; [intros w r [e|[]]; inversion e; lra|rewrite E_one; lra]. Qed.
Lemma power_succ m n : power m (N.succ n) = times m (power m n).
Proof. apply N.iter_succ. Qed.
Lemma ok_power m n : ok m -> ok (power m n).
Proof. intros h. induction n using N.peano_ind; [apply ok_one|]. rewrite power_succ. now apply ok_times. Qed.
Lemma ok_prod ms : Forall ok ms -> forall ns, ok (prod ms ns).
Proof. induction 1 as [|m ms hm _ ih]; intros ns; [apply ok_one|]. apply ok_times; [now apply ok_power|apply ih]. Qed.
Lemma same_times m m' n n' : same m m' -> same n n' -> same (times m n) (times m' n').
Proof. intros h k f. rewrite !E_times, h. apply E_ext. intros r. apply k. Qed.
Lemma times_comm m n : same (times m n) (times n m).
Proof. intros f. rewrite !E_times, E_swap. apply E_ext. intros. apply E_ext. intros. f_equal. ring. Qed.
Lemma times_assoc m n o : same (times m (times n o)) (times (times m n) o).
Proof.
intros f. rewrite !E_times. apply E_ext. intros r. rewrite E_times. apply E_ext. intros s. apply E_ext. intros.
f_equal. ring.
Qed.
Lemma times_one m : same (times m one) m.
Proof. intros f. rewrite E_times. apply E_ext. intros r. rewrite E_one. f_equal. ring. Qed.
Lemma same_sym m m' : same m m' -> same m' m. Proof. intros h f. now rewrite h. Qed.
Lemma same_trans m m' m'' : same m m' -> same m' m'' -> same m m''. Proof. intros h k f. now rewrite h. Qed.
Lemma power_add m n n' : same (power m (n + n')) (times (power m n) (power m n')).
Proof.
induction n using N.peano_ind.
- change (power m 0) with one. apply same_sym. eapply same_trans; [apply times_comm|apply times_one].
- rewrite N.add_succ_l, !power_succ. eapply same_trans; [|apply times_assoc]. apply same_times; [easy|apply IHn].
Qed.
Lemma times_swap m n o u' : same (times (times m n) (times o u')) (times (times m o) (times n u')).
Proof.
eapply same_trans; [apply same_sym, times_assoc|]. eapply same_trans; [|apply times_assoc]. apply same_times; [easy|].
eapply same_trans; [apply times_assoc|]. eapply same_trans; [|apply same_sym, times_assoc].
apply same_times; [apply times_comm|easy].
Qed.
Lemma prod_sums ms : forall ns ns', same (prod ms (sums ns ns')) (times (prod ms ns) (prod ms ns')).
Proof.
induction ms as [|m ms ih]; intros ns ns'; cbn [prod]; [apply same_sym, times_one|].
eapply same_trans; [|apply times_swap].
assert (h : hd 0%N (sums ns ns') = (hd 0 ns + hd 0 ns')%N) by (destruct ns, ns'; cbn [sums hd]; lia).
assert (t : tl (sums ns ns') = sums (tl ns) (tl ns')) by (destruct ns as [|? ns], ns'; cbn [sums tl]; try easy;
  destruct ns; easy).
rewrite h, t. apply same_times; [apply power_add|apply ih].
Qed.
Fixpoint only (j : nat) : list N := match j with O => [1%N] | S j' => 0%N :: only j' end.
Lemma prod_nil ms : same (prod ms nil) one.
Proof.
induction ms as [|m ms ih]; cbn [prod]; [easy|].
eapply same_trans; [apply same_times; [|exact ih]; cbn [hd]; change (power m 0) with one; intros f;
  reflexivity|apply times_one].
Qed.
Lemma prod_only ms : forall j m, nth_error ms j = Some m -> same (prod ms (only j)) m.
Proof.
induction ms as [|m0 ms ih]; intros [|j] m e; try discriminate; cbn [prod only hd tl].
- inversion e; subst. eapply same_trans; [apply same_times; [|apply prod_nil]|apply times_one].
  change (power m 1) with (times m one). apply times_one.
- eapply same_trans; [apply same_times; [|apply (ih j m e)]; change (power m0 0) with one; intros f; reflexivity|].
  eapply same_trans; [apply times_comm|apply times_one].
Qed.
Lemma prod_step ms1 : forall m ms2 ns1 n ns2, length ms1 = length ns1 ->
  same (prod (ms1 ++ m :: ms2) (ns1 ++ N.succ n :: ns2)) (times m (prod (ms1 ++ m :: ms2) (ns1 ++ n :: ns2))).
Proof.
induction ms1 as [|m1 ms1 ih]; intros m ms2 [|n1 ns1] n ns2 len; try discriminate; cbn [app prod hd tl].
- rewrite power_succ. apply same_sym, times_assoc.
- eapply same_trans; [apply same_times; [easy|apply ih; now inversion len]|].
  eapply same_trans; [apply times_assoc|]. eapply same_trans; [apply same_times; [apply times_comm|easy]|].
  apply same_sym, times_assoc.
Qed.
Lemma same_one l : Forall (eq 0%N) l -> forall ms, same (prod ms l) one.
Proof.
intros h. induction h as [|n l <- _ ih]; intros ms; [apply prod_nil|]. destruct ms as [|m ms]; [easy|].
cbn [prod hd tl].
eapply same_trans; [apply same_times; [|apply ih]; change (power m 0) with one; intros f; reflexivity|apply times_one].
Qed.

Lemma Forall2_length A B (R' : A -> B -> Prop) l l' : Forall2 R' l l' -> length l = length l'.
Proof. induction 1; cbn [length]; auto. Qed.
Definition bounds (m : meas) (C : class) := forall X p q, C X p q -> dominated m X p q.

(** Pairs that a class covers: all that bounds its integrals bounds theirs. *)
Definition covered (C : class) : class := fun X p q =>
  ((forall Y p' q', C Y p' q' -> (forall y, 0 <= p' y) /\ (forall y, 0 <= q' y)) -> (forall x, 0 <= p x) /\
    (forall x, 0 <= q x)) /\
  forall a b d, 0 <= a -> 0 <= b ->
    (forall (Y : space) p' q', C Y p' q' -> Ub (fun y : Y => Rmax 0 (a * p' y - b * q' y)) d) ->
    Ub (fun x : X => Rmax 0 (a * p x - b * q x)) d.
Lemma covered_in (C : class) X p q : C X p q -> covered C X p q.
Proof. intros h. split; [intros k; exact (k X p q h)|]. intros a b d _ _ k. exact (k X p q h). Qed.
Lemma bounds_covered m C : bounds m C -> bounds m (covered C).
Proof.
intros h X p q [nn cv]. destruct nn as [p0 q0]; [intros Y p' q' cl; destruct (h Y p' q' cl) as (a & b & _); easy|].
split; [easy|]. split; [easy|]. intros a b a0 b0. apply cv; auto. intros Y p' q' cl.
destruct (h Y p' q' cl) as (_ & _ & u). now apply u.
Qed.
(** A class may take the place of one that it has. *)
Lemma runs_sub l t : runs l t ->
  forall l', Forall2 (fun x y : class * N => (forall X p q, fst x X p q -> fst y X p q) /\ snd x = snd y) l l' ->
  runs l' t.
Proof.
induction 1 as [l h|l C n l2 X p q next cl _ ih]; intros l' f.
- apply r_end. intros C n i. apply in_split in i as (l1 & l3 & ->).
  apply Forall2_app_inv_r in f as (k1 & k2 & f1 & f2 & ->). inversion f2 as [|[C' n'] y k3 l4 [s e] f3]; subst.
  cbn [snd] in e. subst. apply (h C'). apply in_or_app. right. now left.
- apply Forall2_app_inv_l in f as (k1 & k2 & f1 & f2 & ->). inversion f2 as [|x [C' n'] l4 k3 [s e] f3]; subst.
  cbn [fst snd] in s, e. subst. apply r_step; [now apply s|]. intros x. apply ih. apply Forall2_app; [exact f1|].
  now constructor.
Qed.

(** Composition of what may be adaptive: bounds multiply. *)
Theorem composition l t : runs l t -> forall ms, Forall ok ms -> Forall2 bounds ms (map fst l) ->
  Dom (prod ms (map snd l)) t.
Proof.
induction 1 as [l h|l C n l' X p q next c _ ih]; intros ms om b a0 b0 ha hb.
- constructor. unfold U. rewrite (same_one (map snd l)), E_one.
  + rewrite Rmult_1_r, min_max. lra.
  + rewrite List.Forall_forall. intros n i. apply in_map_iff in i as [[C k] [<- i]]. symmetry. now apply (h C).
- assert (b' := b). rewrite map_app in b. apply Forall2_app_inv_r in b as (ms1 & ms2 & h1 & h2 & ->).
  cbn [map fst] in h2. inversion h2 as [|m C' ms3 l3 hm h3]; subst.
  assert (len : length ms1 = length (map snd l)) by (rewrite (Forall2_length _ _ _ _ _ h1), !map_length; easy).
  apply delta_le_mono with (U (times m (prod (ms1 ++ m :: ms3) (map snd (l ++ (C, n) :: l')))) a0 b0).
  + right. unfold U. f_equal. rewrite !map_app. cbn [map snd]. symmetry. now apply prod_step.
  + apply one_step; auto; [now apply ok_prod|]. intros x. apply ih; [easy|]. rewrite map_app in b' |- *. exact b'.
Qed.

(** What is larger may take the place of masses. *)
Definition le m m' := forall a b, 0 <= a -> 0 <= b -> E m' (fun r => Rmin a (b * r)) <= E m (fun r => Rmin a (b * r)).
Lemma le_trans m m' m'' : le m m' -> le m' m'' -> le m m''.
Proof. intros h k a b a0 b0. apply Rle_trans with (1 := k a b a0 b0). now apply h. Qed.
Lemma le_same m m' : same m m' -> le m m'.
Proof. intros h a b _ _. right. now rewrite h. Qed.
Theorem le_times m m' n n' : pos m -> pos n' -> le m m' -> le n n' -> le (times m n) (times m' n').
Proof.
intros pm pn hm hn a b a0 b0. rewrite !E_times.
apply Rle_trans with (E m (fun r => E n' (fun s => Rmin a (b * (r * s))))).
- rewrite (E_swap m'), (E_swap m). apply E_le; [easy|]. intros s s0.
  rewrite (E_ext m' _ (fun r => Rmin a (b * s * r))), (E_ext m _ (fun r => Rmin a (b * s * r))) by (intros; f_equal;
    ring).
  apply hm; [easy|now apply Rmult_le_pos].
- apply E_le; [easy|]. intros r r0.
  rewrite (E_ext n' _ (fun s => Rmin a (b * r * s))), (E_ext n _ (fun s => Rmin a (b * r * s))) by (intros; f_equal;
    ring).
  apply hn; [easy|now apply Rmult_le_pos].
Qed.

Theorem total l t ms m b : runs l t -> Forall ok ms -> Forall2 bounds ms (map fst l) -> le (prod ms (map snd l)) m ->
  0 <= b -> delta_le t 1 b (U m 1 b).
Proof.
intros r om h k b0. apply delta_le_mono with (U (prod ms (map snd l)) 1 b); [|apply (composition l t r ms om h); lra].
unfold U. pose proof (k 1 b ltac:(lra) b0). lra.
Qed.

(** * A leaf is compared at its kinks *)

Definition u (ks : meas) al := 1 - E ks (fun r => Rmin 1 (al * r)).

Section Leaf.
Variables (X : space) (p q : X -> R) (ks : meas).
Hypothesis q0 : forall x, 0 <= q x.
Hypothesis p0 : forall x, 0 <= p x.
Hypothesis rs : forall w r, In (w, r) ks -> 0 < r.
Let h al := Ub (fun x => Rmax 0 (p x - al * q x)) (u ks al).

Lemma between x y al : x < y -> x <= al <= y -> (forall w r, In (w, r) ks -> r * x >= 1 \/ r * y <= 1) -> h x ->
  h y -> h al.
Proof.
intros xy hal apart hx hy. set (t := (y - al) / (y - x)).
assert (t0 : 0 <= t) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
assert (t1 : 0 <= 1 - t). { unfold t. replace (1 - (y - al) / (y - x)) with ((al - x) / (y - x)) by (field; lra).
  apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]. }
assert (e : al = t * x + (1 - t) * y) by (unfold t; field; lra).
unfold h. apply (ub_le X _ (fun z => t * Rmax 0 (p z - x * q z) + (1 - t) * Rmax 0 (p z - y * q z))
  (t * u ks x + (1 - t) * u ks y)).
- intros z. pose proof (Rmax_l 0 (p z - x * q z)). pose proof (Rmax_r 0 (p z - x * q z)).
  pose proof (Rmax_l 0 (p z - y * q z)). pose proof (Rmax_r 0 (p z - y * q z)).
  apply Rmax_lub; [apply Rplus_le_le_0_compat; now apply Rmult_le_pos|].
  replace (p z - al * q z) with (t * (p z - x * q z) + (1 - t) * (p z - y * q z)) by (rewrite e; ring).
  apply Rplus_le_compat; now apply Rmult_le_compat_l.
- right. unfold u. rewrite (E_ext_in ks (fun r => Rmin 1 (al * r)) (fun r =>
    t * Rmin 1 (x * r) + (1 - t) * Rmin 1 (y * r))).
  { rewrite (E_plus ks (fun r => t * Rmin 1 (x * r)) (fun r => (1 - t) * Rmin 1 (y * r))).
    rewrite (E_scale ks (fun r => Rmin 1 (x * r)) t), (E_scale ks (fun r => Rmin 1 (y * r)) (1 - t)). ring. }
  intros w r i. assert (r0 : 0 < r) by (eapply rs; eassumption).
  assert (x * r <= al * r) by (apply Rmult_le_compat_r; lra).
  assert (al * r <= y * r) by (apply Rmult_le_compat_r; lra).
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
  + apply (between x (/ r)); auto. intros w' r' n. destruct (done w' r' n) as [d|[d|d]];
      [now left|inversion d; subst; right; lra|].
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
