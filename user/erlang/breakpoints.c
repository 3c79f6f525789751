// SPDX-License-Identifier: BSD-2-Clause
#include "erlang/breakpoints.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dist/cookie.h"
#include "dist/watchdog.h"
#include "erl.h"
#include "functions.h"
#include "dist/auth.h"
#include "erlang/erlang_choice.h"

#define ANSWER_MS 500 /* for which a node is waited that may have much to do */
/* Of more functions it takes too long to have the VM measure calls part of the time, without trace sessions. */
#define MOST_SWITCHED 100
#define OTP_WITH_SESSIONS 27

struct breakpoints {
	struct watchdog watchdog;
	struct breakpoints_called *called;
	size_t count;
	uint32_t os_id;
	bool can_pause;
	int map; /* of what programs count, -1: they do not */
	const char *limit_option;
};

int breakpoints_find(const struct target *target, const char *glob, char *why)
{
	const struct breakpoints_request request = { .globs = &glob, .glob_count = 1 };
	struct erlang_choice c = { .target = target };
	int err = erlang_choice_make(&c, &request, why);

	erlang_choice_free(&c);
	return err;
}

/* Can the VM be made to measure calls only part of the time? */
static bool can_pause(const struct erlang_choice *c)
{
	return c->count <= MOST_SWITCHED || c->target->vm->otp >= OTP_WITH_SESSIONS;
}

static unsigned long limit_of(const struct erlang_choice *c, const struct breakpoints_request *request)
{
	if (request->call_limit)
		return request->call_limit;
	return request->counts_only || (request->is_paced && can_pause(c)) ? OPTIONS_PACED_CALL_LIMIT
									   : OPTIONS_CALL_LIMIT;
}

/* Who changes a node says so. */
static void tell(const struct breakpoints *made, const struct target *target, unsigned long limit)
{
	const struct watchdog *watchdog = &made->watchdog;

	pr_info("%s (process %d): %" PRId64 " function%s of the VM now; process <0.%u.%u> of the node removes them "
		"when this trace ends, or at more than %lu calls a second",
		target->node, target->pid, watchdog->count,
		watchdog->count == 1 ? " has a breakpoint" : "s have breakpoints", watchdog->number, watchdog->serial,
		limit);
}

/* What the node itself has now comes first: it may be another one than it was started with. */
static int find_cookie(const struct target *target, const char *file, char cookie[COOKIE_SIZE])
{
	return !file && !auth_cookie(target, cookie, COOKIE_SIZE) ? 0 : cookie_find(target, file, cookie);
}

/* The cookie is forgotten as soon as it is of no more use. */
static int connect_and_set(const struct erlang_choice *c, const struct breakpoints_request *request,
			   struct watchdog *watchdog, char *why)
{
	char cookie[COOKIE_SIZE];
	struct watchdog_request wanted = {
		.cookie = cookie,
		.functions = c->named,
		.count = c->count,
		.limit = limit_of(c, request),
		.entry_only = request->entry_only,
	};
	int err = find_cookie(c->target, request->cookie_file, cookie);

	if (err)
		snprintf(why, BREAKPOINTS_WHY, "its cookie is not known (%s), see %s", strerror(-err),
			 request->cookie_option);
	else
		err = watchdog_start(watchdog, c->target, &wanted, why);
	explicit_bzero(cookie, sizeof(cookie));
	return err;
}

static struct breakpoints *make(const struct erlang_choice *c, const struct breakpoints_request *request)
{
	struct breakpoints *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->watchdog.task.fd = -1;
	made->called = calloc(c->count + 1, sizeof(*made->called));
	made->count = c->count;
	made->os_id = c->target->os_id;
	made->can_pause = can_pause(c);
	made->map = request->counts_looked ? loader_map(request->loader, request->map) : -1;
	for (size_t i = 0; made->called && i < c->count; i++)
		made->called[i].id = erlang_choice_id(c, i);
	if (made->called)
		return made;
	free(made);
	return NULL;
}

static struct breakpoints *set(const struct erlang_choice *c, const struct breakpoints_request *request, char *why)
{
	struct breakpoints *made = make(c, request);
	int err = made ? erlang_choice_tell(c, request) : -ENOMEM;

	if (err)
		snprintf(why, BREAKPOINTS_WHY, "its functions cannot be told to the kernel: %s", strerror(-err));
	if (!err) {
		made->limit_option = request->limit_option;
		err = connect_and_set(c, request, &made->watchdog, why);
	}
	if (err) {
		breakpoints_free(made);
		return NULL;
	}
	/* Until then, calls of the watchdog itself count: a few at most. */
	(void)erlang_choice_want(request, c->target,
				 erl_id_make(ERL_ID_LOCAL, made->watchdog.number, made->watchdog.serial), 0);
	return made;
}

