// SPDX-License-Identifier: BSD-2-Clause
/*
 * Limits are such that a node that works hard and well has no finding: full schedulers are none, processes that wait
 * for them in large numbers are. Weights put causes before what follows from them: a group that is throttled makes
 * mailboxes grow, not the other way round.
 */
#include "why/judge/finding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"

#define BUSY_SHARE 0.1	  /* of the time in which somebody is suspended */
#define BLOCKED_SHARE 0.1 /* of the time of schedulers */
#define LEAST_LEFT 0.5	  /* of their time, beside what they wait for a CPU */
#define LONG_SLICE_NS (50 * NS_PER_MS)
#define LONG_CALL_NS (5 * NS_PER_S)
#define COPYING_SHARE 0.2    /* of a scheduler, in slices of 20 ms and more */
#define COLLECTING_SHARE 0.3 /* of what schedulers run */
#define MUCH_COLLECTING 0.6  /* schedulers; with less, others are not held up */
#define LEAST_BUSY 0.2	     /* of one scheduler, for that to be anything */
#define STUCK_MAILBOX 20
#define MANY_ANSWERS 1000
#define LONG_MAILBOX 10000 /* messages at any time */
#define ALWAYS_WAITING 5   /* messages of who waits for an answer */
#define BUSY_SERVER 0.7	   /* of the time */
#define BUSY_SEARCHER 0.5  /* of one scheduler */
#define LATE_S 0.1	   /* less than that is no backlog, however it came about */
#define MANY_ATOMS 100	   /* per second */
#define CODE_OF_ATOM 50	   /* bytes; a module has several times as much code for each that is new */
#define FULL_SHARE 0.9
#define MANY_RUNNABLE 50 /* per scheduler */
#define URGENT_SHARE 0.9 /* of what schedulers run */

const char *severity_name(enum severity severity)
{
	return severity == SEVERITY_CRITICAL ? "critical" : "warning";
}

/* Waiting for others. */

static void judge_busy_connection(struct judgement *j, const struct sign_busy *busy)
{
	struct finding *f = finding_add(j, CONNECTION_BUSY, OF_BUSY, busy->share > 3 * BUSY_SHARE);
	char name[PROCESS_TEXT];

	f->process = &busy->process;
	finding_say(f,
		    "%s is suspended: the connection to node %s is busy, as that node reads too slowly or the network "
		    "is slow",
		    process_text(&busy->process, name), busy->what);
	finding_show(f, "suspended in %.0f %% of the looks, %llu processes at the last one", percent(busy->share),
		     (unsigned long long)busy->processes);
	finding_show(f, "%.1f MiB wait to be sent (limit: +zdbbl)", (double)busy->queued / (double)MIB);
	finding_show_stack(f, &busy->process);
	finding_more(f, "dist -p PID");
}

static void judge_busy_port(struct judgement *j, const struct sign_busy *busy)
{
	struct finding *f = finding_add(j, PORT_BUSY, OF_BUSY, busy->share > 3 * BUSY_SHARE);
	char name[PROCESS_TEXT];

	f->process = &busy->process;
	finding_say(f, "%s is suspended: the port %s is busy, as what it writes to takes no more",
		    process_text(&busy->process, name), busy->what);
	finding_show(f, "suspended in %.0f %% of the looks, %llu processes at the last one", percent(busy->share),
		     (unsigned long long)busy->processes);
	if (busy->owner[0])
		finding_show(f, "the port belongs to %s", busy->owner);
	finding_show_stack(f, &busy->process);
	finding_more(f, "ports -p PID");
}

static void judge_busy(struct judgement *j)
{
	bool has_port = false;

	for (size_t i = 0; i < j->signs->busy_count; i++) {
		const struct sign_busy *busy = &j->signs->busy[i];

		if (busy->share < BUSY_SHARE)
			continue;
		has_port |= !busy->is_connection;
		if (busy->is_connection)
			judge_busy_connection(j, busy);
		else
			judge_busy_port(j, busy);
	}
	if (!has_port)
		judge_send(j);
}

/* Schedulers. */

