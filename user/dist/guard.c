// SPDX-License-Identifier: BSD-2-Clause
/* What guard_task.c says is bounded and printed, and nothing else is done with it. */
#include "dist/guard.h"

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
#include "dist/guard_protocol.h"
#include "dist/handshake.h"
#include "target/procfs.h"
#include "target/socket_table.h"

#define SET_MS 30000
#define EPMD_PORT 4369
#define END_MS 2000
#define EXIT_MS 200
#define REST_MS 200

/* Does the node want TLS? It says so on its command line (-proto_dist inet_tls). */
static bool has_tls(pid_t pid)
{
	size_t size = 0;
	_cleanup_free_ char *line = procfs_read(pid, "cmdline", &size);
	static const char word[] = "inet_tls";

	return line && (memmem(line, size, word, sizeof(word)) || memmem(line, size, "inet6_tls", 10));
}

/* Where the node registers itself: ERL_EPMD_PORT in its environment. */
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

static size_t size_of_texts(const struct guard_request *request)
{
	size_t size = 0;

	for (size_t i = 0; i < request->count; i++)
		size += strlen(request->functions[i].module) + strlen(request->functions[i].name) + 2;
	return size;
}

static void put_functions(const struct guard_request *request, struct guard_order_function *functions, char *texts)
{
	for (size_t i = 0; i < request->count; i++) {
		functions[i].arity = request->functions[i].arity;
		texts = stpcpy(texts, request->functions[i].module) + 1;
		texts = stpcpy(texts, request->functions[i].name) + 1;
	}
}

static int send_order(int fd, const struct target *target, const struct guard_request *request)
{
	struct guard_order order = {
		.limit = request->limit,
		.pid = target->pid,
		.epmd_port = epmd_port_of(target->pid),
		.entry_only = request->entry_only,
		.functions = (uint32_t)request->count,
		.texts = (uint32_t)size_of_texts(request),
	};
	_cleanup_free_ struct guard_order_function *functions = calloc(request->count + 1, sizeof(*functions));
	_cleanup_free_ char *texts = malloc(order.texts + 1);
	int err = functions && texts ? 0 : -ENOMEM;

	snprintf(order.node, sizeof(order.node), "%s", target->node);
	order.port_count = (uint32_t)socket_own_ports(target->pid, order.ports, GUARD_PORTS);
	if (!err)
		put_functions(request, functions, texts);
	if (!err)
		err = side_send(fd, &order, sizeof(order), NULL, 0);
	if (!err)
		err = side_send(fd, functions, request->count * sizeof(*functions), NULL, 0);
	return err ? err : side_send(fd, texts, order.texts, NULL, 0);
}

