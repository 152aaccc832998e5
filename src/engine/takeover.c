// SPDX-License-Identifier: GPL-2.0-or-later
// takeover.c - rivals' links: recorded, changed, put back
#include "engine/takeover.h"

#include <fnmatch.h>

#include "base/service.h"
#include "engine/boot.h"
#include "engine/lasting.h"
#include "kernel/bus.h"

#define SCHEMA 1
#define UNIT_CONFIG "/etc/systemd/system/"

/*
 * { "schema": 1, "state": "taken", "rivals": [ { "name": "irqbalance",
 *   "unit": "irqbalance.service", "active": true, "links": [
 *     { "path": "/etc/systemd/system/...", "from": TARGET, "to": TARGET } ] } ] }
 *
 * A link is taken by having it point to "to", given back by "from"; null: no link.
 */
static const char *const state_names[TAKEOVER_STATES_] = {
	[TAKEOVER_TAKING] = "taking",
	[TAKEOVER_TAKEN] = "taken",
	[TAKEOVER_GIVING] = "giving",
};

static void decref(json_t **json)
{
	json_decref(*json);
}
#define _cleanup_json_ _cleanup_(decref)

unsigned takeover_families(const struct profile *p)
{
	unsigned families = 0;

	for (size_t i = 0; i < p->n_assignments; i++)
		families |= rival_family_of(p->assignments[i].setting->section,
					    p->assignments[i].key);
	return families;
}

bool takeover_can(const struct rival_state *s)
{
	return rival_works(s) && (s->rival->unit || s->rival->init) && !s->owned;
}

/* ---- the record ---- */

/* Only where enable and disable of systemd and init have their links, wherever the
 * record of an image comes from. */
static bool is_link_path(const char *path)
{
	bool rc = fnmatch("/etc/rc*.d/[SK][0-9][0-9]?*", path, FNM_PATHNAME) == 0;

	return (rc || str_after(path, UNIT_CONFIG)) && !strstr(path, "/..") &&
	       strlen(path) < SYSROOT_PATH_MAX;
}

static bool is_target(const json_t *t)
{
	return json_is_null(t) || (json_is_string(t) && *json_string_value(t));
}

static bool is_rival(const json_t *rival)
{
	const json_t *links = json_object_get(rival, "links"), *link;
	const char *name = json_string_value(json_object_get(rival, "name"));
	size_t i;

	if (!name || strchr(name, ' ') || !json_is_array(links) ||
	    !json_is_boolean(json_object_get(rival, "active")) ||
	    !is_target(json_object_get(rival, "unit")))
		return false;
	json_array_foreach(links, i, link) {
		const char *path = json_string_value(json_object_get(link, "path"));

		if (!path || !is_link_path(path) ||
		    !is_target(json_object_get(link, "from")) ||
		    !is_target(json_object_get(link, "to")))
			return false;
	}
	return true;
}

/* @ret a new record when there is none: state NONE. */
static int load(const struct sysroot *root, json_t **ret, enum takeover_state *ret_state)
{
	_cleanup_json_ json_t *doc = NULL;
	_cleanup_free_ char *text = NULL;
	ssize_t n = lasting_read(root, TAKEOVER_RECORD, &text);
	const json_t *rivals, *rival;
	const char *word;
	size_t i;

	if (n == -ENOENT) {
		*ret = json_pack("{s:i, s:s, s:[]}", "schema", SCHEMA, "state", "taking",
				 "rivals");
		*ret_state = TAKEOVER_NONE;
		return *ret ? 0 : -ENOMEM;
	}
	if (n < 0)
		return n;
	doc = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
	rivals = json_object_get(doc, "rivals");
	word = json_string_value(json_object_get(doc, "state"));
	if (!word || json_integer_value(json_object_get(doc, "schema")) != SCHEMA ||
	    !json_is_array(rivals))
		return -EBADMSG;
	json_array_foreach(rivals, i, rival)
		if (!is_rival(rival))
			return -EBADMSG;
	for (i = TAKEOVER_TAKING; i < TAKEOVER_STATES_; i++) {
		if (!streq(state_names[i], word))
			continue;
		*ret = TAKE_PTR(doc);
		*ret_state = i;
		return 0;
	}
	return -EBADMSG;
}

static int save(const struct sysroot *root, json_t *doc, enum takeover_state state)
{
	_cleanup_free_ char *text = NULL;

	if (json_object_set_new(doc, "state", json_string(state_names[state])) < 0)
		return -ENOMEM;
	text = json_dumps(doc, JSON_INDENT(2));
	return text ? lasting_write(root, TAKEOVER_RECORD, text) : -ENOMEM;
}

static json_t *find_rival(const json_t *doc, const char *name)
{
	const json_t *rivals = json_object_get(doc, "rivals");
	json_t *rival;
	size_t i;

	json_array_foreach(rivals, i, rival)
		if (streq(json_string_value(json_object_get(rival, "name")), name))
			return rival;
	return NULL;
}

