// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks of all processes of a large node would take too long, so some are looked at, evenly from the whole table.
 *
 * Source: inet_gethost_native.erl, inet_res.erl, global.erl and code.erl of OTP 25, 27 and 29.
 */
#include "why/crowds.h"

#include <stddef.h>
#include <string.h>

#include "node/call_stack.h"
#include "why/who.h"

#define MOST_LOOKS 1000
#define FRAMES 4 /* newest ones, in which such a wait is told */

static const struct {
	const char *begin; /* of the name of a function */
	size_t crowd;	   /* where it is in the signs */
	bool may_run;	   /* not only those count that wait */
} known[] = {
	{ "inet_gethost_native:", offsetof(struct signs, dns_wait), false },
	{ "inet_res:", offsetof(struct signs, dns_wait), false },
	{ "global:set_lock", offsetof(struct signs, lock_wait), false },
	/* Below what it does with the lock: who waits for one has the above on its stack first. */
	{ "global:trans", offsetof(struct signs, lock_held), false },
	/* Who replaces a persistent term is suspended until all schedulers know. */
	{ "persistent_term:", offsetof(struct signs, terms_wait), true },
	{ "code:", offsetof(struct signs, code_wait), true },
	{ "code_server:call/", offsetof(struct signs, code_wait), true },
};

static void count(struct processes *processes, const struct target *target, const struct process *process,
		  const struct call_stack *frames, struct sign_crowd *crowd)
{
	/* It has done nothing since the reading before. */
	if (process->reds == process->reds_before)
		crowd->still++;
	if (!crowd->processes++)
		who_fill(processes, target, process->id, frames, &crowd->who);
}

/* A server of the resolver waits for work, not for a name. */
static bool is_server(struct processes *processes, struct process *process)
{
	char name[NAME_SIZE];

	processes_refresh_name(processes, process);
	process_registered(processes, process, name);
	return !strncmp(name, "inet_gethost_native", 19) || !strncmp(name, "global_", 7);
}

static void look_at(struct processes *processes, const struct target *target, struct process *process,
		    struct signs *signs)
{
	struct process_look look;
	struct call_stack frames;
	char text[SIGN_NAME];
	bool is_waiting;

	processes_look(processes, &process->address, &look, 1);
	if (look.process.id != process->id)
		return;
	is_waiting = !strcmp(process_status(&look.process), "waiting");
	call_stack_read(target, &look.fields, !is_waiting, &frames);
	for (size_t i = 0; i < frames.count && i < FRAMES; i++) {
		who_function(processes, frames.functions[i], text);
		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
			if (strncmp(text, known[k].begin, strlen(known[k].begin)) != 0 ||
			    (!is_waiting && !known[k].may_run))
				continue;
			if (is_server(processes, process))
				return;
			count(processes, target, process, &frames,
			      (struct sign_crowd *)((char *)signs + known[k].crowd));
			return;
		}
	}
}

void crowds_finish(struct processes *processes, const struct target *target, struct signs *signs)
{
	size_t rows = processes_rows(processes), step = rows / MOST_LOOKS + 1;

	for (size_t row = 0; row < rows; row += step) {
		struct process *process = processes_row(processes, row);

		if (processes_has(processes, row))
			look_at(processes, target, process, signs);
	}
}
