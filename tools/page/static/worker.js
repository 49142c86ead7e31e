// The engine in a thread of its own: requests in, replies out.
"use strict";
importScripts("wasm_exec.js", "xz-decompress.min.js");
self.dpverifyReady = () => postMessage({ ready: true });
onmessage = async ({ data }) => {
  const f = data.kind === "draw" ? self.dpverifyDraw : self.dpverifyAnswer;
  postMessage({ id: data.id, kind: data.kind, reply: JSON.parse(await f(JSON.stringify(data.request))) });
};
(async () => {
  const go = new Go();
  // The file is compressed, so that any server of files will do.
  const packed = await fetch("dpverify.wasm.xz");
  if (!packed.ok) throw new Error("dpverify.wasm.xz: " + packed.status);
  const { XzReadableStream } = self["xz-decompress"];
  const bytes = await new Response(new XzReadableStream(packed.body)).arrayBuffer();
  const { instance } = await WebAssembly.instantiate(bytes, go.importObject);
  go.run(instance);
})().catch((e) => postMessage({ failed: String(e) }));
