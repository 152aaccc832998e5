// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * simboard.c - a kernel module: simulated clocks and thermal zone of a small board
 *
 * Registers a real cpufreq driver (target_index and a frequency table, so that every
 * governor, frequency QoS and the statistics work), a cooling device for each policy
 * (frequency QoS, as drivers/thermal/cpufreq_cooling.c, which needs a device tree), a fan
 * if asked for, and a thermal zone whose temperature follows a first-order model of the
 * real load and clock:
 *
 *	dT/dt = (ambient + Rth * P - T) / tau
 *
 * Everything is steered through /sys/module/simboard/parameters, see ../../README.md.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpufreq.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/pm_qos.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/thermal.h>
#include <linux/workqueue.h>

#define MAX_CLUSTERS	4
#define MAX_OPPS	16
#define NTRIPS		3	/* passive, passive, critical; then perhaps: */
#define TRIP_FAN	3
#define FAN_STATES	3

static int clusters[MAX_CLUSTERS] = { 4 };
static int nclusters = 1;
module_param_array(clusters, int, &nclusters, 0444);
MODULE_PARM_DESC(clusters, "CPUs per policy, e.g. 4 or 4,2");

static unsigned int table0[MAX_OPPS] = {
	408000, 600000, 816000, 1008000, 1200000, 1296000, 1512000 };
static int ntable0 = 7;
module_param_array(table0, uint, &ntable0, 0444);
static unsigned int table1[MAX_OPPS] = {
	408000, 600000, 816000, 1008000, 1200000, 1416000, 1608000, 1800000 };
static int ntable1 = 8;
module_param_array(table1, uint, &ntable1, 0444);
MODULE_PARM_DESC(table1, "OPPs (kHz) of every policy but the first");

static bool gov_per_policy = true;
module_param(gov_per_policy, bool, 0444);
static char *zone_type = "soc-thermal";
module_param(zone_type, charp, 0444);
static bool ro_trips;
module_param(ro_trips, bool, 0444);
MODULE_PARM_DESC(ro_trips, "trip files are 0444, as on stock ARM kernels");
static bool fan;
module_param(fan, bool, 0444);
MODULE_PARM_DESC(fan, "a fan and an active trip: each state takes 15 % off rth");
static unsigned int boost_khz;
module_param(boost_khz, uint, 0444);
MODULE_PARM_DESC(boost_khz, "one more operating point of every policy, as boost");
static bool gpu_zone = true;
module_param(gpu_zone, bool, 0444);
MODULE_PARM_DESC(gpu_zone, "add a second zone without trip points");
static int passive_delay_ms = 100, polling_delay_ms = 1000;
module_param(passive_delay_ms, int, 0444);
module_param(polling_delay_ms, int, 0444);

static int ambient = 25000;		/* mC */
module_param(ambient, int, 0644);
static int rth = 20000;			/* mC per W: 20000 bare, 6000 heatsink */
module_param(rth, int, 0644);
static int tau_ms = 20000;
module_param(tau_ms, int, 0644);
static int timescale = 1;		/* model seconds per real second */
module_param(timescale, int, 0644);
static int pcpu_mw = 900;		/* one CPU, 100 % load, highest OPP */
module_param(pcpu_mw, int, 0644);
static int pstatic_mw = 400;
module_param(pstatic_mw, int, 0644);
static int load = -1;			/* -1: real load; 0..100: this load */
module_param(load, int, 0644);
/* +- mC of sensor noise: step_wise lets go on falling readings only */
static int noise = 150;
module_param(noise, int, 0644);
static bool hold;			/* freeze the model */
module_param(hold, bool, 0644);
static int step_ms = 100;
module_param(step_ms, int, 0644);
static unsigned int hw_cap_khz;		/* the "hardware" silently stays below */
module_param(hw_cap_khz, uint, 0644);
static int not_ready;			/* so many readings are -EAGAIN; -1: all */
module_param(not_ready, int, 0644);
static int gpu_not_ready;
module_param(gpu_not_ready, int, 0644);

