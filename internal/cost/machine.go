// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cost

import (
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Machine returns the memory in bytes that there is for this process: of the machine or, where it is less, of the
// control group. It is 0 where that is not known, as outside of Linux.
func Machine() int64 { return thisMachine() }

var thisMachine = sync.OnceValue(func() int64 { return machine(os.DirFS("/")) })

// machine is Machine by the files of a system.
func machine(root fs.FS) int64 {
	least := int64(0)
	for _, m := range []int64{total(root), group(root)} {
		if m > 0 && (least == 0 || m < least) {
			least = m
		}
	}
	return least
}

// total is the memory of the machine, 0 if it is not known.
func total(root fs.FS) int64 {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil || n < 0 || n > math.MaxInt64>>10 {
				return 0
			}
			return n << 10
		}
	}
	return 0
}

// group is the limit of the control group that a container sees as its root, 0 if there is none.
func group(root fs.FS) int64 {
	text, err := fs.ReadFile(root, "sys/fs/cgroup/memory.max")
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // or the word max
	if err != nil || n < 0 {
		return 0
	}
	return n
}
