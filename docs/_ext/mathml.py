"""Formulas as MathML: drawn by the browser itself, so a page needs no script and no network."""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def convert(node, *, as_block):
    tex = re.sub(r"\\text\{[^}]*\}", lambda text: text[0].replace(r"\_", "_"), node.astext())
    try:
        return tex2mathml(tex, as_block=as_block)
    except MathError as error:
        logger.warning("cannot write this formula as MathML: %s", error, location=node)
        return ""


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
