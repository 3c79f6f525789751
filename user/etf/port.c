// SPDX-License-Identifier: BSD-2-Clause
#include "etf/port.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io/event_loop.h"
#include "base/log.h"
#include "etf/program.h"
#include "etf/term.h"
#include "load/kernel/kernel.h"
#include "options.h"

#define FRAME_HEAD 4
#define FRAME_MOST (1 << 20) /* bytes of a command, mostly program text */

struct port {
	const struct etf_port *ends;
	struct event_loop *waiting;
	struct etf_program *program; /* NULL: no program */
	unsigned char *input;
	size_t used, room;
	bool is_broken; /* the reader of replies is gone */
};

/* A command with its reference. */
struct command {
	struct port *port;
	struct etf_reader *reader;
	struct etf_writer *reply;
};

/* Output frames. */

static void send_bytes(struct port *port, const void *data, size_t size)
{
	const char *at = data;

	while (size && !port->is_broken) {
		ssize_t n = write(port->ends->out, at, size);

		if (n < 0 && errno != EINTR)
			port->is_broken = true;
		if (n > 0) {
			at += n;
			size -= (size_t)n;
		}
	}
	if (port->is_broken)
		event_loop_stop(port->waiting);
}

/* A partial reply is invalid: the port ends. */
static void send(struct port *port, struct etf_writer *writer)
{
	unsigned char head[FRAME_HEAD];

	for (int i = 0; i < FRAME_HEAD; i++)
		head[i] = (unsigned char)(writer->size >> 8 * (FRAME_HEAD - 1 - i));
	port->is_broken |= writer->is_bad || writer->size > INT32_MAX;
	send_bytes(port, head, sizeof(head));
	send_bytes(port, writer->data, writer->size);
	free(writer->data);
}

static void send_ended(struct port *port, int status)
{
	struct etf_writer writer = {};

	etf_write_begin(&writer);
	etf_write_tuple(&writer, 2);
	etf_write_atom(&writer, "ended");
	etf_write_integer(&writer, status);
	send(port, &writer);
}

/* Replies. */

static void write_and_free(struct etf_writer *writer, json_object *value)
{
	etf_write_json(writer, value);
	json_object_put(value);
}

static void reply_error(struct command *command, const char *why)
{
	etf_write_tuple(command->reply, 2);
	etf_write_atom(command->reply, "error");
	etf_write_atom(command->reply, why);
}

/* {error, {Why, [Problem]}}; takes `problems`. */
static void reply_problems(struct command *command, const char *why, json_object *problems)
{
	etf_write_tuple(command->reply, 2);
	etf_write_atom(command->reply, "error");
	etf_write_tuple(command->reply, 2);
	etf_write_atom(command->reply, why);
	write_and_free(command->reply, problems);
}

/* Commands. */

static void forget(struct port *port)
{
	if (port->program && etf_program_runs(port->program))
		event_loop_remove(port->waiting, etf_program_fd(port->program));
	etf_program_free(port->program);
	port->program = NULL;
}

static void on_turn(void *data, uint64_t times)
{
	struct port *port = data;

	(void)times;
	if (etf_program_turn(port->program))
		return;
	event_loop_remove(port->waiting, etf_program_fd(port->program));
	send_ended(port, etf_program_end(port->program));
}

/* NUL-terminated; NULL: out of memory, or it contains NULs, which makes the command invalid. */
static char *take_text(struct etf_reader *reader)
{
	size_t size;
	const char *at = etf_binary(reader, &size);
	char *text = at && !memchr(at, '\0', size) ? strndup(at, size) : NULL;

	reader->is_bad |= !text;
	return text;
}

static void take_pids(struct etf_reader *reader, struct etf_source *source)
{
	size_t count = etf_list(reader);

	reader->is_bad |= count > ETF_PIDS;
	for (size_t i = 0; i < count && !reader->is_bad; i++) {
		source->pids[i] = (pid_t)etf_integer(reader);
		reader->is_bad |= source->pids[i] <= 0;
		source->pid_count++;
	}
	if (count)
		etf_list_end(reader);
}

