// SPDX-License-Identifier: GPL-2.0-or-later
// rules-open.c - prepare the rules of a recorded board: real paths, what to put back
#include "board/rules.h"

#include "board/tree.h"

/* Rules are looked up by the path without links; what is not there stays as it is. */
static int make_real(const struct sysroot *raw, char **path)
{
	char real[SYSROOT_PATH_MAX], *copy;

	if (sysroot_realpath(raw, *path, real) < 0 || streq(real, *path))
		return 0;
	copy = strdup(real);
	if (!copy)
		return -ENOMEM;
	free(*path);
	*path = copy;
	return 0;
}

static int make_rule_real(const struct sysroot *raw, struct record_rule *rule)
{
	int r = 0;

	if (rule->kind == RULE_REFUSE_ETHTOOL)
		return 0;
	if (rule->kind != RULE_EXISTS)
		r = make_real(raw, &rule->path);
	if (r == 0 && rule->other)
		r = make_real(raw, &rule->other);
	for (size_t i = 0; r == 0 && rule->kind == RULE_RESET && i < rule->n_words; i++)
		r = make_real(raw, &rule->words[i]);
	return r;
}

static int keep_original(struct rules *rules, const char *path)
{
	struct rules_original file = { 0 };
	ssize_t n;
	int r = array_grow(&rules->originals, rules->n_originals, sizeof(file));

	if (r < 0)
		return r;
	n = sysroot_read_all(&rules->raw, path, &file.data);
	if (n < 0)
		return (int)n;
	file.size = (size_t)n;
	file.path = strdup(path);
	if (!file.path) {
		free(file.data);
		return -ENOMEM;
	}
	rules->originals[rules->n_originals++] = file;
	return 0;
}

static bool is_regular(const struct sysroot *raw, const char *path)
{
	char target[SYSROOT_PATH_MAX];

	return path[strlen(path) - 1] != '/' &&
	       sysroot_readlink(raw, path, target, sizeof(target)) == -EINVAL;
}

static int keep_prefix(struct rules *rules, const char *prefix)
{
	_cleanup_list_ char **paths = NULL;
	ssize_t n = tree_list(rules->raw.fd, prefix, &paths);

	for (ssize_t i = 0; i < n; i++) {
		int r = is_regular(&rules->raw, paths[i]) ? keep_original(rules, paths[i])
							  : 0;

		if (r < 0)
			return r;
	}
	return n < 0 ? (int)n : 0;
}

static int keep_resets(struct rules *rules, const struct record_rule *rule,
		       bool recording, struct board_error *error)
{
	for (size_t i = 0; i < rule->n_words; i++) {
		int r = keep_original(rules, rule->words[i]);

		if (r == -ENOENT && !recording)
			continue; /* of a directory that someone has changed meanwhile */
		if (r == -ENOENT || r == -EISDIR)
			return record_fail(error, rule->line,
					   _("'%s' is no file of this board: nothing to "
					     "reset"),
					   rule->words[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

int rules_open(struct rules *rules, struct record *record, const struct sysroot *raw,
	       bool recording, struct record_log *log, struct board_error *ret_error)
{
	size_t n = record->n_rules + 1;
	int r = 0;

	*rules = (struct rules){ .record = record, .raw = *raw, .log = log };
	rules->delays = calloc(n, sizeof(*rules->delays));
	rules->was_there = calloc(n, sizeof(*rules->was_there));
	if (!rules->delays || !rules->was_there)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < record->n_rules; i++) {
		struct record_rule *rule = &record->rules[i];

		r = make_rule_real(raw, rule);
		if (r == 0 && rule->kind == RULE_EXISTS)
			r = keep_prefix(rules, rule->path);
		if (r == 0 && rule->kind == RULE_RESET)
			r = keep_resets(rules, rule, recording, ret_error);
	}
	return r;
}

void rules_close(struct rules *rules)
{
	for (size_t i = 0; i < rules->n_originals; i++) {
		free(rules->originals[i].path);
		free(rules->originals[i].data);
	}
	for (size_t i = 0; rules->delays && i < rules->record->n_rules; i++)
		free(rules->delays[i].old);
	free(rules->originals);
	free(rules->delays);
	free(rules->was_there);
	*rules = (struct rules){ 0 };
}
