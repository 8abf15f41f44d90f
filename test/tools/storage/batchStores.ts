import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { describe } from "vitest";
import { type Engine, needs } from "../engines.js";
import { ownSchema } from "./postgresSchema.js";
import { requiredMethodsOnly } from "./requiredMethodsOnly.js";

/** A storage, and what ends it when its service has been closed. */
export interface OpenedStore {
  readonly storage: Storage;
  end(): Promise<void>;
}

interface Store {
  readonly name: string;
  readonly engines?: readonly Engine[];
  readonly hasTransactions: boolean;
  open(): Promise<OpenedStore>;
}

const nothing = async () => {};

const stores: readonly Store[] = [
  { name: "memory", hasTransactions: true, open: async () => ({ storage: memoryStorage(), end: nothing }) },
  { name: "SQLite", hasTransactions: true, open: async () => ({ storage: sqliteStorage({ path: ":memory:" }), end: nothing }) },
  { name: "PostgreSQL (set POSTGRES_URL to run)", engines: ["postgres"], hasTransactions: true, open: openPostgres },
  {
    name: "a store with the required methods only",
    hasTransactions: true,
    open: async () => ({ storage: requiredMethodsOnly(memoryStorage()), end: nothing }),
  },
  {
    name: "a store without transactions",
    hasTransactions: false,
    open: async () => ({ storage: withoutTransactions(memoryStorage()), end: nothing }),
  },
];

async function openPostgres(): Promise<OpenedStore> {
  const schema = ownSchema();
  return { storage: postgresStorage({ connectionString: await schema.create() }), end: () => schema.drop() };
}

/** The store as someone would write it whose engine knows no transactions. */
export function withoutTransactions(storage: Storage): Storage {
  const { name, collection } = requiredMethodsOnly(storage);
  return { name, collection };
}

/** The same tests on every store. */
export function describeStores(title: string, tests: (store: Store) => void, chosen: (store: Store) => boolean = () => true): void {
  for (const store of stores.filter(chosen)) describe(`${title} on ${store.name}`, needs(...(store.engines ?? [])), () => tests(store));
}