static bool is_ets(const struct sign_blocked *blocked)
{
	return !strncmp(blocked->function, "ets:", 4);
}

/*
 * Of the time in which the kernel let the schedulers do what they want. Short locks of the VM are held long where who
 * has one gets no CPU, which is no fault of the node: time in which threads wait for one is not counted.
 */
static double blocked_share(const struct signs *s, const struct sign_blocked *blocked)
{
	double left = 1 - s->thread_waited;

	/* What is left of very little is chance. */
	if (is_ets(blocked))
		return blocked->share / (left > LEAST_LEFT ? left : LEAST_LEFT);
	return blocked->share > s->thread_waited ? blocked->share - s->thread_waited : 0;
}

static void judge_one_blocked(struct judgement *j, const struct sign_blocked *blocked)
{
	bool of_ets = is_ets(blocked);
	struct finding *f = finding_add(j, of_ets ? ETS_LOCK : SCHEDULER_BLOCKED, OF_BLOCKED,
					blocked_share(j->signs, blocked) > 3 * BLOCKED_SHARE);
	char name[PROCESS_TEXT];

	f->process = &blocked->process;
	if (of_ets)
		finding_say(f, "%s waits in %s for the lock of %s%s that others use",
			    process_text(&blocked->process, name), blocked->function,
			    blocked->table[0] ? "the ETS table " : "an ETS table", blocked->table);
	else
		finding_say(f, "%s blocks its scheduler in %s: it waits for a lock or for the kernel",
			    process_text(&blocked->process, name), blocked->function);
	finding_show(f, "schedulers sleep there for %.0f %% of their time, in %llu process%s", percent(blocked->share),
		     (unsigned long long)blocked->processes, blocked->processes == 1 ? "" : "es");
	if (blocked->other.id)
		finding_show(f, "meanwhile %s %s runs %s", blocked->other.name, blocked->other.pid,
			     blocked->other.function);
	finding_show_stack(f, &blocked->process);
	finding_more(f, of_ets ? "locks -p PID" : "slices --min 10ms -p PID");
}

static void judge_blocked(struct judgement *j)
{
	for (size_t i = 0; i < j->signs->blocked_count; i++) {
		if (blocked_share(j->signs, &j->signs->blocked[i]) >= BLOCKED_SHARE)
			judge_one_blocked(j, &j->signs->blocked[i]);
	}
}

/* A library is loaded once, and with it what it is linked with. */
static bool loads_library(const struct sign_slice *slice)
{
	const char *function = slice->process.function, *name = strchr(function, ':');

	return slice->count == 1 && name && (!strcmp(name, ":on_load/0") || !strcmp(function, "erlang:load_nif/2"));
}

/* Nothing else takes long in sending. */
static bool is_sending(const struct sign_slice *slice)
{
	return !strncmp(slice->process.function, "erlang:send/", 12);
}

/* To be added to a sentence; "": it is not known. */
static const char *slice_cause(const struct signs *s, const struct sign_slice *slice)
{
	if (is_sending(slice))
		return ": the messages that it sends are very large, and each is copied";
	if (!strncmp(slice->process.function, "ets:lookup", 10) && is_lookup_large(s))
		return ": what it looks up is large, and each call copies all of it";
	return "";
}

/* A slice that was long only because its thread got no CPU, or for a collection, is something else's fault. */
static void judge_slice(struct judgement *j, const struct sign_slice *slice)
{
	const struct signs *s = j->signs;
	double took = (double)slice->longest_ns * slice->ran;
	double share = (double)slice->total_ns * slice->ran / (double)(s->elapsed_ns ? s->elapsed_ns : 1);
	char name[PROCESS_TEXT], longest[32], total[32];
	bool copies = is_sending(slice);
	struct finding *f;

	if ((took < (double)LONG_SLICE_NS && !(copies && share > COPYING_SHARE)) || slice->collecting > 0.5 ||
	    loads_library(slice))
		return;
	f = finding_add(j, LONG_SLICE, OF_SLICE, (double)slice->total_ns > 0.2 * (double)s->elapsed_ns);
	f->process = &slice->process;
	finding_say(f, "%s keeps a scheduler for up to %s without yielding, in %s%s",
		    process_text(&slice->process, name), duration_format(slice->longest_ns, longest),
		    slice->process.function[0] ? slice->process.function : "a function that is not known",
		    slice_cause(s, slice));
	finding_show(f, "%llu slice%s of 20 ms or more, %s in all", (unsigned long long)slice->count,
		     slice->count == 1 ? "" : "s", duration_format(slice->total_ns, total));
	finding_show_stack(f, &slice->process);
	finding_more(f, "slices --min 20ms -p PID");
}

