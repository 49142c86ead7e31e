// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"context"
	"fmt"
)

// A MemoryError says that a product would need more memory than the context
// allows.
type MemoryError struct {
	Need, Limit int64 // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("convolve: a product needs %d bytes of memory, %d are allowed", e.Need, e.Limit)
}

type memoryKey struct{}

// WithMemory returns a context in which products that need more than limit bytes,
// operands and roots of unity included, fail with a *MemoryError before they
// allocate anything.
func WithMemory(ctx context.Context, limit int64) context.Context {
	return context.WithValue(ctx, memoryKey{}, limit)
}

// CheckMemory returns a *MemoryError if a step needs more bytes than its context allows.
func CheckMemory(ctx context.Context, need int64) error {
	if limit, ok := ctx.Value(memoryKey{}).(int64); ok && need > limit {
		return &MemoryError{need, limit}
	}
	return nil
}
