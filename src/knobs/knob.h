/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * knob.h - what a family of settings supplies to the engine
 *
 * The engine (plan, apply, verify, undo) is written once; a family says which targets a
 * setting has, what a wanted value means there, and how it is read and written.
 */
#ifndef BOARDTUNE_KNOB_H
#define BOARDTUNE_KNOB_H

#include "base/value.h"
#include "kernel/system.h"

/* Words of design section 4; one plain sentence each in outcome_help(). */
enum outcome {
	OUTCOME_OK,
	OUTCOME_CHANGED,
	OUTCOME_ROUNDED,
	OUTCOME_HELD,
	OUTCOME_CLAMPED,
	OUTCOME_FIXED,
	OUTCOME_UNMOVABLE,
	OUTCOME_UNSUPPORTED,
	OUTCOME_MISSING,
	OUTCOME_REFUSED,
	OUTCOME_DIFFERS,
	OUTCOME_OVERRIDDEN,
	OUTCOME_SKIPPED,
	OUTCOME_REVERTED,
	OUTCOME_STUCK,
	OUTCOME_MAX_,
};

/* Structural settings re-create what others live in: two passes. */
enum stage {
	STAGE_NONE,      /* no target: [main], [board], [trial], match keys */
	STAGE_STRUCTURE, /* boost, governor; channels, rings */
	STAGE_SETTING,
};

/* What a setting applies to. */
struct target {
	char *name;     /* as JSON and screens show it: policy4, eth1 */
	char *path;     /* real sysfs directory, the key of the undo record */
	unsigned order; /* numeric order among its kind */
	int ifindex;    /* of a NIC, else 0 */
	unsigned index; /* its place among the lines or queues of one NIC */
	unsigned siblings; /* how many these are; 0 where that means nothing */
	char device[16];   /* of an interrupt: the NIC that it was found for, or "" */
};

struct target_list {
	struct target *targets; /* owned, each with its strings */
	size_t n;
};

/** target_add - append; the strings are copied. 0 or -ENOMEM */
int target_add(struct target_list *list, const char *name, const char *path,
	       unsigned order, int ifindex);
void target_list_clear(struct target_list *list);

/* Which targets a profile section is about. */
struct selector {
	const char *key;   /* as written, for a row that stands for many: [sysctl] */
	const char *label; /* after the colon of the header: "policy4", "wan"; "" */
	const char *const *match_keys;     /* "Name", "Driver", "Path", ... */
	const char *const *match_patterns; /* blank-separated globs, as networkd */
	size_t n_matches;
};

#define KNOB_NOTE_MAX 200

/** knob_note_add - append a sentence to a note, cut where it is full */
void knob_note_add(char note[static KNOB_NOTE_MAX], const char *text);

/* A value of another setting that one depends on. */
struct knob_need {
	const char *key;   /* of the same section, with the same targets: "governor" */
	const char *value; /* as value_format() has it: "ondemand", "on" */
	bool quiet;        /* without it no row: one of several is there at a time */
};

/** knob_meets - whether a value of the other setting is the one */
bool knob_meets(const struct knob_need *need, const struct value *v);

/* What a wanted value comes to on one target. */
struct expectation {
	struct value want;    /* as asked, symbols resolved: hw-max in kHz */
	struct value rounded; /* where the kernel will put it; type NONE: at @want */
	enum outcome outcome; /* OK: nothing known against it; FIXED, UNSUPPORTED, ... */
	int error;            /* negative errno that goes with the outcome, or 0 */
	bool fixed;               /* cannot be changed here, as wanted or not */
	const struct knob_need *unless; /* the driver refuses it then: EBUSY; or NULL */
	char note[KNOB_NOTE_MAX]; /* translated, may be empty */
};

/* Positive answers of get(). */
enum {
	KNOB_READ = 0,
	KNOB_HELD = 1, /* read, but cooling holds it: not what was asked for */
};

struct setting;

typedef int knob_each_fn(struct system *sys, const struct setting *s,
			 const struct selector *sel, struct target_list *list);
typedef int knob_get_fn(struct system *sys, const struct setting *s,
			const struct target *t, struct value *ret);
typedef int knob_set_fn(struct system *sys, const struct setting *s,
			const struct target *t, const struct value *v);
typedef int knob_expect_fn(struct system *sys, const struct setting *s,
			   const struct target *t, const struct value *asked,
			   struct expectation *ret);

/*
 * Why a section has no target here: a translated note of KNOB_NOTE_MAX. 0: what it names
 * is not there. 1: that is, but it has no such setting. Or -ENOMEM.
 */
typedef int knob_absent_fn(struct system *sys, const struct setting *s,
			   const struct selector *sel, char *note);

/* One row of the registry (profile/registry.c). */
struct setting {
	const char *section; /* "cpufreq", "net" */
	const char *key;     /* "max_freq", "tx-tcp-segmentation"; "*": any, [sysctl] */
	enum value_type type;
	enum stage stage;
	int rank;            /* kernel order within a stage: what is written first */
	const char *attr;    /* the family's own: file name or kernel feature name;
				for a group the glob of its members */
	const char *help;    /* N_() text: one line of the manual */

	/* Append the targets that @sel names, in any order. None: 0, the list empty. */
	knob_each_fn *each;
	bool each_once;      /* each() looks at the section only: once for all its keys */
	/* Read what is in force. KNOB_READ, KNOB_HELD or -errno: -ENOENT, -EOPNOTSUPP
	 * not to be had; -EBUSY policy offline; -ENODEV gone. Allocates nothing. */
	knob_get_fn *get;
	/* Write. 0 or -errno of the kernel. Allocates nothing. */
	knob_set_fn *set;
	/* Optional: resolve, predict rounding, know what cannot be. 0; -ERANGE with a
	 * note: the value is an error of the profile (unit slip). NULL: want as asked. */
	knob_expect_fn *expect;
	/* Optional: see knob_absent_fn. NULL: what the match keys say. */
	knob_absent_fn *absent;
	unsigned settle_ms;  /* how long the kernel may take to show a write */
	bool rounds;         /* the driver may take a number near the one wanted */
	bool drops_link;     /* the link may go down for a moment */
	bool group;          /* stands for the settings whose attr matches its own */
	const char *alias;   /* another spelling of the same key, or NULL */
	const struct knob_need *needs; /* what it comes and goes with, or NULL */
};

/* Two rows are about the same thing when their set and attr are: [net:lan] irq.affinity
 * and [irq:usb] affinity, which may mean one interrupt. */
bool setting_same(const struct setting *a, const struct setting *b);

/**
 * knob_cpus - which CPUs are online and present, as they were when first asked
 *
 * Good for one plan: plan_build() forgets them. Allocates nothing.
 */
const struct system_cpus *knob_cpus(struct system *sys);

const char *outcome_name(enum outcome o);
/** outcome_help - one translated sentence: what it means and the next step */
const char *outcome_help(enum outcome o);
bool outcome_success(enum outcome o);
/** outcome_forgiven - whether a leading "-" on the key forgives it */
bool outcome_forgiven(enum outcome o);

/**
 * outcome_from_errno - the outcome of a read or write that failed
 *
 * EBUSY is a policy whose CPUs are all offline (cpufreq.c 6.1, 6.12): missing. Of a NIC
 * it is a refusal: dwmac takes no change while its link is down (6.1). EIO, EPERM and
 * EINVAL of an interrupt's affinity: unmovable (EIO in 6.1, EPERM in 6.12, EINVAL of a
 * chip that refuses).
 */
enum outcome outcome_from_errno(const struct setting *s, int error);

#endif
