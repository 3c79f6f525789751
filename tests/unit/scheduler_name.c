// SPDX-License-Identifier: BSD-2-Clause
/* Names of threads as OTP 25, 27 and 29 give them, as the kernel keeps them: 15 bytes at most. */
#include "node/names/scheduler_name.h"

#include "check.h"

struct row {
	const char *thread, *shown;
};

static const struct row rows[] = {
	{ "1_scheduler", "1" },
	{ "1024_scheduler", "1024" },
	{ "1_dirty_cpu_sch", "dirty-cpu-1" },
	{ "1024_dirty_cpu_", "dirty-cpu-1024" },
	{ "1_dirty_io_sche", "dirty-io-1" },
	{ "1024_dirty_io_s", "dirty-io-1024" },
	{ "erts_sched_12", "12" },
	{ "erts_dcpus_1", "dirty-cpu-1" },
	{ "erts_dios_10", "dirty-io-10" },
	/* No schedulers. */
	{ "1_aux", "1_aux" },
	{ "erts_aux_1", "erts_aux_1" },
	{ "beam.smp", "beam.smp" },
	{ "1_scheduler_x", "1_scheduler_x" },
	{ "1_sched", "1_sched" },
	{ "erts_sched_", "erts_sched_" },
	{ "erts_sched_1x", "erts_sched_1x" },
	{ "_scheduler", "_scheduler" },
	{ "7", "7" },
	{ "", "" },
};

Test(scheduler_name, is_short_for_schedulers_only)
{
	char buf[32];

	for (size_t i = 0; i < COUNT(rows); i++)
		expect_text(scheduler_name(rows[i].thread, buf, sizeof(buf)), rows[i].shown, "%s", rows[i].thread);
}

Test(scheduler_name, never_writes_beyond_what_there_is)
{
	char buf[4] = "";

	expect_text(scheduler_name("1024_dirty_cpu_", buf, sizeof(buf)), "dir");
	expect_text(scheduler_name("beam.smp", buf, sizeof(buf)), "bea");
}
