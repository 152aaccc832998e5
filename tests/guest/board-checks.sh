# SPDX-License-Identifier: GPL-2.0-or-later
# board-checks.sh - what every board is asked; sourced after tap-guest.sh by a board's test
# shellcheck shell=sh disable=SC2154,SC3044 # variables of tap-guest.sh and of the board
#
# A board's test sets what differs, then calls the checks that it can pass:
#
#   board_model            what the board calls itself, whole
#   board_compatible       the first of its compatible strings; empty without device tree
#   policies               'policy0 policy4'; empty without cpufreq
#   table_policy0          its operating points in kHz, rising: at least three
#   governor               one to change to, not the one in force; with tunables if
#   tunable, tunable_want  is set: `ondemand.up_threshold` and a value, not the default
#   clock_follows          `yes`: cpuinfo_cur_freq shows the clock that is asked for
#   nic, nic_key           a NIC and a key of [net]: a feature that is on and can be off
#   nic_feature            the same as ethtool -k calls it, if that is not the key
#   nic_fixed              a feature of it that is off and fixed; may be empty
#
# and for held: functions `heat` (past the passive trip, until cooling holds each policy)
# and `cool` (below it, until cooling has let go).

cpufreq=/sys/devices/system/cpu/cpufreq

# ---- witnesses: the kernel's own files, ethtool

