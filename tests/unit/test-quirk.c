// SPDX-License-Identifier: GPL-2.0-or-later
// test-quirk.c - files of quirks: errors at file and line; each condition on a board
#include "profile/quirk-match.h"
#include "profile/source.h"

#include "fixture.h"
#include "tap.h"

#define LOCAL SOURCE_LOCAL_QUIRKS "/"
#define VENDOR SOURCE_VENDOR_QUIRKS "/"
#define USB "/sys/devices/platform/usb/usb4/4-1"
#define TEXTS "reason = r\nsource = s\n"

static struct quirk_list *list;
static struct profile_errors errors;

static void forget(void)
{
	quirks_free(list);
	list = NULL;
	profile_errors_clear(&errors);
}

static size_t load(struct fixture *f, const char *text)
{
	forget();
	if (text)
		fixture_file(f, LOCAL "a.ini", text);
	is_int(quirks_load(&f->sys.root, NULL, &list, &errors), 0, "loads");
	return list->n;
}

static const char *error_text(size_t i)
{
	static char buf[512];
	const char *slash;

	if (i >= errors.n)
		return "none";
	slash = strrchr(errors.items[i].file, '/');
	snprintf(buf, sizeof(buf), "%s:%u: %s", slash + 1, errors.items[i].line,
		 errors.items[i].text);
	return buf;
}

static void test_errors(struct fixture *f)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "[net:lan]\nrx = off\n",
		  "a.ini:1: unknown section [net:lan]; expected [quirk:NAME]" },
		{ "[quirk]\n" TEXTS, "a.ini:1: unknown section [quirk]; expected "
				     "[quirk:NAME]" },
		{ "[quirk:a]\nDriver = x\nsource = s\nrx = off\n",
		  "a.ini:1: [quirk:a] has no reason; expected one" },
		{ "[quirk:a]\nDriver = x\nreason = s\nrx = off\n",
		  "a.ini:1: [quirk:a] has no source; expected one" },
		{ "[quirk:a]\nDriver = x\n" TEXTS,
		  "a.ini:1: [quirk:a] has no setting; expected one, or advice" },
		{ "[quirk:a]\n" TEXTS "rx = off\n",
		  "a.ini:1: [quirk:a] does not say which interface; expected a key such "
		  "as Driver or usb_id" },
		{ "[quirk:a]\nDriver = x\n" TEXTS "rx = off\nkernel = old\n",
		  "a.ini:6: kernel = \"old\" is not understood; expected releases such "
		  "as <5.7, 5.4-5.9 or >=6.1.160" },
		{ "[quirk:a]\nDriver = x\n" TEXTS "rx = off\nmtu = big\n",
		  "a.ini:6: mtu = \"big\" is not understood; expected numbers such as "
		  ">1498" },
		{ "[quirk:a]\nusb_id = 0bda\n" TEXTS "rx = off\n",
		  "a.ini:2: usb_id = \"0bda\" is not understood; expected "
		  "idVendor:idProduct such as 0bda:8153" },
		{ "[quirk:a]\nDriver = x\n" TEXTS "rx = off\nrx = on\n",
		  "a.ini:6: \"rx\" is already set on line 5; expected it once" },
		{ "[quirk:a]\nDriver = x\n" TEXTS "rx = off\nkernal = <5\n",
		  "a.ini:6: unknown key \"kernal\" in [quirk]; did you mean kernel?" },
		{ "[quirk:a]\nDriver = x\n" TEXTS "rx = perhaps\n",
		  "a.ini:5: rx = \"perhaps\" is not understood; expected on or off" },
		{ "[quirk:a]\nDriver = x\n" TEXTS "-kernel = <5\nrx = off\n",
		  "a.ini:5: \"-kernel\": \"-\" makes a setting optional, and this is "
		  "none; expected kernel" },
		{ "[quirk:a]\nsection = sysctl\nDriver = x\n" TEXTS "rx = off\n",
		  "a.ini:2: section = \"sysctl\" is not understood; expected net or "
		  "cpufreq" },
		{ "[quirk:a]\nsection = cpufreq\nmtu = >1\n" TEXTS "max_freq = 1GHz\n",
		  "a.ini:3: \"mtu\" is about an interface; expected it in a quirk with "
		  "section = net" },
		{ "[quirk:a]\nsection = cpufreq\n" TEXTS "rx = off\n",
		  "a.ini:5: unknown key \"rx\" in [cpufreq]; it belongs to [net:...]" },
		{ "[quirk:a]\nDriver = x\n" TEXTS "rx = off\navoid = everything\n",
		  "a.ini:6: avoid = \"everything\" is not understood; expected "
		  "statistics" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		is_int(load(f, cases[i].text), 0, "no quirk comes of it");
		is_int(errors.n, 1, "one error");
		is_str(error_text(0), cases[i].error, "case %zu", i);
	}
}

