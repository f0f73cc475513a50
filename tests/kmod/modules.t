#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""modules.t KVER...: the built modules fit the distribution's kernel: the CRC of every export,
all imports of its own kvm-amd.ko and kvm-intel.ko, vermagic, BTF, and the tracepoints."""
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EVENTS = ["nvx_apicv", "nvx_evmcs", "nvx_exit", "nvx_invvpid", "nvx_ipi", "nvx_msr_bitmap",
          "nvx_posted_intr", "nvx_pv_ipi", "nvx_switch", "nvx_tlb_flush"]
count = 0
failed = False


def check(good, name, detail=""):
    global count, failed
    count += 1
    print("%s %d - %s" % ("ok" if good else "not ok", count, name))
    if not good:
        failed = True
        print("# " + "\n# ".join(str(detail).splitlines()[:20]))


def run(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True).stdout


def kernel(kver):
    """What kmod/kernel.sh found: name -> value."""
    found = {}
    for line in run(os.path.join(TOP, "kmod/kernel.sh"), kver).splitlines():
        name, _, value = line.partition("=")
        found[name] = value.replace("\\", "")
    return found


def symvers(path, module):
    """symbol -> crc of what a module exports"""
    crcs = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            crc, symbol, owner = line.rstrip("\n").split("\t")[:3]
            # Ours carries the path that it was built at.
            if owner == module or owner.endswith("/" + module):
                crcs[symbol] = int(crc, 16)
    return crcs


def imports(module):
    """symbol -> crc of what a module needs"""
    tool = "/sbin/modprobe" if os.path.exists("/sbin/modprobe") else "modprobe"
    needed = {}
    for line in run(tool, "--dump-modversions", module).splitlines():
        crc, symbol = line.split()
        needed[symbol] = int(crc, 16)
    return needed


def packaged(path):
    """6.12 packs its modules."""
    return path if os.path.exists(path) else path + ".xz"


def differing(want, have):
    return ["%s: want %08x, have %s" % (name, crc, "%08x" % have[name] if name in have else "none")
            for name, crc in sorted(want.items()) if have.get(name) != crc]


def test_exports(kver, info, ours):
    theirs = symvers(info["build"] + "/Module.symvers", "arch/x86/kvm/kvm")
    check(len(theirs) > 300, "%s: the distribution exports %d symbols" % (kver, len(theirs)),
          "too few to mean anything")
    bad = differing(theirs, ours)
    check(not bad, "%s: the CRCs of all %d exports are the distribution's" % (kver, len(theirs)),
          "\n".join(bad))
    extra = [name for name in ours if name not in theirs and "nvx_" not in name]
    check(not extra, "%s: what we export besides is named nvx_" % kver, " ".join(extra))


def test_vendor(kver, info, ours):
    """The distribution's own vendor modules load on our kvm.ko when these hold."""
    lab = run(os.path.join(TOP, "tests/lab/fetch-kernel"), kver).strip()
    with open(lab + "/release", encoding="ascii") as file:
        release = file.read().strip()
    theirs = symvers(info["build"] + "/Module.symvers", "arch/x86/kvm/kvm")
    for name in ("kvm-amd", "kvm-intel"):
        title = "%s: the distribution's %s.ko finds its imports in our kvm.ko" % (kver, name)
        if release != info["release"]:
            print("# lab kernel is %s, modules are for %s" % (release, info["release"]))
            check(False, title, "two kernels")
            continue
        needed = imports(packaged("%s/modules/kernel/arch/x86/kvm/%s.ko" % (lab, name)))
        of_kvm = {symbol: crc for symbol, crc in needed.items() if symbol in theirs}
        bad = differing(of_kvm, ours)
        check(len(of_kvm) > 50 and not bad, title + " (%d)" % len(of_kvm), "\n".join(bad))


def test_module(kver, info, path):
    name = os.path.basename(path)
    magic = run("modinfo" if os.path.exists("/usr/bin/modinfo") else "/sbin/modinfo",
                "-F", "vermagic", path).split()[0]
    check(magic == info["release"], "%s: %s is for %s" % (kver, name, info["release"]), magic)
    sections = re.findall(r" (\.[\w.]+) ", run("readelf", "-SW", path))
    check(".BTF" in sections, "%s: %s has BTF" % (kver, name), " ".join(sections))
    check(not any(section.startswith(".debug") for section in sections),
          "%s: %s has no debug info" % (kver, name))


def btf(info, path):
    tool = "/usr/sbin/bpftool" if os.path.exists("/usr/sbin/bpftool") else "bpftool"
    return run(tool, "btf", "dump", "file", path, "-B", info["vmlinux"])


def test_btf(kver, info, out):
    dump = btf(info, out + "/kvm-intel.ko")
    check(re.search(r"STRUCT 'nested_vmx'(?:.*\n)(?:\t.*\n)*\t'nvx' type_id", dump) is not None,
          kver + ": BTF of kvm-intel.ko has nvx in struct nested_vmx")
    dump = btf(info, out + "/kvm.ko")
    typedefs = set(re.findall(r"TYPEDEF 'btf_trace_(nvx_\w+)'", dump))
    check(typedefs == set(EVENTS), kver + ": BTF of kvm.ko has a type for each tracepoint",
          "%s" % (typedefs ^ set(EVENTS)))


def test_raw_tp(kver, out):
    """What bpf_get_raw_tracepoint() looks up, by name."""
    symbols = run("nm", out + "/kvm.ko")
    have = set(re.findall(r" __bpf_trace_tp_map_(nvx_\w+)$", symbols, re.M))
    check(have == set(EVENTS), kver + ": raw_tp can attach to each tracepoint",
          "%s" % (have ^ set(EVENTS)))


def main():
    for kver in sys.argv[1:]:
        info = kernel(kver)
        out = os.path.join(TOP, "build/kmod", kver)
        ours = symvers(out + "/Module.symvers", "arch/x86/kvm/kvm")
        test_exports(kver, info, ours)
        test_vendor(kver, info, ours)
        for name in ("kvm.ko", "kvm-intel.ko"):
            test_module(kver, info, os.path.join(out, name))
        test_btf(kver, info, out)
        test_raw_tp(kver, out)
    print("1..%d" % count)
    sys.exit(failed)


main()