# point POLICY N: an operating point of the table: 1 lowest, 2 next; 0 highest, -1 below
point() {
	eval "set -- $2 \$table_$1"
	point_at=$1
	shift
	[ "$point_at" -gt 0 ] || point_at=$(($# + point_at))
	eval "printf '%s\n' \"\${$point_at}\""
}

policy_file() { # POLICY FILE
	cat "$cpufreq/$1/$2" 2>&1
}

# The tunables are in the policy's directory or in the one above, by driver.
tunable_file() { # POLICY GOVERNOR/NAME
	if [ -e "$cpufreq/$1/$2" ]; then
		printf '%s\n' "$cpufreq/$1/$2"
	else
		printf '%s\n' "$cpufreq/$2"
	fi
}

feature() { # NIC FEATURE: on, off, "off [fixed]", ...
	ethtool -k "$1" | sed -n "s/^[[:blank:]]*$2: //p" | head -n 1
}

# Everything that the profiles here change, as the kernel shows it.
board_state() {
	for state_policy in $policies; do
		for state_file in scaling_governor scaling_min_freq scaling_max_freq; do
			echo "$state_policy $state_file $(policy_file "$state_policy" $state_file)"
		done
	done
	for state_file in $cpufreq/*/*/* $cpufreq/*/*; do
		case $state_file in
		*/ondemand/* | */conservative/* | */schedutil/*)
			[ ! -f "$state_file" ] || echo "$state_file $(cat "$state_file")"
			;;
		esac
	done
	[ ! -e $cpufreq/boost ] || echo "boost $(cat $cpufreq/boost)"
	[ -z "$nic" ] || ethtool -k "$nic"
}

state_is() { # FILE: the state is as it was written there
	board_state | cmp -s - "$1"
}

# restored FILE TEXT: limits lag a little behind their write
restored() {
	await_quietly state_is "$1"
	board_state >"$scratch/state.now"
	is "$(diff "$1" "$scratch/state.now")" '' "$2"
}

await_quietly() {
	quiet_left=30
	until "$@" >/dev/null 2>&1; do
		quiet_left=$((quiet_left - 1))
		[ $quiet_left -gt 0 ] || return 1
		sleep 0.1
	done
}

# reads FILE WANT TEXT: a file of the kernel comes to say WANT
reads() {
	await_quietly contents_are "$1" "$2"
	is "$(cat "$1" 2>&1)" "$2" "$3"
}

contents_are() {
	[ "$(cat "$1")" = "$2" ]
}

# ---- documents of --json: top-level fields start at two blanks

field() { # NAME [FILE]
	sed -n "s/^  \"$1\": \"\{0,1\}\([^\"]*\)\"\{0,1\},\{0,1\}\$/\1/p" \
		"${2:-$scratch/out}" | sed 's/,$//' | head -n 1
}

# inner OBJECT NAME [FILE]: a field of an object at the top
inner() {
	awk -v object="  \"$1\": {" -v name="\"$2\":" '
	$0 == object { inside = 1; next }
	/^  [^ ]/ { inside = 0 }
	inside && $1 == name {
		sub(/^[^:]*: */, ""); sub(/,$/, ""); gsub(/"/, ""); print; exit
	}' "${3:-$scratch/out}"
}

# has_word NAME WORD [FILE]: whether the array at the top has it, e.g. flags throttled
has_word() {
	awk -v array="  \"$1\": [" -v word="\"$2\"" '
	$0 == array { inside = 1; next }
	/^  [^ ]/ { inside = 0 }
	inside && index($0, word) { found = 1 }
	END { exit !found }' "${3:-$scratch/out}"
}

# ---- profiles

# The profile most checks use: every kind of setting at once.
write_profile() { # FILE
	{
		[ -z "$policies" ] || printf '[cpufreq]\ngovernor = %s\n' "$governor"
		[ -z "$policies" ] || [ -z "$tunable" ] ||
			printf '%s = %s\n' "$tunable" "$tunable_want"
		for profile_policy in $policies; do
			printf '[cpufreq:%s]\nmin_freq = %s\nmax_freq = %s\n' "$profile_policy" \
				"$(point "$profile_policy" 2)" "$(point "$profile_policy" -1)"
		done
		[ -z "$nic" ] || printf '[net:a]\nName = %s\n%s = off\n' "$nic" "$nic_key"
	} >"$1"
}

# As write_profile's, by other means than boardtune.
profile_holds() { # TEXT
	for hold_policy in $policies; do
		reads "$cpufreq/$hold_policy/scaling_governor" "$governor" \
			"$1: governor of $hold_policy"
		reads "$cpufreq/$hold_policy/scaling_min_freq" "$(point "$hold_policy" 2)" \
			"$1: lowest clock of $hold_policy"
		reads "$cpufreq/$hold_policy/scaling_max_freq" "$(point "$hold_policy" -1)" \
			"$1: highest clock of $hold_policy"
		[ -z "$tunable" ] || reads "$(tunable_file "$hold_policy" \
			"$(echo "$tunable" | tr . /)")" "$tunable_want" "$1: $tunable of $hold_policy"
	done
	[ -z "$nic" ] || is "$(feature "$nic" "${nic_feature:-$nic_key}")" off \
		"$1: $nic_key of $nic"
}

# ---- the checks

check_identity() {
	check identity
	write_profile "$scratch/all.ini"
	board_state >"$scratch/state.start"
	run plan "$scratch/all.ini" --json
	exits 0 'a plan can be made'
	is "$(inner board model)" "$board_model" 'the model'
	is "$(inner board kernel)" "$(uname -r)" 'the kernel'
	if [ -n "$board_compatible" ]; then
		is "$(sed -n '/"compatible": \[/{n;s/^ *"\(.*\)",\{0,1\}$/\1/p;}' "$scratch/out" |
			head -n 1)" "$board_compatible" 'the compatible string'
		{
			printf '[board]\ncompatible = nobody,no-board\n'
			cat "$scratch/all.ini"
		} >"$scratch/other.ini"
		run apply "$scratch/other.ini"
		exits 5 'a profile of another board is not applied'
		restored "$scratch/state.start" 'and nothing is touched'
	fi
}

check_plan() {
	check plan
	run plan "$scratch/all.ini" --json
	rows >"$scratch/rows"
	for plan_policy in $policies; do
		is "$(row "$plan_policy" cpufreq.governor outcome)" changed \
			"the governor of $plan_policy is to change"
		is "$(row "$plan_policy" cpufreq.max_freq want)" "$(point "$plan_policy" -1)" \
			"the highest clock wanted of $plan_policy"
		is "$(row "$plan_policy" cpufreq.max_freq before)" \
			"$(policy_file "$plan_policy" scaling_max_freq)" "and what it is now"
	done
	is "$(cut -f 2 "$scratch/rows" | grep '^policy' | sort -u | tr '\n' ' ')" \
		"${policies:+$policies }" 'these policies and no others'
	[ -z "$nic" ] || is "$(cut -f 2 "$scratch/rows" | grep -v '^policy' | sort -u)" "$nic" \
		'this NIC and no other'
	restored "$scratch/state.start" 'a plan changes nothing'
}

