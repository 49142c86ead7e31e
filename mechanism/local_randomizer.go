// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// LocalRandomizer is a report of one record: of the record's value i it is y with probability Table[i][y].
type LocalRandomizer struct {
	Table [][]*big.Rat // at least one row; all of equal length ≥ 1, each with sum exactly 1
}

// maxInputs bounds the rows of a table, of which any two are compared.
const maxInputs = 64

func (LocalRandomizer) ClassName() string              { return "LocalRandomizerEvent" }
func (e LocalRandomizer) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e LocalRandomizer) describe() description {
	return description{
		value:     &e,
		about:     "A report of one record, by a table: table[i][y] is the probability of report y of input i.",
		bound:     "a local randomizer, exactly: the worst of any two inputs",
		relations: replaceOne,
		example:   `"table":[["3/5","1/5","1/5"],["1/5","3/5","1/5"],["1/5","1/5","3/5"]]`,
		sentence: say("a report of one record, at random, by a table of %s",
			field.Elements(e.Table, "input")),
		fields: []field.Field{field.Rows("table", &e.Table, maxInputs)},
	}
}
