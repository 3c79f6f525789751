// SPDX-License-Identifier: BSD-2-Clause
/* Work without a result, or far more expensive than necessary. */
#include "why/judge/finding.h"

#include <string.h>

#define MANY_WAKES 20000       /* per second */
#define MANY_SHORT_TIMEOUTS 50 /* processes; fewer may be intended */
#define LEAST_BUSY 0.2	       /* schedulers; less is no finding */
#define MOST_SHARE 0.6
#define LOOPING_BUSY 0.5 /* schedulers */
#define LIST_SHARE 0.5
#define LARGE_OBJECT (64.0 * 1024) /* bytes; a copy takes longer than most uses of it */
#define MANY_OBJECTS 10000
#define SLOW_INSERTS 0.6  /* of the calls */
#define APPENDER_BUSY 0.3 /* of one scheduler */
#define SYNC_SHARE 0.3	  /* of the time of a server */
#define CROWD_SHARE 0.5	  /* of the dirty I/O schedulers */
#define SOME_CALLERS 3
#define MANY_SYNC 5 /* processes */

static void judge_short_timeouts(struct judgement *j)
{
	const struct sign_short_timeouts *polls = &j->signs->short_timeouts;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (polls->processes < MANY_SHORT_TIMEOUTS || polls->wakes_per_s < MANY_WAKES)
		return;
	f = finding_add(j, WAKE_STORM, false);
	f->process = &polls->process;
	finding_say(f,
		    "%llu processes, such as %s, wake up by short timeouts, about %.0f times per second in total: they "
		    "poll instead of waiting for a message",
		    (unsigned long long)polls->processes, process_text(&polls->process, name), polls->wakes_per_s);
	finding_show(f, "average timeout: %.1f ms", polls->wait_ms);
	finding_show_stack(f, &polls->process);
}

static void judge_busy_loops(struct judgement *j)
{
	static const char *const spins[LOOPS] = {
		[LOOP_MAILBOX] = "poll its empty mailbox (receive ... after 0)",
		[LOOP_YIELD] = "yield in a loop (erlang:yield/0)",
		[LOOP_SAME_CALL] = "repeat the same call until its result changes",
	};
	const struct sign_busy_loops *sign = &j->signs->busy_loops;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!sign->process.id || sign->busy < LOOPING_BUSY)
		return;
	f = finding_add(j, BUSY_POLLING, sign->busy >= MOST_SHARE * (double)j->signs->schedulers.normal.schedulers);
	f->process = &sign->process;
	finding_say(f, "%s uses %.0f %% of a scheduler to %s, in %s, instead of waiting for a message",
		    process_text(&sign->process, name), percent(sign->process.busy), spins[sign->spin],
		    sign->process.function[0] ? sign->process.function : "an unknown function");
	finding_show(f, "it never waited and never had a message; %llu process%s this and use%s %.1f of %zu schedulers",
		     (unsigned long long)sign->processes, sign->processes == 1 ? " does" : "es do",
		     sign->processes == 1 ? "s" : "", sign->busy, j->signs->schedulers.normal.schedulers);
	if (sign->spin == LOOP_SAME_CALL && !strncmp(sign->process.function, "ets:lookup", 10) &&
	    j->signs->costly.looked_up.name[0])
		finding_show(f, "most lookups are in the ETS table %s", j->signs->costly.looked_up.name);
	finding_show_stack(f, &sign->process);
}

/* A traced process makes and copies each trace message. */
static void judge_tracer(struct judgement *j)
{
	const struct sign_tracer *tracer = &j->signs->tracer;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!tracer->process.id || (!tracer->is_growing && tracer->process.busy < LEAST_BUSY))
		return;
	f = finding_add(j, TRACING, tracer->is_growing);
	f->process = &tracer->process;
	finding_say(f,
		    "processes are traced to %s, which gets a message for each traced event%s: the trace was left on, "
		    "or is too broad",
		    process_text(&tracer->process, name), tracer->is_growing ? ", more than it can handle" : "");
	finding_show(f, "a pending message is from a trace of '%s'", tracer->what);
	finding_show(f, "it is busy %.0f %% of the time; erlang:trace(all, false, [all]) ends most traces",
		     percent(tracer->process.busy));
	finding_show_stack(f, &tracer->process);
}

