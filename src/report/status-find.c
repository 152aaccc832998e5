// SPDX-License-Identifier: GPL-2.0-or-later
// status-find.c - what to look at on a board, as short sentences
#include "report/status.h"

/* A clock that is meant to go down, and does not while there is little to do. */
#define PINNED_SHARE 0.9
#define IDLE_SHARE 0.8

/* One CPU that takes nearly all of the NICs' interrupts, of so many at least. */
#define ONE_CPU_SHARE 0.95
#define ONE_CPU_COUNT 1000

/* Received packets lost of so many: one in a thousand is worth a look. */
#define LOST_ONE_IN 1000

static int find_zones(struct status *st)
{
	char name[32];
	int r = 0;

	for (size_t i = 0; r == 0 && i < st->n_zones; i++) {
		const struct status_zone *z = &st->zones[i];

		snprintf(name, sizeof(name), "thermal_zone%d", z->number);
		if (!z->usable)
			r = status_add_finding(st, "no-reading", name,
					       _("%s (%s) gives no usable reading: %s"),
					       name, z->type, z->why);
	}
	if (r == 0 && st->zone < 0)
		r = status_add_finding(st, "no-sensor", "",
				       _("no usable temperature sensor: a trial does not "
					 "see heat"));
	return r;
}

static bool is_adaptive(const char *governor)
{
	return *governor && !streq(governor, "performance") &&
	       !streq(governor, "userspace");
}

static int find_clock(struct status *st, const struct status_clock *c)
{
	char name[32];
	int r = 0;

	snprintf(name, sizeof(name), "policy%u", c->number);
	if (c->held)
		r = status_add_finding(st, "held", name,
				       _("cooling holds %s at %u MHz of %u MHz"), name,
				       c->max_khz / 1000, c->hw_max_khz / 1000);
	/* Firmware may cap a clock without telling; one of 2 % is rounding. */
	if (r == 0 && c->khz && c->min_khz && c->max_khz &&
	    (c->khz < c->min_khz / 100 * 98 || c->khz > c->max_khz / 100 * 102))
		r = status_add_finding(st, "out-of-range", name,
				       _("%s runs at %u MHz, outside its limits of %u to "
					 "%u MHz"),
				       name, c->khz / 1000, c->min_khz / 1000,
				       c->max_khz / 1000);
	if (r == 0 && is_adaptive(c->governor) && c->min_khz < c->max_khz &&
	    c->at_max > PINNED_SHARE && st->idle > IDLE_SHARE)
		r = status_add_finding(
			st, "pinned", name,
			_("%s was at its maximum of %u MHz for %.0f %% of "
			  "the time, and the CPUs idle for %.0f %%: %s does "
			  "not lower it"),
			name, c->max_khz / 1000, 100 * c->at_max, 100 * st->idle,
			c->governor);
	return r;
}

/* The CPU that takes most of what the NICs' interrupts count; its share. */
static double busiest_cpu(const struct status *st, unsigned *ret_cpu, uint64_t *ret_sum,
			  unsigned *ret_lines)
{
	uint64_t best = 0;

	*ret_sum = 0;
	*ret_lines = 0;
	for (size_t i = 0; i < st->n_irqs; i++)
		if (st->irqs[i].nics) {
			*ret_sum += st->irqs[i].count;
			*ret_lines += st->irqs[i].count > 0;
		}
	for (unsigned cpu = 0; cpu < st->table.n_cpus; cpu++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < st->n_irqs; i++)
			if (st->irqs[i].nics && st->irqs[i].line->counts)
				sum += st->irqs[i].line->counts[cpu];
		if (sum > best) {
			best = sum;
			*ret_cpu = cpu;
		}
	}
	return *ret_sum ? (double)best / (double)*ret_sum : 0;
}

/* Whether a NIC's interrupt is taken elsewhere by now: the counts are older than that. */
static bool moved_from(const struct status *st, unsigned cpu)
{
	for (size_t i = 0; i < st->n_irqs; i++) {
		const struct status_irq *irq = &st->irqs[i];
		bool known = irq->has_effective && !cpus_empty(&irq->effective);
		const struct cpus *now = known ? &irq->effective : &irq->affinity;

		if (irq->nics && irq->count && irq->has_affinity && !cpus_test(now, cpu))
			return true;
	}
	return false;
}

static int find_irqs(struct system *sys, struct status *st)
{
	const struct cpus online = cpus_online(&sys->root);
	unsigned cpu = 0, lines;
	uint64_t sum;
	double share = busiest_cpu(st, &cpu, &sum, &lines);
	int r = 0;

	if (cpus_count(&online) > 1 && lines > 1 && sum >= ONE_CPU_COUNT &&
	    share > ONE_CPU_SHARE && !moved_from(st, cpu))
		r = status_add_finding(st, "one-cpu", "",
				       _("CPU %u takes %.0f %% of the interrupts of all "
					 "NICs; see irq.affinity"),
				       cpu, 100 * share);
	if (r == 0 && sysroot_exists(&sys->root, "/run/irqbalance"))
		r = status_add_finding(
			st, "irqbalance", "",
			_("irqbalance runs: it moves interrupts every 10 s"));
	return r;
}

static int find_nic(struct status *st, const struct status_nic *nic)
{
	uint64_t lost = nic->rx_dropped + nic->rx_missed;
	int r = 0;

	if (nic->usb_speed && nic->speed > nic->usb_speed)
		r = status_add_finding(st, "slow-usb", nic->name,
				       _("%s sits on USB at %u Mbit/s, its link has %u: "
					 "try another port or cable"),
				       nic->name, nic->usb_speed, nic->speed);
	if (r == 0 && streq(nic->duplex, "half"))
		r = status_add_finding(st, "half-duplex", nic->name,
				       _("%s has a half-duplex link"), nic->name);
	if (r == 0 && nic->physical && lost && lost >= nic->rx_packets / LOST_ONE_IN)
		r = status_add_finding(st, "drops", nic->name,
				       _("%s lost %llu of the packets that it received "
					 "(%llu)"),
				       nic->name, (unsigned long long)lost,
				       (unsigned long long)nic->rx_packets);
	return r;
}

/* The second column of softnet_stat, one row for each CPU that is online, in hex. */
static int find_backlog(struct system *sys, struct status *st)
{
	_cleanup_free_ char *text = NULL;
	unsigned dropped;
	unsigned long long sum = 0;

	if (sysroot_read_all(&sys->root, "/proc/net/softnet_stat", &text) < 0)
		return 0;
	for (char *s = text; *s; s += strcspn(s, "\n"), s += *s == '\n')
		if (sscanf(s, "%*x %x", &dropped) == 1)
			sum += dropped;
	if (!sum)
		return 0;
	return status_add_finding(st, "backlog", "",
				  _("%llu packets dropped by a CPU that had too many "
				    "waiting; see net.core.netdev_max_backlog"),
				  sum);
}

int status_find(struct system *sys, struct status *st)
{
	int r = find_zones(st);

	for (size_t i = 0; r == 0 && i < st->n_clocks; i++)
		r = find_clock(st, &st->clocks[i]);
	if (r == 0)
		r = find_irqs(sys, st);
	for (size_t i = 0; r == 0 && i < st->n_nics; i++)
		r = find_nic(st, &st->nics[i]);
	return r < 0 ? r : find_backlog(sys, st);
}