static void judge_slices(struct judgement *j)
{
	for (size_t i = 0; i < j->signs->slice_count; i++)
		judge_slice(j, &j->signs->slices[i]);
}

static const char *function(const struct sign_process *process)
{
	return process->function[0] ? process->function : "a function that is not known";
}

/* It yields, so that its slices are short. Of many calls each one would make at least its answer. */
static void judge_call(struct judgement *j)
{
	const struct sign_long_call *call = &j->signs->long_call;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!call->processes || j->signs->elapsed_ns < LONG_CALL_NS)
		return;
	f = finding_add(j, LONG_CALL, OF_CALL, call->processes >= j->signs->normal.schedulers);
	f->process = &call->process;
	finding_say(f,
		    "%s has been in %s all the time, with no result: the regular expression backtracks without end on "
		    "this text",
		    process_text(&call->process, name), function(&call->process));
	finding_show(f, "it uses %.0f %% of one scheduler; %llu process%s do%s so", percent(call->process.busy),
		     (unsigned long long)call->processes, call->processes == 1 ? "" : "es",
		     call->processes == 1 ? "es" : "");
	finding_show_stack(f, &call->process);
	finding_more(f, "profile -p PID --erl-pid '%s'", call->process.pid);
}

static void judge_queue(struct judgement *j)
{
	const struct signs *s = j->signs;
	size_t usable = s->online ? s->online : s->normal.schedulers;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (s->normal.full < FULL_SHARE || s->runnable < (double)(MANY_RUNNABLE * usable))
		return;
	f = finding_add(j, RUN_QUEUE_LONG, OF_QUEUE, false);
	f->process = s->normal.process.id ? &s->normal.process : NULL;
	finding_say(f, "the schedulers are full: %.0f processes are ready to run and wait, for %zu schedulers",
		    s->runnable, usable);
	finding_show(f, "all of them are busy in %.0f %% of the looks", percent(s->normal.full));
	if (f->process)
		finding_show(f, "most time is used by %s (%.0f %% of one scheduler)", process_text(f->process, name),
			     percent(f->process->busy));
	finding_more(f, "run-queue -p PID");
}

static void judge_pool(struct judgement *j, enum rule rule, const struct sign_pool *pool, const char *kind)
{
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!pool->schedulers || pool->full < FULL_SHARE)
		return;
	f = finding_add(j, rule, OF_POOL, false);
	f->process = pool->process.id ? &pool->process : NULL;
	finding_show(f, "each is busy for %.0f %% of the time on average", percent(pool->busy));
	finding_say(f, "all %zu dirty %s schedulers are busy for %.0f %% of the time: what needs one waits",
		    pool->schedulers, kind, percent(pool->full));
	if (f->process)
		finding_show(f, "most is used by %s in %s", process_text(f->process, name), pool->process.function);
	finding_more(f, "slices --min 100ms -p PID");
}

/* Schedulers take a process of a lower priority only if there is none of a higher one. */
static void judge_priority(struct judgement *j)
{
	const struct signs *s = j->signs;
	char name[PROCESS_TEXT], starved[PROCESS_TEXT];
	struct finding *f;

	if (!s->starved || s->urgent < URGENT_SHARE || s->normal.full < FULL_SHARE)
		return;
	f = finding_add(j, PRIORITY_STARVES, OF_PRIORITY, true);
	f->process = &s->urgent_who;
	finding_say(f,
		    "%s and others of priority high or max use all schedulers: %llu processes of a lower priority are "
		    "ready to run and never do",
		    process_text(&s->urgent_who, name), (unsigned long long)s->starved);
	finding_show(f, "%.0f %% of what schedulers run has priority high or max; this one uses %.0f %% of one",
		     percent(s->urgent), percent(s->urgent_who.busy));
	finding_show(f, "one that never runs is %s", process_text(&s->starved_who, starved));
	finding_show_stack(f, &s->urgent_who);
	finding_more(f, "run-queue -p PID");
}

