// SPDX-License-Identifier: BSD-2-Clause
/*
 * The process table is read a few times (node/processes/processes.h). A mailbox that is longer each time grows faster
 * than its process receives; one that is shorter in between does not.
 */
#include "why/processes/process_trends.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "node/processes/arrivals.h"
#include "node/memory/fields.h"
#include "node/memory/limits.h"
#include "node/memory/memory.h"
#include "node/memory/off_heap.h"
#include "target/reader/procfs.h"
#include "why/schedulers/stack_match.h"
#include "why/processes/supervisor_log.h"
#include "why/processes/system_servers.h"
#include "why/source/sign_process.h"

#define LEAST_GROWN 10 /* messages; less may be chance */
#define MOST_PARENTS 64
#define MOST_SUCCESSORS 64 /* names, and new processes per reading whose name is read */
#define MANY_MESSAGES 1000 /* in a mailbox, for its oldest one to be read */
#define MOST_OLDEST 64	   /* mailboxes whose oldest message is read, one system call each */
#define MOST_TOPS 64	   /* processes that never waited so far, whose heap is read */
#define MOST_KEPT 64	   /* processes that always waited with messages, whose oldest one is read */
#define REDS_OF_MESSAGE 50 /* per message that a waiting process skips, at most; a server needs more to handle one */
#define MOST_NAMED 1000	   /* processes with messages whose name is read */

/* One row of the process table. */
struct trend {
	uint64_t id;
	uint64_t first_queue, least;
	uint64_t first_heap, first_binaries, first_reds;
	uint64_t idle_ns;  /* first reading with the present number of reductions */
	uint64_t oldest;   /* address of the oldest message; 0: not known, or it changed */
	uint64_t kept;	   /* address of the message that it never took; 0: none */
	uint64_t heap_top; /* end of its heap; 0: not known, or it changed */
	uint16_t readings, rises, falls, waits, ready, suspensions, searches;
	bool is_new; /* spawned since the first reading */
};

struct parent {
	uint64_t id, children, stayed, idle, one;
	bool is_known, has_log; /* known: whether it is a supervisor with a log of restarts */
	int64_t restarted;	/* last restart before the watch; INT64_MIN: none */
};

/* A name that several processes registered, one after the other. */
struct successors {
	char name[NAME_SIZE];
	uint64_t last, parent; /* the present owner, and its parent */
	unsigned int count;    /* owners, at most one per reading */
};

struct trends {
	const struct target *target;
	struct processes *processes;
	struct trend *rows;
	size_t room;
	unsigned int readings;
	uint64_t first_ns, last_ns, runnable;
	struct node_limits first, last;
	unsigned int atom_rises, process_rises, port_rises;
	uint64_t first_code, last_code; /* bytes */
	unsigned int named;
	struct parent parents[MOST_PARENTS]; /* of new processes */
	size_t parent_count;
	struct successors successors[MOST_SUCCESSORS];
	size_t successor_count;
	unsigned int oldest_read, kept_read, tops_read;
	struct trends_active active;
	unsigned int new_named; /* new processes whose name was read in this reading */
};

struct trends *trends_new(const struct target *target, struct processes *processes)
{
	struct trends *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->target = target;
	t->processes = processes;
	return t;
}

void trends_free(struct trends *t)
{
	if (!t)
		return;
	free(t->rows);
	free(t);
}

static int make_room(struct trends *t)
{
	size_t rows = processes_rows(t->processes);
	struct trend *grown;

	if (rows <= t->room)
		return 0;
	grown = realloc(t->rows, rows * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + t->room, 0, (rows - t->room) * sizeof(*grown));
	t->rows = grown;
	t->room = rows;
	return 0;
}

static void count_child(struct trends *t, uint64_t parent)
{
	size_t i = 0;

	while (i < t->parent_count && t->parents[i].id != parent)
		i++;
	if (i == MOST_PARENTS || !parent)
		return;
	if (i == t->parent_count)
		t->parents[t->parent_count++] = (struct parent){ .id = parent };
	t->parents[i].children++;
}

