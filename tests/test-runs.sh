#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-runs.sh - runs, compare, report over the runs of simulated trials
. "${srcdir:-.}/tests/lib.sh" || exit 99
: "${MAKE_RUN:?MAKE_RUN must name tests/make-run}"

root=$scratch/root
dir=$root/var/lib/boardtune/runs
unset XDG_STATE_HOME
export HOME=/nowhere LC_ALL=C.UTF-8
mkdir -p "$dir"

# has TEXT NAME: a fixed text on stdout
has() {
	grep -qF -- "$1" "$scratch/out"
	ok $? "$2"
}

run runs --sysroot "$root"
is $code 0 'no run: exit 0'
has 'No run is saved yet' 'and that is said'
run runs --sysroot "$root" --json
has '"runs": []' 'an empty list in JSON'
run report --sysroot "$root"
is $code 5 'nothing to report: exit 5'
grep -q '"boardtune runs" lists them' "$scratch/err"
ok $? 'with what to do'

# ---- the list

"$MAKE_RUN" label='first try' started=1499703200 >"$dir/20170710T161320Z-trial.json"
"$MAKE_RUN" label='quiet peer' profile=mine seed=5 effect=1.10 started=1499803200 \
	>"$dir/20170711T200000Z-trial.json"
"$MAKE_RUN" label='日本語の長いラベルです、とても長い' seed=9 effect=1 noise=0.05 \
	started=1499803200 >"$dir/20170711T200000Z-trial-2.json"
printf '{"schema": 1,\n"command": "trial"' >"$dir/20170712T000000Z-trial.json"
echo notes >"$dir/README"

run runs --sysroot "$root"
is $code 0 'a list with a broken file: exit 0'
is "$(wc -l <"$scratch/out")" 4 'a line per run and the heading'
is "$(wc -l <"$scratch/err")" 1 'one line for the broken file'
grep -q 'runs/20170712T000000Z-trial.json: line 2: no JSON$' "$scratch/err"
ok $? 'which says what is wrong where'
is "$(awk 'NR > 1 { print $1, $2, $4 }' "$scratch/out" | tr '\n' ';')" \
	'2 2017-07-11 inconclusive;3 2017-07-11 better;4 2017-07-10 better;' 'newest first'
grep -q '^ 4 .* +23\.[0-9] %  nanopi-\.*  first try ' "$scratch/out"
ok $? 'with what changed, profile and label'
columns=$(python3 - "$scratch/out" <<'END' 2>/dev/null
import sys, unicodedata
print(max(sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line.rstrip("\n"))
          for line in open(sys.argv[1], encoding="utf-8")))
END
)
if [ -n "$columns" ]; then
	[ "$columns" -le 80 ]
	ok $? "80 columns with Japanese letters, too ($columns)"
else
	ok 0 '80 columns with Japanese letters, too # SKIP no python3'
fi
run runs --sysroot "$root" --json
is "$(grep -c '"number": ' "$scratch/out")" 4 'every file in JSON'
has '"error": "line 2: no JSON"' 'the broken one with its error'
has '"verdict": "inconclusive"' 'the others with their verdict'
run runs x --sysroot "$root"
is $code 2 'an argument: exit 2'

# ---- which run

for word in 4 20170710T161320Z-trial 20170710T161320Z-trial.json 'first try' \
	"$dir/20170710T161320Z-trial.json"; do
	run report "$word" --sysroot "$root"
	is $code 0 "a run as \"${word##*/}\""
	has '  Label         first try' 'is the one'
done
run report 1 --sysroot "$root"
is $code 2 'a broken file: exit 2'
for word in 5 0 99999999999999999999999 '' 20170710; do
	run report "$word" --sysroot "$root"
	is $code 5 "no run \"$word\": exit 5"
done
rm "$dir/20170712T000000Z-trial.json"
run report --sysroot "$root"
has 'Verdict: inconclusive (eth0 to 192.0.2.9, margin 2 %)' 'without a name: the newest'

# ---- runs of measure

alone=$scratch/alone
mkdir -p "$alone/var/lib/boardtune/runs"
"$MAKE_RUN" measure=1 effect=1 label=one \
	>"$alone/var/lib/boardtune/runs/20170710T161320Z-measure.json"
"$MAKE_RUN" measure=1 effect=1 seed=9 label=two started=1499803200 \
	>"$alone/var/lib/boardtune/runs/20170711T200000Z-measure.json"
"$MAKE_RUN" label=trial started=1499903200 \
	>"$alone/var/lib/boardtune/runs/20170712T200000Z-trial.json"
