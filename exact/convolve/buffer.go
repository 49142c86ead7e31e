package convolve

import "sync"

// Transforms are taken in buffers that products leave to each other, so that a chain
// of products takes no more memory than its longest one.
var buffers sync.Pool

// buffer returns n words of any content.
func buffer(n int) []uint64 {
	if b, ok := buffers.Get().(*[]uint64); ok && cap(*b) >= n {
		return (*b)[:n]
	}
	return make([]uint64, n)
}

// release gives a buffer back. It may not be used any more.
func release(b []uint64) { buffers.Put(&b) }
