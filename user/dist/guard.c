// SPDX-License-Identifier: BSD-2-Clause
/* What guard_task.c says is bounded and printed, and nothing else is done with it. */
#include "dist/guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "dist/guard_protocol.h"
#include "target/procfs.h"

#define SET_MS 30000
#define END_MS 2000
#define EXIT_MS 200

/* Does the node want TLS? It says so on its command line (-proto_dist inet_tls). */
static bool has_tls(pid_t pid)
{
	size_t size = 0;
	_cleanup_free_ char *line = procfs_read(pid, "cmdline", &size);
	static const char word[] = "inet_tls";

	return line && (memmem(line, size, word, sizeof(word)) || memmem(line, size, "inet6_tls", 10));
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
		.ours = getpid(),
		.entry_only = request->entry_only,
		.functions = (uint32_t)request->count,
		.texts = (uint32_t)size_of_texts(request),
	};
	_cleanup_free_ struct guard_order_function *functions = calloc(request->count + 1, sizeof(*functions));
	_cleanup_free_ char *texts = malloc(order.texts + 1);
	int err = functions && texts ? 0 : -ENOMEM;

	snprintf(order.node, sizeof(order.node), "%s", target->node);
	snprintf(order.cookie, sizeof(order.cookie), "%s", request->cookie);
	if (!err)
		put_functions(request, functions, texts);
	if (!err)
		err = side_send(fd, &order, sizeof(order), NULL, 0);
	explicit_bzero(order.cookie, sizeof(order.cookie));
	if (!err)
		err = side_send(fd, functions, request->count * sizeof(*functions), NULL, 0);
	return err ? err : side_send(fd, texts, order.texts, NULL, 0);
}

/* 0 or -errno. */
static int receive(const struct guard *guard, int ms, struct guard_said *said)
{
	struct pollfd fd = { .fd = guard->task.fd, .events = POLLIN };
	uint64_t until = duration_now() + (uint64_t)ms * NS_PER_MS;
	int got;

	do {
		uint64_t now = duration_now();

		got = poll(&fd, 1, now < until ? (int)((until - now) / NS_PER_MS) + 1 : 0);
	} while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got ? -errno : -ETIMEDOUT;
	/* Who sends less than one is not waited for. */
	if (recv(fd.fd, said, sizeof(*said), MSG_DONTWAIT) != (ssize_t)sizeof(*said))
		return -EPIPE;
	said->why[sizeof(said->why) - 1] = '\0';
	return 0;
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

static int give_order(struct guard *guard, const struct target *target, const struct guard_request *request,
		      char why[GUARD_WHY])
{
	struct guard_said said = {};
	int err = send_order(guard->task.fd, target, request);

	if (!err)
		err = receive(guard, SET_MS, &said);
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
	err = side_process_start(&guard->task, "erlbpf-guard", guard_task);
	if (err)
		return say(why, err, "no process can be started that speaks with it");
	err = give_order(guard, target, request, why);
	if (err && has_tls(target->pid))
		say(why, err, "its distribution uses TLS, which is not supported");
	if (err)
		end_task(guard);
	return err;
}

enum guard_state guard_hear(struct guard *guard)
{
	struct guard_said said;

	if (receive(guard, 0, &said))
		return GUARD_GONE;
	return said.state >= GUARD_WATCHES && said.state <= GUARD_DONE ? (enum guard_state)said.state : GUARD_GONE;
}

void guard_end(struct guard *guard)
{
	struct guard_said said;

	if (guard->task.fd < 0)
		return;
	if (!side_send(guard->task.fd, "", 1, NULL, 0))
		(void)receive(guard, END_MS, &said);
	end_task(guard);
}
