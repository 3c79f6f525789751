// SPDX-License-Identifier: BSD-2-Clause
#include "probe/catalogue.h"

#include "check.h"

static bool is_any(const void *data, uint32_t id)
{
	(void)data;
	(void)id;
	return true;
}

static bool is_send(const void *data, uint32_t id)
{
	return probe_matches(id, data);
}

static const struct {
	const char *glob;
	const char *of;
	const char *meant;
} rows[] = {
	{ "gc", NULL, "gc*" },
	{ "spawn", NULL, "*spawn*" },
	{ "process-spwan", NULL, "process-spawn" },
	{ "process_spawn", NULL, "process-spawn" },
	{ "erlang:process-spwan", NULL, "process-spawn" },
	{ "bif-cal", NULL, "bif-call" },
	{ "schedul", NULL, "*schedul*" },
	{ "message-sned", "erlang:message-send", "message-send" },
	{ "gc", "erlang:message-send", "" },
	{ "gcx", NULL, "gc*" },
	{ "probes", NULL, "" },
	{ "nothing*", NULL, "" },
	{ "", NULL, "" },
	{ "erlang:", NULL, "" },
};

Test(catalogue_nearest, a_glob_that_matches_nothing_leads_to_one_that_does)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		char meant[PROBE_GLOB_SIZE];
		bool has_one = false;

		expect_text(probe_nearest(rows[i].glob, rows[i].of ? is_send : is_any, rows[i].of, meant),
			    rows[i].meant, "\"%s\"", rows[i].glob);
		for (uint32_t id = 0; !has_one && id < probe_count(); id++)
			has_one = probe_matches(id, meant);
		cr_expect(eq(int, has_one, meant[0] != '\0'), "\"%s\"", rows[i].glob);
	}
}

Test(catalogue_nearest, names_of_an_application_are_those_that_are_nearly_no_probe)
{
	expect_text(probe_app_name("order_placed"), "order_placed");
	expect_text(probe_app_name("app:gc"), "gc");
	expect_text(probe_app_name("app:phoenix.*"), "phoenix.*");
	cr_expect(eq(ptr, (void *)probe_app_name("message-send"), NULL));
	cr_expect(eq(ptr, (void *)probe_app_name("message-sned"), NULL));
	cr_expect(eq(ptr, (void *)probe_app_name("spawn"), NULL));
	cr_expect(eq(ptr, (void *)probe_app_name("order_*"), NULL));
	cr_expect(eq(ptr, (void *)probe_app_name("vm:order_placed"), NULL));
	cr_expect(eq(ptr, (void *)probe_app_name(""), NULL));
}
