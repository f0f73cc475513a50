/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entry of a CPU in 64-bit mode: RDI is its struct lab_cpu, RSP its stack, and
 * interrupts are off. Then the interrupt stubs, 16 bytes each, which L1 and L2 share.
 */
	.section .text.start, "ax"
	.globl	_start
_start:
	xorl	%ebp, %ebp
	call	l1_main
1:	hlt
	jmp	1b

	.text
	.globl	irq_stubs
	.balign	16
irq_stubs:
	.set	vector, 0
	.rept	256
	.balign	16
	/* SDM vol. 3, 6.13: only these exceptions push an error code */
	.if	(vector == 8) || (vector >= 10 && vector <= 14) || (vector == 17) || (vector == 21)
	.else
	push	$0
	.endif
	push	$vector
	jmp	irq_common
	.set	vector, vector + 1
	.endr

irq_common:
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	cld
	movq	72(%rsp), %rdi		/* vector */
	movq	80(%rsp), %rsi		/* error code */
	movq	88(%rsp), %rdx		/* RIP */
	call	irq_handle
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	addq	$16, %rsp
	iretq

	.section .note.GNU-stack, "", @progbits
