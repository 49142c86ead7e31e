// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
)

// LocalReports stands for what is known from above of shuffled reports, one of each of Others + 1 records, Others ≥ 1,
// of any local randomizer whose probabilities differ by a factor of at most Ratio > 1 for any two inputs. Its profile
// is the greatest one, at each α. The inputs of the others may be any.
type LocalReports struct {
	mirrored
	Others int64
	Ratio  *big.Rat
}

func (x LocalReports) String() string {
	return fmt.Sprintf("LocalReports(%d, %s)", x.Others, x.Ratio.RatString())
}

// Reverse is the pair itself: the two inputs of the record may change places.
func (x LocalReports) Reverse() Pair           { return x }
func (LocalReports) infMass() (*big.Rat, bool) { return new(big.Rat), true }

// reach: all reports may be the same value.
func (x LocalReports) reach() reach { return upTo(LogLoss(x.Ratio)) }

// Apart is the greatest mass of (p − q)₊/(Ratio − 1), for the own report's distributions p and q.
func (x LocalReports) Apart() *big.Rat {
	y := new(big.Rat).Add(x.Ratio, ratOne)
	return y.Inv(y)
}
