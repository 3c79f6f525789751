// SPDX-License-Identifier: BSD-2-Clause
/*
 * bif_table is an array of BifEntry (erl_bif_table.h, made by utils/make_tables): module and name as
 * atoms, arity, the function that is called, the function that does the work, and a kind. The two
 * functions differ for BIFs that run on dirty schedulers. It is the same in 25.2.3, 27.3.4.1 and 29.1.1.
 *
 * It is read from a process and not from the file, where the functions' addresses are relocations. What
 * is read is only taken where the file exports a function at that very address: a probe within an
 * instruction would kill the process.
 */
#include "node/code/bifs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "node/atoms/atoms.h"
#include "target/reader/procfs.h"

#define MAX_BIFS 4096 /* OTP 27 has 522 */
#define NAME_SIZE 256

struct bif_entry {
	uint64_t module;
	uint64_t name;
	int32_t arity;
	uint64_t called;
	uint64_t works;
	int32_t kind;
};

/* The functions of the file, by address. */
struct functions {
	const struct image_symbol **all;
	size_t count;
};

static int compare_functions(const void *a, const void *b)
{
	const struct image_symbol *x = *(const struct image_symbol *const *)a;
	const struct image_symbol *y = *(const struct image_symbol *const *)b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int list_functions(const struct image *image, struct functions *functions)
{
	size_t count;
	const struct image_symbol *symbols = image_symbols(image, &count);

	functions->count = 0;
	functions->all = calloc(count + 1, sizeof(*functions->all));
	if (!functions->all)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (symbols[i].is_function)
			functions->all[functions->count++] = &symbols[i];
	}
	qsort(functions->all, functions->count, sizeof(*functions->all), compare_functions);
	return 0;
}

static const struct image_symbol *function_at(const struct functions *functions, uint64_t address)
{
	const struct image_symbol wanted = { .address = address }, *key = &wanted, **found;

	found = bsearch(&key, functions->all, functions->count, sizeof(*functions->all), compare_functions);
	return found ? *found : NULL;
}

static bool has_address(const struct bif_list *list, uint64_t address)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->bifs[i].address == address)
			return true;
	}
	return false;
}

/* "Module:Function/Arity", which the caller owns; NULL if it cannot be read. */
static char *format_mfa(struct atoms *atoms, const struct bif_entry *entry)
{
	char module[NAME_SIZE], name[NAME_SIZE], mfa[BIF_MFA_SIZE];

	if (!atoms_format(atoms, atom_of_term(entry->module), module, sizeof(module)) ||
	    !atoms_format(atoms, atom_of_term(entry->name), name, sizeof(name)))
		return NULL;
	snprintf(mfa, sizeof(mfa), "%s:%s/%d", module, name, entry->arity);
	return strdup(mfa);
}

static int add_bif(struct atoms *atoms, const struct bif_entry *entry, const struct image_symbol *function,
		   struct bif_list *list)
{
	char *mfa = format_mfa(atoms, entry);

	if (!mfa)
		return -ENOMEM;
	list->bifs[list->count++] = (struct bif){
		.mfa = mfa,
		.address = function->address,
		.size = function->size,
		.arity = (unsigned int)entry->arity,
	};
	return 0;
}

static void fetch_atoms(struct atoms *atoms, const struct bif_entry *entries, size_t count)
{
	_cleanup_free_ uint32_t *indices = calloc(2 * count + 1, sizeof(*indices));

	for (size_t i = 0; indices && i < count; i++) {
		indices[2 * i] = atom_of_term(entries[i].module);
		indices[2 * i + 1] = atom_of_term(entries[i].name);
	}
	if (indices)
		atoms_fetch(atoms, indices, 2 * count);
}

static int take_entries(const struct target *target, const struct bif_entry *entries, size_t count, uint64_t moved,
			struct bif_list *list)
{
	struct functions functions;
	int err = list_functions(target->vm->image, &functions);
	struct atoms *atoms = err ? NULL : atoms_new(target);

	if (!err && !atoms)
		err = -errno;
	if (!err)
		fetch_atoms(atoms, entries, count);
	for (size_t i = 0; !err && i < count; i++) {
		const struct image_symbol *function = function_at(&functions, entries[i].works - moved);

		if (entries[i].arity < 0 || entries[i].arity > BIF_MAX_ARITY)
			continue;
		if (function && !has_address(list, function->address))
			err = add_bif(atoms, &entries[i], function, list);
	}
	atoms_free(atoms);
	free(functions.all);
	return err;
}

static int by_address(const void *a, const void *b)
{
	const struct bif *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void free_list(void *data)
{
	struct bif_list *list = data;

	for (size_t i = 0; i < list->count; i++)
		free(list->bifs[i].mfa);
	free(list->bifs);
	free(list);
}

static struct bif_list *read_list(const struct target *target, const struct image_symbol *table)
{
	size_t count = table->size / sizeof(struct bif_entry);
	_cleanup_free_ struct bif_entry *entries = calloc(count + 1, sizeof(*entries));
	struct bif_list *list = calloc(1, sizeof(*list));
	uint64_t at;

	if (!entries || !list) {
		free(list);
		return NULL;
	}
	list->bifs = calloc(count + 1, sizeof(*list->bifs));
	if (!list->bifs || target_address(target, table->address, &at) ||
	    procfs_memory(target->pid, at, entries, count * sizeof(*entries)) ||
	    take_entries(target, entries, count, at - table->address, list)) {
		free_list(list);
		return NULL;
	}
	qsort(list->bifs, list->count, sizeof(*list->bifs), by_address);
	return list;
}

const struct bif_list *bifs_of(const struct target *target)
{
	const struct image_symbol *table = image_symbol(target->vm->image, "bif_table");

	if (!table || table->size % sizeof(struct bif_entry) || table->size / sizeof(struct bif_entry) > MAX_BIFS)
		return NULL;
	if (!target->vm->bifs) {
		target->vm->bifs = read_list(target, table);
		target->vm->free_bifs = free_list;
	}
	return target->vm->bifs;
}

const struct bif *bif_find(const struct bif_list *list, uint64_t address)
{
	const struct bif wanted = { .address = address };

	return list ? bsearch(&wanted, list->bifs, list->count, sizeof(wanted), by_address) : NULL;
}
