// SPDX-License-Identifier: BSD-2-Clause
#include "load/kernel/debug_registers.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "load/kernel/kernel.h"

#define CALLS 64

/* `period` 0: hits are only counted. */
static int open_event(pid_t tid, uint64_t address, uint64_t period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = address,
		.bp_len = sizeof(long),
		.sample_period = period,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int debug_registers_link(int program, pid_t tid, uint64_t address, uint64_t cookie)
{
	/* The link keeps the event; the fd can go. */
	_cleanup_close_ int event = open_event(tid, address, 1);

	return event < 0 ? event : kernel_link_event(program, event, cookie);
}

/* Do they work here? */

static const char *refusal;
static uint64_t hit_ns;
static pthread_once_t tried = PTHREAD_ONCE_INIT;

#ifdef __x86_64__

#define HYPERVISOR (1U << 31) /* of CPUID 1, ECX: never set by a processor itself */

static volatile sig_atomic_t traps;

static bool is_virtual_machine(void)
{
	unsigned int eax, ebx, ecx = 0, edx;

	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & HYPERVISOR);
}

__attribute__((noinline)) static void tried_function(void)
{
	__asm__ volatile("");
}

static uint64_t calls_ns(void)
{
	void (*volatile function)(void) = tried_function;
	uint64_t start = duration_now();

	for (int i = 0; i < CALLS; i++)
		function();
	return (duration_now() - start) / CALLS;
}

static const char *why_not(int err)
{
	switch (-err) {
	case ENOSPC: return "somebody else uses all debug registers, such as a debugger or perf";
	case EACCES:
	case EPERM: return "permission denied: the capability PERFMON is missing";
	default: return "the kernel has no events of debug registers";
	}
}

static void measure(void)
{
	uint64_t hits = 0, free_ns = calls_ns(), with_ns;
	_cleanup_close_ int event = open_event(0, (uintptr_t)tried_function, 0);

	if (event < 0) {
		refusal = why_not(event);
		return;
	}
	with_ns = calls_ns();
	if (read(event, &hits, sizeof(hits)) != sizeof(hits) || hits < CALLS)
		refusal = "the debug registers of this machine do nothing, as with many hypervisors";
	else
		hit_ns = with_ns > free_ns ? with_ns - free_ns : 1;
}

/* The instruction is executed again after it, and hit. */
static void on_trap(int number)
{
	(void)number;
	traps = 1;
}

static void try(void)
{
	const struct sigaction survive = { .sa_handler = on_trap };
	struct sigaction action;
	sigset_t trap, mask;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	sigaction(SIGTRAP, &survive, &action);
	pthread_sigmask(SIG_UNBLOCK, &trap, &mask); /* the kernel ends who blocks it */
	measure();
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGTRAP, &action, NULL);
	if (traps)
		refusal = "the hypervisor of this machine loses what debug exceptions are for, which ends processes";
}

#else

static bool is_virtual_machine(void)
{
	return false;
}

static void try(void)
{
	refusal = "debug registers are only used on x86-64";
}

#endif

const char *debug_registers_refusal(bool is_unsafe)
{
	if (!is_unsafe && is_virtual_machine())
		return "this is a virtual machine, and the hypervisors of some lose what a debug exception was for: "
		       "then a hit ends the node (--unsafe takes the risk)";
	pthread_once(&tried, try);
	return refusal;
}

uint64_t debug_registers_hit_ns(void)
{
	return hit_ns;
}
