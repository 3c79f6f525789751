// SPDX-License-Identifier: BSD-2-Clause
#include "serve/profiles/profile_answer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/side_process.h"

#define ROWS 100 /* of text */

void profile_answer_refuse(struct profile_answer *answer, uint32_t status, const char *format, ...)
{
	va_list args;

	free(answer->body);
	answer->status = status;
	va_start(args, format);
	if (vasprintf(&answer->body, format, args) < 0)
		answer->body = NULL;
	va_end(args);
	answer->size = answer->body ? strlen(answer->body) : 0;
}

static int write_body(struct profile_answer *answer, const struct profile *profile, enum profile_format format)
{
	FILE *to = open_memstream(&answer->body, &answer->size);
	int err = to ? profile_write(profile, format, to, ROWS, 0) : -ENOMEM;

	if (to && fclose(to))
		err = -ENOMEM;
	return err;
}

void profile_answer_show(struct profile_answer *answer, const struct profile *profile, enum profile_format format)
{
	struct profile *shown = profile_copy(profile, profile_format_has_lines(format));
	int err = shown ? write_body(answer, shown, format) : -ENOMEM;

	profile_free(shown);
	answer->status = 200;
	if (err)
		profile_answer_refuse(answer, 500, "cannot write the profile: %s", strerror(-err));
	else if (answer->size > PROFILE_ANSWER_MOST)
		profile_answer_refuse(answer, 500,
				      "the profile is larger than %lu MiB; ask for one node, or for a shorter time",
				      PROFILE_ANSWER_MOST >> 20);
}

void profile_answer_send(struct profile_answer *answer, int fd)
{
	const struct profile_answer_head head = { .status = answer->status,
						  .size = answer->size,
						  .number = answer->number };

	if (!side_send(fd, &head, sizeof(head), NULL, 0))
		side_send(fd, answer->body, answer->size, NULL, 0);
	free(answer->body);
	*answer = (struct profile_answer){};
}

/* How many bytes more, or -errno: -EPIPE at the end. */
static ssize_t take(struct profile_answer_reading *reading, int fd)
{
	size_t head = sizeof(reading->head);
	bool is_head = reading->have < head;
	char *to = is_head ? (char *)&reading->head + reading->have : reading->body + (reading->have - head);
	size_t room = is_head ? head - reading->have : reading->head.size - (reading->have - head);
	ssize_t got = read(fd, to, room);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	reading->have += (size_t)got;
	return got || !room ? got : -EPIPE;
}

int profile_answer_take(struct profile_answer_reading *reading, int fd)
{
	size_t head = sizeof(reading->head);
	ssize_t got = take(reading, fd);

	if (got < 0)
		return (int)got;
	if (got && reading->have == head) {
		reading->body = reading->head.size <= PROFILE_ANSWER_MOST ? calloc(1, reading->head.size + 1) : NULL;
		if (!reading->body)
			return -ENOMEM;
	}
	return reading->have >= head && reading->have - head == reading->head.size;
}
