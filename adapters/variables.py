"""The environment variables that hold what each platform gave to its bot."""

DISCORD_TOKEN = "DISCORD_BOT_TOKEN"  # noqa: S105 - the variable's name
TELEGRAM_TOKEN = "TELEGRAM_BOT_TOKEN"  # noqa: S105 - the variable's name
WEBHOOK_SECRET = "TELEGRAM_WEBHOOK_SECRET"  # noqa: S105 - the variable's name
