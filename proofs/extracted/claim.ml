(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(* What claims say: the pairs of events, in the words of Part.v and Claim.v. *)
open Document

let zero = Q.zero and one = Q.one
let rational (x : Q.t) : Kernel.q = { qnum = x.num; qden = x.den }
let show (x : Q.t) = if Z.equal x.den Z.one then Z.to_string x.num else Z.to_string x.num ^ "/" ^ Z.to_string x.den

(* A decimal number, or two with a slash between, as it is written. *)
let number n what =
  let bad () = reject "%s is not understood as a number" what in
  let decimal t =
    let t, exponent = match String.index_opt (String.lowercase_ascii t) 'e' with
      | None -> t, 0
      | Some i ->
          let e = String.sub t (i + 1) (String.length t - i - 1) in
          let digits = if e <> "" && (e.[0] = '+' || e.[0] = '-') then String.sub e 1 (String.length e - 1) else e in
          if digits = "" || String.length digits > 4 || not (String.for_all (fun c -> c >= '0' && c <= '9') digits) then bad ();
          String.sub t 0 i, (if e.[0] = '-' then -int_of_string digits else int_of_string digits)
    in
    let whole, part = match String.index_opt t '.' with None -> t, "" | Some i -> String.sub t 0 i, String.sub t (i + 1) (String.length t - i - 1) in
    let digits = whole ^ part in
    if digits = "" || not (String.for_all (fun c -> c >= '0' && c <= '9') digits) then bad ();
    let p = exponent - String.length part in
    let x = Q.of_bigint (Z.of_string_base 10 digits) in
    if p >= 0 then Q.mul x (Q.of_bigint (Z.pow (Z.of_int 10) p)) else Q.div x (Q.of_bigint (Z.pow (Z.of_int 10) (-p)))
  in
  match n with
  | Scalar t when t <> "" && String.length t <= 1000 ->
      let sign, t = match t.[0] with '-' -> Q.minus_one, String.sub t 1 (String.length t - 1) | '+' -> one, String.sub t 1 (String.length t - 1) | _ -> one, t in
      let x = match String.index_opt t '/' with
        | None -> decimal t
        | Some i ->
            let d = decimal (String.sub t (i + 1) (String.length t - i - 1)) in
            if Q.sign d = 0 then bad ();
            Q.div (decimal (String.sub t 0 i)) d
      in
      Q.mul sign x
  | _ -> bad ()

let whole x most = if Z.equal x.Q.den Z.one && Q.geq x one && Z.leq x.Q.num (Z.of_int most) then Z.to_int x.Q.num else reject "%s is no whole number from 1 to %d" (show x) most
let within x lo hi = Q.geq x lo && Q.leq x hi
let allowed n keys = match n with Map l -> List.iter (fun (k, _) -> if not (List.mem k keys) then reject "%S is not understood" k) l | _ -> reject "want a mapping"

let choice n key all = match get n key with Missing -> List.hd all | Scalar t when List.mem t all -> t | _ -> reject "%s is not understood" key

(* A part of a claim: what is not modelled has none of the words of Part.v. *)
type factor = { name : string; count : int; base : base; rate : Q.t; (* 0 of outcomes that are a sample *) symmetric : bool; response : bool; guarantee : (Q.t * Q.t) option }
and base = Normal of Q.t (* square of the shift *) | Double of Q.t (* shift *) | Listed of Kernel.part

type reader = { relation : string; mutable factors : factor list; mutable total : int; mutable events : int; mutable depth : int; mutable one_way : bool }

let max_count = 1_000_000_000_000

(* Copies of a factor; Gaussians that are not sampled are one Gaussian, whose square is the sum. *)
let add r f count =
  r.total <- r.total + count;
  if r.total > max_count then reject "too many compositions";
  let f = match f.base with
    | Normal s when f.symmetric -> { f with name = "gaussian"; count = 1; base = Normal (Q.mul s (Q.of_int count)) }
    | _ -> { f with count }
  in
  if List.exists (fun g -> g.name = f.name) r.factors then
    r.factors <- List.map (fun g -> if g.name <> f.name then g else match g.base, f.base with
      | Normal a, Normal b when f.name = "gaussian" -> { g with base = Normal (Q.add a b) }
      | _ -> { g with count = g.count + f.count }) r.factors
  else r.factors <- r.factors @ [ f ]

let finite p q =
  let weight x = if Q.sign x = 0 then [] else [ (rational x, rational zero) ] in
  let pairs = List.map2 (fun a b -> (show a, show b)) p q in
  { name = ""; count = 1; base = Listed (Kernel.Finite (List.map2 (fun a b -> (weight a, weight b)) p q)); rate = one; response = false; guarantee = None;
    symmetric = List.sort compare pairs = List.sort compare (List.map (fun (a, b) -> (b, a)) pairs) }
let simple base = { name = ""; count = 1; base; rate = one; symmetric = true; response = false; guarantee = None }

(* The fields of classes, and their names in statements. *)
let classes = [ "NoOpDpEvent", ("noop", []); "ComposedDpEvent", ("composed", []); "SelfComposedDpEvent", ("self-composed", [ "count" ]);
  "PoissonSampledDpEvent", ("sampled", [ "sampling_probability" ]); "GaussianDpEvent", ("gaussian", [ "noise_multiplier" ]);
  "LaplaceDpEvent", ("laplace", [ "noise_multiplier" ]); "DiscreteLaplaceDpEvent", ("discrete-laplace", [ "noise_parameter"; "sensitivity" ]);
  "RandomizedResponseDpEvent", ("randomized-response", [ "noise_parameter"; "num_buckets" ]); "EpsilonDeltaDpEvent", ("guarantee", [ "epsilon"; "delta" ]);
  "DiscreteGaussianDpEvent", ("discrete-gaussian", [ "variance"; "sensitivity"; "dimension" ]); "FinitePairEvent", ("finite", []); "ClampedLaplaceEvent", ("clamped", [ "location"; "scale"; "shift" ]) ]

let rec event r n count =
  r.events <- r.events + 1;
  let cls = match get n "class_name" with Scalar t -> t | _ -> reject "class_name is no name" in
  let kind, fields = try List.assoc cls classes with Not_found -> unknown "of %s" cls in
  if r.events > 20_000 || r.depth > 64 then reject "too many events";
  let kind, fields = if kind = "gaussian" && get n "noise_variance" <> Missing then "gaussian-variance", [ "noise_variance" ]
    else if kind <> "discrete-gaussian" then kind, fields else if get n "dimension" = Missing then unknown "of vectors of noise"
    else if get n "sigma" <> Missing then "discrete-gaussian-sigma", [ "sigma"; "sensitivity"; "dimension" ] else kind, fields in
  let lists = if kind = "finite" then [ "p"; "q" ] else if kind = "composed" then [ "events" ] else if kind = "clamped" then [ "order" ] else if kind = "self-composed" || kind = "sampled" then [ "event" ] else [] in
  allowed n ("class_name" :: "module_name" :: (fields @ lists));
  (match get n "module_name" with Missing -> () | Scalar t when t <> "" && not (t.[0] >= '0' && t.[0] <= '9') && String.for_all (fun c -> is_key c || c = '.') t -> () | _ -> reject "module_name is no name");
  let kind = if kind = "clamped" then choice n "order" [ "none"; "clamp-then-shift"; "shift-then-clamp" ] else kind in
  let x = List.map (fun k -> if cls = "DiscreteGaussianDpEvent" && k = "sensitivity" && get n k = Missing then one else number (get n k) k) fields in
  let positive v = if Q.sign v <= 0 then reject "a number of %s is not above 0" cls else v in
  let inside e c = r.depth <- r.depth + 1; let t = event r e c in r.depth <- r.depth - 1; t in
  let distance = Q.of_int (if r.relation = "REPLACE_ONE" then 2 else 1) in
  let items k = match get n k with List l -> l | _ -> reject "%s is no list" k in
  let texts = List.map show x in let form l = kind ^ "(" ^ String.concat " " l ^ ")" in
  let leaf ?(texts = texts) f = let name = form texts in add r { f with name } count; name in
  match kind, x with
  | "noop", [] -> form []
  | "composed", [] -> form (List.map (fun e -> inside e count) (items "events"))
  | "self-composed", [ k ] -> let k = whole k (max_count / count) in form (texts @ [ inside (get n "event") (count * k) ])
  | "sampled", [ g ] ->
      if not (within g zero one) then reject "a rate is out of range";
      let g = positive g in
      let inner = { relation = r.relation; factors = []; total = 0; events = r.events; depth = r.depth + 1; one_way = false } in
      let text = event inner (get n "event") 1 in
      r.events <- inner.events;
      (match inner.factors with
      | [ ({ count = 1; _ } as f) ] when Q.equal f.rate one && (f.response || r.relation <> "REPLACE_ONE") ->
          let visible = f.response && r.relation <> "ADD_OR_REMOVE_ONE" and certain = Q.equal g one in
          let sampled = match f.base with
            | Listed (Kernel.Finite _ as p) -> { f with base = (if certain then f.base else Listed (Kernel.sample (rational g) visible p)); rate = zero; response = false;
                symmetric = visible && f.symmetric; guarantee = if certain then f.guarantee else None }
            | Listed _ -> unknown "of such a sample"
            | _ -> { f with rate = g; symmetric = false } in
          leaf ~texts:(texts @ [ text ]) sampled
      | _ -> unknown "of such a sample under %s" r.relation)
  | ("gaussian" | "gaussian-variance"), [ s ] ->
      let s = positive s in
      leaf (simple (Normal (Q.div (Q.mul distance distance) (if kind = "gaussian" then Q.mul s s else s))))
  | "laplace", [ s ] -> leaf (simple (Double (Q.div distance (positive s))))
  | ("clamp-then-shift" | "shift-then-clamp"), [ l; b; s ] ->
      let before = kind = "shift-then-clamp" and l = Q.div l (positive b) and s = Q.div (positive s) b in
      if not before && Q.lt l s then reject "clamped noise that is not understood" else r.one_way <- true; leaf { (simple (Listed (Kernel.ClampedLaplace (rational s, rational l, before)))) with symmetric = before }
  | "discrete-laplace", [ l; s ] ->
      let s = whole s 500 * if r.relation = "REPLACE_ONE" then 2 else 1 in
      leaf (simple (Listed (Kernel.discrete_laplace (rational (positive l)) s)))
  | ("discrete-gaussian" | "discrete-gaussian-sigma"), [ v; s; d ] ->
      let v = if kind = "discrete-gaussian" then positive v else Q.mul v (positive v) in leaf (simple (Listed (Kernel.DiscreteGaussian (rational v, whole s 1000 * whole d 1))))
  | "randomized-response", [ p; k ] ->
      if not (within p zero one) || whole k (1 lsl 30) < 2 || r.relation = "ADD_OR_REMOVE_ONE" then reject "randomized response without a meaning";
      let each = Q.div p k and less = Q.sub one in let truth = Q.add (less p) each in
      let rest = Q.sub (less truth) each in
      let f = if r.relation = "REPLACE_ONE" then finite [ truth; each; rest ] [ each; truth; rest ] else finite [ truth; less truth ] [ Q.inv k; less (Q.inv k) ] in
      leaf { f with response = true }
  | "guarantee", [ e; d ] ->
      if not (within e zero (Q.of_int 100_000) && within d zero one) then reject "a guarantee that is not understood";
      leaf { (simple (Listed (Kernel.guarantee (rational e) (rational d)))) with response = true; guarantee = Some (e, d) }
  | "finite", [] ->
      let masses k = List.map (fun v -> let m = number v k in if Q.sign m < 0 then reject "a mass is negative" else m) (items k) in
      let p = masses "p" and q = masses "q" in
      let sum = List.fold_left Q.add zero in
      if List.length p <> List.length q || List.length p > 1000 || not (Q.equal (sum p) one && Q.equal (sum q) one) then reject "masses that are not understood";
      leaf ~texts:(List.map2 (fun a b -> show a ^ ":" ^ show b) p q) (finite p q)
  | _ -> reject "%s is not understood" cls

type t = { id : string; statement : string; directions : string list; (* that need evidence *) claim : Kernel.claim; factors : factor list; epsilon : Q.t; delta : Q.t }

let part f = match f.base with
  | Normal s -> Kernel.Gaussian (rational s, rational f.rate)
  | Double s -> Kernel.LaplaceNoise (rational s, rational f.rate)
  | Listed p -> p

let read id n =
  allowed n [ "id"; "source"; "note"; "event"; "claim"; "relation"; "direction"; "number_format"; "derivation"; "orders"; "expect" ];
  let relation = choice n "relation" [ "ADD_OR_REMOVE_ONE"; "REPLACE_SPECIAL"; "REPLACE_ONE" ] and direction = choice n "direction" [ "both"; "remove"; "add" ] in
  ignore (choice n "number_format" [ "decimal" ]);
  ignore (choice n "expect" [ "none"; "verified"; "refuted"; "undecided"; "malformed"; "stated" ]);
  let said = get n "claim" in
  (match said with Map [ (("rho" | "renyi"), _) ] -> unknown "of Rényi divergences" | _ -> allowed said [ "epsilon"; "delta" ]);
  let epsilon = number (get said "epsilon") "epsilon" and delta = number (get said "delta") "delta" in
  let far = Q.of_int 100_000 in if not (within epsilon (Q.neg far) far && within delta zero one) then reject "epsilon is beyond 100000, or delta no probability";
  let r = { relation; factors = []; total = 0; events = 0; depth = 0; one_way = false } in
  let text = event r (get n "event") 1 in
  let lopsided = List.exists (fun f -> not f.symmetric) r.factors in
  if relation = "REPLACE_ONE" && (lopsided || (r.one_way && direction <> "both")) then reject "under REPLACE_ONE, only pairs that are their own reverse are understood";
  let guarantees = List.filter_map (fun f -> match f.guarantee with Some (e, d) when Q.sign e > 0 || Q.sign d > 0 -> Some (f.count, e, d) | _ -> None) r.factors in
  if r.factors <> [] && List.for_all (fun f -> f.guarantee <> None) r.factors
     && (match guarantees with [] -> true | [ (1, e, d) ] -> Q.leq e epsilon && Q.leq d delta | _ -> false) then reject "the event states the claim: nothing is verified";
  let words = match direction with "both" -> [ Kernel.Remove; Kernel.Add ] | "add" -> [ Kernel.Add ] | _ -> [ Kernel.Remove ] in
  { id; statement = Printf.sprintf "relation %s\ndirection %s\nepsilon %s\ndelta %s\nevent %s\n" relation direction (show epsilon) (show delta) text; factors = r.factors; epsilon; delta;
    directions = (match direction with "both" -> if lopsided then [ "remove"; "add" ] else [ "remove" ] | d -> [ d ]);
    claim = { parts = List.map (fun f -> (part f, Z.of_int f.count)) r.factors; directions = words; eps = rational epsilon; delta = rational delta } }

(* The claims of a file, all or nothing; of each what it says, or why it is not understood. *)
let all text =
  let root = parse text in
  allowed root [ "version"; "claims" ];
  if get root "version" <> Scalar "1" then reject "want version: 1";
  match get root "claims" with
  | List (_ :: _ as l) ->
      let seen = Hashtbl.create 7 in
      List.map (fun n ->
        let id = match get n "id" with Scalar t when String.trim t <> "" && not (Hashtbl.mem seen t) -> t | _ -> reject "want an id of its own for each claim" in
        Hashtbl.add seen id ();
        (id, try Ok (read id n) with (Rejected _ | Unknown _) as why -> Error why)) l
  | _ -> reject "want a list of claims"
