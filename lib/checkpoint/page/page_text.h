/* page_text.h - the page around its data, made from page.html, page.css and
 * page.js by embed_page.py.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PAGE_TEXT_H
#define VV_PAGE_TEXT_H

/* What stands before the data and behind them, in pieces; NULL ends each. */
extern const char *const vv_page_before[];
extern const char *const vv_page_behind[];

#endif
