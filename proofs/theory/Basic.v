(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Basic composition, in rational numbers: greatest losses add up, and what has infinite loss is not there with
  probabilities that multiply. *)
From Coq Require Import Reals Lra Lia List NArith ZArith Bool.
From Dpverify Require Import Numbers.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Composition Vector Leaf Laplace Clamped Discrete Part.
From Dpverify Require Cell.
From Coq Require Import QArith Qreals.
Import ListNotations.
Local Open Scope R_scope.

(** * The program *)

Definition same_number (x y : Q) : bool := (Qnum x =? Qnum y)%Z && (Qden x =? Qden y)%positive.
Fixpoint same_weight (v w : weight) : bool :=
  match v, w with nil, nil => true | (c, x) :: v', (d, y) :: w' =>
    same_number c d && same_number x y && same_weight v' w' | _, _ => false end.
Fixpoint same_weights (vs ws : list (weight * weight)) : bool :=
  match vs, ws with nil, nil => true | (a, b) :: vs', (c, d) :: ws' =>
    same_weight a c && same_weight b d && same_weights vs' ws' | _, _ => false end.
(** Losses are at most e, but for a mass of m. *)
Definition loses (a : part) (e m : Q) : bool :=
  (0 <=? Qnum e)%Z && (0 <=? Qnum m)%Z && Qle_bool m 1 &&
  match a with
  | LaplaceNoise shift rate => (0 <=? Qnum shift)%Z && ((0 <? Qnum rate)%Z && Qle_bool rate 1 && Qle_bool shift e)
  | ClampedLaplace shift _ before => before && Qle_bool 0 shift && Qle_bool shift e
  | Finite ws => match guarantee e m with Finite vs => same_weights ws vs | _ => false end
  | _ => false
  end.
(** Of 1 − m with so many copies, numerator and denominator. *)
Definition kept (m : Q) (n : N) : Z * Z :=
  if (Qnum m =? 0)%Z then (1, 1)%Z else ((Zpos (Qden m) - Qnum m) ^ Z.of_N n, Zpos (Qden m) ^ Z.of_N n)%Z.
Fixpoint basic (ps : list (part * N)) (ls : list (Q * Q)) : option (Q * (Z * Z)) :=
  match ps, ls with
  | nil, nil => Some (0%Q, (1, 1)%Z)
  | (a, n) :: ps', (e, m) :: ls' =>
      if loses a e m then
        match basic ps' ls' with
        | Some (l, (x, y)) => let '(u, v) := kept m n in Some (Qred (inject_Z (Z.of_N n) * e + l), (u * x, v * y)%Z)
        | None => None
        end
      else None
  | _, _ => None
  end.
Definition basic_ok (ps : list (part * N)) (ls : list (Q * Q)) (eps delta : Q) : bool :=
  match basic ps ls with Some (l, (x, y)) => Qle_bool l eps && ((y - x) * Zpos (Qden delta) <=? Qnum delta * y)%Z |
    None => false end.

(** * Why it is right *)

(** A mass at one loss, and the rest at infinity. *)
Lemma one_kink (X : space) (p q : X -> R) e m : 0 <= m <= 1 -> (forall x, 0 <= p x) -> (forall x, 0 <= q x) ->
  Ub (fun x => Rmax 0 (p x - 0 * q x)) 1 ->
  Ub (fun x => Rmax 0 (p x - exp e * q x)) m -> dominated [(1 - m, exp (- e))] X p q.
Proof.
intros hm p0 q0 h0 h. pose proof (exp_pos (- e)) as ep.
assert (ie : / exp (- e) = exp e) by (rewrite <- exp_Ropp; f_equal; ring). apply leaves; auto.
- intros w r [k|[]]. inversion k; subst. exact ep.
- revert h0. apply (ub_le X); [intros; lra|]. unfold u. cbn [E]. rewrite Rmult_0_l, Rmin_right; lra.
- intros w r [k|[]]. inversion k; subst. rewrite ie. revert h. apply (ub_le X); [intros; lra|]. unfold u. cbn [E].
  rewrite <- exp_plus. replace (e + - e) with 0 by ring. rewrite exp_0, Rmin_left; lra.
- intros [|x l1] l2 w r k; [|destruct l1; discriminate]. inversion k; subst. easy.
Qed.