/* A quirk that lost a condition to a bad line must not hold everywhere. */
static void test_hostile(struct fixture *f)
{
	static const char binary[] = "[quirk:a]\nDriver = \0x\n\xff\xfe=\n[quirk:";
	_cleanup_free_ char *many = calloc(1, 200000);
	size_t n = 0;

	is_int(load(f, "[quirk:a]\nDriver = x\n kernel = <5\n" TEXTS "rx = off\n"
		       "[quirk:b]\nDriver = x\n" TEXTS "rx = off\n"),
	       0, "a file with a bad line gives nothing");
	is_str(error_text(0),
	       "a.ini:3: \" kernel = <5\" is indented; expected it to begin in the "
	       "first column",
	       "and it is told");
	fixture_data(f, LOCAL "a.ini", binary, sizeof(binary));
	is_int(load(f, NULL), 0, "no text");
	ok(errors.n > 0, "is told");
	for (int i = 0; i < 3000; i++)
		n += (size_t)sprintf(many + n, "[quirk:q%d]\nDriver = *\n", i);
	is_int(load(f, many), 0, "too many sections");
	ok(errors.n > 0, "are told");
	fixture_file(f, LOCAL "b.ini", "[quirk:b]\nDriver = x\n" TEXTS "rx = off\n");
	is_int(load(f, "[quirk:b]\nDriver = x\n" TEXTS "rx = off\n"), 1, "twice a name");
	ok(strstr(error_text(0), "b.ini:1: [quirk:b] is already at "), "%s",
	   error_text(0));
	is_int(load(f, "nonsense\n"), 1, "the other file counts all the same");
	fixture_remove(f, LOCAL "b.ini");
}

static void test_files(struct fixture *f)
{
	fixture_file(f, VENDOR "a.ini", "[quirk:vendor]\nDriver=x\n" TEXTS "rx = off\n");
	fixture_file(f, VENDOR "b.ini", "[quirk:other]\nDriver=x\n" TEXTS "rx = off\n");
	is_int(load(f, "[quirk:local]\nDriver = x\n" TEXTS "-rx = off\nring.rx = 64\n"),
	       2, "a local file hides the vendor's of the same name");
	is_str(list->quirks[0].name, "local", "in the order of their names");
	is_str(list->quirks[1].name, "other", "and the vendor's others");
	is_int(list->quirks[0].n_assignments, 2, "its settings");
	ok(list->quirks[0].assignments[0].optional, "one may fail");
	is_int(list->quirks[0].assignments[1].line, 6, "where they stand");
	fixture_file(f, LOCAL "b.ini", "# none of the vendor's\n");
	is_int(load(f, NULL), 1, "an empty local file takes a vendor's away");
	fixture_remove(f, LOCAL "b.ini");
	fixture_remove(f, VENDOR "a.ini");
	fixture_remove(f, VENDOR "b.ini");
}

static void test_shipped(struct fixture *f)
{
	const char *dir = getenv("srcdir");
	_cleanup_free_ char *profile =
		str_format("%s/data/profiles/router-base.ini", dir ? dir : ".");

	forget();
	is_int(quirks_load(&f->sys.root, profile, &list, &errors), 0, "those shipped");
	is_int(errors.n, 0, "have no error: %s", error_text(0));
	is_int(list->n, 8, "all of them");
}

