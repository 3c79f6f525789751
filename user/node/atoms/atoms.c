// SPDX-License-Identifier: BSD-2-Clause
/*
 * erts_atom_table (an IndexTable, exported) has pages of 1024 addresses of atoms; an atom has its length and the
 * address of its bytes, UTF-8 without a terminator; since OTP 28, the address of a binary with them.
 *
 * Source: `ptype /o` of IndexTable and Atom in OTP 25.2.3, 27.3.4.1 and 29.1.1; erts_atom_get_name() in atom.c.
 */
#include "node/atoms/atoms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "term.h"
#include "target/reader/procfs.h"
#include "term/atom.h"

#define TABLE_ENTRIES 116 /* of IndexTable */
#define ATOM_TAG 0x0b	  /* of a term, in its low six bits */
#define TABLE_PAGES 120
#define PAGE_ATOMS 1024
#define ATOM_LENGTH 24 /* of struct atom */
#define ATOM_BYTES 32
#define ATOM_SIZE 40
#define BINARY_WORDS 2 /* words of a binary that are read */

#define BATCH 256		 /* atoms per read */
#define CACHE_ENTRIES (1u << 19) /* maximum, a power of two */
#define CACHE_TEXT (8u << 20)	 /* maximum in bytes */
#define EARLY_ATOMS 65536	 /* atoms searched by atoms_find() */

#define MOST_ATOMS (8u << 20) /* atoms visited by atoms_each(): eight times the default limit of a VM */

#define MAX_UNREAD 1024 /* unreadable atoms before the table is given up */

struct atom_search {
	const char *const *texts;
	size_t count;
	uint32_t *found; /* ATOM_NONE: not found yet */
	size_t left;
};

struct atom_entry {
	uint32_t index; /* atom index + 1; 0: free */
	uint32_t text;	/* offset in the text buffer */
	uint32_t length;
};

struct atoms {
	const struct target *target;
	uint64_t table;
	bool is_over;
	struct atom_entry *entries; /* open addressing */
	uint32_t capacity, used;
	char *text;
	uint32_t text_size, text_used;
};

struct atoms *atoms_new(const struct target *target)
{
	struct atoms *atoms;
	uint64_t table;

	if (target_symbol(target, "erts_atom_table", &table)) {
		errno = ENOENT;
		return NULL;
	}
	atoms = calloc(1, sizeof(*atoms));
	if (!atoms)
		return NULL;
	atoms->target = target;
	atoms->table = table;
	return atoms;
}

void atoms_free(struct atoms *atoms)
{
	if (!atoms)
		return;
	free(atoms->entries);
	free(atoms->text);
	free(atoms);
}

void atoms_end(struct atoms *atoms)
{
	atoms->is_over = true;
}

uint32_t atom_of_term(uint64_t term)
{
	return (term & 0x3f) == ATOM_TAG && term >> 6 < ATOM_NONE ? (uint32_t)(term >> 6) : ATOM_NONE;
}

uint64_t atom_term(uint32_t index)
{
	return index == ATOM_NONE ? 0 : (uint64_t)index << 6 | ATOM_TAG;
}

/* The cache. */

static struct atom_entry *slot_of(const struct atoms *atoms, uint32_t index)
{
	uint32_t mask = atoms->capacity - 1, at = index * 2654435761u & mask;

	while (atoms->entries[at].index && atoms->entries[at].index != index + 1)
		at = (at + 1) & mask;
	return &atoms->entries[at];
}

static const struct atom_entry *find(const struct atoms *atoms, uint32_t index)
{
	const struct atom_entry *entry = atoms->capacity ? slot_of(atoms, index) : NULL;

	return entry && entry->index ? entry : NULL;
}

static void empty(struct atoms *atoms)
{
	if (atoms->capacity)
		memset(atoms->entries, 0, atoms->capacity * sizeof(*atoms->entries));
	atoms->used = 0;
	atoms->text_used = 0;
}

static int grow_entries(struct atoms *atoms)
{
	struct atoms grown = *atoms;

	grown.capacity = atoms->capacity ? atoms->capacity * 2 : 4 * BATCH;
	grown.entries = calloc(grown.capacity, sizeof(*grown.entries));
	if (!grown.entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < atoms->capacity; i++) {
		if (atoms->entries[i].index)
			*slot_of(&grown, atoms->entries[i].index - 1) = atoms->entries[i];
	}
	free(atoms->entries);
	*atoms = grown;
	return 0;
}

/* Offsets of texts have 32 bits; CACHE_TEXT limits the size. */
static int grow_text(struct atoms *atoms)
{
	uint32_t size = atoms->text_size ? atoms->text_size * 2 : 2 * BATCH * (ATOM_MAX_BYTES + 1);
	char *grown = realloc(atoms->text, size);

	if (!grown)
		return -ENOMEM;
	atoms->text = grown;
	atoms->text_size = size;
	return 0;
}

