// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build js && wasm

// Wasm is the engine for a worker of a browser: it sets dpverifyAnswer and dpverifyDraw, which
// take a request as JSON and return a promise of the reply, and then calls dpverifyReady.
package main

import (
	"context"
	"syscall/js"

	"dpverify/tools/page"
)

func main() {
	export := func(name string, f func(context.Context, []byte) []byte) {
		js.Global().Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any {
			request := []byte(args[0].String())
			return js.Global().Get("Promise").New(js.FuncOf(func(_ js.Value, settle []js.Value) any {
				go func() { settle[0].Invoke(string(f(context.Background(), request))) }()
				return nil
			}))
		}))
	}
	export("dpverifyAnswer", page.Answer)
	export("dpverifyDraw", page.Draw)
	js.Global().Call("dpverifyReady")
	select {}
}
