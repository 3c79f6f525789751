// SPDX-License-Identifier: BSD-2-Clause
/*
 * The limits are such that a busy healthy node has no finding: full schedulers are none, a long run queue is one.
 */
#include "why/judge/finding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"

#define BUSY_SHARE 0.1	  /* of the time a process is suspended */
#define BLOCKED_SHARE 0.1 /* of the time of schedulers */
#define LEAST_LEFT 0.5	  /* of their time, without waits for a CPU */
#define LONG_SLICE_NS (50 * NS_PER_MS)
#define LONG_CALL_NS (5 * NS_PER_S)
#define COPYING_SHARE 0.2    /* of a scheduler, in slices of 20 ms and more */
#define COLLECTING_SHARE 0.3 /* of what schedulers run */
#define MUCH_COLLECTING 0.6  /* schedulers; less does not delay others */
#define LEAST_BUSY 0.2	     /* of one scheduler; less is no finding */
#define STUCK_MAILBOX 20
#define MANY_ANSWERS 1000
#define LONG_MAILBOX 10000 /* messages at any time */
#define ALWAYS_WAITING 5   /* messages of waiting callers */
#define BUSY_SERVER 0.7	   /* of the time */
#define BUSY_SEARCHER 0.5  /* of one scheduler */
#define LATE_S 0.1	   /* seconds; a shorter delay is no backlog */
#define MANY_ATOMS 100	   /* per second */
#define CODE_OF_ATOM 50	   /* bytes; a module has several times as much code per new atom */
#define FULL_SHARE 0.9
#define MANY_RUNNABLE 50 /* per scheduler */
#define URGENT_SHARE 0.9 /* of what schedulers run */

const char *severity_name(enum severity severity)
{
	return severity == SEVERITY_CRITICAL ? "critical" : "warning";
}

static void judge_busy_connection(struct judgement *j, const struct sign_busy *busy)
{
	struct finding *f = finding_add(j, CONNECTION_BUSY, busy->share > 3 * BUSY_SHARE);
	char name[PROCESS_TEXT];

	f->process = &busy->process;
	finding_say(f, "%s is suspended: the buffer of the connection to node %s is full (slow peer or network)",
		    process_text(&busy->process, name), busy->what);
	finding_show(f, "suspended in %.0f %% of the samples, %llu processes in the last one", percent(busy->share),
		     (unsigned long long)busy->processes);
	finding_show(f, "%.1f MiB are queued (limit: +zdbbl)", (double)busy->queued / (double)MIB);
	finding_show_stack(f, &busy->process);
}

static void judge_busy_port(struct judgement *j, const struct sign_busy *busy)
{
	struct finding *f = finding_add(j, PORT_BUSY, busy->share > 3 * BUSY_SHARE);
	char name[PROCESS_TEXT];

	f->process = &busy->process;
	finding_say(f, "%s is suspended: port %s is busy: its other end accepts no more data",
		    process_text(&busy->process, name), busy->what);
	finding_show(f, "suspended in %.0f %% of the samples, %llu processes in the last one", percent(busy->share),
		     (unsigned long long)busy->processes);
	if (busy->owner[0])
		finding_show(f, "owner of the port: %s", busy->owner);
	finding_show_stack(f, &busy->process);
}