Lemma same_number_is x y : same_number x y = true -> x = y.
Proof. unfold same_number. rewrite andb_true_iff, Z.eqb_eq, Pos.eqb_eq. destruct x as [a b], y as [c d]; simpl.
intros [-> ->]. easy. Qed.
Lemma same_weight_is v : forall w, same_weight v w = true -> v = w.
Proof.
induction v as [|[c x] v ih]; intros [|[d y] w] h; try discriminate; [easy|]. cbn [same_weight] in h.
rewrite !andb_true_iff in h. destruct h as [[h1 h2] h3].
apply same_number_is in h1, h2. apply ih in h3. now subst.
Qed.
Lemma same_weights_is vs : forall ws, same_weights vs ws = true -> vs = ws.
Proof.
induction vs as [|[a b] vs ih]; intros [|[c d] ws] h; try discriminate; [easy|]. cbn [same_weights] in h.
rewrite !andb_true_iff in h. destruct h as [[h1 h2] h3].
apply same_weight_is in h1, h2. apply ih in h3. now subst.
Qed.
Lemma Q2R_ge0 x : (0 <=? Qnum x)%Z = true -> 0 <= Q2R x.
Proof. rewrite Z.leb_le. intros h. unfold Q2R. apply Rmult_le_pos; [now apply IZR_le|]. left.
apply Rinv_0_lt_compat, IZR_lt. lia. Qed.
Lemma Qle_R x y : Qle_bool x y = true -> Q2R x <= Q2R y.
Proof. intros h. now apply Qle_Rle, Qle_bool_iff. Qed.
Lemma in_0_1 m : (0 <=? Qnum m)%Z = true -> Qle_bool m 1 = true -> 0 <= Q2R m <= 1.
Proof. intros h k. split; [now apply Q2R_ge0|]. apply Qle_R in k. now rewrite Q2R_1 in k. Qed.

(** Of Laplace noise, no ratio is above e^shift. *)
Lemma lap_ratio x y e : Rabs (x - y) <= e -> lap x <= exp e * lap y.
Proof.
intros h. unfold lap. replace (exp e * (exp (- Rabs y) / 2)) with (exp e * exp (- Rabs y) / 2) by field.
rewrite <- exp_plus. apply Rmult_le_compat_r; [lra|].
assert (k : - Rabs x <= e + - Rabs y) by (pose proof (Rabs_triang x (y - x)) as t; replace (x + (y - x)) with y in
  t by ring; rewrite Rabs_minus_sym in h; lra).
destruct k as [k|k]; [left; now apply exp_increasing|rewrite k; lra].
Qed.

(** Of randomized response that tells, whatever is made of it. *)
Lemma guarantee_excess e m : 0 <= Q2R e -> 0 <= Q2R m <= 1 -> match guarantee e m with
  | Finite ws => let ps := masses_of (map fst ws) in let qs := masses_of (map snd ws) in
      List.Forall (Rle 0) ps /\ List.Forall (Rle 0) qs /\ List.fold_right Rplus 0 ps = 1 /\
        List.fold_right Rplus 0 qs = 1 /\ excess (exp (Q2R e)) ps qs <= Q2R m /\ excess (exp (Q2R e)) qs ps <= Q2R m
  | _ => False end.
