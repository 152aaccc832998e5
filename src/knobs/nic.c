// SPDX-License-Identifier: GPL-2.0-or-later
// nic.c - network interfaces and their offload features
#include "knobs/nic.h"

#include <net/if.h>

#include <fcntl.h>
#include <net/if_arp.h>

#include "kernel/netdevice.h"
#include "knobs/nic-match.h"
#include "knobs/nic-path.h"

#define NET_DIR "/sys/class/net"

/* What networkctl(1) shows as TYPE for an interface without a DEVTYPE. */
static const struct {
	unsigned long type; /* ARPHRD_*, /sys/class/net/X/type */
	const char *name;
} hardware_types[] = {
	{ ARPHRD_ETHER, "ether" },
	{ ARPHRD_LOOPBACK, "loopback" },
	{ ARPHRD_NONE, "none" },
	{ ARPHRD_PPP, "ppp" },
	{ ARPHRD_SIT, "sit" },
	{ ARPHRD_TUNNEL, "tunnel" },
	{ ARPHRD_TUNNEL6, "tunnel6" },
	{ ARPHRD_IPGRE, "ipgre" },
	{ 823, "ip6gre" },
	{ ARPHRD_INFINIBAND, "infiniband" },
	{ 280, "can" },
	{ ARPHRD_IEEE80211, "ieee80211" },
	{ 519, "rawip" },
	{ ARPHRD_SLIP, "slip" },
	{ ARPHRD_IEEE1394, "ieee1394" },
	{ ARPHRD_VOID, "void" },
	{ ARPHRD_IEEE80211_RADIOTAP, "ieee80211_radiotap" },
};

static int net_path(char buf[static SYSROOT_PATH_MAX], const char *ifname,
		    const char *attr)
{
	int n = snprintf(buf, SYSROOT_PATH_MAX, NET_DIR "/%s%s%s", ifname,
			 *attr ? "/" : "", attr);

	return n < 0 || n >= SYSROOT_PATH_MAX ? -ENAMETOOLONG : 0;
}

/* The last part of where a link leads. */
static int link_name(const struct sysroot *root, const char *path, char *buf, size_t size)
{
	char link[SYSROOT_PATH_MAX];
	const char *slash;
	int r;

	r = sysroot_readlink(root, path, link, sizeof(link));
	if (r < 0)
		return r;
	slash = strrchr(link, '/');
	if (strlen(slash ? slash + 1 : link) >= size)
		return -ENAMETOOLONG;
	strcpy(buf, slash ? slash + 1 : link);
	return 0;
}

/* The value of a "KEY=" line, up to the end of the line. */
static int line_value(const char *text, const char *key, char *buf, size_t size)
{
	size_t n;

	for (const char *s = text; s; s = strchr(s, '\n')) {
		const char *value;

		s += *s == '\n';
		value = str_after(s, key);
		if (!value)
			continue;
		n = strcspn(value, "\n");
		if (n == 0 || n >= size)
			return -EBADMSG;
		memcpy(buf, value, n);
		buf[n] = '\0';
		return 0;
	}
	return -ENOENT;
}

static void identify_type(const struct sysroot *root, const char *ifname,
			  struct nic_identity *nic)
{
	char path[SYSROOT_PATH_MAX], text[1024];
	unsigned long type;

	if (net_path(path, ifname, "uevent") == 0 &&
	    sysroot_read(root, path, text, sizeof(text)) > 0 &&
	    line_value(text, "DEVTYPE=", nic->type, sizeof(nic->type)) == 0)
		return;
	if (net_path(path, ifname, "type") < 0 ||
	    sysroot_read_ulong(root, path, &type) < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(hardware_types); i++)
		if (hardware_types[i].type == type)
			strcpy(nic->type, hardware_types[i].name);
}

static void identify_path(const struct sysroot *root, const char *device, int ifindex,
			  struct nic_identity *nic)
{
	char path[SYSROOT_PATH_MAX];
	_cleanup_free_ char *text = NULL;

	snprintf(path, sizeof(path), "/run/udev/data/n%d", ifindex);
	if (sysroot_read_all(root, path, &text) > 0 &&
	    line_value(text, "E:ID_PATH=", nic->path, sizeof(nic->path)) == 0)
		return;
	if (nic_id_path(root, device, nic->path, sizeof(nic->path)) < 0)
		nic->path[0] = '\0';
}

static bool asks_for(const struct selector *sel, const char *key)
{
	for (size_t i = 0; i < sel->n_matches; i++)
		if (streq(sel->match_keys[i], key))
			return true;
	return false;
}

/* What the section's match keys look at, and no more: each is a file or several. */
static void identify(const struct sysroot *root, const struct selector *sel,
		     const char *ifname, const char *device, int ifindex,
		     struct nic_identity *ret)
{
	struct nic_identity nic = { 0 };
	char path[SYSROOT_PATH_MAX];

	snprintf(nic.name, sizeof(nic.name), "%s", ifname);
	if (asks_for(sel, "Driver") && net_path(path, ifname, "device/driver") == 0)
		(void)link_name(root, path, nic.driver, sizeof(nic.driver));
	if (asks_for(sel, "MACAddress") && net_path(path, ifname, "address") == 0 &&
	    sysroot_read(root, path, nic.mac, sizeof(nic.mac)) >= 0)
		str_chomp(nic.mac);
	if (asks_for(sel, "Type"))
		identify_type(root, ifname, &nic);
	if (asks_for(sel, "Path"))
		identify_path(root, device, ifindex, &nic);
	if (asks_for(sel, "Bus"))
		(void)nic_bus(root, device, nic.bus, sizeof(nic.bus));
	*ret = nic;
}

/*
 * The index of an interface. Returns -ENODEV for what is none (bonding_masters is a
 * plain file), 0 for one of a recording that does not say.
 */
