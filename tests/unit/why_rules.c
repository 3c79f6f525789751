// SPDX-License-Identifier: BSD-2-Clause
/* Which signs are findings, and which comes first. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "check.h"
#include "why/judge/rules.h"

#define MIB (1ULL << 20)

static struct finding findings[FINDINGS_MAX];

/* A node that works hard and well. */
static struct signs healthy(void)
{
	return (struct signs){
		.elapsed_ns = 10 * NS_PER_S,
		.schedulers.looks = 4000,
		.processes = 1000,
		.schedulers.normal = { .schedulers = 8, .busy = 0.99, .full = 0.95 },
		.schedulers.dirty_cpu = { .schedulers = 8, .busy = 0.1, .full = 0 },
		.schedulers.dirty_io = { .schedulers = 10, .busy = 0.3, .full = 0.05 },
		.queue.runnable = 60,
		.cpu.is_known = true,
		.cpu.ran = 0.97,
		.cpu.waited = 0.03,
		.gc.samples = 4000,
		.gc.share = 0.12,
		.gc.process = { .id = 1, .pid = "<0.1.0>" },
		.process_limit = { .used = 1000, .most = 262144 },
		.ports.limit = { .used = 500, .most = 65536 },
		.atoms.limit = { .used = 30000, .most = 1048576 },
		.spawns.per_s = 3000,
		.memory.resident = 800 * MIB,
		.memory.limit = 8192 * MIB,
		.mailboxes.worst = { { .length = 300, .least = 0 } },
		.mailboxes.count = 1,
		.heaps.largest = { { .heap = 100 * MIB } },
		.heaps.count = 1,
		.binaries.largest = { { .heap = 20 * MIB, .binaries = 150 * MIB } },
		.binaries.count = 1,
		.schedulers.slices = { { .longest_ns = 30 * NS_PER_MS, .ran = 1 } },
		.schedulers.slice_count = 1,
	};
}

static void expect(const struct signs *signs, const char *rule, enum severity severity)
{
	size_t count = rules_judge(signs, findings);

	cr_assert(eq(sz, count, 1), "%s: %zu findings, first %s", rule, count, count ? findings[0].rule : "");
	expect_text(findings[0].rule, rule, "the only finding");
	cr_expect(eq(int, findings[0].severity, severity), "%s", rule);
	cr_expect(ne(chr, findings[0].text[0], '\0'));
	cr_expect(ne(chr, findings[0].evidence[0][0], '\0'), "%s", rule);
	cr_expect(ne(chr, findings[0].command[0], '\0'), "%s", rule);
}

Test(why_rules, a_node_that_works_hard_and_well_has_no_finding)
{
	struct signs signs = healthy();

	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "%s", findings[0].text);
}

Test(why_rules, nothing_known_is_no_finding)
{
	struct signs signs = {};

	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "%s", findings[0].text);
}

Test(why_rules, a_group_without_time_is_throttled)
{
	struct signs signs = healthy();

	signs.cpu.has_quota = true;
	signs.cpu.periods = 100;
	signs.cpu.throttled_periods = 4;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.cpu.throttled_periods = 10;
	expect(&signs, "cpu-throttled", SEVERITY_WARNING);
	signs.cpu.throttled_periods = 90;
	/* Then its threads wait too, which is no finding of its own. */
	signs.cpu.waited = 0.9;
	expect(&signs, "cpu-throttled", SEVERITY_CRITICAL);
}

Test(why_rules, schedulers_are_too_many_for_a_quota_that_is_used_up)
{
	struct signs signs = healthy();

	signs.cpu.has_quota = true;
	signs.cpu.quota = 1.5;
	signs.cpu.periods = 100;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "never throttled");
	signs.cpu.throttled_periods = 2;
	expect(&signs, "schedulers-excess", SEVERITY_WARNING);
	cr_expect(strstr(findings[0].text, "8 schedulers share a quota of 1.50 CPUs") != NULL, "%s", findings[0].text);
	signs.schedulers.normal.schedulers = 4;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "two for each CPU");
}

Test(why_rules, threads_that_wait_for_a_cpu_are_somebody_elses_fault)
{
	struct signs signs = healthy();

	signs.cpu.waited = 0.4;
	expect(&signs, "cpu-wait", SEVERITY_WARNING);
}

Test(why_rules, memory_is_short_in_a_group_that_is_full)
{
	struct signs signs = healthy();

	signs.memory.has_group = true;
	signs.memory.group_used = 800 * MIB;
	signs.memory.limit = 1024 * MIB;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.memory.group_used = 940 * MIB;
	expect(&signs, "memory-pressure", SEVERITY_WARNING);
	cr_expect(findings[0].process == &signs.binaries.largest[0].process);
	signs.memory.group_used = 1000 * MIB;
	expect(&signs, "memory-pressure", SEVERITY_CRITICAL);
	signs.memory.has_group = false;
	signs.memory.stalled = 0.2;
	expect(&signs, "memory-pressure", SEVERITY_WARNING);
}

Test(why_rules, pages_that_are_read_from_a_disk_count_by_the_second)
{
	struct signs signs = healthy();

	signs.memory.major_faults_per_s = 50;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.memory.major_faults_per_s = 200;
	expect(&signs, "page-faults", SEVERITY_WARNING);
}

Test(why_rules, a_chore_is_a_finding_of_its_own)
{
	static const struct {
		enum costly_call chore;
		const char *rule;
	} rows[] = { { COSTLY_SPAWN, "large-spawns" }, { COSTLY_LOG, "log-flood" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct signs signs = healthy();

		signs.costly.calls[rows[i].chore] = (struct sign_costly_call){ .process = { .id = 5, .stack = "f/1" },
									       .share = 0.2 };
		cr_assert(eq(sz, rules_judge(&signs, findings), 0));
		signs.costly.calls[rows[i].chore].share = 0.4;
		expect(&signs, rows[i].rule, SEVERITY_WARNING);
		signs.costly.calls[rows[i].chore].share = 0.7;
		expect(&signs, rows[i].rule, SEVERITY_CRITICAL);
		signs.schedulers.normal.busy = 0.01;
		cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	}
}

Test(why_rules, terms_that_are_gone_through_count_from_half_of_the_time_on)
{
	struct signs signs = healthy();

	signs.costly.calls[COSTLY_TERM] = (struct sign_costly_call){
		.process = { .id = 5, .function = "erlang:term_to_binary/1" }, .share = 0.4
	};
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.costly.calls[COSTLY_TERM].share = 0.7;
	expect(&signs, "large-terms", SEVERITY_CRITICAL);
	cr_expect(ne(ptr, strstr(findings[0].text, "erlang:term_to_binary/1"), NULL), "%s", findings[0].text);
}

Test(why_rules, lookups_count_if_the_objects_are_large)
{
	struct signs signs = healthy();

	signs.costly.calls[COSTLY_LOOKUP] = (struct sign_costly_call){
		.process = { .id = 5, .function = "ets:lookup/2" }, .share = 0.7
	};
	signs.costly.looked_up = (struct sign_table_use){
		.table = 7, .name = "cache", .objects = 100000, .bytes = 800 * MIB
	};
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "8 KiB each");
	signs.costly.looked_up.objects = 1000;
	expect(&signs, "large-lookups", SEVERITY_CRITICAL);
	signs.costly.calls[COSTLY_LOOKUP].share = 0.4;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.costly.calls[COSTLY_LOOKUP].share = 0.7;
	signs.schedulers.slices[0] = (struct sign_slice){
		.process = signs.costly.calls[COSTLY_LOOKUP].process, .longest_ns = 80 * NS_PER_MS, .ran = 1, .count = 1
	};
	expect(&signs, "long-slice", SEVERITY_WARNING);
	cr_expect(ne(ptr, strstr(findings[0].text, "the objects are large"), NULL), "%s", findings[0].text);
}

