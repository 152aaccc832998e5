// SPDX-License-Identifier: GPL-2.0-or-later
// irq-nic.c - which interrupts belong to a NIC, by where it sits
#include "knobs/irq-nic.h"

#include <ctype.h>
#include <net/if.h>

#include "knobs/irq-rows.h"

#define DEVICES_DIR "/sys/devices/"
#define IDLE_MAX 8

/* A word to look a line up by. */
struct irq_word {
	const char *text;
	size_t n;
	size_t line; /* in the table */
	bool hub;    /* the root hub at the end of "xhci-hcd:usb1" */
};

/* ---- lines by the words of their actions ---- */

static int compare_text(const char *a, size_t na, const char *b, size_t nb)
{
	int r = memcmp(a, b, na < nb ? na : nb);

	return r ? r : na < nb ? -1 : na > nb;
}

static int compare_words(const void *pa, const void *pb)
{
	const struct irq_word *a = pa, *b = pb;
	int r;

	if (a->hub != b->hub)
		return a->hub ? 1 : -1;
	r = compare_text(a->text, a->n, b->text, b->n);
	if (r)
		return r;
	return a->line < b->line ? -1 : a->line > b->line;
}

static int add_word(struct irq_index *index, struct irq_word word)
{
	int r = array_grow(&index->words, index->n, sizeof(*index->words));

	if (r == 0)
		index->words[index->n++] = word;
	return r;
}

static bool has_number(const char *s, const char *prefix)
{
	const char *rest = str_after(s, prefix);

	return rest && isdigit((unsigned char)*rest);
}

static int add_line(struct irq_index *index, size_t line)
{
	int r = 0;

	for (const char *s = index->table->lines[line].actions; *s && r == 0;
	     s += *s == ',') {
		size_t n = strcspn(s, ",");
		const char *colon = memrchr(s, ':', n);

		r = add_word(index, (struct irq_word) { s, n, line, false });
		if (r == 0 && colon && has_number(colon + 1, "usb"))
			r = add_word(index,
				     (struct irq_word) { colon + 1,
							 (size_t)(s + n - colon - 1),
							 line, true });
		s += n;
	}
	return r;
}

int irq_index_make(const struct irq_table *table, struct irq_index *ret)
{
	_cleanup_(irq_index_clear) struct irq_index index = { .table = table };

	for (size_t i = 0; i < table->n; i++) {
		int r = add_line(&index, i);

		if (r < 0)
			return r;
	}
	if (index.n)
		qsort(index.words, index.n, sizeof(*index.words), compare_words);
	*ret = index;
	index = (struct irq_index) { 0 };
	return 0;
}

void irq_index_clear(struct irq_index *index)
{
	free(index->words);
	*index = (struct irq_index) { 0 };
}

