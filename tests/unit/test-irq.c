// SPDX-License-Identifier: GPL-2.0-or-later
// test-irq.c - where the interrupts of a NIC are, and what moves them
#include "knobs/irq.h"

#include "board/board.h"
#include "fixture.h"
#include "knobs/irq-nic.h"
#include "tap.h"

static const struct setting nic_row = { .section = "net",
					.key = "irq.affinity",
					.type = VALUE_CPUS,
					.attr = "smp_affinity",
					.each = irq_nic_each };
static const struct setting name_row = { .section = "irq",
					 .key = "affinity",
					 .type = VALUE_CPUS,
					 .attr = "smp_affinity",
					 .each = irq_name_each };

static void open_board(const char *name, struct system *ret)
{
	const char *srcdir = getenv("srcdir");
	struct board_error error = { 0 };
	_cleanup_free_ char *path = NULL;

	*ret = (struct system)SYSTEM_INIT;
	path = str_format("%s/tests/boards/unit/%s.board", srcdir ? srcdir : ".", name);
	if (!path || board_open_recording(path, ret, &error) < 0) {
		printf("Bail out! %s:%u: %s\n", path, error.line, error.text);
		exit(1);
	}
}

/* The targets of a section with one Name; the test fails if there are none. */
static struct target_list list_of(struct system *sys, const struct setting *s,
				  const char *pattern)
{
	const char *const key = "Name";
	const struct selector sel = { .label = "x",
				      .match_keys = &key,
				      .match_patterns = &pattern,
				      .n_matches = 1 };
	struct target_list list = { 0 };

	if (s->each(sys, s, &sel, &list) < 0)
		fixture_fail("each");
	return list;
}

/* "35 36/2": numbers, and of several lines of a NIC how many these are. */
static const char *lines_of(struct system *sys, const struct setting *s,
			    const char *pattern)
{
	struct target_list list = list_of(sys, s, pattern);
	static char text[512];

	text[0] = '\0';
	for (size_t i = 0; i < list.n; i++) {
		const struct target *t = &list.targets[i];

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			 i ? " " : "", t->name + strlen("irq "));
		if (t->siblings)
			snprintf(text + strlen(text), sizeof(text) - strlen(text),
				 "[%u/%u]", t->index, t->siblings);
	}
	target_list_clear(&list);
	return text;
}

#define is_lines(row, pattern, want)                                                     \
	is_str(lines_of(&sys, row, pattern), want, "lines of %s", pattern)

static const char *absent_note(struct system *sys, const struct setting *s,
			       const char *pattern)
{
	const char *const key = "Name";
	const struct selector sel = { .label = "x",
				      .match_keys = &key,
				      .match_patterns = &pattern,
				      .n_matches = 1 };
	static char note[KNOB_NOTE_MAX];

	note[0] = '\0';
	return irq_absent(sys, s, &sel, note) < 0 ? "failed" : note;
}

static struct value cpus(const char *list)
{
	struct cpus set;

	if (cpus_parse_list(list, &set) < 0)
		fixture_fail(list);
	return value_cpus(&set);
}

static const char *cpus_text(const struct value *v)
{
	static char text[VALUE_TEXT_MAX];

	return value_format(v, text);
}

/* What is expected of the k-th line of a pattern: "2 unmovable EPERM". */
static const char *expected(struct system *sys, const struct setting *s,
			    const char *pattern, size_t k, const char *asked)
{
	struct target_list list = list_of(sys, s, pattern);
	const struct value v = cpus(asked);
	static char text[VALUE_TEXT_MAX];
	struct expectation e;
	int r = k < list.n ? irq_affinity_expect(sys, s, &list.targets[k], &v, &e)
			   : -ENOENT;

	if (r < 0) {
		target_list_clear(&list);
		return errno_name(r);
	}
	value_format(&e.want, text);
	if (e.outcome != OUTCOME_OK)
		snprintf(text + strlen(text), 64, " %s %s", outcome_name(e.outcome),
			 errno_name(e.error));
	target_list_clear(&list);
	return text;
}