/* A name takes several system calls. */
static void count_successor(struct trends *t, struct process *process)
{
	char name[NAME_SIZE];
	size_t i = 0;

	if (t->new_named++ >= MOST_SUCCESSORS)
		return;
	processes_refresh_name(t->processes, process);
	process_registered(t->processes, process, name);
	while (i < t->successor_count && strcmp(t->successors[i].name, name) != 0)
		i++;
	if (!name[0] || i == MOST_SUCCESSORS)
		return;
	if (i == t->successor_count)
		memcpy(t->successors[t->successor_count++].name, name, sizeof(name));
	t->successors[i].last = process->id;
	t->successors[i].parent = process->parent;
	t->successors[i].count++;
}

static void begin(struct trends *t, struct trend *trend, struct process *process)
{
	*trend = (struct trend){
		.id = process->id,
		.first_queue = process->queue,
		.least = process->queue,
		.first_heap = process->heap,
		.first_binaries = process->binaries,
		.first_reds = process->reds,
	};
	if (t->readings == 1)
		return;
	trend->is_new = true;
	count_child(t, process->parent);
	count_successor(t, process);
}

/* Does it scan its mailbox past a message that it never takes? */
static void follow_oldest(struct trends *t, const struct process *process, struct trend *trend, bool is_waiting)
{
	struct oldest_message oldest = {};

	if (process->queue >= MANY_MESSAGES && t->oldest_read++ < MOST_OLDEST)
		oldest = arrivals_oldest(t->target, process->address);
	if (trend->readings == 1)
		trend->oldest = oldest.address;
	else if (trend->oldest != oldest.address)
		trend->oldest = 0;
	trend->searches += oldest.is_passed && !is_waiting;
}

/* A server takes the oldest message first. 0 once that was taken. */
static void follow_kept(struct trends *t, const struct process *process, struct trend *trend)
{
	bool may_keep = trend->least && trend->waits == trend->readings && (trend->readings == 1 || trend->kept);
	uint64_t oldest = 0;

	if (may_keep && t->kept_read++ < MOST_KEPT)
		arrivals_list(t->target, process->address, &oldest, 1);
	if (trend->readings == 1)
		trend->kept = oldest;
	else if (trend->kept != oldest)
		trend->kept = 0;
}

/* A process that runs and allocates nothing is in one call all the time. 0 once the heap changed. */
static void follow_heap(struct trends *t, const struct process *process, struct trend *trend)
{
	uint64_t top = 0;
	int64_t offset;

	if ((trend->readings > 1 && !trend->heap_top) || trend->waits || t->tops_read++ >= MOST_TOPS ||
	    field_offset(t->target->vm, "process.htop", &offset) ||
	    procfs_memory(t->target->pid, process->address + (uint64_t)offset, &top, sizeof(top)))
		top = 0;
	if (trend->readings == 1)
		trend->heap_top = top;
	else if (trend->heap_top != top)
		trend->heap_top = 0;
}

/* When it is full, drops every second one. */
static void add_active(struct trends_active *active, size_t row)
{
	if (active->count == TRENDS_ACTIVE) {
		active->count /= 2;
		active->every *= 2;
		for (size_t i = 0; i < active->count; i++)
			active->rows[i] = active->rows[2 * i];
	}
	if (active->all++ % active->every == 0)
		active->rows[active->count++] = (uint32_t)row;
}

