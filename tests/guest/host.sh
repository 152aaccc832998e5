# SPDX-License-Identifier: GPL-2.0-or-later
# host.sh - sourced by run: the cache, packages of Debian unpacked into it, builds, QEMU
# shellcheck shell=bash
#
# Needs $guest (this directory) and $top (the source tree). Sets $cache. A board's file is
# sourced after it and may use every function here; see README.md.
# shellcheck disable=SC2034,SC2154 # what run and the boards share with this

# shellcheck source=tools/packages.sh
. "$top/tools/packages.sh"

PATH=$PATH:/usr/sbin:/sbin # depmod, debootstrap: an ordinary user may lack them
cache=${XDG_CACHE_HOME:-$HOME/.cache}/boardtune-guest
mkdir -p "$cache" || exit 1
guest_pid=

# What this run alone has; what runs that were killed left goes, too.
find "$cache" -maxdepth 1 -type d -name '*.??????' -mtime +0 -exec rm -rf {} +
work=$(mktemp -d "$cache/run.XXXXXX") || exit 1

note() {
	printf '# %s\n' "$*"
}

# take_lock NAME: wait for the lock of that name in the cache; it is held by descriptor 9,
# and by who inherits that, until drop_lock. In the background, so that a signal is heard.
take_lock() {
	exec 9>"$cache/$1.lock" || return 1
	flock 9 &
	wait $!
}

drop_lock() {
	exec 9>&-
}

# ---- packages

# apt_for ARCH get|cache ARG...: apt-get or apt-cache for another architecture of this
# Debian, with package lists of its own in the cache; this system stays as it is.
apt_for() {
	local arch=$1 tool=apt-$2 lists=$cache/lists-$1

	shift 2
	mkdir -p "$lists/partial"
	"$tool" -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
		-o Dir::State::Lists="$lists" -o Dir::Cache::pkgcache= \
		-o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root "$@"
}

