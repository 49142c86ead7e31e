// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"dpverify/float/learn"
)

// program is the linear program of a goal about one release, if it is one and small enough.
func program(goal learn.Goal) (learn.Program, bool) {
	l := learn.Program{N: goal.N, Shift: goal.Shift, Eps: goal.Eps, Weights: goal.Weights, Delta: goal.Delta,
		Most: goal.Most}
	l.Delta *= 1 - 1e-9 // so that rounding does not miss it
	if goal.Root {
		l.Most *= l.Most
	}
	return l, goal.Count == 1 && goal.Rate == 1 && l.Fits()
}

// shapeProgram is the linear program of symmetric noise of any shape.
func shapeProgram(goal learn.Goal) learn.Program {
	l, _ := program(goal)
	l.Shape = learn.AnyShape
	return l
}
