// SPDX-License-Identifier: BSD-2-Clause
/*
 * A table is an atom, or a reference with a magic binary, which contains the address of a DbTable with the table's
 * name.
 *
 * Each scheduler has a ring of the tables that were created on it, the newest one before the first (save_sched_table()
 * in erl_db.c). A table counts its objects and bytes itself, or per group of schedulers (erl_flxctr.h): a line of 64
 * bytes for each.
 *
 * Source: tid2tab() in erl_db.c, erts_binary_to_magic_indirection() in erl_binary.h; fields as in probes/fields.def.
 */
#include "node/processes/tables.h"

#include <string.h>

#include "erl.h"
#include "node/atoms/atoms.h"
#include "node/memory/fields.h"
#include "target/reader/procfs.h"

#define TAG_MASK 3
#define TAG_BOXED 2
#define TABLE_SIZE 256 /* bytes of a table that are read */
#define LINES_AT 16
#define LINE_WORDS 8
#define MOST_GROUPS 64 /* limit of +dcg */
#define BAG (1 << 5)   /* DB_BAG in erl_db_util.h, in its type */

enum { COUNT, FIRST }; /* in ErtsEtsTables */
enum { OBJECTS, BYTES, COUNTERS_OF_TABLE };

enum field { PREVIOUS, NAME, OWNER, TYPE, IS_SPREAD, COUNTERS, FIELDS };

struct ring {
	const struct target *target;
	const struct erl_pid_layout *pids;
	size_t groups;
	int64_t at[FIELDS];
};

/* Reads the word at a field of the structure at `address`. */
static bool read_word(const struct target *target, uint64_t address, const char *field, uint64_t *word)
{
	int64_t offset;

	return address && !field_offset(target->vm, field, &offset) &&
	       !procfs_memory(target->pid, address + (uint64_t)offset, word, sizeof(*word));
}

static uint64_t id_of_atom(uint64_t term)
{
	uint32_t atom = atom_of_term(term);

	return atom == ATOM_NONE ? 0 : erl_id_of(ERL_ID_ATOM, atom);
}

uint64_t table_name(const struct target *target, uint64_t term)
{
	uint64_t magic, table, name;

	if ((term & TAG_MASK) != TAG_BOXED)
		return id_of_atom(term);
	if (!read_word(target, term, "ref.magic", &magic) || !read_word(target, magic, "magic.data", &table) ||
	    !read_word(target, table, "table.name", &name))
		return 0;
	return id_of_atom(name);
}

/* Reads all rings of tables. */

static bool read_rings(const struct target *target, const struct schedulers *schedulers, int member,
		       uint64_t words[SCHEDULERS_OF_KIND])
{
	int64_t offset;

	if (field_offset(target->vm, "scheduler.tables", &offset))
		return false;
	schedulers_numbers(schedulers, offset + member * (int64_t)sizeof(*words), words);
	return true;
}

uint64_t tables_count(const struct target *target, const struct schedulers *schedulers)
{
	uint64_t counts[SCHEDULERS_OF_KIND], sum = 0;

	if (!read_rings(target, schedulers, COUNT, counts))
		return 0;
	for (size_t i = 0; i < schedulers_of_kind(schedulers, SCHEDULER_NORMAL); i++)
		sum += counts[i];
	return sum;
}

static uint64_t word_of(const struct ring *ring, const char *bytes, enum field field)
{
	uint64_t word;

	memcpy(&word, bytes + ring->at[field], sizeof(word));
	return word;
}

/* A group's count may be negative: other groups count objects that it removed. */
static void sum_lines(const struct ring *ring, uint64_t address, int64_t sums[COUNTERS_OF_TABLE])
{
	int64_t lines[MOST_GROUPS + 1][LINE_WORDS];

	if (procfs_memory(ring->target->pid, address + LINES_AT, lines, (ring->groups + 1) * sizeof(*lines)))
		return;
	for (size_t i = 0; i <= ring->groups; i++) {
		for (int k = 0; k < COUNTERS_OF_TABLE; k++)
			sums[k] += lines[i][k];
	}
}

static bool read_table(const struct ring *ring, uint64_t address, struct table_look *look, uint64_t *previous)
{
	int64_t sums[COUNTERS_OF_TABLE] = {};
	char bytes[TABLE_SIZE];

	if (!address || procfs_memory(ring->target->pid, address, bytes, sizeof(bytes)))
		return false;
	*previous = word_of(ring, bytes, PREVIOUS);
	*look = (struct table_look){
		.address = address,
		.name = id_of_atom(word_of(ring, bytes, NAME)),
		.owner = pid_of_term(ring->pids, word_of(ring, bytes, OWNER)),
		.is_bag = word_of(ring, bytes, TYPE) & BAG,
	};
	if (!look->name)
		return false;
	if (bytes[ring->at[IS_SPREAD]])
		sum_lines(ring, word_of(ring, bytes, COUNTERS), sums);
	else
		memcpy(sums, bytes + ring->at[COUNTERS], sizeof(sums));
	look->objects = sums[OBJECTS] > 0 ? (uint64_t)sums[OBJECTS] : 0;
	look->bytes = sums[BYTES] > 0 ? (uint64_t)sums[BYTES] : 0;
	return true;
}

/* From the newest to the first. */
static size_t follow_ring(const struct ring *ring, uint64_t first, struct table_look *looks, size_t room)
{
	struct table_look look;
	uint64_t at, next;
	size_t count = 0;

	if (!read_table(ring, first, &look, &at))
		return 0;
	while (count < room && read_table(ring, at, &looks[count], &next)) {
		count++;
		if (at == first)
			break;
		at = next;
	}
	return count;
}

static bool find_fields(struct ring *ring)
{
	static const char *const names[FIELDS] = {
		[PREVIOUS] = "table.previous",	 [NAME] = "table.name",		[OWNER] = "table.owner",
		[IS_SPREAD] = "table.is_spread", [COUNTERS] = "table.counters", [TYPE] = "table.type",
	};

	for (int i = 0; i < FIELDS; i++) {
		if (field_offset(ring->target->vm, names[i], &ring->at[i]) || ring->at[i] > TABLE_SIZE - 16)
			return false;
	}
	return true;
}

size_t tables_read(const struct target *target, const struct erl_pid_layout *pids, const struct schedulers *schedulers,
		   struct table_look *looks, size_t room)
{
	size_t normal = schedulers_of_kind(schedulers, SCHEDULER_NORMAL), count = 0;
	struct ring ring = { .target = target, .pids = pids, .groups = normal < MOST_GROUPS ? normal : MOST_GROUPS };
	uint64_t firsts[SCHEDULERS_OF_KIND];

	if (!find_fields(&ring) || !read_rings(target, schedulers, FIRST, firsts))
		return 0;
	for (size_t i = 0; i < normal; i++) {
		/* Shares the room equally among the remaining schedulers. */
		size_t share = (room - count) / (normal - i);

		count += follow_ring(&ring, firsts[i], looks + count, share);
	}
	return count;
}
