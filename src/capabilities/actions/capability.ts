import type { Capability, OpenCapability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import type { Environment } from "../../engine/operation/environment.js";
import type { Operation } from "../../engine/operation/operation.js";
import type { Route } from "../../engine/operation/route.js";
import { actionBatches } from "../../engine/resource/batchedAction.js";
import { innermost } from "../../engine/resource/relations/ancestor.js";
import { below, hierarchies, segmentsOf } from "../../engine/resource/relations/hierarchy.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { CompiledAction } from "./action.js";
import { batchedAction } from "./batched.js";
import { actionCalls } from "./calls.js";
import { compileActions } from "./compileActions.js";
import { actionOperation } from "./operations.js";

/** The actions of all collections, by the names of the collections and of the actions. */
type AllActions = ReadonlyMap<string, ReadonlyMap<string, CompiledAction>>;

/**
 * Operations of your own on rows and collections: the option `actions` of a resource. `POST /orders/7/cancel` runs in a transaction in which the row is locked, with the
 * rules, preconditions and keys of all other writes.
 *
 * @see docs/actions.md
 * @example
 * const orders = defineResource("orders", {
 *   schema,
 *   actions: ({ action }) => ({
 *     cancel: action({ on: "row", input: z.object({ reason: z.string() }), run: ({ input }) => ({ status: "cancelled", reason: input.reason }) }),
 *   }),
 * });
 * createService({ resources: [orders], storage, use: [actions()] });
 */
export function actions(): Capability {
  return { name: "actions", after: ["batch"], resourceOptions: ["actions", "softDelete.restore"], open };
}

function open(host: Host): OpenCapability {
  const { environment, resources } = host;
  const all: AllActions = new Map([...resources.values()].map(({ name, resource }) => [name, compileActions(resource)]));
  const every = [...all.values()].flatMap((each) => [...each.values()]);
  for (const action of every) checkAction(action, environment);
  return {
    offers: actionCalls(all, resources, environment),
    describes: async () => ({ describe: (await import("./describeActions.js")).describeActions }),
    routesFor: (collections) => [...collections.values()].flatMap((linked) => routesOf(linked, all, environment)),
    check() {
      const emitting = every.find(({ events }) => events.size > 0);
      if (emitting === undefined) return;
      if (environment.events?.emit !== undefined) return environment.events.addTypes?.(every.flatMap(({ events }) => [...events]));
      throw new ConfigurationError(
        `${emitting.place} has "events"; add webhooks({ transport }) of "restwright/webhooks" or subscribers() of "restwright/subscribers" to "use" of createService.`,
      );
    },
  };
}

/** @throws {ConfigurationError} for an action that cannot work with this service */
function checkAction({ place, method, hasBatch, resource }: CompiledAction, { storage, offers }: Environment): void {
  if (method === "POST" && storage.transaction === undefined) {
    throw new ConfigurationError(
      `${place} writes, and the storage "${storage.name}" has no transactions; give it the method GET, or use another storage.`,
    );
  }
  if (!hasBatch) return;
  if (offers.get(actionBatches) === undefined) {
    throw new ConfigurationError(`${place} says "batch"; add batch() of "restwright/batch" to "use" of createService.`);
  }
  if (resource.batch?.none) throw new ConfigurationError(`${place} says "batch", but the collection says "batch: false".`);
}

function routesOf(linked: LinkedResource, all: AllActions, service: Environment): readonly Route[] {
  const { name, resource } = linked;
  const own = [...(all.get(name)?.values() ?? [])].flatMap((action): Route[] => {
    const operation = actionOperation(action, resource, service);
    if (action.on === "collection") return [{ segments: [name, action.name], operations: [operation] }];
    const single: Route = { segments: [name, null, action.name], operations: [operation] };
    return [single, ...batchRoute(action, linked, service)];
  });
  const nested = hierarchies(linked).flatMap((ancestors) => {
    const { target } = innermost(ancestors).relation;
    const onRows = [...(all.get(target.name)?.values() ?? [])].filter(({ on }) => on === "row");
    return onRows.map(
      (action): Route => ({
        segments: [...segmentsOf(ancestors), null, action.name],
        operations: [below(ancestors, actionOperation(action, target.resource, service), "single")],
      }),
    );
  });
  return [...own, ...nested];
}

function batchRoute(action: CompiledAction, { name, resource }: LinkedResource, service: Environment): readonly Route[] {
  if (!action.hasBatch) return [];
  const operation: Operation | undefined = service.offers.get(actionBatches)?.actionOperation(resource, batchedAction(action, resource, service));
  return operation === undefined ? [] : [{ segments: [name, action.name], operations: [operation] }];
}
