// SPDX-License-Identifier: GPL-2.0-or-later
// test-docs.c - the registry and boardtune.ini(5) name the same keys
#include "profile/registry.h"

#include "tap.h"

#define MANUAL "man/boardtune.ini.5"
#define KEYS_MAX 512

/* A key of ".It Ic KEY , KEY" of the manual, below the ".Ss [SECTION" it stands in. */
struct entry {
	char section[32], key[64];
	char text[256]; /* the line after it, which names other spellings */
};

struct manual {
	struct entry entries[KEYS_MAX];
	size_t n;
};

/* The keys of one ".It Ic" line; what follows "No" is their value. */
static bool add_keys(struct manual *m, const char *section, char *keys, const char *text)
{
	char *rest = keys, *key;

	while ((key = strsep(&rest, " \n")) && !streq(key, "No")) {
		struct entry *e = &m->entries[m->n];

		if (!*key || streq(key, ","))
			continue;
		if (++m->n == KEYS_MAX)
			return false;
		snprintf(e->section, sizeof(e->section), "%s", section);
		snprintf(e->key, sizeof(e->key), "%s", key);
		snprintf(e->text, sizeof(e->text), "%s", text);
	}
	return true;
}

static bool read_manual(struct manual *m)
{
	const char *dir = getenv("srcdir");
	_cleanup_free_ char *path = str_format("%s/" MANUAL, dir ? dir : ".");
	_cleanup_fclose_ FILE *f = path ? fopen(path, "re") : NULL;
	char line[512], text[256], section[32] = "";

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		char *keys;

		if (sscanf(line, ".Ss [%31[a-z]", section) == 1 || !*section)
			continue;
		if (str_after(line, ".Sh ")) {
			*section = '\0';
			continue;
		}
		keys = (char *)str_after(line, ".It Ic ");
		if (keys && (!fgets(text, sizeof(text), f) ||
			     !add_keys(m, section, keys, text)))
			return false;
	}
	return true;
}

static const struct entry *find_entry(const struct manual *m, const struct setting *s)
{
	for (size_t i = 0; i < m->n; i++)
		if (streq(m->entries[i].section, s->section) &&
		    streq(m->entries[i].key, s->key))
			return &m->entries[i];
	return NULL;
}

/* Every other spelling of a key stands in the line after it. */
static bool names_aliases(const struct entry *e, const char *aliases)
{
	char word[64];
	int used;

	for (; aliases && sscanf(aliases, "%63s%n", word, &used) == 1; aliases += used)
		if (!strstr(e->text, word))
			return false;
	return true;
}

/* A setting that another needs is in the same section, and of the pass before. */
static bool comes_first(const struct setting *s)
{
	const struct setting *other = registry_find(s->section, s->needs->key);

	return other && streq(other->key, s->needs->key) && other->stage < s->stage;
}

int main(void)
{
	static struct manual manual;
	size_t n;
	const struct setting *all = registry_all(&n);

	if (!read_manual(&manual)) {
		puts("Bail out! cannot read " MANUAL);
		return 1;
	}
	ok(n > 50, "the registry has %zu keys", n);
	for (size_t i = 0; i < n; i++) {
		const struct entry *e = find_entry(&manual, &all[i]);

		ok(e && names_aliases(e, all[i].alias), "[%s] %s is in the manual",
		   all[i].section, all[i].key);
		if (all[i].needs)
			ok(comes_first(&all[i]), "[%s] %s needs what is set before it",
			   all[i].section, all[i].key);
	}
	for (size_t i = 0; i < manual.n; i++) {
		const struct entry *e = &manual.entries[i];
		const struct setting *s = registry_find(e->section, e->key);

		ok(s && streq(s->key, e->key), "[%s] %s is in the registry", e->section,
		   e->key);
	}
	return done();
}
