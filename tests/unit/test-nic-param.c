// SPDX-License-Identifier: GPL-2.0-or-later
// test-nic-param.c - rings, channels, coalescing, pause, EEE on a recorded board
#include "engine-fixture.h"
#include "knobs/nic.h"
#include "profile/registry.h"

static char nics_path[512];

static void open_nics(struct system *ret)
{
	struct board_error error = { 0 };

	*ret = (struct system)SYSTEM_INIT;
	if (board_open_recording(nics_path, ret, &error) < 0) {
		printf("Bail out! line %u: %s\n", error.line, error.text);
		exit(1);
	}
}

static const struct setting *setting_of(const char *key)
{
	const struct setting *s = registry_find("net", key);

	if (!s) {
		printf("Bail out! no row %s\n", key);
		exit(1);
	}
	return s;
}

static struct target nic(const char *name)
{
	return (struct target) { .name = (char *)name, .path = (char *)"/x" };
}

/* What a key is on a NIC, as text; or the errno. */
static const char *now(struct system *sys, const char *name, const char *key)
{
	static char text[4][VALUE_TEXT_MAX];
	static unsigned next;
	const struct setting *s = setting_of(key);
	struct target t = nic(name);
	struct value v = { 0 };
	int r = s->get(sys, s, &t, &v);

	return r < 0 ? errno_name(r) : value_format(&v, text[next++ % 4]);
}

static int set(struct system *sys, const char *name, const char *key, uint64_t number)
{
	const struct setting *s = setting_of(key);
	struct value v = s->type == VALUE_FLAG ? value_flag(number)
					       : value_number(number);
	struct target t = nic(name);

	return s->set(sys, s, &t, &v);
}

static int expect(struct system *sys, const char *name, const char *key, uint64_t number,
		  struct expectation *ret)
{
	const struct setting *s = setting_of(key);
	struct value v = s->type == VALUE_FLAG ? value_flag(number)
					       : value_number(number);
	struct target t = nic(name);

	return s->expect(sys, s, &t, &v, ret);
}

static void test_get(void)
{
	static const struct {
		const char *name, *key, *want;
	} cases[] = {
		{ "eth0", "ring.rx", "512" },
		{ "eth0", "ring.rx-mini", "0" },
		{ "eth0", "ring.rx-jumbo", "EOPNOTSUPP" }, /* no line */
		{ "eth0", "ring.tx", "512" },
		{ "eth0", "channels.combined", "4" },
		{ "eth0", "channels.rx", "0" },
		{ "eth0", "coalesce.adaptive-rx", "off" },
		{ "eth0", "coalesce.rx-usecs", "100" },
		{ "eth0", "coalesce.tx-usecs", "EOPNOTSUPP" },
		{ "eth0", "pause.autoneg", "on" },
		{ "eth0", "pause.tx", "off" },
		{ "eth0", "eee", "on" },
		{ "eth0", "eee.tx-lpi", "on" },
		{ "eth0", "eee.tx-timer", "1000" },
		{ "eth1", "channels.rx", "2" },
		{ "eth1", "channels.combined", "EOPNOTSUPP" },
		{ "eth1", "ring.rx", "EOPNOTSUPP" },
		{ "eth2", "ring.rx", "EOPNOTSUPP" },
		{ "eth2", "eee", "EOPNOTSUPP" },
		{ "eth9", "ring.rx", "ENODEV" },
	};
	struct system sys;

	open_nics(&sys);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_str(now(&sys, cases[i].name, cases[i].key), cases[i].want, "%s of %s",
		       cases[i].key, cases[i].name);
	system_close(&sys);
}

/* What a kernel says of a number that nobody has clipped. */
static int ask(struct system *sys, const char *group, const char *name, uint32_t value)
{
	return ethtool_param_set(&sys->ethtool, "eth0", ethtool_param_find(group, name),
				 value);
}

