// SPDX-License-Identifier: BSD-2-Clause
#include "flame/formats/frame_suffix.h"

#include <ctype.h>
#include <string.h>

/*
 * The first suffix of a kind is the one that erlbpf writes; the others are those of perf, async-profiler and other
 * scripts.
 */
static const struct {
	const char *text;
	enum frame_kind kind;
} suffixes[] = {
	{ "_[b]", FRAME_BIF },	  { "_[v]", FRAME_VM },	    { "_[l]", FRAME_LIBRARY }, { "_[k]", FRAME_KERNEL },
	{ "_[s]", FRAME_STATE },  { "_[g]", FRAME_GROUP },  { "_[j]", FRAME_ERLANG },  { "_[i]", FRAME_ERLANG },
	{ "_[0]", FRAME_ERLANG }, { "_[1]", FRAME_ERLANG },
};

#define COUNT (sizeof(suffixes) / sizeof(*suffixes))
#define LENGTH 4 /* of each suffix */

/* The start of the number at the end of a name, which follows `mark`; 0: there is none. */
static size_t before_number(const char *name, size_t length, char mark)
{
	size_t at = length;

	while (at && isdigit((unsigned char)name[at - 1]))
		at--;
	return at && at < length && name[at - 1] == mark ? at - 1 : 0;
}

bool frame_has_line(const char *name)
{
	size_t length = before_number(name, strlen(name), ':');

	return length && before_number(name, length, '/');
}

enum frame_kind frame_kind_of(const char *name, size_t *length)
{
	for (size_t i = 0; *length > LENGTH && i < COUNT; i++) {
		if (!memcmp(name + *length - LENGTH, suffixes[i].text, LENGTH)) {
			*length -= LENGTH;
			return suffixes[i].kind;
		}
	}
	if (name[0] == '[')
		return FRAME_STATE;
	if (before_number(name, *length, '/') || frame_has_line(name))
		return FRAME_ERLANG;
	return FRAME_LIBRARY;
}

const char *frame_suffix(enum frame_kind kind, const char *name)
{
	size_t length = strlen(name), i = 0;

	if (kind == FRAME_ERLANG && frame_kind_of(name, &length) == FRAME_ERLANG)
		return "";
	while (i + 1 < COUNT && suffixes[i].kind != kind)
		i++;
	return suffixes[i].text;
}
