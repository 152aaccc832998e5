// SPDX-License-Identifier: GPL-2.0-or-later
// nics.c - NIC features of a recorded board, with the kernel's dependencies; saving
#include "board/nics.h"

#include <fcntl.h>
#include <sys/stat.h>

#define NEEDS_MAX 3

/*
 * netdev_fix_features(), net/core/dev.c (6.12), in its order. A feature is dropped when
 * none of those it needs is on, or when one that excludes it is. Two rows of one
 * feature must both hold.
 */
static const struct dependency {
	const char *feature;
	const char *needs[NEEDS_MAX];
	const char *excluded_by;
} dependencies[] = {
	{ "tx-checksum-ipv4", { 0 }, "tx-checksum-ip-generic" },
	{ "tx-checksum-ipv6", { 0 }, "tx-checksum-ip-generic" },
	{ "tx-tcp-segmentation", { "tx-scatter-gather" }, NULL },
	{ "tx-tcp6-segmentation", { "tx-scatter-gather" }, NULL },
	{ "tx-tcp-ecn-segmentation", { "tx-scatter-gather" }, NULL },
	{ "tx-tcp-mangleid-segmentation", { "tx-scatter-gather" }, NULL },
	{ "tx-tcp-accecn-segmentation", { "tx-scatter-gather" }, NULL },
	{ "tx-tcp-segmentation", { "tx-checksum-ip-generic", "tx-checksum-ipv4" }, NULL },
	{ "tx-tcp-ecn-segmentation",
	  { "tx-checksum-ip-generic", "tx-checksum-ipv4" },
	  NULL },
	{ "tx-tcp6-segmentation",
	  { "tx-checksum-ip-generic", "tx-checksum-ipv6" },
	  NULL },
	{ "tx-tcp-mangleid-segmentation", { "tx-tcp-segmentation" }, NULL },
	{ "tx-tcp-ecn-segmentation",
	  { "tx-tcp-segmentation", "tx-tcp6-segmentation",
	    "tx-tcp-mangleid-segmentation" },
	  NULL },
	{ "tx-generic-segmentation", { "tx-scatter-gather" }, NULL },
	{ "tx-udp-segmentation", { "tx-checksum-ip-generic", "tx-checksum-ipv4" }, NULL },
	{ "tx-udp-segmentation", { "tx-checksum-ip-generic", "tx-checksum-ipv6" }, NULL },
	{ "rx-gro-hw", { "rx-checksum" }, NULL },
	{ "rx-lro", { 0 }, "rx-fcs" },
	{ "rx-gro-hw", { 0 }, "rx-fcs" },
	{ "rx-lro", { 0 }, "rx-gro-hw" },
	{ "tls-hw-tx-offload", { "tx-checksum-ip-generic", "tx-checksum-ipv4" }, NULL },
	{ "tls-hw-tx-offload", { "tx-checksum-ip-generic", "tx-checksum-ipv6" }, NULL },
	{ "tls-hw-rx-offload", { "rx-checksum" }, NULL },
};

static ssize_t find_feature(const struct nics *nics, const char *ifname, const char *name)
{
	for (size_t i = 0; i < nics->record->n_nics; i++) {
		const struct record_nic *nic = &nics->record->nics[i];

		if (nic->kind == NIC_FEATURE && streq(nic->ifname, ifname) &&
		    streq(nic->name, name))
			return (ssize_t)i;
	}
	return -1;
}

/* What is not recorded does not count: a kernel always gives all features. */
static bool is_dropped(const struct nics *nics, const char *ifname,
		       const struct dependency *d, const bool *features)
{
	bool needed = false;
	ssize_t k;

	for (size_t i = 0; i < NEEDS_MAX && d->needs[i]; i++) {
		k = find_feature(nics, ifname, d->needs[i]);
		if (k >= 0 && features[k])
			return false;
		needed |= k >= 0;
	}
	if (!d->excluded_by)
		return needed;
	k = find_feature(nics, ifname, d->excluded_by);
	return k >= 0 && features[k];
}

