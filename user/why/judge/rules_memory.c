// SPDX-License-Identifier: BSD-2-Clause
/* Heaps, binaries, and memory that allocators hold but do not use. */
#include "why/judge/finding.h"

#define HUGE_HEAP (128 * MIB)
#define HUGE_SHARE 0.25 /* of the node's memory */
#define MANY_BINARIES (64 * MIB)
#define LARGE_BINARY MIB /* leaks consist of many smaller ones */
#define MUCH_UNUSED (128 * MIB)
#define FAST_STATE (0.1 * (double)MIB) /* per second */
#define LARGE_STATE (16 * MIB)
#define STATE_AGE_S 60 /* growing this long, if it always grew at the present rate */
#define HOUR_S 3600.0
#define DAY_S (24 * HOUR_S) /* until the memory is full */
#define WEEK_S (7 * DAY_S)

static void judge_heap(struct judgement *j, const struct sign_process_memory *memory)
{
	const struct signs *s = j->signs;
	double of_node = s->memory.resident ? (double)memory->heap / (double)s->memory.resident : 0;
	double of_all = s->memory.limit ? (double)memory->heap / (double)s->memory.limit : 0;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (memory->heap < HUGE_HEAP || of_node < HUGE_SHARE)
		return;
	f = finding_add(j, HEAP_HUGE, of_all > HUGE_SHARE);
	f->process = &memory->process;
	finding_say(f,
		    "%s has a heap of %.0f MiB, %.0f %% of the node's memory: each full garbage collection copies it",
		    process_text(&memory->process, name), (double)memory->heap / (double)MIB, percent(of_node));
	finding_show(f, "change while watched: %+.0f MiB", (double)memory->heap_grown / (double)MIB);
	finding_show_stack(f, &memory->process);
}

/* A few very large binaries are held on purpose: files, or data to send. */
static bool are_large(const struct sign_process_memory *memory)
{
	return memory->references && memory->binaries / memory->references >= LARGE_BINARY;
}

/* A process with a small heap is collected too seldom to release its binaries, unless it needs them. */
static void judge_binaries(struct judgement *j, const struct sign_process_memory *memory)
{
	const struct signs *s = j->signs;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (memory->binaries < MANY_BINARIES || memory->binaries / 10 < memory->heap ||
	    (double)memory->binaries < HUGE_SHARE * (double)s->memory.resident || are_large(memory))
		return;
	f = finding_add(j, BINARIES_HELD, false);
	f->process = &memory->process;
	finding_say(f,
		    "%s holds %.0f MiB of binaries with a heap of only %.1f MiB: if it does not need them, garbage "
		    "collection is too rare to free them",
		    process_text(&memory->process, name), (double)memory->binaries / (double)MIB,
		    (double)memory->heap / (double)MIB);
	finding_show(f, "at least %llu references; change while watched: %+.0f MiB",
		     (unsigned long long)memory->references, (double)memory->binaries_grown / (double)MIB);
	finding_show(f, "each reference counts; hibernating, or binary:copy/1 of the parts, releases them");
	finding_show_stack(f, &memory->process);
}

/* Freed pages that were not touched again still count as resident. */
static void judge_allocators(struct judgement *j)
{
	const struct signs *s = j->signs;
	uint64_t unused = s->allocators.carriers - s->allocators.blocks;
	struct finding *f;

	if (unused < MUCH_UNUSED || (double)unused < HUGE_SHARE * (double)s->memory.resident ||
	    s->memory.resident < s->allocators.blocks + unused / 2)
		return;
	f = finding_add(j, MEMORY_UNUSED, (double)unused > HUGE_SHARE * (double)s->memory.limit);
	finding_say(f,
		    "the allocators hold %.0f MiB that nothing uses, %.0f %% of the node's memory, most of it in %s: "
		    "small live blocks pin large carriers",
		    (double)unused / (double)MIB, percent((double)unused / (double)s->memory.resident),
		    s->allocators.worst);
	finding_show(f, "%s: %.0f MiB in carriers, %.0f MiB in blocks", s->allocators.worst,
		     (double)s->allocators.worst_carriers / (double)MIB,
		     (double)s->allocators.worst_blocks / (double)MIB);
	finding_show(f, "total: %.0f MiB in carriers, %.0f MiB in blocks, %.0f MiB resident",
		     (double)s->allocators.carriers / (double)MIB, (double)s->allocators.blocks / (double)MIB,
		     (double)s->memory.resident / (double)MIB);
}

