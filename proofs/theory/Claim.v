(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Claims about Poisson samples of Gaussian noise, what they say, and a checker of certificates that is right. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Composition Vector Leaf Series Fixed Normal Shift Program.
From Coq Require Import QArith Qreals.
Import ListNotations.
Local Open Scope R_scope.

(** * What is claimed *)

Record claim := { rate : Q; sigma : Q; steps : N; eps : Q; delta : Q }.

(** P: a sample of the record that is shifted by s, at most by m to either side; Q: without the record. Which s comes next may
    depend on all outputs before. *)
Inductive with_record (g m : R) : class := a_pair s : - m <= s <= m -> with_record g m line (fun x => g * phi (x - s) + (1 - g) * phi x) phi.
Inductive without_record (g m : R) : class := a_back s : - m <= s <= m -> without_record g m line phi (fun x => g * phi (x - s) + (1 - g) * phi x).

Definition holds (c : claim) : Prop :=
  let g := Q2R (rate c) in let m := / Q2R (sigma c) in
  forall t, runs (with_record g m) (eq Ret) (N.to_nat (steps c)) t \/ runs (without_record g m) (eq Ret) (N.to_nat (steps c)) t ->
  delta_le t 1 (exp (Q2R (eps c))) (Q2R (delta c)).

(** * The checker *)

Record chain := { prec : Z; bits : Z; grid : Q; start : Z; leaf : list Z; shares : list Z; plan : list op;
  lv : nat; fi : Z; rho : Z; w0 : Z; least : Z; hints : list (Q * nat) }.

Section Program.
Variable mul : list Z -> list Z -> list Z.
Variables (back : bool) (c : claim) (h : chain).
Let p := prec h.
Let M := (2 ^ bits h)%Z.
Let ke := 12%nat.
Let one := unit p.
Definition expo (q : Q) : Z * Z := expQ p ke q.
Definition gap_at (l : nat) : Q := grid h * inject_Z (2 ^ Z.of_nat l).

Fixpoint shares_ok (l : nat) (ss : list Z) : bool :=
  match ss with
  | nil => true
  | s :: ss' => (0 <=? s)%Z && (s <=? top)%Z && (s * (one + snd (expo (gap_at l))) <=? top * one)%Z && shares_ok (S l) ss'
  end.

(** For every kink i, 2^p·Σ_{j > i} m_j·e^{(i − j)Δ} or more. *)
Fixpoint power (e : Z * Z) (n : nat) : Z * Z := match n with O => whole p 1 | S n' => times p e (power e n') end.
Fixpoint tails (e : Z * Z) (ks : list (Z * Z)) : list Z :=
  match ks with
  | nil => nil
  | (i, a) :: l => let ts := tails e l in
      (match l, ts with (j, b) :: _, t :: _ => up p ((b * one + t) * snd (power e (Z.to_nat (j - i)))) | _, _ => 0%Z end) :: ts
  end.

Definition final (rt a : Z * Z) (m t : Q) (k : nat) (e : Z * Z) (under : Z) : bool :=
  ((snd a * above_high p rt ke k (t - m) - fst (times p a e) * Z.max 0 (above_low p rt ke k t)) * M + 2 * one * under <=? 2 * one * one * M)%Z.

