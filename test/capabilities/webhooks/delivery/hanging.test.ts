// @slow only-in-full

import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Engine, needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../../tools/temporary.js";
import { measureHanging } from "./hangingStage.js";

const storages: readonly { readonly name: string; readonly engines: readonly Engine[]; readonly open: () => Promise<Storage> }[] = [
  { name: "memory", engines: [], open: async () => memoryStorage() },
  { name: "SQLite", engines: [], open: async () => sqliteStorage({ path: `${temporaryFolder()}/hanging.db` }) },
  {
    name: "PostgreSQL (set POSTGRES_URL to run)",
    engines: ["postgres"],
    async open() {
      const schema = ownSchema();
      const connectionString = await schema.create();
      onTestFinished(() => schema.drop());
      return postgresStorage({ connectionString });
    },
  },
];

const short = { headTimeoutMs: 8_000, seconds: 5 };

// The bar is a second, which test/long/load/hanging.ts measures with time-outs of 30 s; here both ends of all TLS handshakes share one busy process.
const mostMs = 2_500;

describe.each(storages)("webhooks that answer, on $name,", { timeout: 60_000 }, ({ engines, open }) => {
  test.each([
    ["100 webhooks of another tenant", { tenants: 1, hooks: 100 }],
    ["20 webhooks of the same tenant", { tenants: 1, hooks: 20, isSameTenant: true }],
    ["two webhooks of each of 50 other tenants", { tenants: 50, hooks: 2 }],
  ])("do not wait while %s hang, all on one host", needs(...engines), async (_what, hanging) => {
    const storage = await open();
    const { p99Ms, hung } = await measureHanging({ storage, ...hanging, ...short });
    expect(hung).toBeGreaterThanOrEqual(hanging.tenants * hanging.hooks);
    expect(p99Ms).toBeLessThan(mostMs);
  });
});
