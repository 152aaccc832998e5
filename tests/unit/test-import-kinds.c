// SPDX-License-Identifier: GPL-2.0-or-later
// test-import-kinds.c - cpupower, loadcpufreq and UCI as profiles; which file is taken
#include "import-fixture.h"

#include <ftw.h>
#include <sys/stat.h>

#include "profile/import-private.h"

static const struct import_board no_board;

/* The keys of a profile in the order of the file, as "SECTION key = value; ...". */
static char *keys_of(const char *profile)
{
	char *text = NULL, section[64] = "";
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (const char *s = profile; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		int n = strcspn(s, "\n");

		if (*s == '[')
			snprintf(section, sizeof(section), "%.*s ", n, s);
		else if (n && *s != '#' && !strstr(section, "[main]"))
			fprintf(f, "%s%.*s; ", section, n, s);
	}
	fclose(f);
	return text;
}

static void wants(enum import_kind kind, const char *text, const char *keys,
		  size_t remarks)
{
	_cleanup_(result_clear) struct result res = import_as(kind, "file", text,
							      strlen(text), &no_board);
	_cleanup_free_ char *got = res.r == 0 ? keys_of(res.profile) : strdup("refused");

	if (!is_str(got, keys, "%s", quote(text)) ||
	    !is_int(res.remarks.n, remarks, "and so many remarks"))
		dump(&res);
}

static void wants_error(enum import_kind kind, const char *text, unsigned line,
			const char *error)
{
	_cleanup_(result_clear) struct result res = import_as(kind, "file", text,
							      strlen(text), &no_board);

	if (!ok(res.r == -EBADMSG && !res.profile && has_error(&res.errors, line, error),
		"%s is refused", quote(text)))
		dump(&res);
}

static void test_cpupower(void)
{
	wants(IMPORT_CPUPOWER,
	      "GOVERNOR='ondemand'\nMIN_FREQ=\"2.25GHz\"\nMAX_FREQ=3GHz\n",
	      "[cpufreq] governor = ondemand; [cpufreq] min_freq = 2250MHz; "
	      "[cpufreq] max_freq = 3000MHz; ",
	      0);
	wants(IMPORT_CPUPOWER, "governor='performance'\nmin_freq=\"\"\nmax_freq=1GHz\n",
	      "[cpufreq] governor = performance; [cpufreq] max_freq = 1000MHz; ", 0);
	wants(IMPORT_CPUPOWER, "FREQ=1.2GHz\nGOVERNOR=nonsense\nMIN_FREQ=3GHz\n",
	      "[cpufreq] min_freq = 1200MHz; [cpufreq] max_freq = 1200MHz; ", 1);
	wants(IMPORT_CPUPOWER, "FREQ=\nMIN_FREQ=408000\n",
	      "[cpufreq] min_freq = 408MHz; ", 0);
	wants(IMPORT_CPUPOWER, "EPP=balance_power\n",
	      "[cpufreq] energy_performance_preference = balance_power; ", 0);
	wants(IMPORT_CPUPOWER, "PERF_BIAS=6\nGOVERNOR=ondemand\n",
	      "[cpufreq] governor = ondemand; ", 1);
	wants(IMPORT_CPUPOWER, "#GOVERNOR='ondemand'\nPERF_BIAS=\n", "", 1);
	wants(IMPORT_CPUPOWER, "MAX_SPEED=816000\nMAX_FREQ=912000\n",
	      "[cpufreq] max_freq = 912MHz; ", 1);
	wants_error(IMPORT_CPUPOWER, "EPP=po\xffwer\n", 1,
		    "EPP=\"po\\xffwer\"; expected one word");
	wants_error(
		IMPORT_CPUPOWER, "FREQ=fast\n", 1,
		"FREQ=\"fast\" is no frequency; expected a number of kHz, or one with "
		"Hz, kHz, MHz, GHz or THz");
	wants_error(IMPORT_CPUPOWER, "MAX_FREQ=1GHz\n\nMIN_FREQ=2GHz\n", 3,
		    "MIN_FREQ of 2000000 kHz is above MAX_FREQ of 1000000 kHz on line 1; "
		    "expected it below");
}

