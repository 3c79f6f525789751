// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What do the callbacks of drivers cost? One case is one call. Callbacks are not told which port they
 * work for, but a scheduler keeps the address of its current port, and where it keeps it is known
 * from the first time on that the thread was seen to work for any.
 */
#include "drivers.h"
#include "operation.bpf.h"

/* struct _erl_drv_port (erl_port.h) and erts_driver_t (sys.h), the same in 25.2.3, 27.3.4.1 and 29.1.1. */
#define PORT_ID 0
#define PORT_CONNECTED 232
#define PORT_NAME 472
#define PORT_DRIVER 480
#define DRIVER_NAME 24

#define DRIVER_NAME_SIZE 64 /* half of what a name can have */
#define CALLBACK_SIZE 24

/* By the number that the probe tells: see translators.def. */
const volatile char callbacks[16][CALLBACK_SIZE] = {
	":start",	":stop",	 ":flush",	 ":output",	     ":outputv",
	":control",	":call",	 ":ready_input", ":ready_output",    ":timeout",
	":ready_async", ":process_exit", ":stop_select", ":emergency_close",
};

/* By thread: where it keeps the address of its port. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEASURE_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, u64);
} current_ports SEC(".maps");

static __always_inline u64 current_port(const struct erl_hit *hit)
{
	u32 thread = erl_thread(hit);
	u64 *at = bpf_map_lookup_elem(&current_ports, &thread);

	return at ? name_word(*at) : 0;
}

/* Drivers may share a callback, so which one it is for, the port says; 0 if that cannot be known. */
static __always_inline u64 name_of_callback(u64 port, u32 callback)
{
	u64 name = name_word(name_word(port + PORT_DRIVER) + DRIVER_NAME);
	struct name_text text = {};
	long size = bpf_probe_read_user_str(text.text, DRIVER_NAME_SIZE, (const void *)name);

	if (size <= 1 || size > DRIVER_NAME_SIZE)
		return 0;
	bpf_probe_read_kernel(text.text + size - 1, CALLBACK_SIZE, (const void *)callbacks[callback & 15]);
	return name_of_text(&text);
}

SEC("usdt/vm:driver-callback")
int driver_callback(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;
	u64 port, function = 0;

	if (!erl_enter(ctx, &hit))
		return 0;
	port = erl_arg(ctx, &hit, 1);
	if (!port)
		port = current_port(&hit);
	c = measure_case(&hit, port ? erl_id_of_term(name_word(port + PORT_CONNECTED)) : 0);
	if (!measure_wants(c.id))
		return 0;
	erl_count(&hit);
	if (port) {
		c.what = name_of_user_text(name_word(port + PORT_NAME));
		c.amounts[OPERATION_THING] = erl_id_of_term(name_word(port + PORT_ID));
		function = name_of_callback(port, erl_arg(ctx, &hit, 2));
	}
	if (!function)
		function = erl_id_of(ERL_ID_FUNCTION, hit.function);
	c.amounts[DRIVERS_FUNCTION] = function;
	measure_amount(ctx, &hit, &c, OPERATION_BYTES, 0);
	operation_done_as(&c, function);
	return 0;
}

SEC("usdt/vm:port-work")
int port_work(void *ctx)
{
	struct erl_hit hit;
	u64 at, *known;
	u32 thread;

	if (!erl_enter(ctx, &hit))
		return 0;
	erl_count(&hit);
	at = erl_arg(ctx, &hit, 0);
	thread = erl_thread(&hit);
	known = bpf_map_lookup_elem(&current_ports, &thread);
	if (!known || *known != at)
		bpf_map_update_elem(&current_ports, &thread, &at, BPF_ANY);
	return 0;
}
