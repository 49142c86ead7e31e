// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

#include "textflag.h"

// The kernels of butterflies.go: two complex numbers at a time, without fused operations, so that each rounding is one
// of the loops in Go. butterflies_test.go compares all bits.

// The signs of the numbers, in each of four lanes.
DATA signs<>+0(SB)/8, $0x8000000000000000
DATA signs<>+8(SB)/8, $0x8000000000000000
DATA signs<>+16(SB)/8, $0x8000000000000000
DATA signs<>+24(SB)/8, $0x8000000000000000
GLOBL signs<>(SB), RODATA|NOPTR, $32

// R = X·W for W = (c + id): (ac − bd) + i(bc + ad), by RE and IM, which are c and d twice. T is spoilt, and R is not X.
#define PRODUCT(X, RE, IM, R, T) \
	VPERMILPD $5, X, T     \
	VMULPD RE, X, R        \
	VMULPD IM, T, T        \
	VADDSUBPD T, R, R

// func splitVectors(x, roots *complex128, h, n int)
TEXT ·splitVectors(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), DI
	MOVQ roots+8(FP), SI
	MOVQ h+16(FP), R8
	MOVQ n+24(FP), R9
	SHLQ $4, R8
	SHLQ $4, R9
	ADDQ DI, R9

splitBlock:
	LEAQ (DI)(R8*1), DX
	XORQ CX, CX

splitFour:
	VMOVUPD (DI)(CX*1), Y0
	VMOVUPD 32(DI)(CX*1), Y1
	VMOVUPD (DX)(CX*1), Y2
	VMOVUPD 32(DX)(CX*1), Y3
	VMOVDDUP (SI)(CX*1), Y4
	VPERMILPD $15, (SI)(CX*1), Y5
	VMOVDDUP 32(SI)(CX*1), Y6
	VPERMILPD $15, 32(SI)(CX*1), Y7
	VADDPD Y2, Y0, Y8
	VADDPD Y3, Y1, Y9
	VSUBPD Y2, Y0, Y0
	VSUBPD Y3, Y1, Y1
	VMOVUPD Y8, (DI)(CX*1)
	VMOVUPD Y9, 32(DI)(CX*1)
	PRODUCT(Y0, Y4, Y5, Y10, Y11)
	PRODUCT(Y1, Y6, Y7, Y12, Y13)
	VMOVUPD Y10, (DX)(CX*1)
	VMOVUPD Y12, 32(DX)(CX*1)
	ADDQ $64, CX
	CMPQ CX, R8
	JLT  splitFour
	LEAQ (DX)(R8*1), DI
	CMPQ DI, R9
	JLT  splitBlock
	VZEROUPPER
	RET

// func joinVectors(x, roots *complex128, h, n int)
TEXT ·joinVectors(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), DI
	MOVQ roots+8(FP), SI
	MOVQ h+16(FP), R8
	MOVQ n+24(FP), R9
	SHLQ $4, R8
	SHLQ $4, R9
	ADDQ DI, R9
	VMOVUPD signs<>(SB), Y15

joinBlock:
	LEAQ (DI)(R8*1), DX
	XORQ CX, CX

joinFour:
	VMOVUPD (DX)(CX*1), Y2
	VMOVUPD 32(DX)(CX*1), Y3
	VMOVDDUP (SI)(CX*1), Y4
	VPERMILPD $15, (SI)(CX*1), Y5
	VMOVDDUP 32(SI)(CX*1), Y6
	VPERMILPD $15, 32(SI)(CX*1), Y7
	VXORPD Y15, Y5, Y5
	VXORPD Y15, Y7, Y7
	PRODUCT(Y2, Y4, Y5, Y10, Y11)
	PRODUCT(Y3, Y6, Y7, Y12, Y13)
	VMOVUPD (DI)(CX*1), Y0
	VMOVUPD 32(DI)(CX*1), Y1
	VADDPD Y10, Y0, Y8
	VADDPD Y12, Y1, Y9
	VSUBPD Y10, Y0, Y0
	VSUBPD Y12, Y1, Y1
	VMOVUPD Y8, (DI)(CX*1)
	VMOVUPD Y9, 32(DI)(CX*1)
	VMOVUPD Y0, (DX)(CX*1)
	VMOVUPD Y1, 32(DX)(CX*1)
	ADDQ $64, CX
	CMPQ CX, R8
	JLT  joinFour
	LEAQ (DX)(R8*1), DI
	CMPQ DI, R9
	JLT  joinBlock
	VZEROUPPER
	RET

// func multiplyVectors(z, x, y *complex128, n int)
TEXT ·multiplyVectors(SB), NOSPLIT, $0-32
	MOVQ z+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), R8
	SHLQ $4, R8
	XORQ CX, CX

multiplyFour:
	VMOVUPD (SI)(CX*1), Y0
	VMOVUPD 32(SI)(CX*1), Y1
	VMOVDDUP (DX)(CX*1), Y4
	VPERMILPD $15, (DX)(CX*1), Y5
	VMOVDDUP 32(DX)(CX*1), Y6
	VPERMILPD $15, 32(DX)(CX*1), Y7
	PRODUCT(Y0, Y4, Y5, Y10, Y11)
	PRODUCT(Y1, Y6, Y7, Y12, Y13)
	VMOVUPD Y10, (DI)(CX*1)
	VMOVUPD Y12, 32(DI)(CX*1)
	ADDQ $64, CX
	CMPQ CX, R8
	JLT  multiplyFour
	VZEROUPPER
	RET