int takeover_has(const struct sysroot *root, const char *name)
{
	_cleanup_json_ json_t *doc = NULL;
	enum takeover_state state;
	int r = load(root, &doc, &state);

	return r < 0 ? r : find_rival(doc, name) != NULL;
}

/* ---- which links ---- */

/* One that is there already has its first "from", which is what was before us. */
static int add_link(json_t *rival, const char *path, const char *from, const char *to)
{
	json_t *links = json_object_get(rival, "links"), *link;
	size_t i;

	json_array_foreach(links, i, link)
		if (streq(json_string_value(json_object_get(link, "path")), path))
			return 0;
	return json_array_append_new(links,
				     json_pack("{s:s, s:s?, s:s?}", "path", path, "from",
					       from, "to", to)) < 0
		       ? -ENOMEM
		       : 0;
}

/* S01x becomes K01x, without which the next upgrade would enable it again. */
static int add_kill_link(const struct sysroot *root, json_t *rival, const char *path,
			 const char *target)
{
	char kill[SYSROOT_PATH_MAX], now[SYSROOT_PATH_MAX];
	char *name;

	snprintf(kill, sizeof(kill), "%s", path);
	name = strrchr(kill, '/') + 1;
	*name = 'K';
	if (str_after(path, "/etc/rc.d/") ||
	    sysroot_readlink(root, kill, now, sizeof(now)) == 0)
		return 0;
	return add_link(rival, kill, NULL, target);
}

static int add_links(const struct sysroot *root, json_t *rival, const struct rival *r,
		     const struct rival_links *links)
{
	char mask[SYSROOT_PATH_MAX], target[SYSROOT_PATH_MAX];
	int e = 0;

	for (size_t i = 0; e == 0 && i < links->n; i++) {
		const char *path = links->paths[i];

		e = sysroot_readlink(root, path, target, sizeof(target));
		if (e == 0)
			e = add_link(rival, path, target, NULL);
		if (e == 0 && str_after(path, "/etc/rc"))
			e = add_kill_link(root, rival, path, target);
	}
	if (e < 0 || !*links->unit || links->masked || links->owned ||
	    !(links->vendor || r->activated))
		return e;
	snprintf(mask, sizeof(mask), UNIT_CONFIG "%s", r->unit);
	return add_link(rival, mask, NULL, "/dev/null");
}

static int add_rival(const struct sysroot *root, json_t *doc, const struct rival_state *s)
{
	_cleanup_(rival_links_clear) struct rival_links links = { 0 };
	json_t *rival = find_rival(doc, s->rival->name);
	int r;

	if (!rival) {
		rival = json_pack("{s:s, s:s?, s:b, s:[]}", "name", s->rival->name,
				  "unit", s->rival->unit, "active", 0, "links");
		if (json_array_append_new(json_object_get(doc, "rivals"), rival) < 0)
			return -ENOMEM;
	}
	if (s->active && json_object_set_new(rival, "active", json_true()) < 0)
		return -ENOMEM;
	r = rival_links_find(root, s->rival, &links);
	return r < 0 ? r : add_links(root, rival, s->rival, &links);
}

/* ---- the steps ---- */

static int append_word(char **text, const char *word)
{
	char *longer = str_format("%s%s%s", *text, **text ? " " : "", word);

	if (!longer)
		return -ENOMEM;
	free(*text);
	*text = longer;
	return 0;
}

static int report_new(struct takeover_report *report)
{
	report->done = strdup("");
	report->running = strdup("");
	report->kept = strdup("");
	report->enabled = strdup("");
	return report->done && report->running && report->kept && report->enabled
		       ? 0
		       : -ENOMEM;
}

void takeover_report_clear(struct takeover_report *report)
{
	free(report->done);
	free(report->running);
	free(report->kept);
	free(report->enabled);
	*report = (struct takeover_report){ 0 };
}

static bool same_target(const char *a, const char *b)
{
	return a && b ? streq(a, b) : a == b;
}

/* Have a link point to @goal, if it is as we left or found it. */
static int set_link(const struct sysroot *root, const char *path, const char *other,
		    const char *goal, struct takeover_report *report)
{
	char now[SYSROOT_PATH_MAX];
	int r = sysroot_readlink(root, path, now, sizeof(now));
	const char *is = r == 0 ? now : NULL;

	if (same_target(is, goal) && r != -EINVAL)
		return 0;
	if (!same_target(is, other) || r == -EINVAL)
		return append_word(&report->kept, path);
	return boot_set_link(root, path, goal);
}

static int set_links(const struct sysroot *root, const json_t *rival, bool give,
		     struct takeover_report *report)
{
	const json_t *links = json_object_get(rival, "links"), *link;
	size_t i;
	int r;

