// SPDX-License-Identifier: BSD-2-Clause
#include "target/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static const struct {
	const char *node, *wanted;
	bool is_it;
} names[] = {
	{ "rabbit@host", "rabbit@host", true },
	{ "rabbit@host", "rabbit", true },
	{ "rabbit@host", "rabbit@", false },
	{ "rabbit@host", "rabbit@hos", false },
	{ "rabbit@host", "rabbit@host2", false },
	{ "rabbit@host", "rabb", false },
	{ "rabbit@host", "Rabbit", false },
	{ "rabbit2@host", "rabbit", false },
	{ "rabbit@host", "host", false },
	{ "rabbit@host.example.org", "rabbit@host", false },
	{ "", "rabbit", false },
	{ "rabbit@host", "", false },
	{ "rabbit@host", "rab*", true },
	{ "rabbit@host", "*@host", true },
	{ "rabbit@host", "r*@*", true },
	{ "rabbit@host", "*host", false },
	{ "", "*", false },
};

Test(target, a_node_is_named_in_full_or_by_what_is_before_its_host)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		struct target target = {};

		snprintf(target.node, sizeof(target.node), "%s", names[i].node);
		cr_expect(eq(int, target_is_named(&target, names[i].wanted), names[i].is_it), "%s, %s", names[i].node,
			  names[i].wanted);
	}
}

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
