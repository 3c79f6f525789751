// SPDX-License-Identifier: BSD-2-Clause
#include "serve/metrics/push.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/log.h"
#include "base/text.h"
#include "serve/metrics/otlp.h"
#include "serve/http/sender.h"
#include "version.h"

#define AHEAD_NS (2 * NS_PER_S) /* reading takes two ticks */
#define MOST_BYTES (32 << 20)	/* of a message */
#define NOT_SENT (-1)		/* an error in addition to those of the library and HTTP */

enum outcome { OK, FAILED, SKIPPED, OUTCOMES };

struct push {
	struct pairs resource;
	uint64_t interval_ns, next_ns, offset_ns;
	struct sender *sender;

	uint64_t outcomes[OUTCOMES];
	double sent_bytes, refused_points;
	uint64_t ok_ns;		     /* when the last one arrived, since 1970; 0: never */
	int kind;		     /* of the last failure that was printed; 0: works */
	struct otlp_refusal refusal; /* the last one that was printed */
};

/* Beginning and end. */

int push_resource(struct pairs *resource, const struct pairs *wanted)
{
	char host[256] = "";
	int err = gethostname(host, sizeof(host) - 1) ? -errno : pairs_set(resource, "service.name", "erlbpf");

	if (!err)
		err = pairs_set(resource, "service.version", ERLBPF_VERSION);
	if (!err)
		err = pairs_set(resource, "host.name", host);
	/* Identifies the agent among those of other machines. */
	if (!err)
		err = pairs_set(resource, "service.instance.id", host);
	for (size_t i = 0; !err && i < wanted->count; i++)
		err = pairs_set(resource, wanted->at[i].name, wanted->at[i].value);
	return err;
}

struct push *push_new(const struct push_options *options)
{
	struct push *push = calloc(1, sizeof(*push));

	if (!push)
		return NULL;
	push->interval_ns = options->interval_ns;
	push->next_ns = duration_now() + push->interval_ns;
	push->offset_ns = duration_wall_offset();
	if (!push_resource(&push->resource, &options->resource))
		push->sender = sender_new(options->url, OTLP_TYPE, &options->headers);
	if (push->sender)
		return push;
	push_free(push);
	return NULL;
}

int push_start(struct push *push)
{
	return sender_start(push->sender);
}

void push_free(struct push *push)
{
	if (!push)
		return;
	sender_free(push->sender);
	pairs_free(&push->resource);
	free(push);
}

/* Outcomes of messages. */

static void tell_failure(struct push *push, const struct post_answer *answer)
{
	if (answer->kind == push->kind)
		return;
	push->kind = answer->kind;
	if (push->kind)
		pr_warn("push failed: %s; the next push includes its data", answer->why);
	else
		pr_info("Pushing works again.");
}

static void tell_refusal(struct push *push, const struct otlp_refusal *now)
{
	struct otlp_refusal *last = &push->refusal;
	_cleanup_free_ char *why = NULL;

	push->refused_points += (double)now->points;
	if (!memcmp(last, now, sizeof(*now)))
		return;
	*last = *now;
	why = text_for_terminal(now->why[0] ? now->why : "no reason given");
	if (now->points || now->why[0])
		pr_warn("the receiver rejected %llu data points: %s", (unsigned long long)now->points, why ? why : "");
	else
		pr_info("The receiver accepts all data points again.");
}

static void take_answer(struct push *push, const struct post_answer *answer, uint64_t now_ns)
{
	struct otlp_refusal refusal;

	push->outcomes[answer->is_ok ? OK : FAILED]++;
	push->sent_bytes += (double)answer->sent;
	tell_failure(push, answer);
	if (answer->is_ok) {
		push->ok_ns = now_ns + duration_wall_offset();
		otlp_read_answer(answer->body, answer->size, &refusal);
		tell_refusal(push, &refusal);
	} else if (push->next_ns < now_ns + answer->wait_s * NS_PER_S) {
		push->next_ns = now_ns + answer->wait_s * NS_PER_S;
	}
}

/* Time after time. */

static void send_now(struct push *push, const struct metrics *metrics, uint64_t read_ns)
{
	struct otlp_head head = {
		.resource = &push->resource,
		.time_ns = read_ns + duration_wall_offset(),
		.offset_ns = push->offset_ns,
	};
	struct post_answer answer = { .kind = NOT_SENT };
	size_t size = 0;
	uint8_t *message = otlp_render(metrics, &head, &size);

	if (message && size <= MOST_BYTES) {
		sender_send(push->sender, message, size);
		return;
	}
	free(message);
	snprintf(answer.why, sizeof(answer.why), "a message of %zu bytes is too large; lower --names", size);
	take_answer(push, &answer, duration_now());
}

bool push_is_near(const struct push *push, uint64_t now_ns)
{
	return push->next_ns < now_ns + AHEAD_NS;
}

void push_tick(struct push *push, const struct metrics *metrics, uint64_t read_ns)
{
	const struct post_answer *answer = sender_take(push->sender);
	uint64_t now_ns = duration_now();

	if (answer)
		take_answer(push, answer, now_ns);
	if (now_ns < push->next_ns)
		return;
	/* Late ticks do not accumulate. */
	push->next_ns += push->interval_ns;
	if (push->next_ns <= now_ns)
		push->next_ns = now_ns + push->interval_ns;
	if (sender_is_idle(push->sender))
		send_now(push, metrics, read_ns);
	else
		push->outcomes[SKIPPED]++;
}

static struct metric_family *counter(struct metrics *metrics, const char *name, const char *help, enum metric_unit unit)
{
	return metrics_family(metrics, name, help, METRIC_COUNTER, unit, 1);
}

void push_tell(const struct push *push, struct metrics *metrics)
{
	static const char *const names[OUTCOMES] = { "ok", "failed", "skipped" };
	struct metric_family *pushes = counter(metrics, "erlbpf_otlp_pushes",
					       "Pushes by result. Skipped: the previous push was still in progress.",
					       UNIT_NONE);

	for (int i = 0; i < OUTCOMES; i++) {
		struct metric_label label = { "result", names[i] };

		metrics_tell(metrics, pushes, &label, (double)push->outcomes[i]);
	}
	metrics_tell(metrics,
		     counter(metrics, "erlbpf_otlp_sent_bytes",
			     "Bytes of compressed messages sent, including failed pushes.", UNIT_BYTES),
		     NULL, push->sent_bytes);
	metrics_tell(metrics,
		     counter(metrics, "erlbpf_otlp_refused_points",
			     "Data points that the receiver rejected in messages it accepted.", UNIT_NONE),
		     NULL, push->refused_points);
	if (push->ok_ns)
		metrics_tell(metrics,
			     metrics_family(metrics, "erlbpf_otlp_last_success_timestamp_seconds",
					    "Time of the last successful push.", METRIC_GAUGE, UNIT_SECONDS, 1),
			     NULL, (double)push->ok_ns / NS_PER_S);
}
