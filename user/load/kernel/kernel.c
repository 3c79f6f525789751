// SPDX-License-Identifier: BSD-2-Clause
#include "load/kernel/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io/shortage.h"
#include "base/process/privileges.h"
#include "base/process/thread.h"
#include "erl.h"
#include "load/kernel/slow.h"

#define UPROBE_MULTI_RETURN 1
#define PATH_SIZE 32
#define CPUS "/sys/devices/system/cpu/possible" /* as libbpf asks for them */
#define WARM_PAUSE_US 4000			/* a grace period is longer */

/* The part of union bpf_attr that BPF_LINK_CREATE reads for uprobe_multi. */
struct link_create_multi {
	uint32_t program;
	uint32_t target;
	uint32_t attach_type;
	uint32_t flags;
	uint64_t path;
	uint64_t offsets;
	uint64_t semaphores;
	uint64_t cookies;
	uint32_t count;
	uint32_t multi_flags;
	uint32_t pid;
	uint32_t pad;
};

/* The same for perf events. */
struct link_create_perf {
	uint32_t program;
	uint32_t event;
	uint32_t attach_type;
	uint32_t flags;
	uint64_t cookie;
};

static int sys_bpf(int command, void *attr, unsigned int size)
{
	int fd = (int)syscall(SYS_bpf, command, attr, size);

	return fd < 0 ? -errno : fd;
}

static int load_code(enum bpf_prog_type type, uint32_t expected_attach_type, const struct bpf_insn *code,
		     uint32_t count)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = count;
	attr.license = (uintptr_t)ERL_LICENSE;
	attr.expected_attach_type = expected_attach_type;
	return sys_bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
}

static const struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

/* A program that returns 0, which is all that asking for a feature takes. */
static int load_nothing(enum bpf_prog_type type, uint32_t expected_attach_type)
{
	return load_code(type, expected_attach_type, nothing, sizeof(nothing) / sizeof(*nothing));
}

/* A kernel with uprobe_multi gets as far as the path, and says that "/" is no file. */
static bool has_multi(void)
{
	_cleanup_close_ int program = load_nothing(BPF_PROG_TYPE_KPROBE, KERNEL_UPROBE_MULTI);
	unsigned long offset = 0;
	struct link_create_multi attr = {
		.program = (uint32_t)program,
		.attach_type = KERNEL_UPROBE_MULTI,
		.path = (uintptr_t) "/",
		.offsets = (uintptr_t)&offset,
		.count = 1,
	};

	return program >= 0 && sys_bpf(BPF_LINK_CREATE, &attr, sizeof(attr)) == -EBADF;
}

void kernel_read_version(struct kernel *kernel)
{
	struct utsname name;

	uname(&name);
	if (sscanf(name.release, "%u.%u", &kernel->major, &kernel->minor) != 2)
		kernel->major = kernel->minor = 0;
}

bool kernel_is_at_least(const struct kernel *kernel, unsigned int major, unsigned int minor)
{
	return kernel->major > major || (kernel->major == major && kernel->minor >= minor);
}

static bool read_lockdown(void)
{
	_cleanup_close_ int fd = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);
	char text[64] = {};

	return fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && strstr(text, "[confidentiality]");
}

/* Until 46ba0e49b642 (6.10) the pid filter of uprobe_multi let only the main thread through. */
static enum kernel_attach choose_attach(const struct kernel *kernel)
{
	const char *forced = getenv("ERLBPF_ATTACH");

	for (enum kernel_attach a = KERNEL_ATTACH_MULTI; forced && a <= KERNEL_ATTACH_PERF; a++) {
		if (!strcmp(forced, kernel_attach_name(a)))
			return a;
	}
	if (!has_multi())
		return KERNEL_ATTACH_PERF;
	return kernel_is_at_least(kernel, 6, 10) ? KERNEL_ATTACH_MULTI : KERNEL_ATTACH_MULTI_INODE;
}

const char *kernel_attach_name(enum kernel_attach attach)
{
	static const char *const names[] = {
		[KERNEL_ATTACH_MULTI] = "multi",
		[KERNEL_ATTACH_MULTI_INODE] = "inode",
		[KERNEL_ATTACH_PERF] = "perf",
	};

	return names[attach];
}

void kernel_detect(struct kernel *kernel)
{
	*kernel = (struct kernel){};
	kernel_read_version(kernel);
	kernel->capabilities = privileges_held();
	kernel->is_root = geteuid() == 0;
	kernel->is_locked_down = read_lockdown();
	kernel->has_btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0;
	kernel->attach = choose_attach(kernel);
}

bool kernel_grants(const struct kernel *kernel, unsigned int capability)
{
	return kernel->capabilities & PRIVILEGE(capability);
}

