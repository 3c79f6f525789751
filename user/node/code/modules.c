// SPDX-License-Identifier: BSD-2-Clause
/*
 * module_tables in module.c: three adjacent IndexTables: the active one, one that a code loader prepares, and the
 * previously active one. They are static, but contain their name ("module_code"), so they are found in the VM's data. A
 * Module keeps its index; its `curr.code_hdr` is the code that is called. the_active_code_index selects the active
 * table; in a VM that hides it, the current code is unknown while the tables differ.
 *
 * Source: hash.h, index.h, module.h and code_ix.h in OTP 25.2.3 and 27.3.4.1; `ptype /o` in 29.1.1.
 */
#include "node/code/modules.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "node/atoms/atoms.h"
#include "node/code/code.h"
#include "node/memory/fields.h"
#include "target/reader/procfs.h"

#define TABLES 3	  /* ERTS_NUM_CODE_IX */
#define TABLE_WORDS 16	  /* of an IndexTable */
#define TABLE_NAME_WORD 8 /* htable.name */
#define TABLE_ENTRIES 116 /* bytes */
#define TABLE_PAGES 120	  /* seg_table */
#define PAGE_MODULES 1024
#define MODULES_MAX (16 * PAGE_MODULES)
#define MODULE_ATOM 24		 /* of struct erl_module: its atom's index */
#define MODULE_HEADER 32	 /* curr.code_hdr */
#define DATA_MAX (16 << 20)	 /* bytes of a VM's data that are searched */
#define FUNCTIONS_MAX (1u << 16) /* per module */
#define FUNCTIONS_TOGETHER 256

static const char table_name[] = "module_code";

#define KNOWN 16

/* The index of a module in each table. */
struct known_module {
	uint32_t module;
	uint64_t places[TABLES];
};

struct modules {
	const struct target *target;
	uint64_t tables;   /* address of the first table */
	uint64_t active;   /* address of the active index; 0: unknown */
	int64_t functions; /* in a code header */
	int64_t mfa;	   /* in an ErtsCodeInfo */
	struct known_module known[KNOWN];
};

static int read_word(const struct target *target, uint64_t address, uint64_t *word)
{
	return procfs_memory(target->pid, address, word, sizeof(*word));
}

/* The tables. */

static bool has_name(const struct target *target, uint64_t name)
{
	char text[sizeof(table_name)];

	return name && !procfs_memory(target->pid, name, text, sizeof(text)) && !memcmp(text, table_name, sizeof(text));
}

/* Finds three tables with the same name. */
static uint64_t find_in(const struct target *target, const uint64_t *words, size_t count, uint64_t at)
{
	for (size_t i = TABLE_NAME_WORD; i + (TABLES - 1) * TABLE_WORDS < count; i++) {
		uint64_t name = words[i];

		if (name && name == words[i + TABLE_WORDS] && name == words[i + 2 * TABLE_WORDS] &&
		    has_name(target, name))
			return at + (i - TABLE_NAME_WORD) * 8;
	}
	return 0;
}

/* Searches the mapping of one line of /proc/PID/maps, if it can be VM data. */
static uint64_t find_in_mapping(const struct target *target, const char *line, uint64_t known)
{
	_cleanup_free_ uint64_t *words = NULL;
	unsigned long long start, end;

	/* The end of the data is not in the file, and has its own mapping. */
	if (sscanf(line, "%llx-%llx rw", &start, &end) != 2 || known < start || known >= end)
		return 0;
	/* In a large mapping, search around the atom table. */
	if (end - start > DATA_MAX) {
		start = known - start > DATA_MAX / 2 ? (known - DATA_MAX / 2) & ~7ULL : start;
		end = end - start > DATA_MAX ? start + DATA_MAX : end;
	}
	words = malloc(end - start);
	if (!words || procfs_memory(target->pid, start, words, end - start))
		return 0;
	return find_in(target, words, (end - start) / 8, start);
}

/* The tables are in zero-initialised data, as the atom table is. */
static uint64_t find_tables(const struct target *target)
{
	_cleanup_free_ char *text = procfs_maps(target->pid);
	char *rest = text, *line;
	uint64_t known, found = 0;

	if (!text || target_symbol(target, "erts_atom_table", &known))
		return 0;
	while (!found && (line = strsep(&rest, "\n")))
		found = find_in_mapping(target, line, known);
	return found;
}

struct modules *modules_new(const struct target *target)
{
	struct modules *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->target = target;
	m->tables = target->vm->flavor == FLAVOR_JIT ? find_tables(target) : 0;
	if (!m->tables || field_offset(target->vm, "code_header.functions", &m->functions) ||
	    field_offset(target->vm, "code_info.mfa", &m->mfa)) {
		free(m);
		errno = ENOENT;
		return NULL;
	}
	if (target_symbol(target, "the_active_code_index", &m->active))
		m->active = 0;
	return m;
}

void modules_free(struct modules *modules)
{
	free(modules);
}

/* Modules. */

/* The part of a Module that is read. */
struct module_words {
	uint32_t atom, seen;
	uint64_t header;
};

