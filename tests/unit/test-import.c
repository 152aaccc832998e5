// SPDX-License-Identifier: GPL-2.0-or-later
// test-import.c - /etc/default/cpufrequtils in all the forms it is found in
#include "import-fixture.h"

#include <ftw.h>
#include <sys/stat.h>

#include "knobs/cpufreq.h"

#define FILE_NAME "/etc/default/cpufrequtils"

/* NanoPi NEO2: Allwinner H5 */
static uint32_t neo2_khz[] = { 408000, 648000, 816000, 912000, 960000, 1008000 };
static struct import_policy neo2 = { .name = "policy0",
				     .khz = neo2_khz,
				     .n = ARRAY_SIZE(neo2_khz) };

static struct result import_bytes(const char *text, size_t size, bool with_board)
{
	const struct import_board board = { .policies = &neo2, .n_policies = with_board };

	return import_as(IMPORT_CPUFREQUTILS, FILE_NAME, text, size, &board);
}

/* That a file leaves the governor to the init script is said, but of an empty one. */
static bool is_silent(const struct result *res, bool none)
{
	size_t said = none || strstr(res->profile, "governor =") ? 0 : 1;

	return res->remarks.n == said + none;
}

/* The one line that a text without other remarks gives; NULL: no key at all. */
static void wants_line(const char *text, const char *line)
{
	_cleanup_(result_clear) struct result res =
		import_bytes(text, strlen(text), false);
	bool none = !line && !strstr(res.profile ? res.profile : "=", "_freq =") &&
		    !strstr(res.profile ? res.profile : "=", "governor =");

	if (!ok(res.r == 0 && (none || (line && has_line(res.profile, line))) &&
			is_silent(&res, none),
		"%s gives %s", quote(text), line ? line : "nothing"))
		dump(&res);
}

static void wants_remark(const char *text, const char *line, unsigned at,
			 const char *remark)
{
	_cleanup_(result_clear) struct result res =
		import_bytes(text, strlen(text), false);

	if (!ok(res.r == 0 && has_line(res.profile, line) && res.remarks.n == 1 &&
			has_error(&res.remarks, at, remark),
		"%s gives %s and a remark", quote(text), line))
		dump(&res);
}

static void wants_error(const char *text, size_t size, unsigned at, const char *error)
{
	_cleanup_(result_clear) struct result res = import_bytes(text, size, false);

	if (!ok(res.r == -EBADMSG && !res.profile && has_error(&res.errors, at, error),
		"%s is refused", quote(text)))
		dump(&res);
}

#define WANTS_ERROR(text, at, error) wants_error(text, sizeof(text) - 1, at, error)

static void test_values(void)
{
	wants_line("GOVERNOR=performance", "governor = performance");
	wants_line("GOVERNOR=\"performance\"\n", "governor = performance");
	wants_line("GOVERNOR='on'dem\"and\"\n", "governor = ondemand");
	wants_line("GOVERNOR=on\\demand\n", "governor = ondemand");
	wants_line("GOVERNOR=on\\\ndemand\n", "governor = ondemand");
	wants_line("GOVERNOR=\"on\\\r\ndemand\"\r\n", "governor = ondemand");
	wants_line("# not \\\nGOVERNOR=ondemand # this \\\nENABLE=true\n",
		   "governor = ondemand");
	wants_line("GOVERNOR=\" ondemand\t\"\n", "governor = ondemand");
	wants_line("MAX_SPEED=\" 1008000 \"\n", "max_freq = 1008MHz");
	wants_line("  GOVERNOR=ondemand   # why\n", "governor = ondemand");
	wants_line("export GOVERNOR=ondemand\n", "governor = ondemand");
	wants_line("GOVERNOR=ondemand; export GOVERNOR\n", "governor = ondemand");
	wants_line("export GOVERNOR=ondemand MIN_SPEED=408000\n", "min_freq = 408MHz");
	wants_line("GOVERNOR=Performance\n", "governor = performance");
	wants_line("GOVERNOR=interactive\n", "governor = interactive");
	wants_line("\xef\xbb\xbfMAX_SPEED=1008000\r\n", "max_freq = 1008MHz");
	wants_line("MIN_SPEED=408000\r\nMAX_SPEED=816000\r\n", "min_freq = 408MHz");
	wants_line("MAX_SPEED=2.61GHz\n", "max_freq = 2610MHz");
	wants_line("MAX_SPEED=700Mhz\n", "max_freq = 700MHz");
	wants_line("MAX_SPEED=0.001THz\n", "max_freq = 1000MHz");
	wants_line("MAX_SPEED=1000500kHz\n", "max_freq = 1000500kHz");
	wants_line("MAX_SPEED=0\nMIN_SPEED=\"0\"\nGOVERNOR=\n", NULL);
	wants_line("MIN_SPEED=\nMAX_SPEED=''\n", NULL);
	wants_line("MIN_SPEED=0MHz\n", NULL);
	wants_line("", NULL);
	wants_line("# only a comment, with $HOME and `x`\n", NULL);
	wants_line("ENABLE=true\nGOVERNOR=ondemand\n", "governor = ondemand");
}

