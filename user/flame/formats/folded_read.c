// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads folded lines. The file is untrusted: a line that is too long, has too many frames or no number is counted as
 * bad, and what exceeds the profile's memory is counted as lost.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flame/formats/frame_suffix.h"
#include "flame/profile.h"

#define LONGEST_LINE (1 << 20)
#define MOST_FRAMES (4 * PROFILE_DEPTH) /* more than a profile keeps, so that deeper stacks are cut, not rejected */

struct folded_reader {
	struct profile *profile;
	char *line; /* LONGEST_LINE bytes */
	uint32_t frames[MOST_FRAMES];
	uint64_t bad;
};

/* Cuts the number after the last `mark` off the text. False: there is none, and the text is unchanged. */
static bool take_number(char *text, char mark, uint64_t *number)
{
	char *at = strrchr(text, mark), *end;

	if (!at || !isdigit((unsigned char)at[1]))
		return false;
	errno = 0;
	*number = strtoull(at + 1, &end, 10);
	if (*end || errno)
		return false;
	*at = '\0';
	return true;
}

/* "lists:map/2", "lists:map/2:1559", "do_syscall_64_[k]" */
static uint32_t take_frame(struct profile *profile, char *name)
{
	size_t length = strlen(name);
	enum frame_kind kind = frame_kind_of(name, &length);
	uint64_t line = 0;

	name[length] = '\0';
	if (kind == FRAME_ERLANG && frame_has_line(name))
		take_number(name, ':', &line);
	return profile_frame(profile, kind, name, NULL, line <= UINT32_MAX ? (uint32_t)line : 0);
}

static bool take_frames(struct folded_reader *reader, char *line, size_t *count)
{
	char *name;

	for (*count = 0; (name = strsep(&line, ";")); (*count)++) {
		if (*count == MOST_FRAMES)
			return false;
		reader->frames[*count] = take_frame(reader->profile, name);
	}
	return true;
}

/* "a;b 12"; in a difference "a;b 10 12". */
static bool take_line(struct folded_reader *reader, char *line)
{
	uint64_t value, before;
	bool has_before;
	size_t count;

	if (!take_number(line, ' ', &value))
		return false;
	has_before = take_number(line, ' ', &before);
	if (!*line || !take_frames(reader, line, &count))
		return false;
	profile_add(reader->profile, reader->frames, count, value);
	if (has_before)
		profile_add_before(reader->profile, reader->frames, count, before);
	return true;
}

/* Reads the next line without its newline: 1, 0 at the end, or -errno. *is_whole: it fitted and has no NUL. */
static int next_line(FILE *from, char *line, bool *is_whole)
{
	size_t length = 0;
	int c;

	*is_whole = true;
	while ((c = getc_unlocked(from)) != EOF && c != '\n') {
		if (length == LONGEST_LINE - 1 || !c)
			*is_whole = false;
		else
			line[length++] = (char)c;
	}
	if (ferror(from))
		return -errno;
	while (length && isspace((unsigned char)line[length - 1]))
		length--;
	line[length] = '\0';
	return c != EOF || length;
}

static int read_lines(struct folded_reader *reader, FILE *from)
{
	bool is_whole;
	int more;

	while ((more = next_line(from, reader->line, &is_whole)) > 0) {
		bool is_empty = is_whole && !*reader->line;

		if (!is_empty && (!is_whole || !take_line(reader, reader->line)))
			reader->bad++;
	}
	return more;
}

struct profile *profile_read_folded(FILE *from, const char *title, uint64_t *bad_lines)
{
	struct folded_reader *reader = calloc(1, sizeof(*reader));
	struct profile *profile = NULL;
	int err = 0;

	if (!reader)
		return NULL;
	reader->line = malloc(LONGEST_LINE);
	reader->profile = reader->line ? profile_new(title, "samples") : NULL;
	if (reader->profile) {
		err = read_lines(reader, from);
		*bad_lines = reader->bad;
		profile = reader->profile;
	}
	if (profile && err) {
		profile_free(profile);
		profile = NULL;
		errno = -err;
	}
	free(reader->line);
	free(reader);
	return profile;
}
