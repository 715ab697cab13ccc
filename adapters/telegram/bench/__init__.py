"""`companion bench telegram`: many chats at once, on a server that plays Telegram and model."""