Proof.
intros he hm. set (E := exp (Q2R e)). assert (E1 : 1 <= E) by (pose proof (exp_ineq1_le (Q2R e)); unfold E; lra).
set (M := Q2R m) in *.
unfold guarantee, masses_of. cbn [map fst snd value List.fold_right].
rewrite !RMicromega.Q2R_0, exp_0, Q2R_minus, Q2R_1. fold E M.
assert (d1 : M * 1 + (M * E + 0) + ((1 - M) * E + 0 + ((1 - M) * 1 + 0 + (0 + 0))) = 1 + E) by ring.
assert (d2 : 0 + ((1 - M) * 1 + 0 + ((1 - M) * E + 0 + (M * 1 + (M * E + 0) + 0))) = 1 + E) by ring. rewrite d1, d2.
assert (c : forall (x y : R) l l', x = y -> l = l' -> x :: l = y :: l') by congruence.
set (p := [(M * 1 + (M * E + 0)) / (1 + E); ((1 - M) * E + 0) / (1 + E); ((1 - M) * 1 + 0) / (1 + E); 0 / (1 + E)]).
assert (ep : p = [M; (1 - M) * E / (1 + E); (1 - M) / (1 + E); 0]) by (repeat (apply c; [field; lra|]); reflexivity).
set (q := [0 / (1 + E); ((1 - M) * 1 + 0) / (1 + E); ((1 - M) * E + 0) / (1 + E); (M * 1 + (M * E + 0)) / (1 + E)]).
assert (eq : q = [0; (1 - M) / (1 + E); (1 - M) * E / (1 + E); M]) by (repeat (apply c; [field; lra|]); reflexivity).
change (let ps := p in let qs := q in List.Forall (Rle 0) ps /\ List.Forall (Rle 0) qs /\
  List.fold_right Rplus 0 ps = 1 /\ List.fold_right Rplus 0 qs = 1 /\ excess E ps qs <= M /\ excess E qs ps <= M).
cbv zeta. rewrite ep, eq. clear p q ep eq. set (a := (1 - M) * E / (1 + E)). set (b := (1 - M) / (1 + E)).
assert (b0 : 0 <= b) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
assert (ab : a = E * b) by (unfold a, b; field; lra). assert (s : a + b = 1 - M) by (unfold a, b; field; lra).
assert (a0 : 0 <= a) by (rewrite ab; apply Rmult_le_pos; lra).
assert (z1 : Rmax 0 (0 - E * M) = 0) by (apply Rmax_left; assert (0 <= E * M) by (apply Rmult_le_pos; lra); lra).
assert (z2 : Rmax 0 (a - E * b) = 0) by (apply Rmax_left; lra).
assert (z3 : Rmax 0 (b - E * a) = 0).
{ apply Rmax_left. rewrite ab. assert (1 * b <= E * b) by (apply Rmult_le_compat_r; lra).
assert (1 * (E * b) <= E * (E * b)) by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra]). lra. }
assert (z4 : Rmax 0 (M - E * 0) = M) by (rewrite Rmax_right; lra).
split; [repeat (apply List.Forall_cons; [lra|]); apply List.Forall_nil|].
split; [repeat (apply List.Forall_cons; [lra|]); apply List.Forall_nil|].
cbn [excess List.fold_right]. split; [lra|]. split; [lra|]. rewrite z1, z2, z3, z4. split; lra.
Qed.

