"""Formulas of TeX as MathML: what is known is right, what is not is an error."""

import re

import pytest
from tests.helpers.pages import Page

from quire._shared.page.formula import formula


def inside(tex):
    text = str(formula(tex, block=False))
    return re.fullmatch(r"<math [^>]*>(.*)</math>", text, re.DOTALL).group(1)


@pytest.mark.parametrize(
    ("tex", "mathml"),
    [
        ("x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        ("x'", "<msup><mi>x</mi><mo>′</mo></msup>"),
        ("-1.5", "<mo>−</mo><mn>1.5</mn>"),
        (r"\alpha", "<mi>α</mi>"),
        (r"\bar \beta", "<mi>β\u0304</mi>"),
        (r"\hat{y}_i", "<msub><mi>𝑦\u0302</mi><mi>i</mi></msub>"),
        (r"\text{of class }k", "<mtext>of class </mtext><mi>k</mi>"),
        (r"\mathcal{N}\mathbf{a}\mathcal{L}", "<mi>𝒩</mi><mi>𝐚</mi><mi>ℒ</mi>"),
        (r"\log x", '<mi>log</mi><mspace width="0.17em"></mspace><mi>x</mi>'),
        (r"a \le b", '<mi>a</mi><mo stretchy="false">≤</mo><mi>b</mi>'),
        (
            r"\sum_{i=1}^n x",
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi>"
            "</munderover><mi>x</mi>",
        ),
        (
            r"\left( x \right)",
            '<mrow><mo fence="true">(</mo><mi>x</mi><mo fence="true">)</mo></mrow>',
        ),
        (
            r"\frac{a}{b + 1}",
            "<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac>",
        ),
        ("a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
    ],
)
def test_what_is_known(tex, mathml):
    assert inside(tex) == mathml


def test_a_whole_formula_is_well_formed():
    page = Page(str(formula(r"P(i \mid k) = \frac{N_{ki} + \alpha}{\sum_j (N_{kj} + \alpha)}")))
    assert page.problems == []
    assert [tag for tag, _ in page.tags].count("mfrac") == 1
    assert page.tags[0][1]["display"] == "block"


@pytest.mark.parametrize(
    "tex", [r"\unknown", "{a", "a}", r"\frac{a}", "a # b", r"\left( a", r"\hat{ab}"]
)
def test_what_is_not_known_is_an_error(tex):
    with pytest.raises(ValueError, match="formula"):
        formula(tex)
