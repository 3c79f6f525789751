// SPDX-License-Identifier: BSD-2-Clause
#include "target/reader/quarantine.h"

#include <stdlib.h>
#include <string.h>
#include "base/hash.h"

#include "base/duration.h"
#include "target/reader/proc_stat.h"

#define FIRST_NS (10 * NS_PER_S)
#define MAX_DOUBLING 6 /* about ten minutes */
#define MAX_KNOWN 4096 /* processes */
#define WINDOW_NS NS_PER_S
#define MAX_NS (NS_PER_S / 2)
#define MAX_FAILED 20000

/* A process that was read. */
struct known {
	struct quarantined process;
	uint64_t window_ns, spent_ns; /* since the start of the second */
	uint64_t failed;
	UT_hash_handle hh;
};

static struct known *all;
static uint64_t total;

/* The pid may have been reused. */
static bool is_same(const struct known *known)
{
	uint64_t start_time;

	return !proc_stat_start(known->process.pid, &start_time) && start_time == known->process.start_time;
}

static void drop(struct known *known)
{
	HASH_DEL(all, known);
	free(known);
}

static void make_room(void)
{
	struct known *known, *next;

	if (HASH_COUNT(all) < MAX_KNOWN)
		return;
	HASH_ITER(hh, all, known, next) {
		if (duration_now() >= known->process.until_ns || !is_same(known))
			drop(known);
	}
	/* All are alive and in quarantine: drop the oldest. */
	if (HASH_COUNT(all) >= MAX_KNOWN)
		drop(all);
}

static struct known *find(pid_t pid)
{
	struct known *known;

	HASH_FIND(hh, all, &pid, sizeof(pid), known);
	return known;
}

static struct known *get(pid_t pid)
{
	struct known *known = find(pid);

	if (known)
		return known;
	make_room();
	known = calloc(1, sizeof(*known));
	if (!known)
		return NULL;
	known->process.pid = pid;
	proc_stat_start(pid, &known->process.start_time);
	HASH_ADD(hh, all, process.pid, sizeof(pid), known);
	return known;
}

bool quarantine_holds(pid_t pid)
{
	struct known *known = find(pid);

	if (!known || !known->process.times || duration_now() >= known->process.until_ns)
		return false;
	if (is_same(known))
		return true;
	drop(known);
	return false;
}

static void hold(struct known *known, const char *why)
{
	unsigned int doubled = known->process.times < MAX_DOUBLING ? known->process.times : MAX_DOUBLING;

	known->process.until_ns = duration_now() + (FIRST_NS << doubled);
	known->process.times++;
	known->process.why = why;
	total++;
}

void quarantine_add(pid_t pid, const char *why)
{
	struct known *known = get(pid);

	if (known && !is_same(known)) {
		drop(known);
		known = get(pid);
	}
	if (known)
		hold(known, why);
}

void quarantine_charge(pid_t pid, uint64_t ns, uint32_t failed)
{
	struct known *known = get(pid);
	uint64_t now = duration_now();

	if (!known)
		return;
	if (now - known->window_ns > WINDOW_NS) {
		known->window_ns = now;
		known->spent_ns = 0;
		known->failed = 0;
	}
	known->spent_ns += ns;
	known->failed += failed;
	if (known->failed > MAX_FAILED)
		hold(known, "too many reads of its memory failed");
	else if (known->spent_ns > MAX_NS)
		hold(known, "reading its memory took too long");
	else
		return;
	known->spent_ns = 0;
	known->failed = 0;
}

void quarantine_each(void (*visit)(void *data, const struct quarantined *process), void *data)
{
	struct known *known, *next;

	HASH_ITER(hh, all, known, next) {
		if (quarantine_holds(known->process.pid))
			visit(data, &known->process);
	}
}

uint64_t quarantine_total(void)
{
	return total;
}
