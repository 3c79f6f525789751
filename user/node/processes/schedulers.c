// SPDX-License-Identifier: BSD-2-Clause
/*
 * erts_aligned_scheduler_data and the exported variables for dirty schedulers are arrays with an element per scheduler,
 * which has the address of the process that it runs, or 0. Each element has its number, which verifies the element
 * size.
 *
 * Source: `ptype /o ErtsSchedulerData` in OTP 25.2.3, 27.3.4.1 and 29.1.1; init_scheduler_data() in erl_process.c,
 * which assigns the numbers: `no` counts normal ones from 1 and is 0 for dirty ones, `dirty_no` the other way round.
 */
#include "node/processes/schedulers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "node/atoms/pids.h"
#include "node/memory/fields.h"
#include "node/processes/processes.h"
#include "target/reader/procfs.h"

#define KIND_MAX SCHEDULERS_OF_KIND
#define FLAG_SUSPENDED (1u << 4) /* of a scheduler's sleep */

static const struct {
	const char *data, *count;
	uint64_t number; /* offset of the element's number, relative to `scheduler.no` */
} kinds[SCHEDULER_KINDS] = {
	{ "erts_aligned_scheduler_data", "erts_no_schedulers", 0 },
	{ "erts_aligned_dirty_cpu_scheduler_data", "erts_no_dirty_cpu_schedulers", 8 },
	{ "erts_aligned_dirty_io_scheduler_data", "erts_no_dirty_io_schedulers", 8 },
};

struct schedulers {
	const struct target *target;
	const struct erl_pid_layout *pids;
	size_t count, of_kind[SCHEDULER_KINDS];
	int64_t port_distance;	     /* from the current process to the current port; 0: unknown */
	struct procfs_piece *pieces; /* addresses of the current processes, then of the current ports */
	struct procfs_piece *heads;  /* their terms and states: two per process */
	uint64_t *processes, *terms, *ports;
	size_t port_count; /* only normal schedulers run ports */
	int64_t state;	   /* offset in struct process; -1: unknown */
	uint32_t *states;
	struct scheduler_hits *hits;
};

static int read_symbol(const struct target *target, const char *name, uint64_t *word)
{
	uint64_t address;

	if (target_symbol(target, name, &address))
		return -ENOENT;
	return procfs_memory(target->pid, address, word, sizeof(*word));
}

size_t schedulers_normal(const struct target *target)
{
	uint64_t count;

	return read_symbol(target, kinds[0].count, &count) || count > KIND_MAX ? 0 : count;
}

#define NEAR 512      /* bytes on both sides of the variable of normal schedulers */
#define CACHE_LINE 64 /* alignment of elements */

/* The number of consecutive elements of that kind. */
static uint64_t count_elements(const struct target *target, size_t kind, uint64_t data, uint64_t size, uint64_t no)
{
	uint64_t words[3]; /* type, number if normal, number if dirty */
	uint64_t count = 0;

	while (count < KIND_MAX &&
	       !procfs_memory(target->pid, data + count * size + no - sizeof(*words), words, sizeof(words)) &&
	       (uint32_t)words[0] == kind && !words[1] && words[2] == count + 1)
		count++;
	return count;
}

/*
 * In a VM that hides its functions, comparison may find the variable of normal schedulers but not those of dirty ones,
 * as in Debian's for aarch64. They are defined side by side in erl_process.c.
 */
static int find_dirty(const struct target *target, size_t kind, uint64_t size, uint64_t no, uint64_t *data,
		      uint64_t *count)
{
	uint64_t address, words[2 * NEAR / 8];

	if (target_symbol(target, kinds[SCHEDULER_NORMAL].data, &address) ||
	    procfs_memory(target->pid, address - NEAR, words, sizeof(words)))
		return -ENOENT;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		*data = words[i];
		*count = *data && !(*data % CACHE_LINE) ? count_elements(target, kind, *data, size, no) : 0;
		if (*count)
			return 0;
	}
	return -ENOENT;
}

static int find_kind(const struct target *target, size_t kind, uint64_t size, uint64_t no, uint64_t *data,
		     uint64_t *count)
{
	if (!read_symbol(target, kinds[kind].data, data) && !read_symbol(target, kinds[kind].count, count))
		return *count > KIND_MAX ? -ENOENT : 0;
	return kind == SCHEDULER_NORMAL ? -ENOENT : find_dirty(target, kind, size, no, data, count);
}

