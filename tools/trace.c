// SPDX-License-Identifier: BSD-2-Clause
/* trace: every hit of the probes with all arguments, as it happens. See bpf/trace.bpf.c. */
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe/catalogue.h"
#include "probe/erlid.h"
#include "tool.h"

#include "trace.skel.h"

enum { PROCESS, PROBE, ARGUMENTS, COLUMNS };

static const struct column columns[COLUMNS] = {
	[PROCESS] = { "process", COLUMN_NUMBER, -7 },
	[PROBE] = { "name", COLUMN_TEXT, -26 },
	[ARGUMENTS] = { "args", COLUMN_TEXT, 0 },
};

static void print_arg(FILE *to, const struct trace_event *e, int n)
{
	char id[ERLID_SIZE];

	switch (e->forms[n]) {
	case ERL_FORM_TEXT:
		if ((int64_t)e->values[n] < 0)
			fputs("(unreadable)", to);
		else
			fprintf(to, "%s", e->texts[n]);
		break;
	case ERL_FORM_TERM:
		if (e->texts[n][0])
			fputs(erlid_format(e->values[n], id), to);
		else
			fprintf(to, "term:0x%" PRIx64, (uint64_t)e->values[n]);
		break;
	default:
		fprintf(to, "%" PRId64, (int64_t)e->values[n]);
	}
}

static void format_args(const struct trace_event *e, char *buf, size_t size)
{
	const struct probe_def *def = probe_def(e->probe);
	FILE *to = fmemopen(buf, size, "w");
	bool is_first = true;

	buf[0] = '\0';
	if (!to)
		return;
	for (int n = 0; n < def->argc && n < TRACE_ARGS; n++) {
		if (e->forms[n] == ERL_FORM_NONE)
			continue;
		fprintf(to, "%s%s=", is_first ? "" : " ", def->args[n].name);
		print_arg(to, e, n);
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
	char name[PROBE_NAME_SIZE], args[TRACE_ARGS * (TRACE_TEXT + 32)];
	struct value values[COLUMNS];
	struct sink_event shown = { .values = values };

	if (size < sizeof(*e) || e->probe >= probe_count())
		return;
	format_args(e, args, sizeof(args));
	shown.probe = probe_name(e->probe, name);
	shown.time_ns = run_wall_ns(run, e->time_ns);
	shown.os_pid = (int)e->os_pid;
	shown.node = run_node(run, shown.os_pid);
	values[PROCESS] = (struct value){ .number = e->os_pid };
	values[PROBE] = (struct value){ .text = name };
	values[ARGUMENTS] = (struct value){ .text = args };
	run_event(run, &shown);
}

const struct tool tool_trace = {
	.name = "trace",
	.summary = "every hit of the probes, with their arguments",
	.description = "Prints each hit of the probes whose names match the glob, as it happens.",
	.examples = "# Births and deaths\n"
		    "erlbpf trace 'process-[se]*'\n"
		    "# What one process does, with times\n"
		    "erlbpf trace --erl-pid '<0.91.0>' -T",
	.takes = TAKES_GLOB | TAKES_ERL_PID,
	.reads_args = true,
	.elf = trace_bpf__elf_bytes,
	.columns = columns,
	.column_count = COLUMNS,
	.configure = configure,
	.event = event,
};
