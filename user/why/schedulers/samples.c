// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every few milliseconds, at random times, the running process of each scheduler is read from the memory of the node.
 * The VM updates the reductions of a process when it is scheduled out, so a process found twice with the same number
 * has not yielded: a long slice is found without a probe. The schedstat of its thread tells whether it had a CPU.
 *
 * A scheduler whose thread sleeps while it runs a process waits for a lock or in the kernel. The process is read again
 * after the state of the thread, because the scheduler may just have become idle.
 *
 * Source: erts_schedule() of erl_process.c in 25.2.3, 27.3.4.1 and 29.1.1, where p->reds is written.
 */
#include "why/schedulers/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/duration.h"
#include "why/schedulers/binary_appends.h"
#include "why/schedulers/costly_calls.h"
#include "why/schedulers/repeated_calls.h"
#include "why/schedulers/blocked_schedulers.h"
#include "why/source/sign_process.h"

#define TABLE 8192     /* processes; a power of two */
#define MOST_USED 6000 /* of the table; later processes are not counted separately */
#define MOST_SLICES 64 /* processes with long slices */
#define MOST_PARENTS 64
#define MOST_STEPS 16	/* steps between readings, counted separately */
#define SHORT_PART 0.9	/* of the samples, in half of the steps: a burst */
#define MATCHER_BITS 28 /* of the number of a process */
#define LONG_NS (20 * NS_PER_MS)
#define SHORT_NS (50 * NS_PER_US) /* between two samples */
#define SHORT_REDS 1000		  /* reductions; a whole slice has 4,000 */
#define OFTEN 10		  /* samples */
#define LOOKS_AT_ONCE 8
#define MOST_END_LOOKS 2000 /* per process; each takes about 10 us */
#define VOTE_EVERY 5	    /* samples on average, because reading a stack takes several system calls */
#define SLEEP_EVERY 4	    /* samples on average; reading the states takes a system call per scheduler */

/* What a normal scheduler runs, and since when. */
struct slot {
	uint64_t id, reds, since_ns, seen_ns;
	uint32_t samples, collecting;
	bool is_long; /* the following are known: */
	uint64_t long_ns;
	struct host_cpu_times at_long, seen;
	struct call_stack frames;
};

/* What the previous sample found. */
struct spell {
	uint64_t id, reds;
	bool is_collecting;
};

struct slice {
	uint64_t id, longest_ns, count, total_ns;
	uint64_t watched_ns, ran_ns, samples, collecting;
	struct call_stack frames; /* of the longest slice */
};

struct parent {
	uint64_t id, hits, collecting;
};

/* Samples in which a normal scheduler had something to run, by kind, and the CPU time of long slices. */
struct tally {
	uint64_t busy, collecting, ports, blocked, long_ns;
};

struct samples {
	const struct target *target;
	struct schedulers *schedulers;
	struct processes *processes;
	const struct host_cpu *host;
	size_t count; /* schedulers */
	struct scheduler_look *looks;
	struct process_look *found;
	uint64_t *addresses;
	struct slot *slots;
	struct spell *spells;  /* per scheduler */
	struct tally *tallies; /* per scheduler */
	uint64_t taken, began_ns, now_ns, chance, spell_count;
	uint64_t busy[SCHEDULER_KINDS], full[SCHEDULER_KINDS];
	size_t online; /* normal schedulers; 0: not known */
	struct sampled table[TABLE];
	size_t used;
	uint64_t hits, collecting, normal_hits, urgent;
	uint64_t before;	      /* `collecting` when the step began */
	uint64_t in_step[MOST_STEPS]; /* samples with a collection, per step */
	size_t steps;
	uint64_t matching; /* samples in match specifications */
	struct slice slices[MOST_SLICES];
	size_t slice_count;
	struct blocked_schedulers sleeps;
	struct parent parents[MOST_PARENTS];
	size_t parent_count;
	struct costly_calls chores;
	struct binary_appends appends;
	struct repeated_calls repeats;
};