static void follow(struct trends *t, size_t row)
{
	struct process *process = processes_row(t->processes, row);
	struct trend *trend = &t->rows[row];
	const char *status = process_status(process);
	bool is_still = trend->id == process->id && process->reds == process->reds_before;

	if (trend->id == process->id && !is_still)
		add_active(&t->active, row);
	if (trend->id != process->id)
		begin(t, trend, process);
	else if (process->queue > process->queue_before)
		trend->rises++;
	else if (process->queue < process->queue_before)
		trend->falls++;
	if (!is_still)
		trend->idle_ns = t->last_ns;
	if (process->queue < trend->least)
		trend->least = process->queue;
	trend->readings++;
	follow_oldest(t, process, trend, !strcmp(status, "waiting"));
	trend->waits += !strcmp(status, "waiting");
	follow_kept(t, process, trend);
	trend->suspensions += !strcmp(status, "suspended");
	trend->ready += !strcmp(status, "runnable");
	t->runnable += !strcmp(status, "runnable");
	follow_heap(t, process, trend);
}

static void read_limits(struct trends *t)
{
	struct node_limits now;

	node_limits_read(t->target, &now);
	t->last_code = node_code(t->target);
	if (t->readings == 1) {
		t->first = now;
		t->first_code = t->last_code;
	} else {
		t->atom_rises += now.atoms.used > t->last.atoms.used;
		t->process_rises += now.processes.used > t->last.processes.used;
		t->port_rises += now.ports.used > t->last.ports.used;
	}
	t->last = now;
}

/* Elixir's Supervisor is one of OTP. */
static bool is_supervisor(struct trends *t, uint64_t id)
{
	struct process *process = processes_find(t->processes, id);
	char call[NAME_SIZE];

	if (!process)
		return false;
	processes_refresh_name(t->processes, process);
	process_initial_call(t->processes, process, call);
	return !strncmp(call, "supervisor:", 11) || !strncmp(call, "Elixir.DynamicSupervisor:", 25);
}

/* Reads the last restart of the parents of new processes. A running one is retried later. */
static void read_restarts(struct trends *t)
{
	struct supervisor_log log;

	for (size_t i = 0; i < t->parent_count; i++) {
		struct parent *parent = &t->parents[i];

		if (parent->is_known)
			continue;
		parent->has_log = is_supervisor(t, parent->id) && supervisor_log_read(t->processes, parent->id, &log);
		parent->is_known = parent->has_log || !is_supervisor(t, parent->id);
		if (parent->has_log)
			parent->restarted = log.count ? log.times[0] : INT64_MIN;
	}
}

int trends_read(struct trends *t)
{
	/* Make room even if the reading failed midway. */
	int read = processes_read(t->processes), err = make_room(t);

	if (read || err)
		return read ? read : err;
	t->last_ns = duration_now();
	if (!t->readings++)
		t->first_ns = t->last_ns;
	read_limits(t);
	t->new_named = 0;
	t->oldest_read = t->kept_read = t->tops_read = 0;
	t->active.all = t->active.count = 0;
	t->active.every = 1;
	for (size_t row = 0; row < processes_rows(t->processes); row++) {
		if (processes_has(t->processes, row))
			follow(t, row);
	}
	read_restarts(t);
	return 0;
}

const struct trends_active *trends_active(const struct trends *t)
{
	return &t->active;
}

/* Rows without memory have no trend. */
static const struct trend *trend_of(const struct trends *t, size_t row)
{
	static const struct trend none;

	return row < t->room ? &t->rows[row] : &none;
}

bool trends_is_idle(const struct trends *t, size_t row)
{
	const struct process *process = processes_row(t->processes, row);
	const struct trend *trend = trend_of(t, row);

	return trend->id == process->id && !trend->is_new && process->reds == trend->first_reds;
}

bool trends_is_stuck(const struct trends *t, size_t row)
{
	const struct process *process = processes_row(t->processes, row);
	const struct trend *trend = trend_of(t, row);

	if (trends_is_idle(t, row))
		return true;
	return trend->id == process->id && !trend->is_new && trend->readings > 2 && trend->kept && !trend->falls &&
	       process->reds - trend->first_reds <= REDS_OF_MESSAGE * (process->queue - trend->first_queue);
}