static void test_set(void)
{
	struct system sys;

	open_nics(&sys);
	is_int(ask(&sys, "ring", "rx", 1025), -EINVAL, "a kernel does not clip");
	is_int(ask(&sys, "channels", "combined", 5), -EINVAL, "nor for channels");
	is_int(ask(&sys, "pause", "rx", 2), -EINVAL, "a flag is 0 or 1");
	is_str(now(&sys, "eth0", "ring.rx"), "512", "nothing changed");
	is_int(set(&sys, "eth0", "ring.rx", 2048), 0, "above the maximum");
	is_str(now(&sys, "eth0", "ring.rx"), "1024", "the maximum is written");
	is_int(set(&sys, "eth0", "ring.tx", 1ull << 32), 0, "more than 32 bits");
	is_str(now(&sys, "eth0", "ring.tx"), "1023", "an odd maximum (tg3)");
	is_int(set(&sys, "eth0", "coalesce.rx-usecs", 1ull << 32), -EINVAL,
	       "without a maximum");
	is_str(now(&sys, "eth0", "coalesce.rx-usecs"), "100", "nothing is cut off");
	is_int(set(&sys, "eth0", "coalesce.rx-usecs", 0), 0, "0 is a value");
	is_str(now(&sys, "eth0", "coalesce.rx-usecs"), "0", "like others");
	is_int(set(&sys, "eth0", "channels.combined", 0), -EINVAL,
	       "no channel at all: the kernel's business");
	is_int(set(&sys, "eth0", "channels.rx", 1), 0, "rx beside combined");
	is_int(set(&sys, "eth0", "channels.combined", 0), -EINVAL, "rx without tx");
	is_int(set(&sys, "eth0", "channels.tx", 1), 0, "tx beside combined");
	is_int(set(&sys, "eth0", "channels.combined", 0), 0, "then none combined");
	is_int(set(&sys, "eth1", "channels.rx", 3), 0, "veth: above its maximum");
	is_str(now(&sys, "eth1", "channels.rx"), "2", "clipped");
	is_int(set(&sys, "eth1", "channels.rx", 1), 0, "veth: one");
	is_str(now(&sys, "eth1", "channels.tx"), "2", "tx stays");
	is_int(set(&sys, "eth0", "coalesce.rx-frames", 9), -EINVAL, "!refuse EINVAL");
	is_int(set(&sys, "eth0", "coalesce.rx-frames", 8), 0,
	       "not for what is so already: no driver call");
	is_int(set(&sys, "eth0", "pause.tx", 1), -EBUSY, "!refuse EBUSY");
	is_str(now(&sys, "eth0", "pause.tx"), "off", "stays");
	is_int(set(&sys, "eth0", "pause.rx", 0), 0, "a flag");
	is_str(now(&sys, "eth0", "pause.rx"), "off", "off");
	is_int(set(&sys, "eth0", "eee", 0), 0, "EEE");
	is_str(now(&sys, "eth0", "eee.tx-lpi"), "on", "what depends on it stays");
	is_int(set(&sys, "eth2", "ring.rx", 1), -EOPNOTSUPP, "no rings");
	is_int(set(&sys, "eth9", "ring.rx", 1), -ENODEV, "no NIC");
	system_close(&sys);
}

