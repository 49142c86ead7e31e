(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Profiles of pairs of finite measures, H(α) = Σ max(0, p − αq), on finite sets of outputs.

    Everything is proved for every ordered field, from no axiom: the reals are one. A pair
    (p, q) is of non-negative masses, which need not sum to 1. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Profile.
Variable R : realFieldType.
Implicit Types (a b t : R).

(** The positive part. *)
Definition pos (x : R) : R := Num.max 0 x.

Lemma pos_ge0 (x : R) : 0 <= pos x.
Proof. by rewrite /pos le_maxr lexx. Qed.

Lemma pos_ge (x : R) : x <= pos x.
Proof. by rewrite /pos le_maxr lexx orbT. Qed.

Lemma pos_le (x y : R) : 0 <= y -> x <= y -> pos x <= y.
Proof. by move=> y0 xy; rewrite /pos le_maxl y0. Qed.

Lemma pos_id (x : R) : 0 <= x -> pos x = x.
Proof. by move=> x0; apply/le_anti; rewrite pos_ge andbT; apply: pos_le. Qed.

Lemma pos_mono (x y : R) : x <= y -> pos x <= pos y.
Proof. by move=> xy; apply: pos_le; [exact: pos_ge0 | apply: (le_trans xy); exact: pos_ge]. Qed.

Lemma pos_add (x y : R) : pos (x + y) <= pos x + pos y.
Proof. by apply: pos_le; [apply: addr_ge0; exact: pos_ge0 | apply: ler_add; exact: pos_ge]. Qed.

Lemma pos_scale a (x : R) : 0 <= a -> pos (a * x) = a * pos x.
Proof.
move=> a0; case: (leP 0 x) => [x0|x0]; first by rewrite !pos_id // mulr_ge0.
have -> : pos x = 0 by apply/le_anti; rewrite pos_ge0 andbT; apply: pos_le => //; exact: ltW.
rewrite mulr0; apply/le_anti; rewrite pos_ge0 andbT; apply: pos_le => //.
by apply: mulr_ge0_le0 => //; exact: ltW.
Qed.

Lemma pos_sum (I : finType) (f : I -> R) : pos (\sum_i f i) <= \sum_i pos (f i).
Proof.
apply: pos_le; first by apply: sumr_ge0 => i _; exact: pos_ge0.
by apply: ler_sum => i _; exact: pos_ge.
Qed.

Section Pairs.
Variable X : finType.
Implicit Types (p q : X -> R).

(** The profile, which is the hockey-stick divergence at α = e^ε. *)
Definition H p q a : R := \sum_x pos (p x - a * q x).

(** It bounds every set of outputs, and is attained by one: it is the supremum over sets. *)
Theorem H_bounds_sets p q a (S : pred X) : \sum_(x | S x) (p x - a * q x) <= H p q a.
Proof.
rewrite /H [X in _ <= X](bigID S) /=.
rewrite -[X in X <= _]addr0; apply: ler_add; first by apply: ler_sum => x _; exact: pos_ge.
by apply: sumr_ge0 => x _; exact: pos_ge0.
Qed.

Theorem H_is_attained p q a : \sum_(x | 0 <= p x - a * q x) (p x - a * q x) = H p q a.
Proof.
rewrite /H [RHS](bigID (fun x => 0 <= p x - a * q x)) /=.
rewrite [X in _ = _ + X]big1 ?addr0.
  by apply: eq_bigr => x h; rewrite pos_id.
move=> x h; apply/le_anti; rewrite pos_ge0 andbT; apply: pos_le => //.
by move: h; rewrite -ltNge; exact: ltW.
Qed.

(** It does not rise, for masses q ≥ 0, and is convex. *)
Theorem H_falls p q a b : (forall x, 0 <= q x) -> a <= b -> H p q b <= H p q a.
Proof.
move=> q0 ab; apply: ler_sum => x _; apply: pos_mono.
by rewrite ler_sub // ler_wpmul2r.
Qed.

Theorem H_convex p q a b t : 0 <= t -> t <= 1 ->
  H p q (t * a + (1 - t) * b) <= t * H p q a + (1 - t) * H p q b.
Proof.
move=> t0 t1; rewrite /H !mulr_sumr -big_split /=; apply: ler_sum => x _.
have t1' : 0 <= 1 - t by rewrite subr_ge0.
rewrite -!pos_scale //; apply: le_trans (pos_add _ _); apply: pos_mono.
rewrite le_eqVlt; apply/orP; left; apply/eqP.
rewrite !mulrBr !mulrA [RHS]addrACA -mulrDl [t + _]addrC subrK mul1r.
by rewrite -opprD -mulrDl.
Qed.

(** Joint convexity: a mixture of two pairs has at most the mixture of their profiles. *)
Theorem joint_convexity p q p' q' a t : 0 <= t -> t <= 1 ->
  H (fun x => t * p x + (1 - t) * p' x) (fun x => t * q x + (1 - t) * q' x) a
  <= t * H p q a + (1 - t) * H p' q' a.
Proof.
move=> t0 t1; rewrite /H !mulr_sumr -big_split /=; apply: ler_sum => x _.
have t1' : 0 <= 1 - t by rewrite subr_ge0.
rewrite -!pos_scale //; apply: le_trans (pos_add _ _); apply: pos_mono.
by rewrite mulrDr !mulrBr opprD addrACA !(mulrCA a).
Qed.

(** Poisson sampling at the rate t, with the record: for α > 1 − t, in terms of the base pair. *)
Theorem sampling_remove p q a t : 0 < t ->
  H (fun x => (1 - t) * q x + t * p x) q a = t * H p q ((a - (1 - t)) / t).
Proof.
move=> t0; rewrite /H mulr_sumr; apply: eq_bigr => x _.
rewrite -pos_scale ?ltW //; congr (pos _).
have e : t * ((a - (1 - t)) / t) = a - (1 - t) by rewrite mulrCA divff ?gt_eqF // mulr1.
rewrite [RHS]mulrBr mulrA e [(a - (1 - t)) * _]mulrBl opprB [RHS]addrA.
by rewrite [t * p x + _]addrC.
Qed.

(** Exchanged roles. *)
Theorem exchange p q a : 0 < a ->
  H q p a = (\sum_x q x) - a * (\sum_x p x) + a * H p q a^-1.
Proof.
move=> a0; rewrite /H !mulr_sumr -sumrB -big_split /=; apply: eq_bigr => x _.
rewrite -pos_scale ?ltW // mulrBr mulrA divff ?gt_eqF // mul1r.
case: (leP 0 (q x - a * p x)) => h.
  rewrite pos_id //; have -> : pos (a * p x - q x) = 0; last by rewrite addr0.
  apply/le_anti; rewrite pos_ge0 andbT; apply: pos_le => //.
  by rewrite -opprB oppr_le0.
have -> : pos (q x - a * p x) = 0.
  by apply/le_anti; rewrite pos_ge0 andbT; apply: pos_le => //; exact: ltW.
by rewrite pos_id ?addrA ?subrK ?subrr // -opprB oppr_ge0 ltW.
Qed.

(** The same sample, of which the record is taken away. *)
Corollary sampling_add p q a t : 0 < t -> 0 < a ->
  H q (fun x => (1 - t) * q x + t * p x) a
  = (\sum_x q x) - a * (\sum_x ((1 - t) * q x + t * p x)) + a * (t * H p q ((a^-1 - (1 - t)) / t)).
Proof. by move=> t0 a0; rewrite exchange // sampling_remove. Qed.
End Pairs.

(** Post-processing by a kernel K from X to Y. *)
Theorem post_processing (X Y : finType) (p q : X -> R) (K : X -> Y -> R) a :
  (forall x y, 0 <= K x y) -> (forall x, \sum_y K x y = 1) ->
  H (fun y => \sum_x p x * K x y) (fun y => \sum_x q x * K x y) a <= H p q a.
Proof.
move=> K0 K1; rewrite /H.
have step y : pos ((\sum_x p x * K x y) - a * (\sum_x q x * K x y)) <= \sum_x pos (p x - a * q x) * K x y.
  rewrite mulr_sumr -sumrB; apply: (le_trans (pos_sum _)); apply: ler_sum => x _.
  by rewrite mulrA -mulrBl mulrC pos_scale // mulrC.
apply: le_trans (ler_sum _ (fun y _ => step y)) _.
rewrite exchange_big /=; apply: ler_sum => x _.
by rewrite -mulr_sumr K1 mulr1.
Qed.

(** Regrouping of outputs is a post-processing: cells may be put together, which lowers. *)
Corollary regrouping (X Y : finType) (p q : X -> R) (f : X -> Y) a :
  H (fun y => \sum_x p x * (f x == y)%:R) (fun y => \sum_x q x * (f x == y)%:R) a <= H p q a.
Proof.
apply: post_processing => [x y|x]; first by rewrite ler0n.
by rewrite (bigD1 (f x)) //= eqxx big1 ?addr0 // => y; rewrite eq_sym => /negbTE ->.
Qed.

(** An output may be split into two whose masses add up to its own: that raises. Coarsening a grid
    is a split of every other output. *)
Theorem splitting (X Y : finType) (p q : X -> R) (p' q' : X -> Y -> R) a :
  (forall x, \sum_y p' x y = p x) -> (forall x, \sum_y q' x y = q x) ->
  H p q a <= H (fun xy : X * Y => p' xy.1 xy.2) (fun xy => q' xy.1 xy.2) a.
Proof.
move=> ep eq; have -> : H (fun xy : X * Y => p' xy.1 xy.2) (fun xy => q' xy.1 xy.2) a
    = \sum_x \sum_y pos (p' x y - a * q' x y) by rewrite /H pair_big.
rewrite /H; apply: ler_sum => x _; rewrite -ep -eq mulr_sumr -sumrB.
exact: pos_sum.
Qed.

(** The profile of a product, in which the second pair may depend on the first output. *)
Theorem product_formula (X Y : finType) (p q : X -> R) (p2 q2 : X -> Y -> R) a :
  (forall x, 0 <= p x) -> (forall x, 0 <= q x) -> 0 <= a -> (forall x y, 0 <= q2 x y) ->
  H (fun xy : X * Y => p xy.1 * p2 xy.1 xy.2) (fun xy => q xy.1 * q2 xy.1 xy.2) a
  = \sum_x p x * H (p2 x) (q2 x) (a * q x / p x).
Proof.
move=> p0 q0 a0 q20.
have -> : H (fun xy : X * Y => p xy.1 * p2 xy.1 xy.2) (fun xy => q xy.1 * q2 xy.1 xy.2) a
    = \sum_x \sum_y pos (p x * p2 x y - a * (q x * q2 x y)) by rewrite /H pair_big.
apply: eq_bigr => x _; have := p0 x; rewrite le_eqVlt => /orP[/eqP <-|px].
  rewrite mul0r big1 // => y _; apply/le_anti; rewrite pos_ge0 andbT; apply: pos_le => //.
  by rewrite mul0r sub0r oppr_le0 !mulr_ge0.
rewrite /H mulr_sumr; apply: eq_bigr => y _; rewrite -pos_scale; last exact: ltW.
congr (pos _).
have e : p x * (a * q x / p x) = a * q x by rewrite mulrC divfK ?gt_eqF.
by rewrite mulrBr [p x * (_ * q2 x y)]mulrA e [a * (q x * _)]mulrA.
Qed.

(** Composition keeps domination in the second pair, also if it is chosen adaptively. *)
Theorem adaptive_composition (X Y Y' : finType) (p q : X -> R)
    (p2 q2 : X -> Y -> R) (p2' q2' : Y' -> R) a :
  (forall x, 0 <= p x) -> (forall x, 0 <= q x) -> 0 <= a ->
  (forall x y, 0 <= q2 x y) -> (forall y, 0 <= q2' y) ->
  (forall x b, 0 <= b -> H (p2 x) (q2 x) b <= H p2' q2' b) ->
  H (fun xy : X * Y => p xy.1 * p2 xy.1 xy.2) (fun xy => q xy.1 * q2 xy.1 xy.2) a
  <= H (fun xy : X * Y' => p xy.1 * p2' xy.2) (fun xy => q xy.1 * q2' xy.2) a.
Proof.
move=> p0 q0 a0 q20 q20' dom; rewrite product_formula //.
rewrite (@product_formula X Y' p q (fun _ => p2') (fun _ => q2')) //.
apply: ler_sum => x _; apply: ler_wpmul2l => //; apply: dom.
by apply: mulr_ge0; [exact: mulr_ge0 | rewrite invr_ge0].
Qed.

(** The order of a product does not matter. *)
Lemma product_swap (X Y : finType) (p q : X -> R) (p2 q2 : Y -> R) a :
  H (fun xy : X * Y => p xy.1 * p2 xy.2) (fun xy => q xy.1 * q2 xy.2) a
  = H (fun yx : Y * X => p2 yx.1 * p yx.2) (fun yx => q2 yx.1 * q yx.2) a.
Proof.
rewrite /H -(pair_big xpredT xpredT (fun x y => pos (p x * p2 y - a * (q x * q2 y)))) /=.
rewrite -(pair_big xpredT xpredT (fun y x => pos (p2 y * p x - a * (q2 y * q x)))) /=.
rewrite exchange_big /=; apply: eq_bigr => y _; apply: eq_bigr => x _.
by rewrite [p x * _]mulrC [q x * _]mulrC.
Qed.

(** Products of pairs that dominate dominate. *)
Theorem products_dominate (X Y X' Y' : finType)
    (p q : X -> R) (p2 q2 : Y -> R) (p' q' : X' -> R) (p2' q2' : Y' -> R) a :
  (forall x, 0 <= p x) -> (forall x, 0 <= q x) -> (forall y, 0 <= q2 y) -> (forall x, 0 <= q' x) ->
  (forall y, 0 <= p2' y) -> (forall y, 0 <= q2' y) -> 0 <= a ->
  (forall b, 0 <= b -> H p q b <= H p' q' b) ->
  (forall b, 0 <= b -> H p2 q2 b <= H p2' q2' b) ->
  H (fun xy : X * Y => p xy.1 * p2 xy.2) (fun xy => q xy.1 * q2 xy.2) a
  <= H (fun xy : X' * Y' => p' xy.1 * p2' xy.2) (fun xy => q' xy.1 * q2' xy.2) a.
Proof.
move=> p0 q0 q20 q0' p20' q20' a0 dom1 dom2.
apply: le_trans (_ : _ <= H (fun xy : X * Y' => p xy.1 * p2' xy.2) (fun xy => q xy.1 * q2' xy.2) a) _.
  exact: (@adaptive_composition X Y Y' p q (fun _ => p2) (fun _ => q2)).
rewrite product_swap [X in _ <= X]product_swap.
exact: (@adaptive_composition Y' X X' p2' q2' (fun _ => p) (fun _ => q)).
Qed.

(** * Grids *)

(** The profile of masses v_i at the likelihood ratios r_i, what is missing to 1 at infinity. *)
Definition U n (v r : nat -> R) a : R :=
  1 - (\sum_(i < n) v i) + \sum_(i < n) v i * pos (1 - a / r i).

(** Abel summation. *)
Lemma abel n (d f : nat -> R) :
  (forall i, 0 <= f i) -> (forall i, f i.+1 <= f i) ->
  (forall k, 0 <= \sum_(i < k) d i) -> 0 <= \sum_(i < n) d i * f i.
Proof.
move=> f0 ff d0; case: n => [|n]; first by rewrite big_ord0.
suff h : (\sum_(i < n.+1) d i) * f n <= \sum_(i < n.+1) d i * f i.
  by apply: le_trans h; apply: mulr_ge0.
elim: n => [|n ih]; first by rewrite !big_ord_recr !big_ord0 /= !add0r.
have -> : \sum_(i < n.+2) d i = \sum_(i < n.+1) d i + d n.+1 by rewrite big_ord_recr.
have -> : \sum_(i < n.+2) d i * f i = \sum_(i < n.+1) d i * f i + d n.+1 * f n.+1 by rewrite big_ord_recr.
rewrite mulrDl; apply: ler_add => //; apply: (le_trans _ ih).
by apply: ler_wpmul2l; [exact: d0 | exact: ff].
Qed.

(** Moving mass up raises: prefix sums may be rounded down, lower entries cut off onto the first that
    stays, upper ones to infinity. *)
Theorem moving_up n (v w r : nat -> R) a :
  0 <= a -> (forall i, 0 < r i) -> (forall i, r i <= r i.+1) ->
  (forall k, \sum_(i < k) w i <= \sum_(i < k) v i) ->
  U n v r a <= U n w r a.
Proof.
move=> a0 r0 rr wv.
have term i : pos (1 - a / r i) <= 1.
  by apply: pos_le; rewrite ?ler01 // ler_subl_addr ler_addl; apply: divr_ge0 => //; exact: ltW.
have := @abel n (fun i => v i - w i) (fun i => 1 - pos (1 - a / r i)).
have alt (m : nat -> R) : U n m r a = 1 - \sum_(i < n) m i * (1 - pos (1 - a / r i)).
  rewrite /U -addrA; congr (_ + _); rewrite -[in RHS]sumrN addrC -sumrB.
  by apply: eq_bigr => i _; rewrite mulrBr mulr1 opprB.
have -> : \sum_(i < n) (v i - w i) * (1 - pos (1 - a / r i)) = U n w r a - U n v r a.
  rewrite !alt opprB addrC addrA subrK -sumrB.
  by apply: eq_bigr => i _; rewrite mulrBl.
move=> h; rewrite -subr_ge0; apply: h => [i|i|k].
- by rewrite subr_ge0; exact: term.
- rewrite ler_sub //; apply: pos_mono; rewrite ler_sub // ler_wpmul2l // lef_pinv ?posrE //.
- by rewrite sumrB subr_ge0; exact: wv.
Qed.

(** Masses that are rounded down, with the rest at infinity, dominate. *)
Corollary rounding_down n (v w r : nat -> R) a :
  0 <= a -> (forall i, 0 < r i) -> (forall i, r i <= r i.+1) ->
  (forall i, w i <= v i) -> U n v r a <= U n w r a.
Proof. by move=> a0 r0 rr wv; apply: moving_up => // k; apply: ler_sum => i _; exact: wv. Qed.

(** A convex function is below a line that is above it at two points, in between: so that a leaf is
    compared at its kinks only. *)
Theorem below_the_chord (h : R -> R) (c s x y : R) t :
  (forall u z w, 0 <= w -> w <= 1 -> h (w * u + (1 - w) * z) <= w * h u + (1 - w) * h z) ->
  0 <= t -> t <= 1 -> h x <= c + s * x -> h y <= c + s * y ->
  h (t * x + (1 - t) * y) <= c + s * (t * x + (1 - t) * y).
Proof.
move=> conv t0 t1 hx hy; apply: le_trans (conv x y t t0 t1) _.
have t1' : 0 <= 1 - t by rewrite subr_ge0.
apply: le_trans (_ : t * (c + s * x) + (1 - t) * (c + s * y) <= _).
  by apply: ler_add; apply: ler_wpmul2l.
rewrite le_eqVlt; apply/orP; left; apply/eqP.
rewrite !mulrDr addrACA -mulrDl [t + _]addrC subrK mul1r.
by congr (_ + _); congr (_ + _); rewrite mulrCA.
Qed.
End Profile.
