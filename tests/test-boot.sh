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

# without systemd: links of init scripts are for update-rc.d, which orders them
make_image
rm "$image/usr/lib/systemd/system/boardtune.service"
mkdir -p "$image/etc/init.d" "$image/etc/rc2.d"
: >"$image/etc/init.d/boardtune"
expect 0 'an init script instead of the unit' enable slow --root="$image"
has '^profile = slow$' "$conf" 'the file names the profile'
no_file "$wants" 'no unit is linked'
has 'update-rc.d boardtune defaults' "$scratch/err" 'a hint, as nothing starts it'
ln -s ../init.d/boardtune "$image/etc/rc2.d/K01boardtune"
expect 0 'with a link that stops it' enable slow --root="$image"
has 'update-rc.d' "$scratch/err" 'the hint still'
ln -s ../init.d/boardtune "$image/etc/rc2.d/S01boardtune"
expect 0 'with one that starts it' enable slow --root="$image"
[ ! -s "$scratch/err" ]
ok $? 'no hint'
has '/etc/init.d/boardtune applies it' "$scratch/out" 'says what applies it'
expect 0 'disable' disable --root="$image"
no_file "$conf" 'the file is gone'

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

# Started by systemd itself, as systemd.exec(5) has it.
cat >"$scratch/unit" <<'END'
#!/bin/sh
INVOCATION_ID=0123456789abcdef0123456789abcdef SYSTEMD_EXEC_PID=$$
export INVOCATION_ID SYSTEMD_EXEC_PID
exec "$@"
END
chmod +x "$scratch/unit"

# The guard: a mark stands from a boot's apply until that boot has proved itself.
mark=$image/var/lib/boardtune/boot-mark
applied=$image/run/boardtune/boot

# boot ID: as if the image had been started anew
boot() {
	rm -rf "$image/run"
	mkdir -p "$image/run" "$image/proc/sys/kernel/random"
	echo "$1" >"$image/proc/sys/kernel/random/boot_id"
	echo 1008000 >"$policy/scaling_max_freq"
}

make_image
boot first
expect 0 'enable' enable slow --sysroot="$image"
expect 0 'the first boot' apply --boot --sysroot="$image"
has '^slow$' "$mark" 'its mark names the profile'
has '^first$' "$mark" 'and the boot'
has '^slow$' "$applied" 'that it was applied is known'
expect 0 'confirm --boot' confirm --boot --sysroot="$image"
no_file "$mark" 'a boot that is good has no mark'
expect 0 'apply --boot once more, as a reload' apply --boot --sysroot="$image"
has '^first$' "$mark" 'has to prove itself, too'
expect 0 'confirm --boot' confirm --boot --sysroot="$image"
no_file "$mark" 'and does'
expect 0 'confirm --boot with nothing to prove' confirm --boot --sysroot="$image"

boot second
expect 0 'the second boot' apply --boot --sysroot="$image"
has '^second$' "$mark" 'has a mark, and is cut off'
boot third
expect 1 'the third boot' apply --boot --sysroot="$image"
has 'slow was applied' "$scratch/err" 'names the profile'
has 'boardtune enable slow' "$scratch/err" 'and how to go on'
has 1008000 "$policy/scaling_max_freq" 'nothing was applied'
no_file "$applied" 'nor is known as applied'
expect 0 'confirm --boot after that' confirm --boot --sysroot="$image"
has '^second$' "$mark" 'the mark stays'
boot fourth
expect 1 'the fourth boot' apply --boot --sysroot="$image"
expect 0 'enable' enable slow --sysroot="$image"
no_file "$mark" 'takes the mark away'
expect 0 'and it is applied' apply --boot --sysroot="$image"
has 816000 "$policy/scaling_max_freq" 'indeed'
expect 0 'revert' revert --sysroot="$image"
has '^fourth$' "$mark" 'the boot has its mark'
expect 0 'confirm --boot' confirm --boot --sysroot="$image"

# What stays from an apply that has not proved itself belongs to the next one, too.
printf 'slow\n1.5\n7 1 100\n' >"$applied"
expect 0 'a reload after it has' apply --boot --sysroot="$image"
! grep -q '^7 ' "$applied"
ok $? 'begins anew'
printf 'slow\n1.5\n7 1 100\n' >"$applied"
expect 0 'a reload before that' apply --boot --sysroot="$image"
has '^7 1 100$' "$applied" 'keeps what was touched'
! grep -q '^1.5' "$applied"
ok $? 'and the time begins anew'
expect 0 'revert' revert --sysroot="$image"

# An apply that was killed after one that ended.
undo=$image/run/boardtune/undo.json
expect 0 'an apply' apply --boot --sysroot="$image"
sed -i 's/"applying":false/"applying":true/' "$undo"
expect 1 'one that was killed while it was applied again' confirm --boot --sysroot="$image"
has 1008000 "$policy/scaling_max_freq" 'it is undone'
has '^fourth$' "$mark" 'and the mark stays'

# One that was killed after its last write, and applied again with nothing left to do.
expect 0 'an apply' apply --boot --sysroot="$image"
sed -i 's/"applying":false/"applying":true/' "$undo"
expect 0 'the same once more' apply --boot --sysroot="$image"
has '"applying":false' "$undo" 'has come to its end'
expect 0 'revert' revert --sysroot="$image"

