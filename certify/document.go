package certify

import (
	"bytes"

	"dpverify/document"
)

// ParseDocument reads one JSON or YAML document into a neutral tree that keeps
// lines and the source text of numbers. What begins with a brace and is JSON is
// taken as JSON, everything else as YAML.
//
// The error is a *document.SyntaxError where a line is known.
func ParseDocument(data []byte) (*document.Node, error) {
	if t := bytes.TrimLeft(data, " \t\r\n"); len(t) > 0 && t[0] == '{' {
		if n, err := document.ParseJSON(data); err == nil {
			return n, nil
		}
		// A YAML flow mapping begins in the same way; its parser has the last word.
	}
	return parseYAML(data)
}
