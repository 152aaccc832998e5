#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test-html.sh - the page of report: its structure; in headless Chromium that nothing is
# fetched, nothing runs, and it fits a phone
. "${srcdir:-.}/tests/lib.sh" || exit 99
: "${MAKE_RUN:?MAKE_RUN must name tests/make-run}"
export LC_ALL=C.UTF-8

label='<script>document.title="owned"</script><img src=x onerror=alert(1)>'
"$MAKE_RUN" label="$label" model='A "board" & co' pairs=12 effect=1.05 >"$scratch/run.json"
run report "$scratch/run.json" --output "$scratch/report.html"
is $code 0 'a page'
page=$scratch/report.html

# ---- structure

if command -v xmllint >/dev/null; then
	xmllint --noout "$page" 2>"$scratch/err"
	ok $? 'well-formed, as XML too'
	sed 's/^/# /' "$scratch/err"
else
	ok 0 'well-formed, as XML too # SKIP no xmllint'
fi
! grep -qiE '<script|<img|<link|<iframe|<object' "$page"
ok $? 'no script, no element that fetches'
! grep -qiE ' (src|href|action|on[a-z]+)="|url\(|@import|https?:' "$page"
ok $? 'no address, no handler'
grep -qF '&lt;script&gt;document.title=&quot;owned&quot;' "$page"
ok $? 'a hostile label is text'
grep -qF 'A &quot;board&quot; &amp; co' "$page"
ok $? 'so is a name'
grep -q 'name="viewport" content="width=device-width' "$page"
ok $? 'made for phones'
for query in 'prefers-color-scheme:dark' 'media print'; do
	grep -qF "$query" "$page"
	ok $? "a style for $query"
done
plots=$(grep -c '<svg viewBox="0 0 400 ' "$page")
is "$plots" 11 'plots: throughput and latency of 4 tests, temperature, 2 clocks'
is "$(grep -c '<svg.* role="img" aria-labelledby="t[0-9]*"' "$page")" "$plots" \
	'each with a name'
is "$(grep -c '<details>' "$page")" "$plots" 'each with a table'
is "$(grep -o 'id="t[0-9]*"' "$page" | sort | uniq -d | wc -l)" 0 'no id twice'
for side in before after; do
	[ "$(grep -c "<polyline class=\"$side" "$page")" -ge "$plots" ]
	ok $? "each with a line of $side"
done
is "$(grep -o 'points="[^"]*"' "$page" | grep -cE 'nan|inf')" 0 'points are numbers'
# within the picture: 400 wide, 210 high
grep -o 'points="[^"]*"' "$page" | tr -c '0-9.,\n-' '\n' | awk -F, '
	NF == 2 && ($1 < 47 || $1 > 391 || $2 < 11 || $2 > 173) { bad++ }
	NF == 2 { n++ }
	END { exit !(n > 1000 && !bad) }'
ok $? 'and lie within the axes'
"$MAKE_RUN" bare=1 pairs=1 cells=ipv4-tx >"$scratch/bare.json"
run report "$scratch/bare.json" --format=html
is "$(grep -c '<svg viewBox="0 0 400 ' "$scratch/out")" 1 'a bare board: throughput only'

# ---- in a browser

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
	ok 0 'in a browser # SKIP no Chromium'
	done_testing
fi

# The page in a frame as wide as a phone, and what it looks like from within.
{
	printf '<!DOCTYPE html><title>none</title><body><iframe id="f" style="border:0" '
	printf 'width="390" height="1800" srcdoc="'
	sed 's/&/\&amp;/g; s/"/\&quot;/g' "$page"
	cat <<'END'
"></iframe><pre id="out"></pre><script>
document.getElementById("f").onload = function () {
	var w = this.contentWindow, d = w.document, e = d.documentElement;
	var svg = d.querySelector("figure svg").getBoundingClientRect();
	var wide = Array.prototype.filter.call(d.querySelectorAll("body *"), function (x) {
		return !x.closest(".scroll") && x.getBoundingClientRect().right > 390.5;
	});
	var font = 12 * svg.width / 400;
	document.getElementById("out").textContent = [
		"width=" + (e.scrollWidth <= 390), "wide=" + wide.length,
		"scripts=" + d.scripts.length, "images=" + d.images.length,
		"fetched=" + w.performance.getEntriesByType("resource").length,
		"letters=" + (font >= 10), "title=" + document.title,
		"svg=" + (svg.width > 300 && svg.height > 150),
		"label=" + (d.body.textContent.indexOf("<script>document") >= 0),
		"before=" + w.getComputedStyle(d.querySelector("polyline.before"))
			.strokeDasharray.replace(/px| /g, ""),
		"after=" + w.getComputedStyle(d.querySelector("polyline.after"))
			.strokeDasharray ].join(" ");
};
</script>
END
} >"$scratch/frame.html"
timeout 90 nice "$browser" --headless --no-sandbox --disable-gpu --disable-quic \
	--no-first-run --disable-background-networking --disable-component-update \
	--disable-sync --enable-logging=stderr --user-data-dir="$scratch/profile" \
	--window-size=1000,2000 --dump-dom "file://$scratch/frame.html" \
	>"$scratch/dom" 2>"$scratch/err"
is $? 0 'Chromium shows it'
out=$(sed -n 's/.*<pre id="out">\([^<]*\)<.*/\1/p' "$scratch/dom")
echo "# $out"
for want in width=true wide=0 scripts=0 images=0 fetched=0 letters=true title=none \
	svg=true label=true before=5,3 after=none; do
	case " $out " in
	*" $want "*) ok 0 "at 390 points: $want" ;;
	*) ok 1 "at 390 points: $want" ;;
	esac
done
! grep 'CONSOLE' "$scratch/err" | sed 's/^/# /' | grep .
ok $? 'no message on its console'
done_testing
