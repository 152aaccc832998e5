// SPDX-License-Identifier: GPL-2.0-or-later
// cmd-trial-options.c - options and questions of the command trial
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <termios.h>

#include "cmd-trial.h"

#define KEEP_ANSWER_MS 300000

static const char *const keep_names[] = {
	[TRIAL_KEEP_NOT_WORSE] = "not-worse",
	[TRIAL_KEEP_BETTER] = "better",
	[TRIAL_KEEP_ALWAYS] = "always",
	[TRIAL_KEEP_NEVER] = "never",
};

static int parse_length(const struct cmd *c, struct trial_settings *s)
{
	double pairs = c->opt[OPT_QUICK] ? TRIAL_PAIRS_QUICK : 0;
	int r;

	s->loop = (struct trial_config){ .cells = cell_list_all(),
					 .seconds = TRIAL_SECONDS,
					 .omit = TRIAL_OMIT,
					 .budget = TRIAL_BUDGET };
	r = options_number(c, OPT_TIME, 1, 3600, false, &s->loop.seconds);
	if (!r)
		r = options_number(c, OPT_OMIT, 0, 60, false, &s->loop.omit);
	if (!r)
		r = options_number(c, OPT_PAIRS, 2, TRIAL_PAIRS_MAX, true, &pairs);
	if (!r)
		r = options_streams(c, &s->streams);
	if (!r)
		r = options_cells(c, &s->loop.cells);
	if (r)
		return r;
	s->loop.pairs = pairs;
	s->zero_copy = c->opt[OPT_ZERO_COPY];
	s->no_wait = c->opt[OPT_NO_WAIT];
	s->margin = c->opt[OPT_QUICK] ? JUDGE_MARGIN_QUICK : JUDGE_MARGIN;
	s->shortened = c->opt[OPT_CELLS] || s->loop.seconds < TRIAL_SECONDS ||
		       s->loop.omit < TRIAL_OMIT ||
		       (s->loop.pairs && s->loop.pairs < TRIAL_PAIRS_MIN);
	return 0;
}

static int parse_keep(const struct cmd *c, struct trial_settings *s)
{
	const char *word = c->opt[OPT_KEEP];

	s->yes = c->opt[OPT_YES];
	s->keep = isatty(STDIN_FILENO) && !s->yes && !c->json ? TRIAL_KEEP_ASK :
								TRIAL_KEEP_NOT_WORSE;
	if (!word)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(keep_names); i++) {
		if (streq(word, keep_names[i])) {
			s->keep = i;
			return 0;
		}
	}
	return cmd_usage(c,
			 _("--keep: \"%s\" is none of not-worse, better, always, never"),
			 word);
}

static int parse_limit(const struct cmd *c, const struct profile *p,
		       struct trial_settings *s)
{
	const struct assignment *limit = profile_meta(p, "trial", "max_temp");
	struct value v;

	s->max_millicelsius = limit ? limit->value.millicelsius : INT_MIN;
	if (!c->opt[OPT_MAX_TEMP])
		return 0;
	if (value_parse(VALUE_TEMP, c->opt[OPT_MAX_TEMP], &v) < 0)
		return cmd_usage(c, _("--max-temp: \"%s\" is not %s"),
				 c->opt[OPT_MAX_TEMP], value_expects(VALUE_TEMP));
	s->max_millicelsius = v.millicelsius;
	return 0;
}

static int parse_peer(const struct cmd *c, const struct profile *p,
		      struct trial_settings *s)
{
	const struct assignment *peer = profile_meta(p, "trial", "peer");
	double port = GATE_PORT;
	int r;

	r = options_number(c, OPT_PORT, 1, 65535, true, &port);
	if (r)
		return r;
	s->peer_text = c->opt[OPT_PEER] ? c->opt[OPT_PEER] :
		       peer		? peer->value.word :
					  NULL;
	if (!s->peer_text) {
		cmd_error(_("no peer to measure against: run \"boardtune serve\" or "
			    "\"iperf3 -s\" on another host of this network and give "
			    "--peer=HOST"));
		return EXIT_NOTHING_TO_DO_IT_WITH;
	}
	if (gate_peer_parse(s->peer_text, port, &s->peer) == 0)
		return 0;
	if (c->opt[OPT_PEER])
		return cmd_usage(c, _("--peer: \"%s\" is not HOST[:PORT]"), s->peer_text);
	cmd_error(_("%s:%u: peer: \"%s\" is not HOST[:PORT]"), peer->file, peer->line,
		  s->peer_text);
	return EXIT_USAGE;
}

