// SPDX-License-Identifier: GPL-2.0-only
/* Compiled with -g once a layout: what we want is the .BTF of its types. */
#include LAYOUT_H

struct vcpu_vmx vmx;
struct vcpu_svm svm;
struct vmcb vmcb;
struct kvm kvm;
