// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import "dpverify/exact/pair"

// New, newTransform and Applies are about one product, with nothing shared.
func New(prod pair.Product) (*Transform, bool)          { return (*Memo)(nil).New(prod) }
func newTransform(prod pair.Product) (*Transform, bool) { return (*Memo)(nil).newTransform(prod) }
func Applies(prod pair.Product) bool                    { return (*Memo)(nil).Applies(prod) }