Test(why_rules, a_flood_of_logs_comes_before_the_device_that_is_busy_and_after_restarts)
{
	struct signs signs = healthy();

	signs.costly.calls[COSTLY_LOG] = (struct sign_costly_call){ .process = { .id = 5 }, .share = 0.4 };
	signs.suspended.worst[0] = (struct sign_busy){ .process = { .id = 5 }, .share = 1 };
	signs.suspended.count = 1;
	cr_assert(eq(sz, rules_judge(&signs, findings), 2));
	expect_text(findings[0].rule, "log-flood", "the first");
	signs.suspended.count = 0;
	signs.costly.calls[COSTLY_LOG].share = 0.9;
	signs.restarts = (struct sign_restarts){ .process = { .id = 6 }, .same_name = 4, .name = "child" };
	cr_assert(eq(sz, rules_judge(&signs, findings), 2));
	expect_text(findings[0].rule, "restart-storm", "the first");
}

Test(why_rules, a_binary_that_is_copied_counts_if_that_takes_long)
{
	struct signs signs = healthy();

	signs.binary_appends = (struct sign_binary_appends){
		.process = { .id = 5, .busy = 0.1 }, .most = 3 * MIB, .looks = 50, .grown = 49
	};
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.binary_appends.process.busy = 0.4;
	expect(&signs, "binary-appends", SEVERITY_WARNING);
	signs.binary_appends.process.busy = 1;
	expect(&signs, "binary-appends", SEVERITY_CRITICAL);
}

Test(why_rules, a_journal_that_nobody_waits_for_may_wait_for_the_disk)
{
	struct signs signs = healthy();

	signs.file_sync = (struct sign_sync){
		.process = { .id = 5 }, .share = 0.9, .threads = 1, .processes = 2, .callers = 2
	};
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.file_sync.callers = 3;
	expect(&signs, "file-sync", SEVERITY_WARNING);
	signs.file_sync = (struct sign_sync){ .process = { .id = 5 }, .share = 0.2, .threads = 6, .processes = 20 };
	expect(&signs, "file-sync", SEVERITY_WARNING);
}

Test(why_rules, a_state_that_grows_has_done_so_for_a_while_and_fills_the_memory)
{
	const struct sign_state_growth grows = { .process = { .id = 5 },
						 .elements = 101000,
						 .before = 100000,
						 .heap = 64 * MIB,
						 .bytes_per_s = 0.2 * (double)MIB };
	struct signs signs = healthy();

	signs.state_growth = grows;
	expect(&signs, "state-grows", SEVERITY_WARNING);
	signs.state_growth.kind = STATE_DICTIONARY;
	expect(&signs, "state-grows", SEVERITY_WARNING);
	cr_expect(strstr(findings[0].text, "process dictionary") != NULL);
	signs.state_growth.before = 80000;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "it may be emptied each minute");
	signs.state_growth = grows;
	signs.process_limit.is_steady = true;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "the load becomes more");
	signs.process_limit.is_steady = false;
	signs.memory.limit = 1024 * 1024 * MIB;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "there is room for days");
}

Test(why_rules, suspended_senders_name_what_is_busy)
{
	struct signs signs = healthy();

	signs.suspended.worst[0] = (struct sign_busy){ .process = { .id = 5, .pid = "<0.5.0>", .name = "sender" },
						       .is_connection = true,
						       .what = "far@host",
						       .share = 1 };
	signs.suspended.count = 1;
	expect(&signs, "connection-busy", SEVERITY_CRITICAL);
	cr_expect(strstr(findings[0].text, "sender <0.5.0>") && strstr(findings[0].text, "far@host"));
	signs.suspended.worst[0].is_connection = false;
	signs.suspended.worst[0].share = 0.2;
	expect(&signs, "port-busy", SEVERITY_WARNING);
	signs.suspended.worst[0].share = 0.05;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0));
}

Test(why_rules, a_slice_counts_by_the_time_in_which_its_thread_had_a_cpu)
{
	struct signs signs = healthy();
	struct sign_slice *slice = &signs.schedulers.slices[0];

	*slice = (struct sign_slice){
		.longest_ns = 200 * NS_PER_MS, .ran = 0.2, .count = 1, .total_ns = 200 * NS_PER_MS
	};
	cr_expect(eq(sz, rules_judge(&signs, findings), 0));
	slice->ran = 0.9;
	expect(&signs, "long-slice", SEVERITY_WARNING);
	slice->total_ns = 5 * NS_PER_S;
	expect(&signs, "long-slice", SEVERITY_CRITICAL);
	slice->collecting = 0.9;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "a collection is not its fault");
	slice->collecting = 0;
	*slice = (struct sign_slice){ .longest_ns = 30 * NS_PER_MS, .ran = 1, .count = 100, .total_ns = 3 * NS_PER_S };
	cr_expect(eq(sz, rules_judge(&signs, findings), 0));
	strcpy(slice->process.function, "erlang:send/2");
	expect(&signs, "long-slice", SEVERITY_CRITICAL);
	cr_expect(strstr(findings[0].text, "very large") != NULL, "%s", findings[0].text);
	*slice = (struct sign_slice){ .longest_ns = 200 * NS_PER_MS, .ran = 0.9, .count = 1, .total_ns = 5 * NS_PER_S };
	strcpy(slice->process.function, "crypto:on_load/0");
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "it happens once");
	slice->count = 2;
	expect(&signs, "long-slice", SEVERITY_CRITICAL);
}

Test(why_rules, who_sleeps_in_ets_waits_for_a_table)
{
	struct signs signs = healthy();

	signs.schedulers.blocked[0] = (struct sign_blocked){ .function = "ets:insert/2", .share = 0.2, .processes = 3 };
	signs.schedulers.blocked_count = 1;
	expect(&signs, "ets-lock", SEVERITY_WARNING);
	strcpy(signs.schedulers.blocked[0].table, "sessions");
	expect(&signs, "ets-lock", SEVERITY_WARNING);
	cr_expect(strstr(findings[0].text, "the lock of the ETS table sessions, which other processes hold") != NULL,
		  "%s", findings[0].text);
	strcpy(signs.schedulers.blocked[0].function, "prim_file:read/2");
	signs.schedulers.blocked[0].share = 0.5;
	expect(&signs, "scheduler-blocked", SEVERITY_CRITICAL);
	signs.schedulers.blocked[0].share = 0.01;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0));
	strcpy(signs.schedulers.blocked[0].function, "ets:insert/2");
	signs.cpu.waited = 0.2;
	signs.schedulers.blocked[0].share = 0.09;
	cr_expect(eq(sz, rules_judge(&signs, findings), 1));
	signs.cpu.waited = 0.8;
	signs.schedulers.blocked[0].share = 0.02;
	cr_expect(eq(sz, rules_judge(&signs, findings), 1));
	expect_text(findings[0].rule, "cpu-wait", "the only finding");
	strcpy(signs.schedulers.blocked[0].function, "prim_file:read/2");
	/* Who has the lock may be waiting for a CPU. */
	signs.schedulers.blocked[0].share = 0.25;
	signs.cpu.waited = 0.2;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0));
}

