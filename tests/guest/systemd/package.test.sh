# SPDX-License-Identifier: GPL-2.0-or-later
# package.test.sh - the Debian package comes, is upgraded and goes; sourced by systemd.test.sh
# shellcheck shell=sh disable=SC2154,SC3044 # variables of systemd.test.sh; `run enable`
#
# Needs /lab/boardtune.deb, of BOARDTUNE_GUEST_DEB. Leaves the package installed in place of
# what "make install" has installed, with auto enabled, which is guest.ini here.

package_profile=/etc/boardtune/profiles/owner.ini

# repack VERSION: the package again as a higher version, to $scratch/VERSION.deb; not
# compressed, which takes long under emulation
repack() {
	rm -rf "$scratch/deb"
	dpkg-deb -R /lab/boardtune.deb "$scratch/deb" &&
		sed -i "s/^Version: .*/Version: $1/" "$scratch/deb/DEBIAN/control" &&
		dpkg-deb -Znone --root-owner-group -b "$scratch/deb" "$scratch/$1.deb" >/dev/null
}

# dpkg_does TEXT ARG...: dpkg, with what it says if it fails
dpkg_does() {
	text=$1
	shift
	DEBIAN_FRONTEND=noninteractive dpkg --force-unsafe-io "$@" >"$scratch/dpkg" 2>&1
	ok $? "$text" || explain "$scratch/dpkg"
}

# our_units: what systemd knows of us as active or enabled
our_units() {
	systemctl list-units --plain --no-legend 'boardtune*' | awk '{ print $1 }'
	find /etc/systemd/system -name 'boardtune*'
}

check_package() {
	check package
	if [ ! -e /lab/boardtune.deb ]; then
		skip 'BOARDTUNE_GUEST_DEB names no package'
		return
	fi
	run revert --quiet
	run disable --quiet
	systemctl stop 'boardtune*'
	# without manuals and messages dpkg would not know of them
	find /usr -xdev -name '*boardtune*' -exec rm -rf {} +
	systemctl reset-failed 'boardtune*' 2>/dev/null
	dpkg_does 'installed' -i /lab/boardtune.deb
	is "$(our_units)" '' 'nothing is enabled, nothing runs'
	[ ! -e /run/boardtune/undo.json ] && [ ! -e /etc/boardtune/boardtune.conf ]
	ok $? 'nothing is in force, no profile is chosen'

	cp /etc/boardtune/profiles/guest.ini $package_profile
	run enable owner
	exits 0 'enable'
	systemctl start $unit boardtune-serve.socket boardtune-watch.service
	ok $? 'started by hand: tuning, the peer, the watch'
	started=$(show InvocationID)$(show InvocationID boardtune-watch.service)
	repack 99 && echo '# mine' >>$package_profile
	dpkg_does 'upgraded' -i "$scratch/99.deb"
	is "$(dpkg-query -W -f '${Version} ${Status}' boardtune)" '99 install ok installed' \
		'a higher version'
	is "$(show InvocationID)$(show InvocationID boardtune-watch.service)" "$started" \
		'no unit was restarted'
	is "$(systemctl is-active $unit boardtune-watch.service | sort -u)" active \
		'nor stopped'
	is "$(tail -n 1 $package_profile) $(systemctl is-enabled $unit)" '# mine enabled' \
		"the owner's profile is kept, and what is enabled"

	dpkg_does 'removed' -r boardtune
	is "$(our_units)" '' 'nothing of us runs or is enabled'
	/lab/look /run/lab/now
	in_force now 'what is in force stays'
	[ ! -e /usr/bin/boardtune ] && [ -e $package_profile ]
	ok $? 'the program is gone, the profile is not'
	dpkg_does 'installed again' -i "$scratch/99.deb"
	is "$(our_units)" '' 'still nothing is enabled'
	run revert
	as_before 'revert still knows what was before'

	run disable --quiet
	rm $package_profile
	mv /etc/boardtune/profiles "$scratch/profiles"
	dpkg_does 'purged' -P boardtune
	is "$(find / -xdev -name '*boardtune*' ! -path '/lab/*' ! -path '/proc/*' \
		! -path '/tmp/*' ! -path '/var/lib/dpkg/*')" '' 'nothing of ours is left'

	dpkg_does 'installed for the next boot' -i /lab/boardtune.deb
	cp "$scratch"/profiles/* /etc/boardtune/profiles/
	run enable auto
	exits 0 'the next boot finds the profile itself'
}
