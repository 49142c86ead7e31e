// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"math/big"
	"testing"
)

// TestWriter: what is written is JSON that reads as what it was written from, and a name may have any character.
func TestWriter(t *testing.T) {
	var w Writer
	w.Raw(`{"a":1`)
	w.Text("b", "q\"\\\x01é<\n")
	w.Integer("c", -7)
	w.Number("d", big.NewRat(1, 3))
	w.Number("e", nil)
	w.Numbers("f", []*big.Rat{big.NewRat(1, 4)})
	w.Pairs("g", 2, func(i int) (x, y *big.Rat) { return big.NewRat(int64(i), 1), big.NewRat(1, 2) })
	w.List("h", 0, nil)
	w.Raw("}")
	n, err := ParseJSON(w.Bytes())
	if err != nil {
		t.Fatalf("%s: %v", w.Bytes(), err)
	}
	if text := n.Get("b").Text; text != "q\"\\\x01é<\n" {
		t.Errorf("%q", text)
	}
	const want = `{"a":1,"b":"q\"\\\u0001é<\n","c":-7,"d":"1/3","e":null,"f":["0.25"],"g":[["0","0.5"],["1","0.5"]],"h":[]}`
	if got := string(n.JSON()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
