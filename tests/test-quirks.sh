#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-quirks.sh - quirks in plans: which row wins; applied, verified, reverted; doctor
. "${srcdir:-.}/tests/lib.sh" || exit 99

image=$scratch/image
quirks=$image/etc/boardtune/quirks
profiles=$image/etc/boardtune/profiles
device=$image/sys/devices/platform/usb/usb4/4-1/4-1:1.0

has() {
	grep -q -- "$1" "$scratch/$2"
	ok $? "$3"
}

hasnt() {
	! grep -q -- "$1" "$scratch/$2"
	ok $? "$3"
}

# rows: "KEY=WANT SECTION LINE" of each setting of a plan as JSON
rows() {
	awk -F '"' '/"key":/ { key = $4 } /"section":/ { section = $4 }
	/"line":/ { line = $3; gsub(/[^0-9]/, "", line) }
	/"want":/ { print key "=" $4, section, line }' "$scratch/out"
}

# kernel RELEASE
kernel() {
	echo "$1" >"$image/proc/sys/kernel/osrelease"
}

# ---- the shipped ones on a recorded board, found beside the profile

sed 's|^\(/proc/sys/kernel/osrelease = \).*|\15.4.100-rockchip64|' \
	tests/boards/nanopi-r2s.board >"$scratch/old.board"
run plan data/profiles/nanopi-r2s.ini --board "$scratch/old.board"
is $code 0 'a kernel that needs them'
has 'quirk r8152-tx-stall: ' out 'the reason is told'
run plan data/profiles/nanopi-r2s.ini --board "$scratch/old.board" --json
has '"note": "tx: quirk r8152-tx-stall: ' out 'in JSON, too'
has '"file": "data/quirks/rockchip.ini"' out 'and where it stands'
run plan data/profiles/nanopi-r2s.ini --board tests/boards/nanopi-r2s.board
hasnt quirk out 'a later kernel does not need them'
sed '/^quirks = /d' data/profiles/router-base.ini >"$scratch/without.ini"
run plan "$scratch/without.ini" --board "$scratch/old.board"
hasnt quirk out 'a profile without quirks has none'

# ---- a board with one NIC

mkdir -p "$quirks" "$profiles" "$device/net/eth1" "$image/sys/class/net" \
	"$image/proc/sys/kernel" "$image/proc/device-tree" "$image/drivers/r8152"
printf 'friendlyarm,nanopi-r2s\0' >"$image/proc/device-tree/compatible"
echo 2 >"$device/net/eth1/ifindex"
echo 1500 >"$device/net/eth1/mtu"
ln -s ../.. "$device/net/eth1/device"
ln -s /drivers/r8152 "$device/driver"
ln -s "${device#"$image"}/net/eth1" "$image/sys/class/net/eth1"
for feature in tx-checksum-ipv4 tx-checksum-ipv6 rx-gro; do
	echo "@ethtool eth1 feature $feature = on"
done >"$image/.board"
cat >"$quirks/a.ini" <<'END'
[quirk:stall]
Driver = r8152
kernel = <5.7
reason = it stalls
source = somewhere 1
tx = off
END
printf '[main]\nquirks = yes\n' >"$profiles/yes.ini"
printf '[main]\nquirks = no\n[net:lan]\nName = eth1\n' >"$profiles/no.ini"
chmod -R go-w "$image"
kernel 5.4.100

run plan yes --sysroot "$image" --json
is "$(rows)" 'net.tx-checksum-ipv4=off quirk:stall 6
net.tx-checksum-ipv6=off quirk:stall 6' 'a row for each member of a short form'