run runs --sysroot "$alone"
is $code 0 'a list with runs of measure: exit 0'
is "$(wc -l <"$scratch/err")" 0 'nothing is wrong with them'
grep -q '^ 2  2017-07-11 20:00  -  .* two ' "$scratch/out"
ok $? 'they have no verdict'
run runs --sysroot "$alone" --json
is "$(grep -c '"command": "measure"' "$scratch/out")" 2 'nor in JSON'
is "$(grep -c '"verdict": null' "$scratch/out")" 2 'where it is null'
for format in text markdown html; do
	run report two --sysroot "$alone" --format $format
	is $code 0 "a report, $format: exit 0"
	has 'Measured as it stands: eth0 to 192.0.2.9' "$format: what it is"
	! grep -q 'Verdict:\|inconclusive' "$scratch/out"
	ok $? "$format: no verdict"
done
run report two --sysroot "$alone"
grep -Eq '^IPv4 tx +[0-9]+\.[0-9]$' "$scratch/out"
ok $? 'one figure a test'
! grep -q 'before\|in turn\|margin' "$scratch/out"
ok $? 'and nothing to compare'
grep -Eq '^IPv4 tx +[0-9]+ +[0-9]+ +[0-9]+$' "$scratch/out"
ok $? 'what was lost, one of each kind'
run compare one two --sysroot "$alone"
is $code 0 'two of them compared: exit 0'
grep -Eq '^IPv4 tx +[0-9.]+ +[0-9.]+ +[01]\.[0-9]+ +[01]\.[0-9]+ to ' "$scratch/out"
ok $? 'with ratio and interval'
! grep -qi 'inconclusive\|before\|after' "$scratch/out"
ok $? 'and nothing of a trial'
run compare one two --sysroot "$alone" --json
is "$(grep -c '"mbps": {' "$scratch/out")" 4 'in JSON by test'
run compare one trial --sysroot "$alone"
is $code 5 'one of each is refused'

# ---- formats

run report 'first try' --sysroot "$root"
[ "$(awk 'length($0) > n { n = length($0) } END { print n }' "$scratch/out")" -le 80 ]
ok $? 'text: 80 columns'
for text in 'nanopi-neo2 on FriendlyElec NanoPi NEO2' 'Throughput, Mbit/s' \
	'CPU time of the whole board, ms per GB' 'Round-trip time to the peer, ms' \
	'temperature, highest' 'clock 0 at 1296 MHz' 'IPv6 rx: throughput rose' \
	'peer-unknown: ' 'eth1: net.tx' '4 rounds, before and after in turn'; do
	has "$text" "text: $text"
done
cp "$scratch/out" "$scratch/text"
run report 'first try' --sysroot "$root" --json
cmp -s <("$MAKE_RUN" label='first try' started=1499703200 | tr -d ' \n' | wc -c) \
	<(tr -d ' \n' <"$scratch/out" | wc -c)
ok $? 'json: the document'
run report 'first try' --sysroot "$root" --format=csv
is "$(head -n 1 "$scratch/out" | tr -d '\r')" \
	"seconds,side,round,test,counting,discarded,mbps,celsius,busy,softirq,clock0_mhz,clock1_mhz" \
	'csv: the heading'
is "$(wc -l <"$scratch/out")" $((1 + 8 * 4 * 31)) 'csv: a row per sample'
is "$(grep -c $'\r$' "$scratch/out")" "$(wc -l <"$scratch/out")" 'csv: lines end as RFC 4180'
is "$(tr -d '\r' <"$scratch/out" | awk -F, '{ print NF }' | sort -u)" 12 \
	'csv: as many fields in each'
