#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-golden.sh - what plan says for recorded boards and profiles, byte for byte
#
# Each board with its own profile and the base of the router profiles; test-profiles plans
# every profile for every board. A board's own profile and its variants are applied, too:
# nothing is refused.
# UPDATE=1 writes the files anew; read the difference before committing it.
. "${srcdir:-.}/tests/lib.sh" || exit 99

for board in $boards; do
	for profile in data/profiles/*.ini; do
		name=$(basename "$board" .board).$(basename "$profile" .ini)
		case $name in
		*.router-base | x86-minipc.generic-x86 | x86-minipc.demo-offloads) ;;
		unknown-arm.generic-arm) ;;
		*) [ "${name%.*}" = "${name#*.}" ] || continue ;;
		esac
		for form in json txt; do
			golden=tests/golden/$name.$form
			option=--json
			[ $form = txt ] && option=--no-color
			run plan "$profile" --board "$board" $option
			is $code 0 "$name $form: exit 0"
			if [ -n "${UPDATE:-}" ]; then
				cp "$scratch/out" "$golden"
			fi
			diff -u "$golden" "$scratch/out" | sed 's/^/# /'
			cmp -s "$golden" "$scratch/out"
			ok $? "$name $form: as recorded"
			[ ! -s "$scratch/err" ]
			ok $? "$name $form: nothing on stderr"
		done
		# the table; what follows it names files
		is "$(sed '/^$/,$d' "$scratch/out" | awk 'length > 80')" '' \
			"$name: no row is wider than a screen"
	done
	own=data/profiles/$(basename "$board" .board)
	for profile in "$own.ini" "$own"-*.ini; do
		[ -e "$profile" ] || continue
		run apply "$profile" --board "$board" --no-color
		is $code 0 "$profile is applied"
		[ $code = 0 ] || sed 's/^/# /' "$scratch/out"
	done
	# a board that is only looked at is saved byte for byte
	run plan data/profiles/router-base.ini --board "$board" \
		--board-save "$scratch/saved.board"
	cmp -s "$board" "$scratch/saved.board"
	ok $? "$board is saved as it is"
done
done_testing
