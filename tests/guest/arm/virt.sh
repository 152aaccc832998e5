# SPDX-License-Identifier: GPL-2.0-or-later
# virt.sh - sourced by the boards that are QEMU's arm64 machine with clocks and sensors
# shellcheck shell=bash disable=SC2034,SC2154 # what run, host.sh and the boards share

# shellcheck source=tests/guest/arm/arm.sh
. "$here/arm.sh"

arm_arch=arm64
arm_modules="cpufreq-dt $arm_governors bcm2711_thermal virtio_pci virtio_net vmxnet3 e1000e
	8139cp veth"
arm_console=ttyAMA0
arm_tap=/dev/ttyS0
arm_wait=$arm_policy0,/sys/class/net/eth1,/sys/class/thermal/thermal_zone0
virt_cpus=4
board_packages=$(arm_packages arm64)

virt_qemu() {
	printf '%s\n' qemu-system-aarch64 -M "virt,gic-version=3${1-}" -cpu cortex-a53 \
		-smp "$virt_cpus" -m 1024
}

board_prepare() {
	local tree=$cache/$board.dtb of qemu

	arm_prepare
	of="$(digest "$here/dt-virt.py") $virt_cpus"
	cached "$tree" "$of" && return
	mapfile -t qemu < <(virt_qemu ",dumpdtb=$tree.plain")
	"${qemu[@]}" -nographic >/dev/null 2>&1
	"$here/dt-virt.py" "$board" "$tree.plain" "$tree" && cached_as "$tree" "$of"
}

# 4-queue NIC and e1000e, cabled together; sensors at 43.8 C
board_boot() {
	local qemu

	mapfile -t qemu < <(virt_qemu)
	arm_boot 300 "${qemu[@]}" -dtb "$cache/$board.dtb" -serial stdio -nic none \
		-chardev "file,id=results,path=$guest_results" -device pci-serial,chardev=results \
		-netdev hubport,id=a,hubid=1 -device vmxnet3,netdev=a,mac=52:54:00:00:00:01 \
		-netdev hubport,id=b,hubid=1 -device e1000e,netdev=b,mac=52:54:00:00:00:02 \
		-device loader,addr=0x7f000200,data=0x106f0,data-len=4 \
		-device loader,addr=0x7f001200,data=0x106f0,data-len=4
}