const char *kernel_refusal(const struct kernel *kernel)
{
	_cleanup_close_ int program = -1;

	if (!kernel_is_at_least(kernel, 5, 15))
		return "this kernel is too old: erlbpf needs Linux 5.15 or later";
	if (!kernel_grants(kernel, CAP_SYS_ADMIN) && !kernel_grants(kernel, CAP_BPF))
		return "permission denied: run erlbpf with sudo, or with the capabilities BPF, PERFMON and "
		       "SYS_PTRACE";
	if (!kernel_grants(kernel, CAP_SYS_ADMIN) && !kernel_grants(kernel, CAP_PERFMON))
		return "permission denied: the capability PERFMON is missing; run erlbpf with sudo";
	if (!kernel_grants(kernel, CAP_SYS_PTRACE))
		return "permission denied: the capability SYS_PTRACE is missing; run erlbpf with sudo";
	if (kernel->is_locked_down)
		return "the kernel is locked down (confidentiality), so BPF cannot read the VM's memory; "
		       "boot with lockdown=integrity";
	if (access(CPUS, R_OK))
		return CPUS " cannot be read, which says how many CPUs there are; is /sys "
			    "mounted? (mount -t sysfs sysfs /sys)";
	program = load_nothing(BPF_PROG_TYPE_KPROBE, 0);
	if (is_shortage(program))
		return "no BPF program can be loaded, because memory or file descriptors are short; raise the limits "
		       "(ulimit -n, ulimit -v)";
	if (program < 0)
		return "the kernel refuses to load a BPF program; is this a container without "
		       "CAP_BPF, or are bpf(2) calls filtered?";
	return NULL;
}

/* What the kernel looks up: the file that is open here, whatever has become of its name. */
static const char *path_of(const struct kernel_sites *sites, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "/proc/self/fd/%d", sites->file);
	return path;
}

int kernel_link_multi(int program, const struct kernel_sites *sites, bool all_processes)
{
	char path[PATH_SIZE];
	struct link_create_multi attr = {
		.program = (uint32_t)program,
		.attach_type = KERNEL_UPROBE_MULTI,
		.path = (uintptr_t)path_of(sites, path),
		.offsets = (uintptr_t)sites->offsets,
		.semaphores = (uintptr_t)sites->semaphores,
		.cookies = (uintptr_t)sites->cookies,
		.count = (uint32_t)sites->count,
		.multi_flags = sites->at_return ? UPROBE_MULTI_RETURN : 0,
		.pid = all_processes ? 0 : (uint32_t)sites->pid,
	};

	return sys_bpf(BPF_LINK_CREATE, &attr, sizeof(attr));
}

/* The number in a small file, behind what may stand before it ("config:0"). */
static int read_sysfs_number(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[32] = {};

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return -ENOENT;
	return atoi(text + strcspn(text, "0123456789"));
}

#define UPROBE_PMU "/sys/bus/event_source/devices/uprobe/"

/* What perf events of uprobes are, as this kernel numbers them; read once, since not who attaches may open files. */
static int uprobe_type = -ENOENT, return_bit = -ENOENT;

void kernel_know_uprobe_events(void)
{
	uprobe_type = read_sysfs_number(UPROBE_PMU "type");
	return_bit = read_sysfs_number(UPROBE_PMU "format/retprobe");
}

