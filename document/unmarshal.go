// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"dpverify/internal/show"
)

// Unmarshal reads JSON that this program has written. The strict parser goes first: it
// refuses what encoding/json lets pass, duplicate keys and depth. want is what the source
// has to be.
func Unmarshal(name string, data []byte, want string, into any) error {
	if _, err := ParseJSON(data); err != nil {
		return fmt.Errorf("%w, want %s", Locate(name, err), want)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("%s: %s is a JSON %s, want %s", show.Name(name), cmp.Or(kind.Field, "the document"), kind.Value, want)
	case err != nil:
		return fmt.Errorf("%s: %w, want %s", show.Name(name), err, want)
	}
	return nil
}
