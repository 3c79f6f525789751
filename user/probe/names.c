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

static int read_initial_call(const struct target *target, uint64_t process, char name[NAME_SIZE])
{
	char module[NAME_SIZE / 2 - 8], function[NAME_SIZE / 2 - 8];
	uint64_t mfa[3];
	int64_t offset;

	if (field_offset(target->vm, "process.initial", &offset) ||
	    procfs_memory(target->pid, process + (uint64_t)offset, mfa, sizeof(mfa)) ||
	    mfa[2] > MAX_ARITY || name_of_atom(target, mfa[0], module, sizeof(module)) ||
	    name_of_atom(target, mfa[1], function, sizeof(function)))
		return -ENOENT;
	snprintf(name, NAME_SIZE, "%s:%s/%u", module, function, (unsigned int)mfa[2]);
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
