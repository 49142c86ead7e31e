// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package prose

import (
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// Event writes an event in one line, for people: the class names without their
// endings, fields in order, compositions as products.
//
//	1000 × PoissonSampled(sampling_probability = 0.01, Gaussian(noise_multiplier = 1))
func Event(e mechanism.Event) string {
	n, err := document.ParseJSON(mechanism.EncodeEvent(e))
	if err != nil {
		return e.ClassName() // nested more deeply than documents are
	}
	return describeNode(n)
}

func describeNode(n *document.Node) string {
	switch n.Kind {
	case document.Sequence:
		const most = 4
		var parts []string
		for i, item := range n.Items {
			if i == most && len(n.Items) > most+1 {
				parts = append(parts, "…")
				break
			}
			parts = append(parts, describeNode(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case document.Mapping:
	default:
		return show.Cut(n.Text)
	}
	if n.Get("class_name") == nil { // a field with parts, such as the strategy of a matrix mechanism
		var parts []string
		for _, e := range n.Entries {
			parts = append(parts, e.Key+" = "+describeNode(e.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	name := strings.TrimSuffix(n.Get("class_name").Text, "Event")
	if name != "ZCDp" {
		name = strings.TrimSuffix(name, "Dp")
	}
	if name == "SelfComposed" {
		return n.Get("count").Text + " × " + describeNode(n.Get("event"))
	}
	var parts []string
	for _, e := range n.Entries {
		switch e.Key {
		case "class_name", "module_name":
		case "event", "events":
			text := describeNode(e.Value)
			if e.Key == "events" {
				text = text[1 : len(text)-1]
			}
			parts = append(parts, text)
		default:
			parts = append(parts, e.Key+" = "+describeNode(e.Value))
		}
	}
	if len(parts) == 0 {
		return name
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// Title is an event for the title of a figure, cut to its width.
func Title(e mechanism.Event) string { return title(Event(e)) }

// TitleOf is an event as it was written, if that was a short form, for the title of a figure, cut to its width.
func TitleOf(r mechanism.Range) string {
	if r.Written != "" {
		return title(r.Written)
	}
	return Title(r.LessPrivate)
}

func title(s string) string {
	const most = 100
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
