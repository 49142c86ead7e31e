// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certificate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/testkit"
)

// certifiedClaims are cheap claims whose certificates have every field, either verdict, both
// corners of an interval, notes, and ends that are fractions, 0, ∞ or tiny.
var certifiedClaims = []string{
	gauss1 + ", claim: {epsilon: 1, delta: 0.13}",
	gauss1 + ", claim: {epsilon: 1, delta: 0.12}",
	gauss1 + ", claim: {epsilon: 1000, delta: 0}",
	"event: {class_name: LaplaceDpEvent, noise_multiplier: 3}, relation: REPLACE_ONE, claim: {epsilon: 2/3, delta: 0}",
	"event: {class_name: FinitePairEvent, p: [1/3, 2/3], q: [0, 1]}, direction: remove, claim: {epsilon: 0, delta: 1/3}",
	"event: {class_name: GaussianDpEvent, noise_multiplier: {lo: 0.995, hi: 1.005}}, claim: {epsilon: 1, delta: 0.13}",
	"event: {class_name: GaussianDpEvent, noise_multiplier: {lo: 0.995, hi: 1.005}}, claim: {epsilon: 1, delta: 0.12}",
	"event: {class_name: ZCDpEvent, rho: 0.5}, claim: {epsilon: 1, delta: 0.1}",
	"event: {class_name: SelfComposedDpEvent, count: 5, event: {class_name: EpsilonDeltaDpEvent, epsilon: 0.1, delta: 1e-6}}, claim: {epsilon: 0.4, delta: 0.01}",
}

const gauss1 = "event: {class_name: GaussianDpEvent, noise_multiplier: 1}"

