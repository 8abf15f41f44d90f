import { createService, defineResource, type Storage, within } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";

describe("a store without the filter operation of within", () => {
  const storage = (): Storage => {
    const memory = memoryStorage();
    const collection: Storage["collection"] = (model) => {
      const rows = memory.collection(model);
      return Object.create(rows, { can: { value: { ...rows.can, ops: rows.can.ops.filter((op) => op !== "related") } } });
    };
    return { name: "a small store", collection };
  };
  const parents = defineResource("parents", { schema: z.object({ id: z.string() }) });
  const schema = z.object({ id: z.string(), parentId: z.string() });

  test("is refused at the start if a scope may use it", () => {
    const children = defineResource("children", {
      schema,
      relations: { parent: { kind: "belongsTo", collection: "parents", foreignKey: "parentId", enforce: false } },
      scope: () => within("parent"),
    });
    expect(() => createService({ resources: [parents, children], storage: storage(), logger: false })).toThrow(
      /children.*within.*"a small store" lacks the filter operation "related"/,
    );
  });

  test("serves scopes without relations", () => {
    const children = defineResource("children", { schema, scope: () => ({ parentId: "p" }) });
    expect(() => createService({ resources: [parents, children], storage: storage(), logger: false })).not.toThrow();
  });
});
