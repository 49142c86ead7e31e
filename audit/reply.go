package audit

import (
	"bytes"
	"fmt"
	"math/big"
	"strings"

	"dpverify/document"
	"dpverify/mechanism"
)

// A Kind says how a question to the accountant ended.
type Kind string

const (
	Answered  Kind = "answered"
	Refused   Kind = "refused" // the accountant answered with an error
	Invalid   Kind = "invalid" // an answer to the question that is no bound: NaN, no number
	TimedOut  Kind = "timeout"
	Crashed   Kind = "crash"
	Flooded   Kind = "flood"  // too many lines, or too long a line, without an answer
	OutMemory Kind = "memory" // more memory than allowed
	NotAsked  Kind = "not asked"
)

// failure reports that the process had to be ended.
func (k Kind) failure() bool {
	switch k {
	case TimedOut, Crashed, Flooded, OutMemory:
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
	Stray               int     // lines that were no answer to the question asked
	Seconds             float64 // until the reply
	First               bool    // the process had just been started
}

// parseReply reads one line. It reports whether the line answers the question with
// the given id.
func parseReply(line []byte, id string) (r Reply, ok bool) {
	n, err := document.ParseJSON(quoteNonFinite(line))
	if err != nil || n.Kind != document.Mapping {
		return Reply{}, false
	}
	got := n.Get("id")
	if got == nil || got.Kind != document.String && got.Kind != document.Number || got.Text != id {
		return Reply{}, false
	}
	r.Kind = Answered
	if e := n.Get("error"); e != nil && e.Kind != document.Null {
		r.Kind, r.Text = Refused, clip(e.Text)
		return r, true
	}
	for _, f := range []struct {
		name string
		to   **Number
	}{{"lower", &r.Lower}, {"upper", &r.Upper}, {"value", &r.Value}} {
		v := n.Get(f.name)
		if v == nil || v.Kind == document.Null {
			continue
		}
		x, ok := parseNumber(v)
		if !ok {
			shown := clip(v.Text)
			if v.Kind == document.Sequence || v.Kind == document.Mapping {
				shown = v.Kind.String()
			}
			return Reply{Kind: Invalid, Text: fmt.Sprintf("%s = %s, want a number", f.name, shown)}, true
		}
		*f.to = x
	}
	if r.Lower == nil && r.Upper == nil && r.Value == nil {
		return Reply{Kind: Invalid, Text: "the answer has neither upper, lower, value nor error"}, true
	}
	return r, true
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
	r, err := mechanism.ParseNumber(v.Text)
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
		if rest, ok := bytes.CutPrefix(text, []byte(w)); ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r,}]"), rest[0]) >= 0) {
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
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}
