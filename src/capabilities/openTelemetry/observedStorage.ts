import type { Collection } from "../../ground/storage/collection.js";
import { complete } from "../../ground/storage/completed/complete.js";
import type { CollectionModel } from "../../ground/storage/model.js";
import type { Storage, TransactionOptions } from "../../ground/storage/storage.js";
import { ObservedRows } from "./observedRows.js";
import { type BeginCall, beginCalls, observeCalls } from "./storeObserver.js";
import type { Telemetry } from "./telemetry.js";

/** The stores beside the rows, and which of their answers, or of the members of an answer that is a list, mean that a lease was lost. */
const stores = {
  jobs: { extend: "lost", advance: false, release: false, finish: false },
  deliveries: { record: undefined, recordMany: undefined, release: false },
  subscribers: { record: false, release: false },
  idempotency: { complete: false, renew: false },
  webhooks: {},
  uploads: {},
} as const satisfies Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The stores that are observed. */
export type StoreName = keyof typeof stores;

/** Calls that workers make all the time, in the context of whatever woke them. */
const background: ReadonlySet<string> = new Set([
  ...[
    "claim",
    "unclaim",
    "recover",
    "extend",
    "renew",
    "sweep",
    "purge",
    "touch",
    "retire",
    "dueInMs",
    "laterInMs",
    "depth",
    "now",
    "ping",
    "migrate",
    "close",
  ],
]);

/** What is told of stores, besides spans. */
export interface StorageParts {
  readonly telemetry: Telemetry;
  /** Called when a worker learns that its lease was lost. */
  leaseLost(store: StoreName): void;
}

/** Observes the storages and stores of a service. The same store always gives the same observed one: the service compares them. */
export class StorageObserver {
  readonly #parts: StorageParts;
  readonly #stores = new WeakMap<object, object>();
  readonly #begin = new Map<string, BeginCall>();

  constructor(parts: StorageParts) {
    this.#parts = parts;
  }

  /** The storage with its calls in spans. Members that it lacks stay absent, and others are passed on. */
  storage(storage: Storage): Storage {
    const { name } = storage;
    const observe = observeCalls(this.#calls(name, undefined));
    const begin = storage.transaction?.bind(storage);
    const transaction =
      begin &&
      (<R>(run: (tx: Storage) => Promise<R>, options?: TransactionOptions) =>
        observe("transaction", () => begin((tx) => run(this.storage(tx)), options)));
    const collection = (model: CollectionModel): Collection =>
      new ObservedRows(complete(storage.collection(model), model.id), this.#calls(name, model.name));
    return new Proxy(storage, {
      get: (target, key) => {
        if (key === "collection") return collection;
        if (key === "transaction") return transaction;
        const member: unknown = Reflect.get(target, key, target);
        if (typeof member === "function") return member.bind(target);
        return isStoreName(key) && typeof member === "object" && member !== null ? this.store(key, member, name) : member;
      },
    });
  }

  /** @param system the name of the storage that it belongs to */
  store<S extends object>(name: StoreName, store: S, system: string): S {
    const known = this.#stores.get(store);
    if (known !== undefined) return known as S;
    const observe = observeCalls(this.#calls(system, name));
    const losses: Readonly<Record<string, unknown>> = stores[name];
    const methods = new Map<string | symbol, unknown>();
    const wrapped = (key: string, method: (...values: unknown[]) => unknown) => {
      const call = background.has(key)
        ? (...values: unknown[]) => method.apply(store, values)
        : (...values: unknown[]) => observe(key, async () => method.apply(store, values));
      if (!(key in losses)) return call;
      return async (...values: unknown[]) => {
        const answer = await call(...values);
        for (const one of Array.isArray(answer) ? answer : [answer]) if (one === losses[key]) this.#parts.leaseLost(name);
        return answer;
      };
    };
    const observed = new Proxy(store, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key, target);
        if (typeof member !== "function" || typeof key !== "string") return member;
        const method = methods.get(key) ?? wrapped(key, member as (...values: unknown[]) => unknown);
        methods.set(key, method);
        return method;
      },
    });
    this.#stores.set(store, observed);
    return observed;
  }

  #calls(system: string, target: string | undefined): BeginCall {
    const key = `${system}/${target ?? ""}`;
    const begin = this.#begin.get(key) ?? beginCalls(this.#parts.telemetry, system, target);
    this.#begin.set(key, begin);
    return begin;
  }
}

function isStoreName(key: string | symbol): key is StoreName {
  return typeof key === "string" && Object.hasOwn(stores, key);
}
