// SPDX-License-Identifier: GPL-2.0-or-later
// caps.c - give up capabilities that are not needed any more (capabilities(7))
#include "kernel/caps.h"

#include <linux/capability.h>
#include <sys/syscall.h>

int caps_keep(const unsigned *keep, size_t n)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	uint32_t mask[_LINUX_CAPABILITY_U32S_3] = {};

	for (size_t i = 0; i < n; i++)
		mask[keep[i] / 32] |= UINT32_C(1) << keep[i] % 32;
	if (syscall(SYS_capget, &header, data) < 0)
		return -errno;
	for (size_t i = 0; i < ARRAY_SIZE(data); i++) {
		data[i].permitted &= mask[i];
		data[i].effective &= mask[i];
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}
