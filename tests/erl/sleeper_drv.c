// SPDX-License-Identifier: BSD-2-Clause
/* A driver that sleeps for 30 ms whatever it is asked: see sleeper.erl. */
#include <erl_driver.h>
#include <time.h>

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 30000000 }, NULL);
}

static ErlDrvData start(ErlDrvPort port, char *command)
{
	return (ErlDrvData)port;
}

static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size)
{
	nap();
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned int command, char *bytes, ErlDrvSizeT size,
			    char **result, ErlDrvSizeT result_size)
{
	nap();
	return 0;
}

static char name[] = "sleeper_drv";

static ErlDrvEntry entry = {
	.driver_name = name,
	.start = start,
	.output = output,
	.control = control,
	.extended_marker = ERL_DRV_EXTENDED_MARKER,
	.major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
	.minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
	.driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING,
};

DRIVER_INIT(sleeper_drv)
{
	return &entry;
}
