// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as what a node sends to the process that asks it for breakpoints (dist/watchdog_task.c), behind the
 * connection: to a question, and later. erl_interface, which decodes it, is not instrumented: that it is given nothing
 * that ends early is what is looked at here, and that nothing but texts that end comes of it.
 */
#include "dist/external.h"
#include "dist/watchdog_answer.h"
#include "fuzz.h"

#define VERSION 131
#define FUNCTIONS 2

static void check_end(const char *bytes, size_t size)
{
	size_t end = external_end(bytes, size, 0);

	must(end <= size, "a term ends where its bytes do, or before");
	must(!end || !external_end(bytes, end - 1, 0), "a term of which the last byte is missing is none");
}

static void check_said(const struct watchdog_report *said)
{
	must(memchr(said->why, 0, sizeof(said->why)), "a reason ends");
	must(said->err ? said->why[0] : !said->why[0], "there is a reason if it failed");
}

static void check_answer(char *bytes, size_t size, const char *ok)
{
	ei_x_buff result = { .buff = bytes, .buffsz = (int)size };
	struct watchdog_report said;
	erlang_pid pid;

	if (watchdog_answer_step(&result, ok))
		return;
	must(external_end(bytes, size, (size_t)result.index), "what was entered is a term");
	watchdog_answer_start(&result, &said, &pid);
	check_said(&said);
}

static void check_later(const char *bytes, size_t size)
{
	uint64_t called[FUNCTIONS];
	struct watchdog_report said;

	watchdog_answer_report(bytes, size, &said, called, FUNCTIONS);
	must(said.state <= WATCHDOG_COUNTS, "a state is one that there is");
	must(said.called == (said.state == WATCHDOG_COUNTS ? FUNCTIONS : 0),
	     "there are as many numbers as functions, or none");
}

static void fuzz(const uint8_t *data, size_t size)
{
	/* Of this size: what goes on behind it is seen. */
	char *bytes = malloc(size + 1);
	char *exact = malloc(size ? size : 1);

	must(bytes && exact, "there is memory");
	bytes[0] = (char)VERSION;
	if (size) {
		memcpy(bytes + 1, data, size);
		memcpy(exact, data, size);
	}
	check_end(exact, size);
	check_answer(bytes, size + 1, "value");
	check_later(bytes, size + 1);
	free(bytes);
	free(exact);
}
