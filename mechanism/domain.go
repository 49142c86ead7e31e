package mechanism

import "math/big"

// A domain is a set of real parameters.
type domain struct {
	want     string // as an error says it, after "want" or "want a number"
	contains func(*big.Rat) bool
}

var (
	one = big.NewRat(1, 1)

	positive    = domain{"> 0", func(r *big.Rat) bool { return r.Sign() > 0 }}
	nonNegative = domain{">= 0", func(r *big.Rat) bool { return r.Sign() >= 0 }}
	probability = domain{"in [0, 1]", func(r *big.Rat) bool { return r.Sign() >= 0 && r.Cmp(one) <= 0 }}
	aboveOne    = domain{"> 1", func(r *big.Rat) bool { return r.Cmp(one) > 0 }}
	anyReal     = domain{"", func(*big.Rat) bool { return true }}
)

// number says what is wanted where there is no number at all.
func (d domain) number() string {
	if d.want == "" {
		return "a number"
	}
	return "a number " + d.want
}

// A trend is how privacy moves with a parameter while all others stay, for
// every event that contains it: composition and sampling preserve that one pair
// dominates another. Only where a trend is proved may an interval stand for the
// parameter, because only then do its two ends bound everything between them.
type trend int

const (
	unproved trend = iota
	// morePrivate: as the parameter grows the privacy profile does not grow.
	morePrivate
	// lessPrivate: as the parameter grows the privacy profile does not shrink.
	lessPrivate
)

// A corner says which end of each interval is taken.
type corner int

const (
	noCorner corner = iota // an interval is an error
	private                // the end with the smaller privacy profile
	exposed                // the end with the larger one
)
