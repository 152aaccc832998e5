// SPDX-License-Identifier: GPL-2.0-or-later
// test-profile-errors.c - every error of a profile: its file, line and text
#include "profile-fixture.h"
#include "profile/reader.h"

/* One profile text, and the one error that it must give. */
static void wants_error(struct fixture *f, const char *what, const void *data,
			size_t size, const char *want)
{
	char text[512];
	bool pass;
	int r;

	put_bytes(f, LOCAL "x.ini", data, size);
	r = load(f, "x");
	pass = ok(r == -EBADMSG && f->errors.n == 1 && !f->profile &&
			  streq(error_text(f, 0, text), want),
		  "%s", what);
	if (!pass)
		printf("# returned %d, %zu errors, first '%s', want '%s'\n", r,
		       f->errors.n, error_text(f, 0, text), want);
}

#define WANTS_ERROR(f, what, text, want)                                                 \
	wants_error(f, what, text, sizeof(text) - 1, want)

static void test_line_errors(struct fixture *f)
{
	WANTS_ERROR(f, "NUL byte", "[cpufreq]\nmin_fr\0q = 1\n",
		    "x.ini:2: NUL byte in \"min_fr\\x00q = 1\"; expected text");
	WANTS_ERROR(f, "NUL byte in a comment", "# \0\n",
		    "x.ini:1: NUL byte in \"# \\x00\"; expected text");
	WANTS_ERROR(f, "control character", "[main]\nsummary = \033[2J\n",
		    "x.ini:2: control character in \"summary = \\x1b[2J\"; expected "
		    "text");
	WANTS_ERROR(f, "Latin-1", "[main]\nsummary = gr\xfcn\n",
		    "x.ini:2: \"summary = gr\\xfcn\" is not UTF-8; expected UTF-8 text");
	WANTS_ERROR(f, "indented line",
		    "[cpufreq]\ngovernor = ondemand\n  min_freq = 1\n",
		    "x.ini:3: \"  min_freq = 1\" is indented; expected it to begin in "
		    "the "
		    "first column");
	WANTS_ERROR(f, "no =", "[cpufreq]\ngovernor\n",
		    "x.ini:2: \"governor\" is not understood; expected key = value, "
		    "[section] or a # comment");
	WANTS_ERROR(f, ": before =", "[cpufreq]\ngovernor: a = b\n",
		    "x.ini:2: \"governor: a = b\" is not understood; expected key = "
		    "value, [section] or a # comment");
	WANTS_ERROR(f, "= only in a comment", "[cpufreq]\ngovernor ; a = b\n",
		    "x.ini:2: \"governor ; a = b\" is not understood; expected key = "
		    "value, [section] or a # comment");
	WANTS_ERROR(f, "no key", "[cpufreq]\n= 1\n",
		    "x.ini:2: no key in \"= 1\"; expected key = value");
	WANTS_ERROR(f, "no key but a mark", "[cpufreq]\n-= 1\n",
		    "x.ini:2: no key in \"-= 1\"; expected key = value");
	WANTS_ERROR(f, "no key but a mark and a blank", "[cpufreq]\n- = 1\n",
		    "x.ini:2: no key in \"- = 1\"; expected key = value");
	WANTS_ERROR(f, "no value", "[cpufreq]\n-min_freq =\n",
		    "x.ini:2: no value for \"min_freq\"; expected key = value");
	WANTS_ERROR(f, "no value but a comment", "[cpufreq]\nmin_freq = ; 1\n",
		    "x.ini:2: no value for \"min_freq\"; expected key = value");
	WANTS_ERROR(f, "key before a section", "min_freq = 1\nmax_freq = 2\n[cpufreq]\n",
		    "x.ini:1: \"min_freq = 1\" stands before the first section; expected "
		    "a header such as [cpufreq] above it");
}

static void test_header_errors(struct fixture *f)
{
	static const char *const broken[] = {
		"[cpufreq",  "[]",	    "[:]",	   "[cpufreq:]",
		"[:little]", "[ cpufreq ]", "[cpufreq] x", "[cpufreq]; no blank",
		"[net:a b]", "[[cpufreq]]", "[4cpufreq]",
	};
	char text[128], want[256];

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		/* the key below it gives no error of its own */
		snprintf(text, sizeof(text), "[main]\n%s\nmin_freq = 1\n", broken[i]);
		snprintf(want, sizeof(want),
			 "x.ini:2: broken header \"%s\"; expected [section] or "
			 "[section:label]",
			 broken[i]);
		wants_error(f, broken[i], text, strlen(text), want);
	}
	WANTS_ERROR(f, "section twice", "[cpufreq]\n[cpufreq:big]\n[cpufreq]\n",
		    "x.ini:3: section [cpufreq] is already on line 1; expected its keys "
		    "together there");
	WANTS_ERROR(f, "label twice", "[cpufreq:big]\n[cpufreq:big]\n",
		    "x.ini:2: section [cpufreq:big] is already on line 1; expected its "
		    "keys together there");
}

