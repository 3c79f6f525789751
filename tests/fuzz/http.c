// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as what a client sends to the agent's HTTP server, in the library that reads them and in ours that answers:
 * in one piece, or in two. The connection is one end of a pair of sockets. What is answered is HTTP, and only paths
 * that there are, asked for by GET or HEAD and under our own name, get more than a refusal.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "fuzz.h"
#include "probe/catalogue.h"
#include "trace/attach.h"
#include "trace/follow.h"
#include "serve/agent/agent_parts.h"
#include "serve/agent/agent_profile.h"
#include "serve/node_view/history.h"
#include "serve/metrics/native.h"
#include "serve/http/page.h"

int __wrap_accept4(int fd, struct sockaddr *at, socklen_t *size, int flags);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static int next_connection = -1;
static struct agent agent;
static struct agent_options options;

/* In place of that of the C library. */
int __wrap_accept4(int fd, struct sockaddr *at, socklen_t *size, int flags)
{
	int connection = next_connection;

	(void)fd;
	(void)flags;
	next_connection = -1;
	if (connection < 0) {
		errno = EAGAIN;
		return -1;
	}
	memset(at, 0, sizeof(*at));
	at->sa_family = AF_UNIX;
	*size = sizeof(*at);
	return connection;
}

/* In place of the rest of the agent, which traces nothing. */
void agent_read_now(struct agent *of)
{
	of->reading.version++;
}

const struct pod *node_labels_pod(struct node_labels *of, const struct target *target)
{
	static const struct pod none;

	(void)of;
	(void)target;
	return &none;
}

const char *attachment_source(const struct attachment *a)
{
	(void)a;
	return "";
}

char *attachment_refusal(const struct attachment *a)
{
	(void)a;
	return NULL;
}

size_t follow_count(const struct follow *follow)
{
	(void)follow;
	return 0;
}

const struct attachment *follow_get(const struct follow *follow, size_t i)
{
	(void)follow;
	(void)i;
	return NULL;
}

bool follow_is_over(const struct follow *follow, size_t i)
{
	(void)follow;
	(void)i;
	return true;
}

enum governor_level overhead_level(const struct overhead *overhead, size_t i)
{
	(void)overhead;
	(void)i;
	return GOVERNOR_FULL;
}

json_object *findings_json(struct findings *findings)
{
	(void)findings;
	return NULL;
}

/* With what is read of the query. */
static void answer_query(const char *const *names, const struct http_request *request, struct http_reply *reply)
{
	size_t length = 0;

	for (; *names; names++) {
		const char *value = http_argument(request, *names);

		length += value ? strlen(value) : 0;
	}
	reply->status = length ? 200 : 404;
}

void process_table_answer(struct process_table *table, const struct http_request *request, struct http_reply *reply)
{
	static const char *const names[] = { "os_pid", "node", "pid", "sort", "filter", "rows", NULL };

	(void)table;
	answer_query(names, request, reply);
}

void agent_profiles_answer(struct agent_profiles *profiles, const struct http_request *request,
			   struct http_reply *reply)
{
	static const char *const names[] = { "seconds", "node", "format", "mode", "hz", NULL };

	(void)profiles;
	answer_query(names, request, reply);
}

json_object *scripts_json(const struct scripts *scripts)
{
	(void)scripts;
	return NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const struct metric_label label = { "node", "a\"b\\c\n@host" };

	(void)argc;
	(void)argv;
	agent.options = &options;
	agent.metrics = metrics_new(20);
	metrics_tell(agent.metrics, metrics_family(agent.metrics, "erlbpf_hits", "Hits.", METRIC_COUNTER, UNIT_NONE, 1),
		     &label, 42);
	agent.history = history_new();
	agent.reading.is_in_turns = true;
	agent.http = http_new("127.0.0.1:0", NULL, agent_answer, &agent);
	if (!agent.metrics || !agent.history || !agent.http)
		abort();
	return 0;
}

/* What has been answered so far is added to `answer`. False: the server has closed. */
static bool read_answer(int fd, char *answer, size_t room, size_t *have)
{
	ssize_t n = recv(fd, answer + *have, room - *have, MSG_DONTWAIT);

	*have += n > 0 ? (size_t)n : 0;
	return n > 0 || (n < 0 && errno == EAGAIN);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static void check_answer(const char *answer, size_t size, const uint8_t *asked, size_t asked_size)
{
	bool is_taken = begins(answer, "HTTP/1.1 200") || begins(answer, "HTTP/1.0 200");

	if (!size)
		return;
	must(begins(answer, "HTTP/1.1 ") || begins(answer, "HTTP/1.0 "), "what is answered is HTTP");
	must(!is_taken || memmem(asked, asked_size, "GET", 3) || memmem(asked, asked_size, "HEAD", 4),
	     "only GET and HEAD are taken");
	must(!is_taken || strstr(answer, "X-Content-Type-Options: nosniff"),
	     "an answer says what browsers must not do");
}

static void send_part(int fd, const uint8_t *data, size_t size)
{
	if (size && send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return;
	http_run(agent.http);
	http_run(agent.http);
}

static void fuzz(const uint8_t *data, size_t size)
{
	static char answer[1 << 20];
	size_t have = 0, first = size ? data[0] * size / 256 : 0;
	int ends[2];

	if (!size)
		return;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends))
		abort();
	first = first < size - 1 ? first : size - 1;
	next_connection = ends[1];
	http_run(agent.http);
	send_part(ends[0], data + 1, first);
	send_part(ends[0], data + 1 + first, size - 1 - first);
	shutdown(ends[0], SHUT_WR);
	for (int i = 0; i < 16; i++) {
		http_run(agent.http);
		if (!read_answer(ends[0], answer, sizeof(answer) - 1, &have))
			break;
	}
	answer[have] = '\0';
	check_answer(answer, have, data + 1, size - 1);
	close(ends[0]);
	http_run(agent.http);
	http_run(agent.http);
	agent_forget_answers(&agent);
}
