// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

#include "textflag.h"

// The kernels of waves.go: four waves at a time, without fused operations, so that each rounding is one of the loops in
// Go. waves_amd64_test.go compares all bits.

// AX, the low half of A, = the sums of A and of B, each (0 + 1) + (2 + 3). TX is spoilt.
#define TOGETHER(A, B, AX, TX) \
	VHADDPD B, A, A         \
	VEXTRACTF128 $1, A, TX  \
	VADDPD TX, AX, AX

// func moveVectors(out *[2]float64, weights, turnRe, turnIm, x, y, re, im *float64, n int)
TEXT ·moveVectors(SB), NOSPLIT, $0-72
	MOVQ out+0(FP), DI
	MOVQ weights+8(FP), SI
	MOVQ turnRe+16(FP), R8
	MOVQ turnIm+24(FP), R9
	MOVQ x+32(FP), R10
	MOVQ y+40(FP), R11
	MOVQ re+48(FP), R12
	MOVQ im+56(FP), R13
	MOVQ n+64(FP), DX
	SHLQ $3, DX
	XORQ CX, CX
	VXORPD Y14, Y14, Y14
	VXORPD Y15, Y15, Y15

moveFour:
	VMOVUPD (SI)(CX*1), Y0
	VMOVUPD (R10)(CX*1), Y1
	VMOVUPD (R11)(CX*1), Y2
	VMOVUPD (R8)(CX*1), Y3
	VMOVUPD (R9)(CX*1), Y4
	VMULPD Y1, Y0, Y5
	VMULPD Y2, Y0, Y6
	VADDPD Y5, Y14, Y14
	VADDPD Y6, Y15, Y15
	VADDPD Y5, Y0, Y5
	VMOVUPD Y5, (R12)(CX*1)
	VMOVUPD Y6, (R13)(CX*1)
	VMULPD Y3, Y1, Y7
	VMULPD Y4, Y2, Y8
	VMULPD Y4, Y1, Y9
	VMULPD Y3, Y2, Y10
	VSUBPD Y8, Y7, Y7
	VADDPD Y10, Y9, Y9
	VADDPD Y3, Y7, Y7
	VADDPD Y4, Y9, Y9
	VADDPD Y7, Y1, Y1
	VADDPD Y9, Y2, Y2
	VMOVUPD Y1, (R10)(CX*1)
	VMOVUPD Y2, (R11)(CX*1)
	ADDQ $32, CX
	CMPQ CX, DX
	JLT  moveFour
	TOGETHER(Y14, Y15, X14, X0)
	VMOVUPD X14, (DI)
	VZEROUPPER
	RET

// func crossVectors(out *[8]float64, re, im, cos0, sin0, cos1, sin1 *float64, n int)
TEXT ·crossVectors(SB), NOSPLIT, $0-64
	MOVQ out+0(FP), DI
	MOVQ re+8(FP), SI
	MOVQ im+16(FP), R8
	MOVQ cos0+24(FP), R9
	MOVQ sin0+32(FP), R10
	MOVQ cos1+40(FP), R11
	MOVQ sin1+48(FP), R12
	MOVQ n+56(FP), DX
	SHLQ $3, DX
	XORQ CX, CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7

crossFour:
	VMOVUPD (SI)(CX*1), Y8
	VMOVUPD (R8)(CX*1), Y9
	VMOVUPD (R9)(CX*1), Y10
	VMOVUPD (R10)(CX*1), Y11
	VMULPD Y10, Y8, Y12
	VMULPD Y11, Y8, Y13
	VMULPD Y10, Y9, Y14
	VMULPD Y11, Y9, Y15
	VADDPD Y12, Y0, Y0
	VADDPD Y13, Y1, Y1
	VADDPD Y14, Y2, Y2
	VADDPD Y15, Y3, Y3
	VMOVUPD (R11)(CX*1), Y10
	VMOVUPD (R12)(CX*1), Y11
	VMULPD Y10, Y8, Y12
	VMULPD Y11, Y8, Y13
	VMULPD Y10, Y9, Y14
	VMULPD Y11, Y9, Y15
	VADDPD Y12, Y4, Y4
	VADDPD Y13, Y5, Y5
	VADDPD Y14, Y6, Y6
	VADDPD Y15, Y7, Y7
	ADDQ $32, CX
	CMPQ CX, DX
	JLT  crossFour
	TOGETHER(Y0, Y1, X0, X8)
	TOGETHER(Y2, Y3, X2, X8)
	TOGETHER(Y4, Y5, X4, X8)
	TOGETHER(Y6, Y7, X6, X8)
	VMOVUPD X0, (DI)
	VMOVUPD X2, 16(DI)
	VMOVUPD X4, 32(DI)
	VMOVUPD X6, 48(DI)
	VZEROUPPER
	RET
