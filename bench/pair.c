// SPDX-License-Identifier: GPL-2.0-or-later
// pair.c - a server and its client, and the CPU time that both took
//
// pair PORT OUTPUT SERVER CLIENT: commands are words with blanks between them, executed
// without a shell. The client starts when the server listens on PORT, in whatever network
// namespace the server went to; the server has to end after this one client. The client's
// output goes to the file OUTPUT. Prints "CLIENT-MS SERVER-MS MACHINE-MS": CPU time of
// each process, user and system (wait4), and what all CPUs were busy with from the start
// of the client to the end of the server, without what was niced.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 32
#define TCP_LISTEN_STATE 0x0a
#define SECONDS_MAX 120 /* of a process that hangs */
#define WAIT_STEP_US 10000
#define WAIT_STEPS 500 /* for a server to listen */

/* Returns the process, or -1. Nothing outlives its alarm. */
static pid_t start(const char *command, const char *output)
{
	char line[4096], *words[WORDS_MAX + 1], *save;
	int n = 0, fd;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	snprintf(line, sizeof(line), "%s", command);
	for (char *w = strtok_r(line, " ", &save); w && n < WORDS_MAX;
	     w = strtok_r(NULL, " ", &save))
		words[n++] = w;
	words[n] = NULL;
	fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (n == 0 || fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		_exit(127);
	alarm(SECONDS_MAX);
	execvp(words[0], words);
	_exit(127);
}

static bool table_has_listener(pid_t pid, const char *table, unsigned port)
{
	char path[64], line[512];
	unsigned local, state;
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)pid, table);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, " %*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x", &local,
			       &state) == 2 &&
			local == port && state == TCP_LISTEN_STATE;
	if (f)
		fclose(f);
	return found;
}

/* Without a connection: a server that takes one test would take that for it. */
static bool await_listener(pid_t pid, unsigned port)
{
	for (int i = 0; i < WAIT_STEPS; i++) {
		if (table_has_listener(pid, "tcp", port) ||
		    table_has_listener(pid, "tcp6", port))
			return true;
		usleep(WAIT_STEP_US);
	}
	return false;
}

/* Milliseconds since the start of the machine that were busy and not niced. */
static double machine_ms(void)
{
	unsigned long long user, system, irq, softirq;
	FILE *f = fopen("/proc/stat", "re");
	int n = f ? fscanf(f, "cpu %llu %*u %llu %*u %*u %llu %llu", &user, &system, &irq,
			   &softirq)
		  : 0;

	if (f)
		fclose(f);
	return n == 4 ? (user + system + irq + softirq) * 1e3 / sysconf(_SC_CLK_TCK) : 0;
}

/* Returns CPU milliseconds, -1 if it failed. */
static double finish(pid_t pid)
{
	struct rusage usage;
	int status;

	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -1;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return -1;
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

int main(int argc, char **argv)
{
	double before, client = -1, server_ms;
	pid_t server, pid;

	if (argc != 5)
		return 2;
	server = start(argv[3], "/dev/null");
	if (server < 0)
		return 1;
	before = machine_ms();
	if (await_listener(server, strtoul(argv[1], NULL, 10))) {
		before = machine_ms();
		pid = start(argv[4], argv[2]);
		client = pid < 0 ? -1 : finish(pid);
	}
	if (client < 0)
		kill(server, SIGTERM);
	server_ms = finish(server);
	if (client < 0 || server_ms < 0) {
		fprintf(stderr, "pair: failed: %s\n", client < 0 ? argv[4] : argv[3]);
		return 1;
	}
	printf("%.3f %.3f %.3f\n", client, server_ms, machine_ms() - before);
	return 0;
}
