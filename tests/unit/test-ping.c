// SPDX-License-Identifier: GPL-2.0-or-later
// test-ping.c - echo requests and replies on the loopback of a namespace of its own
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>

#include "measure/ping.h"
#include "tap.h"

#define REPLY 0 /* ICMP type */

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		printf("# %s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

static int loopback(bool up)
{
	struct ifreq ifr = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), r;

	r = ioctl(fd, SIOCGIFFLAGS, &ifr);
	ifr.ifr_flags = up ? ifr.ifr_flags | IFF_UP : ifr.ifr_flags & ~IFF_UP;
	if (r == 0)
		r = ioctl(fd, SIOCSIFFLAGS, &ifr);
	close(fd);
	return r;
}

/* A network namespace of our own, of a user namespace where we are not root. */
static bool enter(void)
{
	char map[32];
	unsigned uid = geteuid(), gid = getegid();

	if (unshare(CLONE_NEWNET) == 0)
		return loopback(true) == 0;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		return false;
	write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	write_file("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", gid);
	write_file("/proc/self/gid_map", map);
	return loopback(true) == 0;
}

/* Ping sockets for group 0; a new namespace has them for nobody. */
static void admit(void)
{
	write_file("/proc/sys/net/ipv4/ping_group_range", "0 0\n");
}

static void answer(bool yes)
{
	write_file("/proc/sys/net/ipv4/icmp_echo_ignore_all", yes ? "0\n" : "1\n");
}

static struct sockaddr_storage address(int family, const char *text)
{
	struct sockaddr_storage ret = { .ss_family = family };

	if (family == AF_INET)
		inet_pton(family, text, &((struct sockaddr_in *)&ret)->sin_addr);
	else
		inet_pton(family, text, &((struct sockaddr_in6 *)&ret)->sin6_addr);
	return ret;
}

static struct ping *aimed(int family, const char *text)
{
	struct sockaddr_storage peer = address(family, text);
	struct ping *p = NULL;
	int r = ping_open(family, &p);

	/* As a way to the peer has it: with the port of the server. */
	((struct sockaddr_in *)&peer)->sin_port = htons(5201);
	if (r == 0)
		r = ping_aim(p, &peer,
			     family == AF_INET ? sizeof(struct sockaddr_in)
					       : sizeof(struct sockaddr_in6),
			     "lo");
	is_int(r, 0, "a socket aimed at %s", text);
	if (r < 0) {
		ping_close(p);
		return NULL;
	}
	ping_begin(p);
	return p;
}

static void test_encode(void)
{
	const struct ping_echo echo = { 0x1234, 0xfffe, "0123456789abcde" };
	uint8_t packet[20 + PING_PACKET] = { 0x45 };
	struct ping_echo back = {};
	uint32_t sum = 0;

	ping_encode(AF_INET, &echo, packet + 20);
	for (size_t i = 20; i < sizeof(packet); i += 2)
		sum += packet[i] << 8 | packet[i + 1];
	is_int((sum >> 16) + (sum & 0xffff), 0xffff, "the checksum of RFC 1071");
	is_int(packet[20], 8, "an echo request");
	is_int(ping_decode(AF_INET, true, packet, sizeof(packet), &back), -EBADMSG,
	       "is no reply");
	packet[20] = REPLY;
	is_int(ping_decode(AF_INET, true, packet, sizeof(packet), &back), 0, "a reply");
	ok(back.id == echo.id && back.sequence == echo.sequence &&
		   memcmp(back.nonce, echo.nonce, PING_NONCE) == 0,
	   "has what was sent");
	is_int(ping_decode(AF_INET, false, packet + 20, PING_PACKET, &back), 0,
	       "also without its IP header");
	ping_encode(AF_INET6, &echo, packet + 20);
	is_int(packet[20], 128, "an ICMPv6 request");
	packet[20] = 129;
	is_int(ping_decode(AF_INET6, false, packet + 20, PING_PACKET, &back), 0,
	       "an ICMPv6 reply");
	is_int(ping_decode(AF_INET, false, packet + 20, PING_PACKET, &back), -EBADMSG,
	       "is none of ICMP");
}

static void test_garbage(void)
{
	uint8_t packet[64 + PING_PACKET] = { 0x45 };
	struct ping_echo back;
	bool refused = true;

	for (size_t n = 0; n < 20 + PING_PACKET; n++)
		refused &= ping_decode(AF_INET, true, packet, n, &back) == -EBADMSG;
	ok(refused, "every length that is too short");
	packet[0] = 0x4f;
	is_int(ping_decode(AF_INET, true, packet, 20 + PING_PACKET, &back), -EBADMSG,
	       "an IP header longer than the packet leaves");
	is_int(ping_decode(AF_INET, true, packet, 60 + PING_PACKET, &back), 0,
	       "one with options");
	packet[0] = 0x44;
	is_int(ping_decode(AF_INET, true, packet, sizeof(packet), &back), -EBADMSG,
	       "one that is too short");
	packet[0] = 0x65;
	is_int(ping_decode(AF_INET, true, packet, sizeof(packet), &back), -EBADMSG,
	       "one of another version");
	packet[0] = 0x45;
	packet[21] = 1;
	is_int(ping_decode(AF_INET, true, packet, sizeof(packet), &back), -EBADMSG,
	       "a code that no reply has");
}

