// SPDX-License-Identifier: BSD-2-Clause
/*
 * A process that looks like a BEAM with notes and does nothing but fire probes, on command:
 *
 *   fire PROBE TIMES      each of the catalogue's probes, at its two sites in turn
 *   forms TIMES           every operand form, on probes of the provider "erlang" (see below)
 *   threads N PROBE TIMES the same from N threads at once
 *   terms                 send messages that no VM would make (enif_send)
 *   keys TIMES            user_trace-i4s4, each time of another Erlang process, with another number (x86-64)
 *   exec                  become another process of the same file
 *   child PROBE TIMES     in a child, which is gone then
 *   children TIMES        make a child that ends at once, one after the other
 *   keep                  make a child that ends with us: its pid
 *   table                 have a process table, as a VM has soon after its start; it is empty
 *   semaphores            sum of all semaphores
 *
 * One command a line on standard input, "ok" (or a number) when it is done. The values that a site
 * passes follow from the probe alone (probes/gen.c, write_fake_value()).
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#define SEMAPHORE(name) __extension__ unsigned short erlang_##name##_semaphore __attribute__((section(".probes")));

struct fake_probe {
	const char *name;
	void (*fire)(unsigned long times);
	const volatile unsigned short *semaphore;
};

#include "fake_probes.inc"

#define PROBES (sizeof(fake_probes) / sizeof(*fake_probes))

/* What makes a BEAM of it: the native interfaces, and the constants that tell the release. */
struct fake_env {
	void *unused;
	const unsigned long *process;
};

__attribute__((used, noipa)) int enif_send(const struct fake_env *env, const unsigned long *to, void *message_env,
					   unsigned long message)
{
	return env && to && message_env && message;
}

/* By these a VM sends messages, too, so that a tool finds all that it needs. */
__attribute__((used)) void erts_send_message(void)
{
}
__attribute__((used)) void erts_proc_sig_send_to_alias(void)
{
}
__attribute__((used)) void copy_struct_x(void)
{
}
__attribute__((used)) void enif_make_atom(void)
{
}
__attribute__((used)) void driver_output(void)
{
}
const char etp_otp_release[] __attribute__((used)) = "25";
const char etp_erts_version[] __attribute__((used)) = "13.1.5";
const int etp_beamasm __attribute__((used)) = 1;

/* erts_proc, with masks as OTP 25 has them at +P 262144 (user/node/atoms/pids.c). */
unsigned int erts_proc[64] __attribute__((used)) = {
	[212 / 4] = 0x3ffff, [216 / 4] = 0x7fff, [220 / 4] = 3, [224 / 4] = 0x7, [228 / 4] = 15,
};

static unsigned long process_table[0x40000]; /* erts_proc leads here, when it is there */

/*
 * Operand forms. Each note is written out, since a compiler cannot be told which form to choose. All
 * are notes of user_trace-i4s4, whose arguments 2 to 5 are numbers: what is read there tells whether
 * the form was understood.
 */
long form_global[4] __attribute__((used)) = { 11, 22, 33, 44 };
const char *form_text __attribute__((used)) = "<0.100.0>";

#ifdef __x86_64__
#define NOTE(args)                                                                                                     \
	"990: nop\n"                                                                                                   \
	".pushsection .note.stapsdt,\"?\",\"note\"\n"                                                                  \
	".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"                                                                  \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n"                                                                    \
	"993: .8byte 990b, _.stapsdt.base, 0\n"                                                                        \
	".asciz \"erlang\"\n.asciz \"user_trace__i4s4\"\n.asciz \"" args "\"\n"                                        \
	"994: .balign 4\n.popsection\n"

