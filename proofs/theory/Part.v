(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** The parts of an event, which pairs they are, and bounds of their profiles in integers. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Dpverify Require Import Numbers.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Composition Vector Leaf Laplace Clamped Discrete Series Fixed Normal Shift.
From Coq Require Import QArith Qreals.
Import ListNotations.
Local Open Scope R_scope.

(** * What parts are *)

(** Σ c·e^x over terms (c, x). *)
Definition weight := list (Q * Q).

Inductive part :=
| Gaussian (square rate : Q)              (* noise N(0, 1) on a value that the record changes by s, s² ≤ square;
  run on a sample which the record is in with the probability rate *)
| LaplaceNoise (shift rate : Q)           (* the same with noise of the density e^−|x|/2, |s| ≤ shift *)
| ClampedLaplace (shift location : Q) (before : bool)  (* noise of the density e^−|x − location|/2, clamped at 0,
  and a shift before that or after it *)
| DiscreteGaussian (variance : Q) (shift : nat)  (* noise on the integers, x with a mass proportional to
  e^(−x²/2·variance), on a whole number that the record changes by s, |s| ≤ shift *)
| Finite (weights : list (weight * weight)).   (* outcomes, with masses proportional to weights, and whatever is made
  of them *)

(** Randomized response that tells with the probability delta, and whatever is made of it: each (ε, δ)-DP mechanism. *)
Definition guarantee (eps delta : Q) : part :=
  let told := [(delta, 0%Q); (delta, eps)] in let much := [((1 - delta)%Q, eps)] in let little :=
    [((1 - delta)%Q, 0%Q)] in
  Finite [(told, nil); (much, little); (little, much); (nil, told)].

(** Geometric noise, of masses proportional to e^(−lambda·|x|), on a whole number that the record changes by s:
  what is told by the likelihood ratio. *)
Definition discrete_laplace (lambda : Q) (s : nat) : part :=
  let w j := let x := (- lambda * inject_Z (Z.of_nat j))%Q in if Nat.eqb j 0 || Nat.eqb j s then [(1%Q, x)]
    else [(1%Q, x); ((-1)%Q, (x - lambda)%Q)] in
  Finite (map (fun j => (w j, w (s - j)%nat)) (seq 0 (S s))).

(** A Poisson sample of outcomes, of weights that add up to the same on both sides: seen with the probability rate,
  and else as Q; or visibly nothing. *)
Definition scaled_by (g : Q) (w : weight) : weight := map (fun x => ((g * fst x)%Q, snd x)) w.
Definition sample (rate : Q) (visible : bool) (a : part) : part :=
  match a with
  | Finite ws =>
      let less := scaled_by (1 - rate) in let nothing := less (flat_map snd ws) in
      Finite (if visible then (nothing, nothing) :: map (fun x => (scaled_by rate (fst x), scaled_by rate (snd x))) ws
              else map (fun x => (scaled_by rate (fst x) ++ less (snd x), snd x)) ws)
  | _ => a
  end.

(** ** As classes of pairs: P with the record, Q without *)

Inductive gaussian (square rate : R) : class :=
  a_gaussian s : s * s <= square -> gaussian square rate line (fun x => rate * phi (x - s) + (1 - rate) * phi x) phi.
Inductive laplace (shift rate : R) : class :=
  a_laplace s : - shift <= s <= shift -> laplace shift rate line (fun x => rate * lap (x - s) + (1 - rate) * lap x) lap.

Fixpoint value (w : weight) : R := match w with nil => 0 | (c, x) :: w' => Q2R c * exp (Q2R x) + value w' end.
Definition masses_of (ws : list weight) : list R := let all := List.fold_right Rplus 0 (map value ws) in
  map (fun w => value w / all) ws.
Fixpoint mixed {X} (ws : list R) (ks : list (X -> R)) (x : X) : R :=
  match ws, ks with w :: ws', k :: ks' => w * k x + mixed ws' ks' x | _, _ => 0 end.
Inductive channel (ps qs : list R) : class :=
  a_channel (X : space) (ks : list (car X -> R)) : length ks = length ps ->
    List.Forall (fun k => (forall x, 0 <= k x) /\ Ub k 1) ks -> channel ps qs X (mixed ps ks) (mixed qs ks).

Inductive flipped (C : class) : class := a_flip X p q : C X p q -> flipped C X q p.
Inductive direction := Remove | Add.

Definition pairs (a : part) : class :=
  match a with
  | Gaussian square rate => gaussian (Q2R square) (Q2R rate)
  | LaplaceNoise shift rate => laplace (Q2R shift) (Q2R rate)
  | ClampedLaplace shift location before => clamped_laplace (Q2R shift) (Q2R location) before
  | DiscreteGaussian variance shift => discrete_gaussian (Q2R variance) (Z.of_nat shift)
  | Finite ws => channel (masses_of (map fst ws)) (masses_of (map snd ws))
  end.
Definition directed (d : direction) (a : part) : class := match d with Remove => pairs a | Add => flipped (pairs a) end.

(** What a sample is: of masses p and q, γp + (1 − γ)q and q; or 1 − γ for both, and γp and γq. *)
Lemma value_app v w : value (v ++ w) = value v + value w.
Proof. induction v as [|[c x] v ih]; cbn [app value]; [ring|]. rewrite ih. ring. Qed.
Lemma value_scaled g w : value (scaled_by g w) = Q2R g * value w.
Proof. unfold scaled_by. induction w as [|[c x] w ih]; cbn [map value fst snd]; [ring|]. rewrite ih, Q2R_mult. ring.
Qed.
Lemma value_flat (ws : list (weight * weight)) : value (flat_map snd ws) = List.fold_right Rplus 0
  (map value (map snd ws)).
Proof. induction ws as [|x ws ih]; [easy|]. cbn [flat_map map List.fold_right]. now rewrite value_app, ih. Qed.
Theorem sample_is rate visible ws : let g := Q2R rate in let all l := List.fold_right Rplus 0 (map value l) in
  all (map fst ws) = all (map snd ws) -> 0 < all (map snd ws) ->
  let p := masses_of (map fst ws) in let q := masses_of (map snd ws) in
  exists vs, sample rate visible (Finite ws) = Finite vs /\
    masses_of (map fst vs) = (if visible then 1 - g :: map (fun x => g * x) p
      else map (fun x => g * fst x + (1 - g) * snd x) (combine p q)) /\
    masses_of (map snd vs) = (if visible then 1 - g :: map (fun x => g * x) q else q).
Proof.
cbv zeta. set (A := List.fold_right Rplus 0 (map value (map snd ws))). intros e a0. set (g := Q2R rate).
assert (og : Q2R (1 - rate) = 1 - g) by (rewrite Q2R_minus; unfold g; f_equal; unfold Q2R; simpl; field).
unfold sample. destruct visible; cbv zeta iota; eexists; (split; [reflexivity|]).
- assert (s : forall vs : list weight, List.fold_right Rplus 0 (map value (map (scaled_by rate) vs))
    = g * List.fold_right Rplus 0 (map value vs)).
  { induction vs as [|v vs ih]; cbn [map List.fold_right]; [ring|]. rewrite ih, value_scaled. fold g. ring. }
  assert (m : forall vs : list weight, List.fold_right Rplus 0 (map value vs) = A ->
    masses_of (scaled_by (1 - rate) (flat_map snd ws) :: map (scaled_by rate) vs) = 1 - g :: map (fun x => g * x)
    (masses_of vs)).
  { intros vs h. unfold masses_of. cbn [map List.fold_right]. rewrite s, h, value_scaled, og, value_flat. fold A.
    replace ((1 - g) * A + g * A) with A by ring. f_equal; [field; lra|].
    rewrite !map_map. apply map_ext. intros v. rewrite value_scaled. fold g. field. lra. }
  cbn [map fst snd]. rewrite !map_map. cbn [fst snd].
  rewrite <- (map_map fst (scaled_by rate)), <- (map_map snd (scaled_by rate)). split; apply m; auto.
- rewrite !map_map. cbn [fst snd]. split; [|easy].
  set (f := fun x : weight * weight => scaled_by rate (fst x) ++ scaled_by (1 - rate) (snd x)).
  assert (v : forall x, value (f x) = g * value (fst x) + (1 - g) * value (snd x)) by (intros x; unfold f;
    now rewrite value_app, !value_scaled, og).
  assert (s : List.fold_right Rplus 0 (map value (map f ws)) = A).
  { transitivity (g * List.fold_right Rplus 0 (map value (map fst ws)) + (1 - g) * A); [|rewrite e; ring]. unfold A.
    clear - v. induction ws as [|x ws ih]; cbn [map List.fold_right]; [ring|]. rewrite ih, v. ring. }
  assert (at_A : forall l, List.fold_right Rplus 0 (map value l) = A -> masses_of l = map (fun w => value w / A) l)
    by (intros l <-; easy).
  etransitivity; [exact (at_A (map f ws) s)|]. rewrite (at_A (map fst ws) e), (at_A (map snd ws) eq_refl).
  clear s e at_A. clearbody A. clear - v a0. induction ws as [|x ws ih]; [easy|]. cbn [map combine fst snd].
  rewrite ih, v. f_equal. field. lra.
Qed.

(** * Profiles *)
Section Profile.
Variable p : precision.
Let one := unit p.
(** Of series of exp, so that what is left out is less than a unit. *)
Definition terms : nat := Z.to_nat (p / 10 + 4).
Definition expo (q : Q) : Z * Z := expQ p terms q.

(** Rounded up. *)
Definition share (x y : Z) : Z := (- (- x / y))%Z.

(** max(0, a·φ(x − m) − b·φ(x)) with b at least a·e, e = e^(mt − m²/2). *)
Definition normal_high (rt a e : Z * Z) (m t : Q) (k : nat) : Z :=
  share (snd a * above_high p rt terms k (t - m) - fst (times p a e) * Z.max 0 (above_low p rt terms k t)) (2 * one).
Definition gaussian_profile (rt : Z * Z) (d : direction) (rate m x : Q) (hint : Q * nat) : Z :=
  let al := expo x in let g := ratI p rate in let og := ratI p (1 - rate) in
  let '(t, k) := hint in let e := expo (m * t - m * m * (1 # 2)) in
  match d with
  | Add =>
    let v := times p al og in
    if (one <=? fst v)%Z then 0%Z
    else let a := (one - snd v, one - fst v)%Z in
      if (0 <? fst a)%Z && (snd (times p a e) <=? fst (times p al g))%Z then normal_high rt a e m t k else one
  | Remove =>
    if (snd al <=? fst og)%Z then (one - fst al)%Z
    else if (snd (times p g e) <=? fst al - snd og)%Z then normal_high rt g e m t k else one
  end.

Definition laplace_high (a b e : Z * Z) : Z :=
  Z.max (Z.max 0 (snd a - fst b)) (snd a - Z.sqrt (fst (times p (times p a b) e) * one)).
Definition laplace_profile (e : Z * Z) (d : direction) (rate x : Q) : Z :=
  let al := expo x in let g := ratI p rate in let og := ratI p (1 - rate) in
  match d with
  | Add =>
    let v := times p al og in
    if (one <=? fst v)%Z then 0%Z
    else let a := (one - snd v, one - fst v)%Z in
      if (0 <? fst a)%Z && (0 <? fst (times p al g))%Z then laplace_high a (times p al g) e else one
  | Remove =>
    if (snd al <=? fst og)%Z then (one - fst al)%Z
    else let b := (fst al - snd og, snd al - fst og)%Z in if (0 <? fst b)%Z && (0 <? fst g)%Z then laplace_high g b e
      else one
  end.

(** The probability that noise is above t. *)
Definition laplace_tail (t : Q) : Z * Z :=
  if (0 <=? Qnum t)%Z then over p (expo (- t)) 2 else let e := over p (expo t) 2 in
    (Z.max 0 (one - snd e), one - fst e)%Z.
(** Of clamped noise, the one before the shift and the one after it bound each other as Laplace noise; and the shift
  after the clamp shows what only one of them has. *)
Definition clamped_profile (f g e : Z * Z) (d : direction) (before : bool) (x : Q) : Z :=
  laplace_profile e d 1 x + if before then 0 else match d with Remove =>
    Z.min (snd g) (snd (times p (expo x) f)) | Add => Z.min (snd f) (snd (times p (expo x) g)) end.

(** A weight is enclosed by its terms above 0 and those below. *)
Fixpoint positive (w : weight) : Z * Z :=
  match w with nil => (0, 0)%Z | (c, x) :: w' => if (0 <=? Qnum c)%Z then
    plus (times p (ratI p c) (expo x)) (positive w') else positive w' end.
Fixpoint negative (w : weight) : Z * Z :=
  match w with nil => (0, 0)%Z | (c, x) :: w' => if (0 <=? Qnum c)%Z then negative w'
    else plus (times p (ratI p (- c)) (expo x)) (negative w') end.
Definition enclosed (w : weight) : Z * Z := let a := positive w in let b := negative w in
  (fst a - snd b, snd a - fst b)%Z.
Definition all_of (l : list (Z * Z)) : Z * Z := List.fold_right plus (0, 0)%Z l.
Definition normalized (l : list (Z * Z)) : list (Z * Z) := let s := all_of l in map (fun a => quotient p a s) l.
Definition table (ws : list weight) : list (Z * Z) := map enclosed ws.
Definition sound (l : list (Z * Z)) : bool := forallb (fun a => 0 <=? fst a)%Z l && (0 <? fst (all_of l))%Z.
Fixpoint finite_profile (al : Z * Z) (ps qs : list (Z * Z)) : Z :=
  match ps, qs with a :: ps', b :: qs' => Z.max 0 (snd a - fst (times p al b)) + finite_profile al ps' qs' | _, _ =>
    0%Z end.

(** Of discrete Gaussian noise, e^(−j²/2v) for j from 0 to n, w, w·r, w·r·(r·q), …; the same for −n to n;
  and the bound of those beyond n − s, on both sides. *)
Fixpoint bells (w r q : Z * Z) (n : nat) : list (Z * Z) := match n with O => [w] | S n' =>
  w :: bells (times p w r) (times p r q) q n' end.
Definition bell_row (v : Q) (n : nat) : list (Z * Z) := let l :=
  bells (whole p 1) (expo (- (1 # 2) / v)) (expo (- (1) / v)) n in rev (tl l) ++ l.
Definition bell_rest (v : Q) (n s : nat) (l : list (Z * Z)) : Z :=
  share (snd (nth s l (0, 0)%Z) * (4 * Qnum v)) ((2 * (Z.of_nat n - Z.of_nat s) + 1) * Zpos (Qden v)).
Definition fits (v : Q) (s n : nat) (l : list (Z * Z)) : bool :=
  (0 <? Qnum v)%Z && (s <=? n)%nat && (0 <? fst (all_of l))%Z.
(** Of shifts by 1, …, n. *)
Fixpoint shifted_profile (al : Z * Z) (l : list (Z * Z)) (n : nat) (l' : list (Z * Z)) : Z :=
  match n with O => 0%Z | S n' => Z.max (finite_profile al l l') (shifted_profile al l n' (tl l')) end.
Definition discrete_profile (s : nat) (l : list (Z * Z)) (rest all : Z) (al : Z * Z) : Z :=
  Z.max (Z.max 0 (one - fst al)) (share ((shifted_profile al l s (tl l) + rest) * one) all).

(** The bound of ∫ max(0, P − e^x·Q), in units of 2^−p; of a Gaussian, m is at least the largest shift, and a hint is
  a point near the one where P = e^x·Q, and how
    many terms of a series to take; of discrete Gaussian noise, m is up to where it is summed.
    None where the part has no profile. *)
Definition profile (d : direction) (a : part) (m : Q) : option (Q -> Q * nat -> Z) :=
  let good rate := (0 <? Qnum rate)%Z && Qle_bool rate 1 in
  match a with
  | Gaussian square rate => let rt := (root_low p, root_high p) in
      if good rate && (0 <? Qnum m)%Z && Qle_bool square (m * m) && (0 <=? Qnum square)%Z then
        Some (gaussian_profile rt d rate m) else None
  | LaplaceNoise shift rate => let e := expo (- shift) in if good rate && (0 <=? Qnum shift)%Z then
    Some (fun x _ => laplace_profile e d rate x) else None
  | ClampedLaplace s c before => let e := expo (- s) in let f := laplace_tail c in let g := laplace_tail (c - s) in
      if Qle_bool 0 s then Some (fun x _ => clamped_profile f g e d before x) else None
  | DiscreteGaussian v s => let n := Z.to_nat (Qnum m) in let l := bell_row v n in
      if fits v s n l then let rest := bell_rest v n s l in let all := fst (all_of l) in
        Some (fun x _ => discrete_profile s l rest all (expo x)) else None
  | Finite ws => let ps := table (map fst ws) in let qs := table (map snd ws) in
      if sound ps && sound qs then
        let ps := normalized ps in let qs := normalized qs in
        Some (fun x _ => match d with Remove => finite_profile (expo x) ps qs | Add =>
          finite_profile (expo x) qs ps end)
      else None
  end.

(** * Why they are bounds *)
Hypothesis p0 : (0 <= p)%Z.
Notation Un := (Fixed.U p).
Notation enc := (enc p).
Lemma Un0 : 0 < Un. Proof. now apply U_pos. Qed.
Lemma expo_ok q : enc (expo q) (exp (Q2R q)). Proof. now apply expQ_ok. Qed.
Lemma share_ge x y : (0 < y)%Z -> IZR x / IZR y <= IZR (share x y).
Proof.
intros h. unfold share. pose proof (Z.mul_div_le (- x) y h) as k. apply IZR_le in k. rewrite mult_IZR, opp_IZR in k.
rewrite opp_IZR. apply IZR_lt in h.
apply Rmult_le_reg_r with (IZR y); [easy|]. replace (IZR x / IZR y * IZR y) with (IZR x) by (field; lra). lra.
Qed.

Definition bound (d : direction) (C : class) (f : Q -> Q * nat -> Z) : Prop :=
  forall X P Q', (match d with Remove => C | Add => flipped C end) X P Q' -> (forall x, 0 <= P x) /\
    (forall x, 0 <= Q' x) /\ Ub (fun x => Rmax 0 (P x - 0 * Q' x)) 1 /\
  forall x h, Ub (fun z => Rmax 0 (P z - exp (Q2R x) * Q' z)) (IZR (f x h) / Un).

Lemma whole_bound (X : space) (P Q' : X -> R) al z : 0 <= al -> (forall x, 0 <= Q' x) ->
  Ub (fun x => Rmax 0 (P x - 0 * Q' x)) 1 -> (one <= z)%Z -> Ub (fun x => Rmax 0 (P x - al * Q' x)) (IZR z / Un).
Proof.
intros a0 q0 h hz. revert h. pose proof Un0. apply ub_le.
- intros x. apply Rle_max_compat_l. specialize (q0 x). assert (0 <= al * Q' x) by now apply Rmult_le_pos. lra.
- apply IZR_le in hz. change (IZR one) with Un in hz. apply Rmult_le_reg_r with Un; [easy|]. field_simplify; lra.
Qed.

Lemma scaled A z : A * Un <= IZR z -> A <= IZR z / Un.
Proof. pose proof Un0. intros h. apply Rmult_le_reg_r with Un; [easy|]. field_simplify; lra. Qed.
Lemma mixture_ge0 g u v : 0 < g <= 1 -> 0 <= u -> 0 <= v -> 0 <= g * u + (1 - g) * v.
Proof. intros. apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra. Qed.

Lemma Q2R_1 : Q2R 1 = 1. Proof. unfold Q2R; simpl; field. Qed.
Lemma rate_ok r : (0 <? Qnum r)%Z && Qle_bool r 1 = true -> 0 < Q2R r <= 1 /\ enc (ratI p r) (Q2R r) /\
  enc (ratI p (1 - r)) (1 - Q2R r).
Proof.
rewrite andb_true_iff, Z.ltb_lt. intros [h k]. apply Qle_bool_imp_le in k. assert (k' := k). apply Qle_Rle in k.
rewrite Q2R_1 in k.
assert (0 < Q2R r). { unfold Q2R. apply IZR_lt in h. apply Rmult_lt_0_compat; [easy|]. apply Rinv_0_lt_compat, IZR_lt.
lia. }
split; [easy|]. split; [apply (ratI_ok p p0); lia|].
replace (1 - Q2R r) with (Q2R (1 - r)) by (rewrite Q2R_minus, Q2R_1; ring). apply (ratI_ok p p0).
unfold Qle in k'. simpl in k'. destruct r as [n d']; unfold Qminus, Qplus, Qopp; cbn [Qnum Qden] in *. lia.
Qed.

(** ** Gaussians *)
Section Normal.
Variables m t : Q.
Hypothesis m0 : 0 < Q2R m.
Let mr := Q2R m.
Let E := exp (mr * Q2R t - mr ^ 2 / 2).
Lemma e_ok : enc (expo (m * t - m * m * (1 # 2))) E.
Proof.
pose proof (expo_ok (m * t - m * m * (1 # 2))) as he. rewrite Q2R_minus, !Q2R_mult in he.
assert (h2 : Q2R (1 # 2) = / 2) by (unfold Q2R; simpl; field). rewrite h2 in he.
replace (Q2R m * Q2R t - Q2R m * Q2R m * / 2) with (mr * Q2R t - mr ^ 2 / 2) in he by (unfold mr; simpl; field).
exact he.
Qed.
Lemma normal_ok rt ai a e k : enc rt (/ sqrt (2 * PI)) -> enc ai a -> 0 < a -> enc e E ->
  forall b s, a * E <= b -> - mr <= s <= mr -> at_most (difference s a b) (IZR (normal_high rt ai e m t k) / Un).
Proof.
intros hr ha a0 he b s hb hs. assert (E0 : 0 < E) by apply exp_pos. pose proof Un0 as u0.
apply (smaller mr a b _ s m0 a0 ltac:(assert (0 < a * E) by (now apply Rmult_lt_0_compat); lra) hs).
pose proof (kink mr a (Q2R t) m0 a0) as kk. fold E in kk.
assert (le : a * (1 / 2 - half (Q2R t - mr)) - a * E * (1 / 2 - half (Q2R t)) <= IZR (normal_high rt ai e m t k) / Un).
{ pose proof (above_high_ok p p0 rt terms k (t - m) hr) as ah. rewrite Q2R_minus in ah. fold mr in ah.
  pose proof (above_low_ok p p0 rt terms k t hr) as al. pose proof (times_ok p p0 _ _ _ _ ha he) as (x0 & xl & _).
  destruct ha as (_ & _ & hau).
  unfold normal_high. set (y := fst (times p ai e)) in *. apply IZR_le in x0.
  set (H := above_high p rt terms k (t - m)) in *. set (L := above_low p rt terms k t) in *.
  set (A := 1 / 2 - half (Q2R t - mr)) in *. set (B := 1 / 2 - half (Q2R t)) in *.
  assert (A0 : 0 <= A) by (unfold A; pose proof (half_le (Q2R t - mr)); lra).
  assert (B0 : 0 <= B) by (unfold B; pose proof (half_le (Q2R t)); lra).
  assert (k1 : a * Un * (2 * Un * A) <= IZR (snd ai) * IZR H).
  { apply Rmult_le_compat; try easy; repeat apply Rmult_le_pos; lra. }
  assert (k2 : IZR y * IZR (Z.max 0 L) <= a * E * Un * (2 * Un * B)).
  { apply Rmult_le_compat; try easy; [apply IZR_le; lia|]. destruct (Z.max_spec 0 L) as [[_ ->]|[_ ->]]; [easy|].
    repeat apply Rmult_le_pos; lra. }
  apply scaled. assert (one0 : (0 < 2 * one)%Z) by (apply lt_IZR; rewrite mult_IZR; change (IZR one) with Un; lra).
  eapply Rle_trans; [|apply (share_ge _ _ one0)]. rewrite minus_IZR, !mult_IZR. change (IZR one) with Un.
  apply Rmult_le_reg_r with (2 * Un); [lra|]. field_simplify; lra. }
intros u v uv. destruct (kk u v uv) as (I & i & il).
exists (RInt (fun x => Rmax 0 (difference mr a b x)) u v).
assert (ex : ex_RInt (fun x => Rmax 0 (difference mr a b x)) u v) by (apply ex_pos, continuous_difference).
split; [now apply (RInt_correct (V := R_CompleteNormedModule))|].
apply Rle_trans with I; [|lra].
apply (is_RInt_le (fun x => Rmax 0 (difference mr a b x)) (fun x => Rmax 0 (difference mr a (a * E) x)) u v); auto.
- now apply (RInt_correct (V := R_CompleteNormedModule)).
- intros x _. apply Rle_max_compat_l. unfold difference. pose proof (phi_pos x).
  assert (a * E * phi x <= b * phi x) by (apply Rmult_le_compat_r; lra). lra.
Qed.
End Normal.

Lemma gaussian_right d square rate m : (0 <? Qnum rate)%Z && Qle_bool rate 1 = true -> (0 <? Qnum m)%Z = true ->
  Qle_bool square (m * m) = true ->
  bound d (gaussian (Q2R square) (Q2R rate)) (gaussian_profile (root_low p, root_high p) d rate m).
Proof.
intros hr hm hs X P Q' cl. destruct (rate_ok _ hr) as (g0 & hg & hog). set (g := Q2R rate) in *. apply Z.ltb_lt in hm.
apply Qle_bool_imp_le, Qle_Rle in hs. rewrite Q2R_mult in hs.
assert (m0 : 0 < Q2R m). { unfold Q2R. apply IZR_lt in hm. apply Rmult_lt_0_compat; [easy|].
apply Rinv_0_lt_compat, IZR_lt. lia. }
pose proof (root_ok p p0) as rt. pose proof Un0 as u0.
assert (sh : forall s, s * s <= Q2R square -> - Q2R m <= s <= Q2R m). { intros s h. split; nra. }
assert (pp : forall x, 0 <= phi x) by (intros; left; apply phi_pos).
destruct d; cbv beta iota in cl.
- destruct cl as [s h]. specialize (sh s h). split; [intros; now apply mixture_ge0|]. split; [easy|].
  assert (tot : Ub (s := line) (fun x => Rmax 0 (g * phi (x - s) + (1 - g) * phi x - 0 * phi x)) 1)
    by (apply (low_kink g s g0); lra).
  split; [exact tot|]. intros x [t k]. unfold gaussian_profile. pose proof (expo_ok x) as hal.
  set (al := exp (Q2R x)) in *. assert (al0 : 0 < al) by apply exp_pos.
  destruct (Z.leb_spec (snd (expo x)) (fst (ratI p (1 - rate)))) as [q|q].
  + apply IZR_le in q. destruct hal as (_ & l & u'), hog as (_ & l' & _). apply (low_kink g s g0 al).
    * apply Rmult_le_reg_r with Un; lra.
    * apply scaled. rewrite minus_IZR. change (IZR one) with Un. lra.
  + destruct (Z.leb_spec (snd (times p (ratI p rate) (expo (m * t - m * m * (1 # 2)))))
      (fst (expo x) - snd (ratI p (1 - rate)))) as [k2|_].
    * apply IZR_le in k2. rewrite minus_IZR in k2.
      assert (ab : g * exp (Q2R m * Q2R t - Q2R m ^ 2 / 2) <= al - (1 - g)).
      { pose proof (times_ok p p0 _ _ _ _ hg (e_ok m t)) as (_ & _ & l).
        destruct hal as (_ & l1 & _), hog as (_ & _ & l2). apply Rmult_le_reg_r with Un; lra. }
      pose proof (normal_ok m t m0 _ _ _ _ k rt hg (proj1 g0) (e_ok m t) _ s ab sh) as f. apply of_at_most in f.
      revert f. apply (ub_le line); [|lra]. intros z. right. f_equal. unfold difference. ring.
    * apply (whole_bound line _ phi al one); auto; lra || lia.
- destruct cl as [X P Q' cl]. destruct cl as [s h]. specialize (sh s h). split; [easy|].
  split; [intros; now apply mixture_ge0|].
  pose proof (back_low g s 1 ltac:(lra)) as tot. split; [exact tot|]. intros x [t k]. unfold gaussian_profile.
  pose proof (expo_ok x) as hal. set (al := exp (Q2R x)) in *. assert (al0 : 0 < al) by apply exp_pos.
  pose proof (times_ok p p0 _ _ _ _ hal hog) as hv. set (v := times p (expo x) (ratI p (1 - rate))) in
    *. destruct (Z.leb_spec one (fst v)) as [q|q].
  + destruct hv as (_ & vl & _). apply IZR_le in q. change (IZR one) with Un in q.
    apply (back_high g s g0 al); [|easy|unfold Rdiv; lra]. apply Rmult_le_reg_r with Un; lra.
  + set (ai := (one - snd v, one - fst v)%Z).
    destruct ((0 <? fst ai)%Z && (snd (times p ai (expo (m * t - m * m * (1 # 2))))
      <=? fst (times p (expo x) (ratI p rate)))%Z) eqn:c.
    * apply andb_true_iff in c as [k1 k2]. apply Z.ltb_lt in k1. apply Z.leb_le, IZR_le in k2.
      set (a := 1 - al * (1 - g)).
      assert (ha : enc ai a). { destruct hv as (_ & vl & vu). unfold Fixed.enc, ai; cbn [fst snd]. rewrite !minus_IZR.
      change (IZR one) with Un. split; [cbn [ai fst] in k1; lia|]. unfold a. split; lra. }
      assert (a0 : 0 < a). { apply IZR_lt in k1. destruct ha as (_ & l & _). apply Rmult_lt_reg_r with Un; lra. }
      assert (ab : a * exp (Q2R m * Q2R t - Q2R m ^ 2 / 2) <= al * g).
      { pose proof (times_ok p p0 _ _ _ _ ha (e_ok m t)) as (_ & _ & l).
        pose proof (times_ok p p0 _ _ _ _ hal hg) as (_ & l' & _). apply Rmult_le_reg_r with Un; lra. }
      pose proof (normal_ok m t m0 _ _ _ _ k rt ha a0 (e_ok m t) (al * g) s ab sh) as f.
      assert (f' : at_most (fun z => phi z - al * (g * phi (z - s) + (1 - g) * phi z))
        (IZR (normal_high (root_low p, root_high p) ai (expo (m * t - m * m * (1 # 2))) m t k) / Un)).
      { apply (at_most_reflected s (difference s a (al * g))); [|exact f]. intros z. unfold difference, a.
        replace (s - z - s) with (- z) by ring. rewrite phi_even, <- (phi_even (z - s)).
        replace (- (z - s)) with (s - z) by ring. ring. }
      now apply of_at_most in f'.
    * apply (whole_bound line phi _ al one); auto; try lra; [|lia]. intros; now apply mixture_ge0.
Qed.

(** ** Laplace noise *)
Lemma laplace_ok S ai a bi b e : enc ai a -> enc bi b -> 0 < a -> 0 < b -> enc e (exp (- S)) ->
  lap_high S a b <= IZR (laplace_high ai bi e) / Un.
Proof.
intros ha hb a0 b0 he. pose proof Un0 as u0. apply scaled. unfold lap_high, laplace_high.
pose proof (times_ok p p0 _ _ _ _ (times_ok p p0 _ _ _ _ ha hb) he) as (z0 & zl & _).
set (z := fst (times p (times p ai bi) e)) in *.
destruct ha as (_ & _ & ha), hb as (_ & hb & _).
set (x := a * b * exp (- S)) in *. assert (x0 : 0 <= x) by (repeat apply Rmult_le_pos; try lra; left; apply exp_pos).
assert (o0 : (0 <= z * one)%Z) by (apply Z.mul_nonneg_nonneg; [easy|apply Z.pow_nonneg; lia]).
assert (sq : IZR (Z.sqrt (z * one)) <= sqrt x * Un).
{ pose proof (Z.sqrt_spec _ o0) as [k _]. apply IZR_le in k. rewrite !mult_IZR in k. change (IZR one) with Un in k.
  apply IZR_le in z0.
  apply Rsqr_incr_0_var; [|apply Rmult_le_pos; [apply sqrt_pos|lra]]. unfold Rsqr.
  replace (sqrt x * Un * (sqrt x * Un)) with (sqrt x * sqrt x * Un * Un) by ring.
  rewrite sqrt_sqrt by easy. apply Rle_trans with (1 := k). apply Rmult_le_compat_r; lra. }
rewrite RmaxRmult_r || rewrite Rmult_comm, <- RmaxRmult by lra.
rewrite <- RmaxRmult by lra.
apply Rmax_lub; [apply Rmax_lub|].
- rewrite Rmult_0_r. apply IZR_le. lia.
- apply Rle_trans with (IZR (snd ai - fst bi)); [rewrite minus_IZR; lra|apply IZR_le; lia].
- apply Rle_trans with (IZR (snd ai - Z.sqrt (z * one))); [rewrite minus_IZR; lra|apply IZR_le; lia].
Qed.

Lemma laplace_right d shift rate : (0 <? Qnum rate)%Z && Qle_bool rate 1 = true ->
  bound d (laplace (Q2R shift) (Q2R rate)) (fun x _ => laplace_profile (expo (- shift)) d rate x).
Proof.
intros hr X P Q' cl. destruct (rate_ok _ hr) as (g0 & hg & hog). set (g := Q2R rate) in *. pose proof Un0 as u0.
pose proof (expo_ok (- shift)) as he. rewrite Q2R_opp in he.
assert (pp : forall x, 0 <= lap x) by (intros; left; apply lap_pos).
assert (low : forall s al d', al <= 1 - g -> 1 - al <= d' ->
  Ub (s := line) (fun x => Rmax 0 (g * lap (x - s) + (1 - g) * lap x - al * lap x)) d').
{ intros s al d' h hd. apply (ub_le line _ (fun x => g * lap (x - s) + (1 - g - al) * lap (x - 0))
    (g * 1 + (1 - g - al) * 1)); [|lra|].
  - intros x. rewrite Rminus_0_r. pose proof (lap_pos (x - s)). pose proof (lap_pos x).
    assert (0 <= (1 - g - al) * lap x) by (apply Rmult_le_pos; lra).
    assert (0 <= g * lap (x - s)) by (apply Rmult_le_pos; lra). apply Rmax_lub; lra.
  - apply ub_add; apply ub_scale; try lra; apply lap_total. }
destruct d; cbv beta iota in cl.
- destruct cl as [s sh]. split; [intros; now apply mixture_ge0|]. split; [easy|].
  assert (tot : Ub (s := line) (fun x => Rmax 0 (g * lap (x - s) + (1 - g) * lap x - 0 * lap x)) 1) by (apply low; lra).
  split; [exact tot|]. intros x _. unfold laplace_profile. pose proof (expo_ok x) as hal.
  set (al := exp (Q2R x)) in *. assert (al0 : 0 < al) by apply exp_pos.
  destruct (Z.leb_spec (snd (expo x)) (fst (ratI p (1 - rate)))) as [q|q].
  + apply IZR_le in q. destruct hal as (_ & l & u'), hog as (_ & l' & _). apply low.
    * apply Rmult_le_reg_r with Un; lra.
    * apply scaled. rewrite minus_IZR. change (IZR one) with Un. lra.
  + set (bi := (fst (expo x) - snd (ratI p (1 - rate)), snd (expo x) - fst (ratI p (1 - rate)))%Z).
    destruct ((0 <? fst bi)%Z && (0 <? fst (ratI p rate))%Z) eqn:c.
    * apply andb_true_iff in c as [c _]. apply Z.ltb_lt in c.
      assert (hb : enc bi (al - (1 - g))). { destruct hal as (_ & l1 & l2), hog as (_ & l3 & l4).
      unfold Fixed.enc, bi; cbn [fst snd]. rewrite !minus_IZR. split; [cbn [bi fst] in c; lia|]. split; lra. }
      assert (b0 : 0 < al - (1 - g)). { apply IZR_lt in c. destruct hb as (_ & l & _).
      apply Rmult_lt_reg_r with Un; lra. }
      pose proof (lap_profile s (Q2R shift) g (al - (1 - g)) sh (proj1 g0) b0) as f. revert f.
      apply (ub_le line); [|now apply laplace_ok].
      intros z. right. f_equal. unfold difference_lap. ring.
    * apply (whole_bound line _ lap al one); auto; lra || lia.
- destruct cl as [X P Q' cl]. destruct cl as [s sh]. split; [easy|]. split; [intros; now apply mixture_ge0|].
  assert (tot : Ub (s := line) (fun x => Rmax 0 (lap x - 0 * (g * lap (x - s) + (1 - g) * lap x))) 1).
  { apply (ub_le line _ (fun x => lap (x - 0)) 1); [|lra|apply lap_total]. intros x. rewrite Rminus_0_r.
    apply Rmax_lub; [easy|lra]. }
  split; [exact tot|]. intros x _. unfold laplace_profile. pose proof (expo_ok x) as hal.
  set (al := exp (Q2R x)) in *. assert (al0 : 0 < al) by apply exp_pos.
  pose proof (times_ok p p0 _ _ _ _ hal hog) as hv. set (v := times p (expo x) (ratI p (1 - rate))) in
    *. destruct (Z.leb_spec one (fst v)) as [q|q].
  + destruct hv as (_ & vl & _). apply IZR_le in q. change (IZR one) with Un in q.
    assert (k : 1 <= al * (1 - g)) by (apply Rmult_le_reg_r with Un; lra).
    apply (ub_le line _ (fun _ => 0) 0); [|unfold Rdiv; lra|apply ub_zero]. intros z. apply Rmax_lub; [lra|].
    pose proof (lap_pos (z - s)). pose proof (lap_pos z).
    assert (0 <= al * g * lap (z - s)) by (apply Rmult_le_pos; [|lra]; apply Rmult_le_pos; lra).
    assert (0 <= (al * (1 - g) - 1) * lap z) by (apply Rmult_le_pos; lra). lra.
  + set (ai := (one - snd v, one - fst v)%Z).
    destruct ((0 <? fst ai)%Z && (0 <? fst (times p (expo x) (ratI p rate)))%Z) eqn:c.
    * apply andb_true_iff in c as [k1 _]. apply Z.ltb_lt in k1. set (a := 1 - al * (1 - g)).
      assert (ha : enc ai a). { destruct hv as (_ & vl & vu). unfold Fixed.enc, ai; cbn [fst snd]. rewrite !minus_IZR.
      change (IZR one) with Un. split; [cbn [ai fst] in k1; lia|]. unfold a. split; lra. }
      assert (a0 : 0 < a). { apply IZR_lt in k1. destruct ha as (_ & l & _). apply Rmult_lt_reg_r with Un; lra. }
      assert (b0 : 0 < al * g) by (apply Rmult_lt_0_compat; lra).
      pose proof (lap_profile (- s) (Q2R shift) a (al * g) ltac:(lra) a0 b0) as (G & g1 & g2).
      exists (fun z => G (z - s)). split.
      -- intros z. specialize (g1 (z - s)). unfold difference_lap in g1. replace (z - s - - s) with z in g1 by ring.
      split; [|easy].
         apply Rle_trans with (2 := proj1 g1). right. f_equal. unfold a. ring.
      -- intros u w uw. destruct (g2 (u - s) (w - s) ltac:(lra)) as (I & i & le). exists I. split.
         ++ replace (u - s) with (1 * u + - s) in i by ring. replace (w - s) with (1 * w + - s) in i by ring.
            pose proof (is_RInt_comp_lin (V := R_NormedModule) G 1 (- s) u w I i) as cc.
            eapply is_RInt_ext; [|exact cc].
            intros z _. unfold scal; simpl; unfold mult; simpl. rewrite Rmult_1_l. f_equal. ring.
         ++ apply Rle_trans with (1 := le). apply laplace_ok; auto. now apply times_ok.
    * apply (whole_bound line lap _ al one); auto; try lra; [|lia]. intros; now apply mixture_ge0.
Qed.

(** ** Finitely many outcomes *)
Lemma positive_ok w : exists x y, enc (positive w) x /\ enc (negative w) y /\ x - y = value w.
Proof.
induction w as [|[c x] w (a & b & ha & hb & e)]; cbn [positive negative value].
- exists 0, 0. assert (z : enc (0, 0)%Z 0) by (unfold Fixed.enc; cbn [fst snd]; split; [lia|lra]). split; [exact z|].
  split; [exact z|ring].
- rewrite <- e. destruct (Z.leb_spec 0 (Qnum c)) as [h|h].
  + exists (Q2R c * exp (Q2R x) + a), b. split; [|split; [easy|ring]]. apply plus_ok; [|easy].
    apply (times_ok p p0); [now apply (ratI_ok p p0)|apply expo_ok].
  + exists a, (Q2R (- c) * exp (Q2R x) + b). split; [easy|]. split; [|rewrite Q2R_opp; ring]. apply plus_ok; [|easy].
    apply (times_ok p p0); [apply (ratI_ok p p0); simpl; lia|apply expo_ok].
Qed.
Lemma enclosed_ok w : (0 <= fst (enclosed w))%Z -> enc (enclosed w) (value w).
Proof.
intros h. destruct (positive_ok w) as (x & y & (_ & xl & xu) & (_ & yl & yu) & e).
unfold enclosed in *. unfold Fixed.enc; cbn [fst snd] in *. split; [easy|]. rewrite !minus_IZR, <- e. lra.
Qed.
Lemma table_ok ws : sound (table ws) = true -> Forall2 enc (table ws) (map value ws) /\
  enc (all_of (table ws)) (List.fold_right Rplus 0 (map value ws)) /\ (0 < fst (all_of (table ws)))%Z.
Proof.
unfold sound. rewrite andb_true_iff, Z.ltb_lt. intros [h k]. split; [|split; [|easy]]; clear k.
- induction ws as [|w ws ih]; cbn [table map]; [constructor|]. cbn [table map forallb] in h.
  apply andb_true_iff in h as [h1 h]. apply Z.leb_le in h1. constructor; [now apply enclosed_ok|now apply ih].
- induction ws as [|w ws ih]; cbn [table map all_of List.fold_right];
    [unfold Fixed.enc; cbn [fst snd]; split; [lia|lra]|]. cbn [table map forallb] in h.
  apply andb_true_iff in h as [h1 h]. apply Z.leb_le in h1.
  apply plus_ok; [now apply enclosed_ok|now apply ih].
Qed.
Lemma sum_div l c : c <> 0 -> List.fold_right Rplus 0 (map (fun v => v / c) l) = List.fold_right Rplus 0 l / c.
Proof. intros h. induction l as [|v l ih]; cbn [map List.fold_right]; [field; easy|]. rewrite ih. field. easy. Qed.
Lemma normalized_ok ws : sound (table ws) = true -> Forall2 enc (normalized (table ws)) (masses_of ws) /\
  List.Forall (Rle 0) (masses_of ws) /\ List.fold_right Rplus 0 (masses_of ws) = 1.
Proof.
intros h. destruct (table_ok ws h) as (h1 & h2 & h3). unfold masses_of, normalized.
set (c := List.fold_right Rplus 0 (map value ws)) in *. pose proof Un0 as u0.
assert (c0 : 0 < c). { apply IZR_lt in h3. destruct h2 as (_ & l & _). apply Rmult_lt_reg_r with Un; lra. }
split; [|split].
- clearbody c. revert h2 h3. generalize (all_of (table ws)). intros s h2 h3. clear h. generalize (table ws) h1.
  clear h1. intros l h1. rewrite <- (map_map value (fun v => v / c)). induction h1 as [|a v l l' ha _ ih]; cbn [map];
    constructor; auto. now apply (quotient_ok p p0).
- rewrite List.Forall_forall. intros v i. apply in_map_iff in i as (w & <- & i).
  apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
  clear - h1 i u0 p0. induction ws as [|w0 ws ih]; [easy|]. cbn [table map] in h1. inversion h1; subst.
  destruct i as [<-|i]; [now apply (enc_pos p p0 (enclosed w0))|now apply ih].
- rewrite <- (map_map value (fun v => v / c)), sum_div by lra. fold c. field. lra.
Qed.
Lemma mixed_ge0 {X} ws (ks : list (X -> R)) x : List.Forall (Rle 0) ws ->
  List.Forall (fun k => forall x, 0 <= k x) ks -> 0 <= mixed ws ks x.
Proof.
intros h. revert ks. induction h as [|w ws hw _ ih]; intros ks hk; [cbn [mixed]; lra|].
destruct hk as [|k ks h1 h2]; cbn [mixed]; [lra|]. apply Rplus_le_le_0_compat; [apply Rmult_le_pos; auto|now apply ih].
Qed.
Lemma channel_excess al : forall ps qs, List.Forall (Rle 0) qs -> forall (X : space) (ks : list (X -> R)),
  length ks = length ps -> length ps = length qs ->
  List.Forall (fun k => (forall x, 0 <= k x) /\ Ub k 1) ks ->
    Ub (fun x => Rmax 0 (mixed ps ks x - al * mixed qs ks x)) (excess al ps qs).
Proof.
induction ps as [|pa ps ih]; intros [|qb qs] nn X ks l1 l2 hk; try discriminate.
- cbn [excess mixed]. apply (ub_le X _ (fun x => 0) 0); [|lra|apply ub_zero]. intros x. right.
  rewrite Rmult_0_r, Rminus_0_r. apply Rmax_left. lra.
- destruct ks as [|k ks]; [discriminate|]. inversion nn; inversion hk; subst. destruct H5 as [k0 kt]. cbn [excess].
  apply (ub_le X _ (fun x => Rmax 0 (pa - al * qb) * k x + Rmax 0 (mixed ps ks x - al * mixed qs ks x))
    (Rmax 0 (pa - al * qb) * 1 + excess al ps qs)); [|lra|].
  + intros x. cbn [mixed]. pose proof (Rmax_l 0 (pa - al * qb)). pose proof (Rmax_r 0 (pa - al * qb)).
    pose proof (Rmax_l 0 (mixed ps ks x - al * mixed qs ks x)).
    pose proof (Rmax_r 0 (mixed ps ks x - al * mixed qs ks x)).
    specialize (k0 x). assert (0 <= Rmax 0 (pa - al * qb) * k x) by (apply Rmult_le_pos; lra).
    assert ((pa - al * qb) * k x <= Rmax 0 (pa - al * qb) * k x) by (apply Rmult_le_compat_r; lra). apply Rmax_lub; lra.
  + apply ub_add; [apply ub_scale; [apply Rmax_l|easy]|]. apply ih; auto.
Qed.
Lemma excess_ok al ali P Q' ps qs : enc ali al -> Forall2 enc P ps -> Forall2 enc Q' qs ->
  excess al ps qs * Un <= IZR (finite_profile ali P Q').
Proof.
intros hal hp. revert qs Q'. pose proof Un0 as u0. induction hp as [|a pa P ps ha _ ih]; intros qs Q' hq;
  [destruct hq; cbn [excess finite_profile]; lra|].
destruct hq as [|b qb Q' qs hb hq]; [cbn [excess finite_profile]; lra|]. cbn [excess finite_profile].
rewrite plus_IZR, Rmult_plus_distr_r. apply Rplus_le_compat; [|now apply ih].
pose proof (times_ok p p0 _ _ _ _ hal hb) as (_ & l & _). destruct ha as (_ & _ & u'). unfold Rmax.
destruct (Rle_dec 0 (pa - al * qb)).
- apply Rle_trans with (IZR (snd a - fst (times p ali b))); [rewrite minus_IZR; lra|apply IZR_le; lia].
- rewrite Rmult_0_l. apply IZR_le. lia.
Qed.
Lemma finite_ok al ali P Q' : enc ali al -> forall ps qs, Forall2 enc P ps -> Forall2 enc Q' qs ->
  List.Forall (Rle 0) qs -> forall (X : space) (ks : list (X -> R)), length ks = length ps -> length ps = length qs ->
  List.Forall (fun k => (forall x, 0 <= k x) /\ Ub k 1) ks ->
    Ub (fun x => Rmax 0 (mixed ps ks x - al * mixed qs ks x)) (IZR (finite_profile ali P Q') / Un).
Proof.
intros hal ps qs hp hq nn X ks l1 l2 hk.
apply (ub_le X _ (fun x => Rmax 0 (mixed ps ks x - al * mixed qs ks x)) (excess al ps qs));
  [intros; lra| |now apply channel_excess]. apply scaled. now apply excess_ok.
Qed.
Lemma mixed_total ps : List.Forall (Rle 0) ps -> forall (X : space) (ks : list (X -> R)), length ks = length ps ->
  List.Forall (fun k => (forall x, 0 <= k x) /\ Ub k 1) ks -> Ub (mixed ps ks) (List.fold_right Rplus 0 ps).
Proof.
induction 1 as [|w ps hw _ ih]; intros X ks len hk.
- apply (ub_le X _ (fun _ => 0) 0); [intros; cbn [mixed]; lra|cbn; lra|apply ub_zero].
- destruct ks as [|k ks]; [discriminate|]. inversion hk; subst.
  apply (ub_le X _ (fun x => w * k x + mixed ps ks x) (w * 1 + List.fold_right Rplus 0 ps));
    [intros; cbn [mixed]; lra|cbn [List.fold_right]; lra|].
  apply ub_add; [now apply ub_scale|]. apply ih; auto.
Qed.
Lemma finite_right d ws : sound (table (map fst ws)) && sound (table (map snd ws)) = true ->
  bound d (pairs (Finite ws)) (fun x _ => match d with Remove =>
    finite_profile (expo x) (normalized (table (map fst ws))) (normalized (table (map snd ws)))
    | Add => finite_profile (expo x) (normalized (table (map snd ws))) (normalized (table (map fst ws))) end).
Proof.
rewrite andb_true_iff. intros [h1 h2] X P Q' cl.
destruct (normalized_ok _ h1) as (p1 & p2 & p3), (normalized_ok _ h2) as (q1 & q2 & q3).
assert (len : length (masses_of (map fst ws)) = length (masses_of (map snd ws))) by (unfold masses_of;
  now rewrite !map_length).
assert (nonneg : forall (X : space) (ks : list (X -> R)), List.Forall (fun k => (forall x, 0 <= k x) /\ Ub k 1) ks ->
  List.Forall (fun k => forall x, 0 <= k x) ks) by (intros Y ks; apply List.Forall_impl; easy).
assert (tot : forall (X : space) (ks : list (X -> R)) ps qs, length ks = length ps -> List.Forall (Rle 0) ps ->
  List.Forall (Rle 0) qs -> List.fold_right Rplus 0 ps = 1 -> List.Forall (fun k => (forall x, 0 <= k x) /\ Ub k 1)
  ks -> Ub (fun x => Rmax 0 (mixed ps ks x - 0 * mixed qs ks x)) 1).
{ intros Y ks ps qs l a0 b0 s hk. apply (ub_le Y _ (mixed ps ks) (List.fold_right Rplus 0 ps));
    [|lra|now apply mixed_total]. intros x. pose proof (mixed_ge0 ps ks x a0 (nonneg _ _ hk)). apply Rmax_lub; lra. }
destruct d; cbv beta iota in cl; [|destruct cl as [X P Q' cl]]; destruct cl as [X ks lk hk]; split;
  try (intros; apply mixed_ge0; auto); (split; [intros; apply mixed_ge0; auto|]);
  (split; [apply tot; auto; congruence|]); intros x _; apply finite_ok; auto; try congruence; apply expo_ok.
Qed.

(** ** Clamped noise *)
Lemma laplace_tail_ok t : enc (laplace_tail t) (lap_tail (Q2R t)).
Proof.
pose proof (U_pos p p0) as u0. unfold laplace_tail. assert (s : (0 <=? Qnum t)%Z = true <-> 0 <= Q2R t).
{ rewrite Z.leb_le. unfold Q2R. assert (0 < IZR (Zpos (Qden t))) by (apply IZR_lt; lia). split; intros h.
  - apply Rmult_le_pos; [now apply IZR_le|left; now apply Rinv_0_lt_compat].
  - apply le_IZR. apply Rmult_le_reg_r with (/ IZR (Zpos (Qden t))); [now apply Rinv_0_lt_compat|]. lra. }
destruct (0 <=? Qnum t)%Z eqn:e.
- assert (h : 0 <= Q2R t) by now apply s. unfold lap_tail. destruct (Rle_dec 0 (Q2R t)); [|lra].
  apply (over_ok p p0 _ 2); [lia|]. rewrite <- Q2R_opp. apply expo_ok.
- assert (h : ~ 0 <= Q2R t) by (intros h; apply s in h; congruence). pose proof (lap_tail_pos (Q2R t)) as pos.
  unfold lap_tail in *. destruct (Rle_dec 0 (Q2R t)); [lra|].
  destruct (over_ok p p0 (expo t) 2 (exp (Q2R t)) ltac:(lia) (expo_ok t)) as (_ & l & u).
  unfold Fixed.enc; cbn [fst snd]. split; [lia|]. split.
  + destruct (Z.max_spec 0 (one - snd (over p (expo t) 2))) as [[_ ->]|[_ ->]];
      [rewrite minus_IZR; change (IZR one) with Un; lra|apply Rmult_le_pos; lra].
  + rewrite minus_IZR. change (IZR one) with Un. lra.
Qed.
Lemma least_of x y u v : x * Un <= IZR u -> y * Un <= IZR v -> Rmin x y * Un <= IZR (Z.min u v).
Proof. pose proof Un0 as u0. intros h k. pose proof (Rmult_le_compat_r Un _ _ ltac:(lra) (Rmin_l x y)).
pose proof (Rmult_le_compat_r Un _ _ ltac:(lra) (Rmin_r x y)). destruct (Z.min_spec u v) as [[_ ->]|[_ ->]]; lra. Qed.
Lemma clamped_right d s c before : Qle_bool 0 s = true ->
  bound d (clamped_laplace (Q2R s) (Q2R c) before) (fun x _ => clamped_profile (laplace_tail c) (laplace_tail (c - s))
    (expo (- s)) d before x).
Proof.
intros hs X P Q' cl. apply Qle_bool_iff, Qle_Rle in hs. rewrite RMicromega.Q2R_0 in hs. pose proof Un0 as u0.
set (sr := Q2R s) in *. set (cr := Q2R c) in *.
assert (tf : enc (laplace_tail c) (lap_under (- cr))) by (rewrite lap_tail_opp, Ropp_involutive; apply laplace_tail_ok).
assert (tg : enc (laplace_tail (c - s)) (lap_under (sr - cr))) by (rewrite lap_tail_opp;
  replace (- (sr - cr)) with (Q2R (c - s)) by (rewrite Q2R_minus; unfold sr, cr; ring); apply laplace_tail_ok).
pose proof (laplace_right d s 1 eq_refl) as noise. fold sr in noise.
pose proof (a_laplace sr (Q2R 1) (- sr) ltac:(lra)) as al0.
assert (shape : forall x, Q2R 1 * lap (x - - sr) + (1 - Q2R 1) * lap x = lap (x - - sr)) by (intros; rewrite Q2R_1;
  ring).
assert (less : forall x, 0 <= lap_under x) by apply lap_under_pos.
destruct d; [destruct cl|destruct cl as [X P Q' cl]; destruct cl]; (split; [intros; apply clamp_ge0|]);
  (split; [intros; apply clamp_ge0|]).
- destruct (noise line _ _ al0) as (_ & _ & tot & exc). split.
  + apply (ub_le struck _ (fun o : bool + R =>
      Rmax 0 (1 * clamp (- sr) (- sr - cr) true o - 0 * clamp 0 (without_at sr cr before) before o)) (1 + if before
      then 0 else Rmin (1 * lap_under (sr - cr)) (0 * lap_under (- cr)))).
    * intros o. rewrite Rmult_1_l. lra.
    * destruct before; [lra|]. rewrite Rmult_0_l, Rmin_right by (rewrite Rmult_1_l; auto). lra.
    * apply clamped_remove; try lra. revert tot. apply (ub_le line); [|lra]. intros x.
      rewrite shape, !Rmult_0_l, Rmult_1_l. lra.
  + intros x h. pose proof (expo_ok x) as hal. set (al := exp (Q2R x)) in *. assert (alp : 0 < al) by apply exp_pos.
    apply (ub_le struck _ (fun o : bool + R =>
      Rmax 0 (1 * clamp (- sr) (- sr - cr) true o - al * clamp 0 (without_at sr cr before) before o))
      (IZR (laplace_profile (expo (- s)) Remove 1 x) / Un + if before then
        0 else Rmin (1 * lap_under (sr - cr)) (al * lap_under (- cr)))).
    * intros o. rewrite Rmult_1_l. lra.
    * unfold clamped_profile. rewrite plus_IZR, Rdiv_plus_distr. apply Rplus_le_compat_l.
      destruct before; [unfold Rdiv; lra|]. rewrite Rmult_1_l. apply scaled.
      pose proof (times_ok p p0 _ _ _ _ hal tf) as (_ & _ & k). destruct tg as (_ & _ & k'). apply least_of; lra.
    * apply clamped_remove; try lra. pose proof (exc x h) as e. fold al in e. revert e. apply (ub_le line); [|lra].
      intros z. rewrite shape, Rminus_0_r, Rmult_1_l. lra.
- destruct (noise line _ _ (a_flip _ _ _ _ al0)) as (_ & _ & tot & exc). split.
  + apply (ub_le struck _ (fun o : bool + R =>
      Rmax 0 (1 * clamp 0 (without_at sr cr before) before o - 0 * clamp (- sr) (- sr - cr) true o)) (1 + if before
      then 0 else Rmin (1 * lap_under (- cr)) (0 * lap_under (sr - cr)))).
    * intros o. rewrite Rmult_1_l. lra.
    * destruct before; [lra|]. rewrite Rmult_0_l, Rmin_right by (rewrite Rmult_1_l; auto). lra.
    * apply clamped_add; try lra. revert tot. apply (ub_le line); [|lra]. intros x.
      rewrite Rminus_0_r, !Rmult_0_l, Rmult_1_l. lra.
  + intros x h. pose proof (expo_ok x) as hal. set (al := exp (Q2R x)) in *. assert (alp : 0 < al) by apply exp_pos.
    apply (ub_le struck _ (fun o : bool + R =>
      Rmax 0 (1 * clamp 0 (without_at sr cr before) before o - al * clamp (- sr) (- sr - cr) true o))
      (IZR (laplace_profile (expo (- s)) Add 1 x) / Un + if before then
        0 else Rmin (1 * lap_under (- cr)) (al * lap_under (sr - cr)))).
    * intros o. rewrite Rmult_1_l. lra.
    * unfold clamped_profile. rewrite plus_IZR, Rdiv_plus_distr. apply Rplus_le_compat_l.
      destruct before; [unfold Rdiv; lra|]. rewrite Rmult_1_l. apply scaled.
      pose proof (times_ok p p0 _ _ _ _ hal tg) as (_ & _ & k). destruct tf as (_ & _ & k'). apply least_of; lra.
    * apply clamped_add; try lra. pose proof (exc x h) as e. fold al in e. revert e. apply (ub_le line); [|lra].
      intros z. rewrite shape, Rminus_0_r, Rmult_1_l. lra.
Qed.

(** ** Discrete Gaussian noise *)
Lemma Forall2_rev A B (r : A -> B -> Prop) l l' : Forall2 r l l' -> Forall2 r (rev l) (rev l').
Proof. induction 1; cbn [rev]; [constructor|]. apply Forall2_app; [easy|]. now repeat constructor. Qed.
Lemma Forall2_skipn A B (r : A -> B -> Prop) k : forall l l', Forall2 r l l' -> Forall2 r (skipn k l) (skipn k l').
Proof. induction k as [|k ih]; intros l l' h; [easy|]. destruct h; cbn [skipn]; auto. Qed.
Lemma all_of_ok l xs : Forall2 enc l xs -> enc (all_of l) (List.fold_right Rplus 0 xs).
Proof. induction 1; cbn [all_of List.fold_right]; [unfold Fixed.enc; cbn [fst snd]; split; [lia|lra]|].
now apply plus_ok. Qed.
Lemma shifted_ok al l n : forall l' j, (j < n)%nat -> (finite_profile al l (skipn j l') <= shifted_profile al l n l')%Z.
Proof.
induction n as [|n ih]; intros l' j h; [lia|]. cbn [shifted_profile]. destruct j as [|j]; [cbn [skipn]; lia|].
specialize (ih (tl l') j ltac:(lia)).
replace (skipn (S j) l') with (skipn j (tl l')) by (destruct l'; [now rewrite !skipn_nil|easy]). lia.
Qed.

Section Discrete.
Variables (v : Q) (s n : nat).
Notation vr := (Q2R v).
Notation bell := (bell vr).
Notation l := (bell_row v n).
Hypothesis hf : fits v s n l = true.
Lemma v_pos : 0 < vr.
Proof.
unfold fits in hf. rewrite !andb_true_iff, Z.ltb_lt in hf. destruct hf as [[h _] _]. apply IZR_lt in h. unfold Q2R.
apply Rmult_lt_0_compat; [easy|]. apply Rinv_0_lt_compat, IZR_lt. lia.
Qed.
Lemma s_le : (s <= n)%nat. Proof. unfold fits in hf. rewrite !andb_true_iff, Nat.leb_le in hf. tauto. Qed.
Lemma all_pos : (0 < fst (all_of l))%Z. Proof. unfold fits in hf. rewrite !andb_true_iff, !Z.ltb_lt in hf. tauto. Qed.
Lemma bells_ok q : enc q (exp (- 2 / (2 * vr))) -> forall m j w r, enc w (bell j) ->
  enc r (exp (- (2 * IZR j + 1) / (2 * vr))) -> Forall2 enc (bells w r q m) (row (S m) j bell).
Proof.
pose proof v_pos as v0. intros hq. induction m as [|m ih]; intros j w r hw hr; [constructor; [exact hw|constructor]|].
change (row (S (S m)) j bell) with (bell j :: row (S m) (j + 1) bell). cbn [bells]. constructor; [easy|].
apply ih.
- rewrite bell_next by easy. now apply (times_ok p p0).
- replace (exp (- (2 * IZR (j + 1) + 1) / (2 * vr))) with (exp (- (2 * IZR j + 1) / (2 * vr)) * exp (- 2 / (2 * vr)));
    [now apply (times_ok p p0)|].
  rewrite <- exp_plus, plus_IZR. f_equal. field. lra.
Qed.
Lemma v_not0 : ~ (v == 0)%Q.
Proof. intros h. apply Qeq_eqR in h. pose proof v_pos. rewrite RMicromega.Q2R_0 in h. lra. Qed.
Lemma row_ok : Forall2 enc l (row (Z.to_nat (2 * Z.of_nat n + 1)) (- Z.of_nat n) bell).
Proof.
pose proof v_pos as v0. pose proof v_not0 as vn. unfold bell_row. set (h := bells _ _ _ n).
assert (hh : Forall2 enc h (row (S n) 0 bell)).
{ apply bells_ok.
  - pose proof (expo_ok (- (1) / v)) as e. rewrite Q2R_div in e by easy.
    replace (- 2 / (2 * vr)) with (Q2R (- (1)) / vr); [exact e|]. unfold Q2R at 1; simpl. field. lra.
  - rewrite bell_0 by easy. now apply (whole_ok p p0 1).
  - pose proof (expo_ok (- (1 # 2) / v)) as e. rewrite Q2R_div in e by easy.
    replace (- (2 * IZR 0 + 1) / (2 * vr)) with (Q2R (- (1 # 2)) / vr); [exact e|]. unfold Q2R at 1; simpl. field.
    lra. }
replace (Z.to_nat (2 * Z.of_nat n + 1)) with (n + S n)%nat by lia. rewrite row_app.
replace (- Z.of_nat n + Z.of_nat n)%Z with 0%Z by ring. apply Forall2_app; [|exact hh].
replace (- Z.of_nat n)%Z with (1 - 1 - Z.of_nat n)%Z by ring. rewrite <- row_mirror by (intros; now apply bell_even).
apply Forall2_rev. cbn [row] in hh. inversion hh as [|a b c d e1 e2 e3 e4]. exact e2.
Qed.
Lemma rest_ok : 2 * (rate vr (Z.of_nat n - Z.of_nat s) * bell (Z.of_nat n - Z.of_nat s)) * Un <= IZR
  (bell_rest v n s l).
Proof.
pose proof v_pos as v0. pose proof s_le as sl. pose proof row_ok as ro. pose proof Un0 as u0.
set (m := (Z.of_nat n - Z.of_nat s)%Z). unfold bell_rest. fold m.
assert (e : exists w, nth_error l s = Some w /\ enc w (bell m)).
{ pose proof (Forall2_skipn _ _ _ s _ _ ro) as k. rewrite row_skip in k.
  replace (Z.to_nat (2 * Z.of_nat n + 1) - s)%nat with (S (2 * n - s)) in k by lia. cbn [row] in k.
  inversion k as [|w x lw lx h1 h2 e1 e2]. exists w. split.
  - clear - e1. revert e1. generalize l. induction s as [|j ih]; intros k e; [cbn [skipn] in e; now subst|].
    destruct k as [|y k]; [discriminate|]. now apply ih.
  - replace (- Z.of_nat n + Z.of_nat s)%Z with (- m)%Z in h1 by (unfold m; ring). now rewrite bell_even in h1. }
destruct e as (w & e & hw). rewrite (nth_error_nth _ _ _ e). destruct hw as (_ & _ & hw).
assert (dz : (0 < (2 * m + 1) * Zpos (Qden v))%Z) by (apply Z.mul_pos_pos; lia).
eapply Rle_trans; [|apply (share_ge _ _ dz)]. rewrite !mult_IZR, plus_IZR, mult_IZR.
assert (mr : 0 <= IZR m) by (apply IZR_le; lia).
unfold rate. assert (d0 : 0 < IZR (Zpos (Qden v))) by (apply IZR_lt; lia).
assert (ev : vr = IZR (Qnum v) / IZR (Zpos (Qden v))) by reflexivity.
replace (2 * (2 * vr / (2 * IZR m + 1) * bell m) * Un) with (bell m * Un * (4 * vr / (2 * IZR m + 1))) by (field; lra).
replace (IZR (snd w) * (4 * IZR (Qnum v)) / ((2 * IZR m + 1) * IZR (Zpos (Qden v))))
  with (IZR (snd w) * (4 * vr / (2 * IZR m + 1))) by (rewrite ev; field; lra).
apply Rmult_le_compat_r; [|easy]. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
Qed.
Lemma z_enc z : sums_to bell z -> enc (fst (all_of l), (snd (all_of l) + bell_rest v n s l)%Z) z.
Proof.
intros hz. pose proof v_pos as v0. pose proof s_le as sl. pose proof (all_of_ok _ _ row_ok) as (a0 & lo & hi).
rewrite row_sum in lo, hi. pose proof rest_ok as ro. pose proof Un0 as u0.
unfold Fixed.enc; cbn [fst snd]. split; [easy|]. rewrite plus_IZR. split.
- apply Rle_trans with (1 := lo). apply Rmult_le_compat_r; [lra|]. now apply (all_below vr).
- pose proof (z_below vr v0 z hz n (Z.of_nat n - Z.of_nat s) ltac:(lia)) as h. apply (Rmult_le_compat_r Un) in h; lra.
Qed.
Lemma discrete_right d : bound d (discrete_gaussian vr (Z.of_nat s)) (fun x _ =>
  discrete_profile s l (bell_rest v n s l) (fst (all_of l)) (expo x)).
Proof.
pose proof v_pos as v0. pose proof s_le as sl. pose proof Un0 as u0. intros X P Q' cl.
assert (k : exists k z, (- Z.of_nat s <= k <= Z.of_nat s)%Z /\ sums_to bell z /\ exists e : X = integers,
  eq_rect X (fun X => ((X -> R) * (X -> R))%type) (P, Q') integers e =
  match d with Remove => (fun x => bell (x - k) / z, fun x => bell x / z) | Add =>
    (fun x => bell x / z, fun x => bell (x - k) / z) end).
{ destruct d; [|destruct cl as [X P Q' cl]]; destruct cl as [k z hk hz]; exists k, z; (split; [easy|]);
    (split; [easy|]); now exists eq_refl. }
destruct k as (k & z & hk & hz & -> & e). cbn [eq_rect] in e. pose proof (z_pos vr v0 z hz) as zp.
pose proof (noise_ge0 vr v0 z hz) as ge. pose proof (noise_total vr v0 z hz) as tot.
assert (tk : integers_Ub (fun x => bell (x - k) / z) 1) by exact (integers_moved _ _ k tot).
assert (le1 : forall f g : Z -> R, (forall x, 0 <= f x) -> integers_Ub f 1 ->
  integers_Ub (fun x => Rmax 0 (f x - 0 * g x)) 1).
{ intros f g f0. apply (ub_le integers); [|lra]. intros x. specialize (f0 x). apply Rmax_lub; lra. }
assert (pr : forall x : Q, integers_Ub (fun y => Rmax 0 (bell (y - k) / z - exp (Q2R x) * (bell y / z)))
  (IZR (discrete_profile s l (bell_rest v n s l) (fst (all_of l)) (expo x)) / Un) /\
  integers_Ub (fun y => Rmax 0 (bell y / z - exp (Q2R x) * (bell (y - k) / z)))
    (IZR (discrete_profile s l (bell_rest v n s l) (fst (all_of l)) (expo x)) / Un)).
{ intros x. apply either_shift with (Z.of_nat s); [|exact hk]. clear k hk e tk. intros k hk.
  pose proof (expo_ok x) as hal. set (al := exp (Q2R x)) in *. assert (al0 : 0 < al) by apply exp_pos.
  unfold discrete_profile. set (A := Z.max 0 (one - fst (expo x))). set (rest := bell_rest v n s l).
  set (all := fst (all_of l)).
  destruct (Z.eq_dec k 0) as [->|kn].
  - apply (ub_le integers _ (fun y => Rmax 0 (1 - al) * (bell y / z)) (Rmax 0 (1 - al) * 1));
      [| |apply (ub_scale integers); [apply Rmax_l|exact tot]].
    + intros y. rewrite Z.sub_0_r. specialize (ge y). pose proof (Rmax_l 0 (1 - al)). pose proof (Rmax_r 0 (1 - al)).
      apply Rmax_lub; [now apply Rmult_le_pos|].
      replace (bell y / z - al * (bell y / z)) with ((1 - al) * (bell y / z)) by ring. now apply Rmult_le_compat_r.
    + rewrite Rmult_1_r. apply scaled. apply Rle_trans with (IZR A); [|apply IZR_le; lia].
      destruct hal as (_ & lo & _). unfold Rmax. destruct (Rle_dec 0 (1 - al)).
      * apply Rle_trans with (IZR (one - fst (expo x)));
          [rewrite minus_IZR; change (IZR one) with Un; lra|apply IZR_le; lia].
      * rewrite Rmult_0_l. apply IZR_le. lia.
  - set (F := fun y => Rmax 0 (bell (y - k) - al * bell y)).
    set (T := finite_profile (expo x) l (skipn (Z.to_nat k) l)). pose proof rest_ok as ro. fold rest in ro.
    assert (sp : forall n' a, span n' a F * Un <= IZR (T + rest)).
    { intros n' a. assert (F0 : forall y, 0 <= F y) by (intros; apply Rmax_l).
      assert (Fb : forall y, F y <= bell (y - k)).
      { intros y. pose proof (bell_pos vr (y - k)). pose proof (bell_pos vr y).
        assert (0 < al * bell y) by now apply Rmult_lt_0_compat. apply Rmax_lub; lra. }
      pose proof (near vr v0 F k n (Z.of_nat n - Z.of_nat s) n' a F0 Fb ltac:(lia) ltac:(lia)) as h.
      apply (Rmult_le_compat_r Un) in h; [|lra]. rewrite plus_IZR.
      enough (span (Z.to_nat (2 * Z.of_nat n + 1 - k)) (k - Z.of_nat n) F * Un <= IZR T) by lra.
      pose proof (excess_ok al (expo x) _ _ _ _ hal row_ok (Forall2_skipn _ _ _ (Z.to_nat k) _ _ row_ok)) as ex.
      fold T in ex. rewrite row_skip, excess_row in ex by lia.
      replace (Z.to_nat (2 * Z.of_nat n + 1 - k)) with (Z.to_nat (2 * Z.of_nat n + 1) - Z.to_nat k)%nat by lia.
      replace (k - Z.of_nat n)%Z with (- Z.of_nat n + Z.of_nat (Z.to_nat k))%Z by lia.
      eapply Rle_trans; [|exact ex]. right. f_equal. apply span_ext. intros y. unfold F. do 3 f_equal. lia. }
    assert (Tm : (T <= shifted_profile (expo x) l s (tl l))%Z).
    { pose proof (shifted_ok (expo x) l s (tl l) (Z.to_nat k - 1) ltac:(lia)) as h. unfold T.
      replace (skipn (Z.to_nat k) l) with (skipn (Z.to_nat k - 1) (tl l)); [exact h|].
      replace (Z.to_nat k) with (S (Z.to_nat k - 1)) at 2 by lia. destruct l; [now rewrite !skipn_nil|easy]. }
    intros n' a. apply scaled. rewrite (span_ext n' a _ (fun y => / z * F y)).
    + rewrite span_scale. apply Rle_trans with (IZR (share ((shifted_profile (expo x) l s (tl l) + rest) * one) all));
        [|apply IZR_le; lia].
      pose proof all_pos as ap. fold all in ap. eapply Rle_trans; [|apply (share_ge _ _ ap)].
      destruct (z_enc z hz) as (_ & zl & _). cbn [fst] in zl. fold all in zl. apply IZR_lt in ap.
      assert (sh : span n' a F * Un <= IZR (shifted_profile (expo x) l s (tl l) + rest))
        by (apply Rle_trans with (1 := sp n' a); apply IZR_le; lia).
      set (W := IZR (shifted_profile (expo x) l s (tl l) + rest)) in *. rewrite mult_IZR. change (IZR one) with Un.
      fold W.
      assert (W0 : 0 <= W). { pose proof (span_ge0 n' a F ltac:(intros; apply Rmax_l)).
      apply Rle_trans with (2 := sh). apply Rmult_le_pos; lra. }
      replace (/ z * span n' a F * Un) with (span n' a F * Un / z) by (field; lra).
      apply Rle_trans with (W / z); [apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|easy]|].
      replace (W / z) with (W * Un * / (z * Un)) by (field; lra). apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
      apply Rinv_le_contravar; lra.
    + intros y. rewrite Rmax_right by apply Rmax_l. unfold F.
      rewrite <- RmaxRmult by (left; now apply Rinv_0_lt_compat). rewrite Rmult_0_r. f_equal. field. lra. }
destruct d; inversion e; subst P Q'; (split; [intros; apply ge|]); (split; [intros; apply ge|]);
  (split; [apply le1; [intros; apply ge|assumption]|]); intros x _; apply pr.
Qed.
End Discrete.

Theorem profile_right d a m f : profile d a m = Some f -> bound d (pairs a) f.
Proof.
unfold profile. destruct a as [square rate|shift rate|s c before|v s|ws].
- destruct ((0 <? Qnum rate)%Z && Qle_bool rate 1) eqn:h; [|discriminate].
  destruct (0 <? Qnum m)%Z eqn:k; [|discriminate]. destruct (Qle_bool square (m * m)) eqn:l; [|discriminate].
  destruct (0 <=? Qnum square)%Z; [|discriminate]. cbn [andb]. intros e. inversion e; subst. now apply gaussian_right.
- destruct ((0 <? Qnum rate)%Z && Qle_bool rate 1) eqn:h; [|discriminate].
  destruct (0 <=? Qnum shift)%Z; [|discriminate]. cbn [andb]. intros e. inversion e; subst. now apply laplace_right.
- destruct (Qle_bool 0 s) eqn:h; [|discriminate]. intros e. inversion e; subst. now apply clamped_right.
- set (n := Z.to_nat (Qnum m)). destruct (fits v s n (bell_row v n)) eqn:h; [|discriminate]. intros e.
  inversion e; subst. now apply discrete_right.
- destruct (sound (table (map fst ws)) && sound (table (map snd ws))) eqn:h; [|discriminate]. intros e.
  inversion e; subst. now apply finite_right.
Qed.
End Profile.
