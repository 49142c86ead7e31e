// Asks the engine and shows what it answers.
"use strict";

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

let worker, ready, running = null, number = 0, early = null;

function start() {
  if (location.protocol === "file:") {
    $("ask").disabled = true;
    say("A browser starts no engine from a file. Serve this folder: run python3 -m http.server in it, and open http://localhost:8000.");
    return;
  }
  ready = new Promise((resolve) => {
    worker = new Worker("worker.js");
    worker.onmessage = ({ data }) => {
      if (data.ready) {
        say("Ready.");
        resolve();
        // A browser compiles what is called for the first time, which takes longer than most answers: so the form is asked
        // as it stands, before anybody does.
        if (running) return;
        early = { key: JSON.stringify(request()) };
        worker.postMessage({ id: 0, kind: "answer", request: request() });
        return;
      }
      if (data.id === 0) {
        early.reply = data.reply;
        if (running?.waits) running.answer(data.reply);
        return;
      }
      if (data.failed) { say("The engine did not start: " + data.failed); return; }
      if (running && data.id === running.id) running[data.kind](data.reply);
    };
    worker.onerror = (e) => { say("The engine has failed: " + e.message); done(); };
  });
}

function say(text) { $("status").textContent = text; }
function done() { running = null; $("ask").disabled = false; $("stop").disabled = true; }

async function ask() {
  if (running || !ready) return;
  const r = request();
  const id = ++number;
  $("ask").disabled = true;
  $("stop").disabled = false;
  for (const e of document.querySelectorAll("[aria-invalid]")) e.removeAttribute("aria-invalid");
  history.replaceState(null, "", link());
  await ready;
  const begun = performance.now();
  say("Computing.");
  running = {
    id,
    answer(reply) {
      say(reply.error ? "Not answered." : `Answered in ${((performance.now() - begun) / 1000).toFixed(1)} seconds.`);
      $("answer").replaceChildren(...(reply.error ? [failure(reply.error)] : reply.findings.map(finding)));
      reveal();
      if (reply.error) { done(); return; }
      const f = reply.findings[0];
      worker.postMessage({ id, kind: "draw", request: { ...r, text: f.text ?? r.text } });
    },
    draw(graph) {
      const article = document.querySelector("article");
      const at = article?.querySelector("figure");
      if (at && !graph.error && graph.points.length > 1) {
        const svg = draw(graph.points, article.finding.point, marked(article.finding), article.finding.verdict, at.clientWidth);
        at.replaceChildren(svg, buttons([
          ["Graph as SVG", () => save("delta.svg", "image/svg+xml", file(svg))],
          ["Numbers as CSV", () => save("delta.csv", "text/csv", csv(graph.points))],
        ]));
        if (graph.remark) at.append(element("p", graph.remark, { class: "hint" }));
      } else if (at && graph.error) at.replaceChildren(element("p", "No graph: " + graph.error, { class: "hint" }));
      else at?.remove();
      done();
    },
  };
  if (early?.key !== JSON.stringify(r)) worker.postMessage({ id, kind: "answer", request: r });
  else if (early.reply) running.answer(early.reply);
  else running.waits = true;
}

// reveal shows an answer to those who would not see it: below the fold it is scrolled to, and its heading has the focus.
function reveal() {
  const heading = $("answer").querySelector("h2");
  const top = heading.getBoundingClientRect().top;
  if (top < 0 || top > innerHeight * 0.6) $("answer").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  heading.focus({ preventScroll: true });
}

function marked(f) {
  if (f.verdict) return "the claim";
  if (!f.quote || f.text) return "";
  return /^(ε|δ)/.test(f.quote) ? f.quote : f.words.includes("no δ below") ? "δ ≤ " + f.quote : "ε ≤ " + f.quote;
}

function element(name, text, attributes = {}) {
  const e = document.createElement(name);
  if (text) e.textContent = text;
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  return e;
}

function buttons(list) {
  const p = element("p", "", { class: "buttons small" });
  for (const [name, act] of list) {
    const b = element("button", name, { type: "button" });
    b.addEventListener("click", act);
    p.append(b);
  }
  return p;
}

