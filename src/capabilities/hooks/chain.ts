import type { Environment } from "../../engine/operation/environment.js";
import { requireIsolation } from "../../engine/operation/transaction/runTransaction.js";
import type { HookedWrite, RowHooks } from "../../engine/operation/write/rowHooks.js";
import type { WriteStage } from "../../engine/operation/write/stage.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Isolation } from "../../ground/storage/isolation.js";
import type { Id } from "../../ground/storage/values/scalar.js";
import type { CollectionHooks } from "./collectionHooks.js";

/** How many hooks may run within one another. */
const maxDepth = 8;

/** The hooks of a service. */
export interface ServiceHooks {
  /** The environment of the service. */
  readonly environment: Environment;
  readonly collections: ReadonlyMap<string, CollectionHooks>;
  /** Hooks of another capability, which writes run after these and before the store. */
  readonly inner: RowHooks | undefined;
  /** Makes the stage that runs the hooks of a collection. */
  stageOf(parts: HookedParts): WriteStage;
}

/** What the hooks of a collection are run with. */
export interface HookedParts {
  readonly hooks: CollectionHooks;
  readonly write: HookedWrite;
  readonly chain: HookChain;
}

/** The hook whose writes run others. */
export interface OuterHook {
  /** Name of its collection. */
  readonly collection: string;
  /** Where the rows that are written within it are noted. */
  readonly touched: Set<string>;
  readonly chain: HookChain;
}

/** The hooks that writes run, and those that these writes are made by. */
export class HookChain implements RowHooks {
  readonly #service: ServiceHooks;
  readonly #outer: OuterHook | undefined;
  readonly #depth: number;

  constructor(service: ServiceHooks, outer?: OuterHook) {
    this.#service = service;
    this.#outer = outer;
    this.#depth = outer === undefined ? 0 : outer.chain.#depth + 1;
  }

  /** The environment of the service. */
  get environment(): Environment {
    return this.#service.environment;
  }

  concerns(collection: string): boolean {
    return this.#service.collections.has(collection) || this.#service.inner?.concerns(collection) === true;
  }

  isolationOf(collection: string): Isolation | undefined {
    return this.#service.collections.get(collection)?.isolation ?? this.#service.inner?.isolationOf(collection);
  }

  /** @throws {Retryable} if the transaction lacks the isolation of the hooks: it begins again with that one */
  stages(write: HookedWrite): readonly WriteStage[] {
    const { collections, inner, stageOf } = this.#service;
    const hooks = collections.get(write.model.name);
    requireIsolation(write.tx, hooks?.isolation);
    const others = inner?.concerns(write.model.name) ? inner.stages(write) : [];
    return hooks === undefined ? others : [stageOf({ hooks, write, chain: this }), ...others];
  }

  /**
   * The hooks that the writes of a hook of this chain run.
   *
   * @param touched where the rows that it writes are noted
   */
  within(collection: string, touched: Set<string>): HookChain {
    return new HookChain(this.#service, { collection, touched, chain: this });
  }

  /** @throws {ConfigurationError} if hooks cause one another without an end */
  requireEnd(collection: string): void {
    if (this.#depth < maxDepth) return;
    const names = [...this.#collections(), collection];
    throw new ConfigurationError(`The hooks of these collections write each other's rows, more than ${maxDepth} deep: ${names.join(", ")}.`);
  }

  /** Notes a written row for the hooks that caused the write. */
  noteWrite(key: string): void {
    for (let outer = this.#outer; outer !== undefined; outer = outer.chain.#outer) outer.touched.add(key);
  }

  #collections(): string[] {
    return this.#outer === undefined ? [] : [...this.#outer.chain.#collections(), this.#outer.collection];
  }
}

/** Names a row among those of all collections. */
export function keyOf(collection: string, id: Id): string {
  return `${collection}/${id}`;
}
