from companion.bench.figures import Figure, as_json, as_table

SMALL = Figure(name="size", value=2.5, unit="MB", target=3)
SLOW = Figure(
    name="turns", value=90.44, unit="", target=150, kind="at least", lowest=88, highest=91.5
)
NEWS = Figure(name="flushes", value=4, unit="")


def test_a_target_is_met_missed_or_not_there() -> None:
    assert [figure.met for figure in (SMALL, SLOW, NEWS)] == [True, False, None]


def test_the_table_says_which_targets_are_missed() -> None:
    assert as_table([SMALL, SLOW, NEWS]).splitlines()[2:] == [
        "| size | 2.5 MB |  | at most 3 | yes |",
        "| turns | 90.4 | 88 to 91.5 | at least 150 | **no** |",
        "| flushes | 4 |  |  |  |",
    ]


def test_a_script_gets_numbers() -> None:
    told = as_json([SLOW])
    assert told[0]["value"] == 90.44
    assert told[0]["met"] is False
