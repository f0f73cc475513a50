# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the image builders of both labs share.  Each image is an uncompressed
# cpio archive: the kernel takes several of them one after another, so that
# what changes often is an archive of its own, and there is no disk whose
# interrupts would disturb the measured guests.

lab_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PATH=$PATH:/usr/sbin:/sbin

lab_die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

# copy_program DESTROOT PROGRAM...: the programs into bin/, and every shared
# library that they load, at the path where the loader looks for it.
copy_program()
{
	local dest=$1 file lib

	shift
	mkdir -p "$dest/bin"
	for file; do
		[ -x "$file" ] || lab_die "$file: no such program"
		cp -L "$file" "$dest/bin/"
		copy_libraries "$dest" "$file"
	done
}

# copy_libraries DESTROOT ELF...
copy_libraries()
{
	local dest=$1 file lib

	shift
	for file; do
		if ldd "$file" 2>/dev/null | grep -q 'not found'; then
			lab_die "$file: $(ldd "$file" | grep 'not found')"
		fi
		# Statically linked programs make ldd fail, and that is fine.
		for lib in $(ldd "$file" 2>/dev/null | grep -oE '/[^ ]+' | sort -u); do
			if [ ! -e "$dest$lib" ]; then
				mkdir -p "$dest${lib%/*}"
				cp -L "$lib" "$dest$lib"
			fi
		done
	done
}

# copy_modules DESTROOT SERIES MODULE...: with all that they depend on,
# unpacked, and a modules.dep for modprobe.
copy_modules()
{
	local dest=$1 kernel=$lab_root/build/cache/kernel/$2 release name path to

	shift 2
	release=$(<"$kernel/release")
	to=$dest/lib/modules/$release
	mkdir -p "$to"
	for name; do
		for path in $(modules_needed "$kernel/modules" "$name"); do
			mkdir -p "$to/${path%/*}"
			case $path in
			*.xz) xz -dc "$kernel/modules/$path" >"$to/${path%.xz}" ;;
			*.zst) zstd -qdc "$kernel/modules/$path" >"$to/${path%.zst}" ;;
			*) cp "$kernel/modules/$path" "$to/$path" ;;
			esac
		done
	done
	cp "$kernel"/modules/modules.{order,builtin,builtin.modinfo} "$to/"
	depmod -b "$dest" "$release"
	rm -f "$to"/*.bin "$to"/modules.{order,builtin.modinfo,devname,softdep,symbols}
}

# modules_needed MODULES_DIR NAME: paths of the module and its dependencies.
modules_needed()
{
	local line

	# Names use _ and - without difference, files do not.
	if ! line=$(grep -E "^[^:]*/${2//[-_]/[-_]}\.ko[^:]*:" "$1/modules.dep"); then
		# What is a module on one kernel is built into the other.
		grep -qE "/${2//[-_]/[-_]}\.ko$" "$1/modules.builtin" ||
			lab_die "no module $2 in $1"
		return 0
	fi
	echo "${line/:/}"
}

# add_busybox DESTROOT
add_busybox()
{
	local applet

	mkdir -p "$1"/{bin,sbin,usr,etc,proc,sys,dev,tmp,root,run,out}
	ln -s ../bin "$1/usr/bin"
	ln -s ../sbin "$1/usr/sbin"
	ln -s ../lib "$1/usr/lib"
	cp -L "$(command -v busybox)" "$1/bin/busybox"
	for applet in $("$1/bin/busybox" --list); do
		[ -e "$1/bin/$applet" ] || ln -s busybox "$1/bin/$applet"
	done
	echo root:x:0:0:root:/root:/bin/sh >"$1/etc/passwd"
	echo root:x:0: >"$1/etc/group"
}

# make_cpio DIR ARCHIVE
make_cpio()
{
	find "$1" -exec touch -h -d @0 {} +
	(cd "$1" && find . -mindepth 1 -print0 | sort -z |
		cpio --null -o -H newc --quiet --reproducible --owner 0:0) >"$2.new"
	mv "$2.new" "$2"
}
