/* page_text.h - the page around its data, made from page.html, page.css and
 * page.js by embed_page.py.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_TEXT_H
#define TOOL_PAGE_TEXT_H

/* What stands before the data and behind them, in pieces; NULL ends each. */
extern const char *const page_before[];
extern const char *const page_behind[];

#endif