struct samples *samples_new(const struct target *target, struct schedulers *schedulers, struct processes *processes,
			    const struct host_cpu *host)
{
	struct samples *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->target = target;
	s->schedulers = schedulers;
	s->processes = processes;
	s->host = host;
	s->chance = duration_now() | 1;
	s->count = schedulers_count(schedulers);
	s->online = schedulers_online(schedulers);
	s->looks = calloc(s->count + 1, sizeof(*s->looks));
	s->found = calloc(s->count + 1, sizeof(*s->found));
	s->addresses = calloc(s->count + 1, sizeof(*s->addresses));
	s->slots = calloc(s->count + 1, sizeof(*s->slots));
	s->spells = calloc(s->count + 1, sizeof(*s->spells));
	s->tallies = calloc(s->count + 1, sizeof(*s->tallies));
	if (s->looks && s->found && s->addresses && s->slots && s->spells && s->tallies)
		return s;
	samples_free(s);
	errno = ENOMEM;
	return NULL;
}

void samples_free(struct samples *s)
{
	if (!s)
		return;
	free(s->looks);
	free(s->found);
	free(s->addresses);
	free(s->slots);
	free(s->spells);
	free(s->tallies);
	free(s);
}

static size_t place_of(const struct samples *s, uint64_t id)
{
	size_t at = (size_t)(id * 0x9e3779b97f4a7c15ULL >> 51);

	while (s->table[at].id && s->table[at].id != id)
		at = (at + 1) & (TABLE - 1);
	return at;
}

const struct sampled *samples_of(const struct samples *s, uint64_t id)
{
	const struct sampled *found = &s->table[place_of(s, id)];

	return found->id ? found : NULL;
}

static struct sampled *sampled_for(struct samples *s, const struct process *process)
{
	struct sampled *found = &s->table[place_of(s, process->id)];

	if (found->id)
		return found;
	if (s->used == MOST_USED)
		return NULL;
	s->used++;
	*found = (struct sampled){ .id = process->id, .parent = process->parent };
	return found;
}

static void count_parent(struct samples *s, uint64_t id, bool is_collecting)
{
	size_t i = 0;

	while (i < s->parent_count && s->parents[i].id != id)
		i++;
	if (i == MOST_PARENTS || !id)
		return;
	if (i == s->parent_count)
		s->parents[s->parent_count++] = (struct parent){ .id = id };
	s->parents[i].hits++;
	s->parents[i].collecting += is_collecting;
}

static void count_process(struct samples *s, const struct process *process, enum scheduler_kind kind)
{
	struct sampled *sampled = sampled_for(s, process);
	bool is_collecting = process_is_collecting(process);
	bool is_urgent = kind == SCHEDULER_NORMAL && process_priority(process) <= PRIORITY_HIGH;

	s->hits++;
	s->normal_hits += kind == SCHEDULER_NORMAL;
	s->urgent += is_urgent;
	s->collecting += is_collecting;
	if (!processes_find(s->processes, process->id))
		count_parent(s, process->parent, is_collecting);
	if (!sampled)
		return;
	sampled->hits++;
	sampled->of_kind[kind]++;
	sampled->collecting += is_collecting;
	sampled->urgent += is_urgent;
	sampled->seeking += kind == SCHEDULER_NORMAL && process_is_seeking(process);
}

/* Replaces the least frequent function. */
static void vote(struct sampled *sampled, const struct call_stack *frames)
{
	size_t least = 0;

	for (size_t i = 0; i < SAMPLES_VOTES; i++) {
		if (sampled->votes[i].hits && sampled->votes[i].frames.functions[0] == frames->functions[0]) {
			sampled->votes[i].hits++;
			return;
		}
		if (sampled->votes[i].hits < sampled->votes[least].hits)
			least = i;
	}
	sampled->votes[least].frames = *frames;
	sampled->votes[least].hits++;
}

static void count_end(struct sampled *sampled, uint64_t reds)
{
	if (reds < SHORT_REDS)
		sampled->short_slices++;
	else
		sampled->whole_slices++;
}

/* Does a frequently sampled process yield between two samples in quick succession? */
static void look_for_end(struct samples *s, struct sampled *sampled, const struct process_look *first)
{
	uint64_t reds = first->process.reds, seen_ns = 0;

	if (sampled->hits < OFTEN || sampled->end_looks >= MOST_END_LOOKS)
		return;
	for (int i = 0; i < LOOKS_AT_ONCE; i++) {
		uint64_t before_ns = seen_ns;
		struct process_look now;

		sampled->end_looks++;
		processes_look(s->processes, &first->process.address, &now, 1);
		seen_ns = duration_now();
		if (now.process.id != sampled->id)
			return;
		if (i && now.process.reds != reds && seen_ns - before_ns < SHORT_NS) {
			count_end(sampled, now.process.reds - reds);
			return;
		}
		reds = now.process.reds;
	}
}

