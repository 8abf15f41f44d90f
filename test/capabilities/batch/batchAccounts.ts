import { type Authorize, anonymous, defineResource, type Principal, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { afterAll, beforeAll } from "vitest";
import { z } from "zod";
import { clientOf, type Received } from "../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../tools/fullService.js";
import type { OpenedStore } from "../../tools/storage/batchStores.js";

const isAdmin = ({ id }: Principal) => id === "admin";

const options = {
  schema: z.object({
    id: z.int(),
    name: z.string().min(1).max(20),
    email: z.email().nullable().default(null),
    balance: z.int().default(0),
    role: z.string().default("user"),
    rank: z.int().default(0),
    pin: z.string().optional(),
    internal: z.string().default("internal-value"),
  }),
  generated: { id: "increment" },
  unique: ["email"],
  readOnly: ["rank"],
  search: ["name"],
  access: {
    pin: { read: false, write: true },
    internal: { read: isAdmin, write: isAdmin, onForbidden: "hide" },
  },
} as const;

/** A unique key, a default, a field that nobody reads, one that nobody knows of, and one that is the server's. */
export const accounts = defineResource("accounts", options);

/** The same, but only the administrator may read rows that are called "ghost", or change those that are called "locked". */
export const scopedAccounts = defineResource("accounts", {
  ...options,
  scope({ principal, action, when }) {
    if (isAdmin(principal)) return true;
    if (action === "read") return { name: { ne: "ghost" } };
    return when === "after" || { name: { nin: ["ghost", "locked"] } };
  },
});

/** An administrator may do everything; others may not write roles, readers write nothing, and who is narrow knows ids and names only. */
export const byName: Authorize = ({ principal, action, fields }) => {
  if (isAdmin(principal)) return true;
  if (principal === anonymous) return false;
  if (principal.id === "reader") return action === "list" || action === "read";
  return principal.id === "narrow" ? { fields: ["id", "name"] } : fields?.includes("role") !== true;
};

export type Item = Readonly<Record<string, unknown>>;

/** One tenant's side of a service: its people, and all of its rows as the store has them. */
export interface Tenant {
  readonly storage: Storage;
  /** Sends as a person; `""` has no credentials. */
  as(who: string, method: string, target: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Received>;
  /** The whole table, versions included. */
  rows(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Adds rows as the administrator. @returns their ids */
  seed(...items: readonly Item[]): Promise<readonly number[]>;
  /** Writes to a row behind the service's back. */
  touch(id: number, values: Item): Promise<void>;
}

let tenants = 0;
let versions = 0;

/** A service of the accounts that all tests of a block share; each test takes a tenant of its own. */
export function sharedAccounts(open: () => Promise<OpenedStore>, options: Partial<FullServiceOptions> = {}): () => Tenant {
  let opened: OpenedStore;
  let send: ReturnType<typeof clientOf>;
  let close: () => Promise<void>;
  beforeAll(async () => {
    opened = await open();
    const auth = [bearer((token) => ({ tenant: token.split("/", 1)[0], id: token.slice(token.indexOf("/") + 1) }))];
    const service = fullService({
      resources: [accounts],
      storage: opened.storage,
      auth,
      anonymous: "allow",
      authorize: byName,
      ...options,
    });
    send = clientOf(service);
    close = () => service.close();
  });
  afterAll(async () => {
    await close();
    await opened.end();
  });
  return () => tenantOf(opened.storage, send);
}

function tenantOf(storage: Storage, send: ReturnType<typeof clientOf>): Tenant {
  const tenant = `tenant-${++tenants}`;
  const rows = () => storage.collection(accounts.model);
  const as: Tenant["as"] = (who, method, target, body, headers = {}) => {
    const authorization = who === "" ? {} : { authorization: `Bearer ${tenant}/${who}` };
    return send({ method, target, body, headers: { "x-request-id": "r", ...authorization, ...headers } });
  };
  return {
    storage,
    as,
    rows: () => rows().find({ sort: [{ path: ["id"], dir: "asc" }], limit: 10_000 }, { tenant }),
    async seed(...items) {
      const answer = await as("admin", "POST", "/accounts/batch", { items }, { prefer: "return=minimal" });
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.json.results.map(({ id }: { id: number }) => id);
    },
    async touch(id, values) {
      const outcome = await rows().update(id, { ...values, _version: `touched-${++versions}`, _updatedAt: new Date() }, { tenant });
      if (!outcome.ok) throw new Error(`Nothing was touched: ${outcome.why}.`);
    },
  };
}

export const strict = { prefer: "handling=strict" };

export function statusesOf({ json }: Received): readonly number[] {
  return json.results.map(({ status }: { status: number }) => status);
}

/** What holds for every batch that was processed: one result an item, in order, and sums that fit. */
export function isConsistent({ status, json }: Received, total: number): boolean {
  const { results, summary } = json;
  const failed = results.filter((result: { status: number }) => result.status >= 400).length;
  const inOrder = results.every(({ index }: { index: number }, place: number) => index === place);
  const sums = summary.total === total && summary.failed === failed && summary.succeeded === total - failed;
  return results.length === total && inOrder && sums && status === (failed === 0 ? 200 : summary.succeeded === 0 && status === 422 ? 422 : 207);
}
