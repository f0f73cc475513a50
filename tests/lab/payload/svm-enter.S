/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * void svm_enter(u64 vmcb, struct hv_regs *regs)
 *
 * GIF is 0 here (svm.c), so STI opens nothing in L1: with V_INTR_MASKING it is the IF of
 * the host that lets a physical interrupt end L2 (APM vol. 2, 15.21.1).
 */
	.text
	.globl	svm_enter
svm_enter:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	push	%rsi
	movq	%rdi, %rax
	movq	8(%rsi), %rcx
	movq	16(%rsi), %rdx
	movq	24(%rsi), %rbx
	movq	32(%rsi), %rbp
	movq	48(%rsi), %rdi
	movq	56(%rsi), %r8
	movq	64(%rsi), %r9
	movq	72(%rsi), %r10
	movq	80(%rsi), %r11
	movq	88(%rsi), %r12
	movq	96(%rsi), %r13
	movq	104(%rsi), %r14
	movq	112(%rsi), %r15
	movq	40(%rsi), %rsi
	sti
	vmrun	%rax
	cli
	movq	(%rsp), %rax		/* RAX and RSP are L1's again */
	movq	%rcx, 8(%rax)
	movq	%rdx, 16(%rax)
	movq	%rbx, 24(%rax)
	movq	%rbp, 32(%rax)
	movq	%rsi, 40(%rax)
	movq	%rdi, 48(%rax)
	movq	%r8, 56(%rax)
	movq	%r9, 64(%rax)
	movq	%r10, 72(%rax)
	movq	%r11, 80(%rax)
	movq	%r12, 88(%rax)
	movq	%r13, 96(%rax)
	movq	%r14, 104(%rax)
	movq	%r15, 112(%rax)
	pop	%rsi
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret

/* L2's first instruction; RDI is its program. WBINVD tells L1 that it is over. */
	.globl	svm_l2_start
svm_l2_start:
	call	ops_run
1:	wbinvd
	jmp	1b

	.section .note.GNU-stack, "", @progbits
