// SPDX-License-Identifier: GPL-2.0-or-later
// test-nic.c - match keys, ID_PATH from the topology, features and their outcomes
#include "fixture.h"
#include "kernel/netdevice.h"
#include "knobs/nic-match.h"
#include "knobs/nic-path.h"
#include "knobs/nic.h"
#include "tap.h"

#define NET "/sys/class/net"
#define GMAC "/sys/devices/platform/ff540000.ethernet"
#define XHCI "/sys/devices/platform/ff600000.usb/xhci-hcd.0.auto"
#define USB XHCI "/usb5/5-1/5-1:1.0"
#define PCIE "/sys/devices/platform/3c0000000.pcie/pci0000:00/0000:00:00.0/0000:01:00.0"
#define HUB "/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.3/2-1.3:2.0"
#define VIRTIO "/sys/devices/pci0000:00/0000:00:03.0/virtio2"
#define VMD "/sys/devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0"
#define SDIO "/sys/devices/platform/fe310000.mmc/mmc_host/mmc2/mmc2:0001/mmc2:0001:1"

static const struct setting tso_row = { .attr = "tx-tcp-segmentation" };
static const struct setting gro_row = { .attr = "rx-gro" };
static const struct setting fixed_row = { .attr = "highdma" };
static const struct setting never_row = { .attr = "vlan-challenged" };
static const struct setting unknown_row = { .attr = "tx-teleport" };

