// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"dpverify/ask/audit/toy"
	"dpverify/internal/document"
	"dpverify/internal/terminal"
	"dpverify/internal/testkit"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"verify":        main,
		"toy":           func() { serveToy(toy.None) },
		"toy-wrong":     func() { serveToy(toy.ForgetsCount) },
		"toy-refuses":   func() { answerAll(`"error":"<script>alert(1)</script>"`) },
		"toy-estimates": func() { answerAll(`"value":"inf"`) },
		"toy-zero":      func() { answerAll(`"value":0`) },
		"toy-one":       func() { answerAll(`"value":1`) },
		"toy-mistakes":  func() { answerAll(`"adapter_error":"KeyError: 'sigma' (adapter.py:7)"`) },
		"toy-twice":     func() { answerAll(`"upper":1,"upper":2`) },
		"toy-slow":      func() { time.Sleep(terminal.LinesAfter + time.Second); answerAll(`"upper":"inf"`) },
	})
}

// serveToy is an accountant for `verify audit`.
func serveToy(bug toy.Bug) {
	if err := toy.Serve(os.Stdin, os.Stdout, bug); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// answerAll is an accountant that answers everything alike.
func answerAll(answer string) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		n, err := document.ParseJSON(lines.Bytes())
		if err != nil {
			panic(err)
		}
		fmt.Printf("{\"id\":%s,%s}\n", n.Get("id").JSON(), answer)
	}
}

// The scripts of testdata/script show what every command does, on the built
// binary.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(name string) (bool, error) {
			switch name {
			case "long": // takes seconds
				return testkit.Long(), nil
			case "thorough": // takes some of a second, and tests of packages show nearly as much; a step of .ci/run
				return testkit.Thorough(), nil
			}
			return false, fmt.Errorf("unknown condition %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": scriptStatus,
		},
	})
}

// scriptStatus implements "status N command…": run the command and demand its
// exit status.
func scriptStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
