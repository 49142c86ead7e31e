// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Checker convinces itself of the verdicts on claims of privacy, from certificates:
//
//	checker [-all] [-v] FILE… DIR
//	checker -coq ID FILE
//
// It reads the claims files itself, and of DIR the certificate of each claim, which it takes for
// nothing but evidence: what has to be shown follows from the claim. It prints a line a claim,
// ACCEPTED id verdict, REJECTED id: reason, or NONE id where there is no certificate, and how many of each. The exit
// status is 0 if none is rejected, 1 otherwise, 2 if it could not run; with -all, NONE is 1, too. With -v, each line is
// followed by what was read of the claim, which is what a certificate is for. With -coq, it prints what a claim says in
// the words of proofs/theory, and nothing else.
//
// It shares no code with the program that writes certificates, and uses nothing but the
// standard library. docs/checker.md has its argument.
package main

import (
	"errors"
	"flag"
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
	flags := flag.NewFlagSet("checker [-all] [-v] FILE… DIR", flag.ContinueOnError)
	flags.SetOutput(stderr)
	all := flags.Bool("all", false, "exit status 1 also where a claim has no certificate")
	verbose := flags.Bool("v", false, "print what was read of each claim")
	statement := flags.String("coq", "", "print what the claim with this id in FILE says, for Coq")
	if err := flags.Parse(args); err != nil {
		return 2
	} else if *statement != "" && flags.NArg() == 1 {
		return state(*statement, flags.Arg(0), stdout, stderr)
	} else if flags.NArg() < 2 {
		flags.Usage()
		return 2
	}
	counts, files, dir := make(map[string]int), flags.Args()[:flags.NArg()-1], flags.Arg(flags.NArg()-1)
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
			word, rest := "ACCEPTED", " "+verdict
			if errors.Is(err, fs.ErrNotExist) {
				word, rest = "NONE", ""
			} else if err != nil {
				word, rest, status = "REJECTED", ": "+err.Error(), 1
			}
			counts[word]++
			if rest = id + rest + "\n"; *verbose {
				rest += c.words()
			}
			if _, err := io.WriteString(stdout, word+" "+rest); err != nil {
				return 2
			}
		}
	}
	if *all && counts["NONE"] > 0 {
		status = 1
	}
	accepted, rejected, none := counts["ACCEPTED"], counts["REJECTED"], counts["NONE"]
	if _, err := fmt.Fprintf(stdout, "%d ACCEPTED, %d REJECTED, %d NONE\n", accepted, rejected, none); err != nil {
		return 2
	}
	return status
}

// words are what was read of a claim, each line of the statement that its certificate is for, or why that is none.
func (c *claim) words() string {
	text := c.statement
	if c.problem != nil {
		text = fmt.Sprintf("not understood: %q\n", c.problem)
	} else if c.stated {
		text += "STATED: the event says that itself\n"
	}
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
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
