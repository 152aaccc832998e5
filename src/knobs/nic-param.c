// SPDX-License-Identifier: GPL-2.0-or-later
// nic-param.c - rings, channels, coalescing, pause and EEE of a NIC
#include "knobs/nic.h"

/* "ring.rx", or "eee" for what ethtool(8) calls enabled. */
static const struct ethtool_param *param_of(const struct setting *s)
{
	const char *dot = strchr(s->attr, '.');
	size_t n = dot ? (size_t)(dot - s->attr) : strlen(s->attr);
	char group[16];

	if (n >= sizeof(group))
		return NULL;
	memcpy(group, s->attr, n);
	group[n] = '\0';
	return ethtool_param_find(group, dot ? dot + 1 : "enabled");
}

/* The number as it is now; @name gets the name that the interface has. */
static int read_param(struct system *sys, const struct ethtool_param *p,
		      const struct target *t, char name[static IF_NAMESIZE],
		      struct ethtool_number *ret)
{
	int r = nic_name_now(sys, t, name);

	if (r < 0)
		return r;
	return p ? ethtool_param_get(&sys->ethtool, name, p, ret) : -EOPNOTSUPP;
}

static struct value to_value(const struct ethtool_param *p, uint32_t number)
{
	return p->flag ? value_flag(number) : value_number(number);
}

/* What to ask the kernel for: a number above the maximum is EINVAL there. */
static int to_number(const struct ethtool_param *p, const struct value *v, uint32_t max,
		     uint32_t *ret)
{
	uint64_t number = p->flag ? v->flag : v->number;

	if (max && number > max)
		number = max;
	if (number > UINT32_MAX)
		return -EINVAL;
	*ret = (uint32_t)number;
	return 0;
}

int nic_param_get(struct system *sys, const struct setting *s, const struct target *t,
		  struct value *ret)
{
	const struct ethtool_param *p = param_of(s);
	struct ethtool_number now;
	char name[IF_NAMESIZE];
	int r = read_param(sys, p, t, name, &now);

	if (r < 0)
		return r;
	*ret = to_value(p, now.value);
	return KNOB_READ;
}

int nic_param_set(struct system *sys, const struct setting *s, const struct target *t,
		  const struct value *v)
{
	const struct ethtool_param *p = param_of(s);
	struct ethtool_number now;
	char name[IF_NAMESIZE];
	uint32_t number = 0;
	int r = read_param(sys, p, t, name, &now);

	if (r == 0)
		r = to_number(p, v, now.max, &number);
	return r < 0 ? r : ethtool_param_set(&sys->ethtool, name, p, number);
}

static void note_failure(const struct setting *s, const struct target *t, bool there,
			 int error, char note[static KNOB_NOTE_MAX])
{
	if (error == -EOPNOTSUPP)
		snprintf(note, KNOB_NOTE_MAX, _("the driver of %.16s has no %.32s"),
			 t->name, s->attr);
	/* runtime power management: r8169 sleeps while its interface is down */
	else if (error == -ENODEV && there)
		snprintf(note, KNOB_NOTE_MAX, _("%.16s does not answer while it is down"),
			 t->name);
}

/* Where the wanted number ends up, and what the way there costs. */
static int expect_number(const struct setting *s, const struct target *t,
			 const struct ethtool_param *p, const struct ethtool_number *now,
			 struct expectation *ret)
{
	uint32_t number;

	if (to_number(p, &ret->want, now->max, &number) < 0) {
		snprintf(ret->note, sizeof(ret->note), _("%.32s is at most %u"), s->attr,
			 UINT32_MAX);
		return -ERANGE;
	}
	if (!p->flag && number < ret->want.number) {
		ret->rounded = value_number(number);
		snprintf(ret->note, sizeof(ret->note), _("%.32s of %.16s is at most %u"),
			 s->attr, t->name, now->max);
	}
	if (s->drops_link && number != now->value)
		knob_note_add(ret->note, _("the link may go down for a moment"));
	return 0;
}

int nic_param_expect(struct system *sys, const struct setting *s, const struct target *t,
		     const struct value *asked, struct expectation *ret)
{
	const struct ethtool_param *p = param_of(s);
	struct ethtool_number now;
	char name[IF_NAMESIZE] = "";
	int r = read_param(sys, p, t, name, &now);

	*ret = (struct expectation) { .want = *asked, .outcome = OUTCOME_OK };
	if (r == 0)
		return expect_number(s, t, p, &now, ret);
	ret->outcome = outcome_from_errno(s, r);
	ret->error = r;
	note_failure(s, t, *name, r, ret->note);
	return 0;
}