/* Until there is something to read. 0 or -errno. */
static int wait_until(const struct guard *guard, uint64_t until_ns)
{
	struct pollfd fd = { .fd = guard->task.fd, .events = POLLIN };
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

/* Who sends less than one is not waited for. */
static int take(const struct guard *guard, struct guard_said *said, int flags)
{
	if (recv(guard->task.fd, said, sizeof(*said), MSG_DONTWAIT | flags) != (ssize_t)sizeof(*said))
		return -EPIPE;
	said->why[sizeof(said->why) - 1] = '\0';
	return 0;
}

/* The numbers that follow: who says more, or fewer, than there are functions is not understood. */
static int take_called(struct guard *guard, const struct guard_said *said)
{
	size_t size = guard->functions * sizeof(*guard->called), got = 0;
	uint64_t until = in_ms(REST_MS);

	if (said->called != guard->functions)
		return -EPROTO;
	while (got < size) {
		ssize_t more = recv(guard->task.fd, (char *)guard->called + got, size - got, MSG_DONTWAIT);
		int err = more < 0 ? errno : more ? 0 : EPIPE;

		if (err && ((err != EAGAIN && err != EINTR) || wait_until(guard, until)))
			return -EPIPE;
		got += more > 0 ? (size_t)more : 0;
	}
	guard->answered = said->tag ? said->tag : guard->answered;
	return 0;
}

/* 0 or -errno. */
static int receive(struct guard *guard, int ms, struct guard_said *said)
{
	int err = wait_until(guard, in_ms(ms));

	if (!err)
		err = take(guard, said, 0);
	if (!err && said->state == GUARD_CALLED)
		err = take_called(guard, said);
	return err;
}

/* It has no reason to go on without us; who does so all the same is not waited for. */
static void end_task(struct guard *guard)
{
	pid_t ended = 0;

	close(guard->task.fd);
	for (int ms = 0; !ended && ms < EXIT_MS; ms += 5) {
		ended = waitpid(guard->task.pid, NULL, WNOHANG);
		if (!ended)
			usleep(5000);
	}
	if (!ended && !kill(guard->task.pid, SIGKILL))
		waitpid(guard->task.pid, NULL, 0);
	guard->task = (struct side_process){ .fd = -1 };
}

static int say(char why[GUARD_WHY], int err, const char *reason)
{
	snprintf(why, GUARD_WHY, "%s", reason);
	return err;
}

static bool listens_on(pid_t pid, unsigned int port)
{
	unsigned int ports[GUARD_PORTS];
	size_t count = socket_own_ports(pid, ports, GUARD_PORTS);

	for (size_t i = 0; i < count; i++) {
		if (ports[i] == port)
			return true;
	}
	return false;
}

/* Once, and for a port that is still the node's: who has a proof can try cookies on it. */
static int send_proof(const struct guard *guard, const struct target *target, const char *cookie,
		      const struct guard_said *asked)
{
	struct handshake_proof proof = {};

	if (!listens_on(target->pid, asked->number) ||
	    getrandom(&proof.challenge, sizeof(proof.challenge), 0) != sizeof(proof.challenge))
		return -EPROTO;
	digest_make(cookie, asked->tag, proof.digest);
	digest_make(cookie, proof.challenge, proof.expected);
	return side_send(guard->task.fd, &proof, sizeof(proof), NULL, 0);
}

static int give_order(struct guard *guard, const struct target *target, const struct guard_request *request,
		      char why[GUARD_WHY])
{
	struct guard_said said = {};
	int err = send_order(guard->task.fd, target, request);

	if (!err)
		err = receive(guard, SET_MS, &said);
	if (!err && said.state == GUARD_CHALLENGED) {
		err = send_proof(guard, target, request->cookie, &said);
		if (!err)
			err = receive(guard, SET_MS, &said);
	}
	if (!err && said.state == GUARD_CHALLENGED)
		err = -EPROTO;
	if (err == -ETIMEDOUT)
		return say(why, err, "it did not set the breakpoints within 30 s");
	if (err)
		return say(why, err, "what it answered ended the process that reads its answers");
	if (said.err)
		return say(why, -ECONNREFUSED, said.why);
	guard->count = said.count;
	guard->number = said.number;
	guard->serial = said.serial;
	return 0;
}

int guard_set(struct guard *guard, const struct target *target, const struct guard_request *request,
	      char why[GUARD_WHY])
{
	const char *at = strchr(target->node, '@');
	int err;

	if (!at || !at[1])
		return say(why, -ENOTCONN,
			   "it is not distributed (it has no name), so that nothing can be asked of it");
	*guard = (struct guard){ .called = calloc(request->count + 1, sizeof(*guard->called)),
				 .functions = request->count };
	err = guard->called ? side_process_start(&guard->task, "erlbpf-guard", guard_task) : -ENOMEM;
	if (err)
		guard_free(guard);
	if (err)
		return say(why, err, "no process can be started that speaks with it");
	err = give_order(guard, target, request, why);
	if (err && has_tls(target->pid))
		say(why, err, "its distribution uses TLS, which is not supported");
	if (err) {
		end_task(guard);
		guard_free(guard);
	}
	return err;
}

enum guard_state guard_hear(struct guard *guard)
{
	struct guard_said said;

	if (receive(guard, 0, &said))
		return GUARD_GONE;
	return said.state >= GUARD_WATCHES && said.state <= GUARD_CALLED ? (enum guard_state)said.state : GUARD_GONE;
}

int guard_ask(struct guard *guard, enum guard_wish wish)
{
	struct guard_asked asked = { .wish = wish };

	if (guard_has_ended(guard))
		return -ENOTCONN;
	asked.tag = ++guard->asked;
	return side_send(guard->task.fd, &asked, sizeof(asked), NULL, 0);
}

int guard_wait(struct guard *guard, int ms)
{
	uint64_t until = in_ms(ms);
	struct guard_said said;
	int err = guard_has_ended(guard) ? -ENOTCONN : 0;

	while (!err && guard->answered != guard->asked) {
		err = wait_until(guard, until);
		/* What is no answer stays there, for who tells the user. */
		if (!err)
			err = take(guard, &said, MSG_PEEK);
		if (!err)
			err = said.state == GUARD_CALLED ? receive(guard, 0, &said) : -ECONNRESET;
	}
	return err;
}

void guard_end(struct guard *guard)
{
	uint64_t until = in_ms(END_MS);
	struct guard_said said = { .state = GUARD_CALLED };
	int err;

	if (guard_has_ended(guard))
		return;
	err = guard_ask(guard, GUARD_STOP);
	while (!err && said.state == GUARD_CALLED && duration_now() < until)
		err = receive(guard, END_MS, &said);
	end_task(guard);
}

bool guard_has_ended(const struct guard *guard)
{
	return guard->task.fd < 0;
}

void guard_free(struct guard *guard)
{
	free(guard->called);
	guard->called = NULL;
	guard->functions = 0;
}
