(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(* What claims say: the pairs of events, in the words of Part.v and Claim.v. *)
open Document

let zero = Q.zero and one = Q.one
let rational (x : Q.t) : Kernel.q = { qnum = x.num; qden = x.den }
let show (x : Q.t) = Q.to_string x

(* A decimal number, or two with a slash between, as it is written. *)
let number n what =
  let read sign t =
    let decimal = "\\([0-9]+\\.?[0-9]*\\|\\.[0-9]+\\)\\([eE][+-]?[0-9][0-9]?[0-9]?[0-9]?\\)?" in
    if fits (Str.regexp (sign ^ decimal)) t then Q.of_string t else reject "%s is not understood as a number" what
  in
  match n with
  | Scalar t when String.length t <= 1000 -> (
      match String.split_on_char '/' t with
      | [ a ] -> read "[+-]?" a
      | [ a; b ] when Q.sign (read "" b) > 0 -> Q.div (read "[+-]?" a) (read "" b)
      | _ -> reject "%s is no number" what)
  | _ -> reject "%s is no number" what

let whole x most =
  if Z.equal x.Q.den Z.one && Q.geq x one && Z.leq x.Q.num (Z.of_int most) then Z.to_int x.Q.num
  else reject "%s is no whole number from 1 to %d" (show x) most
let within x lo hi = Q.geq x lo && Q.leq x hi

let allowed n keys =
  let known (k, _) = if not (List.mem k keys) then reject "%S is not understood" k in
  match n with Map l -> List.iter known l | _ -> reject "want a mapping"
let choice n key all = match get n key with
  | Missing -> List.hd all
  | Scalar t when List.mem t all -> t
  | _ -> reject "%s is not understood" key

(* A part of a claim: what is not modelled has none of the words of Part.v. *)
type base = Normal of Q.t (* square of the shift *) | Double of Q.t (* shift *) | Listed of Kernel.part
type factor = {
  name : string; count : int; base : base;
  rate : Q.t; (* 0 of outcomes that are a sample *)
  symmetric : bool; response : bool; guarantee : (Q.t * Q.t) option;
  attained : bool (* and no more: nothing is verified of it *) }

type reader = {
  relation : string; mutable factors : factor list;
  mutable total : int; mutable events : int; mutable depth : int; mutable one_way : bool }

let max_count = 1_000_000_000_000

(* Copies of a factor; Gaussians that are not sampled are one Gaussian, whose square is the sum. *)
let add r f count =
  r.total <- r.total + count;
  if r.total > max_count then reject "too many compositions";
  let f = match f.base with
    | Normal s when f.symmetric -> { f with name = "gaussian"; count = 1; base = Normal (Q.mul s (Q.of_int count)) }
    | _ -> { f with count }
  in
  let joined g = match g.base, f.base with
    | _ when g.name <> f.name -> g
    | Normal a, Normal b when f.name = "gaussian" -> { g with base = Normal (Q.add a b) }
    | _ -> { g with count = g.count + f.count }
  in
  let there = List.exists (fun g -> g.name = f.name) r.factors in
  r.factors <- (if there then List.map joined r.factors else r.factors @ [ f ])

let simple base =
  { name = ""; count = 1; base; rate = one; symmetric = true; response = false; guarantee = None; attained = false }
let finite p q =
  let weight x = if Q.sign x = 0 then [] else [ (rational x, rational zero) ] in
  let pairs p q = List.sort compare (List.map2 (fun a b -> (show a, show b)) p q) in
  let outcomes = List.map2 (fun a b -> (weight a, weight b)) p q in
  { (simple (Listed (Kernel.Finite outcomes))) with symmetric = pairs p q = pairs q p }

(* Of each class, its name in statements, its numbers with what is asked of them, and its other fields. *)
let any _ = true
let above x = Q.sign x > 0
let probability x = within x zero one
let classes = [
  "NoOpDpEvent", "noop", [], [];
  "ComposedDpEvent", "composed", [], [ "events" ];
  "SelfComposedDpEvent", "self-composed", [ "count", any ], [ "event" ];
  "PoissonSampledDpEvent", "sampled", [ "sampling_probability", fun x -> above x && probability x ], [ "event" ];
  "GaussianDpEvent", "gaussian", [ "noise_multiplier", above ], [];
  "LaplaceDpEvent", "laplace", [ "noise_multiplier", above ], [];
  "ClampedLaplaceEvent", "clamped", [ "location", any; "scale", above; "shift", above ], [ "order" ];
  "DiscreteLaplaceDpEvent", "discrete-laplace", [ "noise_parameter", above; "sensitivity", any ], [];
  "DiscreteGaussianDpEvent", "discrete-gaussian", [ "variance", above; "sensitivity", any ], [ "dimension" ];
  "RandomizedResponseDpEvent", "randomized-response", [ "noise_parameter", probability; "num_buckets", any ], [];
  "EpsilonDeltaDpEvent", "guarantee", [ "epsilon", any; "delta", probability ], [];
  "FinitePairEvent", "finite", [], [ "p"; "q" ] ]

(* A Poisson sample of the only part of a reader: of outcomes that a record may show, it shows that it is in. *)
let sample r (inner : reader) rate = match inner.factors with
  | [ ({ count = 1; _ } as f) ] when Q.equal f.rate one && (f.response || r.relation <> "REPLACE_ONE") -> (
      let visible = f.response && r.relation <> "ADD_OR_REMOVE_ONE" in
      match f.base with
      | Listed (Kernel.Finite _ ) when Q.equal rate one ->
          { f with rate = zero; response = false; symmetric = visible && f.symmetric }
      | Listed (Kernel.Finite _ as p) ->
          let base = Listed (Kernel.sample (rational rate) visible p) in
          { f with base; rate = zero; response = false; symmetric = visible && f.symmetric; guarantee = None }
      | Listed _ -> unknown "of such a sample"
      | _ -> { f with rate; symmetric = false })
  | _ -> unknown "of such a sample under %s" r.relation

(* Adds the parts of an event, composed count times, and returns it in one form. *)
let rec event r n count =
  r.events <- r.events + 1;
  if r.events > 20_000 || r.depth > 64 then reject "too many events";
  let cls = match get n "class_name" with Scalar t -> t | _ -> reject "class_name is no name" in
  let given key = get n key <> Missing in
  let kind, fields, others = match List.find_opt (fun (c, _, _, _) -> c = cls) classes with
    | None -> unknown "of %s" cls
    | Some (_, "gaussian", _, _) when given "noise_variance" -> "gaussian-variance", [ "noise_variance", above ], []
    | Some (_, "discrete-gaussian", _ :: l, o) when given "sigma" -> "discrete-gaussian-sigma", ("sigma", above) :: l, o
    | Some (_, "clamped", l, o) -> choice n "order" [ "none"; "clamp-then-shift"; "shift-then-clamp" ], l, o
    | Some (_, kind, l, o) -> kind, l, o
  in
  allowed n ("class_name" :: "module_name" :: List.map fst fields @ others);
  let identifier = Str.regexp "[A-Za-z_][0-9A-Za-z_.]*" in
  (match get n "module_name" with Missing -> () | Scalar t when fits identifier t -> () | _ -> reject "no module_name");
  let field (key, right) =
    let left_out = key = "sensitivity" && kind <> "discrete-laplace" && not (given key) in
    let x = if left_out then one else number (get n key) key in
    if right x then x else reject "%s of %s is out of range" key cls
  in
  let x = List.map field fields in
  let texts = List.map show x in
  let form texts = kind ^ "(" ^ String.concat " " texts ^ ")" in
  let part ?(texts = texts) ?(copies = 1) f = let name = form texts in add r { f with name } (count * copies); name in
  let inside r e count = r.depth <- r.depth + 1; let text = event r e count in r.depth <- r.depth - 1; text in
  let items key = match get n key with List l -> l | _ -> reject "%s is no list" key in
  let distance = if r.relation = "REPLACE_ONE" then 2 else 1 in
  match kind, x with
  | "noop", [] -> form []
  | "composed", [] -> form (List.map (fun e -> inside r e count) (items "events"))
  | "self-composed", [ k ] -> form (texts @ [ inside r (get n "event") (count * whole k (max_count / count)) ])
  | "sampled", [ rate ] ->
      let inner = { r with factors = []; total = 0; one_way = false } in
      let text = inside inner (get n "event") 1 in
      r.events <- inner.events;
      part ~texts:(texts @ [ text ]) (sample r inner rate)
  | "gaussian", [ s ] -> part (simple (Normal (Q.div (Q.of_int (distance * distance)) (Q.mul s s))))
  | "gaussian-variance", [ v ] -> part (simple (Normal (Q.div (Q.of_int (distance * distance)) v)))
  | "laplace", [ s ] -> part (simple (Double (Q.div (Q.of_int distance) s)))
  | ("clamp-then-shift" | "shift-then-clamp"), [ l; b; s ] ->
      let before = kind = "shift-then-clamp" in
      if not before && Q.lt l s then reject "clamped noise that is not understood";
      r.one_way <- true;
      let base = Listed (Kernel.ClampedLaplace (rational (Q.div s b), rational (Q.div l b), before)) in
      part { (simple base) with symmetric = before }
  | "discrete-laplace", [ l; s ] ->
      part (simple (Listed (Kernel.discrete_laplace (rational l) (whole s 500 * distance))))
  | ("discrete-gaussian" | "discrete-gaussian-sigma"), [ v; s ] ->
      let s = whole s 1000 and v = rational (if kind = "discrete-gaussian" then v else Q.mul v v) in
      let noise s = simple (Listed (Kernel.DiscreteGaussian (v, s))) in
      if not (given "dimension") then part ~copies:(s * s) { (noise 1) with attained = s > 1 } (* so many ones *)
      else part ~texts:(texts @ [ string_of_int (whole (number (get n "dimension") "dimension") 1) ]) (noise s)
  | "randomized-response", [ p; k ] ->
      if whole k (1 lsl 30) < 2 || r.relation = "ADD_OR_REMOVE_ONE" then reject "randomized response without a meaning";
      let each = Q.div p k and less = Q.sub one in
      let truth = Q.add (less p) each in
      let rest = Q.sub (less truth) each in
      let f = if r.relation = "REPLACE_ONE" then finite [ truth; each; rest ] [ each; truth; rest ]
        else finite [ truth; less truth ] [ Q.inv k; less (Q.inv k) ] in
      part { f with response = true }
  | "guarantee", [ e; d ] ->
      if not (within e zero (Q.of_int 100_000)) then reject "a guarantee that is not understood";
      let base = Listed (Kernel.guarantee (rational e) (rational d)) in
      part { (simple base) with response = true; guarantee = Some (e, d) }
  | "finite", [] ->
      let mass v = let m = number v "a mass" in if Q.sign m < 0 then reject "a mass is negative" else m in
      let masses key =
        let l = List.map mass (items key) in
        let sum = List.fold_left Q.add zero l in
        if Q.equal sum one && List.length l <= 1000 then l else reject "%s is no distribution" key
      in
      let p = masses "p" and q = masses "q" in
      if List.length p <> List.length q then reject "p and q differ in length";
      part ~texts:(List.map2 (fun a b -> show a ^ ":" ^ show b) p q) (finite p q)
  | _ -> reject "%s is not understood" cls

type t = {
  id : string; statement : string;
  directions : string list; (* that need evidence *)
  claim : Kernel.claim; factors : factor list; epsilon : Q.t; delta : Q.t }

let word f =
  let part = match f.base with
    | Normal s -> Kernel.Gaussian (rational s, rational f.rate)
    | Double s -> Kernel.LaplaceNoise (rational s, rational f.rate)
    | Listed p -> p
  in
  (part, Z.of_int f.count)

(* Whether an event is one guarantee that says as much as the claim, perhaps with others that nothing is lost. *)
let repeated factors epsilon delta =
  let lost f = match f.guarantee with
    | Some (e, d) when Q.sign e > 0 || Q.sign d > 0 -> Some (f.count, e, d)
    | _ -> None
  in
  factors <> [] && List.for_all (fun f -> f.guarantee <> None) factors
  && (match List.filter_map lost factors with
     | [] -> true
     | [ (1, e, d) ] -> Q.leq e epsilon && Q.leq d delta
     | _ -> false)

let read id n =
  allowed n (String.split_on_char ' '
    "id source note event claim relation direction number_format derivation orders expect");
  let relation = choice n "relation" [ "ADD_OR_REMOVE_ONE"; "REPLACE_SPECIAL"; "REPLACE_ONE" ] in
  let direction = choice n "direction" [ "both"; "remove"; "add" ] in
  ignore (choice n "number_format" [ "decimal" ]);
  ignore (choice n "expect" [ "none"; "verified"; "refuted"; "undecided"; "malformed"; "stated" ]);
  let said = get n "claim" in
  (match said with
  | Map [ (("rho" | "renyi"), _) ] -> unknown "of Rényi divergences"
  | _ -> allowed said [ "epsilon"; "delta" ]);
  let epsilon = number (get said "epsilon") "epsilon" and delta = number (get said "delta") "delta" in
  let far = Q.of_int 100_000 in
  if not (within epsilon (Q.neg far) far) then reject "epsilon is beyond 100000";
  if not (probability delta) then reject "delta is no probability";
  let r = { relation; factors = []; total = 0; events = 0; depth = 0; one_way = false } in
  let text = event r (get n "event") 1 in
  let lopsided = List.exists (fun f -> not f.symmetric) r.factors in
  if relation = "REPLACE_ONE" && (lopsided || (r.one_way && direction <> "both")) then
    reject "under REPLACE_ONE, only pairs that are their own reverse are understood";
  if repeated r.factors epsilon delta then reject "the event states the claim: nothing is verified";
  let words, directions = match direction with
    | "add" -> [ Kernel.Add ], [ "add" ]
    | "remove" -> [ Kernel.Remove ], [ "remove" ]
    | _ -> [ Kernel.Remove; Kernel.Add ], if lopsided then [ "remove"; "add" ] else [ "remove" ]
  in
  let statement = Printf.sprintf "relation %s\ndirection %s\nepsilon %s\ndelta %s\nevent %s\n" relation direction
    (show epsilon) (show delta) text in
  let parts = List.map word r.factors in
  { id; statement; directions; factors = r.factors; epsilon; delta;
    claim = { parts; directions = words; eps = rational epsilon; delta = rational delta } }

(* The claims of a file, all or nothing; of each what it says, or why it is not understood. *)
let all text =
  let root = parse text in
  allowed root [ "version"; "claims" ];
  if get root "version" <> Scalar "1" then reject "want version: 1";
  let ids = Hashtbl.create 7 in
  let claim n =
    let id = match get n "id" with Scalar t when String.trim t <> "" -> t | _ -> reject "want an id for each claim" in
    if Hashtbl.mem ids id then reject "want an id of its own for each claim";
    Hashtbl.add ids id ();
    (id, try Ok (read id n) with (Rejected _ | Unknown _) as why -> Error why)
  in
  match get root "claims" with List (_ :: _ as l) -> List.map claim l | _ -> reject "want a list of claims"
