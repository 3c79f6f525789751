// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: printable_bin() of io_lib_pretty.erl, write_binary_body() and printable_latin1_list() of
 * io_lib.erl, the same in OTP 25.2.3, 27.3.4.1 and 29.1.1. ~p without t takes a binary for text if its bytes are
 * Latin-1.
 */
#include "term/binary.h"

#include <string.h>

bool is_printable(uint64_t code)
{
	return (code >= ' ' && code <= '~') || (code >= 0xa0 && code <= 0xff) ||
	       (code && code <= 0x1b && memchr("\n\r\t\v\b\f\033", (int)code, 7));
}

static bool is_text(const uint8_t *bytes, size_t bits)
{
	for (size_t i = 0; i < bits / 8; i++) {
		if (!is_printable(bytes[i]))
			return false;
	}
	return bits && bits % 8 == 0;
}

static void write_as_text(struct writer *w, const uint8_t *bytes, size_t count, const char *more)
{
	write_text(w, "\"");
	for (size_t i = 0; i < count; i++)
		write_escaped(w, bytes[i], '"', WRITE_UNICODE);
	write_text(w, "\"");
	write_text(w, more);
}

static void write_as_numbers(struct writer *w, const uint8_t *bytes, size_t bits, const char *more)
{
	for (size_t i = 0; i < bits / 8; i++)
		write_format(w, "%s%u", i ? "," : "", bytes[i]);
	if (*more)
		write_format(w, "%s%s", bits / 8 ? "," : "", more);
	else if (bits % 8)
		write_format(w, "%s%u:%u", bits / 8 ? "," : "", bytes[bits / 8] >> (8 - bits % 8),
			     (unsigned int)(bits % 8));
}

void write_binary(struct writer *w, const uint8_t *bytes, size_t bits, const char *more)
{
	if (*more)
		bits -= bits % 8;
	write_text(w, "<<");
	if (is_text(bytes, bits))
		write_as_text(w, bytes, bits / 8, more);
	else
		write_as_numbers(w, bytes, bits, more);
	write_text(w, ">>");
}
