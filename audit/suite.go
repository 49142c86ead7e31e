package audit

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"dpverify/document"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

//go:embed suite.jsonl
var suite []byte

// Suite returns the fixed, published cases.
func Suite() []Case {
	cases, err := ReadCases("suite.jsonl", suite)
	if err != nil {
		panic("audit: internal error: " + err.Error())
	}
	return cases
}

// ReadCases reads cases, one JSON object a line: a question of `verify query`, with
// `about` for people. Lines that begin with # are comments.
func ReadCases(name string, data []byte) ([]Case, error) {
	var out []Case
	seen := make(map[string]bool)
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		c, err := readCase(line)
		if err == nil && seen[c.ID] {
			err = fmt.Errorf("id = %s, want one not used before", show.Quote(c.ID))
		}
		var syntax *document.SyntaxError
		switch {
		case errors.As(err, &syntax):
			return nil, fmt.Errorf("%s:%d: column %d: %s", name, number, syntax.Column, syntax.Msg)
		case err != nil:
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		seen[c.ID] = true
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no cases, want at least one", name)
	}
	return out, nil
}

func readCase(line []byte) (c Case, err error) {
	n, err := document.ParseJSON(line)
	if err != nil {
		return c, err
	}
	if n.Kind != document.Mapping {
		return c, fmt.Errorf("the case is %s, want an object", n.Kind)
	}
	for _, e := range n.Entries {
		v := e.Value
		switch e.Key {
		case "id":
			c.ID = v.Text
		case "about":
			c.About = v.Text
		case "relation":
			c.Relation, err = mechanism.ParseRelation(v.Text)
		case "quantity":
			c.Quantity = Quantity(v.Text)
		case "at":
			c.At, err = mechanism.Decoder{}.Number(v, "at")
		case "event":
			c.Event, err = mechanism.Decoder{}.Event(v, "event")
		default:
			err = fmt.Errorf("unknown field %s, want id, about, event, relation, quantity or at", show.Quote(e.Key))
		}
		if err != nil {
			return c, err
		}
	}
	switch {
	case strings.TrimSpace(c.ID) == "":
		return c, errors.New("id is missing, want a name for the case")
	case c.Event == nil:
		return c, errors.New("event is missing, want an event with a class_name")
	}
	return c, c.Quantity.check(c.At)
}