#define is_expected(row, pattern, k, asked, want)                                        \
	is_str(expected(&sys, row, pattern, k, asked), want, "%s of line %d of %s",      \
	       asked, k, pattern)

static const char *expected_note(struct system *sys, const struct setting *s,
				 const char *pattern, const char *asked)
{
	struct target_list list = list_of(sys, s, pattern);
	const struct value v = cpus(asked);
	static struct expectation e;

	e.note[0] = '\0';
	if (list.n)
		(void)irq_affinity_expect(sys, s, &list.targets[0], &v, &e);
	target_list_clear(&list);
	return e.note;
}

/* The first line of a pattern: written, and read back. */
static const char *written(struct system *sys, const struct setting *s,
			   const char *pattern, const char *set)
{
	struct target_list list = list_of(sys, s, pattern);
	const struct value v = cpus(set);
	static char text[VALUE_TEXT_MAX];
	struct value now;
	int r = list.n ? irq_affinity_set(sys, s, &list.targets[0], &v) : -ENOENT;

	if (r == 0)
		r = irq_affinity_get(sys, s, &list.targets[0], &now);
	if (r < 0)
		snprintf(text, sizeof(text), "%s %s", errno_name(r),
			 outcome_name(outcome_from_errno(s, r)));
	else
		value_format(&now, text);
	target_list_clear(&list);
	return text;
}

#define is_written(row, pattern, set, want)                                              \
	is_str(written(&sys, row, pattern, set), want, "%s <- %s", pattern, set)

static const char *text_of(struct system *sys, const char *path)
{
	static char text[512];
	ssize_t n = sysroot_read(&sys->root, path, text, sizeof(text));

	return n < 0 ? errno_name((int)n) : text;
}

/* A board with a GIC: platform devices, a switch, USB. */
static void test_gic(void)
{
	struct system sys;

	open_board("irq-gic", &sys);
	is_lines(&nic_row, "eth0", "35[0/2] 36[1/2]");
	is_lines(&nic_row, "lan", "43[0/1]");
	is_lines(&nic_row, "wan1", "72[0/2] 73[1/2]");
	is_lines(&nic_row, "wan[12]", "72[0/2] 73[1/2]");
	is_lines(&nic_row, "wan3", "80[0/3] 82[1/3] 86[2/3]");
	is_lines(&nic_row, "lan0", "");
	is_lines(&nic_row, "eth3", "");
	is_lines(&nic_row, "veth0", "");
	is_lines(&nic_row, "wlan0", "");
	is_lines(&nic_row, "none", "");
	is_str(absent_note(&sys, &nic_row, "lan0"),
	       "lan0 has no interrupt of its own; use that of eth0, below it",
	       "a switch port");
	is_str(absent_note(&sys, &nic_row, "eth3"),
	       "eth3 is down: its driver asks for an interrupt when it comes up", "down");
	is_str(absent_note(&sys, &nic_row, "veth0"), "veth0 is no hardware, no interrupt",
	       "virtual");
	is_str(absent_note(&sys, &nic_row, "wlan0"), "no interrupt of wlan0 was found",
	       "SDIO");
	is_str(absent_note(&sys, &nic_row, "none"), "no interface matches Name=none",
	       "no NIC");
	is_str(absent_note(&sys, &name_row, "usb*"), "no interrupt has the name usb* now",
	       "no action");
	system_close(&sys);
}

/* Others by the name of an action: whole words, any of a shared line. */
static void test_names(void)
{
	struct system sys;

	open_board("irq-gic", &sys);
	is_lines(&name_row, "xhci-hcd:usb*", "43");
	is_lines(&name_row, "eth0", "35 36");
	is_lines(&name_row, "eth", "");
	is_lines(&name_row, "ohci_hcd:usb3", "44");
	is_lines(&name_row, "arch_timer stmmac-0:00", "13 70");
	is_lines(&name_row, "(null)", "");
	system_close(&sys);
}