static void test_remarks(void)
{
	wants_remark("GOVERNOR=\nMAX_SPEED=816000\nMAX_SPEED=1008000\n",
		     "max_freq = 1008MHz", 2,
		     "MAX_SPEED is set again on line 3; the last one counts");
	wants_remark("GOVERNOR=ondemand\nCPUFREQ_CPUS=\"0 1\"\n", "governor = ondemand",
		     2, "CPUFREQ_CPUS is no variable of cpufrequtils; left out");
	wants_remark("MAX_SPEED=1000000\n", "max_freq = 1000MHz", 0,
		     "does not set GOVERNOR: the init script of cpufrequtils then takes "
		     "ondemand, this profile leaves the governor alone");
	wants_remark("MAX_SPEED=1000000400Hz\nGOVERNOR=''\n", "max_freq = 1000MHz", 1,
		     "1000000400Hz is rounded to 1000000 kHz");
	wants_remark("ENABLE=TRUE\nGOVERNOR=ondemand\n", "governor = ondemand", 1,
		     "ENABLE is \"TRUE\": taken as true, which cpufrequtils itself takes "
		     "only in lower case");
}

static void test_enable(void)
{
	static const char *const off[] = { "false", "\"False\"", "no", "0", "", "yes" };

	for (size_t i = 0; i < ARRAY_SIZE(off); i++) {
		_cleanup_free_ char *text = str_format("ENABLE=%s\nMIN_SPEED="
						       "408000\nGOVERNOR=ondemand\n",
						       off[i]);
		_cleanup_(result_clear) struct result res =
			import_bytes(text, strlen(text), false);

		ok(res.r == 0 && has_line(res.profile, "# min_freq = 408MHz") &&
			   has_line(res.profile, "# governor = ondemand") &&
			   !has_line(res.profile, "governor = ondemand") &&
			   res.remarks.n == 1 && res.remarks.items[0].line == 1 &&
			   strstr(res.remarks.items[0].text, "cpufrequtils sets nothing"),
		   "ENABLE=%s: the keys are comments", off[i]);
	}
}

static void test_errors(void)
{
	WANTS_ERROR("GOVERNOR=ondemnd\n", 1,
		    "unknown governor \"ondemnd\"; did you mean ondemand?");
	WANTS_ERROR("MIN_SPEED=fast\n", 1,
		    "MIN_SPEED=\"fast\" is no frequency; expected a number of kHz, or "
		    "one "
		    "with Hz, kHz, MHz, GHz or THz");
	WANTS_ERROR("MIN_SPEED=-1\n", 1,
		    "MIN_SPEED=\"-1\" is no frequency; expected a number of kHz, or one "
		    "with Hz, kHz, MHz, GHz or THz");
	WANTS_ERROR("MAX_SPEED=9999THz\n", 1,
		    "MAX_SPEED=\"9999THz\" is out of range; expected a number of kHz, or "
		    "one with Hz, kHz, MHz, GHz or THz");
	WANTS_ERROR("MAX_SPEED=99999999999999999999999999999999\n", 1,
		    "MAX_SPEED=\"99999999999999999999999999999999\" is out of range; "
		    "expected a number of kHz, or one with Hz, kHz, MHz, GHz or THz");
	/* radxa-zero's slip, ENABLE or not */
	WANTS_ERROR("ENABLE=false\nMIN_SPEED=6660000\nMAX_SPEED=1800000\n", 2,
		    "MIN_SPEED of 6660000 kHz is above MAX_SPEED of 1800000 kHz on line "
		    "3; "
		    "expected it below");
	WANTS_ERROR("GOVERNOR=ondemand\nMIN_SPEED=4\0008000\n", 2,
		    "\"MIN_SPEED=4\\x008000\": NUL byte; expected text");
}