Lemma loses_right d a e m : loses a e m = true -> bounds [(1 - Q2R m, exp (- Q2R e))] (directed d a) /\ 0 <= Q2R m <= 1.
Proof.
unfold loses. rewrite !andb_true_iff. intros [[[he m0] m1] h]. apply Q2R_ge0 in he. pose proof (in_0_1 m m0 m1) as hm.
split; [|exact hm]. destruct a as [square rate|shift rate|s c before|v s|ws]; try discriminate.
- apply andb_true_iff in h as [_ h]. rewrite andb_true_iff in h. destruct h as [hr hs]. apply Qle_R in hs.
  intros X P Q' cl. set (g := Q2R rate).
  assert (g0 : 0 < g <= 1). { apply andb_true_iff in hr as [r0 r1]. apply Qle_R in r1. rewrite Q2R_1 in r1.
  split; [|exact r1]. apply Z.ltb_lt, IZR_lt in r0. unfold g, Q2R. apply Rmult_lt_0_compat; [easy|].
  apply Rinv_0_lt_compat, IZR_lt. lia. }
  assert (pp : forall x, 0 <= lap x) by (intros; left; apply lap_pos).
  assert (near : forall s, - Q2R shift <= s <= Q2R shift -> forall x, lap (x - s) <= exp (Q2R e) * lap x /\
    lap x <= exp (Q2R e) * lap (x - s)).
  { intros s h x. split; apply lap_ratio; apply Rabs_le; lra. }
  assert (E1 : 1 <= exp (Q2R e)) by (pose proof (exp_ineq1_le (Q2R e)); lra).
  assert (tot : forall s, Ub (s := line) (fun x => g * lap (x - s) + (1 - g) * lap (x - 0)) (g * 1 + (1 - g) * 1))
    by (intros s; apply ub_add; apply ub_scale; try lra; apply lap_total).
  assert (nothing : forall f : R -> R, (forall x, f x <= 0) -> Ub (s := line) (fun x => Rmax 0 (f x)) (Q2R m)).
  { intros f hf. apply (ub_le line _ (fun _ => 0) 0); [intros x; apply Rmax_lub; auto; lra|lra|apply ub_zero]. }
  destruct d; [|destruct cl as [X P Q' cl]]; destruct cl as [s sh];
    (apply one_kink; [exact hm|intros; try apply pp; now apply mixture_ge0|intros; try apply pp;
    now apply mixture_ge0| |]).
  + apply (ub_le line _ (fun x => g * lap (x - s) + (1 - g) * lap (x - 0)) (g * 1 + (1 - g) * 1)); [|lra|apply tot].
    intros x. rewrite Rminus_0_r. fold g. pose proof (mixture_ge0 g _ _ g0 (pp (x - s)) (pp x)). apply Rmax_lub; lra.
  + apply nothing. intros x. destruct (near s sh x) as [h1 _]. fold g. pose proof (pp x).
    assert (g * lap (x - s) <= g * (exp (Q2R e) * lap x)) by (apply Rmult_le_compat_l; lra).
    assert ((1 - g) * (1 * lap x) <= (1 - g) * (exp (Q2R e) * lap x)) by (apply Rmult_le_compat_l; [lra|];
      apply Rmult_le_compat_r; lra). lra.
  + apply (ub_le line _ (fun x => lap (x - 0)) 1); [|lra|apply lap_total]. intros x. rewrite Rminus_0_r.
    pose proof (pp x). apply Rmax_lub; lra.
  + apply nothing. intros x. destruct (near s sh x) as [_ h2]. fold g. pose proof (pp x).
    assert (g * lap x <= g * (exp (Q2R e) * lap (x - s))) by (apply Rmult_le_compat_l; lra).
    assert ((1 - g) * (1 * lap x) <= (1 - g) * (exp (Q2R e) * lap x)) by (apply Rmult_le_compat_l; [lra|];
      apply Rmult_le_compat_r; lra). lra.
- rewrite !andb_true_iff in h. destruct h as [[hb h0] hs]. apply Qle_R in h0, hs. rewrite RMicromega.Q2R_0 in h0.
  destruct before; [|discriminate]. set (sr := Q2R s) in *. set (cr := Q2R c).
  assert (all : forall k, line_Ub (fun x => Rmax 0 (1 * lap (x - k) - 0)) 1).
  { intros k. apply (ub_le line _ (fun x => lap (x - k)) 1); [|lra|apply lap_total]. intros x.
    pose proof (lap_pos (x - k)). apply Rmax_lub; lra. }
  assert (none : forall k j, Rabs (j - k) <= Q2R e ->
    line_Ub (fun x => Rmax 0 (1 * lap (x - k) - exp (Q2R e) * lap (x - j))) 0).
  { intros k j hk. apply (ub_le line _ (fun _ => 0) 0); [|lra|apply ub_zero]. intros x. apply Rmax_lub; [lra|].
    pose proof (lap_ratio (x - k) (x - j) (Q2R e)) as r. replace (x - k - (x - j)) with (j - k) in r by ring.
    specialize (r hk). lra. }
  intros X P Q' cl. destruct d; [destruct cl|destruct cl as [X P Q' cl]; destruct cl];
    (apply one_kink; [exact hm|intros; apply clamp_ge0|intros; apply clamp_ge0| |]); fold sr cr.
  + pose proof (clamped_remove sr cr 1 0 1 h0 ltac:(lra) ltac:(lra) true) as k.
    specialize (k ltac:(pose proof (all (- sr)) as z; revert z; apply (ub_le line);
      [intros; rewrite Rmult_0_l; lra|lra])).
    revert k. apply (ub_le struck); [intros; rewrite Rmult_1_l; lra|lra].
  + pose proof (clamped_remove sr cr 1 (exp (Q2R e)) 0 h0 ltac:(lra) ltac:(left; apply exp_pos)
      true (none (- sr) 0 ltac:(apply Rabs_le; lra))) as k.
    revert k. apply (ub_le struck); [intros; rewrite Rmult_1_l; lra|lra].
  + pose proof (clamped_add sr cr 1 0 1 h0 ltac:(lra) ltac:(lra) true) as k.
    specialize (k ltac:(pose proof (all 0) as z; revert z; apply (ub_le line); [intros; rewrite Rmult_0_l; lra|lra])).
    revert k. apply (ub_le struck); [intros; rewrite Rmult_1_l; lra|lra].
  + pose proof (clamped_add sr cr 1 (exp (Q2R e)) 0 h0 ltac:(lra) ltac:(left; apply exp_pos)
      true (none 0 (- sr) ltac:(apply Rabs_le; lra))) as k.
    revert k. apply (ub_le struck); [intros; rewrite Rmult_1_l; lra|lra].
