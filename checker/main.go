// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Checker convinces itself of the verdicts on claims of privacy, from certificates:
//
//	checker FILE… DIR
//
// It reads the claims files itself, and of DIR the certificate of each claim, which it takes for
// nothing but evidence: what has to be shown follows from the claim. It prints a line a claim,
// ACCEPTED id verdict, REJECTED id: reason, or NONE id where there is no certificate. The exit
// status is 0 if none is rejected, 1 otherwise, 2 if it could not run.
//
// It shares no code with the program that writes certificates, and uses nothing but the
// standard library. docs/checker.md has its argument.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

func main() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(600) // much garbage, little that stays
	debug.SetMemoryLimit(1 << 30)
	os.Exit(program(os.Args[1:], os.Stdout, os.Stderr))
}

func program(args []string, stdout, stderr io.Writer) (status int) {
	if len(args) < 2 {
		fmt.Fprintln(stderr, "usage: checker FILE… DIR")
		return 2
	}
	files, dir := args[:len(args)-1], args[len(args)-1]
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		fmt.Fprintf(stderr, "checker: %s is no directory\n", dir)
		return 2
	}
	for _, file := range files {
		claims, err := readClaims(contents(file))
		if err != nil {
			fmt.Fprintf(stderr, "checker: %s: %v\n", file, err)
			return 2
		}
		for _, c := range claims {
			id := strconv.Quote(c.id)
			if id == `"`+c.id+`"` && !strings.Contains(id, " ") {
				id = c.id
			}
			verdict, err := c.check(contents(filepath.Join(dir, fileName(c.id))))
			line := "ACCEPTED " + id + " " + verdict
			if errors.Is(err, fs.ErrNotExist) {
				line = "NONE " + id
			} else if err != nil {
				line, status = fmt.Sprintf("REJECTED %s: %v", id, err), 1
			}
			if _, err := fmt.Fprintln(stdout, line); err != nil {
				return 2
			}
		}
	}
	return status
}

// contents reads a file that is not too long.
func contents(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, errors.New("no file, or one that is too long")
	}
	return os.ReadFile(name)
}

var unusual = regexp.MustCompile(`[^0-9A-Za-z_-]`)

// fileName is the name of the certificate of a claim: its id, with bytes other than letters,
// digits, - and _ as % and two hexadecimal digits, cut to 100 of them.
func fileName(id string) string {
	name := unusual.ReplaceAllStringFunc(id, func(s string) string {
		return "%" + strings.ReplaceAll(fmt.Sprintf("% x", s), " ", "%")
	})
	return name[:min(len(name), 100)] + ".evidence"
}