_Static_assert(MODULE_HEADER - MODULE_ATOM == offsetof(struct module_words, header), "they are read in one piece");

static bool read_module(const struct modules *m, uint64_t place, struct module_words *words)
{
	return place && !procfs_memory(m->target->pid, place + MODULE_ATOM, words, sizeof(*words));
}

/* Searches one page of a table. The module's index; 0: not found. */
static uint64_t find_in_page(const struct modules *m, uint64_t page, size_t count, uint32_t module)
{
	uint64_t places[PAGE_MODULES];
	struct procfs_piece pieces[PAGE_MODULES];
	struct module_words words[PAGE_MODULES];

	if (procfs_memory(m->target->pid, page, places, count * sizeof(*places)))
		return 0;
	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ places[i] + MODULE_ATOM, &words[i], sizeof(*words), false };
	procfs_pieces(m->target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		if (pieces[i].is_read && words[i].atom == module)
			return places[i];
	}
	return 0;
}

/* 0 or -EFAULT; index 0: not found. */
static int find_in_table(const struct modules *m, size_t table, uint32_t module, uint64_t *place)
{
	uint64_t at = m->tables + table * TABLE_WORDS * 8, pages, page;
	uint32_t entries;

	*place = 0;
	if (procfs_memory(m->target->pid, at + TABLE_ENTRIES, &entries, sizeof(entries)) ||
	    read_word(m->target, at + TABLE_PAGES, &pages) || entries > MODULES_MAX)
		return -EFAULT;
	for (uint32_t first = 0; !*place && first < entries; first += PAGE_MODULES) {
		uint32_t count = entries - first < PAGE_MODULES ? entries - first : PAGE_MODULES;

		if (read_word(m->target, pages + first / PAGE_MODULES * 8, &page))
			return -EFAULT;
		*place = find_in_page(m, page, count, module);
	}
	return 0;
}

static struct known_module *known_of(struct modules *m, uint32_t module)
{
	struct known_module *known = &m->known[module % KNOWN];

	if (known->module != module)
		*known = (struct known_module){ .module = module };
	return known;
}

/* The header in a table, 0: none. A module keeps its index, so the search is done once. */
static int header_in_table(struct modules *m, size_t table, uint32_t module, uint64_t *header)
{
	struct known_module *known = known_of(m, module);
	struct module_words words = {};
	int err = 0;

	if (!read_module(m, known->places[table], &words) || words.atom != module) {
		err = find_in_table(m, table, module, &known->places[table]);
		words = (struct module_words){};
		read_module(m, known->places[table], &words);
	}
	*header = words.header;
	return err;
}

/* The active table, or all tables. */
static int which_tables(const struct modules *m, size_t *first, size_t *end)
{
	uint32_t active;

	*first = 0;
	*end = TABLES;
	if (!m->active)
		return 0;
	if (procfs_memory(m->target->pid, m->active, &active, sizeof(active)) || active >= TABLES)
		return -EFAULT;
	*first = active;
	*end = active + 1;
	return 0;
}

int modules_current(struct modules *m, uint32_t module, uint64_t *header)
{
	size_t first, end;
	int err = which_tables(m, &first, &end);

	*header = 0;
	for (size_t i = first; !err && i < end; i++) {
		uint64_t found;

		err = header_in_table(m, i, module, &found);
		if (!err && found && *header && found != *header)
			err = -ESTALE;
		if (!err && found)
			*header = found;
	}
	return err ? err : *header ? 0 : -ENOENT;
}

/* Functions. */

/* Reads some of a module's functions, at the addresses of their ErtsCodeInfo. */
static uint64_t find_among(const struct modules *m, const uint64_t *places, size_t count,
			   const struct modules_function *f)
{
	struct procfs_piece pieces[FUNCTIONS_TOGETHER];
	uint64_t mfas[FUNCTIONS_TOGETHER][3] = {};

	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ places[i] + (uint64_t)m->mfa, mfas[i], sizeof(*mfas), false };
	procfs_pieces(m->target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		if (pieces[i].is_read && atom_of_term(mfas[i][1]) == f->name && mfas[i][2] == f->arity &&
		    code_is_entry(m->target, places[i] + CODE_INFO_BYTES, f->module, f->name, f->arity))
			return places[i] + CODE_INFO_BYTES;
	}
	return 0;
}

int modules_entry(const struct modules *m, uint64_t header, const struct modules_function *function, uint64_t *entry)
{
	uint64_t places[FUNCTIONS_TOGETHER], count, at = header + (uint64_t)m->functions;

	*entry = 0;
	if (read_word(m->target, header, &count) || count > FUNCTIONS_MAX)
		return -ENOENT;
	for (uint64_t first = 0; !*entry && first < count; first += FUNCTIONS_TOGETHER) {
		size_t some = count - first < FUNCTIONS_TOGETHER ? count - first : FUNCTIONS_TOGETHER;

		if (procfs_memory(m->target->pid, at + first * 8, places, some * 8))
			return -ENOENT;
		*entry = find_among(m, places, some, function);
	}
	return *entry ? 0 : -ENOENT;
}
