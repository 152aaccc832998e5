// SPDX-License-Identifier: GPL-2.0-or-later
// test-irq-table.c - rows of many kernels, /sys/kernel/irq, large boards
#include "knobs/irq-table.h"

#include "base/cpus.h"
#include "fixture.h"
#include "knobs/irq-nic.h"
#include "knobs/irq-rows.h"
#include "tap.h"

#define HEADER "           CPU0       CPU1       \n"

/* Rows of owners' boards, with two CPUs. */
static const struct {
	const char *row;
	int number; /* -1: left out */
	const char *chip, *hwirq, *actions;
} rows[] = {
	{ " 35:          7          8     GICv3  44 Level     eth0", 35, "GICv3", "44",
	  "eth0" },
	{ " 46:     668625          0  BRCM STB PCIe MSI 524288 Edge      xhci_hcd", 46,
	  "BRCM STB PCIe MSI", "524288", "xhci_hcd" },
	{ " 84:          0          0   ITS-MSI   0 Edge      PCIe PME, aerdrv", 84,
	  "ITS-MSI", "0", "PCIe PME,aerdrv" },
	{ "139:          0          0   ITS-MSI 524304 Edge      eth1-16", 139, "ITS-MSI",
	  "524304", "eth1-16" },
	{ " 48:          1    8359439   PCI-MSI 3407888-edge      eth0-16", 48, "PCI-MSI",
	  "3407888", "eth0-16" },
	{ " 38:          0      17455 PCI-MSIX-0000:00:03.0   1-edge      "
	  "virtio2-input.0",
	  38, "PCI-MSIX-0000:00:03.0", "1", "virtio2-input.0" },
	{ " 16:          1          0 IR-IO-APIC   16-fasteoi   i801_smbus, "
	  "ehci_hcd:usb1",
	  16, "IR-IO-APIC", "16", "i801_smbus,ehci_hcd:usb1" },
	{ " 40:          0          0  107d508500.gpio  20 Edge      pwr_button", 40,
	  "107d508500.gpio", "20", "pwr_button" },
	{ " 26:          0          0  GICv3-23   0 Level     arm-pmu", 26, "GICv3-23",
	  "0", "arm-pmu" },
	{ " 31:         55          0     GICv2  66 Level     VCHIQ doorbell", 31,
	  "GICv2", "66", "VCHIQ doorbell" },
	{ "176: 0 0  interrupt-controller@7d510600   7 Level     vc4 hdmi hpd connected",
	  176, "interrupt-controller@7d510600", "7", "vc4 hdmi hpd connected" },
	{ " 34:      31042       2157     GIC-0 136 Level     mmci-pl18x (cmd)", 34,
	  "GIC-0", "136", "mmci-pl18x (cmd)" },
	{ " 67:       4000       5000  xen-dyn    -event     eth0-q0-tx", 67, "xen-dyn",
	  "", "eth0-q0-tx" },
	{ " 29:       4000       5000       GIC  sunxi_gmac", 29, "GIC", "",
	  "sunxi_gmac" },
	{ " 61:         13          0   mt-eint  46 Level   ", 61, "mt-eint", "46", "" },
	{ " 62:         13          0   mt-eint  46 Edge", 62, "mt-eint", "46", "" },
	{ " 63:         13          0      None", 63, "None", "", "" },
	{ " 64:         13          0", 64, "", "", "" },
	{ " 65:         13          0          9     GICv2  66 Edge      late", 65,
	  "GICv2", "66", "late" },
	{ " 66:         13     GICv2  66 Edge      early", 66, "GICv2", "66", "early" },
	{ " 68:          1          0 IO-APIC   2-edge      Level sensor", 68, "IO-APIC",
	  "2", "Level sensor" },
	{ "IPI0:      2854       4059       Rescheduling interrupts", -1, "", "", "" },
	{ "Err:          0", -1, "", "", "" },
	{ "  vc4 crtc", -1, "", "", "" },
	{ "", -1, "", "", "" },
	{ "12", -1, "", "", "" },
	{ "12:", -1, "", "", "" },
	{ "12: GICv2 1 Level eth0", -1, "", "", "" },
	{ "99999999999: 1 2 GICv2 1 Level eth0", -1, "", "", "" },
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *line = strdup(rows[i].row);
		struct irq_row row;
		bool is_row = irq_row_parse(line, 2, &row);

		if (!is_int(is_row ? (int)row.number : -1, rows[i].number, "'%s'",
			    rows[i].row) ||
		    !is_row)
			continue;
		is_str(row.chip, rows[i].chip, "chip of %u", row.number);
		is_str(row.hwirq, rows[i].hwirq, "hwirq of %u", row.number);
		is_str(row.actions, rows[i].actions, "actions of %u", row.number);
	}
}