/* In whole schedulers. */
static double schedulers_in(const struct signs *s, enum costly_call chore)
{
	return s->costly.calls[chore].share * (1 - s->gc.share) * s->schedulers.normal.busy *
	       (double)s->schedulers.normal.schedulers;
}

/* NULL: it is no finding. */
static struct finding *add_costly(struct judgement *j, enum rule rule, enum costly_call chore, double least)
{
	const struct sign_costly_call *sign = &j->signs->costly.calls[chore];
	bool is_most = sign->share >= MOST_SHARE && schedulers_in(j->signs, chore) >= MOST_SHARE;
	struct finding *f;

	if (!sign->process.id || sign->share < least || schedulers_in(j->signs, chore) < LEAST_BUSY)
		return NULL;
	f = finding_add(j, rule, is_most);
	f->process = &sign->process;
	return f;
}

static void show_costly(const struct judgement *j, struct finding *f, enum costly_call chore)
{
	const struct sign_costly_call *sign = &j->signs->costly.calls[chore];

	finding_show(f, "this is %.0f %% of scheduler time without garbage collection", percent(sign->share));
	finding_show_stack(f, &sign->process);
}

/* Searching a small table is cheap. An unknown table may be small, unless searches take all the time. */
static bool is_searched(const struct sign_table_use *searched)
{
	if (searched->matching >= COSTLY_SHARE)
		return !searched->objects || searched->objects >= MANY_OBJECTS / 10;
	return searched->objects >= MANY_OBJECTS;
}

static void judge_search(struct judgement *j)
{
	const struct sign_table_use *searched = &j->signs->costly.searched;
	const struct sign_costly_call *sign = &j->signs->costly.calls[COSTLY_SEARCH];
	char name[PROCESS_TEXT];
	struct finding *f;

	f = is_searched(searched) ? add_costly(j, TABLE_SEARCH, COSTLY_SEARCH, COSTLY_SHARE) : NULL;
	if (!f)
		return;
	finding_say(f, "%s keeps searching all objects of %s%s, in %s", process_text(&sign->process, name),
		    searched->name[0] ? "the ETS table " : "an ETS table", searched->name, sign->process.function);
	if (searched->objects)
		finding_show(f, "it has %llu objects: each search scans all of them, and copies the result",
			     (unsigned long long)searched->objects);
	show_costly(j, f, COSTLY_SEARCH);
}

static void judge_inspection(struct judgement *j)
{
	const struct sign_costly_call *sign = &j->signs->costly.calls[COSTLY_INSPECT];
	struct finding *f = add_costly(j, INSPECT_STORM, COSTLY_INSPECT, COSTLY_SHARE);
	char name[PROCESS_TEXT];

	if (!f)
		return;
	finding_say(f, "%s queries the node and its processes all the time, in %s, as monitoring does",
		    process_text(&sign->process, name), sign->process.function);
	if (strstr(sign->process.function, "process"))
		finding_show(f, "the node has %llu processes; a running one must reply itself",
			     (unsigned long long)j->signs->processes);
	show_costly(j, f, COSTLY_INSPECT);
}

/* A finding of the rule, about that process or, if NULL, about any. NULL: there is none. */
static const struct finding *find_finding(const struct judgement *j, enum rule rule, const struct sign_process *process)
{
	for (size_t i = 0; i < j->count; i++) {
		const struct finding *f = &j->findings[i];

		if (!strcmp(f->rule, rule_name(rule)) && (!process || (f->process && f->process->id == process->id)))
			return f;
	}
	return NULL;
}

/* Very long copies are already reported as slices. */
static void judge_copies(struct judgement *j)
{
	const struct sign_costly_call *sign = &j->signs->costly.calls[COSTLY_COPY];
	struct finding *f = find_finding(j, LONG_SLICE, &sign->process)
				    ? NULL
				    : add_costly(j, LARGE_MESSAGES, COSTLY_COPY, COSTLY_SHARE);
	char name[PROCESS_TEXT];

	if (!f)
		return;
	finding_say(f, "%s sends messages of 32 KiB or more all the time: each is copied",
		    process_text(&sign->process, name));
	if (j->signs->costly.copied_to.id)
		finding_show(f, "main receiver: %s", process_text(&j->signs->costly.copied_to, name));
	show_costly(j, f, COSTLY_COPY);
}

