// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

#include "textflag.h"
#include "kernels_amd64.h"

// The kernels of transform.go, eight residues at a time. What each computes, and why no
// intermediate overflows, is there; ifma_test.go has each of them as a loop in Go.
//
// All take the constants of their prime in a constants: p, 2p, 2^52 − p, p^−1 mod 2^52.
//
// Kept by all: Z31 = 2^52 − 1, Z30 = 2p, Z29 = 2^52 − p, Z28 = p.
#define CONSTANTS(M) \
	VPTERNLOGQ $0xff, Z31, Z31, Z31 \
	VPSRLQ $12, Z31, Z31            \
	VPBROADCASTQ 0(M), Z28          \
	VPBROADCASTQ 8(M), Z30          \
	VPBROADCASTQ 16(M), Z29

// R = X·W mod p in [0, 2p), for X < 2^52 and WQ = ⌊W·2^52/p⌋. Q is scratch; R may be X.
#define MULSHOUP(X, W, WQ, R, Q, S) \
	VPXORQ Q, Q, Q        \
	VPXORQ S, S, S        \
	VPMADD52HUQ WQ, X, Q  \
	VPMADD52LUQ W, X, S   \
	VPMADD52LUQ Z29, Q, S \
	VPANDQ Z31, S, R

// X = X − B if X ≥ B: otherwise the difference wraps around and is the greater one.
#define REDUCE(X, B, T) \
	VPSUBQ B, X, T  \
	VPMINUQ T, X, X

// R = X − Y + 2p.
#define MINUS(X, Y, R) \
	VPSUBQ Y, X, R   \
	VPADDQ Z30, R, R

// The twiddle at AT: W, and WQ is its quotient.
#define TWIDDLE(AT, ATQ, W, WQ) \
	VPBROADCASTQ AT, W  \
	VPBROADCASTQ ATQ, WQ

#define WIDTH 64
#define LOAD(AT, X) VMOVDQU64 AT, X
#define STORE(X, AT) VMOVDQU64 X, AT
#define TIMES(X, W, WQ) MULSHOUP(X, W, WQ, X, Z4, Z5)
#define PLUS(X, Y, R) VPADDQ Y, X, R
#define NARROW(X) REDUCE(X, Z30, Z4)
#define NARROWWORD(X) NARROW(X)

// func split2ifma(x *uint64, h, blocks int, w *twiddle, m *constants)
TEXT ·split2ifma(SB), NOSPLIT, $0-40
	SPLIT2(Z0, Z1, Z2, Z3, Z6, Z7)

// func split4ifma(x *uint64, h, blocks int, w, v *twiddle, m *constants)
TEXT ·split4ifma(SB), NOSPLIT, $0-48
	SPLIT4(Z0, Z1, Z2, Z3, Z12, Z13, Z6, Z7, Z8, Z9, Z10, Z11)

// func join2ifma(x *uint64, h, blocks int, w *twiddle, m *constants)
TEXT ·join2ifma(SB), NOSPLIT, $0-40
	JOIN2(Z0, Z1, Z2, Z3, Z6, Z7)

// func join4ifma(x *uint64, h, blocks int, w, v *twiddle, m *constants)
TEXT ·join4ifma(SB), NOSPLIT, $0-48
	JOIN4(Z0, Z1, Z2, Z3, Z12, Z13, Z6, Z7, Z8, Z9, Z10, Z11)

// func radix3ifma(x *uint64, h int, c *twiddle, m *constants)
TEXT ·radix3ifma(SB), NOSPLIT, $0-32
	RADIX3(Z0, Z1, Z2, Z10, Z3, Z11, Z6, Z7, Z8, Z9)

// func radix5ifma(x *uint64, h int, c *twiddle, m *constants)
TEXT ·radix5ifma(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), AX
	MOVQ h+8(FP), SI
	MOVQ c+16(FP), DI
	MOVQ m+24(FP), R10
	CONSTANTS(R10)
	TWIDDLE(0(DI), 8(DI), Z16, Z17)
	TWIDDLE(16(DI), 24(DI), Z18, Z19)
	TWIDDLE(32(DI), 40(DI), Z20, Z21)
	TWIDDLE(48(DI), 56(DI), Z22, Z23)
	SHLQ $3, SI
	LEAQ (AX)(SI*1), BX
	LEAQ (BX)(SI*1), CX
	LEAQ (CX)(SI*1), DX
	LEAQ (DX)(SI*1), R9
	XORQ R8, R8
