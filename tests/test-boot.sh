#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test-boot.sh - TAP: enable and disable on an image and on a directory like /
set -u

boardtune=${BOARDTUNE:-./boardtune}
scratch=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
image=$scratch/image
wants=$image/etc/systemd/system/multi-user.target.wants/boardtune.service
conf=$image/etc/boardtune/boardtune.conf
policy=$image/sys/devices/system/cpu/cpufreq/policy0
count=0
failed=0

ok() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $2"
		sed 's/^/# /' "$scratch/out" "$scratch/err"
	fi
}

# expect CODE NAME ARGUMENT...: run boardtune, compare its exit code
expect() {
	want=$1
	name=$2
	shift 2
	$prefix "$boardtune" "$@" >"$scratch/out" 2>"$scratch/err"
	got=$?
	[ "$got" = "$want" ]
	ok $? "$name: exit $want (was $got)"
}

has() {
	grep -q -- "$1" "$2"
	ok $? "$3"
}

no_file() {
	[ ! -e "$1" ] && [ ! -L "$1" ]
	ok $? "$2"
}

make_image() {
	chmod -R u+w "$image" 2>/dev/null
	rm -rf "$image"
	mkdir -p "$image/usr/lib/systemd/system" "$image/etc/boardtune/profiles" \
		"$image/run" "$image/proc/sys/kernel" "$policy"
	: >"$image/usr/lib/systemd/system/boardtune.service"
	cat >"$image/etc/boardtune/profiles/slow.ini" <<-'END'
		[main]
		summary = slow
		[cpufreq]
		max_freq = 816MHz
	END
	printf '[cpufreq]\nmax_frq = 816MHz\n' >"$image/etc/boardtune/profiles/bad.ini"
	echo 6.1.0 >"$image/proc/sys/kernel/osrelease"
	echo userspace >"$policy/scaling_governor"
	echo 408000 >"$policy/cpuinfo_min_freq"
	echo 1008000 >"$policy/cpuinfo_max_freq"
	echo 408000 >"$policy/scaling_min_freq"
	echo 1008000 >"$policy/scaling_max_freq"
	echo '408000 816000 1008000' >"$policy/scaling_available_frequencies"
	echo '0 1' >"$policy/related_cpus"
	echo '0 1' >"$policy/affected_cpus"
	chmod -R go-w "$image"
}

# As an ordinary user sees it: root without any capability may not write everywhere.
prefix=
bare=
if [ "$(id -u)" = 0 ]; then
	bare='setpriv --bounding-set=-all --inh-caps=-all'
fi

for option in root sysroot; do
	make_image
	expect 0 "enable --$option" enable slow "--$option=$image"
	has 'slow' "$scratch/out" 'says which profile'
	has '^profile = slow$' "$conf" 'the file names it'
	[ "$(readlink "$wants")" = /usr/lib/systemd/system/boardtune.service ]
	ok $? 'the unit is linked'
	expect 0 "enable --$option again" "--$option=$image" enable slow
	expect 0 "disable --$option" disable "--$option=$image"
	no_file "$wants" 'the link is gone'
	no_file "$conf" 'the file is gone'
	expect 0 'disable with nothing enabled' disable "--$option=$image"

	expect 2 'an unknown profile' enable nosuch "--$option=$image"
	[ ! -s "$scratch/out" ] && [ -s "$scratch/err" ]
	ok $? 'is an error on stderr only'
	expect 2 'a broken profile' enable bad "--$option=$image"
	has 'bad.ini:2: ' "$scratch/err" 'is an error with file and line'
	expect 2 'a file' enable "$image/etc/boardtune/profiles/slow.ini" "--$option=$image"
	has '/etc/boardtune/profiles' "$scratch/err" 'is refused with a hint'
	expect 2 'no profile' enable "--$option=$image"
	expect 2 'two profiles' enable slow slow "--$option=$image"
	expect 2 'disable with an argument' disable slow "--$option=$image"
	no_file "$conf" 'nothing was written'
	rm "$image/usr/lib/systemd/system/boardtune.service"
	expect 5 'no unit' enable slow "--$option=$image"
	has "make install DESTDIR=$image" "$scratch/err" 'says how to install it there'
	no_file "$conf" 'nothing was written'
done

make_image
expect 2 'an image that is not there' enable slow --root="$image/nosuch"
expect 2 '--root and --sysroot' enable slow --root="$image" --sysroot="$image"
expect 2 'disable --now of an image' disable --now --root="$image"
mkdir -p "$image/etc/systemd/system"
ln -s /dev/null "$image/etc/systemd/system/boardtune.service"
expect 1 'a masked unit' enable slow --root="$image"
has 'unmask' "$scratch/err" 'says how to unmask'

make_image
chmod a-w "$image/etc/boardtune"
prefix=$bare
expect 4 'a directory that we may not write' enable slow --root="$image"
prefix=
no_file "$wants" 'nothing was linked'
chmod u+w "$image/etc/boardtune"

make_image
expect 5 'apply --boot with nothing enabled' apply --boot --sysroot="$image"
expect 0 'enable' enable slow --sysroot="$image"
has 1008000 "$policy/scaling_max_freq" 'enable applies nothing'
expect 0 'apply --boot' apply --boot --sysroot="$image"
has 816000 "$policy/scaling_max_freq" 'the profile is in force'
expect 0 'disable' disable --sysroot="$image"
has 816000 "$policy/scaling_max_freq" 'disable reverts nothing'
expect 0 'disable --now' disable --now --sysroot="$image"
has 1008000 "$policy/scaling_max_freq" 'disable --now reverts'
printf '[boot]\nprofile = ../x\n' >"$conf"
expect 2 'apply --boot with a broken file' apply --boot --sysroot="$image"
has 'boardtune.conf:2: ' "$scratch/err" 'names file and line'

echo "1..$count"
[ "$failed" = 0 ]
