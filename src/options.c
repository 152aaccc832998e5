// SPDX-License-Identifier: GPL-2.0-or-later
// options.c - one table of every option, and the one place where they are parsed
#include "cmd.h"

#include <getopt.h>
#include <math.h>

#include "base/log.h"
#include "measure/iperf.h"
#include "measure/run.h"

#define LABEL_MAX 200

/* What needs no live board: the others measure, or wait for what happens. */
#define ANY_BOARD                                                                   \
	"setup recommend list show import plan apply enable disable status verify " \
	"doctor revert confirm runs compare report snapshot"

enum argument { NO_VALUE, VALUE, MAYBE_VALUE };

static const struct {
	enum option_id id;
	char letter;
	const char *name;
	enum argument argument;
	const char *value;    /* how help shows the value */
	const char *commands; /* blank-separated; NULL: all */
	const char *help;
} options[] = {
	{ OPT_HELP, 'h', "help", NO_VALUE, NULL, NULL, N_("show this help") },
	{ OPT_VERSION, 0, "version", NO_VALUE, NULL, NULL, N_("show the version") },
	{ OPT_JSON, 0, "json", NO_VALUE, NULL,
	  "recommend list show plan apply verify revert confirm enable disable trial "
	  "status measure runs compare report doctor",
	  N_("one JSON document on stdout") },
	{ OPT_NO_COLOR, 0, "no-color", NO_VALUE, NULL, NULL,
	  N_("no colour on a terminal either (also NO_COLOR)") },
	{ OPT_VERBOSE, 'v', "verbose", NO_VALUE, NULL, NULL,
	  N_("show each write; twice: each read too") },
	{ OPT_QUIET, 'q', "quiet", NO_VALUE, NULL, NULL, N_("errors only") },
	{ OPT_BOARD, 0, "board", VALUE, N_("FILE"), ANY_BOARD,
	  N_("work on a recorded board, without root or hardware") },
	{ OPT_BOARD_SAVE, 0, "board-save", VALUE, N_("FILE"), ANY_BOARD,
	  N_("write what became of that board, and each write") },
	{ OPT_SYSROOT, 0, "sysroot", VALUE, N_("DIR"), ANY_BOARD,
	  N_("the board is what lies below DIR, not this one") },
	{ OPT_BEST_EFFORT, 0, "best-effort", NO_VALUE, NULL, "apply",
	  N_("keep what worked when something fails") },
	{ OPT_BOOT, 0, "boot", NO_VALUE, NULL, "apply confirm",
	  N_("as at boot: best effort, missing is no failure") },
	{ OPT_LATE, 0, "late", NO_VALUE, NULL, "apply",
	  N_("with --boot: clocks and thermal zones that came later") },
	{ OPT_FORCE, 0, "force", NO_VALUE, NULL, "apply trial compare",
	  N_("also what is for another board") },
	{ OPT_DIFF, 0, "diff", NO_VALUE, NULL, "import",
	  N_("no profile: what it would change here") },
	{ OPT_CONFIRM, 0, "confirm", MAYBE_VALUE, N_("SECONDS"), "apply",
	  N_("revert after 120 s unless it is confirmed") },
	{ OPT_NO_CONFIRM, 0, "no-confirm", NO_VALUE, NULL, "apply",
	  N_("do not wait for a confirmation, not even over SSH") },
	{ OPT_PEER, 0, "peer", VALUE, N_("HOST[:PORT]"), "trial measure",
	  N_("host that runs boardtune serve or iperf3 -s") },
	{ OPT_PORT, 'p', "port", VALUE, N_("PORT"), "trial measure serve",
	  N_("of the peer, or to listen on (5201)") },
	{ OPT_BIND, 'B', "bind", VALUE, N_("WHERE"), "serve",
	  N_("listen on one address or interface only") },
	{ OPT_ONCE, '1', "once", NO_VALUE, NULL, "serve",
	  N_("end after one test; measure and trial make several") },
	{ OPT_NIC, 0, "nic", VALUE, N_("NAME"), "apply trial measure",
	  N_("interface under test, or that has come") },
	{ OPT_CELLS, 0, "cells", VALUE, N_("LIST"), "trial measure setup",
	  N_("some of ipv4-tx,ipv4-rx,ipv6-tx,ipv6-rx") },
	{ OPT_TIME, 't', "time", VALUE, N_("SECONDS"), "trial measure setup",
	  N_("of each test (5)") },
	{ OPT_UDP, 'u', "udp", NO_VALUE, NULL, "measure", N_("datagrams, not TCP") },
	{ OPT_BITRATE, 'b', "bitrate", VALUE, N_("RATE"), "measure",
	  N_("of each stream, such as 100M (UDP: 1M)") },
	{ OPT_REPEAT, 0, "repeat", VALUE, N_("N"), "measure",
	  N_("each test so many times (1)") },
	{ OPT_SAVE, 0, "save", NO_VALUE, NULL, "measure", N_("keep it as a run") },
	{ OPT_OMIT, 'O', "omit", VALUE, N_("SECONDS"), "trial measure",
	  N_("left out at the start of each test (1)") },
	{ OPT_PAIRS, 0, "pairs", VALUE, N_("N"), "trial", N_("exactly so many rounds") },
	{ OPT_QUICK, 0, "quick", NO_VALUE, NULL, "trial setup",
	  N_("3 rounds; decides only above 10 %") },
	{ OPT_STREAMS, 'P', "streams", VALUE, N_("N"), "trial measure",
	  N_("connections at a time (1)") },
	{ OPT_ZERO_COPY, 'Z', "zero-copy", NO_VALUE, NULL, "trial measure",
	  N_("the cost of the NIC alone, without copying") },
	{ OPT_NO_WAIT, 0, "no-wait", NO_VALUE, NULL, "trial setup",
	  N_("measure the board as it is, busy or not") },
	{ OPT_JSON_LINES, 0, "json-lines", NO_VALUE, NULL, "trial watch",
	  N_("a JSON object a line: samples, events, the run") },
	{ OPT_KEEP, 0, "keep", VALUE, N_("WHEN"), "trial",
	  N_("not-worse, better, always or never") },
	{ OPT_MAX_TEMP, 0, "max-temp", VALUE, N_("TEMP"), "trial",
	  N_("worse when hotter than this, such as 85C") },
	{ OPT_LABEL, 0, "label", VALUE, N_("TEXT"), "trial measure",
	  N_("kept with the saved run") },
	{ OPT_YES, 'y', "yes", NO_VALUE, NULL, "trial", N_("do not ask") },
	{ OPT_DEMO, 0, "demo", NO_VALUE, NULL, "trial",
	  N_("a trial between two namespaces of this machine") },
	{ OPT_ROOT, 0, "root", VALUE, N_("IMAGE"), "enable disable",
	  N_("an image, of any board: for the boots it will have") },
	{ OPT_NOW, 0, "now", NO_VALUE, NULL, "disable", N_("also revert") },
	{ OPT_TAKE_OVER, 0, "take-over", NO_VALUE, NULL, "enable",
	  N_("disable who else writes the same; disable gives back") },
	{ OPT_ENFORCE, 0, "enforce", NO_VALUE, NULL, "watch",
	  N_("put back what others change, within bounds") },
	{ OPT_FORMAT, 0, "format", VALUE, N_("FORMAT"), "report",
	  N_("text, markdown, json, csv or html") },
	{ OPT_OUTPUT, 0, "output", VALUE, N_("FILE"), "report",
	  N_("write there; its ending tells the format") },
	{ OPT_REDACT, 0, "redact", NO_VALUE, NULL, "report",
	  N_("without host names and hardware addresses") },
	{ OPT_CLOCKS, 0, "clocks", NO_VALUE, NULL, "status",
	  N_("the clocks alone, and their time at each of them") },
};

