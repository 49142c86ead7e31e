// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// The kernels that are the same in vectors of words and of doubles. ifma_amd64.s and fma_amd64.s say what these are:
//
//	WIDTH                             the bytes of a vector
//	CONSTANTS(M)                      keeps what is needed of the constants at M
//	LOAD(AT, X), STORE(X, AT)         a vector of residues from memory, and to it
//	TWIDDLE(AT, ATQ, W, WQ)           the twiddle at AT in each lane
//	TIMES(X, W, WQ)                   X = X·W mod p
//	PLUS(X, Y, R), MINUS(X, Y, R)     R = X ± Y; R may be X or Y
//	NARROW(X)                         X mod p in the range that sums take
//	NARROWWORD(X)                     the same in words, and nothing in doubles, of which the sums have room
//
// transform.go and doubles.go say why no sum leaves its range.

// From x at AX in blocks of two parts of SI bytes, and the roots of the blocks at DI: R8 runs over a part.
#define BLOCKS2(W, WQ) \
	MOVQ x+0(FP), AX       \
	MOVQ h+8(FP), SI       \
	MOVQ blocks+16(FP), R9 \
	MOVQ w+24(FP), DI      \
	MOVQ m+32(FP), R10     \
	CONSTANTS(R10)         \
	SHLQ $3, SI            \
block:                         \
	TWIDDLE(0(DI), 8(DI), W, WQ) \
	LEAQ (AX)(SI*1), BX    \
	XORQ R8, R8            \
loop:

#define NEXT2 \
	ADDQ $WIDTH, R8        \
	CMPQ R8, SI            \
	JLT loop               \
	LEAQ (BX)(SI*1), AX    \
	ADDQ $16, DI           \
	DECQ R9                \
	JNZ block              \
	VZEROUPPER             \
	RET

// The same in blocks of four parts, with the roots of their halves at R11.
#define BLOCKS4(W, WQ, V, VQ, U, UQ) \
	MOVQ x+0(FP), AX       \
	MOVQ h+8(FP), SI       \
	MOVQ blocks+16(FP), R9 \
	MOVQ w+24(FP), DI      \
	MOVQ v+32(FP), R11     \
	MOVQ m+40(FP), R10     \
	CONSTANTS(R10)         \
	SHLQ $3, SI            \
block:                         \
	TWIDDLE(0(DI), 8(DI), W, WQ)     \
	TWIDDLE(0(R11), 8(R11), V, VQ)   \
	TWIDDLE(16(R11), 24(R11), U, UQ) \
	LEAQ (AX)(SI*1), BX    \
	LEAQ (BX)(SI*1), CX    \
	LEAQ (CX)(SI*1), DX    \
	XORQ R8, R8            \
loop:

#define NEXT4 \
	ADDQ $WIDTH, R8        \
	CMPQ R8, SI            \
	JLT loop               \
	LEAQ (DX)(SI*1), AX    \
	ADDQ $16, DI           \
	ADDQ $32, R11          \
	DECQ R9                \
	JNZ block              \
	VZEROUPPER             \
	RET

#define SPLIT2(X0, X1, S, D, W, WQ) \
	BLOCKS2(W, WQ)         \
	LOAD((AX)(R8*1), X0)   \
	LOAD((BX)(R8*1), X1)   \
	TIMES(X1, W, WQ)       \
	NARROW(X0)             \
	PLUS(X0, X1, S)        \
	MINUS(X0, X1, D)       \
	STORE(S, (AX)(R8*1))   \
	STORE(D, (BX)(R8*1))   \
	NEXT2

#define JOIN2(X0, X1, S, D, W, WQ) \
	BLOCKS2(W, WQ)         \
	LOAD((AX)(R8*1), X0)   \
	LOAD((BX)(R8*1), X1)   \
	PLUS(X0, X1, S)        \
	MINUS(X0, X1, D)       \
	NARROW(S)              \
	TIMES(D, W, WQ)        \
	STORE(S, (AX)(R8*1))   \
	STORE(D, (BX)(R8*1))   \
	NEXT2

