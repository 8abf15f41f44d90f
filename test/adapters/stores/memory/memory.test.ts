import { memoryStorage } from "restwright/memory";
import { storageContract } from "restwright/testing";
import { describe, test } from "vitest";
import { onlyIf } from "../../../tools/engines.js";
import { requiredMethodsOnly } from "../../../tools/storage/requiredMethodsOnly.js";

const stores = {
  "memory store": async () => memoryStorage(),
  "memory store with nothing but the required methods": async () => requiredMethodsOnly(memoryStorage()),
};

for (const [name, open] of Object.entries(stores)) {
  const cases = await storageContract({ open });
  describe(name, () => {
    for (const c of cases) test(c.name, onlyIf(c.skip === undefined, c.skip ?? ""), c.run);
  });
}