struct cluster {
	int first, count, nopp;
	struct cpufreq_frequency_table table[MAX_OPPS + 1];
	unsigned int hw_khz;		/* what the "PLL" runs at */
	/* cooling */
	struct freq_qos_request qos;
	bool have_qos;
	unsigned long state;
	struct thermal_cooling_device *cdev;
	char name[THERMAL_NAME_LENGTH];
};

static struct cluster cl[MAX_CLUSTERS];
static struct thermal_zone_device *tz, *tz_gpu;
static struct thermal_cooling_device *fan_cdev;
static unsigned long fan_state;
static int ntrips = NTRIPS;
static struct thermal_trip trips[NTRIPS + 1] = {
	{ .temperature = 70000, .hysteresis = 2000, .type = THERMAL_TRIP_PASSIVE },
	{ .temperature = 85000, .hysteresis = 2000, .type = THERMAL_TRIP_PASSIVE },
	{ .temperature = 95000, .hysteresis = 2000, .type = THERMAL_TRIP_CRITICAL },
	{ .temperature = 55000, .hysteresis = 2000, .type = THERMAL_TRIP_ACTIVE },
};
static DEFINE_MUTEX(model_lock);
static s64 temp_uc;			/* micro-degrees C */
static int power_now_mw;
static ktime_t last;
static u64 last_idle[NR_CPUS], last_wall[NR_CPUS];
static struct delayed_work model_work;

/* Cpufreq driver */

static struct cluster *cluster_of(int cpu)
{
	int i;

	for (i = 0; i < nclusters; i++)
		if (cpu >= cl[i].first && cpu < cl[i].first + cl[i].count)
			return &cl[i];
	return NULL;
}

static int sb_target_index(struct cpufreq_policy *policy, unsigned int index)
{
	struct cluster *c = policy->driver_data;
	unsigned int khz = policy->freq_table[index].frequency;

	if (hw_cap_khz && khz > hw_cap_khz)
		khz = hw_cap_khz;
	WRITE_ONCE(c->hw_khz, khz);
	return 0;
}

static unsigned int sb_get(unsigned int cpu)
{
	struct cluster *c = cluster_of(cpu);

	return c ? READ_ONCE(c->hw_khz) : 0;
}

static int sb_init(struct cpufreq_policy *policy)
{
	struct cluster *c = cluster_of(policy->cpu);
	int cpu;

	if (!c)
		return -ENODEV;
	for (cpu = c->first; cpu < c->first + c->count; cpu++)
		if (cpu_possible(cpu))
			cpumask_set_cpu(cpu, policy->cpus);
	policy->driver_data = c;
	policy->freq_table = c->table;
	policy->cpuinfo.transition_latency = 40000;
	policy->dvfs_possible_from_any_cpu = true;
	return 0;
}

static int sb_exit(struct cpufreq_policy *policy)
{
	return 0;
}

/* As cpufreq-dt: the second one only where there is a boost. */
static struct freq_attr *sb_attr[] = {
	&cpufreq_freq_attr_scaling_available_freqs, NULL, NULL,
};

static struct cpufreq_driver sb_driver = {
	.name		= "simboard",
	.flags		= CPUFREQ_NEED_INITIAL_FREQ_CHECK,
	.init		= sb_init,
	.exit		= sb_exit,
	.verify		= cpufreq_generic_frequency_table_verify,
	.target_index	= sb_target_index,
	.get		= sb_get,
	.attr		= sb_attr,
};

/* Cooling device: caps the policy through freq QoS */

static int cd_max(struct thermal_cooling_device *cdev, unsigned long *s)
{
	*s = ((struct cluster *)cdev->devdata)->nopp - 1;
	return 0;
}

static int cd_get(struct thermal_cooling_device *cdev, unsigned long *s)
{
	*s = ((struct cluster *)cdev->devdata)->state;
	return 0;
}

static int cd_set(struct thermal_cooling_device *cdev, unsigned long s)
{
	struct cluster *c = cdev->devdata;
	int r;

	if (s > c->nopp - 1)
		return -EINVAL;
	if (c->state == s)
		return 0;
	r = freq_qos_update_request(&c->qos, c->table[c->nopp - 1 - s].frequency);
	if (r < 0)
		return r;
	c->state = s;
	return 0;
}

static const struct thermal_cooling_device_ops cd_ops = {
	.get_max_state = cd_max, .get_cur_state = cd_get, .set_cur_state = cd_set,
};

