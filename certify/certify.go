// Package certify decides claims about privacy: it reads them from files, asks the
// exact engine with rising effort until the enclosure of δ separates from the
// claimed one, and says VERIFIED, REFUTED or UNDECIDED.
package certify

import "fmt"

// A Verdict answers whether a claim is true.
type Verdict string

// The verdicts. Refuted, for an event that is a guarantee, means that the
// guarantee does not imply the claim.
const (
	Verified  Verdict = "verified"
	Refuted   Verdict = "refuted"
	Undecided Verdict = "undecided"
	Malformed Verdict = "malformed"
)

const wantVerdict = "verified, refuted, undecided or malformed"

// ParseVerdict reads a verdict as claims files write it.
func ParseVerdict(s string) (Verdict, error) {
	switch v := Verdict(s); v {
	case Verified, Refuted, Undecided, Malformed:
		return v, nil
	}
	return "", fmt.Errorf("certify: verdict = %q, want %s", abbreviate(s), wantVerdict)
}
