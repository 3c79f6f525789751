// SPDX-License-Identifier: BSD-2-Clause
/*
 * A driver with every callback, each of which is provoked by a control command or a call, and says so: what is
 * sent to the port's owner is the name of the callback. See d_workload.erl.
 */
#define _GNU_SOURCE
#include <erl_driver.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum command { TIMEOUT = 1, WATCH, READ, WRITE, ASYNC, QUEUE };

struct state {
	ErlDrvPort port;
	int fds[2]; /* of a pipe; who is selected on is closed by stop_select() */
	int is_selected[2];
};

static int init(void)
{
	return 0;
}

static void finish(void)
{
}

static void say(struct state *state, const char *what)
{
	driver_output(state->port, (char *)(uintptr_t)what, strlen(what));
}

static ErlDrvData start(ErlDrvPort port, char *command)
{
	struct state *state = driver_alloc(sizeof(*state));

	memset(state, 0, sizeof(*state));
	state->port = port;
	if (pipe2(state->fds, O_NONBLOCK | O_CLOEXEC)) {
		driver_free(state);
		return ERL_DRV_ERROR_GENERAL;
	}
	return (ErlDrvData)state;
}

static void stop(ErlDrvData data)
{
	struct state *state = (struct state *)data;

	for (int i = 0; i < 2; i++)
		if (!state->is_selected[i])
			close(state->fds[i]);
	driver_free(state);
}

static void stop_select(ErlDrvEvent event, void *reserved)
{
	close((int)(intptr_t)event);
}

static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size)
{
	say((struct state *)data, "output");
}

static void watch(struct state *state)
{
	ErlDrvTermData caller = driver_caller(state->port);
	ErlDrvMonitor monitor;

	driver_monitor_process(state->port, caller, &monitor);
}

static void select_on(struct state *state, int end, int mode)
{
	state->is_selected[end] = 1;
	driver_select(state->port, (ErlDrvEvent)(intptr_t)state->fds[end], mode | ERL_DRV_USE, 1);
}

static void let_go(struct state *state, int end, int mode)
{
	driver_select(state->port, (ErlDrvEvent)(intptr_t)state->fds[end], mode | ERL_DRV_USE, 0);
}

static void nothing(void *job)
{
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned int command, char *bytes, ErlDrvSizeT size, char **result,
			    ErlDrvSizeT result_size)
{
	struct state *state = (struct state *)data;

	switch (command) {
	case TIMEOUT: driver_set_timer(state->port, 1); break;
	case WATCH: watch(state); break;
	case READ:
		if (write(state->fds[1], "x", 1) == 1)
			select_on(state, 0, ERL_DRV_READ);
		break;
	case WRITE: select_on(state, 1, ERL_DRV_WRITE); break;
	case ASYNC: driver_async(state->port, NULL, nothing, NULL, NULL); break;
	case QUEUE: driver_enq(state->port, (char[]){ "queued" }, 6); break;
	}
	return 0;
}

/* Gives back the term that it was given. */
static ErlDrvSSizeT call(ErlDrvData data, unsigned int command, char *bytes, ErlDrvSizeT size, char **result,
			 ErlDrvSizeT result_size, unsigned int *flags)
{
	if (size > result_size)
		*result = driver_alloc(size);
	memcpy(*result, bytes, size);
	return (ErlDrvSSizeT)size;
}

static void timeout(ErlDrvData data)
{
	say((struct state *)data, "timeout");
}

static void ready_input(ErlDrvData data, ErlDrvEvent event)
{
	struct state *state = (struct state *)data;

	let_go(state, 0, ERL_DRV_READ);
	say(state, "ready_input");
}

static void ready_output(ErlDrvData data, ErlDrvEvent event)
{
	struct state *state = (struct state *)data;

	let_go(state, 1, ERL_DRV_WRITE);
	say(state, "ready_output");
}

static void ready_async(ErlDrvData data, ErlDrvThreadData job)
{
	say((struct state *)data, "ready_async");
}

static void process_exit(ErlDrvData data, ErlDrvMonitor *monitor)
{
	say((struct state *)data, "process_exit");
}

static void flush(ErlDrvData data)
{
	struct state *state = (struct state *)data;

	driver_deq(state->port, driver_sizeq(state->port));
}

static char name[] = "known_drv";

static ErlDrvEntry entry = {
	.init = init,
	.finish = finish,
	.driver_name = name,
	.start = start,
	.stop = stop,
	.output = output,
	.control = control,
	.call = call,
	.timeout = timeout,
	.ready_input = ready_input,
	.ready_output = ready_output,
	.ready_async = ready_async,
	.process_exit = process_exit,
	.flush = flush,
	.stop_select = stop_select,
	.extended_marker = ERL_DRV_EXTENDED_MARKER,
	.major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
	.minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
	.driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING,
};

DRIVER_INIT(known_drv)
{
	return &entry;
}
