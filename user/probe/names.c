// SPDX-License-Identifier: BSD-2-Clause
/*
 * From a pid to a name: erts_proc.r.o.tab[place] is the struct process; its common.u.alive.reg is the
 * RegProc with the registered name, and u.initial the module, function and arity it was spawned with.
 * An atom's term is an index into erts_atom_table, whose entries have length and bytes.
 *
 * Source: `ptype /o` of struct process, RegProc, IndexTable and Atom on OTP 25.2.3 and 27.3.4.1;
 * probes/fields.def has what differs. OTP 28 changes struct Atom.
 */
#include "probe/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "probe/pids.h"
#include "probe/source.h"
#include "target/procfs.h"

#define REG_PROCESS 16		/* of struct reg_proc */
#define REG_NAME 32

#define ATOM_ENTRIES 116	/* of IndexTable */
#define ATOM_SEGMENTS 120
#define ATOM_PAGE 1024
#define ATOM_LENGTH 24		/* of struct atom */
#define ATOM_BYTES 32
#define ATOM_MAX_BYTES 1020	/* 255 characters */
#define ATOM_MAX (1 << 27)	/* far more than a VM can have; the number is read from it */

#define IS_ATOM(term) (((term) & 0x3f) == 0x0b)
#define ATOM_INDEX(term) ((uint32_t)((term) >> 6))
#define MAX_ARITY 255

static int read_word(const struct target *target, uint64_t address, uint64_t *word)
{
	return procfs_memory(target->pid, address, word, sizeof(*word));
}

static int read_atom_bytes(const struct target *target, uint32_t index, char bytes[ATOM_MAX_BYTES + 1])
{
	const struct image_symbol *table = image_symbol(target->vm->image, "erts_atom_table");
	uint64_t at, segments, segment, atom, text;
	int32_t entries;
	int16_t length;

	if (!table || target_address(target, table->address, &at) ||
	    procfs_memory(target->pid, at + ATOM_ENTRIES, &entries, sizeof(entries)) ||
	    read_word(target, at + ATOM_SEGMENTS, &segments) || index >= (uint32_t)entries ||
	    read_word(target, segments + index / ATOM_PAGE * 8, &segment) ||
	    read_word(target, segment + index % ATOM_PAGE * 8, &atom) ||
	    procfs_memory(target->pid, atom + ATOM_LENGTH, &length, sizeof(length)) ||
	    read_word(target, atom + ATOM_BYTES, &text) || length < 0 || length > ATOM_MAX_BYTES)
		return -EFAULT;
	bytes[length] = '\0';
	return length ? procfs_memory(target->pid, text, bytes, (size_t)length) : 0;
}

static bool is_plain(const char *atom)
{
	if (!islower((unsigned char)*atom))
		return false;
	for (; *atom; atom++) {
		if (!isalnum((unsigned char)*atom) && *atom != '_' && *atom != '@')
			return false;
	}
	return true;
}

int name_of_atom(const struct target *target, uint64_t term, char *text, size_t size)
{
	char bytes[ATOM_MAX_BYTES + 1];
	int err = IS_ATOM(term) ? read_atom_bytes(target, ATOM_INDEX(term), bytes) : -EINVAL;

	if (!err)
		snprintf(text, size, is_plain(bytes) ? "%s" : "'%s'", bytes);
	return err;
}

/* The registered name. -ENOENT if it has none. */
static int read_registered(const struct target *target, uint64_t process, char name[NAME_SIZE])
{
	uint64_t reg, owner, term;
	int64_t offset;

	if (field_offset(target->vm, "process.reg", &offset) ||
	    read_word(target, process + (uint64_t)offset, &reg) || !reg ||
	    read_word(target, reg + REG_PROCESS, &owner) || owner != process ||
	    read_word(target, reg + REG_NAME, &term))
		return -ENOENT;
	return name_of_atom(target, term, name, NAME_SIZE);
}

static int name_of_mfa(const struct target *target, uint64_t module, uint64_t function, uint64_t arity,
		       char name[NAME_SIZE])
{
	char m[NAME_SIZE / 2 - 8], f[NAME_SIZE / 2 - 8];
	int err = name_of_atom(target, module, m, sizeof(m));

	if (!err)
		err = name_of_atom(target, function, f, sizeof(f));
	if (!err)
		snprintf(name, NAME_SIZE, "%s:%s/%u", m, f, (unsigned int)arity);
	return err;
}

#define ATOM_TERM(index) ((uint64_t)(index) << 6 | 0x0b)

