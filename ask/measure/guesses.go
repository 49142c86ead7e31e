// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package measure

import "fmt"

// maxTrials bounds the canaries of an attack.
const maxTrials = 1 << 22

// Guesses are the guesses about the canaries of one run: each of Canaries was a member or not by the throw of a fair
// coin of its own, Guessed of them were guessed to be or not to be, and Correct of the guesses were right.
type Guesses struct{ Canaries, Guessed, Correct int64 }

// NewGuesses returns guesses that are possible.
func NewGuesses(m, guessed, correct int64) (Guesses, error) {
	switch {
	case m < 1 || m > maxTrials:
		return Guesses{}, fmt.Errorf("canaries = %d, want an integer in [1, %d]", m, maxTrials)
	case guessed < 1 || guessed > m:
		return Guesses{}, fmt.Errorf("guessed = %d, want an integer in [1, %d], the canaries", guessed, m)
	case correct < 0 || correct > guessed:
		return Guesses{}, fmt.Errorf("correct = %d, want an integer in [0, %d], the guesses", correct, guessed)
	}
	return Guesses{m, guessed, correct}, nil
}
