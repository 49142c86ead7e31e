// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Toy is a tiny accountant that speaks the protocol of `verify audit`: a model for
// adapters, and something to try the command on.
//
//	go build -o toy ./adapters/toy
//	verify audit -- ./toy
//	verify audit -- ./toy -wrong
package main

import (
	"flag"
	"fmt"
	"os"

	"dpverify/ask/audit/toy"
)

func main() {
	wrong := flag.Bool("wrong", false, "forget the count of a composition of Laplace noise with itself")
	flag.Parse()
	bug := toy.None
	if *wrong {
		bug = toy.ForgetsCount
	}
	if err := toy.Serve(os.Stdin, os.Stdout, bug); err != nil {
		fmt.Fprintln(os.Stderr, "toy:", err)
		os.Exit(1)
	}
}
