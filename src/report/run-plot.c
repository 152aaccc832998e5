// SPDX-License-Identifier: GPL-2.0-or-later
// run-plot.c - a plot over time as inline SVG
#include <math.h>

#include "report/run-plot.h"

/* In user units of the picture; small enough that letters can be read on a phone. */
enum {
	WIDTH = 400,
	HEIGHT = 210,
	LEFT = 48,
	RIGHT = 10,
	TOP = 12,
	BOTTOM = 38,
	TICKS = 5, /* about so many */
};

struct axis {
	double low, high, step;
	int from, to; /* places of low and high */
};

static const char *const side_classes[] = {
	[TRIAL_BEFORE] = "before", [TRIAL_AFTER] = "after"
};

const char *html_entity(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	}
	return NULL;
}

void html_put(FILE *f, const char *text)
{
	for (; *text; text++) {
		const char *entity = html_entity(*text);

		if (entity)
			fputs(entity, f);
		else
			fputc(*text, f);
	}
}

void run_plot_clear(struct run_plot *p)
{
	free(p->title);
	free(p->marks);
	free(p->trace);
	*p = (struct run_plot) { 0 };
}

bool run_plot_empty(const struct run_plot *p)
{
	for (size_t i = 0; i < p->n_marks; i++)
		if (isfinite(p->marks[i].y))
			return false;
	return true;
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double rough)
{
	double power = pow(10, floor(log10(rough)));
	double x = rough / power;

	return power * (x <= 1 ? 1 : x <= 2 ? 2 : x <= 5 ? 5 : 10);
}

static struct axis axis_make(double low, double high, int from, int to)
{
	double least = fmax(fabs(high), fabs(low)) * 1e-3;
	struct axis a = { .from = from, .to = to };

	if (high - low < fmax(least, 1e-6))
		high = low + fmax(least, 1);
	a.step = round_step((high - low) / TICKS);
	a.low = floor(low / a.step + 1e-9) * a.step;
	a.high = ceil(high / a.step - 1e-9) * a.step;
	return a;
}

static double place(const struct axis *a, double v)
{
	return a->from + (v - a->low) / (a->high - a->low) * (a->to - a->from);
}

/* What the axes have to hold. */
static void bounds(const struct run_plot *p, struct plot_point *low,
		   struct plot_point *high)
{
	*low = (struct plot_point) { INFINITY, p->from_zero ? 0 : INFINITY };
	*high = (struct plot_point) { -INFINITY, -INFINITY };
	for (size_t i = 0; i < p->n_marks; i++) {
		low->x = fmin(low->x, p->marks[i].from);
		high->x = fmax(high->x, p->marks[i].to);
		if (!p->n_trace) {
			low->y = fmin(low->y, p->marks[i].y);
			high->y = fmax(high->y, p->marks[i].y);
		}
	}
	for (size_t i = 0; i < p->n_trace; i++) {
		low->y = fmin(low->y, p->trace[i].y);
		high->y = fmax(high->y, p->trace[i].y);
	}
}

/* ---- parts of the picture ---- */

/* Where the profile was in force: grey, which prints. */
static void put_bands(const struct run_plot *p, const struct axis *x, FILE *f)
{
	for (size_t i = 0; i < p->n_marks; i++) {
		const struct plot_mark *m = &p->marks[i];

		if (m->side == TRIAL_AFTER)
			fprintf(f,
				"<rect class=\"band\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
				"height=\"%d\"/>\n",
				place(x, m->from), TOP,
				place(x, m->to) - place(x, m->from),
				HEIGHT - TOP - BOTTOM);
	}
}

static int decimals(double step)
{
	return step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3;
}

static void put_y_axis(const struct axis *y, FILE *f)
{
	int n = (int)((y->high - y->low) / y->step + 1e-9);

	for (int i = 0; i <= n; i++) {
		double v = y->low + i * y->step, at = place(y, v);

		fprintf(f,
			"<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" "
			"y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" "
			"text-anchor=\"end\">%.*f</text>\n",
			LEFT, at, WIDTH - RIGHT, at, LEFT - 6, at + 4, decimals(y->step),
			v);
	}
}

