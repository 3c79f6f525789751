// SPDX-License-Identifier: BSD-2-Clause
#include "dist/external.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

struct row {
	const char *name;
	size_t size;
	char bytes[48];
};

#define ROW(name, text)                                                                                                \
	{                                                                                                              \
		name, sizeof(text) - 1, text                                                                           \
	}

/* One of each kind, as term_to_binary/1 writes them, without the version. */
static struct row terms[] = {
	ROW("small integer", "a\x05"),
	ROW("integer", "b\x00\x00\x01\x00"),
	ROW("float", "F\x3f\xf0\x00\x00\x00\x00\x00\x00"),
	ROW("atom", "d\x00\x02ok"),
	ROW("atom, UTF-8", "w\x02ok"),
	ROW("long atom, UTF-8", "v\x00\x02ok"),
	ROW("nil", "j"),
	ROW("string", "k\x00\x03"
		      "abc"),
	ROW("list", "l\x00\x00\x00\x02"
		    "a\x01"
		    "a\x02"
		    "j"),
	ROW("improper list", "l\x00\x00\x00\x01"
			     "a\x01"
			     "a\x02"),
	ROW("empty tuple", "h\x00"),
	ROW("tuple", "h\x02"
		     "a\x01"
		     "h\x01"
		     "j"),
	ROW("large tuple", "i\x00\x00\x00\x01"
			   "a\x01"),
	ROW("binary", "m\x00\x00\x00\x03"
		      "abc"),
	ROW("bit string", "M\x00\x00\x00\x01\x03\xe0"),
	ROW("big", "n\x02\x00\x01\x02"),
	ROW("large big", "o\x00\x00\x00\x02\x00\x01\x02"),
	ROW("map", "t\x00\x00\x00\x01"
		   "a\x01"
		   "w\x01x"),
	ROW("pid", "Xw\x01n\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03"),
	ROW("old pid", "gd\x00\x01n\x00\x00\x00\x01\x00\x00\x00\x02\x03"),
	ROW("port", "xw\x01n\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x02"),
	ROW("reference", "Z\x00\x02w\x01n\x00\x00\x00\x03"
			 "11112222"),
	ROW("export", "qw\x01mw\x01"
		      "fa\x01"),
	ROW("fun", "p\x00\x00\x00\x06"
		   "xy"),
};

Test(external, a_term_ends_where_its_last_byte_is_and_nowhere_before)
{
	for (size_t i = 0; i < COUNT(terms); i++) {
		char *exact = malloc(terms[i].size);

		cr_assert(ne(ptr, exact, NULL));
		memcpy(exact, terms[i].bytes, terms[i].size);
		cr_expect(eq(sz, external_end(exact, terms[i].size, 0), terms[i].size), "%s", terms[i].name);
		for (size_t size = 0; size < terms[i].size; size++)
			cr_expect(eq(sz, external_end(exact, size, 0), 0), "%s of %zu bytes", terms[i].name, size);
		free(exact);
	}
}

Test(external, what_follows_a_term_is_not_part_of_it)
{
	cr_expect(eq(sz,
		     external_end("a\x05"
				  "a\x06",
				  4, 0),
		     2));
	cr_expect(eq(sz,
		     external_end("a\x05"
				  "a\x06",
				  4, 2),
		     4));
	cr_expect(eq(sz, external_end("a\x05", 2, 2), 0));
	cr_expect(eq(sz, external_end("a\x05", 2, SIZE_MAX), 0));
}

Test(external, numbers_that_claim_more_than_there_is_are_refused)
{
	static const char *const lies[] = { "m\xff\xff\xff\xff", "l\xff\xff\xff\xff", "i\xff\xff\xff\xff",
					    "t\xff\xff\xff\xff", "o\xff\xff\xff\xff", "M\xff\xff\xff\xff",
					    "p\x00\x00\x00\x03" };

	for (size_t i = 0; i < COUNT(lies); i++) {
		char bytes[64] = {};

		memcpy(bytes, lies[i], 5);
		cr_expect(eq(sz, external_end(bytes, sizeof(bytes), 0), 0), "%c", lies[i][0]);
	}
	cr_expect(eq(sz, external_end("?", 1, 0), 0), "an unknown tag");
}

Test(external, terms_may_be_nested_as_deep_as_they_are_long)
{
	size_t depth = 1 << 20;
	char *bytes = malloc(2 * depth + 1);

	cr_assert(ne(ptr, bytes, NULL));
	for (size_t i = 0; i < depth; i++)
		memcpy(bytes + 2 * i, "h\x01", 2);
	bytes[2 * depth] = 'j';
	cr_expect(eq(sz, external_end(bytes, 2 * depth + 1, 0), 2 * depth + 1));
	cr_expect(eq(sz, external_end(bytes, 2 * depth, 0), 0));
	free(bytes);
}
