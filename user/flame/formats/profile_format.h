/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats of profiles, by their names: what command lines and requests ask for. */
#ifndef ERLBPF_FLAME_FORMATS_PROFILE_FORMAT_H
#define ERLBPF_FLAME_FORMATS_PROFILE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "flame/profile.h"

enum profile_format {
	PROFILE_TEXT,
	PROFILE_FOLDED,
	PROFILE_HTML,
	PROFILE_SVG,
	PROFILE_PPROF,
	PROFILE_SPEEDSCOPE,
	PROFILE_JSON,
	PROFILE_FORMATS,
};

/* "html", "pprof", ... False: there is none of that name. */
bool profile_format_find(const char *name, enum profile_format *format);

/* What HTTP calls it. */
const char *profile_format_type(enum profile_format format);

/* Do its readers bring the lines of a function together themselves? Then they are given them. */
bool profile_format_has_lines(enum profile_format format);

/* `rows` and `width` are of text, see profile_write_text(). 0 or -errno. */
int profile_write(const struct profile *profile, enum profile_format format, FILE *to, size_t rows, size_t width);

#endif
