// SPDX-License-Identifier: BSD-2-Clause
#include "results/called.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

static int compare(const void *a, const void *b)
{
	const struct called_function *x = a, *y = b;

	if (x->os_id != y->os_id)
		return x->os_id < y->os_id ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int add_node(struct called *called, const struct attachment *a, uint32_t generation)
{
	size_t count;
	const struct breakpoints_called *functions = breakpoints_turn(a->breakpoints, generation, &count);

	for (size_t i = 0; i < count; i++) {
		if (!array_has_room(called->functions, called->count))
			return -ENOMEM;
		called->functions[called->count++] = (struct called_function){
			.os_id = a->target->os_id,
			.id = functions[i].id,
			.calls = functions[i].calls,
			.looked = functions[i].looked,
		};
	}
	return 0;
}

int called_turn(struct called *called, const struct follow *follow, uint32_t generation)
{
	int err = 0;

	called->count = 0;
	for (size_t i = 0; !err && i < follow_count(follow); i++) {
		const struct attachment *a = follow_get(follow, i);

		if (a->breakpoints)
			err = add_node(called, a, generation);
	}
	if (called->count)
		qsort(called->functions, called->count, sizeof(*called->functions), compare);
	return err;
}

void called_free(struct called *called)
{
	free(called->functions);
	*called = (struct called){};
}

int called_rows(const struct called *called, struct counter_row **rows, size_t *count)
{
	*count = 0;
	*rows = calloc(called->count + 1, sizeof(**rows));
	for (size_t i = 0; *rows && i < called->count; i++) {
		const struct called_function *f = &called->functions[i];

		if (f->calls)
			(*rows)[(*count)++] = (struct counter_row){ .key = { .id = f->id, .os_id = f->os_id },
								    .counter.count = f->calls };
	}
	return *rows ? 0 : -ENOMEM;
}

uint64_t called_calls(const struct called *called)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < called->count; i++)
		calls += called->functions[i].calls;
	return calls;
}

uint64_t called_in_all(const struct follow *follow)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < follow_count(follow); i++) {
		const struct attachment *a = follow_get(follow, i);

		calls += a->breakpoints ? breakpoints_calls(a->breakpoints) : 0;
	}
	return calls;
}