- pose proof (guarantee_excess e m he hm) as ge. unfold guarantee in h, ge. cbv beta iota zeta in h.
  cbv beta iota in ge. apply same_weights_is in h. rewrite <- h in ge. cbv zeta in ge.
  destruct ge as (p0 & q0 & ps & qs & e1 & e2).
  assert (len : length (masses_of (map fst ws)) = length (masses_of (map snd ws))) by (unfold masses_of;
    now rewrite !map_length).
  assert (nonneg : forall (X : space) (ks : list (X -> R)), List.Forall (fun k => (forall x, 0 <= k x) /\ Ub k 1)
    ks -> List.Forall (fun k => forall x, 0 <= k x) ks) by (intros Y ks; apply List.Forall_impl; easy).
  assert (dom : forall (X : space) (ks : list (X -> R)) ps qs, length ks = length ps -> length ps = length qs ->
    List.Forall (Rle 0) ps -> List.Forall (Rle 0) qs -> List.fold_right Rplus 0 ps = 1 ->
    excess (exp (Q2R e)) ps qs <= Q2R m ->
    List.Forall (fun k => (forall x, 0 <= k x) /\ Ub k 1) ks -> dominated [(1 - Q2R m, exp (- Q2R e))] X (mixed ps ks)
      (mixed qs ks)).
  { intros Y ks pl ql l1 l2 a0 b0 sp ex hk.
    apply one_kink; [exact hm|intros; apply mixed_ge0; auto|intros; apply mixed_ge0; auto| |].
    - apply (ub_le Y _ (mixed pl ks) (List.fold_right Rplus 0 pl)); [|lra|now apply mixed_total]. intros x.
      pose proof (mixed_ge0 pl ks x a0 (nonneg _ _ hk)). apply Rmax_lub; lra.
    - apply (ub_le Y _ (fun x => Rmax 0 (mixed pl ks x - exp (Q2R e) * mixed ql ks x)) (excess (exp (Q2R e)) pl ql));
        [intros; lra|exact ex|]. apply channel_excess; auto. }
  intros X P Q' cl. destruct d; [|destruct cl as [X P Q' cl]]; destruct cl as [X ks lk hk]; apply dom; auto; congruence.
Qed.

Lemma loses_has a e m : loses a e m = true -> Cell.has_pairs a.
Proof.
unfold loses. rewrite !andb_true_iff. intros [_ h]. destruct a as [square rate|shift rate|s c before|v s|ws];
  try discriminate.
- apply andb_true_iff in h as [h _]. apply Q2R_ge0 in h. do 3 eexists. apply (a_laplace _ _ 0). lra.
- do 3 eexists. constructor.
- apply Cell.finite_has.
Qed.
Lemma basic_has ps : forall ls l, basic ps ls = Some l -> List.Forall (fun x => Cell.has_pairs (fst x)) ps.
Proof.
induction ps as [|[a n] ps ih]; intros [|[e m] ls] l h; try discriminate; [constructor|]. cbn [basic] in h.
destruct (loses a e m) eqn:k; [|discriminate].
destruct (basic ps ls) as [x|] eqn:r; [|discriminate]. constructor; [exact (loses_has a e m k)|exact (ih ls x r)].
Qed.

(** Copies of masses at one loss. *)
Lemma power_single w r n : same (power [(w, r)] n) [(w ^ N.to_nat n, r ^ N.to_nat n)].
Proof.
induction n using N.peano_ind; [intros f; cbn; ring|]. rewrite power_succ, N2Nat.inj_succ.
eapply same_trans; [apply same_times; [|exact IHn]; intros f; reflexivity|]. intros f. cbn. ring_simplify. reflexivity.
Qed.
Lemma kept_right m n : 0 <= Q2R m <= 1 -> 0 < IZR (snd (kept m n)) /\ (1 - Q2R m) ^ N.to_nat n = IZR (fst (kept m n))
  / IZR (snd (kept m n)).
Proof.
intros hm. unfold kept. assert (d0 : 0 < IZR (Zpos (Qden m))) by (apply IZR_lt; lia).
destruct (Z.eqb_spec (Qnum m) 0) as [h|h]; cbn [fst snd].
- assert (z : Q2R m = 0) by (unfold Q2R; rewrite h; ring). rewrite z, Rminus_0_r, pow1. split; [lra|field].
- rewrite <- (N_nat_Z n). rewrite <- !pow_IZR. split; [now apply pow_lt|].
  rewrite <- Rdiv_pow || (unfold Rdiv; rewrite <- pow_inv, <- Rpow_mult_distr). f_equal. rewrite minus_IZR.
  unfold Q2R. field. lra.
