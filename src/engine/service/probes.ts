import type { HttpResponse } from "../../ground/http/message.js";
import { ProblemError } from "../../ground/problem/index.js";
import type { Dependency } from "../capability/capability.js";
import type { Operation } from "../operation/operation.js";
import type { Route } from "../operation/route.js";
import type { Health, Readiness } from "./health.js";

/** Paths at which a load balancer asks for the service's state, e.g. `{ health: "/health", ready: "/ready" }`. */
export interface ProbePaths {
  /** Path that tells whether the process is alive: `/health` (default: none). */
  readonly health?: string | undefined;
  /** Path that tells whether the service and what it depends on can serve requests, by 200 or 503: `/ready` (default: none). */
  readonly ready?: string | undefined;
}

/** Routes for the probes: open to everyone, because load balancers have no credentials. */
export function probeRoutes(
  paths: ProbePaths,
  health: () => Health,
  ready: () => Promise<Readiness>,
  dependencies: ReadonlyMap<string, readonly Dependency[]>,
): Route[] {
  const routes: Route[] = [];
  if (paths.health !== undefined) routes.push(route(paths.health, "health", async () => json(health())));
  if (paths.ready !== undefined) {
    routes.push(
      route(paths.ready, "ready", async () => {
        const readiness = await ready();
        if (readiness.ready) return json(readiness);
        throw new ProblemError("STORAGE_UNAVAILABLE", `The service is not ready: ${faultOf(readiness, dependencies)}.`, {
          headers: { "retry-after": "5" },
        });
      }),
    );
  }
  return routes;
}

function route(path: string, name: string, run: Operation["run"]): Route {
  return {
    segments: path.split("/").slice(1),
    operations: [{ name, method: "GET", cost: 0, standsAlone: true, readQuery: anyQuery, run }],
  };
}

/** Accepts and ignores all query parameters, because load balancers may add some. */
function anyQuery(): void {}

function json(value: unknown): HttpResponse {
  return { status: 200, headers: { "content-type": "application/json", "cache-control": "no-store" }, body: JSON.stringify(value) };
}

function faultOf({ storage, keys, ...others }: Readiness, dependencies: ReadonlyMap<string, readonly Dependency[]>): string {
  if (!storage.ok) return "the storage takes no writes";
  if (keys?.ok === false) return "the store of idempotency keys takes no writes";
  for (const [name, [dependency]] of dependencies) {
    const state = others[name];
    if (typeof state === "object" && !state.ok) return dependency?.fault ?? `"${name}" cannot be used`;
  }
  return "it is shutting down";
}
