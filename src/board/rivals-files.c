// SPDX-License-Identifier: GPL-2.0-or-later
// rivals-files.c - lines in files of the owner that tune a board too
#include "board/rivals.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>

#define FILE_MAX (256u << 10)
#define WORD_MAX_ 64 /* of a key; longer ones are none of ours */
#define PLACES 4
#define KEYS 8

/* How a line of the file is written. */
enum style {
	STYLE_INI,    /* KEY=VALUE, in the section */
	STYLE_WORD,   /* "KEY VALUE"; after "up", "post-up" and the like a command */
	STYLE_UCI,    /* "option KEY 'VALUE'", in "config SECTION" */
	STYLE_SCRIPT, /* commands: see script_words */
};

struct rival_file {
	struct rival rival;
	const char *places[PLACES]; /* a file, or a directory with a glob of names */
	enum style style;
	const char *section;	/* NULL: any */
	struct {
		const char *glob;
		const char *like; /* the profile's keys it is about, see
				   * rival_ethtool_of(); NULL: more than these */
	} keys[KEYS];
	const char *off;	/* a value that means: not set */
	bool executable;	/* counts only if the file is one */
};

static const struct rival_file files[] = {
	{ .rival = { .name = "systemd.link", .families = RIVAL_OFFLOAD,
		     .what = N_("udev sets offloads, rings, channels or coalescing when "
				"the interface appears") },
	  .places = { "/etc/systemd/network/*.link", "/run/systemd/network/*.link",
		      "/usr/local/lib/systemd/network/*.link",
		      "/usr/lib/systemd/network/*.link" },
	  .style = STYLE_INI, .section = "Link",
	  .keys = { { "*Offload*", "tso" }, { "*Channels", "channels." },
		    { "*BufferSize*", "ring." }, { "*Coalesce*", "coalesce." },
		    { "*FlowControl", "pause." } } },
	{ .rival = { .name = "NetworkManager", .families = RIVAL_OFFLOAD, .late = true,
		     .what = N_("sets what its connection says with ethtool each time "
				"the interface comes up"),
		     .end = "nmcli connection reload" },
	  .places = { "/etc/NetworkManager/system-connections/*",
		      "/run/NetworkManager/system-connections/*",
		      "/usr/lib/NetworkManager/system-connections/*" },
	  .style = STYLE_INI, .section = "ethtool",
	  .keys = { { "feature-*", "tso" }, { "channels-*", "channels." },
		    { "ring-*", "ring." }, { "coalesce-*", "coalesce." },
		    { "pause-*", "pause." }, { "eee-*", "eee" } } },
	{ .rival = { .name = "ifupdown", .late = true,
		     .families = RIVAL_OFFLOAD | RIVAL_IRQ | RIVAL_STEERING |
				 RIVAL_CPUFREQ | RIVAL_THERMAL | RIVAL_SYSCTL,
		     .what = N_("sets it each time ifup brings the interface up") },
	  .places = { "/etc/network/interfaces", "/etc/network/interfaces.d/*",
		      "/etc/network/if-up.d/*", "/etc/network/if-pre-up.d/*" },
	  .style = STYLE_WORD,
	  .keys = { { "offload-*", "tso" }, { "hardware-dma-ring-*", "ring." },
		    { "hardware-irq-coalesce-*", "coalesce." },
		    { "ethernet-pause-*", "pause." }, { "ethtool-*", NULL } } },
	{ .rival = { .name = "packet_steering", .late = true, .families = RIVAL_STEERING,
		     .what = N_("netifd sets rps_cpus and xps_cpus when an interface "
				"appears"),
		     .end = "uci set network.@globals[0].packet_steering=0 && uci commit "
			    "network && service network restart" },
	  .places = { "/etc/config/network" }, .style = STYLE_UCI,
	  .section = "globals", .keys = { { "packet_steering", NULL } }, .off = "0" },
	{ .rival = { .name = "flow_offloading", .late = true,
		     .families = RIVAL_FLOWTABLE,
		     .what = N_("firewall4 makes a flowtable of its own when it starts"),
		     .end = "uci set firewall.@defaults[0].flow_offloading=0 && uci "
			    "commit firewall && service firewall restart" },
	  .places = { "/etc/config/firewall" }, .style = STYLE_UCI,
	  .section = "defaults",
	  .keys = { { "flow_offloading*", NULL } }, .off = "0" },
	{ .rival = { .name = "SQM", .late = true,
		     .families = RIVAL_OFFLOAD | RIVAL_FLOWTABLE,
		     .what = N_("shapes an interface and may switch its offloads off; a "
				"flowtable goes past it"),
		     .end = "service sqm stop && service sqm disable" },
	  .places = { "/etc/config/sqm" }, .style = STYLE_UCI,
	  .section = "queue", .keys = { { "enabled", NULL } }, .off = "0" },
	{ .rival = { .name = "SQM", .late = true,
		     .families = RIVAL_OFFLOAD | RIVAL_FLOWTABLE,
		     .what = N_("shapes an interface and may switch its offloads off; a "
				"flowtable goes past it") },
	  .places = { "/etc/sqm/*.iface.conf" }, .style = STYLE_INI,
	  .keys = { { "QDISC", NULL }, { "SCRIPT", NULL } } },
	{ .rival = { .name = "rc.local", .late = true,
		     .families = RIVAL_CPUFREQ | RIVAL_THERMAL | RIVAL_IRQ |
				 RIVAL_STEERING | RIVAL_OFFLOAD | RIVAL_SYSCTL,
		     .what = N_("runs at the end of the boot") },
	  .places = { "/etc/rc.local", "/etc/rc.d/rc.local" }, .style = STYLE_SCRIPT,
	  .executable = true },
	{ .rival = { .name = "cron", .late = true,
		     .families = RIVAL_CPUFREQ | RIVAL_THERMAL | RIVAL_IRQ |
				 RIVAL_STEERING | RIVAL_OFFLOAD | RIVAL_SYSCTL,
		     .what = N_("runs it at its times, after a boot too") },
	  .places = { "/etc/crontab", "/etc/cron.d/*", "/var/spool/cron/crontabs/*",
		      "/etc/crontabs/*" },
	  .style = STYLE_SCRIPT },
	{ .rival = { .name = "udev", .late = true,
		     .families = RIVAL_CPUFREQ | RIVAL_THERMAL | RIVAL_IRQ |
				 RIVAL_STEERING | RIVAL_OFFLOAD,
		     .what = N_("a rule sets it when the device appears"),
		     .end = "udevadm control --reload" },
	  .places = { "/etc/udev/rules.d/*.rules" }, .style = STYLE_SCRIPT },
	{ .rival = { .name = "DietPi", .families = RIVAL_CPUFREQ,
		     .what = N_("dietpi-preboot sets governor and limits of the clocks "
				"at boot, before the network") },
	  .places = { "/boot/dietpi.txt", "/boot/firmware/dietpi.txt" },
	  .style = STYLE_INI,
	  .keys = { { "CONFIG_CPU_GOVERNOR", NULL }, { "CONFIG_CPU_M*_FREQ", NULL } },
	  .off = "Disabled" },
};