static void test_match_list(void)
{
	static const struct {
		const char *patterns, *text;
		bool match;
	} cases[] = {
		{ "eth0", "eth0", true },       { "eth0", "eth01", false },
		{ "eth*", "eth1", true },       { "wan eth? lan", "eth1", true },
		{ "wan\tlan", "lan", true },    { "wan lan", "eth0", false },
		{ "!eth* wl*", "eth0", false }, { "!eth* wl*", "wlan0", false },
		{ "!eth* wl*", "br0", true },   { "! eth*", "eth0", false },
		{ "eth* !eth1", "eth0", true }, { "eth* !eth1", "eth1", false },
		{ "[ew]*", "wan", true },       { "eth0", NULL, false },
		{ "!eth0", NULL, true },        { "*", NULL, false },
		{ "", "eth0", false },          { "!", "eth0", false },
		{ "ETH0", "eth0", false },      { "a/*", "a/b/c", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_int(nic_match_list(cases[i].patterns, cases[i].text), cases[i].match,
		       "'%s' against %s", cases[i].patterns,
		       cases[i].text ? cases[i].text : "nothing");
}

static void test_match_key(void)
{
	const struct nic_identity nic = {
		.name = "eth0", .driver = "r8152", .mac = "02:00:5e:00:53:0a",
		.type = "ether", .bus = "usb", .path = "platform-x-usb-0:1:1.0",
	};

	ok(nic_match_key(&nic, "Name", "eth0") && !nic_match_key(&nic, "Name", "r8152"),
	   "Name");
	ok(nic_match_key(&nic, "Driver", "r81*"), "Driver");
	ok(nic_match_key(&nic, "Path", "*-usb-0:1:1.0"), "Path");
	ok(nic_match_key(&nic, "Type", "ether") && nic_match_key(&nic, "Bus", "usb pci"),
	   "Type and Bus");
	ok(nic_match_key(&nic, "MACAddress", "02:00:5E:00:53:0A"), "any case");
	ok(nic_match_key(&nic, "MACAddress", "02-00-5e-00-53-0a"), "hyphens");
	ok(nic_match_key(&nic, "MACAddress", "02:00:5e:00:53:0[a-f]"), "a range");
	ok(!nic_match_key(&nic, "MACAddress", "02:00:5e:00:53:0b"), "another address");
	ok(nic_match_key(&nic, "MACAddress", "0200.5E00.530a"), "dots");
	ok(!nic_match_key(&nic, "MACAddress", "0200.5e00.530b"), "another one with dots");
	ok(!nic_match_key(&nic, "MACAddress", "!0200.5e00.530a"), "not this one");
	ok(!nic_match_key(&nic, "MACAddress", "0200.5e00.530"), "too short");
	ok(!nic_match_key(&nic, "OriginalName", "*"), "a key that is none");
}

/* A device directory on a bus, as sysfs has it. */
static void add_device(struct fixture *f, const char *device, const char *bus)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/uevent", device);
	fixture_file(f, path, "");
	snprintf(path, sizeof(path), "%s/subsystem", device);
	if (bus)
		fixture_link(f, path, bus);
}

static const char *id_path(struct fixture *f, const char *device)
{
	static char buf[256];
	char path[512];
	int r;

	snprintf(path, sizeof(path), "%s/net/eth0", device);
	r = nic_id_path(&f->sys.root, path, buf, sizeof(buf));
	return r < 0 ? errno_name(r) : buf;
}

static void test_id_path(void)
{
	struct fixture f;

	fixture_open(&f);
	add_device(&f, "/sys/devices/platform", NULL);
	add_device(&f, GMAC, "../../../bus/platform");
	is_str(id_path(&f, GMAC), "platform-ff540000.ethernet", "platform");
	add_device(&f, "/sys/devices/platform/ff600000.usb", "../../../bus/platform");
	add_device(&f, XHCI, "../../../../bus/platform");
	add_device(&f, XHCI "/usb5", "../../../../../bus/usb");
	add_device(&f, XHCI "/usb5/5-1", "../../../../../../bus/usb");
	add_device(&f, USB, "../../../../../../../bus/usb");
	is_str(id_path(&f, USB), "platform-xhci-hcd.0.auto-usb-0:1:1.0", "USB of a SoC");
	add_device(&f, "/sys/devices/platform/3c0000000.pcie", "../../../bus/platform");
	add_device(&f, "/sys/devices/platform/3c0000000.pcie/pci0000:00", NULL);
	add_device(&f, "/sys/devices/platform/3c0000000.pcie/pci0000:00/0000:00:00.0",
		   "../../../../../bus/pci");
	add_device(&f, PCIE, "../../../../../../bus/pci");
	is_str(id_path(&f, PCIE), "platform-3c0000000.pcie-pci-0000:01:00.0",
	       "PCIe of a SoC");
	add_device(&f, "/sys/devices/pci0000:00", NULL);
	add_device(&f, "/sys/devices/pci0000:00/0000:00:14.0", "../../../bus/pci");
	add_device(&f, "/sys/devices/pci0000:00/0000:00:14.0/usb2",
		   "../../../../bus/usb");
	add_device(&f, "/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1",
		   "../../../../../bus/usb");
	add_device(&f, "/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.3",
		   "../../../../../../bus/usb");
	add_device(&f, HUB, "../../../../../../../bus/usb");
	is_str(id_path(&f, HUB), "pci-0000:00:14.0-usb-0:1.3:2.0", "USB behind a hub");
	add_device(&f, "/sys/devices/pci0000:00/0000:00:03.0", "../../../bus/pci");
	add_device(&f, VIRTIO, "../../../../bus/virtio");
	is_str(id_path(&f, VIRTIO), "pci-0000:00:03.0", "virtio is passed over");
	add_device(&f, "/sys/devices/pci0000:00/0000:00:0e.0", "../../../bus/pci");
	add_device(&f, "/sys/devices/pci0000:00/0000:00:0e.0/pci10000:e0", NULL);
	add_device(&f, "/sys/devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0",
		   "../../../../../bus/pci");
	add_device(&f, VMD, "../../../../../../bus/pci");
	is_str(id_path(&f, VMD), "pci-0000:00:0e.0-pci-10000:e1:00.0",
	       "a host bridge in between ends a chain");
	is_str(id_path(&f, "/sys/devices/virtual"), "ENOENT", "virtual");
	fixture_close(&f);
}

/* A recording that holds nothing but the directories. */
static void test_id_path_recorded(void)
{
	char buf[12], bus[32];
	struct fixture f;

	fixture_open(&f);
	is_str(id_path(&f, GMAC), "platform-ff540000.ethernet", "platform by name");
	is_str(id_path(&f, USB), "platform-xhci-hcd.0.auto-usb-0:1:1.0", "USB by name");
	is_str(id_path(&f, PCIE), "platform-3c0000000.pcie-pci-0000:01:00.0",
	       "PCIe by name");
	is_str(id_path(&f, VIRTIO), "pci-0000:00:03.0", "virtio by name");
	is_str(id_path(&f, SDIO), "platform-fe310000.mmc", "SDIO: the host");
	is_str(id_path(&f, "/sys/devices/virtual"), "ENOENT", "virtual");
	is_int(nic_id_path(&f.sys.root, GMAC "/net/eth0", buf, sizeof(buf)),
	       -ENAMETOOLONG, "no room");
	is_int(nic_bus(&f.sys.root, USB "/net/eth0", bus, sizeof(bus)), 0, "bus");
	is_str(bus, "usb", "of the nearest device");
	is_int(nic_bus(&f.sys.root, "/sys/devices/virtual/net/lo", bus, sizeof(bus)),
	       -ENOENT, "virtual: none");
	fixture_close(&f);
}

static void add_nic(struct fixture *f, const char *name, const char *device,
		    const char *ifindex, const char *mac)
{
	const char *const attrs[] = { "ifindex", "address", "type", "uevent" };
	const char *const texts[] = { ifindex, mac, "1\n", "INTERFACE=x\nIFINDEX=9\n" };
	char path[512], link[512];

	for (size_t i = 0; i < ARRAY_SIZE(attrs); i++) {
		snprintf(path, sizeof(path), "%s/net/%s/%s", device, name, attrs[i]);
		fixture_file(f, path, texts[i]);
	}
	snprintf(path, sizeof(path), NET "/%s", name);
	snprintf(link, sizeof(link), "../..%s/net/%s", device + strlen("/sys"), name);
	fixture_link(f, path, link);
}

static void add_nics(struct fixture *f)
{
	add_nic(f, "eth0", GMAC, "2\n", "02:00:5e:00:53:0a\n");
	fixture_link(f, GMAC "/net/eth0/device", "../../../ff540000.ethernet");
	fixture_link(f, GMAC "/driver", "../../../bus/platform/drivers/rk_gmac-dwmac");
	add_nic(f, "eth1", USB, "3\n", "02:00:5e:00:53:0b\n");
	fixture_link(f, USB "/net/eth1/device", "../../../5-1:1.0");
	fixture_link(f, USB "/driver", "../../../../../../../bus/usb/drivers/r8152");
	add_nic(f, "wlan0", SDIO, "5\n", "02:00:5e:00:53:0c\n");
	fixture_file(f, SDIO "/net/wlan0/uevent", "DEVTYPE=wlan\nINTERFACE=wlan0\n");
	add_nic(f, "lo", "/sys/devices/virtual", "1\n", "00:00:00:00:00:00\n");
	fixture_file(f, "/sys/devices/virtual/net/lo/type", "772\n");
	fixture_file(f, "/run/udev/data/n5", "I:1\nE:ID_BUS=sdio\nE:ID_PATH=recorded\n");
	fixture_file(f, NET "/bonding_masters", "bond0\n");
}

/* The names that match keys give, joined by blanks. */
static const char *names_of(struct fixture *f, const char *key, const char *patterns,
			    const char *key2, const char *patterns2)
{
	const char *keys[] = { key, key2 }, *lists[] = { patterns, patterns2 };
	struct selector sel = { .label = "x", .match_keys = keys, .match_patterns = lists,
				.n_matches = key2 ? 2 : key ? 1 : 0 };
	struct target_list list = { 0 };
	static char names[256];

	names[0] = '\0';
	if (nic_each(&f->sys, &tso_row, &sel, &list) < 0)
		return "failed";
	for (size_t i = 0; i < list.n; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
			 i ? " " : "", list.targets[i].name);
	target_list_clear(&list);
	return names;
}

static void test_each(void)
{
	const char *key = "Name", *pattern = "eth1";
	struct selector sel = { .label = "lan", .match_keys = &key,
				.match_patterns = &pattern, .n_matches = 1 };
	struct target_list list = { 0 };
	struct fixture f;

	fixture_open(&f);
	is_str(names_of(&f, "Name", "*", NULL, NULL), "", "a board without network");
	add_nics(&f);
	is_str(names_of(&f, "Name", "*", NULL, NULL), "eth0 eth1 lo wlan0",
	       "all, and bonding_masters is none");
	is_str(names_of(&f, NULL, NULL, NULL, NULL), "", "without a key: none");
	is_str(names_of(&f, "Driver", "rk_gmac-dwmac", NULL, NULL), "eth0", "Driver");
	is_str(names_of(&f, "Driver", "!rk*", NULL, NULL), "eth1 lo wlan0", "not Driver");
	is_str(names_of(&f, "Path", "platform-ff540000.ethernet", NULL, NULL), "eth0",
	       "Path from the topology");
	is_str(names_of(&f, "Path", "recorded", NULL, NULL), "wlan0", "Path from udev");
	is_str(names_of(&f, "Path", "platform-fe310000.mmc", NULL, NULL), "",
	       "udev's Path wins");
	is_str(names_of(&f, "Type", "ether", NULL, NULL), "eth0 eth1", "Type by number");
	is_str(names_of(&f, "Type", "wlan loopback", NULL, NULL), "lo wlan0",
	       "Type by DEVTYPE");
	is_str(names_of(&f, "Bus", "usb", NULL, NULL), "eth1", "Bus");
	is_str(names_of(&f, "MACAddress", "02-00-5E-00-53-0A", NULL, NULL), "eth0",
	       "MACAddress");
	is_str(names_of(&f, "Type", "ether", "Bus", "usb"), "eth1",
	       "every key must match");
	is_str(names_of(&f, "Type", "wlan", "Bus", "usb"), "", "not one of them only");
	is_int(nic_each(&f.sys, &tso_row, &sel, &list), 0, "each");
	is_str(list.targets[0].path, USB "/net/eth1", "path: of the device");
	is_int(list.targets[0].ifindex, 3, "ifindex");
	is_int(list.targets[0].order, 3, "order");
	target_list_clear(&list);
	fixture_close(&f);
}

/* A NIC that answers in place of the kernel. */
struct fake_nic {
	struct ethtool_features features;
	int error;
	char asked[64]; /* the last request */
};

static int fake_get(void *ctx, const char *ifname, struct ethtool_features *ret)
{
	struct fake_nic *nic = ctx;

	if (nic->error == 0)
		*ret = nic->features;
	return nic->error;
}

static int fake_set(void *ctx, const char *ifname, const char *feature, bool on)
{
	struct fake_nic *nic = ctx;

	snprintf(nic->asked, sizeof(nic->asked), "%s %s %s", ifname, feature,
		 on ? "on" : "off");
	return nic->error;
}

static const struct ethtool_ops fake_ops = { .features_get = fake_get,
					     .feature_set = fake_set };

static struct expectation expect(struct fixture *f, const struct setting *s, bool on)
{
	struct target t = { .name = (char *)"eth0", .path = (char *)GMAC, .ifindex = 2 };
	struct value asked = value_feature(on, on);
	struct expectation e;

	is_int(nic_feature_expect(&f->sys, s, &t, &asked, &e), 0, "%s: expected",
	       s->attr);
	return e;
}

static void test_features(void)
{
	struct fake_nic nic = { .features = { 4, {
		{ "tx-tcp-segmentation", .hw = true, .wanted = true, .active = false },
		{ "rx-gro", .hw = true, .wanted = true, .active = true },
		{ "highdma", .hw = false, .active = true },
		{ "vlan-challenged", .hw = true, .nochange = true },
	} } };
	struct target t = { .name = (char *)"eth0", .path = (char *)GMAC, .ifindex = 2 };
	struct expectation e;
	struct value v;
	struct fixture f;

	fixture_open(&f);
	add_nics(&f);
	f.sys.ethtool = (struct ethtool){ &fake_ops, &nic };
	is_int(nic_feature_get(&f.sys, &tso_row, &t, &v), KNOB_READ, "read");
	ok(v.type == VALUE_FEATURE && !v.feature.active && v.feature.requested,
	   "in force and asked for are two things");
	is_int(nic_feature_get(&f.sys, &unknown_row, &t, &v), -EOPNOTSUPP,
	       "no such name");
	v = value_feature(true, false);
	is_int(nic_feature_set(&f.sys, &gro_row, &t, &v), 0, "set");
	is_str(nic.asked, "eth0 rx-gro off", "what is asked for counts");
	e = expect(&f, &tso_row, true);
	is_int(e.outcome, OUTCOME_OK, "changeable");
	ok(value_equal(&e.want,
		       &(struct value) { VALUE_FEATURE, .feature = { true, true } }),
	   "wanted as asked");
	e = expect(&f, &fixed_row, false);
	is_int(e.outcome, OUTCOME_FIXED, "fixed and not as wanted");
	is_str(e.note, "highdma of eth0 is fixed on", "says how it is");
	is_int(expect(&f, &fixed_row, true).outcome, OUTCOME_OK, "fixed as wanted: ok");
	is_int(expect(&f, &never_row, true).outcome, OUTCOME_FIXED,
	       "never to be changed");
	e = expect(&f, &unknown_row, true);
	is_int(e.outcome, OUTCOME_UNSUPPORTED, "unknown: unsupported");
	is_int(e.error, -EOPNOTSUPP, "with its errno");
	nic.error = -EOPNOTSUPP;
	is_int(expect(&f, &tso_row, true).outcome, OUTCOME_UNSUPPORTED, "no features");
	is_int(nic_feature_get(&f.sys, &tso_row, &t, &v), -EOPNOTSUPP, "none to read");
	nic.error = 0;
	nic.asked[0] = '\0';
	fixture_file(&f, GMAC "/net/eth0/ifindex", "7\n");
	is_int(nic_feature_set(&f.sys, &gro_row, &t, &v), -ENODEV, "the name moved on");
	is_str(nic.asked, "", "another NIC is not touched");
	is_int(nic_feature_get(&f.sys, &gro_row, &t, &v), -ENODEV, "nor read");
	is_int(expect(&f, &gro_row, true).outcome, OUTCOME_MISSING, "missing");
	fixture_close(&f);
}

static void test_name(void)
{
	unsigned lo = if_nametoindex("lo");
	char name[IF_NAMESIZE] = "";
	_cleanup_close_ int fd = -1;
	int first;

	ok(lo > 0, "every network namespace has lo");
	is_int(netdevice_name(&fd, (int)lo, name), 0, "its name");
	is_str(name, "lo", "is lo");
	first = fd;
	is_int(netdevice_name(&fd, INT32_MAX, name), -ENODEV, "no such interface");
	is_str(name, "lo", "nothing was written");
	ok(first >= 0 && fd == first, "the socket was kept");
}

int main(void)
{
	test_name();
	test_match_list();
	test_match_key();
	test_id_path();
	test_id_path_recorded();
	test_each();
	test_features();
	return done();
}
