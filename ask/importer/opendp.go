// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package importer

import (
	"fmt"
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/show"
)

// OpenDP reads one deployment of the registry of OpenDP (opendp/deployments-registry-data), in
// YAML. It states parameters and describes its mechanism in words, so the event is the guarantee
// that is stated, and the claim the same, which can only be STATED; but that ρ-zCDP gives the
// stated (ε, δ), and that stated Laplace noise gives ε, can be decided. The warnings say what had
// to be left out.
func OpenDP(src Source) (claims []Claim, warnings []error, err error) {
	n, err := src.parse()
	if err != nil {
		return nil, nil, err
	}
	r := document.Reader{Node: n}
	d := r.Required("deployment", "a deployment of the registry")
	if d == nil {
		return nil, nil, document.Locate(src.Name, r.Err)
	}
	base := Claim{ID: src.base(), Source: "OpenDP deployments registry"}
	if slug := n.Get("url_slug"); slug != nil && slug.Text != "" {
		base.ID = slug.Text
	}
	for _, section := range []string{"basic", "product"} {
		if v := prose(d.Get(section).Get("name")); v != "" {
			base.Source += ": " + v
			break
		}
	}
	loss := d.Get("privacy_loss")
	var notes []string
	if unit := prose(loss.Get("privacy_unit")); unit != "" {
		notes = append(notes, "privacy unit: "+unit)
	}
	s := newStatedParameters(loss.Get("privacy_parameters"))
	claim, more, problems := s.claim()
	left := "not read"
	if claim == nil {
		left = "left out"
	}
	for _, p := range problems {
		warnings = append(warnings, document.Locate(src.Name, fmt.Errorf("%w: %s", p, left)))
	}
	switch {
	case claim != nil:
		claim.ID, claim.Source = base.ID, base.Source
		claim.Note = strings.Join(append(notes, more...), "; ")
		claims = append(claims, *claim)
	case len(problems) == 0:
		warnings = append(warnings, fmt.Errorf("%s: no numbers in deployment.privacy_loss.privacy_parameters: left out",
			show.Name(src.Name)))
	}
	if v := loss.Get("privacy_parameters_details"); v != nil && v.Kind == document.String {
		for i, claim := range detailed(v.Text) {
			claim.ID, claim.Source = fmt.Sprintf("%s-details-%d", base.ID, i+1), base.Source
			claims = append(claims, claim)
		}
	}
	return claims, warnings, nil
}

// prose is a text on one line; nothing if n is no text.
func prose(n *document.Node) string {
	if n == nil || n.Kind != document.String {
		return ""
	}
	return strings.Join(strings.Fields(n.Text), " ")
}
