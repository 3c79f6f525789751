// SPDX-License-Identifier: BSD-2-Clause
#include "base/process/thread.h"

#include <pthread.h>

#define STACK_SIZE (64 << 10)

int thread_start(void *(*run)(void *), void *data)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	err = pthread_create(&thread, &attr, run, data);
	pthread_attr_destroy(&attr);
	return err;
}