# An apply that hung or was killed: its mark is there, and nothing tells that it ended.
boot hung
rm -f "$mark"
expect 0 'an apply' apply --boot --sysroot="$image"
rm "$applied"
expect 1 'confirm --boot of one that was cut off' confirm --boot --sysroot="$image"
has 1008000 "$policy/scaling_max_freq" 'it is undone'
has '^hung$' "$mark" 'and the next boot applies nothing'

boot fifth
rm -f "$mark"
INVOCATION_ID=1 SYSTEMD_EXEC_PID=1 expect 0 'in a terminal of a session' apply --boot \
	--sysroot="$image"
has '^1 changed' "$scratch/out" 'has its table'
boot fifth
rm -f "$mark"
prefix=$scratch/unit
expect 0 'in a unit' apply --boot --sysroot="$image"
prefix=
has '^<6>slow: 1 setting' "$scratch/err" 'one line tells what it came to'
[ ! -s "$scratch/out" ]
ok $? 'and no table'
printf '[net:lan]\nName = lan0\ntso = off\n[cpufreq]\ngovernor = walt\n' \
	>"$image/etc/boardtune/profiles/half.ini"
expect 0 'enable another' enable half --sysroot="$image"
[ -e "$mark" ]
ok $? 'which leaves the mark of a boot that has not proved itself'
boot sixth
rm -f "$mark"
prefix=$scratch/unit
expect 1 'one setting cannot be' apply --boot --sysroot="$image"
prefix=
has '^<3>cpufreq governor of policy0: unsupported (ENOENT), wanted walt' "$scratch/err" 'an error'
has '^<5>net:lan tso of lan0: missing' "$scratch/err" 'a NIC that is not there: a notice'
has '^<3>half: 0 settings in force, 1 failed, 1 wait' "$scratch/err" 'the summary'

boot seventh
expect 0 'enable' enable slow --sysroot="$image"
chmod a-w "$image/var/lib/boardtune"
prefix=$bare
expect 4 'without a mark' apply --boot --sysroot="$image"
prefix=
chmod u+w "$image/var/lib/boardtune"
has 'nothing is applied at boot without that mark' "$scratch/err" 'says so'
has 1008000 "$policy/scaling_max_freq" 'nothing is applied'
echo 'quiet boardtune=off root=/dev/sda1' >"$image/proc/cmdline"
expect 0 'boardtune=off' apply --boot --sysroot="$image"
has 1008000 "$policy/scaling_max_freq" 'nothing is applied'
has 'boardtune=off' "$scratch/err" 'and why is said'
echo 'quiet boardtune=offer' >"$image/proc/cmdline"
mkdir -p "$image/boot/firmware"
: >"$image/boot/firmware/boardtune.off"
expect 0 'a file in /boot/firmware' apply --boot --sysroot="$image"
has 1008000 "$policy/scaling_max_freq" 'is as good'
rm "$image/boot/firmware/boardtune.off"
expect 0 'without either' apply --boot --sysroot="$image"
has 816000 "$policy/scaling_max_freq" 'it is applied'

# Anything may be in the place of a file of ours: nothing waits for it.
boot eighth
# fifo CODE PATH COMMAND
fifo() {
	rm -f "$2"
	mkfifo "$2"
	prefix='timeout 10'
	expect "$1" "a FIFO in the place of ${2##*/}" "$3" --boot --sysroot="$image"
	prefix=
	has 'Invalid argument' "$scratch/err" 'is refused'
	rm "$2"
}
fifo 5 "$conf" apply
expect 0 'enable' enable slow --sysroot="$image"
fifo 1 "$mark" apply
expect 0 'apply --boot' apply --boot --sysroot="$image"
fifo 1 "$applied" confirm
has . "$mark" 'what has to prove itself is not known: the mark stays'
has 1008000 "$policy/scaling_max_freq" 'and it is undone'
rm "$mark"

# /var in memory, as on OpenWrt: what has to outlive a crash is beside the boot profile
boot ninth
rm -rf "${image:?}/var"
mkdir "$image/tmp"
ln -s tmp "$image/var"
expect 0 'apply --boot where /var is /tmp' apply --boot --sysroot="$image"
has '^ninth$' "$image/etc/boardtune/boot-mark" 'the mark is in /etc'
no_file "$image/tmp/lib" 'and not in /tmp'
boot tenth
expect 1 'cut off' apply --boot --sysroot="$image"
has 'slow was applied' "$scratch/err" 'it is found'
expect 0 'enable' enable slow --sysroot="$image"
no_file "$image/etc/boardtune/boot-mark" 'takes it away'
mv "$image/etc/boardtune" "$image/tmp/boardtune"
ln -s ../tmp/boardtune "$image/etc/boardtune"
expect 1 'neither is on a disk' apply --boot --sysroot="$image"
has 'neither .* outlives a crash' "$scratch/err" 'says so'
has 1008000 "$policy/scaling_max_freq" 'nothing is applied'

echo "1..$count"
[ "$failed" = 0 ]