static void test_expect(void)
{
	struct expectation e;
	struct system sys;

	open_nics(&sys);
	is_int(expect(&sys, "eth0", "ring.rx", 1024, &e), 0, "the maximum");
	is_int(e.outcome, OUTCOME_OK, "nothing against it");
	is_int(e.rounded.type, VALUE_NONE, "is not rounded");
	is_str(e.note, "the link may go down for a moment", "marked");
	is_int(expect(&sys, "eth0", "ring.rx", 512, &e), 0, "as it is");
	is_str(e.note, "", "nothing happens to the link");
	is_int(expect(&sys, "eth0", "ring.tx", 4096, &e), 0, "above the maximum");
	ok(e.rounded.type == VALUE_NUMBER && e.rounded.number == 1023, "rounded to it");
	is_int(e.want.number, 4096, "what is wanted stays");
	is_str(e.note,
	       "ring.tx of eth0 is at most 1023; the link may go down for a moment",
	       "both are said");
	is_int(set(&sys, "eth0", "ring.tx", 4096), 0, "set");
	is_int(expect(&sys, "eth0", "ring.tx", 4096, &e), 0, "again");
	is_str(e.note, "ring.tx of eth0 is at most 1023",
	       "there already: no link change");
	is_int(expect(&sys, "eth0", "coalesce.rx-usecs", 5, &e), 0, "coalescing");
	is_str(e.note, "", "leaves the link alone");
	is_int(expect(&sys, "eth0", "coalesce.rx-usecs", 1ull << 32, &e), -ERANGE,
	       "what no kernel can take is an error of the profile");
	is_str(e.note, "coalesce.rx-usecs is at most 4294967295", "says why");
	is_int(expect(&sys, "eth0", "pause.rx", 0, &e), 0, "pause");
	is_str(e.note, "the link may go down for a moment", "may renegotiate");
	is_int(expect(&sys, "eth0", "eee", 1, &e), 0, "EEE as it is");
	is_str(e.note, "", "no note");
	is_int(expect(&sys, "eth1", "ring.rx", 5, &e), 0, "no rings");
	is_int(e.outcome, OUTCOME_UNSUPPORTED, "unsupported");
	is_int(e.error, -EOPNOTSUPP, "its errno");
	is_str(e.note, "the driver of eth1 has no ring.rx", "says so");
	is_int(expect(&sys, "eth9", "ring.rx", 5, &e), 0, "no NIC");
	is_int(e.outcome, OUTCOME_MISSING, "missing");
	is_str(e.note, "", "nothing to add");
	system_close(&sys);
}

/* A driver that rounds, or sleeps, in place of the kernel: it has one number, "rx". */
struct fake {
	enum ethtool_group group;
	uint32_t value, step, asked;
	int error;
	unsigned sets;
};

static int fake_get(void *ctx, const char *ifname, const struct ethtool_param *p,
		    struct ethtool_number *ret)
{
	struct fake *f = ctx;

	if (f->error == 0 && (p->group != f->group || !streq(p->name, "rx")))
		return -EOPNOTSUPP;
	if (f->error == 0)
		*ret = (struct ethtool_number) { .value = f->value, .max = 4096 };
	return f->error;
}

static int fake_set(void *ctx, const char *ifname, const struct ethtool_param *p,
		    uint32_t value)
{
	struct fake *f = ctx;

	f->asked = value;
	f->sets++;
	f->value = (value + f->step - 1) / f->step * f->step;
	return 0;
}

static int fake_features(void *ctx, const char *ifname, struct ethtool_features *ret)
{
	return -EOPNOTSUPP;
}

static const struct ethtool_ops fake_ops = { .features_get = fake_features,
					     .param_get = fake_get,
					     .param_set = fake_set };

static const struct change *change_of(const struct outcome_of *o, const char *key)
{
	static const struct change none = { .outcome = OUTCOME_MAX_ };

	for (size_t i = 0; i < o->plan.n; i++)
		if (streq(o->plan.changes[i].setting->key, key))
			return &o->plan.changes[i];
	return &none;
}

/* Apply lines to eth0 (or another) and say what became of one key. */
static enum outcome outcome_with(struct system *sys, const char *name, const char *lines,
				 const char *key, struct change *ret)
{
	_cleanup_free_ char *text = str_format("[net:x]\nName = %s\n%s", name, lines);
	struct outcome_of o;

	spit("nics.ini", text);
	o = apply_to(sys, "./nics.ini", (struct apply_options) { .best_effort = true });
	is_int(o.r, 0, "apply %s", lines);
	*ret = *change_of(&o, key);
	plan_clear(&o.plan);
	return ret->outcome;
}