check_apply() {
	check apply
	run apply "$scratch/all.ini" --json
	exits 0 'everything is applied'
	is "$(rows | cut -f 3 | grep -cvx 'changed\|ok')" 0 'each is changed or was so'
	is "$(rows | awk -F "$tab" '$3 == "changed" && $4 == $6' | wc -l)" 0 \
		'what is called changed did change'
	profile_holds 'read back'
	run apply "$scratch/all.ini" --json
	exits 0 'applied again'
	is "$(rows | cut -f 3 | sort -u)" ok 'all is so already'
	[ "$clock_follows" = yes ] || return 0
	for apply_policy in $policies; do
		printf '[cpufreq:%s]\nmin_freq = %s\nmax_freq = %s\n' "$apply_policy" \
			"$(point "$apply_policy" -2)" "$(point "$apply_policy" -2)"
	done >"$scratch/clock.ini"
	run apply "$scratch/clock.ini"
	exits 0 'one clock only'
	for apply_policy in $policies; do
		reads "$cpufreq/$apply_policy/cpuinfo_cur_freq" "$(point "$apply_policy" -2)" \
			"the clock of $apply_policy follows"
	done
	run apply "$scratch/all.ini"
	exits 0 'and the first profile again'
}

# With the profile in force. Another writer, then the profile again.
check_verify() {
	check verify
	run verify --json
	exits 0 'all hold'
	for verify_policy in $policies; do
		point "$verify_policy" 0 >"$cpufreq/$verify_policy/scaling_max_freq"
		await 'the other write shows' contents_are \
			"$cpufreq/$verify_policy/scaling_max_freq" "$(point "$verify_policy" 0)"
		run verify --json
		exits 1 "someone else sets the highest clock of $verify_policy"
		is "$(row "$verify_policy" cpufreq.max_freq outcome)" overridden 'overridden'
		is "$(row "$verify_policy" cpufreq.max_freq now)" "$(point "$verify_policy" 0)" \
			'and what it is now'
		is "$(rows | cut -f 3 | grep -cx overridden)" 1 'nothing else is'
		point "$verify_policy" -1 >"$cpufreq/$verify_policy/scaling_max_freq"
		await 'the value is back' contents_are \
			"$cpufreq/$verify_policy/scaling_max_freq" "$(point "$verify_policy" -1)"
	done
	if [ -n "$nic" ]; then
		ethtool -K "$nic" "${nic_feature:-$nic_key}" on >/dev/null 2>&1
		run verify --json
		exits 1 "someone else sets $nic_key of $nic"
		is "$(rows | grep -c "^net.*${tab}$nic${tab}overridden")" 1 'overridden'
		ethtool -K "$nic" "${nic_feature:-$nic_key}" off >/dev/null 2>&1
	fi
	run verify
	exits 0 'all hold again'
}

check_revert() {
	check revert
	run revert --json
	exits 0 'revert'
	restored "$scratch/state.start" 'everything is as before the first apply'
	run revert
	exits 0 'nothing to revert is no error'
	run verify "$scratch/all.ini"
	exits 1 'the profile does not hold now'
}

# A tunable of a governor that was in force before: it comes back by its value.
check_tunables() {
	check tunables
	tunables_before=$(policy_file "${policies%% *}" scaling_governor)
	for tunables_policy in $policies; do
		echo "$governor" >"$cpufreq/$tunables_policy/scaling_governor"
	done
	board_state >"$scratch/state.tunables"
	printf '[cpufreq]\n%s = %s\n' "$tunable" "$tunable_want" >"$scratch/tunable.ini"
	run apply "$scratch/tunable.ini" --json
	exits 0 'the tunable alone'
	is "$(rows | cut -f 3 | sort -u)" changed 'changed'
	for tunables_policy in $policies; do
		is "$(cat "$(tunable_file "$tunables_policy" "$(echo "$tunable" | tr . /)")")" \
			"$tunable_want" "$tunable of $tunables_policy"
	done
	run revert
	exits 0 'revert'
	restored "$scratch/state.tunables" 'everything is as before'
	for tunables_policy in $policies; do
		echo "$tunables_before" >"$cpufreq/$tunables_policy/scaling_governor"
	done
	restored "$scratch/state.start" 'and with the governor from before'
}

