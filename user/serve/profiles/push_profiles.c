// SPDX-License-Identifier: BSD-2-Clause
/*
 * A minute comes from the sampling process (profile_hour.h) through a descriptor in the loop and goes to the sender's
 * thread. Only one is kept here: the process keeps an hour of them.
 */
#include "serve/profiles/push_profiles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/log.h"
#include "base/text.h"
#include "serve/metrics/otlp.h"
#include "serve/profiles/profile_answer.h"
#include "serve/http/sender.h"

#define ALONE_NS (3600 * NS_PER_S) /* pause after a receiver did not support profiles */
#define FIRST_STATUS 100	   /* kinds of failures below are the library's */

enum outcome { OK, FAILED, REFUSED, OUTCOMES };

struct push_profiles {
	struct profile_hour *hour;
	struct event_loop *waiting;
	struct sender *sender;
	int fd; /* of the minute being read; -1: none */
	struct profile_answer_reading minute;
	uint64_t sending; /* number of the one being sent */
	uint64_t done;	  /* of the last one that arrived or was dropped */
	uint64_t next_ns; /* nothing is sent before */
	bool takes_none;  /* as reported by the receiver, and as printed */
	int kind;	  /* of the last failure that was printed; 0: works */

	uint64_t outcomes[OUTCOMES];
	double lost, sent_bytes;
	uint64_t ok_ns; /* when the last one arrived, since 1970; 0: never */
};

struct push_profiles *push_profiles_new(const struct push_options *options, struct profile_hour *hour,
					struct event_loop *waiting)
{
	struct push_profiles *push = calloc(1, sizeof(*push));

	if (!push)
		return NULL;
	push->hour = hour;
	push->waiting = waiting;
	push->fd = -1;
	push->sender = sender_new(options->profiles_url, OTLP_TYPE, &options->headers);
	if (push->sender)
		return push;
	push_profiles_free(push);
	return NULL;
}

int push_profiles_start(struct push_profiles *push)
{
	return sender_start(push->sender);
}

/* A failed minute is sent again after 30 s. */
static uint64_t again_ns(void)
{
	return profile_hour_slice_ns() / 2;
}

static void stop_reading(struct push_profiles *push)
{
	if (push->fd >= 0) {
		event_loop_remove(push->waiting, push->fd);
		close(push->fd);
	}
	push->fd = -1;
	free(push->minute.body);
	push->minute = (struct profile_answer_reading){};
}

void push_profiles_free(struct push_profiles *push)
{
	if (!push)
		return;
	stop_reading(push);
	sender_free(push->sender);
	free(push);
}

/* --- What became of a minute ------------------------------------------------------------------------------------- */

/* The next minute follows it. */
static void leave(struct push_profiles *push, uint64_t number)
{
	if (number > push->done)
		push->done = number;
}

/* True if the receiver does not support profiles. */
static bool takes_no_profiles(int kind)
{
	return kind == 404 || kind == 405 || kind == 415 || kind == 501;
}

/* In OTLP, other client errors mean that repeating does not help. */
static bool is_worth_again(int kind)
{
	return kind < FIRST_STATUS || kind == 408 || kind == 429 || kind >= 500;
}

static void give_up_receiver(struct push_profiles *push, const struct post_answer *answer, uint64_t now_ns)
{
	push->outcomes[REFUSED]++;
	push->next_ns = now_ns + ALONE_NS;
	push->kind = 0;
	if (!push->takes_none)
		pr_info("The receiver does not take profiles (HTTP status %d); they are not pushed.", answer->kind);
	push->takes_none = true;
}

static void tell_failure(struct push_profiles *push, const struct post_answer *answer)
{
	if (answer->kind == push->kind)
		return;
	push->kind = answer->kind;
	pr_warn("push of profiles failed: %s%s", answer->why,
		is_worth_again(answer->kind) ? "; they are sent again, for an hour" : "");
}

static void fail(struct push_profiles *push, const struct post_answer *answer, uint64_t now_ns)
{
	uint64_t wait_ns = answer->wait_s * NS_PER_S;

	push->outcomes[FAILED]++;
	tell_failure(push, answer);
	if (!is_worth_again(answer->kind)) {
		push->lost++;
		leave(push, push->sending);
	}
	push->next_ns = now_ns + (wait_ns > again_ns() ? wait_ns : again_ns());
}

