// SPDX-License-Identifier: BSD-2-Clause
/*
 * What bpf/profile.bpf.c takes of a thread, whatever its registers and its memory are: the program itself, compiled for
 * this side, with the kernel's part played here. Processes move, end, are collected and are made anew while it reads:
 * so memory changes between two readings. The inputs that are kept were recorded from real nodes: record.py.
 */
#include <linux/bpf.h>
#include <asm/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <errno.h>

#include "fuzz.h"

static long play_read_user(void *to, uint32_t size, const void *from);
static long play_read_kernel(void *to, uint32_t size, const void *from);
static void *play_lookup(const void *map, const void *key);
static long play_update(const void *map, const void *value);
static long play_loop(uint32_t count, long (*step)(uint32_t, void *), void *data);
static long play_get_stack(void *to, uint32_t size);

#define THREAD 7

#define bpf_probe_read_user play_read_user
#define bpf_probe_read_kernel play_read_kernel
#define bpf_map_lookup_elem(map, key) play_lookup(map, key)
#define bpf_map_update_elem(map, key, value, flags) ((void)(key), (void)(flags), play_update(map, value))
#define bpf_loop(count, step, data, flags) play_loop(count, (long (*)(uint32_t, void *))(step), data)
#define bpf_get_stack(ctx, to, size, flags) play_get_stack(to, size)
#define bpf_get_current_pid_tgid() ((uint64_t)THREAD << 32 | THREAD)
#define bpf_get_current_task_btf() ((void *)0)
#define bpf_task_pt_regs(task) ((long)(task))

/*
 * Programs are for the kernel to call: nobody declares them. Some functions of erl.bpf.h, which this program does not
 * use, have instructions of BPF: they are taken out.
 */
#pragma clang diagnostic ignored "-Wmissing-prototypes"
#pragma clang diagnostic ignored "-Wuninitialized"
#pragma clang diagnostic ignored "-Wunused-parameter"
#define asm
#define volatile(...)
#include "profile.bpf.c"
#undef asm
#undef volatile

/* The input begins with it; pieces of memory follow, each with its bytes. */
struct head {
	struct sample_node node;
	struct sample_thread thread;
	uint64_t registers[USER_REGISTERS];
	uint64_t torn;	 /* a bit for each reading, over and over: that one sees other bytes */
	uint16_t moved;	 /* by so many */
	uint16_t kernel; /* words of the kernel's stack */
	uint8_t has_thread, is_known, is_full, reads_all;
};

struct piece {
	uint64_t address;
	uint64_t size;
};

/* A bound for any input: words of both stacks, what is looked at for each, and what is found first. */
#define MOST_READINGS (SAMPLE_ERLANG_WORDS + 20 * SAMPLE_NATIVE_WORDS + 256)

static struct {
	struct head head;
	const uint8_t *bytes;
	size_t size;
	uint64_t reading;
	struct sample_stack taken, known;
	uint64_t totals[SAMPLE_TOTALS];
	size_t added;
} input;

/* The piece that has the address, or else any byte: most pointers lead somewhere. */
static bool byte_at(uint64_t address, uint8_t *byte)
{
	struct piece piece;

	for (size_t at = 0; at + sizeof(piece) < input.size;) {
		memcpy(&piece, input.bytes + at, sizeof(piece));
		at += sizeof(piece);
		if (piece.size > input.size - at)
			piece.size = input.size - at;
		if (address - piece.address < piece.size) {
			*byte = input.bytes[at + (address - piece.address)];
			return true;
		}
		at += piece.size;
	}
	if (!(input.head.reads_all & 1) || !input.size)
		return false;
	*byte = input.bytes[address % input.size];
	return true;
}

static long play_read_user(void *to, uint32_t size, const void *from)
{
	uint64_t address = (uint64_t)from, reading = input.reading++;

	must(size <= 16, "a word or two are read at once");
	if (input.head.torn >> reading % 64 & 1 && !(address >> 47))
		address += input.head.moved;
	for (uint32_t i = 0; i < size; i++) {
		if (address >> 47 || !byte_at(address + i, (uint8_t *)to + i)) {
			memset(to, 0, size); /* as the kernel does */
			return -EFAULT;
		}
	}
	return 0;
}

static long play_read_kernel(void *to, uint32_t size, const void *from)
{
	must((uint64_t)from + size <= sizeof(input.head.registers), "a register is one that there is");
	memcpy(to, (const uint8_t *)input.head.registers + (uint64_t)from, size);
	return 0;
}