// After the first level S and X2 are the sum and the difference of the first halves, X0 and X3 of the second halves.
#define SPLIT4(X0, X1, X2, X3, S, T, W, WQ, V, VQ, U, UQ) \
	BLOCKS4(W, WQ, V, VQ, U, UQ) \
	LOAD((AX)(R8*1), X0)   \
	LOAD((BX)(R8*1), X1)   \
	LOAD((CX)(R8*1), X2)   \
	LOAD((DX)(R8*1), X3)   \
	TIMES(X2, W, WQ)       \
	TIMES(X3, W, WQ)       \
	NARROW(X0)             \
	NARROW(X1)             \
	PLUS(X0, X2, S)        \
	MINUS(X0, X2, X2)      \
	PLUS(X1, X3, X0)       \
	MINUS(X1, X3, X3)      \
	TIMES(X0, V, VQ)       \
	TIMES(X3, U, UQ)       \
	NARROWWORD(S)          \
	NARROWWORD(X2)         \
	PLUS(S, X0, X1)        \
	MINUS(S, X0, X0)       \
	PLUS(X2, X3, T)        \
	MINUS(X2, X3, X2)      \
	STORE(X1, (AX)(R8*1))  \
	STORE(X0, (BX)(R8*1))  \
	STORE(T, (CX)(R8*1))   \
	STORE(X2, (DX)(R8*1))  \
	NEXT4

// After the first level S and T are the sums of the halves, X1 and X3 their differences.
#define JOIN4(X0, X1, X2, X3, S, T, W, WQ, V, VQ, U, UQ) \
	BLOCKS4(W, WQ, V, VQ, U, UQ) \
	LOAD((AX)(R8*1), X0)   \
	LOAD((BX)(R8*1), X1)   \
	LOAD((CX)(R8*1), X2)   \
	LOAD((DX)(R8*1), X3)   \
	PLUS(X0, X1, S)        \
	MINUS(X0, X1, X1)      \
	PLUS(X2, X3, T)        \
	MINUS(X2, X3, X3)      \
	TIMES(X1, V, VQ)       \
	TIMES(X3, U, UQ)       \
	NARROW(S)              \
	NARROW(T)              \
	PLUS(S, T, X0)         \
	MINUS(S, T, X2)        \
	PLUS(X1, X3, S)        \
	MINUS(X1, X3, X3)      \
	NARROWWORD(X0)         \
	NARROW(S)              \
	TIMES(X2, W, WQ)       \
	TIMES(X3, W, WQ)       \
	STORE(X0, (AX)(R8*1))  \
	STORE(S, (BX)(R8*1))   \
	STORE(X2, (CX)(R8*1))  \
	STORE(X3, (DX)(R8*1))  \
	NEXT4

// S and C are both x1 + x2 at first.
#define RADIX3(X0, X1, X2, S, C, D, W, WQ, V, VQ) \
	MOVQ x+0(FP), AX       \
	MOVQ h+8(FP), SI       \
	MOVQ c+16(FP), DI      \
	MOVQ m+24(FP), R10     \
	CONSTANTS(R10)         \
	TWIDDLE(0(DI), 8(DI), W, WQ)   \
	TWIDDLE(16(DI), 24(DI), V, VQ) \
	SHLQ $3, SI            \
	LEAQ (AX)(SI*1), BX    \
	LEAQ (BX)(SI*1), CX    \
	XORQ R8, R8            \
loop:                          \
	LOAD((AX)(R8*1), X0)   \
	LOAD((BX)(R8*1), X1)   \
	LOAD((CX)(R8*1), X2)   \
	PLUS(X1, X2, S)        \
	PLUS(X1, X2, C)        \
	MINUS(X1, X2, D)       \
	TIMES(C, W, WQ)        \
	TIMES(D, V, VQ)        \
	NARROW(S)              \
	PLUS(X0, S, S)         \
	PLUS(X0, C, C)         \
	NARROW(C)              \
	PLUS(C, D, X1)         \
	MINUS(C, D, X2)        \
	STORE(S, (AX)(R8*1))   \
	STORE(X1, (BX)(R8*1))  \
	STORE(X2, (CX)(R8*1))  \
	ADDQ $WIDTH, R8        \
	CMPQ R8, SI            \
	JLT loop               \
	VZEROUPPER             \
	RET
