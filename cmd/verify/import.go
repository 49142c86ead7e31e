package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/certify"
	"dpverify/document"
	"dpverify/mechanism"
)

func newImport() *cobra.Command {
	c := &cobra.Command{
		Use:   "import FORMAT FILE…",
		Short: "Turn what other programs write into a file of claims",
		Long: `Turn what other programs write into a file of claims, for "verify certify":

  opacus  the history of an accountant of Opacus
  opendp  deployments of the registry of OpenDP`,
		Example: `  verify import opacus history.json --epsilon 3.0 --delta 1e-5 -o claims.yaml
  verify import opendp deployments/*.yaml -o claims.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no FORMAT, want opacus or opendp")
			}
			return fmt.Errorf("unknown format %s, want opacus or opendp", quote(args[0]))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	c.AddCommand(newImportOpacus(), newImportOpenDP())
	return c
}

// An importedClaim is an entry of a claims file, its fields in their usual order.
type importedClaim struct {
	ID         string          `json:"id"`
	Source     string          `json:"source,omitempty"`
	Note       string          `json:"note,omitempty"`
	Event      json.RawMessage `json:"event"`
	Claim      any             `json:"claim"`
	Derivation string          `json:"derivation,omitempty"`
}

// writeClaims writes a claims file: YAML with a key a line. It is read back first, so that
// what is written can be decided.
func writeClaims(w io.Writer, path string, claims []importedClaim) error {
	data, err := json.Marshal(struct {
		Version int             `json:"version"`
		Claims  []importedClaim `json:"claims"`
	}{1, claims})
	if err != nil {
		return err
	}
	n, err := document.ParseJSON(data)
	if err != nil {
		return err
	}
	for _, c := range n.Get("claims").Items {
		unquote(c.Get("event"))
		unquote(c.Get("claim"))
	}
	out := n.YAML()
	back, err := certify.Parse("claims.yaml", out, nil)
	if err != nil {
		return err
	}
	for _, c := range back {
		if c.Err != nil {
			return c.Err
		}
	}
	return writeOutput(w, path, out)
}

// unquote makes numbers of the strings in a tree that spell one.
func unquote(n *document.Node) {
	if n.Kind == document.String {
		if _, err := mechanism.ParseNumber(n.Text); err == nil {
			n.Kind = document.Number
		}
	}
	for _, x := range n.Items {
		unquote(x)
	}
	for _, e := range n.Entries {
		unquote(e.Value)
	}
}

// readDocument reads a JSON or YAML file; - is standard input.
func readDocument(c *cobra.Command, file string, rewrite func([]byte) []byte) (*document.Node, string, error) {
	var data []byte
	var err error
	name := file
	if file == "-" {
		name = "<stdin>"
		data, err = certify.Contents(name, c.InOrStdin(), maxEventBytes)
	} else {
		data, err = certify.FileContents(file, maxEventBytes)
	}
	if err != nil {
		return nil, name, err
	}
	if rewrite != nil {
		data = rewrite(data)
	}
	n, err := certify.ParseDocument(data)
	if err != nil {
		err = certify.Locate(name, err)
	}
	return n, name, err
}

// at names the place of an error in a file.
func at(file string, n *document.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", certify.Printable(file), n.Line, fmt.Sprintf(format, args...))
}

// baseName is the name of a file without its directory and ending.
func baseName(file string) string {
	if file == "-" {
		return "stdin"
	}
	b := filepath.Base(file)
	return strings.TrimSuffix(b, filepath.Ext(b))
}