// decide decides a claim in flow style.
func decide(t *testing.T, claim string, o certify.Options) *certify.Outcome {
	t.Helper()
	cs, err := certify.Parse("claims.yaml", []byte("version: 1\nclaims: [{id: x, "+claim+"}]"), nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := certify.Decide(t.Context(), cs[0], o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// certificateIn decides a claim in flow style and returns its certificate.
func certificateIn(t *testing.T, claim string) Certificate {
	t.Helper()
	c, ok := New(decide(t, claim, certify.Options{}))
	if !ok {
		t.Fatalf("no certificate of %s", claim)
	}
	return c
}

// confirmed reports whether a certificate is accepted; if not, why.
func confirmed(t *testing.T, data []byte) (Certificate, *certify.Claim, string) {
	t.Helper()
	cert, claim, err := Read("x.json", data)
	if err != nil {
		return cert, claim, err.Error()
	}
	k, err := Verify(t.Context(), cert, claim, time.Minute)
	switch {
	case err != nil:
		return cert, claim, err.Error()
	case k.Verdict != Confirmed:
		return cert, claim, string(k.Verdict) + ": " + k.Reason
	}
	return cert, claim, ""
}

// TestCertificatesStateNothingUnchecked: a certificate with any one field changed, left out,
// repeated or invented is rejected, unless it says less than before and nothing else: an
// enclosure is wider. So is one whose hash was made to fit, unless what it now says is true.
func TestCertificatesStateNothingUnchecked(t *testing.T) {
	mutations := testkit.Draws(5, 40, 1500) // a certificate has some 30 places to change: at last, each is changed several times
	r := rand.New(rand.NewPCG(12, 7))
	var originals []Certificate
	for _, c := range certifiedClaims {
		cert := certificateIn(t, c)
		originals = append(originals, cert)
		data, _ := cert.JSON()
		if _, _, why := confirmed(t, data); why != "" {
			t.Fatalf("%s is not confirmed: %s", c, why)
		}
	}
	harmless := 0
	for n := range mutations {
		original := originals[n%len(originals)]
		data, _ := original.JSON()
		what, mutated := mutate(t, r, data)
		rehashed := false
		if r.IntN(2) == 0 {
			if fitted, ok := fitHash(mutated); ok {
				mutated, rehashed = fitted, true
			}
		}
		if bytes.Equal(compactJSON(t, mutated), compactJSON(t, data)) {
			continue
		}
		cert, claim, why := confirmed(t, mutated)
		switch {
		case why != "":
			continue
		case weaker(cert, original):
		case rehashed && original.SHA256 != cert.SHA256: // another claim: is it true?
			o, err := certify.Decide(t.Context(), claim, certify.Options{})
			if err != nil || o.Verdict != cert.Verdict {
				t.Errorf("%s: confirmed as %s, and it is %s, %v\n%s", what, cert.Verdict, o.Verdict, err, mutated)
			}
		default:
			t.Errorf("%s is confirmed\n%s", what, mutated)
		}
		harmless++
	}
	t.Logf("%d of %d mutations were harmless", harmless, mutations)
	if harmless > mutations/4 {
		t.Errorf("%d of %d mutations were harmless: too few are harmful", harmless, mutations)
	}
}

// weaker reports whether a states nothing that b does not: the same, but for enclosures that
// may be wider.
func weaker(a, b Certificate) bool {
	wider := func(x, y certify.Bounds) bool {
		p, err1 := decimal.ParseEnds(x.Lo, x.Hi)
		q, err2 := decimal.ParseEnds(y.Lo, y.Hi)
		return err1 == nil && err2 == nil && p.Contain(q)
	}
	if !wider(a.Delta, b.Delta) || !wider(a.Epsilon, b.Epsilon) {
		return false
	}
	a.Delta, a.Epsilon = b.Delta, b.Epsilon
	x, err1 := a.JSON()
	y, err2 := b.JSON()
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

func compactJSON(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fitHash states the hash of the question as it is, and leaves all else alone.
func fitHash(data []byte) ([]byte, bool) {
	var c Certificate
	if json.Unmarshal(data, &c) != nil || c.Event == nil {
		return nil, false
	}
	old := fmt.Appendf(nil, `"sha256":%q`, c.SHA256)
	return bytes.Replace(data, old, fmt.Appendf(nil, `"sha256":%q`, c.digest()), 1), bytes.Contains(data, old)
}

// mutate changes one place of a JSON document, and says which. All else stays as it is.
func mutate(t *testing.T, r *rand.Rand, data []byte) (string, []byte) {
	t.Helper()
	root, err := document.ParseJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	what := change(r, root)
	return what, appendNode(nil, root)
}

// appendNode writes a node as JSON.
func appendNode(b []byte, n *document.Node) []byte {
	switch n.Kind {
	case document.String:
		text, _ := json.Marshal(n.Text)
		return append(b, text...)
	case document.Sequence:
		b = append(b, '[')
		for i, x := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendNode(b, x)
		}
		return append(b, ']')
	case document.Mapping:
		b = append(b, '{')
		for i, e := range n.Entries {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendNode(append(strconv.AppendQuote(b, e.Key), ':'), e.Value)
		}
		return append(b, '}')
	}
	return append(b, n.Text...)
}

// change changes a node in one place, and says which.
func change(r *rand.Rand, n *document.Node) string {
	text := func(s string) *document.Node { return &document.Node{Kind: document.String, Text: s} }
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	switch n.Kind {
	case document.Mapping:
		i := r.IntN(len(n.Entries))
		e := &n.Entries[i]
		switch r.IntN(16) {
		case 0:
			key := e.Key
			n.Entries = slices.Delete(n.Entries, i, i+1)
			return key + " left out"
		case 1:
			n.Entries = append(n.Entries, document.Entry{Key: strings.ToUpper(e.Key), Value: e.Value})
			return e.Key + " repeated in capitals"
		case 2:
			n.Entries = slices.Insert(n.Entries, i, document.Entry{Key: "program", Value: text("x")})
			return "a field before " + e.Key
		}
		return e.Key + " " + change(r, e.Value)
	case document.Sequence:
		i := r.IntN(len(n.Items) + 1)
		if i == len(n.Items) {
			n.Items = append(n.Items, text("oracle"))
			return "one more"
		}
		if r.IntN(3) == 0 {
			n.Items = slices.Delete(n.Items, i, i+1)
			return fmt.Sprintf("[%d] left out", i)
		}
		return fmt.Sprintf("[%d] %s", i, change(r, n.Items[i]))
	}
	old := n.Text
	switch kind := n.Kind; {
	case kind == document.Number && r.IntN(4) > 0:
		n.Text = pick("1000000000", "-1", "0", "1", "2", "64", "128", "1"+old)
	case kind == document.Number, r.IntN(12) == 0:
		*n = document.Node{Kind: document.Null, Text: "null"}
	case r.IntN(3) == 0:
		n.Text = pick("banana", "", "0", "2", "0.1", "1e-300", "1", "-1", "inf", "verified", "refuted", "undecided",
			"ADD_OR_REMOVE_ONE", "REPLACE_ONE", "REPLACE_SPECIAL", "both", "remove", "add", strings.ToUpper(old), " "+old, old+"0")
	default: // one character
		b := []byte(old)
		if len(b) == 0 {
			b = []byte("x")
		}
		switch i := r.IntN(len(b)); {
		case '0' <= b[i] && b[i] <= '9':
			b[i] = byte('0' + r.IntN(10))
		case b[i] < 0x80:
			b[i] = byte('a' + r.IntN(26))
		}
		n.Text = string(b)
	}
	return fmt.Sprintf("%q → %q", old, n.Text)
}

// TestCertificateFieldsAreChecked: what an attacker tried, one by one.
func TestCertificateFieldsAreChecked(t *testing.T) {
	cert := certificateIn(t, certifiedClaims[0])
	data, _ := cert.JSON()
	ends := certificateIn(t, certifiedClaims[5])
	for _, test := range []struct {
		name, want string
		edit       func(*Certificate)
	}{
		{"a false ε", "epsilon = [0, 0.1], and the methods at this effort give", func(c *Certificate) { c.Epsilon = certify.Bounds{Lo: "0", Hi: "0.1"} }},
		{"ε is no number", `epsilon: lo = "banana"`, func(c *Certificate) { c.Epsilon.Lo = "banana" }},
		{"ε below 0", "epsilon = [-1, ", func(c *Certificate) { c.Epsilon.Lo = "-1" }},
		{"δ narrowed", "delta = [0.12693673750664394581, ", func(c *Certificate) { c.Delta.Lo = c.Delta.Hi }},
		{"δ crossed", "want lo <= hi", func(c *Certificate) { c.Delta.Lo = "0.1270" }},
		{"δ above 1", "want lo <= hi in [0, 1]", func(c *Certificate) { c.Delta.Hi = "2" }},
		{"precision", "precision = 1000000000, want the 64 bits of effort 0", func(c *Certificate) { c.Precision = 1e9 }},
		{"effort", "want the 128 bits of effort 1", func(c *Certificate) { c.Effort = 1 }},
		{"methods", "methods = [oracle], and the decision rests on [gaussian]", func(c *Certificate) { c.Methods = []string{"oracle"} }},
		{"no methods", "methods = [], and the decision rests on [gaussian]", func(c *Certificate) { c.Methods = []string{} }},
		{"notes", "notes = [trust me], and the decision has []", func(c *Certificate) { c.Notes = []string{"trust me"} }},
		{"claim", `claim.delta = 2, want a number in [0, 1]`, func(c *Certificate) { c.Claim.Delta = "2"; c.SHA256 = c.digest() }},
		{"hash", "want the hash of the event", func(c *Certificate) { c.ID = "y" }},
		{"hash of nothing", "want the hash of the event", func(c *Certificate) { c.SHA256 = "" }},
		{"verdict", `does not refute the claim`, func(c *Certificate) { c.Verdict = certify.Refuted }},
		{"spelling of the event", "want it spelled as", func(c *Certificate) {
			c.Event = bytes.Replace(c.Event, []byte(`"1"`), []byte(`"1.0"`), 1)
			c.SHA256 = c.digest()
		}},
		{"a memory limit", "max_memory = -1", func(c *Certificate) { c.MaxMemory = -1; c.SHA256 = c.digest() }},
	} {
		c := cert
		test.edit(&c)
		edited, _ := c.JSON()
		if _, _, why := confirmed(t, edited); !strings.Contains(why, test.want) {
			t.Errorf("%s: %q, want %q", test.name, why, test.want)
		}
	}
	// The other corner: noise of 1000 leaves another lower end standing.
	c := ends
	c.MorePrivate = bytes.Replace(c.MorePrivate, []byte("1.005"), []byte("1000"), 1)
	c.SHA256 = c.digest()
	edited, _ := c.JSON()
	if _, _, why := confirmed(t, edited); !strings.Contains(why, "delta = ") {
		t.Errorf("other corner: %q", why)
	}
	for _, f := range certificateFields {
		var all map[string]json.RawMessage
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}
		delete(all, f)
		edited, _ := json.Marshal(all)
		if _, _, why := confirmed(t, edited); !strings.Contains(why, f+" is missing") {
			t.Errorf("without %s: %q", f, why)
		}
	}
	// encoding/json takes a field in capitals for the same.
	capitals := bytes.Replace(data, []byte(`"lo"`), []byte(`"LO"`), 1)
	if _, _, why := confirmed(t, capitals); !strings.Contains(why, `unknown field "delta.LO"`) {
		t.Errorf("in capitals: %q", why)
	}
	// What stands beside the enclosures is the same in another spelling.
	escaped := bytes.Replace(data, []byte(`"verified"`), []byte(`"verifie\u0064"`), 1)
	if _, _, why := confirmed(t, escaped); !strings.Contains(why, "want it as verify certify writes it") {
		t.Errorf("with an escape: %q", why)
	}
	// A wider enclosure says less, and stands.
	c = cert
	c.Delta, c.Epsilon = certify.Bounds{Lo: "0", Hi: "0.13"}, certify.Bounds{Lo: "0", Hi: "inf"}
	edited, _ = c.JSON()
	if _, _, why := confirmed(t, edited); why != "" {
		t.Errorf("wider: %s", why)
	}
}

// TestCertificatesUnderAMemoryLimit: the limit is part of the question.
func TestCertificatesUnderAMemoryLimit(t *testing.T) {
	const claim = "event: {class_name: SelfComposedDpEvent, count: 8, event: {class_name: LaplaceDpEvent, noise_multiplier: 10}}, claim: {epsilon: 0.7, delta: 0.1}"
	o := decide(t, claim, certify.Options{MaxMemory: 1000})
	cert, ok := New(o)
	if !ok || cert.MaxMemory != 1000 {
		t.Fatalf("%v, limit %d", ok, cert.MaxMemory)
	}
	data, _ := cert.JSON()
	if _, _, why := confirmed(t, data); why != "" {
		t.Error(why)
	}
	o.Epsilon = nil
	if _, ok := New(o); ok {
		t.Error("a certificate without the least ε, which the clock left out")
	}
}

// TestNoCertificateByLeastEpsilon: where the enclosure of δ does not decide, but the least ε at δ = 0 does, there is
// no certificate; nor of claims without numbers, or of another form.
func TestNoCertificateByLeastEpsilon(t *testing.T) {
	const event = "event: {class_name: SelfComposedDpEvent, count: 5, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.1, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}}}"
	for claim, want := range map[string]certify.Verdict{"{epsilon: 0.7928253937, delta: 0}": certify.Refuted, "{epsilon: 0.7928253938, delta: 0}": certify.Verified} {
		fixed := exact.Effort(0)
		o := decide(t, event+", claim: "+claim, certify.Options{Fixed: &fixed})
		if _, ok := New(o); o.Verdict != want || ok != (want == certify.Verified) {
			t.Errorf("%s: %s, has a certificate: %v", claim, o.Verdict, ok)
		}
	}
	for _, s := range []certify.Statement{certify.Point{}, certify.Concentrated{}, certify.Renyi{}, nil} {
		if _, ok := New(&certify.Outcome{Claim: &certify.Claim{Statement: s}, Verdict: certify.Verified}); ok {
			t.Errorf("a certificate of %#v", s)
		}
	}
}
