// SPDX-License-Identifier: BSD-2-Clause
#include "dist/guard_answer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dist/external.h"

#define VERSION 131

/* All that follows is within what has come. */
static bool is_whole(const char *bytes, size_t size)
{
	return size > 1 && (unsigned char)bytes[0] == VERSION && external_end(bytes, size, 1);
}

int guard_answer_enter(ei_x_buff *result, const char *ok)
{
	int arity, version;
	char atom[MAXATOMLEN];

	/* Behind what has come may be something older, which is there, too. */
	if (!is_whole(result->buff, (size_t)result->buffsz))
		return -EPROTO;
	result->index = 0;
	if (ei_decode_version(result->buff, &result->index, &version) ||
	    ei_decode_tuple_header(result->buff, &result->index, &arity) || arity != 2 ||
	    ei_decode_atom(result->buff, &result->index, atom) || strcmp(atom, "rex") != 0)
		return -EPROTO;
	if (ei_decode_tuple_header(result->buff, &result->index, &arity) || arity < 2 ||
	    ei_decode_atom(result->buff, &result->index, atom) || strcmp(atom, ok) != 0)
		return -EPROTO;
	return 0;
}

/* {traced, {M,F,A}}, {traced, Pid}, {traced, new}: `at` is behind the first. */
static void explain_traced(const ei_x_buff *result, int at, struct guard_said *said)
{
	int arity;
	char module[MAXATOMLEN_UTF8] = "", name[MAXATOMLEN_UTF8] = "";
	long args = 0;

	said->err = -EBUSY;
	if (!ei_decode_tuple_header(result->buff, &at, &arity) && arity == 3 &&
	    !ei_decode_atom_as(result->buff, &at, module, sizeof(module), ERLANG_UTF8, NULL, NULL) &&
	    !ei_decode_atom_as(result->buff, &at, name, sizeof(name), ERLANG_UTF8, NULL, NULL) &&
	    !ei_decode_long(result->buff, &at, &args))
		snprintf(said->why, sizeof(said->why),
			 "%.150s:%.150s/%ld is traced by somebody else, whose tracing would end", module, name, args);
	else
		snprintf(said->why, sizeof(said->why),
			 "processes of it are traced by somebody else, whose tracing would end");
}

static void explain_atom(const char *atom, struct guard_said *said)
{
	said->err = -ENOENT;
	snprintf(said->why, sizeof(said->why), "%s",
		 !strcmp(atom, "gone") ? "none of the functions is in the code that is loaded now"
				       : "it did not set the breakpoints within 10 s");
}

static bool is_set(const ei_x_buff *result, int at, struct guard_said *said, erlang_pid *pid)
{
	char atom[MAXATOMLEN];
	long count = 0;
	int arity;

	if (ei_decode_tuple_header(result->buff, &at, &arity) || arity != 2 || ei_decode_pid(result->buff, &at, pid) ||
	    ei_decode_tuple_header(result->buff, &at, &arity) || arity != 2 ||
	    ei_decode_atom(result->buff, &at, atom) || strcmp(atom, "ok") != 0 ||
	    ei_decode_long(result->buff, &at, &count))
		return false;
	said->count = count;
	said->number = pid->num;
	said->serial = pid->serial;
	return true;
}

void guard_answer_take(const ei_x_buff *result, struct guard_said *said, erlang_pid *pid)
{
	char atom[MAXATOMLEN];
	int arity, at = result->index;

	*said = (struct guard_said){};
	if (!ei_decode_atom(result->buff, &at, atom)) {
		explain_atom(atom, said);
		return;
	}
	at = result->index;
	if (!ei_decode_tuple_header(result->buff, &at, &arity) && arity == 2 &&
	    !ei_decode_atom(result->buff, &at, atom) && !strcmp(atom, "traced")) {
		explain_traced(result, at, said);
		return;
	}
	if (!is_set(result, result->index, said, pid)) {
		*said = (struct guard_said){ .err = -EPROTO };
		snprintf(said->why, sizeof(said->why), "its answer is not understood");
	}
}

enum guard_state guard_answer_state(const char *bytes, size_t size)
{
	char atom[MAXATOMLEN] = "";
	int at = 1;

	if (!is_whole(bytes, size) || ei_decode_atom(bytes, &at, atom))
		return GUARD_WATCHES;
	return !strcmp(atom, "limit")	 ? GUARD_LIMIT
	       : !strcmp(atom, "killed") ? GUARD_KILLED
	       : !strcmp(atom, "traced") ? GUARD_TRACED
	       : !strcmp(atom, "done")	 ? GUARD_DONE
					 : GUARD_WATCHES;
}
