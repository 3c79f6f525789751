// SPDX-License-Identifier: BSD-2-Clause
/*
 * The local process that is connected to a node. The node parses and evaluates the text of watchdog.erl: erl_scan,
 * erl_parse, erl_eval. Answers of the node may crash or take over this process, so it has no privileges, no files but
 * its two sockets, and little memory.
 */
#include "dist/watchdog_protocol.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/embed.h"
#include "base/process/privileges.h"
#include "base/process/sanitizer.h"
#include "dist/connection.h"
#include "dist/external.h"
#include "dist/watchdog_answer.h"

#define MAX_MEMORY (192u << 20)
#define MAX_FILES 16
#define HEAR_MS 100

extern const char watchdog_text[];
extern const size_t watchdog_text_size;

EMBED("watchdog_text", "user/dist/watchdog.erl");

struct task {
	int ours; /* the socket */
	struct connection connection;
	struct watchdog_order order;
	struct watchdog_order_function *functions;
	char *texts;
	uint64_t *called; /* follows `said` in memory */
	struct watchdog_report *said;
	erlang_pid pid;
};

/* Appends the term at the index of `from`. */
static int append_term(ei_x_buff *to, const ei_x_buff *from)
{
	size_t at = (size_t)from->index, end = external_end(from->buff, (size_t)from->buffsz, at);

	return end ? ei_x_append_buf(to, from->buff + at, (int)(end - at)) : -EPROTO;
}

static void add_atom(ei_x_buff *x, const char *text)
{
	ei_x_encode_atom_len_as(x, text, (int)strlen(text), ERLANG_UTF8, ERLANG_UTF8);
}

/* `text` points to the names of the function; returns those of the next one. */
static const char *add_function(ei_x_buff *x, const char *text, uint32_t arity)
{
	const char *name = text + strlen(text) + 1;

	ei_x_encode_tuple_header(x, 3);
	add_atom(x, text);
	add_atom(x, name);
	ei_x_encode_ulong(x, arity);
	return name + strlen(name) + 1;
}

/* The list of arguments of erl_scan:string/1. */
static void write_scan(ei_x_buff *x)
{
	ei_x_encode_list_header(x, 1);
	/* The text as a list of characters: ei encodes at most 65,535. */
	ei_x_encode_string_len(x, watchdog_text, (int)watchdog_text_size);
	ei_x_encode_empty_list(x);
}

/* Begins a binding {Name, Value}; the caller writes the value. */
static void begin_binding(ei_x_buff *x, const char *name)
{
	ei_x_encode_tuple_header(x, 2);
	add_atom(x, name);
}

/* The flags of trace_pattern. They only make the VM reach our probes: call_time also at returns. */
static void write_flags(ei_x_buff *x, bool entry_only)
{
	ei_x_encode_list_header(x, entry_only ? 1 : 2);
	add_atom(x, "call_count");
	if (!entry_only)
		add_atom(x, "call_time");
	ei_x_encode_empty_list(x);
}

/* Bindings of erl_eval, ordered by name. */
static void write_bindings(ei_x_buff *x, const struct task *task)
{
	const char *text = task->texts;

	ei_x_encode_list_header(x, 4);
	begin_binding(x, "Flags");
	write_flags(x, task->order.entry_only);
	begin_binding(x, "Fs");
	ei_x_encode_list_header(x, (long)task->order.functions);
	for (size_t i = 0; i < task->order.functions; i++)
		text = add_function(x, text, task->functions[i].arity);
	ei_x_encode_empty_list(x);
	begin_binding(x, "Limit");
	ei_x_encode_ulong(x, task->order.limit);
	begin_binding(x, "Us");
	add_atom(x, task->connection.us);
	ei_x_encode_empty_list(x);
}

/* The result of the last step, {ok, Term, ...}, is the first of `count` arguments. */
static int pass_on(ei_x_buff *args, const ei_x_buff *result, int count)
{
	args->index = 0;
	ei_x_encode_list_header(args, count);
	return append_term(args, result);
}

static int step(struct connection *c, const char *module, const char *function, const ei_x_buff *args,
		ei_x_buff *result)
{
	int err = connection_call(c, module, function, args, result);

	return err ? err : watchdog_answer_step(result, !strcmp(function, "exprs") ? "value" : "ok");
}

/* Evaluates the text on the node. `result` is at the value then. */
static int evaluate(struct task *task, ei_x_buff *args, ei_x_buff *result)
{
	struct connection *c = &task->connection;
	int err;

	write_scan(args);
	err = step(c, "erl_scan", "string", args, result);
	if (!err)
		err = pass_on(args, result, 1);
	ei_x_encode_empty_list(args);
	if (!err)
		err = step(c, "erl_parse", "parse_exprs", args, result);
	if (!err)
		err = pass_on(args, result, 2);
	write_bindings(args, task);
	ei_x_encode_empty_list(args);
	return err ? err : step(c, "erl_eval", "exprs", args, result);
}

static void explain(int err, struct watchdog_report *said)
{
	said->err = err;
	snprintf(said->why, sizeof(said->why), "it cannot be asked to set breakpoints: %s",
		 err == -EPROTO	     ? "its answer is not understood"
		 : err == -EPIPE     ? "it ended the connection"
		 : err == -ETIMEDOUT ? "it did not answer in time"
				     : strerror(-err));
}

