// SPDX-License-Identifier: BSD-2-Clause
/*
 * The session prints JSON lines, as with -j, into a memory stream; each line is parsed again. So a port gets what a
 * JSON reader gets.
 */
#include "etf/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "d/compile.h"
#include "dtrace/provider/probes.h"
#include "dtrace/options/options.h"
#include "dtrace/options/script.h"
#include "dtrace/session/session.h"
#include "load/guardian/guardian.h"
#include "load/kernel/kernel.h"
#include "out/json_line.h"

#define LINE_MOST (16 << 20)
#define ERRORS 4096

/* Confined programs. */
#define RING_BYTES (256 << 10)
#define MAP_BYTES (16 << 20)

struct etf_program {
	struct d_options options;
	struct unit *unit;
	struct probes *probes;
	struct probes_options probes_options;
	struct session_options session_options;
	struct session *session;
	const struct etf_confinement *confined; /* NULL: with our rights */
	struct kernel kernel;
	pid_t pids[ETF_PIDS];
	FILE *to;
	char *text, *line;
	size_t line_size, line_room;
	bool is_running, is_over, is_bad;
	size_t record_count, record_bytes, dropped;
	json_object *records, *aggregations, *summary;
	char errors[ERRORS];
};

/* Output. */

static void take_line(struct etf_program *program)
{
	json_object *object = json_tokener_parse(program->line);
	const char *type = json_object_get_string(json_object_object_get(object, "type"));

	if (!type) {
		json_object_put(object);
	} else if (!strcmp(type, "aggregation")) {
		json_object_array_add(program->aggregations, object);
	} else if (!strcmp(type, "summary")) {
		json_object_put(program->summary);
		program->summary = object;
	} else if (program->record_count == ETF_RECORDS || program->record_bytes >= ETF_RECORD_BYTES) {
		program->dropped++;
		json_object_put(object);
	} else {
		program->record_count++;
		program->record_bytes += program->line_size;
		json_object_array_add(program->records, object);
	}
}

static ssize_t on_write(void *cookie, const char *data, size_t size)
{
	struct etf_program *program = cookie;

	if (program->line_size + size + 1 > LINE_MOST ||
	    !array_has_room_for(program->line, program->line_room, program->line_size + size + 1)) {
		program->line_size = 0;
		program->dropped++;
		return (ssize_t)size;
	}
	for (size_t i = 0; i < size; i++) {
		program->line[program->line_size++] = data[i];
		if (data[i] != '\n')
			continue;
		program->line[program->line_size - 1] = '\0';
		take_line(program);
		program->line_size = 0;
	}
	return (ssize_t)size;
}

/* From text to probes. */

static void add_problem(json_object *problems, int line, const char *tag, const char *text)
{
	json_object *problem = json_new();

	json_add(problem, "line", line ? json_signed(line) : NULL);
	json_add_text(problem, "tag", tag);
	json_add_text(problem, "text", text);
	json_push(problems, problem);
}

json_object *etf_problem(const char *text)
{
	json_object *problems = json_new_list();

	add_problem(problems, 0, NULL, text);
	return problems;
}

json_object *etf_program_problems(struct etf_program *program)
{
	const struct d_message *message = program->unit ? program->unit->diag.first : NULL;
	json_object *problems;

	if (!program->is_bad)
		return NULL;
	problems = json_new_list();
	for (; message; message = message->next) {
		if (!message->is_warning)
			add_problem(problems, message->line, message->tag, message->text);
	}
	if (program->errors[0])
		add_problem(problems, 0, NULL, program->errors);
	if (!json_object_array_length(problems))
		add_problem(problems, 0, NULL, strerror(ENOMEM));
	return problems;
}

/* NULL, or the reason for an error. Confined programs have the options of scripts without a command line. */
static const char *set_option(struct etf_program *program, const struct etf_option *option, char *why, size_t size)
{
	enum d_option_place place = program->confined ? D_OPTION_PRAGMA : D_OPTION_COMMAND;
	enum d_option_error error = d_option_set(&program->options, place, option->name, option->value);

	if (error)
		return d_option_problem(error);
	return program->confined ? script_refuses_option(&program->options, option->name, why, size) : NULL;
}

static bool set_options(struct etf_program *program, const struct etf_source *source)
{
	for (size_t i = 0; i < source->option_count; i++) {
		char text[64];
		const char *why = set_option(program, &source->options[i], text, sizeof(text));

		if (!why)
			continue;
		snprintf(program->errors, sizeof(program->errors), "option %s: %s", source->options[i].name, why);
		return false;
	}
	return true;
}

static bool compile(struct etf_program *program)
{
	char name[] = "port";

	program->unit = unit_new(&program->options.unit);
	return program->unit && script_compile(program->unit, &program->options, name, program->text,
					       program->probes_options.pid_count ? program->pids[0] : -1);
}

static void confine(struct etf_program *program)
{
	struct session_options *options = &program->session_options;

	options->is_confined = true;
	options->select = program->confined->select;
	options->map_bytes = MAP_BYTES;
	if (!options->ring_size)
		options->ring_size = RING_BYTES;
}

