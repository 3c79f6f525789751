// SPDX-License-Identifier: BSD-2-Clause
/*
 * A timer interrupts each write: what is under a descriptor that others use, too, must not be made non-blocking, and
 * a terminal that has room takes a part of a write and then waits.
 */
#include "base/patient.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"

/* Of Linux: the thread that gets the signal. Older C libraries have no name for it. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct patient {
	FILE *stream;
	int fd, error; /* -errno of the first write that failed */
	patient_work *meanwhile;
	void *data;
	timer_t timer;
	bool has_timer, owns_fd;
};

static void interrupt(int signal)
{
	(void)signal;
}

/* Without SA_RESTART: the call that it comes in ends. */
static int heed_alarm(void)
{
	struct sigaction action = { .sa_handler = interrupt };
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	return sigaction(SIGALRM, &action, NULL) ? errno : pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
}

static int start_timer(struct patient *patient)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };
	int err = heed_alarm();

	event.sigev_notify_thread_id = gettid();
	if (!err && timer_create(CLOCK_MONOTONIC, &event, &patient->timer))
		err = errno;
	patient->has_timer = !err;
	return err;
}

static void ring(const struct patient *patient, long every_ns)
{
	const struct itimerspec when = { { .tv_nsec = every_ns }, { .tv_nsec = every_ns } };

	if (patient->has_timer)
		timer_settime(patient->timer, 0, &when, NULL);
}

/* Bytes, or -errno. The timer rings again and again: the first time may be before the call begins. */
static ssize_t write_for_a_while(const struct patient *patient, const char *text, size_t size)
{
	ssize_t written;

	ring(patient, PATIENT_MS * NS_PER_MS);
	written = write(patient->fd, text, size);
	if (written < 0)
		written = -errno;
	ring(patient, 0);
	return written;
}

/* For fopencookie(3). */
static ssize_t write_all(void *cookie, const char *text, size_t size)
{
	struct patient *patient = cookie;
	size_t done = 0;

	while (done < size) {
		ssize_t written = write_for_a_while(patient, text + done, size - done);

		if (written < 0 && written != -EINTR) {
			patient->error = patient->error ? patient->error : (int)written;
			break;
		}
		done += written > 0 ? (size_t)written : 0;
		if (done < size && patient->meanwhile)
			patient->meanwhile(patient->data);
	}
	return (ssize_t)done;
}

static int open_stream(struct patient *patient)
{
	patient->stream = fopencookie(patient, "w", (cookie_io_functions_t){ .write = write_all });
	if (!patient->stream)
		return errno;
	setvbuf(patient->stream, NULL, isatty(patient->fd) == 1 ? _IOLBF : _IOFBF, BUFSIZ);
	return start_timer(patient);
}

struct patient *patient_new(int fd, patient_work *meanwhile, void *data)
{
	struct patient *patient = calloc(1, sizeof(*patient));
	int err;

	if (!patient)
		return NULL;
	*patient = (struct patient){ .fd = fd, .meanwhile = meanwhile, .data = data };
	err = open_stream(patient);
	if (err) {
		patient_free(patient);
		errno = err;
		return NULL;
	}
	return patient;
}

struct patient *patient_open(const char *path, int flags, patient_work *meanwhile, void *data)
{
	_cleanup_close_ int fd = -1;
	struct patient *patient;

	if (!path) {
		fflush(stdout);
		return patient_new(STDOUT_FILENO, meanwhile, data);
	}
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
	if (fd < 0)
		return NULL;
	patient = patient_new(fd, meanwhile, data);
	if (!patient)
		return NULL;
	patient->owns_fd = true;
	fd = -1;
	return patient;
}

FILE *patient_stream(const struct patient *patient)
{
	return patient->stream;
}

int patient_fd(const struct patient *patient)
{
	return patient->fd;
}

int patient_flush(struct patient *patient)
{
	if (fflush(patient->stream) && !patient->error)
		patient->error = -errno;
	return patient->error;
}

void patient_free(struct patient *patient)
{
	if (!patient)
		return;
	if (patient->stream)
		fclose(patient->stream);
	if (patient->has_timer)
		timer_delete(patient->timer);
	if (patient->owns_fd)
		close(patient->fd);
	free(patient);
}
