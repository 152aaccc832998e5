#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-boards.sh - each board with its own profile; an R2S of any kernel; a very big board
. "${srcdir:-.}/tests/lib.sh" || exit 99

# rows KEY: "TARGET WANT OUTCOME" of the settings with this key
rows() {
	awk -v key="$1" '
	/"key":/ { mine = index($0, "\"" key "\"") }
	mine && /"target":/ { split($0, t, "\""); target = t[4] }
	mine && /"want":/ { split($0, t, "\""); want = t[4] }
	mine && /"outcome":/ { split($0, t, "\""); print target, want, t[4] }
	' "$scratch/out"
}

# What a shipped profile cannot do on its own board must be marked with "-".
for board in $boards; do
	name=$(basename "$board" .board)
	profile=data/profiles/$name.ini
	[ -e "$profile" ] || continue
	run apply "$profile" --board "$board" --json
	is $code 0 "$name: its own profile is applied"
	[ "$code" -eq 0 ] || sed 's/^/# /' "$scratch/out" | grep -E '"(key|outcome|note)"'
	is "$(grep -c '"outcome": "clamped"' "$scratch/out")" 0 "$name: nothing is clamped"
done

# The LAN port's interrupt, whatever the kernel calls it: the buses are numbered in order.
for first in 1 3 4 7; do
	sed "s/hci_hcd:usb/hci_hcd:usb1/g; s/usb4/usbSECOND/g; s/usb3/usb$first/g; s/usbSECOND/usb$((first + 1))/g
		s,/4-1,/$((first + 1))-1,g" tests/boards/nanopi-r2s.board >"$scratch/r2s.board"
	run plan data/profiles/nanopi-r2s.ini --board "$scratch/r2s.board" --json
	is "$(rows net.irq.affinity)" "irq 29 1 changed
irq 32 2 changed" "R2S: the interrupt of the LAN port is xhci-hcd:usb$first"
done

# One interrupt, two sections, two wishes.
cp data/profiles/{router-base,rk3328}.ini "$scratch/"
cat data/profiles/nanopi-r2s.ini - >"$scratch/two.ini" <<'END'
[irq:usb]
Name = xhci-hcd:usb*
affinity = 3
END
line=$(grep -c '' "$scratch/two.ini")
lan=$(grep -n '^irq.affinity = 2' "$scratch/two.ini" | cut -d: -f1)
run plan "$scratch/two.ini" --board tests/boards/nanopi-r2s.board
is $code 2 'R2S: [net:lan] and [irq:usb] want different CPUs: exit 2'
grep "two.ini:$line:" "$scratch/err" | grep -q "two.ini:$lan\$"
ok $? 'both lines are named'
sed -i 's/^affinity = 3/affinity = 2/' "$scratch/two.ini"
run plan "$scratch/two.ini" --board tests/boards/nanopi-r2s.board --json
is $code 0 'the same CPU twice: fine'
is "$(rows net.irq.affinity; rows irq.affinity)" "irq 29 1 changed
irq 32 2 changed" 'and one row'

# 512 CPUs, 4000 interrupts, 256 NICs; in memory where that is to be had
[ -w /dev/shm ] && export TMPDIR=/dev/shm
tests/boards/big.sh >"$scratch/big.board"
printf '[net:all]\nDriver = big\nirq.affinity = 256-511\nrps_cpus = 0-255\n' >"$scratch/big.ini"
run plan "$scratch/big.ini" --board "$scratch/big.board" --json
is $code 0 'big board: exit 0'
is "$(rows net.irq.affinity | wc -l)" 3984 'a row for each interrupt of the NICs'
is "$(rows net.rps_cpus | sort -u | wc -l)" 512 'and for each receive queue'
is "$(rows net.irq.affinity | grep '^irq 32 ')" 'irq 32 256 changed' 'dealt from the first'
run apply "$scratch/big.ini" --board "$scratch/big.board" --board-save "$scratch/after" -q
is $code 0 'applied'
is "$(grep -c '^#! write .*/rps_cpus 0*,0*,.*ffffffff$' "$scratch/after")" 512 \
	'masks of sixteen groups'
done_testing