/* eth0: the board's own; eth1: RTL8153 on USB. */
static void make_board(struct fixture *f)
{
	fixture_data(f, "/proc/device-tree/compatible",
		     "friendlyarm,nanopi-r2s\0rockchip,rk3328", 39);
	fixture_file(f, "/proc/sys/kernel/osrelease", "5.4.61\n");
	fixture_file(f, "/sys/devices/system/cpu/present", "0-3\n");
	fixture_file(f, "/sys/devices/platform/emac/net/eth0/ifindex", "2\n");
	fixture_file(f, "/sys/devices/platform/emac/net/eth0/mtu", "1500\n");
	fixture_link(f, "/sys/devices/platform/emac/net/eth0/device", "../..");
	fixture_link(f, "/sys/devices/platform/emac/driver", "../../../drivers/dwmac");
	fixture_link(f, "/sys/class/net/eth0", "../../devices/platform/emac/net/eth0");
	fixture_file(f, USB "/idVendor", "0bda\n");
	fixture_file(f, USB "/idProduct", "8153\n");
	fixture_link(f, USB "/4-1:1.0/driver", "../../drivers/r8152");
	fixture_file(f, USB "/4-1:1.0/net/eth1/ifindex", "3\n");
	fixture_file(f, USB "/4-1:1.0/net/eth1/mtu", "1400\n");
	fixture_link(f, USB "/4-1:1.0/net/eth1/device", "../..");
	fixture_link(f, "/sys/class/net/eth1", "../.." USB "/4-1:1.0/net/eth1" + 5);
}

static int fake_firmware(void *ctx, const char *ifname,
			 char ret[static ETHTOOL_FIRMWARE_MAX])
{
	if (!streq(ifname, "eth1"))
		return -EOPNOTSUPP;
	strcpy(ret, "rtl8153b-2 v2 04/27/23");
	return 0;
}

/* The interfaces where it holds, "+" for one that is about none. */
static const char *where(struct fixture *f, enum quirk_when when)
{
	_cleanup_(quirk_holds_clear) struct quirk_holds holds = { 0 };
	static char buf[128];

	buf[0] = '\0';
	if (quirks_find(&f->sys, list, when, &holds) < 0)
		return "error";
	for (size_t i = 0; i < holds.n; i++) {
		const char *nic = holds.holds[i].nic;

		strcat(buf, *buf ? " " : "");
		strcat(buf, nic ? nic : "+");
	}
	return buf;
}

static void test_conditions(struct fixture *f)
{
	static const struct ethtool_ops ops = { .firmware_get = fake_firmware };
	static const struct {
		const char *conditions, *where;
	} cases[] = {
		{ "Driver = r8152", "eth1" },
		{ "Driver = r816*", "" },
		{ "Driver = dwmac r8152", "eth0 eth1" },
		{ "Name = eth*\ncompatible = friendlyarm,nanopi-r2s", "eth0 eth1" },
		{ "Name = eth*\ncompatible = a,b rockchip,rk33*", "eth0 eth1" },
		{ "Name = eth*\ncompatible = rockchip,rk3399", "" },
		{ "usb_id = 0bda:8153", "eth1" },
		{ "usb_id = 0bda:8152 0bda:815[3-6]", "eth1" },
		{ "usb_id = 0bda:8152", "" },
		{ "firmware = *v2 04/27/23*", "eth1" },
		{ "firmware = v2 04/27/23*", "" },
		{ "Name = *\nkernel = <5.7", "eth0 eth1" },
		{ "Name = *\nkernel = >=5.5", "" },
		{ "Name = *\nmtu = >1498", "eth0" },
		{ "Name = *\nmtu = <1498", "eth1" },
		{ "Name = eth0\ncpus = >1", "eth0" },
		{ "Name = eth0\ncpus = 1", "" },
		{ "Name = eth0\nDriver = r8152", "" },
		{ "section = cpufreq\nkernel = 5.4", "+" },
		{ "section = cpufreq\ncompatible = x,y", "" },
	};

	f->sys.ethtool = (struct ethtool) { .ops = &ops };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text = str_format(
			"[quirk:a]\n%s\n" TEXTS "advice = x\n", cases[i].conditions);

		is_int(load(f, text), 1, "conditions %zu", i);
		is_str(where(f, QUIRK_NOW), cases[i].where, "where it holds");
	}
}

