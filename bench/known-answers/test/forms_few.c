/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the proof of forms: sixteen forms only. */
#define FEW 1
#include "forms.c"