static void judge_busy(struct judgement *j)
{
	bool has_port = false;

	for (size_t i = 0; i < j->signs->suspended.count; i++) {
		const struct sign_busy *busy = &j->signs->suspended.worst[i];

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

static bool is_ets(const struct sign_blocked *blocked)
{
	return !strncmp(blocked->function, "ets:", 4);
}

/* The share without waits for a CPU: a lock whose holder gets no CPU is held long, which is not the node's fault. */
static double blocked_share(const struct signs *s, const struct sign_blocked *blocked)
{
	double left = 1 - s->cpu.waited;

	/* A share of very little time is chance. */
	if (is_ets(blocked))
		return blocked->share / (left > LEAST_LEFT ? left : LEAST_LEFT);
	return blocked->share > s->cpu.waited ? blocked->share - s->cpu.waited : 0;
}

static void judge_one_blocked(struct judgement *j, const struct sign_blocked *blocked)
{
	bool of_ets = is_ets(blocked);
	struct finding *f = finding_add(j, of_ets ? ETS_LOCK : SCHEDULER_BLOCKED,
					blocked_share(j->signs, blocked) > 3 * BLOCKED_SHARE);
	char name[PROCESS_TEXT];

	f->process = &blocked->process;
	if (of_ets)
		finding_say(f, "%s waits in %s for the lock of %s%s, which other processes hold",
			    process_text(&blocked->process, name), blocked->function,
			    blocked->table[0] ? "the ETS table " : "an ETS table", blocked->table);
	else
		finding_say(f, "%s blocks its scheduler in %s: it waits for a lock or in the kernel",
			    process_text(&blocked->process, name), blocked->function);
	finding_show(f, "schedulers sleep there %.0f %% of their time, in %llu process%s", percent(blocked->share),
		     (unsigned long long)blocked->processes, blocked->processes == 1 ? "" : "es");
	if (blocked->other.id)
		finding_show(f, "meanwhile %s %s runs %s", blocked->other.name, blocked->other.pid,
			     blocked->other.function);
	finding_show_stack(f, &blocked->process);
}

static void judge_blocked(struct judgement *j)
{
	for (size_t i = 0; i < j->signs->schedulers.blocked_count; i++) {
		if (blocked_share(j->signs, &j->signs->schedulers.blocked[i]) >= BLOCKED_SHARE)
			judge_one_blocked(j, &j->signs->schedulers.blocked[i]);
	}
}

/* A library is loaded only once. */
static bool loads_library(const struct sign_slice *slice)
{
	const char *function = slice->process.function, *name = strchr(function, ':');

	return slice->count == 1 && name && (!strcmp(name, ":on_load/0") || !strcmp(function, "erlang:load_nif/2"));
}

/* Only a large message takes long to send. */
static bool is_sending(const struct sign_slice *slice)
{
	return !strncmp(slice->process.function, "erlang:send/", 12);
}

/* The end of the sentence; "": the cause is not known. */
static const char *slice_cause(const struct signs *s, const struct sign_slice *slice)
{
	if (is_sending(slice))
		return ": its messages are very large, and each is copied";
	if (!strncmp(slice->process.function, "ets:lookup", 10) && is_lookup_large(s))
		return ": the objects are large, and each call copies one";
	return "";
}

/* A slice that is long because its thread got no CPU, or because of a collection, does not count. */
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
	f = finding_add(j, LONG_SLICE, (double)slice->total_ns > 0.2 * (double)s->elapsed_ns);
	f->process = &slice->process;
	finding_say(f, "%s runs for up to %s without yielding, in %s%s", process_text(&slice->process, name),
		    duration_format(slice->longest_ns, longest),
		    slice->process.function[0] ? slice->process.function : "an unknown function",
		    slice_cause(s, slice));
	finding_show(f, "%llu slice%s of 20 ms or more, %s in total", (unsigned long long)slice->count,
		     slice->count == 1 ? "" : "s", duration_format(slice->total_ns, total));
	finding_show_stack(f, &slice->process);
}

static void judge_slices(struct judgement *j)
{
	for (size_t i = 0; i < j->signs->schedulers.slice_count; i++)
		judge_slice(j, &j->signs->schedulers.slices[i]);
}

static const char *function(const struct sign_process *process)
{
	return process->function[0] ? process->function : "an unknown function";
}

/* The call yields, so its slices are short. Many short calls would change the heap. */
static void judge_call(struct judgement *j)
{
	const struct sign_long_call *call = &j->signs->long_call;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!call->processes || j->signs->elapsed_ns < LONG_CALL_NS)
		return;
	f = finding_add(j, LONG_CALL, call->processes >= j->signs->schedulers.normal.schedulers);
	f->process = &call->process;
	finding_say(f,
		    "%s has been in %s all the time, without result: the regular expression backtracks endlessly on "
		    "this text",
		    process_text(&call->process, name), function(&call->process));
	finding_show(f, "it uses %.0f %% of a scheduler; %llu process%s %s affected", percent(call->process.busy),
		     (unsigned long long)call->processes, call->processes == 1 ? "" : "es",
		     call->processes == 1 ? "is" : "are");
	finding_show_stack(f, &call->process);
}