/* MSI: on the device, on its parent, on a host controller; lines without. */
static void test_msi(void)
{
	struct system sys;

	open_board("irq-msi", &sys);
	is_lines(&nic_row, "enp1s0", "126[0/5] 127[1/5] 128[2/5] 129[3/5] 130[4/5]");
	is_lines(&nic_row, "eth1", "140[0/4] 156[1/4] 158[2/4] 161[3/4]");
	is_lines(&nic_row, "eth2", "170[0/3] 171[1/3] 172[2/3]");
	is_lines(&nic_row, "eth3", "");
	is_str(absent_note(&sys, &nic_row, "eth3"),
	       "eth3 is down: its driver asks for an interrupt when it comes up",
	       "line 16 belongs to others");
	is_lines(&nic_row, "enp4s0", "17[0/1]");
	is_lines(&nic_row, "enx0", "121[0/1]");
	is_lines(&nic_row, "wwan0", "190[0/1]");
	is_lines(&nic_row, "swp1", "");
	is_str(absent_note(&sys, &nic_row, "swp1"), "swp1 has no interrupt of its own",
	       "a port, and no word of what is below");
	system_close(&sys);
}

static void test_expect(void)
{
	struct value big = { .type = VALUE_CPUS, .cpus.name = CPUS_ALL };
	struct target_list list;
	struct expectation e;
	struct system sys;

	open_board("irq-msi", &sys);
	is_expected(&nic_row, "enp1s0", 0, "1-3", "1");
	is_expected(&nic_row, "enp1s0", 1, "1-3", "2");
	is_expected(&nic_row, "enp1s0", 2, "1-3", "3");
	is_expected(&nic_row, "enp1s0", 3, "1-3", "1");
	is_expected(&nic_row, "enp1s0", 4, "2", "2");
	is_expected(&nic_row, "enp4s0", 0, "1-3", "1-3");
	is_expected(&name_row, "enp1s0*", 1, "1-3", "1-3");
	is_expected(&nic_row, "enp1s0", 0, "3-4", "3");
	is_expected(&nic_row, "enp1s0", 1, "3-4", "3");
	is_expected(&nic_row, "enp4s0", 0, "3-4", "3-4");
	is_expected(&nic_row, "enp1s0", 0, "4", "4 missing ENODEV");
	is_str(expected_note(&sys, &nic_row, "enp1s0", "4"),
	       "an interrupt needs an online CPU; \"4\" has none", "offline");
	is_expected(&nic_row, "enp1s0", 0, "", "ERANGE");
	is_expected(&nic_row, "enp1s0", 0, "7", "ERANGE");
	is_expected(&nic_row, "eth1", 0, "2-3", "2 unmovable EPERM");
	is_expected(&nic_row, "eth1", 0, "1-3", "1");
	is_expected(&nic_row, "eth1", 2, "1-3", "3 unsupported ENOENT");
	list = list_of(&sys, &nic_row, "enp1s0");
	is_int(irq_affinity_expect(&sys, &nic_row, &list.targets[3], &big, &e), 0, "all");
	is_str(cpus_text(&e.want), "3", "is dealt as well");
	is_str(list.targets[3].device, "enp1s0", "of that NIC");
	target_list_clear(&list);
	system_close(&sys);
}

static void test_notes(void)
{
	struct system sys;

	open_board("irq-msi", &sys);
	is_str(expected_note(&sys, &nic_row, "enp1s0", "1"), "enp1s0",
	       "device and action in one");
	is_str(expected_note(&sys, &nic_row, "eth2", "1"), "eth2: virtio2-config",
	       "device and action");
	is_str(expected_note(&sys, &nic_row, "enx0", "1"),
	       "enx0: xhci_hcd, of all devices at this USB controller", "a USB NIC");
	is_str(expected_note(&sys, &nic_row, "enp4s0", "1"),
	       "enp4s0: a line that these share: enp4s0,snd_hda_intel:card0",
	       "who else is on the line");
	is_str(expected_note(&sys, &name_row, "ehci_hcd:*", "1"),
	       "a line that these share: i801_smbus,ehci_hcd:usb1", "by name too");
	is_str(expected_note(&sys, &name_row, "enp1s0-TxRx-1", "1"), "enp1s0-TxRx-1",
	       "alone");
	system_close(&sys);
}