/* Seconds up to three minutes, else minutes. */
static void put_x_axis(const struct axis *x, bool minutes, FILE *f)
{
	int n = (int)((x->high - x->low) / x->step + 1e-9);

	for (int i = 0; i <= n; i++) {
		double v = x->low + i * x->step, at = place(x, v);

		fprintf(f,
			"<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" "
			"y2=\"%d\"/><text x=\"%.1f\" y=\"%d\" "
			"text-anchor=\"middle\">%.*f</text>\n",
			at, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 4, at,
			HEIGHT - BOTTOM + 17, decimals(x->step), v);
	}
	fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
		(LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4,
		minutes ? _("minutes") : _("seconds"));
}

/* Through the marks of a side: dashed with rings before, solid with squares after. */
static void put_marks(const struct run_plot *p, enum trial_side side,
		      const struct axis *x, const struct axis *y, FILE *f)
{
	fprintf(f, "<polyline class=\"%s\" points=\"", side_classes[side]);
	for (size_t i = 0; i < p->n_marks; i++)
		if (p->marks[i].side == side && isfinite(p->marks[i].y))
			fprintf(f, "%.1f,%.1f ", place(x, p->marks[i].x),
				place(y, p->marks[i].y));
	fputs("\"/>\n", f);
	for (size_t i = 0; i < p->n_marks; i++) {
		double at = place(x, p->marks[i].x);
		double up = place(y, p->marks[i].y);

		if (p->marks[i].side != side || !isfinite(p->marks[i].y))
			continue;
		if (side == TRIAL_BEFORE)
			fprintf(f,
				"<circle class=\"before\" cx=\"%.1f\" cy=\"%.1f\" "
				"r=\"3.5\"/>\n",
				at, up);
		else
			fprintf(f,
				"<rect class=\"after\" x=\"%.1f\" y=\"%.1f\" "
				"width=\"7\" height=\"7\"/>\n",
				at - 3.5, up - 3.5);
	}
}

/* A line of its own for each leg. */
static void put_trace(const struct run_plot *p, const struct axis *x,
		      const struct axis *y, FILE *f)
{
	for (size_t i = 0; i < p->n_marks; i++) {
		const struct plot_mark *m = &p->marks[i];

		if (!m->n)
			continue;
		fprintf(f, "<polyline class=\"%s trace\" points=\"",
			side_classes[m->side]);
		for (size_t k = m->first; k < m->first + m->n; k++)
			fprintf(f, "%.1f,%.1f ", place(x, p->trace[k].x),
				place(y, p->trace[k].y));
		fputs("\"/>\n", f);
	}
}

void run_plot_svg(const struct run_plot *p, unsigned number, FILE *f)
{
	struct plot_point low, high;
	struct axis x, y, scale;
	bool minutes;

	if (run_plot_empty(p))
		return;
	bounds(p, &low, &high);
	minutes = high.x - low.x > 180;
	x = axis_make(low.x, high.x, LEFT, WIDTH - RIGHT);
	x.low = low.x; /* time needs no round ends */
	x.high = fmax(high.x, low.x + 1);
	y = axis_make(low.y, high.y, HEIGHT - BOTTOM, TOP);
	scale = axis_make(0, (x.high - x.low) / (minutes ? 60 : 1), LEFT, WIDTH - RIGHT);
	scale.high = (x.high - x.low) / (minutes ? 60 : 1);
	fprintf(f,
		"<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"t%u\">\n"
		"<title id=\"t%u\">",
		WIDTH, HEIGHT, number, number);
	html_put(f, p->title);
	fputs("</title>\n", f);
	put_bands(p, &x, f);
	put_y_axis(&y, f);
	put_x_axis(&scale, minutes, f);
	if (p->n_trace) {
		put_trace(p, &x, &y, f);
	} else {
		put_marks(p, TRIAL_BEFORE, &x, &y, f);
		put_marks(p, TRIAL_AFTER, &x, &y, f);
	}
	fputs("</svg>\n", f);
}
