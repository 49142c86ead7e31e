(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Products that are checked at random points modulo random primes. A product of vectors is one of polynomials; what
    is stated is C, with a remainder R: A·B = 2^P·C + R. Let D be the difference of the two sides. *)

From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

(** Evaluation modulo a prime is a homomorphism: residues of values are values of residues. *)
Theorem residues_of_values (F : comRingType) (f : {rmorphism int -> F}) (a b c r : {poly int}) (k z : int) :
  a * b = k%:P * c + r ->
  (map_poly f a).[f z] * (map_poly f b).[f z] = f k * (map_poly f c).[f z] + (map_poly f r).[f z].
Proof.
move=> e; rewrite !horner_map -rmorphM -hornerM e hornerD hornerM hornerC rmorphD rmorphM.
by [].
Qed.

Section Points.
Variable F : finFieldType.
Implicit Types (a b c : {poly F}).

(** A wrong product passes at fewer points than the difference has coefficients. *)
Theorem points_of_wrong_products a b c n :
  a * b != c -> (size (a * b - c)%R <= n.+1)%N -> (#|[pred z | (a.[z] * b.[z] == c.[z])%R]| <= n)%N.
Proof.
move=> wrong le; rewrite -ltnS; apply: leq_trans le.
rewrite cardE; apply: max_poly_roots; rewrite ?subr_eq0 ?enum_uniq //.
by apply/allP => z; rewrite mem_enum inE rootE hornerD hornerN hornerM subr_eq0.
Qed.

(** So k independent points accept it in at most n^k of |F|^k cases. *)
Theorem points_tried a b c n k :
  a * b != c -> (size (a * b - c)%R <= n.+1)%N ->
  (#|[pred z : {ffun 'I_k -> F} | [forall i, (a.[z i] * b.[z i] == c.[z i])%R]]| <= n ^ k)%N.
Proof.
move=> wrong le.
have -> : #|[pred z : {ffun 'I_k -> F} | [forall i, a.[z i] * b.[z i] == c.[z i]]]|
    = #|ffun_on (mem [pred z | a.[z] * b.[z] == c.[z]]) : {pred {ffun 'I_k -> F}}|.
  by apply: eq_card => z; rewrite !inE.
rewrite card_ffun_on card_ord.
by case: k => [|k]; rewrite ?expn0 // leq_exp2r //; exact: points_of_wrong_products.
Qed.
End Points.

(** Few large primes divide a coefficient of D: with all at least m, there are s of them only if m^s ≤ |d|. *)
Theorem few_primes (d m : nat) (ps : seq nat) :
  (0 < d)%N -> uniq ps -> all prime ps -> all (fun p => m <= p)%N ps -> all (fun p => p %| d)%N ps ->
  (m ^ size ps <= d)%N.
Proof.
move=> d0 u pr large divides.
have prod : (\prod_(p <- ps) p %| d)%N.
  elim: ps u pr divides {large} => [|p ps ih] /=; first by rewrite big_nil dvd1n.
  case/andP=> pn u /andP[pp pr] /andP[pd divides]; rewrite big_cons Gauss_dvd; last first.
    rewrite prime_coprime //; apply/negP => pdiv.
    elim: ps pn pr pdiv {ih u divides} => [|q ps ih] /=; first by rewrite big_nil dvdn1 => _ _ /eqP p1; rewrite p1 in
      pp.
    rewrite inE negb_or big_cons => /andP[pq pn] /andP[qp pr].
    rewrite Euclid_dvdM // => /orP[|]; last exact: ih.
    by rewrite dvdn_prime2 // (negbTE pq).
  by rewrite pd ih.
apply: leq_trans (dvdn_leq d0 prod).
elim: ps large {u pr divides prod} => [|p ps ih] /=; first by rewrite big_nil.
by case/andP=> mp large; rewrite big_cons expnS leq_mul // ih.
Qed.

(** What passes is enough: with remainders that are not negative, entries of C are at most the entries of the product,
    rounded down; and rounding prefix sums, R(z)·(1 − z) in
      the place of R(z), keeps prefix sums at most the product's. *)
Theorem remainders_round_down (k : nat) (ab c r : nat -> nat) :
  (0 < k)%N -> (forall i, ab i = c i * k + r i)%N -> forall i, (c i <= ab i %/ k)%N.
Proof. by move=> k0 e i; rewrite e leq_divRL // leq_addr. Qed.
