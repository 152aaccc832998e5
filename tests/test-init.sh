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
for name in boardtune start-stop-daemon; do
	cat >"$bin/$name" <<-END
		#!/bin/sh
		echo "$name \$*" >>"$log"
		exit "\${STATUS:-0}"
	END
done
chmod +x "$bin"/*

# rc.common of OpenWrt as far as the script uses it: a file that is run with the script
cat >"$scratch/rc.common" <<'END'
extra_command() { commands="${commands-} $1"; }
procd_open_instance() { echo "instance $*"; }
procd_set_param() { echo "param $*"; }
procd_close_instance() { echo "close"; }
script=$1
. "$script"
case $2 in
start) start_service ;;
reload) reload_service ;;
verify) verify ;;
variables) echo "$START $STOP $USE_PROCD$commands" ;;
esac
END

# prepare KIND: the script as it is installed, but for the directories
prepare() {
	sed "s|@bindir@|$bin|; s|/run/boardtune|$scratch/run|" \
		"units/init/$1/boardtune.in" >"$scratch/$1"
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

confirm="start-stop-daemon --start --quiet --oknodo --background --make-pidfile --pidfile \
$scratch/run/confirm.pid --exec $bin/boardtune -- confirm --boot"

prepare sysv
call 0 "$scratch/sysv" start
is "$code $called" '0 boardtune apply --boot' 'start applies; nothing was: nothing to watch'
mkdir "$scratch/run"
for verb in start restart reload force-reload; do
	call 0 "$scratch/sysv" $verb
	is "$code $called" "0 boardtune apply --boot
$confirm" "$verb applies and watches the boot"
done
call 1 "$scratch/sysv" start
is "$code" 1 'a failed apply is a failed start'
call 0 "$scratch/sysv" stop
is "$code $called" "0 start-stop-daemon --stop --quiet --oknodo --remove-pidfile --pidfile \
$scratch/run/confirm.pid --exec $bin/boardtune" 'stop leaves what is in force'
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

cp "$bin/start-stop-daemon" "$bin/boardtune"
sed -i 's/echo "start-stop-daemon/echo "boardtune/' "$bin/boardtune"
prepare procd
is "$(head -n 1 "$scratch/procd")" '#!/bin/sh /etc/rc.common' 'procd: run by rc.common'
call 0 sh "$scratch/rc.common" "$scratch/procd" variables
is "$(cat "$scratch/out")" '99 01 1 verify' 'procd: late, and verify is a command'
call 0 sh "$scratch/rc.common" "$scratch/procd" start
is "$called" 'boardtune apply --boot' 'procd: start applies'
is "$(cat "$scratch/out")" "instance confirm
param command $bin/boardtune confirm --boot
param stderr 1
close" 'procd: and watches the boot'
call 0 sh "$scratch/rc.common" "$scratch/procd" reload
is "$called" 'boardtune apply --boot' 'procd: reload applies'
call 1 sh "$scratch/rc.common" "$scratch/procd" verify
is "$code $called" '1 boardtune verify' 'procd: verify'
done_testing
