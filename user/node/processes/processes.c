// SPDX-License-Identifier: BSD-2-Clause
/*
 * erts_proc.r.o.tab has the addresses of all processes, 0 for empty slots. It is read in parts: the addresses, then the
 * structures of their processes in few large reads, then the addresses again. A process that is no longer there has
 * ended, and its memory may have been reused when it was read.
 *
 * Source: fields as in probes/fields.def. process_info(): erl_bif_info.c (reductions, total_heap_size,
 * message_queue_len), erts_process_state2status() in erl_process.c. Messages that were sent but not fetched by the
 * receiver count too, as they do there.
 */
#include "node/processes/processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "node/atoms/pids.h"
#include "node/memory/fields.h"
#include "target/reader/procfs.h"

#define PTAB_MAX 208 /* of ErtsPTab: number of slots */
#define PTAB_TABLE 192
#define MAX_SLOTS (1u << 27) /* the VM's own limit (+P) */
#define PART 8192	     /* slots per read */
#define BATCH 512	     /* processes per read */
#define MAX_PROCESS_SIZE 1024
#define NO_ROW UINT32_MAX

/*
 * Bits of a process's lock: ERTS_PROC_LOCK_... in erl_process_lock.h, equal in these releases. A running process holds
 * the first one, and holds the second one from finding no message until it waits or continues.
 */
#define LOCK_MAIN (1u << 0)
#define LOCK_MESSAGES (1u << 1)

#define PRIORITY_MASK 3u /* of a state, its lowest bits */

/* State flags: ERTS_PSFLG_... in erl_process.h, equal in 25.2.3, 27.3.4.1 and 29.1.1. */
#define STATE_FREE (1u << 10)
#define STATE_EXITING (1u << 11)
#define STATE_ACTIVE (1u << 13)
#define STATE_RUNNING (1u << 15)
#define STATE_SUSPENDED (1u << 16)
#define STATE_GC (1u << 17)
#define STATE_ACTIVE_SYS (1u << 20)
#define STATE_RUNNING_SYS (1u << 21)
#define STATE_DIRTY_ACTIVE_SYS (1u << 28)
#define STATE_DIRTY_RUNNING (1u << 29)
#define STATE_DIRTY_RUNNING_SYS (1u << 30)

enum field {
	SIZE,
	REDS,
	HEAP_SZ,
	OLD_HEND,
	OLD_HEAP,
	MBUF_SZ,
	QUEUE_LEN,
	IN_QUEUE_LEN,
	STATE,
	NEEDED_FIELDS,
	QUEUE_REST = NEEDED_FIELDS,
	OFF_HEAP,
	OLD_OFF_HEAP,
	PARENT,
	MONITORS,
	TIMERS,
	LOCK,
	FIELDS,
};

static const char *const field_names[FIELDS] = {
	[SIZE] = "process.size",	   [REDS] = "process.reds",
	[HEAP_SZ] = "process.heap_sz",	   [OLD_HEND] = "process.old_hend",
	[OLD_HEAP] = "process.old_heap",   [MBUF_SZ] = "process.mbuf_sz",
	[QUEUE_LEN] = "process.queue_len", [IN_QUEUE_LEN] = "process.in_queue_len",
	[STATE] = "process.state",	   [QUEUE_REST] = "process.queue_rest",
	[OFF_HEAP] = "process.off_heap",   [OLD_OFF_HEAP] = "process.old_off_heap",
	[PARENT] = "process.parent",	   [MONITORS] = "process.monitors",
	[TIMERS] = "process.timers",	   [LOCK] = "process.lock",
};

struct processes {
	const struct target *target;
	const struct erl_pid_layout *pids;
	struct naming *names;
	int64_t at[FIELDS]; /* offsets in struct process; -1: missing */
	uint64_t table;	    /* address */
	uint32_t slots;
	uint32_t *row_of_slot;
	struct process *rows;
	size_t row_count, row_room;
	uint32_t *free_rows;
	size_t free_count;
	size_t live, dropped;
	uint32_t reading;
	/* The current part. */
	uint64_t addresses[PART], again[PART];
	struct process fresh[BATCH];
	struct procfs_piece pieces[BATCH];
	struct name_fields fields[BATCH];
	struct process_look looks[BATCH];
	char bytes[BATCH * MAX_PROCESS_SIZE];
};

