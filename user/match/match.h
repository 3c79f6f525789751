/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names for the functions and data of a VM that hides them. It is compared with builds of the same release whose names
 * are known (reference.h), each by itself. What two of them agree on, and none contradicts, is taken; all else has no
 * name. 4,800 of the 6,600 functions of OTP 29 get one; see docs/matching.md for what was measured.
 */
#ifndef ERLBPF_MATCH_MATCH_H
#define ERLBPF_MATCH_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_file.h"

struct match_symbol {
	const char *name; /* owned by the match */
	uint32_t address, size;
	bool is_function;
	bool is_static;
};

/* Why there are no names, or fewer than there might be. */
enum match_result {
	MATCH_NOT_TRIED,
	MATCH_DONE,
	MATCH_UNLIKE,	  /* only anchors: the build is unlike all that are known */
	MATCH_NO_RELEASE, /* nothing is known of its release */
	MATCH_NO_FRAMES,  /* it does not say where functions begin, or cannot be compared */
	MATCH_INLINED,	  /* not tried: its own names show that functions were inlined and copied when it was linked */
	MATCH_RESULTS,
};

struct match {
	enum match_result result;
	struct match_symbol *symbols;
	size_t count;
	void *owned;	  /* names of references */
	char **own_names; /* and others */
	size_t own_count;
};

/* 0 (match->result says what was found), or -ENOMEM. match_free() in any case. */
int match_make(const struct elf_file *file, struct match *match);
void match_free(struct match *match);

/* Another number: other references are known, and what was found before may be found better. */
uint32_t match_version(void);

/* A result in words, for who misses a function; NULL: there is nothing to say. */
const char *match_why(enum match_result result);

#endif