static void test_options(void)
{
	static const char both[] = "[cpufreq] governor = performance; "
				   "[cpufreq] max_freq = 1200MHz; ";

	wants(IMPORT_CPUPOWER,
	      "CPUPOWER_START_OPTS=\"frequency-set -g performance -u 1.2GHz\"\n"
	      "CPUPOWER_STOP_OPTS=\"frequency-set -g ondemand\"\n",
	      both, 0);
	wants(IMPORT_CPUPOWER,
	      "CPUPOWER_START_OPTS='frequency-set  --governor=performance -r --max "
	      "1200000 '\n",
	      both, 0);
	wants(IMPORT_CPUPOWER,
	      "CPUPOWER_START_OPTS='-c all frequency-set -gperformance -u1200Mhz'", both,
	      0);
	wants(IMPORT_CPUPOWER,
	      "CPUPOWER_START_OPTS='frequency-set -g performance "
	      "\\\n  -u 1.2GHz'\n",
	      "refused", 0);
	wants(IMPORT_CPUPOWER,
	      "CPUPOWER_START_OPTS=\"frequency-set -g performance \\\n  -u 1.2GHz\"\n",
	      both, 0);
	wants(IMPORT_CPUPOWER, "CPUPOWER_START_OPTS='--cpu 0-3 frequency-set -d 1GHz'",
	      "", 1);
	wants(IMPORT_CPUPOWER, "CPUPOWER_START_OPTS='idle-set -D 0'", "", 2);
	wants(IMPORT_CPUPOWER, "CPUPOWER_START_OPTS='frequency-set -x -f 1GHz'",
	      "[cpufreq] min_freq = 1000MHz; [cpufreq] max_freq = 1000MHz; ", 2);
	wants(IMPORT_CPUPOWER, "CPUPOWER_START_OPTS=", "", 1);
	wants_error(IMPORT_CPUPOWER, "\nCPUPOWER_START_OPTS='frequency-set -g'\n", 2,
		    "\"-g\": expected a value after it");
	wants_error(
		IMPORT_CPUPOWER, "CPUPOWER_START_OPTS='frequency-set -d max'\n", 1,
		"--min=\"max\" is no frequency; expected a number of kHz, or one with "
		"Hz, kHz, MHz, GHz or THz");
	wants_error(IMPORT_CPUPOWER, "CPUPOWER_START_OPTS=\"frequency-set -g $(id)\"\n",
		    1,
		    "\"CPUPOWER_START_OPTS=\"frequency-set -g $(id)\"\": nothing is "
		    "expanded; expected NAME=value with a plain value");
}

static void test_loadcpufreq(void)
{
	wants(IMPORT_LOADCPUFREQ, "ENABLE=true\nFREQDRIVER=acpi-cpufreq\n", "", 2);
	wants(IMPORT_LOADCPUFREQ, "ENABLE=true\nGOVERNOR=ondemand\n", "", 2);
}

