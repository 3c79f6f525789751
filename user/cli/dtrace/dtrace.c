// SPDX-License-Identifier: BSD-2-Clause
/* dtrace(1)'s command line, from its words to its exit status. */
#include "cli/dtrace/dtrace.h"
#include "d/compile.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "cli/dtrace/dtrace_command.h"
#include "cli/options/output.h"
#include "cli/options/words.h"
#include "dtrace/provider/probes.h"
#include "dtrace/provider/providers.h"
#include "dtrace/session/session.h"
#include "trace/child.h"
#include "version.h"

/* The state of one run. */
struct command_state {
	struct dtrace_command command;
	struct child *child;
	struct probes *probes;
	struct probes_options probes_options;
	struct unit *unit;
	struct session_options session_options;
	struct session *session;
};

static enum dtrace_status out_of_memory(const struct command_state *state)
{
	fprintf(stderr, "%s: %s\n", state->command.called, strerror(errno));
	return DTRACE_ERROR;
}

/* Unless -q, or quiet in a program: what dtrace(1) says on its own. */
__attribute__((format(printf, 2, 3))) static void notice(const struct command_state *state, const char *format, ...)
{
	va_list args;

	if (state->command.options.consumer.quiet)
		return;
	fprintf(stderr, "%s: ", state->command.called);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	putc('\n', stderr);
}

/* --- Processes ------------------------------------------------------------------------------------------------- */

/* Is there such a command, here or in the PATH? It is started only when the program runs: too late to say so. */
static bool is_there(const char *command)
{
	const char *path = strchr(command, '/') ? NULL : getenv("PATH");

	if (!path)
		return access(command, X_OK) == 0;
	while (*path) {
		size_t size = strcspn(path, ":");
		_cleanup_free_ char *file = NULL;

		if (asprintf(&file, "%.*s/%s", size ? (int)size : 1, size ? path : ".", command) >= 0 &&
		    access(file, X_OK) == 0)
			return true;
		path += size + (path[size] == ':');
	}
	errno = ENOENT;
	return false;
}

/* The environment as -x setenv and unsetenv have it. NULL: memory is short. */
static char **environment_of(const struct d_words *changes)
{
	size_t count = 0;
	char **all;

	while (environ[count])
		count++;
	all = calloc(count + changes->count + 1, sizeof(*all));
	if (!all)
		return NULL;
	memcpy(all, environ, count * sizeof(*all));
	for (size_t i = 0; i < changes->count; i++) {
		char *change = changes->words[i];
		size_t name = strcspn(change, "="), kept = 0;

		for (size_t j = 0; j < count; j++) {
			if (strncmp(all[j], change, name) != 0 || all[j][name] != '=')
				all[kept++] = all[j];
		}
		if (change[name])
			all[kept++] = change;
		count = kept;
		all[count] = NULL;
	}
	return all;
}

static enum dtrace_status start_child(struct command_state *state)
{
	char *text = state->command.run;
	_cleanup_free_ char **words = calloc(strlen(text) / 2 + 2, sizeof(*words));
	_cleanup_free_ char **its_environment = environment_of(&state->command.options.environment);
	char **ours = environ;

	if (!words || !its_environment)
		return out_of_memory(state);
	if (words_split(text, words) <= 0) {
		fprintf(stderr, "%s: -c: expected a command, with every quote closed; see `erlbpf help dtrace`\n",
			state->command.called);
		return DTRACE_USAGE;
	}
	environ = its_environment;
	state->child = is_there(words[0]) ? child_start(words) : NULL;
	environ = ours;
	if (!state->child) {
		fprintf(stderr, "%s: failed to run %s: %s\n", state->command.called, words[0], strerror(errno));
		return DTRACE_ERROR;
	}
	return DTRACE_OK;
}

/* -p: is it there? */
static enum dtrace_status check_pids(const struct command_state *state)
{
	for (size_t i = 0; i < state->command.pid_count; i++) {
		if (kill(state->command.pids[i], 0) && errno == ESRCH) {
			fprintf(stderr, "%s: failed to grab process %d: there is none\n", state->command.called,
				(int)state->command.pids[i]);
			return DTRACE_ERROR;
		}
	}
	return DTRACE_OK;
}