static void test_outcomes(void)
{
	struct change c;
	struct system sys;

	open_nics(&sys);
	is_int(outcome_with(&sys, "eth0", "ring.rx = 512\n", "ring.rx", &c), OUTCOME_OK,
	       "equal: ok");
	is_int(outcome_with(&sys, "eth0", "ring.rx = 256\n", "ring.rx", &c),
	       OUTCOME_CHANGED, "changed");
	is_int(outcome_with(&sys, "eth0", "ring.rx = 2048\n", "ring.rx", &c),
	       OUTCOME_ROUNDED, "above the maximum: rounded");
	is_int(c.now.number, 1024, "to it");
	is_int(outcome_with(&sys, "eth0", "ring.rx = 2048\n", "ring.rx", &c), OUTCOME_OK,
	       "and again: ok");
	is_int(outcome_with(&sys, "eth0", "ring.rx-jumbo = 9\n", "ring.rx-jumbo", &c),
	       OUTCOME_UNSUPPORTED, "no such ring: unsupported");
	is_int(outcome_with(&sys, "eth0", "coalesce.rx-frames = 99\n",
			    "coalesce.rx-frames", &c),
	       OUTCOME_REFUSED, "EINVAL of a NIC: refused");
	is_int(c.error, -EINVAL, "with its errno");
	is_int(outcome_with(&sys, "eth0", "pause.tx = on\n", "pause.tx", &c),
	       OUTCOME_REFUSED, "EBUSY too");
	is_int(outcome_with(&sys, "eth0", "channels.combined = 9\n", "channels.combined",
			    &c),
	       OUTCOME_OK, "channels, too: all that there are");
	is_str(c.note, "channels.combined of eth0 is at most 4", "says so");
	is_int(outcome_with(&sys, "eth0", "eee = off\neee.tx-timer = 5\n", "eee.tx-timer",
			    &c),
	       OUTCOME_CHANGED, "EEE");
	is_int(outcome_with(&sys, "eth0", "eee = off\n", "eee", &c), OUTCOME_OK, "off");
	is_int(outcome_with(&sys, "eth7", "ring.rx = 1\n", "ring.rx", &c),
	       OUTCOME_MISSING, "no NIC: missing");
	system_close(&sys);
}

