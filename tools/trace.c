// SPDX-License-Identifier: BSD-2-Clause
/* trace: every hit of the probes with all arguments, as it happens. See bpf/trace.bpf.c. */
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe/catalogue.h"
#include "node/memory/erlid.h"
#include "tool.h"

#include "trace.skel.h"

enum { PROCESS, PROBE, ARGUMENTS, COLUMNS };

static const struct column columns[COLUMNS] = {
	[PROCESS] = { "process", COLUMN_NUMBER, -7, true },
	[PROBE] = { "name", COLUMN_TEXT, -26, true },
	[ARGUMENTS] = { "args", COLUMN_TEXT, 0, false },
};

static void print_text(FILE *to, const char *text, int64_t length, size_t size)
{
	if (length < 0)
		fputs("(unreadable)", to);
	else
		fprintf(to, "%.*s%s", (int)strnlen(text, size), length ? text : "",
			length == (int64_t)size ? "..." : "");
}

/* Prints the argument whose value is at `at`; returns what of the record it takes. */
static size_t print_arg(struct run *run, FILE *to, const struct trace_event *e, int n, const char *at)
{
	const char *call;
	char id[ERLID_SIZE];
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	switch (e->forms[n]) {
	case ERL_FORM_TEXT:
		print_text(to, at + sizeof(value), (int64_t)value, e->text_sizes[n]);
		return sizeof(value) + e->text_sizes[n];
	case TRACE_FORM_ID: fputs(erlid_format(value, id), to); break;
	case TRACE_FORM_CALL:
		call = run_id(run, (int)e->os_id, value);
		fputs(*call ? call : "(unknown)", to);
		break;
	case ERL_FORM_TERM: fprintf(to, "term:0x%" PRIx64, value); break;
	default: fprintf(to, "%" PRId64, (int64_t)value);
	}
	return sizeof(value);
}

/* Room that an argument wants in the record, to be checked before it is read. */
static size_t arg_size(const struct trace_event *e, int n)
{
	return sizeof(uint64_t) + (e->forms[n] == ERL_FORM_TEXT ? e->text_sizes[n] : 0);
}

static void format_args(struct run *run, const struct trace_event *e, size_t size, char *buf, size_t buf_size)
{
	const struct probe_def *def = probe_def(e->probe);
	const char *at = (const char *)(e + 1), *end = (const char *)e + size;
	FILE *to = fmemopen(buf, buf_size, "w");
	bool is_first = true;

	buf[0] = '\0';
	if (!to)
		return;
	for (int n = 0; n < def->argc && n < TRACE_ARGS; n++) {
		if (e->forms[n] == ERL_FORM_NONE)
			continue;
		if (arg_size(e, n) > (size_t)(end - at))
			break;
		fprintf(to, "%s%s=", is_first ? "" : " ", def->args[n].name);
		at += print_arg(run, to, e, n, at);
		is_first = false;
	}
	fclose(to);
}

static int configure(struct run *run)
{
	struct trace_config config = { .erl_pid = run_options(run)->erl_pid };

	return run_set(run, "trace_config", &config, sizeof(config));
}

static void event(struct run *run, const void *record, size_t size)
{
	const struct trace_event *e = record;
	char name[PROBE_NAME_SIZE], args[TRACE_ARGS * (ERL_TEXT + 32)];
	struct value values[COLUMNS];
	struct sink_event shown = { .values = values };

	if (size < sizeof(*e) || e->probe >= probe_count())
		return;
	format_args(run, e, size, args, sizeof(args));
	shown.probe = probe_name(e->probe, name);
	shown.time_ns = run_wall_ns(run, e->time_ns);
	shown.os_id = (int)e->os_id;
	shown.node = run_node(run, shown.os_id);
	values[PROCESS] = (struct value){ .number = erl_os_pid(e->os_id) };
	values[PROBE] = (struct value){ .text = name };
	values[ARGUMENTS] = (struct value){ .text = args };
	run_event(run, &shown);
}

const struct tool tool_trace = {
	.name = "trace",
	.summary = "every hit of the probes, with their arguments",
	.nothing = "no probe fired",
	.instead = "`erlbpf list -v` says what each probe is and when it fires",
	.description =
		"Prints each hit of the probes whose names match GLOB, when it happens. app:NAME is a probe that an\n"
		"application's own code fires (package erlbpf); so is a NAME that erlbpf has no probe of: `erlbpf "
		"app`.",
	.examples = "# Processes that are spawned and that exit\n"
		    "erlbpf trace 'process-[es][xp]*'\n"
		    "# What one process does, with times\n"
		    "erlbpf trace --erl-pid '<0.91.0>' -T",
	.takes = TAKES_GLOB | TAKES_ERL_PID,
	.of_names = &tool_app,
	.args = TOOL_ALL_ARGS,
	.elf = trace_bpf__elf_bytes,
	.columns = { columns, COLUMNS },
	.configure = configure,
	.event = event,
};
