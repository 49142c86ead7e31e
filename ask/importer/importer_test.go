// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package importer

import (
	"slices"
	"strings"
	"testing"

	"dpverify/certify"
)

// encoded is a claims file of some claims, read back.
func encoded(t *testing.T, claims ...Claim) (text string, back []*certify.Claim) {
	t.Helper()
	data, err := Encode(claims)
	if err != nil {
		t.Fatal(err)
	}
	back, err = certify.Parse("claims.yaml", data, nil)
	if err != nil || len(back) != len(claims) {
		t.Fatalf("%d claims of %d, %v:\n%s", len(back), len(claims), err, data)
	}
	return string(data), back
}

// A history is the same claim however it is written.
func TestOpacus(t *testing.T) {
	for _, c := range []struct{ data, derivation string }{
		{"[(1.1, 0.01, 100), (2, 1, 3)]", ""},
		{"[[1.1, 0.01, 100], [2, 1.0, 3]]", ""},
		{`{"history": [[1.1, 0.01, 100], [2, 1, 3]], "mechanism": "rdp"}`, "rdp-cks"},
		{`{"history": [[1.1, 0.01, 100], [2, 1, 3]], "mechanism": "other"}`, ""},
	} {
		claim, err := Opacus(Source{"runs/a.json", []byte(c.data)}, "3.0", "1e-5")
		if err != nil {
			t.Errorf("%s: %v", c.data, err)
			continue
		}
		if claim.ID != "a" || claim.Derivation != c.derivation {
			t.Errorf("%s: id %q, derivation %q", c.data, claim.ID, claim.Derivation)
		}
		const want = `{"class_name":"ComposedDpEvent","events":[` +
			`{"class_name":"SelfComposedDpEvent","event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.01","event":{"class_name":"GaussianDpEvent","noise_multiplier":"1.1"}},"count":100},` +
			`{"class_name":"SelfComposedDpEvent","event":{"class_name":"GaussianDpEvent","noise_multiplier":"2"},"count":3}]}`
		if stripped(string(claim.Event)) != want {
			t.Errorf("%s: event\n%s, want\n%s", c.data, stripped(string(claim.Event)), want)
		}
		if text, _ := encoded(t, claim); !strings.Contains(text, "epsilon: 3.0\n") || !strings.Contains(text, "delta: 1e-5\n") {
			t.Errorf("the claim is\n%s", text)
		}
	}
}

// TestOctalNumbersKeepTheirQuotes: a number that YAML reads in two ways is written as a text, which is the decimal one.
func TestOctalNumbersKeepTheirQuotes(t *testing.T) {
	claim, err := Opacus(Source{"a.json", []byte("[[1, 1, 3]]")}, "010", "0.1")
	if err != nil {
		t.Fatal(err)
	}
	text, back := encoded(t, claim)
	p, ok := back[0].Point()
	if !ok || p.Epsilon.RatString() != "10" || !strings.Contains(text, "epsilon: \"010\"\n") {
		t.Errorf("%v of\n%s", p, text)
	}
}

// stripped is the text of an event without the names of modules.
func stripped(event string) string {
	return strings.ReplaceAll(event, `"module_name":"dp_accounting.dp_event",`, "")
}

// What is no history is an error that names the place and what is wanted there.
func TestOpacusErrors(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"[]", "a.json:1: history = a list of 0, want [[noise_multiplier, sample_rate, steps], …]"},
		{"{}", "a.json:1: history is missing, want [["},
		{"[\n[1, 2]]", "a.json:2: history[0] = a list of 2, want [noise_multiplier, sample_rate, steps]"},
		{"[[1, 0.1, 1.5]]", "a.json:1: history[0]: steps = 1.5, want an integer in [1, 1000000000000]"},
		{"[[1, 0, 1]]", "a.json:1: history[0]: sample_rate = 0, want in (0, 1]"},
		{`[["x", 0.1, 1]]`, "a.json:1: history[0]: "},
		{"[[-1, 0.1, 1]]", "a.json:1: "},
		{"[", "a.json:"},
	} {
		if _, err := Opacus(Source{"a.json", []byte(c.data)}, "1", "0"); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.data, err, c.want)
		}
	}
}

// What a deployment states becomes a claim, and what is left out is said.
func TestOpenDP(t *testing.T) {
	for _, c := range []struct {
		name, parameters string
		claims           []string // the texts of their forms
		warnings         int
	}{
		{"ε alone", "{epsilon: 2}", []string{"(ε, δ) = (2, 0)"}, 0},
		{"ε and δ", "{epsilon: 2, delta: 1e-6}", []string{"(ε, δ) = (2, 1e-6)"}, 0},
		{"ρ alone", "{rho: 0.5}", []string{"ρ = 0.5"}, 0},
		{"ρ and (ε, δ)", "{rho: 0.5, epsilon: 2, delta: 1e-6}", []string{"(ε, δ) = (2, 1e-6)"}, 0},
		{"a key that is none", `{epsilon: 2, Delta: 1e-6}`, nil, 1},
		{"a key that is none beside all", `{epsilon: 2, delta: 1e-6, mu: 1}`, []string{"(ε, δ) = (2, 1e-6)"}, 1},
		{"a key that is none beside ρ", `{epsilon: 2, rho: 0.5, sigma: 1}`, []string{"ρ = 0.5"}, 1},
		{"δ is no number", `{epsilon: 2, delta: "1/n"}`, nil, 1},
		{"δ is no probability", "{epsilon: 2, delta: 2}", nil, 1},
		{"no numbers", "{}", nil, 1},
		{"ρ and a δ that is no number", `{rho: 0.5, epsilon: 2, delta: "1/n"}`, []string{"ρ = 0.5"}, 1},
	} {
		data := "deployment:\n  privacy_loss:\n    privacy_parameters: " + c.parameters + "\n"
		claims, warnings, err := OpenDP(Source{"d.yaml", []byte(data)})
		if err != nil || len(warnings) != c.warnings || len(claims) != len(c.claims) {
			t.Errorf("%s: %d claims, warnings %v, %v", c.name, len(claims), warnings, err)
			continue
		}
		if len(claims) == 0 {
			continue
		}
		_, back := encoded(t, claims...)
		for i, b := range back {
			if got := b.Statement.String(); got != c.claims[i] {
				t.Errorf("%s: the claim is %s, want %s", c.name, got, c.claims[i])
			}
		}
	}
	if _, _, err := OpenDP(Source{"d.yaml", []byte("other: 1\n")}); err == nil || !strings.HasPrefix(err.Error(), "d.yaml:1: deployment is missing") {
		t.Errorf("no deployment: %v", err)
	}
}