static void arrive(struct push_profiles *push, const struct post_answer *answer, uint64_t now_ns)
{
	struct otlp_refusal refusal;
	_cleanup_free_ char *why = NULL;

	push->outcomes[OK]++;
	push->ok_ns = now_ns + duration_wall_offset();
	if (push->kind || push->takes_none)
		pr_info("Pushing profiles works again.");
	push->kind = 0;
	push->takes_none = false;
	leave(push, push->sending);
	otlp_read_answer(answer->body, answer->size, &refusal);
	if (!refusal.points)
		return;
	push->lost++;
	why = text_for_terminal(refusal.why[0] ? refusal.why : "no reason given");
	pr_warn("the receiver rejected %llu profiles: %s", (unsigned long long)refusal.points, why ? why : "");
}

static void take_answer(struct push_profiles *push, const struct post_answer *answer)
{
	uint64_t now_ns = duration_now();

	push->sent_bytes += (double)answer->sent;
	if (answer->is_ok)
		arrive(push, answer, now_ns);
	else if (takes_no_profiles(answer->kind))
		give_up_receiver(push, answer, now_ns);
	else
		fail(push, answer, now_ns);
}

/* --- A minute that comes ----------------------------------------------------------------------------------------- */

/* Minutes that expired unsent. Minutes without samples have numbers, too. */
static void count_forgotten(struct push_profiles *push)
{
	const struct profile_hour_state state = profile_hour_state(push->hour);
	uint64_t forgotten = state.whole + 1 > state.slices ? state.whole + 1 - state.slices : 0;

	if (forgotten > push->done)
		push->lost += (double)(forgotten - push->done);
	leave(push, forgotten);
}

static void send_minute(struct push_profiles *push)
{
	struct profile_answer_reading *minute = &push->minute;

	count_forgotten(push);
	push->sending = minute->head.number;
	sender_send(push->sender, (uint8_t *)minute->body, minute->head.size);
	minute->body = NULL;
}

static void on_minute(void *data, uint64_t times)
{
	struct push_profiles *push = data;
	const struct profile_answer_head *head = &push->minute.head;
	int state = profile_answer_take(&push->minute, push->fd);

	(void)times;
	if (!state)
		return;
	if (state > 0 && head->status == 200) {
		send_minute(push);
	} else if (state > 0) {
		if (head->status != 204) {
			pr_warn("%s", push->minute.body);
			push->lost++;
		}
		leave(push, head->number);
	} else {
		push->next_ns = duration_now() + again_ns();
	}
	stop_reading(push);
}

static void ask(struct push_profiles *push)
{
	const struct profile_hour_ask wanted = { .wants_next = true, .after = push->done };
	int err;

	push->fd = profile_hour_ask(push->hour, &wanted);
	err = push->fd < 0 ? push->fd : event_loop_add(push->waiting, push->fd, on_minute, push);
	if (!err)
		return;
	if (push->fd >= 0)
		close(push->fd);
	push->fd = -1;
	push->next_ns = duration_now() + again_ns();
}

void push_profiles_tick(struct push_profiles *push)
{
	const struct post_answer *answer = sender_take(push->sender);

	if (answer)
		take_answer(push, answer);
	if (push->fd < 0 && sender_is_idle(push->sender) && duration_now() >= push->next_ns &&
	    profile_hour_state(push->hour).whole > push->done && !profile_hour_is_lost(push->hour))
		ask(push);
}

/* --- Metrics ----------------------------------------------------------------------------------------------------- */

static struct metric_family *counter(struct metrics *metrics, const char *name, const char *help, enum metric_unit unit)
{
	return metrics_family(metrics, name, help, METRIC_COUNTER, unit, 1);
}

void push_profiles_tell(const struct push_profiles *push, struct metrics *metrics)
{
	static const char *const names[OUTCOMES] = { "ok", "failed", "refused" };
	struct metric_family *pushes = counter(
		metrics, "erlbpf_otlp_profile_pushes",
		"Pushes of a minute of profiles by result. Refused: the receiver does not take profiles.", UNIT_NONE);

	for (int i = 0; i < OUTCOMES; i++) {
		struct metric_label label = { "result", names[i] };

		metrics_tell(metrics, pushes, &label, (double)push->outcomes[i]);
	}
	metrics_tell(
		metrics,
		counter(metrics, "erlbpf_otlp_profile_lost_minutes",
			"Minutes of profiles that are not pushed any more: rejected, too large, or kept no longer.",
			UNIT_NONE),
		NULL, push->lost);
	metrics_tell(metrics,
		     counter(metrics, "erlbpf_otlp_profile_sent_bytes",
			     "Bytes of compressed profiles sent, including failed pushes.", UNIT_BYTES),
		     NULL, push->sent_bytes);
	if (push->ok_ns)
		metrics_tell(metrics,
			     metrics_family(metrics, "erlbpf_otlp_profile_last_success_timestamp_seconds",
					    "Time of the last successful push of profiles.", METRIC_GAUGE, UNIT_SECONDS,
					    1),
			     NULL, (double)push->ok_ns / NS_PER_S);
}