/* The reply is there at once; that it is read late does not count. */
static void test_live(int family, const char *text, const char *kind)
{
	struct ping_series series = {};
	struct ping *p = aimed(family, text);
	unsigned late = 0;
	bool good = true;

	if (!p)
		return;
	for (unsigned i = 0; i < 3; i++) {
		good &= ping_tick(p) == 0;
		usleep(60000);
	}
	is_int(ping_end(p, &series), 0, "%s: a series to %s", kind, text);
	for (size_t i = 0; i < series.n; i++)
		late += series.rtt_ms[i] <= 0 || series.rtt_ms[i] >= 50;
	ok(good && series.n == 3 && !series.lost, "%s: has all (%zu of 3)", kind,
	   series.n);
	/* a kernel begins to stamp a moment after it was asked (netstamp_work, 4.15) */
	ok(late <= 1, "%s: without the time until we looked (%u late)", kind, late);
	free(series.rtt_ms);
	ping_close(p);
}

/* An echo reply from @from of our own making. */
static void forge(const char *from, const struct ping_echo *echo, int type, size_t size)
{
	struct sockaddr_storage own = address(AF_INET, from);
	struct sockaddr_storage to = address(AF_INET, "127.0.0.1");
	int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	uint8_t packet[PING_PACKET];
	uint32_t sum = 0;

	ping_encode(AF_INET, echo, packet);
	packet[0] = type;
	packet[2] = packet[3] = 0;
	for (size_t i = 0; i < size; i += 2)
		sum += packet[i] << 8 | packet[i + 1];
	sum = (sum >> 16) + (sum & 0xffff);
	sum = ~(sum + (sum >> 16));
	packet[2] = sum >> 8;
	packet[3] = sum;
	if (bind(fd, (struct sockaddr *)&own, sizeof(struct sockaddr_in)) < 0 ||
	    sendto(fd, packet, size, 0, (struct sockaddr *)&to,
		   sizeof(struct sockaddr_in)) < 0)
		ok(false, "a packet of our own: %s", strerror(errno));
	close(fd);
}

/* The last request as the peer sees it. */
static bool overhear(int fd, struct ping_echo *ret)
{
	uint8_t data[20 + PING_PACKET];
	bool heard = false;
	ssize_t n;

	while ((n = recv(fd, data, sizeof(data), MSG_DONTWAIT)) > 0) {
		if (data[20] != 8)
			continue;
		data[20] = REPLY;
		heard |= ping_decode(AF_INET, true, data, n, ret) == 0;
	}
	return heard;
}

static void test_hostile(const char *kind)
{
	int ear = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	struct ping *p = aimed(AF_INET, "127.0.0.1");
	struct ping_series series = {};
	struct ping_echo echo = {}, wrong;

	if (!p)
		return (void)close(ear);
	answer(false);
	ping_tick(p);
	ok(overhear(ear, &echo), "%s: a request that nobody answers", kind);
	wrong = echo;
	wrong.nonce[PING_NONCE - 1] ^= 1;
	forge("127.0.0.1", &wrong, REPLY, PING_PACKET);
	wrong = echo;
	wrong.id++;
	forge("127.0.0.1", &wrong, REPLY, PING_PACKET);
	wrong = echo;
	wrong.sequence++; /* of a request that will be sent */
	forge("127.0.0.1", &wrong, REPLY, PING_PACKET);
	wrong.sequence += 63; /* the place of the one that waits */
	forge("127.0.0.1", &wrong, REPLY, PING_PACKET);
	forge("127.0.0.1", &echo, REPLY, PING_PACKET - 2);
	forge("127.0.0.1", &echo, 8, PING_PACKET);
	forge("127.0.0.9", &echo, REPLY, PING_PACKET);
	is_int(ping_end(p, &series), 0, "%s: forged replies", kind);
	is_int(series.n, 0, "%s: none of them counts", kind);
	free(series.rtt_ms);

	ping_tick(p);
	ok(overhear(ear, &echo), "%s: another request", kind);
	forge("127.0.0.1", &echo, REPLY, PING_PACKET);
	forge("127.0.0.1", &echo, REPLY, PING_PACKET);
	is_int(ping_end(p, &series), 0, "%s: two replies to it", kind);
	ok(series.n == 1 && !series.lost, "%s: are one", kind);
	free(series.rtt_ms);
	answer(true);
	ping_close(p);
	close(ear);
}

static void test_lost(void)
{
	struct ping *p = aimed(AF_INET, "127.0.0.1");
	struct ping_series series = {};

	if (!p)
		return;
	loopback(false);
	ping_tick(p);
	ping_tick(p);
	loopback(true);
	ping_tick(p);
	is_int(ping_end(p, &series), 0, "the link was down");
	ok(series.n == 1 && series.lost == 2, "two are lost, one is not (%zu, %zu)",
	   series.lost, series.n);
	free(series.rtt_ms);

	answer(false);
	for (unsigned i = 0; i < 70; i++)
		ping_tick(p);
	is_int(ping_end(p, &series), 0, "seventy that nobody answers");
	ok(series.n == 0 && series.lost == 6, "those without a place are lost (%zu)",
	   series.lost);
	ping_tick(p);
	ping_begin(p);
	answer(true);
	is_int(ping_end(p, &series), 0, "what is on its way at the end");
	ok(series.n == 0 && series.lost == 0, "counts neither way");
	ping_close(p);
}

int main(void)
{
	test_encode();
	test_garbage();
	if (!enter()) {
		ok(true, "echoes # SKIP no namespace of our own here");
		return done();
	}
	test_live(AF_INET, "127.0.0.1", "raw");
	test_live(AF_INET6, "::1", "raw");
	test_hostile("raw");
	admit();
	test_live(AF_INET, "127.0.0.1", "ping socket");
	test_live(AF_INET6, "::1", "ping socket");
	test_hostile("ping socket");
	test_lost();
	return done();
}
