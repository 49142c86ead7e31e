// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package remembered keeps values that were made once by their keys, and does not grow without bound.
package remembered

import "sync"

// A Store keeps values of any types. It may be used by several goroutines. The zero value is empty and ready for use.
type Store[K comparable] struct {
	mu          sync.Mutex
	young, aged generation[K]
}

// A generation is what a Store has kept, or was asked for, since the one before was full.
type generation[K comparable] struct {
	kept map[K]recalled
	size int // about how many numbers
}

// A recalled value has about so many numbers.
type recalled struct {
	value any
	size  int
}

// Most bounds the numbers of a generation, of some 100 bytes each. A Store has two: what was not asked for while the
// younger one filled up is forgotten.
const Most = 1 << 19

// Recall returns the value that is kept for a key, or else the value of f, which also says how many numbers that is.
// A value that comes with an error is not kept.
func Recall[K comparable, T any](s *Store[K], key K, f func() (T, int, error)) (T, error) {
	if x, known := s.find(key); known {
		return x.(T), nil
	}
	y, size, err := f()
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.keep(key, recalled{y, size + 1})
	}
	return y, err
}

// Len returns how many values are kept.
func (s *Store[K]) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.young.kept) + len(s.aged.kept)
}

// find returns what is kept for a key, which thereby stays.
func (s *Store[K]) find(key K) (any, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x, known := s.young.kept[key]; known {
		return x.value, true
	}
	x, known := s.aged.kept[key]
	if known {
		s.keep(key, x)
	}
	return x.value, known
}

// keep adds a value to the younger generation. Its caller holds mu.
func (s *Store[K]) keep(key K, x recalled) {
	if s.young.kept == nil || s.young.size+x.size > Most {
		s.aged, s.young = s.young, generation[K]{kept: make(map[K]recalled)}
	}
	if _, known := s.young.kept[key]; !known {
		s.young.size += x.size
	}
	s.young.kept[key] = x
}

// Put keeps a value under a key. Where there are limit of them already, it forgets these.
func Put[K comparable, V any](kept *map[K]V, key K, value V, limit int) {
	if *kept == nil || len(*kept) >= limit {
		*kept = make(map[K]V)
	}
	(*kept)[key] = value
}

// Of returns what Put kept under a key, and otherwise what f makes, which is kept if there is no error.
func Of[K comparable, V any](kept *map[K]V, key K, limit int, f func() (V, error)) (V, error) {
	if y, known := (*kept)[key]; known {
		return y, nil
	}
	y, err := f()
	if err == nil {
		Put(kept, key, y, limit)
	}
	return y, err
}

// Function is f with a memory of its last values, at most so many. It may be used by several goroutines, as f may.
func Function[K comparable, V any](f func(K) V, most int) func(K) V {
	var mu sync.Mutex
	var known map[K]V
	return func(key K) V {
		mu.Lock()
		y, ok := known[key]
		mu.Unlock()
		if !ok {
			y = f(key)
			mu.Lock()
			defer mu.Unlock()
			Put(&known, key, y, most)
		}
		return y
	}
}
