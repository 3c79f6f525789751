/* SPDX-License-Identifier: BSD-2-Clause */
/* Libraries that only some commands need, and that are loaded by these: the program runs where they are not. */
#ifndef ERLBPF_BASE_PROCESS_LIBRARY_H
#define ERLBPF_BASE_PROCESS_LIBRARY_H

#include <stddef.h>

struct library_symbol {
	const char *name;
	void *function; /* a pointer to a function, which is set */
};

/*
 * Loads the library `file` and finds its symbols. NULL, explained: `purpose` ("serving") is what it is needed for,
 * `package` is Debian's. What is returned is for dlclose().
 */
void *library_load(const char *file, const char *package, const char *purpose, const struct library_symbol *symbols,
		   size_t count);

#endif