static pid_t target_of(const struct command_state *state)
{
	if (state->child)
		return child_pid(state->child);
	return state->command.pid_count ? state->command.pids[0] : -1;
}

static enum dtrace_status find_processes(struct command_state *state)
{
	enum dtrace_status status = state->command.run ? start_child(state) : check_pids(state);

	if (status)
		return status;
	state->probes_options = (struct probes_options){
		.pids = state->command.pids,
		.pid_count = state->command.pid_count,
		.select = &state->command.common.options.select,
		.allow_denied = state->command.options.allow_denied,
		.allow_breakpoints = state->command.options.allow_breakpoints,
	};
	state->probes = probes_new(&state->probes_options);
	if (!state->probes || (state->child && probes_add_pid(state->probes, child_pid(state->child))))
		return out_of_memory(state);
	probes_set_child(state->probes, state->child);
	return DTRACE_OK;
}

/* --- A program that runs ------------------------------------------------------------------------------------------ */

/* -o: NULL without it. */
static enum dtrace_status open_output(const struct command_state *state, FILE **file)
{
	const char *path = state->command.output;

	*file = path ? fopen(path, "ae") : NULL;
	if (!path || *file)
		return DTRACE_OK;
	fprintf(stderr, "%s: failed to open output file '%s': %s\n", state->command.called, path, strerror(errno));
	return DTRACE_ERROR;
}

/* Nodes that are selected may start later. */
static bool may_come(const struct command_state *state)
{
	return target_selector_is_set(&state->command.common.options.select) && !state->command.common.options.no_wait;
}

static enum dtrace_status build(struct command_state *state)
{
	struct d_options *options = &state->command.options;
	_cleanup_file_ FILE *can_be_opened = NULL;
	bool is_built;

	if (open_output(state, &can_be_opened))
		return DTRACE_ERROR;
	state->session_options = (struct session_options){
		.quiet = options->consumer.quiet,
		.zero_ok = options->zero_ok,
		.drop_tags = options->drop_tags,
		.keep_caps = options->keep_caps,
		.cookie_file = options->cookie_file,
		.call_limit = options->call_limit,
		.max_overhead = options->max_overhead,
		.samples = options->samples,
		.ring_size = options->bufsize,
		.cpu = options->cpu,
		.switch_ns = options->switchrate_ns,
		.status_ns = options->statusrate_ns,
		.name = state->command.called,
		.child = state->child,
		.wait_for = state->command.pids,
		.wait_count = state->command.pid_count,
		.select = &state->command.common.options.select,
		.may_come = may_come(state),
		.setopt = d_option_set_running,
		.setopt_data = options,
	};
	state->session = session_new(state->unit, state->probes, &state->session_options, &options->consumer);
	if (!state->session)
		return out_of_memory(state);
	is_built = session_build(state->session);
	dtrace_print_messages(&state->command, state->unit, stderr);
	if (!is_built && !state->unit->diag.errors)
		fprintf(stderr, "%s: out of memory\n", state->command.called);
	return is_built ? DTRACE_OK : DTRACE_ERROR;
}

/* Where -v writes: what the program prints goes there, too. */
static enum dtrace_status report_stability(const struct command_state *state, const struct dtrace_program *program)
{
	_cleanup_file_ FILE *file = NULL;

	if (open_output(state, &file))
		return DTRACE_ERROR;
	dtrace_print_stability(&state->command, program, state->unit, state->probes, file ? file : stdout);
	return DTRACE_OK;
}

/* How many probes each program matches; false: none of them any, which must not be. */
static enum dtrace_status report(const struct command_state *state)
{
	const struct dtrace_command *command = &state->command;
	enum dtrace_status status = DTRACE_OK;
	size_t total = 0;

	for (size_t i = 0; i < command->program_count && !status; i++) {
		const struct dtrace_program *program = &command->programs[i];
		size_t matched = session_matched(state->session, program->first, program->last);

		if (!command->compile_only)
			notice(state, "%s '%s' matched %zu probe%s",
			       program->by == DTRACE_BY_SCRIPT ? "script" : "description", program->name, matched,
			       matched == 1 ? "" : "s");
		if (command->verbosity)
			status = report_stability(state, program);
		total += matched;
	}
	if (status || command->compile_only || total || command->options.zero_ok)
		return status;
	fprintf(stderr, "%s: no probes %s\n", command->called, command->program_count ? "matched" : "specified");
	return DTRACE_ERROR;
}

