package number

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Abbreviate shortens a value for an error text.
func Abbreviate(s string) string {
	const most, head, tail = 64, 40, 10
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s...%s (%d characters)", trimRune(s[:head]), s[len(s)-tail:], utf8.RuneCountInString(s))
}

// trimRune drops the bytes of a character that was cut at the end of s.
func trimRune(s string) string {
	for s != "" {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size > 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}

// Quote renders a text of the source for an error: bare if it is a number, else
// quoted, so that nothing in it can be mistaken for our own words.
func Quote(s string) string {
	if _, want := scan(s); want != noNumber && isNumberText(s) {
		return Abbreviate(s)
	}
	return strconv.QuoteToASCII(Abbreviate(s))
}

// isNumberText reports whether s consists of the characters of a number only.
func isNumberText(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c == '+', c == '-', c == '.', c == '/', c == 'e', c == 'E':
		default:
			return false
		}
	}
	return s != ""
}