static void test_header(void)
{
	unsigned short cpus[4];

	is_int(irq_header_parse("     CPU0       CPU2       CPU7  ", cpus, 4), 3,
	       "offline CPUs have no column");
	is_int(cpus[2], 7, "the third column is CPU 7's");
	is_int(irq_header_parse("CPU0 CPU1 CPU2 CPU3 CPU4", cpus, 4), -EBADMSG,
	       "more CPUs than there is room for");
	is_int(irq_header_parse("CPU1024", cpus, 4), -EBADMSG, "a CPU too high");
	is_int(irq_header_parse("", cpus, 4), -EBADMSG, "no CPU");
	is_int(irq_header_parse("CPUx", cpus, 4), -EBADMSG, "no number");
	is_int(irq_header_parse(" 35: 0 0 GICv2", cpus, 4), -EBADMSG, "a row");
}

static int parse(const char *text, struct irq_table *ret)
{
	_cleanup_free_ char *copy = strdup(text);

	return irq_table_parse(copy, ret);
}

static void test_parse(void)
{
	struct irq_table table = { 0 };
	const struct irq_line *line;

	is_int(parse("", &table), -EBADMSG, "an empty text");
	is_int(parse(" 35: 1 2 GICv2 56 Level eth0\n", &table), -EBADMSG, "no header");
	is_int(table.n + table.n_cpus, 0, "untouched");
	is_int(parse(HEADER, &table), 0, "no row");
	is_int(table.n, 0, "no line");
	irq_table_clear(&table);
	is_int(parse("     CPU1       CPU3\n"
		     " 40:  4294967295          2     GICv2  57 Level     eth1\n"
		     " 35:          0          3     GICv2  56 Level     eth0\n"
		     " 40:          0          0     GICv2  57 Level     eth1\n"
		     "IPI0:         9          9       Rescheduling interrupts",
		     &table),
	       0, "two lines, CPUs 1 and 3");
	is_int(table.n_cpus, 4, "counts for CPUs 0 to 3");
	is_int(table.n, 2, "each number once");
	is_int(table.lines[0].number, 35, "by number");
	line = irq_table_find(&table, 40);
	is_str(line ? line->actions : NULL, "eth1", "40 is found");
	ok(!irq_table_find(&table, 36), "36 is none");
	is_int(table.lines[0].counts[0], 0, "none at CPU 0");
	is_int(table.lines[0].counts[1], 0, "none at CPU 1");
	is_int(table.lines[0].counts[3], 3, "the second column is CPU 3's");
	irq_table_clear(&table);
	ok(!irq_table_find(&table, 40), "an empty table");
}

static void test_actions(void)
{
	ok(irq_has_action("eth0", "eth0"), "the only one");
	ok(!irq_has_action("eth01", "eth0"), "a whole word");
	ok(!irq_has_action("xeth0", "eth0"), "a whole word, from its beginning");
	ok(irq_has_action("mmc0,mmc1,eth0", "mmc1"), "one in the middle");
	ok(irq_has_action("i801_smbus,ehci_hcd:usb1", "*:usb[0-9]*"), "a glob");
	ok(!irq_has_action("a,b", "a,b"), "one by one");
	ok(!irq_has_action("", "*"), "no handler");
	ok(!irq_has_action(",", "*"), "no name");
	ok(irq_has_action("PCIe PME,aerdrv", "PCIe PME"), "with a blank");
}

static void add_sysfs(struct fixture *f, unsigned number, const char *chip,
		      const char *hwirq, const char *actions)
{
	const char *const attrs[] = { "chip_name", "hwirq", "actions" };
	const char *const texts[] = { chip, hwirq, actions };
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(attrs); i++) {
		snprintf(path, sizeof(path), IRQ_DIR "/%u/%s", number, attrs[i]);
		fixture_file(f, path, texts[i]);
	}
}

