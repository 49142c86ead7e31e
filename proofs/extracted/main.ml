(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(* kernel [-v] FILE… DIR: what the small checker does, by the program that Coq made of its theory. ACCEPTED is what is shown, REJECTED what
   is not, and NONE what has no certificate, or a claim, or evidence, that the theory has no word for. *)
open Document

let contents name =
  let f = open_in_bin name in
  Fun.protect ~finally:(fun () -> close_in f) (fun () -> really_input_string f (in_channel_length f))

let file_name id =
  let usual c = is_key c || c = '-' in
  let name = String.concat "" (List.map (fun c -> if usual c then String.make 1 c else Printf.sprintf "%%%02x" (Char.code c)) (List.of_seq (String.to_seq id))) in
  String.sub name 0 (min 100 (String.length name)) ^ ".evidence"

(* Directions that are the same share a chain. *)
let check (c : Claim.t) text =
  let cert = Evidence.certificate text in
  if cert.claim <> Sha256.hex c.statement then reject "it is for another claim";
  let chain d = let _, g = List.find (fun (x, _) -> x = d) cert.chains in match g with Some g -> Evidence.chain c d g | None -> Evidence.profile c d in
  let given = List.map fst cert.chains in
  let shown = match cert.verdict, given with
    | "VERIFIED", _ when given = c.directions ->
        let of_word d = let d = if d = Kernel.Add then "add" else "remove" in chain (if List.mem d given then d else List.hd given) in
        Kernel.shown c.claim (List.map of_word c.claim.directions)
    | "REFUTED", [ d ] when List.mem d c.directions ->
        Kernel.refuted c.claim (match List.assoc d cert.chains with Some g -> Evidence.refutation c d g | None -> Evidence.best c d)
    | _ -> reject "%s for the directions %s" cert.verdict (String.concat " " given)
  in
  if not shown then reject "the evidence does not show the claim";
  cert.verdict

let () =
  let args = List.tl (Array.to_list Sys.argv) in
  let verbose, args = match args with "-v" :: rest -> true, rest | _ -> false, args in
  match List.rev args with
  | dir :: (_ :: _ as files) ->
      let status = ref 0 and accepted = ref 0 and rejected = ref 0 and none = ref 0 in
      let claim (id, said) =
        let name = Filename.concat dir (file_name id) in
        let rejection why = incr rejected; status := 1; Printf.printf "REJECTED %s: %s\n" id why in
        (match if not (Sys.file_exists name) then unknown "" else match said with Ok c -> check c (contents name) | Error why -> raise why with
        | verdict -> incr accepted; Printf.printf "ACCEPTED %s %s\n" id verdict
        | exception Unknown why -> incr none; Printf.printf "NONE %s%s\n" id (if why = "" then "" else ": the theory has no word " ^ why)
        | exception (Rejected why | Failure why | Invalid_argument why) -> rejection why
        | exception (Not_found | Z.Overflow | Division_by_zero | Stack_overflow | Out_of_memory) -> rejection "out of range");
        if verbose then Printf.printf "  %s\n" (match said with
          | Ok c -> String.concat "\n  " (String.split_on_char '\n' (String.trim c.statement))
          | Error (Rejected why | Unknown why) -> "not understood: " ^ why
          | Error _ -> "")
      in
      (try List.iter (fun f -> List.iter claim (Claim.all (contents f))) (List.rev files)
       with Rejected why | Unknown why | Sys_error why -> prerr_endline ("kernel: " ^ why); exit 2);
      Printf.printf "%d ACCEPTED, %d REJECTED, %d NONE\n" !accepted !rejected !none;
      exit !status
  | _ -> prerr_endline "usage: kernel [-v] FILE... DIR"; exit 2
