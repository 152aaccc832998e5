// SPDX-License-Identifier: GPL-2.0-or-later
// recommend.c - the profiles that fit a board, best first
#include "profile/recommend.h"

#include <fnmatch.h>

#define GENERIC_X86 "generic-x86"
#define GENERIC_ARM "generic-arm"
#define BLANKS " \t"

/* What [board] says; NULL: it has no such key. */
static const char *board_key(const struct profile *p, const char *key)
{
	const struct assignment *a = profile_meta(p, "board", key);

	return a ? a->value.word : NULL;
}

const char *recommend_boards(const struct profile *p)
{
	const char *compatible = board_key(p, "compatible");

	return compatible ? compatible : board_key(p, "dmi");
}

/* The first of the board's compatible strings that is among @words; -1: none. */
static int rank_of(const char *words, const struct identity *id)
{
	for (size_t i = 0; i < id->n_compatible; i++) {
		size_t n = strlen(id->compatible[i]);

		for (const char *w = words; *w; w += strcspn(w, BLANKS)) {
			w += strspn(w, BLANKS);
			if (strcspn(w, BLANKS) == n && !memcmp(w, id->compatible[i], n))
				return i;
		}
	}
	return -1;
}

static bool dmi_matches(const char *globs, const struct identity *id)
{
	char words[VALUE_WORD_MAX], *rest = words, *glob;

	snprintf(words, sizeof(words), "%s", globs);
	while ((glob = strsep(&rest, BLANKS)))
		if (*glob && id->dmi[0] && fnmatch(glob, id->dmi, 0) == 0)
			return true;
	return false;
}

/* Whether [board] names the board, and by what. */
static bool find_reason(const struct profile *p, const struct identity *id,
			struct recommend_fit *fit)
{
	const char *compatible = board_key(p, "compatible"), *dmi = board_key(p, "dmi");
	int rank = compatible ? rank_of(compatible, id) : -1;

	if (rank >= 0) {
		fit->by = RECOMMEND_COMPATIBLE;
		fit->rank = rank;
		return true;
	}
	fit->by = RECOMMEND_DMI;
	return dmi && dmi_matches(dmi, id);
}

bool recommend_names_board(const struct profile *p, const struct identity *id)
{
	struct recommend_fit fit;

	return !recommend_boards(p) || find_reason(p, id, &fit);
}

static const char *generic_name(const struct identity *id)
{
	if (id->x86)
		return GENERIC_X86;
	return id->n_compatible ? GENERIC_ARM : NULL;
}

/* One file may be what is wrong with all of them. */
static int keep_error(struct recommend_list *list, const struct profile_errors *errors)
{
	const struct profile_error *e = errors->items;

	if (list->error || !errors->n || !e || !e->file || !e->text)
		return 0;
	list->error = e->line ? str_format("%s:%u: %s", e->file, e->line, e->text)
			      : str_format("%s: %s", e->file, e->text);
	return list->error ? 0 : -ENOMEM;
}

static int add_broken(struct recommend_list *list, const char *name,
		      const struct profile_errors *errors)
{
	char *text = str_format("%s%s%s", list->broken ? list->broken : "",
				list->broken ? " " : "", name);

	if (!text)
		return -ENOMEM;
	free(list->broken);
	list->broken = text;
	return keep_error(list, errors);
}

static int add_fit(struct recommend_list *list, const struct recommend_fit *like,
		   const struct profile_entry *e)
{
	struct recommend_fit fit = *like;

	if (array_grow(&list->fits, list->n, sizeof(fit)) < 0)
		return -ENOMEM;
	fit.name = strdup(e->name);
	fit.path = strdup(e->path);
	fit.summary = strdup(e->summary);
	fit.local = e->local;
	list->fits[list->n++] = fit;
	return fit.name && fit.path && fit.summary ? 0 : -ENOMEM;
}

/* Merged, since [board] may come from what it includes. */
static int add_entry(struct recommend_list *list, const struct identity *id,
		     const struct sysroot *root, const struct profile_entry *e)
{
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *p = NULL;
	struct recommend_fit fit = { 0 };
	const char *generic = generic_name(id);
	int r = profile_load(root, e->name, &p, &errors);

	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return add_broken(list, e->name, &errors);
	if (find_reason(p, id, &fit))
		return add_fit(list, &fit, e);
	if (!generic || !streq(e->name, generic) || !recommend_names_board(p, id))
		return 0;
	fit.by = RECOMMEND_GENERIC;
	return add_fit(list, &fit, e);
}

static bool same_reason(const struct recommend_fit *a, const struct recommend_fit *b)
{
	return a->by == b->by && a->rank == b->rank;
}

static void mark_variants(struct recommend_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		for (size_t k = 0; k < list->n; k++) {
			const struct recommend_fit *plain = &list->fits[k];
			const char *rest = str_after(list->fits[i].name, plain->name);

			if (rest && *rest == '-' && same_reason(plain, &list->fits[i]))
				list->fits[i].variant = true;
		}
}

static int compare_fits(const void *a, const void *b)
{
	const struct recommend_fit *x = a, *y = b;

	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->variant != y->variant)
		return x->variant ? 1 : -1;
	if (x->local != y->local)
		return x->local ? -1 : 1;
	return str_compare_natural(x->name, y->name);
}

int recommend_find(const struct identity *id, const struct sysroot *root,
		   struct recommend_list *ret)
{
	struct recommend_list list = { 0 };
	struct profile_entry *entries = NULL;
	ssize_t n = profile_list(root, &entries);
	int r = n < 0 ? n : 0;

	for (ssize_t i = 0; r == 0 && i < n; i++)
		r = add_entry(&list, id, root, &entries[i]);
	if (n >= 0)
		profile_list_free(entries, n);
	if (r < 0) {
		recommend_list_clear(&list);
		return r;
	}
	mark_variants(&list);
	if (list.n)
		qsort(list.fits, list.n, sizeof(*list.fits), compare_fits);
	*ret = list;
	return 0;
}

void recommend_list_clear(struct recommend_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->fits[i].name);
		free(list->fits[i].path);
		free(list->fits[i].summary);
	}
	free(list->fits);
	free(list->broken);
	free(list->error);
	*list = (struct recommend_list){ 0 };
}
