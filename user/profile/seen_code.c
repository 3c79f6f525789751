// SPDX-License-Identifier: BSD-2-Clause
/*
 * Compares a function by the module, name and arity before its code, and a module by its header, whose addresses differ
 * after each loading, even of the same code.
 */
#include "profile/seen_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "node/atoms/atoms.h"
#include "node/memory/fields.h"
#include "target/reader/procfs.h"

#define MFA_BYTES (3 * sizeof(uint64_t))
#define PIECE_BYTES 192 /* most bytes of a header */
#define TOGETHER 256
#define MOST_PIECES (1u << 16)

struct piece {
	uint64_t address;
	size_t size;
	unsigned char bytes[PIECE_BYTES];
	UT_hash_handle hh;
};

struct seen_code {
	const struct target *target;
	size_t header_size; /* 0: not known */
	struct piece *pieces;
};

struct seen_code *seen_code_new(const struct target *target)
{
	struct seen_code *seen = calloc(1, sizeof(*seen));
	int64_t size;

	if (!seen)
		return NULL;
	seen->target = target;
	if (!field_offset(target->vm, "code_header.functions", &size) && size <= PIECE_BYTES)
		seen->header_size = (size_t)size;
	return seen;
}

void seen_code_forget(struct seen_code *seen)
{
	struct piece *piece, *next;

	HASH_ITER(hh, seen->pieces, piece, next) {
		HASH_DEL(seen->pieces, piece);
		free(piece);
	}
}

void seen_code_free(struct seen_code *seen)
{
	if (!seen)
		return;
	seen_code_forget(seen);
	free(seen);
}

/* Stores the current header. NULL: unreadable, or no room. */
static const struct piece *remember(struct seen_code *seen, uint64_t address, size_t size)
{
	struct piece *piece;

	HASH_FIND(hh, seen->pieces, &address, sizeof(address), piece);
	if (piece || HASH_COUNT(seen->pieces) >= MOST_PIECES)
		return piece;
	piece = calloc(1, sizeof(*piece));
	if (!piece || procfs_memory(seen->target->pid, address, piece->bytes, size)) {
		free(piece);
		return NULL;
	}
	piece->address = address;
	piece->size = size;
	HASH_ADD(hh, seen->pieces, address, sizeof(address), piece);
	return piece;
}

static bool is_function(const struct piece *piece, const struct code_function *f)
{
	uint64_t mfa[3];

	memcpy(mfa, piece->bytes, sizeof(mfa));
	return atom_of_term(mfa[0]) == f->module && atom_of_term(mfa[1]) == f->name && mfa[2] == f->arity;
}

bool seen_code_add(struct seen_code *seen, const struct code_list *list, const struct code_function *f,
		   uint64_t address)
{
	const struct code_module *module = array_last_upto(list->modules, list->module_count, start, f->start);
	const struct piece *piece;

	/* Without a module, it may be the rest of a purged one. */
	if (!module || f->start >= module->end || address >= module->end)
		return false;
	piece = remember(seen, f->start - MFA_BYTES, MFA_BYTES);
	return piece && is_function(piece, f) &&
	       (!seen->header_size || remember(seen, module->header, seen->header_size));
}

static bool has_changed(pid_t pid, const struct piece *const *pieces, size_t count)
{
	static unsigned char now[TOGETHER][PIECE_BYTES];
	struct procfs_piece wanted[TOGETHER];

	for (size_t i = 0; i < count; i++)
		wanted[i] = (struct procfs_piece){ pieces[i]->address, now[i], pieces[i]->size, false };
	procfs_pieces(pid, wanted, count);
	for (size_t i = 0; i < count; i++) {
		if (wanted[i].is_read && memcmp(now[i], pieces[i]->bytes, pieces[i]->size) != 0)
			return true;
	}
	return false;
}

void seen_code_add_alone(struct seen_code *seen, uint64_t start)
{
	remember(seen, start - MFA_BYTES, MFA_BYTES);
}

bool seen_code_is_other(const struct seen_code *seen, uint64_t start)
{
	uint64_t address = start - MFA_BYTES;
	const struct piece *piece;

	HASH_FIND(hh, seen->pieces, &address, sizeof(address), piece);
	return piece && has_changed(seen->target->pid, &piece, 1);
}

bool seen_code_has_changed(const struct seen_code *seen)
{
	const struct piece *pieces[TOGETHER];
	size_t count = 0;

	for (const struct piece *piece = seen->pieces; piece; piece = piece->hh.next) {
		pieces[count++] = piece;
		if (count < TOGETHER)
			continue;
		if (has_changed(seen->target->pid, pieces, count))
			return true;
		count = 0;
	}
	return count && has_changed(seen->target->pid, pieces, count);
}