/* [{Name, Value}], a Value "" means none. */
static void take_options(struct etf_reader *reader, struct etf_source *source, char *texts[2 * ETF_OPTIONS])
{
	size_t count = etf_list(reader);

	reader->is_bad |= count > ETF_OPTIONS;
	for (size_t i = 0; i < count && !reader->is_bad; i++) {
		reader->is_bad |= etf_tuple(reader) != 2;
		texts[2 * i] = take_text(reader);
		texts[2 * i + 1] = take_text(reader);
		source->option_count++;
		if (!reader->is_bad)
			source->options[i] = (struct etf_option){ texts[2 * i],
								  *texts[2 * i + 1] ? texts[2 * i + 1] : NULL };
	}
	if (count)
		etf_list_end(reader);
}

static void reply_compiled(struct command *command)
{
	struct port *port = command->port;
	json_object *problems = port->program ? etf_program_problems(port->program) : NULL;

	if (!port->program) {
		reply_error(command, "enomem");
	} else if (problems) {
		reply_problems(command, "compile", problems);
		forget(port);
	} else {
		etf_write_tuple(command->reply, 2);
		etf_write_atom(command->reply, "ok");
		etf_write_integer(command->reply, (int64_t)etf_program_matched(port->program));
	}
}

/* {Reference, compile, Text, Pids, Options} */
static void do_compile(struct command *command)
{
	struct etf_source source = {
		.text = take_text(command->reader),
		.confined = command->port->ends->confined,
	};
	char *texts[2 * ETF_OPTIONS] = {};

	take_pids(command->reader, &source);
	take_options(command->reader, &source, texts);
	if (etf_is_over(command->reader) && command->port->ends->refusal) {
		free(source.text);
		reply_problems(command, "compile", etf_problem(command->port->ends->refusal));
	} else if (etf_is_over(command->reader)) {
		forget(command->port);
		command->port->program = etf_program_new(&source);
		reply_compiled(command);
	} else {
		free(source.text);
		reply_error(command, "badarg");
	}
	for (size_t i = 0; i < 2 * ETF_OPTIONS; i++)
		free(texts[i]);
}

static void do_go(struct command *command)
{
	struct etf_program *program = command->port->program;

	if (!program || etf_program_runs(program) || etf_program_ended(program)) {
		reply_error(command, program ? "already_started" : "not_compiled");
		return;
	}
	if (!etf_program_go(program)) {
		reply_problems(command, "go", etf_program_problems(program));
		return;
	}
	if (event_loop_add(command->port->waiting, etf_program_fd(program), on_turn, command->port))
		event_loop_stop(command->port->waiting);
	etf_write_atom(command->reply, "ok");
}

/* {ok, Records, Dropped} */
static void do_consume(struct command *command)
{
	size_t dropped;

	if (!command->port->program) {
		reply_error(command, "not_compiled");
		return;
	}
	etf_write_tuple(command->reply, 3);
	etf_write_atom(command->reply, "ok");
	write_and_free(command->reply, etf_program_records(command->port->program, &dropped));
	etf_write_integer(command->reply, (int64_t)dropped);
}

/* {ok, Aggregations} */
static void do_walk(struct command *command)
{
	if (!command->port->program) {
		reply_error(command, "not_compiled");
		return;
	}
	etf_write_tuple(command->reply, 2);
	etf_write_atom(command->reply, "ok");
	write_and_free(command->reply, etf_program_aggregations(command->port->program));
}

/* {ok, Summary}: records and final aggregations remain available. */
static void do_stop(struct command *command)
{
	struct etf_program *program = command->port->program;

	if (!program) {
		reply_error(command, "not_compiled");
		return;
	}
	if (etf_program_runs(program)) {
		event_loop_remove(command->port->waiting, etf_program_fd(program));
		etf_program_end(program);
	}
	etf_write_tuple(command->reply, 2);
	etf_write_atom(command->reply, "ok");
	write_and_free(command->reply, etf_program_summary(program));
}

static const struct {
	const char *name;
	size_t arity; /* of the tuple */
	void (*run)(struct command *command);
} commands[] = {
	{ "compile", 5, do_compile }, { "go", 2, do_go },     { "consume", 2, do_consume },
	{ "walk", 2, do_walk },	      { "stop", 2, do_stop },
};

