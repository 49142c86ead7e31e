"use strict";
const $ = (id) => document.getElementById(id);
const fields = ["text", "epsilon", "delta", "relation", "direction", "digits"];
const usual = { relation: "ADD_OR_REMOVE_ONE", direction: "both", digits: 6 };

const sgd = (count, q, sigma) => `class_name: SelfComposedDpEvent
count: ${count}
event:
  class_name: PoissonSampledDpEvent
  sampling_probability: ${q}
  event: {class_name: GaussianDpEvent, noise_multiplier: ${sigma}}`;
const examples = [
  ["Gaussian noise", { text: "{class_name: GaussianDpEvent, noise_multiplier: 1}", delta: "1e-5" }],
  ["A training", { text: "sgd(sigma=1.1, batch=256, n=60000, epochs=15)", delta: "1e-5" }],
  ["DP-SGD, a claim", { text: sgd(3515, "256/60000", 1.3), epsilon: "1.19", delta: "1e-5" }],
  ["100 Laplace releases", { text: "{class_name: SelfComposedDpEvent, count: 100, event: {class_name: LaplaceDpEvent, noise_multiplier: 10}}", delta: "1e-6" }],
  ["A history of Opacus", { text: "[(1.1, 0.01, 1000), (0.9, 0.01, 200)]", delta: "1e-5" }],
  ["Two published claims", { text: `version: 1
claims:
  - id: tf-statement-pld
    event: {class_name: SelfComposedDpEvent, count: 5, event: {class_name: GaussianDpEvent, noise_multiplier: 1}}
    claim: {epsilon: 12.595248, delta: 1e-6}
  - id: recurve-energy
    event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.124, event: {class_name: EpsilonDeltaDpEvent, epsilon: 6.8, delta: 4.08e-8}}
    claim: {epsilon: 0.843, delta: 4.08e-8}` }],
];

let worker, ready, running = null, number = 0;

function start() {
  ready = new Promise((resolve) => {
    worker = new Worker("worker.js");
    worker.onmessage = ({ data }) => {
      if (data.ready) { say("Ready."); resolve(); return; }
      if (data.failed) { say("The engine did not start: " + data.failed); return; }
      if (running && data.id === running.id) running[data.kind](data.reply);
    };
    worker.onerror = (e) => { say("The engine has failed: " + e.message); done(); };
  });
}

function say(text) { $("status").textContent = text; }
function done() { running = null; $("ask").disabled = false; $("stop").disabled = true; }

function request() {
  const r = {};
  for (const f of fields) r[f] = $(f).value.trim();
  r.digits = Number(r.digits);
  return r;
}

function fill(r) {
  for (const f of fields) $(f).value = r[f] ?? usual[f] ?? "";
}

// The state of the page is in the fragment, which no server sees.
function link() {
  const p = new URLSearchParams();
  const r = request();
  for (const f of fields) if (r[f] !== "" && r[f] !== usual[f]) p.set(f, r[f]);
  return "#" + p;
}

async function ask() {
  if (running) return;
  const r = request();
  const id = ++number;
  $("ask").disabled = true;
  $("stop").disabled = false;
  history.replaceState(null, "", link());
  $("answer").replaceChildren();
  await ready;
  const begun = performance.now();
  say("Computing.");
  running = {
    id,
    answer(reply) {
      say(`Answered in ${((performance.now() - begun) / 1000).toFixed(1)} seconds.`);
      $("answer").replaceChildren(...(reply.error ? [failure(reply.error)] : reply.findings.map(finding)));
      if (reply.error) { done(); return; }
      worker.postMessage({ id, kind: "draw", request: r });
    },
    draw(graph) {
      const article = document.querySelector("article");
      if (article && !graph.error && graph.points.length > 1) article.insertBefore(draw(graph.points, article.point, article.verdict), article.querySelector("h3"));
      done();
    },
  };
  worker.postMessage({ id, kind: "answer", request: r });
}

function element(name, text, attributes = {}) {
  const e = document.createElement(name);
  if (text) e.textContent = text;
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  return e;
}

function failure(text) {
  const a = element("article");
  a.append(element("p", "That cannot be answered.", { class: "verdict error" }), element("pre", text));
  return a;
}

function finding(f) {
  const a = element("article");
  a.point = f.point;
  a.verdict = f.verdict;
  if (f.title) a.append(element("h2", f.title));
  if (f.verdict) a.append(element("p", f.verdict, { class: "verdict " + f.verdict }));
  a.append(element("p", f.words, { class: "words" }));
  if (f.bounds) {
    const t = element("table");
    t.append(element("caption", "Proved: the truth lies in these intervals"));
    for (const b of f.bounds) {
      const row = element("tr");
      row.append(element("th", b.of, { scope: "row" }), element("td", b.lo === b.hi ? "= " + b.lo : `[${b.lo}, ${b.hi}]`));
      t.append(row);
    }
    a.append(t);
  }
  for (const text of f.remarks ?? []) a.append(element("p", text));
  a.append(element("h3", "What was assumed"));
  const list = element("ul");
  if (f.event) list.append(element("li", f.event));
  for (const text of f.assumptions ?? []) list.append(element("li", text));
  if (f.methods?.length) list.append(element("li", "Bounded by: " + f.methods.join(", ")));
  a.append(list);
  if (f.command) {
    a.append(element("h3", "The same from the program"));
    const pre = element("pre");
    pre.append(element("code", f.command));
    a.append(pre);
  }
  return a;
}