/* What a command that writes a family has in it; "like" as above. */
static const struct {
	const char *words[2];
	unsigned family;
	const char *like;
} script_words[] = {
	{ { "scaling_" }, RIVAL_CPUFREQ, NULL },
	{ { "cpufreq-set" }, RIVAL_CPUFREQ, NULL },
	{ { "cpupower", "frequency-set" }, RIVAL_CPUFREQ, NULL },
	{ { "/cpufreq/", ">" }, RIVAL_CPUFREQ, NULL },
	{ { "trip_point_" }, RIVAL_THERMAL, NULL },
	{ { "smp_affinity" }, RIVAL_IRQ, NULL },
	{ { "rps_" }, RIVAL_STEERING, NULL },
	{ { "xps_" }, RIVAL_STEERING, NULL },
	{ { "napi_defer_hard_irqs" }, RIVAL_STEERING, NULL },
	{ { "ethtool", " -K" }, RIVAL_OFFLOAD, "tso" },
	{ { "ethtool", " --features" }, RIVAL_OFFLOAD, "tso" },
	{ { "ethtool", " --offload" }, RIVAL_OFFLOAD, "tso" },
	{ { "ethtool", " -G" }, RIVAL_OFFLOAD, "ring." },
	{ { "ethtool", " -L" }, RIVAL_OFFLOAD, "channels." },
	{ { "ethtool", " -C" }, RIVAL_OFFLOAD, "coalesce." },
	{ { "ethtool", " --coalesce" }, RIVAL_OFFLOAD, "coalesce." },
	{ { "ethtool", " -A" }, RIVAL_OFFLOAD, "pause." },
	{ { "ethtool", " --pause" }, RIVAL_OFFLOAD, "pause." },
	{ { "ethtool", " --set-" }, RIVAL_OFFLOAD, NULL },
	{ { "sysctl ", "=" }, RIVAL_SYSCTL, NULL },
};

