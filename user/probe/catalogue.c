// SPDX-License-Identifier: BSD-2-Clause
#include "probe/catalogue.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const struct probe_def probe_defs[] = {
#include "probe_table.inc"
};

const size_t probe_def_count = sizeof(probe_defs) / sizeof(*probe_defs);

static uint32_t size_of(const struct probe_def *def)
{
	return def->last < 0 ? 1 : (uint32_t)(def->last - def->first + 1);
}

uint32_t probe_count(void)
{
	const struct probe_def *end = &probe_defs[probe_def_count - 1];

	return end->id + size_of(end);
}

const struct probe_def *probe_def(uint32_t id)
{
	size_t first = 0, end = probe_def_count;

	while (end - first > 1) {
		size_t middle = first + (end - first) / 2;

		if (probe_defs[middle].id > id)
			end = middle;
		else
			first = middle;
	}
	return &probe_defs[first];
}

/* Not printf(), which is slow: each program matches a thousand names. */
const char *probe_numbered(const char *word, unsigned int number, char *buf)
{
	size_t length = strnlen(word, PROBE_NAME_SIZE - PROBE_DIGITS - 1), digits = 1;

	for (unsigned int rest = number; rest >= 10; rest /= 10)
		digits++;
	memcpy(buf, word, length);
	buf[length + digits] = '\0';
	for (; digits > 0; number /= 10)
		buf[length + --digits] = (char)('0' + number % 10);
	return buf;
}

const char *probe_name(uint32_t id, char *buf)
{
	const struct probe_def *def = probe_def(id);
	size_t length;

	if (def->last >= 0)
		return probe_numbered(def->name, (unsigned int)def->first + (id - def->id), buf);
	length = strnlen(def->name, PROBE_NAME_SIZE - 1);
	memcpy(buf, def->name, length);
	buf[length] = '\0';
	return buf;
}

const char *probe_range_name(uint32_t first, uint32_t last, char *buf)
{
	char end[PROBE_NAME_SIZE];

	probe_name(first, buf);
	if (last > first)
		snprintf(buf + strlen(buf), PROBE_NAME_SIZE, "..%s", strrchr(probe_name(last, end), '-') + 1);
	return buf;
}

/*
 * Compares a name with dashes or underscores to one of the catalogue. Returns the rest of `name` after a match, or
 * NULL.
 */
static const char *skip_name(const char *name, const char *with)
{
	for (; *with; with++) {
		if (*with == '-' && name[0] == '_' && name[1] == '_')
			name += 2;
		else if (*with == *name)
			name++;
		else
			return NULL;
	}
	return name;
}

static int64_t find_in_row(const struct probe_def *def, const char *name)
{
	const char *rest = skip_name(name, def->name);
	char *end;
	long n;

	if (!rest)
		return -1;
	if (def->last < 0)
		return *rest ? -1 : (int64_t)def->id;
	if (*rest < '0' || *rest > '9' || (*rest == '0' && rest[1]))
		return -1;
	n = strtol(rest, &end, 10);
	if (*end || n < def->first || n > def->last)
		return -1;
	return (int64_t)def->id + n - def->first;
}

int64_t probe_find(const char *provider, const char *name)
{
	for (size_t i = 0; i < probe_def_count; i++) {
		int64_t id = find_in_row(&probe_defs[i], name);

		if (id >= 0 && (!provider || !strcmp(probe_defs[i].provider, provider)))
			return id;
	}
	return -1;
}

bool probe_matches(uint32_t id, const char *glob)
{
	char name[PROBE_NAME_SIZE], full[2 * PROBE_NAME_SIZE];
	const char *provider = probe_def(id)->provider;

	probe_name(id, name);
	if (strchr(glob, ':')) {
		snprintf(full, sizeof(full), "%s:%s", provider, name);
		return fnmatch(glob, full, 0) == 0;
	}
	if (strpbrk(glob, "*?[") && strcmp(provider, "erlang"))
		return false;
	return fnmatch(glob, name, 0) == 0;
}

bool probe_is_chosen(const char *full, const char *glob)
{
	return !fnmatch(glob, strchr(glob, ':') ? full : strchr(full, ':') + 1, 0);
}

/* The wildcards before and after the word. */
struct widening {
	const char *before, *after;
};

