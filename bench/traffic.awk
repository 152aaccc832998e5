# SPDX-License-Identifier: GPL-2.0-or-later
# traffic.awk - medians of rounds, and ratios with their interval
#
# Lines "ROUND NAME MBPS CLIENT-MS SERVER-MS MACHINE-MS BYTES". Variables own and other: two
# names. Without them prints "NAME MBPS CPU-MS-PER-GB MACHINE-MS-PER-GB" of each, with them
# "TIME LOW HIGH CPU LOW HIGH": own divided by other, of time and of CPU time per GB, each
# the median of the rounds' ratios and two of these ratios as its interval: those whose
# ranks hold the true median with at least 95 % (sign test; no assumption of a shape). With
# fewer than 6 rounds that is not to be had: the interval is all of them.

function sort(v, n,    i, j, x) {
	for (i = 2; i <= n; i++) {
		x = v[i]
		for (j = i - 1; j > 0 && v[j] > x; j--)
			v[j + 1] = v[j]
		v[j + 1] = x
	}
}

function median(v, n) {
	sort(v, n)
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

# The greatest k for which fewer than k of n lie below the median with at most 2.5 %.
function rank(n,    k, term, sum) {
	term = sum = 0.5 ^ n
	for (k = 0; sum <= 0.025; k++) {
		term *= (n - k) / (k + 1)
		sum += term
	}
	return k ? k : 1
}

function ratio(figure,    i, n, v) {
	for (i = 1; i <= rounds; i++)
		if ((i, own) in figure && (i, other) in figure)
			v[++n] = figure[i, own] / figure[i, other]
	return sprintf("%.3f %.3f %.3f", median(v, n), v[rank(n)], v[n + 1 - rank(n)])
}

function middle(figure, name,    i, n, v) {
	for (i = 1; i <= rounds; i++)
		if ((i, name) in figure)
			v[++n] = figure[i, name]
	return median(v, n)
}

{
	if (!($2 in seen))
		names[++n_names] = $2
	seen[$2] = 1
	rounds = $1 > rounds ? $1 : rounds
	mbps[$1, $2] = $3
	time[$1, $2] = 1 / $3
	cpu[$1, $2] = ($4 + $5) / ($7 / 1e9)
	machine[$1, $2] = $6 / ($7 / 1e9)
}

END {
	if (own)
		print ratio(time), ratio(cpu)
	for (i = 1; !own && i <= n_names; i++)
		printf "%s %.0f %.1f %.1f\n", names[i], middle(mbps, names[i]),
			middle(cpu, names[i]), middle(machine, names[i])
}
