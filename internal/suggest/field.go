// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package suggest says what a misspelt name is most likely meant to be.
package suggest

import (
	"slices"
	"strings"
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
