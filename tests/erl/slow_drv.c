// SPDX-License-Identifier: BSD-2-Clause
/*
 * A driver that has the async pool sleep: each command is a job of so many milliseconds as its data says; or it opens
 * the pipe of that name, and so sleeps until somebody else does.
 */
#include <erl_driver.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ErlDrvData start(ErlDrvPort port, char *command)
{
	(void)command;
	return (ErlDrvData)port;
}

struct job {
	char text[256];
};

static void sleep_in_pool(void *data)
{
	const struct job *job = data;

	if (*job->text == '/')
		close(open(job->text, O_RDONLY));
	else
		usleep((useconds_t)atoi(job->text) * 1000);
}

static void output(ErlDrvData port, char *data, ErlDrvSizeT size)
{
	struct job *job = driver_alloc(sizeof(*job));

	memset(job, 0, sizeof(*job));
	memcpy(job->text, data, size < sizeof(job->text) ? size : sizeof(job->text) - 1);
	driver_async((ErlDrvPort)port, NULL, sleep_in_pool, job, driver_free);
}

static void ready_async(ErlDrvData port, ErlDrvThreadData job)
{
	driver_free(job);
	driver_output((ErlDrvPort)port, (char[]){ "done" }, 4);
}

static ErlDrvEntry entry = {
	.driver_name = (char[]){ "slow_drv" },
	.start = start,
	.output = output,
	.ready_async = ready_async,
	.extended_marker = ERL_DRV_EXTENDED_MARKER,
	.major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
	.minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
};

DRIVER_INIT(slow_drv)
{
	return &entry;
}
