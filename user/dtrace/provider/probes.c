// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/provider/probes.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "dtrace/provider/objects.h"
#include "dtrace/provider/old_names.h"
#include "dtrace/provider/provider.h"

/* What a firing says of its probe. */
struct key {
	uint32_t number, function;
	uint64_t pid;
};

struct entry {
	struct key key;
	struct d_probe probe;
	UT_hash_handle hh;
};

struct numbered {
	char *text;
	uint32_t number;
	UT_hash_handle hh;
};

struct probes {
	struct probes_options options;
	pid_t *pids; /* options.pids, owned */
	struct child *child;
	struct entry **entries; /* by id */
	size_t count;
	struct entry *by_key;
	struct numbered *numbers;
	uint32_t next_number;
	void *kept[PROVIDERS];
	char why[512];
	const char *tag;
};

static const struct provider *const providers[PROVIDERS] = {
	[PROVIDER_TIMER] = &provider_timer,
	[PROVIDER_SYSTEM] = &provider_system,
	[PROVIDER_ERLANG] = &provider_erlang,
	[PROVIDER_PID] = &provider_pid,
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

	if (!probes)
		return NULL;
	probes->options = *options;
	probes->options.pids = NULL;
	probes->options.pid_count = 0;
	probes->next_number = D_PROBE_FIRST;
	for (size_t i = 0; i < options->pid_count; i++)
		probes_add_pid(probes, options->pids[i]);
	if (!add_fixed(probes))
		return probes;
	probes_free(probes);
	errno = ENOMEM;
	return NULL;
}

static void free_entry(struct entry *entry)
{
	free((char *)entry->probe.names.provider);
	free((char *)entry->probe.names.module);
	free((char *)entry->probe.names.function);
	free((char *)entry->probe.names.name);
	free(entry);
}

