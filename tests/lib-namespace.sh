# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# lib-namespace.sh - the test that sources it runs in namespaces of its own; see lib.sh
#
# Set need_root=yes where a user namespace is not enough, need_tools to the programs,
# need_disk=yes where $scratch must be known to outlive a crash. The script starts itself
# again; sysfs is mounted anew, as it shows the namespace of its mount.

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

if [ -z "${INSIDE_NAMESPACES-}" ]; then
	for tool in ip unshare ${need_tools-}; do
		command -v "$tool" >/dev/null || skip "no $tool"
	done
	flags=-nm
	if [ "$(id -u)" != 0 ]; then
		[ "${need_root-}" != yes ] || skip 'not root: a user namespace may not do this'
		flags=-Urnm
	fi
	unshare $flags true 2>/dev/null || skip 'no namespaces here'
	INSIDE_NAMESPACES=1 exec unshare $flags bash "$0"
fi
mount --make-rprivate / && mount -t sysfs sysfs /sys && mount -t tmpfs tmpfs /run &&
	mount -t tmpfs tmpfs /var/lib ||
	skip 'no private mounts'
[ "${need_disk-}" != yes ] || export TMPDIR=/var/tmp
. "${srcdir:-.}/tests/lib.sh" || exit 99
if [ "${need_disk-}" = yes ]; then
	case $(stat -f -c %T "$scratch") in
	tmpfs | ramfs | overlayfs) skip "$scratch is not known to be on a disk" ;;
	esac
fi
