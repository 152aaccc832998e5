#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-doctor.sh - TAP: rivals found, taken over and given back, and what else is wrong
. "${srcdir:-.}/tests/lib.sh" || exit 99

image=$scratch/image
units=$image/usr/lib/systemd/system
etc=$image/etc/systemd/system

has() {
	grep -q -- "$1" "$scratch/$2"
	ok $? "$3"
}

# lists NAME: the links of the image, to compare
lists() {
	(cd "$image/etc" && find . -type l -printf '%p %l\n' | sort) >"$scratch/$1"
}

mkdir -p "$units" "$etc/multi-user.target.wants" "$image/etc/boardtune/profiles" \
	"$image/etc/init.d" "$image/etc/rc2.d" "$image/proc"
for unit in boardtune irqbalance thermald; do
	echo '[Unit]' >"$units/$unit.service"
done
printf '[cpufreq]\nmax_freq = 816MHz\n[net:lan]\nName = eth*\nirq.affinity = 1\n' \
	>"$image/etc/boardtune/profiles/lan.ini"
chmod -R go-w "$image"

run doctor --sysroot "$image"
is "$code" 0 'nobody works: exit 0'
has 'irqbalance.*no' out 'one that is installed is in the table'
ln -s /usr/lib/systemd/system/irqbalance.service "$etc/multi-user.target.wants/"
ln -s /usr/lib/systemd/system/thermald.service "$etc/multi-user.target.wants/"
ln -s ../init.d/cpufrequtils "$image/etc/rc2.d/S01cpufrequtils"
echo '#!/bin/sh' >"$image/etc/init.d/cpufrequtils"
echo '@reboot root ethtool -K eth0 tso off' >"$image/etc/crontab"
lists before

run doctor --sysroot "$image"
is "$code" 1 'somebody works: exit 1'
has 'No profile is in force' out 'without a profile it is not known who fights'
run enable lan --root "$image"
is "$code" 0 'enable with rivals'
has 'warning: irqbalance .*after' err 'warns of one that comes after boardtune'
has 'systemctl disable --now irqbalance' err 'with the command'
has 'warning: cpufrequtils .*before' err 'and of one that comes before'
has 'take-over' err 'and of the option'
! grep -q cron "$scratch/err"
ok $? 'not of one that writes something else'

run doctor --sysroot "$image"
is "$code" 1 'doctor with a profile'
has 'fights with lan: net.irq.affinity' out 'names the key that is fought over'
has 'take-over' out 'says what to do next'
awk 'length > 80 && !/To end it/' "$scratch/out" >"$scratch/long"
is "$(cat "$scratch/long")" '' 'fits 80 columns'
run doctor --json --sysroot "$image"
is "$code" 1 'the same as JSON'
has '"net.irq.affinity"' out 'with the key'
has '"end": "sed -i .1s/^/#/. /etc/crontab"' out 'and the command'

run enable lan --take-over --root "$image"
is "$code" 0 'enable --take-over'
has 'Taken over: irqbalance thermald cpufrequtils' out 'says whom'
[ -L "$image/etc/rc2.d/K01cpufrequtils" ] &&
	[ ! -L "$etc/multi-user.target.wants/irqbalance.service" ]
ok $? 'they are disabled'
run doctor --sysroot "$image"
has 'irqbalance is taken over' out 'doctor knows'
run enable lan --root "$image"
is "$code" 0 'enable again'
is "$(cat "$scratch/err")" '' 'has nothing to warn of'
run disable --root "$image"
is "$code" 0 'disable'
has 'Given back: irqbalance thermald cpufrequtils' out 'says whom'
lists after
is "$(cat "$scratch/after")" "$(cat "$scratch/before")" 'every link is as it was'