/* The features that wanted and fixed ones come to; forced ones are not asked. */
static void compute_features(const struct nics *nics, const char *ifname, bool *features)
{
	for (size_t i = 0; i < nics->record->n_nics; i++)
		features[i] = nics->record->nics[i].fixed ? nics->states[i].active
							  : nics->states[i].wanted;
	for (size_t i = 0; i < nics->record->n_nics; i++)
		if (nics->states[i].forced)
			features[i] = nics->states[i].active;
	for (size_t i = 0; i < ARRAY_SIZE(dependencies); i++) {
		const struct dependency *d = &dependencies[i];
		ssize_t k = find_feature(nics, ifname, d->feature);

		if (k >= 0 && features[k] && !nics->states[k].forced &&
		    is_dropped(nics, ifname, d, features))
			features[k] = false;
	}
}

/* A recorded state that the dependencies do not explain is the driver's doing. */
static void find_forced(struct nics *nics, const bool *recorded)
{
	for (size_t i = 0; i < nics->record->n_nics; i++) {
		const struct record_nic *nic = &nics->record->nics[i];
		struct nics_state *state = &nics->states[i];
		bool on = nic->fixed ? state->active : state->wanted;

		for (size_t k = 0; on && k < ARRAY_SIZE(dependencies); k++)
			on = !streq(dependencies[k].feature, nic->name) ||
			     !is_dropped(nics, nic->ifname, &dependencies[k], recorded);
		state->forced = nic->kind == NIC_FEATURE && on != state->active;
	}
}

/* A number or flag as the line says it. */
static uint32_t recorded_value(const struct record_nic *nic)
{
	return nic->param && !nic->param->flag ? nic->value : nic->on;
}

int nics_open(struct nics *nics, const struct record *record, struct rules *rules,
	      struct record_log *log, bool persistent)
{
	_cleanup_free_ bool *recorded = calloc(record->n_nics + 1, sizeof(*recorded));

	*nics = (struct nics){
		.record = record, .rules = rules, .log = log, .persistent = persistent
	};
	nics->states = calloc(record->n_nics + 1, sizeof(*nics->states));
	if (!nics->states || !recorded)
		return -ENOMEM;
	/* register_netdevice() wants what is on and can be changed. */
	for (size_t i = 0; i < record->n_nics; i++) {
		const struct record_nic *nic = &record->nics[i];

		recorded[i] = nics->states[i].active = nic->on;
		nics->states[i].value = recorded_value(nic);
		nics->states[i].wanted = nic->has_requested ? nic->requested
							    : nic->on && !nic->fixed;
	}
	find_forced(nics, recorded);
	return 0;
}

void nics_close(struct nics *nics)
{
	free(nics->states);
	*nics = (struct nics){ 0 };
}

int nics_check(const struct nics *nics, const char *ifname, enum record_nic_kind kind)
{
	struct sysroot board = nics->rules->raw;
	char path[SYSROOT_PATH_MAX];

	board.hooks = &rules_hooks;
	board.hooks_ctx = nics->rules;
	if (snprintf(path, sizeof(path), "/sys/class/net/%s", ifname) >=
		    (int)sizeof(path) ||
	    strchr(ifname, '/') || !sysroot_exists(&board, path))
		return -ENODEV;
	for (size_t i = 0; i < nics->record->n_nics; i++)
		if (nics->record->nics[i].kind == kind &&
		    streq(nics->record->nics[i].ifname, ifname))
			return 0;
	return -EOPNOTSUPP;
}

static int features_get(void *ctx, const char *ifname, struct ethtool_features *ret)
{
	const struct nics *nics = ctx;
	size_t n = 0;
	int r = nics_check(nics, ifname, NIC_FEATURE);

	if (r < 0)
		return r;
	for (size_t i = 0; i < nics->record->n_nics; i++) {
		const struct record_nic *nic = &nics->record->nics[i];
		struct ethtool_feature *feature = &ret->feature[n];

		if (nic->kind != NIC_FEATURE || !streq(nic->ifname, ifname))
			continue;
		*feature = (struct ethtool_feature){
			.hw = !nic->fixed,
			.wanted = nics->states[i].wanted,
			.active = nics->states[i].active,
		};
		strcpy(feature->name, nic->name);
		n++; /* the parser takes at most ETHTOOL_FEATURES_MAX of a NIC */
	}
	ret->n = n;
	return 0;
}

static const char *on_off(bool on)
{
	return on ? "on" : "off";
}

/* The value alone: what is behind it, a maximum, stays. */
static void print_param(const struct record_nic *nic, FILE *f, uint32_t value,
			const char *text, const struct record_line *line)
{
	size_t start = nic->value_start - line->start;
	size_t end = start + strcspn(text + start, " \t\r\n");

	fwrite(text, 1, start, f);
	if (nic->param->flag)
		fputs(on_off(value), f);
	else
		fprintf(f, "%u", value);
	fwrite(text + end, 1, line->length - end, f);
}

