# SPDX-License-Identifier: GPL-2.0-or-later
# r4s.board.sh - NanoPi R4S by name: arm64, clusters of 4 and 2 CPUs, two thermal zones
# shellcheck shell=bash disable=SC2034,SC2154 # what run, host.sh and the boards share

# shellcheck source=tests/guest/arm/virt.sh
. "$here/virt.sh"
board_set=commit
board_test=arm/r4s.test.sh
virt_cpus=6
arm_wait=$arm_wait,/sys/devices/system/cpu/cpufreq/policy4,/sys/class/thermal/thermal_zone1