radix5loop:
	VMOVDQU64 (AX)(R8*1), Z0
	VMOVDQU64 (BX)(R8*1), Z1
	VMOVDQU64 (CX)(R8*1), Z2
	VMOVDQU64 (DX)(R8*1), Z3
	VMOVDQU64 (R9)(R8*1), Z4
	VPADDQ Z4, Z1, Z8          // s1
	VPADDQ Z3, Z2, Z9          // s2
	MINUS(Z1, Z4, Z10)         // d1
	MINUS(Z2, Z3, Z11)         // d2
	MULSHOUP(Z8, Z16, Z17, Z12, Z4, Z5)   // c1·s1
	MULSHOUP(Z9, Z18, Z19, Z13, Z6, Z7)   // c2·s2
	MULSHOUP(Z8, Z18, Z19, Z14, Z4, Z5)   // c2·s1
	MULSHOUP(Z9, Z16, Z17, Z15, Z6, Z7)   // c1·s2
	VPADDQ Z13, Z12, Z12
	VPADDQ Z15, Z14, Z14
	REDUCE(Z12, Z30, Z4)
	REDUCE(Z14, Z30, Z5)
	VPADDQ Z0, Z12, Z12
	VPADDQ Z0, Z14, Z14
	REDUCE(Z12, Z30, Z4)       // A
	REDUCE(Z14, Z30, Z5)       // A′
	REDUCE(Z8, Z30, Z4)
	REDUCE(Z9, Z30, Z5)
	VPADDQ Z9, Z8, Z8
	REDUCE(Z8, Z30, Z4)
	VPADDQ Z8, Z0, Z0          // y0
	MULSHOUP(Z10, Z20, Z21, Z1, Z4, Z5)   // e1·d1
	MULSHOUP(Z11, Z22, Z23, Z2, Z6, Z7)   // e2·d2
	MULSHOUP(Z10, Z22, Z23, Z3, Z4, Z5)   // e2·d1
	MULSHOUP(Z11, Z20, Z21, Z13, Z6, Z7)  // e1·d2
	VPADDQ Z2, Z1, Z1
	MINUS(Z3, Z13, Z3)
	REDUCE(Z1, Z30, Z4)        // B
	REDUCE(Z3, Z30, Z5)        // B′
	VPADDQ Z1, Z12, Z8         // y1
	MINUS(Z12, Z1, Z9)         // y4
	VPADDQ Z3, Z14, Z10        // y2
	MINUS(Z14, Z3, Z11)        // y3
	VMOVDQU64 Z0, (AX)(R8*1)
	VMOVDQU64 Z8, (BX)(R8*1)
	VMOVDQU64 Z10, (CX)(R8*1)
	VMOVDQU64 Z11, (DX)(R8*1)
	VMOVDQU64 Z9, (R9)(R8*1)
	ADDQ $64, R8
	CMPQ R8, SI
	JLT radix5loop
	VZEROUPPER
	RET

// One coefficient of u times v, shifted into place: lanes below I have wrapped around and
// come from c·v. Z0 = v, Z1 = c·v, sums in Z8 (low halves) and Z9 (high halves).
#define TERM(I, N) \
	VPBROADCASTQ (8*I)(AX), Z2 \
	VALIGNQ $N, Z1, Z0, Z3     \
	VPMADD52LUQ Z2, Z3, Z8     \
	VPMADD52HUQ Z2, Z3, Z9

// From v in Z0 and c·v in Z1, both at most p, and u at (AX), to the block of the product.
#define BLOCK \
	VPBROADCASTQ (AX), Z2     \
	VPXORQ Z8, Z8, Z8         \
	VPXORQ Z9, Z9, Z9         \
	VPMADD52LUQ Z2, Z0, Z8    \
	VPMADD52HUQ Z2, Z0, Z9    \
	TERM(1, 7)                \
	TERM(2, 6)                \
	TERM(3, 5)                \
	TERM(4, 4)                \
	TERM(5, 3)                \
	TERM(6, 2)                \
	TERM(7, 1)                \
	VPSRLQ $52, Z8, Z4        \
	VPADDQ Z4, Z9, Z9         \
	VPXORQ Z5, Z5, Z5         \
	VPXORQ Z6, Z6, Z6         \
	VPMADD52LUQ Z27, Z8, Z5   \
	VPMADD52HUQ Z28, Z5, Z6   \
	VPSUBQ Z6, Z9, Z9         \
	VPADDQ Z28, Z9, Z9        \
	REDUCE(Z9, Z30, Z4)       \
	VMOVDQU64 Z9, (AX)