static int fan_max(struct thermal_cooling_device *cdev, unsigned long *s)
{
	*s = FAN_STATES;
	return 0;
}

static int fan_get(struct thermal_cooling_device *cdev, unsigned long *s)
{
	*s = fan_state;
	return 0;
}

static int fan_set(struct thermal_cooling_device *cdev, unsigned long s)
{
	if (s > FAN_STATES)
		return -EINVAL;
	fan_state = s;
	return 0;
}

static const struct thermal_cooling_device_ops fan_ops = {
	.get_max_state = fan_max, .get_cur_state = fan_get, .set_cur_state = fan_set,
};

/* As drivers whose first conversion is not done: the core makes ENODATA of it. */
static bool count_not_ready(int *left)
{
	if (!*left)
		return false;
	if (*left > 0)
		--*left;
	return true;
}

static int read_model(int *t)
{
	mutex_lock(&model_lock);
	*t = (int)div_s64(temp_uc, 1000);
	mutex_unlock(&model_lock);
	if (noise > 0)
		*t += (int)(get_random_u32() % (2 * noise + 1)) - noise;
	return 0;
}

static int tz_get_temp(struct thermal_zone_device *z, int *t)
{
	return count_not_ready(&not_ready) ? -EAGAIN : read_model(t);
}

static int gpu_get_temp(struct thermal_zone_device *z, int *t)
{
	return count_not_ready(&gpu_not_ready) ? -EAGAIN : read_model(t);
}

static int bind_trip(struct thermal_zone_device *z, int trip,
		     struct thermal_cooling_device *cdev)
{
	return thermal_zone_bind_cooling_device(z, trip, cdev, THERMAL_NO_LIMIT,
						THERMAL_NO_LIMIT, THERMAL_WEIGHT_DEFAULT);
}

static int tz_bind(struct thermal_zone_device *z, struct thermal_cooling_device *cdev)
{
	int r;

	if (fan && cdev->ops == &fan_ops)
		return bind_trip(z, TRIP_FAN, cdev);
	if (cdev->ops != &cd_ops)
		return 0;
	r = bind_trip(z, 0, cdev);
	return r ? r : bind_trip(z, 1, cdev);
}

static int tz_unbind(struct thermal_zone_device *z, struct thermal_cooling_device *cdev)
{
	if (fan && cdev->ops == &fan_ops)
		return thermal_zone_unbind_cooling_device(z, TRIP_FAN, cdev);
	if (cdev->ops != &cd_ops)
		return 0;
	thermal_zone_unbind_cooling_device(z, 0, cdev);
	return thermal_zone_unbind_cooling_device(z, 1, cdev);
}

static int tz_trip_type(struct thermal_zone_device *z, int i, enum thermal_trip_type *t)
{
	*t = trips[i].type;
	return 0;
}

static int tz_trip_temp(struct thermal_zone_device *z, int i, int *t)
{
	*t = trips[i].temperature;
	return 0;
}

static int tz_set_trip_temp(struct thermal_zone_device *z, int i, int t)
{
	trips[i].temperature = t;
	return 0;
}

static int tz_trip_hyst(struct thermal_zone_device *z, int i, int *t)
{
	*t = trips[i].hysteresis;
	return 0;
}

static int tz_set_trip_hyst(struct thermal_zone_device *z, int i, int t)
{
	trips[i].hysteresis = t;
	return 0;
}

static int tz_crit(struct thermal_zone_device *z, int *t)
{
	*t = trips[2].temperature;
	return 0;
}

static struct thermal_zone_device_ops tz_ops = {
	.get_temp = tz_get_temp, .bind = tz_bind, .unbind = tz_unbind,
	.get_trip_type = tz_trip_type,
	.get_trip_temp = tz_trip_temp, .set_trip_temp = tz_set_trip_temp,
	.get_trip_hyst = tz_trip_hyst, .set_trip_hyst = tz_set_trip_hyst,
	.get_crit_temp = tz_crit,
};

static struct thermal_zone_device_ops gpu_ops = { .get_temp = gpu_get_temp };

