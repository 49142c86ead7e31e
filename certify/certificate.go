package certify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpverify/document"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// certificateVersion is the version of the form of certificates.
const certificateVersion = 1

// A Certificate is all that it takes to repeat the decision of a claim (ε, δ): it
// names no other file. It holds nothing that depends on the clock.
type Certificate struct {
	Version int    `json:"version"`
	Program string `json:"program"` // version of the program that wrote it

	ID          string          `json:"id"`
	Source      string          `json:"source,omitempty"`
	Event       json.RawMessage `json:"event"` // with the contents of the files that it named
	MorePrivate json.RawMessage `json:"more_private_event,omitempty"`
	Relation    string          `json:"relation"`
	Direction   string          `json:"direction"`
	Claim       CertifiedClaim  `json:"claim"`

	Verdict   Verdict      `json:"verdict"`
	Delta     Bounds       `json:"delta"`   // encloses δ at the claimed ε
	Epsilon   *Bounds      `json:"epsilon"` // encloses max(0, least ε) at the claimed δ
	Methods   []string     `json:"methods"`
	Effort    exact.Effort `json:"effort"`
	Precision uint         `json:"precision"` // bits of the working precision
	Notes     []string     `json:"notes,omitempty"`

	Inputs []Input `json:"inputs"`
}

// A CertifiedClaim is the claim δ(Epsilon) ≤ Delta, in exact numbers.
type CertifiedClaim struct {
	Epsilon string `json:"epsilon"`
	Delta   string `json:"delta"`
}

// An Input is a file that a certificate rests on, or the event itself.
type Input struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// NewCertificate returns the certificate of an outcome; false if there is none,
// because the claim is not decided, or not of the form (ε, δ), or not by the enclosure of δ,
// on which certificates rest.
func NewCertificate(program string, o *Outcome) (Certificate, bool) {
	c := o.Claim
	s := c.Statement
	if o.Verdict != Verified && o.Verdict != Refuted || o.Delta == nil || s.Epsilon == nil || s.Delta == nil ||
		o.Delta.LessEqRat(s.Delta) == interval.Unknown {
		return Certificate{}, false
	}
	cert := Certificate{
		Version: certificateVersion, Program: program, ID: c.ID, Source: c.Source,
		Event: mechanism.EncodeContents(c.LessPrivate), Relation: c.Relation.String(), Direction: c.Direction.String(),
		Claim:   CertifiedClaim{mechanism.FormatNumber(s.Epsilon), mechanism.FormatNumber(s.Delta)},
		Verdict: o.Verdict, Delta: *certified(o.Delta, s.Delta), Epsilon: newBounds(o.LeastEpsilon(), s.Epsilon),
		Methods: o.Methods, Effort: o.Effort, Precision: uint(o.Effort.Bits()), Notes: o.Notes,
	}
	if !mechanism.Equal(c.MorePrivate, c.LessPrivate) {
		cert.MorePrivate = mechanism.EncodeContents(c.MorePrivate)
	}
	cert.Inputs = []Input{{"event", digest(cert.Event)}}
	if c.SHA256 != "" {
		cert.Inputs = append(cert.Inputs, Input{c.File, c.SHA256})
	}
	return cert, true
}

// certified is newBounds, but the claimed number itself where that is known to be the
// value: a fraction such as 1/3 is at most 1/3, and no decimal above it says so.
func certified(e *exact.Enclosure, claimed *big.Rat) *Bounds {
	if e.Value != nil && e.Value.Cmp(claimed) == 0 {
		s := mechanism.FormatNumber(claimed)
		return &Bounds{s, s}
	}
	return newBounds(e, claimed)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// FileName is a name for the certificate that is safe on all file systems and differs
// for different claims.
func (c Certificate) FileName() string {
	slug := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, c.ID)
	const most = 60
	if len(slug) > most {
		slug = slug[:most]
	}
	key := strings.Join([]string{c.ID, string(c.Event), string(c.MorePrivate), c.Relation, c.Direction, c.Claim.Epsilon, c.Claim.Delta}, "\x00")
	return slug + "-" + digest([]byte(key))[:12] + ".json"
}

// JSON returns the certificate as indented JSON that ends with a newline.
func (c Certificate) JSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(c)
	return b.Bytes(), err
}

// MaxCertificateBytes bounds a certificate.
const MaxCertificateBytes = 256 << 20

// ReadCertificate reads a certificate and the claim in it. Every field is checked, and
// so is that the certificate agrees with itself: its enclosure decides the claim as
// its verdict says, and the hash is that of the event.
func ReadCertificate(name string, data []byte) (Certificate, *Claim, error) {
	fail := func(err error) (Certificate, *Claim, error) {
		return Certificate{}, nil, fmt.Errorf("%s: %w", Printable(name), err)
	}
	if len(data) > MaxCertificateBytes {
		return fail(fmt.Errorf("longer than %d bytes", MaxCertificateBytes))
	}
	var c Certificate
	if err := decodeJSON(name, data, "a certificate of verify certify", &c); err != nil {
		return c, nil, err
	}
	if c.Version != certificateVersion {
		return fail(fmt.Errorf("version = %d, want a certificate of verify certify, version %d", c.Version, certificateVersion))
	}
	claim := &Claim{File: name, ID: c.ID, Source: c.Source}
	var err error
	if claim.LessPrivate, err = mechanism.DecodeEvent(c.Event); err != nil {
		return fail(err)
	}
	claim.MorePrivate = claim.LessPrivate
	if c.MorePrivate != nil {
		if claim.MorePrivate, err = mechanism.DecodeEvent(c.MorePrivate); err != nil {
			return fail(err)
		}
		if err := c.corners(claim); err != nil {
			return fail(err)
		}
	}
	if claim.Relation, err = mechanism.ParseRelation(c.Relation); err != nil {
		return fail(err)
	}
	if claim.Direction, err = mechanism.ParseDirection(c.Direction); err != nil {
		return fail(err)
	}
	s := &claim.Statement
	s.Written = [2]string{c.Claim.Epsilon, c.Claim.Delta}
	if s.Epsilon, err = mechanism.ParseNumber(c.Claim.Epsilon); err != nil {
		return fail(err)
	}
	if s.Delta, err = mechanism.ParseNumber(c.Claim.Delta); err != nil {
		return fail(err)
	}
	if c.Effort < 0 || c.Effort > exact.MaxEffort {
		return fail(fmt.Errorf("effort = %d, want an integer in [0, %d]", c.Effort, exact.MaxEffort))
	}
	if err := c.consistent(claim); err != nil {
		return fail(err)
	}
	return c, claim, nil
}

