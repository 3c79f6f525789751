// SPDX-License-Identifier: BSD-2-Clause
/*
 * A profile as a picture: boxes with titles, the root at the top. A script in it zooms and searches. Recursion is
 * folded: 1,000 recursive calls would be 18,000 pixels of boxes with the same name.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/text.h"
#include "flame/formats/template.h"
#include "flame/profile.h"
#include "flame/profile_parts.h"

#define WIDTH 1200.0
#define MARGIN 10.0
#define TOP 50 /* y of the root's row */
#define ROW 18
#define LEAST 0.1 /* narrower boxes are left out */
#define LETTER 7.3
#define ELLIPSIS "\xe2\x80\xa6"

/* The hues of flame.html; `m` marks search matches. */
static const char style[] =
	"svg { font: 12px monospace; background: #fbfbfa } text { fill: #16181a; pointer-events: none } "
	".t { fill: #1c1e21; font-size: 15px } #found { fill: #5d6065; pointer-events: auto; cursor: pointer } "
	".k0 { fill: hsl(28 70% 68%) } .k1 { fill: hsl(100 70% 68%) } .k2 { fill: hsl(200 70% 68%) } "
	".k3 { fill: hsl(50 70% 68%) } .k4 { fill: hsl(265 70% 80%) } .k5 { fill: hsl(0 12% 68%) } "
	".k6 { fill: hsl(220 12% 68%) } .m rect { fill: #d94fd0 !important } g.b { cursor: pointer } "
	"g.b:focus rect { stroke: #2f6f8f; stroke-width: 2 } "
	"@media (prefers-color-scheme: dark) { svg { background: #16181a } .t { fill: #e4e4e0 } #found { fill: #9a9da2 "
	"} }";

struct svg {
	const struct profile *profile;
	const struct branch *branches;
	FILE *to;
	double scale; /* pixels per weight */
};

/* --- Text ------------------------------------------------------------------------------------------------------ */

/* U+FFFE and U+FFFF are not allowed in XML; both are three bytes that begin so. */
static bool is_outside_xml(const char *text, size_t left)
{
	return left >= 3 && !memcmp(text, "\xef\xbf", 2) && (unsigned char)text[2] >= 0xbe;
}

/* Escapes text without control characters. */
static void put_escaped(FILE *to, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (is_outside_xml(text + i, size - i)) {
			fputs("\xef\xbf\xbd", to);
			i += 2;
			continue;
		}
		switch (text[i]) {
		case '<': fputs("&lt;", to); break;
		case '>': fputs("&gt;", to); break;
		case '&': fputs("&amp;", to); break;
		default: fputc(text[i], to);
		}
	}
}

/* The length in bytes of the first `characters` characters. */
static size_t first_characters(const char *text, size_t characters)
{
	size_t at = 0, left = strlen(text);

	while (left && characters--) {
		unsigned int code;
		size_t length = text_utf8(text + at, left, &code);

		at += length ? length : 1;
		left -= length ? length : 1;
	}
	return at;
}

/* The part of a name that fits in a box of that width. */
static void put_label(const struct svg *svg, const char *name, double width)
{
	size_t letters = width > LETTER ? (size_t)((width - 6) / LETTER) : 0, size;

	if (letters < 3)
		return;
	size = first_characters(name, letters);
	if (name[size])
		size = first_characters(name, letters - 1);
	put_escaped(svg->to, name, size);
	if (name[size])
		fputs(ELLIPSIS, svg->to);
}

static void put_weight(const struct svg *svg, const char *what, uint64_t weight)
{
	char text[WEIGHT_SIZE];

	fprintf(svg->to, "\n%s %s", what, weight_format(svg->profile, weight, text));
	fprintf(svg->to, ", %.2f%%", weight_percent(weight, svg->profile->total));
}

static void put_title(const struct svg *svg, const struct branch *branch, const char *name)
{
	const struct profile *profile = svg->profile;

	fputs("<title>", svg->to);
	put_escaped(svg->to, name, strlen(name));
	put_weight(svg, "total", branch->total);
	put_weight(svg, "self", profile->nodes[branch->node].value);
	if (profile->is_difference)
		fprintf(svg->to, "\ntotal before %.2f%%", weight_percent(branch->before, profile->before));
	fputs("</title>", svg->to);
}

/* --- Boxes ------------------------------------------------------------------------------------------------------- */

/* Red has grown, blue has shrunk, by share; the colour is strongest where the share doubled or became 0. */
static void put_change_colour(const struct svg *svg, const struct branch *branch)
{
	double now = weight_percent(branch->total, svg->profile->total);
	double was = weight_percent(branch->before, svg->profile->before);
	double by = was > 0 ? (now - was) / was : now > 0;
	double strength = by < -1 || by > 1 ? 1 : by < 0 ? -by : by;

	fprintf(svg->to, "fill=\"hsl(%d %.0f%% %.0f%%)\"", by < 0 ? 215 : 5, 85 * strength, 84 - 18 * strength);
}

