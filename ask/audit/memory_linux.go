// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// exceeds waits until the group of a process uses more bytes of memory than most, if that is positive; false if it has
// ended, or nobody waits for it, before. It lets the kernel choose the process rather than the audit when all memory is
// used up.
func exceeds(c *exec.Cmd, most int64, stop, done <-chan struct{}) bool {
	pid := strconv.Itoa(c.Process.Pid)
	_ = os.WriteFile(filepath.Join("/proc", pid, "oom_score_adj"), []byte("1000"), 0)
	if most <= 0 {
		return false
	}
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return false
		case <-done:
			return false
		case <-tick.C:
		}
		used := resident(pid)
		if n%8 == 0 {
			used = residentGroup(pid)
		}
		if used > most {
			return true
		}
	}
}

// resident returns the bytes of memory that a process uses, 0 if it is not there.
func resident(pid string) int64 {
	data, err := os.ReadFile(filepath.Join("/proc", pid, "statm"))
	fields := bytes.Fields(data)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// residentGroup returns the bytes of memory that a process group uses.
func residentGroup(pgid string) int64 {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	total := int64(0)
	for _, s := range stats {
		data, err := os.ReadFile(s)
		if err != nil {
			continue
		}
		// pid (name) state ppid pgrp …: the name may hold anything.
		fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
		if len(fields) > 2 && string(fields[2]) == pgid {
			total += resident(filepath.Base(filepath.Dir(s)))
		}
	}
	return total
}
