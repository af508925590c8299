# Two images from one file; docs/deploy.md tells how to run them, NOTICE under which terms to pass them on.
#   docker build --target gateway -t voxgate:gateway .   the gateway alone: needs VOXGATE_UPSTREAM_URL
#   docker build --target all -t voxgate:all .           with the embedded engine, a combination under the GPL
# scripts/check-images.mjs runs this file without a container engine: keep RUN lines free of absolute paths and
# of anything that only root can do.

ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS manifest
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/

FROM manifest AS build
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/build-programs.mjs scripts/build-client.mjs scripts/build-playground.mjs scripts/
COPY languages languages
COPY src src
COPY packages packages
COPY testkit testkit
# The entry of the speech program is under the GPL like that program, so it stays with it.
RUN npm run build \
    && cp -r dist dist-gateway && rm dist-gateway/engine/espeak-entry.mjs \
    && mkdir data

FROM manifest AS packages
RUN --mount=type=cache,target=/root/.npm npm ci --workspaces=false --omit=dev --omit=optional --no-audit --no-fund

FROM manifest AS packages-all
RUN --mount=type=cache,target=/root/.npm npm ci --workspaces=false --omit=dev --no-audit --no-fund

FROM ${NODE_IMAGE} AS base
# A published port is not loopback, so the start is refused until there are API keys.
ENV NODE_ENV=production VOXGATE_HOST=0.0.0.0 VOXGATE_PORT=8080 VOXGATE_DATA_DIR=/data
WORKDIR /app
COPY package.json LICENSE NOTICE ./
COPY licenses licenses
COPY --from=build --chown=1000:1000 /build/data /data
EXPOSE 8080
VOLUME /data
LABEL org.opencontainers.image.title="voxgate" \
      org.opencontainers.image.description="A streaming audio gateway for real-time playback"
# Asks the address that it listens on (0.0.0.0 and :: lead a caller inside to loopback), over TLS where that is on;
# the certificate is not made out for that address. It reads variables only: docs/deploy.md, "Health and stopping".
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "require(process.env.VOXGATE_TLS_CERT ? 'https' : 'http').get({ host: process.env.VOXGATE_HOST, port: process.env.VOXGATE_PORT, path: '/livez', rejectUnauthorized: false }, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# Node itself is process 1: it takes SIGTERM and leaves no orphans, so no init stands in front. Playing turns may
# finish for VOXGATE_DRAIN_MS (60 s); stop with a longer timeout than that.
STOPSIGNAL SIGTERM
# V8 lets garbage grow to 40 % of what is alive instead of more: 45 MiB less at 300 turns (docs/benchmarks.md).
ENTRYPOINT ["node", "--heap-growing-percent=40", "dist/main.js"]
CMD ["serve"]

FROM base AS all
COPY --from=build /build/dist dist
COPY --from=packages-all /build/node_modules node_modules
COPY --from=packages-all /build/node_modules/@echogarden/espeak-ng-emscripten/COPYING licenses/GPL-3.0.txt
LABEL org.opencontainers.image.licenses="GPL-3.0-or-later"
# By number, so that Kubernetes can see that it is not root; the Node image calls it node.
USER 1000:1000

FROM base AS gateway
COPY --from=build /build/dist-gateway dist
COPY --from=packages /build/node_modules node_modules
LABEL org.opencontainers.image.licenses="Apache-2.0 AND BSD-3-Clause AND LGPL-2.0-or-later AND LGPL-2.1-only"
USER 1000:1000
