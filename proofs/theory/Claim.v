(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(** Claims about compositions, what they say, and a checker of certificates that is right. *)
From Coq Require Import Reals Lra Lia List ZArith Bool.
From Dpverify Require Import Numbers.
From Coquelicot Require Import Coquelicot.
From Dpverify Require Import Density Composition Vector Leaf Series Fixed Normal Shift Program Product Part Basic.
From Dpverify Require Cell.
From Coq Require Import QArith Qreals.
Import ListNotations.
Local Open Scope R_scope.

(** * What is claimed *)

(** Parts, each so many times; in the directions, δ(eps) ≤ delta. *)
Record claim := { parts : list (part * N); directions : list direction; eps : Q; delta : Q }.

(** Whatever the mechanisms are, in whatever order, each chosen with all outputs before in view. *)
Definition holds (c : claim) : Prop :=
  forall d, In d (directions c) -> forall t, runs (map (fun x => (directed d (fst x), snd x)) (parts c)) t ->
    delta_le t 1 (exp (Q2R (eps c))) (Q2R (delta c)).

(** * The checker *)

(** Masses in units of 2^−bits from the index start on, on a grid 2^at times the finest; of Gaussians, a number that
  is at least the largest shift, and a hint for each mass
    that is not 0; of discrete ones, up to where they are summed. *)
Record leaf := { at_level : nat; start : Z; values : list Z; largest : Q; hints : list (Q * nat) }.
(** The evidence for one direction: vectors, or one profile of a part that is there once, or greatest losses of the
  parts, but for some mass, that add up. *)
Inductive chain :=
| Grid (prec bits : Z) (grid : Q) (leaves : list leaf) (plan : list op)
| Profile (prec : Z) (largest : Q) (hint : Q * nat)
| Losses (of_parts : list (Q * Q)).

Section Program.
Variable T : numbers.
Variables (d : direction) (c : claim).

Section OnGrid.
Variables (p : precision) (b : Z) (grid : Q).
Let M := (2 ^ b)%Z.
Let one := unit p.
Definition gap (l : nat) : Q := (grid * inject_Z (2 ^ Z.of_nat l))%Q.

(** For every kink i, 2^p·Σ_{j > i} m_j·e^{(i − j)Δ} or more. *)
Fixpoint power_of (e : Z * Z) (n : nat) : Z * Z := match n with O => whole p 1 | S n' => times p e (power_of e n') end.
Fixpoint tails (e : Z * Z) (ks : list (Z * Z)) : list Z :=
  match ks with
  | nil => nil
  | (i, a) :: l => let ts := tails e l in
      (match l, ts with (j, b) :: _, t :: _ => up p ((b * one + t) * snd (power_of e (Z.to_nat (j - i)))) | _, _ =>
        0%Z end) :: ts
  end.
(** At each kink, the profile is at most what the masses are to it. *)
Fixpoint scan (f : Q -> Q * nat -> Z) (step : Q) (before : Z) (ks : list (Z * Z)) (ts : list Z) (hs : list (Q * nat))
  : bool :=
  match ks, ts with
  | nil, _ => true
  | (i, a) :: ks', t :: ts' => let h := hd (0%Q, O) hs in
      (f (step * inject_Z i)%Q h * M + ((before + a) * one + t) <=? M * one)%Z && scan f step (before + a)
        ks' ts' (tl hs)
  | _, _ => false
  end.
Definition leaf_ok (a : part) (l : leaf) : bool :=
  let ks := sparse (start l) (values l) in
  match profile p d a (largest l) with
  | Some f => rising ks && nonneg (values l) && (sum (values l) <=? M)%Z && scan f (gap (at_level l))
    0 ks (tails (expo p (- gap (at_level l))) ks) (hints l)
  | None => false
  end.
Fixpoint leaves_ok (ps : list (part * N)) (ls : list leaf) : bool :=
  match ps, ls with nil, nil => true | (a, _) :: ps', l :: ls' => leaf_ok a l && leaves_ok ps' ls' | _, _ => false end.
