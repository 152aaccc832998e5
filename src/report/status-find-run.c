// SPDX-License-Identifier: GPL-2.0-or-later
// status-find-run.c - what the newest saved run tells of the board
#include <math.h>

#include "board/identity.h"
#include "measure/run-file.h"
#include "report/status-find.h"

/* Below such a share of what a board is known for something is wrong with it. */
#define SLOW_SHARE 0.6

/*
 * What owners measured with iperf and iperf3, Mbit/s to (rx) and from (tx) the board; of
 * two figures the lower one.
 */
static const struct {
	const char *compatible, *bus;
	const struct {
		const char *cell;
		double mbps;
	} cells[4];
} known[] = {
	/* NanoPi NEO3, Armbian, RTL8153 on USB 3.0 */
	{ "friendlyarm,nanopi-neo3", "usb",
	  { { "ipv4-rx", 640 }, { "ipv6-rx", 620 }, { "ipv4-tx", 710 },
	    { "ipv6-tx", 720 } } },
	/* the same, its own port; the peer had other work */
	{ "friendlyarm,nanopi-neo3", "platform",
	  { { "ipv4-rx", 640 }, { "ipv6-rx", 650 }, { "ipv4-tx", 940 },
	    { "ipv6-tx", 920 } } },
	/* NanoPi NEO2, 2020, with a busy peer; with a quiet one, 2017, rx had 795, 758 */
	{ "friendlyarm,nanopi-neo2", "platform",
	  { { "ipv4-rx", 615 }, { "ipv6-rx", 620 }, { "ipv4-tx", 890 },
	    { "ipv6-tx", 870 } } },
	/* the same, RTL8153 on USB 2.0: the bus is the limit */
	{ "friendlyarm,nanopi-neo2", "usb", { { "ipv4-rx", 300 }, { "ipv4-tx", 300 } } },
	/* NanoPi NEO, its own port of 100 Mbit/s */
	{ "friendlyarm,nanopi-neo", "platform",
	  { { "ipv4-rx", 94.5 }, { "ipv6-rx", 92.8 }, { "ipv4-tx", 96.5 },
	    { "ipv6-tx", 95.2 } } },
	/* Raspberry Pi Zero W, Wi-Fi at 1 m, median of three */
	{ "raspberrypi,model-zero-w", "sdio",
	  { { "ipv4-rx", 34.2 }, { "ipv6-rx", 37.2 }, { "ipv4-tx", 42.0 },
	    { "ipv6-tx", 33.7 } } },
};

static bool is_compatible(const struct identity *id, const char *compatible)
{
	for (size_t i = 0; i < id->n_compatible; i++)
		if (streq(id->compatible[i], compatible))
			return true;
	return false;
}

int finder_read_run(struct finder *f)
{
	_cleanup_(run_list_clear) struct run_list list = { 0 };
	char error[RUN_DOC_ERROR_MAX];
	struct identity id;
	int r = run_list_read(&f->sys->root, &list);

	if (r < 0 || !list.n)
		return r;
	r = run_doc_read(&f->sys->root, list.entries[0]->path, false, &f->run, error);
	if (r < 0)
		return r == -ENOMEM ? r : 0; /* "boardtune runs" tells */
	identity_read(&f->sys->root, &id);
	f->has_run = streq(f->run.model, id.model);
	return 0;
}

int find_sensor_stuck(struct finder *f)
{
	if (!f->has_run || !run_doc_has_flag(&f->run, "sensor-stuck"))
		return 0;
	return finder_tell(f, f->run.sensor, _("%s did not change during the last run"),
			   f->run.sensor);
}

static const struct status_nic *nic_of(const struct status *st, const char *name)
{
	for (size_t i = 0; i < st->n_nics; i++)
		if (streq(st->nics[i].name, name))
			return &st->nics[i];
	return NULL;
}

/* Streams that were held back by a rate or by the peer tell nothing of the board. */
static bool is_full(const struct run_doc *doc)
{
	return !doc->udp && doc->bitrate == 0 && !run_doc_has_flag(doc, "peer-limited") &&
	       !run_doc_has_flag(doc, "wrong-nic");
}

static int compare(struct finder *f, size_t row)
{
	const struct run_doc *doc = &f->run;
	enum trial_side side = doc->trial && doc->kept ? TRIAL_AFTER : TRIAL_BEFORE;

	for (size_t i = 0; i < ARRAY_SIZE(known[row].cells); i++) {
		const char *name = known[row].cells[i].cell;
		const struct run_doc_cell *cell = name ? run_doc_cell(doc, name) : NULL;
		double mbps = cell ? cell->mbps.side[side] : NAN;

		/* false for one that is not known */
		if (mbps < SLOW_SHARE * known[row].cells[i].mbps)
			return finder_tell(f, doc->nic,
					   _("%s had %.0f Mbit/s by %s in the last run, "
					     "and this board is known for %.0f"),
					   doc->nic, mbps, name,
					   known[row].cells[i].mbps);
	}
	return 0;
}

int find_slow(struct finder *f)
{
	const struct status_nic *nic = f->has_run ? nic_of(f->st, f->run.nic) : NULL;
	struct identity id;

	if (!nic || !is_full(&f->run))
		return 0;
	identity_read(&f->sys->root, &id);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (is_compatible(&id, known[i].compatible) &&
		    streq(nic->bus, known[i].bus))
			return compare(f, i);
	return 0;
}