/* ImmortalWrt, lede, the section "general", and what is written by hand. */
static void test_uci(void)
{
	wants(IMPORT_UCI,
	      "\nconfig settings 'global'\n\toption set '1'\n\n"
	      "config settings 'cpufreq'\n\toption governor0 'schedutil'\n"
	      "\toption minfreq0 '600000'\n\toption maxfreq0 \"1608000\"\n"
	      "\toption maxfreq4 '2016000'\n\toption sdfactor4 '10'\n"
	      "\toption upthreshold4 '050'\n\toption governor4 'ondemand' # big\n",
	      "[cpufreq:policy0] governor = schedutil; "
	      "[cpufreq:policy0] min_freq = 600MHz; "
	      "[cpufreq:policy0] max_freq = 1608MHz; "
	      "[cpufreq:policy4] governor = ondemand; "
	      "[cpufreq:policy4] max_freq = 2016MHz; "
	      "[cpufreq:policy4] ondemand.up_threshold = 50; "
	      "[cpufreq:policy4] ondemand.sampling_down_factor = 10; ",
	      0);
	wants(IMPORT_UCI,
	      "config settings\r\n\toption governor ondemand\r\n"
	      "\toption minifreq 48000\r\n\toption maxfreq 716000\r\n"
	      "\toption upthreshold 50\r\n\toption factor 10\r\n",
	      "[cpufreq] governor = ondemand; [cpufreq] min_freq = 48MHz; "
	      "[cpufreq] max_freq = 716MHz; [cpufreq] ondemand.up_threshold = 50; "
	      "[cpufreq] ondemand.sampling_down_factor = 10; ",
	      0);
	wants(IMPORT_UCI,
	      "option governor 'ondemand'\noption minfreq '800000'\n"
	      "option maxfreq '1400000'\noption sampling_down_factor '10'\n"
	      "option up_threshold '50'\n",
	      "[cpufreq] governor = ondemand; [cpufreq] min_freq = 800MHz; "
	      "[cpufreq] max_freq = 1400MHz; [cpufreq] ondemand.up_threshold = 50; "
	      "[cpufreq] ondemand.sampling_down_factor = 10; ",
	      0);
	wants(IMPORT_UCI, "config cpufreq\n option maxfreq10 '1'\n option maxfreq 2\n",
	      "[cpufreq] max_freq = 2kHz; [cpufreq:policy10] max_freq = 1kHz; ", 0);
	wants(IMPORT_UCI, "option fan_temp 60\noption maxfreq0x 1\noption maxfreq0 ''\n",
	      "", 3);
	wants_error(IMPORT_UCI, "config cpufreq\noption upthreshold0 '101'\n", 2,
		    "upthreshold0=\"101\": expected a number from 1 to 100");
	wants_error(IMPORT_UCI,
		    "option minfreq4 2\noption maxfreq0 1\noption maxfreq4 1\n", 1,
		    "minfreq4 of 2 kHz is above maxfreq4 of 1 kHz on line 3; expected it "
		    "below");
}

static void test_uci_lines(void)
{
	static const char *const wrong[] = {
		"option",
		"option governor",
		"optoin governor x",
		"GOVERNOR=ondemand",
		"option a b c",
		"option a-b c",
		"option governor 'x",
		"option governor x;y",
		"config a-b",
	};
	char want[256];

	wants(IMPORT_UCI, "option governor\t\n", "", 1);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (streq(wrong[i], "option governor"))
			continue;
		snprintf(want, sizeof(want),
			 "\"%s\": expected config TYPE NAME, option KEY VALUE or a # "
			 "comment",
			 wrong[i]);
		wants_error(IMPORT_UCI, wrong[i], 1, want);
	}
	wants_error(IMPORT_UCI, "option governor `id`", 1,
		    "\"option governor `id`\": nothing is expanded; expected NAME=value "
		    "with a plain value");
}

static void test_kinds(void)
{
	static const struct {
		const char *file, *text;
		enum import_kind kind;
	} files[] = {
		{ "x", "GOVERNOR=ondemand\n", IMPORT_CPUFREQUTILS },
		{ "x", "", IMPORT_CPUFREQUTILS },
		{ "x", "# c\n\n \t config settings\n", IMPORT_UCI },
		{ "x", "option maxfreq 1", IMPORT_UCI },
		{ "x", "option", IMPORT_CPUFREQUTILS },
		{ "x", "# option", IMPORT_CPUFREQUTILS },
		{ "x", "options=1", IMPORT_CPUFREQUTILS },
		{ "x", "GOVERNOR=a\nMAX_FREQ=1\n", IMPORT_CPUPOWER },
		{ "x", "CPUPOWER_START_OPTS=''\n", IMPORT_CPUPOWER },
		{ "x", "ENABLE=true\nFREQDRIVER=a\n", IMPORT_LOADCPUFREQ },
		{ "/a/cpufrequtils", "MAX_FREQ=1\n", IMPORT_CPUFREQUTILS },
		{ "loadcpufreq", "ENABLE=true\n", IMPORT_LOADCPUFREQ },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		enum import_kind kind = IMPORT_KINDS_;

		import_kind_of(files[i].file, files[i].text, strlen(files[i].text),
			       &kind);
		is_int(kind, files[i].kind, "%s", quote(files[i].text));
	}
}

static char dir[] = "/tmp/test-import-kinds-XXXXXX";
static struct sysroot root = SYSROOT_INIT;

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	return remove(path);
}

