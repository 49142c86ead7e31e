// Package closed has the privacy profiles that have a closed form.
//
// Each function returns an enclosure of H_{e^ε}(P‖Q) for a pair of package pair;
// the forms are equalities, so that both ends are bounds. ε is any real number,
// in nats; a result has about p settled leading bits wherever the profile is not
// 0. The working precision is raised until it does, up to a limit.
package closed

import (
	"math/big"

	"dpverify/exact/interval"
)

// limit bounds the working precision for p settled bits.
func limit(p interval.Prec) interval.Prec { return min(8*p+4096, interval.MaxPrec/4) }

var one = interval.Int(1)

// clampUnit intersects an enclosure of a probability with [0, 1].
func clampUnit(x interval.Interval) interval.Interval { return interval.Clamp(x, 0, 1) }

func ratInt(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }
