(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** `check` with shifts for divisions and any program for products, and with any numbers. *)
From Coq Require Import Reals List ZArith Bool Lia.
From Dpverify Require Import Numbers Composition Vector.
Import ListNotations.
Local Open Scope Z_scope.

Definition top : Z := Eval vm_compute in 2 ^ 128.
(** Quotient and remainder by 2^n, in one pass. *)
Fixpoint parted (n : nat) (x : positive) : Z * Z :=
  match n, x with
  | O, _ => (Zpos x, 0)
  | S _, xH => (0, 1)
  | S n', xO y => let '(q, r) := parted n' y in (q, Z.double r)
  | S n', xI y => let '(q, r) := parted n' y in (q, Z.succ_double r)
  end.
Fixpoint rounded_by (n : nat) (u c : Z) (l : list Z) : list Z :=
  match l with
  | nil => nil
  | Zpos y :: l' => let '(q, r) := parted n y in let s := r + c in if s <? u then q :: rounded_by n u s l'
    else (q + 1) :: rounded_by n u (s - u) l'
  | x :: l' => let s := x + c in (s / u) :: rounded_by n u (s mod u) l'
  end.
Definition rounded_s (b c : Z) (l : list Z) : list Z := rounded_by (Z.to_nat b) (2 ^ b) c l.
Fixpoint coarse_s (s acc : Z) (l : list Z) (odd : bool) : list Z :=
  match l with
  | nil => [acc]
  | x :: l' => if odd then let low := Z.shiftr (x * s) 128 in (acc + low) :: coarse_s s (x - low) l' false
    else coarse_s s (acc + x) l' true
  end.
Fixpoint tail_s (rho w : Z) (l : list Z) : Z :=
  match l with nil => 0 | c :: l' => c * Z.min top w + tail_s rho (Z.shiftr (w * rho) 128) l' end.

Lemma parted_is n : forall x, let '(q, r) := parted n x in Zpos x = 2 ^ Z.of_nat n * q + r /\ 0 <= r < 2 ^ Z.of_nat n.
Proof.
induction n as [|n ih]; intros x; [cbn [parted]; change (2 ^ Z.of_nat 0) with 1; lia|].
rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. assert (0 < 2 ^ Z.of_nat n) by (apply Z.pow_pos_nonneg; lia).
destruct x as [y|y|]; cbn [parted]; [specialize (ih y); destruct (parted n y) as [q r]; rewrite ?Z.succ_double_spec;
  lia|specialize (ih y); destruct (parted n y) as [q r]; rewrite ?Z.double_spec; lia|lia].
Qed.
Lemma rounded_s_is b l : 0 <= b -> forall c, 0 <= c < 2 ^ b -> rounded_s b c l = rounded (2 ^ b) c l.
Proof.
intros b0. unfold rounded_s. assert (u0 : 0 < 2 ^ b) by (apply Z.pow_pos_nonneg; lia).
induction l as [|x l ih]; intros c hc; [easy|]. destruct x as [|y|y]; cbn [rounded_by rounded];
  try (rewrite ih; [easy|now apply Z.mod_pos_bound]).
pose proof (parted_is (Z.to_nat b) y) as h. destruct (parted (Z.to_nat b) y) as [q r]. rewrite Z2Nat.id in h by easy.
destruct h as [e hr]. destruct (Z.ltb_spec (r + c) (2 ^ b)) as [k|k].
- rewrite ih by lia. f_equal; [apply Z.div_unique with (r + c); lia|f_equal; apply Z.mod_unique with q; lia].
- rewrite ih by lia. f_equal; [apply Z.div_unique with (r + c - 2 ^ b); lia|f_equal; apply Z.mod_unique with (q + 1);
    lia].
Qed.
Lemma coarse_s_is s l : forall acc o, coarse_s s acc l o = coarse s acc l o.
Proof. induction l as [|x l ih]; intros acc o; [easy|]. cbn [coarse_s coarse]. rewrite Z.shiftr_div_pow2 by easy.
destruct o; cbv zeta; now rewrite ih. Qed.
Lemma tail_s_is rho l : forall w, tail_s rho w l = tail rho w l.
Proof. induction l as [|x l ih]; intros w; [easy|]. cbn [tail_s tail]. rewrite Z.shiftr_div_pow2 by easy.
now rewrite ih. Qed.

(** The same, with numbers that computers have. *)
Section Numbers.
Variable T : numbers.
Fixpoint coarse_t (s n : T) (acc : Z) (l : list Z) (odd : bool) : list Z :=
  match l with
  | nil => [acc]
  | x :: l' => if odd then let low := to_Z (shrn (muln (of_Z x) s) n) in
    (acc + low) :: coarse_t s n (x - low) l' false else coarse_t s n (acc + x) l' true
  end.
Definition coarse_n (s acc : Z) (l : list Z) (odd : bool) : list Z := if (0 <=? s) && nonneg l then
  coarse_t (of_Z s) (of_Z 128) acc l odd else coarse_s s acc l odd.
