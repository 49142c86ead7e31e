// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

#include "textflag.h"
#include "kernels_amd64.h"

// The kernels of doubles.go: four doubles at a time, by AVX2 and fused multiply-add. What each
// computes, and why everything is exact, is there; fma_test.go has each of them as a loop in Go.
//
// All take what the kernels of ifma_amd64.s take, and make doubles of the integers they need.

// The bits of a double, in each of four lanes.
#define FOUR(NAME, BITS) \
	DATA NAME<>+0(SB)/8, $BITS  \
	DATA NAME<>+8(SB)/8, $BITS  \
	DATA NAME<>+16(SB)/8, $BITS \
	DATA NAME<>+24(SB)/8, $BITS \
	GLOBL NAME<>(SB), RODATA|NOPTR, $32

// 1.5·2^52: what is added to it is rounded to an integer.
FOUR(round52, 0x4338000000000000)

// 2^52: its low bits are an integer.
FOUR(two52, 0x4330000000000000)

// 1, and 1 − 2^−53.
FOUR(one, 0x3ff0000000000000)
FOUR(below1, 0x3fefffffffffffff)

// 1/8.
FOUR(eighth, 0x3fc0000000000000)

// 1.5·2^102: what is added to it is rounded to a multiple of 2^50.
FOUR(round102, 0x4658000000000000)

// 2^103, and 2^103 + 1.5·2^52.
FOUR(two103, 0x4660000000000000)
FOUR(low103, 0x4660000000000003)

// Kept by all: Y15 = p, Y14 = 1/p, rounded to nearest.
#define CONSTANTS(M) \
	VBROADCASTSD 0(M), Y15         \
	VORPD two52<>(SB), Y15, Y15    \
	VSUBPD two52<>(SB), Y15, Y15   \
	VMOVUPD one<>(SB), Y14         \
	VDIVPD Y15, Y14, Y14

// The twiddle at AT: W, and WQ = (q + 1/2)·2^−52 for its quotient q.
#define TWIDDLE(AT, ATQ, W, WQ) \
	VBROADCASTSD AT, W          \
	VORPD two52<>(SB), W, W     \
	VSUBPD two52<>(SB), W, W    \
	VBROADCASTSD ATQ, WQ        \
	VORPD one<>(SB), WQ, WQ     \
	VSUBPD below1<>(SB), WQ, WQ

// R = X·W − Q·p with Q = X·WQ + B − B: H + X = X·W, H rounded. R may be X.
#define PRODUCT(X, W, WQ, R, H, Q, B) \
	VMULPD W, X, H          \
	VMOVUPD B<>(SB), Q      \
	VFMADD231PD WQ, X, Q    \
	VFMSUB213PD H, W, X     \
	VSUBPD B<>(SB), Q, Q    \
	VFNMADD231PD Y15, Q, H  \
	VADDPD X, H, R

// R = X·W mod p: X is lost.
#define MULMOD(X, W, WQ, R, H, Q) PRODUCT(X, W, WQ, R, H, Q, round52)

// X = X mod p in [−(p − 1)/2, (p − 1)/2].
#define BALANCE(X, Q) \
	VMOVUPD round52<>(SB), Q  \
	VFMADD231PD Y14, X, Q     \
	VSUBPD round52<>(SB), Q, Q \
	VFNMADD231PD Y15, Q, X

#define WIDTH 32
#define LOAD(AT, X) VMOVUPD AT, X
#define STORE(X, AT) VMOVUPD X, AT
#define TIMES(X, W, WQ) MULMOD(X, W, WQ, X, Y4, Y5)
#define PLUS(X, Y, R) VADDPD Y, X, R
#define MINUS(X, Y, R) VSUBPD Y, X, R
#define NARROW(X) BALANCE(X, Y5)
#define NARROWWORD(X)

// func split2fma(x *uint64, h, blocks int, w *twiddle, m *constants)
TEXT ·split2fma(SB), NOSPLIT, $0-40
	SPLIT2(Y0, Y1, Y2, Y3, Y6, Y7)

// func split4fma(x *uint64, h, blocks int, w, v *twiddle, m *constants)
TEXT ·split4fma(SB), NOSPLIT, $0-48
	SPLIT4(Y0, Y1, Y2, Y3, Y12, Y13, Y6, Y7, Y8, Y9, Y10, Y11)

// func join2fma(x *uint64, h, blocks int, w *twiddle, m *constants)
TEXT ·join2fma(SB), NOSPLIT, $0-40
	JOIN2(Y0, Y1, Y2, Y3, Y6, Y7)

