package interval

import "dpverify/mechanism"

// Decimal returns the tightest p-bit enclosure of the number written in s; see
// mechanism.ParseNumber for the grammar. "inf" and "-inf" are not numbers.
func (p Prec) Decimal(s string) (Interval, error) {
	r, err := mechanism.ParseNumber(s)
	if err != nil {
		return Interval{}, err
	}
	return p.Rat(r), nil
}
