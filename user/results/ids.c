// SPDX-License-Identifier: BSD-2-Clause
#include "results/ids.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"

#include "erl.h"
#include "node/memory/erlid.h"
#include "probe/functions.h"
#include "node/names/naming.h"
#include "node/names/scheduler_name.h"

#define MAX_KNOWN 65536

struct id_key {
	uint64_t id;
	uint64_t os_id;
};

struct known {
	struct id_key key;
	UT_hash_handle hh;
	char text[];
};

/* The function that an address of code is in. */
struct placed {
	struct id_key key;
	uint64_t function; /* an id */
	UT_hash_handle hh;
};

struct ids {
	const struct loader *loader;
	const struct follow *follow;
	struct known *known;
	struct placed *placed;
};

struct ids *ids_new(const struct loader *loader, const struct follow *follow)
{
	struct ids *ids = calloc(1, sizeof(*ids));

	if (!ids)
		return NULL;
	ids->loader = loader;
	ids->follow = follow;
	return ids;
}

static void forget_all(struct ids *ids)
{
	struct known *known, *next;

	HASH_ITER(hh, ids->known, known, next) {
		HASH_DEL(ids->known, known);
		free(known);
	}
}

static void forget_places(struct ids *ids)
{
	struct placed *placed, *next;

	HASH_ITER(hh, ids->placed, placed, next) {
		HASH_DEL(ids->placed, placed);
		free(placed);
	}
}

void ids_forget(struct ids *ids)
{
	if (HASH_COUNT(ids->known) > MAX_KNOWN)
		forget_all(ids);
	if (HASH_COUNT(ids->placed) > MAX_KNOWN)
		forget_places(ids);
}

void ids_free(struct ids *ids)
{
	if (!ids)
		return;
	forget_all(ids);
	forget_places(ids);
	free(ids);
}

static void format_text(const struct ids *ids, uint64_t id, char buf[NAME_SIZE])
{
	char text[ERL_NAME_TEXT];

	if (bpf_map_lookup_elem(loader_map(ids->loader, "erl_texts"), &id, text))
		snprintf(buf, NAME_SIZE, "text#%" PRIx64, (uint64_t)erl_id_value(id));
	else
		snprintf(buf, NAME_SIZE, "%.*s", (int)sizeof(text), text);
}

static void format_thread(const struct ids *ids, uint64_t id, char buf[NAME_SIZE])
{
	char thread[NAME_SIZE];

	format_text(ids, id, thread);
	scheduler_name(thread, buf, NAME_SIZE);
}

static void format_ref(const struct ids *ids, int os_id, uint64_t id, char buf[NAME_SIZE])
{
	char name[NAME_SIZE] = "";
	struct erl_ref ref;

	if (bpf_map_lookup_elem(loader_map(ids->loader, "erl_refs"), &id, &ref)) {
		snprintf(buf, NAME_SIZE, "ref#%" PRIx64, (uint64_t)erl_id_value(id));
		return;
	}
	if (ref.name)
		follow_id_name(ids->follow, (uint32_t)os_id, ref.name, name);
	snprintf(buf, NAME_SIZE, "%.256s%s#Ref<0.%u.%u.%u>", name, *name ? " " : "", ref.numbers[2], ref.numbers[1],
		 ref.numbers[0]);
}

static void format_function(const struct ids *ids, uint32_t number, char buf[NAME_SIZE])
{
	snprintf(buf, NAME_SIZE, "%s", function_name(number));
	if (follow_name_style(ids->follow).is_elixir)
		spelling_elixir(buf);
}

/* False if it is not known now, but may be later. */
static bool format(const struct ids *ids, int os_id, uint64_t id, char buf[NAME_SIZE])
{
	uint64_t value = erl_id_value(id);

	buf[0] = '\0';
	switch (erl_id_kind(id)) {
	case ERL_ID_MFA:
	case ERL_ID_ATOM:
	case ERL_ID_CODE: return follow_id_name(ids->follow, (uint32_t)os_id, id, buf);
	case ERL_ID_FUNCTION: format_function(ids, (uint32_t)value, buf); return true;
	case ERL_ID_TEXT: format_text(ids, id, buf); return true;
	case ERL_ID_THREAD: format_thread(ids, id, buf); return true;
	case ERL_ID_REF: format_ref(ids, os_id, id, buf); return true;
	case ERL_ID_ADDRESS:
		if (!follow_symbol_at(ids->follow, (uint32_t)os_id, value, buf, NAME_SIZE))
			snprintf(buf, NAME_SIZE, "0x%" PRIx64, value);
		return true;
	case ERL_ID_NUMBER: snprintf(buf, NAME_SIZE, "%" PRIu64, value); return true;
	case ERL_ID_FD: snprintf(buf, NAME_SIZE, "fd %" PRIu64, value); return true;
	default: erlid_format(id, buf); return true;
	}
}

const char *ids_text(struct ids *ids, int os_id, uint64_t id)
{
	struct known wanted, *found;
	char text[NAME_SIZE];

	if (!id)
		return "";
	memset(&wanted.key, 0, sizeof(wanted.key));
	wanted.key.id = id;
	wanted.key.os_id = (uint64_t)os_id;
	HASH_FIND(hh, ids->known, &wanted.key, sizeof(wanted.key), found);
	if (found)
		return found->text;
	if (!format(ids, os_id, id, text))
		return "";
	found = malloc(sizeof(*found) + strlen(text) + 1);
	if (!found)
		return "";
	memset(found, 0, sizeof(*found));
	found->key = wanted.key;
	strcpy(found->text, text);
	HASH_ADD(hh, ids->known, key, sizeof(found->key), found);
	return found->text;
}

uint64_t ids_key(struct ids *ids, uint32_t os_id, uint64_t id)
{
	struct placed wanted, *found;
	uint64_t function;

	if (erl_id_kind(id) != ERL_ID_CODE)
		return id;
	memset(&wanted.key, 0, sizeof(wanted.key));
	wanted.key = (struct id_key){ .id = id, .os_id = os_id };
	HASH_FIND(hh, ids->placed, &wanted.key, sizeof(wanted.key), found);
	if (found)
		return found->function;
	function = follow_function_of(ids->follow, os_id, id);
	found = function ? calloc(1, sizeof(*found)) : NULL;
	if (!found)
		return function ? function : id;
	found->key = wanted.key;
	found->function = function;
	HASH_ADD(hh, ids->placed, key, sizeof(found->key), found);
	return function;
}