Test(why_rules, collections_count_if_the_schedulers_work_at_all)
{
	struct signs signs = healthy();

	signs.gc.share = 0.6;
	expect(&signs, "gc-storm", SEVERITY_CRITICAL);
	signs.gc.share = 0.4;
	signs.gc.samples = 60;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "it may be chance");
	signs.gc.samples = 4000;
	expect(&signs, "gc-storm", SEVERITY_WARNING);
	signs.schedulers.normal.busy = 0.08;
	signs.schedulers.dirty_cpu.busy = 0;
	signs.gc.share = 0.75;
	expect(&signs, "gc-storm", SEVERITY_WARNING);
	signs.schedulers.normal.busy = 0.01;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0));
}

Test(why_rules, a_mailbox_that_grows_says_what_its_process_does)
{
	struct signs signs = healthy();
	struct sign_mailbox *mailbox = &signs.mailboxes.worst[0];

	*mailbox = (struct sign_mailbox){ .length = 500,
					  .grown = 400,
					  .is_growing = true,
					  .is_waiting = true,
					  .process = { .id = 7, .pid = "<0.7.0>", .function = "gen:do_call/4" } };
	expect(&signs, "mailbox-grows", SEVERITY_CRITICAL);
	cr_expect(strstr(findings[0].text, "40 messages per second") &&
		  strstr(findings[0].evidence[1], "gen:do_call/4"));
	*mailbox = (struct sign_mailbox){ .length = 50000, .least = 30000 };
	expect(&signs, "mailbox-long", SEVERITY_WARNING);
}

Test(why_rules, a_thousand_messages_that_each_receive_searches_past_are_found)
{
	struct signs signs = healthy();

	signs.mailboxes.worst[0] = (struct sign_mailbox){ .length = 1000, .least = 1000, .searches = true };
	signs.mailboxes.worst[0].process.busy = 0.4;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "seldom");
	signs.mailboxes.worst[0].process.busy = 0.8;
	expect(&signs, "mailbox-long", SEVERITY_WARNING);
	signs.mailboxes.worst[0].searches = false;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "none");
}

/* As of a queue of RabbitMQ under full load, which was found so once in ten times. */
Test(why_rules, a_few_messages_that_wait_for_a_moment_are_no_backlog)
{
	struct signs signs = healthy();
	struct sign_mailbox *mailbox = &signs.mailboxes.worst[0];

	*mailbox = (struct sign_mailbox){ .length = 12, .grown = 12, .is_growing = true, .arrivals_per_s = 1285 };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	mailbox->service = SERVICE_LOG;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	mailbox->service = SERVICE_NONE;
	mailbox->arrivals_per_s = 12;
	expect(&signs, "mailbox-grows", SEVERITY_CRITICAL);
}

Test(why_rules, a_mailbox_that_grows_says_who_sends)
{
	struct signs signs = healthy();

	signs.mailboxes.worst[0] = (struct sign_mailbox){
		.length = 500,
		.grown = 400,
		.is_growing = true,
		.arrivals_per_s = 250,
		.senders = { { .name = "sender", .pid = "<0.8.0>", .processes = 1, .share = 0.75 },
			     { .name = "client:run/0", .pid = "<0.9.0>", .processes = 12, .share = 0.25 } },
		.sender_count = 2,
	};
	expect(&signs, "mailbox-grows", SEVERITY_CRITICAL);
	expect_text(findings[0].evidence[1],
		    "250 messages per second arrive: 75 % from sender <0.8.0>, 25 % from client:run/0 (12 processes); "
		    "at this rate the oldest has waited 2.00s",
		    "who sends");
}

Test(why_rules, transactions_that_begin_anew_are_told_from_those_that_wait_for_one_that_does_nothing)
{
	struct signs signs = healthy();

	signs.waits.mnesia.processes = 40;
	signs.waits.mnesia_restart = (struct sign_wait_group){ .processes = 4,
							       .process = { .id = 6, .name = "again" } };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.waits.mnesia_restart.processes = 5;
	expect(&signs, "lock-wait", SEVERITY_WARNING);
	cr_expect(findings[0].process == &signs.waits.mnesia_restart.process);
	signs.waits.mnesia_held = (struct sign_wait_group){ .processes = 1,
							    .idle = 1,
							    .process = { .id = 7, .name = "keeper" } };
	expect(&signs, "lock-wait", SEVERITY_WARNING);
	cr_expect(findings[0].process == &signs.waits.mnesia_held.process);
}

Test(why_rules, handlers_that_many_wait_in_hold_up_who_logs)
{
	struct signs signs = healthy();

	signs.waits.log_handler = (struct sign_wait_group){ .processes = 9, .process = { .id = 6, .name = "logs" } };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.waits.log_handler.processes = 10;
	expect(&signs, "log-backlog", SEVERITY_WARNING);
}

Test(why_rules, an_application_that_does_nothing_to_start_is_stuck)
{
	struct signs signs = healthy();

	signs.waits.start = (struct sign_wait_group){ .processes = 1,
						      .idle = 1,
						      .process = { .id = 6, .name = "master" } };
	signs.elapsed_ns = 4 * NS_PER_S;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.elapsed_ns = 5 * NS_PER_S;
	expect(&signs, "start-stuck", SEVERITY_WARNING);
	cr_expect(findings[0].process == &signs.waits.start.process);
	signs.waits.started = (struct sign_process){ .id = 8, .name = "unready" };
	expect(&signs, "start-stuck", SEVERITY_WARNING);
	cr_expect(findings[0].process == &signs.waits.started);
}

Test(why_rules, what_is_collected_in_a_burst_is_none)
{
	struct signs signs = healthy();

	signs.gc.share = 0.8;
	signs.schedulers.normal.busy = 0.5;
	expect(&signs, "gc-storm", SEVERITY_CRITICAL);
	signs.gc.is_burst = true;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
}

Test(why_rules, who_looks_into_an_empty_mailbox_all_the_time_polls)
{
	struct signs signs = healthy();

	signs.schedulers.normal.schedulers = 4;
	signs.busy_loops = (struct sign_busy_loops){ .process = { .id = 1, .busy = 0.4 }, .processes = 1, .busy = 0.4 };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.busy_loops.busy = signs.busy_loops.process.busy = 0.9;
	expect(&signs, "busy-polling", SEVERITY_WARNING);
	cr_expect(strstr(findings[0].text, "(receive ... after 0)") != NULL);
	signs.busy_loops.spin = LOOP_YIELD;
	signs.busy_loops.busy = 3;
	expect(&signs, "busy-polling", SEVERITY_CRITICAL);
	cr_expect(strstr(findings[0].text, "(erlang:yield/0)") != NULL);
	signs.busy_loops.spin = LOOP_SAME_CALL;
	snprintf(signs.busy_loops.process.function, sizeof(signs.busy_loops.process.function), "ets:lookup/2");
	snprintf(signs.costly.looked_up.name, sizeof(signs.costly.looked_up.name), "flags");
	expect(&signs, "busy-polling", SEVERITY_CRITICAL);
	cr_expect(strstr(findings[0].text, "repeat the same call until its result changes") != NULL);
	expect_text(findings[0].evidence[1], "most lookups are in the ETS table flags", "what is asked");
}

Test(why_rules, a_connection_is_made_once)
{
	struct signs signs = healthy();

	signs.reconnects = (struct sign_reconnects){ .peer = "far@host", .times = 2 };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.reconnects.times = 3;
	expect(&signs, "connection-flaps", SEVERITY_WARNING);
}

Test(why_rules, timers_are_too_many_if_each_process_has_several)
{
	struct signs signs = healthy();

	signs.processes = 100000;
	signs.timers.pending = (struct sign_limit){ .used = 999999, .before = 999999 };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.timers.pending.used = signs.timers.pending.before = 1000000;
	expect(&signs, "timers-held", SEVERITY_WARNING);
	signs.processes = 500000;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "one or two for each");
}