/* Every way in which a kernel says no. */
static void test_set(void)
{
	struct system sys;

	open_board("irq-gic", &sys);
	is_written(&nic_row, "eth0", "2", "2");
	is_str(text_of(&sys, "/proc/irq/35/smp_affinity"), "4", "the mask");
	is_str(text_of(&sys, "/proc/irq/36/smp_affinity"), "f", "only that line");
	is_written(&nic_row, "lan", "1-3", "1-3");
	is_written(&name_row, "arch_timer", "1", "EIO unmovable");
	is_written(&name_row, "stmmac-0:00", "1", "EINVAL unmovable");
	is_written(&name_row, "ehci_hcd:usb2", "", "EINVAL unmovable");
	system_close(&sys);

	open_board("irq-msi", &sys);
	is_written(&nic_row, "enp1s0", "3", "3");
	is_str(text_of(&sys, "/proc/irq/126/smp_affinity"), "00,00000008",
	       "in the groups of the file");
	is_written(&nic_row, "enp4s0", "3-4", "3-4");
	is_written(&nic_row, "eth1", "2", "EPERM unmovable");
	is_written(&name_row, "eth1-16", "2", "EPERM unmovable");
	is_written(&name_row, "eth1-18", "2", "ENOENT unsupported");
	is_written(&name_row, "enp1s0-TxRx-0", "4", "EINVAL unmovable");
	system_close(&sys);
}

static int effective(struct system *sys, const char *pattern)
{
	struct target_list list = list_of(sys, &name_row, pattern);
	struct cpus set;
	int r = -ENOENT;

	if (list.n)
		r = irq_effective(&sys->root, &list.targets[list.n - 1], &set);

	target_list_clear(&list);
	return r < 0 ? r : cpus_nth(&set, 0);
}

static void test_effective(void)
{
	struct target_list list;
	struct system sys;
	struct cpus set;

	open_board("irq-gic", &sys);
	list = list_of(&sys, &nic_row, "eth0");
	is_int(irq_effective(&sys.root, &list.targets[0], &set), 0, "a GIC says where");
	is_int(cpus_nth(&set, 0), 0, "at CPU 0");
	is_written(&nic_row, "eth0", "2-3", "2-3");
	is_int(irq_effective(&sys.root, &list.targets[0], &set), 0,
	       "after a write of two");
	ok(cpus_count(&set) == 1 && cpus_test(&set, 2), "one CPU of them");
	target_list_clear(&list);
	is_int(effective(&sys, "eth0"), -ENODATA, "an empty list (RP1)");
	is_int(effective(&sys, "xhci-hcd:usb4"), -ENODATA, "EINVAL");
	is_int(effective(&sys, "ehci_hcd:usb2"), -ENODATA, "no such file");
	system_close(&sys);
}

/* A kernel for one CPU. */
static void test_single(void)
{
	struct system sys;

	open_board("irq-up", &sys);
	is_lines(&nic_row, "eth0", "56[0/1]");
	is_expected(&nic_row, "eth0", 0, "0", "0 unsupported ENOENT");
	ok(strstr(expected_note(&sys, &nic_row, "eth0", "0"), "single CPU"), "and why");
	is_written(&nic_row, "eth0", "0", "ENOENT unsupported");
	system_close(&sys);
}

/* Two sections that find one line: one key, so that a conflict is seen. */
static void test_key(void)
{
	struct target_list by_nic, by_name;
	struct system sys;

	open_board("irq-gic", &sys);
	by_nic = list_of(&sys, &nic_row, "lan");
	by_name = list_of(&sys, &name_row, "xhci-hcd:usb4");
	is_str(by_nic.targets[0].path, "irq:GICv2:99:xhci-hcd:usb4", "by the NIC");
	is_str(by_name.targets[0].path, by_nic.targets[0].path, "and by its name");
	is_int(by_name.targets[0].ifindex + by_nic.targets[0].ifindex, 0,
	       "whatever the interface");
	is_str(by_name.targets[0].name, by_nic.targets[0].name, "one target");
	target_list_clear(&by_nic);
	target_list_clear(&by_name);
	by_name = list_of(&sys, &name_row, "ohci*");
	is_str(by_name.targets[0].path, "irq:GICv2:126:ehci_hcd:usb2,ohci_hcd:usb3",
	       "all users of a shared line");
	target_list_clear(&by_name);
	system_close(&sys);
	open_board("irq-msi", &sys);
	by_nic = list_of(&sys, &nic_row, "eth2");
	is_str(by_nic.targets[1].path, "irq:PCI-MSIX-0000.00.03.0:1:virtio2-input.0",
	       "a chip with colons");
	target_list_clear(&by_nic);
	system_close(&sys);
}

