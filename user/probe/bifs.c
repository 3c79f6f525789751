// SPDX-License-Identifier: BSD-2-Clause
#include "probe/bifs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "erl.h"
#include "probe/names.h"
#include "target/procfs.h"

/* BifEntry of erl_bif_table.h, which erts/emulator/utils/make_tables of 25.2.3 and 27.3.4.1 makes. */
struct entry {
	uint64_t module, function;	/* atoms */
	uint32_t arity, pad;
	uint64_t called;		/* what Erlang code calls */
	uint64_t implementation;
	uint64_t kind;
};

#define TABLE "bif_table"
#define MAX_BIFS 4096

static int by_address(const void *a, const void *b)
{
	const struct bif *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int add(struct bif_list *list, uint64_t address, unsigned int arity, const char *name)
{
	struct bif *bif = &list->bifs[list->count];

	*bif = (struct bif){ .address = address, .arity = arity, .name = strdup(name) };
	if (!bif->name)
		return -ENOMEM;
	list->count++;
	return 0;
}

/* What Erlang calls of a dirty BIF sends the process to a dirty scheduler, which calls the other one. */
static int add_entry(struct bif_list *list, const struct target *target, const struct entry *entry,
		     uint64_t bias)
{
	uint64_t id = erl_id_of_mfa(entry->module, entry->function, entry->arity);
	char name[NAME_SIZE];
	int err;

	if (!id || entry->arity > BIF_MAX_ARITY || name_of_id(target, id, name))
		return 0;
	err = add(list, entry->implementation - bias, entry->arity, name);
	if (!err && entry->called != entry->implementation)
		err = add(list, entry->called - bias, entry->arity, name);
	return err;
}

int bif_list_read(const struct target *target, struct bif_list *list)
{
	const struct image_symbol *table = image_symbol(target->vm->image, TABLE);
	_cleanup_free_ struct entry *entries = NULL;
	uint64_t address;
	size_t count;
	int err = 0;

	*list = (struct bif_list){};
	if (!table || table->is_function || target_address(target, table->address, &address))
		return -ENOENT;
	count = table->size / sizeof(*entries);
	if (!count || count > MAX_BIFS)
		return -ENOENT;
	entries = calloc(count, sizeof(*entries));
	list->bifs = calloc(count * 2, sizeof(*list->bifs));
	if (!entries || !list->bifs)
		return -ENOMEM;
	if (procfs_memory(target->pid, address, entries, count * sizeof(*entries)))
		return -ENOENT;
	for (size_t i = 0; !err && i < count; i++)
		err = add_entry(list, target, &entries[i], address - table->address);
	qsort(list->bifs, list->count, sizeof(*list->bifs), by_address);
	return err;
}

void bif_list_free(struct bif_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->bifs[i].name);
	free(list->bifs);
	*list = (struct bif_list){};
}

const struct bif *bif_find(const struct bif_list *list, uint64_t address)
{
	struct bif wanted = { .address = address };

	return list->count ? bsearch(&wanted, list->bifs, list->count, sizeof(wanted), by_address) : NULL;
}
