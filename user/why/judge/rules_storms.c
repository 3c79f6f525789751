// SPDX-License-Identifier: BSD-2-Clause
/* Processes that are spawned or restarted at a high rate. */
#include "why/judge/finding.h"

#include <math.h>

#define MANY_SPAWNS 10000   /* per second */
#define LITTLE_WORK_S 50e-6 /* scheduler time per spawned process: most of it is spawn and exit */
#define LEAST_RESTARTS 3    /* new children in a few readings */
#define LEAST_OF_NAME 2	    /* of the same name */
#define LEAST_LOGGED 2	    /* in the supervisor's own list; one may restart several children */
#define MANY_FOUND 10	    /* samples in a restart; the children may exit at once */

static void judge_spawns(struct judgement *j)
{
	const struct signs *s = j->signs;
	double work_s = s->schedulers.normal.busy * (double)s->schedulers.normal.schedulers / fmax(s->spawns.per_s, 1);
	char name[PROCESS_TEXT];
	struct finding *f;

	if (s->spawns.per_s < MANY_SPAWNS || work_s > LITTLE_WORK_S)
		return;
	f = finding_add(j, SPAWN_STORM, s->spawns.per_s > 5 * MANY_SPAWNS);
	f->process = s->spawns.spawner.id ? &s->spawns.spawner : NULL;
	finding_say(f, "%s spawns most of %.0f processes per second",
		    f->process ? process_text(f->process, name) : "a process", s->spawns.per_s);
	finding_show(f, "%llu processes exist", (unsigned long long)s->processes);
	finding_show(f, "schedulers spend %.0f us per spawned process", work_s * 1e6);
	if (f->process)
		finding_show_stack(f, f->process);
}

static void judge_restarts(struct judgement *j)
{
	const struct sign_restarts *restarts = &j->signs->restarts;
	bool is_logged = restarts->logged >= LEAST_LOGGED && restarts->seen >= LEAST_RESTARTS;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (restarts->same_name < LEAST_OF_NAME && restarts->found < MANY_FOUND && !is_logged &&
	    (!restarts->found || restarts->seen < LEAST_RESTARTS || restarts->stayed * 2 > restarts->seen))
		return;
	f = finding_add(j, RESTART_STORM, false);
	f->process = &restarts->process;
	finding_say(f, "%s restarts %s all the time: the children exit soon", process_text(&restarts->process, name),
		    restarts->same_name ? restarts->name : "children");
	if (restarts->same_name)
		finding_show(f, "in %llu process-table readings a new process had this name",
			     (unsigned long long)restarts->same_name);
	else if (restarts->seen < LEAST_RESTARTS)
		finding_show(f, "%llu samples found it restarting a child", (unsigned long long)restarts->found);
	else
		finding_show(f, "process-table readings found %llu new children, %llu of which still exist",
			     (unsigned long long)restarts->seen, (unsigned long long)restarts->stayed);
	if (is_logged)
		finding_show(f, "its own log has at least %llu restarts while watched",
			     (unsigned long long)restarts->logged);
	if (restarts->child.function[0])
		finding_show(f, "last child: %s, in %s", process_text(&restarts->child, name),
			     restarts->child.function);
	finding_show_stack(f, &restarts->process);
}

void judge_storms(struct judgement *j)
{
	judge_spawns(j);
	judge_restarts(j);
}
