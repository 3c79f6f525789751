// SPDX-License-Identifier: BSD-2-Clause
/*
 * The functions below have nothing in them but the instruction that is probed, so that what their calls take is what
 * the hit costs. Each is called some times in a row, and the row that took least counts: all else was the machine's
 * doing something else.
 */
#include "budget/hit_cost.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/log.h"
#include "load/kernel/debug_registers.h"

#define ROWS 32
#define CALLS 8	      /* in a row: so few that on a busy machine some are not disturbed */
#define FIRST_CALLS 8 /* before them: a nop5 becomes a call only after some hits */
#define MOST_LINKS 11
#define WAIT_NS (2 * NS_PER_MS)

/* Work between the hits of a row, as a node's: it reads more than the first cache holds, and less than the second. */
#define WORK_BYTES (256 * 1024)
#define WORK_STEP 64
#define WORK_ROWS 16
#define WORK_CALLS 16 /* in such a row: it takes longer, so it is disturbed more often */

/* Each is a function of its own: the kernel keeps nothing of one for another. */
#ifdef __aarch64__
#define NOP5 "nop\n"
#define STEPPED "add x0, x0, #0\n"
#else
#define NOP5 ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
#define STEPPED "lea 1(%rax), %rax\n"
#endif
#define FUNCTION(name, code)                                                                                           \
	".globl " name "\n.hidden " name "\n.type " name ", %function\n.p2align 6\n" name ":\n" code                   \
	"ret\n.size " name ", . - " name "\n"

__asm__(".pushsection .text\n" FUNCTION("hit_cost_plain", "nop\n") FUNCTION("hit_cost_stepped", STEPPED)
		FUNCTION("hit_cost_return", "nop\n") FUNCTION("hit_cost_nop5", NOP5)
			FUNCTION("hit_cost_stepped_return", STEPPED) FUNCTION("hit_cost_first", "nop\n")
				FUNCTION("hit_cost_second", "nop\n")
					FUNCTION("hit_cost_call", "nop\n") ".popsection\n");

void hit_cost_plain(void);
void hit_cost_stepped(void);
void hit_cost_return(void);
void hit_cost_nop5(void);
void hit_cost_stepped_return(void);
void hit_cost_first(void);
void hit_cost_second(void);
void hit_cost_call(void);

typedef void probed_function(void);

/* What is known before it is measured, or where it cannot be. */
static struct hit_costs costs = {
	.ns = { [HIT_PLAIN] = 750,
		[HIT_STEPPED] = 4200,
		[HIT_RETURN] = 1200,
		[HIT_NOP5] = 400,
		[HIT_STEPPED_RETURN] = 4700,
		[HIT_REGISTER] = 3400 },
	.bare_ns = { [HIT_PLAIN] = 600,
		     [HIT_STEPPED] = 4000,
		     [HIT_RETURN] = 1000,
		     [HIT_NOP5] = 300,
		     [HIT_STEPPED_RETURN] = 4400,
		     [HIT_REGISTER] = 3400 },
};
static bool has_begun, has_ended;
static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What the programs that take the time keep: when the first ran, and the sum of what came between it and the second. */
struct stopwatch {
	uint64_t first_ns;
	uint64_t sum_ns;
};

struct meter {
	struct kernel kernel;
	int file;
	int nothing, first, second; /* programs */
	int stopwatch;		    /* map */
	int links[MOST_LINKS];	    /* closed together: each waits for the kernel */
	size_t link_count;
	volatile unsigned char *work; /* of WORK_BYTES */
};

/* Where it is in our own file. */
struct place {
	uintptr_t address;
	unsigned long offset;
	bool is_found;
};

static int find_place(struct dl_phdr_info *info, size_t size, void *data)
{
	struct place *place = data;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD || place->address < start || place->address >= start + part->p_filesz)
			continue;
		place->offset = place->address - start + part->p_offset;
		place->is_found = true;
	}
	/* The first one is the program. */
	return 1;
}

/* False: it cannot be had. */
static bool link_function(struct meter *meter, int program, probed_function *function, bool at_return)
{
	struct place place = { .address = (uintptr_t)function };
	unsigned long semaphore = 0;
	uint64_t cookie = 0;
	struct kernel_sites sites = {
		.file = meter->file,
		.offsets = &place.offset,
		.semaphores = &semaphore,
		.cookies = &cookie,
		.count = 1,
		.at_return = at_return,
		.pid = getpid(),
	};

	int link;

	dl_iterate_phdr(find_place, &place);
	if (!place.is_found || meter->link_count == MOST_LINKS)
		return false;
	link = meter->kernel.attach == KERNEL_ATTACH_PERF
		       ? kernel_link_perf(program, &sites, 0)
		       : kernel_link_multi(program, &sites, meter->kernel.attach == KERNEL_ATTACH_MULTI_INODE);
	if (link >= 0)
		meter->links[meter->link_count++] = link;
	return link >= 0;
}

