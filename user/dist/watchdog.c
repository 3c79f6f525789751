// SPDX-License-Identifier: BSD-2-Clause
/* Messages of watchdog_task.c are untrusted: they are bounded, and printed at most. */
#include "dist/watchdog.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "dist/watchdog_protocol.h"
#include "dist/handshake.h"
#include "target/reader/procfs.h"
#include "target/socket_table.h"

#define SET_MS 30000
#define EPMD_PORT 4369
#define END_MS 2000
#define EXIT_MS 200
#define REST_MS 200

/* True if the node's command line selects TLS (-proto_dist inet_tls). */
static bool has_tls(pid_t pid)
{
	size_t size = 0;
	_cleanup_free_ char *line = procfs_read(pid, "cmdline", &size);
	static const char word[] = "inet_tls";

	return line && (memmem(line, size, word, sizeof(word)) || memmem(line, size, "inet6_tls", 10));
}

/* The port of the node's epmd: ERL_EPMD_PORT in its environment, or the default. */
static uint32_t epmd_port_of(pid_t pid)
{
	static const char name[] = "ERL_EPMD_PORT=";
	size_t size = 0;
	_cleanup_free_ char *environment = procfs_read(pid, "environ", &size);
	const char *end = environment + size;

	for (const char *at = environment; environment && at < end; at += strlen(at) + 1) {
		unsigned long port = strncmp(at, name, strlen(name)) ? 0 : strtoul(at + strlen(name), NULL, 10);

		if (port && port <= UINT16_MAX)
			return (uint32_t)port;
	}
	return EPMD_PORT;
}

static size_t size_of_texts(const struct watchdog_request *request)
{
	size_t size = 0;

	for (size_t i = 0; i < request->count; i++)
		size += strlen(request->functions[i].module) + strlen(request->functions[i].name) + 2;
	return size;
}

static void put_functions(const struct watchdog_request *request, struct watchdog_order_function *functions,
			  char *texts)
{
	for (size_t i = 0; i < request->count; i++) {
		functions[i].arity = request->functions[i].arity;
		texts = stpcpy(texts, request->functions[i].module) + 1;
		texts = stpcpy(texts, request->functions[i].name) + 1;
	}
}

static int send_order(int fd, const struct target *target, const struct watchdog_request *request)
{
	struct watchdog_order order = {
		.limit = request->limit,
		.pid = target->pid,
		.epmd_port = epmd_port_of(target->pid),
		.entry_only = request->entry_only,
		.functions = (uint32_t)request->count,
		.texts = (uint32_t)size_of_texts(request),
	};
	_cleanup_free_ struct watchdog_order_function *functions = calloc(request->count + 1, sizeof(*functions));
	_cleanup_free_ char *texts = malloc(order.texts + 1);
	int err = functions && texts ? 0 : -ENOMEM;

	snprintf(order.node, sizeof(order.node), "%s", target->node);
	order.port_count = (uint32_t)socket_own_ports(target->pid, order.ports, WATCHDOG_PORTS);
	if (!err)
		put_functions(request, functions, texts);
	if (!err)
		err = side_send(fd, &order, sizeof(order), NULL, 0);
	if (!err)
		err = side_send(fd, functions, request->count * sizeof(*functions), NULL, 0);
	return err ? err : side_send(fd, texts, order.texts, NULL, 0);
}

/* Waits until the socket is readable. 0 or -errno. */
static int wait_until(const struct watchdog *watchdog, uint64_t until_ns)
{
	struct pollfd fd = { .fd = watchdog->task.fd, .events = POLLIN };
	int got;

	do {
		uint64_t now = duration_now();

		got = poll(&fd, 1, now < until_ns ? (int)((until_ns - now) / NS_PER_MS) + 1 : 0);
	} while (got < 0 && errno == EINTR);
	return got > 0 ? 0 : got ? -errno : -ETIMEDOUT;
}

static uint64_t in_ms(int ms)
{
	return duration_now() + (uint64_t)ms * NS_PER_MS;
}

/* A short message is an error. */
static int take(const struct watchdog *watchdog, struct watchdog_report *said, int flags)
{
	if (recv(watchdog->task.fd, said, sizeof(*said), MSG_DONTWAIT | flags) != (ssize_t)sizeof(*said))
		return -EPIPE;
	said->why[sizeof(said->why) - 1] = '\0';
	return 0;
}

/* Receives the counts, which must be as many as functions. */
static int take_called(struct watchdog *watchdog, const struct watchdog_report *said)
{
	size_t size = watchdog->functions * sizeof(*watchdog->called), got = 0;
	uint64_t until = in_ms(REST_MS);

	if (said->called != watchdog->functions)
		return -EPROTO;
	while (got < size) {
		ssize_t more = recv(watchdog->task.fd, (char *)watchdog->called + got, size - got, MSG_DONTWAIT);
		int err = more < 0 ? errno : more ? 0 : EPIPE;

		if (err && ((err != EAGAIN && err != EINTR) || wait_until(watchdog, until)))
			return -EPIPE;
		got += more > 0 ? (size_t)more : 0;
	}
	watchdog->answered = said->tag ? said->tag : watchdog->answered;
	return 0;
}

/* 0 or -errno. */
static int receive(struct watchdog *watchdog, int ms, struct watchdog_report *said)
{
	int err = wait_until(watchdog, in_ms(ms));

	if (!err)
		err = take(watchdog, said, 0);
	if (!err && said->state == WATCHDOG_COUNTS)
		err = take_called(watchdog, said);
	return err;
}

