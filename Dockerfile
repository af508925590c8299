# Two images from one file:
#   docker build --target gateway .   the gateway alone; needs VOXGATE_UPSTREAM_URL (Apache-2.0)
#   docker build --target all .       with the embedded engine; a combination under GPL-3.0-or-later, see NOTICE
# A published port is not loopback, so both start only with API keys:
#   docker run -p 8080:8080 -e VOXGATE_API_KEYS=me:secret …

FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/
COPY src src
RUN npm run build

FROM node:24-slim AS base
ENV NODE_ENV=production VOXGATE_HOST=0.0.0.0 VOXGATE_PORT=8080 VOXGATE_DATA_DIR=/data
WORKDIR /app
RUN install -d -o node -g node /data
COPY package.json package-lock.json .npmrc LICENSE NOTICE ./
EXPOSE 8080
VOLUME /data
LABEL org.opencontainers.image.title="voxgate" \
      org.opencontainers.image.description="A streaming audio gateway for real-time playback"
# Plain HTTP on the container's own port; with TLS or another port, override it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.VOXGATE_PORT}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# node itself is process 1, so SIGTERM reaches it and playing turns may finish: stop with --time 70.
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve"]

FROM base AS all
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force
COPY --from=build /build/dist dist
LABEL org.opencontainers.image.licenses="GPL-3.0-or-later"
USER node

FROM base AS gateway
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund && npm cache clean --force
COPY --from=build /build/dist dist
LABEL org.opencontainers.image.licenses="Apache-2.0"
USER node
