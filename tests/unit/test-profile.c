// SPDX-License-Identifier: GPL-2.0-or-later
// test-profile.c - profiles: lines, layers, includes, ownership, the shipped ones
#include <sys/socket.h>
#include <sys/un.h>

#include "profile-fixture.h"
#include "profile/registry.h"

/* A caller's file in the fixture. */
static int load_file(struct fixture *f, const char *path)
{
	_cleanup_free_ char *file = str_format("%s%s", f->dir, path);

	return file ? load(f, file) : -ENOMEM;
}

static const struct assignment *find(const struct fixture *f, const char *section,
				     const char *label, const char *key)
{
	const struct profile *p = f->profile;

	for (size_t i = 0; p && i < p->n_assignments; i++)
		if (streq(p->assignments[i].section->name, section) &&
		    streq(p->assignments[i].section->label, label) &&
		    streq(p->assignments[i].setting->key, key))
			return &p->assignments[i];
	return NULL;
}

static void test_lines(struct fixture *f)
{
	char line[300] = "[main]\nsummary = ", text[512];
	const struct assignment *a;

	put(f, LOCAL "x.ini",
	    "\xef\xbb\xbf[cpufreq]  ; every policy\r\n"
	    "\r\n"
	    "  ; an indented comment\r\n"
	    "# another\r\n"
	    "governor = schedutil | ondemand ; first one there is\r\n"
	    "min_freq=408MHz\r\n"
	    "-max_freq = hw-max");
	is_int(load(f, "x"), 0, "BOM, CRLF, comments, no newline at the end");
	a = find(f, "cpufreq", "", "governor");
	ok(a && streq(a->value.word, "schedutil|ondemand") && !a->optional &&
		   a->line == 5,
	   "an inline comment is cut");
	a = find(f, "cpufreq", "", "min_freq");
	ok(a && a->value.khz == 408000 && streq(a->text, "408MHz") && a->line == 6,
	   "a frequency, on line 6");
	a = find(f, "cpufreq", "", "max_freq");
	ok(a && a->value.khz == FREQ_HW_MAX && a->optional && a->line == 7, "an optional "
									    "key on the "
									    "last line");

	memset(line + strlen(line), 'x', 198 - strlen("summary = "));
	put(f, LOCAL "x.ini", line);
	is_int(load(f, "x"), 0, "a line of 198 bytes");
	strcat(line, "x\n");
	put(f, LOCAL "x.ini", line);
	is_int(load(f, "x"), -EBADMSG, "one of 199");
	ok(f->errors.n == 1 && str_after(error_text(f, 0, text), "x.ini:2: line of 199 "
								 "bytes, "),
	   "says so");

	put(f, LOCAL "x.ini", "");
	is_int(load(f, "x"), 0, "an empty profile");
	ok(f->profile && f->profile->n_assignments == 0, "sets nothing");
}

/* Every section of the registry has its rule for labels. */
static void test_registry_sections(struct fixture *f)
{
	size_t n;
	const struct setting *all = registry_all(&n);

	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *text = NULL;
		bool plain, label;

		if (i && streq(all[i].section, all[i - 1].section))
			continue;
		text = str_format("[%s]\n", all[i].section);
		put(f, LOCAL "x.ini", text);
		plain = load(f, "x") == 0;
		free(text);
		text = str_format("[%s:a-b]\n", all[i].section);
		put(f, LOCAL "x.ini", text);
		label = load(f, "x") == 0;
		ok(!(plain && label), "[%s] says which labels it takes", all[i].section);
	}
}