/* The first word that is not before this one. */
static size_t first_word(const struct irq_index *index, const char *text, size_t n,
			 bool hub)
{
	const struct irq_word key = { text, n, 0, hub };
	size_t low = 0, high = index->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_words(&index->words[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- what is found ---- */

struct found {
	const struct sysroot *root;
	const struct irq_index *index;
	const char *ifname;
	size_t *lines;
	size_t n;
	unsigned long idle[IDLE_MAX]; /* inputs of a GIC, by the device tree */
	size_t n_idle;
};

/* What follows the interface's name in the actions of lines that carry no packets. */
static const char *const idle_lines[] = { "wol", "lpi", "safety", "safety-ce",
					  "safety-ue" };

static bool is_idle(const char *actions, const char *ifname)
{
	const char *rest = str_after(actions, ifname);

	if (!rest || (*rest != ':' && *rest != '-'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(idle_lines); i++)
		if (streq(rest + 1, idle_lines[i]))
			return true;
	return false;
}

static bool is_idle_input(const struct found *f, const struct irq_line *line)
{
	struct irq_identity id;

	if (f->n_idle == 0)
		return false;
	irq_line_identify(f->root, line, &id);
	if (!str_after(id.chip, "GIC"))
		return false;
	for (size_t i = 0; i < f->n_idle; i++)
		if (*id.hwirq && strtoul(id.hwirq, NULL, 10) == f->idle[i])
			return true;
	return false;
}

static int add_found(struct found *f, size_t place)
{
	const struct irq_line *line = &f->index->table->lines[place];
	int r;

	if (!*line->actions || is_idle(line->actions, f->ifname) ||
	    is_idle_input(f, line))
		return 0;
	r = array_grow(&f->lines, f->n, sizeof(*f->lines));
	if (r == 0)
		f->lines[f->n++] = place;
	return r;
}

static int add_number(struct found *f, unsigned number)
{
	const struct irq_line *line = irq_table_find(f->index->table, number);

	return line ? add_found(f, (size_t)(line - f->index->table->lines)) : 0;
}

/* Actions that are a word, or begin with it where @prefix says so. */
static int add_words(struct found *f, const char *text, bool prefix, bool hub)
{
	size_t n = strlen(text);
	int r = 0;

	for (size_t i = first_word(f->index, text, n, hub); i < f->index->n && r == 0;
	     i++) {
		const struct irq_word *w = &f->index->words[i];

		if (w->hub != hub || w->n < n || memcmp(w->text, text, n) != 0 ||
		    (w->n > n && !prefix))
			break;
		r = add_found(f, w->line);
	}
	return r;
}

/* ---- where a NIC sits ---- */

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

static bool path_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash < path + strlen(DEVICES_DIR))
		return false;
	*slash = '\0';
	return true;
}

static bool is_pci(const char *path)
{
	unsigned domain, bus, device, function;
	int end = 0;

	return sscanf(name_of(path), "%x:%x:%x.%x%n", &domain, &bus, &device, &function,
		      &end) == 4 &&
	       name_of(path)[end] == '\0';
}

static bool is_root_hub(const char *path)
{
	return has_number(name_of(path), "usb");
}

/* "5-1:1.0", "5-1": the names of USB devices */
static bool is_usb(const char *path)
{
	const char *name = name_of(path);
	size_t n = strspn(name, "0123456789");

	return n > 0 && name[n] == '-' && isdigit((unsigned char)name[n + 1]) &&
	       name[strspn(name, "0123456789-.:")] == '\0';
}

/* The device of an interface: false for one that has none. */
static bool device_of(const char *path, char device[static SYSROOT_PATH_MAX])
{
	if (!str_after(path, DEVICES_DIR) || str_after(path, DEVICES_DIR "virtual/") ||
	    strlen(path) >= SYSROOT_PATH_MAX)
		return false;
	strcpy(device, path);
	return path_up(device) && streq(name_of(device), "net") && path_up(device);
}

/* The device that owns the interrupts of another: a virtio device has its bus's, a USB
 * device those of the host controller. */
static void owner_of(char *device)
{
	char above[SYSROOT_PATH_MAX];

	if (has_number(name_of(device), "virtio")) {
		(void)path_up(device);
		return;
	}
	if (!is_usb(device))
		return;
	strcpy(above, device);
	while (path_up(above)) {
		if (!is_root_hub(above))
			continue;
		if (path_up(above))
			strcpy(device, above);
		return;
	}
}

static bool attr_path(char buf[static SYSROOT_PATH_MAX], const char *dir,
		      const char *attr)
{
	int n = snprintf(buf, SYSROOT_PATH_MAX, "%s/%s", dir, attr);

	return n > 0 && n < SYSROOT_PATH_MAX;
}

/* A port of a switch, or what is made of other interfaces: its link is another one. */
static bool is_stacked(const struct sysroot *root, const char *path)
{
	char file[SYSROOT_PATH_MAX], text[256];
	unsigned long ifindex, iflink;

	if (attr_path(file, path, "uevent") &&
	    sysroot_read(root, file, text, sizeof(text)) > 0 &&
	    strstr(text, "DEVTYPE=dsa"))
		return true;
	return attr_path(file, path, "iflink") &&
	       sysroot_read_ulong(root, file, &iflink) == 0 && iflink &&
	       attr_path(file, path, "ifindex") &&
	       sysroot_read_ulong(root, file, &ifindex) == 0 && ifindex != iflink;
}

/* IFF_UP; -1 where it is not told. */
static int is_up(const struct sysroot *root, const char *path)
{
	char file[SYSROOT_PATH_MAX], text[32];

	if (!attr_path(file, path, "flags") ||
	    sysroot_read(root, file, text, sizeof(text)) <= 0)
		return -1;
	return strtoul(text, NULL, 16) & IFF_UP;
}

/* ---- inputs that carry no packets ---- */

/* As snps,dwmac.yaml (6.1) names them. Their handlers have the interface's name, too. */
static const char *const idle_inputs[] = { "eth_wake_irq", "eth_lpi", "sfty", "wol" };

static bool is_idle_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(idle_inputs); i++)
		if (streq(idle_inputs[i], name))
			return true;
	return false;
}

