// SPDX-License-Identifier: BSD-2-Clause
/* Which process creates atoms, and the newest atoms. */
#include <stdio.h>
#include <string.h>

#include "why/schedulers/samples.h"
#include "why/schedulers/stack_match.h"
#include "why/source/sign_process.h"
#include "why/source/source.h"

#define NEWEST 3

static bool makes_atoms(struct processes *processes, const struct call_stack *frames)
{
	char text[SIGN_NAME];

	for (size_t i = 0; frames && i < frames->count && i < 2; i++) {
		sign_function(processes, frames->functions[i], text);
		if (strstr(text, "_to_atom") || strstr(text, "binary_to_term"))
			return true;
	}
	return false;
}

static void name_atoms(struct processes *processes, uint64_t count, char text[SIGN_NAME])
{
	char atom[SIGN_NAME];
	size_t used = 0;

	text[0] = '\0';
	for (uint64_t i = 1; i <= NEWEST && i < count; i++) {
		sign_function(processes, erl_id_of(ERL_ID_ATOM, count - i), atom);
		if (atom[0])
			used += (size_t)snprintf(text + used, SIGN_NAME - used, "%s%.60s", used ? ", " : "", atom);
	}
}

/* A process sampled in a function that creates atoms, or else the busiest process. */
static void find_atom_maker(struct processes *processes, const struct samples *samples, struct signs *signs)
{
	static const char *const loaders[] = { "code:", "code_server:", NULL };
	const struct sampled *all, *most = NULL;
	size_t count = samples_all(samples, &all);
	struct sign_process loader;

	for (size_t i = 0; i < count; i++) {
		if (all[i].hits && makes_atoms(processes, samples_frames(&all[i])) &&
		    (!most || all[i].hits > most->hits))
			most = &all[i];
	}
	signs->atoms.is_maker_seen = most != NULL;
	if (!signs->code.is_known && signs->atoms.limit.is_steady) {
		stack_match_most(processes, samples, loaders, CALL_STACK_MAX, &loader);
		signs->atoms.loads_code = loader.id != 0;
	}
	signs->atoms.maker.busy = samples_share(samples, most);
	sign_process_fill(processes, most ? most->id : signs->busiest.id, samples_frames(most), &signs->atoms.maker);
}

static void atoms_finish(const struct samples *samples, struct processes *processes, struct signs *signs)
{
	name_atoms(processes, signs->atoms.limit.used, signs->atoms.newest);
	find_atom_maker(processes, samples, signs);
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	(void)state;
	atoms_finish(node->samples, node->processes, signs);
}

const struct why_source atoms_source = {
	.finish = source_finish,
};
