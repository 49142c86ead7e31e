// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package size

import "testing"

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		text string
		want Bytes
	}{
		{"1", 1}, {"1e6", 1e6}, {"300MB", 300e6}, {"2GiB", 2 << 30}, {"1.5 kB", 1500}, {"0.5KiB", 512}, {"7B", 7}, {"1/3kB", 333}, {"8TiB", 8 << 40},
	} {
		var m Bytes
		if err := m.Set(c.text); err != nil || m != c.want {
			t.Errorf("%q: %d, %v, want %d", c.text, m, err, c.want)
		}
	}
	for _, text := range []string{"", "MB", "0", "0.5", "-1", "1e30", "1gb", "10 k", "NaN", "1e100000TB"} {
		var m Bytes
		if err := m.Set(text); err == nil {
			t.Errorf("%q is accepted as %d", text, m)
		}
	}
}
