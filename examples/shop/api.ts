import { createService, type Logger, type Service } from "restwright";
import { verifiers } from "./credentials.js";
import { orders, users } from "./resources.js";
import type { Settings } from "./settings.js";
import { openStorage } from "./storage.js";

/** The whole API, whatever the host. */
export function createShop(settings: Settings, logger?: Logger): Service {
  return createService({
    resources: [users, orders],
    storage: openStorage(settings),
    auth: settings.authentication ? verifiers : [],
    notFound: "problem",
    probes: { health: "/health", ready: "/ready" },
    logger,
  });
}
