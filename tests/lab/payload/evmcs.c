// SPDX-License-Identifier: GPL-2.0-only
#include "evmcs.h"
#include "vmx.h"
#include "../../../include/nvx_tp.h"

#define MSR_VP_ASSIST_PAGE	0x40000073
#define ASSIST_ENABLE		1
#define ASSIST_ENLIGHTEN	40
#define ASSIST_CURRENT		48
#define EVMCS_VERSION		1
#define EVMCS_CLEAN_FIELDS	824

/* name_at, name_width, name_group of each field */
enum {
#define FIELD(group, in, out, evmcs, vmcs12, width, name) \
	name##_at = evmcs, name##_width = width, name##_group = NVX_EVMCS_##group,
#include "../../../kmod/core/nvx_evmcs_fields.h"
#undef FIELD
};

#define AT(name)	{ name##_at, name##_width, name##_group }
#define ROW(field, name) { field, AT(name) }
#define SEGMENT(n, seg)							\
	ROW(GUEST_SELECTOR(n), guest_##seg##_selector),			\
	ROW(GUEST_LIMIT(n), guest_##seg##_limit),			\
	ROW(GUEST_ACCESS(n), guest_##seg##_ar_bytes),			\
	ROW(GUEST_BASE(n), guest_##seg##_base)
#define HOST_SEGMENT(n, seg) ROW(HOST_SELECTOR(n), host_##seg##_selector)

struct place {
	u16 at;
	u8 width;
	u8 group;
};

static const struct {
	u16 field;
	struct place place;
} rows[] = {
	/* what an exit needs, first */
	ROW(EXIT_REASON, vm_exit_reason),
	ROW(EXIT_QUALIFICATION, exit_qualification),
	ROW(GUEST_RIP, guest_rip),
	ROW(INSTRUCTION_LENGTH, vm_exit_instruction_len),
	ROW(VPID, virtual_processor_id),
	ROW(IO_BITMAP_A, io_bitmap_a),
	ROW(IO_BITMAP_B, io_bitmap_b),
	ROW(MSR_BITMAP, msr_bitmap),
	ROW(EPT_POINTER, ept_pointer),
	ROW(GUEST_PHYSICAL_ADDRESS, guest_physical_address),
	ROW(VMCS_LINK_POINTER, vmcs_link_pointer),
	ROW(PIN_CONTROLS, pin_based_vm_exec_control),
	ROW(PROC_CONTROLS, cpu_based_vm_exec_control),
	ROW(EXCEPTION_BITMAP, exception_bitmap),
	ROW(PF_ERROR_MASK, page_fault_error_code_mask),
	ROW(PF_ERROR_MATCH, page_fault_error_code_match),
	ROW(CR3_TARGET_COUNT, cr3_target_count),
	ROW(EXIT_CONTROLS, vm_exit_controls),
	ROW(EXIT_MSR_STORE_COUNT, vm_exit_msr_store_count),
	ROW(EXIT_MSR_LOAD_COUNT, vm_exit_msr_load_count),
	ROW(ENTRY_CONTROLS, vm_entry_controls),
	ROW(ENTRY_MSR_LOAD_COUNT, vm_entry_msr_load_count),
	ROW(ENTRY_INTERRUPTION, vm_entry_intr_info_field),
	ROW(SECONDARY_CONTROLS, secondary_vm_exec_control),
	ROW(INSTRUCTION_ERROR, vm_instruction_error),
	ROW(EXIT_INTERRUPTION, vm_exit_intr_info),
	ROW(EXIT_ERROR_CODE, vm_exit_intr_error_code),
	SEGMENT(0, es), SEGMENT(1, cs), SEGMENT(2, ss), SEGMENT(3, ds),
	SEGMENT(4, fs), SEGMENT(5, gs), SEGMENT(6, ldtr), SEGMENT(7, tr),
	ROW(GUEST_GDTR_LIMIT, guest_gdtr_limit),
	ROW(GUEST_IDTR_LIMIT, guest_idtr_limit),
	ROW(GUEST_INTERRUPTIBILITY, guest_interruptibility_info),
	ROW(GUEST_ACTIVITY, guest_activity_state),
	ROW(GUEST_SYSENTER_CS, guest_sysenter_cs),
	ROW(HOST_SYSENTER_CS, host_ia32_sysenter_cs),
	ROW(CR0_MASK, cr0_guest_host_mask),
	ROW(CR4_MASK, cr4_guest_host_mask),
	ROW(GUEST_CR0, guest_cr0),
	ROW(GUEST_CR3, guest_cr3),
	ROW(GUEST_CR4, guest_cr4),
	ROW(GUEST_GDTR_BASE, guest_gdtr_base),
	ROW(GUEST_IDTR_BASE, guest_idtr_base),
	ROW(GUEST_DR7, guest_dr7),
	ROW(GUEST_RSP, guest_rsp),
	ROW(GUEST_RFLAGS, guest_rflags),
	ROW(GUEST_PENDING_DEBUG, guest_pending_dbg_exceptions),
	ROW(GUEST_SYSENTER_ESP, guest_sysenter_esp),
	ROW(GUEST_SYSENTER_EIP, guest_sysenter_eip),
	HOST_SEGMENT(0, es), HOST_SEGMENT(1, cs), HOST_SEGMENT(2, ss), HOST_SEGMENT(3, ds),
	HOST_SEGMENT(4, fs), HOST_SEGMENT(5, gs), HOST_SEGMENT(6, tr),
	ROW(HOST_CR0, host_cr0),
	ROW(HOST_CR3, host_cr3),
	ROW(HOST_CR4, host_cr4),
	ROW(HOST_FS_BASE, host_fs_base),
	ROW(HOST_GS_BASE, host_gs_base),
	ROW(HOST_TR_BASE, host_tr_base),
	ROW(HOST_GDTR_BASE, host_gdtr_base),
	ROW(HOST_IDTR_BASE, host_idtr_base),
	ROW(HOST_SYSENTER_ESP, host_ia32_sysenter_esp),
	ROW(HOST_SYSENTER_EIP, host_ia32_sysenter_eip),
	ROW(HOST_RSP, host_rsp),
	ROW(HOST_RIP, host_rip),
};

static u8 *assist_page, *current_page;

static const struct place *find(u64 field)
{
	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].field == field)
			return &rows[i].place;
	fault(LAB_FAULT_ENTRY, field, 0, 0);
}

void evmcs_init(void *assist)
{
	assist_page = assist;
	wrmsr(MSR_VP_ASSIST_PAGE, (u64)assist | ASSIST_ENABLE);
	assist_page[ASSIST_ENLIGHTEN] = 1;
}

void evmcs_new(void *page)
{
	*(volatile u32 *)page = EVMCS_VERSION;
}

void evmcs_select(void *page)
{
	current_page = page;
	*(volatile u64 *)(assist_page + ASSIST_CURRENT) = (u64)page;
}

u64 evmcs_read(u64 field)
{
	const struct place *p = find(field);
	const void *at = current_page + p->at;

	switch (p->width) {
	case 2:
		return *(const volatile u16 *)at;
	case 4:
		return *(const volatile u32 *)at;
	}
	return *(const volatile u64 *)at;
}

void evmcs_write(u64 field, u64 value)
{
	const struct place *p = find(field);
	void *at = current_page + p->at;

	switch (p->width) {
	case 2:
		*(volatile u16 *)at = value;
		break;
	case 4:
		*(volatile u32 *)at = value;
		break;
	default:
		*(volatile u64 *)at = value;
	}
	*(volatile u32 *)(current_page + EVMCS_CLEAN_FIELDS) &= ~(1u << p->group);
}