static int cpu_load_pct(int cpu)
{
	u64 wall, idle, dw, di;

	idle = get_cpu_idle_time(cpu, &wall, 0);
	dw = wall - last_wall[cpu];
	di = idle - last_idle[cpu];
	last_wall[cpu] = wall;
	last_idle[cpu] = idle;
	if (!dw || di > dw)
		return 0;
	return div64_u64((dw - di) * 100, dw);
}

static int power_mw(void)
{
	u64 mw = pstatic_mw;
	int i, cpu;

	for (i = 0; i < nclusters; i++) {
		struct cluster *c = &cl[i];
		u64 fmin = c->table[0].frequency, fmax = c->table[c->nopp - 1].frequency;
		u64 f = READ_ONCE(c->hw_khz);
		/* 950 mV at the lowest OPP, 1300 mV at the highest */
		u64 mv = fmax > fmin ? 950 + div64_u64((f - fmin) * 350, fmax - fmin)
				     : 1300;

		for (cpu = c->first; cpu < c->first + c->count; cpu++) {
			int l;

			if (!cpu_online(cpu))
				continue;
			l = cpu_load_pct(cpu);
			if (load >= 0)
				l = min(load, 100);
			mw += div64_u64((u64)pcpu_mw * l * f / 100 * (mv * mv),
					fmax * (1300 * 1300));
		}
	}
	return (int)mw;
}

static void model_fn(struct work_struct *w)
{
	ktime_t now = ktime_get();
	s64 dt_ms, target_uc;

	mutex_lock(&model_lock);
	dt_ms = ktime_ms_delta(now, last) * max(timescale, 1);
	last = now;
	power_now_mw = power_mw();
	if (!hold) {
		target_uc = ((s64)ambient * 1000) +
			    (s64)rth * (100 - 15 * (int)fan_state) / 100 * power_now_mw;
		if (dt_ms >= tau_ms)
			temp_uc = target_uc;
		else
			temp_uc += div_s64((target_uc - temp_uc) * dt_ms, tau_ms);
	}
	mutex_unlock(&model_lock);
	schedule_delayed_work(&model_work, msecs_to_jiffies(max(step_ms, 10)));
}

/* temp: reading shows the model's temperature, writing sets it at once */
static int p_temp_set(const char *val, const struct kernel_param *kp)
{
	int t, r = kstrtoint(val, 10, &t);

	if (r)
		return r;
	mutex_lock(&model_lock);
	temp_uc = (s64)t * 1000;
	mutex_unlock(&model_lock);
	if (tz)
		thermal_zone_device_update(tz, THERMAL_EVENT_TEMP_SAMPLE);
	return 0;
}

static int p_temp_get(char *buf, const struct kernel_param *kp)
{
	return sprintf(buf, "%d\n", (int)div_s64(temp_uc, 1000));
}
static const struct kernel_param_ops p_temp = { .set = p_temp_set, .get = p_temp_get };
module_param_cb(temp, &p_temp, NULL, 0644);

static int p_power_get(char *buf, const struct kernel_param *kp)
{
	return sprintf(buf, "%d\n", power_now_mw);
}
static const struct kernel_param_ops p_power = { .get = p_power_get };
module_param_cb(power_mw, &p_power, NULL, 0444);

static int p_hw_get(char *buf, const struct kernel_param *kp)
{
	int i, n = 0;

	for (i = 0; i < nclusters; i++)
		n += sprintf(buf + n, "%u\n", cl[i].hw_khz);
	return n;
}
static const struct kernel_param_ops p_hw = { .get = p_hw_get };
module_param_cb(hw_khz, &p_hw, NULL, 0444);	/* one line for each policy */

static void cooling_remove(void)
{
	int i;

	for (i = 0; i < nclusters; i++) {
		if (!IS_ERR_OR_NULL(cl[i].cdev))
			thermal_cooling_device_unregister(cl[i].cdev);
		if (cl[i].have_qos)
			freq_qos_remove_request(&cl[i].qos);
	}
	if (!IS_ERR_OR_NULL(fan_cdev))
		thermal_cooling_device_unregister(fan_cdev);
}

