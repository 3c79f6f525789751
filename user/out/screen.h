/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table on the whole terminal, with keys: for tools with a view (view.h). A sink while it is open. The
 * terminal is restored by screen_close(), or from a signal handler by screen_abandon().
 */
#ifndef ERLBPF_OUT_SCREEN_H
#define ERLBPF_OUT_SCREEN_H

#include "out/sink.h"
#include "out/view.h"

enum screen_request { SCREEN_NOTHING, SCREEN_SHOW, SCREEN_QUIT };

/* Take the terminal. The setup and the view, which keys change, must outlive it. 0 or -errno. */
int screen_open(struct sink *sink, struct view *view, uint64_t most_rows);

/* Give it back, and print what messages there were meanwhile. May be called at any time. */
void screen_close(void);

/* The same from the handler of a signal that ends the process: with async-signal-safe calls only. */
void screen_abandon(void);

/* Keys that were pressed, and whether the terminal has another size: what is to be done now. To be asked again until
 * there is nothing. */
enum screen_request screen_keys(void);

#endif
