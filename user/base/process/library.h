/* SPDX-License-Identifier: BSD-2-Clause */
/* Libraries that only some commands need. They are loaded at run time, so the program starts without them. */
#ifndef ERLBPF_BASE_PROCESS_LIBRARY_H
#define ERLBPF_BASE_PROCESS_LIBRARY_H

#include <stddef.h>

struct library_symbol {
	const char *name;
	void *function; /* a pointer to a function pointer, which is set */
};

/*
 * Loads the library `file` and finds its symbols. NULL, reported: `purpose` ("serving") says what needs it, `package`
 * is the Debian package. The caller may dlclose() the result.
 */
void *library_load(const char *file, const char *package, const char *purpose, const struct library_symbol *symbols,
		   size_t count);

#endif
