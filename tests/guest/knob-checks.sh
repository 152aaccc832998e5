# SPDX-License-Identifier: GPL-2.0-or-later
# knob-checks.sh - trips, interrupts, rings, channels, steering; sourced by boards' tests
# shellcheck shell=sh disable=SC2154 # variables of board-checks.sh and of the board
#
# Each check reads back by other means than boardtune and leaves the board as it was. What
# needs traffic comes after cable_up; it lasts a second.

# ---- witnesses

# irqs_of PATTERN: the numbers of the interrupts with such an action (an ERE)
irqs_of() {
	sed -n 's/^ *\([0-9]*\):.*[ ,]\([^ ].*\)$/\1 \2/p' /proc/interrupts |
		grep -E " ($1)\$" | cut -d ' ' -f 1
}

# irq_count NUMBER CPU: how often that CPU handled it
irq_count() {
	awk -v row="$1:" -v cpu="CPU$2" '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == cpu) column = i + 1 }
	$1 == row { print $column }' /proc/interrupts
}

affinity() { # NUMBER
	cat "/proc/irq/$1/smp_affinity_list" 2>&1
}

# softnet CPU COLUMN: of /proc/net/softnet_stat; 10: packets that other CPUs sent here
softnet() {
	softnet_hex=$(awk -v row="$1" -v column="$2" 'NR == row + 1 { print $column }' \
		/proc/net/softnet_stat)
	printf '%d\n' "0x$softnet_hex"
}

# A second of TCP from the board to the peer, or the other way.
send_traffic() {
	iperf3 -c 192.0.2.2 -t 1 >/dev/null 2>&1
}

receive_traffic() {
	iperf3 -c 192.0.2.2 -t 1 -R >/dev/null 2>&1
}

queue_file() { # NIC QUEUE FILE
	cat "/sys/class/net/$1/queues/$2/$3" 2>&1
}

# Masks of all queues and places of the NIC's interrupts.
queues_state() { # NIC
	for queue in /sys/class/net/"$1"/queues/*; do
		for queue_name in rps_cpus rps_flow_cnt xps_cpus; do
			[ ! -e "$queue/$queue_name" ] ||
				echo "${queue##*/} $queue_name $(cat "$queue/$queue_name" 2>&1)"
		done
	done
}

# numbers OPTION NIC: ethtool -g, -l, -c, -a without its head
numbers() {
	ethtool "$1" "$2" 2>&1
}

# current OPTION NIC NAME: what is set now, not the maximum: the last line of that name
current() {
	ethtool "$1" "$2" 2>/dev/null | sed -n "s/^$3:[[:blank:]]*//p" | tail -n 1
}

maximum() {
	ethtool "$1" "$2" 2>/dev/null | sed -n "s/^$3:[[:blank:]]*//p" | head -n 1
}

# ---- checks

# Trips that can be written: where the first passive one goes; order and distance are kept.
check_trips_written() { # ZONE-TYPE ZONE PASSIVE-FILE
	check trips
	trip_file=/sys/class/thermal/$2/$3
	trip_before=$(cat "${trip_file}_temp") hyst_before=$(cat "${trip_file}_hyst")
	printf '[thermal:%s]\npassive = %sC\npassive.hyst = 3C\n' "$1" \
		$((trip_before / 1000 - 5)) >"$scratch/trip.ini"
	run apply "$scratch/trip.ini" --json
	exits 0 'a lower passive trip'
	is "$(rows | cut -f 3 | sort -u)" changed 'changed'
	is "$(cat "${trip_file}_temp")" $((trip_before - 5000)) 'the trip'
	is "$(cat "${trip_file}_hyst")" 3000 'its hysteresis'
	printf '[thermal:%s]\npassive = %sC\n' "$1" $((trip_before / 1000 + 1)) \
		>"$scratch/hotter.ini"
	run apply "$scratch/hotter.ini"
	exits 2 'hotter than the board came with is an error'
	printf '[thermal:%s]\ncritical = 90C\n' "$1" >"$scratch/critical.ini"
	run apply "$scratch/critical.ini"
	exits 2 'a critical trip is never written'
	is "$(cat "${trip_file}_temp")" $((trip_before - 5000)) 'nothing is touched'
	run revert
	exits 0 'revert'
	is "$(cat "${trip_file}_temp") $(cat "${trip_file}_hyst")" \
		"$trip_before $hyst_before" 'and back'
}

