// SPDX-License-Identifier: BSD-2-Clause
#include "probe/callers.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "base/cleanup.h"

#define ALIGNMENT 16 /* of functions: the gap between adjacent ones is smaller */

static const struct caller {
	const char *pattern;
	enum erl_caller kind;
	enum erl_caller after; /* of the code between it and the next exported function */
} callers[] = {
#define CALLER(kind, pattern, after) { pattern, kind, after },
#include "callers.def"
#undef CALLER
};

static const struct caller *caller_of(const char *function)
{
	for (size_t i = 0; i < sizeof(callers) / sizeof(*callers); i++) {
		if (!fnmatch(callers[i].pattern, function, 0))
			return &callers[i];
	}
	return NULL;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct image_symbol *x = *(const struct image_symbol *const *)a;
	const struct image_symbol *y = *(const struct image_symbol *const *)b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/*
 * Exported functions by address. Static ones are skipped, so that stripped and unstripped builds give the same result.
 */
static const struct image_symbol **exported(const struct image *image, size_t *count)
{
	size_t all;
	const struct image_symbol *symbols = image_symbols(image, &all);
	const struct image_symbol **sorted = calloc(all + 1, sizeof(*sorted));

	*count = 0;
	for (size_t i = 0; sorted && i < all; i++) {
		if (symbols[i].is_function && !symbols[i].is_local)
			sorted[(*count)++] = &symbols[i];
	}
	if (sorted)
		qsort(sorted, *count, sizeof(*sorted), compare_addresses);
	return sorted;
}

/* Ranges found so far, relative to the site. */
struct found {
	struct erl_caller_range *ranges;
	size_t count;
	uint64_t site;
};

static void add_range(struct found *found, enum erl_caller kind, uint64_t from, uint64_t to)
{
	struct erl_caller_range range = {
		.from = (__s64)(from - found->site),
		.to = (__s64)(to - found->site),
		.kind = kind,
	};
	struct erl_caller_range *last = found->count ? &found->ranges[found->count - 1] : NULL;

	if (last && last->kind == range.kind && last->to + ALIGNMENT > range.from)
		last->to = range.to > last->to ? range.to : last->to;
	else if (kind != ERL_CALLER_OTHER && found->count < ERL_MAX_CALLERS)
		found->ranges[found->count++] = range;
}

int callers_find(const struct image *image, uint64_t site, struct erl_caller_range ranges[ERL_MAX_CALLERS])
{
	size_t count;
	_cleanup_free_ const struct image_symbol **sorted = exported(image, &count);
	struct found found = { .ranges = ranges, .site = site };

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct caller *caller = caller_of(sorted[i]->name);
		uint64_t end = sorted[i]->address + sorted[i]->size;

		if (!caller)
			continue;
		add_range(&found, caller->kind, sorted[i]->address, end);
		if (i + 1 < count && sorted[i + 1]->address >= end + ALIGNMENT)
			add_range(&found, caller->after, end, sorted[i + 1]->address);
	}
	return 0;
}