static void judge_lists(struct judgement *j)
{
	const struct sign_costly_call *sign = &j->signs->costly.calls[COSTLY_LIST];
	struct finding *f = add_costly(j, LONG_LIST, COSTLY_LIST, LIST_SHARE);
	char name[PROCESS_TEXT];

	if (!f)
		return;
	finding_say(f, "%s keeps traversing lists or maps of 10,000 elements or more, in %s",
		    process_text(&sign->process, name), sign->process.function);
	show_costly(j, f, COSTLY_LIST);
}

static double object_bytes(const struct sign_table_use *table)
{
	return table->objects ? (double)table->bytes / (double)table->objects : 0;
}

bool is_lookup_large(const struct signs *s)
{
	return s->costly.calls[COSTLY_LOOKUP].share >= LIST_SHARE && object_bytes(&s->costly.looked_up) >= LARGE_OBJECT;
}

static void judge_lookups(struct judgement *j)
{
	const struct sign_costly_call *sign = &j->signs->costly.calls[COSTLY_LOOKUP];
	const struct sign_table_use *table = &j->signs->costly.looked_up;
	struct finding *f = NULL;
	char name[PROCESS_TEXT];

	if (is_lookup_large(j->signs) && !find_finding(j, LONG_SLICE, &sign->process))
		f = add_costly(j, LARGE_LOOKUPS, COSTLY_LOOKUP, LIST_SHARE);
	if (!f)
		return;
	finding_say(f, "%s keeps looking up large objects in the ETS table %s, in %s: each call copies a whole object",
		    process_text(&sign->process, name), table->name, sign->process.function);
	finding_show(f, "it has %llu objects of %.0f KiB each, on average", (unsigned long long)table->objects,
		     object_bytes(table) / 1024);
	show_costly(j, f, COSTLY_LOOKUP);
}

/* A large bag is normal: in most, each key has only a few objects. */
static void judge_inserts(struct judgement *j)
{
	const struct sign_costly_call *sign = &j->signs->costly.calls[COSTLY_INSERT];
	const struct sign_table_use *table = &j->signs->costly.inserted;
	struct finding *f = NULL;
	char name[PROCESS_TEXT];

	if (table->is_bag && table->objects >= MANY_OBJECTS && j->signs->costly.slow_inserts >= SLOW_INSERTS)
		f = add_costly(j, BAG_INSERTS, COSTLY_INSERT, COSTLY_SHARE);
	if (!f)
		return;
	finding_say(f,
		    "%s inserts into the ETS table %s, a bag with very many objects per key: each call of %s compares "
		    "the object with all of them",
		    process_text(&sign->process, name), table->name, sign->process.function);
	finding_show(f, "it has %llu objects; a duplicate_bag, or a set with a larger key, compares none",
		     (unsigned long long)table->objects);
	show_costly(j, f, COSTLY_INSERT);
}

static void judge_terms(struct judgement *j)
{
	const struct sign_costly_call *sign = &j->signs->costly.calls[COSTLY_TERM];
	struct finding *f = find_finding(j, LONG_SLICE, &sign->process)
				    ? NULL
				    : add_costly(j, LARGE_TERMS, COSTLY_TERM, LIST_SHARE);
	char name[PROCESS_TEXT];

	if (!f)
		return;
	finding_say(f, "%s keeps traversing terms of 32 KiB or more, in %s", process_text(&sign->process, name),
		    sign->process.function);
	show_costly(j, f, COSTLY_TERM);
}

/* The variables of a fun are copied, too. */
static void judge_large_spawns(struct judgement *j)
{
	const struct sign_costly_call *sign = &j->signs->costly.calls[COSTLY_SPAWN];
	struct finding *f = add_costly(j, LARGE_SPAWNS, COSTLY_SPAWN, COSTLY_SHARE);
	char name[PROCESS_TEXT];

	if (!f)
		return;
	finding_say(f,
		    "%s keeps starting processes with arguments, or variables of funs, of 32 KiB or more: each process "
		    "gets a copy",
		    process_text(&sign->process, name));
	show_costly(j, f, COSTLY_SPAWN);
}

