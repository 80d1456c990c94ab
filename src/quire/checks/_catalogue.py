"""All checks: code, name, how grave it is, why it matters, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quire._shared.notebooks import ShownInNotebooks

__all__ = ["CHECKS", "QUICK", "SEVERITIES", "Check", "known_codes"]

SEVERITIES = ("error", "warning", "note")  # the gravest first


@dataclass(frozen=True)
class Check(ShownInNotebooks):
    """One thing that is looked for.

    Attributes
    ----------
    code : str
        Its name for good, such as ``"QT001"``; codes are never used again for anything else.
    title : str
        What it finds, in a few words.
    severity : {"error", "warning", "note"}
        How grave a finding is: scores or labels are wrong; they may be; good to know.
    why : str
        Why it matters.
    advice : str
        What to do about it.
    is_quick : bool
        Whether comparisons look for it, too.
    """

    code: str
    title: str
    severity: str
    why: str
    advice: str
    is_quick: bool = False


# All checks, in the order of their codes.
CHECKS = (
    Check(
        "QT001",
        "the same text on both sides",
        "warning",
        "A model has learned what it is asked; scores are better than on new texts.",
        "Keep one copy of each text, or give the copies one group: groups=.",
        is_quick=True,
    ),
    Check(
        "QT002",
        "nearly the same text on both sides",
        "warning",
        "Versions, quotations and forms filled in are remembered, not understood; scores are "
        "better than on new texts.",
        "Keep one of each group, or hold each group out together: groups=.",
    ),
    Check(
        "QT003",
        "the same text with different labels",
        "error",
        "No model can be right about all of them, and none learns which one is meant.",
        "Decide on one label for each text, or leave these texts out.",
        is_quick=True,
    ),
    Check(
        "QT004",
        "the label's name in the text",
        "warning",
        "If it came there with the label (a header, a tag, a file name), new texts will not have "
        "it, and a model has learned nothing else.",
        "Look where it stands. Cut it out if it is not the writer's own word.",
        is_quick=True,
    ),
    Check(
        "QT005",
        "a column that tells the label",
        "warning",
        "It may be another form of the label or be known only after it; a model that learns from "
        "it has nothing to say of new texts.",
        "Do not learn from it unless it is known before the label is.",
        is_quick=True,
    ),
    Check(
        "QT006",
        "texts of one group on both sides",
        "warning",
        "A model recognises the author, source or case by its words; scores are better than on "
        "texts of new ones.",
        "Hold out all rows of a group together: groups=.",
    ),
    Check(
        "QT007",
        "labels change with time",
        "warning",
        "Where folds are drawn at random, a model learns from texts that are later than those it "
        "is asked about; in use it cannot.",
        "Learn from the earlier texts and hold out the later ones.",
    ),
    Check(
        "QT008",
        "classes with hardly a document",
        "warning",
        "A class of one document is learned or held out, never both: its score says nothing.",
        "Label more of it, merge it with another class, or leave it out.",
        is_quick=True,
    ),
    Check(
        "QT009",
        "labels that differ by case, blanks or marks",
        "error",
        "What is written in two ways becomes two classes, which no text tells apart.",
        "Write the label in one way.",
        is_quick=True,
    ),
    Check(
        "QT010",
        "marks of missing values as a class",
        "error",
        "Texts without a label are learned as if they had one in common.",
        "Leave these rows out, or label them.",
        is_quick=True,
    ),
    Check(
        "QT011",
        "several languages",
        "note",
        "Words of one language say nothing about texts of another; each needs documents of its "
        "own, and a language that goes with a class is learned in its place.",
        "Make a model for each language, or see that every class has every language.",
    ),
    Check(
        "QT012",
        "a passage that a class shares",
        "warning",
        "Signatures, disclaimers and forms give a class away, and new texts may not have them.",
        "Cut the passage out if it is not what the class is about.",
    ),
    Check(
        "QT013",
        "the parts use other words",
        "note",
        "What is held out is not a sample of what was learned from: scores say how the model does "
        "on other texts, and are not those of cross-validation.",
        "Right if new texts will differ in the same way; else draw the parts at random.",
    ),
    Check(
        "QT014",
        "damaged characters",
        "warning",
        "A file was read in another encoding than it was written in: words with accents become "
        "other words.",
        "Read the file again in the encoding that it is in: encoding='cp1252', or encoding='auto'.",
        is_quick=True,
    ),
    Check(
        "QT015",
        "markup left in the texts",
        "note",
        "Names of tags and entities are counted as words.",
        "Turn HTML into text before, or leave it if all texts have it.",
    ),
    Check(
        "QT016",
        "empty texts",
        "warning",
        "They get the label that is most frequent, whatever their own is.",
        "Find out why they are empty; leave them out.",
        is_quick=True,
    ),
    Check(
        "QT017",
        "texts of extreme length",
        "note",
        "One text that is a thousand times longer than others has all words: several documents in "
        "one, or a file that was not cut.",
        "Look at it; cut it into documents.",
        is_quick=True,
    ),
    Check(
        "QT018",
        "several labels in one field",
        "warning",
        "Every combination becomes a class of its own.",
        "Compare and fit with task='multilabel', or divide the field and learn each label by "
        "itself.",
        is_quick=True,
    ),
    Check(
        "QT019",
        "a class that is not in all parts",
        "warning",
        "What no training document has is never predicted; what no held-out one has is never "
        "judged.",
        "Draw the parts so that each has every class.",
        is_quick=True,
    ),
)
QUICK = tuple(check.code for check in CHECKS if check.is_quick)


def known_codes(codes: Iterable[str] | str) -> frozenset[str]:
    """Return codes as a set; unknown ones are an error.

    Parameters
    ----------
    codes : iterable of str, or str
        Codes; several in one string with commas between.

    Examples
    --------
    >>> sorted(known_codes("QT003, qt001"))
    ['QT001', 'QT003']
    """
    given = codes.split(",") if isinstance(codes, str) else codes
    found = frozenset(str(code).strip().upper() for code in given if str(code).strip())
    known = [check.code for check in CHECKS]
    unknown = sorted(found - set(known))
    if unknown:
        raise ValueError(
            f"There is no check {unknown[0]}; the codes are {known[0]} to {known[-1]}."
        )
    return found