static int open_perf_event(const struct kernel_sites *sites, size_t i)
{
	struct perf_event_attr attr;
	char path[PATH_SIZE];
	int fd;

	if (uprobe_type < 0 || return_bit < 0)
		return -EOPNOTSUPP;
	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = (uint32_t)uprobe_type;
	attr.config = (sites->at_return ? 1ULL << return_bit : 0) | (uint64_t)sites->semaphores[i] << 32;
	attr.config1 = (uintptr_t)path_of(sites, path);
	attr.config2 = sites->offsets[i];
	fd = (int)syscall(SYS_perf_event_open, &attr, sites->pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int kernel_link_event(int program, int event, uint64_t cookie)
{
	struct link_create_perf attr = {
		.program = (uint32_t)program,
		.event = (uint32_t)event,
		.attach_type = BPF_PERF_EVENT,
		.cookie = cookie,
	};

	return sys_bpf(BPF_LINK_CREATE, &attr, sizeof(attr));
}

int kernel_link_perf(int program, const struct kernel_sites *sites, size_t i)
{
	/* The link keeps the event; the fd can go. */
	_cleanup_close_ int event = open_perf_event(sites, i);

	return event < 0 ? event : kernel_link_event(program, event, sites->cookies[i]);
}

int kernel_link_tracepoint(int program, const char *tracepoint)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (uintptr_t)tracepoint;
	attr.raw_tracepoint.prog_fd = (uint32_t)program;
	return sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
}

bool kernel_has_tracepoint(const char *tracepoint)
{
	_cleanup_close_ int program = load_nothing(BPF_PROG_TYPE_RAW_TRACEPOINT, 0);
	_cleanup_close_ int link = program < 0 ? -1 : kernel_link_tracepoint(program, tracepoint);

	return link >= 0;
}

bool kernel_may_write_user(void)
{
	static const struct bpf_insn code[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 8 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_write_user },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	_cleanup_close_ int program = load_code(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, code, sizeof(code) / sizeof(*code));

	return program >= 0;
}

/* Ours and the thread's: who leaves last frees it. */
struct kernel_warmth {
	int users;
	int program, file;
};

static void leave(struct kernel_warmth *warmth)
{
	if (__atomic_sub_fetch(&warmth->users, 1, __ATOMIC_ACQ_REL))
		return;
	close(warmth->program);
	close(warmth->file);
	free(warmth);
}

static void *close_link(void *fd)
{
	close((int)(intptr_t)fd);
	return NULL;
}

/* 30 to 60 ms for each on its own: 60 links take as long as two. */
void kernel_close_links(const int *fds, size_t count)
{
	_cleanup_free_ pthread_t *threads = calloc(count + 1, sizeof(*threads));
	_cleanup_free_ bool *is_started = calloc(count + 1, sizeof(*is_started));
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (size_t i = 0; i < count; i++) {
		void *fd = (void *)(intptr_t)fds[i];

		if (threads && is_started && !pthread_create(&threads[i], &attr, close_link, fd))
			is_started[i] = true;
		else
			close_link(fd);
	}
	for (size_t i = 0; i < count; i++) {
		if (is_started && is_started[i])
			pthread_join(threads[i], NULL);
	}
	pthread_attr_destroy(&attr);
}

static uint32_t attach_type(const struct kernel *kernel)
{
	return kernel->attach == KERNEL_ATTACH_PERF ? 0 : KERNEL_UPROBE_MULTI;
}

int kernel_load_probe(const struct kernel *kernel, const struct bpf_insn *code, size_t count)
{
	_cleanup_free_ struct bpf_insn *all = calloc(SLOW_MOST + count, sizeof(*all));
	size_t first;

	if (!all)
		return -ENOMEM;
	first = slow_begin(all);
	memcpy(all + first, code, count * sizeof(*code));
	return load_code(BPF_PROG_TYPE_KPROBE, attach_type(kernel), all, (uint32_t)(first + count));
}

int kernel_load_nothing(const struct kernel *kernel)
{
	return kernel_load_probe(kernel, nothing, sizeof(nothing) / sizeof(*nothing));
}

/*
 * A probe in a file that nobody runs. uprobe_register() takes dup_mmap_sem to write (kernel/events/uprobes.c): a
 * percpu_rw_semaphore, whose first writer waits for a grace period, as do those that come when there was none for as
 * long. Taking a probe away waits for some, too, so that is not waited for here.
 */
static void *keep_warm(void *data)
{
	struct kernel_warmth *warmth = data;
	unsigned long offset = 0, semaphore = 0;
	uint64_t cookie = 0;
	struct kernel_sites sites = {
		.file = warmth->file,
		.offsets = &offset,
		.semaphores = &semaphore,
		.cookies = &cookie,
		.count = 1,
		.pid = getpid(),
	};

	while (__atomic_load_n(&warmth->users, __ATOMIC_ACQUIRE) > 1) {
		int link = kernel_link_multi(warmth->program, &sites, false);

		if (link < 0)
			break;
		if (thread_start(close_link, (void *)(intptr_t)link))
			close(link);
		usleep(WARM_PAUSE_US);
	}
	leave(warmth);
	return NULL;
}

struct kernel_warmth *kernel_warm(const struct kernel *kernel)
{
	struct kernel_warmth *warmth = kernel->attach == KERNEL_ATTACH_PERF ? NULL : calloc(1, sizeof(*warmth));

	if (!warmth)
		return NULL;
	warmth->users = 2;
	warmth->program = load_nothing(BPF_PROG_TYPE_KPROBE, KERNEL_UPROBE_MULTI);
	warmth->file = memfd_create("erlbpf", MFD_CLOEXEC);
	if (warmth->program >= 0 && warmth->file >= 0 && !ftruncate(warmth->file, sysconf(_SC_PAGESIZE)) &&
	    !thread_start(keep_warm, warmth))
		return warmth;
	warmth->users = 1;
	leave(warmth);
	return NULL;
}

void kernel_cool(struct kernel_warmth *warmth)
{
	if (warmth)
		leave(warmth);
}

void kernel_quiesce(void)
{
	/*
	 * Programs that may not sleep run in an RCU read section, and this command of membarrier(2)
	 * waits for all of them. Where it is not there (nohz_full), a program's run is shorter than this.
	 */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(10000);
}
