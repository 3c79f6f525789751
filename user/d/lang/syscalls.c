// SPDX-License-Identifier: BSD-2-Clause
#include "d/lang/syscalls.h"

#include <stdlib.h>
#include <string.h>

static const struct call_types {
	const char *name, *types;
} calls[] = {
#include "d/lang/syscall_types.def"
};

static int by_name(const void *a, const void *b)
{
	const struct call_types *x = a, *y = b;

	return strcmp(x->name, y->name);
}

const char *syscall_types(const char *name)
{
	const struct call_types wanted = { .name = name };
	const struct call_types *call = bsearch(&wanted, calls, sizeof(calls) / sizeof(*calls), sizeof(*calls),
						by_name);

	return call ? call->types : NULL;
}

int syscall_arguments(const char *name)
{
	const char *types = syscall_types(name);
	int count = types && *types;

	for (; types && *types; types++)
		count += *types == ',';
	return types ? count : -1;
}
