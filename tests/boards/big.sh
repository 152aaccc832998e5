#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# big.sh [CPUS [INTERRUPTS [NICS [QUEUES]]]]: a recorded board of any size, to stdout
#
# Without arguments the largest that must work: 512 CPUs, 4000 interrupts, 256 NICs. Four
# CPUs a policy; the NICs are on PCI and share the interrupts but for the first 16. Columns
# of /proc/interrupts are not padded, so that a recording stays within its limit.
exec awk -v cpus="${1:-512}" -v irqs="${2:-4000}" -v nics="${3:-256}" -v queues="${4:-2}" '
function mask_of(first, count,    s, group, bit, v) {
	s = ""
	for (group = int((cpus - 1) / 32); group >= 0; group--) {
		v = 0
		for (bit = 31; bit >= 0; bit--) {
			v *= 2
			if (group * 32 + bit >= first && group * 32 + bit < first + count)
				v++
		}
		s = s (s == "" ? "" : ",") (cpus <= 32 ? sprintf("%0" int((cpus + 3) / 4) \
			"x", v) : hex8(v))
	}
	return s
}
function hex8(v) { return sprintf("%04x%04x", int(v / 65536), v % 65536) }
function policy(first,    p, last, list, c) {
	p = "/sys/devices/system/cpu/cpufreq/policy" first
	last = first + 3 < cpus ? first + 3 : cpus - 1
	for (c = first; c <= last; c++) {
		list = list (c == first ? "" : " ") c
		print "/sys/devices/system/cpu/cpu" c "/cpufreq -> ../cpufreq/policy" first
	}
	print p "/affected_cpus = " list "\n" p "/related_cpus = " list
	print p "/cpuinfo_min_freq = 408000\n" p "/cpuinfo_max_freq = 1992000"
	print p "/scaling_available_frequencies = 408000 1104000 1992000 "
	print p "/scaling_available_governors = ondemand performance schedutil "
	print p "/scaling_governor = schedutil\n" p "/scaling_min_freq = 408000"
	print p "/scaling_max_freq = 1992000\n" p "/scaling_cur_freq = 1104000"
}
function action(i) {
	if (i < 16 || !nics)
		return "device" i
	return "eth" (i - 16) % nics "-" int((i - 16) / nics)
}
function interrupt(i,    k, p) {
	k = "/sys/kernel/irq/" 16 + i
	p = "/proc/irq/" 16 + i
	print k "/actions = " action(i) "\n" k "/chip_name = PCI-MSIX\n" k "/hwirq = " i
	print k "/name = edge\n" k "/type = edge"
	print p "/" action(i) "/"
	print p "/smp_affinity = " all "\n" p "/smp_affinity_list = 0-" cpus - 1
	print p "/effective_affinity_list = " i % cpus
}
function nic(n,    dev, net, q, i) {
	dev = sprintf("/sys/devices/pci%04x:00/%04x:00:01.0", n, n)
	net = dev "/net/eth" n
	printf "%s/driver -> ../../../bus/pci/drivers/big\n", dev
	printf "%s/subsystem -> ../../../bus/pci\n", dev
	for (i = 16 + n; i < irqs; i += nics)
		print dev "/msi_irqs/" 16 + i " = msix"
	print "/sys/class/net/eth" n " -> ../.." substr(net, 5)
	print net "/device -> ../.."
	print net "/subsystem -> ../../../../../class/net"
	print net "/uevent = INTERFACE=eth" n
	print net "/ifindex = " n + 2 "\n" net "/type = 1\n" net "/operstate = up"
	print net "/carrier = 1\n" net "/threaded = 0"
	for (q = 0; q < queues; q++) {
		print net "/queues/rx-" q "/rps_cpus = " none
		print net "/queues/rx-" q "/rps_flow_cnt = 0"
		print net "/queues/tx-" q "/xps_cpus = " none
	}
	print "@ethtool eth" n " feature rx-gro = on"
	print "@ethtool eth" n " feature tx-scatter-gather = on"
	print "@ethtool eth" n " ring rx = 512 max 4096"
	print "@ethtool eth" n " channels combined = " queues " max " queues
}
BEGIN {
	print "# " cpus " CPUs, " irqs " interrupts, " nics " NICs: made by big.sh, no real board"
	print "/proc/sys/kernel/osrelease = 6.12.30"
	print "/proc/sys/net/core/rps_sock_flow_entries = 0"
	print "/sys/devices/virtual/dmi/id/product_name = BIG"
	print "/sys/class/dmi/id -> ../../devices/virtual/dmi/id"
	for (i = 0; i < 3; i++)
		print "/sys/devices/system/cpu/" substr("online  possiblepresent ", 8 * i + 1, \
			i == 0 ? 6 : i == 1 ? 8 : 7) " = 0-" cpus - 1
	all = mask_of(0, cpus)
	none = mask_of(0, 0)
	for (i = 0; i < cpus; i += 4)
		policy(i)
	print "/sys/bus/pci/drivers/big/"
	print "/proc/interrupts <<END"
	for (i = 0; i < cpus; i++)
		columns = columns " CPU" i
	print "    " columns
	for (i = 0; i < irqs; i++) {
		counts = ""
		for (c = 0; c < cpus; c++)
			counts = counts (c == i % cpus ? " " i * 7 : " 0")
		printf "%4d:%s  PCI-MSIX %d-edge  %s\n", 16 + i, counts, i, action(i)
	}
	print "END\n/proc/irq/default_smp_affinity = " all
	for (i = 0; i < irqs; i++)
		interrupt(i)
	for (i = 0; i < nics; i++)
		nic(i)
}'
