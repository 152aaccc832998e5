// SPDX-License-Identifier: GPL-2.0-or-later
// errors.c - the list of what is wrong with a user's files
#include "profile/profile.h"

#include <stdarg.h>

void profile_error_add(struct profile_errors *errors, const char *file, unsigned line,
		       const char *fmt, ...)
{
	struct profile_error *item;
	va_list ap;

	/* Without memory for a first item the list still says that there is an error. */
	if ((errors->n && !errors->items) ||
	    array_grow(&errors->items, errors->n, sizeof(*errors->items)) < 0) {
		if (errors->n == 0)
			errors->n = 1;
		return;
	}
	item = &errors->items[errors->n++];
	item->file = strdup(file);
	item->line = line;
	va_start(ap, fmt);
	if (vasprintf(&item->text, fmt, ap) < 0)
		item->text = NULL;
	va_end(ap);
}

void profile_errors_clear(struct profile_errors *errors)
{
	for (size_t i = 0; errors->items && i < errors->n; i++) {
		free(errors->items[i].file);
		free(errors->items[i].text);
	}
	free(errors->items);
	*errors = (struct profile_errors){ 0 };
}
