// SPDX-License-Identifier: BSD-2-Clause
/* A NIF that starts threads, which end again. See passing.erl. */
#include <erl_nif.h>
#include <stddef.h>

#define TOGETHER 4

static void *run(void *data)
{
	return data;
}

static ERL_NIF_TERM threads(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	static char name[] = "passing";
	ErlNifTid tids[TOGETHER];
	int rounds;

	if (argc != 1 || !enif_get_int(env, argv[0], &rounds))
		return enif_make_badarg(env);
	for (int round = 0; round < rounds; round++) {
		int started = 0;

		while (started < TOGETHER && !enif_thread_create(name, &tids[started], run, NULL, NULL))
			started++;
		for (int i = 0; i < started; i++)
			enif_thread_join(tids[i], NULL);
	}
	return enif_make_int(env, rounds * TOGETHER);
}

static ErlNifFunc functions[] = {
	{ "threads", 1, threads, ERL_NIF_DIRTY_JOB_IO_BOUND },
};

ERL_NIF_INIT(passing, functions, NULL, NULL, NULL, NULL)
