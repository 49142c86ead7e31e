// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"html"
	"html/template"
	"regexp"
	"strings"
	"sync"
)

// scientific finds numbers with an exponent.
var scientific = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(\d+(?:\.\d+)?)e([+-]?\d+)\b`) })

// people escapes a text and writes its powers of ten as people do: 1.5e-7 is 1.5 × 10⁻⁷.
func people(text string) template.HTML {
	text = strings.NewReplacer(" %", "\u00a0%", "≈ ", "≈\u00a0", "ε = ", "ε\u00a0=\u00a0", "δ = ", "δ\u00a0=\u00a0",
		"ε ≤ ", "ε\u00a0≤\u00a0", "ε ≥ ", "ε\u00a0≥\u00a0").Replace(html.EscapeString(text)) // no line breaks there
	return template.HTML(scientific().ReplaceAllStringFunc(text, func(s string) string {
		mantissa, exponent, _ := strings.Cut(s, "e")
		power := "10<sup>" + strings.Replace(strings.TrimPrefix(exponent, "+"), "-", "−", 1) + "</sup>"
		if mantissa != "1" {
			power = mantissa + " × " + power
		}
		return `<span class="power">` + power + `</span>`
	}))
}
