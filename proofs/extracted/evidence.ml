(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(* Evidence for the kernel, from certificates. Nothing here has to be believed: whatever the kernel is given,
  what it shows is so. *)
open Document

let half = Q.of_ints 1 2
let power2 n = if n >= 0 then Q.of_bigint (Z.shift_left Z.one n) else Q.inv (Q.of_bigint (Z.shift_left Z.one (-n)))
let floor_of (x : Q.t) = Z.fdiv x.num x.den

(* About e^x and log y. *)
let exp_of p x = let lo, _ = Kernel.expo (Kernel.at_precision Kernel.integers (Z.of_int p)) (Claim.rational x) in
  Q.make lo (Z.shift_left Z.one p)
let log_of p y =
  let size = Z.numbits y.Q.num - Z.numbits y.Q.den in
  let about = Float.log (Q.to_float (Q.div y (power2 size))) +. (float_of_int size *. Float.log 2.) in
  let step x = Q.add x (Q.sub (Q.mul y (exp_of p (Q.neg x))) Claim.one) in
  let cut x = Q.make (floor_of (Q.mul x (power2 p))) (Z.shift_left Z.one p) in
  cut (step (cut (step (Q.of_float about))))

(* How many terms of the series of the normal distribution leave out less than 2^-bits at z. *)
let terms z bits =
  let rec go n r = if r > -.float_of_int bits && n < 4000 then
    go (n + 1) (r +. Float.log2 (z *. z /. float_of_int ((2 * n) + 3))) else n in
  if z > 40. then 0 else go 0 (3. *. Float.log2 z)

(* A number whose square is not below a square, or not above, and very near. *)
let root side square p =
  let s = Z.shift_left Z.one p in
  let n = Z.sqrt (floor_of (Q.mul square (Q.of_bigint (Z.mul s s)))) in
  let exact = Q.make (Z.sqrt square.Q.num) (Z.sqrt square.Q.den) in
  if Q.equal (Q.mul exact exact) square then exact else Q.make (if side = `Above then Z.succ n else n) s

(* A point a little below the one where the likelihood ratio is e^x, and a number of terms. *)
let threshold add (rate : Q.t) x m p bits =
  let alpha = exp_of p x and rest = Q.sub Claim.one rate in
  let a, b = if add then Q.sub Claim.one (Q.mul alpha rest), Q.mul alpha rate else rate, Q.sub alpha rest in
  if Q.sign a <= 0 || Q.sign b <= 0 then Claim.zero, 0
  else begin
    (* Beyond, the tail is less than a unit: nearer is as good, and has a series that is short. *)
    let far = Q.add m (Q.of_float (Float.round (Float.sqrt (1.4 *. float_of_int p)) +. 1.)) in
    let t = Q.min far (Q.add (Q.div (log_of p (Q.div b a)) m) (Q.mul m half)) in
    let s = min (p - 22) 78 in
    let t = Q.mul (Q.of_bigint (Z.pred (floor_of (Q.mul t (power2 s))))) (power2 (-s)) in
    let z = Q.to_float t in
    t, terms (Float.max (Float.abs z) (Float.abs (z -. Q.to_float m))) bits
  end

(* Up to where discrete noise is summed. *)
let reach (v : Kernel.q) s =
  let n = int_of_float (Float.sqrt (200. *. Float.min (Q.to_float (Q.make v.qnum v.qden)) 1e6)) + 2 + s in
  if 2 * n >= 1000 then reject "discrete noise with too many outcomes" else n
let largest side (f : Claim.factor) p = match f.base with
  | Claim.Normal s -> root side s p
  | Claim.Listed (Kernel.DiscreteGaussian (v, s)) -> Q.of_int (reach v s)
  | _ -> Claim.one

(* Certificates: one line of JSON in the only form that says this. *)
type operation = { op : string; x : int; y : int }
type leaf = { levels : int; index : int list; mass : Z.t list; part : int list; cut : int list option }
type grid = { bits : int; step : Q.t; leaves : leaf list; plan : operation list }
type certificate = { claim : string; verdict : string; chains : (string * grid option) list }

let certificate text =
  let at = ref 0 in
  let ahead w = !at + String.length w <= String.length text && String.sub text !at (String.length w) = w in
  let want w = if ahead w then at := !at + String.length w else reject "not in the only form that says this" in
  let have w = ahead w && (want w; true) in
  let upto f = let b = !at in while !at < String.length text && f text.[!at] do incr at done;
    String.sub text b (!at - b) in
  let integer () =
    let t = upto (fun c -> c = '-' || (c >= '0' && c <= '9')) in
    let n = try Z.of_string_base 10 t with _ -> reject "no number" in
    if Z.to_string n <> t then reject "a number that is written in another way";
    n
  in
  let small most = let n = integer () in if Z.leq (Z.abs n) (Z.of_int most) then Z.to_int n
    else reject "a number out of range" in
  let list item = want "["; let rec go l = let v = item () in if have "," then go (v :: l)
    else (want "]"; List.rev (v :: l)) in if have "]" then [] else go [] in
  let name () = want "\""; let t = upto (fun c -> c <> '"' && c > ' ' && c <= '~' && c <> '\\') in want "\""; t in
  let far = 1 lsl 40 in
  let leaf () =
    want "{\"levels\":"; let levels = small 40 in
    want ",\"index\":"; let index = list (fun () -> small far) in
    let mass = if have ",\"mass\":" then list integer else [] in
    let part = if have ",\"part\":" then list (fun () -> small 65535) else [] in
    let cut = if have ",\"threshold\":" then Some (list (fun () -> small max_int)) else None in
    want "}"; { levels; index; mass; part; cut }
  in
  let operation () =
    want "{\"op\":"; let op = name () in
    let number key = if have (",\"" ^ key ^ "\":") then
      (let n = small max_int in if n = 0 then reject "a 0 that is written"; n) else 0 in
    let x = number "x" in let y = number "y" in want "}"; { op; x; y }
  in
  let chain () =
    want "{\"direction\":"; let d = name () in
    let grid = if have ",\"grid\":{\"bits\":" then begin
      let bits = small 250 in
      want ",\"step\":"; let step = name () in
      want ",\"leaves\":"; let leaves = list leaf in
      want ",\"plan\":"; let plan = list operation in
      want "}";
      let s = Claim.number (Scalar step) "step" in
      if Claim.show s <> step || Q.sign s <= 0 || Q.gt s (Q.of_int 4096) || bits < 16 || List.length plan > 10_000
        then reject "a grid that is not understood";
      Some { bits; step = s; leaves; plan }
    end else None in
    want "}"; (d, grid)
  in
  want "{\"version\":1,\"claim\":"; let claim = name () in
  want ",\"verdict\":"; let verdict = name () in
  want ",\"chains\":"; let chains = list chain in
  want "}\n";
  if !at <> String.length text then reject "something after the end";
  { claim; verdict; chains }

let deepest g = List.fold_left (fun n l -> max n l.levels) 0 g.leaves
let finest g = Q.mul g.step (power2 (-deepest g))
let extremes l = List.fold_left min (List.hd l) l, List.fold_left max (List.hd l) l

(* The steps of a plan, with the first index, the length and the level of each vector on the stack: cuts have to fit,
  and the last step is the grid's. *)
let plan g last =
  let coarser (first, n, level) = let f = first asr 1 in (f, ((first + n) asr 1) - f + 1, level - 1) in
  let rec coarsened k v = if k = 0 then v else coarsened (k - 1) (coarser v) in
  let step (stack, ops) o =
    if o.op <> "leaf" && o.op <> "cut" && (o.x <> 0 || o.y <> 0) then
      reject "a step of the plan with numbers that it does not need";
    if List.length stack > 100 then reject "a plan that cannot be followed";
    match o.op, stack with
    | "leaf", _ ->
        if o.x < 0 || o.x >= List.length g.leaves || o.y < 0 || o.y > (List.nth g.leaves o.x).levels then
          reject "a plan with a leaf that is not there";
        let l = List.nth g.leaves o.x in
        let lo, hi = extremes l.index in
        (coarsened o.y (lo, hi + last - lo + 1, l.levels) :: stack,
          List.rev_append (Kernel.Leaf o.x :: List.init o.y (fun _ -> Kernel.Coarsen)) ops)
    | "dup", v :: _ -> (v :: stack, Kernel.Dup :: ops)
    | "times", (f, n, level) :: (f', n', _) :: rest -> ((f + f', n + n' - 1, level) :: rest, Kernel.Times :: ops)
    | "coarsen", v :: rest -> (coarser v :: rest, Kernel.Coarsen :: ops)
    | "cut", (f, n, level) :: rest ->
        if o.x < 0 || o.y > n || o.x >= o.y || (o.x = 0 && o.y = n) then reject "a cut that does not fit";
        ((f + o.x, o.y - o.x, level) :: rest, Kernel.Cut (o.x, o.y) :: ops)
    | _ -> reject "a plan that cannot be followed"
  in
  let stack, ops = List.fold_left step ([], []) g.plan in
  if List.length stack <> 2 then reject "a plan that leaves %d vectors" (List.length stack);
  if List.exists (fun (_, _, level) -> level <> 0) stack then reject "the last step is not the chain's";
  List.rev ops

let kernel_direction d = if d = "add" then Kernel.Add else Kernel.Remove

(* The chain of the upper side. *)
let chain (c : Claim.t) d g : Kernel.chain =
  if List.length g.leaves <> List.length c.factors then reject "leaves for other parts";
  let most = List.fold_left (fun m l ->
    if l.index = [] || List.length l.mass <> List.length l.index || l.part <> [] || l.cut <> None ||
      List.exists (fun m -> Z.sign m < 1) l.mass then reject "a leaf that is not understood";
    let lo, hi = extremes l.index in
    if hi - lo >= 1 lsl 20 then reject "a vector that is too long";
    Float.max m (Q.to_float (Q.mul g.step (power2 (-l.levels))) *. float_of_int (max hi (-lo)))) 0. g.leaves in
  let p = (2 * g.bits) + 32 + int_of_float (Float.min (3. *. most) 600.) in
  let top = deepest g in
  let leaf (f : Claim.factor) l : Kernel.leaf =
    let unit = Q.mul g.step (power2 (-l.levels)) and start = List.hd l.index in
    let largest = largest `Above f p in
    let rec values at = function
      | (i, m) :: rest -> if i < at then reject "kinks that do not rise" else List.init (i - at) (fun _ -> Z.zero)
        @ (m :: values (i + 1) rest)
      | [] -> []
    in
    let hint i = match f.base with
      | Claim.Normal _ -> let t, k = threshold (d = "add") f.rate (Q.mul unit (Q.of_int i)) largest p (g.bits + 40) in
        (Claim.rational t, k)
      | _ -> (Claim.rational Claim.zero, 0)
    in
    { at_level = top - l.levels; start = Z.of_int start; values = values start (List.combine l.index l.mass);
        largest = Claim.rational largest;
      hints = (match f.base with Claim.Normal _ -> List.map hint l.index | _ -> []) }
  in
  Kernel.Grid (Z.of_int p, Z.of_int g.bits, Claim.rational (finest g), List.map2 leaf c.factors g.leaves, plan g 0)

(* Without a grid, of one copy: its profile at epsilon, or about the best set, with the index 1. *)
let digits (c : Claim.t) = let size = Z.numbits c.delta.Q.num - Z.numbits c.delta.Q.den in
  100 - size + int_of_float (Float.max 0. (2. *. Q.to_float c.epsilon))
let profile (c : Claim.t) d : Kernel.chain =
  let loss (f : Claim.factor) = match f.base, f.guarantee with
    | _, Some (e, m) when Q.sign m = 0 || f.count * Z.numbits m.den <= 1 lsl 17 ->
      Some (Claim.rational e, Claim.rational m)
    | Claim.Double s, _ -> Some (Claim.rational s, Claim.rational Claim.zero)
    | Claim.Listed (Kernel.ClampedLaplace (s, _, true)), _ -> Some (s, Claim.rational Claim.zero)
    | _ -> None in
  let losses = List.filter_map loss c.factors in
  match c.factors with
  | _ when Kernel.basic_ok c.claim.parts losses c.claim.eps c.claim.delta -> Kernel.Losses losses
  | [ f ] when f.count = 1 && Q.to_float c.epsilon < 2000. ->
      let p = digits c in
      let largest = largest `Above f p in
      let t, k = match f.base with Claim.Normal _ -> threshold (d = "add") f.rate c.epsilon largest p p | _ ->
        Claim.zero, 0 in
      Kernel.Profile (Z.of_int p, Claim.rational largest, (Claim.rational t, k))
  | _ -> unknown "of a closed form for it"

(* Of discrete noise, the outcomes that both have, and none beyond. *)
let only_common (f : Claim.factor) cells = match f.base with
  | Claim.Listed (Kernel.DiscreteGaussian (v, s)) ->
      if List.length cells <> (2 * reach v s) + 2 then reject "a leaf that is not understood";
      List.filteri (fun k _ -> k >= s && k <= 2 * reach v s) cells
  | _ -> cells

let refutation (c : Claim.t) d g : Kernel.refutation =
  if List.length g.leaves <> List.length c.factors then reject "leaves for other parts";
  let p = (2 * g.bits) + 32 and top = deepest g in
  let split (f : Claim.factor) l : Kernel.split =
    let n = List.length l.index in
    if n = 0 || List.length l.part <> n || l.mass <> [] || (l.cut <> None) = (match f.base with Claim.Listed _ ->
      true | _ -> false)
       || (match l.cut with Some t -> List.length t <> n | None -> false) || List.exists (fun x -> x < 0) l.part then
         reject "a leaf that is not understood";
    let lo, hi = extremes l.index in
    if hi - lo >= 1 lsl 20 then reject "a vector that is too long";
    let shift = match f.base with Claim.Double s -> s | _ -> largest `Below f p in
    let cell k i part =
      let t = match l.cut with Some t -> Q.mul (Q.of_int (List.nth t k)) (power2 (-24)) | None -> Claim.zero in
      if l.cut <> None && k > 0 && List.nth (Option.get l.cut) k <= List.nth (Option.get l.cut) (k - 1) then
        reject "thresholds that do not rise";
      (* Beyond, the tail is less than a unit: nearer is as good, and needs less. *)
      let far = Q.of_float (Float.round (Float.sqrt (1.4 *. float_of_int p)) +. 1.) in
      let t = match f.base with Claim.Normal _ -> Q.max (Q.neg far) (Q.min (Q.add shift far) t) | _ -> t in
      let z = Q.to_float t in
      let n = match f.base with Claim.Normal _ -> terms (Float.max (Float.abs z) (Float.abs (z -. Q.to_float shift)))
        p | _ -> 0 in
      ((Z.of_int i, Z.of_int part), (Claim.rational t, n))
    in
    { split_level = top - l.levels; split_start = Z.of_int lo; split_size = hi - lo + 2;
        split_shift = Claim.rational shift;
      split_cells = only_common f (List.mapi (fun k (i, part) -> cell k i part) (List.combine l.index l.part)) }
  in
  { against = kernel_direction d; in_prec = Z.of_int p; in_bits = Z.of_int g.bits;
      in_grid = Claim.rational (finest g); in_leaves = List.map2 split c.factors g.leaves;
    in_plan = plan g 1; in_limit = floor_of (Q.div c.epsilon g.step) }

(* Of one copy without a grid: the best set, with the index 1. *)
let best (c : Claim.t) d : Kernel.refutation =
  match c.factors with
  | [ f ] when f.count = 1 && Q.to_float c.epsilon < 2000. ->
      let p = digits c in
      let alpha = exp_of p c.epsilon in
      let cell i t n = ((Z.of_int i, Z.zero), (Claim.rational t, n)) in
      let shift, cells = match f.base with
        | Claim.Normal s ->
            let m = root `Below s p in
            if d = "add" && not f.symmetric then unknown "of a closed form for it";
            let t, n = threshold false f.rate c.epsilon m p p in
            m, [ cell 1 t n ]
        | Claim.Double s ->
            if d = "add" && not f.symmetric then unknown "of a closed form for it";
            let x = Q.div (Q.sub alpha (Q.sub Claim.one f.rate)) f.rate in
            if Q.sign x <= 0 then unknown "of a closed form for it";
            let t = Q.mul (Q.add (log_of p x) s) half in
            s, [ cell 1 (Q.min s (Q.max Claim.zero t)) 0 ]
        | Claim.Listed (Kernel.Finite ws) ->
            let value w = List.fold_left (fun v ((c : Kernel.q), (x : Kernel.q)) ->
              Q.add v (Q.mul (Q.make c.qnum c.qden) (exp_of p (Q.make x.qnum x.qden)))) Claim.zero w in
            let ps = List.map (fun (a, _) -> value a) ws and qs = List.map (fun (_, b) -> value b) ws in
            let total = List.fold_left Q.add Claim.zero in
            let a, b = total ps, total qs in
            Claim.one, List.map2 (fun x y -> let x, y = Q.div x a, Q.div y b in let x, y = if d = "add" then
              y, x else x, y in cell (if Q.gt x (Q.mul alpha y) then 1 else 0) Claim.zero 0) ps qs
        | Claim.Listed (Kernel.DiscreteGaussian (v, s)) ->
            (* The loss at x is (2sx − s²)/2v. *)
            let n = reach v s and size = Q.of_int s in
            let loss x = Q.div (Q.mul size (Q.sub (Q.of_int x) (Q.mul size half))) (Q.make v.qnum v.qden) in
            let above x = if d = "add" then Q.gt (Q.neg (loss x)) c.epsilon else Q.gt (loss x) c.epsilon in
            Q.of_int n, List.init ((2 * n) + 1 - s) (fun k -> cell (if above (k + s - n) then 1 else 0) Claim.zero 0)
        | Claim.Listed (Kernel.ClampedLaplace (s, l, before)) ->
            (* With the record, what the other never has, and small outputs; else large ones. On the line,
              losses are from −s to s. *)
            let value (x : Kernel.q) = Q.make x.qnum x.qden in
            let s = value s and l = value l and add = d = "add" in
            let some = Q.lt c.epsilon s and all = Q.lt c.epsilon (Q.neg s) and start = Q.neg (Q.add s l) in
            let without = if before then start else Q.neg l in
            let atom best = cell (if best then 1 else 0) Claim.zero 0 in
            let at = Q.mul half (Q.sub (if add then c.epsilon else Q.neg c.epsilon) s) in
            Claim.zero, atom (if before then (if add then all else some) else not add) :: atom (add && not before) ::
              (if add then (if some then [ cell 1 (if all then without else at) 0 ] else [])
               else cell 1 start 0 :: (if all then [] else [ cell 0 (if some then at else without) 0 ]))
        | Claim.Listed _ -> unknown "of a closed form for it"
      in
      let lo = List.fold_left (fun m ((i, _), _) -> Z.min m i) Z.one cells in
      { against = kernel_direction d; in_prec = Z.of_int p; in_bits = Z.of_int p; in_grid = Claim.rational Claim.one;
          in_limit = Z.zero; in_plan = [ Kernel.Leaf 0 ];
        in_leaves = [ { split_level = 0; split_start = lo; split_size = 3; split_shift = Claim.rational shift;
          split_cells = cells } ] }
  | _ -> unknown "of a closed form for it"
