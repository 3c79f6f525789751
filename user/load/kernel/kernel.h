/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel, below libbpf: what it can do, and the links that Debian 12's libbpf does not know.
 * Layout of bpf(2)'s attributes: include/uapi/linux/bpf.h of Linux 6.6 and later.
 *
 * What depends on the release:
 *   5.15  cookies of uprobes; older kernels are refused
 *   5.17  bpf_loop(); without it the verifier simulates each iteration, and profiles are refused
 *   6.1   until then, programs of perf events can only use preallocated hashes
 *   6.6   uprobe_multi; before, one perf event per site, which needs CAP_SYS_ADMIN
 *   6.10  until then, the pid filter of uprobe_multi only accepts the main thread, so that programs compare the pid
 *   6.12  uprobe programs are preemptible, so that counters are atomic adds, even those per CPU
 *   6.18  on x86-64 a probe on a 5-byte nop becomes a call, which writes below the stack pointer; releases up to 7.0
 *         may not remove it, so probes go on the one-byte nop before it
 * On all releases: instructions other than pushes, calls, jumps and nops are single-stepped. The first probe waits for
 * an RCU grace period of 10 to 80 ms, probes soon after it do not (kernel_warm()). A program may have 8,192 branches on
 * one path. Lockdown in confidentiality mode forbids reading user memory.
 */
#ifndef ERLBPF_LOAD_KERNEL_KERNEL_H
#define ERLBPF_LOAD_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* BPF_TRACE_UPROBE_MULTI, the expected attach type of a program for uprobe_multi links. */
#define KERNEL_UPROBE_MULTI 48

struct bpf_insn;

enum kernel_attach {
	KERNEL_ATTACH_MULTI,	   /* one link for all sites, by process (6.10 and later) */
	KERNEL_ATTACH_MULTI_INODE, /* the same for all processes; the program checks (6.6 to 6.9) */
	KERNEL_ATTACH_PERF,	   /* one perf event and link per site (5.15 and later) */
};

struct kernel {
	unsigned int major, minor;
	enum kernel_attach attach;
	bool has_btf;	       /* not needed; for `doctor` */
	bool is_locked_down;   /* confidentiality: programs may not read user memory */
	uint64_t capabilities; /* effective */
	bool is_root;	       /* our user, at first */
};

/*
 * ERLBPF_ATTACH=multi|inode|perf in the environment forces a way of attaching, for tests and for
 * kernels that we misjudge.
 */
void kernel_detect(struct kernel *kernel);

/* Only which one it is, which kernel_detect() finds out, too. */
void kernel_read_version(struct kernel *kernel);

bool kernel_is_at_least(const struct kernel *kernel, unsigned int major, unsigned int minor);

const char *kernel_attach_name(enum kernel_attach attach);

/* Have we the capability (CAP_...)? */
bool kernel_grants(const struct kernel *kernel, unsigned int capability);

/* Why we may not trace, as a sentence that says what to do; NULL if we may. */
const char *kernel_refusal(const struct kernel *kernel);

struct kernel_sites {
	int file; /* executable or library: the kernel is given what is open and no path */
	const unsigned long *offsets;
	const unsigned long *semaphores; /* file offsets, 0: none */
	const uint64_t *cookies;
	size_t count;
	bool at_return;
	pid_t pid;
};

/*
 * A link for all the sites; its fd, or -errno. Closing it takes the probes away. Only for the guardian, if the probes
 * are another process's: see guardian.h.
 */
int kernel_link_multi(int program, const struct kernel_sites *sites, bool all_processes);

/* The same for one of the sites, after kernel_know_uprobe_events(), which reads two files. */
void kernel_know_uprobe_events(void);
int kernel_link_perf(int program, const struct kernel_sites *sites, size_t i);

/* A link of a program to a perf event, which it keeps. */
int kernel_link_event(int program, int event, uint64_t cookie);

/* A link of a raw tracepoint program to its tracepoint, or -errno. */
int kernel_link_tracepoint(int program, const char *tracepoint);

/* Has this kernel such a tracepoint? Where we may not ask, no. */
bool kernel_has_tracepoint(const char *tracepoint);

/* May programs write to the memory of processes? Not where the kernel is locked down. */
bool kernel_may_write_user(void);

/* Closes links, which wait for grace periods of the kernel: the waits of several threads pass together. */
void kernel_close_links(const int *fds, size_t count);

/* A program of our own code for links of the kernel's way to attach, and one that does nothing. Its fd, or -errno. */
int kernel_load_probe(const struct kernel *kernel, const struct bpf_insn *code, size_t count);
int kernel_load_nothing(const struct kernel *kernel);

/*
 * The first probe that anybody puts anywhere waits for a grace period of the kernel, 10 to 80 ms, and those that follow
 * soon do not. Who will put probes begins the waiting here, and goes on with other things; NULL if that is of no use.
 * Then kernel_cool() takes it back, without waiting.
 */
struct kernel_warmth *kernel_warm(const struct kernel *kernel);
void kernel_cool(struct kernel_warmth *warmth);

/* Returns when no BPF program that started before the call still runs. */
void kernel_quiesce(void);

#endif