static unsigned long cell(const char *bytes)
{
	const unsigned char *b = (const unsigned char *)bytes;

	return (unsigned long)b[0] << 24 | (unsigned long)b[1] << 16 |
	       (unsigned long)b[2] << 8 | b[3];
}

/* A file of the device tree; its length, 0 if there is none. */
static size_t read_node(const struct sysroot *root, const char *device, const char *name,
			char **ret)
{
	char file[SYSROOT_PATH_MAX], attr[32];
	ssize_t n;

	snprintf(attr, sizeof(attr), "of_node/%s", name);
	n = attr_path(file, device, attr) ? sysroot_read_all(root, file, ret) : 0;
	return n > 0 ? (size_t)n : 0;
}

/*
 * Two rows may both have the name eth0: on RK3568 the MAC's input 59 and the one that
 * wakes, 56. The device tree tells them apart: per name three cells for a GIC, of which
 * the second counts from 32 for a shared input (kind 0), from 16 for one per CPU.
 */
static void find_idle(struct found *f, const char *device)
{
	_cleanup_free_ char *names = NULL, *cells = NULL;
	size_t n_names = read_node(f->root, device, "interrupt-names", &names);
	size_t n_cells = read_node(f->root, device, "interrupts", &cells), i = 0;

	for (size_t at = 0; at < n_names; at += strlen(names + at) + 1)
		i++;
	if (i == 0 || n_cells != i * 12)
		return;
	i = 0;
	for (size_t at = 0; at < n_names; at += strlen(names + at) + 1, i++) {
		const char *entry = cells + i * 12;

		if (is_idle_name(names + at) && f->n_idle < IDLE_MAX)
			f->idle[f->n_idle++] = cell(entry + 4) + (cell(entry) ? 16 : 32);
	}
}

/* ---- the ways to find a line ---- */

/* The names in msi_irqs are numbers of lines (PCI: drivers/pci/msi, 6.1). */
static int add_msi(struct found *f, const char *device)
{
	_cleanup_list_ char **names = NULL;
	char dir[SYSROOT_PATH_MAX];
	int r = 0;

	if (!attr_path(dir, device, "msi_irqs") || sysroot_list(f->root, dir, &names) < 0)
		return 0;
	for (char **name = names; *name && r == 0; name++)
		if (isdigit((unsigned char)**name) && strlen(*name) < 10)
			r = add_number(f, (unsigned)strtoul(*name, NULL, 10));
	return r;
}

/*
 * A PCI function's line without MSI. Others share it, so while the interface is down its
 * handlers are theirs, unless a name says otherwise.
 */
static int add_intx(struct found *f, const char *device, const char *path)
{
	char file[SYSROOT_PATH_MAX], prefix[IF_NAMESIZE + 2];
	const struct irq_line *line;
	unsigned long number;

	if (!attr_path(file, device, "irq") ||
	    sysroot_read_ulong(f->root, file, &number) < 0 || number == 0 ||
	    number > INT32_MAX)
		return 0;
	line = irq_table_find(f->index->table, (unsigned)number);
	snprintf(prefix, sizeof(prefix), "%s*", f->ifname);
	if (!line ||
	    (is_up(f->root, path) <= 0 && !irq_has_action(line->actions, prefix)))
		return 0;
	return add_number(f, (unsigned)number);
}