// func join4fma(x *uint64, h, blocks int, w, v *twiddle, m *constants)
TEXT ·join4fma(SB), NOSPLIT, $0-48
	JOIN4(Y0, Y1, Y2, Y3, Y12, Y13, Y6, Y7, Y8, Y9, Y10, Y11)

// func radix3fma(x *uint64, h int, c *twiddle, m *constants)
TEXT ·radix3fma(SB), NOSPLIT, $0-32
	RADIX3(Y0, Y1, Y2, Y10, Y3, Y11, Y6, Y7, Y8, Y9)

// R = X·W mod p for the twiddle that lies as W and WQ at OFF(R12).
#define MULMODAT(X, OFF, R) \
	VMOVAPD X, R             \
	VMOVUPD OFF(R12), Y6     \
	VMOVUPD (OFF+32)(R12), Y7 \
	MULMOD(R, Y6, Y7, R, Y4, Y5)

// func radix5fma(x *uint64, h int, c *twiddle, m *constants)
TEXT ·radix5fma(SB), NOSPLIT, $256-32
	MOVQ x+0(FP), AX
	MOVQ h+8(FP), SI
	MOVQ c+16(FP), DI
	MOVQ m+24(FP), R10
	LEAQ roots-256(SP), R12
	CONSTANTS(R10)
	TWIDDLE(0(DI), 8(DI), Y0, Y1)      // c1
	VMOVUPD Y0, 0(R12)
	VMOVUPD Y1, 32(R12)
	TWIDDLE(16(DI), 24(DI), Y0, Y1)    // c2
	VMOVUPD Y0, 64(R12)
	VMOVUPD Y1, 96(R12)
	TWIDDLE(32(DI), 40(DI), Y0, Y1)    // e1
	VMOVUPD Y0, 128(R12)
	VMOVUPD Y1, 160(R12)
	TWIDDLE(48(DI), 56(DI), Y0, Y1)    // e2
	VMOVUPD Y0, 192(R12)
	VMOVUPD Y1, 224(R12)
	SHLQ $3, SI
	LEAQ (AX)(SI*1), BX
	LEAQ (BX)(SI*1), CX
	LEAQ (CX)(SI*1), DX
	LEAQ (DX)(SI*1), R9
	XORQ R8, R8
radix5loop:
	VMOVUPD (BX)(R8*1), Y1
	VMOVUPD (CX)(R8*1), Y2
	VMOVUPD (DX)(R8*1), Y3
	VMOVUPD (R9)(R8*1), Y0
	VADDPD Y0, Y1, Y8          // s1
	VSUBPD Y0, Y1, Y10         // d1
	VADDPD Y3, Y2, Y9          // s2
	VSUBPD Y3, Y2, Y11         // d2
	MULMODAT(Y8, 0, Y1)        // c1·s1
	MULMODAT(Y9, 64, Y2)       // c2·s2
	MULMODAT(Y8, 64, Y3)       // c2·s1
	MULMODAT(Y9, 0, Y12)       // c1·s2
	VMOVUPD (AX)(R8*1), Y0
	VADDPD Y9, Y8, Y8
	BALANCE(Y8, Y5)
	VADDPD Y8, Y0, Y8          // y0
	VADDPD Y2, Y1, Y1
	VADDPD Y12, Y3, Y3
	VADDPD Y0, Y1, Y1
	VADDPD Y0, Y3, Y3
	BALANCE(Y1, Y5)            // A
	BALANCE(Y3, Y5)            // A′
	MULMODAT(Y10, 128, Y2)     // e1·d1
	MULMODAT(Y11, 192, Y12)    // e2·d2
	MULMODAT(Y10, 192, Y9)     // e2·d1
	MULMODAT(Y11, 128, Y0)     // e1·d2
	VADDPD Y12, Y2, Y2         // B
	VSUBPD Y0, Y9, Y9          // B′
	VADDPD Y2, Y1, Y10         // y1
	VSUBPD Y2, Y1, Y11         // y4
	VADDPD Y9, Y3, Y12         // y2
	VSUBPD Y9, Y3, Y13         // y3
	VMOVUPD Y8, (AX)(R8*1)
	VMOVUPD Y10, (BX)(R8*1)
	VMOVUPD Y12, (CX)(R8*1)
	VMOVUPD Y13, (DX)(R8*1)
	VMOVUPD Y11, (R9)(R8*1)
	ADDQ $32, R8
	CMPQ R8, SI
	JLT radix5loop
	VZEROUPPER
	RET