static uint64_t row_ns(probed_function *function)
{
	uint64_t start = duration_now();

	for (int i = 0; i < CALLS; i++)
		function();
	return (duration_now() - start) / CALLS;
}

static uint64_t least_row_ns(probed_function *function)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < ROWS; i++) {
		uint64_t ns = row_ns(function);

		least = ns < least ? ns : least;
	}
	return least;
}

static uint64_t work_row_ns(const struct meter *meter, probed_function *function)
{
	uint64_t start = duration_now();

	for (int i = 0; i < WORK_CALLS; i++) {
		for (size_t at = 0; at < WORK_BYTES; at += WORK_STEP)
			meter->work[at]++;
		function();
	}
	return (duration_now() - start) / WORK_CALLS;
}

static uint64_t least_work_row_ns(const struct meter *meter, probed_function *function)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < WORK_ROWS; i++) {
		uint64_t ns = work_row_ns(meter, function);

		least = ns < least ? ns : least;
	}
	return least;
}

/* False: it cannot be had. */
static bool measure_kind(struct meter *meter, probed_function *function, bool at_return, enum hit_kind kind,
			 struct hit_costs *found)
{
	uint64_t free_ns = least_work_row_ns(meter, function), with_ns;

	/* At the entry there is a program, too, that saves something for the return. */
	if (!link_function(meter, meter->nothing, function, false) ||
	    (at_return && !link_function(meter, meter->nothing, function, true)))
		return false;
	for (int i = 0; i < FIRST_CALLS; i++)
		function();
	found->bare_ns[kind] = least_row_ns(function);
	with_ns = least_work_row_ns(meter, function);
	found->ns[kind] = found->bare_ns[kind];
	/* A machine that was never quiet meanwhile says too little, or too much. */
	if (with_ns > free_ns + found->bare_ns[kind])
		found->ns[kind] = with_ns - free_ns;
	if (found->ns[kind] > 2 * found->bare_ns[kind])
		found->ns[kind] = 2 * found->bare_ns[kind];
	return true;
}

/* Between two programs. */

static uint64_t take_sum(const struct meter *meter)
{
	struct stopwatch watch = {}, zero = {};
	uint32_t key = 0;

	bpf_map_lookup_elem(meter->stopwatch, &key, &watch);
	bpf_map_update_elem(meter->stopwatch, &key, &zero, BPF_ANY);
	return watch.sum_ns;
}

static void call_pair(void)
{
	hit_cost_first();
	hit_cost_second();
}

static uint64_t measure_between(struct meter *meter, probed_function *function, probed_function *first,
				probed_function *second, bool at_return)
{
	uint64_t least = UINT64_MAX;

	if (!link_function(meter, meter->second, second, at_return) ||
	    !link_function(meter, meter->first, first, false))
		return 0;
	for (int i = 0; i < ROWS; i++) {
		uint64_t ns;

		take_sum(meter);
		row_ns(function);
		ns = take_sum(meter) / CALLS;
		least = ns < least ? ns : least;
	}
	return least;
}

#define MAP_ADDRESS(map, offset)                                                                                       \
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_6, .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = (map) },    \
	{                                                                                                              \
		.imm = (offset)                                                                                        \
	}
#define CALL_CLOCK                                                                                                     \
	{                                                                                                              \
		.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns                                               \
	}
#define RETURN_0                                                                                                       \
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },                                                 \
	{                                                                                                              \
		.code = BPF_JMP | BPF_EXIT                                                                             \
	}

static int load_first(const struct meter *meter)
{
	const struct bpf_insn code[] = {
		MAP_ADDRESS(meter->stopwatch, 0),
		CALL_CLOCK,
		{ .code = BPF_STX | BPF_MEM | BPF_DW,
		  .dst_reg = BPF_REG_6,
		  .src_reg = BPF_REG_0,
		  .off = offsetof(struct stopwatch, first_ns) },
		RETURN_0,
	};

	return kernel_load_probe(&meter->kernel, code, sizeof(code) / sizeof(*code));
}

static int load_second(const struct meter *meter)
{
	const struct bpf_insn code[] = {
		CALL_CLOCK,
		MAP_ADDRESS(meter->stopwatch, 0),
		{ .code = BPF_LDX | BPF_MEM | BPF_DW,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_6,
		  .off = offsetof(struct stopwatch, first_ns) },
		{ .code = BPF_ALU64 | BPF_SUB | BPF_X, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_1 },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_6,
		  .off = offsetof(struct stopwatch, sum_ns) },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_0 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW,
		  .dst_reg = BPF_REG_6,
		  .src_reg = BPF_REG_1,
		  .off = offsetof(struct stopwatch, sum_ns) },
		RETURN_0,
	};

	return kernel_load_probe(&meter->kernel, code, sizeof(code) / sizeof(*code));
}

