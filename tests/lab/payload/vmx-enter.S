/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * int vmx_enter(u64 exit_stack[8], struct hv_regs *regs, int launched)
 *
 * 0 after an exit, 1 if the entry failed. HOST_RSP stays where vmx.c has set it, at entry 6
 * of the exit stack: no VMWRITE an entry, which would be an exit of L1.
 */
	.text
	.globl	vmx_enter, vmx_exit
vmx_enter:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	movq	%rsi, 48(%rdi)
	movq	%rsp, 56(%rdi)
	testl	%edx, %edx
	movq	0(%rsi), %rax
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
	jnz	1f
	vmlaunch
	jmp	2f
1:	vmresume
2:	movl	$1, %eax
	jmp	3f

vmx_exit:
	push	%rax
	movq	8(%rsp), %rax
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
	movq	(%rsp), %rcx
	movq	%rcx, 0(%rax)
	movq	16(%rsp), %rsp
	xorl	%eax, %eax
3:	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret

/* L2's first instruction; RDI is its program. INVD tells L1 that it is over. */
	.globl	vmx_l2_start
vmx_l2_start:
	call	ops_run
1:	invd
	jmp	1b

	.section .note.GNU-stack, "", @progbits