// consistent checks that the enclosure decides the claim as the verdict says.
func (c Certificate) consistent(claim *Claim) error {
	lo, err1 := mechanism.ParseNumber(c.Delta.Lo)
	hi, err2 := mechanism.ParseNumber(c.Delta.Hi)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	delta := claim.Statement.Delta
	switch {
	case lo.Cmp(hi) > 0:
		return fmt.Errorf("delta = [%s, %s], want lo <= hi", c.Delta.Lo, c.Delta.Hi)
	case c.Verdict == Verified && hi.Cmp(delta) > 0:
		return fmt.Errorf("the enclosure of δ, [%s, %s], does not verify the claim δ <= %s", c.Delta.Lo, c.Delta.Hi, c.Claim.Delta)
	case c.Verdict == Refuted && lo.Cmp(delta) <= 0:
		return fmt.Errorf("the enclosure of δ, [%s, %s], does not refute the claim δ <= %s", c.Delta.Lo, c.Delta.Hi, c.Claim.Delta)
	case c.Verdict != Verified && c.Verdict != Refuted:
		return fmt.Errorf("verdict = %q, want verified or refuted", abbreviate(string(c.Verdict)))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, c.Event); err != nil {
		return err
	}
	for _, in := range c.Inputs {
		if in.Name == "event" && in.SHA256 != digest(compact.Bytes()) {
			return errors.New("the SHA-256 of the event is not the one stated")
		}
	}
	return nil
}

// corners checks that the two events are the corners of one event with interval
// parameters. A refutation rests on the more private one alone: it says something about
// the event only if privacy is known to be monotone in all numbers in which they differ,
// in the direction in which they differ.
//
// An event is more private than another if the decoder, asked for the corners of the
// event that has an interval for every pair of different numbers, returns the two.
func (c Certificate) corners(claim *Claim) error {
	wrong := errors.New("more_private_event and event are not the corners of one event with interval parameters")
	more, err1 := document.ParseJSON(c.MorePrivate)
	less, err2 := document.ParseJSON(c.Event)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	both, ok := spanned(more, less)
	if !ok {
		return wrong
	}
	a, b, err := mechanism.Decoder{}.EventRange(both, "event")
	if err != nil {
		return fmt.Errorf("%w: %w", wrong, err)
	}
	if !mechanism.Equal(a, claim.MorePrivate) || !mechanism.Equal(b, claim.LessPrivate) {
		return wrong
	}
	return nil
}

// spanned returns a with {lo, hi} for every number that is different in b; it reports
// false if the two differ in anything else.
func spanned(a, b *document.Node) (*document.Node, bool) {
	if a.Kind != b.Kind || len(a.Items) != len(b.Items) || len(a.Entries) != len(b.Entries) {
		return nil, false
	}
	out := *a
	out.Items, out.Entries = slices.Clone(a.Items), slices.Clone(a.Entries)
	for i := range out.Items {
		var ok bool
		if out.Items[i], ok = spanned(a.Items[i], b.Items[i]); !ok {
			return nil, false
		}
	}
	for i, e := range out.Entries {
		var ok bool
		if e.Key != b.Entries[i].Key {
			return nil, false
		}
		if out.Entries[i].Value, ok = spanned(e.Value, b.Entries[i].Value); !ok {
			return nil, false
		}
	}
	if a.Text == b.Text {
		return &out, true
	}
	x, err1 := mechanism.ParseNumber(a.Text)
	y, err2 := mechanism.ParseNumber(b.Text)
	if err1 != nil || err2 != nil {
		return nil, false
	}
	lo, hi := a, b
	if x.Cmp(y) > 0 {
		lo, hi = b, a
	}
	return &document.Node{Kind: document.Mapping, Line: a.Line, Entries: []document.Entry{{Key: "lo", Value: lo}, {Key: "hi", Value: hi}}}, true
}

// overlaps reports whether an enclosure has a number in common with that of the
// certificate.
func (c Certificate) overlaps(x exact.Enclosure) bool {
	lo, err1 := mechanism.ParseNumber(c.Delta.Lo)
	hi, err2 := mechanism.ParseNumber(c.Delta.Hi)
	if err1 != nil || err2 != nil {
		return false
	}
	below := func(r *big.Rat) bool { return x.Interval.LessRat(r) == interval.True }
	above := func(r *big.Rat) bool { return x.LessEqRat(r) == interval.False }
	return !below(lo) && !above(hi)
}
