"""Pages taken apart: what is open, what is named, what is linked to, what is text."""

import re
from html.parser import HTMLParser

__all__ = ["Page"]

VOID = {"meta", "br", "hr", "img", "input", "link", "wbr"}


class Page(HTMLParser):
    """Walks a page and writes down what the tests ask about; ``<circle/>`` closes itself."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.problems, self.ids, self.references = [], [], [], []
        self.headings, self.tags, self.figures, self.links = [], [], [], []
        self.scripts, self.text = [], []
        self.feed(text)
        self.close()
        self.problems += [f"not closed: {tag}" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append((tag, found))
        if tag not in VOID:
            self.open.append(tag)
        if "id" in found:
            self.ids.append(found["id"])
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        for name in ("src", "href", "srcset", "action", "data", "poster"):
            if name in found:
                self.references.append(found[name])
        for name in ("aria-labelledby", "for", "aria-describedby"):
            if name in found:
                self.links += found[name].split()

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"</{tag}> closes {self.open[-1:]} at {self.getpos()}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.scripts.append((self.open[-1], data))
        else:
            self.text.append(data)