// func multiplyifma(x, y *uint64, pairs int, w *twiddle, m *constants)
TEXT ·multiplyifma(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), AX
	MOVQ y+8(FP), BX
	MOVQ pairs+16(FP), R9
	MOVQ w+24(FP), DI
	MOVQ m+32(FP), R10
	CONSTANTS(R10)
	VPBROADCASTQ 24(R10), Z27
multiplyloop:
	TWIDDLE(0(DI), 8(DI), Z16, Z17)
	VMOVDQU64 (BX), Z0
	VMOVDQU64 (AX), Z10
	REDUCE(Z0, Z30, Z4)
	REDUCE(Z10, Z30, Z5)
	REDUCE(Z0, Z28, Z4)
	REDUCE(Z10, Z28, Z5)
	VMOVDQU64 Z10, (AX)
	MULSHOUP(Z0, Z16, Z17, Z1, Z4, Z5)
	REDUCE(Z1, Z28, Z4)
	BLOCK
	ADDQ $64, AX
	VMOVDQU64 64(BX), Z0
	VMOVDQU64 (AX), Z10
	REDUCE(Z0, Z30, Z4)
	REDUCE(Z10, Z30, Z5)
	REDUCE(Z0, Z28, Z4)
	REDUCE(Z10, Z28, Z5)
	VMOVDQU64 Z10, (AX)
	MULSHOUP(Z0, Z16, Z17, Z1, Z4, Z5)
	REDUCE(Z1, Z28, Z4)
	VPSUBQ Z1, Z28, Z1
	BLOCK
	ADDQ $64, AX
	ADDQ $128, BX
	ADDQ $16, DI
	DECQ R9
	JNZ multiplyloop
	VZEROUPPER
	RET

// func loadifma(x *uint64, groups int, limbs *uint64, stride, n int, w *twiddle, m *constants)
TEXT ·loadifma(SB), NOSPLIT, $0-56
	MOVQ x+0(FP), AX
	MOVQ groups+8(FP), R9
	MOVQ limbs+16(FP), BX
	MOVQ stride+24(FP), SI
	MOVQ m+48(FP), R10
	CONSTANTS(R10)
	SHLQ $3, SI
loadgroup:
	MOVQ n+32(FP), CX
	MOVQ w+40(FP), DI
	MOVQ BX, DX
	VPXORQ Z0, Z0, Z0
loadlimb:
	VMOVDQU64 (DX), Z1
	TWIDDLE(0(DI), 8(DI), Z16, Z17)
	MULSHOUP(Z1, Z16, Z17, Z1, Z4, Z5)
	VPADDQ Z1, Z0, Z0
	REDUCE(Z0, Z30, Z4)
	ADDQ SI, DX
	ADDQ $16, DI
	DECQ CX
	JNZ loadlimb
	VMOVDQU64 Z0, (AX)
	ADDQ $64, AX
	ADDQ $64, BX
	DECQ R9
	JNZ loadgroup
	VZEROUPPER
	RET

// func hornerifma(acc *[8]uint64, x *uint64, groups int, z *twiddle, m *constants)
TEXT ·hornerifma(SB), NOSPLIT, $0-40
	MOVQ acc+0(FP), AX
	MOVQ x+8(FP), BX
	MOVQ groups+16(FP), R9
	MOVQ z+24(FP), DI
	MOVQ m+32(FP), R10
	CONSTANTS(R10)
	TWIDDLE(0(DI), 8(DI), Z16, Z17)
	VMOVDQU64 (AX), Z0
	MOVQ R9, R8
	SHLQ $6, R8
hornerloop:
	MULSHOUP(Z0, Z16, Z17, Z0, Z4, Z5)
	VPADDQ -64(BX)(R8*1), Z0, Z0
	REDUCE(Z0, Z30, Z4)
	SUBQ $64, R8
	JNZ hornerloop
	VMOVDQU64 Z0, (AX)
	VZEROUPPER
	RET