static void run(struct command *command, const char *name, size_t arity)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (strcmp(commands[i].name, name) != 0 || commands[i].arity != arity)
			continue;
		if (arity > 2 || etf_is_over(command->reader))
			commands[i].run(command);
		else
			reply_error(command, "badarg");
		return;
	}
	reply_error(command, "badarg");
}

/* Without a reference there can be no reply. */
static void take_command(struct port *port, const unsigned char *data, size_t size)
{
	struct etf_reader reader;
	struct etf_writer reply = {};
	struct command command = { port, &reader, &reply };
	char name[ETF_ATOM];
	int64_t reference;
	size_t arity;

	etf_begin(&reader, data, size);
	arity = etf_tuple(&reader);
	reference = etf_integer(&reader);
	etf_atom(&reader, name);
	if (reader.is_bad) {
		pr_err("--etf: expected {Reference, Command, ...} in the external term format");
		port->is_broken = true;
		event_loop_stop(port->waiting);
		return;
	}
	etf_write_begin(&reply);
	etf_write_tuple(&reply, 2);
	etf_write_integer(&reply, reference);
	run(&command, name, arity);
	send(port, &reply);
}

/* Input frames. */

static size_t frame_size(const unsigned char *head)
{
	return (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
}

static bool take_frame(struct port *port)
{
	size_t size = port->used < FRAME_HEAD ? 0 : frame_size(port->input);

	if (size > FRAME_MOST) {
		pr_err("--etf: a command of %zu bytes exceeds the limit of %d", size, FRAME_MOST);
		port->is_broken = true;
		event_loop_stop(port->waiting);
	}
	if (port->is_broken || port->used < FRAME_HEAD || port->used - FRAME_HEAD < size)
		return false;
	take_command(port, port->input + FRAME_HEAD, size);
	port->used -= FRAME_HEAD + size;
	memmove(port->input, port->input + FRAME_HEAD + size, port->used);
	return true;
}

#define PIECE 65536

static void on_input(void *data, uint64_t times)
{
	struct port *port = data;
	ssize_t n;

	(void)times;
	if (!array_has_room_for(port->input, port->room, port->used + PIECE)) {
		event_loop_stop(port->waiting);
		return;
	}
	n = read(port->ends->in, port->input + port->used, PIECE);
	if (n <= 0) {
		if (!n || (errno != EINTR && errno != EAGAIN))
			event_loop_stop(port->waiting);
		return;
	}
	port->used += (size_t)n;
	while (take_frame(port))
		;
}

static void on_death(void *data, uint64_t times)
{
	struct port *port = data;

	(void)times;
	event_loop_stop(port->waiting);
}

int etf_serve(const struct etf_port *ends)
{
	struct port port = { .ends = ends, .waiting = event_loop_new() };
	int err;

	if (!port.waiting)
		return EXIT_FAILED;
	err = event_loop_add(port.waiting, ends->in, on_input, &port);
	if (!err && ends->life >= 0)
		err = event_loop_add(port.waiting, ends->life, on_death, &port);
	while (!err && !event_loop_is_stopped(port.waiting))
		event_loop_turn(port.waiting, -1);
	forget(&port);
	free(port.input);
	event_loop_free(port.waiting);
	return err || port.is_broken ? EXIT_FAILED : EXIT_OK;
}

/* Without rights: connect to the agent, if it allows. Otherwise `compile` and `go` report what is missing. */
static int serve_stdio(void)
{
	const struct etf_port ends = { .in = STDIN_FILENO, .out = STDOUT_FILENO, .life = -1 };
	struct kernel kernel;
	int agent;

	kernel_detect(&kernel);
	agent = kernel_refusal(&kernel) ? relay_connect() : -1;
	return agent < 0 ? etf_serve(&ends) : relay_run(agent);
}

int etf_main(void)
{
	if (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO)) {
		pr_err("--etf needs an Erlang port instead of a terminal; see erlbpf_port in probes/app");
		return EXIT_USAGE;
	}
	return serve_stdio();
}