static void put(const char *path, const char *text)
{
	char parent[SYSROOT_PATH_MAX];

	snprintf(parent, sizeof(parent), "%s", path);
	*strrchr(parent, '/') = '\0';
	if (sysroot_mkdir_all(&root, parent, 0755) < 0 ||
	    sysroot_replace(&root, path, text, strlen(text), 0644) < 0)
		printf("Bail out! cannot write %s\n", path);
}

/* Links a unit or an init script to where it is started from. */
static void enable(const char *what, const char *where)
{
	char path[SYSROOT_PATH_MAX + 64];

	put(what, "");
	put(where, "");
	snprintf(path, sizeof(path), "%s%s", dir, where);
	if (unlink(path) < 0 || symlink(what, path) < 0)
		printf("Bail out! cannot link %s\n", path);
}

/* Which file is taken, and the remark on another one. */
static void takes(const char *file, const char *other, const char *remark,
		  const char *when)
{
	_cleanup_(profile_errors_clear) struct profile_errors remarks = { 0 };
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(import_file_clear) struct import_file f = { 0 };
	bool said = !remark;
	int r = import_open(&root, NULL, &f, &remarks, &errors);
	char want[1024];

	is_int(r, file ? 0 : -ENOENT, "%s", when);
	is_str(r == 0 ? f.source.path + strlen(dir) : "", file ? file : "", "is taken");
	for (size_t i = 0; remark && i < remarks.n; i++) {
		snprintf(want, sizeof(want), "left out%s", remark);
		said |= streq(remarks.items[i].file + strlen(dir), other) &&
			strncmp(remarks.items[i].text, want, strlen(want)) == 0;
	}
	ok(said, "and not %s, for its reason", other);
}

static void test_sources(void)
{
	static const char old[] = "/etc/default/cpufrequtils",
			  load[] = "/etc/default/loadcpufreq",
			  arch[] = "/etc/default/cpupower",
			  new[] = "/etc/cpupower-service.conf",
			  uci[] = "/etc/config/cpufreq";

	takes(NULL, "nothing", NULL, "nothing");
	put(load, "FREQDRIVER=x\n");
	takes(load, "nothing", NULL, "one that says nothing");
	put(old, "GOVERNOR=ondemand\n");
	takes(old, load, ": it sets nothing", "one that sets something");
	put(arch, "governor=performance\n");
	takes(arch, old, " for ", "the later, none is enabled");
	enable("/etc/init.d/cpufrequtils", "/etc/rc2.d/S01cpufrequtils");
	takes(old, arch, ": its service is not", "the one that is enabled");
	put(old, "GOVERNOR=ondemand\nENABLE=false\n");
	takes(arch, old, " for ", "enabled and switched off");
	put("/etc/armbian-release", "BOARDFAMILY=sun50iw2\n");
	takes(old, arch, ": its service is not", "which Armbian does not look at");
	enable("/usr/lib/systemd/system/cpupower.service",
	       "/etc/systemd/system/multi-user.target.wants/cpupower.service");
	takes(arch, old, ": /", "the one that is applied later");
	put("/usr/lib/systemd/system/cpupower.service",
	    "[Service]\nEnvironmentFile=-/etc/cpupower-service.conf\n");
	takes(old, arch, ": its service is not", "one that its unit does not read");
	put(new, "GOVERNOR=$x\n");
	takes(new, old, ": /", "one with an error is not passed over");
	put(new, "# nothing\n");
	takes(old, new, ": it sets nothing", "an enabled one that sets nothing");
	put(uci, "option governor ondemand\n");
	enable("/etc/init.d/cpufreq", "/etc/rc.d/S15cpufreq");
	takes(uci, old, ": /", "OpenWrt's");
}