bool trends_is_sleepless(const struct trends *t, size_t row)
{
	const struct process *process = processes_row(t->processes, row);
	const struct trend *trend = trend_of(t, row);

	return trend->id == process->id && trend->readings > 2 && !trend->waits && !trend->suspensions &&
	       !trend->rises && !trend->falls && !process->queue;
}

uint64_t trends_least_queue(const struct trends *t, size_t row)
{
	const struct trend *trend = trend_of(t, row);

	return trend->id == processes_row(t->processes, row)->id ? trend->least : 0;
}

uint64_t trends_idle_ns(const struct trends *t, size_t row)
{
	const struct trend *trend = trend_of(t, row);

	return trend->id == processes_row(t->processes, row)->id ? t->last_ns - trend->idle_ns : 0;
}

struct ranked {
	size_t row;
	uint64_t value;
};

struct ranking {
	struct ranked best[SIGN_FEW];
	size_t count;
};

static void rank(struct ranking *ranking, size_t row, uint64_t value)
{
	size_t at = ranking->count;

	if (!value)
		return;
	while (at && ranking->best[at - 1].value < value)
		at--;
	if (at == SIGN_FEW)
		return;
	if (ranking->count < SIGN_FEW)
		ranking->count++;
	memmove(&ranking->best[at + 1], &ranking->best[at], (ranking->count - at - 1) * sizeof(*ranking->best));
	ranking->best[at] = (struct ranked){ .row = row, .value = value };
}

/* In most steps: a queue that is normally empty grows once or twice by chance. */
static bool is_growing(const struct trend *trend, const struct process *process)
{
	return process->queue >= trend->first_queue + LEAST_GROWN && !trend->falls && trend->rises > 1 &&
	       trend->rises * 2 >= trend->readings - 1;
}

static enum system_server service_at(struct trends *t, size_t row)
{
	struct process *process = processes_row(t->processes, row);
	char name[NAME_SIZE];

	/* A name takes several system calls. */
	if (t->named++ >= MOST_NAMED)
		return SERVICE_NONE;
	processes_refresh_name(t->processes, process);
	return system_server_of(process_registered(t->processes, process, name));
}

/* Growing mailboxes come first, then those of system servers, then long ones. */
static uint64_t mailbox_value(struct trends *t, size_t row)
{
	const struct trend *trend = trend_of(t, row);

	if (is_growing(trend, processes_row(t->processes, row)))
		return trend->least + UINT64_MAX / 2;
	if (trend->least >= SERVICE_BACKLOG && service_at(t, row) != SERVICE_NONE)
		return trend->least + UINT64_MAX / 4;
	return trend->least;
}

/* A mailbox that never shrank may be growing. */
size_t trends_mailboxes(const struct trends *t, const struct process **worst)
{
	struct ranking ranking = {};

	for (size_t row = 0; row < t->room; row++) {
		const struct process *process = processes_row(t->processes, row);
		const struct trend *trend = trend_of(t, row);

		if (!processes_has(t->processes, row) || trend->id != process->id || process->queue < SERVICE_BACKLOG)
			continue;
		rank(&ranking, row, trend->falls ? process->queue : process->queue + UINT64_MAX / 2);
	}
	for (size_t i = 0; i < ranking.count; i++)
		worst[i] = processes_row(t->processes, ranking.best[i].row);
	return ranking.count;
}

static void fill_who(const struct trends *t, const struct samples *samples, const struct process *process,
		     struct sign_process *sign)
{
	const struct sampled *sampled = samples ? samples_of(samples, process->id) : NULL;
	bool is_waiting = !strcmp(process_status(process), "waiting");

	sign->busy = samples ? samples_share(samples, sampled) : 0;
	/* A waiting process shows its function on its stack; for a running one, samples know more. */
	sign_process_fill(t->processes, process->id, is_waiting ? NULL : samples_frames(sampled), sign);
}