void probes_free(struct probes *probes)
{
	struct numbered *numbered, *next;

	if (!probes)
		return;
	for (int i = 0; i < PROVIDERS; i++) {
		if (probes->kept[i])
			providers[i]->end(probes->kept[i]);
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

void probes_add_pid(struct probes *probes, pid_t pid)
{
	pid_t *grown = realloc(probes->pids, (probes->options.pid_count + 1) * sizeof(*grown));

	if (!grown)
		return;
	probes->pids = grown;
	grown[probes->options.pid_count++] = pid;
	probes->options.pids = grown;
}

void probes_set_child(struct probes *probes, struct child *child)
{
	probes->child = child;
}

struct child *probes_child(const struct probes *probes)
{
	return probes->child;
}

const struct probes_options *probes_get_options(const struct probes *probes)
{
	return &probes->options;
}

void **probes_kept(struct probes *probes, enum provider_id id)
{
	return &probes->kept[id];
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

const char *probes_tag(const struct probes *probes)
{
	return probes->tag;
}

/* Adding. */

static struct entry *find(const struct probes *probes, uint32_t number, uint32_t function, pid_t pid)
{
	struct key key = { .number = number, .function = function, .pid = (uint64_t)pid };
	struct entry *entry;

	HASH_FIND(hh, probes->by_key, &key, sizeof(key), entry);
	return entry;
}

static bool copy_names(struct entry *entry, const struct probe_names *names)
{
	struct probe_names *own = &entry->probe.names;

	own->provider = strdup(names->provider);
	own->module = strdup(names->module);
	own->function = strdup(names->function);
	own->name = strdup(names->name);
	return own->provider && own->module && own->function && own->name;
}

static bool make_room(struct probes *probes)
{
	struct entry **grown;

	if (probes->count & (probes->count - 1))
		return true;
	grown = realloc(probes->entries, (probes->count ? probes->count * 2 : 1) * sizeof(*grown));
	if (grown)
		probes->entries = grown;
	return grown != NULL;
}

struct d_probe *probes_add(struct probes *probes, const struct d_probe *probe)
{
	struct entry *entry = find(probes, probe->number, probe->function, probe->pid);

	if (entry)
		return &entry->probe;
	if (!probe->number && probe->hook != HOOK_ERLANG)
		return NULL;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->probe = *probe;
	entry->key = (struct key){ probe->number, probe->function, (uint64_t)probe->pid };
	if (!copy_names(entry, &probe->names) || !make_room(probes)) {
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

/* Matching. */

bool probes_is_glob(const char *text)
{
	return !*text || strpbrk(text, "*?[");
}

bool probes_glob(const char *glob, const char *text)
{
	if (!*glob || !strcmp(glob, text))
		return true;
	return strpbrk(glob, "*?[\\") && !fnmatch(glob, text, 0);
}

pid_t probes_pid_of(const char *provider, const char *prefix)
{
	size_t n = strlen(prefix), digits = strncmp(provider, prefix, n) ? 0 : strspn(provider + n, "0123456789");
	long pid;

	if (!digits || digits > 10 || provider[n + digits])
		return 0;
	pid = strtol(provider + n, NULL, 10);
	return pid > 0 && pid <= INT_MAX ? (pid_t)pid : 0;
}

bool probes_is_nobody(const char *provider, const char *prefix)
{
	size_t n = strlen(prefix);

	return !strncmp(provider, prefix, n) && !strcmp(provider + n, "0");
}

/* "erlang" alone is that of any process. */
static bool matches_provider(const char *glob, const char *provider)
{
	return probes_glob(glob, provider) || (!strcmp(glob, "erlang") && probes_pid_of(provider, "erlang")) ||
	       (!strcmp(glob, "vm") && probes_pid_of(provider, "vm"));
}

/* What answers for an old name of the provider erlang may be a probe of ours. */
static bool matches_old_name(const struct probe_spec *spec, const struct probe_names *names)
{
	char provider[32];

	if (!old_name_means(spec->name, names->name))
		return false;
	snprintf(provider, sizeof(provider), "erlang%d", probes_pid_of(names->provider, "vm"));
	return matches_provider(spec->provider, names->provider) || matches_provider(spec->provider, provider);
}

static bool matches_name(const struct probe_spec *spec, const struct probe_names *names)
{
	return (probes_glob(spec->name, names->name) && matches_provider(spec->provider, names->provider)) ||
	       matches_old_name(spec, names);
}

bool probes_spec_matches(const struct probe_spec *spec, const struct probe_names *names)
{
	return matches_name(spec, names) && probes_glob(spec->module, names->module) &&
	       probes_glob(spec->function, names->function);
}

bool probes_is_matched(const struct probe_spec *spec, const struct d_probe *probe)
{
	struct probe_names names = probe->names;

	if (probe->object) {
		if (!object_is_named(probe->object, spec->module))
			return false;
		names.module = spec->module;
		return !strcmp(spec->provider, names.provider) && probes_spec_matches(spec, &names);
	}
	return probes_spec_matches(spec, &names);
}

int probes_match(struct probes *probes, const struct probe_spec *spec,
		 void (*visit)(void *data, const struct d_probe *probe), void *data, const char **why)
{
	int matched = 0, err = 0;

	probes->why[0] = '\0';
	probes->tag = "D_PDESC_ZERO";
	if (why)
		*why = probes->why;
	for (int i = 0; !err && i < PROVIDERS; i++)
		err = providers[i]->discover(probes, spec);
	if (err)
		return err;
	for (size_t i = 0; i < probes->count; i++) {
		const struct d_probe *probe = &probes->entries[i]->probe;

		if (!probes_is_matched(spec, probe))
			continue;
		matched++;
		if (visit)
			visit(data, probe);
	}
	return matched;
}

int probes_list(struct probes *probes, void (*visit)(void *data, const struct d_probe *probe), void *data)
{
	int err = 0;

	for (int i = 0; !err && i < PROVIDERS; i++)
		err = providers[i]->list ? providers[i]->list(probes) : 0;
	for (size_t i = 0; !err && i < probes->count; i++)
		visit(data, &probes->entries[i]->probe);
	return err ? err : (int)probes->count;
}

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
	struct entry *entry = find(probes, number, function, pid);

	return entry ? &entry->probe : NULL;
}