/* The shade depends on the name only. */
static void put_kind_colour(const struct svg *svg, enum frame_kind kind, const char *name)
{
	fprintf(svg->to, "class=\"k%d\" fill-opacity=\"%.2f\"", (int)kind,
		1 - (double)(fnv32(0, name, strlen(name)) & 15) / 50);
}

static const char *name_of(const struct svg *svg, const struct branch *branch)
{
	return branch->node ? profile_function(svg->profile, svg->profile->nodes[branch->node].frame)->name : "all";
}

static enum frame_kind kind_of(const struct svg *svg, const struct branch *branch)
{
	if (!branch->node)
		return FRAME_GROUP;
	return profile_function(svg->profile, svg->profile->nodes[branch->node].frame)->kind;
}

static int put_box(const struct svg *svg, const struct branch *branch)
{
	_cleanup_free_ char *name = text_for_terminal(name_of(svg, branch));
	double x = MARGIN + branch->x * svg->scale, width = (double)branch->total * svg->scale;
	unsigned int y = TOP + branch->depth * ROW;

	if (!name)
		return -ENOMEM;
	fputs("<g class=\"b\" tabindex=\"0\">", svg->to);
	put_title(svg, branch, name);
	fprintf(svg->to, "<rect x=\"%.3f\" y=\"%u\" width=\"%.3f\" height=\"%d\" ", x, y, width, ROW - 1);
	if (svg->profile->is_difference)
		put_change_colour(svg, branch);
	else
		put_kind_colour(svg, kind_of(svg, branch), name);
	fprintf(svg->to, "/><text x=\"%.3f\" y=\"%u\">", x + 3, y + ROW - 5);
	put_label(svg, name, width);
	fputs("</text></g>\n", svg->to);
	return 0;
}

static bool is_drawn(const struct svg *svg, const struct branch *branch)
{
	return !branch->node || (double)branch->total * svg->scale >= LEAST;
}

static int put_boxes(const struct svg *svg)
{
	int err = 0;

	for (size_t i = 0; !err && i < svg->profile->node_count; i++) {
		if (is_drawn(svg, &svg->branches[i]))
			err = put_box(svg, &svg->branches[i]);
	}
	return err;
}

/* --- The picture ------------------------------------------------------------------------------------------------- */

static unsigned int height_of(const struct svg *svg)
{
	unsigned int deepest = 0;

	for (size_t i = 0; i < svg->profile->node_count; i++) {
		if (is_drawn(svg, &svg->branches[i]) && svg->branches[i].depth > deepest)
			deepest = svg->branches[i].depth;
	}
	return TOP + (deepest + 1) * ROW + (unsigned int)MARGIN;
}

static int put_head(const struct svg *svg)
{
	_cleanup_free_ char *title = text_for_terminal(svg->profile->title);
	unsigned int height = height_of(svg);

	if (!title)
		return -ENOMEM;
	fprintf(svg->to,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"viewBox=\"0 0 %.0f %u\" width=\"%.0f\" height=\"%u\">\n<style>%s</style>\n<text class=\"t\" "
		"x=\"%.0f\" "
		"y=\"24\">",
		WIDTH, height, WIDTH, height, style, MARGIN);
	put_escaped(svg->to, title, strlen(title));
	fprintf(svg->to, "</text>\n<text id=\"found\" x=\"%.0f\" y=\"42\" aria-live=\"polite\"></text>\n", MARGIN);
	return 0;
}

static void put_script(const struct svg *svg)
{
	fputs("<script><![CDATA[\n", svg->to);
	fwrite(flame_svg_script, 1, flame_svg_script_size, svg->to);
	fputs("]]></script>\n</svg>\n", svg->to);
}

static int put_picture(const struct profile *profile, FILE *to)
{
	_cleanup_free_ struct branch *branches = tree_make(profile);
	struct svg svg = { .profile = profile, .branches = branches, .to = to };
	int err;

	if (!branches)
		return -ENOMEM;
	svg.scale = branches->total ? (WIDTH - 2 * MARGIN) / (double)branches->total : 0;
	err = put_head(&svg);
	if (!err)
		err = put_boxes(&svg);
	put_script(&svg);
	return err ? err : ferror(to) ? -EIO : 0;
}

int profile_write_svg(const struct profile *profile, FILE *to)
{
	struct profile *folded = profile_fold_recursion(profile);
	int err = folded ? put_picture(folded, to) : -ENOMEM;

	profile_free(folded);
	return err;
}
