# The service alone, for a PostgreSQL that stands elsewhere (docker-compose.yml has one). The private PostgreSQL is for
# machines without containers: this image carries none.

FROM rust:1.95.0-slim-bookworm AS builder
WORKDIR /build
COPY . .
RUN cargo build --release --locked --bin broadside

FROM debian:bookworm-slim
# The roots by which the certificate of a mail server is judged.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --user-group --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin broadside
COPY --from=builder /build/target/release/broadside /usr/local/bin/broadside
USER 10001:10001
# Inside of the container every address is its own; which of them the world sees is for the publisher of the port to say.
ENV BROADSIDE_LISTEN=0.0.0.0:8080 \
    BROADSIDE_ADMIN_LISTEN=127.0.0.1:9090 \
    BROADSIDE_LOG_FORMAT=json
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["broadside", "health"]
ENTRYPOINT ["broadside"]
CMD ["serve"]
