// SPDX-License-Identifier: BSD-2-Clause
#include "trace/command_signal.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process/privileges.h"

static int32_t send_signal(int pidfd, int32_t number)
{
	if (number != SIGTERM && number != SIGKILL)
		return -EINVAL;
	return syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0) ? -errno : 0;
}

/* Where the kernel cannot limit us, it works all the same. */
static void give_up(void)
{
	privileges_leave_root();
	/* The command may be another user, or become one. */
	if (!privileges_keep(PRIVILEGE(CAP_KILL)))
		privileges_filter(ROLE_SIGNAL);
}

static void run(int fd)
{
	int32_t number, answer = 0;
	int pidfd, err = side_receive(fd, &number, sizeof(number), &pidfd, 1);

	give_up();
	while (!err) {
		err = side_receive(fd, &number, sizeof(number), NULL, 0);
		if (!err)
			answer = send_signal(pidfd, number);
		if (!err)
			err = side_send(fd, &answer, sizeof(answer), NULL, 0);
	}
}

int command_signal_start(struct side_process *command_signal, int pidfd)
{
	const int32_t none = 0;
	int err = side_process_start(command_signal, "bpf-signal", run);

	if (err)
		return err;
	err = side_send(command_signal->fd, &none, sizeof(none), &pidfd, 1);
	if (err)
		side_process_end(command_signal);
	return err;
}

int command_signal_send(const struct side_process *command_signal, int number)
{
	int32_t wish = number, answer;
	int err = side_send(command_signal->fd, &wish, sizeof(wish), NULL, 0);

	if (!err)
		err = side_receive(command_signal->fd, &answer, sizeof(answer), NULL, 0);
	return err ? err : answer;
}