# Trips that cannot be written: fixed, and ok where they are as wanted.
check_trips_fixed() { # ZONE-TYPE PASSIVE-MILLICELSIUS
	check trips
	printf '[thermal:%s]\npassive = %sC\n' "$1" $(($2 / 1000 - 5)) >"$scratch/trip.ini"
	run apply "$scratch/trip.ini" --json
	exits 1 'a trip that is read-only'
	is "$(rows | cut -f 3)" fixed 'fixed'
	printf '[thermal:%s]\npassive = %sC\n' "$1" $(($2 / 1000)) >"$scratch/trip.ini"
	run apply "$scratch/trip.ini" --json
	exits 0 'as it is'
	is "$(rows | cut -f 3)" ok 'is ok'
	run revert
}

# The NIC's interrupts on another CPU: its counters move there, and stand still elsewhere.
check_affinity() { # ACTIONS-ERE CPU
	check affinity
	affinity_irqs=$(irqs_of "$1")
	[ -n "$affinity_irqs" ]
	ok $? "$nic has interrupts: $(echo $affinity_irqs)"
	for irq in $affinity_irqs; do
		echo "$irq $(affinity "$irq")"
	done >"$scratch/affinity.start"
	printf '[net:a]\nName = %s\nirq.affinity = %s\n' "$nic" "$2" >"$scratch/irq.ini"
	run apply "$scratch/irq.ini" --json
	exits 0 "all on CPU $2"
	is "$(rows | cut -f 2 | sed 's/irq //' | sort -n | tr '\n' ' ')" \
		"$(echo "$affinity_irqs" | sort -n | tr '\n' ' ')" 'these interrupts and no others'
	is "$(for irq in $affinity_irqs; do affinity "$irq"; done | sort -u)" "$2" 'the kernel has it'
	counts_here=$(counts "$2")
	send_traffic
	[ "$(counts "$2")" -gt "$counts_here" ]
	ok $? "CPU $2 handles them ($counts_here, then $(counts "$2"))"
	counts_else=$(counts_but "$2")
	send_traffic
	is "$(counts_but "$2")" "$counts_else" 'and no other does'
	run verify
	exits 0 'all hold'
	affinity_irq=$(echo "$affinity_irqs" | head -n 1)
	echo 0 >"/proc/irq/$affinity_irq/smp_affinity_list"
	run verify --json
	exits 1 'somebody else moves one'
	is "$(row "irq $affinity_irq" net.irq.affinity outcome)" overridden 'overridden'
	run revert
	exits 0 'revert'
	for irq in $affinity_irqs; do
		echo "$irq $(affinity "$irq")"
	done >"$scratch/affinity.now"
	is "$(diff "$scratch/affinity.start" "$scratch/affinity.now")" '' 'all are where they were'
}

counts() { # CPU: of all the NIC's interrupts
	counts_sum=0
	for irq in $affinity_irqs; do
		counts_sum=$((counts_sum + $(irq_count "$irq" "$1")))
	done
	echo $counts_sum
}

counts_but() { # CPU
	counts_all=0
	for counts_cpu in $(seq 0 $(($(nproc) - 1))); do
		[ "$counts_cpu" = "$1" ] || counts_all=$((counts_all + $(counts "$counts_cpu")))
	done
	echo $counts_all
}

# Several lines of one NIC are dealt to the CPUs of the list in turn.
check_dealt() { # NIC ACTIONS-ERE CPUS...
	check dealt
	dealt_nic=$1
	dealt_irqs=$(irqs_of "$2")
	shift 2
	printf '[net:a]\nName = %s\nirq.affinity = %s\n' "$dealt_nic" \
		"$(echo "$*" | tr ' ' ,)" >"$scratch/dealt.ini"
	for irq in $dealt_irqs; do
		affinity "$irq"
	done >"$scratch/dealt.start"
	run apply "$scratch/dealt.ini" --json
	exits 0 "$(echo "$dealt_irqs" | wc -l) interrupts over CPUs $*"
	dealt_used=$(for irq in $dealt_irqs; do affinity "$irq"; done | sort | uniq -c |
		awk '{ print $2 }' | tr '\n' ' ')
	is "$dealt_used" "$* " 'each CPU has some, each interrupt one CPU'
	run revert
	for irq in $dealt_irqs; do
		affinity "$irq"
	done >"$scratch/dealt.now"
	is "$(diff "$scratch/dealt.start" "$scratch/dealt.now")" '' 'revert'
}

