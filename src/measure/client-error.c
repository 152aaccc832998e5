// SPDX-License-Identifier: GPL-2.0-or-later
// client-error.c - what went wrong with a test, in words
#include "measure/client-private.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdarg.h>

int client_fail(struct client *c, int err, const char *fmt, ...)
{
	va_list ap;

	if (c->error[0])
		return err;
	va_start(ap, fmt);
	vsnprintf(c->error, sizeof(c->error), fmt, ap);
	va_end(ap);
	return err;
}

int client_fail_io(struct client *c, int err)
{
	switch (err) {
	case -EINTR:
		return client_fail(c, err, _("stopped"));
	case -ETIMEDOUT:
		return client_fail(c, err, _("the server did not answer within %g s"),
				   c->test->timeout);
	case -ECONNRESET:
		return client_fail(c, err, _("the server closed the connection"));
	case -EPROTO:
		return client_fail(c, err,
				   _("the server sent a document that is none of "
				     "iperf3's"));
	}
	return client_fail(c, err, "%s", strerror(-err));
}

/* A number that is not known is of a later version; there is still its system's errno. */
static int client_fail_error(struct client *c)
{
	uint32_t codes[2];
	const char *text;
	int error, r;

	r = wire_read(&c->wire, codes, sizeof(codes));
	if (r < 0)
		return client_fail_io(c, r);
	error = ntohl(codes[0]);
	text = iperf_error_text(error);
	if (!text)
		text = strerror(ntohl(codes[1]));
	return client_fail(c, -EPROTO,
			   _("the server refused the test: %s (iperf3 error %d)"), text,
			   error);
}

int client_fail_state(struct client *c, int state, enum iperf_state expected)
{
	switch (state) {
	case IPERF_ACCESS_DENIED:
		c->answered = false;
		return client_fail(c, -EBUSY, _("the server is busy with another test"));
	case IPERF_SERVER_TERMINATE:
		return client_fail(c, -ECONNRESET, _("the server was stopped"));
	case IPERF_SERVER_ERROR:
		return client_fail_error(c);
	}
	return client_fail(c, -EPROTO,
			   _("the server answered %d where iperf3 answers %d: "
			     "is it an iperf3 server?"),
			   state, expected);
}

int client_fail_connect(struct client *c, int err)
{
	char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";

	if (err == -EINTR)
		return client_fail_io(c, err);
	getnameinfo((const struct sockaddr *)&c->test->peer, c->test->peer_len, host,
		    sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	return client_fail(c, err, _("cannot connect to %.64s port %s: %s"), host, port,
			   strerror(-err));
}
