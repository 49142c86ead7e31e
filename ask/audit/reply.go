// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/number"
)

// A Kind says how a question to the accountant ended.
type Kind string

const (
	Answered  Kind = "answered"
	Refused   Kind = "refused"       // the accountant does not answer such questions
	Mistaken  Kind = "adapter error" // a mistake of the program between it and the audit
	Invalid   Kind = "invalid"       // an answer to the question that is no bound: NaN, no number
	TimedOut  Kind = "timeout"
	Crashed   Kind = "crash"
	Flooded   Kind = "flood"  // too many lines, or too long a line, without an answer
	OutMemory Kind = "memory" // more memory than allowed
	NotAsked  Kind = "not asked"
)

// Kinds are the kinds of questions without an answer, in the order of reports.
var Kinds = []Kind{Refused, Mistaken, Invalid, TimedOut, Crashed, Flooded, OutMemory, NotAsked}

// Replied reports that the process is ready for another question.
func (k Kind) Replied() bool {
	switch k {
	case Answered, Refused, Mistaken, Invalid:
		return true
	}
	return false
}

// A Number is a number as the accountant printed it.
type Number struct {
	Text string
	Rat  *big.Rat // nil where it is infinite
	Inf  int      // +1 or −1 where it is infinite
}

func (n *Number) String() string {
	if n == nil {
		return ""
	}
	return n.Text
}

// A Reply is what came back for one question.
type Reply struct {
	Kind                Kind
	Lower, Upper, Value *Number // of an answer; nil: not given
	Text                string  // what the accountant refused with, or what went wrong
	Accountant          string  // the name and version of the accountant; empty: not said
	Program             string  // a program in the terms of the accountant that repeats an answer; empty: not given
	Stray               int     // lines that were no answer to the question asked
	Seconds             float64 // until the reply
	First               bool    // the process had just been started
}

// parseReply reads one line. It reports whether the line answers the question with
// the given id: it does, though not validly, if it is meant to be an object with this id.
func parseReply(line []byte, id string) (r Reply, ok bool) {
	n, err := document.ParseJSON(quoteNonFinite(line))
	if err != nil {
		if !namesID(line, id) {
			return Reply{}, false
		}
		return invalid("the answer is not one JSON object on one line: " + err.Error()), true
	}
	if n.Kind != document.Mapping {
		return Reply{}, false
	}
	got := n.Get("id")
	if got == nil || got.Kind != document.String && got.Kind != document.Number || got.Text != id {
		return Reply{}, false
	}
	bad := ""
	for _, f := range []struct {
		name string
		to   **Number
	}{{"lower", &r.Lower}, {"upper", &r.Upper}, {"value", &r.Value}} {
		v := n.Get(f.name)
		if v == nil || v.Kind == document.Null {
			continue
		}
		if x, ok := parseNumber(v); ok {
			*f.to = x
		} else if bad == "" {
			bad = fmt.Sprintf("%s = %s, want a number", f.name, document.Shown(v))
		}
	}
	accountant, program := wordsOf(n.Get("accountant")), programOf(n.Get("reproduce"))
	bound := r.Lower != nil || r.Upper != nil || r.Value != nil
	mistake, refusal := wordsOf(n.Get("adapter_error")), wordsOf(n.Get("error"))
	switch {
	case mistake != "":
		return Reply{Kind: Mistaken, Text: mistake}, true
	case refusal != "" && bound:
		return invalid("the answer has both a bound and an error: " + refusal), true
	case refusal != "":
		return Reply{Kind: Refused, Text: refusal}, true
	case bad != "":
		return invalid(bad), true
	case !bound:
		return invalid("the answer has neither upper, lower, value nor error"), true
	}
	r.Kind, r.Accountant, r.Program = Answered, accountant, program
	return r, true
}

func invalid(text string) Reply { return Reply{Kind: Invalid, Text: clip(text)} }

// wordsOf is the text of an error; nothing where there is none.
func wordsOf(v *document.Node) string {
	if v == nil || v.Kind == document.Null || v.Kind == document.Bool && v.Text == "false" {
		return ""
	}
	if v.Kind == document.Sequence || v.Kind == document.Mapping {
		return v.Kind.String()
	}
	return clip(v.Text)
}

// programOf is the text of a program of several lines; nothing where there is none. A program that is too long to be
// read by people is left out.
func programOf(v *document.Node) string {
	const longest = 4000 // bytes
	if v == nil || v.Kind != document.String || len(v.Text) > longest {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(v.Text), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(strings.Map(visible, l), " ")
	}
	return strings.Join(lines, "\n")
}

// namesID reports that a line that is no JSON is meant to be an object with the given
// id: such a line is an answer, and it is of no use to wait for another one.
func namesID(line []byte, id string) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	quoted, err := json.Marshal(id)
	return err == nil && regexp.MustCompile(`"id"\s*:\s*`+regexp.QuoteMeta(string(quoted))).Match(line)
}

// parseNumber reads a number, which may be infinite, from a number or a string; false if
// it is none.
func parseNumber(v *document.Node) (*Number, bool) {
	if v.Kind != document.Number && v.Kind != document.String {
		return nil, false
	}
	switch strings.ToLower(strings.TrimPrefix(v.Text, "+")) {
	case "inf", "infinity":
		return &Number{Text: "inf", Inf: 1}, true
	case "-inf", "-infinity":
		return &Number{Text: "-inf", Inf: -1}, true
	}
	r, err := number.Parse(v.Text)
	if err != nil {
		return nil, false
	}
	return &Number{Text: v.Text, Rat: r}, true
}

// nonFinite are the bare words that programs write for numbers that JSON lacks.
var nonFinite = []string{"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf", "Inf", "-Inf"}

// quoteNonFinite puts bare words for non-finite numbers in quotes.
func quoteNonFinite(line []byte) []byte {
	var out []byte
	inString := false
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case inString && c == '\\' && i+1 < len(line):
			out = append(out, c, line[i+1])
			i += 2
			continue
		case c == '"':
			inString = !inString
		case !inString && (i == 0 || bytes.IndexByte([]byte(" \t:,["), line[i-1]) >= 0):
			if w := wordAt(line[i:]); w != "" {
				out = append(append(append(out, '"'), w...), '"')
				i += len(w)
				continue
			}
		}
		out = append(out, c)
		i++
	}
	return out
}

// wordAt returns the non-finite number that the text begins with, if it ends there.
func wordAt(text []byte) string {
	for _, w := range nonFinite {
		if rest, ok := bytes.CutPrefix(text, []byte(w)); ok && (len(rest) == 0 ||
			bytes.IndexByte([]byte(" \t\r,}]"), rest[0]) >= 0) {
			return w
		}
	}
	return ""
}

// clip bounds a text of the accountant that goes into reports, and takes control
// characters out of it.
func clip(s string) string {
	const most = 300
	var b strings.Builder
	n := 0
	for _, r := range strings.TrimSpace(s) {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		b.WriteRune(visible(r))
	}
	return b.String()
}

// visible is a character as reports show it: a blank in place of one that controls a terminal or turns the direction of
// writing.
func visible(r rune) rune {
	if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
		return ' '
	}
	return r
}