Test(why_rules, who_waits_with_messages_in_its_mailbox_is_stuck)
{
	struct signs signs = healthy();
	struct sign_mailbox *mailbox = &signs.mailboxes.worst[0];

	*mailbox = (struct sign_mailbox){ .length = 30, .least = 19, .is_waiting = true };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	mailbox->least = 25;
	expect(&signs, "mailbox-stuck", SEVERITY_WARNING);
	mailbox->senders[0] = (struct sign_sender){ .name = "exited processes", .has_ended = true, .share = 1 };
	mailbox->sender_count = 1;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "answers of its own workers");
	mailbox->is_growing = true;
	mailbox->grown = 20;
	mailbox->arrivals_per_s = 2;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "... that come in");
	mailbox->length = 1000;
	expect(&signs, "mailbox-grows", SEVERITY_CRITICAL);
	mailbox->is_growing = false;
	mailbox->callers = 1;
	expect(&signs, "mailbox-stuck", SEVERITY_WARNING);
	mailbox->is_waiting = false;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
}

Test(why_rules, who_waits_for_somebody_elses_answer_names_it)
{
	struct signs signs = healthy();
	struct sign_mailbox *mailbox = &signs.mailboxes.worst[0];

	*mailbox = (struct sign_mailbox){
		.process = { .id = 1, .name = "first", .pid = "<0.1.0>", .function = "gen:do_call/4" },
		.length = 30,
		.least = 25,
		.is_waiting = true,
		.waits_for = { .id = 3, .name = "last", .pid = "<0.3.0>", .function = "m:work/1" },
		.steps = 2
	};
	expect(&signs, "mailbox-stuck", SEVERITY_WARNING);
	expect_text(findings[0].text,
		    "first <0.1.0> waits for the reply of last <0.3.0> (through others), which runs m:work/1 while its "
		    "mailbox always "
		    "holds at least 25 messages",
		    "the cause");
	mailbox->is_circle = true;
	expect(&signs, "mailbox-stuck", SEVERITY_WARNING);
	cr_expect(strstr(findings[0].text, "3 processes in a cycle of calls") != NULL);
}

Test(why_rules, who_is_asked_more_than_it_can_answer_is_a_bottleneck)
{
	struct signs signs = healthy();
	struct sign_mailbox *mailbox = &signs.mailboxes.worst[0];

	*mailbox = (struct sign_mailbox){ .process = { .busy = 0.9 }, .length = 9, .least = 6, .callers = 7 };
	expect(&signs, "server-full", SEVERITY_WARNING);
	mailbox->callers = 0;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "who sends does not wait");
	mailbox->callers = 7;
	mailbox->process.busy = 0.5;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "it has time left");
}

Test(why_rules, processes_that_stay_and_do_nothing_are_a_leak)
{
	struct signs signs = healthy();

	signs.process_limit = (struct sign_limit){
		.used = 1100, .most = 262144, .before = 1000, .per_s = 10, .is_steady = true
	};
	signs.spawns.growth = (struct sign_growth){
		.parent = { .id = 4, .name = "leaker" }, .spawned = 100, .stayed = 99, .idle = 99
	};
	expect(&signs, "processes-grow", SEVERITY_WARNING);
	signs.spawns.growth.idle = 50;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "they work");
	signs.spawns.growth.idle = 99;
	signs.spawns.growth.spawned = 300;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "most of them end");
	signs.spawns.growth.spawned = 100;
	signs.process_limit.is_steady = false;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "sometimes there are fewer");
}

Test(why_rules, processes_that_become_more_for_an_hour_are_a_leak)
{
	struct signs signs = healthy();

	signs.hourly.processes_before = 1000;
	signs.hourly.processes_now = 1500;
	signs.spawns.growth = (struct sign_growth){ .parent = { .id = 4, .name = "leaker" },
						    .spawned = 2,
						    .stayed = 1 };
	expect(&signs, "processes-grow", SEVERITY_WARNING);
	cr_expect(strstr(findings[0].text, "from 1000 to 1500") && strstr(findings[0].evidence[1], "leaker"));
}

Test(why_rules, memory_that_only_becomes_more_for_an_hour_is_a_leak_if_it_is_full_within_a_week)
{
	struct signs signs = healthy();

	signs.hourly.bytes_before = 500 * MIB;
	signs.hourly.bytes_now = 580 * MIB;
	expect(&signs, "memory-grows", SEVERITY_WARNING);
	cr_expect(strstr(findings[0].text, "from 500 MiB to 580 MiB") != NULL);
	signs.hourly.bytes_now = 540 * MIB;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "7,400 MiB are left, for 7.7 days");
	signs.hourly.bytes_now = 580 * MIB;
	signs.hourly.processes_before = 1000;
	signs.hourly.processes_now = 1500;
	expect(&signs, "processes-grow", SEVERITY_WARNING);
}

Test(why_rules, who_logs_or_writes_waits_for_a_server_that_is_behind)
{
	struct signs signs = healthy();
	struct sign_mailbox *mailbox = &signs.mailboxes.worst[0];

	*mailbox = (struct sign_mailbox){ .length = 9, .least = 4, .service = SERVICE_LOG };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	mailbox->least = 6;
	expect(&signs, "log-backlog", SEVERITY_WARNING);
	mailbox->service = SERVICE_IO;
	mailbox->is_growing = true;
	mailbox->grown = 9;
	expect(&signs, "io-backlog", SEVERITY_CRITICAL);
	mailbox->service = SERVICE_CODE;
	signs.waits.code = (struct sign_wait_group){ .processes = 1,
						     .process = { .id = 6, .name = "caller", .stack = "m:f/1" } };
	expect(&signs, "code-backlog", SEVERITY_CRITICAL);
	cr_expect(ne(ptr, strstr(findings[0].evidence[1], "caller: m:f/1"), NULL), "%s", findings[0].evidence[1]);
}

Test(why_rules, locks_of_mnesia_count_if_who_has_them_does_nothing)
{
	struct signs signs = healthy();

	signs.waits.mnesia = (struct sign_wait_group){ .processes = 5, .process = { .id = 6, .name = "writer" } };
	signs.waits.mnesia_held = (struct sign_wait_group){ .processes = 3, .process = { .id = 7, .name = "keeper" } };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "all are at work");
	signs.waits.mnesia_held.idle = 1;
	expect(&signs, "lock-wait", SEVERITY_WARNING);
	cr_expect(ne(ptr, strstr(findings[0].text, "because keeper is idle in a transaction"), NULL), "%s",
		  findings[0].text);
	signs.waits.mnesia.processes = 4;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "few want them");
}

Test(why_rules, waits_for_files_and_names_count_if_they_are_long)
{
	struct signs signs = healthy();

	signs.io_wait = (struct sign_io_wait){ .longest_ns = 400 * NS_PER_MS, .threads = 0.3 };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.io_wait.longest_ns = 2 * NS_PER_S;
	expect(&signs, "io-wait", SEVERITY_CRITICAL);
	signs.io_wait = (struct sign_io_wait){};
	signs.waits.dns = (struct sign_wait_group){ .processes = 9 };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.waits.dns.still = 1;
	expect(&signs, "dns-wait", SEVERITY_WARNING);
	signs.waits.dns = (struct sign_wait_group){};
	signs.waits.global_lock.processes = 4;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.waits.global_lock.processes = 5;
	expect(&signs, "lock-wait", SEVERITY_WARNING);
}