# Two sections for one interrupt: which lines ask for it, and nothing is touched.
check_conflict() { # ACTION
	check conflict
	conflict_irq=$(irqs_of "$1" | head -n 1)
	conflict_before=$(affinity "$conflict_irq")
	printf '[net:a]\nName = %s\nirq.affinity = 0\n[irq:a]\nName = %s\naffinity = 1\n' \
		"$nic" "$1" >"$scratch/conflict.ini"
	run apply "$scratch/conflict.ini"
	exits 2 'one interrupt at two places'
	grep -q 'conflict.ini:6.*conflict.ini:3' "$scratch/err"
	ok $? 'names both lines' || explain "$scratch/err"
	is "$(affinity "$conflict_irq")" "$conflict_before" 'nothing is touched'
}

# Received packets are handed to another CPU, which softnet_stat counts.
check_rps() { # CPU
	check rps
	queues_state "$nic" >"$scratch/queues.start"
	printf '[net:a]\nName = %s\nrps_cpus = %s\nrps_flow_cnt = 100\n' "$nic" "$1" \
		>"$scratch/rps.ini"
	run apply "$scratch/rps.ini" --json
	exits 0 "RPS to CPU $1"
	is "$(rows | grep -c "rps_flow_cnt.*rounded")" \
		"$(find "/sys/class/net/$nic/queues/" -name 'rx-*' | wc -l)" '100 flows are rounded'
	is "$(queue_file "$nic" rx-0 rps_flow_cnt)" 128 'to 128'
	is $((0x$(queue_file "$nic" rx-0 rps_cpus | tr -d ,))) $((1 << $1)) 'the mask'
	rps_before=$(softnet "$1" 10)
	receive_traffic
	[ "$(softnet "$1" 10)" -gt "$rps_before" ]
	ok $? "CPU $1 gets packets from others ($rps_before, then $(softnet "$1" 10))"
	printf '[net:a]\nName = %s\nrps_cpus = 99\n' "$nic" >"$scratch/beyond.ini"
	run apply "$scratch/beyond.ini"
	exits 2 'a CPU that is not there is an error'
	run revert
	exits 0 'revert'
	queues_state "$nic" >"$scratch/queues.now"
	is "$(diff "$scratch/queues.start" "$scratch/queues.now")" '' 'everything is as before'
}

# A NIC with one transmit queue has the file and no XPS (ENOENT).
check_one_queue() { # NIC
	check xps
	is "$(cat "/sys/class/net/$1/queues/tx-0/xps_cpus" 2>&1 | sed 's/.*: //')" \
		'No such file or directory' "$1 has one queue"
	printf '[net:a]\nName = %s\nxps_cpus = 0\n' "$1" >"$scratch/xps.ini"
	run apply "$scratch/xps.ini" --json
	exits 1 'an apply is refused'
	is "$(rows | cut -f 3)" unsupported 'unsupported'
	sed -i 's/^xps/-xps/' "$scratch/xps.ini"
	run apply "$scratch/xps.ini"
	exits 0 'forgiven with a dash'
	run revert
}

# Of a NIC that has rings: another size, above the maximum, and back.
check_rings() { # NIC
	check rings
	ring_max=$(maximum -g "$1" RX) ring_before=$(current -g "$1" RX)
	numbers -g "$1" >"$scratch/rings.start"
	queues_state "$1" >"$scratch/queues.start"
	ethtool -k "$1" >"$scratch/features.start"
	printf '[net:a]\nName = %s\nring.rx = %s\n' "$1" $((ring_before / 2)) \
		>"$scratch/ring.ini"
	run apply "$scratch/ring.ini" --json
	exits 0 "$1: ring of $((ring_before / 2))"
	is "$(row "$1" net.ring.rx outcome)" changed 'changed'
	is "$(current -g "$1" RX)" $((ring_before / 2)) 'ethtool agrees'
	run apply "$scratch/ring.ini" --json
	is "$(row "$1" net.ring.rx outcome)" ok 'again: ok'
	printf '[net:a]\nName = %s\nring.rx = %s\n' "$1" $((ring_max * 2)) \
		>"$scratch/ring.ini"
	run apply "$scratch/ring.ini" --json
	exits 0 'above the maximum'
	is "$(row "$1" net.ring.rx outcome)" rounded 'rounded'
	is "$(current -g "$1" RX)" "$ring_max" 'to the maximum'
	run revert
	exits 0 'revert'
	numbers -g "$1" >"$scratch/rings.now"
	is "$(diff "$scratch/rings.start" "$scratch/rings.now")" '' 'rings are as before'
	queues_state "$1" >"$scratch/queues.now"
	is "$(diff "$scratch/queues.start" "$scratch/queues.now")" '' 'queues are as before'
	ethtool -k "$1" >"$scratch/features.now"
	is "$(diff "$scratch/features.start" "$scratch/features.now")" '' 'features, too'
}