static void test_name_errors(struct fixture *f)
{
	WANTS_ERROR(f, "section near", "[cpufrq]\nmin_freq = 1\n",
		    "x.ini:1: unknown section [cpufrq]; did you mean [cpufreq]?");
	WANTS_ERROR(f, "section unlike any", "[something:else]\n",
		    "x.ini:1: unknown section [something:else]; expected main, board, "
		    "cpufreq, thermal, net, irq, sysctl or trial");
	WANTS_ERROR(f, "key near", "[cpufreq]\nmax_frq = 1GHz\n",
		    "x.ini:2: unknown key \"max_frq\" in [cpufreq]; did you mean "
		    "max_freq?");
	WANTS_ERROR(f, "key unlike any", "[cpufreq]\nsomething_else = 1GHz\n",
		    "x.ini:2: unknown key \"something_else\" in [cpufreq]; expected one "
		    "that boardtune.ini(5) lists");
	WANTS_ERROR(f, "key of another section", "[main]\ngovernor = ondemand\n",
		    "x.ini:2: unknown key \"governor\" in [main]; it belongs to "
		    "[cpufreq]");
	WANTS_ERROR(f, "key of a NIC", "[cpufreq]\nrx-gro = on\n",
		    "x.ini:2: unknown key \"rx-gro\" in [cpufreq]; it belongs to "
		    "[net:...]");
	WANTS_ERROR(f, "feature without its rx-", "[net:a]\nName = eth0\ngro-hw = on\n",
		    "x.ini:3: unknown key \"gro-hw\" in [net]; did you mean rx-gro-hw?");
	WANTS_ERROR(f, "feature in capitals", "[net:a]\nName = eth0\nLRO = on\n",
		    "x.ini:3: unknown key \"LRO\" in [net]; did you mean lro?");
	WANTS_ERROR(f, "too short to be near", "[net:a]\nName = eth0\nxx = on\n",
		    "x.ini:3: unknown key \"xx\" in [net]; expected one that "
		    "boardtune.ini(5) lists");
}

static void test_value_errors(struct fixture *f)
{
	WANTS_ERROR(f, "governor near", "[cpufreq]\ngovernor = schedutil|ondemnd\n",
		    "x.ini:2: unknown governor \"ondemnd\"; did you mean ondemand?");
	WANTS_ERROR(f, "governor unlike any", "[cpufreq]\ngovernor = turbocharged\n",
		    "x.ini:2: unknown governor \"turbocharged\"; expected one such as "
		    "schedutil, ondemand or performance");
	WANTS_ERROR(f, "frequency", "[cpufreq]\nmin_freq = fast\n",
		    "x.ini:2: min_freq = \"fast\" is not understood; expected a "
		    "frequency "
		    "such as 408MHz (a bare number is kHz), hw-min or hw-max");
	WANTS_ERROR(f, "frequency out of range", "[cpufreq]\nmin_freq = 99999GHz\n",
		    "x.ini:2: min_freq = \"99999GHz\" is out of range; expected a "
		    "frequency such as 408MHz (a bare number is kHz), hw-min or hw-max");
	WANTS_ERROR(f, "flag", "[net:a]\nName = eth0\ntso = maybe\n",
		    "x.ini:3: tso = \"maybe\" is not understood; expected on or off");
	WANTS_ERROR(f, "another comment after a value",
		    "[cpufreq]\nmin_freq = 408MHz # slow\n",
		    "x.ini:2: min_freq = \"408MHz # slow\" is not understood; expected "
		    "a frequency such as 408MHz (a bare number is kHz), hw-min or "
		    "hw-max; a comment after a value begins with \" ;\"");
	WANTS_ERROR(f, "commas between names", "[net:a]\nName = eth0, eth1\n",
		    "x.ini:2: Name = \"eth0, eth1\": a name ends in a comma; expected "
		    "names with blanks between them");
	WANTS_ERROR(f, "optional where nothing is set", "[main]\n-summary = x\n",
		    "x.ini:2: \"-summary\": \"-\" makes a setting optional, and this is "
		    "none; expected summary");
	WANTS_ERROR(f, "key twice", "[cpufreq]\nmin_freq = 1GHz\n-min_freq = 2GHz\n",
		    "x.ini:3: \"min_freq\" is already set on line 2; expected it once");
	WANTS_ERROR(f, "an alias is the same key",
		    "[net:a]\nName = eth0\ntso = on\ntcp-segmentation-offload = on\n",
		    "x.ini:4: \"tcp-segmentation-offload\" is already set on line 3; "
		    "expected it once");
	put(f, LOCAL "base.ini", "");
	WANTS_ERROR(f, "include twice", "[main]\ninclude = base\ninclude = base\n",
		    "x.ini:3: \"include\" is already set on line 2; expected it once");
	sysroot_unlink(&f->root, LOCAL "base.ini");
	WANTS_ERROR(f, "include by path", "[main]\ninclude = ../c\n",
		    "x.ini:2: include \"../c\"; expected the name of a profile, without "
		    "directory and .ini");
	WANTS_ERROR(f, "include with .ini", "[main]\ninclude = c.ini\n",
		    "x.ini:2: include \"c.ini\"; expected the name of a profile, without "
		    "directory and .ini");
}

