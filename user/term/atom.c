// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: quote_atom() of io_lib.erl, reserved_word() of erl_scan.erl, print_atom_name() of erl_printf_term.c; the same
 * in OTP 25.2.3, 27.3.4.1 and 29.1.1, except for the reserved words of features that are enabled by default
 * (erl_features.erl).
 */
#include "term/atom.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

static bool is_reserved(const char *bytes, size_t length, int otp)
{
	static const char *const words[] = {
		"after", "begin", "case", "try",     "cond", "catch", "andalso", "orelse", "end",  "fun",
		"if",	 "let",	  "of",	  "receive", "when", "bnot",  "not",	 "div",	   "rem",  "band",
		"and",	 "bor",	  "bxor", "bsl",     "bsr",  "or",    "xor",	 "maybe",  "else", /* since OTP 27 */
	};
	size_t count = sizeof(words) / sizeof(*words) - (otp < 27 ? 2 : 0);

	for (size_t i = 0; i < count; i++) {
		if (strlen(words[i]) == length && !memcmp(words[i], bytes, length))
			return true;
	}
	return false;
}

static bool is_lower(unsigned int code)
{
	return (code >= 'a' && code <= 'z') || (code >= 0xdf && code <= 0xff && code != 0xf7);
}

static bool is_upper(unsigned int code)
{
	return (code >= 'A' && code <= 'Z') || (code >= 0xc0 && code <= 0xde && code != 0xd7);
}

static bool is_name_char(unsigned int code, enum atom_style style)
{
	return is_lower(code) || is_upper(code) || (code >= '0' && code <= '9') || code == '_' ||
	       (code == '@' && style == ATOM_TERM);
}

/* Decodes the next character; an invalid byte stands for itself. */
static size_t next(const char *bytes, size_t left, unsigned int *code)
{
	size_t size = text_utf8(bytes, left, code);

	if (size)
		return size;
	*code = (unsigned char)*bytes;
	return 1;
}

static bool wants_quotes(const char *bytes, size_t length, enum atom_style style, int otp)
{
	unsigned int code;
	bool is_first = true;

	if (style == ATOM_BARE)
		return false;
	if (!length || (style == ATOM_TERM && is_reserved(bytes, length, otp)))
		return true;
	for (size_t at = 0; at < length; is_first = false) {
		at += next(bytes + at, length - at, &code);
		if (is_first ? !is_lower(code) : !is_name_char(code, style))
			return true;
	}
	return false;
}

void write_atom(struct writer *w, const char *bytes, size_t length, enum atom_style style, int otp)
{
	const char *quote = wants_quotes(bytes, length, style, otp) ? "'" : "";
	unsigned int code;

	write_text(w, quote);
	for (size_t at = 0; at < length;) {
		at += next(bytes + at, length - at, &code);
		write_escaped(w, code, *quote, style == ATOM_TERM ? WRITE_LATIN1 : WRITE_UNICODE);
	}
	write_text(w, quote);
}
