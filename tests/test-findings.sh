#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-findings.sh - TAP: each finding of status on a board that has it, none on one near it
. "${srcdir:-.}/tests/lib.sh" || exit 99

cpufreq=/sys/devices/system/cpu/cpufreq/policy0
zone=/sys/class/thermal/thermal_zone0
eth0=/sys/devices/platform/ff540000.ethernet/net/eth0
usb=/sys/devices/platform/xhci-hcd.0.auto/usb1/1-1
eth1=$usb/1-1:1.0/net/eth1

# board LINE...: the healthy board with these lines in place of those of the same path; a
# path alone takes its line away
board() {
	printf '%s\n' "$@" >"$scratch/lines"
	awk 'NR == FNR { new[$1] = $0; next } !($1 in new) { print }
		END { for (path in new) if (new[path] ~ / /) print new[path] }' \
		"$scratch/lines" tests/boards/unit/healthy.board >"$scratch/board"
}

kinds() {
	sed -n 's/^      "kind": "\(.*\)",$/\1/p' "$scratch/out" | tr '\n' ' ' | sed 's/ $//'
}

# finds KINDS TEXT LINE...: what status finds, nothing else
finds() {
	local want=$1 text=$2
	shift 2
	board "$@"
	run status --json --board "$scratch/board"
	is "$code $(kinds)" "0 $want" "$text"
}

finds '' 'a healthy board'
run doctor --json --board "$scratch/board"
is "$code $(grep -c '"kind"' "$scratch/out")" '0 0' 'doctor finds nothing either'

# ---- heat
finds 'no-reading no-sensor' 'a sensor without a reading' "$zone/temp = 0"
finds '' 'Wi-Fi that is down' "/sys/class/thermal/thermal_zone1/type = iwlwifi_1" \
	"/sys/class/thermal/thermal_zone1/temp = <unsupported>"
finds hot-idle '70 C while idle' "$zone/temp = 70000" "$zone/trip_point_1_type = passive"
finds '' '69 C' "$zone/temp = 69000"
finds '' '70 C under load' "$zone/temp = 70000" '/proc/loadavg = 0.10 0.90 0.15 1/90 4711'
finds hot-idle '5 C below a passive trip' "$zone/temp = 60000" \
	"$zone/trip_point_1_temp = 65000"
finds '' '6 C below' "$zone/temp = 59000" "$zone/trip_point_1_temp = 65000"
finds '' 'a passive trip at 0 is none' "$zone/trip_point_1_temp = 0"
finds hot-idle 'without a load average: by the time since boot' "$zone/temp = 80000" \
	/proc/loadavg
finds '' 'busy since boot' "$zone/temp = 80000" /proc/loadavg \
	'/proc/stat := cpu  30000 0 1000 68000 0 0 0 0 0 0\n'

board "$zone/temp = 74000" '/proc/loadavg = 3 3 3 1/90 4711'
echo "$zone/trip_point_1_temp : 0444" >>"$scratch/board"
run status --json --board "$scratch/board"
is "$(kinds)" fixed-trips 'a passive trip that is near and read-only'
board "$zone/temp = 69000"
echo "$zone/trip_point_1_temp : 0444" >>"$scratch/board"
run status --json --board "$scratch/board"
is "$(kinds)" '' 'one that is not near'
finds '' 'one that is near and writable' "$zone/temp = 74000" \
	'/proc/loadavg = 3 3 3 1/90 4711'

finds no-fan 'a trip for a fan without one' "$zone/cdev0_trip_point = 1"
finds '' 'a trip for a program that runs the fan' "$zone/cdev0_trip_point = 1" \
	"$zone/policy = user_space"
finds '' 'a device bound to all trips' "$zone/cdev0_trip_point = -1"
finds '' 'the trip is switched off' "$zone/cdev0_trip_point = 1" \
	"$zone/trip_point_0_temp = -274000"
finds held 'cooling at work' '/sys/class/thermal/cooling_device0/cur_state = 1'
finds throttled 'cooling was at work' \
	'/sys/class/thermal/cooling_device0/stats/total_trans = 3'
