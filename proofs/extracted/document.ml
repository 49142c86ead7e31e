(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(* JSON, and the YAML that is understood: block and flow mappings and lists, plain, quoted and literal scalars, comments, anchors. All
   else is an error. *)

exception Rejected of string

(* What the theory has no word for. *)
exception Unknown of string

let reject fmt = Printf.ksprintf (fun s -> raise (Rejected s)) fmt
let unknown fmt = Printf.ksprintf (fun s -> raise (Unknown s)) fmt

(* A word is true, false or nothing; of a text, nothing is used. *)
type node = Missing | Word | Text | Scalar of string | List of node list | Map of (string * node) list

let get n key = match n with Map l -> (try List.assoc key l with Not_found -> Missing) | _ -> Missing
let is_key c = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c = '_'
let has_blank_after c = c = ' ' || c = '\n'

let words = [ "true"; "True"; "TRUE"; "false"; "False"; "FALSE"; "null"; "Null"; "NULL"; "~" ]

(* A scalar without quotes. *)
let plain t =
  let n = String.length t in
  let contains_colon = ref false in
  String.iteri (fun i c -> if c = ':' && (i = n - 1 || t.[i + 1] = ' ') then contains_colon := true) t;
  if n = 0 || String.contains "&*!|>%@`,]}?#\"'{[:" t.[0] || t = "-" || (n > 1 && t.[0] = '-' && t.[1] = ' ') || t = "<<" || !contains_colon then
    reject "%S is not understood" t;
  if List.mem t words then Word else Scalar t

let parse text =
  String.iter (fun c -> if (c < ' ' && c <> '\n') || c = '\127' then reject "tabs, control characters or unusual line ends") text;
  (* Beyond ASCII, UTF-8 without what some readers take for a line end or no character. *)
  let byte i = if i < String.length text then Char.code text.[i] else 0 in
  let rec check i =
    if i < String.length text then begin
      let c = byte i in
      let n, least = if c < 128 then 1, 0 else if c < 224 then 2, 160 else if c < 240 then 3, 2048 else 4, 65536 in
      let u = ref (if n = 1 then c else c land (255 lsr (n + 1))) in
      for k = 1 to n - 1 do
        if byte (i + k) land 192 <> 128 then reject "not UTF-8";
        u := (!u lsl 6) lor (byte (i + k) land 63)
      done;
      let u = !u in
      if (c >= 128 && c < 192) || u < least || u > 0x10ffff || (u >= 0xd800 && u < 0xe000) || u = 0x2028 || u = 0x2029 || (u >= 0xfeff && u < 0xff00) || u land 0xfffe = 0xfffe then
        reject "not UTF-8, or unusual characters";
      check (i + n)
    end
  in
  check 0;
  let s = "\n" ^ text ^ "\n\000" in
  let at = ref 0 and depth = ref 0 and anchors = Hashtbl.create 7 in
  let fail why = reject "%s at %S" why (String.sub s !at (min 40 (String.length s - !at))) in
  let line_start () = try String.rindex_from s (max 0 (!at - 1)) '\n' + 1 with Not_found -> 0 in
  let column () = !at - line_start () in
  let own_line () = String.trim (String.sub s (line_start ()) (column ())) = "" in
  (* Blanks, line ends and comments, which have a blank or a line end before them. *)
  let next () =
    if s.[!at] = '#' && s.[!at - 1] > ' ' then fail "a comment that begins in a word";
    let rec skip () =
      if s.[!at] = ' ' || s.[!at] = '\n' then (incr at; skip ())
      else if s.[!at] = '#' then begin
        while s.[!at] <> '\n' do incr at done;
        skip ()
      end
    in
    skip ();
    s.[!at]
  in
  let is_dash () = s.[!at] = '-' && has_blank_after s.[!at + 1] in
  (* The key here, with what follows its colon. *)
  let key_here () =
    let e = ref !at in
    while is_key s.[!e] do incr e done;
    if !e > !at && s.[!e] = ':' && has_blank_after s.[!e + 1] then Some (String.sub s !at (!e - !at), !e + 1) else None
  in
  let take_while f =
    let b = !at in
    while s.[!at] <> '\000' && f s.[!at] do incr at done;
    String.sub s b (!at - b)
  in
  let quoted () =
    let q = s.[!at] and b = Buffer.create 16 in
    incr at;
    let rec go () =
      match s.[!at] with
      | '\000' | '\n' -> fail "quotes without an end in their line"
      | '\\' when q = '"' -> fail "an escape"
      | c when c = q ->
          incr at;
          if q = '\'' && s.[!at] = '\'' then (Buffer.add_char b '\''; incr at; go ())
      | c -> Buffer.add_char b c; incr at; go ()
    in
    go ();
    Buffer.contents b
  in
  (* To the end of a line, or a comment. *)
  let rest_of_line () =
    let b = !at in
    while s.[!at] <> '\n' && not (s.[!at] = '#' && s.[!at - 1] = ' ') do incr at done;
    String.trim (String.sub s b (!at - b))
  in
  let put l key item = if List.mem_assoc key l then reject "%S is given twice" key else (key, item) :: l in
  let rec value outer after =
    incr depth;
    if !depth > 100 then fail "nested too deep";
    let n = value_here outer after in
    decr depth;
    n
  and value_here outer after =
    let first = next () in
    let col = column () in
    let block = after = '-' || own_line () in
    if after <> ',' && (first = '\000' || col < outer || (col = outer && not (is_dash () && after = ':'))) then Word
    else if after <> ',' && block && is_dash () then list_from col []
    else if after <> ',' && block && key_here () <> None then map_from col []
    else
      match first with
      | '"' | '\'' -> Scalar (quoted ())
      | '[' -> incr at; List (flow_list outer [])
      | '{' -> incr at; Map (flow_map outer [])
      | _ when after = ',' -> plain (String.trim (take_while (fun c -> not (String.contains "][{},:#\"'\n" c))))
      | ('&' | '*') when first = '*' || after <> '&' ->
          incr at;
          let name = take_while (fun c -> is_key c || c = '-') in
          if name = "" || s.[!at] > ' ' then fail "an anchor that is not understood";
          if first = '*' then try Hashtbl.find anchors name with Not_found -> fail "an alias that is not defined"
          else begin
            let n = value outer '&' in
            Hashtbl.replace anchors name n;
            n
          end
      | '|' | '>' ->
          if rest_of_line () <> String.make 1 first then fail "a text of lines that is not understood";
          if s.[!at] <> '\n' then fail "a comment after the head of a text";
          let rec lines () =
            let b = !at in
            ignore (take_while (fun c -> c = '\n'));
            ignore (take_while (fun c -> c = ' '));
            if s.[!at] = '\n' then lines ()
            else if s.[!at] <> '\000' && column () > max outer 0 then (ignore (take_while (fun c -> c <> '\n')); lines ())
            else at := b
          in
          lines ();
          Text
      | _ ->
          let rec lines l =
            let b = !at in
            let again =
              s.[!at] = '\n' && (incr at; ignore (take_while (fun c -> c = ' ')); true)
              && column () > outer && not (String.contains "\n#\000" s.[!at])
            in
            if again then let w = rest_of_line () in lines (w :: l) else (at := b; l)
          in
          let w = rest_of_line () in
          plain (String.concat " " (List.rev (lines [ w ])))
  and list_from col l =
    ignore (next ());
    if column () = col && is_dash () then (incr at; let v = value col '-' in list_from col (v :: l)) else List (List.rev l)
  and map_from col l =
    ignore (next ());
    match if column () = col then key_here () else None with
    | Some (key, e) -> at := e; let v = value col ':' in map_from col (put l key v)
    | None -> Map (List.rev l)
  and flow_end stop outer =
    let c = next () in
    if c = stop then (incr at; true) else if column () <= outer then fail "indented too little" else false
  and comma stop = match next () with ',' -> incr at | c -> if c <> stop then fail "want a comma"
  and flow_list outer l =
    if flow_end ']' outer then List.rev l
    else let v = value outer ',' in comma ']'; flow_list outer (v :: l)
  and flow_map outer l =
    if flow_end '}' outer then List.rev l
    else begin
      let key =
        match s.[!at] with
        | '"' | '\'' ->
            let k = quoted () in
            if next () <> ':' then fail "want a colon";
            incr at;
            k
        | _ -> ( match key_here () with Some (k, e) -> at := e; k | None -> fail "want a key and a colon")
      in
      let v = value outer ',' in
      comma '}';
      flow_map outer (put l key v)
    end
  in
  (* One document, perhaps with dashes before it. *)
  (if next () = '-' && column () = 0 && !at + 4 <= String.length s && String.sub s !at 4 = "---\n" then at := !at + 3);
  let rec markers i =
    match String.index_from_opt s i '\n' with
    | Some j when j + 3 < String.length s -> let m = String.sub s (j + 1) 3 in if m = "---" || m = "..." then reject "several documents" else markers (j + 1)
    | _ -> ()
  in
  markers !at;
  let n = value (-1) '-' in
  if next () <> '\000' || n = Word then fail "nothing, or something that does not belong to what is before it";
  n
