// SPDX-License-Identifier: BSD-2-Clause
/* NIFs that keep their scheduler: they sleep or work, as badly written ones do; and one that sends. See sleeper.erl. */
#include <erl_nif.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static ERL_NIF_TERM sleep_ms(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	struct timespec time = {};
	long ms;

	if (argc != 1 || !enif_get_long(env, argv[0], &ms) || ms < 0)
		return enif_make_badarg(env);
	time.tv_sec = ms / 1000;
	time.tv_nsec = ms % 1000 * 1000000;
	nanosleep(&time, NULL);
	return enif_make_atom(env, "ok");
}

/* So much processor time. */
static ERL_NIF_TERM burn_ms(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	struct timespec first, now;
	long ms;

	if (argc != 1 || !enif_get_long(env, argv[0], &ms) || ms < 0)
		return enif_make_badarg(env);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &first);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - first.tv_sec) * 1000 + (now.tv_nsec - first.tv_nsec) / 1000000 < ms);
	return enif_make_atom(env, "ok");
}

static ERL_NIF_TERM now_ns(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return enif_make_int64(env, now.tv_sec * 1000000000L + now.tv_nsec);
}

/* Sends the process so many messages. */
static ERL_NIF_TERM tell(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	ErlNifPid to;
	long times;

	if (argc != 2 || !enif_get_local_pid(env, argv[0], &to) || !enif_get_long(env, argv[1], &times))
		return enif_make_badarg(env);
	for (long i = 0; i < times; i++)
		enif_send(env, &to, NULL, enif_make_atom(env, "told"));
	return enif_make_atom(env, "ok");
}

/* From a named pipe that somebody writes to, or will. */
static ERL_NIF_TERM reads(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	char path[4096], bytes[64];
	long count, got;
	int fd;

	if (argc != 2 || enif_get_string(env, argv[0], path, sizeof(path), ERL_NIF_LATIN1) <= 0 ||
	    !enif_get_long(env, argv[1], &count) || count < 0 || count > (long)sizeof(bytes))
		return enif_make_badarg(env);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = read(fd, bytes, count);
	close(fd);
	return enif_make_long(env, got);
}

static ErlNifFunc functions[] = {
	{ "now_ns", 0, now_ns, 0 },
	{ "nap", 1, sleep_ms, 0 },
	{ "tell", 2, tell, 0 },
	{ "dirty_nap", 1, sleep_ms, ERL_NIF_DIRTY_JOB_IO_BOUND },
	{ "reads", 2, reads, 0 },
	{ "burn", 1, burn_ms, 0 },
	{ "dirty_burn", 1, burn_ms, ERL_NIF_DIRTY_JOB_CPU_BOUND },
};

ERL_NIF_INIT(sleeper, functions, NULL, NULL, NULL, NULL)
