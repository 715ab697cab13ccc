# One image, one volume (/data), no root. Build and talk:
#   docker compose run --rm companion chat

FROM python:3.13-slim AS build
WORKDIR /source
RUN python -m venv /venv
COPY requirements/local.txt requirements/embedder.txt requirements/install.sh requirements/
RUN PIP_NO_CACHE_DIR=1 requirements/install.sh /venv/bin/python requirements/local.txt
COPY pyproject.toml README.md LICENSE ./
COPY config config
COPY companion companion
COPY adapters adapters
RUN /venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.13-slim
# What llama.cpp was built against and the slim image lacks.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 libstdc++6 \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 10001 companion \
    && install --directory --owner=companion --group=companion --mode=700 /data
COPY --from=build /venv /venv
ENV PATH="/venv/bin:$PATH" \
    COMPANION_HOME=/data \
    PYTHONUNBUFFERED=1
USER companion
WORKDIR /data
VOLUME /data
HEALTHCHECK --interval=60s --timeout=20s --start-period=30s CMD ["companion", "status"]
ENTRYPOINT ["companion"]
CMD ["chat"]
