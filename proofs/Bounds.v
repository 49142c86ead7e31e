(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** What bounds a profile from above or below, beyond products: guarantees, points of its graph, grids, and
    likelihood ratios that are spread. Again for every ordered field, from no axiom. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ring.
From Proofs Require Import Profile.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Bounds.
Variable R : realFieldType.
Implicit Types (a b t e d : R).

Lemma pos0 (x : R) : x <= 0 -> pos x = 0.
Proof. by move=> x0; apply/le_anti; rewrite pos_ge0 andbT; apply: pos_le. Qed.

(** * The hull of points *)

(** A profile is below the hull of points that are above it: at a mean of arguments, it is at most the
    mean of the bounds. *)
Theorem hull_of_points (X I : finType) (p q : X -> R) (t al h : I -> R) :
  (forall i, 0 <= t i) -> \sum_i t i = 1 -> (forall i, H p q (al i) <= h i) ->
  H p q (\sum_i t i * al i) <= \sum_i t i * h i.
Proof.
move=> t0 t1 hh; apply: le_trans (_ : _ <= \sum_i t i * H p q (al i)) _; last first.
  by apply: ler_sum => i _; apply: ler_wpmul2l.
rewrite {2}/H; under [X in _ <= X]eq_bigr do rewrite mulr_sumr.
rewrite exchange_big /=; apply: ler_sum => x _.
have -> : p x - (\sum_i t i * al i) * q x = \sum_i t i * (p x - al i * q x).
  under [RHS]eq_bigr do rewrite mulrBr.
  by rewrite sumrB -mulr_suml t1 mul1r mulr_suml; congr (_ - _); apply: eq_bigr => i _; rewrite mulrA.
apply: (le_trans (pos_sum _)); apply: ler_sum => i _; by rewrite pos_scale.
Qed.

(** * Guarantees *)

(** Approximate randomized response with δ = d and e^ε = e: its outcomes have the masses (d, 0), (b·e, b), (b, b·e)
    and (0, d), where d + b·(1 + e) = 1. *)
Definition response_p d b e (k : 'I_4) : R := nth 0 [:: d; b * e; b; 0] k.
Definition response_q d b e (k : 'I_4) : R := nth 0 [:: 0; b; b * e; d] k.

Lemma response_ge0 d b e k : 0 <= d -> 0 <= b -> 0 < e -> 0 <= response_p d b e k /\ 0 <= response_q d b e k.
Proof.
move=> d0 b0 e0; have be : 0 <= b * e by apply: mulr_ge0 => //; exact: ltW.
by rewrite /response_p /response_q; case: k => -[|[|[|[|k]]]].
Qed.

Lemma sum_response (f : 'I_4 -> R) : \sum_k f k = f (inord 0) + f (inord 1) + f (inord 2) + f (inord 3).
Proof.
rewrite !big_ord_recl big_ord0 addr0 !addrA; congr (_ + _ + _ + _);
  congr (f _); apply: val_inj; by rewrite /= inordK.
Qed.

Lemma response_is d b e a : 0 <= d -> 0 <= b -> 0 < e -> 0 <= a ->
  H (response_p d b e) (response_q d b e) a = d + pos (b * e - a * b) + pos (b - a * (b * e)).
Proof.
move=> d0 b0 e0 a0; rewrite /H sum_response /response_p /response_q /= !inordK //=.
rewrite mulr0 subr0 pos_id // -[RHS]addr0; congr (_ + _).
by rewrite sub0r pos0 // oppr_le0 mulr_ge0.
Qed.

(** Between two points, a convex function is below a line that is above it at both. *)
Lemma between_points (h : R -> R) (c s x y a : R) :
  (forall u z w, 0 <= w -> w <= 1 -> h (w * u + (1 - w) * z) <= w * h u + (1 - w) * h z) ->
  x < y -> x <= a -> a <= y -> h x <= c + s * x -> h y <= c + s * y -> h a <= c + s * a.
Proof.
move=> conv xy xa ay hx hy; have d0 : 0 < y - x by rewrite subr_gt0.
have dn : y - x != 0 by rewrite gt_eqF.
set t := (y - a) / (y - x).
have t0 : 0 <= t by apply: divr_ge0; [rewrite subr_ge0 | exact: ltW].
have t1 : t <= 1 by rewrite ler_pdivr_mulr // mul1r ler_sub.
have -> : a = t * x + (1 - t) * y.
  rewrite mulrBl mul1r addrCA -mulrBr -[x - y]opprB mulrN /t divfK //.
  by rewrite opprB addrC subrK.
exact: (@below_the_chord R h c s x y t).
Qed.

(** A mechanism with the guarantee in both directions is dominated by it: its profile is convex, 1 at 0, at most
    d at e, does not rise, and at 1/e the exchange of roles bounds it. *)
Theorem guarantee_is_dominated (X : finType) (p q : X -> R) d b e a :
  (forall x, 0 <= p x) -> (forall x, 0 <= q x) -> \sum_x p x = 1 -> \sum_x q x = 1 ->
  0 <= d -> 0 <= b -> 1 <= e -> d + b * (1 + e) = 1 -> 0 <= a ->
  H p q e <= d -> H q p e <= d ->
  H p q a <= H (response_p d b e) (response_q d b e) a.
Proof.
move=> p0 q0 p1 q1 d0 b0 e1 one a0 hd hd'.
have e0 : 0 < e by apply: lt_le_trans e1.
have n0 : e != 0 by rewrite gt_eqF.
have i0 : 0 < e^-1 by rewrite invr_gt0.
rewrite response_is //.
have all1 : 1 = d + b * e + b by rewrite -one mulrDr mulr1 -addrA [b * e + b]addrC.
have conv u z w : 0 <= w -> w <= 1 -> H p q (w * u + (1 - w) * z) <= w * H p q u + (1 - w) * H p q z.
  by move=> w0 w1; exact: H_convex.
have low : H p q e^-1 <= d + b * e - b * e^-1.
  rewrite exchange // p1 q1 mulr1 invrK.
  have -> : d + b * e - b * e^-1 = 1 - e^-1 + e^-1 * d.
    have -> : d = 1 - b * (1 + e) by apply/eqP; rewrite eq_sym subr_eq one.
    by field.
  apply: ler_add => //; apply: ler_wpmul2l => //; exact: ltW.
case: (leP e a) => [ea|ae].
  apply: le_trans (_ : _ <= d) _; first by apply: le_trans hd; exact: H_falls.
  by rewrite -addrA ler_addl addr_ge0 ?pos_ge0.
case: (leP e^-1 a) => [la|al].
  apply: le_trans (_ : _ <= d + b * e + - b * a) _.
    apply: (@between_points _ _ _ e^-1 e a conv) => //; first exact: le_lt_trans la ae.
    - exact: ltW.
    - by rewrite mulNr.
    - by rewrite mulNr addrK.
  rewrite -[X in X <= _]addr0; apply: ler_add; last exact: pos_ge0.
  by rewrite mulNr -addrA ler_add2l [b * a]mulrC; exact: pos_ge.
apply: le_trans (_ : _ <= 1 + - (b * e + b) * a) _.
  apply: (@between_points _ _ _ 0 e^-1 a conv) => //; first exact: ltW.
  - rewrite mulr0 addr0 -p1 /H; apply: ler_sum => x _; by rewrite mul0r subr0 pos_id.
  - apply: (le_trans low); rewrite le_eqVlt; apply/orP; left; apply/eqP.
    by rewrite {1}all1; field.
have -> : 1 + - (b * e + b) * a = d + (b * e - a * b) + (b - a * (b * e)) by rewrite {1}all1; ring.
by apply: ler_add; [apply: ler_add|]; rewrite ?pos_ge.
Qed.

(** Composing with it is a recursion, for every pair (p, q) that it is composed with: Kairouz, Oh and
    Viswanath's, one copy after the other. *)
Theorem kov_recursion (X : finType) (p q : X -> R) d b e a :
  0 <= d -> 0 <= b -> 0 < e -> 0 <= a -> (forall x, 0 <= p x) -> (forall x, 0 <= q x) ->
  H (fun kx : 'I_4 * X => response_p d b e kx.1 * p kx.2) (fun kx => response_q d b e kx.1 * q kx.2) a
  = d * (\sum_x p x) + b * (e * H p q (a / e) + H p q (a * e)).
Proof.
move=> d0 b0 e0 a0 p0 q0.
have nn k := response_ge0 k d0 b0 e0.
rewrite (@product_formula R _ X (response_p d b e) (response_q d b e) (fun _ => p) (fun _ => q)) //;
  try by move=> k; case: (nn k).
rewrite sum_response /response_p /response_q /= !inordK //= mul0r addr0 -!addrA; congr (_ + _).
  congr (_ * _); rewrite mulr0 mul0r /H; apply: eq_bigr => x _; by rewrite mul0r subr0 pos_id.
have n0 : e != 0 by rewrite gt_eqF.
have [->|b1] := eqVneq b 0; first by rewrite !mul0r addr0.
have -> : a * b / (b * e) = a / e by field; rewrite b1 n0.
have -> : a * (b * e) / b = a * e by field.
by ring.
Qed.

(** * Spread likelihood ratios *)

(** For sums S of independent likelihood ratios, under Q, both profiles are means of positive parts of c + d·S: of
    S − α and of 1 − α·S. Spreading each ratio s(x) onto ratios b(y) with the same mean raises such means; and so do
    copies of it, as the others are a constant each time. With roles exchanged: cells with their means lower them. *)
Definition mean (X : finType) (m : X -> R) (f : X -> R) : R := \sum_x m x * f x.

Theorem spreading (X Y : finType) (m s : X -> R) (K : X -> Y -> R) (b : Y -> R) (c d : R) :
  (forall x, 0 <= m x) -> (forall x y, 0 <= K x y) -> (forall x, \sum_y K x y = 1) ->
  (forall x, \sum_y K x y * b y = s x) ->
  mean m (fun x => pos (c + d * s x)) <= mean (fun y => \sum_x m x * K x y) (fun y => pos (c + d * b y)).
Proof.
move=> m0 K0 K1 Ks; rewrite /mean.
apply: le_trans (_ : _ <= \sum_x m x * \sum_y K x y * pos (c + d * b y)) _.
  apply: ler_sum => x _; apply: ler_wpmul2l => //.
  have -> : c + d * s x = \sum_y K x y * (c + d * b y).
    rewrite -Ks mulr_sumr -{1}[c]mul1r -(K1 x) mulr_suml -big_split /=.
    by apply: eq_bigr => y _; rewrite mulrDr mulrCA.
  by apply: (le_trans (pos_sum _)); apply: ler_sum => y _; rewrite pos_scale.
rewrite le_eqVlt; apply/orP; left; apply/eqP.
under eq_bigr do rewrite mulr_sumr; rewrite exchange_big /=; apply: eq_bigr => y _.
by rewrite mulr_suml; apply: eq_bigr => x _; rewrite mulrA.
Qed.

Theorem spreading_sums (X Y X' Y' : finType) (m s : X -> R) (K : X -> Y -> R) (b : Y -> R)
    (m' s' : X' -> R) (K' : X' -> Y' -> R) (b' : Y' -> R) (c d : R) :
  (forall x, 0 <= m x) -> (forall x y, 0 <= K x y) -> (forall x, \sum_y K x y = 1) ->
  (forall x, \sum_y K x y * b y = s x) ->
  (forall x, 0 <= m' x) -> (forall x y, 0 <= K' x y) -> (forall x, \sum_y K' x y = 1) ->
  (forall x, \sum_y K' x y * b' y = s' x) ->
  mean m (fun x => mean m' (fun x' => pos (c + d * (s x + s' x'))))
  <= mean (fun y => \sum_x m x * K x y) (fun y => mean (fun y' => \sum_x m' x * K' x y') (fun y' =>
    pos (c + d * (b y + b' y')))).
Proof.
move=> m0 K0 K1 Ks m0' K0' K1' Ks'.
apply: le_trans (_ : _ <= mean m (fun x => mean (fun y' => \sum_x m' x * K' x y') (fun y' =>
  pos (c + d * (s x + b' y'))))) _.
  apply: ler_sum => x _; apply: ler_wpmul2l => //.
  have e z : c + d * (s x + z) = (c + d * s x) + d * z by rewrite mulrDr addrA.
  under [X in X <= _]eq_bigr do rewrite e; under [X in _ <= X]eq_bigr do rewrite e.
  exact: spreading.
have swap (Z W : finType) (k : Z -> R) (l : W -> R) (g : Z -> W -> R) :
    mean k (fun z => mean l (fun w => g z w)) = mean l (fun w => mean k (fun z => g z w)).
  rewrite /mean; under eq_bigr do rewrite mulr_sumr; rewrite exchange_big /=; apply: eq_bigr => w _.
  by rewrite mulr_sumr; apply: eq_bigr => z _; rewrite mulrCA.
rewrite swap [X in _ <= X]swap; apply: ler_sum => y' _; apply: ler_wpmul2l.
  by apply: sumr_ge0 => x _; apply: mulr_ge0.
have e z : c + d * (z + b' y') = (c + d * b' y') + d * z by rewrite mulrDr addrA addrAC.
under [X in X <= _]eq_bigr do rewrite e; under [X in _ <= X]eq_bigr do rewrite e.
exact: spreading.
Qed.

(** * Leaves on grids *)

(** A cell whose likelihood ratio is between r1 and r2 can be put onto these ends, both masses kept; that raises the
  profile. *)
Theorem cell_ends (p q r1 r2 : R) : r1 < r2 -> r1 * q <= p -> p <= r2 * q ->
  exists q1 q2, [/\ 0 <= q1, 0 <= q2, q1 + q2 = q, r1 * q1 + r2 * q2 = p &
    forall a, pos (p - a * q) <= pos (r1 * q1 - a * q1) + pos (r2 * q2 - a * q2)].
Proof.
move=> r12 lo hi; have d0 : 0 < r2 - r1 by rewrite subr_gt0.
have dn : r2 - r1 != 0 by rewrite gt_eqF.
exists ((r2 * q - p) / (r2 - r1)), ((p - r1 * q) / (r2 - r1)).
have e1 : (r2 * q - p) / (r2 - r1) + (p - r1 * q) / (r2 - r1) = q by field.
have e2 : r1 * ((r2 * q - p) / (r2 - r1)) + r2 * ((p - r1 * q) / (r2 - r1)) = p by field.
split=> //; try by apply: divr_ge0; [rewrite subr_ge0 | exact: ltW].
move=> a; apply: le_trans (pos_add _ _); apply: pos_mono.
rewrite le_eqVlt; apply/orP; left; apply/eqP; by field.
Qed.

(** What a leaf of a grid is checked for: a profile h that is convex, does not rise and is at most 1 at 0 is below
    the profile of the grid everywhere if it is at its ratios r_0 < … < r_n. *)
Lemma kink_term r x y a : 0 < r -> x <= y -> (y <= r \/ r <= x) -> x <= a -> a <= y ->
  exists c s, pos (1 - a / r) = c + s * a /\ pos (1 - x / r) = c + s * x /\ pos (1 - y / r) = c + s * y.
Proof.
move=> r0 xy [yr|rx] xa ay; have rn : r != 0 by rewrite gt_eqF.
  have le1 z : z <= r -> pos (1 - z / r) = 1 + - r^-1 * z.
    move=> zr; have z1 : 0 <= 1 - z / r by rewrite subr_ge0 ler_pdivr_mulr // mul1r.
    by rewrite (pos_id z1); field.
  exists 1, (- r^-1); split; [|split]; apply: le1 => //; [exact: le_trans ay yr | exact: le_trans xy yr].
have ge1 z : r <= z -> pos (1 - z / r) = 0 + 0 * z.
  by move=> rz; rewrite mul0r addr0 pos0 // subr_le0 ler_pdivl_mulr // mul1r.
by exists 0, 0; split; [|split]; apply: ge1 => //; [exact: le_trans rx xa | exact: le_trans rx xy].
Qed.

Lemma grid_is_affine n (v r : nat -> R) x y a :
  (forall i, 0 < r i) -> x <= y -> (forall i, (i < n)%N -> y <= r i \/ r i <= x) -> x <= a -> a <= y ->
  exists c s, U n v r a = c + s * a /\ U n v r x = c + s * x /\ U n v r y = c + s * y.
Proof.
move=> r0 xy h xa ay.
have [c [s [h1 [h2 h3]]]] : exists c s, \sum_(i < n) v i * pos (1 - a / r i) = c + s * a /\
    \sum_(i < n) v i * pos (1 - x / r i) = c + s * x /\ \sum_(i < n) v i * pos (1 - y / r i) = c + s * y.
  elim: n h => [|n ih] h; first by exists 0, 0; rewrite !big_ord0 !mul0r !addr0.
  have [i hi|c [s [h1 [h2 h3]]]] := ih; first by apply: h; exact: ltnW.
  have [c' [s' [k1 [k2 k3]]]] := kink_term (r0 n) xy (h n (ltnSn n)) xa ay.
  exists (c + v n * c'), (s + v n * s'); rewrite !big_ord_recr /= h1 h2 h3 k1 k2 k3.
  by split; [|split]; ring.
exists (1 - \sum_(i < n) v i + c), s; rewrite /U h1 h2 h3; by split; [|split]; ring.
Qed.

Theorem leaves (h : R -> R) n (v r : nat -> R) a :
  (forall u z w, 0 <= w -> w <= 1 -> h (w * u + (1 - w) * z) <= w * h u + (1 - w) * h z) ->
  (forall x y, x <= y -> h y <= h x) -> h 0 <= 1 ->
  (forall i, 0 < r i) -> (forall i, r i < r i.+1) ->
  (forall i, (i < n.+1)%N -> h (r i) <= U n.+1 v r (r i)) -> 0 <= a -> h a <= U n.+1 v r a.
Proof.
move=> conv falls h0 r0 rr kinks a0.
have rmono i j : (i <= j)%N -> r i <= r j.
  by move/subnKC <-; elim: (j - i)%N => [|k ih]; rewrite ?addn0 ?addnS //; apply: le_trans ih (ltW (rr _)).
have piece x y : x < y -> x <= a -> a <= y -> (forall i, (i < n.+1)%N -> y <= r i \/ r i <= x) ->
    h x <= U n.+1 v r x -> h y <= U n.+1 v r y -> h a <= U n.+1 v r a.
  move=> xy xa ay apart hx hy.
  have [c [s [e1 [e2 e3]]]] := @grid_is_affine n.+1 v r x y a r0 (ltW xy) apart xa ay.
  by rewrite e1; apply: (@between_points _ _ _ x y a conv) => //; rewrite -?e2 -?e3.
have [al|la] := leP a (r 0%N).
  apply: (piece 0 (r 0%N)) => //; last exact: kinks.
  - by move=> i _; left; exact: rmono.
  - have e : \sum_(i < n.+1) v i * pos (1 - 0 / r i) = \sum_(i < n.+1) v i.
      by apply: eq_bigr => i _; rewrite mul0r subr0 pos_id ?ler01 // mulr1.
    by rewrite /U e subrK.
have find k : r k <= a \/ exists2 i, (i < k)%N & r i <= a <= r i.+1.
  elim: k => [|k [ka|[i ik ia]]]; first by left; exact: ltW.
    by have [k1|k1] := leP (r k.+1) a; [left | right; exists k => //; rewrite ka ltW].
  by right; exists i => //; exact: ltnW.
have [na|[i i_n /andP[ia ai]]] := find n.
  (* after the last ratio, U is constant *)
  apply: le_trans (falls _ _ na) _; apply: le_trans (kinks n (ltnSn n)) _.
  rewrite /U le_eqVlt; apply/orP; left; apply/eqP; congr (_ + _); apply: eq_bigr => j _.
  have jn : r j <= r n by apply: rmono; rewrite -ltnS.
  congr (_ * _); rewrite !pos0 // subr_le0 ler_pdivl_mulr ?mul1r //; exact: le_trans jn na.
apply: (piece (r i) (r i.+1)) => //.
- move=> j _; case: (leqP j i) => ji; [right; exact: rmono | left; exact: rmono].
- by apply: kinks; exact: ltnW.
- exact: kinks.
Qed.

(** * Sums of indices *)

(** Vectors of the lower side: a_i against the probability p_i of an index i, sums from every k on being at most those
  of
    p. They stay so for sums of independent indices.
    With the roles of a and p exchanged: sums that are at least those of p. *)
Theorem sums_of_indices n m (a p : 'I_n -> R) (a' p' : 'I_m -> R) k :
  (forall i, 0 <= a i) -> (forall j, 0 <= p' j) ->
  (forall k, \sum_(i < n | (k <= i)%N) a i <= \sum_(i < n | (k <= i)%N) p i) ->
  (forall k, \sum_(j < m | (k <= j)%N) a' j <= \sum_(j < m | (k <= j)%N) p' j) ->
  \sum_(i < n) \sum_(j < m | (k <= i + j)%N) a i * a' j <= \sum_(i < n) \sum_(j < m | (k <= i + j)%N) p i * p' j.
Proof.
move=> a0 p0 ha ha'.
apply: le_trans (_ : _ <= \sum_(i < n) \sum_(j < m | (k <= i + j)%N) a i * p' j) _.
  apply: ler_sum => i _; rewrite -!mulr_sumr; apply: ler_wpmul2l => //.
  have e (f : 'I_m -> R) : \sum_(j < m | (k <= i + j)%N) f j = \sum_(j < m | (k - i <= j)%N) f j.
    by apply: eq_bigl => j; rewrite leq_subLR.
  by rewrite !e; exact: ha'.
rewrite (exchange_big_dep xpredT) //= [X in _ <= X](exchange_big_dep xpredT) //=.
apply: ler_sum => j _; rewrite -!mulr_suml; apply: ler_wpmul2r => //.
have e (f : 'I_n -> R) : \sum_(i < n | (k <= i + j)%N) f i = \sum_(i < n | (k - j <= i)%N) f i.
  by apply: eq_bigl => i; rewrite leq_subLR addnC.
by rewrite !e; exact: ha.
Qed.
End Bounds.
