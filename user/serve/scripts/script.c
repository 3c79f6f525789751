// SPDX-License-Identifier: BSD-2-Clause
#include "d/compile.h"
#include "serve/scripts/script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/io/event_loop.h"
#include "base/log.h"
#include "dtrace/options/options.h"
#include "dtrace/options/script.h"
#include "dtrace/provider/probes.h"
#include "dtrace/session/session.h"
#include "out/json_line.h"

#define FILE_MOST (256 << 10)  /* a longer one takes long to compile */
#define RING_BYTES (256 << 10) /* its records are usually dropped */
#define SWITCH_NS (200 * NS_PER_MS)
#define MAP_BYTES (32 << 20)
#define READ_SHARE 25 /* limit of the CPU time for reading: 1/N of a CPU */
#define ERROR_SIZE 1024

enum step { STEP_COMPILE, STEP_BUILD, STEP_LOAD, STEP_PREPARE, STEP_START, STEP_DONE };

/* A compiled program with everything that it needs. */
struct script_program {
	struct d_options options;
	struct unit *unit;
	struct probes *probes;
	struct probes_options probes_options;
	struct session_options session_options;
	struct session *session;
	FILE *log; /* its output, for debugging */
	char line[256];
	size_t line_size;
	size_t matched;
	char *path, *text;
	enum step step;
};

struct script {
	const struct script_setup *setup;
	char file[SCRIPT_FILE + 1];
	struct stat seen;
	struct script_program *now, *next; /* NULL: none */
	struct script_metrics *values;	   /* of the program that runs, or ran last */
	enum script_state state;
	int status;		   /* exit code */
	size_t matched;		   /* probes, when it was started */
	char error[ERROR_SIZE];	   /* error in the present file; "": none */
	uint64_t read_ns, took_ns; /* time and duration of the last reading */
	struct d_drops losses;	   /* of the last program that has ended */
	uint64_t faults, muted;
};

/* What it prints. */

/* Line by line to the log. */
static ssize_t log_write(void *cookie, const char *data, size_t size)
{
	struct script_program *program = cookie;

	for (size_t i = 0; i < size; i++) {
		bool is_end = data[i] == '\n';

		if (!is_end && program->line_size + 1 < sizeof(program->line)) {
			program->line[program->line_size++] = data[i];
			continue;
		}
		program->line[program->line_size] = '\0';
		if (program->line_size)
			pr_debug("%s: %s", program->path, program->line);
		program->line_size = 0;
	}
	return (ssize_t)size;
}

static FILE *log_open(struct script_program *program)
{
	FILE *log = fopencookie(program, "w", (cookie_io_functions_t){ .write = log_write });

	if (log)
		setvbuf(log, NULL, _IOLBF, BUFSIZ);
	return log;
}

/* Programs. */

static void program_free(struct script_program *program)
{
	if (!program)
		return;
	if (program->session)
		session_free(program->session);
	if (program->unit)
		unit_free(program->unit);
	if (program->probes)
		probes_free(program->probes);
	if (program->log)
		fclose(program->log);
	d_options_free(&program->options);
	free(program->path);
	free(program->text);
	free(program);
}

static struct script_program *program_new(const struct script *script)
{
	struct script_program *program = calloc(1, sizeof(*program));

	if (!program)
		return NULL;
	d_options_init(&program->options);
	program->options.consumer.quiet = true;
	program->options.consumer.program = script->file;
	program->options.consumer.mute = !log_shows(LOG_VERBOSE);
	program->log = log_open(program);
	program->options.consumer.to = program->log;
	program->probes = probes_new(&program->probes_options);
	if (asprintf(&program->path, "%s/%s", script->setup->directory, script->file) < 0)
		program->path = NULL;
	if (!program->log || !program->probes || !program->path) {
		program_free(program);
		return NULL;
	}
	return program;
}

/* Steps: each returns 0, or -errno with the reason in `error` or in the unit's messages. */

static int read_file(struct script_program *program, char *error)
{
	size_t size = 0;

	program->text = script_read(program->path, &size);
	if (!program->text) {
		snprintf(error, ERROR_SIZE, "cannot read it: %s", strerror(errno));
		return -EIO;
	}
	if (strlen(program->text) != size) {
		snprintf(error, ERROR_SIZE, "it contains a NUL character");
		return -EINVAL;
	}
	return 0;
}