/* Fewer than there are is how some nodes are set up; only if that is too few it is a fault. */
static void judge_offline(struct judgement *j)
{
	const struct signs *s = j->signs;
	struct finding *f;
	char name[PROCESS_TEXT];

	if (!s->online || s->online >= s->normal.schedulers || s->normal.full < FULL_SHARE || s->runnable < 1)
		return;
	f = finding_add(j, SCHEDULERS_OFF, OF_OFFLINE, false);
	f->process = s->normal.process.id ? &s->normal.process : NULL;
	finding_say(f,
		    "only %zu of %zu schedulers run processes, and they are full: schedulers_online is less, or "
		    "multi_scheduling is blocked",
		    s->online, s->normal.schedulers);
	finding_show(f, "%.0f processes are ready to run and wait, on average", s->runnable);
	if (f->process)
		finding_show(f, "most time is used by %s (%.0f %% of one scheduler)", process_text(f->process, name),
			     percent(f->process->busy));
	finding_more(f, "run-queue -p PID");
}

/* The share without what may be chance, of so few that were found: two standard errors. */
static double surely_collecting(const struct signs *s)
{
	double share = s->collecting;

	return s->spells ? share - 2 * sqrt(share * (1 - share) / (double)s->spells) : 0;
}

/* Who has others collected, id 0: nobody. */
static const struct sign_process *find_gc_caller(const struct signs *s)
{
	return s->gc_asker.id ? &s->gc_asker : &s->gc_wait.process;
}

static void judge_collections(struct judgement *j)
{
	const struct signs *s = j->signs;
	double busy = s->normal.busy * (double)s->normal.schedulers +
		      s->dirty_cpu.busy * (double)s->dirty_cpu.schedulers;
	const struct sign_process *caller = find_gc_caller(s);
	char name[PROCESS_TEXT], other[PROCESS_TEXT];
	struct finding *f;

	if (s->is_collecting_short || surely_collecting(s) < COLLECTING_SHARE || busy * s->collecting < LEAST_BUSY ||
	    !s->collector.id)
		return;
	f = finding_add(j, GC_STORM, OF_COLLECTING,
			s->collecting > 1.5 * COLLECTING_SHARE && busy * s->collecting >= MUCH_COLLECTING);
	f->process = caller->id ? caller : &s->collector;
	finding_say(
		f,
		"garbage collection takes %.0f %% of the time of the schedulers that work, most of it for %s%s%s%s%s",
		percent(s->collecting), s->are_children_collected ? "processes that end soon and are spawned by " : "",
		process_text(&s->collector, name), caller->id ? ": it is forced by " : "",
		caller->id ? process_text(caller, other) : "",
		!caller->id && s->hibernates ? ": it hibernates again and again, and all of its heap is collected each "
					       "time"
					     : "");
	finding_show(f, "%s for %.0f %% of the time that %s",
		     s->are_children_collected ? "these are collected" : "it collects", percent(s->collector_share),
		     s->are_children_collected ? "they run" : "it runs");
	finding_show_stack(f, f->process);
	finding_more(f, "gc --by pid -p PID");
}

/* Mailboxes. */

/* By Little's law, from how many come in: exact as long as the rate is. */
static double oldest_waits(const struct sign_mailbox *mailbox, double per_s)
{
	return per_s > 0 ? (double)mailbox->length / per_s : 0;
}

static double arrivals_per_s(const struct judgement *j, const struct sign_mailbox *mailbox)
{
	double grown_per_s = (double)mailbox->grown / seconds_of(j->signs);

	return mailbox->arrivals_per_s > grown_per_s ? mailbox->arrivals_per_s : grown_per_s;
}