finds throttled 'on x86' \
	'/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count = 2'

# ---- Raspberry Pi: bits now and, from 16 on, since boot
while read -r bits want; do
	finds "$want" "get_throttled $bits" \
		"/sys/devices/platform/soc/soc:firmware/get_throttled = $bits"
done <<'END'
0x0
50000 undervoltage throttled
50005 undervoltage throttled
0x50005 undervoltage throttled
10000 undervoltage
1 undervoltage
20002 throttled
80000 throttled
80008 throttled
e0000 throttled
END
grep -q 'has held the clocks down since boot' "$scratch/out"
ok $? 'what is over is told as over'

# ---- clocks
finds pinned 'at its maximum while idle' "$cpufreq/stats/time_in_state := 408000 5\n1296000 95\n"
finds '' 'at its maximum under load' "$cpufreq/stats/time_in_state := 408000 5\n1296000 95\n" \
	'/proc/stat := cpu  30000 0 1000 68000 0 0 0 0 0 0\n'
finds '' 'performance is meant to' "$cpufreq/stats/time_in_state := 408000 5\n1296000 95\n" \
	"$cpufreq/scaling_governor = performance" "$cpufreq/cpuinfo_cur_freq = 1296000"
finds limits 'a limit below that of the hardware' "$cpufreq/scaling_max_freq = 1200000"
finds '' 'rounding is none' "$cpufreq/scaling_max_freq = 1295000"
finds limits 'a limit of cpufrequtils' "$cpufreq/scaling_max_freq = 1200000" \
	'/etc/default/cpufrequtils := ENABLE="true"\nMAX_SPEED="1200000"\n'
grep -q 'because of MAX_SPEED in /etc/default/cpufrequtils' "$scratch/out"
ok $? 'with who sets it'
finds limits 'not of cpufrequtils' "$cpufreq/scaling_max_freq = 1200000" \
	'/etc/default/cpufrequtils := ENABLE="false"\nMAX_SPEED="1200000"\n'
! grep -q MAX_SPEED "$scratch/out"
ok $? 'which is off'
finds min-between 'a minimum that is no operating point' "$cpufreq/scaling_min_freq = 480000"
finds min-between 'one that cpufrequtils asks for' \
	'/etc/default/cpufrequtils := MIN_SPEED=480000\n'
finds '' 'one that is' '/etc/default/cpufrequtils := MIN_SPEED=600000\n'
finds '' '0 of cpufrequtils is none' '/etc/default/cpufrequtils := MIN_SPEED=0\n'
finds single-clock 'minimum and maximum are the same' "$cpufreq/scaling_min_freq = 1296000" \
	"$cpufreq/cpuinfo_cur_freq = 1296000"
finds single-clock 'one operating point' "$cpufreq/scaling_available_frequencies = 408000" \
	"$cpufreq/cpuinfo_max_freq = 408000" "$cpufreq/scaling_max_freq = 408000" \
	"$cpufreq/cpuinfo_cur_freq = 408000"
finds '' 'two' "$cpufreq/scaling_available_frequencies = 408000 1296000"
finds out-of-range 'below the limits' "$cpufreq/cpuinfo_cur_freq = 300000"
finds '' 'at the lower one' "$cpufreq/cpuinfo_cur_freq = 400000"
finds '' 'of an idle CPU the kernel may tell its base clock' "$cpufreq/cpuinfo_cur_freq" \
	"$cpufreq/scaling_cur_freq = 2400000"
finds not-followed 'performance is not followed' "$cpufreq/scaling_governor = performance" \
	"$cpufreq/cpuinfo_cur_freq = 600000"
finds '' 'it is' "$cpufreq/scaling_governor = performance" \
	"$cpufreq/cpuinfo_cur_freq = 1295999"
finds not-followed 'userspace is not followed' "$cpufreq/scaling_governor = userspace" \
	"$cpufreq/scaling_setspeed = 816000" "$cpufreq/cpuinfo_cur_freq = 1008000"
finds '' 'it is' "$cpufreq/scaling_governor = userspace" \
	"$cpufreq/scaling_setspeed = 816000" "$cpufreq/cpuinfo_cur_freq = 816000"
