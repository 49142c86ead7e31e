(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** `check` with shifts for divisions and any program for products. *)
From Coq Require Import Reals List ZArith Bool Lia.
From Dpverify Require Import Composition Vector.
Import ListNotations.
Local Open Scope Z_scope.

Definition top : Z := Eval vm_compute in 2 ^ 60.
Fixpoint rounded_s (b c : Z) (l : list Z) : list Z :=
  match l with nil => nil | x :: l' => let s := x + c in let q := Z.shiftr s b in q :: rounded_s b (s - Z.shiftl q b) l' end.
Fixpoint coarse_s (s acc : Z) (l : list Z) (odd : bool) : list Z :=
  match l with
  | nil => [acc]
  | x :: l' => if odd then let low := Z.shiftr (x * s) 60 in (acc + low) :: coarse_s s (x - low) l' false else coarse_s s (acc + x) l' true
  end.
Fixpoint tail_s (rho w : Z) (l : list Z) : Z :=
  match l with nil => 0 | c :: l' => c * Z.min top w + tail_s rho (Z.shiftr (w * rho) 60) l' end.

Lemma rounded_s_is b l : 0 <= b -> forall c, rounded_s b c l = rounded (2 ^ b) c l.
Proof.
intros b0. induction l as [|x l ih]; intros c; [easy|]. cbn [rounded_s rounded]. rewrite Z.shiftr_div_pow2 by easy. f_equal. rewrite ih. f_equal.
rewrite Z.shiftl_mul_pow2 by easy. assert (0 < 2 ^ b) by (apply Z.pow_pos_nonneg; lia). pose proof (Z.div_mod (x + c) (2 ^ b)). lia.
Qed.
Lemma coarse_s_is s l : forall acc o, coarse_s s acc l o = coarse s acc l o.
Proof. induction l as [|x l ih]; intros acc o; [easy|]. cbn [coarse_s coarse]. rewrite Z.shiftr_div_pow2 by easy. destruct o; cbv zeta; now rewrite ih. Qed.
Lemma tail_s_is rho l : forall w, tail_s rho w l = tail rho w l.
Proof. induction l as [|x l ih]; intros w; [easy|]. cbn [tail_s tail]. rewrite Z.shiftr_div_pow2 by easy. now rewrite ih. Qed.

Section Program.
Variable mul : list Z -> list Z -> list Z.
Variables (bits M : Z) (share : nat -> Z) (leaves : list vec).
Definition step_s (o : op) (st : list vec) : option (list vec) :=
  match o, st with
  | Times, w :: v :: st' =>
      if Nat.eqb (level v) (level w) && nonneg (masses w)
      then Some (V (level v) (sums (copies v) (copies w)) (first v + first w) (rounded_s bits 0 (mul (masses v) (masses w))) :: st')
      else None
  | Coarsen, v :: st' =>
      if nonneg (masses v)
      then Some (V (S (level v)) (copies v) (first v / 2) (coarse_s (share (level v)) 0 (masses v) (Z.odd (first v))) :: st') else None
  | _, _ => step M share leaves o st
  end.
Fixpoint run_s (plan : list op) (st : list vec) : option (list vec) :=
  match plan with nil => Some st | o :: plan' => match step_s o st with Some st' => run_s plan' st' | None => None end end.
Definition check_s (plan : list op) (ns : list N) (rho : nat -> Z) (w0 : nat -> Z -> Z) (least : Z) : bool :=
  match run_s plan nil with
  | Some [w; v] => Nat.eqb (level v) (level w) && equal (sums (copies v) (copies w)) ns && nonneg (masses w) && nonneg (masses v)
      && (least <=? tail_s (rho (level v)) (w0 (level v) (first v + first w)) (mul (masses v) (masses w)))
  | _ => false
  end.

Hypothesis mul_is : forall l m, mul l m = conv l m.
Hypothesis b0 : 0 <= bits.
Hypothesis M_is : M = 2 ^ bits.
Lemma step_s_is o st : step_s o st = step M share leaves o st.
Proof.
destruct o; try reflexivity; destruct st as [|v st]; try reflexivity.
- destruct st as [|v' st]; [reflexivity|]. cbn [step_s step]. rewrite mul_is, rounded_s_is by easy. now rewrite M_is.
- cbn [step_s step]. now rewrite coarse_s_is.
Qed.
Theorem check_s_is plan ns rho w0 least : check_s plan ns rho w0 least = check M share leaves plan ns rho w0 least.
Proof.
assert (r : forall plan st, run_s plan st = run M share leaves plan st).
{ induction plan0 as [|o plan0 ih]; intros st; [easy|]. cbn [run_s run]. rewrite step_s_is. destruct (step M share leaves o st); auto. }
unfold check_s, check. rewrite r. destruct (run M share leaves plan nil) as [[|w [|v [|]]]|]; auto. now rewrite mul_is, tail_s_is.
Qed.
End Program.
