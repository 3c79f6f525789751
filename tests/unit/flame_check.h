/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles in tests: made of folded lines, and compared as such. */
#ifndef ERLBPF_UNIT_FLAME_CHECK_H
#define ERLBPF_UNIT_FLAME_CHECK_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "flame/profile.h"

typedef int profile_writer(const struct profile *profile, FILE *to);

/* What a writer writes, which the caller frees; *size without the NUL behind it. */
static inline char *written(const struct profile *profile, profile_writer *write, size_t *size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, size);

	cr_assert(eq(int, write(profile, to), 0));
	fclose(to);
	return text;
}

static inline void expect_folded(const struct profile *profile, const char *lines)
{
	size_t size;
	char *text = written(profile, profile_write_folded, &size);

	expect_text(text, lines);
	free(text);
}

/* A profile of folded lines, of which so many are bad. */
static inline struct profile *read_lines(const char *lines, uint64_t bad)
{
	FILE *from = fmemopen((char *)lines, strlen(lines), "r");
	uint64_t bad_lines = 0;
	struct profile *profile = profile_read_folded(from, "test", &bad_lines);

	fclose(from);
	cr_assert(ne(ptr, profile, NULL));
	cr_expect(eq(u64, bad_lines, bad));
	return profile;
}

#endif
