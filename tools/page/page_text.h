/* page_text.h - The text of the page around its data, made from page.html,
 * page.css and page.js by embed_page.py.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_TEXT_H
#define TOOL_PAGE_TEXT_H

/* The text before and after the data, in pieces; each array ends with NULL. */
extern const char *const page_before[];
extern const char *const page_behind[];

#endif