/* A few messages that wait for a moment are the chance of when it was looked at, also if they become more by chance. */
static bool grows_late(const struct judgement *j, const struct sign_mailbox *mailbox)
{
	return mailbox->is_growing && oldest_waits(mailbox, arrivals_per_s(j, mailbox)) >= LATE_S;
}

static void explain_senders(struct judgement *j, struct finding *f, const struct sign_mailbox *mailbox)
{
	double per_s = arrivals_per_s(j, mailbox);
	char text[FINDING_TEXT], wait[32];
	size_t used = 0;

	if (!mailbox->sender_count)
		return;
	text[0] = '\0';
	for (size_t i = 0; i < mailbox->sender_count && used < sizeof(text); i++) {
		const struct sign_sender *sender = &mailbox->senders[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.0f %% from %.200s", i ? ", " : "",
					 percent(sender->share), sender->name);
		if (used < sizeof(text) && sender->processes > 1)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " (%zu processes)",
						 sender->processes);
		else if (used < sizeof(text) && sender->pid[0])
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %s", sender->pid);
	}
	if (per_s < 1) {
		finding_show(f, "hardly any come in: %s", text);
		return;
	}
	finding_show(f, "%.0f messages per second come in: %s; at this rate the oldest waits for %s", per_s, text,
		     duration_format((uint64_t)(oldest_waits(mailbox, per_s) * (double)NS_PER_S), wait));
}

/* What one that does not receive waits for: the cause, if somebody's answer is. */
static const char *wait_text(const struct sign_mailbox *mailbox, char text[FINDING_TEXT])
{
	const struct sign_process *end = &mailbox->waits_for;
	char name[PROCESS_TEXT];

	if (!end->id)
		snprintf(text, FINDING_TEXT, "waits in %s", function(&mailbox->process));
	else if (mailbox->is_circle)
		snprintf(text, FINDING_TEXT, "is one of %zu processes that wait for answers of each other, such as %s",
			 mailbox->steps + 1, process_text(end, name));
	else
		snprintf(text, FINDING_TEXT, "waits for the answer of %s%s, which %s %s", process_text(end, name),
			 mailbox->steps > 1 ? " (of others, that wait for it)" : "",
			 end->is_waiting ? "waits in" : "works in", function(end));
	return text;
}

static void explain_receiver(struct finding *f, const struct sign_mailbox *mailbox)
{
	const struct sign_process *process = &mailbox->process;

	if (mailbox->is_suspended)
		finding_show(f, "it may not run: erlang:suspend_process/1, or a port or connection that is busy");
	else if (mailbox->is_waiting)
		finding_show(f, "it does not receive them: it waits in %s, and runs for %.0f %% of the time",
			     process->function[0] ? process->function : "a function that is not known",
			     percent(process->busy));
	else
		finding_show(f, "it works for %.0f %% of the time, most of it in %s", percent(process->busy),
			     process->function[0] ? process->function : "a function that is not known");
	finding_show_stack(f, process);
}

/* Who logs or writes waits for it, or its messages are dropped: it seldom grows. */
static void judge_service(struct judgement *j, const struct sign_mailbox *mailbox)
{
	static const struct {
		enum rule rule;
		const char *waits, *effect;
	} services[] = {
		[SERVICE_LOG] = { LOG_BACKLOG, "log events wait", "who logs waits" },
		[SERVICE_IO] = { IO_BACKLOG, "input and output wait", "who reads or writes waits" },
		[SERVICE_CODE] = { CODE_BACKLOG, "calls wait",
				   "who calls a function of a module that is not loaded waits, each time if there is "
				   "no such module" },
	};
	const struct sign_wait_group *asking = &j->signs->code_wait;
	char name[PROCESS_TEXT];
	struct finding *f = finding_add(j, services[mailbox->service].rule, OF_BACKLOG, grows_late(j, mailbox));

	f->process = &mailbox->process;
	finding_say(f, "%s for %s: %s", services[mailbox->service].waits, process_text(&mailbox->process, name),
		    services[mailbox->service].effect);
	finding_show(f, "%llu messages wait, at least %llu all the time", (unsigned long long)mailbox->length,
		     (unsigned long long)mailbox->least);
	explain_senders(j, f, mailbox);
	if (mailbox->service == SERVICE_CODE && asking->processes)
		finding_show(f, "one that waits is %s: %s", process_text(&asking->process, name),
			     asking->process.stack);
	explain_receiver(f, mailbox);
	finding_more(f, "messages --by pair -p PID --erl-pid '%s'", mailbox->process.pid);
}