// The product F·Y2 is added to A, which rounds it to a multiple of 2^50, and what is left of it to L.
#define ACCUMULATE(F, A, L, T) \
	VMOVAPD A, T            \
	VFMADD231PD F, Y2, A    \
	VSUBPD T, A, T          \
	VFMSUB213PD T, Y2, F    \
	VADDPD F, L, L

// One coefficient of u times v, shifted into place: c·v and v lie side by side at R12.
#define TERM(I, LO, HI) \
	VBROADCASTSD (8*I)(AX), Y2     \
	VMOVUPD LO(R12), Y3            \
	VMOVUPD HI(R12), Y4            \
	ACCUMULATE(Y3, Y8, Y10, Y5)    \
	ACCUMULATE(Y4, Y9, Y11, Y5)

// The sum of A − 1.5·2^102 and L modulo p.
#define FOLD(A, L, Q) \
	VSUBPD round102<>(SB), A, A \
	VMULPD Y14, A, Q            \
	VROUNDPD $0, Q, Q           \
	VFNMADD231PD Y15, Q, A      \
	VADDPD L, A, A              \
	BALANCE(A, Q)

// From u at (AX), v at (BX) and the constant c in W and WQ to the block of the product.
#define BLOCK(W, WQ) \
	VMOVUPD (BX), Y0            \
	VMOVUPD 32(BX), Y1          \
	VMOVUPD (AX), Y2            \
	VMOVUPD 32(AX), Y3          \
	BALANCE(Y0, Y5)             \
	BALANCE(Y1, Y5)             \
	BALANCE(Y2, Y5)             \
	BALANCE(Y3, Y5)             \
	VMOVUPD Y2, (AX)            \
	VMOVUPD Y3, 32(AX)          \
	VMOVUPD Y0, 64(R12)         \
	VMOVUPD Y1, 96(R12)         \
	MULMOD(Y0, W, WQ, Y0, Y4, Y5) \
	MULMOD(Y1, W, WQ, Y1, Y4, Y5) \
	BALANCE(Y0, Y5)             \
	BALANCE(Y1, Y5)             \
	VMOVUPD Y0, 0(R12)          \
	VMOVUPD Y1, 32(R12)         \
	VMOVUPD round102<>(SB), Y8  \
	VMOVAPD Y8, Y9              \
	VXORPD Y10, Y10, Y10        \
	VXORPD Y11, Y11, Y11        \
	TERM(0, 64, 96)             \
	TERM(1, 56, 88)             \
	TERM(2, 48, 80)             \
	TERM(3, 40, 72)             \
	TERM(4, 32, 64)             \
	TERM(5, 24, 56)             \
	TERM(6, 16, 48)             \
	TERM(7, 8, 40)              \
	FOLD(Y8, Y10, Y5)           \
	FOLD(Y9, Y11, Y5)           \
	VMOVUPD Y8, (AX)            \
	VMOVUPD Y9, 32(AX)

// func multiplyfma(x, y *uint64, pairs int, w *twiddle, m *constants)
TEXT ·multiplyfma(SB), NOSPLIT, $128-40
	MOVQ x+0(FP), AX
	MOVQ y+8(FP), BX
	MOVQ pairs+16(FP), R9
	MOVQ w+24(FP), DI
	MOVQ m+32(FP), R10
	LEAQ factors-128(SP), R12
	CONSTANTS(R10)
multiplyloop:
	TWIDDLE(0(DI), 8(DI), Y6, Y7)
	BLOCK(Y6, Y7)
	ADDQ $64, AX
	ADDQ $64, BX
	VXORPD Y0, Y0, Y0
	VSUBPD Y6, Y0, Y6          // −c
	VSUBPD Y7, Y0, Y7
	BLOCK(Y6, Y7)
	ADDQ $64, AX
	ADDQ $64, BX
	ADDQ $16, DI
	DECQ R9
	JNZ multiplyloop
	VZEROUPPER
	RET