Test(why_rules, memory_counts_beside_that_of_the_node)
{
	struct signs signs = healthy();

	signs.heaps.largest[0].heap = 400 * MIB;
	expect(&signs, "heap-huge", SEVERITY_WARNING);
	signs.heaps.largest[0].heap = MIB;
	signs.binaries.largest[0] = (struct sign_process_memory){ .heap = MIB, .binaries = 300 * MIB };
	expect(&signs, "binaries-held", SEVERITY_WARNING);
	signs.binaries.largest[0].references = 2000;
	expect(&signs, "binaries-held", SEVERITY_WARNING);
	signs.binaries.largest[0].references = 10;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "ten that it needs");
}

Test(why_rules, memory_that_nothing_uses_counts_beside_that_of_the_node)
{
	struct signs signs = healthy();

	signs.allocators.carriers = 790 * MIB;
	signs.allocators.blocks = 600 * MIB;
	strcpy(signs.allocators.worst, "eheap_alloc");
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.allocators.blocks = 400 * MIB;
	expect(&signs, "memory-unused", SEVERITY_WARNING);
	cr_expect(strstr(findings[0].text, "390 MiB that nothing uses") != NULL, "%s", findings[0].text);
	/* The kernel has most of it back. */
	signs.memory.resident = 450 * MIB;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
}

Test(why_rules, atoms_that_grow_steadily_end_the_node)
{
	struct signs signs = healthy();

	signs.atoms.limit = (struct sign_limit){
		.used = 40000, .most = 1048576, .before = 30000, .per_s = 1000, .is_steady = true
	};
	expect(&signs, "atoms-grow", SEVERITY_CRITICAL);
	signs.atoms.limit.is_steady = false;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "a module was loaded");
	signs.atoms.limit.is_steady = true;
	signs.code.is_known = true;
	signs.code.grown = 3 * MIB;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "many modules are being loaded");
	signs.code.grown = 20000;
	expect(&signs, "atoms-grow", SEVERITY_CRITICAL);
	signs.code.is_known = false;
	expect(&signs, "atoms-grow", SEVERITY_CRITICAL);
	strcpy(signs.atoms.maker.stack, "prim_file:get_cwd/0 < code_server:absname/1");
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "it is in the code server");
	strcpy(signs.atoms.maker.stack, "filename:join/2 < shop:load/1");
	cr_expect(eq(sz, rules_judge(&signs, findings), 1));
	signs.atoms.loads_code = true;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "somebody loads");
	signs.atoms.is_maker_seen = true;
	cr_expect(eq(sz, rules_judge(&signs, findings), 1), "somebody else makes atoms");
}

Test(why_rules, limits_are_near_at_four_fifths)
{
	struct signs signs = healthy();

	signs.process_limit.used = 220000;
	expect(&signs, "processes-limit", SEVERITY_WARNING);
	signs.process_limit.used = 261000;
	expect(&signs, "processes-limit", SEVERITY_CRITICAL);
}

Test(why_rules, what_one_process_makes_and_keeps_is_a_leak)
{
	static const struct {
		const char *rule;
		size_t number, holder; /* in the signs */
	} leaks[] = {
		{ "ports-grow", offsetof(struct signs, ports.limit), offsetof(struct signs, ports.opened) },
		{ "tables-grow", offsetof(struct signs, tables.count), offsetof(struct signs, tables.created) },
	};

	for (size_t i = 0; i < COUNT(leaks); i++) {
		struct signs signs = healthy();
		struct sign_limit *number = (struct sign_limit *)((char *)&signs + leaks[i].number);
		struct sign_owner *holder = (struct sign_owner *)((char *)&signs + leaks[i].holder);

		*number = (struct sign_limit){
			.used = 600, .before = 500, .most = 65536, .per_s = 10, .is_steady = true
		};
		*holder = (struct sign_owner){ .process = { .id = 9, .pid = "<0.9.0>" }, .made = 95 };
		expect(&signs, leaks[i].rule, SEVERITY_WARNING);
		cr_expect(strstr(findings[0].text, "<0.9.0>") != NULL);
		holder->made = 50;
		cr_expect(eq(sz, rules_judge(&signs, findings), 0), "several have become more");
		holder->made = 95;
		number->is_steady = false;
		cr_expect(eq(sz, rules_judge(&signs, findings), 0));
	}
}

Test(why_rules, a_table_that_fills_the_memory_within_a_day_is_named)
{
	struct signs signs = healthy();

	signs.tables.bytes = (struct sign_limit){
		.used = 300 * MIB, .before = 270 * MIB, .per_s = 3 * MIB, .is_steady = true
	};
	signs.tables.grown = (struct sign_table){ .name = "cache", .grown = 29 * MIB, .bytes = 200 * MIB };
	expect(&signs, "ets-grows", SEVERITY_WARNING);
	cr_expect(strstr(findings[0].text, "ETS table cache grows by 2.9 MiB") != NULL, "%s", findings[0].text);
	signs.tables.grown.grown = 3 * MIB;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "no table has grown so much");
	signs.tables.grown.grown = 29 * MIB;
	signs.tables.bytes.per_s = MIB / 2;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0));
}

Test(why_rules, timers_that_become_more_count_in_masses)
{
	struct signs signs = healthy();

	signs.processes = 1000000;
	signs.timers.pending = (struct sign_limit){
		.used = 300000, .before = 100000, .per_s = 20000, .is_steady = true
	};
	expect(&signs, "timers-grow", SEVERITY_WARNING);
	signs.timers.pending.used = 2000000;
	expect(&signs, "timers-grow", SEVERITY_CRITICAL);
	signs.timers.pending.per_s = 500;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0));
	signs.timers.receiver = (struct sign_process_timers){ .process = { .id = 5, .pid = "<0.5.0>", .name = "timed" },
							      .timers = 100000 };
	expect(&signs, "timers-grow", SEVERITY_CRITICAL);
	cr_expect(ne(ptr, strstr(findings[0].evidence[1], "are for timed <0.5.0>"), NULL), "%s",
		  findings[0].evidence[1]);
	signs.timers.receiver.timers = 90000;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "they are for many");
}

Test(why_rules, open_files_near_their_limit)
{
	struct signs signs = healthy();

	signs.files.limit = (struct sign_limit){ .used = 850, .most = 1024 };
	signs.files.sockets = 800;
	expect(&signs, "files-limit", SEVERITY_WARNING);
	expect_text(findings[0].command, "sockets -p PID", "what most of them are");
	signs.files.limit.used = 1000;
	expect(&signs, "files-limit", SEVERITY_CRITICAL);
	signs.files.limit.most = 0;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "there is no limit");
}

Test(why_rules, a_storm_names_who_was_found_running_or_waiting)
{
	struct signs signs = healthy();

	signs.terms.purge = (struct sign_purge){ .reds_per_s = 2e6, .is_steady = true };
	expect(&signs, "terms-storm", SEVERITY_WARNING);
	cr_expect(findings[0].process == NULL);
	signs.waits.terms = (struct sign_wait_group){ .process = { .id = 8 }, .processes = 1 };
	expect(&signs, "terms-storm", SEVERITY_WARNING);
	cr_expect(findings[0].process == &signs.waits.terms.process);
	signs.terms.purge.process.id = 9;
	expect(&signs, "terms-storm", SEVERITY_WARNING);
	cr_expect(findings[0].process == &signs.terms.purge.process);
	signs.terms.purge.reds_per_s = 1e5;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "an application starts");
}

Test(why_rules, code_that_is_replaced_has_literals_that_are_replaced_too)
{
	struct signs signs = healthy();

	signs.code.purge = (struct sign_purge){ .reds_per_s = 2e6, .is_steady = true };
	signs.terms.purge = signs.code.purge;
	expect(&signs, "code-storm", SEVERITY_WARNING);
	signs.terms.purge.process.id = 9;
	cr_expect(eq(sz, rules_judge(&signs, findings), 2), "somebody replaces terms as well");
	signs.terms.purge.process.id = 0;
	signs.code.purge.reds_per_s = 9e5;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0), "somebody works on a module");
}

