// SPDX-License-Identifier: BSD-2-Clause
/* What the agent can no longer do once it has given it up; in children, since it is for good. */
#include "serve/http/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
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

/* Files. Of its own memory, so that it is no question of capabilities. */

static int write_memory(void)
{
	return open("/proc/self/mem", O_RDWR);
}

static int write_memory_by_handle(void)
{
	int dir = open("/proc/self", O_PATH | O_DIRECTORY);

	return openat(dir, "mem", O_WRONLY);
}

static int open_by_struct(void)
{
	struct open_how how = { .flags = O_RDONLY };

	return (int)syscall(SYS_openat2, AT_FDCWD, "/proc/self/mem", &how, sizeof(how));
}

static int make_file(void)
{
	return open("/etc/erlbpf-test", O_RDONLY | O_CREAT, 0600);
}

static int make_nameless_file(void)
{
	return open("/tmp", O_RDWR | O_TMPFILE, 0600);
}

static int empty_file(void)
{
	return open("/proc/self/comm", O_RDONLY | O_TRUNC);
}

static int remove_file(void)
{
	return unlink("/etc/erlbpf-test");
}

static int read_memory(void)
{
	return open("/proc/self/mem", O_RDONLY);
}

static int list_processes(void)
{
	return open("/proc", O_RDONLY | O_DIRECTORY);
}

/* Other processes. */

static int write_process(void)
{
	char here = 0, there = 0;
	struct iovec local = { &here, 1 }, remote = { &there, 1 };

	return (int)process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
}

static int trace_process(void)
{
	return (int)ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
}

static int make_io_ring(void)
{
	return (int)syscall(SYS_io_uring_setup, 1, NULL);
}

static int signal_parent(void)
{
	return (int)syscall(SYS_tgkill, getppid(), getppid(), 0);
}

static int limit_parent(void)
{
	struct rlimit limit;

	return prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit);
}

static int limit_itself(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit);
}

static int type_into_terminal(void)
{
	return ioctl(0, TIOCSTI, "x");
}

/* Only whether it has ended yet. */
static int await_end(void)
{
	struct pollfd parent = { .fd = (int)syscall(SYS_pidfd_open, getppid(), 0), .events = POLLIN };

	return parent.fd < 0 ? parent.fd : poll(&parent, 1, 0);
}

static int end_by_handle(void)
{
	int fd = (int)syscall(SYS_pidfd_open, getppid(), 0);

	return fd < 0 ? 0 : (int)syscall(SYS_pidfd_send_signal, fd, SIGURG, NULL, 0);
}

/* Signals by way of the kernel. */

static int own_for_parent(void)
{
	return fcntl(0, F_SETOWN, getppid());
}

static int choose_signal(void)
{
	return fcntl(0, F_SETSIG, SIGKILL);
}

static int signal_when_ready(void)
{
	return fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_ASYNC);
}

static int become_nonblocking(void)
{
	return fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
}

/* Descriptors to others. */

static int pair_of_datagrams(void)
{
	int pair[2];

	return socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
}

static int pair_of_streams(void)
{
	int pair[2];

	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
}

static int make_datagram_socket(void)
{
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static int send_to_path(void)
{
	static const struct sockaddr_un path = { .sun_family = AF_UNIX, .sun_path = "/tmp/x" };

	return (int)sendto(-1, "", 1, 0, (const struct sockaddr *)&path, sizeof(path));
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
	{ "opening memory to write", write_memory, EPERM, 0 },
	{ "opening it through its folder", write_memory_by_handle, EPERM, 0 },
	{ "opening with flags that a filter cannot see", open_by_struct, EPERM, 0 },
	{ "making a file", make_file, EPERM, 0 },
	{ "making a file without a name", make_nameless_file, EPERM, 0 },
	{ "emptying a file", empty_file, EPERM, 0 },
	{ "removing a file", remove_file, EPERM, 0 },
	{ "writing to a process", write_process, 0, SIGSYS },
	{ "tracing a process", trace_process, 0, SIGSYS },
	{ "a ring that makes system calls", make_io_ring, 0, SIGSYS },
	{ "signalling another process", signal_parent, EPERM, 0 },
	{ "signalling it by its pidfd", end_by_handle, EPERM, 0 },
	{ "another process's limits", limit_parent, EPERM, 0 },
	{ "a signal to another process when a file is ready", own_for_parent, EPERM, 0 },
	{ "which signal that is", choose_signal, EPERM, 0 },
	{ "a signal when a file is ready", signal_when_ready, EPERM, 0 },
	{ "a pair of sockets that are no streams", pair_of_datagrams, EPERM, 0 },
	{ "a socket that is no stream", make_datagram_socket, EPERM, 0 },
	{ "sending to a path", send_to_path, EPERM, 0 },
	{ "typing for the user", type_into_terminal, EPERM, 0 },
	{ "not to wait for a file", become_nonblocking, 0, 0 },
	{ "a pair of streams", pair_of_streams, 0, 0 },
	{ "its own limits", limit_itself, 0, 0 },
	{ "whether a process lives", await_end, 0, 0 },
	{ "opening memory to read", read_memory, 0, 0 },
	{ "opening a folder", list_processes, 0, 0 },
	{ "a map of our own", make_map, 0, 0 },
	{ "a thread", make_thread, 0, 0 },
	{ "a file of /proc", read_own_status, 0, 0 },
};

static void act(int (*what)(void), enum agent_filter which)
{
	struct kernel kernel;

	kernel_detect(&kernel);
	if (privileges_drop(&kernel, which))
		_exit(255);
	errno = 0;
	_exit(what() < 0 ? errno : 0);
}

/* How a child ends that does it: with the error as its exit code, or 0. */
static int end_of(int (*what)(void), enum agent_filter which)
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