/* Who has others work for it, and takes their answers one after the other: these have ended then. */
static bool has_answers_only(const struct sign_mailbox *mailbox)
{
	double ended = 0;

	for (size_t i = 0; i < mailbox->sender_count; i++)
		ended += mailbox->senders[i].has_ended ? mailbox->senders[i].share : 0;
	return !mailbox->callers && ended >= MOST_OF;
}

/* Who waits although there is something in its mailbox waits for something else: for a reply, or a time. */
static void judge_stuck(struct judgement *j, const struct sign_mailbox *mailbox)
{
	char name[PROCESS_TEXT], wait[FINDING_TEXT];
	struct finding *f;

	if (!mailbox->is_waiting || has_answers_only(mailbox) ||
	    (mailbox->least < STUCK_MAILBOX && (mailbox->least < ALWAYS_WAITING || mailbox->callers < ALWAYS_WAITING)))
		return;
	f = finding_add(j, MAILBOX_STUCK, OF_STUCK, false);
	f->weight += 1 - 1 / (double)mailbox->least;
	f->process = &mailbox->process;
	finding_say(f, "%s %s, while others wait for it: its mailbox holds at least %llu messages all the time",
		    process_text(&mailbox->process, name), wait_text(mailbox, wait),
		    (unsigned long long)mailbox->least);
	explain_senders(j, f, mailbox);
	explain_receiver(f, mailbox);
	finding_more(f, "mailbox -p PID --erl-pid '%s'", mailbox->process.pid);
}

/* Those who ask wait as long as the server needs for all before them, however short its mailbox is. */
static bool judge_server(struct judgement *j, const struct sign_mailbox *mailbox)
{
	char name[PROCESS_TEXT];
	struct finding *f;

	if (mailbox->is_waiting || mailbox->least < ALWAYS_WAITING || mailbox->callers < ALWAYS_WAITING ||
	    mailbox->process.busy < BUSY_SERVER)
		return false;
	f = finding_add(j, SERVER_FULL, OF_STUCK, false);
	f->process = &mailbox->process;
	finding_say(f,
		    "%s is too slow for those who ask it: it is busy for %.0f %% of the time, most of it in %s, and at "
		    "least "
		    "%llu messages wait all the time",
		    process_text(&mailbox->process, name), percent(mailbox->process.busy), function(&mailbox->process),
		    (unsigned long long)mailbox->least);
	finding_show(f, "%zu of those that send to it wait for its answer", mailbox->callers);
	explain_senders(j, f, mailbox);
	finding_show_stack(f, &mailbox->process);
	finding_more(f, "slices -p PID --erl-pid '%s'", mailbox->process.pid);
	return true;
}

/* A few hundred workers at most are answers that come in one after the other; if many more end, they do not wait for
 * it. */
static bool collects(const struct sign_mailbox *mailbox)
{
	return mailbox->is_waiting && mailbox->length < MANY_ANSWERS && has_answers_only(mailbox);
}