void nics_print_line(const struct nics *nics, FILE *f, const struct record_line *line)
{
	const struct record_nic *nic = &nics->record->nics[line->index];
	const struct nics_state *state = &nics->states[line->index];
	const char *text = nics->record->text + line->start;
	bool wanted = nic->has_requested ? nic->requested : nic->on && !nic->fixed;

	if (nic->param ? state->value == recorded_value(nic)
		       : state->active == nic->on && state->wanted == wanted) {
		fwrite(text, 1, line->length, f);
		return;
	}
	if (nic->param) {
		print_param(nic, f, state->value, text, line);
		return;
	}
	fwrite(text, 1, nic->value_start - line->start, f);
	fputs(on_off(state->active), f);
	if (nic->fixed)
		fputs(" [fixed]", f);
	if (nic->fixed ? nic->has_requested : state->wanted != state->active)
		fprintf(f, " [requested %s]", on_off(state->wanted));
	if (text[line->length - 1] == '\n')
		fputc('\n', f);
}

int nics_save(const struct nics *nics)
{
	const struct record *record = nics->record;
	_cleanup_free_ char *text = NULL;
	char real[SYSROOT_PATH_MAX];
	struct stat st;
	size_t size;
	FILE *f;
	int r = sysroot_realpath(&nics->rules->raw, "/.board", real);

	if (r < 0)
		return r;
	if (fstatat(nics->rules->raw.fd, real + 1, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	f = open_memstream(&text, &size);
	if (!f)
		return -ENOMEM;
	for (size_t i = 0; i < record->n_lines; i++) {
		const struct record_line *line = &record->lines[i];

		if (line->kind == RECORD_NIC)
			nics_print_line(nics, f, line);
		else
			fwrite(record->text + line->start, 1, line->length, f);
	}
	if (fclose(f) != 0)
		return -ENOMEM;
	return sysroot_replace(&nics->rules->raw, real, text, size, st.st_mode & 07777);
}

/* __netdev_update_features(): what one wanted bit makes of all features. */
static int change_feature(struct nics *nics, const char *ifname, size_t index, bool on)
{
	size_t n = nics->record->n_nics;
	_cleanup_free_ bool *features = calloc(n, sizeof(*features));
	_cleanup_free_ struct nics_state *before = calloc(n, sizeof(*before));
	int r;

	if (!features || !before)
		return -ENOMEM;
	memcpy(before, nics->states, n * sizeof(*before));
	nics->states[index].wanted = on;
	compute_features(nics, ifname, features);
	for (size_t i = 0; i < n; i++)
		if (nics->record->nics[i].kind == NIC_FEATURE &&
		    streq(nics->record->nics[i].ifname, ifname))
			nics->states[i].active = features[i];
	if (!nics->persistent || memcmp(before, nics->states, n * sizeof(*before)) == 0)
		return 0;
	r = nics_save(nics);
	if (r < 0)
		memcpy(nics->states, before, n * sizeof(*before));
	return r;
}

/* A fixed feature is acknowledged and stays as it is (ethnl_set_features, 6.1). */
static int set_feature(struct nics *nics, const char *ifname, const char *feature,
		       bool on)
{
	ssize_t index;
	int r = nics_check(nics, ifname, NIC_FEATURE);

	if (r < 0)
		return r;
	index = find_feature(nics, ifname, feature);
	if (index < 0)
		return -EOPNOTSUPP;
	r = rules_ethtool_error(nics->rules, ifname, "feature", feature);
	if (r < 0 || nics->record->nics[index].fixed)
		return r;
	return change_feature(nics, ifname, (size_t)index, on);
}

static int feature_set(void *ctx, const char *ifname, const char *feature, bool on)
{
	struct nics *nics = ctx;
	_cleanup_free_ char *what = str_format("@ethtool %s feature %s", ifname, feature);
	int r, logged;

	if (!what)
		return -ENOMEM;
	r = set_feature(nics, ifname, feature, on);
	logged = record_log_add(nics->log, what, on_off(on), r);
	return r < 0 ? r : logged;
}

static void close_nothing(void *ctx)
{
}

const struct ethtool_ops nics_ops = {
	.param_get = nics_param_get,
	.param_set = nics_param_set,
	.features_get = features_get,
	.feature_set = feature_set,
	.close = close_nothing,
};