mean=$(awk -F, '$2 == "after" && $4 == "ipv4-rx" && $7 != "" { s += $7; n++ }
	END { printf "%.1f", s / n }' "$scratch/out")
is "$(awk '/^IPv4 rx/ { print $4; exit }' "$scratch/text")" "$mean" \
	'csv: its mean is the figure of the table'
"$MAKE_RUN" label='<script>|*_[x](y)' model='`a` | b' >"$scratch/odd.json"
run report "$scratch/odd.json" --format=markdown
is $code 0 'markdown of odd names'
has '- Label: &lt;script&gt;&#124;\*\_\[x\](y)' 'markdown: nothing in them is markup'
is "$(grep -c '^### ' "$scratch/out")" 6 'markdown: six tables'
is "$(awk '/^\|/ { print gsub(/ \| |^\| | \|$/, "") - 1; exit }' "$scratch/out")" 6 \
	'markdown: six columns in the first'
for ending in txt md json csv html; do
	run report "$scratch/odd.json" --output "$scratch/report.$ending"
	is "$code $(wc -c <"$scratch/out")" '0 0' "--output to .$ending"
	[ -s "$scratch/report.$ending" ]
	ok $? 'writes the file'
done
is "$(head -c 15 "$scratch/report.html")" '<!DOCTYPE html>' 'html by the name of the file'
is "$(head -c 3 "$scratch/report.md")" '## ' 'markdown by the name of the file'
run report "$scratch/odd.json" --output "$scratch/none/report.md"
is $code 1 'a directory that is not there: exit 1'
"$BOARDTUNE" report "$scratch/odd.json" >/dev/full 2>"$scratch/err"
is $? 1 'a full disk: exit 1'
run report "$scratch/odd.json" --format=pdf
is $code 2 'no such format: exit 2'
echo old >"$scratch/report.pdf"
run report "$scratch/odd.json" --output "$scratch/report.pdf"
is "$code $(cat "$scratch/report.pdf")" '2 old' 'no format by the ending: nothing written'
run report "$scratch/odd.json" --output "$scratch/report.pdf" --format=text
is "$code $(grep -c '^Written: ' "$scratch/err")" '0 1' '--format goes before the ending'
run report 'first try' --sysroot "$root" --redact
! grep -qE 'attic-router|192\.0\.2\.9' "$scratch/out"
ok $? '--redact: no host and no peer'
has 'Verdict: better (eth0 to peer, margin 2 %)' '--redact: the rest stays'
"$MAKE_RUN" bare=1 >"$scratch/bare.json"
run report "$scratch/bare.json"
is $code 0 'a board without sensor and clocks'
! grep -qwE 'nan|inf|temperature, highest|Round-trip' "$scratch/out"
ok $? 'leaves out what is not known'

# ---- compare

run compare 'first try' 'quiet peer' --sysroot "$root"
is $code 0 'compare: exit 0'
has 'IPv4 tx, after / before' 'compare: ratios'
grep -qE '^IPv4 tx +633\.9 +564\.1 +0\.890 +0\.8[0-9]* to 0\.9' "$scratch/out"
ok $? 'compare: after against after, with an interval'
[ "$(awk 'length($0) > n { n = length($0) } END { print n }' "$scratch/out")" -le 80 ]
ok $? 'compare: 80 columns'
! grep -q 'inconclusive' "$scratch/out"
ok $? 'compare: both can be trusted'
run compare 1 3 --sysroot "$root"
has 'A is inconclusive' 'compare: an inconclusive run is named'
run compare 1 --sysroot "$root"
is $code 2 'compare: one run: exit 2'
run compare 1 "$scratch/odd.json" --sysroot "$root"
is $code 5 'compare: another board: exit 5'
run compare 1 "$scratch/odd.json" --sysroot "$root" --force
is $code 0 'compare: unless it is forced'
has 'The runs are of different boards.' 'compare: which is said'
run compare 'first try' 'quiet peer' --sysroot "$root" --json
is "$(grep -c '"cell": ' "$scratch/out")" 4 'compare: every kind of test in JSON'
is "$(grep -A3 '"after_mbps": ' "$scratch/out" | sed -n 's/.*"ratio": \(0\.890\).*/\1/p' |
	head -n 1)" 0.890 'compare: with its ratio'
has '"same_board": true' 'compare: and whether they may be compared'
"$MAKE_RUN" cells=ipv4-tx >"$scratch/one.json"
run compare 1 "$scratch/one.json" --sysroot "$root"
is $code 5 'compare: other tests: exit 5'
"$MAKE_RUN" seed=3 peer=192.0.2.77 noise=0.001 >"$scratch/quiet.json"
sed 's/"mbps":[0-9]/&0/g' "$scratch/quiet.json" >"$scratch/faster.json"
run compare "$scratch/quiet.json" "$scratch/faster.json"
has 'Before the profile A and B differ as well' 'compare: other conditions are noticed'
has "$scratch/faster.json" 'compare: the name of a run is whole'
cp "$dir/20170711T200000Z-trial-2.json" "$dir/20170711T200000Z-trial-of-a-long-name-2.json"
run compare 20170711T200000Z-trial-of-a-long-name-2 1 --sysroot "$root"
has 20170711T200000Z-trial-of-a-long-name-2 'compare: of a saved one, too'
rm "$dir/20170711T200000Z-trial-of-a-long-name-2.json"

# ---- a board that was busy: everywhere where a run is shown

sed 's/"flags":\[/&"busy-board",/' "$scratch/quiet.json" >"$scratch/busy.json"
sed -i 's/"busy-board",\]/"busy-board"]/' "$scratch/busy.json"
for format in text markdown html json; do
	run report "$scratch/busy.json" --format=$format
	has busy-board "report: busy-board as $format"
done
run compare "$scratch/quiet.json" "$scratch/busy.json"
has '  B: busy-board: CPUs or the interface were busy' 'compare: says of which run'
run compare "$scratch/quiet.json" "$scratch/busy.json" --json
is "$(grep -c busy-board "$scratch/out")" 1 'compare: in JSON'
done_testing
