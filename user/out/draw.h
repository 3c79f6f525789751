/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells and lines on the terminal that ncurses has, and colours if it has any and nobody refuses them. */
#ifndef ERLBPF_OUT_DRAW_H
#define ERLBPF_OUT_DRAW_H

#include <ncurses.h>

enum draw_color { DRAW_PLAIN, DRAW_GOOD, DRAW_WARN, DRAW_ALARM, DRAW_DIM, DRAW_COLORS };

/* Once the terminal is ncurses's: without colours where NO_COLOR is set (no-color.org) or it has none. */
void draw_begin(void);

/* For what is drawn next. On a terminal without colours an alarm is bold. */
void draw_color(enum draw_color color);

/* At most |width| cells of a line, filled up with blanks; a negative width aligns to the left. */
void draw_cell(const char *text, int width);

/* One line of text. It ends with the last word that fits. */
void draw_line(int y, const char *text);

/* One character for a part of a whole, of which `permille` is: a block, or a digit for the tenths. */
void draw_block(unsigned int permille);

#endif
