// SPDX-License-Identifier: BSD-2-Clause
/* A driver that has the async pool sleep: each command is a job of so many milliseconds as its data says. */
#include <erl_driver.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ErlDrvData start(ErlDrvPort port, char *command)
{
	(void)command;
	return (ErlDrvData)port;
}

static void sleep_in_pool(void *job)
{
	usleep(*(useconds_t *)job * 1000);
}

static void output(ErlDrvData port, char *data, ErlDrvSizeT size)
{
	useconds_t *job = driver_alloc(sizeof(*job));
	char text[16] = {};

	memcpy(text, data, size < sizeof(text) ? size : sizeof(text) - 1);
	*job = (useconds_t)atoi(text);
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
