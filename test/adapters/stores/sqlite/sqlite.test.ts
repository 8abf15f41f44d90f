import { sqliteStorage } from "restwright/sqlite";
import { storageContract } from "restwright/testing";
import { describe, test } from "vitest";
import { onlyIf } from "../../../tools/engines.js";

const checks = await storageContract({ open: async () => sqliteStorage({ path: ":memory:" }) });

describe("SQLite in memory", () => {
  for (const { name, skip, run } of checks) test(name, onlyIf(skip === undefined, skip ?? ""), run);
});
