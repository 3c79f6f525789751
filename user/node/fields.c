// SPDX-License-Identifier: BSD-2-Clause
#include "node/fields.h"

#include <errno.h>
#include <string.h>

static const struct vm_field {
	int otp; /* 0: every release */
	const char *name;
	int64_t offset[2]; /* without notes, with notes */
} fields[] = {
#define FIELD(otp, name, offset, offset_with_notes) { otp, name, { offset, offset_with_notes } },
#include "fields.def"
#undef FIELD
};

int field_offset(const struct vm *vm, const char *name, int64_t *offset)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if ((fields[i].otp && fields[i].otp != vm->like) || strcmp(fields[i].name, name))
			continue;
		*offset = fields[i].offset[vm->has_notes];
		return 0;
	}
	return -ENOENT;
}
