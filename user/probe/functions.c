// SPDX-License-Identifier: BSD-2-Clause
#include "probe/functions.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"

#include "base/array.h"
#include "erl.h"

struct function {
	char *name;
	char *bif; /* or NULL */
	uint32_t number;
	UT_hash_handle hh;
};

/* Freed at exit only. */
static struct function *by_name;
static struct function **by_number;
static uint32_t count;

static struct function *make(const char *name)
{
	struct function *made;

	if (count + 1 >= 1u << ERL_FUNCTION_BITS) {
		errno = ENOSPC;
		return NULL;
	}
	if (!array_has_room(by_number, count))
		return NULL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return NULL;
	made->name = strdup(name);
	if (!made->name) {
		free(made);
		return NULL;
	}
	by_number[count++] = made;
	made->number = count;
	HASH_ADD_KEYPTR(hh, by_name, made->name, strlen(made->name), made);
	return made;
}

uint32_t function_number(const char *name)
{
	struct function *found;

	HASH_FIND(hh, by_name, name, strlen(name), found);
	if (!found)
		found = make(name);
	return found ? found->number : 0;
}

const char *function_name(uint32_t number)
{
	return number && number <= count ? by_number[number - 1]->name : "";
}

void function_set_bif(uint32_t number, const char *bif)
{
	if (number && number <= count && !by_number[number - 1]->bif)
		by_number[number - 1]->bif = strdup(bif);
}

const char *function_bif(uint32_t number)
{
	return number && number <= count ? by_number[number - 1]->bif : NULL;
}