/* Which line takes the last channel of a NIC; 0: none does. */
static void test_channels(void)
{
	static const struct {
		const char *nic, *lines;
		unsigned line;
		const char *none_that;
	} cases[] = {
		{ "eth0", "channels.combined = 0\n", 3, "receives" },
		{ "eth0", "-channels.combined = 0\n", 3, "receives" },
		{ "eth0", "channels.rx = 1\nchannels.combined = 0\n", 4, "transmits" },
		{ "eth0", "channels.combined = 0\nchannels.rx = 1\nchannels.tx = 1\n", 3,
		  "receives" },
		{ "eth0", "channels.rx = 1\nchannels.tx = 1\nchannels.combined = 0\n", 0,
		  NULL },
		{ "eth0", "channels.rx = 0\nchannels.combined = 1\n", 0, NULL },
		{ "eth1", "channels.tx = 0\n", 3, "transmits" },
		{ "eth1", "channels.tx = 1\n", 0, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
		_cleanup_(profile_freep) struct profile *p = NULL;
		_cleanup_(plan_clear) struct plan plan = { 0 };
		_cleanup_free_ char *text = str_format("[net:x]\nName = %s\n%s",
						       cases[i].nic, cases[i].lines);
		struct system sys;

		open_nics(&sys);
		spit("channels.ini", text);
		is_int(profile_load(&sys.root, "./channels.ini", &p, &errors), 0, "%s",
		       text);
		is_int(plan_build(&sys, p, PLAN_ALL, &plan, &errors),
		       cases[i].line ? -EBADMSG : 0, "its plan");
		is_int(errors.n ? errors.items[0].line : 0, cases[i].line, "its line");
		ok(!errors.n || strstr(errors.items[0].text, cases[i].none_that),
		   "says what cannot be any more");
		system_close(&sys);
	}
}

static void test_drivers(void)
{
	struct fake f = { .value = 256, .step = 32 };
	struct expectation e;
	struct ethtool was;
	struct change c;
	struct system sys;

	open_nics(&sys);
	was = sys.ethtool;
	sys.ethtool = (struct ethtool) { &fake_ops, &f };
	is_int(outcome_with(&sys, "eth0", "ring.rx = 300\n", "ring.rx", &c),
	       OUTCOME_ROUNDED, "near what is there: the driver is asked all the same");
	is_int(c.now.number, 320, "320");
	is_int(outcome_with(&sys, "eth0", "ring.rx = 1000\n", "ring.rx", &c),
	       OUTCOME_ROUNDED, "to a multiple of 32");
	is_int(c.now.number, 1024, "1024");
	is_int(f.asked, 1000, "what was wanted was asked for");
	f.sets = 0;
	is_int(outcome_with(&sys, "eth0", "ring.rx = 1000\n", "ring.rx", &c), OUTCOME_OK,
	       "again");
	is_int(f.sets, 0, "what the driver made of it is known");
	f.value = 992;
	is_int(outcome_with(&sys, "eth0", "ring.rx = 1000\n", "ring.rx", &c),
	       OUTCOME_ROUNDED, "somebody else's number");
	is_int(f.sets, 1, "is none that the driver gave");
	is_int(outcome_with(&sys, "eth0", "ring.rx = 1010\n", "ring.rx", &c),
	       OUTCOME_ROUNDED, "another number");
	is_int(f.asked, 1010, "is asked for, though the driver may give the same");
	is_int(undo_on(&sys, UNDO_BEFORE_KEEP), 0, "put back to what was there");
	is_int(f.value, 1024, "1024");
	is_int(outcome_with(&sys, "eth0", "ring.rx = 1010\n", "ring.rx", &c),
	       OUTCOME_ROUNDED, "and asked for once more");
	is_int(f.asked, 1010, "as it is not what came of it");
	f.sets = 0;
	is_int(outcome_with(&sys, "eth0", "ring.rx = 1024\n", "ring.rx", &c), OUTCOME_OK,
	       "equal");
	is_int(f.sets, 0, "no call of the driver");
	is_int(outcome_with(&sys, "eth0", "ring.rx = 9999\n", "ring.rx", &c),
	       OUTCOME_ROUNDED, "above the maximum");
	is_int(f.asked, 4096, "the maximum was asked for: more is EINVAL");
	f.step = 4096;
	is_int(outcome_with(&sys, "eth0", "ring.rx = 100\n", "ring.rx", &c),
	       OUTCOME_CLAMPED, "far from what was wanted: clamped");
	f = (struct fake) { .group = ETHTOOL_CHANNELS, .value = 2, .step = 2 };
	is_int(outcome_with(&sys, "eth0", "channels.rx = 3\n", "channels.rx", &c),
	       OUTCOME_CLAMPED, "channels are not rounded");
	f.error = -ENODEV;
	is_int(expect(&sys, "eth0", "ring.rx", 5, &e), 0, "a NIC that sleeps (r8169)");
	is_int(e.outcome, OUTCOME_MISSING, "missing");
	is_str(e.note, "eth0 does not answer while it is down", "because it is down");
	f.error = -EPERM;
	is_int(expect(&sys, "eth0", "ring.rx", 5, &e), 0, "not permitted");
	is_int(e.outcome, OUTCOME_REFUSED, "refused");
	sys.ethtool = was;
	system_close(&sys);
}

/* An apply that fails half-way puts back what it had changed. */
static void test_undo(void)
{
	struct outcome_of o;
	struct system sys;

	open_nics(&sys);
	spit("nics.ini", "[net:x]\nName = eth0\nring.rx = 64\nchannels.combined = 2\n"
			 "coalesce.rx-usecs = 7\ncoalesce.rx-frames = 99\n");
	o = apply_to(&sys, "./nics.ini", (struct apply_options) { 0 });
	is_int(o.r, 0, "refused half-way");
	is_int(o.result, APPLY_UNDONE, "undone");
	plan_clear(&o.plan);
	is_str(now(&sys, "eth0", "ring.rx"), "512", "ring");
	is_str(now(&sys, "eth0", "channels.combined"), "4", "channels");
	is_str(now(&sys, "eth0", "coalesce.rx-usecs"), "100", "coalescing");
	spit("nics.ini", "[net:x]\nName = eth0\nring.tx = 4096\npause.rx = off\n");
	o = apply_to(&sys, "./nics.ini", (struct apply_options) { 0 });
	is_int(o.result, APPLY_DONE, "applied");
	plan_clear(&o.plan);
	is_str(now(&sys, "eth0", "ring.tx"), "1023", "ring");
	is_int(undo_on(&sys, UNDO_ORIGINAL), 0, "reverted");
	is_str(now(&sys, "eth0", "ring.tx"), "512", "ring");
	is_str(now(&sys, "eth0", "pause.rx"), "on", "pause");
	system_close(&sys);
}

/* Only the values of changed lines differ; blanks and maxima stay. */
static void test_save(void)
{
	_cleanup_free_ char *before = slurp(nics_path);
	char *after, *lines;
	struct system sys;

	open_nics(&sys);
	is_int(board_save(&sys, "saved.board"), 0, "saved");
	after = slurp("saved.board");
	is_str(after, before, "an untouched board: byte for byte");
	free(after);
	is_int(set(&sys, "eth0", "ring.tx", 64), 0, "ring");
	is_int(set(&sys, "eth0", "pause.rx", 0), 0, "pause");
	is_int(set(&sys, "eth0", "coalesce.rx-usecs", 0), 0, "coalescing");
	is_int(set(&sys, "eth0", "ring.rx", 64), 0, "there");
	is_int(set(&sys, "eth0", "ring.rx", 512), 0, "and back");
	is_int(set(&sys, "eth0", "pause.tx", 1), -EBUSY, "refused");
	is_int(board_save(&sys, "saved.board"), 0, "saved");
	after = slurp("saved.board");
	lines = strstr(after, "\n#! write");
	ok(lines, "the writes are noted");
	is_str(lines ? lines : "",
	       "\n#! write @ethtool eth0 ring tx 64\n"
	       "#! write @ethtool eth0 pause rx off\n"
	       "#! write @ethtool eth0 coalesce rx-usecs 0\n"
	       "#! write @ethtool eth0 ring rx 64\n"
	       "#! write @ethtool eth0 ring rx 512\n"
	       "#! write @ethtool eth0 pause tx on EBUSY\n",
	       "in order, with errors");
	ok(strstr(after, "\n@ethtool eth0  ring  tx =  64  max  1023\n"),
	   "the value alone");
	ok(strstr(after, "\n@ethtool eth0 pause rx = off\n"), "a flag");
	ok(strstr(after, "\n@ethtool eth0 coalesce rx-usecs = 0\n"), "a shorter one");
	ok(strstr(after, "\n@ethtool eth0 ring rx = 512 max 1024\n"), "put back");
	is_int(strlen(after) - strlen(lines ? lines : ""),
	       strlen(before) - strlen("512") + strlen("64") - strlen("on") +
		       strlen("off") - strlen("100") + strlen("0"),
	       "nothing else changed");
	system_close(&sys);
	spit("saved.board", after);
	free(after);
}

/* --sysroot: what was set is there for the next command. */
static void test_persistent(void)
{
	static const char rules[] = "# rules\n@ethtool eth0 ring rx = 512 max 1024\n"
				    "@ethtool eth0 eee enabled = on\n";
	struct board_error error = { 0 };
	struct system sys = SYSTEM_INIT;
	char *text;

	run((char *[]) { "mkdir", "-p", "root/sys/class/net/eth0", NULL });
	spit("root/.board", rules);
	spit("root/sys/class/net/eth0/ifindex", "2\n");
	is_int(board_open_dir("root", &sys, &error), 0, "a directory");
	is_int(set(&sys, "eth0", "ring.rx", 64), 0, "ring");
	is_int(set(&sys, "eth0", "eee", 0), 0, "EEE");
	system_close(&sys);
	text = slurp("root/.board");
	is_str(text,
	       "# rules\n@ethtool eth0 ring rx = 64 max 1024\n"
	       "@ethtool eth0 eee enabled = off\n",
	       "written back");
	free(text);
}

int main(void)
{
	char *full;

	in_srcdir(nics_path, sizeof(nics_path), "tests/boards/unit/nic-param.board");
	full = realpath(nics_path, NULL);
	strcpy(nics_path, full ? full : "");
	free(full);
	sandbox_enter();
	test_get();
	test_set();
	test_expect();
	test_outcomes();
	test_channels();
	test_drivers();
	test_undo();
	test_save();
	test_persistent();
	sandbox_leave();
	return done();
}
