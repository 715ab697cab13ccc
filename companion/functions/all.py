"""Every function that the model may call."""

from companion.functions.declare import Function
from companion.functions.forgetting import forget
from companion.functions.memory import (
    archival_storage_insert,
    archival_storage_search,
    conversation_search,
    working_context_append,
    working_context_replace,
)
from companion.functions.messages import react, send_message, stay_silent
from companion.functions.openers import set_openers
from companion.functions.schedule import (
    cancel_event,
    list_events,
    schedule_event,
    set_quiet,
    set_timezone,
)

FUNCTIONS = (
    send_message,
    working_context_append,
    working_context_replace,
    archival_storage_insert,
    archival_storage_search,
    conversation_search,
    forget,
    react,
    schedule_event,
    list_events,
    cancel_event,
    set_timezone,
    set_quiet,
    stay_silent,
    set_openers,
)

ESSENTIAL = (
    send_message,
    working_context_append,
    working_context_replace,
    archival_storage_insert,
    archival_storage_search,
    conversation_search,
    stay_silent,
)
"""What memory needs. The others have a command each, for the person to use."""

ROOM_FOR_ALL = 8_000
"""Tokens: in a smaller window all schemas would leave the queue no room."""


def functions_for(window: int) -> tuple[Function, ...]:
    """The functions of a model with a `window` of so many tokens."""
    return FUNCTIONS if window >= ROOM_FOR_ALL else ESSENTIAL