static const char *line_text(const struct irq_table *table, unsigned number)
{
	const struct irq_line *line = irq_table_find(table, number);
	static char text[256];

	snprintf(text, sizeof(text), "%s|%s|%s|%s", line ? line->chip : "none",
		 line ? line->hwirq : "", line ? line->actions : "",
		 line && line->counts ? "counts" : "");
	return text;
}

static void test_load(void)
{
	struct irq_table table = { 0 };
	struct fixture f;

	fixture_open(&f);
	is_int(irq_table_load(&f.sys.root, &table), -ENOENT, "neither file");
	is_int(irq_table_load_actions(&f.sys.root, &table), -ENOENT, "no names either");
	fixture_file(&f, IRQ_INTERRUPTS, "no header\n");
	is_int(irq_table_load(&f.sys.root, &table), -EBADMSG, "not that file");
	fixture_file(&f, IRQ_INTERRUPTS,
		     HEADER " 35:          7          8     GICv3  44 Level     eth0\n"
			    " 36:          1          0     GICv3  45 Level     a, b");
	is_int(irq_table_load(&f.sys.root, &table), 0, "no sysfs (before 4.9)");
	is_str(line_text(&table, 35), "GICv3|44|eth0|counts", "from the rows");
	is_str(line_text(&table, 36), "GICv3|45|a,b|counts", "a last line without end");
	is_int(table.lines[0].counts[1], 8, "and its counts");
	irq_table_clear(&table);
	is_int(irq_table_load_actions(&f.sys.root, &table), 0, "names only");
	is_str(line_text(&table, 35), "GICv3|44|eth0|", "no counts");
	irq_table_clear(&table);

	add_sysfs(&f, 35, "GICv3\n", "44\n", "lan\n");
	add_sysfs(&f, 60, "GICv3\n", "83\n", "(null)\n");
	add_sysfs(&f, 7, "xen-dyn\n", "\n", "eth0-q0-tx\n");
	fixture_file(&f, IRQ_DIR "/61/actions", "no chip\n");
	is_int(irq_table_load(&f.sys.root, &table), 0, "with sysfs");
	is_str(line_text(&table, 35), "GICv3|44|lan|counts", "sysfs has the last word");
	is_str(line_text(&table, 36), "GICv3|45|a,b|counts", "a row that sysfs lacks");
	is_str(line_text(&table, 7), "xen-dyn||eth0-q0-tx|", "a line without a row");
	is_str(line_text(&table, 60), "GICv3|83||", "a demultiplexer has no action");
	is_str(line_text(&table, 61), "none|||", "one that went meanwhile");
	is_int(table.lines[0].number, 7, "by number");
	irq_table_clear(&table);
	fixture_remove(&f, IRQ_INTERRUPTS);
	is_int(irq_table_load(&f.sys.root, &table), 0, "sysfs alone");
	is_int(table.n, 3, "has three lines");
	irq_table_clear(&table);
	fixture_close(&f);
}

/* ---- a large board: what is done is counted ---- */

static unsigned long accesses;

static int count_read(void *ctx, const char *path, char *buf, size_t size)
{
	accesses++;
	return 0;
}

static const struct sysroot_hooks counting = { .read = count_read };

static char *large_text(unsigned cpus, unsigned lines)
{
	size_t size = (size_t)(lines + 1) * (cpus * 11 + 80), n = 0;
	char *text = malloc(size);

	if (!text)
		fixture_fail("malloc");
	for (unsigned c = 0; c < cpus; c++)
		n += (size_t)sprintf(text + n, "       CPU%-3u", c);
	text[n++] = '\n';
	for (unsigned i = 0; i < lines; i++) {
		n += (size_t)sprintf(text + n, "%4u:", i + 1);
		for (unsigned c = 0; c < cpus; c++)
			n += (size_t)sprintf(text + n, " %10u", i + c);
		n += (size_t)sprintf(text + n, "   ITS-MSI %u Edge      eth%u-TxRx-%u\n",
				     i, i / 16, i % 16);
	}
	text[n] = '\0';
	return text;
}