	json_array_foreach(links, i, link) {
		const char *from = json_string_value(json_object_get(link, "from"));
		const char *to = json_string_value(json_object_get(link, "to"));

		r = set_link(root, json_string_value(json_object_get(link, "path")),
			     give ? to : from, give ? from : to, report);
		if (r < 0)
			return r;
	}
	return 0;
}

/* What came of it is read back. */
static int tell_rival(const struct sysroot *root, const json_t *rival, bool give,
		      struct takeover_report *report)
{
	const char *name = json_string_value(json_object_get(rival, "name"));
	int starts = give ? 0 : rival_starts(root, name);

	if (starts < 0)
		return starts;
	return append_word(starts ? &report->enabled : &report->done, name);
}

/* Stop or start what was active. A generated unit is gone with its link: reload last
 * when stopping, first when starting. */
static int run_units(const json_t *doc, bool give, struct takeover_report *report)
{
	_cleanup_(bus_closep) struct bus *bus = NULL;
	const json_t *rivals = json_object_get(doc, "rivals"), *rival;
	int r = service_booted() ? bus_open(&bus) : -ENOENT;
	size_t i;

	if (r == 0 && give)
		r = bus_reload(bus);
	json_array_foreach(rivals, i, rival) {
		const char *name = json_string_value(json_object_get(rival, "name"));
		const char *unit = json_string_value(json_object_get(rival, "unit"));
		int e = r;

		if (!json_is_true(json_object_get(rival, "active")))
			continue;
		if (bus && unit)
			e = give ? bus_unit_start(bus, unit) : bus_unit_stop(bus, unit);
		if ((!bus || !unit || e < 0) && append_word(&report->running, name) < 0)
			return -ENOMEM;
		report->bus = bus && e < 0 ? e : report->bus;
	}
	if (bus && !give)
		r = bus_reload(bus);
	if (r < 0 && service_booted())
		report->bus = r;
	return 0;
}

static int run_steps(struct system *sys, const json_t *doc, bool give,
		     struct takeover_report *report)
{
	const json_t *rivals = json_object_get(doc, "rivals"), *rival;
	int r = report_new(report);
	size_t i;

	json_array_foreach(rivals, i, rival)
		if (r == 0)
			r = set_links(&sys->root, rival, give, report);
	json_array_foreach(rivals, i, rival)
		if (r == 0)
			r = tell_rival(&sys->root, rival, give, report);
	return r == 0 && sys->root.live ? run_units(doc, give, report) : r;
}

/* The record says what is going on before it does, and what has come of it after. */
static int go(struct system *sys, json_t *doc, bool give, struct takeover_report *ret)
{
	_cleanup_(takeover_report_clear) struct takeover_report report = { 0 };
	int r = save(&sys->root, doc, give ? TAKEOVER_GIVING : TAKEOVER_TAKING);

	if (r == 0)
		r = run_steps(sys, doc, give, &report);
	if (r == 0)
		r = give ? lasting_remove(&sys->root, TAKEOVER_RECORD)
			 : save(&sys->root, doc, TAKEOVER_TAKEN);
	if (r < 0)
		return r;
	*ret = report;
	report = (struct takeover_report){ 0 };
	return 0;
}

int takeover_take(struct system *sys, const struct rival_list *list, unsigned families,
		  struct takeover_report *ret)
{
	_cleanup_json_ json_t *doc = NULL;
	enum takeover_state state;
	bool any = false;
	int r = load(&sys->root, &doc, &state);

	for (size_t i = 0; r == 0 && i < list->n; i++) {
		const struct rival_state *s = &list->states[i];

		if (!(s->families & families) || !takeover_can(s))
			continue;
		any = true;
		r = add_rival(&sys->root, doc, s);
	}
	if (r < 0)
		return r;
	return any ? go(sys, doc, false, ret) : 1;
}

int takeover_give(struct system *sys, struct takeover_report *ret)
{
	_cleanup_json_ json_t *doc = NULL;
	enum takeover_state state;
	int r = load(&sys->root, &doc, &state);

	if (r < 0)
		return r;
	return state == TAKEOVER_NONE ? 1 : go(sys, doc, true, ret);
}

int takeover_finish(struct system *sys, struct takeover_report *ret)
{
	_cleanup_json_ json_t *doc = NULL;
	enum takeover_state state;
	int r = load(&sys->root, &doc, &state);

	if (r < 0)
		return r;
	switch (state) {
	case TAKEOVER_TAKING:
		return go(sys, doc, false, ret);
	case TAKEOVER_GIVING:
		return go(sys, doc, true, ret);
	case TAKEOVER_NONE:
	case TAKEOVER_TAKEN:
	case TAKEOVER_STATES_:
		break;
	}
	return 1;
}
