// SPDX-License-Identifier: GPL-2.0-or-later
// import-armbian.c - what Armbian's script sets that stands in none of its files
#include "profile/import-private.h"

#include <fnmatch.h>

#define NET(cpu, rest) "[net:armbian]\nName = eth0\n-irq.affinity = " cpu "\n" rest "\n"
#define IRQ(label, glob, cpu) "[irq:" label "]\nName = " glob "\n-affinity = " cpu "\n\n"

/*
 * armbian/build, packages/bsp/common/usr/lib/armbian/armbian-hardware-optimization: its
 * interrupts of NICs and USB, RPS and flow counts; not GPUs, MMC and disks. Masks as CPU
 * lists.
 */
static const struct {
	const char *family, *name; /* globs of BOARDFAMILY and BOARD_NAME */
	const char *sections;
} boards[] = {
#define ROCKCHIP                                                                         \
	NET("3", "rps_cpus = 0-2\nrps_flow_cnt = 32768\n")                               \
	IRQ("xhci", "*xhci*", "2")                                                       \
	IRQ("ehci", "*ehci*", "1")                                                       \
	IRQ("ohci", "*ohci*", "1")                                                       \
	"[sysctl]\nnet.core.rps_sock_flow_entries = 32768\n"
	{ "rockchip64", "*", ROCKCHIP },
	{ "rk3399", "*", IRQ("pcie", "*[Pp][Cc][Ii][Ee]*", "4") ROCKCHIP },
#undef ROCKCHIP
#define ALLWINNER                                                                        \
	IRQ("usb1", "*usb1*", "1")                                                       \
	IRQ("usb2", "*usb2*", "2") NET("3", "rps_cpus = 0-2\n")
	{ "sun50i*", "*", ALLWINNER },
	{ "sunxi64*", "*", ALLWINNER },
#undef ALLWINNER
	{ "sun8i*", "Orange Pi R1", IRQ("usb", "*hcd:usb*", "2") NET("3", "") },
	{ "sun8i*", "ZeroPi", IRQ("usb", "*hcd:usb*", "2") NET("3", "") },
	{ "mvebu*", "*", "[net:armbian]\nDriver = mvneta\n-irq.affinity = 1\n" },
};

const char *import_armbian_sections(const struct import_board *board)
{
	for (size_t i = 0; *board->family && i < ARRAY_SIZE(boards); i++)
		if (fnmatch(boards[i].family, board->family, 0) == 0 &&
		    fnmatch(boards[i].name, board->name, 0) == 0)
			return boards[i].sections;
	return NULL;
}

const char *import_armbian_tunables(void)
{
	return "ondemand.io_is_busy = 1\n"
	       "ondemand.up_threshold = 25\n"
	       "ondemand.sampling_down_factor = 10\n"
	       "ondemand.sampling_rate = 200000\n";
}