static void test_refused(void)
{
	_cleanup_(profile_errors_clear) struct profile_errors remarks = { 0 };
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	struct import_file f = { 0 };
	char path[SYSROOT_PATH_MAX];

	snprintf(path, sizeof(path), "%s/etc/config/cpufreq", dir);
	if (unlink(path) < 0 || mkfifo(path, 0644) < 0)
		puts("Bail out! cannot make a FIFO");
	is_int(import_open(&root, NULL, &f, &remarks, &errors), -EBADMSG, "a FIFO");
	is_int(errors.n, 1, "is an error, nobody waits");
	unlink(path);
	put("/etc/config/cpufreq", "");
	if (truncate(path, 100 << 20) < 0)
		puts("Bail out! cannot make a large file");
	is_int(import_open(&root, path, &f, &remarks, &errors), -EBADMSG, "100 MB");
	is_int(errors.n, 2, "are an error, too");
}

/* Comment lines of keys and sections without their mark. */
static char *uncomment(const char *profile)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (const char *s = profile; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		int n = strcspn(s, "\n");
		bool mark = n > 2 && *s == '#' && (s[2] == '[' || memmem(s, n, " = ", 3));

		fprintf(f, "%.*s\n", mark ? n - 2 : n, mark ? s + 2 : s);
	}
	fclose(f);
	return text;
}

/* What Armbian's script adds is in comments, and good as keys. */
static void test_armbian(void)
{
	static const struct {
		const char *family, *name, *key;
		size_t n;
	} boards[] = {
		{ "rockchip64", "NanoPi R2S", "# net.core.rps_sock_flow_entries = 32768",
		  12 },
		{ "rk3399", "NanoPi R4S", "# [irq:pcie]", 13 },
		{ "sun50iw2", "NanoPi Neo 2", "# Name = *usb1*", 9 },
		{ "sun8i", "ZeroPi", "# Name = *hcd:usb*", 7 },
		{ "sun8i", "NanoPi Neo", "# ondemand.up_threshold = 25", 5 },
		{ "mvebu64", "Espressobin", "# Driver = mvneta", 6 },
		{ "meson64", "x", "# ondemand.io_is_busy = 1", 5 },
	};
	static const char text[] = "GOVERNOR=ondemand\n";

	for (size_t i = 0; i < ARRAY_SIZE(boards); i++) {
		_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
		_cleanup_(profile_freep) struct profile *p = NULL, *all = NULL;
		_cleanup_free_ char *whole = NULL;
		struct import_board board = { 0 };
		struct result res;

		strcpy(board.family, boards[i].family);
		strcpy(board.name, boards[i].name);
		res = import_as(IMPORT_CPUFREQUTILS, "file", text, sizeof(text) - 1,
				&board);
		ok(res.r == 0 && has_line(res.profile, boards[i].key), "%s: %s",
		   boards[i].family, boards[i].key);
		whole = uncomment(res.profile ? res.profile : "");
		profile_load_text(&root, "p", res.profile ? res.profile : "x",
				  strlen(res.profile ? res.profile : "x"), &p, &errors);
		profile_load_text(&root, "p", whole, strlen(whole), &all, &errors);
		is_int(errors.n, 0, "loads either way");
		is_int(p ? p->n_assignments : 0, 1, "with its own key");
		is_int(all ? all->n_assignments : 0, boards[i].n, "or with all");
		result_clear(&res);
	}
}

/* What it is on is read from the board; not of another program's file. */
static void test_release(void)
{
	_cleanup_(import_board_clear) struct import_board board = { 0 };
	struct result res;

	put("/etc/armbian-release", "# made\nBOARD=nanopi-r2s\nBOARD_NAME=\"NanoPi "
				    "R2S\"\nBOARDFAMILY=rockchip64\n");
	is_int(import_board_read(&root, &board), 0, "a board of Armbian");
	is_str(board.family, "rockchip64", "its family");
	is_str(board.name, "NanoPi R2S", "its name");
	res = import_as(IMPORT_CPUPOWER, "file", "GOVERNOR=ondemand", 17, &board);
	ok(res.r == 0 && !strstr(res.profile, "Armbian"), "cpupower is not Armbian's");
	result_clear(&res);
}

int main(void)
{
	if (!mkdtemp(dir) || sysroot_open(dir, &root) < 0)
		puts("Bail out! cannot make a directory below /tmp");
	test_cpupower();
	test_options();
	test_loadcpufreq();
	test_uci();
	test_uci_lines();
	test_kinds();
	test_sources();
	test_refused();
	test_armbian();
	test_release();
	sysroot_close(&root);
	nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	return done();
}
