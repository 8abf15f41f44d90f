import { Redis } from "ioredis";
import { createService, type Logger, type Service } from "restwright";
import { batch } from "restwright/batch";
import { cors } from "restwright/cors";
import { jobs } from "restwright/jobs";
import { redisIdempotency } from "restwright/redis";
import { transfer } from "restwright/transfer";
import { uploads } from "restwright/uploads";
import { webhooks } from "restwright/webhooks";
import { openBlobs } from "./blobs.js";
import { verifiers } from "./credentials.js";
import { orders, payments, users } from "./resources.js";
import { findSecrets } from "./secrets.js";
import type { Settings } from "./settings.js";
import { openStorage } from "./storage.js";
import { uploadOptions } from "./uploads.js";
import { webhookOptions } from "./webhooks.js";

/** The whole API, the same on every host. */
export function createShop(settings: Settings, logger?: Logger): Service {
  const blobs = openBlobs(settings);
  return createService({
    resources: [users, orders, payments],
    storage: openStorage(settings),
    use: [
      jobs({ isAdmin: ({ claims }) => claims?.["role"] === "admin" }),
      batch(),
      transfer({ blobs }),
      uploads(uploadOptions(settings, blobs)),
      webhooks(webhookOptions(settings)),
      ...(settings.corsOrigins.length === 0 ? [] : [cors({ origins: settings.corsOrigins, credentials: true })]),
    ],
    idempotency:
      settings.redisUrl === undefined ? undefined : { store: redisIdempotency(connectRedis(settings.redisUrl, logger), { prefix: "shop:" }) },
    secrets: findSecrets(settings, logger),
    auth: settings.authentication ? verifiers : [],
    notFound: "problem",
    probes: { health: "/health", ready: "/ready" },
    logger,
  });
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
