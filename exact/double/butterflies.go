// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package double

// Product is x·y, off by a factor within 3·2^−53 of 1.
func Product(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(float64(a*c)-float64(b*d), float64(a*d)+float64(b*c))
}

// split replaces u and v, h apart, by u + v and (u − v)·root, in blocks of 2h numbers.
func split(x, roots []complex128, h int) {
	if vectors && h%4 == 0 {
		splitVectors(&x[0], &roots[0], h, len(x))
		return
	}
	for b := 0; b < len(x); b += 2 * h {
		lo, hi := x[b:][:h], x[b+h:][:h]
		for j, r := range roots[:h] {
			u, v := lo[j], hi[j]
			lo[j] = u + v
			hi[j] = Product(u-v, r)
		}
	}
}

// join replaces u and v, h apart, by u + w and u − w, where w is v times the conjugate of the root, in blocks of 2h
// numbers.
func join(x, roots []complex128, h int) {
	if vectors && h%4 == 0 {
		joinVectors(&x[0], &roots[0], h, len(x))
		return
	}
	for b := 0; b < len(x); b += 2 * h {
		lo, hi := x[b:][:h], x[b+h:][:h]
		for j, r := range roots[:h] {
			u, v := lo[j], Product(hi[j], complex(real(r), -imag(r)))
			lo[j], hi[j] = u+v, u-v
		}
	}
}

// Products sets z to the products of x and y, each as Product has it.
func Products(z, x, y []complex128) {
	x, y = x[:len(z)], y[:len(z)]
	done := 0
	if vectors && len(z) >= 4 {
		done = len(z) &^ 3
		multiplyVectors(&z[0], &x[0], &y[0], done)
	}
	for i := done; i < len(z); i++ {
		z[i] = Product(x[i], y[i])
	}
}
