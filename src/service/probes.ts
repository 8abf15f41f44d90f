import type { HttpResponse } from "../http/message.js";
import type { Operation } from "../operation/operation.js";
import { ProblemError } from "../problem/index.js";
import type { Health, Readiness } from "./health.js";
import type { Route } from "./router.js";

/** Paths at which a load balancer asks for the service's state, e.g. `{ health: "/health", ready: "/ready" }`. */
export interface ProbePaths {
  readonly health?: string | undefined;
  readonly ready?: string | undefined;
}

/** Routes for the probes: open to everyone, since whoever asks them has no credentials. */
export function probeRoutes(paths: ProbePaths, health: () => Health, ready: () => Promise<Readiness>): Route[] {
  const routes: Route[] = [];
  if (paths.health !== undefined) routes.push(route(paths.health, "health", async () => json(health())));
  if (paths.ready !== undefined) {
    routes.push(
      route(paths.ready, "ready", async () => {
        const readiness = await ready();
        if (readiness.ready) return json(readiness);
        throw new ProblemError("STORAGE_UNAVAILABLE", "The service is not ready.", { headers: { "retry-after": "5" } });
      }),
    );
  }
  return routes;
}

function route(path: string, name: string, run: Operation["run"]): Route {
  return { segments: path.split("/").slice(1), operations: [{ name, method: "GET", safety: "safe", standsAlone: true, run }] };
}

function json(value: unknown): HttpResponse {
  return { status: 200, headers: { "content-type": "application/json", "cache-control": "no-store" }, body: JSON.stringify(value) };
}