Test(why_rules, code_that_is_called_for_the_first_time_replaces_none)
{
	struct signs signs = healthy();

	signs.code.purge = (struct sign_purge){ .reds_per_s = 2e6, .is_steady = true };
	signs.code.purge.process = (struct sign_process){ .id = 9, .pid = "<0.9.0>" };
	snprintf(signs.code.purge.process.stack, sizeof(signs.code.purge.process.stack),
		 "erts_internal:prepare_loading/2 < code:ensure_loaded/1 < error_handler:undefined_function/3");
	cr_expect(eq(sz, rules_judge(&signs, findings), 0));
}

Test(why_rules, a_spawn_storm_names_who_spawns)
{
	struct signs signs = healthy();

	signs.spawns.per_s = 200000;
	signs.spawns.spawner = (struct sign_process){ .id = 9, .pid = "<0.9.0>" };
	expect(&signs, "spawn-storm", SEVERITY_CRITICAL);
	cr_expect(strstr(findings[0].text, "<0.9.0>") != NULL);
}

/* A task for each request, for instance. */
Test(why_rules, many_processes_that_have_work_are_no_storm)
{
	struct signs signs = healthy();

	signs.spawns.per_s = 20000;
	cr_expect(eq(sz, rules_judge(&signs, findings), 0));
	signs.schedulers.normal.busy = 0.1;
	expect(&signs, "spawn-storm", SEVERITY_WARNING);
}

Test(why_rules, full_pools_are_findings_if_somebody_waits)
{
	struct signs signs = healthy();

	signs.schedulers.dirty_io.full = 0.95;
	expect(&signs, "dirty-io-full", SEVERITY_WARNING);
	signs.schedulers.dirty_io.full = 0;
	signs.queue.runnable = 1000;
	expect(&signs, "run-queue-long", SEVERITY_WARNING);
}

Test(why_rules, a_cause_comes_before_what_follows_from_it)
{
	struct signs signs = healthy();

	signs.mailboxes.worst[0] = (struct sign_mailbox){ .length = 900000, .grown = 900000, .is_growing = true };
	signs.spawns.per_s = 20000;
	signs.schedulers.normal.busy = 0.1;
	signs.cpu.has_quota = true;
	signs.cpu.periods = signs.cpu.throttled_periods = 100;
	cr_assert(eq(sz, rules_judge(&signs, findings), 3));
	expect_text(findings[0].rule, "cpu-throttled", "the order");
	expect_text(findings[1].rule, "mailbox-grows", "the order");
	expect_text(findings[2].rule, "spawn-storm", "a warning comes after what is critical");
}

/* Names are as long as they may be. */
Test(why_rules, long_names_are_cut)
{
	struct signs signs = healthy();

	memset(signs.spawns.spawner.name, 'x', SIGN_NAME - 1);
	memset(signs.spawns.spawner.stack, 'y', SIGN_STACK - 1);
	signs.spawns.spawner.id = 1;
	signs.spawns.per_s = 200000;
	expect(&signs, "spawn-storm", SEVERITY_CRITICAL);
}

Test(why_rules, a_circle_of_those_who_wait_is_critical)
{
	struct signs signs = healthy();

	signs.waits.deadlock = (struct sign_deadlock){ .one = { .id = 5, .pid = "<0.5.0>", .name = "one" },
						       .other = { .id = 6, .pid = "<0.6.0>", .name = "other" },
						       .processes = 2 };
	expect(&signs, "deadlock", SEVERITY_CRITICAL);
	cr_expect(strstr(findings[0].text, "one <0.5.0> and other <0.6.0>") != NULL);
	cr_expect(findings[0].process == &signs.waits.deadlock.one);
}

/* Few messages are a backlog if those who sent them wait for it. */
Test(why_rules, a_server_that_does_not_receive_is_stuck_if_many_wait_for_it)
{
	struct signs signs = healthy();

	signs.mailboxes.worst[0] = (struct sign_mailbox){
		.process = { .id = 5, .pid = "<0.5.0>", .name = "silent" }, .length = 8, .least = 8, .is_waiting = true
	};
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.mailboxes.worst[0].callers = 8;
	expect(&signs, "mailbox-stuck", SEVERITY_WARNING);
}

Test(why_rules, a_server_that_is_suspended_is_said_to_be)
{
	struct signs signs = healthy();

	signs.mailboxes.worst[0] = (struct sign_mailbox){ .process = { .id = 5, .pid = "<0.5.0>", .name = "server" },
							  .length = 5000,
							  .grown = 5000,
							  .is_growing = true,
							  .is_suspended = true };
	expect(&signs, "mailbox-grows", SEVERITY_CRITICAL);
	cr_expect(strstr(findings[0].text, "it is suspended") != NULL);
}

/* A finding from so many on that wait all the time, if that was long. */
static void expect_crowd(struct signs *signs, struct sign_wait_group *crowd, uint64_t least, const char *rule)
{
	*crowd = (struct sign_wait_group){ .process = { .id = 5, .pid = "<0.5.0>", .name = "client" },
					   .processes = 9,
					   .still = 9,
					   .idle = least - 1 };
	cr_assert(eq(sz, rules_judge(signs, findings), 0), "%s", rule);
	crowd->idle = least;
	expect(signs, rule, SEVERITY_WARNING);
	signs->elapsed_ns = NS_PER_S;
	cr_assert(eq(sz, rules_judge(signs, findings), 0), "%s", rule);
}

Test(why_rules, who_waits_for_a_peer_has_waited_long)
{
	struct signs senders = healthy(), callers = healthy();

	expect_crowd(&senders, &senders.waits.send, 1, "port-busy");
	expect_crowd(&callers, &callers.waits.peer, 5, "peer-wait");
}

Test(why_rules, answers_that_an_empty_mailbox_keeps_back_are_of_a_pool)
{
	struct signs signs = healthy();

	signs.waits.late_answers = (struct sign_late_answers){
		.process = { .id = 5, .pid = "<0.5.0>", .name = "pool" },
		.caller = { .id = 6, .pid = "<0.6.0>", .name = "client" },
		.callers = 4,
		.longest_ns = 3 * NS_PER_S
	};
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "a few slow answers");
	signs.waits.late_answers.callers = 5;
	expect(&signs, "answer-wait", SEVERITY_WARNING);
	cr_expect(ne(ptr, strstr(findings[0].text, "for up to 3.00s"), NULL), "%s", findings[0].text);
	cr_expect(ne(ptr, strstr(findings[0].evidence[0], "client"), NULL), "%s", findings[0].evidence[0]);
	signs.waits.late_answers.holder = (struct sign_process){
		.id = 7, .pid = "<0.7.0>", .name = "holder", .stack = "m:f/1"
	};
	signs.waits.late_answers.holders = 2;
	signs.waits.late_answers.callers = 20;
	expect(&signs, "answer-wait", SEVERITY_CRITICAL);
	cr_expect(ne(ptr, strstr(findings[0].evidence[0], "holder <0.7.0>, which runs m:f/1"), NULL), "%s",
		  findings[0].evidence[0]);
}