static void finish_mailbox(struct trends *t, const struct samples *samples, size_t row, struct sign_mailbox *sign)
{
	const struct process *process = processes_row(t->processes, row);
	const struct trend *trend = trend_of(t, row);

	sign->length = process->queue;
	sign->grown = process->queue > trend->first_queue ? process->queue - trend->first_queue : 0;
	sign->least = trend->least;
	sign->rises = trend->rises;
	sign->service = service_at(t, row);
	sign->is_growing = is_growing(trend, process);
	sign->searches = trend->oldest && trend->readings > 2 && trend->searches * 2 >= trend->readings;
	sign->is_waiting = trend->waits * 2 > trend->readings;
	sign->is_suspended = trend->suspensions * 2 > trend->readings;
	fill_who(t, samples, process, &sign->process);
}

#define MOST_REFERENCES 2000 /* counted at most */

static void finish_memory(const struct trends *t, const struct samples *samples, size_t row,
			  struct sign_process_memory *sign)
{
	const struct process *process = processes_row(t->processes, row);
	const struct trend *trend = trend_of(t, row);

	sign->heap = process->heap;
	sign->binaries = process->binaries;
	sign->heap_grown = (int64_t)(process->heap - trend->first_heap);
	sign->binaries_grown = (int64_t)(process->binaries - trend->first_binaries);
	fill_who(t, samples, process, &sign->process);
}

static void finish_rows(struct trends *t, const struct samples *samples, struct signs *signs)
{
	struct ranking mailboxes = {}, heaps = {}, binaries = {};

	for (size_t row = 0; row < t->room; row++) {
		const struct process *process = processes_row(t->processes, row);

		if (!processes_has(t->processes, row) || t->rows[row].id != process->id)
			continue;
		rank(&mailboxes, row, mailbox_value(t, row));
		rank(&heaps, row, process->heap);
		rank(&binaries, row, process->binaries);
	}
	for (size_t i = 0; i < mailboxes.count; i++)
		finish_mailbox(t, samples, mailboxes.best[i].row, &signs->mailboxes.worst[signs->mailboxes.count++]);
	for (size_t i = 0; i < heaps.count; i++)
		finish_memory(t, samples, heaps.best[i].row, &signs->heaps.largest[signs->heaps.count++]);
	for (size_t i = 0; i < binaries.count; i++) {
		struct sign_process_memory *sign = &signs->binaries.largest[signs->binaries.count++];
		const struct process *process = processes_row(t->processes, binaries.best[i].row);

		finish_memory(t, samples, binaries.best[i].row, sign);
		sign->references = off_heap_binaries(t->target, process->address, MOST_REFERENCES);
	}
}

static struct sign_limit limit_of(const struct trends *t, const struct node_limit *first, const struct node_limit *last)
{
	double seconds = (double)(t->last_ns - t->first_ns) / (double)NS_PER_S;

	return (struct sign_limit){
		.used = last->used,
		.most = last->most,
		.before = first->used,
		.per_s = seconds > 0 ? ((double)last->used - (double)first->used) / seconds : 0,
	};
}

/* The process with most reductions, even if too short-lived at a time for samples. */
static uint64_t find_busiest(const struct trends *t)
{
	uint64_t id = 0, most = 0;

	for (size_t row = 0; row < t->room; row++) {
		const struct process *process = processes_row(t->processes, row);
		const struct trend *trend = trend_of(t, row);

		if (processes_has(t->processes, row) && trend->id == process->id &&
		    process->reds - trend->first_reds > most) {
			most = process->reds - trend->first_reds;
			id = process->id;
		}
	}
	return id;
}

