// SPDX-License-Identifier: BSD-2-Clause
/*
 * A module's BeamCodeHeader points to a BeamCodeLineTab_ (beam_code.h): addresses from which a line is valid,
 * ascending; for each function, the start of its addresses; and for each address a location: the line and a file
 * number. lookup_loc() in beam_ranges.c reads them. All of it comes from the node and is untrusted.
 */
#include "node/code/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "node/memory/fields.h"
#include "target/reader/procfs.h"
#include "term/write.h"

#define MODULE_LINES_MAX (1u << 18)
#define LINES_MAX (1u << 23) /* in all modules */
#define MODULE_BYTES_MAX UINT32_MAX
#define FILES_MAX 255 /* per module: the number has 8 bits */
#define FILE_CHARACTERS 512
#define LAST_CHARACTER 0x10ffff
#define CELLS 64     /* of a list, per read */
#define LINE_BITS 24 /* LOC_LINE() in beam_code.h */

struct entry {
	uint32_t at; /* offset from the start of the module */
	uint32_t location;
};

struct module {
	uint64_t start, end;
	size_t first, count;	  /* range of its entries */
	size_t first_file, files; /* range of its files */
};

struct line_list {
	struct module *modules; /* sorted by start */
	size_t module_count;
	struct entry *entries;
	size_t entry_count, entry_room;
	char **files; /* NULL: unreadable */
	size_t file_count, file_room;
};

/* Offsets in the tables. */
struct places {
	int64_t line_table, functions;
	int64_t files, location_size, locations, line_functions;
};

struct reading {
	pid_t pid;
	struct places places;
	struct line_list *list;
};

static int find_places(const struct vm *vm, struct places *places)
{
	const struct {
		const char *name;
		int64_t *offset;
	} wanted[] = {
		{ "code_header.line_table", &places->line_table },
		{ "code_header.functions", &places->functions },
		{ "line_table.files", &places->files },
		{ "line_table.location_size", &places->location_size },
		{ "line_table.locations", &places->locations },
		{ "line_table.functions", &places->line_functions },
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(wanted) / sizeof(*wanted); i++)
		err = field_offset(vm, wanted[i].name, wanted[i].offset);
	return err;
}

/* The tables of one module. */
struct tables {
	const struct code_module *module;
	uint64_t *functions; /* the starts of functions, and the end of the last one */
	uint64_t *begins;    /* the start of each function's addresses, and the end of all */
	uint64_t locations, files;
	uint32_t location_size;
};

static bool are_plausible(const struct tables *tables)
{
	const struct code_module *module = tables->module;
	uint64_t end = tables->functions[module->function_count];
	uint64_t size = tables->begins[module->function_count] - tables->begins[0];

	return end > module->start && end - module->start <= MODULE_BYTES_MAX && size && !(size & 7) &&
	       size <= MODULE_LINES_MAX * 8 && (tables->location_size == 2 || tables->location_size == 4);
}

/* Into the arrays of `tables`, which are large enough. */
static bool read_tables(const struct reading *r, uint64_t table, struct tables *tables)
{
	const struct places *places = &r->places;
	uint64_t functions = tables->module->header + (uint64_t)places->functions;
	size_t size = (tables->module->function_count + 1) * sizeof(uint64_t);
	struct procfs_piece pieces[] = {
		{ functions, tables->functions, size, false },
		{ table + (uint64_t)places->line_functions, tables->begins, size, false },
		{ table + (uint64_t)places->locations, &tables->locations, sizeof(tables->locations), false },
		{ table + (uint64_t)places->files, &tables->files, sizeof(tables->files), false },
		{ table + (uint64_t)places->location_size, &tables->location_size, sizeof(tables->location_size),
		  false },
	};

	procfs_pieces(r->pid, pieces, sizeof(pieces) / sizeof(*pieces));
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		if (!pieces[i].is_read)
			return false;
	}
	return are_plausible(tables);
}