static void test_unknown(struct fixture *f)
{
	load(f, "[quirk:a]\nName = eth0\nkernel = >1\nmtu = >1\n" TEXTS "rx = off\n");
	is_str(where(f, QUIRK_NOW), "eth0", "all is known");
	fixture_remove(f, "/sys/devices/platform/emac/net/eth0/mtu");
	is_str(where(f, QUIRK_NOW), "", "an MTU that is not known");
	fixture_file(f, "/sys/devices/platform/emac/net/eth0/mtu", "1500\n");
	fixture_remove(f, "/proc/sys/kernel/osrelease");
	is_str(where(f, QUIRK_NOW), "", "a kernel that is not known");
	is_str(where(f, QUIRK_OVER), "", "is not a newer one either");
	f->sys.ethtool = (struct ethtool) { 0 };
	load(f, "[quirk:a]\nfirmware = *\n" TEXTS "rx = off\n");
	is_str(where(f, QUIRK_NOW), "", "a firmware that is not known");
}

static void test_over(struct fixture *f)
{
	load(f, "[quirk:a]\nDriver = r8152\nkernel = <5.7\n" TEXTS "rx = off\n"
		"[quirk:b]\nDriver = r8152\n" TEXTS "rx = off\n");
	fixture_file(f, "/proc/sys/kernel/osrelease", "5.6.19\n");
	is_str(where(f, QUIRK_OVER), "", "not over");
	fixture_file(f, "/proc/sys/kernel/osrelease", "6.12.20-current\n");
	is_str(where(f, QUIRK_NOW), "eth1", "one without a kernel holds");
	is_str(where(f, QUIRK_OVER), "eth1", "one that is over");
}

/* A name is no glob, and the assignments are about that interface alone. */
static void test_names(struct fixture *f)
{
	_cleanup_(quirk_holds_clear) struct quirk_holds holds = { 0 };
	struct assignment a;
	struct selector sel;

	fixture_file(f, "/sys/devices/virtual/net/e*[0]\\/ifindex", "9\n");
	fixture_link(f, "/sys/class/net/e*[0]\\", "../../devices/virtual/net/e*[0]\\");
	load(f, "[quirk:a]\nName = e\\**\n" TEXTS "rx = off\n");
	is_int(quirks_find(&f->sys, list, QUIRK_NOW, &holds), 0, "an odd name");
	if (!is_int(holds.n, 1, "is found"))
		return;
	a = quirk_assignment(&holds.holds[0], 0);
	sel = profile_selector(&a);
	is_str(sel.match_keys[0], "Name", "by its name");
	is_str(sel.match_patterns[0], "e\\*\\[0\\]\\\\", "which matches nothing else");
}

static void test_statistics(struct fixture *f)
{
	static const struct {
		const char *kernel, *cpus;
		const char *where;
	} cases[] = {
		{ "6.6.63-current-sunxi\n", "0-3\n", "eth0" },
		{ "6.6.63-current-sunxi\n", "0\n", "" },
		{ "6.1.160\n", "0-3\n", "eth0" },
		{ "6.1.159\n", "0-3\n", "" },
		{ "6.1.191\n", "0-3\n", "" },
		{ "6.12.5\n", "0-3\n", "" },
	};

	fixture_data(f, "/proc/device-tree/compatible",
		     "friendlyarm,nanopi-neo\0allwinner,sun8i-h3", 42);
	fixture_remove(f, "/sys/devices/platform/emac/driver");
	fixture_link(f, "/sys/devices/platform/emac/driver", "../x/dwmac-sun8i");
	test_shipped(f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fixture_file(f, "/proc/sys/kernel/osrelease", cases[i].kernel);
		fixture_file(f, "/sys/devices/system/cpu/present", cases[i].cpus);
		is_str(where(f, QUIRK_NOW), cases[i].where, "Linux %.5s on CPUs %.1s",
		       cases[i].kernel, cases[i].cpus);
	}
}

int main(void)
{
	struct fixture f;

	fixture_open(&f);
	test_errors(&f);
	test_hostile(&f);
	test_files(&f);
	make_board(&f);
	test_conditions(&f);
	test_unknown(&f);
	test_over(&f);
	test_names(&f);
	test_statistics(&f);
	forget();
	fixture_close(&f);
	return done();
}
