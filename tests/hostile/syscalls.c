// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which system calls the filters allow, by role (base/process/privileges.h):
 *
 *   syscalls list    of each role, all that is not refused, and under which conditions on its arguments
 *   syscalls live    in each role, makes all calls that are refused with every argument -1; says which were not
 *
 * The list is not made by trying values. Each role is a process that has installed its filter, and the program that
 * the kernel has then is read back (PTRACE_SECCOMP_GET_FILTER). It is followed along every way that there is for the
 * number of a call, so the list has all values of all arguments. A program compares the number with constants, so all
 * numbers behave like one of these, or like the one before or behind one of these.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/privileges.h"
#include "syscall_conditions.h"

#ifndef PTRACE_SECCOMP_GET_FILTER
#define PTRACE_SECCOMP_GET_FILTER 0x420c
#endif

#define NUMBERS 1024 /* more than any architecture has */
#define MOST_WAYS 256
#define LINE 118
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)

#ifdef __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#define X32 0x40000000u
#else
#define ARCH AUDIT_ARCH_AARCH64
#define X32 0
#endif

struct filter {
	pid_t pid; /* of the process that it was made for */
	unsigned short size;
	struct sock_filter code[BPF_MAXINSNS];
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* --- The filter, as the kernel has it -------------------------------------------------------------------------- */

static _Noreturn void be(enum privileges_role role)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || privileges_filter(role))
		_exit(1);
	raise(SIGSTOP);
	_exit(0);
}

static void read_filter(enum privileges_role role, struct filter *filter)
{
	int status;
	long size;

	filter->pid = fork();
	if (!filter->pid)
		be(role);
	if (waitpid(filter->pid, &status, 0) < 0 || !WIFSTOPPED(status))
		fail(privileges_role_name(role));
	size = ptrace(PTRACE_SECCOMP_GET_FILTER, filter->pid, 0, filter->code);
	if (size <= 0)
		fail("PTRACE_SECCOMP_GET_FILTER");
	filter->size = (unsigned short)size;
	kill(filter->pid, SIGKILL);
	waitpid(filter->pid, &status, 0);
}

/* --- The ways through it ---------------------------------------------------------------------------------------- */

/* What is known of the call. Without arguments, both ways of each comparison with them are gone. */
struct call {
	uint32_t number, arch;
	bool has_arguments;
	uint64_t arguments[6];
};

struct walk {
	const struct filter *filter;
	const struct call *call;
	struct way ways[MOST_WAYS];
	size_t count;
};

/* The place of the program counter, and its accumulator. */
struct place {
	size_t pc;
	bool is_known;
	uint32_t value; /* if it is known; else: */
	unsigned int word;
	uint32_t mask;
};

static void load(const struct call *call, uint32_t offset, struct place *at)
{
	unsigned int word = (offset - (uint32_t)offsetof(struct seccomp_data, args)) / 4;

	at->is_known = true;
	if (offset == offsetof(struct seccomp_data, nr))
		at->value = call->number;
	else if (offset == offsetof(struct seccomp_data, arch))
		at->value = call->arch;
	else if (offset < offsetof(struct seccomp_data, args))
		exit(3); /* a filter that looks at who calls */
	else if (call->has_arguments)
		at->value = (uint32_t)(call->arguments[word / 2] >> (word % 2 ? 32 : 0));
	else
		*at = (struct place){ at->pc, false, 0, word, UINT32_MAX };
}

static bool is_so(uint16_t code, uint32_t value, uint32_t k)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ: return value == k;
	case BPF_JGT: return value > k;
	case BPF_JGE: return value >= k;
	default: return value & k;
	}
}

/* Does what the way has met already decide? -1: it does not. */
static int decided(const struct way *way, const struct place *at, const struct sock_filter *is)
{
	for (size_t i = 0; i < way->count; i++) {
		const struct condition *c = &way->all[i];

		if (c->word != at->word || c->mask != at->mask)
			continue;
		if (c->is && BPF_OP(c->op) == BPF_JEQ)
			return is_so(is->code, c->value, is->k);
		if (c->op == is->code && c->value == is->k)
			return c->is;
	}
	return -1;
}

static void walk(struct walk *w, struct way *way, struct place at);

static void go(struct walk *w, struct way *way, struct place at, const struct sock_filter *is, bool holds)
{
	at.pc += holds ? is->jt : is->jf;
	if (way->count == MOST_CONDITIONS)
		exit(4);
	way->all[way->count++] = (struct condition){ at.word, at.mask, is->code, is->k, holds };
	walk(w, way, at);
	way->count--;
}

static void jump(struct walk *w, struct way *way, struct place at, const struct sock_filter *is)
{
	int known = at.is_known ? is_so(is->code, at.value, is->k) : decided(way, &at, is);

	if (known >= 0) {
		at.pc += known ? is->jt : is->jf;
		walk(w, way, at);
		return;
	}
	go(w, way, at, is, true);
	go(w, way, at, is, false);
}

