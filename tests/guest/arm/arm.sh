# SPDX-License-Identifier: GPL-2.0-or-later
# arm.sh - sourced by the ARM boards: kernel, cross-built boardtune, initramfs per board
# shellcheck shell=bash disable=SC2034,SC2154 # what run, host.sh and the boards share
#
# A board sets arm_arch, arm_modules and, where it is not the default, arm_wait; see the
# boards. Uses host.sh.

arm_common_packages='device-tree-compiler cpio kmod python3 xz-utils binutils'
arm_programs='sbin/ethtool usr/bin/iperf3 bin/ip'
arm_guest_packages='libc6 libgcc-s1 libatomic1 busybox-static ethtool libmnl0
	iperf3 libiperf0 libsctp1 libssl3 iproute2 libbpf1 libelf1 libbsd0 libmd0 zlib1g
	libjansson4 libinih1 libsystemd0 libcap2 libgcrypt20 libgpg-error0 liblz4-1 liblzma5
	libzstd1 libmnl-dev libjansson-dev libinih-dev libsystemd-dev'
arm_governors='cpufreq_powersave cpufreq_userspace cpufreq_ondemand cpufreq_conservative'
arm_policy0=/sys/devices/system/cpu/cpufreq/policy0
# What the guest's kernel gets on every board. iomem=relaxed: a test may set a sensor's
# register that a driver has taken. rodata=off: with it on, 32-bit kernels drop the TLB
# entries of all addresses from modules to stacks, page by page, after each module that
# they load, which takes an emulator up to 20 s.
arm_append='panic=5 quiet iomem=relaxed rodata=off'

# arm_describe ARCH: sets the names that Debian and GNU have for it
arm_describe() {
	case $1 in
	arm64)
		arm_triplet=aarch64-linux-gnu
		arm_kernel=linux-image-arm64
		;;
	armhf)
		arm_triplet=arm-linux-gnueabihf
		arm_kernel=linux-image-armmp
		;;
	armel)
		arm_triplet=arm-linux-gnueabi
		arm_kernel=linux-image-rpi
		;;
	esac
	arm_tree=$cache/tree-$1
}

# arm_packages ARCH: what this machine needs to run and to build for it
arm_packages() {
	arm_describe "$1"
	printf '%s ' "$arm_common_packages" qemu-system-arm "gcc-$arm_triplet" \
		"libc6-dev-$1-cross"
}

# The kernel package of $arm_arch, by its full name; asked once, then kept: sets arm_kernel.
arm_kernel_package() {
	local noted=$cache/tree-$arm_arch.kernel

	if [ ! -s "$noted" ]; then
		# One index that fails must not stop this: the others may do.
		apt_for "$arm_arch" get update -q >"$work/update.log" 2>&1 ||
			note "$arm_arch: not all package lists could be loaded"
		apt_for "$arm_arch" cache depends "$arm_kernel" |
			sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1 >"$noted"
	fi
	arm_kernel=$(cat "$noted")
	[ -n "$arm_kernel" ] || die "$arm_arch: no kernel package"
}

# Unpack kernel, programs, libraries and headers of $arm_arch into $arm_tree.
arm_unpack() {
	local package release

	arm_describe "$arm_arch"
	arm_kernel_package
	for package in "$arm_kernel" $arm_guest_packages; do
		unpack_package "$arm_arch" "$package" "$arm_tree" ||
			die "$arm_arch: $package cannot be had."
	done
	release=${arm_kernel#linux-image-}
	[ -s "$arm_tree/lib/modules/$release/modules.dep" ] || depmod -b "$arm_tree" "$release"
}

# Sets arm_boardtune, cross-built. The environment may name another program, e.g. in
# BOARDTUNE_GUEST_PROGRAM_armhf.
arm_build() {
	local program=BOARDTUNE_GUEST_PROGRAM_$arm_arch
	local lib=$arm_tree/usr/lib/$arm_triplet

	[ -n "${!program-}" ] || [ -z "${BOARDTUNE_GUEST_PROGRAM-}" ] ||
		die "BOARDTUNE_GUEST_PROGRAM is for x86; $board takes $program."
	if [ -n "${!program-}" ]; then
		arm_boardtune=${!program}
		return
	fi
	PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$arm_tree \
		guest_build "$arm_arch" "--host=$arm_triplet" \
		LDFLAGS="-Wl,-rpath-link,$lib -Wl,-rpath-link,$arm_tree/lib/$arm_triplet"
	arm_boardtune=$work/boardtune-$arm_arch
}

# The initramfs of the board: kept as long as nothing changes that it is made of.
arm_initrd() {
	local base=$cache/$board.initrd of

	of=$( (
		cat "$here/mkinitrd.py" "$here/init"
		printf '%s ' "$arm_modules" "$arm_programs" "$(ls "$arm_tree/lib/modules")"
		readelf -d "$arm_boardtune" | grep NEEDED
	) | sha256sum)
	cached "$base" "$of" && return
	# shellcheck disable=SC2086 # lists of words
	"$here/mkinitrd.py" "$arm_tree" "$base" "$here/init" --programs $arm_programs \
		--libraries-of "$arm_boardtune" --modules $arm_modules &&
		cached_as "$base" "$of"
}

# Everything but the board's own device tree.
arm_prepare() {
	arm_unpack
	arm_build
	arm_initrd || die "$board: no initramfs"
}

# arm_boot SECONDS QEMU ARG...: boot the board with its test; QEMU gets what all have. The
# board's arguments say machine, serial ports and device tree.
arm_boot() {
	local limit=$1

	shift
	overlay "$work/overlay" "$arm_boardtune:usr/bin/boardtune" \
		"$guest/tap-guest.sh:test/tap-guest.sh" \
		"$guest/board-checks.sh:test/board-checks.sh" \
		"$guest/knob-checks.sh:test/knob-checks.sh" \
		"$here/lib-arm.sh:test/lib-arm.sh" \
		"$guest/$board_test:test/${board_test##*/}" || return
	cat "$cache/$board.initrd" "$work/overlay" >"$work/initramfs" || return
	guest_boot "$board" "$limit" "$@" -nographic -monitor none \
		-kernel "$(echo "$arm_tree"/boot/vmlinuz-*)" \
		-initrd "$work/initramfs" \
		-append "console=$arm_console guest.tap=$arm_tap guest.test=${board_test##*/} \
guest.wait=$arm_wait $arm_append"
}
