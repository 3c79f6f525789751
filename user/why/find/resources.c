// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tables and ports are listed at the first reading and at the end; the difference is new. In between, only their counts
 * are read. If there are very many tables, only the newest are listed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/duration.h"
#include "node/atoms/pids.h"
#include "node/memory/allocators.h"
#include "node/memory/memory.h"
#include "node/processes/ports.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "node/processes/tables.h"
#include "why/schedulers/samples.h"
#include "why/schedulers/stack_match.h"
#include "why/source/sign_process.h"
#include "why/source/signs.h"
#include "why/source/source.h"

#define MOST_TABLES 4096
#define MOST_PORTS 65536
#define MOST_OWNERS 64

/* A number that is read several times. */
struct course {
	uint64_t first, last;
	unsigned int rises;
};

/* How many new ones a process has. */
struct owner {
	uint64_t id, count;
	uint64_t one; /* address of one of them */
};

struct owners {
	struct owner all[MOST_OWNERS];
	size_t count;
};

struct resources {
	const struct target *target;
	const struct erl_pid_layout *pids;
	const struct schedulers *schedulers;
	struct processes *processes;
	unsigned int readings;
	uint64_t first_ns, last_ns;
	struct course tables, ets, timers, literals, binaries;
	uint64_t referred; /* bytes of binaries referred to by processes at the first reading */
	struct table_look before[MOST_TABLES], now[MOST_TABLES];
	size_t before_count;
	uint64_t ports[MOST_PORTS]; /* ids at the first reading, sorted */
	size_t port_count;
	struct owners owners; /* of new ports */
};