/* Restarts cause log events, and log events make a device busy. */
static void place_flood(const struct judgement *j, struct finding *f)
{
	const struct finding *busy = find_finding(j, PORT_BUSY, f->process);

	if (find_finding(j, RESTART_STORM, NULL)) {
		f->severity = SEVERITY_WARNING;
		finding_weigh(f, RESTART_STORM);
		f->weight--;
	} else if (busy) {
		f->severity = busy->severity > f->severity ? busy->severity : f->severity;
		f->weight = busy->weight + 1;
	}
}

static void judge_logs(struct judgement *j)
{
	const struct sign_costly_call *sign = &j->signs->costly.calls[COSTLY_LOG];
	const struct sign_process *writer = &j->signs->costly.writer;
	struct finding *f = add_costly(j, LOG_FLOOD, COSTLY_LOG, COSTLY_SHARE);
	char name[PROCESS_TEXT];

	if (!f)
		return;
	place_flood(j, f);
	finding_say(f, "logging and console output take %.0f %% of scheduler time, most of it in %s",
		    percent(sign->share), process_text(&sign->process, name));
	if (writer->id && writer->id != sign->process.id)
		finding_show(f, "main writer to a device: %s: %s", process_text(writer, name), writer->stack);
	finding_show(f, "it uses %.0f %% of one scheduler", percent(sign->process.busy));
	finding_show_stack(f, &sign->process);
}

static void judge_appends(struct judgement *j)
{
	const struct sign_binary_appends *appends = &j->signs->binary_appends;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!appends->process.id || appends->process.busy < APPENDER_BUSY)
		return;
	f = finding_add(j, BINARY_APPENDS, appends->process.busy >= MOST_SHARE);
	f->process = &appends->process;
	finding_say(f, "%s appends to a binary by copying all of it each time: the cost is quadratic",
		    process_text(&appends->process, name));
	finding_show(f, "size: up to %.1f MiB; it grew in %llu of %llu samples", (double)appends->most / (double)MIB,
		     (unsigned long long)appends->grown, (unsigned long long)appends->looks);
	finding_show(f,
		     "it uses %.0f %% of one scheduler; <<All/binary, Part/binary>> without other references to All, "
		     "or a list of parts, avoids the copy",
		     percent(appends->process.busy));
	finding_show_stack(f, &appends->process);
}

/* A journal may do nothing else; it is a problem if callers wait. */
static void judge_sync(struct judgement *j)
{
	const struct sign_sync *sync = &j->signs->file_sync;
	bool is_crowd = sync->threads >= CROWD_SHARE * (double)j->signs->schedulers.dirty_io.schedulers &&
			sync->processes >= MANY_SYNC;
	bool is_server = sync->share >= SYNC_SHARE && sync->callers >= SOME_CALLERS;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!sync->process.id || (!is_crowd && !is_server))
		return;
	f = finding_add(j, FILE_SYNC, false);
	f->process = &sync->process;
	if (is_server)
		finding_say(f, "%s spends %.0f %% of its time in fsync, and %llu processes wait for its reply",
			    process_text(&sync->process, name), percent(sync->share),
			    (unsigned long long)sync->callers);
	else
		finding_say(f,
			    "%llu processes keep calling fsync (file:sync/1), such as %s: each call occupies a dirty "
			    "I/O scheduler",
			    (unsigned long long)sync->processes, process_text(&sync->process, name));
	finding_show(f, "%.1f of %zu dirty I/O schedulers do this on average", sync->threads,
		     j->signs->schedulers.dirty_io.schedulers);
	finding_show_stack(f, &sync->process);
}

void judge_work(struct judgement *j)
{
	judge_short_timeouts(j);
	judge_busy_loops(j);
	judge_tracer(j);
	judge_search(j);
	judge_inspection(j);
	judge_copies(j);
	judge_lists(j);
	judge_lookups(j);
	judge_inserts(j);
	judge_terms(j);
	judge_large_spawns(j);
	judge_logs(j);
	judge_appends(j);
	judge_sync(j);
}