static void judge_queue(struct judgement *j)
{
	const struct signs *s = j->signs;
	size_t usable = s->schedulers.online ? s->schedulers.online : s->schedulers.normal.schedulers;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (s->schedulers.normal.full < FULL_SHARE || s->queue.runnable < (double)(MANY_RUNNABLE * usable))
		return;
	f = finding_add(j, RUN_QUEUE_LONG, false);
	f->process = s->schedulers.normal.process.id ? &s->schedulers.normal.process : NULL;
	finding_say(f, "the schedulers are overloaded: %.0f processes wait in the run queues of %zu schedulers",
		    s->queue.runnable, usable);
	finding_show(f, "all schedulers are busy in %.0f %% of the samples", percent(s->schedulers.normal.full));
	if (f->process)
		finding_show(f, "busiest process: %s (%.0f %% of one scheduler)", process_text(f->process, name),
			     percent(f->process->busy));
}

static void judge_pool(struct judgement *j, enum rule rule, const struct sign_pool *pool, const char *kind)
{
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!pool->schedulers || pool->full < FULL_SHARE)
		return;
	f = finding_add(j, rule, false);
	f->process = pool->process.id ? &pool->process : NULL;
	finding_show(f, "each is busy %.0f %% of the time on average", percent(pool->busy));
	finding_say(f, "all %zu dirty %s schedulers are busy %.0f %% of the time: calls that need one must wait",
		    pool->schedulers, kind, percent(pool->full));
	if (f->process)
		finding_show(f, "busiest process: %s in %s", process_text(f->process, name), pool->process.function);
}

static void judge_priority(struct judgement *j)
{
	const struct signs *s = j->signs;
	char name[PROCESS_TEXT], starved[PROCESS_TEXT];
	struct finding *f;

	if (!s->queue.starved || s->schedulers.urgent < URGENT_SHARE || s->schedulers.normal.full < FULL_SHARE)
		return;
	f = finding_add(j, PRIORITY_STARVES, true);
	f->process = &s->schedulers.urgent_process;
	finding_say(f,
		    "%s and other processes of priority high or max use all schedulers: %llu processes of lower "
		    "priority never run",
		    process_text(&s->schedulers.urgent_process, name), (unsigned long long)s->queue.starved);
	finding_show(f,
		     "%.0f %% of the scheduler time goes to priority high or max; this process uses %.0f %% of one "
		     "scheduler",
		     percent(s->schedulers.urgent), percent(s->schedulers.urgent_process.busy));
	finding_show(f, "one that never runs: %s", process_text(&s->queue.starved_process, starved));
	finding_show_stack(f, &s->schedulers.urgent_process);
}

/* Some nodes are configured with fewer schedulers online; it is a problem only if these are full. */
static void judge_offline(struct judgement *j)
{
	const struct signs *s = j->signs;
	struct finding *f;
	char name[PROCESS_TEXT];

	if (!s->schedulers.online || s->schedulers.online >= s->schedulers.normal.schedulers ||
	    s->schedulers.normal.full < FULL_SHARE || s->queue.runnable < 1)
		return;
	f = finding_add(j, SCHEDULERS_OFF, false);
	f->process = s->schedulers.normal.process.id ? &s->schedulers.normal.process : NULL;
	finding_say(f,
		    "only %zu of %zu schedulers are online, and they are full: schedulers_online is lower, or "
		    "multi_scheduling is blocked",
		    s->schedulers.online, s->schedulers.normal.schedulers);
	finding_show(f, "%.0f processes wait in the run queues on average", s->queue.runnable);
	if (f->process)
		finding_show(f, "busiest process: %s (%.0f %% of one scheduler)", process_text(f->process, name),
			     percent(f->process->busy));
}