static void take_stack(struct samples *s, size_t i, const struct process_look *look)
{
	struct sampled *sampled = &s->table[place_of(s, look->process.id)];
	uint64_t terms[SCHEDULER_ARGUMENTS] = {};
	struct call_stack frames;
	bool is_collecting = process_is_collecting(&look->process);

	if (!sampled->id)
		return;
	look_for_end(s, sampled, look);
	call_stack_read(s->target, &look->fields, true, &frames);
	if (!frames.count)
		return;
	vote(sampled, &frames);
	binary_appends_look(&s->appends, s->target, &look->process);
	/* The collection moves the arguments. */
	if (is_collecting)
		return;
	schedulers_arguments(s->schedulers, i, terms);
	repeated_calls_look(&s->repeats, sampled->id, &frames, terms);
	if (costly_calls_look(&s->chores, s->processes, &frames, terms) == COSTLY_INSERT)
		repeated_calls_time(&s->repeats, sampled->id, s->schedulers, i);
}

static struct slice *slice_for(struct samples *s, uint64_t id)
{
	size_t i = 0;

	while (i < s->slice_count && s->slices[i].id != id)
		i++;
	if (i == MOST_SLICES)
		return NULL;
	if (i == s->slice_count)
		s->slices[s->slice_count++] = (struct slice){ .id = id };
	return &s->slices[i];
}

/* CPU time of a long slice, without collections; 0: it was long only because its thread had no CPU. */
static uint64_t long_time(const struct slot *slot)
{
	double took = (double)(slot->seen_ns - slot->since_ns), watched = (double)(slot->seen_ns - slot->long_ns);
	double ran = watched > 0 ? took * (double)(slot->seen.ran - slot->at_long.ran) / watched : 0;

	ran -= ran * (double)slot->collecting / (double)slot->samples;
	return ran >= LONG_NS ? (uint64_t)ran : 0;
}

/* The slice of the i-th scheduler has ended. */
static void end_slot(struct samples *s, size_t i)
{
	struct slot *slot = &s->slots[i];
	uint64_t took = slot->seen_ns - slot->since_ns;
	struct slice *slice = slot->is_long ? slice_for(s, slot->id) : NULL;

	if (slot->is_long)
		s->tallies[i].long_ns += long_time(slot);
	if (slice) {
		slice->count++;
		slice->total_ns += took;
		slice->watched_ns += slot->seen_ns - slot->long_ns;
		slice->ran_ns += slot->seen.ran - slot->at_long.ran;
		slice->samples += slot->samples;
		slice->collecting += slot->collecting;
		if (took > slice->longest_ns) {
			slice->longest_ns = took;
			slice->frames = slot->frames;
		}
	}
	*slot = (struct slot){};
}

static void watch_long(struct samples *s, size_t i, const struct process_look *look)
{
	struct slot *slot = &s->slots[i];

	if (slot->is_long) {
		host_cpu_times(s->host, i, &slot->seen);
		return;
	}
	slot->is_long = true;
	slot->long_ns = s->now_ns;
	host_cpu_times(s->host, i, &slot->at_long);
	slot->seen = slot->at_long;
	call_stack_read(s->target, &look->fields, true, &slot->frames);
}

static void follow_slot(struct samples *s, size_t i, const struct process_look *look)
{
	struct slot *slot = &s->slots[i];

	if (slot->id && (slot->id != look->process.id || slot->reds != look->process.reds))
		end_slot(s, i);
	if (!look->process.id)
		return;
	if (!slot->id)
		*slot = (struct slot){ .id = look->process.id, .reds = look->process.reds, .since_ns = s->now_ns };
	slot->seen_ns = s->now_ns;
	slot->samples++;
	slot->collecting += process_is_collecting(&look->process);
	if (slot->seen_ns - slot->since_ns >= LONG_NS)
		watch_long(s, i, look);
}

/* Offline schedulers run nothing. */
static size_t usable_of(const struct samples *s, enum scheduler_kind kind)
{
	return kind == SCHEDULER_NORMAL && s->online ? s->online : schedulers_of_kind(s->schedulers, kind);
}

