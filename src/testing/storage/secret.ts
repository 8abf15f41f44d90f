import assert from "node:assert/strict";
import type { Storage } from "../../ground/storage/storage.js";
import type { Scenario } from "./scenario.js";

/** The secret, as a service reads it at start-up. */
async function secretOf(storage: Storage): Promise<string | undefined> {
  await storage.migrate?.([]);
  return storage.secret?.();
}

export const secretScenarios: readonly Scenario[] = [
  {
    name: "the secret has at least 32 bytes in base64url, and is the same each time",
    needs: { secret: true },
    async run({ storage }) {
      const secret = (await secretOf(storage)) ?? "";
      assert.match(secret, /^[A-Za-z0-9_-]+$/);
      assert.ok(Buffer.from(secret, "base64url").length >= 32, `${secret.length} characters`);
      assert.ok(new Set(secret).size > 10, "it is not random");
      assert.equal(await storage.secret?.(), secret);
    },
  },
  {
    name: "20 concurrent reads return the same secret",
    needs: { secret: true },
    async run({ storage }) {
      const secrets = await Promise.all(Array.from({ length: 20 }, () => secretOf(storage)));
      assert.equal(new Set(secrets).size, 1);
    },
  },
  {
    name: "the secret survives a restart",
    needs: { secret: true, reopen: true },
    async run({ reopening }) {
      assert.ok(reopening !== undefined);
      const first = await reopening.open();
      const secret = await secretOf(first);
      const second = await reopening.reopen(first);
      assert.equal(await secretOf(second), secret);
      await second.close?.();
    },
  },
];