/* The share less two standard errors, because the samples are few. */
static double surely_collecting(const struct signs *s)
{
	double share = s->gc.share;

	return s->gc.samples ? share - 2 * sqrt(share * (1 - share) / (double)s->gc.samples) : 0;
}

/* The process that forces others to be collected; id 0: none. */
static const struct sign_process *find_gc_caller(const struct signs *s)
{
	return s->gc.caller.id ? &s->gc.caller : &s->waits.gc.process;
}

static void judge_collections(struct judgement *j)
{
	const struct signs *s = j->signs;
	double busy = s->schedulers.normal.busy * (double)s->schedulers.normal.schedulers +
		      s->schedulers.dirty_cpu.busy * (double)s->schedulers.dirty_cpu.schedulers;
	const struct sign_process *caller = find_gc_caller(s);
	char name[PROCESS_TEXT], other[PROCESS_TEXT];
	struct finding *f;

	if (s->gc.is_burst || surely_collecting(s) < COLLECTING_SHARE || busy * s->gc.share < LEAST_BUSY ||
	    !s->gc.process.id)
		return;
	f = finding_add(j, GC_STORM, s->gc.share > 1.5 * COLLECTING_SHARE && busy * s->gc.share >= MUCH_COLLECTING);
	f->process = caller->id ? caller : &s->gc.process;
	finding_say(f, "garbage collection takes %.0f %% of the busy scheduler time, most of it for %s%s%s%s%s",
		    percent(s->gc.share), s->gc.are_children ? "short-lived processes spawned by " : "",
		    process_text(&s->gc.process, name), caller->id ? ": forced by " : "",
		    caller->id ? process_text(caller, other) : "",
		    !caller->id && s->gc.hibernates
			    ? ": it keeps hibernating, and each time its whole heap is collected"
			    : "");
	finding_show(f, "%s %.0f %% of the time that %s", s->gc.are_children ? "they are collected" : "it is collected",
		     percent(s->gc.process_share), s->gc.are_children ? "they run" : "it runs");
	finding_show_stack(f, f->process);
}

/* Seconds, by Little's law; exact while the rate is constant. */
static double oldest_waits(const struct sign_mailbox *mailbox, double per_s)
{
	return per_s > 0 ? (double)mailbox->length / per_s : 0;
}

static double arrivals_per_s(const struct judgement *j, const struct sign_mailbox *mailbox)
{
	double grown_per_s = (double)mailbox->grown / seconds_of(j->signs);

	return mailbox->arrivals_per_s > grown_per_s ? mailbox->arrivals_per_s : grown_per_s;
}

/* A few messages that wait for a moment are chance, even if their number rises. */
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
		finding_show(f, "less than one message per second arrives: %s", text);
		return;
	}
	finding_show(f, "%.0f messages per second arrive: %s; at this rate the oldest has waited %s", per_s, text,
		     duration_format((uint64_t)(oldest_waits(mailbox, per_s) * (double)NS_PER_S), wait));
}

/* What a receiver that does not receive waits for. */
static const char *wait_text(const struct sign_mailbox *mailbox, char text[FINDING_TEXT])
{
	const struct sign_process *end = &mailbox->waits_for;
	char name[PROCESS_TEXT];

	if (!end->id)
		snprintf(text, FINDING_TEXT, "waits in %s", function(&mailbox->process));
	else if (mailbox->is_circle)
		snprintf(text, FINDING_TEXT, "is one of %zu processes in a cycle of calls, such as %s",
			 mailbox->steps + 1, process_text(end, name));
	else
		snprintf(text, FINDING_TEXT, "waits for the reply of %s%s, which %s %s", process_text(end, name),
			 mailbox->steps > 1 ? " (through others)" : "", end->is_waiting ? "waits in" : "runs",
			 function(end));
	return text;
}

