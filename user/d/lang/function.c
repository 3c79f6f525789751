// SPDX-License-Identifier: BSD-2-Clause
#include "d/lang/function.h"

#include <string.h>

const struct d_function *function_find(const struct function_table *table, const char *name)
{
	for (size_t i = 0; table && i < table->count; i++) {
		if (!strcmp(table->rows[i].name, name))
			return &table->rows[i];
	}
	return NULL;
}