/* Nothing is run, nothing is guessed. */
static void test_shell(void)
{
	static const char *const expanded[] = {
		"GOVERNOR=$(reboot)", "GOVERNOR=`reboot`", "GOVERNOR=\"$GOV\"",
		"GOVERNOR='$GOV'",    "X=1 Y=$X",	   "GOVERNOR=\\$x",
	};
	static const char *const commands[] = {
		"GOVERNOR = ondemand",
		"reboot",
		"GOVERNOR",
		"if true; then",
		"GOVERNOR=a reboot",
		"GOVERNOR=a;reboot",
		"GOVERNOR=a && reboot",
		"GOVERNOR=a|reboot",
		"GOVERNOR=a > /etc/passwd",
		"GOVERNOR=(a b)",
		"GOVERNOR+=a",
		"GOVERNOR=\"ondemand",
		"GOVERNOR='ondemand",
		"GOVERNOR=onde\\",
		"GOVERNOR=\"onde\\",
		". /etc/other",
		"export -n GOVERNOR",
		"1GOVERNOR=a",
		"[section]",
		"GOVERNOR: ondemand",
		"declare GOVERNOR=a",
	};
	char want[256];

	for (size_t i = 0; i < ARRAY_SIZE(expanded); i++) {
		snprintf(want, sizeof(want),
			 "\"%s\": nothing is expanded; expected NAME=value with a plain "
			 "value",
			 expanded[i]);
		wants_error(expanded[i], strlen(expanded[i]), 1, want);
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		snprintf(want, sizeof(want),
			 "\"%s\": expected NAME=value, without blanks around the =, or a "
			 "# comment",
			 commands[i]);
		wants_error(commands[i], strlen(commands[i]), 1, want);
	}
}

/* The NanoPi NEO2 of Armbian 5.34. */
static void test_points(void)
{
	static const char text[] = "# WARNING: this file will be replaced\n"
				   "ENABLE=true\n"
				   "MIN_SPEED=480000\n"
				   "MAX_SPEED=900000\n"
				   "GOVERNOR=ondemand\n";
	_cleanup_(result_clear) struct result res =
		import_bytes(text, sizeof(text) - 1, true);

	is_int(res.r, 0, "the NEO2's file");
	is_str(res.profile,
	       "# boardtune import /etc/default/cpufrequtils\n"
	       "# /etc/default/cpufrequtils:3: 480000 kHz is no operating point of "
	       "policy0; "
	       "the kernel uses 648000 kHz\n"
	       "# /etc/default/cpufrequtils:4: 900000 kHz is no operating point of "
	       "policy0; "
	       "the kernel uses 816000 kHz\n"
	       "\n[main]\nsummary = imported from cpufrequtils\n\n[cpufreq]\n"
	       "# from /etc/default/cpufrequtils:5\ngovernor = ondemand\n"
	       "# from /etc/default/cpufrequtils:3\nmin_freq = 480MHz\n"
	       "# from /etc/default/cpufrequtils:4\nmax_freq = 900MHz\n",
	       "as a profile");
	is_int(res.remarks.n, 2, "two remarks");
}

static void wants_point(const char *text, const char *remark)
{
	_cleanup_(result_clear) struct result res =
		import_bytes(text, strlen(text), true);

	if (!ok(res.r == 0 && res.remarks.n == 1 + !!remark &&
			(!remark || has_error(&res.remarks, 1, remark)),
		"%s on a NEO2", quote(text)))
		dump(&res);
}

static void test_ends(void)
{
	wants_point("MAX_SPEED=816000\n", NULL);
	wants_point("MIN_SPEED=408000\n", NULL);
	wants_point("MAX_SPEED=2000000\n", "2000000 kHz is no operating point of "
					   "policy0; the kernel uses 1008000 "
					   "kHz");
	wants_point("MIN_SPEED=300000\n", "300000 kHz is no operating point of policy0; "
					  "the kernel uses 408000 "
					  "kHz");
	wants_point("MAX_SPEED=1008\n", "1008 kHz is far from what policy0 can do "
					"(408000-1008000 kHz): a wrong "
					"unit? plan will refuse it");
}

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	return remove(path);
}

