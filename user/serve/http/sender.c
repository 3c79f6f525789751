// SPDX-License-Identifier: BSD-2-Clause
/* `state` says whose the message and the answer are. */
#include "serve/http/sender.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum state {
	IDLE,	  /* the loop's: there is nothing */
	SENDING,  /* the sender's */
	ANSWERED, /* the loop's */
	STOPPING,
};

struct sender {
	struct post *post;
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum state state; /* under the lock */
	uint8_t *message;
	size_t size;
	struct post_answer answer;
};

/* --- The thread -------------------------------------------------------------------------------------------------- */

static bool wait_for_message(struct sender *sender)
{
	bool has_one;

	pthread_mutex_lock(&sender->lock);
	while (sender->state != SENDING && sender->state != STOPPING)
		pthread_cond_wait(&sender->changed, &sender->lock);
	has_one = sender->state == SENDING;
	pthread_mutex_unlock(&sender->lock);
	return has_one;
}

/* Nothing comes after the end. */
static void set_state(struct sender *sender, enum state state)
{
	pthread_mutex_lock(&sender->lock);
	if (sender->state != STOPPING)
		sender->state = state;
	pthread_cond_signal(&sender->changed);
	pthread_mutex_unlock(&sender->lock);
}

static void *send_all(void *data)
{
	struct sender *sender = data;

	while (wait_for_message(sender)) {
		post_send(sender->post, sender->message, sender->size, &sender->answer);
		set_state(sender, ANSWERED);
	}
	return NULL;
}

/* --- The loop ---------------------------------------------------------------------------------------------------- */

struct sender *sender_new(const char *url, const char *type, const struct pairs *headers)
{
	struct sender *sender = calloc(1, sizeof(*sender));

	if (!sender)
		return NULL;
	pthread_mutex_init(&sender->lock, NULL);
	pthread_cond_init(&sender->changed, NULL);
	sender->post = post_new(url, type, headers);
	if (sender->post)
		return sender;
	sender_free(sender);
	return NULL;
}

int sender_start(struct sender *sender)
{
	int err = pthread_create(&sender->thread, NULL, send_all, sender);

	sender->has_thread = !err;
	if (err)
		pr_err("cannot start the thread for pushing: %s", strerror(err));
	return -err;
}

void sender_free(struct sender *sender)
{
	if (!sender)
		return;
	if (sender->has_thread) {
		post_stop(sender->post);
		set_state(sender, STOPPING);
		pthread_join(sender->thread, NULL);
	}
	post_free(sender->post);
	free(sender->message);
	pthread_cond_destroy(&sender->changed);
	pthread_mutex_destroy(&sender->lock);
	free(sender);
}

static enum state state_now(struct sender *sender)
{
	enum state state;

	pthread_mutex_lock(&sender->lock);
	state = sender->state;
	pthread_mutex_unlock(&sender->lock);
	return state;
}

bool sender_is_idle(struct sender *sender)
{
	return state_now(sender) == IDLE;
}

void sender_send(struct sender *sender, uint8_t *message, size_t size)
{
	free(sender->message);
	sender->message = message;
	sender->size = size;
	set_state(sender, SENDING);
}

const struct post_answer *sender_take(struct sender *sender)
{
	if (state_now(sender) != ANSWERED)
		return NULL;
	set_state(sender, IDLE);
	return &sender->answer;
}
