#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# check-docs.sh - TAP: --help, manual, completions, outcomes, profiles, translations agree
#
# That the registry and boardtune.ini(5) agree is tests/unit/test-docs.c.
set -u

boardtune=${BOARDTUNE:-./boardtune}
srcdir=${srcdir:-.}
manual=$srcdir/man/boardtune.8
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
count=0
failed=0
LC_ALL=C
export LC_ALL

# same NAME FILE FILE: two lists that have to agree
same() {
	count=$((count + 1))
	if [ -s "$2" ] && diff -u "$2" "$3" >"$scratch/diff"; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/# /' "$scratch/diff"
	fi
}

# The long options of a text, sorted.
options_of() {
	grep -oE -- '--[a-z][a-z-]+' | sort -u
}

# Those of the manual are written .Fl -name.
manual_options() {
	grep -oE '^\.It Fl.*' "$manual" | grep -oE ' -[a-z][a-z-]+' | sed 's/^ /-/' | sort -u
}

# Commands of --help: two blanks, the name, perhaps its arguments.
commands=$("$boardtune" --help | sed -n '/^Options:/q; s/^  \([a-z][a-z]*\) .*/\1/p')
if [ -z "$commands" ]; then
	echo 'Bail out! --help shows no commands'
	exit 1
fi
printf '%s\n' "$commands" | sort >"$scratch/help"

sed -n '/^\.Sh COMMANDS/,/^\.Sh OPTIONS/s/^\.It Cm \([a-z]*\).*/\1/p' "$manual" |
	sort -u >"$scratch/manual"
same 'commands of --help and of the manual' "$scratch/help" "$scratch/manual"
sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/s/^\.Cm \([a-z]*\).*/\1/p' "$manual" |
	sort -u >"$scratch/manual"
same 'commands of --help and of the synopsis' "$scratch/help" "$scratch/manual"
bash -c '. "$1"; COMP_WORDS=(boardtune ""); COMP_CWORD=1; _boardtune
	printf "%s\n" "${COMPREPLY[@]}"' - "$srcdir/data/completions/boardtune.bash" |
	sort >"$scratch/completions"
same 'commands of --help and of the completions' "$scratch/help" "$scratch/completions"

"$boardtune" --help | options_of >"$scratch/help"
manual_options >"$scratch/manual"
same 'options of --help and of the manual' "$scratch/help" "$scratch/manual"

for command in $commands; do
	"$boardtune" "$command" --help | sed -n '/^Options:/,$p' | options_of |
		grep -vx -- --version >"$scratch/help"
	bash -c '. "$1"; COMP_WORDS=(boardtune "$2" -); COMP_CWORD=2; _boardtune
		printf "%s\n" "${COMPREPLY[@]}"' - \
		"$srcdir/data/completions/boardtune.bash" "$command" |
		grep -vx -- --version | sort >"$scratch/completions"
	same "options of $command: --help and completions" "$scratch/help" \
		"$scratch/completions"
done

sed -n 's/^.*\[OUTCOME_[A-Z]*\] = { "\([a-z]*\)".*/\1/p' "$srcdir/src/knobs/knob.c" |
	sort >"$scratch/source"
sed -n '/^\.Sh OUTCOMES/,/^\.El/s/^\.It \([a-z]*\) Ta.*/\1/p' "$manual" |
	sort >"$scratch/manual"
same 'outcomes of the source and of the manual' "$scratch/source" "$scratch/manual"

sed -n 's/^\tEXIT_[A-Z_]* = \([0-9]*\),.*/\1/p' "$srcdir/src/cmd.h" >"$scratch/source"
sed -n '/^\.Sh EXIT STATUS/,/^\.El/s/^\.It \([0-9]\) Ta.*/\1/p' "$manual" >"$scratch/manual"
same 'exit codes of the source and of the manual' "$scratch/source" "$scratch/manual"

for profile in "$srcdir"/data/profiles/*.ini; do
	echo 0 >"$scratch/want"
	"$boardtune" show "$profile" --sysroot "$scratch" >/dev/null 2>"$scratch/err"
	echo $? >"$scratch/got"
	same "${profile##*/} loads" "$scratch/want" "$scratch/got"
	sed 's/^/# /' "$scratch/err"
done

# Messages of the sources that a translation lacks, or has only by guess.
for po in "$srcdir"/po/*.po; do
	name="${po##*/} has every message"
	if ! command -v xgettext >/dev/null || ! command -v msgmerge >/dev/null; then
		count=$((count + 1))
		echo "ok $count - $name # SKIP gettext's tools are not installed"
		continue
	fi
	xgettext -D "$srcdir" -f "$srcdir/po/POTFILES.in" --from-code=UTF-8 --keyword=_ \
		--keyword=N_ -o "$scratch/all.pot" &&
		msgmerge -q --no-fuzzy-matching "$po" "$scratch/all.pot" -o "$scratch/all.po"
	echo "merged $?" >"$scratch/got"
	for kind in --untranslated --only-fuzzy; do
		msgattrib --no-obsolete --no-wrap $kind "$scratch/all.po"
	done | grep '^msgid "..*' >>"$scratch/got"
	echo 'merged 0' >"$scratch/want"
	same "$name" "$scratch/want" "$scratch/got"
done

echo "1..$count"
[ "$failed" = 0 ]
