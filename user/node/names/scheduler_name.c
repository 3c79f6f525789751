// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: erts_start_schedulers() in erl_process.c. OTP 25 has the number first, newer releases last. The kernel keeps
 * 15 bytes, so "1_dirty_cpu_scheduler" is cut.
 */
#include "node/names/scheduler_name.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *before, *after; /* the number */
	const char *kind;
	size_t sure; /* bytes of `after` that remain in a cut name */
} forms[] = {
	{ "erts_sched_", "", "", 0 },
	{ "erts_dcpus_", "", "dirty-cpu-", 0 },
	{ "erts_dios_", "", "dirty-io-", 0 },
	{ "", "_scheduler", "", 10 },
	{ "", "_dirty_cpu_scheduler", "dirty-cpu-", 11 },
	{ "", "_dirty_io_scheduler", "dirty-io-", 10 },
};

/* The length of the number if the thread's name has this form, otherwise 0. */
static size_t number_length(const char *thread, size_t form)
{
	size_t before = strlen(forms[form].before), length, rest;
	const char *after;

	if (strncmp(thread, forms[form].before, before))
		return 0;
	length = strspn(thread + before, "0123456789");
	after = thread + before + length;
	rest = strlen(after);
	if (rest < forms[form].sure || strncmp(forms[form].after, after, rest))
		return 0;
	return length;
}

char *scheduler_name(const char *thread, char *buf, size_t size)
{
	for (size_t form = 0; form < sizeof(forms) / sizeof(*forms); form++) {
		size_t length = number_length(thread, form);

		if (!length)
			continue;
		snprintf(buf, size, "%s%.*s", forms[form].kind, (int)length, thread + strlen(forms[form].before));
		return buf;
	}
	snprintf(buf, size, "%s", thread);
	return buf;
}