static uint32_t location_at(const void *locations, uint32_t size, size_t i)
{
	uint16_t half;
	uint32_t whole;

	if (size == 2) {
		memcpy(&half, (const char *)locations + i * 2, sizeof(half));
		return half;
	}
	memcpy(&whole, (const char *)locations + i * 4, sizeof(whole));
	return whole;
}

/*
 * The first line of a function may be a few alignment bytes before it (i_line before i_func_info); it is valid from its
 * start.
 */
static uint32_t place_of(const struct tables *tables, uint64_t address, size_t i, size_t *function)
{
	const struct code_module *module = tables->module;

	while (*function + 1 < module->function_count && tables->begins[0] + i * 8 >= tables->begins[*function + 1])
		++*function;
	if (address < tables->functions[*function])
		address = tables->functions[*function];
	return address - module->start <= MODULE_BYTES_MAX ? (uint32_t)(address - module->start) : UINT32_MAX;
}

/* 0; 1: unreadable; or -ENOMEM. */
static int read_entries(const struct reading *r, const struct tables *tables, struct module *module)
{
	struct line_list *list = r->list;
	size_t count = (tables->begins[tables->module->function_count] - tables->begins[0]) / 8, function = 0;
	_cleanup_free_ uint64_t *addresses = malloc(count * 8);
	_cleanup_free_ void *locations = malloc(count * tables->location_size);

	if (!addresses || !locations || !array_has_room_for(list->entries, list->entry_room, list->entry_count + count))
		return -ENOMEM;
	if (procfs_memory(r->pid, tables->begins[0], addresses, count * 8) ||
	    procfs_memory(r->pid, tables->locations, locations, count * tables->location_size))
		return 1;
	module->first = list->entry_count;
	module->count = count;
	for (size_t i = 0; i < count; i++)
		list->entries[list->entry_count++] = (struct entry){
			place_of(tables, addresses[i], i, &function),
			location_at(locations, tables->location_size, i),
		};
	return 0;
}

/* The loader builds lists from the end: each cell is before its successor in memory. They are read in blocks. */
struct cells {
	pid_t pid;
	uint64_t address; /* of the lowest cell */
	size_t count;
	uint64_t words[2 * CELLS];
};

#define IS_LIST(term) (((term)&3) == 1)
#define LIST_END 0x3b /* NIL in erl_term.h */

static const uint64_t *cell_at(struct cells *cells, uint64_t term)
{
	uint64_t address = term - 1, at = (address - cells->address) / 16;

	if (address - cells->address < cells->count * 16 && !((address - cells->address) % 16))
		return &cells->words[2 * at];
	cells->address = address - (CELLS - 1) * 16;
	cells->count = CELLS;
	if (!procfs_memory(cells->pid, cells->address, cells->words, sizeof(cells->words)))
		return &cells->words[2 * (CELLS - 1)];
	/* The memory before it may not exist. */
	cells->address = address;
	cells->count = 1;
	return procfs_memory(cells->pid, address, cells->words, 16) ? NULL : cells->words;
}

/* A list of characters as a string, which the caller frees; or NULL. */
static char *read_file(pid_t pid, uint64_t term)
{
	struct cells cells = { .pid = pid };
	char text[FILE_CHARACTERS * 4 + 1];
	struct writer writer;

	write_begin(&writer, text, sizeof(text));
	for (size_t i = 0; i < FILE_CHARACTERS && IS_LIST(term); i++) {
		const uint64_t *cell = cell_at(&cells, term);

		/* The low four bits of a small integer are 15. */
		if (!cell || (cell[0] & 15) != 15 || !(cell[0] >> 4) || cell[0] >> 4 > LAST_CHARACTER)
			return NULL;
		write_utf8(&writer, (unsigned int)(cell[0] >> 4));
		term = cell[1];
	}
	return write_end(&writer) && term == LIST_END ? strdup(text) : NULL;
}