/* Finds the first probe whose name has the word as a prefix or part. On success, sets the glob. */
static bool widen(const char *word, const struct widening *how, uint32_t id, char *buf)
{
	char name[PROBE_NAME_SIZE];
	const char *provider = probe_def(id)->provider, *at = strstr(probe_name(id, name), word);

	if (!at || (at > name && !*how->before))
		return false;
	/* Without a provider, a glob means probes of erlang. */
	snprintf(buf, PROBE_GLOB_SIZE, "%s%s%s%.40s%s", strcmp(provider, "erlang") ? provider : "",
		 strcmp(provider, "erlang") ? ":" : "", how->before, word, how->after);
	return true;
}

#define FEW_EDITS 2

static void find_near(const char *word, size_t most, bool (*is_one)(const void *data, uint32_t id), const void *data,
		      char *buf)
{
	char name[PROBE_NAME_SIZE];
	struct text_near near;

	text_near_begin(&near, word, most);
	for (uint32_t id = 0; id < probe_count(); id++) {
		if (is_one(data, id) && text_near_try(&near, probe_name(id, name)))
			snprintf(buf, PROBE_GLOB_SIZE, "%s", name);
	}
}

/* Suggests a probe whose name differs by a few letters, or contains the word. */
static void find_likely(const char *word, bool (*is_one)(const void *data, uint32_t id), const void *data, char *buf)
{
	static const struct widening ways[] = { { "", "*" }, { "*", "*" } };

	find_near(word, strlen(word) / 2 < FEW_EDITS ? strlen(word) / 2 : FEW_EDITS, is_one, data, buf);
	for (size_t way = 0; !*buf && way < sizeof(ways) / sizeof(*ways); way++) {
		for (uint32_t id = 0; !*buf && id < probe_count(); id++) {
			if (is_one(data, id))
				widen(word, &ways[way], id, buf);
		}
	}
}

/* Tries the word without its last one or two letters as a prefix: "gc*" for "gcx". */
static void find_beginning(const char *word, bool (*is_one)(const void *data, uint32_t id), const void *data, char *buf)
{
	static const struct widening way = { "", "*" };
	char part[PROBE_NAME_SIZE];
	size_t length = strlen(word), least = length > 4 ? length - FEW_EDITS : 2;

	while (!*buf && --length >= least && length < sizeof(part)) {
		snprintf(part, sizeof(part), "%.*s", (int)length, word);
		for (uint32_t id = 0; !*buf && id < probe_count(); id++) {
			if (is_one(data, id))
				widen(part, &way, id, buf);
		}
	}
}

static bool is_any(const void *data, uint32_t id)
{
	(void)data;
	(void)id;
	return true;
}

const char *probe_nearest(const char *glob, bool (*is_one)(const void *data, uint32_t id), const void *data, char *buf)
{
	const char *colon = strrchr(glob, ':'), *word = colon ? colon + 1 : glob;

	buf[0] = '\0';
	/* Words with wildcards get no suggestion. */
	if (!*word || strpbrk(word, "*?["))
		return buf;
	is_one = is_one ? is_one : is_any;
	find_likely(word, is_one, data, buf);
	if (!*buf)
		find_near(word, strlen(word) / 2, is_one, data, buf);
	if (!*buf)
		find_beginning(word, is_one, data, buf);
	return buf;
}

#define APP_PREFIX "app:"

const char *probe_app_name(const char *glob)
{
	char likely[PROBE_GLOB_SIZE] = "";

	if (!strncmp(glob, APP_PREFIX, strlen(APP_PREFIX)))
		return glob + strlen(APP_PREFIX);
	if (!*glob || strpbrk(glob, ":*?["))
		return NULL;
	for (uint32_t id = 0; id < probe_count(); id++) {
		if (probe_matches(id, glob))
			return NULL;
	}
	find_likely(glob, is_any, NULL, likely);
	return *likely ? NULL : glob;
}

const char *probe_denied(const struct probe_def *def, bool is_jit)
{
	if (def->deny_always)
		return def->deny_always;
	return is_jit ? def->deny_jit : NULL;
}

bool probe_arg_is_text(const struct probe_arg *arg)
{
	return strchr(arg->type, '*') != NULL;
}

bool probe_arg_is_term(const struct probe_arg *arg)
{
	return !strcmp(arg->kind, "term");
}

bool probe_arg_is_id(const struct probe_arg *arg)
{
	return !strcmp(arg->kind, "pid") || !strcmp(arg->kind, "port") || !strcmp(arg->kind, "process");
}
