// SPDX-License-Identifier: BSD-2-Clause
#include "syscall_conditions.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#define ALL UINT32_MAX
#define OPENS (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
#define VALUE(call, argument, value)                                                                                   \
	{                                                                                                              \
		call, argument, ALL, (uint32_t)(value), #value                                                         \
	}

/* Names for what the text is read by; what is not here is in numbers. */
static const struct {
	const char *call;
	unsigned int argument;
	uint32_t mask, value;
	const char *text;
} known[] = {
	VALUE("fcntl", 1, F_DUPFD),
	VALUE("fcntl", 1, F_DUPFD_CLOEXEC),
	VALUE("fcntl", 1, F_GETFD),
	VALUE("fcntl", 1, F_SETFD),
	VALUE("fcntl", 1, F_GETFL),
	VALUE("fcntl", 1, F_SETFL),
	VALUE("fcntl", 1, F_ADD_SEALS),
	{ "fcntl", 2, O_ASYNC, 0, "without O_ASYNC" },
	VALUE("ioctl", 1, FIONREAD),
	VALUE("ioctl", 1, FIONBIO),
	VALUE("ioctl", 1, TCGETS),
	VALUE("ioctl", 1, TIOCGWINSZ),
	VALUE("ioctl", 1, TCSETS),
	VALUE("ioctl", 1, TCSETSW),
	VALUE("ioctl", 1, TCSETSF),
	VALUE("ioctl", 1, TCFLSH),
	VALUE("ioctl", 1, TIOCGPGRP),
	VALUE("prctl", 0, PR_SET_NAME),
	VALUE("prctl", 0, PR_SET_PDEATHSIG),
	VALUE("prctl", 0, PR_SET_NO_NEW_PRIVS),
#ifdef PR_SET_VMA
	VALUE("prctl", 0, PR_SET_VMA),
#endif
	VALUE("bpf", 0, BPF_MAP_LOOKUP_ELEM),
	VALUE("bpf", 0, BPF_MAP_UPDATE_ELEM),
	VALUE("bpf", 0, BPF_MAP_DELETE_ELEM),
	VALUE("bpf", 0, BPF_MAP_GET_NEXT_KEY),
	VALUE("bpf", 0, BPF_MAP_LOOKUP_AND_DELETE_ELEM),
	VALUE("bpf", 0, BPF_MAP_LOOKUP_BATCH),
	VALUE("bpf", 0, BPF_MAP_LOOKUP_AND_DELETE_BATCH),
	VALUE("bpf", 0, BPF_MAP_UPDATE_BATCH),
	VALUE("bpf", 0, BPF_MAP_DELETE_BATCH),
	VALUE("bpf", 0, BPF_PROG_TEST_RUN),
	VALUE("bpf", 0, BPF_OBJ_GET_INFO_BY_FD),
	VALUE("bpf", 0, BPF_MAP_CREATE),
	VALUE("bpf", 0, BPF_MAP_FREEZE),
	VALUE("bpf", 0, BPF_PROG_LOAD),
	VALUE("bpf", 0, BPF_PROG_BIND_MAP),
	VALUE("bpf", 0, BPF_RAW_TRACEPOINT_OPEN),
	VALUE("bpf", 0, BPF_LINK_CREATE),
	VALUE("bpf", 0, BPF_BTF_LOAD),
	VALUE("bpf", 0, BPF_ENABLE_STATS),
	VALUE("bpf", 0, BPF_BTF_GET_NEXT_ID),
	VALUE("bpf", 0, BPF_BTF_GET_FD_BY_ID),
	VALUE("seccomp", 0, SECCOMP_SET_MODE_FILTER),
	{ "seccomp", 1, SECCOMP_FILTER_FLAG_NEW_LISTENER, 0, "without NEW_LISTENER" },
	VALUE("pidfd_send_signal", 1, SIGTERM),
	VALUE("pidfd_send_signal", 1, SIGKILL),
	VALUE("socket", 0, AF_INET),
	VALUE("socket", 0, AF_INET6),
	VALUE("socket", 0, AF_NETLINK),
	{ "socket", 1, 0xf, SOCK_STREAM, "SOCK_STREAM" },
	{ "socket", 1, 0xf, SOCK_DGRAM, "SOCK_DGRAM" },
	{ "socket", 1, 0xf, SOCK_RAW, "SOCK_RAW" },
	{ "socket", 2, ALL, 0, "protocol 0" },
	VALUE("socket", 2, IPPROTO_TCP),
	VALUE("socket", 2, IPPROTO_UDP),
	VALUE("socketpair", 0, AF_UNIX),
	{ "socketpair", 1, 0xf, SOCK_STREAM, "SOCK_STREAM" },
	VALUE("setsockopt", 1, SOL_SOCKET),
	VALUE("setsockopt", 1, SOL_IP),
	VALUE("setsockopt", 1, SOL_TCP),
	VALUE("setsockopt", 1, SOL_IPV6),
	{ "mmap", 2, PROT_EXEC, 0, "without PROT_EXEC" },
	{ "mmap", 2, PROT_WRITE, 0, "without PROT_WRITE" },
	{ "mmap", 3, MAP_TYPE | MAP_ANONYMOUS, MAP_PRIVATE, "MAP_PRIVATE of a file" },
	{ "mprotect", 2, PROT_EXEC, 0, "without PROT_EXEC" },
	{ "open", 1, OPENS, O_RDONLY, "only to read" },
	{ "openat", 2, OPENS, O_RDONLY, "only to read" },
	{ "clone", 0, ALL, SIGCHLD | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID, "of fork(3)" },
	{ "clone", 0, ALL ^ CLONE_DETACHED,
	  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS |
		  CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
	  "of pthread_create(3)" },
	{ "sendto", 4, ALL, 0, "without an address" },
	{ "sendto", 5, ALL, 12, "to an address of the size of netlink's" },
	{ "prlimit64", 0, ALL, 0, "of itself" },
};

