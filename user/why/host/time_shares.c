// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel reports how long the thread of a scheduler ran, and how long it was ready to run without a CPU; samples of
 * the scheduler tell how often it had something to run. A thread without a CPU is delayed at work as often as
 * otherwise, so the same part of both ran. A thread that ran with nothing to run was busy-waiting, or balanced run
 * queues.
 *
 * The memory of the node does not tell whether Erlang code or a BIF or NIF runs. A process that does not yield for 20
 * ms of CPU time, and is not being collected, is in such a call, because Erlang code yields about every millisecond.
 */
#include "why/host/time_shares.h"

#define FULL 0.8    /* of the time with something to run; from there on, using the CPU delays others, too */
#define LEAST 0.05  /* of the time; less delays little */
#define WAITED 0.25 /* of the time, as in the rule cpu-wait: threads that wake up often always wait a little */

static double between(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

struct sign_time_shares time_shares_split(const struct scheduler_measures *m, double throttled)
{
	double ran = between(m->has_thread ? m->ran : m->busy - m->blocked, 0, 1);
	double waited = m->has_thread ? between(m->waited, 0, 1 - ran) : 0, awake = ran + waited;
	double blocked = between(m->blocked, 0, 1 - awake);
	double part = awake > 0 ? ran / awake : 0, work = between(m->busy - blocked, 0, awake) * part;
	struct sign_time_shares s = {
		.blocked = blocked,
		.asleep = 1 - awake - blocked,
		.busy_wait = ran - work,
		.throttled = waited * between(throttled, 0, 1),
	};

	s.cpu_wait = waited - s.throttled;
	s.collecting = m->busy > 0 ? work * between(m->collecting / m->busy, 0, 1) : 0;
	s.ports = m->busy > 0 ? between(work * m->ports / m->busy, 0, work - s.collecting) : 0;
	s.long_calls = between(m->long_calls, 0, work - s.collecting - s.ports);
	s.code = work - s.collecting - s.ports - s.long_calls;
	return s;
}

struct sign_time_shares time_shares_mean(const struct sign_time_shares *all, size_t count)
{
	struct sign_time_shares sum = {};

	for (size_t i = 0; i < count; i++) {
		sum.code += all[i].code / (double)count;
		sum.long_calls += all[i].long_calls / (double)count;
		sum.ports += all[i].ports / (double)count;
		sum.collecting += all[i].collecting / (double)count;
		sum.busy_wait += all[i].busy_wait / (double)count;
		sum.blocked += all[i].blocked / (double)count;
		sum.asleep += all[i].asleep / (double)count;
		sum.cpu_wait += all[i].cpu_wait / (double)count;
		sum.throttled += all[i].throttled / (double)count;
	}
	return sum;
}

enum fault time_shares_fault(const struct sign_time_shares *s)
{
	double code = s->code + s->long_calls + s->ports;
	bool is_full = code + s->collecting + s->blocked + s->cpu_wait + s->throttled >= FULL;
	double late[FAULTS] = {
		[FAULT_NONE] = LEAST,
		[FAULT_CODE] = is_full ? code : 0,
		[FAULT_COLLECTOR] = is_full ? s->collecting : 0,
		[FAULT_BLOCKED] = s->blocked,
		[FAULT_MACHINE] = s->cpu_wait >= WAITED ? s->cpu_wait : 0,
		[FAULT_GROUP] = s->throttled,
	};
	enum fault most = FAULT_NONE;

	for (enum fault fault = FAULT_NONE; fault < FAULTS; fault++)
		most = late[fault] > late[most] ? fault : most;
	return most;
}

const char *time_shares_fault_word(enum fault fault)
{
	static const char *const words[FAULTS] = { "none", "code", "collector", "blocked", "machine", "cgroup" };

	return words[fault];
}

const char *time_shares_fault_text(enum fault fault)
{
	static const char *const texts[FAULTS] = {
		[FAULT_NONE] = "they have time left",
		[FAULT_CODE] = "messages are late because of the node's own code: it keeps them full",
		[FAULT_COLLECTOR] = "messages are late because of garbage collection, which takes more than the code",
		[FAULT_BLOCKED] = "messages are late because schedulers sleep in locks or in the kernel",
		[FAULT_MACHINE] = "messages are late because of the machine: other programs have the CPUs",
		[FAULT_GROUP] = "messages are late because of the control group, which throttles the node",
	};

	return texts[fault];
}
