/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rivals.h - who else on this machine writes what boardtune writes */
#ifndef BOARDTUNE_RIVALS_H
#define BOARDTUNE_RIVALS_H

#include "kernel/system.h"

/* What a rival writes, by the families of settings. */
enum rival_family {
	RIVAL_CPUFREQ = 1 << 0,
	RIVAL_THERMAL = 1 << 1,
	RIVAL_IRQ = 1 << 2,      /* affinity of interrupts */
	RIVAL_STEERING = 1 << 3, /* RPS, XPS, threaded NAPI */
	RIVAL_OFFLOAD = 1 << 4,  /* ethtool: features, rings, channels, coalescing */
	RIVAL_FLOWTABLE = 1 << 5,
	RIVAL_SYSCTL = 1 << 6,
};

struct rival {
	const char *name;  /* as in its package or manual: "irqbalance" */
	const char *unit;  /* systemd unit, NULL for none */
	const char *init;  /* script in /etc/init.d, NULL */
	const char *comm;  /* process name, NULL */
	unsigned families; /* of enum rival_family */
	const char *what;  /* N_(): what it overwrites, and when */
	const char *end;   /* the exact command that ends it for good; of a file of the
			    * owner what follows once its lines are out, or NULL */
	bool late;         /* writes after boardtune.service at a boot, or may */
	bool activated;    /* D-Bus starts its unit even if that is disabled: mask it */
};

/* Who starts services here, for the command that ends one. */
enum rival_init {
	RIVAL_SYSTEMD,
	RIVAL_PROCD, /* OpenWrt */
	RIVAL_RC,    /* update-rc.d(8) */
};

#define RIVAL_LINES_MAX 8

struct rival_state {
	const struct rival *rival;
	unsigned families; /* what it writes on this machine, of rival->families */
	unsigned ethtool;  /* of RIVAL_OFFLOAD, by rival_ethtool_of(); 0: any of it */
	bool installed, enabled, active;
	enum rival_init init;
	bool mask; /* to disable its unit is not enough */
	bool owned; /* and a unit file of the owner is where the mask would be */
	char detail[160]; /* the file and line, or the value, that shows it; "" */
	char file[128];	  /* of the owner, with the lines that do it; "" for a service */
	unsigned lines[RIVAL_LINES_MAX];
	size_t n_lines;
};

struct rival_list {
	struct rival_state *states;
	size_t n;
};

/**
 * rivals_find - those that are installed here, most troublesome first
 * @ret_bus: 0 systemd has answered; 1 it was not asked: a copied or recorded board, or a
 *	machine without it; -errno why it does not answer
 *
 * Whether one is installed and enabled: unit files, their links and init scripts, as
 * systemctl(1) is-enabled looks. Whether it is active: systemd over its bus (10 s at
 * most), and processes. What the owner has written: files by their content. Below
 * --sysroot and on a recording nothing is active. Returns 0 or -ENOMEM.
 */
int rivals_find(struct system *sys, struct rival_list *ret, int *ret_bus);
void rival_list_clear(struct rival_list *list);
#define _cleanup_rivals_ _cleanup_(rival_list_clear)

/**
 * rivals_writer - who probably wrote a key of a profile: active before enabled
 *
 * Returns NULL if nobody is known to.
 */
const struct rival_state *rivals_writer(const struct rival_list *list,
					const char *section, const char *key);

/** rival_family_of - the family of a key of a profile, 0 for [main] and the like */
unsigned rival_family_of(const char *section, const char *key);

/** rival_ethtool_of - a bit for features, rings, channels, coalescing, pause or EEE */
unsigned rival_ethtool_of(const char *key);

/** rival_writes - whether it writes what a key of a profile sets */
bool rival_writes(const struct rival_state *s, const char *section, const char *key);

/**
 * rival_starts - whether a rival would be started at a boot or by D-Bus, by its links
 * @name: one without a unit or init script never is
 *
 * Returns 1, 0 or -ENOMEM.
 */
int rival_starts(const struct sysroot *root, const char *name);

/** rival_family_name - "cpufreq" for the k-th family, NULL beyond the last */
const char *rival_family_name(unsigned k);

/** rival_works - whether it is enabled or active, so that it writes something */
static inline bool rival_works(const struct rival_state *s)
{
	return s->enabled || s->active;
}

/**
 * rival_end - the exact command that ends it
 *
 * For a file of the owner one that turns its lines into comments, for a unit file of the
 * owner one that puts it aside. Returns @buf.
 */
#define RIVAL_END_MAX 512
const char *rival_end(const struct rival_state *s, char buf[static RIVAL_END_MAX]);

/* What has a unit or an init script started, below the root. */
struct rival_links {
	char **paths; /* links that enable it: of units, their aliases, of init scripts */
	size_t n;
	char unit[SYSROOT_PATH_MAX]; /* the unit's file; "" if it has none */
	bool script;	/* its init script is there */
	bool unit_linked, script_linked;
	bool vendor;	/* linked in a directory of the vendor, too: only a mask helps */
	bool masked;
	bool owned;	/* the unit's file is the owner's: where a mask would be */
};

/**
 * rival_links_find - the links by which a rival with unit or script is enabled
 *
 * In /etc/systemd/system and its .wants and .requires, in /etc/rc?.d and /etc/rc.d.
 * Returns 0 or -ENOMEM.
 */
int rival_links_find(const struct sysroot *root, const struct rival *rival,
		     struct rival_links *ret);
void rival_links_clear(struct rival_links *links);

/**
 * rivals_find_files - append those that are lines in files of the owner
 *
 * .link files, NetworkManager, ifupdown, UCI, rc.local, cron, udev rules, DietPi. A file
 * over 256 KiB or one that is no file is skipped. Returns 0 or -ENOMEM.
 */
int rivals_find_files(const struct sysroot *root, struct rival_list *list);

#endif
