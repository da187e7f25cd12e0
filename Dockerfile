# One image for the dashboard, the scheduler and the workers: all must have the same versions.
# Steps are as in the Makefile; tests/package/test_image.py holds them to each other.
# To pin the very bytes as well, append the digest that `docker buildx imagetools inspect` of this name
# prints: python:3.11.13-slim-bookworm@sha256:…
FROM python:3.11.13-slim-bookworm

WORKDIR /srv/fpanon
COPY . .
RUN python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-cluster.txt
RUN python -m pip install --quiet --disable-pip-version-check --no-deps .

RUN useradd --create-home --uid 10001 --shell /usr/sbin/nologin fpanon \
    && install -d -o fpanon -m 700 /var/cache/fpanon
USER fpanon
WORKDIR /home/fpanon
ENV NUMBA_CACHE_DIR=/var/cache/fpanon PYTHONDONTWRITEBYTECODE=1
# Compiled once, for the kind of processor that builds the image.
RUN python -c "from fpanon_core.studies.warming import compile_all; compile_all()"

CMD ["fpanon", "dashboard", "--no-browser"]
