// SPDX-License-Identifier: BSD-2-Clause
#include "node/memory/fields.h"

#include <errno.h>
#include <string.h>

static const struct vm_field {
	int otp; /* 0: every release */
	const char *name;
	int64_t offset[2]; /* in a VM without and with SDT notes */
} fields[] = {
#define FIELD(otp, name, offset, offset_with_notes) { otp, name, { offset, offset_with_notes } },
#define BEHIND_MUTEXES(otp, name, count)
#include "fields.def"
#undef FIELD
#undef BEHIND_MUTEXES
};

/* How many mutexes are before a field in its structure. */
static const struct behind {
	int otp;
	const char *name;
	int64_t count;
} behind[] = {
#define FIELD(otp, name, offset, offset_with_notes)
#define BEHIND_MUTEXES(otp, name, count) { otp, name, count },
#include "fields.def"
#undef FIELD
#undef BEHIND_MUTEXES
};

#define WORD 8
#define PROCESS "process."
#define FRAME_POINTER 96 /* its offset in struct process in all releases: after stop */

static bool is_of(const struct vm *vm, int otp)
{
	return !otp || otp == vm->like;
}

/* The shift of a field by mutexes that are larger than those in the builds that the offsets were taken from. */
static int64_t moved_by_mutexes(const struct vm *vm, const char *name)
{
	for (size_t i = 0; vm->has_large_mutex && i < sizeof(behind) / sizeof(*behind); i++) {
		if (is_of(vm, behind[i].otp) && !strcmp(behind[i].name, name))
			return behind[i].count * WORD;
	}
	return 0;
}

static int64_t moved_by_frame_pointer(const struct vm *vm, const char *name, int64_t offset)
{
	if (!vm->has_no_frame_pointer || offset <= FRAME_POINTER || strncmp(name, PROCESS, strlen(PROCESS)))
		return 0;
	return -WORD;
}

int field_offset(const struct vm *vm, const char *name, int64_t *offset)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (!is_of(vm, fields[i].otp) || strcmp(fields[i].name, name))
			continue;
		*offset = fields[i].offset[vm->has_notes];
		*offset += moved_by_mutexes(vm, name) + moved_by_frame_pointer(vm, name, *offset);
		return 0;
	}
	return -ENOENT;
}