__attribute__((noinline)) static void fire_forms(unsigned long times)
{
	static long memory[8] = { 101, 102, 103, 104, 105, 106, 107, 108 };

	for (unsigned long i = 0; i < times; i++) {
		/* Registers by all four widths, signed and not: 2 to 5 are -1, 65535, 255, -2. */
		asm volatile("mov $-1, %%r12d\nmov $0x1ffff, %%r13d\nmov $0x2ff, %%ebx\nmov $-2, %%rcx\n" NOTE(
				     "8@form_text(%%rip) 8@$0 -4@%%r12d 2@%%r13w 1@%%bl -8@%%rcx")::
				     : "r12", "r13", "rbx", "rcx", "memory");
		/* High byte, constant in hex, negative constant, 32-bit register unsigned. */
		asm volatile("mov $0x7f00, %%eax\nmov $-1, %%edx\n" NOTE(
				     "8@form_text(%%rip) 8@$0 1@%%ah 8@$0x10 -4@$-7 4@%%edx")::
				     : "rax", "rdx", "memory");
		/* Memory: plain, with offset, with negative offset, with index and scale. */
		asm volatile("lea 24(%0), %%rsi\nmov $2, %%rdi\n" NOTE(
				     "8@form_text(%%rip) 8@$0 8@(%%rsi) 8@8(%%rsi) -8@-16(%%rsi) 8@(%%rsi,%%rdi,8)")::
				     "r"(memory)
			     : "rsi", "rdi", "memory");
		/* Index without scale, offset and index, symbol, symbol with offset on either side. */
		asm volatile("lea 0(%0), %%rsi\nmov $8, %%rdi\n" NOTE(
				     "8@form_text(%%rip) 8@$0 8@(%%rsi,%%rdi) 8@16(%%rsi,%%rdi,1) "
				     "8@form_global(%%rip) 8@8+form_global(%%rip)")::"r"(memory)
			     : "rsi", "rdi", "memory");
	}
}

/* "<0.N.S>", by hand: snprintf() would take longer than the probe. */
static void write_pid(char *text, unsigned long n)
{
	char digits[24], *at = text;
	int count = 0;

	at = stpcpy(at, "<0.");
	for (unsigned long number = n & 0x3ffff; number || !count; number /= 10)
		digits[count++] = (char)('0' + number % 10);
	while (count)
		*at++ = digits[--count];
	*at++ = '.';
	for (unsigned long serial = n >> 18; serial || !count; serial /= 10)
		digits[count++] = (char)('0' + serial % 10);
	while (count)
		*at++ = digits[--count];
	strcpy(at, ">");
}

__attribute__((noinline)) static void fire_keys(unsigned long times)
{
	char pid[64];

	for (unsigned long i = 0; i < times; i++) {
		write_pid(pid, i);
		asm volatile("mov %0, %%rsi\nmov %1, %%rdi\n" NOTE("8@%%rsi 8@$0 8@%%rdi 8@$1 8@$2 8@$3")::"r"(
				     (const char *)pid),
			     "r"(i)
			     : "rsi", "rdi", "memory");
	}
}
#else
static void fire_forms(unsigned long times)
{
	(void)times;
}
static void fire_keys(unsigned long times)
{
	(void)times;
}
#endif

static const struct fake_probe *find(const char *name)
{
	for (size_t i = 0; i < PROBES; i++) {
		if (!strcmp(fake_probes[i].name, name))
			return &fake_probes[i];
	}
	return NULL;
}

struct job {
	const struct fake_probe *probe;
	unsigned long times;
};

static void *run_job(void *data)
{
	struct job *job = data;

	job->probe->fire(job->times);
	return NULL;
}

static void fire_in_threads(struct job *job, int count)
{
	pthread_t threads[64];

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, run_job, job);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

#define SMALL(n) ((unsigned long)(n) << 4 | 0xf)
#define LIST(p) ((unsigned long)(p) + 1)
#define BOXED(p) ((unsigned long)(p) + 2)
#define HEADER(arity, subtag) ((unsigned long)(arity) << 6 | (unsigned long)(subtag) << 2)
#define WILD 0x7ff000000000UL
#define OF_THE_KERNEL 0xffff888000000000UL

