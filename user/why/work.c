// SPDX-License-Identifier: BSD-2-Clause
#include "why/work.h"

#include "why/doers.h"
#include "why/who.h"

/* Who has others collected, not itself. */
static const char *const gc_askers[] = { "erlang:garbage_collect/1", "erlang:garbage_collect/2", NULL };

static void finish_chore(const struct samples *samples, struct processes *processes, enum chore chore,
			 struct sign_chore *sign)
{
	double matching = samples_matching(samples);
	const char *begins[CHORES_NAMES];

	/* Chores are told of what is no match specification, and these are searches. */
	sign->share = chores_share(samples_chores(samples), chore) * (1 - matching);
	if (chore == CHORE_SEARCH)
		sign->share += matching;
	if (sign->share < CHORE_SHARE)
		return;
	chores_names(chore, begins);
	doers_find(processes, samples, begins, CHORES_DEPTH, &sign->who);
}

void work_finish(const struct samples *samples, struct processes *processes, struct signs *signs)
{
	const struct chores *chores = samples_chores(samples);

	for (int chore = 0; chore < CHORES; chore++)
		finish_chore(samples, processes, (enum chore)chore, &signs->chores[chore]);
	signs->searched.matching = samples_matching(samples);
	signs->searched.table = chores_subject(chores->tables);
	who_function(processes, signs->searched.table, signs->searched.name);
	if (signs->chores[CHORE_COPY].share >= CHORE_SHARE)
		who_fill(processes, processes_target(processes), chores_subject(chores->receivers), NULL,
			 &signs->copied_to);
	doers_find(processes, samples, gc_askers, CALL_STACK_MAX, &signs->gc_asker);
}
