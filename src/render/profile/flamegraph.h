/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A flame graph as one SVG file that needs nothing else: which bytes?
 *
 * Drawn whole without its script (a viewer of pictures shows it); with it, it is searched, zoomed and turned. Names are
 * text in elements, never markup nor script, whatever a symbol is called. The script and style are web/flamegraph's.
 */
#ifndef PLUMB_RENDER_PROFILE_FLAMEGRAPH_H
#define PLUMB_RENDER_PROFILE_FLAMEGRAPH_H

#include "analyse/profile/flame.h"

struct flamegraph_request {
    const struct flame *flame;
    const char *title;    /* "Flame graph" unless told */
    const char *subtitle; /* what was recorded */
    const char *unit;     /* of the weights: "samples", "ns", … */
    uint64_t width;       /* pixels */
    double narrowest;     /* pixels: what flame_options.share_least came from */
    bool inverted;        /* the root is at the top */
};

#define FLAMEGRAPH_WIDTH_LEAST 300
#define FLAMEGRAPH_WIDTH_MOST 20000
#define FLAMEGRAPH_MARGIN 10 /* pixels, left and right */

void flamegraph_svg(struct text *out, const struct flamegraph_request *request);

/* web/flamegraph, as it stands there. */
extern const char flamegraph_script_bytes[], flamegraph_style_bytes[];
extern const size_t flamegraph_script_length, flamegraph_style_length;

#endif
