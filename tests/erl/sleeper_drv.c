// SPDX-License-Identifier: BSD-2-Clause
/* A driver that sleeps for 30 ms whatever it is asked, but for one thing: see sleeper.erl. */
#include <erl_driver.h>
#include <string.h>
#include <time.h>

static void nap(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static ErlDrvData start(ErlDrvPort port, char *command)
{
	return (ErlDrvData)port;
}

/* Eight bytes are when it was sent: how long that took is what it answers, and then it sleeps for 1 ms. */
static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size)
{
	struct timespec now;
	long sent_ns, took_ns;

	if (size != sizeof(sent_ns)) {
		nap(30);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	memcpy(&sent_ns, bytes, sizeof(sent_ns));
	took_ns = now.tv_sec * 1000000000L + now.tv_nsec - sent_ns;
	driver_output((ErlDrvPort)data, (char *)&took_ns, sizeof(took_ns));
	nap(1);
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned int command, char *bytes, ErlDrvSizeT size, char **result,
			    ErlDrvSizeT result_size)
{
	nap(30);
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