static int compile(struct script_program *program, char *error)
{
	int err = read_file(program, error);

	if (err)
		return err;
	program->unit = unit_new(&program->options.unit);
	if (!program->unit)
		return -ENOMEM;
	return script_compile(program->unit, &program->options, program->path, program->text, -1) ? 0 : -EINVAL;
}

static int build(struct script_program *program, const struct script_setup *setup)
{
	struct d_options *options = &program->options;

	program->session_options = (struct session_options){
		.quiet = true,
		.zero_ok = options->zero_ok,
		.drop_tags = options->drop_tags,
		.ring_size = options->bufsize ? options->bufsize : RING_BYTES,
		.map_bytes = MAP_BYTES,
		.cpu = -1,
		.switch_ns = options->switchrate_ns > SWITCH_NS ? options->switchrate_ns : SWITCH_NS,
		.name = options->consumer.program,
		.waits_for_nodes = true,
		.select = setup->select,
		.kernel = setup->kernel,
		.setopt = d_option_set_running,
		.setopt_data = options,
	};
	program->session = session_new(program->unit, program->probes, &program->session_options, &options->consumer);
	if (!program->session)
		return -errno;
	if (!session_build(program->session))
		return -EINVAL;
	program->matched = session_matched(program->session, 0, UINT32_MAX);
	return 0;
}

static int program_step(struct script_program *program, const struct script_setup *setup, char *error)
{
	switch (program->step) {
	case STEP_COMPILE: return compile(program, error);
	case STEP_BUILD: return build(program, setup);
	case STEP_LOAD: return session_load(program->session);
	case STEP_PREPARE: return session_prepare(program->session);
	case STEP_START: return session_start(program->session);
	case STEP_DONE: break;
	}
	return 0;
}

/* "line 3: [D_SYNTAX] ...", a line for each, as far as there is room. */
static void add_messages(const struct script_program *program, char *error)
{
	const struct d_message *message = program->unit ? program->unit->diag.first : NULL;

	for (; message; message = message->next) {
		size_t used = strlen(error);
		char line[24] = "";

		if (message->is_warning || used + 1 >= ERROR_SIZE)
			continue;
		if (message->line > 0)
			snprintf(line, sizeof(line), "line %d: ", message->line);
		snprintf(error + used, ERROR_SIZE - used, "%s%s%s%s%s%s", used ? "\n" : "", line,
			 message->tag ? "[" : "", message->tag ? message->tag : "", message->tag ? "] " : "",
			 message->text);
	}
}

/* Scripts. */

struct script *script_new(const struct script_setup *setup, const char *file)
{
	struct script *script = calloc(1, sizeof(*script));

	if (!script)
		return NULL;
	script->setup = setup;
	snprintf(script->file, sizeof(script->file), "%s", file);
	return script;
}

/* Still reports what was lost. */
static void keep_account(struct script *script)
{
	const struct session *session = script->now->session;

	script->losses = session_losses(session);
	script->faults = session_faults(session);
	script->muted = session_muted(session);
}

/* Runs END and reads its results. */
static void end_program(struct script *script)
{
	if (!script->now)
		return;
	event_loop_remove(script->setup->waiting, session_fd(script->now->session));
	script->status = session_end(script->now->session);
	keep_account(script);
	if (script->values)
		script_metrics_read(script->values, script->now->session, &script->setup->host);
	program_free(script->now);
	script->now = NULL;
}

static void forget_values(struct script *script)
{
	script_metrics_free(script->values);
	script->values = NULL;
}

static void on_turn(void *data, uint64_t times)
{
	struct script *script = data;

	(void)times;
	if (session_turn(script->now->session))
		return;
	end_program(script);
	script->state = SCRIPT_ENDED;
	pr_debug("%s/%s has ended with status %d", script->setup->directory, script->file, script->status);
}

void script_free(struct script *script)
{
	if (!script)
		return;
	program_free(script->next);
	end_program(script);
	forget_values(script);
	free(script);
}

const char *script_file(const struct script *script)
{
	return script->file;
}

enum script_state script_state(const struct script *script)
{
	return script->state;
}

