# SPDX-License-Identifier: GPL-2.0-or-later
# packages.sh - sourced by quickstart and check: what to install, and how
# shellcheck shell=sh

build_packages='gcc libc6-dev make autoconf automake autopoint gettext pkg-config
	libmnl-dev libjansson-dev libinih-dev libsystemd-dev'

# What the tests need besides: peers and a witness for NIC features, namespaces, memory
# checkers, linters, a browser for reports, and what a release archive is packed with.
# shellcheck disable=SC2034 # for check
test_packages='iperf3 iperf ethtool iproute2 procps util-linux valgrind clang shellcheck mandoc
	python3 xz-utils chromium libxml2-utils'

say() {
	printf '%s\n' "$*"
}

die() {
	say "$*" >&2
	exit 1
}

print_other_distributions() {
	cat <<'END'
  Fedora:    sudo dnf install gcc make autoconf automake gettext-devel \
                 pkgconf-pkg-config libmnl-devel jansson-devel inih-devel systemd-devel
  Arch:      sudo pacman -S --needed base-devel libmnl jansson libinih systemd-libs
  openSUSE:  sudo zypper install gcc make autoconf automake gettext-tools \
                 pkgconf-pkg-config libmnl-devel libjansson-devel libinih-devel \
                 systemd-devel
  Alpine:    doas apk add build-base autoconf automake gettext-dev pkgconf libmnl-dev \
                 jansson-dev inih-dev
             and configure with --without-systemd
END
}

# Whether everything the build needs is there, whoever installed it.
build_tools_present() {
	for tool in cc make autoreconf automake autopoint msgfmt pkg-config; do
		command -v "$tool" >/dev/null || return 1
	done
	pkg-config --exists 'libmnl' 'jansson >= 2.10' 'inih' 'libsystemd'
}

package_installed() {
	[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Run a command as root: as it is, or by sudo.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "Neither root nor sudo. As root, run: $*"
	fi
}

apt_install() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
		--no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
}

# Install what is missing of the named packages (Debian and its descendants).
install_packages() {
	missing=
	unknown=
	for package in "$@"; do
		package_installed "$package" && continue
		missing="$missing $package"
		apt-cache show "$package" >/dev/null 2>&1 || unknown=yes
	done
	if [ -z "$missing" ]; then
		say "Installed already: $(printf '%s ' "$@")"
		return 0
	fi
	say "Installing:$missing"
	if [ -n "$unknown" ]; then
		as_root apt-get update -q
	fi
	# shellcheck disable=SC2086 # a list of words
	apt_install $missing && return 0
	say 'Once more, with fresh package lists.'
	as_root apt-get update -q
	# shellcheck disable=SC2086
	apt_install $missing
}

# copy_tree DIR: a copy of the tree in the current directory, without what was built in it
copy_tree() {
	mkdir "$1" || return 1
	if git -c safe.directory="$PWD" rev-parse --git-dir >/dev/null 2>&1; then
		git -c safe.directory="$PWD" ls-files -z --cached --others \
			--exclude-standard >"$1.files"
	else
		find . -path ./build -prune -o -type f -print0 >"$1.files"
	fi
	# A file that is in the index but was removed has no place in the copy.
	xargs -0 sh -c 'for file; do [ ! -e "$file" ] || printf "%s\0" "$file"; done' sh \
		<"$1.files" | tar -c --null -T - | tar -x -C "$1" || return 1
	# with umask 002 a clone's profiles are writable by a group, which is refused
	chmod -R go-w "$1"
}
