// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/prose"
	"dpverify/internal/show"
	"dpverify/internal/suggest"
)

// forms are all of them.
var forms = []form{pointForm, concentratedForm, renyiForm, dominatedForm, gaussianForm, valueForm}

// statementFields are those of all forms.
var statementFields = []string{"epsilon", "delta", "rho", "renyi", "pld", "mu", "alpha_min", "quantity", "at", "equals",
	"tolerance", "lower", "upper"}

// statement reads what is claimed.
func (d *claimDecoder) statement(n *document.Node) {
	var wants []string
	for _, f := range forms {
		wants = append(wants, f.want)
	}
	want := prose.Joined(wants, "or")
	if n.Kind != document.Mapping {
		d.Fail(d.Invalid("claim", n, want))
		return
	}
	for _, f := range forms {
		if fields := f.fields(n); fields != nil {
			d.c.Statement = f.decode(d, fields...)
			return
		}
	}
	var keys []string
	for _, e := range n.Entries {
		keys = append(keys, show.Name(show.Cut(e.Key)))
		want += suggest.Perhaps(e.Key, statementFields)
	}
	d.Fail(d.InvalidText("claim", n, "{"+strings.Join(keys, ", ")+"}", want))
}