static void test_label_errors(struct fixture *f)
{
	WANTS_ERROR(f, "label where none belongs", "[main:x]\n",
		    "x.ini:1: [main:x]: expected no label");
	WANTS_ERROR(f, "policy label", "[cpufreq:policyX]\n",
		    "x.ini:1: [cpufreq:policyX]: expected the label big, little or "
		    "policyN");
	WANTS_ERROR(f, "policy without number", "[cpufreq:policy]\n",
		    "x.ini:1: [cpufreq:policy]: expected the label big, little or "
		    "policyN");
	WANTS_ERROR(f, "NIC without label", "[net]\nName = eth0\n",
		    "x.ini:1: [net]: expected a label such as [net:wan]");
	WANTS_ERROR(f, "NIC without match", "[net:wan]\ntso = on\n",
		    "x.ini:1: [net:wan] has no match key; expected Name, Driver, Path, "
		    "MACAddress, Type or Bus");
	put(f, LOCAL "x.ini", "[cpufreq:big]\n[cpufreq:little]\n[cpufreq:policy10]\n");
	is_int(load(f, "x"), 0, "big, little and policy10 are labels");
}

/* All errors of all files, by file and line. */
static void test_all_errors(struct fixture *f)
{
	char text[512];

	put(f, VENDOR "broken.ini", "[cpufreq]\nmin_freq = low\nmax_freq\n");
	put(f, LOCAL "x.ini",
	    "[main]\ninclude = broken absent\n[cpufreq]\nminfreq = 1\n\tx\n[nte:a]\n");
	is_int(load(f, "x"), -EBADMSG, "errors in two files");
	is_int(f->errors.n, 6, "all of them");
	is_str(error_text(f, 0, text),
	       "x.ini:2: include \"absent\": no such profile in /etc/boardtune/profiles "
	       "or " SOURCE_VENDOR_DIR,
	       "the first file first");
	is_str(error_text(f, 1, text),
	       "x.ini:4: unknown key \"minfreq\" in [cpufreq]; did you mean min_freq?",
	       "by line");
	is_str(error_text(f, 2, text),
	       "x.ini:5: \"\\x09x\" is indented; expected it to begin in the first "
	       "column",
	       "also when found in another pass");
	is_int(f->errors.items ? f->errors.items[3].line : 0, 6, "its last line");
	is_int(f->errors.items ? f->errors.items[4].line : 0, 2,
	       "the other file's first");
	is_int(f->errors.items ? f->errors.items[5].line : 0, 3, "and last");
}

/* A megabyte of errors stays readable, and quick. */
static void test_many_errors(struct fixture *f)
{
	_cleanup_free_ char *text = malloc(SOURCE_SIZE_MAX + 2);

	if (!text)
		return;
	memset(text, '\n', SOURCE_SIZE_MAX + 2);
	for (size_t i = 0; i < SOURCE_SIZE_MAX; i += 2)
		text[i] = 'x';
	put_bytes(f, LOCAL "x.ini", text, SOURCE_SIZE_MAX);
	is_int(load(f, "x"), -EBADMSG, "a megabyte of bad lines");
	is_int(f->errors.n, READER_ERRORS_MAX + 1, "is cut short");
	put_bytes(f, LOCAL "x.ini", text, SOURCE_SIZE_MAX + 1);
	is_int(load(f, "x"), -EBADMSG, "more than a megabyte");
	is_int(f->errors.n, 1, "is not read");
	memcpy(text, "[cpufreq]\n", 10);
	for (size_t i = 10; i + 11 < SOURCE_SIZE_MAX; i += 11)
		memcpy(text + i, "min_freq=1\n", 11);
	put_bytes(f, LOCAL "x.ini", text, 11 * 2000 + 10);
	is_int(load(f, "x"), -EBADMSG, "one key thousands of times");
	ok(f->errors.n <= 2 * (READER_ERRORS_MAX + 1), "is cut short");
}

int main(void)
{
	struct fixture f;

	fixture_open(&f);
	test_line_errors(&f);
	test_header_errors(&f);
	test_name_errors(&f);
	test_value_errors(&f);
	test_label_errors(&f);
	test_all_errors(&f);
	test_many_errors(&f);
	fixture_close(&f);
	return done();
}