/* The root hubs of a host controller are devices below it. */
static int add_hubs(struct found *f, const char *device)
{
	_cleanup_list_ char **names = NULL;
	int r = 0;

	if (sysroot_list(f->root, device, &names) < 0)
		return 0;
	for (char **name = names; *name && r == 0; name++)
		if (has_number(*name, "usb"))
			r = add_words(f, *name, false, true);
	return r;
}

static int add_named(struct found *f, const char *device, const char *owner)
{
	static const char *const after[] = { "-", ":" };
	char text[IF_NAMESIZE + 2];
	int r;

	if (is_usb(device)) {
		r = add_hubs(f, owner);
		return r < 0 || f->n ? r : add_words(f, name_of(owner), false, false);
	}
	r = add_words(f, f->ifname, false, false);
	for (size_t i = 0; i < ARRAY_SIZE(after) && r == 0; i++) {
		snprintf(text, sizeof(text), "%s%s", f->ifname, after[i]);
		r = add_words(f, text, true, false);
	}
	if (r == 0)
		r = add_words(f, name_of(device), false, false);
	return r;
}

/* What sits on a PCI function without being one. */
static int add_above(struct found *f, const char *device)
{
	char above[SYSROOT_PATH_MAX];

	strcpy(above, device);
	while (path_up(above))
		if (is_pci(above))
			return add_msi(f, above);
	return 0;
}

static int find_lines(struct found *f, const char *device, const char *owner,
		      const char *path)
{
	int r = 0;

	if (is_pci(owner)) {
		r = add_msi(f, owner);
		if (r == 0 && f->n == 0)
			r = add_intx(f, owner, path);
	}
	if (r == 0 && f->n == 0) {
		find_idle(f, device);
		r = add_named(f, device, owner);
	}
	if (r == 0 && f->n == 0 && !is_pci(owner) && !is_usb(device))
		r = add_above(f, owner);
	return r;
}

static int compare_places(const void *a, const void *b)
{
	const size_t *pa = a, *pb = b;

	return *pa < *pb ? -1 : *pa > *pb;
}

ssize_t irq_nic_lines(const struct sysroot *root, const struct irq_index *index,
		      const char *ifname, const char *path, size_t **ret)
{
	char device[SYSROOT_PATH_MAX], owner[SYSROOT_PATH_MAX];
	struct found f = { .root = root, .index = index, .ifname = ifname };
	size_t kept = 0;
	int r;

	*ret = NULL;
	if (!device_of(path, device) || is_stacked(root, path))
		return 0;
	strcpy(owner, device);
	owner_of(owner);
	r = find_lines(&f, device, owner, path);
	if (r < 0) {
		free(f.lines);
		return r;
	}
	if (f.n)
		qsort(f.lines, f.n, sizeof(*f.lines), compare_places);
	for (size_t i = 0; i < f.n; i++) /* one line may match twice */
		if (i == 0 || f.lines[i] != f.lines[kept - 1])
			f.lines[kept++] = f.lines[i];
	*ret = f.lines;
	return (ssize_t)kept;
}

enum irq_nic_reason irq_nic_reason(const struct sysroot *root, const char *path,
				   char *lower, size_t size)
{
	_cleanup_list_ char **names = NULL;
	char device[SYSROOT_PATH_MAX];

	*lower = '\0';
	if (sysroot_list(root, path, &names) > 0) {
		for (char **name = names; *name; name++) {
			const char *below = str_after(*name, "lower_");

			if (below && !*lower)
				snprintf(lower, size, "%s", below);
		}
	}
	if (*lower || is_stacked(root, path))
		return IRQ_NIC_STACKED;
	if (!device_of(path, device))
		return IRQ_NIC_VIRTUAL;
	return is_up(root, path) == 0 ? IRQ_NIC_DOWN : IRQ_NIC_UNKNOWN;
}