/* ---- a number is no more than a hint ---- */

static void put_line(struct fixture *f, unsigned number, const char *chip,
		     const char *hwirq, const char *actions, const char *mask)
{
	const char *const files[] = { "/sys/kernel/irq/%u/chip_name",
				      "/sys/kernel/irq/%u/hwirq",
				      "/sys/kernel/irq/%u/actions",
				      "/proc/irq/%u/smp_affinity" };
	const char *const texts[] = { chip, hwirq, actions, mask };
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), files[i], number);
		fixture_file(f, path, texts[i]);
	}
}

static void drop_line(struct fixture *f, unsigned number)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/kernel/irq/%u", number);
	fixture_remove(f, path);
	snprintf(path, sizeof(path), "/proc/irq/%u", number);
	fixture_remove(f, path);
}

/* The mask of a target of the undo record, whatever number its line has now. */
static const char *found(struct fixture *f, const char *name, const char *path)
{
	const struct target t = { .name = (char *)name, .path = (char *)path };
	static char text[VALUE_TEXT_MAX];
	struct value v;
	int r = irq_affinity_get(&f->sys, &nic_row, &t, &v);

	return r < 0 ? errno_name(r) : value_format(&v, text);
}

#define KEY "irq:ITS-MSI:524288:eth1"
#define ROWS                                                                             \
	"  CPU0 CPU1\n"                                                                  \
	" 87:  0 0  ITS-MSI 524288 Edge  eth1\n"                                         \
	" 88:  0 0  ITS-MSI 524289 Edge  eth2\n"

static void test_renumbered(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_file(&f, "/proc/interrupts", ROWS);
	put_line(&f, 87, "ITS-MSI\n", "524288\n", "eth1\n", "1\n");
	put_line(&f, 88, "ITS-MSI\n", "524289\n", "eth2\n", "2\n");
	is_str(found(&f, "irq 87", KEY), "0", "the number holds");
	is_str(found(&f, "irq 88", KEY), "0", "another line has the number");
	is_str(found(&f, "irq 99", KEY), "0", "no line has the number");
	is_str(found(&f, "irq 99", "irq:ITS-MSI:524290:eth3"), "ENODEV", "gone");
	is_str(found(&f, "irq x", KEY), "ENODEV", "no number");
	is_str(found(&f, "irq -1", KEY), "ENODEV", "below zero");
	is_str(found(&f, "irq 87x", KEY), "ENODEV", "a number and more");
	is_str(found(&f, "87", KEY), "ENODEV", "no interrupt");
	is_str(found(&f, "irq 87", "/sys/kernel"), "ENODEV", "no key");
	is_str(found(&f, "irq 87", "irq:"), "ENODEV", "an empty key");

	put_line(&f, 87, "ITS-MSI\n", "524288\n", "lan\n", "1\n");
	is_str(found(&f, "irq 87", KEY), "0", "renamed meanwhile");
	put_line(&f, 87, "ITS-MSI\n", "524288\n", "\n", "1\n");
	fixture_file(&f, "/proc/interrupts", "  CPU0 CPU1\n");
	is_str(found(&f, "irq 87", KEY), "0",
	       "down meanwhile: the line is still its own");
	fixture_file(&f, "/proc/interrupts", ROWS);
	put_line(&f, 87, "ITS-MSI\n", "524800\n", "eth1\n", "1\n");
	is_str(found(&f, "irq 87", KEY), "0", "the hwirq was given out anew");
	put_line(&f, 88, "ITS-MSI\n", "524801\n", "eth1\n", "2\n");
	is_str(found(&f, "irq 87", KEY), "ENODEV", "two lines could be meant");
	put_line(&f, 87, "ITS-MSI\n", "524288\n", "other\n", "1\n");
	is_str(found(&f, "irq 88", KEY), "0", "the input of the chip counts more");
	put_line(&f, 87, "xen-dyn\n", "\n", "eth1-q0-rx\n", "1\n");
	is_str(found(&f, "irq 87", "irq:xen-dyn::eth1-q0-rx"), "0", "no hwirq at all");
	is_str(found(&f, "irq 87", "irq:xen-dyn::eth0-q0-rx"), "ENODEV", "not that one");
	drop_line(&f, 87);
	drop_line(&f, 88);
	is_str(found(&f, "irq 87", KEY), "ENOENT", "by the rows: there, without a mask");
	fixture_remove(&f, "/proc/interrupts");
	is_str(found(&f, "irq 87", KEY), "ENODEV", "nothing left to look at");
	fixture_close(&f);
}