# Between operating points: the highest goes down, the lowest up; beyond: the ends.
check_rounding() {
	check rounding
	for round_policy in $policies; do
		round_low=$(point "$round_policy" 1)
		round_next=$(point "$round_policy" 2)
		round_top=$(point "$round_policy" 0)
		round_below=$(point "$round_policy" -1)
		printf '[cpufreq:%s]\nmin_freq = %s\nmax_freq = %s\n' "$round_policy" \
			$((round_low + 1000)) $((round_top - 1000)) >"$scratch/round.ini"
		run apply "$scratch/round.ini" --json
		exits 0 "$round_policy between operating points"
		is "$(row "$round_policy" cpufreq.max_freq outcome)" rounded 'the highest: rounded'
		is "$(row "$round_policy" cpufreq.min_freq outcome)" rounded 'the lowest: rounded'
		reads "$cpufreq/$round_policy/scaling_max_freq" "$round_below" 'the highest: down'
		reads "$cpufreq/$round_policy/scaling_min_freq" "$round_next" 'the lowest: up'
		run verify
		exits 0 'rounded is as wanted'
		printf '[cpufreq:%s]\nmax_freq = %s\n' "$round_policy" $((round_top * 2 + 1000)) \
			>"$scratch/slip.ini"
		run apply "$scratch/slip.ini"
		exits 2 'twice the highest is a slip of the unit'
		reads "$cpufreq/$round_policy/scaling_max_freq" "$round_below" 'and touches nothing'
		run revert
		exits 0 'revert'
	done
	restored "$scratch/state.start" 'everything is as before'
}

# Killed when the first value shows, before the last does; tried again if it was too fast.
check_killed() {
	check killed
	kill_policy=${policies%% *}
	kill_tries=5
	while [ $kill_tries -gt 0 ]; do
		kill_tries=$((kill_tries - 1))
		"$BOARDTUNE" apply "$scratch/all.ini" >/dev/null 2>&1 &
		kill_pid=$!
		# on one CPU it would be over before the look
		renice -n 15 -p $kill_pid >/dev/null
		until_changed
		kill -KILL $kill_pid 2>/dev/null
		wait $kill_pid 2>/dev/null
		kill_status=$?
		[ $kill_status != 137 ] || { has_middle && ! is_halfway; } || break
		run revert
	done
	is $kill_status 137 'an apply is killed'
	if has_middle; then
		is_halfway
		ok $? 'in the middle: its last setting is not there'
	fi
	sleep 0.3
	board_state >"$scratch/state.killed"
	cmp -s "$scratch/state.start" "$scratch/state.killed"
	is $? 1 'it had begun'
	run revert
	exits 0 'revert'
	restored "$scratch/state.start" 'everything is as before'
}

# Without clocks there is one setting; on one CPU all are written before the look.
has_middle() {
	[ -n "$policies" ] && [ "$(nproc)" -gt 1 ]
}

# Clocks come first, the NIC last.
is_halfway() {
	[ "$(feature "$nic" "${nic_feature:-$nic_key}")" = on ]
}

# Until the apply in the background shows its first change, or ended. No process is
# started for each look: an apply is quick.
until_changed() {
	if [ -n "$kill_policy" ]; then
		while read -r kill_seen <"$cpufreq/$kill_policy/scaling_governor"; do
			[ "$kill_seen" != "$governor" ] && [ -d "/proc/$kill_pid" ] || break
		done
	else
		while [ -d "/proc/$kill_pid" ]; do
			[ "$(feature "$nic" "${nic_feature:-$nic_key}")" = on ] || break
		done
	fi
}

check_fixed() {
	check fixed
	[ -n "$nic_fixed" ] || return 0
	is "$(feature "$nic" "$nic_fixed")" 'off [fixed]' "$nic_fixed of $nic is fixed"
	printf '[net:a]\nName = %s\n%s = off\n%s = on\n' "$nic" "$nic_key" "$nic_fixed" \
		>"$scratch/fixed.ini"
	run apply "$scratch/fixed.ini" --json
	exits 1 'it cannot be switched on'
	is "$(rows | awk -F "$tab" '$3 == "fixed" { print $2 }')" "$nic" 'fixed'
	restored "$scratch/state.start" 'nothing is touched'
	sed "s/^$nic_fixed/-&/" "$scratch/fixed.ini" >"$scratch/forgiven.ini"
	run apply "$scratch/forgiven.ini" --json
	exits 0 'forgiven with a dash'
	is "$(feature "$nic" "${nic_feature:-$nic_key}")" off 'the rest is done'
	run revert
	printf '[net:a]\nName = %s\n%s = off\n' "$nic" "$nic_fixed" >"$scratch/asis.ini"
	run apply "$scratch/asis.ini" --json
	exits 0 'fixed at what is wanted'
	is "$(rows | cut -f 3 | sort -u)" ok 'is ok'
	run revert
	restored "$scratch/state.start" 'everything is as before'
}

