// SPDX-License-Identifier: BSD-2-Clause
/*
 * A tracer gets a message for each event of a traced process: a tuple that begins with `trace` or `trace_ts`, followed
 * by the process and the event. A fast tracer has a message only now and then, so it is sampled several times. It may
 * get other messages, too: most must be trace messages.
 *
 * Source: erl_trace.c and erl_tracer.c of OTP 25, 27 and 29.
 */
#include <string.h>

#include "erl.h"
#include "node/atoms/atoms.h"
#include "node/memory/fields.h"
#include "node/processes/arrivals.h"
#include "node/processes/processes.h"
#include "target/reader/procfs.h"
#include "term.h"
#include "why/source/sign_process.h"
#include "why/source/signs.h"
#include "why/source/source.h"

#define LOOKS 1000 /* samples of a mailbox */
#define ENOUGH 100 /* enough with a message that stayed during the sample */
#define LEAST_TRACES 5
#define MOST_TRACES 0.8 /* of the messages seen */

enum { HEADER, TAG, WHOM, WHAT, WORDS };

static void read_atom(struct processes *processes, uint64_t term, char text[SIGN_NAME])
{
	uint32_t atom = atom_of_term(term);

	text[0] = '\0';
	if (atom != ATOM_NONE)
		sign_function(processes, erl_id_of(ERL_ID_ATOM, atom), text);
}

/* Is it a trace message? `what`: the event. */
static bool is_trace(struct processes *processes, uint64_t message, char what[SIGN_NAME])
{
	const struct target *target = processes_target(processes);
	uint64_t term, words[WORDS];
	char tag[SIGN_NAME];
	int64_t offset;

	if (field_offset(target->vm, "message.m", &offset) ||
	    procfs_memory(target->pid, message + (uint64_t)offset, &term, sizeof(term)) ||
	    TERM_TAG(term) != TERM_TAG_BOXED || procfs_memory(target->pid, TERM_ADDRESS(term), words, sizeof(words)) ||
	    TERM_TAG(words[HEADER]) != TERM_TAG_HEADER || TERM_HEADER_SUBTAG(words[HEADER]) != TERM_TUPLE)
		return false;
	read_atom(processes, words[TAG], tag);
	read_atom(processes, words[WHAT], what);
	return (!strcmp(tag, "trace") || !strcmp(tag, "trace_ts")) && what[0];
}

static bool is_tracer(struct processes *processes, uint64_t id, char what[SIGN_NAME])
{
	const struct process *process = id ? processes_find(processes, id) : NULL;
	unsigned int traces = 0, others = 0;
	char text[SIGN_NAME];
	uint64_t message, after;

	for (int i = 0; process && i < LOOKS && traces + others < ENOUGH; i++) {
		bool is;

		if (!arrivals_list(processes_target(processes), process->address, &message, 1))
			continue;
		is = is_trace(processes, message, text);
		/* If the message was taken meanwhile, its memory may hold another one. */
		if (!arrivals_list(processes_target(processes), process->address, &after, 1) || after != message)
			continue;
		if (is) {
			memcpy(what, text, sizeof(text));
			traces++;
		} else {
			others++;
		}
	}
	return traces >= LEAST_TRACES && traces >= MOST_TRACES * (traces + others);
}

static void tracer_finish(struct processes *processes, struct signs *signs)
{
	struct sign_tracer *sign = &signs->tracer;

	for (size_t i = 0; i < signs->mailboxes.count; i++) {
		const struct sign_mailbox *mailbox = &signs->mailboxes.worst[i];

		if (!mailbox->least || !is_tracer(processes, mailbox->process.id, sign->what))
			continue;
		sign->process = mailbox->process;
		sign->is_growing = mailbox->is_growing;
		return;
	}
	if (is_tracer(processes, signs->schedulers.normal.process.id, sign->what))
		sign->process = signs->schedulers.normal.process;
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	(void)state;
	tracer_finish(node->processes, signs);
}

const struct why_source tracers_source = {
	.finish = source_finish,
};
