(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(* kernel [-v] FILE… DIR: what the small checker does, by the program that Coq made of its theory. ACCEPTED is what *)
(* is shown, REJECTED what is not, and NONE what has no certificate, or what the theory has no word for. *)
open Document

let contents name =
  let f = open_in_bin name in
  Fun.protect ~finally:(fun () -> close_in f) (fun () -> really_input_string f (in_channel_length f))

let file_name id =
  let escaped c = match c with
    | '0' .. '9' | 'A' .. 'Z' | 'a' .. 'z' | '_' | '-' -> String.make 1 c
    | _ -> Printf.sprintf "%%%02x" (Char.code c)
  in
  let name = String.concat "" (List.map escaped (List.of_seq (String.to_seq id))) in
  String.sub name 0 (min 100 (String.length name)) ^ ".evidence"

(* Directions that are the same share a chain. *)
let check (c : Claim.t) text =
  let cert = Evidence.certificate text in
  if cert.claim <> Sha256.hex c.statement then reject "it is for another claim";
  let given = List.map fst cert.chains in
  let whole = given = c.directions && not (List.exists (fun f -> f.Claim.attained) c.factors) in
  let chain d =
    let d = if d = Kernel.Add && List.mem "add" given then "add" else List.hd given in
    match List.assoc d cert.chains with Some g -> Evidence.chain c d g | None -> Evidence.profile c d
  in
  let shown = match cert.verdict, given with
    | "VERIFIED", _ when whole -> Kernel.shown c.claim (List.map chain c.claim.directions)
    | "REFUTED", [ d ] when List.mem d c.directions ->
        let grid = List.assoc d cert.chains in
        Kernel.refuted c.claim (match grid with Some g -> Evidence.refutation c d g | None -> Evidence.best c d)
    | _ -> reject "%s for the directions %s" cert.verdict (String.concat " " given)
  in
  if not shown then reject "the evidence does not show the claim";
  cert.verdict

let accepted = ref 0
let rejected = ref 0
let none = ref 0
let count n = incr n; Printf.printf

let claim verbose dir (id, said) =
  let name = Filename.concat dir (file_name id) in
  let judged () = match said with
    | _ when not (Sys.file_exists name) -> unknown ""
    | Ok c -> check c (contents name)
    | Error why -> raise why
  in
  (match judged () with
  | verdict -> count accepted "ACCEPTED %s %s\n" id verdict
  | exception Unknown "" -> count none "NONE %s\n" id
  | exception Unknown why -> count none "NONE %s: the theory has no word %s\n" id why
  | exception (Rejected why | Failure why | Invalid_argument why) -> count rejected "REJECTED %s: %s\n" id why
  | exception (Not_found | Z.Overflow | Division_by_zero | Stack_overflow | Out_of_memory) ->
      count rejected "REJECTED %s: out of range\n" id);
  if verbose then match said with
    | Ok c -> List.iter (Printf.printf "  %s\n") (String.split_on_char '\n' (String.trim c.statement))
    | Error (Rejected why | Unknown why) -> Printf.printf "  not understood: %s\n" why
    | Error why -> raise why

let () =
  let args = List.tl (Array.to_list Sys.argv) in
  let verbose, args = match args with "-v" :: rest -> true, rest | _ -> false, args in
  match List.rev args with
  | dir :: (_ :: _ as files) ->
      (try List.iter (fun f -> List.iter (claim verbose dir) (Claim.all (contents f))) (List.rev files)
       with Rejected why | Unknown why | Sys_error why -> prerr_endline ("kernel: " ^ why); exit 2);
      Printf.printf "%d ACCEPTED, %d REJECTED, %d NONE\n" !accepted !rejected !none;
      exit (min 1 !rejected)
  | _ -> prerr_endline "usage: kernel [-v] FILE... DIR"; exit 2