int name_of_id(const struct target *target, uint64_t id, char name[NAME_SIZE])
{
	uint64_t value = erl_id_value(id), mask = (1ULL << ERL_ID_ATOM_BITS) - 1;

	if (erl_id_kind(id) == ERL_ID_ATOM)
		return name_of_atom(target, ATOM_TERM(value), name, NAME_SIZE);
	if (erl_id_kind(id) != ERL_ID_MFA)
		return -EINVAL;
	return name_of_mfa(target, ATOM_TERM(value >> (ERL_ID_ATOM_BITS + 8)), ATOM_TERM(value >> 8 & mask),
			   value & 0xff, name);
}

static int read_initial_call(const struct target *target, uint64_t process, char name[NAME_SIZE])
{
	uint64_t mfa[3];
	int64_t offset;

	if (field_offset(target->vm, "process.initial", &offset) ||
	    procfs_memory(target->pid, process + (uint64_t)offset, mfa, sizeof(mfa)) ||
	    mfa[2] > MAX_ARITY || name_of_mfa(target, mfa[0], mfa[1], mfa[2], name))
		return -ENOENT;
	return 0;
}

/* Is the process at that address still the one with that pid? */
static bool is_still(const struct target *target, const struct erl_pid_layout *pids, uint64_t process,
		     uint64_t id)
{
	uint64_t term;

	return !read_word(target, process, &term) && pid_of_term(pids, term) == id;
}

int name_of_process(const struct target *target, const struct erl_pid_layout *pids, uint64_t id,
		    char name[NAME_SIZE])
{
	uint64_t process;
	int64_t offset;
	int err;

	if (!pids->table || field_offset(target->vm, "process.reg", &offset))
		return -ENOENT;
	if (read_word(target, pids->table + pid_place(pids, id) * 8, &process) ||
	    !is_still(target, pids, process, id))
		return -ESRCH;
	err = read_registered(target, process, name);
	if (err)
		err = read_initial_call(target, process, name);
	/* It may have ended, and its memory been used again, while we read. */
	return err ? err : is_still(target, pids, process, id) ? 0 : -ESRCH;
}

/* Texts of all atoms of a page that are as long as the wanted one are compared. 0 or -ENOENT. */
static int find_in_page(const struct target *target, const uint64_t *atoms, size_t count, const char *text,
			size_t *at)
{
	struct {
		char before[ATOM_LENGTH];
		int16_t length;
		char between[ATOM_BYTES - ATOM_LENGTH - sizeof(int16_t)];
		uint64_t bytes;
	} page[ATOM_PAGE];
	size_t length = strlen(text), got = procfs_gather(target->pid, atoms, count, page, sizeof(*page));

	for (size_t i = 0; i < got; i++) {
		char have[ATOM_MAX_BYTES];

		if (page[i].length != (int16_t)length ||
		    procfs_memory(target->pid, page[i].bytes, have, length) || memcmp(have, text, length))
			continue;
		*at = i;
		return 0;
	}
	return -ENOENT;
}

int name_find_atom(const struct target *target, const char *text, uint64_t *term)
{
	const struct image_symbol *table = image_symbol(target->vm->image, "erts_atom_table");
	uint64_t at, segments, segment, atoms[ATOM_PAGE];
	int32_t entries;

	if (strlen(text) > ATOM_MAX_BYTES || !table || target_address(target, table->address, &at) ||
	    procfs_memory(target->pid, at + ATOM_ENTRIES, &entries, sizeof(entries)) ||
	    read_word(target, at + ATOM_SEGMENTS, &segments) || entries < 0 || entries > ATOM_MAX)
		return -ENOENT;
	for (size_t first = 0; first < (size_t)entries; first += ATOM_PAGE) {
		size_t count = (size_t)entries - first < ATOM_PAGE ? (size_t)entries - first : ATOM_PAGE, i;

		if (read_word(target, segments + first / ATOM_PAGE * 8, &segment) ||
		    procfs_memory(target->pid, segment, atoms, count * sizeof(*atoms)))
			return -ENOENT;
		if (find_in_page(target, atoms, count, text, &i))
			continue;
		*term = ATOM_TERM(first + i);
		return 0;
	}
	return -ENOENT;
}

int name_layout_read(const struct target *target, struct erl_name_layout *layout)
{
	int64_t reg, initial, dictionary;
	uint64_t atom;

	*layout = (struct erl_name_layout){};
	if (field_offset(target->vm, "process.reg", &reg) ||
	    field_offset(target->vm, "process.initial", &initial) ||
	    field_offset(target->vm, "process.dictionary", &dictionary))
		return -ENOENT;
	layout->reg_offset = (uint64_t)reg;
	layout->initial_offset = (uint64_t)initial;
	layout->dictionary_offset = (uint64_t)dictionary;
	/* Without proc_lib there is no such atom, and then nobody needs it. */
	if (!name_find_atom(target, "$initial_call", &atom))
		layout->initial_call = atom;
	if (!name_find_atom(target, "normal", &atom))
		layout->normal = atom;
	return 0;
}
