// SPDX-License-Identifier: BSD-2-Clause
#include "target/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

Test(target, a_process_that_is_no_beam_is_refused_with_a_reason)
{
	struct target *target;
	const char *why = NULL;

	cr_expect(eq(int, target_open(getpid(), &target, &why), -ENOEXEC));
	expect_text(why, "it does not export the native interfaces of a BEAM");
	/* Files that were looked at are remembered. */
	why = NULL;
	cr_expect(eq(int, target_open(getpid(), &target, &why), -ENOEXEC));
	expect_text(why, "it does not export the native interfaces of a BEAM");
}

Test(target, a_process_that_is_gone_is_not_found)
{
	struct target *target;
	const char *why;

	cr_expect(eq(int, target_open(0x3ffffff, &target, &why), -ESRCH));
}

Test(target, flavors_have_names)
{
	expect_text(flavor_name(FLAVOR_JIT), "jit");
	expect_text(flavor_name(FLAVOR_EMU), "emu");
	expect_text(flavor_name(FLAVOR_UNKNOWN), "unknown");
}

Test(target, nothing_is_freed_when_there_is_nothing)
{
	struct target_list list = {};

	target_free(NULL);
	target_list_free(&list);
	cr_expect(eq(ptr, target_list_find(&list, getpid()), NULL));
}
