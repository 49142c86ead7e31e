(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(* JSON, and the YAML that is understood, as in checker/document.go: block and flow mappings and lists, plain, *)
(* quoted and literal scalars, comments, anchors. All else is an error. *)

exception Rejected of string
exception Unknown of string (* what the theory has no word for *)

let reject fmt = Printf.ksprintf (fun s -> raise (Rejected s)) fmt
let unknown fmt = Printf.ksprintf (fun s -> raise (Unknown s)) fmt

(* A word is true, false or nothing; of a text, nothing is used. *)
type node = Missing | Word | Text | Scalar of string | List of node list | Map of (string * node) list

let get n key = match n with Map l -> Option.value (List.assoc_opt key l) ~default:Missing | _ -> Missing

(* Whether a pattern fits all of a text, or is anywhere in it from a place on. *)
let fits pattern t = Str.string_match pattern t 0 && Str.match_end () = String.length t
let has pattern t from = match Str.search_forward pattern t from with _ -> true | exception Not_found -> false

(* UTF-8, of which what some readers take for a line end or no character is odd, as are control characters. *)
let utf8 = Str.regexp
  ("\\([\000-\127]\\|[\xc2-\xdf][\x80-\xbf]\\|\xe0[\xa0-\xbf][\x80-\xbf]\\|\xed[\x80-\x9f][\x80-\xbf]\\|"
   ^ "[\xe1-\xec\xee\xef][\x80-\xbf][\x80-\xbf]\\|\xf0[\x90-\xbf][\x80-\xbf][\x80-\xbf]\\|"
   ^ "[\xf1-\xf3][\x80-\xbf][\x80-\xbf][\x80-\xbf]\\|\xf4[\x80-\x8f][\x80-\xbf][\x80-\xbf]\\)*")
let odd = Str.regexp "[\000-\t\011-\031\127]\\|\xc2[\x80-\x9f]\\|\xe2\x80[\xa8\xa9]\\|\xef\xbb\xbf\\|\xef\xbf[\xbe\xbf]"

(* Parts of a text. Plain words go to the end of a line or a comment, or in braces to what is special there. *)
let start = Str.regexp "\\([ \n]\\|#[^\n]*\n\\)*^--- *\n"
let marker = Str.regexp "^\\(---\\|\\.\\.\\.\\)"
let blanks = Str.regexp "\\([ \n]\\|#[^\n]*\\)*"
let dash = Str.regexp "-[ \n]"
let key = Str.regexp "[0-9A-Za-z_]+:[ \n]"
let flow_key = Str.regexp "[0-9A-Za-z_]+:[ \n]\\|\\(\"[0-9A-Za-z_]+\"\\|'[0-9A-Za-z_]+'\\)[ \n]*:"
let word = Str.regexp "[0-9A-Za-z_]+"
let comma = Str.regexp ","
let colon = Str.regexp ": "
let quoted = Str.regexp "\"[^\"\\\n]*\"\\|'\\([^'\n]\\|''\\)*'"
let anchor = Str.regexp "[0-9A-Za-z_-]+"
let literal = Str.regexp "[|>][-+]? *\n\n* *"
let line = Str.regexp "[^\n]*\n *"
let words = Str.regexp "[^ \n]+\\( +[^ #\n][^ \n]*\\)*"
let flow_word = Str.regexp "[^][{},:#\"' \n\000]\\([^][{},:#\n]*[^][{},:#\n ]\\)?"
let line_end = Str.regexp " *\n *"

(* A scalar without quotes. What means more to YAML is not understood. *)
let plain t =
  if t = "" || t = "<<" || String.contains "&*!|>%@`,]}?#\"'{[:" t.[0] || Str.string_match dash (t ^ " ") 0
     || has colon (t ^ " ") 0 then reject "%S is not understood" t;
  let words = [ "true"; "True"; "TRUE"; "false"; "False"; "FALSE"; "null"; "Null"; "NULL"; "~" ] in
  if List.mem t words then Word else Scalar t

let unquoted t =
  if t = "" then reject "quotes without an end in their line, or with an escape";
  let inside = String.sub t 1 (String.length t - 2) in
  Scalar (if t.[0] = '"' then inside else Str.global_replace (Str.regexp "''") "'" inside)

let parse text =
  if not (fits utf8 text) || has odd text 0 then reject "not UTF-8, or tabs, control characters or unusual line ends";
  let s = "\n" ^ text ^ "\n\000" in
  let at = ref 1 and depth = ref 0 and anchors = Hashtbl.create 7 in
  let fail why = reject "%s at %S" why (String.sub s !at (min 40 (String.length s - !at))) in
  (* Reads what a pattern fits here, if anything. *)
  let is pattern = Str.string_match pattern s !at in
  let take pattern = if is pattern then (at := Str.match_end (); Str.matched_string s) else "" in
  let before () = let b = String.rindex_from s (!at - 1) '\n' + 1 in String.sub s b (!at - b) in
  let column () = String.length (before ()) in
  (* Skips blanks, line ends and comments, which have a blank or a line end before them. *)
  let next () =
    if s.[!at] = '#' && s.[!at - 1] > ' ' then fail "a comment that begins in a word";
    ignore (take blanks);
    s.[!at]
  in
  (* Adds an item, of a mapping with its key as it is written. *)
  let put l written item =
    let key = if has word written 0 then Str.matched_string written else "" in
    if key <> "" && List.mem_assoc key l then reject "%S is given twice" key;
    (key, item) :: l
  in
  (* A value after a dash, a colon or an anchor & of the block whose lines begin in the column outer, or after a *)
  (* comma in braces. A block has lines of its own, or begins after a dash. *)
  let rec value outer after =
    let first = next () in
    let here = column () in
    let block = after = '-' || String.trim (before ()) = "" in
    incr depth;
    if !depth > 100 then fail "nested too deep";
    let n =
      if after <> ',' && (first = '\000' || here < outer || (here = outer && not (is dash && after = ':'))) then Word
      else if after <> ',' && block && is dash then List (List.map snd (items here dash '-' []))
      else if after <> ',' && block && is key then Map (items here key ':' [])
      else match first with
        | '"' | '\'' -> unquoted (take quoted)
        | '[' -> incr at; List (List.map snd (flow outer ']' []))
        | '{' -> incr at; Map (flow outer '}' [])
        | _ when after = ',' -> plain (take flow_word)
        | '&' | '*' when first = '*' || after <> '&' ->
            incr at;
            let name = take anchor in
            if name = "" || s.[!at] > ' ' then fail "an anchor that is not understood";
            if first = '&' then Hashtbl.replace anchors name (value outer '&');
            (try Hashtbl.find anchors name with Not_found -> fail "an alias that is not defined")
        | '|' | '>' ->
            if take literal = "" then fail "a text of lines that is not understood";
            let least = max (column ()) (outer + 1) in
            while s.[!at] = '\n' || (s.[!at] <> '\000' && column () >= least) do ignore (take line) done;
            Text
        | _ ->
            let goes_on () = take line_end <> "" && column () > outer && not (String.contains "\n#\000" s.[!at]) in
            let rec lines l = if goes_on () then lines (take words :: l) else l in
            plain (String.concat " " (List.rev (lines [ take words ])))
    in
    decr depth;
    n
  (* The items of a list or a mapping, whose dashes or keys are in a column. *)
  and items here mark after l =
    ignore (next ());
    if column () = here && is mark then
      let written = take mark in
      items here mark after (put l written (value here after))
    else List.rev l
  (* The items in brackets or braces, which are not left of the block they are in. *)
  and flow outer last l =
    if next () = last then (incr at; List.rev l)
    else begin
      if column () <= outer then fail "indented too little";
      let written = if last = '}' then take flow_key else "" in
      if last = '}' && written = "" then fail "want a key and a colon";
      let item = value outer ',' in
      if next () <> last && take comma = "" then fail "want a comma";
      flow outer last (put l written item)
    end
  in
  ignore (take start);
  if has marker s !at then fail "several documents, or what looks so";
  let n = value (-1) '-' in
  if next () <> '\000' || n = Word then fail "nothing, or something that does not belong to what is before it";
  n