Definition vec_of (l : leaf) : vec := V (at_level l) nil (start l) (values l).
Definition lower_share (l : nat) : Z := (top * one / (one + snd (expo p (gap l))))%Z.
Definition ratio (l : nat) : Z := (top * fst (expo p (- gap l)) / one)%Z.
Definition weight_at (l : nat) (i : Z) : Z := (top * fst (expo p (eps c - inject_Z i * gap l)) / one)%Z.
Definition least : Z := share (top * M * M * (Zpos (Qden (delta c)) - Qnum (delta c))) (Zpos (Qden (delta c))).
Definition on_grid (ls : list leaf) (plan : list op) : bool :=
  (0 <=? p)%Z && (0 <=? b)%Z && (0 <? Qnum grid)%Z && leaves_ok (parts c) ls
  && check_s T (product T) b M lower_share (map vec_of ls) plan (map snd (parts c)) ratio weight_at least.
End OnGrid.

Definition accepts_chain (h : chain) : bool :=
  match h with
  | Grid p b grid ls plan => on_grid (at_precision T p) b grid ls plan
  | Profile p m hint =>
      match parts c with
      | [(a, 1%N)] => (0 <=? p)%Z && match profile (at_precision T p) d a m with Some f =>
        (f (eps c) hint * Zpos (Qden (delta c)) <=? Qnum (delta c) * 2 ^ p)%Z | None => false end
      | _ => false
      end
  | Losses ls => basic_ok (parts c) ls (eps c) (delta c)
  end.
End Program.

Fixpoint accepts_all T (c : claim) (ds : list direction) (hs : list chain) : bool :=
  match ds, hs with nil, nil => true | d :: ds', h :: hs' => accepts_chain T d c h && accepts_all T c ds' hs' | _,
    _ => false end.
Definition accepts T (c : claim) (hs : list chain) : bool := accepts_all T c (directions c) hs.

(** * Why it is right *)

Lemma Q2R_Z z : Q2R (inject_Z z) = IZR z.
Proof. unfold Q2R. simpl. field. Qed.
Lemma directed_pairs d a : directed d a = match d with Remove => pairs a | Add => flipped (pairs a) end.
Proof. easy. Qed.

Section Right.
Variables (d : direction) (c : claim) (p : precision) (b : Z) (grid : Q).
Notation M := (2 ^ b)%Z.
Hypothesis p0 : (0 <= p)%Z.
Hypothesis b0 : (0 <= b)%Z.
Let D0 := Q2R grid.
Hypothesis D0p : 0 < D0.
Notation Un := (Fixed.U p).
Lemma Mp : (0 < M)%Z. Proof. apply Z.pow_pos_nonneg; lia. Qed.
Lemma Mr : 0 < IZR M. Proof. apply IZR_lt, Mp. Qed.
Lemma top_is : IZR top = W. Proof. reflexivity. Qed.
Lemma one_pos : (0 < unit p)%Z. Proof. apply lt_IZR. now apply U_pos. Qed.
Lemma gap_is l : Q2R (gap grid l) = D D0 l.
Proof. unfold gap, D. rewrite Q2R_mult, Q2R_Z. fold D0. f_equal. rewrite <- pow_IZR. reflexivity. Qed.
Let ex q : enc p (expo p q) (exp (Q2R q)) := expo_ok p p0 q.

Lemma share_right l : (0 <= lower_share p grid l <= 2 ^ 128)%Z /\ IZR (lower_share p grid l) * (1 + exp (D D0 l)) <= W.
Proof.
destruct (ex (gap grid l)) as (e0 & el & eu). rewrite gap_is in *. pose proof (U_pos p p0) as u0.
pose proof one_pos as o0. pose proof (exp_pos (D D0 l)) as x0.
unfold lower_share. set (s := snd (expo p (gap grid l))) in *. assert (s0 : (0 <= s)%Z) by (apply le_IZR;
  assert (0 < exp (D D0 l) * Un) by (now apply Rmult_lt_0_compat); lra).
assert (t0 : (0 <= top)%Z) by easy. set (q := (top * unit p / (unit p + s))%Z).
assert (q0 : (0 <= q)%Z) by (apply Z.div_pos; [apply Z.mul_nonneg_nonneg; lia|lia]). split; [split; [easy|]|].
- change (2 ^ 128)%Z with top. apply Z.div_le_upper_bound; [lia|]. nia.
- pose proof (Z.mul_div_le (top * unit p) (unit p + s) ltac:(lia)) as k. fold q in k. apply IZR_le in k, q0.
  rewrite !mult_IZR, plus_IZR, top_is in k. change (IZR (unit p)) with Un in k.
  apply Rmult_le_reg_r with Un; [easy|]. apply Rle_trans with (2 := k).
  replace (IZR q * (1 + exp (D D0 l)) * Un) with ((Un + exp (D D0 l) * Un) * IZR q) by ring.
  apply Rmult_le_compat_r; lra.
