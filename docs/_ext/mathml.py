"""Formulas as MathML: drawn by the browser itself, so a page needs no script and no network."""

import html
import re
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
ACCENTS = set("ˆ^¯→⃗˜~˙")
ElementTree.register_namespace("", NAMESPACE)


def convert(node, *, as_block):
    tex = re.sub(r"\\text\{[^}]*\}", lambda text: text[0].replace(r"\_", "_"), node.astext())
    tex = re.sub(r"\\dots(?![a-z])", r"\\ldots", tex)  # which docutils does not know
    # docutils reads \frac12 x as twelve over x.
    tex = re.sub(r"\\([dt]?frac)\s*(\d)\s*(\d)", r"\\\1{\2}{\3}", tex)
    try:
        return subscripts_beside_accents(tex2mathml(tex, as_block=as_block))
    except MathError as error:
        logger.warning("cannot write this formula as MathML: %s", error, location=node)
        return ""


def subscripts_beside_accents(mathml):
    r"""Put the d of \hat y_d where a subscript belongs: docutils puts it under the letter."""
    if "munderover" not in mathml:
        return mathml
    named = re.sub(r"&(?!amp;|lt;|gt;|quot;)\w+;", lambda entity: html.unescape(entity[0]), mathml)
    root = ElementTree.fromstring(named)
    for parent in list(root.iter()):
        for place, child in enumerate(list(parent)):
            if child.tag != f"{{{NAMESPACE}}}munderover" or len(child) != 3:
                continue
            base, below, above = child
            if (above.text or "").strip() in ACCENTS:
                accented = ElementTree.Element(f"{{{NAMESPACE}}}mover", {"accent": "true"})
                accented.extend([base, above])
                beside = ElementTree.Element(f"{{{NAMESPACE}}}msub")
                beside.extend([accented, below])
                beside.tail = child.tail
                parent[place] = beside
    return ElementTree.tostring(root, encoding="unicode")


def visit_math(self, node):
    self.body.append(convert(node, as_block=False))
    raise nodes.SkipNode


def visit_displaymath(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight"))
    self.body.append(convert(node, as_block=True))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_displaymath, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
