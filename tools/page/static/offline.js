// Keeps the files of the page, so that it works without a network. VERSION names this release.
"use strict";
const CACHE = "dpverify-VERSION";
const FILES = ["./", "page.css", "mark.svg", "graph.js", "form.js", "page.js", "worker.js", "wasm_exec.js", "xz-decompress.min.js", "dpverify.wasm.xz", "trust.txt", "format.txt"];
self.addEventListener("install", (e) => e.waitUntil(caches.open(CACHE).then((c) => c.addAll(FILES)).then(() => self.skipWaiting())));
self.addEventListener("activate", (e) => e.waitUntil(caches.keys().then((names) => Promise.all(names.filter((n) => n.startsWith("dpverify-") && n !== CACHE).map((n) => caches.delete(n)))).then(() => self.clients.claim())));
// Every name of the page is "./": a server may redirect index.html, and no navigation may be answered by a redirection.
self.addEventListener("fetch", (e) => e.respondWith(caches.match(e.request.mode === "navigate" ? "./" : e.request, { ignoreSearch: true }).then((r) => r || fetch(e.request))));
