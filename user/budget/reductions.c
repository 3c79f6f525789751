// SPDX-License-Identifier: BSD-2-Clause
#include "budget/reductions.h"

#include <stdlib.h>

#include "node/atoms/pids.h"
#include "node/processes/schedulers.h"

struct reductions {
	struct erl_pid_layout pids;
	struct schedulers *schedulers;
};

struct reductions *reductions_new(const struct target *target)
{
	struct reductions *r = calloc(1, sizeof(*r));

	if (r && !pid_layout_read(target, &r->pids))
		r->schedulers = schedulers_new(target, &r->pids);
	if (r && r->schedulers)
		return r;
	free(r);
	return NULL;
}

void reductions_free(struct reductions *r)
{
	if (!r)
		return;
	schedulers_free(r->schedulers);
	free(r);
}

uint64_t reductions_read(const struct reductions *r)
{
	return schedulers_reductions(r->schedulers);
}
