"""The lessons of :mod:`quire.lessons` as pages of the site.

The directive ``lessons`` lists them all; a page of the guide that a lesson names gets a link to it
at the end of its introduction.
"""

from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from quire import lessons


def link(docname, name, text):
    target = "../" * docname.count("/") + f"lessons/{name}.html"
    return nodes.reference("", text, internal=False, refuri=target)


class Lessons(SphinxDirective):
    """A list of all lessons, each with a link to its page."""

    def run(self):
        found = nodes.bullet_list()
        for name, about in lessons.LESSONS.items():
            called = name.replace("_", "-")
            title = link(self.env.docname, called, called)
            found += nodes.list_item("", nodes.paragraph("", "", title, nodes.Text(f": {about}")))
        return [found]


def make(app):
    app.quire_lessons = [getattr(lessons, name)() for name in lessons.LESSONS]


def lead_to_lessons(app, doctree):
    title = doctree.next_node(nodes.title)
    if title is None or not app.env.docname.startswith("guide/"):
        return
    found = [lesson for lesson in app.quire_lessons if title.astext() in lesson.guide]
    if not found:
        return
    line = nodes.paragraph("", "Step by step, to try: ")
    for number, lesson in enumerate(found):
        line += [nodes.Text(", ")] * bool(number)
        line += link(app.env.docname, lesson.name, lesson.title)
    line += nodes.Text(".")
    section = title.parent
    inner = [k for k, child in enumerate(section) if isinstance(child, nodes.section)]
    section.insert(inner[0] if inner else len(section), line)


def write(app, error):
    if error is None and app.builder.format == "html":
        lessons.write_all(Path(app.outdir) / "lessons")


def setup(app):
    app.add_directive("lessons", Lessons)
    app.connect("builder-inited", make)
    app.connect("doctree-read", lead_to_lessons)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