# A policy all of whose CPUs are offline: for boards with two policies.
check_offline() { # POLICY CPU...
	check offline
	off_policy=$1
	shift
	for off_cpu in "$@"; do
		echo 0 >"/sys/devices/system/cpu/cpu$off_cpu/online"
	done
	run plan "$scratch/all.ini" --json
	exits 0 'a plan can still be made'
	is "$(row "$off_policy" cpufreq.max_freq outcome)" missing "$off_policy is missing"
	run apply "$scratch/all.ini"
	exits 1 'an apply is refused'
	sed "s/^\(governor\|m.._freq\|$tunable\) =/-&/" "$scratch/all.ini" >"$scratch/dash.ini"
	run apply "$scratch/dash.ini"
	exits 0 'forgiven with a dash'
	off_other=$(printf '%s\n' $policies | grep -vx "$off_policy" | head -n 1)
	reads "$cpufreq/$off_other/scaling_max_freq" "$(point "$off_other" -1)" \
		"$off_other is done"
	run revert
	exits 0 'revert'
	for off_cpu in "$@"; do
		echo 1 >"/sys/devices/system/cpu/cpu$off_cpu/online"
	done
	restored "$scratch/state.start" 'everything is as before'
}

# Cooling holds the policies below what is asked for.
check_held() {
	check held
	heat
	for held_policy in $policies; do
		printf '[cpufreq:%s]\nmax_freq = %s\n' "$held_policy" "$(point "$held_policy" -1)"
	done >"$scratch/held.ini"
	run apply "$scratch/held.ini" --json
	exits 0 'applied while cooling holds the clock lower'
	for held_policy in $policies; do
		is "$(row "$held_policy" cpufreq.max_freq outcome)" held "$held_policy: held"
		is "$(row "$held_policy" cpufreq.max_freq before)" null \
			"$held_policy: what was before is unknown"
		[ "$(policy_file "$held_policy" scaling_max_freq)" -lt \
			"$(point "$held_policy" -1)" ]
		ok $? "$held_policy: it is held indeed"
	done
	cool
	for held_policy in $policies; do
		reads "$cpufreq/$held_policy/scaling_max_freq" "$(point "$held_policy" -1)" \
			"$held_policy: once cool it is as asked for"
	done
	run verify
	exits 0 'all hold'
	run revert
	exits 0 'revert'
	restored "$scratch/state.start" 'no cap of the cooling stays behind'
}

# What every board with clocks is asked first, in this order.
check_settings() {
	check_identity
	check_plan
	check_apply
	check_verify
	check_revert
	check_tunables
	check_rounding
	check_killed
	check_fixed
}

# ---- trials

# cable_up NIC PEER-NIC: the other end into a namespace, where iperf3 -s waits. By busybox
# alone, whose ip knows no netns.
cable_up() {
	ip link set lo up
	unshare -n sleep 3600 &
	peer_pid=$!
	await 'the peer has a namespace of its own' peer_apart
	ip link set "$2" netns $peer_pid
	in_peer ip link set lo up
	in_peer ip address add 192.0.2.2/30 dev "$2"
	in_peer ip link set "$2" up
	ip address add 192.0.2.1/30 dev "$1"
	ip link set "$1" up
	await "$1 has a carrier" contents_are "/sys/class/net/$1/carrier" 1
	in_peer iperf3 -s >"$scratch/iperf3.log" 2>&1 &
	await 'the peer listens' peer_listens
	await 'the peer answers' ping -c 1 -W 1 192.0.2.2
}

in_peer() {
	nsenter -t "$peer_pid" -n "$@"
}

