/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names for the functions and data of a VM that hides them. The VM is compared with each of several builds of its
 * release whose names are known (reference.h). A name is used if two references agree on it and none contradicts. 4,800
 * of the 6,600 functions of OTP 29 get one; docs/matching.md has the measurements.
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

/* Why names are missing. */
enum match_result {
	MATCH_NOT_TRIED,
	MATCH_DONE,
	MATCH_TOO_DIFFERENT, /* anchors only: the build differs too much from all references */
	MATCH_NO_RELEASE,    /* no reference for its release */
	MATCH_NO_FRAMES,     /* no .eh_frame, or a limit was exceeded */
	MATCH_INLINED,	     /* not tried: its symbols show link-time optimization */
	MATCH_RESULTS,
};

struct match {
	enum match_result result;
	struct match_symbol *symbols;
	size_t count;
	void *owned;	  /* names of the references */
	char **own_names; /* other names */
	size_t own_count;
};

/* 0 (match->result has the outcome), or -ENOMEM. Call match_free() in any case. */
int match_make(const struct elf_file *file, struct match *match);
void match_free(struct match *match);

/* Changes with the references and the algorithm, so that cached results can be dropped. */
uint32_t match_version(void);

/* Explains why a function is missing; NULL: no explanation. */
const char *match_why(enum match_result result);

#endif