/* No sysfs: a handler's directory, or the rows. */
static void test_renumbered_rows(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_file(&f, "/proc/interrupts",
		     "  CPU0 CPU1\n"
		     " 35:  0 0  GIC  56 Level  eth0\n"
		     " 36:  0 0  GIC  57 Level  eth0\n"
		     " 99:  0 0  GIC  90 Level  xhci-hcd:usb1, other\n");
	fixture_file(&f, "/proc/irq/35/smp_affinity", "1\n");
	fixture_file(&f, "/proc/irq/36/smp_affinity", "2\n");
	fixture_file(&f, "/proc/irq/36/eth0/x", "");
	fixture_file(&f, "/proc/irq/99/smp_affinity", "3\n");
	is_str(found(&f, "irq 36", "irq:GIC:57:eth0"), "1", "a handler's directory");
	is_str(found(&f, "irq 35", "irq:GIC:57:eth0"), "1", "by the rows");
	is_str(found(&f, "irq 35", "irq:GIC:56:eth0"), "0", "by the rows, the same one");
	is_str(found(&f, "irq 7", "irq:GIC:90:xhci-hcd:usb1,other"), "0-1", "shared");
	fixture_file(&f, "/proc/interrupts", "rubbish\n");
	is_str(found(&f, "irq 7", "irq:GIC:90:xhci-hcd:usb1,other"), "ENODEV", "no rows");
	fixture_close(&f);
}

/* What cannot be read is as if there were none, and absent says so. */
static void test_unreadable(void)
{
	struct system sys = SYSTEM_INIT;
	struct fixture f;

	fixture_open(&f);
	sys.root = f.sys.root;
	fixture_file(&f, "/sys/devices/platform/a.b/net/eth0/ifindex", "2\n");
	fixture_link(&f, "/sys/class/net/eth0", "../../devices/platform/a.b/net/eth0");
	is_lines(&nic_row, "eth0", "");
	is_str(absent_note(&sys, &nic_row, "eth0"),
	       "/proc/interrupts: cannot read it: ENOENT", "no /proc/interrupts");
	fixture_file(&f, "/proc/interrupts", "rubbish\n");
	is_lines(&nic_row, "eth0", "");
	is_lines(&name_row, "eth0", "");
	is_str(absent_note(&sys, &name_row, "eth0"),
	       "/proc/interrupts: cannot read it: EBADMSG", "rubbish");
	fixture_file(
		&f, "/proc/interrupts",
		"  CPU0\n 35: 0  GIC  56 Level  eth0\n 36: 0  GIC 57 Level eth0:wol\n");
	is_lines(&nic_row, "eth0", "35[0/1]");
	fixture_file(&f, "/proc/irq/35/smp_affinity", "x\n");
	is_str(found(&f, "irq 35", "irq:GIC:56:eth0"), "EBADMSG", "no mask");
	fixture_close(&f);
}

int main(void)
{
	test_gic();
	test_names();
	test_msi();
	test_expect();
	test_notes();
	test_set();
	test_effective();
	test_single();
	test_key();
	test_renumbered();
	test_renumbered_rows();
	test_unreadable();
	return done();
}
