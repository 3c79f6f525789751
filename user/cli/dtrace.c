// SPDX-License-Identifier: BSD-2-Clause
/* dtrace(1)'s command line, from its words to its exit status. */
#include "cli/dtrace.h"
#include "d/compile.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "cli/dtrace_command.h"
#include "cli/output.h"
#include "cli/words.h"
#include "dtrace/provider/probes.h"
#include "dtrace/provider/providers.h"
#include "dtrace/session/session.h"
#include "run/child.h"
#include "version.h"

/* What lives as long as the command runs. */
struct work {
	struct dtrace_command command;
	struct child *child;
	struct probes *probes;
	struct probes_options probes_options;
	struct unit *unit;
	struct session_options session_options;
	struct session *session;
};

static enum dtrace_status out_of_memory(const struct work *work)
{
	fprintf(stderr, "%s: %s\n", work->command.called, strerror(errno));
	return DTRACE_ERROR;
}

/* Unless -q, or quiet in a program: what dtrace(1) says on its own. */
__attribute__((format(printf, 2, 3))) static void notice(const struct work *work, const char *format, ...)
{
	va_list args;

	if (work->command.options.consumer.quiet)
		return;
	fprintf(stderr, "%s: ", work->command.called);
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

static enum dtrace_status start_child(struct work *work)
{
	char *text = work->command.run;
	_cleanup_free_ char **words = calloc(strlen(text) / 2 + 2, sizeof(*words));

	if (!words)
		return out_of_memory(work);
	if (words_split(text, words) <= 0) {
		fprintf(stderr, "%s: -c: expected a command, with every quote closed; see `erlbpf help dtrace`\n",
			work->command.called);
		return DTRACE_USAGE;
	}
	work->child = is_there(words[0]) ? child_start(words) : NULL;
	if (!work->child) {
		fprintf(stderr, "%s: failed to run %s: %s\n", work->command.called, words[0], strerror(errno));
		return DTRACE_ERROR;
	}
	return DTRACE_OK;
}

/* -p: is it there? */
static enum dtrace_status check_pids(const struct work *work)
{
	for (size_t i = 0; i < work->command.pid_count; i++) {
		if (kill(work->command.pids[i], 0) && errno == ESRCH) {
			fprintf(stderr, "%s: failed to grab process %d: there is none\n", work->command.called,
				(int)work->command.pids[i]);
			return DTRACE_ERROR;
		}
	}
	return DTRACE_OK;
}

static pid_t target_of(const struct work *work)
{
	if (work->child)
		return child_pid(work->child);
	return work->command.pid_count ? work->command.pids[0] : -1;
}

static enum dtrace_status find_processes(struct work *work)
{
	enum dtrace_status status = work->command.run ? start_child(work) : check_pids(work);

	if (status)
		return status;
	work->probes_options = (struct probes_options){
		.pids = work->command.pids,
		.pid_count = work->command.pid_count,
		.allow_denied = work->command.options.allow_denied,
	};
	work->probes = probes_new(&work->probes_options);
	if (!work->probes)
		return out_of_memory(work);
	if (work->child)
		probes_add_pid(work->probes, child_pid(work->child));
	return DTRACE_OK;
}

/* --- A program that runs ------------------------------------------------------------------------------------------ */

/* -o: NULL without it. */
static enum dtrace_status open_output(const struct work *work, FILE **file)
{
	const char *path = work->command.output;

	*file = path ? fopen(path, "ae") : NULL;
	if (!path || *file)
		return DTRACE_OK;
	fprintf(stderr, "%s: failed to open output file '%s': %s\n", work->command.called, path, strerror(errno));
	return DTRACE_ERROR;
}

static enum dtrace_status build(struct work *work)
{
	struct d_options *options = &work->command.options;
	_cleanup_file_ FILE *can_be_opened = NULL;
	bool is_built;

	if (open_output(work, &can_be_opened))
		return DTRACE_ERROR;
	work->session_options = (struct session_options){
		.quiet = options->consumer.quiet,
		.zero_ok = options->zero_ok,
		.drop_tags = options->drop_tags,
		.ring_size = options->bufsize,
		.cpu = options->cpu,
		.switch_ns = options->switchrate_ns,
		.name = work->command.called,
		.child = work->child,
		.wait_for = work->command.pids,
		.wait_count = work->command.pid_count,
		.setopt = d_option_set_running,
		.setopt_data = options,
	};
	work->session = session_new(work->unit, work->probes, &work->session_options, &options->consumer);
	if (!work->session)
		return out_of_memory(work);
	is_built = session_build(work->session);
	dtrace_print_messages(&work->command, work->unit, stderr);
	return is_built ? DTRACE_OK : DTRACE_ERROR;
}

/* Where -v writes: what the program prints goes there, too. */
static enum dtrace_status report_stability(const struct work *work, const struct dtrace_program *program)
{
	_cleanup_file_ FILE *file = NULL;

	if (open_output(work, &file))
		return DTRACE_ERROR;
	dtrace_print_stability(&work->command, program, work->unit, work->probes, file ? file : stdout);
	return DTRACE_OK;
}

/* How many probes each program matches; false: none of them any, which must not be. */
static enum dtrace_status report(const struct work *work)
{
	const struct dtrace_command *command = &work->command;
	enum dtrace_status status = DTRACE_OK;
	size_t total = 0;

	for (size_t i = 0; i < command->program_count && !status; i++) {
		const struct dtrace_program *program = &command->programs[i];
		size_t matched = session_matched(work->session, program->first, program->last);

		if (!command->compile_only)
			notice(work, "%s '%s' matched %zu probe%s",
			       program->by == DTRACE_BY_SCRIPT ? "script" : "description", program->name, matched,
			       matched == 1 ? "" : "s");
		if (command->verbosity)
			status = report_stability(work, program);
		total += matched;
	}
	if (status || command->compile_only || total || command->options.zero_ok)
		return status;
	fprintf(stderr, "%s: no probes %s\n", command->called, command->program_count ? "matched" : "specified");
	return DTRACE_ERROR;
}

static int run(struct work *work)
{
	enum dtrace_status status = build(work);

	if (status)
		return status;
	if (work->command.options.show_ir)
		session_dump(work->session, stderr);
	status = report(work);
	if (status || work->command.compile_only)
		return status;
	if (work->command.options.unit.is_destructive)
		notice(work, "allowing destructive actions");
	return session_run(work->session);
}

/* --- All of it ------------------------------------------------------------------------------------------------------
 */

/* What matches nothing is told for each description, and is no error. */
static int list(struct work *work)
{
	bool is_ok = probes_name_ids(work->probes, work->unit, true);

	dtrace_print_messages(&work->command, work->unit, stderr);
	return is_ok ? (int)dtrace_list(&work->command, work->unit, work->probes) : (int)DTRACE_ERROR;
}

static int work_on(struct work *work)
{
	const struct d_options *options = &work->command.options;
	int status = find_processes(work);

	if (status)
		return status;
	work->unit = unit_new(&options->unit);
	if (!work->unit)
		return out_of_memory(work);
	if (!dtrace_compile(&work->command, work->unit, work->probes, target_of(work)))
		return DTRACE_ERROR;
	if (options->debug)
		log_set_level(LOG_DEBUG);
	else if (options->consumer.quiet)
		log_set_level(LOG_QUIET);
	if (work->command.mode == DTRACE_LIST)
		return list(work);
	if (!work->command.program_count) {
		fprintf(stderr, "%s: no probes specified\n", work->command.called);
		return DTRACE_ERROR;
	}
	return run(work);
}

static void work_free(struct work *work)
{
	if (work->session)
		session_free(work->session);
	if (work->unit)
		unit_free(work->unit);
	if (work->probes)
		probes_free(work->probes);
	if (work->child)
		child_free(work->child);
	dtrace_command_free(&work->command);
}

int dtrace_main(int argc, char **argv)
{
	struct work work = {};
	int status = dtrace_parse(&work.command, argc, argv, stderr);
	enum dtrace_mode mode = work.command.mode;

	if (!status && mode == DTRACE_HELP)
		dtrace_usage(stdout, work.command.called);
	else if (!status && mode == DTRACE_VERSION)
		printf("%s: erlbpf D %s\n", work.command.called, ERLBPF_VERSION);
	else if (!status)
		status = work_on(&work);
	/* Of a program that runs its consumer looks after that, and a list may be a file. */
	if (mode == DTRACE_HELP || mode == DTRACE_VERSION || work.command.compile_only)
		status = output_finish(status);
	work_free(&work);
	return status;
}