static void end(struct walk *w, struct way *way, uint32_t action)
{
	if (w->count == MOST_WAYS)
		exit(5);
	way->action = action;
	w->ways[w->count++] = *way;
}

static void walk(struct walk *w, struct way *way, struct place at)
{
	for (;;) {
		const struct sock_filter *is = &w->filter->code[at.pc++];

		if (is->code == (BPF_LD | BPF_W | BPF_ABS)) {
			load(w->call, is->k, &at);
		} else if (is->code == (BPF_ALU | BPF_AND | BPF_K)) {
			at.value = at.is_known ? at.value & is->k : 0;
			at.mask &= is->k;
			at.is_known |= !at.mask;
		} else if (is->code == (BPF_JMP | BPF_JA)) {
			at.pc += is->k;
		} else if (BPF_CLASS(is->code) == BPF_JMP) {
			jump(w, way, at, is);
			return;
		} else if (is->code == (BPF_RET | BPF_K)) {
			end(w, way, is->k);
			return;
		} else {
			exit(6);
		}
	}
}

static void find_ways(const struct filter *filter, const struct call *call, struct walk *w)
{
	struct way way = {};

	w->filter = filter;
	w->call = call;
	w->count = 0;
	walk(w, &way, (struct place){});
}

/* --- The list --------------------------------------------------------------------------------------------------- */

static const char *name_of(uint32_t number)
{
	static char text[32];
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)number);

	if (name)
		snprintf(text, sizeof(text), "%s", name);
	else
		snprintf(text, sizeof(text), "number %u", number);
	free(name);
	return text;
}

enum kind { ALLOWED, CONDITIONAL, KILLED };

/* What roles may do, or are killed for. */
struct item {
	enum kind kind;
	char text[256];
	unsigned int roles; /* a bit for each */
};

static struct item items[4 * NUMBERS];
static size_t item_count;

static void add(enum privileges_role role, enum kind kind, const char *text)
{
	size_t i = 0;

	while (i < item_count && (items[i].kind != kind || strcmp(items[i].text, text) != 0))
		i++;
	if (i == sizeof(items) / sizeof(*items))
		exit(7);
	if (i == item_count) {
		snprintf(items[i].text, sizeof(items[i].text), "%s", text);
		items[item_count++].kind = kind;
	}
	items[i].roles |= 1u << role;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->text, ((const struct item *)b)->text);
}

/* ROLES stands for all of them, and one role for what it has and others have not. */
static bool is_shown(const struct item *item, enum kind kind, unsigned int role)
{
	bool is_of_all = item->roles == (1u << ROLES) - 1;

	return item->kind == kind && (role == ROLES ? is_of_all : !is_of_all && item->roles & 1u << role);
}

/* Names, in lines. */
static void print_names(const char *head, enum kind kind, unsigned int role)
{
	int column = 0;

	for (size_t i = 0; i < item_count; i++) {
		if (!is_shown(&items[i], kind, role))
			continue;
		if (!column)
			column = printf("  %s:", head);
		if (column + (int)strlen(items[i].text) + 1 > LINE)
			column = printf("\n   ") - 1;
		column += printf(" %s", items[i].text);
	}
	if (column)
		putchar('\n');
}

static void print_items(void)
{
	qsort(items, item_count, sizeof(*items), by_text);
	for (unsigned int at = 0; at <= ROLES; at++) {
		unsigned int role = at ? at - 1 : ROLES;

		printf("%s\n", role == ROLES ? "every role" : privileges_role_name((enum privileges_role)role));
		print_names("allowed", ALLOWED, role);
		for (size_t i = 0; i < item_count; i++) {
			if (is_shown(&items[i], CONDITIONAL, role))
				printf("  %s\n", items[i].text);
		}
		print_names("killed", KILLED, role);
	}
}

static void take(enum privileges_role role, const struct filter *filter, const char *name, const struct way *way)
{
	char text[256];

	if (way->action == REFUSED)
		return;
	if (way->count || (way->action != SECCOMP_RET_KILL_PROCESS && way->action != SECCOMP_RET_ALLOW)) {
		way_text(name, way, filter->pid, text, sizeof(text));
		add(role, CONDITIONAL, text);
	} else {
		add(role, way->action == SECCOMP_RET_ALLOW ? ALLOWED : KILLED, name);
	}
}

/* Numbers that no call has. */
static void check_number(const struct filter *filter, uint32_t number, struct walk *w)
{
	const struct call call = { .number = number, .arch = ARCH };
	bool is_x32 = X32 && number >= X32 && number != UINT32_MAX;

	if (number < NUMBERS)
		return;
	find_ways(filter, &call, w);
	if (w->count != 1 || w->ways[0].action != (is_x32 ? SECCOMP_RET_KILL_PROCESS : REFUSED))
		printf("NUMBER %#x IS NOT REFUSED\n", number);
}