/* Once per kind of scheduler, for the exact number. */
static int make_room(struct schedulers *s, size_t more)
{
	size_t count = s->count + more + 1;
	struct procfs_piece *pieces = realloc(s->pieces, count * sizeof(*pieces));
	struct procfs_piece *heads;
	uint64_t *words;

	if (!pieces)
		return -ENOMEM;
	s->pieces = pieces;
	heads = realloc(s->heads, count * sizeof(*heads));
	if (!heads)
		return -ENOMEM;
	s->heads = heads;
	words = realloc(s->processes, count * sizeof(*words));
	if (!words)
		return -ENOMEM;
	s->processes = words;
	words = realloc(s->terms, count * sizeof(*words));
	if (!words)
		return -ENOMEM;
	s->terms = words;
	return 0;
}

/* Are the elements numbered from 1? */
static bool are_numbered(const struct target *target, uint64_t address, uint64_t size, uint64_t count)
{
	struct procfs_piece pieces[KIND_MAX];
	uint32_t numbers[KIND_MAX];

	for (uint64_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ address + i * size, &numbers[i], sizeof(numbers[i]), false };
	procfs_pieces(target->pid, pieces, count);
	for (uint64_t i = 0; i < count; i++) {
		if (!pieces[i].is_read || numbers[i] != i + 1)
			return false;
	}
	return true;
}

static int add_kind(struct schedulers *s, size_t kind)
{
	int64_t size, current, no, port;
	uint64_t data, count;

	if (field_offset(s->target->vm, "scheduler.size", &size) ||
	    field_offset(s->target->vm, "scheduler.current_process", &current) ||
	    field_offset(s->target->vm, "scheduler.no", &no) ||
	    find_kind(s->target, kind, (uint64_t)size, (uint64_t)no, &data, &count))
		return -ENOENT;
	if (make_room(s, count))
		return -ENOMEM;
	if (!are_numbered(s->target, data + (uint64_t)no + kinds[kind].number, (uint64_t)size, count))
		return -ENOENT;
	for (uint64_t i = 0; i < count; i++)
		s->pieces[s->count++] = (struct procfs_piece){
			.address = data + i * (uint64_t)size + (uint64_t)current,
			.size = 8,
		};
	s->of_kind[kind] = count;
	if (!field_offset(s->target->vm, "scheduler.current_port", &port))
		s->port_distance = port - current;
	return 0;
}

/* Allocates the counters, and the pieces for states. */
static int make_hits(struct schedulers *s)
{
	size_t normal = s->port_distance ? s->of_kind[SCHEDULER_NORMAL] : 0;
	struct procfs_piece *pieces = realloc(s->pieces, (s->count + normal + 1) * sizeof(*pieces));
	struct procfs_piece *heads;

	if (!pieces)
		return -ENOMEM;
	s->pieces = pieces;
	heads = realloc(s->heads, (2 * s->count + 1) * sizeof(*heads));
	if (!heads)
		return -ENOMEM;
	s->heads = heads;
	s->ports = calloc(normal + 1, sizeof(*s->ports));
	s->states = calloc(s->count + 1, sizeof(*s->states));
	s->hits = calloc(s->count + 1, sizeof(*s->hits));
	if (!s->ports || !s->states || !s->hits)
		return -ENOMEM;
	s->port_count = normal;
	for (size_t i = 0; i < normal; i++)
		s->pieces[s->count + i] = (struct procfs_piece){
			.address = s->pieces[i].address + (uint64_t)s->port_distance,
			.to = &s->ports[i],
			.size = 8,
		};
	if (field_offset(s->target->vm, "process.state", &s->state))
		s->state = -1;
	return 0;
}

struct schedulers *schedulers_new(const struct target *target, const struct erl_pid_layout *pids)
{
	struct schedulers *s = calloc(1, sizeof(*s));
	int err = s ? 0 : -ENOMEM;

	if (s) {
		s->target = target;
		s->pids = pids;
	}
	for (size_t kind = 0; !err && kind < SCHEDULER_KINDS; kind++)
		err = add_kind(s, kind);
	if (!err)
		err = make_hits(s);
	for (size_t i = 0; !err && i < s->count; i++)
		s->pieces[i].to = &s->processes[i];
	if (!err)
		return s;
	schedulers_free(s);
	errno = -err;
	return NULL;
}

void schedulers_free(struct schedulers *s)
{
	if (!s)
		return;
	free(s->pieces);
	free(s->heads);
	free(s->processes);
	free(s->terms);
	free(s->ports);
	free(s->states);
	free(s->hits);
	free(s);
}

size_t schedulers_count(const struct schedulers *s)
{
	return s->count;
}

size_t schedulers_of_kind(const struct schedulers *s, enum scheduler_kind kind)
{
	return s->of_kind[kind];
}

#define LOOK_BATCH 1024 /* pieces per read, two per scheduler */

static void look_batch(const struct schedulers *s, size_t from, size_t count, struct scheduler_look *looks)
{
	struct procfs_piece pieces[LOOK_BATCH];
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t address = s->pieces[from + i].address;

		looks[i] = (struct scheduler_look){};
		pieces[n++] = (struct procfs_piece){ .address = address, .to = &looks[i].process, .size = 8 };
		if (s->port_distance)
			pieces[n++] = (struct procfs_piece){ .address = address + (uint64_t)s->port_distance,
							     .to = &looks[i].port,
							     .size = 8 };
	}
	procfs_pieces(s->target->pid, pieces, n);
}