/* Only files that lines refer to. Without file names, lines are still useful. */
static int read_files(const struct reading *r, const struct tables *tables, struct module *module)
{
	struct line_list *list = r->list;
	uint64_t terms[FILES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < module->count; i++) {
		size_t file = list->entries[module->first + i].location >> LINE_BITS;

		count = file > count ? file : count;
	}
	if (!count || procfs_memory(r->pid, tables->files, terms, count * sizeof(*terms)))
		return 0;
	if (!array_has_room_for(list->files, list->file_room, list->file_count + count))
		return -ENOMEM;
	module->first_file = list->file_count;
	module->files = count;
	for (size_t i = 0; i < count; i++)
		list->files[list->file_count++] = read_file(r->pid, terms[i]);
	return 0;
}

static int add_module(const struct reading *r, const struct tables *tables)
{
	struct line_list *list = r->list;
	struct module module = {
		.start = tables->module->start,
		.end = tables->functions[tables->module->function_count],
	};
	int err = list->entry_count + MODULE_LINES_MAX > LINES_MAX ? -E2BIG : read_entries(r, tables, &module);

	if (err)
		return err < 0 ? err : 0;
	err = read_files(r, tables, &module);
	if (err)
		return err;
	if (!array_has_room(list->modules, list->module_count))
		return -ENOMEM;
	list->modules[list->module_count++] = module;
	return 0;
}

/* Skips a module without lines, or whose memory is gone. */
static int read_module(const struct reading *r, const struct code_module *code)
{
	size_t size = (code->function_count + 1) * sizeof(uint64_t);
	_cleanup_free_ uint64_t *functions = malloc(size), *begins = malloc(size);
	struct tables tables = { .module = code, .functions = functions, .begins = begins };
	uint64_t table;

	if (!functions || !begins)
		return -ENOMEM;
	if (procfs_memory(r->pid, code->header + (uint64_t)r->places.line_table, &table, sizeof(table)) || !table ||
	    !read_tables(r, table, &tables))
		return 0;
	return add_module(r, &tables);
}

struct line_list *line_list_read(const struct target *target, const struct code_list *code)
{
	struct reading reading = { .pid = target->pid };
	int err = find_places(target->vm, &reading.places);

	reading.list = err ? NULL : calloc(1, sizeof(*reading.list));
	if (!reading.list) {
		errno = err ? -err : ENOMEM;
		return NULL;
	}
	for (size_t i = 0; !err && i < code->module_count; i++)
		err = read_module(&reading, &code->modules[i]);
	/* Modules beyond the limit have no lines. */
	if (!err || err == -E2BIG)
		return reading.list;
	line_list_free(reading.list);
	errno = -err;
	return NULL;
}

void line_list_free(struct line_list *list)
{
	if (!list)
		return;
	free(list->modules);
	free(list->entries);
	for (size_t i = 0; i < list->file_count; i++)
		free(list->files[i]);
	free(list->files);
	free(list);
}

static const struct module *module_at(const struct line_list *list, uint64_t address)
{
	const struct module *module = array_last_upto(list->modules, list->module_count, start, address);

	return module && address < module->end ? module : NULL;
}

/* The last entry that is valid at the address. */
static const struct entry *entry_at(const struct line_list *list, const struct module *module, uint32_t at)
{
	return array_last_upto(list->entries + module->first, module->count, at, at);
}

bool line_list_at(const struct line_list *list, const struct code_function *function, uint64_t address,
		  struct code_line *line)
{
	const struct module *module = list ? module_at(list, function->start) : NULL;
	const struct entry *entry = NULL;
	size_t file;

	if (module && address >= module->start && address < module->end)
		entry = entry_at(list, module, (uint32_t)(address - module->start));
	/* An entry before the function belongs to another one. */
	if (!entry || !entry->location || module->start + entry->at < function->start - CODE_INFO_BYTES)
		return false;
	file = entry->location >> LINE_BITS;
	line->line = entry->location & ((1u << LINE_BITS) - 1);
	line->is_module = !file;
	line->file = file && file <= module->files ? list->files[module->first_file + file - 1] : NULL;
	return line->line;
}
