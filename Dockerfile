# The service alone, for a PostgreSQL elsewhere (docker-compose.yml has one). The private PostgreSQL is for machines
# without containers: this image has none.

FROM rust:1.95.0-slim-bookworm AS builder
WORKDIR /build
COPY . .
RUN cargo build --release --locked --bin broadside

FROM debian:bookworm-slim
# The root certificates, for mail servers and the receivers of webhooks.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --user-group --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin broadside
COPY --from=builder /build/target/release/broadside /usr/local/bin/broadside
USER 10001:10001
# Inside the container the service listens on every address. The published ports determine what can be reached from
# outside.
ENV BROADSIDE_LISTEN=0.0.0.0:8080 \
    BROADSIDE_ADMIN_LISTEN=127.0.0.1:9090 \
    BROADSIDE_LOG_FORMAT=json
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["broadside", "health"]
ENTRYPOINT ["broadside"]
CMD ["serve"]
