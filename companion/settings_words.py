"""What is wrong with a value in the settings, in our own words for pydantic's kinds of faults."""

from pydantic_core import ErrorDetails

_WORDS = {
    "greater_than_equal": "write a number from {ge:g} on",
    "greater_than": "write a number above {gt:g}",
    "less_than_equal": "write a number up to {le:g}",
    "less_than": "write a number below {lt:g}",
    "int_type": "write a whole number",
    "int_parsing": "write a whole number",
    "int_from_float": "write a whole number",
    "int_parsing_size": "write a smaller number",
    "float_type": "write a number",
    "float_parsing": "write a number",
    "finite_number": "write a number",
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
    "string_type": "write a text in quotes",
    "string_too_short": "write something here",
    "string_too_long": "write {max_length} characters at most",
    "literal_error": "write {expected}",
    "model_type": "this is a section: write its settings below [{name}]",
    "model_attributes_type": "this is a section: write its settings below [{name}]",
}


def in_words(fault: ErrorDetails, name: str) -> str:
    """What to write for the setting called `name` instead."""
    words = _WORDS.get(fault["type"])
    if words is None:
        return fault["msg"].removeprefix("Value error, ")
    return words.format(name=name, **fault.get("ctx", {}))
