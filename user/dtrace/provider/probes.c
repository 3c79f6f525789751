// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/provider/probes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"

#include "base/array.h"
#include "dtrace/provider/provider.h"
#include "trace/child.h"

/* Probes by the numbers in a firing. */
struct probe_key {
	uint32_t number, function;
	uint64_t pid;
};

struct probe_entry {
	struct probe_key key;
	struct d_probe probe;
	UT_hash_handle hh;
};

struct numbered {
	char *text;
	uint32_t number;
	UT_hash_handle hh;
};

/* The data of a provider, and its destructor. */
struct provider_data {
	void *data;
	void (*end)(void *data);
};

struct probes {
	struct probes_options options;
	pid_t *pids; /* options.pids, owned */
	struct child *child;
	struct probe_entry **entries; /* by id */
	size_t count;
	struct probe_entry *by_key;
	struct numbered *numbers;
	uint32_t next_number;
	struct provider_data kept[PROVIDERS];
	char why[512];
	const char *tag;
};

static int add_fixed(struct probes *probes)
{
	static const struct {
		const char *name;
		uint32_t number;
	} fixed[] = { { "BEGIN", D_PROBE_BEGIN }, { "END", D_PROBE_END }, { "ERROR", D_PROBE_ERROR } };

	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++) {
		struct d_probe probe = {
			.names = { 0, "dtrace", "", "", fixed[i].name },
			.hook = HOOK_RUN,
			.number = fixed[i].number,
		};

		if (!probes_add(probes, &probe))
			return -ENOMEM;
	}
	return 0;
}

struct probes *probes_new(const struct probes_options *options)
{
	struct probes *probes = calloc(1, sizeof(*probes));
	int err = 0;

	if (!probes)
		return NULL;
	probes->options = *options;
	probes->options.pids = NULL;
	probes->options.pid_count = 0;
	probes->next_number = D_PROBE_FIRST;
	for (size_t i = 0; !err && i < options->pid_count; i++)
		err = probes_add_pid(probes, options->pids[i]);
	if (!err && !add_fixed(probes))
		return probes;
	probes_free(probes);
	errno = ENOMEM;
	return NULL;
}

static void free_entry(struct probe_entry *entry)
{
	free((char *)entry->probe.names.provider);
	free((char *)entry->probe.names.module);
	free((char *)entry->probe.names.function);
	free((char *)entry->probe.names.name);
	free(entry->probe.sites);
	free(entry);
}

void probes_free(struct probes *probes)
{
	struct numbered *numbered, *next;

	if (!probes)
		return;
	for (int i = 0; i < PROVIDERS; i++) {
		if (probes->kept[i].data)
			probes->kept[i].end(probes->kept[i].data);
	}
	HASH_CLEAR(hh, probes->by_key);
	for (size_t i = 0; i < probes->count; i++)
		free_entry(probes->entries[i]);
	HASH_ITER(hh, probes->numbers, numbered, next) {
		HASH_DEL(probes->numbers, numbered);
		free(numbered->text);
		free(numbered);
	}
	free(probes->entries);
	free(probes->pids);
	free(probes);
}

int probes_add_pid(struct probes *probes, pid_t pid)
{
	if (!array_has_room(probes->pids, probes->options.pid_count))
		return -ENOMEM;
	probes->pids[probes->options.pid_count++] = pid;
	probes->options.pids = probes->pids;
	return 0;
}

void probes_set_child(struct probes *probes, struct child *child)
{
	probes->child = child;
}

struct child *probes_child(const struct probes *probes)
{
	return probes->child;
}

int probes_enter_child(struct probes *probes, pid_t pid)
{
	int err;

	if (!probes->child || child_pid(probes->child) != pid)
		return 0;
	err = child_enter(probes->child);
	if (err)
		probes_explain(probes, "cannot start the command: %s", strerror(-err));
	return err;
}

const struct probes_options *probes_get_options(const struct probes *probes)
{
	return &probes->options;
}

void *probes_kept(const struct probes *probes, enum provider_id id)
{
	return probes->kept[id].data;
}

void probes_keep(struct probes *probes, enum provider_id id, void *data, void (*end)(void *data))
{
	probes->kept[id] = (struct provider_data){ data, end };
}

void probes_begin_search(struct probes *probes)
{
	probes->why[0] = '\0';
	probes->tag = "D_PDESC_ZERO";
}

void probes_explain(struct probes *probes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(probes->why, sizeof(probes->why), format, args);
	va_end(args);
}

void probes_refuse(struct probes *probes, const char *tag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(probes->why, sizeof(probes->why), format, args);
	va_end(args);
	probes->tag = tag;
}

const char *probes_why(const struct probes *probes)
{
	return probes->why;
}

const char *probes_tag(const struct probes *probes)
{
	return probes->tag;
}

/* Adding. */

static struct probe_entry *find(const struct probes *probes, uint32_t number, uint32_t function, pid_t pid)
{
	struct probe_key key = { .number = number, .function = function, .pid = (uint64_t)pid };
	struct probe_entry *entry;

	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): uthash's bytes are those of the key */
	HASH_FIND(hh, probes->by_key, &key, sizeof(key), entry);
	return entry;
}

static bool copy_names(struct probe_entry *entry, const struct probe_names *names)
{
	struct probe_names *own = &entry->probe.names;

	own->provider = strdup(names->provider);
	own->module = strdup(names->module);
	own->function = strdup(names->function);
	own->name = strdup(names->name);
	return own->provider && own->module && own->function && own->name;
}

struct d_probe *probes_add(struct probes *probes, const struct d_probe *probe)
{
	struct probe_entry *entry = find(probes, probe->number, probe->function, probe->pid);

	if (entry)
		return &entry->probe;
	if (!probe->number && probe->hook != HOOK_ERLANG)
		return NULL;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->probe = *probe;
	entry->key = (struct probe_key){ probe->number, probe->function, (uint64_t)probe->pid };
	if (!copy_names(entry, &probe->names) || !array_has_room(probes->entries, probes->count)) {
		free_entry(entry);
		return NULL;
	}
	probes->entries[probes->count++] = entry;
	entry->probe.names.id = (unsigned int)probes->count;
	HASH_ADD(hh, probes->by_key, key, sizeof(entry->key), entry);
	return &entry->probe;
}

uint32_t probes_number(struct probes *probes, const char *text)
{
	struct numbered *numbered;

	HASH_FIND_STR(probes->numbers, text, numbered);
	if (numbered)
		return numbered->number;
	if (probes->next_number >= 1u << ERL_PROBE_BITS)
		return 0;
	numbered = calloc(1, sizeof(*numbered));
	if (numbered)
		numbered->text = strdup(text);
	if (!numbered || !numbered->text) {
		free(numbered);
		return 0;
	}
	numbered->number = probes->next_number++;
	HASH_ADD_KEYPTR(hh, probes->numbers, numbered->text, strlen(numbered->text), numbered);
	return numbered->number;
}

/* Lookup. */

size_t probes_count(const struct probes *probes)
{
	return probes->count;
}

const struct d_probe *probes_get(const struct probes *probes, size_t i)
{
	return &probes->entries[i]->probe;
}

const struct d_probe *probes_find(const struct probes *probes, uint32_t number, uint32_t function, pid_t pid)
{
	struct probe_entry *entry = find(probes, number, function, pid);

	return entry ? &entry->probe : NULL;
}