static void find_spawner(const struct trends *t, const struct samples *samples, struct signs *signs)
{
	const struct parent *most = NULL;
	uint64_t id = samples ? samples_spawner(samples) : 0;

	for (size_t i = 0; i < t->parent_count; i++) {
		if (!most || t->parents[i].children > most->children)
			most = &t->parents[i];
	}
	if (most && (!id || !processes_find(t->processes, id)))
		id = most->id;
	if (id) {
		const struct sampled *sampled = samples ? samples_of(samples, id) : NULL;

		signs->spawns.spawner.busy = samples ? samples_share(samples, sampled) : 0;
		sign_process_fill(t->processes, id, samples_frames(sampled), &signs->spawns.spawner);
	}
}

static struct parent *parent_of(struct trends *t, uint64_t id)
{
	size_t i = 0;

	while (i < t->parent_count && t->parents[i].id != id)
		i++;
	return i < t->parent_count ? &t->parents[i] : NULL;
}

/* Counts new processes that still exist. Those new in the last reading had no time to do anything. */
static void count_stayed(struct trends *t)
{
	for (size_t row = 0; row < t->room; row++) {
		const struct process *process = processes_row(t->processes, row);
		const struct trend *trend = trend_of(t, row);
		struct parent *parent;

		if (!processes_has(t->processes, row) || trend->id != process->id || !trend->is_new)
			continue;
		parent = parent_of(t, process->parent);
		if (!parent)
			continue;
		parent->stayed++;
		parent->idle += process->reds == trend->first_reds;
		parent->one = process->id;
	}
}

static void find_growth(struct trends *t, struct sign_growth *growth)
{
	const struct parent *most = NULL;

	count_stayed(t);
	for (size_t i = 0; i < t->parent_count; i++) {
		if (!most || t->parents[i].stayed > most->stayed)
			most = &t->parents[i];
	}
	if (!most || !most->stayed)
		return;
	*growth = (struct sign_growth){ .spawned = most->children, .stayed = most->stayed, .idle = most->idle };
	sign_process_fill(t->processes, most->id, NULL, &growth->parent);
	sign_process_fill(t->processes, most->one, NULL, &growth->one);
}

/* The name that most children of a supervisor had in succession. */
static void find_successors(struct trends *t, struct sign_restarts *restarts)
{
	const struct successors *most = NULL;

	for (size_t i = 0; i < t->successor_count; i++) {
		if ((!most || t->successors[i].count > most->count) && is_supervisor(t, t->successors[i].parent))
			most = &t->successors[i];
	}
	/* Samples of a supervisor in a restart say more if there are more of them. */
	if (!most || most->count < restarts->found)
		return;
	restarts->same_name = most->count;
	sign_process_fill(t->processes, most->parent, NULL, &restarts->process);
	sign_process_fill(t->processes, most->last, NULL, &restarts->child);
	snprintf(restarts->name, sizeof(restarts->name), "%s", most->name);
}

/* The supervisor whose log has most restarts, unless there is better evidence. */
static void find_logged(struct trends *t, struct sign_restarts *restarts)
{
	const struct parent *most = NULL;
	struct supervisor_log log;

	for (size_t i = 0; i < t->parent_count; i++) {
		const struct parent *parent = &t->parents[i];
		size_t count = parent->has_log && supervisor_log_read(t->processes, parent->id, &log)
				       ? supervisor_log_since(&log, parent->restarted)
				       : 0;

		if (count <= restarts->logged)
			continue;
		restarts->logged = count;
		most = parent;
	}
	/* One restart may be of all children. */
	if (!most || restarts->logged < 2 || restarts->same_name > 1)
		return;
	restarts->same_name = 0;
	restarts->seen = most->children;
	restarts->stayed = most->stayed;
	sign_process_fill(t->processes, most->id, NULL, &restarts->process);
	sign_process_fill(t->processes, most->one, NULL, &restarts->child);
}