static int cooling_add(void)
{
	int i, r;

	for (i = 0; i < nclusters; i++) {
		struct cpufreq_policy *p = cpufreq_cpu_get(cl[i].first);

		if (!p)
			return -ENODEV;
		r = freq_qos_add_request(&p->constraints, &cl[i].qos, FREQ_QOS_MAX,
					 cl[i].table[cl[i].nopp - 1].frequency);
		cpufreq_cpu_put(p);
		if (r < 0)
			return r;
		cl[i].have_qos = true;
		snprintf(cl[i].name, sizeof(cl[i].name), "cpufreq-cpu%d", cl[i].first);
		cl[i].cdev = thermal_cooling_device_register(cl[i].name, &cl[i], &cd_ops);
		if (IS_ERR(cl[i].cdev))
			return PTR_ERR(cl[i].cdev);
	}
	if (!fan)
		return 0;
	fan_cdev = thermal_cooling_device_register("pwm-fan", NULL, &fan_ops);
	return PTR_ERR_OR_ZERO(fan_cdev);
}

static int __init clusters_init(void)
{
	int i, j, cpu = 0;

	for (i = 0; i < nclusters; i++) {
		unsigned int *t = i ? table1 : table0;
		struct cluster *c = &cl[i];

		c->first = cpu;
		c->count = clusters[i];
		c->nopp = i ? ntable1 : ntable0;
		cpu += clusters[i];
		if (c->count < 1 || c->nopp < 1 || c->nopp >= MAX_OPPS ||
		    cpu > num_possible_cpus())
			return -EINVAL;
		for (j = 0; j < c->nopp; j++)
			c->table[j].frequency = t[j];
		c->hw_khz = t[j / 2];
		if (boost_khz) {
			c->table[j].frequency = boost_khz;
			c->table[j].flags = CPUFREQ_BOOST_FREQ;
			c->nopp = ++j;
		}
		c->table[j].frequency = CPUFREQ_TABLE_END;
	}
	return 0;
}

static int __init zones_add(void)
{
	int r;

	ntrips = fan ? NTRIPS + 1 : NTRIPS;
	r = ro_trips ? 0 : GENMASK(ntrips - 1, 0);
	tz = thermal_zone_device_register(zone_type, ntrips, r, NULL, &tz_ops, NULL,
					  passive_delay_ms, polling_delay_ms);
	if (IS_ERR(tz))
		return PTR_ERR(tz);
	r = thermal_zone_device_enable(tz);
	if (r || !gpu_zone)
		return r;
	tz_gpu = thermal_zone_device_register("gpu-thermal", 0, 0, NULL, &gpu_ops, NULL,
					      0, polling_delay_ms);
	return IS_ERR(tz_gpu) ? PTR_ERR(tz_gpu) : thermal_zone_device_enable(tz_gpu);
}

static void zones_remove(void)
{
	if (!IS_ERR_OR_NULL(tz_gpu))
		thermal_zone_device_unregister(tz_gpu);
	if (!IS_ERR_OR_NULL(tz))
		thermal_zone_device_unregister(tz);
}

static int __init sb_mod_init(void)
{
	int r = clusters_init();

	if (r)
		return r;
	if (!temp_uc)
		temp_uc = (s64)ambient * 1000;
	last = ktime_get();
	if (gov_per_policy)
		sb_driver.flags |= CPUFREQ_HAVE_GOVERNOR_PER_POLICY;
	if (boost_khz)
		sb_attr[1] = &cpufreq_freq_attr_scaling_boost_freqs;
	r = cpufreq_register_driver(&sb_driver);
	if (r)
		return r;
	if (boost_khz)
		r = cpufreq_enable_boost_support();
	if (!r)
		r = cooling_add();
	if (!r)
		r = zones_add();
	if (r) {
		zones_remove();
		cooling_remove();
		cpufreq_unregister_driver(&sb_driver);
		return r;
	}
	INIT_DELAYED_WORK(&model_work, model_fn);
	schedule_delayed_work(&model_work, 0);
	return 0;
}

static void __exit sb_mod_exit(void)
{
	cancel_delayed_work_sync(&model_work);
	zones_remove();
	cooling_remove();
	cpufreq_unregister_driver(&sb_driver);
}

module_init(sb_mod_init);
module_exit(sb_mod_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Simulated board clocks and thermals for test guests");
