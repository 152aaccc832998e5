/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample-private.h - the parts that a sampler is made of; of no use to others */
#ifndef BOARDTUNE_SAMPLE_PRIVATE_H
#define BOARDTUNE_SAMPLE_PRIVATE_H

#include "base/cpus.h"
#include "measure/sample.h"

#define SAMPLE_PATH_MAX 128

/* ---- sample-file.c: files that are read again and again */

/*
 * Once read, a file stays open: reading it again from the start is all that a sample
 * costs. Of a recorded board with rules, which are asked by path, it is opened each time.
 */
struct sample_file {
	char path[SAMPLE_PATH_MAX]; /* "": none */
	int fd;			    /* negative: not open */
};

/** sample_file_set - which file; not opened yet */
void sample_file_set(struct sample_file *f, const char *fmt, ...) _printf_(2, 3);
void sample_file_close(struct sample_file *f);

/**
 * sample_file_read - what a file holds now, from @offset on
 * @buf: gets at most @size - 1 bytes, and a NUL
 *
 * A file that has gone is looked for anew each time: a NIC may return. Returns the
 * number of bytes, 0 at the end, or -errno. Allocates nothing.
 */
ssize_t sample_file_read(const struct sysroot *root, struct sample_file *f, off_t offset,
			 char *buf, size_t size);

/** sample_file_long - a decimal number; 0, -errno, -EBADMSG */
int sample_file_long(const struct sysroot *root, struct sample_file *f, long *ret);

/**
 * sample_file_u64 - a number without sign
 * @base: 10 or 16
 *
 * 64 bits on every board: rx_bytes passes 4 GiB within a minute. As sample_file_long().
 */
int sample_file_u64(const struct sysroot *root, struct sample_file *f, int base,
		    uint64_t *ret);

/* A file line by line, without allocation. */
struct sample_lines {
	const struct sysroot *root;
	struct sample_file *file;
	off_t offset;
	size_t from, used;
	char buf[4096];
};

void sample_lines_begin(struct sample_lines *lines, const struct sysroot *root,
			struct sample_file *file);

/** sample_lines_next - 1 with a line, 0 at the end, -EFBIG a line too long, or -errno */
int sample_lines_next(struct sample_lines *lines, char **ret);

/* ---- sample-sensor.c: which sensor is the CPU's, what it says */

struct sample_sensor {
	char zone[32];		 /* type of the zone, name of the hwmon */
	struct sample_file temp; /* without path: no sensor */
	bool failed;		 /* the last time */
	int limit;
};

/** sample_sensor_find - as sampler_open(); 0 or -ENOMEM */
int sample_sensor_find(const struct sysroot *root, struct sample_sensor *ret);

/** sample_sensor_take - millidegrees, INT_MIN for no usable value */
int sample_sensor_take(const struct sysroot *root, struct sample_sensor *sensor);

/* ---- sample-cpu.c: time and packets of the CPUs */

struct sample_cpus {
	struct sample_file stat, softnet;
	long ticks; /* USER_HZ */
};

void sample_cpus_open(struct sample_cpus *cpus);
void sample_cpus_close(struct sample_cpus *cpus);

/** sample_cpus_take - what @ret has of /proc/stat and /proc/net/softnet_stat */
void sample_cpus_take(const struct sysroot *root, struct sample_cpus *cpus,
		      struct sample *ret);

/* ---- sample-irq.c: interrupts of the NICs */

/* Lines up to so many are read one by one, which is what descriptors there are for; for
 * more all of /proc/interrupts is. */
#define SAMPLE_LINES_MAX 128

struct sample_line {
	unsigned number;
	struct sample_file counts; /* /sys/kernel/irq/N/per_cpu_count */
};

struct sample_irqs {
	struct sample_line *lines; /* owned, no number twice */
	size_t n;
	unsigned last; /* the highest number */
	bool rows;     /* from /proc/interrupts */
};

/** sample_irqs_find - the lines of some NICs, in place of others; 0 or -ENOMEM */
int sample_irqs_find(const struct sysroot *root, const struct sample_nics *nics,
		     struct sample_irqs *irqs);
void sample_irqs_close(struct sample_irqs *irqs);

/** sample_irqs_take - @ret->cpus[].irqs; n_cpus grows to hold them */
void sample_irqs_take(const struct sysroot *root, struct sample_irqs *irqs,
		      struct sample *ret);

/* ---- sample-pi.c: what the firmware of a Raspberry Pi complains of */

struct sample_pi {
	struct sample_file throttled; /* of the vendor's kernel */
	struct sample_file alarm;     /* of the mainline hwmon: undervoltage alone */
};

/** sample_pi_find - either, both or none; 0 or -ENOMEM */
int sample_pi_find(const struct sysroot *root, struct sample_pi *pi);
void sample_pi_close(struct sample_pi *pi);

/** sample_pi_take - SAMPLE_RPI_* now, and since boot; -1 where neither can be read */
int sample_pi_take(const struct sysroot *root, struct sample_pi *pi, unsigned *ret_past);

#endif
