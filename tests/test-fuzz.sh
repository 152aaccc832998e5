#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-fuzz.sh - each fuzz target over its seeds and a fixed set of mutations of them
replay=${builddir:-.}/fuzz
case $replay in /*) ;; *) replay=$PWD/$replay ;; esac
. "${srcdir:-.}/tests/lib.sh" || exit 99

# target NAME SEED...
target() {
	local name=$1
	shift
	"$replay/replay-$name" "$@" >"$scratch/out" 2>"$scratch/err"
	ok $? "fuzz-$name: $# seeds"
	grep -E '^not ok|^#|ERROR|runtime error' "$scratch/out" "$scratch/err" | sed 's/^/# /'
}

target board tests/boards/unit/*.board tests/boards/nanopi-neo2.board
target profile data/profiles/*.ini data/quirks/*.ini tests/boards/unit/*.ini \
	fuzz/corpus/import/*
target interrupts fuzz/corpus/interrupts/*
target ethtool fuzz/corpus/ethtool/*
target value fuzz/corpus/value/*
target uevent fuzz/corpus/uevent/*
target undo fuzz/corpus/undo/*
target iperf fuzz/corpus/iperf/*
: "${MAKE_RUN:?MAKE_RUN must name tests/make-run}"
"$MAKE_RUN" pairs=1 cells=ipv4-tx >"$scratch/run.json"
"$MAKE_RUN" pairs=1 cells=ipv4-tx bare=1 >"$scratch/bare.json"
# what the run is of bears the name of its host
"$MAKE_RUN" pairs=1 cells=ipv4-tx model=attic-router >"$scratch/named.json"
target run "$scratch/run.json" "$scratch/bare.json" "$scratch/named.json"
done_testing