// A line of the details is a claim if it states each number once, and on its own.
func TestDetailed(t *testing.T) {
	for _, c := range []struct {
		details string
		want    []point
	}{
		{`- Persons: \(\rho\) = 2.56 gives \(\epsilon\)=17.16 and \(\delta = 10^{-10}\).`, []point{{"17.16", "1e-10"}}},
		{"ρ = 2.56, ε = 17.16 and δ = 2 × 10^-6", []point{{"17.16", "2e-6"}}},
		{"ρ = 2.56, ε_0 = 17.16 and δ = 1e-10", nil},
		{"ρ = 2.56, ε = 17.16, ε = 17 and δ = 1e-10", nil},
		{"ρ = 2.56, ε = 17.16 and δ = 10-10", nil},
		// What follows makes it another number, or may.
		{"ρ = 0.5 gives ε = 4, δ = 1 x 10^-5", nil},
		{"ρ = 0.5 gives ε = 4 and δ = 1 e-5", nil},
		{"ρ = 0.5 gives ε = 4 and δ = 1 . 10^-5", nil},
		{"ρ = 2 percent gives ε = 4 and δ = 1e-5", nil},
		{"ρ = 2 or 3 gives ε = 4 and δ = 1e-5", nil},
		{"ρ = 2 and 3 give ε = 4 and δ = 1e-5", nil},
		{"ρ = 2, 3 and 5 give ε = 4 and δ = 1e-5", nil},
		{"Laplace noise yields ε = 0.1 (sensitivity = 2, noise scale = 20 thousand).", nil},
		{"Laplace noise yields ε = 0.1 (sensitivity = 2 (hundreds), noise scale = 20).", nil},
		{"Laplace noise yields ε = 0.1 (sensitivity = 2, noise scale = 20).", []point{{"0.1", "0"}}},
		{"Discrete Laplace noise yields ε = 0.1 (sensitivity = 2, noise scale = 20).", nil},
		{"Laplace noise yields ε = 0.1 (sensitivity = 0, noise scale = 20).", nil},
	} {
		var got []point
		for _, claim := range detailed(c.details) {
			got = append(got, claim.Claim.(point))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.details, got, c.want)
		}
	}
}

// FuzzOpacus: no history makes the reader panic, and every claim that it returns can be
// written.
func FuzzOpacus(f *testing.F) {
	for _, seed := range []string{"[(1.1, 0.01, 100)]", `{"history": [[1, 1, 1]], "mechanism": "prv"}`, "[[1e999999, 1, 1]]", "{history: {}}", "[(", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		claim, err := Opacus(Source{"a", data}, "1", "1e-5")
		if err == nil {
			_, err = Encode([]Claim{claim})
		} else if err.Error() != "" {
			return
		}
		if err != nil {
			t.Errorf("%s: %v", data, err)
		}
	})
}

// FuzzOpenDP: the same for deployments.
func FuzzOpenDP(f *testing.F) {
	for _, seed := range []string{"deployment: {privacy_loss: {privacy_parameters: {epsilon: 1, delta: 1e-5, rho: 0.1}}}", "url_slug: 1\ndeployment: {basic: {name: x}}", "deployment: []"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		claims, _, err := OpenDP(Source{"a", data})
		if err != nil || len(claims) == 0 {
			return
		}
		if _, err := Encode(claims); err != nil {
			t.Errorf("%s: %v", data, err)
		}
	})
}

// TestHeadOfBudgets: only a first line of names is a head, and no budget is left out in silence.
func TestHeadOfBudgets(t *testing.T) {
	for data, want := range map[string]string{
		"0.5\n": "", "rho\n0.5\n": "", "rho_1, Räte\n0.5, 0\n": "", "\n\"rho\"\n1/2\n": "",
		"\ufeff0.5\n": "", "\ufeffrho\n0.5\n": "", ",a\n0,0.5\n": "",
		"#5\n0.5\n":          `field 1 = "#5"`,
		"inf\n0.5\n":         `field 1 = "inf"`,
		"rho, NaN\n0.5, 1\n": `field 1 = "rho"`,
		"1_000\n0.5\n":       `field 1 = "1_000"`,
		"5;3\n0.5\n":         `field 1 = "5;3"`,
		"5 # much\n0.5\n":    `field 1 = "5 # much"`,
		"rho\nrho\n0.5\n":    `r.csv:2: field 1 = "rho"`,
		"rho, 5\n0.5, 1\n":   `field 1 = "rho"`,
	} {
		claim, err := Budgets([]Source{{Name: "r.csv", Data: []byte(data)}}, Variances["1/rho"], "1", "0")
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v", data, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if text, _ := encoded(t, claim); !strings.Contains(text, "variance: 2\n") {
			t.Errorf("%q:\n%s", data, text)
		}
	}
}
