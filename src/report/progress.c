// SPDX-License-Identifier: GPL-2.0-or-later
// progress.c - one line on a terminal that says what is measured now; never blocks
#include "report/progress.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sys/ioctl.h>

#include "base/text.h"

#define WIPE "\r\033[K"

/* Parts of the line, in the order in which they stand. */
enum {
	PART_WHAT,
	PART_RATE,
	PART_HEAT,
	PART_CLOCK,
	PART_LEFT,
	PARTS_,
};

/* The order in which they get a place. */
static const uint8_t part_order[] = { PART_WHAT, PART_RATE, PART_LEFT, PART_HEAT,
				      PART_CLOCK };

void progress_open(int fd, struct progress *ret)
{
	char path[32];

	*ret = (struct progress){
		.fd = -1,
		.now = { .mbps = NAN, .millicelsius = INT_MIN, .left = NAN },
	};
	if (!isatty(fd))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret->fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static void progress_write(const struct progress *p, const char *text)
{
	/* A terminal that takes nothing now has stopped its output: the line is lost. */
	if (p->fd >= 0 && write(p->fd, text, strlen(text)) < 0)
		return;
}

static int columns_of(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) < 0 || !size.ws_col)
		return TEXT_SCREEN_WIDTH;
	return size.ws_col;
}

static void part_left(const struct progress_now *now, char *ret, size_t size)
{
	unsigned seconds = ceil(now->left);

	if (now->at_most)
		/* TRANSLATORS: time, minutes and seconds: "up to 12:05 left" */
		snprintf(ret, size, _("up to %u:%02u left"), seconds / 60, seconds % 60);
	else
		/* TRANSLATORS: time, minutes and seconds */
		snprintf(ret, size, _("%u:%02u left"), seconds / 60, seconds % 60);
}

static void parts_print(const struct progress_now *now, char parts[PARTS_][160])
{
	snprintf(parts[PART_WHAT], sizeof(parts[0]), "%s", now->what);
	if (isfinite(now->mbps))
		snprintf(parts[PART_RATE], sizeof(parts[0]), "%.0f Mbit/s", now->mbps);
	if (now->millicelsius != INT_MIN)
		snprintf(parts[PART_HEAT], sizeof(parts[0]), "%.1f C",
			 now->millicelsius / 1e3);
	if (now->khz)
		snprintf(parts[PART_CLOCK], sizeof(parts[0]), "%u MHz",
			 now->khz / 1000);
	if (isfinite(now->left))
		part_left(now, parts[PART_LEFT], sizeof(parts[0]));
}

void progress_line(const struct progress_now *now, int columns,
		   char ret[static PROGRESS_TEXT_MAX])
{
	char parts[PARTS_][160] = {};
	bool placed[PARTS_] = {};
	int used = 0;
	size_t n = 0;

	parts_print(now, parts);
	for (size_t i = 0; i < ARRAY_SIZE(part_order); i++) {
		int part = part_order[i];
		int width = text_width(parts[part]) + (used ? 2 : 0);

		if (!*parts[part] || used + width > columns)
			continue;
		placed[part] = true;
		used += width;
	}
	*ret = '\0';
	for (unsigned i = 0; i < PARTS_; i++)
		if (placed[i] && n < PROGRESS_TEXT_MAX)
			n += snprintf(ret + n, PROGRESS_TEXT_MAX - n, "%s%s",
				      n ? "  " : "", parts[i]);
}

static void progress_draw(struct progress *p)
{
	char line[PROGRESS_TEXT_MAX], text[PROGRESS_TEXT_MAX + 16];

	/* The last column stays free: some terminals go on to the next line there. */
	progress_line(&p->now, columns_of(p->fd) - 1, line);
	snprintf(text, sizeof(text), "\r%s\033[K", line);
	progress_write(p, text);
}

static void progress_sample(struct progress *p, const struct sample *s, double mbps)
{
	p->now.mbps = mbps;
	p->now.millicelsius = s->millicelsius;
	p->now.khz = 0;
	for (unsigned i = 0; i < s->n_policies; i++)
		if (s->cur_khz[i] > p->now.khz)
			p->now.khz = s->cur_khz[i];
}

void progress_test(struct progress *p, const struct trial_progress *where)
{
	const char *side = where->side == TRIAL_BEFORE ? _("before") : _("after");
	char *what = p->now.what;

	if (where->pairs)
		/* TRANSLATORS: round 2/4, after, IPv4 tx */
		snprintf(what, sizeof(p->now.what), _("round %u/%u, %s, %s"),
			 where->pair + 1, where->pairs, side, _(where->cell->label));
	else
		snprintf(what, sizeof(p->now.what), _("round %u, %s, %s"),
			 where->pair + 1, side, _(where->cell->label));
}

void progress_text(struct progress *p, const char *what)
{
	snprintf(p->now.what, sizeof(p->now.what), "%s", what);
	p->now.mbps = NAN;
	p->now.millicelsius = INT_MIN;
	p->now.khz = 0;
	if (p->fd >= 0)
		progress_draw(p);
}

void progress_show(struct progress *p, const struct sample *s, double mbps)
{
	if (p->fd < 0)
		return;
	progress_sample(p, s, mbps);
	progress_draw(p);
}

void progress_gate(struct progress *p, const struct sample *s,
		   const struct gate_progress *g)
{
	char *what = p->now.what;
	size_t size = sizeof(p->now.what);

	if (p->fd < 0)
		return;
	progress_sample(p, s, NAN);
	p->now.left = g->waits_for ? g->left : NAN;
	p->now.at_most = true;
	if (g->waits_for & GATE_CPU_BUSY)
		snprintf(what, size, _("waiting for idle CPUs: %.0f %% busy"),
			 g->look.busy * 100);
	else if (g->waits_for & GATE_NIC_BUSY)
		snprintf(what, size, _("waiting for a quiet NIC: %.1f Mbit/s"),
			 g->look.mbps);
	else if (g->waits_for & GATE_NOT_STEADY && isfinite(g->slope))
		snprintf(what, size, _("waiting for a steady temperature: %+.1f C/min"),
			 g->slope);
	else if (g->waits_for & GATE_NOT_STEADY)
		snprintf(what, size, "%s", _("waiting for a steady temperature"));
	else
		snprintf(what, size, "%s", _("is the board quiet?"));
	progress_draw(p);
}

void progress_clear(struct progress *p)
{
	progress_write(p, WIPE);
}

void progress_close(struct progress *p)
{
	progress_clear(p);
	close_fd(&p->fd);
}
