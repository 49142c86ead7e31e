// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A list is docs/coverage.md: text, and sections with a reason and entries of the form
//
//   - `file: function: line` (×n)
//
// for n blocks that start in lines of that text in the function, 1 if nothing is said.
type list struct {
	head     string
	sections []*section
}

type section struct {
	title   string
	reason  string
	entries map[place]int
}

const (
	// open is the section that -update adds to. Nothing may stay there.
	open = "Without a reason"
	// chance is the section of what timing decides: it may be covered, or not.
	chance = "Covered by chance"
)

var entry = regexp.MustCompile("^- `([^`]+)`(?: ×([0-9]+))?$")

func parseList(text string) (*list, error) {
	l := new(list)
	var s *section
	var lines []string
	flush := func() {
		if s == nil {
			l.head = strings.TrimSpace(strings.Join(lines, "\n"))
		} else {
			s.reason = strings.TrimSpace(strings.Join(lines, "\n"))
		}
		lines = nil
	}
	for i, line := range strings.Split(text, "\n") {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			flush()
			s = &section{title: title, entries: make(map[place]int)}
			l.sections = append(l.sections, s)
			continue
		}
		if s == nil || !strings.HasPrefix(line, "- ") {
			lines = append(lines, line)
			continue
		}
		m := entry.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("line %d: %q, want - `file: function: line` ×number", i+1, line)
		}
		n := 1
		if m[2] != "" {
			var err error
			if n, err = strconv.Atoi(m[2]); err != nil || n < 2 {
				return nil, fmt.Errorf("line %d: ×%s, want a number above 1", i+1, m[2])
			}
		}
		if other := l.find(place(m[1])); other != nil {
			return nil, fmt.Errorf("line %d: %s stands under %q already", i+1, m[1], other.title)
		}
		s.entries[place(m[1])] = n
	}
	flush()
	return l, nil
}

// find returns the section with an entry, or nil.
func (l *list) find(p place) *section {
	for _, s := range l.sections {
		if _, ok := s.entries[p]; ok {
			return s
		}
	}
	return nil
}

func (l *list) String() string {
	var b strings.Builder
	b.WriteString(l.head + "\n")
	for _, s := range l.sections {
		fmt.Fprintf(&b, "\n## %s\n\n", s.title)
		if s.reason != "" {
			b.WriteString(s.reason + "\n\n")
		}
		for _, p := range sortedPlaces(s.entries) {
			fmt.Fprintf(&b, "- `%s`", p)
			if n := s.entries[p]; n > 1 {
				fmt.Fprintf(&b, " ×%d", n)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// compare returns what is wrong with the list, given the blocks that are not covered.
func (l *list) compare(missing map[place]int) []string {
	var out []string
	for _, p := range sortedPlaces(missing) {
		switch s := l.find(p); {
		case s == nil:
			out = append(out, fmt.Sprintf("%s: not covered, and not in docs/coverage.md", p))
		case s.title == open:
			out = append(out, fmt.Sprintf("%s: no reason in docs/coverage.md", p))
		case missing[p] > s.entries[p]:
			out = append(out, fmt.Sprintf("%s: %d blocks are not covered, docs/coverage.md has %d", p, missing[p],
				s.entries[p]))
		}
	}
	for _, s := range l.sections {
		if s.title == chance {
			continue
		}
		for _, p := range sortedPlaces(s.entries) {
			if n := missing[p]; n < s.entries[p] {
				out = append(out, fmt.Sprintf("%s: docs/coverage.md lists %d blocks, %d of them are covered", p,
					s.entries[p], s.entries[p]-n))
			}
		}
	}
	return out
}

// update makes the list name the blocks that are not covered.
func (l *list) update(missing map[place]int) {
	for _, s := range l.sections {
		for _, p := range sortedPlaces(s.entries) {
			switch n := missing[p]; {
			case n > 0:
				s.entries[p] = n
			case s.title != chance:
				delete(s.entries, p)
			}
		}
	}
	for _, p := range sortedPlaces(missing) {
		if l.find(p) != nil {
			continue
		}
		if len(l.sections) == 0 || l.sections[len(l.sections)-1].title != open {
			l.sections = append(l.sections, &section{title: open, entries: make(map[place]int)})
		}
		l.sections[len(l.sections)-1].entries[p] = missing[p]
	}
}