struct breakpoints *breakpoints_set(const struct target *target, const struct breakpoints_request *request, char *why)
{
	struct erlang_choice c = { .target = target };
	struct breakpoints *made = NULL;
	int err = erlang_choice_make(&c, request, why);

	if (!err && erlang_choice_name(&c)) {
		snprintf(why, BREAKPOINTS_WHY, "memory is short");
		err = -ENOMEM;
	}
	if (!err)
		made = set(&c, request, why);
	if (made)
		tell(made, target, limit_of(&c, request));
	erlang_choice_free(&c);
	errno = err ? -err : ECONNREFUSED;
	return made;
}

void breakpoints_end(struct breakpoints *breakpoints)
{
	if (breakpoints)
		watchdog_stop(&breakpoints->watchdog);
}

void breakpoints_free(struct breakpoints *breakpoints)
{
	if (!breakpoints)
		return;
	breakpoints_end(breakpoints);
	watchdog_free(&breakpoints->watchdog);
	free(breakpoints->called);
	free(breakpoints);
}

bool breakpoints_are_set(const struct breakpoints *breakpoints)
{
	return breakpoints && !watchdog_has_ended(&breakpoints->watchdog);
}

void breakpoints_pause(struct breakpoints *breakpoints)
{
	/* What became of a node that cannot be asked is heard soon. */
	if (breakpoints->can_pause)
		(void)watchdog_send(&breakpoints->watchdog, WATCHDOG_OFF);
}

/* Each function takes the VM some turns of its schedulers. */
static int answer_ms(const struct breakpoints *breakpoints)
{
	return ANSWER_MS + (int)(breakpoints->count < MOST_SWITCHED ? breakpoints->count : MOST_SWITCHED) * 15;
}

int breakpoints_resume(struct breakpoints *breakpoints)
{
	int err = breakpoints->can_pause ? watchdog_send(&breakpoints->watchdog, WATCHDOG_ON) : 0;

	return err || !breakpoints->can_pause ? err : watchdog_wait(&breakpoints->watchdog, answer_ms(breakpoints));
}

/* What a program has counted of the function, in the generation. */
static uint64_t looked_at(const struct breakpoints *breakpoints, uint64_t id, uint32_t generation)
{
	struct functions_key key = { .id = id, .os_id = breakpoints->os_id };
	struct functions_wanted wanted = {};

	if (breakpoints->map < 0 || bpf_map_lookup_elem(breakpoints->map, &key, &wanted))
		return 0;
	return wanted.looked[generation & 1];
}

const struct breakpoints_called *breakpoints_turn(struct breakpoints *breakpoints, uint32_t generation, size_t *count)
{
	/* Who does not answer has said something before. */
	if (!watchdog_send(&breakpoints->watchdog, WATCHDOG_COUNT))
		(void)watchdog_wait(&breakpoints->watchdog, ANSWER_MS);
	for (size_t i = 0; i < breakpoints->count; i++) {
		struct breakpoints_called *called = &breakpoints->called[i];
		uint64_t calls = breakpoints->watchdog.called[i],
			 looked = looked_at(breakpoints, called->id, generation);

		called->calls = calls - called->calls_before;
		called->looked = looked - called->looked_before[generation & 1];
		called->calls_before = calls;
		called->looked_before[generation & 1] = looked;
	}
	*count = breakpoints->count;
	return breakpoints->called;
}

uint64_t breakpoints_calls(const struct breakpoints *breakpoints)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < breakpoints->count; i++)
		sum += breakpoints->watchdog.called[i];
	return sum;
}

int breakpoints_fd(const struct breakpoints *breakpoints)
{
	return breakpoints->watchdog.task.fd;
}

bool breakpoints_hear(struct breakpoints *breakpoints, const struct target *target)
{
	switch (watchdog_receive(&breakpoints->watchdog)) {
	case WATCHDOG_RUNS:
	case WATCHDOG_COUNTS: return true;
	case WATCHDOG_LIMIT:
		pr_err("%s: the functions are called too often (see %s): the breakpoints are removed, and calls are "
		       "not measured any more",
		       target->node, breakpoints->limit_option);
		return false;
	case WATCHDOG_TRACED:
		pr_err("%s: other functions are set to be traced by anybody, and were by us: the breakpoints are "
		       "removed, "
		       "and calls are not measured any more",
		       target->node);
		return false;
	case WATCHDOG_KILLED:
		pr_err("%s: the watchdog process was killed: the breakpoints are removed, and calls are "
		       "no longer measured",
		       target->node);
		return false;
	default:
		pr_err("%s: the connection is over: the breakpoints are removed, and calls are not measured any more",
		       target->node);
		return false;
	}
}