printf '[net:lan]\nName = eth1\ntx-checksum-ipv6 = on\n' >>"$profiles/yes.ini"
run plan yes --sysroot "$image" --json
is "$(rows)" 'net.tx-checksum-ipv6=on net:lan 5
net.tx-checksum-ipv4=off quirk:stall 6' "the profile's own key wins"
sed -i 's/tx-checksum-ipv6/tx/' "$profiles/yes.ini"
sed -i 's/^tx = /tx-checksum-ipv4 = /' "$quirks/a.ini"
run plan yes --sysroot "$image" --json
is "$(rows)" 'net.tx-checksum-ipv4=on net:lan 5
net.tx-checksum-ipv6=on net:lan 5' 'a short form of the profile, too'
hasnt stall out 'and the plan says nothing more'
sed -i 's/^tx-checksum-ipv4 = /tx = /' "$quirks/a.ini"
sed -i '/^tx = /d' "$profiles/yes.ini"

printf '%s\n' '[quirk:other]' 'Name = eth*' 'reason = r' 'source = s' 'tx = on' \
	>"$quirks/b.ini"
run plan yes --sysroot "$image"
is $code 2 'two quirks that want different things'
has 'b.ini:5: .*a.ini:6' err 'are told with both places'
rm "$quirks/b.ini"

# ---- errors

echo 'kernal = 5' >>"$quirks/a.ini"
run plan yes --sysroot "$image"
is $code 2 'an error in a file of quirks'
is "$(cat "$scratch/out")" '' 'no plan'
has 'a.ini:7: unknown key "kernal".*did you mean kernel' err 'with file and line'
run plan no --sysroot "$image"
is $code 0 'no error of a profile without quirks'
run doctor --sysroot "$image" --json
has 'a.ini:7: ' out 'doctor tells it'
sed -i '/kernal/d' "$quirks/a.ini"
chmod o+w "$quirks/a.ini"
run plan yes --sysroot "$image"
is $code 2 'a file that others can write'
has 'a.ini: others can write it' err 'is told'
chmod o-w "$quirks/a.ini"

# ---- applied, verified, reverted as any setting

cp "$image/.board" "$scratch/before"
run doctor --sysroot "$image" --json
is $code 1 'doctor without a profile'
has '"kind": "quirk-off"' out 'a quirk that is not in force'
is "$(grep -c quirk-off "$scratch/out")" 1 'once, though it has two rows'
run apply yes --sysroot "$image"
is $code 0 'apply'
is "$(grep -c 'ipv[46] = off' "$image/.board")" 2 'both are written'
run verify yes --sysroot "$image"
is $code 0 'verify'
run doctor --sysroot "$image" --json
hasnt '"kind": "quirk' out 'doctor has nothing to say'
sed -i 's/ipv4 = off/ipv4 = on/' "$image/.board"
run verify yes --sysroot "$image"
is $code 1 'verify sees it drift'
has 'quirk stall: it stalls' out 'and says what it is for'
run doctor --sysroot "$image" --json
hasnt quirk out 'a drift is no business of doctor'
run revert --sysroot "$image"
is $code 0 'revert'
is "$(grep -c 'ipv[46] = on' "$image/.board")" 2 'it is as it was'

# ---- over: by hand on a kernel that does not need it

printf '[net:lan]\nName = eth1\ntx = off\n' >"$profiles/hand.ini"
run apply hand --sysroot "$image"
run doctor --sysroot "$image" --json
hasnt '"kind": "quirk' out 'by hand, and needed'
kernel 6.12.20-current-rockchip64
run doctor --sysroot "$image" --json
is $code 1 'by hand, and over'
has '"kind": "quirk-over"' out 'a kind for scripts'
has 'eth1: quirk stall .*<5.7: tx = off at .*hand.ini:3 ' out 'the place is named'
sed -i 's/off/on/' "$profiles/hand.ini"
run doctor --sysroot "$image" --json
hasnt '"kind": "quirk' out 'not for another value'

# ---- advice

printf '%s\n' '[quirk:told]' 'Name = eth1' 'mtu = >1400' 'reason = it breaks' \
	'source = s' 'advice = do something' >"$quirks/b.ini"
run doctor --sysroot "$image" --json
has '"kind": "quirk-advice"' out 'advice'
has 'eth1: quirk told: it breaks; do something' out 'with its reason'
run plan yes --sysroot "$image" --json
hasnt told out 'is no setting'
done_testing