/* Makes room for a batch of any lengths. */
static int make_room(struct atoms *atoms)
{
	const uint32_t most = BATCH * (ATOM_MAX_BYTES + 1);

	if ((atoms->used + BATCH) * 2 > CACHE_ENTRIES || atoms->text_used + most > CACHE_TEXT)
		empty(atoms);
	if ((atoms->used + BATCH) * 2 > atoms->capacity && grow_entries(atoms))
		return -ENOMEM;
	return atoms->text_used + most > atoms->text_size ? grow_text(atoms) : 0;
}

static void keep(struct atoms *atoms, uint32_t index, const char *bytes, size_t length)
{
	struct atom_entry *entry = slot_of(atoms, index);

	if (entry->index)
		return;
	*entry = (struct atom_entry){ .index = index + 1, .text = atoms->text_used, .length = (uint32_t)length };
	memcpy(atoms->text + atoms->text_used, bytes, length);
	atoms->text[atoms->text_used + length] = '\0';
	atoms->text_used += (uint32_t)length + 1;
	atoms->used++;
}

/* Reading. */

struct fetch {
	uint64_t word;
	unsigned char atom[ATOM_SIZE];
	int16_t length; /* of the atoms that were read */
	uint64_t binary[BINARY_WORDS];
	char bytes[ATOM_MAX_BYTES];
};

static uint32_t read_table(const struct atoms *atoms, uint64_t *pages)
{
	int32_t entries = 0;

	if (procfs_memory(atoms->target->pid, atoms->table + TABLE_ENTRIES, &entries, sizeof(entries)) ||
	    procfs_memory(atoms->target->pid, atoms->table + TABLE_PAGES, pages, sizeof(*pages)) || entries < 0)
		return 0;
	return (uint32_t)entries;
}

/* Sets the addresses of the bytes: short atoms have them in the binary itself. */
static void find_bytes(const struct atoms *atoms, size_t count, struct fetch *fetched)
{
	struct procfs_piece pieces[BATCH];

	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ .address = TERM_ADDRESS(fetched[i].word),
						   .to = fetched[i].binary,
						   .size = fetched[i].length > 0 ? sizeof(fetched[i].binary) : 0 };
	procfs_pieces(atoms->target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		if (fetched[i].length <= 0)
			continue;
		if (!pieces[i].is_read)
			fetched[i].length = -1;
		else if (TERM_HEADER_SUBTAG(fetched[i].binary[0]) == TERM_27_HEAP_BITS)
			fetched[i].word = TERM_ADDRESS(fetched[i].word) + TERM_HEAP_DATA;
		else
			fetched[i].word = fetched[i].binary[TERM_27_SUB_BASE / 8] & ~3ULL;
	}
}

/* Reads pages, atoms, their headers, then their bytes: each step for the whole batch. */
static void read_batch(const struct atoms *atoms, uint64_t pages, const uint32_t *indices, size_t count,
		       struct fetch *fetched)
{
	struct procfs_piece pieces[BATCH];

	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ .address = pages + indices[i] / PAGE_ATOMS * 8,
						   .to = &fetched[i].word,
						   .size = 8 };
	procfs_pieces(atoms->target->pid, pieces, count);
	for (size_t i = 0; i < count; i++)
		pieces[i].address = pieces[i].is_read ? fetched[i].word + indices[i] % PAGE_ATOMS * 8 : 0;
	procfs_pieces(atoms->target->pid, pieces, count);
	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ .address = pieces[i].is_read ? fetched[i].word : 0,
						   .to = fetched[i].atom,
						   .size = ATOM_SIZE };
	procfs_pieces(atoms->target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		memcpy(&fetched[i].length, fetched[i].atom + ATOM_LENGTH, sizeof(fetched[i].length));
		memcpy(&fetched[i].word, fetched[i].atom + ATOM_BYTES, 8);
		if (!pieces[i].is_read || fetched[i].length < 0 || fetched[i].length > ATOM_MAX_BYTES)
			fetched[i].length = -1;
	}
	if (TERM_ATOM_IS_BINARY(atoms->target->vm->like))
		find_bytes(atoms, count, fetched);
	for (size_t i = 0; i < count; i++) {
		pieces[i] = (struct procfs_piece){
			.address = fetched[i].word,
			.to = fetched[i].bytes,
			.size = fetched[i].length > 0 ? (size_t)fetched[i].length : 0,
		};
	}
	procfs_pieces(atoms->target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		if (!pieces[i].is_read)
			fetched[i].length = -1;
	}
}

