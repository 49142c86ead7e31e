// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package schema has the JSON Schemas of claims and events, as editors read them from a folder of a project.
package schema

import (
	"embed"
	"regexp"
	"strings"
)

//go:embed claims.schema.json event.schema.json
var files embed.FS

// id matches the name of a schema, which an editor would look up in place of the file.
var id = regexp.MustCompile(`(?m)^  "\$id": .*\n`)

// File returns a schema of claims or of events, which refers to the other one by its path beside it.
func File(name string) ([]byte, error) {
	data, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	text := id.ReplaceAllString(string(data), "")
	return []byte(strings.ReplaceAll(text, "urn:dpverify:schema:event", "event.schema.json")), nil
}
