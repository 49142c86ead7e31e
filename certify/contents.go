package certify

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// FileContents reads a file of at most limit bytes.
func FileContents(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Contents(path, f, limit)
}

// Contents reads at most limit bytes, and fails if there are more. name is what errors
// call the source.
func Contents(name string, r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	var p *fs.PathError
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, fmt.Errorf("%s is a directory, want a file", Printable(name))
	case errors.As(err, &p):
		return nil, fmt.Errorf("%s: %w", Printable(name), p.Err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", Printable(name), err)
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("%s is too long, want at most %d bytes", Printable(name), limit)
	}
	return data, nil
}
