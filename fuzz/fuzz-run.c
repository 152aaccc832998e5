// SPDX-License-Identifier: GPL-2.0-or-later
// fuzz-run.c - any bytes as a saved run: what is taken can be shown in every format
#include "report/run-compare-text.h"
#include "report/run-report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int compare_with_itself(const struct run_doc *doc, FILE *f)
{
	return run_compare_text(doc, doc, (const char *[]) { "A", "B" }, f);
}

/* Nothing in a page or a text may be what the input made of it. */
static void show(const struct run_doc *doc, int (*print)(const struct run_doc *, FILE *),
		 const char *never)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f || print(doc, f) < 0 || fclose(f) != 0)
		abort();
	if (strlen(text) != size || strstr(text, never) || strchr(text, '\x1b'))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = malloc(size + 1);
	char error[RUN_DOC_ERROR_MAX] = "";
	struct run_doc doc;

	if (!text)
		abort();
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (run_doc_parse(text, size, true, &doc, error) < 0) {
		if (!error[0] || memchr(error, '\0', sizeof(error)) == NULL)
			abort();
		return 0;
	}
	show(&doc, run_text, "\x7f");
	show(&doc, run_markdown, "<");
	show(&doc, run_csv, "nan");
	show(&doc, run_html, "<script");
	show(&doc, compare_with_itself, "\x7f");
	/* Other texts may well hold the host's name. */
	if (run_doc_redact(&doc) < 0 || *doc.host || !streq(doc.peer, "peer"))
		abort();
	show(&doc, run_html, "<script");
	run_doc_clear(&doc);
	return 0;
}
