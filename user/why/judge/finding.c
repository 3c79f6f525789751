// SPDX-License-Identifier: BSD-2-Clause
/* Findings as they are written: names of rules, sentences, evidence. */
#include <stdarg.h>
#include <stdio.h>

#include "why/judge/finding.h"

const char *const rule_names[] = {
	[CPU_THROTTLED] = "cpu-throttled",
	[CPU_WAIT] = "cpu-wait",
	[MEMORY_PRESSURE] = "memory-pressure",
	[PAGE_FAULTS] = "page-faults",
	[CONNECTION_BUSY] = "connection-busy",
	[CONNECTION_FLAPS] = "connection-flaps",
	[PORT_BUSY] = "port-busy",
	[IO_WAIT] = "io-wait",
	[ETS_LOCK] = "ets-lock",
	[SCHEDULER_BLOCKED] = "scheduler-blocked",
	[LONG_SLICE] = "long-slice",
	[LONG_CALL] = "long-call",
	[GC_STORM] = "gc-storm",
	[ATOMS_GROW] = "atoms-grow",
	[SPAWN_STORM] = "spawn-storm",
	[WAKE_STORM] = "wake-storm",
	[BUSY_POLLING] = "busy-polling",
	[TRACING] = "tracing",
	[TABLE_SEARCH] = "table-search",
	[INSPECT_STORM] = "inspect-storm",
	[LARGE_MESSAGES] = "large-messages",
	[LONG_LIST] = "long-list",
	[LARGE_LOOKUPS] = "large-lookups",
	[BAG_INSERTS] = "bag-inserts",
	[LARGE_TERMS] = "large-terms",
	[LARGE_SPAWNS] = "large-spawns",
	[LOG_FLOOD] = "log-flood",
	[BINARY_APPENDS] = "binary-appends",
	[FILE_SYNC] = "file-sync",
	[RESTART_STORM] = "restart-storm",
	[DEADLOCK] = "deadlock",
	[PRIORITY_STARVES] = "priority-starves",
	[SCHEDULERS_OFF] = "schedulers-off",
	[PROCESSES_GROW] = "processes-grow",
	[ATOMS_LIMIT] = "atoms-limit",
	[PROCESSES_LIMIT] = "processes-limit",
	[PORTS_LIMIT] = "ports-limit",
	[FILES_LIMIT] = "files-limit",
	[PORTS_GROW] = "ports-grow",
	[TABLES_GROW] = "tables-grow",
	[ETS_GROWS] = "ets-grows",
	[TIMERS_GROW] = "timers-grow",
	[TIMERS_HELD] = "timers-held",
	[TERMS_GROW] = "terms-grow",
	[CODE_STORM] = "code-storm",
	[TERMS_STORM] = "terms-storm",
	[BINARIES_HELD] = "binaries-held",
	[MEMORY_UNUSED] = "memory-unused",
	[LOG_BACKLOG] = "log-backlog",
	[IO_BACKLOG] = "io-backlog",
	[CODE_BACKLOG] = "code-backlog",
	[MAILBOX_GROWS] = "mailbox-grows",
	[MAILBOX_LONG] = "mailbox-long",
	[MAILBOX_STUCK] = "mailbox-stuck",
	[SERVER_FULL] = "server-full",
	[SERVER_WAITS] = "server-waits",
	[SERVER_SLOW] = "server-slow",
	[DNS_WAIT] = "dns-wait",
	[LOCK_WAIT] = "lock-wait",
	[PEER_WAIT] = "peer-wait",
	[ANSWER_WAIT] = "answer-wait",
	[ACCEPT_WAIT] = "accept-wait",
	[START_STUCK] = "start-stuck",
	[MONITORS_HELD] = "monitors-held",
	[DIRTY_CPU_FULL] = "dirty-cpu-full",
	[DIRTY_IO_FULL] = "dirty-io-full",
	[RUN_QUEUE_LONG] = "run-queue-long",
	[HEAP_HUGE] = "heap-huge",
	[STATE_GROWS] = "state-grows",
	[MEMORY_GROWS] = "memory-grows",
};

const size_t rule_count = RULES;

struct finding *finding_add(struct judgement *j, enum rule rule, enum weight weight, bool is_critical)
{
	struct finding *f = &j->findings[j->count < FINDINGS_MAX ? j->count++ : FINDINGS_MAX - 1];

	*f = (struct finding){
		.rule = rule_names[rule],
		.severity = is_critical ? SEVERITY_CRITICAL : SEVERITY_WARNING,
		.weight = weight,
	};
	return f;
}

void finding_say(struct finding *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(f->text, sizeof(f->text), format, args);
	va_end(args);
}

void finding_show(struct finding *f, const char *format, ...)
{
	va_list args;
	int i = 0;

	while (i < FINDING_EVIDENCE && f->evidence[i][0])
		i++;
	if (i == FINDING_EVIDENCE)
		return;
	va_start(args, format);
	vsnprintf(f->evidence[i], sizeof(f->evidence[i]), format, args);
	va_end(args);
}

void finding_more(struct finding *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(f->command, sizeof(f->command), format, args);
	va_end(args);
}

const char *process_text(const struct sign_process *sign, char text[PROCESS_TEXT])
{
	snprintf(text, PROCESS_TEXT, "%s%s%s", sign->name[0] ? sign->name : "process", sign->pid[0] ? " " : "",
		 sign->pid);
	return text;
}

void finding_show_stack(struct finding *f, const struct sign_process *process)
{
	if (process->stack[0])
		finding_show(f, "stack, newest first: %s", process->stack);
}