static void put(const struct sysroot *root, const char *path, const char *text)
{
	char dir[SYSROOT_PATH_MAX];

	snprintf(dir, sizeof(dir), "%s", path);
	*strrchr(dir, '/') = '\0';
	if (sysroot_mkdir_all(root, dir, 0755) < 0 ||
	    sysroot_replace(root, path, text, strlen(text), 0644) < 0)
		printf("Bail out! cannot write %s\n", path);
}

/* What a board lists, and that an imported profile loads. */
static void test_board(void)
{
	char dir[] = "/tmp/test-import-XXXXXX";
	static const char text[] = "GOVERNOR=ondemand\nMIN_SPEED=480000\nMAX_SPEED=0\n";
	_cleanup_(import_board_clear) struct import_board p = { 0 };
	_cleanup_(result_clear) struct result res =
		import_bytes(text, sizeof(text) - 1, true);
	_cleanup_(profile_errors_clear) struct profile_errors errors = { 0 };
	_cleanup_(profile_freep) struct profile *profile = NULL;
	struct sysroot root = SYSROOT_INIT;

	if (!mkdtemp(dir) || sysroot_open(dir, &root) < 0)
		puts("Bail out! cannot make a directory below /tmp");
	is_int(import_board_read(&root, &p), 0, "a board without cpufreq");
	is_int(p.n_policies, 0, "has no policies");
	put(&root, CPUFREQ_DIR "/policy4/scaling_available_frequencies",
	    "1008000 408000 816000 \n");
	put(&root, CPUFREQ_DIR "/policy4/scaling_boost_frequencies", "1200000\n");
	put(&root, CPUFREQ_DIR "/policy10/cpuinfo_min_freq", "600000\n");
	put(&root, CPUFREQ_DIR "/policy10/cpuinfo_max_freq", "1800000\n");
	put(&root, CPUFREQ_DIR "/policy11/affected_cpus", "\n");
	put(&root, CPUFREQ_DIR "/policyX/cpuinfo_min_freq", "1\n");
	put(&root, CPUFREQ_DIR "/boost", "0\n");
	is_int(import_board_read(&root, &p), 0, "a board with two policies");
	if (is_int(p.n_policies, 2, "and one that says nothing")) {
		ok(p.policies[0].n == 3 && p.policies[0].khz[0] == 408000 &&
			   p.policies[0].khz[2] == 1008000 && !p.policies[0].continuous,
		   "ascending, without boost");
		ok(streq(p.policies[1].name, "policy10") && p.policies[1].n == 2 &&
			   p.policies[1].continuous,
		   "two ends where no points are listed");
	}
	put(&root, CPUFREQ_DIR "/boost", "1\n");
	import_board_clear(&p);
	import_board_read(&root, &p);
	is_int(p.n_policies ? p.policies[0].n : 0, 4, "with boost");

	put(&root, "/etc/boardtune/profiles/imported.ini",
	    res.profile ? res.profile : "x");
	is_int(profile_load(&root, "imported", &profile, &errors), 0, "loads again");
	is_int(profile ? profile->n_assignments : 0, 2, "with its two settings");
	is_int(profile ? profile->assignments[1].value.khz : 0, 480000,
	       "and their values");
	sysroot_close(&root);
	nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* A name that would break the lines of the profile. */
static void test_file_name(void)
{
	const struct import_board none = { 0 };
	struct result res;
	char name[300];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name + 4, "\n[trial]\n", 9);
	res = import_as(IMPORT_CPUFREQUTILS, name, "X=1\nMIN_SPEED=1\n", 16, &none);
	is_int(res.r, 0, "a hostile file name");
	ok(res.profile && !has_line(res.profile, "[trial]") &&
		   has_line(res.profile, "min_freq = 1kHz"),
	   "stays within its comments");
	for (const char *s = res.profile; s && *s; s += strcspn(s, "\n"), s += *s == '\n')
		if (strcspn(s, "\n") > 198)
			ok(false, "line of %zu bytes", strcspn(s, "\n"));
	result_clear(&res);
}

int main(void)
{
	test_values();
	test_remarks();
	test_enable();
	test_errors();
	test_shell();
	test_points();
	test_ends();
	test_board();
	test_file_name();
	return done();
}
