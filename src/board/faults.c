// SPDX-License-Identifier: GPL-2.0-or-later
// faults.c - the table of kernels that are known to harm a kind of board
#include "board/faults.h"

#include <fnmatch.h>
#include <limits.h>
#include <net/if.h>

#include "board/identity.h"

static const struct fault faults[] = {
	/* armbian/build pull request 6258 */
	{ .name = "stmmac-statistics", .compatible = "allwinner,sun8i-*",
	  .driver = "dwmac-sun8i", .smp = true,
	  .kernels = { { 6, 1, 160, 190 }, { 6, 6, 0, UINT_MAX } },
	  .what = N_("reading the statistics of this interface may hang the board with "
		     "this kernel; use another one") },
};

static bool is_kernel(const struct fault *f, const char *release)
{
	unsigned major, minor, patch = 0;

	if (sscanf(release, "%u.%u.%u", &major, &minor, &patch) < 2)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(f->kernels); i++)
		if (f->kernels[i].major == major && f->kernels[i].minor == minor &&
		    patch >= f->kernels[i].first && patch <= f->kernels[i].last)
			return true;
	return false;
}

static bool is_board(const struct fault *f, const struct identity *id)
{
	for (size_t i = 0; i < id->n_compatible; i++)
		if (fnmatch(f->compatible, id->compatible[i], 0) == 0)
			return true;
	return false;
}

/* The first NIC with this driver. */
static bool find_nic(const struct sysroot *root, const char *driver, char *ret_nic)
{
	char path[SYSROOT_PATH_MAX], real[SYSROOT_PATH_MAX];
	_cleanup_list_ char **names = NULL;

	if (sysroot_list(root, "/sys/class/net", &names) < 0)
		return false;
	for (char **name = names; *name; name++) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/device/driver", *name);
		if (sysroot_realpath(root, path, real) < 0 ||
		    !streq(strrchr(real, '/') + 1, driver))
			continue;
		snprintf(ret_nic, IF_NAMESIZE, "%s", *name);
		return true;
	}
	return false;
}

const struct fault *faults_find(struct system *sys, char *ret_nic)
{
	const struct cpus present = cpus_present(&sys->root);
	struct identity id;

	identity_read(&sys->root, &id);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		const struct fault *f = &faults[i];

		if (is_board(f, &id) && is_kernel(f, id.kernel) &&
		    (!f->smp || cpus_count(&present) > 1) &&
		    find_nic(&sys->root, f->driver, ret_nic))
			return f;
	}
	return NULL;
}
