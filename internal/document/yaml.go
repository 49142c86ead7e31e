// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxYAMLNodes bounds the values and keys of a document after aliases are expanded.
const maxYAMLNodes = 1 << 22

// Parse reads one JSON or YAML document. What begins with a brace and is JSON is taken as
// JSON, everything else as YAML.
//
// The error is a *SyntaxError where a line is known.
func Parse(data []byte) (*Node, error) {
	if t := bytes.TrimLeft(data, " \t\r\n"); len(t) > 0 && t[0] == '{' {
		if n, err := ParseJSON(data); err == nil {
			return n, nil
		}
		// A YAML flow mapping begins in the same way; its parser has the last word.
	}
	return ParseYAML(data)
}

// ParseYAML reads one YAML document (JSON is one too) into a neutral tree that
// keeps lines and the source text of numbers. Aliases are expanded within a
// bound; duplicate keys and keys that are no strings are errors. The error is a
// *SyntaxError where a line is known.
func ParseYAML(data []byte) (*Node, error) {
	var root yaml.Node
	if err := yaml.Load(data, &root, yaml.WithV3Defaults()); err != nil {
		return nil, yamlError(err)
	}
	if root.Kind == 0 || len(root.Content) == 0 {
		return nil, &SyntaxError{Line: 1, Column: 1, Msg: "the document is empty"}
	}
	if n := root.Content[0]; make(weights).of(n) > maxYAMLNodes {
		return nil, &SyntaxError{Line: n.Line, Column: n.Column,
			Msg: fmt.Sprintf("more than %d values after aliases are expanded", maxYAMLNodes)}
	}
	return convert(root.Content[0], 0)
}

// yamlError brings the library's first error into our form.
func yamlError(err error) error {
	if many, ok := errors.AsType[*yaml.LoadErrors](err); ok && len(many.Errors) > 0 {
		err = many.Errors[0]
	}
	if one, ok := errors.AsType[*yaml.LoadError](err); ok {
		msg := strings.TrimPrefix(one.Message, "yaml: ")
		if strings.Contains(msg, "no documents in stream") {
			msg = "the document is empty"
		}
		return &SyntaxError{Line: max(one.Mark.Line, 1), Column: max(one.Mark.Column, 1), Msg: msg}
	}
	return fmt.Errorf("not YAML: %w", err)
}

// weights are how many values nodes have after aliases are expanded, or maxYAMLNodes + 1 if there are more; a node that
// holds itself has that many.
type weights map[*yaml.Node]int

func (w weights) of(n *yaml.Node) int {
	if x, ok := w[n]; ok {
		return x
	}
	const most = maxYAMLNodes + 1
	w[n] = most
	sum := 1
	if n.Alias != nil {
		sum += w.of(n.Alias)
	}
	for _, x := range n.Content {
		sum = min(sum+w.of(x), most)
	}
	w[n] = min(sum, most)
	return w[n]
}

// convert returns the tree of a node.
func convert(n *yaml.Node, depth int) (*Node, error) {
	fail := func(msg string) (*Node, error) {
		return nil, &SyntaxError{Line: n.Line, Column: n.Column, Msg: msg}
	}
	if depth > MaxDepth {
		return fail(fmt.Sprintf("nested more than %d deep", MaxDepth))
	}
	out := &Node{Line: n.Line, Column: n.Column}
	switch n.Kind {
	case yaml.AliasNode:
		if n.Alias == nil {
			return fail("an alias of nothing")
		}
		return convert(n.Alias, depth+1)
	case yaml.ScalarNode:
		out.Text = n.Value
		switch n.ShortTag() {
		case "!!null":
			out.Kind, out.Text = Null, "null"
		case "!!bool":
			out.Kind = Bool
		case "!!int", "!!float":
			out.Kind = Number
		case "!!str", "!!timestamp":
			out.Kind = String
		default:
			return fail("the tag " + n.ShortTag() + " has no meaning here")
		}
	case yaml.SequenceNode:
		out.Kind = Sequence
		for _, item := range n.Content {
			v, err := convert(item, depth+1)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, v)
		}
	case yaml.MappingNode:
		out.Kind = Mapping
		seen := make(map[string]int)
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			for k.Kind == yaml.AliasNode && k.Alias != nil {
				k = k.Alias
			}
			if k.Kind != yaml.ScalarNode {
				return nil, &SyntaxError{Line: n.Content[i].Line, Column: n.Content[i].Column,
					Msg: "a key that is not a plain string"}
			}
			if line, ok := seen[k.Value]; ok {
				return nil, &SyntaxError{Line: n.Content[i].Line, Column: n.Content[i].Column,
					Msg: fmt.Sprintf("the key %q is given again, first on line %d", k.Value, line)}
			}
			seen[k.Value] = n.Content[i].Line
			v, err := convert(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			out.Entries = append(out.Entries, Entry{Key: k.Value, Line: n.Content[i].Line, Value: v})
		}
	default:
		return fail("a value that is no scalar, list or mapping")
	}
	return out, nil
}
