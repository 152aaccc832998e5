// SPDX-License-Identifier: GPL-2.0-or-later
// record-nic.c - the "@ethtool" lines of a .board file
#include "board/record.h"

static const struct {
	const char *word;
	enum record_nic_kind kind;
} kinds[] = {
	{ "feature", NIC_FEATURE },   { "ring", NIC_RING },
	{ "channels", NIC_CHANNELS }, { "coalesce", NIC_COALESCE },
	{ "pause", NIC_PAUSE },	      { "eee", NIC_EEE },
};

/* Names of ethtool(8) that stand for several features, or for one under another name. */
static const char *const groups[] = {
	"rx-checksumming",
	"tx-checksumming",
	"scatter-gather",
	"tcp-segmentation-offload",
	"udp-fragmentation-offload",
	"generic-segmentation-offload",
	"generic-receive-offload",
	"large-receive-offload",
	"rx-vlan-offload",
	"tx-vlan-offload",
	"ntuple-filters",
	"receive-hashing",
	"rx",
	"tx",
	"sg",
	"tso",
	"ufo",
	"gso",
	"gro",
	"lro",
	"rxvlan",
	"txvlan",
	"ntuple",
	"rxhash",
};

struct nic_parser {
	struct record_nic *nic;
	char *start, *rest; /* the line; what is left of it */
	unsigned line;
	struct board_error *error;
};

static char *take_word(struct nic_parser *p)
{
	char *word = p->rest + strspn(p->rest, " \t\r");
	size_t n = strcspn(word, " \t\r");

	p->rest = word + n;
	if (!n)
		return NULL;
	if (word[n])
		*p->rest++ = '\0';
	return word;
}

static int fail_word(const struct nic_parser *p, const char *word, const char *expected)
{
	return record_fail(p->error, p->line, _("'%s': expected %s"), word ? word : "",
			   expected);
}

static int take_ifname(struct nic_parser *p)
{
	const char *word = take_word(p);

	/* dev_valid_name(), net/core/dev.c */
	if (!word || strlen(word) >= sizeof(p->nic->ifname) || strpbrk(word, "/:") ||
	    streq(word, ".") || streq(word, ".."))
		return fail_word(p, word, _("the name of a network interface"));
	strcpy(p->nic->ifname, word);
	return 0;
}

static int take_kind(struct nic_parser *p)
{
	const char *word = take_word(p);

	for (size_t i = 0; word && i < ARRAY_SIZE(kinds); i++)
		if (streq(kinds[i].word, word)) {
			p->nic->kind = kinds[i].kind;
			return 0;
		}
	return fail_word(p, word, _("feature, ring, channels, coalesce, pause or eee"));
}

static const char *kind_word(enum record_nic_kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == kind)
			return kinds[i].word;
	return "";
}