static void count_pools(struct samples *s)
{
	size_t from = 0;

	for (int kind = 0; kind < SCHEDULER_KINDS; kind++) {
		size_t count = schedulers_of_kind(s->schedulers, (enum scheduler_kind)kind), busy = 0;

		for (size_t i = from; i < from + count && i < s->count; i++)
			busy += s->looks[i].process || s->looks[i].port;
		s->busy[kind] += busy;
		s->full[kind] += count && busy >= usable_of(s, (enum scheduler_kind)kind);
		from += count;
	}
}

static enum scheduler_kind kind_of(const struct samples *s, size_t i)
{
	size_t normal = schedulers_of_kind(s->schedulers, SCHEDULER_NORMAL);

	if (i < normal)
		return SCHEDULER_NORMAL;
	return i - normal < schedulers_of_kind(s->schedulers, SCHEDULER_DIRTY_CPU) ? SCHEDULER_DIRTY_CPU
										   : SCHEDULER_DIRTY_IO;
}

/* While a match specification searches a table, a scheduler runs a pseudo process, whose number has all bits set:
 * the caller is not known then. */
static bool is_matcher(const struct process *process)
{
	return __builtin_popcountll(process->id & ERL_ID_VALUE_MASK) >= MATCHER_BITS;
}

/* A thread without a CPU is found in the same state again and again, which counts once. */
static void count_spell(struct samples *s, size_t i, const struct process *process)
{
	struct spell now = { process->id, process->reds, process_is_collecting(process) }, *last = &s->spells[i];

	s->spell_count += now.id &&
			  (now.id != last->id || now.reds != last->reds || now.is_collecting != last->is_collecting);
	*last = now;
}

static void take_scheduler(struct samples *s, size_t i, bool looks_for_sleep)
{
	struct blocked_place place = { s->target, s->schedulers, s->processes, s->host };
	enum scheduler_kind kind = kind_of(s, i);
	const struct process_look *look = &s->found[i];

	if (kind == SCHEDULER_NORMAL)
		follow_slot(s, i, look);
	s->tallies[i].busy += s->looks[i].process || s->looks[i].port;
	s->tallies[i].ports += s->looks[i].port && !look->process.id;
	s->tallies[i].collecting += look->process.id && process_is_collecting(&look->process);
	count_spell(s, i, &look->process);
	if (!look->process.id)
		return;
	if (is_matcher(&look->process)) {
		s->matching++;
		s->hits++;
		return;
	}
	count_process(s, &look->process, kind);
	if (random_next(&s->chance) % VOTE_EVERY == 0)
		take_stack(s, i, look);
	if (looks_for_sleep && kind == SCHEDULER_NORMAL)
		s->tallies[i].blocked += blocked_schedulers_look(&s->sleeps, &place, i, look);
}

void samples_take(struct samples *s)
{
	bool looks_for_sleep = random_next(&s->chance) % SLEEP_EVERY == 0;

	s->now_ns = duration_now();
	if (!s->taken)
		s->began_ns = s->now_ns;
	schedulers_look(s->schedulers, s->looks);
	for (size_t i = 0; i < s->count; i++)
		s->addresses[i] = s->looks[i].process;
	processes_look(s->processes, s->addresses, s->found, s->count);
	s->taken++;
	s->sleeps.looks += looks_for_sleep;
	count_pools(s);
	for (size_t i = 0; i < s->count; i++)
		take_scheduler(s, i, looks_for_sleep);
}

void samples_step(struct samples *s)
{
	if (s->taken && s->steps < MOST_STEPS)
		s->in_step[s->steps++] = s->collecting - s->before;
	s->before = s->collecting;
}

/* A process that migrates during a sample may be found twice. */
double samples_share(const struct samples *s, const struct sampled *sampled)
{
	double share = s->taken && sampled ? (double)sampled->hits / (double)s->taken : 0;

	return share < 1 ? share : 1;
}

/* The index of the most frequent function. NULL: 0. */
static size_t most_voted(const struct sampled *sampled)
{
	size_t most = 0;

	for (size_t i = 1; sampled && i < SAMPLES_VOTES; i++) {
		if (sampled->votes[i].hits > sampled->votes[most].hits)
			most = i;
	}
	return most;
}

const struct call_stack *samples_frames(const struct sampled *sampled)
{
	size_t most = most_voted(sampled);

	return sampled && sampled->votes[most].hits ? &sampled->votes[most].frames : NULL;
}

size_t samples_all(const struct samples *s, const struct sampled **all)
{
	*all = s->table;
	return TABLE;
}