run enable lan --take-over --root "$image"
sed -i 's/"taken"/"taking"/' "$image/var/lib/boardtune/taken-over.json"
ln -s /usr/lib/systemd/system/irqbalance.service "$etc/multi-user.target.wants/"
run enable lan --root "$image"
has 'interrupted: irqbalance' out 'enable finishes what was killed'
[ ! -L "$etc/multi-user.target.wants/irqbalance.service" ]
ok $? 'the link is gone'
echo '{' >"$image/var/lib/boardtune/taken-over.json"
lists before
run disable --root "$image"
is "$code" 1 'a damaged record'
has 'taken-over.json is damaged' err 'is named'
run enable lan --take-over --root "$image"
is "$code" 1 'nothing is taken over by it'
rm "$image/var/lib/boardtune/taken-over.json" "$image/etc/crontab"
rm -f "$image/etc/rc2.d/"* "$etc/multi-user.target.wants/"*
run disable --root "$image"

# a unit file of the owner that the vendor has started: no link of ours ends it
mkdir -p "$units/multi-user.target.wants"
echo '[Unit]' >"$etc/irqbalance.service"
ln -s ../irqbalance.service "$units/multi-user.target.wants/irqbalance.service"
run enable lan --take-over --root "$image"
is "$code" 0 'enable --take-over with a unit file of the owner'
has 'nobody that can be taken over' out 'does not claim to have taken it over'
has 'mv irqbalance.service irqbalance.service.off && systemctl mask' err \
	'but tells the command that ends it'
rm "$etc/irqbalance.service" "$units/multi-user.target.wants/irqbalance.service"
run disable --root "$image"

# what else stands in the way
printf '[boot]\nprofile = lan\n' >"$image/etc/boardtune/boardtune.conf"
run doctor --json --sysroot "$image"
is "$code" 1 'a unit that is not enabled'
has '"kind": "not-enabled"' out 'is named'
run enable lan --root "$image"
run doctor --sysroot "$image"
is "$code" 0 'enabled: nothing to find'
echo 'oops' >>"$image/etc/boardtune/profiles/lan.ini"
run doctor --sysroot "$image"
is "$code" 1 'an error in the boot profile'
has 'lan.ini:6: ' out 'with file and line'
rm "$image/etc/boardtune/profiles/lan.ini"
run doctor --json --sysroot "$image"
is "$code" 1 'a boot profile that is not there'
has '"kind": "boot-profile"' out 'is named'
run disable --root "$image"
echo 'quiet boardtune=off' >"$image/proc/cmdline"
run doctor --json --sysroot "$image"
is "$code" 1 'switched off'
has '"kind": "switched-off"' out 'on the command line of the kernel'
rm "$image/proc/cmdline"
mkdir -p "$image/proc/sys/kernel/random"
echo 11111111-1111-1111-1111-111111111111 >"$image/proc/sys/kernel/random/boot_id"
printf '22222222-2222-2222-2222-222222222222\nlan\n' \
	>"$image/var/lib/boardtune/boot-mark"
run doctor --sysroot "$image"
is "$code" 1 'a boot that was cut off'
has 'the boot with profile lan' out 'is named'
run doctor more --sysroot "$image"
is "$code" 2 'an argument'
run doctor --board tests/boards/nanopi-neo.board
is "$code" 0 'a recorded board has no rivals'
cp tests/boards/nanopi-neo.board "$scratch/neo.board"
sed -i 's|^\(/proc/sys/kernel/osrelease = \).*|\16.6.63-current-sunxi|' \
	"$scratch/neo.board"
{
	echo '/etc/boardtune/quirks/allwinner.ini <<END'
	cat data/quirks/allwinner.ini
	echo END
} >>"$scratch/neo.board"
run doctor --json --board "$scratch/neo.board"
has stmmac-statistics out 'a kernel that may hang this board'
sed -i 's/6\.6\.63-current/6.7.4-edge/' "$scratch/neo.board"
run doctor --json --board "$scratch/neo.board"
has stmmac-statistics out 'and the one after it'
done_testing
