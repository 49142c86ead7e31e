package document

import "fmt"

// A SyntaxError says where a document stops being well formed.
type SyntaxError struct {
	// Line and Column count from 1; Column counts characters.
	Line, Column int
	Msg          string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// ErrorLine is the line, for LineOf.
func (e *SyntaxError) ErrorLine() int { return e.Line }
