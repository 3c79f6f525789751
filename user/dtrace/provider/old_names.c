// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/provider/matching.h"

#include <stddef.h>
#include <string.h>

#define MOST 2

struct old_name {
	const char *old;
	const char *now[MOST];
	const char *why;
	const char *helper;
};

/* The probes themselves count waiting jobs, so both must be on. */
#define POOL_HELPER "erlang*:::aio_pool-add, erlang*:::aio_pool-get /0/ { 1; }"

static const struct old_name old_names[] = {
	{ "function-entry",
	  { "local-function-entry", "global-function-entry" },
	  "local calls and calls to other modules have separate probes",
	  NULL },
	{ "aio_pool-add",
	  { "aio_pool-add" },
	  "a driver queues a job; arg1 counts the jobs that were queued since the trace started and have not ended",
	  POOL_HELPER },
	{ "aio_pool-get",
	  { "aio_pool-get" },
	  "a job has ended and its driver gets the result, because no function is called when a thread takes the job",
	  POOL_HELPER },
	{ "efile_drv-entry",
	  { "efile_drv-entry" },
	  "files no longer have a driver; these are functions of prim_file",
	  NULL },
	{ "efile_drv-int_entry", { "efile_drv-int_entry" }, "the same call: it does not wait for a thread", NULL },
	{ "efile_drv-int_return", { "efile_drv-int_return" }, "the same return as efile_drv-return", NULL },
	{ "efile_drv-return",
	  { "efile_drv-return" },
	  "files no longer have a driver; these are functions of prim_file",
	  NULL },
};

static const struct old_name *find(const char *name)
{
	for (size_t i = 0; i < sizeof(old_names) / sizeof(*old_names); i++) {
		if (!strcmp(old_names[i].old, name))
			return &old_names[i];
	}
	return NULL;
}

const char *old_name_hint(const char *name)
{
	if (!strcmp(name, "function-entry") || !strcmp(name, "local-function-entry") ||
	    !strcmp(name, "global-function-entry"))
		return "name functions: -x via=vm -x functions=MODULE:FUNCTION, or "
		       "erlang*:MODULE:FUNCTION/ARITY:function-entry; "
		       "beam*:MODULE:FUNCTION/ARITY:entry has the arguments of the call";
	if (!strcmp(name, "function-return"))
		return "name functions: -x via=vm -x functions=MODULE:FUNCTION, or "
		       "erlang*:MODULE:FUNCTION/ARITY:function-return; "
		       "beam*:MODULE:FUNCTION/ARITY:return has the result and the duration";
	return NULL;
}

bool old_name_means(const char *old, const char *name)
{
	const struct old_name *found = find(old);

	for (size_t i = 0; found && i < MOST && found->now[i]; i++) {
		if (!strcmp(found->now[i], name))
			return true;
	}
	return false;
}

const char *old_name_why(const char *old)
{
	const struct old_name *found = find(old);

	return found ? found->why : NULL;
}

const char *old_name_helper(const char *old)
{
	const struct old_name *found = find(old);

	return found ? found->helper : NULL;
}
