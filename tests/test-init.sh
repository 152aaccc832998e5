#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test-init.sh - TAP: the init scripts, with stand-ins for what they call
# shellcheck disable=SC2154 # scratch, code: lib.sh
set -u
. "${srcdir:=.}/tests/lib.sh"

bin=$scratch/bin
log=$scratch/log
mkdir "$bin"

# A stand-in that notes how it was called and exits with $STATUS.
stand_in() {
	cat >"$bin/boardtune" <<-END
		#!/bin/sh
		echo "boardtune \$*" >>"$log"
		exit "\${STATUS:-0}"
	END
	chmod +x "$bin/boardtune"
}
stand_in

# rc.common of OpenWrt as far as the script uses it: a file that is run with the script
cat >"$scratch/rc.common" <<'END'
extra_command() { commands="${commands-} $1"; }
script=$1
. "$script"
case $2 in
start) start_service ;;
reload) reload_service ;;
verify) verify ;;
variables) echo "$START $USE_PROCD$commands" ;;
esac
END

# prepare KIND: the script as it is installed, but for the directories
prepare() {
	sed "s|@bindir@|$bin|" "units/init/$1/boardtune.in" >"$scratch/$1"
	chmod +x "$scratch/$1"
}

# call STATUS COMMAND...: leaves $code and what was called in $called
call() {
	: >"$log"
	status=$1
	shift
	STATUS=$status PATH=$bin:$PATH "$@" >"$scratch/out" 2>"$scratch/err"
	code=$?
	called=$(cat "$log")
}

prepare sysv
for verb in start restart reload force-reload; do
	call 0 "$scratch/sysv" $verb
	is "$code $called" '0 boardtune apply --boot' "$verb applies; that has its own guard"
done
call 1 "$scratch/sysv" start
is "$code" 1 'a failed apply is a failed start'
call 0 "$scratch/sysv" stop
is "$code $called" '0 ' 'stop leaves what is in force'
call 1 "$scratch/sysv" status
is "$code $called" '1 boardtune verify' 'status is verify, with its exit code'
call 0 "$scratch/sysv" no-such
is "$code $called" '2 ' 'another word is an error, and nothing is called'
for key in Provides Required-Start Required-Stop Default-Start Default-Stop \
	Short-Description Description; do
	sed -n '/^### BEGIN INIT INFO/,/^### END INIT INFO/p' "$scratch/sysv" |
		grep -q "^# $key:"
	ok $? "LSB header $key"
done
rm "$bin/boardtune"
call 0 "$scratch/sysv" start
is "$code $called" '0 ' 'removed, not purged: does nothing'

stand_in
prepare procd
is "$(head -n 1 "$scratch/procd")" '#!/bin/sh /etc/rc.common' 'procd: run by rc.common'
call 0 sh "$scratch/rc.common" "$scratch/procd" variables
is "$(cat "$scratch/out")" '99 1 verify' 'procd: late, and verify is a command'
call 0 sh "$scratch/rc.common" "$scratch/procd" start
is "$called$(cat "$scratch/out")" 'boardtune apply --boot' 'procd: start applies, no more'
call 0 sh "$scratch/rc.common" "$scratch/procd" reload
is "$called" 'boardtune apply --boot' 'procd: reload applies'
call 1 sh "$scratch/rc.common" "$scratch/procd" verify
is "$code $called" '1 boardtune verify' 'procd: verify'
done_testing
