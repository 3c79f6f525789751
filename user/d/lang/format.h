/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formats of printf() and printa(), parsed at compile time. The checker compares arguments with them, and the consumer
 * prints by them.
 */
#ifndef ERLBPF_D_LANG_FORMAT_H
#define ERLBPF_D_LANG_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct type;

enum format_class {
	FORMAT_TEXT,	 /* only `text` */
	FORMAT_SIGNED,	 /* %d %i, also %hd %ld %lld: the size of the argument counts */
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

/*
 * Limit for width and precision. Values from arguments ("*") are cut: a number from a hostile process must not fill the
 * disk.
 */
#define FORMAT_WIDE_MOST 1000000
#define FORMAT_STAR_MOST 4096

struct format_part {
	const char *text; /* before the conversion, escapes resolved; "%%" is "%" */
	size_t text_size;
	enum format_class class;
	char conversion;			     /* letter */
	char modifier[3];			     /* "h", "l", "ll", "L", "w", or "" */
	bool minus, plus, space, sharp, zero, group; /* flags - + blank # 0 ' */
	bool is_agg;				     /* %@d: the value of an aggregation */
	bool star_width, star_precision;	     /* taken from preceding arguments */
	int width, precision;			     /* -1: none */
	struct format_part *next;
};

struct format {
	const char *text; /* as written */
	struct format_part *parts;
};

/* NULL with an error message, both in the arena. */
struct format *format_parse(struct arena *arena, const char *text, size_t size, const char **wrong);

/* NULL if an argument of that type is valid, or the expected type: "integer", "string"... */
const char *format_mismatch(const struct format_part *part, struct type *type);

#endif
