// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stopped.h"

#include "base/log.h"
#include "target/reader/proc_stat.h"

#define MOST_REPORTED 10

/* proc(5): T is SIGSTOP's or the terminal's, t a debugger's. NULL: it is not stopped. */
static const char *advice_for(char state)
{
	switch (state) {
	case 'T': return "send it SIGCONT to continue it";
	case 't': return "a debugger holds it";
	default: return NULL;
	}
}

void stopped_report(const struct follow *follow)
{
	size_t stopped = 0;

	for (size_t i = 0; i < follow_count(follow); i++) {
		const struct target *target = follow_get(follow, i)->target;
		const char *advice = follow_is_over(follow, i) ? NULL : advice_for(proc_stat_state(target->pid));

		if (advice && stopped++ < MOST_REPORTED)
			pr_warn("%s (process %d) is stopped, so nothing happens in it; %s",
				target->node[0] ? target->node : "a node", target->pid, advice);
	}
	if (stopped > MOST_REPORTED)
		pr_warn("and %zu more nodes are stopped", stopped - MOST_REPORTED);
}
