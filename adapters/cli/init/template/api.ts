import type { ProjectPlan } from "../choices.js";
import type { Types } from "./typed.js";

/** The service of a project, without a server and a database. */
export function apiFile({ name }: ProjectPlan, types: Types): string {
  return `import { createService${types(", type Logger, type Storage")} } from "restwright";
import { openapi } from "restwright/openapi";
import { tasks } from "./tasks.js";
${types(`
export interface ApiOptions {
  readonly storage: Storage;
  readonly logger: Logger;
}
`)}
/** The API: its collections, and what they need. A test passes a store of its own. */
export function createApi({ storage, logger }${types(": ApiOptions")}) {
  return createService({
    resources: [tasks],
    storage,
    logger,
    probes: { health: "/health", ready: "/ready" },
    use: [openapi({ info: { title: ${JSON.stringify(name)}, version: "0.1.0" } })],
    onResponse({ status }, { method, path }) {
      logger.info({ method, path, status }, "Answered.");
    },
  });
}
${types(`
/** The type of the API, for createClient of "restwright/client". */
export type Api = ReturnType<typeof createApi>;
`)}`;
}