static void add(char *text, size_t room, const char *more)
{
	size_t length = strlen(text);

	snprintf(text + length, room - length, "%s%s", length ? ", " : "", more);
}

static bool is_equality(const struct condition *c)
{
	return c->is && BPF_OP(c->op) == BPF_JEQ;
}

/* What inequalities of a half say, an equality of it says better. */
static bool is_said(const struct way *way, const struct condition *c)
{
	for (size_t i = 0; i < way->count; i++) {
		if (is_equality(&way->all[i]) && way->all[i].word == c->word)
			return true;
	}
	return false;
}

static void describe(const char *call, const struct condition *c, pid_t pid, char *text, size_t room)
{
	static const char *const operators[2][2] = { { "!=", "==" }, { "of none of", "of some of" } };
	unsigned int argument = c->word / 2;
	bool is_low = c->word % 2 == 0;

	for (size_t i = 0; is_low && is_equality(c) && i < sizeof(known) / sizeof(*known); i++) {
		if (known[i].argument == argument && known[i].mask == c->mask && known[i].value == c->value &&
		    !strcmp(known[i].call, call)) {
			snprintf(text, room, "%s", known[i].text);
			return;
		}
	}
	if (is_low && is_equality(c) && c->value == (uint32_t)pid && (!strcmp(call, "kill") || !strcmp(call, "tgkill")))
		snprintf(text, room, "of itself");
	else
		snprintf(text, room, "argument %u%s & %#x %s %#x", argument, is_low ? "" : " above 32 bits", c->mask,
			 operators[BPF_OP(c->op) == BPF_JSET][c->is], c->value);
}

/* The upper half, where the argument is not an int. */
static bool is_plain(const struct condition *c)
{
	return c->word % 2 && is_equality(c) && !c->value;
}

void way_text(const char *call, const struct way *way, pid_t pid, char *text, size_t room)
{
	char all[512] = "", one[128];

	for (size_t i = 0; i < way->count; i++) {
		const struct condition *c = &way->all[i];

		if (!is_equality(c) && is_said(way, c))
			continue;
		if (is_plain(c))
			snprintf(one, sizeof(one), "all 64 bits");
		else
			describe(call, c, pid, one, sizeof(one));
		add(all, sizeof(all), one);
	}
	if (way->action == SECCOMP_RET_ALLOW)
		snprintf(text, room, "%s %s", call, all);
	else if ((way->action & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO)
		snprintf(text, room, "%s%s%s: %s", call, *all ? " " : "", all,
			 strerrorname_np((int)(way->action & SECCOMP_RET_DATA)));
	else
		snprintf(text, room, "%s %s: action %#x", call, all, way->action);
}
