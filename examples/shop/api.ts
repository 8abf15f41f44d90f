import { Redis } from "ioredis";
import { createService, type Logger, type Service } from "restwright";
import { redisIdempotency } from "restwright/redis";
import { openBlobs } from "./blobs.js";
import { verifiers } from "./credentials.js";
import { orders, payments, users } from "./resources.js";
import { findSecrets } from "./secrets.js";
import type { Settings } from "./settings.js";
import { openStorage } from "./storage.js";
import { uploadsOf } from "./uploads.js";
import { webhooksOf } from "./webhooks.js";

/** The whole API, whatever the host. */
export function createShop(settings: Settings, logger?: Logger): Service {
  return createService({
    resources: [users, orders, payments],
    storage: openStorage(settings),
    blobs: openBlobs(settings),
    idempotency: settings.redisUrl === undefined ? undefined : { store: redisIdempotency(new Redis(settings.redisUrl), { prefix: "shop:" }) },
    jobs: { isAdmin: ({ claims }) => claims?.["role"] === "admin" },
    uploads: uploadsOf(settings),
    webhooks: webhooksOf(settings),
    secrets: findSecrets(settings, logger),
    auth: settings.authentication ? verifiers : [],
    notFound: "problem",
    probes: { health: "/health", ready: "/ready" },
    logger,
  });
}
