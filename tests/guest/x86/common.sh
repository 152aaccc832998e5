# SPDX-License-Identifier: GPL-2.0-or-later
# common.sh - sourced by the boards of this directory: kernel, simulated board, initramfs
# shellcheck shell=bash disable=SC2034,SC2154 # what run, host.sh and the boards share

board_packages='qemu-system-x86 busybox-static cpio kmod gcc make xz-utils
	linux-headers-amd64 ethtool nftables iperf3 iproute2'

x86_modules='virtio_pci virtio_net virtio_console e1000e vmxnet3 xhci_pci cdc_ether
	rndis_host veth dummy nfnetlink nf_tables nft_chain_nat nft_ct nft_counter
	nft_flow_offload nf_flow_table_inet nf_flow_table nf_conntrack sch_tbf
	cpufreq_powersave cpufreq_userspace cpufreq_ondemand cpufreq_conservative'

# The kernel that belongs to the newest headers installed here, as ELF: QEMU boots it
# through PVH in half the time that the compressed one takes.
x86_kernel() {
	local header offset image

	header=$(printf '%s\n' /lib/modules/*-amd64/build | sort -V | tail -n 1)
	x86_version=$(basename "$(dirname "$header")")
	x86_tree=$cache/kernel-$x86_version
	unpack_package amd64 "linux-image-$x86_version" "$x86_tree" || return 1
	[ -e "$x86_tree/lib/modules/$x86_version/modules.dep" ] ||
		depmod -b "$x86_tree" "$x86_version" || return 1
	[ ! -s "$x86_tree/vmlinux" ] || return 0
	image=$x86_tree/boot/vmlinuz-$x86_version
	offset=$(LC_ALL=C grep -obUaP '\xFD7zXZ\x00' "$image" | head -n 1 | cut -d : -f 1)
	tail -c +$((offset + 1)) "$image" | xz -dc --single-stream --ignore-check \
		>"$x86_tree/vmlinux.new" 2>/dev/null
	[ "$(head -c 4 "$x86_tree/vmlinux.new" | tail -c 3)" = ELF ] &&
		mv "$x86_tree/vmlinux.new" "$x86_tree/vmlinux"
}

# The simulated board's module, built in the cache.
x86_simboard() {
	local source=$guest/x86/simboard dir=$cache/simboard-$x86_version word

	word=$(digest "$source/simboard.c" "$source/Makefile")
	! cached "$dir/simboard.ko" "$word" || return 0
	note "building simboard for $x86_version"
	mkdir -p "$dir" && cp "$source/simboard.c" "$source/Makefile" "$dir" &&
		make -s -C "$dir" KVER="$x86_version" >"$dir/log" 2>&1 &&
		cached_as "$dir/simboard.ko" "$word" && return 0
	sed 's/^/# /' "$dir/log"
	return 1
}

# with_libraries DIR PROGRAM...: copy programs and what they are linked with
with_libraries() {
	local dir=$1 program library

	shift
	[ $# -ge 5 ] || die 'ethtool, nft, iperf3 or ip is not there.'
	for program in "$@"; do
		cp "$program" "$dir/usr/bin/" || return 1
		for library in $(ldd "$program" | grep -o '/[^ ]*'); do
			mkdir -p "$dir/$(dirname "$library")" &&
				cp -L "$library" "$dir/$library" || return 1
		done
	done
}

# busybox and its commands
with_busybox() {
	local dir=$1 name

	mkdir -p "$dir"/{bin,sbin,usr/bin,usr/sbin,usr/lib,lib,lib64,proc,sys,dev,run,tmp,etc,root,test} \
		"$dir"/var/{lib,run}
	cp "$(command -v busybox)" "$dir/bin/busybox"
	for name in $(busybox --list); do
		[ "$name" = busybox ] || ln -sf busybox "$dir/bin/$name"
	done
	ln -s ../bin/busybox "$dir/sbin/modprobe"
}

with_modules() {
	local dir=$1 name file

	mkdir -p "$dir/lib/modules/$x86_version"
	for name in $x86_modules; do
		modprobe -d "$x86_tree" -S "$x86_version" --show-depends "$name" 2>/dev/null
	done | awk '/^insmod/ { print $2 }' | sort -u | while read -r file; do
		mkdir -p "$dir/$(dirname "${file#"$x86_tree"}")"
		cp "$file" "$dir/${file#"$x86_tree"}"
	done
	cp "$x86_tree/lib/modules/$x86_version"/modules.{builtin,builtin.modinfo,order} \
		"$dir/lib/modules/$x86_version/" 2>/dev/null
	depmod -b "$dir" "$x86_version" || return 1
	cp "$cache/simboard-$x86_version/simboard.ko" "$dir/test/"
}

# The part of the initramfs that changes rarely.
x86_base() {
	local base=$cache/x86-base.gz dir word tools

	tools="$(command -v ethtool) $(command -v nft) $(command -v iperf3) $(command -v ip)"
	# shellcheck disable=SC2086 # a list of paths
	word=$(digest "$cache/simboard-$x86_version/simboard.ko" $tools "$boardtune_libraries" \
		"$guest/x86/common.sh" "$guest/x86/init")
	! cached "$base" "$word" || return 0
	note 'packing the initramfs'
	dir=$(mktemp -d "$work/base.XXXXXX") || return 1
	# shellcheck disable=SC2086
	with_busybox "$dir" && with_libraries "$dir" $tools "$boardtune" &&
		with_modules "$dir" && rm "$dir/usr/bin/${boardtune##*/}" &&
		install -m 755 "$guest/x86/init" "$dir/init" && pack "$dir" "$base" &&
		cached_as "$base" "$word"
	local status=$?
	rm -rf "$dir"
	return $status
}

x86_prepare() {
	x86_kernel && x86_simboard || return 1
	guest_boardtune
	boardtune_libraries=$cache/x86-libraries
	ldd "$boardtune" | sed 's/ (0x.*//' >"$boardtune_libraries"
	x86_base
}

# x86_boot SECONDS CPUS SIMBOARD-ARGS QEMU-ARG...: boot this board's test
x86_boot() {
	local limit=$1 cpus=$2 simboard=$3 pair files=()

	shift 3
	for pair in "$guest"/x86/*.test.sh "$guest"/x86/lib-*.sh "$guest"/tap-guest.sh \
		"$guest"/board-checks.sh "$guest"/knob-checks.sh; do
		[ ! -e "$pair" ] || files+=("$pair:/test/${pair##*/}")
	done
	overlay "$work/overlay.gz" "$boardtune:/usr/bin/boardtune" "${files[@]}" &&
		cat "$cache/x86-base.gz" "$work/overlay.gz" >"$work/initrd.gz" ||
		return 1
	guest_boot "$board" "$limit" qemu-system-x86_64 -M q35 -cpu max -smp "$cpus" -m 512 \
		-kernel "$x86_tree/vmlinux" -initrd "$work/initrd.gz" \
		-append "console=ttyS0 panic=-1 quiet loglevel=4 random.trust_cpu=on \
mitigations=off nokaslr test=${board_test##*/} simboard=${simboard// /;}" \
		-display none -nodefaults -serial stdio -device virtio-serial-pci \
		-chardev "file,id=results,path=$guest_results" \
		-device virtserialport,chardev=results,name=results \
		-smbios "type=1,manufacturer=boardtune,product=Simulated board" "$@"
}
