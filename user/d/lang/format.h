/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formats of printf() and printa(), taken apart once when the program is compiled. The checker holds arguments
 * against them, the consumer prints by them.
 */
#ifndef ERLBPF_D_LANG_FORMAT_H
#define ERLBPF_D_LANG_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct type;

enum format_class {
	FORMAT_TEXT,	 /* no conversion: only `text` */
	FORMAT_SIGNED,	 /* %d %i, also %hd %ld %lld: the argument's own size counts */
	FORMAT_UNSIGNED, /* %u %o %x %X */
	FORMAT_CHAR,	 /* %c %C */
	FORMAT_STRING,	 /* %s %S */
	FORMAT_POINTER,	 /* %p */
	FORMAT_FLOAT,	 /* %e %E %f %g %G */
	FORMAT_ADDRESS,	 /* %a %A: what lies there, kernel or user */
	FORMAT_STACK,	 /* %k */
	FORMAT_DATE,	 /* %Y, nanoseconds since 1970 */
	FORMAT_TIME,	 /* %T: time of day as in RFC 822; or a term, if the argument is one */
};

/* Of a width or precision; those from arguments ("*") are cut: a number of a hostile process must not fill the disk. */
#define FORMAT_WIDE_MOST 1000000
#define FORMAT_STAR_MOST 4096

struct format_part {
	const char *text; /* before the conversion, escapes resolved; "%%" is "%" */
	size_t text_size;
	enum format_class class;
	char conversion;			     /* its letter */
	char modifier[3];			     /* "h", "l", "ll", "L", "w", or "" */
	bool minus, plus, space, sharp, zero, group; /* flags - + blank # 0 ' */
	bool is_agg;				     /* %@d: the value of an aggregation */
	bool star_width, star_precision;	     /* taken from arguments before it */
	int width, precision;			     /* -1: not given */
	struct format_part *next;
};

struct format {
	const char *text; /* as it was written */
	struct format_part *parts;
};

/* NULL with a message about what is wrong, both in the arena. */
struct format *format_parse(struct arena *arena, const char *text, size_t size, const char **wrong);

/* May an argument of that type be printed so? NULL, or the name of what is expected: "integer", "string"... */
const char *format_mismatch(const struct format_part *part, struct type *type);

#endif
