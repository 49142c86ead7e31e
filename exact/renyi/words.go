// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// A wordTrapezoid is what values of a trapezoid are made of, in words.
type wordTrapezoid struct {
	es     []fixed.Real
	blends [][]wordTerm
}

// A wordTerm is p·e^(µx − µ²/2) = e^(mean·x + log).
type wordTerm struct{ mean, log fixed.Real }

// words is the arithmetic of package fixed.
var words = fixed.Three{}

// mostWordBits is how good values in words are tried to be.
const mostWordBits = interval.Prec(160)

func newWordTrapezoid(t *trapezoid) *wordTrapezoid {
	if t.good > mostWordBits {
		return nil
	}
	wt := new(wordTrapezoid)
	for _, f := range t.fs {
		wt.es = append(wt.es, words.Rat(f.e))
		var terms []wordTerm
		for i, m := range f.means {
			mean := fixed.FromInterval(m(224))
			log := words.Sub(words.Log(words.Rat(f.probs[i])), words.Scale(words.Sqr(mean), -1))
			terms = append(terms, wordTerm{mean, log})
		}
		wt.blends = append(wt.blends, terms)
	}
	return wt
}

// value encloses √2π·f at the node jh. Exponents of words are so wide that no term need be taken out.
func (t *wordTrapezoid) value(j int64, h interval.Interval) fixed.Real {
	x := words.Mul(fixed.Int(j), fixed.FromInterval(h))
	log := words.Scale(words.Sqr(x), -1).Neg()
	for i, terms := range t.blends {
		var sum fixed.Real
		for _, c := range terms {
			sum = words.Add(sum, words.Exp(words.Add(words.Mul(c.mean, x), c.log)))
		}
		log = words.Add(log, words.Mul(t.es[i], words.Log(sum)))
	}
	return words.Exp(log)
}
