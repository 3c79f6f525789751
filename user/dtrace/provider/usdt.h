/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sites of SDT notes of any process. What a note says of its file holds for each process that has it mapped, so sites
 * belong to the file.
 */
#ifndef ERLBPF_DTRACE_PROVIDER_USDT_H
#define ERLBPF_DTRACE_PROVIDER_USDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"

struct note_site {
	int fd;			    /* of the file, the provider's */
	const char *file;	    /* its name */
	const char *function;	    /* in which it is, "" if it is not known */
	uint64_t offset, semaphore; /* in the file, 0: none */
	struct erl_operand args[ERL_MAX_ARGS];
	const char *unreadable[ERL_MAX_ARGS]; /* why there is no operand, NULL: there is */
	int argc;
};

/* The type in C that the note gives an argument, NULL: there is no such argument. */
const char *note_site_type(const struct note_site *site, int arg);

#endif
