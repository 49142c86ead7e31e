package document

import (
	"fmt"
	"strconv"
)

// Shown is a value as an error shows it.
func Shown(n *Node) string {
	switch n.Kind {
	case Sequence:
		return fmt.Sprintf("a list of %d", len(n.Items))
	case String:
		return Quote(n.Text)
	case Number, Bool:
		return Shorten(n.Text)
	}
	return n.Kind.String()
}

// Quote quotes a text for an error, abbreviated if it is long.
func Quote(s string) string { return strconv.Quote(Shorten(s)) }

// Shorten abbreviates a text that is long.
func Shorten(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