// func loadfma(x *uint64, groups int, limbs *uint64, stride, n int, w *twiddle, m *constants)
TEXT ·loadfma(SB), NOSPLIT, $0-56
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
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
loadlimb:
	TWIDDLE(0(DI), 8(DI), Y6, Y7)
	VMOVUPD (DX), Y2
	VMOVUPD 32(DX), Y3
	VORPD two52<>(SB), Y2, Y2
	VORPD two52<>(SB), Y3, Y3
	VSUBPD two52<>(SB), Y2, Y2
	VSUBPD two52<>(SB), Y3, Y3
	PRODUCT(Y2, Y6, Y7, Y2, Y4, Y5, two52)
	PRODUCT(Y3, Y6, Y7, Y3, Y4, Y5, two52)
	VADDPD Y2, Y0, Y0
	VADDPD Y3, Y1, Y1
	BALANCE(Y0, Y5)
	BALANCE(Y1, Y5)
	ADDQ SI, DX
	ADDQ $16, DI
	DECQ CX
	JNZ loadlimb
	VMOVUPD Y0, (AX)
	VMOVUPD Y1, 32(AX)
	ADDQ $64, AX
	ADDQ $64, BX
	DECQ R9
	JNZ loadgroup
	VZEROUPPER
	RET

// func hornerfma(acc *[8]uint64, x *uint64, groups int, z *twiddle, m *constants)
TEXT ·hornerfma(SB), NOSPLIT, $0-40
	MOVQ acc+0(FP), AX
	MOVQ x+8(FP), BX
	MOVQ groups+16(FP), R9
	MOVQ z+24(FP), DI
	MOVQ m+32(FP), R10
	CONSTANTS(R10)
	TWIDDLE(0(DI), 8(DI), Y6, Y7)
	VMOVUPD (AX), Y0
	VMOVUPD 32(AX), Y1
	MOVQ R9, R8
	SHLQ $6, R8
hornerloop:
	MULMOD(Y0, Y6, Y7, Y0, Y4, Y5)
	MULMOD(Y1, Y6, Y7, Y1, Y4, Y5)
	VADDPD -64(BX)(R8*1), Y0, Y0
	VADDPD -32(BX)(R8*1), Y1, Y1
	SUBQ $64, R8
	JNZ hornerloop
	VMOVUPD Y0, (AX)
	VMOVUPD Y1, 32(AX)
	VZEROUPPER
	RET

// The digit Y of the residue at AT, in (p/4, 7p/4), at OUT; Y/p is added to SUM.
// Y0 = w, Y1 = its quotient, Y2 = p, Y3 = 1/p of the residue's prime.
#define DIGIT(AT, OUT, SUM) \
	VMOVUPD AT, Y6            \
	VMULPD Y0, Y6, Y4         \
	VMOVUPD round52<>(SB), Y5 \
	VFMADD231PD Y1, Y6, Y5    \
	VFMSUB213PD Y4, Y0, Y6    \
	VSUBPD round52<>(SB), Y5, Y5 \
	VFNMADD231PD Y2, Y5, Y4   \
	VADDPD Y6, Y4, Y6         \
	VADDPD Y2, Y6, Y6         \
	VFMADD231PD Y3, Y6, SUM   \
	VMOVUPD Y6, OUT

// Y·m for Y at AT and m in Y0: its multiple of 2^51 is added to HI, the rest to LO, both as the bits of doubles.
#define CRTTERM(AT, LO, HI) \
	VMOVUPD AT, Y1               \
	VMOVUPD two103<>(SB), Y2     \
	VFMADD231PD Y0, Y1, Y2       \
	VMOVUPD low103<>(SB), Y3     \
	VSUBPD Y2, Y3, Y3            \
	VFMADD231PD Y0, Y1, Y3       \
	VPADDQ Y2, HI, HI            \
	VPADDQ Y3, LO, LO

// The limb that a carry and the sums LO and HI make, at OUT, and the next carry.
// Y4 = 2^52 − 1, Y5 = 2^10. LO is above the sum by 2^62. What the limb adds to the check is added to SUM:
// Y0 = 2^(52k) mod q. Y1, Y2, Y3 are scratch.
#define LIMB(LO, HI, CARRY, OUT, SUM) \
	VPADDQ CARRY, LO, LO        \
	VPSLLQ $63, HI, Y1          \
	VPSRLQ $12, Y1, Y1          \
	VPADDQ Y1, LO, LO           \
	VPSRLQ $1, HI, HI           \
	VPSRLQ $52, LO, CARRY       \
	VPSUBQ Y5, CARRY, CARRY     \
	VPADDQ HI, CARRY, CARRY     \
	VPAND Y4, LO, LO            \
	VMOVDQU LO, OUT             \
	VPOR two52<>(SB), LO, Y1    \
	VSUBPD two52<>(SB), Y1, Y1  \
	VMULPD Y0, Y1, Y2           \
	VMULPD Y14, Y2, Y3          \
	VROUNDPD $0, Y3, Y3         \
	VFMSUB213PD Y2, Y0, Y1      \
	VFNMADD231PD Y15, Y3, Y2    \
	VADDPD Y2, Y1, Y1           \
	VADDPD Y1, SUM, SUM         \
	BALANCE(SUM, Y3)

