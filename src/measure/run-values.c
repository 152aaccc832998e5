// SPDX-License-Identifier: GPL-2.0-or-later
// run-values.c - values of a run's document: numbers, names, clocks, latency
#include <limits.h>
#include <math.h>

#include "measure/run-json.h"

json_t *run_json_rounded(double x, double step)
{
	return isfinite(x) ? json_real(round(x / step) * step) : json_null();
}

/* Bytes of the UTF-8 character at @s (RFC 3629); 0 for what is none. */
static size_t utf8_length(const unsigned char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80	 ? 1
		   : s[0] < 0xc0 ? 0
		   : s[0] < 0xe0 ? 2
		   : s[0] < 0xf0 ? 3
				 : 4;
	uint32_t code = s[0] & (0x7f >> n);

	if (n <= 1)
		return n;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (s[0] > 0xf4 || code < least[n] || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return n;
}

bool run_text_valid(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n;

	for (; *s; s += n) {
		n = utf8_length(s);
		if (!n)
			return false;
	}
	return true;
}

json_t *run_json_text(const char *text)
{
	_cleanup_free_ char *safe = strdup(text);
	size_t n;

	if (!safe)
		return NULL;
	for (unsigned char *s = (unsigned char *)safe; *s; s += n ? n : 1) {
		n = utf8_length(s);
		if (!n)
			*s = '?';
	}
	return json_string(safe);
}

json_t *run_json_celsius(int millicelsius)
{
	return millicelsius == INT_MIN ? json_null() : json_integer(millicelsius);
}

json_t *run_json_list(json_t *list, size_t n)
{
	if (json_array_size(list) == n)
		return list;
	json_decref(list);
	return NULL;
}

json_t *run_json_khz(const uint32_t *khz, unsigned n)
{
	json_t *list = json_array();

	for (unsigned p = 0; p < n; p++)
		json_array_append_new(list, khz[p] ? json_integer(khz[p]) : json_null());
	return run_json_list(list, n);
}

json_t *run_json_states(const struct sample_clocks *clocks)
{
	json_t *list;
	double sum = 0;
	size_t used = 0;

	for (unsigned i = 0; i < clocks->n; i++)
		sum += clocks->states[i].ticks;
	if (!(sum > 0))
		return json_null();
	list = json_array();
	for (unsigned i = 0; i < clocks->n; i++) {
		if (!clocks->states[i].ticks)
			continue;
		used++;
		json_array_append_new(
			list,
			json_pack("{s:I, s:o}", "khz", (json_int_t)clocks->states[i].khz,
				  "share",
				  run_json_rounded(clocks->states[i].ticks / sum, 1e-4)));
	}
	return run_json_list(list, used);
}

static json_t *quantile_json(const double *sorted, size_t n, double p)
{
	return run_json_rounded(stats_quantile(sorted, n, p), 1e-4);
}

json_t *run_json_latency(double *rtt_ms, size_t n, size_t lost)
{
	if (!n && !lost)
		return json_null();
	stats_sort(rtt_ms, n);
	return json_pack("{s:I, s:I, s:o, s:o, s:o}", "answers", (json_int_t)n, "lost",
			 (json_int_t)lost, "p50_ms", quantile_json(rtt_ms, n, 0.50),
			 "p95_ms", quantile_json(rtt_ms, n, 0.95), "p99_ms",
			 quantile_json(rtt_ms, n, 0.99));
}
