// SPDX-License-Identifier: BSD-2-Clause
/* Work that leads nowhere, or costs far more than it has to: signs of polls.h and chores.h. */
#include "why/rules_parts.h"

#include <string.h>

#define MANY_WAKES 20000 /* per second */
#define MANY_POLLS 50	 /* processes; fewer of them can be meant so */
#define LEAST_BUSY 0.2	 /* schedulers, for that to be anything */
#define MOST_SHARE 0.6
#define LIST_SHARE 0.5
#define MANY_OBJECTS 10000

/* Each that wakes up is scheduled, and has its timer taken out and put in. */
static void judge_polls(struct judgement *j)
{
	const struct sign_polls *polls = &j->signs->polls;
	char who[WHO_TEXT];
	struct finding *f;

	if (polls->processes < MANY_POLLS || polls->wakes_per_s < MANY_WAKES)
		return;
	f = finding_add(j, WAKE_STORM, OF_WAKES, false);
	f->who = &polls->who;
	finding_say(f,
		    "%llu processes, such as %s, wake up by short timeouts all the time, about %.0f times per second "
		    "in all: they ask again and again instead of waiting for a message",
		    (unsigned long long)polls->processes, who_text(&polls->who, who), polls->wakes_per_s);
	finding_show(f, "each time they wait for %.1f ms on average", polls->wait_ms);
	finding_show_stack(f, &polls->who);
	finding_more(f, "timers -p PID");
}

/* How many schedulers do nothing else. */
static double schedulers_in(const struct signs *s, enum chore chore)
{
	return s->chores[chore].share * (1 - s->collecting) * s->normal.busy * (double)s->normal.schedulers;
}

/* NULL: it is no finding. */
static struct finding *add_chore(struct judgement *j, enum rule rule, enum chore chore, double least)
{
	const struct sign_chore *sign = &j->signs->chores[chore];
	bool is_most = sign->share >= MOST_SHARE && schedulers_in(j->signs, chore) >= MOST_SHARE;
	struct finding *f;

	if (!sign->who.id || sign->share < least || schedulers_in(j->signs, chore) < LEAST_BUSY)
		return NULL;
	f = finding_add(j, rule, OF_CHORE, is_most);
	f->who = &sign->who;
	return f;
}

static void show_chore(const struct judgement *j, struct finding *f, enum chore chore)
{
	const struct sign_chore *sign = &j->signs->chores[chore];

	finding_show(f, "this is %.0f %% of what schedulers do beside collecting garbage", percent(sign->share));
	finding_show_stack(f, &sign->who);
}

/* Of a table that is small it is cheap. One that is not known may be so, unless all the time goes there. */
static bool is_searched(const struct sign_searched *searched)
{
	if (searched->matching >= CHORE_SHARE)
		return !searched->objects || searched->objects >= MANY_OBJECTS / 10;
	return searched->objects >= MANY_OBJECTS;
}

static void judge_search(struct judgement *j)
{
	const struct sign_searched *searched = &j->signs->searched;
	const struct sign_chore *sign = &j->signs->chores[CHORE_SEARCH];
	char who[WHO_TEXT];
	struct finding *f;

	f = is_searched(searched) ? add_chore(j, TABLE_SEARCH, CHORE_SEARCH, CHORE_SHARE) : NULL;
	if (!f)
		return;
	finding_say(f, "%s goes through all objects of %s%s again and again, in %s", who_text(&sign->who, who),
		    searched->name[0] ? "the ETS table " : "an ETS table", searched->name, sign->who.doing);
	if (searched->objects)
		finding_show(f, "it has %llu objects: each search looks at all of them, and copies what it returns",
			     (unsigned long long)searched->objects);
	show_chore(j, f, CHORE_SEARCH);
	finding_more(f, "ets -p PID");
}

static void judge_inspection(struct judgement *j)
{
	const struct sign_chore *sign = &j->signs->chores[CHORE_INSPECT];
	struct finding *f = add_chore(j, INSPECT_STORM, CHORE_INSPECT, CHORE_SHARE);
	char who[WHO_TEXT];

	if (!f)
		return;
	finding_say(f, "%s asks about the node and its processes all the time, in %s, as monitoring does",
		    who_text(&sign->who, who), sign->who.doing);
	if (strstr(sign->who.doing, "process"))
		finding_show(f, "the node has %llu processes; one that works has to answer itself",
			     (unsigned long long)j->signs->processes);
	show_chore(j, f, CHORE_INSPECT);
	finding_more(f, "calls -p PID erlang:process_info");
}

static bool is_said(const struct judgement *j, const struct sign_who *who)
{
	size_t i = 0;

	while (i < j->count && !(j->findings[i].who && j->findings[i].who->id == who->id &&
				 !strcmp(j->findings[i].rule, rule_names[LONG_SLICE])))
		i++;
	return i < j->count;
}

/* Those that take very long are slices. */
static void judge_copies(struct judgement *j)
{
	const struct sign_chore *sign = &j->signs->chores[CHORE_COPY];
	struct finding *f = is_said(j, &sign->who) ? NULL : add_chore(j, LARGE_MESSAGES, CHORE_COPY, CHORE_SHARE);
	char who[WHO_TEXT];

	if (!f)
		return;
	finding_say(f, "%s sends messages of 32 KiB or more all the time: each is copied", who_text(&sign->who, who));
	if (j->signs->copied_to.id)
		finding_show(f, "most of them are for %s", who_text(&j->signs->copied_to, who));
	show_chore(j, f, CHORE_COPY);
	finding_more(f, "copy -p PID");
}

/* Many programs use long lists now and then. */
static void judge_lists(struct judgement *j)
{
	const struct sign_chore *sign = &j->signs->chores[CHORE_LIST];
	struct finding *f = add_chore(j, LONG_LIST, CHORE_LIST, LIST_SHARE);
	char who[WHO_TEXT];

	if (!f)
		return;
	finding_say(f, "%s goes through lists of 10,000 elements or more again and again, in %s",
		    who_text(&sign->who, who), sign->who.doing);
	show_chore(j, f, CHORE_LIST);
	finding_more(f, "profile -p PID --erl-pid '%s'", sign->who.pid);
}

void judge_work(struct judgement *j)
{
	judge_polls(j);
	judge_search(j);
	judge_inspection(j);
	judge_copies(j);
	judge_lists(j);
}
