// The form of a training, and the text that it writes.
"use strict";
const $ = (id) => document.getElementById(id);
const usual = { relation: "ADD_OR_REMOVE_ONE", direction: "both", digits: 6 };
const fields = ["text", "epsilon", "delta", ...Object.keys(usual)];
const training = ["sigma", "records", "batch", "length", "unit", "sampling"];

function wish() { return document.querySelector("input[name=wish]:checked").value; }

// The text of the form; with noise asked for, σ is unknown.
function written() {
  const v = Object.fromEntries(training.map((f) => [f, $(f).value.trim()]));
  const sigma = wish() === "noise" ? "?" : v.sigma;
  if (v.sampling === "all") return `gaussian(${sigma}) * ${v.length}`;
  const rate = Number(v.batch) < 1;
  if (rate && v.unit === "steps") return `poisson(${v.batch}, gaussian(${sigma})) * ${v.length}`;
  // A rate is a batch of so many of one record, and an epoch has 1/rate steps.
  return `sgd(sigma=${sigma}, batch=${v.batch}, n=${rate ? 1 : v.records}, ${v.unit}=${v.length})`;
}

// What of the form is asked for: of all records, steps are counted.
function fit() {
  const w = wish(), all = $("sampling").value === "all";
  $("sigma").disabled = w === "noise";
  $("sigma").placeholder = w === "noise" ? "what is asked" : "";
  if (all) $("unit").value = "steps";
  for (const id of ["records", "batch", "unit"]) $(id).disabled = all;
  $("epsilon").disabled = w === "epsilon";
  $("delta").disabled = w === "delta";
  $("epsilon").placeholder = w === "epsilon" ? "what is asked" : "1";
  $("delta").placeholder = w === "delta" ? "what is asked" : "1e-5";
}

function write() { fit(); $("text").value = written(); $("unused").hidden = true; }

function request() {
  const r = {};
  for (const f of fields) r[f] = $(f).value.trim();
  if ($("epsilon").disabled) r.epsilon = "";
  if ($("delta").disabled) r.delta = "";
  r.digits = Number(r.digits);
  return r;
}

const shapes = [
  [/^sgd\(sigma=([^,?]+|\?), batch=([^,]+), n=([^,]+), (epochs|steps)=([^,)]+)\)$/, (m) => ({ sigma: m[1], batch: m[2], records: m[3], unit: m[4], length: m[5], sampling: "poisson" })],
  [/^gaussian\(([^,()?]+|\?)\) \* (\d+)$/, (m) => ({ sigma: m[1], length: m[2], unit: "steps", sampling: "all" })],
];

// fill shows a request: in the form, if it is one that the form writes.
function fill(r) {
  for (const f of fields) $(f).value = r[f] ?? usual[f] ?? "";
  let own = true;
  for (const [shape, values] of shapes) {
    const m = r.text.match(shape);
    if (!m) continue;
    for (const [k, v] of Object.entries(values(m))) if (v !== "?") $(k).value = v;
    own = false;
  }
  const noise = r.text.includes("?");
  document.querySelector(`input[name=wish][value=${noise ? "noise" : r.epsilon && r.delta ? "claim" : r.epsilon ? "delta" : "epsilon"}]`).checked = true;
  $("own").open = own || ["relation", "direction", "digits"].some((f) => String(r[f] ?? usual[f]) !== String(usual[f]));
  $("unused").hidden = !own;
  fit();
}

// The state of the page is in the fragment, which no server sees.
function link() {
  const p = new URLSearchParams();
  const r = request();
  for (const f of fields) if (r[f] !== "" && r[f] !== usual[f]) p.set(f, r[f]);
  return "#" + p;
}

for (const id of training) $(id).addEventListener("input", write);
$("text").addEventListener("input", () => { $("unused").hidden = shapes.some(([s]) => s.test($("text").value)); });
$("wish").addEventListener("input", () => { if (shapes.some(([s]) => s.test($("text").value))) write(); else fit(); });