Qed.
Lemma basic_right ps d : forall ls l x y, basic ps ls = Some (l, (x, y)) -> 0 < IZR y /\ exists ms, List.Forall ok ms /\
  Forall2 bounds ms (map (fun a => directed d (fst a)) ps) /\
    same (prod ms (map snd ps)) [(IZR x / IZR y, exp (- Q2R l))].
Proof.
induction ps as [|[a n] ps ih]; intros [|[e m] ls] l x y h; try discriminate; cbn [basic] in h.
- inversion h; subst. split; [lra|]. exists nil. split; [constructor|]. split; [constructor|]. intros f. cbn.
  rewrite RMicromega.Q2R_0, Ropp_0, exp_0. field.
- destruct (loses a e m) eqn:la; [|discriminate]. destruct (basic ps ls) as [[l' [x' y']]|] eqn:eb; [|discriminate].
  destruct (ih ls l' x' y' eb) as (y0 & ms & m1 & m2 & m3).
  destruct (loses_right d a e m la) as [hb hm]. destruct (kept_right m n hm) as [v0 ek]. destruct (kept m n) as [u v].
  cbn [fst snd] in *. inversion h; subst. clear h. split; [rewrite mult_IZR; now apply Rmult_lt_0_compat|].
  exists ([(1 - Q2R m, exp (- Q2R e))] :: ms). split; [|split].
  + constructor; [|exact m1]. split; [intros w r [k|[]]; inversion k; subst; split; [lra|left; apply exp_pos]|cbn; lra].
  + cbn [map fst]. constructor; [exact hb|exact m2].
  + cbn [map snd prod hd tl]. eapply same_trans; [apply same_times; [apply power_single|exact m3]|]. intros f.
    cbn [Composition.times flat_map map app fst snd E].
    assert (ee : exp (- Q2R e) ^ N.to_nat n * exp (- Q2R l') = exp (- Q2R (Qred (inject_Z (Z.of_N n) * e + l')))).
    { rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. rewrite ln_exp, <- exp_plus. f_equal.
      rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_plus, Q2R_mult.
      assert (ez : Q2R (inject_Z (Z.of_N n)) = INR (N.to_nat n)) by (rewrite INR_IZR_INZ, N_nat_Z; unfold Q2R; simpl;
        field). rewrite ez. ring. }
    rewrite ee, ek, !mult_IZR. f_equal. f_equal. field. lra.
Qed.
Theorem basic_is_right ps ls e d dir t : basic_ok ps ls e d = true ->
  runs (map (fun x => (covered (directed dir (fst x)), snd x)) ps) t -> delta_le t 1 (exp (Q2R e)) (Q2R d).
Proof.
unfold basic_ok. destruct (basic ps ls) as [[l [x y]]|] eqn:eb; [|discriminate]. rewrite andb_true_iff, Z.leb_le.
intros [hl hd] r. apply Qle_R in hl.
destruct (basic_right ps dir ls l x y eb) as (y0 & ms & m1 & m2 & m3).
apply delta_le_mono with (U [(IZR x / IZR y, exp (- Q2R l))] 1 (exp (Q2R e))).
- unfold U. cbn [E]. rewrite Rmin_left.
  + apply IZR_le in hd. rewrite !mult_IZR, minus_IZR in hd.
    assert (n0 : 0 < IZR (Zpos (Qden d))) by (apply IZR_lt; lia). unfold Q2R.
    apply Rmult_le_reg_r with (IZR y * IZR (Zpos (Qden d))); [now apply Rmult_lt_0_compat|].
    replace ((1 - (IZR x / IZR y * 1 + 0)) * (IZR y * IZR (Zpos (Qden d))))
      with ((IZR y - IZR x) * IZR (Zpos (Qden d))) by (field; lra).
    replace (IZR (Qnum d) * / IZR (Zpos (Qden d)) * (IZR y * IZR (Zpos (Qden d)))) with (IZR (Qnum d) * IZR y)
      by (field; lra). exact hd.
  + rewrite <- exp_plus, <- exp_0. destruct (Rle_lt_or_eq_dec 0 (Q2R e + - Q2R l) ltac:(lra)) as [k|k];
      [left; now apply exp_increasing|rewrite <- k; lra].
- apply (total _ t ms) with (1 := r); auto.
  + clear - m2. rewrite map_map. cbn [fst]. revert ms m2. induction ps as [|x ps ih]; intros ms h; cbn [map] in *;
      inversion h; subst; constructor; [now apply bounds_covered|now apply ih].
  + rewrite map_map. cbn [snd]. apply le_same. exact m3.
  + left. apply exp_pos.
Qed.
