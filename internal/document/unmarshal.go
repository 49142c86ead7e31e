// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"encoding/json"
	"fmt"
	"reflect"

	"dpverify/internal/show"
)

// Unmarshal reads JSON that this program has written. The strict parser goes first: it
// refuses what encoding/json lets pass, duplicate keys and depth; and then the check of kinds. want is what the source
// has to be.
func Unmarshal(name string, data []byte, want string, into any) error {
	root, err := ParseJSON(data)
	if err != nil {
		return fmt.Errorf("%w, want %s", Locate(name, err), want)
	}
	if err := typed(root, reflect.TypeOf(into).Elem(), want); err != nil {
		return Locate(name, err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w, want %s", show.Name(name), err, want)
	}
	return nil
}
