// SPDX-License-Identifier: BSD-2-Clause
#include "check.h"

#include <string.h>
#include <sys/syscall.h>

#include "dtrace/provider/arguments.h"
#include "dtrace/provider/probes.h"

static const struct row {
	const char *name, *types;
} rows[] = {
#include "d/lang/syscall_types.def"
};

static const struct {
	const char *name;
	int number;
} calls[] = {
#include "syscalls.inc"
};

/* Those that no kernel of today has. */
static const char *const gone[] = {
	"_sysctl",	   "afs_syscall", "create_module",  "epoll_ctl_old", "epoll_wait_old",
	"get_kernel_syms", "getpmsg",	  "lookup_dcookie", "nfsservctl",    "putpmsg",
	"query_module",	   "security",	  "tuxcall",	    "vserver",
};

static bool is_in_rows(const char *name)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (!strcmp(rows[i].name, name))
			return true;
	}
	return false;
}

static bool is_gone(const char *name)
{
	for (size_t i = 0; i < COUNT(gone); i++) {
		if (!strcmp(gone[i], name))
			return true;
	}
	return false;
}

static const char *type_of(const char *call, enum d_hook hook, int n, char buf[ARGUMENT_TYPE_SIZE])
{
	const struct d_probe probe = { .names = { .function = call }, .hook = hook };

	return probe_argument_type(&probe, n, buf);
}

Test(d_arguments, calls_are_in_order_so_that_each_is_found)
{
	for (size_t i = 1; i < COUNT(rows); i++)
		cr_expect(lt(int, strcmp(rows[i - 1].name, rows[i].name), 0), "%s", rows[i].name);
}

Test(d_arguments, every_call_that_kernels_have_has_a_row)
{
	for (size_t i = 0; i < COUNT(calls); i++)
		cr_expect(is_in_rows(calls[i].name) != is_gone(calls[i].name), "%s", calls[i].name);
}

Test(d_arguments, each_call_has_the_types_that_its_row_names)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		char buf[ARGUMENT_TYPE_SIZE], all[256] = "";
		const char *type;
		int n;

		for (n = 0; (type = type_of(rows[i].name, HOOK_SYSCALL_ENTRY, n, buf)); n++) {
			strcat(all, n ? ", " : "");
			strcat(all, type);
		}
		cr_expect(eq(str, all, (char *)rows[i].types));
		cr_expect(le(int, n, 6), "%s", rows[i].name);
	}
}

Test(d_arguments, a_call_that_is_not_known_has_none_and_a_return_has_its_value_twice)
{
	char buf[ARGUMENT_TYPE_SIZE];

	cr_expect(eq(ptr, (void *)type_of("no_such_call", HOOK_SYSCALL_ENTRY, 0, buf), NULL));
	cr_expect(eq(ptr, (void *)type_of("zzz", HOOK_SYSCALL_ENTRY, 0, buf), NULL));
	cr_expect(eq(int, strcmp(type_of("read", HOOK_SYSCALL_RETURN, 1, buf), "long"), 0));
	cr_expect(eq(ptr, (void *)type_of("read", HOOK_SYSCALL_RETURN, 2, buf), NULL));
}
