// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !(js && wasm)

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr,
		"wasm: this is for browsers; build it with GOOS=js GOARCH=wasm, or run: go run ./release -only page")
	os.Exit(2)
}
