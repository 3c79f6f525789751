// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/provider/old_names.h"

#include <stddef.h>
#include <string.h>

#define MOST 2

struct old_name {
	const char *old;
	const char *now[MOST];
	const char *why;
	const char *helper;
};

/* How many jobs wait is counted by the probes themselves, so both must be on. */
#define POOL_HELPER "erlang*:::aio_pool-add, erlang*:::aio_pool-get /0/ { 1; }"

static const struct old_name old_names[] = {
	{ "function-entry",
	  { "local-function-entry", "global-function-entry" },
	  "calls within a module and those to others have a probe each",
	  NULL },
	{ "aio_pool-add",
	  { "aio_pool-add" },
	  "a driver queues a job; arg1 counts those that were queued since tracing began and are not done",
	  POOL_HELPER },
	{ "aio_pool-get",
	  { "aio_pool-get" },
	  "a job is done and its driver told, as no function is called when a thread takes it",
	  POOL_HELPER },
	{ "efile_drv-entry",
	  { "efile_drv-entry" },
	  "files are not a driver's any more, but functions of prim_file",
	  NULL },
	{ "efile_drv-int_entry",
	  { "efile_drv-int_entry" },
	  "the same call: nothing waits for a thread in between",
	  NULL },
	{ "efile_drv-int_return", { "efile_drv-int_return" }, "the same return as efile_drv-return", NULL },
	{ "efile_drv-return",
	  { "efile_drv-return" },
	  "files are not a driver's any more, but functions of prim_file",
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
