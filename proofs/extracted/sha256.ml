(* Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE. *)

(* SHA-256, by FIPS 180-4; no proof rests on it. The constants are the first bits of roots of primes. *)
let mask x = x land 0xffffffff
let primes = let rec go l n = if List.length l = 64 then List.rev l else go (if List.exists (fun p -> n mod p = 0) l
  then l else n :: l) (n + 1) in go [] 2
(* 32 bits after the point of the k-th root of p. *)
let root k p = mask (Z.to_int (Z.root (Z.shift_left (Z.of_int p) (32 * k)) k))
let k = Array.of_list (List.map (root 3) primes)
let start = Array.of_list (List.map (root 2) (List.filteri (fun i _ -> i < 8) primes))

let hex text =
  let n = String.length text in
  let blocks = (n + 9 + 63) / 64 in
  let b = Bytes.make (64 * blocks) '\000' in
  Bytes.blit_string text 0 b 0 n;
  Bytes.set b n '\128';
  Bytes.set_int64_be b ((64 * blocks) - 8) (Int64.of_int (8 * n));
  let h = Array.copy start and w = Array.make 64 0 in
  let rotate x r = mask ((x lsr r) lor (x lsl (32 - r))) in
  for block = 0 to blocks - 1 do
    for t = 0 to 63 do
      w.(t) <- (if t < 16 then mask (Int32.to_int (Bytes.get_int32_be b ((64 * block) + (4 * t))))
        else
          let x = w.(t - 15) and y = w.(t - 2) in
          mask (w.(t - 16) + (rotate x 7 lxor rotate x 18 lxor (x lsr 3)) + w.(t - 7)
            + (rotate y 17 lxor rotate y 19 lxor (y lsr 10))))
    done;
    let v = Array.copy h in
    for t = 0 to 63 do
      let a = v.(0) and e = v.(4) in
      let t1 = mask (v.(7) + (rotate e 6 lxor rotate e 11 lxor rotate e 25)
        + ((e land v.(5)) lxor (mask (lnot e) land v.(6))) + k.(t) + w.(t)) in
      let t2 = mask ((rotate a 2 lxor rotate a 13 lxor rotate a 22)
        + ((a land v.(1)) lxor (a land v.(2)) lxor (v.(1) land v.(2)))) in
      Array.blit v 0 v 1 7;
      v.(4) <- mask (v.(4) + t1);
      v.(0) <- mask (t1 + t2)
    done;
    Array.iteri (fun i x -> h.(i) <- mask (h.(i) + x)) v
  done;
  String.concat "" (Array.to_list (Array.map (Printf.sprintf "%08x") h))