static void explain_receiver(struct finding *f, const struct sign_mailbox *mailbox)
{
	const struct sign_process *process = &mailbox->process;

	if (mailbox->is_suspended)
		finding_show(f, "it is suspended by erlang:suspend_process/1, or by a busy port or connection");
	else if (mailbox->is_waiting)
		finding_show(f, "it does not receive them: it waits in %s, and runs %.0f %% of the time",
			     process->function[0] ? process->function : "an unknown function", percent(process->busy));
	else
		finding_show(f, "it is busy %.0f %% of the time, mostly in %s", percent(process->busy),
			     process->function[0] ? process->function : "an unknown function");
	finding_show_stack(f, process);
}

/* Such a mailbox seldom grows: senders wait for the server, or messages are dropped. */
static void judge_service(struct judgement *j, const struct sign_mailbox *mailbox)
{
	static const struct {
		enum rule rule;
		const char *waits, *effect;
	} services[] = {
		[SERVICE_LOG] = { LOG_BACKLOG, "log events wait", "logging processes are blocked" },
		[SERVICE_IO] = { IO_BACKLOG, "I/O requests wait", "processes doing I/O are blocked" },
		[SERVICE_CODE] = { CODE_BACKLOG, "calls wait",
				   "calls into unloaded modules wait; every time, if the module does not exist" },
	};
	const struct sign_wait_group *asking = &j->signs->waits.code;
	char name[PROCESS_TEXT];
	struct finding *f = finding_add(j, services[mailbox->service].rule, grows_late(j, mailbox));

	f->process = &mailbox->process;
	finding_say(f, "%s for %s: %s", services[mailbox->service].waits, process_text(&mailbox->process, name),
		    services[mailbox->service].effect);
	finding_show(f, "%llu messages wait, never less than %llu", (unsigned long long)mailbox->length,
		     (unsigned long long)mailbox->least);
	explain_senders(j, f, mailbox);
	if (mailbox->service == SERVICE_CODE && asking->processes)
		finding_show(f, "one of the callers: %s: %s", process_text(&asking->process, name),
			     asking->process.stack);
	explain_receiver(f, mailbox);
}

/* Are the messages results of workers, which have exited? */
static bool has_answers_only(const struct sign_mailbox *mailbox)
{
	double ended = 0;

	for (size_t i = 0; i < mailbox->sender_count; i++)
		ended += mailbox->senders[i].has_ended ? mailbox->senders[i].share : 0;
	return !mailbox->callers && ended >= MOST_OF;
}

/* A process that waits although it has messages waits for a particular one, or for a timeout. */
static void judge_stuck(struct judgement *j, const struct sign_mailbox *mailbox)
{
	char name[PROCESS_TEXT], wait[FINDING_TEXT];
	struct finding *f;

	if (!mailbox->is_waiting || has_answers_only(mailbox) ||
	    (mailbox->least < STUCK_MAILBOX && (mailbox->least < ALWAYS_WAITING || mailbox->callers < ALWAYS_WAITING)))
		return;
	f = finding_add(j, MAILBOX_STUCK, false);
	f->weight += 1 - 1 / (double)mailbox->least;
	f->process = &mailbox->process;
	finding_say(f, "%s %s while its mailbox always holds at least %llu messages",
		    process_text(&mailbox->process, name), wait_text(mailbox, wait),
		    (unsigned long long)mailbox->least);
	explain_senders(j, f, mailbox);
	explain_receiver(f, mailbox);
}

/* Each caller waits for all requests before its own, however short the mailbox is. */
static bool judge_server(struct judgement *j, const struct sign_mailbox *mailbox)
{
	char name[PROCESS_TEXT];
	struct finding *f;

	if (mailbox->is_waiting || mailbox->least < ALWAYS_WAITING || mailbox->callers < ALWAYS_WAITING ||
	    mailbox->process.busy < BUSY_SERVER)
		return false;
	f = finding_add(j, SERVER_FULL, false);
	f->process = &mailbox->process;
	finding_say(f,
		    "%s cannot keep up with its callers: it is busy %.0f %% of the time, mostly in %s, and at least "
		    "%llu messages always wait",
		    process_text(&mailbox->process, name), percent(mailbox->process.busy), function(&mailbox->process),
		    (unsigned long long)mailbox->least);
	finding_show(f, "%zu of its senders wait for a reply", mailbox->callers);
	explain_senders(j, f, mailbox);
	finding_show_stack(f, &mailbox->process);
	return true;
}