/* The running program continues, if any. */
static void fail(struct script *script)
{
	const char *end = strchrnul(script->error, '\n');

	program_free(script->next);
	script->next = NULL;
	if (!script->now && script->state != SCRIPT_ENDED)
		script->state = SCRIPT_FAILED;
	pr_err("%s/%s: %.*s%s%s", script->setup->directory, script->file, (int)(end - script->error), script->error,
	       *end ? " (and more: see /targets)" : "", script->now ? "; the previous version continues to run" : "");
}

static void begin(struct script *script)
{
	program_free(script->next);
	script->error[0] = '\0';
	script->next = program_new(script);
	if (!script->now && script->state != SCRIPT_ENDED)
		script->state = SCRIPT_STARTING;
	if (script->next)
		return;
	snprintf(script->error, sizeof(script->error), "%s", strerror(ENOMEM));
	fail(script);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool is_readable(struct script *script, const struct stat *file)
{
	const char *why = !S_ISREG(file->st_mode)     ? "it is not a regular file"
			  : file->st_size > FILE_MOST ? "it is longer than 256 KiB"
						      : NULL;

	if (!why)
		return true;
	program_free(script->next);
	script->next = NULL;
	snprintf(script->error, sizeof(script->error), "%s", why);
	fail(script);
	return false;
}

void script_look(struct script *script, const struct stat *now)
{
	if (is_same(&script->seen, now))
		return;
	script->seen = *now;
	if (script->state != SCRIPT_OFF && is_readable(script, now))
		begin(script);
}

void script_turn_off(struct script *script)
{
	program_free(script->next);
	script->next = NULL;
	end_program(script);
	forget_values(script);
	script->state = SCRIPT_OFF;
}

void script_turn_on(struct script *script)
{
	script->state = SCRIPT_STARTING;
	if (is_readable(script, &script->seen))
		begin(script);
}

bool script_is_busy(const struct script *script)
{
	return script->next != NULL;
}

/* The new program runs; the old one and its values are removed. */
static int take_over(struct script *script)
{
	int err = event_loop_add(script->setup->waiting, session_fd(script->next->session), on_turn, script);

	if (err)
		return err;
	end_program(script);
	forget_values(script);
	script->now = script->next;
	script->next = NULL;
	script->state = SCRIPT_RUNNING;
	script->matched = script->now->matched;
	script->read_ns = script->took_ns = 0;
	script->values = script_metrics_new(script->setup->metrics, script->file, script->now->session,
					    script->setup->series);
	pr_debug("%s runs: %zu probes", script->now->path, script->now->matched);
	return 0;
}

void script_step(struct script *script)
{
	char errors[ERROR_SIZE];
	uint64_t start = duration_now();
	int err;

	if (!script->next)
		return;
	log_keep_errors(errors, sizeof(errors));
	err = program_step(script->next, script->setup, script->error);
	log_keep_errors(NULL, 0);
	pr_debug("%s: step %d in %.1f ms", script->next->path, script->next->step,
		 (double)(duration_now() - start) / NS_PER_MS);
	if (!err && ++script->next->step == STEP_DONE)
		err = take_over(script);
	if (!err)
		return;
	add_messages(script->next, script->error);
	if (!script->error[0])
		snprintf(script->error, sizeof(script->error), "%s", errors[0] ? errors : strerror(-err));
	fail(script);
}

void script_take(struct script *script)
{
	uint64_t start = duration_now();

	if (!script->now || !script->values || start - script->read_ns < READ_SHARE * script->took_ns)
		return;
	script_metrics_read(script->values, script->now->session, &script->setup->host);
	script->read_ns = duration_now();
	script->took_ns = script->read_ns - start;
}

/* What is told of it. */

static struct d_drops losses_of(const struct script *script)
{
	return script->now ? session_losses(script->now->session) : script->losses;
}

static uint64_t faults_of(const struct script *script)
{
	return script->now ? session_faults(script->now->session) : script->faults;
}

static uint64_t muted_of(const struct script *script)
{
	return script->now ? session_muted(script->now->session) : script->muted;
}

static const struct loss {
	const char *name;
	size_t counter; /* in struct d_drops */
} losses[] = {
	{ "record", offsetof(struct d_drops, records) },	   { "firing", offsetof(struct d_drops, frames) },
	{ "aggregation", offsetof(struct d_drops, aggregations) }, { "dynamic", offsetof(struct d_drops, dynamic) },
	{ "speculation", offsetof(struct d_drops, speculations) }, { "error", offsetof(struct d_drops, errors) },
};

#define LOSSES (sizeof(losses) / sizeof(*losses))

static uint64_t loss_of(const struct script *script, size_t i)
{
	struct d_drops lost = losses_of(script);
	uint64_t count;

	memcpy(&count, (const char *)&lost + losses[i].counter, sizeof(count));
	return count;
}

static json_object *losses_json(const struct script *script)
{
	json_object *object = json_new();

	for (size_t i = 0; i < LOSSES; i++)
		json_add(object, losses[i].name, json_number(loss_of(script, i)));
	return object;
}

/* The message may quote the file. */
json_object *script_json(const struct script *script)
{
	static const char *const states[] = {
		[SCRIPT_STARTING] = "starting", [SCRIPT_RUNNING] = "running", [SCRIPT_FAILED] = "failed",
		[SCRIPT_ENDED] = "ended",	[SCRIPT_OFF] = "off",
	};
	json_object *object = json_new();

	json_add_text(object, "file", script->file);
	json_add_text(object, "state", states[script->state]);
	if (script->state == SCRIPT_ENDED)
		json_add(object, "status", json_signed(script->status));
	if (script->state == SCRIPT_OFF)
		json_add_text(object, "why", "overhead");
	if (script->error[0])
		json_add_text(object, "error", script->error);
	json_add_number(object, "probes", script->matched);
	json_add(object, "aggregations", script->values ? script_metrics_json(script->values) : json_new_list());
	json_add_number(object, "faults", faults_of(script));
	json_add(object, "drops", losses_json(script));
	return object;
}

enum own { UP, PROBES, FAULTS, OUTPUT, DROPS, KEYS, OWN };

static const struct {
	const char *name, *help;
	enum metric_kind kind;
} own[OWN] = {
	[UP] = { "erlbpf_script_up", "1 if the current version of the script runs or has ended by itself, otherwise 0",
		 METRIC_GAUGE },
	[PROBES] = { "erlbpf_script_probes", "probes that the descriptions of the script matched when it started",
		     METRIC_GAUGE },
	[FAULTS] = { "erlbpf_script_faults", "firings of the script that ended with an error, such as a bad address",
		     METRIC_COUNTER },
	[OUTPUT] = { "erlbpf_script_output_dropped", "actions of the script whose output was discarded",
		     METRIC_COUNTER },
	[DROPS] = { "erlbpf_script_drops", "losses of the script, by type", METRIC_COUNTER },
	[KEYS] = { "erlbpf_script_keys_without_series",
		   "keys of an aggregation that are counted as other because there are too many", METRIC_GAUGE },
};

static struct metric_family *own_family(struct metrics *metrics, enum own which)
{
	return metrics_family(metrics, own[which].name, own[which].help, own[which].kind, UNIT_NONE, 1);
}

void script_declare(struct metrics *metrics)
{
	for (int i = 0; i < OWN; i++)
		own_family(metrics, (enum own)i);
}

static void report(const struct script *script, enum own which, const char *what, double value)
{
	struct metric_family *family = own_family(script->setup->metrics, which);
	struct metric_label labels[] = { { "script", script->file }, { "what", what } };

	if (family)
		metrics_set(script->setup->metrics, family, labels, 2, value);
}

void script_report(const struct script *script)
{
	struct metric_family *keys = own_family(script->setup->metrics, KEYS);
	bool is_well = script->state == SCRIPT_RUNNING || script->state == SCRIPT_ENDED;

	report(script, UP, "", is_well && !script->error[0]);
	report(script, PROBES, "", (double)script->matched);
	report(script, FAULTS, "", (double)faults_of(script));
	report(script, OUTPUT, "", (double)muted_of(script));
	for (size_t i = 0; i < LOSSES; i++)
		report(script, DROPS, losses[i].name, (double)loss_of(script, i));
	if (keys && script->values)
		script_metrics_report(script->values, keys);
}

int script_cost(const struct script *script, bool is_measured, struct cost *cost)
{
	if (!script->now)
		return -ENOENT;
	session_cost(script->now->session, is_measured, cost);
	return 0;
}

void script_each_target(const struct script *script, void (*visit)(void *data, const struct target *target), void *data)
{
	if (script->now)
		session_each_target(script->now->session, visit, data);
}