void schedulers_look(const struct schedulers *s, struct scheduler_look *looks)
{
	for (size_t from = 0; from < s->count; from += LOOK_BATCH / 2)
		look_batch(s, from, s->count - from < LOOK_BATCH / 2 ? s->count - from : LOOK_BATCH / 2, looks + from);
}

uint64_t schedulers_address(const struct schedulers *s, size_t i)
{
	int64_t current = 0;

	field_offset(s->target->vm, "scheduler.current_process", &current);
	return s->pieces[i].address - (uint64_t)current;
}

/* Reads a number of `size` bytes at the offset from each address; 0 for address 0 and if unreadable. */
static void read_numbers(const struct schedulers *s, const uint64_t *addresses, int64_t offset, size_t size,
			 uint64_t *numbers)
{
	size_t count = s->of_kind[SCHEDULER_NORMAL], n = 0;
	struct procfs_piece pieces[KIND_MAX];

	for (size_t i = 0; i < count; i++) {
		uint64_t address = addresses[i];

		numbers[i] = 0;
		if (address)
			pieces[n++] = (struct procfs_piece){ .address = address + (uint64_t)offset,
							     .to = &numbers[i],
							     .size = size };
	}
	procfs_pieces(s->target->pid, pieces, n);
}

void schedulers_numbers(const struct schedulers *s, int64_t offset, uint64_t numbers[SCHEDULERS_OF_KIND])
{
	uint64_t addresses[KIND_MAX];

	for (size_t i = 0; i < s->of_kind[SCHEDULER_NORMAL]; i++)
		addresses[i] = schedulers_address(s, i);
	read_numbers(s, addresses, offset, 8, numbers);
}

bool schedulers_find(const struct schedulers *s, enum scheduler_kind kind, unsigned int number, size_t *found)
{
	size_t i = number - 1u;

	if (!number || number > s->of_kind[kind])
		return false;
	for (enum scheduler_kind before = SCHEDULER_NORMAL; before < kind; before++)
		i += s->of_kind[before];
	*found = i;
	return i < s->count;
}

void schedulers_words(const struct schedulers *s, size_t i, struct scheduler_words *words)
{
	uint64_t element = schedulers_address(s, i);
	enum scheduler_kind kind = SCHEDULER_NORMAL;
	int64_t sleep_info = 0, flags = 0;
	size_t before = 0;

	field_offset(s->target->vm, "scheduler.ssi", &sleep_info);
	field_offset(s->target->vm, "sleep_info.flags", &flags);
	for (; kind + 1 < SCHEDULER_KINDS && i - before >= s->of_kind[kind]; kind++)
		before += s->of_kind[kind];
	*words = (struct scheduler_words){
		.kind = kind,
		.number = (unsigned int)(i - before) + 1,
		.process = s->pieces[i].address,
		.port = s->pieces[i].address + (uint64_t)s->port_distance,
	};
	if (!procfs_memory(s->target->pid, element + (uint64_t)sleep_info, &words->sleep_flags, 8) &&
	    words->sleep_flags)
		words->sleep_flags += (uint64_t)flags;
	else
		words->sleep_flags = 0;
}

/* Source: ERTS_SSI_FLG_SUSPENDED in erl_process.h, equal in 25.2.3, 27.3.4.1 and 29.1.1. */
size_t schedulers_online(const struct schedulers *s)
{
	uint64_t sleeps[KIND_MAX], words[KIND_MAX];
	int64_t sleep_info, flags;
	size_t online = 0;

	if (field_offset(s->target->vm, "scheduler.ssi", &sleep_info) ||
	    field_offset(s->target->vm, "sleep_info.flags", &flags))
		return 0;
	schedulers_numbers(s, sleep_info, sleeps);
	read_numbers(s, sleeps, flags, sizeof(uint32_t), words);
	for (size_t i = 0; i < s->of_kind[SCHEDULER_NORMAL]; i++) {
		if (!sleeps[i])
			return 0;
		online += !(words[i] & FLAG_SUSPENDED);
	}
	return online;
}

/* The JIT stores the arguments of a BIF in memory before the call. */
bool schedulers_arguments(const struct schedulers *s, size_t i, uint64_t terms[SCHEDULER_ARGUMENTS])
{
	int64_t registers, x;
	uint64_t at;

	return !field_offset(s->target->vm, "scheduler.registers", &registers) &&
	       !field_offset(s->target->vm, "registers.x", &x) &&
	       !procfs_memory(s->target->pid, schedulers_address(s, i) + (uint64_t)registers, &at, sizeof(at)) &&
	       !procfs_memory(s->target->pid, at + (uint64_t)x, terms, SCHEDULER_ARGUMENTS * sizeof(*terms));
}