static int read_ifindex(const struct sysroot *root, const char *ifname)
{
	_cleanup_close_ int fd = -1;
	char path[SYSROOT_PATH_MAX];
	unsigned long ifindex;
	int r;

	r = net_path(path, ifname, "ifindex");
	if (r < 0)
		return r;
	r = sysroot_read_ulong(root, path, &ifindex);
	if (r == 0)
		return ifindex > 0 && ifindex <= INT32_MAX ? (int)ifindex : -EBADMSG;
	r = net_path(path, ifname, "");
	if (r < 0)
		return r;
	fd = sysroot_openat(root, path, O_PATH | O_DIRECTORY, 0);
	return fd < 0 || root->live ? -ENODEV : 0;
}

/*
 * Where an interface is in the tree of devices: one link, "../../devices/...", on all
 * kernels without CONFIG_SYSFS_DEPRECATED; a copy may look otherwise.
 */
static int device_path(const struct sysroot *root, const char *ifname,
		       char ret[static SYSROOT_PATH_MAX])
{
	char path[SYSROOT_PATH_MAX], link[SYSROOT_PATH_MAX];
	const char *below;
	int r = net_path(path, ifname, "");

	if (r < 0)
		return r;
	if (root->live && sysroot_readlink(root, path, link, sizeof(link)) == 0) {
		below = str_after(link, "../../devices/");
		if (below && !strstr(below, "..") &&
		    snprintf(ret, SYSROOT_PATH_MAX, "/sys/devices/%s", below) <
			    SYSROOT_PATH_MAX)
			return 0;
	}
	return sysroot_realpath(root, path, ret);
}

static bool selector_matches(const struct selector *sel, const struct nic_identity *nic)
{
	for (size_t i = 0; i < sel->n_matches; i++)
		if (!nic_match_key(nic, sel->match_keys[i], sel->match_patterns[i]))
			return false;
	return sel->n_matches > 0;
}

int nic_each(struct system *sys, const struct setting *s, const struct selector *sel,
	     struct target_list *list)
{
	_cleanup_list_ char **names = NULL;
	ssize_t n;

	n = sysroot_list(&sys->root, NET_DIR, &names);
	if (n < 0)
		return n == -ENOENT ? 0 : (int)n;
	for (ssize_t i = 0; i < n; i++) {
		char device[SYSROOT_PATH_MAX];
		struct nic_identity nic;
		int ifindex, r;

		ifindex = read_ifindex(&sys->root, names[i]);
		if (ifindex < 0 || device_path(&sys->root, names[i], device) < 0)
			continue; /* none, or gone meanwhile */
		identify(&sys->root, sel, names[i], device, ifindex, &nic);
		if (!selector_matches(sel, &nic))
			continue;
		r = target_add(list, names[i], device,
			       ifindex ? (unsigned)ifindex : (unsigned)i, ifindex);
		if (r < 0)
			return r;
	}
	return 0;
}

int nic_name_now(struct system *sys, const struct target *t,
		 char ret[static IF_NAMESIZE])
{
	int ifindex;

	if (sys->root.live && t->ifindex)
		return netdevice_name(&sys->netdevice_fd, t->ifindex, ret);
	if (strlen(t->name) >= IF_NAMESIZE || strchr(t->name, '/'))
		return -ENODEV;
	ifindex = read_ifindex(&sys->root, t->name);
	if (ifindex < 0 || (t->ifindex && t->ifindex != ifindex))
		return -ENODEV;
	strcpy(ret, t->name);
	return 0;
}

int nic_feature_get(struct system *sys, const struct setting *s, const struct target *t,
		    struct value *ret)
{
	const struct ethtool_feature *f;
	struct ethtool_features features;
	char name[IF_NAMESIZE];
	int r;

	r = nic_name_now(sys, t, name);
	if (r == 0)
		r = ethtool_features_get(&sys->ethtool, name, &features);
	if (r < 0)
		return r;
	f = ethtool_feature_find(&features, s->attr);
	if (!f)
		return -EOPNOTSUPP;
	*ret = value_feature(f->active, f->wanted);
	return KNOB_READ;
}

int nic_feature_set(struct system *sys, const struct setting *s, const struct target *t,
		    const struct value *v)
{
	char name[IF_NAMESIZE];
	int r = nic_name_now(sys, t, name);

	return r < 0 ? r
		     : ethtool_feature_set(&sys->ethtool, name, s->attr,
					   v->feature.requested);
}

int nic_feature_expect(struct system *sys, const struct setting *s,
		       const struct target *t, const struct value *asked,
		       struct expectation *ret)
{
	const struct ethtool_feature *f = NULL;
	struct ethtool_features features;
	char name[IF_NAMESIZE];
	int r;

	*ret = (struct expectation) { .want = *asked, .outcome = OUTCOME_OK };
	r = nic_name_now(sys, t, name);
	if (r == 0)
		r = ethtool_features_get(&sys->ethtool, name, &features);
	if (r == 0) {
		f = ethtool_feature_find(&features, s->attr);
		r = f ? 0 : -EOPNOTSUPP;
		if (!f)
			snprintf(ret->note, sizeof(ret->note),
				 _("this kernel has no feature %.32s"), s->attr);
	}
	if (r < 0) {
		ret->outcome = outcome_from_errno(s, r);
		ret->error = r;
		return 0;
	}
	ret->fixed = ethtool_feature_fixed(f);
	if (ret->fixed && f->active != asked->feature.active) {
		ret->outcome = OUTCOME_FIXED;
		snprintf(ret->note, sizeof(ret->note),
			 f->active ? _("%.32s of %.16s is fixed on")
				   : _("%.32s of %.16s is fixed off"),
			 s->attr, t->name);
	}
	return 0;
}
