/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Boot sector of the VMX lab's disk: fetch the loader and its parameters with
 * one BIOS read, ask for the memory map, enter flat 32-bit protected mode and
 * jump to the loader.  The rest of the disk is read by the loader itself: its
 * destination is above 1 MB, where the BIOS cannot go.
 */
#include "layout.h"

	.code16
	.globl	_start
_start:
	xorw	%ax, %ax
	movw	%ax, %ds
	movw	%ax, %es
	movw	%ax, %ss
	movw	$BOOT_SECTOR, %sp

	movw	$packet, %si		/* %dl still holds the boot drive */
	movb	$0x42, %ah
	int	$0x13
	jc	fail

	xorl	%ebx, %ebx
	xorw	%bp, %bp
	movw	$E820_MAP, %di
next_range:
	movl	$0xe820, %eax
	movl	$0x534d4150, %edx	/* "SMAP" */
	movl	$E820_ENTRY, %ecx
	int	$0x15
	jc	map_done
	incw	%bp
	addw	$E820_ENTRY, %di
	testl	%ebx, %ebx
	jnz	next_range
map_done:
	testw	%bp, %bp
	jz	fail
	movw	%bp, E820_COUNT

	inb	$0x92, %al		/* fast A20 gate */
	orb	$2, %al
	outb	%al, $0x92
	cli
	lgdt	gdt_pointer
	movl	%cr0, %eax
	orb	$1, %al
	movl	%eax, %cr0
	ljmp	$8, $protected

fail:
	movb	$'!', %al
	outb	%al, $0xe9		/* Bochs prints what this port gets */
	hlt
	jmp	fail

	.code32
protected:
	movl	$16, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	movl	$BOOT_SECTOR, %esp
	movl	$LOADER, %eax
	jmp	*%eax

	.balign	8
gdt:
	.quad	0
	.quad	0x00cf9a000000ffff
	.quad	0x00cf92000000ffff
gdt_pointer:
	.word	. - gdt - 1
	.long	gdt

packet:					/* EDD disk address packet */
	.byte	16, 0
	.word	LOADER_SECTORS + PARAM_SECTORS
	.word	0, LOADER >> 4
	.quad	1

	.org	510
	.word	0xaa55