/* The process ends when its socket closes; if it does not, it is killed. */
static void end_task(struct watchdog *watchdog)
{
	pid_t ended = 0;

	close(watchdog->task.fd);
	for (int ms = 0; !ended && ms < EXIT_MS; ms += 5) {
		ended = waitpid(watchdog->task.pid, NULL, WNOHANG);
		if (!ended)
			usleep(5000);
	}
	if (!ended && !kill(watchdog->task.pid, SIGKILL))
		waitpid(watchdog->task.pid, NULL, 0);
	watchdog->task = (struct side_process){ .fd = -1 };
}

static int say(char why[WATCHDOG_REASON], int err, const char *reason)
{
	snprintf(why, WATCHDOG_REASON, "%s", reason);
	return err;
}

static bool listens_on(pid_t pid, unsigned int port)
{
	unsigned int ports[WATCHDOG_PORTS];
	size_t count = socket_own_ports(pid, ports, WATCHDOG_PORTS);

	for (size_t i = 0; i < count; i++) {
		if (ports[i] == port)
			return true;
	}
	return false;
}

/* Sends the proof once, and only for a port of the node: a receiver can try cookies on it. */
static int send_proof(const struct watchdog *watchdog, const struct target *target, const char *cookie,
		      const struct watchdog_report *asked)
{
	struct handshake_proof proof = {};

	if (!listens_on(target->pid, asked->number) ||
	    getrandom(&proof.challenge, sizeof(proof.challenge), 0) != sizeof(proof.challenge))
		return -EPROTO;
	digest_make(cookie, asked->tag, proof.digest);
	digest_make(cookie, proof.challenge, proof.expected);
	return side_send(watchdog->task.fd, &proof, sizeof(proof), NULL, 0);
}

static int give_order(struct watchdog *watchdog, const struct target *target, const struct watchdog_request *request,
		      char why[WATCHDOG_REASON])
{
	struct watchdog_report said = {};
	int err = send_order(watchdog->task.fd, target, request);

	if (!err)
		err = receive(watchdog, SET_MS, &said);
	if (!err && said.state == WATCHDOG_CHALLENGE) {
		err = send_proof(watchdog, target, request->cookie, &said);
		if (!err)
			err = receive(watchdog, SET_MS, &said);
	}
	if (!err && said.state == WATCHDOG_CHALLENGE)
		err = -EPROTO;
	if (err == -ETIMEDOUT)
		return say(why, err, "it did not set the breakpoints within 30 s");
	if (err)
		return say(why, err, "what it answered ended the process that reads its answers");
	if (said.err)
		return say(why, -ECONNREFUSED, said.why);
	watchdog->count = said.count;
	watchdog->number = said.number;
	watchdog->serial = said.serial;
	return 0;
}

int watchdog_start(struct watchdog *watchdog, const struct target *target, const struct watchdog_request *request,
		   char why[WATCHDOG_REASON])
{
	const char *at = strchr(target->node, '@');
	int err;

	if (!at || !at[1])
		return say(why, -ENOTCONN,
			   "it is not distributed (it has no name), so that nothing can be asked of it");
	*watchdog = (struct watchdog){ .called = calloc(request->count + 1, sizeof(*watchdog->called)),
				       .functions = request->count };
	err = watchdog->called ? side_process_start(&watchdog->task, "erlbpf-dist", watchdog_task) : -ENOMEM;
	if (err)
		watchdog_free(watchdog);
	if (err)
		return say(why, err, "no process can be started that speaks with it");
	err = give_order(watchdog, target, request, why);
	if (err && has_tls(target->pid))
		say(why, err, "its distribution uses TLS, which is not supported");
	if (err) {
		end_task(watchdog);
		watchdog_free(watchdog);
	}
	return err;
}

enum watchdog_state watchdog_receive(struct watchdog *watchdog)
{
	struct watchdog_report said;

	if (receive(watchdog, 0, &said))
		return WATCHDOG_GONE;
	return said.state >= WATCHDOG_RUNS && said.state <= WATCHDOG_COUNTS ? (enum watchdog_state)said.state
									    : WATCHDOG_GONE;
}

int watchdog_send(struct watchdog *watchdog, enum watchdog_command wish)
{
	struct watchdog_command_message asked = { .wish = wish };

	if (watchdog_has_ended(watchdog))
		return -ENOTCONN;
	asked.tag = ++watchdog->asked;
	return side_send(watchdog->task.fd, &asked, sizeof(asked), NULL, 0);
}

int watchdog_wait(struct watchdog *watchdog, int ms)
{
	uint64_t until = in_ms(ms);
	struct watchdog_report said;
	int err = watchdog_has_ended(watchdog) ? -ENOTCONN : 0;

	while (!err && watchdog->answered != watchdog->asked) {
		err = wait_until(watchdog, until);
		/* A report that is not a count stays in the socket for watchdog_receive(). */
		if (!err)
			err = take(watchdog, &said, MSG_PEEK);
		if (!err)
			err = said.state == WATCHDOG_COUNTS ? receive(watchdog, 0, &said) : -ECONNRESET;
	}
	return err;
}

void watchdog_stop(struct watchdog *watchdog)
{
	uint64_t until = in_ms(END_MS);
	struct watchdog_report said = { .state = WATCHDOG_COUNTS };
	int err;

	if (watchdog_has_ended(watchdog))
		return;
	err = watchdog_send(watchdog, WATCHDOG_STOP);
	while (!err && said.state == WATCHDOG_COUNTS && duration_now() < until)
		err = receive(watchdog, END_MS, &said);
	end_task(watchdog);
}

bool watchdog_has_ended(const struct watchdog *watchdog)
{
	return watchdog->task.fd < 0;
}

void watchdog_free(struct watchdog *watchdog)
{
	free(watchdog->called);
	watchdog->called = NULL;
	watchdog->functions = 0;
}