static int find_table(struct processes *p)
{
	uint64_t address;

	if (target_symbol(p->target, "erts_proc", &address) ||
	    procfs_memory(p->target->pid, address + PTAB_TABLE, &p->table, sizeof(p->table)) ||
	    procfs_memory(p->target->pid, address + PTAB_MAX, &p->slots, sizeof(p->slots)) || !p->slots ||
	    p->slots > MAX_SLOTS)
		return -ENOENT;
	return 0;
}

static int find_fields(struct processes *p)
{
	for (int field = 0; field < FIELDS; field++) {
		if (!field_offset(p->target->vm, field_names[field], &p->at[field]))
			continue;
		if (field < NEEDED_FIELDS)
			return -ENOENT;
		p->at[field] = -1;
	}
	return p->at[SIZE] <= MAX_PROCESS_SIZE ? 0 : -ENOENT;
}

struct processes *processes_new(const struct target *target, const struct erl_pid_layout *pids, struct name_style style)
{
	struct processes *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return NULL;
	p->target = target;
	p->pids = pids;
	err = pids->table ? find_fields(p) : -ENOENT;
	if (!err)
		err = find_table(p);
	if (!err) {
		p->names = naming_new(target, pids);
		err = p->names ? 0 : -errno;
	}
	if (!err)
		naming_set_style(p->names, style);
	if (!err) {
		/* Untouched pages of zeros use no memory. */
		p->row_of_slot = calloc(p->slots, sizeof(*p->row_of_slot));
		err = p->row_of_slot ? 0 : -ENOMEM;
	}
	if (!err)
		return p;
	processes_free(p);
	errno = -err;
	return NULL;
}

void processes_free(struct processes *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->row_count; i++)
		name_free(&p->rows[i].name);
	naming_free(p->names);
	free(p->row_of_slot);
	free(p->free_rows);
	free(p->rows);
	free(p);
}

/* Rows. A slot's entry is the number of its row plus one. */

static struct process *row_of(struct processes *p, uint32_t slot)
{
	uint32_t row = p->row_of_slot[slot];

	return row ? &p->rows[row - 1] : NULL;
}

static void release(struct processes *p, struct process *row)
{
	name_free(&row->name);
	p->row_of_slot[row->slot] = 0;
	row->id = 0;
	p->free_rows[p->free_count++] = (uint32_t)(row - p->rows);
}

/* By a quarter: there may be two million rows, and doubling would be too much. */
static int grow(struct processes *p)
{
	size_t room = p->row_room ? p->row_room + p->row_room / 4 : 1024;
	struct process *rows = p->row_room < PROCESSES_MAX ? realloc(p->rows, room * sizeof(*rows)) : NULL;
	uint32_t *list;

	if (!rows)
		return -ENOMEM;
	p->rows = rows;
	list = realloc(p->free_rows, room * sizeof(*list));
	if (!list)
		return -ENOMEM;
	p->free_rows = list;
	p->row_room = room;
	return 0;
}

static struct process *new_row(struct processes *p, uint32_t slot)
{
	struct process *row;

	if (!p->free_count && p->row_count == p->row_room && grow(p)) {
		p->dropped++;
		return NULL;
	}
	row = &p->rows[p->free_count ? p->free_rows[--p->free_count] : p->row_count++];
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a free row is one of the rows */
	*row = (struct process){ .slot = slot };
	name_init(&row->name);
	p->row_of_slot[slot] = (uint32_t)(row - p->rows) + 1;
	return row;
}

/* Reading. */

