// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/attach/ticks.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/duration.h"
#include "d.h"

#define MAX_CLOCK_DELAY_NS (2 * NS_PER_MS) /* accepted delay of a clock */
#define MAX_MISSED_TICKS 8		   /* missed ticks that are fired at a time; the rest is lost */

struct ticks {
	struct d_tick *all; /* shared with the programs */
	size_t count, size;
};

bool tick_is(const struct d_probe *probe)
{
	return probe->hook == HOOK_RUN && probe->period_ns;
}

unsigned int ticks_entries(const struct probes *probes)
{
	unsigned int entries = 1;

	for (size_t i = 0; i < probes_count(probes); i++) {
		const struct d_probe *probe = probes_get(probes, i);
		unsigned int needed = probe->number - D_PROBE_FIRST + 1;

		if (tick_is(probe) && needed > entries)
			entries = needed;
	}
	return entries;
}

struct ticks *ticks_new(int map)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct ticks *ticks = calloc(1, sizeof(*ticks));
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);
	void *all;

	if (!ticks)
		return NULL;
	if (bpf_obj_get_info_by_fd(map, &info, &size)) {
		free(ticks);
		return NULL;
	}
	ticks->count = info.max_entries;
	ticks->size = (ticks->count * sizeof(*ticks->all) + page - 1) / page * page;
	all = mmap(NULL, ticks->size, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	if (all == MAP_FAILED) {
		free(ticks);
		return NULL;
	}
	ticks->all = all;
	return ticks;
}

void ticks_free(struct ticks *ticks)
{
	if (!ticks)
		return;
	munmap(ticks->all, ticks->size);
	free(ticks);
}

static struct d_tick *find(const struct ticks *ticks, const struct d_probe *probe)
{
	size_t i = probe->number - D_PROBE_FIRST;

	return i < ticks->count ? &ticks->all[i] : NULL;
}

void ticks_start(struct ticks *ticks, const struct d_probe *probe)
{
	struct d_tick *tick = find(ticks, probe);

	if (tick)
		*tick = (struct d_tick){ .start_ns = duration_now(), .period_ns = probe->period_ns };
}

uint64_t ticks_check_ns(const struct ticks *ticks, const struct d_probe *probe)
{
	const struct d_tick *tick = find(ticks, probe);
	uint64_t quarter = probe->period_ns / 4;

	return (tick ? tick->start_ns : duration_now()) + probe->period_ns +
	       (quarter < MAX_CLOCK_DELAY_NS ? quarter : MAX_CLOCK_DELAY_NS);
}

bool ticks_claim_missed(struct ticks *ticks, const struct d_probe *probe)
{
	struct d_tick *tick = find(ticks, probe);
	__u64 fired, due, count;

	/* Not started: the trace ended first. */
	if (!tick || !tick->period_ns)
		return false;
	fired = __atomic_load_n(&tick->fired, __ATOMIC_RELAXED);
	due = (duration_now() - tick->start_ns) / tick->period_ns;
	if (fired >= due)
		return false;
	count = due - fired > MAX_MISSED_TICKS ? due - MAX_MISSED_TICKS + 1 : fired + 1;
	return __atomic_compare_exchange_n(&tick->fired, &fired, count, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
