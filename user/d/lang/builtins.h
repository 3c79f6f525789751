/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that every program knows: built-in variables and constants. */
#ifndef ERLBPF_D_LANG_BUILTINS_H
#define ERLBPF_D_LANG_BUILTINS_H

#include <stddef.h>
#include <stdint.h>

#include "d/lang/symbol.h"

struct builtin_variable {
	const char *name;
	enum builtin builtin;
	const char *type; /* "uint64_t"; NULL: an array with its own check */
	const char *doc;
	bool reads_kernel; /* its function in bpf/d/ reads kernel structs */
};

extern const struct builtin_variable d_builtins[];
extern const size_t d_builtin_count;

const struct builtin_variable *d_builtin_find(const char *name);

struct builtin_constant {
	const char *name;
	int64_t value;
	const char *type;
};

const struct builtin_constant *d_constant_find(const char *name);

#endif
