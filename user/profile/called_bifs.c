// SPDX-License-Identifier: BSD-2-Clause
#include "profile/called_bifs.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "node/call_stack.h"

#define MOST_PLACES (1u << 16)

struct place {
	uint64_t address;
	const char *bif; /* the list's; NULL: none is called there */
	UT_hash_handle hh;
};

struct called_bifs {
	const struct target *target;
	const struct bif_list *bifs;
	struct place *places;
};

struct called_bifs *called_bifs_new(const struct target *target, const struct bif_list *bifs)
{
	struct called_bifs *called = calloc(1, sizeof(*called));

	if (!called)
		return NULL;
	called->target = target;
	called->bifs = bifs;
	return called;
}

void called_bifs_forget(struct called_bifs *called)
{
	struct place *place, *next;

	HASH_ITER(hh, called->places, place, next) {
		HASH_DEL(called->places, place);
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

static const char *bif_of_name(const struct bif_list *list, const char *name)
{
	for (size_t i = 0; list && i < list->count; i++) {
		if (!strcmp(list->bifs[i].mfa, name))
			return list->bifs[i].mfa;
	}
	return NULL;
}

static const char *read_bif(const struct called_bifs *called, struct naming *naming, uint64_t address)
{
	uint64_t id = call_stack_called(called->target, address);
	char name[NAME_SIZE];

	if (!id || !naming_of_id(naming, id, name))
		return NULL;
	return bif_of_name(called->bifs, name);
}

const char *called_bifs_at(struct called_bifs *called, struct naming *naming, uint64_t address, bool is_over)
{
	struct place *place;

	HASH_FIND(hh, called->places, &address, sizeof(address), place);
	if (place)
		return place->bif;
	if (is_over || !naming || HASH_COUNT(called->places) >= MOST_PLACES || !target_is_alive(called->target))
		return NULL;
	place = calloc(1, sizeof(*place));
	if (!place)
		return NULL;
	place->address = address;
	place->bif = read_bif(called, naming, address);
	HASH_ADD(hh, called->places, address, sizeof(place->address), place);
	return place->bif;
}
