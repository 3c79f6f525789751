// SPDX-License-Identifier: BSD-2-Clause
/* Limits of the machine, the kernel and the control group. */
#include "why/judge/finding.h"

#include <math.h>

#define THROTTLED_SHARE 0.05 /* of periods */
#define THROTTLED_AT_ALL 0.01
#define MANY_SCHEDULERS 2 /* for each CPU of the quota */
#define GROUP_FULL 0.9	  /* of the limit of a group */
#define STALLED_SHARE 0.1
#define MANY_FAULTS 100 /* per second */
#define LARGE_HEAP (16 * MIB)
#define WAITED_SHARE 0.25 /* of the time of schedulers' threads */

static void judge_throttling(struct judgement *j)
{
	const struct signs *s = j->signs;
	double share = s->cpu.periods ? (double)s->cpu.throttled_periods / (double)s->cpu.periods : 0;
	struct finding *f;
	char ns[32];

	if (!s->cpu.has_quota || share < THROTTLED_SHARE)
		return;
	f = finding_add(j, CPU_THROTTLED, share > 4 * THROTTLED_SHARE);
	f->process = s->schedulers.normal.process.id ? &s->schedulers.normal.process : NULL;
	finding_say(f,
		    "the kernel throttles the node: its control group is limited to %.2f CPUs, and the node needs more",
		    s->cpu.quota);
	finding_show(f, "throttled in %.0f %% of the periods, %s in total", percent(share),
		     duration_format(s->cpu.throttled_ns, ns));
	finding_show(f, "control group: %s", s->cpu.group);
	if (s->schedulers.normal.process.id)
		finding_show(f, "largest CPU user: %s %s (%s)", s->schedulers.normal.process.name,
			     s->schedulers.normal.process.pid, s->schedulers.normal.process.function);
}

/* From OTP 23 on, the VM starts as many schedulers as the quota allows, unless +S or a later change of the quota
 * differs. */
static void judge_excess(struct judgement *j)
{
	const struct signs *s = j->signs;
	size_t online = s->schedulers.online ? s->schedulers.online : s->schedulers.normal.schedulers;
	double share = s->cpu.periods ? (double)s->cpu.throttled_periods / (double)s->cpu.periods : 0;
	struct finding *f;

	if (!s->cpu.has_quota || s->cpu.quota <= 0 || share < THROTTLED_AT_ALL ||
	    (double)online <= MANY_SCHEDULERS * ceil(s->cpu.quota))
		return;
	f = finding_add(j, SCHEDULERS_EXCESS, false);
	finding_say(f,
		    "%zu schedulers share a quota of %.2f CPUs: a burst uses it up, and the kernel stops all of them",
		    online, s->cpu.quota);
	finding_show(f, "throttled in %.0f %% of the periods; +S %.0f starts as many schedulers as the quota allows",
		     percent(share), ceil(s->cpu.quota));
	finding_show(f, "control group: %s", s->cpu.group);
}

static void judge_waiting(struct judgement *j)
{
	const struct signs *s = j->signs;
	struct finding *f;

	/* A throttled thread waits, too. */
	if (!s->cpu.is_known || s->cpu.waited < WAITED_SHARE || s->cpu.throttled_periods)
		return;
	f = finding_add(j, CPU_WAIT, false);
	finding_say(f, "other programs use the CPUs: the schedulers wait for a CPU %.0f %% of the time",
		    percent(s->cpu.waited));
	finding_show(f, "they run %.0f %% of the time", percent(s->cpu.ran));
}

/* The process that holds most memory. */
static void show_largest(struct finding *f, const struct signs *s)
{
	char name[PROCESS_TEXT];

	if (s->binaries.count && s->binaries.largest[0].binaries > LARGE_HEAP &&
	    (!s->heaps.count || s->binaries.largest[0].binaries > s->heaps.largest[0].heap)) {
		f->process = &s->binaries.largest[0].process;
		finding_show(f, "largest binary holder: %s, %.0f MiB", process_text(f->process, name),
			     (double)s->binaries.largest[0].binaries / (double)MIB);
		return;
	}
	if (!s->heaps.count || s->heaps.largest[0].heap < LARGE_HEAP)
		return;
	f->process = &s->heaps.largest[0].process;
	finding_show(f, "largest heap: %s, %.0f MiB", process_text(f->process, name),
		     (double)s->heaps.largest[0].heap / (double)MIB);
}

static void judge_pressure(struct judgement *j)
{
	const struct signs *s = j->signs;
	double full = s->memory.has_group ? (double)s->memory.group_used / (double)s->memory.limit : 0;
	struct finding *f;

	if (full < GROUP_FULL && s->memory.stalled < STALLED_SHARE)
		return;
	f = finding_add(j, MEMORY_PRESSURE, full > (1 + GROUP_FULL) / 2 || s->memory.stalled > 3 * STALLED_SHARE);
	if (full >= GROUP_FULL)
		finding_say(f,
			    "memory is short: the control group of the node uses %.0f of %.0f MiB, and the kernel "
			    "kills the node at the limit",
			    (double)s->memory.group_used / (double)MIB, (double)s->memory.limit / (double)MIB);
	else
		finding_say(f, "memory is short: tasks stall for memory %.0f %% of the time",
			    percent(s->memory.stalled));
	finding_show(f, "the node: %.0f MiB resident, %.0f MiB swapped", (double)s->memory.resident / (double)MIB,
		     (double)s->memory.swapped / (double)MIB);
	if (s->memory.has_group)
		finding_show(f, "control group: %s; limit reached %llu times while watched", s->memory.group,
			     (unsigned long long)s->memory.limit_hits);
	show_largest(f, s);
}

static void judge_faults(struct judgement *j)
{
	const struct signs *s = j->signs;
	struct finding *f;

	if (s->memory.major_faults_per_s < MANY_FAULTS)
		return;
	f = finding_add(j, PAGE_FAULTS, s->memory.major_faults_per_s > 10 * MANY_FAULTS);
	finding_say(f, "the node waits for page faults: %.0f pages per second are read from swap or files",
		    s->memory.major_faults_per_s);
	finding_show(f, "%.0f MiB swapped, %.0f MiB resident", (double)s->memory.swapped / (double)MIB,
		     (double)s->memory.resident / (double)MIB);
	show_largest(f, s);
}

void judge_host(struct judgement *j)
{
	judge_pressure(j);
	judge_faults(j);
	judge_throttling(j);
	judge_excess(j);
	judge_waiting(j);
}
