// SPDX-License-Identifier: BSD-2-Clause
#include "cli/why_shares.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "why/host/time_shares.h"

#define LEAST 0.005 /* less would print as 0 % */

enum {
	SCHEDULER,
	CODE,
	LONG_CALLS,
	PORTS,
	COLLECTING,
	BUSY_WAIT,
	BLOCKED,
	ASLEEP,
	CPU_WAIT,
	THROTTLED,
	FAULTS_PER_S,
	FAULT,
	COLUMNS
};

static const struct column columns[COLUMNS] = {
	[SCHEDULER] = { "scheduler", COLUMN_NUMBER, 0, false },
	[CODE] = { "code", COLUMN_DECIMAL, 0, false },
	[LONG_CALLS] = { "long_calls", COLUMN_DECIMAL, 0, false },
	[PORTS] = { "ports", COLUMN_DECIMAL, 0, false },
	[COLLECTING] = { "collecting", COLUMN_DECIMAL, 0, false },
	[BUSY_WAIT] = { "busy_wait", COLUMN_DECIMAL, 0, false },
	[BLOCKED] = { "blocked", COLUMN_DECIMAL, 0, false },
	[ASLEEP] = { "asleep", COLUMN_DECIMAL, 0, false },
	[CPU_WAIT] = { "cpu_wait", COLUMN_DECIMAL, 0, false },
	[THROTTLED] = { "throttled", COLUMN_DECIMAL, 0, false },
	[FAULTS_PER_S] = { "page_faults_per_s", COLUMN_DECIMAL, 0, false },
	[FAULT] = { "fault", COLUMN_TEXT, 0, false },
};

/* In the order of printing. */
static const struct {
	int column;
	const char *text;
} kinds[] = {
	{ CODE, "code" },
	{ LONG_CALLS, "calls that do not yield for 20 ms" },
	{ PORTS, "ports" },
	{ COLLECTING, "garbage collection" },
	{ BUSY_WAIT, "busy-waiting" },
	{ BLOCKED, "blocked in locks or the kernel" },
	{ CPU_WAIT, "waiting for a CPU" },
	{ THROTTLED, "throttled" },
	{ ASLEEP, "asleep" },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

static void list(const struct sign_time_shares *s, double shares[COLUMNS])
{
	shares[CODE] = s->code;
	shares[LONG_CALLS] = s->long_calls;
	shares[PORTS] = s->ports;
	shares[COLLECTING] = s->collecting;
	shares[BUSY_WAIT] = s->busy_wait;
	shares[BLOCKED] = s->blocked;
	shares[ASLEEP] = s->asleep;
	shares[CPU_WAIT] = s->cpu_wait;
	shares[THROTTLED] = s->throttled;
}

static void print_shares(const struct sign_time_shares *shares)
{
	bool is_first = true;
	double of[COLUMNS];

	list(shares, of);
	for (size_t i = 0; i < KINDS; i++) {
		double share = of[kinds[i].column];

		if (share < LEAST)
			continue;
		printf("%s%.0f %% %s", is_first ? "" : ", ", share * 100, kinds[i].text);
		is_first = false;
	}
}

void why_shares_print(const struct signs *signs)
{
	if (!signs->schedulers.looks)
		return;
	printf("their time: ");
	print_shares(&signs->time_shares);
	if (signs->memory.major_faults_per_s >= 1)
		printf(", %.0f pages read from disks per second", signs->memory.major_faults_per_s);
	printf("; %s\n", time_shares_fault_text(time_shares_fault(&signs->time_shares)));
}

void why_shares_print_each(const struct node_watch *collector)
{
	size_t count;
	const struct sign_time_shares *each = node_watch_shares(collector, &count);

	for (size_t i = 0; i < count; i++) {
		printf("  scheduler %zu: ", i + 1);
		print_shares(&each[i]);
		printf("\n");
	}
}

static uint64_t thousandths(double number)
{
	return number > 0 ? (uint64_t)(number * 1000 + 0.5) : 0;
}

static void fill(const struct sign_time_shares *shares, struct value cells[COLUMNS])
{
	double of[COLUMNS];

	list(shares, of);
	for (size_t i = 0; i < KINDS; i++)
		cells[kinds[i].column].number = thousandths(of[kinds[i].column]);
}

struct value *why_shares_parts(const struct signs *signs, const struct node_watch *collector,
			       struct sink_part parts[WHY_SHARES])
{
	size_t count;
	const struct sign_time_shares *each = node_watch_shares(collector, &count);
	struct value *all = calloc((count + 1) * COLUMNS, sizeof(*all)), *cells;

	if (!all)
		return NULL;
	cells = all + COLUMNS;
	fill(&signs->time_shares, all);
	all[FAULTS_PER_S].number = thousandths(signs->memory.major_faults_per_s);
	all[FAULT].text = time_shares_fault_word(time_shares_fault(&signs->time_shares));
	parts[WHY_SHARES_ALL] = (struct sink_part){ "shares", columns + CODE, COLUMNS - CODE, all + CODE, 1, false };
	for (size_t i = 0; i < count; i++) {
		cells[i * FAULTS_PER_S + SCHEDULER].number = i + 1;
		fill(&each[i], cells + i * FAULTS_PER_S);
	}
	parts[WHY_SHARES_EACH] = (struct sink_part){ "scheduler_shares", columns, FAULTS_PER_S, cells, count, true };
	return all;
}
