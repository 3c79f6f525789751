// SPDX-License-Identifier: BSD-2-Clause
/*
 * The structures are those of OTP 25 to 29: BifEntry of erl_bif_table.h (two atoms, an arity, two functions, a kind);
 * ErlNifFunc of erl_nif.h (a name, an arity, a function, flags); ErlDrvEntry of erl_driver.h (functions and a name);
 * erl_atom_names of erl_atom_table.c (pointers to the texts of built-in atoms, by number).
 */
#include "match/graph/anchors.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

#define ATOM_TAG 0xb
#define ATOM_MASK 0x3f
#define ATOM_SHIFT 6
#define MAX_ARITY 255
#define LEAST_BIFS 64
#define MOST_BIFS 4096
#define LEAST_ATOMS 256

struct finder {
	const struct binary *binary;
	const struct anchors_tables *tables;
	struct effort *effort;
	struct graph *graph;
	int err;
};

static void add(struct finder *f, uint32_t key, uint32_t address)
{
	int64_t function = binary_function_at(f->binary, address);

	if (!f->err && !effort_take(f->effort, EFFORT_ANCHOR))
		f->err = -ENOEXEC;
	if (function < 0 || f->err)
		return;
	if (!array_has_room(f->graph->anchors, f->graph->anchor_count)) {
		f->err = -ENOMEM;
		return;
	}
	f->graph->anchors[f->graph->anchor_count++] = (struct anchor){ key, (uint32_t)function };
}

static uint32_t key_of(const char *kind, const char *text)
{
	return fnv32(fnv32(0, kind, strlen(kind)), text, strlen(text));
}

static void find_exports(struct finder *f)
{
	for (size_t i = 0; !f->err && i < f->binary->export_count; i++)
		add(f, key_of("export", f->binary->exports[i].name), f->binary->exports[i].address);
}

/* How many consecutive words point to constants: the text of an atom may be empty and have any bytes. */
static uint32_t texts_from(const struct binary *b, uint32_t address, uint32_t end)
{
	uint32_t count = 0;

	while (address + 8 * (count + 1) <= end) {
		uint32_t text = binary_pointer_at(b, address + 8 * count);

		if (!text || !binary_section_of(b, text) || binary_section_of(b, text)->kind != BINARY_CONSTANTS)
			break;
		count++;
	}
	return count;
}

/* The longest array of texts is the table of atoms. */
static void find_atoms(const struct binary *b, struct anchors_table *atoms)
{
	for (size_t i = 0; i < b->section_count; i++) {
		const struct binary_section *s = &b->sections[i];
		uint32_t end = s->address + s->size, count;

		if (s->kind != BINARY_DATA || !s->data)
			continue;
		for (uint32_t at = (s->address + 7) & ~7u; at + 8 <= end; at += 8 * (count + 1)) {
			count = texts_from(b, at, end);
			if (count > atoms->count)
				*atoms = (struct anchors_table){ at, count };
		}
	}
	if (atoms->count < LEAST_ATOMS)
		atoms->count = 0;
}

const char *anchors_atom(const struct binary *b, const struct anchors_tables *tables, uint64_t term)
{
	uint64_t number = term >> ATOM_SHIFT;

	if ((term & ATOM_MASK) != ATOM_TAG || number >= tables->atoms.count)
		return NULL;
	return binary_text(b, binary_pointer_at(b, tables->atoms.address + 8 * (uint32_t)number), 1);
}

struct bif_entry {
	uint64_t module, name, arity;
	uint32_t called, works;
};

static bool read_entry(const struct binary *b, uint32_t at, struct bif_entry *entry)
{
	uint64_t arity;

	if (!binary_word(b, at, &entry->module) || !binary_word(b, at + 8, &entry->name) ||
	    !binary_word(b, at + 16, &arity))
		return false;
	entry->arity = (uint32_t)arity;
	if ((entry->module & ATOM_MASK) != ATOM_TAG || (entry->name & ATOM_MASK) != ATOM_TAG || entry->module >> 32 ||
	    entry->name >> 32 || entry->arity > MAX_ARITY)
		return false;
	entry->called = binary_pointer_at(b, at + 24);
	entry->works = binary_pointer_at(b, at + 32);
	return binary_function_at(b, entry->called) >= 0 && binary_function_at(b, entry->works) >= 0;
}

static uint32_t entries_from(const struct binary *b, uint32_t at)
{
	struct bif_entry entry;
	uint32_t count = 0;

	while (count < MOST_BIFS && read_entry(b, at + count * ANCHORS_BIF_ENTRY, &entry))
		count++;
	return count;
}