static uint64_t word_at(const char *bytes, int64_t offset)
{
	uint64_t word = 0;

	if (offset >= 0)
		memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

static void parse(const struct processes *p, const char *bytes, struct process *fresh)
{
	uint64_t old = word_at(bytes, p->at[OLD_HEAP]), old_end = word_at(bytes, p->at[OLD_HEND]);
	uint64_t words = word_at(bytes, p->at[HEAP_SZ]) + word_at(bytes, p->at[MBUF_SZ]);
	int64_t queue = (int64_t)(word_at(bytes, p->at[QUEUE_LEN]) + word_at(bytes, p->at[QUEUE_REST]) +
				  word_at(bytes, p->at[IN_QUEUE_LEN]));

	fresh->id = pid_of_term(p->pids, word_at(bytes, 0));
	fresh->reds = word_at(bytes, p->at[REDS]);
	fresh->heap = words * 8 + (old && old_end > old ? old_end - old : 0);
	fresh->binaries = (word_at(bytes, p->at[OFF_HEAP]) + word_at(bytes, p->at[OLD_OFF_HEAP])) * 8;
	fresh->parent = pid_of_term(p->pids, word_at(bytes, p->at[PARENT]));
	fresh->monitors = word_at(bytes, p->at[MONITORS]);
	fresh->timers = word_at(bytes, p->at[TIMERS]);
	/* Messages may move between the lists while they are read. */
	fresh->queue = queue > 0 ? (uint64_t)queue : 0;
	memcpy(&fresh->state, bytes + p->at[STATE], sizeof(fresh->state));
	fresh->locks = (uint32_t)word_at(bytes, p->at[LOCK]);
}

static void update(struct processes *p, const struct process *fresh, const struct name_fields *fields)
{
	struct process *row = row_of(p, fresh->slot);

	if (row && row->id != fresh->id) {
		release(p, row);
		row = NULL;
	}
	if (!row) {
		row = new_row(p, fresh->slot);
		if (!row)
			return;
		row->reds_before = p->reading == 1 ? fresh->reds : 0;
		row->queue_before = p->reading == 1 ? fresh->queue : 0;
	} else {
		row->reds_before = row->reds;
		row->queue_before = row->queue;
	}
	row->id = fresh->id;
	row->address = fresh->address;
	row->reds = fresh->reds;
	row->heap = fresh->heap;
	row->binaries = fresh->binaries;
	row->parent = fresh->parent;
	row->monitors = fresh->monitors;
	row->timers = fresh->timers;
	row->queue = fresh->queue;
	row->state = fresh->state;
	row->reading = p->reading;
	/* It got a name or dictionary since then, or had not run yet when its name was read. */
	if (row->registered != fields->registered || row->dictionary != fields->dictionary ||
	    (row->naming + 1 == p->reading && row->reds != row->reds_before))
		row->naming = 0;
	p->live++;
}

struct part {
	const uint64_t *addresses; /* by slot, starting with this one */
	uint32_t from;
};

static int by_address(const void *a, const void *b, void *data)
{
	const struct part *part = data;
	uint64_t x = part->addresses[*(const uint32_t *)a - part->from];
	uint64_t y = part->addresses[*(const uint32_t *)b - part->from];

	return x < y ? -1 : x > y ? 1 : 0;
}

/* Reads the processes in some slots of a part, sorted by address: adjacent ones in one read. */
static void read_batch(struct processes *p, uint32_t *slots, size_t count, uint32_t from)
{
	size_t size = (size_t)p->at[SIZE], n = 0;
	uint32_t first = slots[0], last = slots[count - 1];
	struct part part = { p->addresses, from };

	qsort_r(slots, count, sizeof(*slots), by_address, &part);
	for (size_t i = 0; i < count; i++)
		p->pieces[i] = (struct procfs_piece){ .address = p->addresses[slots[i] - from],
						      .to = p->bytes + i * size,
						      .size = size };
	procfs_pieces(p->target->pid, p->pieces, count);
	if (procfs_memory(p->target->pid, p->table + first * 8ULL, p->again, (last - first + 1) * 8ULL))
		return;
	for (size_t i = 0; i < count; i++) {
		const char *bytes = p->bytes + i * size;
		struct process *fresh = &p->fresh[n];

		if (!p->pieces[i].is_read || p->again[slots[i] - first] != p->pieces[i].address)
			continue;
		*fresh = (struct process){ .address = p->pieces[i].address, .slot = slots[i] };
		parse(p, bytes, fresh);
		/* A slot that is being filled, or is reserved, has no process with its index. */
		if (!fresh->id || pid_place(p->pids, fresh->id) != fresh->slot)
			continue;
		name_fields_read(p->names, bytes, &p->fields[n]);
		update(p, fresh, &p->fields[n]);
		n++;
	}
}

static int read_part(struct processes *p, uint32_t from)
{
	uint32_t count = p->slots - from < PART ? p->slots - from : PART, slots[BATCH];
	size_t n = 0;

	if (procfs_memory(p->target->pid, p->table + from * 8ULL, p->addresses, count * 8ULL))
		return -EFAULT;
	for (uint32_t i = 0; i < count; i++) {
		if (p->addresses[i])
			slots[n++] = from + i;
		if (n == BATCH || (n && i + 1 == count)) {
			read_batch(p, slots, n, from);
			n = 0;
		}
	}
	return 0;
}

int processes_read(struct processes *p)
{
	int err = 0;

	p->reading++;
	p->live = 0;
	p->dropped = 0;
	for (uint32_t from = 0; !err && from < p->slots; from += PART)
		err = read_part(p, from);
	for (size_t i = 0; i < p->row_count; i++) {
		/* A process that is missing once may only have been unreadable. */
		if (p->rows[i].id && p->rows[i].reading + 1 < p->reading)
			release(p, &p->rows[i]);
	}
	return err;
}

/* Looking at some. */

/* Reads at most one batch; `most` may be 0. Returns the number read. */
static size_t look_batch(struct processes *p, const uint64_t *addresses, struct process_look *looks, size_t count)
{
	size_t size = (size_t)p->at[SIZE], i = 0, n = 0, which[BATCH];

	for (; i < count && n < BATCH; i++) {
		looks[i] = (struct process_look){ .process.address = addresses[i] };
		if (!addresses[i])
			continue;
		p->pieces[n] = (struct procfs_piece){ .address = addresses[i],
						      .to = p->bytes + n * size,
						      .size = size };
		which[n++] = i;
	}
	procfs_pieces(p->target->pid, p->pieces, n);
	for (size_t k = 0; k < n; k++) {
		struct process_look *look = &looks[which[k]];

		if (!p->pieces[k].is_read)
			continue;
		parse(p, p->bytes + k * size, &look->process);
		name_fields_read(p->names, p->bytes + k * size, &look->fields);
	}
	return i;
}

void processes_look(struct processes *p, const uint64_t *addresses, struct process_look *looks, size_t count)
{
	for (size_t from = 0; from < count;)
		from += look_batch(p, addresses + from, looks + from, count - from);
}

const struct target *processes_target(const struct processes *p)
{
	return p->target;
}

uint64_t processes_id_of_term(const struct processes *p, uint64_t term)
{
	return pid_of_term(p->pids, term);
}

struct naming *processes_naming(const struct processes *p)
{
	return p->names;
}

/* Results of a reading. */

size_t processes_rows(const struct processes *p)
{
	return p->row_count;
}

struct process *processes_row(struct processes *p, size_t row)
{
	return &p->rows[row];
}

size_t processes_row_of(const struct processes *p, const struct process *process)
{
	return (size_t)(process - p->rows);
}

bool processes_has(const struct processes *p, size_t row)
{
	return p->rows[row].id && p->rows[row].reading == p->reading;
}

size_t processes_live(const struct processes *p)
{
	return p->live;
}

size_t processes_dropped(const struct processes *p)
{
	return p->dropped;
}

struct process *processes_find(struct processes *p, uint64_t id)
{
	uint64_t slot = pid_place(p->pids, id);
	struct process *row = slot < p->slots ? row_of(p, (uint32_t)slot) : NULL;

	return row && row->id == id && row->reading == p->reading ? row : NULL;
}

static void set_named(const struct processes *p, struct process *process, const struct name_request *request)
{
	if (!request->is_known)
		return;
	process->registered = request->fields.registered;
	process->dictionary = request->fields.dictionary;
	process->naming = p->reading;
}

void processes_refresh_name(struct processes *p, struct process *process)
{
	struct name_request request = {
		.id = process->id, .address = process->address, .name = &process->name, .with_owner = true
	};
	char bytes[MAX_PROCESS_SIZE];

	if (procfs_memory(p->target->pid, process->address, bytes, (size_t)p->at[SIZE]) ||
	    pid_of_term(p->pids, word_at(bytes, 0)) != process->id)
		return;
	name_fields_read(p->names, bytes, &request.fields);
	naming_resolve(p->names, &request, 1);
	set_named(p, process, &request);
}

/* Names `count` rows, all of which have a process. */
static void name_rows(struct processes *p, struct process **rows, size_t count)
{
	struct name_request requests[BATCH];
	uint64_t addresses[BATCH] = {};
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		addresses[i] = rows[i]->address;
	processes_look(p, addresses, p->looks, count);
	for (size_t i = 0; i < count; i++) {
		if (p->looks[i].process.id != rows[i]->id)
			continue;
		rows[n] = rows[i];
		requests[n++] = (struct name_request){
			.id = rows[i]->id,
			.address = rows[i]->address,
			.fields = p->looks[i].fields,
			.name = &rows[i]->name,
		};
	}
	naming_resolve(p->names, requests, n);
	for (size_t i = 0; i < n; i++)
		set_named(p, rows[i], &requests[i]);
}

void processes_read_names(struct processes *p)
{
	struct process *rows[BATCH];
	size_t count = 0;

	for (size_t row = 0; row < p->row_count; row++) {
		if (processes_has(p, row) && !p->rows[row].naming)
			rows[count++] = &p->rows[row];
		if (count == BATCH || (count && row + 1 == p->row_count)) {
			name_rows(p, rows, count);
			count = 0;
		}
	}
}

const char *process_name(struct processes *p, const struct process *process, char text[NAME_SIZE])
{
	return naming_format(p->names, &process->name, text);
}

const char *process_description(struct processes *p, const struct process *process, char text[NAME_SIZE])
{
	return naming_describe(p->names, &process->name, text);
}

const char *process_call(struct processes *p, const struct process *process, char text[NAME_SIZE])
{
	return naming_call(p->names, &process->name, text);
}

const char *process_initial_call(struct processes *p, const struct process *process, char text[NAME_SIZE])
{
	return naming_initial_call(p->names, &process->name, text);
}

const char *process_registered(struct processes *p, const struct process *process, char text[NAME_SIZE])
{
	return naming_registered(p->names, &process->name, text);
}

enum process_priority process_priority(const struct process *process)
{
	return process->state & PRIORITY_MASK;
}

bool process_is_seeking(const struct process *process)
{
	return (process->locks & (LOCK_MAIN | LOCK_MESSAGES)) == (LOCK_MAIN | LOCK_MESSAGES);
}

bool process_is_collecting(const struct process *process)
{
	return process->state & STATE_GC;
}

const char *process_status(const struct process *process)
{
	uint32_t state = process->state;

	if (state & STATE_FREE)
		return "free";
	if (state & STATE_EXITING)
		return "exiting";
	if (state & STATE_GC)
		return "garbage_collecting";
	if (state & STATE_SUSPENDED)
		return "suspended";
	if (state & (STATE_RUNNING | STATE_RUNNING_SYS | STATE_DIRTY_RUNNING | STATE_DIRTY_RUNNING_SYS))
		return "running";
	if (state & (STATE_ACTIVE | STATE_ACTIVE_SYS | STATE_DIRTY_ACTIVE_SYS))
		return "runnable";
	return "waiting";
}