/* Twice the lines: twice the accesses, not more. */
static void test_linear(void)
{
	unsigned long cost[2];
	struct fixture f;

	fixture_open(&f);
	f.sys.root.hooks = &counting;
	for (int i = 0; i < 2; i++) {
		unsigned lines = i ? 200 : 100;
		_cleanup_free_ char *text = large_text(2, lines);
		struct irq_table table = { 0 };

		fixture_file(&f, IRQ_INTERRUPTS, text);
		for (unsigned k = 1; k <= lines; k++)
			add_sysfs(&f, k, "ITS-MSI\n", "1\n", "eth0\n");
		accesses = 0;
		is_int(irq_table_load(&f.sys.root, &table), 0, "%u lines", lines);
		is_int(table.n, lines, "all there");
		cost[i] = accesses;
		irq_table_clear(&table);
		accesses = 0;
		is_int(irq_table_load_actions(&f.sys.root, &table), 0, "actions only");
		is_int(accesses, lines + 1, "one file a line, and the rows once");
		irq_table_clear(&table);
	}
	is_int(cost[0], 3 * 100 + 1, "three names a line, and the rows once");
	is_int(cost[1], 3 * 200 + 1, "also for twice as many");
	fixture_close(&f);
}

static void test_large(void)
{
	_cleanup_free_ char *text = large_text(512, 4000);
	struct irq_table table = { 0 };
	size_t *lines = NULL;
	struct irq_index index;
	unsigned long found = 0;
	struct fixture f;

	fixture_open(&f);
	f.sys.root.hooks = &counting;
	ok(strlen(text) > 22000000, "512 CPUs and 4,000 lines are more than 22 MB");
	fixture_file(&f, IRQ_INTERRUPTS, text);
	accesses = 0;
	is_int(irq_table_load_actions(&f.sys.root, &table), 0, "names are read");
	is_int(accesses, 1, "with one read");
	is_int(table.n, 4000, "4,000 lines");
	is_int(irq_index_make(&table, &index), 0, "an index of them");
	accesses = 0;
	for (unsigned i = 0; i < 250; i++) {
		char name[16], path[128];
		ssize_t n;

		snprintf(name, sizeof(name), "eth%u", i);
		snprintf(path, sizeof(path), "/sys/devices/platform/n%u/net/%s", i, name);
		n = irq_nic_lines(&f.sys.root, &index, name, path, &lines);
		found += n > 0 ? (unsigned long)n : 0;
		if (n == 16 && table.lines[lines[0]].number == i * 16 + 1)
			found += 1000000;
		free(lines);
	}
	is_int(found, 250ul * 1000016, "16 lines of each of 250 NICs, none of another's");
	irq_index_clear(&index);
	irq_table_clear(&table);
	is_int(irq_table_load(&f.sys.root, &table), 0, "with counts");
	is_int(table.n_cpus, 512, "of 512 CPUs");
	is_int(table.lines[3999].counts[511], 3999 + 511, "to the last");
	irq_table_clear(&table);
	is_int(irq_table_parse(text, &table), 0, "and from memory");
	is_int(table.lines[3999].counts[511], 3999 + 511, "as well");
	irq_table_clear(&table);
	fixture_close(&f);
}

/* More counts than memory is to be had for: of a file that claims so. */
static void test_limits(void)
{
	size_t n = 0, rows_n = 9000;
	_cleanup_free_ char *text = malloc(rows_n * 16 + 64);
	struct irq_table table = { 0 };
	struct fixture f;
	char *wide;

	n += (size_t)sprintf(text, "CPU1023\n");
	for (size_t i = 0; i < rows_n; i++)
		n += (size_t)sprintf(text + n, "%zu: 1\n", i);
	is_int(irq_table_parse(text, &table), -EFBIG, "9,000 rows with 1,024 CPUs");
	is_int(table.n, 0, "untouched");

	fixture_open(&f);
	wide = malloc(3 * IRQ_ROW_MAX);
	memset(wide, ' ', 3 * IRQ_ROW_MAX);
	memcpy(wide, HEADER, strlen(HEADER));
	strcpy(wide + 2 * IRQ_ROW_MAX, "x\n");
	fixture_file(&f, IRQ_INTERRUPTS, wide);
	is_int(irq_table_load(&f.sys.root, &table), -EFBIG, "a line without end");
	free(wide);
	fixture_close(&f);
}

int main(void)
{
	test_rows();
	test_header();
	test_parse();
	test_actions();
	test_load();
	test_linear();
	test_large();
	test_limits();
	return done();
}
