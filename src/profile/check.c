// SPDX-License-Identifier: GPL-2.0-or-later
// check.c - sections, keys and values of one profile file against the registry
#include "profile/check.h"

#include "knobs/cpufreq.h"
#include "knobs/sysctl.h"
#include "knobs/thermal.h"
#include "profile/registry.h"

/* What may stand after the colon of a header. */
static const struct {
	const char *section;
	enum label_rule {
		LABEL_NONE,
		LABEL_POLICY, /* none, big, little or policyN */
		LABEL_FREE,   /* one must be there */
		LABEL_ZONE,   /* the type of a thermal zone; numbers change at boot */
	} rule;
} label_rules[] = {
	{ "main", LABEL_NONE },	     { "board", LABEL_NONE }, { "trial", LABEL_NONE },
	{ "cpufreq", LABEL_POLICY }, { "net", LABEL_FREE },
	{ "thermal", LABEL_ZONE },   { "irq", LABEL_FREE },
	{ "sysctl", LABEL_NONE },
};

static bool is_policy_label(const char *label)
{
	const char *number = str_after(label, "policy");

	if (!*label || streq(label, "big") || streq(label, "little"))
		return true;
	return number && *number && strlen(number) <= 4 &&
	       !number[strspn(number, "0123456789")];
}

/* Not empty, and no number of a zone. */
static bool is_zone_type(const char *label)
{
	const char *number = str_after(label, "thermal_zone");

	return label[strspn(label, "|")] &&
	       (!number || !*number || number[strspn(number, "0123456789")]);
}

/* What is wrong with the label of a section: a translated sentence, NULL if nothing. */
static const char *label_error(const char *section, const char *label)
{
	for (size_t i = 0; i < ARRAY_SIZE(label_rules); i++) {
		if (!streq(label_rules[i].section, section))
			continue;
		switch (label_rules[i].rule) {
		case LABEL_NONE:
			return *label ? _("expected no label") : NULL;
		case LABEL_POLICY:
			return is_policy_label(label) ? NULL
						      : _("expected the label big, "
							  "little or policyN");
		case LABEL_FREE:
			return *label ? NULL : _("expected a label such as [net:wan]");
		case LABEL_ZONE:
			return is_zone_type(label)
				       ? NULL
				       : _("expected the type of a zone such as "
					   "[thermal:soc-thermal]");
		}
	}
	return NULL;
}

bool check_section(const struct reader_section *s, const char *file,
		   struct profile_errors *errors)
{
	char name[READER_QUOTE_MAX], label[READER_QUOTE_MAX];
	const char *colon = *s->label ? ":" : "", *nearest, *wrong;

	reader_quote(s->name, strlen(s->name), name);
	reader_quote(s->label, strlen(s->label), label);
	if (!registry_has_section(s->name)) {
		nearest = registry_nearest_section(s->name);
		if (nearest)
			profile_error_add(errors, file, s->line,
					  _("unknown section [%s%s%s]; did you mean "
					    "[%s]?"),
					  name, colon, label, nearest);
		else
			profile_error_add(errors, file, s->line,
					  _("unknown section [%s%s%s]; expected main, "
					    "board, cpufreq, thermal, net, irq, sysctl "
					    "or trial"),
					  name, colon, label);
		return false;
	}
	wrong = label_error(s->name, s->label);
	if (!wrong)
		return true;
	profile_error_add(errors, file, s->line, "[%s%s%s]: %s", name, colon, label,
			  wrong);
	return false;
}

/* Keys whose words are names of a known set, and what is said of another word. */
static const struct name_rule {
	const char *section, *key;
	bool (*known)(const char *name);
	const char *(*nearest)(const char *name);
	const char *unknown, *mistyped;
} name_rules[] = {
	{ "cpufreq", "governor", cpufreq_governor_known, cpufreq_governor_nearest,
	  N_("unknown governor \"%s\"; expected one such as schedutil, ondemand or "
	     "performance"),
	  N_("unknown governor \"%s\"; did you mean %s?") },
	{ "thermal", "policy", thermal_policy_known, thermal_policy_nearest,
	  N_("unknown policy \"%s\"; expected one such as step_wise or "
	     "power_allocator"),
	  N_("unknown policy \"%s\"; did you mean %s?") },
};

/* Each word of "schedutil|ondemand" must be a governor's name. */
static bool check_names(const struct setting *setting, const char *words,
			const char *file, unsigned line, struct profile_errors *errors)
{
	char list[VALUE_WORD_MAX], *rest = list, *word;
	const struct name_rule *rule = NULL;
	bool good = true;

	for (size_t i = 0; i < ARRAY_SIZE(name_rules); i++)
		if (streq(name_rules[i].section, setting->section) &&
		    streq(name_rules[i].key, setting->key))
			rule = &name_rules[i];
	strcpy(list, words);
	while (rule && (word = strsep(&rest, "|"))) {
		char quoted[READER_QUOTE_MAX];
		const char *nearest;

		if (rule->known(word))
			continue;
		good = false;
		nearest = rule->nearest(word);
		reader_quote(word, strlen(word), quoted);
		profile_error_add(errors, file, line,
				  nearest ? _(rule->mistyped) : _(rule->unknown), quoted,
				  nearest);
	}
	return good;
}

