// SPDX-License-Identifier: BSD-2-Clause
#include "base/process/privileges.h"

#include <errno.h>
#include <grp.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static cap_value_t last_capability(void)
{
	cap_value_t last = cap_max_bits();

	return last < 64 ? last : 64;
}

/* The system call itself: libcap allocates memory, and a failure would look like no capabilities. */
uint64_t privileges_held(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3] = {};

	return syscall(SYS_capget, &head, words) ? 0 : (uint64_t)words[1].effective << 32 | words[0].effective;
}

void privileges_raise(void)
{
	cap_t caps = cap_get_proc();
	cap_flag_value_t value;

	for (cap_value_t c = 0; caps && c < last_capability(); c++) {
		if (!cap_get_flag(caps, c, CAP_PERMITTED, &value) && value == CAP_SET)
			cap_set_flag(caps, CAP_EFFECTIVE, 1, &c, CAP_SET);
	}
	if (caps)
		cap_set_proc(caps);
	cap_free(caps);
}

/*
 * No account and no container uses IDs of 2^31 or more: systemd's UIDS-GIDS document excludes them because some
 * software cannot handle them. A process ID has 22 bits (PID_MAX_LIMIT). In a user namespace with fewer IDs, use one of
 * systemd's range for DynamicUser=.
 */
#define FIRST_UNUSED 0x80000000u
#define FIRST_DYNAMIC 61184u
#define DYNAMIC 4336u

static uid_t chosen_user;

void privileges_choose_user(void)
{
	chosen_user = (uid_t)getpid();
}

/* A change of user ID makes the effective capabilities only permitted, and clears the parent-death signal. */
int privileges_become(uid_t uid, gid_t gid)
{
	gid_t before = getegid();
	int death_signal = 0, err;

	prctl(PR_GET_PDEATHSIG, &death_signal);
	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) || setresgid(gid, gid, gid))
		return -errno;
	if (setresuid(uid, uid, uid)) {
		err = -errno;
		setresgid(before, before, before);
		return err;
	}
	prctl(PR_SET_PDEATHSIG, death_signal);
	privileges_raise();
	return 0;
}

void privileges_leave_root(void)
{
	uint64_t both = PRIVILEGE(CAP_SETUID) | PRIVILEGE(CAP_SETGID);
	uid_t unused = FIRST_UNUSED + chosen_user, dynamic = FIRST_DYNAMIC + chosen_user % DYNAMIC;

	if (geteuid() || (privileges_held() & both) != both)
		return;
	if (privileges_become(unused, unused))
		privileges_become(dynamic, dynamic);
}

static int set_capabilities(uint64_t kept)
{
	cap_t caps = cap_init();
	int err = caps ? 0 : -ENOMEM;

	for (cap_value_t c = 0; !err && c < last_capability(); c++) {
		if (kept & PRIVILEGE(c) && (cap_set_flag(caps, CAP_PERMITTED, 1, &c, CAP_SET) ||
					    cap_set_flag(caps, CAP_EFFECTIVE, 1, &c, CAP_SET)))
			err = -errno;
	}
	if (!err && cap_set_proc(caps))
		err = -errno;
	cap_free(caps);
	return err;
}

int privileges_keep(uint64_t wanted)
{
	uint64_t kept = privileges_held() & wanted;

	/* First, because it needs CAP_SETPCAP. */
	for (cap_value_t c = 0; c < last_capability(); c++)
		cap_drop_bound(c);
	cap_reset_ambient();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return set_capabilities(kept);
}