/* One file that is read: where we are in it, and what of ethtool it has set so far. */
struct scan {
	const struct rival_file *file;
	char section[WORD_MAX_];
	unsigned ethtool;
};

static void note_ethtool(struct scan *s, const char *like)
{
	s->ethtool |= like ? rival_ethtool_of(like) : ~0u;
}

static unsigned script_families(struct scan *s, const char *line)
{
	unsigned families = 0;

	for (size_t i = 0; i < ARRAY_SIZE(script_words); i++) {
		const char *first = strstr(line, script_words[i].words[0]);
		const char *second = script_words[i].words[1];

		if (!first || (second && !strstr(first, second)))
			continue;
		families |= script_words[i].family;
		if (script_words[i].family == RIVAL_OFFLOAD)
			note_ethtool(s, script_words[i].like);
	}
	return families;
}

static bool find_key(struct scan *s, const char *key)
{
	const struct rival_file *f = s->file;

	for (size_t i = 0; i < KEYS && f->keys[i].glob; i++) {
		if (fnmatch(f->keys[i].glob, key, 0) != 0)
			continue;
		note_ethtool(s, f->keys[i].like);
		return true;
	}
	return false;
}

/* The next word, without quotes; what follows it. */
static const char *next_word(const char *s, char ret[static WORD_MAX_])
{
	size_t n = 0;

	s += strspn(s, " \t");
	for (; *s && !strchr(" \t", *s); s++)
		if (*s != '\'' && *s != '"' && n < WORD_MAX_ - 1)
			ret[n++] = *s;
	ret[n] = '\0';
	return s;
}

static unsigned ini_families(struct scan *s, const char *line)
{
	const char *value = strchr(line, '=');
	char key[WORD_MAX_], word[WORD_MAX_];

	if (*line == '[') {
		snprintf(s->section, sizeof(s->section), "%.*s",
			 (int)strcspn(line + 1, "]"), line + 1);
		return 0;
	}
	if (!value || (s->file->section && !streq(s->file->section, s->section)))
		return 0;
	snprintf(key, sizeof(key), "%.*s", (int)(value - line), line);
	next_word(value + 1, word);
	if (!*word || (s->file->off && streq(word, s->file->off)))
		return 0;
	return find_key(s, str_chomp(key)) ? s->file->rival.families : 0;
}

static unsigned uci_families(struct scan *s, const char *line)
{
	char word[WORD_MAX_], key[WORD_MAX_], value[WORD_MAX_];
	const char *rest = next_word(line, word);

	rest = next_word(rest, key);
	if (streq(word, "config")) {
		snprintf(s->section, sizeof(s->section), "%s", key);
		return 0;
	}
	next_word(rest, value);
	if (!streq(word, "option") || !streq(s->section, s->file->section) ||
	    !*value || streq(value, s->file->off))
		return 0;
	return find_key(s, key) ? s->file->rival.families : 0;
}

static unsigned word_families(struct scan *s, const char *line)
{
	char word[WORD_MAX_];

	next_word(line, word);
	return find_key(s, word) ? RIVAL_OFFLOAD : script_families(s, line);
}

static unsigned line_families(struct scan *s, char *line)
{
	line += strspn(line, " \t");
	str_chomp(line);
	if (*line == '#' || *line == ';')
		return 0;
	switch (s->file->style) {
	case STYLE_INI:
		return ini_families(s, line);
	case STYLE_WORD:
		return word_families(s, line);
	case STYLE_UCI:
		return uci_families(s, line);
	case STYLE_SCRIPT:
		return script_families(s, line);
	}
	return 0;
}