int trial_settings_parse(const struct cmd *c, const struct profile *p,
			 struct trial_settings *ret)
{
	struct trial_settings s = { .nic = c->opt[OPT_NIC] };
	int r;

	r = options_label(c, &s.label);
	if (!r)
		r = parse_length(c, &s);
	if (!r)
		r = parse_keep(c, &s);
	if (!r)
		r = parse_limit(c, p, &s);
	if (!r)
		r = parse_peer(c, p, &s);
	if (!r)
		*ret = s;
	return r;
}

bool trial_keep_decide(enum trial_keep keep, enum verdict v)
{
	switch (keep) {
	case TRIAL_KEEP_NOT_WORSE:
	case TRIAL_KEEP_ASK:
		return v == VERDICT_BETTER || v == VERDICT_SAME;
	case TRIAL_KEEP_BETTER:
		return v == VERDICT_BETTER;
	case TRIAL_KEEP_ALWAYS:
		return true;
	case TRIAL_KEEP_NEVER:
		return false;
	}
	return false;
}

bool trial_answer_is_yes(const char *answer, const char *yes)
{
	return *answer == 'y' || *answer == 'Y' || (*yes && str_after(answer, yes));
}

/* An answer on the terminal: 1 yes, 0 anything else, -ETIMEDOUT, -EINTR by @stop_fd. */
static int answer_read(int stop_fd, int timeout_ms)
{
	struct pollfd pfds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				 { .fd = stop_fd, .events = POLLIN } };
	char text[64];
	ssize_t n;
	int r;

	do {
		r = poll(pfds, ARRAY_SIZE(pfds), timeout_ms);
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	if (r == 0)
		return -ETIMEDOUT;
	if (pfds[1].revents)
		return -EINTR;
	n = read(STDIN_FILENO, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	/* TRANSLATORS: the letter, small, that means yes; "y" is always taken as well */
	return trial_answer_is_yes(text, _("y"));
}

static void print_duration(const struct trial_settings *s)
{
	const struct trial_config *l = &s->loop;
	unsigned pairs = l->pairs ? l->pairs : TRIAL_PAIRS_MIN;
	double seconds, most;

	trial_duration_range(l, &seconds, &most);
	if (most <= seconds)
		fprintf(stderr,
			_("This takes about %.0f:%02.0f min: %u rounds; tests in each: "
			  "%zu before, %zu after.\n"),
			floor(seconds / 60), floor(fmod(seconds, 60)), pairs,
			l->cells.n, l->cells.n);
	else
		fprintf(stderr,
			_("This takes %.0f to %.0f min: %u rounds or more; tests in "
			  "each: %zu before, %zu after.\n"),
			ceil(seconds / 60), ceil(most / 60), pairs, l->cells.n,
			l->cells.n);
	if (l->blocks)
		fprintf(stderr, "%s\n",
			_("The link goes down for moments each time the settings change, "
			  "which is\ntwice."));
	fprintf(stderr, "%s\n",
		_("The settings change to and fro meanwhile; the link may be interrupted "
		  "for\nmoments. Whatever ends the trial early, they go back to what "
		  "they are now."));
}

int trial_ask_start(const struct cmd *c, const struct trial_settings *s)
{
	if (!c->quiet)
		print_duration(s);
	if (s->yes)
		return 0;
	if (!isatty(STDIN_FILENO))
		return cmd_usage(c, _("no terminal to ask on: add --yes"));
	fprintf(stderr, "%s", _("Go on? [y/N] "));
	return answer_read(-1, -1) == 1 ? 0 : EXIT_NOT_AS_WANTED;
}

bool trial_ask_keep(const struct cmd *c)
{
	int r;

	/* A key pressed while the trial ran is no answer. */
	tcflush(STDIN_FILENO, TCIFLUSH);
	fprintf(stderr, "%s", _("Keep the profile in force? [y/N] "));
	r = answer_read(c->stop_fd, KEEP_ANSWER_MS);
	if (r < 0)
		fputc('\n', stderr);
	return r == 1;
}