/* A process collects the results of a few hundred workers; more are no longer normal. */
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

	/* Tracing is a finding of its own. */
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
	f = finding_add(j, grows ? MAILBOX_GROWS : MAILBOX_LONG, grows);
	f->weight += mailbox->length ? 1 - 1 / (double)mailbox->length : 0;
	f->process = &mailbox->process;
	if (grows)
		finding_say(f, "the mailbox of %s grows by %.0f messages per second: it %s",
			    process_text(&mailbox->process, name), (double)mailbox->grown / seconds_of(j->signs),
			    mailbox->is_suspended ? "is suspended"
			    : mailbox->is_waiting ? wait_text(mailbox, wait)
			    : searches		  ? "scans it in each receive, past messages that it never takes"
						  : "cannot keep up with incoming messages");
	else
		finding_say(f, "the mailbox of %s is long: it always holds at least %llu messages%s",
			    process_text(&mailbox->process, name), (unsigned long long)mailbox->least,
			    searches ? ", and each receive scans past those that it never takes" : "");
	finding_show(f, "%llu messages wait, %llu more than at the start", (unsigned long long)mailbox->length,
		     (unsigned long long)mailbox->grown);
	/* Messages that it takes ahead of others were not seen to arrive. */
	if (!searches)
		explain_senders(j, f, mailbox);
	explain_receiver(f, mailbox);
}

static void judge_mailboxes(struct judgement *j)
{
	for (size_t i = 0; i < j->signs->mailboxes.count; i++)
		judge_mailbox(j, &j->signs->mailboxes.worst[i]);
}

/* Do loaded modules explain the new atoms? */
static bool loads_code(const struct signs *s)
{
	const char *stack = s->atoms.maker.stack;

	if (s->code.is_known)
		return s->code.grown > (s->atoms.limit.used - s->atoms.limit.before) * CODE_OF_ATOM;
	if (s->atoms.loads_code && !s->atoms.is_maker_seen)
		return true;
	return strstr(stack, "code:load") || strstr(stack, "code_server:") || strstr(stack, "erl_prim_loader:");
}

static void judge_atoms(struct judgement *j)
{
	const struct sign_limit *atoms = &j->signs->atoms.limit;
	double left_s = atoms->per_s > 0 ? (double)(atoms->most - atoms->used) / atoms->per_s : 0;
	char name[PROCESS_TEXT], left[32];
	struct finding *f;

	if (!atoms->is_steady || atoms->per_s < MANY_ATOMS || loads_code(j->signs))
		return;
	f = finding_add(j, ATOMS_GROW, left_s < 24 * 3600);
	f->process = j->signs->atoms.is_maker_seen ? &j->signs->atoms.maker : NULL;
	if (f->process)
		finding_say(f,
			    "%s creates %.0f atoms per second: atoms are never freed, and the node crashes when the "
			    "table is full",
			    process_text(f->process, name), atoms->per_s);
	else
		finding_say(f,
			    "%.0f atoms are created per second: atoms are never freed, and the node crashes when the "
			    "table is full",
			    atoms->per_s);
	finding_show(f, "%llu of %llu atoms; at this rate the table is full in %s", (unsigned long long)atoms->used,
		     (unsigned long long)atoms->most, duration_format((uint64_t)(left_s * 1e9), left));
	if (j->signs->atoms.newest[0])
		finding_show(f, "newest atoms: %s", j->signs->atoms.newest);
	if (f->process)
		finding_show_stack(f, f->process);
	else if (j->signs->atoms.maker.id)
		finding_show(f, "creator not observed; busiest process: %s",
			     process_text(&j->signs->atoms.maker, name));
}

