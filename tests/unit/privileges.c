// SPDX-License-Identifier: BSD-2-Clause
/* Giving up capabilities and system calls; in children, since it is for good. */
#include "base/process/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int status_of(void (*act)(void))
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		act();
		_exit(0);
	}
	cr_assert(eq(int, waitpid(child, &status, 0), child));
	return status;
}

static void require(bool is_so, int code)
{
	if (!is_so)
		_exit(code);
}

/* One of the lines "CapEff:\t0000000000000000". */
static unsigned long long capabilities(const char *which)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	unsigned long long value = ~0ULL;

	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, which, strlen(which)))
			sscanf(line + strlen(which), ":\t%llx", &value);
	}
	fclose(file);
	return value;
}

static void keep_none(void)
{
	require(!privileges_keep(0), 1);
	require(!capabilities("CapEff") && !capabilities("CapPrm") && !capabilities("CapInh"), 2);
	require(!capabilities("CapBnd") && !capabilities("CapAmb"), 3);
	require(!privileges_held(), 4);
}

static void keep_one(void)
{
	require(!privileges_keep(PRIVILEGE(CAP_BPF)), 1);
	require(capabilities("CapEff") == PRIVILEGE(CAP_BPF) && capabilities("CapPrm") == PRIVILEGE(CAP_BPF), 2);
	/* What is gone does not come back. */
	require(!privileges_keep(PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_SYS_ADMIN)), 3);
	require(privileges_held() == PRIVILEGE(CAP_BPF), 4);
}

static void leave_root(void)
{
	int number = 0;

	privileges_choose_user();
	require(!prctl(PR_SET_PDEATHSIG, SIGKILL), 1);
	privileges_leave_root();
	require(getuid() >= 0x80000000u && geteuid() == getuid() && getegid() == getuid(), 2);
	require(!prctl(PR_GET_PDEATHSIG, &number) && number == SIGKILL, 3);
}

/* The kernel takes the signal from a process that changes its user. */
Test(privileges, who_leaves_root_still_ends_with_its_parent)
{
	if (geteuid() != 0)
		cr_skip_test("needs root");
	cr_expect(eq(int, status_of(leave_root), 0));
}

Test(privileges, what_is_not_kept_is_gone)
{
	if (geteuid() != 0)
		cr_skip_test("needs root");
	cr_expect(eq(int, status_of(keep_none), 0));
	cr_expect(eq(int, status_of(keep_one), 0));
}

static int make_map(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1 };

	return (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

static bool can_use_map(int map)
{
	uint32_t key = 0, value = 0;
	union bpf_attr attr = {
		.map_fd = (uint32_t)map,
		.key = (uintptr_t)&key,
		.value = (uintptr_t)&value,
	};

	return syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr)) == 0;
}

static void only_read_maps(void)
{
	int map = make_map();

	require(map >= 0 && !privileges_filter(ROLE_COMMAND), 1);
	require(can_use_map(map), 2);
	require(make_map() < 0 && errno == EPERM, 3);
	require(syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0) < 0 && errno == EPERM, 4);
}

/* Who only links has no file, and what it is given must do. */
static void only_link(void)
{
	int map = make_map();

	require(map >= 0 && !privileges_filter(ROLE_GUARDIAN), 1);
	require(!can_use_map(map) && errno == EPERM, 2);
	require(open("/proc/self/status", O_RDONLY) < 0 && errno == EPERM, 3);
	require(socket(AF_UNIX, SOCK_STREAM, 0) < 0 && errno == EPERM, 4);
}

static void only_read_files(void)
{
	require(!privileges_filter(ROLE_READER), 1);
	require(open("/proc/self/status", O_RDONLY) >= 0, 2);
	require(open("/proc/self/mem", O_RDWR) < 0 && errno == EPERM, 3);
	require(make_map() < 0 && errno == EPERM, 4);
	require(syscall(SYS_pidfd_open, getppid(), 0) < 0 && errno == EPERM, 5);
}

/* Who may not give up the rest later is ended for trying: it would be to get it back. */
static void change_capabilities(void)
{
	require(!privileges_filter(ROLE_FOLLOWER), 1);
	syscall(SYS_capset, NULL, NULL);
}

Test(privileges, capabilities_are_not_changed_behind_a_filter)
{
	cr_expect(eq(int, WTERMSIG(status_of(change_capabilities)), SIGSYS));
}

Test(privileges, a_filter_allows_what_was_asked_for_and_no_more)
{
	if (geteuid() != 0)
		cr_skip_test("needs root");
	cr_expect(eq(int, status_of(only_read_maps), 0));
	cr_expect(eq(int, status_of(only_link), 0));
	cr_expect(eq(int, status_of(only_read_files), 0));
}
