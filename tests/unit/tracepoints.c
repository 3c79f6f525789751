// SPDX-License-Identifier: BSD-2-Clause
/* Tracepoints, by the strings of BTF. */
#include "dtrace/provider/tracepoints.h"

#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char strings[] = "\0btf_trace_b\0int\0btf_trace_a\0xbtf_trace_c";

struct kernel_btf {
	struct btf_header header;
	char strings[sizeof(strings)];
};

static struct kernel_btf btf_of_strings(void)
{
	struct kernel_btf btf = {
		.header = { .magic = BTF_MAGIC, .hdr_len = sizeof(btf.header), .str_len = sizeof(strings) },
	};

	memcpy(btf.strings, strings, sizeof(strings));
	return btf;
}

Test(tracepoints, are_those_that_btf_has_a_type_of)
{
	struct kernel_btf btf = btf_of_strings();
	struct tracepoints *all = calloc(1, sizeof(*all));

	cr_assert(ne(ptr, all, NULL));
	cr_assert(eq(int, tracepoints_add(all, "vmlinux", &btf, sizeof(btf)), 0));
	cr_assert(eq(sz, all->count, 2));
	cr_expect(eq(str, all->all[0].name, (char *)"b"));
	cr_expect(eq(str, all->all[1].name, (char *)"a"));
	cr_expect(eq(str, all->all[1].module, (char *)"vmlinux"));
	tracepoints_free(all);
}

Test(tracepoints, of_what_is_cut_off_there_are_none)
{
	struct kernel_btf btf = btf_of_strings();

	for (size_t size = 0; size < sizeof(btf.header) + sizeof(strings); size++) {
		struct tracepoints *all = calloc(1, sizeof(*all));
		char *part = malloc(size + 1);

		cr_assert(all && part);
		memcpy(part, &btf, size);
		cr_expect(eq(int, tracepoints_add(all, "vmlinux", part, size), 0));
		cr_expect(eq(sz, all->count, 0));
		tracepoints_free(all);
		free(part);
	}
}

Test(tracepoints, of_this_kernel_are_found_by_their_names)
{
	struct tracepoints *all = tracepoints_read();

	cr_assert(ne(ptr, all, NULL));
	cr_expect(all->count == 0 || tracepoints_find(all, "sched_switch") != NULL);
	cr_expect(eq(ptr, (void *)tracepoints_find(all, "no_such_tracepoint"), NULL));
	tracepoints_free(all);
}