static void test_layers(struct fixture *f)
{
	const struct assignment *a;
	char text[512];

	put(f, VENDOR "base.ini",
	    "[main]\nsummary = base\n[cpufreq]\ngovernor = ondemand\nmin_freq = 1GHz\n");
	put(f, VENDOR "board.ini",
	    "[main]\ninclude = base\n[cpufreq]\nmax_freq = 2GHz\n-min_freq = 2MHz\n"
	    "[net:lan]\nName = lan*\nrx = on\n");
	is_int(load(f, "board"), 0, "a profile that includes another");
	a = find(f, "cpufreq", "", "governor");
	ok(a && a->line == 4 && strstr(a->file, "/base.ini"), "has the other's keys");
	a = find(f, "cpufreq", "", "min_freq");
	ok(a && a->value.khz == 2000 && a->optional && strstr(a->file, "/board.ini"),
	   "its own win, with or without -");
	is_int(f->profile ? f->profile->n_sections : 0, 3, "sections are merged");
	is_int(f->profile ? f->profile->n_assignments : 0, 4, "keys too");
	is_int(f->profile ? f->profile->n_files : 0, 2, "of two files");
	a = profile_meta(f->profile, "main", "summary");
	ok(a && streq(a->value.word, "base"), "the summary is inherited");

	put(f, VENDOR "board.d/20-max.ini", "[cpufreq]\nmax_freq = 3GHz\n");
	put(f, VENDOR "board.d/30-hidden.ini", "[cpufreq]\nmax_freq = 4GHz\n");
	put(f, VENDOR "board.d/40-no.conf", "nothing\n");
	put(f, LOCAL "board.d/30-hidden.ini", "[net:lan]\nrx = off\n");
	put(f, LOCAL "board.d/10-first.ini", "[cpufreq]\nmax_freq = 5GHz\n");
	is_int(load(f, "board"), 0, "with drop-ins");
	a = find(f, "cpufreq", "", "max_freq");
	is_int(a ? a->value.khz : 0, 3000000, "the last by name wins");
	a = find(f, "net", "lan", "rx");
	ok(a && !a->value.feature.active, "a local one hides the vendor's");
	is_int(f->profile ? f->profile->n_files : 0, 5, "five files");

	put(f, LOCAL "board.ini", "[cpufreq]\nmax_freq = 6MHz\n[net:lan]\nName = lan1\n");
	is_int(load(f, "board"), 0, "a local profile of the same name");
	ok(f->profile && strstr(f->profile->path, LOCAL "board.ini"), "replaces it");
	ok(!find(f, "cpufreq", "", "governor"), "whole");
	a = find(f, "cpufreq", "", "max_freq");
	is_int(a ? a->value.khz : 0, 3000000, "and the drop-ins still count");

	put(f, LOCAL "board.d/50-bad.ini", "x\n");
	is_int(load(f, "board"), -EBADMSG, "a bad drop-in");
	ok(str_after(error_text(f, 0, text), "50-bad.ini:1: "), "is named");
	sysroot_unlink(&f->root, LOCAL "board.d/50-bad.ini");
}

static void test_matches(struct fixture *f)
{
	struct selector sel;

	put(f, LOCAL "x.ini",
	    "[net:wan]\nPath = platform-ff540000.ethernet\nDriver = r8152 r8169\n"
	    "tso = off\n[net:lan]\nName = lan*\n");
	put(f, LOCAL "x.d/a.ini", "[net:wan]\nDriver = igb\n");
	is_int(load(f, "x"), 0, "match keys");
	if (!f->profile)
		return;
	sel = profile_selector(&f->profile->assignments[0]);
	is_str(sel.label, "wan", "label");
	is_int(sel.n_matches, 2, "two keys");
	is_str(sel.match_keys[0], "Path", "the first");
	is_str(sel.match_patterns[0], "platform-ff540000.ethernet", "its pattern");
	is_str(sel.match_keys[1], "Driver", "the second");
	is_str(sel.match_patterns[1], "igb", "its pattern, of the later layer");
	is_int(f->profile->n_assignments, 1, "they are no settings");
	sysroot_unlink(&f->root, LOCAL "x.d/a.ini");
}

static void test_includes(struct fixture *f)
{
	char text[512];

	put(f, LOCAL "a.ini", "[main]\ninclude = b\n");
	put(f, LOCAL "b.ini", "[main]\n# b\ninclude = c\n");
	put(f, LOCAL "c.ini", "[main]\n\n\ninclude = b\n");
	is_int(load(f, "a"), -EBADMSG, "an include loop");
	is_int(f->errors.n, 1, "is one error");
	snprintf(text, sizeof(text),
		 "include loop: %s" LOCAL "b.ini includes %s" LOCAL "c.ini includes "
		 "%s" LOCAL "b.ini",
		 f->root.prefix, f->root.prefix, f->root.prefix);
	is_str(f->errors.n ? f->errors.items[0].text : "", text, "that names the chain");
	is_int(f->errors.n ? f->errors.items[0].line : 0, 4,
	       "and the line that closes it");
	put(f, LOCAL "a.ini", "[main]\ninclude = a\n");
	is_int(load(f, "a"), -EBADMSG, "a profile that includes itself");

	put(f, LOCAL "c.ini", "[cpufreq]\nmin_freq = 1MHz\n");
	put(f, LOCAL "d.ini", "[main]\ninclude = c\n[cpufreq]\nmin_freq = 2MHz\n");
	put(f, LOCAL "a.ini", "[main]\ninclude = d\tb  c\n");
	is_int(load(f, "a"), 0, "one file by three ways");
	is_int(f->profile ? f->profile->n_files : 0, 4, "is read once");
	is_int(find(f, "cpufreq", "", "min_freq")
		       ? find(f, "cpufreq", "", "min_freq")->value.khz
		       : 0,
	       2000, "at its first place");
}

