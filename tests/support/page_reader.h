/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a Python program that looks into the report page.html. */
#ifndef OF_TESTS_PAGE_READER_H
#define OF_TESTS_PAGE_READER_H

static const char read_page[] =
    "import base64, hashlib, json, re, struct, sys, zlib\n"
    "page = open('page.html', encoding='utf-8').read()\n"
    "def element(name):\n"
    "    found = re.search(r'id=\"%s\">([^<]*)</script>' % name, page)\n"
    "    return found and found.group(1)\n"
    "def block(name):\n"
    "    text = element('block-' + name)\n"
    "    return zlib.decompress(base64.b64decode(text)) if text else None\n"
    "summary = json.loads(element('summary'))\n"
    "data, extra = summary['data'], summary['extra']\n";

#endif
