// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"dpverify/internal/show"
)

// typed checks that a document is spelled as encoding/json writes values of a type. What encoding/json reads in silence
// is an error: null where the type has none, a field that is not there, and the name of a field in other letters.
// want is what the document has to be.
func typed(n *Node, t reflect.Type, want string) error {
	if problem := kindOf(n, t); problem != "" {
		return &FieldError{Field: "the document", Value: Shown(n), Want: want, Line: n.Line}
	}
	return contents(n, t, "", want)
}

var raw = reflect.TypeFor[json.RawMessage]()

// kindOf says what is wanted where a value is of the wrong kind.
func kindOf(n *Node, t reflect.Type) (want string) {
	is := func(ok bool, s string) string {
		if ok {
			return ""
		}
		return s
	}
	if t == raw {
		return ""
	}
	switch t.Kind() {
	case reflect.Pointer:
		if n.Kind == Null {
			return ""
		}
		return kindOf(n, t.Elem())
	case reflect.String:
		return is(n.Kind == String, "a string")
	case reflect.Bool:
		return is(n.Kind == Bool, "true or false")
	case reflect.Int, reflect.Int64, reflect.Uint:
		_, err := strconv.ParseInt(n.Text, 10, t.Bits())
		if t.Kind() == reflect.Uint {
			_, err = strconv.ParseUint(n.Text, 10, t.Bits())
		}
		return is(n.Kind == Number && err == nil, "an integer")
	case reflect.Slice:
		return is(n.Kind == Sequence, "a list")
	case reflect.Struct:
		return is(n.Kind == Mapping, "a mapping")
	}
	panic(fmt.Sprintf("document: internal error: a document has a %v", t))
}

// contents is typed for what is inside of a value of the right kind. path names it.
func contents(n *Node, t reflect.Type, path, want string) error {
	switch {
	case t == raw || n.Kind == Null:
		return nil
	case t.Kind() == reflect.Pointer:
		return contents(n, t.Elem(), path, want)
	case t.Kind() == reflect.Slice:
		for i, item := range n.Items {
			if err := value(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i), want); err != nil {
				return err
			}
		}
	case t.Kind() == reflect.Struct:
		return fields(n, t, path, want)
	}
	return nil
}

// value is typed for a value inside of a document.
func value(n *Node, t reflect.Type, path, want string) error {
	if kind := kindOf(n, t); kind != "" {
		return &FieldError{Field: path, Value: Shown(n), Want: kind, Line: n.Line}
	}
	return contents(n, t, path, want)
}

// fields is contents for a mapping.
func fields(n *Node, t reflect.Type, path, want string) error {
	type field struct {
		reflect.Type
		may bool // be left out
	}
	known := make(map[string]field)
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous { // its fields follow
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		known[name] = field{f.Type, options == "omitempty"}
		names = append(names, name)
	}
	at := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	for _, e := range n.Entries {
		if _, ok := known[e.Key]; !ok {
			return &FieldError{Problem: Unknown, Field: at(e.Key), Want: want, Line: e.Line}
		}
	}
	for _, name := range names {
		f, v := known[name], n.Get(name)
		switch {
		case v != nil:
			if err := value(v, f.Type, at(name), want); err != nil {
				return err
			}
		case !f.may:
			return &FieldError{Problem: Missing, Field: at(name), Want: want, Line: n.Line}
		}
	}
	return nil
}

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
