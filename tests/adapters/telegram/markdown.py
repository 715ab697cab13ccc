"""Made-up answers of models: Markdown of every kind, whole and broken."""

from hypothesis import strategies as st

FAMILY = "👨‍👩‍👧‍👦"
CHARACTERS = [
    "a",
    "Ä",
    "ß",
    "e\u0301",
    "日",
    "ا",
    FAMILY,
    "🇵🇹",
    "👍🏽",
    "😀",
    "1️⃣",
    "\u200b",
    "&",
    "<",
]

words = st.lists(
    st.sampled_from([*CHARACTERS, "word", "longer-word", "x_y_z", "2*3", "C:\\temp", "a.b@c.de"]),
    min_size=1,
    max_size=6,
).map("".join)
marks = st.sampled_from(
    ["*", "**", "_", "__", "`", "```", "~~", "~", "|", "||", "[", "](", ")", "\\", "!", "<b>", ">"]
)
starts = st.sampled_from(
    [
        "",
        "- ",
        "* ",
        "+ ",
        "1. ",
        "1986. ",
        "# ",
        "### ",
        "> ",
        ">> ",
        "| ",
        "    ",
        "\t",
        "~ ",
        "---",
    ]
)
links = st.builds(
    "[{}]({})".format, words, st.sampled_from(["https://example.com/ü?a=b", "foo", "mailto:a@b.c"])
)
fences = st.builds(
    "```{}\n{}\n```".format,
    st.sampled_from(["", "python", "c++ title=x"]),
    st.lists(words, max_size=12).map("\n    ".join),
)
lines = st.builds(
    "{}{}".format,
    starts,
    st.lists(st.one_of(words, marks, links), max_size=8).map(" ".join),
)
answers = st.lists(st.one_of(lines, fences, st.just(""), st.text(max_size=30)), max_size=25).map(
    "\n".join
)