Test(why_rules, inserts_into_a_large_bag_are_a_finding_if_each_takes_long)
{
	struct signs signs = healthy();

	signs.costly.calls[COSTLY_INSERT] = (struct sign_costly_call){ .process = { .id = 5, .pid = "<0.5.0>" },
								       .share = 0.5 };
	signs.costly.inserted = (struct sign_table_use){ .name = "bag", .objects = 30000, .is_bag = true };
	signs.costly.slow_inserts = 0.5;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "short ones");
	signs.costly.slow_inserts = 0.9;
	expect(&signs, "bag-inserts", SEVERITY_WARNING);
	signs.costly.inserted.is_bag = false;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "large objects");
	signs.costly.inserted.is_bag = true;
	signs.costly.inserted.objects = 9999;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "a small bag");
}

Test(why_rules, a_tracer_is_a_finding_if_it_has_much_to_do)
{
	struct signs signs = healthy();

	signs.tracer = (struct sign_tracer){ .process = { .id = 5, .pid = "<0.5.0>", .busy = 0.1 }, .what = "send" };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "somebody looks at something");
	signs.tracer.process.busy = 0.5;
	expect(&signs, "tracing", SEVERITY_WARNING);
	signs.tracer.is_growing = true;
	signs.mailboxes.worst[0] = (struct sign_mailbox){
		.process = signs.tracer.process, .length = 9000, .grown = 8000, .least = 1000, .is_growing = true
	};
	expect(&signs, "tracing", SEVERITY_CRITICAL);
	cr_expect(ne(ptr, strstr(findings[0].text, "more than it can handle"), NULL), "%s", findings[0].text);
}

Test(why_rules, who_is_collected_each_time_that_it_waits_hibernates)
{
	struct signs signs = healthy();

	signs.gc.share = 0.8;
	expect(&signs, "gc-storm", SEVERITY_CRITICAL);
	cr_expect(eq(ptr, strstr(findings[0].text, "hibernates"), NULL));
	signs.gc.hibernates = true;
	expect(&signs, "gc-storm", SEVERITY_CRITICAL);
	cr_expect(ne(ptr, strstr(findings[0].text, ": it keeps hibernating"), NULL), "%s", findings[0].text);
}

Test(why_rules, a_server_is_slow_if_some_wait_for_long_and_it_never_has_time)
{
	struct signs signs = healthy();

	signs.waits.slow_server = (struct sign_slow_server){
		.process = { .id = 5,
			     .pid = "<0.5.0>",
			     .name = "server",
			     .function = "timer:sleep/1",
			     .is_waiting = true },
		.caller = { .id = 6, .pid = "<0.6.0>", .name = "client", .stack = "m:f/1" },
		.callers = 2,
		.longest_ns = 3 * NS_PER_S,
		.least = 1
	};
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "two that wait");
	signs.waits.slow_server.callers = 3;
	expect(&signs, "server-slow", SEVERITY_WARNING);
	cr_expect(ne(ptr, strstr(findings[0].text, "for up to 3.00s so far, while it waits in timer:sleep/1"), NULL),
		  "%s", findings[0].text);
	cr_expect(ne(ptr, strstr(findings[0].evidence[1], "client <0.6.0>: m:f/1"), NULL), "%s",
		  findings[0].evidence[1]);
	signs.waits.slow_server.least = 0;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "it has nothing to do now and then");
	signs.waits.slow_server.least = 5;
	signs.mailboxes.worst[0] = (struct sign_mailbox){ .process = signs.waits.slow_server.process,
							  .least = 30,
							  .is_waiting = true };
	expect(&signs, "mailbox-stuck", SEVERITY_WARNING);
}

Test(why_rules, binaries_that_no_process_has_are_in_the_table_that_fills)
{
	struct signs signs = healthy();

	signs.binary_use.bytes = (struct sign_limit){
		.used = 300 * MIB, .before = 200 * MIB, .per_s = 10.0 * (double)MIB, .is_steady = true
	};
	signs.tables.filled = (struct sign_table){ .owner = { .id = 5, .pid = "<0.5.0>", .name = "keeper" },
						   .name = "parts",
						   .grown = 1000 };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "the tables do not grow");
	signs.tables.bytes = (struct sign_limit){
		.used = 3 * MIB, .before = 2 * MIB, .per_s = 1000, .is_steady = true
	};
	expect(&signs, "ets-grows", SEVERITY_WARNING);
	cr_expect(ne(ptr, strstr(findings[0].text, "the ETS table parts"), NULL), "%s", findings[0].text);
	cr_expect(ne(ptr, strstr(findings[0].evidence[0], "102 KiB of binaries per object"), NULL), "%s",
		  findings[0].evidence[0]);
	signs.binary_use.referred_grown = 60 * MIB;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "processes have them");
	signs.binary_use.referred_grown = 0;
	signs.suspended.count = 1;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "they wait to be sent");
}

Test(why_rules, connections_that_wait_all_the_time_are_not_accepted)
{
	struct signs signs = healthy();

	signs.accept_queue = (struct sign_accept_queue){ .port = 8080, .waiting = 90, .least = 4 };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "a burst");
	signs.accept_queue.least = 5;
	expect(&signs, "accept-wait", SEVERITY_CRITICAL);
	cr_expect(findings[0].process == NULL);
	cr_expect(ne(ptr, strstr(findings[0].evidence[0], "no sampled process"), NULL), "%s", findings[0].evidence[0]);
	signs.accept_queue.process = (struct sign_process){ .id = 5, .pid = "<0.5.0>", .name = "listener" };
	signs.waits.accept = (struct sign_wait_group){ .processes = 1, .process = { .id = 6, .pid = "<0.6.0>" } };
	expect(&signs, "accept-wait", SEVERITY_CRITICAL);
	cr_expect(ne(ptr, strstr(findings[0].evidence[0], "belongs to listener <0.5.0>"), NULL), "%s",
		  findings[0].evidence[0]);
}

Test(why_rules, many_monitors_of_few_things_were_forgotten)
{
	struct signs signs = healthy();

	signs.monitors = (struct sign_monitors){ .process = { .id = 5, .pid = "<0.5.0>", .name = "client" },
						 .of = { .id = 6, .pid = "<0.6.0>", .name = "server" },
						 .of_one = 15000,
						 .count = 20000,
						 .before = 19000,
						 .things = 20 };
	expect(&signs, "monitors-held", SEVERITY_WARNING);
	signs.monitors.things = 10000;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "a registry");
	signs.monitors.things = 20;
	signs.monitors.before = 21000;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "they are removed");
	signs.monitors.count = 9000;
	signs.monitors.before = 0;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "not many yet");
	signs.monitors = (struct sign_monitors){
		.process = { .id = 5 }, .count = 10000, .things = 1, .are_aliases = true
	};
	expect(&signs, "monitors-held", SEVERITY_WARNING);
	cr_expect(ne(ptr, strstr(findings[0].text, "10000 aliases"), NULL), "%s", findings[0].text);
}

/* Workers of a pool come and go, and a child is restarted now and then. */
Test(why_rules, children_that_end_again_and_again_are_restarted)
{
	struct signs signs = healthy();
	struct sign_restarts *restarts = &signs.restarts;

	restarts->process = (struct sign_process){ .id = 5, .pid = "<0.5.0>", .name = "boss" };
	restarts->seen = 5;
	restarts->stayed = 1;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "nobody was found restarting");
	restarts->found = 1;
	expect(&signs, "restart-storm", SEVERITY_WARNING);
	restarts->stayed = 4;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "they stay");
	*restarts = (struct sign_restarts){ .process = restarts->process, .found = 9 };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "few samples, and no child");
	restarts->found = 10;
	expect(&signs, "restart-storm", SEVERITY_WARNING);
	*restarts = (struct sign_restarts){ .process = restarts->process, .same_name = 1, .name = "child" };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "one restart");
	restarts->same_name = 2;
	expect(&signs, "restart-storm", SEVERITY_WARNING);
	cr_expect(strstr(findings[0].text, "restarts child") != NULL);
	*restarts = (struct sign_restarts){ .process = restarts->process, .seen = 10, .stayed = 10, .logged = 1 };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "one restart, of all children");
	restarts->logged = 2;
	expect(&signs, "restart-storm", SEVERITY_WARNING);
}