// func crtfma(a *crtArguments)
//
// The fields of crtArguments are as for crtifma; constants, cofactors and powers are doubles.
TEXT ·crtfma(SB), NOSPLIT, $64-8
	MOVQ a+0(FP), R15
	MOVQ 80(R15), R10
	CONSTANTS(R10)             // of the check's modulus
	LEAQ sums-64(SP), R14
	MOVQ 88(R15), AX
	VMOVUPD (AX), Y12          // Σ so far
	VMOVUPD 32(AX), Y13
	MOVQ 24(R15), R9           // groups left
crtgroup:
	VMOVUPD Y12, (R14)
	VMOVUPD Y13, 32(R14)
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
	VMOVUPD eighth<>(SB), Y10
	VMOVAPD Y10, Y11
crtdigit:
	VBROADCASTSD 0(DI), Y0
	VBROADCASTSD 8(DI), Y1
	VBROADCASTSD 16(DI), Y2
	VBROADCASTSD 24(DI), Y3
	DIGIT((AX), (BX), Y10)
	DIGIT(32(AX), 32(BX), Y11)
	ADDQ SI, AX
	ADDQ $32, DI
	ADDQ $64, BX
	DECQ CX
	JNZ crtdigit
	VROUNDPD $1, Y10, Y10      // down
	VROUNDPD $1, Y11, Y11
	VMOVUPD Y10, (BX)          // the digit of 2^(52·limbs) − M
	VMOVUPD Y11, 32(BX)

	// The integer, limb by limb, and its value modulo the check's modulus.
	MOVQ 16(R15), SI
	INCQ SI                    // columns
	MOVQ 40(R15), DI
	LEAQ (DI)(SI*8), DI        // row 1 of cofactors
	MOVQ 48(R15), R12          // limbs left
	MOVQ R12, R13
	LEAQ -1(R9), R11
	IMULQ R11, R13
	SHLQ $6, R13
	ADDQ 56(R15), R13          // out
	MOVQ 72(R15), R8           // powers
	MOVQ $0x4338000000000000, R10
	IMULQ SI, R10
	MOVQ $1, R11
	SHLQ $62, R11
	SUBQ R10, R11              // 2^62, less the exponents in LO
	MOVQ $0x4660000000000000, R10
	IMULQ SI, R10
	NEGQ R10                   // less the exponents in HI
	VPXOR Y6, Y6, Y6           // carries
	VPXOR Y7, Y7, Y7
	VXORPD Y12, Y12, Y12       // values
	VXORPD Y13, Y13, Y13
crtlimb:
	MOVQ 64(R15), BX
	MOVQ SI, CX
	VMOVQ R11, X8
	VPBROADCASTQ X8, Y8        // LO
	VMOVDQA Y8, Y9
	VMOVQ R10, X10
	VPBROADCASTQ X10, Y10      // HI
	VMOVDQA Y10, Y11
crtterm:
	VBROADCASTSD (DI), Y0
	CRTTERM((BX), Y8, Y10)
	CRTTERM(32(BX), Y9, Y11)
	ADDQ $8, DI
	ADDQ $64, BX
	DECQ CX
	JNZ crtterm
	VBROADCASTSD (R8), Y0
	VPCMPEQQ Y4, Y4, Y4
	VPSRLQ $63, Y4, Y5
	VPSLLQ $10, Y5, Y5
	VPSRLQ $12, Y4, Y4
	LIMB(Y8, Y10, Y6, (R13), Y12)
	LIMB(Y9, Y11, Y7, 32(R13), Y13)
	ADDQ $8, R8
	ADDQ $64, R13
	DECQ R12
	JNZ crtlimb

	// Σ so far = z^8·Σ + the value.
	MOVQ 80(R15), AX
	TWIDDLE(80(AX), 88(AX), Y6, Y7)
	VMOVUPD (R14), Y0
	VMOVUPD 32(R14), Y1
	MULMOD(Y0, Y6, Y7, Y0, Y4, Y5)
	MULMOD(Y1, Y6, Y7, Y1, Y4, Y5)
	VADDPD Y0, Y12, Y12
	VADDPD Y1, Y13, Y13
	DECQ R9
	JNZ crtgroup
	MOVQ 88(R15), AX
	VMOVUPD Y12, (AX)
	VMOVUPD Y13, 32(AX)
	VZEROUPPER
	RET