/* A regular file of a size that a person writes; others are not looked at. */
static ssize_t read_file(const struct sysroot *root, const char *path, bool executable,
			 char **ret)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *text = NULL;
	struct stat st;
	size_t n = 0;

	fd = sysroot_openat(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size > (off_t)FILE_MAX ||
	    (executable && !(st.st_mode & 0111)))
		return -EFBIG;
	text = malloc(FILE_MAX + 1);
	if (!text)
		return -ENOMEM;
	while (n < FILE_MAX) {
		ssize_t k = read(fd, text + n, FILE_MAX - n);

		if (k < 0)
			return -errno;
		if (k == 0)
			break;
		n += k;
	}
	text[n] = '\0';
	*ret = TAKE_PTR(text);
	return n;
}

/* The first line is shown, without what a terminal might take amiss. */
static void show_line(struct rival_state *state, const char *path, unsigned number,
		      const char *line)
{
	char *s = state->detail;

	line += strspn(line, " \t");
	snprintf(s, sizeof(state->detail), "%s:%u: %.90s", path, number, line);
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || (unsigned char)*s >= 0x7f)
			*s = '?';
	str_chomp(state->detail);
	snprintf(state->file, sizeof(state->file), "%s", path);
}

static int scan_file(const struct sysroot *root, const struct rival_file *f,
		     const char *path, struct rival_list *list)
{
	struct rival_state state = { .rival = &f->rival, .installed = true,
				     .enabled = true };
	struct scan scan = { .file = f };
	_cleanup_free_ char *text = NULL;
	char *rest, *line;
	unsigned number;
	ssize_t n;
	int r;

	if (strlen(path) >= sizeof(state.file))
		return 0;
	/* OpenWrt's rc.local is read by a shell */
	n = read_file(root, path,
		      f->executable && !sysroot_exists(root, "/etc/openwrt_release"),
		      &text);
	if (n < 0)
		return n == -ENOMEM ? n : 0;
	rest = text;
	for (number = 1; (line = strsep(&rest, "\n")); number++) {
		unsigned families = line_families(&scan, line) & f->rival.families;

		if (!families)
			continue;
		state.families |= families;
		if (!*state.file)
			show_line(&state, path, number, line);
		/* UCI has a command of its own that takes back the whole */
		if (f->style != STYLE_UCI && state.n_lines < RIVAL_LINES_MAX)
			state.lines[state.n_lines++] = number;
	}
	if (!state.families)
		return 0;
	state.ethtool = scan.ethtool;
	r = array_grow(&list->states, list->n, sizeof(*list->states));
	if (r == 0)
		list->states[list->n++] = state;
	return r;
}

/* One that a terminal might take amiss is no file that a person has made. */
static bool is_name(const char *name)
{
	for (const char *s = name; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return false;
	return *name != '.';
}

/* A glob in the last part stands for the names of a directory. */
static int scan_place(const struct sysroot *root, const struct rival_file *f,
		      const char *place, struct rival_list *list)
{
	const char *pattern = strrchr(place, '/') + 1;
	_cleanup_list_ char **names = NULL;
	char dir[SYSROOT_PATH_MAX], path[SYSROOT_PATH_MAX];
	int r = 0;

	if (!strchr(pattern, '*'))
		return scan_file(root, f, place, list);
	snprintf(dir, sizeof(dir), "%.*s", (int)(pattern - place - 1), place);
	if (sysroot_list(root, dir, &names) == -ENOMEM)
		return -ENOMEM;
	for (char **name = names; r == 0 && name && *name; name++) {
		if (!is_name(*name) || fnmatch(pattern, *name, 0) != 0 ||
		    snprintf(path, sizeof(path), "%s/%s", dir, *name) >=
			    (int)sizeof(path))
			continue;
		r = scan_file(root, f, path, list);
	}
	return r;
}

int rivals_find_files(const struct sysroot *root, struct rival_list *list)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		for (size_t k = 0; r == 0 && k < PLACES && files[i].places[k]; k++)
			r = scan_place(root, &files[i], files[i].places[k], list);
	return r;
}
