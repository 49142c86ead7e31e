// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestQuestions: there are 500, each has a name of its own, and the table knows all of them and no others.
func TestQuestions(t *testing.T) {
	table, err := readTable("table.txt")
	if err != nil {
		t.Fatal(err)
	}
	qs := questions()
	if len(qs) != 500 || len(table) != 500 {
		t.Errorf("%d questions and %d rows, want 500", len(qs), len(table))
	}
	for _, q := range qs {
		if _, ok := table[q.name]; !ok {
			t.Errorf("%s is not in the table", q.name)
		}
		delete(table, q.name)
	}
	for name := range table {
		t.Errorf("%s is no question", name)
	}
}

// TestArgs: what stands between quotes is one argument.
func TestArgs(t *testing.T) {
	q := question{"", "epsilon --delta 1e-6 'laplace(2) * 3' --digits 4"}
	if got := strings.Join(q.args(), "|"); got != "epsilon|--delta|1e-6|laplace(2) * 3|--digits|4" {
		t.Error(got)
	}
}

// program writes a shell script that answers as the command does.
func program(t *testing.T, script string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "verify")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

const reply = `echo '{"answers": [{"lo": "%s", "hi": "%s", "complete": %v}]}'` + "\n"

// TestCompare: what is wider, disjoint or open is reported, and what is as before is not.
func TestCompare(t *testing.T) {
	for _, test := range []struct {
		lo, hi   string
		complete bool
		was      answer
		want     string
		err      bool
	}{
		{"1.0", "1.1", true, answer{"threshold-01", 9, "1.0", "1.1", true}, "1 questions, 0 not complete", false},
		{"1.0", "1.3", true, answer{"threshold-01", 9, "1.0", "1.1", true}, "wider ", false},
		{"1.0", "inf", true, answer{"threshold-01", 9, "1.0", "1.1", true}, "wider ", false},
		{"1.0", "1.1", false, answer{"threshold-01", 9, "1.0", "1.1", true}, "open ", false},
		{"1.2", "1.3", true, answer{"threshold-01", 9, "1.0", "1.1", true}, "", true},
		{"1.0", "1.1", true, answer{"another", 9, "1.0", "1.1", true}, "new ", false},
	} {
		ask := asker{program(t, fmt.Sprintf(reply, test.lo, test.hi, test.complete)), time.Minute}
		var out bytes.Buffer
		after, err := compare(context.Background(), ask, regexp.MustCompile("threshold-01"), map[string]answer{test.was.name: test.was}, &out)
		if (err != nil) != test.err || !strings.Contains(out.String(), test.want) || after["threshold-01"].lo != test.lo {
			t.Errorf("%+v: %v\n%s", test, err, out.String())
		}
		if strings.Contains(test.want, "questions") && strings.Contains(out.String(), "was ") {
			t.Errorf("%+v: reported\n%s", test, out.String())
		}
	}
}

// TestLimit: a program is interrupted once it has used its time of the CPU, and its answer is taken.
func TestLimit(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc")
	}
	ask := asker{program(t, "trap 'end=1' INT\nwhile [ -z \"$end\" ]; do :; done\n"+fmt.Sprintf(reply, "1", "2", false)), 50 * time.Millisecond}
	a, err := ask.ask(context.Background(), question{"endless", "epsilon"})
	if err != nil || a.complete || a.seconds < 0.05 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestSearch: a walk finds a jump, also where it takes many steps at once.
func TestSearch(t *testing.T) {
	ask := asker{program(t, `case "$2" in 1*|2.0*) `+strings.TrimSpace(fmt.Sprintf(reply, "1", "2", true))+`;; *) `+
		strings.TrimSpace(fmt.Sprintf(reply, "1", "9", false))+";; esac\n"), time.Minute}
	w := walk{"toy", 1, 4, func(x float64) string { return "epsilon " + short(x) }}
	for _, stride := range []int{1, 8} {
		var out bytes.Buffer
		if err := w.search(context.Background(), ask, stride, &out); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "jump"); n != 1 {
			t.Errorf("stride %d: %d jumps\n%s", stride, n, out.String())
		}
	}
}

// TestTableIsReadAgain: what is written is read, and a broken line is named.
func TestTableIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "table.txt")
	a := answer{"threshold-01", 0.5, "1", "inf", false}
	if err := writeTable(file, map[string]answer{a.name: a}); err != nil {
		t.Fatal(err)
	}
	if table, err := readTable(file); err != nil || len(table) != 1 || table[a.name] != a {
		t.Errorf("%v, %v", table, err)
	}
	if err := os.WriteFile(file, []byte("threshold-01\t1\t2\t3\tperhaps\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readTable(file); err == nil || !strings.Contains(err.Error(), "table.txt:1:") {
		t.Error(err)
	}
}

// TestArguments: a mistake in the flags is said before anything is built.
func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"-run", "("}, {"-stride", "0"}, {"more"}, {"-verify", "/none", "-table", "/none"}} {
		if err := run(context.Background(), args, new(bytes.Buffer)); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