finds '' 'without a table an idle CPU may read less' \
	"$cpufreq/scaling_governor = performance" "$cpufreq/scaling_available_frequencies"

# ---- a limit of ours is meant
board "$cpufreq/scaling_max_freq = 1200000"
printf '[cpufreq]\nmax_freq = 1008MHz\n' >"$scratch/cool.ini"
run apply "$scratch/cool.ini" --board "$scratch/board" --board-save "$scratch/after"
is $code 0 'a profile with a limit'
run status --json --board "$scratch/after"
is "$(kinds)" '' 'its limit is no finding'
board "$cpufreq/scaling_max_freq = 1008000"
printf '[cpufreq]\nmin_freq = 600MHz\nmax_freq = 1008MHz\n' >"$scratch/cool.ini"
run apply "$scratch/cool.ini" --board "$scratch/board" --board-save "$scratch/after"
run status --json --board "$scratch/after"
is "$(kinds)" '' 'nor is one that it found so'
printf '[cpufreq]\nmin_freq = 600MHz\n' >"$scratch/cool.ini"
run status --json --board "$scratch/after"
is "$(kinds)" limits 'one that it does not want is'

# ---- interrupts; the counts of a Netgear R7800, of a NanoPi R4S
lines() {
	printf '/proc/interrupts := %s\n30: %s GIC 1 Level eth0\n31: %s GIC 2 Level xhci-hcd:usb1\n' \
		"$@" | sed ':a;N;$!ba;s/\n/\\n/g;s/$/\\n/'
}
finds one-cpu 'all interrupts of the NICs on CPU 0' \
	'/sys/devices/system/cpu/online = 0-1' \
	"$(lines 'CPU0 CPU1' '29055904 1445708' '42474368 940190')" \
	'/proc/irq/30/smp_affinity = 3' '/proc/irq/30/smp_affinity_list = 0-1' \
	'/proc/irq/30/effective_affinity_list = 0' '/proc/irq/31/smp_affinity = 3' \
	'/proc/irq/31/smp_affinity_list = 0-1' '/proc/irq/31/effective_affinity_list = 0'
finds '' 'on two' "$(lines 'CPU0 CPU1 CPU2 CPU3' '0 165575364 0 0' '0 0 1156859750 0')"
finds '' 'moved since' "$(lines 'CPU0 CPU1 CPU2 CPU3' '900000 0 0 0' '900000 0 0 0')"
finds '' 'one CPU only' '/sys/devices/system/cpu/online = 0' \
	"$(lines CPU0 29055904 42474368)"
finds irqbalance 'irqbalance' '/run/irqbalance/pid = 1'
finds backlog 'packets dropped' \
	'/proc/net/softnet_stat := 00001000 00000004 00000000\n'
finds '' 'few of many' '/proc/net/softnet_stat := 00010000 00000001 00000000\n'

# ---- interfaces
finds slow-usb 'a link that is faster than the bus' "$usb/speed = 480"
finds 'slow-usb slow-link' 'USB 3 by its id on USB 2' "$usb/speed = 480" \
	"$usb/version = 2.10" "$eth1/speed = 100"
finds slow-usb 'by its descriptor' "$usb/speed = 480" "$usb/idProduct = 9999" \
	"$eth1/carrier = 0"
finds '' 'one that is made for USB 2' "$usb/speed = 480" "$usb/version = 2.10" \
	"$usb/idProduct = 8152" "$eth1/speed = 100"
finds '' 'one that has no other bus' "$usb/speed = 480" "$usb/version = 2.10" \
	"$usb/idVendor = 0424" "$usb/idProduct = 7800" \
	"$usb/1-1:1.0/driver -> ../../../../../../bus/usb/drivers/lan78xx"