/* erlbpf has the cookie. */
static int ask_proof(void *data, unsigned int port, uint32_t challenge, struct handshake_proof *proof)
{
	const struct task *task = data;
	struct watchdog_report said = { .state = WATCHDOG_CHALLENGE, .tag = challenge, .number = port };
	int err = side_send(task->ours, &said, sizeof(said), NULL, 0);

	return err ? err : side_receive(task->ours, proof, sizeof(*proof), NULL, 0);
}

static void set(struct task *task, struct watchdog_report *said)
{
	ei_x_buff args = {}, result = {};
	struct connection_to to = {
		.node = task->order.node,
		.ports = task->order.ports,
		.port_count = task->order.port_count < WATCHDOG_PORTS ? task->order.port_count : WATCHDOG_PORTS,
		.epmd_port = task->order.epmd_port,
		.prove = ask_proof,
		.data = task,
	};
	int err;

	said->err = connection_open(&task->connection, &to, said->why);
	if (said->err)
		return;
	err = ei_x_new(&args) || ei_x_new(&result) ? -ENOMEM : evaluate(task, &args, &result);
	if (err)
		explain(err, said);
	else
		watchdog_answer_start(&result, said, &task->pid);
	ei_x_free(&args);
	ei_x_free(&result);
}

/* False: the order is incomplete or invalid. */
static bool take_order(struct task *task)
{
	struct watchdog_order *order = &task->order;
	size_t size;

	if (side_receive(task->ours, order, sizeof(*order), NULL, 0))
		return false;
	size = order->functions * sizeof(*task->functions);
	task->functions = malloc(size + 1);
	task->texts = malloc(order->texts + 1);
	task->said = malloc(sizeof(*task->said) + order->functions * sizeof(*task->called));
	task->called = (uint64_t *)(task->said + 1);
	return task->functions && task->texts && task->said &&
	       !side_receive(task->ours, task->functions, size, NULL, 0) &&
	       !side_receive(task->ours, task->texts, order->texts, NULL, 0);
}

/* Only the sockets remain: a node that takes over this process gets nothing else. */
static int give_up_rights(void)
{
	struct rlimit memory = { MAX_MEMORY, MAX_MEMORY }, files = { MAX_FILES, MAX_FILES }, none = { 0, 0 };
	int err;

	privileges_leave_root();
	err = privileges_keep(0);
	if (!IS_SANITIZED)
		setrlimit(RLIMIT_DATA, &memory);
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_CORE, &none);
	return err ? err : privileges_filter(ROLE_CONNECTION);
}

static const char *const wishes[WATCHDOG_COMMANDS] = {
	[WATCHDOG_COUNT] = "look",
	[WATCHDOG_ON] = "on",
	[WATCHDOG_OFF] = "off",
	[WATCHDOG_STOP] = "stop",
};

/* {Wish, Tag}. */
static void pass_wish(struct task *task, const struct watchdog_command_message *asked)
{
	ei_x_buff wish;

	if (asked->wish >= WATCHDOG_COMMANDS || ei_x_new_with_version(&wish))
		return;
	ei_x_encode_tuple_header(&wish, 2);
	ei_x_encode_atom(&wish, wishes[asked->wish]);
	ei_x_encode_ulong(&wish, asked->tag);
	connection_send(&task->connection, &task->pid, &wish);
	ei_x_free(&wish);
}

static bool is_readable(const struct pollfd *of)
{
	return of->revents & (POLLIN | POLLHUP | POLLERR);
}

/* False: erlbpf has ended. */
static bool hear_ours(struct task *task)
{
	struct watchdog_command_message asked;

	if (side_receive(task->ours, &asked, sizeof(asked), NULL, 0))
		return false;
	pass_wish(task, &asked);
	return true;
}

/* False: the connection has ended. */
static bool hear_node(struct task *task, ei_x_buff *text)
{
	struct watchdog_report *said = task->said;
	int got = connection_hear(&task->connection, HEAR_MS, text);

	*said = (struct watchdog_report){ .state = got < 0 ? WATCHDOG_GONE : WATCHDOG_RUNS };
	if (got > 0)
		watchdog_answer_report(text->buff, (size_t)text->buffsz, said, task->called, task->order.functions);
	if (said->state == WATCHDOG_RUNS)
		return true;
	return !side_send(task->ours, said, sizeof(*said) + said->called * sizeof(*task->called), NULL, 0) && got >= 0;
}

static void watch(struct task *task)
{
	struct pollfd fds[] = { { .fd = task->ours, .events = POLLIN },
				{ .fd = task->connection.fd, .events = POLLIN } };
	ei_x_buff text;
	bool goes_on = !ei_x_new(&text);

	while (goes_on && (poll(fds, 2, -1) > 0 || errno == EINTR)) {
		if (is_readable(&fds[0]))
			goes_on = hear_ours(task);
		if (goes_on && is_readable(&fds[1]))
			goes_on = hear_node(task, &text);
	}
}

void watchdog_task(int fd)
{
	static struct task task; /* too large for a stack */
	struct watchdog_report said = {};
	int err;

	/* Ends with erlbpf even if the node blocks it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	task.ours = fd;
	task.connection.fd = -1;
	if (!take_order(&task))
		return;
	connection_enter(task.order.pid);
	err = give_up_rights();
	if (err)
		explain(err, &said);
	else
		set(&task, &said);
	if (!side_send(fd, &said, sizeof(said), NULL, 0) && !said.err)
		watch(&task);
	/* If the node did something in spite of an error, it undoes that when the connection closes. */
	connection_close(&task.connection);
}