void atoms_fetch(struct atoms *atoms, const uint32_t *indices, size_t count)
{
	_cleanup_free_ struct fetch *fetched = NULL;
	uint32_t wanted[BATCH], entries = 0;
	uint64_t pages = 0;
	size_t i = 0;

	while (i < count && !atoms->is_over) {
		size_t n = 0;

		for (; i < count && n < BATCH; i++) {
			if (indices[i] != ATOM_NONE && !find(atoms, indices[i]))
				wanted[n++] = indices[i];
		}
		if (!n || make_room(atoms))
			continue;
		if (!fetched)
			fetched = malloc(BATCH * sizeof(*fetched));
		entries = entries ? entries : read_table(atoms, &pages);
		if (!fetched || !entries)
			return;
		read_batch(atoms, pages, wanted, n, fetched);
		for (size_t k = 0; k < n; k++) {
			if (wanted[k] < entries && fetched[k].length >= 0)
				keep(atoms, wanted[k], fetched[k].bytes, (size_t)fetched[k].length);
		}
	}
}

const char *atoms_bytes(struct atoms *atoms, uint32_t index, size_t *length)
{
	const struct atom_entry *entry = index != ATOM_NONE ? find(atoms, index) : NULL;

	if (!entry && index != ATOM_NONE) {
		atoms_fetch(atoms, &index, 1);
		entry = find(atoms, index);
	}
	if (!entry)
		return NULL;
	*length = entry->length;
	return atoms->text + entry->text;
}

/* Compares a batch with the texts not found yet. */
static size_t find_in_batch(const struct atoms *atoms, const uint32_t *batch, size_t n, struct atom_search *search)
{
	size_t unread = 0;

	for (size_t i = 0; i < n; i++) {
		const struct atom_entry *entry = find(atoms, batch[i]);

		unread += !entry;
		for (size_t k = 0; entry && k < search->count; k++) {
			if (search->found[k] != ATOM_NONE || strcmp(atoms->text + entry->text, search->texts[k]))
				continue;
			search->found[k] = batch[i];
			search->left--;
		}
	}
	return unread;
}

/* Atoms are never freed, so a table with many unreadable atoms is invalid. */
static void find_up_to(struct atoms *atoms, uint32_t most, const char *const *texts, size_t count, uint32_t *found)
{
	struct atom_search search = { .texts = texts, .count = count, .found = found, .left = count };
	uint64_t pages;
	uint32_t entries = read_table(atoms, &pages);
	size_t unread = 0;

	for (size_t k = 0; k < count; k++)
		found[k] = ATOM_NONE;
	for (uint32_t from = 0; from < entries && from < most && search.left && unread < MAX_UNREAD; from += BATCH) {
		uint32_t indices[BATCH], n = entries - from < BATCH ? entries - from : BATCH;

		for (uint32_t i = 0; i < n; i++)
			indices[i] = from + i;
		atoms_fetch(atoms, indices, n);
		unread += find_in_batch(atoms, indices, n, &search);
	}
}

/* False: stop. */
static bool visit_batch(const struct atoms *atoms, const uint32_t *batch, size_t n, size_t *unread,
			bool (*visit)(void *data, const char *bytes, size_t length), void *data)
{
	for (size_t i = 0; i < n; i++) {
		const struct atom_entry *entry = find(atoms, batch[i]);

		*unread += !entry;
		if (*unread >= MAX_UNREAD || (entry && !visit(data, atoms->text + entry->text, entry->length)))
			return false;
	}
	return true;
}

void atoms_each(struct atoms *atoms, bool (*visit)(void *data, const char *bytes, size_t length), void *data)
{
	uint64_t pages;
	uint32_t entries = read_table(atoms, &pages), end = entries < MOST_ATOMS ? entries : MOST_ATOMS;
	bool goes_on = true;
	size_t unread = 0;

	for (uint32_t from = 0; goes_on && from < end; from += BATCH) {
		uint32_t indices[BATCH], n = end - from < BATCH ? end - from : BATCH;

		for (uint32_t i = 0; i < n; i++)
			indices[i] = from + i;
		atoms_fetch(atoms, indices, n);
		goes_on = visit_batch(atoms, indices, n, &unread, visit, data);
	}
}

bool atoms_format(struct atoms *atoms, uint32_t index, char *text, size_t size)
{
	size_t length;
	const char *bytes = atoms_bytes(atoms, index, &length);
	struct writer w;

	write_begin(&w, text, size);
	if (bytes)
		write_atom(&w, bytes, length, ATOM_TERM, atoms->target->vm->like);
	write_end(&w);
	return bytes;
}

void atoms_find(struct atoms *atoms, const char *const *texts, size_t count, uint32_t *found)
{
	find_up_to(atoms, EARLY_ATOMS, texts, count, found);
}

void atoms_find_all(struct atoms *atoms, const char *const *texts, size_t count, uint32_t *found)
{
	find_up_to(atoms, UINT32_MAX, texts, count, found);
}
