# SPDX-License-Identifier: GPL-2.0-or-later
# systemd.board.sh - Debian with systemd: the boot unit, its guard, rivals, hotplug
# shellcheck shell=bash disable=SC2034,SC2154 # what run, host.sh and the boards share
. "$guest/x86/common.sh"
board_set=commit
board_test=systemd/systemd.test.sh
board_packages="$board_packages mmdebstrap e2fsprogs"

image_packages='systemd systemd-sysv udev kmod iproute2 ethtool dbus libmnl0 libjansson4
	libinih1 libsystemd0 procps irqbalance cpufrequtils'
# Of the image; the governors are there to be loaded by name
image_modules='virtio_pci virtio_blk virtio_net virtio_console ext4 e1000e xhci_pci
	cdc_ether rndis_host veth cpufreq_powersave cpufreq_userspace cpufreq_ondemand
	cpufreq_conservative'

# copy_modules DIR MODULE...: modules and what they need, to DIR/VERSION
copy_modules() {
	local dir=$1 name file from=$x86_tree/lib/modules

	shift
	mkdir -p "$dir/$x86_version"
	for name in "$@"; do
		modprobe -d "$x86_tree" -S "$x86_version" --show-depends "$name" 2>/dev/null
	done | awk '/^insmod/ { print $2 }' | sort -u | while read -r file; do
		mkdir -p "$dir/$(dirname "${file#"$from/"}")"
		cp "$file" "$dir/${file#"$from/"}"
	done
	cp "$from/$x86_version"/modules.{builtin,builtin.modinfo,order} "$dir/$x86_version/"
}

# An initramfs that finds the disk.
make_initrd() {
	local initrd=$cache/systemd.base.gz word dir

	word=$x86_version-$(digest "$here/init" "$here/systemd.board.sh" \
		"$guest/x86/common.sh")
	! cached "$initrd" "$word" || return 0
	dir=$work/initrd
	with_busybox "$dir" &&
		copy_modules "$dir/lib/modules" virtio_pci virtio_blk ext4 &&
		depmod -b "$dir" "$x86_version" &&
		install -m 755 "$here/init" "$dir/init" && pack "$dir" "$initrd" &&
		cached_as "$initrd" "$word"
}

# make_image WHAT FILE WORD ARG...: make it anew if WORD is another
make_image() {
	local what=$1 file=$2 word=$3

	shift 3
	! cached "$file" "$word" || return 0
	as_root "$here/make-image" "$what" "$@" >"$cache/systemd-$what.log" 2>&1 || {
		tail -n 20 "$cache/systemd-$what.log"
		return 1
	}
	cached_as "$file" "$word"
}

# Debian, which needs the network once, and the kernel's modules; nothing of boardtune.
make_disk() {
	local tar=$cache/systemd.tar modules=$work/modules word

	# shellcheck disable=SC2086 # a list of words
	set -- $image_packages
	make_image debian "$tar" "$*" "$tar" "$@" || return 1
	# shellcheck disable=SC2086
	copy_modules "$modules" $image_modules && mkdir -p "$modules/$x86_version/extra" &&
		cp "$cache/simboard-$x86_version/simboard.ko" "$modules/$x86_version/extra/" ||
		return 1
	word=$(digest "$here/make-image" "$tar.made-of" "$x86_tree"/.unpacked-* \
		"$here/systemd.board.sh" "$cache/simboard-$x86_version/simboard.ko")
	make_image disk "$cache/systemd.disk" "$word" "$tar" "$modules" "$cache/systemd.disk"
}

# install_boardtune TREE: what "make install" installs; of it the program and the unit
# can be others, to see whether the tests notice
install_boardtune() {
	local program unit

	guest_boardtune
	make -s -C "${BOARDTUNE_BUILD:-$cache/build-native}" install DESTDIR="$1" \
		>"$cache/systemd-install.log" 2>&1 || {
		tail -n 20 "$cache/systemd-install.log"
		return 1
	}
	program=$(find "$1" -path '*/bin/boardtune' -type f)
	unit=$(find "$1" -name boardtune.service -type f)
	cp "$boardtune" "$program.new" && mv "$program.new" "$program" || return 1
	[ -z "${BOARDTUNE_GUEST_UNIT_SED-}" ] || sed -i "$BOARDTUNE_GUEST_UNIT_SED" "$unit"
}

# The initramfs of this run: with boardtune and its boot profile enabled, and the tests.
make_tree() {
	local tree=$work/tree/tree system=$work/tree/tree/etc/systemd/system

	mkdir -p "$tree" && install_boardtune "$tree" && cp -r "$here/image/." "$tree/" &&
		cp "$here"/*.test.sh "$guest/tap-guest.sh" "$tree/lab/" &&
		chmod -R go-w "$tree" && chmod 755 "$tree" || return 1
	[ -z "${BOARDTUNE_GUEST_DEB-}" ] ||
		cp "$BOARDTUNE_GUEST_DEB" "$tree/lab/boardtune.deb" || return 1
	"$boardtune" enable guest --root="$tree" || return 1
	# as "systemctl enable" and "set-default" would
	mkdir -p "$system/multi-user.target.wants" "$system/lab.target.wants"
	ln -s ../lab-before.service ../lab-early.service "$system/multi-user.target.wants/"
	ln -s ../lab.service "$system/lab.target.wants/"
	ln -s lab.target "$system/default.target"
	# in the image /lib is a link
	if [ -d "$tree/lib" ]; then
		cp -r "$tree/lib/." "$tree/usr/lib/" && rm -r "${tree:?}/lib" || return 1
	fi
	pack "$work/tree" "$work/tree.gz" &&
		cat "$cache/systemd.base.gz" "$work/tree.gz" >"$work/initrd.gz" &&
		cp --sparse=always "$cache/systemd.disk" "$work/disk"
}

board_prepare() {
	x86_kernel && x86_simboard && make_initrd && make_disk && make_tree
}

# boot_phase PHASE WORD...: one boot of the image, with words for the command line. The
# guest speaks to the monitor of its own QEMU through a serial port, so that it plugs
# and unplugs when it is time to. Where CPU time is measured one takes 4 ns of it for each
# instruction, whatever else runs on this machine.
boot_phase() {
	local phase=$1 socket=$work/monitor status=0 cpus="-smp ${SMP:-2}"

	shift
	rm -f "$socket"
	[ "$phase" != names ] || cpus='-smp 1 -icount shift=2'
	# shellcheck disable=SC2086 # options
	guest_boot "$board" 480 qemu-system-x86_64 -M q35 -cpu max $cpus -m 512 \
		-kernel "$x86_tree/vmlinux" -initrd "$work/initrd.gz" \
		-append "console=ttyS0 panic=-1 quiet loglevel=4 random.trust_cpu=on \
mitigations=off nokaslr systemd.show_status=0 systemd.getty_auto=no lab=$phase $*" \
		-display none -nodefaults -serial stdio -serial "file:$guest_results" \
		-drive "file=$work/disk,if=virtio,format=raw,cache=unsafe" \
		-chardev "socket,id=monitor,path=$socket,server=on,wait=off" \
		-mon chardev=monitor,mode=control \
		-chardev "socket,id=guest,path=$socket" -device virtio-serial-pci \
		-device virtserialport,chardev=guest,name=monitor \
		-netdev hubport,id=n1,hubid=1 \
		-device virtio-net-pci,netdev=n1,mac=52:54:00:00:00:01 \
		-netdev hubport,id=n2,hubid=2 -device qemu-xhci,id=xhci \
		-netdev hubport,id=n3,hubid=3 \
		-device pcie-root-port,id=port1,chassis=1,slot=1 || status=1
	cp "$cache/$board.console" "$cache/$board-$phase.console"
	return $status
}

# The boots are one TAP stream: the guest goes on counting, and no plan line but the last
# one is passed on.
board_boot() {
	local stream=$work/stream status=0

	: >"$stream"
	for phase in first panic held second names off; do
		set --
		[ $phase != names ] || set -- net.ifnames=0 simboard.clusters=1
		[ $phase != off ] || set -- boardtune=off net.ifnames=0
		# a kernel that panics has no plan line
		boot_phase $phase "$@" || [ $phase = panic ] || status=1
		sed -i '/^1\.\./d' "$stream"
		cat "$guest_results" >>"$stream"
		[ $status = 0 ] || break
	done
	cp "$stream" "$guest_results"
	return $status
}
