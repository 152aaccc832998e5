/* SPDX-License-Identifier: GPL-2.0-or-later */
/* undo.h - put back what a record holds */
#ifndef BOARDTUNE_UNDO_H
#define BOARDTUNE_UNDO_H

#include "engine/apply.h"

/**
 * undo_changes - write back what was there, then read everything back
 * @plan: changes of a record; outcome, now, written, drop are set
 *
 * Two passes as in an apply: structure first, then the settings that live in it.
 * Allocates nothing on a live board. Returns the number of stuck changes.
 */
size_t undo_changes(struct system *sys, struct plan *plan, enum undo_to to);

#endif