# unpack_package ARCH PACKAGE DIR: unpack a package into DIR, which may have others in it.
# The archive is not kept; a stamp of the package says that it was done.
unpack_package() {
	local arch=$1 package=$2 dir=$3 load

	[ ! -e "$dir/.unpacked-$package" ] || return 0
	note "$arch: unpacking $package"
	load=$(mktemp -d "$work/load.XXXXXX") || return 1
	if ! (cd "$load" && {
		apt_for "$arch" get download -q "$package" ||
			{ apt_for "$arch" get update -q &&
				apt_for "$arch" get download -q "$package"; }
	}) >"$load/log" 2>&1; then
		sed 's/^/# /' "$load/log"
		rm -rf "$load"
		return 1
	fi
	mkdir -p "$dir" && dpkg-deb -x "$load"/*.deb "$dir" && touch "$dir/.unpacked-$package"
	local status=$?
	rm -rf "$load"
	return $status
}

# digest FILE...: one word that changes when one of them does
digest() {
	cat -- "$@" | sha256sum | cut -c 1-16
}

# cached FILE WORD: whether FILE was made from what WORD stands for; cached_as notes it.
cached() {
	[ -e "$1" ] && [ "$(cat "$1.made-of" 2>/dev/null)" = "$2" ]
}

cached_as() {
	printf '%s\n' "$2" >"$1.made-of"
}

# ---- boardtune

# Copy the sources to $cache/source, so that they build there whatever the tree itself is
# configured for. Only what differs is written: make then builds only that anew.
guest_source() {
	local file

	(cd "$top" && find configure.ac Makefile.am build-aux/tap-driver.sh po/LINGUAS \
		po/Makevars po/POTFILES.in po/*.po src data man units tests/unit tests/*.h \
		tests/netns fuzz -name '.*' -prune -o -type f ! -name '*.[oa]' -print) \
		>"$cache/source.list"
	(cd "$top" && tr '\n' '\0' <"$cache/source.list" | xargs -0 sha256sum) \
		>"$cache/source.new" || return 1
	touch "$cache/source.sums"
	while read -r _ file; do
		mkdir -p "$cache/source/$(dirname -- "$file")" &&
			cp "$top/$file" "$cache/source/$file" || return 1
	done < <(grep -vxFf "$cache/source.sums" "$cache/source.new")
	mv "$cache/source.new" "$cache/source.sums"
	if [ ! -x "$cache/source/configure" ] ||
		[ "$cache/source/configure.ac" -nt "$cache/source/configure" ]; then
		(cd "$cache/source" && autoreconf -fi) >"$cache/source.log" 2>&1
	fi
}

# guest_build NAME [CONFIGURE-ARG...]: build the program in $cache/build-NAME and copy it to
# $work/boardtune-NAME: another tree may build there once this board is prepared
guest_build() {
	local name=$1 dir=$cache/build-$1

	shift
	guest_source || die 'The sources cannot be prepared.'
	mkdir -p "$dir"
	(
		cd "$dir" || exit
		[ -e config.status ] && [ config.status -nt ../source/configure ] ||
			../source/configure -q --prefix=/usr "$@" || exit
		make -s -j"$(nproc)" boardtune
	) >"$dir.log" 2>&1 || {
		tail -n 30 "$dir.log" | sed 's/^/# /'
		die "boardtune for $name does not build, see $dir.log"
	}
	cp "$dir/boardtune" "$work/boardtune-$name" || die 'No room for the program.'
}

# guest_boardtune: the program for this machine's architecture; sets $boardtune. The
# environment may name a configured build tree, or the program itself.
guest_boardtune() {
	if [ -n "${BOARDTUNE_GUEST_PROGRAM-}" ]; then
		boardtune=$BOARDTUNE_GUEST_PROGRAM
	elif [ -n "${BOARDTUNE_BUILD-}" ]; then
		make -s -C "$BOARDTUNE_BUILD" boardtune >&2 || die 'boardtune does not build.'
		boardtune=$BOARDTUNE_BUILD/boardtune
	else
		guest_build native
		boardtune=$work/boardtune-native
	fi
}

# ---- images

# pack DIR OUT: a directory as a compressed initramfs, owned by root
pack() {
	(cd "$1" && find . -print0 | cpio -0 -o -H newc -R 0:0 --quiet) |
		gzip -1 >"$2.new" && mv "$2.new" "$2"
}

# overlay OUT FILE:GUESTPATH...: a small initramfs to append to a cached one
overlay() {
	local out=$1 dir pair status

	shift
	dir=$(mktemp -d "$work/overlay.XXXXXX") || return 1
	for pair in "$@"; do
		mkdir -p "$dir/$(dirname -- "${pair#*:}")" &&
			cp -L "${pair%%:*}" "$dir/${pair#*:}" || return 1
	done
	pack "$dir" "$out"
	status=$?
	rm -rf "$dir"
	return $status
}

# ---- QEMU

# $guest_results is the file that the guest's TAP of this boot goes to; a board gives it to
# QEMU as what its second serial port or its virtio console writes to, e.g.
# -serial file:$guest_results

# tap_finished FILE: whether there is a plan line, as the last line of a TAP stream
tap_finished() {
	[ -s "$1" ] && tr -d '\r' <"$1" | grep -q '^1\.\.[0-9]'
}

# guest_end: end the QEMU that runs, if one does
guest_end() {
	[ -n "$guest_pid" ] || return 0
	kill "$guest_pid" 2>/dev/null
	wait "$guest_pid" 2>/dev/null
	guest_pid=
}

# guest_boot NAME SECONDS QEMU ARG...: boot a guest, wait for its TAP, end it. At most
# SECONDS from the start; one QEMU at a time in each slot of this machine, which the lock
# sees to, that QEMU itself holds. Returns 0 when the guest came to its plan line. The console is in
# $cache/NAME.console, the TAP in $guest_results.
guest_boot() {
	local name=$1 limit=$2 patience=6 begin

	shift 2
	take_lock "qemu-$guest_slot" || return 1
	begin=$SECONDS
	: >"$guest_results"
	# timeout(1) passes the signal on and keeps the limit even if we are killed
	timeout -k 5 "$limit" "$@" -accel tcg -no-reboot \
		>"$cache/$name.console" 2>&1 </dev/null &
	guest_pid=$!
	while kill -0 "$guest_pid" 2>/dev/null; do
		sleep 0.25
		# not every board can switch itself off
		tap_finished "$guest_results" && patience=$((patience - 1))
		[ $patience -gt 0 ] || break
	done
	guest_end
	drop_lock
	echo $((SECONDS - begin)) >>"$work/seconds"
	tap_finished "$guest_results"
}