static void find_bif_table(const struct binary *b, struct anchors_table *bifs)
{
	for (size_t i = 0; i < b->section_count; i++) {
		const struct binary_section *s = &b->sections[i];

		if (s->kind != BINARY_DATA || !s->data)
			continue;
		for (uint32_t at = (s->address + 7) & ~7u; at < s->address + s->size; at += 8) {
			uint32_t count = entries_from(b, at);

			if (count > bifs->count)
				*bifs = (struct anchors_table){ at, count };
			at += count ? (count - 1) * ANCHORS_BIF_ENTRY : 0;
		}
	}
	if (bifs->count < LEAST_BIFS)
		bifs->count = 0;
}

void anchors_tables(const struct binary *b, struct anchors_tables *tables)
{
	*tables = (struct anchors_tables){};
	find_atoms(b, &tables->atoms);
	find_bif_table(b, &tables->bifs);
}

bool anchors_read_bif(const struct binary *b, const struct anchors_tables *tables, uint32_t number,
		      struct anchors_bif *bif)
{
	struct bif_entry entry;
	const char *module, *name;

	if (!read_entry(b, tables->bifs.address + number * ANCHORS_BIF_ENTRY, &entry))
		return false;
	module = anchors_atom(b, tables, entry.module);
	name = anchors_atom(b, tables, entry.name);
	if (!module || !name)
		return false;
	*bif = (struct anchors_bif){ .called = entry.called, .works = entry.works };
	snprintf(bif->mfa, sizeof(bif->mfa), "%s:%s/%u", module, name, (unsigned int)entry.arity);
	return true;
}

static void find_bifs(struct finder *f)
{
	for (uint32_t i = 0; !f->err && i < f->tables->bifs.count; i++) {
		struct anchors_bif bif;

		if (!anchors_read_bif(f->binary, f->tables, i, &bif))
			continue;
		add(f, key_of("called", bif.mfa), bif.called);
		add(f, key_of("works", bif.mfa), bif.works);
	}
}

/* A text followed by a function, or by an arity and a function: a NIF, or a similar table. */
static void find_in_tables(struct finder *f)
{
	for (size_t i = 0; !f->err && i < f->binary->pointer_count; i++) {
		const struct binary_pointer *p = &f->binary->pointers[i];
		const char *text = binary_text(f->binary, p->to, 2);
		uint64_t arity;
		char key[360];

		if (!text)
			continue;
		add(f, key_of("beside", text), binary_pointer_at(f->binary, p->at + 8));
		if (!binary_word(f->binary, p->at + 8, &arity) || (uint32_t)arity > MAX_ARITY)
			continue;
		snprintf(key, sizeof(key), "%s/%u", text, (unsigned int)arity);
		add(f, key_of("nif", key), binary_pointer_at(f->binary, p->at + 16));
	}
}

/* ErlDrvEntry: a driver's name, the functions around it, and a marker that identifies the structure. */
#define DRIVER_MARK_PLACE 80
#define DRIVER_MARK 0xfeeeeeed

const char *anchors_driver_name(const struct binary *b, const struct binary_pointer *p)
{
	uint64_t mark;

	if (!binary_word(b, p->at + DRIVER_MARK_PLACE, &mark) || (uint32_t)mark != DRIVER_MARK)
		return NULL;
	return binary_text(b, p->to, 2);
}

static void find_drivers(struct finder *f)
{
	static const int places[] = { -48, -40, -32, -24, -16, -8, 8, 24, 32, 40, 48, 56, 64, 104, 112, 120 };

	for (size_t i = 0; !f->err && i < f->binary->pointer_count; i++) {
		const struct binary_pointer *p = &f->binary->pointers[i];
		const char *text = anchors_driver_name(f->binary, p);

		for (size_t k = 0; text && k < sizeof(places) / sizeof(*places); k++) {
			char key[360];

			snprintf(key, sizeof(key), "%s%d", text, places[k]);
			add(f, key_of("driver", key),
			    binary_pointer_at(f->binary, (uint64_t)((int64_t)p->at + places[k])));
		}
	}
}

int anchors_find(const struct binary *binary, const struct anchors_tables *tables, struct effort *effort,
		 struct graph *graph)
{
	struct finder f = { .binary = binary, .tables = tables, .effort = effort, .graph = graph };

	find_exports(&f);
	find_bifs(&f);
	find_in_tables(&f);
	find_drivers(&f);
	graph_sort_anchors(graph);
	return f.err;
}