(** under is 2^p·M·(Σ_j m_j/M·min(1, e^{(i − j)Δ})) or more. *)
Definition kink_ok (rt : Z * Z) (m : Q) (i : Z) (hint : Q * nat) (under : Z) : bool :=
  let al := expo (grid h * inject_Z i) in
  let g := ratI p (rate c) in let og := ratI p (1 - rate c) in
  let '(t, k) := hint in
  let e := expo (m * t - m * m * (1 # 2)) in
  if back then
    let v := times p al og in
    if (one <=? fst v)%Z then (under <=? M * one)%Z
    else let a := (one - snd v, one - fst v)%Z in
      (0 <? fst a)%Z && (snd (times p a e) <=? fst (times p al g))%Z && final rt a m t k e under
  else
    if (snd al <=? fst og)%Z then (under <=? fst al * M)%Z
    else (snd (times p g e) <=? fst al - snd og)%Z && final rt g m t k e under.

Fixpoint scan (rt : Z * Z) (m : Q) (before : Z) (ks : list (Z * Z)) (ts : list Z) (hs : list (Q * nat)) : bool :=
  match ks, ts, hs with
  | nil, _, _ => true
  | (i, a) :: ks', t :: ts', x :: hs' => kink_ok rt m i x ((before + a) * one + t)%Z && scan rt m (before + a) ks' ts' hs'
  | _, _, _ => false
  end.

Definition accepts_chain : bool :=
  let ks := sparse (start h) (leaf h) in let gap := expo (gap_at (lv h)) in
  (0 <=? p)%Z && (0 <=? bits h)%Z && (0 <? Qnum (grid h))%Z && shares_ok 0 (shares h) && rising ks && forallb (fun k => 0 <=? snd k)%Z ks
  && scan (root_low p, root_high p) (/ sigma c) 0 ks (tails (expo (- grid h)) ks) (hints h)
  && (0 <=? rho h)%Z && (0 <=? w0 h)%Z && (rho h * one <=? top * fst (expo (- gap_at (lv h))))%Z
  && (w0 h * one <=? top * fst (expo (eps c - inject_Z (fi h) * gap_at (lv h))))%Z
  && (top * M * M * (Zpos (Qden (delta c)) - Qnum (delta c)) <=? least h * Zpos (Qden (delta c)))%Z
  && check_s mul (bits h) M (shares h) (start h) (leaf h) (plan h) (lv h) (N.to_nat (steps c)) (fi h) (rho h) (w0 h) (least h).
End Program.

Definition accepts (mul : list Z -> list Z -> list Z) (c : claim) (remove add : chain) : bool :=
  (0 <? Qnum (rate c))%Z && (Qnum (rate c) <? Zpos (Qden (rate c)))%Z && (0 <? Qnum (sigma c))%Z
  && accepts_chain mul false c remove && accepts_chain mul true c add.

(** * Why it is right *)

Lemma Q2R_Z z : Q2R (inject_Z z) = IZR z.
Proof. unfold Q2R. simpl. field. Qed.

Section Right.
Variable mul : list Z -> list Z -> list Z.
Hypothesis mul_is : forall l m, mul l m = conv l m.
Variables (back : bool) (c : claim) (h : chain).
Notation p := (prec h).
Notation M := (2 ^ bits h)%Z.
Hypothesis p0 : (0 <= p)%Z.
Hypothesis b0 : (0 <= bits h)%Z.
Let D0 := Q2R (grid h).
Hypothesis D0p : 0 < D0.
Let g := Q2R (rate c).
Let m := / Q2R (sigma c).
Hypothesis g0 : 0 < g < 1.
Hypothesis m0 : 0 < m.
Lemma Up : 0 < U p. Proof. now apply U_pos. Qed.
Lemma Mp : (0 < M)%Z. Proof. apply Z.pow_pos_nonneg; lia. Qed.
Lemma Mr : 0 < IZR M. Proof. apply IZR_lt, Mp. Qed.
Lemma top_is : IZR top = W. Proof. reflexivity. Qed.

Lemma gap_is l : Q2R (gap_at h l) = D D0 l.
Proof.
unfold gap_at, D. rewrite Q2R_mult, Q2R_Z. fold D0. f_equal. rewrite <- pow_IZR. reflexivity.
Qed.
Lemma expo_ok q : enc p (expo h q) (exp (Q2R q)).
Proof. now apply expQ_ok. Qed.

Lemma shares_right ss : forall l, shares_ok h l ss = true -> forall j s, nth_error ss j = Some s -> (0 <= s <= 2 ^ 60)%Z /\ IZR s * (1 + exp (D D0 (l + j))) <= W.
Proof.
induction ss as [|s ss ih]; intros l ok [|j] s' e; try discriminate; cbn [shares_ok] in ok; rewrite !andb_true_iff, !Z.leb_le in ok; destruct ok as [[[o1 o2] o3] o4].
- inversion e; subst s'. change top with (2 ^ 60)%Z in o2. split; [easy|]. rewrite Nat.add_0_r, <- gap_is.
  destruct (expo_ok (gap_at h l)) as (_ & _ & u). apply IZR_le in o3. rewrite !mult_IZR, plus_IZR, top_is in o3. change (IZR (unit p)) with (U p) in o3. pose proof Up.
  apply IZR_le in o1. apply Rmult_le_reg_r with (U p); [easy|]. apply Rle_trans with (2 := o3).
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [easy|]. lra.
- cbn [nth_error] in e. replace (l + S j)%nat with (S l + j)%nat by lia. now apply ih.
Qed.

(** ** Sums below a kink *)
Fixpoint tl (i : Z) (l : list (Z * Z)) : R := match l with nil => 0 | (j, b) :: l' => IZR b * exp (IZR (i - j) * D0) + tl i l' end.
Fixpoint total (l : list (Z * Z)) : Z := match l with nil => 0 | (j, b) :: l' => b + total l' end.
Lemma tl_shift i j l : tl i l = exp (IZR (i - j) * D0) * tl j l.
Proof.
induction l as [|[k b] l ih]; cbn [tl]; [ring|]. rewrite ih, Rmult_plus_distr_l. f_equal.
replace (IZR (i - k) * D0) with (IZR (i - j) * D0 + IZR (j - k) * D0) by (rewrite !minus_IZR; ring). rewrite exp_plus. ring.
Qed.
Lemma below_app i l l' : below M D0 i (l ++ l') = below M D0 i l + below M D0 i l'.
Proof. induction l as [|[k b] l ih]; cbn [app below]; [ring|]. rewrite ih. ring. Qed.
Lemma below_before i l : (forall y, In y l -> (fst y <= i)%Z) -> below M D0 i l = IZR (total l) / IZR M.
Proof.
pose proof Mr. intros k. induction l as [|[j b] l ih]; cbn [below total]; [field; lra|]. rewrite ih by (intros; apply k; now right).
pose proof (k (j, b) (or_introl eq_refl)) as hj. simpl in hj. apply Z.leb_le in hj. rewrite hj, plus_IZR. field. lra.
Qed.
Lemma below_after i l : (forall y, In y l -> (i < fst y)%Z) -> below M D0 i l = tl i l / IZR M.
Proof.
pose proof Mr. intros k. induction l as [|[j b] l ih]; cbn [below tl]; [field; lra|]. rewrite ih by (intros; apply k; now right).
pose proof (k (j, b) (or_introl eq_refl)) as hj. simpl in hj. destruct (Z.leb_spec j i); [lia|]. field. lra.
Qed.
Lemma total_app l l' : total (l ++ l') = (total l + total l')%Z.
Proof. induction l as [|[j b] l ih]; cbn [app total]; [easy|]. rewrite ih. ring. Qed.
Lemma below_split l1 i a l2 : rising (l1 ++ (i, a) :: l2) = true -> below M D0 i (l1 ++ (i, a) :: l2) = (IZR (total l1) + IZR a + tl i l2) / IZR M.
Proof.
pose proof Mr. intros r. replace (l1 ++ (i, a) :: l2) with ((l1 ++ [(i, a)]) ++ l2) by (rewrite <- app_assoc; easy). rewrite below_app, below_before, below_after.
- rewrite total_app. cbn [total]. rewrite !plus_IZR. field. lra.
- intros y hy. now apply (rising_tail l1 l2 (i, a)).
- intros y hy. apply in_app_or in hy as [hy|[<-|[]]]; [|simpl; lia]. apply in_split in hy as (l3 & l4 & ->).
  rewrite <- app_assoc in r. cbn [app] in r. pose proof (rising_tail l3 (l4 ++ (i, a) :: l2) y r (i, a) ltac:(apply in_or_app; right; now left)). simpl in *. lia.
Qed.

Lemma power_ok e x : enc p e x -> forall n, enc p (power h e n) (x ^ n).
Proof. intros he. induction n as [|n ih]; cbn [power pow]; [now apply (whole_ok p p0 1)|]. now apply times_ok. Qed.
Lemma tl_ge0 i l : forallb (fun k => 0 <=? snd k)%Z l = true -> 0 <= tl i l.
Proof.
induction l as [|[j b] l ih]; cbn [tl forallb]; [lra|]. rewrite andb_true_iff, Z.leb_le. intros [b1 k]. specialize (ih k). apply IZR_le in b1. simpl in b1.
pose proof (exp_pos (IZR (i - j) * D0)). assert (0 <= IZR b * exp (IZR (i - j) * D0)) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma tails_ok e : enc p e (exp (- D0)) -> forall ks, forallb (fun k => 0 <=? snd k)%Z ks = true -> rising ks = true ->
  forall i a l, ks = (i, a) :: l -> exists t, tails h e ks = t :: tails h e l /\ tl i l * U p <= IZR t.
Proof.
intros he ks nn r i a l ->. revert i a nn r. pose proof Up as u0. induction l as [|[j b] l ih]; intros i a nn r.
- exists 0%Z. split; [easy|]. cbn [tl]. lra.
- cbn [forallb] in nn. apply andb_true_iff in nn as [_ nn]. destruct (ih j b nn) as (t & et & ht).
  { cbn [rising] in r. now apply andb_true_iff in r as [_ r]. }
  cbn [rising fst] in r. apply andb_true_iff in r as [ij _]. apply Z.ltb_lt in ij.
  set (n := Z.to_nat (j - i)). exists (up p ((b * unit p + t) * snd (power h e n)))%Z. split.
  { change (tails h e ((i, a) :: (j, b) :: l)) with ((match tails h e ((j, b) :: l) with t :: _ => up p ((b * unit p + t) * snd (power h e n)) | _ => 0%Z end) :: tails h e ((j, b) :: l)). now rewrite et. }
  cbn [tl]. rewrite (tl_shift i j l). pose proof (power_ok e _ he n) as pw.
  assert (en : exp (- D0) ^ n = exp (IZR (i - j) * D0)).
  { rewrite <- (Rpower_pow n) by apply exp_pos. unfold Rpower. rewrite ln_exp. f_equal. unfold n. rewrite INR_IZR_INZ, Z2Nat.id by lia. rewrite !minus_IZR. ring. }
  rewrite en in pw. destruct pw as (q0 & _ & qu). cbn [forallb snd] in nn. apply andb_true_iff in nn as [bz nn]. apply Z.leb_le, IZR_le in bz.
  pose proof (tl_ge0 j l nn) as tj. set (x := exp (IZR (i - j) * D0)) in *. assert (x0 : 0 < x) by apply exp_pos.
  apply Rmult_le_reg_r with (U p); [easy|]. apply Rle_trans with (2 := up_ge p p0 _). rewrite mult_IZR, plus_IZR, mult_IZR. change (IZR (unit p)) with (U p).
  replace ((IZR b * x + x * tl j l) * U p * U p) with (((IZR b + tl j l) * U p) * (x * U p)) by ring.
  apply Rmult_le_compat; [apply Rmult_le_pos; lra|apply Rmult_le_pos; lra|lra|easy].
Qed.

(** ** One kink *)
Lemma final_ok rt a ai t k e under bl : enc p rt (/ sqrt (2 * PI)) -> enc p ai a -> 0 < a -> enc p e (exp (m * Q2R t - m ^ 2 / 2)) ->
  Q2R (/ sigma c) = m -> bl * IZR M * U p <= IZR under -> final h rt ai (/ sigma c) t k e under = true ->
  forall b s, a * exp (m * Q2R t - m ^ 2 / 2) <= b -> - m <= s <= m -> at_most (difference s a b) (1 - bl).
Proof.
intros hr ha a0 he ms hu f b s hb hs. unfold final in f. apply Z.leb_le, IZR_le in f. set (E := exp (m * Q2R t - m ^ 2 / 2)) in *. assert (E0 : 0 < E) by apply exp_pos.
pose proof Up as u0. pose proof Mr as mr.
apply (smaller m a b (1 - bl) s m0 a0 ltac:(assert (0 < a * E) by (now apply Rmult_lt_0_compat); lra) hs).
pose proof (kink m a (Q2R t) m0 a0) as kk. fold E in kk.
assert (le : a * (1 / 2 - half (Q2R t - m)) - a * E * (1 / 2 - half (Q2R t)) <= 1 - bl).
{ pose proof (above_high_ok p p0 rt 12 k (t - / sigma c) hr) as ah. rewrite Q2R_minus, ms in ah.
  pose proof (above_low_ok p p0 rt 12 k t hr) as al. pose proof (times_ok p p0 _ _ _ _ ha he) as (x0 & xl & _). destruct ha as (_ & _ & hau).
  rewrite plus_IZR, !mult_IZR, minus_IZR, !mult_IZR in f. change (IZR (unit p)) with (U p) in f.
  set (y := fst (times p ai e)) in *. apply IZR_le in x0.
  set (H := above_high p rt 12 k (t - / sigma c)) in *. set (L := above_low p rt 12 k t) in *.
  set (A := 1 / 2 - half (Q2R t - m)) in *. set (B := 1 / 2 - half (Q2R t)) in *.
  assert (A0 : 0 <= A) by (unfold A; pose proof (half_le (Q2R t - m)); lra). assert (B0 : 0 <= B) by (unfold B; pose proof (half_le (Q2R t)); lra).
  assert (k1 : a * U p * (2 * U p * A) <= IZR (snd ai) * IZR H).
  { apply Rmult_le_compat; try easy; repeat apply Rmult_le_pos; lra. }
  assert (k2 : IZR y * IZR (Z.max 0 L) <= a * E * U p * (2 * U p * B)).
  { apply Rmult_le_compat; try easy; [apply IZR_le; lia|]. destruct (Z.max_spec 0 L) as [[_ ->]|[_ ->]]; [easy|]. repeat apply Rmult_le_pos; lra. }
  set (X := IZR (snd ai) * IZR H) in *. set (Y := IZR y * IZR (Z.max 0 L)) in *.
  apply Rmult_le_reg_r with (2 * U p * U p * IZR M); [repeat apply Rmult_lt_0_compat; lra|].
  assert (k3 : (a * U p * (2 * U p * A) - a * E * U p * (2 * U p * B)) * IZR M <= (X - Y) * IZR M) by (apply Rmult_le_compat_r; lra).
  assert (k4 : 2 * U p * (bl * IZR M * U p) <= 2 * U p * IZR under) by (apply Rmult_le_compat_l; lra). lra. }
intros u v uv. destruct (kk u v uv) as (I & i & il).
exists (RInt (fun x => Rmax 0 (difference m a b x)) u v).
assert (ex : ex_RInt (fun x => Rmax 0 (difference m a b x)) u v) by (apply ex_pos, continuous_difference).
split; [now apply (RInt_correct (V := R_CompleteNormedModule))|].
apply Rle_trans with I; [|lra]. apply (is_RInt_le (fun x => Rmax 0 (difference m a b x)) (fun x => Rmax 0 (difference m a (a * E) x)) u v); auto.
- now apply (RInt_correct (V := R_CompleteNormedModule)).
- intros x _. apply Rle_max_compat_l. unfold difference. pose proof (phi_pos x). assert (a * E * phi x <= b * phi x) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Hypothesis gm : Q2R (/ sigma c) = m.
Hypothesis gn : (0 <= Qnum (rate c))%Z.
Hypothesis ogn : (0 <= Qnum (1 - rate c))%Z.
Definition sample (s x : R) := g * phi (x - s) + (1 - g) * phi x.
Definition at_kink (i : Z) (d : R) : Prop := forall s, - m <= s <= m ->
  if back then Ub (s := line) (fun x => Rmax 0 (phi x - exp (IZR i * D0) * sample s x)) d
  else Ub (s := line) (fun x => Rmax 0 (sample s x - exp (IZR i * D0) * phi x)) d.

Lemma kink_right rt i hint under bl : enc p rt (/ sqrt (2 * PI)) -> bl * IZR M * U p <= IZR under ->
  kink_ok back c h rt (/ sigma c) i hint under = true -> at_kink i (1 - bl).
Proof.
intros hr hu k s hs. unfold kink_ok in k. destruct hint as [t n]. pose proof Up as u0. pose proof Mr as mr.
pose proof (expo_ok (grid h * inject_Z i)) as hal. rewrite Q2R_mult, Q2R_Z in hal. replace (Q2R (grid h) * IZR i) with (IZR i * D0) in hal by (unfold D0; ring).
set (al := exp (IZR i * D0)) in *. assert (al0 : 0 < al) by apply exp_pos. set (ali := expo h (grid h * inject_Z i)) in *.
pose proof (ratI_ok p p0 _ gn) as hg. fold g in hg. pose proof (ratI_ok p p0 _ ogn) as hog. rewrite Q2R_minus in hog. fold g in hog.
replace (Q2R 1) with 1 in hog by (unfold Q2R; simpl; field).
pose proof (expo_ok (/ sigma c * t - / sigma c * / sigma c * (1 # 2))) as he. rewrite Q2R_minus, !Q2R_mult, gm in he.
assert (h2 : Q2R (1 # 2) = / 2) by (unfold Q2R; simpl; field). rewrite h2 in he. replace (m * Q2R t - m * m * / 2) with (m * Q2R t - m ^ 2 / 2) in he by (simpl; field). clear h2.
set (e := expo h (/ sigma c * t - / sigma c * / sigma c * (1 # 2))) in *. set (gi := ratI p (rate c)) in *. set (ogi := ratI p (1 - rate c)) in *.
destruct back.
- pose proof (times_ok p p0 _ _ _ _ hal hog) as hv. set (v := times p ali ogi) in *. destruct (Z.leb_spec (unit p) (fst v)) as [q|q].
  + apply Z.leb_le, IZR_le in k. rewrite mult_IZR in k. change (IZR (unit p)) with (U p) in k. destruct hv as (_ & vl & _). apply IZR_le in q. change (IZR (unit p)) with (U p) in q.
    apply (back_high g s g0 al (1 - bl)); [|easy|].
    * apply Rmult_le_reg_r with (U p); lra.
    * assert (bl <= 1); [|lra]. apply Rmult_le_reg_r with (IZR M * U p); [now apply Rmult_lt_0_compat|]. lra.
  + rewrite !andb_true_iff in k. destruct k as [[k1 k2] k3]. apply Z.ltb_lt in k1. cbn [fst] in k1. apply Z.leb_le, IZR_le in k2.
    set (a := 1 - al * (1 - g)). set (ai := (unit p - snd v, unit p - fst v)%Z) in *.
    assert (ha : enc p ai a).
    { destruct hv as (_ & vl & vu). unfold enc, ai; cbn [fst snd]. rewrite !minus_IZR. change (IZR (unit p)) with (U p). split; [lia|]. unfold a. split; lra. }
    assert (a0 : 0 < a). { apply IZR_lt in k1. destruct ha as (_ & l & _). unfold ai in l at 1; cbn [fst] in l. apply Rmult_lt_reg_r with (U p); lra. }
    assert (ab : a * exp (m * Q2R t - m ^ 2 / 2) <= al * g).
    { pose proof (times_ok p p0 _ _ _ _ ha he) as (_ & _ & l). pose proof (times_ok p p0 _ _ _ _ hal hg) as (_ & l' & _). apply Rmult_le_reg_r with (U p); lra. }
    pose proof (final_ok rt a ai t n e under bl hr ha a0 he gm hu k3 (al * g) s ab hs) as f.
    assert (f' : at_most (fun x => phi x - al * sample s x) (1 - bl)).
    { apply (at_most_reflected s (difference s a (al * g))); [|exact f]. intros x. unfold difference, sample, a.
      replace (s - x - s) with (- x) by ring. rewrite phi_even, <- (phi_even (x - s)). replace (- (x - s)) with (s - x) by ring. ring. }
    now apply of_at_most in f'.
- destruct (Z.leb_spec (snd ali) (fst ogi)) as [q|q].
  + apply Z.leb_le, IZR_le in k. rewrite mult_IZR in k. apply IZR_le in q. destruct hal as (_ & l & u), hog as (_ & l' & _).
    apply (low_kink g s g0 al (1 - bl)).
    * apply Rmult_le_reg_r with (U p); lra.
    * assert (bl <= al); [|lra]. apply Rmult_le_reg_r with (IZR M * U p); [now apply Rmult_lt_0_compat|].
      assert (IZR (fst ali) * IZR M <= al * U p * IZR M) by (apply Rmult_le_compat_r; lra). lra.
  + rewrite !andb_true_iff in k. destruct k as [k2 k3]. apply Z.leb_le, IZR_le in k2. rewrite minus_IZR in k2.
    assert (ab : g * exp (m * Q2R t - m ^ 2 / 2) <= al - (1 - g)).
    { pose proof (times_ok p p0 _ _ _ _ hg he) as (_ & _ & l). destruct hal as (_ & l1 & _), hog as (_ & _ & l2). apply Rmult_le_reg_r with (U p); lra. }
    pose proof (final_ok rt g gi t n e under bl hr hg (proj1 g0) he gm hu k3 _ s ab hs) as f. apply of_at_most in f.
    revert f. apply (ub_le line); [|lra]. intros x. right. f_equal. unfold difference, sample. ring.
Qed.

Lemma rising_app l1 : forall l, rising (l1 ++ l) = true -> rising l = true.
Proof.
induction l1 as [|x l1 ih]; intros l r; [easy|]. apply ih. cbn [app rising] in r. destruct (l1 ++ l); [easy|]. now apply andb_true_iff in r as [_ r].
Qed.
Lemma scan_right rt e ks : enc p rt (/ sqrt (2 * PI)) -> enc p e (exp (- D0)) ->
  forall l1 hs, rising (l1 ++ ks) = true -> forallb (fun k => 0 <=? snd k)%Z ks = true ->
  scan back c h rt (/ sigma c) (total l1) ks (tails h e ks) hs = true -> List.Forall (fun k => at_kink (fst k) (1 - below M D0 (fst k) (l1 ++ ks))) ks.
Proof.
intros hr he. induction ks as [|[i a] l ih]; intros l1 hs r nn sc; [constructor|].
destruct (tails_ok e he _ nn (rising_app _ _ r) i a l eq_refl) as (t & et & ht). rewrite et in sc. destruct hs as [|x hs]; [discriminate|].
cbn [scan] in sc. apply andb_true_iff in sc as [k sc]. constructor.
- cbn [fst]. apply (kink_right rt i x _ _ hr) with (2 := k). rewrite below_split by easy. rewrite plus_IZR, mult_IZR, plus_IZR. change (IZR (unit p)) with (U p).
  pose proof Mr. replace ((IZR (total l1) + IZR a + tl i l) / IZR M * IZR M * U p) with ((IZR (total l1) + IZR a + tl i l) * U p) by (field; lra). lra.
- replace (l1 ++ (i, a) :: l) with ((l1 ++ [(i, a)]) ++ l) by (rewrite <- app_assoc; easy). apply (ih _ hs).
  + rewrite <- app_assoc. exact r.
  + cbn [forallb] in nn. now apply andb_true_iff in nn as [_ nn].
  + rewrite total_app. cbn [total]. now rewrite Z.add_0_r.
Qed.

Definition the_class : class := if back then without_record g m else with_record g m.

Theorem chain_right : accepts_chain mul back c h = true -> forall t, runs the_class (eq Ret) (N.to_nat (steps c)) t -> delta_le t 1 (exp (Q2R (eps c))) (Q2R (delta c)).
Proof.
unfold accepts_chain. cbv zeta. rewrite !andb_true_iff. intros [[[[[[[[[[[[_ _] _] o1] o2] o3] o4] o5] o6] o7] o8] o9] o10]. pose proof Up as u0.
rewrite (check_s_is mul (bits h) M (shares h) (start h) (leaf h) mul_is b0 eq_refl) in o10.
apply Z.leb_le in o5, o6, o7, o8, o9. apply IZR_le in o7, o8, o9.
assert (hD : forall q, enc p (expo h q) (exp (Q2R q))) by apply expo_ok.
assert (key : DomN the_class 1 (mu M D0 0 (start h) (leaf h))).
{ apply one_step. intros X pp qq cl.
  assert (sr : List.Forall (fun k => at_kink (fst k) (1 - below M D0 (fst k) (sparse (start h) (leaf h)))) (sparse (start h) (leaf h))).
  { apply (scan_right (root_low p, root_high p) (expo h (- grid h)) _ (root_ok p p0) ltac:(pose proof (hD (- grid h)%Q) as x; rewrite Q2R_opp in x; exact x) nil (hints h)); auto. }
  assert (sp : forall s x, 0 <= sample s x) by (intros s x; exact (P_pos g s g0 x)).
  unfold the_class in cl. unfold at_kink in sr. destruct back; destruct cl as [s hs]; apply (leaf_dominated M D0 D0p line _ _ _ _ (sparse (start h) (leaf h))); auto; try (intros x; left; apply phi_pos); try (exact (sp s)).
  - apply (back_low g s). lra.
  - revert sr. apply List.Forall_impl. intros k hk. exact (hk s hs).
  - apply (low_kink g s g0); lra.
  - revert sr. apply List.Forall_impl. intros k hk. exact (hk s hs). }
apply (check_is_right M (shares h) (start h) (leaf h) D0 the_class Mp ltac:(lra)) with (plan := plan h) (lv := lv h) (i := fi h) (rho := rho h) (w0 := w0 h) (least := least h); auto.
- intros l s es. exact (shares_right (shares h) 0 o1 l s es).
- pose proof (hD (- gap_at h (lv h))%Q) as (_ & l & _). rewrite Q2R_opp, gap_is in l. rewrite !mult_IZR, top_is in o7. change (IZR (unit p)) with (U p) in o7.
  apply Rmult_le_reg_r with (U p); [easy|]. pose proof W_pos. apply Rle_trans with (1 := o7). rewrite Rmult_assoc. apply Rmult_le_compat_l; lra.
- pose proof (hD (eps c - inject_Z (fi h) * gap_at h (lv h))%Q) as (_ & l & _). rewrite Q2R_minus, Q2R_mult, Q2R_Z, gap_is in l. rewrite !mult_IZR, top_is in o8. change (IZR (unit p)) with (U p) in o8.
  apply Rmult_le_reg_r with (U p); [easy|]. pose proof W_pos. apply Rle_trans with (1 := o8). rewrite Rmult_assoc. apply Rmult_le_compat_l; lra.
- rewrite !mult_IZR, minus_IZR, top_is in o9. assert (dp : 0 < IZR (Zpos (Qden (delta c)))) by (apply IZR_lt; lia).
  apply Rmult_le_reg_r with (IZR (Zpos (Qden (delta c)))); [easy|]. apply Rle_trans with (2 := o9). right. unfold Q2R. field. lra.
Qed.
End Right.

(** What is accepted is true. *)
Theorem accepts_is_right mul : (forall l m, mul l m = conv l m) -> forall c remove add, accepts mul c remove add = true -> holds c.
Proof.
intros mul_is c remove add. unfold accepts. rewrite !andb_true_iff, !Z.ltb_lt. intros [[[[r0 r1] s0] c1] c2].
assert (g0 : 0 < Q2R (rate c) < 1).
{ unfold Q2R. assert (d : 0 < IZR (Zpos (Qden (rate c)))) by (apply IZR_lt; lia). apply IZR_lt in r0, r1.
  split; [apply Rmult_lt_0_compat; [easy|now apply Rinv_0_lt_compat]|]. apply Rmult_lt_reg_r with (IZR (Zpos (Qden (rate c)))); [easy|]. field_simplify; lra. }
assert (sp : 0 < Q2R (sigma c)).
{ unfold Q2R. apply IZR_lt in s0. apply Rmult_lt_0_compat; [easy|]. apply Rinv_0_lt_compat, IZR_lt. lia. }
assert (inv : Q2R (/ sigma c) = / Q2R (sigma c)).
{ apply Q2R_inv. intros e. apply Qeq_eqR in e. replace (Q2R 0) with 0 in e by (unfold Q2R; simpl; field). lra. }
assert (m0 : 0 < / Q2R (sigma c)) by now apply Rinv_0_lt_compat.
assert (og : (0 <= Qnum (1 - rate c))%Z) by (clear -r0 r1; destruct (rate c) as [a b]; unfold Qminus, Qplus, Qopp; cbn [Qnum Qden] in *; lia).
assert (pre : forall b h, accepts_chain mul b c h = true -> (0 <= prec h)%Z /\ (0 <= bits h)%Z /\ 0 < Q2R (grid h)).
{ intros b h a. unfold accepts_chain in a. cbv zeta in a. rewrite !andb_true_iff in a. destruct a as [[[[[[[[[[[[a1 a2] a3] _] _] _] _] _] _] _] _] _] _].
  apply Z.leb_le in a1, a2. apply Z.ltb_lt, IZR_lt in a3. repeat split; try easy. apply Rmult_lt_0_compat; [easy|]. apply Rinv_0_lt_compat, IZR_lt. lia. }
intros t [r|r].
- destruct (pre _ _ c1) as (p1 & p2 & p3). exact (chain_right mul mul_is false c remove p1 p2 p3 g0 m0 inv ltac:(lia) og c1 t r).
- destruct (pre _ _ c2) as (p1 & p2 & p3). exact (chain_right mul mul_is true c add p1 p2 p3 g0 m0 inv ltac:(lia) og c2 t r).
Qed.

(** * What it means *)

Lemma delta_le_of t a b d : delta_le t a b d ->
  match t with Ret => Rmax 0 (a - b) <= d | Node X p q next => exists f, (forall x, delta_le (next x) (a * p x) (b * q x) (f x)) /\ Ub f d end.
Proof. intros []; [easy|]. eexists. split; eassumption. Qed.

(** Of one pair it bounds every integral of max(0, p − b·q), so it is not less than the δ that everybody means. *)
Theorem one_pair (p q : R -> R) b d : delta_le (Node line p q (fun _ => Ret)) 1 b d -> at_most (fun x => p x - b * q x) d \/
  exists u v, u <= v /\ ~ ex_RInt (fun x => Rmax 0 (p x - b * q x)) u v.
Proof.
intros h. apply delta_le_of in h as (f & hf & (g & hg & hi)).
destruct (Classical_Prop.classic (exists u v, u <= v /\ ~ ex_RInt (fun x => Rmax 0 (p x - b * q x)) u v)) as [n|n]; [now right|left].
intros u v uv. assert (ex : ex_RInt (fun x => Rmax 0 (p x - b * q x)) u v).
{ apply Classical_Prop.NNPP. intros k. apply n. now exists u, v. }
destruct ex as [I i]. exists I. split; [easy|]. destruct (hi u v uv) as (J & j & le). apply Rle_trans with J; [|easy].
apply (is_RInt_le (fun x => Rmax 0 (p x - b * q x)) g u v); auto. intros x _. destruct (hg x) as [l _]. apply Rle_trans with (2 := l).
pose proof (delta_le_of _ _ _ _ (hf x)) as k. simpl in k. now rewrite Rmult_1_l in k.
Qed.
