/* SPDX-License-Identifier: GPL-2.0-only */
/* The L1 images, inside labvmm: one file to copy into a lab. */
	.section .rodata
	.macro	image name, file
	.globl	\name, \name\()_end
	.balign	16
\name:
	.incbin	"\file"
\name\()_end:
	.endm

	image	l1_svm, "l1-svm.bin"
	image	l1_vmx, "l1-vmx.bin"

	.section .note.GNU-stack, "", @progbits
