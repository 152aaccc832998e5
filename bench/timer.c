// SPDX-License-Identifier: GPL-2.0-or-later
// timer.c - run commands in turn: wall, CPU, memory, as ratios to the first
//
// timer ROUNDS ROOT RESET NAME COMMAND [NAME COMMAND]...: a command is words with blanks
// between them, executed without a shell, with ROOT as its root directory unless that is
// empty; its output is dropped. RESET is a line for the shell that runs before each,
// unmeasured. Prints "NAME WALL-MS CPU-MS MAX-RSS-KIB WALL-RATIO CPU-RATIO": medians; the
// ratios are medians of the first command's figure divided by this one's of the same
// round, so that a busy machine hits both.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMMANDS_MAX 8
#define ROUNDS_MAX 1000
#define WORDS_MAX 16

struct sample {
	double wall, cpu, rss; /* ms, ms, KiB */
};

static struct sample samples[COMMANDS_MAX][ROUNDS_MAX];

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static double tv_ms(struct timeval t)
{
	return t.tv_sec * 1e3 + t.tv_usec / 1e3;
}

/* In the child: does not return. */
static void execute(char **words, const char *root)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
		_exit(127);
	if (*root && (chroot(root) < 0 || chdir("/") < 0))
		_exit(127);
	execvp(words[0], words);
	_exit(127);
}

/* Returns the exit status, or -1. */
static int run(const char *command, const char *root, struct sample *ret)
{
	char line[8192], *words[WORDS_MAX + 1], *save;
	struct rusage usage;
	double start;
	int status, n = 0;
	pid_t pid;

	if (snprintf(line, sizeof(line), "%s", command) >= (int)sizeof(line))
		return -1;
	for (char *w = strtok_r(line, " ", &save); w && n < WORDS_MAX;
	     w = strtok_r(NULL, " ", &save))
		words[n++] = w;
	words[n] = NULL;
	start = now_ms();
	pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0)
		execute(words, root);
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -1;
	ret->wall = now_ms() - start;
	ret->cpu = tv_ms(usage.ru_utime) + tv_ms(usage.ru_stime);
	ret->rss = usage.ru_maxrss;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void print(const char *name, int c, int rounds)
{
	double wall[ROUNDS_MAX], cpu[ROUNDS_MAX], rss[ROUNDS_MAX];
	double wall_ratio[ROUNDS_MAX], cpu_ratio[ROUNDS_MAX];

	for (int i = 0; i < rounds; i++) {
		const struct sample *s = &samples[c][i], *first = &samples[0][i];

		wall[i] = s->wall;
		cpu[i] = s->cpu;
		rss[i] = s->rss;
		wall_ratio[i] = first->wall / s->wall;
		cpu_ratio[i] = first->cpu / s->cpu;
	}
	printf("%s %.2f %.2f %.0f %.3f %.3f\n", name, median(wall, rounds),
	       median(cpu, rounds), median(rss, rounds), median(wall_ratio, rounds),
	       median(cpu_ratio, rounds));
}

int main(int argc, char **argv)
{
	int rounds, n = (argc - 4) / 2, status;

	if (argc < 6 || argc % 2 != 0 || n > COMMANDS_MAX)
		return 2;
	rounds = atoi(argv[1]);
	if (rounds < 1 || rounds > ROUNDS_MAX)
		return 2;
	for (int i = -1; i < rounds; i++) /* the first round warms the caches */
		for (int c = 0; c < n; c++) {
			const char *command = argv[5 + 2 * c];

			if (system(argv[3]) != 0)
				return fprintf(stderr, "failed: %s\n", argv[3]), 1;
			status = run(command, argv[2], &samples[c][i < 0 ? 0 : i]);
			if (status != 0) {
				fprintf(stderr, "exit %d: %s\n", status, command);
				return 1;
			}
		}
	for (int c = 0; c < n; c++)
		print(argv[4 + 2 * c], c, rounds);
	return 0;
}