/* State that is emptied once a minute is younger than that, and a growing load also has more processes or ports. */
static void judge_state(struct judgement *j)
{
	static const char *const kinds[] = {
		[STATE_MAP] = "a map in the state",
		[STATE_DICTIONARY] = "the process dictionary",
		[STATE_LIST] = "a list or queue in the state",
	};
	const struct signs *s = j->signs;
	const struct sign_state_growth *state = &s->state_growth;
	double left = s->memory.limit > s->memory.resident ? (double)(s->memory.limit - s->memory.resident) : 0;
	double per_s = (double)(state->elements - state->before) / seconds_of(s);
	char name[PROCESS_TEXT], time[32];
	struct finding *f;

	if (!state->process.id || state->bytes_per_s < FAST_STATE || state->heap < LARGE_STATE ||
	    (double)state->elements < per_s * STATE_AGE_S || left > state->bytes_per_s * DAY_S ||
	    s->process_limit.is_steady || s->ports.limit.is_steady)
		return;
	f = finding_add(j, STATE_GROWS, false);
	f->process = &state->process;
	finding_say(f, "%s of %s grows by %.0f elements per second, about %.1f MiB: elements are added, never removed",
		    kinds[state->kind], process_text(&state->process, name), per_s, state->bytes_per_s / (double)MIB);
	finding_show(f, "%llu elements; heap of the process: %.0f MiB; at this rate memory is full in %s",
		     (unsigned long long)state->elements, (double)state->heap / (double)MIB,
		     duration_format((uint64_t)(left / state->bytes_per_s * 1e9), time));
	finding_show_stack(f, &state->process);
}

/* A leak too slow for ten seconds. A growing number of processes is a finding of its own. */
static void judge_hourly_memory(struct judgement *j)
{
	const struct signs *s = j->signs;
	uint64_t grown = s->hourly.bytes_now - s->hourly.bytes_before;
	double left = s->memory.limit > s->memory.resident ? (double)(s->memory.limit - s->memory.resident) : 0;
	double left_s = grown ? left / (double)grown * HOUR_S : WEEK_S;
	char name[PROCESS_TEXT], time[32];
	struct finding *f;

	if (!s->hourly.bytes_before || s->hourly.processes_before || left_s >= WEEK_S)
		return;
	f = finding_add(j, MEMORY_GROWS, false);
	finding_say(f,
		    "the memory of the node rose steadily for an hour, from %.0f MiB to %.0f MiB: at this rate it is "
		    "full in %s",
		    (double)s->hourly.bytes_before / (double)MIB, (double)s->hourly.bytes_now / (double)MIB,
		    duration_format((uint64_t)(left_s * 1e9), time));
	finding_show(f, "ETS tables: %.0f MiB; binaries: %.0f MiB", (double)s->tables.bytes.used / (double)MIB,
		     (double)s->binary_use.bytes.used / (double)MIB);
	if (s->heaps.count) {
		f->process = &s->heaps.largest[0].process;
		finding_show(f, "largest heap: %s, %.0f MiB", process_text(f->process, name),
			     (double)s->heaps.largest[0].heap / (double)MIB);
	}
}

void judge_memory(struct judgement *j)
{
	for (size_t i = 0; i < j->signs->heaps.count; i++)
		judge_heap(j, &j->signs->heaps.largest[i]);
	for (size_t i = 0; i < j->signs->binaries.count; i++)
		judge_binaries(j, &j->signs->binaries.largest[i]);
	judge_allocators(j);
	judge_state(j);
	judge_hourly_memory(j);
}