static void judge_mailbox(struct judgement *j, const struct sign_mailbox *mailbox)
{
	bool grows = grows_late(j, mailbox) && !collects(mailbox);
	bool searches = mailbox->searches && mailbox->process.busy > BUSY_SEARCHER;
	char name[PROCESS_TEXT], wait[FINDING_TEXT];
	struct finding *f;

	/* That is a finding of its own. */
	if (mailbox->process.id && mailbox->process.id == j->signs->tracer.process.id)
		return;
	if (mailbox->service != SERVICE_NONE && (grows || mailbox->least >= SERVICE_BACKLOG)) {
		judge_service(j, mailbox);
		return;
	}
	if (!grows && mailbox->least < LONG_MAILBOX && !searches) {
		if (!judge_server(j, mailbox))
			judge_stuck(j, mailbox);
		return;
	}
	f = finding_add(j, grows ? MAILBOX_GROWS : MAILBOX_LONG, OF_MAILBOX, grows);
	f->weight += mailbox->length ? 1 - 1 / (double)mailbox->length : 0;
	f->process = &mailbox->process;
	if (grows)
		finding_say(f, "the mailbox of %s grows by %.0f messages per second: it %s",
			    process_text(&mailbox->process, name), (double)mailbox->grown / seconds_of(j->signs),
			    mailbox->is_suspended ? "is suspended"
			    : mailbox->is_waiting ? wait_text(mailbox, wait)
			    : searches		  ? "searches it in each receive, past messages that it never takes"
						  : "is too slow for what is sent to it");
	else
		finding_say(f, "the mailbox of %s is long: it holds at least %llu messages all the time%s",
			    process_text(&mailbox->process, name), (unsigned long long)mailbox->least,
			    searches ? ", and each receive searches past those that it never takes" : "");
	finding_show(f, "%llu messages wait, %llu more than at the beginning", (unsigned long long)mailbox->length,
		     (unsigned long long)mailbox->grown);
	/* What it takes at once, ahead of others, is not among those that were seen to come in. */
	if (!searches)
		explain_senders(j, f, mailbox);
	explain_receiver(f, mailbox);
	finding_more(f, "messages --by pair -p PID --erl-pid '%s'", mailbox->process.pid);
}

static void judge_mailboxes(struct judgement *j)
{
	for (size_t i = 0; i < j->signs->mailbox_count; i++)
		judge_mailbox(j, &j->signs->mailboxes[i]);
}

/* Numbers of things. */

/* Modules bring atoms, but no more of them than there are. */
static bool loads_code(const struct signs *s)
{
	const char *stack = s->atom_maker.stack;

	if (s->knows_code)
		return s->code_grown > (s->atom_limit.used - s->atom_limit.before) * CODE_OF_ATOM;
	if (s->loads_code && !s->is_atom_maker)
		return true;
	return strstr(stack, "code:load") || strstr(stack, "code_server:") || strstr(stack, "erl_prim_loader:");
}

static void judge_atoms(struct judgement *j)
{
	const struct sign_limit *atoms = &j->signs->atom_limit;
	double left_s = atoms->per_s > 0 ? (double)(atoms->most - atoms->used) / atoms->per_s : 0;
	char name[PROCESS_TEXT], left[32];
	struct finding *f;

	if (!atoms->is_steady || atoms->per_s < MANY_ATOMS || loads_code(j->signs))
		return;
	f = finding_add(j, ATOMS_GROW, OF_ATOMS, left_s < 24 * 3600);
	f->process = j->signs->is_atom_maker ? &j->signs->atom_maker : NULL;
	if (f->process)
		finding_say(f,
			    "%s makes %.0f atoms per second: atoms are never freed, and the node ends when the table "
			    "is full",
			    process_text(f->process, name), atoms->per_s);
	else
		finding_say(
			f,
			"%.0f atoms are made per second: atoms are never freed, and the node ends when the table is "
			"full",
			atoms->per_s);
	finding_show(f, "%llu of %llu atoms; at this rate the table is full in %s", (unsigned long long)atoms->used,
		     (unsigned long long)atoms->most, duration_format((uint64_t)(left_s * 1e9), left));
	if (j->signs->newest_atoms[0])
		finding_show(f, "the newest: %s", j->signs->newest_atoms);
	if (f->process)
		finding_show_stack(f, f->process);
	else if (j->signs->atom_maker.id)
		finding_show(f, "nobody was seen to make them; who works most is %s",
			     process_text(&j->signs->atom_maker, name));
	finding_more(f, "top -p PID");
}

static void judge_limit(struct judgement *j, enum rule rule, const struct sign_limit *limit, const char *what,
			const char *option)
{
	double share = limit->most ? (double)limit->used / (double)limit->most : 0;
	struct finding *f;

	if (share < NEAR_LIMIT)
		return;
	f = finding_add(j, rule, OF_LIMIT, share > (1 + NEAR_LIMIT) / 2);
	finding_say(f, "the node has %llu %s, %.0f %% of as many as it may have (%s)", (unsigned long long)limit->used,
		    what, percent(share), option);
	finding_show(f, "limit: %llu; change: %+.0f per second", (unsigned long long)limit->most, limit->per_s);
	finding_more(f, "top -p PID");
}