static void send_terms(void)
{
	static unsigned long from = 0x503, to = 0x513;
	static unsigned long cycle[2], tree[3], wide[4], binary[6], map[8], chain[2048], behind[2];
	const struct fake_env env = { .process = &from };
	const unsigned long terms[] = {
		LIST(WILD),    BOXED(WILD), LIST(OF_THE_KERNEL), BOXED(8),     LIST(cycle), BOXED(tree), BOXED(wide),
		BOXED(binary), BOXED(map),  LIST(chain),	 LIST(behind), ~0UL,	    0,		 SMALL(42),
	};

	memcpy(cycle, (unsigned long[]){ SMALL(1), LIST(cycle) }, sizeof(cycle));
	memcpy(tree, (unsigned long[]){ HEADER(2, 0), BOXED(tree), BOXED(tree) }, sizeof(tree));
	memcpy(wide, (unsigned long[]){ HEADER(1UL << 57, 0), SMALL(7), LIST(WILD), SMALL(8) }, sizeof(wide));
	memcpy(binary, (unsigned long[]){ HEADER(5, 8), 1UL << 60, 0, 0, WILD, 0 }, sizeof(binary));
	memcpy(map, (unsigned long[]){ HEADER(0, 15), 1UL << 60, BOXED(map), SMALL(1) }, 4 * sizeof(*map));
	memcpy(behind, (unsigned long[]){ SMALL(5), LIST(OF_THE_KERNEL) }, sizeof(behind));
	for (size_t i = 0; i + 2 < sizeof(chain) / sizeof(*chain); i += 2) {
		chain[i] = LIST(&chain[i + 2]);
		chain[i + 1] = 0x3b;
	}
	for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++)
		enif_send(&env, &to, &to, terms[i]);
}

static unsigned long sum_semaphores(void)
{
	unsigned long sum = 0;

	for (size_t i = 0; i < PROBES; i++)
		sum += *fake_probes[i].semaphore;
	return sum;
}

static void make_children(unsigned long times, const struct fake_probe *probe, unsigned long hits)
{
	for (unsigned long i = 0; i < times; i++) {
		pid_t child = fork();

		if (!child) {
			if (probe)
				probe->fire(hits);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

static pid_t keep_child(void)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return child;
}

static void obey(char **argv, const char *line)
{
	char name[64];
	unsigned long times;
	int threads;
	struct job job;

	if (sscanf(line, "fire %63s %lu", name, &times) == 2 && find(name)) {
		find(name)->fire(times);
	} else if (sscanf(line, "threads %d %63s %lu", &threads, name, &times) == 3 && find(name) && threads > 0 &&
		   threads <= 64) {
		job = (struct job){ find(name), times };
		fire_in_threads(&job, threads);
	} else if (!strcmp(line, "fire-all\n")) {
		for (size_t i = 0; i < PROBES; i++)
			fake_probes[i].fire(1);
	} else if (sscanf(line, "forms %lu", &times) == 1) {
		fire_forms(times);
	} else if (sscanf(line, "keys %lu", &times) == 1) {
		fire_keys(times);
	} else if (sscanf(line, "child %63s %lu", name, &times) == 2 && find(name)) {
		make_children(1, find(name), times);
	} else if (sscanf(line, "children %lu", &times) == 1) {
		make_children(times, NULL, 0);
	} else if (!strcmp(line, "table\n")) {
		*(unsigned long *)&erts_proc[192 / 4] = (unsigned long)process_table;
	} else if (!strcmp(line, "keep\n")) {
		printf("%d\n", keep_child());
		return;
	} else if (!strcmp(line, "terms\n")) {
		send_terms();
	} else if (!strcmp(line, "semaphores\n")) {
		printf("%lu\n", sum_semaphores());
		return;
	} else if (!strcmp(line, "exec\n")) {
		puts("ok");
		fflush(stdout);
		execv("/proc/self/exe", argv);
	} else {
		puts("what?");
		return;
	}
	puts("ok");
}

int main(int argc, char **argv)
{
	char line[256];

	(void)argc;
	/* A probe waits for no page: it reads texts that a VM has just made, but these are in a file. */
	if (mlockall(MCL_CURRENT))
		perror("mlockall");
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready %d\n", getpid());
	while (fgets(line, sizeof(line), stdin))
		obey(argv, line);
	return 0;
}