static int source_open(void *state, struct why_node *node)
{
	struct resources *h = state;

	h->target = node->target;
	h->pids = &node->pids;
	h->schedulers = node->schedulers;
	h->processes = node->processes;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct table_look *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void list_ports(void *data, const uint64_t *ports, size_t count)
{
	struct port_look looks[PORTS_BATCH];
	struct resources *h = data;

	ports_look(h->target, h->pids, ports, looks, count);
	for (size_t i = 0; i < count && h->port_count < MOST_PORTS; i++) {
		if (looks[i].id)
			h->ports[h->port_count++] = looks[i].id;
	}
}

static uint64_t sum_referred(const struct resources *h)
{
	uint64_t sum = 0;

	for (size_t row = 0; row < processes_rows(h->processes); row++) {
		if (processes_has(h->processes, row))
			sum += processes_row(h->processes, row)->binaries;
	}
	return sum;
}

static uint64_t binary_bytes(const struct target *target)
{
	struct allocator_use use;

	return allocator_read(target, "binary_alloc", &use) ? use.blocks : 0;
}

static void read_first(struct resources *h)
{
	h->first_ns = duration_now();
	h->referred = sum_referred(h);
	h->before_count = tables_read(h->target, h->pids, h->schedulers, h->before, MOST_TABLES);
	qsort(h->before, h->before_count, sizeof(*h->before), by_address);
	ports_each(h->target, list_ports, h);
	qsort(h->ports, h->port_count, sizeof(*h->ports), array_compare_u64);
}

static void follow(const struct resources *h, struct course *course, uint64_t now)
{
	if (h->readings == 1)
		course->first = now;
	else
		course->rises += now > course->last;
	course->last = now;
}

static void resources_read(struct resources *h)
{
	if (!h->readings++)
		read_first(h);
	h->last_ns = duration_now();
	follow(h, &h->tables, tables_count(h->target, h->schedulers));
	follow(h, &h->ets, node_ets(h->target));
	follow(h, &h->timers, schedulers_timers(h->schedulers));
	follow(h, &h->literals, node_literals(h->target));
	follow(h, &h->binaries, binary_bytes(h->target));
}

static void count_owner(struct owners *owners, uint64_t id, uint64_t one)
{
	size_t i = 0;

	while (i < owners->count && owners->all[i].id != id)
		i++;
	if (i == MOST_OWNERS || !id)
		return;
	if (i == owners->count)
		owners->all[owners->count++] = (struct owner){ .id = id };
	owners->all[i].count++;
	owners->all[i].one = one;
}

/* NULL: none. */
static const struct owner *find_most(const struct owners *owners)
{
	const struct owner *most = NULL;

	for (size_t i = 0; i < owners->count; i++) {
		if (!most || owners->all[i].count > most->count)
			most = &owners->all[i];
	}
	return most;
}

static const struct table_look *table_before(const struct resources *h, const struct table_look *table)
{
	const struct table_look *found = bsearch(table, h->before, h->before_count, sizeof(*h->before), by_address);

	return found && found->name == table->name ? found : NULL;
}

static void fill_holder(const struct resources *h, const struct samples *samples, const struct owner *most,
			struct sign_owner *holder)
{
	const struct sampled *sampled = samples_of(samples, most->id);

	holder->made = most->count;
	holder->process.busy = samples_share(samples, sampled);
	sign_process_fill(h->processes, most->id, samples_frames(sampled), &holder->process);
}

/* The table with the largest growth. */
struct grown {
	const struct table_look *table;
	uint64_t by;
};

static void compare(struct grown *grown, const struct table_look *table, uint64_t is, uint64_t was)
{
	if (is > was && is - was > grown->by)
		*grown = (struct grown){ .table = table, .by = is - was };
}

static void fill_table(const struct resources *h, const struct grown *grown, struct sign_table *sign)
{
	if (!grown->table)
		return;
	*sign = (struct sign_table){ .bytes = grown->table->bytes, .grown = grown->by };
	sign_function(h->processes, grown->table->name, sign->name);
	sign_process_fill(h->processes, grown->table->owner, NULL, &sign->owner);
}

/* The tables that grew most, and the process with most new tables. */
static void finish_tables(struct resources *h, const struct samples *samples, struct signs *signs)
{
	size_t count = tables_read(h->target, h->pids, h->schedulers, h->now, MOST_TABLES);
	const struct table_look none = {}, *one = NULL;
	struct grown larger = {}, fuller = {};
	struct owners owners = {};
	const struct owner *most;

	for (size_t i = 0; i < count; i++) {
		const struct table_look *table = &h->now[i], *before = table_before(h, table);

		if (!before)
			count_owner(&owners, table->owner, (uint64_t)i);
		compare(&larger, table, table->bytes, (before ? before : &none)->bytes);
		compare(&fuller, table, table->objects, (before ? before : &none)->objects);
	}
	most = find_most(&owners);
	if (most) {
		one = &h->now[most->one];
		fill_holder(h, samples, most, &signs->tables.created);
		sign_function(h->processes, one->name, signs->tables.created.name);
	}
	fill_table(h, &larger, &signs->tables.grown);
	fill_table(h, &fuller, &signs->tables.filled);
}

static void count_new_ports(void *data, const uint64_t *ports, size_t count)
{
	struct port_look looks[PORTS_BATCH];
	struct resources *h = data;

	ports_look(h->target, h->pids, ports, looks, count);
	for (size_t i = 0; i < count; i++) {
		if (looks[i].id &&
		    !bsearch(&looks[i].id, h->ports, h->port_count, sizeof(*h->ports), array_compare_u64))
			count_owner(&h->owners, looks[i].owner, ports[i]);
	}
}

static void finish_ports(struct resources *h, const struct samples *samples, struct signs *signs)
{
	const struct owner *most;

	/* Ports that did not fit into the list would seem new. */
	if (h->port_count == MOST_PORTS)
		return;
	ports_each(h->target, count_new_ports, h);
	most = find_most(&h->owners);
	if (!most)
		return;
	fill_holder(h, samples, most, &signs->ports.opened);
	port_name(h->target, most->one, signs->ports.opened.name);
}

/* The table of that name with most objects. NULL: none. */
static const struct table_look *find_table(struct resources *h, uint64_t name)
{
	size_t count = tables_read(h->target, h->pids, h->schedulers, h->now, MOST_TABLES);
	const struct table_look *most = NULL;

	for (size_t i = 0; i < count; i++) {
		if (h->now[i].name == name && (!most || h->now[i].objects > most->objects))
			most = &h->now[i];
	}
	return most;
}

static void measure_table(struct resources *h, struct sign_table_use *searched)
{
	const struct table_look *table = searched->table ? find_table(h, searched->table) : NULL;

	if (!table)
		return;
	searched->objects = table->objects;
	searched->bytes = table->bytes;
	searched->is_bag = table->is_bag;
}

static struct sign_limit number_of(const struct resources *h, const struct course *course)
{
	double seconds = (double)(h->last_ns - h->first_ns) / (double)NS_PER_S;

	return (struct sign_limit){
		.used = course->last,
		.before = course->first,
		.per_s = seconds > 0 ? ((double)course->last - (double)course->first) / seconds : 0,
		.is_steady = h->readings > 2 && course->rises + 1 == h->readings,
	};
}

static void resources_finish(struct resources *h, const struct samples *samples, struct signs *signs)
{
	static const char *const writers[] = { "persistent_term:put/", NULL };
	static const char *const makers[] = { "erlang:start_timer/", "erlang:send_after/", "timer:", NULL };

	signs->tables.count = number_of(h, &h->tables);
	signs->tables.bytes = number_of(h, &h->ets);
	signs->timers.pending = number_of(h, &h->timers);
	signs->terms.literals = number_of(h, &h->literals);
	signs->binary_use.bytes = number_of(h, &h->binaries);
	signs->binary_use.referred_grown = (int64_t)(sum_referred(h) - h->referred);
	if (signs->tables.count.is_steady || signs->tables.bytes.is_steady || signs->binary_use.bytes.is_steady)
		finish_tables(h, samples, signs);
	if (signs->costly.calls[COSTLY_SEARCH].share >= COSTLY_SHARE)
		measure_table(h, &signs->costly.searched);
	if (signs->costly.calls[COSTLY_LOOKUP].share >= COSTLY_SHARE)
		measure_table(h, &signs->costly.looked_up);
	if (signs->costly.calls[COSTLY_INSERT].share >= COSTLY_SHARE)
		measure_table(h, &signs->costly.inserted);
	if (signs->ports.limit.is_steady)
		finish_ports(h, samples, signs);
	if (signs->timers.pending.is_steady)
		stack_match_most(h->processes, samples, makers, 2, &signs->timers.maker);
	if (signs->terms.literals.is_steady)
		stack_match_most(h->processes, samples, writers, 2, &signs->terms.writer);
}

static void source_read(void *state, struct why_node *node)
{
	(void)node;
	resources_read(state);
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	resources_finish(state, node->samples, signs);
}

const struct why_source resources_source = {
	.size = sizeof(struct resources),
	.open = source_open,
	.read = source_read,
	.finish = source_finish,
};
