// SPDX-License-Identifier: BSD-2-Clause
#include "load/guardian/guardian.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/process/side_process.h"
#include "base/process/yield.h"
#include "load/guardian/guardian_task.h"

#define PATIENCE_MS 3000

static struct side_process guardian = { .fd = -1 };
static bool is_lost;

static void end(void)
{
	side_process_end(&guardian);
}

int guardian_start(void)
{
	int err;

	if (guardian.fd >= 0)
		return 0;
	err = side_process_start(&guardian, GUARDIAN_NAME, guardian_run);
	/* Whichever way out we take: who waits for our end finds no probe. */
	if (!err && atexit(end))
		err = -ENOMEM;
	if (err)
		pr_err("cannot start the process that holds the probes: %s", strerror(-err));
	return err;
}

int guardian_fd(void)
{
	return guardian.fd;
}

pid_t guardian_pid(void)
{
	return guardian.fd >= 0 ? guardian.pid : 0;
}

bool guardian_is_lost(void)
{
	return is_lost;
}

int guardian_answer(void)
{
	int32_t answer;
	int err;

	yield_wait(guardian.fd, -1);
	err = side_receive(guardian.fd, &answer, sizeof(answer), NULL, 0);
	return err ? err : answer;
}

/* In one message, since each one wakes the guardian. */
static int send_sites(const struct guardian_request *request, const struct kernel_sites *sites, const int fds[2])
{
	size_t n = sites->count, size = sizeof(*request) + 3 * n * sizeof(uint64_t);
	_cleanup_free_ struct guardian_request *message = malloc(size);
	uint64_t *words;

	if (!message)
		return -ENOMEM;
	words = (uint64_t *)(message + 1);
	*message = *request;
	memcpy(words, sites->offsets, n * sizeof(*words));
	memcpy(words + n, sites->semaphores, n * sizeof(*words));
	memcpy(words + 2 * n, sites->cookies, n * sizeof(*words));
	return side_send(guardian.fd, message, size, fds, 2);
}

int guardian_ask_link(int program, const struct kernel_sites *sites, enum kernel_attach how)
{
	struct guardian_request request = {
		.wish = GUARDIAN_LINK,
		.count = (uint32_t)sites->count,
		.pid = sites->pid,
		.how = how,
		.at_return = sites->at_return,
	};
	int fds[] = { program, sites->file };

	return sites->count > GUARDIAN_MAX_SITES ? -E2BIG : send_sites(&request, sites, fds);
}

int guardian_link(int program, const struct kernel_sites *sites, enum kernel_attach how)
{
	int err = guardian_ask_link(program, sites, how);

	return err ? err : guardian_answer();
}

/* Where each site is a link, the kernel needs up to 0.1 s for each. */
static int wait_for_answer(void)
{
	if (!yield_wait(guardian.fd, PATIENCE_MS))
		pr_info("Removing the probes takes long on this kernel. Please wait.");
	return guardian_answer();
}

void guardian_unlink(const int *numbers, size_t count)
{
	struct guardian_request request = { .wish = GUARDIAN_UNLINK, .count = (uint32_t)count };

	if (!count)
		return;
	/* Where the guardian is gone, so are the probes. */
	if (side_send(guardian.fd, &request, sizeof(request), NULL, 0) ||
	    side_send(guardian.fd, numbers, count * sizeof(*numbers), NULL, 0) || wait_for_answer() < 0)
		is_lost = true;
}