/* Of a load that becomes more, some end and others work. */
static bool judge_growth(struct judgement *j)
{
	const struct sign_growth *growth = &j->signs->growth;
	const struct sign_limit *processes = &j->signs->process_limit;
	double grown = (double)processes->used - (double)processes->before, stayed = (double)growth->stayed;
	char name[PROCESS_TEXT], left[32];
	struct finding *f;

	if (!processes->is_steady || grown < MANY_MORE || stayed < MOST_OF * grown ||
	    stayed < MOST_OF * (double)growth->spawned || (double)growth->idle < MOST_OF * stayed)
		return false;
	f = finding_add(j, PROCESSES_GROW, OF_GROWTH, false);
	f->process = &growth->parent;
	finding_say(f, "%s spawns processes that stay and do nothing: %.1f more per second",
		    process_text(&growth->parent, name), processes->per_s);
	finding_show(f, "%llu of %llu that it spawned are there still; at this rate the node is full in %s",
		     (unsigned long long)growth->stayed, (unsigned long long)growth->spawned,
		     duration_format((uint64_t)((double)(processes->most - processes->used) / processes->per_s * 1e9),
				     left));
	finding_show(f, "one of them is %s, which waits in %s", process_text(&growth->one, name),
		     growth->one.function[0] ? growth->one.function : "a function that is not known");
	finding_show_stack(f, &growth->parent);
	finding_more(f, "births -p PID");
	return true;
}

/* So slowly that ten seconds do not show it. */
static void judge_hourly_processes(struct judgement *j)
{
	const struct signs *s = j->signs;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!s->hour_before)
		return;
	f = finding_add(j, PROCESSES_GROW, OF_GROWTH, false);
	finding_say(f, "the number of processes has only grown for an hour, from %llu to %llu: some are not ended",
		    (unsigned long long)s->hour_before, (unsigned long long)s->hour_now);
	finding_show(f, "limit: %llu", (unsigned long long)s->process_limit.most);
	if (s->growth.stayed) {
		f->process = &s->growth.parent;
		finding_show(f, "%llu that %s spawned while it was watched are there still",
			     (unsigned long long)s->growth.stayed, process_text(&s->growth.parent, name));
	}
	finding_more(f, "births -p PID");
}

static void judge_numbers(struct judgement *j)
{
	const struct signs *s = j->signs;

	judge_atoms(j);
	judge_storms(j);
	if (!judge_growth(j))
		judge_hourly_processes(j);
	judge_limit(j, ATOMS_LIMIT, &s->atom_limit, "atoms", "+t");
	judge_limit(j, PROCESSES_LIMIT, &s->process_limit, "processes", "+P");
	judge_limit(j, PORTS_LIMIT, &s->port_limit, "ports", "+Q");
}

static int by_badness(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity < y->severity ? 1 : -1;
	return x->weight < y->weight ? 1 : x->weight > y->weight ? -1 : 0;
}

size_t rules_judge(const struct signs *signs, struct finding *findings)
{
	struct judgement j = { .signs = signs, .findings = findings };

	judge_host(&j);
	judge_busy(&j);
	judge_blocked(&j);
	judge_slices(&j);
	judge_call(&j);
	judge_collections(&j);
	judge_numbers(&j);
	judge_resources(&j);
	judge_mailboxes(&j);
	judge_waits(&j);
	judge_work(&j);
	judge_memory(&j);
	judge_pool(&j, DIRTY_CPU_FULL, &signs->dirty_cpu, "CPU");
	judge_pool(&j, DIRTY_IO_FULL, &signs->dirty_io, "I/O");
	judge_queue(&j);
	judge_priority(&j);
	judge_offline(&j);
	qsort(findings, j.count, sizeof(*findings), by_badness);
	return j.count;
}