// Between two points δ falls and is convex in t = e^ε: a chord of upper bounds is above it, and
// a chord through a lower and an upper bound on one side, extended, is below it.
function between(points) {
  const out = [];
  // (e^eps − e^a) / (e^b − e^a), also where e^b is beyond the greatest number.
  const share = (eps, a, b) => Math.expm1(eps - a) / Math.expm1(b - a);
  const through = (i, j, eps) => {
    const y = points[i][2] + (points[j][1] - points[i][2]) * share(eps, points[i][0], points[j][0]);
    return Number.isNaN(y) ? 0 : y;
  };
  for (let i = 0; i + 1 < points.length; i++) {
    for (let k = 0; k < 8; k++) {
      const eps = points[i][0] + (points[i + 1][0] - points[i][0]) * k / 8;
      const hi = points[i][2] + (points[i + 1][2] - points[i][2]) * share(eps, points[i][0], points[i + 1][0]);
      let lo = points[i + 1][1];
      if (k === 0) lo = points[i][1];
      if (k > 0 && i > 0) lo = Math.max(lo, through(i - 1, i, eps));
      if (k > 0 && i + 2 < points.length) lo = Math.max(lo, through(i + 2, i + 1, eps));
      out.push([eps, lo, hi]);
    }
  }
  out.push(points[points.length - 1]);
  return out;
}

function draw(points, point, verdict) {
  const W = 720, H = 380, L = 76, R = 16, T = 18, B = 52;
  const end = points[points.length - 1][0];
  const uppers = points.map((p) => p[2]).filter((d) => d > 0);
  const claimed = point ? [Number(point[0]), Number(point[1])] : null;
  const onGraph = claimed && claimed[0] >= 0 && claimed[0] <= end && claimed[1] > 0;
  if (onGraph) uppers.push(claimed[1]);
  const top = Math.ceil(Math.log10(Math.max(...uppers, 1e-9))), bottom = Math.max(-14, Math.min(top - 1, Math.floor(Math.log10(Math.min(...uppers, 1)))));
  const x = (e) => L + (W - L - R) * e / end;
  const y = (d) => T + (H - T - B) * Math.min(1, (top - Math.log10(Math.max(d, 1e-300))) / (top - bottom));
  const NS = "http://www.w3.org/2000/svg";
  const add = (to, name, attributes, text) => {
    const e = document.createElementNS(NS, name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    to.append(e);
    return e;
  };
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", `0 0 ${W} ${H}`);
  svg.setAttribute("role", "img");
  if (verdict) svg.setAttribute("class", verdict);
  svg.setAttribute("aria-label", `δ over ε from 0 to ${end.toPrecision(3)}: it falls from ${points[0][2].toPrecision(2)} to ${points[points.length - 1][2].toPrecision(2)}` + (onGraph ? `; the claim is at ε = ${point[0]}, δ = ${point[1]}` : ""));
  const step = Math.max(1, Math.ceil((top - bottom) / 5));
  for (let k = bottom; k <= top; k += step) {
    add(svg, "line", { class: "grid", x1: L, x2: W - R, y1: y(10 ** k), y2: y(10 ** k) });
    add(svg, "text", { x: L - 8, y: y(10 ** k) + 5, "text-anchor": "end" }, k === 0 ? "1" : "1e" + k);
  }
  const raw = end / 5, unit = 10 ** Math.floor(Math.log10(raw)), tick = unit * [1, 2, 5, 10].find((m) => m * unit >= raw);
  for (let i = 0; i * tick <= end * 1.0001; i++) {
    add(svg, "line", { class: "grid", x1: x(i * tick), x2: x(i * tick), y1: T, y2: H - B });
    add(svg, "text", { x: x(i * tick), y: H - B + 22, "text-anchor": "middle" }, String(Number((i * tick).toPrecision(6))));
  }
  add(svg, "text", { x: (L + W - R) / 2, y: H - 6, "text-anchor": "middle" }, "ε");
  add(svg, "text", { x: 6, y: T + 2 }, "δ");
  const band = between(points);
  add(svg, "path", { class: "band", d: "M" + band.map((p) => `${x(p[0])},${y(p[2])}`).join("L") + "L" + band.reverse().map((p) => `${x(p[0])},${y(p[1])}`).join("L") + "Z" });
  if (onGraph) {
    const [cx, cy] = [x(claimed[0]), y(claimed[1])];
    add(svg, "path", { class: "mark", d: `M${L},${cy}H${cx}V${H - B}` });
    add(svg, "circle", { class: "dot", cx, cy, r: 5 });
    add(svg, "text", { x: Math.min(cx + 10, W - 90), y: cy - 8 }, "the claim");
  }
  return svg;
}

$("form").addEventListener("submit", (e) => { e.preventDefault(); ask(); });
$("text").addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); $("form").requestSubmit(); } });
$("stop").addEventListener("click", () => { worker.terminate(); done(); say("Stopped."); start(); });
$("share").addEventListener("click", async () => {
  history.replaceState(null, "", link());
  try { await navigator.clipboard.writeText(location.href); say("The link is copied."); } catch { say("The address of this page is the link: " + location.href); }
});
for (const [name, r] of examples) {
  const b = element("button", name, { type: "button" });
  b.addEventListener("click", () => { if (running) return; fill(r); ask(); });
  $("examples").append(b);
}
function open() {
  const p = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (p.text) { fill(p); $("form").requestSubmit(); } else fill(examples[0][1]);
}
window.addEventListener("hashchange", () => { if (!running) open(); });
if ("serviceWorker" in navigator && location.protocol.startsWith("http")) navigator.serviceWorker.register("offline.js").catch(() => {});
start();
open();
