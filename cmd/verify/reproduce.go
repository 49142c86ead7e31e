package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/reproduce"
)

func newReproduce() *cobra.Command {
	var list bool
	c := &cobra.Command{
		Use:   "reproduce [ID…]",
		Short: "Recompute the stated numbers of papers and published bounds",
		Long: `Recompute what the papers that this program rests on state about their figures and
experiments, and what others have published: the parameters, the statement, an
enclosure of each number, and whether the statement holds. Without an ID everything is
recomputed, which takes minutes; --list lists the IDs. A statement that does not hold
is a result, not a failure.`,
		Example: `  verify reproduce --list
  verify reproduce 2-fig1 4-fig4`,
		RunE: func(c *cobra.Command, ids []string) error {
			entries, err := chosenEntries(ids)
			if err != nil {
				return err
			}
			if list {
				for _, e := range entries {
					if _, err := fmt.Fprintf(c.OutOrStdout(), "%-20s %s\n", e.ID, e.Title); err != nil {
						return err
					}
				}
				return nil
			}
			p := newProgress(c.ErrOrStderr(), len(entries))
			defer p.close()
			for _, e := range entries {
				e.Figures = nil // the summary is of numbers
				o, err := reproduce.Run(c.Context(), e, p.describe)
				switch {
				case c.Context().Err() != nil:
					return errInterrupted
				case err != nil:
					return err
				}
				p.step()
				if err := p.aside(func() error { _, err := io.WriteString(c.OutOrStdout(), o.Text()+"\n"); return err }); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&list, "list", false, "list the IDs instead")
	return c
}

// chosenEntries returns the entries of IDs, or all of them.
func chosenEntries(ids []string) ([]reproduce.Entry, error) {
	all := reproduce.Entries()
	if len(ids) == 0 {
		return all, nil
	}
	byID := map[string]reproduce.Entry{}
	var names []string
	for _, e := range all {
		byID[e.ID] = e
		names = append(names, e.ID)
	}
	var out []reproduce.Entry
	for _, id := range ids {
		e, ok := byID[id]
		if !ok {
			return nil, fmt.Errorf("unknown ID %s, want one of %s", quote(id), strings.Join(names, ", "))
		}
		out = append(out, e)
	}
	return out, nil
}