peer_apart() {
	[ "$(readlink "/proc/$peer_pid/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

peer_listens() {
	in_peer netstat -ltn | grep -q ':5201 '
}

# trial PROFILE OPTION...: by one cell; leaves $code and the document in $scratch/out
trial() {
	# an emulated CPU alone is hardly ever as idle as a trial asks for
	run trial "$@" --peer 192.0.2.2 --cells ipv4-tx --yes --json --no-wait
}

# setup ANSWER...: one a line
setup() {
	printf '%s\n' "$@" >"$scratch/answers"
	"$BOARDTUNE" setup --quick --no-wait --cells ipv4-tx --time 1 <"$scratch/answers" \
		>"$scratch/out" 2>"$scratch/err"
	code=$?
}

# From the first question to the boot, by DMI, without systemd. After cable_up.
check_setup() { # POLICY
	check setup
	setup_max=$(policy_file "$1" scaling_max_freq)
	board_state >"$scratch/state.setup"
	mkdir -p /etc/boardtune/profiles /etc/init.d
	: >/etc/init.d/boardtune
	printf '[main]\nsummary = of the guest\n[board]\ndmi = *:Simulated?board:*\n' \
		>/etc/boardtune/profiles/guest.ini
	printf '[cpufreq:%s]\nmax_freq = %s\n' "$1" "$(point "$1" -1)" \
		>>/etc/boardtune/profiles/guest.ini
	run recommend
	exits 0 'a profile for this board'
	grep -q '^guest: of the guest' "$scratch/out"
	ok $? 'is found by DMI' || explain "$scratch/out"
	setup '' 192.0.2.2 n
	exits 1 'not to be measured'
	restored "$scratch/state.setup" 'nothing is changed'
	setup '' 192.0.2.2 y y
	case $code in
	0) reads "$cpufreq/$1/scaling_max_freq" "$(point "$1" -1)" 'not worse: kept' ;;
	1 | 6) restored "$scratch/state.setup" "not kept (exit $code): put back" ;;
	*) exits 0 'measured' ;;
	esac
	grep -q '^Verdict: ' "$scratch/out"
	ok $? 'by a verdict' || explain "$scratch/err" "$scratch/out"
	[ "$code" = 0 ] || setup '' - y y y
	exits 0 'set, kept, enabled'
	reads "$cpufreq/$1/scaling_max_freq" "$(point "$1" -1)" 'the profile is in force'
	is "$(tail -n 1 /etc/boardtune/boardtune.conf)" 'profile = guest' 'and the boot profile'
	run enable auto
	exits 0 'left to each boot'
	run verify
	exits 0 'which verify takes for guest'
	run apply --boot
	exits 1 'this system is in memory, so no boot can be guarded'
	grep -q 'outlives a crash' "$scratch/err"
	ok $? 'which is said' || explain "$scratch/err"
	run disable --now
	exits 0 'disable --now'
	reads "$cpufreq/$1/scaling_max_freq" "$setup_max" 'takes it back'
	restored "$scratch/state.setup" 'all of it'
	rm /etc/boardtune/profiles/guest.ini /etc/init.d/boardtune
}

# verdict_agrees TEXT: an exit code for each verdict
verdict_agrees() {
	case "$(field verdict) $code" in
	'better 0' | 'same 0' | 'worse 1' | 'inconclusive 6') true ;;
	*) false ;;
	esac
	ok $? "$1: a verdict, and its exit code" || explain "$scratch/err" "$scratch/out"
}

# The NIC's own counter saw the traffic that the trial says it measured.
check_trial() { # [OPTION...]
	check trial
	printf '[net:a]\nName = %s\n%s = off\n' "$nic" "$nic_key" >"$scratch/trial.ini"
	trial_bytes=$(cat "/sys/class/net/$nic/statistics/tx_bytes")
	trial "$scratch/trial.ini" --time 2 --omit 0 --pairs 3 --keep never "$@"
	cp "$scratch/out" "$scratch/trial.json"
	verdict_agrees "$nic_key off"
	is "$(field nic)" "$nic" 'about this NIC'
	is "$(field pairs)" 3 'of three pairs'
	has_word flags short
	ok $? 'flagged as short'
	trial_bytes=$((($(cat "/sys/class/net/$nic/statistics/tx_bytes") - trial_bytes) / 1000))
	# of the tests; those of the samples stand further to the right
	trial_says=$(awk '/^          "bytes": / { gsub(/,/, ""); n += $2 }
		END { printf "%d", n / 1000 }' "$scratch/trial.json")
	[ "$trial_says" -gt 0 ] && [ "$trial_bytes" -ge "$trial_says" ]
	ok $? "the NIC sent what was measured ($trial_bytes kB, measured $trial_says kB)"
	is "$(field kept)" false 'not kept'
	restored "$scratch/state.start" 'everything is as before'
	trial "$scratch/trial.ini" --time 1 --omit 0 --pairs 2 --keep always
	verdict_agrees 'to be kept'
	is "$(field kept)" true 'kept'
	is "$(feature "$nic" "${nic_feature:-$nic_key}")" off 'and in force'
	run revert
	exits 0 'revert'
	restored "$scratch/state.start" 'everything is as before'
}
