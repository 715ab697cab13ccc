"""Whether the companion told somebody that it saved something."""

import re

UNSAVED = (
    "[system alert] You told the person that you saved something, and no call of yours in this turn"
    " did. Save it now with working_context_append or archival_storage_insert; or tell them"
    " plainly, with send_message, that it is not saved. If it was kept before, or you spoke of"
    " something else, you are done."
)

_CLAIMS = (
    # English
    r"\bi(?:'ve|’ve| have)? (?:just |now |also )?(?:saved|noted|stored|recorded|memori[sz]ed)\b",
    r"\bi(?:'ve|’ve| have)? (?:just |now )?(?:written|wrote|put) (?:that|it|this) down\b",
    r"\bi(?:'ve|’ve| have)? (?:just |now )?(?:made|taken) a note\b",
    r"\bi(?:'ve|’ve| have)? (?:just |now )?added (?:that|it|this) to my (?:notes|memory)\b",
    r"\bi(?:'ll|’ll| will) (?:remember (?:that|this|it)|keep (?:that|this|it) in mind"
    r"|make a note|note (?:that|this|it)|write (?:that|this|it) down)\b",
    r"(?:^|[.!?] )(?:saved|noted)(?:[.!]|$)",
    r"\b(?:it'?s|it’s|that'?s|that’s) (?:saved|noted) ?(?:now|[.!]|$)",
    # German
    r"\b(?:hab|habe) (?:ich )?(?:mir )?(?:das |es )?(?:gerade )?(?:gespeichert|notiert|gemerkt"
    r"|aufgeschrieben)\b",
    r"\bmerke? ich mir\b",
    r"\bich merke? (?:mir das|es mir)\b",
    r"\b(?:ist|wurde) (?:notiert|gespeichert)\b",
    # French, Spanish, Italian, Portuguese
    r"\bj(?:'ai|’ai) (?:bien )?(?:noté|enregistré|sauvegardé)\b",
    r"\b(?:lo )?he (?:guardado|anotado|apuntado)\b",
    r"\b(?:l'ho|ho) (?:salvato|annotato|segnato)\b",
    r"\b(?:anotei|guardei|salvei)\b",
    # Russian, Chinese, Japanese
    r"\b(?:я )?(?:запомнил|запомнила|записал|записала|сохранил|сохранила)\b",
    r"(?:我|已)(?:已经|已經)?(?:记住|記住|记下|記下|保存|记录|記錄)",
    r"(?:覚えておき|メモし|保存し)",
)
READ = 4000
"""Characters of a long text that are read, half of them at its end."""
_CLAIM = re.compile("|".join(_CLAIMS), re.IGNORECASE)


def claims_saved(text: str) -> bool:
    """Whether `text` says that something was saved, or will be remembered."""
    if len(text) > READ:
        text = f"{text[: READ // 2]}\n{text[-READ // 2 :]}"
    return _CLAIM.search(text) is not None