static void check_numbers(const struct filter *filter, struct walk *w)
{
	for (size_t i = 0; i < filter->size; i++) {
		if (BPF_CLASS(filter->code[i].code) != BPF_JMP)
			continue;
		for (uint32_t d = 0; d < 3; d++)
			check_number(filter, filter->code[i].k + d - 1, w);
	}
	for (uint32_t number = 0; X32 && number < NUMBERS; number++)
		check_number(filter, X32 | number, w);
}

/* Calls of another kind, which have other numbers: by int 0x80. */
static void check_architectures(const struct filter *filter, struct walk *w)
{
	static const uint32_t others[] = { 0, AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64, UINT32_MAX };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		for (uint32_t number = 0; number < NUMBERS; number++) {
			const struct call call = { .number = number, .arch = others[i] };

			find_ways(filter, &call, w);
			if (w->count != 1 || w->ways[0].action != SECCOMP_RET_KILL_PROCESS)
				printf("NUMBER %u OF ARCHITECTURE %#x IS NOT KILLED\n", number, others[i]);
		}
	}
}

static void list(enum privileges_role role, const struct filter *filter, struct walk *w)
{
	for (uint32_t number = 0; number < NUMBERS; number++) {
		const struct call call = { .number = number, .arch = ARCH };

		find_ways(filter, &call, w);
		for (size_t i = 0; i < w->count; i++)
			take(role, filter, name_of(number), &w->ways[i]);
	}
	check_numbers(filter, w);
	check_architectures(filter, w);
}

/* --- Live ------------------------------------------------------------------------------------------------------- */

static uint32_t action_of(const struct filter *filter, uint32_t number, struct walk *w)
{
	const struct call call = { .number = number,
				   .arch = ARCH,
				   .has_arguments = true,
				   .arguments = { -1UL, -1UL, -1UL, -1UL, -1UL, -1UL } };

	find_ways(filter, &call, w);
	return w->ways[0].action;
}

static long make_call(uint32_t number)
{
	errno = 0;
	return syscall((long)number, -1L, -1L, -1L, -1L, -1L, -1L);
}

/* No filter is asked about what the kernel has a process call behind probes: elsewhere it ends the process. */
static bool is_kernels_own(uint32_t number)
{
#ifdef __x86_64__
	return number == 335 || number == 336; /* uretprobe, uprobe */
#else
	(void)number;
	return false;
#endif
}

/* How many that the filter refuses were not. */
static int make_refused(const struct filter *filter, struct walk *w)
{
	int bad = 0;

	for (uint32_t number = 0; number < NUMBERS; number++)
		bad += !is_kernels_own(number) && action_of(filter, number, w) == REFUSED &&
		       (make_call(number) != -1 || errno != EPERM);
	return bad;
}

static void by_interrupt(void)
{
#ifdef __x86_64__
	unsigned long number = 20; /* getpid */

	__asm__ volatile("int $0x80" : "+a"(number) : : "memory");
#endif
}

/* How a process of this role ends that does this: the call of this number; -1: all that are refused; -2: another way.
 */
static int end_of(enum privileges_role role, const struct filter *filter, struct walk *w, long number)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (privileges_filter(role))
			_exit(255);
		if (number == -2)
			by_interrupt();
		_exit(number == -1 ? make_refused(filter, w) : number >= 0 ? make_call((uint32_t)number) != 0 : 0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static bool is_killed(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

static void live(enum privileges_role role, const struct filter *filter, struct walk *w)
{
	int bad = end_of(role, filter, w, -1);

	if (bad)
		printf("%s: %#x refused calls were made\n", privileges_role_name(role), bad);
	for (uint32_t number = 0; number < NUMBERS; number++) {
		if (action_of(filter, number, w) == SECCOMP_RET_KILL_PROCESS &&
		    !is_killed(end_of(role, filter, w, number)))
			printf("%s: %s does not kill\n", privileges_role_name(role), name_of(number));
	}
	if (X32 && (!is_killed(end_of(role, filter, w, X32 | SYS_getpid)) || !is_killed(end_of(role, filter, w, -2))))
		printf("%s: calls of another kind do not kill\n", privileges_role_name(role));
}

int main(int argc, char **argv)
{
	static struct filter filter;
	static struct walk w;

	if (argc != 2)
		return 2;
	for (int role = 0; role < ROLES; role++) {
		read_filter((enum privileges_role)role, &filter);
		if (!strcmp(argv[1], "list"))
			list((enum privileges_role)role, &filter, &w);
		else
			live((enum privileges_role)role, &filter, &w);
	}
	if (item_count)
		print_items();
	return 0;
}
