// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

#include "textflag.h"

// The step of longSums.words for eight lanes, of size limbs.
//
// Columns are made four at a time: Z0 … Z3 add the low halves of the products of four columns, Z4 … Z7 the high ones,
// which belong to the next column each. The limbs of next that the three shorter columns have beyond its last are the
// zeros of the pad. A column is at most 2·size·2^52, so that twice it, with all that is added, is below 2^63 in modulus
// for size ≤ 256. So carries have a sign, and are made once.

// func stepVectors(acc, sum, now, next, c, flip *uint64, size int)
TEXT ·stepVectors(SB), NOSPLIT, $0-56
	MOVQ acc+0(FP), DI
	MOVQ sum+8(FP), R8
	MOVQ now+16(FP), R9
	MOVQ next+24(FP), SI
	MOVQ c+32(FP), R10
	MOVQ flip+40(FP), R11
	MOVQ size+48(FP), CX
	MOVQ CX, DX
	SHLQ $6, DX
	VMOVDQU64 -64(SI)(DX*1), Z20 // the last limb of next
	VPSLLQ $12, Z20, Z20
	VPSRAQ $63, Z20, Z20         // all ones where next is negative
	VMOVDQU64 (R11), Z21
	VPTERNLOGQ $0xff, Z22, Z22, Z22
	VPSRLQ $12, Z22, Z22         // 2^52 − 1
	LEAQ -64(R10)(DX*1), R14     // the last limb of c
	MOVQ CX, R12                 // products of the longest one of four columns
	MOVQ CX, R13
	SHRQ $2, R13
	INCQ R13                     // columns 0 … size in fours
	MOVQ DI, R15
	VPXORQ Z13, Z13, Z13         // the high halves of the column before

columns:
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	MOVQ R12, DX
	TESTQ DX, DX
	JLE  added
	MOVQ SI, AX
	MOVQ R14, BX

products:
	VMOVDQU64 (BX), Z8
	VMOVDQU64 (AX), Z9
	VMOVDQU64 64(AX), Z10
	VMOVDQU64 128(AX), Z11
	VMOVDQU64 192(AX), Z12
	VPMADD52LUQ Z9, Z8, Z0
	VPMADD52HUQ Z9, Z8, Z4
	VPMADD52LUQ Z10, Z8, Z1
	VPMADD52HUQ Z10, Z8, Z5
	VPMADD52LUQ Z11, Z8, Z2
	VPMADD52HUQ Z11, Z8, Z6
	VPMADD52LUQ Z12, Z8, Z3
	VPMADD52HUQ Z12, Z8, Z7
	ADDQ $64, AX
	SUBQ $64, BX
	DECQ DX
	JNZ  products

added:
	VPADDQ Z13, Z0, Z0
	VPADDQ Z4, Z1, Z1
	VPADDQ Z5, Z2, Z2
	VPADDQ Z6, Z3, Z3
	VMOVDQA64 Z7, Z13
	VMOVDQU64 Z0, (R15)
	VMOVDQU64 Z1, 64(R15)
	VMOVDQU64 Z2, 128(R15)
	VMOVDQU64 Z3, 192(R15)
	ADDQ $256, R15
	ADDQ $256, SI
	SUBQ $4, R12
	DECQ R13
	JNZ  columns

	VMOVDQU64 (DI), Z0
	VPSRLQ $52, Z0, Z0
	VPADDQ 64(DI), Z0, Z0
	VMOVDQU64 Z0, 64(DI)         // what column 0 carries
	VPXORQ Z0, Z0, Z0            // a carry

limbs:
	ADDQ $64, DI
	VPANDQ (R10), Z20, Z4
	VMOVDQU64 (DI), Z5
	VPSUBQ Z4, Z5, Z5
	VPADDQ Z5, Z5, Z5
	VPXORQ Z21, Z5, Z5
	VPSUBQ Z21, Z5, Z5
	VMOVDQU64 (R9), Z6
	VPADDQ (R8), Z6, Z7
	VMOVDQU64 Z7, (R8)
	VPSUBQ Z6, Z5, Z5
	VPADDQ Z0, Z5, Z5
	VPSRAQ $52, Z5, Z0
	VPANDQ Z22, Z5, Z5
	VMOVDQU64 Z5, (R9)
	ADDQ $64, R8
	ADDQ $64, R9
	ADDQ $64, R10
	DECQ CX
	JNZ  limbs
	VZEROUPPER
	RET
