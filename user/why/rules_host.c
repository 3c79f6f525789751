// SPDX-License-Identifier: BSD-2-Clause
/* What the machine, its kernel and the control group do to a node. */
#include "why/rules_parts.h"

#define THROTTLED_SHARE 0.05 /* of periods */
#define WAITED_SHARE 0.25    /* of the time of schedulers' threads */

static void judge_throttling(struct judgement *j)
{
	const struct signs *s = j->signs;
	double share = s->periods ? (double)s->throttled_periods / (double)s->periods : 0;
	struct finding *f;
	char ns[32];

	if (!s->has_quota || share < THROTTLED_SHARE)
		return;
	f = finding_add(j, CPU_THROTTLED, OF_THROTTLED, share > 4 * THROTTLED_SHARE);
	f->who = s->normal.who.id ? &s->normal.who : NULL;
	finding_say(f, "the kernel throttles the node: its control group may use %.2f CPUs, and the node wants more",
		    s->quota_cpus);
	finding_show(f, "throttled in %.0f %% of the periods, for %s in all", percent(share),
		     duration_format(s->throttled_ns, ns));
	finding_show(f, "control group: %s", s->cgroup);
	if (s->normal.who.id)
		finding_show(f, "most CPU time is used by %s %s (%s)", s->normal.who.name, s->normal.who.pid,
			     s->normal.who.doing);
	finding_more(f, "top -p PID");
}

static void judge_waiting(struct judgement *j)
{
	const struct signs *s = j->signs;
	struct finding *f;

	/* A thread that is throttled waits too. */
	if (!s->has_threads || s->thread_waited < WAITED_SHARE || s->throttled_periods)
		return;
	f = finding_add(j, CPU_WAIT, OF_WAITED, false);
	finding_say(
		f,
		"other programs take the CPUs: the schedulers are ready to run and get no CPU for %.0f %% of the time",
		percent(s->thread_waited));
	finding_show(f, "they run for %.0f %% of the time", percent(s->thread_ran));
	finding_more(f, "sched-latency -p PID");
}

void judge_host(struct judgement *j)
{
	judge_throttling(j);
	judge_waiting(j);
}
