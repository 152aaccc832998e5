#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# trials.sh - whole trials whose truth is known, on real links: how often they find it
#
# trials.sh [SAME [FASTER [JOBS]]]: BOARDTUNE names the program. SAME trials of a profile
# without any effect and FASTER of one that makes the link 5 % faster, JOBS at a time, each
# in namespaces of its own, against a real iperf3. Nothing of this machine is tuned. Takes
# half a minute for each trial; not part of make check: a rare wrong verdict is no error.
#
# The link is shaped in the middle, by a bucket that takes OVERHEAD bytes more for each
# packet, and the board's packets hold two segments at most. With segmentation offload two
# segments pay once for that, without it twice; headers count for each segment either way.
# (1514 + 159) / (1514 + 159 / 2) = 1.050, however slow or busy this machine is.
set -eu -o pipefail

script=$(realpath "$0")
overhead=159
dir=/run/boardtune-trials
peer=
middle=
server=

die() {
	echo "trials: $*" >&2
	exit 1
}

# namespace_begin: sets $!
namespace_begin() {
	unshare -n sleep infinity &
	while [ "$(readlink /proc/$!/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do
		sleep 0.1
	done
}

in_peer() { nsenter -t "$peer" -n "$@"; }
in_middle() { nsenter -t "$middle" -n "$@"; }

# The board - a bridge in the middle - the peer.
link() {
	local name

	namespace_begin
	peer=$!
	namespace_begin
	middle=$!
	ip link set lo up
	ip link add bt-test0 gso_max_segs 2 type veth peer name bt-mid0 netns "$middle"
	in_middle ip link add bt-mid1 type veth peer name bt-test1 netns "$peer"
	in_middle ip link add bt-mid type bridge
	for name in bt-mid0 bt-mid1; do
		in_middle ip link set $name master bt-mid
		in_middle ip link set $name up
	done
	in_middle ip link set bt-mid up
	ip address add 192.0.2.1/30 dev bt-test0
	ip link set bt-test0 up
	in_peer ip address add 192.0.2.2/30 dev bt-test1
	in_peer ip link set bt-test1 up
	ethtool -K bt-test0 tso off gso off >/dev/null
	in_middle tc qdisc add dev bt-mid1 root tbf rate 100mbit burst 128k latency 50ms \
		overhead $overhead
}

# value NAME: the first number or word of that name in the document
value() {
	sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" $dir/run.json | head -n 1
}

# profile KIND
profile() {
	echo '[net:test]'
	echo 'Name = bt-test0'
	case $1 in
	same) echo 'tx-nocache-copy = on' ;;
	faster) printf 'tso = on\ngso = on\n' ;;
	esac
}

# one KIND: a trial, as a line KIND VERDICT RATIO LOW HIGH PAIRS
one() {
	# shellcheck disable=SC2015 # die does not return
	mount --make-rprivate / && mount -t sysfs sysfs /sys &&
		mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /var/lib ||
		die 'no mounts of its own'
	mkdir $dir
	trap 'kill $server $peer $middle 2>/dev/null || true' EXIT
	link
	nsenter -t "$peer" -n iperf3 -s >/dev/null 2>&1 &
	server=$!
	sleep 1
	profile "$1" >$dir/profile.ini
	"$BOARDTUNE" trial $dir/profile.ini --peer 192.0.2.2 --cells ipv4-tx --time 2 \
		--omit 0 --keep never --yes --no-wait --json >$dir/run.json 2>$dir/error \
		</dev/null || true
	if [ -n "$(value verdict)" ]; then
		echo "$1 $(value verdict) $(value ratio) $(value ci_low) $(value ci_high)" \
			"$(value pairs)"
	else
		echo "$1 failed: $(head -n 1 $dir/error)"
	fi
}

# summary KIND TRUTH: of lines on stdin
summary() {
	awk -v kind="$1" -v truth="$2" '
	$1 == kind {
		n++
		count[$2]++
		if ($5 > 0) {
			ratios++
			sum += $3
			width += ($5 - $4) / 2
			holds += $4 <= truth && truth <= $5
		}
	}
	END {
		printf "%-8s true %.3f: %d trials:", kind, truth, n
		for (verdict in count)
			printf " %d %s", count[verdict], verdict
		if (ratios)
			printf "; mean ratio %.4f, mean half width %.4f, %d of %d intervals " \
				"hold the truth", sum / ratios, width / ratios, holds, ratios
		print ""
	}'
}

if [ "${1-}" = one ]; then
	one "$2"
	exit
fi

BOARDTUNE=$(realpath "${BOARDTUNE:-./boardtune}")
export BOARDTUNE
[ -x "$BOARDTUNE" ] || die "no $BOARDTUNE: make bench-trials, or set BOARDTUNE"
for tool in unshare nsenter ip tc ethtool iperf3; do
	command -v $tool >/dev/null || die "$tool is needed"
done
flags=-nm
[ "$(id -u)" = 0 ] || flags=-Urnm
unshare $flags true || die 'no namespaces for this user: run it as root'
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

echo 'KIND VERDICT RATIO LOW HIGH ROUNDS'
{
	seq "${1:-20}" | sed 's/.*/same/'
	seq "${2:-10}" | sed 's/.*/faster/'
} | xargs -P "${3:-3}" -I '{}' unshare $flags "$script" one '{}' | tee "$lines"
summary same 1 <"$lines"
summary faster 1.05 <"$lines"
