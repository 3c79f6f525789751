// SPDX-License-Identifier: BSD-2-Clause
#include "node/terms/terms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/memory/erlid.h"
#include "node/atoms/pids.h"
#include "target/reader/procfs.h"

#define TAG_MASK 0xfULL /* in the term of a pid or port */
#define TAG_PORT 0x7

struct terms {
	const struct target *target;
	struct erl_pid_layout pids;
	struct term_vm vm;
	struct atoms *atoms;
	bool is_over;
};

static int read_atom(const void *data, uint32_t index, char bytes[TERM_ATOM_BYTES])
{
	const struct terms *terms = data;
	const char *atom = NULL;
	size_t length;

	/* If the layout of atoms is unknown, the contents would be meaningless. */
	if (terms->atoms && TERM_KNOWS_RELEASE(terms->vm.otp))
		atom = atoms_bytes(terms->atoms, index, &length);
	if (!atom)
		return -ENOENT;
	memcpy(bytes, atom, length);
	return (int)length;
}

static int show_id(const void *data, uint64_t term, char text[TERM_ID_SIZE])
{
	const struct terms *terms = data;
	uint64_t id = (term & TAG_MASK) == TAG_PORT ? port_of_term(&terms->pids, term)
						    : pid_of_term(&terms->pids, term);

	if (!id)
		return -ENOENT;
	erlid_format(id, text);
	return 0;
}

static int read_live(const void *data, uint64_t address, void *to, size_t size)
{
	const struct terms *terms = data;

	return terms->is_over ? -EFAULT : procfs_memory(terms->target->pid, address, to, size);
}

/* A node that gets a name later has a new entry for itself. */
static void read_this_dist(struct terms *terms)
{
	const struct target *target = terms->target;
	uint64_t address;

	if (!terms->is_over && !target_symbol(target, "erts_this_dist_entry", &address))
		procfs_memory(target->pid, address, &terms->vm.this_dist, sizeof(terms->vm.this_dist));
}

struct terms *terms_open(const struct target *target, const struct erl_pid_layout *pids, struct atoms *atoms)
{
	struct terms *terms = calloc(1, sizeof(*terms));

	if (!terms)
		return NULL;
	terms->target = target;
	terms->pids = *pids;
	terms->atoms = atoms;
	terms->vm = (struct term_vm){ .otp = target->vm->like,
				      .is_jit = target->vm->flavor == FLAVOR_JIT,
				      .atom = read_atom,
				      .id = show_id,
				      .data = terms };
	return terms;
}

void terms_free(struct terms *terms)
{
	free(terms);
}

void terms_end(struct terms *terms)
{
	terms->is_over = true;
	if (terms->atoms)
		atoms_end(terms->atoms);
}

size_t terms_show(struct terms *terms, const struct term_snapshot *snapshot, char *buf, size_t size)
{
	read_this_dist(terms);
	return term_format_snapshot(&terms->vm, snapshot, buf, size);
}

size_t terms_bytes(const struct term_snapshot *snapshot, uint64_t address, void *to, size_t size)
{
	return term_snapshot_bytes(snapshot, address, to, size);
}

size_t terms_show_live(struct terms *terms, uint64_t term, char *buf, size_t size)
{
	struct term_memory memory = { .vm = &terms->vm, .read = read_live, .data = terms };

	read_this_dist(terms);
	return term_format(&memory, term, buf, size);
}

const struct term_snapshot *terms_behind(const void *record, size_t head, size_t size, uint32_t lines)
{
	const struct term_snapshot *memory = (const void *)((const char *)record + head);

	if (size < head + TERM_SNAPSHOT_HEAD || size - head < term_snapshot_size(memory) ||
	    memory->count > TERM_LINES || lines > memory->count)
		return NULL;
	return memory;
}

void terms_cut(const struct term_snapshot *memory, uint32_t from, uint32_t to, struct term_snapshot *part)
{
	part->count = to - from;
	part->flags = memory->flags;
	memcpy(part->lines, memory->lines + from, (to - from) * sizeof(*part->lines));
}