static bool build(struct etf_program *program)
{
	struct d_options *options = &program->options;

	program->session_options = (struct session_options){
		.quiet = true,
		.zero_ok = options->zero_ok,
		.drop_tags = options->drop_tags,
		.max_overhead = options->max_overhead,
		.samples = options->samples,
		.ring_size = options->bufsize,
		.cpu = options->cpu,
		.switch_ns = options->switchrate_ns,
		.status_ns = options->statusrate_ns,
		.name = "erlbpf",
		.wait_for = program->pids,
		.wait_count = program->probes_options.pid_count,
		.kernel = &program->kernel,
		.setopt = d_option_set_running,
		.setopt_data = options,
	};
	if (program->confined)
		confine(program);
	program->session = session_new(program->unit, program->probes, &program->session_options, &options->consumer);
	return program->session && session_build(program->session);
}

static bool make(struct etf_program *program, const struct etf_source *source)
{
	program->to = fopencookie(program, "w", (cookie_io_functions_t){ .write = on_write });
	program->records = json_object_new_array();
	program->aggregations = json_object_new_array();
	if (!program->to || !program->records || !program->aggregations || !set_options(program, source))
		return false;
	setvbuf(program->to, NULL, _IOLBF, BUFSIZ);
	program->options.consumer.quiet = true;
	program->options.consumer.json = true;
	program->options.consumer.to = program->to;
	memcpy(program->pids, source->pids, source->pid_count * sizeof(*program->pids));
	program->probes_options = (struct probes_options){
		.pids = program->pids,
		.pid_count = source->pid_count,
		.select = program->confined ? program->confined->select : NULL,
		.only_nodes = program->confined,
	};
	program->options.unit.is_confined = program->confined;
	program->probes = probes_new(&program->probes_options);
	return program->probes && compile(program) && build(program);
}

struct etf_program *etf_program_new(const struct etf_source *source)
{
	struct etf_program *program = calloc(1, sizeof(*program));

	if (!program) {
		free(source->text);
		return NULL;
	}
	program->text = source->text;
	program->confined = source->confined;
	d_options_init(&program->options);
	if (source->confined)
		program->kernel = *source->confined->kernel;
	else
		kernel_detect(&program->kernel);
	log_keep_errors(program->errors, sizeof(program->errors));
	program->is_bad = !make(program, source);
	log_keep_errors(NULL, 0);
	return program;
}

void etf_program_free(struct etf_program *program)
{
	if (!program)
		return;
	if (program->is_running)
		session_forget_reader(program->session);
	etf_program_end(program);
	session_free(program->session);
	if (program->unit)
		unit_free(program->unit);
	probes_free(program->probes);
	if (program->to)
		fclose(program->to);
	d_options_free(&program->options);
	json_object_put(program->records);
	json_object_put(program->aggregations);
	json_object_put(program->summary);
	free(program->text);
	free(program->line);
	free(program);
}

size_t etf_program_matched(const struct etf_program *program)
{
	return session_matched(program->session, 0, UINT32_MAX);
}

/* Running. */

static bool start(struct etf_program *program)
{
	const char *refusal = kernel_refusal(&program->kernel);
	int err;

	if (refusal) {
		pr_err("%s", refusal);
		return false;
	}
	if (guardian_start())
		return false;
	err = session_load(program->session);
	if (!err)
		err = session_prepare(program->session);
	if (err)
		return false;
	err = session_start(program->session);
	if (err)
		session_end(program->session);
	return !err;
}

bool etf_program_go(struct etf_program *program)
{
	program->errors[0] = '\0';
	log_keep_errors(program->errors, sizeof(program->errors));
	program->is_running = start(program);
	log_keep_errors(NULL, 0);
	program->is_bad = program->is_over = !program->is_running;
	return program->is_running;
}

bool etf_program_runs(const struct etf_program *program)
{
	return program->is_running;
}

bool etf_program_ended(const struct etf_program *program)
{
	return program->is_over;
}

int etf_program_fd(const struct etf_program *program)
{
	return session_fd(program->session);
}

bool etf_program_turn(struct etf_program *program)
{
	return session_turn(program->session);
}

int etf_program_end(struct etf_program *program)
{
	if (!program->is_running)
		return 0;
	program->is_running = false;
	program->is_over = true;
	/* Printed again, as at the end. */
	json_object_put(program->aggregations);
	program->aggregations = json_object_new_array();
	return session_end(program->session);
}

/* Results. */

json_object *etf_program_records(struct etf_program *program, size_t *dropped)
{
	json_object *records = program->records;

	*dropped = program->dropped;
	program->records = json_object_new_array();
	program->record_count = program->record_bytes = program->dropped = 0;
	return records;
}

json_object *etf_program_aggregations(struct etf_program *program)
{
	if (program->is_over)
		return json_object_get(program->aggregations);
	json_object_put(program->aggregations);
	program->aggregations = json_object_new_array();
	if (program->is_running)
		session_show_aggregations(program->session);
	return json_object_get(program->aggregations);
}

json_object *etf_program_summary(struct etf_program *program)
{
	return json_object_get(program->summary);
}