/* It starts without them, and its probes are those that they may have. */
static void announce_waiting(const struct command_state *state)
{
	struct target_list list = {};
	char text[SELECTOR_TEXT];

	if (!may_come(state))
		return;
	target_list_scan(&list);
	target_list_select(&list, &state->command.common.options.select);
	if (!list.count)
		notice(state, "waiting for a node%s; --no-wait does not wait",
		       target_selector_text(&state->command.common.options.select, text));
	target_list_free(&list);
}

/* Options that are accepted but work differently. */
static void announce_differences(const struct command_state *state)
{
	const struct dtrace_command *command = &state->command;

	if (command->names_target && command->pid_count > 1)
		notice(state, "$target is process %d, the first of -p", (int)command->pids[0]);
	if (command->options.buffer_policy != D_BUFFER_SWITCH)
		notice(state, "bufpolicy has no effect: records are printed as they come, and what does not fit is "
			      "counted as a drop");
	if (command->options.agg_per_cpu)
		notice(state, "aggpercpu has no effect: values are those of all CPUs together; make cpu a key");
	if (command->options.agg_rate_ns)
		notice(state, "aggrate has no effect: values are those of the moment in which they are printed");
}

static int run(struct command_state *state)
{
	enum dtrace_status status = build(state);

	if (status)
		return status;
	if (state->command.options.show_ir)
		session_dump(state->session, stderr);
	status = report(state);
	if (status || state->command.compile_only)
		return status;
	announce_waiting(state);
	announce_differences(state);
	if (state->command.options.unit.is_destructive)
		notice(state, "allowing destructive actions");
	return session_run(state->session);
}

/* --- All of it ------------------------------------------------------------------------------------------------- */

/* A description that matches nothing is reported, and is no error. */
static int list(struct command_state *state)
{
	bool is_ok = probes_name_ids(state->probes, state->unit, true);

	dtrace_print_messages(&state->command, state->unit, stderr);
	return is_ok ? (int)dtrace_list(&state->command, state->unit, state->probes) : (int)DTRACE_ERROR;
}

static int run_command(struct command_state *state)
{
	const struct d_options *options = &state->command.options;
	int status = find_processes(state);

	if (status)
		return status;
	state->unit = unit_new(&options->unit);
	if (!state->unit)
		return out_of_memory(state);
	if (!dtrace_compile(&state->command, state->unit, state->probes, target_of(state)))
		return DTRACE_ERROR;
	if (options->debug)
		log_set_level(LOG_DEBUG);
	else if (options->consumer.quiet)
		log_set_level(LOG_QUIET);
	if (state->command.mode == DTRACE_LIST)
		return list(state);
	if (state->command.mode == DTRACE_HELP)
		return dtrace_write_header(&state->command, state->unit);
	/* Then all that is looked at is the options. */
	if (!state->command.program_count && state->command.compile_only)
		return DTRACE_OK;
	if (!state->command.program_count) {
		fprintf(stderr, "%s: no probes specified\n", state->command.called);
		return DTRACE_ERROR;
	}
	return run(state);
}

static void state_free(struct command_state *state)
{
	if (state->session)
		session_free(state->session);
	if (state->unit)
		unit_free(state->unit);
	if (state->probes)
		probes_free(state->probes);
	if (state->child)
		child_free(state->child);
	dtrace_command_free(&state->command);
}

int dtrace_main(int argc, char **argv)
{
	struct command_state state = {};
	int status = dtrace_parse(&state.command, argc, argv, stderr);
	enum dtrace_mode mode = state.command.mode;

	log_set_name(state.command.called);
	if (!status && mode == DTRACE_HELP && !dtrace_is_header(&state.command))
		dtrace_usage(stdout, state.command.called);
	else if (!status && mode == DTRACE_VERSION)
		printf("%s: erlbpf D %s\n", state.command.called, ERLBPF_VERSION);
	else if (!status)
		status = run_command(&state);
	/* A running program's consumer does this itself, and a list may go to a file. */
	if (mode == DTRACE_HELP || mode == DTRACE_VERSION || state.command.compile_only)
		status = output_finish(status);
	state_free(&state);
	return status;
}
