// SPDX-License-Identifier: BSD-2-Clause
/* What the agent can no longer do once it has given it up; in children, since it is for good. */
#include "serve/privileges.h"

#include <errno.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int run_program(void)
{
	char *argv[] = { (char *)"true", NULL };

	return execv("/bin/true", argv);
}

static int make_process(void)
{
	return (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static int make_packet_socket(void)
{
	return socket(AF_PACKET, SOCK_RAW, 0);
}

static int make_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int call_nobody(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };

	return connect(-1, (struct sockaddr *)&address, sizeof(address));
}

static int find_foreign_map(void)
{
	union bpf_attr attr = { .map_id = 1 };

	return (int)syscall(SYS_bpf, BPF_MAP_GET_FD_BY_ID, &attr, sizeof(attr));
}

static int make_map(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1 };

	return (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

static int enter_namespace(void)
{
	return (int)syscall(SYS_setns, 0, 0);
}

static int become_dumpable(void)
{
	return prctl(PR_SET_DUMPABLE, 1);
}

static void *nothing(void *data)
{
	return data;
}

static int make_thread(void)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, nothing, NULL);
	return errno ? -1 : pthread_join(thread, NULL);
}

static int read_own_status(void)
{
	return access("/proc/self/status", R_OK);
}

static const struct {
	const char *what;
	int (*act)(void);
	int error, signal; /* both 0: it works */
} acts[] = {
	{ "running a program", run_program, 0, SIGSYS },
	{ "entering a namespace", enter_namespace, 0, SIGSYS },
	{ "making a process", make_process, EPERM, 0 },
	{ "reading packets", make_packet_socket, EPERM, 0 },
	{ "finding maps of others", find_foreign_map, EPERM, 0 },
	{ "changing what we are", become_dumpable, EPERM, 0 },
	{ "calling another machine", make_socket, EPERM, 0 },
	{ "a map of our own", make_map, 0, 0 },
	{ "a thread", make_thread, 0, 0 },
	{ "a file of /proc", read_own_status, 0, 0 },
};

static void act(int (*what)(void), enum privileges_filter which)
{
	struct kernel kernel;

	kernel_detect(&kernel);
	if (privileges_drop(&kernel, which))
		_exit(255);
	errno = 0;
	_exit(what() < 0 ? errno : 0);
}

/* How a child ends that does it: with the error as its exit code, or 0. */
static int end_of(int (*what)(void), enum privileges_filter which)
{
	int status = 0;
	pid_t child = fork();

	if (!child)
		act(what, which);
	cr_assert(eq(int, waitpid(child, &status, 0), child));
	return status;
}

Test(serve_privileges, the_filter_lets_through_what_the_agent_needs)
{
	if (geteuid() != 0)
		cr_skip_test("needs root");
	for (size_t i = 0; i < COUNT(acts); i++) {
		int status = end_of(acts[i].act, FILTER_ALL);

		cr_expect(eq(int, WIFSIGNALED(status) ? WTERMSIG(status) : 0, acts[i].signal), "%s", acts[i].what);
		cr_expect(eq(int, WIFEXITED(status) ? WEXITSTATUS(status) : 0, acts[i].error), "%s", acts[i].what);
	}
}

Test(serve_privileges, only_who_pushes_may_call)
{
	if (geteuid() != 0)
		cr_skip_test("needs root");
	cr_expect(eq(int, end_of(make_socket, FILTER_WITH_CALLS), 0));
	cr_expect(eq(int, end_of(call_nobody, FILTER_WITH_CALLS), EBADF << 8));
	cr_expect(eq(int, end_of(call_nobody, FILTER_ALL), EPERM << 8));
	cr_expect(eq(int, end_of(make_packet_socket, FILTER_WITH_CALLS), EPERM << 8));
}