/* Supervisors start children in their own process, and do not restart temporary ones. */
static void find_restarts(struct trends *t, const struct samples *samples, struct sign_restarts *restarts)
{
	static const char *const restarters[] = { "supervisor:restart/", "supervisor:add_restart/",
						  "Elixir.DynamicSupervisor:restart_child/",
						  "Elixir.DynamicSupervisor:add_restart/", NULL };
	const struct parent *parent;

	restarts->found = stack_match_most(t->processes, samples, restarters, CALL_STACK_MAX, &restarts->process);
	parent = restarts->found ? parent_of(t, restarts->process.id) : NULL;
	if (!parent) {
		find_successors(t, restarts);
		return;
	}
	restarts->seen = parent->children;
	restarts->stayed = parent->stayed;
	sign_process_fill(t->processes, parent->one, NULL, &restarts->child);
}

/* Processes that were always ready to run and never ran. */
static void find_starved(struct trends *t, struct signs *signs)
{
	uint64_t one = 0;

	for (size_t row = 0; row < t->room; row++) {
		const struct process *process = processes_row(t->processes, row);

		if (!processes_has(t->processes, row) || !trends_is_idle(t, row) ||
		    t->rows[row].ready != t->rows[row].readings || process_priority(process) <= PRIORITY_HIGH)
			continue;
		one = process->id;
		signs->queue.starved++;
	}
	if (one)
		sign_process_fill(t->processes, one, NULL, &signs->queue.starved_process);
}

/* Processes that ran in a regular expression all the time and allocated nothing. */
static void find_long_call(struct trends *t, const struct samples *samples, struct sign_long_call *call)
{
	static const char *const matchers[] = { "re:", NULL };

	for (size_t row = 0; row < t->room; row++) {
		const struct process *process = processes_row(t->processes, row);
		const struct trend *trend = trend_of(t, row);
		const struct sampled *sampled;
		const struct call_stack *frames;

		if (!processes_has(t->processes, row) || trend->id != process->id || trend->waits || !trend->heap_top ||
		    trend->is_new || trend->readings < 3 || trends_is_idle(t, row))
			continue;
		sampled = samples_of(samples, process->id);
		frames = samples_frames(sampled);
		if (!frames || !stack_match(t->processes, frames, matchers, 1))
			continue;
		if (!call->processes++ || samples_share(samples, sampled) > call->process.busy)
			fill_who(t, samples, process, &call->process);
	}
}

static void finish_numbers(struct trends *t, const struct samples *samples, struct signs *signs)
{
	double seconds = (double)(t->last_ns - t->first_ns) / (double)NS_PER_S;

	signs->process_limit = limit_of(t, &t->first.processes, &t->last.processes);
	signs->ports.limit = limit_of(t, &t->first.ports, &t->last.ports);
	signs->atoms.limit = limit_of(t, &t->first.atoms, &t->last.atoms);
	signs->atoms.limit.is_steady = t->readings > 2 && t->atom_rises + 1 == t->readings;
	signs->process_limit.is_steady = t->readings > 2 && t->process_rises + 1 == t->readings;
	signs->ports.limit.is_steady = t->readings > 2 && t->port_rises + 1 == t->readings;
	find_growth(t, &signs->spawns.growth);
	find_starved(t, signs);
	signs->code.is_known = t->first_code != 0;
	signs->code.grown = t->last_code > t->first_code ? t->last_code - t->first_code : 0;
	signs->spawns.per_s = seconds > 0 ? (double)(uint32_t)(t->last.spawned - t->first.spawned) / seconds : 0;
	if (samples) {
		find_restarts(t, samples, &signs->restarts);
		find_long_call(t, samples, &signs->long_call);
	}
	sign_process_fill(t->processes, find_busiest(t), NULL, &signs->busiest);
	find_logged(t, &signs->restarts);
	find_spawner(t, samples, signs);
}

void trends_finish(struct trends *t, const struct samples *samples, struct signs *signs)
{
	if (!t->readings)
		return;
	signs->elapsed_ns = t->last_ns - t->first_ns;
	signs->processes = processes_live(t->processes);
	signs->queue.runnable = (double)t->runnable / (double)t->readings;
	finish_rows(t, samples, signs);
	finish_numbers(t, samples, signs);
}