Qed.
Lemma lower_right q x : exp (Q2R q) = x -> (0 <= top * fst (expo p q) / unit p)%Z /\
  IZR (top * fst (expo p q) / unit p) <= W * x.
Proof.
intros <-. destruct (ex q) as (e0 & el & _). pose proof (U_pos p p0) as u0. pose proof one_pos as o0.
assert (t0 : (0 <= top)%Z) by easy.
split; [apply Z.div_pos; [apply Z.mul_nonneg_nonneg|]; lia|].
pose proof (Z.mul_div_le (top * fst (expo p q)) (unit p) o0) as k. apply IZR_le in k. rewrite !mult_IZR, top_is in k.
change (IZR (unit p)) with Un in k.
pose proof W_pos. apply Rmult_le_reg_r with Un; [easy|]. rewrite Rmult_comm. apply Rle_trans with (1 := k).
rewrite Rmult_assoc. apply Rmult_le_compat_l; lra.
Qed.

(** ** Sums below a kink *)
Section Level.
Variable lv : nat.
Let g := D D0 lv.
Lemma g_pos : 0 < g. Proof. apply Rmult_lt_0_compat; [exact D0p|]. apply pow_lt. lra. Qed.
Notation below := (below M D0 lv).
Fixpoint tl_sum (i : Z) (l : list (Z * Z)) : R := match l with nil => 0 | (j, b) :: l' =>
  IZR b * exp (IZR (i - j) * g) + tl_sum i l' end.