static bool for_command(size_t i, const char *command)
{
	const char *names = options[i].commands;
	size_t n = command ? strlen(command) : 0;

	if (!names || !command)
		return true;
	for (; *names; names += strcspn(names, " "), names += strspn(names, " "))
		if (strcspn(names, " ") == n && memcmp(names, command, n) == 0)
			return true;
	return false;
}

/* Each command has an option that not all have; a mistyped one is told by main(). */
static bool is_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].commands && for_command(i, name))
			return true;
	return false;
}

static int find_option(int id)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if ((int)options[i].id == id)
			return i;
	return -1;
}

/* getopt_long's view of the table. Values are the ids, above any letter. */
static void fill_getopt(struct option *longs, char *letters)
{
	size_t n = 0;

	letters[n++] = ':'; /* a missing value is told apart */
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		longs[i] = (struct option){ options[i].name, (int)options[i].argument,
					    NULL, 256 + (int)options[i].id };
		if (options[i].letter)
			letters[n++] = options[i].letter;
		if (options[i].letter && options[i].argument == VALUE)
			letters[n++] = ':';
	}
	letters[n] = '\0';
}

static int id_of(int got)
{
	if (got >= 256)
		return got - 256;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].letter == got)
			return options[i].id;
	return -1;
}

int options_parse(struct cmd *c, int argc, char **argv, int *ret_argc, char ***ret_argv)
{
	struct option longs[ARRAY_SIZE(options) + 1] = { 0 };
	char letters[2 * ARRAY_SIZE(options) + 2];
	int got, id;

	fill_getopt(longs, letters);
	opterr = 0;
	while ((got = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (got == ':' || got == '?') {
			cmd_usage(c,
				  got == ':' ? _("option %s needs a value")
					     : _("unknown option %s"),
				  argv[optind - 1]);
			return -1;
		}
		id = id_of(got);
		c->opt[id] = optarg ? optarg : "";
		if (id == OPT_VERBOSE)
			log_set_level(log_level() + 1);
	}
	*ret_argc = argc - optind;
	*ret_argv = argv + optind;
	c->name = *ret_argc ? argv[optind] : NULL;
	for (id = 0; c->name && is_command(c->name) && id < OPT_MAX_; id++) {
		int i = find_option(id);

		if (!c->opt[id] || for_command(i, c->name))
			continue;
		if (streq(options[i].commands, ANY_BOARD))
			cmd_usage(c, _("%s takes no --%s: it works on a live board only"),
				  c->name, options[i].name);
		else
			cmd_usage(c, _("%s takes no --%s"), c->name, options[i].name);
		return -1;
	}
	return 0;
}

/* Digits with at most one point. Returns what follows them, NULL if there are none. */
static const char *number_parse(const char *text, double *ret)
{
	double x = 0, unit = 1;
	bool fraction = false, digits = false;

	for (; (*text >= '0' && *text <= '9') || (*text == '.' && !fraction); text++) {
		if (*text == '.') {
			fraction = true;
			continue;
		}
		digits = true;
		if (fraction)
			unit /= 10;
		x = fraction ? x + (*text - '0') * unit : x * 10 + (*text - '0');
	}
	*ret = x;
	return digits ? text : NULL;
}

int options_number(const struct cmd *c, enum option_id id, double min, double max,
		   bool whole, double *ret)
{
	const char *text = c->opt[id], *end;
	double x;

	if (!text)
		return 0;
	end = number_parse(text, &x);
	if (!end || *end || x < min || x > max || (whole && x != floor(x)))
		return cmd_usage(c, _("--%s: %s is not a number from %g to %g"),
				 options[find_option(id)].name, text, min, max);
	*ret = x;
	return 0;
}

int options_rate(const struct cmd *c, enum option_id id, double min, double max,
		 double *ret)
{
	static const char units[] = "kMG";
	const char *text = c->opt[id], *end, *unit;
	double x;

	if (!text)
		return 0;
	end = number_parse(text, &x);
	unit = end && *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
	for (const char *u = units; unit && u <= unit; u++)
		x *= 1000;
	if (!end || end[unit ? 1 : 0] || x < min || x > max)
		return cmd_usage(c, _("--%s: %s is not a rate in bit/s, such as 100M"),
				 options[find_option(id)].name, text);
	*ret = x;
	return 0;
}

int options_label(const struct cmd *c, const char **ret)
{
	const char *label = c->opt[OPT_LABEL] ? c->opt[OPT_LABEL] : "";

	if (strlen(label) > LABEL_MAX)
		return cmd_usage(c, _("--label: at most %d bytes"), LABEL_MAX);
	if (!run_text_valid(label))
		return cmd_usage(c, _("--label: this is no UTF-8"));
	*ret = label;
	return 0;
}

int options_cells(const struct cmd *c, struct cell_list *ret)
{
	char word[128];

	*ret = cell_list_all();
	if (!c->opt[OPT_CELLS] ||
	    cell_list_parse(c->opt[OPT_CELLS], ret, word, sizeof(word)) == 0)
		return 0;
	return cmd_usage(c, _("--cells: \"%s\" is none of ipv4-tx, ipv4-rx, ipv6-tx, "
			      "ipv6-rx"), word);
}

int options_streams(const struct cmd *c, unsigned *ret)
{
	double streams = 1;
	int r = options_number(c, OPT_STREAMS, 1, IPERF_STREAMS_MAX, true, &streams);

	if (r == 0)
		*ret = streams;
	return r;
}

void options_help(FILE *f, const char *command)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		char left[96];

		if (!for_command(i, command))
			continue;
		snprintf(left, sizeof(left), "  %c%c%c --%s%s%s%s%s",
			 options[i].letter ? '-' : ' ',
			 options[i].letter ? options[i].letter : ' ',
			 options[i].letter ? ',' : ' ', options[i].name,
			 options[i].argument == MAYBE_VALUE ? "[" : "",
			 options[i].argument != NO_VALUE ? "=" : "",
			 options[i].value ? _(options[i].value) : "",
			 options[i].argument == MAYBE_VALUE ? "]" : "");
		text_pad(f, left, 30);
		fprintf(f, "%s\n", _(options[i].help));
	}
}