const copied = (text) => async () => {
  try { await navigator.clipboard.writeText(text); say("Copied: " + text); } catch { say("Nothing could be copied. It is: " + text); }
};

function failure(message) {
  const a = element("article");
  const text = message.replace(/^claim\.epsilon\b/, "ε").replace(/^claim\.delta\b/, "δ"); // as the form names them
  a.append(element("h2", "That cannot be answered.", { class: "verdict error", tabindex: -1 }), element("p", text, { class: "words reason" }));
  for (const [id, names] of [["epsilon", /^ε /], ["delta", /^δ /], ["sigma", /noise_multiplier|\bsigma\b/], ["batch", /\bbatch\b/], ["records", /\bn =/]]) {
    if (names.test(text) && !$(id).disabled) $(id).setAttribute("aria-invalid", "true");
  }
  return a;
}

// unbroken appends a text in which no power of ten is broken at its minus sign, and nothing like ε = 1 at its spaces.
function unbroken(to, text) {
  text.split(/([εδ] [=≤] \S+|\S*\de-\d+\S*)/).forEach((part, i) => to.append(i % 2 ? element("span", part, { class: "power" }) : part));
  return to;
}

// Small numbers by their powers of ten: 0.0000103716 is 1.03716e-5.
function short(text) {
  const m = text.match(/^(-?)0\.(0{4,})([1-9])(\d*)$/);
  return m ? `${m[1]}${m[3]}${m[4] ? "." + m[4] : ""}e-${m[2].length + 1}` : text;
}

function finding(f) {
  const a = element("article");
  a.finding = f;
  const heading = element("h2", f.title || (f.verdict ? "" : marked(f) || f.quote || "Answer"), { tabindex: -1 });
  if (f.verdict) heading.append(f.title ? " " : "", element("span", f.verdict, { class: "verdict " + f.verdict }));
  else heading.className = "quote";
  a.append(heading, unbroken(element("p", "", { class: "words" }), f.words));
  if (f.counted) a.append(element("p", f.counted, { class: "counted" }));
  const copies = [["Copy the sentence", copied(f.words)]];
  if (f.quote) copies.unshift(["Copy the number", copied(f.quote)]);
  if (f.command) copies.push(["Copy the command", copied(f.command)]);
  a.append(buttons(copies), element("figure", "", { class: "graph" }));
  if (f.bounds) {
    const t = element("table");
    t.append(element("caption", "Proved: the truth lies in these intervals"));
    for (const b of f.bounds) {
      const row = element("tr");
      row.append(element("th", b.of, { scope: "row" }), element("td", b.lo === b.hi ? "= " + short(b.lo) : `[${short(b.lo)}, ${short(b.hi)}]`));
      t.append(row);
    }
    a.append(t);
  }
  for (const text of f.remarks ?? []) a.append(element("p", text));
  a.append(element("h3", "What was assumed"));
  const list = element("ul");
  if (f.event) list.append(element("li", f.event));
  for (const text of f.assumptions ?? []) list.append(element("li", text));
  a.append(list);
  if (f.methods?.length) a.append(element("p", "Bounded by: " + f.methods.join(", "), { class: "hint" }));
  if (f.command) {
    a.append(element("h3", "The same from the program"));
    const pre = element("pre");
    pre.append(element("code", f.command));
    a.append(pre);
  }
  return a;
}

$("form").addEventListener("submit", (e) => { e.preventDefault(); ask(); });
$("text").addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); $("form").requestSubmit(); } });
$("stop").addEventListener("click", () => { worker.terminate(); early = null; done(); say("Stopped."); start(); });
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
  if (p.text) { fill(p); $("form").requestSubmit(); } else fill(examples[1][1]);
}
window.addEventListener("hashchange", () => { if (!running) open(); });
if ("serviceWorker" in navigator && location.protocol.startsWith("http")) navigator.serviceWorker.register("offline.js").catch(() => {});
start();
open();
