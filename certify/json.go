package certify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"dpverify/document"
)

// decodeJSON reads what this program has written as JSON. The strict parser goes first: it
// refuses what encoding/json lets pass, duplicate keys and depth. want is what the source
// has to be.
func decodeJSON(name string, data []byte, want string, into any) error {
	if _, err := document.ParseJSON(data); err != nil {
		return fmt.Errorf("%w, want %s", Locate(name, err), want)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("%s: %s is a JSON %s, want %s", Printable(name), cmp.Or(kind.Field, "the document"), kind.Value, want)
	case err != nil:
		return fmt.Errorf("%s: %w, want %s", Printable(name), err, want)
	}
	return nil
}

// Locate says where in a source an error is: the name, and the line if it is known.
func Locate(name string, err error) error {
	name = Printable(name)
	var syntax *document.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%d: column %d: %s", name, syntax.Line, syntax.Column, syntax.Msg)
	}
	if line := ErrorLine(err); line > 0 {
		return fmt.Errorf("%s:%d: %w", name, line, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
