// δ over ε, drawn; as a file of its own, and as numbers.
"use strict";

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

const power = (k) => k <= 0 && k >= -3 ? String(10 ** k) : "1e" + k;

// draw draws points at a width in pixels, so that its words have the size of others, and marks a point with a label.
function draw(points, point, label, verdict, width) {
  const W = Math.max(300, width), H = Math.min(380, Math.round(W * 0.6)), L = 52, R = 14, T = 26, B = 44;
  const end = points[points.length - 1][0];
  const uppers = points.map((p) => p[2]).filter((d) => d > 0);
  const marked = point ? [Number(point[0]), Number(point[1])] : null;
  const onGraph = marked && marked[0] >= 0 && marked[0] <= end && marked[1] > 0;
  if (onGraph) uppers.push(marked[1]);
  const top = Math.ceil(Math.log10(Math.max(...uppers, 1e-9))), bottom = Math.max(-12, Math.min(top - 1, Math.floor(Math.log10(Math.min(...uppers, 1)))));
  const x = (e) => L + (W - L - R) * e / end;
  const y = (d) => T + (H - T - B) * (top - Math.log10(Math.max(d, 1e-300))) / (top - bottom);
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
  svg.setAttribute("width", W);
  svg.setAttribute("height", H);
  svg.setAttribute("role", "img");
  svg.setAttribute("class", verdict || "answered");
  svg.setAttribute("aria-label", `δ over ε from 0 to ${end.toPrecision(3)}: it falls from ${points[0][2].toPrecision(2)} to ${points[points.length - 1][2].toPrecision(2)}` + (onGraph ? `; marked at ε = ${point[0]}, δ = ${point[1]}` : ""));
  add(add(svg, "clipPath", { id: "frame" }), "rect", { x: L, y: T, width: W - L - R, height: H - T - B });
  const step = Math.max(1, Math.ceil((top - bottom) / 6));
  for (let k = top; k >= bottom; k -= step) {
    add(svg, "line", { class: "grid", x1: L, x2: W - R, y1: y(10 ** k), y2: y(10 ** k) });
    add(svg, "text", { x: L - 7, y: y(10 ** k) + 4, "text-anchor": "end" }, power(k));
  }
  const raw = end / (W < 500 ? 4 : 7), unit = 10 ** Math.floor(Math.log10(raw)), tick = unit * [1, 2, 5, 10].find((m) => m * unit >= raw);
  for (let i = 0; i * tick <= end * 1.0001; i++) {
    add(svg, "line", { class: "grid", x1: x(i * tick), x2: x(i * tick), y1: T, y2: H - B });
    add(svg, "text", { x: x(i * tick), y: H - B + 18, "text-anchor": "middle" }, String(Number((i * tick).toPrecision(6))));
  }
  add(svg, "text", { x: (L + W - R) / 2, y: H - 6, "text-anchor": "middle" }, "ε (nats)");
  add(svg, "text", { x: 4, y: 14 }, "δ(ε)");
  const band = between(points);
  add(svg, "path", { class: "band", "clip-path": "url(#frame)", d: "M" + band.map((p) => `${x(p[0]).toFixed(2)},${y(p[2]).toFixed(2)}`).join("L") + "L" + band.reverse().map((p) => `${x(p[0]).toFixed(2)},${y(p[1]).toFixed(2)}`).join("L") + "Z" });
  if (onGraph) {
    const [cx, cy] = [x(marked[0]), y(marked[1])];
    add(svg, "path", { class: "mark", d: `M${L},${cy}H${cx}V${H - B}` });
    add(svg, "circle", { class: "dot", cx, cy, r: 5 });
    const left = cx > W * 0.6;
    add(svg, "text", { class: "label", x: left ? cx - 10 : cx + 10, y: left ? cy + 18 : cy - 8, "text-anchor": left ? "end" : "start" }, label);
  }
  return svg;
}

// file is a drawing that brings its looks.
function file(svg) {
  const copy = svg.cloneNode(true);
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = `svg{background:${color("--paper")};color:${getComputedStyle(svg).color}}text{fill:${color("--ink")};font:13px sans-serif}.grid{stroke:${color("--line")}}.band{fill:${color("--band")};stroke:${color("--band")};stroke-width:1.5;stroke-linejoin:round}.mark{stroke:currentColor;stroke-dasharray:4 3;fill:none}.dot{fill:currentColor}`;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.prepend(style);
  return copy.outerHTML;
}

function csv(points) { return "epsilon,delta_lo,delta_hi\n" + points.map((p) => p.join(",")).join("\n") + "\n"; }

function save(name, type, text) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(new Blob([text], { type }));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}