/* critical, hot.2, critical.hyst: trips that save the board. */
static bool is_critical(const struct reader_section *s, const char *key)
{
	const char *rest = str_after(key, "critical");

	if (!rest)
		rest = str_after(key, "hot");
	return streq(s->name, "thermal") && rest && (!*rest || *rest == '.');
}

/* The row of a key, NULL with an error if there is none. */
static const struct setting *find_setting(const struct reader_section *s,
					  const struct reader_key *k, const char *file,
					  struct profile_errors *errors)
{
	const struct setting *setting = registry_find(s->name, k->key);
	char quoted[READER_QUOTE_MAX];
	const char *nearest, *other;

	reader_quote(k->key, strlen(k->key), quoted);
	if (is_critical(s, k->key)) {
		profile_error_add(errors, file, k->line,
				  _("\"%s\": critical and hot trips save the board and "
				    "are never written; expected passive or active"),
				  quoted);
		return NULL;
	}
	if (!setting) {
		other = registry_section_of(k->key);
		nearest = registry_nearest_key(s->name, k->key);
		if (other)
			profile_error_add(errors, file, k->line,
					  _("unknown key \"%s\" in [%s]; it belongs to "
					    "[%s%s]"),
					  quoted, s->name, other,
					  streq(other, "net") ? ":..." : "");
		else if (nearest)
			profile_error_add(errors, file, k->line,
					  _("unknown key \"%s\" in [%s]; did you mean "
					    "%s?"),
					  quoted, s->name, nearest);
		else
			profile_error_add(errors, file, k->line,
					  _("unknown key \"%s\" in [%s]; expected one "
					    "that boardtune.ini(5) lists"),
					  quoted, s->name);
	} else if (k->optional && setting->stage == STAGE_NONE) {
		profile_error_add(errors, file, k->line,
				  _("\"-%s\": \"-\" makes a setting optional, and this "
				    "is "
				    "none; expected %s"),
				  quoted, quoted);
		return NULL;
	}
	return setting;
}

static void add_value_error(const struct setting *setting, const struct reader_key *k,
			    const char *file, int error, struct profile_errors *errors)
{
	char quoted[READER_QUOTE_MAX];
	const char *fmt;

	reader_quote(k->value, strlen(k->value), quoted);
	if (strstr(k->value, " #") || strstr(k->value, "\t#"))
		fmt = _("%s = \"%s\" is not understood; expected %s; a comment after a "
			"value begins with \" ;\"");
	else if (error == -ERANGE)
		fmt = _("%s = \"%s\" is out of range; expected %s");
	else
		fmt = _("%s = \"%s\" is not understood; expected %s");
	profile_error_add(errors, file, k->line, fmt, setting->key, quoted,
			  value_expects(setting->type));
}

/*
 * Patterns of a match key: "eth0, eth1" would look for an interface "eth0,". The key
 * counts all the same: the section has one.
 */
static void check_patterns(const struct setting *setting, const struct reader_key *k,
			   const char *file, struct profile_errors *errors)
{
	char quoted[READER_QUOTE_MAX];

	if (strstr(k->value, " #") || strstr(k->value, "\t#")) {
		add_value_error(setting, k, file, -EINVAL, errors);
		return;
	}
	for (const char *s = k->value; (s = strchr(s, ',')); s++) {
		if (s[1] && s[1] != ' ' && s[1] != '\t')
			continue;
		profile_error_add(errors, file, k->line,
				  _("%s = \"%s\": a name ends in a comma; expected "
				    "names with blanks between them"),
				  setting->key,
				  reader_quote(k->value, strlen(k->value), quoted));
		return;
	}
}

static bool check_value(const struct setting *setting, const struct reader_key *k,
			const char *file, struct value *ret,
			struct profile_errors *errors)
{
	int r = value_parse(setting->type, k->value, ret);

	if (r < 0) {
		add_value_error(setting, k, file, r, errors);
		return false;
	}
	if ((streq(setting->section, "net") || streq(setting->section, "irq")) &&
	    setting->stage == STAGE_NONE)
		check_patterns(setting, k, file, errors);
	return setting->type != VALUE_WORDS ||
	       check_names(setting, ret->word, file, k->line, errors);
}

/* Whether a key of [sysctl] can be the name of a parameter. */
static bool check_sysctl(const struct setting *setting, const struct reader_key *k,
			 const char *file, struct profile_errors *errors)
{
	char path[SYSROOT_PATH_MAX], quoted[READER_QUOTE_MAX];

	if (!streq(setting->section, "sysctl") || sysctl_path(k->key, path) == 0)
		return true;
	profile_error_add(errors, file, k->line,
			  _("\"%s\" is no kernel parameter; expected a name such as "
			    "net.core.somaxconn"),
			  reader_quote(k->key, strlen(k->key), quoted));
	return false;
}

const struct setting *check_key(const struct reader_section *s,
				const struct reader_key *k, const char *file,
				struct value *ret, struct profile_errors *errors)
{
	const struct setting *setting = find_setting(s, k, file, errors);

	return setting && check_sysctl(setting, k, file, errors) &&
			       check_value(setting, k, file, ret, errors)
		       ? setting
		       : NULL;
}
