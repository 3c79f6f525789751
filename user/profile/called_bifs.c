// SPDX-License-Identifier: BSD-2-Clause
#include "profile/called_bifs.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "node/names/call_stack.h"
#include "node/code/jit_calls.h"
#include "target/reader/procfs.h"

#define MOST_PLACES (1u << 16)
/* Offset in a NIF's code of the address of its C function (beamasm_emit_call_nif()). */
#define NIF_BYTES 128

struct place {
	uint64_t address;
	char *name; /* name of the BIF or NIF; NULL: no such call */
	UT_hash_handle hh;
};

struct called_bifs {
	const struct target *target;
	const struct bif_list *bifs;
	const struct objects *objects;
	struct place *places;
};

struct called_bifs *called_bifs_new(const struct target *target, const struct bif_list *bifs,
				    const struct objects *objects)
{
	struct called_bifs *called = calloc(1, sizeof(*called));

	if (!called)
		return NULL;
	called->target = target;
	called->bifs = bifs;
	called->objects = objects;
	return called;
}

void called_bifs_forget(struct called_bifs *called)
{
	struct place *place, *next;

	HASH_ITER(hh, called->places, place, next) {
		HASH_DEL(called->places, place);
		free(place->name);
		free(place);
	}
}

void called_bifs_free(struct called_bifs *called)
{
	if (!called)
		return;
	called_bifs_forget(called);
	free(called);
}

static bool is_bif(const struct bif_list *list, const char *name)
{
	for (size_t i = 0; list && i < list->count; i++) {
		if (!strcmp(list->bifs[i].mfa, name))
			return true;
	}
	return false;
}

static bool is_of_library(const struct objects *objects, uint64_t address)
{
	uint64_t offset;
	const struct mapped_object *object = objects_at(objects, address, &offset);

	return object && !object->is_main;
}

/* True if the code calls a C function, which code of Erlang functions never does. */
static bool is_nif(const struct called_bifs *called, uint64_t address)
{
	unsigned char code[NIF_BYTES];
	_cleanup_free_ uint64_t *held = NULL;
	bool is_found = false;
	size_t count;

	if (procfs_memory(called->target->pid, address, code, sizeof(code)) ||
	    jit_calls_find(image_arch(called->target->vm->image), code, sizeof(code), address, &held, &count))
		return false;
	for (size_t i = 0; !is_found && i < count; i++)
		is_found = is_of_library(called->objects, held[i]);
	return is_found;
}

static char *read_name(const struct called_bifs *called, struct naming *naming, uint64_t address)
{
	struct called_code function;
	char name[NAME_SIZE];

	if (!call_stack_called(called->target, address, &function) || !naming_of_id(naming, function.id, name))
		return NULL;
	return is_bif(called->bifs, name) || is_nif(called, function.code) ? strdup(name) : NULL;
}

const char *called_bifs_at(struct called_bifs *called, struct naming *naming, uint64_t address, bool is_over)
{
	struct place *place;

	HASH_FIND(hh, called->places, &address, sizeof(address), place);
	if (place)
		return place->name;
	if (is_over || !naming || HASH_COUNT(called->places) >= MOST_PLACES || !target_is_alive(called->target))
		return NULL;
	place = calloc(1, sizeof(*place));
	if (!place)
		return NULL;
	place->address = address;
	place->name = read_name(called, naming, address);
	HASH_ADD(hh, called->places, address, sizeof(place->address), place);
	return place->name;
}