/* The term and state of each scheduler's current process; zeroed if there is none. */
static void read_processes(struct schedulers *s)
{
	size_t heads = 0;

	for (size_t i = 0; i < s->count; i++) {
		s->terms[i] = s->states[i] = 0;
		if (!s->pieces[i].is_read)
			s->processes[i] = 0;
		if (!s->processes[i])
			continue;
		s->heads[heads++] = (struct procfs_piece){ .address = s->processes[i], .to = &s->terms[i], .size = 8 };
		if (s->state >= 0)
			s->heads[heads++] = (struct procfs_piece){ .address = s->processes[i] + (uint64_t)s->state,
								   .to = &s->states[i],
								   .size = 4 };
	}
	procfs_pieces(s->target->pid, s->heads, heads);
}

static bool runs_port(const struct schedulers *s, size_t i)
{
	return i < s->port_count && s->pieces[s->count + i].is_read && s->ports[i];
}

static void count_hits(struct schedulers *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct process process = { .state = s->states[i] };

		s->hits[i].busy += s->processes[i] || runs_port(s, i);
		s->hits[i].collecting += process_is_collecting(&process);
	}
}

size_t schedulers_sample(struct schedulers *s, uint64_t *ids)
{
	size_t count = 0;

	procfs_pieces(s->target->pid, s->pieces, s->count + s->port_count);
	read_processes(s);
	count_hits(s);
	for (size_t i = 0; i < s->count; i++) {
		uint64_t id = s->terms[i] ? pid_of_term(s->pids, s->terms[i]) : 0;
		size_t k = 0;

		while (k < count && ids[k] != id)
			k++;
		if (id && k == count)
			ids[count++] = id;
	}
	return count;
}

const struct scheduler_hits *schedulers_hits(const struct schedulers *s)
{
	return s->hits;
}

void schedulers_forget_hits(struct schedulers *s)
{
	memset(s->hits, 0, s->count * sizeof(*s->hits));
}

/* Reads a member of each normal scheduler's timer wheel. */
static bool read_wheels(const struct schedulers *s, const char *member, uint64_t numbers[KIND_MAX])
{
	int64_t wheel, offset;
	uint64_t wheels[KIND_MAX];

	if (field_offset(s->target->vm, "scheduler.timer_wheel", &wheel) ||
	    field_offset(s->target->vm, member, &offset))
		return false;
	schedulers_numbers(s, wheel, wheels);
	read_numbers(s, wheels, offset, sizeof(uint64_t), numbers);
	return true;
}

uint64_t schedulers_timers(const struct schedulers *s)
{
	uint64_t counts[KIND_MAX], sum = 0;
	bool is_known = read_wheels(s, "timer_wheel.count", counts);

	for (size_t i = 0; is_known && i < s->of_kind[SCHEDULER_NORMAL]; i++)
		sum += counts[i];
	return sum;
}

/* The wheel of a sleeping scheduler does not advance. */
uint64_t schedulers_timer_now(const struct schedulers *s)
{
	uint64_t positions[KIND_MAX], last = 0;
	bool is_known = read_wheels(s, "timer_wheel.pos", positions);

	for (size_t i = 0; is_known && i < s->of_kind[SCHEDULER_NORMAL]; i++)
		last = positions[i] > last ? positions[i] : last;
	return last;
}

/* Reads a number in each run queue of normal schedulers. False: its offset is unknown. */
static bool read_queues(const struct schedulers *s, const char *field, size_t size, uint64_t numbers[KIND_MAX])
{
	uint64_t queues[KIND_MAX];
	int64_t queue, offset;

	if (field_offset(s->target->vm, "scheduler.run_queue", &queue) || field_offset(s->target->vm, field, &offset))
		return false;
	schedulers_numbers(s, queue, queues);
	read_numbers(s, queues, offset, size, numbers);
	return true;
}

size_t schedulers_run_queue(const struct schedulers *s)
{
	uint64_t lengths[KIND_MAX];
	bool is_known = read_queues(s, "run_queue.len", sizeof(uint32_t), lengths);
	size_t sum = 0;

	for (size_t i = 0; is_known && i < s->of_kind[SCHEDULER_NORMAL]; i++)
		sum += lengths[i];
	return sum;
}

uint64_t schedulers_reductions(const struct schedulers *s)
{
	uint64_t reductions[KIND_MAX], sum = 0;
	bool is_known = read_queues(s, "run_queue.reductions", sizeof(uint64_t), reductions);

	for (size_t i = 0; is_known && i < s->of_kind[SCHEDULER_NORMAL]; i++)
		sum += reductions[i];
	return sum;
}