static int take_name(struct nic_parser *p)
{
	const char *word = take_word(p);

	if (!word || strlen(word) >= sizeof(p->nic->name))
		return fail_word(p, word, _("a name of at most 31 bytes"));
	strcpy(p->nic->name, word);
	if (p->nic->kind == NIC_FEATURE) {
		for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
			if (streq(groups[i], word))
				return record_fail(
					p->error, p->line,
					_("'%s' is a name of ethtool(8): expected a "
					  "kernel feature such as rx-gro"),
					word);
		if (word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-_")])
			return fail_word(p, word, _("a kernel feature such as rx-gro"));
		return 0;
	}
	p->nic->param = ethtool_param_find(kind_word(p->nic->kind), word);
	return p->nic->param ? 0 : fail_word(p, word,
					     _("a parameter as ethtool(8) spells it"));
}

static int parse_switch(const struct nic_parser *p, const char *word, bool *ret)
{
	if (!word || (!streq(word, "on") && !streq(word, "off")))
		return fail_word(p, word, _("on or off"));
	*ret = streq(word, "on");
	return 0;
}

static int take_number(struct nic_parser *p, uint32_t *ret)
{
	const char *word = take_word(p);
	unsigned long long v;
	char *end;

	if (!word || word[strspn(word, "0123456789")])
		return fail_word(p, word, _("a decimal number"));
	errno = 0;
	v = strtoull(word, &end, 10);
	if (errno || v > UINT32_MAX)
		return fail_word(p, word, _("a number below 4294967296"));
	*ret = (uint32_t)v;
	return 0;
}

/* "on [fixed] [requested off]" */
static int take_feature(struct nic_parser *p)
{
	struct record_nic *nic = p->nic;
	char *word;
	int r = parse_switch(p, take_word(p), &nic->on);

	if (r < 0)
		return r;
	word = take_word(p);
	if (word && streq(word, "[fixed]")) {
		nic->fixed = true;
		word = take_word(p);
	}
	if (word && streq(word, "[requested")) {
		size_t n;

		word = take_word(p);
		n = word ? strlen(word) : 0;
		if (!n || word[n - 1] != ']')
			return fail_word(p, word, "[requested on] / [requested off]");
		word[n - 1] = '\0';
		nic->has_requested = true;
		r = parse_switch(p, word, &nic->requested);
		if (r < 0)
			return r;
		word = take_word(p);
	}
	return word ? fail_word(p, word, "[fixed] / [requested on|off]") : 0;
}

static int take_parameter(struct nic_parser *p)
{
	struct record_nic *nic = p->nic;
	char *word;
	int r;

	if (nic->param->flag)
		r = parse_switch(p, take_word(p), &nic->on);
	else
		r = take_number(p, &nic->value);
	if (r < 0)
		return r;
	word = take_word(p);
	if (word && nic->param->max && streq(word, "max")) {
		nic->has_max = true;
		r = take_number(p, &nic->max);
		if (r < 0)
			return r;
		if (nic->value > nic->max)
			return record_fail(p->error, p->line,
					   _("%u is above its maximum %u"), nic->value,
					   nic->max);
		word = take_word(p);
	}
	return word ? fail_word(p, word, _("the end of the line")) : 0;
}

static int take_line(struct nic_parser *p)
{
	const char *word = take_word(p);
	int r;

	if (!word || !streq(word, "@ethtool"))
		return fail_word(p, word, "@ethtool");
	r = take_ifname(p);
	if (r == 0)
		r = take_kind(p);
	if (r == 0)
		r = take_name(p);
	if (r < 0)
		return r;
	word = take_word(p);
	if (!word || !streq(word, "="))
		return fail_word(p, word, "'='");
	p->rest += strspn(p->rest, " \t");
	p->nic->value_start += (size_t)(p->rest - p->start);
	return p->nic->param ? take_parameter(p) : take_feature(p);
}

static int check_nic(const struct record *r, const struct record_nic *nic,
		     struct board_error *error)
{
	size_t features = 0;

	for (size_t i = 0; i < r->n_nics; i++) {
		const struct record_nic *other = &r->nics[i];

		if (other->kind != nic->kind || !streq(other->ifname, nic->ifname))
			continue;
		if (streq(other->name, nic->name))
			return record_fail(error, nic->line,
					   _("'%s' of %s is given twice (line %u)"),
					   nic->name, nic->ifname, other->line);
		features += nic->kind == NIC_FEATURE;
	}
	if (features >= ETHTOOL_FEATURES_MAX)
		return record_fail(error, nic->line, _("more than %d features of %s"),
				   ETHTOOL_FEATURES_MAX, nic->ifname);
	return 0;
}

int record_parse_nic(struct record *r, char *text, unsigned line, size_t start,
		     struct board_error *error)
{
	struct record_nic nic = { .line = line, .value_start = start };
	struct nic_parser p = {
		.nic = &nic, .start = text, .rest = text, .line = line, .error = error
	};
	int err = take_line(&p);

	if (err == 0)
		err = check_nic(r, &nic, error);
	if (err == 0)
		err = array_grow(&r->nics, r->n_nics, sizeof(*r->nics));
	if (err < 0)
		return err;
	r->nics[r->n_nics++] = nic;
	return 0;
}
