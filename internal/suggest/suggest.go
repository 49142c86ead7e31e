// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package suggest says what a misspelt name is most likely meant to be.
package suggest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// otherNames are what people call the fields, each with the fields that may be meant and what
// there is to know about them.
var otherNames = []struct {
	names, fields []string
	which         string
}{
	{[]string{"sigma", "std", "stddev", "noise", "noise_scale", "scale", "b"}, []string{"noise_multiplier"},
		"which is the scale of the noise divided by the sensitivity"},
	{[]string{"q", "rate", "sample_rate", "sampling_rate", "probability", "sampling_prob"},
		[]string{"sampling_probability"}, ""},
	{[]string{"steps", "times", "n", "k", "compositions", "num_steps", "repetitions"}, []string{"count"}, ""},
	{[]string{"eps"}, []string{"epsilon"}, ""},
	{[]string{"noise_multiplier", "std", "stddev", "standard_deviation"}, []string{"sigma", "standard_deviation"},
		"in the units of the sensitivity"},
	{[]string{"mechanism", "base", "base_event"}, []string{"event", "events"}, ""},
	{[]string{"events", "list"}, []string{"event"}, ""},
	{[]string{"event", "list"}, []string{"events"}, "a list"},
	{[]string{"l2_sensitivity", "l1_sensitivity", "max_grad_norm", "c", "clip"}, []string{"sensitivity"}, ""},
	{[]string{"batch_size", "size"}, []string{"sample_size"}, ""},
	{[]string{"dataset_size", "population", "total"}, []string{"source_dataset_size"}, ""},
	{[]string{"dataset_size", "population", "records", "num_examples"}, []string{"n"}, ""},
	{[]string{"p", "keep_probability"}, []string{"noise_parameter"}, ""},
	{[]string{"k", "buckets", "domain_size"}, []string{"num_buckets"}, ""},
}

// Field says which of the fields of a class an unknown one is most likely meant to be;
// empty if none is near.
func Field(unknown string, fields []string) string {
	if len(unknown) > 64 {
		return ""
	}
	name := strings.ToLower(unknown)
	for _, o := range otherNames {
		for _, f := range o.fields {
			if slices.Contains(o.names, name) && slices.Contains(fields, f) {
				text := "perhaps " + f
				if o.which != "" {
					text += ", " + o.which
				}
				return text
			}
		}
	}
	return strings.TrimPrefix(Perhaps(name, fields), "; ")
}

// Nearest returns the known name that a misspelt one is most likely meant to be, or nothing if none is close: a third
// of its letters off, or one, or a part of the name from its start, or longer than it.
func Nearest(name string, known []string) string {
	if len(name) > 64 {
		return ""
	}
	name = strings.ToLower(name)
	nearest, best := "", max(1, (len(name)+1)/3)+1
	for _, k := range known {
		if d := editDistance(name, strings.ToLower(k)); d < best {
			nearest, best = k, d
		}
	}
	if nearest != "" || len(name) < 3 {
		return nearest
	}
	for _, k := range known {
		lower := strings.ToLower(k)
		if strings.HasPrefix(lower, name) || len(k) >= 3 && strings.HasPrefix(name, lower) {
			return k
		}
	}
	return ""
}

// Perhaps says which known name is [Nearest], after what was wanted: "; perhaps gaussian"; empty if none is,
// or if it is the name itself.
func Perhaps(name string, known []string) string {
	if nearest := Nearest(name, known); nearest != "" && nearest != name {
		return "; perhaps " + nearest
	}
	return ""
}

// list matches what is wanted where that is one of a few names: "a, b or c", "one of a, b".
var list = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:one of )?([a-zA-Z][\w.-]*(?:, [a-zA-Z][\w.-]*)*(?: or [a-zA-Z][\w.-]*)?)$`)
})

// Among is [Perhaps] of a value as a message shows it, where the text of what is wanted lists names; empty where it
// does not.
func Among(value, want string) string {
	name, err := strconv.Unquote(value)
	m := list().FindStringSubmatch(want)
	if err != nil || m == nil {
		return ""
	}
	return Perhaps(name, strings.Split(strings.ReplaceAll(m[1], " or ", ", "), ", "))
}

// Class returns the known class that name is most likely meant to be, or
// nothing if none is close: two letters off, or up to a third of the part that
// makes the difference.
func Class(name string, known []string) string {
	if len(name) > 64 {
		return ""
	}
	whole, stem := strings.ToLower(name), classStem(name)
	nearest, best := "", len(name)
	for _, k := range known {
		if d := editDistance(stem, classStem(k)); d < best && d <= max(1, len(stem)/3) {
			nearest, best = k, d
		}
		if d := editDistance(whole, strings.ToLower(k)); d < best && d <= 2 {
			nearest, best = k, d
		}
	}
	return nearest
}

// classStem drops the endings that most class names share, but leaves zCDP whole.
func classStem(name string) string {
	stem := strings.TrimSuffix(strings.ToLower(name), "event")
	if len(stem) > len("zcdp") {
		stem = strings.TrimSuffix(stem, "dp")
	}
	return stem
}

// editDistance is the least number of bytes to insert, delete or replace that
// turns a into b.
func editDistance(a, b string) int {
	// row[j] is the distance of the part of a read so far to b[:j].
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
