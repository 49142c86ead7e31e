(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Cells of the outputs of a part: between thresholds on the line, or single outcomes; and their masses in integers. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Dpverify Require Import Numbers.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Composition Vector Leaf Laplace Clamped Discrete Series Fixed Normal Shift
  Gaussians Program Lower Part.
From Coq Require Import QArith Qreals.
Import ListNotations.
Local Open Scope R_scope.

(** * On the line *)

Section Line.
Variables p q GP GQ : R -> R.
Hypothesis p0 : forall x, 0 <= p x.
Hypothesis q0 : forall x, 0 <= q x.
Hypothesis ip : forall u v, u <= v -> is_RInt p u v (GP u - GP v).
Hypothesis iq : forall u v, u <= v -> is_RInt q u v (GQ u - GQ v).
Hypothesis zp : forall e, 0 < e -> exists T, forall v, T <= v -> 0 <= GP v <= e.
Hypothesis zq : forall e, 0 < e -> exists T, forall v, T <= v -> 0 <= GQ v <= e.

(** Thresholds, each with the index of what is above it, up to the next one. *)
Fixpoint place (l : list (R * (Z * R))) (x : R) : option (Z * R) :=
  match l with nil => None | (t, c) :: l' => match place l' x with Some c' => Some c' | None => if Rlt_dec t x then
    Some c else None end end.
Fixpoint cells (eP eQ : R) (l : list (R * (Z * R))) : list cell :=
  match l with
  | nil => nil
  | (t, (i, th)) :: l' => let nP := match l' with nil => eP | (t', _) :: _ => GP t' end in let nQ :=
    match l' with nil => eQ | (t', _) :: _ => GQ t' end in
      {| index := i; coin := th; massP := GP t - nP; massQ := GQ t - nQ |} :: cells eP eQ l'
  end.
Fixpoint ascending (l : list (R * (Z * R))) : Prop := match l with (t, _) :: ((t', _) :: _) as l' => t <= t' /\
  ascending l' | _ => True end.
Definition coins (l : list (R * (Z * R))) := List.Forall (fun s => 0 <= snd (snd s) <= 1) l.
Fixpoint top_of (t : R) (l : list (R * (Z * R))) : R := match l with nil => t | (t', _) :: l' => top_of t' l' end.

Lemma falls_P u v : u <= v -> 0 <= GP u - GP v.
Proof. intros uv. apply (is_RInt_le (fun _ => 0) p u v); auto using nothing_is. Qed.
Lemma falls_Q u v : u <= v -> 0 <= GQ u - GQ v.
Proof. intros uv. apply (is_RInt_le (fun _ => 0) q u v); auto using nothing_is. Qed.
Lemma tail_P t : 0 <= GP t.
Proof. destruct (zp 1 Rlt_0_1) as (T & h). pose proof (h (Rmax t T) (Rmax_r _ _)).
pose proof (falls_P t (Rmax t T) (Rmax_l _ _)). lra. Qed.
Lemma tail_Q t : 0 <= GQ t.
Proof. destruct (zq 1 Rlt_0_1) as (T & h). pose proof (h (Rmax t T) (Rmax_r _ _)).
pose proof (falls_Q t (Rmax t T) (Rmax_l _ _)). lra. Qed.

Lemma place_before l : forall t c x, ascending ((t, c) :: l) -> x <= t -> place ((t, c) :: l) x = None.
Proof.
induction l as [|[t' c'] l ih]; intros t c x h le.
- simpl. destruct (Rlt_dec t x); [lra|easy].
- change (place ((t, c) :: (t', c') :: l) x) with (match place ((t', c') :: l) x with Some c'' => Some c'' | None =>
    if Rlt_dec t x then Some c else None end).
  destruct h as [h1 h2]. rewrite (ih t' c' x h2) by lra. destruct (Rlt_dec t x); [lra|easy].
Qed.
Lemma place_after l t c x : t < x -> exists c', place ((t, c) :: l) x = Some c'.
Proof. intros lt. simpl. destruct (place l x) as [c'|]; [now exists c'|]. destruct (Rlt_dec t x); [now exists c|lra].
Qed.
Lemma place_coin l x i th : coins l -> place l x = Some (i, th) -> 0 <= th <= 1.
Proof.
intros h. induction h as [|[t c] l hc _ ih]; [easy|]. simpl.
destruct (place l x) as [c'|]; [intros e; inversion e; subst; now apply ih|].
destruct (Rlt_dec t x); [|easy]. intros e. inversion e; subst. exact hc.
Qed.

Section Value.
Variables f g : Z -> R.
Definition at_place (c : option (Z * R)) (x : R) : R := match c with None => 0 | Some (i, th) =>
  p x * mix th f i - q x * mix th g i end.
Lemma piece_is u v i th : u <= v -> is_RInt (fun x => at_place (Some (i, th)) x)
  u v ((GP u - GP v) * mix th f i - (GQ u - GQ v) * mix th g i).
Proof.
intros uv. apply (is_RInt_ext (fun x => minus (scal (mix th f i) (p x)) (scal (mix th g i) (q x)))).
- intros x _. as_reals. ring.
- replace ((GP u - GP v) * mix th f i - (GQ u - GQ v) * mix th g i)
    with (minus (scal (mix th f i) (GP u - GP v)) (scal (mix th g i) (GQ u - GQ v))) by (as_reals; ring).
  apply (is_RInt_minus (V := R_NormedModule)); apply (is_RInt_scal (V := R_NormedModule)); auto.
Qed.
Lemma cells_is l : forall t c v, ascending ((t, c) :: l) -> top_of t l <= v ->
  let m := cells (GP v) (GQ v) ((t, c) :: l) in is_RInt (fun x => at_place (place ((t, c) :: l) x) x)
    t v (on_P m f - on_Q m g) /\ t <= v.
Proof.
induction l as [|[t' c'] l ih]; intros t [i th] v h le; cbv zeta.
- cbn [top_of] in le. split; [|easy]. apply (is_RInt_ext (fun x => at_place (Some (i, th)) x)).
  + intros x hx. rewrite Rmin_left, Rmax_right in hx by easy. simpl place. destruct (Rlt_dec t x); [easy|lra].
  + cbn [cells on_P on_Q massP massQ coin index].
    replace (_ - _) with ((GP t - GP v) * mix th f i - (GQ t - GQ v) * mix th g i) by ring. now apply piece_is.
- destruct h as [h1 h2]. destruct (ih t' c' v h2 le) as [k tv]. cbv zeta in k. split; [|lra].
  set (m := cells (GP v) (GQ v) ((t', c') :: l)) in *.
  replace (on_P (cells (GP v) (GQ v) ((t, (i, th)) :: (t', c') :: l)) f - on_Q
    (cells (GP v) (GQ v) ((t, (i, th)) :: (t', c') :: l)) g)
    with (Hierarchy.plus ((GP t - GP t') * mix th f i - (GQ t - GQ t') * mix th g i) (on_P m f - on_Q m g)).
  2: { change (cells (GP v) (GQ v) ((t, (i, th)) :: (t', c') :: l))
    with ({| index := i; coin := th; massP := GP t - GP t'; massQ := GQ t - GQ t' |} :: m).
       cbn [on_P on_Q massP massQ coin index]. as_reals. ring. }
  apply (is_RInt_Chasles (V := R_NormedModule)) with t'.
  + apply (is_RInt_ext (fun x => at_place (Some (i, th)) x)); [|now apply piece_is].
    intros x hx. rewrite Rmin_left, Rmax_right in hx by easy.
    change (place ((t, (i, th)) :: (t', c') :: l) x) with (match place ((t', c') :: l) x with Some c'' =>
      Some c'' | None => if Rlt_dec t x then Some (i, th) else None end).
    rewrite (place_before l t' c' x h2) by lra. destruct (Rlt_dec t x); [easy|lra].
  + apply (is_RInt_ext (fun x => at_place (place ((t', c') :: l) x) x)); [|exact k].
    intros x hx. rewrite Rmin_left, Rmax_right in hx by easy.
    change (place ((t, (i, th)) :: (t', c') :: l) x) with (match place ((t', c') :: l) x with Some c'' =>
      Some c'' | None => if Rlt_dec t x then Some (i, th) else None end).
    destruct (place_after l t' c' x (proj1 hx)) as (c'' & ->). easy.
Qed.
Lemma cells_end l : exists c d, forall eP eQ, on_P (cells eP eQ l) f - on_Q (cells eP eQ l) g = on_P (cells 0 0 l)
  f - on_Q (cells 0 0 l) g - eP * c + eQ * d.
Proof.
induction l as [|[t [i th]] l (c & d & h)]; [exists 0, 0; intros; simpl; ring|]. destruct l as [|[t' c'] l].
- exists (mix th f i), (mix th g i). intros eP eQ. cbn [cells on_P on_Q massP massQ coin index]. ring.
- exists c, d. intros eP eQ. specialize (h eP eQ). cbn [cells on_P on_Q massP massQ coin index] in *. lra.
Qed.
End Value.

Lemma small (z : R -> R) c e : (forall e, 0 < e -> exists T, forall v, T <= v -> 0 <= z v <= e) -> 0 < e -> exists T,
  forall v, T <= v -> Rabs (z v * c) <= e.
Proof.
intros h e0. assert (c0 : 0 < Rabs c + 1) by (pose proof (Rabs_pos c); lra).
destruct (h (e / (Rabs c + 1)) ltac:(now apply Rdiv_lt_0_compat)) as (T & k). exists T. intros v tv.
destruct (k v tv) as [k1 k2].
rewrite Rabs_mult, (Rabs_right (z v)) by lra. apply Rle_trans with (e / (Rabs c + 1) * (Rabs c + 1));
  [|right; field; lra]. apply Rmult_le_compat; try lra; apply Rabs_pos.
Qed.

Theorem line_finds l : ascending l -> coins l -> finds line p q (cells 0 0 l).
Proof.
intros asc co. split; [exact p0|]. split; [exact q0|]. split.
- clear - asc co p0 q0 ip iq zp zq. induction l as [|[t [i th]] l ih]; [constructor|]. inversion co; subst. constructor.
  + cbn [coin massP massQ]. split; [exact H1|].
    destruct l as [|[t' c'] l]; [rewrite !Rminus_0_r; split; [apply tail_P|apply tail_Q]|]. destruct asc as [le _].
    split; [now apply falls_P|now apply falls_Q].
  + apply ih; [|easy]. destruct l as [|[t' c'] l]; [easy|]. apply asc.
- exists (place l). split; [intros x i th; now apply place_coin|]. intros F f g F0 hF. split; [exact F0|].
  intros e e0. destruct l as [|[t c] l].
  + exists (fun _ => 0), 0, 0, 0. split; [lra|]. split; [intros; apply F0|]. split; [|simpl; lra].
    apply (is_RInt_point (V := R_NormedModule)).
  + destruct (cells_end f g ((t, c) :: l)) as (cc & d & h).
    destruct (small GP cc (e / 2) zp ltac:(lra)) as (T & hT), (small GQ d (e / 2) zq ltac:(lra)) as (T' & hT').
    set (v := Rmax (top_of t l) (Rmax T T')). assert (v1 : top_of t l <= v) by apply Rmax_l.
    assert (v2 : T <= v) by (eapply Rle_trans; [apply Rmax_l|apply Rmax_r]).
    assert (v3 : T' <= v) by (eapply Rle_trans; [apply Rmax_r|apply Rmax_r]).
    destruct (cells_is f g l t c v asc v1) as [k tv]. exists (fun x => at_place f g (place ((t, c) :: l) x) x), t, v.
    eexists. split; [exact tv|]. split; [|split; [exact k|]].
    * intros x _. specialize (hF x). unfold at_place. destruct (place ((t, c) :: l) x) as [[i th]|];
        [exact hF|apply F0].
    * specialize (h (GP v) (GQ v)). rewrite h. pose proof (hT v v2) as a1. pose proof (hT' v v3) as a2.
      pose proof (Rle_abs (GP v * cc)). pose proof (Rle_abs (- (GQ v * d))) as a3. rewrite Rabs_Ropp in a3. lra.
Qed.
End Line.

(** ** On the line and two values more *)

Definition atom (i : Z) (th a b : R) : cell := {| index := i; coin := th; massP := a; massQ := b |}.
Lemma struck_finds (p q : bool + R -> R) i th i' th' l : (forall o, 0 <= p o) -> (forall o, 0 <= q o) ->
  0 <= th <= 1 -> 0 <= th' <= 1 ->
  finds line (fun x => p (inr x)) (fun x => q (inr x)) l ->
  finds struck p q (atom i th (p (inl true)) (q (inl true)) :: atom i' th' (p (inl false)) (q (inl false)) :: l).
Proof.
intros p0 q0 ht ht' (_ & _ & sc & place & hth & h). split; [exact p0|]. split; [exact q0|].
split; [repeat (constructor; [cbn [atom coin massP massQ]; auto|]); exact sc|].
exists (fun o : bool + R => match o with inl true => Some (i, th) | inl false => Some (i', th') | inr x =>
  place x end). split.
- intros [[|]|x] j t e; try (inversion e; subst; easy). exact (hth x j t e).
- intros F f g F0 hF. exists (on_P l f - on_Q l g).
  split; [apply h; [intros; apply F0|]; intros x; exact (hF (inr x))|].
  cbn [on_P on_Q atom massP massQ coin index]. pose proof (hF (inl true)) as a. pose proof (hF (inl false)) as b.
  cbv beta iota in a, b. lra.
Qed.

(** ** Tails of noise *)

Definition tail_of (r s : R) (G : R -> R) (t : R) : R := r * G (t - s) + (1 - r) * G t.
Section Noise.
Variables (k G : R -> R) (r s : R).
Hypothesis r0 : 0 <= r <= 1.
Hypothesis ik : forall u v, is_RInt k u v (G u - G v).
Hypothesis zk : forall e, 0 < e -> exists T, forall v, T <= v -> 0 <= G v <= e.
Lemma mixture_is u v : is_RInt (fun x => r * k (x - s) + (1 - r) * k x) u v (tail_of r s G u - tail_of r s G v).
Proof.
assert (i : is_RInt (fun x => k (x - s)) u v (G (u - s) - G (v - s))).
{ pose proof (ik (1 * u + - s) (1 * v + - s)) as c. apply (is_RInt_comp_lin (V := R_NormedModule) k 1 (- s) u v) in c.
  replace (G (u - s) - G (v - s)) with (G (1 * u + - s) - G (1 * v + - s)) by (f_equal; f_equal; ring).
  eapply is_RInt_ext; [|exact c]. intros x _. unfold scal; simpl; unfold mult; simpl. rewrite Rmult_1_l. f_equal.
  ring. }
apply (is_RInt_ext (fun x => Hierarchy.plus (scal r (k (x - s))) (scal (1 - r) (k x)))); [intros; easy|].
replace (tail_of r s G u - tail_of r s G v) with (Hierarchy.plus (scal r (G (u - s) - G (v - s)))
  (scal (1 - r) (G u - G v))) by (unfold tail_of; as_reals; ring).
apply (is_RInt_plus (V := R_NormedModule)); apply (is_RInt_scal (V := R_NormedModule)); auto.
Qed.
Lemma mixture_small e : 0 < e -> exists T, forall v, T <= v -> 0 <= tail_of r s G v <= e.
Proof.
intros e0. destruct (zk e e0) as (T & h). exists (Rmax T (T + s)). intros v hv. pose proof (Rmax_l T (T + s)).
pose proof (Rmax_r T (T + s)).
destruct (h v ltac:(lra)) as [a1 a2], (h (v - s) ltac:(lra)) as [b1 b2]. unfold tail_of. split.
- apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
- assert (r * G (v - s) <= r * e) by (apply Rmult_le_compat_l; lra).
  assert ((1 - r) * G v <= (1 - r) * e) by (apply Rmult_le_compat_l; lra). lra.
Qed.
End Noise.

Lemma sf_is u v : is_RInt phi u v (sf u - sf v).
Proof.
assert (e : RInt phi u v = sf u - sf v) by (pose proof (half_is u v); unfold sf; lra). rewrite <- e.
apply (RInt_correct (V := R_CompleteNormedModule)), ex_phi.
Qed.
Lemma sf_small e : 0 < e -> exists T, forall v, T <= v -> 0 <= sf v <= e.
Proof. intros e0. destruct (near_half (1 / 2 - e) ltac:(lra)) as (T & h). exists T. intros v tv. specialize (h v tv).
pose proof (half_le v). unfold sf. lra. Qed.

(** * Finitely many outcomes *)

Fixpoint total (n : nat) (f : nat -> R) : R := match n with O => 0 | S n' => f O + total n' (fun k => f (S k)) end.
Lemma total_le n : forall f g, (forall k, f k <= g k) -> total n f <= total n g.
Proof. induction n as [|n ih]; intros f g h; cbn [total]; [lra|]. apply Rplus_le_compat; [apply h|]. apply ih.
intros; apply h. Qed.
Lemma total_add n : forall f g, total n (fun k => f k + g k) = total n f + total n g.
Proof. induction n as [|n ih]; intros f g; cbn [total]; [ring|]. rewrite (ih (fun k => f (S k)) (fun k => g (S k))).
ring. Qed.
Lemma total_scale n c : forall f, total n (fun k => c * f k) = c * total n f.
Proof. induction n as [|n ih]; intros f; cbn [total]; [ring|]. rewrite (ih (fun k => f (S k))). ring. Qed.
Lemma total_0 n : total n (fun _ => 0) = 0.
Proof. induction n as [|n ih]; cbn [total]; [easy|]. rewrite ih. ring. Qed.
(** The numbers below n, each with its mass. *)
Definition outcomes (n : nat) : space.
Proof.
refine {| car := nat; Ub f c := total n f <= c; Lb f c := c <= total n f |}.
- intros f g c d fg cd h. pose proof (total_le n f g fg). lra.
- intros f g c d h k. rewrite total_add. lra.
- intros f c k k0 h. rewrite total_scale. now apply Rmult_le_compat_l.
- rewrite total_0. lra.
- intros f g c d gf dc h. pose proof (total_le n g f gf). lra.
- intros f c d h k. lra.
Defined.

Definition only_one (j x : nat) : R := if Nat.eqb x j then 1 else 0.
Lemma only_one_total n : forall j, total n (only_one j) <= 1.
Proof.
induction n as [|n ih]; intros j; cbn [total]; [lra|]. destruct j as [|j].
- assert (h : total n (fun k => only_one 0 (S k)) = 0) by apply total_0. rewrite h. change (only_one 0 0) with 1. lra.
- change (only_one (S j) 0) with 0. specialize (ih j).
  change (total n (fun k => only_one (S j) (S k))) with (total n (only_one j)). lra.
Qed.
Lemma mixed_only ps : forall a x, mixed ps (map only_one (seq a (length ps))) x = if Nat.ltb x a then
  0 else nth (x - a) ps 0.
Proof.
induction ps as [|w ps ih]; intros a x; cbn [length seq map mixed].
- destruct (Nat.ltb x a); [easy|]. destruct (x - a)%nat; easy.
- rewrite ih. unfold only_one. destruct (Nat.eqb_spec x a), (Nat.ltb_spec x a), (Nat.ltb_spec x (S a)); try lia;
    try lra.
  + subst. rewrite Nat.sub_diag. simpl. lra.
  + replace (x - a)%nat with (S (x - S a)) by lia. simpl. lra.
Qed.
Fixpoint single (ps qs : list R) (cs : list (Z * R)) : list cell :=
  match ps, qs, cs with a :: ps', b :: qs', (i, th) :: cs' => {| index := i; coin := th; massP := a;
    massQ := b |} :: single ps' qs' cs' | _, _, _ => nil end.
Lemma single_total f g ps : forall qs cs F, length ps = length qs -> length ps = length cs ->
  (forall x, match nth_error cs x with None => True | Some (i, th) =>
    nth x ps 0 * mix th f i - nth x qs 0 * mix th g i <= F x end) ->
  on_P (single ps qs cs) f - on_Q (single ps qs cs) g <= total (length ps) F.
Proof.
induction ps as [|a ps ih]; intros [|b qs] [|[i th] cs] F l1 l2 h; try discriminate;
  cbn [single on_P on_Q length total massP massQ coin index]; [lra|].
pose proof (h O) as h0. cbn [nth_error nth] in h0.
specialize (ih qs cs (fun k => F (S k)) ltac:(simpl in l1; lia) ltac:(simpl in l2; lia) (fun x => h (S x))). lra.
Qed.
Theorem single_finds ps qs cs : List.Forall (Rle 0) ps -> List.Forall (Rle 0) qs -> length ps = length qs ->
  length ps = length cs -> List.Forall (fun c => 0 <= snd c <= 1) cs ->
  let ks := map only_one (seq 0 (length ps)) in finds (outcomes (length ps)) (mixed ps ks) (mixed qs ks)
    (single ps qs cs).
Proof.
intros hp hq l1 l2 hc. cbv zeta. set (ks := map only_one (seq 0 (length ps))).
assert (mp : forall x, mixed ps ks x = nth x ps 0) by (intros x; unfold ks; rewrite mixed_only; cbn [Nat.ltb Nat.leb];
  f_equal; lia).
assert (mq : forall x, mixed qs ks x = nth x qs 0) by (intros x; unfold ks; rewrite l1, mixed_only;
  cbn [Nat.ltb Nat.leb]; f_equal; lia).
assert (nn : forall l x, List.Forall (Rle 0) l -> 0 <= nth x l 0).
{ intros l x h. revert x. induction h as [|y l hy _ ih]; intros [|x]; simpl; auto; lra. }
split; [intros x; rewrite mp; now apply nn|]. split; [intros x; rewrite mq; now apply nn|]. split.
- clear ks mp mq nn. revert qs cs hq l1 l2 hc.
  induction hp as [|a ps ha _ ih]; intros [|b qs] [|[i th] cs] hq l1 l2 hc; try discriminate; cbn [single]; constructor.
  + inversion hq; inversion hc; subst. cbn [coin massP massQ snd] in *. auto.
  + inversion hq; inversion hc; subst. apply ih; auto.
- exists (nth_error cs). split.
  + intros x i th e. apply nth_error_In in e. rewrite List.Forall_forall in hc. exact (hc _ e).
  + intros F f g F0 h. cbn [Lb outcomes]. apply single_total; auto. intros x. specialize (h x). rewrite mp, mq in h.
    exact h.
Qed.

(** * Integers *)

Section Whole.
Variables p q : Z -> R.
Hypothesis p0 : forall x, 0 <= p x.
Hypothesis q0 : forall x, 0 <= q x.
Lemma whole_sum f g F : forall cs b, (forall j i th, nth_error cs j = Some (i, th) ->
  p (b + Z.of_nat j) * mix th f i - q (b + Z.of_nat j) * mix th g i <= F (b + Z.of_nat j)%Z) ->
  let n := length cs in on_P (single (row n b p) (row n b q) cs) f - on_Q (single (row n b p) (row n b q) cs)
    g <= span n b F.
Proof.
induction cs as [|[i th] cs ih]; intros b h; cbv zeta; cbn [length row single on_P on_Q span]; [lra|].
cbn [massP massQ coin index].
pose proof (h O i th eq_refl) as h0. cbn [Z.of_nat] in h0. rewrite Z.add_0_r in h0. specialize (ih (b + 1)%Z).
cbv zeta in ih.
enough (on_P (single (row (length cs) (b + 1) p) (row (length cs) (b + 1) q) cs) f - on_Q
  (single (row (length cs) (b + 1) p) (row (length cs) (b + 1) q) cs) g <= span (length cs) (b + 1) F) by lra.
apply ih. intros j k t e. replace (b + 1 + Z.of_nat j)%Z with (b + Z.of_nat (S j))%Z by lia. now apply h.
Qed.
Theorem whole_finds cs b : List.Forall (fun c => 0 <= snd c <= 1) cs -> let n := length cs in
  finds integers p q (single (row n b p) (row n b q) cs).
Proof.
intros hc. split; [exact p0|]. split; [exact q0|]. split.
- revert b. induction hc as [|[i th] cs hi _ ih]; intros b; cbn [length row single]; constructor;
    [cbn [coin massP massQ]; auto|apply ih].
- exists (fun x => if (x <? b)%Z then None else nth_error cs (Z.to_nat (x - b))). split.
  + intros x i th. destruct (x <? b)%Z; [easy|]. intros e. apply nth_error_In in e. rewrite List.Forall_forall in hc.
    exact (hc _ e).
  + intros F f g F0 h. split; [exact F0|]. intros e e0. exists (length cs), b.
    enough (on_P (single (row (length cs) b p) (row (length cs) b q) cs) f - on_Q
      (single (row (length cs) b p) (row (length cs) b q) cs) g <= span (length cs) b F) by lra.
    apply whole_sum. intros j i th ej. specialize (h (b + Z.of_nat j)%Z). cbv beta in h.
    destruct (Z.ltb_spec (b + Z.of_nat j) b); [lia|].
    replace (Z.to_nat (b + Z.of_nat j - b)) with j in h by lia. now rewrite ej in h.
Qed.
End Whole.

(** Parts with a profile have pairs, so that nothing is said of none. *)
Definition has_pairs (a : part) : Prop := exists X P Q', pairs a X P Q'.
Lemma finite_has ws : has_pairs (Finite ws).
Proof.
set (ps := masses_of (map fst ws)). exists (outcomes (length ps)), (mixed ps (map only_one (seq 0 (length ps)))),
  (mixed (masses_of (map snd ws)) (map only_one (seq 0 (length ps)))).
constructor; [now rewrite map_length, seq_length|]. rewrite List.Forall_forall. intros k i.
apply in_map_iff in i as (j & <- & _).
split; [intros x; unfold only_one; destruct (x =? j)%nat; lra|apply only_one_total].
Qed.
Lemma whole_ge0 x : (0 <=? Qnum x)%Z = true -> 0 <= Q2R x.
Proof. intros h. apply Z.leb_le, IZR_le in h. unfold Q2R. apply Rmult_le_pos; [easy|]. left.
apply Rinv_0_lt_compat, IZR_lt. lia. Qed.

(** * In integers *)

Section Integers.
Variable p : precision.
Hypothesis p0 : (0 <= p)%Z.
Notation Un := (Fixed.U p).
Notation enc := (enc p).
Let one := unit p.

Definition normal_tail (rt : Z * Z) (k : nat) (t : Q) : Z * Z :=
  (Z.max 0 (above_low p rt (terms p) k t / 2), share (above_high p rt (terms p) k t) 2).
Definition mixed_tail (tail : Q -> Z * Z) (rate s t : Q) : Z * Z := plus (times p (ratI p rate) (tail (t - s)%Q))
  (times p (ratI p (1 - rate)) (tail t)).
(** The masses between thresholds, P-mass rounded down and Q-mass up. *)
Fixpoint differences (l : list ((Z * Z) * (Z * Z))) : list (Z * Z) :=
  match l with
  | nil => nil
  | (a, b) :: l' => let '(na, nb) := match l' with nil => (0, 0)%Z | (a', b') :: _ => (snd a', fst b') end in
      (Z.max 0 (fst a - na), Z.max 0 (snd b - nb))%Z :: differences l'
  end.
Fixpoint ordered (l : list Q) : bool := match l with x :: (y :: _) as l' => Qle_bool x y && ordered l' | _ => true end.
Definition sided (d : direction) (x : (Z * Z) * (Z * Z)) : (Z * Z) * (Z * Z) := match d with Remove => x | Add =>
  (snd x, fst x) end.
(** Of the masses of discrete Gaussian noise, from −n to n. *)
Definition shares (v : Q) (s n : nat) (l : list (Z * Z)) : list (Z * Z) := let z :=
  (fst (all_of l), snd (all_of l) + bell_rest v n s l)%Z in map (fun a => quotient p a z) l.
Definition later (x y : Q) : Q := if Qle_bool x y then y else x.
(** Of the cells of a part: thresholds, each with a number of terms, and a shift that is not too large;
  nothing of either for single outcomes, which are those from
    s − n to n of discrete Gaussian noise on a number that the record changes by s, and n is in
      the place of the shift. *)
Definition cell_masses (d : direction) (a : part) (m : Q) (hs : list (Q * nat)) : option (list (Z * Z)) :=
  let good rate := (0 <? Qnum rate)%Z && Qle_bool rate 1 in
  match a with
  | Gaussian square rate => let rt := (root_low p, root_high p) in
      if good rate && Qle_bool (m * m) square && ordered (map fst hs)
      then Some (differences (map (fun h => let tail := normal_tail rt (snd h) in
        sided d (mixed_tail tail rate m (fst h), tail (fst h))) hs)) else None
  | LaplaceNoise shift rate =>
      if good rate && Qle_bool 0 shift && ordered (map fst hs)
      then Some (differences
        (map (fun h => sided d (mixed_tail (laplace_tail p) rate shift (fst h), laplace_tail p (fst h))) hs)) else None
  | ClampedLaplace s c before =>
      let t := (- s - c)%Q in let t' := if before then t else (- c)%Q in let none := (0, 0)%Z in
      match hs with
      | _ :: _ :: hs' =>
          let f := laplace_tail p c in let g := laplace_tail p (c + s) in
          let atoms := if before then [(f, g); (none, none)] else [(f, none); (none, f)] in
          if ordered (map fst hs')
          then Some (map (fun x => let '(a, b) := sided d x in (fst a, snd b)) atoms ++
            differences (map (fun h =>
              sided d (laplace_tail p (later (fst h) t + s), laplace_tail p (later (fst h) t'))) hs')) else None
      | _ => None
      end
  | DiscreteGaussian v s => let n := Z.to_nat (Qnum m) in let l := bell_row p v n in
      if fits v s n l && (length hs + s =? 2 * n + 1)%nat
      then let ms := shares v s n l in
        Some (map (fun x => let '(a, b) := sided d x in (fst a, snd b))
        (combine (firstn (length hs) ms) (skipn s ms))) else None
  | Finite ws => let ps := table p (map fst ws) in let qs := table p (map snd ws) in
      if sound ps && sound qs && (length hs =? length ws)%nat
      then Some (map (fun x => let '(a, b) := sided d x in (fst a, snd b))
        (combine (normalized p ps) (normalized p qs))) else None
  end.

Lemma normal_tail_ok rt k t : enc rt (/ sqrt (2 * PI)) -> enc (normal_tail rt k t) (sf (Q2R t)).
Proof.
intros hr. pose proof (U_pos p p0) as u0. pose proof (above_high_ok p p0 rt (terms p) k t hr) as h.
pose proof (above_low_ok p p0 rt (terms p) k t hr) as l. pose proof (half_le (Q2R t)) as hh. unfold sf.
unfold normal_tail, Fixed.enc; cbn [fst snd]. split; [lia|]. split.
- destruct (Z.max_spec 0 (above_low p rt (terms p) k t / 2)) as [[_ ->]|[_ ->]].
  + pose proof (Z.mul_div_le (above_low p rt (terms p) k t) 2 ltac:(lia)) as d. apply IZR_le in d.
    rewrite mult_IZR in d. lra.
  + apply Rmult_le_pos; lra.
- pose proof (share_ge (above_high p rt (terms p) k t) 2 ltac:(lia)) as s. lra.
Qed.
Lemma mixed_tail_ok tail G rate s t : (0 <? Qnum rate)%Z && Qle_bool rate 1 = true ->
  (forall t, enc (tail t) (G (Q2R t))) -> enc (mixed_tail tail rate s t) (tail_of (Q2R rate) (Q2R s) G (Q2R t)).
Proof.
intros hr h. destruct (rate_ok p p0 _ hr) as (_ & hg & hog). unfold mixed_tail, tail_of.
apply plus_ok; apply (times_ok p p0); auto. rewrite <- Q2R_minus. apply h.
Qed.

(** What is known of cells: integers that bound their masses. *)
Definition known (x : Z * Z) (c : cell) : Prop := (0 <= fst x)%Z /\ (0 <= snd x)%Z /\ IZR (fst x) <= massP c * Un /\
  massQ c * Un <= IZR (snd x).
Lemma differences_ok GP GQ : (forall u v, u <= v -> 0 <= GP u - GP v) -> (forall t, 0 <= GP t) ->
  forall (es : list ((Z * Z) * (Z * Z))) (l : list (R * (Z * R))),
  Forall2 (fun e s => enc (fst e) (GP (fst s)) /\ enc (snd e) (GQ (fst s))) es l -> ascending l ->
    Forall2 known (differences es) (cells GP GQ 0 0 l).
Proof.
intros fp tp es l h. pose proof (U_pos p p0) as u0. induction h as [|[a b] [t [i th]] es l [ha hb] h ih]; intros asc;
  [constructor|]. cbn [fst snd] in ha, hb.
cbn [differences cells]. destruct h as [|[a' b'] [t' c'] es l [ha' hb'] h].
- constructor; [|constructor]. unfold known; cbn [fst snd massP massQ]. rewrite !Rminus_0_r, !Z.sub_0_r.
  destruct ha as (a0 & al & _), hb as (_ & _ & bu).
  split; [lia|]. split; [lia|]. rewrite Z.max_r by easy. split; [easy|]. apply Rle_trans with (1 := bu). apply IZR_le.
  lia.
- destruct asc as [tt asc]. constructor; [|now apply ih]. cbn [fst snd] in *. unfold known; cbn [fst snd massP massQ].
  destruct ha as (_ & al & _), hb as (_ & _ & bu), ha' as (_ & _ & au'), hb' as (_ & bl' & _).
  split; [lia|]. split; [lia|]. rewrite !Rmult_minus_distr_r. split.
  + destruct (Z.max_spec 0 (fst a - snd a')) as [[_ ->]|[_ ->]]; [rewrite minus_IZR; lra|]. pose proof (fp t t' tt).
    pose proof (Rmult_le_pos _ _ H (Rlt_le _ _ u0)). lra.
  + apply Rle_trans with (IZR (snd b - fst b')); [rewrite minus_IZR; lra|apply IZR_le; lia].
Qed.

Lemma ordered_right (hs : list (Q * nat)) : forall cs : list (Z * R), length hs = length cs ->
  ordered (map fst hs) = true -> ascending (combine (map (fun h => Q2R (fst h)) hs) cs).
Proof.
induction hs as [|[x k] hs ih]; intros [|c cs] len e; try discriminate; [easy|]. cbn [map combine fst].
destruct hs as [|[y j] hs]; [destruct cs; easy|]. destruct cs as [|c' cs]; [discriminate|].
cbn [map ordered fst] in e. apply andb_true_iff in e as [e1 e2]. split.
- cbn [fst]. now apply Qle_Rle, Qle_bool_iff.
- apply (ih (c' :: cs)); [simpl in *; lia|exact e2].
Qed.
Lemma coins_right (ts : list R) (cs : list (Z * R)) : List.Forall (fun c => 0 <= snd c <= 1) cs ->
  coins (combine ts cs).
Proof.
intros h. unfold coins. rewrite List.Forall_forall. intros [t c] i. apply in_combine_r in i.
rewrite List.Forall_forall in h. exact (h c i).
Qed.
Definition indexed (c : cell) (s : Z * R) : Prop := index c = fst s /\ coin c = snd s.
Lemma cells_indexed GP GQ (ts : list R) : forall cs, length ts = length cs ->
  Forall2 indexed (cells GP GQ 0 0 (combine ts cs)) cs.
Proof. induction ts as [|t ts ih]; intros [|[i th] cs] len; try discriminate; [constructor|]. cbn [combine cells].
constructor; [easy|]. apply ih. simpl in len. lia. Qed.
Lemma single_indexed ps : forall qs cs, length ps = length qs -> length ps = length cs ->
  Forall2 indexed (single ps qs cs) cs.
Proof. induction ps as [|a ps ih]; intros [|b qs] [|[i th] cs] l1 l2; try discriminate; [constructor|]. cbn [single].
constructor; [easy|]. apply ih; simpl in *; lia. Qed.
Lemma differences_length l : length (differences l) = length l.
Proof. induction l as [|[a b] l ih]; [easy|]. cbn [differences length].
destruct (match l with nil => (0, 0)%Z | (a', b') :: _ => (snd a', fst b') end). cbn [length]. now rewrite ih. Qed.

(** The cells of two densities on the line. *)
Lemma line_cells (kA kB GA GB : R -> R) (eA eB : Q * nat -> Z * Z) (hs : list (Q * nat)) (cs : list (Z * R)) :
  (forall x, 0 <= kA x) -> (forall x, 0 <= kB x) -> (forall u v, u <= v -> is_RInt kA u v (GA u - GA v)) ->
    (forall u v, u <= v -> is_RInt kB u v (GB u - GB v)) ->
  (forall e, 0 < e -> exists T, forall v, T <= v -> 0 <= GA v <= e) ->
    (forall e, 0 < e -> exists T, forall v, T <= v -> 0 <= GB v <= e) ->
  (forall h, enc (eA h) (GA (Q2R (fst h)))) -> (forall h, enc (eB h) (GB (Q2R (fst h)))) ->
  ordered (map fst hs) = true -> length cs = length hs -> List.Forall (fun c => 0 <= snd c <= 1) cs ->
  exists l, finds line kA kB l /\ Forall2 indexed l cs /\ Forall2 known (differences (map (fun h => (eA h, eB h)) hs))
    l.
Proof.
intros A0 B0 iA iB zA zB hA hB ho len hc. set (l := combine (map (fun h => Q2R (fst h)) hs) cs).
assert (asc : ascending l) by (apply ordered_right; auto). assert (co : coins l) by now apply coins_right.
assert (len2 : length (map (fun h : Q * nat => Q2R (fst h)) hs) = length cs) by now rewrite map_length.
exists (cells GA GB 0 0 l). split; [now apply line_finds|]. split; [now apply cells_indexed|].
apply differences_ok; auto.
- intros u v uv. now apply (falls_P kA GA).
- intros t. now apply (tail_P kA GA).
- unfold l. clear - len hA hB. revert cs len. induction hs as [|h hs ih]; intros [|c cs] len; try discriminate;
    [constructor|]. cbn [map combine]. constructor; [now split; cbn [fst snd]|]. apply ih. simpl in len. lia.
Qed.
(** Those of noise that is moved in a sample. *)
Lemma noise_cells (k G : R -> R) (tail : nat -> Q -> Z * Z) d rate s (hs : list (Q * nat)) (cs : list (Z * R)) :
  (0 <? Qnum rate)%Z && Qle_bool rate 1 = true -> (forall x, 0 <= k x) -> (forall u v, is_RInt k u v (G u - G v)) ->
  (forall e, 0 < e -> exists T, forall v, T <= v -> 0 <= G v <= e) -> (forall n t, enc (tail n t) (G (Q2R t))) ->
  ordered (map fst hs) = true -> length cs = length hs -> List.Forall (fun c => 0 <= snd c <= 1) cs ->
  let mixture x := Q2R rate * k (x - Q2R s) + (1 - Q2R rate) * k x in
  let p := match d with Remove => mixture | Add => k end in let q := match d with Remove => k | Add => mixture end in
  exists l, finds line p q l /\ Forall2 indexed l cs /\
    Forall2 known (differences
      (map (fun h => sided d (mixed_tail (tail (snd h)) rate s (fst h), tail (snd h) (fst h))) hs)) l.
Proof.
intros hr k0 ik zk ht ho len hc. cbv zeta. destruct (rate_ok p p0 _ hr) as ([g0 g1] & _ & _).
assert (m0 : forall x, 0 <= Q2R rate * k (x - Q2R s) + (1 - Q2R rate) * k x) by (intros x; apply Rplus_le_le_0_compat;
  apply Rmult_le_pos; auto; lra).
assert (em : forall h : Q * nat, enc (mixed_tail (tail (snd h)) rate s (fst h))
  (tail_of (Q2R rate) (Q2R s) G (Q2R (fst h)))) by (intros; apply mixed_tail_ok; auto).
destruct d; [apply line_cells with (tail_of (Q2R rate) (Q2R s) G) G|apply line_cells with G
  (tail_of (Q2R rate) (Q2R s) G)]; auto; try (intros; now apply mixture_is);
  try (intros; apply mixture_small; auto; lra). intros h. apply ht.
Qed.
(** Those of clamped noise. *)
Lemma clamped_cells d (s c : Q) (before : bool) (hs : list (Q * nat)) (cs : list (Z * R)) : ordered (map fst hs)
  = true -> length cs = length hs -> List.Forall (fun c => 0 <= snd c <= 1) cs ->
  let t := (- s - c)%Q in let t' := if before then t else (- c)%Q in
  let P := fun x : R => clamp (- Q2R s) (- Q2R s - Q2R c) true (inr x) in let Q' := fun x : R =>
    clamp 0 (without_at (Q2R s) (Q2R c) before) before (inr x) in
  exists l, finds line (match d with Remove => P | Add => Q' end) (match d with Remove => Q' | Add => P end) l /\
    Forall2 indexed l cs /\
    Forall2 known (differences
      (map (fun h => sided d (laplace_tail p (later (fst h) t + s), laplace_tail p (later (fst h) t'))) hs)) l.
Proof.
intros ho len hc. cbv zeta. set (t := (- s - c)%Q). set (t' := if before then t else (- c)%Q).
assert (et : Q2R t = - Q2R s - Q2R c) by (unfold t; now rewrite Q2R_minus, Q2R_opp).
assert (et' : Q2R t' = without_at (Q2R s) (Q2R c) before) by (unfold t', without_at; destruct before;
  [exact et|apply Q2R_opp]).
assert (lat : forall x y, Q2R (later x y) = Rmax (Q2R x) (Q2R y)).
{ intros x y. unfold later.
  destruct (Qle_bool x y) eqn:e; [apply Qle_bool_iff, Qle_Rle in e; now rewrite Rmax_right|].
  rewrite Rmax_left; [easy|]. apply Rnot_lt_le. intros h. apply Rlt_Qlt, Qlt_le_weak, Qle_bool_iff in h. congruence. }
rewrite <- et, <- et'. clearbody t'. clear et et'. clearbody t.
set (k := fun m t x => if Rlt_dec t x then lap (x - m) else 0). set (G := fun m t x => lap_tail (Rmax x t - m)).
assert (k0 : forall m t x, 0 <= k m t x) by (intros m u x; unfold k; destruct (Rlt_dec u x); [left; apply lap_pos|lra]).
assert (ik : forall m t u v, u <= v -> is_RInt (k m t) u v (G m t u - G m t v)) by (intros m w u v uv;
  apply (from_is (fun x => lap (x - m)) w u v); [easy|apply moved_is]).
assert (zk : forall m t e, 0 < e -> exists T, forall v, T <= v -> 0 <= G m t v <= e).
{ intros m w e e0. destruct (lap_tail_small e e0) as (T & h). exists (T + m). intros v hv. apply h.
  pose proof (Rmax_l v w). lra. }
assert (eP : forall h : Q * nat, enc (laplace_tail p (later (fst h) t + s)) (G (- Q2R s) (Q2R t) (Q2R (fst h)))).
{ intros h. pose proof (laplace_tail_ok p p0 (later (fst h) t + s)) as e. rewrite Q2R_plus, lat in e. unfold G.
  now replace (Rmax (Q2R (fst h)) (Q2R t) - - Q2R s) with (Rmax (Q2R (fst h)) (Q2R t) + Q2R s) by ring. }
assert (eQ : forall h : Q * nat, enc (laplace_tail p (later (fst h) t')) (G 0 (Q2R t') (Q2R (fst h)))).
{ intros h. pose proof (laplace_tail_ok p p0 (later (fst h) t')) as e. rewrite lat in e. unfold G.
  now rewrite Rminus_0_r. }
destruct d; [apply line_cells with (G (- Q2R s) (Q2R t)) (G 0 (Q2R t'))|apply line_cells with (G 0 (Q2R t'))
  (G (- Q2R s) (Q2R t))]; auto; try (intros; apply k0); try (intros; now apply ik).
Qed.

Lemma known_single (P Q' : list (Z * Z)) (ps qs : list R) : Forall2 enc P ps -> Forall2 enc Q' qs ->
  forall cs, length ps = length qs -> length ps = length cs ->
  Forall2 known (map (fun x => (fst (fst x), snd (snd x))) (combine P Q')) (single ps qs cs).
Proof.
intros h. revert Q' qs. induction h as [|a x P ps ha _ ih]; intros Q' qs hq cs l1 l2;
  [destruct qs; [|discriminate]; inversion hq; constructor|].
destruct hq as [|b y Q' qs hb hq]; [discriminate|]. destruct cs as [|[i th] cs]; [discriminate|].
cbn [combine map single]. constructor; [|apply ih; simpl in *; auto; lia].
unfold known; cbn [fst snd massP massQ]. pose proof (enc_pos p p0 _ _ hb) as y0.
destruct ha as (a0 & al & _), hb as (_ & _ & bu). repeat split; auto.
apply le_IZR. apply Rle_trans with (2 := bu). apply Rmult_le_pos; [easy|]. left. now apply U_pos.
Qed.

Lemma Forall2_firstn A B (r : A -> B -> Prop) k : forall l l', Forall2 r l l' -> Forall2 r (firstn k l) (firstn k l').
Proof. induction k as [|k ih]; intros l l' h; [constructor|]. destruct h; cbn [firstn]; auto. Qed.
Lemma quotients_ok zi z l xs : (0 < fst zi)%Z -> enc zi z -> Forall2 enc l xs ->
  Forall2 enc (map (fun a => quotient p a zi) l) (map (fun x => x / z) xs).
Proof. intros h hz. induction 1; cbn [map]; constructor; auto. now apply (quotient_ok p p0). Qed.

Theorem cell_masses_right d a m hs l cs : cell_masses d a m hs = Some l -> length cs = length hs ->
  List.Forall (fun c => 0 <= snd c <= 1) cs ->
  exists X P Q' c, directed d a X P Q' /\ finds X P Q' c /\ Forall2 indexed c cs /\ Forall2 known l c.
Proof.
unfold cell_masses. intros e len hc. destruct a as [square rate|shift rate|s c before|v s|ws].
- destruct ((0 <? Qnum rate)%Z && Qle_bool rate 1) eqn:hr; [|discriminate]. destruct (Qle_bool (m * m) square) eqn:hm;
    [|discriminate]. destruct (ordered (map fst hs)) eqn:ho; [|discriminate]. cbn [andb] in e. inversion e; subst.
  destruct (noise_cells phi sf (normal_tail (root_low p, root_high p)) d rate m hs cs) as (c & h1 & h2 & h3);
    auto using sf_is, sf_small.
  { intros; left; apply phi_pos. } { intros; apply normal_tail_ok, root_ok, p0. }
  assert (cl : gaussian (Q2R square) (Q2R rate) line (fun x => Q2R rate * phi (x - Q2R m) + (1 - Q2R rate) * phi x)
    phi).
  { constructor. rewrite <- Q2R_mult. now apply Qle_Rle, Qle_bool_iff. }
  destruct d; cbv zeta iota in h1;
    [exists line, (fun x => Q2R rate * phi (x - Q2R m) + (1 - Q2R rate) * phi x), phi, c|exists line, phi,
    (fun x => Q2R rate * phi (x - Q2R m) + (1 - Q2R rate) * phi x), c];
    (split; [cbn [directed pairs]; auto; now constructor|auto]).
- destruct ((0 <? Qnum rate)%Z && Qle_bool rate 1) eqn:hr; [|discriminate]. destruct (Qle_bool 0 shift) eqn:hm;
    [|discriminate]. destruct (ordered (map fst hs)) eqn:ho; [|discriminate]. cbn [andb] in e. inversion e; subst.
  destruct (noise_cells lap lap_tail (fun _ => laplace_tail p) d rate shift hs cs) as (c & h1 & h2 & h3);
    auto using lap_tail_is, lap_tail_small, laplace_tail_ok.
  { intros; left; apply lap_pos. }
  assert (cl : laplace (Q2R shift) (Q2R rate) line (fun x => Q2R rate * lap (x - Q2R shift) + (1 - Q2R rate) * lap x)
    lap).
  { constructor. apply Qle_bool_iff, Qle_Rle in hm. rewrite RMicromega.Q2R_0 in hm. lra. }
  destruct d; cbv zeta iota in h1;
    [exists line, (fun x => Q2R rate * lap (x - Q2R shift) + (1 - Q2R rate) * lap x), lap, c|exists line, lap,
    (fun x => Q2R rate * lap (x - Q2R shift) + (1 - Q2R rate) * lap x), c];
    (split; [cbn [directed pairs]; auto; now constructor|auto]).
- destruct hs as [|h0 [|h1 hs]]; try discriminate. destruct (ordered (map fst hs)) eqn:ho; [|discriminate].
  inversion e; subst; clear e. destruct cs as [|[i th] [|[i' th'] cs]]; try discriminate.
  inversion hc as [|? ? c1 hc1]; subst. inversion hc1 as [|? ? c2 hc2]; subst. cbn [snd] in c1, c2.
  destruct (clamped_cells d s c before hs cs ho ltac:(simpl in len; lia) hc2) as (l & h1' & h2 & h3).
  cbv zeta in h1', h3.
  set (P := clamp (- Q2R s) (- Q2R s - Q2R c) true) in
    *. set (Q' := clamp 0 (without_at (Q2R s) (Q2R c) before) before) in
    *. set (A := match d with Remove => P | Add => Q' end). set (B := match d with Remove => Q' | Add => P end).
  assert (A0 : forall o, 0 <= A o) by (intros; unfold A; destruct d; apply clamp_ge0).
  assert (B0 : forall o, 0 <= B o) by (intros; unfold B; destruct d; apply clamp_ge0).
  assert (fd : finds line (fun x => A (inr x)) (fun x => B (inr x)) l) by (unfold A, B; destruct d; exact h1').
  exists struck, A, B, (atom i th (A (inl true)) (B (inl true)) :: atom i' th' (A (inl false)) (B (inl false)) :: l).
  split; [|split; [now apply struck_finds|split; [now repeat (constructor; [easy|])|]]].
  + unfold A, B. destruct d; cbn [directed pairs]; [|constructor]; constructor.
  + assert (none : enc (0, 0)%Z 0) by (unfold Fixed.enc; cbn [fst snd]; split; [lia|lra]).
    assert (tf : enc (laplace_tail p c) (lap_under (- Q2R c))) by (rewrite lap_tail_opp, Ropp_involutive;
      now apply laplace_tail_ok).
    assert (tg : enc (laplace_tail p (c + s)) (lap_under (- Q2R s - Q2R c))) by (rewrite lap_tail_opp;
      replace (- (- Q2R s - Q2R c)) with (Q2R (c + s)) by (rewrite Q2R_plus; ring); now apply laplace_tail_ok).
    assert (kn : forall u v a b j t', enc u a -> enc v b -> known (fst u, snd v) (atom j t' a b)).
    { intros u v a b j t' hu hv. pose proof (enc_pos p p0 _ _ hv) as b0.
      destruct hu as (u0 & ul & _), hv as (_ & _ & vu). unfold known; cbn [fst snd atom massP massQ].
      repeat split; auto.
      apply le_IZR. apply Rle_trans with (2 := vu). apply Rmult_le_pos; [easy|]. left. now apply U_pos. }
    assert (mP : P (inl true) = lap_under (- Q2R c)) by (unfold P; cbn [clamp Bool.eqb]; f_equal; ring).
    assert (mP' : P (inl false) = 0) by reflexivity.
    assert (mQ : Q' (inl true) = if before then lap_under (- Q2R s - Q2R c) else 0) by (unfold Q', without_at;
      destruct before; cbn [clamp Bool.eqb]; [f_equal; ring|easy]).
    assert (mQ' : Q' (inl false) = if before then 0 else lap_under (- Q2R c)) by (unfold Q', without_at;
      destruct before; cbn [clamp Bool.eqb]; [easy|f_equal; ring]).
    unfold A, B. destruct d, before; rewrite mP, mP', mQ, mQ'; cbn [map app sided fst snd];
      (constructor; [|constructor; [|exact h3]]);
      first [exact (kn _ _ _ _ _ _ tf tg)|exact (kn _ _ _ _ _ _ tg tf)|exact (kn _ _ _ _ _ _ tf none)|exact
        (kn _ _ _ _ _ _ none tf)|exact (kn _ _ _ _ _ _ none none)].
- set (n := Z.to_nat (Qnum m)) in *. destruct (fits v s n (bell_row p v n)) eqn:hf; [|discriminate].
  destruct (length hs + s =? 2 * n + 1)%nat eqn:hl; [|discriminate]. cbn [andb] in e. apply Nat.eqb_eq in hl.
  inversion e; subst l; clear e.
  pose proof (v_pos p v s n hf) as v0. pose proof (s_le p v s n hf) as sl.
  set (vr := Q2R v) in *. destruct (bell_has_sum vr v0) as (z & hz). pose proof (z_pos vr v0 z hz) as zp.
  pose proof (noise_ge0 vr v0 z hz) as ge.
  set (w := fun x => bell vr x / z). set (N := length cs).
  assert (ms : Forall2 enc (shares v s n (bell_row p v n)) (row (Z.to_nat (2 * Z.of_nat n + 1)) (- Z.of_nat n) w)).
  { pose proof (row_ok p p0 v s n hf) as ro. fold vr in ro. change w with (fun x => (fun y => y / z) (bell vr x)).
    rewrite <- row_map. apply quotients_ok; [exact (all_pos p v s n hf)|exact (z_enc p p0 v s n hf z hz)|exact ro]. }
  set (l := shares v s n (bell_row p v n)) in *.
  assert (hP : Forall2 enc (firstn (length hs) l) (row N (Z.of_nat s - Z.of_nat n) (fun x => w (x - Z.of_nat s)%Z))).
  { rewrite row_move. replace (Z.of_nat s - Z.of_nat n - Z.of_nat s)%Z with (- Z.of_nat n)%Z by ring.
    rewrite <- (row_first N (Z.to_nat (2 * Z.of_nat n + 1))) by lia. rewrite <- len. now apply Forall2_firstn. }
  assert (hQ : Forall2 enc (skipn s l) (row N (Z.of_nat s - Z.of_nat n) w)).
  { pose proof (Forall2_skipn _ _ _ s _ _ ms) as k. rewrite row_skip in k.
    replace (Z.to_nat (2 * Z.of_nat n + 1) - s)%nat with N in k by lia.
    now replace (- Z.of_nat n + Z.of_nat s)%Z with (Z.of_nat s - Z.of_nat n)%Z in k by ring. }
  set (pw := fun x => w (x - Z.of_nat s)%Z) in *. set (b := (Z.of_nat s - Z.of_nat n)%Z) in *.
  assert (cl : discrete_gaussian vr (Z.of_nat s) integers pw w)
    by (apply (a_discrete_gaussian vr (Z.of_nat s) (Z.of_nat s) z); [lia|exact hz]).
  assert (pw0 : forall x, 0 <= pw x) by (intros; apply ge).
  assert (sw : forall (P Q' : list (Z * Z)), map (fun x => let '(a, b) := sided Add x in (fst a, snd b))
    (combine P Q') = map (fun x => (fst (fst x), snd (snd x))) (combine Q' P)).
  { induction P as [|x P ih]; intros [|y Q']; try easy. cbn [combine map sided fst snd]. now rewrite ih. }
  destruct d.
  + exists integers, pw, w, (single (row N b pw) (row N b w) cs). split; [exact cl|]. split; [now apply whole_finds|].
    split; [apply single_indexed; now rewrite !row_length|].
    erewrite map_ext; [apply known_single with (1 := hP) (2 := hQ); now rewrite !row_length|]. intros [x y]. easy.
  + exists integers, w, pw, (single (row N b w) (row N b pw) cs). split; [now constructor|].
    split; [now apply whole_finds|]. split; [apply single_indexed; now rewrite !row_length|].
    rewrite sw. apply known_single with (1 := hQ) (2 := hP); now rewrite !row_length.
- destruct (sound (table p (map fst ws)) && sound (table p (map snd ws))) eqn:hs2; [|discriminate].
  destruct (length hs =? length ws)%nat eqn:hl; [|discriminate]. cbn [andb] in e. apply Nat.eqb_eq in hl.
  inversion e; subst. clear e.
  apply andb_true_iff in hs2 as [k1 k2].
  destruct (normalized_ok p p0 _ k1) as (p1 & p2 & p3), (normalized_ok p p0 _ k2) as (q1 & q2 & q3).
  set (ps := masses_of (map fst ws)) in *. set (qs := masses_of (map snd ws)) in *.
  assert (lp : length ps = length ws) by (unfold ps, masses_of; now rewrite !map_length).
  assert (lq : length qs = length ws) by (unfold qs, masses_of; now rewrite !map_length).
  set (ks := map only_one (seq 0 (length ps))).
  assert (ch : channel ps qs (outcomes (length ps)) (mixed ps ks) (mixed qs ks)).
  { constructor; [unfold ks; now rewrite map_length, seq_length|]. rewrite List.Forall_forall. intros k i.
    apply in_map_iff in i as (j & <- & _).
    split; [intros x; unfold only_one; destruct (x =? j)%nat; lra|apply only_one_total]. }
  destruct d.
  + exists (outcomes (length ps)), (mixed ps ks), (mixed qs ks), (single ps qs cs). split; [exact ch|].
    split; [apply single_finds; auto; congruence|]. split; [apply single_indexed; congruence|].
    erewrite map_ext; [apply known_single; auto; congruence|]. intros [x y]. easy.
  + exists (outcomes (length ps)), (mixed qs ks), (mixed ps ks), (single qs ps cs). split; [now constructor|]. split.
    * unfold ks. replace (length ps) with (length qs) by congruence. apply single_finds; auto; congruence.
    * split; [apply single_indexed; congruence|]. clear - p0 p1 q1 lp lq hl len.
      assert (sw : forall (P Q' : list (Z * Z)), map (fun x => let '(a, b) := sided Add x in (fst a, snd b))
        (combine P Q') = map (fun x => (fst (fst x), snd (snd x))) (combine Q' P)).
      { induction P as [|x P ih]; intros [|y Q']; try easy. cbn [combine map sided fst snd]. now rewrite ih. }
      rewrite sw. apply known_single; auto; congruence.
Qed.

Theorem profile_has d a m f : profile p d a m = Some f -> has_pairs a.
Proof.
unfold profile. destruct a as [square rate|shift rate|s c before|v s|ws].
- destruct (0 <=? Qnum square)%Z eqn:h; [|now rewrite andb_false_r]. intros _. apply whole_ge0 in h. do 3 eexists.
  apply (a_gaussian _ _ 0). now rewrite Rmult_0_l.
- destruct (0 <=? Qnum shift)%Z eqn:h; [|now rewrite andb_false_r]. intros _. apply whole_ge0 in h. do 3 eexists.
  apply (a_laplace _ _ 0). lra.
- intros _. do 3 eexists. constructor.
- set (n := Z.to_nat (Qnum m)). destruct (fits v s n (bell_row p v n)) eqn:h; [|discriminate]. intros _.
  destruct (bell_has_sum (Q2R v) (v_pos p v s n h)) as (z & hz). do 3 eexists. apply (a_discrete_gaussian _ _ 0 z);
    [lia|exact hz].
- intros _. apply finite_has.
Qed.
End Integers.
