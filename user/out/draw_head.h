/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of the screen: how busy what is, and numbers of the whole, on as many lines as the terminal can spare. */
#ifndef ERLBPF_OUT_DRAW_HEAD_H
#define ERLBPF_OUT_DRAW_HEAD_H

#include "out/panel.h"

/* `first`: what stands before all else, such as the name of the tool. Returns the number of lines used. */
int draw_head(const struct panel *panel, const char *first);

#endif