uint64_t samples_spawner(const struct samples *s)
{
	const struct parent *most = NULL;

	for (size_t i = 0; i < s->parent_count; i++) {
		if (!most || s->parents[i].hits > most->hits)
			most = &s->parents[i];
	}
	return most ? most->id : 0;
}

static void fill_who(struct samples *s, uint64_t id, const struct call_stack *frames, struct sign_process *process)
{
	const struct sampled *sampled = samples_of(s, id);

	process->busy = samples_share(s, sampled);
	sign_process_fill(s->processes, id, frames && frames->count ? frames : samples_frames(sampled), process);
}

const struct costly_calls *samples_costly(const struct samples *s)
{
	return &s->chores;
}

const struct repeated_calls *samples_repeated(const struct samples *s)
{
	return &s->repeats;
}

double samples_matching(const struct samples *s)
{
	return s->hits ? (double)s->matching / (double)s->hits : 0;
}

static int by_longest(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	return x->longest_ns < y->longest_ns ? 1 : x->longest_ns > y->longest_ns ? -1 : 0;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static const struct call_stack *frames_of_slice(const struct samples *s, const struct slice *slice)
{
	const struct sampled *sampled = samples_of(s, slice->id);
	double busy_ns = samples_share(s, sampled) * (double)(s->now_ns - s->began_ns);
	uint32_t most = sampled ? sampled->votes[most_voted(sampled)].hits : 0, all = 0;

	for (size_t i = 0; sampled && i < SAMPLES_VOTES; i++)
		all += sampled->votes[i].hits;
	/* If such slices are nearly all that the process does, its most frequent function says more than the one
	 * found when the slice became long. */
	if (most >= OFTEN && most * 2 > all && (double)slice->total_ns * 2 > busy_ns)
		return samples_frames(sampled);
	return &slice->frames;
}

static void finish_slices(struct samples *s, struct signs *signs)
{
	for (size_t i = 0; i < s->count; i++)
		end_slot(s, i);
	qsort(s->slices, s->slice_count, sizeof(*s->slices), by_longest);
	for (size_t i = 0; i < s->slice_count && signs->schedulers.slice_count < SIGN_FEW; i++) {
		const struct slice *slice = &s->slices[i];
		struct sign_slice *sign = &signs->schedulers.slices[signs->schedulers.slice_count++];

		sign->longest_ns = slice->longest_ns;
		sign->count = slice->count;
		sign->total_ns = slice->total_ns;
		sign->ran = share(slice->ran_ns, slice->watched_ns);
		sign->collecting = share(slice->collecting, slice->samples);
		fill_who(s, slice->id, frames_of_slice(s, slice), &sign->process);
	}
}

/* The module in the id of a function. */
static uint64_t module_of(uint64_t function)
{
	return function >> (ERL_ID_ATOM_BITS + 8);
}

/* The process found most often in another function of the module: it may hold the lock. */
static uint64_t find_other(const struct samples *s, const struct blocked *blocked)
{
	const struct sampled *most = NULL;

	for (size_t i = 0; i < TABLE; i++) {
		const struct call_stack *frames = samples_frames(&s->table[i]);

		if (frames && frames->functions[0] != blocked->function &&
		    module_of(frames->functions[0]) == module_of(blocked->function) &&
		    (!most || s->table[i].hits > most->hits))
			most = &s->table[i];
	}
	return most ? most->id : 0;
}

static void finish_blocked(struct samples *s, struct signs *signs)
{
	size_t normal = schedulers_of_kind(s->schedulers, SCHEDULER_NORMAL);

	blocked_schedulers_sort(&s->sleeps);
	for (size_t i = 0; i < s->sleeps.count && signs->schedulers.blocked_count < SIGN_FEW; i++) {
		const struct blocked *blocked = &s->sleeps.all[i];
		struct sign_blocked *sign = &signs->schedulers.blocked[signs->schedulers.blocked_count++];

		sign->share = share(blocked->hits, s->sleeps.looks * normal);
		sign->processes = blocked->processes;
		sign_function(s->processes, blocked->function, sign->function);
		sign_function(s->processes, blocked_table(blocked), sign->table);
		fill_who(s, blocked_process(blocked), &blocked->frames, &sign->process);
		fill_who(s, find_other(s, blocked), NULL, &sign->other);
	}
}

/* The process that used this kind of scheduler most. */
static uint64_t find_user(const struct samples *s, enum scheduler_kind kind)
{
	const struct sampled *most = NULL;

	for (size_t i = 0; i < TABLE; i++) {
		if (s->table[i].of_kind[kind] && (!most || s->table[i].of_kind[kind] > most->of_kind[kind]))
			most = &s->table[i];
	}
	return most ? most->id : 0;
}

static void finish_pool(struct samples *s, enum scheduler_kind kind, struct sign_pool *pool)
{
	uint64_t user = find_user(s, kind);

	if (user)
		fill_who(s, user, NULL, &pool->process);
	pool->schedulers = schedulers_of_kind(s->schedulers, kind);
	pool->busy = share(s->busy[kind], s->taken * pool->schedulers);
	pool->full = share(s->full[kind], s->taken);
}

static const struct sampled *find_collector(const struct samples *s)
{
	const struct sampled *most = NULL;

	for (size_t i = 0; i < TABLE; i++) {
		if (s->table[i].collecting && (!most || s->table[i].collecting > most->collecting))
			most = &s->table[i];
	}
	return most;
}

/* The parent whose short-lived children were collected most. */
static const struct parent *find_collecting_parent(const struct samples *s)
{
	const struct parent *most = NULL;

	for (size_t i = 0; i < s->parent_count; i++) {
		if (!most || s->parents[i].collecting > most->collecting)
			most = &s->parents[i];
	}
	return most;
}

static int by_most(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? 1 : *x > *y ? -1 : 0;
}

static bool is_collecting_short(const struct samples *s)
{
	uint64_t most[MOST_STEPS], sum = 0;

	if (s->steps < 3)
		return false;
	memcpy(most, s->in_step, sizeof(most));
	qsort(most, s->steps, sizeof(*most), by_most);
	for (size_t i = 0; i < (s->steps + 1) / 2; i++)
		sum += most[i];
	return (double)sum > SHORT_PART * (double)s->collecting;
}

static void finish_collections(struct samples *s, struct signs *signs)
{
	const struct sampled *most = find_collector(s);
	const struct parent *parent = find_collecting_parent(s);

	signs->gc.samples = s->spell_count;
	signs->gc.share = share(s->collecting, s->hits);
	signs->gc.is_burst = is_collecting_short(s);
	if (parent && parent->collecting > (most ? most->collecting : 0)) {
		signs->gc.are_children = true;
		signs->gc.process_share = share(parent->collecting, parent->hits);
		fill_who(s, parent->id, NULL, &signs->gc.process);
	} else if (most) {
		signs->gc.process_share = share(most->collecting, most->hits);
		fill_who(s, most->id, NULL, &signs->gc.process);
	}
}

static void finish_urgent(struct samples *s, struct signs *signs)
{
	const struct sampled *most = NULL;

	for (size_t i = 0; i < TABLE; i++) {
		if (s->table[i].urgent && (!most || s->table[i].urgent > most->urgent))
			most = &s->table[i];
	}
	signs->schedulers.urgent = share(s->urgent, s->normal_hits);
	if (most)
		fill_who(s, most->id, NULL, &signs->schedulers.urgent_process);
}

static void finish_appends(struct samples *s, struct signs *signs)
{
	uint64_t id = binary_appends_finish(&s->appends, &signs->binary_appends);

	if (id)
		fill_who(s, id, NULL, &signs->binary_appends.process);
}

void samples_measure(const struct samples *s, size_t i, struct scheduler_measures *measured)
{
	const struct tally *tally = &s->tallies[i];

	measured->busy = share(tally->busy, s->taken);
	measured->collecting = share(tally->collecting, s->taken);
	measured->ports = share(tally->ports, s->taken);
	measured->blocked = share(tally->blocked, s->sleeps.looks);
	measured->long_calls = share(tally->long_ns, s->now_ns - s->began_ns);
}

void samples_finish(struct samples *s, struct signs *signs)
{
	signs->schedulers.looks = s->taken;
	signs->schedulers.online = s->online;
	finish_pool(s, SCHEDULER_NORMAL, &signs->schedulers.normal);
	finish_pool(s, SCHEDULER_DIRTY_CPU, &signs->schedulers.dirty_cpu);
	finish_pool(s, SCHEDULER_DIRTY_IO, &signs->schedulers.dirty_io);
	finish_slices(s, signs);
	finish_blocked(s, signs);
	finish_collections(s, signs);
	finish_urgent(s, signs);
	finish_appends(s, signs);
}
