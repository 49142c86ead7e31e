// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestPapersHaveCommandsAndTests: docs/papers.md names commands and tests that there are, both in
// every row.
func TestPapersHaveCommandsAndTests(t *testing.T) {
	page, err := os.ReadFile("docs/papers.md")
	if err != nil {
		t.Fatal(err)
	}
	reference, err := os.ReadFile("docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	test := regexp.MustCompile("`([a-z0-9/]+): (Test[A-Za-z0-9_]+)`")
	command := regexp.MustCompile("`(verify [a-z]+) [^`]*`")
	sources := make(map[string]string)
	rows := 0
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| statement") {
			continue
		}
		rows++
		cs, ts := command.FindAllStringSubmatch(line, -1), test.FindAllStringSubmatch(line, -1)
		if len(cs) == 0 || len(ts) == 0 {
			t.Errorf("no command or no test: %s", line)
		}
		for _, c := range cs {
			if !strings.Contains(string(reference), "\n## "+c[1]+"\n") {
				t.Errorf("%s is no command: %s", c[1], line)
			}
		}
		for _, x := range ts {
			if _, ok := sources[x[1]]; !ok {
				files, _ := filepath.Glob(filepath.Join(x[1], "*_test.go"))
				var all strings.Builder
				for _, f := range files {
					data, err := os.ReadFile(f)
					if err != nil {
						t.Fatal(err)
					}
					all.Write(data)
				}
				sources[x[1]] = all.String()
			}
			if !strings.Contains(sources[x[1]], "\nfunc "+x[2]+"(") {
				t.Errorf("there is no %s in %s: %s", x[2], x[1], line)
			}
		}
	}
	if rows < 105 {
		t.Errorf("%d rows, want at least 105", rows)
	}
}

// statementsOf are how many statements of each kind a paper numbers.
var statementsOf = map[string]map[string][]string{
	"Privacy buckets": {"Definition": upTo(11), "Lemma": upTo(13), "Theorem": upTo(3), "Corollary": upTo(1)},
	"Dominating pairs": {
		"Definition": {"1", "2", "3", "4", "6", "7", "12", "36", "39"}, "Lemma": {"5", "9", "18", "19", "20", "21", "22", "23", "24", "25", "28", "29", "31", "33", "34", "35", "37", "40", "42", "43", "45", "46", "47", "48"},
		"Theorem": {"10", "11(1)", "11(2)", "17", "27", "44"}, "Proposition": {"8", "13", "30", "38"}, "Corollary": {"26", "32", "41"}, "Algorithm": upTo(2), "Example": {"14", "15", "16"},
	},
	"A Laplace transform": {
		"Definition": {"2.1", "2.2", "2.3", "3.1", "3.2"}, "Lemma": {"4.4", "A.1"}, "Theorem": {"2.4", "3.2", "3.3", "3.4", "3.5", "3.6", "4.2", "4.5", "4.6", "5.1"}, "Corollary": {"4.7"},
		"Remark": {"2.1", "2.2", "2.3", "3.1"}, // the others are about conventions of the field
	},
	"Learned truncated": {"Definition": {"1", "2", "3", "4", "6", "8", "10", "11", "12", "18"}, "Lemma": {"5", "13", "14"}, "Theorem": {"15", "16", "19"}, "Proposition": {"17"}, "Example": {"7", "9"}},
}

func upTo(n int) (out []string) {
	for i := range n {
		out = append(out, strconv.Itoa(i+1))
	}
	return out
}

// TestPapersNameEveryStatement: each numbered statement of the four papers has a row.
func TestPapersNameEveryStatement(t *testing.T) {
	page, err := os.ReadFile("docs/papers.md")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(Definition|Lemma|Theorem|Proposition|Corollary|Algorithm|Example|Remark|Lemmas|Definitions|Examples) ((?:[A-Z]\.)?[0-9][0-9.()]*(?:(?:, | to )[0-9][0-9.()]*)*)`)
	plural := map[string]string{"Lemmas": "Lemma", "Definitions": "Definition", "Examples": "Example"}
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		title, rows, _ := strings.Cut(section, "\n")
		named := make(map[string]bool)
		for line := range strings.Lines(rows) {
			statement, _, found := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
			if !found {
				continue
			}
			for _, m := range list.FindAllStringSubmatch(statement, -1) {
				kind := m[1]
				if one, ok := plural[kind]; ok {
					kind = one
				}
				for _, part := range strings.Split(m[2], ", ") {
					first, last, isRange := strings.Cut(part, " to ")
					named[kind+" "+strings.Trim(first, ".")] = true
					if isRange {
						a, _ := strconv.Atoi(first)
						b, err := strconv.Atoi(last)
						if err != nil || a >= b {
							t.Errorf("%s: %q is no range", title, part)
						}
						for i := a; i <= b; i++ {
							named[kind+" "+strconv.Itoa(i)] = true
						}
					}
				}
			}
		}
		for paper, kinds := range statementsOf {
			if !strings.HasPrefix(title, paper) {
				continue
			}
			for kind, numbers := range kinds {
				for _, n := range numbers {
					if !named[kind+" "+n] {
						t.Errorf("%s: no row names %s %s", title, kind, n)
					}
				}
			}
		}
	}
}
