import type { Capability } from "../../engine/capability/capability.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { HookChain } from "./chain.js";
import { type CollectionHooks, collectionHooks } from "./collectionHooks.js";
import { HookStage } from "./hookStage.js";

/**
 * Runs the hooks of the collections within the transaction of each write, whichever way it came.
 *
 * @throws {ConfigurationError} from `createService`, if the storage has no transactions, and for hooks that are empty or given twice
 * @see docs/hooks.md
 * @example
 * const orders = defineResource("orders", { schema, hooks: { beforeWrite: ({ next }) => next && { total: sum(next.lines) } } });
 * createService({ resources: [orders], storage, use: [hooks()] });
 */
export function hooks(): Capability {
  return {
    name: "hooks",
    resourceOptions: ["hooks"],
    // What these hooks return, the others see.
    after: ["uploads"],
    open({ environment, resources }) {
      const collections = new Map<string, CollectionHooks>();
      for (const { resource } of resources.values()) {
        const compiled = collectionHooks(resource);
        if (compiled !== undefined) collections.set(resource.name, compiled);
      }
      if (collections.size === 0) return {};
      if (environment.storage.transaction === undefined) {
        const names = [...collections.keys()].join(", ");
        throw new ConfigurationError(`The hooks of ${names} run within transactions, which the storage "${environment.storage.name}" does not have.`);
      }
      return {
        rowHooks: new HookChain({ environment, inner: environment.hooks, collections, stageOf: (parts) => new HookStage(parts) }),
      };
    },
  };
}