static void *play_lookup(const void *map, const void *key)
{
	static uint32_t generation;
	uint32_t number;

	memcpy(&number, key, sizeof(number));
	if (map == &profile_nodes)
		return &input.head.node;
	if (map == &profile_threads)
		return input.head.has_thread & 1 ? &input.head.thread : NULL;
	if (map == &profile_places)
		return &input.taken;
	if (map == &erl_generation)
		return &generation;
	if (map == &profile_totals) {
		must(number < SAMPLE_TOTALS, "a total is one that there is");
		return &input.totals[number];
	}
	must(map == &profile_stacks_0, "stacks are added to the map of the generation");
	return input.head.is_known & 1 || input.added ? &input.known : NULL;
}

static long play_update(const void *map, const void *value)
{
	must(map == &profile_stacks_0, "stacks are added to the map of the generation");
	if ((input.head.is_known | input.head.is_full) & 1)
		return -E2BIG;
	memcpy(&input.known, value, sizeof(input.known));
	input.added++;
	return 0;
}

static long play_loop(uint32_t count, long (*step)(uint32_t, void *), void *data)
{
	for (uint32_t i = 0; i < count; i++)
		if (step(i, data))
			return i + 1;
	return count;
}

static long play_get_stack(void *to, uint32_t size)
{
	uint32_t count = input.head.kernel % (size / 8 + 1);

	memset(to, 0xff, count * 8);
	return (long)count * 8;
}

static void check_erlang(const struct sample_stack *stack)
{
	const struct sample_node *node = &input.head.node;

	must(stack->erlang_count <= SAMPLE_ERLANG, "an Erlang stack has no more addresses than fit");
	for (uint32_t i = 0; i < stack->erlang_count; i++) {
		uint64_t word = stack->erlang[i];

		must(is_made(node, word) || sample_is_interpreted(node, word),
		     "an address of an Erlang stack leads into code");
		must(!i || !(word & 3), "an address has the tag of one, but for that of a call of shared code");
	}
	must(!stack->erlang_count || stack->flags & SAMPLE_IN_PROCESS, "only processes have Erlang stacks");
}

static void check_native(const struct sample_stack *stack)
{
	must(stack->native_count <= SAMPLE_NATIVE, "a stack of C has no more words than fit");
	must(stack->frame_pointer < SAMPLE_NATIVE_WORDS, "a frame pointer leads into what was looked at");
	for (uint32_t i = 0; i < stack->native_count; i++) {
		must(sample_word_at(stack->native[i]) < SAMPLE_NATIVE_WORDS, "a word is of what was looked at");
		must(!i || sample_word_at(stack->native[i - 1]) < sample_word_at(stack->native[i]),
		     "words are in their order");
	}
	must(!(stack->flags & SAMPLE_FROM_MADE) || stack->native_count, "who called is a word");
	must(stack->kernel_count <= SAMPLE_KERNEL, "the kernel's stack has no more words than fit");
}

/* Where a node has code is what the kernel says (/proc/PID/maps): addresses of processes, not the first page. */
static void bound_ranges(struct sample_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		ranges[i].start &= (1ULL << 47) - 1;
		ranges[i].end &= (1ULL << 47) - 1;
		if (ranges[i].start < 4096 || ranges[i].end < ranges[i].start)
			ranges[i] = (struct sample_range){};
	}
}

static void bound_node(struct sample_node *node)
{
	bound_ranges(node->made, SAMPLE_MADE);
	bound_ranges(node->files, SAMPLE_FILES);
	bound_ranges(&node->loop, 1);
}

static void fuzz(const uint8_t *data, size_t size)
{
	struct bpf_perf_event_data ctx = {};

	if (size < sizeof(input.head))
		return;
	memset(&input, 0, sizeof(input));
	memcpy(&input.head, data, sizeof(input.head));
	bound_node(&input.head.node);
	input.bytes = data + sizeof(input.head);
	input.size = size - sizeof(input.head);
	if (input.head.kernel)
		ctx.regs.rip = 1ULL << 63;
	profile_clock(&ctx);
	must(input.reading <= MOST_READINGS, "a sample reads so much and no more");
	must(input.totals[SAMPLE_SAMPLES] == 1, "a sample is counted once");
	must(input.totals[SAMPLE_KEPT] + input.totals[SAMPLE_LOST] + input.totals[SAMPLE_FILTERED] +
			     (input.known.count > input.added) ==
		     1,
	     "a sample is kept, lost, filtered, or adds to one that is known");
	if (input.totals[SAMPLE_FILTERED])
		return;
	check_erlang(&input.taken);
	check_native(&input.taken);
}
