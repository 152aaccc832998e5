// SPDX-License-Identifier: GPL-2.0-or-later
// test-progress.c - the line of progress: what it says, its width, a terminal that stops
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "base/text.h"
#include "report/progress.h"
#include "tap.h"

static const struct progress_now whole = {
	.what = "round 2/4, after, IPv4 tx", .mbps = 941.4, .millicelsius = 63400,
	.khz = 1296000, .left = 724.2, .at_most = true,
};

static const struct {
	int columns;
	const char *line;
} widths[] = {
	{ 79, "round 2/4, after, IPv4 tx  941 Mbit/s  63.4 C  1296 MHz  "
	      "up to 12:05 left" },
	{ 73, "round 2/4, after, IPv4 tx  941 Mbit/s  63.4 C  1296 MHz  "
	      "up to 12:05 left" },
	{ 72, "round 2/4, after, IPv4 tx  941 Mbit/s  63.4 C  up to 12:05 left" },
	{ 62, "round 2/4, after, IPv4 tx  941 Mbit/s  up to 12:05 left" },
	{ 50, "round 2/4, after, IPv4 tx  941 Mbit/s  63.4 C" },
	{ 40, "round 2/4, after, IPv4 tx  941 Mbit/s" },
	{ 30, "round 2/4, after, IPv4 tx" },
	{ 10, "941 Mbit/s" },
	{ 3, "" },
	{ -1, "" },
};

static void test_widths(void)
{
	char line[PROGRESS_TEXT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		progress_line(&whole, widths[i].columns, line);
		is_str(line, widths[i].line, "in %d columns", widths[i].columns);
	}
}

static void test_unknown(void)
{
	struct progress_now now = { .what = "does the peer answer?", .mbps = NAN,
				    .millicelsius = INT_MIN, .left = NAN };
	char line[PROGRESS_TEXT_MAX];

	progress_line(&now, 79, line);
	is_str(line, "does the peer answer?", "what is not known is left out");
	now.left = 59.01;
	now.millicelsius = -5000;
	progress_line(&now, 79, line);
	is_str(line, "does the peer answer?  -5.0 C  1:00 left", "a known end");
}

/* Every width, with letters of two columns. */
static void test_wide(void)
{
	struct progress_now now = whole;
	char line[PROGRESS_TEXT_MAX];
	bool fits = true;

	if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8"))
		return (void)ok(true, "Japanese # SKIP no locale with UTF-8");
	snprintf(now.what, sizeof(now.what), "2/4 回目、適用後、IPv4 送信");
	is_int(text_width(now.what), 27, "27 columns of Japanese");
	for (int columns = 0; columns < 100; columns++) {
		progress_line(&now, columns, line);
		fits &= text_width(line) <= columns;
	}
	ok(fits, "fit every width");
	progress_line(&now, 34, line);
	is_str(line, "2/4 回目、適用後、IPv4 送信", "no room for the next");
	progress_line(&now, 39, line);
	is_str(line, "2/4 回目、適用後、IPv4 送信  941 Mbit/s", "just enough");
	memset(now.what, 'x', sizeof(now.what) - 1);
	progress_line(&now, 1000, line);
	ok(strlen(line) < sizeof(line) && strstr(line, "left"), "the longest line");
}

/* A terminal of so many columns: its master, and at @ret_slave what programs have. */
static int terminal(int columns, int *ret_slave)
{
	struct winsize size = { .ws_row = 24, .ws_col = columns };
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios raw;

	if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0)
		return -1;
	*ret_slave = open(ptsname(fd), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*ret_slave < 0 || tcgetattr(*ret_slave, &raw) < 0)
		return -1;
	cfmakeraw(&raw);
	tcsetattr(*ret_slave, TCSANOW, &raw);
	ioctl(fd, TIOCSWINSZ, &size);
	return fd;
}

static const char *shown(int fd)
{
	static char text[4096];
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t n = 0;

	if (poll(&pfd, 1, 100) == 1)
		n = read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void test_terminal(void)
{
	const struct cell_list cells = cell_list_all();
	const struct trial_progress where = { 1, 4, TRIAL_AFTER, cells.cells[0] };
	const struct sample sample = { .millicelsius = 63400, .n_policies = 2,
				       .cur_khz = { 408000, 1296000 } };
	struct gate_progress gate = { .waits_for = GATE_NIC_BUSY, .left = 30,
				      .look = { .mbps = 12.34 }, .slope = NAN };
	struct progress p;
	int slave = -1, fd = terminal(80, &slave);
	double start;

	if (fd < 0)
		return (void)ok(true, "a terminal # SKIP none to be had");
	progress_open(slave, &p);
	ok(p.fd >= 0 && p.fd != slave, "a descriptor of our own");
	ok(!(fcntl(slave, F_GETFL) & O_NONBLOCK), "the other's blocks as before");
	progress_gate(&p, &sample, &gate);
	is_str(shown(fd),
	       "\rwaiting for a quiet NIC: 12.3 Mbit/s  63.4 C  1296 MHz  up to 0:30 left"
	       "\033[K", "a wait, with its end");
	progress_test(&p, &where);
	p.now.left = 61;
	p.now.at_most = false;
	progress_show(&p, &sample, 941);
	is_str(shown(fd), "\rround 2/4, after, IPv4 tx  941 Mbit/s  63.4 C  1296 MHz  "
	       "1:01 left\033[K", "a test");
	ioctl(fd, TIOCSWINSZ, &(struct winsize){ .ws_row = 24, .ws_col = 38 });
	progress_show(&p, &sample, 941);
	is_str(shown(fd), "\rround 2/4, after, IPv4 tx  941 Mbit/s\033[K",
	       "in a window that became narrow");

	start = now_monotonic();
	for (unsigned i = 0; i < 5000; i++)
		progress_show(&p, &sample, i);
	ok(now_monotonic() - start < 1.5, "a terminal that nobody reads stops nothing");
	while (*shown(fd))
		;
	progress_close(&p);
	is_str(shown(fd), "\r\033[K", "at the end the line is wiped");
	ok(p.fd == -1 && fcntl(slave, F_GETFD) >= 0, "and the other's left open");
	close(slave);
	close(fd);
}

static void test_pipe(void)
{
	const struct sample sample = { .millicelsius = 63400 };
	struct progress p;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return (void)ok(false, "a pipe");
	progress_open(fds[1], &p);
	progress_text(&p, "nothing");
	progress_show(&p, &sample, 941);
	progress_close(&p);
	is_str(shown(fds[0]), "", "nothing on a pipe");
	close(fds[0]);
	close(fds[1]);
	progress_open(-1, &p);
	is_int(p.fd, -1, "nor without any descriptor");
}

int main(void)
{
	test_widths();
	test_unknown();
	test_wide();
	test_terminal();
	test_pipe();
	return done();
}
