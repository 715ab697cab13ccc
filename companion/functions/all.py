"""Every function that the model may call."""

from companion.functions.memory import (
    archival_storage_insert,
    archival_storage_search,
    conversation_search,
    working_context_append,
    working_context_replace,
)
from companion.functions.messages import react, send_message, stay_silent
from companion.functions.openers import set_openers

FUNCTIONS = (
    send_message,
    working_context_append,
    working_context_replace,
    archival_storage_insert,
    archival_storage_search,
    conversation_search,
    react,
    stay_silent,
    set_openers,
)
