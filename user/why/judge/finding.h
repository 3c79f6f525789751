/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the rules share, which are in rules.c and, those about the host, memory and waits, in files of their own:
 * weights, and how a finding is written.
 */
#ifndef ERLBPF_WHY_JUDGE_FINDING_H
#define ERLBPF_WHY_JUDGE_FINDING_H

#include "base/duration.h"
#include "why/judge/rules.h"

#define MIB (1ULL << 20)
#define MANY_MORE 20 /* processes, ports or tables, while the node is watched */
#define MOST_OF 0.9
#define NEAR_LIMIT 0.8 /* of what it may have */

/* By rule: causes before what follows from them, see rules.c. */
enum weight {
	OF_HEAP = 10,
	OF_HELD_TIMERS = 15,
	OF_QUEUE = 20,
	OF_OFFLINE = 21,
	OF_POOL = 25,
	OF_MAILBOX = 30,
	OF_STUCK = 31,
	OF_BACKLOG = 32,
	OF_RESTARTS = 33,
	OF_CROWD = 34,
	OF_ALLOCATORS = 35,
	OF_BINARIES = 40,
	OF_LIMIT = 45,
	OF_SPAWNS = 50,
	OF_WAKES = 51,
	OF_SPINS = 52,
	OF_GROWTH = 48,
	OF_FLAPS = 53,
	OF_ANSWER = 49, /* who wait become more */
	OF_ATOMS = 60,
	OF_STORM = 62,
	OF_COLLECTING = 65,
	OF_CHORE = 66, /* what it makes is collected */
	OF_SYNC = 67,
	OF_CALL = 68,
	OF_SLICE = 70,
	OF_APPENDS = 71, /* some copies are long slices */
	OF_IO_WAIT = 72,
	OF_BLOCKED = 75,
	OF_CIRCLE = 78,
	OF_BUSY = 80,
	OF_PRIORITY = 82,
	OF_WAITED = 85,
	OF_FAULTS = 86,
	OF_PRESSURE = 87,
	OF_THROTTLED = 90,
};

enum rule {
	CPU_THROTTLED,
	CPU_WAIT,
	MEMORY_PRESSURE,
	PAGE_FAULTS,
	CONNECTION_BUSY,
	CONNECTION_FLAPS,
	PORT_BUSY,
	IO_WAIT,
	ETS_LOCK,
	SCHEDULER_BLOCKED,
	LONG_SLICE,
	LONG_CALL,
	GC_STORM,
	ATOMS_GROW,
	SPAWN_STORM,
	WAKE_STORM,
	BUSY_POLLING,
	TRACING,
	TABLE_SEARCH,
	INSPECT_STORM,
	LARGE_MESSAGES,
	LONG_LIST,
	LARGE_LOOKUPS,
	BAG_INSERTS,
	LARGE_TERMS,
	LARGE_SPAWNS,
	LOG_FLOOD,
	BINARY_APPENDS,
	FILE_SYNC,
	RESTART_STORM,
	DEADLOCK,
	PRIORITY_STARVES,
	SCHEDULERS_OFF,
	PROCESSES_GROW,
	ATOMS_LIMIT,
	PROCESSES_LIMIT,
	PORTS_LIMIT,
	FILES_LIMIT,
	PORTS_GROW,
	TABLES_GROW,
	ETS_GROWS,
	TIMERS_GROW,
	TIMERS_HELD,
	TERMS_GROW,
	CODE_STORM,
	TERMS_STORM,
	BINARIES_HELD,
	MEMORY_UNUSED,
	LOG_BACKLOG,
	IO_BACKLOG,
	CODE_BACKLOG,
	MAILBOX_GROWS,
	MAILBOX_LONG,
	MAILBOX_STUCK,
	SERVER_FULL,
	SERVER_WAITS,
	SERVER_SLOW,
	DNS_WAIT,
	LOCK_WAIT,
	PEER_WAIT,
	ANSWER_WAIT,
	ACCEPT_WAIT,
	START_STUCK,
	MONITORS_HELD,
	DIRTY_CPU_FULL,
	DIRTY_IO_FULL,
	RUN_QUEUE_LONG,
	HEAP_HUGE,
	STATE_GROWS,
	MEMORY_GROWS,
	RULES,
};

struct judgement {
	const struct signs *signs;
	struct finding *findings;
	size_t count;
};

/* One more finding, which is filled by the others. */
struct finding *finding_add(struct judgement *j, enum rule rule, enum weight weight, bool is_critical);

/* Its sentence, one more line of evidence, and the command that shows more. */
__attribute__((format(printf, 2, 3))) void finding_say(struct finding *f, const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_show(struct finding *f, const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_more(struct finding *f, const char *format, ...);
void finding_show_stack(struct finding *f, const struct sign_process *process);

#define PROCESS_TEXT (SIGN_NAME + 48)

/* "name pid". Returns text. */
const char *process_text(const struct sign_process *process, char text[PROCESS_TEXT]);

static inline double percent(double share)
{
	return share * 100;
}

static inline double seconds_of(const struct signs *s)
{
	return s->elapsed_ns ? (double)s->elapsed_ns / (double)NS_PER_S : 1;
}

void judge_host(struct judgement *j);
void judge_memory(struct judgement *j);
void judge_resources(struct judgement *j);
void judge_waits(struct judgement *j);
void judge_work(struct judgement *j);
void judge_storms(struct judgement *j);

/* Schedulers mostly look up objects of a table, and these are large. */
bool is_lookup_large(const struct signs *s);

/* Who sends and waits, if no port was found to be busy. */
void judge_send(struct judgement *j);

#endif