static void test_nesting(struct fixture *f)
{
	char path[64], text[64];

	for (int i = 0; i < 20; i++) {
		snprintf(path, sizeof(path), LOCAL "n%d.ini", i);
		snprintf(text, sizeof(text), "[main]\ninclude = n%d\n", i + 1);
		put(f, path, text);
	}
	put(f, LOCAL "n20.ini", "");
	is_int(load(f, "n10"), 0, "ten includes deep");
	is_int(load(f, "n0"), -EBADMSG, "twenty are too many");
	ok(f->errors.n == 1 && strstr(f->errors.items[0].text, "nests deeper"), "says "
										"so");
}

static void test_caller_files(struct fixture *f)
{
	const struct assignment *a;

	put(f, LOCAL "mine.ini", "[cpufreq]\nmin_freq = 1MHz\n");
	put(f, LOCAL "other.ini", "[cpufreq]\nmax_freq = 9MHz\n");
	put(f, "/home/mine.ini", "[cpufreq]\nmin_freq = 2MHz\n");
	put(f, "/home/my.ini", "[main]\ninclude = mine other\n");
	put(f, "/home/my.d/x.ini", "[cpufreq]\nmin_freq = 3MHz\n");
	is_int(load_file(f, "/home/my.ini"), 0, "a file of the caller");
	a = find(f, "cpufreq", "", "min_freq");
	is_int(a ? a->value.khz : 0, 2000, "includes what is beside it, has no drop-ins");
	a = find(f, "cpufreq", "", "max_freq");
	is_int(a ? a->value.khz : 0, 9000, "else looks below the root");
	is_int(load_file(f, "/home/absent.ini"), -ENOENT, "a file that is not there");
	is_int(f->errors.n, 1, "is an error too");
	is_int(load(f, "bord"), -ENOENT, "a name that is not there");
	is_str(f->errors.n ? f->errors.items[0].text : "",
	       "no such profile; did you mean board?", "with the nearest");
	is_int(load(f, "something"), -ENOENT, "a name unlike any");
	ok(f->errors.n && strstr(f->errors.items[0].text, "inside the board") &&
		   strstr(f->errors.items[0].text, "./something.ini"),
	   "says where names are looked up, and how to give a file");
	is_int(load(f, ""), -EBADMSG, "an empty name");
	is_int(load(f, ".."), -EBADMSG, "a name with a leading dot");
}

static void test_ownership(struct fixture *f)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	_cleanup_free_ char *path = str_format("%s" LOCAL "p.ini", f->dir);
	_cleanup_close_ int s = -1;
	char text[512];

	put(f, LOCAL "p.ini", "[main]\nsummary = p\n");
	is_int(load(f, "p"), 0, "mode 0644");
	chmod(path, 0664);
	is_int(load(f, "p"), -EBADMSG, "mode 0664");
	is_str(error_text(f, 0, text),
	       "p.ini:0: its group can write it (mode 0664); expected only its owner "
	       "to: chmod go-w",
	       "says so");
	chmod(path, 0602);
	is_int(load(f, "p"), -EBADMSG, "mode 0602");
	ok(strstr(error_text(f, 0, text), ": others can write it"), "says so");
	if (geteuid() == 0) {
		chmod(path, 0644);
		is_int(chown(path, 12345, -1), 0, "another owner");
		is_int(load(f, "p"), -EBADMSG, "is refused");
		is_int(load(f, path), -EBADMSG, "also as a file of the caller");
		setenv("SUDO_UID", "12345", 1);
		is_int(load(f, "p"), 0, "unless sudo says it is the caller");
		setenv("SUDO_UID", "12345x", 1);
		is_int(load(f, "p"), -EBADMSG, "not by half a number");
		unsetenv("SUDO_UID");
		is_int(chown(f->dir, 12345, -1), 0, "owner of the root directory");
		is_int(load(f, "p"), 0, "is taken below it");
		is_int(load(f, path), -EBADMSG, "not as a file of the caller");
		chown(f->dir, 0, -1);
	} else {
		chmod(path, 0);
		is_int(load(f, "p"), -EBADMSG, "unreadable");
		is_str(error_text(f, 0, text),
		       "p.ini:0: cannot be read: Permission denied", "says why");
	}
	unlink(path);
	mkdir(path, 0755);
	is_int(load(f, "p"), -EBADMSG, "a directory");
	is_str(error_text(f, 0, text), "p.ini:0: is a directory; expected a regular file",
	       "says so");
	rmdir(path);
	mkfifo(path, 0644);
	is_int(load(f, "p"), -EBADMSG, "a FIFO is not waited for");
	is_str(error_text(f, 0, text), "p.ini:0: is a FIFO; expected a regular file",
	       "says so");
	unlink(path);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bind(s, (struct sockaddr *)&address, sizeof(address));
	is_int(load(f, "p"), -EBADMSG, "a socket");
	is_str(error_text(f, 0, text), "p.ini:0: cannot be read: is a socket", "says so");
	unlink(path);
	symlink("p.ini", path);
	is_int(load(f, "p"), -EBADMSG, "a link to itself");
	unlink(path);
}

