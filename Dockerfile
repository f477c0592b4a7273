# What it stands on: Debian with git, certificates, bubblewrap and the library that Node needs. `scripts/build-image.sh` makes such a base, and `sonde/`.
ARG BASE=docker.io/library/debian:bookworm-slim
FROM ${BASE}
RUN command -v bwrap git >/dev/null || { apt-get update -qq && \
    apt-get install -y -qq --no-install-recommends bubblewrap ca-certificates git libatomic1 && rm -rf /var/lib/apt/lists/*; }
COPY sonde/ /opt/sonde/
RUN install -d -m 0700 -o 10001 -g 10001 /var/lib/sonde
ENV PATH=/opt/sonde/node_modules/.bin:/usr/local/bin:/usr/bin:/bin HOME=/var/lib/sonde SONDE_HOME=/var/lib/sonde
USER 10001:10001
VOLUME /var/lib/sonde
EXPOSE 7077
ENTRYPOINT ["sonde"]
CMD ["serve", "--alerts"]