Fixpoint all (l : list (Z * Z)) : Z := match l with nil => 0 | (j, b) :: l' => b + all l' end.
Lemma tl_shift i j l : tl_sum i l = exp (IZR (i - j) * g) * tl_sum j l.
Proof.
induction l as [|[k m] l ih]; cbn [tl_sum]; [ring|]. rewrite ih, Rmult_plus_distr_l. f_equal.
replace (IZR (i - k) * g) with (IZR (i - j) * g + IZR (j - k) * g) by (rewrite !minus_IZR; ring). rewrite exp_plus.
ring.
Qed.
Lemma below_app i l l' : below i (l ++ l') = below i l + below i l'.
Proof. induction l as [|[k m] l ih]; cbn [app Leaf.below]; [ring|]. rewrite ih. ring. Qed.
Lemma below_before i l : (forall y, In y l -> (fst y <= i)%Z) -> below i l = IZR (all l) / IZR M.
Proof.
pose proof Mr. intros k. induction l as [|[j m] l ih]; cbn [Leaf.below all]; [field; lra|].
rewrite ih by (intros; apply k; now right).
pose proof (k (j, m) (or_introl eq_refl)) as hj. simpl in hj. apply Z.leb_le in hj. rewrite hj, plus_IZR. field. lra.
Qed.
Lemma below_after i l : (forall y, In y l -> (i < fst y)%Z) -> below i l = tl_sum i l / IZR M.
Proof.
pose proof Mr. intros k. induction l as [|[j m] l ih]; cbn [Leaf.below tl_sum]; [field; lra|].
rewrite ih by (intros; apply k; now right).
pose proof (k (j, m) (or_introl eq_refl)) as hj. simpl in hj. destruct (Z.leb_spec j i); [lia|]. unfold g. field. lra.
Qed.
Lemma all_app l l' : all (l ++ l') = (all l + all l')%Z.
Proof. induction l as [|[j m] l ih]; cbn [app all]; [easy|]. rewrite ih. ring. Qed.
Lemma below_split l1 i a l2 : rising (l1 ++ (i, a) :: l2) = true ->
  below i (l1 ++ (i, a) :: l2) = (IZR (all l1) + IZR a + tl_sum i l2) / IZR M.
Proof.
pose proof Mr. intros r. replace (l1 ++ (i, a) :: l2) with ((l1 ++ [(i, a)]) ++ l2) by (rewrite <- app_assoc; easy).
rewrite below_app, below_before, below_after.
- rewrite all_app. cbn [all]. rewrite !plus_IZR. field. lra.
- intros y hy. now apply (rising_tail l1 l2 (i, a)).
- intros y hy. apply in_app_or in hy as [hy|[<-|[]]]; [|simpl; lia]. apply in_split in hy as (l3 & l4 & ->).
  rewrite <- app_assoc in r. cbn [app] in r.
  pose proof (rising_tail l3 (l4 ++ (i, a) :: l2) y r (i, a) ltac:(apply in_or_app; right; now left)). simpl in *. lia.
Qed.
Lemma power_ok e x : enc p e x -> forall n, enc p (power_of p e n) (x ^ n).
Proof. intros he. induction n as [|n ih]; cbn [power_of pow]; [now apply (whole_ok p p0 1)|]. now apply times_ok. Qed.
Lemma tl_ge0 i l : forallb (fun k => 0 <=? snd k)%Z l = true -> 0 <= tl_sum i l.
Proof.
induction l as [|[j m] l ih]; cbn [tl_sum forallb]; [lra|]. rewrite andb_true_iff, Z.leb_le. intros [b1 k].
specialize (ih k). apply IZR_le in b1. simpl in b1.
pose proof (exp_pos (IZR (i - j) * g)). assert (0 <= IZR m * exp (IZR (i - j) * g)) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma tails_ok e : enc p e (exp (- g)) -> forall ks, forallb (fun k => 0 <=? snd k)%Z ks = true -> rising ks = true ->
  forall i a l, ks = (i, a) :: l -> exists t, tails p e ks = t :: tails p e l /\ tl_sum i l * Un <= IZR t.
Proof.
intros he ks nn r i a l ->. revert i a nn r. pose proof (U_pos p p0) as u0.
induction l as [|[j m] l ih]; intros i a nn r.
- exists 0%Z. split; [easy|]. cbn [tl_sum]. lra.
- cbn [forallb] in nn. apply andb_true_iff in nn as [_ nn]. destruct (ih j m nn) as (t & et & ht).
  { cbn [rising] in r. now apply andb_true_iff in r as [_ r]. }
  cbn [rising fst] in r. apply andb_true_iff in r as [ij _]. apply Z.ltb_lt in ij.
  set (n := Z.to_nat (j - i)). exists (up p ((m * unit p + t) * snd (power_of p e n)))%Z. split.
  { change (tails p e ((i, a) :: (j, m) :: l))
      with ((match tails p e ((j, m) :: l) with t :: _ => up p ((m * unit p + t) * snd (power_of p e n)) | _ =>
      0%Z end) :: tails p e ((j, m) :: l)). now rewrite et. }
  cbn [tl_sum]. rewrite (tl_shift i j l). pose proof (power_ok e _ he n) as pw.
  assert (en : exp (- g) ^ n = exp (IZR (i - j) * g)).
  { rewrite <- (Rpower_pow n) by apply exp_pos. unfold Rpower. rewrite ln_exp. f_equal. unfold n.
    rewrite INR_IZR_INZ, Z2Nat.id by lia. rewrite !minus_IZR. ring. }
  rewrite en in pw. destruct pw as (q0 & _ & qu). cbn [forallb snd] in nn. apply andb_true_iff in nn as [bz nn].
  apply Z.leb_le, IZR_le in bz.
  pose proof (tl_ge0 j l nn) as tj. set (x := exp (IZR (i - j) * g)) in *. assert (x0 : 0 < x) by apply exp_pos.
  apply Rmult_le_reg_r with Un; [easy|]. apply Rle_trans with (2 := up_ge p p0 _).
  rewrite mult_IZR, plus_IZR, mult_IZR. change (IZR (unit p)) with Un.
  replace ((IZR m * x + x * tl_sum j l) * Un * Un) with (((IZR m + tl_sum j l) * Un) * (x * Un)) by ring.
  apply Rmult_le_compat; [apply Rmult_le_pos; lra|apply Rmult_le_pos; lra|lra|easy].
Qed.
Lemma rising_app l1 : forall l, rising (l1 ++ l) = true -> rising l = true.
Proof.
induction l1 as [|x l1 ih]; intros l r; [easy|]. apply ih. cbn [app rising] in r. destruct (l1 ++ l); [easy|].
now apply andb_true_iff in r as [_ r].
Qed.

(** ** Kinks *)
Section Pair.
Variables (X : space) (P Q' : X -> R) (f : Q -> Q * nat -> Z).
Hypothesis fb : forall x h, Ub (fun z => Rmax 0 (P z - exp (Q2R x) * Q' z)) (IZR (f x h) / Un).
Definition at_kink (i : Z) (y : R) : Prop := Ub (fun z => Rmax 0 (P z - exp (IZR i * g) * Q' z)) y.
Lemma scan_right e ks : enc p e (exp (- g)) ->
  forall l1 hs, rising (l1 ++ ks) = true -> forallb (fun k => 0 <=? snd k)%Z ks = true ->
  scan p b f (gap grid lv) (all l1) ks (tails p e ks) hs = true ->
    List.Forall (fun k => at_kink (fst k) (1 - below (fst k) (l1 ++ ks))) ks.
Proof.
intros he. pose proof (U_pos p p0) as u0. pose proof Mr as mr. induction ks as [|[i a] l ih]; intros l1 hs r nn sc;
  [constructor|].
destruct (tails_ok e he _ nn (rising_app _ _ r) i a l eq_refl) as (t & et & ht). rewrite et in sc.
cbn [scan] in sc. apply andb_true_iff in sc as [k sc]. constructor.
- cbn [fst]. pose proof (fb (gap grid lv * inject_Z i)%Q (hd (0%Q, O) hs)) as h. rewrite Q2R_mult, Q2R_Z, gap_is in h.
  unfold at_kink. replace (IZR i * g) with (D D0 lv * IZR i) by (unfold g; ring).
  revert h. apply ub_le; [intros; lra|]. apply Z.leb_le, IZR_le in k.
  rewrite plus_IZR, !mult_IZR, plus_IZR, mult_IZR, plus_IZR in k. change (IZR (unit p)) with Un in k.
  rewrite below_split by easy. apply Rmult_le_reg_r with (IZR M * Un); [now apply Rmult_lt_0_compat|].
  set (F := IZR (f (gap grid lv * inject_Z i)%Q (hd (0%Q, O) hs))) in *.
  replace (F / Un * (IZR M * Un)) with (F * IZR M) by (field; lra).
  replace ((1 - (IZR (all l1) + IZR a + tl_sum i l) / IZR M) * (IZR M * Un))
    with (IZR M * Un - (IZR (all l1) + IZR a) * Un - tl_sum i l * Un) by (field; lra). lra.
- replace (l1 ++ (i, a) :: l) with ((l1 ++ [(i, a)]) ++ l) by (rewrite <- app_assoc; easy). apply (ih _ (tl hs)).
  + rewrite <- app_assoc. exact r.
  + cbn [forallb] in nn. now apply andb_true_iff in nn as [_ nn].
  + rewrite all_app. cbn [all]. now rewrite Z.add_0_r.
Qed.
End Pair.
End Level.

Lemma sparse_nonneg l : forall i, nonneg l = true -> forallb (fun k => 0 <=? snd k)%Z (sparse i l) = true.
Proof.
induction l as [|a l ih]; intros i h; [easy|]. apply nonneg_cons in h as [a0 h]. cbn [sparse].
destruct (a =? 0)%Z; [auto|]. cbn [forallb snd]. apply andb_true_iff. split; [now apply Z.leb_le|auto].
Qed.
Lemma leaf_right a l : leaf_ok d p b grid a l = true ->
  leaf_of M D0 (vec_of l) (mu M D0 (at_level l) (start l) (values l)) /\
    bounds (mu M D0 (at_level l) (start l) (values l)) (directed d a).
Proof.
unfold leaf_ok. destruct (profile p d a (largest l)) as [f|] eqn:e; [|discriminate]. rewrite !andb_true_iff.
intros [[[r nn] s] sc]. apply Z.leb_le in s.
split; [split; [apply ok_mu; auto using Mp|apply le_same; easy]|].
intros X P Q' cl. destruct (profile_right p p0 d a _ f e X P Q' cl) as (pp & qq & tot & fb).
apply (leaf_dominated M D0 (at_level l) D0p X P Q' _ _ (sparse (start l) (values l))); auto.
apply (scan_right (at_level l) X P Q' f fb (expo p (- gap grid (at_level l)))) with (l1 := nil) (hs := hints l); auto.
- pose proof (ex (- gap grid (at_level l))%Q) as x. now rewrite Q2R_opp, gap_is in x.
- now apply sparse_nonneg.
Qed.
Lemma leaves_right ps : forall ls, leaves_ok d p b grid ps ls = true ->
  exists ms, Forall2 (leaf_of M D0) (map vec_of ls) ms /\
  Forall2 bounds ms (map fst (map (fun x => (directed d (fst x), snd x)) ps)).
Proof.
induction ps as [|[a n] ps ih]; intros [|l ls] h; try discriminate; [exists nil; split; constructor|].
cbn [leaves_ok] in h. apply andb_true_iff in h as [h1 h2].
destruct (leaf_right a l h1) as [k1 k2]. destruct (ih ls h2) as (ms & m1 & m2). eexists (_ :: ms). cbn [map fst].
split; constructor; eauto.
Qed.

Theorem on_grid_right T ls plan : on_grid T d c p b grid ls plan = true ->
  forall t, runs (map (fun x => (covered (directed d (fst x)), snd x)) (parts c)) t ->
    delta_le t 1 (exp (Q2R (eps c))) (Q2R (delta c)).
Proof.
unfold on_grid. rewrite !andb_true_iff. intros [[_ lo] ch].
rewrite (check_s_is T (product T) b M _ _ (product_is T) b0 eq_refl) in ch.
destruct (leaves_right _ _ lo) as (ms & m1 & m2).
assert (m3 : Forall2 bounds ms (map fst (map (fun x => (covered (directed d (fst x)), snd x)) (parts c)))).
{ clear - m2. revert m2. generalize ms. induction (parts c) as [|x ps ih]; intros l h; cbn [map fst] in *;
    inversion h; subst; constructor; [now apply bounds_covered|now apply ih]. }
apply (check_is_right M (lower_share p grid) D0 (map vec_of ls) ms Mp ltac:(lra) share_right m1 plan (ratio p grid)
  (weight_at c p grid) (least c b)); auto.
- rewrite map_map. cbn [snd]. exact ch.
- intros l. apply lower_right. now rewrite Q2R_opp, gap_is.
- intros l i. apply lower_right. now rewrite Q2R_minus, Q2R_mult, Q2R_Z, gap_is.
- unfold least. assert (dp : (0 < Zpos (Qden (delta c)))%Z) by lia. eapply Rle_trans; [|apply (share_ge _ _ dp)].
  rewrite !mult_IZR, minus_IZR, top_is. right. unfold Q2R. apply IZR_lt in dp. field. lra.
Qed.
End Right.

Lemma chain_right T : forall d c h, accepts_chain T d c h = true ->
  forall t, runs (map (fun x => (covered (directed d (fst x)), snd x)) (parts c)) t ->
    delta_le t 1 (exp (Q2R (eps c))) (Q2R (delta c)).
Proof.
intros d c [p b grid ls plan|prec m hint|ls] e t r.
- assert (h := e). cbn [accepts_chain] in h. unfold on_grid in h. rewrite !andb_true_iff, !Z.leb_le, Z.ltb_lt in h.
  destruct h as [[[[h1 h2] h3] _] _].
  apply (on_grid_right d c (at_precision T p) b grid h1 h2) with (T := T) (ls := ls) (plan := plan); auto. unfold Q2R.
  apply IZR_lt in h3. apply Rmult_lt_0_compat; [easy|]. apply Rinv_0_lt_compat, IZR_lt. lia.
- cbn [accepts_chain] in e. destruct (parts c) as [|[a [|[n|n|]]] [|]]; try discriminate.
  apply andb_true_iff in e as [p0 e]. apply Z.leb_le in p0.
  set (p := at_precision T prec) in *. change (0 <= p)%Z in p0. change (2 ^ prec)%Z with (unit p) in e.
  destruct (profile p d a m) as [f|] eqn:ef; [|discriminate]. apply Z.leb_le, IZR_le in e. rewrite !mult_IZR in e.
  change (IZR (unit p)) with (Fixed.U p) in e.
  cbn [map fst snd] in r. remember [(covered (directed d a), 1%N)] as l eqn:el.
  destruct r as [l h|l C n l' X P Q' next cl rest].
  { subst l. specialize (h _ _ (or_introl eq_refl)). discriminate. }
  assert (l = nil /\ C = covered (directed d a) /\ n = 0%N /\ l' = nil) as (-> & -> & -> & ->).
  { destruct l as [|x l]; [|destruct l; discriminate]. inversion el. repeat split; auto. lia. }
  assert (fb : Ub (fun z => Rmax 0 (P z - exp (Q2R (eps c)) * Q' z)) (IZR (f (eps c) hint) / Fixed.U p)).
  { destruct cl as [_ cv].
    specialize (cv 1 (exp (Q2R (eps c))) (IZR (f (eps c) hint) / Fixed.U p) ltac:(lra) (Rlt_le _ _ (exp_pos _))).
    eapply (ub_le X); [intros x; right; rewrite <- (Rmult_1_l (P x)) at 1; reflexivity|apply Rle_refl|apply cv].
    intros Y p' q' cl'.
    destruct (profile_right p p0 d a m f ef Y p' q' cl') as (_ & _ & _ & fb). specialize (fb (eps c) hint). revert fb.
    apply ub_le; [intros y; right; now rewrite Rmult_1_l|lra]. }
  apply dl_node with (fun x => Rmax 0 (P x - exp (Q2R (eps c)) * Q' x)).
  + intros x. specialize (rest x). cbn [app] in rest. remember [(covered (directed d a), 0%N)] as l eqn:el2.
    destruct rest as [l h|l C n l' Y P2 Q2 next2 cl2 rest2].
    * constructor. rewrite Rmult_1_l. lra.
    * exfalso. destruct l as [|y l]; [|destruct l; discriminate]. inversion el2. lia.
  + revert fb. apply ub_le; [intros; lra|]. pose proof (U_pos p p0).
    assert (dp : 0 < IZR (Zpos (Qden (delta c)))) by (apply IZR_lt; lia).
    unfold Q2R. apply Rmult_le_reg_r with (Fixed.U p * IZR (Zpos (Qden (delta c)))); [now apply Rmult_lt_0_compat|].
    field_simplify; lra.
- now apply (basic_is_right (parts c) ls (eps c) (delta c) d).
Qed.

(** What is accepted is true, and of all that the parts cover. *)
Definition covers (c : claim) : Prop :=
  forall d, In d (directions c) -> forall t, runs (map (fun x => (covered (directed d (fst x)), snd x)) (parts c))
    t -> delta_le t 1 (exp (Q2R (eps c))) (Q2R (delta c)).
Theorem accepts_covers T c hs : accepts T c hs = true -> covers c.
Proof.
unfold accepts, covers. generalize (directions c). intros ds. revert hs.
induction ds as [|d ds ih]; intros [|h hs] e d' i; try easy. cbn [accepts_all] in e.
apply andb_true_iff in e as [e1 e2]. destruct i as [<-|i]; [now apply (chain_right T d c h)|now apply (ih hs)].
Qed.
Theorem accepts_is_right (T : numbers) c hs : accepts T c hs = true -> holds c.
Proof.
intros e d i t r. apply (accepts_covers T c hs e d i). apply (runs_sub _ _ r). clear.
induction (parts c) as [|[a n] ps ih]; constructor; [|exact ih].
split; [intros X p q; apply covered_in|easy].
Qed.

(** * What it means *)

(** It is never said of nothing: the parts of what is accepted have pairs, and can be run as often as they are there. *)
Lemma can_run (l : list (class * N)) : List.Forall (fun x => exists X p q, fst x X p q) l -> exists t, runs l t.
Proof.
intros h. remember (List.fold_right (fun x n => snd x + n)%N 0%N l) as k eqn:e. revert l h e.
induction k as [|k ih] using N.peano_ind; intros l h e.
- exists Ret. apply r_end. intros C n i. clear h. induction l as [|[D m] l ih]; [easy|].
  cbn [List.fold_right snd] in e. destruct i as [i|i]; [inversion i; subst; lia|apply ih; [lia|easy]].
- assert (s : exists l1 C n l2, l = l1 ++ (C, N.succ n) :: l2).
  { clear h ih. revert k e. induction l as [|[D m] l ih]; intros k e; [cbn in e; lia|].
    cbn [List.fold_right snd] in e. destruct m as [|m] using N.peano_ind.
    - destruct (ih k ltac:(lia)) as (l1 & C & n & l2 & ->). now exists ((D, 0%N) :: l1), C, n, l2.
    - now exists nil, D, m, l. }
  destruct s as (l1 & C & n & l2 & ->). pose proof h as h'. rewrite List.Forall_app in h'. destruct h' as [h1 h2].
  inversion h2 as [|? ? hc h3]; subst. cbn [fst] in hc.
  destruct (ih (l1 ++ (C, n) :: l2)) as (t & r).
  { rewrite List.Forall_app. split; [easy|]. now constructor. }
  { rewrite List.fold_right_app in *. cbn [List.fold_right snd] in *. clear - e. revert e.
    generalize (List.fold_right (fun x n => snd x + n)%N 0%N l2). intros a e.
    assert (z : forall b b', List.fold_right (fun (x : class * N) n => snd x + n)%N (b + b')%N l1 =
      (b + List.fold_right (fun (x : class * N) n => snd x + n)%N b' l1)%N).
    { intros b b'. clear e. induction l1 as [|y l1 ih]; [easy|]. cbn [List.fold_right]. rewrite ih. lia. }
    rewrite !z in *. lia. }
  destruct hc as (X & p & q & cl). exists (Node X p q (fun _ => t)). now apply r_step.
Qed.
Lemma leaves_has d p b grid ps : forall ls, leaves_ok d p b grid ps ls = true ->
  List.Forall (fun x => Cell.has_pairs (fst x)) ps.
Proof.
induction ps as [|[a n] ps ih]; intros [|l ls] h; try discriminate; [constructor|]. cbn [leaves_ok] in h.
apply andb_true_iff in h as [h1 h2]. constructor; [|exact (ih ls h2)].
unfold leaf_ok in h1. destruct (profile p d a (largest l)) as [f|] eqn:e; [|discriminate].
exact (Cell.profile_has p d a _ f e).
Qed.
Lemma chain_has T d c h : accepts_chain T d c h = true -> List.Forall (fun x => Cell.has_pairs (fst x)) (parts c).
Proof.
unfold accepts_chain. destruct h as [p b grid ls plan|p m hint|ls].
- unfold on_grid. rewrite !andb_true_iff. intros [[_ h] _]. exact (leaves_has _ _ _ _ _ _ h).
- destruct (parts c) as [|[a [|[n|n|]]] [|x l]]; try discriminate. destruct (profile _ d a m) as [f|] eqn:e;
    [|now rewrite andb_false_r]. intros _. constructor; [exact (Cell.profile_has _ d a m f e)|constructor].
- unfold basic_ok. destruct (basic (parts c) ls) as [x|] eqn:e; [|discriminate]. intros _. exact (basic_has _ _ _ e).
Qed.
Theorem accepts_runs (T : numbers) c hs : accepts T c hs = true -> forall d, In d (directions c) ->
  exists t, runs (map (fun x => (directed d (fst x), snd x)) (parts c)) t.
Proof.
intros e d i. apply can_run. assert (h : List.Forall (fun x => Cell.has_pairs (fst x)) (parts c)).
{ unfold accepts in e. revert hs e i. generalize (directions c). induction l as [|d' l ih]; intros [|h hs] e i;
    try easy. cbn [accepts_all] in e. apply andb_true_iff in e as [e _]. exact (chain_has T d' c h e). }
rewrite List.Forall_map. revert h. apply List.Forall_impl. intros [a n] (X & P & Q' & cl).
cbn [fst] in *. destruct d; [now exists X, P, Q'|exists X, Q', P; now constructor].
Qed.

(** Of one pair it bounds every integral of max(0, p − b·q), so it is not less than the δ that everybody means. *)
Theorem one_pair (p q : R -> R) b d : delta_le (Node line p q (fun _ => Ret)) 1 b d ->
  at_most (fun x => p x - b * q x) d \/
  exists u v, u <= v /\ ~ ex_RInt (fun x => Rmax 0 (p x - b * q x)) u v.
Proof.
intros h. apply delta_le_of in h as (f & hf & (g & hg & hi)).
destruct (Classical_Prop.classic (exists u v, u <= v /\ ~ ex_RInt (fun x => Rmax 0 (p x - b * q x)) u v)) as [n|n];
  [now right|left].
intros u v uv. assert (ex : ex_RInt (fun x => Rmax 0 (p x - b * q x)) u v).
{ apply Classical_Prop.NNPP. intros k. apply n. now exists u, v. }
destruct ex as [I i]. exists I. split; [easy|]. destruct (hi u v uv) as (J & j & le). apply Rle_trans with J; [|easy].
apply (is_RInt_le (fun x => Rmax 0 (p x - b * q x)) g u v); auto. intros x _. destruct (hg x) as [l _].
apply Rle_trans with (2 := l).
pose proof (delta_le_of _ _ _ _ (hf x)) as k. simpl in k. now rewrite Rmult_1_l in k.
Qed.
