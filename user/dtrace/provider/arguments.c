// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/provider/arguments.h"

#include <stdio.h>
#include <string.h>

#include "d/lang/syscalls.h"
#include "dtrace/provider/usdt.h"
#include "probe/catalogue.h"

#define SHAPE_ARGS 4

static const char *type_of_catalogue(const struct d_probe *probe, int n)
{
	const struct probe_def *def = probe->number < probe_count() ? probe_def(probe->number) : NULL;

	return def && n < def->argc ? def->args[n].type : NULL;
}

/* As in the prelude of D (user/d/syntax/prelude.c). */
static const char *type_of_shape(enum d_shape shape, int n)
{
	static const char *const types[D_SHAPES][SHAPE_ARGS] = {
		[D_SHAPE_TASK] = { "lwpsinfo_t *", "psinfo_t *" },
		[D_SHAPE_REQUEST] = { "bufinfo_t *", "devinfo_t *", "fileinfo_t *" },
		[D_SHAPE_NEXT] = { "lwpsinfo_t *", "psinfo_t *" },
		[D_SHAPE_SENT] = { "lwpsinfo_t *", "psinfo_t *", "int" },
		[D_SHAPE_DISCARDED] = { "lwpsinfo_t *", "psinfo_t *", "int" },
		[D_SHAPE_HANDLED] = { "int", "struct kernel_siginfo *", "void *" },
		[D_SHAPE_EXEC] = { "string" },
		[D_SHAPE_YIELD] = { "lwpsinfo_t *", "psinfo_t *" },
		[D_SHAPE_EXEC_FAILED] = { "int" },
		[D_SHAPE_SIGNAL_WAITED] = { "int" },
		[D_SHAPE_NEW_PROCESS] = { "psinfo_t *" },
		[D_SHAPE_NEW_THREAD] = { "lwpsinfo_t *", "psinfo_t *" },
		[D_SHAPE_PROCESS_ENDS] = { "int" },
		[D_SHAPE_DEQUEUED] = { "lwpsinfo_t *", "psinfo_t *", "cpuinfo_t *" },
		[D_SHAPE_ENQUEUED] = { "lwpsinfo_t *", "psinfo_t *", "cpuinfo_t *", "int" },
	};

	return n < SHAPE_ARGS ? types[shape][n] : NULL;
}

static const char *type_of_call(const char *name, int n, char buf[ARGUMENT_TYPE_SIZE])
{
	const char *types = syscall_types(name), *at = types ? types : "";

	for (; *at && n; n--) {
		at += strcspn(at, ",");
		at += strspn(at, ", ");
	}
	snprintf(buf, ARGUMENT_TYPE_SIZE, "%.*s", (int)strcspn(at, ","), at);
	return *buf ? buf : NULL;
}

const char *probe_argument_type(const struct d_probe *probe, int n, char buf[ARGUMENT_TYPE_SIZE])
{
	switch (probe->hook) {
	case HOOK_ERLANG: return type_of_catalogue(probe, n);
	case HOOK_SHAPED:
	case HOOK_SHAPED_KERNEL: return type_of_shape(probe->shape, n);
	case HOOK_SYSCALL_ENTRY: return type_of_call(probe->names.function, n, buf);
	case HOOK_SYSCALL_RETURN: return n < 2 ? "long" : NULL;
	case HOOK_USDT: return probe->site_count ? note_site_type(probe->sites[0], n) : NULL;
	default: return NULL;
	}
}

int probe_argument_count(const struct d_probe *probe)
{
	int count = 0;

	switch (probe->hook) {
	case HOOK_ERLANG: return probe->number < probe_count() ? probe_def(probe->number)->argc : -1;
	case HOOK_USDT:
		for (size_t i = 0; i < probe->site_count; i++)
			count = probe->sites[i]->argc > count ? probe->sites[i]->argc : count;
		return count;
	default: return -1;
	}
}