/* A start reads configuration once, and modules bring literals. */
Test(why_rules, persistent_terms_that_grow_all_the_time_are_a_leak)
{
	struct signs signs = healthy();

	signs.atoms.limit.before = signs.atoms.limit.used;
	signs.terms.literals = (struct sign_limit){ .before = 8 * MIB, .used = 18 * MIB, .per_s = 1.0 * MIB };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "not all the time");
	signs.terms.literals.is_steady = true;
	expect(&signs, "terms-grow", SEVERITY_CRITICAL);
	signs.code.is_known = true;
	expect(&signs, "terms-grow", SEVERITY_CRITICAL);
	signs.code.grown = 1000;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "modules are loaded");
	signs.code.is_known = false;
	signs.atoms.limit.before = signs.atoms.limit.used - 1;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "modules may be loaded");
}

Test(why_rules, a_call_is_long_after_some_seconds_and_worst_if_it_takes_all_schedulers)
{
	struct signs signs = healthy();

	signs.long_call.process = (struct sign_process){ .id = 5, .pid = "<0.5.0>", .function = "re:run/3", .busy = 1 };
	signs.long_call.processes = 1;
	expect(&signs, "long-call", SEVERITY_WARNING);
	signs.long_call.processes = signs.schedulers.normal.schedulers;
	expect(&signs, "long-call", SEVERITY_CRITICAL);
	signs.elapsed_ns = 3 * NS_PER_S;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
}

Test(why_rules, a_high_priority_starves_others_if_there_are_some)
{
	struct signs signs = healthy();

	signs.schedulers.urgent = 1;
	signs.schedulers.urgent_process = (struct sign_process){ .id = 5, .pid = "<0.5.0>", .name = "urgent" };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.queue.starved = 1;
	expect(&signs, "priority-starves", SEVERITY_CRITICAL);
	signs.schedulers.urgent = 0.5;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
}

/* Some nodes are set up with fewer; and a queue is long for those that there are. */
Test(why_rules, schedulers_that_are_off_are_missing_if_the_others_are_full)
{
	struct signs signs = healthy();

	signs.schedulers.online = 2;
	signs.schedulers.normal.full = 0.5;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.schedulers.normal.full = 0.95;
	expect(&signs, "schedulers-off", SEVERITY_WARNING);
	signs.queue.runnable = 0;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.queue.runnable = 120;
	cr_assert(eq(sz, rules_judge(&signs, findings), 2));
	signs.schedulers.online = signs.schedulers.normal.schedulers;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
}

Test(why_rules, many_that_wake_up_all_the_time_are_a_storm)
{
	struct signs signs = healthy();

	signs.short_timeouts = (struct sign_short_timeouts){ .processes = 500, .wait_ms = 50, .wakes_per_s = 10000 };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.short_timeouts.wakes_per_s = 200000;
	expect(&signs, "wake-storm", SEVERITY_WARNING);
	signs.short_timeouts.processes = 10;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "they may be meant so");
}

/* One process that uses all of a node of two schedulers. */
static struct signs busy_with(enum costly_call chore, double share)
{
	struct signs signs = healthy();

	signs.schedulers.normal.schedulers = 2;
	signs.schedulers.normal.full = 0.5;
	signs.costly.calls[chore] = (struct sign_costly_call){
		.share = share,
		.process = { .id = 5,
			     .pid = "<0.5.0>",
			     .name = "doer",
			     .function = "erlang:process_info/2",
			     .stack = "m:f/1" },
	};
	return signs;
}

Test(why_rules, a_table_is_searched_too_often_if_it_is_large)
{
	struct signs signs = busy_with(COSTLY_SEARCH, 0.4);

	signs.costly.searched = (struct sign_table_use){ .table = 7, .name = "sessions", .objects = 2000 };
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.costly.searched.objects = 50000;
	expect(&signs, "table-search", SEVERITY_WARNING);
	cr_expect(strstr(findings[0].text, "the ETS table sessions") != NULL, "%s", findings[0].text);
	signs.costly.searched.objects = 2000;
	signs.costly.searched.matching = 0.4;
	expect(&signs, "table-search", SEVERITY_WARNING);
	signs.costly.searched.objects = 100;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "a small one");
	signs.costly.searched.objects = 50000;
	signs.costly.calls[COSTLY_SEARCH].share = 0.9;
	expect(&signs, "table-search", SEVERITY_CRITICAL);
	signs.schedulers.normal.busy = 0.05;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0), "hardly anything runs");
}

Test(why_rules, questions_messages_and_lists_are_findings_if_they_are_most_of_the_work)
{
	static const struct {
		enum costly_call chore;
		double little, much;
		const char *rule;
	} rows[] = {
		{ COSTLY_INSPECT, 0.2, 0.4, "inspect-storm" },
		{ COSTLY_COPY, 0.2, 0.4, "large-messages" },
		{ COSTLY_LIST, 0.4, 0.55, "long-list" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct signs signs = busy_with(rows[i].chore, rows[i].little);

		cr_assert(eq(sz, rules_judge(&signs, findings), 0), "%s", rows[i].rule);
		signs.costly.calls[rows[i].chore].share = rows[i].much;
		expect(&signs, rows[i].rule, SEVERITY_WARNING);
		signs.costly.calls[rows[i].chore].share = 0.9;
		expect(&signs, rows[i].rule, SEVERITY_CRITICAL);
	}
}

/* What is so large that it is a slice is said once. */
Test(why_rules, messages_that_take_a_slice_are_one_finding)
{
	struct signs signs = busy_with(COSTLY_COPY, 0.9);

	signs.schedulers.slices[0] = (struct sign_slice){ .longest_ns = 200 * NS_PER_MS,
							  .ran = 1,
							  .count = 9,
							  .total_ns = 5 * NS_PER_S,
							  .process = signs.costly.calls[COSTLY_COPY].process };
	expect(&signs, "long-slice", SEVERITY_CRITICAL);
}

Test(why_rules, who_forces_others_to_be_collected_is_named)
{
	struct signs signs = healthy();

	signs.gc.share = 0.6;
	signs.waits.gc.process = (struct sign_process){ .id = 9, .pid = "<0.9.0>", .name = "forcer" };
	expect(&signs, "gc-storm", SEVERITY_CRITICAL);
	cr_expect(strstr(findings[0].text, "forced by forcer <0.9.0>") != NULL, "%s", findings[0].text);
	cr_expect(findings[0].process == &signs.waits.gc.process);
}

Test(why_rules, the_last_of_a_chain_is_named_once)
{
	struct signs signs = healthy();

	signs.waits.stalled.process = (struct sign_process){ .id = 5, .pid = "<0.5.0>", .function = "m:f/1" };
	signs.waits.stalled.processes = 2;
	cr_assert(eq(sz, rules_judge(&signs, findings), 0));
	signs.waits.stalled.processes = 5;
	expect(&signs, "server-waits", SEVERITY_WARNING);
	signs.mailboxes.worst[0].least = 30;
	signs.mailboxes.worst[0].is_waiting = true;
	signs.mailboxes.worst[0].waits_for = signs.waits.stalled.process;
	expect(&signs, "mailbox-stuck", SEVERITY_WARNING);
}
