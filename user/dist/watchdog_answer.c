// SPDX-License-Identifier: BSD-2-Clause
#include "dist/watchdog_answer.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dist/external.h"

#define VERSION 131
#define BINARY_HEAD 5 /* its tag and its size */

/* True if the term is complete. */
static bool is_whole(const char *bytes, size_t size)
{
	return size > 1 && (unsigned char)bytes[0] == VERSION && external_end(bytes, size, 1);
}

int watchdog_answer_step(ei_x_buff *result, const char *ok)
{
	int arity, version;
	char atom[MAXATOMLEN];

	/* Bytes after the message may be older data of the buffer. */
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

/* {traced, {M,F,A}}, {traced, Pid} or {traced, new}; `at` is after the first atom. */
static void explain_traced(const ei_x_buff *result, int at, struct watchdog_report *said)
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

static void explain_atom(const char *atom, struct watchdog_report *said)
{
	said->err = -ENOENT;
	snprintf(said->why, sizeof(said->why), "%s",
		 !strcmp(atom, "gone") ? "none of the functions is in the code that is loaded now"
				       : "it did not set the breakpoints within 10 s");
}

static bool is_set(const ei_x_buff *result, int at, struct watchdog_report *said, erlang_pid *pid)
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

void watchdog_answer_start(const ei_x_buff *result, struct watchdog_report *said, erlang_pid *pid)
{
	char atom[MAXATOMLEN];
	int arity, at = result->index;

	*said = (struct watchdog_report){};
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
		*said = (struct watchdog_report){ .err = -EPROTO };
		snprintf(said->why, sizeof(said->why), "its answer is not understood");
	}
}

static enum watchdog_state state_of(const char *atom)
{
	return !strcmp(atom, "limit")	 ? WATCHDOG_LIMIT
	       : !strcmp(atom, "killed") ? WATCHDOG_KILLED
	       : !strcmp(atom, "traced") ? WATCHDOG_TRACED
	       : !strcmp(atom, "done")	 ? WATCHDOG_DONE
					 : WATCHDOG_RUNS;
}

/* {counts, Tag, Binary} at `at`, with a big-endian 64-bit number per function. */
static bool take_counts(const char *bytes, int at, struct watchdog_report *said, uint64_t *called, size_t functions)
{
	char atom[MAXATOMLEN];
	const unsigned char *number;
	unsigned long tag;
	int arity, type, size;

	if (ei_decode_tuple_header(bytes, &at, &arity) || arity != 3 || ei_decode_atom(bytes, &at, atom) ||
	    strcmp(atom, "counts") != 0 || ei_decode_ulong(bytes, &at, &tag) || tag > UINT32_MAX ||
	    ei_get_type(bytes, &at, &type, &size) || type != ERL_BINARY_EXT ||
	    (size_t)size != functions * sizeof(*called))
		return false;
	number = (const unsigned char *)bytes + at + BINARY_HEAD;
	for (size_t i = 0; i < functions; i++, number += sizeof(*called)) {
		memcpy(&called[i], number, sizeof(*called));
		called[i] = be64toh(called[i]);
	}
	said->tag = (uint32_t)tag;
	said->called = (uint32_t)functions;
	return true;
}

void watchdog_answer_report(const char *bytes, size_t size, struct watchdog_report *said, uint64_t *called,
			    size_t functions)
{
	char atom[MAXATOMLEN] = "";
	int at = 1;

	*said = (struct watchdog_report){ .state = WATCHDOG_RUNS };
	if (!is_whole(bytes, size))
		return;
	if (!ei_decode_atom(bytes, &at, atom))
		said->state = state_of(atom);
	else if (take_counts(bytes, 1, said, called, functions))
		said->state = WATCHDOG_COUNTS;
}
