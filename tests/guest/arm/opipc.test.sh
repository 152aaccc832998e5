# SPDX-License-Identifier: GPL-2.0-or-later
# opipc.test.sh - a board whose cpufreq never appears, and whose NIC is tuned all the same
# shellcheck shell=sh disable=SC2034,SC2154 # variables of board-checks.sh
. /test/tap-guest.sh
. /test/board-checks.sh
. /test/lib-arm.sh

board_model='Xunlong Orange Pi PC'
board_compatible=xunlong,orangepi-pc
policies=
clock_follows=no
tunable=
nic=eth0
nic_key=gro
nic_feature=generic-receive-offload
nic_fixed=tx-tcp-segmentation

ip link set $nic up
check_identity
check_plan
check_no_cpufreq
check_apply
check_verify
check_revert
check_fixed
finish