// func crtifma(a *crtArguments)
//
// The fields of crtArguments: 0 residues, 8 stride, 16 primes, 24 groups, 32 primes'
// constants, 40 cofactors, 48 limbs, 56 out, 64 y, 72 powers, 80 check, 88 acc.
TEXT ·crtifma(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), R15
	MOVQ 80(R15), R10
	CONSTANTS(R10)             // of the check's modulus
	TWIDDLE(32(R10), 40(R10), Z16, Z17)  // 1
	TWIDDLE(48(R10), 56(R10), Z18, Z19)  // 2^52
	TWIDDLE(64(R10), 72(R10), Z20, Z21)  // 2^104
	TWIDDLE(80(R10), 88(R10), Z22, Z23)  // z^8
	MOVQ 88(R15), R10
	VMOVDQU64 (R10), Z15       // Σ so far
	MOVQ 24(R15), R9           // groups left
crtgroup:
	// The digits y of the remainders, and the integer part of Σ y/p.
	MOVQ 0(R15), AX
	LEAQ -1(R9), DX
	SHLQ $6, DX
	ADDQ DX, AX
	MOVQ 8(R15), SI
	SHLQ $3, SI
	MOVQ 16(R15), CX
	MOVQ 32(R15), DI
	MOVQ 64(R15), BX
	MOVQ $1, DX
	SHLQ $46, DX
	VPBROADCASTQ DX, Z14       // 1/8 in units of 2^−49
crtdigit:
	VMOVDQU64 (AX), Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPMADD52HUQ.BCST 8(DI), Z0, Z1
	VPMADD52LUQ.BCST 0(DI), Z0, Z2
	VPMADD52LUQ.BCST 16(DI), Z1, Z2 // low 52 bits count
	VPMADD52HUQ.BCST 24(DI), Z2, Z14
	VMOVDQU64 Z2, (BX)
	ADDQ SI, AX
	ADDQ $32, DI
	ADDQ $64, BX
	DECQ CX
	JNZ crtdigit
	VPSRLQ $49, Z14, Z14
	VMOVDQU64 Z14, (BX)        // the digit of 2^(52·limbs) − M

	// The integer, limb by limb, and its value modulo the check's modulus.
	MOVQ 40(R15), DI           // row 0 of cofactors, zeros
	MOVQ 16(R15), SI
	INCQ SI                    // columns
	LEAQ (DI)(SI*8), R8        // row 1
	MOVQ 48(R15), R12          // limbs left
	MOVQ R12, R13
	LEAQ -1(R9), R11
	IMULQ R11, R13
	SHLQ $6, R13
	ADDQ 56(R15), R13          // out
	MOVQ 72(R15), R14
	VPXORQ Z0, Z0, Z0          // carry
	VPXORQ Z8, Z8, Z8
	VPXORQ Z9, Z9, Z9
crtlimb:
	MOVQ 64(R15), BX
	MOVQ SI, CX
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
crtterm:
	VMOVDQU64 (BX), Z3
	VPMADD52LUQ.BCST (R8), Z3, Z1
	VPMADD52HUQ.BCST (DI), Z3, Z2
	ADDQ $8, R8
	ADDQ $8, DI
	ADDQ $64, BX
	DECQ CX
	JNZ crtterm
	VPADDQ Z1, Z0, Z0
	VPADDQ Z2, Z0, Z0
	VPANDQ Z31, Z0, Z3
	VPSRLQ $52, Z0, Z0
	VMOVDQU64 Z3, (R13)
	VPMADD52LUQ.BCST (R14), Z3, Z8
	VPMADD52HUQ.BCST (R14), Z3, Z9
	ADDQ $8, R14
	ADDQ $64, R13
	DECQ R12
	JNZ crtlimb

	// Σ so far = z^8·Σ + the value.
	VPSRLQ $52, Z8, Z4
	VPANDQ Z31, Z8, Z8
	VPADDQ Z4, Z9, Z9
	VPSRLQ $52, Z9, Z10
	VPANDQ Z31, Z9, Z9
	MULSHOUP(Z8, Z16, Z17, Z8, Z4, Z5)
	MULSHOUP(Z9, Z18, Z19, Z9, Z6, Z7)
	MULSHOUP(Z10, Z20, Z21, Z10, Z4, Z5)
	MULSHOUP(Z15, Z22, Z23, Z15, Z6, Z7)
	VPADDQ Z9, Z8, Z8
	VPADDQ Z10, Z15, Z15
	REDUCE(Z8, Z30, Z4)
	REDUCE(Z15, Z30, Z5)
	VPADDQ Z8, Z15, Z15
	REDUCE(Z15, Z30, Z4)
	DECQ R9
	JNZ crtgroup
	MOVQ 88(R15), R10
	VMOVDQU64 Z15, (R10)
	VZEROUPPER
	RET