# A driver that has no such number.
check_none_such() { # NIC KEY VALUE
	check none-such
	printf '[net:a]\nName = %s\n%s = %s\n' "$1" "$2" "$3" >"$scratch/none.ini"
	run apply "$scratch/none.ini" --json
	exits 1 "$1 has no $2"
	is "$(rows | cut -f 3)" unsupported 'unsupported'
}

# Queues come and go with the channels of a veth; their masks come back.
check_channels() {
	check channels
	ip link add bt0 numrxqueues 4 numtxqueues 4 type veth peer name bt1 \
		numrxqueues 4 numtxqueues 4
	ethtool -L bt0 rx 4 tx 4 2>/dev/null
	ip link set bt0 up
	ip link set bt1 up
	for queue in /sys/class/net/bt0/queues/rx-*; do
		echo 2 >"$queue/rps_cpus"
		echo 64 >"$queue/rps_flow_cnt"
	done
	for queue in /sys/class/net/bt0/queues/tx-*; do
		echo 1 >"$queue/xps_cpus"
	done
	numbers -l bt0 >"$scratch/channels.start"
	queues_state bt0 >"$scratch/queues.start"
	printf '[net:a]\nName = bt0\nchannels.rx = 2\nchannels.tx = 2\n' >"$scratch/channels.ini"
	run apply "$scratch/channels.ini" --json
	exits 0 'two channels instead of four'
	is "$(current -l bt0 RX) $(current -l bt0 TX)" '2 2' 'ethtool agrees'
	grep '^[rt]x-[01] ' "$scratch/queues.start" >"$scratch/queues.want"
	queues_state bt0 >"$scratch/queues.now"
	is "$(diff "$scratch/queues.want" "$scratch/queues.now")" '' \
		'the masks of those that stay are as before'
	run verify
	exits 0 'all hold'
	run revert
	exits 0 'revert'
	numbers -l bt0 >"$scratch/channels.now"
	is "$(diff "$scratch/channels.start" "$scratch/channels.now")" '' 'four again'
	queues_state bt0 >"$scratch/queues.now"
	is "$(diff "$scratch/queues.start" "$scratch/queues.now")" '' 'every mask is as before'
	ip link del bt0
}

# NAPI in threads, and their CPUs.
check_threaded() { # NIC CPU
	check threaded
	printf '[net:a]\nName = %s\nthreaded = on\nnapi.affinity = %s\n' "$1" "$2" \
		>"$scratch/threaded.ini"
	run apply "$scratch/threaded.ini" --json
	exits 0 "threads for $1"
	is "$(cat "/sys/class/net/$1/threaded")" 1 'the flag'
	threaded_pids=$(grep -l "^napi/$1-" /proc/[0-9]*/comm | cut -d / -f 3)
	[ -n "$threaded_pids" ]
	ok $? "threads: $(echo $threaded_pids)"
	is "$(for pid in $threaded_pids; do
		sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' "/proc/$pid/status"
	done | sort -u)" "$2" "they run on CPU $2"
	run verify
	exits 0 'all hold'
	run revert
	exits 0 'revert'
	is "$(cat "/sys/class/net/$1/threaded")" 0 'no threads any more'
}

# Kernel parameters: rounded, and back.
check_sysctl() {
	check sysctl
	sysctl_file=/proc/sys/net/core/rps_sock_flow_entries
	sysctl_before=$(cat $sysctl_file)
	printf '[sysctl]\nnet.core.rps_sock_flow_entries = 1000\nnet.core.no_such = 1\n' \
		>"$scratch/sysctl.ini"
	run apply "$scratch/sysctl.ini"
	exits 1 'one that the kernel does not have'
	sed -i 's/^net.core.no/-&/' "$scratch/sysctl.ini"
	run apply "$scratch/sysctl.ini" --json
	exits 0 'forgiven with a dash'
	is "$(cat $sysctl_file)" 1024 'rounded up to a power of two'
	is "$(rows | grep -c rounded)" 1 'rounded'
	run revert
	is "$(cat $sysctl_file)" "$sysctl_before" 'and back'
}