static void judge_limit(struct judgement *j, enum rule rule, const struct sign_limit *limit, const char *what,
			const char *option)
{
	double share = limit->most ? (double)limit->used / (double)limit->most : 0;
	struct finding *f;

	if (share < NEAR_LIMIT)
		return;
	f = finding_add(j, rule, share > (1 + NEAR_LIMIT) / 2);
	finding_say(f, "the node has %llu %s, %.0f %% of its limit (%s)", (unsigned long long)limit->used, what,
		    percent(share), option);
	finding_show(f, "limit: %llu; change: %+.0f per second", (unsigned long long)limit->most, limit->per_s);
}

/* With a growing load, some processes exit and others work. */
static bool judge_growth(struct judgement *j)
{
	const struct sign_growth *growth = &j->signs->spawns.growth;
	const struct sign_limit *processes = &j->signs->process_limit;
	double grown = (double)processes->used - (double)processes->before, stayed = (double)growth->stayed;
	char name[PROCESS_TEXT], left[32];
	struct finding *f;

	if (!processes->is_steady || grown < MANY_MORE || stayed < MOST_OF * grown ||
	    stayed < MOST_OF * (double)growth->spawned || (double)growth->idle < MOST_OF * stayed)
		return false;
	f = finding_add(j, PROCESSES_GROW, false);
	f->process = &growth->parent;
	finding_say(f, "%s spawns processes that stay idle and never exit: +%.1f per second",
		    process_text(&growth->parent, name), processes->per_s);
	finding_show(f, "%llu of the %llu that it spawned still exist; at this rate the limit is reached in %s",
		     (unsigned long long)growth->stayed, (unsigned long long)growth->spawned,
		     duration_format((uint64_t)((double)(processes->most - processes->used) / processes->per_s * 1e9),
				     left));
	finding_show(f, "one of them: %s, which waits in %s", process_text(&growth->one, name),
		     growth->one.function[0] ? growth->one.function : "an unknown function");
	finding_show_stack(f, &growth->parent);
	return true;
}

/* A leak too slow for ten seconds. */
static void judge_hourly_processes(struct judgement *j)
{
	const struct signs *s = j->signs;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!s->hourly.processes_before)
		return;
	f = finding_add(j, PROCESSES_GROW, false);
	finding_say(f, "the process count rose steadily for an hour, from %llu to %llu: processes leak",
		    (unsigned long long)s->hourly.processes_before, (unsigned long long)s->hourly.processes_now);
	finding_show(f, "limit: %llu", (unsigned long long)s->process_limit.most);
	if (s->spawns.growth.stayed) {
		f->process = &s->spawns.growth.parent;
		finding_show(f, "%llu processes that %s spawned while watched still exist",
			     (unsigned long long)s->spawns.growth.stayed, process_text(&s->spawns.growth.parent, name));
	}
}

static void judge_numbers(struct judgement *j)
{
	const struct signs *s = j->signs;

	judge_atoms(j);
	judge_storms(j);
	if (!judge_growth(j))
		judge_hourly_processes(j);
	judge_limit(j, ATOMS_LIMIT, &s->atoms.limit, "atoms", "+t");
	judge_limit(j, PROCESSES_LIMIT, &s->process_limit, "processes", "+P");
	judge_limit(j, PORTS_LIMIT, &s->ports.limit, "ports", "+Q");
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
	judge_pool(&j, DIRTY_CPU_FULL, &signs->schedulers.dirty_cpu, "CPU");
	judge_pool(&j, DIRTY_IO_FULL, &signs->schedulers.dirty_io, "I/O");
	judge_queue(&j);
	judge_priority(&j);
	judge_offline(&j);
	for (size_t i = 0; i < j.count; i++)
		finding_finish(&findings[i]);
	qsort(findings, j.count, sizeof(*findings), by_badness);
	return j.count;
}
