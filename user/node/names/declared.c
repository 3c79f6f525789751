// SPDX-License-Identifier: BSD-2-Clause
#include "node/names/declared.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "node/atoms/atoms.h"

#define MARK "$erlbpf:"

struct reading {
	struct declared *declared;
	int err;
};

static bool visit(void *data, const char *bytes, size_t length)
{
	struct reading *reading = data;
	struct declared *declared = reading->declared;
	size_t mark = strlen(MARK);
	char *name;

	if (length <= mark || memcmp(bytes, MARK, mark) != 0)
		return true;
	if (declared->count == DECLARED_MOST) {
		declared->left_out++;
		return true;
	}
	name = strndup(bytes + mark, length - mark);
	if (!name || !array_has_room(declared->names, declared->count)) {
		free(name);
		reading->err = -ENOMEM;
		return false;
	}
	declared->names[declared->count++] = name;
	return true;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int declared_read(const struct target *target, struct declared *declared)
{
	struct reading reading = { .declared = declared };
	struct atoms *atoms = atoms_new(target);

	*declared = (struct declared){};
	if (!atoms)
		return errno == ENOMEM ? -ENOMEM : 0;
	atoms_each(atoms, visit, &reading);
	atoms_free(atoms);
	if (declared->count)
		qsort(declared->names, declared->count, sizeof(*declared->names), compare);
	return reading.err;
}

void declared_free(struct declared *declared)
{
	for (size_t i = 0; i < declared->count; i++)
		free(declared->names[i]);
	free(declared->names);
	*declared = (struct declared){};
}
