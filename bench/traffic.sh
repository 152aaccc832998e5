#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# traffic.sh - the measuring engine against iperf3: throughput, CPU per GB; what samples cost
#
# traffic.sh [ROUNDS [SECONDS [STREAMS [tx|rx]]]]: BOARDTUNE, MEASURE_CLIENT and
# SAMPLE_CLIENT name the programs, CC the compiler. Runs in namespaces of its own, over a veth pair without any
# shaping: nothing of this machine is tuned. A goal that is missed is said and is no error.
set -eu -o pipefail

bench=$(cd "$(dirname "$0")" && pwd)
rounds=${1:-15}
seconds=${2:-3}
streams=${3:-1}
direction=${4:-tx} # of the client
# shellcheck source=lib.sh
. "$bench/lib.sh"

boardtune=$(realpath "${BOARDTUNE:-./boardtune}")
client=$(realpath "${MEASURE_CLIENT:-tests/netns/measure-client}")
sampler=$(realpath "${SAMPLE_CLIENT:-tests/netns/sample-client}")
for program in "$boardtune" "$client" "$sampler"; do
	[ -x "$program" ] || die "no $program: make bench-traffic"
done
need unshare nsenter ip iperf3

own_namespaces "$@"
dir=/run/boardtune-traffic
mkdir $dir
cd $dir

address=192.0.2.2
port=5201
peer=
trap '[ -z "$peer" ] || kill "$peer"' EXIT

link() {
	unshare -n sleep infinity &
	peer=$!
	while [ "$(readlink /proc/$peer/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do
		sleep 0.1
	done
	ip link add bt-a type veth peer name bt-b netns "$peer"
	ip address add 192.0.2.1/30 dev bt-a
	ip link set bt-a up
	nsenter -t "$peer" -n ip address add $address/30 dev bt-b
	nsenter -t "$peer" -n ip link set bt-b up
}

# iperf3_received NAME: of iperf3's JSON
iperf3_received() {
	sed -n "/\"sum_received\"/,/}/s/.*\"$1\":[^0-9]*\([0-9.e+]*\).*/\1/p" output
}

# own_received NAME: of our client's lines
own_received() {
	sed -n "s/^$1=//p" output
}

# round NUMBER NAME TOOL OPTION...: a line for traffic.awk
round() {
	local number=$1 name=$2 tool=$3 server command cost bits bytes

	shift 3
	if [ "$tool" = iperf3 ]; then
		server="iperf3 -s -1 -p $port"
		command="iperf3 -J -t $seconds $* -c $address -p $port"
		[ "$direction" = tx ] || command="$command -R"
	else
		server="$boardtune serve --once --port=$port --quiet"
		command="$client -t $seconds $* $address $port $direction"
	fi
	cost=$(./pair $port output "nsenter -t $peer -n $server" "$command")
	if [ "$tool" = iperf3 ]; then
		bits=$(iperf3_received bits_per_second) bytes=$(iperf3_received bytes)
	else
		bits=$(own_received all) bytes=$(own_received bytes)
	fi
	echo "$number $name $(awk "BEGIN { print $bits / 1e6 }") $cost $bytes"
}

# What each of the lines has beside the parameters of all.
declare -A options=([boardtune]='' [boardtune-Z]=-z [iperf3]='' [iperf3-Z]=-Z)

# round_all NUMBER: one after the other, and the other way round in every second round
round_all() {
	local number=$1 name

	set -- boardtune iperf3 boardtune-Z iperf3-Z
	[ $((number % 2)) = 0 ] || set -- iperf3-Z boardtune-Z iperf3 boardtune
	for name in "$@"; do
		# shellcheck disable=SC2086 # may be none
		round "$number" "$name" "${name%-Z}" -P "$streams" ${options[$name]}
	done
}

# against OWN OTHER [LIMIT]: the ratios; with LIMIT a goal for CPU time, else that neither
# interval lies wholly above 1
against() {
	local pair="$1 / $2" time low high cpu cpu_low cpu_high

	read -r time low high cpu cpu_low cpu_high < <(awk -v own="$1" -v other="$2" \
		-f "$bench/traffic.awk" rounds)
	printf '%-24s time %s (%s to %s)  CPU %s (%s to %s)\n' "$pair" "$time" "$low" \
		"$high" "$cpu" "$cpu_low" "$cpu_high"
	if [ -n "${3-}" ]; then
		goal "$pair: CPU" "$cpu" "$3"
	else
		goal "$pair: time, lower end" "$low" 1
		goal "$pair: CPU, lower end" "$cpu_low" 1
	fi
}

table() {
	local name mbps cpu machine

	for number in $(seq 0 "$rounds"); do # round 0 warms the caches
		round_all "$number" >line
		[ "$number" = 0 ] || cat line >>rounds
	done
	echo
	printf '%-14s %10s %14s %14s\n' '' 'Mbit/s' 'CPU ms/GB' 'machine ms/GB'
	while read -r name mbps cpu machine; do
		printf '%-14s %10s %14s %14s\n' "$name" "$mbps" "$cpu" "$machine"
	done < <(awk -f "$bench/traffic.awk" rounds | sort)
	echo
	against boardtune iperf3
	against boardtune-Z iperf3-Z
	against boardtune-Z iperf3 0.8
}

# What the samples of a test cost, of the CPU time of the client that takes them.
samples() {
	local each tick used share

	each=$("$sampler" 2000 bt-a)
	tick=$(awk '$2 == "BENCH_TICK_MS" { print $3 }' "$bench/../src/measure/bench.h")
	used=$(awk '$2 == "boardtune-Z" { ms += $4; n++ } END { printf "%.0f", ms / n }' \
		rounds)
	share=$(awk "BEGIN { printf \"%.3f\", $each * $seconds / $tick / $used * 100 }")
	echo
	echo "a sample takes $each us, every $tick ms; the client of boardtune-Z takes" \
		"$used ms in $seconds s"
	goal 'samples, % of that' "$share" 0.5
}

${CC:-gcc} -O2 -Wall -Wextra -D_GNU_SOURCE -o pair "$bench/pair.c"
cat <<-END
Medians of $rounds rounds, each line in turn: $seconds s of TCP between two namespaces, on
	$streams connection(s), $direction of the client. -Z sends without copying; boardtune then receives so, too.
  CPU ms/GB      CPU time of both processes, for what was received
  machine ms/GB  what all CPUs did meanwhile, other programs included: no goal
  A / B          time and CPU time per GB of A divided by that of B in the same round,
                 the median and its interval of at least 95 % (order statistics)
END
link
table
samples
echo
awk '/^goal met/ { met++ } /^goal missed/ { missed++ }
END { print "goals: " met + 0 " met, " missed + 0 " missed" }' goals
sed -n '/^goal missed/p' goals