finds slow-link 'a gigabit port with 100 Mbit/s' "$eth0/speed = 100"
finds '' 'a port for 100' "$eth0/speed = 100" "$eth0/phydev/phy_interface = mii"
finds '' 'without a carrier' "$eth0/speed = 100" "$eth0/carrier = 0"
finds half-duplex 'half duplex' "$eth0/duplex = half"
finds drops 'one packet of a thousand lost' "$eth0/statistics/rx_missed_errors = 1000"
finds '' 'one less' "$eth0/statistics/rx_missed_errors = 999"
finds '' 'frames that nobody wants' "$eth0/statistics/rx_dropped = 5000"
finds rps-useless 'rps_cpus is the CPU that takes the interrupt' \
	"$eth0/queues/rx-0/rps_cpus = 2"
finds '' 'another CPU' "$eth0/queues/rx-0/rps_cpus = 4"
finds '' 'two CPUs' "$eth0/queues/rx-0/rps_cpus = 6"

# ---- the newest run
# run_of MBPS MODEL FLAGS: the healthy board with one, so much from it through eth0
run_of() {
	board
	{
		echo '/var/lib/boardtune/runs/20260101T000000Z.json <<END'
		"${MAKE_RUN:?}" measure=1 nic=eth0 model="$2" cells=ipv4-tx |
			sed "s/\"flags\":\[[^]]*\]/\"flags\":[$3]/
				s/\"mbps\":[0-9.]*/\"mbps\":$1/"
		echo
		echo END
	} >>"$scratch/board"
	run status --json --board "$scratch/board"
}
run_of 565 'FriendlyElec NanoPi NEO3' ''
is "$(kinds)" '' 'a run with 60 % of what this board is known for'
run_of 563 'FriendlyElec NanoPi NEO3' ''
is "$(kinds)" slow 'below'
grep -q 'eth0 had 563 Mbit/s by ipv4-tx in the last run, and this board is known for 940' \
	"$scratch/out"
ok $? 'with both figures'
run_of 563 'FriendlyElec NanoPi NEO3' '"peer-limited"'
is "$(kinds)" '' 'not if the peer was the limit'
run_of 563 'Another Board' ''
is "$(kinds)" '' 'nor of another board'
run_of 565 'FriendlyElec NanoPi NEO3' '"sensor-stuck"'
is "$(kinds)" sensor-stuck 'a sensor that did not change'

# ---- a snapshot has all that they need
board "$zone/temp = 74000" "$zone/cdev0_trip_point = 1" "$usb/speed = 480" \
	'/sys/devices/platform/soc/soc:firmware/get_throttled = 50000' \
	'/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count = 2' \
	"$usb/idProduct = 9999" "$eth0/speed = 100" "$eth0/queues/rx-0/rps_cpus = 2" \
	"$cpufreq/scaling_max_freq = 1200000" '/proc/loadavg = 9 0 9 1/90 4711' \
	'/proc/stat := cpu  30000 0 1000 68000 0 0 0 0 0 0\n'
run status --json --board "$scratch/board"
want='hot-idle no-fan undervoltage throttled limits slow-usb slow-link rps-useless'
is "$(kinds)" "$want" 'a board with many'
run snapshot "$scratch/snapshot" --board "$scratch/board" -q
run status --json --board "$scratch/snapshot"
is "$(kinds)" "$want" 'the same from its snapshot'

# ---- boards as shipped: what is found there is so
for board in $boards; do
	name=$(basename "$board" .board)
	case $name in
	nanopi-neo2 | unknown-arm) want='limits min-between' ;; # Armbian's defaults
	nanopi-neo3) want='hot-idle one-cpu' ;;
	bananapi-r2) want='fixed-trips one-cpu' ;;
	nanopi-r2[cs] | nanopi-r3s) want=one-cpu ;;
	espressobin) want=no-sensor ;;
	*) want='' ;;
	esac
	run status --json --board "$board"
	is "$(kinds)" "$want" "$name"
done

# ---- doctor has them, too
board "$zone/cdev0_trip_point = 1" '/run/irqbalance/pid = 1'
run doctor --json --board "$scratch/board"
is "$code $(sed -n 's/.*"kind": "\(.*\)",/\1/p' "$scratch/out")" '1 no-fan' \
	'doctor: as status, without irqbalance, which is a rival'
grep -q 'load the driver of the fan' "$scratch/out"
ok $? 'with what to do'
done_testing