Fixpoint tail_t (rho most n w : T) (l : list Z) : T :=
  match l with nil => zero | c :: l' => addn (muln (of_Z c) (subn most (subn most w)))
    (tail_t rho most n (shrn (muln w rho) n) l') end.
Definition tail_n (rho w : Z) (l : list Z) : Z :=
  if (0 <=? rho) && (0 <=? w) && nonneg l then to_Z (tail_t (of_Z rho) (of_Z top) (of_Z 128) (of_Z w) l)
    else tail_s rho w l.
Lemma coarse_n_is s acc l o : coarse_n s acc l o = coarse s acc l o.
Proof.
unfold coarse_n. rewrite <- coarse_s_is. destruct (Z.leb_spec 0 s) as [s0|_], (nonneg l) eqn:nn; try reflexivity.
cbn [andb]. revert acc o nn.
induction l as [|x l ih]; intros acc o nn; [easy|]. apply nonneg_cons in nn as [x0 nn]. cbn [coarse_t coarse_s].
destruct o; [|now apply ih].
rewrite shrn_is, muln_is, !of_Z_is by easy. cbv zeta. now rewrite ih.
Qed.
Lemma tail_n_is rho w l : tail_n rho w l = tail rho w l.
Proof.
unfold tail_n. rewrite <- tail_s_is.
destruct (Z.leb_spec 0 rho) as [r0|_], (Z.leb_spec 0 w) as [w0|_], (nonneg l) eqn:nn; try reflexivity. cbn [andb].
enough (h : forall l (v : T), nonneg l = true -> to_Z (tail_t (of_Z rho) (of_Z top) (of_Z 128) v l) = tail_s rho
  (to_Z v) l) by (rewrite h, of_Z_is by easy; easy).
clear - r0. induction l as [|x l ih]; intros v nn; cbn [tail_t tail_s]; [apply zero_is|].
apply nonneg_cons in nn as [x0 nn].
rewrite addn_is, muln_is, !subn_is, ih, shrn_is, muln_is, !of_Z_is by easy. pose proof (to_Z_pos v).
replace (Z.max 0 (top - Z.max 0 (top - to_Z v))) with (Z.min top (to_Z v)) by (unfold top; lia). reflexivity.
Qed.
End Numbers.

Section Program.
Variable T : numbers.
Variable mul : list Z -> list Z -> list Z.
Variables (bits M : Z) (share : nat -> Z) (leaves : list vec).
Definition step_s (o : op) (st : list vec) : option (list vec) :=
  match o, st with
  | Times, w :: v :: st' =>
      if Nat.eqb (level v) (level w) && nonneg (masses w)
      then Some (V (level v) (sums (copies v) (copies w)) (first v + first w)
        (rounded_s bits 0 (mul (masses v) (masses w))) :: st')
      else None
  | Coarsen, v :: st' =>
      if nonneg (masses v)
      then Some (V (S (level v)) (copies v) (first v / 2)
        (coarse_n T (share (level v)) 0 (masses v) (Z.odd (first v))) :: st') else None
  | _, _ => step M share leaves o st
  end.
Fixpoint run_s (plan : list op) (st : list vec) : option (list vec) :=
  match plan with nil => Some st | o :: plan' => match step_s o st with Some st' => run_s plan' st' | None =>
    None end end.
Definition check_s (plan : list op) (ns : list N) (rho : nat -> Z) (w0 : nat -> Z -> Z) (least : Z) : bool :=
  match run_s plan nil with
  | Some [w; v] => Nat.eqb (level v) (level w) && equal (sums (copies v) (copies w)) ns && nonneg (masses w) && nonneg
    (masses v)
      && (least <=? tail_n T (rho (level v)) (w0 (level v) (first v + first w)) (mul (masses v) (masses w)))
  | _ => false
  end.

Hypothesis mul_is : forall l m, mul l m = conv l m.
Hypothesis b0 : 0 <= bits.
Hypothesis M_is : M = 2 ^ bits.
Lemma step_s_is o st : step_s o st = step M share leaves o st.
Proof.
destruct o; try reflexivity; destruct st as [|v st]; try reflexivity.
- destruct st as [|v' st]; [reflexivity|]. cbn [step_s step].
  rewrite mul_is, rounded_s_is by (easy || (split; [easy|]; apply Z.pow_pos_nonneg; easy)). now rewrite M_is.
- cbn [step_s step]. now rewrite coarse_n_is.
Qed.
Theorem check_s_is plan ns rho w0 least : check_s plan ns rho w0 least = check M share leaves plan ns rho w0 least.
Proof.
assert (r : forall plan st, run_s plan st = run M share leaves plan st).
{ induction plan0 as [|o plan0 ih]; intros st; [easy|]. cbn [run_s run]. rewrite step_s_is.
  destruct (step M share leaves o st); auto. }
unfold check_s, check. rewrite r. destruct (run M share leaves plan nil) as [[|w [|v [|]]]|]; auto.
now rewrite mul_is, tail_n_is.
Qed.
End Program.