/* All of it. */

static void close_meter(struct meter *meter)
{
	const int fds[] = { meter->file, meter->nothing, meter->first, meter->second, meter->stopwatch };

	kernel_close_links(meter->links, meter->link_count);
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	free((void *)meter->work);
}

/* False: not here, as on a kernel without BPF for us. */
static bool open_meter(struct meter *meter)
{
	meter->file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	meter->nothing = kernel_load_nothing(&meter->kernel);
	meter->stopwatch = bpf_map_create(BPF_MAP_TYPE_ARRAY, "stopwatch", sizeof(uint32_t), sizeof(struct stopwatch),
					  1, NULL);
	meter->first = load_first(meter);
	meter->second = load_second(meter);
	meter->work = calloc(1, WORK_BYTES);
	return meter->work && meter->file >= 0 && meter->nothing >= 0 && meter->stopwatch >= 0 && meter->first >= 0 &&
	       meter->second >= 0;
}

static bool measure(struct meter *meter, struct hit_costs *found)
{
	if (!measure_kind(meter, hit_cost_plain, false, HIT_PLAIN, found) ||
	    !measure_kind(meter, hit_cost_stepped, false, HIT_STEPPED, found) ||
	    !measure_kind(meter, hit_cost_return, true, HIT_RETURN, found) ||
	    !measure_kind(meter, hit_cost_nop5, false, HIT_NOP5, found) ||
	    !measure_kind(meter, hit_cost_stepped_return, true, HIT_STEPPED_RETURN, found))
		return false;
	found->pair_ns = measure_between(meter, call_pair, hit_cost_first, hit_cost_second, false);
	found->call_ns = measure_between(meter, hit_cost_call, hit_cost_call, hit_cost_call, true);
	return found->pair_ns && found->call_ns;
}

static void say(const struct hit_costs *found)
{
	pr_debug("a hit costs %llu ns, %llu single-stepped, %llu with a return, %llu at a nop5; %llu ns in a row; it "
		 "adds %llu ns to what is between two, %llu to a call",
		 (unsigned long long)found->ns[HIT_PLAIN], (unsigned long long)found->ns[HIT_STEPPED],
		 (unsigned long long)found->ns[HIT_RETURN], (unsigned long long)found->ns[HIT_NOP5],
		 (unsigned long long)found->bare_ns[HIT_PLAIN], (unsigned long long)found->pair_ns,
		 (unsigned long long)found->call_ns);
}

static void *run_meter(void *data)
{
	struct meter *meter = data;
	struct hit_costs found = { .is_measured = true };
	sigset_t all;
	bool is_done;

	/* Those are the main thread's, which waits for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	is_done = open_meter(meter) && measure(meter, &found);
	/* Of those who use them: nobody else need try. */
	found.bare_ns[HIT_REGISTER] = found.ns[HIT_REGISTER] = debug_registers_hit_ns();

	/* For those who wait; what comes takes longer. */
	pthread_mutex_lock(&lock);
	if (is_done)
		costs = found;
	has_ended = true;
	pthread_mutex_unlock(&lock);
	if (is_done)
		say(&found);
	close_meter(meter);
	free(meter);
	return NULL;
}

static void join(void)
{
	pthread_join(thread, NULL);
}

void hit_costs_begin(const struct kernel *kernel)
{
	struct meter *meter = has_begun ? NULL : calloc(1, sizeof(*meter));

	if (!meter)
		return;
	has_begun = true;
	meter->kernel = *kernel;
	if (kernel->attach == KERNEL_ATTACH_PERF)
		kernel_know_uprobe_events();
	if (pthread_create(&thread, NULL, run_meter, meter)) {
		has_ended = true;
		free(meter);
		return;
	}
	/* A process that ends while it takes probes away leaves the kernel with what it knows of them. */
	atexit(join);
}

struct hit_costs hit_costs_now(void)
{
	struct hit_costs now;

	pthread_mutex_lock(&lock);
	now = costs;
	pthread_mutex_unlock(&lock);
	return now;
}

static bool is_over(void)
{
	bool over;

	pthread_mutex_lock(&lock);
	over = has_ended;
	pthread_mutex_unlock(&lock);
	return over;
}

struct hit_costs hit_costs_wait(unsigned int most_ms)
{
	uint64_t until = duration_now() + most_ms * NS_PER_MS;

	while (has_begun && !is_over() && duration_now() < until)
		usleep(WAIT_NS / 1000);
	return hit_costs_now();
}