static void test_list(struct fixture *f)
{
	struct profile_entry *entries = NULL;
	struct fixture g;
	ssize_t n;

	fixture_open(&g);
	n = profile_list(&g.root, &entries);
	is_int(n, 0, "no profiles");
	profile_list_free(entries, n);
	put(&g, VENDOR "b10.ini", "[main]\nsummary = ten ; comment\n");
	put(&g, VENDOR "b2.ini", "[main]\nsummary = two\n");
	put(&g, LOCAL "b2.ini", "[main]\nsummary = mine\n");
	put(&g, LOCAL "bad.ini", "[main]\nsummary = bad\nx\n");
	put(&g, LOCAL "b2.d/x.ini", "");
	put(&g, LOCAL "README", "");
	put(&g, LOCAL ".hidden.ini", "");
	n = profile_list(&g.root, &entries);
	is_int(n, 3, "three profiles");
	if (n == 3) {
		is_str(entries[0].name, "b2", "in natural order");
		ok(entries[0].local && streq(entries[0].summary, "mine"), "local first");
		is_str(entries[1].name, "b10", "then b10");
		ok(!entries[1].local && streq(entries[1].summary, "ten"), "vendor");
		is_str(entries[2].summary, "", "no summary if it does not parse");
	}
	profile_list_free(entries, n < 0 ? 0 : n);
	fixture_close(&g);
}

/* Every shipped profile loads, and the two boards include what they say. */
static void test_shipped(struct fixture *f)
{
	static const char *const names[] = { "router-base", "rk3328", "sun50i-h5",
					     "nanopi-neo2", "nanopi-neo3",
					     "generic-x86", "demo-offloads" };
	const char *dir = getenv("srcdir");
	struct sysroot tree = SYSROOT_INIT;
	const struct assignment *a;

	if (sysroot_open(dir ? dir : ".", &tree) < 0)
		puts("Bail out! cannot open srcdir");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *from = str_format("/data/profiles/%s.ini", names[i]);
		_cleanup_free_ char *to = str_format(VENDOR "%s.ini", names[i]);
		_cleanup_free_ char *text = NULL;
		ssize_t n = sysroot_read_all(&tree, from, &text);

		if (ok(n > 0, "%s is there", from))
			put_bytes(f, to, text, n);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		is_int(load(f, names[i]), 0, "%s loads", names[i]);
		ok(f->profile && profile_meta(f->profile, "main", "summary"),
		   "%s has a summary", names[i]);
		ok(f->profile && f->profile->n_assignments, "%s sets something",
		   names[i]);
	}
	is_int(load(f, "nanopi-neo2"), 0, "nanopi-neo2");
	a = find(f, "cpufreq", "", "governor");
	ok(a && strstr(a->file, "router-base.ini"), "has router-base's governor");
	sysroot_close(&tree);
}

int main(void)
{
	struct fixture f;

	fixture_open(&f);
	test_lines(&f);
	test_registry_sections(&f);
	test_layers(&f);
	test_matches(&f);
	test_includes(&f);
	test_nesting(&f);
	test_caller_files(&f);
	test_ownership(&f);
	test_list(&f);
	test_shipped(&f);
	fixture_close(&f);
	return done();
}
