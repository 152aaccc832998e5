# SPDX-License-Identifier: GPL-2.0-or-later
# serve.test.sh - checks of the peer's socket unit; sourced by systemd.test.sh
# shellcheck shell=sh disable=SC2154 # variables of systemd.test.sh

check_serve() {
	service=boardtune-serve.service

	check serve
	systemctl enable -q --now boardtune-serve.socket
	ok $? 'enabled, and started'
	is "$(systemctl is-active $service)" inactive 'nobody calls, nothing runs'
	run measure --peer 127.0.0.1 --cells ipv4-tx --time 1 --omit 0
	exits 0 'measure by IPv4'
	run measure --peer ::1 --cells ipv6-rx --time 1 --omit 0
	exits 0 'measure by IPv6'
	is "$(systemctl is-active $service)" active 'the first call has started it'
	journalctl -q -o cat -u $service >"$scratch/journal"
	grep -q '^127.0.0.1: received [0-9.]* Mbit/s' "$scratch/journal"
	ok $? 'the journal has the test' || explain "$scratch/journal"
	pid=$(show MainPID $service)
	[ "$(stat -c %u "/proc/$pid")" -ge 61184 ]
	ok $? 'its user is one of its own'
	is "$(sed -n 's/^Cap\(Eff\|Bnd\):[^0-9a-f]*//p' "/proc/$pid/status" | sort -u)" \
		0000000000000000 'without any capability'
	is "$(sed -n 's/^Seccomp:[^0-9]*//p' "/proc/$pid/status")" 2 'and with a filter'
	# the socket keeps the unit loaded, with its result
	systemctl stop $service 2>/dev/null
	is "$(show Result $service) $(show ExecMainStatus $service)" 'success 143' \
		'a stop is no failure'
	systemctl disable -q --now boardtune-serve.socket
	is "$(systemctl is-active boardtune-serve.socket)" inactive 'disabled, and stopped'
}
