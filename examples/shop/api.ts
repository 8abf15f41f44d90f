import { Redis } from "ioredis";
import { createService, type Logger, type RateLimitStore, type Storage } from "restwright";
import { actions } from "restwright/actions";
import { batch } from "restwright/batch";
import { cache } from "restwright/cache";
import { compression } from "restwright/compression";
import { cors } from "restwright/cors";
import { docs } from "restwright/docs";
import { csv, formats, ndjson } from "restwright/formats";
import { hooks } from "restwright/hooks";
import { jobs } from "restwright/jobs";
import { languages } from "restwright/languages";
import { live } from "restwright/live";
import { openapi } from "restwright/openapi";
import { rateLimit } from "restwright/rate-limit";
import { redisIdempotency, redisRateLimits } from "restwright/redis";
import { searches } from "restwright/searches";
import { subscribers } from "restwright/subscribers";
import { transfer } from "restwright/transfer";
import { uploads } from "restwright/uploads";
import { webhooks } from "restwright/webhooks";
import { xml } from "restwright/xml";
import { openBlobs } from "./blobs.js";
import { authorizeProducts, chooseTenant, createVerifiers, isAdmin } from "./credentials.js";
import { home } from "./home.js";
import { shopLanguages } from "./languages.js";
import { writeReceipts } from "./receipts.js";
import { orders, payments, products, receipts, users } from "./resources.js";
import { findSecrets } from "./secrets.js";
import type { Settings } from "./settings.js";
import { openStorage } from "./storage.js";
import { uploadOptions } from "./uploads.js";
import { shopVersions } from "./versions.js";
import { webhookOptions } from "./webhooks.js";

/** The whole API, the same on every host. */
export function createShop(settings: Settings, logger?: Logger) {
  const blobs = openBlobs(settings);
  const storage = openStorage(settings);
  const redis = settings.redisUrl === undefined ? undefined : connectRedis(settings.redisUrl, logger);
  const service = createService({
    resources: [users, orders, receipts, payments, products],
    storage,
    // Demo credentials never change. A real service looks the user up again here.
    principals: { reload: false },
    use: [
      hooks(),
      actions(),
      subscribers(),
      jobs({ isAdmin }),
      batch(),
      cache(),
      searches(),
      shopVersions(),
      formats({ use: [csv(), ndjson(), xml()] }),
      transfer({ blobs }),
      uploads(uploadOptions(settings, blobs)),
      webhooks(webhookOptions(settings)),
      live(),
      languages(shopLanguages),
      openapi({
        info: { title: "Shop", version: "1.0.0", description: "Users, their orders and payments, and the products that anyone may read." },
        tags: [{ name: "users", description: "People who order." }, { name: "orders" }, { name: "products", description: "What can be ordered." }],
        filters: settings.documentFilters,
      }),
      docs(),
      home(),
      ...(settings.compression ? [compression()] : []),
      ...(settings.corsOrigins.length === 0 ? [] : [cors({ origins: settings.corsOrigins, credentials: true })]),
      ...(settings.rateLimit === 0
        ? []
        : [rateLimit({ policies: [{ name: "minute", limit: settings.rateLimit, windowMs: 60_000 }], store: limitsOf(storage, redis) })]),
    ],
    idempotency: redis && { store: redisIdempotency(redis, { prefix: "shop:" }) },
    secrets: findSecrets(settings, logger),
    auth: settings.authentication ? createVerifiers(settings) : [],
    authorize: settings.authentication ? authorizeProducts : undefined,
    tenant: settings.authentication && settings.readsTenantHeader ? chooseTenant : undefined,
    trustMethodOverride: (_request, principal) => settings.trustsMethodOverride && isAdmin(principal),
    trustedHops: settings.trustedHops,
    notFound: "problem",
    probes: { health: "/health", ready: "/ready" },
    logger,
  });
  writeReceipts(service);
  return service;
}

/** Where several processes count together: in Redis, or in PostgreSQL. One process counts in its memory. */
function limitsOf(storage: Storage, redis: Redis | undefined): RateLimitStore | undefined {
  if (redis !== undefined) return redisRateLimits(redis, { prefix: "shop:limit:" });
  return storage.isShared ? storage.rateLimits : undefined;
}

/** Logs each outage once: without a listener, ioredis prints every failed attempt to reconnect. Requests with a key are answered 503 during an outage. */
function connectRedis(url: string, logger: Logger | undefined): Redis {
  const redis = new Redis(url);
  let isDown = false;
  return redis
    .on("error", (err: unknown) => {
      if (!isDown) logger?.error({ err }, "Redis does not answer; reconnecting.");
      isDown = true;
    })
    .on("ready", () => {
      if (isDown) logger?.info({}, "Redis answers again.");
      isDown = false;
    });
}
