// SPDX-License-Identifier: BSD-2-Clause
/*
 * A waiting supervisor has its state on its stack: a record with the times of restarts. Times older than its period are
 * dropped at the next restart.
 *
 * Source: supervisor.erl of OTP 25, 27 and 29: the record `state`, and add_restart().
 */
#include "why/processes/supervisor_log.h"

#include <string.h>

#include "erl.h"
#include "node/atoms/atoms.h"
#include "target/reader/procfs.h"
#include "why/source/signs.h"
#include "why/source/sign_process.h"

#define STACK_WORDS 32 /* that may hold the state */
#define POINTER_MASK 7ULL
#define TAG_MASK 3
#define TAG_LIST 1
#define TAG_BOXED 2
#define SMALL_TAG 0xf
#define SMALL_BITS 4
#define ARITY_SHIFT 6 /* of a header; the other bits of a tuple's header are 0 */

enum { HEADER, RECORD, STRATEGY = 3, RESTARTS = 8, WORDS };

static bool is_atom(struct processes *processes, uint64_t term, const char *const *texts)
{
	uint32_t atom = atom_of_term(term);
	char text[SIGN_NAME];

	if (atom == ATOM_NONE)
		return false;
	sign_function(processes, erl_id_of(ERL_ID_ATOM, atom), text);
	while (*texts && strcmp(*texts, text) != 0)
		texts++;
	return *texts;
}

static bool read_state(struct processes *processes, uint64_t term, uint64_t words[WORDS])
{
	static const char *const records[] = { "state", NULL };
	static const char *const strategies[] = { "one_for_one", "one_for_all", "rest_for_one", "simple_one_for_one",
						  NULL };

	return (term & TAG_MASK) == TAG_BOXED &&
	       !procfs_memory(processes_target(processes)->pid, term & ~POINTER_MASK, words, WORDS * sizeof(*words)) &&
	       !(words[HEADER] & ((1 << ARITY_SHIFT) - 1)) && words[HEADER] >> ARITY_SHIFT >= RESTARTS &&
	       is_atom(processes, words[RECORD], records) && is_atom(processes, words[STRATEGY], strategies);
}

static void read_times(const struct target *target, uint64_t list, struct supervisor_log *log)
{
	uint64_t cell[2];

	log->count = 0;
	while ((list & TAG_MASK) == TAG_LIST && log->count < SUPERVISOR_LOG_MOST &&
	       !procfs_memory(target->pid, list & ~POINTER_MASK, cell, sizeof(cell)) &&
	       (cell[0] & SMALL_TAG) == SMALL_TAG) {
		log->times[log->count++] = (int64_t)cell[0] >> SMALL_BITS;
		list = cell[1];
	}
}

bool supervisor_log_read(struct processes *processes, uint64_t id, struct supervisor_log *log)
{
	const struct target *target = processes_target(processes);
	const struct process *process = processes_find(processes, id);
	uint64_t stack[STACK_WORDS], state[WORDS];
	const struct stack_place *place;
	struct process_look look;
	size_t count;

	if (!process)
		return false;
	processes_look(processes, &process->address, &look, 1);
	place = &look.fields.stack;
	if (look.process.id != id || strcmp(process_status(&look.process), "waiting") != 0 ||
	    place->stop < place->heap || place->stop >= place->heap + place->size * 8)
		return false;
	count = (place->heap + place->size * 8 - place->stop) / 8;
	if (count > STACK_WORDS)
		count = STACK_WORDS;
	if (procfs_memory(target->pid, place->stop, stack, count * 8))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!read_state(processes, stack[i], state))
			continue;
		read_times(target, state[RESTARTS], log);
		return true;
	}
	return false;
}

size_t supervisor_log_since(const struct supervisor_log *log, int64_t time)
{
	size_t count = 0;

	while (count < log->count && log->times[count] > time)
		count++;
	return count;
}
