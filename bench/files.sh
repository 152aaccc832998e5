# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# files.sh - apply of 40 settings in sysfs and procfs: live, and on a copied board
#
# Live is a chroot to a directory that looks like a board's /: there boardtune opens files
# as it does on the board itself. The copied board is the same directory as --sysroot.
# shellcheck disable=SC2154 # set by run.sh

# Forty settings on 8 CPUs and 4 NICs with two queues and two interrupts each: two policies
# (6), interrupts (8), packets by queue (24), threads (1 NIC), one kernel parameter.
files_profile() {
	cat <<-END
	[cpufreq]
	governor = performance
	min_freq = 1104MHz
	max_freq = 1104MHz
	[net:all]
	Driver = big
	irq.affinity = 1-7
	rps_cpus = 0-3
	xps_cpus = 4-7
	rps_flow_cnt = 4096
	[net:first]
	Name = eth0
	threaded = on
	[sysctl]
	net.core.rps_sock_flow_entries = 32768
	END
}

# put ROOT PROGRAM NAME: a program and the libraries it is linked with
put() {
	install -D "$2" "$1/bin/$3"
	ldd "$2" | grep -o '/[^ ]*' | xargs -I '{}' cp -L --parents '{}' "$1"
}

# The equal script: each value is written and read back, as one that checks would.
files_script() {
	echo "set -e; cd $1"
	awk '$1 ~ /[WT]/ { printf "echo %s >%s\n[ \"$(cat %s)\" = %s ]\n", $3, $2, $2, $3 }' \
		list
}

# files_prepare ROOT COMMAND...: the lists and the script, for ROOT as a command sees it
files_prepare() {
	local writes

	sh ./reset.sh
	trace "$dir/root" "${@:2}"
	writes=$(grep -c '^[WT]' list || true)
	[ "$writes" -eq 40 ] || die "$writes writes for 40 settings"
	files_script "$1" >root/script.sh
	cp list least root/
}

# The interfaces of the board: their names are asked from the kernel by their indexes.
files_nics() {
	local dir=plain/sys/class/net

	ip link add eth0 index "$(cat $dir/eth0/ifindex)" type veth \
		peer name eth1 index "$(cat $dir/eth1/ifindex)"
	ip link add eth2 index "$(cat $dir/eth2/ifindex)" type veth \
		peer name eth3 index "$(cat $dir/eth3/ifindex)"
}

files_compare_live() {
	files_prepare / chroot root /bin/boardtune apply /bench.ini -q
	compare '40 settings in files, live' root 'sh ./reset.sh' \
		'/bin/boardtune apply /bench.ini -q' '/bin/sh /script.sh' \
		'/bin/bare / /list' '/bin/bare / /least' /bin/empty
}

files_compare_copy() {
	files_prepare root "$boardtune" apply bench.ini --sysroot root -q
	compare '40 settings in files, --sysroot' '' 'sh ./reset.sh' \
		"$boardtune apply bench.ini --sysroot root -q" 'sh root/script.sh' \
		'./bare root list' './bare root least' ./empty
}

measure_files() {
	board plain 8 24 4
	files_profile >bench.ini
	forty_settings bench.ini --sysroot plain
	put root "$boardtune" boardtune
	put root "$(command -v sh)" sh
	put root "$(command -v cat)" cat
	put root bare bare
	put root empty empty
	cp bench.ini root/
	echo 'rm -rf root/sys root/proc root/run && cp -a plain/. root/' >reset.sh
	files_nics
	files_compare_live
	ip link del eth0
	ip link del eth2
	files_compare_copy
	sh ./reset.sh
}
